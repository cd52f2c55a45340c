"""Room: packs of emergency phrases, words of danger, and whether a message holds one. Recall first.

Two levels: what a phrase of the pack says is *sure* and gets the safety text at once; a word of danger in any form is
*possible* and costs one question. Company that calms makes what is sure possible, and never takes a danger away.
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
from saidonce.foundation.text import normalise

PACKS = ("uk", "us", "eu-en")
"""Packs that come along; an organisation may bring its own file."""

_GAP = r"(?:\W+\w+(?:'\w+)?){0,4}?\W+"
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_RUN = re.compile(r"([^\W\d_])\1{2,}")
_PICTURES = {"\U0001f525": " fire ", "\U0001f6a8": " alarm ", "\U0001f692": " fire ", "\U0001f691": " ambulance ",
             "\U0001f52a": " knife ", "\U0001f4a8": " smoke "}  # fmt: skip

MIN_TYPO_CHARS = 5
"""Shorter words have to be written as they are: one letter away from "gas" lies half the language."""

_SHORT = frozenset({"fire", "burn"})
"""Words of four letters that are read with one typing mistake all the same."""

_MASK = "\N{OBJECT REPLACEMENT CHARACTER}"
_LITTLE = stop_words()["phrase"]

MAX_ALONE = 4
"""Words of a message that is nothing but a danger, with words that add nothing to it: "help fire", "there's smoke"."""

_FILLERS = stop_words()["cry"]


@dataclass(frozen=True, slots=True)
class Class:
    """One class of emergencies.

    Attributes:
        kind: its name, such as "gas".
        is_critical: the landlord is alerted at once, and no model may call it off.
        phrases: words in order; `word*` also longer words, `a/b` one of several, `~` up to four words between,
            `-word` not followed by it.
        safety: what the resident is told at once; every number to call is in it.
        recall: messages that have to hit, for the pack's own test.
    """

    kind: str
    is_critical: bool
    phrases: tuple[str, ...]
    safety: str
    recall: tuple[str, ...]


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
        """Return a class by its name; one with a general safety text where an organisation's own pack has none."""
        general = f"If anybody is hurt or in danger ring {self.emergency} now. Get everybody to a safe place first."
        return next((c for c in self.classes if c.kind == kind), Class(kind, True, (), general, ()))


@dataclass(frozen=True, slots=True)
class PhraseMatch:
    """A phrase of a class that a message holds.

    Attributes:
        is_sure: the safety text is due at once; else one question is.
    """

    kind: str
    phrase: str
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class Dangers:
    """Words that stand for a danger, by kind, and what keeps them from it; `packs/dangers.toml` says what each is."""

    words: tuple[tuple[str, frozenset[str]], ...]
    phrases: tuple[tuple[str, tuple[str, ...]], ...]
    harmless: re.Pattern[str]
    calm: re.Pattern[str]
    lookalikes: frozenset[str]
    spelling: frozenset[str]


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
    """Give a pack that comes along.

    Raises:
        SettingsError: there is none of that name.
    """
    if name not in PACKS:
        raise SettingsError("emergency_pack", name, "one of " + ", ".join(PACKS))
    return read_pack(
        (resources.files("saidonce.repairs.conversation") / "packs" / f"{name}.toml").read_text(encoding="utf-8")
    )


def hits(pack: Pack, message: str) -> tuple[PhraseMatch, ...]:
    """Return the dangers that a message holds, each with what was found of it.

    Classes whose phrases are sure come in the pack's order. Where none is, there is at most one, which is possible: of
    a phrase in calming company or across a harmless compound ("the gas man will see to the leak"), else of a word.
    """
    dangers = known_dangers()
    text = _TOKEN.sub(lambda m: _spelled(m.group()), _readable(message))
    masked = dangers.harmless.sub(lambda m: _MASK * len(m.group()), text)
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


@lru_cache(maxsize=1)
def known_dangers() -> Dangers:
    """Return the words of danger that come along."""
    content = (resources.files("saidonce.repairs.conversation") / "packs" / "dangers.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(content)
    kinds = rows["kind"].items()
    return Dangers(
        words=tuple((kind, frozenset(row["words"].split())) for kind, row in kinds),
        phrases=tuple((kind, tuple(map(normalise, row["phrases"]))) for kind, row in kinds),
        harmless=_any(rows["harmless"]), calm=_any(rows["calm"]), lookalikes=frozenset(rows["lookalikes"].split()),
        spelling=frozenset(rows["spelling"].split()),
    )  # fmt: skip


def standing(events: Sequence[EmergencyEvent], issues: Sequence[Issue]) -> tuple[EmergencyEvent, ...]:
    """Return the alarms of a conversation that nobody has begun to deal with, oldest first; open questions are none.

    Args:
        events: of one conversation, oldest first.
        issues: of its organisation; an alarm is dealt with from the moment that its issue leaves the open column.
    """
    begun = {i.id for i in issues if i.state is not IssueState.OPEN}
    return tuple(e for e in events if e.state in (Alarm.SUSPECTED, Alarm.VALIDATED) and e.issue_id not in begun)


def began(alarms: Sequence[EmergencyEvent], turns: Sequence[Turn], draft_since: int = 0) -> int:
    """Return the seq of the first message that belongs to alarms; 0 without any.

    What came right before an alarm, and had no turn of its own, belongs to it; so does what an open draft is made of.
    """
    first = min((e.inbound_seq for e in alarms), default=0)
    beside = (n for t in turns if any(e.inbound_seq in t.inbound for e in alarms) for n in t.inbound)
    return min(first, draft_since or first, *beside)


def asked(events: Sequence[EmergencyEvent]) -> tuple[EmergencyEvent, ...]:
    """Return what a resident was asked about and has not answered, oldest first."""
    return tuple(e for e in events if e.state is Alarm.POSSIBLE)


def quiet(events: Sequence[EmergencyEvent], kind: str, at: datetime, again_s: float) -> bool:
    """Tell whether a class got its safety text so lately that it is not sent again; a question is no safety text."""
    sent = (e for e in events if e.kind == kind and e.replied and e.state in (Alarm.SUSPECTED, Alarm.VALIDATED))
    return any(abs(at - e.at) < timedelta(seconds=again_s) for e in sent)


def _of_pack(pack: Pack, text: str, masked: str) -> Iterator[PhraseMatch]:
    """Return what a pack's phrases find in a text, more of which than little words lies outside of the masks."""
    for each in pack.classes:
        for phrase in each.phrases:
            spans = (m.span() for m in _pattern(phrase).finditer(text))
            if any(set(_TOKEN.findall(masked[a:b])) - _LITTLE for a, b in spans):
                yield PhraseMatch(each.kind, phrase.partition(" -")[0])
                break


def _possible(dangers: Dangers, masked: str) -> tuple[PhraseMatch, ...]:
    """Return what may be a danger, phrases before words: they say better which."""
    found = [
        PhraseMatch(k, p.partition(" -")[0], False)
        for k, all_ in dangers.phrases
        for p in all_
        if _pattern(p).search(masked)
    ]
    tokens = _TOKEN.findall(masked)
    found += [PhraseMatch(k, word, False) for k, words in dangers.words for t in tokens if (word := _word_of(t, words))]
    return tuple(found)


@lru_cache(maxsize=65_536)
def _spelled(token: str) -> str:
    """Return the word of danger, or of its phrases, that a token is one typing mistake away from; else the token."""
    dangers = known_dangers()
    known = dangers.spelling.union(*(words for _, words in dangers.words))
    plain = token.removesuffix("'s")
    if len(plain) < MIN_TYPO_CHARS - 1 or plain in known or plain in dangers.lookalikes or plain.isdigit():
        return token
    long_ = (w for w in known if len(w) >= MIN_TYPO_CHARS or w in _SHORT)
    near = [w for w in long_ if OSA.distance(plain, w, score_cutoff=1) <= 1]
    return min(near, key=lambda w: (abs(len(w) - len(plain)), w), default=token)


def _word_of(token: str, words: frozenset[str]) -> str:
    plain = token.removesuffix("'s")
    return plain if plain in words else ""


def _is_alone(dangers: Dangers, text: str) -> bool:
    """Tell whether a message is a word of danger and nothing that says more of it."""
    tokens = _TOKEN.findall(text)
    others = [t for t in tokens if t not in _FILLERS and not any(_word_of(t, words) for _, words in dangers.words)]
    return len(tokens) <= MAX_ALONE and not others


def _readable(message: str) -> str:
    """Return a message in normal form, pictograms of danger as words, letters that are held down once."""
    for picture, word in _PICTURES.items():
        message = message.replace(picture, word)
    return _RUN.sub(r"\1", normalise(message).replace("-", " "))


def _any(phrases: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{_pattern(normalise(p)).pattern})" for p in phrases))


def _class(kind: str, row: dict[str, Any]) -> Class:
    phrases, recall = tuple(map(normalise, row["phrases"])), tuple(map(str, row["recall"]))
    return Class(kind, bool(row["critical"]), phrases, " ".join(str(row["safety"]).split()), recall)


@lru_cache(maxsize=4_096)
def _pattern(phrase: str) -> re.Pattern[str]:
    made, gap = "", ""
    for word in phrase.split():
        if word == "~":
            gap = _GAP
            continue
        one = "|".join(
            re.escape(w.rstrip("*")) + (r"[\w']*" if w.endswith("*") else "") for w in word.lstrip("-").split("/")
        )
        if word.startswith("-"):
            made += rf"(?!\W+(?:{one})(?!\w))"
            continue
        made += (gap or r"\W+") * bool(made) + f"(?:{one})"
        gap = ""
    return re.compile(rf"(?<![\w-]){made}(?!\w)")
