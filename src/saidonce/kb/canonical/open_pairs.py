"""Open pairs: flags that wait for a person, with their blocks as stored now, and as questions to an adjudicator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import Flag, Kept, Match, Question, Shown, Vector
from saidonce.kb.canonical.borne_out import borne_out_by, guards_in_force
from saidonce.kb.canonical.match import KEPT_APART, hash_pair
from saidonce.kb.canonical.rebuild_blocks import embedding_key
from saidonce.matching.ladder import first_objection
from saidonce.matching.vectors import canonical_cosine


@dataclass(frozen=True, slots=True)
class OpenPair:
    """An open flag with its blocks as stored now.

    Attributes:
        others: blocks compared with the candidate, best first, without its own and those whose text a decision
            keeps apart from its text.
        parted: ids of others with some other text that is kept apart from one of the candidate's block.
        hashes: content hash of the candidate's text, then those of all blocks it was compared with, sorted.
    """

    flag: Flag
    candidate: Kept
    others: tuple[Kept, ...]
    parted: frozenset[str]
    hashes: tuple[str, ...]

    @property
    def texts(self) -> str:
        """Name of the texts that an adjudicator is asked about; other texts have another name."""
        compared = sorted({other.candidate.content_hash for other in self.others})
        return text.digest("doubt", self.candidate.candidate.content_hash, *compared)


def load_open_pairs(context: Context, flags: Sequence[Flag]) -> tuple[OpenPair, ...]:
    """Return flags of one collection with their blocks, without those that have no block left to compare."""
    if not flags:
        return ()
    ledger = context.store.ledger
    kept = ledger.kept(sorted({id_ for f in flags for id_ in (f.candidate, *(n.id for n in f.near))}))
    hashes = {h for f in flags if f.candidate in kept for h in kept[f.candidate].hashes}
    apart = ledger.apart(flags[0].collection, sorted(hashes))
    pairs = [_open_pair(f, kept, apart) for f in flags if f.candidate in kept]
    return tuple(pair for pair in pairs if pair.others)


def questions(context: Context, pairs: Sequence[OpenPair]) -> list[Question]:
    """Return the questions of open pairs, in their order, with the objections of the guards in force."""
    vectors = vectors_of(context, [k.candidate.text for d in pairs for k in (d.candidate, *d.others)])
    return [
        Question(d.candidate.candidate, tuple(_shown_pair(context, d, other, vectors) for other in d.others))
        for d in pairs
    ]


def vectors_of(context: Context, texts: Sequence[str]) -> dict[str, Vector]:
    """Return the vectors of texts, by text; those of kept texts are stored."""
    keys = {each: embedding_key(context.embedder.model, each) for each in texts}
    known = context.store.known_vectors(sorted(keys.values()))
    missing = sorted(each for each, key in keys.items() if key not in known)
    fresh = dict(zip(missing, context.embedder.embed(missing), strict=True)) if missing else {}
    return {each: known[key] if key in known else fresh[each] for each, key in keys.items()}


def _open_pair(flag: Flag, kept: Mapping[str, Kept], apart: frozenset[tuple[str, str]]) -> OpenPair:
    mine = kept[flag.candidate]
    ids = dict.fromkeys(n.id for n in flag.near if n.id != mine.id and n.id in kept)
    compared = [kept[id_] for id_ in ids]
    own = mine.candidate.content_hash
    others = tuple(k for k in compared if hash_pair(own, k.candidate.content_hash) not in apart)
    parted = frozenset(k.id for k in others if any(hash_pair(a, b) in apart for a in mine.hashes for b in k.hashes))
    hashes = sorted({k.candidate.content_hash for k in compared})
    return OpenPair(flag, mine, others, parted, (own, *hashes))


def _shown_pair(context: Context, pair: OpenPair, other: Kept, vectors: Mapping[str, Vector]) -> Shown:
    mine = pair.candidate.candidate
    similarity = canonical_cosine(vectors[mine.text], vectors[other.candidate.text])
    match = Match(other.id, similarity, other.candidate, other.hashes)
    if other.id in pair.parted:
        return Shown(match, (KEPT_APART,))
    objections = first_objection(guards_in_force(context), mine, other.candidate)
    return Shown(match, objections, borne_out_by(context, mine, other.candidate) if objections else "")
