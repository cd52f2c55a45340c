"""Second opinions in PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from saidonce.adapters.postgres.clean import clean_opinion
from saidonce.adapters.postgres.connection import Database
from saidonce.adapters.postgres.postgres_write import Writer
from saidonce.errors import NotFoundError
from saidonce.foundation.model import SecondOpinion


class PostgresOpinions:
    """Keeps the second opinions of one organisation in PostgreSQL; see `saidonce.foundation.ports.Opinions`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, opinions: Sequence[SecondOpinion]) -> tuple[SecondOpinion, ...]:
        """Add opinions in order; give them with their numbers."""
        if not opinions:
            return ()
        with self._database.turn() as turn:
            writer = Writer(turn)
            for flag in sorted({opinion.flag for opinion in opinions}):
                if not writer.run("one_flag", seq=flag):
                    raise NotFoundError("flag", str(flag))
            last = int(writer.run("last_opinion")[0][0])
            added = tuple(clean_opinion(opinion, last + n) for n, opinion in enumerate(opinions, 1))
            writer.insert(added)
            writer.finish()
        return added

    def latest(self, flags: Sequence[int]) -> dict[int, SecondOpinion]:
        """Return the newest opinion on each of some flags, by flag."""
        rows = self._database.nouns(SecondOpinion, "latest_opinions", flags=list(flags)) if flags else []
        return {opinion.flag: opinion for opinion in rows}

    def on(self, flags: Sequence[int]) -> tuple[SecondOpinion, ...]:
        """Return all opinions on some flags, oldest first."""
        return tuple(self._database.nouns(SecondOpinion, "opinions_of", flags=list(flags))) if flags else ()

    def outcomes(self) -> Mapping[str, int]:
        """Count all opinions by outcome."""
        return {outcome: int(n) for outcome, n in self._database.rows("opinion_outcomes")}
