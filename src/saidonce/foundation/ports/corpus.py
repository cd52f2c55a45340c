"""Port: a file of rows that can be read twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from saidonce.foundation.model import CorpusRow


class Corpus(Protocol):
    """A corpus in a file.

    Attributes:
        mark: what the last reading of all rows came upon, by which `write` notices a change; a corpus opened anew
            may be given that of an earlier reading. Empty before.
    """

    mark: str

    @property
    def n_blank(self) -> int:
        """Blank lines that the last reading passed over."""
        ...

    def rows(self) -> Iterator[CorpusRow]:
        """Read all rows in order; one that cannot be read says so and does not stop the others.

        Raises:
            SourceRefusedError: the file as a whole cannot be read.
            UsageError: it has no such field.
        """
        ...

    def records(self) -> Iterator[dict[str, Any] | None]:
        """Read all rows again as fields by name, in the order of `rows`; None for one that cannot be read."""
        ...

    def write(self, path: Path, kept: Sequence[bool]) -> None:
        """Write the rows marked, byte for byte where the format has lines, in order, to a new file or not at all.

        Raises:
            UsageError: the corpus changed since it was read, or the file cannot be written.
        """
        ...
