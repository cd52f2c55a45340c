"""Composition root of the conversations: an opened base serves the conversations of its organisations."""

from saidonce.app.repairs_service.replaying import replay_turn
from saidonce.app.repairs_service.session_secret import session_secret
from saidonce.app.repairs_service.wiring import WEB_NUMBER, Repairs, conversation_of
from saidonce.repairs.alarm_links import AlarmPass, alarm_path, read_alarm_pass
from saidonce.repairs.chat_links import Visitor, link_path, read_link

__all__ = [
    "WEB_NUMBER",
    "AlarmPass",
    "Repairs",
    "Visitor",
    "alarm_path",
    "conversation_of",
    "link_path",
    "read_alarm_pass",
    "read_link",
    "replay_turn",
    "session_secret",
]
