"""Split a parsed document into segments, sized by policy, none crossing a heading."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise

from saidonce.documents.announcements import only_announces
from saidonce.documents.captions import without_label
from saidonce.documents.cuts import hard_cuts, line_stretches, packed, parts_of_lines
from saidonce.documents.notes import mark_of, marks_in
from saidonce.documents.row_leads import row_leads
from saidonce.documents.terms import described_terms
from saidonce.foundation import text
from saidonce.foundation.model import (
    RECOGNISED_KINDS,
    UNKNOWN_LANGUAGE,
    Document,
    Element,
    Kind,
    LineStart,
    MediaPlace,
    Row,
    Segment,
)
from saidonce.foundation.segment_ids import SegmentIds
from saidonce.foundation.settings.policy import SegmentPolicy, SegmentStyle

CountTokens = Callable[[Sequence[str]], list[int]]

SaysTheSame = Callable[[str, str, str], bool]
"""Tell whether two texts, in a language, say the same."""

MOST_COMPARED = 20
"""Earlier pieces of the same words with which one piece is compared before joining; bounds the work on digits."""

_ALONE = {
    SegmentStyle.PARAGRAPH: frozenset({Kind.HEADING, Kind.TABLE, Kind.CAPTION, Kind.CODE, Kind.RECORD}),
    SegmentStyle.PACKED: frozenset({Kind.HEADING, Kind.TABLE, Kind.CAPTION}),
    SegmentStyle.WHOLE: frozenset(Kind),
}
"""Kinds that are never joined with a neighbour."""


SECTION_INTRO = "section_intro"
ANSWER_BODY = "answer_body"
"""Section roles: what introduces a section with sub-sections, and all other text. Source: seed 002, "Boilerplate".

An example of code or a description of fields introduces nothing, nor does what stands behind it.
"""

_NO_INTRODUCTION = frozenset({Kind.CODE, Kind.RECORD})


@dataclass(frozen=True, slots=True)
class _Piece:
    kind: Kind
    text: str
    path: tuple[str, ...]
    section: int
    page: int | None
    n_tokens: int = 0
    rows: tuple[Row, ...] = ()
    stays_alone: bool = False
    introduces: bool = False
    place: MediaPlace | None = None
    lead: str = ""
    n_lead_tokens: int = 0
    notes: tuple[str, ...] = ()
    n_note_tokens: int = 0


def segment(
    document: Document,
    document_id: str,
    policy: SegmentPolicy,
    count: CountTokens,
    says_the_same: SaysTheSame = lambda a, b, _language: text.normalise(a) == text.normalise(b),
) -> tuple[Segment, ...]:
    """Cut a document into segments in reading order.

    A heading becomes the path of the segments below it, and a segment of its own only if nothing
    follows. A piece longer than `policy.split_above` is split at sentence ends (lists and code at
    lines, tables between rows, with what stands over them repeated, by paragraphs also a list of described terms into
    its items, none of which is joined with another); a piece shorter than
    `policy.join_below` is joined with its neighbours under the same heading while the whole stays
    within `policy.target`. Pieces are compared before they are joined: one that the document repeats, word for word or
    in the same content words and saying the same, is not joined, so that its repeats stay recognisable, unless it says
    something of what stands beside it only ("Default: no"). A line that ends in a colon goes with what it introduces:
    it begins the list or paragraph after it, and each part of a list that is split; over a table or code it is the
    last of the headings, unless it only announces a table ("The prices are as follows:"). The notes under a table are
    rows of it: "* The pool is closed." No text is dropped.

    Args:
        document: the parsed source.
        document_id: part of every segment's id, so that two documents never share one.
        policy: sizes, in tokens.
        count: tokens of each of several texts.
        says_the_same: compares pieces of the same content words; equal normal forms by default.
    """
    pieces = _counted(list(_pieces(document.elements)), count)
    if policy.style is not SegmentStyle.WHOLE:
        pieces = list(_introduced(list(_with_notes(pieces)), policy, count))
    split = [part for piece in pieces for part in _split(piece, policy, count)]
    alone = [p.kind in _ALONE[policy.style] for p in split]
    repeated = frozenset[int]() if all(alone) else _repeated(split, document.language, says_the_same)
    repeated = frozenset(place for place in repeated if not _belongs(split, place))
    marked = [
        replace(p, stays_alone=p.stays_alone or alone[place] or place in repeated) for place, p in enumerate(split)
    ]
    joined = [whole for _, group in groupby(marked, key=lambda p: p.section) for whole in _join(group, policy)]
    return _finished(joined, document, document_id, policy)


def _repeated(pieces: Sequence[_Piece], language: str, says_the_same: SaysTheSame) -> frozenset[int]:
    """Return the indices of the pieces that repeat another piece, or are repeated."""
    places: dict[str, list[int]] = {}
    for place, piece in enumerate(pieces):
        places.setdefault(text.normalise(piece.text), []).append(place)
    same_words: dict[frozenset[str], list[int]] = {}
    for first, *_ in places.values():
        if terms := frozenset(text.terms(pieces[first].text, language)):
            same_words.setdefault(terms, []).append(first)
    repeated = {place for equal in places.values() if len(equal) > 1 for place in equal}
    for group in same_words.values():
        for at, place in enumerate(group):
            repeated |= _same(place, group[max(0, at - MOST_COMPARED) : at], pieces, language, says_the_same)
    return frozenset(repeated)


def _same(
    place: int, earlier: Sequence[int], pieces: Sequence[_Piece], language: str, says_the_same: SaysTheSame
) -> set[int]:
    """Return a piece's index and that of the nearest earlier piece that says the same; empty if there is none."""
    piece = pieces[place]
    detected = text.language(piece.text) if earlier else UNKNOWN_LANGUAGE
    read_as = language if detected == UNKNOWN_LANGUAGE else detected
    for other in reversed(earlier):
        if piece.kind is pieces[other].kind and says_the_same(piece.text, pieces[other].text, read_as):
            return {place, other}
    return set()


def _belongs(pieces: Sequence[_Piece], place: int) -> bool:
    """Return whether a piece is a field of what stands beside it, under the same heading.

    "Default: no" stands under many headings, and says another thing under each.
    """
    piece = pieces[place]
    if piece.kind is not Kind.PARAGRAPH or not piece.path or not _FIELD.fullmatch(piece.text):
        return False
    beside = (pieces[n] for n in (place - 1, place + 1) if 0 <= n < len(pieces))
    return any(other.section == piece.section for other in beside)


_LINED = frozenset({Kind.LIST, Kind.CODE, Kind.RECORD})
"""Kinds whose lines are kept whole."""

_FIELD = re.compile(
    r"[^\W\d_][\w /-]{0,30}: \S.{0,80}(?<![.!?])|(?:version(?:added|changed|removed)|deprecated) \d[\w.-]*"
)
"""A label of few words with a value on the same line, which is no sentence; or the version that something came with."""


def _pieces(elements: Sequence[Element]) -> Iterator[_Piece]:
    """Turn elements into pieces; every heading begins a new section."""
    path: list[tuple[int, str]] = []
    section = 0
    parents = _parents(elements)
    introduces = 0 in parents
    for place, element in enumerate(elements):
        if element.kind is not Kind.HEADING:
            titles = tuple(title for _, title in path)
            introduces = introduces and element.kind not in _NO_INTRODUCTION
            yield _Piece(
                element.kind, element.text, titles, section, element.page, rows=element.rows, introduces=introduces,
                place=element.place,
            )  # fmt: skip
            continue
        section += 1
        introduces = section in parents
        while path and path[-1][0] >= element.level:
            path.pop()
        following = elements[place + 1] if place + 1 < len(elements) else None
        if following is None or (following.kind is Kind.HEADING and following.level <= element.level):
            titles = tuple(title for _, title in path)
            yield _Piece(Kind.HEADING, element.text, titles, section, element.page)
        path.append((element.level, element.text))


def _parents(elements: Sequence[Element]) -> frozenset[int]:
    """Return the numbers of the sections, from 1, with sub-sections; 0 is the part before the first heading."""
    levels = [e.level for e in elements if e.kind is Kind.HEADING]
    return frozenset(n for n, (level, below) in enumerate(pairwise(levels), 1) if below > level)


MOST_OF_NOTES = 80
"""Tokens of the notes that are rows of their table; the rest are paragraphs."""


def _with_notes(pieces: Sequence[_Piece]) -> Iterator[_Piece]:
    """Give a table the paragraphs right behind it that begin with a mark which ends one of its cells."""
    table: _Piece | None = None
    marks: frozenset[str] = frozenset()
    for piece in pieces:
        if table is not None and _is_note_of(table, marks, piece):
            n_tokens = table.n_note_tokens + piece.n_tokens
            table = replace(table, notes=(*table.notes, *piece.text.split("\n")), n_note_tokens=n_tokens)
            continue
        if table is not None:
            yield table
        table, marks = (piece, marks_in(piece.rows)) if piece.rows else (None, frozenset())
        if table is None:
            yield piece
    if table is not None:
        yield table


def _is_note_of(table: _Piece, marks: frozenset[str], piece: _Piece) -> bool:
    if piece.kind is not Kind.PARAGRAPH or piece.section != table.section:
        return False
    if not marks or table.n_note_tokens + piece.n_tokens > MOST_OF_NOTES:
        return False
    return all(mark_of(line) in marks for line in piece.text.split("\n"))


def _noted(part: _Piece, notes: Sequence[str], count: CountTokens) -> _Piece:
    """Return a part of a table with those of its notes whose marks it holds, a row each."""
    marks = marks_in(part.rows)
    own = [note for note in notes if mark_of(note) in marks]
    return _table(part, (*part.rows, *((note,) for note in own)), part.n_tokens + sum(count(own))) if own else part


MOST_OF_LEAD = 40
"""Tokens of a paragraph that goes whole with what it introduces; of a longer one its last sentence goes."""

_READ_WITH_LEAD = frozenset({Kind.LIST, Kind.PARAGRAPH})
_HEADED_BY_LEAD = frozenset({Kind.TABLE, Kind.CODE, Kind.RECORD})


def _introduced(pieces: Sequence[_Piece], policy: SegmentPolicy, count: CountTokens) -> Iterator[_Piece]:
    """Give each line that ends in a colon to the piece after it, under the same heading.

    "Not suitable for the dishwasher:" says nothing at the end of what stands before it, and without it the list after
    it says something else. A caption right over a table is a heading of the table, and a piece of its own, too.
    """
    held: _Piece | None = None
    for place, piece in enumerate(pieces):
        if held is not None and piece.kind is Kind.CAPTION:
            yield piece
            continue
        led = piece if held is None else _with_lead(held, piece)
        held = None
        before = pieces[place - 1] if place else None
        if before and before.kind is Kind.CAPTION and piece.rows and before.section == piece.section:
            led = _with_lead(replace(before, text=without_label(before.text)), led)
        following = _following(pieces, place)
        if following is None or not _may_lead(led, following, policy) or _announces(led, following):
            yield led
            continue
        rest, held = _lead_of(led, count)
        yield from rest


def _following(pieces: Sequence[_Piece], place: int) -> _Piece | None:
    """Return the piece after one, or the table after its caption."""
    after = pieces[place + 1 : place + 3]
    is_captioned = len(after) > 1 and after[0].kind is Kind.CAPTION and bool(after[1].rows)
    return after[-1] if is_captioned else next(iter(after), None)


def _may_lead(piece: _Piece, following: _Piece, policy: SegmentPolicy) -> bool:
    """Return whether a piece introduces the one after it."""
    if piece.kind is not Kind.PARAGRAPH or not piece.text.rstrip().endswith((":", "\uff1a")):
        return False
    if following.section != piece.section or piece.place != following.place:
        return False
    if piece.place is not None and not piece.place.is_quoted:
        return False
    n_tokens = piece.n_tokens + following.n_tokens
    if following.kind is Kind.LIST and n_tokens > policy.split_above and described_terms(following.text):
        return False
    if following.kind is Kind.PARAGRAPH and n_tokens > policy.target:
        return False
    return following.kind in _READ_WITH_LEAD | _HEADED_BY_LEAD


def _announces(piece: _Piece, table: _Piece) -> bool:
    """Return whether the last sentence of a piece says no more than that a table follows: it is no heading of it."""
    if not table.rows:
        return False
    sentences = text.sentences(piece.text)
    last = piece.text[sentences[-1].start :] if sentences else piece.text
    return only_announces(last, (*table.rows[0], *table.path))


def _lead_of(piece: _Piece, count: CountTokens) -> tuple[list[_Piece], _Piece | None]:
    """Return what stays of a piece, and the lead-in at its end; no lead-in if its last sentence is too long for one."""
    if piece.n_tokens <= MOST_OF_LEAD:
        return [], piece
    *before, last = text.sentences(piece.text)
    parts = [piece.text[: last.start].rstrip(), piece.text[last.start :]]
    n_before, n_last = count(parts)
    if not before or n_last > MOST_OF_LEAD:
        return [piece], None
    return [replace(piece, text=parts[0], n_tokens=n_before)], replace(piece, text=parts[1], n_tokens=n_last)


def _with_lead(lead: _Piece, piece: _Piece) -> _Piece:
    """Return a piece with its lead-in, which is text of a list or a paragraph, and a heading of anything else."""
    if piece.kind in _HEADED_BY_LEAD:
        return replace(piece, path=(*piece.path, " ".join(lead.text.split())))
    if piece.kind is Kind.LIST:
        return replace(piece, lead=lead.text, n_lead_tokens=lead.n_tokens)
    return replace(piece, text=f"{lead.text}\n\n{piece.text}", n_tokens=lead.n_tokens + piece.n_tokens)


def _counted(pieces: list[_Piece], count: CountTokens) -> list[_Piece]:
    counts = count([p.text for p in pieces])
    return [replace(p, n_tokens=n) for p, n in zip(pieces, counts, strict=True)]


def _split(piece: _Piece, policy: SegmentPolicy, count: CountTokens) -> Iterable[_Piece]:
    if piece.notes:
        sized = replace(policy, split_above=policy.split_above - piece.n_note_tokens)
        return [_noted(part, piece.notes, count) for part in _split(replace(piece, notes=()), sized, count)]
    if piece.lead:
        sized = replace(policy, split_above=policy.split_above - piece.n_lead_tokens)
        return [
            replace(part, text=f"{piece.lead}\n\n{part.text}", n_tokens=part.n_tokens + piece.n_lead_tokens)
            for part in _split(replace(piece, lead="", n_lead_tokens=0), sized, count)
        ]
    if piece.n_tokens <= policy.split_above:
        return [piece]
    if piece.rows:
        return _split_table(piece, policy, count)
    if piece.kind is Kind.LIST and policy.style is SegmentStyle.PARAGRAPH and (terms := described_terms(piece.text)):
        return _split_terms(piece, terms, policy, count)
    return _split_text(piece, policy, count)


def _split_terms(
    piece: _Piece, terms: Sequence[tuple[int, int]], policy: SegmentPolicy, count: CountTokens
) -> Iterator[_Piece]:
    """Cut a list of described terms into its items; each is a passage of its own."""
    counts = count([piece.text[start:end] for start, end in terms])
    for (start, end), n in zip(terms, counts, strict=True):
        item = replace(piece, text=piece.text[start:end], n_tokens=n, stays_alone=True)
        yield from [item] if n <= policy.split_above else _split_text(item, policy, count)


def _split_text(piece: _Piece, policy: SegmentPolicy, count: CountTokens) -> list[_Piece]:
    units = _units(piece, policy.split_above, count)
    parts = _packed_by_lines(piece.text, units, policy) if piece.kind in _LINED else packed(units, policy.split_above)
    return [replace(piece, text=piece.text[start:end].strip("\n"), n_tokens=n) for start, end, n in parts]


def _units(piece: _Piece, most: int, count: CountTokens) -> list[tuple[int, int, int]]:
    """Return (start, end, tokens) of the smallest stretches of a long piece, in order."""
    is_lined = piece.kind in _LINED
    stretches = line_stretches(piece.text) if is_lined else [(s.start, s.end) for s in text.sentences(piece.text)]
    counts = count([piece.text[a:b] for a, b in stretches])
    units: list[tuple[int, int, int]] = []
    for (start, end), n in zip(stretches, counts, strict=True):
        units.extend([(start, end, n)] if n <= most else hard_cuts(piece.text, start, end, n, most))
    return units


def _packed_by_lines(
    whole: str, units: list[tuple[int, int, int]], policy: SegmentPolicy
) -> Iterator[tuple[int, int, int]]:
    lines = [whole[whole.rfind("\n", 0, start) + 1 : end] for start, end, _ in units]
    for first, end in parts_of_lines(lines, [n for _, _, n in units], policy.split_above, [0] * len(units)):
        yield units[first][0], units[end - 1][1], sum(n for _, _, n in units[first:end])


def _split_table(piece: _Piece, policy: SegmentPolicy, count: CountTokens) -> Iterator[_Piece]:
    """Cut a long table between rows; each part begins with the header row, and with what its first row stands below.

    That is the last row that heads a group, and what is carried down into the first cells of the row.
    """
    counts = count([" | ".join(row) for row in piece.rows])
    header, body = piece.rows[:1], piece.rows[1:]
    if not body:
        yield piece
        return
    most = policy.split_above - counts[0]
    leads = row_leads(body)
    longer = count(["\n".join(" | ".join(row) for row in lead) for lead in leads])
    added = [max(0, n - own) for n, own in zip(longer, counts[1:], strict=True)]
    leads = [lead if n <= most // 2 else (row,) for lead, n, row in zip(leads, added, body, strict=True)]
    added = [n if n <= most // 2 else 0 for n in added]
    lines = [" | ".join(row) for row in body]
    for first, end in parts_of_lines(lines, counts[1:], most, added):
        lead, more = (leads[first], added[first]) if first else (body[:1], 0)
        n_tokens = counts[0] + more + sum(counts[1:][first:end])
        yield _table(piece, (*header, *lead, *body[first + 1 : end]), n_tokens)


def _table(piece: _Piece, rows: tuple[Row, ...], n_tokens: int) -> _Piece:
    return replace(piece, rows=rows, text="\n".join(" | ".join(row) for row in rows), n_tokens=n_tokens)


def _join(pieces: Iterable[_Piece], policy: SegmentPolicy) -> Iterator[_Piece]:
    """Join the small pieces of one section with their neighbours."""
    held: list[_Piece] = []
    for piece in pieces:
        if held and not _may_join(held, piece, policy):
            yield _whole(held)
            held = []
        held.append(piece)
    if held:
        yield _whole(held)


def _may_join(held: list[_Piece], piece: _Piece, policy: SegmentPolicy) -> bool:
    if piece.stays_alone or held[-1].stays_alone or not _same_view(held[-1], piece):
        return False
    total = sum(p.n_tokens for p in held)
    small = total < policy.join_below or piece.n_tokens < policy.join_below
    return small and total + piece.n_tokens <= policy.target


def _same_view(a: _Piece, b: _Piece) -> bool:
    """Return whether two pieces are both text of one person, or from one picture, or from one speaker."""
    if a.place is None or b.place is None:
        return a.place is b.place
    if a.place.is_quoted or b.place.is_quoted:
        return a.place == b.place
    return (a.kind, a.page, a.place.picture, a.place.speaker) == (b.kind, b.page, b.place.picture, b.place.speaker)


def _joined_place(held: list[_Piece]) -> MediaPlace | None:
    """Return the place of several pieces: the box and time span around all, with the lowest confidence.

    It names where each piece begins in the text and in time, if they begin at different times.
    """
    places = [p.place for p in held if p.place is not None]
    if not places:
        return None
    boxes = [p.box for p in places if p.box]
    edges = list(zip(*boxes, strict=True))
    starts = [p.start_s for p in places if p.start_s is not None]
    ends = [p.end_s for p in places if p.end_s is not None]
    sure = [p.confidence for p in places if p.confidence is not None]
    return replace(
        places[0],
        box=(min(edges[0]), min(edges[1]), max(edges[2]), max(edges[3])) if len(boxes) == len(places) else (),
        start_s=min(starts, default=None),
        end_s=max(ends, default=None),
        confidence=min(sure, default=None),
        lines=_line_starts(held) if len(set(starts)) > 1 else (),
    )


def _line_starts(held: list[_Piece]) -> tuple[LineStart, ...]:
    """Return where the pieces with a time begin in the text that they are joined to."""
    offsets = accumulate((len(p.text) + len(_separator(held)) for p in held), initial=0)
    return tuple(
        LineStart(offset, p.place.start_s)
        for offset, p in zip(offsets, held, strict=False)
        if p.place is not None and p.place.start_s is not None
    )


def _separator(held: list[_Piece]) -> str:
    return "\n" if held[0].kind in RECOGNISED_KINDS else "\n\n"


def _whole(held: list[_Piece]) -> _Piece:
    if len(held) == 1:
        return held[0]
    longest = max(held, key=lambda p: p.n_tokens)
    return replace(
        held[0],
        kind=longest.kind,
        text=_separator(held).join(p.text for p in held),
        n_tokens=sum(p.n_tokens for p in held),
        place=_joined_place(held),
    )


def _finished(pieces: list[_Piece], document: Document, document_id: str, policy: SegmentPolicy) -> tuple[Segment, ...]:
    ids = SegmentIds(document_id)
    done: list[Segment] = []
    for ordinal, piece in enumerate(pieces):
        before = pieces[ordinal - 1] if ordinal and pieces[ordinal - 1].section == piece.section else None
        detected = text.language(piece.text)
        done.append(
            Segment(
                id=ids.new(piece.kind, piece.path, piece.text),
                ordinal=ordinal,
                kind=piece.kind,
                text=piece.text,
                heading_path=piece.path,
                page=piece.page,
                language=document.language if detected == UNKNOWN_LANGUAGE else detected,
                context=_context(document.title, piece.path, _overlap(before, policy)),
                n_tokens=piece.n_tokens,
                content_hash=text.content_hash(piece.text, piece.kind is Kind.CODE),
                rows=piece.rows,
                section_role=SECTION_INTRO if piece.introduces else ANSWER_BODY,
                place=piece.place,
            )
        )
    return tuple(done)


def _context(title: str, path: tuple[str, ...], overlap: str) -> str:
    names = [title] if title and (not path or text.normalise(path[0]) != text.normalise(title)) else []
    lines = [" > ".join([*names, *path]), overlap]
    return "\n".join(line for line in lines if line)


def _overlap(before: _Piece | None, policy: SegmentPolicy) -> str:
    """Return the last sentences of the piece before, about `policy.overlap` tokens; empty for an overlap of 0."""
    if before is None or policy.overlap == 0:
        return ""
    n_characters = max(1, len(before.text) * policy.overlap // max(1, before.n_tokens))
    if n_characters >= len(before.text):
        return before.text
    cut = before.text.rfind(" ", 0, len(before.text) - n_characters)
    for sentence in text.sentences(before.text):
        if abs(sentence.start - (len(before.text) - n_characters)) <= n_characters // 3:
            cut = sentence.start
            break
    return before.text[max(cut, 0) :].strip()
