"""What somebody has to do, as a duty and as an order: "gloves must be worn", "wear gloves"."""

from __future__ import annotations

import re
from functools import cache

from saidonce.foundation.model import FactKind
from saidonce.matching.facts.lexicon import language_table, past_forms, stem
from saidonce.matching.facts.settled.sight import Sight

SHARED = 4
"""First letters that an order and the participle of its verb share."""

_FIRST = re.compile(r"[^\w]*(?:[0-9a-z][.)]\s+)?(\w+)")


def bids_alike(sight: Sight) -> bool:
    """Return whether a duty in one sentence is an order in the other: a verb that opens it, or a form that bids.

    Neither denies anything, and the other sentence has no modal verb of its own.
    """
    if not sight.is_lone or sight.objection.kind is not FactKind.MODALITY:
        return False
    if sight.objection.a.text:
        sight = sight.mirrored
    if any(t.kind is FactKind.NEGATION for side in sight.tokens for t in side):
        return False
    if any(t.kind is FactKind.MODALITY for t in sight.tokens[0]):
        return False
    duties = [m for duty in _duties(sight.language) for m in duty.finditer(sight.two.text)]
    return any(m.start() <= sight.at[1].start < m.end() and _bids(sight, m) for m in duties)


def _bids(sight: Sight, duty: re.Match[str]) -> bool:
    """Return whether the first sentence bids the deed of a duty, and of the same thing."""
    text, deed = sight.one.text, duty["deed"].casefold()
    subject = {t.key for t in sight.tokens[1] if t.content and t.end <= sight.at[1].start}
    first = _FIRST.match(text)
    if first is not None and _is_deed_of(first[1].casefold(), deed, sight.language):
        thing = next((t.key for t in sight.tokens[0] if t.content and t.start >= first.end()), "")
        return thing in subject
    forms = [m for bidding in _bidding(sight.language) for m in bidding.finditer(text)]
    things = {t.key for t in sight.tokens[0] if t.content}
    return bool(things & subject) and any(_is_deed_of(m["deed"].casefold(), deed, sight.language) for m in forms)


def _is_deed_of(verb: str, participle: str, language: str) -> bool:
    """Return whether a verb and a participle are of one deed."""
    if language == "en":
        return stem(verb) == stem(participle) or past_forms().get(participle) == verb
    verb, participle = (
        re.sub(r"zu(?=\w{4})|(?<=\w)zu(?=\w{4})|ge(?=\w{3})", "", w, count=1) for w in (verb, participle)
    )
    return verb[:SHARED] == participle[:SHARED]


@cache
def _duties(language: str) -> tuple[re.Pattern[str], ...]:
    return _expressions(language, "duties")


@cache
def _bidding(language: str) -> tuple[re.Pattern[str], ...]:
    return _expressions(language, "bidding")


def _expressions(language: str, name: str) -> tuple[re.Pattern[str], ...]:
    rows = language_table(language).get("relations", {}).get(name, "")
    return tuple(re.compile(row.strip(), re.IGNORECASE) for row in rows.splitlines() if row.strip())
