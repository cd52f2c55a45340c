"""Flow: pack hits into a context for a language model, without repeats and without silent omissions.

hits -> repeats give their source alone -> variants give the sentences in which they differ -> as many as fit
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count

from saidonce.documents.parse.formats import container_of
from saidonce.errors import UsageError
from saidonce.foundation.model import Attribution, Block, MediaPlace, Objection, Span, quoted_from, section_of
from saidonce.foundation.text import clock
from saidonce.kb.parts_of_texts import own_text
from saidonce.kb.search import Hit, SearchReport, leaves_out
from saidonce.kb.shared_sentences import (
    LEAST_SHARED,
    apart_by_headings,
    conflicts_of,
    contradicted_in_order,
    contradicts_whole,
    shared_texts,
    states_all,
)

DEFAULT_TOKENS = 2_000
LEAST_TOKENS = 50
MOST_TOKENS = 200_000

LOOK_AT = 50
"""Hits of a search that are packed at most; what does not fit is counted."""

MOST_LEFT_OUT_FACTS = 2
"""Facts that are quoted of a place that did not fit."""

ALSO_IN, PART_IN = "also in", "part of this in"
"""Words before the sources that state all that a passage's hit states, and before those that state a part."""

CountTokens = Callable[[Sequence[str]], list[int]]


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of a passage: its block and document.

    Attributes:
        shown: the document's name as the context shows it; empty for its last part.
        start_s: second of a recording from which the answer is heard; None without one.
        speaker: who says it there, as the source names it; empty if it does not.
        sender: of the mail that it stands in; empty for other documents.
        is_quoted: whether that mail quotes it of another one.
        is_earliest: whether further documents state it, so that its date is the earliest of theirs.
    """

    block_id: str
    document: str
    title: str
    heading_path: tuple[str, ...]
    authored_at: datetime | None
    page: int | None = None
    shown: str = ""
    start_s: float | None = None
    speaker: str = ""
    sender: str = ""
    is_quoted: bool = False
    is_earliest: bool = False

    @property
    def place(self) -> str:
        """Title, headings, file and date in one line, nothing twice; "since" before the earliest date of several."""
        path = " > ".join(dict.fromkeys(part for part in (self.title, *self.heading_path) if part))
        date = f"{'since ' * self.is_earliest}{self.authored_at:%Y-%m-%d}" if self.authored_at else ""
        return ", ".join(dict.fromkeys(part for part in (path, self.file, date) if part))

    @property
    def heard(self) -> str:
        """The time in a recording and who speaks there, or who sent the mail: "at 1:02, Ada Fenn", "from Ada Fenn".

        No figure of an answer is borne out by it.
        """
        time = "" if self.start_s is None else f"at {clock(self.start_s)}"
        return ", ".join(part for part in (time, self.by) if part)

    @property
    def by(self) -> str:
        """Who speaks, or sent the mail; empty if the source does not name them."""
        if self.is_quoted:
            return quoted_from(self.speaker, self.sender)
        return self.speaker or (f"from {self.sender}" if self.sender else "")

    @property
    def file(self) -> str:
        """The document's name without folders that no other document of the context differs by: they cost tokens."""
        return self.shown or _last_parts(self.document, 1)


@dataclass(frozen=True, slots=True)
class LeftOutDifference:
    """A place that states something else than a passage and did not fit; `a` of an objection is of that place."""

    origin: Origin
    objections: tuple[Objection, ...]

    @property
    def in_words(self) -> tuple[str, ...]:
        """The first facts that differ, a line each."""
        return tuple(
            f"{_quoted(o.a)} in {self.origin.file}, {_quoted(o.b)} here"
            for o in self.objections[:MOST_LEFT_OUT_FACTS]
            if o.a.text != o.b.text
        )


@dataclass(frozen=True, slots=True)
class PackedPassage:
    """The contribution of one hit.

    Attributes:
        number: from 1, in the order of the text: best first, behind each what varies it.
        text: the whole text, or of a variant the sentences that the passage it varies does not have, a line each.
        also_in: places that state all of it as well.
        variant_of: number of the passage that it varies; None for one that stands by itself.
        repeats_all: whether a variant also states everything else in the passage it varies.
        repeats_any: whether a variant shares anything with that passage; one that does not contradicts it or reads
            like it.
        conflicts: facts that differ from the passage it varies; `a` is this passage's hit.
        n_tokens: tokens of all its lines.
        part_in: places that state a part of it, and nothing that the context does not state.
        parts_of: numbers of further passages that state what a variant leaves out.
        unlike: places that state something else and did not fit.
    """

    number: int
    origin: Origin
    text: str
    also_in: tuple[Origin, ...] = ()
    variant_of: int | None = None
    repeats_all: bool = False
    conflicts: tuple[Objection, ...] = ()
    n_tokens: int = 0
    part_in: tuple[Origin, ...] = ()
    parts_of: tuple[int, ...] = ()
    repeats_any: bool = True
    unlike: tuple[LeftOutDifference, ...] = ()

    @property
    def differences(self) -> tuple[str, ...]:
        """The conflicts in words, a line each, and what places state otherwise that did not fit."""
        conflicts = (
            f"{_quoted(o.a)} in another place" if o.a.text == o.b.text else f"{_quoted(o.a)} here, {_quoted(o.b)} there"
            for o in self.conflicts
        )
        return (*conflicts, *(line for place in self.unlike for line in place.in_words))

    @property
    def again_in(self) -> tuple[str, ...]:
        """Files of `also_in` but its own, each once, with the heading where it is another than this passage's."""
        places = (self._named(origin) for origin in self.also_in)
        return tuple(dict.fromkeys(place for place in places if place and place != self.origin.file))

    def _named(self, origin: Origin) -> str:
        """Return a further place: its file, its heading where that is another, or both."""
        own, other = (section_of(of.heading_path) for of in (self.origin, origin))
        file = "" if origin.document == self.origin.document else origin.file
        heading = other if other.casefold() != own.casefold() else ""
        return " > ".join(part for part in (file, heading) if part)

    @property
    def partly_in(self) -> tuple[str, ...]:
        """Files of `part_in` that do not state all of it in another place, each once."""
        whole = {self.origin.file, *self.again_in}
        return tuple(dict.fromkeys(origin.file for origin in self.part_in if origin.file not in whole))

    @property
    def varies(self) -> str:
        """The passages that a variant varies: "all of [1], part of [3]" or "unlike [1]"; empty for any other."""
        if self.variant_of is None:
            return ""
        if not self.repeats_any:
            return f"unlike [{self.variant_of}]"
        first = f"{'all' if self.repeats_all else 'part'} of [{self.variant_of}]"
        return ", ".join([first, *(f"part of [{number}]" for number in self.parts_of)])

    def renumbered(self, at: int) -> PackedPassage:
        """Return it as it is once another passage stands at a place; tokens are counted again if it changes."""

        def after(number: int) -> int:
            return number + (number > at)

        varied = None if self.variant_of is None else after(self.variant_of)
        moved = replace(self, number=after(self.number), variant_of=varied, parts_of=tuple(map(after, self.parts_of)))
        return self if moved == self else replace(moved, n_tokens=0)


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
        """Each passage that stands by itself, best first, with those that vary it, or each other, after it."""
        groups: list[list[PackedPassage]] = []
        for passage in self.passages:
            if passage.variant_of is None:
                groups.append([])
            groups[-1].append(passage)
        return tuple(map(tuple, groups))


def pack(report: SearchReport, n_tokens: int, count_tokens: CountTokens) -> PackedContext:
    """Pack the hits of a search into a budget, best first.

    A hit whose sentences all stand in better ones contributes its source alone; one that shares some
    contributes the others, marked with where they stand and which facts differ. A source is named as one of
    all that a passage's hit states, or of a part. What does not fit is skipped and counted, and smaller hits
    below it may still fit.

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
    packing = replace(packing, names=_short_names({d for hit in hits for d in _documents(hit)}))
    for hit in hits:
        packing = packing.taking_what_fits(hit)
    return PackedContext(report.query, n_tokens, packing.passages, packing.left_out)


def _quoted(of: Span) -> str:
    return f'"{of.text}"' if of.text else "nothing"


def check_budget(n_tokens: int) -> None:
    """Refuse a budget that nothing fits into, or that no model reads.

    Raises:
        UsageError: it is below LEAST_TOKENS or above MOST_TOKENS.
    """
    if not LEAST_TOKENS <= n_tokens <= MOST_TOKENS:
        raise UsageError(f"tokens must be {LEAST_TOKENS} to {MOST_TOKENS:,}, not {n_tokens:,}")


def lines_of(passage: PackedPassage) -> str:
    """Write a passage: number and place, text, what differs, and the documents that state it again, all or part."""
    where = ", ".join(part for part in (passage.origin.place, passage.origin.heard) if part)
    head = f"[{passage.number}] {where}"
    if passage.variant_of is not None:
        joined = "" if not passage.repeats_any else ", but" if passage.conflicts else ", and"
        head += f": {passage.varies}{joined}"
    listed = (("differs", passage.differences), (ALSO_IN, passage.again_in), (PART_IN, passage.partly_in))
    lines = (head, passage.text, *(f"{name}: {'; '.join(parts)}" for name, parts in listed if parts))
    return "\n".join(line for line in lines if line)


@dataclass(frozen=True, slots=True)
class _Packing:
    """How far the packing has come.

    Attributes:
        hits: of the passages, in their order.
        names: of documents, as they are shown.
    """

    budget: int
    count_tokens: CountTokens
    passages: tuple[PackedPassage, ...] = ()
    hits: tuple[Hit, ...] = ()
    left_out: tuple[Origin, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    def taking_what_fits(self, hit: Hit) -> _Packing:
        """Return the packing with one more hit; where it does not fit, with the part of it that was ranked above it."""
        whole = self.taking(hit)
        part = next((twin.block for twin in hit.also_in if twin.block.id == hit.in_place_of), None)
        if part is None or len(whole.left_out) == len(self.left_out):
            return whole
        smaller = self.taking(replace(hit, block=part, place=part.place, also_in=(), in_place_of=None))
        if len(smaller.left_out) > len(self.left_out):
            return whole
        others = (self._origin(hit.block, hit.place), *(self._origin(t.block) for t in hit.also_in if t.block != part))
        return replace(smaller, left_out=(*smaller.left_out, *others))

    def taking(self, hit: Hit) -> _Packing:
        """Return the packing with the contribution of one more hit."""
        also, parts = self._sources(hit)
        origin = self._origin(hit.block, hit.place)
        passage = PackedPassage(len(self.passages) + 1, origin, hit.block.text, also, part_in=parts)
        shared = shared_texts(self.hits, hit)
        if not shared:
            return self._with(passage, hit)
        best = shared[0]
        own = [c.b for c in best.comparison.changes if c.b.text.strip() and not best.states(c.b)]
        others: list[int] = []
        for other in shared[1:]:
            again = [span for span in own if other.states(span)]
            if sum(len(span.text) for span in again) >= LEAST_SHARED:
                others.append(other.at)
                own = [span for span in own if span not in again]
        has_all = states_all(best.comparison, hit)
        contradicted = apart_by_headings(self.hits[best.at], hit) or contradicted_in_order(
            best, self.hits[best.at], hit
        )
        if has_all and not own and not contradicted:
            contradicted = contradicts_whole(self.hits[best.at], hit)
        if not own and not contradicted:
            return self._with_sources((best.at, *others), passage, states_all=has_all and not others)
        if contradicted:
            apart = replace(passage, variant_of=best.at + 1, repeats_any=False, conflicts=contradicted)
            return self._with(apart, hit)
        variant = replace(
            passage,
            text=own_text(hit.block, own),
            variant_of=best.at + 1,
            parts_of=tuple(sorted(at + 1 for at in others)),
            repeats_all=has_all,
            conflicts=conflicts_of(best.comparison),
            repeats_any=best.size > 0,
        )
        return self._with(variant, hit)

    def _sources(self, hit: Hit) -> tuple[tuple[Origin, ...], tuple[Origin, ...]]:
        """Return the further places of what a hit states, and those of a part of it."""
        also = [self._origin(twin.block) for twin in hit.also_in if not twin.is_part]
        parts = [self._origin(twin.block) for twin in hit.also_in if twin.is_part]
        also += [self._supporting(hit.block, a) for a in hit.also_under if not leaves_out(a.text, hit.block)]
        known = {hit.block.document, *(origin.document for origin in (*also, *parts))}
        for block, is_part in ((hit.block, False), *((twin.block, twin.is_part) for twin in hit.also_in)):
            for support in block.attributions:
                if support.document not in known:
                    known.add(support.document)
                    says_less = is_part or leaves_out(support.text, block)
                    (parts if says_less else also).append(self._supporting(block, support))
        return tuple(also), tuple(parts)

    def _supporting(self, block: Block, support: Attribution) -> Origin:
        """Return where another document states a block."""
        origin = Origin(block.id, support.document, support.title, support.heading_path, None, support.page)
        return replace(_heard(origin, support.place, support.sender), shown=self.names.get(support.document, ""))

    def _origin(self, block: Block, place: MediaPlace | None = None) -> Origin:
        return replace(origin_of(block, place), shown=self.names.get(block.document, ""))

    def _with(self, passage: PackedPassage, hit: Hit) -> _Packing:
        """Return the packing with a passage, one that varies another at the end of that one's group."""
        at = len(self.passages)
        if passage.variant_of is not None:
            behind = range(passage.variant_of, len(self.passages))
            at = next((n for n in behind if self.passages[n].variant_of is None), at)
        before, after = (tuple(p.renumbered(at) for p in part) for part in (self.passages[:at], self.passages[at:]))
        passages = self._counted((*before, replace(passage.renumbered(at), number=at + 1), *after))
        if sum(p.n_tokens for p in passages) > self.budget:
            left = replace(self, left_out=(*self.left_out, passage.origin, *passage.also_in, *passage.part_in))
            return left._with_difference(passage)
        return replace(self, passages=passages, hits=(*self.hits[:at], hit, *self.hits[at:]))

    def _with_difference(self, left_out: PackedPassage) -> _Packing:
        """Return the packing with what a variant that did not fit states otherwise, if that fits."""
        if left_out.variant_of is None or not left_out.conflicts:
            return self
        at = left_out.variant_of - 1
        differing = LeftOutDifference(left_out.origin, left_out.conflicts)
        noted = replace(self.passages[at], unlike=(*self.passages[at].unlike, differing), n_tokens=0)
        passages = self._counted((*self.passages[:at], noted, *self.passages[at + 1 :]))
        return self if sum(p.n_tokens for p in passages) > self.budget else replace(self, passages=passages)

    def _with_sources(self, places: Sequence[int], of: PackedPassage, *, states_all: bool) -> _Packing:
        """Return the packing with the places of a hit, all of which the passages at some places state."""
        full = (of.origin, *of.also_in) if states_all else ()
        parts = of.part_in if states_all else (of.origin, *of.also_in, *of.part_in)
        grown = list(self.passages)
        for at in places:
            old = grown[at]
            grown[at] = replace(old, also_in=(*old.also_in, *full), part_in=(*old.part_in, *parts), n_tokens=0)
        passages = self._counted(tuple(grown))
        if sum(p.n_tokens for p in passages) > self.budget:
            return replace(self, left_out=(*self.left_out, of.origin, *of.also_in, *of.part_in))
        return replace(self, passages=passages)

    def _counted(self, passages: tuple[PackedPassage, ...]) -> tuple[PackedPassage, ...]:
        """Return passages with the tokens of those that were changed."""
        changed = [p for p in passages if not p.n_tokens]
        counts = iter(self.count_tokens([lines_of(p) for p in changed]))
        return tuple(p if p.n_tokens else replace(p, n_tokens=next(counts)) for p in passages)


def _documents(hit: Hit) -> Iterator[str]:
    """Yield the names of all documents that state a hit, or a part of it."""
    yield from hit.documents
    yield from (a.document for block in (hit.block, *(twin.block for twin in hit.also_in)) for a in block.attributions)


def origin_of(block: Block, place: MediaPlace | None = None) -> Origin:
    """Return where a block stands; heard from the start of its text unless a place says otherwise."""
    origin = Origin(block.id, block.document, block.title, block.heading_path, block.authored_at, block.page)
    several = len({support.document for support in block.attributions}) > 1
    return _heard(replace(origin, is_earliest=several), place or block.place, block.sender)


def _heard(origin: Origin, place: MediaPlace | None, sender: str) -> Origin:
    """Return an origin with the second at which it is heard, and with who says it."""
    if place is None:
        return replace(origin, sender=sender)
    return replace(origin, start_s=place.start_s, speaker=place.speaker, sender=sender, is_quoted=place.is_quoted)


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
