"""Where the points of a list end, beside a text that has the same words without the points."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from saidonce.foundation.model import FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.lexicon import language_table, table, words_of
from saidonce.matching.facts.numerals import may_begin_a_number
from saidonce.matching.facts.plain.stretches import tables
from saidonce.matching.facts.plain.tables import ways

_POINT = re.compile(
    r"^(?P<indent>[ \t]*)(?:[-*+\u2022\u25e6\u25aa\u30fb]|(?P<n>\d{1,4})[.)])[ \t]+(?P<point>\S[^\n]*)$", re.M
)
_WORD = re.compile(r"(?=\w)[\u2e80-\ua4cf\uf900-\ufaff]|[^\W_]+(?:['\u2019][^\W_]+)*")
_ENDS = re.compile(r"[.!?\u3002](?!\w)")
_PARTS = re.compile(r"[,;:.!?\n\u2013\u2014\u2022\u3001\u3002\uff0c\uff1b]")
_QUOTES = re.compile('["\u201c\u201d\u201e\u00ab\u00bb]')
_SHOWN_WORDS = (4, 2, 1)
"""Words on each side of the end of a point by which it is found in the other text; fewer if so many are not."""

_MOST_POINTS = 200
"""Points of a list whose ends are looked for."""


class _Points(NamedTuple):
    """Points one below the other, with the words above them that lead to them; these may be empty."""

    lead: Span
    points: tuple[re.Match[str], ...]


def points_run_on(a: str, b: str, language: str) -> tuple[Objection, ...]:
    """Object to the first end of a point that is none in the other text, which has the same words in a row.

    In a sentence a point ends with a mark, or a word that joins it with the next one. Not so where the next one may
    hang on a preposition ("rooms with bath and breakfast"), or where a line that leads to all points would hold for the
    first alone or for both together ("Never open the lid. Touch the blade.", "Never drink and drive"). Points below a
    point, and numbers that do not begin with one, state something by their places.
    """
    if _lines(a) == _lines(b) or tables(a) or tables(b):
        return ()
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        places = next((hit for points in _lists(one) for hit in _run_on(points, one, two, language)), None)
        if places is not None:
            return (Objection(FactKind.ROLE, *(places[::-1] if is_turned else places)),)
    return ()


_SIGNED = re.compile(r"^[ \t]*[-*\u2022][ \t]+(?P<sign>[+\u2212])[ \t]+(?P<point>\S[^\n]*)$", re.MULTILINE)
"""A point with the sign of what speaks for something, or against it."""


def weighed_otherwise(a: str, b: str) -> tuple[Objection, ...]:
    """Object to the first point that speaks for or against something in one text, and not so in the other."""
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        signed = {(hit["sign"], hit["point"].casefold()) for hit in _SIGNED.finditer(two)}
        for hit in _SIGNED.finditer(one):
            if (hit["sign"], hit["point"].casefold()) not in signed:
                places = Span.of(hit), Span(0, 0, "")
                return (Objection(FactKind.ROLE, *(places[::-1] if is_turned else places)),)
    return ()


@remembered(1_024)
def _lists(text: str) -> tuple[_Points, ...]:
    """Return the lists of a text; empty lines may part the points."""
    done: list[_Points] = []
    run: list[re.Match[str]] = []
    for hit in (*_POINT.finditer(text), None):
        if run and (hit is None or text[run[-1].end() : hit.start()].strip()):
            if len(run) > 1:
                done.append(_Points(_lead(text[: run[0].start()]), tuple(run)))
            run = []
        run += [hit] if hit else []
    return tuple(done)


def _lines(text: str) -> list[str]:
    return [hit["point"] for of in _lists(text) for hit in of.points]


def _lead(above: str) -> Span:
    """Return the last line above a list, or of that its last sentence if that does not end."""
    end = len(above.rstrip())
    start = above.rfind("\n", 0, end) + 1
    start = max((m.end() for m in _ENDS.finditer(above, start, end)), default=start)
    return Span(start, end, above[start:end])


def _run_on(of: _Points, text: str, other: str, language: str) -> Iterator[tuple[Span, Span]]:
    is_list = bool(_lists(other))
    if not is_list:
        yield from _placed(of, other, language)
    points = [Span(p.start("point"), p.end("point"), p["point"]) for p in of.points[:_MOST_POINTS]]
    for here, there in pairwise((*points, *_behind(points[-1], text))):
        gaps = _gaps(here.text, there.text, other, language)
        lead = "" if there not in points or _is_title(of.lead.text, other, language) else of.lead.text.strip()
        is_clear = there is not points[-1] or _keeps_colon(lead, other) or _joins(points, other, language)
        ending = _Ending(lead, here.text, there.text, language, is_clear, _ends_its_line(lead, other))
        if gaps and not any("\n" in gap.text if is_list else ending.is_kept(gap.text) for gap in gaps):
            yield there, gaps[0]


def _placed(of: _Points, other: str, language: str) -> Iterator[tuple[Span, Span]]:
    """Yield what a list states by the places, numbers or count of its points, with the first point elsewhere."""
    depths = [len(p["indent"].expandtabs(4)) for p in of.points]
    odd = next((p for p, depth in zip(of.points, depths, strict=True) if depth > depths[0]), None)
    if (of.points[0]["n"] or "1").lstrip("0") not in ("", "1"):
        odd = of.points[0]
    at = _found(_words_of(of.points[0]["point"])[:1], other)
    if odd is not None and at is not None:
        yield Span(odd.start("point"), odd.end("point"), odd["point"]), at
    if (counted := _counts(of.lead, language)) and (hit := _behind_lead(of, other)):
        yield counted, hit


def _is_title(lead: str, other: str, language: str) -> bool:
    """Return whether a line above a list is set off in the other text, and so holds for more than one sentence.

    It stands alone in its line there: "**Never** open the lid. Touch the blade." forbids one thing. Only what is no
    lead of its list either, without a colon or a denial, may stand in bold with a colon in front of its sentences.
    """
    bare = re.escape(lead.strip("#*_: \t"))
    marked = rf"#+[ \t]+{bare}[#*_:\uff1a \t]*|(?:\*\*|__){bare} ?[:\uff1a]?(?:\*\*|__)[ \t]*[:\uff1a]?[ \t]*"
    if re.search(rf"^(?:{marked})$", other, re.IGNORECASE | re.MULTILINE):
        return True
    if not bare or ":" in lead or "\uff1a" in lead or _listed(language, "denies").search(lead):
        return False
    run_in = rf"^(?:\*\*|__){bare} ?(?:[:\uff1a](?:\*\*|__)|(?:\*\*|__)[:\uff1a])"
    return re.search(run_in, other, re.IGNORECASE | re.MULTILINE) is not None


def _ends_its_line(lead: str, other: str) -> bool:
    """Return whether the line in which the last words of a lead stand in the other text ends with them."""
    words = _words_of(lead)[-2:]
    return not words or re.search(rf"{_in_turn(words)}[^\w\n]*$", other, re.IGNORECASE | re.MULTILINE) is not None


def _keeps_colon(lead: str, other: str) -> bool:
    """Return whether a colon stands behind the last words of a lead in the other text, if there is a lead."""
    words = _words_of(lead)[-2:]
    return not words or re.search(rf"{_in_turn(words)}[*_ \xa0]*[:\uff1a]", other, re.IGNORECASE) is not None


def _joins(points: Sequence[Span], other: str, language: str) -> bool:
    """Return whether a word that joins stands in front of one of the points in the other text."""
    firsts = "|".join(_in_turn(words[:2]) for point in points if (words := _words_of(point.text)))
    return re.search(rf"(?<!\w)(?:{_joints(language)})\s+(?:{firsts})", other, re.IGNORECASE) is not None


def _behind(last: Span, text: str) -> Iterator[Span]:
    """Yield the line behind the last point of a list."""
    if hit := re.compile(r"\s*(?P<line>\S[^\n]*)").match(text, last.end):
        yield Span(hit.start("line"), hit.end("line"), hit["line"])


def _words_of(text: str) -> list[str]:
    return _WORD.findall(text)


def _found(words: list[str], other: str) -> Span | None:
    hit = re.search(_in_turn(words), other, re.IGNORECASE) if words else None
    return Span.of(hit) if hit else None


def _in_turn(words: list[str]) -> str:
    before = "" if words[0][0] > _UNSPACED else r"(?<!\w)"
    behind = "" if words[-1][-1] > _UNSPACED else r"(?!\w)"
    blank = r"[\W_]*" if words[0][0] > _UNSPACED else r"[\W_]+"
    return before + blank.join(map(re.escape, words)) + behind


_UNSPACED = "\u2e80"
"""Letters from which on words of most scripts have no spaces between."""


@remembered(1_024)
def _gaps(point: str, following: str, other: str, language: str) -> tuple[Span, ...]:
    """Return what stands in another text between the last words of a point and the first words of the next one.

    Of more words one may be written otherwise there. Remembered, as a list may say one thing hundreds of times.
    """
    ends, begins = ([w.casefold() for w in _words_of(side)] for side in (point, following))
    if not ends or not begins:
        return ()
    tried = (_between(ends[-n:], begins[:n], _read(other), other, language) for n in _SHOWN_WORDS)
    return next(filter(None, tried), ())


class _Read(NamedTuple):
    """The words of a text in small letters, with their ends and the places of each."""

    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    at: dict[str, list[int]]


@remembered(256)
def _read(text: str) -> _Read:
    hits = list(_WORD.finditer(text))
    places: dict[str, list[int]] = {}
    for n, hit in enumerate(hits):
        places.setdefault(hit[0].casefold(), []).append(n)
    return _Read(tuple(hit[0].casefold() for hit in hits), tuple(hit.span() for hit in hits), places)


_LONGEST_JOINT = 2
"""Words of which one that joins is made at most: "and then"."""


def _between(before: list[str], behind: list[str], read: _Read, other: str, language: str) -> tuple[Span, ...]:
    """Return each stretch between the same words, with nothing but marks and a word that joins in it."""
    done = []
    for last in read.at.get(before[-1], ()):
        if list(read.words[max(0, last + 1 - len(before)) : last + 1]) != before:
            continue
        for first in range(last + 1, last + 2 + _LONGEST_JOINT):
            joint = " ".join(read.words[last + 1 : first])
            if list(read.words[first : first + len(behind)]) == behind and _is_joint(joint, language):
                start, end = read.spans[last][1], read.spans[first][0]
                done.append(Span(start, end, other[start:end]))
    return tuple(done)


def _is_joint(words: str, language: str) -> bool:
    return not words or re.fullmatch(_joints(language), words) is not None


@cache
def _joints(language: str) -> str:
    joints = (ways(language).get("and", ""), table("layouts").get(language, {}).get("then", ""))
    return "|".join(filter(None, joints)) or "(?!)"


class _Ending(NamedTuple):
    """The end of a point in front of the next one, below a line that leads to both.

    Attributes:
        is_clear: whether a comma alone may part them; "Call Anna, the manager" names one person.
        is_led_to: whether the lead stands above both: "Never open the lid" is one line, and what it says another's.
    """

    lead: str
    here: str
    there: str
    language: str
    is_clear: bool
    is_led_to: bool

    def is_kept(self, gap: str) -> bool:
        """Return whether what stands between the two in a sentence ends the first as the list does."""
        if len(_QUOTES.findall(gap)) != len(_QUOTES.findall(_edge(self.here, self.there))):
            return False
        if _ENDS.search(gap):
            return self._is_free
        if ";" in gap or ("\n" in gap and (self.is_led_to or self._is_free)):
            return True
        gap = gap.replace("\n", " ")  # a line may end anywhere
        is_joined = _WORD.search(gap) is not None
        if not is_joined and not self.is_clear:
            return False
        is_parted = is_joined or _PARTS.search(gap) is not None
        if not is_parted and not (self.lead and _are_things((self.here, self.there), self.language)):
            return False
        return self._is_member and not (is_joined and self._is_one_of)

    @property
    def _is_free(self) -> bool:
        """Whether what leads to the points says nothing of them, but to which end they are."""
        ends = bool(_ENDS.search(self.lead[-1:]))
        return not self.lead or ends or _listed(self.language, "aims").match(self.lead.strip("#*_ ")) is not None

    @property
    def _is_member(self) -> bool:
        """Whether a comma or a word that joins ends the point: it has no comma, and governs nothing behind it."""
        has_comma = any("," in point.rstrip(",") for point in (self.here, self.there))
        is_label = ":" in self.here and ":" not in self.there
        return not has_comma and not is_label and not _may_hang(self.here, self.there, self.language)

    @property
    def _is_one_of(self) -> bool:
        """Whether neither or one of the points is meant, and not all together: "never drink and drive"."""
        return any(_listed(self.language, name).search(self.lead) for name in ("denies", "chooses"))


@cache
def _listed(language: str, name: str) -> re.Pattern[str]:
    listed = table("layouts").get(language, {}).get(name, "(?!)")
    return re.compile(rf"(?<!\w)(?:{listed})(?!\w)", re.IGNORECASE)


def _edge(here: str, there: str) -> str:
    """Return what stands in two points around the end of the first one."""
    last, first = list(_WORD.finditer(here))[-1], _WORD.search(there)
    return here[last.end() :] + (there[: first.start()] if first else "")


def _may_hang(here: str, there: str, language: str) -> bool:
    """Return whether the second point may be governed by a preposition inside the first one."""
    read, following = ([word.casefold() for word in _words_of(point)] for point in (here, there))
    hanging = _prepositions(language)
    if following[0] in hanging or _is_one_thing(there, language):
        return False
    is_sentence = _ENDS.search(here.rstrip()[-1:]) is not None
    return not is_sentence and not hanging.isdisjoint(read[1:-1])


def _is_one_thing(point: str, language: str) -> bool:
    """Return whether a point begins with a number or an article, and so is no part of the words before it."""
    first = _words_of(point)[0].casefold()
    return first[0].isdigit() or first in _articles(language) or may_begin_a_number(first, language)


def _are_things(points: Sequence[str], language: str) -> bool:
    return all(_is_one_thing(point, language) for point in points)


@cache
def _prepositions(language: str) -> frozenset[str]:
    governing = words_of(language_table(language).get("relations", {}).get("prepositions", ""))
    return governing | words_of(table("layouts").get(language, {}).get("excepts", ""))


@cache
def _articles(language: str) -> frozenset[str]:
    return words_of(language_table(language).get("articles", ""))


def _counts(lead: Span, language: str) -> Span | None:
    """Return the number that a line above a list ends with: how many of the points are meant."""
    last = next(iter(list(_WORD.finditer(lead.text))[-1:]), None)
    if last is None or not (last[0].isdigit() or may_begin_a_number(last[0].casefold(), language)):
        return None
    return Span(lead.start + last.start(), lead.start + last.end(), last[0])


def _behind_lead(of: _Points, other: str) -> Span | None:
    """Return where another text has the last words of a lead right in front of a point, without a colon."""
    before = _words_of(of.lead.text)[-2:]
    firsts = "|".join(_in_turn(words[:1]) for point in of.points if (words := _words_of(point["point"])))
    hit = re.search(rf"{_in_turn(before)}[ \n]+(?:{firsts})", other, re.IGNORECASE) if firsts else None
    return Span.of(hit) if hit else None
