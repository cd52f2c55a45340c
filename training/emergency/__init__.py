"""Training of the head that reads dangers described in other words."""
