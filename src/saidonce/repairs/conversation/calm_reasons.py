"""Reasons by which a clause is calm although it holds words of danger: past, solved, supposed, denied, a device, a figure.

A reason is two short lists that meet in one clause or message; `packs/calm_reasons.toml` names them. It takes out its
clause and nothing beside it, so that whatever else a message says is read as ever. None holds for a clause with a grave
word, and hardly any for a message that speaks of now.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from saidonce.foundation.text import folded
from saidonce.repairs.conversation.phrase_syntax import any_phrase

_SENTENCE = re.compile(r"[^.;!?\n]++[.;!?\n]?")
_CLAUSE = re.compile(r"[^,:()\n]++")
_JOINTS = {"en": "and|but|so", "es": "y|pero", "fr": "et|mais", "de": "und|aber|doch", "it": r"e(?!\W+\w+t[aeio](?!\w))|ma"}

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a message, as a half-open span of characters; `is_asked` if its sentence ends in a question mark."""

    span: Span
    text: str
    sentence: int
    is_asked: bool


class CalmReasons:
    """The reasons of one language."""

    def __init__(self, language: str, lists: dict[str, Sequence[str]]) -> None:
        self._joint = re.compile(rf"(?<![\w'])(?:{_JOINTS[language]})(?![\w'])")
        self._lists = {name: any_phrase([folded(p) for p in phrases]) for name, phrases in lists.items()}

    def spans(self, text: str) -> Iterator[Span]:
        """Yield the clauses of a text, in lower case and without accents, that are calm by a reason."""
        clauses = tuple(self._clauses(text))
        is_now = any(self._has(c, "now") for c in clauses if not c.is_asked)
        solved = max((n for n, c in enumerate(clauses) if self._has(c, "solved") and not self._has(c, "not")), default=-1)
        small = {c.sentence for c in clauses if self._is_small(c, text)}
        is_burnt_food = any(self._has(c, "food", "burnt") for c in clauses) and not self._in(text, "flames")
        for n, clause in enumerate(clauses):
            if self._has(clause, "grave"):
                continue
            is_over = not is_now and (n <= solved or self._has(clause, "past"))
            is_meal = is_burnt_food and self._has(clause, "burnt")
            if is_over or is_meal or clause.sentence in small or self._is_calm(clause, text):
                yield clause.span

    def _is_small(self, clause: Clause, text: str) -> bool:
        """Return whether a clause makes its whole sentence calm: a small thing that broke, or who comes on business."""
        if clause.is_asked and self._has(clause, "visitor", "enters"):
            return True
        is_small = self._has(clause, "small", "fault") or self._has(clause, "heater", "hot")
        return is_small and not self._in(text, "hurts")

    def _is_calm(self, clause: Clause, text: str) -> bool:
        return (
            self._has(clause, "wish")
            or self._has(clause, "torment", "abstract")
            or (self._has(clause, "device") and self._in(text, "upkeep") and not self._in(text, "alarms"))
            or self._is_denied(clause, text)
            or (clause.is_asked and (self._has(clause, "if", "irrealis") or self._has(clause, "swap")))
        )

    def _is_denied(self, clause: Clause, text: str) -> bool:
        """Return whether a clause denies a danger, without a doubt, and another one says what it is instead."""
        is_plain = self._has(clause, "not", "danger") and not self._has(clause, "doubt")
        return is_plain and self._in(text, "only") and not self._has(clause, "only")

    def _has(self, clause: Clause, *names: str) -> bool:
        return all(self._lists[name].search(clause.text) for name in names)

    def _in(self, text: str, name: str) -> bool:
        return self._lists[name].search(text) is not None

    def _clauses(self, text: str) -> Iterator[Clause]:
        for n, sentence in enumerate(_SENTENCE.finditer(text)):
            is_asked = sentence.group().endswith("?")
            for part in _CLAUSE.finditer(text, *sentence.span()):
                start = part.start()
                for joint in self._joint.finditer(text, *part.span()):
                    yield Clause((start, joint.start()), text[start : joint.start()], n, is_asked)
                    start = joint.end()
                yield Clause((start, part.end()), text[start : part.end()], n, is_asked)


@lru_cache(maxsize=1)
def calm_reasons() -> tuple[CalmReasons, ...]:
    """Return the reasons of all languages that have lists."""
    file = resources.files("saidonce.repairs.conversation") / "packs" / "calm_reasons.toml"
    rows = tomllib.loads(file.read_text(encoding="utf-8"))
    return tuple(CalmReasons(language, lists) for language, lists in rows.items())


def calm_spans(text: str) -> tuple[Span, ...]:
    """Return the clauses of a folded text that are calm by a reason of any language."""
    return tuple(span for language in calm_reasons() for span in language.spans(text))
