"""Forms of German, French and Spanish verbs by the tables: participles, pasts, and the verb of a noun of action."""

from __future__ import annotations

import re
from functools import cache

from saidonce.matching.facts.plain import german
from saidonce.matching.facts.plain.tables import pairs, ways

READ = ("de", "fr", "es")
"""Languages whose verbs are read."""


@cache
def _rows(language: str) -> tuple[tuple[str, ...], ...]:
    """Return ends of an infinitive, of its participle, and of its past of one and of several who act."""
    rows = (tuple(row.replace("|", "=").split("=")) for row in ways(language).get("conjugations", "").split())
    return tuple(sorted(rows, key=lambda row: -len(row[0])))


def base(participle: str, language: str) -> frozenset[str]:
    """Return how a participle may be written of one masculine thing."""
    word = participle.lower()
    if language == "fr":
        return frozenset((word, *(word.removesuffix(end) for end in ("e", "s", "es") if len(word) > 4)))
    return frozenset((re.sub("(?:a|os|as)$", "o", word),)) if language == "es" else frozenset((word,))


def participles(verb: str, language: str) -> frozenset[str]:
    """Return the participles that an infinitive may have, of one masculine thing."""
    if language == "de":
        return german.participles(verb)
    hit = next((row for row in _rows(language) if verb.endswith(row[0])), None)
    return frozenset((verb.removesuffix(hit[0]) + hit[1],)) if hit else frozenset()


def pasts(participle: str, language: str) -> frozenset[str]:
    """Return the pasts, of one and of several who act, of the verb that a participle is of."""
    if language == "de":
        return german.pasts(participle.lower())
    stems = ((word, row) for word in base(participle, language) for row in _rows(language) if word.endswith(row[1]))
    return frozenset(word.removesuffix(row[1]) + end for word, row in stems for end in row[2:])


def participles_of_past(word: str, language: str) -> frozenset[str]:
    """Return the participles that the verb of a past may have, of one masculine thing."""
    rows = ((end, row[1]) for row in _rows(language) for end in row[2:])
    return frozenset(word.lower().removesuffix(end) + done for end, done in rows if word.lower().endswith(end))


def verbs_of(noun: str, language: str) -> frozenset[str]:
    """Return the verbs whose action a noun may name: "reinigen" of "Reinigung", by its ending or the table."""
    known = frozenset(verb for named, verb in pairs(language, "actions") if named == noun.lower())
    return known or frozenset(
        noun.lower().removesuffix(end) + infinitive
        for end, infinitive in pairs(language, "action_ends")
        if noun.lower().endswith(end) and len(noun) > len(end) + 2
    )


def verbs_of_present(word: str, language: str) -> frozenset[str]:
    """Return the infinitives of a Spanish verb in the present: "limpiar" of "limpia" and "limpian"."""
    one = word.lower().removesuffix("n")
    known = frozenset(verb for verb, form in pairs(language, "presents") if form == one)
    if known or language != "es":
        return known
    ends = {"a": ("ar",), "e": ("er", "ir")}.get(one[-1:], ())
    return frozenset(one[:-1].translate(_BARE) + end for end in ends)


_BARE = str.maketrans("áéíóú", "aeiou")
