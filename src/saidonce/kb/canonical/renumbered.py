"""Passages of two editions that differ in nothing but where a figure or a section stands in its own edition."""

from __future__ import annotations

import re

from saidonce.foundation.model import Kind

_NUMBER = r"(?:[A-Z]\.)?\d{1,3}(?:[.-]\d{1,3})*"
_THING = (
    r"figure|fig\.|table|example|equation|listing|procedure|abbildung|abb\.|tabelle|beispiel|gleichung|tableau|exemple"
    r"|figura|tabla|ejemplo|esempio|tabella|figuur|tabel|voorbeeld"
)
_PART = (
    r"section|chapter|appendix|part|abschnitt|kapitel|anhang|teil|chapitre|annexe|partie|secci\u00f3n|cap\u00edtulo"
    r"|anexo|sezione|capitolo|hoofdstuk|bijlage"
)
_CAPTION = re.compile(rf"^(?P<what>(?i:{_THING}) )(?:{_NUMBER})(?P<title> ?[.:] \S)", re.M)
"""The number in front of a title, on a line of its own: "Figure 4.2. The pump"."""

_NAMED = re.compile(rf"\b(?P<what>(?i:{_THING}|{_PART}) )(?:{_NUMBER})(?P<title>\.?,? [\u201c\u201e\u00ab\"][^\W\d_])")
"""The number in front of a quoted title: "see Section 9.7, “Selling shares”"."""


_THE = re.compile(r"(?:the|der|die|das|le|la|les|el|los|las|il|lo|gli|de|het|os|as) ")
"""An article in front of a title."""


def is_renumbered(kind: Kind, one: str, other: str) -> bool:
    """Return whether two texts are the same but for running numbers, each in front of the same title in both.

    Of two captions one may have no number at all, and the title may be written with other capitals, or an article more.
    """
    read = _title if kind is Kind.CAPTION else _without_numbers
    return one != other and read(one) == read(other)


def _without_numbers(text: str) -> str:
    for pattern in (_CAPTION, _NAMED):
        text = pattern.sub(lambda hit: f"{hit['what']}#{hit['title']}", text)
    return " ".join(text.split())


def _title(caption: str) -> str:
    """Return the title in a caption, without its label, the article in front of it and the full stop at its end."""
    line = _CAPTION.sub(lambda hit: hit["title"][-1], " ".join(caption.split()), count=1).casefold()
    line = line.rstrip(".")
    return line[article.end() :] if (article := _THE.match(line)) else line
