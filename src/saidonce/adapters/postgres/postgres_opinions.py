"""Second opinions in PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from saidonce.adapters.postgres.connection import Database
from saidonce.adapters.postgres.opinion_records import opinion_of, opinion_row
from saidonce.adapters.postgres.postgres_write import Writer
from saidonce.errors import NotFoundError
from saidonce.foundation.model import SecondOpinion


class PostgresOpinions:
    """Keeps the second opinions of one organisation in PostgreSQL; see `saidonce.foundation.ports.Opinions`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, given: Sequence[SecondOpinion]) -> tuple[SecondOpinion, ...]:
        """Add opinions in order; give them with their numbers."""
        if not given:
            return ()
        with self._database.turn() as turn:
            writer = Writer(turn)
            for flag in sorted({opinion.flag for opinion in given}):
                if not writer.run("one_flag", seq=flag):
                    raise NotFoundError("flag", str(flag))
            last = int(writer.run("last_opinion")[0][0])
            rows = [opinion_row(opinion, last + n) for n, opinion in enumerate(given, 1)]
            writer.insert("opinion", rows)
            writer.finish()
        return tuple(opinion_of((r.seq, r.flag, r.texts, r.adjudicator, r.ruling, r.n_failed, r.at)) for r in rows)

    def latest(self, flags: Sequence[int]) -> dict[int, SecondOpinion]:
        """Give the newest opinion on each of some flags, by flag."""
        found = self._database.rows("latest_opinions", flags=list(flags)) if flags else []
        return {opinion.flag: opinion for opinion in map(opinion_of, found)}

    def on(self, flags: Sequence[int]) -> tuple[SecondOpinion, ...]:
        """Give all opinions on some flags, oldest first."""
        return tuple(map(opinion_of, self._database.rows("opinions_of", flags=list(flags)))) if flags else ()

    def outcomes(self) -> Mapping[str, int]:
        """Count all opinions by outcome."""
        return {outcome: int(n) for outcome, n in self._database.rows("opinion_outcomes")}
