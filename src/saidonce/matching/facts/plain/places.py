"""Words of English that stand at two places of a sentence and say the same: as the other text has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, pairwise

from saidonce.matching.facts.lexicon import word_list
from saidonce.matching.facts.phrases import HANGS, SUBORDINATES
from saidonce.matching.facts.plain.tables import capital, small

_BOUNDS = rf"(?=[.,;!?]|$| (?:{'|'.join(sorted(HANGS | {'and', 'or', 'again'}))})\b)"

_ADVERB = re.compile(r"\b(?P<how>[A-Za-z]{3,}ly) (?P<verb>[a-z]+)(?= (?P<rest>[^.;!?]+))")
_OF_ALL = frozenset(
    "usually generally normally typically probably possibly clearly obviously apparently allegedly reportedly evidently"
    " supposedly presumably certainly surely hopefully naturally fortunately unfortunately actually really virtually"
    " practically nearly hardly barely scarcely merely solely simply mainly mostly partly largely especially rarely"
    " particularly equally similarly relatively extremely highly fairly early likely honestly frankly seriously"
    " strangely oddly curiously surprisingly sadly luckily regrettably remarkably ironically"
    " interestingly understandably inevitably cleverly stupidly rudely generously bravely happily"
    " personally finally initially originally previously formerly lately recently currently consequently accordingly"
    " additionally kindly rightly wrongly wisely foolishly mistakenly seemingly ideally admittedly arguably".split()
)
"""Adverbs that say something of the whole sentence, of the word behind them or of how sure it is."""
_TIES = SUBORDINATES | frozenset("to that who which whom whose and or but nor not than as so".split())


def with_adverbs_of(text: str, other: str, language: str) -> str:
    """Write "silently ignores the error" as "ignores the error silently", if the other text has it so.

    What stands between is the same in both texts and holds no other verb to which the adverb could belong.
    """
    if language != "en":
        return text
    for hit in _ADVERB.finditer(text):
        how, verb = small(hit["how"]), hit["verb"]
        if how not in other or how in _OF_ALL or how in word_list("en", "binds"):
            continue
        behind = re.compile(rf"\b(?:{verb}|{capital(verb)}) (?P<what>(?:[\w'-]+ ){{1,7}}?){how}\b{_BOUNDS}")
        there = behind.search(other)
        if there is None or not _is_object(verb, there["what"]) or not f"{hit['rest']} ".startswith(there["what"]):
            continue
        opening = capital(verb) if hit["how"][0].isupper() else verb
        what = there["what"].strip()
        return f"{text[: hit.start()]}{opening} {what} {how}{text[hit.end() + 1 + len(what) :]}"
    return text


_DETERMINERS = frozenset("the a an your our its their his her my all any each every both these this no some".split())
_BARE = 3


def _is_object(verb: str, what: str) -> bool:
    """Return whether words are the object of a verb: no clause, and no other verb's object.

    Without an article before them the word before them may be an attribute of theirs: "improperly stored food", "freely
    available data"; only an ending in "s" makes it a verb.
    """
    words = what.split()
    is_bare = words[0] not in _DETERMINERS
    if is_bare and (len(words) > _BARE or not verb.endswith("s") or verb.endswith(("ss", "us"))):
        return False
    if not _TIES.isdisjoint(words):
        return False
    for before, word in pairwise(words):
        if word in _DETERMINERS and before not in HANGS and before not in ("of", "all", "both"):
            return False
        if word.endswith("ing") and before not in _DETERMINERS:
            return False
    return True


_PARTICLES = {
    "in": "fill|hand|plug|turn|bring|take|send|let|call|put|type|key",
    "on": "turn|switch|put|leave|pass|try|take",
    "over": "hand|take|turn|look|think",
    **dict.fromkeys(("off", "out", "up", "down", "away", "back"), "[a-z]{3,}"),
}
_FORMS = "|".join(f"(?:{verbs})(?:s|es|t?ed|t?ting|ing)? (?:WHAT) {particle}" for particle, verbs in _PARTICLES.items())
_WHAT = r"(?:the|an?|your|our|its|their|his|her|my|all|any|each|every|both|these|this)(?: (?!and\b|or\b)[\w'-]+){1,4}?"
_NO_WORD = re.compile(r"[^\w'-]+")
_BEHIND = re.compile(rf"\b(?:{_FORMS.replace('WHAT', _WHAT)}){_BOUNDS}", re.IGNORECASE)


def with_particles_of(text: str, other: str, language: str) -> str:
    """Write "fill the form in" as "fill in the form", if the other text has it so."""
    if language != "en":
        return text

    spaced = f" {_NO_WORD.sub(' ', other.casefold())} "

    def written(hit: re.Match[str]) -> str:
        verb, rest = hit[0].split(" ", 1)
        what, particle = rest.rsplit(" ", 1)
        beside = f"{verb} {particle} {what}"
        return beside if f" {beside} ".casefold() in spaced else hit[0]

    return _BEHIND.sub(written, text)


_DETERMINED = rf"(?:{'|'.join(sorted(_DETERMINERS))})"
_WORD = rf"(?!(?:and|or|of|{_DETERMINED})\b)[\w'-]+"
_THING = rf"(?:{_DETERMINED} )?{_WORD}(?: {_WORD})?"
_PHRASE = rf"(?:by|in|on|at|with|via|for) {_THING}"
_UNDER_WHICH = r"(?=[.;!?]|$| (?:when|if|before|after|until)\b)"
_TWO = (
    re.compile(
        rf"^(?P<before>)(?P<one>{_THING}) (?P<join>and|or) (?P<two>{_THING})"
        r"(?=[.;!?]|$| (?:is|are|was|were|must|can|may|will|should|have|has)\b)"
    ),
    re.compile(rf"(?P<before>\b\w+ )(?P<one>{_THING}) (?P<join>and|or) (?P<two>{_THING}){_UNDER_WHICH}"),
    re.compile(rf"(?P<before>\b\w+ )(?P<one>{_PHRASE}) (?P<join>and|or) (?P<two>{_PHRASE}){_UNDER_WHICH}"),
)
"""Two subjects of a verb behind them, two objects of what stands before them, and two phrases that say where or how."""

_OPENS = HANGS | {"of", "and", "or"}
_MARKED = _DETERMINERS | frozenset("by in on at with via for".split())
_ORDERS = re.compile(r"\b(?:respectively|order|turn|first|then|sequence|each|both|either|neither)\b", re.IGNORECASE)


def with_members_of(text: str, other: str, language: str) -> str:
    """Write "your badge and a pen" as "a pen and your badge", if the other text has it so.

    One of the two has an article of its own, or both a preposition, so that no word belongs to both.
    """
    if language != "en" or _ORDERS.search(text):
        return text
    for hit in chain.from_iterable(two.finditer(text) for two in _TWO):
        before, one, two = hit["before"].strip(), hit["one"], hit["two"]
        if before.lower() in _OPENS or not any(each.split()[0].lower() in _MARKED for each in (one, two)):
            continue
        members = (two, one) if before else (capital(two), small(one))
        turned, straight = (f" {hit['join']} ".join(pair) for pair in (members, (one, two)))
        if turned not in other or straight in other:
            continue
        if re.search(rf"(?:^|\b){re.escape(hit['before'] + turned)}\b", other):
            return f"{text[: hit.start('one')]}{turned}{text[hit.end() :]}"
    return text


_OF = re.compile(
    r"\b(?P<the>(?:[Tt]he|[Aa]n?) )?(?P<what>[A-Za-z][\w-]+) (?P<of>of|on) (?P<its>the )?"
    r"(?P<whole>[a-z][\w-]+(?: [a-z][\w-]+)?)\b(?!['\u2019])"
)


_NO_NOUNS = _TIES | HANGS | _DETERMINERS | frozenset("it they he she we you i them him us me is are was were".split())


def with_compounds_of(text: str, other: str, language: str) -> str:
    """Write "the roof of the shed" as "the shed roof" or "the shed's roof", if the other text has it so.

    A box of tools is no tool box: what holds things is left as it is.
    """
    at = 0
    while language == "en" and (hit := _OF.search(text, at)):
        compound = _as_compound(hit, other)
        text = f"{text[: hit.start()]}{compound}{text[hit.end() :]}" if compound else text
        at = hit.start("of")
    return text


def _as_compound(hit: re.Match[str], other: str) -> str:
    """Return "the roof of the shed" as the other text has it in one compound; empty if it does not."""
    the, what, words = hit["the"] or "", hit["what"], hit["whole"].split()
    is_bare = not the and not hit["its"]
    if not (is_bare or (the and hit["its"])) or what.lower() in word_list("en", "containers"):
        return ""
    if f"{what} {hit['of']} " in other or what.lower() in _NO_NOUNS:
        return ""
    for n in range(len(words), 0, -1):
        if not _NO_NOUNS.isdisjoint(words[:n]):
            continue
        whole, rest = " ".join(words[:n]), "".join(f" {word}" for word in words[n:])
        compounds = (f"{the}{compound}" for compound in _compounds(what, whole, is_bare=is_bare))
        if compound := next((c for c in compounds if c in other and re.search(rf"\b{re.escape(c)}\b", other)), ""):
            return f"{compound}{rest}"
    return ""


def _compounds(what: str, whole: str, *, is_bare: bool) -> Iterator[str]:
    """Yield the ways to write "the roof of the shed" without "of": without an article only as a compound."""
    turned = capital(whole) if what[0].isupper() else whole
    yield f"{turned} {small(what)}"
    if is_bare and turned.endswith("s"):
        yield f"{turned[:-1]} {small(what)}"
    if not is_bare:
        yield f"{turned}'{'' if turned.endswith('s') else 's'} {small(what)}"
