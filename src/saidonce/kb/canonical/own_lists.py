"""Room: what belongs to the heading it stands under: pages that a page leads to, attributes of an entry, its age."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from types import MappingProxyType

MOST_WORDS = 8
"""Of an item that names a page; a longer one says something of it."""

FEWEST_ATTRIBUTES = 2
"""Lines of a list of attributes; a single one may be a sentence with a colon."""

MOST_OF_LABEL = 3
"""Words of a label."""

_BULLET = re.compile(r"^\s*(?:[-*\u2022]\s+)?(?=\S)")
_NUMBER = re.compile(r"(?:(?:[A-Z]\.)?\d+(?:\.\d+)*[.:)]?)\s+(?=[^\W\d])")
_SECTION = re.compile(r"\(\d[a-z]{0,3}\)")
_MANUALS = re.compile(r"[\w.+-]+\(\d[a-z]{0,3}\)(?:, [\w.+-]+\(\d[a-z]{0,3}\))*\.?")
"""Names of pages of manuals with their sections, in one line: "pump(8), tank.conf(5)."."""

_SENTENCE = re.compile(r"[.!?;:\u3002\uff01\uff1f](?:\s|$)")
_ATTRIBUTE = re.compile(r"(?P<label>[^\W\d_][^:\n]*): (?P<value>\S.*)")
_LITERAL = re.compile(r"(?!\d)[a-z0-9]+(?:[-_.][a-z0-9]+)*")


@cache
def _names() -> Mapping[str, frozenset[str]]:
    written = files("saidonce.kb.canonical").joinpath("own_lists.toml").read_text("utf-8")
    tables = tomllib.loads(written).items()
    return MappingProxyType({use: frozenset(w.replace("_", " ") for w in words.split()) for use, words in tables})


def is_name_of_contents(line: str) -> bool:
    """Return whether a line is the title of a list of contents: "List of Figures"."""
    return _plain(line) in _names()["contents"] | _names()["of_one_kind"]


def is_name_of_steps(line: str) -> bool:
    """Return whether what stands under a heading may be pages, or what somebody has to do: "Next steps"."""
    return _plain(line) in _names()["next"]


def is_name_of_all(line: str) -> bool:
    """Return whether a line is the title of the contents of a whole book; there may be a list of tables in a hall."""
    return _plain(line) in _names()["contents"]


def are_related_pages(headings: tuple[str, str], texts: tuple[str, str]) -> bool:
    """Return whether two lists each name the pages that their own page leads to, and nothing else.

    An item with a figure, or a sentence, may state something that the other list contradicts.

    Args:
        headings: right over each.
        texts: of both.
    """
    is_under = all(_plain(heading) in _names()["related"] or is_name_of_steps(heading) for heading in headings)
    return is_under and all(
        _MANUALS.fullmatch(line) or _is_name_of_page(line) for text in texts for line in _lines(text)
    )


def are_attributes_of_two(
    paths: tuple[Sequence[str], Sequence[str]], texts: tuple[str, str], *, is_one_document: bool
) -> bool:
    """Return whether two lists of values under labels are those of two entries that stand beside each other.

    "Default: true" of one setting contradicts no "Default: false" of another one. The headings over the entries are
    the same but for the last. In one document its author lists them side by side; on two pages the headings have to
    be literal names, of which no two are written for one thing.

    Args:
        paths: the headings over each list, the nearest last.
        texts: of both.
        is_one_document: whether one document has both.
    """
    mine, theirs = ([_plain(heading) for heading in path] for path in paths)
    if len(mine) < 2 or len(theirs) < 2 or mine[-2] != theirs[-2] or mine[-1] == theirs[-1]:
        return False
    labels = [_labels(text) for text in texts]
    if not all(labels) or labels[0] != labels[1]:
        return False
    if is_one_document:
        return mine == [*theirs[:-1], mine[-1]]
    return all(_LITERAL.fullmatch(path[-1].strip()) is not None for path in paths)


def _labels(text: str) -> tuple[str, ...]:
    """Return the labels of a list of attributes; empty if a line is none, or if there are too few."""
    hits = [_ATTRIBUTE.fullmatch(line) for line in _lines(text)]
    labels = tuple(hit["label"].casefold() for hit in hits if hit and len(hit["label"].split()) <= MOST_OF_LABEL)
    return labels if len(labels) == len(hits) and len(labels) >= FEWEST_ATTRIBUTES else ()


def _is_name_of_page(line: str) -> bool:
    name = _SECTION.sub("", line)
    is_address = "://" in name and len(name.split()) == 1
    has_figure = any(c.isdigit() for c in name) and not is_address
    return len(name.split()) <= MOST_WORDS and not has_figure and not _SENTENCE.search(name)


def _lines(text: str) -> list[str]:
    return [_BULLET.sub("", line).strip() for line in text.splitlines() if line.strip()]


def _plain(heading: str) -> str:
    """Return a heading in small letters, without its number and the colon behind it."""
    line = " ".join(heading.split()).rstrip(":.\u2026").replace("\u2019", "'").casefold().strip()
    return _NUMBER.sub("", line, count=1)


def are_rows_of_two(
    paths: tuple[Sequence[str], Sequence[str]], texts: tuple[str, str], *, is_one_document: bool, **shown: bool
) -> bool:
    """Return whether two tables of one row, with the same columns, each describe the entry whose name is over them.

    "Default: 0" of MaxLength contradicts no "Default: 2" of Ratio. Under one heading of one document two headings name
    two entries. Elsewhere both are one word, one of them a literal name, or each is one of many that their own page
    describes in this form; and they are not alike, but for one with parts of names more that both editions have:
    "Interval", "RateLimit.Interval". Then they are no two ways to name one thing.

    Args:
        paths: the headings over each table, the nearest last.
        texts: of both, a row a line.
        is_one_document: whether one document has both.
        shown: `are_kept`, whether both editions have both entries; `are_of_many`, whether each is one of many.
    """
    rows = [[line.strip() for line in text.splitlines() if line.strip()] for text in texts]
    is_form = all(len(each) == _FORM and "|" in each[0] for each in rows) and rows[0][0] == rows[1][0]
    return is_form and _name_two_entries(paths, is_one_document=is_one_document, **shown)


def are_ages_of_two(
    paths: tuple[Sequence[str], Sequence[str]], texts: tuple[str, str], *, is_one_document: bool, are_kept: bool = False
) -> bool:
    """Return whether two passages say since which version the entry over each exists, and nothing else.

    Args:
        paths: the headings over each, the nearest last.
        texts: of both.
        is_one_document: whether one document has both.
        are_kept: whether both editions have both entries.
    """
    leads = [_VERSION.sub("", " ".join(text.split())).casefold() for text in texts]
    is_age = all(lead.strip() in _names()["since"] for lead in leads)
    return is_age and _name_two_entries(paths, is_one_document=is_one_document, are_kept=are_kept)


def _name_two_entries(
    paths: tuple[Sequence[str], Sequence[str]],
    *,
    is_one_document: bool,
    are_kept: bool = False,
    are_of_many: bool = False,
) -> bool:
    if not all(paths):
        return False
    one, other = (_plain(path[-1]) for path in paths)
    if one == other:
        return False
    names = [_NUMBER.sub("", path[-1].strip()) for path in paths]
    if is_one_document and list(map(_plain, paths[0][:-1])) == list(map(_plain, paths[1][:-1])):
        return True
    is_alike = one[:_ALIKE] == other[:_ALIKE] or one in other or other in one
    is_alike = is_alike and not (are_kept and len(_PARTS.split(one)) != len(_PARTS.split(other)))
    are_literal = all(" " not in name for name in names) and any(_CODE.fullmatch(name) for name in names)
    return (are_literal or are_of_many) and not is_alike


def columns_of_form(content: str) -> str:
    """Return the columns of a table of one row, as a page describes one entry; empty for any other text.

    Fewer than three columns are no form: prices of two pages may be those of one thing under two names.
    """
    rows = [line.strip() for line in content.splitlines() if line.strip()]
    return rows[0] if len(rows) == _FORM and rows[0].count("|") + 1 >= _FEWEST_COLUMNS else ""


_FORM = 2
"""Lines of a table of one row: its columns, and the row."""

_FEWEST_COLUMNS = 3

FEWEST_ENTRIES = 3
"""Headings of one page over tables of one row with the same columns, from which each is one of many entries."""

_ALIKE = 4
"""First letters that two words for one thing often have in common: "Child", "Children"."""

_PARTS = re.compile(r"[._-]")
"""Between the parts of a literal name."""

_CODE = re.compile(r"\w*(?:[a-z][A-Z]|\w[._]\w|[A-Za-z]\d)[\w.-]*|[a-z][\w.-]*")
"""A name as programs have them: MaxLength, max_length, dry-run, length; "Grown-ups" is a word."""

_VERSION = re.compile(r"\bv?\d+(?:\.\d+)*\b(?:\s*\.)?$")
