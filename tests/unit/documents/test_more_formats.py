"""Each of the newer formats, in a small source of our own, and in real files of installed packages."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from saidonce.documents.parse import FORMATS, parse
from saidonce.documents.parse.formats import BUILT_IN, CONTAINERS
from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation.model import Document, Kind
from saidonce.foundation.text import words

H, P, L, T, C, X, R = (
    Kind.HEADING, Kind.PARAGRAPH, Kind.LIST, Kind.TABLE, Kind.CAPTION, Kind.CODE, Kind.RECORD,
)  # fmt: skip


def shown(document: Document) -> list[tuple[Kind, str]]:
    return [(element.kind, element.text) for element in document.elements]


RST = """:Author: Ada

Heating
=======

See :ref:`the rooms <rooms>` and :py:func:`~house.heat`.

.. note:: Mind the step.

.. code-block:: sh
   :linenos:

   git reset --hard  # drops all
     indented

# no heading

.. list-table:: Rooms
   :header-rows: 1

   * - Room
     - Degrees
   * - Bath
     - 22

.. figure:: pump.png
   :alt: A pump

   The pump at work.

boiler
   Heats water.

.. house:thing:: pump
   :colour: red

   It turns.
"""

ADOC = """= Heating
Ada Example <ada@example.org>
v1, 2024-03-01
:product: boiler

// a remark
The *{product}* and `heat_all()`, see https://example.org[the site].

[NOTE]
====
Mind the step.
====

[source,sh]
----
git reset --hard  # drops all
----

# no heading

.Rooms
[cols="1,1"]
|===
|Room |Degrees

|Bath
|22
|===

boiler:: Heats water.

include::other.adoc[]
"""


def test_restructured_text() -> None:
    document = parse("a.rst", RST.encode())
    assert (document.title, document.author) == ("Heating", "Ada")
    assert shown(document) == [
        (R, "Author: Ada"),
        (H, "Heating"),
        (P, "See the rooms and heat."),
        (P, "Note: Mind the step."),
        (X, "git reset --hard  # drops all\n  indented"),
        (P, "# no heading"),
        (C, "Rooms"),
        (T, "Room | Degrees\nBath | 22"),
        (C, "A pump"),
        (C, "The pump at work."),
        (P, "boiler: Heats water."),
        (X, "pump"),
        (P, "It turns."),
    ]


def test_asciidoc() -> None:
    document = parse("a.adoc", ADOC.encode())
    assert (document.title, document.author) == ("Heating", "Ada Example")
    assert document.authored_at is not None
    assert shown(document) == [
        (H, "Heating"),
        (P, "The boiler and heat_all(), see the site."),
        (P, "Note: Mind the step."),
        (X, "git reset --hard  # drops all"),
        (P, "# no heading"),
        (C, "Rooms"),
        (T, "Room | Degrees\nBath | 22"),
        (L, "- boiler: Heats water."),
    ]
    assert document.warnings == ("content included from other files was left out, such as 'other.adoc'",)


_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:"
FLAT = f"""<?xml version="1.0"?><office:document xmlns:office="{_OFFICE}office:1.0" xmlns:text="{_OFFICE}text:1.0"
 xmlns:table="{_OFFICE}table:1.0" xmlns:style="{_OFFICE}style:1.0"><office:automatic-styles>
<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style>
</office:automatic-styles><office:body><office:text><text:h text:outline-level="1">Heating</text:h>
<text:p>Two<text:s text:c="1"/>words.</text:p><text:list text:style-name="N"><text:list-item><text:p>Open</text:p>
</text:list-item><text:list-item><text:p>Wait</text:p></text:list-item></text:list>
<table:table><table:table-row><table:table-cell><text:p>Room</text:p></table:table-cell>
<table:table-cell><text:p>Degrees</text:p></table:table-cell></table:table-row><table:table-row>
<table:table-cell><text:p>Bath</text:p></table:table-cell><table:table-cell><text:p>22</text:p></table:table-cell>
</table:table-row></table:table></office:text></office:body></office:document>""".replace(
    "<office:document ", "<office:document-content "
).replace("</office:document>", "</office:document-content>")


def packed(parts: dict[str, bytes | str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize("name", ["a.odt", "a.fodt"])
def test_opendocument(name: str) -> None:
    package = packed({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": FLAT})
    document = parse(name, FLAT.encode() if name == "a.fodt" else package)
    assert shown(document) == [
        (H, "Heating"), (P, "Two words."), (L, "1. Open\n2. Wait"), (T, "Room | Degrees\nBath | 22"),
    ]  # fmt: skip


def test_a_target_named_like_its_section_breaks_no_rule() -> None:
    text = ".. _`Closing valves`:\n\nClosing valves\n==============\n\nTurn right.\n\n"
    text += "Notes\n=====\n\nOne.\n\nNotes\n=====\n\nTwo.\n"
    assert parse("a.rst", text.encode()).warnings == ()
    assert "1 piece breaks" in parse("a.rst", b"Rules\n=====\n\nThe *valve is open.\n").warnings[0]


def book(chapters: dict[str, str]) -> bytes:
    items = "".join(
        f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(chapters)
    )
    refs = "".join(f'<itemref idref="i{n}"/>' for n in range(len(chapters)))
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        f"<dc:title>The House</dc:title><dc:creator>Ada</dc:creator><dc:language>en</dc:language></metadata>"
        f"<manifest>{items}</manifest><spine>{refs}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OPS/book.opf"/></rootfiles></container>'
    )
    texts = {f"OPS/{name}": text for name, text in chapters.items() if text}
    return packed(
        {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "OPS/book.opf": opf, **texts}
    )


def test_an_electronic_book_in_the_order_of_its_spine() -> None:
    page = '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><body>{}</body></html>'
    chapters = {
        "b.xhtml": page.format("<h1>One</h1><p>First.</p>"),
        "a.xhtml": page.format("<h1>Two</h1>"),
        "c.xhtml": "",
    }
    document = parse("house.epub", book(chapters))
    assert (document.title, document.author, document.format) == ("The House", "Ada", "epub")
    assert shown(document) == [(H, "One"), (P, "First."), (H, "Two")]
    assert document.warnings == ("chapters that its list names are not in it: c.xhtml",)


def test_a_file_of_a_book_is_read_once_however_many_entries_lead_into_it() -> None:
    page = (
        '<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>One</h1><h2 id="b">Two</h2><p>Second.</p></body></html>'
    )
    document = parse("house.epub", book({"a.xhtml": page, "a.xhtml#b": "", "./a.xhtml#c": ""}))
    assert shown(document) == [(H, "One"), (H, "Two"), (P, "Second.")]


def test_links_to_the_next_page_of_a_book_are_left_out_and_its_other_furniture_stays() -> None:
    page = (
        '<html xmlns="http://www.w3.org/1999/xhtml"><body><div class="related" role="navigation"><h3>Navigation</h3>'
        '<ul><li><a href="b.xhtml">next</a></li><li><a href="a.xhtml">The book of lifts</a></li></ul></div><h1>One</h1>'
        '<div class="menu"><p>Soup and bread.</p></div><div role="navigation"><p>Go down the stairs and turn left at'
        ' the door. <a href="m.xhtml">Map</a></p></div></body></html>'
    )
    kept = [(H, "One"), (P, "Soup and bread."), (P, "Go down the stairs and turn left at the door. Map")]
    assert shown(parse("house.epub", book({"a.xhtml": page}))) == kept


def test_xml_as_prose_and_as_records() -> None:
    docbook = (
        '<article xmlns="http://docbook.org/ns/docbook"><title>Heating</title><section><title>Rooms</title><para>Warm.'
        "</para><orderedlist><listitem><para>Open</para></listitem></orderedlist><screen>heat\n  all</screen></section>"
        "</article>"
    )
    assert shown(parse("a.xml", docbook.encode())) == [
        (H, "Heating"), (H, "Rooms"), (P, "Warm."), (L, "1. Open"), (X, "heat\n  all"),
    ]  # fmt: skip
    rows = b"<house><room id='1'><name>Bath</name><warm unit='C'>22</warm></room></house>"
    assert shown(parse("a.xml", rows)) == [
        (R, "house.room.id: 1\nhouse.room.name: Bath\nhouse.room.warm.unit: C\nhouse.room.warm: 22")
    ]


def test_entities_of_xml_are_never_expanded() -> None:
    bomb = b'<!DOCTYPE x [<!ENTITY a "secret"><!ENTITY b SYSTEM "file:///etc/passwd">]><x><y>plain</y><z>&a;&b;</z></x>'
    document = parse("a.xml", bomb)
    text = "\n".join(text for _, text in shown(document))
    assert "secret" not in text
    assert "root:" not in text
    assert document.warnings


def test_a_key_of_yaml_may_be_a_list_or_a_mapping() -> None:
    text = (
        "? - Detroit Tigers\n  - Chicago cubs\n:\n  - 2001-07-23\n? {room: 4, floor: 2}\n: warm\n? [a, [b]]\n: deep\n"
    )
    (record,) = parse("games.yaml", text.encode()).elements
    assert record.text == "Detroit Tigers, Chicago cubs: 2001-07-23\nroom: 4, floor: 2: warm\na, b: deep"


def test_a_key_of_yaml_that_contains_itself_is_no_endless_key() -> None:
    with pytest.raises(SourceRefusedError):
        parse("a.yaml", b"? &a [*a]\n: x\n")
    levels = "".join(f"? &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n: x\n" for n in range(1, 12))
    with pytest.raises(SourceRefusedError):
        parse("a.yaml", f"? &a0 [x]\n: y\n{levels}".encode())


def test_yaml_as_it_is_written() -> None:
    document = parse("a.yaml", b"# remark\nopen: no\nsince: 2020-01-01\nrooms: [bath, 07]\nref: !Sub x\n")
    assert shown(document) == [(R, "open: no\nsince: 2020-01-01\nrooms: bath, 07\nref: x")]
    assert document.warnings == ("its comments were left out",)


def test_aliases_that_multiply_are_hostile() -> None:
    levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9))
    with pytest.raises(SourceRefusedError) as refused:
        parse("a.yaml", f"a0: &a0 [x]\n{levels}".encode())
    assert refused.value.reason is Refusal.HOSTILE


def test_a_notebook_with_its_outputs() -> None:
    table = {
        "output_type": "execute_result",
        "data": {"text/html": "<table><tr><td>a<td>1</table>", "text/plain": "a 1"},
    }
    cells = [
        {"cell_type": "markdown", "source": ["# Heating\n", "Warm."]},
        {"cell_type": "code", "source": "heat()", "outputs": [{"output_type": "stream", "text": "22"}, table]},
        {
            "cell_type": "code",
            "source": "plot()",
            "outputs": [{"output_type": "display_data", "data": {"image/png": "x"}}],
        },
    ]
    document = parse("a.ipynb", json.dumps({"cells": cells}).encode())
    assert shown(document) == [(H, "Heating"), (P, "Warm."), (X, "heat()"), (X, "22"), (T, "a | 1"), (X, "plot()")]
    assert document.warnings == ("1 pictures in outputs were not read",)


SOURCE = (
    "import os\nimport re\nA = 1\nB = 2\n\n\n# Heats.\ndef heat():\n    x = 1\n    y = 2\n    return x + y\n\n\n"
    "class Room:\n    z = 1\n"
)


@pytest.mark.parametrize("name", ["a.py", "broken.py"])
def test_source_code_by_function_without_losing_a_line(name: str) -> None:
    source = SOURCE if name == "a.py" else SOURCE + "def (:\n"
    document = parse(name, source.encode())
    assert {kind for kind, _ in shown(document)} == {X}
    assert [text.split("\n")[0] for _, text in shown(document)][:2] == ["import os", "# Heats."]
    kept = [line for _, text in shown(document) for line in text.split("\n") if line]
    assert kept == [line for line in source.split("\n") if line]


HOMES = [
    *map(Path, filter(None, [os.environ.get("REAL_FILES", "")])),
    Path(sys.prefix),
    Path(sys.base_prefix) / "lib",
    Path("/usr/share/doc"),
    Path("/usr/lib/google-cloud-sdk"),
]
MOST_LOOKED_AT = 60_000


@pytest.fixture(scope="module")
def real() -> Callable[[str], list[Path]]:
    """Files of installed packages by extension, at most eight each, read where they lie."""
    seen: dict[str, list[Path]] = {}
    wanted = {"rst", "adoc", "odt", "ods", "odp", "epub", "ipynb", "xml", "yaml", "yml", "py", "js", "toml"}
    n_files = 0
    for home in HOMES:
        for path in home.rglob("*") if home.is_dir() else ():
            n_files += 1
            kind = path.suffix[1:]
            files = seen.setdefault(kind, [])
            if kind in wanted and len(files) < 8 and path.is_file() and 300 < path.stat().st_size < 60_000:
                files.append(path)
            if n_files > MOST_LOOKED_AT:
                break
    return lambda kind: sorted(seen.get(kind, []))


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["rst", "adoc", "odt", "ods", "odp", "epub", "ipynb", "xml", "yaml", "py", "js", "toml"]
)
def test_words_of_real_files_are_kept(kind: str, real: Callable[[str], list[Path]]) -> None:
    files = real(kind)
    if not files:
        pytest.skip(f"no installed package brings a .{kind} file")
    for path in files:
        raw = path.read_bytes()
        if kind == "xml" and not re.sub(rb"<[^>]*>|\s", b"", raw):
            continue  # it has no text
        document = parse(path.name, raw)
        assert document.elements, path
        if kind in ("py", "js", "toml", "rst", "adoc"):
            text = raw.decode("utf-8", "replace")
            theirs = [w for w in words(re.sub(r"(?m)^\.\. .*$|^:[\w-]+:.*$|//.*$", "", text)) if len(w) > 3]
            ours = set(words("\n".join(e.text for e in document.elements)))
            missing = [w for w in theirs if w not in ours]
            assert len(missing) <= 0.1 * len(theirs) + 3, (path, missing[:20])


def test_the_table_of_formats_names_every_extension() -> None:
    page = (Path(__file__).parents[3] / "docs/how-to/ingest.md").read_text("utf-8")
    table = page.partition("## Formats")[2].partition("\n## ")[0]
    named = set(re.findall(r"`\.(\w+)`", table))
    assert named == {*FORMATS, *CONTAINERS}
    rows = [row for row in table.split("\n") if row.startswith("| ") and "`." in row]
    assert len(rows) >= len(BUILT_IN) - 1
    assert all(len([cell for cell in row.strip("|").split("|") if cell.strip()]) == 3 for row in rows)


def test_who_is_invited_has_a_name_and_an_alarm_is_no_description() -> None:
    event = (
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Boiler check\n"
        "ORGANIZER;CN=Bo Two:mailto:bo@example.org\n"
        'ATTENDEE;ROLE=REQ-PARTICIPANT;CN="Example; Ada":MAILTO:ada@example.org\n'
        "ATTENDEE;CN=cy@example.org:mailto:cy@example.org\n"
        "BEGIN:VALARM\nACTION:DISPLAY\nDESCRIPTION:This is an event reminder\nSUMMARY:Alarm\nEND:VALARM\n"
        "DESCRIPTION:Bring the key.\nEND:VEVENT\nEND:VCALENDAR\n"
    )
    (record,) = parse("a.ics", event.encode()).elements
    assert record.text.split("\n") == [
        "summary: Boiler check",
        "organiser: Bo Two <bo@example.org>",
        "attendee: Example; Ada <ada@example.org>",
        "attendee: cy@example.org",
        "description: Bring the key.",
    ]
