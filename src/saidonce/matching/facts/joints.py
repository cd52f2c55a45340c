"""What stands between two neighbouring words: "and", "is", a comma or nothing; small words that differ in an accent.

"Old and sick members" are not "old sick members", "the surveyor Rossi and the director" are two people, and Italian
"e" joins where "è" states. A list of three may end with "and" or a comma, as its author likes.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from saidonce.foundation.model import FactKind, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import tokens_of
from saidonce.matching.facts.lexicon import grammar, is_past, language_table, telling, word_list, words_of
from saidonce.matching.facts.scan import folded_word
from saidonce.matching.facts.sentence_relations import Places

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")

AND, IS, COMMA, NOTHING, OTHER = "and", "is", "comma", "nothing", "other"
"""What may stand between two words; what is of two of these sorts, or of none, is of another."""

_CLASHES = frozenset(map(frozenset, ((AND, NOTHING), (AND, IS), (IS, NOTHING), (IS, COMMA), (AND, COMMA))))

_LIST_WITHIN = 5
"""Words before a member of a list among which the comma of an earlier member stands."""


class _Gap(NamedTuple):
    """What stands between two words of a sentence.

    Attributes:
        at: number of the word before it, among those that are no article, "and" or form of "be".
        article: whether it ends with an article.
    """

    sort: str
    at: int
    start: int
    end: int
    article: bool


class _Sentence(NamedTuple):
    """The words of a sentence that are no article, "and" or form of "be", and what stands between each two."""

    text: str
    words: tuple[str, ...]
    gaps: Mapping[tuple[str, str], _Gap]
    opens_with_article: bool
    n_copulas: int


def joined_otherwise(a: str, b: str, language: str) -> Places | None:
    """Return the first two words that "and" joins in one sentence, and "is", a comma or nothing parts in the other.

    A comma for "and" is style in a list of three and more, between two statements and between two bare words; the
    second of two may be in apposition to the first where it has an article or an owner: "Rossi, the director". "Is" may
    be left out of a notice, which has no article in front either.
    """
    if not word_list(language, "unites"):
        return None
    one, two = _read(a, language), _read(b, language)
    for pair, gap in one.gaps.items():
        other = two.gaps.get(pair)
        if other is None or frozenset((gap.sort, other.sort)) not in _CLASHES:
            continue
        if not _is_style((one, gap), (two, other), language):
            return _around(one, gap), _around(two, other)
    return None


def _around(sentence: _Sentence, gap: _Gap) -> Span:
    return Span(gap.start, gap.end, sentence.text[gap.start : gap.end])


_Side = tuple[_Sentence, _Gap]


def _is_style(one: _Side, two: _Side, language: str) -> bool:
    """Return whether another joint between the same two words is shown to say the same."""
    sorts = {one[1].sort, two[1].sort}
    if sorts == {AND, IS}:
        return False
    if IS in sorts:
        lacking, stating = (two, one) if one[1].sort == IS else (one, two)
        return _is_notice(lacking, stating, language)
    if _goes_on(one, language) or _goes_on(two, language):
        return True
    return COMMA in sorts and _may_be_a_comma(one, two, language)


def _is_notice(lacking: _Side, stating: _Side, language: str) -> bool:
    """Return whether "is" stands elsewhere, is left out behind another "and", or of a notice without articles."""
    bare, full = lacking[0], stating[0]
    if bare.n_copulas >= full.n_copulas or (lacking[1].article and not stating[1].article):
        return True
    if bare.n_copulas and any(g.sort == AND and g.at <= lacking[1].at for g in bare.gaps.values()):
        return True
    return not bare.opens_with_article and not _has_verb(bare.text, language)


def _goes_on(side: _Side, language: str) -> bool:
    """Return whether a word such as "then" stands on either side, or one value is written in both words."""
    sentence, gap = side
    beside = sentence.words[gap.at : gap.at + 2]
    if not word_list(language, "in_turn").isdisjoint(beside):
        return True
    return any(t.start <= gap.start and gap.end <= t.end for t in tokens_of(sentence.text, language))


def _may_be_a_comma(one: _Side, two: _Side, language: str) -> bool:
    """Return whether "and" and a comma say the same: in a longer list, between statements, or before a bare word."""
    if all(_is_listed(side, language) for side in (one, two)):
        return True
    return any(_are_two_statements(side, language) for side in (one, two)) or not any(
        _may_be_apposed(side, language) for side in (one, two)
    )


def _is_listed(side: _Side, language: str) -> bool:
    """Return whether two words are members of a list that has more: before them, or behind up to its "and"."""
    sentence, gap = side
    gaps = sentence.gaps.values()
    first = next((g for g in gaps if g.sort == COMMA), None)
    is_led = first is not None and sentence.words[0] in word_list(language, "fronts")
    before = (g for g in gaps if g.sort == COMMA and gap.at - _LIST_WITHIN <= g.at < gap.at)
    behind = (g for g in gaps if g.sort == AND and gap.at < g.at <= gap.at + _LIST_WITHIN)
    return any(not (is_led and g is first) for g in before) or (gap.sort == COMMA and any(behind))


def _are_two_statements(side: _Side, language: str) -> bool:
    """Return whether a verb stands both before and behind a joint."""
    sentence, gap = side
    behind = re.split(r"[,;:]", sentence.text[gap.end :], maxsplit=1)[0]
    return _has_verb(sentence.text[: gap.start], language) and _has_verb(behind, language)


def _may_be_apposed(side: _Side, language: str) -> bool:
    """Return whether what a joint leads to may say who or what stands before it: it has an article or an owner."""
    sentence, gap = side
    if gap.article:
        return True
    behind = _WORD.search(sentence.text, gap.end)
    follows = folded_word(behind[0]) if behind is not None else ""
    leads = words_of(language_table(language).get("relations", {}).get("prepositions", ""))
    is_led = sentence.words[gap.at + 1] in leads
    return follows in (_articles(language) if is_led else word_list(language, "owning"))


def _has_verb(text: str, language: str) -> bool:
    verbs = word_list(language, "finite") | word_list(language, "copulas")
    tokens = tokens_of(text, language)
    return any(t.word in verbs or t.kind is FactKind.MODALITY or (language == "en" and is_past(t.word)) for t in tokens)


@remembered(8_192)
def _read(text: str, language: str) -> _Sentence:
    """Return the bearing words of a sentence with what stands between them; of equal pairs of words the first."""
    unites, copulas, articles = word_list(language, "unites"), word_list(language, "copulas"), _articles(language)
    hits = [(folded_word(m[0]), m) for m in _WORD.finditer(text)]
    small = unites | copulas | articles
    bearing = [n for n, (word, _) in enumerate(hits) if word not in small]
    gaps: dict[tuple[str, str], _Gap] = {}
    for at, (n, m) in enumerate(pairwise(bearing)):
        between = [word for word, _ in hits[n + 1 : m]]
        start, end = hits[n][1].end(), hits[m][1].start()
        sort = _sort(between, text[start:end], unites, copulas)
        is_led = bool(between) and between[-1] in articles
        gap = _Gap(sort, at, hits[n][1].start(), hits[m][1].end(), is_led)
        gaps.setdefault((hits[n][0], hits[m][0]), gap)
    n_copulas = sum(word in copulas for word, _ in hits)
    words = tuple(hits[n][0] for n in bearing)
    return _Sentence(text, words, gaps, bool(hits) and hits[0][0] in articles, n_copulas)


_NO_MARK = re.compile(r"[\w\s'\u2019]")


def _sort(words: Sequence[str], written: str, unites: Iterable[str], copulas: Iterable[str]) -> str:
    """Return which sort of joint some small words, with the marks between them, are."""
    if written == " ":
        return NOTHING
    has_and, has_be = any(w in unites for w in words), any(w in copulas for w in words)
    marks = set(_NO_MARK.sub("", written)) | ({"\n"} & set(written))
    if (has_and and has_be) or not marks <= {","} or (has_be and marks):
        return OTHER
    if has_and or has_be:
        return AND if has_and else IS
    return COMMA if marks else NOTHING


@cache
def _articles(language: str) -> frozenset[str]:
    return grammar(language).articles


def other_accent(a: str, b: str, language: str) -> Places | None:
    """Return the first small words of two sentences that differ in an accent alone, and so in what they say.

    Italian "e" and "\u00e8", Spanish "tu" and "t\u00fa".
    """
    twins = _twins(language)
    if not twins:
        return None
    here, there = ([(folded_word(m[0]), m) for m in _WORD.finditer(text)] for text in (a, b))
    count_a, count_b = (Counter(word for word, _ in side if word in twins) for side in (here, there))
    more_a, more_b = count_a - count_b, count_b - count_a
    for word, hit in here:
        other = next((h for w, h in there if more_b[w] and twins[w] == twins.get(word)), None) if more_a[word] else None
        if other is not None:
            return Span.of(hit), Span.of(other)
    return None


@cache
def _twins(language: str) -> Mapping[str, str]:
    """Return each small word that another one equals but for its accents -> how both are spelled without any."""
    table = language_table(language)
    listed = " ".join(table.get(name, "") for name in ("articles", "function", "free"))
    small = words_of(listed) | set(telling(language))
    alike: dict[str, set[str]] = defaultdict(set)
    for word in small:
        alike[_bare(word)].add(word)
    return {word: bare for bare, words in alike.items() if len(words) > 1 for word in words}


def _bare(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


RULES = (joined_otherwise, other_accent)
"""What is looked for in two aligned sentences, in this order."""
