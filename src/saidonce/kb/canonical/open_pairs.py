"""What waits for a person as it stands now, and as a question to an adjudicator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import FactKind, Flag, Kept, Match, Objection, Question, Shown, Span, Vector
from saidonce.kb.canonical.match import guards_in_force
from saidonce.kb.canonical.rebuild_blocks import embedding_key
from saidonce.matching.ladder import first_objection
from saidonce.matching.vectors import canonical_cosine


@dataclass(frozen=True, slots=True)
class OpenPair:
    """An open flag with the blocks it is about, as they stand.

    Attributes:
        others: blocks that the candidate was compared with, best first; not its own, nor those whose text a decision
            keeps apart from its text.
        parted: ids of others of which some other text is kept apart from one of the candidate's block.
        hashes: content hash of the candidate's text, then those of all blocks it was compared with, sorted.
    """

    flag: Flag
    candidate: Kept
    others: tuple[Kept, ...]
    parted: frozenset[str]
    hashes: tuple[str, ...]

    @property
    def texts(self) -> str:
        """Names the texts that an adjudicator is asked about; another text has another name."""
        asked = sorted({other.candidate.content_hash for other in self.others})
        return text.digest("doubt", self.candidate.candidate.content_hash, *asked)


def doubts(context: Context, flags: Sequence[Flag]) -> tuple[OpenPair, ...]:
    """Give flags of one collection with their blocks; those that nothing is left to ask about are left out."""
    if not flags:
        return ()
    ledger = context.store.ledger
    kept = ledger.kept(sorted({id_ for f in flags for id_ in (f.candidate, *(n.id for n in f.near))}))
    hashes = {h for f in flags if f.candidate in kept for h in kept[f.candidate].hashes}
    apart = ledger.apart(flags[0].collection, sorted(hashes))
    found = [_doubt(f, kept, apart) for f in flags if f.candidate in kept]
    return tuple(doubt for doubt in found if doubt.others)


def questions(context: Context, asked: Sequence[OpenPair]) -> list[Question]:
    """Put doubts as questions, in their order, with what the guards in force say of each pair."""
    vectors = vectors_of(context, [k.candidate.text for d in asked for k in (d.candidate, *d.others)])
    return [
        Question(d.candidate.candidate, tuple(_shown(context, d, other, vectors) for other in d.others)) for d in asked
    ]


def vectors_of(context: Context, texts: Sequence[str]) -> dict[str, Vector]:
    """Vectors of texts by text; those of kept texts are stored."""
    keys = {each: embedding_key(context.embedder.model, each) for each in texts}
    known = context.store.known_vectors(sorted(keys.values()))
    missing = sorted(each for each, key in keys.items() if key not in known)
    fresh = dict(zip(missing, context.embedder.embed(missing), strict=True)) if missing else {}
    return {each: known[key] if key in known else fresh[each] for each, key in keys.items()}


def _doubt(flag: Flag, kept: Mapping[str, Kept], apart: frozenset[tuple[str, str]]) -> OpenPair:
    mine = kept[flag.candidate]
    ids = dict.fromkeys(n.id for n in flag.near if n.id != mine.id and n.id in kept)
    compared = [kept[id_] for id_ in ids]
    own = mine.candidate.content_hash
    others = tuple(k for k in compared if _pair(own, k.candidate.content_hash) not in apart)
    parted = frozenset(k.id for k in others if any(_pair(a, b) in apart for a in mine.hashes for b in k.hashes))
    hashes = sorted({k.candidate.content_hash for k in compared})
    return OpenPair(flag, mine, others, parted, (own, *hashes))


def _pair(a: str, b: str) -> tuple[str, str]:
    return min(a, b), max(a, b)


def _shown(context: Context, doubt: OpenPair, other: Kept, vectors: Mapping[str, Vector]) -> Shown:
    mine = doubt.candidate.candidate
    similarity = canonical_cosine(vectors[mine.text], vectors[other.candidate.text])
    if other.id in doubt.parted:
        said = Span(0, 0, "kept apart from a text of this block")
        told: tuple[Objection, ...] = (Objection(FactKind.DECISION, Span(0, 0, ""), said),)
    else:
        told = first_objection(guards_in_force(context), mine, other.candidate)
    return Shown(Match(other.id, similarity, other.candidate, other.hashes), told)
