"""Who sent and who received a mail, and who speaks in a plain transcript."""

from __future__ import annotations

import pytest

from saidonce.documents.parse import parse
from saidonce.foundation.model import Kind


@pytest.mark.parametrize(
    ("head", "author", "record"),
    [
        ("From: Ada Fenn <a@f.example>\r\nTo: jo@k.example", "Ada Fenn", "from: Ada Fenn\nto: jo@k.example"),
        ("From: a@f.example\r\nCc: Jo <j@k.example>, Jo <j@k.example>", "a@f.example",
         "from: a@f.example\ncc, copied in: Jo"),
        ('From: "Fenn, Ada" <a@f.example>\r\nTo: J <j@k.example>', "Fenn, Ada", "from: Fenn, Ada\nto: J"),
        ("From: =?utf-8?q?Ad=C3=A4=2C_F?= <a@f.example>\r\nTo: J <j@k.example>", "Adä, F",
         "from: Adä, F\nto: J"),
        ("From: Ada Fenn <a@f.example>", "Ada Fenn", ""),
        ("From: Ada Fenn <a@f.example>\r\nTo: undisclosed-recipients:;", "Ada Fenn", ""),
        ("From: <Saved by Blink>", "", ""),
        ("From: Saved by Mozilla 5.0", "", ""),
        ('From: "Saved by Windows Internet Explorer 7"', "", ""),
        ("From: Saved by Microsoft Internet Explorer 5\r\nTo: J <j@k.example>", "", "to: J"),
        ("From: Said Saved <s@k.example>", "Said Saved", ""),
        ("To: J <j@k.example>", "", "to: J"),
    ],
)  # fmt: skip
def test_a_mail_states_who_sent_and_who_received_it(head: str, author: str, record: str) -> None:
    document = parse("a.eml", f"{head}\r\nSubject: Leak\r\n\r\nThe cellar is wet.\r\n".encode())
    assert document.author == author
    assert "\n".join(e.text for e in document.elements if e.kind is Kind.RECORD) == record
    assert [e.text for e in document.elements if e.kind is not Kind.RECORD] == ["Leak", "The cellar is wet."]


def test_turns_of_a_transcript_keep_their_lines() -> None:
    turns = (
        "Marisol Okonjo: I accept the offer of four hundred pounds for the carpet.\n"
        "Ms Hartwig: I do not accept it, since the carpet was new when it was laid."
    )
    (paragraph,) = parse("minutes.txt", turns.encode()).elements
    assert paragraph.text == turns
