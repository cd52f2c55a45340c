"""Training of what is shipped as weights."""
