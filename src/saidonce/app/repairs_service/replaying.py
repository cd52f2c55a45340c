"""A turn, looked up by its id or the beginning of it, replayed in a temporary store."""

from __future__ import annotations

from saidonce.errors import NotFoundError, UsageError
from saidonce.repairs.conversation import ConversationDeps, Replayed, replay

MOST_SEARCHED = 1_000
SHORTEST = 4


def replay_turn(deps: ConversationDeps, turn_id: str) -> Replayed:
    """Replay a turn, and compare it with the stored one; nothing is written and no model is asked.

    Args:
        deps: of the organisation in which the turn was taken.
        turn_id: its id, or the first digits of it.

    Raises:
        NotFoundError: there is no such turn in the conversations heard of last.
        UsageError: several begin like that.
    """
    # Only a replay needs the store in memory; a server that starts does without.
    from saidonce.testing.memory_conversations import MemoryConversations  # noqa: PLC0415

    if len(turn_id) < SHORTEST:
        raise UsageError(f"give at least the first {SHORTEST} digits of the turn's id")
    talks = deps.store.conversations(MOST_SEARCHED)
    matches = [(c.id, t.id) for c in talks for t in deps.store.turns(c.id) if t.id.startswith(turn_id)]
    if len(matches) != 1:
        if matches:
            raise UsageError(f"{len(matches)} turns begin with {turn_id!r}")
        raise NotFoundError("turn", turn_id, "'saidonce conversations show ID' lists them")
    conversation_id, whole = matches[0]
    return replay(deps, whole, conversation_id, MemoryConversations(deps.store.org))
