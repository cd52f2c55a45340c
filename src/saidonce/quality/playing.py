"""Load a scenario's rows into a store, and its messages into the inbox."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from saidonce.foundation.model.conversation import (
    Category,
    Gathering,
    IdentityStatus,
    Issue,
    IssueDraft,
    OutboxKind,
    OutboxMessage,
    Path,
    PhotoStatus,
    Slot,
    Turn,
    TurnWrite,
    Urgency,
)
from saidonce.foundation.model.residents import (
    ChannelIdentity,
    Inbound,
    InboundKind,
    Media,
    Property,
    Resident,
    Tenancy,
    Via,
)
from saidonce.quality.scenario import Scenario, ScenarioStep
from saidonce.repairs import conversation
from saidonce.repairs.conversation import ConversationDeps, wording
from saidonce.repairs.conversation.debounce import debounce_rule
from saidonce.repairs.conversation.timers import next_wake

PHONE = "+447700900001"
"""The sender of a scenario unless a step says otherwise. Source: Ofcom's numbers for drama."""


class ScenarioClock:
    """A clock that advances only between steps."""

    def __init__(self, at: datetime) -> None:
        self._at = at.astimezone(UTC)

    def now(self) -> datetime:
        """Return the current time, aware UTC."""
        return self._at

    def forward(self, seconds: float) -> None:
        """Advance the clock."""
        self._at += timedelta(seconds=seconds)


def preset(deps: ConversationDeps, scenario: Scenario) -> None:
    """Store a scenario's homes, issues and conversation."""
    now = deps.clock.now()
    for row in scenario.homes:
        place = Property(row.get("property", f"p-{row['id']}"), row.get("address", "12 Elm Road"), row.get("unit", ""),
                         row.get("building", ""), row.get("postcode", ""))  # fmt: skip
        who = Resident(row.get("resident", f"r-{row['id']}"), row.get("name", "Ana Bell"),
                       tuple(row.get("phones", (PHONE,))), tuple(row.get("external_ids", ())))  # fmt: skip
        ends = now + timedelta(days=row["ends_in_days"]) if "ends_in_days" in row else None
        deps.store.put_home(place, who, Tenancy(row["id"], place.id, who.id, now - timedelta(days=400), ends))
    if scenario.state or scenario.issues:
        _conversation(deps, scenario.state, scenario.issues)


def _conversation(deps: ConversationDeps, state: Mapping[str, Any], issues: Sequence[Mapping[str, Any]]) -> None:
    """Store a conversation in the scenario's state, with the messages quoted by its draft."""
    now = deps.clock.now()
    message = None
    for n, content in enumerate(state.get("said", ("hello",))):
        at = now - timedelta(minutes=30 - n)
        message, _ = deps.store.receive(
            _inbound({"text": content, "id": f"before-{n}"}, at, PHONE), debounce_rule(deps.rules)
        )
        deps.store.record_scan(message, len(deps.store.events()), (), (), ())
    assert message is not None
    held = deps.store.conversation(message.conversation_id)
    gathering = Gathering(state.get("gathering", "idle"))
    open_draft = gathering in (Gathering.GATHERING_DETAILS, Gathering.AWAITING_PHOTO)
    draft = IssueDraft(
        _slot(state, "description"), _slot(state, "location"), photo=PhotoStatus(state.get("photo", "none")),
        detail_asks=state.get("asks", 0), since=1 if open_draft else 0, media=tuple(state.get("media", ())),
    )  # fmt: skip
    life = {"gathering_details": deps.rules.details_ttl_s, "awaiting_photo": deps.rules.photo_ttl_s}.get(gathering)
    identity = IdentityStatus(state.get("identity", "active"))
    for turn, issue in enumerate([None, *issues]):
        before = deps.store.conversation(held.id)
        after = replace(
            before, identity=identity, gathering=gathering, draft=draft,
            tenancy_id=state.get("tenancy", "t1") if identity.is_known else "",
            candidates=tuple(state.get("candidates", ())), excluded=tuple(state.get("excluded", ())),
            confirmed_at=now - timedelta(hours=state.get("confirmed_hours_ago", 48)) if identity.is_known else None,
            draft_expires_at=now + timedelta(seconds=life) if life and identity.is_known else None,
            handed_off_at=now if state.get("handed_off") else None,
            issue_id=issue["id"] if issue and gathering is Gathering.ISSUE_CREATED else before.issue_id,
            issue_at=now if gathering is Gathering.ISSUE_CREATED else None,
            identity_tries=state.get("tries", 0),
        )  # fmt: skip
        opening = Turn(f"preset-{turn}", held.id, before.version + 1, now, Path.HUMAN, (), (identity, identity),
                    (gathering, gathering))  # fmt: skip
        write = TurnWrite(replace(after, wake_at=next_wake(after, deps.rules)), before.version, message.seq, opening,
                          outbox=_earlier_message(held.id, gathering, now) if issue is None else (),
                          issue=_issue(issue, held.id, now) if issue else None)  # fmt: skip
        deps.store.commit(write)


def _earlier_message(conversation_id: str, gathering: Gathering, now: datetime) -> tuple[OutboxMessage, ...]:
    """Return the message to the resident before the scenario begins."""
    content = {Gathering.GATHERING_DETAILS: wording.ASK_WHAT, Gathering.AWAITING_PHOTO: wording.ASK_PHOTO,
            Gathering.ISSUE_CREATED: wording.ATTACHED}.get(gathering)  # fmt: skip
    if content is None:
        return ()
    at = now - timedelta(minutes=1)
    return (OutboxMessage("preset", conversation_id, "preset-0", OutboxKind.REPLY, content, at),)


def sent(deps: ConversationDeps, step: ScenarioStep) -> None:
    """Deliver the message of a step to the inbox; None if it has none."""
    row = step.row
    if not any(k in row for k in ("text", "media", "button", "kind", "dup_of", "stored", "unstored")):
        return
    now = deps.clock.now()
    at = now + timedelta(seconds=row.get("sent", 0))
    inbound = replace(_inbound(row, at, row.get("from", PHONE)), received_at=now)
    if "stored" in row:
        conversation.media_stored(deps, inbound, Media(row["stored"], "image/jpeg", "0" * 64))
        return
    conversation.take_in(deps, (inbound,), on_failure=not_caught)


def not_caught(what: str, conversation_id: str, failed: Exception) -> None:
    """Raise a failure that the service would log and survive, since in a test it is a defect."""
    del what, conversation_id
    raise failed


def _inbound(row: Mapping[str, Any], at: datetime, phone: str) -> Inbound:
    sender = _sender(row, phone)
    media = tuple(Media(m, _mime(m), "0" * 64, stored=True) for m in row.get("media", ()))
    media += tuple(Media(m, "image/jpeg") for m in row.get("unstored", ()))
    kind = InboundKind(row.get("kind") or ("button" if "button" in row else "media" if media else "text"))
    name = row.get("dup_of") or row.get("id") or f"at-{at.timestamp():.3f}"
    return Inbound(
        sender, "main", name, kind, at, at, text=row.get("text", ""), media=media, button=row.get("button", "")
    )


def _sender(row: Mapping[str, Any], who: str) -> ChannelIdentity:
    """Return the writer of a row: by their number on WhatsApp and by SMS, by their name on the web."""
    via, proven = Via(row.get("via", Via.WHATSAPP)), row.get("proven", True)
    if via is Via.WHATSAPP:
        user = who.lstrip("+") if who else "nobody"
        return ChannelIdentity(via, f"wa-{user}", who or None, verified=proven)
    return ChannelIdentity(via, who, who if who.startswith("+") else None, verified=proven)


def _mime(name: str) -> str:
    """Return the media type of a scenario's file: a voice message by its extension, else a photo."""
    return "audio/ogg" if name.endswith(".ogg") else "image/jpeg"


def _slot(state: Mapping[str, Any], name: str) -> Slot | None:
    return Slot(state[name], state[name]) if name in state else None


def _issue(row: Mapping[str, Any], conversation_id: str, now: datetime) -> Issue:
    return Issue(
        id=row["id"], turn_id=f"preset-{row['id']}", conversation_id=row.get("conversation", conversation_id),
        tenancy_id=row.get("tenancy", "t1"), property_id=row.get("property", "p-t1"), description=row["description"],
        location=row["location"], category=Category(row.get("category", "other")), urgency=Urgency.ROUTINE,
        photo=PhotoStatus.NONE, created_at=now - timedelta(days=row.get("days_ago", 0), hours=1),
    )  # fmt: skip
