"""One issue with everything about it: photos, home, history, limits, what became of the last message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from saidonce.foundation.model.board import IssueMove
from saidonce.foundation.model.conversation import Issue, OutboxMessage, OutboxState
from saidonce.foundation.model.residents import Home, Media
from saidonce.repairs.conversation import ConversationDeps, LimitStanding, places_of, standings


@dataclass(frozen=True, slots=True)
class IssueFile:
    """An issue with everything about it; moves oldest first.

    Attributes:
        sounds: voice messages that it was told by, in the order in which they came.
        told: state of the last message about it to the resident; None without one.
    """

    issue: Issue
    home: Home | None
    photos: tuple[Media, ...]
    sounds: tuple[Media, ...]
    moves: tuple[IssueMove, ...]
    limits: tuple[LimitStanding, ...]
    told: OutboxState | None


def issue_file(deps: ConversationDeps, id: str) -> IssueFile:
    """Return an issue with everything about it.

    Raises:
        NotFoundError: there is none.
    """
    issue = deps.store.issue(id)
    message_id = issue.progress.told.message_id if issue.progress.told is not None else ""
    states = [m.state for m in _outbox(deps, issue) if m.id == message_id] if message_id else []
    return IssueFile(
        issue, deps.store.home(issue.tenancy_id), photos_of(deps, (issue,)).get(issue.id, ()), _sounds(deps, issue),
        deps.store.issue_moves(id), standings(issue, deps.rules, deps.clock.now()), next(iter(states), None),
    )  # fmt: skip


def photos_of(deps: ConversationDeps, issues: Iterable[Issue]) -> Mapping[str, tuple[Media, ...]]:
    """Return the photos of issues, by issue, in the order in which they were added."""
    with_media = [i for i in issues if i.media]
    photos: dict[str, tuple[Media, ...]] = {}
    by_place: dict[tuple[str, str], dict[str, Media]] = {}
    for issue in with_media:
        place = (issue.conversation_id, issue.tenancy_id)
        if place not in by_place:
            by_place[place] = {m.id: m for m in _files(deps, issue) if m.is_photo}
        photos[issue.id] = tuple(by_place[place][id_] for id_ in issue.media if id_ in by_place[place])
    return photos


def _sounds(deps: ConversationDeps, issue: Issue) -> tuple[Media, ...]:
    """Return the voice messages of an issue."""
    sounds = {m.id: m for m in _files(deps, issue) if m.is_voice}
    return tuple(sounds[id_] for id_ in issue.media if id_ in sounds)


def _files(deps: ConversationDeps, issue: Issue) -> list[Media]:
    """Return the files of an issue's conversation, after those of the resident's other channels.

    Where one is missing, a channel that the report came from counts even if its writer has been silent for long since.
    """
    others = (c for c in deps.store.conversations_of(issue.tenancy_id) if c.identity.is_known)
    ids = (*(c.id for c in others if c.id != issue.conversation_id), issue.conversation_id)
    files = [m for id_ in ids for i in deps.store.inbounds(id_) for m in i.media]
    if not set(issue.media) <= {m.id for m in files}:
        lapsed = (id_ for id_ in places_of(deps, issue) if id_ not in ids)
        files = [*(m for id_ in lapsed for i in deps.store.inbounds(id_) for m in i.media), *files]
    return files


def _outbox(deps: ConversationDeps, issue: Issue) -> list[OutboxMessage]:
    return [m for c in deps.store.conversations_of(issue.tenancy_id) for m in deps.store.outbox(c.id)]
