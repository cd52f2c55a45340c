"""Measure a local judge: errors, ranking and coverage on sources that it was not trained on.

    python -m benchmarks.adjudication [--rows N] [--skip N] [--judge FOLDER] [--only shipped,own,stream] [--json]

*Shipped*: the judge in the package, which saw no row of any of these sources. *Trained on the other half*: what your
own labels would give; never shipped. Cosine's thresholds are chosen on the very pairs they are measured on, which
favours cosine.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.adjudication_features import matrix
from benchmarks.adjudication_rows import Row, base_rows, framed, gate_rows, read
from saidonce.adapters.embed.minilm import MiniLM
from saidonce.adjudication.local_judge import NAMES, Labelled, LocalJudge, TrainingOptions, load
from saidonce.adjudication.local_judge.artefact import Artefact
from saidonce.adjudication.local_judge.calibration import Cuts, auc
from saidonce.adjudication.local_judge.training import grown, planted
from saidonce.foundation.model import Candidate, Match, Opinion, Outcome
from saidonce.foundation.settings.policy import GATE
from saidonce.foundation.text import content_hash, digest
from saidonce.matching.guards import guards_of
from saidonce.matching.ladder import Case, ask
from saidonce.matching.vectors import canonical_cosine

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

OWN_CUTS = Cuts(0.1, 0.9)

OBJECTIONS = NAMES.index("objections")


@dataclass(frozen=True)
class Band:
    """Pairs inside a band of similarity."""

    name: str
    source: NDArray[np.str_]
    same: Bools
    rows: Floats

    @property
    def similarity(self) -> Floats:
        return self.rows[:, 0]

    def of(self, chosen: Bools) -> Band:
        return Band(self.name, self.source[chosen], self.same[chosen], self.rows[chosen])


def band(name: str, rows: Sequence[Row], low: float, high: float) -> Band:
    """Return the pairs of a set whose similarity lies in [low, high)."""
    seen = matrix(rows)
    inside = (seen[:, 0] >= low) & (seen[:, 0] < high)
    return Band(name, np.array([r.source for r in rows]), np.array([r.same for r in rows]), seen).of(inside)


def least_errors(scores: Floats, same: Bools) -> int:
    """Return the errors of the best single threshold, chosen on these pairs."""
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
    wrong_above, missed = np.cumsum(~same[order])[ends], same.sum() - np.cumsum(same[order])[ends]
    return int(min(same.sum(), (wrong_above + missed).min()))


def least_errors_at(scores: Floats, same: Bools, n_decided: int) -> int:
    """Return the errors of the best two thresholds that decide so many pairs, chosen on these pairs."""
    ranked = same[np.argsort(scores, kind="stable")]
    duplicates_below = np.concatenate([[0], np.cumsum(ranked)])
    distinct_above = np.concatenate([[0], np.cumsum(~ranked[::-1])])
    return int(min(duplicates_below[n] + distinct_above[n_decided - n] for n in range(n_decided + 1)))


def last_fifth(scores: Floats, same: Bools) -> float:
    """Return the share of duplicates in the last fifth of a queue ordered by a score, likeliest first."""
    order = np.argsort(-scores, kind="stable")
    return float(same[order][-max(1, len(same) // 5) :].mean())


def blocked_and_let_through(is_blocked: Bools, same: Bools) -> tuple[float, float]:
    """Return the distinct pairs blocked, and the duplicates let through, per 100 of each."""
    return 100 * float(is_blocked[~same].mean()), 100 * float((~is_blocked)[same].mean())


def gates(of: Band, p: Floats, ends: Cuts) -> dict[str, tuple[float, float]]:
    """Return the effect of each gate on the pairs of a band: valid blocked, duplicates let through."""
    cosine, same = of.similarity, of.same
    best = min((((cosine >= t) != same).sum(), t) for t in np.unique(cosine))[1]
    objected = of.rows[:, OBJECTIONS] > 0
    return {
        "all blocked (cosine .75)": blocked_and_let_through(cosine >= 0.75, same),
        "cosine .80": blocked_and_let_through(cosine >= 0.80, same),
        f"cosine, best ({best:.3f})": blocked_and_let_through(cosine >= best, same),
        "guards clear": blocked_and_let_through(~objected, same),
        "local judge, unsure blocked": blocked_and_let_through(p > ends.low, same),
        "local judge, forced (p .5)": blocked_and_let_through(p >= 0.5, same),
    }


def figures(of: Band, p: Floats, ends: Cuts) -> dict[str, Any]:
    """Return all metrics of a judge over one band."""
    decided = (p >= ends.high) | (p <= ends.low)
    wrong = int(((p >= ends.high) != of.same)[decided].sum())
    n_decided = int(decided.sum())
    return {
        "pairs": len(of.same),
        "duplicates": int(of.same.sum()),
        "auc cosine": auc(of.similarity.tolist(), of.same.tolist()),
        "auc judge": auc(p.tolist(), of.same.tolist()),
        "errors cosine, best threshold": least_errors(of.similarity, of.same),
        "errors judge, p .5": int(((p >= 0.5) != of.same).sum()),
        "errors judge, best threshold": least_errors(p, of.same),
        "decided": n_decided,
        "errors judge, decided": wrong,
        "errors cosine, as many decided": least_errors_at(of.similarity, of.same, n_decided),
        "last fifth by cosine": last_fifth(of.similarity, of.same),
        "last fifth by judge": last_fifth(p, of.same),
    }


def shipped(of: Band, judge: Artefact) -> Floats:
    """Return the probabilities by the judge in the package."""
    return np.array([judge.calibration.probability(judge.forest.score(row)) for row in of.rows])


def inside(of: Band) -> Floats:
    """Return probabilities by trees trained on the other half of every source, as with an organisation's own labels."""
    p = np.zeros(len(of.same))
    half = np.arange(len(of.same)) % 2 == 0
    for here in (half, ~half):
        trees = planted(grown(Labelled(of.rows[~here], tuple(of.same[~here].tolist()), ()), TrainingOptions()))
        p[here] = 1 / (1 + np.exp(-np.array([trees.score(row) for row in of.rows[here]])))
    return p


_AUCS = ("auc cosine", "auc judge")


def band_figures(name: str, of: Band, p: Floats, ends: Cuts) -> dict[str, Any]:
    """Return the figures of a band and of each of its sources, and the effect of each gate."""
    by_source = {
        source: {
            "pairs": int((of.source == source).sum()),
            "auc cosine": auc(of.similarity[of.source == source].tolist(), of.same[of.source == source].tolist()),
            "auc judge": auc(p[of.source == source].tolist(), of.same[of.source == source].tolist()),
        }
        for source in np.unique(of.source).tolist()
    }
    both = [s for s in by_source if len(set(of.same[of.source == s].tolist())) == 2]
    means = {f"mean of sources, {auc_of}": float(np.mean([by_source[s][auc_of] for s in both])) for auc_of in _AUCS}
    return {
        "judge": name,
        "set": of.name,
        **figures(of, p, ends),
        **means,
        "gates": gates(of, p, ends),
        "sources": by_source,
    }


def _text(report: dict[str, Any]) -> str:
    lines = [f"== {report['set']}: {report['judge']}"]
    for name, value in report.items():
        if name in ("judge", "set", "gates", "sources"):
            continue
        lines.append(f"  {name:<34}{value:>9.3f}" if isinstance(value, float) else f"  {name:<34}{value:>9}")
    lines.append(f"  {'':<34}{'valid blocked':>14}{'duplicates let through':>24}   per 100")
    lines += [f"  {name:<34}{a:>14.1f}{b:>24.1f}" for name, (a, b) in report["gates"].items()]
    lines += [
        f"  {source:<34}{of['pairs']:>6} pairs, AUC cosine {of['auc cosine']:.3f}, judge {of['auc judge']:.3f}"
        for source, of in report["sources"].items()
    ]
    return "\n".join(lines)


N_STREAM = 1_200


def stream(judge: Artefact, pairs: tuple[str, ...], scaffold: bool) -> dict[str, Any]:
    """Return how many candidates would reach a model, arriving one by one at a gate that keeps all earlier ones.

    Args:
        judge: judge of the pairs that are near enough.
        pairs: sets of look-alike pairs mixed in, whose texts each have a deliberate partner.
        scaffold: persona and task are part of the embedded text; otherwise they are fields.
    """
    rows = [framed(Row(source, "", text, "", same=False)) for source, text in _arriving(pairs)]
    if not scaffold:
        rows = [replace(r, a=r.a.split(": ", 1)[1]) for r in rows]
    model = MiniLM()
    local, policy = LocalJudge(model, judge), replace(GATE, asks=True, asks_above=True, may_rule=frozenset(Outcome))
    vectors = model.embed([r.a for r in rows])
    candidates = [Candidate(r.a, content_hash(r.a), language="en", fields=r.fields_a) for r in rows]
    n_asked: Counter[str] = Counter()
    for n in range(1, len(rows)):
        near = vectors[:n] @ vectors[n]
        top = np.argsort(-near, kind="stable")[: policy.k]
        matches = tuple(Match(str(m), canonical_cosine(vectors[n], vectors[m]), candidates[m]) for m in top.tolist())
        question = ask(Case(candidates[n], matches, policy, guards_of(policy)))
        n_asked["settled without asking" if question is None else local.rule([question])[0].opinion] += 1
    shares = {name: n / (len(rows) - 1) for name, n in n_asked.items()}
    reaches = shares.get(Opinion.UNSURE, 0.0)
    return {
        "candidates": len(rows),
        "near enough to ask": 1 - shares["settled without asking"],
        "reach a model": reaches,
    }


def _arriving(sources: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the texts of all sources, each once, ordered by hash."""
    texts = {q["question"]: "clusters" for c in read("question_clusters") for q in c["questions"]}
    texts |= {r["text"]: "utterances" for r in read("service_utterances")}
    texts |= {r["text"]: "vsaq" for r in read("kb_vsaq")}
    texts |= {d["turns"][0]["text"]: "dialogues" for d in read("dialogues")}
    pairs = [r for r in read("pairs") if r["source"] in sources]
    texts |= {t: r["source"] for r in pairs for t in (r["a"], r["b"])}
    return [(texts[text], text) for text in sorted(texts, key=digest)[:N_STREAM]]


def _bands(most: int, skip: int) -> list[Band]:
    gate = gate_rows(most, skip)
    return [
        band("gate, similarity .75 and above", gate, 0.75, 1.01),
        band("gate, band .75 to .80", gate, 0.75, 0.80),
        band("base, gray zone .82 to .94", base_rows(2 * most // 3), 0.82, 0.94),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=450, help="most rows a source and label")
    parser.add_argument("--skip", type=int, default=0, help="pass over so many rows of each source and label first")
    parser.add_argument("--judge", default="shipped")
    parser.add_argument("--only", default="shipped,own,stream", help="which parts to print")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    judge = load(options.judge)
    bands = _bands(options.rows, options.skip) if options.only != "stream" else []
    reports: list[dict[str, Any]] = []
    if "shipped" in options.only:
        reports += [band_figures("shipped", of, shipped(of, judge), judge.cuts) for of in bands]
    if "own" in options.only:
        reports += [band_figures("trained on the other half", of, inside(of), OWN_CUTS) for of in bands]
    for report in reports:
        print(json.dumps(report) if options.json else _text(report), flush=True)
    if "stream" in options.only:
        for pairs in ((), ("mqp", "parade")):
            for scaffold in (True, False):
                shares = stream(judge, pairs, scaffold)
                print(json.dumps({"look-alike sets": pairs, "scaffold embedded": scaffold, **shares}), flush=True)


if __name__ == "__main__":
    main()
