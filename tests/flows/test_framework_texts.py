"""Originals of other frameworks: what goes in comes out as it was, and repeats stand under what they repeat."""

from __future__ import annotations

from dataclasses import replace

import pytest

from saidonce.errors import UsageError
from saidonce.kb.framework_texts import FrameworkText, FrameworkTexts, Keeps
from saidonce.kb.ingest import ingest
from world import World, world

KEPT = "Backups are kept for 30 days and then removed from all servers."
AGAIN = "Backups are kept for 30 days, and then removed from all servers."
OTHER = "Backups are kept for 90 days and then removed from all servers."
MENU = "The canteen serves soup and salad on Mondays."


@pytest.fixture
def w() -> World:
    return world()


@pytest.fixture
def store(w: World) -> FrameworkTexts:
    return FrameworkTexts(w.base, "chunks")


def original(id_: str, text: str, group: str = "", **payload: object) -> FrameworkText:
    return FrameworkText(id_, text, payload, group)


def ids(store: FrameworkTexts, query: str, k: int = 10) -> list[str]:
    return [each.original.id for each in store.search(query, k)]


def test_what_goes_in_comes_out_as_it_was(store: FrameworkTexts) -> None:
    written = [
        original("a", f"  {KEPT}\n\n\tSecond paragraph.  ", "doc", page=3, tags=["x", None], nested={"b": 1.5}),
        original("b", "x", zero=0, none=None, flag=False),
        original("c", "", source="empty.md"),
        FrameworkText("ü/ 1", "Zürich – 5 €\u2028next", {"text": "a field of the same name"}),
    ]
    store.put(written)
    assert store.get(["b", "nowhere", "ü/ 1", "a", "c"]) == [written[1], written[3], written[0], written[2]]
    assert list(store.all()) == sorted(written, key=lambda each: each.id)
    assert store.count() == 4


def test_the_same_id_again_replaces_and_the_same_again_changes_nothing(w: World, store: FrameworkTexts) -> None:
    store.put([original("a", KEPT, page=1), original("b", MENU)])
    before = list(w.base.store.documents("chunks")), list(w.base.store.documents("chunks.originals"))
    store.put([original("a", KEPT, page=1), original("b", MENU)])
    assert (list(w.base.store.documents("chunks")), list(w.base.store.documents("chunks.originals"))) == before
    store.put([original("a", KEPT, page=2)])
    assert store.get(["a"]) == [original("a", KEPT, page=2)]
    store.put([original("a", "The ferry leaves at noon."), original("a", "The ferry leaves at nine.")])
    assert store.get(["a"])[0].text == "The ferry leaves at nine."
    assert [each.original.text for each in store.search("ferry", 1)] == ["The ferry leaves at nine."]
    assert store.count() == 2


def test_repeats_stand_under_what_they_repeat_and_other_facts_beside_it(store: FrameworkTexts) -> None:
    store.put([original("kept", KEPT), original("again", AGAIN), original("other", OTHER), original("menu", MENU)])
    results = store.search("how long are backups kept?", 10)
    assert {each.original.id for each in results[:2]} in ({"kept", "other"}, {"again", "other"})
    repeated = [twin.id for each in results for twin, _ in each.also_in]
    assert len(repeated) == 1
    assert repeated[0] in ("kept", "again")
    assert results[-1].original.id == "menu"  # nothing is cut off by relevance


def of_year(year: int) -> Keeps:
    return lambda each: bool(each.payload["year"] == year)


def test_a_repeat_stands_in_for_one_that_a_filter_leaves_out(store: FrameworkTexts) -> None:
    store.put([original("kept", KEPT, year=2024), original("again", AGAIN, year=2025)])
    for year, id_ in ((2024, "kept"), (2025, "again")):
        (one,) = store.search("backups", 5, of_year(year))
        assert (one.original.id, one.also_in) == (id_, ())


def test_a_filter_looks_down_the_list_until_enough_remain(store: FrameworkTexts) -> None:
    store.put(
        [original(f"{n:03}", f"Backup number {n} is kept in room {n + 7}.", even=n % 60 == 59) for n in range(120)]
    )
    results = store.search("backup room", 2, lambda each: bool(each.payload["even"]))
    assert {each.original.id for each in results} == {"059", "119"}


def test_what_is_deleted_is_found_no_more(w: World, store: FrameworkTexts) -> None:
    store.put([original("a", KEPT, "doc 1"), original("b", MENU, "doc 2"), original("c", OTHER, "doc 1")])
    assert store.delete(["a", "nowhere", "a"]) == ["a"]
    assert set(ids(store, "backups")) == {"b", "c"}
    assert store.delete_group("doc 1") == ["c"]
    assert ids(store, "backups") == ["b"]
    assert store.get(["a", "c"]) == []
    store.put([original("a", KEPT, "doc 1")])
    assert ids(store, "backups")[0] == "a"


def test_blank_ones_are_kept_and_never_found_and_a_text_may_become_blank(store: FrameworkTexts) -> None:
    store.put([original("a", KEPT)])
    store.put([original("a", "  ")])
    assert store.get(["a"])[0].text == "  "
    assert ids(store, "backups") == []


def test_two_stores_and_the_base_do_not_see_each_others(w: World, store: FrameworkTexts) -> None:
    other = FrameworkTexts(w.base, "other")
    store.put([original("a", KEPT)])
    other.put([original("a", MENU)])
    assert store.get(["a"])[0].text == KEPT
    assert [each.original.text for each in other.search("backups", 5)] == [MENU]
    again = FrameworkTexts(w.base, "chunks")
    assert again.get(["a"]) == store.get(["a"])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (original("", KEPT), "an id must have 1 to"),
        (original("x" * 501, KEPT), "an id must have 1 to"),
        (original("a", KEPT, when={1, 2}), "'a' cannot be stored"),
        (original("a", KEPT, score=float("nan")), "'a' cannot be stored"),
        (FrameworkText("a", KEPT, {"nested": {1: "number"}}), "'a' cannot be stored as JSON without changes"),
    ],
)
def test_what_cannot_come_back_is_refused_before_anything_is_written(
    w: World, store: FrameworkTexts, bad: FrameworkText, message: str
) -> None:
    rev = w.base.store.rev()
    with pytest.raises(UsageError, match=message):
        store.put([original("good", MENU), bad])
    assert w.base.store.rev() == rev


def test_a_collection_of_other_documents_is_refused(w: World) -> None:
    context = replace(w.base, settings=w.base.settings.model_copy(update={"collection_use": "canonical"}))
    ingest(context, [], "answers")
    with pytest.raises(UsageError, match="'answers' contains documents that were not added by this store"):
        FrameworkTexts(w.base, "answers")
