"""Room: words of a question that name a kind of value: a block with such a value holds them without writing them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of value.

    Attributes:
        names: words that name it.
        beside: words that belong to its name beside one of `names`.
        value: what it looks like.
    """

    names: frozenset[str]
    beside: frozenset[str]
    value: re.Pattern[str]


_KINDS = (
    _Kind(
        frozenset("phone telephone telefon telefonnummer téléphone teléfono telefono telefoon telefoonnummer".split()),
        frozenset("number nummer numéro número numero".split()),
        re.compile(r"(?<![\w.,/-])(?!\d{4}-\d\d-\d\d)(?:\+|\(?0)[\d()]{1,6}(?:[ /-]?[\d()]{2,}){2,}(?![\w-])"),
    ),
    _Kind(
        frozenset("email e-mail mail mailadresse correo courriel".split()),
        frozenset("address adresse dirección indirizzo adres".split()),
        re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    ),
)
"""Numbers of telephones begin with + or 0, and are grouped or long: a count or a date is none."""


def words_of_values(query_words: Iterable[str], content: str) -> frozenset[str]:
    """Return the words of a query, case folded, that name a kind of value that a text has."""
    asked = frozenset(query_words)
    kinds = (kind for kind in _KINDS if asked & kind.names and kind.value.search(content))
    return frozenset(word for kind in kinds for word in asked & (kind.names | kind.beside))
