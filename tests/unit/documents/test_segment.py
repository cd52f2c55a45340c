from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.documents.row_leads import MOST_HEADS
from saidonce.documents.segment import MOST_COMPARED, segment
from saidonce.foundation.model import Document, Element, Kind, Segment
from saidonce.foundation.settings.policy import SEGMENT_POLICIES, SegmentPolicy, SegmentStyle

PARAGRAPH = SEGMENT_POLICIES[SegmentStyle.PARAGRAPH]
PACKED = SEGMENT_POLICIES[SegmentStyle.PACKED]
WHOLE = SEGMENT_POLICIES[SegmentStyle.WHOLE]


def count(texts: Sequence[str]) -> list[int]:
    """Words for tokens."""
    return [len(one.split()) for one in texts]


def heading(title: str, level: int = 1) -> Element:
    return Element(Kind.HEADING, title, level)


def paragraph(content: str) -> Element:
    return Element(Kind.PARAGRAPH, content)


def table(*rows: tuple[str, ...]) -> Element:
    return Element(Kind.TABLE, "\n".join(" | ".join(row) for row in rows), rows=rows)


def said(n: int, start: int = 0) -> str:
    """n different words as one sentence."""
    return " ".join(f"w{place}" for place in range(start, start + n)).capitalize() + "."


def cut(*elements: Element, policy: SegmentPolicy = PARAGRAPH, title: str = "", id: str = "d") -> tuple[Segment, ...]:
    return segment(Document(title, "md", elements, "en"), id, policy, count)


def _lined(kind: Kind, lines: Sequence[str]) -> Element:
    text = "\n".join(lines)
    return Element(kind, text, rows=tuple(tuple(line.split(" | ")) for line in lines) if kind is Kind.TABLE else ())


class TestHeadings:
    def test_become_the_path_of_what_follows(self) -> None:
        found = cut(
            heading("House"), paragraph(said(30)), heading("Keys", 2), paragraph(said(30, 100)), heading("Lending", 3),
            paragraph(said(30, 200)), heading("Heating", 2), paragraph(said(30, 300)),
        )  # fmt: skip
        assert [s.heading_path for s in found] == [
            ("House",),
            ("House", "Keys"),
            ("House", "Keys", "Lending"),
            ("House", "Heating"),
        ]
        assert {s.kind for s in found} == {Kind.PARAGRAPH}

    def test_over_nothing_are_segments_of_their_own(self) -> None:
        found = cut(heading("House"), heading("Keys", 2), heading("Heating", 2), paragraph(said(30)), heading("End"))
        assert [(s.kind, s.text, s.heading_path) for s in found] == [
            (Kind.HEADING, "Keys", ("House",)),
            (Kind.PARAGRAPH, said(30), ("House", "Heating")),
            (Kind.HEADING, "End", ()),
        ]

    def test_that_skip_a_level_still_nest(self) -> None:
        found = cut(heading("House", 2), heading("Lending", 5), paragraph(said(30)), heading("Top", 1), paragraph("x"))
        assert [s.heading_path for s in found] == [("House", "Lending"), ("Top",)]


class TestSmallPieces:
    def test_join_their_neighbours(self) -> None:
        (found,) = cut(paragraph("one two"), paragraph("three four"), paragraph("five"))
        assert found.text == "one two\n\nthree four\n\nfive"
        assert found.n_tokens == 5

    def test_join_only_under_one_heading(self) -> None:
        found = cut(paragraph("one"), heading("Keys"), paragraph("two"), heading("Keys"), paragraph("three"))
        assert [s.text for s in found] == ["one", "two", "three"]

    def test_stop_joining_at_the_target(self) -> None:
        sized = SegmentPolicy(SegmentStyle.PARAGRAPH, join_below=24, target=120, split_above=240, overlap=0)
        found = cut(*(paragraph(said(20, 100 * n)) for n in range(8)), policy=sized)
        assert [s.n_tokens for s in found] == [120, 40]
        found = cut(paragraph(said(20)), paragraph(said(110, 50)), policy=sized)
        assert [s.n_tokens for s in found] == [20, 110]

    def test_large_pieces_stay_alone(self) -> None:
        assert len(cut(paragraph(said(30)), paragraph(said(30, 50)))) == 2

    @pytest.mark.parametrize("kind", [Kind.CAPTION, Kind.CODE])
    def test_do_not_join_across_another_role(self, kind: Kind) -> None:
        found = cut(paragraph("one"), Element(kind, "two"), paragraph("three"))
        assert [s.kind for s in found] == [Kind.PARAGRAPH, kind, Kind.PARAGRAPH]

    def test_take_the_kind_of_the_longest(self) -> None:
        (found,) = cut(paragraph("They need:"), Element(Kind.LIST, "- a key\n- a lamp\n- a rope"))
        assert found.kind is Kind.LIST

    def test_that_the_document_repeats_stay_alone(self) -> None:
        found = cut(paragraph("Ask us."), paragraph("one"), paragraph("ASK  us."), paragraph("two"), paragraph("three"))
        assert [s.text for s in found] == ["Ask us.", "one", "ASK  us.", "two\n\nthree"]
        assert found[0].content_hash == found[2].content_hash

    def test_a_field_belongs_to_what_stands_beside_it_however_often_it_is_there(self) -> None:
        found = cut(
            heading("Doors"), paragraph("How long they stay open."), paragraph("Default: 9"),
            heading("Alarm"), paragraph("How long it rings."), paragraph("Default: 9"),
            heading("Light"), paragraph("Default: 9"),
        )  # fmt: skip
        assert [s.text for s in found] == [
            "How long they stay open.\n\nDefault: 9",
            "How long it rings.\n\nDefault: 9",
            "Default: 9",
        ]

    def test_the_version_that_something_came_with_belongs_to_it(self) -> None:
        new = paragraph("versionadded 3.1")
        found = cut(heading("Doors"), new, paragraph("They shut."), heading("Alarm"), paragraph("It rings."), new)
        assert [s.text for s in found] == ["versionadded 3.1\n\nThey shut.", "It rings.\n\nversionadded 3.1"]

    def test_a_sentence_behind_a_colon_is_no_field(self) -> None:
        note = "Note: Keep the doors shut."
        found = cut(heading("Doors"), paragraph("They shut."), paragraph(note), heading("Alarm"), paragraph(note))
        assert [s.text for s in found] == ["They shut.", note, note]

    def test_that_say_the_same_in_the_same_words_stay_alone(self) -> None:
        asked: list[tuple[str, str, str]] = []

        def says_the_same(a: str, b: str, language: str) -> bool:
            asked.append((a, b, language))
            return True

        elements = tuple(map(paragraph, ("Ask the porter.", "one", "The porter: ask!", "two", "three", "four two")))
        found = segment(Document("", "md", elements, "en"), "d", PARAGRAPH, count, says_the_same)
        assert [s.text for s in found] == ["Ask the porter.", "one", "The porter: ask!", "two\n\nthree\n\nfour two"]
        assert asked == [("The porter: ask!", "Ask the porter.", "en")]

    def test_that_say_something_else_in_the_same_words_are_joined_as_all_others(self) -> None:
        elements = tuple(map(paragraph, ("Ann pays Bob.", "one", "Bob pays Ann.")))
        found = segment(Document("", "md", elements, "en"), "d", PARAGRAPH, count, lambda _a, _b, _language: False)
        assert [s.text for s in found] == ["Ann pays Bob.\n\none\n\nBob pays Ann."]

    def test_are_compared_with_a_bounded_number_of_others(self) -> None:
        asked = 0

        def never(_a: str, _b: str, _language: str) -> bool:
            nonlocal asked
            asked += 1
            return False

        digits = [f"{n:010b}".replace("0", " 7 ").replace("1", " 8 ") for n in range(1, 600)]
        segment(Document("", "md", tuple(map(paragraph, digits)), "en"), "d", PARAGRAPH, count, never)
        assert asked <= MOST_COMPARED * len(digits)


class TestLongPieces:
    def test_are_split_at_sentence_ends(self) -> None:
        sentences = [said(60, 100 * n) for n in range(6)]
        found = cut(paragraph(" ".join(sentences)))
        assert [s.text for s in found] == [" ".join(sentences[:4]), " ".join(sentences[4:])]
        assert max(s.n_tokens for s in found) <= PARAGRAPH.split_above

    def test_a_sentence_without_end_is_cut_between_words(self) -> None:
        found = cut(paragraph(said(1_000)))
        assert " ".join(s.text for s in found) == said(1_000)
        assert max(count([s.text for s in found])) <= 240

    def test_a_word_without_end_is_cut_too(self) -> None:
        def letters(texts: Sequence[str]) -> list[int]:
            return [len(one) for one in texts]

        found = segment(Document("", "md", (paragraph("x" * 1_000),)), "d", PARAGRAPH, letters)
        assert "".join(s.text for s in found) == "x" * 1_000
        assert max(len(s.text) for s in found) <= 240

    @pytest.mark.parametrize("kind", [Kind.LIST, Kind.CODE])
    def test_lists_and_code_are_split_at_lines(self, kind: Kind) -> None:
        lines = [f"  - {said(50, 100 * n)} more" for n in range(10)]
        found = cut(Element(kind, "\n".join(lines)))
        assert [line for s in found for line in s.text.split("\n")] == lines
        assert len(found) == 3

    def test_tables_are_split_between_rows_and_keep_their_header(self) -> None:
        rows = [("who", "what"), *((f"name{n}", said(50, 100 * n)) for n in range(10))]
        found = cut(table(*rows))
        assert len(found) > 1
        assert all(s.rows[0] == rows[0] for s in found)
        assert [row for s in found for row in s.rows[1:]] == rows[1:]
        assert all(s.text == "\n".join(" | ".join(row) for row in s.rows) for s in found)

    @pytest.mark.parametrize("kind", [Kind.TABLE, Kind.LIST, Kind.CODE])
    @pytest.mark.parametrize("place", [0, 40, 119])
    def test_two_editions_are_cut_at_the_same_lines_although_one_has_a_line_more(self, kind: Kind, place: int) -> None:
        lines = [f"lift {n} | " + " ".join(f"w{n}x{m}" for m in range(5 + n * 7 % 11)) for n in range(120)]
        editions = (lines, [*lines[:place], "a new lift | with seven words that nobody expected", *lines[place:]])
        old, new = (
            {s.text for s in cut(_lined(kind, ["Lift | Words", *each]))} for each in editions
        )  # fmt: skip
        assert len(old - new) <= 3 < len(old & new)

    def test_a_part_of_code_ends_before_a_line_of_the_least_depth(self) -> None:
        lines = [line for n in range(30) for line in (f"def lift_{n}():", *(f"    step {n} {m} up" for m in range(9)))]
        parts = cut(_lined(Kind.CODE, lines))
        assert len(parts) > 2
        assert all(part.text.startswith("def lift_") for part in parts)

    def test_a_part_of_a_table_repeats_the_row_that_heads_its_first_rows(self) -> None:
        groups = ("Heated store", "Cold store")
        rows = [
            ("what", "where"),
            *(row for g in groups for row in ((g, ""), *((f"{g} {n}", said(40, 100 * n)) for n in range(8)))),
        ]
        parts = cut(table(*rows))
        assert len(parts) > 2
        for part in parts:
            assert part.rows[0] == rows[0]
            assert part.rows[1] in [(g, "") for g in groups]
            assert part.rows[2][0].startswith(part.rows[1][0])

    def test_a_part_of_a_table_begins_with_what_is_carried_down_into_its_first_row(self) -> None:
        stores = ("Heated", "Cold")
        rows = [
            ("store", "what", "where"),
            *((s if n == 0 else "", f"{s} {n}", said(40, 100 * n)) for s in stores for n in range(8)),
        ]
        parts = cut(table(*rows))
        assert len(parts) > 2
        assert all(part.rows[1][1].startswith(part.rows[1][0]) and part.rows[1][0] for part in parts)
        kept = [row[1:] for part in parts for row in part.rows[1:]]
        assert kept == [row[1:] for row in rows[1:]]

    @pytest.mark.parametrize("mark", ['"', "\u3003"])
    def test_a_part_of_a_table_begins_with_what_a_ditto_mark_stands_for(self, mark: str) -> None:
        rows = [("store", "where"), *(("Cold" if n == 0 else mark, said(40, 100 * n)) for n in range(16))]
        assert {part.rows[1][0] for part in cut(table(*rows))} == {"Cold"}

    @pytest.mark.parametrize(
        "is_done",
        [lambda n: False, lambda n: n % 10 == 9, lambda n: n < 50],
        ids=["nothing is filled in", "every tenth row is", "the first half is"],
    )
    def test_rows_whose_other_cells_are_empty_are_no_headings_of_what_follows(
        self, is_done: Callable[[int], bool]
    ) -> None:
        rows = [(f"check valve number {n}", *(("yes", "3 May") if is_done(n) else ("", ""))) for n in range(100)]
        parts = cut(table(("step", "done", "date"), *rows))
        assert len(parts) > 1
        shown = [row for part in parts for row in part.rows[1:]]
        assert sorted(set(shown)) == sorted(rows)
        assert len(shown) - len(rows) <= MOST_HEADS * (len(parts) - 1) * any(map(is_done, range(50, 100)))

    def test_headings_of_several_levels_are_repeated(self) -> None:
        rows = [("what", "where"), ("Stores", ""), ("Cold", ""), *((f"hall {n}", said(40, 100 * n)) for n in range(12))]
        parts = cut(table(*rows))
        assert len(parts) > 1
        assert {part.rows[1:3] for part in parts} == {(("Stores", ""), ("Cold", ""))}

    def test_one_long_heading_of_a_group_makes_no_other_part_smaller(self) -> None:
        short = (("Cold", ""), *((f"hall {n}", said(20, 100 * n)) for n in range(40)))
        long = said(60, 9_000)
        alone = [part.rows for part in cut(table(("what", "where"), *short))]
        also = [part.rows for part in cut(table(("what", "where"), *short, (long, ""), ("shed", said(20, 5))))]
        assert also[: len(alone) - 1] == alone[:-1]

    def test_no_part_with_what_is_repeated_in_it_is_too_long(self) -> None:
        groups = [(said(30, 1_000 * g), "") for g in range(6)]
        halls = [[(f"hall {g} {n}", said(25, 90 * n + g)) for n in range(9)] for g in range(6)]
        rows = [row for group, below in zip(groups, halls, strict=True) for row in (group, *below)]
        parts = cut(table(("what", "where"), *rows))
        assert len(parts) > 6
        assert all(part.n_tokens <= PARAGRAPH.split_above for part in parts)
        assert sorted({row for part in parts for row in part.rows[1:]}) == sorted(rows)

    def test_a_long_list_of_rows_of_one_text_is_cut_in_linear_time(self) -> None:
        n_tokens = [0]

        def counted(texts: Sequence[str]) -> list[int]:
            n_tokens[0] += sum(count(texts))
            return count(texts)

        rows = (("step", "done"), *((f"check valve number {n}", "") for n in range(2_000)))
        whole = table(*rows)
        segment(Document("", "md", (whole,), "en"), "d", PARAGRAPH, counted)
        assert n_tokens[0] < 4 * len(whole.text.split())

    @pytest.mark.parametrize(("amount", "first"), [("500", ""), ("498", "Double")], ids=["a sum", "a row of the group"])
    def test_a_part_that_begins_with_a_sum_leaves_its_empty_cells(self, amount: str, first: str) -> None:
        rows = [("Single", said(60), "300"), ("Double", said(90, 100), "180"), ("", said(90, 200), "20")]
        parts = cut(table(("room", "what", "cost"), *rows, ("", said(150, 300), amount)))
        assert len(parts) > 1
        assert [row[0] for row in parts[-1].rows[1:]] == [first]

    def test_a_table_of_one_long_row_stays_whole(self) -> None:
        assert [s.rows for s in cut(table((said(300), "b")))] == [((said(300), "b"),)]


class TestContext:
    def test_is_title_and_path_and_no_part_of_the_text(self) -> None:
        (found,) = cut(heading("Keys"), heading("Lending", 2), paragraph("for a day"), title="Handbook")
        assert found.context == "Handbook > Keys > Lending"
        assert found.text == "for a day"

    def test_says_the_title_once(self) -> None:
        (found,) = cut(heading("THE  Handbook"), paragraph("for a day"), title="The Handbook")
        assert found.context == "THE  Handbook"

    def test_of_a_bare_text_is_empty(self) -> None:
        assert cut(paragraph("for a day"))[0].context == ""

    def test_takes_overlap_along_from_the_same_section_only(self) -> None:
        before = " ".join(said(20, 100 * n) for n in range(20))
        found = cut(
            paragraph(before), paragraph(said(450, 5_000)), heading("Keys"), paragraph(said(450, 9_000)), policy=PACKED
        )
        first, second, third = found
        assert first.context == ""
        assert before.endswith(second.context)
        assert 50 <= len(second.context.split()) <= 100
        assert second.context.split()[0] in {f"W{100 * n}" for n in range(20)}
        assert third.context == "Keys"
        assert second.text == said(450, 5_000)


class TestPackedStyle:
    def test_gives_300_to_500_tokens_from_ordinary_paragraphs(self) -> None:
        found = cut(*(paragraph(said(40 + 17 * n % 90, 200 * n)) for n in range(60)), policy=PACKED)
        assert all(300 <= s.n_tokens <= 500 for s in found[:-1])
        assert found[-1].n_tokens <= 500

    def test_gives_at_most_500_tokens_from_a_wall_of_text(self) -> None:
        found = cut(paragraph(" ".join(said(30, 100 * n) for n in range(100))), policy=PACKED)
        assert all(300 <= s.n_tokens <= 500 for s in found[:-1])

    def test_still_does_not_cross_a_heading(self) -> None:
        found = cut(paragraph("one"), heading("Keys"), paragraph("two"), policy=PACKED)
        assert [s.text for s in found] == ["one", "two"]


def test_whole_style_leaves_every_element_as_it_is() -> None:
    elements = (paragraph("one"), paragraph(said(1_000)), Element(Kind.CODE, "x = 1"))
    assert [s.text for s in cut(*elements, policy=WHOLE)] == [e.text for e in elements]


class TestIds:
    def test_depend_on_document_kind_path_and_text(self) -> None:
        base = cut(heading("Keys"), paragraph("one"))[0].id
        assert re.fullmatch("[0-9a-f]{32}", base)
        assert cut(heading("Keys"), paragraph("one"))[0].id == base
        assert cut(heading("Keys"), paragraph("one"), id="e")[0].id != base
        assert cut(heading("Locks"), paragraph("one"))[0].id != base
        assert cut(heading("Keys"), paragraph("two"))[0].id != base
        assert cut(heading("Keys"), Element(Kind.CODE, "one"))[0].id != base

    def test_stay_when_something_is_put_in_front(self) -> None:
        before = cut(paragraph(said(30)), paragraph(said(30, 100)))
        after = cut(paragraph(said(30, 500)), paragraph(said(30)), paragraph(said(30, 100)), title="New title")
        assert [s.id for s in after[1:]] == [s.id for s in before]

    def test_of_repeats_differ(self) -> None:
        found = cut(*[paragraph("Ask us.")] * 3)
        assert len({s.id for s in found}) == 3


def test_a_segment_has_the_documents_language_where_its_own_cannot_be_told() -> None:
    german = "Die Schlüssel des Hauses werden vom Hausmeister verwahrt, der sie für einen Tag ausleihen darf."
    found = cut(paragraph("Key."), heading("Haus"), paragraph(german))
    assert [s.language for s in found] == ["en", "de"]


def test_prose_before_sub_sections_introduces_them_and_code_does_not() -> None:
    elements = [
        heading("Lifts"), paragraph("They are tested first."), Element(Kind.CODE, "lift --test"),
        heading("Doors", 2), Element(Kind.CODE, "lift --test"),
    ]  # fmt: skip
    segments = segment(Document("lifts", "text", tuple(elements)), "lifts", PARAGRAPH, count)
    assert [(s.kind, s.section_role) for s in segments] == [
        (Kind.PARAGRAPH, "section_intro"), (Kind.CODE, "answer_body"), (Kind.CODE, "answer_body")
    ]  # fmt: skip


def test_a_segment_knows_its_page_and_its_place() -> None:
    found = cut(Element(Kind.PARAGRAPH, said(30), page=4), Element(Kind.PARAGRAPH, said(30, 100), page=5))
    assert [(s.ordinal, s.page) for s in found] == [(0, 4), (1, 5)]


words = st.text("abcdefgh", min_size=1, max_size=4)
prose = st.lists(words, min_size=1, max_size=60).flatmap(
    lambda ws: st.sampled_from([" ", ". ", "\n", " (", "! "]).map(lambda between: between.join(ws))
)
rows = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.lists(words, min_size=width, max_size=width).map(tuple), min_size=1, max_size=12)
)
elements = st.one_of(
    st.builds(heading, words, st.integers(1, 4)),
    st.builds(Element, st.sampled_from([Kind.PARAGRAPH, Kind.LIST, Kind.CODE, Kind.CAPTION]), prose),
    rows.map(lambda made: table(*made)),
)
tight = SegmentPolicy(SegmentStyle.PARAGRAPH, join_below=4, target=10, split_above=16, overlap=0)
policies = st.sampled_from([PARAGRAPH, PACKED, WHOLE, tight, SegmentPolicy(SegmentStyle.PACKED, 8, 12, 12, 3)])


class TestEveryDocument:
    @given(st.lists(elements, max_size=12), policies)
    def test_loses_no_word(self, made: list[Element], policy: SegmentPolicy) -> None:
        found = cut(*made, policy=policy)
        kept = "\n".join(s.text for s in found)
        headings = {title for s in found for title in s.heading_path} | {
            s.text for s in found if s.kind is Kind.HEADING
        }
        for element in made:
            if element.kind is Kind.HEADING:
                assert element.text in headings
        body = [
            word for e in made if e.kind not in (Kind.HEADING, Kind.TABLE) for word in re.findall(r"[a-h]+", e.text)
        ]
        told = [
            word for s in found if s.kind not in (Kind.HEADING, Kind.TABLE) for word in re.findall(r"[a-h]+", s.text)
        ]
        assert told == body
        assert all(" | ".join(row) in kept for e in made for row in e.rows)

    @given(st.lists(elements, max_size=12), policies)
    def test_gives_unique_ids_in_order_and_the_same_again(self, made: list[Element], policy: SegmentPolicy) -> None:
        found = cut(*made, policy=policy)
        assert len({s.id for s in found}) == len(found)
        assert [s.ordinal for s in found] == list(range(len(found)))
        assert found == cut(*made, policy=policy)

    @given(st.lists(elements, max_size=12))
    def test_never_joins_across_headings(self, made: list[Element]) -> None:
        sections: list[str] = [""]
        for element in made:
            if element.kind is Kind.HEADING:
                sections.append("")
            else:
                sections[-1] += "\n\n" + element.text
        whole = [s for s in cut(*made, policy=PARAGRAPH) if s.kind is not Kind.HEADING and not s.rows]
        assert all(any(s.text in section for section in sections) for s in whole)


@pytest.mark.parametrize("kind", [Kind.CODE, Kind.RECORD])
def test_what_stands_behind_code_or_fields_introduces_no_sub_section(kind: Kind) -> None:
    found = cut(
        heading("Lifts"), paragraph(said(30)), Element(kind, "Lift(floor, doors): a lift"), paragraph(said(30, 100)),
        heading("Doors", 2), paragraph(said(30, 200)),
    )  # fmt: skip
    assert [s.section_role for s in found if s.kind is Kind.PARAGRAPH] == [
        "section_intro", "answer_body", "answer_body",
    ]  # fmt: skip
