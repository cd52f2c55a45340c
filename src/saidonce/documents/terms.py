"""Find the items of a list of terms with descriptions, such as the options of a program."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BULLET = re.compile(r"- (\S.*)")
_SENTENCE = re.compile(r"[.!?:;,]$")
MOST_TERM = 200
"""Characters of the longest first line of an item that is taken for a term."""

LEAST_TERMS = 3
LEAST_SHARE = 0.75
"""Share of described terms among the items that are no lone term, so that a list is read as one of terms."""

MOST_TERMS = 4
"""Terms for one description, on average."""


def described_terms(text: str) -> list[tuple[int, int]]:
    """Return where each described term of a list begins and ends, in order; empty for any other list.

    Terms without a description of their own share the next one; the last ones belong to the item before. A term is a
    short line that ends like no sentence and introduces nothing; what is described stands deeper below it.
    """
    groups = list(_items(text))
    terms = [text[start:end] for start, end in groups if _has_term(text[start:end])]
    described = sum("\n" in term for term in terms)
    others = len(groups) - len(terms)
    is_of_terms = described >= (described + others) * LEAST_SHARE and len(terms) <= described * MOST_TERMS
    if described < LEAST_TERMS or not is_of_terms:
        return []
    joined: list[tuple[int, int]] = []
    first: int | None = None
    for start, end in groups:
        first = start if first is None else first
        if "\n" in text[start:end]:
            joined.append((first, end))
            first = None
    return [*joined[:-1], (joined[-1][0], len(text))]


def term_of(text: str) -> str:
    """Return the lines with the term of a passage that is one described term; empty for any other passage."""
    groups = [text[start:end] for start, end in _items(text)]
    terms = [group.removeprefix("- ").partition("\n") for group in groups]
    if (
        not terms
        or not all(map(_has_term, groups))
        or [bool(rest) for *_, rest in terms] != [False] * (len(terms) - 1) + [True]
    ):
        return ""
    return "\n".join(term for term, *_ in terms)


def _items(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each item of the least depth begins and ends; nothing if some line of that depth is no bullet."""
    starts = [0, *(match.end() for match in re.finditer(r"\n(?=[^ \n])", text))]
    if not all(_BULLET.match(text, start) for start in starts):
        return
    yield from zip(starts, [*(start - 1 for start in starts[1:]), len(text)], strict=True)


def _has_term(item: str) -> bool:
    """Return whether an item begins with a line that is a term."""
    term = item.removeprefix("- ").partition("\n")[0].rstrip()
    return len(term) <= MOST_TERM and not _SENTENCE.search(term)
