"""The pair table from ingest to explanation: who fills it, and what people see of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from in_process import in_process
from open_pairs import THIRTY, doubting, flag_of
from saidonce.foundation.model import Block, text_id
from saidonce.interfaces.cli import render
from saidonce.interfaces.views.kb import ExplanationView
from saidonce.kb import review
from saidonce.kb.explain import Explanation
from saidonce.kb.pairs import NearTexts, PairsAtIngest, accord_between, at_ingest, catch_up, comparison, rule_in_force
from saidonce.kb.status import status
from world import World, world

BACKUPS = "Backups of the archive are kept for 30 days in two regions and tested every month by the operations team."
NINETY = BACKUPS.replace("30", "90")
MORE = f"{BACKUPS} The archive is closed on Sundays."


def cache_of(base: World) -> NearTexts:
    return NearTexts(base.embedder.model, base.embedder.dim)


def block_of(base: World, document: str) -> Block:
    return next(b for b in base.blocks() if b.document == document)


class TestAtIngest:
    def test_what_was_written_is_compared(self) -> None:
        base = world(dedup_from=0.5)
        comparing = PairsAtIngest(base.base, cache_of(base))
        comparing.written(base.put("a.md", BACKUPS).n_kept)
        comparing.written(base.put("b.md", NINETY).n_kept)
        assert base.base.store.pairs.counts(rule_in_force(base.base)).n_waiting == 2
        comparing.finish()
        assert base.base.store.pairs.counts(rule_in_force(base.base)).n_waiting == 0

    def test_many_blocks_do_not_wait_for_the_end(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(at_ingest, "TEXTS_AT_ONCE", 2)
        base = world(dedup_from=0.5)
        comparing = PairsAtIngest(base.base, cache_of(base))
        for name, content in {"a.md": BACKUPS, "b.md": NINETY}.items():
            comparing.written(base.put(name, content).n_kept)
        assert base.base.store.pairs.counts(rule_in_force(base.base)).n_waiting == 0

    def test_what_waits_from_earlier_costs_no_more_than_a_bound(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(at_ingest, "LEAST", 3)
        base = world(dedup_from=0.5)
        base.ingest({f"{n}.md": f"Backups of room {n} are kept for {n} days by team {n}." for n in range(8)})
        comparing = PairsAtIngest(base.base, cache_of(base))
        comparing.written(1)
        comparing.finish()
        comparing.finish()
        counts = base.base.store.pairs.counts(rule_in_force(base.base))
        assert counts.n_unlisted == 5
        assert counts.n_pairs - counts.n_unjudged == 3

    def test_a_few_blocks_are_no_reason_to_read_a_large_base(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(at_ingest, "READ_FREELY", 3)
        monkeypatch.setattr(at_ingest, "READ_PER_BLOCK", 3)
        base = world(dedup_from=0.5)
        base.ingest({f"{n}.md": f"Backups of room {n} are kept for {n} days by team {n}." for n in range(7)})
        cache = cache_of(base)
        comparing = PairsAtIngest(base.base, cache)
        comparing.written(2)
        comparing.finish()
        assert cache.is_cold
        comparing.written(1)
        comparing.finish()
        assert not cache.is_cold
        assert base.base.store.pairs.counts(rule_in_force(base.base)).n_unlisted == 0

    def test_a_canonical_collection_lists_down_to_where_merges_are_looked_into(self) -> None:
        evidence = world(dedup_from=0.9, same_from=0.85)
        evidence.put("a.md", BACKUPS)
        assert rule_in_force(evidence.base).similarity_from == 0.85
        thresholds_alone = world(dedup_from=0.9, same_from=1.0)
        assert rule_in_force(thresholds_alone.base).similarity_from == 0.9
        canonical = doubting(dedup_from=0.9)
        canonical.put("a.md", BACKUPS)
        assert rule_in_force(canonical.base).similarity_from == 0.5


class TestWhy:
    def explained(self) -> tuple[World, Explanation]:
        base = world(dedup_from=0.5)
        base.ingest({"a.md": BACKUPS, "b.md": NINETY, "c.md": MORE})
        catch_up(base.base, cache_of(base))
        return base, base.why(block_of(base, "a.md").id)

    def test_names_what_is_near_and_how_it_agrees(self) -> None:
        _, account = self.explained()
        found = {n.block.document: n for n in account.near}
        assert {name: n.agreement for name, n in found.items()} == {"b.md": "objected", "c.md": "repeats_b"}
        assert "30 days" in {o.a.text for o in found["b.md"].objections}
        assert "90 days" in {o.b.text for o in found["b.md"].objections}

    def test_says_so_from_either_side(self) -> None:
        base, _ = self.explained()
        (near,) = [n for n in base.why(block_of(base, "c.md").id).near if n.block.document == "a.md"]
        assert near.agreement == "repeats_a"
        (other,) = [n for n in base.why(block_of(base, "b.md").id).near if n.block.document == "a.md"]
        assert "90 days" in {o.a.text for o in other.objections}

    def test_is_printed_and_is_in_the_json(self) -> None:
        _, account = self.explained()
        printed = render.account_text(account)
        assert "c.md" in printed
        assert "says all of it, and more" in printed
        assert "differs: number '30 days' / '90 days'" in printed
        assert [n.agreement for n in ExplanationView.show(account).near] == [n.agreement for n in account.near]

    def test_a_pair_that_waits_is_said_to_wait(self) -> None:
        base = world(dedup_from=0.5)
        base.ingest({"a.md": BACKUPS, "b.md": NINETY})
        catch_up(base.base, cache_of(base), most=0)
        assert base.why(block_of(base, "a.md").id).near == ()
        catch_up(base.base, cache_of(base))
        pairs = base.base.store.pairs
        (pair,) = [p for batch in pairs.listed() for p in batch]
        pairs.put_answers([replace(pair, guards="", agreement="", objections=(), unaccounted=())])
        account = base.why(block_of(base, "a.md").id)
        assert [n.agreement for n in account.near] == [""]
        assert "not compared yet" in render.account_text(account)


def test_the_page_of_a_block_lists_near_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = world(dedup_from=0.5)
    base.ingest({"a.md": BACKUPS, "b.md": NINETY, "c.md": MORE})
    catch_up(base.base, cache_of(base))
    page = in_process(base, tmp_path, monkeypatch).client.get(f"/blocks/{block_of(base, 'a.md').id}").text
    assert "Near texts" in page
    assert "<b>differs</b> · another number: <q>30 days</q> against <q>90 days</q>" in page
    assert "<b>says all of it, and more</b>" in page


class TestQueue:
    def test_a_pair_says_how_its_texts_agree(self) -> None:
        base = doubting()
        base.put("a.md", THIRTY)
        base.put("b.md", THIRTY.replace("thirty", "forty"))
        view = review.pair(base.base, flag_of(base).seq)
        assert view.agreement == "objected"

    def test_what_is_known_is_not_compared_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        base = doubting()
        base.put("a.md", THIRTY)
        base.put("b.md", THIRTY.replace("thirty", "forty"))
        a, b = block_of(base, "a.md"), block_of(base, "b.md")
        accord, mirrored = accord_between(base.base, a, b), accord_between(base.base, b, a)
        catch_up(base.base, cache_of(base))

        def forbidden(*_texts: object) -> None:
            raise AssertionError("compared again")

        monkeypatch.setattr(comparison, "agreement", forbidden)
        assert accord_between(base.base, a, b) == accord
        assert accord_between(base.base, b, a) == mirrored == accord.mirrored


def test_the_status_says_how_far_the_table_has_come() -> None:
    base = world(dedup_from=0.5)
    base.ingest({"a.md": BACKUPS, "b.md": NINETY})
    counts = base.base.store.pairs.counts(rule_in_force(base.base))
    shown = render.status_text(status(base.base.store, base.base.settings, counts))
    assert "pairs: 0 pairs of near texts among 2 texts; 2 texts and 0 pairs wait" in shown
    catch_up(base.base, cache_of(base))
    counts = base.base.store.pairs.counts(rule_in_force(base.base))
    assert render.pairs_text(counts) == "pairs: 1 pairs of near texts among 2 texts; all compared"
    assert counts.n_waiting == 0


def test_names_of_texts_say_what_the_comparison_sees() -> None:
    base = world()
    base.put("a.md", BACKUPS)
    (row,) = [r for batch in base.base.store.changes(base.embedder.model, 0) for r in batch]
    name = text_id(row.text_key, row.kind, row.language)
    assert base.base.store.pairs.texts([name]) == {name: BACKUPS}
    candidate = comparison.candidate_of(name, BACKUPS)
    assert (candidate.text, candidate.kind, candidate.language) == (BACKUPS, row.kind, row.language)
