"""Adapters: language models behind one provider layer."""

from saidonce.chat.provider import ProviderChat, open_chat

__all__ = ["ProviderChat", "open_chat"]
