"""The rules of a conversation as numbers; defaults from the specification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from saidonce.foundation.model.conversation import Urgency
from saidonce.foundation.settings.policy import Settings
from saidonce.repairs.conversation.office_hours import OfficeHours, office_hours

HOUR_S = 3_600.0
DAY_S = 24 * HOUR_S
BESIDE_MODEL_S = 15.0
"""Time of a turn beside its model calls."""


class Orchestration(StrEnum):
    """The acting orchestrator: the keyword flow, the keyword flow with the model in shadow, or the model."""

    OFF = "off"
    SHADOW = "shadow"
    ON = "on"


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules of an organisation's conversations; times in seconds.

    Attributes:
        text_wait_s, media_wait_s, longest_wait_s: debounce after a text, after a file, and at most.
        file_wait_s: the same after a file with a caption that is still to be fetched.
        lease_s: time that a worker may hold a conversation, if no model needs more; see `claim_s`.
        patience_s: time of a turn after which the resident hears that somebody looks into it.
        max_runs: most runs of a turn when messages arrive meanwhile.
        undo_s: time in which NO undoes an automatic confirmation.
        identity_ttl_s: silence after which an active identity must be confirmed again.
        detail_asks: most questions for details before a photo, or a call.
        details_ttl_s, photo_ttl_s: life of a draft; `nudge_s` after the last message comes the one nudge.
        settle_s: time in which an issue counts as the last one.
        safety_again_s: time between two safety replies of a class.
        alert_wait_s: wait of an uncritical alert for the model's second look.
        answer_wait_s: wait for an answer to "is anybody in danger?" before the alarm.
        alarm_s: silence after which messages no longer go to an alarm that a person has acknowledged.
        names_staff: whether residents read the name of the person who acknowledged their alarm.
        same_unit_s, same_building_s: greatest age of an open issue of the unit, of the building, to count as repeated.
        call_timeout_s, turn_timeout_s: time of one model call, and of all calls of a turn.
        max_calls: model calls of a turn, retries and repairs included.
        max_prompt_tokens: estimated tokens of instructions and prompt.
        unknown_again_s: wait for the status of a message before it is sent again.
        office: the organisation's time zone and business hours.
        response_h, done_h: hours to the first response and to the end of the work; an emergency's pass day and night.
        erases_at_once: a resident's data goes after their yes; else the landlord decides within `erasure_days`.
        max_escalations: most escalations by the model a day; a resident who asks for a person always gets one.
        max_stuck: turns without progress, this one included, after which a person takes over.
        no_wait_s: wait before a report whose photo is refused is filed for a home just recognised: "Reply NO if that's
            wrong" needs a moment.
        remember_s: time after which a closed issue is no longer found by its resident.
    """

    orchestration: Orchestration = Orchestration.ON
    text_wait_s: float = 1.5
    media_wait_s: float = 4.0
    file_wait_s: float = 8.0
    longest_wait_s: float = 10.0
    lease_s: float = 30.0
    patience_s: float = 5.0
    max_runs: int = 3
    undo_s: float = DAY_S
    identity_tries: int = 3
    identity_ttl_s: float = 30 * DAY_S
    detail_asks: int = 3
    details_ttl_s: float = 72 * HOUR_S
    photo_ttl_s: float = 23 * HOUR_S
    nudge_s: float = 20 * HOUR_S
    settle_s: float = DAY_S
    safety_again_s: float = 30 * 60.0
    alert_wait_s: float = 60.0
    answer_wait_s: float = 180.0
    alarm_s: float = DAY_S
    names_staff: bool = False
    same_unit_s: float = 90 * DAY_S
    same_building_s: float = 14 * DAY_S
    call_timeout_s: float = 8.0
    turn_timeout_s: float = 12.0
    max_calls: int = 2
    max_prompt_tokens: int = 1_500
    unknown_again_s: float = 120.0
    max_escalations: int = 3
    office: OfficeHours = field(default_factory=OfficeHours)
    response_h: Mapping[Urgency, float] = field(
        default_factory=lambda: {Urgency.EMERGENCY: 1.0, Urgency.URGENT: 4.0, Urgency.ROUTINE: 16.0}
    )
    done_h: Mapping[Urgency, float] = field(
        default_factory=lambda: {Urgency.EMERGENCY: 24.0, Urgency.URGENT: 40.0, Urgency.ROUTINE: 160.0}
    )
    max_stuck: int = 3
    no_wait_s: float = 600.0
    remember_s: float = 60 * DAY_S
    erases_at_once: bool = False
    erasure_days: int = 30

    @property
    def claim_s(self) -> float:
        """Longest time that a worker may hold a conversation: a model's whole time, and some for everything else."""
        return max(self.lease_s, self.turn_s)

    @property
    def turn_s(self) -> float:
        """Longest time of one run of a turn."""
        return self.turn_timeout_s + BESIDE_MODEL_S


@dataclass(frozen=True, slots=True)
class Voice:
    """An organisation's name, instructions and allowed links.

    Attributes:
        instructions: added to the prompt; part of its stable beginning.
        may_link: URLs (by prefix) and phone numbers (digits) that replies may contain.
    """

    org_name: str = "your landlord"
    instructions: str = ""
    may_link: tuple[str, ...] = ()


def rules_of(settings: Settings) -> Rules:
    """Return the rules configured by settings."""
    return Rules(
        orchestration=Orchestration(settings.use_llm_orchestration), call_timeout_s=settings.conversation_call_s,
        turn_timeout_s=settings.conversation_turn_s, names_staff=settings.conversation_names_staff,
        office=office_hours(settings.time_zone, settings.business_hours),
        response_h={
            Urgency.EMERGENCY: settings.response_emergency_h, Urgency.URGENT: settings.response_urgent_h,
            Urgency.ROUTINE: settings.response_routine_h,
        },
        done_h={
            Urgency.EMERGENCY: settings.done_emergency_h, Urgency.URGENT: settings.done_urgent_h,
            Urgency.ROUTINE: settings.done_routine_h,
        },
        erases_at_once=settings.residents_erase == "at_once",
        erasure_days=settings.residents_erase_days,
    )  # fmt: skip


def voice_of(settings: Settings) -> Voice:
    """Return the voice configured by settings."""
    return Voice(settings.conversation_name, settings.conversation_instructions, settings.conversation_may_link)
