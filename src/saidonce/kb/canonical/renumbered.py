"""Passages of two editions that differ in nothing but where a figure or a section stands in its own edition."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from saidonce.foundation.model import UNKNOWN_LANGUAGE, Kind

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

_THE = re.compile(r"\b(?:[Tt]he|THE) (?=\w)")
"""The English article inside a title, which has no other meaning: "Table of the prices"."""

_PIECE = re.compile(r"\w+|[^\w\s]+")
_FIGURES = re.compile(r"\d+")
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
    return one != other and _are_of_one_thing(one, other) and have_one_title(language, one, other)


def without_name(caption: str) -> str:
    """Return a caption with its number and without what it is of, as a list of figures has it: "4.2. The pump"."""
    line = _line(caption)
    return line[len(hit["what"]) :] if (hit := _CAPTION.match(line)) else line


def have_one_title(language: str, one: str, other: str) -> bool:
    """Return whether two captions have one title, whatever their running numbers."""
    return _is_one_title(*(_PIECE.findall(_title(caption, language)) for caption in (one, other)))


def are_two_pictures(language: str, captions: tuple[str, str], beside: tuple[Iterable[str], Iterable[str]]) -> bool:
    """Return whether two captions are those of two pictures, since one document has a picture with either title.

    The title of a picture that the other edition has under the same title was not changed into another one's. Of titles
    with other figures one may have been changed, and the description of that picture been left.

    Args:
        language: of both captions.
        captions: of two documents.
        beside: all captions of the document of each.
    """
    one, other = captions
    titles = [_title(caption, language) for caption in captions]
    if have_one_title(language, one, other) or _FIGURES.findall(titles[0]) != _FIGURES.findall(titles[1]):
        return False
    return any(
        _are_of_one_thing(title, caption) and have_one_title(language, title, caption)
        for title, of_document in ((other, beside[0]), (one, beside[1]))
        for caption in of_document
    )


def _are_of_one_thing(one: str, other: str) -> bool:
    """Return whether no two captions say that one is of a table and the other of a figure."""
    labels = [hit["what"][:3].casefold() for caption in (one, other) if (hit := _CAPTION.match(_line(caption)))]
    return len(set(labels)) <= 1


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
    """Return the title in a caption, without its label, its articles and the full stop at its end."""
    title = _CAPTION.sub(lambda hit: hit["title"][-1], _line(caption), count=1).rstrip(".")
    first, _, rest = title.partition(" ")
    title = rest if rest and first.casefold() in _ARTICLES.get(language, "the").split() else title
    return _THE.sub("", title) if language in ("en", UNKNOWN_LANGUAGE) else title


def _line(caption: str) -> str:
    return " ".join(caption.split())
