"""Two texts as they are compared, made once for each pair: in one markup, with the language and the places of both.

The guards and the agreement of two texts read a pair, and never the texts themselves. A pair gives the same two texts
in another form, too: in one layout, in plain phrases, set alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from saidonce.foundation.model import UNKNOWN_LANGUAGE, Candidate, Kind, Objection, Row, Span
from saidonce.foundation.text import content_hash, words
from saidonce.matching import facts
from saidonce.matching.facts import Change, Written
from saidonce.matching.ladder import LAYOUTS

LONGEST = 1_000
"""Characters up to which a text is written in plain words; of longer ones not all is said in one form or another."""

MOST_LACKING = 7
"""Words of a text that begin otherwise than all of the other one's; with more, no plain words are tried."""

NOT_WORDED = frozenset((Kind.CODE, Kind.TABLE, Kind.RECORD))
"""Kinds of text that are no running words, and have no points."""

_RUNNING = frozenset((Kind.PARAGRAPH, Kind.LIST))
"""Layouts of running text."""


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two texts as they are compared.

    Attributes:
        written: from where in each of the two texts the characters come; None if both are as they were.
    """

    a: Candidate
    b: Candidate
    written: tuple[Written, Written] | None = None

    @property
    def language(self) -> str:
        """The language of both; that of none where they differ."""
        return self.a.language if self.a.language == self.b.language else UNKNOWN_LANGUAGE

    @property
    def texts(self) -> tuple[str, str, str]:
        """Both texts, and the language in which the first one is read: what most rules ask for."""
        return self.a.text, self.b.text, self.a.language

    @property
    def mirrored(self) -> ComparedPair:
        """The same pair with the two texts swapped."""
        return ComparedPair(self.b, self.a, self.written and self.written[::-1])

    @property
    def read(self) -> ComparedPair:
        """The pair with the language in which the words of each are read, where its own is not known."""
        a, b = as_read(self.a), as_read(self.b)
        return self if a is self.a and b is self.b else ComparedPair(a, b, self.written)

    def in_place(self, objections: Iterable[Objection]) -> tuple[Objection, ...]:
        """Return objections to the pair as objections to the two texts as they were."""
        if self.written is None:
            return tuple(objections)
        a, b = self.written
        return tuple(replace(o, a=_placed(o.a, a), b=_placed(o.b, b)) for o in objections)

    def stating(self, a: str, b: str) -> ComparedPair:
        """Return a pair of two other texts that stand where these do; their places are their own."""
        return ComparedPair(_stating(self.a, a), _stating(self.b, b))

    @property
    def is_worded(self) -> bool:
        """Whether both are of one kind, language and length in which what is said may be put in plain words."""
        a, b = self.a, self.b
        if a.kind is not b.kind or a.kind in NOT_WORDED or a.rows or b.rows or a.language != b.language:
            return False
        return max(len(a.text), len(b.text)) <= LONGEST

    @property
    def with_rows_in_words(self) -> ComparedPair:
        """The pair with a table, beside a list or a paragraph, as the words of a page; itself if it is no such pair."""
        kinds = {self.a.kind, self.b.kind}
        if len(kinds) == 1 or not kinds <= LAYOUTS:
            return self
        return ComparedPair(_in_words(self.a), _in_words(self.b))

    @property
    def is_turned_round(self) -> bool:
        """Whether one is the table of the other with its rows as columns, and no row or column leans on another."""
        a, b = self.a, self.b
        if not a.rows or not b.rows or not _are_turned(a.rows, b.rows):
            return False
        return _is_one_table(a, b, b.language if a.language == UNKNOWN_LANGUAGE else a.language)

    @property
    def set_alike(self) -> ComparedPair:
        """The pair with names, steps, links and tables set alike; itself where nothing is set otherwise."""
        a, b = facts.set_alike(*self.texts)
        return self if (a, b) == (self.a.text, self.b.text) else self.stating(a, b)

    def in_one_layout(self) -> ComparedPair | None:
        """Return the pair in one layout, as far as tables and lists of both state the same; None where none do."""
        of = self.read
        written = facts.in_one_layout(*of.texts) if of.is_worded else None
        return None if written is None else of.stating(*written)

    def in_plain_phrases(self) -> ComparedPair | None:
        """Return the pair in plain phrases; None where they are too long, too far apart or as plain already."""
        of = self.read
        if not of.is_worded:
            return None
        alike = of.set_alike
        if alike is of and lacks(*of.texts) > MOST_LACKING:
            return None
        if written := facts.in_plain_phrases(*alike.texts):
            return alike.stating(written.a, written.b)
        return alike if alike is not of else None

    def spelled_right(self) -> ComparedPair:
        """Return the pair with the words that were meant; a judge reads a misspelled word as another one."""
        a, b = self.a.text, self.b.text
        return self.stating(facts.spelled_right(a, b, self.language), facts.spelled_right(b, a, self.language))

    def sentences(self, change: Change) -> ComparedPair:
        """Return two aligned sentences as texts like the first of the two that they stand in."""
        of = replace(self.a, rows=())
        return ComparedPair(_stating(of, change.a.text), _stating(of, change.b.text))


@lru_cache(maxsize=32)
def compared(a: Candidate, b: Candidate) -> ComparedPair:
    """Return two texts as they are compared: in one markup, if they are texts of words.

    A list and a paragraph are compared as the words that they are. Where one of a table and what stands beside it does
    not show its language, it is read in that of the other.

    All guards are asked about one pair before the next, so that few are remembered, however long their texts are.
    """
    if {a.kind, b.kind} == _RUNNING:
        a, b = (replace(side, kind=Kind.PARAGRAPH) for side in (a, b))
    if bool(a.rows) is not bool(b.rows) and {a.kind, b.kind} <= LAYOUTS:
        known = b.language if a.language == UNKNOWN_LANGUAGE else a.language
        a, b = (replace(side, language=known) if side.language == UNKNOWN_LANGUAGE else side for side in (a, b))
    if a.content_hash == b.content_hash or a.rows or b.rows or {a.kind, b.kind} & NOT_WORDED:
        return ComparedPair(a, b)
    written = facts.in_one_markup(a.text, b.text, ComparedPair(a, b).language)
    if written is None:
        return ComparedPair(a, b)
    return ComparedPair(_stating(a, written[0].text), _stating(b, written[1].text), written)


def _are_turned(one: Sequence[Row], two: Sequence[Row]) -> bool:
    """Return whether the cells of two tables are equal, letter for letter, one with its rows as columns."""
    if {len(row) for row in one} != {len(two)} or {len(row) for row in two} != {len(one)}:
        return False
    turned = list(zip(*two, strict=True))
    return [one[0][1:], *one[1:]] == [turned[0][1:], *turned[1:]]


@lru_cache(maxsize=1_024)
def _is_one_table(a: Candidate, b: Candidate, language: str) -> bool:
    laid = facts.in_one_layout(_in_words(a).text, _in_words(b).text, language)
    return laid is not None and laid[0] == laid[1] and all(facts.stand_alone(t.text, language) for t in (a, b))


def _in_words(of: Candidate) -> Candidate:
    if not of.rows:
        return replace(of, kind=Kind.PARAGRAPH)
    head, *rows = (f"| {' | '.join(cells)} |" for cells in of.rows)
    lined = "\n".join((head, "|---" * len(of.rows[0]) + "|", *rows))
    return replace(of, text=lined, content_hash=content_hash(lined), kind=Kind.PARAGRAPH, rows=())


def as_read(of: Candidate) -> Candidate:
    """Return a text with the language in which its words are read, where its own is not known."""
    language = facts.read_language(of.text, of.language)
    return of if language == of.language else replace(of, language=language)


def lacks(a: str, b: str, language: str) -> int:
    """Count the words of one text whose first letters no word of the other has.

    Figures and words of values are left out: the guards read them in any notation.
    """
    return len({w[:4] for w in words(a) if not facts.may_be_value(w, language)} - {w[:4] for w in words(b)})


def _stating(of: Candidate, text: str) -> Candidate:
    return of if text == of.text else replace(of, text=text, content_hash=content_hash(text))


def _placed(at: Span, written: Written) -> Span:
    """Return where a stretch stands in the text as it was; what quotes a property of the text stands nowhere."""
    return at if at.text and at.start == at.end else written.at(at.start, at.end)
