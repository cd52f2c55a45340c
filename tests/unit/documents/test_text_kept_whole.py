"""What a reader sees of a source is kept: controls, numbers of steps, records, captions, figures."""

from __future__ import annotations

import io
from itertools import pairwise

import openpyxl
import pytest
from reportlab.pdfgen import canvas

from saidonce.documents.parse import parse
from saidonce.documents.parse.pdf_figures import undoubled
from saidonce.documents.segment import segment
from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation.model import Document, Kind
from saidonce.foundation.settings.policy import SEGMENT_POLICIES, SegmentStyle


def shown(document: Document) -> list[tuple[Kind, str]]:
    return [(element.kind, element.text) for element in document.elements]


FORM = """<html><body><form><label for=n>Name</label> <input id=n value="Ada Li"><br>
<label>Flat <input name=f value=4b></label><p>Floor: <select><option>1<option selected>2</select></p>
<input type=checkbox checked id=h><label for=h>Heating on</label> <label><input type=checkbox> Water off</label>
<textarea aria-label="Remarks">The valve
 leaks.</textarea> <input type=hidden value=token><input type=password value=secret><input type=submit value=Send>
</form><table><tr><th>Item<th>Amount<tr><td>Rent<td><input value=400></table></body></html>"""


def test_controls_of_a_form_are_rows_with_their_labels() -> None:
    assert shown(parse("form.html", FORM.encode())) == [
        (
            Kind.RECORD,
            "Name: Ada Li\nFlat: 4b\nFloor: 2\nHeating on: checked\nWater off: not checked\nRemarks: The valve leaks.",
        ),
        (Kind.TABLE, "Item | Amount\nRent | 400"),
    ]


def test_hidden_and_secret_values_are_not_read() -> None:
    text = "\n".join(text for _, text in shown(parse("form.html", FORM.encode())))
    assert not {"token", "secret", "Send"} & set(text.split())


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        ("a.html", "<ol start=3 type=a><li>Open<ol><li>slowly<li value=7>fully</ol><li>Wait</ol>",
         "c. Open\n  1. slowly\n  7. fully\nd. Wait"),
        ("a.html", "<ol reversed><li>x<li>y</ol>", "2. x\n1. y"),
        ("a.md", "4. Open\n5. Wait\n   - a while\n", "4. Open\n5. Wait\n  - a while"),
        ("a.txt", "Do this:\n\n1. Open it\n2. Shut it\n", "1. Open it\n2. Shut it"),
        ("a.rst", "1. Open\n2. Wait\n\n   a. long\n", "1. Open\n2. Wait\n  a. long"),
        ("a.adoc", ". Open\n.. slowly\n. Wait\n", "1. Open\n  1. slowly\n2. Wait"),
    ],
)  # fmt: skip
def test_steps_keep_their_numbers(name: str, source: str, expected: str) -> None:
    assert [text for kind, text in shown(parse(name, source.encode())) if kind is Kind.LIST] == [expected]


def test_a_numbered_list_goes_on_after_code_in_a_step() -> None:
    page = ". Open\n+\n----\nopen --all\n----\n. Wait\n"
    assert shown(parse("a.adoc", page.encode())) == [
        (Kind.LIST, "1. Open"), (Kind.CODE, "open --all"), (Kind.LIST, "2. Wait"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.html"])
@pytest.mark.parametrize("style", list(SegmentStyle))
def test_a_figure_caption_does_not_join_the_list_below_it(name: str, style: SegmentStyle) -> None:
    text = "Figure 2: The pump.\n\n- red wire\n- blue wire\n"
    page = "<p>Figure 2: The pump.</p><ul><li>red wire<li>blue wire</ul>" if name.endswith("html") else text
    document = parse(name, page.encode())
    assert shown(document) == [(Kind.CAPTION, "Figure 2: The pump."), (Kind.LIST, "- red wire\n- blue wire")]
    segments = segment(document, "d", SEGMENT_POLICIES[style], lambda texts: [len(t.split()) for t in texts])
    assert [s.kind for s in segments] == [Kind.CAPTION, Kind.LIST]


def test_prose_that_mentions_a_figure_is_no_caption() -> None:
    assert shown(parse("a.md", b"Figure 2 shows the pump, which is red."))[0][0] is Kind.PARAGRAPH


def test_records_are_not_joined_with_each_other() -> None:
    document = parse("a.json", b'[{"a": 1, "b": 2}, {"a": 3}]')
    assert shown(document) == [(Kind.RECORD, "a: 1\nb: 2"), (Kind.RECORD, "a: 3")]
    policy = SEGMENT_POLICIES[SegmentStyle.PARAGRAPH]
    assert len(segment(document, "d", policy, lambda texts: [len(t.split()) for t in texts])) == 2


@pytest.mark.parametrize("name", ["a.txt", "a.html"])
def test_western_text_without_a_declaration(name: str) -> None:
    document = parse(name, "Ouvert de 9 h à 17 h".encode("cp1252"))
    assert document.elements[0].text == "Ouvert de 9 h à 17 h"
    assert any("cp1252" in warning for warning in document.warnings)


LOG = "2025-01-01 INFO STARTED\n# rotated\n=====\nERROR DISK FULL\n- retry\n\n1. not a step\n"


def test_every_line_of_a_log_stays_and_none_is_a_heading() -> None:
    document = parse("service.log", LOG.encode())
    assert {kind for kind, _ in shown(document)} <= {Kind.PARAGRAPH, Kind.CODE}
    lines = [line for _, text in shown(document) for line in text.split("\n")]
    assert lines == [line for line in LOG.split("\n") if line]


MAIL = "From: Ada <a@example.org>\nSubject: Rent\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n\nThe rent is 500 euros.\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_message_saved_as_utf_16_is_a_message(encoding: str) -> None:
    document = parse("a.eml", MAIL.encode(encoding))
    assert (document.title, document.author) == ("Rent", "Ada")
    assert document.elements[-1].text == "The rent is 500 euros."


def test_a_workbook_with_links_to_others_is_read_and_says_so() -> None:
    book = openpyxl.Workbook()
    book.create_sheet("Rooms", 0).append(["Rent", 500])
    out = io.BytesIO()
    book.save(out)
    import zipfile

    linked = io.BytesIO()
    with zipfile.ZipFile(out) as old, zipfile.ZipFile(linked, "w") as new:
        for info in old.infolist():
            content = old.read(info)
            if info.filename == "xl/workbook.xml":
                space = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
                tag = (
                    b'<externalReferences><externalReference xmlns:r="%s" r:id="rIdMissing"/></externalReferences>'
                    % space
                )
                content = content.replace(b"</workbook>", tag + b"</workbook>")
            new.writestr(info, content)
        new.writestr("xl/externalLinks/externalLink1.xml", b"<externalLink/>")
    document = parse("a.xlsx", linked.getvalue())
    assert document.elements[-1].text == "Rent | 500"
    assert "cells that refer to other workbooks hold the values last computed there" in document.warnings


def test_a_limit_is_called_a_limit() -> None:
    with pytest.raises(SourceRefusedError, match="more than 1048576 characters") as refused:
        parse("a.csv", b"a,b\n" + b"x" * 1_100_000 + b",y\n")
    assert refused.value.reason is Refusal.TOO_LARGE


def test_deep_xml_is_beyond_a_limit_not_broken() -> None:
    with pytest.raises(SourceRefusedError) as refused:
        parse("a.xml", b"<a>" * 3_000 + b"x" + b"</a>" * 3_000)
    assert refused.value.reason in (Refusal.TOO_LARGE, Refusal.HOSTILE)


def pdf(*pieces: tuple[float, float, str]) -> bytes:
    out = io.BytesIO()
    page = canvas.Canvas(out)
    page.setFont("Helvetica", 10)
    for x, y, text in pieces:
        page.drawString(x, y, text)
    page.save()
    return out.getvalue()


PRICES = [("Pump", "400.01", "3"), ("Valve", "12.50", "17"), ("Ring", "7.25", "120"), ("Seal", "0.99", "8")]


@pytest.mark.parametrize("gap", [2.0, 4.0, 12.0])
def test_neighbouring_figures_of_a_table_never_run_together(gap: float) -> None:
    pieces = [(72.0, 700.0, "Prices of the parts and how many of them are in stock today")]
    for row, (name, price, number) in enumerate(PRICES):
        y = 660.0 - 14 * row
        width = canvas.Canvas(io.BytesIO()).stringWidth(price, "Helvetica", 10)
        pieces += [(72.0, y, name), (200.0 - width, y, price), (200.0 + gap, y, number)]
    tokens = " ".join(text for _, text in shown(parse("prices.pdf", pdf(*pieces)))).replace("|", " ").split()
    assert {figure for _, *figures in PRICES for figure in figures} <= set(tokens)


def test_a_raised_mark_does_not_become_a_digit() -> None:
    out = io.BytesIO()
    page = canvas.Canvas(out)
    text = page.beginText(72, 700)
    text.setFont("Helvetica", 12)
    text.textOut("The town counts 83190")
    text.setFont("Helvetica", 7)
    text.setRise(5)
    text.textOut("2")
    page.drawText(text)
    page.save()
    assert "831902" not in parse("town.pdf", out.getvalue()).elements[0].text


def test_letters_spaced_apart_become_words() -> None:
    document = parse("title.pdf", pdf((72, 700, "T h e  t e n a n t s  h a n d b o o k")))
    assert document.elements[0].text == "The tenants handbook"


def test_columns_are_not_mixed() -> None:
    left = "The boiler is checked once a year by a licensed engineer who signs a report"
    right = "Rubbish is collected on Tuesdays so put the bins out before seven in the morning"
    pieces = []
    for x, text in ((60.0, left), (310.0, right)):
        lines = [" ".join(text.split()[at : at + 5]) for at in range(0, 15, 5)] * 6
        pieces += [(x, 780.0 - 12 * row, line) for row, line in enumerate(lines)]
    text = " ".join(text for _, text in shown(parse("two.pdf", pdf(*pieces))))
    assert ("once", "a") in set(pairwise(text.split()))
    assert not any("boiler" in line and "Rubbish" in line for line in text.split("report"))


def test_doubled_letters_of_faked_bold_are_single() -> None:
    assert undoubled("MMuunniicciippaall 22002255") == "Municipal 2025"
    assert undoubled("The bookkeeper added 1122 coffees") == "The bookkeeper added 1122 coffees"
