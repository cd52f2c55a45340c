"""What opens a sentence, and may belong to a clause inside it where it stands at the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from saidonce.foundation.model import FactKind, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.lexicon import grammar, is_past, pattern, stem, word_list
from saidonce.matching.facts.phrases import HANGS
from saidonce.matching.facts.scan import folded_word
from saidonce.matching.facts.sentence_relations import Places, relations_of

_TIMES = (FactKind.DATE, FactKind.FREQUENCY, FactKind.QUANTIFIER)


def belongs_elsewhere(a: str, b: str, language: str) -> Places | None:
    """Return what opens one sentence and closes the other, behind a clause or participle that it may belong to.

    "On Monday check the boiler that was repaired", "check the boiler that was repaired on Monday".
    """
    if not word_list(language, "inner"):
        return None
    one, two = relations_of(a, language).tokens, relations_of(b, language).tokens
    for front, end, is_turned in ((one, two, False), (two, one, True)):
        texts = (b, a) if is_turned else (a, b)
        k = _fronted(front, end, texts[0], language)
        is_bare = language == "en" and _BARE_CLAUSE.search(texts[1]) is not None
        if k and (is_bare or _is_open(end[: len(end) - k], front[:k], texts[1], language)):
            opening, closing = front[:k], end[len(end) - k :]
            if is_turned:
                return _stretch(a, closing), _stretch(b, opening)
            return _stretch(a, opening), _stretch(b, closing)
    return None


def _fronted(front: Sequence[Token], end: Sequence[Token], text: str, language: str) -> int:
    """Return number of words that open the one sentence and close the other, all others being in the same order.

    In other languages than English a comma has to follow them in front.
    """
    if len(front) != len(end) or [t.key for t in front] == [t.key for t in end]:
        return 0
    keys, others = [t.key for t in front], [t.key for t in end]
    k = next((k for k in range(1, len(keys)) if keys[k:] + keys[:k] == others), 0)
    if language != "en":
        return k if k and "," in text[front[k - 1].end : front[k].start] else 0
    leads = front[0]
    may_move = leads.word in HANGS or leads.kind in _TIMES or leads.word.endswith("ly")
    return k if may_move and end[0].word not in HANGS else 0


def _is_open(rest: Sequence[Token], moved: Sequence[Token], text: str, language: str) -> bool:
    """Return whether a clause inside the sentence, or a participle of a noun, closes some words.

    What has happened by then is not what happens if or when something else does: "the keys that you have received".
    """
    contents = [n for n, t in enumerate(rest) if t.content]
    if len(contents) < 2:
        return False
    if _is_controlled(rest, language) or _are_two_clauses(rest, text, language):
        return True
    inner = _inner(rest, text, language)
    if inner is not None and language == "en" and _has_happened(rest[inner:], moved):
        return False
    if inner is not None and (_has_verb(rest[:inner], text, language) or _reports(rest[inner - 1], language)):
        return True
    for n, m in pairwise(contents[-_MOST_BEHIND:]):
        is_behind = m == n + 1 and not _ARTICLE.search(text, rest[n].end, rest[m].start)  # "a signed lease"
        is_attribute = _is_participle(rest[m].word, language) or (language == "en" and _is_doing(rest[n], rest[m]))
        if is_behind and is_attribute and _has_verb(rest[:m], text, language):
            return True
    return False


def _is_doing(noun: Token, verb: Token) -> bool:
    """Return whether an English verb says what several or somebody, named right before it, do: "guests waiting".

    A noun before another one is no plural: "evening meeting". What somebody begins or goes to do is their own.
    """
    if not verb.word.endswith("ing") or verb.word in word_list("en", "named_by_ing"):
        return False
    is_of_many = noun.word.endswith("s") and not noun.word.endswith("ss")
    return (is_of_many or noun.word in word_list("en", "people")) and stem(noun.word) not in _goes_on()


@cache
def _goes_on() -> frozenset[str]:
    """Return the stems of verbs behind which another one says what is done: "starts cleaning"."""
    return frozenset(map(stem, word_list("en", "goes_on")))


def _has_happened(inner: Sequence[Token], moved: Sequence[Token]) -> bool:
    """Return whether an English relative clause is in the past, and a condition that has moved is not."""
    if inner[0].word not in _RELATIVES or moved[0].word not in _CONDITIONS or any(_is_over(t) for t in moved):
        return False
    helps = next((n for n, t in enumerate(inner) if t.word in _OVER), None)
    return helps is not None and any(is_past(t.word) for t in inner[helps + 1 :])


def _is_over(token: Token) -> bool:
    return token.word in _OVER or token.word in _ONCE or is_past(token.word)


_BARE_CLAUSE = re.compile(
    r"\b(?:learn(?:ed|t|s)?|knew|knows?|agree[ds]?|thought|thinks?|believe[ds]?|hope[ds]?|found|finds?|felt|feels?|heard|hears?"
    r"|decide[ds]?|said|says?|claim(?:ed|s)?|report(?:ed|s)?|announce[ds]?|saw|sees?|noticed|discovered|feared|admitted|denied"
    r"|promise[ds]?|suspect(?:ed|s)?|realised|realized|showed|warned|confirm(?:ed|s)?) "
    r"(?:the|an?|their|his|her|its|our|your|my|all|no|every|each|this|these|it|they|he|she|we|you|there|[A-Z][\w-]*)\b"
    r"(?: (?!(?:and|or|but)\b)[\w'-]+){0,4}?"
    r" (?:would|will|was|were|is|are|had|has|have|could|can|should|must|may|might|did|does)\b"
    r"|\b(?:(?:told|tells?) (?:\w+ )?\w+|wrote|writes?|said|says?|claim(?:ed|s)?|thought|thinks?|believe[ds]?"
    r"|know[ns]?|knew|hope[ds]?|explain(?:ed|s)?|insist(?:ed|s)?|complain(?:ed|s)?|assume[ds]?|swore|swears?)"
    r" (?:the|an?|their|his|her|its|our|your|my|all|no|every|each|it|they|he|she|we|you|there) [^,;:]*?"
    r"\b(?:would|will|was|were|is|are|had|has|have|could|can|should|must|may|might|did|does|\w{3,}(?:s|ed)(?= \w))\b"
)
"""What somebody says or thinks without "that": "learned the roof would be renewed", "says the shop closes at noon"."""

_RELATIVES = frozenset("that which who whom".split())
_CONDITIONS = frozenset("if unless once when".split())
_SUBJECTS = frozenset("i you we they he she it".split())
_ARTICLE = re.compile(r"\b(?:the|an?)\b")

_OVER = frozenset("have has had was were".split())
"""Before a participle: what has happened."""

_ONCE = frozenset("did would could might should".split())
"""What a clause of the past has besides."""

_HELPS = frozenset("will would shall can could may might must should to not".split())
"""Words right before a verb that no ending shows."""


_MOST_BEHIND = 3
"""Content words at the end of a sentence among which a participle may belong to the noun before it."""


def _inner(rest: Sequence[Token], text: str, language: str) -> int | None:
    """Return number of words before the first clause inside a sentence.

    In German and Polish a comma stands before it, and German articles are no tokens; the Dutch "die" and "dat" follow
    a noun.
    """
    words = word_list(language, "inner")
    if language in ("de", "pl"):
        hit = next((m for m in _BEHIND_COMMA.finditer(text, 0, rest[-1].end) if m[1].casefold() in words), None)
        return sum(t.start < hit.start() for t in rest) if hit else None
    places = (n for n, t in enumerate(rest) if n and t.word in words and (language != "nl" or rest[n - 1].content))
    return next((n for n in places if language != "en" or not _points(rest, n, text)), None)


def _points(rest: Sequence[Token], n: int, text: str) -> bool:
    """Return whether an English "that" points at a noun and opens no clause: "the office inspects that flat".

    So it is behind a verb, which follows "will" or a subject of one word, where none follows.
    """
    if rest[n].word != "that" or n < 2 or any(_is_verb(t) for t in rest[n + 1 :]):
        return False
    if rest[n - 2].kind is FactKind.MODALITY or rest[n - 2].word in _HELPS:
        return True
    is_behind_subject = n == 2 and (rest[0].word in _SUBJECTS or _SUBJECT.match(text) is not None)
    return is_behind_subject and not _ARTICLE.search(text, rest[0].end, rest[n].start)


def _is_verb(token: Token) -> bool:
    is_third = token.content and token.word.endswith("s") and not token.word.endswith("ss")
    is_known = token.kind is FactKind.MODALITY or token.word in word_list("en", "finite") or is_past(token.word)
    return is_third or is_known or token.word in word_list("en", "bids")


_BEHIND_COMMA = re.compile(r",\s+(\w+)")

_CONTROLS = frozenset(
    stem(w)
    for w in "decide promise agree refuse offer threaten forget plan tell ask remind instruct order warn advise propose"
    " vow pledge intend want expect invite urge persuade".split()
)
"""Verbs of which what is done may be at another time, or in another way, than that it is promised or asked for."""


def _are_two_clauses(rest: Sequence[Token], text: str, language: str) -> bool:
    """Return whether "and" joins two statements of a sentence in a Romance language, as far as an article shows it."""
    joined = pattern(language, "two_clauses")
    return joined is not None and joined.search(text[rest[0].start : rest[-1].end]) is not None


def _is_controlled(rest: Sequence[Token], language: str) -> bool:
    """Return whether a verb such as "decide" or "tell" governs an infinitive at the end: "decided to close"."""
    if language == "en":
        at = next((n for n, t in enumerate(rest) if t.key in _CONTROLS or t.word.startswith("refuse")), None)
        return at is not None and any(t.word == "to" for t in rest[at + 1 :])
    at = next((n for n, t in enumerate(rest) if _is_like(t.word, language, "controls")), None)
    return at is not None and any(_is_like(t.word, language, "infinitive") for t in rest[at + 1 :])


def _is_participle(word: str, language: str) -> bool:
    if language == "en":
        return (is_past(word) or word == "used") and not word.endswith("ing")
    return _is_like(word, language, "participle")


def _is_like(word: str, language: str, name: str) -> bool:
    """Return whether a word has the form that the table of a language describes under a name."""
    form = pattern(language, name)
    return form is not None and form.fullmatch(word) is not None


def _reports(before: Token, language: str) -> bool:
    """Return whether a clause is what somebody says, thinks or wants: "dit que", of which a condition may be a part."""
    return _is_like(before.word, language, "reports")


def _has_verb(before: Sequence[Token], text: str, language: str) -> bool:
    """Return whether what stands before a clause or a participle has a verb, so that these are no subject's."""
    n_content = sum(t.content for t in before)
    if language != "en":
        return n_content > (_MOST_OF_A_SUBJECT if _SUBJECT.match(text) else 0)
    if len(before) < 2 and not (before and before[0].word in word_list("en", "bids")):
        return n_content > 0 and before[0].word in _BIDDEN_ASK
    if before[0].word in _SUBJECTS or before[-1].key in _ASK:
        return True
    is_step = before[0].word in word_list("en", "bids") or _OBJECT.match(text, before[0].end) is not None
    is_finite = any(t.word in word_list("en", "finite") or t.kind is FactKind.MODALITY for t in before)
    asked = before[-1].word in word_list("en", "objects")  # "told us that"
    return is_step or is_finite or n_content > _MOST_OF_A_SUBJECT or is_past(before[-2 if asked else -1].word)


_BIDDEN_ASK = frozenset("explain note notice see say list mark state remember decide describe".split())
"""Verbs that open a step and may govern a clause right behind them: "explain what happens"."""

_ASK = frozenset(stem(w) for w in (*_BIDDEN_ASK, *"trust think believe know hope report promise assume claim".split()))
"""The same behind their subject, with others: "the clerk says that"."""

_OBJECT = re.compile(r"\s(?:the|an?|all|each|every|any|your)\s")
"""What stands behind the verb that opens a step; behind a subject its verb does."""

_SUBJECT = re.compile(
    r"(?:l[eao]s?|l['\u2019]|une?|el|las|una?|il|i|gli|os?|as?|uma?|de|het|een|der|die|das|eine?|the)\b",
    re.IGNORECASE,
)
"""Articles with which the subject opens a sentence."""

_MOST_OF_A_SUBJECT = 2
"""Content words of a subject; behind more one is taken for the verb."""


def _stretch(text: str, tokens: Sequence[Token]) -> Span:
    return Span(tokens[0].start, tokens[-1].end, text[tokens[0].start : tokens[-1].end])


_WORD = re.compile(r"[^\W_]+")
_MOST_OF_A_DOER = 3
"""Words of who does something, up to the word that an owner follows."""


class _Owned(NamedTuple):
    """What an owner is named for: the word, whether it is who does something in a passive, and where both stand."""

    word: str
    is_doer: bool
    at: Span


def belongs_to_the_doer(a: str, b: str, language: str) -> Places | None:
    """Return the thing with its owner of one sentence whose owner belongs to the doer of the passive in the other.

    "Repairs the boiler of the tenant", "is repaired by the engineer of the tenant". Both sentences name both things.
    """
    here, there = _words_of(a), _words_of(b)
    if word_list(language, "doers").isdisjoint(here | there):
        return None
    owned, other = _owned(a, language), _owned(b, language)
    for owner in (o for o in owned if o in other):
        one, two = owned[owner], other[owner]
        if one.word != two.word and one.is_doer != two.is_doer and {one.word, two.word} <= here & there:
            return one.at, two.at
    return None


@remembered(4_096)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(folded_word(word) for word in _WORD.findall(text))


def is_a_time(word: str, language: str) -> bool:
    """Return whether a word behind "of" makes a time of it, and no owner: "de 8 a 9", "di notte"."""
    return word[:1].isdigit() or word in word_list(language, "hours")


def _owned(text: str, language: str) -> dict[str, _Owned]:
    """Return each owner of a sentence -> what it is named for; the first of each."""
    words = [(folded_word(m[0]), Span.of(m)) for m in _WORD.finditer(text)]
    owning, doers = word_list(language, "owning"), word_list(language, "doers")
    articles = grammar(language).articles
    owned: dict[str, _Owned] = {}
    for n, (word, _) in enumerate(words):
        behind = [m for m in range(n + 1, min(n + 4, len(words))) if words[m][0] not in articles | owning]
        if word in owning and n and behind and not is_a_time(words[n + 1][0], language):
            thing, owner = n - 1, behind[0]
        elif language == "en" and word == "s" and 1 < n < len(words) - 1:
            thing, owner = n + 1, n - 1
        else:
            continue
        first = min(thing, owner)
        is_doer = not doers.isdisjoint(w for w, _ in words[max(0, first - _MOST_OF_A_DOER) : first])
        start, end = words[first][1].start, words[max(thing, owner)][1].end
        owned.setdefault(words[owner][0], _Owned(words[thing][0], is_doer, Span(start, end, text[start:end])))
    return owned


RULES = (belongs_elsewhere, belongs_to_the_doer)
"""What is looked for in two aligned sentences, in this order."""
