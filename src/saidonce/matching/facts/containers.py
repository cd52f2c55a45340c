"""What holds a thing and how much of it, against the thing made to hold it: "a glass of wine", "a wine glass".

"The handle of the door" is the door handle; what is in a glass is not the glass.
"""

from __future__ import annotations

import re
from functools import cache

from saidonce.foundation.model import Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.lexicon import grammar, word_list
from saidonce.matching.facts.sentence_relations import Places

_DETERMINED = frozenset(
    "the a an this that these those my your his her its our their every each all some any no one which whom".split()
)
"""Behind "of" such a word says whose or of what a thing is a part, and not what is in it."""


def holds_or_is_for(a: str, b: str, language: str) -> Places | None:
    """Return the first "glass of wine" of an English sentence for which the other has a "wine glass"."""
    if language != "en":
        return None
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        held = _held(one)
        contained = dict(_held(two)) if held else {}
        for key, at in held:
            other = _made_for(*key).search(two) if key not in contained else None
            if other is not None:
                return (Span.of(other), at) if is_turned else (at, Span.of(other))
    return None


@remembered(4_096)
def _held(sentence: str) -> tuple[tuple[tuple[str, str], Span], ...]:
    """Return each container with the word for what is in it, both without the ending of several, and where they stand.

    "Two tins of white paint" holds paint.
    """
    hits = _listed().finditer(sentence) if " of " in sentence else ()
    held: list[tuple[tuple[str, str], Span]] = []
    for hit in hits:
        if hit["what"].casefold() in _DETERMINED:
            continue
        for group in ("what", "more"):
            if hit[group] and hit[group].casefold() not in grammar("en").function:
                at = Span(hit.start(), hit.end(group), sentence[hit.start() : hit.end(group)])
                held.append(((_one_of(hit["container"]), _one_of(hit[group])), at))
    return tuple(held)


@cache
def _listed() -> re.Pattern[str]:
    names = "|".join(sorted(word_list("en", "containers"), key=len, reverse=True))
    return re.compile(
        rf"\b(?P<container>(?:{names})(?:e?s)?) of (?P<what>[A-Za-z][\w-]*)(?: (?P<more>[A-Za-z][\w-]*))?",
        re.IGNORECASE,
    )


@remembered(1_024)
def _made_for(container: str, what: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(what)}(?:e?s)?[ -]{re.escape(container)}(?:e?s)?\b", re.IGNORECASE)


def _one_of(word: str) -> str:
    """Return a word without the ending of several: "boxes", "glass", "jars"."""
    small = word.casefold()
    if small in word_list("en", "containers"):
        return small
    return re.sub(r"(?:(?<=[sxz])es|(?<=[cs]h)es|(?<!s)s)$", "", small)


RULES = (holds_or_is_for,)
"""What is looked for in two aligned sentences."""
