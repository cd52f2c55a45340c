"""Texts of notices: the merges, the flags that wait for a person, and links to both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from saidonce.foundation.context import Context
from saidonce.foundation.model import Decision, Member, Notice, Verb
from saidonce.foundation.ports.sending import Message
from saidonce.foundation.text import one_line

MOST_LISTED = 100
"""Decisions listed one by one; the rest are counted, with a link to the list of all."""

SNIPPET = 120


@dataclass(frozen=True, slots=True)
class _NotifiedDecision:
    decision: Decision
    what: str
    into: str
    link: str


def render_notice(context: Context, notice: Notice, decisions: Sequence[Decision]) -> Message:
    """Render a notice, with the blocks as they are now."""
    shown = [_row(context, d) for d in decisions[:MOST_LISTED]]
    n_merges = sum(d.verb is Verb.MERGE for d in decisions)
    n_flags = len(decisions) - n_merges
    counts = " and ".join(
        f"{n} {words}" for n, words in ((n_merges, "merged"), (n_flags, "waiting for a decision")) if n
    )
    subject = f"saidonce: {counts} ({one_line(context.store.org)})"
    return Message(
        notice=notice.id,
        org=context.store.org,
        made_at=notice.made_at,
        subject=subject,
        text=_text(context, counts, shown, decisions),
        fields={
            "notice": notice.id,
            "org": context.store.org,
            "made_at": notice.made_at.isoformat(),
            "subject": subject,
            "n_merges": n_merges,
            "n_flags": n_flags,
            "n_more": len(decisions) - len(shown),
            "all_url": _all(context, decisions),
            "decisions": [
                {
                    "decision": t.decision.seq, "verb": t.decision.verb.value, "at": t.decision.at.isoformat(),
                    "because": t.decision.detail.because, "what": t.what, "into": t.into, "url": t.link,
                }
                for t in shown
            ],
        },
    )  # fmt: skip


def _text(context: Context, counts: str, shown: Sequence[_NotifiedDecision], decisions: Sequence[Decision]) -> str:
    lines = [f"Since the last notice: {counts}.", ""]
    for title, verb, how in (
        ("Merged automatically; the link splits them again:", Verb.MERGE, "  into:  "),
        ("Waiting for a decision:", Verb.FLAG, "  or is it:  "),
    ):
        if chosen := [t for t in shown if t.decision.verb is verb]:
            lines += [title, ""]
            for t in chosen:
                lines += [f"* {t.what}", f"{how}{t.into}", f"  {t.link or _command(t)}", ""]
    if n_more := len(decisions) - len(shown):
        lines += [f"And {n_more} more; all of them: {_all(context, decisions) or 'saidonce decisions'}", ""]
    return "\n".join(lines)


def _all(context: Context, decisions: Sequence[Decision]) -> str:
    """Return the link to the list of all, the last of the decisions first."""
    return _page(context, f"feed?before={decisions[-1].seq + 1}")


def _row(context: Context, decision: Decision) -> _NotifiedDecision:
    named = decision.members[:2]
    members = context.store.ledger.members(named)
    what, into = (_passage(members.get(id_)) for id_ in (*named, "", "")[:2])
    page = f"blocks/{named[-1]}" if decision.verb is Verb.MERGE else "queue"
    return _NotifiedDecision(decision, what, into, _page(context, page))


def _passage(member: Member | None) -> str:
    if member is None:
        return "a text whose document was removed"
    words = one_line(member.segment.text)
    cut = words if len(words) <= SNIPPET else words[: SNIPPET - 1].rstrip() + "…"
    return f"\N{LEFT DOUBLE QUOTATION MARK}{cut}\N{RIGHT DOUBLE QUOTATION MARK} ({one_line(member.document)})"


def _page(context: Context, path: str) -> str:
    home = context.settings.public_url.rstrip("/")
    return f"{home}/{path}" if home else ""


def _command(row: _NotifiedDecision) -> str:
    return f"saidonce why {row.decision.members[-1]}"
