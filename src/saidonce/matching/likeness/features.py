"""Features of two texts, as numbers; the same whichever text comes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq

from saidonce.foundation.model import Candidate, FactKind
from saidonce.foundation.text import normalise
from saidonce.matching import facts
from saidonce.matching.facts import Comparison, Pairing
from saidonce.matching.likeness.words import ComparedWord, words_of

VERSION = "1"
"""Version of the features, raised with every change of meaning; trees of another version are refused."""

ABSENT = -1.0
"""Value of a feature without meaning for a pair, such as agreement of fields where there are none."""

PLACES = 4
"""Decimals kept, so that the last bits of a processor's arithmetic do not reach a tree."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A candidate and a kept text, with their similarities.

    Attributes:
        similarity: canonical cosine.
        near: see `words.nearness`; None if the embedder has no vectors of words.
    """

    a: Candidate
    b: Candidate
    similarity: float
    near: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class _Sides:
    """The words of both texts, and their common stems."""

    a: tuple[ComparedWord, ...]
    b: tuple[ComparedWord, ...]
    common: Counter[str]
    rest_a: tuple[ComparedWord, ...]
    rest_b: tuple[ComparedWord, ...]


def features(pair: Compared) -> tuple[float, ...]:
    """Return the features of a pair in the order of `NAMES`."""
    sides = _sides(pair.a.text, pair.b.text)
    values: dict[str, float] = {"similarity": pair.similarity}
    for part in (_spelling(pair), _shares(sides), _rests(sides), _order(sides), _guard_findings(pair), _fields(pair)):
        values.update(part)
    values.update(_embedded(pair, sides))
    return tuple(round(float(values[name]), PLACES) for name in NAMES)


def _sides(a: str, b: str) -> _Sides:
    words_a, words_b = words_of(a), words_of(b)
    common = Counter(w.stem for w in words_a) & Counter(w.stem for w in words_b)
    return _Sides(words_a, words_b, common, _rest(words_a, common), _rest(words_b, common))


def _rest(words: Sequence[ComparedWord], common: Counter[str]) -> tuple[ComparedWord, ...]:
    """Return the words missing in the other text, or less frequent there."""
    left = common.copy()
    rest = []
    for word in words:
        if left[word.stem] > 0:
            left[word.stem] -= 1
        else:
            rest.append(word)
    return tuple(rest)


def _low_high(name: str, a: float, b: float) -> dict[str, float]:
    return {f"{name}_low": min(a, b), f"{name}_high": max(a, b)}


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


def _spelling(pair: Compared) -> dict[str, float]:
    a, b = sorted((normalise(pair.a.text), normalise(pair.b.text)))
    return {
        "characters": fuzz.ratio(a, b) / 100,
        "words_sorted": fuzz.token_sort_ratio(a, b) / 100,
        "words_as_set": fuzz.token_set_ratio(a, b) / 100,
        "length_share": _share(min(len(a), len(b)), max(len(a), len(b))),
        "same_first_word": float(a.split(" ", 1)[0] == b.split(" ", 1)[0]),
        "both_ask": float(a.endswith("?")) + float(b.endswith("?")),
    }


def _weight(words: Sequence[ComparedWord]) -> float:
    return float(sum(w.weight for w in words))


def _shares(sides: _Sides) -> dict[str, float]:
    whole_a, whole_b = _weight(sides.a), _weight(sides.b)
    both = min(whole_a - _weight(sides.rest_a), whole_b - _weight(sides.rest_b))
    stems_a, stems_b = ({w.stem for w in words} for words in (sides.a, sides.b))
    heavy_a, heavy_b = ({w.stem for w in words if w.is_heavy} for words in (sides.a, sides.b))
    numbers_a, numbers_b = ({w.written for w in words if w.is_number} for words in (sides.a, sides.b))
    names_a, names_b = ({w.stem for w in words[1:] if w.is_capital} for words in (sides.a, sides.b))
    return {
        "n_words_low": min(len(sides.a), len(sides.b)),
        "n_words_high": max(len(sides.a), len(sides.b)),
        "stems": _jaccard(stems_a, stems_b),
        "heavy_stems": _jaccard(heavy_a, heavy_b),
        "weight_shared": _share(both, whole_a + whole_b - both),
        **_low_high("weight_covered", _share(both, whole_a), _share(both, whole_b)),
        "numbers": _jaccard(numbers_a, numbers_b) if numbers_a or numbers_b else ABSENT,
        "names": _jaccard(names_a, names_b) if names_a or names_b else ABSENT,
    }


def _jaccard(a: set[str], b: set[str]) -> float:
    return _share(len(a & b), len(a | b))


def _rests(sides: _Sides) -> dict[str, float]:
    heavy_a, heavy_b = ([w for w in rest if w.is_heavy] for rest in (sides.rest_a, sides.rest_b))
    return {
        **_low_high("n_rest", len(heavy_a), len(heavy_b)),
        **_low_high("rest_weight", _weight(sides.rest_a), _weight(sides.rest_b)),
        **_low_high("heaviest_rest", _heaviest(sides.rest_a), _heaviest(sides.rest_b)),
        **_low_high("n_light_rest", len(sides.rest_a) - len(heavy_a), len(sides.rest_b) - len(heavy_b)),
        "rest_spelling": _spelled_alike(heavy_a, heavy_b),
    }


def _heaviest(words: Sequence[ComparedWord]) -> float:
    return max((w.weight for w in words), default=0.0)


def _spelled_alike(a: Sequence[ComparedWord], b: Sequence[ComparedWord]) -> float:
    """Return the similarity in spelling of the words on one side only: near 1 for typing errors and inflections."""
    if not a or not b:
        return ABSENT
    one, two = sorted((" ".join(sorted(w.stem for w in a)), " ".join(sorted(w.stem for w in b))))
    return float(fuzz.ratio(one, two)) / 100


def _order(sides: _Sides) -> dict[str, float]:
    stems_a, stems_b = [w.stem for w in sides.a], [w.stem for w in sides.b]
    stems_a, stems_b = sorted((stems_a, stems_b))
    n_both = sum(sides.common.values())
    pairs_a, pairs_b = (Counter(pairwise(stems)) for stems in (stems_a, stems_b))
    n_pairs = max(1, min(len(stems_a), len(stems_b)) - 1)
    return {
        "in_order": _share(LCSseq.similarity(stems_a, stems_b), n_both),
        "neighbours": sum((pairs_a & pairs_b).values()) / n_pairs,
    }


_KINDS = {
    "value": (FactKind.NUMBER, FactKind.UNIT, FactKind.AMOUNT, FactKind.DATE, FactKind.VERSION),
    "identifier": (FactKind.IDENTIFIER,),
    "negation": (FactKind.NEGATION,),
    "strength": (FactKind.MODALITY, FactKind.QUANTIFIER, FactKind.FREQUENCY),
    "opposite": (FactKind.OPPOSITE,),
    "name": (FactKind.NAME,),
    "role": (FactKind.ROLE,),
    "term": (FactKind.TERM,),
}


def _guard_findings(pair: Compared) -> dict[str, float]:
    """Return the findings of the fact guard."""
    a, b = pair.a.text, pair.b.text
    comparison = facts.compare(a, b, pair.a.language)
    kinds = Counter(o.kind for o in comparison.objections)
    values = {f"objects_{name}": float(sum(kinds[k] for k in of)) for name, of in _KINDS.items()}
    values["objections"] = len(comparison.objections)
    values["adds"] = comparison.a_adds + comparison.b_adds
    values.update(_low_high("lost_facts", len(comparison.a_facts), len(comparison.b_facts)))
    values["moved"] = float(bool(facts.moved_words(a, b)))
    values["other_code"] = float(bool(facts.other_code(a, b)))
    return values | _paired(comparison)


def _paired(comparison: Comparison) -> dict[str, float]:
    how = Counter(c.relation for c in comparison.changes)
    n_all = max(1, len(comparison.changes))
    return {
        "equal_share": how[Pairing.EQUAL] / n_all,
        "conflict_share": how[Pairing.CONFLICT] / n_all,
        "reworded_share": how[Pairing.REWORDED] / n_all,
        **_low_high("alone_share", how[Pairing.INSERTED] / n_all, how[Pairing.DELETED] / n_all),
    }


def _fields(pair: Compared) -> dict[str, float]:
    """Return the agreement of named values; ABSENT where neither side has any."""
    a, b = dict(pair.a.fields), dict(pair.b.fields)
    if not a and not b:
        return dict.fromkeys(_FIELD_NAMES, ABSENT)
    both = sorted(a.keys() & b.keys())
    equal = [normalise(a[name]) == normalise(b[name]) for name in both]
    alike = [fuzz.token_sort_ratio(*sorted((normalise(a[n]), normalise(b[n])))) / 100 for n in both]
    values = (sum(equal), len(both) - sum(equal), len(a.keys() ^ b.keys()), min(alike, default=ABSENT))
    return dict(zip(_FIELD_NAMES, map(float, values), strict=True))


_FIELD_NAMES = ("fields_equal", "fields_different", "fields_one_sided", "fields_least_alike")


def _embedded(pair: Compared, sides: _Sides) -> dict[str, float]:
    """Return the similarity of each word to the nearest of the other text, as embedded in its place."""
    near = pair.near
    if near is None or not sides.a or not sides.b:
        return dict.fromkeys(_SEEN_NAMES, ABSENT)
    sides_met = [_met(sides.a, sides.rest_a, near.max(axis=1)), _met(sides.b, sides.rest_b, near.max(axis=0))]
    values: dict[str, float] = {}
    for name in _MET_NAMES:
        values.update(_low_high(f"seen_{name}", sides_met[0][name], sides_met[1][name]))
    stem_a, stem_b = np.array([w.stem for w in sides.a]), np.array([w.stem for w in sides.b])
    same = [(w, near[n, stem_b == w.stem].max()) for n, w in enumerate(sides.a) if w.is_heavy and w.stem in stem_b]
    back = [(w, near[stem_a == w.stem, n].max()) for n, w in enumerate(sides.b) if w.is_heavy and w.stem in stem_a]
    similarities = [float(s) for _, s in (*same, *back)]
    values["seen_same_least"] = min(similarities, default=ABSENT)
    values["seen_same_mean"] = sum(sorted(similarities)) / len(similarities) if similarities else ABSENT
    return values


def _met(words: Sequence[ComparedWord], rest: Sequence[ComparedWord], best: NDArray[np.float64]) -> dict[str, float]:
    weights = np.array([w.weight for w in words]) + 0.01
    heavy = np.sort(best[[w.is_heavy for w in words]])
    in_rest = set(rest)
    own = np.sort([b for w, b in zip(words, best.tolist(), strict=True) if w in in_rest and w.is_heavy])
    return {
        "mean": float((best * weights).sum() / weights.sum()),
        "least": float(heavy[0]) if len(heavy) else ABSENT,
        "second": float(heavy[1]) if len(heavy) > 1 else ABSENT,
        "rest_least": float(own[0]) if len(own) else 1.0,
        "rest_mean": float(own.mean()) if len(own) else 1.0,
    }


_MET_NAMES = ("mean", "least", "second", "rest_least", "rest_mean")
_SEEN_NAMES = (
    *(f"seen_{name}_{end}" for name in _MET_NAMES for end in ("low", "high")),
    "seen_same_least",
    "seen_same_mean",
)

NAMES: tuple[str, ...] = (
    "similarity",
    *("characters", "words_sorted", "words_as_set", "length_share", "same_first_word", "both_ask"),
    *("n_words_low", "n_words_high", "stems", "heavy_stems", "weight_shared"),
    *("weight_covered_low", "weight_covered_high", "numbers", "names"),
    *("n_rest_low", "n_rest_high", "rest_weight_low", "rest_weight_high", "heaviest_rest_low", "heaviest_rest_high"),
    *("n_light_rest_low", "n_light_rest_high", "rest_spelling", "in_order", "neighbours"),
    *(f"objects_{name}" for name in _KINDS),
    *("objections", "adds", "lost_facts_low", "lost_facts_high", "moved", "other_code"),
    *("equal_share", "conflict_share", "reworded_share", "alone_share_low", "alone_share_high"),
    *_FIELD_NAMES,
    *_SEEN_NAMES,
)
"""Every feature, in the order in which trees count them."""
