"""Scripted tenants with hidden goals who talk to the assistant, and invariants of their conversations."""
