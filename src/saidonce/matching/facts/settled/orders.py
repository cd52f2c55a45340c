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


def is_done(sight: Sight) -> bool:
    """Return whether the lone "wird" of a German sentence makes a passive of a participle, and is no future."""
    if sight.language != "de" or not sight.is_lone:
        return False
    if sight.objection.b.text:
        sight = sight.mirrored
    at, text = sight.at[0], sight.one.text
    if at.text.casefold() not in ("wird", "werden"):
        return False
    before, behind = _WORD.findall(text[: at.start]), _WORD.findall(re.split(r"[,;:.]", text[at.end :])[0])
    deed = next((word for word in (*before[-1:], *behind[-1:]) if _PARTICIPLE.fullmatch(word)), None)
    return deed is not None and not _acts(deed, sight.two.text)


def _acts(participle: str, text: str) -> bool:
    """Return whether a sentence has the verb of a participle in another form, so that somebody else may act."""
    root = re.sub(r"^(\w{0,6}?)ge(?=\w{3})", r"\1", participle)[:SHARED]
    return any(word.startswith(root) and word != participle for word in _WORD.findall(text))


_WORD = re.compile(r"[^\W\d_]+")
_PARTICIPLE = re.compile(
    r"(?:ab|an|auf|aus|bei|ein|fest|her|hin|los|mit|nach|um|vor|weg|zu|zurück)?ge\w{2,}(?:t|en)|\w{2,}iert|(?:be|er|ver|ent|zer)\w{2,}t"
)


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
