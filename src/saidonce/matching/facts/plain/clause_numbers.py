"""Numbers of clauses, which two texts write in two styles.

"4. Purchase price. The Buyer pays" is "§ 4 Purchase price" over "The Buyer pays", and clauses 4.1, 4.2 and 4.3 in a
row are (a), (b) and (c) under "Article 4".
Both texts have to have all the labels in their order, and none of the clauses may name a label: which clause "3.1" is,
its number says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

_KINDS = (
    r"§|Art\.|Article|Artikel|Art[ií]culo|Articolo|Artigo|Section|Abschnitt|Secci[oó]n|Sezione|Clause|Cl[aá]usula"
    r"|Clausola"
)
_OPEN = r"\s*(?P<mark>\*\*|#{1,6} )?"
_TITLE = r"(?P<title>[A-Z\u00c0-\u00de][^.:;!?*#\n]{1,50})"
_RUN_IN = re.compile(
    rf"{_OPEN}(?P<kind>{_KINDS})?\s?(?P<n>\d{{1,3}})[.)]? {_TITLE}[.:](?:\*\*)?\s+(?=[A-Z\u00c0-\u00de])"
)
_HEADED = re.compile(rf"{_OPEN}(?P<kind>{_KINDS})?\s?(?P<n>\d{{1,3}})[.)]?[ \t]+{_TITLE}(?:\*\*)?[ \t]*\n+(?=\S)")
_ANOTHER = re.compile(rf"(?:\n\W*|[.;:!?]\s+)(?:(?:{_KINDS})\s?)?\d{{1,3}}[.)]? [A-Z\u00c0-\u00de]")


def with_clauses_alike(a: str, b: str) -> tuple[str, str]:
    """Write the numbers of the clauses of two texts in one style where both number the same clauses."""
    if not (_NUMBERED.search(a) and _NUMBERED.search(b)):
        return a, b
    for rule in (_in_one_heading, _in_one_row):
        if (written := rule(a, b)) is not None:
            return written
    return a, b


_NUMBERED = re.compile(r"(?:^|\n|[.;:] )\W*(?:[^\W\d]+\.? )?\(?(?:\d|[a-z]\))")


def _in_one_heading(a: str, b: str) -> tuple[str, str] | None:
    """Write the number and title of the one clause that both texts are as one heading, without the number."""
    heads = [_RUN_IN.match(text) or _HEADED.match(text) for text in (a, b)]
    one, two = heads
    if one is None or two is None or (one["n"], one["title"]) != (two["n"], two["title"]):
        return None
    kinds = {_kind(hit) for hit in (one, two)}
    if len(kinds - {"", "§"}) > 1 or kinds == {""} or _ANOTHER.search(a, one.end()) or _ANOTHER.search(b, two.end()):
        return None
    bodies = (text[hit.end() :] for text, hit in ((a, one), (b, two)))
    title = one["title"]
    first, second = (f"**{title}**\n\n{body}" for body in bodies)
    return first, second


def _kind(hit: re.Match[str]) -> str:
    written = (hit["kind"] or "").casefold()
    return written[:3] if written != "§" else "§"


class _Clauses(NamedTuple):
    """What stands before the first of several labels, their style, their chapter, and the clauses behind them."""

    head: str
    style: str
    chapter: str
    clauses: Sequence[str]


_LABELS: dict[str, tuple[re.Pattern[str], Callable[[int], str]]] = {
    "decimal": (re.compile(r"(?:^|\n|(?<=[.;:!?]) )[ \t]*\d{1,3}\.(\d{1,2})\.?[ \t]+(?=[A-Z\u00c0-\u00de])"), str),
    "letter": (re.compile(r"(?:^|\n|(?<=[.;:!?]) )[ \t]*\(?([a-z])\)[ \t]+(?=\S)"), lambda n: chr(96 + n)),
    "figure": (re.compile(r"(?:^|\n|(?<=[.;:!?]) )[ \t]*\(?(\d{1,2})[.)][ \t]+(?=[A-Z\u00c0-\u00de])"), str),
}
_CHAPTER = re.compile(r"\s*(\d{1,3})\.")
_FEWEST, _MOST = 2, 26
_HEADING_OF = re.compile(rf"\W*(?:(?:{_KINDS})\s?)(\d{{1,3}})[.):]?\W*")
_NAMES_A_CLAUSE = re.compile(
    rf"\b\d{{1,3}}\.\d{{1,2}}\b(?! ?(?:[%\u20ac$\u00a3]|uur|Uhr|am\b|pm\b))|\((?:[a-z]|\d{{1,2}})\)"
    rf"|(?:{_KINDS}|\blit\.|\blid\b|\bpoint|\bPunkt|\bpunto|\bpunt)\s?\(?(?:\d|[a-z]\b)",
    re.IGNORECASE,
)


def _in_one_row(a: str, b: str) -> tuple[str, str] | None:
    """Write the clauses of two texts as numbered lines, where one has decimal numbers and the other has not."""
    one, two = _clauses(a), _clauses(b)
    if one is None or two is None or len(one.clauses) != len(two.clauses):
        return None
    if one.style == two.style or "decimal" not in (one.style, two.style):
        return None
    if any(_NAMES_A_CLAUSE.search(clause) for side in (one, two) for clause in side.clauses):
        return None
    chapter = one.chapter or two.chapter
    heads = [_without_chapter(side.head, chapter) for side in (one, two)]
    if None in heads:
        return None
    first, second = (
        "\n".join((*([head] if head else []), *(f"{n}. {clause}" for n, clause in enumerate(side.clauses, 1))))
        for head, side in zip(heads, (one, two), strict=True)
    )
    return first, second


def _without_chapter(head: str, chapter: str) -> str | None:
    """Return what stands before the clauses without the heading of their chapter; None with that of another one."""
    if re.fullmatch(rf"(?:{_KINDS})", head):
        return ""
    hit = _HEADING_OF.fullmatch(head)
    if hit is None:
        return None if re.search(rf"(?:{_KINDS})\s?\d", head) else head.strip()
    return "" if hit[1] == chapter else None


def _clauses(text: str) -> _Clauses | None:
    """Return the clauses of a text of which all labels of a style stand in their order; None without two of them."""
    for style, (label, name) in _LABELS.items():
        hits = list(label.finditer(text))
        if not _FEWEST <= len(hits) <= _MOST or [h[1] for h in hits] != [name(n) for n in range(1, len(hits) + 1)]:
            continue
        chapters = {m[1] for h in hits if style == "decimal" and (m := _CHAPTER.match(h[0]))}
        ends = [h.start() for h in hits[1:]] + [len(text)]
        clauses = [text[h.end() : end].strip() for h, end in zip(hits, ends, strict=True)]
        if len(chapters) <= 1 and all(clauses) and not any("\n" in clause for clause in clauses):
            return _Clauses(text[: hits[0].start()].strip(), style, "".join(chapters), clauses)
    return None
