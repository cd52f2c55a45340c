"""Flow: pack hits into a context for a language model, without repeats and without silent omissions.

hits -> repeats give their source alone -> variants give the sentences in which they differ -> as many as fit
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from itertools import count

from saidonce.documents.parse.formats import container_of
from saidonce.errors import UsageError
from saidonce.foundation.model import UNKNOWN_LANGUAGE, Block, MediaPlace, Objection
from saidonce.foundation.text import clock, normalise
from saidonce.kb.search import Hit, SearchReport
from saidonce.matching import facts
from saidonce.matching.facts import Comparison, Pairing

DEFAULT_TOKENS = 2_000
LEAST_TOKENS = 50
MOST_TOKENS = 200_000

LOOK_AT = 50
"""Hits of a search that are packed at most; what does not fit is counted."""

LEAST_SHARED = 20
"""Characters that two hits must share, in whole sentences, for one to count as a variant of the other."""

_ENDS = re.compile(r"[.!?:;](?=\s|$)|[\n\u3002\uff01\uff1f]+")

CountTokens = Callable[[Sequence[str]], list[int]]


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of a passage: its block and document.

    Attributes:
        shown: the document's name as the context shows it; empty for its last part.
        start_s: second of a recording from which the answer is heard; None without one.
    """

    block_id: str
    document: str
    title: str
    heading_path: tuple[str, ...]
    authored_at: datetime | None
    page: int | None = None
    shown: str = ""
    start_s: float | None = None

    @property
    def place(self) -> str:
        """Title, headings, file and date in one line, nothing twice."""
        path = " > ".join(dict.fromkeys(part for part in (self.title, *self.heading_path) if part))
        date = f"{self.authored_at:%Y-%m-%d}" if self.authored_at else ""
        return ", ".join(dict.fromkeys(part for part in (path, self.file, date) if part))

    @property
    def heard(self) -> str:
        """The time in a recording, such as "at 1:02"; empty without one. No figure of an answer is borne out by it."""
        return "" if self.start_s is None else f"at {clock(self.start_s)}"

    @property
    def file(self) -> str:
        """The document's name without folders that no other document of the context differs by: they cost tokens."""
        return self.shown or _last_parts(self.document, 1)


@dataclass(frozen=True, slots=True)
class PackedPassage:
    """The contribution of one hit.

    Attributes:
        number: from 1, in order of rank.
        text: the whole text, or of a variant the sentences that the passage it varies does not have, a line each.
        also_in: places that state the same, or only a part of it.
        variant_of: number of the passage that it varies; None for one that stands by itself.
        repeats_all: whether a variant also states everything else in the passage it varies.
        conflicts: facts that differ from the passage it varies; `a` is this passage's hit.
        n_tokens: tokens of all its lines.
    """

    number: int
    origin: Origin
    text: str
    also_in: tuple[Origin, ...] = ()
    variant_of: int | None = None
    repeats_all: bool = False
    conflicts: tuple[Objection, ...] = ()
    n_tokens: int = 0

    @property
    def differences(self) -> tuple[str, ...]:
        """The conflicts in words, a line each."""
        return tuple(f"{o.a.text or 'nothing'} here, {o.b.text or 'nothing'} there" for o in self.conflicts)

    @property
    def again_in(self) -> tuple[str, ...]:
        """Files of `also_in`, each once."""
        return tuple(dict.fromkeys(origin.file for origin in self.also_in))


@dataclass(frozen=True, slots=True)
class PackedContext:
    """A context for a language model; `left_out` holds the hits that did not fit, best first."""

    query: str
    budget: int
    passages: tuple[PackedPassage, ...]
    left_out: tuple[Origin, ...] = ()

    def __repr__(self) -> str:
        counts = f"passages={len(self.passages)}, n_tokens={self.n_tokens} of {self.budget}"
        return f"PackedContext({self.query!r}, {counts}, left_out={len(self.left_out)})"

    @property
    def is_answered(self) -> bool:
        """Return whether anything in the base answers the query."""
        return bool(self.passages or self.left_out)

    @property
    def n_tokens(self) -> int:
        """Tokens of all passages, counted passage by passage."""
        return sum(p.n_tokens for p in self.passages)

    @property
    def text(self) -> str:
        """All passages as one text, variants under the passage that they vary."""
        return "\n\n".join("\n".join(map(lines_of, group)) for group in self.groups)

    @property
    def groups(self) -> tuple[tuple[PackedPassage, ...], ...]:
        """Each passage that stands by itself, with those that vary it after it, in order of rank."""
        whole = (p for p in self.passages if p.variant_of is None)
        return tuple((p, *(v for v in self.passages if v.variant_of == p.number)) for p in whole)


def pack(report: SearchReport, n_tokens: int, count_tokens: CountTokens) -> PackedContext:
    """Pack the hits of a search into a budget, best first.

    A hit whose sentences all stand in a better one contributes its source alone; one that shares some
    contributes the others, marked with where they stand and which facts differ. What does not fit is
    skipped and counted, and smaller hits below it may still fit.

    Args:
        report: the search; its repeats are listed under the hit that they repeat.
        n_tokens: budget, counted by `count_tokens`.
        count_tokens: of each text, in order.

    Raises:
        UsageError: the budget is below LEAST_TOKENS or above MOST_TOKENS.
    """
    check_budget(n_tokens)
    packing = _Packing(n_tokens, count_tokens)
    hits = report.hits[:LOOK_AT]
    packing = replace(packing, names=_short_names({d for hit in hits for d in hit.documents}))
    for hit in hits:
        packing = packing.taking(hit)
    return PackedContext(report.query, n_tokens, packing.passages, packing.left_out)


def check_budget(n_tokens: int) -> None:
    """Refuse a budget that nothing fits into, or that no model reads.

    Raises:
        UsageError: it is below LEAST_TOKENS or above MOST_TOKENS.
    """
    if not LEAST_TOKENS <= n_tokens <= MOST_TOKENS:
        raise UsageError(f"tokens must be {LEAST_TOKENS} to {MOST_TOKENS:,}, not {n_tokens:,}")


def lines_of(passage: PackedPassage) -> str:
    """Write a passage: number and place, text, what differs, and the documents that state it, or part of it, again."""
    where = ", ".join(part for part in (passage.origin.place, passage.origin.heard) if part)
    head = f"[{passage.number}] {where}"
    if passage.variant_of is not None:
        head += f": {'all' if passage.repeats_all else 'part'} of [{passage.variant_of}], and"
    differs, sources = "; ".join(passage.differences), "; ".join(passage.again_in)
    lines = (head, passage.text, differs and f"differs: {differs}", sources and f"also in: {sources}")
    return "\n".join(line for line in lines if line)


@dataclass(frozen=True, slots=True)
class _Packing:
    """How far the packing has come.

    Attributes:
        whole: the hits of passages that stand by themselves, by number.
        names: of documents, as they are shown.
    """

    budget: int
    count_tokens: CountTokens
    passages: tuple[PackedPassage, ...] = ()
    whole: tuple[tuple[int, Hit], ...] = ()
    left_out: tuple[Origin, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    def taking(self, hit: Hit) -> _Packing:
        """Return the packing with the contribution of one more hit."""
        twins = tuple(self._origin(twin.block) for twin in hit.also_in)
        passage = PackedPassage(len(self.passages) + 1, self._origin(hit.block, hit.place), hit.block.text, twins)
        varied = self._varied_passage(hit)
        if varied is None:
            return self._with(passage, hit)
        number, comparison = varied
        own = [c.b.text.strip() for c in comparison.changes if c.relation is not Pairing.EQUAL and c.b.text.strip()]
        if not own:
            return self._with_source(number, (passage.origin, *twins))
        conflicts = tuple(
            o.mirrored for o in facts.with_replaced(comparison.objections, comparison.changes) if o.a.text or o.b.text
        )
        repeats_all = all(c.relation in (Pairing.EQUAL, Pairing.INSERTED) for c in comparison.changes)
        variant = replace(passage, text="\n".join(own), variant_of=number, repeats_all=repeats_all, conflicts=conflicts)
        return self._with(variant, hit)

    def _varied_passage(self, hit: Hit) -> tuple[int, Comparison] | None:
        """Return the passage that shares most with a hit, the better one of equals, and their comparison."""
        best: tuple[int, int, Comparison] | None = None
        for number, other in self.whole:
            is_look_alike = hit.held_apart is not None and hit.held_apart.block_id == other.block.id
            if not is_look_alike and not _may_share(other.block.text, hit.block.text):
                continue
            language = hit.block.language if hit.block.language == other.block.language else UNKNOWN_LANGUAGE
            comparison = facts.compare(other.block.text, hit.block.text, language)
            shared = sum(len(c.b.text) for c in comparison.changes if c.relation is Pairing.EQUAL)
            if (is_look_alike or shared >= LEAST_SHARED) and (best is None or shared > best[0]):
                best = shared, number, comparison
        return best[1:] if best else None

    def _origin(self, block: Block, place: MediaPlace | None = None) -> Origin:
        return replace(origin_of(block, place), shown=self.names.get(block.document, ""))

    def _with(self, passage: PackedPassage, hit: Hit) -> _Packing:
        counted = replace(passage, n_tokens=self.count_tokens([lines_of(passage)])[0])
        if self._n_used_tokens() + counted.n_tokens > self.budget:
            return replace(self, left_out=(*self.left_out, passage.origin, *passage.also_in))
        whole = (*self.whole, (passage.number, hit)) if passage.variant_of is None else self.whole
        return replace(self, passages=(*self.passages, counted), whole=whole)

    def _with_source(self, number: int, origins: tuple[Origin, ...]) -> _Packing:
        old = self.passages[number - 1]
        grown = replace(old, also_in=(*old.also_in, *origins))
        grown = replace(grown, n_tokens=self.count_tokens([lines_of(grown)])[0])
        if self._n_used_tokens() - old.n_tokens + grown.n_tokens > self.budget:
            return replace(self, left_out=(*self.left_out, *origins))
        return replace(self, passages=(*self.passages[: number - 1], grown, *self.passages[number:]))

    def _n_used_tokens(self) -> int:
        return sum(p.n_tokens for p in self.passages)


def origin_of(block: Block, place: MediaPlace | None = None) -> Origin:
    """Return where a block stands; heard from the start of its text unless a place says otherwise."""
    seen = place or block.place
    origin = Origin(block.id, block.document, block.title, block.heading_path, block.authored_at, block.page)
    return replace(origin, start_s=seen.start_s) if seen is not None else origin


def _short_names(documents: AbstractSet[str]) -> dict[str, str]:
    """Return each document's name without the folders by which it differs from none of the others."""
    names: dict[str, str] = {}
    for n in count(1):
        shown = Counter(_last_parts(document, n) for document in documents)
        for document in sorted(documents - names.keys()):
            last = _last_parts(document, n)
            if shown[last] == 1 or last == document:
                names[document] = last
        if len(names) == len(documents):
            return names
    raise AssertionError("a whole name is shown in the end")


def _last_parts(document: str, n: int) -> str:
    """Return the last parts of a path; with the archive or the mailbox for a file that is inside one."""
    parts = document.rstrip("/").split("/")
    archive = next((at for at, part in enumerate(parts[:-1]) if container_of(part)), len(parts) - n)
    return "/".join(parts[max(min(archive, len(parts) - n), 0) :]) or document


def _may_share(a: str, b: str) -> bool:
    """Return whether two texts may have any line or sentence in common, as a cheap test before the comparison."""
    return not _pieces(a).isdisjoint(_pieces(b))


@lru_cache(maxsize=2 * LOOK_AT)
def _pieces(content: str) -> frozenset[str]:
    """Return the normalised lines and sentences of a text; remembered, since each hit is held against all before it."""
    return frozenset(piece for raw in _ENDS.split(content) if (piece := normalise(raw)))
