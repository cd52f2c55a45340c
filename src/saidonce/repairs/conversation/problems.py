"""Several problems in one message, or one more while another is open: each gets a draft with its own words.

Parts of messages are clauses, word for word. A clause is a problem of its own if it names a thing and what is wrong
with it, and is no effect of the problem before: another trade, an explicit "also", or another place with another thing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from saidonce.foundation.model.conversation import Category, Slot
from saidonce.foundation.text import words
from saidonce.repairs.conversation import lexicon
from saidonce.repairs.conversation.acts import SpeechAct, shown_by

_PART = re.compile(
    r"(?:(?<=[.!?;])(?<!\b\d\.)\s++|(?<!\n)\n++\s*+|;\s*+|,\s++(?:(?:and|but|plus|also)\s++)?"
    r"|(?<=\d\.)\s++(?=(?:no|can't|cant|cannot|sorry)\b)"
    r"|(?<!\s)(?<!number)(?<!flat)(?<!house)(?<!unit)(?<!\bno)\s++(?=\(?[1-9][.)]\s)"
    r"|(?<!\s)\s++(?:and (?:then )?)?the (?:other|second|next|last) (?:thing|problem|issue|matter)"
    r"(?: is| was)?(?: that)?[:,]?\s++|(?<!\s)\s++(?:and|an(?=\s+(?:the|my|our)\b)|but|plus|&|\+)\s++)(?=\S)",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"(?i)^(?:(?:and|an(?=\s+(?:the|my|our)\b)|but|&|\+|oh and|that|(?:first|second|third|last)ly,?|[1-9][.)])\s+)+"
)
_ALSO = re.compile(r"(?i)^(?:and |oh and |plus )?also\b")
_NUMBERED = re.compile(r"(?:^|\n|\s)\(?[1-9][.)]\s+\S")
_FIRST = re.compile(r"(?i)\bfirst(?:ly| off| of all| thing)?\b")
_SECOND = re.compile(r"(?i)\b(?:second(?:ly)?|(?:other|next) (?:thing|problem|issue|matter))\b")
"""Problems numbered in words: "firstly ... and secondly ..."."""

_ANNOUNCED = re.compile(
    r"(?i)\b(?P<n>two|2|three|3|(?:a )?couple of) (?:little |small |quick )?"
    r"(?:things|problems|issues|repairs|jobs|faults|matters|bits|niggles|snags|points)"
    r"(?:\s+(?:here|please|today|really|actually|basically|erm?|um+|uh+|for you|to report"
    r"|(?:in|with|about) (?:the|my|our) \w+(?: \w+)?)){0,4}\s*(?:[:.,!-]|(?=\s(?:the|my|our)\s))"
)
_COUNTS = {"two": 2, "2": 2, "a couple of": 2, "couple of": 2, "three": 3, "3": 3}
_AT_START = re.compile(r"(?i)^\W*(?:(?:hi|hello|hey|hiya)\W+)?(?:in|at|inside) (?:the |my |our |your )?")
_AT_END = re.compile(r"(?i)\b(?:in|at|inside) (?:the |my |our |your )?([\w' ]+?)\W*$")

_ONE_SYSTEM = frozenset({Category.HEATING, Category.STRUCTURE, Category.DAMP, Category.ELECTRICAL, Category.APPLIANCE})
"""Trades in which several things usually fail together: "the boiler is off and the radiators are cold"."""

_EFFECTS = frozenset({Category.STRUCTURE, Category.DAMP})
"""Trades of things that suffer from another trouble: a ceiling under a bath."""

_GOES_ON = frozenset("it it's its which that".split())
_NO_SUBJECT = re.compile(
    r"(?i)(?:stuck|jammed|hanging|leaking|dripping|coming|going|making|stopped|sitting|standing|running)"
    r" (?:on|in|at|from|onto|into|off|out|all|again|when|since|half|halfway|a|an|the|with|by|after|every)\b"
    r"|(?:keeps?|won't|wont|doesn't|doesnt|sounds|looks|seems|comes|gets|makes) (?!the\b|my\b|our\b)"
    r"|with (?:its|it's)\b"
)
"""How a clause begins that has no thing of its own: "stuck on the ground floor with its doors open"."""

_BY_PEOPLE = frozenset(
    "man men fella guy engineer plumber electrician contractor caretaker landlord you someone couple neighbour"
    " neighbours neighbor neighbors people students lads kids builders workmen".split()
)
"""Words of a clause that tells who did something with a thing, and not what is wrong with it."""

_PRESENT = re.compile(
    r"(?i)\b(?:is|are|'s|isn't|isnt|aren't|arent|won't|wont|doesn't|doesnt|don't|dont|can't|cant|keeps?|needs?) "
)
"""How a clause says what a thing is like now."""

_AT_THING = re.compile(
    r"(?i)\b(?:off|from|behind|above|below|under|underneath|beside|near|next to|against) (?:the |my |our )?\w+"
)
"""Where a thing is, or what it came off: no second thing of the clause."""

_CODE = re.compile(
    r"\b(?:says?|shows?|showing|reads?|displays?|displaying|flash(?:es|ing)?|error|fault)\b.{0,20}\b[A-Z]{1,2}-?\d{2,3}\b"
)
"""An error code on a display: "the combi says E119"."""

_GAP = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands where a part was taken out: a number in front of it goes too, "at number 5." elsewhere stays."""

_THANKS_FOR = re.compile(r"(?i)(?:\w+ ){0,2}?(?:thanks|thank you|cheers) (?:again |so much |very much )*for\b")
"""How a clause begins that thanks for what was done to a thing, and reports nothing of it."""

_SUPPLY = frozenset("water pressure power electricity electrics tripped trip trips tripping fuse hot".split())
"""Words for what several things share: "the boiler is off and there's no hot water"."""

_HEATERS = frozenset("boiler combi heating immersion cylinder".split())
_WARMTH = frozenset("hot lukewarm tepid warm cold freezing heating heat".split())
"""What makes water and rooms warm, and how somebody finds them."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A problem in a message: its clauses, word for word, and its place (empty if none is named)."""

    clauses: tuple[str, ...]
    place: str = ""

    @property
    def text(self) -> str:
        """All its words."""
        return " ".join(self.clauses)


def clauses(message: str) -> tuple[str, ...]:
    """Return the clauses of a message, word for word and in order."""
    return tuple(p for part in _PART.split(message.rstrip()) if (p := _LEADS.sub("", part.strip(" \t,;"))) and words(p))


def troubles(texts: Sequence[str], language: str) -> tuple[Trouble, ...]:
    """Return the problems in messages, in order; clauses without a thing of their own belong to the one before.

    Clauses in front of the first problem belong to it.
    """
    groups: list[Trouble] = []
    waiting: list[str] = []
    for message in texts:
        counted = _counted(message, language)
        if counted and not groups:
            groups += counted
            continue
        for clause in clauses(message):
            if not groups and not is_trouble(clause, language, lists(message)):
                waiting.append(clause)
            elif not groups and (first := _stands_apart(waiting, clause, language)) is not None:
                groups += [first, Trouble((clause,), place_of(clause))]
            elif not groups:
                groups.append(Trouble((*waiting, clause), place_of(clause)))
            elif _is_separate(groups, clause, message, language):
                groups.append(Trouble((clause,), place_of(clause)))
            else:
                at = _group_of(groups, clause)
                place = _whereabouts(groups[at].place, place_of(clause))
                groups[at] = Trouble((*groups[at].clauses, clause), place)
        groups = _with_shared_place(groups, message)
    return tuple(groups)


def _counted(message: str, language: str) -> list[Trouble]:
    """Return the problems of a message that says how many they are and then names as many; empty for any other.

    What is wrong at a place is one of them, whatever the thing is called.
    """
    announced = _ANNOUNCED.search(message)
    if announced is None or things_in(message[: announced.start()]):
        return []
    named: list[Trouble] = []
    for clause in clauses(message[announced.end() :]):
        if named and (_goes_on(clause) or not (things_in(clause) or place_of(clause))):
            last = named[-1]
            named[-1] = Trouble((*last.clauses, clause), _whereabouts(last.place, place_of(clause)))
        elif things_in(clause) or (place_of(clause) and shown_by(SpeechAct.FAULT, clause, language)):
            named.append(Trouble((clause,), place_of(clause)))
        else:
            return []
    place = lexicon.place_in(announced.group())
    named = [each if each.place or not place else replace(each, place=place) for each in named]
    return named if len(named) == _COUNTS.get(announced["n"].lower()) else []


def _stands_apart(waiting: Sequence[str], clause: str, language: str) -> Trouble | None:
    """Return the problem in clauses without a known fault before the first one with one; None if they are part of it.

    What is said of another thing at another place is what is wrong with it, and no part of the problem here.
    """
    if (first := _before_also(waiting, clause, language)) is not None:
        return first
    if _NO_SUBJECT.match(clause):
        return None
    here = place_of(clause)
    head = next((c for c in waiting if things_in(c) and _is_elsewhere(c, here)), "")
    if not head or not is_trouble(head, language, is_listed=True) or not _BY_PEOPLE.isdisjoint(words(head)):
        return None
    if things_in(head) & things_in(clause) or shown_by(SpeechAct.CONSEQUENCE, clause, language):
        return None
    if _is_source(clause, " ".join(waiting)):
        return None
    return Trouble(tuple(waiting), place_of(head))


def _before_also(waiting: Sequence[str], clause: str, language: str) -> Trouble | None:
    """Return the problem in clauses without a known fault before one that begins with "also"; None without one.

    Who writes "also" had a problem before it: what is said of another thing there is what is wrong with it.
    """
    if not _ALSO.match(clause):
        return None
    head = next((c for c in waiting if is_trouble(c, language, is_listed=True)), "")
    if not head or not _BY_PEOPLE.isdisjoint(words(head)) or things_in(head) & things_in(clause):
        return None
    return Trouble(tuple(waiting), next((p for c in waiting if (p := place_of(c))), ""))


def lists(message: str) -> bool:
    """Return whether a message numbers its problems, or says that it holds several: "two things: ..."."""
    return _counts(message) or _ANNOUNCED.search(message) is not None


def _is_listed(clause: str, message: str) -> bool:
    """Return whether a clause of a message that lists problems is one of them, and says nothing of the one before."""
    return not _goes_on(clause) and (lists(message) or _NUMBERED.search(message) is not None)


def _is_numbered(clause: str, message: str) -> bool:
    """Return whether the writer numbers problems, in figures or in words, and a clause is one of them.

    Then it is one of its own even if it names a thing that another one names: "1) cupboard door hangs 2) door sticks".
    """
    return _counts(message) and not _goes_on(clause)


def _goes_on(clause: str) -> bool:
    """Return whether a clause says more of the thing before it: "it's in the downstairs loo"."""
    return words(clause)[0] in _GOES_ON or _NO_SUBJECT.match(clause) is not None


def is_trouble(clause: str, language: str, is_listed: bool = False) -> bool:
    """Return whether a clause names a thing and what is wrong with it, and takes nothing back.

    Args:
        clause: the words.
        language: whose tables are read.
        is_listed: the writer lists problems; then whatever is said of a thing is what is wrong with it.
    """
    if lexicon.only_asks(clause) or lexicon.declines(clause) or not things_in(clause):
        return False
    if shown_by(SpeechAct.SOLVED, clause, language) or _THANKS_FOR.match(clause):
        return False
    faulty = not (lexicon.FAULTS | lexicon.WORSE).isdisjoint(words(clause))
    says_more = is_listed and len(words(clause)) > len(things_in(clause)) + 1 and not _goes_on(clause)
    return faulty or says_more or bool(_CODE.search(clause) or shown_by(SpeechAct.FAULT, clause, language))


def is_another(known: str, place: str, clause: str, message: str, language: str) -> bool:
    """Return whether a clause is a problem beside a known one; see the head of this module.

    Args:
        known: the words of the known problem, and `place` its place, or empty.
        clause: part of `message`.
    """
    here, there = things_in(clause), things_in(known)
    is_more = not here & there and _says_more(clause, language)
    if _NO_SUBJECT.match(clause) or not is_trouble(clause, language, lists(message) or is_more):
        return False
    is_elsewhere = _is_elsewhere(clause, place)
    if not there or (here & there and not is_elsewhere and not _is_numbered(clause, message)):
        return False
    before, after = _trade(there), _trade(here)
    is_named = bool(shown_by(SpeechAct.MORE, clause, language)) or _is_listed(clause, message) or (
        bool(shown_by(SpeechAct.MORE, message, language)) and message.strip().endswith(clause)
    )  # fmt: skip
    if is_named:
        return True
    if shown_by(SpeechAct.CONSEQUENCE, clause, language) or not _SUPPLY.isdisjoint(words(clause)):
        return False
    is_effect = after in _EFFECTS and before is Category.PLUMBING and not here & there
    if is_effect or _is_source(clause, known) or _is_source(known, clause):
        return False
    other_trade = after is not before or bool(here & there)
    return other_trade if before in _ONE_SYSTEM else (other_trade or is_elsewhere)


def _is_source(clause: str, other: str) -> bool:
    """Return whether a clause is about what makes water and rooms warm, and another one about how warm they are."""
    things = things_in(clause)
    return bool(things) and things <= _HEATERS and not _WARMTH.isdisjoint(words(other))


def _says_more(clause: str, language: str) -> bool:
    """Return whether a clause says by "as well" or "too" that something is now wrong with its thing, whatever it is."""
    if not shown_by(SpeechAct.MORE, clause, language) or "?" in clause:
        return False
    return bool(_PRESENT.search(clause)) and _BY_PEOPLE.isdisjoint(words(clause))


def _counts(message: str) -> bool:
    """Return whether a message numbers its problems, in figures or in words."""
    if len(_NUMBERED.findall(message)) > 1:
        return True
    first = _FIRST.search(message)
    return first is not None and _SECOND.search(message, first.end()) is not None


def _without_last_joints(text: str) -> str:
    """Return a text without the connecting words at its end."""
    while text and (words_of := text.rsplit(None, 1))[-1].casefold() in _LAST_JOINTS:
        text = words_of[0] if len(words_of) > 1 else ""
    return text


_LAST_JOINTS = frozenset(("and", "also", "plus", "but", "that", "&", ","))


def without(text: str, parts: Sequence[str]) -> str:
    """Return a text without some of its parts, and without the connecting words that this leaves at its ends."""
    for part in parts:
        text = re.sub(rf"(?<!\w){re.escape(part)}(?!\w)", _GAP, text)
    text = re.sub(
        rf"(?i)(?:^|(?<!number)(?<!flat)(?<!house)(?<!unit)(?<!\bno)\s)\(?[1-9][.)]\s*(?={_GAP})", " ", text
    ).replace(_GAP, " ")
    text = _without_last_joints(text.strip())
    text = re.sub(r"(?i)\s(?:and|also|plus|but)\s*([.!?,;])", r"\1", text)
    return " ".join(re.sub(r"(?i)^\W*(?:and|also|plus|but)\s", " ", text).split()) if parts else text


def without_refusal(text: str, language: str) -> str:
    """Return a text without the clauses that refuse a photo; what else it says stays, courtesies aside."""
    refusing = [c for c in clauses(text) if _refuses(c, language)]
    if not refusing:
        return text
    rest = re.sub(r"(?<!\s)\s*+,(?:\s*+,)++", ",", without(text, refusing)).strip(" ,;")
    return "" if _COURTESIES.issuperset(words(rest)) else rest


_COURTESIES = frozenset("sorry please pls thanks thank you cheers hi hello ok okay but and so".split())


def _refuses(clause: str, language: str) -> bool:
    if lexicon.declines(clause):
        return True
    return lexicon.asks_for_photo(clause) and lexicon.refuses_photo(clause, language)


def texts_of(own: Sequence[str], not_mine: Sequence[str], texts: Sequence[str]) -> tuple[str, ...]:
    """Return the words that belong to a draft: its own parts, and the messages without the parts of other problems."""
    kept = (without(t, not_mine) for t in texts)
    return (*own, *(t for t in kept if words(t)))


def slots_of(trouble: Trouble) -> tuple[Slot | None, Slot | None]:
    """Return description and location of a problem as quotes; None for what it does not say."""
    what = next((c for c in trouble.clauses if things_in(c) and not lexicon.is_vague(c)), "")
    return (Slot(what, what) if what else None), (Slot(trouble.place, trouble.place) if trouble.place else None)


def _whereabouts(known: str, named: str) -> str:
    """Return the place of a problem: that of its first clause, unless this is only the thing, such as the toilet."""
    is_thing = bool(known) and set(words(known)) <= lexicon.FIXTURES
    return named if named and (is_thing or not known) else known


def _is_separate(groups: Sequence[Trouble], clause: str, message: str, language: str) -> bool:
    last, is_counted = groups[-1], _is_numbered(clause, message)
    return is_another(last.text, last.place, clause, message, language) and all(
        is_counted or not things_in(g.text) & things_in(clause) or _is_elsewhere(clause, g.place) for g in groups
    )


def _is_elsewhere(clause: str, place: str) -> bool:
    """Return whether a clause names a place, and none of the words of another one."""
    here = place_of(clause)
    return bool(here) and bool(place) and set(words(here)).isdisjoint(words(place))


def _group_of(groups: Sequence[Trouble], clause: str) -> int:
    """Return the problem that a clause belongs to: one that shares a thing, else the last one."""
    here = things_in(clause)
    return next((n for n, g in enumerate(groups) if here & things_in(g.text)), len(groups) - 1)


def _with_shared_place(groups: list[Trouble], message: str) -> list[Trouble]:
    """Return the one place at the beginning or the end of a message to all its problems without a place."""
    places = {g.place for g in groups if g.place}
    if len(groups) < 2 or len(places) != 1:
        return groups
    (place,) = places
    starts = _AT_START.match(message)
    at_start = starts is not None and message[starts.end() :].lower().startswith(place.lower())
    ends = _AT_END.search(message)
    at_end = ends is not None and ends[1].lower().endswith(place.lower())
    return [replace(g, place=place) for g in groups] if at_start or at_end else groups


def place_of(clause: str) -> str:
    """Return the place that a clause names; empty if the whole clause is one long description of it."""
    place = lexicon.place_in(clause)
    return place if len(place) < len(clause) or len(words(place)) <= 3 else ""


def things_in(text: str) -> frozenset[str]:
    """Return the things in words, without plurals; parts of a door or a window count as it.

    A thing that only says where another one is, or what it came off, counts if it is the only one.
    """
    return _named_in(_AT_THING.sub(" ", text)) or _named_in(text)


def _named_in(text: str) -> frozenset[str]:
    whole = {"handle": "door", "lock": "door", "hinge": "door", "latch": "window", "pane": "window", "glass": "window",
             "bulb": "light", "lamp": "light", "loo": "toilet", "cistern": "toilet", "faucet": "tap"}  # fmt: skip
    named = (w.removesuffix("'s") for w in words(text))
    single = (w.removesuffix("s") if w.removesuffix("s") in lexicon.THINGS else w for w in named if w in lexicon.THINGS)
    return frozenset(whole.get(w, w) for w in single) - {"step", "key"}


def _trade(things: frozenset[str]) -> Category:
    return lexicon.category(" ".join(sorted(things)))
