"""Structures that a folder of uncommon files showed: what they are read as."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from reportlab.lib.pagesizes import A4, landscape
from reportlab.pdfgen import canvas

from saidonce.documents.parse import is_supported, parse
from saidonce.documents.parse.decode import decode
from saidonce.documents.parse.markdown_forms import MOST_NESTED, common
from saidonce.errors import SourceRefusedError
from saidonce.foundation.model import Kind


def read(name: str, text: str) -> list[tuple[Kind, str]]:
    return [(element.kind, element.text) for element in parse(name, text.encode()).elements]


@pytest.mark.parametrize(
    ("markup", "first", "then"),
    [
        ('!!! warning "Hot"\n    The kiln burns\n    for a day.\n', "Warning: Hot", "The kiln burns for a day."),
        ('=== "By hand"\n\n    Turn it twice.\n', "By hand", "Turn it twice."),
        (":::danger Keep out\nNobody enters.\n:::\n", "Danger: Keep out", "Nobody enters."),
        ("```{note} For you\n:class: wide\nIt is 440 hertz.\n```\n", "Note: For you", "It is 440 hertz."),
    ],
)
def test_a_box_of_markdown_is_prose_under_its_title(markup: str, first: str, then: str) -> None:
    elements = read("a.md", f"Before.\n\n{markup}\nAfter.\n")
    assert elements == [(Kind.PARAGRAPH, text) for text in ("Before.", first, then, "After.")]


@pytest.mark.parametrize(
    ("markup", "shown"),
    [
        ("??? tip\n    Wear gloves.\n", "Tip: Wear gloves."),
        ("> [!CAUTION]\n> It contains lead.\n", "Caution: It contains lead."),
    ],
)
def test_the_kind_of_a_box_leads_its_prose(markup: str, shown: str) -> None:
    elements = read("a.md", f"Before.\n\n{markup}\nAfter.\n")
    assert elements == [(Kind.PARAGRAPH, text) for text in ("Before.", shown, "After.")]


def test_code_and_lists_inside_of_a_box_stay_what_they_are() -> None:
    elements = read(
        "a.md", "!!! note\n    - one\n    - two\n\n        run --all\n\n    ```sh\n    !!! not a box\n    ```\n"
    )
    assert elements[0] == (Kind.PARAGRAPH, "Note")
    assert [kind for kind, _ in elements[1:]] == [Kind.LIST, Kind.CODE]
    assert "!!! not a box" in elements[-1][1]


def test_indented_code_without_a_box_above_it_stays_code() -> None:
    assert read("a.md", "Run:\n\n    mount /dev/kiln\n") == [(Kind.PARAGRAPH, "Run:"), (Kind.CODE, "mount /dev/kiln")]
    assert common("Run:\n\n    mount /dev/kiln\n") == "Run:\n\n    mount /dev/kiln\n"


def test_the_paragraphs_of_a_footnote_are_prose() -> None:
    assert (Kind.PARAGRAPH, "She teaches, too.") in read(
        "a.md", "Ask her.[^a]\n\n[^a]: At the door.\n\n    She teaches, too.\n"
    )


def test_the_name_of_a_heading_is_no_part_of_it() -> None:
    assert read("a.md", "# Care {#care .wide}\n\nText.\n")[0] == (Kind.HEADING, "Care")


def test_titles_under_automodule_are_headings_with_their_levels() -> None:
    source = (
        "Kiln\n====\n\n.. automodule:: kiln\n\n   Schedules\n   ---------\n\n   How fast it is heated.\n\n"
        "   .. autoclass:: Schedule\n\n      Entry points\n      ^^^^^^^^^^^^\n\n      They lock the door.\n\n"
        "After\n-----\n\nEnd.\n"
    )
    document = parse("a.rst", source.encode())
    headings = [(e.text, e.level) for e in document.elements if e.kind is Kind.HEADING]
    assert headings == [("Kiln", 1), ("Schedules", 2), ("Entry points", 3), ("After", 2)]
    assert all(element.kind is not Kind.CODE for element in document.elements)


def test_a_version_with_its_text_on_the_next_line_is_kept_whole() -> None:
    assert ("versionadded 2.1: Recipes are in grams.") in [
        t for _, t in read("a.rst", ".. versionadded:: 2.1\n   Recipes are in grams.\n")
    ]


def test_a_table_from_a_file_is_warned_of() -> None:
    document = parse("a.rst", b"Text.\n\n.. csv-table:: Fees\n   :file: fees.csv\n")
    assert any("fees.csv" in warning for warning in document.warnings)


def test_json_with_comments_is_read_and_says_so() -> None:
    document = parse("a.json", b'{\n // until when\n "lamp": "until dawn // or later", /* x */ "list": [1, 2,],\n}\n')
    assert document.elements[0].text == "lamp: until dawn // or later\nlist: 1, 2"
    assert document.warnings == ("its comments were left out",)
    with pytest.raises(SourceRefusedError, match="it is not JSON"):
        parse("a.json", b'{"a": // nothing\n')


def test_ruby_is_read_with_its_reading_in_brackets() -> None:
    page = "<p>この<ruby>門<rp>(</rp><rt>もん</rt><rp>)</rp></ruby>は閉まります。</p>"
    assert read("a.html", page)[0][1] == "この門(もん)は閉まります。"


def test_handles_beside_headings_are_left_out_and_hidden_tabs_are_kept() -> None:
    page = '<h2>Repairs<a class="headerlink">¶</a></h2><div role="tabpanel" hidden><p>Towels are rented.</p></div>'
    assert [text for _, text in read("a.html", page)] == ["Repairs", "Towels are rented."]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Пральня працює щодня з сьомої ранку, а її ключі в коменданта.", "koi8_u"),
        ("図書館の鍵は受付にあります。夜は返却ポストへ。", "iso2022_jp"),
        ("┌────────┐\r\n│ Säge   │\r\n└────────┘\r\nDie Schlüssel hängen über der Tür.", "cp437"),
        ("┌────────┐\r\n│ Пила   │\r\n└────────┘\r\nКлючи от подвала висят над дверью у вахтера.", "cp866"),
    ],
)
def test_old_encodings_are_recognised(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_values_of_asciidoc_over_lines_and_in_code() -> None:
    source = (
        ":long: first \\\n  and second\n:hut: Alm\n\nIt is {long}.\n\n"
        '[source,subs="attributes"]\n----\nbook {hut} {other}\n----\n'
    )
    assert read("a.adoc", source) == [(Kind.PARAGRAPH, "It is first and second."), (Kind.CODE, "book Alm {other}")]


def drawn(draw: Callable[[canvas.Canvas], None]) -> bytes:
    out = io.BytesIO()
    page = canvas.Canvas(out, landscape(A4), invariant=1)
    page.setFont("Helvetica", 10)
    draw(page)
    page.save()
    return out.getvalue()


def test_amounts_at_the_right_edge_stay_in_their_rows() -> None:
    items = (("1", "Screw press, oak", "1,204.50"), ("12", "Straining cloth", "88.20"), ("", "Total due", "1,292.70"))

    def bill(page: canvas.Canvas) -> None:
        page.setPageSize(A4)
        for at, line in enumerate(("the press you ordered is ready. Please collect it before", "the month ends.")):
            page.drawString(60, 680 - 13 * at, line)
        for row, (count, what, amount) in enumerate(items):
            page.drawRightString(90, 590 - 15 * row, count)
            page.drawString(120, 590 - 15 * row, what)
            page.drawRightString(480, 590 - 15 * row, amount)

    rows = "\n".join(element.text for element in parse("bill.pdf", drawn(bill)).elements).split("\n")
    assert "12 | Straining cloth | 88.20" in rows
    assert "1 | Screw press, oak | 1,204.50" in rows


def test_figures_far_apart_are_one_row() -> None:
    def months(page: canvas.Canvas) -> None:
        for y, cells in enumerate(
            (("Orchard", "Jan", "Feb", "Mar"), ("Hereford", "4", "0", "400.01"), ("Kent", "1", "2", "3"))
        ):
            for x, cell in enumerate(cells):
                page.drawRightString(120 + 150 * x, 480 - 18 * y, cell)

    (table,) = parse("months.pdf", drawn(months)).elements
    assert table.text == "Orchard | Jan | Feb | Mar\nHereford | 4 | 0 | 400.01\nKent | 1 | 2 | 3"


@pytest.mark.parametrize("name", ["a.rmd", "a.qmd", "a.kml", "a.opml", "a.po", "a.bib", "a.xlf"])
def test_more_extensions_are_read(name: str) -> None:
    assert is_supported(name)


def indented(depth: int) -> str:
    return "\n".join(f"{'    ' * n}!!! note" for n in range(depth)) + f"\n{'    ' * depth}The kiln burns.\n"


def fenced(depth: int) -> str:
    begun = "\n".join(f"{':' * (depth + 3 - n)}{{note}}" for n in range(depth))
    ended = "\n".join(":" * (4 + n) for n in range(depth))
    return f"{begun}\nThe kiln burns.\n{ended}\n"


@pytest.mark.parametrize("boxes", [indented, fenced])
def test_boxes_are_read_as_deep_as_commonmark_is(boxes: Callable[[int], str]) -> None:
    text = common(boxes(MOST_NESTED + 1))
    assert any(line.endswith("The kiln burns.") for line in text.split("\n"))
    assert text.count("!!!") == text.count("{note}") == 0


@pytest.mark.parametrize("boxes", [indented, fenced])
def test_of_boxes_inside_each_other_without_end_no_word_is_lost(boxes: Callable[[int], str]) -> None:
    assert any("The kiln burns." in text for _, text in read("a.md", boxes(600)))


@pytest.mark.parametrize("other", [":::", "~~~~", "````"])
def test_a_box_ends_at_the_next_line_of_its_sign_that_is_as_wide(other: str) -> None:
    text = common(f"::::{{note}} A\nIn it.\n{other}\n> :::::\nBehind.\n")
    assert "> :::::" not in text
    assert [line for line in text.split("\n") if line[:1].isalpha()][::2] == ["Note: A", "Behind."]


@pytest.mark.parametrize(("n", "is_title"), [(200, True), (201, False)])
def test_words_behind_colons_are_a_title_up_to_a_length(n: int, is_title: bool) -> None:
    line = f":::note {'a' * n}"
    assert common(line).strip() == (f"Note: {'a' * n}" if is_title else line)
