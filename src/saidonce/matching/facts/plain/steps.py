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
    """Numbered lines with the line that leads to them, which ends with a colon or is empty."""

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
    at = len(text)
    for steps in reversed(tuple(_numbered(text))):
        form = _as_sentences(steps, language) if steps.place.end <= at else None
        if form is not None and (hit := form.search(other)):
            before, after = text[: steps.place.start], text[steps.place.end :].lstrip()
            text = f"{before}{hit[0]}{' ' * bool(after)}{after}"
            at = steps.place.start
    return text


def _words(language: str) -> dict[str, str]:
    hit: dict[str, str] = table("layouts").get(language, {})
    return hit if "then" in hit else {}


def _numbered(text: str) -> Iterator[NumberedSteps]:
    """Yield the steps of a text that are numbered from one on."""
    run: list[str] = []
    lead, start, first, at = "", 0, 0, 0
    for line in (*text.split("\n"), ""):
        hit = _STEP.fullmatch(line)
        if hit and hit["n"] in (str(len(run) + 1), "abcdefgh"[len(run) : len(run) + 1] or None):
            first = first if run else at
            run.append(hit["step"].rstrip(" ;,."))
            end = at + len(line)
        elif line.strip() or at + len(line) >= len(text):
            if 1 < len(run) <= _MOST:
                if lead.rstrip("*_ ").endswith(":"):
                    yield NumberedSteps(Extent(start, end), lead, tuple(run))
                yield NumberedSteps(Extent(first, end), "", tuple(run))
            lead, start, run = line, at, []
        at += len(line) + 1


def _reaches(step: str, language: str) -> bool:
    """Return whether a step has a word that would reach over the next one in a sentence: "not", "if", "on Mondays"."""
    fronts = _words(language)["fronts"].split()
    return _reaching(language).search(step) is not None or step.split(maxsplit=1)[0].casefold() in fronts


@cache
def _reaching(language: str) -> re.Pattern[str]:
    listed = "|".join(map(re.escape, _words(language)["reaching"].split()))
    return re.compile(rf"(?<!\w)(?:{listed})(?!\w)|n['\u2019]t\b", re.IGNORECASE)


def _as_sentences(steps: NumberedSteps, language: str) -> re.Pattern[str] | None:
    """Return an expression for the sentences that state steps one after the other; None if words in front may reach.

    These hold for more than one sentence only where they say to what end all is done.
    """
    words = _words(language)
    lead = folded(steps.lead.strip("# "))
    is_free = not lead or re.match(rf"(?:{words['aims']})(?!\w)", lead)
    then = f"(?i:{words['then']})"
    within, behind = rf"(?:[,;] (?:{then}(?!\w),? )?| {then} )", rf"\. (?:{then}(?!\w),? )?"
    done = ""
    for n, step in enumerate(steps.steps):
        done += _with_any_first(step)
        if n + 1 == len(steps.steps):
            break
        joints = ([] if _reaches(step, language) else [within]) + ([behind] if is_free else [])
        if not joints:
            return None
        done += f"(?:{'|'.join(joints)})"
    if not lead:
        return re.compile(rf"(?:(?<![^\n])|(?<=[.!?:*]\s)){done}\.")
    opening = r"\s+".join(map(re.escape, lead.split()))
    return re.compile(rf"(?<![^\s*_])[*_]{{0,2}}(?i:{opening})[*_]{{0,2}} ?[,:]?[*_]{{0,2}}\s{done}\.")


def _with_any_first(step: str) -> str:
    first = step[0]
    return rf"[{re.escape(first.lower())}{re.escape(first.upper())}]{re.escape(step[1:])}"
