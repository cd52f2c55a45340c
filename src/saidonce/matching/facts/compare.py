"""What two texts say differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from saidonce.foundation.model import UNKNOWN_LANGUAGE, FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.foundation.text import normalise
from saidonce.matching.facts.align import Diff, difference, matches
from saidonce.matching.facts.analyse import NO, YES, AnalysedSentence, Analysis, Token, analyse, guess
from saidonce.matching.facts.guards import GUARDS as LOCAL_GUARDS
from saidonce.matching.facts.guards import STRONG, WEAK, Scene
from saidonce.matching.facts.one_sided import LONE
from saidonce.matching.facts.order import object_to_order
from saidonce.matching.facts.relations import changed_relation
from saidonce.matching.facts.result import (
    LARGE,
    Change,
    Comparison,
    Pairing,
    by_place,
    compare_parts,
    mirrored,
    ordered,
)
from saidonce.matching.facts.roles import object_to_roles
from saidonce.matching.facts.sentence_relations import SentenceRelations
from saidonce.matching.facts.voice import is_turned
from saidonce.matching.facts.word_order import first_moved

GUARDS = (*LOCAL_GUARDS, *LONE, object_to_roles, object_to_order)
"""One guard a kind of fact; of two that speak about the same words the earlier is heard."""


NEW_WORDS = 2
"""One new word is as often a synonym that no table knows; of two, some would be lost."""

NO_LANGUAGE = "mul"
"""Stands for text whose words no table knows."""


def compare(a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> Comparison:
    """Compare the facts of two texts; swapping them swaps the sides of the answer and nothing else.

    Args:
        language: two-letter tag of both texts; `und` lets their frequent words decide.
    """
    return _compare(a, b, language) if a <= b else _turned(b, a, language)


@remembered(4_096)
def _turned(a: str, b: str, language: str) -> Comparison:
    """Return the comparison of `b` with `a`, of which `a` sorts first."""
    return mirrored(_compare(a, b, language))


def speak_of_two_things(a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> bool:
    """Return whether each text surely has sentences of its own, so that `compare` objects to a term, among others.

    False where only `compare` can tell; it costs a part of the comparison.

    Args:
        language: as `compare` takes it.
    """
    one, two = (a, b) if a <= b else (b, a)
    language = _language_of(one, two, language)
    return len(a) <= LARGE and len(b) <= LARGE and _are_apart(one, two, language)


@remembered(4_096)
def _are_apart(a: str, b: str, language: str) -> bool:
    one, two = analyse(a, language), analyse(b, language)
    if _are_the_same(one, two):
        return False
    equal, alike = matches(one.sentences, two.sentences)
    left_a, left_b = (_left(text.sentences, equal, alike, side) for side, text in enumerate((one, two)))
    return next(_apart(left_a, left_b, one, two), None) is not None


def each_adds(a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> tuple[bool, bool]:
    """Return whether each of two texts says something that the other leaves out, as `compare` does among other things.

    It costs a part of the comparison.
    """
    if max(len(a), len(b)) > LARGE:
        comparison = compare(a, b, language)
        return comparison.a_adds, comparison.b_adds
    if a <= b:
        return _each_adds(a, b, _language_of(a, b, language))
    b_adds, a_adds = _each_adds(b, a, _language_of(b, a, language))
    return a_adds, b_adds


@remembered(4_096)
def _each_adds(a: str, b: str, language: str) -> tuple[bool, bool]:
    one, two = analyse(a, language), analyse(b, language)
    if _are_the_same(one, two):
        return False, False
    equal, alike = matches(one.sentences, two.sentences)
    diffs = [difference(one.sentences[i], two.sentences[j]) for i, j in alike]
    left_a, left_b = (_left(text.sentences, equal, alike, side) for side, text in enumerate((one, two)))
    return _adds(diffs, left_a, left_b, one, two)


def covers(newer: str, older: str, language: str = UNKNOWN_LANGUAGE) -> bool:
    """Return whether a newer text states every fact and all content of an older one."""
    comparison = compare(newer, older, language)
    return not comparison.objections and not comparison.b_adds


def _language_of(a: str, b: str, language: str) -> str:
    """Return language by whose tables two texts are compared, of which `a` sorts first."""
    if language != UNKNOWN_LANGUAGE:
        return language
    language = guess(a + "\n" + b) if len(a) < 300 else guess(a)
    return NO_LANGUAGE if language == UNKNOWN_LANGUAGE else language


def _compare(a: str, b: str, language: str) -> Comparison:
    language = _language_of(a, b, language)
    if len(a) <= LARGE and len(b) <= LARGE:
        return _compare_whole(a, b, language)
    return compare_parts(a, b, lambda x, y: _compare_whole(x, y, language))


@remembered(4_096)
def _compare_whole(a: str, b: str, language: str) -> Comparison:
    one, two = analyse(a, language), analyse(b, language)
    if _are_the_same(one, two):
        return _same(one, two)
    equal, alike = matches(one.sentences, two.sentences)
    diffs = {(i, j): difference(one.sentences[i], two.sentences[j]) for i, j in alike}
    left_a = _left(one.sentences, equal, alike, 0)
    left_b = _left(two.sentences, equal, alike, 1)
    is_block = bool(equal) or len(diffs) > 1
    free = (
        _free_keys((d.a_free for d in diffs.values()), left_a),
        _free_keys((d.b_free for d in diffs.values()), left_b),
    )
    objections = {key: tuple(_objections(diff, free, (one, two), is_block)) for key, diff in diffs.items()}
    objections_apart = (*_answers(one, two), *_apart(left_a, left_b, one, two))
    a_adds, b_adds = _adds(diffs.values(), left_a, left_b, one, two)
    return Comparison(
        tuple(sorted({*objections_apart, *(o for group in objections.values() for o in group)}, key=by_place)),
        ordered(_changes(one, two, equal, objections)),
        a_adds,
        b_adds,
        _added(one, left_a, [d.a_free for d in diffs.values()], two),
        tuple(o.mirrored for o in _added(two, left_b, [d.b_free for d in diffs.values()], one)),
    )


def _are_the_same(one: Analysis, two: Analysis) -> bool:
    if one.keys == two.keys and _keys(one) == _keys(two):
        return True
    return _are_spelled_alike(one.text, two.text)


def _are_spelled_alike(a: str, b: str) -> bool:
    """Return whether two texts have one normal form."""
    return _normal_form(a) == _normal_form(b)


_normal_form = remembered(1_024)(normalise)
"""Remembered, since a text is held against several others."""


def _added(
    own: Analysis, left: list[AnalysedSentence], free: list[list[Token]], other: Analysis
) -> tuple[Objection, ...]:
    """Return what would be lost if a text were dropped for the other, in order of the text."""
    spans = [*_facts(own, left, other), *_insertions(own, free, other)]
    end = Span(len(other.text), len(other.text), "")
    return tuple(Objection(kind, span, end) for kind, span in sorted(spans, key=lambda s: (s[1].start, s[0])))


def _insertions(own: Analysis, free: list[list[Token]], other: Analysis) -> Iterator[tuple[FactKind, Span]]:
    """Yield sentences that both texts have and in which one says more: two content words that the other nowhere has."""
    for tokens in free:
        new = [t for t in tokens if t.content and t.key not in other.keys]
        if len(new) >= NEW_WORDS:
            start, end = new[0].start, new[-1].end
            yield FactKind.TERM, Span(start, end, own.text[start:end])


def _facts(own: Analysis, left: list[AnalysedSentence], other: Analysis) -> Iterator[tuple[FactKind, Span]]:
    """Yield values and identifiers of sentences without counterpart that the other text nowhere states, in order."""
    for token in (t for s in left for t in s.tokens):
        if token.kind in STRONG and token.key not in WEAK and token.key not in other.keys:
            yield token.kind, Span(token.start, token.end, own.text[token.start : token.end])


def _keys(text: Analysis) -> list[str]:
    return [k for s in text.sentences for k in s.keys]


def _same(one: Analysis, two: Analysis) -> Comparison:
    """Return texts of the same words in the same order, however layout and case cut them into sentences."""
    sides = [[s.span for s in text.sentences] for text in (one, two)]
    if len(sides[0]) != len(sides[1]):
        sides = [[Span(0, len(text.text), text.text)] for text in (one, two)]
    changes = (Change(x, y, Pairing.EQUAL) for x, y in zip(*sides, strict=True))
    return Comparison((), ordered(changes), a_adds=False, b_adds=False)


def _left(
    sentences: Sequence[AnalysedSentence], equal: list[tuple[int, int]], alike: list[tuple[int, int]], side: int
) -> list[AnalysedSentence]:
    taken = {pair[side] for pair in (*equal, *alike)}
    return [s for n, s in enumerate(sentences) if n not in taken]


def _objections(
    diff: Diff, free: tuple[Counter[str], Counter[str]], both: tuple[Analysis, Analysis], is_block: bool
) -> Iterator[Objection]:
    if not diff.blocks:
        return
    one, two = both
    scene = Scene(
        diff,
        _elsewhere(diff.b_free, free[0], diff.a_free),
        _elsewhere(diff.a_free, free[1], diff.b_free),
        one.keys,
        two.keys,
        one.text,
        two.text,
        one.language,
        is_block,
    )
    kept: list[Objection] = []
    for guard in GUARDS:
        voiced = [o for o in guard(scene) if not any(_overlap(o.a, k.a) or _overlap(o.b, k.b) for k in kept)]
        kept += [] if voiced and guard in _OF_ORDER and _is_in_order(diff, one.language) else voiced
    yield from kept


_OF_ORDER = (object_to_roles, object_to_order)


def _is_in_order(diff: Diff, language: str) -> bool:
    """Return whether some reading of two sentences has their common words in one order and equally related."""
    if language != "en" or is_turned(diff.a.span.text, diff.b.span.text):
        return False
    if first_moved(diff.a.span, diff.b.span, language) is not None:
        return False
    one, two = (SentenceRelations(side.tokens, language) for side in (diff.a, diff.b))
    return changed_relation(one, two) is None


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _apart(
    left_a: list[AnalysedSentence], left_b: list[AnalysedSentence], one: Analysis, two: Analysis
) -> Iterator[Objection]:
    """Yield sentences without counterpart on both sides: neither text says all that the other does."""
    lone_a = [s for s in left_a if _is_own(s, two)]
    lone_b = [s for s in left_b if _is_own(s, one)]
    if lone_a and lone_b:
        yield Objection(FactKind.TERM, lone_a[0].span, lone_b[0].span)


def _answers(one: Analysis, two: Analysis) -> Iterator[Objection]:
    """Yield yes against no: place by place where both answer as often, otherwise if they have no answer in common."""
    a, b = ([t for s in text.sentences for t in s.tokens if t.key in (YES, NO)] for text in (one, two))
    if len(a) != len(b) and not {t.key for t in a}.isdisjoint(t.key for t in b):
        return
    for x, y in zip(a, b, strict=False):
        if x.key != y.key:
            spans = (Span(t.start, t.end, t.written) for t in (x, y))
            yield Objection(FactKind.NEGATION, *spans)


def _is_own(sentence: AnalysedSentence, other: Analysis) -> bool:
    """Return whether a sentence says something that the other text nowhere does.

    One odd word in a long one says nothing.
    """
    content = [t for t in sentence.tokens if t.content]
    new = [t for t in content if t.key not in other.keys]
    return len(new) >= 2 or any(t.kind for t in new) or (bool(new) and len(content) <= 4)


def _free_keys(diffs: Iterable[list[Token]], left: list[AnalysedSentence]) -> Counter[str]:
    """Return how often each fact stands without counterpart in all of a text."""
    return Counter([t.key for tokens in (*diffs, *(s.tokens for s in left)) for t in tokens if t.kind])


def _elsewhere(missing: list[Token], all_free: Counter[str], own: list[Token]) -> frozenset[str]:
    """Return which of the wanted facts the other text has without counterpart outside this pair of sentences."""
    keys = [t.key for t in missing if t.key in all_free]
    if not keys:
        return _NOWHERE
    here = Counter([t.key for t in own if t.kind])
    return frozenset([key for key in keys if all_free[key] > here[key]])


_NOWHERE: frozenset[str] = frozenset()


def _adds(
    diffs: Collection[Diff],
    left_a: list[AnalysedSentence],
    left_b: list[AnalysedSentence],
    one: Analysis,
    two: Analysis,
) -> tuple[bool, bool]:
    free_a = [d.a_free for d in diffs] + [s.tokens for s in left_a]
    free_b = [d.b_free for d in diffs] + [s.tokens for s in left_b]
    return _lacks(free_a, two), _lacks(free_b, one)


def _lacks(free: Iterable[Sequence[Token]], other: Analysis) -> bool:
    """Return whether the other text leaves out any of these facts and content words."""
    return any(t.content and t.key not in other.keys for tokens in free for t in tokens)


def _changes(
    one: Analysis,
    two: Analysis,
    equal: list[tuple[int, int]],
    objections: dict[tuple[int, int], tuple[Objection, ...]],
) -> Iterator[Change]:
    for i, j in equal:
        yield Change(one.sentences[i].span, two.sentences[j].span, Pairing.EQUAL)
    for (i, j), group in objections.items():
        relation = Pairing.CONFLICT if group else Pairing.REWORDED
        yield Change(one.sentences[i].span, two.sentences[j].span, relation)
    partner_a = dict((*equal, *objections))
    partner_b = {j: i for i, j in partner_a.items()}
    for span, gap in _unpaired(one, two, partner_a):
        yield Change(span, gap, Pairing.DELETED)
    for span, gap in _unpaired(two, one, partner_b):
        yield Change(gap, span, Pairing.INSERTED)


def _unpaired(here: Analysis, there: Analysis, partner: dict[int, int]) -> Iterator[tuple[Span, Span]]:
    """Yield sentences without counterpart, each with the empty place after the counterpart of the one before it."""
    at = 0
    for n, sentence in enumerate(here.sentences):
        if n in partner:
            at = there.sentences[partner[n]].span.end
        else:
            yield sentence.span, Span(at, at, "")
