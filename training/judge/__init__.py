"""Training of the equivalence judge; `make judge` runs its steps in order."""
