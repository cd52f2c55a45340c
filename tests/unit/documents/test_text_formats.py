"""HTML, Markdown, plain text, RTF, CSV and JSON keep their structure."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

import samples
from saidonce.documents.parse import parse
from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation.model import Element, Kind


def kinds(elements: tuple[Element, ...]) -> list[tuple[Kind, str]]:
    return [(element.kind, element.text) for element in elements]


PAGE = f"""<!doctype html><html lang="de"><head><title>Heating – Example House</title>
<meta name="author" content="Ada"><meta property="article:published_time" content="2024-05-17T10:30:00+02:00">
<script>var hidden = 1;</script></head><body>
<nav><a href="/">Home</a></nav>
<main><h1>Heating</h1><p>{samples.PROSE}</p>
<div>Loose text<br>on two lines <b>and</b> more.<p>Water boils at 10<sup>2</sup> degrees<sup><a href="#n">3</a></sup>,
H<sub>2</sub>O.</p></div>
<h2>Steps</h2><ol><li>Open<ul><li>slowly</li></ul></li><li>Wait</li></ol>
<table><caption>Rooms</caption><tr><th>Room</th><th colspan="2">Degrees</th></tr>
<tr><td rowspan="2">Bath</td><td>22</td><td>24</td></tr><tr><td>20</td><td>21</td></tr></table>
<pre><code>if cold:
    heat()</code></pre>
<figure><img src="x.png" alt="v"><figcaption>The valve</figcaption></figure>
<dl><dt>kWh</dt><dd>energy</dd></dl>
<p hidden>secret</p></main>
<footer>Imprint</footer></body></html>"""


def test_html_structure_without_furniture() -> None:
    document = parse("page.html", PAGE.encode())
    assert document.title == "Heating"
    assert document.author == "Ada"
    assert document.authored_at == datetime(2024, 5, 17, 8, 30, tzinfo=UTC)
    assert kinds(document.elements) == [
        (Kind.HEADING, "Heating"),
        (Kind.PARAGRAPH, samples.PROSE),
        (Kind.PARAGRAPH, "Loose text\non two lines and more."),
        (Kind.PARAGRAPH, "Water boils at 10^2 degrees[3], H2O."),
        (Kind.HEADING, "Steps"),
        (Kind.LIST, "1. Open\n  - slowly\n2. Wait"),
        (Kind.CAPTION, "Rooms"),
        (Kind.TABLE, "Room | Degrees | Degrees\nBath | 22 | 24\nBath | 20 | 21"),
        (Kind.CODE, "if cold:\n    heat()"),
        (Kind.CAPTION, "The valve"),
        (Kind.LIST, "- kWh\n  - energy"),
    ]


def test_html_declared_language_fills_in_for_short_text() -> None:
    assert parse("a.html", b"<html lang='de-AT'><body><p>Guten Tag</p></body></html>").language == "de"


def test_html_that_is_all_navigation_is_kept() -> None:
    document = parse("a.html", b"<html><body><nav><a href='/'>Home page of the house</a></nav></body></html>")
    assert document.elements[0].text == "Home page of the house"


def test_html_layout_table_is_running_text() -> None:
    document = parse(
        "a.html", b"<table role=presentation><tr><td><p>One.</p><p>Two.</p></td><td>Three.</td></tr></table>"
    )
    assert kinds(document.elements) == [(Kind.PARAGRAPH, t) for t in ("One.", "Two.", "Three.")]


def test_html_declared_encoding_is_used() -> None:
    page = "<html><head><meta charset='windows-1251'></head><body><p>Привет, дом</p></body></html>"
    assert parse("a.html", page.encode("windows-1251")).elements[0].text == "Привет, дом"


MARKDOWN = """---
title: "House rules"
date: 2024-05-17
lastmod: 2024-06-01
author: Ada
---
# Rules

A paragraph
wrapped in two lines with `code` and [a link](https://example.org/x).

- one
  - inner
- two

      continued

1. first
2. second

| a | b |
|---|---|
| 1 | **2** |

```python
x  =  1
```

<details><summary>More</summary><p>Hidden text</p></details>

Setext
------
"""


def test_markdown_structure_and_front_matter() -> None:
    document = parse("rules.md", MARKDOWN.encode())
    assert (document.title, document.author) == ("House rules", "Ada")
    assert document.authored_at == datetime(2024, 6, 1, tzinfo=UTC)
    assert kinds(document.elements) == [
        (Kind.HEADING, "Rules"),
        (Kind.PARAGRAPH, "A paragraph wrapped in two lines with code and a link."),
        (Kind.LIST, "- one\n  - inner\n- two"),
        (Kind.CODE, "continued"),
        (Kind.LIST, "1. first\n2. second"),
        (Kind.TABLE, "a | b\n1 | 2"),
        (Kind.CODE, "x  =  1"),
        (Kind.PARAGRAPH, "More"),
        (Kind.PARAGRAPH, "Hidden text"),
        (Kind.HEADING, "Setext"),
    ]
    assert document.elements[-1].level == 2


PLAIN = """HOUSE RULES

Quiet hours
===========

Between ten in the evening and six in the morning there shall be silence in
all parts of the house, the garden and the yard.

2.1 Deliveries

Max Muster
Main Street 1
12345 Town

- parcels go to
  the office
- letters go to the box
"""


def test_plain_text_structure() -> None:
    document = parse("rules.txt", PLAIN.encode())
    assert kinds(document.elements) == [
        (Kind.HEADING, "HOUSE RULES"),
        (Kind.HEADING, "Quiet hours"),
        (
            Kind.PARAGRAPH,
            "Between ten in the evening and six in the morning there shall be silence in all parts of the house, "
            "the garden and the yard.",
        ),
        (Kind.HEADING, "2.1 Deliveries"),
        (Kind.PARAGRAPH, "Max Muster\nMain Street 1\n12345 Town"),
        (Kind.LIST, "- parcels go to the office\n- letters go to the box"),
    ]
    assert document.elements[3].level == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252"])
def test_plain_text_in_many_encodings(encoding: str) -> None:
    text = "Über die Heizung: 22 °C im Bad, höchstens 24 °C – sonst wird es zu heiß für ältere Bewohner."
    document = parse("a.txt", text.encode(encoding))
    assert document.elements[0].text == text


def test_rtf() -> None:
    source = (
        rb"{\rtf1\ansi{\info{\title House}{\author Ada}{\revtim\yr2024\mo5\dy17\hr8\min30}}"
        rb"\pard First paragraph with caf\'e9.\par Second one.\par}"
    )
    document = parse("a.rtf", source)
    assert (document.title, document.author, document.authored_at) == ("House", "Ada", samples.WHEN)
    assert kinds(document.elements) == [
        (Kind.PARAGRAPH, "First paragraph with café."),
        (Kind.PARAGRAPH, "Second one."),
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_delimiters(delimiter: str) -> None:
    rows = [("name", "rent, cold"), ("A1", "500"), ("A2", 'with "quotes"\nand lines')]
    lines = (delimiter.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows)
    (table,) = parse("a.csv", "\n".join(lines).encode()).elements
    assert table.rows == (("name", "rent, cold"), ("A1", "500"), ("A2", 'with "quotes" and lines'))


def test_csv_ragged_rows_are_filled_and_noted() -> None:
    document = parse("a.csv", b"a,b,c\n1,2\n1,2,3\n\n")
    assert document.elements[0].rows == (("a", "b", "c"), ("1", "2", ""), ("1", "2", "3"))
    assert "length" in document.warnings[0]


def test_json_records() -> None:
    records = [
        {"title": "Lift", "text": "It stands still.", "meta": {"floor": 3, "tags": ["a", "b"]}},
        {"id": 7, "open": True, "none": None, "inner": [{"x": 1.5}]},
        "loose",
    ]
    document = parse("a.json", json.dumps(records).encode())
    assert kinds(document.elements) == [
        (Kind.HEADING, "Lift"),
        (Kind.PARAGRAPH, "It stands still."),
        (Kind.RECORD, "meta.floor: 3\nmeta.tags: a, b"),
        (Kind.RECORD, "id: 7\nopen: true\ninner.1.x: 1.5"),
        (Kind.PARAGRAPH, "loose"),
    ]


def test_json_lines_with_markdown_and_a_bad_line() -> None:
    lines = [json.dumps({"title": "T", "markdown": "# H\n\n- a\n- b"}), "not json", json.dumps({"k": "v"})]
    document = parse("a.jsonl", "\n".join(lines).encode())
    assert kinds(document.elements) == [
        (Kind.HEADING, "T"),
        (Kind.HEADING, "H"),
        (Kind.LIST, "- a\n- b"),
        (Kind.PARAGRAPH, "not json"),
        (Kind.RECORD, "k: v"),
    ]
    assert document.elements[1].level == 2
    assert document.warnings


def test_json_of_one_record_is_named_by_it_and_of_many_by_the_file() -> None:
    one = {"title": "Lift", "text": "It stands still."}
    assert parse("reports.json", json.dumps(one).encode()).title == "Lift"
    assert parse("reports.json", json.dumps([one, one]).encode()).title == "reports"


def test_json_that_is_none_is_corrupt() -> None:
    with pytest.raises(SourceRefusedError) as refused:
        parse("a.json", b'{"a": ')
    assert refused.value.reason is Refusal.CORRUPT


def test_a_heading_in_a_quotation_opens_no_section() -> None:
    quotation = "> ## Notice\n> Never use it in a fire."
    markdown = f"# Lifts\n\nA lift carries people.\n\n{quotation}\n\n## Doors\n\nThey close by themselves.\n"

    elements = parse("lifts.md", markdown.encode()).elements

    assert [e.text for e in elements if e.kind is Kind.HEADING] == ["Lifts", "Doors"]
    assert "Notice" in " ".join(e.text for e in elements if e.kind is Kind.PARAGRAPH)


def test_what_is_written_under_an_autodoc_directive_is_kept() -> None:
    rst = """
Lifts
=====

.. autoclass:: house.Lift
   :members: up, down

   A lift carries 8 people.

   .. attribute:: doors

      How many doors it has.

.. autofunction:: house.call
"""

    document = parse("lifts.rst", rst.encode())

    texts = " ".join(e.text for e in document.elements)
    assert "A lift carries 8 people." in texts
    assert "How many doors it has." in texts
    assert "doors" in texts
    assert "members" not in texts
    assert any("autoclass" in warning for warning in document.warnings)


def test_code_under_a_directive_that_nobody_knows_keeps_its_signs() -> None:
    rst = r"""
Lifts
=====

.. lifts:example::

    @lifts.call(sep='\r\n')
    def up(floor):
        return ['--', floor]

.. lifts:run::

    invoke(up, args=['--', '-3'])

.. house-console::

    $ lifts --up

.. example::

    A lift (with 8 people) goes *up* first.
"""

    elements = parse("lifts.rst", rst.encode()).elements

    assert [e.text for e in elements if e.kind is Kind.CODE] == [
        "@lifts.call(sep='\\r\\n')\ndef up(floor):\n    return ['--', floor]",
        "invoke(up, args=['--', '-3'])",
        "$ lifts --up",
    ]
    assert "A lift (with 8 people) goes up first." in [e.text for e in elements if e.kind is Kind.PARAGRAPH]
