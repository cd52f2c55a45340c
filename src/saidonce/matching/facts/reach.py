"""What a phrase behind a noun belongs to, where it stands behind another word of the other English sentence.

"The meeting on Monday is cancelled" and "the meeting is cancelled on Monday", "students and pensioners with a card" and
"pensioners and students with a card".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from saidonce.foundation.model import FactKind, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.lexicon import is_past, word_list
from saidonce.matching.facts.phrases import SUBORDINATES
from saidonce.matching.facts.sentence_relations import NAMING, Places, relations_of

_SUBJECTS = frozenset("i you we they he she it".split())
_PARTS = frozenset(",;:()\u2013\u2014")
_MOST_OF_A_PHRASE = 4
"""Words of a phrase behind a noun."""

Phrase = tuple[str, str]
"""The preposition of a phrase and the key of the word behind it; an adverb has no preposition."""


def belongs_to_the_subject(a: str, b: str, language: str) -> Places | None:
    """Return the first phrase behind the subject of one sentence that stands behind another word, or first, elsewhere.

    "Tickets bought in May can be returned" says when they are bought, "tickets bought can be returned in May" when they
    are returned. So does what closes a relative clause: "residents who arrive in May pay a fee".
    """
    if language != "en" or len(_contents(a) ^ _contents(b)) > _MOST_OTHER_WORDS:
        return None
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        has_clause = any(t.word in word_list("en", "relatives") for t in relations_of(two, language).tokens)
        closing = _in_relative_clauses(one) if has_clause else {}
        inside = {phrase: at for phrase, at in closing.items() if phrase not in _in_relative_clauses(two)}
        for phrase, (before, at) in (_behind_subjects(one) | inside).items():
            others = _phrases(two).get(phrase, ())
            if len(others) == 1 and others[0][0] != before and before in relations_of(two, language).keys:
                places = at, others[0][1]
                return places[::-1] if is_turned else places
    return None


_MOST_OTHER_WORDS = 2
"""Words that stand in one of the sentences only, as "called" and "phoned"; where there are more, another place of a
phrase may be one of the wording."""


@remembered(4_096)
def _contents(text: str) -> frozenset[str]:
    return frozenset(t.key for t in relations_of(text, "en").contents)


@remembered(4_096)
def _phrases(text: str) -> dict[Phrase, tuple[tuple[str, Span], ...]]:
    """Return each phrase -> for each time it stands there, the key of the word before it and its place."""
    tokens = relations_of(text, "en").tokens
    placed: dict[Phrase, tuple[tuple[str, Span], ...]] = {}
    for n, token in enumerate(tokens):
        may_lead = token.word in word_list("en", "behind_nouns") and n + 1 < len(tokens)
        for is_led in (False, True) if may_lead else (False,):
            phrase, place = _placed(tokens, n, text, is_led=is_led)
            placed[phrase] = (*placed.get(phrase, ()), place)
    return placed


def _placed(tokens: Sequence[Token], n: int, text: str, *, is_led: bool) -> tuple[Phrase, tuple[str, Span]]:
    """Return the phrase that begins with a word, led by it or of it alone, what stands before it, and its place."""
    first, last = tokens[n], tokens[n + is_led]
    place = Span(first.start, last.end, text[first.start : last.end])
    return (first.word if is_led else "", last.key), (tokens[n - 1].key if n else "", place)


@remembered(4_096)
def _behind_subjects(text: str) -> dict[Phrase, tuple[str, Span]]:
    """Return each phrase between a subject and its verb -> the key of the word before it, and its place."""
    tokens = relations_of(text, "en").tokens
    placed: dict[Phrase, tuple[str, Span]] = {}
    for n in range(1, len(tokens) - 1):
        is_led = tokens[n].word in word_list("en", "behind_nouns")
        if not ((is_led or _says_when(tokens, n)) and _is_subject(tokens[:n], text)):
            continue
        is_attribute = not is_led or _is_attribute(tokens, n - 1 - (n > 1 and _says_how(tokens[n - 1])), text)
        if not is_attribute and _is_permitted(tokens[n:]):
            continue
        if _is_before_a_verb(tokens[n:], text, is_attribute=is_attribute or _is_one_noun(tokens[:n], text)):
            phrase, place = _placed(tokens, n, text, is_led=is_led)
            placed[phrase] = place
    return placed


@remembered(4_096)
def _in_relative_clauses(text: str) -> dict[Phrase, tuple[str, Span]]:
    """Return each phrase that closes a relative clause in front of more words, as `_behind_subjects` does.

    "Residents who arrive in May pay a fee", "ask those who work on Saturdays to ring".
    """
    tokens = relations_of(text, "en").tokens
    placed: dict[Phrase, tuple[str, Span]] = {}
    for n in range(_FEWEST_OF_A_CLAUSE, len(tokens) - 1):
        is_led = tokens[n].word in word_list("en", "behind_nouns")
        last, behind = tokens[n + is_led], tokens[n + is_led + 1 :]
        if (
            not (is_led or tokens[n].kind in (FactKind.DATE, FactKind.FREQUENCY))
            or not behind
            or last.word in _SUBJECTS
        ):
            continue
        goes_on = behind[0].content or behind[0].word == "to" or behind[0].word in word_list("en", "finite")
        if goes_on and text[last.end : behind[0].start] == " " and _is_in_a_clause(tokens[:n], text):
            phrase, place = _placed(tokens, n, text, is_led=is_led)
            placed[phrase] = place
    return placed


_FEWEST_OF_A_CLAUSE = 3
"""Words in front of a phrase in a relative clause: whom it is about, the pronoun, and a verb."""


def _is_in_a_clause(before: Sequence[Token], text: str) -> bool:
    """Return whether a relative pronoun behind a noun opens a clause that no mark ends and that has a verb."""
    own = list(takewhile(lambda t: t.word not in word_list("en", "relatives"), before[::-1]))
    opened = before[: len(before) - len(own)]
    if not own or len(opened) < len(("residents", "who")) or not opened[-2].content:
        return False
    return _PARTS.isdisjoint(text[opened[-1].end : before[-1].end])


def _is_permitted(rest: Sequence[Token]) -> bool:
    """Return whether it is permitted or forbidden what a sentence is about: then a phrase says the same at its end.

    "Barbecues on the balconies are forbidden", "barbecues are forbidden on the balconies".
    """
    return any(t.word.rpartition(" ")[2] in word_list("en", "permits") for t in rest)


def _says_when(tokens: Sequence[Token], n: int) -> bool:
    """Return whether a word says when, or how often, right behind a participle: "milk delivered daily"."""
    return tokens[n].kind in (FactKind.DATE, FactKind.FREQUENCY) and is_past(tokens[n - 1].word)


def _is_subject(before: Sequence[Token], text: str) -> bool:
    """Return whether the words of a clause up to a place may be its subject: they have no verb, and end with a noun."""
    own = list(takewhile(lambda t: t.word not in SUBORDINATES and t.word not in word_list("en", "inner"), before[::-1]))
    starts = own[-1].start if own else 0
    if not own or not _PARTS.isdisjoint(text[starts : own[0].end]):
        return False
    if own[-1].word in word_list("en", "bids") and not _is_one_noun(own[::-1], text):
        return False
    return own[0].content and not any(
        t.word in word_list("en", "finite") or t.kind is FactKind.MODALITY or t.word in _SUBJECTS for t in own
    )


def _is_one_noun(before: Sequence[Token], text: str) -> bool:
    """Return whether one word with its article is all that stands before a phrase, so no verb does: "the visit"."""
    is_alone = before[-1].content and not any(t.content for t in before[:-1])
    return is_alone and _INTRODUCES.fullmatch(text[: before[-1].start].strip("-* ")) is not None


_INTRODUCES = re.compile("(?:the|an?|his|her|its|their|our|your|my|this|that|these|those|each|every)", re.IGNORECASE)


def _says_how(token: Token) -> bool:
    """Return whether a word is an adverb that may stand between a participle and a phrase: "paying late in May"."""
    return token.word.endswith("ly") or token.word in ("late", "early", "online")


def _is_attribute(tokens: Sequence[Token], n: int, text: str) -> bool:
    """Return whether a word is a participle right behind its noun: "tickets bought", "guests arriving"."""
    word = tokens[n].word
    if n == 0 or not tokens[n - 1].content or text[tokens[n - 1].end : tokens[n].start] != " ":
        return False
    return is_past(word) or word.endswith("ing")


def _is_before_a_verb(rest: Sequence[Token], text: str, *, is_attribute: bool) -> bool:
    """Return whether a verb follows a phrase, with no mark before it: one of a closed list, or any behind a participle.

    Args:
        rest: the phrase, with all that stands behind it.
        is_attribute: whether it stands behind a participle or a lone noun, so that the next word that no article opens
            is the verb.
    """
    for n, token in enumerate(rest[: _MOST_OF_A_PHRASE + 1]):
        is_behind = n > (rest[0].word in word_list("en", "behind_nouns"))
        if not is_behind:
            continue
        gap = text[rest[n - 1].end : token.start]
        if not _PARTS.isdisjoint(gap) or token.word in word_list("en", "inner") or token.word == "and":
            return False
        if token.word in word_list("en", "finite") or token.kind is FactKind.MODALITY:
            return text[token.start].islower()  # "in Graz in May"
        is_verb = (token.content and token.kind in NAMING) or token.word in _BARE_VERBS
        if is_attribute and is_verb and (rest[n - 1].content or rest[n - 1].kind):
            return gap == " "
    return False


_BARE_VERBS = frozenset("get gets got go goes come comes".split())
"""Verbs that count as no content."""


def trails_otherwise(a: str, b: str, language: str) -> Places | None:
    """Return the last members of a list that something behind it describes, where they are two in two sentences.

    "Children and adults over 60" may be children of any age, "adults and children over 60" may not.
    """
    if language != "en":
        return None
    one, two = _trailed(a), _trailed(b)
    for trail, (joined, at) in one.items():
        other = two.get(trail)
        if other is not None and joined[-1] != other[0][-1] and frozenset(joined) == frozenset(other[0]):
            return at, other[1]
    return None


@remembered(4_096)
def _trailed(text: str) -> dict[Phrase, tuple[tuple[str, str], Span]]:
    """Return what describes the last member of a list -> the last two members, and the place of the last one."""
    return {trail: (members, at) for trail, members, at in _lists(text)}


def _lists(text: str) -> Iterator[tuple[Phrase, tuple[str, str], Span]]:
    tokens = relations_of(text, "en").tokens
    for n, joint in enumerate(tokens):
        if joint.word not in ("and", "or") or not n or not tokens[n - 1].content:
            continue
        first = tokens[n + 1 : n + 2]
        member = [*first, *takewhile(lambda t: t.content and not _describes(t), tokens[n + 2 :])]
        behind = tokens[n + 1 + len(member) :]
        if (
            not first
            or not first[0].content
            or len(behind) < _FEWEST_BEHIND
            or not _is_described(tokens[:n], member, behind, text)
        ):
            continue
        last = member[-1]
        yield (
            (behind[0].word, behind[1].key),
            (tokens[n - 1].key, last.key),
            Span(member[0].start, last.end, text[member[0].start : last.end]),
        )


_FEWEST_BEHIND = 2
"""Words of what describes something: "over 60", "made of oak"."""


def _describes(token: Token) -> bool:
    if token.kind is not None or token.word in word_list("en", "finite"):
        return False
    return is_past(token.word) or token.word.endswith("ing")


def _is_described(before: Sequence[Token], member: Sequence[Token], behind: Sequence[Token], text: str) -> bool:
    """Return whether what follows the last member of a list tells which ones are meant, and not how something is done.

    "Clean the tap and the sink with vinegar", "from Monday to Friday".
    """
    word, gap = behind[0].word, text[member[-1].end : behind[0].start]
    if gap == ", " and word in word_list("en", "relatives"):
        return True
    if gap != " " or behind[1].kind is FactKind.DATE:
        return False
    has_verb = any(t.word in word_list("en", "finite") or t.kind is FactKind.MODALITY for t in (*before, *behind))
    if word.partition(" ")[0] in word_list("en", "relatives") or word in word_list("en", "bounds_of_nouns"):
        return True
    if _describes(behind[0]):
        return word.endswith("ing") or has_verb
    is_object = bool(before) and before[0].word in word_list("en", "bids")
    return word in word_list("en", "of_nouns") and not is_object


_DOER = re.compile(
    r"\bby (?:(?:the|an?|our|your|their) )?(?P<doer>[\w-]+) "
    r"(?P<phrase>(?P<lead>from|with) (?:(?:the|an?|our|your) )?[\w-]+)",
    re.IGNORECASE,
)


def belongs_to_the_doer(a: str, b: str, language: str) -> Places | None:
    """Return the phrase behind the doer of a passive that stands behind another word in the other sentence.

    "Is checked by the firm from Leeds", "the firm checks the boiler from Leeds". A tool is no such one.
    """
    if language != "en" or not (" by " in a or " by " in b):
        return None
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        hit = _DOER.search(one)
        at = re.search(rf"(?P<before>[\w-]+),? {re.escape(hit['phrase'])}\b", two, re.IGNORECASE) if hit else None
        if hit is None or at is None or at["before"].casefold() == hit["doer"].casefold():
            continue
        is_tool = not word_list("en", "tools").isdisjoint(hit["phrase"].casefold().split())
        if hit["doer"].casefold() in two.casefold() and not (hit["lead"].casefold() == "with" and is_tool):
            places = Span(hit.start("phrase"), hit.end("phrase"), hit["phrase"]), Span.of(at)
            return places[::-1] if is_turned else places
    return None


RULES = (belongs_to_the_subject, belongs_to_the_doer, trails_otherwise)
"""What is looked for in two aligned sentences, in this order."""
