"""Scripted tenants with hidden goals who talk to the assistant, and what may never happen to them."""
