"""What a comma on both sides, a bare "ne", the article before "more" and a tick say beside the same words."""

from __future__ import annotations

import re
from itertools import pairwise

from saidonce.foundation.model import FactKind, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import Token, tokens_of
from saidonce.matching.facts.lexicon import pattern, word_list
from saidonce.matching.facts.scan import SYMBOLS, folded_word
from saidonce.matching.facts.sentence_relations import Places, span_of

_ENCLOSED = re.compile(
    r"(?<=\w), (?P<phrase>(?:(?:the|les|des|mes|los|las|i|gli|le|os|as|de|die|unsere|alle) )[\w'\u2019-]+)(?=, \w)"
)
"""A noun with its article between two commas: somebody who is addressed."""

_NAMED = re.compile(r"(?<=\w), (?P<phrase>[A-Z][\w'\u2019-]+)(?=, \w)")
"""A name between two commas, in languages in which no other noun has a capital."""

_BECAUSE = re.compile(r"(?P<comma>,?) (?P<because>because)\b")
_DENIED = re.compile(r"\b(?:not|never|no|nobody|nothing)\b|n['\u2019]t\b", re.IGNORECASE)
_BIDS = re.compile(r"(?:please )?(?:do not|don['\u2019]t|never)\b", re.IGNORECASE)
_LASTS = re.compile(r"\b(?:for (?:[\w-]+ ){0,3}(?:years?|months?|weeks?|days?|hours?|decades?)|since)\b", re.IGNORECASE)
_PERFECT = re.compile(r"\b(?:has|have|'ve)\b", re.IGNORECASE)

_MORE = re.compile(
    r"\b(?P<article>el|la|los|las|un|una|unos|unas|il|lo|i|gli|le|uno|o|a|os|as|um|uma|uns|umas) "
    r"(?P<what>[\w'\u2019-]+ (?:m\u00e1s|pi\u00f9|mais|menos|meno) \w+)",
    re.IGNORECASE,
)
_INDEFINITE = frozenset("un una unos unas uno um uma uns umas".split())


def denies_barely(a: str, b: str, language: str) -> Places | None:
    """Return the French verb that "ne" denies by itself in one sentence, where the other has no "ne"."""
    denied = pattern(language, "denies_alone")
    if denied is None:
        return None
    here, there = denied.search(a), denied.search(b)
    if (here is None) == (there is None) or _has_ne(b if here else a):
        return None
    return (Span.of(here) if here else None), (Span.of(there) if there else None)


def _has_ne(sentence: str) -> bool:
    return re.search(r"\b(?:ne\b|n['\u2019])", sentence, re.IGNORECASE) is not None


def addresses(a: str, b: str, language: str) -> Places | None:
    """Return the noun between two commas in one sentence that stands without any in the other.

    "Wash, the children, before lunch" is said to them.
    """
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        hits = [*_ENCLOSED.finditer(one), *(_NAMED.finditer(one) if language != "de" else ())]
        for hit in hits:
            phrase = re.escape(hit["phrase"])
            bare = re.search(rf"(?<=\w )(?<!\bwho is )(?<!\bwho are ){phrase}\b", two)
            if bare and not re.search(rf",\s*{phrase}", two):
                places = Span.of(hit), Span.of(bare)
                return places[::-1] if is_turned else places
    return None


def compares_otherwise(a: str, b: str, language: str) -> Places | None:
    """Return the phrase with "more" behind a noun whose article makes it the most of all in one sentence alone.

    "El camino m\u00e1s corto" is the shortest, "un camino m\u00e1s corto" a shorter one.
    """
    if language not in ("es", "it", "pt"):
        return None
    here, there = ({m["what"].lower(): m for m in _MORE.finditer(text)} for text in (a, b))
    for what in (w for w in here if w in there):
        one, two = here[what], there[what]
        if (one["article"].lower() in _INDEFINITE) != (two["article"].lower() in _INDEFINITE):
            return Span.of(one), Span.of(two)
    return None


_WORD = re.compile(r"[^\W_]+")


def means_some_or_all(a: str, b: str, language: str) -> Places | None:
    """Return the article that says of several things that all are meant in one text, and that some are in the other.

    "Las pistas" and "unas pistas", "les clients" and "des clients", "i soci" and "soci"; a name keeps what it means.
    """
    some, every, free = (word_list(language, name) for name in ("some_of", "all_of", "article_free"))
    if not some:
        return None
    here, there = ({y[0]: x for x, y in pairwise(_WORD.finditer(text))} for text in (a, b))
    for noun in (w for w in here if w in there and w.islower() and w not in free):
        one, two = here[noun][0].lower(), there[noun][0].lower()
        is_plural = noun.endswith(("s", "i", "e"))
        if (one in every) != (two in every) and (is_plural or one in some or two in some):
            return Span.of(here[noun]), Span.of(there[noun])
    return None


_MOST_BEHIND = 2
"""Words behind a noun among which "per" stands: "a dog per pitch", "a large dog per pitch"."""


def counts_for_each(a: str, b: str, language: str) -> Places | None:
    """Return the article that counts one thing for each of several in one text, and names the thing in the other.

    "A dog per pitch" and "the dog per pitch", "every tenant gets a key" and "the key". Elsewhere such an article is
    style.
    """
    one_thing = word_list(language, "one_thing")
    if not one_thing:
        return None
    here, there = _singled(a, language), _singled(b, language)
    for noun in (w for w in here if w in there):
        one, two = here[noun], there[noun]
        if (folded_word(one[0].text) in one_thing) != (folded_word(two[0].text) in one_thing) and one[1] and two[1]:
            return _from(one, a), _from(two, b)
    return None


def _from(single: tuple[Span, bool, int], text: str) -> Span:
    return Span(single[0].start, single[2], text[single[0].start : single[2]])


@remembered(8_192)
def _singled(text: str, language: str) -> dict[str, tuple[Span, bool, int]]:
    """Return word behind an article of one thing -> the article, whether it is for each, and where the word ends."""
    articles = word_list(language, "one_thing") | word_list(language, "the_thing")
    each, per, manners = (word_list(language, name) for name in ("for_each", "per_each", "manners"))
    hits = list(_WORD.finditer(text))
    words = [folded_word(m[0]) for m in hits]
    times = [t for t in tokens_of(text, language) if t.kind in _TIMES]
    singled: dict[str, tuple[Span, bool, int]] = {}
    is_each = False
    for n, hit in enumerate(hits[:-1]):
        if words[n] in each:
            is_each = not any(t.start <= hit.start() < t.end or t.start == hits[n + 1].start() for t in times)
        if words[n] in articles and words[n + 1] not in articles:
            behind = words[n + 2 : n + 3 + _MOST_BEHIND]
            at = next((m for m, w in enumerate(behind[:_MOST_BEHIND]) if w in per or w in each), -1)
            is_per = at >= 0 and behind[at + 1 : at + 2] != [] and behind[at + 1] not in manners
            singled.setdefault(words[n + 1], (Span.of(hit), is_each or is_per, hits[n + 1].end()))
    return singled


_TIMES = (FactKind.FREQUENCY, FactKind.DATE, FactKind.UNIT)


def denies_the_cause(a: str, b: str, language: str) -> Places | None:
    """Return the English "because" behind a denial that has a comma before it in one sentence alone.

    "We did not close, because it was loud" says why not, "we did not close because it was loud" denies that cause.
    What nobody shall do is not done for any cause: "do not come, because it is full".
    """
    here, there = (list(_BECAUSE.finditer(text)) for text in (a, b)) if language == "en" else ((), ())
    for one, two in zip(here, there, strict=False):
        clause = re.split(r"[.!?;:]\s+", a[: one.start()])[-1]
        is_denied = _DENIED.search(clause) and not _BIDS.match(clause)
        if is_denied and bool(one["comma"]) != bool(two["comma"]):
            return Span.of(one), Span.of(two)
    return None


def goes_on(a: str, b: str, language: str) -> Places | None:
    """Return how long something has lasted in one English sentence, and lasted once in the other.

    "Has run it for nine years", "ran it for nine years".
    """
    if language != "en":
        return None
    here, there = _LASTS.search(a), _LASTS.search(b)
    if here is None or there is None or bool(_PERFECT.search(a)) == bool(_PERFECT.search(b)):
        return None
    return Span.of(here), Span.of(there)


_LISTED = re.compile("\u3001")
_JOINING = "\u3001\uff0c,\u548c\u4e0e\u53ca\u6216\u8ddf\u540c"


def lists_otherwise(a: str, b: str, language: str) -> Places | None:
    """Return the Chinese mark between two members of a list that the other text writes as one word."""
    if language != "zh":
        return None
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        for hit in _LISTED.finditer(one):
            around = one[max(0, hit.start() - 2) : hit.start()], one[hit.end() : hit.end() + 1]
            at = two.find("".join(around)) if all(around) and not set(around[1]) & set(_JOINING) else -1
            if at >= 0:
                places = Span.of(hit), Span(at, at + len("".join(around)), "".join(around))
                return places[::-1] if is_turned else places
    return None


_SIGN = re.compile(rf"id:[{SYMBOLS}\u00d7]+")


def ticks_otherwise(a: str, b: str, language: str) -> Places | None:
    """Return the first word beside which another tick, cross or star stands in the other sentence.

    "Dogs: \u2714 Cats: \u2718" states of dogs what "Dogs: \u2718 Cats: \u2714" states of cats.
    """
    if a.isascii() or b.isascii():
        return None
    here, there = _ticked(a, language), _ticked(b, language)
    for word in (w for w in here if w in there):
        if [m.key for m in here[word]] != [m.key for m in there[word]]:
            return span_of(a, here[word][0]), span_of(b, there[word][0])
    return None


@remembered(4_096)
def _ticked(sentence: str, language: str) -> dict[str, list[Token]]:
    """Return each word beside a sign -> the signs: in front of it where one opens the sentence, else behind it."""
    tokens = tokens_of(sentence, language)
    are_signs = [bool(_SIGN.fullmatch(t.key)) for t in tokens]
    leads = bool(tokens) and (are_signs[0] or _opens_with_a_sign(sentence, tokens[0]))
    ticked: dict[str, list[Token]] = {}
    for n, token in enumerate(tokens):
        beside = n + 1 if leads else n - 1
        if are_signs[n] and 0 <= beside < len(tokens) and not are_signs[beside]:
            ticked.setdefault(tokens[beside].key, []).append(token)
    return ticked


def _opens_with_a_sign(sentence: str, first: Token) -> bool:
    """Return whether a sign that is read as a bullet stands before the first word."""
    return re.search(f"[{SYMBOLS}]", sentence[: first.start]) is not None


RULES = (
    denies_barely,
    addresses,
    compares_otherwise,
    means_some_or_all,
    counts_for_each,
    denies_the_cause,
    goes_on,
    lists_otherwise,
    ticks_otherwise,
)
