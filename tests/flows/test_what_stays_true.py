"""What must stay true of a canonical collection when writers fail, documents go, and decisions pile up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from saidonce.errors import UsageError
from saidonce.foundation.model import Decision, FactKind, Flag
from saidonce.foundation.ports import QueueFilter
from saidonce.kb import review
from saidonce.kb.analytics import analytics
from saidonce.kb.canonical import BlockIndex
from saidonce.kb.ingest import State, ingest, merging, remove
from saidonce.kb.review import By
from world import World, source, world

ANN = By("ann")
THIRTY = "Backups of all customer files are kept for thirty days in two regions."
THIRTY_AGAIN = "All customer files have backups which are kept for thirty days in two regions."
FORTY = THIRTY.replace("thirty", "forty")
NINETY = THIRTY.replace("thirty", "ninety")
DOORS = "Doors are locked at night by the guard on duty."
INVOICES = "Invoices are sent on the first working day of the month."
PERMITS = "Parking permits cost four euros and last a week."


def kb(**settings: Any) -> World:
    """A canonical collection; thresholds are low, since hashed embeddings see words only."""
    return world(**{"collection_use": "canonical", "merge_investigate_from": 0.5, **settings})


def dated(base: World, name: str, text: str, date: str) -> None:
    base.put(name, f"---\ndate: {date}\n---\n\n{text}")


def flags(base: World) -> tuple[Flag, ...]:
    return base.base.store.ledger.queue(QueueFilter(is_open=True))


def of(base: World, text: str) -> str:
    return next(b.id for b in base.blocks() if b.text == text)


class TestTheCache:
    def test_a_writer_that_fails_does_not_hide_what_the_next_one_brings(self, monkeypatch: pytest.MonkeyPatch) -> None:
        base = kb().base
        index = BlockIndex(base.embedder.model, base.embedder.dim)
        ingest(base, [source("0.md", DOORS)], "main", None, index)

        def torn(*_given: object) -> None:
            raise RuntimeError("torn")

        with monkeypatch.context() as broken:
            broken.setattr(merging, "to_decisions", torn)
            (torn_one,) = ingest(base, [source("0.md", INVOICES)], "main", None, index).documents
        assert torn_one.state is State.REFUSED
        ingest(base, [source("1.md", PERMITS)], "main", None, index)
        index.catch_up(base.store)
        vectors = base.embedder.embed([DOORS, INVOICES, PERMITS])
        assert [len(found) for found in index.near("main", vectors, 0.9)] == [1, 0, 1]

    def test_a_collection_made_while_it_looks_is_not_passed_over(self) -> None:
        base = kb()

        class Racing:
            """Somebody makes a collection and fills it right after the first question is answered."""

            def __getattr__(self, name: str) -> Any:
                asked = getattr(base.base.store, name)

                def answered(*given: Any) -> Any:
                    found = list(asked(*given))
                    if not base.base.store.collections():
                        base.put("0.md", DOORS)
                    return found

                return answered

        index = BlockIndex(base.embedder.model, base.embedder.dim)
        index.catch_up(Racing())
        index.catch_up(base.base.store)
        base.put("1.md", PERMITS)
        index.catch_up(base.base.store)
        found = index.near("main", base.embedder.embed([DOORS, PERMITS]), 0.9)
        assert [len(each) for each in found] == [1, 1]

    def test_a_documents_own_rows_do_not_crowd_out_a_match(self) -> None:
        def row(n: int) -> str:
            return f"Register row {n} lists the permit that the north office gave to the harbour company for cranes."

        base = kb(repeat_enabled=False)
        base.put("other.md", row(99).replace("that the", "which the").replace("gave", "has given"))
        rows = [row(n) for n in range(60)]
        base.put("mine.md", "\n\n".join(rows))
        before = base.base.store.ledger.n_flags(QueueFilter())
        report = base.put("mine.md", "\n\n".join([*rows, row(99)]))
        assert (report.n_added, report.n_merged) == (1, 1)
        assert base.base.store.ledger.n_flags(QueueFilter()) == before


class TestFlags:
    def doubtful(self) -> tuple[World, Flag]:
        """A flag of FORTY against two blocks that a person keeps apart."""
        base = kb()
        base.put("0.md", THIRTY)
        base.put("1.md", NINETY)
        for flag in flags(base):
            review.keep_apart(base.base, By("ann", flag=flag.seq), flag.candidate, [flag.of])
        base.put("2.md", FORTY)
        (flag,) = flags(base)
        return base, flag

    def test_a_flag_whose_first_match_is_gone_shows_the_next(self) -> None:
        base, flag = self.doubtful()
        (first,) = (b for b in base.blocks() if b.id == flag.of)
        remove(base.base, "main", first.document)
        (shown,) = review.open_pairs(base.base, QueueFilter(is_open=True), None, 10)
        assert {shown.kept.text, first.text} == {THIRTY, NINETY}
        assert review.pair(base.base, flag.seq).kept.id == shown.kept.id

    def test_a_flag_of_one_block_asks_nothing(self) -> None:
        base, flag = self.doubtful()
        review.merge(base.base, ANN, flag.candidate, flag.of)
        assert all(p.candidate.id != p.kept.id for p in review.open_pairs(base.base, QueueFilter(), None, 10))


class TestMemory:
    def test_the_words_of_a_member_are_an_exact_repeat_of_its_block(self) -> None:
        base = kb()
        dated(base, "0.md", THIRTY, "2024-01-01")
        dated(base, "1.md", THIRTY_AGAIN, "2025-01-01")
        review.merge(base.base, ANN, of(base, THIRTY), of(base, THIRTY_AGAIN))
        dated(base, "2.md", THIRTY, "2023-01-01")
        (block,) = base.blocks()
        assert block.documents == ("0.md", "1.md", "2.md")
        assert flags(base) == ()

    def test_a_block_that_holds_a_text_kept_apart_is_asked_about_and_not_merged(self) -> None:
        base = kb(merge_from=0.8)
        base.put("0.md", THIRTY)
        base.put("1.md", DOORS)
        review.keep_apart(base.base, ANN, of(base, THIRTY), [of(base, DOORS)])
        dated(base, "2.md", THIRTY_AGAIN, "2027-01-01")
        review.merge(base.base, ANN, of(base, DOORS), of(base, THIRTY_AGAIN))
        assert sorted(b.text for b in base.blocks()) == sorted([THIRTY, THIRTY_AGAIN])
        before = {f.seq for f in flags(base)}
        remove(base.base, "main", "0.md")
        base.put("3.md", THIRTY)
        assert of(base, THIRTY) != of(base, THIRTY_AGAIN)
        (asked,) = (f for f in flags(base) if f.seq not in before)
        assert [o.kind for o in asked.near[0].objections] == [FactKind.DECISION]

    def test_a_text_that_comes_back_is_compared_with_what_came_meanwhile(self) -> None:
        base = kb(merge_from=0.8)
        base.put("0.md", THIRTY)
        base.put("1.md", f"# Retention\n\n{THIRTY}")
        remove(base.base, "main", "0.md")
        remove(base.base, "main", "1.md")
        base.put("2.md", f"# Backups\n\n{THIRTY}")
        base.put("0.md", THIRTY)
        (block,) = (b for b in base.blocks() if b.text == THIRTY)
        assert block.documents == ("0.md", "2.md")

    def test_who_edits_a_block_does_not_become_its_owner(self) -> None:
        base = kb()
        base.put("0.md", THIRTY)
        review.set_owner(base.base, ANN, of(base, THIRTY), "bob")
        review.edit(base.base, By("zoe"), of(base, THIRTY), FORTY)
        (block,) = base.blocks()
        assert (block.text, block.owner) == (FORTY, "bob")

    def test_equal_texts_that_were_parted_stay_apart_under_other_headings(self) -> None:
        base = kb()
        base.put("0.md", DOORS)
        base.put("1.md", f"# Night\n\n{DOORS}")
        (block,) = base.blocks()
        review.split(base.base, ANN, block.id, [block.members[0]])
        base.put("1.md", f"# Night and day\n\n{DOORS}")
        assert [b.documents for b in base.blocks()] == [("0.md",), ("1.md",)]

    def test_a_dismissed_pair_does_not_come_back(self) -> None:
        base = kb()
        base.put("0.md", THIRTY)
        base.put("1.md", NINETY)
        (flag,) = flags(base)
        dismissal = review.dismiss(base.base, ANN, flag.seq)
        base.put("1.md", f"# Under a heading\n\n{NINETY}")
        assert flags(base) == ()
        review.revert(base.base, ANN, dismissal.seq)
        base.put("1.md", f"# Under another heading\n\n{NINETY}")
        assert len(flags(base)) == 1

    def test_what_a_person_wrote_goes_with_the_source_and_comes_back_with_it(self) -> None:
        base = kb()
        base.put("0.md", THIRTY)
        review.edit(base.base, ANN, of(base, THIRTY), FORTY)
        remove(base.base, "main", "0.md")
        assert base.blocks() == []
        base.put("0.md", THIRTY)
        (block,) = base.blocks()
        assert (block.text, block.authored_at) == (FORTY, None)

    def test_a_key_answers_for_its_own_request_only(self) -> None:
        base = kb()
        for name, text in (("0.md", DOORS), ("1.md", INVOICES), ("2.md", PERMITS)):
            base.put(name, text)
        one, other, third = of(base, DOORS), of(base, INVOICES), of(base, PERMITS)
        merge = review.merge(base.base, By("ann", key="1"), one, other)
        assert review.merge(base.base, By("ann", key="1"), one, other) == merge
        others: tuple[Callable[[], Decision], ...] = (
            lambda: review.merge(base.base, By("bob", key="1"), one, other),
            lambda: review.keep_apart(base.base, By("ann", key="1"), one, [third]),
            lambda: review.merge(base.base, By("ann", key="1"), one, third),
            lambda: review.edit(base.base, By("ann", key="1"), third, FORTY),
        )
        for wrong in others:
            with pytest.raises(UsageError, match="already used for another request"):
                wrong()


class TestFigures:
    def test_shares_and_growth_count_what_is_there(self) -> None:
        base = kb()
        base.put("0.md", DOORS)
        for heading in "abc":
            base.put("1.md", f"# {heading}\n\n{DOORS}")
        told = analytics(base.base)
        assert (told.n_members, told.n_merged, told.merged_or_flagged) == (2, 1, 0.5)
        assert told.growth[-1].n_blocks == len(base.blocks()) == 1
        (block,) = base.blocks()
        review.split(base.base, ANN, block.id, [block.members[0]])
        assert analytics(base.base).growth[-1].n_blocks == 2
        remove(base.base, "main", "1.md")
        told = analytics(base.base)
        assert (told.merged_or_flagged, told.growth[-1].n_blocks) == (0.0, 1)

    def test_a_base_whose_repeats_are_kept_grows_too(self) -> None:
        base = world()
        base.put("0.md", f"# a\n\n{DOORS}\n\n# b\n\n{DOORS}")
        last = analytics(base.base).growth[-1]
        (document,) = base.base.store.documents("main")
        assert (last.n_segments, last.n_kept, last.n_blocks) == (
            document.n_segments,
            document.n_blocks,
            document.n_blocks,
        )
        assert last.n_segments > last.n_kept >= 1


class TestRepair:
    def test_a_decision_that_was_tampered_with_stands_again_and_so_do_its_blocks(self) -> None:
        base = kb()
        base.put("0.md", DOORS)
        base.put("1.md", INVOICES)
        one, other = (b.id for b in base.blocks())
        merge = review.merge(base.base, ANN, one, other)
        store: Any = base.base.store
        state = store._database.orgs["north"]
        state.decisions[merge.seq] = replace(state.decisions[merge.seq], live=False)
        with store.ledger.exclusive():
            review.rebuild(base.base)
        found = review.rebuild(base.base)
        assert found.wrongly_live == (merge.seq,)
        assert not found.is_sound
        assert review.rebuild(base.base, repair=True).repaired
        assert review.rebuild(base.base).is_sound
        assert [b.members for b in base.blocks()] == [tuple(sorted((one, other)))]

    def test_a_block_that_no_text_supports_goes(self) -> None:
        base = kb()
        base.put("0.md", DOORS)
        base.put("1.md", INVOICES)
        store: Any = base.base.store
        state = store._database.orgs["north"]
        lost = of(base, DOORS)
        del state.members[lost]
        assert review.rebuild(base.base).different == (lost,)
        assert review.rebuild(base.base, repair=True).repaired
        assert [b.text for b in base.blocks()] == [INVOICES]
