"""Convert people's decisions about pairs of a base to labelled pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from saidonce.foundation.context import Context
from saidonce.foundation.model import POLICY, Candidate, Decision, Segment, Verb
from saidonce.foundation.settings.policy import CANONICAL, Policy
from saidonce.quality.calibrate import Scored, documents, lenient, scored
from saidonce.quality.pairs import BATCH, LabelledPair, judged_pair

SAYING = (Verb.MERGE, Verb.KEEP_APART, Verb.CONFLICT, Verb.SPLIT, Verb.AUDIT)
"""Verbs that decide whether texts may share a block. A dismissed flag does not."""


@dataclass(frozen=True, slots=True)
class DecidedPairs:
    """Pairs decided by people, oldest decision first.

    Attributes:
        documents: for each pair, the documents of its texts.
        n_gone: pairs that can no longer be judged, since a document was removed with its text.
    """

    pairs: tuple[LabelledPair, ...]
    documents: tuple[tuple[str, ...], ...]
    n_gone: int


def decided(context: Context) -> DecidedPairs:
    """Return people's rulings from decisions in force, on texts still in the base.

    A merge, or an audit that confirms one, labels two texts as duplicates; keeping apart, a conflict, a split or an
    audit that rejects a merge labels them as distinct. The ladder's own decisions do not count: they are under test.
    """
    log = [d for d in context.store.ledger.log() if d.live]
    ruling = [d for d in log if d.verb in SAYING and d.actor != POLICY]
    segments = _segments(context, {m for d in log if d.verb in SAYING for m in d.members})
    by_hash: dict[tuple[str, str], str] = {}
    for decision in log:
        for id_ in decision.members:
            if id_ in segments:
                by_hash.setdefault((decision.collection, segments[id_][0].content_hash), id_)
    pairs, where, n_gone = [], [], 0
    for decision in ruling:
        for place, (a, b) in enumerate(_couples(decision, by_hash)):
            if a not in segments or b not in segments:
                n_gone += 1
                continue
            if segments[a][0].content_hash == segments[b][0].content_hash and not _joins(decision):
                continue  # Equal words held apart are a statement about their places, not about the words.
            name = f"decision {decision.seq}" + (f", pair {place + 1}" if place else "")
            pairs.append(_pair(name, decision, segments[a][0], segments[b][0]))
            where.append(documents({"doc_a": segments[a][1], "doc_b": segments[b][1], "source": decision.collection}))
    return DecidedPairs(tuple(pairs), tuple(where), n_gone)


def score_decided(
    context: Context, decisions: DecidedPairs, on_pairs: Callable[[int], None], policy: Policy = CANONICAL
) -> list[Scored]:
    """Embed and judge decided pairs, in order.

    Args:
        context: wired ports.
        decisions: see `decided`.
        on_pairs: called with the number of pairs done since the last call.
        policy: the use case, with its guards.
    """
    done: list[Scored] = []
    for start in range(0, len(decisions.pairs), BATCH):
        batch = decisions.pairs[start : start + BATCH]
        texts = list(dict.fromkeys(side.text for pair in batch for side in (pair.a, pair.b)))
        vectors = dict(zip(texts, context.embedder.embed(texts), strict=True))
        for pair, named in zip(batch, decisions.documents[start : start + BATCH], strict=True):
            done.append(scored(judged_pair(pair, vectors, lenient(policy), context.judge), policy, named))
        on_pairs(len(batch))
    return done


def _segments(context: Context, ids: Iterable[str]) -> dict[str, tuple[Segment, str]]:
    """Return the segments of current and former versions with the names of their documents, by id."""
    names = sorted(ids)
    live = context.store.ledger.members(names)
    segments = {id_: (m.segment, m.document) for id_, m in live.items()}
    for id_ in names:
        if id_ not in live and (history := context.store.history(id_)):
            segments[id_] = (history[-1].segment, history[-1].document.name)
    return segments


def _couples(decision: Decision, by_hash: dict[tuple[str, str], str]) -> Iterator[tuple[str, str]]:
    """Yield the ids of the texts in a decision; a split identifies the remaining ones by hash."""
    if decision.verb is Verb.SPLIT:
        for hashes in decision.detail.pairs:
            a, b = (by_hash.get((decision.collection, each), "") for each in hashes)
            yield a, b
        return
    first, *others = decision.members
    for other in others:
        yield first, other


def _pair(name: str, decision: Decision, a: Segment, b: Segment) -> LabelledPair:
    return LabelledPair(name, _candidate(a), _candidate(b), decision.verb, _joins(decision), decision.collection)


def _joins(decision: Decision) -> bool:
    return decision.verb is Verb.MERGE or decision.detail.wrong is False


def _candidate(s: Segment) -> Candidate:
    return Candidate(
        s.text, s.content_hash, s.kind, s.language, s.section_role, s.rows, place=s.place, section=s.section
    )
