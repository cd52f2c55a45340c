"""What a small word of a sentence bears on where the content words of two sentences are the same.

"Is not always open" and "is always not open", "refused to pay again" and "again refused to pay", "could have left" and
"could leave": the words are the same, or one that says nothing elsewhere is there or not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, takewhile

from saidonce.foundation.model import FactKind, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.lexicon import is_past, word_list
from saidonce.matching.facts.phrases import SAYS
from saidonce.matching.facts.sentence_relations import Places, SentenceRelations, relations_of, span_of

_COUNTS = (FactKind.QUANTIFIER, FactKind.FREQUENCY)


def denied_otherwise(a: str, b: str, language: str) -> Places | None:
    """Return the first word that stands before the only negation of one sentence, and behind that of the other.

    "Is not always open", "is always not open".
    """
    one, two = relations_of(a, language), relations_of(b, language)
    if one.sorted_content_keys != two.sorted_content_keys:
        return None
    here, there = _denied(one, a), _denied(two, b)
    is_leave = _denies_all(one) != _denies_all(two)  # "no car may park", "cars may not park"
    turned = (
        key
        for key in here
        if key in there and here[key][0] != there[key][0] and not (is_leave and key in ("may", "can"))
    )
    return next(((span_of(a, here[key][1]), span_of(b, there[key][1])) for key in turned), None)


def _denies_all(sentence: SentenceRelations) -> bool:
    return bool(sentence.tokens) and sentence.tokens[0].word == "no"


def _denied(sentence: SentenceRelations, text: str) -> dict[str, tuple[bool, Token]]:
    """Return word of the clause of the only negation -> whether it stands behind that, and itself.

    Only words that bear on a claim count.
    """
    language = sentence.language
    negations = [t for t in sentence.tokens if t.kind is FactKind.NEGATION]
    if len(negations) != 1:
        return {}
    scoped = word_list(language, "scoped")
    counted = (*_COUNTS, FactKind.MODALITY) if language == "en" else _COUNTS  # "not advisable to", "advisable not to"
    clauses = _clauses(sentence, text)
    own = clauses[sentence.tokens.index(negations[0])]
    words = [
        t for t, at in zip(sentence.tokens, clauses, strict=True) if t.kind in counted or t.word in scoped if at == own
    ]
    counts = Counter(t.word for t in words)
    return {t.word: (t.start > negations[0].start, t) for t in words if counts[t.word] == 1}


def _clauses(sentence: SentenceRelations, text: str) -> list[int]:
    """Return the number of each word's clause: one begins behind a comma, and with a word such as "if" or "who"."""
    inner = word_list(sentence.language, "inner")
    numbers: list[int] = []
    end = 0
    for token in sentence.tokens:
        begins = token.word in inner or token.word in _SUBORDINATE or "," in text[end : token.start]
        numbers.append((numbers[-1] if numbers else 0) + begins)
        end = token.end
    return numbers


_SUBORDINATE = frozenset("if unless when whenever because although though while until before after since".split())
_OPENS = frozenset("to that who which whom whose when if because before after until unless whether".split())
_CROSSING = frozenset("again still already once often even always usually sometimes never really ever soon".split())
_LEADING = frozenset("now then also too".split())
"""Words that may also join a sentence to the one before, and bear on all of it there."""


def crosses_a_clause(a: str, b: str, language: str) -> Places | None:
    """Return the first small word that stands in another clause of two English sentences of the same content words.

    "The bank refused to pay again", "the bank again refused to pay".
    """
    if language != "en":
        return None
    one, two = relations_of(a, language), relations_of(b, language)
    if one.content_keys != two.content_keys:
        return None
    here, there = _crossing(one), _crossing(two)
    for word in (w for w in here if w in there):
        (n, leads, token), (m, also_leads, other) = here[word], there[word]
        if n != m and not (word in _LEADING and (leads or also_leads)):
            return span_of(a, token), span_of(b, other)
    return None


def _crossing(sentence: SentenceRelations) -> dict[str, tuple[int, bool, Token]]:
    """Return each word that may cross into another clause -> openings before it, whether it comes first, itself."""
    if sentence.words.isdisjoint(_CROSSING | _LEADING):
        return {}
    tokens = sentence.tokens
    counts = Counter(t.word for t in tokens)
    opened, placed = 0, {}
    for n, token in enumerate(tokens):
        opened += token.word in _OPENS or token.key in SAYS
        if token.word in _CROSSING | _LEADING and counts[token.word] == 1:
            placed[token.word] = opened, n == 0, token
    return placed


def limits_otherwise(a: str, b: str, language: str) -> Places | None:
    """Return the only "only" of two English sentences that stands right before the same verb, and before other words.

    "We only deliver on Mondays", "on Mondays we only deliver".
    """
    if language != "en":
        return None
    one, two = relations_of(a, language), relations_of(b, language)
    if one.sorted_content_keys != two.sorted_content_keys:
        return None
    here, there = _only(one), _only(two)
    if here is None or there is None or here[:2] != there[:2] or sorted(here[2]) == sorted(there[2]):
        return None
    return span_of(a, here[3]), span_of(b, there[3])


def _only(sentence: SentenceRelations) -> tuple[str, str, list[str], Token] | None:
    """Return the keys of the words before and behind the only "only", those of all content words before it, and it."""
    tokens = sentence.tokens
    places = [n for n, t in enumerate(tokens) if t.word == "only"]
    if len(places) != 1 or places[0] in (0, len(tokens) - 1) or not tokens[places[0] + 1].content:
        return None
    n = places[0]
    if tokens[n - 1].content and not tokens[n + 1].word.endswith("s"):
        return None  # "drink only water"; "the pool only opens"
    return tokens[n - 1].key, tokens[n + 1].key, [t.key for t in tokens[:n] if t.content], tokens[n]


def describes_otherwise(a: str, b: str, language: str) -> Places | None:
    """Return the first "who", "which" or "that" that is restrictive in one sentence, and not in the other.

    "Doctors, who are tired, err" speaks of all doctors, "doctors who are tired err" of some. In languages where the
    comma says so: in German and Polish there is always one.
    """
    if not word_list(language, "relatives"):
        return None
    here, there = _relatives(a, language), _relatives(b, language)
    turned = (key for key in here if key in there and here[key][1] != there[key][1])
    return next(((span_of(a, here[key][0]), span_of(b, there[key][0])) for key in turned), None)


@remembered(4_096)
def _relatives(sentence: str, language: str) -> dict[tuple[str, str], tuple[Token, bool]]:
    """Return (key before, key after) each "who", "which", "that" -> that word, whether a comma precedes it."""
    relatives: dict[tuple[str, str], tuple[Token, bool]] = {}
    words, tokens = word_list(language, "relatives"), relations_of(sentence, language).tokens
    for before, token in pairwise(tokens):
        if token.word in words and before.content:
            behind = next((t.key for t in tokens if t.content and t.start > token.start), "")
            relatives[before.key, behind] = token, "," in sentence[before.end : token.start]
    return relatives


def is_over(a: str, b: str, language: str) -> Places | None:
    """Return the "have" behind a modal verb, or "to", that one of two sentences of the same content words has alone.

    "Could have left", "could leave"; "soll gezahlt haben", "soll gezahlt".
    """
    if not word_list(language, "past_helpers"):
        return None
    one, two = relations_of(a, language), relations_of(b, language)
    if one.sorted_content_keys != two.sorted_content_keys:
        return None
    here, there = _have(one, language), _have(two, language)
    if bool(here) == bool(there) or not (_may_help(one) and _may_help(two)):
        return None
    return span_of(a, here) if here else None, span_of(b, there) if there else None


def _may_help(sentence: SentenceRelations) -> bool:
    return any(t.kind is FactKind.MODALITY or t.word in ("to", "zu", "te") for t in sentence.tokens)


def _have(sentence: SentenceRelations, language: str) -> Token | None:
    """Return the "have" of a perfect infinitive.

    In English it stands behind a modal verb or "to" and before a participle; in German and Dutch no table tells a
    participle, and it closes its clause.
    """
    words = word_list(language, "past_helpers")
    for n, token in enumerate(sentence.tokens):
        if token.word not in words:
            continue
        if language != "en":
            return token if n == len(sentence.tokens) - 1 else None
        behind = next((t for t in sentence.tokens[n + 1 :] if t.content or t.kind is FactKind.NEGATION), None)
        before = sentence.tokens[max(0, n - 2) : n]
        is_led = any(t.kind is FactKind.MODALITY or t.word == "to" for t in before)
        if is_led and behind is not None and (is_past(behind.word) or behind.word.endswith("n")):
            return token
    return None


def is_bidden(a: str, b: str, language: str) -> Places | None:
    """Return the "is to" before a verb of one English sentence that the other states: "is to pay", "pays"."""
    if language != "en":
        return None
    one, two = relations_of(a, language), relations_of(b, language)
    if one.content_keys != two.content_keys or one.content_keys == []:
        return None
    for here, there in zip(one.gaps[1:-1], two.gaps[1:-1], strict=True):
        for more, less, is_first in ((here, there, True), (there, here, False)):
            left = Counter(t.key for t in more) - Counter(t.key for t in less)
            is_duty = any(t.kind is not None for t in more)  # "are required to", "is unable to"
            is_bidden_there = any(t.key == "modality:must" for t in less)
            if left == Counter(("be", "to")) and not (is_duty or is_bidden_there):
                token = next(t for t in more if t.key == "be")
                return (span_of(a, token), None) if is_first else (None, span_of(b, token))
    return None


_OWNERS = frozenset("their its his her".split())


def is_owned(a: str, b: str, language: str) -> Places | None:
    """Return the first owner that a word has in one of two English sentences, and in the other not even a "the".

    "Members bring their guests", "members bring guests"; "from their home", "from a home".
    """
    if language != "en":
        return None
    one, two = relations_of(a, language), relations_of(b, language)
    if one.sorted_content_keys != two.sorted_content_keys or one.words.isdisjoint(_OWNERS) == two.words.isdisjoint(
        _OWNERS
    ):
        return None
    owned, bare = (one, two) if not one.words.isdisjoint(_OWNERS) else (two, one)
    text = a if bare is one else b
    beside = {
        (x.key if x else "", y.key)
        for x, y in pairwise((None, *bare.tokens))
        if y is not None and text[x.end if x else 0 : y.start].strip().casefold() in ("", "a", "an")  # no tokens
    }
    for before, owner, word in zip((None, *owned.tokens), owned.tokens, owned.tokens[1:], strict=False):
        if owner.word in _OWNERS and (before.key if before else "", word.key) in beside:
            return (span_of(a, owner), None) if owned is one else (None, span_of(b, owner))
    return None


def reported_otherwise(a: str, b: str, language: str) -> Places | None:
    """Return the date behind a verb of saying that stands at the end of the other English sentence.

    "He said on Monday it would close", "he said it would close on Monday".
    """
    if language != "en":
        return None
    one, two = relations_of(a, language), relations_of(b, language)
    if one.sorted_content_keys != two.sorted_content_keys or one.content_keys == two.content_keys:
        return None
    for x, y, is_turned in ((one, two, False), (two, one, True)):
        date = _date_behind_says(x.contents) or _date_before_says(x)
        last = _closing(y.contents, date.key) if date is not None else None
        if date is not None and last is not None and _date_behind_says(y.contents) is None:
            sides = (date, last) if not is_turned else (last, date)
            return span_of(a, sides[0]), span_of(b, sides[1])
    return None


def _closing(contents: Sequence[Token], key: str) -> Token | None:
    """Return the date of a key among the dates and times that close a sentence."""
    ends = takewhile(lambda t: t.kind is FactKind.DATE, reversed(contents))
    return next((t for t in ends if t.key == key), None)


def _date_behind_says(contents: Sequence[Token]) -> Token | None:
    """Return the date right behind a verb of saying, with more words behind it."""
    for says, date, _ in zip(contents, contents[1:], contents[2:], strict=False):
        if says.key in SAYS and date.kind is FactKind.DATE:
            return date
    return None


def _date_before_says(sentence: SentenceRelations) -> Token | None:
    """Return the date that opens a sentence in which a verb of saying has a statement: "on Monday she said it was"."""
    tokens, first = sentence.tokens, sentence.contents[0]
    says = next((n for n, t in enumerate(tokens) if t.key in SAYS), len(tokens))
    states = any(t.word in word_list("en", "finite") for t in tokens[says + 1 :])
    return first if first.kind is FactKind.DATE and states else None


_NOTHING_BUT = {
    "fr": re.compile(
        r"\b(?:ne |n['\u2019])"
        r"(?!(?:[^.;:]*? )?(?:pas|plus|jamais|rien|personne|aucune?|guère|moins|aussi|autant|mieux)\b)"
        r"[^.;:]*?\bqu(?:e |['\u2019])"
        r"(?P<what>(?:(?:à|aux?|de|du|des|en|les?|la|une?|par|pour|dans|sur) |[dl]['\u2019])*\w+)",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"\bno [^.;:]*?\b(?:más que|sino) "
        r"(?P<what>(?:(?:a|al|de|del|en|el|la|los|las|un|una|por|para|con|sobre) )*\w+)",
        re.IGNORECASE,
    ),
}
"""What "ne ... que" and "no ... más que" leave over."""


def leaves_otherwise(a: str, b: str, language: str) -> Places | None:
    """Return what stands behind the "que" of a restriction, if two sentences of the same words restrict two things.

    "On ne sert le dîner qu'aux membres le samedi", "on ne sert le dîner aux membres que le samedi".
    """
    if language not in _NOTHING_BUT:
        return None
    here, there = (_NOTHING_BUT[language].search(text) for text in (a, b))
    if here is None or there is None or here["what"].casefold() == there["what"].casefold():
        return None
    one, two = relations_of(a, language), relations_of(b, language)
    if one.sorted_content_keys != two.sorted_content_keys:
        return None
    return Span(*here.span("what"), here["what"]), Span(*there.span("what"), there["what"])


RULES = (
    denied_otherwise, crosses_a_clause, limits_otherwise, describes_otherwise, is_over, is_bidden, is_owned,
    reported_otherwise, leaves_otherwise,
)  # fmt: skip
"""What is looked for in two aligned sentences, in this order."""
