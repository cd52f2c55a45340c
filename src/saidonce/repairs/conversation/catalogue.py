"""What residents are told, in their language: catalogues of translations, keyed by the English sentence.

The sources (`catalogues/<tag>.po`) are read as they are, so that a clone needs no compiling step. A sentence without a
translation goes out in English; a test fails on it before. Numbers are placeholders in the keys ("call {n1}"), so that
no translation can change one, and the safety texts of every country share their translations.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from datetime import datetime
from functools import lru_cache
from importlib import resources

from saidonce.foundation import extras
from saidonce.foundation.model.progress import TimeSpan
from saidonce.repairs.conversation.office_hours import TimeWords
from saidonce.repairs.conversation.wording import Text

TAGS = ("en", "ar", "de", "es", "fr", "it", "nl", "pl", "pt", "ro", "zh")
"""Languages that replies are written in; English needs no catalogue."""

MOST_TITLE = 20
"""Characters of a button; a longer day goes without the name of its weekday. Source: WhatsApp, reply buttons."""

_NUMBER = re.compile(r"(?<!\{n)\d+(?: \d+)*")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_FREE = frozenset("name address number id org day opens closes when since quote source stay".split())
"""Placeholders that never stand for words of a resident's message."""


def template_of(text: str) -> tuple[str, dict[str, str]]:
    """Return the key of a sentence in the catalogues, and what its placeholders stand for.

    A plain text is a safety text of a pack: its numbers become {n1}, {n2}, ...
    """
    if isinstance(text, Text):
        return text.template, dict(text.values)
    numbers: dict[str, str] = {}

    def numbered(match: re.Match[str]) -> str:
        numbers[f"n{len(numbers) + 1}"] = match.group()
        return f"{{n{len(numbers)}}}"

    return _NUMBER.sub(numbered, text), numbers


def in_language(text: str, language: str, words: Callable[[str], str] = str) -> str:
    """Return a sentence in a language; in English where there is no translation of it, and texts of people as they are.

    Args:
        text: a `Text`, a safety text, or the title of a button.
        language: its tag.
        words: gives a resident's own words for a placeholder's English ones.
    """
    if isinstance(text, TimeWords):
        return in_words(text, language)
    known = catalogue(language) if language != "en" else {}
    if not isinstance(text, Text) and text in known:
        return known[text]  # A button's number is no number to ring.
    template, values = template_of(text)
    translated = known.get(template)
    if translated is None and not isinstance(text, Text):
        return text
    spelled = {k: _value(k, v, language, words) for k, v in values.items()}
    return (translated or template).format(**spelled) if spelled else (translated or template)


def _value(name: str, value: str, language: str, words: Callable[[str], str]) -> str:
    if isinstance(value, (Text, TimeWords)) or value in catalogue(language):
        return in_language(value, language, words)
    return value if name in _FREE or _is_numbered(name) else words(value)


def in_words(times: TimeWords, language: str) -> str:
    """Return times in the words of a language; every number of them is there, hours as in English."""
    if language not in TAGS or language == "en":
        return str(times)
    extras.need(extras.REPAIRS, "answering residents in their language")
    from babel.dates import format_date, format_skeleton  # noqa: PLC0415  an extra; the conversation is imported without it too

    def day(at: datetime, shape: str = "MMMEd") -> str:
        return str(format_skeleton(shape, at.date(), locale=language)).replace("\u200f", "")

    def whole(span: TimeSpan) -> str:
        start, end = span.starts_at.astimezone(times.zone), span.ends_at.astimezone(times.zone)
        last = f"{end:%H:%M}" if start.date() == end.date() else f"{day(end)}, {end:%H:%M}"
        return f"{day(start)}, {start:%H:%M} - {last}"

    if times.shape == "start":
        start = times.spans[0].starts_at.astimezone(times.zone)
        titles = (f"{day(start, shape)} {start:%H:%M}".replace(" de ", " ") for shape in ("MMMEd", "MMMd"))
        return min(titles, key=lambda title: len(title) > MOST_TITLE)
    if times.shape == "date":
        return str(format_date(times.spans[0].starts_at.astimezone(times.zone), "long", locale=language))
    if times.shape == "span":
        return whole(times.spans[0])
    return "\n".join(f"{n}. {whole(span)}" for n, span in enumerate(times.spans, 1))


def _is_numbered(name: str) -> bool:
    return name.startswith("n") and name[1:].isdigit()


@lru_cache(maxsize=16)
def catalogue(language: str) -> dict[str, str]:
    """Return the translations of a language by English template; empty without a catalogue.

    Raises:
        MissingExtraError: the extra `repairs` is not installed.
    """
    if language not in TAGS or language == "en":
        return {}
    file = resources.files("saidonce.repairs.conversation") / "catalogues" / f"{language}.po"
    extras.need(extras.REPAIRS, "answering residents in their language")
    from babel.messages.pofile import read_po  # noqa: PLC0415  an extra; the conversation is imported without it too

    messages = read_po(io.StringIO(file.read_text(encoding="utf-8")), locale=language)
    return {str(m.id): str(m.string) for m in messages if m.id and m.string and not m.fuzzy}


def placeholders(template: str) -> list[str]:
    """Return the placeholders of a template in order of their names, repeated ones repeatedly."""
    return sorted(_PLACEHOLDER.findall(template))
