"""Notes of a page of HTML: the label stands before the first paragraph and over nothing else."""

import pytest

from saidonce.documents.parse import Limits, NamedBytes
from saidonce.documents.parse.html import read
from saidonce.foundation.model import Kind

BEFORE, TEXT, AFTER = "The pump has a green key.", "The pump stops by itself.", "A hose is fixed to it."
SIGN = '<tr><td rowspan="2"><img src="note.png"></td><th>Note</th></tr>'


def elements(note: str) -> list[tuple[str, str]]:
    page = f"<html><body><h1>Pumps</h1><p>{BEFORE}</p>{note}<p>{AFTER}</p></body></html>"
    draft = read(NamedBytes("page.html", page.encode(), Limits()))
    return [(element.kind.value, element.text) for element in draft.elements][1:]


@pytest.mark.parametrize(
    ("note", "shown"),
    [
        (f'<div class="note"><h3 class="title">Note</h3><p>{TEXT}</p></div>', f"Note: {TEXT}"),
        (f'<div class="warning"><h3 class="title">Stop here!</h3><p>{TEXT}</p></div>', f"Stop here! {TEXT}"),
        (f'<div class="admonition tip"><p class="admonition-title">Tip</p><p>{TEXT}</p></div>', f"Tip: {TEXT}"),
        (
            f'<aside class="admonition"><p class="admonition-title">Note:</p>\n<p>{TEXT}</p></aside>',
            f"Note: {TEXT}",
        ),
        (
            f'<div class="note"><table>{SIGN}<tr><td colspan="2"><p>{TEXT}</p></td></tr></table></div>',
            f"Note: {TEXT}",
        ),
        (f'<div class="note"><p>{TEXT}</p></div>', TEXT),
    ],
)
def test_the_label_stands_before_the_first_paragraph(note: str, shown: str) -> None:
    assert elements(note) == [("paragraph", BEFORE), ("paragraph", shown), ("paragraph", AFTER)]


@pytest.mark.parametrize(
    ("note", "kind"),
    [
        (f'<div class="section"><h3 class="title">Note</h3><p>{TEXT}</p></div>', Kind.HEADING),
        (f'<div class="note"><h3>Note</h3><p>{TEXT}</p></div>', Kind.HEADING),
        ('<div class="note"><h3 class="title">Keys</h3><ul><li>green</li><li>red</li></ul></div>', Kind.HEADING),
        (f'<div class="note"><h3 class="title">{"Hoses " * 12}</h3><p>{TEXT}</p></div>', Kind.HEADING),
        (f'<div class="note">First. <p class="title">Note</p><p>{TEXT}</p></div>', Kind.PARAGRAPH),
    ],
)
def test_what_is_no_label_is_read_as_before(note: str, kind: Kind) -> None:
    shown = elements(note)
    assert shown[1][0] == kind
    assert any("Note:" in text for _, text in shown) is False


def test_nothing_of_a_note_is_lost() -> None:
    note = f'<div class="note"><h3 class="title">Two <b>keys</b></h3><p>{TEXT}</p><p>{BEFORE}</p></div>'
    assert elements(note)[1:3] == [("paragraph", f"Two keys: {TEXT}"), ("paragraph", BEFORE)]
