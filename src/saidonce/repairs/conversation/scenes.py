"""Dangers by what is seen, heard and felt: a scene is written once, and found in every language that has its words.

A scene has parts, such as a child, what may not be drunk, and a drinking of it. They stand near each other in any
order, since each language has an order of its own. A scene asks, and is never sure.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from saidonce.foundation.remembering import remembered
from saidonce.foundation.text import folded
from saidonce.repairs.conversation.emergency import PhraseMatch

LANGUAGES = ("en", "de", "es", "fr", "it", "pl", "pt", "nl", "ro", "ar", "zh")
"""Languages with a table of words for the parts of scenes."""

WITHIN = 10
"""Words in which all parts of a scene stand, if it says nothing else."""

TRIED = 5
"""Places of one part that are tried: as many as a scene has parts, so that one of them is free for each."""

MIN_BEGINNING = 3
"""Letters of the shortest word that a table may give by its beginning."""

_TOKEN = re.compile(r"[^\W_]+")
_LETTER = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
LETTERS_OF_WORD = 2
"""Letters of a script without spaces that count as one word of a scene."""

SENTENCE_END = 5
"""Words that the end of a sentence counts for: what stands behind it is about something else more often."""

COMPOUNDS = "compounds"
"""The group of what means none of the words in it."""

_SENTENCE_END = re.compile(r"[.!?;\n\u3002]")
_JOINED = "_"
_SMALL_BEFORE = re.compile(
    "[\u0648\u0641]?(?:\u0628\u0627\u0644|\u0643\u0627\u0644|\u0641\u0627\u0644|\u0627\u0644|\u0644\u0644|\u0628|\u0644|\u0641|\u0643)?"
)
"""Small words that Arabic glues to the front of another one: and, the, in the, for the."""


@dataclass(frozen=True, slots=True)
class DangerScene:
    """One scene.

    Attributes:
        kind: class of the danger.
        says: what is seen, for the evidence.
        parts: names of groups of words; each part is one of several groups.
        within: words in which all parts stand.
    """

    kind: str
    says: str
    parts: tuple[tuple[str, ...], ...]
    within: int


@dataclass(frozen=True, slots=True)
class DangerSceneWords:
    """The words of one language for the parts of scenes.

    Attributes:
        whole: groups of a word.
        begins: groups of words that begin so.
        joined: by its first word, the further words of each expression and its group.
        longest: letters of the longest of the beginnings.
        tokens: splits a text.
        is_glued: whether small words may be glued to the front.
        is_spaced: whether words have spaces between them; a letter is a token without.
    """

    whole: Mapping[str, frozenset[str]]
    begins: Mapping[str, frozenset[str]]
    joined: Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]
    longest: int
    tokens: re.Pattern[str]
    is_glued: bool
    is_spaced: bool

    def places(self, text: str) -> dict[str, list[int]]:
        """Return the places of each group in a folded text, counted in words, in order."""
        tokens, places = self._counted(text)
        places_of: dict[str, list[int]] = {}
        at = 0
        while at < len(tokens):
            if skipped := self._compound(tokens, at):
                at += skipped
                continue
            for group in self._groups(tokens, at):
                places_of.setdefault(group, []).append(places[at])
            at += 1
        return places_of

    def _counted(self, text: str) -> tuple[list[str], list[int]]:
        """Return the words of a text and their places; the end of a sentence is as far as some words."""
        tokens: list[str] = []
        places: list[int] = []
        end, far = 0, 0
        for word in self.tokens.finditer(text):
            far += SENTENCE_END if _SENTENCE_END.search(text, end, word.start()) else 0
            end = word.end()
            tokens.append(word.group())
            places.append(len(places) + far)
        return tokens, places

    def _compound(self, tokens: Sequence[str], at: int) -> int:
        """Return how many words of a compound begin here that means none of them: a balcony's door."""
        rests = (rest for rest, group in self.joined.get(tokens[at], ()) if group == COMPOUNDS)
        return max((1 + len(rest) for rest in rests if self._follows(tokens, at + 1, rest)), default=0)

    def _groups(self, tokens: Sequence[str], at: int) -> set[str]:
        groups: set[str] = set()
        for token in _readings(tokens[at]) if self.is_glued else (tokens[at],):
            groups |= self.whole.get(token, frozenset())
            for length in range(MIN_BEGINNING, min(len(token), self.longest) + 1):
                groups |= self.begins.get(token[:length], frozenset())
            groups.update(group for rest, group in self.joined.get(token, ()) if self._follows(tokens, at + 1, rest))
        return groups

    def _follows(self, tokens: Sequence[str], at: int, rest: tuple[str, ...]) -> bool:
        there = tokens[at : at + len(rest)]
        return len(there) == len(rest) and all(
            token.startswith(word[:-1]) if word.endswith("*") else token == word
            for token, word in zip(there, rest, strict=True)
        )


@remembered(4_096)
def find_scenes(masked: str) -> tuple[PhraseMatch, ...]:
    """Return the first scene in a folded text whose harmless words are masked, if there is one."""
    for language in LANGUAGES:
        words = scene_words(language)
        places = words.places(masked)
        for scene in scenes() if len(places) > 1 else ():
            if _stands(scene, places, scene.within * (1 if words.is_spaced else LETTERS_OF_WORD)):
                return (PhraseMatch(scene.kind, f"scene: {scene.says} ({language})", is_sure=False),)
    return ()


@lru_cache(maxsize=1)
def scenes() -> tuple[DangerScene, ...]:
    """Return the scenes, the most urgent classes first."""
    rows = tomllib.loads(_file("scenes.toml"))["scene"]
    return tuple(
        DangerScene(row["kind"], row["says"], tuple(tuple(part.split("|")) for part in row["parts"]),
              row.get("within", WITHIN))
        for row in rows
    )  # fmt: skip


@lru_cache(maxsize=16)
def scene_words(language: str) -> DangerSceneWords:
    """Return the words of a language for the parts of scenes."""
    name = "dangers.toml" if language == "en" else f"dangers_{language}.toml"
    rows: dict[str, Any] = tomllib.loads(_file(name))
    is_spaced = rows.get("script") != "unspaced"
    tokens = _TOKEN if is_spaced else _LETTER
    whole: dict[str, set[str]] = {}
    begins: dict[str, set[str]] = {}
    joined: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for group, words in rows["scene_words"].items():
        for word in folded(words).split():
            first, *rest = word.split(_JOINED) if is_spaced else tokens.findall(word)
            if rest:
                joined.setdefault(first, []).append((tuple(rest), group))
            elif first.endswith("*"):
                begins.setdefault(first[:-1], set()).add(group)
            else:
                whole.setdefault(first, set()).add(group)
    return DangerSceneWords(
        {word: frozenset(groups) for word, groups in whole.items()},
        {word: frozenset(groups) for word, groups in begins.items()},
        {word: tuple(each) for word, each in joined.items()},
        max(map(len, begins), default=0),
        tokens,
        bool(rows.get("glued")),
        is_spaced,
    )


def _stands(scene: DangerScene, places: Mapping[str, list[int]], within: int) -> bool:
    """Return whether each part of a scene has a word of its own, all of them near each other."""
    parts = [sorted({at for group in part for at in places.get(group, ())}) for part in scene.parts]
    if not all(parts):
        return False
    return any(_is_near(parts, at, within) for at in sorted({at for part in parts for at in part}))


def _is_near(parts: Sequence[Sequence[int]], first: int, within: int) -> bool:
    """Return whether all parts stand in so many words from a place on."""
    near = []
    for part in parts:
        from_, to = bisect_left(part, first), bisect_right(part, first + within)
        near.append(part[from_ : min(to, from_ + TRIED)])
    return all(near) and any(True for _ in _apart(near, frozenset()))


def _apart(near: Sequence[Sequence[int]], taken: frozenset[int]) -> Iterator[frozenset[int]]:
    """Yield the choices of one place for each part, none of them twice."""
    if not near:
        yield taken
        return
    for at in near[0]:
        if at not in taken:
            yield from _apart(near[1:], taken | {at})


def _readings(token: str) -> tuple[str, ...]:
    """Return an Arabic word as it is written, and without the small words glued to its front."""
    longest = _SMALL_BEFORE.match(token)
    bare = token[longest.end() :] if longest else token
    one = token[1:] if token[0] in "\u0648\u0641\u0628\u0644" else token
    the = token[2:] if token.startswith("\u0627\u0644") else token
    return tuple(dict.fromkeys(each for each in (token, bare, one, the) if len(each) > 1 or each == token))


def _file(name: str) -> str:
    return (resources.files("saidonce.repairs.conversation") / "packs" / name).read_text(encoding="utf-8")
