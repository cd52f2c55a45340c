"""A local adjudicator: decision trees in process, without network, that may be unsure."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from saidonce.adjudication.local_judge.artefact import SHIPPED, Artefact, load
from saidonce.adjudication.local_judge.nli import Contradictions
from saidonce.adjudication.local_judge.stated_otherwise import in_words, stated_otherwise
from saidonce.errors import ArtefactError, EmbeddingError
from saidonce.foundation.model import Failure, Objection, Opinion, Question, Ruling
from saidonce.foundation.ports import Embedder, PieceEmbedder
from saidonce.matching.likeness.features import Compared, features
from saidonce.matching.likeness.words import Pieces, nearness

LONGEST = 20_000
"""Characters above which a text is not judged: comparing word by word would take too long."""


@dataclass(frozen=True, slots=True)
class MatchProbability:
    """One match of a question with its probability; None for a text too long to judge."""

    id: str
    probability: float | None
    objections: tuple[Objection, ...]


class LocalJudge:
    """A local adjudicator: equal questions get equal rulings, in any batch, order and process.

    DUPLICATE of the match with the highest probability if it reaches the artefact's `high` cut-off and no guard
    objects to it. DISTINCT if every match is at or below `low`, or if all are below `high` and each contradicts a
    statement of the candidate, which the reason then quotes. Unsure otherwise.
    """

    def __init__(
        self,
        embedder: Embedder,
        artefact: Artefact | str | Path = SHIPPED,
        contradictions: Contradictions | None = None,
    ) -> None:
        """Create a judge.

        Args:
            embedder: source of the similarities in its questions.
            artefact: a trained judge, its folder, or "shipped".
            contradictions: a local model that may veto a DUPLICATE.

        Raises:
            ArtefactError: the artefact cannot be read, or was trained with another embedder.
        """
        self._artefact = artefact if isinstance(artefact, Artefact) else load(artefact)
        if self._artefact.embedder != embedder.model:
            raise ArtefactError(
                self._artefact.name,
                f"it was trained on similarities of {self._artefact.embedder!r}, not of {embedder.model!r}; choose "
                "that embedder, or train a judge of your own with 'saidonce adjudicator train'",
            )
        self._embedder = embedder
        self._contradictions = contradictions

    @property
    def name(self) -> str:
        """Name and fingerprint: judges of equal names give equal rulings."""
        veto = f"+{self._contradictions.name}" if self._contradictions else ""
        return self._artefact.name + veto

    @property
    def artefact(self) -> Artefact:
        """The trained judge."""
        return self._artefact

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """Rule on each question, in input order; a failing embedder is a ruling with its failure."""
        return tuple(self._ruled(question) for question in questions)

    def proba(self, question: Question) -> float:
        """Return the probability that the candidate repeats its likeliest match, 0..1, to sort a queue by.

        A match too long to judge counts as its similarity.

        Raises:
            EmbeddingError: the embedder failed.
        """
        similarity = {s.match.id: s.match.similarity for s in question.shown}
        probabilities = [
            j.probability if j.probability is not None else max(0.0, similarity[j.id]) for j in self.judged(question)
        ]
        return max(probabilities)

    def judged(self, question: Question) -> tuple[MatchProbability, ...]:
        """Return the probability of each shown match, in order.

        Raises:
            EmbeddingError: the embedder failed.
        """
        texts = [question.candidate.text, *(s.match.kept.text for s in question.shown)]
        short = list(dict.fromkeys(t for t in texts if len(t) <= LONGEST))
        pieces: Mapping[str, Pieces] = {}
        if isinstance(self._embedder, PieceEmbedder):
            pieces = dict(zip(short, self._embedder.embed_pieces(short), strict=True))
        return tuple(
            MatchProbability(shown.match.id, self._probability(question, n, pieces), shown.objections)
            for n, shown in enumerate(question.shown)
        )

    def _probability(self, question: Question, n: int, pieces: Mapping[str, Pieces]) -> float | None:
        match, candidate = question.shown[n].match, question.candidate
        if len(candidate.text) > LONGEST or len(match.kept.text) > LONGEST:
            return None
        a, b = candidate.text, match.kept.text
        near = nearness(a, b, pieces[a], pieces[b]) if pieces else None
        row = features(Compared(candidate, match.kept, match.similarity, near))
        return self._artefact.calibration.probability(self._artefact.forest.score(row))

    def _ruled(self, question: Question) -> Ruling:
        start = time.perf_counter()
        try:
            matches = self.judged(question)
            opinion, of, reason, confidence = self._opinion(question, matches)
        except EmbeddingError as failed:
            took = round(1_000 * (time.perf_counter() - start))
            return Ruling(
                Opinion.UNSURE, reason=str(failed), adjudicator=self.name, duration_ms=took, failure=Failure.UNREACHABLE
            )
        took = round(1_000 * (time.perf_counter() - start))
        known = [j.probability for j in matches if j.probability is not None]
        likeliest = max(known) if len(known) == len(matches) else None
        return Ruling(opinion, of, reason, confidence, self.name, took, probability=likeliest)

    def _opinion(self, question: Question, matches: Sequence[MatchProbability]) -> tuple[Opinion, str, str, float]:
        """Return opinion, match, reason and confidence."""
        cuts = self._artefact.cuts
        if any(j.probability is None for j in matches):
            return Opinion.UNSURE, "", f"a text is longer than {LONGEST:,} characters", 0.0
        best = max(j.probability or 0.0 for j in matches)
        reason = f"probability {best:.3f}; duplicate from {cuts.high:g}, distinct up to {cuts.low:g}"
        if best <= cuts.low:
            return Opinion.DISTINCT, "", reason, round(1.0 - best, 4)
        if best < cuts.high:
            return _unsure_opinion(question, reason, best)
        free = [j for j in matches if (j.probability or 0.0) >= cuts.high and not j.objections]
        if not free:
            return Opinion.UNSURE, "", f"{reason}; a guard objects", round(best, 4)
        match = max(free, key=lambda j: j.probability or 0.0)
        if (score := self._contradiction(question, match.id)) is not None:
            return Opinion.UNSURE, "", f"{reason}; the texts contradict each other, score {score:.2f}", round(best, 4)
        return Opinion.DUPLICATE, match.id, reason, round(match.probability or 0.0, 4)

    def _contradiction(self, question: Question, of: str) -> float | None:
        """Return the score of a vetoing contradiction, or None."""
        if self._contradictions is None:
            return None
        kept_text = next(s.match.kept.text for s in question.shown if s.match.id == of)
        score = self._contradictions.score(question.candidate.text, kept_text)
        return score if score >= self._contradictions.veto_from else None


def _unsure_opinion(question: Question, reason: str, best: float) -> tuple[Opinion, str, str, float]:
    """Return opinion, match, reason and confidence if the trees are unsure, by contradicting statements."""
    differences = [stated_otherwise(question.candidate, s.match.kept) for s in question.shown]
    listed = [in_words(o) for o in differences if o is not None]
    if len(listed) < len(differences):
        return Opinion.UNSURE, "", reason, round(max(best, 1.0 - best), 4)
    return Opinion.DISTINCT, "", f"{reason}; stated otherwise: {'; '.join(dict.fromkeys(listed))}", round(1.0 - best, 4)
