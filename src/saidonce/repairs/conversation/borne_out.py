"""Whether a model's sentence says only what a document's passage says: days, times, names and negations too."""

from __future__ import annotations

import re
from collections.abc import Sequence

from saidonce.foundation.model import Candidate, FactKind, Objection
from saidonce.foundation.model.conversation import Passage
from saidonce.foundation.text import content_hash, normalise, sentences, words
from saidonce.matching import facts
from saidonce.matching.agreement import Agreement, agreement
from saidonce.matching.guards import adds_nothing, fact_guard, no_new_figures, same_code, same_grammar, same_order

_GUARDS = (fact_guard, same_order, same_code, same_grammar, adds_nothing, no_new_figures)
_MAY_BE_LEFT_OUT = frozenset((FactKind.NUMBER, FactKind.DATE, FactKind.NAME, FactKind.TERM))
"""What a sentence may leave out of its passage without saying another thing; a negation or a condition is none."""

MOST_AROUND_LINK = 8
"""Words around a link: more of them state something of their own."""

_TAG = re.compile(r"</?\w[^>]{0,80}>")
_NO_CLAIM = re.compile(
    r"^(?:no problem|of course|sure|certainly|great|good question|ok|okay|yes|no)$"
    r"|^(?:hi|hello|hey|thanks?|thank you|you're welcome|sorry|happy to help|glad|have a (?:nice|good|lovely))\b"
    r"[^.;:,]{0,40}$"
    r"|\b(?:i|we) (?:don't|do not|can't|cannot|am not|'m not|are not) (?:know|say|sure|certain|have (?:that|any|this)"
    r"|find|tell|answer)\b|\bi'm not (?:sure|certain)\b"
    r"|\b(?:documents?|information) (?:do(?:es)? not|doesn't|don't) (?:say|answer)"
    r"|^(?:please )?(?:let me know|tell me|just ask|feel free)\b"
    r"|^please (?:ask|contact|check with) (?:your|the) (?:landlord|team)\b[^;:]{0,40}$"
)
_GOES_ON = re.compile(r"\b(?:but|however|although|except|because)\b")


def makes_no_claim(sentence: str) -> bool:
    """Return whether a sentence states nothing of the home or its rules: a courtesy, a question, or not knowing."""
    plain = normalise(sentence).strip(" .!")
    if any(c.isdigit() for c in plain):
        return False
    says_nothing = _NO_CLAIM.search(plain) is not None and not _GOES_ON.search(plain.replace("but i can ask", ""))
    return sentence.rstrip().endswith("?") or says_nothing


def names_link(sentence: str, may_link: Sequence[str]) -> bool:
    """Return whether a sentence only points to a link or a number that the organisation allows."""
    link = next((a for a in may_link if a and a in sentence), "")
    if not link:
        return False
    around = [w for part in sentence.split() if link not in part for w in words(part)]
    return not any(c.isdigit() for w in around for c in w) and len(around) <= MOST_AROUND_LINK


def bearing_passage(sentence: str, passages: Sequence[Passage]) -> Passage | None:
    """Return the first passage that accounts for all that a sentence states; None if none does."""
    for passage in passages:
        plain = " ".join(_TAG.sub(" ", passage.text).split())
        windows = dict.fromkeys((*(s.text for s in sentences(plain)), plain))
        if any(_accounts_for(window, sentence) for window in windows):
            return passage
    return None


def _accounts_for(source: str, sentence: str) -> bool:
    a, b = (Candidate(t, content_hash(t), language="en") for t in (sentence, source))
    if not set(words(sentence)) & set(words(source)):
        return False
    if agreement(a, b).agreement in (Agreement.SAME, Agreement.REPEATS_B):
        return True
    objections = [o for guard in _GUARDS for o in guard(a, b)]
    is_whole = facts.figures(sentence, "en") == facts.figures(source, "en")
    return all(_may_stand(o, is_whole) for o in objections)


def _may_stand(o: Objection, is_whole: bool) -> bool:
    """Return whether an objection only says that the passage says more, or the same figures in another order."""
    if o.kind is FactKind.ROLE:
        return is_whole
    return o.kind in _MAY_BE_LEFT_OUT and not o.a.text
