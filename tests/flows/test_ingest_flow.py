from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from saidonce.errors import (
    DiskFullError,
    ModelMismatchError,
    ModelUnavailableError,
    Refusal,
    SourceRefusedError,
    StaleWriteError,
    StoreUnavailableError,
    UsageError,
)
from saidonce.foundation.model import Collection, DocumentWrite, FactKind, Receipt, Relation, Vector
from saidonce.foundation.settings.policy import SegmentStyle
from saidonce.kb.ingest import DocumentReport, State, counters, ingest
from saidonce.testing.memory import MemoryStore
from world import CountingEmbedder, Files, FixedClock, World, source, wired, world

KEYS = "Keep the spare keys in the blue cabinet near the door; lock the room in the evening."
KEYS_AGAIN = "Keep the spare keys in the blue cabinet near the door, lock the room in the evening."
KEYS_ONCE_MORE = "Keep the spare keys in the blue cabinet near the door: lock the room in the evening."
BACKUPS_30 = "Backups of the archive are kept for 30 days in two regions and tested every month by the operations team."
BACKUPS_90 = BACKUPS_30.replace("30", "90")
HEATING = "The heating of both houses is serviced every October by the firm that installed it."
GARDEN = "Whoever waters the garden in summer writes the amount on the list in the shed."


def doc(*paragraphs: str) -> str:
    return "\n\n".join(paragraphs)


class TestANewDocument:
    def test_becomes_segments_and_blocks(self) -> None:
        base = world()
        report = base.put("house.md", doc("# House", KEYS, HEATING))
        assert (report.state, report.version, report.format) == (State.NEW, 1, "md")
        assert (report.n_segments, report.n_kept, report.n_added) == (2, 2, 2)
        assert [(b.text, b.heading_path, b.title) for b in base.blocks()] == [
            (KEYS, ("House",), "House"),
            (HEATING, ("House",), "House"),
        ]

    def test_has_a_fate_for_every_segment(self) -> None:
        base = world()
        report = base.put("house.md", doc(KEYS, BACKUPS_30, KEYS, BACKUPS_90, KEYS_AGAIN, "17"))
        assert (report.n_kept, report.n_exact, report.n_near, report.n_set_aside) == (3, 1, 1, 1)
        assert report.n_kept + report.n_exact + report.n_near + report.n_set_aside == report.n_segments

    def test_keeps_both_of_two_commands_that_differ_in_the_case_of_a_letter(self) -> None:
        base = world()
        fenced = [f"```\ngit branch {option} release-candidate --remotes\n```" for option in ("-d", "-D", "-d")]
        quoted = [f"Remove the branch of a release with `git branch {option} release`." for option in ("-d", "-D")]
        report = base.put("git.md", doc(*fenced, *quoted))
        assert (report.n_kept, report.n_exact) == (4, 1)

    def test_gives_the_same_base_whatever_it_is_batched_with(self, monkeypatch: pytest.MonkeyPatch) -> None:
        files = {f"{n}.md": doc(f"Rule number {n} of the house.", KEYS, HEATING) for n in range(5)}
        one, other = world(), world()
        one.ingest(files)
        monkeypatch.setattr("saidonce.kb.ingest.flow.BATCH_TOKENS", 1)
        other.ingest(files)
        assert list(one.base.store.dump()) != []
        assert one.blocks() == other.blocks()


class TestASecondTime:
    def test_the_same_source_is_unchanged_and_costs_nothing(self) -> None:
        base = world()
        first = base.put("house.md", doc(KEYS, HEATING))
        base.embedder.texts.clear()
        again = base.put("house.md", doc(KEYS, HEATING))
        assert (again.state, again.document_id, again.version) == (State.UNCHANGED, first.document_id, 1)
        assert base.embedder.texts == []
        assert base.base.parser.parsed == ["house.md"]  # type: ignore[attr-defined]

    def test_the_same_bytes_under_another_name_are_the_same_document(self) -> None:
        base = world()
        base.put("house.md", doc(KEYS, HEATING))
        report = base.put("copy.md", doc(KEYS, HEATING))
        assert (report.name, report.state, report.same_as) == ("copy.md", State.SAME_SOURCE, "house.md")
        (document,) = base.base.store.documents("main")
        assert document.names == ("house.md", "copy.md")
        assert len(base.blocks()) == 2

    def test_the_same_bytes_twice_in_one_ingest_are_one_document(self) -> None:
        base = world()
        report = base.ingest({"a.md": KEYS, "b.md": KEYS})
        assert [(d.name, d.state) for d in report.documents] == [("a.md", State.NEW), ("b.md", State.SAME_SOURCE)]
        assert [d.names for d in base.base.store.documents("main")] == [("a.md", "b.md")]

    def test_a_changed_document_keeps_what_did_not_change_and_embeds_only_what_did(self) -> None:
        base = world()
        before = base.put("house.md", doc(KEYS, HEATING))
        ids = {b.text: b.id for b in base.blocks()}
        base.embedder.texts.clear()
        after = base.put("house.md", doc(GARDEN, KEYS, BACKUPS_30))
        assert (after.state, after.version, after.document_id) == (State.CHANGED, 2, before.document_id)
        assert (after.n_added, after.n_unchanged, after.n_removed) == (2, 1, 1)
        now = {b.text: b.id for b in base.blocks()}
        assert now[KEYS] == ids[KEYS]
        assert HEATING not in now
        assert [t for t in base.embedder.texts if t in (KEYS, HEATING, GARDEN, BACKUPS_30)] == [GARDEN, BACKUPS_30]

    def test_a_new_title_reaches_segments_that_did_not_change(self) -> None:
        base = world(min_relevance=0.0)
        base.put("house.md", doc("---\ntitle: Old rules\n---", KEYS))
        base.put("house.md", doc("---\ntitle: Lighthouse\n---", KEYS))
        assert base.texts("lighthouse") == [KEYS]
        assert base.search("lighthouse").corrected == {}
        assert [b.title for b in base.blocks()] == ["Lighthouse"]

    def test_a_changed_copy_leaves_the_document_to_its_other_name(self) -> None:
        base = world()
        first = base.put("house.md", KEYS)
        base.put("copy.md", KEYS)
        changed = base.put("copy.md", doc(KEYS, HEATING))
        assert changed.state is State.NEW
        assert changed.document_id != first.document_id
        assert [(d.name, d.names) for d in base.base.store.documents("main")] == [
            ("copy.md", ("copy.md",)),
            ("house.md", ("house.md",)),
        ]

    def test_a_document_that_becomes_a_copy_of_another_leaves_nothing_behind(self) -> None:
        base = world()
        base.put("house.md", KEYS)
        base.put("other.md", HEATING)
        assert base.put("other.md", KEYS).state is State.SAME_SOURCE
        assert [b.text for b in base.blocks()] == [KEYS]

    def test_other_settings_ask_for_a_new_version_of_the_same_source(self) -> None:
        base = world()
        base.put("house.md", doc(KEYS, KEYS_AGAIN))
        base.set(repeat_enabled=False)
        report = base.put("house.md", doc(KEYS, KEYS_AGAIN))
        assert (report.state, report.version, report.n_near) == (State.CHANGED, 2, 0)
        assert len(base.blocks()) == 2

    def test_settings_of_searching_do_not(self) -> None:
        base = world()
        base.put("house.md", KEYS)
        base.set(k=3, min_relevance=0.9, dedup_enabled=False)
        assert base.put("house.md", KEYS).state is State.UNCHANGED

    def test_a_further_name_is_not_lost_when_the_settings_changed_too(self) -> None:
        base = world()
        base.put("house.md", KEYS)
        base.put("a copy.md", HEATING)
        base.set(boost_per_repeat=0.2)
        report = base.put("a copy.md", KEYS)
        assert report.name == "a copy.md"
        assert [d.names for d in base.base.store.documents("main")] == [("house.md", "a copy.md")]
        assert [b.text for b in base.blocks()] == [KEYS]

    def test_a_name_may_come_back_with_bytes_whose_document_lives_on_under_another(self) -> None:
        base = world()
        base.ingest({"old.md": KEYS})
        base.ingest({"new.md": KEYS})
        base.base.store.remove_document("main", "old.md")
        base.put("new.md", HEATING)
        report = base.put("old.md", KEYS)
        assert (report.state, report.version) == (State.NEW, 1)
        assert [(d.name, d.names) for d in base.base.store.documents("main")] == [
            ("new.md", ("new.md",)),
            ("old.md", ("old.md",)),
        ]
        assert base.put("old.md", GARDEN).document_id == report.document_id

    def test_a_refused_change_of_a_copy_takes_no_name_away(self) -> None:
        base = world()
        base.ingest({"house.md": KEYS, "copy.md": KEYS})
        assert base.put("copy.md", "").state is State.REFUSED
        assert [d.names for d in base.base.store.documents("main")] == [("house.md", "copy.md")]


class TestSeveralSources:
    def test_a_refused_one_does_not_stop_the_others(self) -> None:
        def too_large() -> bytes:
            raise SourceRefusedError("large.md", Refusal.TOO_LARGE, "larger than allowed")

        def gone() -> bytes:
            raise FileNotFoundError(2, "No such file or directory")

        base = world()
        report = base.ingest({"a.md": KEYS, "large.md": too_large, "gone.md": gone, "empty.md": b"", "z.md": HEATING})
        assert [(d.name, d.reason) for d in report.refused] == [
            ("large.md", Refusal.TOO_LARGE),
            ("gone.md", Refusal.UNREADABLE),
            ("empty.md", Refusal.EMPTY),
        ]
        assert [b.text for b in base.blocks()] == [KEYS, HEATING]

    def test_a_refused_new_version_leaves_the_old_one(self) -> None:
        base = world()
        base.put("house.md", KEYS)
        assert base.put("house.md", "").state is State.REFUSED
        assert [b.text for b in base.blocks()] == [KEYS]

    def test_if_all_are_refused_leave_no_collection_behind(self) -> None:
        base = world()
        base.ingest({"empty.md": b"", "broken.pdf": b"%PDF-"})
        assert base.base.store.collections() == ()
        base.put("house.md", KEYS)
        base.ingest({"empty.md": b""})
        assert [each.name for each in base.base.store.collections()] == ["main"]

    def test_are_not_written_to_a_collection_that_somebody_made_otherwise_meanwhile(self) -> None:
        base = world()

        def made_meanwhile() -> bytes:
            new = Collection("main", "canonical", "atomic", base.embedder.model, base.embedder.dim)
            base.base.store.ensure_collection(new)
            return KEYS.encode()

        with pytest.raises(StaleWriteError, match="'main' was created meanwhile"):
            base.ingest({"house.md": made_meanwhile})
        assert list(base.base.store.documents("main")) == []

    def test_are_reported_in_their_order(self) -> None:
        base = world()
        base.put("c.md", GARDEN)
        told: list[DocumentReport] = []
        report = base.ingest({"a.md": KEYS, "b.md": b"", "c.md": GARDEN, "d.md": HEATING}, on_document=told.append)
        assert [d.name for d in report.documents] == ["a.md", "b.md", "c.md", "d.md"]
        assert sorted(told, key=lambda d: d.name) == list(report.documents)

    def test_say_the_same_in_documents_of_their_own(self) -> None:
        base = world()
        base.ingest({"a.md": doc(KEYS, HEATING), "b.md": doc(KEYS, GARDEN)})
        assert [(b.document, b.text) for b in base.blocks() if b.text == KEYS] == [("a.md", KEYS), ("b.md", KEYS)]

    def test_an_interrupted_ingest_is_finished_by_the_same_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("saidonce.kb.ingest.flow.BATCH_TOKENS", 1)
        base = world()
        files = {"a.md": KEYS, "b.md": HEATING, "c.md": GARDEN}

        def torn() -> Iterator[Any]:
            for name, content in files.items():
                if name == "c.md":
                    raise KeyboardInterrupt
                yield source(name, content)

        with pytest.raises(KeyboardInterrupt):
            ingest(base.base, torn(), "main")
        assert [b.text for b in base.blocks()] == [KEYS, HEATING]
        base.embedder.texts.clear()
        report = base.ingest(files)
        assert [d.state for d in report.documents] == [State.UNCHANGED, State.UNCHANGED, State.NEW]
        assert KEYS not in base.embedder.texts
        assert len(base.blocks()) == 3

    def test_an_interrupted_ingest_has_counted_what_it_wrote_and_the_next_counts_the_rest(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("saidonce.kb.ingest.flow.BATCH_TOKENS", 1)
        torn, whole = world(), world()
        files = {"a.md": doc(KEYS, KEYS_AGAIN), "b.md": doc(HEATING, HEATING), "c.md": GARDEN}

        def stop(report: DocumentReport) -> None:
            if report.name == "b.md":
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            torn.ingest(files, on_document=stop)
        counted = torn.base.store.counters()
        assert (counted["ingest.documents.new"], counted["ingest.segments.md"]) == (2, 4)
        assert (counted["ingest.near.md"], counted["ingest.exact.md"], counted["ingest.boosts"]) == (1, 1, 1)
        torn.ingest(files)
        whole.ingest(files)
        assert torn.base.store.counters() == {**whole.base.store.counters(), "ingest.documents.unchanged": 2}

    def test_are_read_one_after_the_other(self) -> None:
        base = world()
        read: list[str] = []

        def reading(name: str) -> bytes:
            read.append(name)
            return f"{GARDEN} {name}".encode()

        def seen(report: DocumentReport) -> None:
            assert report.name in read

        base.ingest({n: (lambda n=n: reading(n)) for n in ("a.md", "b.md")}, on_document=seen)  # type: ignore[misc]
        assert read == ["a.md", "b.md"]


class FailsAt(CountingEmbedder):
    """Fails at texts that hold a word."""

    def __init__(self, word: str, failure: Exception) -> None:
        super().__init__()
        self.word, self.failure = word, failure

    def embed(self, texts: Sequence[str]) -> Vector:
        if any(self.word in text for text in texts):
            raise self.failure
        return super().embed(texts)


class FailsToKeep(MemoryStore):
    """Fails to write documents of a name."""

    def __init__(self, name: str, failure: Exception) -> None:
        super().__init__("north", clock=FixedClock())
        self.name, self.failure = name, failure

    def put_document(self, write: DocumentWrite) -> Receipt:
        if write.name == self.name:
            raise self.failure
        return super().put_document(write)


THREE = {"a.md": KEYS, "b.md": HEATING, "c.md": GARDEN}
ONLY_B = [("a.md", State.NEW, None), ("b.md", State.REFUSED, Refusal.FAILED), ("c.md", State.NEW, None)]


class TestOneDocumentThatFails:
    """Whatever is raised for one document refuses that document by name; the others go on."""

    def ended(self, base: World, collection: str = "main") -> list[tuple[str, State, Refusal | None]]:
        return [(d.name, d.state, d.reason) for d in base.ingest(THREE, collection).documents]

    def test_a_nepali_one_is_no_such_document(self) -> None:
        base = world()
        report = base.ingest({"a.md": KEYS, "b.md": "यो छ र हामी नेपालमा बस्छौं । छ छ भनेको हुनु हो । " * 6})
        assert [d.state for d in report.documents] == [State.NEW, State.NEW]

    def test_nor_is_one_with_an_endless_word(self) -> None:
        assert world().put("key.md", "The key is " + "0a1b" * 5_000 + " and ends here.").state is State.NEW

    @pytest.mark.parametrize("failure", [ValueError("of Olga's secret"), UsageError("no name"), RecursionError()])
    @pytest.mark.parametrize("use", ["evidence", "canonical"])
    def test_at_being_written(self, failure: Exception, use: str) -> None:
        base = World(wired(FailsToKeep("b.md", failure), CountingEmbedder(), collection_use=use), CountingEmbedder())
        assert self.ended(base) == ONLY_B

    @pytest.mark.parametrize("room", ["segment", "remove_repeats"])
    def test_in_a_room(self, room: str, monkeypatch: pytest.MonkeyPatch) -> None:
        from saidonce.kb.ingest import flow

        whole = getattr(flow, room)

        def fails(first: Any, *rest: Any) -> Any:
            if "heating" in repr(first):
                raise ValueError("nobody thought of this")
            return whole(first, *rest)

        monkeypatch.setattr(flow, room, fails)
        assert self.ended(world()) == ONLY_B

    @pytest.mark.parametrize(
        "failure", [ValueError("shape"), ModelUnavailableError("m", "status 400 (content_filter)")]
    )
    def test_at_being_embedded(self, failure: Exception) -> None:
        embedder = FailsAt("heating", failure)
        base = World(wired(MemoryStore("north", clock=FixedClock()), embedder), embedder)
        assert self.ended(base) == ONLY_B

    def test_at_being_looked_up(self) -> None:
        base = world()
        report = base.ingest({"a.md": KEYS, "b" * 1_001: HEATING, "c.md": GARDEN})
        assert [(d.state, d.reason) for d in report.documents] == [
            (State.NEW, None), (State.REFUSED, Refusal.FAILED), (State.NEW, None),
        ]  # fmt: skip
        assert "1 to 1000 characters" in report.refused[0].detail

    def test_at_being_read(self) -> None:
        def broken() -> bytes:
            raise ValueError("a source of a caller's own")

        report = world().ingest({"a.md": KEYS, "b.md": broken, "c.md": GARDEN})
        assert [d.reason for d in report.documents] == [None, Refusal.FAILED, None]

    def test_says_its_error_and_of_a_defect_only_kind_and_place(self) -> None:
        def detail(failure: Exception) -> str:
            base = World(wired(FailsToKeep("b.md", failure), CountingEmbedder()), CountingEmbedder())
            return base.ingest(THREE).refused[0].detail

        assert detail(UsageError("a name is too long")) == "a name is too long"
        assert "ValueError@test_ingest_flow.py:" in detail(ValueError("of Olga's secret"))
        assert "secret" not in detail(ValueError("of Olga's secret"))

    def test_leaves_its_former_version_and_all_its_names(self) -> None:
        store = FailsToKeep("copy.md", ValueError())
        base = World(wired(store, CountingEmbedder()), CountingEmbedder())
        base.put("house.md", KEYS)
        base.put("copy.md", KEYS)
        assert base.put("copy.md", GARDEN).reason is Refusal.FAILED
        assert [(d.names, d.version) for d in store.documents("main")] == [(("house.md", "copy.md"), 1)]

    def test_comes_again_with_the_next_ingest(self) -> None:
        store = FailsToKeep("b.md", ValueError())
        base = World(wired(store, CountingEmbedder()), CountingEmbedder())
        base.ingest(THREE)
        store.name = ""
        assert [state for _, state, _ in self.ended(base)] == [State.UNCHANGED, State.NEW, State.UNCHANGED]

    def test_is_counted_as_refused(self) -> None:
        base = World(wired(FailsToKeep("b.md", ValueError()), CountingEmbedder()), CountingEmbedder())
        base.ingest(THREE)
        assert base.base.store.counters()["ingest.refused.failed"] == 1


class TestWhatEndsAnIngest:
    @pytest.mark.parametrize(
        "failure",
        [
            StoreUnavailableError("the database is not available"),
            DiskFullError("the database"),
            OSError(errno.ENOSPC, "No space left on device"),
            ModelMismatchError("main", "a", "b"),
        ],
    )
    def test_is_a_failure_of_the_store(self, failure: Exception) -> None:
        base = World(wired(FailsToKeep("b.md", failure), CountingEmbedder()), CountingEmbedder())
        with pytest.raises(type(failure)):
            base.ingest(THREE)

    def test_is_a_model_that_is_gone(self) -> None:
        embedder = FailsAt("", ModelUnavailableError("m", "the connection failed"))
        base = World(wired(MemoryStore("north", clock=FixedClock()), embedder), embedder)
        with pytest.raises(ModelUnavailableError):
            base.ingest({"a.md": KEYS, "b.md": HEATING})


class TestRepeatsInADocument:
    """Seed 001, phase 1."""

    def salience(self, base: World) -> tuple[float, float]:
        (block,) = base.blocks()
        (first,) = (h.segment.salience for h in base.why(block.id).histories)
        return first, block.salience

    def test_an_exact_repeat_is_dropped_without_a_boost(self) -> None:
        base = world()
        report = base.put("house.md", doc(KEYS, KEYS.upper(), f"  {KEYS}"))
        (block,) = base.blocks()
        assert (report.n_exact, report.boosts, block.boost) == (2, (), 0.0)
        assert [a.relation for a in block.attributions] == [Relation.KEPT, Relation.EXACT, Relation.EXACT]

    def test_two_near_repeats_boost_by_30_percent_in_linear_mode(self) -> None:
        base = world(boost_decay="linear")
        report = base.put("house.md", doc(KEYS, KEYS_AGAIN, KEYS_ONCE_MORE))
        assert report.n_near == 2
        assert report.boosts == pytest.approx((0.30,))
        first, boosted = self.salience(base)
        assert boosted == pytest.approx(1.30 * first, abs=1e-6)

    def test_two_near_repeats_boost_by_23_8_percent_by_default(self) -> None:
        base = world()
        assert base.put("house.md", doc(KEYS, KEYS_AGAIN, KEYS_ONCE_MORE)).boosts == pytest.approx((0.238,), abs=5e-4)
        first, boosted = self.salience(base)
        assert boosted == pytest.approx(1.2377 * first, abs=1e-4)

    def test_salience_is_capped(self) -> None:
        base = world(boost_per_repeat=1.0, boost_decay="linear")
        base.put("house.md", doc(KEYS, KEYS_AGAIN, KEYS_ONCE_MORE))
        assert [(b.salience, b.boost) for b in base.blocks()] == [(1.0, 2.0)]

    def test_the_same_rewording_over_and_over_boosts_once(self) -> None:
        base = world()
        report = base.put("house.md", doc(KEYS, *[KEYS_AGAIN] * 9))
        assert report.n_near == 9
        assert report.boosts == pytest.approx((0.15,))

    def test_boosts_can_be_switched_off(self) -> None:
        base = world(boost_enabled=False)
        assert base.put("house.md", doc(KEYS, KEYS_AGAIN)).boosts == ()

    def test_another_fact_is_no_repeat(self) -> None:
        base = world()
        report = base.put("house.md", doc(BACKUPS_30, BACKUPS_90))
        assert (report.n_kept, report.n_held_apart) == (2, 1)
        histories = [h for b in base.blocks() for h in base.why(b.id).histories if h.fate.near_miss]
        assert [[o.kind for o in h.fate.objections] for h in histories] == [[FactKind.NUMBER]]

    def test_a_list_with_one_item_more_stays_beside_the_shorter_one_and_is_found(self) -> None:
        base = world(repeat_from=0.5)
        shorter = "Everybody takes a rope, a lamp and a whistle on the tour through the old mine."
        longer = "Everybody takes a rope, a lamp, a whistle and a compass on the tour through the old mine."
        assert base.put("tour.md", doc("# Before", shorter, "# After", longer)).n_kept == 2
        assert longer in base.texts("compass")

    def test_what_says_nothing_is_set_aside_and_remembered(self) -> None:
        base = world()
        report = base.put("house.md", doc(KEYS, "17"))
        assert (report.n_segments, report.n_kept, report.n_set_aside) == (2, 1, 1)
        assert [c.n_set_aside for c in base.base.store.counts()] == [1]
        assert base.texts("17") == []

    def test_the_floor_is_a_setting(self) -> None:
        base = world(salience_floor=0.0)
        assert base.put("house.md", doc(KEYS, "17")).n_set_aside == 0

    def test_can_be_kept(self) -> None:
        base = world(repeat_enabled=False)
        report = base.put("house.md", doc(KEYS, KEYS, KEYS_AGAIN))
        assert (report.n_kept, report.n_exact, report.n_near) == (3, 0, 0)

    def test_texts_and_vectors_stay_as_they_were(self) -> None:
        base = world()
        base.put("house.md", doc(KEYS, KEYS_AGAIN, KEYS_ONCE_MORE))
        (block,) = base.blocks()
        assert [a.text for a in block.attributions] == [KEYS, KEYS_AGAIN, KEYS_ONCE_MORE]

    def test_under_other_headings_are_seen_too(self) -> None:
        base = world()
        assert base.put("house.md", doc("# House", KEYS, "# Keys", KEYS, "# Doors", KEYS_AGAIN)).n_kept == 1


class TestHealth:
    def test_much_boilerplate_is_warned_of(self) -> None:
        base = world()
        report = base.put("house.md", doc(*[KEYS] * 12))
        assert [w for w in report.warnings if "are repeats" in w]
        base.set(warn_ingest_ratio=1.0)
        assert not base.put("other.md", doc(*[HEATING] * 12)).warnings

    def test_a_large_boost_is_warned_of(self) -> None:
        base = world(boost_per_repeat=0.7)
        assert [w for w in base.put("house.md", doc(KEYS, KEYS_AGAIN)).warnings if "boosted by 70%" in w]

    def test_counters_count_what_was_written_and_nothing_twice(self) -> None:
        base = world()
        files: Files = {"a.md": doc(KEYS, KEYS, KEYS_AGAIN), "b.md": b""}
        report = base.ingest(files)
        once = base.base.store.counters()
        assert once == counters(report.documents)
        assert once == {
            "ingest.documents.new": 1.0,
            "ingest.documents.refused": 1.0,
            "ingest.refused.empty": 1.0,
            "ingest.segments.md": 3.0,
            "ingest.kept.md": 1.0,
            "ingest.exact.md": 1.0,
            "ingest.near.md": 1.0,
            "ingest.boosts": 1.0,
            "ingest.boost_sum": pytest.approx(0.15),
        }
        base.ingest({"a.md": files["a.md"]})
        gained = {k: v for k, v in base.base.store.counters().items() if once.get(k) != v}
        assert gained == {"ingest.documents.unchanged": 1.0}

    def test_a_new_version_is_counted_as_a_change(self) -> None:
        base = world()
        base.put("a.md", KEYS)
        base.put("a.md", doc(KEYS, GARDEN))
        counted = base.base.store.counters()
        assert (counted["ingest.documents.new"], counted["ingest.documents.changed"]) == (1, 1)
        assert counted["ingest.segments.md"] == 3

    def test_counting_can_be_switched_off(self) -> None:
        base = world(metrics_enabled=False)
        base.put("house.md", KEYS)
        base.search("keys")
        assert base.base.store.counters() == {}

    def test_totals_are_the_metrics_of_the_seed(self) -> None:
        base = world(boost_decay="linear")
        report = base.ingest({"a.md": doc(KEYS, KEYS_AGAIN, KEYS_ONCE_MORE, HEATING), "b.md": GARDEN})
        assert report.totals["dedup_ratio"] == pytest.approx(2 / 5)
        assert report.totals["mean_boost"] == report.totals["max_boost"] == pytest.approx(0.30)
        assert report.dedup_ratio_by_format == {"md": pytest.approx(2 / 5)}


class TestCollections:
    def test_another_model_is_refused_before_anything_is_read(self) -> None:
        base = world()
        base.put("house.md", KEYS)
        other = replace(base.base, embedder=CountingEmbedder(64))

        def never() -> bytes:
            raise AssertionError("read in vain")

        with pytest.raises(ModelMismatchError, match="saidonce reembed main"):
            ingest(other, [source("b.md", never)], "main")

    def test_keep_their_style_when_the_setting_changes(self) -> None:
        base = world(segment_style=SegmentStyle.PARAGRAPH)
        assert base.put("a.md", doc("One rule.", "Another rule.")).n_segments == 1
        base.set(segment_style=SegmentStyle.WHOLE)
        assert base.put("b.md", doc("A third rule.", "A fourth rule.")).n_segments == 1

    def test_share_nothing(self) -> None:
        base = world()
        base.put("house.md", KEYS, "north")
        assert base.put("house.md", KEYS, "south").state is State.NEW
        assert [c.name for c in base.base.store.collections()] == ["north", "south"]


class TestRemoving:
    def test_a_document_goes_with_its_last_name(self) -> None:
        base = world()
        base.ingest({"a.md": KEYS, "b.md": KEYS})
        base.base.store.remove_document("main", "a.md")
        assert [d.names for d in base.base.store.documents("main")] == [("b.md",)]
        assert base.texts("spare keys") == [KEYS]
        base.base.store.remove_document("main", "b.md")
        assert base.blocks() == []
        assert base.texts("spare keys") == []

    def test_what_another_document_says_too_stays(self) -> None:
        base = world()
        base.ingest({"a.md": doc(KEYS, HEATING), "b.md": doc(KEYS, GARDEN)})
        base.base.store.remove_document("main", "a.md")
        assert [b.text for b in base.blocks()] == [KEYS, GARDEN]

    def test_and_ingesting_again_brings_back_the_same_ids(self) -> None:
        base = world(min_relevance=0.0)
        base.put("a.md", doc(KEYS, HEATING))
        before = base.blocks()
        base.base.store.remove_document("main", "a.md")
        base.put("a.md", doc(KEYS, HEATING))
        assert [b.id for b in base.blocks()] == [b.id for b in before]
        assert len(base.texts("spare keys and heating")) == 2


def test_nothing_to_ingest_makes_an_empty_collection() -> None:
    base = world()
    assert base.ingest({}).documents == ()
    assert [c.collection for c in base.base.store.counts()] == [
        Collection("main", "evidence", "whole", base.embedder.model, base.embedder.dim)
    ]


def test_two_writers_of_one_source_end_with_one_document() -> None:
    base = world()
    other = wired(base.base.store, CountingEmbedder())

    def meanwhile() -> bytes:
        ingest(other, [source("second.md", KEYS)], "main")
        return KEYS.encode()

    report = base.ingest({"first.md": meanwhile})
    assert [d.state for d in report.documents] == [State.SAME_SOURCE]
    assert [d.names for d in base.base.store.documents("main")] == [("second.md", "first.md")]


def test_a_writer_who_was_slower_looks_again() -> None:
    base = world()
    other = wired(base.base.store, CountingEmbedder())
    embed = base.embedder.embed

    class Slow(CountingEmbedder):
        def embed(self, texts: Any) -> Any:
            ingest(other, [source("first.md", doc(KEYS, HEATING))], "main")
            return embed(texts)

    slow = replace(base.base, embedder=Slow())
    (report,) = ingest(slow, [source("first.md", doc(KEYS, GARDEN))], "main").documents
    assert (report.state, report.version) == (State.CHANGED, 2)
    assert (report.n_added, report.n_unchanged, report.n_removed) == (1, 1, 1)
    assert [b.text for b in base.blocks()] == [KEYS, GARDEN]
