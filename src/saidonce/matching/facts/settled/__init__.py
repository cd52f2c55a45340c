"""Objections to what a sentence says in another form, which can be shown to say the same.

A reading names the form on either side: a limit that is denied and one that is set, a duty and an order, the same
clause in another sentence. An objection for which no reading is shown stands. None of them joins two texts: where an
objection falls, what is not accounted for keeps them open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from saidonce.foundation.model import UNKNOWN_LANGUAGE, FactKind, Objection
from saidonce.matching.facts.lexicon import TAGS
from saidonce.matching.facts.settled.counted import counts_alike, is_counted, names_a_share
from saidonce.matching.facts.settled.elsewhere import stands_elsewhere
from saidonce.matching.facts.settled.first_words import names_nobody
from saidonce.matching.facts.settled.limits import sets_one_limit
from saidonce.matching.facts.settled.meanings import has_one_meaning
from saidonce.matching.facts.settled.orders import bids_alike
from saidonce.matching.facts.settled.sight import Sight, sights
from saidonce.matching.facts.settled.turned import keeps_roles, trades_places

_Reading: TypeAlias = Callable[[Sight], bool]

_OPERATORS = (has_one_meaning, sets_one_limit, bids_alike, stands_elsewhere)

_READINGS: dict[FactKind, tuple[_Reading, ...]] = {
    FactKind.NEGATION: _OPERATORS,
    FactKind.MODALITY: _OPERATORS,
    FactKind.QUANTIFIER: (*_OPERATORS, names_a_share, is_counted),
    FactKind.FREQUENCY: (has_one_meaning,),
    FactKind.NUMBER: (counts_alike, stands_elsewhere),
    FactKind.UNIT: (counts_alike, stands_elsewhere),
    FactKind.NAME: (names_nobody,),
    FactKind.ROLE: (keeps_roles,),
    FactKind.OPPOSITE: (has_one_meaning, trades_places),
}


def is_settled(objection: Objection, a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> bool:
    """Return whether a reading shows that what an objection quotes says the same in both texts."""
    if language not in TAGS:
        return False
    readings = _READINGS.get(objection.kind, ())
    return any(reads(sight) for sight in sights(objection, a, b, language) for reads in readings)
