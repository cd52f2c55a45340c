"""Lines over a table that only announce it: they state nothing that the table and the headings over it do not."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from saidonce.foundation import text


def only_announces(lead: str, stated: Iterable[str]) -> bool:
    """Return whether a line says no more than that what is stated follows: "The prices are as follows:".

    Each of its words is one of those that announce, in one language, or stands in what is stated. A word that nobody
    knows, a number or a denial says more.

    Args:
        lead: the line.
        stated: the head of the table, and the headings over it.
    """
    known = " ".join(stated)
    words = [part for word in text.words(lead) for part in word.split("'") if part]
    return bool(words) and any(
        _are_stated([word for word in words if word not in announcing], known, language)
        for language, announcing in _tables().items()
    )


def _are_stated(words: Iterable[str], known: str, language: str) -> bool:
    """Return whether each word has a stem, and one that what is stated has, too."""
    stems = text.terms(known, language).keys()
    return all((own := text.terms(word, language).keys()) and own <= stems for word in words)


@cache
def _tables() -> dict[str, frozenset[str]]:
    written = files("saidonce.documents").joinpath("announcements.toml").read_text("utf-8")
    return {language: frozenset(table["words"].split()) for language, table in tomllib.loads(written).items()}
