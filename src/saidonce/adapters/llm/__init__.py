"""Adapters: language models behind one provider layer."""

from saidonce.adapters.llm.provider import ProviderChat, obstacle, open_chat

__all__ = ["ProviderChat", "obstacle", "open_chat"]
