"""Retention: what is older than its organisation keeps it goes, in batches, each with an entry in the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice

from saidonce.foundation.model.conversation import Issue, IssueState
from saidonce.foundation.model.personal_data import DataAct, DataActKind, Expiry
from saidonce.foundation.model.residents import Inbound, Media
from saidonce.foundation.ports.conversations import Conversations
from saidonce.foundation.settings.policy import Settings
from saidonce.repairs.conversation import ConversationDeps, places_of
from saidonce.repairs.personal_data.deps import PersonalDataDeps
from saidonce.repairs.personal_data.redaction import without_person

BATCH = 200
"""Rows of each kind that one transaction changes."""

BY = "retention"
GONE = "no_longer_kept"
"""Why a file is not there."""

_CLOSED = (IssueState.DONE, IssueState.CANCELLED)


@dataclass(frozen=True, slots=True)
class Retention:
    """How many days each kind is kept; 0 keeps it.

    Attributes:
        messages: words of residents and of replies to them.
        media: files; those of open issues stay.
        turns: words of models.
        issues: the personal part of closed issues, from the last move on.
        notices: notices to the landlord.
    """

    messages: int = 0
    media: int = 0
    turns: int = 0
    issues: int = 0
    notices: int = 0


@dataclass(frozen=True, slots=True)
class RetentionReport:
    """What went, or would go in the next batch; `act` is None if nothing did."""

    counts: Mapping[str, int]
    act: DataAct | None = None

    @property
    def n(self) -> int:
        """How much in all."""
        return sum(self.counts.values())


def retention_of(settings: Settings, org: str) -> Retention:
    """Return an organisation's retention: its own days, and those of all for what it does not name."""
    return Retention(**{**settings.keep_days, **settings.org_keep_days.get(org, {})})


def retain(data_deps: PersonalDataDeps, keep: Retention, is_dry_run: bool = False) -> RetentionReport:
    """Let one batch of what is too old go; the same again goes on, until nothing is left.

    Words go, and what is needed to tell a repetition or to follow the order of events stays.
    """
    deps = data_deps.deps
    now = deps.clock.now()
    expiry = Expiry(DataAct(DataActKind.EXPIRED, now, BY, "", why=BY))
    expiry, dropped = _with_media(deps, expiry, keep, now)
    expiry = _with_words(deps, expiry, keep, now)
    counts = {
        "messages": sum(1 for i in expiry.inbounds if not i.text) if keep.messages else 0,
        "replies": len(expiry.outbox), "turns": len(expiry.turns), "issues": len(expiry.issues),
        "notices": len(expiry.notices), "files": len(dropped),
    }  # fmt: skip
    report = RetentionReport(counts)
    has_any = bool(dropped or expiry.inbounds or expiry.outbox or expiry.turns or expiry.issues or expiry.notices)
    if is_dry_run or not has_any:
        return report
    data_deps.files.drop(dropped)
    act = replace(expiry.act, subject=data_deps.chance(12).hex(), counts=tuple(sorted(counts.items())))
    return replace(report, act=deps.store.expire(replace(expiry, act=act)))


_Files = frozenset[str]


def _with_media(deps: ConversationDeps, expiry: Expiry, keep: Retention, now: datetime) -> tuple[Expiry, _Files]:
    if not keep.media:
        return expiry, frozenset()
    store = deps.store
    # A file may have come by another channel of the resident than the issue or the draft that it belongs to, and that
    # channel's identity may have lapsed since.
    conversations = store.conversations(1_000_000)
    who = {c.id: c.tenancy_id or c.id for c in conversations}
    needed = {
        (person, m)
        for i in store.issues()
        if i.state not in _CLOSED and i.media
        for person in (i.tenancy_id, i.conversation_id, *places_of(deps, i))
        for m in i.media
    }
    needed |= {
        (person, m)
        for c in conversations
        for person in (who[c.id], *(part.conversation_id for part in c.told_on))
        for m in c.draft.media
    }
    aged = (
        i
        for i in _aged_media(store, now - timedelta(days=keep.media))
        if not any({(who[i.conversation_id], m.id), (i.conversation_id, m.id)} & needed for m in i.media)
    )
    old = list(islice(aged, BATCH))
    bare = tuple(replace(i, media=tuple(map(_gone, i.media))) for i in old)
    still = _still_named(deps, old)
    dropped = frozenset(name for i in old for m in i.media for name in m.hashes) - still
    return replace(expiry, inbounds=bare), dropped


def _aged_media(store: Conversations, before: datetime) -> Iterator[Inbound]:
    """Yield old messages with files, oldest first; those of open issues hold up none behind them."""
    after = 0
    while page := store.aged_media(before, BATCH, after):
        yield from page
        after = page[-1].seq


def _gone(media: Media) -> Media:
    """Return what is left of a file that is no longer kept."""
    return replace(media, stored=False, sha256="", thumbnail="", original="", apart=GONE)


def _still_named(deps: ConversationDeps, old: list[Inbound]) -> frozenset[str]:
    """Return the files of all messages but some, within their conversations too."""
    ids = sorted({i.conversation_id for i in old})
    going = {i.seq for i in old}
    others = deps.store.files_in_use(ids)
    beside = (i for id_ in ids for i in deps.store.inbounds(id_) if i.seq not in going)
    return others | {name for i in beside for m in i.media for name in m.hashes}


def _with_words(deps: ConversationDeps, expiry: Expiry, keep: Retention, now: datetime) -> Expiry:
    store = deps.store
    if keep.messages:
        before = now - timedelta(days=keep.messages)
        bare = {i.seq: i for i in expiry.inbounds}
        for old in store.aged_inbounds(before, BATCH):
            if not _is_drafted(store, old, now):
                row = bare.get(old.seq, old)
                media = tuple(replace(m, transcript="") for m in row.media)
                bare[old.seq] = replace(row, text="", button="", media=media)
        bare_replies = tuple(replace(m, text="", buttons=()) for m in store.aged_outbox(before, BATCH))
        expiry = replace(expiry, inbounds=tuple(bare.values()), outbox=bare_replies)
    if keep.turns:
        old_turns = store.aged_turns(now - timedelta(days=keep.turns), BATCH)
        expiry = replace(expiry, turns=tuple(replace(t, calls=(), refused=(), shadow="") for t in old_turns))
    if keep.issues:
        expiry = replace(expiry, issues=_old_issues(deps, now - timedelta(days=keep.issues)))
    if keep.notices:
        old_notices = store.aged_notices(now - timedelta(days=keep.notices), BATCH)
        expiry = replace(expiry, notices=tuple(n.dedupe_key for n in old_notices))
    return expiry


def _is_drafted(store: Conversations, inbound: Inbound, now: datetime) -> bool:
    """Return whether a draft that still lives may quote a message, on this channel of its resident or another."""
    of = store.conversation(inbound.conversation_id)
    together = store.conversations_of(of.tenancy_id) if of.tenancy_id else (of,)
    return any(
        0 < c.draft.since <= inbound.seq
        for c in (*together, of)
        if c.draft_expires_at is not None and c.draft_expires_at > now
    )


def _old_issues(deps: ConversationDeps, before: datetime) -> tuple[Issue, ...]:
    store = deps.store
    last = {m.issue_id: m.at for m in store.issue_moves()}
    closed = (i for i in store.issues() if i.state in _CLOSED and last.get(i.id, i.created_at) < before)
    bare = []
    for issue in closed:
        after = replace(without_person(issue, (), keeps_words=False), media=())
        if after != issue:
            bare.append(after)
    return tuple(bare[:BATCH])
