"""Flows that measure the product, and the rooms they need."""
