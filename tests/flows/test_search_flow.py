from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from saidonce.errors import ModelMismatchError, NotFoundError, UsageError
from saidonce.foundation.model import Block, FactKind, Filters, Kind
from saidonce.foundation.ports import BlockText
from saidonce.kb.reembed import reembed
from saidonce.kb.search import SearchIndex, search
from saidonce.kb.search.flow import LEAST_RANKED, MAX_QUERY_CHARS
from world import CountingEmbedder, World, wired, world

KEYS = "Keep the spare keys in the blue cabinet near the door; lock the room in the evening."
KEYS_AGAIN = "Keep the spare keys in the blue cabinet near the door, lock the room in the evening."
KEYS_ONCE_MORE = "Keep the spare keys in the blue cabinet near the door: lock the room in the evening."
BACKUPS_30 = "Backups of the archive are kept for 30 days in two regions and tested every month by the operations team."
BACKUPS_90 = BACKUPS_30.replace("30", "90")
HEATING = "The heating of both houses is serviced every October by the firm that installed it."
GARDEN = "Whoever waters the garden in summer writes the amount on the list in the shed."
BICYCLES = "Bicycles stand in the yard behind the second house and never in the corridor."
NAMES = "amber birch cedar delta ember fjord grove heath inlet jetty knoll lagoon".split()
SUBJECTS = [f"Topic {name} of the handbook concerns {name} keys." for name in NAMES[:5]]


@pytest.fixture
def house() -> World:
    base = world(min_relevance=0.0)
    # The third says what the first says, in other bytes: a source of its own.
    base.ingest(
        {"a.md": KEYS, "b.md": KEYS_AGAIN, "c.md": f"{KEYS}\n", "d.md": HEATING, "e.md": GARDEN, "f.md": BICYCLES}
    )
    return base


def test_blocks_are_read_whole_only_as_far_down_as_repeats_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    base = world(min_relevance=0.0)
    base.ingest({f"{n}.md": f"Locker {n} of the hall belongs to team {n * 7}." for n in range(120)})
    read: list[int] = []
    whole = base.base.store.blocks

    def counting(ids: Sequence[str]) -> dict[str, Block]:
        read.append(len(ids))
        return whole(ids)

    monkeypatch.setattr(base.base.store, "blocks", counting)
    assert len(base.search("lockers of the hall", k=10).hits) == 10
    assert read == [50]


def test_a_block_that_goes_while_the_search_is_under_way_is_left_out(
    house: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [hit.block.document for hit in house.search("heating").hits]
    words = house.base.store.block_texts

    def words_and_then_it_goes(ids: Sequence[str]) -> dict[str, BlockText]:
        texts = words(ids)
        if "e.md" in {document.name for document in house.base.store.documents("main")}:
            house.base.store.remove_document("main", "e.md")
        return texts

    monkeypatch.setattr(house.base.store, "block_texts", words_and_then_it_goes)
    assert "e.md" in before
    assert [hit.block.document for hit in house.search("heating").hits] == [name for name in before if name != "e.md"]


def test_a_block_that_goes_before_its_vector_is_read_is_left_out(house: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def nearest(*_: object) -> list[tuple[str, float]]:
        return []  # so that vectors are read for the hits of the other signals

    def gone(*_: object) -> dict[str, float]:
        return {}

    monkeypatch.setattr(SearchIndex, "nearest", nearest)
    assert "d.md" in [hit.block.document for hit in house.search("heating").hits]
    monkeypatch.setattr(SearchIndex, "similarities", gone)
    assert house.search("heating").hits == ()


def test_a_hit_that_says_another_thing_in_the_same_words_is_a_hit_of_its_own() -> None:
    base = world(min_relevance=0.0, dedup_from=0.5)
    before = "The keys of the boat house are handed over before the deposit of the guests is paid."
    base.ingest({"a.md": before, "b.md": before.replace("before", "after"), "c.md": f"{before} Ask Ida for them."})
    hits = base.search("keys of the boat house").hits
    assert sorted(h.block.document for h in hits) in (["a.md", "b.md", "c.md"], ["b.md", "c.md"])
    assert [h.also_in for h in hits if h.block.document == "b.md"] == [()]


@pytest.mark.parametrize(
    ("other", "same_from", "folded"),
    [
        ("The drip tray of the coffee machine has to be emptied every evening.", 0.5, True),
        ("The drip tray of the coffee machine has to be emptied every evening.", 1.0, False),
        ("The drip tray of the coffee machine has to be emptied every morning.", 0.5, False),
        ("The drip tray of the coffee machine has to be emptied every evening and rinsed with water.", 0.5, False),
        ("The drip tray has to be emptied every evening.", 0.5, False),
    ],
)
def test_what_is_shown_to_say_the_same_is_a_repeat_also_below_the_threshold(
    other: str, same_from: float, folded: bool
) -> None:
    base = world(min_relevance=0.0, dedup_from=0.95, same_from=same_from)
    base.ingest({"a.md": "Empty the drip tray of the coffee machine every evening.", "b.md": other})
    hits = base.search("when is the drip tray of the coffee machine emptied?").hits
    assert len(hits) == (1 if folded else 2)
    assert [same_from <= r.similarity < 0.95 for h in hits for r in h.also_in] == [True] * folded


class TestHits:
    def test_come_best_first(self, house: World) -> None:
        report = house.search("where do bicycles stand")
        assert report.hits[0].block.text == BICYCLES
        assert [h.score for h in report.hits] == sorted((h.score for h in report.hits), reverse=True)

    def test_are_at_most_k(self, house: World) -> None:
        assert len(house.search("keys of the house", k=2).hits) == 2
        house.set(k=1)
        assert len(house.search("keys of the house").hits) == 1

    def test_are_k_even_where_the_pool_is_set_smaller(self) -> None:
        base = world(min_relevance=0.0, pool=10)
        base.ingest({f"{place}.md": f"Rule {place} concerns {name} keys." for place, name in enumerate(NAMES)})
        assert len(base.search("rule about keys", k=len(NAMES)).hits) == len(NAMES) > 10

    def test_name_their_document_their_heading_path_and_their_segment(self) -> None:
        base = world()
        base.put("house.md", f"# House\n\n## Keys\n\n{KEYS}")
        (hit,) = base.search("spare keys").hits
        assert (hit.block.document, hit.block.title, hit.block.heading_path) == ("house.md", "House", ("House", "Keys"))
        assert [a.segment_id for a in hit.block.attributions] == [hit.block.id]

    @pytest.mark.parametrize("fusion", ["minmax", "rrf"])
    def test_have_parts_that_add_up_to_their_score(self, house: World, fusion: str) -> None:
        house.set(fusion=fusion)
        for hit in house.search("where are the spare keys kept").hits:
            assert hit.score == pytest.approx(math.fsum(s.part for s in hit.signals))
            assert 0.0 <= hit.relevance <= 1.0
            assert {"dense", "lexical", "salience"} <= {s.name for s in hit.signals}

    def test_of_a_signal_without_weight_have_no_part_of_it(self, house: World) -> None:
        house.set(salience_weight=0.0, freshness_weight=0.0, dense_weight=1.0)
        assert {s.name for h in house.search("spare keys").hits for s in h.signals} == {"dense"}

    def test_that_nearly_repeat_a_hit_above_the_relevance_cut_are_shown_and_say_why(self) -> None:
        base = world(min_relevance=0.0)
        base.ingest({"a.md": BACKUPS_30, "b.md": f"{BACKUPS_90} Ask Ida.", "c.md": GARDEN, "d.md": HEATING})
        first, second, *others = base.search("for 30 days").hits
        assert {first.document, second.document} == {"a.md", "b.md"}
        assert first.relevance > second.relevance > max(h.relevance for h in others)
        base.set(min_relevance=(first.relevance + second.relevance) / 2)
        report = base.search("for 30 days")
        assert [h.document for h in report.hits] == [first.document, second.document]
        assert report.n_below == report.n_pool - 2
        above, below = (h.evidence for h in report.hits)
        assert above is not None
        assert below is not None
        assert (above.beside, below.beside) == ("", first.block.id)
        assert f"nearly repeats [{first.block.id[:8]}], which answers the query" in below.in_words
        base.set(min_relevance=1.0)
        assert base.search("for 30 days").hits == ()

    def test_below_the_relevance_cut_are_left_out_and_counted(self, house: World) -> None:
        house.set(min_relevance=0.5)
        report = house.search("where do bicycles stand")
        assert report.n_below > 0
        assert all(h.relevance >= 0.5 for h in report.hits)
        assert report.n_pool == 6

    def test_of_an_empty_base_are_none(self) -> None:
        base = world()
        base.ingest({})
        assert base.search("keys").hits == ()
        assert world().search("keys").hits == ()

    def test_are_the_same_again(self, house: World) -> None:
        assert house.search("spare keys").hits == house.search("spare keys").hits
        fresh = SearchIndex(house.embedder.model, house.embedder.dim)
        assert search(house.base, fresh, "spare keys", Filters()).hits == house.search("spare keys").hits


class TestRepeats:
    """Seed 001, phase 2."""

    def test_are_listed_under_the_hit_that_they_repeat(self, house: World) -> None:
        hit = house.search("spare keys in the cabinet").hits[0]
        assert hit.block.text in (KEYS, KEYS_AGAIN)
        assert {hit.block.document, *(t.block.document for t in hit.also_in)} == {"a.md", "b.md", "c.md"}
        assert all(t.similarity >= 0.90 and t.score <= hit.score for t in hit.also_in)

    def test_leave_one_hit_for_each_thing_said(self, house: World) -> None:
        texts = house.texts("spare keys in the cabinet")
        assert len(texts) == 4
        assert sum(t in (KEYS, KEYS_AGAIN) for t in texts) == 1

    def test_do_not_change_the_order_of_what_is_left(self, house: World) -> None:
        query = "spare keys in the cabinet of the house"
        deduped = [h.block.id for h in house.search(query).hits]
        house.set(dedup_enabled=False)
        ranked = [h.block.id for h in house.search(query).hits]
        assert len(ranked) == 6
        assert [id_ for id_ in ranked if id_ in deduped] == deduped
        assert ranked[0] == deduped[0]

    def test_are_replaced_from_further_down_until_k_hits_stand(self, house: World) -> None:
        assert len(house.search("spare keys in the cabinet", k=3).hits) == 3
        assert len(set(house.texts("spare keys in the cabinet", k=4))) == 4

    def test_keep_the_best_ranked_as_in_the_example_of_the_seed(self) -> None:
        base = world(min_relevance=0.0)
        base.ingest({"a.md": f"{KEYS}\n\n{HEATING}", "b.md": KEYS_AGAIN})
        report = base.search(KEYS)
        assert [(h.block.document, h.block.text) for h in report.hits] == [("a.md", KEYS), ("a.md", HEATING)]
        assert [t.block.document for t in report.hits[0].also_in] == ["b.md"]

    def test_with_another_fact_are_both_hits_and_say_why(self) -> None:
        base = world(min_relevance=0.0)
        base.ingest({"a.md": BACKUPS_30, "b.md": BACKUPS_90, "c.md": HEATING})
        first, second = base.search("how long are backups of the archive kept").hits[:2]
        assert {first.block.text, second.block.text} == {BACKUPS_30, BACKUPS_90}
        assert first.held_apart is None
        assert second.held_apart is not None
        assert second.held_apart.block_id == first.block.id
        assert [o.kind for o in second.held_apart.objections] == [FactKind.NUMBER]

    def test_can_be_shown(self, house: World) -> None:
        house.set(dedup_enabled=False)
        assert len(house.texts("spare keys in the cabinet")) == 6

    def test_are_counted(self, house: World) -> None:
        report = house.search("spare keys in the cabinet")
        assert report.n_repeats == 2
        assert report.dedup_ratio == pytest.approx(2 / 6)

    def test_are_warned_of_where_they_are_many_of_enough_blocks(self, house: World) -> None:
        house.ingest({f"{n}.md": f"{KEYS}{' ' * n}" for n in range(1, LEAST_RANKED - 6)})
        assert not house.search("spare keys in the cabinet").warnings, "one block less than enough"
        house.put("last.md", f"{KEYS}\n\n\n")
        report = house.search("spare keys in the cabinet")
        assert report.n_pool == LEAST_RANKED
        assert [w for w in report.warnings if w.startswith("60% of the ranked blocks repeat others")]
        house.set(warn_search_ratio=0.7)
        assert not house.search("spare keys in the cabinet").warnings

    def test_of_one_document_are_merged_at_ingest_and_not_listed_again(self) -> None:
        base = world()
        base.put("a.md", f"{KEYS}\n\n{KEYS_AGAIN}\n\n{KEYS_ONCE_MORE}")
        (hit,) = base.search("spare keys").hits
        assert hit.also_in == ()
        assert len(hit.block.attributions) == 3


class TestFilters:
    @pytest.fixture
    def mixed(self) -> World:
        base = world(min_relevance=0.0)
        old, new = "---\ndate: 2020-05-01\n---\n\n", "---\ndate: 2025-05-01\n---\n\n"
        base.ingest({"old.md": old + KEYS, "new.md": new + HEATING, "none.md": GARDEN}, "rules")
        base.ingest({"more.md": f"{BICYCLES}\n\n```\nlock = closed\n```"}, "yard")
        return base

    def test_by_collection(self, mixed: World) -> None:
        assert set(mixed.texts("house", collections=("yard",))) == {BICYCLES, "lock = closed"}
        assert len(mixed.texts("house", collections=("yard", "rules"))) == len(mixed.texts("house")) == 5

    def test_by_document(self, mixed: World) -> None:
        assert mixed.texts("house", documents=("old.md",)) == [KEYS]

    def test_by_kind(self, mixed: World) -> None:
        assert mixed.texts("house", kinds=(Kind.CODE,)) == ["lock = closed"]

    def test_by_language(self, mixed: World) -> None:
        assert mixed.texts("house", languages=("de",)) == []
        assert len(mixed.texts("house", languages=("en", "de", "und"))) == 5

    def test_by_date_leaves_out_what_has_none(self, mixed: World) -> None:
        def day(year: int, month: int) -> datetime:
            return datetime(year, month, 1, tzinfo=UTC)

        assert mixed.texts("house", since=day(2021, 1)) == [HEATING]
        assert mixed.texts("house", until=day(2021, 1)) == [KEYS]
        assert mixed.texts("house", since=day(2020, 5), until=day(2020, 5)) == [KEYS]
        assert set(mixed.texts("house", since=day(2020, 5))) == {KEYS, HEATING}

    def test_hide_what_they_exclude_from_twins_too(self, house: World) -> None:
        (hit,) = house.search("spare keys", documents=("a.md",)).hits
        assert (hit.block.document, hit.also_in) == ("a.md", ())

    def test_by_an_unknown_collection_are_an_error_that_names_the_known_ones(self, mixed: World) -> None:
        with pytest.raises(NotFoundError, match=r"no collection 'yrd'; there are: rules, yard"):
            mixed.search("house", collections=("yrd",))

    def test_by_a_moment_without_a_time_zone_are_refused(self, mixed: World) -> None:
        with pytest.raises(UsageError, match="no time zone"):
            mixed.search("house", since=datetime(2021, 1, 1))


class TestQueries:
    @pytest.mark.parametrize("query", ["", "  \n\t "])
    def test_that_are_empty_are_refused(self, house: World, query: str) -> None:
        with pytest.raises(UsageError, match="empty"):
            house.search(query)

    def test_that_are_too_long_are_refused(self, house: World) -> None:
        assert house.search("keys " * (MAX_QUERY_CHARS // 5)).hits
        with pytest.raises(UsageError, match="at most 4000"):
            house.search("k" * (MAX_QUERY_CHARS + 1))

    @pytest.mark.parametrize("k", [0, -1])
    def test_for_no_hits_are_refused(self, house: World, k: int) -> None:
        with pytest.raises(UsageError, match="at least 1"):
            house.search("keys", k=k)

    def test_with_misspelt_words_are_corrected_aloud(self, house: World) -> None:
        report = house.search("bicyclse")
        assert report.corrected == {"bicyclse": "bicycles"}
        (first,) = (h for h in report.hits for s in h.signals if (s.name, s.rank) == ("lexical", 1))
        assert first.block.text == BICYCLES

    def test_with_known_words_are_not_corrected(self, house: World) -> None:
        assert house.search("bicycles in the yard").corrected == {}

    @pytest.mark.parametrize(
        ("query", "said_in", "language"),
        [
            (
                "Blumentöpfe",
                "Blumentöpfe dürfen nicht auf dem Fensterbrett stehen, weil sie bei einem Sturm hinunterfallen können.",
                "de",
            ),
            (
                "Ist das abgeschlossen?",
                "Die Haustür wird von zehn Uhr am Abend bis sechs Uhr am Morgen abgeschlossen, auch am Wochenende.",
                "de",
            ),
            (
                "matrícula",
                "Los vecinos deben comunicar la matrícula de su coche a la oficina antes de usar el aparcamiento.",
                "es",
            ),
            (
                "puerto",
                "El barco sale del puerto todas las mañanas a las siete y vuelve por la tarde antes de la cena.",
                "es",
            ),
            (
                "Mallett",
                "La clé de la chaufferie se trouve chez madame Mallett, qui habite au troisième étage à gauche.",
                "fr",
            ),
        ],
    )
    def test_by_the_stem_of_another_language_are_no_corrections(self, query: str, said_in: str, language: str) -> None:
        base = world(min_relevance=0.0)
        base.ingest({"a.md": said_in, "b.md": HEATING, "c.md": GARDEN})
        report = base.search(query)
        (first,) = (h for h in report.hits for s in h.signals if (s.name, s.rank) == ("lexical", 1))
        assert (first.block.text, first.block.language) == (said_in, language)
        assert report.corrected == {}

    def test_with_an_ordinary_word_are_not_read_as_another_one(self, house: World) -> None:
        house.put("g.md", "The new boilers are not compatible with the old valves in the cellar of the second house.")
        report = house.search("what do I do if my computer is gone?")
        assert report.corrected == {}
        assert all(s.rank is None for h in report.hits for s in h.signals if s.name == "lexical")

    @pytest.mark.parametrize(
        ("query", "said_in", "corrected"),
        [
            ("which colour", "The color of the front doors is decided by the council.", {"colour": "color"}),
            ("the facade", "Nothing may be fixed to the façade of the house.", {"facade": "façade"}),
            ("recceive", "Guests receive a badge, and whoever receives one returns it.", {"recceive": "receive"}),
        ],
    )
    def test_are_corrected_into_words_as_the_base_writes_them(
        self, query: str, said_in: str, corrected: dict[str, str]
    ) -> None:
        base = world(min_relevance=0.0)
        base.ingest({"a.md": said_in, "b.md": HEATING})
        report = base.search(query)
        assert report.corrected == corrected
        (first,) = (h for h in report.hits for s in h.signals if (s.name, s.rank) == ("lexical", 1))
        assert first.block.text == said_in

    def test_that_nothing_answers_are_respelled_into_written_words(self) -> None:
        base = world(min_relevance=0.25)
        base.ingest({"a.md": GARDEN, "b.md": HEATING, "c.md": BICYCLES, "d.md": KEYS})
        report = base.search("shead")
        assert report.corrected == {"shead": "shed"}
        assert report.hits[0].block.text == GARDEN

    def test_are_not_corrected_into_words_that_the_filters_leave_out(self, house: World) -> None:
        assert house.search("bicyclse", documents=("a.md",)).corrected == {}

    @pytest.mark.parametrize(
        "query", ["who are you", "?!", "🙂", "\x00", "\ud800", "'; drop table", "%_\\", "的", "a" * 4000]
    )
    def test_of_any_sort_are_answered(self, house: World, query: str) -> None:
        assert len(house.search(query).hits) <= 10

    def test_for_another_model_are_refused(self, house: World) -> None:
        other = CountingEmbedder(64)
        with pytest.raises(ModelMismatchError, match="saidonce reembed main"):
            search(replace(house.base, embedder=other), SearchIndex(other.model, other.dim), "keys", Filters())

    def test_find_the_same_after_moving_to_another_model(self, house: World) -> None:
        other = CountingEmbedder(512)
        moved = replace(house.base, embedder=other)
        assert reembed(moved, "main", lambda _n: None) == 6
        found = search(moved, SearchIndex(other.model, other.dim), "where do bicycles stand", Filters())
        assert found.hits[0].block.text == BICYCLES

    def test_are_embedded_once_each(self, house: World) -> None:
        house.embedder.texts.clear()
        house.search("spare keys")
        assert house.embedder.texts == ["spare keys"]


class TestDiversity:
    def test_lambda_one_keeps_the_fused_order_and_less_spreads_it(self) -> None:
        base = world(min_relevance=0.0, dedup_enabled=False)
        base.ingest({f"{n}.md": text for n, text in enumerate([*SUBJECTS, HEATING, GARDEN])})
        plain = base.texts("keys of the handbook")
        base.set(mmr_lambda=0.3)
        spread = base.texts("keys of the handbook")
        assert sorted(spread) == sorted(plain)
        assert spread[0] == plain[0]
        assert spread != plain


class TestCatchingUp:
    def test_a_search_sees_what_was_ingested_changed_and_removed_since(self) -> None:
        base = world(min_relevance=0.0)
        base.put("a.md", KEYS)
        assert base.texts("house") == [KEYS]
        base.put("b.md", HEATING)
        assert set(base.texts("house")) == {KEYS, HEATING}
        base.put("a.md", GARDEN)
        assert set(base.texts("house")) == {GARDEN, HEATING}
        base.base.store.remove_document("main", "b.md")
        assert base.texts("house") == [GARDEN]
        assert len(base.shelf) == 1

    def test_counters_count_searches(self, house: World) -> None:
        before = house.base.store.counters()
        house.search("spare keys in the cabinet")
        house.search("spare keys in the cabinet", documents=("nowhere.md",))
        after = house.base.store.counters()
        assert {k: v - before.get(k, 0.0) for k, v in after.items() if k.startswith("search.")} == {
            "search.queries": 2.0,
            "search.empty": 1.0,
            "search.looked_at": 6.0,
            "search.repeats": 2.0,
            "search.hits": 4.0,
        }

    def test_organisations_do_not_see_each_other(self, house: World) -> None:
        from saidonce.testing.memory import MemoryDatabase, MemoryStore

        database = MemoryDatabase()
        north, south = (
            World(wired(MemoryStore(org, database), embedder := CountingEmbedder(), min_relevance=0.0), embedder)
            for org in ("north", "south")
        )
        north.put("a.md", KEYS)
        south.put("a.md", HEATING)
        assert (north.texts("house"), south.texts("house")) == ([KEYS], [HEATING])
