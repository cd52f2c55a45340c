"""A line that ends in a colon goes with what it introduces, and never with what stands before it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from saidonce.documents.segment import segment
from saidonce.foundation.model import Candidate, Document, Element, Kind, Segment
from saidonce.foundation.settings.policy import SEGMENT_POLICIES, SegmentStyle
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement

P, L, H, C = Kind.PARAGRAPH, Kind.LIST, Kind.HEADING, Kind.CODE
ROOMS = "The rooms on the second floor are cleaned by the warden on the first Monday of each month without exception."
THIRD = ROOMS.replace("second", "third")
PLACES = "- the attic with its two lamps\n- the cellar behind the door"
BRING = "You may bring these into the reading room:"
NOT_BRING = "You may not bring these into the reading room:"
ITEMS = "- pencils\n- a laptop\n- loose sheets of paper"
FEES = (("Room", "Fee"), ("Hall", "40"), ("Attic", "15"))
TABLE = "Room | Fee\nHall | 40\nAttic | 15"


def element(kind: Kind, text: str) -> Element:
    return Element(kind, text, 2 if kind is H else 0)


def fees() -> Element:
    return Element(Kind.TABLE, TABLE, rows=FEES)


def cut(*elements: Element, style: SegmentStyle = SegmentStyle.PARAGRAPH) -> tuple[Segment, ...]:
    """Segments of a document, a word a token."""
    document = Document("", "md", elements, "en")
    return segment(document, "d", SEGMENT_POLICIES[style], lambda texts: [len(t.split()) for t in texts])


@dataclass(frozen=True)
class Page:
    about: str
    elements: tuple[tuple[Kind, str], ...]
    segments: tuple[str, ...]

    def __str__(self) -> str:
        return self.about


PAGES = [
    Page("a list takes its line along", ((P, BRING), (L, ITEMS)), (f"{BRING}\n\n{ITEMS}",)),
    Page(
        "what stands before it does not",
        ((P, ROOMS), (P, BRING), (L, ITEMS)),
        (ROOMS, f"{BRING}\n\n{ITEMS}"),
    ),
    Page(
        "nor does a longer paragraph",
        ((P, f"{ROOMS} {THIRD}"), (P, "Not on it:"), (L, PLACES)),
        (f"{ROOMS} {THIRD}", f"Not on it:\n\n{PLACES}"),
    ),
    Page(
        "each list has its own",
        ((P, BRING), (L, ITEMS), (P, NOT_BRING), (L, "- ink\n- food")),
        (f"{BRING}\n\n{ITEMS}", f"{NOT_BRING}\n\n- ink\n- food"),
    ),
    Page(
        "equal lists of two lines are two passages",
        ((P, BRING), (L, ITEMS), (P, NOT_BRING), (L, ITEMS)),
        (f"{BRING}\n\n{ITEMS}", f"{NOT_BRING}\n\n{ITEMS}"),
    ),
    Page(
        "the last sentence of a long paragraph goes with the list",
        ((P, f"{ROOMS} {THIRD} They skip these:"), (L, PLACES)),
        (f"{ROOMS} {THIRD}", f"They skip these:\n\n{PLACES}"),
    ),
    Page(
        "a short paragraph goes whole",
        ((P, "The desk is open. It lends:"), (L, "- lamps\n- locks")),
        ("The desk is open. It lends:\n\n- lamps\n- locks",),
    ),
    Page(
        "a name before what is spoken",
        ((P, ROOMS), (P, "Ida Voss:"), (P, "I take the minutes of the meeting in May and of all meetings after it.")),
        (ROOMS, "Ida Voss:\n\nI take the minutes of the meeting in May and of all meetings after it."),
    ),
    Page(
        "what a heading cuts off introduces nothing",
        ((P, ROOMS), (P, "These are free:"), (H, "Lamps"), (P, ROOMS.replace("rooms", "lamps"))),
        (f"{ROOMS}\n\nThese are free:", ROOMS.replace("rooms", "lamps")),
    ),
    Page("nor does what ends the text", ((P, ROOMS), (P, "These are free:")), (f"{ROOMS}\n\nThese are free:",)),
    Page(
        "two lines in a row",
        ((P, "In the hall:"), (P, "On Mondays:"), (L, "- lamps\n- locks")),
        ("In the hall:\n\nOn Mondays:\n\n- lamps\n- locks",),
    ),
    Page(
        "a colon inside introduces nothing",
        ((P, "Free: lamps and locks."), (P, "Ask at the desk.")),
        ("Free: lamps and locks.\n\nAsk at the desk.",),
    ),
    Page(
        "a full-width colon",
        ((P, "閲覧室に持ち込めるもの："), (L, "- 鉛筆\n- 紙")),
        ("閲覧室に持ち込めるもの：\n\n- 鉛筆\n- 紙",),
    ),
    Page(
        "before code it goes with the code",
        ((P, ROOMS), (P, "Start it with:"), (C, "make run")),
        (ROOMS, "make run"),
    ),
]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_what_goes_with_what(page: Page) -> None:
    assert [s.text for s in cut(*(element(*e) for e in page.elements))] == list(page.segments)


def test_a_list_with_its_line_is_a_list() -> None:
    (whole,) = cut(element(P, BRING), element(L, ITEMS))
    assert whole.kind is L


def test_a_long_list_repeats_its_line_in_each_part() -> None:
    items = "\n".join(f"- thing {n} of the long list of all things that may come along" for n in range(60))
    parts = cut(element(P, BRING), element(L, items))
    assert len(parts) > 1
    assert all(part.text.startswith(f"{BRING}\n\n- thing") for part in parts)
    lines = [line for part in parts for line in part.text.split("\n\n", 1)[1].splitlines()]
    assert lines == items.splitlines()


def test_a_line_over_a_table_is_its_heading() -> None:
    before, after = cut(element(P, ROOMS), element(P, "These fees are for members:"), fees())
    assert (before.text, before.heading_path) == (ROOMS, ())
    assert (after.text, after.rows, after.heading_path) == (TABLE, FEES, ("These fees are for members:",))


def test_below_a_heading_the_line_is_the_last_of_the_path() -> None:
    (only,) = cut(element(H, "Fees"), element(P, "These are for members:"), fees())
    assert only.heading_path == ("Fees", "These are for members:")


def test_what_follows_the_table_is_under_the_old_heading() -> None:
    _, after = cut(element(H, "Fees"), element(P, "These are for members:"), fees(), element(P, ROOMS))
    assert after.heading_path == ("Fees",)


@pytest.mark.parametrize("caption", ["Prices for members", "Table 2: Prices for members"])
def test_a_caption_right_over_a_table_is_its_heading_too(caption: str) -> None:
    named, after = cut(element(Kind.CAPTION, caption), fees())
    assert (named.text, after.heading_path) == (caption, ("Prices for members",))


MARKED = (("Day", "Pool"), ("Easter", "closed"), ("Good Friday*", "10:00 to 16:00"), ("Boxing Day\u2020", "12:00"))
OPEN = "\n".join(" | ".join(row) for row in MARKED)


@pytest.mark.parametrize(
    ("behind", "rows"),
    [
        (("* Gym only; the pool is closed.",), ("* Gym only; the pool is closed.",)),
        (("*Gym only.", "\u2020 Sauna from 14:00."), ("*Gym only.", "\u2020 Sauna from 14:00.")),
        (("* Gym only.\n\u2020 Sauna from 14:00.",), ("* Gym only.", "\u2020 Sauna from 14:00.")),
        (("\u2021 Of another table.",), ()),
        (("Gym only.",), ()),
    ],
)
def test_notes_under_a_table_are_rows_of_it(behind: tuple[str, ...], rows: tuple[str, ...]) -> None:
    table = Element(Kind.TABLE, OPEN, rows=MARKED)
    whole, *others = cut(table, *(element(P, text) for text in behind), element(P, ROOMS))
    assert whole.text == "\n".join((OPEN, *rows))
    assert whole.rows == (*MARKED, *((row,) for row in rows))
    assert len(others) == 1
    assert others[0].text.endswith(ROOMS)


def test_a_mark_is_read_whole() -> None:
    rows = (("Day", "Price"), ("Easter", "4*"), ("Monday", "5**"), ("Friday", "6\u00b2\u00b9"))
    table = Element(Kind.TABLE, "\n".join(" | ".join(row) for row in rows), rows=rows)
    whole, *_ = cut(table, element(P, "*** Of nothing."), element(P, ROOMS))
    assert whole.rows == rows
    whole, *_ = cut(table, element(P, "** Only in May."), element(P, "\u00b9 Of nothing."), element(P, ROOMS))
    assert whole.rows == (*rows, ("** Only in May.",))


def test_long_notes_are_paragraphs() -> None:
    note = "* " + " ".join(f"{ROOMS}" for _ in range(20))
    table = Element(Kind.TABLE, OPEN, rows=MARKED)
    whole, *others = cut(table, element(P, note))
    assert whole.rows == MARKED
    assert " ".join(other.text for other in others) == note


def test_a_list_of_described_terms_below_the_limit_stays_whole_with_its_line() -> None:
    terms = "\n".join(f"- --option-{n}: what this option does in a few words of its own here" for n in range(15))
    lead = "These are the options that the program takes on its command line, in any order and any number:"
    assert [s.text for s in cut(element(P, lead), element(L, terms))] in ([f"{lead}\n\n{terms}"], [lead, terms])


def test_each_part_of_a_long_table_has_the_notes_that_it_refers_to() -> None:
    rows = (("Day", "Pool"), *((f"Day {n} of the long year{'*' * (n == 3)}", "open all day long") for n in range(120)))
    table = Element(Kind.TABLE, "\n".join(" | ".join(row) for row in rows), rows=rows)
    first, *others = cut(table, element(P, "* Closed at noon."))
    assert first.text.endswith("\n* Closed at noon.")
    assert others
    assert not any("noon" in part.text for part in others)


def test_a_line_a_caption_and_a_table() -> None:
    before, caption, after = cut(
        element(P, ROOMS), element(P, "These are for members:"), element(Kind.CAPTION, "Table 1: Fees"), fees()
    )
    assert (before.text, caption.text) == (ROOMS, "Table 1: Fees")
    assert after.heading_path == ("These are for members:", "Fees")


def test_a_mark_may_stand_off_its_cell() -> None:
    rows = (("Day", "Price"), ("Easter", "8 euros *"))
    whole, *_ = cut(Element(Kind.TABLE, "", rows=rows), element(P, "* Free for trainees."), element(P, ROOMS))
    assert whole.rows == (*rows, ("* Free for trainees.",))


def test_elements_that_stay_whole_stay_apart() -> None:
    kept = cut(element(P, BRING), element(L, ITEMS), style=SegmentStyle.WHOLE)
    assert [s.text for s in kept] == [BRING, ITEMS]


def of_table(line: str) -> Candidate:
    return Candidate(TABLE, content_hash(TABLE), Kind.TABLE, "en", rows=FEES, section=line)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("These fees are for members:", "These fees are for members:", True),
        ("These fees are for members:", "These fees are for guests:", False),
        ("These services are free of charge:", "These services are charged in full:", False),
        ("From 1 May 2025 these fees hold:", "From 1 May 2026 these fees hold:", False),
        ("The fees, in thousands of pounds:", "The fees, in millions of pounds:", False),
        ("Fees for members", "Fees for members:", True),
        ("Fees for members", "Fees for guests", False),
        ("Gold members", "Silver members", False),
        ("Tariff 2024", "Tariff 2025", False),
        ("Model TX", "Model TY", False),
        ("Prices in EUR", "Prices in GBP", False),
        ("Draft rota", "Final rota", False),
        ("Building 4", "Building 6", False),
        ("3.1 Fees for members", "4.2 Fees for members", True),
        ("B. Fees for members", "C. Fees for members", True),
    ],
)
def test_equal_tables_under_two_lines_that_state_something_else(one: str, other: str, is_same: bool) -> None:
    assert (agreement(of_table(one), of_table(other)).agreement is Agreement.SAME) is is_same
