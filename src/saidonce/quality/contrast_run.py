"""Flow: a text of the user's is altered, in exactly one fact or in none, and the pairs go up the ladder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from saidonce.errors import SourceRefusedError, UsageError
from saidonce.foundation import text
from saidonce.foundation.context import Source
from saidonce.foundation.model import Candidate, Kind, Match, Outcome, Verdict
from saidonce.foundation.ports import Embedder, Parser
from saidonce.foundation.settings.policy import Policy
from saidonce.matching.guards import guards_of
from saidonce.matching.ladder import Case, decide
from saidonce.matching.vectors import canonical_cosine
from saidonce.quality.contrast import Contrast, contrasts
from saidonce.quality.figures import Rate, rate

BATCH = 256


@dataclass(frozen=True, slots=True)
class JudgedContrast:
    """A contrast and what the ladder makes of it; by cosine alone it is a duplicate if `is_near`."""

    contrast: Contrast
    verdict: Verdict
    is_near: bool


@dataclass(frozen=True, slots=True)
class ContrastLine:
    """How many contrasts of one kind end as duplicates, with the guards and by cosine alone.

    Attributes:
        relation: "changed" (one fact differs: duplicates are false merges) or "rewritten" (none does).
        kind: what was altered, or "all".
    """

    relation: str
    level: str
    kind: str
    guarded: Rate
    cosine: Rate


def paragraphs(parser: Parser, sources: Iterable[Source]) -> list[str]:
    """Running text of all sources in order, repeats left out; refused ones are passed over.

    Raises:
        UsageError: no source gives any text.
    """
    found: dict[str, None] = {}
    for _, result in parser.map((s.name, s.read()) for s in sources):
        if not isinstance(result, SourceRefusedError):
            found.update((e.text, None) for e in result.elements if e.kind in (Kind.PARAGRAPH, Kind.LIST))
    if not found:
        raise UsageError("there is no running text to alter; give a file or folder with English paragraphs")
    return list(found)


def choose(texts: Sequence[str], seed: int, limit: int) -> list[Contrast]:
    """Choose contrasts, at most `limit` of each relation, level and kind, spread by hash over all texts."""
    by_group: dict[tuple[str, str, str], list[tuple[str, Contrast]]] = {}
    for contrast in contrasts(texts, seed):
        key = (contrast.relation, contrast.level, contrast.kind)
        order = text.digest(str(seed), contrast.original, contrast.altered)
        by_group.setdefault(key, []).append((order, contrast))
    return [c for key in sorted(by_group) for _, c in sorted(by_group[key], key=lambda item: item[0])[:limit]]


def judge(
    chosen: Sequence[Contrast], embedder: Embedder, policy: Policy, on_pairs: Callable[[int], None]
) -> list[JudgedContrast]:
    """Judge every contrast: the altered text is the candidate, the original is kept."""
    done: list[JudgedContrast] = []
    for start in range(0, len(chosen), BATCH):
        batch = chosen[start : start + BATCH]
        texts = list(dict.fromkeys(t for c in batch for t in (c.original, c.altered)))
        vectors = dict(zip(texts, embedder.embed(texts), strict=True))
        for c in batch:
            similarity = canonical_cosine(vectors[c.altered], vectors[c.original])
            kept, candidate = (Candidate(t, text.content_hash(t), language="en") for t in (c.original, c.altered))
            verdict = decide(Case(candidate, (Match("original", similarity, kept),), policy, guards_of(policy)))
            done.append(JudgedContrast(c, verdict, similarity >= policy.duplicate_from))
        on_pairs(len(batch))
    return done


def report(judged: Sequence[JudgedContrast]) -> list[ContrastLine]:
    """Count duplicates by relation, level and kind; a line "all" closes each relation and level."""
    keys = Counter((j.contrast.relation, j.contrast.level, j.contrast.kind) for j in judged)
    lines = []
    for relation, level in sorted({key[:2] for key in keys}):
        kinds = sorted(kind for r, lv, kind in keys if (r, lv) == (relation, level))
        for kind in (*kinds, "all"):
            of = [
                j
                for j in judged
                if (j.contrast.relation, j.contrast.level) == (relation, level) and kind in ("all", j.contrast.kind)
            ]
            guarded = rate(sum(j.verdict.outcome is Outcome.DUPLICATE for j in of), len(of))
            lines.append(ContrastLine(relation, level, kind, guarded, rate(sum(j.is_near for j in of), len(of))))
    return lines


def wrong(judged: Sequence[JudgedContrast]) -> Iterator[dict[str, object]]:
    """Contrasts that ended on the wrong side, for reading."""
    for j in judged:
        merged = j.verdict.outcome is Outcome.DUPLICATE
        if merged == (j.contrast.relation == "changed"):
            c = j.contrast
            told = [{"kind": o.kind, "a": o.a.text, "b": o.b.text} for o in j.verdict.objections]
            yield {
                "relation": c.relation, "level": c.level, "kind": c.kind, "original": c.original,
                "altered": c.altered, "similarity": j.verdict.similarity, "objections": told,
            }  # fmt: skip
