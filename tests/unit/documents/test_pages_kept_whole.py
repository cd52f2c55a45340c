"""What pages state in places where only their form tells it from furniture: beside lists and tables, behind buttons."""

from __future__ import annotations

import time
from collections.abc import Callable

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
    (
        "text in a form within the body of a table",
        "<table><tbody><form><p>Keep it for 5 years.</p><tr><td>A</td><td>1</td></tr></form></tbody></table>",
        "A | 1\nKeep it for 5 years.",
    ),
    (
        "text before, in and behind the rows of a form, in its order",
        "<table><form>Note alpha<tr><td>A</td><td>1</td></tr>beta</form>gamma</table>",
        "A | 1\nNote alpha beta gamma",
    ),
    (
        "text behind a group of rows in a box",
        "<table><div><tbody><tr><td>A</td><td>1</td></tr>Until four.</tbody></div></table>",
        "A | 1\nUntil four.",
    ),
    (
        "a dialog that is open in a cell",
        "<table><tr><td>A</td><td><dialog open>Recalled.</dialog></td></tr></table>",
        "A | Recalled.",
    ),
    (
        "the line over the label of a control in a list",
        "<ul><li>For guests<br>Nights: <input value=3></li></ul>",
        "- For guests\n  Nights: 3",
    ),
    (
        "controls of an item with and without labels",
        "<ul><li>Name <input> Age * <input value=5><input aria-label=Town value=Ulm> <input type=checkbox> agreed</ul>",
        "- Name Age: 5 Town: Ulm: not checked agreed",
    ),
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


MANY = [
    ("controls in one item of a list", lambda n: f"<ul><li>{'<input value=a>' * n}</li></ul>"),
    ("empty controls on one line", lambda n: f"<p>{'x <input>' * n}</p>"),
    (
        "described pictures in one figure",
        lambda n: "<div class=figure>" + "".join(f"<p><img alt='the red pump {at}'></p>" for at in range(n)) + "</div>",
    ),
]


@pytest.mark.parametrize(("_what", "page_of"), MANY, ids=[case[0] for case in MANY])
def test_many_of_one_thing_take_time_in_proportion(_what: str, page_of: Callable[[int], str]) -> None:
    """They took fifteen seconds and more."""
    start = time.process_time()
    document = parse("a.html", page_of(20_000).encode())
    assert document.elements
    assert time.process_time() - start < 8


def test_a_description_that_stands_twice_in_a_figure_is_read_once() -> None:
    picture = '<p><img alt="The pump of the mill"></p>'
    page = f"<div class=figure>{picture * 2}<p class=title>Figure 1. A pump</p></div>"
    document = parse("a.html", page.encode())
    assert [element.text for element in document.elements] == ["The pump of the mill", "Figure 1. A pump"]
