"""Alterations of a whole paragraph or list: sentences and items reordered, added or removed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeAlias

from saidonce.quality.excerpts import Dice, Meaning, imperatives, listed

Spans: TypeAlias = Sequence[tuple[int, int]]

BlockMaker: TypeAlias = Callable[[str, Spans, Dice], str | None]
"""Returns the altered paragraph, given the places of its sentences, or None where it has nothing to alter."""

_POINTS = re.compile(
    r"(?:This|That|These|Those|It|They|He|She|Then|However|Therefore|Thus|Also|Such|For|In|But|And|So)\b"
)


def _moved_sentence(paragraph: str, spans: Spans, _dice: Dice) -> str | None:
    """Swap the last two sentences, unless either points at the other or both are steps."""
    if len(spans) < 2:
        return None
    (a, b), (c, d) = spans[-2:]
    one, two = paragraph[a:b], paragraph[c:d]
    if _POINTS.match(one) or _POINTS.match(two) or (_is_step(one) and _is_step(two)):
        return None
    return _with_swapped(paragraph, (a, b), (c, d))


def _with_swapped(text: str, first: tuple[int, int], second: tuple[int, int]) -> str:
    (a, b), (c, d) = first, second
    return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]


def _is_step(sentence: str) -> bool:
    return any(imperatives(sentence))


def _last_sentence(paragraph: str, spans: Spans, dice: Dice) -> str | None:
    """Add a sentence that excludes somebody or charges for something."""
    if not spans or spans[-1][1] != len(paragraph):
        return None
    more = listed("last sentences")
    return f"{paragraph} {more[dice.pick(len(more), 'last sentence', paragraph)]}"


LONGEST_ITEM = 12
"""Words of an item that may change places; a longer one is text, which may point at its neighbours."""

_ITEMS = re.compile(r"^(?P<mark>[ \t]*(?:[-*\u2022]|\d{1,2}[.)]) +)(?P<item>\S.*)$", re.MULTILINE)


def _items(paragraph: str, is_numbered: bool) -> list[re.Match[str]]:
    """Return the items of a list of one kind; none for a mixed one."""
    hits = list(_ITEMS.finditer(paragraph))
    return hits if all(h["mark"].strip()[0].isdigit() is is_numbered for h in hits) else []


def _steps(paragraph: str, spans: Spans, dice: Dice) -> str | None:
    """Swap two neighbouring steps: items of a numbered list, or imperative sentences."""
    places = [(h.start("item"), h.end("item")) for h in _items(paragraph, is_numbered=True)]
    both = list(pairwise(places)) or [
        (one, two)
        for one, two in pairwise(spans)
        if _is_step(paragraph[slice(*one)]) and _is_step(paragraph[slice(*two)])
    ]
    return _with_swapped(paragraph, *both[dice.pick(len(both), "step order", paragraph)]) if both else None


def _one_item_more(paragraph: str, _spans: Spans, dice: Dice) -> str | None:
    """Put an item before the last one of a list with bullets."""
    items = _items(paragraph, is_numbered=False)
    if len(items) < 2:
        return None
    more = listed("members")
    new = more[dice.pick(len(more), "list member", paragraph)]
    at = items[-1].start()
    ends = items[0]["item"][-1] if items[0]["item"][-1] in ".;," else ""
    return f"{paragraph[:at]}{items[-1]['mark']}{new[0].upper()}{new[1:]}{ends}\n{paragraph[at:]}"


def one_item_less(paragraph: str) -> str | None:
    """Remove the last item but one from a bulleted list: the original then says more, not less."""
    items = _items(paragraph, is_numbered=False)
    return paragraph[: items[-2].start()] + paragraph[items[-1].start() :] if len(items) > 2 else None


def _item_order(paragraph: str, _spans: Spans, dice: Dice) -> str | None:
    """Swap two neighbouring items of a list with bullets, unless they are steps."""
    items = _items(paragraph, is_numbered=False)
    if any(_is_step(h["item"]) or len(h["item"].split()) > LONGEST_ITEM or h["item"].endswith(":") for h in items):
        return None
    both = list(pairwise((h.start("item"), h.end("item")) for h in items))
    if not both:
        return None
    return _with_swapped(paragraph, *both[dice.pick(len(both), "list order", paragraph)])


BLOCK_MAKERS: dict[Meaning, dict[str, BlockMaker]] = {
    Meaning.CHANGED: {"last sentence": _last_sentence, "step order": _steps, "member added": _one_item_more},
    Meaning.REWRITTEN: {"sentence order": _moved_sentence, "list order": _item_order},
}
"""Every alteration that takes a whole paragraph or list, by its effect on the meaning."""
