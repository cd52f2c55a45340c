"""Composition root of the conversations: an opened base serves the conversations of its organisations."""

from saidonce.app.repairs_service.replaying import replay_turn
from saidonce.app.repairs_service.wiring import WEB_NUMBER, Repairs, conversation_of
from saidonce.repairs.chat_links import Visitor, link_path, read_link

__all__ = [
    "WEB_NUMBER",
    "Repairs",
    "Visitor",
    "conversation_of",
    "link_path",
    "read_link",
    "replay_turn",
]
