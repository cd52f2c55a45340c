"""A line over a table that only says that the table follows is no heading of it; one that says more is."""

from __future__ import annotations

import pytest

from saidonce.documents.segment import segment
from saidonce.foundation.model import Document, Element, Kind, Segment
from saidonce.foundation.settings.policy import SEGMENT_POLICIES, SegmentStyle
from world import world

EN = (("Place", "Price per month"), ("Garage", "80 euros"), ("Yard", "45 euros"))
DE = (("Stellplatz", "Preis im Monat"), ("Garage", "80 Euro"), ("Hof", "45 Euro"))
FR = (("Emplacement", "Prix par mois"), ("Garage", "80 euros"), ("Cour", "45 euros"))
ES = (("Plaza", "Precio por mes"), ("Garaje", "80 euros"), ("Patio", "45 euros"))

ANNOUNCES = [
    (EN, "The prices are as follows:"),
    (EN, "Prices:"),
    (EN, "The following table shows the prices of our places:"),
    (EN, "You find the prices per month below:"),
    (EN, "The prices of parking are:"),
    (EN, "Please see the list below:"),
    (EN, "The following prices apply:"),
    (DE, "Die Preise sind wie folgt:"),
    (DE, "In der folgenden Tabelle finden Sie die Preise:"),
    (DE, "Es gelten die folgenden Preise:"),
    (FR, "Les prix sont les suivants :"),
    (FR, "Vous trouverez les prix dans le tableau ci-dessous :"),
    (FR, "Voici les prix par mois :"),
    (ES, "Los precios son los siguientes:"),
    (ES, "A continuación se muestran los precios de las plazas:"),
    (ES, "La siguiente tabla muestra los precios:"),
]
SAYS_MORE = [
    (EN, "The prices for tenants are as follows:"),
    (EN, "From 2026 the prices are as follows:"),
    (EN, "The old prices were as follows:"),
    (EN, "The prices are not as follows:"),
    (EN, "All prices are without tax:"),
    (EN, "The following places are let:"),
    (EN, "Prices in the rear house:"),
    (EN, "Table 2 shows the prices:"),
    (DE, "Die Preise für Mieter sind wie folgt:"),
    (DE, "Die folgenden Preise gelten ab Mai:"),
    (DE, "Nicht vermietet werden die folgenden Stellplätze:"),
    (FR, "Les prix pour les locataires sont les suivants :"),
    (FR, "Les prix ne sont pas les suivants :"),
    (ES, "Los precios para inquilinos son los siguientes:"),
    (ES, "Los precios sin impuestos son los siguientes:"),
]


def table(rows: tuple[tuple[str, str], ...]) -> Element:
    return Element(Kind.TABLE, "\n".join(" | ".join(row) for row in rows), rows=rows)


def cut(*elements: Element) -> tuple[Segment, ...]:
    """Segments of a document, a word a token."""
    policy = SEGMENT_POLICIES[SegmentStyle.PARAGRAPH]
    return segment(Document("", "md", elements), "d", policy, lambda texts: [len(t.split()) for t in texts])


def headed(rows: tuple[tuple[str, str], ...], lead: str) -> tuple[Segment, ...]:
    return cut(Element(Kind.HEADING, "Parking", 1), Element(Kind.PARAGRAPH, lead), table(rows))


@pytest.mark.parametrize(("rows", "lead"), ANNOUNCES)
def test_a_line_that_only_announces_a_table_stands_by_itself(rows: tuple[tuple[str, str], ...], lead: str) -> None:
    assert [(s.kind, s.heading_path) for s in headed(rows, lead)] == [
        (Kind.PARAGRAPH, ("Parking",)), (Kind.TABLE, ("Parking",)),
    ]  # fmt: skip
    assert headed(rows, lead)[0].text == lead


@pytest.mark.parametrize(("rows", "lead"), SAYS_MORE)
def test_a_line_that_says_more_heads_the_table(rows: tuple[tuple[str, str], ...], lead: str) -> None:
    assert [(s.kind, s.heading_path) for s in headed(rows, lead)] == [(Kind.TABLE, ("Parking", lead))]


def test_what_stands_before_it_in_its_paragraph_keeps_it() -> None:
    text = "Places are let by the caretaker on the first floor. The prices are as follows:"
    assert next(s.text for s in headed(EN, text)) == text


def test_it_still_begins_a_list() -> None:
    lead = "The prices are as follows:"
    (only,) = cut(Element(Kind.PARAGRAPH, lead), Element(Kind.LIST, "- garage: 80 euros\n- yard: 45 euros"))
    assert only.text.startswith(lead)


@pytest.mark.parametrize(
    ("first", "second", "n"),
    [
        ("The prices are as follows:\n\n", "", 1),
        ("The prices are as follows:\n\n", "You find the prices below:\n\n", 1),
        ("The prices for tenants are as follows:\n\n", "", 2),
        ("The prices for tenants are as follows:\n\n", "The prices are as follows:\n\n", 2),
    ],
)
def test_a_table_folds_with_the_same_one_that_nothing_announces(first: str, second: str, n: int) -> None:
    base = world(segment_style="paragraph")
    lines = "| Place | Price per month |\n|---|---|\n| Garage | 80 euros |\n| Yard | 45 euros |\n"
    for name, lead in (("a.md", first), ("b.md", second)):
        base.put(name, f"# Parking\n\n{lead}{lines}")
    hits = [hit for hit in base.search("price of the garage per month").hits if hit.block.kind is Kind.TABLE]
    assert len(hits) == n
