"""Numbered steps below a line, and the sentences in which another text has the same ones behind the same words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from saidonce.matching.facts.lexicon import table
from saidonce.matching.facts.plain.stretches import Extent, folded

_STEP = re.compile(r"[ \t]*\(?(?P<n>\d{1,2}|[a-h])[.)][ \t]+(?P<step>\S[^\n]*)")
_MOST = 12


class NumberedSteps(NamedTuple):
    """Numbered lines with the line that leads to them, which may be empty."""

    place: Extent
    lead: str
    steps: tuple[str, ...]


def with_steps(text: str, other: str, language: str) -> str:
    """Write numbered steps as the sentences in which another text states each of them, in their turn and led alike.

    Nothing may come between two of them but a mark, and a word that says "and" or "then".
    """
    words = _words(language)
    if not words:
        return text
    for steps in reversed(tuple(_numbered(text))):
        hit = _as_sentences(steps, language).search(other) if _may_be_joined(steps, language) else None
        if hit is not None:
            before, after = text[: steps.place.start], text[steps.place.end :].lstrip()
            text = f"{before}{hit[0]}{' ' * bool(after)}{after}"
    return text


def _words(language: str) -> dict[str, str]:
    hit: dict[str, str] = table("layouts").get(language, {})
    return hit if "then" in hit else {}


def _numbered(text: str) -> Iterator[NumberedSteps]:
    """Yield the steps of a text that are numbered from one on."""
    run: list[str] = []
    lead, start, at = "", 0, 0
    for line in (*text.split("\n"), ""):
        hit = _STEP.fullmatch(line)
        if hit and hit["n"] in (str(len(run) + 1), "abcdefgh"[len(run) : len(run) + 1] or None):
            run.append(hit["step"].rstrip(" ;,."))
            end = at + len(line)
        elif line.strip() or at + len(line) >= len(text):
            if 1 < len(run) <= _MOST and lead.rstrip("*_ ").endswith(":"):
                yield NumberedSteps(Extent(start, end), lead, tuple(run))
            lead, start, run = line, at, []
        at += len(line) + 1


def _may_be_joined(steps: NumberedSteps, language: str) -> bool:
    """Return whether no step has a word that would reach over those behind it: "not", "if", "or"."""
    reaching = _reaching(language)
    return not any(reaching.search(step) for step in steps.steps[:-1])


@cache
def _reaching(language: str) -> re.Pattern[str]:
    listed = "|".join(map(re.escape, _words(language)["reaching"].split()))
    return re.compile(rf"(?<!\w)(?:{listed})(?!\w)|n['\u2019]t\b", re.IGNORECASE)


def _as_sentences(steps: NumberedSteps, language: str) -> re.Pattern[str]:
    """Return an expression for the sentences that state steps one after the other.

    Only where the words in front say to what end they are done they hold for more than one sentence.
    """
    words = _words(language)
    lead = folded(steps.lead.strip("# "))
    joints = rf"(?:(?:{words['then']})(?!\w),? )?"
    ends = "[.,;]" if re.match(rf"(?:{words['aims']})(?!\w)", lead) else "[,;]"
    joint = rf"(?:{ends} {joints}| (?:{words['then']}) )"
    done = joint.join(map(_with_any_first, steps.steps))
    opening = r"\s+".join(map(re.escape, lead.split()))
    return re.compile(rf"(?<![^\s*_])[*_]{{0,2}}(?i:{opening})[*_]{{0,2}} ?[,:]?[*_]{{0,2}}\s{done}\.")


def _with_any_first(step: str) -> str:
    first = step[0]
    return rf"[{re.escape(first.lower())}{re.escape(first.upper())}]{re.escape(step[1:])}"
