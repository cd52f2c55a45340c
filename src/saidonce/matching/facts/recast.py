"""Who does something, whose it is and how many count, where two sentences have the same words in the same order.

"A form is required for the refund" and "the form requires a refund", "ask the guests before they leave" and "before
leaving", "all flats cost 900" and "each flat costs 900", "Jan reads" and "January reads".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from saidonce.foundation.model import FactKind, Span
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.lexicon import is_past, language_table, pattern, word_list
from saidonce.matching.facts.phrases import HANGS
from saidonce.matching.facts.plain.beside import is_dated
from saidonce.matching.facts.plain.fronted import appoints, may_be_of_a_noun, words_of
from saidonce.matching.facts.sentence_relations import Places, SentenceRelations, relations_of, span_of
from saidonce.matching.facts.voice import is_turned

_BE = frozenset("is are was were be been being".split())


def requires_otherwise(a: str, b: str, language: str) -> Places | None:
    """Return the "is required" of one English sentence for which the other, with the same words, has "requires".

    What is required for the refund requires no refund.
    """
    if language != "en":
        return None
    one, two = relations_of(a, language), relations_of(b, language)
    here, there = _needed(one), _needed(two)
    if here is None or there is None or here[1] == there[1] or _others(one) != _others(two):
        return None
    return span_of(a, here[0]), span_of(b, there[0])


def _others(sentence: SentenceRelations) -> list[str]:
    return [t.key for t in sentence.contents if t.word not in word_list("en", "needs")]


def _needed(sentence: SentenceRelations) -> tuple[Token, bool] | None:
    """Return the only word that says that something is needed, and whether it is said of what is needed."""
    at = [n for n, t in enumerate(sentence.tokens) if t.word in word_list("en", "needs")]
    if len(at) != 1 or not any(t.content for t in sentence.tokens[: at[0]]):
        return None
    before = {t.word for t in sentence.tokens[max(0, at[0] - _HELPERS) : at[0]]}
    return sentence.tokens[at[0]], not _BE.isdisjoint(before)


_HELPERS = 3
"""Words before a participle among which a form of "be" makes a passive of it: "is not always required"."""

_CLAUSE = re.compile(
    r"\b(?P<when>before|after|while|when|since|until|without|by)\s+(?:(?P<who>they|he|she|it|we|i|you)\b|(?P<doing>[a-z]+ing)\b)",
    re.IGNORECASE,
)
_OF_THE_READER = re.compile(r"(?:please|do not|don['\u2019]t|never|always)\b", re.IGNORECASE)
_INTRODUCES = re.compile(
    r"\b(?:the|an?|his|her|its|their|our|your|my|this|that|these|those|each|every|all|any|no|us|them|him|me|you)\b",
    re.IGNORECASE,
)


def done_by_another(a: str, b: str, language: str) -> Places | None:
    """Return the "they" of an English clause for which the other sentence has "-ing", where it may be somebody else.

    What is done "before leaving" is left by who does it: "ask the guests before they leave" is of the guests.
    """
    if language != "en":
        return None
    here, there = list(_CLAUSE.finditer(a)), list(_CLAUSE.finditer(b))
    for one, two in zip(here, there, strict=True) if len(here) == len(there) else ():
        if one["when"].casefold() != two["when"].casefold() or bool(one["who"]) == bool(two["who"]):
            continue
        whole = one if one["who"] else two
        if not _is_subject(whole["who"].casefold(), _main_clause(whole)):
            return Span.of(one), Span.of(two)
    return None


def _main_clause(clause: re.Match[str]) -> str:
    """Return the part of a sentence that a clause hangs on: what stands before it, or else behind its comma."""
    before = re.split(r"[.!?;:\n]\s+|,\s+", clause.string[: clause.start()].rstrip(" ,"))[-1].strip("-*0123456789.) ")
    return before or clause.string[clause.end() :].partition(",")[2].strip()


def _is_subject(who: str, main: str) -> bool:
    """Return whether a pronoun can only be who does something in a main clause."""
    main = _DOER.sub("", main)
    words = main.split()
    first = words[0].casefold() if words else ""
    is_bidden = bool(_OF_THE_READER.match(main)) or first in word_list("en", "bids")
    is_bidden = is_bidden or _INTRODUCES.fullmatch("".join(words[1:2])) is not None  # "warn the fitters"
    if who == "you" and is_bidden:
        return True
    if who in _SPEAKERS or first in _PRONOUNS or is_bidden:
        return first == who
    if who == "they":
        several = [n for n, word in enumerate(words) if _SEVERAL.fullmatch(word.strip(".,;:()\"'"))]
        return len(several) == 1 and several[0] < _OF_A_SUBJECT
    if who == "it" and not word_list("en", "people").isdisjoint(word.casefold() for word in words[1:_OF_A_SUBJECT]):
        return False  # "the warden must be called before it opens"
    return not any(m.start() for m in _INTRODUCES.finditer(main))


_DOER = re.compile(r"^.*\bby (?=(?:the|an?|our|your|my) [\w-]+$)")
"""What stands before who does something in a passive."""

_SPEAKERS = frozenset("i we you".split())
_PRONOUNS = frozenset("i we you they he she it".split())
_SEVERAL = re.compile(
    r"(?!(?:this|us|is|was|has|does|as|its|his|always|yes)$)\w*[^s\W]s|people|children|men|women|them|these|those",
    re.IGNORECASE,
)
"""Words for several, and verbs of one, each of which may be who "they" are."""

_OF_A_SUBJECT = 3
"""Words at the head of a clause among which its subject stands."""

_LABEL = re.compile(
    r"(?:(?:the|our|your|my)\s+)?(?P<label>\w+(?:\s\w+)?)\s?:\s+(?:(?:the|an?|our)\s+)?(?P<of>\w+)", re.IGNORECASE
)
_LEADS = "for|with|to|from|by|of|behind|under|against|about"


def labels_otherwise(a: str, b: str, language: str) -> Places | None:
    """Return the label before a colon of which the other English sentence says what it is for, or whose.

    "Chair: Dr Lind" names the chair, "the chair is for Dr Lind" does not.
    """
    if language != "en" or (":" in a) == (":" in b):
        return None
    labelled, plain = (a, b) if ":" in a else (b, a)
    hit = _LABEL.match(labelled)
    if hit is None or hit["of"][0].isdigit():
        return None
    phrase = re.match(
        rf"(?:(?:the|our|your|my)\s+)?{re.escape(hit['label'])}\s+(?:(?:is|are|was|were)\s+)?(?:{_LEADS})\s+"
        rf"(?:(?:the|an?|our)\s+)?{re.escape(hit['of'])}\b",
        plain,
        re.IGNORECASE,
    )
    if phrase is None:
        return None
    return (Span.of(hit), Span.of(phrase)) if labelled is a else (Span.of(phrase), Span.of(hit))


def counts_together(a: str, b: str, language: str) -> Places | None:
    """Return the "all" of one sentence for which the other has "each", beside a sum or what several do together.

    "All flats cost 900" may be the price of all of them, "all flats share a boiler" says that they have one.
    """
    each = word_list(language, "each_of")
    if not each:
        return None
    one, two = (_quantified(text, language) for text in (a, b))
    if one is None or two is None or (one.word in each) == (two.word in each):
        return None
    counts = any(_counts(text, language, token) for text, token in ((a, one), (b, two)))
    return (span_of(a, one), span_of(b, two)) if counts else None


def _quantified(sentence: str, language: str) -> Token | None:
    """Return the only word of a sentence that means all of several things."""
    words = [t for t in relations_of(sentence, language).tokens if t.key == "quantifier:all" and t.word not in _TIMES]
    return words[0] if len(words) == 1 else None


_TIMES = frozenset("always immer stets toujours siempre sempre altijd steeds".split())
_SUMS = (FactKind.NUMBER, FactKind.AMOUNT, FactKind.UNIT)
_BESIDE = 3
"""Words behind "all" or "each" among which a number says how many there are: "all of the 12 flats"."""


def _counts(text: str, language: str, quantifier: Token) -> bool:
    together = pattern(language, "together")
    if together is not None and together.search(text):
        return True
    tokens = list(relations_of(text, language).tokens)
    at = tokens.index(quantifier)
    sums = (
        n
        for n, t in enumerate(tokens)
        if t.kind in _SUMS and not t.key.endswith(" s") and not t.key.startswith("o:") and not _names(tokens, n)
    )
    return any(not at < n <= at + _BESIDE or any(t.content for t in tokens[at + 1 : n]) for n in sums)


def _names(tokens: Sequence[Token], n: int) -> bool:
    """Return whether a number closes a sentence or phrase as the name of a thing does: "of flat 4", "on page 2"."""
    is_alone = tokens[n].kind is FactKind.NUMBER and not (n + 1 < len(tokens) and tokens[n + 1].content)
    return is_alone and n > 1 and tokens[n - 1].content and not tokens[n - 2].content


_PART = re.compile(
    r"\b(?P<whole>the\s+)?(?P<n>one|two|three|four|five|six|seven|eight|nine|ten|\d+|some|many|most|several)\s+of\s+"
    r"(?P<of>the|our|your|their|his|her|its|my|these|those|\w+)\b",
    re.IGNORECASE,
)


def parts_otherwise(a: str, b: str, language: str) -> Places | None:
    """Return the "two of the three" of an English sentence for which the other has "the two of three", or "the two"."""
    if language != "en":
        return None
    halves = [(_HALF.search(text), _A_HALF.search(text)) for text in (a, b)]
    for (half, _), (_, whole) in (halves, halves[::-1]):
        if half and whole:
            return (Span.of(half), Span.of(whole)) if half.string is a else (Span.of(whole), Span.of(half))
    here, there = _PART.search(a), _PART.search(b)
    if here and there:
        return (Span.of(here), Span.of(there)) if bool(here["whole"]) != bool(there["whole"]) else None
    part = here or there
    if part is None or part["whole"]:
        return None
    whole = re.search(rf"\bthe\s+{re.escape(part['n'])}\b", b if here else a, re.IGNORECASE)
    if whole is None:
        return None
    return (Span.of(part), Span.of(whole)) if here else (Span.of(whole), Span.of(part))


_HALF = re.compile(r"(?<!\bthe )\bhalf (?:of )?(?:the|our|your|their)\b", re.IGNORECASE)
_A_HALF = re.compile(r"\b(?:the|our|your|their) half\b(?! of\b)", re.IGNORECASE)
"""Some of several things, and things that are halves: "half the flats", "the half flats"."""

_NTH = r"(?:first|second|third|fourth|last|[1-4](?:st|nd|rd|th))"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_NTH_DAY = re.compile(
    rf"\b(?P<nth>{_NTH}) (?P<day>{_DAY})s?\b|\b(?P<on>{_DAY}),? (?:the )?(?P<date>{_NTH})\b", re.IGNORECASE
)


def dates_otherwise(a: str, b: str, language: str) -> Places | None:
    """Return the "first Monday" of an English sentence for which the other has "Monday the first".

    Or the part of a day that only one has, where the other has one of another day.
    """
    if language != "en":
        return None
    here, there = ([*_NTH_DAY.finditer(text)] for text in (a, b))
    pairs = zip(here, there, strict=True) if len(here) == len(there) else ()
    if nth := next(((Span.of(x), Span.of(y)) for x, y in pairs if bool(x["day"]) != bool(y["day"])), None):
        return nth
    one, two = ({hit[0].casefold(): hit for hit in _PART_OF_DAY.finditer(text)} for text in (a, b))
    lone = [next((hits[day] for day in hits if day not in others), None) for hits, others in ((one, two), (two, one))]
    return (Span.of(lone[0]), Span.of(lone[1])) if lone[0] and lone[1] else None


_PART_OF_DAY = re.compile(rf"\b{_DAY} (?:morning|afternoon|evening|night)s?\b", re.IGNORECASE)
"""A part of a day: "Sunday and Monday mornings" are not "Sunday mornings and Monday"."""


_OWNERS = re.compile(r"\b(?P<one>[\w-]+)(?P<own>['\u2019]s)? (?P<joint>and|or) (?P<two>(?:the )?[\w-]+)['\u2019]s\b")


def owns_apart(a: str, b: str, language: str) -> Places | None:
    """Return the "Ann and Ben's" of an English sentence for which the other has "Ann's and Ben's", which are two."""
    here, there = ({(m["one"], m["two"]): m for m in _OWNERS.finditer(t)} if language == "en" else {} for t in (a, b))
    pairs = ((here[names], there[names]) for names in here if names in there)
    return next(((Span.of(x), Span.of(y)) for x, y in pairs if bool(x["own"]) != bool(y["own"])), None)


_OWNED = re.compile(r"\b(?P<owner>[\w-]+)['\u2019]s (?P<thing>[\w-]+)")
_OF = re.compile(
    r"\b(?P<thing>[\w-]+) of (?:(?:the|an?|our|your|my|his|her|their) )?(?P<owner>[\w-]+)"
    r"(?:['\u2019]s (?P<head>[\w-]+))?"
)


def belongs_to_another(a: str, b: str, language: str) -> Places | None:
    """Return the chains of owners of two English sentences that have the same things, each of another owner.

    "The tenant of the shop's owner", "the owner of the tenant's shop".
    """
    if language != "en" or not (_OWNED.search(a) or _OWNED.search(b)):
        return None
    one, two = _chain(a), _chain(b)
    if min(len(one), len(two)) < _CHAIN or one == two or len(one) != len(two):
        return None
    if {word for pair in one for word in pair} != {word for pair in two for word in pair}:
        return None
    return Span(0, len(a), a), Span(0, len(b), b)


_CHAIN = 2
"""Owners of a sentence from which they may change places."""


def _chain(text: str) -> frozenset[tuple[str, str]]:
    """Return each thing with its owner."""
    owned = {(m["thing"].casefold(), m["owner"].casefold()) for m in _OWNED.finditer(text)}
    return frozenset(
        owned | {(m["thing"].casefold(), (m["head"] or m["owner"]).casefold()) for m in _OF.finditer(text)}
    )


def takes_an_object(a: str, b: str, language: str) -> Places | None:
    """Return the noun, pronoun and verb of a sentence for which the other has the noun right before the verb.

    "Il verbale lo firma il presidente" says who signs it, "il verbale firma il presidente" that it does.
    """
    pronouns = word_list(language, "object_pronouns")
    for one, two in ((a, b), (b, a)) if pronouns else ():
        words = list(_WORD.finditer(one))
        for noun, pronoun, verb, doer in zip(words, words[1:], words[2:], words[3:], strict=False):
            if pronoun[0] not in pronouns or doer[0] not in _leading(language):
                continue  # an article: "in the working days"
            at = re.search(rf"\b{re.escape(noun[0])}\s+{re.escape(verb[0])}\b", two, re.IGNORECASE)
            if at and not re.search(rf"\b{pronoun[0]}\s+{re.escape(verb[0])}\b", two):
                here = Span(noun.start(), verb.end(), one[noun.start() : verb.end()])
                return (here, Span.of(at)) if one is a else (Span.of(at), here)
    return None


_WORD = re.compile(r"[^\W\d_]+")


@cache
def _leading(language: str) -> frozenset[str]:
    """Return the articles that lead to who does something."""
    return frozenset().union(*(word_list(language, name) for name in ("one_thing", "the_thing", "some_of", "all_of")))


def names_somebody(a: str, b: str, language: str) -> Places | None:
    """Return the short form of a month that may be a name where the other sentence has the month: "Jan reads".

    It is the month beside a figure, another day or a word that leads to one.
    """
    names = word_list(language, "names_or_months")
    for one, two, is_second in ((a, b, False), (b, a, True)) if names else ():
        for hit in _CAPITAL.finditer(one):
            month = _month_of(hit[0].casefold(), language) if hit[0].casefold() in names else None
            other = month.search(two) if month and not re.search(rf"\b{hit[0]}\b", two) else None
            if other and not is_dated(one[: hit.start()], one[hit.end() :], language):
                places = Span.of(hit), Span.of(other)
                return places[::-1] if is_second else places
    return None


_CAPITAL = re.compile(r"(?<![\w-])[A-Z][a-z]{2}(?![\w-])(?!\.\s?\d)")


@cache
def _month_of(short: str, language: str) -> re.Pattern[str]:
    """Return the expression for the months that begin as a short form does."""
    words = [w for row in language_table(language).get("months", {}).values() for w in row.split()]
    longs = [re.escape(w) for w in words if w.startswith(short) and len(w) > len(short) + 1]
    return re.compile(rf"\b(?:{'|'.join(longs) or '(?!)'})\b", re.IGNORECASE)


def hangs_on_the_object(a: str, b: str, language: str) -> Places | None:
    """Return a phrase in front of one sentence that closes the other, behind an object that it may belong to.

    "In May the mayor announces the fair", "the mayor announces the fair in May"; "call the warden with a dog"; "on doit
    lire le livre dans le bus" may be about the book there.
    """
    if abs(len(a) - len(b)) > _MARKS:
        return None  # more than a comma and a full stop differ
    one, two = ([w for w in words_of(text) if w != ","] for text in (a, b))
    if len(one) != len(two) or sorted(one) != sorted(two):
        return None
    for here, there in ((one, two), (two, one)):
        cuts = range(1, min(_LONGEST_FRONT, len(here) - 2) + 1)
        cut, at = next(((n, at) for n in cuts if (at := _place_of(here[:n], here[n:], there))), (0, 0))
        if not cut:
            continue
        front, rest = here[:cut], here[cut:]
        is_about_it = language == "en" and at == len(rest) and _may_mean_the_object(front, rest)
        is_about_it = is_about_it or (language == "en" and front[0] in HANGS and _may_be_of_more(front, rest[:at]))
        if is_about_it or appoints(here, language) or may_be_of_a_noun(front, rest[:at], language):
            return Span(0, len(a), a), Span(0, len(b), b)
    return None


def _place_of(front: Sequence[str], rest: Sequence[str], words: Sequence[str]) -> int:
    """Return the number of words before the phrase that opens another sentence, all others being in its order; or 0."""
    n = len(front)
    places = (at for at in range(len(rest), 0, -1) if list(words[at : at + n]) == list(front))
    return next((at for at in places if [*words[:at], *words[at + n :]] == list(rest)), 0)


_LONGEST_FRONT = 8
_MARKS = 3


def _may_be_of_more(front: Sequence[str], rest: Sequence[str]) -> bool:
    return _names_a_doer(front) or _ends_in_a_clause(rest)


def _ends_in_a_clause(words: Sequence[str]) -> bool:
    """Return whether a clause inside has a verb, of which what stands behind it may be: "until it is green"."""
    starts = (n for n, word in enumerate(words) if n and word in word_list("en", "hanging"))
    return any(not word_list("en", "finite").isdisjoint(words[n + 1 :]) for n in starts)


def _names_a_doer(front: Sequence[str]) -> bool:
    """Return whether a phrase has "by" behind a noun: "on request by the staff", and not "in a letter sent by them"."""
    at = front.index("by") if "by" in front[_LEAST_BEFORE:] else 0
    return at > 0 and not is_past(front[at - 1])


_LEAST_BEFORE = 2
"""Words of a phrase in front of its "by": the preposition and a noun."""


def _may_mean_the_object(front: Sequence[str], rest: Sequence[str]) -> bool:
    """Return whether the pronoun of an English clause may be the object of the main clause, once it stands behind it.

    "If it beeps, stop the pump" is of something else than the pump; "when it is full, the tank closes" is not.
    """
    if len(front) < len(("if", "it", "beeps")) or front[0] not in word_list("en", "hanging") or front[1] in rest:
        return False
    at = next((n for n, word in enumerate(rest) if _INTRODUCES.fullmatch(word)), 0)
    nouns = rest[at + 1 :] if at else ()
    if front[1] == "it":
        return bool(nouns) and word_list("en", "of_nothing").isdisjoint(front)
    if front[1] == "they":
        return any(_SEVERAL.fullmatch(word) for word in nouns)
    people = word_list("en", "people")
    return front[1] in ("he", "she") and any(word in people for word in nouns)


_BY = re.compile(
    r"\bby (?P<article>(?:the|an?|this|that|next|last|every|each|our|its) )?(?P<what>[\w-]+)", re.IGNORECASE
)


def does_nothing(a: str, b: str, language: str) -> Places | None:
    """Return what stands behind "by" in one English sentence and does something in the other, and no one could.

    "Stopped by noon" says until when, "sent by post" how and "pitched by the lake" where; "noon stopped the lift" says
    what did it.
    """
    if language != "en" or not (_BY.search(a) or _BY.search(b)) or not is_turned(a, b):
        return None
    for one, two, is_turned_round in ((a, b, False), (b, a, True)):
        hit = _BY.search(one) if not re.search(r"\bby\b", two) else None
        there = re.search(rf"\b{re.escape(hit['what'])}\b", two, re.IGNORECASE) if hit else None
        if hit and there and ((_is_no_doer(hit) and not _is_of_a_doer(one, hit, two)) or _is_measured(one, hit)):
            places = Span.of(hit), Span.of(there)
            return places[::-1] if is_turned_round else places
    return None


def _is_of_a_doer(text: str, hit: re.Match[str], other: str) -> bool:
    """Return whether both sentences have the same noun right behind a word that does nothing: "the night porter"."""
    behind = re.match(r"[ ](?P<noun>[\w-]+)", text[hit.end() :])
    noun = behind["noun"] if behind else ""
    tokens = relations_of(text, "en").tokens
    is_noun = any(t.start == hit.end() + 1 and t.content and t.kind is None for t in tokens)
    is_time = noun.lower() in word_list("en", "no_doers") or noun.lower() in word_list("en", "means")
    return is_noun and not is_time and re.search(rf"\b{hit['what']} {noun}\b", other, re.IGNORECASE) is not None


def _is_no_doer(hit: re.Match[str]) -> bool:
    word = hit["what"].lower()
    return word in word_list("en", "no_doers") or (not hit["article"] and word in word_list("en", "means"))


def _is_measured(text: str, hit: re.Match[str]) -> bool:
    """Return whether what stands behind "by" is a time or an amount; who "two teachers" are is shown by the noun."""
    tokens = relations_of(text, "en").tokens
    at = next((n for n, t in enumerate(tokens) if t.start <= hit.start("what") < t.end), None)
    if at is None or tokens[at].kind is FactKind.DATE:
        return at is not None
    counts_something = at + 1 < len(tokens) and tokens[at + 1].content and tokens[at + 1].kind is None
    return tokens[at].kind in (*_SUMS, FactKind.QUANTIFIER) and not counts_something


RULES = (
    does_nothing,
    requires_otherwise,
    done_by_another,
    labels_otherwise,
    counts_together,
    parts_otherwise,
    dates_otherwise,
    owns_apart,
    belongs_to_another,
    takes_an_object,
    names_somebody,
    hangs_on_the_object,
)
"""What is looked for in two aligned sentences, in this order."""
