"""Passages of two editions that differ in nothing but where a figure or a section stands in its own edition."""

from __future__ import annotations

import re
from collections.abc import Sequence

from saidonce.foundation.model import Kind

_NUMBER = r"(?:[A-Z]\.)?\d{1,3}(?:[.-]\d{1,3})*"
_THING = (
    r"figure|fig\.|table|example|equation|listing|procedure|abbildung|abb\.|tabelle|beispiel|gleichung|tableau|exemple"
    r"|figura|tabla|ejemplo|esempio|tabella|figuur|tabel|voorbeeld"
)
_PART = (
    r"section|chapter|appendix|abschnitt|kapitel|anhang|chapitre|annexe|secci\u00f3n|cap\u00edtulo"
    r"|anexo|sezione|capitolo|hoofdstuk|bijlage"
)
_CAPTION = re.compile(rf"^(?P<what>(?i:{_THING}) )(?:{_NUMBER})(?P<title> ?[.:] \S)", re.M)
"""The number in front of a title, on a line of its own: "Figure 4.2. The pump"."""

_NAMED = re.compile(rf"\b(?P<what>(?i:{_THING}|{_PART}) )(?:{_NUMBER})(?P<title>\.?,? [\u201c\u201e\u00ab\"][^\W\d_])")
"""The number in front of a quoted title: "see Section 9.7, “Selling shares”"."""


_ARTICLES = {
    "en": "the", "de": "der die das", "fr": "le la les", "es": "el la los las", "it": "il lo la gli le", "nl": "de het",
    "pt": "os as",
}  # fmt: skip
"""Articles in front of a title by language: "die casting" has none in English."""

_PIECE = re.compile(r"\w+|[^\w\s]+")
_SMALL = frozenset(
    "a an of in to by on at or as if is it no up le la de du et el en un y il di e da do em o os im am zu ob so".split()
)
"""Short words that begin with a capital in a title; another short one may be a unit, such as "Mb" and "MB"."""


def is_renumbered(kind: Kind, language: str, one: str, other: str) -> bool:
    """Return whether two texts are the same but for running numbers, each in front of the same title in both.

    Of two captions one may have no number at all, and the title may be written with other capitals, or an article more.
    """
    if kind is not Kind.CAPTION:
        return one != other and _without_numbers(one) == _without_numbers(other)
    labels = [hit["what"][:3].casefold() for caption in (one, other) if (hit := _CAPTION.match(_line(caption)))]
    titles = [_PIECE.findall(_title(caption, language)) for caption in (one, other)]
    return one != other and len(set(labels)) <= 1 and _is_one_title(*titles)


def _is_one_title(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether two titles have the same words: all in capitals in one, or others of them begin with one."""
    if len(one) != len(other):
        return False
    for loud, plain in ((one, other), (other, one)):
        is_plain = all(word.islower() or word.istitle() or not word.isalpha() for word in plain)
        if is_plain and "".join(loud).isupper() and [w.casefold() for w in loud] == [w.casefold() for w in plain]:
            return True
    return all(map(_is_one_word, one, other))


def _is_one_word(one: str, other: str) -> bool:
    """Return whether two words differ at most in a capital at their beginning: "MW" is not "mW", nor "US" "us"."""
    if one == other:
        return True
    is_capital = one[:1].casefold() == other[:1].casefold() and one[1:] == other[1:]
    return is_capital and (len(one) > 2 or one.casefold() in _SMALL)


def _without_numbers(text: str) -> str:
    for pattern in (_CAPTION, _NAMED):
        text = pattern.sub(lambda hit: f"{hit['what']}#{hit['title']}", text)
    return " ".join(text.split())


def _title(caption: str, language: str) -> str:
    """Return the title in a caption, without its label, the article in front of it and the full stop at its end."""
    title = _CAPTION.sub(lambda hit: hit["title"][-1], _line(caption), count=1).rstrip(".")
    first, _, rest = title.partition(" ")
    return rest if rest and first.casefold() in _ARTICLES.get(language, "the").split() else title


def _line(caption: str) -> str:
    return " ".join(caption.split())
