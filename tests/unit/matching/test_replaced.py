"""A fact that one text states is shown beside what stands in its place in the other."""

import pytest

from saidonce.matching import facts


@pytest.mark.parametrize(
    ("a", "b", "shown"),
    [
        ("In the first step the total is undefined.", "In the first step the total is null.", ("undefined", "null")),
        ("The store needs the minio7 library.", "The store needs the shelves library.", ("minio7", "shelves")),
        ("Lines are sent by using log.stream.", "Lines are sent by using log-stream.", ("log.stream", "log-stream")),
        ("The door opens at dusk.", "The door opens at 18:30.", ("dusk", "18:30")),
        ("Use the new reader read_rows here.", "Use the new reader here.", ("read_rows", "")),
        ("The reader takes rows.", "The reader takes rows by read_all.", ("", "read_all")),
    ],
)  # fmt: skip
def test_what_stands_in_its_place_is_shown(a: str, b: str, shown: tuple[str, str]) -> None:
    comparison = facts.compare(a, b, "en")
    objections = facts.with_replaced(
        (*comparison.objections, *comparison.a_facts, *comparison.b_facts), comparison.changes
    )

    assert shown in [(o.a.text, o.b.text) for o in objections]
    for o in objections:
        assert a[o.a.start : o.a.end] == o.a.text
        assert b[o.b.start : o.b.end] == o.b.text


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        ("The tool needs shelves >= 1.20.0.", "The tool needs shelves >= 1.4.87.", "version"),
        ("The tool needs shelves==2.10.12.", "The tool needs shelves==2.11.12.", "version"),
        ("The paper of 1.4.1987 holds.", "The paper of 1.5.1987 holds.", "date"),
    ],
)
def test_a_version_behind_a_comparison_is_no_date(a: str, b: str, kind: str) -> None:
    (objection,) = facts.compare(a, b, "en").objections

    assert objection.kind == kind
