"""Tables of several shapes: the objection quotes the row that differs, not how many there are."""

from __future__ import annotations

import pytest

from saidonce.foundation.model import Candidate, FactKind, Kind
from saidonce.foundation.text import content_hash
from saidonce.matching.ladder.guards import same_table_shape

HEAD = ("Property", "Value")
FLOW, FASTER, WEIGHT, CABLE = ("Flow", "3,600 l/h"), ("Flow", "3,800 l/h"), ("Weight", "8 kg"), ("Cable", "10 m")


def table(*rows: tuple[str, ...]) -> Candidate:
    text = "\n".join(" | ".join(row) for row in rows)
    return Candidate(text, content_hash(text), Kind.TABLE, "en", rows=rows)


@pytest.mark.parametrize(
    ("a", "b", "quoted"),
    [
        (table(HEAD, FLOW, WEIGHT), table(HEAD, FASTER, WEIGHT, CABLE), ("Flow | 3,600 l/h", "Flow | 3,800 l/h")),
        (table(HEAD, FLOW, WEIGHT), table(HEAD, FLOW, WEIGHT, CABLE), ("", "Cable | 10 m")),
        (table(HEAD, CABLE, FLOW), table(HEAD, FLOW), ("Cable | 10 m", "")),
        (table(HEAD, FLOW), table((*HEAD, "Note"), (*FLOW, "cold")), ("Property | Value", "Property | Value | Note")),
    ],
    ids=["a cell and a row", "a row more", "a row less", "a column more"],
)
def test_the_row_that_differs_is_quoted_where_it_stands(a: Candidate, b: Candidate, quoted: tuple[str, str]) -> None:
    (objection,) = same_table_shape(a, b)
    assert (objection.kind, objection.a.text, objection.b.text) == (FactKind.TABLE_SHAPE, *quoted)
    for side, span in ((a, objection.a), (b, objection.b)):
        assert side.text[span.start : span.end] == span.text


def test_where_no_row_differs_the_number_of_rows_is_quoted() -> None:
    (objection,) = same_table_shape(table(HEAD, FLOW, FLOW), table(HEAD, FLOW))
    assert (objection.a.text, objection.b.text) == ("3 rows x 2 columns", "2 rows x 2 columns")


def test_tables_of_one_shape_are_left_to_the_other_guards() -> None:
    assert same_table_shape(table(HEAD, FLOW), table(HEAD, FASTER)) == ()
