"""Lists that belong to what they stand under: which of two are plainly two, and which are asked about."""

import pytest

from saidonce.documents.parse import Limits, NamedBytes
from saidonce.documents.parse.html import read as parse_html
from saidonce.foundation.model import Kind
from saidonce.kb.canonical.editions import Coexistence, CoexistenceLevel
from saidonce.kb.canonical.own_lists import are_ages_of_two, are_attributes_of_two, are_related_pages, are_rows_of_two
from saidonce.kb.canonical.page_furniture import heading_of, is_contents
from saidonce.kb.canonical.reasons_apart import Side, reason_apart
from saidonce.kb.canonical.renumbered import without_name
from saidonce.matching.agreement import Accord, Agreement

HOSES, TANKS = "- hose list\n- hose mend\n- pump", "- hose list\n- tank list\n- pump"


@pytest.mark.parametrize(
    ("heading", "other_heading", "one", "other", "apart"),
    [
        ("See also", "See Also", HOSES, TANKS, True),
        ("7.2. See also", "See also:", HOSES, TANKS, True),
        ("Siehe auch", "Siehe auch", "- Schläuche\n- Pumpen", "- Becken\n- Pumpen", True),
        ("What\u2019s next", "Next steps", "- Clean a pump\n- Drain a tank", "- Drain a tank\n- Mend it", True),
        ("Related pages", "Related pages", "- pump(8)\n- https://garden.example/a1", "- pump(8)\n- tank(5)", True),
        ("See also", "See also", "pump(8), tank.conf(5).", "tank.conf(5), hose(8), pump-list(1)", True),
        ("See also", "See also", "pump(8), not tank.conf(5).", "pump(8), tank.conf(5).", False),
        ("See also", "See also", "pump(8), tank.conf(5); page 17.", "pump(8), tank.conf(5); page 18.", False),
        ("See also", "See also", "Fees of 3 (5), in all.", "Fees of 4 (5), in all.", False),
        ("See also", "Members", HOSES, TANKS, False),
        ("Steps", "Steps", HOSES, TANKS, False),
        ("See also", "See also", "- the desk, open until 17:00", "- the desk, open until 18:00", False),
        ("See also", "See also", "- Hoses. They are never sold.", "- Hoses. They are sold.", False),
        (
            "See also", "See also", HOSES,
            "- hose list, which whoever has lost a hose has to fill in before he leaves the yard", False,
        ),
    ],
)  # fmt: skip
def test_pages_that_two_pages_lead_to(heading: str, other_heading: str, one: str, other: str, apart: bool) -> None:
    assert are_related_pages((heading, other_heading), (one, other)) is apart


OFF, ON = "- Default: false\n- Type: Boolean", "- Default: true\n- Type: Boolean"


@pytest.mark.parametrize(
    ("path", "other_path", "one", "other", "is_one_document", "apart"),
    [
        (["Settings", "dry-run"], ["Settings", "pump-lock"], OFF, ON, True, True),
        (["Mill", "Settings", "Dry run"], ["Mill", "Settings", "Pump lock"], OFF, ON, True, True),
        (["Settings", "dry-run"], ["Settings", "pump-lock"], OFF, ON, False, True),
        (["Hoses", "Red"], ["Hoses", "Blue"], "Length: 4 m\nWeight: 2 kg", "Length: 9 m\nWeight: 3 kg", True, True),
        (["Settings", "dry-run"], ["Settings", "dry-run"], OFF, ON, False, False),
        (["Settings", "3. Dry run"], ["Settings", "4. Dry run"], OFF, ON, True, False),
        (["Settings", "Dry run"], ["Settings", "Running dry"], OFF, ON, False, False),
        (["Hall", "Opening hours"], ["Hall", "When we open"], "Mon: 9\nTue: 9", "Mon: 8\nTue: 9", False, False),
        (["Summer", "pump"], ["Winter", "pump"], OFF, ON, True, False),
        (["Settings", "dry-run"], ["Settings", "pump-lock"], OFF, "- Default: true\n- Set by: anyone", True, False),
        (["Settings", "dry-run"], ["Settings", "pump-lock"], "- Note: it stops", "- Note: it never stops", True, False),
        (["dry-run"], ["pump-lock"], OFF, ON, False, False),
        (["Settings", "dry-run"], ["Settings", "pump-lock"], f"{OFF}\nIt stops.", f"{ON}\nIt runs.", True, False),
    ],
)  # fmt: skip
def test_attributes_of_two_entries(
    path: list[str], other_path: list[str], one: str, other: str, is_one_document: bool, apart: bool
) -> None:
    assert are_attributes_of_two((path, other_path), (one, other), is_one_document=is_one_document) is apart


ROW, OTHER_ROW = "type | default\nnumber | 0", "type | default\nnumber | 2"


@pytest.mark.parametrize(
    ("name", "other_name", "one", "other", "is_one_document", "apart"),
    [
        ("MaxLength", "Ratio", ROW, OTHER_ROW, False, True),
        ("pump.speed", "Address", ROW, OTHER_ROW, False, True),
        ("Length", "Ratio", ROW, OTHER_ROW, True, True),
        ("MaxLength", "MaxLength", ROW, OTHER_ROW, True, False),
        ("Length", "Ratio", ROW, OTHER_ROW, False, False),
        ("MaxLength", "maxlength.hose", ROW, OTHER_ROW, False, False),
        ("childFee", "Children", ROW, OTHER_ROW, False, False),
        ("MaxLength", "The longest hose", ROW, OTHER_ROW, False, False),
        ("MaxLength", "Ratio", ROW, OTHER_ROW.replace("type", "kind"), False, False),
        ("MaxLength", "Ratio", f"{ROW}\nnumber | 1", f"{OTHER_ROW}\nnumber | 1", False, False),
    ],
)
def test_rows_of_two_entries(
    name: str, other_name: str, one: str, other: str, is_one_document: bool, apart: bool
) -> None:
    paths = (["Settings", name], ["Settings" if is_one_document else "Input", other_name])
    assert are_rows_of_two(paths, (one, other), is_one_document=is_one_document) is apart


@pytest.mark.parametrize(
    ("name", "other_name", "shown", "apart"),
    [
        ("Interval", "RateLimit.Interval", {"are_kept": True}, True),
        ("Interval", "RateLimit.Interval", {}, False),
        ("childFee", "Children", {"are_kept": True}, False),
        ("Speed", "Threads", {"are_kept": True}, False),
        ("Speed", "Threads", {"are_of_many": True}, True),
        ("The speed", "How many threads", {"are_of_many": True}, True),
        ("Adult", "Adults", {"are_of_many": True, "are_kept": True}, False),
    ],
)
def test_rows_of_two_entries_that_pages_show_to_be_two(
    name: str, other_name: str, shown: dict[str, bool], apart: bool
) -> None:
    paths = (["Settings", name], ["Input", other_name])
    assert are_rows_of_two(paths, (ROW, OTHER_ROW), is_one_document=False, **shown) is apart


@pytest.mark.parametrize(
    ("name", "other_name", "one", "other", "apart"),
    [
        ("MaxLength", "ratio", "Added in version 8.23.0.", "Added in version 7.3.9.", True),
        ("dry-run", "Speed", "New in version 2", "Added in version 3.1", True),
        ("dry-run", "Speed", "Neu in Version 2.1.", "Geändert in Version 3.", True),
        ("dry-run", "dry-run", "Added in version 8.23.0.", "Added in version 7.3.9.", False),
        ("Hoses", "Tanks", "Added in version 8.23.0.", "Added in version 7.3.9.", False),
        ("dry-run", "Speed", "Added in version 8.23.0: it is off.", "Added in version 7.3.9: it is on.", False),
        ("dry-run", "Speed", "It needs version 8.23.0.", "It needs version 7.3.9.", False),
    ],
)
def test_the_ages_of_two_entries(name: str, other_name: str, one: str, other: str, apart: bool) -> None:
    paths = (["Settings", name], ["Input", other_name])
    assert are_ages_of_two(paths, (one, other), is_one_document=False) is apart


FIGURES = "List of Figures:\n- 4.1. A pump beside a tank\n- 4.2. The pump in winter\n- 4.3. A hose"
HEADINGS = frozenset(map(heading_of, ("8. Pumps", "8.1. Starting a pump", without_name("Figure 8.1. A hose"))))


@pytest.mark.parametrize(
    ("over", "text", "contents"),
    [
        ("", FIGURES, True),
        ("List of figures", FIGURES.partition("\n")[2], True),
        ("Inhaltsverzeichnis", "- Pumpen\n- Becken\n- Schl\u00e4uche\n- Anhang", True),
        ("", "Table of Contents:\n- About us\n- 1. Pumps\n- 2. Hoses\nList of Tables", True),
        ("", "About us\nTable of Contents:\n- 1. Pumps\n- 2. Hoses", True),
        ("", "- 8. Pumps\n- 8.1. Starting a pump\n- 8.1. A hose", True),
        ("", "- 8. Pumps\n- 8.1. Starting a pump\n- 8.2. Mending a hose", False),
        ("", FIGURES.partition("\n")[2], False),
        ("", "List of members:\n- 4.1. Ann\n- 4.2. Bob\n- 4.3. Cid", False),
        ("Contents", "- 4 screws\n- 2 hoses\n- 1 valve", False),
        ("List of tables", "- Open the gate.\n- Start the pump.\n- Close the gate.", False),
        ("Figures", "- 4.1 bar at the pump\n- 3.2 bar at the valve\n- 2.0 bar at the tap", False),
    ],
)
def test_lists_of_contents_are_named_so(over: str, text: str, contents: bool) -> None:
    assert is_contents(text, HEADINGS, over) is contents


@pytest.mark.parametrize(
    ("markup", "leads"),
    [
        (
            '<div class="list-of-figures"><p><b>List of Figures</b></p><dl><dt>1. <a href="a">Pump</a></dt></dl></div>',
            True,
        ),
        ('<div class="toc"><p><strong>Inhalt</strong></p><ul><li><a href="b">Pumpen</a></li></ul></div>', True),
        ('<div class="toc"><p><b>Two</b> hoses</p><ul><li><a href="b">Pumps</a></li></ul></div>', False),
        ('<div class="note"><p><b>Pumps</b></p><ul><li><a href="b">Pumps</a></li></ul></div>', False),
    ],
)
def test_the_title_of_a_list_of_contents_introduces_it(markup: str, leads: bool) -> None:
    page = f"<html><body><h1>Pumps</h1>{markup}</body></html>"
    draft = parse_html(NamedBytes("page.html", page.encode(), Limits()))
    title = next(element.text for element in draft.elements if element.kind is not Kind.HEADING)
    assert title.partition("\n")[0].endswith(":") is leads


def side(text: str, *headings: str) -> Side:
    return Side(Kind.LIST, "en", "\n".join(headings), text=text, headings=headings)


@pytest.mark.parametrize(
    ("level", "one", "other", "reason"),
    [
        ("KEPT_PAGES", side(HOSES, "Hoses", "See also"), side(TANKS, "Tanks", "See also"), "each names"),
        ("ONE_EDITION", side(OFF, "Settings", "dry-run"), side(ON, "Settings", "pump-lock"), "dry-run and pump-lock"),
        ("TWO_PAGES", side(OFF, "Settings", "dry-run"), side(ON, "Settings", "pump-lock"), ""),
    ],
)
def test_such_lists_are_kept_apart_with_the_reason(level: str, one: Side, other: Side, reason: str) -> None:
    coexistence = Coexistence(CoexistenceLevel[level], ("v1/a.md", "v2/a.md"), ("v1/b.md", "v2/b.md"))
    because = reason_apart(Accord(Agreement.OPEN), coexistence, (one, other), is_below=False)
    assert (reason in because) if reason else not because
