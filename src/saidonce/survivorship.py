"""Room: blocks as a fold of decisions and a join of members; nothing here is edited in place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from saidonce.model import CAUTION, Activity, Approval, Decision, Golden, Member, Verb
from saidonce.text import digest

_LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Standing:
    """What live decisions say about members, before it is known which of them are there.

    Attributes:
        group_of: a number for each member that a joining decision names; equal for one block's.
        set_aside: members whose text shall not win, with the members before which they stand back.
        approvals: by `member_set`, the last approval of exactly that set.
        owners: by member, the owner that a decision gave it.
        activity: by owner, as the last merge that named them saw it.
        withdrawn: texts of edits that were taken back; they are nobody's.
    """

    group_of: Mapping[str, int] = field(default_factory=dict)
    set_aside: Mapping[str, frozenset[str]] = field(default_factory=dict)
    approvals: Mapping[str, Approval] = field(default_factory=dict)
    owners: Mapping[str, str] = field(default_factory=dict)
    activity: Mapping[str, Activity] = field(default_factory=dict)
    withdrawn: frozenset[str] = frozenset()


def fold(decisions: Iterable[Decision]) -> Standing:
    """Walk live decisions in the order of their numbers; those that are not live do nothing.

    A merge or an edit unites the groups of all members that it names; a split puts the members
    that it names into a group of their own. Leaving a decision out, as a revert does, is folding
    without it.
    """
    groups: dict[str, set[str]] = {}
    set_aside: dict[str, frozenset[str]] = {}
    approvals: dict[str, Approval] = {}
    owners: dict[str, str] = {}
    activity: dict[str, Activity] = {}
    ordered = sorted(decisions, key=lambda d: d.seq)
    withdrawn = frozenset(d.members[0] for d in ordered if d.verb is Verb.EDIT and not d.live)
    for d in (d for d in ordered if d.live):
        if d.verb in (Verb.MERGE, Verb.EDIT):
            _unite(groups, d.members)
            set_aside.update((m, frozenset(d.members[:1])) for m in d.detail.set_aside)
            activity.update((a.owner, a) for a in d.detail.activity)
        elif d.verb is Verb.SPLIT:
            _part(groups, d.members)
        elif d.verb is Verb.APPROVE and d.detail.approval is not None:
            approvals[member_set(d.members)] = d.detail.approval
        elif d.verb is Verb.OWN:
            owners.update((m, d.detail.owner) for m in d.members)
    numbers = {id(group): n for n, group in enumerate(_in_order(groups))}
    return Standing({m: numbers[id(g)] for m, g in groups.items()}, set_aside, approvals, owners, activity, withdrawn)


def member_set(ids: Iterable[str]) -> str:
    """Name a set of members; approval is bound to it."""
    return digest(*sorted(ids))


def groups(standing: Standing, members: Iterable[Member]) -> list[tuple[Member, ...]]:
    """Give live members by block, each block's by id, blocks by their first member."""
    by_group: dict[object, list[Member]] = {}
    there = (m for m in members if m.id not in standing.withdrawn)
    for member in sorted(there, key=lambda m: m.id):
        by_group.setdefault(standing.group_of.get(member.id, member.id), []).append(member)
    return [tuple(group) for group in by_group.values()]


def join(members: Sequence[Member], standing: Standing) -> Golden:
    """Make one block of its live members; the order in which they are given changes nothing.

    The newest text wins, then the higher id, unless a decision set it aside for another member that
    is there; the earliest authored date stays; approval is what this very set of members was given,
    or else the most cautious of its members' own; the owner is who was active last and has not
    left. Source: seed 002, "What survives a merge".

    Args:
        members: at least one, live.
        standing: what the decisions say.
    """
    ordered = tuple(sorted(members, key=lambda m: m.id))
    ids = {m.id for m in ordered}
    standing_back = {m for m in ids if standing.set_aside.get(m, frozenset()) & (ids - {m})}
    running = [m for m in ordered if m.id not in standing_back] or list(ordered)
    winner = max(running, key=lambda m: (m.dated_at, m.id))
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


def set_aside(standing: Standing, aside: Mapping[str, frozenset[str]]) -> Standing:
    """The same with some more members standing back before others, as a merge that chooses a text would have it."""
    return replace(standing, set_aside={**standing.set_aside, **aside})


def _unite(groups: dict[str, set[str]], members: Sequence[str]) -> None:
    whole: set[str] = set()
    for member in members:
        whole |= groups.get(member, {member})
    for member in whole:
        groups[member] = whole


def _part(groups: dict[str, set[str]], members: Sequence[str]) -> None:
    leaving = set(members)
    for member in members:
        groups.get(member, set()).discard(member)
    for member in leaving:
        groups[member] = leaving


def _in_order(groups: Mapping[str, set[str]]) -> list[set[str]]:
    seen: dict[int, set[str]] = {}
    for member in sorted(groups):
        seen.setdefault(id(groups[member]), groups[member])
    return list(seen.values())


def _approval(members: Sequence[Member], standing: Standing) -> Approval:
    given = standing.approvals.get(member_set(m.id for m in members))
    if given is not None:
        return given
    own = [standing.approvals.get(member_set([m.id]), Approval.DRAFT) for m in members]
    return min(own, key=CAUTION.index)


def _owner(members: Sequence[Member], standing: Standing) -> str:
    owners = {standing.owners.get(m.id, m.owner) for m in members} - {""}
    if not owners:
        return ""

    def activity(owner: str) -> tuple[bool, datetime, str]:
        known = standing.activity.get(owner, Activity(owner))
        at = datetime.fromisoformat(known.active_at) if known.active_at else _LONG_AGO
        return not known.left, at, owner

    return max(owners, key=activity)
