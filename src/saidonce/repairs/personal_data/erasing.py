"""Erasing a person: their words, files and names go; what the landlord must keep of an issue stays, nameless.

found -> planned (a dry run ends here) -> files dropped -> everything else in one transaction, with its entry in the log
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from saidonce.foundation.model.conversation import Conversation, Issue, OutboxState
from saidonce.foundation.model.personal_data import DataAct, DataActKind, Erasure
from saidonce.foundation.model.residents import ChannelIdentity, Home, Inbound, InboundKind, Media, Resident
from saidonce.foundation.ports.sending import Chance
from saidonce.repairs.conversation import ConversationDeps
from saidonce.repairs.personal_data.deps import PersonalDataDeps
from saidonce.repairs.personal_data.people import EVERY, Belongings, find_person
from saidonce.repairs.personal_data.redaction import without_person

NAME_BYTES = 12
ERASED = "erased"
FAREWELL = timedelta(minutes=10)
"""Longest wait for the last message to a resident to go out before everything about them goes."""

ASKED_BY_LANDLORD, ASKED_BY_RESIDENT = "asked_by_landlord", "asked_by_resident"


@dataclass(frozen=True, slots=True)
class ErasureOptions:
    """What stays of issues, and why the rest goes.

    Attributes:
        keeps_photos: photos of issues stay, apart from everything else that was sent.
        keeps_words: what issues say stays, but for sentences that name the person.
        why: machine-readable, for the log.
    """

    keeps_photos: bool = False
    keeps_words: bool = True
    why: str = ASKED_BY_LANDLORD


@dataclass(frozen=True, slots=True)
class ErasureReport:
    """What was erased, or would be.

    Attributes:
        counts: how much of each kind.
        others: conversations with the same number that belong to somebody else and stay.
        act: its entry in the log; None of a dry run.
    """

    subject: str
    counts: Mapping[str, int]
    others: tuple[str, ...]
    act: DataAct | None = None


@dataclass(frozen=True, slots=True)
class PlannedErasure:
    """An erasure with the files that go."""

    erasure: Erasure
    files: frozenset[str]
    others: tuple[str, ...]


def erase_person(
    data_deps: PersonalDataDeps, who: str, by: str, options: ErasureOptions | None = None, is_dry_run: bool = False
) -> ErasureReport:
    """Erase everything about a person; after a crash in between the same again ends it.

    Args:
        data_deps: of the organisation.
        who: id of a resident, a phone number, or the id of a conversation; see `find_person`.
        by: who does it, for the log.

    Raises:
        NotFoundError: nothing is kept about such a person.
        UsageError: several residents have the number.
    """
    store = data_deps.deps.store
    planned = plan_erasure(data_deps, find_person(store, who), by, options or ErasureOptions())
    act = planned.erasure.act
    if is_dry_run:
        return ErasureReport(act.subject, dict(act.counts), planned.others)
    # Files first: whoever is interrupted finds the rows, and begins again.
    data_deps.files.drop(planned.files)
    return ErasureReport(act.subject, dict(act.counts), planned.others, store.erase(planned.erasure))


def plan_erasure(data_deps: PersonalDataDeps, person: Belongings, by: str, options: ErasureOptions) -> PlannedErasure:
    """Return what erasing a person writes, without writing anything."""
    now, names = data_deps.deps.clock.now(), _Names(data_deps.chance)
    homes = _nameless_homes(person, names, now)
    shells = {
        c.id: _shell(c, names, homes)
        for c in person.conversations
        if any(i.conversation_id == c.id for i in person.issues)
    }
    photos = _kept_photos(person, shells, names) if options.keeps_photos else {}
    issues = tuple(_kept_issue(i, person, (shells, homes, photos), names, options) for i in person.issues)
    gone = {name for m in person.media for name in m.hashes}
    in_use = data_deps.deps.store.files_in_use([c.id for c in person.conversations])
    stays = {name for photo in photos.values() for m in photo.media for name in m.hashes}
    dropped = frozenset(gone - in_use - stays)
    act = DataAct(DataActKind.ERASED, now, by, names.new(), _counts(person, dropped, stays), options.why)
    erasure = Erasure(
        tuple(c.id for c in person.conversations), tuple(r.id for r in person.residents),
        tuple(h.tenancy.id for h in person.homes), tuple(shells.values()), tuple(homes.values()), issues,
        tuple(photos.values()), act,
    )  # fmt: skip
    return PlannedErasure(erasure, dropped, person.others)


def erase_confirmed(data_deps: PersonalDataDeps) -> int:
    """Erase whoever asked for it in a conversation and said yes, once the last reply is out; return how many.

    Only an organisation whose setting lets it happen at once has such conversations.
    """
    deps = data_deps.deps
    now = deps.clock.now()
    asked = [c for c in deps.store.conversations(EVERY) if c.erasure_confirmed_at is not None]
    ready = [c for c in asked if _is_reply_sent(deps, c) or now - (c.erasure_confirmed_at or now) >= FAREWELL]
    for of in ready:
        home = deps.store.home(of.tenancy_id) if of.tenancy_id else None
        is_known = of.identity.is_known
        who = home.resident.id if home is not None and is_known else of.id
        erase_person(data_deps, who, "resident", ErasureOptions(why=ASKED_BY_RESIDENT))
    return len(ready)


def _is_reply_sent(deps: ConversationDeps, of: Conversation) -> bool:
    waiting = (OutboxState.QUEUED, OutboxState.SENDING, OutboxState.UNKNOWN)
    return not any(m.state in waiting for m in deps.store.outbox(of.id))


class _Names:
    """Random names, so that nothing of what stays can be computed from a number."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance

    def new(self) -> str:
        """Return one that was never given."""
        return f"{ERASED}-{self._chance(NAME_BYTES).hex()}"


def _nameless_homes(person: Belongings, names: _Names, now: datetime) -> dict[str, Home]:
    """Return a nameless home for each tenancy that an issue is about, by the tenancy's former id."""
    needed = {i.tenancy_id for i in person.issues}
    nameless: dict[str, Home] = {}
    for home in person.homes:
        if home.tenancy.id not in needed:
            continue
        resident = Resident(names.new(), ERASED)
        ends_at = min(home.tenancy.ends_at or now, now)
        tenancy = replace(home.tenancy, id=names.new(), resident_id=resident.id, ends_at=ends_at)
        nameless[home.tenancy.id] = Home(tenancy, home.property, resident)
    return nameless


def _shell(of: Conversation, names: _Names, homes: Mapping[str, Home]) -> Conversation:
    """Return an empty conversation of nobody that issues can point to."""
    home = homes.get(of.tenancy_id)
    sender = ChannelIdentity(of.sender.via, names.new(), None, verified=False)
    return Conversation(names.new(), sender, of.number_id, of.started_at, tenancy_id=home.tenancy.id if home else "")


def _kept_photos(person: Belongings, shells: Mapping[str, Conversation], names: _Names) -> dict[str, Inbound]:
    """Return the photos of issues as messages without words, by the id of each file."""
    photo_keys = {(i.conversation_id, media_id) for i in person.issues for media_id in i.media}
    photos: dict[str, Inbound] = {}
    for inbound in person.inbounds:
        for media in inbound.media:
            shell = shells.get(inbound.conversation_id)
            # A voice is a person: of what issues hold, pictures and films alone may stay.
            if shell is None or not media.is_photo or (inbound.conversation_id, media.id) not in photo_keys:
                continue
            bare = Media(media.sha256, media.mime, media.sha256, True, media.thumbnail, apart=media.apart)
            photos[media.id] = Inbound(
                shell.sender, shell.number_id, names.new(), InboundKind.MEDIA, inbound.sent_at, inbound.received_at,
                media=(bare,), conversation_id=shell.id, scanned=True,
            )  # fmt: skip
    return photos


_Kept = tuple[Mapping[str, Conversation], Mapping[str, Home], Mapping[str, Inbound]]


def _kept_issue(
    issue: Issue, person: Belongings, kept: _Kept, names: _Names, options: ErasureOptions
) -> Issue:  # fmt: skip
    shells, homes, photos = kept
    media: Sequence[str] = tuple(photos[m].media[0].id for m in issue.media if m in photos)
    shell, home = shells.get(issue.conversation_id), homes.get(issue.tenancy_id)
    return replace(
        without_person(issue, person.names, options.keeps_words), media=tuple(media), turn_id=names.new(),
        conversation_id=shell.id if shell else issue.conversation_id,
        tenancy_id=home.tenancy.id if home else issue.tenancy_id,
    )  # fmt: skip


def _counts(person: Belongings, dropped: frozenset[str], stays: set[str]) -> tuple[tuple[str, int], ...]:
    counted = Counter(
        residents=len(person.residents), tenancies=len(person.homes), conversations=len(person.conversations),
        messages=len(person.inbounds), replies=len(person.outbox), turns=len(person.turns),
        model_calls=sum(len(t.calls) for t in person.turns), emergencies=len(person.events),
        notices=len(person.notices), files=len(dropped), files_kept=len(stays), issues_kept=len(person.issues),
    )  # fmt: skip
    return tuple(sorted(counted.items()))
