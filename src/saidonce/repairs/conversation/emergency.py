"""Packs of emergency phrases and danger words, and their matches in a message. Recall comes first.

Two levels: a phrase of the pack is *sure* and gets the safety text at once; a danger word in any form is *possible* and
costs one question. Calming words turn a sure danger into a possible one, but never remove it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from importlib import resources
from typing import Any

from rapidfuzz.distance import OSA

from saidonce.errors import SettingsError
from saidonce.foundation.model.conversation import Alarm, EmergencyEvent, Issue, IssueState, Turn
from saidonce.foundation.stop_words import stop_words
from saidonce.foundation.text import folded, normalise
from saidonce.repairs.conversation import no_danger
from saidonce.repairs.conversation.phrase_syntax import MASK, any_phrase, phrase_pattern, whole_words

PACKS = ("uk", "us", "eu-en")
"""Built-in packs; an organisation may bring its own file."""


_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_RUN = re.compile(r"([^\W\d_])\1{2,}")
_PICTURES = {"\U0001f525": " fire ", "\U0001f6a8": " alarm ", "\U0001f692": " fire ", "\U0001f691": " ambulance ",
             "\U0001f52a": " knife ", "\U0001f4a8": " smoke "}  # fmt: skip

MIN_TYPO_CHARS = 5
"""Shorter words must match exactly: half the language is one letter away from "gas"."""

_SHORT = frozenset({"fire", "burn"})
"""Words of four letters that may have one typing mistake nevertheless."""

_AT_HOME = frozenset(
    "stairs stair shelf shelves carpet basement window windows kitchen bathroom bedroom stays first".split()
)
"""Words of every home and report that a typing mistake brings near to a danger word."""

_LITTLE = stop_words()["phrase"]

MAX_ALONE = 4
"""Most words of a message that is nothing but a danger and filler words: "help fire", "there's smoke"."""

_FILLERS = stop_words()["cry"]

STAY_SAFE = "Stay where it is safe."
"""How to stay safe, of a class that says nothing of its own."""


@dataclass(frozen=True, slots=True)
class Class:
    """One class of emergencies.

    Attributes:
        kind: its name, such as "gas".
        is_critical: the landlord is alerted at once, and no model may dismiss it.
        phrases: words in order; `word*` also longer words, `a/b` one of several, `~` up to four words between,
            `~~` up to twelve, `-word` not followed by it.
        safety: immediate text to the resident, with every number to call.
        safety_in: the same in other languages, by tag; for the rest the catalogues are asked.
        recall: messages that must match, for the pack's own test.
        stay: short line on how to stay safe, before every further reply of the alarm.
    """

    kind: str
    is_critical: bool
    phrases: tuple[str, ...]
    safety: str
    recall: tuple[str, ...]
    stay: str = STAY_SAFE
    safety_in: tuple[tuple[str, str], ...] = ()

    def safety_for(self, language: str) -> str:
        """Return the safety text for a language: the pack's own translation, else the English one."""
        return dict(self.safety_in).get(language, self.safety)


@dataclass(frozen=True, slots=True)
class Pack:
    """The classes of a country or an organisation, most urgent first, and the numbers that replies may contain."""

    name: str
    numbers: tuple[str, ...]
    classes: tuple[Class, ...]

    @property
    def emergency(self) -> str:
        """The number of the emergency services: the first."""
        return self.numbers[0]

    def of(self, kind: str) -> Class:
        """Return a class by its name; one with a general safety text if an organisation's own pack has none."""
        general = f"If anybody is hurt or in danger ring {self.emergency} now. Get everybody to a safe place first."
        return next((c for c in self.classes if c.kind == kind), Class(kind, True, (), general, ()))


@dataclass(frozen=True, slots=True)
class PhraseMatch:
    """A phrase of a class found in a message, or what the trained head read in it.

    Attributes:
        is_sure: the safety text is due at once; otherwise one question.
        evidence: what each channel found; see `saidonce.repairs.conversation.dangers`.
        certainty: of the trained head that there is any danger, 0 to 1; 0 where it was not asked.
    """

    kind: str
    phrase: str
    is_sure: bool = True
    evidence: tuple[str, ...] = ()
    certainty: float = 0.0


@dataclass(frozen=True, slots=True)
class Dangers:
    """Danger words by kind, with their exceptions; `packs/dangers.toml` documents each list."""

    words: tuple[tuple[str, frozenset[str]], ...]
    phrases: tuple[tuple[str, tuple[str, ...]], ...]
    harmless: re.Pattern[str]
    calm: re.Pattern[str]
    lookalikes: frozenset[str]
    spelling: frozenset[str]
    harmless_words: frozenset[str]


def read_pack(content: str) -> Pack:
    """Read a pack.

    Raises:
        SettingsError: it is no TOML of this shape.
    """
    try:
        rows = tomllib.loads(content)
        classes = tuple(_class(kind, row) for kind, row in rows["class"].items())
        first, *others = map(str, rows["numbers"])
        return Pack(str(rows["name"]), (first, *others), classes)
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError, ValueError) as bad:
        raise SettingsError(
            "emergency_pack", content[:40], f"a pack as docs/how-to/conversations.md has it ({bad})"
        ) from bad


@lru_cache(maxsize=8)
def named_pack(name: str) -> Pack:
    """Return a built-in pack.

    Raises:
        SettingsError: there is none of that name.
    """
    if name not in PACKS:
        raise SettingsError("emergency_pack", name, "one of " + ", ".join(PACKS))
    return read_pack(
        (resources.files("saidonce.repairs.conversation") / "packs" / f"{name}.toml").read_text(encoding="utf-8")
    )


def find_dangers(pack: Pack, message: str, spelled: frozenset[str] = frozenset()) -> tuple[PhraseMatch, ...]:
    """Return the dangers in a message, each with its matching phrase.

    Sure classes come in the pack's order. Without any, there is at most one possible danger: of a phrase beside calming
    words or across a harmless compound ("the gas man will see to the leak"), else of a word.

    Args:
        spelled: folded words that are right as they are, such as those of other languages: "llame" is no "flame".
    """
    dangers = known_dangers()
    text = _TOKEN.sub(lambda m: m.group() if folded(m.group()) in spelled else _spelled(m.group()), _readable(message))
    masked = no_danger.masked(dangers.harmless.sub(lambda m: MASK * len(m.group()), text))
    in_pack = tuple(_of_pack(pack, text, masked))
    if not in_pack and not (possible := _possible(dangers, masked)):
        return ()
    is_calm = dangers.calm.search(text) is not None
    sure = () if is_calm else tuple(_of_pack(pack, masked, masked))
    if sure:
        return sure
    if in_pack:
        return (PhraseMatch(in_pack[0].kind, in_pack[0].phrase, is_sure=False),)
    is_alone = not is_calm and masked == text and "?" not in text and _is_alone(dangers, text)
    return (PhraseMatch(possible[0].kind, possible[0].phrase, is_sure=is_alone),)


def calms(message: str) -> bool:
    """Return whether a message holds calming words: a test, the news, a question of what to do."""
    return known_dangers().calm.search(_readable(message)) is not None


@lru_cache(maxsize=1)
def known_dangers() -> Dangers:
    """Return the built-in danger words."""
    content = (resources.files("saidonce.repairs.conversation") / "packs" / "dangers.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(content)
    kinds = rows["kind"].items()
    return Dangers(
        words=tuple((kind, frozenset(row["words"].split())) for kind, row in kinds),
        phrases=tuple((kind, tuple(map(normalise, row["phrases"]))) for kind, row in kinds),
        harmless=_any(rows["harmless"]), calm=_any(rows["calm"]), lookalikes=frozenset(rows["lookalikes"].split()),
        spelling=frozenset(rows["spelling"].split()), harmless_words=whole_words(map(normalise, rows["harmless"])),
    )  # fmt: skip


@lru_cache(maxsize=1)
def listed_words() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the whole words of the English lists: of danger, packs included; of danger alone; of what is harmless."""
    dangers, classes = known_dangers(), (each for name in PACKS for each in named_pack(name).classes)
    alone = frozenset[str]().union(*(words for _, words in dangers.words))
    phrases = (*(p for _, all_ in dangers.phrases for p in all_), *(p for each in classes for p in each.phrases))
    return dangers.spelling | alone | whole_words(phrases), alone, dangers.harmless_words


def unhandled(events: Sequence[EmergencyEvent], issues: Sequence[Issue]) -> tuple[EmergencyEvent, ...]:
    """Return the alarms that no person has ended, oldest first, acknowledged or not; open questions are no alarms.

    Args:
        events: of one conversation, oldest first.
        issues: of its organisation; a person ends an alarm by an all-clear, or when its issue leaves the open column.
    """
    begun = {i.id for i in issues if i.state is not IssueState.OPEN}
    raised = (e for e in events if e.state in (Alarm.SUSPECTED, Alarm.VALIDATED) and e.cleared_at is None)
    return tuple(e for e in raised if e.issue_id not in begun)


def first_message(alarms: Sequence[EmergencyEvent], turns: Sequence[Turn], draft_since: int = 0) -> int:
    """Return the seq of the first message that belongs to alarms; 0 without any.

    Messages of the same turn right before an alarm belong to it; so do the messages of an open draft.
    """
    first = min((e.inbound_seq for e in alarms), default=0)
    beside = (n for t in turns if any(e.inbound_seq in t.inbound for e in alarms) for n in t.inbound)
    return min(first, draft_since or first, *beside)


def unanswered(events: Sequence[EmergencyEvent]) -> tuple[EmergencyEvent, ...]:
    """Return the possible emergencies whose question is unanswered, oldest first."""
    return tuple(e for e in events if e.state is Alarm.POSSIBLE)


def was_warned(events: Sequence[EmergencyEvent], kind: str, at: datetime, again_s: float) -> bool:
    """Return whether the safety text of a class was sent too recently to repeat it; a question does not count.

    After an acknowledgement the same danger is a new alarm, with its own text.
    """
    raised = (e for e in events if e.state in (Alarm.SUSPECTED, Alarm.VALIDATED) and e.acknowledged_at is None)
    sent = (e for e in raised if e.kind == kind and e.replied)
    return any(abs(at - e.at) < timedelta(seconds=again_s) for e in sent)


def _of_pack(pack: Pack, text: str, masked: str) -> Iterator[PhraseMatch]:
    """Yield what a pack's phrases find in a text, more of which than little words lies outside of the masks."""
    for each in pack.classes:
        for phrase in each.phrases:
            spans = (m.span() for m in phrase_pattern(phrase).finditer(text))
            if any(set(_TOKEN.findall(masked[a:b])) - _LITTLE for a, b in spans):
                yield PhraseMatch(each.kind, phrase.partition(" -")[0])
                break


def _possible(dangers: Dangers, masked: str) -> tuple[PhraseMatch, ...]:
    """Return possible dangers, phrases before words: they are more specific."""
    matches = [
        PhraseMatch(k, p.partition(" -")[0], False)
        for k, all_ in dangers.phrases
        for p in all_
        if phrase_pattern(p).search(masked)
    ]
    tokens = _TOKEN.findall(masked)
    matches += [
        PhraseMatch(k, word, False) for k, words in dangers.words for t in tokens if (word := _word_of(t, words))
    ]
    return tuple(matches)


@lru_cache(maxsize=65_536)
def _spelled(token: str) -> str:
    """Return the danger word, or word of its phrases, one typing mistake away from a token; else the token."""
    dangers = known_dangers()
    known = dangers.spelling.union(*(words for _, words in dangers.words))
    plain = token.removesuffix("'s")
    if not plain.isascii():
        return token  # "passés" is French, and no "gasses".
    if len(plain) < MIN_TYPO_CHARS - 1 or plain in known or plain in dangers.lookalikes or plain.isdigit():
        return token
    long_ = (w for w in known if len(w) >= MIN_TYPO_CHARS or w in _SHORT)
    near = [w for w in long_ if OSA.distance(plain, w, score_cutoff=1) <= 1]
    if any(_is_cut_short(plain, w) for w in _AT_HOME):
        return token  # A letter of "stairs" is missing in "stais": more often than one of "stabs" is wrong.
    return min(near, key=lambda w: (abs(len(w) - len(plain)), w), default=token)


def _is_cut_short(token: str, word: str) -> bool:
    """Return whether a token is a word without one of its letters, or with two of them swapped."""
    is_short = len(word) == len(token) + 1 and OSA.distance(token, word, score_cutoff=1) <= 1
    return is_short or (token != word and sorted(token) == sorted(word))


def _word_of(token: str, words: frozenset[str]) -> str:
    plain = token.removesuffix("'s")
    return plain if plain in words else ""


def _is_alone(dangers: Dangers, text: str) -> bool:
    """Return whether a message is a danger word with nothing more specific."""
    tokens = _TOKEN.findall(text)
    others = [t for t in tokens if t not in _FILLERS and not any(_word_of(t, words) for _, words in dangers.words)]
    return len(tokens) <= MAX_ALONE and not others


def _readable(message: str) -> str:
    """Return a message in normal form, with danger pictograms as words and held-down letters once."""
    for picture, word in _PICTURES.items():
        message = message.replace(picture, word)
    # "No - smoke in the hall" answers a question; "no-smoke zone" does not.
    return _RUN.sub(r"\1", normalise(_DASH.sub(", ", message)).replace("-", " "))


_DASH = re.compile(r"(?<=\w)(?:\s+-+\s+|\s*[\u2013\u2014]\s*)(?=\w)")
"""A dash between two parts of a sentence, not a hyphen."""


def _any(phrases: Sequence[str]) -> re.Pattern[str]:
    return any_phrase([normalise(p) for p in phrases])


def _class(kind: str, row: dict[str, Any]) -> Class:
    phrases, recall = tuple(map(normalise, row["phrases"])), tuple(map(str, row["recall"]))
    stay = str(row.get("stay", STAY_SAFE))
    own = tuple((str(tag), " ".join(str(text).split())) for tag, text in row.get("safety_in", {}).items())
    return Class(kind, bool(row["critical"]), phrases, " ".join(str(row["safety"]).split()), recall, stay, own)
