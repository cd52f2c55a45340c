"""Workbooks of Excel 97 and messages of Outlook keep what their newer forms keep; damaged ones have a reason."""

from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, time
from io import BytesIO
from typing import Any

import compressed_rtf
import openpyxl
import pytest
import xlwt
from compressed_rtf.crc32 import crc32
from hypothesis import given, settings
from hypothesis import strategies as st

import samples
from conftest import examples
from saidonce.documents.parse import Limits, Sandbox, is_supported, parse
from saidonce.documents.parse.ole import CompoundFile
from saidonce.documents.parse.source import NamedBytes
from saidonce.documents.parse.xls_records import outside_cells
from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation.model import Document, Kind

MESSAGE = {0x0037: "Boiler in the cellar", 0x0C1A: "Ada Example", 0x1000: "The boiler leaks.\r\n\r\nAda"}


def texts_of(document: Document) -> list[str]:
    return [element.text for element in document.elements]


def refusal(name: str, content: bytes, limits: Limits | None = None) -> SourceRefusedError:
    with pytest.raises(SourceRefusedError) as refused:
        parse(name, content, limits)
    return refused.value


def saved(book: xlwt.Workbook) -> bytes:
    out = BytesIO()
    book.save(out)
    return out.getvalue()


def sheet_of(fill: Callable[[Any], None]) -> Document:
    book = xlwt.Workbook()
    fill(book.add_sheet("S"))
    return parse("a.xls", saved(book))


def message(**parts: Any) -> Document:
    return parse("mail.msg", samples.compound(samples.outlook(**{"texts": MESSAGE, **parts})))


def summary(texts: dict[int, str], modified: datetime) -> bytes:
    """Properties of a document, in a code page of Windows."""
    values = {1: struct.pack("<IHH", 2, 1252, 0)}
    for number, text in texts.items():
        content = text.encode("cp1252") + b"\0"
        values[number] = struct.pack("<II", 0x1E, len(content)) + content.ljust(-(-len(content) // 4) * 4, b"\0")
    values[13] = struct.pack("<IQ", 0x40, int((modified - samples.FILE_TIME).total_seconds()) * 10_000_000)
    at, places = 8 + 8 * len(values), b""
    for number, value in values.items():
        places += struct.pack("<II", number, at)
        at += len(value)
    section = struct.pack("<II", at, len(values)) + places + b"".join(values.values())
    return struct.pack("<HHI16xI16sI", 0xFFFE, 0, 0, 1, bytes(16), 48) + section


def with_summary(properties: bytes) -> bytes:
    records = CompoundFile(NamedBytes("a.xls", samples.old_workbook(), Limits())).stream("Workbook")
    assert records is not None
    return samples.compound({"Workbook": records, "\5SummaryInformation": properties})


class TestWorkbooks:
    def test_sheets_are_pages_with_tables_and_captions(self) -> None:
        document = parse("rents.xls", samples.old_workbook())
        assert (document.format, document.n_pages) == ("xls", 2)
        assert [(e.page, e.kind, e.text) for e in document.elements] == [
            (1, Kind.HEADING, "Rents"),
            (1, Kind.HEADING, "Rents by flat"),
            (1, Kind.TABLE, "Flat | Rent | Since | Paid\nA1 | 512.50 € | 2024-03-01 | TRUE\nA2 | 600.00 € |  | FALSE"),
            (1, Kind.HEADING, "Rents"),
            (1, Kind.TABLE, "Share | 12.5%\nShare | 7"),
            (2, Kind.HEADING, "Notes"),
            (2, Kind.PARAGRAPH, "Only one cell"),
        ]

    @pytest.mark.parametrize(
        ("value", "form", "shown"),
        [
            (12.5, '0.0 "kg"', "12.5 kg"),
            (80, '"$"#,##0', "$80"),
            (1234.5, "[$€-407] #,##0.00", "€ 1234.50"),
            (0.075, "0.0%", "7.5%"),
            (507, "00000", "00507"),
            (0.1 + 0.2, "General", "0.3"),
            (1e9, "0", "1000000000"),
            (-3, '0 "°C"', "-3 °C"),
            (datetime(2025, 12, 24), "DD.MM.YYYY", "2025-12-24"),
            (datetime(2025, 12, 24, 18, 30), "DD.MM.YY hh:mm", "2025-12-24 18:30:00"),
            (time(18, 30), "hh:mm", "18:30:00"),
            (30.25 / 24, "[h]:mm", "30:15"),
            (45_000, "General", "45000"),
            (True, "General", "TRUE"),
        ],
    )
    def test_values_keep_their_form(self, value: Any, form: str, shown: str) -> None:
        document = sheet_of(lambda sheet: sheet.write(0, 0, value, xlwt.easyxf(num_format_str=form)))
        assert texts_of(document)[-1] == shown

    @pytest.mark.parametrize("form", ["General", "0.00", '0 "km"', "0%", "yyyy-mm-dd", "h:mm", "[h]:mm:ss", "#,##0 €"])
    @pytest.mark.parametrize("value", [0, 1, 0.5, -2.25, 41_000.75, 1_234_567])
    def test_a_value_reads_as_in_a_new_workbook(self, value: float, form: str) -> None:
        book = openpyxl.Workbook()
        assert book.active is not None
        book.active["A1"] = value
        book.active["A1"].number_format = form
        out = BytesIO()
        book.save(out)
        old = sheet_of(lambda sheet: sheet.write(0, 0, value, xlwt.easyxf(num_format_str=form)))
        assert texts_of(old)[-1] == texts_of(parse("a.xlsx", out.getvalue()))[-1]

    def test_merged_cells_have_their_value_in_every_row(self) -> None:
        def fill(sheet: Any) -> None:
            sheet.write(0, 0, "House")
            sheet.write(0, 1, "Flat")
            sheet.write_merge(1, 2, 0, 0, "Mill Lane 4")
            sheet.write(1, 1, "A1")
            sheet.write(2, 1, "A2")

        assert texts_of(sheet_of(fill))[-1] == "House | Flat\nMill Lane 4 | A1\nMill Lane 4 | A2"

    def test_a_template_and_another_name_are_read_as_workbooks(self) -> None:
        content = samples.old_workbook()
        assert parse("a.xlt", content).format == parse("rents", content).format == "xls"
        assert parse("a.doc", content).format == "xls"

    def test_dates_of_the_other_epoch(self) -> None:
        book = xlwt.Workbook()
        book.dates_1904 = True
        book.add_sheet("S").write(0, 0, 1.0, xlwt.easyxf(num_format_str="yyyy-mm-dd"))
        assert texts_of(parse("mac.xls", saved(book)))[-1] == "1904-01-02"

    def test_letters_beyond_ascii_and_breaks_of_lines(self) -> None:
        assert texts_of(sheet_of(lambda sheet: sheet.write(0, 0, "Größe\nin m² – 日本")))[-1] == "Größe in m² – 日本"

    def test_words_of_printed_headers_are_kept_and_page_numbers_are_not(self) -> None:
        def fill(sheet: Any) -> None:
            sheet.header_str = b"&LRents of Mill Lane&R&D"
            sheet.footer_str = b"Page &P of &N"
            sheet.write(0, 0, "x")

        assert "Rents of Mill Lane" in texts_of(sheet_of(fill))
        assert not any("Page" in text for text in texts_of(sheet_of(fill)))

    def test_the_oldest_are_no_compound_files(self) -> None:
        def record(kind: int, *parts: bytes) -> bytes:
            return struct.pack("<HH", kind, len(b"".join(parts))) + b"".join(parts)

        cells = [
            record(4, struct.pack("<HH3sB", 0, 0, b"\0\0\0", 6), b"Boiler"),
            record(3, struct.pack("<HH3sd", 0, 1, b"\0\0\0", 12.5)),
            record(4, struct.pack("<HH3sB", 1, 0, b"\0\0\0", 4), b"Lift"),
            record(2, struct.pack("<HH3sH", 1, 1, b"\0\0\0", 3)),
        ]
        content = b"".join([record(9, struct.pack("<HH", 2, 0x10)), *cells, record(10)])
        assert texts_of(parse("1987.xls", content))[-1] == "Boiler | 12.5\nLift | 3"

    @pytest.mark.parametrize(
        ("content", "family"), [(b"a\tb\n1\t2\n", "txt"), (b"<html><body><p>Rents</p></body></html>", "html")]
    )
    def test_what_only_has_the_name_of_one_is_read_as_what_it_is(self, content: bytes, family: str) -> None:
        assert parse("a.xls", content).format == parse("a.msg", content).format == family

    def test_an_empty_one_has_no_text(self) -> None:
        book = xlwt.Workbook()
        book.add_sheet("S")
        assert refusal("a.xls", saved(book)).reason is Refusal.NO_TEXT

    def test_title_author_and_time_are_those_of_the_document(self) -> None:
        document = parse("a.xls", with_summary(summary({2: "Rents – 2024", 4: "Jörg Example"}, samples.WHEN)))
        assert (document.title, document.author) == ("Rents – 2024", "Jörg Example")
        assert document.authored_at == samples.WHEN

    @pytest.mark.parametrize("n_properties", [0, 2**16, 2**32 - 1])
    def test_a_number_of_properties_that_cannot_be_is_no_matter(self, n_properties: int) -> None:
        changed = bytearray(summary({2: "Rents"}, samples.WHEN))
        struct.pack_into("<I", changed, 52, n_properties)
        assert texts_of(parse("a.xls", with_summary(bytes(changed))))[0] == "Rents"

    def test_an_encrypted_one_is_locked(self) -> None:
        stream = struct.pack("<HHHHHHHI", 0x809, 16, 0x600, 5, 0, 0, 0, 0) + b"\0\0" + struct.pack("<HHH", 0x2F, 2, 0)
        refused = refusal("a.xls", samples.compound({"Workbook": stream.ljust(5000, b"\0")}))
        assert refused.reason is Refusal.LOCKED
        assert "without a password" in refused.detail


class TestMessages:
    def test_subject_text_and_attachments(self) -> None:
        document = parse("mail.msg", samples.outlook_message())
        assert (document.format, document.title, document.author) == ("msg", "Boiler in the cellar", "Ada Example")
        assert document.authored_at == samples.WHEN
        assert [(e.kind, e.level, e.text) for e in document.elements] == [
            (Kind.HEADING, 1, "Boiler in the cellar"),
            (Kind.PARAGRAPH, 0, samples.PROSE),
            (Kind.PARAGRAPH, 0, "Ada"),
            (Kind.HEADING, 2, "a.md"),
            (Kind.HEADING, 3, "Attached"),
            (Kind.PARAGRAPH, 0, "Text."),
            (Kind.HEADING, 2, "b.csv"),
            (Kind.TABLE, 0, "a | b\n1 | 2"),
        ]

    def test_texts_of_older_messages_have_a_code_page(self) -> None:
        texts = {0x0037: "Größe", 0x0C1A: "Jörg", 0x1000: "Die Tür klemmt für immer."}
        document = message(texts=texts, encoding="cp1252", numbers={0x3FFD: 1252})
        assert texts_of(document) == ["Größe", "Die Tür klemmt für immer."]
        russian = message(texts={0x1000: "Дверь заперта."}, encoding="cp1251", numbers={0x3FFD: 1251})
        assert texts_of(russian) == ["Дверь заперта."]

    def test_markup_is_read_where_there_is_no_plain_text(self) -> None:
        html = "<p>Die T\u00fcr klemmt.</p><table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>"
        document = message(texts={0x0037: "Tür"}, binaries={0x1013: html.encode("cp1252")}, numbers={0x3FDE: 1252})
        assert texts_of(document) == ["Tür", "Die Tür klemmt.", "a | b\n1 | 2"]
        utf8 = message(texts={0x1000: " \r\n"}, binaries={0x1013: html.encode()}, numbers={0x3FDE: 65001})
        assert texts_of(utf8)[0] == "Die Tür klemmt."

    def test_compressed_rich_text_is_read_where_there_is_nothing_else(self) -> None:
        rtf = rb"{\rtf1\ansi\ansicpg1252 The boiler \b leaks\b0  at 3 bar.\par Call Ada.\par}"
        document = message(texts={0x0037: "Boiler"}, binaries={0x1009: compressed_rtf.compress(rtf)})
        assert "The boiler leaks at 3 bar." in "\n".join(texts_of(document))
        assert "Call Ada." in "\n".join(texts_of(document))

    def test_damaged_rich_text_is_a_warning(self) -> None:
        document = message(texts={0x0037: "Boiler", 0x1000: ""}, binaries={0x1009: b"\x10\0\0\0junkLZFu\0\0\0\0ab"})
        assert texts_of(document) == ["Boiler"]
        assert any("rich text" in warning for warning in document.warnings)

    def test_a_message_in_a_message_is_a_section(self) -> None:
        inner = samples.outlook(
            texts={0x0037: "Your order", 0x1000: "Three pumps."}, files=[("n.txt", b"Net 30 days.")]
        )
        document = message(messages=[inner])
        assert texts_of(document)[-4:] == ["Your order", "Three pumps.", "n.txt", "Net 30 days."]

    def test_messages_are_read_to_a_limited_depth(self) -> None:
        inner = samples.outlook(texts={0x0037: "Level 9", 0x1000: "Deepest."})
        for level in range(8, 0, -1):
            inner = samples.outlook(texts={0x0037: f"Level {level}", 0x1000: f"Text {level}."}, messages=[inner])
        document = parse("mail.msg", samples.compound(inner))
        assert "Text 1." in texts_of(document)
        assert "Deepest." not in texts_of(document)
        assert any("limited depth" in warning for warning in document.warnings)

    def test_what_cannot_be_read_is_named(self) -> None:
        document = message(files=[("plan.dwg", b"AC1015\0\1\2\3" * 20), ("a.zip", b"PK\x03\x04"), ("", b"Loose text.")])
        assert any("'plan.dwg' was not read" in warning for warning in document.warnings)
        assert any("'a.zip' was not read" in warning for warning in document.warnings)
        assert "Loose text." in texts_of(document)

    def test_an_appointment_says_when_and_where(self) -> None:
        texts = {
            0x001A: "IPM.Appointment",
            0x0037: "Boiler check",
            0x1000: "Bring the key.",
            0x8001: "Cellar of Mill Lane 4",
        }
        times = {0x8002: datetime(2026, 3, 2, 9, 0, tzinfo=UTC), 0x8003: datetime(2026, 3, 2, 10, 30, tzinfo=UTC)}
        document = message(texts=texts, times=times, names={0x8001: 0x8208, 0x8002: 0x820D, 0x8003: 0x820E})
        (record,) = (e.text for e in document.elements if e.kind is Kind.RECORD)
        assert record == "start: 2026-03-02 09:00 UTC\nend: 2026-03-02 10:30 UTC\nlocation: Cellar of Mill Lane 4"

    def test_a_card_says_who(self) -> None:
        texts = {
            0x001A: "IPM.Contact",
            0x3001: "Ada Example",
            0x3A16: "Boilers Ltd",
            0x3A17: "Engineer",
            0x3A08: "+44 1632 960 1",
        }
        document = message(texts=texts)
        (record,) = (e.text for e in document.elements if e.kind is Kind.RECORD)
        assert record == "name: Ada Example\norganisation: Boilers Ltd\nrole: Engineer\ntelephone: +44 1632 960 1"

    def test_a_date_of_the_headers_stands_in(self) -> None:
        headers = "From: Ada <ada@example.org>\r\nDate: Fri, 17 May 2024 10:30:00 +0200\r\n"
        document = message(texts={0x0037: "x", 0x1000: "Text.", 0x007D: headers})
        assert (document.authored_at, document.author) == (samples.WHEN, "Ada")

    def test_an_empty_one_has_no_text(self) -> None:
        refused = refusal("a.msg", samples.compound(samples.outlook(texts={0x001A: "IPM.Note"})))
        assert refused.reason is Refusal.NO_TEXT


class TestHostile:
    @pytest.mark.parametrize("name", ["a.xls", "a.msg"])
    def test_they_belong_to_what_is_read(self, name: str) -> None:
        assert is_supported(name)

    @pytest.mark.parametrize("stream", ["WordDocument", "PowerPoint Document", "Contents", "VisioDocument"])
    def test_other_old_files_are_refused_by_name_with_what_to_do(self, stream: str) -> None:
        refused = refusal("a.doc", samples.compound({stream: b"x" * 5000}))
        assert refused.reason is Refusal.UNSUPPORTED
        assert "save it as DOCX, PPTX or XLSX" in refused.detail

    def test_a_workbook_inside_a_text_does_not_make_the_text_one(self) -> None:
        content = samples.compound({"WordDocument": b"x" * 5000, "ObjectPool/_1/Workbook": b"y" * 5000})
        assert refusal("a.xls", content).reason is Refusal.UNSUPPORTED

    @pytest.mark.parametrize("make", [samples.old_workbook, samples.outlook_message])
    @pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.9])
    def test_a_truncated_one_has_a_reason(self, make: Callable[[], bytes], share: float) -> None:
        content = make()
        refused = refusal("a.xls", content[: int(len(content) * share)])
        assert refused.reason in (Refusal.CORRUPT, Refusal.UNSUPPORTED)
        assert refused.detail

    def test_sectors_that_lead_in_a_circle_are_refused(self) -> None:
        content = bytearray(samples.compound({"Workbook": b"\x09\x08" + b"x" * 20_000}))
        fat = 512 + struct.unpack_from("<I", content, 76)[0] * 512
        struct.pack_into("<I", content, fat + 4 * 5, 2)
        refused = refusal("a.xls", bytes(content))
        assert refused.reason is Refusal.CORRUPT
        assert "circle" in refused.detail

    def test_a_directory_that_leads_in_a_circle_is_read_once(self) -> None:
        content = bytearray(samples.outlook_message())
        at = content.index("__substg1.0_0037001F".encode("utf-16-le"))
        struct.pack_into("<II", content, at + 68, 0, 0)
        texts = texts_of(parse("a.msg", bytes(content)))
        assert len(texts) == len(set(texts)) > 0

    def test_a_stream_larger_than_its_file_is_refused(self) -> None:
        content = bytearray(samples.compound({"Workbook": b"x" * 5000}))
        at = content.index("Workbook".encode("utf-16-le"))
        struct.pack_into("<Q", content, at + 120, 2**40)
        assert refusal("a.xls", bytes(content)).reason is Refusal.CORRUPT

    def test_many_attachments_are_refused(self) -> None:
        content = samples.compound(samples.outlook(texts=MESSAGE, files=[(f"{n}.txt", b"x") for n in range(501)]))
        assert refusal("a.msg", content).reason is Refusal.HOSTILE

    def test_rich_text_that_unfolds_beyond_the_limit_is_refused(self) -> None:
        packed = (b"\xff" + b"\x00\x0f" * 8) * 20_000
        head = struct.pack("<II4sI", len(packed) + 12, len(packed) * 8, b"LZFu", crc32(packed))
        content = samples.compound(samples.outlook(texts={0x0037: "x"}, binaries={0x1009: head + packed}))
        assert len(content) < 1_000_000
        assert refusal("a.msg", content, Limits(max_text_mb=1)).reason is Refusal.TOO_LARGE

    @given(st.sampled_from(["xls", "msg"]), st.data())
    @settings(max_examples=examples(20, 60), deadline=None)
    def test_changed_bytes_give_a_document_or_a_reason(self, kind: str, data: st.DataObject) -> None:
        content = bytearray(CONTENT[kind])
        for _ in range(data.draw(st.integers(1, 12))):
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
        with suppress(SourceRefusedError):
            assert parse(f"a.{kind}", bytes(content)).elements

    def test_the_confined_process_reads_both(self) -> None:
        with Sandbox(Limits(), 1) as sandbox:
            read = dict(sandbox.map([("a.xls", CONTENT["xls"]), ("a.msg", CONTENT["msg"])]))
        assert {name: one.format for name, one in read.items() if isinstance(one, Document)} == {
            "a.xls": "xls", "a.msg": "msg"
        }  # fmt: skip


CONTENT = {"xls": samples.old_workbook(), "msg": samples.outlook_message()}


def record(kind: int, data: bytes) -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def begin(kind: int) -> bytes:
    return record(0x809, struct.pack("<HH", 0x600, kind) + bytes(12))


def box(kind: int, text: str, *more: str) -> bytes:
    """An object with text, some of it in letters of one byte and more in letters of two."""
    shown = record(0x5D, struct.pack("<HHHHH", 0x15, 18, kind, 1, 0) + bytes(12))
    shown += record(0x1B6, struct.pack("<HH6xHHH", 0, 0, len(text + "".join(more)), 0, 0))
    shown += record(0x3C, b"\0" + text.encode("latin-1"))
    return shown + b"".join(record(0x3C, b"\1" + part.encode("utf-16-le")) for part in more)


END = record(0x0A, b"")


class TestOutsideCells:
    def test_margins_and_boxes_belong_to_their_sheet_and_remarks_are_no_boxes(self) -> None:
        header = record(0x14, struct.pack("<HB", 5, 0) + b"Rents")
        first = begin(0x10) + header + box(6, "Mind the ", "gap – 日本") + box(0x19, "A remark") + END
        stream = begin(5) + END + first + begin(0x10) + box(2, "Second") + END
        outside = outside_cells(stream)
        assert [(sheet.margins, sheet.boxes) for sheet in outside.sheets] == [
            (["Rents"], ["Mind the gap – 日本"]),
            ([], ["Second"]),
        ]

    def test_titles_of_charts_are_kept_and_names_of_series_are_not(self) -> None:
        def label(text: str) -> bytes:
            return record(0x100D, struct.pack("<HBB", 0, len(text), 0) + text.encode())

        chart = begin(0x20) + record(0x1003, b"") + label("Series") + record(0x1025, b"") + label("Rent by year") + END
        (sheet,) = outside_cells(begin(5) + END + begin(0x10) + chart + END).sheets
        assert sheet.titles == ["Rent by year"]

    def test_links_and_pictures_are_noticed(self) -> None:
        own = record(0x1AE, b"\1\0\1\4")
        other = record(0x1AE, struct.pack("<HHB", 1, 9, 0) + b"other.xls")
        assert not outside_cells(begin(5) + own + END).is_linked
        assert outside_cells(begin(5) + own + other + END).is_linked
        assert outside_cells(begin(5) + record(0xEB, b"..\x89PNG\r\n..") + END).has_pictures

    @given(st.binary(max_size=400))
    def test_records_that_end_too_early_are_read_as_far_as_they_go(self, stream: bytes) -> None:
        assert outside_cells(begin(5) + END + begin(0x10) + stream).sheets
