"""Hostile, damaged and odd sources are refused with a reason, and nothing else ever comes out."""

from __future__ import annotations

import json
import struct
from pathlib import PurePosixPath

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import samples
from conftest import examples
from saidonce.documents.parse import FORMATS, Limits, is_supported, parse
from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation.model import Document, Kind

TYPES = b'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
BOMB = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>'
OUTSIDE = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><x>&a;</x>'


def reason(name: str, source: bytes, limits: Limits | None = None) -> Refusal:
    with pytest.raises(SourceRefusedError) as refused:
        parse(name, source, limits)
    assert refused.value.source == name
    assert refused.value.detail
    return refused.value.reason


def attempt(name: str, source: bytes, limits: Limits | None = None) -> Document | SourceRefusedError:
    try:
        return parse(name, source, limits)
    except SourceRefusedError as refused:
        return refused


def is_read_or(name: str, source: bytes, *reasons: Refusal) -> bool:
    result = attempt(name, source)
    return bool(result.elements) if isinstance(result, Document) else result.reason in reasons


def test_a_zip_bomb_is_refused_before_it_is_inflated() -> None:
    bomb = samples.package({"[Content_Types].xml": TYPES, "word/document.xml": b" " * (64 * 1024 * 1024)})
    assert len(bomb) < 200_000
    assert reason("a.docx", bomb) is Refusal.HOSTILE


def test_a_zip_that_lies_about_its_size_is_refused() -> None:
    bomb = bytearray(samples.package({"word/document.xml": b" " * (32 * 1024 * 1024)}))
    for magic, offset in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = bomb.index(magic) + offset
        bomb[at : at + 4] = struct.pack("<I", 1000)
    assert reason("a.docx", bytes(bomb)) in (Refusal.CORRUPT, Refusal.HOSTILE)


def test_many_entries_are_refused() -> None:
    parts = {f"word/{number}.xml": b"<x/>" for number in range(20_001)}
    assert reason("a.docx", samples.package(parts, level=0)) is Refusal.HOSTILE


@pytest.mark.parametrize("build", [samples.word, samples.slides, samples.workbook])
@pytest.mark.parametrize("part", [BOMB, OUTSIDE, BOMB.decode().encode("utf-16")])
def test_entities_in_office_files_are_refused(build: object, part: bytes) -> None:
    assert callable(build)
    assert reason("a.docx", samples.repacked(build(), {"docProps/core.xml": part})) is Refusal.HOSTILE


@pytest.mark.parametrize("name", ["../evil.xml", "word/../../evil.xml", "/etc/evil.xml", "..\\evil.xml", "C:/evil.xml"])
def test_paths_out_of_a_package_are_refused(name: str) -> None:
    assert reason("a.docx", samples.repacked(samples.word(), {name: b"<x/>"})) is Refusal.HOSTILE


def test_archives_are_not_opened() -> None:
    nested = samples.package({"inner.zip": samples.package({"a.txt": b"text"})})
    assert reason("a.zip", nested) is Refusal.UNSUPPORTED
    assert reason("a.txt.gz", b"\x1f\x8b\x08rest") is Refusal.UNSUPPORTED


def test_entities_in_html_expand_to_nothing_large() -> None:
    document = parse("a.html", b"<!DOCTYPE html [<!ENTITY a 'aaaa'>]><html><body><p>&a; text</p></body></html>")
    assert len(document.elements[-1].text) < 40


@pytest.mark.parametrize("opening", [b"<div>", b"<ul><li>", b"<table><tr><td>", b"<b>", b"<blockquote>", b"<sup>"])
def test_deep_markup_is_read_or_refused(opening: bytes) -> None:
    source = b"<html><body>" + opening * 5_000 + b"deep text"
    assert is_read_or("a.html", source, Refusal.HOSTILE, Refusal.NO_TEXT)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 300 + "1" + "]" * 300])
def test_deep_json_is_refused(text: str) -> None:
    assert reason("a.json", text.encode()) is Refusal.HOSTILE


@pytest.mark.parametrize("text", ["> " * 5_000 + "x", "- " * 2_000 + "x", "[" * 20_000, "*a_" * 20_000, "`" * 50_000])
def test_deep_markdown_is_read_or_refused(text: str) -> None:
    assert is_read_or("a.md", text.encode(), Refusal.HOSTILE, Refusal.NO_TEXT)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.txt", b"a" * 3_000_000),
        ("a.txt", b" " * 1_000_000 + b"x"),
        ("a.txt", b"1." * 500_000),
        ("a.csv", b"," * 1_900 + b"\nx"),
        ("a.rtf", b"{\\rtf1 {\\info{\\title " + b"a\\" * 20_000),
        ("a.eml", b"Subject: " + b"=?utf-8?q?a?= " * 5_000 + b"\n\ntext"),
        ("a.html", b"<p" + b" a=b" * 100_000 + b">text"),
        ("a.html", b"<!--" * 100_000 + b"<html>"),
    ],
)
def test_long_lines_end_in_time(name: str, source: bytes) -> None:
    assert attempt(name, source)


def test_spans_do_not_multiply_text() -> None:
    cell = b"<td rowspan=60000 colspan=60000>" + b"x" * 1_000 + b"</td>"
    document = parse("a.html", b"<table><tr>" + cell * 20 + b"</tr><tr><td>y</td></tr></table>")
    assert sum(len(e.text) for e in document.elements) < 5_000_000


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        ("a.txt", b"", Refusal.EMPTY),
        ("a.txt", b" \n\t\n", Refusal.EMPTY),
        ("a.pdf", b"\0" * 500, Refusal.EMPTY),
        ("a.md", b"<!-- only a remark -->", Refusal.NO_TEXT),
        ("a.odt", samples.package({"mimetype": b"application/vnd.oasis.opendocument.text"}), Refusal.CORRUPT),
        ("a.jpg", b"\xff\xd8\xff\xe0 picture", Refusal.CORRUPT),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, Refusal.UNSUPPORTED),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), Refusal.LOCKED),
        ("a.docx", b"plain words", Refusal.CORRUPT),
        ("a.xml", b"<?xml version='1.0'?><x>y</z>", Refusal.CORRUPT),
        ("a.zip", b"PK\x05\x06" + b"\0" * 18, Refusal.UNSUPPORTED),
        ("a.bin", bytes(range(256)) * 4, Refusal.UNSUPPORTED),
    ],
)
def test_reasons(name: str, source: bytes, expected: Refusal) -> None:
    assert reason(name, source) is expected


def test_too_large_by_source_and_by_text() -> None:
    assert reason("a.txt", b"a" * (1024 * 1024 + 1), Limits(max_source_mb=1)) is Refusal.TOO_LARGE
    assert reason("a.txt", (b"some words " * 99 + b"\n\n") * 1_000, Limits(max_text_mb=1)) is Refusal.TOO_LARGE


@pytest.mark.parametrize(
    ("name", "source", "family"),
    [
        ("manual.txt", samples.pdf(("Heating", samples.PROSE)), "pdf"),
        ("rules", samples.word(), "docx"),
        ("rules.pdf", samples.word(), "docx"),
        ("noext", b"just words", "txt"),
        ("noext", b"<html><body>hi</body></html>", "html"),
        ("noext", b'{"a": 1}', "json"),
        ("noext", b"From: a@b.c\nSubject: hi\n\ntext", "eml"),
        ("notes.weird", b"just words", "txt"),
        ("x.RTF", rb"{\rtf1 hello}", "rtf"),
    ],
)
def test_content_tells_the_format(name: str, source: bytes, family: str) -> None:
    assert parse(name, source).format == family


def test_the_unsupported_message_names_what_is_read() -> None:
    with pytest.raises(SourceRefusedError, match=r"docx.*jsonl"):
        parse("a.7z", b"7z\xbc\xaf\x27\x1c")


def test_formats_and_names() -> None:
    assert is_supported("Report.PDF")
    assert is_supported("folder.d/README")
    assert is_supported("photo.jpeg")
    assert not is_supported("font.woff2")
    assert FORMATS["htm"] == "html"
    assert parse("folder/annual report.txt", b"words").title == "annual report"


def check(name: str, source: bytes) -> None:
    """A document that keeps its promises, or a refusal."""
    document = attempt(name, source, Limits(max_text_mb=2))
    if isinstance(document, SourceRefusedError):
        assert document.detail
        return
    assert document.title
    assert document.elements
    assert document.authored_at is None or document.authored_at.utcoffset() is not None
    for element in document.elements:
        element.text.encode()
        assert element.text.strip()
        assert not set(element.text) & {chr(c) for c in range(32) if chr(c) not in "\t\n"}
        assert (element.kind is Kind.HEADING) == (element.level >= 1)
        assert (element.kind is Kind.TABLE) == bool(element.rows)
        if element.rows:
            assert element.text == "\n".join(" | ".join(row) for row in element.rows)
            assert len({len(row) for row in element.rows}) == 1


EXTENSIONS = st.sampled_from(["", *FORMATS, "zip", "bin", "odt"])
HEADS = st.sampled_from(
    [
        b"",
        b"%PDF-1.7\n",
        b"PK\x03\x04",
        b"{\\rtf1 ",
        b"<html><body>",
        b"Subject: x\nFrom: y\n\n",
        b"[{",
        b"---\n",
        b"\xff\xfe",
    ]
)
TAILS = st.one_of(
    st.binary(max_size=400), st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass"))
)


@settings(max_examples=examples(100, 300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(extension=EXTENSIONS, head=HEADS, tail=TAILS)
@example(extension="json", head=b"", tail=b"1e999999")
@example(extension="json", head=b"", tail=b"[" + b"1" * 5_000 + b"]")
@example(extension="csv", head=b"", tail=b'"' + b"x" * 2_000_000)
@example(extension="md", head=b"---\n", tail=b"title:\n---\n")
@example(extension="json", head=b"", tail=json.dumps("\ud800 x").encode())
def test_any_bytes_give_a_document_or_a_refusal(extension: str, head: bytes, tail: bytes) -> None:
    check(str(PurePosixPath("any").with_suffix(f".{extension}" if extension else "")), head + tail)


@settings(max_examples=examples(40, 120), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(["docx", "pptx", "xlsx", "pdf", "eml", "html"]), st.data())
def test_damaged_files_give_a_document_or_a_refusal(extension: str, data: st.DataObject) -> None:
    source = bytearray(WHOLE[extension])
    for _ in range(data.draw(st.integers(1, 12))):
        source[data.draw(st.integers(0, len(source) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(len(source) // 2, len(source)))
    check(f"damaged.{extension}", bytes(source[:cut]))


WHOLE = {
    "docx": samples.word(),
    "pptx": samples.slides(),
    "xlsx": samples.workbook(),
    "pdf": samples.pdf(("Heating", samples.PROSE)),
    "eml": samples.mail(("plan.md", b"# Plan")),
    "html": b"<html><body><h1>x</h1><ul><li>a<table><tr><td>b</td></tr></table></li></ul></body></html>",
}
