"""A search gives nothing where nothing in the base bears on the query, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from saidonce.errors import NotFoundError, UsageError
from saidonce.kb.answer import without_weak_hits
from saidonce.kb.search.index import ENOUGH
from world import World, world

OFF_TOPIC = (Path(__file__).parents[1] / "cases" / "off_topic.txt").read_text(encoding="utf-8").splitlines()
PLACES = (
    "cellar", "garden", "stairwell", "laundry", "garage", "attic", "lobby", "courtyard", "workshop", "kitchen",
    "office", "balcony", "corridor", "pantry", "boiler", "gate", "terrace", "archive", "studio", "library", "storeroom",
    "yard",
)  # fmt: skip
SAID = "The {} is cleaned every Tuesday by the caretaker, who keeps its key and notes each visit in the log."


@pytest.fixture(scope="module")
def house() -> World:
    base = world()
    base.ingest({f"{place}.md": SAID.format(place) for place in PLACES})
    assert len(base.blocks()) >= ENOUGH
    return base


@pytest.mark.parametrize("query", OFF_TOPIC)
def test_a_query_that_shares_nothing_finds_nothing(house: World, query: str) -> None:
    report = house.search(query)
    assert [hit.block.text for hit in report.hits] == []
    assert report.warnings == ("nothing in the base answers this",)
    assert not report.is_answered


@pytest.mark.parametrize("query", ["gadren", "libarry", "caretakr", "storerom", "workshap", "clened"])
def test_a_misspelled_word_is_not_cut(house: World, query: str) -> None:
    assert house.search(query).hits != ()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("garden", "garden.md"),
        ("caretaker garden", "garden.md"),
        ("gardn", "garden.md"),
        ("who has the key of the library?", "library.md"),
        ("is the stairwel cleaned?", "stairwell.md"),
        ("zebra library cleaned", "library.md"),
    ],
)
def test_a_query_whose_words_stand_there_finds_them(house: World, query: str, expected: str) -> None:
    assert house.search(query).hits[0].block.document == expected


def test_a_hit_says_why_it_answers(house: World) -> None:
    (hit, *_) = house.search("who has the key of the library? zebra").hits
    assert hit.evidence is not None
    assert hit.evidence.relevance == hit.relevance >= house.base.settings.min_relevance
    assert "library" in hit.evidence.held
    assert hit.evidence.missed == ("zebra",)
    assert hit.evidence.usual is not None


def test_a_base_of_ten_blocks_answers_and_declines() -> None:
    base = world()
    base.ingest({f"{place}.md": SAID.format(place) for place in PLACES[:10]})
    assert base.search("who cleans the attic?").hits[0].block.document == "attic.md"
    assert base.search("garage").hits[0].block.document == "garage.md"
    assert base.search("zebra quantum marmalade").hits == ()


def test_words_that_stand_apart_from_each_other_do_not_count_together(house: World) -> None:
    assert house.search("zebra quantum marmalade garden").hits == ()


def test_a_word_of_the_title_answers() -> None:
    base = world()
    base.ingest(
        {"parking.md": "# Parking\n\nOne car for each flat; guests ask the caretaker.\n", "garden.md": "Plants."}
    )
    assert base.search("parking").hits[0].block.document == "parking.md"


HOURS = "# House guide\n\n## Opening hours\n\n# Desk\n\n{}\n"


@pytest.mark.parametrize("question", ["opening hours", "Opening hours?", "what are the opening hours"])
def test_a_heading_alone_answers_no_question_that_names_it(question: str) -> None:
    base = world()
    base.put("guide.md", HOURS.format("Spare keys hang in the cellar of the caretaker."))
    report = base.search(question)
    assert [hit.block.text for hit in report.hits] == ["Opening hours"], "it can be found"
    assert without_weak_hits(report, 0.0).hits == ()


def test_a_heading_that_says_more_than_the_question_and_a_text_are_quoted() -> None:
    base = world()
    base.put("guide.md", HOURS.replace("Opening hours", "Opening hours: 8 to 17").format("Opening hours"))
    hits = without_weak_hits(base.search("opening hours"), 0.0).hits
    assert {hit.block.text for hit in hits} == {"Opening hours: 8 to 17", "Opening hours"}


def test_a_relevance_of_zero_cuts_nothing(house: World) -> None:
    base = World(house.base, house.embedder)
    base.set(min_relevance=0.0)
    assert base.search("zebra quantum marmalade").hits != ()


def test_words_of_another_language_are_stemmed_as_it_stems_them() -> None:
    base = world()
    german = "Die Kündigungen der Mieter werden vom Hauswart gesammelt und monatlich an die Verwaltung geschickt: {}."
    base.ingest({f"{place}.md": german.format(f"auch die für {place}") for place in PLACES})
    assert base.search("Kündigung").hits != ()


def test_what_is_written_without_spaces_is_found_by_its_pieces() -> None:
    base = world()
    base.ingest({f"{n}.md": f"地下室的钥匙挂在第{n}扇门旁边。拿钥匙的人必须登记。" for n in range(ENOUGH + 1)})
    assert base.search("谁有钥匙").hits != ()
    assert base.search("蒙古的首都是什么").hits == ()


class TestLanguages:
    def test_an_unknown_one_says_so_and_which_there_are(self, house: World) -> None:
        with pytest.raises(NotFoundError, match=r"no language 'xx'; there are: en"):
            house.search("garden", languages=("xx",))

    def test_one_that_is_there_filters(self, house: World) -> None:
        assert house.search("garden", languages=("en",)).hits != ()

    def test_one_that_nothing_is_written_in_finds_nothing(self, house: World) -> None:
        assert house.search("garden", languages=("fr",)).hits == ()

    def test_an_empty_base_has_none_and_finds_nothing(self) -> None:
        assert world().search("garden", languages=("en",)).hits == ()


def test_an_empty_query_still_is_an_error(house: World) -> None:
    with pytest.raises(UsageError):
        house.search(" ")
