"""Decisions made in one stroke, many at once, and what is remembered when a merge is taken back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from open_pairs import ALMOST, FORTY, OTHER, THIRTY, block, clustered_base, doubting, flag_of, n_decisions, three_pairs
from saidonce.errors import StaleWriteError, UsageError
from saidonce.foundation.model import Member, Role, Verb
from saidonce.foundation.ports import QueueFilter
from saidonce.kb import review
from saidonce.kb.ingest import remove
from saidonce.kb.review import By, Keep
from saidonce.platform import access
from world import NOW, World

ANN = By("ann")
MERGE = review.BulkRequest(Verb.MERGE)


def members(w: World) -> list[tuple[str, ...]]:
    return sorted(b.members for b in w.blocks())


@pytest.fixture
def clustered() -> tuple[World, review.PairView]:
    """A flag whose kept block has two texts."""
    w = clustered_base()
    return w, review.pair(w.base, flag_of(w).seq)


def left_out(view: review.PairView) -> list[str]:
    return [m for m in view.kept.members if m != view.kept.id]


def test_leaving_one_out_is_one_stroke_and_its_undo_covers_both(clustered: tuple[World, review.PairView]) -> None:
    w, view = clustered
    before = members(w)
    by = By("ann", key="k", flag=view.flag.seq, seen=view.seen)
    done = review.merge_without(w.base, by, (view.kept.id, view.candidate.id), left_out(view))
    assert done.verb is Verb.MERGE
    after = members(w)
    assert after == sorted([tuple(left_out(view)), tuple(sorted({view.kept.id, view.candidate.id}))])
    n = n_decisions(w)
    assert review.merge_without(w.base, by, (view.kept.id, view.candidate.id), left_out(view)) == done
    assert n_decisions(w) == n
    undone = review.revert(w.base, By("ann", key="u"), done.seq)
    assert members(w) == before
    assert flag_of(w).seq == view.flag.seq
    assert review.revert(w.base, By("ann", key="u"), done.seq) == undone
    review.revert(w.base, ANN, undone.seq)
    assert members(w) == after
    assert review.rebuild(w.base).is_sound


def test_a_stale_view_leaves_nothing_out(clustered: tuple[World, review.PairView]) -> None:
    w, view = clustered
    w.put("9.md", OTHER)
    review.merge(w.base, By("bob"), view.kept.id, block(w, OTHER).id)
    n = n_decisions(w)
    by = By("ann", flag=view.flag.seq, seen=view.seen)
    with pytest.raises(StaleWriteError):
        review.merge_without(w.base, by, (view.kept.id, view.candidate.id), left_out(view))
    assert n_decisions(w) == n


def test_a_settled_flag_leaves_nothing_out(clustered: tuple[World, review.PairView]) -> None:
    w, view = clustered
    review.dismiss(w.base, By("bob"), view.flag.seq)
    n = n_decisions(w)
    by = By("ann", flag=view.flag.seq, seen=view.seen)
    with pytest.raises(StaleWriteError):
        review.merge_without(w.base, by, (view.kept.id, view.candidate.id), left_out(view))
    assert n_decisions(w) == n


def test_the_key_of_another_decision_leaves_nothing_out(clustered: tuple[World, review.PairView]) -> None:
    w, view = clustered
    review.set_owner(w.base, By("bob", key="k"), view.kept.id, "bob")
    with pytest.raises(UsageError, match="another"):
        review.merge_without(w.base, By("ann", key="k"), (view.kept.id, view.candidate.id), left_out(view))


def test_the_text_shown_can_be_left_out_too(clustered: tuple[World, review.PairView]) -> None:
    w, view = clustered
    review.merge_without(w.base, ANN, (view.kept.id, view.candidate.id), [view.kept.id])
    assert (view.kept.id,) in members(w)


def shown(w: World) -> list[tuple[int, str]]:
    return [(e.pair.flag.seq, e.seen) for e in review.mergeable_pairs(w.base, QueueFilter()).pairs]


def test_bulk_leaves_what_was_decided_meanwhile_and_merges_the_rest() -> None:
    w = doubting(merge_investigate_from=0.8)
    three_pairs(w)
    offered = shown(w)
    assert len(offered) == 3
    review.dismiss(w.base, By("bob"), offered[1][0])
    done = review.decide_in_bulk(w.base, By("ann", key="k"), MERGE, offered)
    assert (done.n_decided, [seq for seq, _ in done.left]) == (2, [offered[1][0]])
    n = n_decisions(w)
    again = review.decide_in_bulk(w.base, By("ann", key="k"), MERGE, offered)
    assert (again.decision, again.n_decided, [seq for seq, _ in again.left]) == (done.decision, 2, [offered[1][0]])
    assert n_decisions(w) == n


def test_bulk_judges_a_pair_as_it_stands() -> None:
    w = doubting()
    w.put("0.md", THIRTY)
    w.put("1.md", ALMOST)
    offered = shown(w)
    assert len(offered) == 1
    review.edit(w.base, By("bob"), flag_of(w).of, FORTY)
    assert shown(w) == []
    now = review.pair(w.base, offered[0][0]).seen
    for state in ("", offered[0][1], now):
        done = review.decide_in_bulk(w.base, ANN, MERGE, [(offered[0][0], state)])
        assert (done.n_decided, len(done.left)) == (0, 1)


def test_bulk_offers_more_than_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    w = doubting(merge_investigate_from=0.8)
    three_pairs(w)
    monkeypatch.setattr("saidonce.kb.review.mergeable.PAGE", 1)
    assert len(shown(w)) == 3
    monkeypatch.setattr("saidonce.kb.review.mergeable.MOST_EQUALS", 2)
    found = review.mergeable_pairs(w.base, QueueFilter())
    assert (len(found.pairs), found.is_all) == (2, False)


def merged_by_itself() -> tuple[World, int]:
    w = doubting(merge_from=0.8, audit_share=1.0)
    w.put("0.md", f"---\ndate: 2024-01-01\n---\n\n{THIRTY}")
    w.put("1.md", f"---\ndate: 2025-01-01\n---\n\n{ALMOST}")
    (merged,) = w.base.store.ledger.decisions([Verb.MERGE])
    return w, merged.seq


def test_an_automatic_merge_that_was_split_is_not_made_again() -> None:
    w, merged = merged_by_itself()
    review.revert(w.base, ANN, merged)
    assert len(w.blocks()) == 2
    remove(w.base, "main", "1.md")
    report = w.put("renamed.md", f"---\ndate: 2025-01-01\n---\n\n{ALMOST}")
    assert (report.n_merged, report.n_flagged, len(w.blocks())) == (0, 0, 2)


def test_taking_the_split_back_lets_them_merge_again() -> None:
    w, merged = merged_by_itself()
    back = review.revert(w.base, ANN, merged)
    review.revert(w.base, ANN, back.seq)
    assert len(w.blocks()) == 1
    assert w.base.store.ledger.apart("main", [m.segment.content_hash for m in _members(w)]) == frozenset()
    assert review.rebuild(w.base).is_sound


def _members(w: World) -> list[Member]:
    found = w.base.store.ledger.members([m for b in w.blocks() for m in b.members])
    return list(found.values())


def test_a_wrong_merge_is_audited_and_taken_back_in_one_stroke() -> None:
    w, merged = merged_by_itself()
    done = review.reject_automatic_merge(w.base, By("ann", key="k"), merged)
    assert (done.verb, done.reverts, len(w.blocks())) == (Verb.REVERT, merged, 2)
    assert review.reject_automatic_merge(w.base, By("ann", key="k"), merged) == done
    (ruling,) = w.base.store.ledger.rulings_on([merged])
    assert (ruling.verb, ruling.detail.wrong) == (Verb.AUDIT, True)
    review.revert(w.base, ANN, done.seq)
    assert len(w.blocks()) == 1
    assert w.base.store.ledger.rulings_on([merged]) == ()


def test_a_merge_that_was_taken_back_is_not_disowned_by_halves() -> None:
    w, merged = merged_by_itself()
    review.revert(w.base, ANN, merged)
    n = n_decisions(w)
    with pytest.raises(UsageError):
        review.reject_automatic_merge(w.base, ANN, merged)
    assert n_decisions(w) == n


@pytest.mark.parametrize("keep", list(Keep))
def test_a_preview_names_the_owner_that_the_merge_makes(keep: Keep) -> None:
    w = doubting()
    w.put("0.md", THIRTY)
    w.put("1.md", OTHER)
    a, b = block(w, THIRTY).id, block(w, OTHER).id
    people = w.base.store.people
    for name in ("ann", "bob"):
        access.add_person(w.base.store, name, "", Role.OWNER, NOW)
    review.set_owner(w.base, By("q"), a, "ann")
    review.set_owner(w.base, By("q"), b, "bob")
    ann = people.person("ann")
    assert ann is not None
    people.put_person(replace(ann, active_at=NOW + timedelta(days=1)))
    blocks = w.base.store.blocks([a, b])
    told = review.preview(w.base, blocks[a], blocks[b], keep)
    review.merge(w.base, By("q"), a, b, keep)
    (made,) = w.blocks()
    assert (told.owner, told.id, told.text_of.segment.text) == ("ann", made.id, made.text)
    assert made.owner == told.owner
