"""Room: what a message says beside any danger, shown by its own words: thanks, STOP, a refused photo, a mere place.

The trained head, which guesses, reads the rest of it only. Words and phrases of danger are looked for in all of it.
"""

from __future__ import annotations

import re

from saidonce.foundation.text import words
from saidonce.repairs.conversation import lexicon
from saidonce.repairs.conversation.acts import ENGLISH, SpeechAct, evidence, phrases_of
from saidonce.repairs.conversation.phrases import parts, plain

MAX_WORDS = 9
"""Longer clauses may say more than the act that they show."""

_CLAUSE = re.compile(r",\s+|\s+-\s+")
_WHOLE = (SpeechAct.STOP, SpeechAct.START, SpeechAct.NOD, SpeechAct.THANKS)
_SHOWN = (SpeechAct.PERSON, SpeechAct.VULNERABLE, SpeechAct.DECLINE_PHOTO, SpeechAct.MORE)
_NOT_ALONE = frozenset("lift elevator roof balcony building loft meter".split())
"""Places where somebody may be trapped, or stand to jump."""

_PEOPLE = frozenset(
    "mum mummy mom dad daddy gran nan nana grandma grandad mother father wife husband son daughter please pls plz sorry"
    " hi hello thanks you your who is are was has on in im i'm a an the my our we us it at home and with so".split()
)
_PLACE = frozenset("in on at by the my our a an its it's it is under near next to behind of one".split())


def without_everyday(message: str) -> str:
    """Return a message, as English words, without the clauses that only say something everyday; empty if all do.

    A clause goes if it is a courtesy, a word for no messages or a mere place; if it takes a report back or says that
    a problem is over; or if the words that ask for a person, refuse a photo or name who must not wait are all it says.
    """
    clauses = [c for part in parts(message) for c in _CLAUSE.split(part) if words(c)]
    rest = [c for c in clauses if not says_everyday(c)]
    return message if len(rest) == len(clauses) else ", ".join(rest)


def says_everyday(clause: str) -> bool:
    """Return whether a clause says something everyday and nothing else."""
    known, each = phrases_of(ENGLISH), words(clause)
    if known is None or len(each) > MAX_WORDS:
        return False
    phrase = lexicon.phrase(clause)
    if phrase in lexicon.GREETINGS | lexicon.THANKS | lexicon.NO_PHOTO or lexicon.takes_back(clause):
        return True
    if any(plain(clause) in known.acts[act].whole for act in _WHOLE):
        return True
    if set(each) <= lexicon.PLACES | _PLACE and _NOT_ALONE.isdisjoint(each) and lexicon.names_place(clause):
        return True
    shown = {w for act in _SHOWN for hit in evidence(act, [clause]) for w in hit.split()}
    return bool(shown) and {w.replace("'", "") for w in each} <= shown | {w.replace("'", "") for w in _PEOPLE}
