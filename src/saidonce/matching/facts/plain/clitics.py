"""A pronoun that hangs on a French or Spanish bidding and can mean one thing only: "rincez-le", "enjuáguelo"."""

from __future__ import annotations

import re
from collections.abc import Mapping

_HANGING = {
    "fr": re.compile(r"\b(?P<verb>\w+ez)-(?P<pronoun>le|la|les)\b(?!-)", re.IGNORECASE),
    "es": re.compile(r"\b(?P<verb>\w*[áéíóú]\w*[ae]n?)(?P<pronoun>l[oa]s?)\b", re.IGNORECASE),
}
_BEHIND = {"fr": r"(?:le|la|les) |l['’]", "es": r"(?:el|la|los|las) "}
"""Articles between a verb and what it is done to."""

_NEUTRAL = frozenset("l' votre notre leur chaque son sa ses vos nos leurs su sus".split())
_AGREEING: Mapping[str, Mapping[str, frozenset[str]]] = {
    "fr": {
        "le": frozenset("le un ce cet du au".split()) | _NEUTRAL,
        "la": frozenset("la une cette".split()) | _NEUTRAL,
        "les": frozenset("les des ces aux vos nos leurs ses".split()),
    },
    "es": {
        "lo": frozenset("el un este ese al del".split()) | _NEUTRAL,
        "la": frozenset("la una esta esa".split()) | _NEUTRAL,
        "los": frozenset("los unos estos esos sus".split()),
        "las": frozenset("las unas estas esas sus".split()),
    },
}
"""Pronoun -> what may stand before the noun that it means."""

_ARTICLES = {language: frozenset().union(*(articles for articles in of.values())) for language, of in _AGREEING.items()}
_COUNTED = {
    "fr": frozenset("deux trois quatre cinq six sept huit dix quelques plusieurs".split()),
    "es": frozenset("dos tres cuatro cinco seis siete ocho diez algunos algunas varios varias".split()),
}
"""Numbers before several things, which "them" may mean."""

_LED = re.compile(r"(?P<article>\b\w+|\bl['’]) ?(?<=['’ ])(?P<noun>\w+)")
_BARE = str.maketrans("áéíóú", "aeiou")


def with_objects(text: str, other: str, language: str) -> str:
    """Write a pronoun behind a bidding as the other text has it, by the only noun before it that agrees with it."""
    hanging = _HANGING.get(language)
    if hanging is None:
        return text
    return hanging.sub(lambda hit: _named(hit, other, language), text)


def _named(hit: re.Match[str], other: str, language: str) -> str:
    verb = hit["verb"].translate(_BARE) if language == "es" else hit["verb"]
    if language == "es" and re.search(rf"\b{re.escape(hit[0])}\b", other):
        return hit[0]
    pattern = rf"\b{re.escape(verb)} (?P<what>(?:{_BEHIND[language]})(?P<noun>\w+))\b"
    there = re.search(pattern, other.translate(_BARE) if language == "es" else other, re.IGNORECASE)
    if there is None:
        return hit[0]
    what = other[there.start("what") : there.end("what")]
    agreeing = _AGREEING[language][hit["pronoun"].lower()]
    article = re.split(r"(?<=')|(?<=’)| ", what)[0].lower().replace("’", "'")
    noun = other[there.start("noun") : there.end("noun")].lower()
    before = hit.string[: hit.start()]
    led = [(m["article"].lower().replace("’", "'"), m["noun"].lower()) for m in _all_led(before)]
    if hit["pronoun"].lower().endswith("s"):
        agreeing = agreeing | _COUNTED[language]
        if any(first not in agreeing and first in _ARTICLES[language] for first, _ in led):
            return hit[0]  # "the lid and the seals": them all
    meant = {one for first, one in led if first in agreeing}
    return other[there.start() : there.end()] if article in agreeing and meant == {noun} else hit[0]


def _all_led(text: str) -> list[re.Match[str]]:
    """Return all words with the one before each."""
    starts = (m.start() for m in re.finditer(r"\b\w", text))
    return [hit for start in starts if (hit := _LED.match(text, start)) is not None]
