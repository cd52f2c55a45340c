"""What documents say and what the base keeps of it.

A *source* is bytes somebody gave; a *document* is a parsed source; a *segment* is one piece of
evidence of one document; a *block* is what the knowledge base keeps and retrieves, and points at
its segments by *attributions*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from saidonce.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Vector: TypeAlias = "NDArray[np.float32]"
"""A unit row, shape (dim,) float32, or unit rows, shape (n, dim) float32."""

Row: TypeAlias = tuple[str, ...]

MOST_TAGS = 20
LONGEST_TAG = 50

UNKNOWN_LANGUAGE = "und"
"""Language tag of text too short or too mixed to tell; it neither blocks nor allows."""


class Kind(StrEnum):
    """The structural role of a piece of text."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"
    CAPTION = "caption"
    CODE = "code"
    RECORD = "record"
    """Values under their labels: an object of JSON, the controls of a form, one "label: value" a line."""
    IMAGE_TEXT = "image_text"
    TRANSCRIPT = "transcript"
    FRAME = "frame"


MAIL_FORMATS = frozenset(("eml", "msg"))
"""Formats of documents whose author is the sender of a mail."""

RECOGNISED_KINDS = frozenset((Kind.IMAGE_TEXT, Kind.TRANSCRIPT, Kind.FRAME))
"""Kinds of what is seen or heard: each of their segments has a place in a picture or a recording."""


@dataclass(frozen=True, slots=True)
class Source:
    """Something to ingest: a name that stays the same when it comes again, and how to read it.

    `read` raises SourceRefusedError or OSError; it is called once, when its turn has come.

    Attributes:
        tags: what its document shall be found by, sorted; without any the document keeps those that it has.

    Raises:
        UsageError: there are too many tags, or one is empty or too long.
    """

    name: str
    read: Callable[[], bytes]
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Bring tags to one form: no spaces around them, each once, sorted."""
        tags = sorted({tag.strip() for tag in self.tags})
        if len(tags) > MOST_TAGS or not all(0 < len(tag) <= LONGEST_TAG for tag in tags):
            raise UsageError(
                f"a document can have up to {MOST_TAGS} tags of 1 to {LONGEST_TAG} characters each: {tags!r}"
            )
        object.__setattr__(self, "tags", tuple(tags))


@dataclass(frozen=True, slots=True)
class LineStart:
    """Where a line of a text begins: the offset of its first character, and the second at which it is heard."""

    offset: int
    start_s: float


@dataclass(frozen=True, slots=True)
class MediaPlace:
    """Where evidence is seen in a picture or heard in a recording, and how surely it was recognised.

    Attributes:
        picture: number of the document's kept picture, from 1; 0 without one.
        box: left, top, right and bottom edge as shares 0..1 of the picture; empty for all of it.
        start_s, end_s: seconds from the beginning of a recording; None without one.
        confidence: of the recogniser, 0..1, the least of what was joined; None for what stands in the source as text.
        speaker: as the source names who speaks; empty if it does not.
        by: name of the recogniser, or of the model that generated the text; empty without one.
        is_generated: whether a model wrote the text, rather than read it.
        lines: of a text whose lines are heard one after the other, where they begin, by offset; otherwise empty.
        is_quoted: whether a mail quotes it of another one, whose sender, if named, is the speaker.
    """

    picture: int = 0
    box: tuple[float, ...] = ()
    start_s: float | None = None
    end_s: float | None = None
    confidence: float | None = None
    speaker: str = ""
    by: str = ""
    is_generated: bool = False
    lines: tuple[LineStart, ...] = ()
    is_quoted: bool = False

    @property
    def is_recognised(self) -> bool:
        """Return whether a program read or heard the text, and may be wrong."""
        return self.confidence is not None

    def offset_of(self, second: float | None) -> int:
        """Return the offset of the line that begins at a second; 0 if none does."""
        return next((line.offset for line in self.lines if line.start_s == second), 0)

    def lines_of(self, text: str) -> list[tuple[LineStart, str]]:
        """Return the lines of the text that stands here, each with where it begins; none if they are not known."""
        ends = [*(line.offset for line in self.lines[1:]), len(text)]
        return [(line, text[line.offset : end]) for line, end in zip(self.lines, ends, strict=False)]

    def from_offset(self, offset: int) -> MediaPlace:
        """Return the place of the rest of the text, from the line on that holds a character; its lines are left out."""
        line = next((line for line in reversed(self.lines) if line.offset <= offset), None)
        return self if line is None else replace(self, start_s=line.start_s, lines=())


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A picture of a document as pages show it: a JPEG without notes, at most some hundred kilobytes large.

    Attributes:
        number: from 1, in the order of the document.
        content: the JPEG; empty where it is not kept.
        mark: perceptual hash; alike for rescaled and recompressed copies.
    """

    number: int
    content: bytes
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Original:
    """A file of evidence as it is kept, or a picture of it.

    Attributes:
        sha256: of the source's bytes, 64 hex digits, also for pictures of it.
        part: 0 for the source itself, else the number of the picture.
        mime: type of the content.
        content: empty where it is not kept.
        mark: perceptual hash; empty without one.
    """

    sha256: str
    part: int
    mime: str
    content: bytes
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Element:
    """One structural piece of a document in reading order, as its parser saw it.

    Attributes:
        level: depth of a heading from 1; 0 for all other kinds.
        page: page, slide or sheet number from 1; None where the format has none.
        rows: cells of a table, header row first; empty for all other kinds. `text` of a table is
            its rows, one a line, cells joined by " | ".
        place: where it is seen or heard; None for text.
    """

    kind: Kind
    text: str
    level: int = 0
    page: int | None = None
    rows: tuple[Row, ...] = ()
    place: MediaPlace | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed source.

    Attributes:
        format: short name of the format family, such as "pdf" or "docx".
        authored_at: aware UTC; the source's own statement, None if it makes none.
        warnings: what the parser could not carry over, in plain words.
        tags: given to it when it was ingested, sorted.
        pictures: what its evidence is shown in, by number.
        mark: perceptual hash of its sound; empty without.
    """

    title: str
    format: str
    elements: tuple[Element, ...]
    language: str = UNKNOWN_LANGUAGE
    authored_at: datetime | None = None
    author: str = ""
    n_pages: int = 0
    warnings: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    pictures: tuple[PagePicture, ...] = ()
    mark: str = ""

    @property
    def sender(self) -> str:
        """Who sent it, if it is a mail; empty for other documents."""
        return self.author if self.format in MAIL_FORMATS else ""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What is in an archive or a mailbox, each member under the archive's name and its own, all by name.

    Attributes:
        members: name and bytes.
        refused: name, reason and detail of those that cannot be read.
        passed_over: names of those that no parser knows.
    """

    members: tuple[tuple[str, bytes], ...]
    refused: tuple[tuple[str, str, str], ...] = ()
    passed_over: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Segment:
    """One piece of evidence of one document; never altered after extraction.

    Attributes:
        id: 32 hex digits, a function of document, kind, heading path, text and occurrence.
        ordinal: place in the document, from 0.
        context: title, heading path and overlap; searched with the text, never compared as text.
        salience: 0..1, before any boost.
        content_hash: 32 hex digits of the normalised text.
        section_role: "section_intro" for what introduces a section with sub-sections, else "answer_body".
        place: where it is seen or heard; None for text.
    """

    id: str
    ordinal: int
    kind: Kind
    text: str
    heading_path: tuple[str, ...]
    page: int | None
    language: str
    context: str
    n_tokens: int
    content_hash: str
    rows: tuple[Row, ...] = ()
    salience: float = 0.0
    section_role: str = ""
    place: MediaPlace | None = None

    @property
    def section(self) -> str:
        """The heading right over it; empty without one."""
        return section_of(self.heading_path)


def quoted_from(speaker: str, sender: str) -> str:
    """Return in words of whom a mail quotes a text: "from Ada Fenn, quoted by Jo Lin"."""
    return ", ".join((*((f"from {speaker}",) if speaker else ()), f"quoted by {sender}" if sender else "quoted"))


def section_of(heading_path: tuple[str, ...]) -> str:
    """Return the heading right over what stands at the end of a path; empty without one."""
    return heading_path[-1] if heading_path else ""


class FactKind(StrEnum):
    """What kind of difference an objection reports."""

    NUMBER = "number"
    UNIT = "unit"
    AMOUNT = "amount"
    DATE = "date"
    VERSION = "version"
    IDENTIFIER = "identifier"
    NEGATION = "negation"
    MODALITY = "modality"
    QUANTIFIER = "quantifier"
    FREQUENCY = "frequency"
    OPPOSITE = "opposite"
    TENSE = "tense"
    NAME = "name"
    ROLE = "role"
    TERM = "term"
    KIND = "kind"
    LANGUAGE = "language"
    TABLE_SHAPE = "table_shape"
    SECTION_ROLE = "section_role"
    HEADING = "heading"
    SPEAKER = "speaker"
    DECISION = "decision"
    RECOGNISED = "recognised"


VALUE_KINDS = frozenset(
    (FactKind.NUMBER, FactKind.UNIT, FactKind.AMOUNT, FactKind.DATE, FactKind.VERSION, FactKind.IDENTIFIER)
)
"""Kinds whose values are written in one way only, after conversion; how often is said in many ways."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text: half-open character offsets into it and the characters themselves."""

    start: int
    end: int
    text: str

    def moved(self, by: int) -> Span:
        """Return the same characters as they stand in a text that begins `by` characters earlier."""
        return Span(self.start + by, self.end + by, self.text)

    @classmethod
    def of(cls, hit: re.Match[str]) -> Span:
        """Return where the match of an expression stands in the text that was searched."""
        return cls(hit.start(), hit.end(), hit[0])

    def holds(self, other: Span) -> bool:
        """Return whether another stretch of the same text lies in this one."""
        return self.start <= other.start and other.end <= self.end


@dataclass(frozen=True, slots=True)
class Objection:
    """What a guard says: which fact differs, and where in each of the two texts.

    In the ladder `a` is the candidate and `b` the kept text.

    A side on which nothing stands (a negation present in one text only) has an empty span at the
    place where it would stand.
    """

    kind: FactKind
    a: Span
    b: Span

    @property
    def mirrored(self) -> Objection:
        """The same objection with the two texts swapped."""
        return Objection(self.kind, self.b, self.a)

    @property
    def differs_in_value(self) -> bool:
        """Return whether each text states a value of one kind, and another than the other text.

        Paraphrases differ in words, roles and order too, and one may leave out a value; no paraphrase changes it.
        """
        return self.kind in VALUE_KINDS and bool(self.a.text and self.b.text) and self.a.text != self.b.text


def each_once(objections: Iterable[Objection]) -> tuple[Objection, ...]:
    """Return objections as they are shown: of those that say the same of several places, the first."""
    shown: dict[tuple[FactKind, str, str], Objection] = {}
    for o in objections:
        shown.setdefault((o.kind, o.a.text, o.b.text), o)
    return tuple(shown.values())


class Relation(StrEnum):
    """How a segment supports a block: by its text, by another that was merged with it, or as a repeat of either."""

    KEPT = "kept"
    MERGED = "merged"
    EXACT = "exact"
    NEAR = "near"


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one of several ranked texts when repeats were removed.

    Attributes:
        index: place in the input.
        of: place of the KEPT text that this one repeats; equal to `index` if it was kept.
        similarity: canonical cosine to that text; 1.0 if kept.
        objections: of the nearest kept text at or above the threshold that a guard held apart;
            empty if no guard spoke.
        near_miss: place of that text, or None.
        undecided: kept, and more kept texts at or above the threshold than the guards are asked
            about: one farther away might say the same.
    """

    index: int
    relation: Relation
    of: int
    similarity: float = 1.0
    objections: tuple[Objection, ...] = ()
    near_miss: int | None = None
    undecided: bool = False


@dataclass(frozen=True, slots=True)
class Attribution:
    """A segment that supports a block, with the place where it stands.

    Attributes:
        similarity: canonical cosine to the block's own text; 1.0 for the kept segment and for
            exact repeats.
        sender: of the mail that it stands in; empty for other documents.
    """

    segment_id: str
    document_id: str
    document: str
    title: str
    relation: Relation
    similarity: float
    ordinal: int
    page: int | None
    heading_path: tuple[str, ...]
    text: str
    place: MediaPlace | None = None
    sender: str = ""

    @property
    def section(self) -> str:
        """The heading right over it; empty without one."""
        return section_of(self.heading_path)


@dataclass(frozen=True, slots=True)
class Block:
    """What the knowledge base keeps and retrieves.

    Attributes:
        document: name of the document that the kept segment stands in, unique in its collection.
        salience: 0..1, boosts included.
        boost: relative boost by near-repeats; salience = min(cap, first salience x (1 + boost)).
        documents: names of all documents that support it, sorted.
        members: ids of the kept segments it is made of, sorted; only its own in an evidence collection.
        tags: of all documents that support it, sorted.
    """

    id: str
    collection: str
    document_id: str
    document: str
    title: str
    kind: Kind
    text: str
    heading_path: tuple[str, ...]
    page: int | None
    language: str
    salience: float
    boost: float
    authored_at: datetime | None
    content_hash: str
    rows: tuple[Row, ...] = ()
    attributions: tuple[Attribution, ...] = ()
    documents: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    approval: str = "draft"
    owner: str = ""
    tags: tuple[str, ...] = ()

    @property
    def section(self) -> str:
        """The heading right over it; empty without one."""
        return section_of(self.heading_path)

    @property
    def place(self) -> MediaPlace | None:
        """Where its own text is seen or heard; None for text."""
        return next((a.place for a in self.attributions if a.segment_id == self.id), None)

    @property
    def sender(self) -> str:
        """The sender of the mail that its own text stands in; empty for other documents."""
        return next((a.sender for a in self.attributions if a.segment_id == self.id), "")


@dataclass(frozen=True, slots=True)
class Collection:
    """A named set of documents that share a policy and an embedding model.

    Attributes:
        use: "evidence", whose blocks have one document each, or "canonical", whose blocks documents share.
    """

    name: str
    use: str
    segment_style: str
    model: str
    dim: int

    @property
    def is_canonical(self) -> bool:
        """Return whether segments of different documents may share a block."""
        return self.use == "canonical"


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as the store knows it.

    Attributes:
        id: 32 hex digits; the same for all versions.
        names: all names under which its present bytes were seen, `name` first, the others sorted.
        settings_hash: of the settings that shaped its segments; another hash asks for a new version.
        tags: given to it when it was ingested, sorted.
        warnings: what the parser could not carry over, in plain words.
        author: as the source names it; empty if it does not.
    """

    id: str
    collection: str
    name: str
    fingerprint: str
    version: int
    title: str
    format: str
    language: str
    authored_at: datetime | None
    ingested_at: datetime
    n_segments: int
    n_blocks: int
    settings_hash: str
    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    author: str = ""

    @property
    def sender(self) -> str:
        """Who sent it, if it is a mail; empty for other documents."""
        return self.author if self.format in MAIL_FORMATS else ""


@dataclass(frozen=True, slots=True)
class Filters:
    """Which blocks a search may return; an empty tuple or None does not restrict.

    Metadata `of` names the property of a block that must be, or hold, one of the values.

    Attributes:
        since, until: bounds on `authored_at`, both inclusive: of any document of a block where only canonical
            collections are searched, else of the block; without a date it is left out when a bound is given.
        tags: blocks that have one of them.
    """

    collections: tuple[str, ...] = field(default=(), metadata={"of": "collection"})
    documents: tuple[str, ...] = field(default=(), metadata={"of": "documents"})
    kinds: tuple[Kind, ...] = field(default=(), metadata={"of": "kind"})
    languages: tuple[str, ...] = field(default=(), metadata={"of": "language"})
    since: datetime | None = None
    until: datetime | None = None
    tags: tuple[str, ...] = field(default=(), metadata={"of": "tags"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Filterable:
    """What filters look at in a block; whatever a search may return has it.

    Attributes:
        documents: names of all documents that support it, sorted.
    """

    collection: str
    documents: tuple[str, ...]
    kind: Kind
    language: str
    authored_at: datetime | None
    tags: tuple[str, ...] = ()
