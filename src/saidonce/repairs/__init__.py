"""Composition root of the conversations: an opened base becomes the desks of its organisations."""

from saidonce.repairs.desks import WEB_NUMBER, Repairs, conversation_of
from saidonce.repairs.links import Visitor, link_path, read_link
from saidonce.repairs.replaying import replay_turn

__all__ = [
    "WEB_NUMBER",
    "Repairs",
    "Visitor",
    "conversation_of",
    "link_path",
    "read_link",
    "replay_turn",
]
