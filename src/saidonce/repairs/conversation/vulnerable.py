"""People who must not wait. Words of a table raise a routine report to urgent, and stand on the issue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from saidonce.foundation.model.conversation import Issue, Urgency
from saidonce.repairs.conversation.acts import SpeechAct, evidence


def raised(issue: Issue, texts: Sequence[str], language: str) -> Issue:
    """Return an issue with the words about vulnerable people in its texts; a routine one becomes urgent by them."""
    because = tuple(dict.fromkeys((*issue.urgent_because, *evidence(SpeechAct.VULNERABLE, texts, language))))
    if not because:
        return issue
    urgency = Urgency.URGENT if issue.urgency is Urgency.ROUTINE else issue.urgency
    return replace(issue, urgency=urgency, urgent_because=because)
