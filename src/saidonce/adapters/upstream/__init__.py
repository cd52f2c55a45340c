"""Adapters: sources outside that collections are kept in step with."""

from saidonce.adapters.upstream.opening import kind_of, open_upstream

__all__ = ["kind_of", "open_upstream"]
