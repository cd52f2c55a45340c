"""Ports: what time, parsers and models are to this program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from saidonce.errors import SourceRefusedError
from saidonce.foundation.model import Document, Equivalence, Question, Rewording, Ruling, Unpacked, Vector


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """Return the present moment, aware UTC."""
        ...


class Parser(Protocol):
    """Turns sources into documents, away from this process and under limits."""

    def map(self, sources: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, Document | SourceRefusedError]]:
        """Parse named sources; give results in input order, looking ahead only a little.

        A source that breaks its parser is answered by an error; the others go on.
        """
        ...


class Awaited(Protocol):
    """A source that is still being read, because words have to be recognised in it."""

    def result(self) -> Document | SourceRefusedError:
        """Wait for its document, or why there is none."""
        ...


@runtime_checkable
class SideParser(Protocol):
    """What a parser also is if it recognises words beside the parsing of other sources."""

    def map_beside(
        self, sources: Iterable[tuple[str, bytes]]
    ) -> Iterator[tuple[str, Document | SourceRefusedError | Awaited]]:
        """Parse named sources as `map`, but do not wait for those in which words are recognised.

        Whether a source is awaited depends on its bytes alone. Each holds its bytes until it is read, so that callers
        should wait for the first before they ask for many more.
        """
        ...


@runtime_checkable
class Unpacker(Protocol):
    """What a parser also is if it opens archives and mailboxes, away from this process and under limits."""

    def unpack(self, name: str, source: bytes) -> Unpacked:
        """Return the members of an archive or a mailbox.

        Raises:
            SourceRefusedError: with the reason why it cannot be unpacked.
        """
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors; the same text gives the same bytes, whatever it is batched with."""

    @property
    def model(self) -> str:
        """Fingerprint of the model: name and hash; vectors of different fingerprints never meet."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vector:
        """Embed texts: shape (n, dim) float32, unit rows, in input order.

        Raises:
            ModelUnavailableError: the model's files or endpoint failed.
        """
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text with the model's own tokenizer, without special tokens."""
        ...


@dataclass(frozen=True, slots=True)
class Reply:
    """What a language model said, and the tokens it counted; 0 where its endpoint does not tell.

    Attributes:
        flaw: what the endpoint says against its own reply (cut off, filtered, refused, an error, several answers);
            empty if nothing. Whoever lets something through by a reply takes none with a flaw.
        thought: what it wrote down before its answer, where its endpoint shows that.
        model: that answered, in its endpoint's words; empty if it names none.
    """

    text: str
    n_input_tokens: int = 0
    n_output_tokens: int = 0
    flaw: str = ""
    thought: str = ""
    model: str = ""


class EquivalenceJudge(Protocol):
    """Bears out that two differing sentences say the same; heard only about what no guard objects to."""

    @property
    def name(self) -> str:
        """Fingerprint of weights, threshold and margin; answers of different names never mix."""
        ...

    def judge(self, rewordings: Sequence[Rewording]) -> list[Equivalence]:
        """Judge each rewording, in input order; an answer does not depend on its neighbours or on the order of sides.

        Raises:
            ModelUnavailableError: the model's files failed.
        """
        ...


@runtime_checkable
class PieceEmbedder(Protocol):
    """An embedder that also tells what it makes of each piece of a text where it stands."""

    def embed_pieces(self, texts: Sequence[str]) -> list[tuple[NDArray[np.intp], Vector]]:
        """Give, per text in input order, half-open character offsets (n, 2) of its pieces and unit rows (n, dim).

        Raises:
            ModelUnavailableError: the model's files failed.
        """
        ...


@runtime_checkable
class ScriptEmbedder(Protocol):
    """An embedder that knows which scripts it reads; texts in others are near each other by their letters alone."""

    @property
    def scripts(self) -> frozenset[str]:
        """Scripts whose texts it can compare, named as by `foundation.text.scripts`."""
        ...


@runtime_checkable
class LanguageEmbedder(Protocol):
    """An embedder that knows which languages it reads well; in others, texts are near each other by their language."""

    @property
    def languages(self) -> frozenset[str]:
        """Languages whose texts it compares by what they say, as two-letter tags."""
        ...


class ChatModel(Protocol):
    """A language model that is asked one thing at a time, at temperature 0."""

    @property
    def name(self) -> str:
        """Name of the model, as it stands in settings."""
        ...

    def complete(self, instructions: str, prompt: str, schema: Mapping[str, object]) -> Reply:
        """Return the model's reply, which is asked to be JSON of a schema; the caller trusts nothing of it.

        Several threads may ask at once.

        Raises:
            ModelUnavailableError: the model failed or took too long.
        """
        ...


class Adjudicator(Protocol):
    """Gives a second opinion on what similarity cannot settle; the caller trusts nothing of it."""

    @property
    def name(self) -> str:
        """Name and fingerprint of who rules: model, prompt version, options; equal names rule by the same rules."""
        ...

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """Rule on each question, in input order; never raises for what the outside does.

        Whatever goes wrong (network, time, reply, budget) is a ruling with its `failure`, whose opinion is UNSURE.
        """
        ...
