# ruff: noqa: E501
"""What offices and sites add to their files: prompts, hidden text, lists typed by hand, diagrams, money, dialects."""

from __future__ import annotations

import io
from typing import Any

import docx
import openpyxl
import pytest
import xlsxwriter
from docx.oxml import parse_xml
from lxml import etree

from saidonce.documents.parse import parse
from saidonce.documents.parse.diagrams import items_of
from saidonce.errors import SourceRefusedError
from saidonce.foundation.model import Document, Kind

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
PROMPT = "<w:sdt><w:sdtPr>{}</w:sdtPr><w:sdtContent><w:r><w:t>Click or tap here to enter text.</w:t></w:r></w:sdtContent></w:sdt>"


def texts(document: Document, kind: Kind | None = None) -> list[str]:
    return [e.text for e in document.elements if kind is None or e.kind is kind]


def word(*paragraphs: str) -> Document:
    document = docx.Document()
    for one in paragraphs:
        inside = one if one.startswith("<") else f"<w:r><w:t>{one}</w:t></w:r>"
        document.element.body.insert(len(document.element.body) - 1, parse_xml(f"<w:p {W}>{inside}</w:p>"))
    out = io.BytesIO()
    document.save(out)
    return parse("a.docx", out.getvalue())


def test_the_prompt_of_an_empty_control_is_left_out_with_a_warning() -> None:
    read = word(f"<w:r><w:t>Applicant:</w:t></w:r>{PROMPT.format('<w:showingPlcHdr/>')}")
    assert texts(read) == ["Applicant:"]
    assert read.warnings == ("form fields that nobody has filled in, without their prompts: 1",)


@pytest.mark.parametrize("properties", ["", "<w:showingPlcHdr w:val='0'/>"])
def test_the_same_words_are_kept_where_the_control_says_that_they_were_entered(properties: str) -> None:
    read = word(f"<w:r><w:t>Applicant: </w:t></w:r>{PROMPT.format(properties)}")
    assert texts(read) == ["Applicant: Click or tap here to enter text."]
    assert not read.warnings


def test_hidden_runs_are_left_out_with_a_warning_and_unhidden_ones_stay() -> None:
    run = "<w:r><w:rPr><w:vanish{}/></w:rPr><w:t>secret</w:t></w:r>"
    read = word(f"<w:r><w:t>The cellar is </w:t></w:r>{run.format('')}<w:r><w:t>dry.</w:t></w:r>")
    assert texts(read) == ["The cellar is dry."]
    assert read.warnings == ("hidden text was left out",)
    assert texts(word(run.format(' w:val="0"'))) == ["secret"]


def test_paragraphs_that_begin_with_bullets_are_a_list() -> None:
    read = word("Bring along:", "\u2022 a lamp", "\u2022  the key", "Thank you.")
    assert [(e.kind, e.text) for e in read.elements] == [
        (Kind.PARAGRAPH, "Bring along:"),
        (Kind.LIST, "- a lamp\n- the key"),
        (Kind.PARAGRAPH, "Thank you."),
    ]


def test_a_single_bullet_and_direct_speech_are_no_list() -> None:
    spoken = ["\u2013 Who is there?", "\u2013 The wind."]
    assert texts(word("\u2022 a lamp", "Thank you.", *spoken), Kind.LIST) == []


def test_points_of_a_diagram_follow_its_order_and_those_of_the_drawing_are_left_out() -> None:
    point = '<d:pt modelId="{}" type="{}"><d:t><a:p><a:r><a:t>{}</a:t></a:r></a:p></d:t></d:pt>'
    points = "".join(
        point.format(*one)
        for one in (
            (0, "doc", ""),
            (1, "node", "later"),
            (2, "node", "first"),
            (3, "node", "below"),
            (4, "pres", "DRAWN"),
        )
    )
    links = '<d:cxn srcId="0" destId="1" srcOrd="1"/><d:cxn srcId="0" destId="2" srcOrd="0"/><d:cxn srcId="2" destId="3" srcOrd="0"/><d:cxn type="presOf" srcId="1" destId="4"/>'
    names = 'xmlns:d="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    root = etree.fromstring(f"<d:dataModel {names}>{points}{links}</d:dataModel>")
    assert items_of(root) == [(0, "first"), (1, "below"), (0, "later")]


def workbook(form: object, value: float) -> Document:
    out = io.BytesIO()
    book = xlsxwriter.Workbook(out)
    sheet = book.add_worksheet("Rates")
    sheet.write_row(0, 0, ("item", "price"))
    sheet.write(1, 0, "desk")
    sheet.write(1, 1, value, book.add_format({"num_format": form}))
    book.close()
    return parse("a.xlsx", out.getvalue())


@pytest.mark.parametrize(
    ("form", "value", "shown"),
    [
        (7, 1250.5, "$1250.50"),
        (5, -80, "-$80"),
        (44, 45, "$45.00"),
        ('0;-0" owed"', -5, "-5 owed"),
        ("0.00%", 0.025, "2.5%"),
        ("0.0%", 0.0434, "4.34%"),
    ],
)
def test_a_cell_keeps_the_unit_that_its_format_shows(form: object, value: float, shown: str) -> None:
    assert texts(workbook(form, value), Kind.TABLE) == [f"item | price\ndesk | {shown}"]


def test_dollars_of_a_built_in_format_are_warned_of_and_a_named_currency_is_not() -> None:
    assert any("dollars" in warning for warning in workbook(44, 1).warnings)
    assert not workbook('#,##0.00 "\u20ac"', 1).warnings


def test_words_of_printed_margins_are_kept_and_their_codes_are_not() -> None:
    book: Any = openpyxl.Workbook()
    book.active.append(("item", "price"))
    book.active.append(("desk", 3))
    book.active.oddHeader.center.text = "Stock of screws"
    book.active.oddFooter.right.text = "Page &P of &N"
    out = io.BytesIO()
    book.save(out)
    assert "Stock of screws" in texts(parse("a.xlsx", out.getvalue()))
    assert not any("Page" in text for text in texts(parse("a.xlsx", out.getvalue())))


def markdown(text: str) -> Document:
    return parse("a.md", text.encode())


def test_marks_of_obsidian_and_pandoc_are_no_text() -> None:
    read = markdown(
        "# Ford {#ford .wide}\n\n{: .no_toc }\n\nSee [[Pruning saw|the saw]] and [[Shed]], ==marked== in [May]{.smallcaps}.\n"
    )
    assert texts(read) == ["Ford", "See the saw and Shed, marked in May."]
    assert texts(markdown("It is sold. %%ask Ida%%\n")) == ["It is sold."]


@pytest.mark.parametrize(
    "text", ["50%% of x and 30%% of y", "if a==b and c==d", "test [[ -f x ]] first", "[[1, 2], [3, 4]]"]
)
def test_what_only_looks_like_those_marks_is_kept(text: str) -> None:
    assert texts(markdown(f"{text}\n")) == [text]


def test_embedded_notes_are_warned_of() -> None:
    assert markdown("Before.\n\n![[Other note]]\n").warnings == ("notes and pictures that it embeds were not read",)


def test_a_grid_is_a_table() -> None:
    grid = "+-------+--------+\n| place | depth  |\n+=======+========+\n| north | 1.2 m, |\n|       | in May |\n+-------+--------+\n"
    assert texts(markdown(f"Text.\n\n{grid}\nAfter.\n")) == ["Text.", "place | depth\nnorth | 1.2 m, in May", "After."]
    assert texts(markdown("+---+\n| a |\nb\n")) != []


def test_a_translation_is_a_record_with_its_lines_joined() -> None:
    po = 'msgid ""\nmsgstr ""\n"Language: de\\n"\n\n#. Shown on the door\n#: a.c:1\n#, fuzzy\nmsgctxt "sign"\nmsgid ""\n"The gate closes "\n"at ten."\nmsgstr "Das Tor schlie\u00dft."\n\n#~ msgid "old"\n#~ msgstr "alt"\n'
    read = parse("de.po", po.encode())
    assert texts(read, Kind.RECORD) == [
        "remark: Shown on the door\nstate: fuzzy\ncontext: sign\nmessage: The gate closes at ten.\ntranslation: Das Tor schlie\u00dft."
    ]
    assert read.warnings == ("translations that are no longer in use were left out: 1",)


def test_lines_of_a_catalogue_that_are_no_entry_are_kept() -> None:
    assert "left behind" in texts(parse("de.po", b'msgid "a"\nmsgstr "b"\nleft behind\n'), Kind.CODE)


def test_the_reading_of_a_sign_stands_in_brackets() -> None:
    cue = "WEBVTT\n\n00:01.000 --> 00:02.000\n<ruby>\u6f6e<rt>\u3057\u304a</rt></ruby>\u304c\u3002\n"
    assert texts(parse("a.vtt", cue.encode())) == ["\u6f6e(\u3057\u304a)\u304c\u3002"]


def test_hidden_text_of_rtf_is_left_out_and_a_remark_is_kept() -> None:
    read = parse("a.rtf", rb"{\rtf1\ansi\pard Dogs get feed.{\v secret}\par New text.{\*\annotation Vet says no.}\par}")
    assert texts(read) == ["Dogs get feed.", "New text.", "Vet says no."]
    assert read.warnings == ("hidden text was left out",)


def test_a_table_of_nothing_but_delimiters_is_refused() -> None:
    with pytest.raises(SourceRefusedError, match="no text"):
        parse("a.csv", b" ; ; \r\n ; ; \r\n")


def test_markup_within_a_feed_is_read_as_such() -> None:
    feed = '<feed xmlns="http://www.w3.org/2005/Atom"><entry><title type="html">Crane &amp;amp; rope</title><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>It lifts <b>2.5</b> t.</p><ul><li>no riders</li></ul></div></content></entry></feed>'
    assert texts(parse("a.atom", feed.encode())) == ["Crane & rope", "It lifts 2.5 t.", "- no riders"]


def test_links_that_lead_back_from_a_note_are_no_text() -> None:
    page = '<html><body><p>Speed.</p><ol><li>Over two minutes. <a class="data-footnote-backref" href="#r">\u21a9</a></li></ol></body></html>'
    assert texts(parse("a.html", page.encode())) == ["Speed.", "1. Over two minutes."]
