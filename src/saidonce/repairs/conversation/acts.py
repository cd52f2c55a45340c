"""What people do in a conversation, read from their words. Each act is shown by a quote; nothing is assumed.

Phrases stand in `languages/*.toml`, one file a language, with `en.toml` as the list of keys. Absence of an objection
is no act: withdrawing, agreeing and refusing have to be said.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib import resources

from saidonce.repairs.conversation.phrases import any_of, parts, plain

ENGLISH = "en"

_INTERJECTIONS = re.compile(r"^(?:(?:oh|ah|aw|er|erm|um|uh|hm+|haha|lol|well|hey|hi|hiya) )+(?=\w)")
"""What may stand before the words with which a sentence begins."""


class SpeechAct(StrEnum):
    """Something that a resident does by writing; the names of the tables in the files of languages."""

    PERSON = "person"
    COMPLAINT = "complaint"
    LEGAL = "legal"
    THREAT = "threat"
    CORRECT = "correct"
    WRONG_PART = "wrong_part"
    WRONG_HOME = "wrong_home"
    TAKE_BACK = "take_back"
    TAKE_BACK_THING = "take_back_thing"
    SOLVED = "solved"
    ASK_AFTER = "ask_after"
    AGAIN = "again"
    DECLINE_PHOTO = "decline_photo"
    DECLINE_ALL = "decline_all"
    PUT_OFF = "put_off"
    NOD = "nod"
    THANKS = "thanks"
    MOVING_OUT = "moving_out"
    STOP = "stop"
    START = "start"
    BOT = "bot"
    MORE = "more"
    FAULT = "fault"
    CONSEQUENCE = "consequence"
    VULNERABLE = "vulnerable"
    OTHER_TROUBLE = "other_trouble"
    QUESTION = "question"
    AGREE = "agree"
    REFUSE_NAME = "refuse_name"


_AFTER_INTERJECTIONS = frozenset(
    {SpeechAct.CORRECT, SpeechAct.TAKE_BACK, SpeechAct.TAKE_BACK_THING, SpeechAct.ASK_AFTER, SpeechAct.PERSON}
)
"""Acts that are shown behind an interjection, too; "ah no" refuses nothing by itself."""


@dataclass(frozen=True, slots=True)
class PhraseLists:
    """The phrases of one act in one language; see the head of `languages/en.toml`."""

    phrases: tuple[str, ...] = ()
    whole: frozenset[str] = frozenset()
    unless: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LanguagePhrases:
    """The acts of one language.

    Attributes:
        spelling: words of the phrases that are also recognised with one typing mistake.
        slang: words, or two together, and the usual word for the last of them.
    """

    acts: dict[SpeechAct, PhraseLists]
    spelling: frozenset[str]
    slang: tuple[tuple[str, str], ...] = ()


@lru_cache(maxsize=32)
def phrases_of(language: str) -> LanguagePhrases | None:
    """Return the phrases of a language by its tag, such as "de" or "pt-BR"; None if there is no file for it."""
    tag = language.split("-", maxsplit=1)[0].lower()
    file = resources.files("saidonce.repairs.conversation") / "languages" / f"{tag}.toml"
    if not tag.isalpha() or not file.is_file():
        return None
    rows = tomllib.loads(file.read_text(encoding="utf-8"))
    lists = {act: rows.get(act.value, {}) for act in SpeechAct}
    return LanguagePhrases(
        {
            act: PhraseLists(
                tuple(row.get("phrases", ())), frozenset(map(plain, row.get("whole", ()))), tuple(row.get("unless", ()))
            )
            for act, row in lists.items()
        },
        frozenset(rows.get("spelling", "").split()),
        tuple((str(word), str(means)) for word, means in rows.get("slang", {}).items()),
    )


def shown_by(act: SpeechAct, message: str, language: str = ENGLISH) -> str:
    """Return the sentence of a message that shows an act, word for word; empty if none does.

    English is read beside the language of the conversation.
    """
    for tag in dict.fromkeys((language, ENGLISH)):
        known = phrases_of(tag)
        if known is not None and (quote := _quote(known, act, message)):
            return quote
    return ""


def evidence(act: SpeechAct, messages: Sequence[str], language: str = ENGLISH) -> tuple[str, ...]:
    """Return the words of messages that show an act, one entry for each, without repetitions."""
    words: dict[str, None] = {}
    for tag in dict.fromkeys((language, ENGLISH)):
        known = phrases_of(tag)
        for message in messages if known is not None else ():
            assert known is not None
            words.update(dict.fromkeys(_hits(known, act, message)))
    return tuple(words)


def first_shown(act: SpeechAct, messages: Sequence[str], language: str = ENGLISH) -> str:
    """Return the first sentence of several messages that shows an act; empty if none does."""
    return next((quote for m in messages if (quote := shown_by(act, m, language))), "")


def _quote(known: LanguagePhrases, act: SpeechAct, message: str) -> str:
    lists = known.acts[act]
    if lists.whole and plain(message) in lists.whole:
        return message.strip()
    for part in parts(message):
        words = plain(part, known.spelling)
        begun = _INTERJECTIONS.sub("", words) if act in _AFTER_INTERJECTIONS else words
        if (_found(lists.phrases, words) or _found(lists.phrases, begun)) and not _found(lists.unless, words):
            return part
    return ""


def _hits(known: LanguagePhrases, act: SpeechAct, message: str) -> list[str]:
    lists = known.acts[act]
    pattern = any_of(lists.phrases)
    hits: list[str] = []
    for part in parts(message):
        words = plain(part, known.spelling)
        if pattern is not None and not _found(lists.unless, words):
            hits += [m.group() for m in pattern.finditer(words)]
    return hits


def _found(phrases: tuple[str, ...], words: str) -> re.Match[str] | None:
    pattern = any_of(phrases)
    return pattern.search(words) if pattern is not None else None
