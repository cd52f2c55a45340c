"""Training of the weights that are shipped."""
