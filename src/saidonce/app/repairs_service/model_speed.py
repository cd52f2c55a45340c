"""How fast the model of conversations is: asked once at start, and its time-outs set from that."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from saidonce.errors import ModelUnavailableError
from saidonce.foundation.model.conversation import Tool
from saidonce.foundation.ports.conversations import DeadlineChat
from saidonce.foundation.settings.policy import Settings
from saidonce.repairs.conversation.prompt import instructions
from saidonce.repairs.conversation.rules import voice_of
from saidonce.repairs.conversation.tool_calls import schema

LONGEST_PROBE_S = 60.0
LONGEST_CALL_S = 45.0
SHORTEST_CALL_S = 8.0
"""The setting's default: nobody gets less time than without a probe."""

CALLS = 3.0
"""Times the probe's length that one call gets: a conversation's prompt is longer, and the machine may be busy."""

TURN_OF_CALL = 1.5
"""Time of a turn in times of a call, as the settings' defaults have it."""

_PROBE = "<state>\ntools now: respond\n</state>\n<resident>\nhello\n</resident>"


@dataclass(frozen=True, slots=True)
class ModelSpeed:
    """What a probe of the model gave.

    Attributes:
        seconds: until its reply; None without one.
        why: why there was none; empty if there was.
        call_s, turn_s: the time-outs that hold from now on.
    """

    seconds: float | None
    why: str
    call_s: float
    turn_s: float

    @property
    def in_words(self) -> str:
        """What was measured and what follows, or what to do about a model that did not reply."""
        if self.seconds is None:
            return (
                f"the model did not reply to a probe: {self.why}; until it does, the keyword flow answers. Is"
                " its server running, does the URL end in /v1, and is NAME of openai:NAME one that it lists at"
                " URL/models?"
            )
        return (
            f"the model replied to a probe in {self.seconds:.1f} s; time limits: {self.call_s:g} s per call,"
            f" {self.turn_s:g} s per turn"
        )


def is_measured(settings: Settings) -> bool:
    """Return whether the model is probed at start: one at an endpoint of one's own."""
    return bool(settings.conversation_model and settings.conversation_url)


def measure_model(chat: DeadlineChat, settings: Settings, now: Callable[[], float] = time.perf_counter) -> ModelSpeed:
    """Ask the model one thing, with the beginning that every prompt has, and give the time-outs that fit it.

    Time-outs that are set stay as they are.
    """
    began, seconds, why = now(), None, ""
    try:
        chat.complete_within(instructions(voice_of(settings)), _PROBE, schema((Tool.RESPOND,)), LONGEST_PROBE_S)
        seconds = now() - began
    except ModelUnavailableError as failed:
        why = failed.reason
    fits = round(min(LONGEST_CALL_S, max(SHORTEST_CALL_S, CALLS * (seconds or 0.0))), 1)
    is_set = settings.model_fields_set
    call_s = settings.conversation_call_s if "conversation_call_s" in is_set or seconds is None else fits
    fitting_turn = max(settings.conversation_turn_s, TURN_OF_CALL * call_s)
    turn_s = settings.conversation_turn_s if "conversation_turn_s" in is_set else fitting_turn
    return ModelSpeed(seconds, why, call_s, turn_s)
