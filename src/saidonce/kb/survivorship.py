"""Room: blocks as a fold of decisions and a join of members, never edited in place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from saidonce.foundation.model import CAUTION, Activity, Approval, Decision, Golden, Member, Verb

_LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Standing:
    """Effect of live decisions on members, whether these are stored or not.

    Attributes:
        group_of: a number for each member named by a joining decision; equal for members of one block.
        set_aside: members whose text shall not win, with the members that win over them.
        approvals: sets of members with their approval, oldest first.
        owners: owner assigned by a decision, by member.
        activity: by owner, as recorded by the last merge that named them.
        withdrawn: texts of reverted edits; they belong to no block.
        edits: texts written by people, with the texts that they replace.
    """

    group_of: Mapping[str, int] = field(default_factory=dict)
    set_aside: Mapping[str, frozenset[str]] = field(default_factory=dict)
    approvals: tuple[tuple[frozenset[str], Approval], ...] = ()
    owners: Mapping[str, str] = field(default_factory=dict)
    activity: Mapping[str, Activity] = field(default_factory=dict)
    withdrawn: frozenset[str] = frozenset()
    edits: Mapping[str, frozenset[str]] = field(default_factory=dict)


def fold(decisions: Iterable[Decision]) -> Standing:
    """Apply live decisions in the order of their numbers; others have no effect.

    A merge or an edit unites the groups of all members that it names; a split cuts every group in two:
    the members that it names, and the others. A split never unites members, so that a merge can be
    reverted after it. A revert has the effect of folding without the decision.
    """
    groups: dict[str, set[str]] = {}
    set_aside: dict[str, frozenset[str]] = {}
    approvals: list[tuple[frozenset[str], Approval]] = []
    owners: dict[str, str] = {}
    activity: dict[str, Activity] = {}
    ordered = sorted(decisions, key=lambda d: d.seq)
    withdrawn = frozenset(d.members[0] for d in ordered if d.verb is Verb.EDIT and not d.live)
    for d in (d for d in ordered if d.live):
        if d.verb in (Verb.MERGE, Verb.EDIT):
            _unite(groups, d.members)
            _choose(set_aside, d.members[0], d.detail.set_aside)
            activity.update((a.owner, a) for a in d.detail.activity)
        elif d.verb is Verb.SPLIT:
            _part(groups, frozenset(d.members))
            set_aside = {m: before & groups.get(m, before) for m, before in set_aside.items()}
        elif d.verb is Verb.APPROVE and d.detail.approval is not None:
            approvals.append((frozenset(d.members), d.detail.approval))
        elif d.verb is Verb.OWN:
            owners.update((m, d.detail.owner) for m in d.members)
    numbers = {id(group): n for n, group in enumerate(_in_order(groups))}
    group_of = {m: numbers[id(g)] for m, g in groups.items()}
    edits = {d.members[0]: frozenset(d.members[1:]) for d in ordered if d.verb is Verb.EDIT and d.live}
    return Standing(group_of, set_aside, tuple(approvals), owners, activity, withdrawn, edits)


def groups(standing: Standing, members: Iterable[Member]) -> list[tuple[Member, ...]]:
    """Return live members by block, each block's by id, blocks by their first member.

    A text written in place of texts that are all gone is left out with them.
    """
    by_group: dict[object, list[Member]] = {}
    stored = [m for m in members if m.id not in standing.withdrawn]
    ids = {m.id for m in stored}
    for member in sorted(stored, key=lambda m: m.id):
        by_group.setdefault(standing.group_of.get(member.id, member.id), []).append(member)
    return [tuple(group) for group in by_group.values() if any(_is_supported(m.id, standing, ids) for m in group)]


def _is_supported(id_: str, standing: Standing, stored: Set[str]) -> bool:
    """Return whether a text is a document's own, or written in place of one that is stored."""
    seen: set[str] = set()
    to_see = [id_]
    while to_see:
        each = to_see.pop()
        if each not in standing.edits:
            if each in stored:
                return True
        elif each not in seen:
            seen.add(each)
            to_see += standing.edits[each]
    return False


def join(members: Sequence[Member], standing: Standing) -> Golden:
    """Build one block from its live members, in whatever order.

    The newest text wins, ties by the higher id, unless a decision set it, or an equal text, aside for
    another stored member. Of equal texts, one that a mail quotes does not win over the one that it quotes. The
    earliest authored date stays. The approval is the most cautious one of the approved sets that make up this
    block; a later set replaces those inside it. The owner is the one who was active last and has not left.
    Source: seed 002, "What survives a merge".

    Args:
        members: at least one, live.
        standing: what the decisions say.
    """
    ordered = tuple(sorted(members, key=lambda m: m.id))
    ids = {m.id for m in ordered}
    standing_back = {
        m.segment.content_hash for m in ordered if standing.set_aside.get(m.id, frozenset()) & (ids - {m.id})
    }
    running = [m for m in ordered if m.segment.content_hash not in standing_back] or list(ordered)
    newest = max(running, key=lambda m: (m.dated_at, m.id))
    equal = [m for m in running if m.segment.content_hash == newest.segment.content_hash]
    winner = max(equal, key=lambda m: (not _is_quoted(m), m.dated_at, m.id))
    dates = [m.authored_at for m in ordered if m.authored_at is not None]
    return Golden(
        id=winner.id,
        members=ordered,
        salience=max(m.salience for m in ordered),
        boost=max(m.boost for m in ordered),
        authored_at=min(dates, default=None),
        approval=_approval(ordered, standing),
        owner=_owner(ordered, standing),
    )


def _is_quoted(member: Member) -> bool:
    return member.segment.place is not None and member.segment.place.is_quoted


def set_aside(standing: Standing, aside: Mapping[str, frozenset[str]]) -> Standing:
    """Return the standing with some more members set aside for others, as after a merge that chooses a text."""
    return replace(standing, set_aside={**standing.set_aside, **aside})


def _unite(groups: dict[str, set[str]], members: Sequence[str]) -> None:
    whole: set[str] = set()
    for member in members:
        whole |= groups.get(member, {member})
    for member in whole:
        groups[member] = whole


def _part(groups: dict[str, set[str]], leaving: frozenset[str]) -> None:
    for group in {id(g): g for m in leaving if (g := groups.get(m)) is not None}.values():
        for part in (group & leaving, group - leaving):
            for member in part:
                groups[member] = part
    for member in leaving - groups.keys():
        groups[member] = {member}


def _choose(set_aside: dict[str, frozenset[str]], chosen: str, losers: Sequence[str]) -> None:
    """Let a text win over others; an earlier choice the other way round no longer counts."""
    for loser in losers:
        set_aside[loser] = set_aside.get(loser, frozenset()) | {chosen}
    if losers and chosen in set_aside:
        set_aside[chosen] -= frozenset(losers)


def _in_order(groups: Mapping[str, set[str]]) -> list[set[str]]:
    seen: dict[int, set[str]] = {}
    for member in sorted(groups):
        seen.setdefault(id(groups[member]), groups[member])
    return list(seen.values())


def _approval(members: Sequence[Member], standing: Standing) -> Approval:
    ids = frozenset(m.id for m in members)
    latest: list[tuple[frozenset[str], Approval]] = []
    for group, approval in reversed([entry for entry in standing.approvals if entry[0] <= ids]):
        if not any(group <= later for later, _ in latest):
            latest.append((group, approval))
    if not ids <= frozenset().union(*(group for group, _ in latest)):
        return Approval.DRAFT
    return min((approval for _, approval in latest), key=CAUTION.index)


def _owner(members: Sequence[Member], standing: Standing) -> str:
    owners = {standing.owners.get(m.id, m.owner) for m in members} - {""}
    if not owners:
        return ""

    def activity(owner: str) -> tuple[bool, datetime, str]:
        known = standing.activity.get(owner, Activity(owner))
        at = datetime.fromisoformat(known.active_at) if known.active_at else _LONG_AGO
        return not known.left, at, owner

    return max(owners, key=activity)
