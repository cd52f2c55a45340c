"""The guards that look at one pair of sentences for one kind of fact each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from saidonce.foundation.model import FactKind, Objection, Span
from saidonce.matching.facts.align import Diff, DifferingSpan
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.lexicon import classes, known_words, qualifiers, stem
from saidonce.matching.facts.synonymy import excludes, is_negative, negates

VALUES = frozenset(
    (FactKind.NUMBER, FactKind.UNIT, FactKind.AMOUNT, FactKind.DATE, FactKind.VERSION, FactKind.FREQUENCY)
)
CLAUSE = 5
"""Content words from which an inserted stretch is a statement of its own."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a guard sees: one pair of sentences, and what else each text has that the other lacks.

    Attributes:
        a_elsewhere, b_elsewhere: keys of facts without counterpart outside this pair of sentences.
        a_keys, b_keys: all keys of each text.
        is_block: whether other sentences of the two texts are equal, so that their likeness says little here.
        language: of the tables that typed the tokens.
    """

    diff: Diff
    a_elsewhere: frozenset[str]
    b_elsewhere: frozenset[str]
    a_keys: frozenset[str]
    b_keys: frozenset[str]
    text_a: str
    text_b: str
    language: str
    is_block: bool


Guard: TypeAlias = Callable[[Scene], Iterator[Objection]]


def span(text: str, tokens: Sequence[Token], at: int) -> Span:
    """Return the stretch of text from the first to the last token; empty, at a place, without tokens."""
    if not tokens:
        return Span(at, at, "")
    start, end = min(t.start for t in tokens), max(t.end for t in tokens)
    return Span(start, end, text[start:end])


def place(scene: Scene, block: DifferingSpan) -> tuple[int, int]:
    """Return offsets at which a block's tokens stand, or would stand."""
    return _offset(scene.diff.a.tokens, block.a_at, scene.diff.a.span), _offset(
        scene.diff.b.tokens, block.b_at, scene.diff.b.span
    )


def _offset(tokens: tuple[Token, ...], at: int, whole: Span) -> int:
    if at < len(tokens):
        return tokens[at].start
    return tokens[-1].end if tokens else whole.start


def objection(scene: Scene, kind: FactKind, block: DifferingSpan, a: Sequence[Token], b: Sequence[Token]) -> Objection:
    """Return an objection over tokens of one block."""
    at_a, at_b = place(scene, block)
    return Objection(kind, span(scene.text_a, a, at_a), span(scene.text_b, b, at_b))


def object_to_values(scene: Scene) -> Iterator[Objection]:
    """Yield objections to values and identifiers that replace each other: numbers, quantities, dates and so on."""
    for family in (VALUES, frozenset((FactKind.IDENTIFIER,))):
        seen: set[int] = set()
        for block in scene.diff.open_blocks:
            a = [t for t in block.a_rest if t.kind in family]
            b = [t for t in block.b_rest if t.kind in family]
            if not a and not b:
                continue
            if not (_is_slot(block) and a and b):
                a, b = (
                    _unmoved(a, scene.diff.a_free, scene.b_elsewhere),
                    _unmoved(b, scene.diff.b_free, scene.a_elsewhere),
                )
            if a and b:
                seen.update(id(t) for t in (*a, *b))
                yield objection(scene, _kind(a[0], b[0]), block, a, b)
        yield from _apart(scene, family, seen)
    yield from _named_otherwise(scene)


def _named_otherwise(scene: Scene) -> Iterator[Objection]:
    """Yield a value in the place of an identifier: "position 3", "position 3b"."""
    for block in scene.diff.open_blocks:
        a, b = ([t for t in rest if t.kind in STRONG] for rest in (block.a_rest, block.b_rest))
        kinds = {t.kind is FactKind.IDENTIFIER for t in a}, {t.kind is FactKind.IDENTIFIER for t in b}
        if _is_slot(block) and a and b and kinds in (({True}, {False}), ({False}, {True})):
            yield objection(scene, FactKind.IDENTIFIER, block, a, b)


def _is_slot(block: DifferingSpan) -> bool:
    """Return whether a block is a place where one short thing stands for another."""
    return 0 < len(block.a) <= 4 and 0 < len(block.b) <= 4


def _unmoved(tokens: list[Token], free: list[Token], elsewhere: frozenset[str]) -> list[Token]:
    left = {id(t) for t in free}
    return [t for t in tokens if id(t) in left and t.key not in elsewhere]


def _apart(scene: Scene, family: frozenset[FactKind], seen: set[int]) -> Iterator[Objection]:
    """Yield values that stand in different blocks of the two sentences."""
    a = [t for t in scene.diff.a_free if t.kind in family and id(t) not in seen and t.key not in scene.b_elsewhere]
    b = [t for t in scene.diff.b_free if t.kind in family and id(t) not in seen and t.key not in scene.a_elsewhere]
    a, b = ([t for t in side if t.key not in WEAK] for side in (a, b))
    if a and b:
        yield Objection(_kind(a[0], b[0]), span(scene.text_a, a, 0), span(scene.text_b, b, 0))


STRONG = frozenset(
    (
        FactKind.IDENTIFIER,
        FactKind.NUMBER,
        FactKind.UNIT,
        FactKind.AMOUNT,
        FactKind.DATE,
        FactKind.VERSION,
        FactKind.FREQUENCY,
    )
)


def object_to_omissions(scene: Scene) -> Iterator[Objection]:
    """Yield objections to a value or identifier put into, or left out of, a sentence that both texts have."""
    for block in scene.diff.open_blocks:
        a = _strong(_unmoved(block.a_rest, scene.diff.a_free, scene.b_elsewhere), scene.b_keys)
        b = _strong(_unmoved(block.b_rest, scene.diff.b_free, scene.a_elsewhere), scene.a_keys)
        if bool(a) != bool(b):
            yield objection(scene, _kind_of(a or b), block, a, b)


def _strong(tokens: list[Token], there: frozenset[str]) -> list[Token]:
    return [t for t in tokens if t.kind in STRONG and t.key not in WEAK and t.key not in there]


def _kind_of(tokens: list[Token]) -> FactKind:
    return next(t.kind for t in tokens if t.kind)


WEAK = frozenset(("#1", "o:1", "o:2"))
"""Values that are as often mere words: one, first, second."""


def _kind(a: Token, b: Token) -> FactKind:
    if a.kind is FactKind.UNIT and b.kind is FactKind.UNIT:
        return FactKind.UNIT if a.word.split()[0] == b.word.split()[0] else FactKind.NUMBER
    for kind in (FactKind.FREQUENCY, FactKind.DATE, FactKind.VERSION, FactKind.AMOUNT, FactKind.IDENTIFIER):
        if kind in (a.kind, b.kind):
            return kind
    return FactKind.NUMBER


def object_to_negation(scene: Scene) -> Iterator[Objection]:
    """Yield objections to a negation on one side only, in a stretch too short to be a statement of its own."""
    moved = _moved_negations(scene.diff)
    for block in scene.diff.open_blocks:
        a = [t for t in block.a_rest if _turns(t, scene.b_keys) and id(t) not in moved]
        b = [t for t in block.b_rest if _turns(t, scene.a_keys) and id(t) not in moved]
        flips = _flips(block, scene.language)
        others = sum(1 for x, y in flips if not any(t is x or t is y for t in (*a, *b)))
        if (len(a) + len(b) + others) % 2 and not _is_statement(block):
            yield objection(scene, FactKind.NEGATION, block, a or [x for x, _ in flips], b or [y for _, y in flips])


def _flips(block: DifferingSpan, language: str) -> list[tuple[Token, Token]]:
    """Return words that stand with a negating prefix on the other side: known and unknown."""
    return [
        (x, y)
        for x in block.a_rest[:30]
        for y in block.b_rest[:30]
        if x.content and y.content and _is_flipped(x, y, language)
    ]


def _is_flipped(a: Token, b: Token, language: str) -> bool:
    return negates(a.word, b.word, language) or _denies(a, b)


def _denies(a: Token, b: Token) -> bool:
    """Return whether one of two tokens is the other behind "not"."""
    return any(x.word == f"not {y.word}" for x, y in ((a, b), (b, a)))


def _turns(token: Token, there: frozenset[str]) -> bool:
    return token.kind is FactKind.NEGATION or (
        token.content and token.language == "en" and is_negative(token.word) and token.key not in there
    )


def _is_statement(block: DifferingSpan) -> bool:
    """Return whether a pure insertion says something by itself rather than turning what is there."""
    if block.a and block.b:
        return False
    tokens = block.a or block.b
    return sum(t.content for t in tokens) >= CLAUSE


def _moved_negations(diff: Diff) -> set[int]:
    """Return negations that stand in different blocks but turn the same word."""
    sides = (
        [(t, _next_content(diff.a.tokens, t)) for k in diff.blocks for t in k.a_rest if t.kind is FactKind.NEGATION],
        [(t, _next_content(diff.b.tokens, t)) for k in diff.blocks for t in k.b_rest if t.kind is FactKind.NEGATION],
    )
    moved: set[int] = set()
    for token, target in sides[0]:
        turned = _failing(diff.a.tokens, token)
        other = next(
            (
                t
                for t, goal in sides[1]
                if id(t) not in moved
                and ((goal == target and target) or (turned and turned == _failing(diff.b.tokens, t)))
            ),
            None,
        )
        if other:
            moved |= {id(token), id(other)}
    return moved


def _failing(tokens: tuple[Token, ...], token: Token) -> tuple[str, str] | None:
    """Return a verb that denies ("fails", "lacks") with the word right before it: who fails.

    None of any other negation.
    """
    before = next((t for t in reversed(tokens) if t.end <= token.start), None)
    is_verb = token.word not in _PARTICLES and before is not None and before.content
    return (before.key, token.word) if is_verb and before is not None else None


_PARTICLES = frozenset("not no never without neither nor none nobody nothing nowhere cannot non ain't".split())


def _next_content(tokens: tuple[Token, ...], token: Token) -> str:
    return next((t.key for t in tokens if t.content and t.start >= token.end), "")


def object_to_modality(scene: Scene) -> Iterator[Objection]:
    """Object to "must" against "should", "may" or "can"."""
    for block in scene.diff.open_blocks:
        a = [t for t in block.a_rest if t.kind is FactKind.MODALITY]
        b = [t for t in block.b_rest if t.kind is FactKind.MODALITY]
        if not (a and b) or {t.key for t in a} == {t.key for t in b}:
            continue
        yield objection(scene, FactKind.MODALITY, block, a, b)


_CLASHES = frozenset(
    frozenset(pair.split("-"))
    for pair in (
        "all-some all-most all-many all-half all-rare some-most most-rare many-rare all-only both-either"
    ).split()
)
_BOUND_CLASHES = frozenset(
    frozenset(pair.split("-"))
    for pair in (
        "least-most least-less most-more more-less least-more most-less least-exact most-exact more-exact less-exact"
    ).split()
)


def object_to_quantifiers(scene: Scene) -> Iterator[Objection]:
    """Yield objections to all against some, at least against at most, a bound that one side lacks, and against or."""
    for block in scene.diff.blocks:
        a = [t for t in block.a_rest if t.kind is FactKind.QUANTIFIER]
        b = [t for t in block.b_rest if t.kind is FactKind.QUANTIFIER]
        clash = next(((x, y) for x in a for y in b if _clash(x.key, y.key)), None)
        if clash:
            yield objection(scene, FactKind.QUANTIFIER, block, clash[:1], clash[1:])
        elif _is_lone_limit(
            _unmoved(a, scene.diff.a_free, frozenset()), _unmoved(b, scene.diff.b_free, frozenset()), block
        ):
            yield objection(scene, FactKind.QUANTIFIER, block, a, b)
        elif {block.a[0].word if len(block.a) == 1 else "", block.b[0].word if len(block.b) == 1 else ""} == {
            "and",
            "or",
        }:
            yield objection(scene, FactKind.QUANTIFIER, block, block.a, block.b)


def _clash(a: str, b: str) -> bool:
    (family_a, _, name_a), (family_b, _, name_b) = a.partition(":"), b.partition(":")
    if family_a != family_b:
        return False
    return frozenset((name_a, name_b)) in (_BOUND_CLASHES if family_a == "bound" else _CLASHES)


def _is_lone_limit(a: list[Token], b: list[Token], block: DifferingSpan) -> bool:
    """Return whether "only", or a bound on a number, stands on one side of an otherwise equal place."""
    if bool(a) == bool(b):
        return False
    lone = a or b
    if sum(t.content for t in (*block.a, *block.b)) > 2:
        return False
    return any(t.key == "quantifier:only" or (t.key.startswith("bound:") and t.key not in _LOOSE) for t in lone)


_LOOSE = frozenset(("bound:about", "bound:exact"))


def object_to_opposites(scene: Scene) -> Iterator[Objection]:
    """Yield objections to words at opposite poles in one stretch; two turned together undo each other."""
    for block in scene.diff.blocks:
        if not block.a or not block.b:
            continue
        distinct = _distinct(block.b, block.a)
        pairs = [
            (x, y)
            for x in _distinct(block.a, block.b)
            for y in distinct
            if excludes(_pole(x), _pole(y), scene.language)
            and not (negates(x.word, y.word, scene.language) or _denies(x, y))
        ]
        if (
            len(pairs) == 2
            and len({id(x) for x, _ in pairs}) == len({id(y) for _, y in pairs}) == 2
            and _is_slot(block)
        ):
            continue
        if pairs:
            yield objection(scene, _kind_of_opposites(*pairs[0]), block, pairs[0][:1], pairs[0][1:])


def _kind_of_opposites(a: Token, b: Token) -> FactKind:
    """Return what two poles are: "allowed" against "not allowed" is a negation."""
    return FactKind.NEGATION if _denies(a, b) else FactKind.OPPOSITE


def _pole(token: Token) -> str:
    if token.kind is FactKind.MODALITY:
        return token.word.split()[0]
    return token.key if " " in token.word else token.word


def _distinct(tokens: tuple[Token, ...], others: tuple[Token, ...]) -> list[Token]:
    keys = {t.key for t in others}
    return [t for t in tokens[:30] if t.key not in keys]


def object_to_names(scene: Scene) -> Iterator[Objection]:
    """Yield objections to names that replace each other.

    In German, where every noun has a capital, only if nothing else differs.
    """
    for block in scene.diff.open_blocks:
        a = [t for t in block.a_rest if t.kind is FactKind.NAME]
        b = [t for t in block.b_rest if t.kind is FactKind.NAME]
        a, b = _unmoved(a, scene.diff.a_free, frozenset()), _unmoved(b, scene.diff.b_free, frozenset())
        if a and b and (scene.language != "de" or (_is_slot(block) and len(scene.diff.blocks) == 1)):
            yield objection(scene, FactKind.NAME, block, a, b)


def object_to_terms(scene: Scene) -> Iterator[Objection]:
    """Yield objections to a content word in the place of another that means something else."""
    if scene.language != "en":
        return
    for block in scene.diff.open_blocks:
        flipped = {id(t) for pair in _flips(block, scene.language) for t in pair}
        a, b = (
            [t for t in _unmoved(_plain(rest), free, frozenset()) if id(t) not in flipped]
            for rest, free in ((block.a_rest, scene.diff.a_free), (block.b_rest, scene.diff.b_free))
        )
        if a and b and (pair := _clashing_classes(a, b)):
            yield objection(scene, FactKind.TERM, block, pair[:1], pair[1:])
        elif a and b:
            objects = _is_replacement(scene.diff, a, b) or (scene.is_block and _is_rewritten(scene.diff))
            yield from [objection(scene, FactKind.TERM, block, a, b)] * objects
        elif (a or b) and _is_tight(block) and (_qualifies(a or b) or _narrows(scene.diff, a or b)):
            yield objection(scene, FactKind.TERM, block, a, b)


def _qualifies(lone: list[Token]) -> bool:
    return any(t.key in qualifiers() or stem(t.word) in qualifiers() for t in lone)


def _narrows(diff: Diff, lone: list[Token]) -> bool:
    """Return whether words are all that one question asks beyond the other."""
    if len(diff.blocks) > 1 or len(lone) > 2 or not all(_is_word(t) for t in lone):
        return False
    return diff.a.span.text.rstrip().endswith("?") and diff.b.span.text.rstrip().endswith("?")


def _is_word(token: Token) -> bool:
    """Return whether a token is no mere slip of the keys, such as "sthe"."""
    return token.kind is not None or len(token.word) > 5 or token.word in known_words()


def _plain(tokens: list[Token]) -> list[Token]:
    return [t for t in tokens if t.content and t.kind in (None, FactKind.NAME, FactKind.IDENTIFIER)]


def _is_tight(block: DifferingSpan) -> bool:
    return sum(t.content for t in (*block.a, *block.b)) <= 2


def _clashing_classes(a: list[Token], b: list[Token]) -> tuple[Token, Token] | None:
    table = classes()
    none: frozenset[int] = frozenset()
    for x in a[:8]:
        mine = table.get(stem(x.word), none)
        other = next((y for y in b[:8] if mine & table.get(stem(y.word), none)), None) if mine else None
        if other:
            return x, other
    return None


def _is_rewritten(diff: Diff) -> bool:
    """Return whether a sentence among equal ones says other things in either text."""
    return len(_plain(diff.a_free)) >= 2 and len(_plain(diff.b_free)) >= 2


def _is_replacement(diff: Diff, a: list[Token], b: list[Token]) -> bool:
    """Return whether a short stretch is the only thing that two sentences do not share."""
    if any(len(side) > (4 if all(t.written[:1].isupper() for t in side) else 2) for side in (a, b)):
        return False
    rewritten = sum(len(_plain(k.a_rest)) + len(_plain(k.b_rest)) for k in diff.blocks)
    return rewritten <= 4 and diff.n_same >= 1


GUARDS: tuple[Guard, ...] = (
    object_to_values,
    object_to_omissions,
    object_to_negation,
    object_to_modality,
    object_to_quantifiers,
    object_to_opposites,
    object_to_names,
    object_to_terms,
)
"""One guard a kind of fact, in the order in which their objections are listed."""
