"""Training of the head that recognises dangers described in other words."""
