"""What pages state in places where only their form tells it from furniture: beside lists and tables, behind buttons."""

from __future__ import annotations

import pytest

from saidonce.documents.parse import parse

MAIN = "<p>A berth costs 30 euros a night, with water and power, for boats of up to twelve metres.</p>"
KEPT = [
    ("text in a list before its items", "<ul>Bring along:<li>boots</li></ul>", "Bring along:\n- boots"),
    ("text behind an item", "<ul><li>boots</li> of leather<li>rope</li></ul>", "- boots\n  of leather\n- rope"),
    ("a list without items", "<ul>The hut is shut.</ul>", "The hut is shut."),
    ("text in a list of terms", "<dl>Terms<dt>Crux</dt><dd>hard part</dd></dl>", "Terms\n- Crux\n  - hard part"),
    (
        "text in a list below another one",
        "<ul><li>a</li><ul>inner<li>b</li></ul></ul>",
        "- a\n  inner\n  - b",
    ),
    ("rows in a form", "<table><form><tr><td>A</td><td>1</td></tr></form></table>", "A | 1"),
    ("text in a table", "<table><tr><td>A</td><td>1</td></tr><p>Without tax.</p></table>", "A | 1\nWithout tax."),
    ("text in a row", "<table><tr><td>A</td><td>1</td><div>Until four.</div></tr></table>", "A | 1\nUntil four."),
    (
        "a button over what it unfolds",
        "<button class='accordion'>May dogs come?</button><div class='panel'><p>Yes.</p></div>",
        "May dogs come?\nYes.",
    ),
    (
        "text beside the article",
        f"<h1>Fees</h1><p>From 1 May.</p><article>{MAIN}</article><p>Multihulls pay double.</p>",
        f"Fees\nFrom 1 May.\n{MAIN[3:-4]}\nMultihulls pay double.",
    ),
    (
        "the page behind a dialog",
        "<div aria-hidden=true><p>The pool is heated from May to September only.</p></div><div role=dialog>Hi.</div>",
        "The pool is heated from May to September only.\nHi.",
    ),
    (
        "a menu of dishes",
        "<div class=menu><ul><li><a href=/a>Onion soup</a> 4.50</li><li><a href=/b>Trout</a> 14.00</li></ul></div>",
        "- Onion soup 4.50\n- Trout 14.00",
    ),
    (
        "the number of a note, as books declare it",
        "<p>Ten.<a epub:type='noteref' href='#n'>1</a> More<a role='doc-noteref' href='#n'><sup>2</sup></a>.</p>",
        "Ten.[1] More[2].",
    ),
    ("a link that is a number", "<p>See page <a href='#p'>12</a>.</p>", "See page 12."),
    ("a dialog that is open", "<dialog open><p>The pump is recalled.</p></dialog>", "The pump is recalled."),
]
LEFT_OUT = [
    ("a key that only sorts", "<table><tr><td><b style='display:none'>007</b>A</td><td>1</td></tr></table>", "A | 1"),
    ("a hidden part of a heading", "<h2>Use<b hidden>d</b></h2><p>Open it.</p>", "Use\nOpen it."),
    ("a button that unfolds nothing", "<p>Write to us.</p><button>Send</button><p>Soon.</p>", "Write to us.\nSoon."),
    ("an ornament", "<p>One.</p><div aria-hidden=true>★ ★ ★</div><p>Two.</p>", "One.\nTwo."),
    ("a formula drawn for eyes", "<p>x = <span aria-hidden=true>a b c d e f g h i</span>y</p>", "x = y"),
    ("a menu of pages", "<div class=menu><a href=/a>Home</a> | <a href=/b>Prices</a></div><p>Text.</p>", "Text."),
    (
        "navigation beside the article",
        f"<p><a href=#x>Skip</a></p><div>Ads here</div><ul><li><a href=/a>Home</a></li></ul><article>{MAIN}</article>",
        MAIN[3:-4],
    ),
    ("a dialog that is shut", "<p>Text.</p><dialog><p>Really?</p></dialog>", "Text."),
]  # fmt: skip


@pytest.mark.parametrize(("_what", "body", "text"), KEPT + LEFT_OUT, ids=[case[0] for case in KEPT + LEFT_OUT])
def test_a_page_is_read_whole_without_its_furniture(_what: str, body: str, text: str) -> None:
    document = parse("a.html", f"<!doctype html><html><body>{body}</body></html>".encode())
    assert "\n".join(element.text for element in document.elements) == text
