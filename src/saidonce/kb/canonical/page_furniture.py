"""Room: passages that say something of their own page alone: when it was changed, and which sections it has."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

FEWEST_ENTRIES = 3
"""Lines of a list of contents; fewer may be a list of anything."""

_ITS_CHANGE = re.compile(
    r"(?:(?:this (?:page|document|file|article) (?:was )?|page |document )?"
    r"last (?:updated|modified|changed|reviewed|revised|edited)"
    r"|(?:diese seite|dieses dokument|dieser artikel) wurde zuletzt"
    r"|(?:zuletzt|letzte) (?:ge\u00e4ndert|aktualisiert|bearbeitet|\u00e4nderung|aktualisierung|bearbeitung)"
    r"|derni\u00e8re (?:mise \u00e0 jour|modification|r\u00e9vision)"
    r"|\u00faltima (?:actualizaci\u00f3n|modificaci\u00f3n|revisi\u00f3n|atualiza\u00e7\u00e3o|altera\u00e7\u00e3o)"
    r"|ultim[oa] (?:aggiornamento|modifica|revisione)|laatst (?:bijgewerkt|gewijzigd)"
    r"|ostatnia (?:aktualizacja|zmiana|modyfikacja))\b",
    re.IGNORECASE,
)
_DAY_OF_IT = re.compile(
    r"(?: (?:of|de|di|della|van) (?:this|cette|esta|questa|deze) \w+)?"
    r"(?: (?:on|at|am|op|le|el|il|em|w dniu))?[: ]*[\w.,/: +-]*\d[\w.,/: +-]*",
    re.IGNORECASE,
)
_MOST_LETTERS = 60
"""Of a day with its time and who changed the page; a longer line says something more."""

_SENTENCE = re.compile(r"(?<=\d{4})[.!?]\s|(?<=[^\W\d_]{3})[.!?]\s|[.!?]\s+\S+\s+[^\W\d]\S*\s+[^\W\d]")
"""Where a further sentence begins: "18. April 2022" has none."""

_ENTRY = re.compile(r"^\s*(?:[-*\u2022]\s+)?(\S.*?)\s*$", re.M)
_NUMBERED = re.compile(r"(?:[A-Z]|[IVXL]+|\d+)(?:\.\d+)*\.?\s+[^\W\d]")


def is_stamp(text: str) -> bool:
    """Return whether a passage says when its own page was last changed, and nothing else."""
    line = " ".join(text.split())
    head = _ITS_CHANGE.match(line)
    if head is None:
        return False
    rest = line[head.end() :]
    return len(rest) <= _MOST_LETTERS and _SENTENCE.search(rest) is None and _DAY_OF_IT.fullmatch(rest) is not None


def may_be_contents(text: str) -> bool:
    """Return whether at least half of the lines of a text begin with the number of a section."""
    entries = _ENTRY.findall(text)
    return len(entries) >= FEWEST_ENTRIES and sum(map(_is_numbered, entries)) * 2 >= len(entries)


def is_contents(text: str, headings: AbstractSet[str]) -> bool:
    """Return whether a text is a list of contents: each line is a heading, with the number that it has as a heading.

    Args:
        text: of a passage.
        headings: those of all documents, as `heading_of` has them.
    """
    return may_be_contents(text) and all(heading_of(entry) in headings for entry in _ENTRY.findall(text))


def heading_of(content: str) -> str:
    """Return a heading in the form that entries are compared with."""
    return " ".join(content.split()).rstrip(".").casefold()


def _is_numbered(entry: str) -> bool:
    return _NUMBERED.match(entry) is not None
