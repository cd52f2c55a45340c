"""What a resident answers to offered times, in words.

A time is picked only if every word of the answer is understood and all of them point at one offered time: whatever
is left over ("but only after ten") makes the answer unclear, and unclear answers are asked about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, tzinfo
from enum import StrEnum

from saidonce.foundation.model.progress import TimeSpan
from saidonce.repairs.conversation.lexicon import phrase
from saidonce.repairs.conversation.visit_words import in_english

NONE_FITS, UNCLEAR = "none", "unclear"

_FILLER = frozenset(
    "a absolutely alright am and any at be best better brilliant can cheers choose cool could day definitely do does"
    " fab fine for free from go good grand great have available hello hey hi i i'd i'll i'm id ill im is it it's its"
    " just let let's lets like lovely many me my no. number of ok okay okey on one ones option perfect pick please pls"
    " plz prefer right slot so suit suits sure ta take thank thanks that that's thats the then they this thx time"
    " times to us want we we'll well will with work works would yeah yep yes you".split()
)
"""Words that change nothing about which time is meant."""

_NEGATIVE = re.compile(
    r"\b(?:none|neither|nope|no|not|cannot|can't|cant|don't|dont|doesn't|doesnt|won't|wont|isn't|unable)\b"
)
_NONE_WORDS = _FILLER | frozenset(
    "none neither nope no not cannot can't cant don't dont doesn't doesnt won't wont these those them all any sorry"
    " make of either nothing unfortunately afraid are there isn't unable".split()
)
_ORDINALS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "last": -1, "fourth": 4, "fifth": 5, "4th": 4,
    "5th": 5,
}  # fmt: skip
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_DAYS = {
    name: n
    for n, names in enumerate(
        ("monday mon", "tuesday tues tue", "wednesday weds wed", "thursday thurs thur thu", "friday fri",
         "saturday sat", "sunday sun")
    )
    for word in names.split()
    for name in (word, f"{word}s")
}  # fmt: skip
_MONTHS = {
    word: n
    for n, words in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sept sep", "october oct", "november nov", "december dec"), 1
    )
    for word in words.split()
}  # fmt: skip
_PARTS = {"morning": (0, 12), "afternoon": (12, 17), "evening": (17, 24), "am": (0, 12), "pm": (12, 24)}
_HABITS = frozenset(f"{word}s" for words in ("monday tuesday wednesday thursday friday saturday sunday",)
                    for word in words.split())  # fmt: skip
_CLOCK = re.compile(r"\b(\d{1,2})(?:[:.](\d{2}))?\s?(am|pm)\b|\b(\d{1,2}):(\d{2})\b")
_TOKEN = re.compile(r"[\w']+")


class Cue(StrEnum):
    """What part of an answer points at a time."""

    PLACE = "place"
    """its place in the list, such as "the second" """
    WHEN = "when"
    """its day, date or hour"""


def read_answer(
    text: str, slots: Sequence[TimeSpan], zone: tzinfo, is_asked: bool, language: str = "en"
) -> int | str | None:  # fmt: skip
    """Return which offered time an answer picks, from 0; `NONE_FITS`, `UNCLEAR`, or None if it is about none of them.

    Args:
        text: the resident's words.
        slots: what was offered.
        zone: in which days and hours are meant.
        is_asked: the offer is the last thing that was written to the resident: only then a bare "yes", "no" or number
            counts.
        language: of the words; English is understood beside any.
    """
    text = in_english(text, language)
    message = phrase(text).replace("’", "'")
    tokens, lower = _TOKEN.findall(message), text.casefold()
    clock = [_hour(match) for match in _CLOCK.finditer(lower)]
    rest = _TOKEN.findall(phrase(_CLOCK.sub(" ", lower)).replace("’", "'"))
    cues = [cue for cue in map(_cue, rest) if cue is not None]
    if not cues and not clock:
        return _without_cue(message, tokens, len(slots), is_asked)
    if all(cue is Cue.PLACE for cue in cues) and not clock and not _names_place(message, is_asked):
        return None
    unknown = [t for t in rest if _cue(t) is None and t not in _FILLER]
    if unknown or _NEGATIVE.search(message) or "?" in text or set(rest) & (_HABITS | {"or"}):
        return UNCLEAR if _is_about_times(rest, clock) else None
    fitting = [n for n, slot in enumerate(slots) if _fits(slot, n, len(slots), rest, clock, zone)]
    return fitting[0] if len(fitting) == 1 else UNCLEAR


def _without_cue(message: str, tokens: list[str], n_slots: int, is_asked: bool) -> int | str | None:
    """Return what an answer that names no time says of all of them."""
    is_plain_no = bool(tokens) and all(t in _NONE_WORDS for t in tokens) and bool(_NEGATIVE.search(message))
    names_all = bool({"none", "neither", "these", "those", "them"} & set(tokens))
    if is_plain_no and (is_asked or names_all):
        return NONE_FITS
    if is_asked and {"yes", "yep", "yeah", "ok", "okay", "fine"} & set(tokens) and all(t in _FILLER for t in tokens):
        return 0 if n_slots == 1 else UNCLEAR
    return None


def _names_place(message: str, is_asked: bool) -> bool:
    """Return whether words name a place in the list: bare numbers only as an answer to the offer itself."""
    names = re.search(r"\b(?:first|second|third|last|1st|2nd|3rd|option|number)\b", message) is not None
    return names or is_asked


def _is_about_times(tokens: Sequence[str], clock: Sequence[tuple[int, int]]) -> bool:
    """Return whether words that were not understood wholly are about times all the same."""
    strong = set(_DAYS) | set(_PARTS) | set(_ORDINALS) | {"february", "january"}
    return bool(clock) or bool(set(tokens) & strong)


def _cue(token: str) -> Cue | None:
    if token in _ORDINALS or (token.isdigit() and int(token) <= 31) or re.fullmatch(r"\d{1,2}(?:st|nd|rd|th)", token):
        return Cue.PLACE
    if token in _DAYS or token in _MONTHS or token in _PARTS:
        return Cue.WHEN
    return None


def _fits(
    slot: TimeSpan, n: int, n_slots: int, tokens: Sequence[str], clock: Sequence[tuple[int, int]], zone: tzinfo
) -> bool:
    """Return whether all that is said fits one offered time."""
    start = slot.starts_at.astimezone(zone)
    end = slot.ends_at.astimezone(zone)
    if any((start.hour, start.minute) > at or at >= (end.hour, end.minute) for at in clock):
        return False
    has_when = any(_cue(t) is Cue.WHEN for t in tokens)
    return all(_token_fits(token, start, (n, n_slots), has_when) for token in tokens)


def _token_fits(token: str, start: datetime, place: tuple[int, int], has_when: bool) -> bool:
    n, n_slots = place
    if token in _DAYS:
        return start.weekday() == _DAYS[token]
    if token in _MONTHS:
        return start.month == _MONTHS[token]
    if token in _PARTS:
        return _PARTS[token][0] <= start.hour < _PARTS[token][1]
    number = re.match(r"\d+", token)
    if number is None and token not in _ORDINALS:
        return True
    value = _ORDINALS.get(token, int(number[0]) if number else 0)
    in_list = n == (n_slots - 1 if value == -1 else value - 1)
    is_day = start.day == value and number is not None
    if has_when:
        return is_day
    return in_list if value <= n_slots else is_day and not token.isdigit()


def _hour(match: re.Match[str]) -> tuple[int, int]:
    hour, minute = int(match[1] or match[4]), int(match[2] or match[5] or 0)
    if match[3] == "pm" and hour < 12:
        hour += 12
    return (0 if match[3] == "am" and hour == 12 else hour, minute)
