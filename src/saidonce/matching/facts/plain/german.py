"""German sentences that bid or ban the same in two forms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from saidonce.matching.facts.plain.fronted import WORD, scope
from saidonce.matching.facts.plain.tables import options, pairs, ways

_PLAIN = r"(?:[^,;:]|(?<=\d):(?=\d))"
"""A character inside a clause; a colon may stand in a time of day."""
_PARTICLES = "ab|an|auf|aus|bei|ein|fest|her|hin|los|mit|nach|vor|weg|weiter|zu|zurück|durch|um|zusammen"
_BIDS = re.compile(rf"(?P<verb>[A-ZÄÖÜ]\w+n) Sie (?P<rest>[^,;:?]+?)(?: (?P<particle>{_PARTICLES}))?[.!]")
_TO_DO = re.compile(rf"(?P<rest>[^,;:?]+) (?P<verb>(?:{_PARTICLES})?\w+n)[.!]")


def is_bidding(one: str, two: str) -> bool:
    """Return whether one sentence bids as an infinitive what the other bids politely.

    Example: "Den Herd ausschalten." and "Schalten Sie den Herd aus."
    """
    bids, to_do = _BIDS.fullmatch(one), _TO_DO.fullmatch(two)
    if bids is None or to_do is None or " Sie " in two:
        return False
    verb = (bids["particle"] or "") + bids["verb"].lower()
    if verb in ways("de")["also_alone"].split() and not _is_of_things(to_do["rest"]):
        return False
    return verb == to_do["verb"] and _is_alike(bids["rest"], to_do["rest"])


_SEVERAL = re.compile(r"(?:[Dd]ie|[Aa]lle|[Dd]iese|[Uu]nsere|[Ii]hre|[A-ZÄÖÜ]\w+)(?: [a-zäöüß]+e?n?)* ?[A-ZÄÖÜ]?\w*")
"""What several who act may be, or what is done to them."""


def _is_of_things(rest: str) -> bool:
    """Return whether words in front of a verb cannot be who does it: "Die Mieter zahlen." states what they do."""
    if _SEVERAL.fullmatch(rest) is None:
        return True
    noun = rest.rsplit(" ", 1)[-1].lower()
    things = rf"\w*(?:{options('de', 'things')})(?:e|en|n|s)?|\w+ung(?:en)?|hände|füße|haare|zähne|ohren"
    return re.fullmatch(things, noun) is not None


_WITH_ZU = rf"(?:zu (?P<plain>\w+n)|(?P<particle>{_PARTICLES})zu(?P<verb>\w+n))"
"""The infinitive at the end of a sentence: "zu melden", "abzugeben"."""


def _infinitive(hit: re.Match[str]) -> str:
    return hit["plain"] or hit["particle"] + hit["verb"]


_MUST = re.compile(rf"(?P<what>{_PLAIN}+?) (?:muss|müssen) (?P<rest>(?:{_PLAIN}+? )?)(?P<verb>\w+) werden[.!]")
_IS_TO = re.compile(rf"(?P<what>{_PLAIN}+?) (?:ist|sind) (?P<rest>(?:{_PLAIN}+? )?){_WITH_ZU}[.!]")


def is_duty(one: str, two: str) -> bool:
    """Return whether one sentence says what must be done, and the other that it "is to be done".

    Only of verbs with which that bids: what "is to be had" can be had. Not beside a denial, or a word such as "only".
    """
    must, is_to = _MUST.fullmatch(one), _IS_TO.fullmatch(two)
    if must is None or is_to is None or not _may_be_turned(one, two) or _can_be().search(two):
        return False
    verb = _infinitive(is_to)
    return (
        verb in _duties()
        and is_participle(must["verb"], verb)
        and _is_alike(must["what"], is_to["what"])
        and _is_alike(must["rest"], is_to["rest"])
    )


@cache
def _can_be() -> re.Pattern[str]:
    """Return words beside which "is to be" says what can be done, or what must not be: "ist leicht zu reinigen"."""
    return re.compile(rf"\b(?:{'|'.join(ways('de')['can_be'].split('|'))})\b", re.IGNORECASE)


_OPENING = "bevor|ehe|nachdem|wenn|falls|sofern|sobald|solange|damit|um|während"
_CLAUSE_FIRST = re.compile(rf"(?P<clause>(?i:{_OPENING}) [^,;:]+), (?P<main>[^,;:]+[.!])")
_CLAUSE_LAST = re.compile(rf"(?P<main>[^,;:]+), (?P<clause>(?:{_OPENING}) [^,;:]+)(?P<end>[.!])")
_IS_TO_BEHIND = re.compile(rf"(?:ist|sind) (?P<what>)(?P<rest>{_PLAIN}+? ){_WITH_ZU}[.!]")


def is_bidden_duty(one: str, two: str) -> bool:
    """Return whether one sentence bids what the other says has to be done, both beside the same clause or none.

    "Bevor Sie bohren, ist der Strom abzuschalten", "schalten Sie den Strom ab, bevor Sie bohren".
    """
    (clause, bidding), (same_clause, duty) = _clause_of(one), _clause_of(two)
    bids = _BIDS.fullmatch(bidding[:1].upper() + bidding[1:])
    forms = (at.fullmatch(duty) for at in (_IS_TO_BEHIND, _IS_TO, _MUST))
    to_do = next((hit for hit in forms if hit is not None), None)
    if bids is None or to_do is None or clause != same_clause or " Sie" in bids["rest"]:
        return False
    if not _may_be_turned(bidding, duty) or _can_be().search(duty) or _of_others().search(clause):
        return False
    if _BY_SOMEBODY.search(duty) or _PERHAPS.search(duty):
        return False
    verb = (bids["particle"] or "") + bids["verb"].lower()
    is_one_verb = is_participle(to_do["verb"], verb) if to_do.re is _MUST else verb == _infinitive(to_do)
    words = (*_words(to_do["what"]), *WORD.findall(to_do["rest"]))
    return verb in _duties() and is_one_verb and in_accusative(words) == WORD.findall(bids["rest"])


_BY_SOMEBODY = re.compile(r"\b(?:vo[nm]|durch|seitens)\b(?! (?:innen|außen|oben|unten|vorne?|hinten|Hand|\d))")
"""What has to be done by somebody is not bidden: "ist vom Hausmeister abzuschließen"."""

_PERHAPS = re.compile(
    r"\b(?:wohl|vermutlich|wahrscheinlich|vielleicht|eigentlich|angeblich|offenbar|bestimmt|möglicherweise|eventuell|"
    r"voraussichtlich|sicherlich)\b"
)
"""What may have to be done is not bidden."""


@cache
def _of_others() -> re.Pattern[str]:
    """Return what a clause says of somebody, who then has to do it, and not who reads: "wenn der Mieter auszieht"."""
    return re.compile(rf"\b(?:{options('de', 'persons')})(?:s|n|en|in|innen)?\b", re.IGNORECASE)


def _clause_of(sentence: str) -> tuple[str, str]:
    """Return a clause at the front or end of a sentence, in small letters at its start, and the sentence without it."""
    if hit := _CLAUSE_FIRST.fullmatch(sentence):
        return hit["clause"][:1].lower() + hit["clause"][1:], hit["main"]
    if hit := _CLAUSE_LAST.fullmatch(sentence):
        return hit["clause"], hit["main"] + hit["end"]
    return "", sentence


_MAY_NOT = re.compile(rf"(?P<what>{_PLAIN}+?) (?:darf|dürfen) nicht (?P<rest>(?:{_PLAIN}+? )?)(?P<verb>\w+) werden[.!]")
_BANNED = re.compile(rf"[Ee]s ist (?:streng )?verboten, (?P<rest>{_PLAIN}+? ){_WITH_ZU}[.!]")


def is_ban(one: str, two: str) -> bool:
    """Return whether one sentence says what may not be done, and the other that doing it is forbidden."""
    may_not, banned = _MAY_NOT.fullmatch(one), _BANNED.fullmatch(two)
    if may_not is None or banned is None or not _may_be_turned(one.replace(" nicht ", " ", 1), two):
        return False
    verb = _infinitive(banned)
    words = (*_words(may_not["what"]), *_words(may_not["rest"]))
    return is_participle(may_not["verb"], verb) and in_accusative(words) == in_accusative(_words(banned["rest"]))


def _may_be_turned(one: str, two: str) -> bool:
    return scope("de").isdisjoint(w.lower() for w in WORD.findall(f"{one} {two}"))


def _words(text: str) -> list[str]:
    words = WORD.findall(text)
    return [words[0].lower(), *words[1:]] if words else []


def _is_alike(one: str, two: str) -> bool:
    return _words(one) == _words(two)


_OF = re.compile(
    r"\b(?P<head>[A-ZÄÖÜ][a-zäöüß]+) (?:der|des) (?P<of>[A-ZÄÖÜ][a-zäöüß]{2,})\b(?! (?:der|des|von|vom)\b)"
)
_LINK = r"(?:e?s|n|en)?"


def with_compounds(text: str, other: str, language: str) -> str:
    """Write "Reinigung der Filter" as "Filterreinigung" if the other text has it so.

    Only of the actions and measures that the table lists: who is "der Arzt der Frau" need be no "Frauenarzt", and "die
    Zeitung der Schüler" no "Schülerzeitung".
    """
    if language != "de" or not _OF.search(text):
        return text
    compounds = {word.lower(): word for word in _COMPOUND.findall(other) if word not in text}
    return _OF.sub(lambda hit: _joined(hit, compounds), text) if compounds else text


_COMPOUND = re.compile(r"[A-ZÄÖÜ][a-zäöüß]{7,}")


def _joined(hit: re.Match[str], compounds: dict[str, str]) -> str:
    head = hit["head"].lower()
    if head.removesuffix("en") not in _heads() and head not in _heads():
        return hit[0]
    first = re.sub("(?:e?s|e?n|er|e)$", "", hit["of"].lower())
    found_by = re.compile(rf"{re.escape(first)}(?:e?s|e?n|er|e)?{_LINK}{re.escape(head)}")
    word = next((w for low, w in compounds.items() if found_by.fullmatch(low)), None)
    is_named = word is not None and word.lower().endswith(tuple(ways("de")["names_of_their_own"].split()))
    return hit[0] if word is None or is_named else word


@cache
def _heads() -> frozenset[str]:
    return frozenset(ways("de")["heads"].split())


_CASES = {
    "der": "den", "ein": "einen", "dieser": "diesen", "jeder": "jeden", "kein": "keinen", "mein": "meinen",
    "sein": "seinen", "ihr": "ihren", "unser": "unseren",
}  # fmt: skip
"""Articles of a masculine subject, and of the same as an object."""


def in_accusative(words: list[str] | tuple[str, ...]) -> list[str]:
    """Return words of which the first, if it is an article of a subject, is written as that of an object.

    The attributes behind it are, too: "der alte Deckel", "den alten Deckel".
    """
    written = [_CASES.get(words[0].lower(), words[0]), *words[1:]] if words else []
    if not words or written[0] == words[0]:
        return written
    n = next((n for n, word in enumerate(words[1:], 1) if not word.islower()), 1)
    return [written[0], *(re.sub("(?:e|er)$", "en", word) for word in written[1:n]), *written[n:]]


@cache
def _duties() -> frozenset[str]:
    return frozenset(ways("de")["duties"].split())


_INSEPARABLE = ("be", "ver", "er", "ent", "zer", "miss", "über", "unter")


def is_participle(participle: str, verb: str) -> bool:
    """Return whether a word is the participle of a verb: by its endings, or by the tables of irregular ones."""
    return (participle, verb) in pairs("de", "participles") or participle in participles(verb)


@cache
def participles(verb: str) -> frozenset[str]:
    """Return the participles that a verb may have by its endings, or by that of the strong verb it is formed from."""
    strong = frozenset(_strong_participles(verb))
    if strong:
        return strong
    stem = verb.removesuffix("n").removesuffix("e")
    hit = re.match(rf"(?:{_PARTICLES})(?=\w{{3,}}n$)", verb)
    bases = [("", stem), *([(hit[0], stem.removeprefix(hit[0]))] if hit else [])]
    forms = {f"{particle}ge{base}{end}" for particle, base in bases for end in ("t", "et")}
    if verb.startswith(_INSEPARABLE) or verb.endswith("ieren"):
        forms |= {f"{stem}t", f"{stem}et"}
    return frozenset(forms)


@cache
def _strong() -> tuple[tuple[str, str, str], ...]:
    """Return infinitive, participle and past of each listed strong verb, none of them formed from another."""
    rows = (row.split("=") for row in ways("de")["conjugations"].split())
    return tuple((verb, participle, past) for verb, participle, past in rows)


def _strong_participles(verb: str) -> Iterator[str]:
    for plain, participle, _ in _strong():
        before = verb.removesuffix(plain)
        if before in _INSEPARABLE:
            yield before + participle.removeprefix("ge")
        elif verb == plain or re.fullmatch(rf"(?:{_PARTICLES}|{_MORE_PARTICLES})", before):
            yield before + participle


_MORE_PARTICLES = "statt|teil|heraus|heran|herunter|herauf|hinaus|hinein|hinzu|frei|bereit|weiter|vorweg|zusammen|übrig"


@cache
def pasts(participle: str) -> frozenset[str]:
    """Return the pasts of the verb that a participle is of, if it is one word in the past, too."""
    forms: set[str] = set()
    for _, strong, past in _strong():
        plain = strong.removeprefix("ge")
        before = participle.removesuffix(plain)
        if participle == strong or (before in _INSEPARABLE and before + plain == participle):
            one = past if participle == strong else before + past
            forms |= {one, f"{one.removesuffix('e')}en"}
    if not forms and participle.endswith("t"):
        weak = {participle.removeprefix("ge"), participle} if participle.startswith("ge") else {participle}
        forms |= {f"{stem}e{end}" for stem in weak for end in ("", "n")}
    return frozenset(forms)
