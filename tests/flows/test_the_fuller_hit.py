"""With `dedup_keeps = fuller` a search shows the fuller of two texts once, at the place of the higher one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from open_base import new_name, open_base
from saidonce import KnowledgeBase
from saidonce.foundation.model import Filters
from saidonce.interfaces.cli.render import search_text
from saidonce.kb.ingest import ingest
from saidonce.kb.packed_context import pack
from saidonce.kb.search import SearchIndex, SearchReport, search
from world import source

SHORT = (
    "The wet riser in stairwell B is tested every spring by the contractor named on the board beside the main door,"
    " and the date of the test is written on the tag at the valve."
)
ADDED = " Tenants on the top floor are given notice of two days."
QUESTION = "who tests the wet riser in stairwell B and where is the date of the test written?"


@pytest.fixture(scope="module")
def kb() -> Iterator[KnowledgeBase]:
    with open_base() as base:
        yield base


def filled(kb: KnowledgeBase, files: dict[str, str]) -> str:
    name = new_name()
    ingest(kb.base, [source(document, text) for document, text in files.items()], name)
    return name


def searched(kb: KnowledgeBase, name: str, keeps: str = "fuller") -> SearchReport:
    context = replace(kb.base, settings=kb.settings.model_copy(update={"dedup_keeps": keeps}))
    return search(
        context, SearchIndex(context.embedder.model, context.embedder.dim), QUESTION, Filters(collections=(name,))
    )


@pytest.fixture(scope="module")
def name(kb: KnowledgeBase) -> str:
    return filled(
        kb, {"board.md": SHORT, "handbook.md": SHORT + ADDED, "bins.md": "The bins go out on Monday evening."}
    )


def test_the_fuller_text_is_the_hit_and_names_the_other_as_a_part(kb: KnowledgeBase, name: str) -> None:
    hit, *rest = searched(kb, name).hits

    assert hit.text == SHORT + ADDED
    assert [(twin.document, twin.is_part) for twin in hit.also_in] == [("board.md", True)]
    assert hit.in_place_of == hit.also_in[0].block.id
    assert not any("wet riser" in other.text for other in rest)


def test_the_reasons_say_whose_place_it_has(kb: KnowledgeBase, name: str) -> None:
    report = searched(kb, name)
    shown = search_text(report, explain=True)
    place = report.hits[0].in_place_of or ""
    assert f"stands in the place of [{place[:8]}], all of which it states" in shown


def test_by_default_both_are_hits_in_ranked_order(kb: KnowledgeBase, name: str) -> None:
    assert kb.settings.dedup_keeps == "highest"
    hits = searched(kb, name, "highest").hits
    assert [hit.document for hit in hits[:2]] == ["board.md", "handbook.md"]
    assert hits[0].in_place_of is None


def test_a_fuller_text_that_states_a_value_otherwise_is_a_hit_of_its_own(kb: KnowledgeBase) -> None:
    autumn = (SHORT + ADDED).replace("every spring", "every autumn")
    name = filled(kb, {"board.md": SHORT, "handbook.md": autumn})
    hits = searched(kb, name).hits
    assert {hit.text for hit in hits} == {SHORT, autumn}
    assert all(hit.in_place_of is None for hit in hits)


def test_a_context_takes_the_part_where_the_whole_does_not_fit(kb: KnowledgeBase, name: str) -> None:
    report = searched(kb, name)
    count = kb.base.embedder.count_tokens
    (whole,) = [p for p in pack(report, 400, count).passages if "wet riser" in p.text]
    assert whole.text == SHORT + ADDED
    assert whole.partly_in == ("board.md",)

    tight = pack(report, whole.n_tokens - 10, count)

    assert SHORT in [p.text for p in tight.passages]
    assert "handbook.md" in {origin.document for origin in tight.left_out}
