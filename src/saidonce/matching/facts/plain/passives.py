"""Sentences of which one says in the passive what the other says in the active."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from saidonce.matching.facts.attached import is_a_time
from saidonce.matching.facts.lexicon import word_list
from saidonce.matching.facts.plain import verbs
from saidonce.matching.facts.plain.fronted import VERB_SECOND, WORD, says_when, scope, words_of
from saidonce.matching.facts.plain.german import in_accusative
from saidonce.matching.facts.plain.tables import options, ways


@cache
def _passive(language: str, *, is_behind: bool = False) -> re.Pattern[str] | None:
    """Return the passive of a language: P is done by A, with the rest before or behind who does it.

    None without one.

    Args:
        is_behind: whether who does it stands behind the participle, where a language has both orders.
    """
    by, present = options(language, "by"), options(language, "present")
    if not by or not present:
        return None
    doer = rf"(?P<by>{by})(?:(?<=')|(?<=pel)|\s)(?P<behind>[^,;]+)"
    if language in VERB_SECOND:
        helps = rf"(?:{present})|(?P<modal>{options(language, 'modals')})"
        end = rf"(?P<verb>\w+)(?(modal) (?:{options(language, 'become')}))"
        order = rf"(?P<early>(?:[^,;]+? )??){doer} {end}"
        if is_behind and language == "nl":
            order = rf"(?P<early>(?:[^,;]+? )??){end} {doer}"
        return re.compile(rf"(?P<what>[^,;]+?) (?:{helps}) {order}", re.IGNORECASE)
    adverb = r"(?:(?P<adverb>\w{3,}ment) )?" if language == "fr" else ""
    return re.compile(
        rf"(?P<what>[^,;]+?) (?:{present}) {adverb}(?P<verb>\w+) (?P<early>(?:[^,;]+? )??){doer}",
        re.IGNORECASE,
    )


@cache
def passives_of(language: str) -> tuple[re.Pattern[str], ...]:
    """Return the passives of a language, in the present and in the past; empty for one that has none here."""
    past = _past_passive(language) if language in verbs.READ else None
    orders = (_passive(language), _passive(language, is_behind=True), past)
    return tuple(dict.fromkeys(at for at in orders if at is not None))


def is_passive(one: str, two: str, language: str) -> bool:
    """Return whether a sentence is the passive of the other in the present.

    Agent, object, recipient and everything else are equal.
    """
    if not _may_be_turned(one, two, language):
        return False
    orders = [at for at in (_passive(language), _passive(language, is_behind=True)) if at is not None]
    hits = [hit for at in dict.fromkeys(orders) if (hit := at.fullmatch(one.rstrip("."))) and _is_by(hit, language)]
    active = [w for w in words_of(two) if w != ","]
    return any(_is_passive_of(active, hit, language) for hit in hits)


def _is_by(hit: re.Match[str], language: str) -> bool:
    """Return whether a preposition cannot lead to where something came from, or through: "durch die Tür getragen"."""
    if language != "de":
        return True
    name = "through_something" if hit["by"].lower() == "durch" else "from_somebody"
    return hit["verb"].lower() not in ways(language)[name].split()


def _is_passive_of(active: Sequence[str], hit: re.Match[str], language: str) -> bool:
    """Return whether the words of an active sentence say what a passive one does, some parts of which are known."""
    modal = hit.groupdict().get("modal") or ""
    what, early, behind = (_words_of(hit[name] or "") for name in ("what", "early", "behind"))
    adverb = hit.groupdict().get("adverb")
    early = [adverb, *early] if adverb else early
    for who_length in range(1, min(LONGEST_DOER, len(behind)) + 1):
        who, rest = behind[:who_length], behind[who_length:]
        if rest and (_is_owner(rest, language) or _is_of_doer(rest, language)):
            continue  # whose: of who does it, where it stands behind them, and of what it is done to in the active
        doer = active[: len(active) - len(what) - len(early) - len(rest) - (2 if modal else 1)]
        predicate = list(active[len(doer) :])
        if modal and predicate:
            predicate = [predicate[-1], *predicate[1:-1]] if predicate[0] == modal else []
        what = in_accusative(what) if language == "de" else what
        orders = ([*what, *early, *rest], [*early, *what, *rest], [*what, *rest, *early])
        if (
            predicate
            and predicate[1:] in orders
            and _is_doer(doer, who, hit["by"].lower(), language)
            and _is_verb(hit["verb"].lower(), predicate[0], language)
        ):
            return True
    return False


LONGEST_DOER = 4
"""Words of who does something."""


def _is_owner(rest: Sequence[str], language: str) -> bool:
    """Return whether words say of the one before whose it is; a time does not: "de 8 a 9", "di notte"."""
    if rest[0].lower().rstrip("'\u2019") not in word_list(language, "owning"):
        return False
    return not any(is_a_time(w, language) for w in rest[1:2])


def _is_of_doer(rest: Sequence[str], language: str) -> bool:
    """Return whether words say of the one before where they are from, or what they have with them."""
    first = rest[0].lower()
    return first in ways(language).get("of_somebody", "").split() and not says_when(rest, language)


def _words_of(text: str) -> list[str]:
    hit = [w for w in WORD.findall(text) if w != ","]
    return [hit[0].lower(), *hit[1:]] if hit else []


_WITH_ARTICLE = {"dal": "il", "dall'": "l'", "dalla": "la", "dai": "i", "dagli": "gli", "dalle": "le"}


def _is_doer(doer: Sequence[str], who: Sequence[str], by: str, language: str) -> bool:
    """Return whether a subject is who stands behind "by", in the nominative."""
    turned = {
        left: right.split("|") for left, _, right in (p.partition("=") for p in ways(language)["nominative"].split())
    }
    expected = [*([_WITH_ARTICLE[by]] if by in _WITH_ARTICLE else []), *who]
    if language == "pt" and by == "pel":
        expected = list(who)
    if not doer or not expected:
        return False
    first = expected[0].lower()
    if doer[0].lower() not in turned.get(first, [first]) or len(doer) != len(expected):
        return False
    if language != "de":
        return [w.lower() for w in doer[1:]] == [w.lower() for w in expected[1:]]
    return all(one == two or _is_dative(two, one) for one, two in zip(doer[1:], expected[1:], strict=True))


def _is_dative(word: str, nominative: str) -> bool:
    """Return whether a German word may be the dative of another: "Architekten", "neuen", "Lehrern"."""
    if word[:1].isupper() != nominative[:1].isupper():
        return False
    if word[:1].isupper():
        return word in (f"{nominative}n", f"{nominative}en")
    return word.endswith(("en", "em", "er")) and re.sub("e[nmr]$", "", word) == re.sub("e[rs]?$", "", nominative)


def _is_verb(participle: str, verb: str, language: str) -> bool:
    """Return whether a participle and a form of the present have one stem, by the endings of the language."""
    if language == "fr":  # "soulève", "soulevé"; "gère", "géré"; "envoie", "envoyé"
        participle = re.sub("[éè](?=.*é)", "e", participle).replace("y", "i")
        verb = re.sub("[éè]", "e", verb).replace("y", "i")
    if language == "es":  # "vacía", "vaciado"; "abría" is another tense
        verb = re.sub("í(?=an?$)", "i", verb) if participle.endswith(_OF_I) else verb
    conjugations = (row.split(" = ") for row in ways(language)["verb"].split(" ; "))
    return any(_are_forms(participle, verb, left, right) for left, right in conjugations)


def _are_forms(participle: str, verb: str, left: str, right: str) -> bool:
    """Return whether a participle and a form of the present have one stem, by the endings of one conjugation."""
    stems = {m[1] for m in (re.fullmatch(left, participle),) if m}
    stems |= {m[1] for m in (re.fullmatch(left.replace("(?:ge)?", ""), participle),) if m}
    active = re.fullmatch(right, verb)
    wide = {re.fullmatch(right.replace("(.+?)", "(.+)"), verb)} | {active}
    return any(
        m is not None and (m[1] in stems or _doubled(m[1]) in stems or m[1] in {_doubled(s) for s in stems})
        for m in wide
    )


_OF_I = ("iado", "iada", "iados", "iadas")
"""Ends of the participles of Spanish verbs in -iar; beside them "vacía" is no past."""


def _doubled(stem: str) -> str:
    """Return a Dutch stem with its long vowel written twice: "controler" and "controleer"."""
    return re.sub(r"([aeou])([^aeiou])$", r"\1\1\2", stem)


def is_past_passive(one: str, two: str, language: str) -> bool:
    """Return whether a sentence is the passive of the other in the past: "fut construit par", "construisit".

    What says when or where stands in one order, at the front or behind in either. Behind who does it only a time may
    stand, or to whom: "the firm from Jena" need not be of Jena where "from Jena" stands behind the contract.
    """
    at = _past_passive(language) if language in verbs.READ else None
    hit = at.fullmatch(one.rstrip(".")) if at else None
    if hit is None or not _may_be_turned(one, two, language) or not _is_by(hit, language):
        return False
    what, early, behind = (_words_of(hit[name] or "") for name in ("what", "early", "behind"))
    active = [w for w in words_of(two) if w != ","]
    for n in range(1, min(LONGEST_DOER, len(behind)) + 1):
        who, rest = behind[:n], [*early, *behind[n:]]
        is_handed = _is_handed(behind[n:], language)
        is_of_doer = bool(behind[n:]) and not is_handed and not says_when(behind[n:], language)
        if not is_of_doer and any(_does(*parts, who, hit, language) for parts in _parted(active, what, rest, language)):
            return True
    return False


def _is_handed(behind: Sequence[str], language: str) -> bool:
    """Return whether words say to whom something is handed: "al ganador", but not "al mando"."""
    leads, offices = (ways(language).get(name, "").split() for name in ("to_somebody", "offices"))
    return behind[:1] != [] and behind[0] in leads and not (behind[1:2] and behind[1].lower() in offices)


@cache
def _past_passive(language: str) -> re.Pattern[str] | None:
    by, past = options(language, "by"), options(language, "past_passive")
    if not past:
        return None
    doer = rf"(?P<by>{by}) (?P<behind>[^,;]+)"
    early = r"(?P<early>(?:[^,;]+? )??)"
    order = rf"{early}{doer} (?P<verb>\w+)" if language in VERB_SECOND else rf"(?P<verb>\w+) {early}{doer}"
    return re.compile(rf"(?P<what>[^,;]+?) (?:{past}) {order}", re.IGNORECASE)


def _may_be_turned(one: str, two: str, language: str) -> bool:
    return scope(language).isdisjoint(w.lower() for w in WORD.findall(f"{one} {two}"))


_Parts = tuple[list[str], list[str]]
"""The subject of an active sentence, and its verb."""


def _parted(active: Sequence[str], what: Sequence[str], rest: Sequence[str], language: str) -> Iterator[_Parts]:
    """Yield subject and verb of an active sentence that has a thing and the rest of its words at its end or front."""
    things = [list(what)]
    if language == "de":
        things = [in_accusative(list(what))]
    elif language == "es":
        things.append(["al", *what[1:]] if what[:1] == ["el"] else ["a", *what])
    for thing in things:
        ends = {(*thing, *rest), (*rest, *thing)}
        for end in ends:
            if list(active[-len(end) :]) == list(end):
                yield from _subject_and_verb(active[: -len(end)], language)
        n = len(rest)
        if n and list(active[:n]) == list(rest) and list(active[-len(thing) :]) == thing:
            inner = active[n : -len(thing)]
            yield from (
                [(list(inner[1:]), list(inner[:1]))] if language == "de" else _subject_and_verb(inner, language)
            )


def _subject_and_verb(words: Sequence[str], language: str) -> Iterator[_Parts]:
    n = 2 if language in ("fr", "es") and words[-2:-1] and words[-2] in ways(language)["has"].split() else 1
    yield list(words[:-n]), list(words[-n:])


def _does(doer: Sequence[str], verb: Sequence[str], who: Sequence[str], hit: re.Match[str], language: str) -> bool:
    """Return whether a subject is who stands behind "by", and its verb the past of the participle."""
    if not doer or not verb or not _is_doer(doer, who, hit["by"].lower(), language):
        return False
    participle = hit["verb"].lower()
    if len(verb) > 1:
        return not verbs.base(participle, language).isdisjoint(verbs.base(verb[-1], language))
    return verb[0].lower() in verbs.pasts(participle, language)
