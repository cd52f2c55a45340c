"""PDF files and messages keep their structure."""

from __future__ import annotations

import email.policy
from collections.abc import Sequence
from email.message import EmailMessage

import pytest

import samples
from saidonce.documents.parse import parse, recognisers
from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation.model import Kind
from saidonce.foundation.ports.recognition import Recognised


class FindsNoWords:
    """Stands for the recogniser of pictures on an empty page: loading the real one takes seconds."""

    name = "finds no words"

    def recognise(self, content: bytes, mime: str, language: str = "") -> Sequence[Recognised]:
        return ()


@pytest.fixture(params=["no words", pytest.param("real", marks=pytest.mark.slow)])
def empty_pages(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recognise empty pages; the real recogniser finds no words on them either, as `make proofs` shows."""
    if request.param == "no words":
        monkeypatch.setattr(recognisers, "_loaded", {})
        monkeypatch.setattr(recognisers, "picture_reader", FindsNoWords)


def test_pdf_pages_headings_and_title() -> None:
    pages = (("Heating", samples.PROSE), ("Water", "The water is cold."), ("Rents", "Table 1: rents by flat"))
    source = samples.pdf(*pages, title="Manual of the house")
    document = parse("manual.pdf", source)
    assert (document.title, document.n_pages, document.format) == ("Manual of the house", 3, "pdf")
    headings = [(e.text, e.page) for e in document.elements if e.kind is Kind.HEADING]
    assert headings == [("Heating", 1), ("Water", 2), ("Rents", 3)]
    text = " ".join(e.text for e in document.elements)
    assert "licensed engineer" in text
    assert "The water is cold." in text
    assert (document.elements[-1].kind, document.elements[-1].text) == (Kind.CAPTION, "Table 1: rents by flat")


def test_pdf_signs_that_look_like_marks_stay() -> None:
    line = "the product a*b*c and **x** and C:\\\\dir\\\\*.txt and snake_case_name costs $5-$6"
    assert parse("a.pdf", samples.pdf(("Maths", line))).elements[-1].text == line


@pytest.mark.usefixtures("empty_pages")
def test_pdf_page_without_text_is_noted() -> None:
    document = parse("a.pdf", samples.pdf(("Heating", samples.PROSE), ()))
    assert document.warnings == ("pages without text, perhaps scanned: 2",)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (samples.pdf(("Heating",), password="secret"), Refusal.LOCKED),
        (samples.pdf(("Heating",))[:200], Refusal.CORRUPT),
        (b"%PDF-1.7\n", Refusal.CORRUPT),
        (b"not a pdf at all", Refusal.CORRUPT),
    ],
)
def test_pdf_refusals(source: bytes, reason: Refusal) -> None:
    with pytest.raises(SourceRefusedError) as refused:
        parse("a.pdf", source)
    assert refused.value.reason is reason


@pytest.mark.usefixtures("empty_pages")
def test_pdf_of_empty_pages_is_refused() -> None:
    with pytest.raises(SourceRefusedError) as refused:
        parse("a.pdf", samples.pdf((), ()))
    assert refused.value.reason is Refusal.NO_TEXT


def test_mail_with_attachments() -> None:
    document = parse(
        "m.eml", samples.mail(("plan.md", b"# Plan\n\nCall the fitter."), ("photo.png", b"\x89PNG\r\n\x1a\n"))
    )
    assert document.title == "Lift – out of order"
    assert document.author == "Zoë Resident"
    assert document.authored_at == samples.WHEN
    assert [(e.kind, e.level, e.text) for e in document.elements] == [
        (Kind.RECORD, 0, "from: Zoë Resident\nto: office@example.org"),
        (Kind.HEADING, 1, "Lift – out of order"),
        (Kind.PARAGRAPH, 0, "Hello,"),
        (Kind.PARAGRAPH, 0, "the lift stands still since 9 o'clock."),
        (Kind.PARAGRAPH, 0, "> we will send somebody"),
        (Kind.HEADING, 2, "plan.md"),
        (Kind.HEADING, 3, "Plan"),
        (Kind.PARAGRAPH, 0, "Call the fitter."),
    ]
    why = "it is no picture of a known kind; save it as PNG or JPEG"
    assert document.warnings == (f"attachment 'photo.png' was not read (unsupported): {why}",)


def test_an_empty_attachment_is_named_with_the_reason() -> None:
    document = parse("m.eml", samples.mail(("plan.doc", b"")))
    assert document.warnings == ("attachment 'plan.doc' was not read: it is empty",)


def test_mail_in_html_only() -> None:
    message = EmailMessage()
    message["Subject"] = "Hi"
    message.set_content("<ul><li>one</li><li>two</li></ul>", subtype="html")
    assert parse("m.eml", bytes(message)).elements[-1].text == "- one\n- two"


def test_mail_enclosed_messages_end_somewhere() -> None:
    message = EmailMessage(policy=email.policy.default)
    message["Subject"] = "innermost"
    message.set_content("text")
    for depth in range(12):
        outer = EmailMessage(policy=email.policy.default)
        outer["Subject"] = f"level {depth}"
        outer.set_content(f"text {depth}")
        outer.add_attachment(message)
        message = outer
    document = parse("m.eml", bytes(message))
    assert document.title == "level 11"
    assert any("limited depth" in warning for warning in document.warnings)
    assert all("innermost" not in e.text for e in document.elements)


def test_mail_inside_of_mail_inside_of_an_attachment_is_not_opened() -> None:
    inner = samples.mail(("deep.txt", b"deep"))
    document = parse("m.eml", samples.mail(("inner.eml", inner)))
    assert any("deep.txt" in warning for warning in document.warnings)


def test_mail_with_a_broken_date() -> None:
    document = parse("m.eml", b"Subject: Hi\nDate: Frrriday\n\nText of it.\n")
    assert document.authored_at is None
    assert document.warnings == ("its date header cannot be read",)


def test_a_file_name_in_the_encoding_of_headers_is_read_and_names_its_format() -> None:
    content = (
        b"From: a@example.org\r\nSubject: Rents\r\nMIME-Version: 1.0\r\n"
        b"Content-Type: multipart/mixed; boundary=x\r\n\r\n"
        b"--x\r\nContent-Type: text/plain\r\n\r\nSee the list.\r\n"
        b'--x\r\nContent-Type: application/octet-stream; name="=?utf-8?B?TcO8bGxlciAyMDI0LmNzdg==?="\r\n'
        b"Content-Disposition: attachment\r\n\r\nFlat;Rent\r\nA1;500\r\n--x--\r\n"
    )
    elements = parse("a.eml", content).elements
    assert [(e.kind, e.text) for e in elements[-2:]] == [
        (Kind.HEADING, "Müller 2024.csv"),
        (Kind.TABLE, "Flat | Rent\nA1 | 500"),
    ]
