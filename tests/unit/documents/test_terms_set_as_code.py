"""Terms that a page sets as paragraphs of code, each with its description set in below it; and what only looks so."""

from __future__ import annotations

import pytest

from saidonce.documents.parse import parse
from saidonce.foundation.model import Kind

TEXT, LIST, HEAD = Kind.PARAGRAPH, Kind.LIST, Kind.HEADING
UP = "<p><code>up</code></p><blockquote><p>Goes up.</p></blockquote>"
DOWN = '<p><span class="docutils literal">down</span></p>\n<blockquote><p>Goes down.</p></blockquote>'

HTML = {
    f"{UP}{DOWN}": [(LIST, "- up\n  - Goes up.\n- down\n  - Goes down.")],
    f"<p>Commands:</p>{UP}<p>It beeps.</p>{DOWN}": [
        (TEXT, "Commands:"),
        (LIST, "- up\n  - Goes up."),
        (TEXT, "It beeps."),
        (LIST, "- down\n  - Goes down."),
    ],
    "<p><code>-u</code>, <code>--up</code></p><blockquote><p>Goes up.</p></blockquote>": [
        (LIST, "- -u, --up\n  - Goes up.")
    ],
    # what is said of code, a quotation, and a command without a description
    "<p>Type <code>up</code></p><blockquote><p>Goes up.</p></blockquote>": [(TEXT, "Type up"), (TEXT, "Goes up.")],
    "<p>Ada wrote</p><blockquote><p>It rises.</p></blockquote>": [(TEXT, "Ada wrote"), (TEXT, "It rises.")],
    "<p><code>up</code></p> then <blockquote><p>Goes up.</p></blockquote>": [
        (TEXT, "up"),
        (TEXT, "then"),
        (TEXT, "Goes up."),
    ],
    "<p><code>up</code></p><p>Goes up.</p>": [(TEXT, "up"), (TEXT, "Goes up.")],
    # items of a list, with their numbers
    f"<ol><li>{UP}</li><li><p>Wait.</p></li></ol>": [(LIST, "1. up\n  Goes up.\n2. Wait.")],
    f"<ol><li><p>Type:</p>{UP}</li><li><p>Wait.</p></li></ol>": [(LIST, "1. Type:\n  - up\n    - Goes up.\n2. Wait.")],
    # a list of contents of the page itself, as docutils writes it
    '<div class="contents topic" id="contents"><p>Contents</p><ul><li><a href="#doors">Doors of a lift</a></li></ul>'
    '</div><h2 id="doors">Doors of a lift</h2><p>Oil them.</p>': [(HEAD, "Doors of a lift"), (TEXT, "Oil them.")],
    '<div class="contents"><p>The box has <a href="#key">a key</a> and two long ropes.</p></div>': [
        (TEXT, "The box has a key and two long ropes.")
    ],
}

RST = {
    "``up``\n\n    Goes up.\n\n``down``\n\n    Goes down.\n": [(TEXT, "up: Goes up."), (TEXT, "down: Goes down.")],
    "1. ``up``\n\n      Goes up.\n2. Wait.\n": [(LIST, "1. up\n  Goes up.\n2. Wait.")],
    "- ``up``\n\n      Goes up.\n- ``down``\n": [(LIST, "- up\n  Goes up.\n- down")],
    "``up``\n\n    Goes up.\n\n    -- Ada\n": [(TEXT, "up"), (TEXT, "Goes up."), (TEXT, "Ada")],
    "Ada wrote\n\n    It rises.\n": [(TEXT, "Ada wrote"), (TEXT, "It rises.")],
    "Type ``up``\n\n    Goes up.\n": [(TEXT, "Type up"), (TEXT, "Goes up.")],
}


@pytest.mark.parametrize(("markup", "shown"), HTML.items())
def test_terms_of_html(markup: str, shown: list[tuple[Kind, str]]) -> None:
    page = f"<html><body><h1>Lifts</h1>{markup}</body></html>"
    assert [(e.kind, e.text) for e in parse("lift.html", page.encode()).elements] == [(HEAD, "Lifts"), *shown]


@pytest.mark.parametrize(("markup", "shown"), RST.items())
def test_terms_of_restructured_text(markup: str, shown: list[tuple[Kind, str]]) -> None:
    page = f"Lifts\n=====\n\n{markup}"
    assert [(e.kind, e.text) for e in parse("lift.rst", page.encode()).elements] == [(HEAD, "Lifts"), *shown]
