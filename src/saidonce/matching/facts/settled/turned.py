"""Sentences with their parts in another order in which it is shown who does what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from saidonce.foundation.model import FactKind
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.articles import other_article
from saidonce.matching.facts.causes import denied_cause
from saidonce.matching.facts.lexicon import language_table, stem, word_list, words_of
from saidonce.matching.facts.moved import is_move_explained
from saidonce.matching.facts.settled.sight import Sight
from saidonce.matching.facts.settled.voices import has_one_owner, is_measured, is_passive_of

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*|\d[\d.,:]*")
MOST_ATTRIBUTES = 3


def keeps_roles(sight: Sight) -> bool:
    """Return whether a reading of two sentences shows the same roles in another order."""
    if sight.language == "en":
        return any(reads(sight) for reads in _IN_ENGLISH)
    if sight.language == "de":
        return _is_fronted(sight) or _is_time_and_place(sight)
    return _has_clitic(sight) or _has_clitic(sight.mirrored) or _is_time_and_place(sight)


def trades_places(sight: Sight) -> bool:
    """Return whether two opposites stand in both sentences, and who is which is shown; or "before" for "after"."""
    if sight.language != "en":
        return False
    words = [{t.key for t in tokens} for tokens in sight.tokens]
    quoted = {t.key for tokens, at in zip(sight.tokens, sight.at, strict=True) for t in tokens if at.start == t.start}
    return (quoted <= words[0] & words[1] and _is_explained(sight)) or _follows_or_precedes(sight)


def _is_explained(sight: Sight) -> bool:
    return is_move_explained(sight.one.text, sight.two.text)


def _is_time_and_place(sight: Sight) -> bool:
    """Return whether a date and another phrase, each with its own preposition, have only changed places."""
    if sight.objection.kind is not FactKind.ROLE:
        return False
    sides = [
        [t for t in tokens if at.start <= t.start and t.end <= at.end]
        for tokens, at in zip(sight.tokens, sight.at, strict=True)
    ]
    if any(sum(t.kind is FactKind.DATE for t in side) != 1 for side in sides):
        return False
    one, two = ([t.key for t in side if t.content and t.kind is not FactKind.DATE] for side in sides)
    if one != two or not 1 <= len(one) <= MOST_ATTRIBUTES or len(sides[0]) > len(one) + 2:
        return False
    return all(_leads(tokens, at.start, sight.language) for tokens, at in zip(sight.tokens, sight.at, strict=True))


def _moves_a_time(sight: Sight) -> bool:
    """Return whether all that has moved between two quoted stretches is how often something is done: "every hour".

    A single word may belong to a noun: "the weekly report is sent".
    """
    sides = [
        [t for t in tokens if at.start <= t.start and t.end <= at.end]
        for tokens, at in zip(sight.tokens, sight.at, strict=True)
    ]
    often = [[t for t in side if t.kind is FactKind.FREQUENCY] for side in sides]
    if any(len(side) != 1 or " " not in side[0].word for side in often) or often[0][0].key != often[1][0].key:
        return False
    one, two = ([t.key for t in side if t.kind is not FactKind.FREQUENCY] for side in sides)
    return one == two


def _leads(tokens: Sequence[Token], start: int, language: str) -> bool:
    """Return whether a preposition stands right before a place."""
    before = [t for t in tokens if t.end <= start]
    return bool(before) and before[-1].word in _prepositions(language)


@cache
def _prepositions(language: str) -> frozenset[str]:
    return frozenset(language_table(language).get("relations", {}).get("prepositions", "").split())


def _follows_or_precedes(sight: Sight) -> bool:
    """Return whether "A before B" stands for "B after A": what stands around the two words has changed places."""
    words = {sight.objection.a.text.casefold(), sight.objection.b.text.casefold()}
    if words != {"before", "after"}:
        return False
    (a_left, a_right), (b_left, b_right) = (
        _around(tokens, at.start, at.end) for tokens, at in zip(sight.tokens, sight.at, strict=True)
    )
    if not (a_left and a_right and b_left and b_right):
        return False
    crossed = min(len(a_left & b_right), len(a_right & b_left))
    return crossed > 0 and not (a_left & b_left) and not (a_right & b_right)


def _around(tokens: Sequence[Token], start: int, end: int) -> tuple[frozenset[str], frozenset[str]]:
    left = frozenset(stem(t.word) for t in tokens if t.end <= start and t.content)
    right = frozenset(stem(t.word) for t in tokens if t.start >= end and t.content)
    return left, right


def _has_clitic(sight: Sight) -> bool:
    """Return whether an object that opens the second sentence is taken up by a pronoun before the verb.

    "El acta la redacta la secretaria": whoever stands behind the verb does it, and stands before it in the first
    sentence.
    """
    pronouns = words_of(language_table(sight.language).get("relations", {}).get("taking_up", ""))
    one, two = (_words(side.text) for side in (sight.one, sight.two))
    for n in range(1, len(two) - 1):
        if two[n] not in pronouns or two[n + 1] not in one or one.count(two[n + 1]) != 1:
            continue
        verb = one.index(two[n + 1])
        doer, thing = _kept(one[:verb], sight.language), _kept(two[:n], sight.language)
        if not doer or not thing or _is_cut(sight.two.text, two[n - 1], two[n]):
            continue
        reach = slice(n + 2, n + 4 + len(doer)), slice(verb + 1, verb + 3 + len(thing))
        if set(doer) <= set(two[reach[0]]) and set(thing) <= set(one[reach[1]]) and one[verb + 1] not in _PERSONAL:
            return True
    return False


_PERSONAL = frozenset(("a", "al"))
"""What stands before a person who is the object in Spanish."""


def _is_cut(text: str, one: str, two: str) -> bool:
    """Return whether a mark stands between two words that follow each other."""
    return not re.search(rf"(?<!\w){re.escape(one)}\s+{re.escape(two)}(?!\w)", text.casefold())


def _kept(words: Sequence[str], language: str) -> list[str]:
    """Return the last words of a stretch that name something: those of its clause."""
    articles = frozenset(language_table(language)["articles"].split())
    joins = [n for n, word in enumerate(words) if word in _JOINS]
    return [w for w in words[joins[-1] + 1 if joins else 0 :] if w not in articles]


_JOINS = frozenset(("y", "e", "et", "ed", "mientras"))


def _words(text: str) -> list[str]:
    return [m.group().casefold() for m in _WORD.finditer(text)]


def _is_fronted(sight: Sight) -> bool:
    """Return whether two German sentences have one verb in the second place, and articles show who does what.

    All nouns but one have an article that fixes their case, the same in both sentences, or hang on a preposition.
    """
    one, two = (_WORD.findall(side.text) for side in (sight.one, sight.two))
    if any(_JOINED.search(side.text) for side in (sight.one, sight.two)):
        return False
    if other_article(sight.one.text, sight.two.text, "de") or denied_cause(sight.one.text, sight.two.text, "de"):
        return False
    if not _keeps_scope(one, two) or _differ_in_grammar(one, two):
        return False
    nouns = [_nouns(one, two), _nouns(two, one)]
    shared = nouns[0].keys() & nouns[1].keys()
    if not shared or any(nouns[0][w] != nouns[1][w] for w in shared):
        return False
    free = [w for w in shared if not nouns[0][w]]
    return len(free) <= 1 and _verb(one, two)


_JOINED = re.compile(r"[,;:()]|\b(?:und|oder|sondern|aber|sowie)\b", re.IGNORECASE)
"""What joins two clauses, or a list, whose parts may be exchanged."""

_SCOPED = frozenset("nur auch sogar erst allein selbst bloß lediglich ausschließlich nicht".split())


def _differ_in_grammar(one: Sequence[str], two: Sequence[str]) -> bool:
    """Return whether only one sentence has a preposition or a word that says how sure or how much something is.

    So do two in which a noun stands more than once, or more than a few words differ.
    """
    lone = {w.casefold() for w in one} ^ {w.casefold() for w in two}
    telling = _SCOPED | word_list("de", "scoped") | _UNSURE | _prepositions("de")
    nouns = [w for w in one if w[0].isupper()]
    return len(lone) > MOST_LONE or bool(lone & telling) or len(nouns) != len(set(nouns))


MOST_LONE = 4
_UNSURE = frozenset("voraussichtlich vermutlich wahrscheinlich angeblich möglicherweise vielleicht wohl sicher".split())


def _keeps_scope(one: Sequence[str], two: Sequence[str]) -> bool:
    """Return whether the words that bear on what stands behind them stand before the same words."""
    scoped = _SCOPED | word_list("de", "scoped")
    sides = [
        {(w.casefold(), words[n + 1].casefold()) for n, w in enumerate(words[:-1]) if w.casefold() in scoped}
        for words in (one, two)
    ]
    return sides[0] == sides[1]


def _verb(one: Sequence[str], two: Sequence[str]) -> bool:
    """Return whether a word in small letters stands behind the first phrase of both sentences, within reach."""
    heads = [{w for w in words[1:6] if w[0].islower()} for words in (one, two)]
    return bool(heads[0] & heads[1])


def _nouns(words: Sequence[str], others: Sequence[str]) -> dict[str, str]:
    """Return each noun -> the article or preposition before it that fixes its case; empty for one that has none.

    The first word of a sentence is a noun if the other sentence has it with a capital inside.
    """
    leads = _fixing()
    nouns: dict[str, str] = {}
    for n, word in enumerate(words):
        if not word[0].isupper() or word.casefold() in leads or (n == 0 and word not in others[1:]):
            continue
        lead = ""
        for before in reversed(words[max(0, n - 1 - MOST_ATTRIBUTES) : n]):
            if before.casefold() in leads:
                lead = f"{before.casefold()} {_owned(words, n, before)}"
                break
            if before[0].isupper() and before != words[0]:
                break
        nouns[word] = lead
    return nouns


def _owned(words: Sequence[str], n: int, article: str) -> str:
    """Return the noun right before an article of an owner: "das Fahrrad der Nachbarin"; empty without one."""
    at = max(m for m in range(n) if words[m] == article)
    is_owner = at > 0 and words[at - 1][0].isupper() and article.casefold() in _OWNERS
    return words[at - 1] if is_owner and at > 1 else ""


_OWNERS = frozenset("der des einer eines dieser jeder meiner unserer ihrer seiner".split())


@cache
def _fixing() -> frozenset[str]:
    """Return articles that are not of both the subject's and the object's case, and prepositions."""
    rows = (row.partition("=") for row in language_table("de")["relations"]["marks"].split())
    fixing = {word for word, _, marks in rows if not {"fn", "nn", "pn"} & set(marks.split(".")) or word == "der"}
    return frozenset(fixing) | _prepositions("de")


_IN_ENGLISH = (_is_explained, is_passive_of, has_one_owner, is_measured, _is_time_and_place, _moves_a_time)
