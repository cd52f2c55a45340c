"""Passives of sentences that have a time in front: "each morning the porter checks the doors"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from saidonce.matching.facts.lexicon import with_s
from saidonce.matching.facts.plain.fronted import VERB_SECOND, WORD, says_when, scope, words_of
from saidonce.matching.facts.plain.passives import LONGEST_DOER, is_passive, is_past_passive, passives_of
from saidonce.matching.facts.plain.tables import base_of_participle

_LONGEST_TIME = 4

_IN_ENGLISH = re.compile(
    r"(?P<what>[^,;]+?) (?:(?:is|are)|(?P<modal>must|can|may|should|will|shall) be) (?P<verb>\w+)"
    r"(?P<early> [^,;]+?)?? by (?P<behind>[^,;]+)",
    re.IGNORECASE,
)


def is_timed_passive(one: str, two: str, language: str) -> bool:
    """Return whether a sentence is the passive of another one that has in front when or how often.

    In the passive that stands right before who does it, or at the end; all other words are those of the active, and
    nothing else stands behind who does it in English, where it may be of them.
    """
    hits = list(_hits(one, language))
    words = words_of(two) if hits else []
    if not scope(language).isdisjoint(map(str.lower, words)):
        return False
    for n in range(1, min(_LONGEST_TIME, len(words) - 1) + 1):
        time = words[:n]
        if not says_when(time, language):
            continue
        rest = words[n + 1 :] if words[n] == "," else words[n:]
        untimed = filter(None, (_without(hit, time) for hit in hits))
        if any(_says(passive, rest, language) for passive in untimed):
            return True
    return False


def _hits(sentence: str, language: str) -> Iterator[re.Match[str]]:
    orders = (_IN_ENGLISH,) if language == "en" else passives_of(language)
    for at in orders:
        if hit := at.fullmatch(sentence.rstrip(".")):
            yield hit


def _without(hit: re.Match[str], time: Sequence[str]) -> str:
    """Return a passive without a time in front of who does it or at its end; empty where it has none there, or two."""
    for name in ("early", "behind"):
        words = list(WORD.finditer(hit.string, *hit.span(name))) if hit[name] else []
        last = words[-len(time) :]
        is_alone = len(words) == len(last)
        if is_alone != (name == "early") or [w[0].lower() for w in last] != [w.lower() for w in time]:
            continue
        before, behind = hit.string[: last[0].start()].rstrip(), hit.string[last[-1].end() :].lstrip()
        cut = f"{before} {behind}".rstrip(" .")
        return "" if " ".join(time).lower() in cut.lower() else cut
    return ""


def _says(passive: str, active: Sequence[str], language: str) -> bool:
    """Return whether a passive says what the words of an active sentence do, both without their time."""
    if language == "en":
        return _is_english(passive, active)
    orders = [active]
    if language in VERB_SECOND:  # behind the time stands the verb, and then who does it
        longest = min(LONGEST_DOER, len(active) - 2)
        orders = [[*active[1 : n + 1], active[0], *active[n + 1 :]] for n in range(1, longest + 1)]
    plain = [" ".join(order) for order in orders]
    return any(says(passive, p, language) for p in plain for says in (is_passive, is_past_passive))


def _is_english(passive: str, active: Sequence[str]) -> bool:
    hit = _IN_ENGLISH.fullmatch(passive)
    base = base_of_participle(hit["verb"].lower()) if hit and not hit["early"] else ""
    if hit is None or not base:
        return False
    what, who = words_of(hit["what"]), WORD.findall(hit["behind"])
    verb = active[len(who) : len(active) - len(what)]
    if [*active[: len(who)], *active[len(active) - len(what) :]] != [*who, *what] or len(who) > LONGEST_DOER:
        return False
    if hit["modal"]:
        return [w.lower() for w in verb] == [hit["modal"].lower(), base]
    return [w.lower() for w in verb] in ([base], [_third_person(base)])


def _third_person(base: str) -> str:
    return f"{base}es" if base.endswith("o") else with_s(base)
