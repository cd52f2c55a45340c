"""The same words in another order, where the order says who or what a word belongs to.

What may move without a change is listed in the module `moves`; all else is an objection.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from saidonce.foundation.model import FactKind, Objection
from saidonce.matching.facts.align import Diff, anchors_of
from saidonce.matching.facts.analyse import AnalysedSentence, Token
from saidonce.matching.facts.guards import Scene, span
from saidonce.matching.facts.phrases import PhraseView
from saidonce.matching.facts.reordering import keeps_its_claim, may_change_places
from saidonce.matching.facts.roles import MAX_RUNS, SharedRun, are_in_one_order, is_passive, runs_of
from saidonce.matching.facts.synonymy import same

MAX_NEW = 0.34
"""Share of content words without counterpart up to which two sentences are one sentence in another order."""

_TURNING = frozenset("from to by for with against into under over above below before after".split())


def object_to_order(scene: Scene) -> Iterator[Objection]:
    """Yield objections to words that stand in another order and thereby belong to something else."""
    diff = scene.diff
    a, b = diff.a.tokens, diff.b.tokens
    if scene.language != "en" or is_passive(a) != is_passive(b) or diff.a.is_row or diff.b.is_row:
        return
    n_new = sum(t.content for t in (*diff.a_free, *diff.b_free))
    if n_new > MAX_NEW * sum(t.content for t in (*a, *b)):
        return
    anchors = equivalent_anchors(diff)
    if are_in_one_order(diff.a, diff.b, anchors) and _are_hung_alike(a, b, anchors):
        return
    runs = runs_of(diff.a, diff.b, anchors)
    if shared := _exchanged_prepositions(runs, a, b) or _moved(scene, runs):
        yield _objection(scene, shared)


def _are_hung_alike(a: Sequence[Token], b: Sequence[Token], anchors: Mapping[int, int]) -> bool:
    """Return whether each "from", "to" and the like of two sentences belongs to the same word of the other."""
    turning = {n: t.word for n, t in enumerate(a) if t.word in _TURNING}
    if any(n not in anchors or b[anchors[n]].word != word for n, word in turning.items()):
        return False
    taken = set(anchors.values())
    return all(m in taken for m, t in enumerate(b) if t.word in _TURNING)


def _moved(scene: Scene, runs: Sequence[SharedRun]) -> Sequence[SharedRun]:
    """Return the first two groups of words that stand in turned order and may not; none if too many have moved."""
    groups = _groups(runs)
    if len(groups) < 2 or len(groups) > MAX_RUNS:
        return ()
    one = PhraseView(scene.diff.a.tokens, scene.text_a, [(g[0].a_lo, g[-1].a_hi) for g in groups])
    two = PhraseView(scene.diff.b.tokens, scene.text_b, [(g[0].b_lo, g[-1].b_hi) for g in groups])
    for x, y in combinations(range(len(groups)), 2):
        if two.places[x] > two.places[y] and not may_change_places(one, two, x, y):
            return tuple(SharedRun(g[0].a_lo, g[-1].a_hi, g[0].b_lo, g[-1].b_hi) for g in (groups[x], groups[y]))
    return ()


def is_order_accounted_for(a: AnalysedSentence, b: AnalysedSentence, text_a: str, text_b: str) -> bool:
    """Return whether all pairs of word groups that two English sentences have in reversed order are justified."""
    anchors = anchors_of(a, b)
    if are_in_one_order(a, b, anchors):
        return True
    groups = _groups(runs_of(a, b, anchors))
    if len(groups) > MAX_RUNS:
        return False
    one = PhraseView(a.tokens, text_a, [(g[0].a_lo, g[-1].a_hi) for g in groups])
    two = PhraseView(b.tokens, text_b, [(g[0].b_lo, g[-1].b_hi) for g in groups])
    turned = ((x, y) for x, y in combinations(range(len(groups)), 2) if two.places[x] > two.places[y])
    return all(keeps_its_claim(one, two, x, y) for x, y in turned)


def equivalent_anchors(diff: Diff) -> dict[int, int]:
    """Return places of words that belong together: those that the alignment holds equal, and equivalents."""
    anchors = dict(reversed([*_equivalents(diff)])) | diff.anchors
    by_other = {m: n for n, m in anchors.items()}
    return {n: m for m, n in by_other.items()}


def _objection(scene: Scene, shared: Sequence[SharedRun]) -> Objection:
    a, b = scene.diff.a.tokens, scene.diff.b.tokens
    return Objection(
        FactKind.ROLE,
        span(scene.text_a, [t for r in shared for t in a[r.a_lo : r.a_hi]], 0),
        span(scene.text_b, [t for r in shared for t in b[r.b_lo : r.b_hi]], 0),
    )


def _equivalents(diff: Diff) -> Iterator[tuple[int, int]]:
    """Yield places of the words that stand for each other although their keys differ."""
    for block in diff.blocks:
        at = 0
        for n, token in enumerate(block.a[:30]):
            m = next((m for m in range(at, min(len(block.b), 30)) if _stand_in(token, block.b[m])), None)
            if m is not None:
                at = m + 1
                yield block.a_at + n, block.b_at + m
    a, b = diff.a, diff.b
    lone_a, lone_b = _once(a.keys, frozenset(b.keys)), _once(b.keys, frozenset(a.keys))
    for n in lone_a:
        m = next((m for m in lone_b if _stand_in(a.tokens[n], b.tokens[m])), None)
        if m is not None:
            lone_b.remove(m)
            yield n, m


def _once(keys: Sequence[str], others: frozenset[str]) -> list[int]:
    """Return places of the keys that stand once in one sentence, and not in the other."""
    lone = [n for n, key in enumerate(keys) if key not in others]
    counts = Counter(keys) if lone else Counter()
    return [n for n in lone if counts[keys[n]] == 1][:30]


def _stand_in(one: Token, other: Token) -> bool:
    """Return whether two words with different keys are one word or synonyms."""
    words = (None, FactKind.NAME)
    known = one.content and other.content and one.kind in words and other.kind in words
    return known and one.key != other.key and same(one, other)


def _exchanged_prepositions(runs: Sequence[SharedRun], a: Sequence[Token], b: Sequence[Token]) -> Sequence[SharedRun]:
    """Return two places that keep their order while "from" and "to" before them have changed theirs."""
    hung = [(_hook(a, r.a_lo), _hook(b, r.b_lo), r) for r in runs]
    hung = [h for h in hung if h[0] and h[1] and h[0] != h[1]]
    return next(((x[2], y[2]) for x, y in combinations(hung, 2) if x[:2] == (y[1], y[0])), ())


def _hook(tokens: Sequence[Token], at: int) -> str:
    """Return the preposition right before a word."""
    return tokens[at - 1].word if at and tokens[at - 1].word in _TURNING else ""


def _groups(runs: Sequence[SharedRun]) -> list[list[SharedRun]]:
    """Return groups of runs: runs that follow each other in both sentences, with anything between them, form one."""
    rank = {id(r): n for n, r in enumerate(sorted(runs, key=lambda r: r.b_lo))}
    groups: list[list[SharedRun]] = []
    for run in runs:
        if groups and rank[id(run)] == rank[id(groups[-1][-1])] + 1:
            groups[-1].append(run)
        else:
            groups.append([run])
    return groups
