"""Corrections of what was said before, read from the resident's words: the right place, or other right words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from saidonce.foundation.model.conversation import Gathering, Slot
from saidonce.foundation.model.residents import InboundKind
from saidonce.foundation.text import words
from saidonce.repairs.conversation import lexicon
from saidonce.repairs.conversation.acts import ENGLISH, SpeechAct, phrases_of, shown_by
from saidonce.repairs.conversation.phrases import parts
from saidonce.repairs.conversation.problems import clauses, place_of, things_in
from saidonce.repairs.conversation.view import TurnView

MAX_STAR_WORDS = 6

_INSTEAD = re.compile(r"(?i)\w,? (?:and )?not (?:the |on |at |in |from |after |before )*([\w']+)\W*(?:\w+\W*){0,2}$")
MAX_DENIAL_WORDS = 8

PLACE = "corrected:location"
"""Beginning of the effect of a corrected place."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A correction: the sentence that shows it, and the right place (empty if none is named)."""

    quote: str
    place: str = ""


def correction(texts: Sequence[str], language: str) -> Correction | None:
    """Return the correction in messages, the last one; None without."""
    for message in reversed(texts):
        for part in reversed(parts(message)):
            if shown_by(SpeechAct.WRONG_HOME, part, language):
                continue
            is_star = _has_star(part) and len(part.split()) <= MAX_STAR_WORDS
            if is_star or shown_by(SpeechAct.CORRECT, part, language):
                return Correction(part, _place_put_right(part, language))
    return None


def _place_put_right(part: str, language: str) -> str:
    """Return the right place of a correcting sentence: that of its clause that corrects, if this names one."""
    each = (c for c in clauses(part) if shown_by(SpeechAct.CORRECT, c, language))
    return next((place for c in each if (place := _right_place(c, language))), "") or _right_place(part, language)


def denied(text: str, known: str) -> bool:
    """Return whether a short message puts other words in the place of known ones: "wednesday not tuesday, sorry"."""
    pair = _INSTEAD.search(text)
    return pair is not None and len(text.split()) <= MAX_DENIAL_WORDS and pair[1].lower() in words(known)


def edited(view: TurnView) -> Correction | None:
    """Return the correction in the new words of a changed message; None if nothing was changed."""
    texts = [i.text for i in view.new if i.kind is InboundKind.EDITED and i.text.strip()]
    return Correction(texts[-1], place_of(texts[-1])) if texts else None


def with_correction(view: TurnView) -> tuple[TurnView, str]:
    """Return the view with the corrected place in the open draft, and the change for the trail; empty without one."""
    of = view.conversation
    is_open = of.gathering in (Gathering.GATHERING_DETAILS, Gathering.AWAITING_PHOTO)
    change = None
    if is_open and view.texts:
        change = edited(view) or _other_place(view) or correction(view.texts, view.language)
    if change is None and of.gathering is Gathering.AWAITING_PHOTO:
        change = _bare_place(view.texts)
    if change is None:
        return view, ""
    draft = of.draft
    before = draft.location.value if draft.location else ""
    if not change.place or change.place.lower() == before.lower():
        return view, "corrected:words" if things_in(change.quote) or _has_number(change.quote) else ""
    draft = replace(draft, location=Slot(change.place, change.place))
    return replace(view, conversation=replace(of, draft=draft)), f"{PLACE}:{before}>{change.place}"


def _other_place(view: TurnView) -> Correction | None:
    """Return the place that a short message puts in place of the draft's: "sorry bathroom not kitchen"."""
    known = view.conversation.draft.location
    if not known:
        return None
    for text in view.texts:
        pair = _INSTEAD.search(text) if denied(text, known.value) else None
        place = place_of(text[: pair.start() + 1]) if pair and place_of(text[pair.start() + 1 :]) else ""
        if place:
            return Correction(text, place)
    return None


_ELLIPTIC = frozenset("no nope oh ah wait waiting sorry actually and that the one ones of".split())
"""Words around a place that is put in place of another: "no wait, the one in the hallway"."""

_AS_WELL = frozenset("fine ok okay good alright too also same photo photos pic pics".split())
"""Words beside a place in which there is no trouble, or one as well."""

_NOT_AT = r"\b(?:not|isn't|isnt|wasn't|wasnt)\s+(?:(?:in|at|on|the|my|our|of)\s+)*"


def _bare_place(texts: Sequence[str]) -> Correction | None:
    """Return a place that is sent by itself after the questions: "upstairs", "in the back bedroom"."""
    for text in reversed(texts):
        place = place_of(text)
        rest = set(words(text)) - set(words(place)) - lexicon.VAGUE - lexicon.POSITIONS - _ELLIPTIC
        if (
            place
            and len(rest) <= 1
            and _AS_WELL.isdisjoint(words(text))
            and not re.search(_NOT_AT + re.escape(place.lower()), text.lower())
            and not things_in(text)
            and not lexicon.names_fault(text)
        ):
            return Correction(text, place)
    return None


def _has_star(text: str) -> bool:
    """Return whether a text of more than a star begins or ends with one."""
    bare = text.strip()
    return len(bare) > 1 and "*" in (bare[0], bare[-1])


def _has_number(text: str) -> bool:
    return any(c.isdigit() for c in text)


def _right_place(part: str, language: str) -> str:
    """Return the place of a correcting sentence that is not the wrong one: "the hallway, not the bedroom"."""
    lists = [known for tag in dict.fromkeys((language, ENGLISH)) if (known := phrases_of(tag)) is not None]
    wrong = [p for known in lists for p in known.acts[SpeechAct.WRONG_PART].phrases]
    place = re.compile(
        rf"(?i)\b(?:{'|'.join(map(re.escape, wrong))})\s+(?:(?:in|at|on|the|my|our|a)\s+)*\w+(?:\s+room)?"
    )
    rest = place.sub(" ", part)
    return place_of(rest) if lexicon.names_place(rest) else ""
