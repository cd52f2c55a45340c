"""A cause or purpose beside a denial: in front it is why something is not done, behind it may be what is denied."""

from __future__ import annotations

import re
from functools import cache

from saidonce.foundation.model import FactKind, Span
from saidonce.matching.facts.analyse import tokens_of
from saidonce.matching.facts.lexicon import language_table


def denied_cause(a: str, b: str, language: str) -> tuple[Span, Span] | None:
    """Return the cause that stands in front of one denying sentence, and at the end of the other without a comma.

    "Because of the fine he did not resign" says why not; "he did not resign because of the fine" may say that he did.
    """
    cause = _causes(language)
    if cause is None:
        return None
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        front = cause.match(one)
        if front is None or cause.match(two) or not _denies(one, language):
            continue
        behind = next((m for m in cause.finditer(two) if m[0].lower() == front[0].lower()), None)
        if behind is None or two[: behind.start()].rstrip().endswith(","):
            continue
        sides = tuple(Span.of(m) for m in (front, behind))
        return (sides[1], sides[0]) if is_turned else (sides[0], sides[1])
    return None


@cache
def _causes(language: str) -> re.Pattern[str] | None:
    listed = language_table(language).get("standing", {}).get("causes", "")
    return re.compile(rf"(?<!\w)(?:{listed})(?!\w)", re.IGNORECASE) if listed else None


def _denies(sentence: str, language: str) -> bool:
    """Return whether a sentence says that something is not done; "cannot" and "is not" deny no deed."""
    tokens = tokens_of(sentence, language)
    before = [None, *tokens]
    return any(
        token.kind is FactKind.NEGATION
        and token.word != "cannot"
        and not (last is not None and (last.kind is FactKind.MODALITY or last.key == "be"))
        for last, token in zip(before, tokens, strict=False)
    )
