"""Who did what to whom; the same words in places that they have exchanged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from saidonce.foundation.model import FactKind, Objection
from saidonce.matching.facts.analyse import AnalysedSentence, Token
from saidonce.matching.facts.guards import Scene, span
from saidonce.matching.facts.lexicon import stem, symmetric

MAX_RUNS = 14
"""With more pieces than this in another order, a sentence is rewritten rather than turned."""

JOINS = frozenset(("and", "or", "und", "oder", "et", "ou", "y", "e", "o", "as well as", "&"))
_PREPOSITIONS = frozenset(
    "of in on at by for with from to into onto against between among across over under before after than as about"
    " via through without within during until since toward behind beside like per that who which whose while"
    " von mit für nach aus zu bei durch de par pour avec dans sur sous chez con por para en desde hasta sobre".split()
)
LOOSE_JOINS = frozenset("and or with versus vs near".split())


@dataclass(frozen=True, slots=True)
class SharedRun:
    """Tokens that stand together in both sentences: their indices in each."""

    a_lo: int
    a_hi: int
    b_lo: int
    b_hi: int


def object_to_roles(scene: Scene) -> Iterator[Objection]:
    """Object to two names, nouns or values in each other's place, and to a passive without its turn."""
    a, b = scene.diff.a, scene.diff.b
    exchanged = _turned_voice(a, b)
    if not exchanged and not are_in_one_order(a, b, scene.diff.anchors):
        runs = runs_of(a, b, scene.diff.anchors)
        pairs = combinations(runs, 2) if len(runs) <= MAX_RUNS else ()
        exchanged = next((pair for pair in pairs if _exchanged(scene, *pair)), None)
    if exchanged:
        x, y = exchanged
        yield Objection(
            FactKind.ROLE,
            span(scene.text_a, (*a.tokens[x.a_lo : x.a_hi], *a.tokens[y.a_lo : y.a_hi]), 0),
            span(scene.text_b, (*b.tokens[x.b_lo : x.b_hi], *b.tokens[y.b_lo : y.b_hi]), 0),
        )


def are_in_one_order(a: AnalysedSentence, b: AnalysedSentence, anchors: dict[int, int]) -> bool:
    """Return whether all content words that two sentences share stand in one order, as their runs would show, too.

    Args:
        anchors: places of words that belong together, which ascend in both sentences or do not.
    """
    taken = set(anchors.values())
    free = {key for n, key in enumerate(a.keys) if n not in anchors and a.tokens[n].content}
    if free and any(key in free and m not in taken and b.tokens[m].content for m, key in enumerate(b.keys)):
        return False
    places = [anchors[n] for n in sorted(anchors)]
    return all(one < next_one for one, next_one in pairwise(places))


def runs_of(a: AnalysedSentence, b: AnalysedSentence, anchors: dict[int, int]) -> list[SharedRun]:
    """Return shared content tokens, joined where they follow each other in both sentences.

    Of a word that stands more than once, those that the alignment holds equal belong together.
    """
    places: dict[str, list[int]] = defaultdict(list)
    taken = set(anchors.values())
    for n in range(len(b.tokens) - 1, -1, -1):
        if n not in taken and b.tokens[n].content:
            places[b.keys[n]].append(n)
    runs: list[list[int]] = []
    for n, (token, key) in enumerate(zip(a.tokens, a.keys, strict=True)):
        if not token.content:
            continue
        m = anchors.get(n, -1)
        if m < 0:
            if not (free := places.get(key)):
                continue
            m = free.pop()
        last = runs[-1] if runs else None
        is_next = last is not None and last[1] == n and last[3] == m
        if last and (is_next or (last[3] <= m and n - last[1] <= 3 and a.keys[last[1] : n] == b.keys[last[3] : m])):
            last[1], last[3] = n + 1, m + 1
        else:
            runs.append([n, n + 1, m, m + 1])
    return [SharedRun(*run) for run in runs]


def _exchanged(scene: Scene, x: SharedRun, y: SharedRun) -> bool:
    """Return whether y stands in B where x stands in A, and x where y stood."""
    a, b = scene.diff.a.tokens, scene.diff.b.tokens
    # Neighbours are a word and its attribute: "federal election in May", "May federal election".
    if x.b_lo < y.b_lo or x.a_hi == y.a_lo or y.b_hi == x.b_lo:
        return False
    if _is_list(scene.text_a, a[x.a_lo : y.a_hi]) and _is_list(scene.text_b, b[y.b_lo : x.b_hi]):
        return False
    is_symmetric = any(t.key in symmetric() and t.key not in LOOSE_JOINS for t in a)
    if is_symmetric or is_passive(a) != is_passive(b):
        return False
    if _slot(a, x.a_lo, x.a_hi, b, y.b_lo, y.b_hi) and _slot(a, y.a_lo, y.a_hi, b, x.b_lo, x.b_hi):
        return True
    roles = (_governor(a, x.a_lo), _governor(a, y.a_lo))
    turned = (_governor(b, x.b_lo), _governor(b, y.b_lo))
    return roles[0] != roles[1] and roles == turned[::-1] and all(roles)


def _slot(a: Sequence[Token], a_lo: int, a_hi: int, b: Sequence[Token], b_lo: int, b_hi: int) -> bool:
    """Return whether two stretches have the same neighbour on one side, and not only a sentence edge on the other."""
    before = (_key(a, a_lo - 1), _key(b, b_lo - 1))
    after = (_key(a, a_hi), _key(b, b_hi))
    return any(one == other and one not in _NO_SLOT for one, other in (before, after))


_NO_SLOT = JOINS | {"^", "$"}


def _key(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].key if 0 <= at < len(tokens) else "^" if at < 0 else "$"


def _governor(tokens: Sequence[Token], at: int) -> str:
    """Return the preposition that a stretch hangs on, looking back over words of grammar only."""
    for token in reversed(tokens[max(0, at - 3) : at]):
        if token.content:
            return ""
        if token.word in _PREPOSITIONS:
            return token.word
    return ""


def _is_list(text: str, tokens: Sequence[Token]) -> bool:
    """Return whether a stretch is an enumeration, whose members may change places."""
    joined = False
    for left, right in pairwise(tokens):
        between = text[left.end : right.start]
        if left.word in JOINS or right.word in JOINS or any(c in between for c in ",;/|&\n"):
            joined = True
        elif not left.content or not right.content:
            return False
    return joined


def is_passive(tokens: Sequence[Token]) -> bool:
    """Return whether a sentence is a passive that names its agent."""
    return passive_of(tokens) is not None


def passive_of(tokens: Sequence[Token]) -> tuple[int, int, int] | None:
    """Return the indices of patient, verb and agent of a passive with an agent."""
    by = next((n for n, t in enumerate(tokens) if t.word == "by" and n), None)
    if by is None or by + 1 >= len(tokens):
        return None
    be = next((n for n in range(by - 1, max(-1, by - 8), -1) if tokens[n].key == "be"), None)
    verb = by - 2 if tokens[by - 1].word.endswith("ly") else by - 1
    if be is None:
        return None
    verb = verb if tokens[verb].word.endswith(_PARTICIPLE) else be + 1
    if verb >= by or not tokens[verb].word.endswith(_PARTICIPLE):
        return None
    patient = next((n for n in range(be - 1, max(-1, be - 4), -1) if tokens[n].content), verb - 1)
    return (patient, verb, by + 1) if patient != be and patient < verb else None


_PARTICIPLE = ("ed", "en", "n", "t", "d")


def _turned_voice(a: AnalysedSentence, b: AnalysedSentence) -> tuple[SharedRun, SharedRun] | None:
    """Return patient and agent of a passive that stand in one order around the same verb of an active."""
    for one, other, is_a in ((a, b, True), (b, a, False)):
        parts = passive_of(one.tokens)
        if parts is None or passive_of(other.tokens) is not None:
            continue
        patient, _, agent = parts
        words, stems = [stem(t.word) for t in one.tokens], [stem(t.word) for t in other.tokens]
        if not all(words.count(words[n]) == stems.count(words[n]) == 1 for n in parts):
            continue
        there = [stems.index(words[n]) for n in parts]
        if there[0] < there[1] < there[2]:
            first = (patient, patient + 1, there[0], there[0] + 1)
            last = (agent, agent + 1, there[2], there[2] + 1)
            return tuple(SharedRun(*(r if is_a else (*r[2:], *r[:2]))) for r in (first, last))  # type: ignore[return-value]
    return None
