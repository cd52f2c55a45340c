"""Stored texts as pages show them: tables and code as such, Markdown safely, everything else to the letter.

All text is hostile. What a document says is escaped; only Markdown that has tables or code is rendered, without any
HTML of its own, and the result passes an allow-list of elements without attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from saidonce.matching.diff import Mark, highlighted

ELLIPSIS = " \N{HORIZONTAL ELLIPSIS}"

_STRUCTURED = re.compile(r"^[ ]{0,3}(?:```|~~~|\|?[ ]*:?-{3,}:?[ ]*\|)", re.MULTILINE)
"""A fence, or the line under the head of a table: whoever writes these means Markdown."""

_MOST_CHARS = 200_000
"""Longer texts are shown to the letter: rendering takes time that grows with what somebody else wrote."""

_ELEMENTS = frozenset(
    "p br em strong del code pre blockquote ul ol li table thead tbody tr th td h1 h2 h3 h4 h5 h6 hr".split()
)

_markdown = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table").disable(["image", "link"])
_markdown.disable(["autolink", "reference"])


def excerpt(text: str, most: int = 160) -> str:
    """Return the beginning of a text on one line, cut between words, with an ellipsis if anything is missing."""
    flat = " ".join(text.split())
    if len(flat) <= most:
        return flat
    kept = flat[: most - len(ELLIPSIS) + 1]
    whole, space, _ = kept.rpartition(" ")
    # Scripts without spaces, and words longer than the excerpt, are cut where it ends.
    beginning = whole if space and len(whole) > most // 2 else kept[:-1]
    return beginning.rstrip(" ,;:") + ELLIPSIS


def rich(text: str, kind: str = "paragraph", words: Iterable[str] = ()) -> Markup:
    """Return a text as HTML: a table or code by its kind, Markdown where it has tables or code, else to the letter.

    Args:
        text: as it is stored.
        kind: of the block, such as "table"; empty where nobody knows, so that rows of cells are shown as a table.
        words: stems that are marked where a text is not rendered as Markdown.
    """
    stems = list(words)
    if "\n" in text and (kind == "table" or (not kind and _is_table(text))):
        return _table(text, stems)
    if kind == "code":
        return Markup("<pre><code>{}</code></pre>").format(_runs(text, stems))
    if _STRUCTURED.search(text) and len(text) <= _MOST_CHARS:
        rendered = _markdown.render(text)
        return Markup('<div class="prose">{}</div>').format(
            Markup(nh3.clean(rendered, tags=set(_ELEMENTS), attributes={}))  # noqa: S704  cleaned by the allow-list
        )
    return Markup('<div class="verbatim">{}</div>').format(_runs(text, stems))


def _is_table(text: str) -> bool:
    """Return whether every line has the same number of cells, two at least."""
    return {line.count(" | ") for line in text.splitlines() if line.strip()} in ({n} for n in range(1, 100))


def _table(text: str, words: list[str]) -> Markup:
    """Return rows of cells parted by bars as a table, the first as its head."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split(" | ")] for line in text.splitlines() if line]
    head, *body = rows
    return Markup("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>").format(
        Markup().join(Markup('<th scope="col">{}</th>').format(_runs(cell, words)) for cell in head),
        Markup().join(
            Markup("<tr>{}</tr>").format(Markup().join(Markup("<td>{}</td>").format(_runs(c, words)) for c in row))
            for row in body
        ),
    )


def _runs(text: str, words: list[str]) -> Markup:
    if not words:
        return escape(text)
    return Markup().join(
        Markup('<mark class="word">{}</mark>').format(run.text) if run.mark is Mark.WORD else escape(run.text)
        for run in highlighted(text, words)
    )
