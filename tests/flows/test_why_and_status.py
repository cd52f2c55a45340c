from __future__ import annotations

import pytest

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model import FactKind, Relation
from saidonce.interfaces.cli import render
from saidonce.interfaces.views.kb import ExplanationView
from saidonce.matching.agreement import IN_OTHER_MARKUP, Agreement
from world import World, world

KEYS = "Keep the spare keys in the blue cabinet near the door; lock the room in the evening."
KEYS_AGAIN = "Keep the spare keys in the blue cabinet near the door, lock the room in the evening."
BACKUPS_30 = "Backups of the archive are kept for 30 days in two regions and tested every month by the operations team."
BACKUPS_90 = BACKUPS_30.replace("30", "90")
HEATING = "The heating of both houses is serviced every October by the firm that installed it."


@pytest.fixture
def house() -> World:
    base = world()
    base.put("house.md", f"# House\n\n{KEYS}\n\n{KEYS_AGAIN}\n\n{BACKUPS_30}\n\n{BACKUPS_90}\n\n{KEYS}\n\n17")
    return base


def block(base: World, text: str) -> str:
    return next(b.id for b in base.blocks() if b.text == text)


class TestWhy:
    def test_accounts_for_a_block_and_all_that_supports_it(self, house: World) -> None:
        account = house.why(block(house, KEYS))
        assert account.block is not None
        assert [(a.relation, a.text) for a in account.block.attributions] == [
            (Relation.KEPT, KEYS),
            (Relation.NEAR, KEYS_AGAIN),
            (Relation.EXACT, KEYS),
        ]
        assert account.kept_by == account.id

    def test_says_by_which_rule_a_text_in_other_words_says_the_same(self) -> None:
        base, menu = (
            world(repeat_from=0.5),
            "To search for a word, choose {}. The next hit is shown with a yellow background.",
        )
        as_path, in_words = menu.format("`Edit > Find`"), menu.format("“Find” in the “Edit” menu")
        base.put("manual.txt", f"{in_words}\n\n{as_path}")
        account = base.why(block(base, in_words))
        (absorbed,) = account.absorbed
        assert absorbed.agreement is Agreement.SAME
        assert absorbed.reasons == (IN_OTHER_MARKUP,)
        assert f"says the same: {IN_OTHER_MARKUP}" in render.account_text(account)
        assert [a.reasons for a in ExplanationView.show(account).absorbed] == [absorbed.reasons]

    def test_accounts_for_a_dropped_segment_and_names_what_keeps_it(self, house: World) -> None:
        kept = house.why(block(house, KEYS)).block
        assert kept is not None
        dropped = kept.attributions[1].segment_id
        account = house.why(dropped)
        assert (account.block, account.kept_by) == (None, kept.id)
        assert account.neighbours == {kept.id: KEYS}
        (history,) = account.histories
        assert history.fate.relation is Relation.NEAR
        assert history.fate.similarity >= 0.90

    def test_says_which_fact_held_a_segment_apart_and_from_what(self, house: World) -> None:
        account = house.why(block(house, BACKUPS_90))
        (history,) = account.histories
        assert [(o.kind, o.a.text, o.b.text) for o in history.fate.objections] == [
            (FactKind.NUMBER, "90 days", "30 days")
        ]
        assert account.neighbours == {block(house, BACKUPS_30): BACKUPS_30}

    def test_knows_every_version(self, house: World) -> None:
        id_ = block(house, KEYS)
        house.put("house.md", f"# House\n\n{KEYS}")
        assert [(h.document.version, h.live) for h in house.why(id_).histories] == [(1, False), (2, True)]

    def test_still_knows_what_a_newer_version_left_out(self, house: World) -> None:
        id_ = block(house, BACKUPS_30)
        house.put("house.md", f"# House\n\n{KEYS}")
        account = house.why(id_)
        assert (account.block, account.kept_by) == (None, "")
        assert [(h.segment.text, h.live) for h in account.histories] == [(BACKUPS_30, False)]

    def test_takes_the_beginning_of_an_id_in_any_case_and_with_dashes(self, house: World) -> None:
        id_ = block(house, KEYS)
        assert house.why(id_[:8]).id == id_
        assert house.why(f" {id_[:4].upper()}-{id_[4:12]} ").id == id_

    @pytest.mark.parametrize("prefix", ["", "abc", "keys", "0123x"])
    def test_refuses_what_is_no_id(self, house: World, prefix: str) -> None:
        with pytest.raises(UsageError, match="first four hexadecimal digits"):
            house.why(prefix)

    def test_what_went_with_its_document_is_not_found(self, house: World) -> None:
        id_ = block(house, KEYS)
        house.base.store.remove_document("main", "house.md")
        with pytest.raises(NotFoundError, match="its document was removed"):
            house.why(id_)

    def test_an_id_that_nothing_has_is_not_found(self, house: World) -> None:
        with pytest.raises(NotFoundError, match="no block or segment 'ffffffffffff'"):
            house.why("ffffffffffff")


class TestStatus:
    def test_of_an_empty_base_is_all_nought(self) -> None:
        found = world().status()
        assert (found.org, found.rev, found.collections, found.warnings) == ("north", 0, (), ())
        assert set(found.metrics.values()) == {0.0}

    def test_counts_what_each_collection_holds(self, house: World) -> None:
        house.put("other.md", HEATING, "yard")
        found = [
            (c.collection.name, c.n_documents, c.n_segments, c.n_blocks, c.n_exact, c.n_near, c.n_set_aside)
            for c in house.status().collections
        ]
        assert found == [("main", 1, 6, 3, 1, 1, 1), ("yard", 1, 1, 1, 0, 0, 0)]

    def test_gives_the_metrics_of_the_seed_under_their_names(self, house: World) -> None:
        house.put("other.md", HEATING)
        found = house.status()
        assert found.metrics["dedup_ratio_ingestion"] == pytest.approx(2 / 7)
        assert found.metrics["avg_salience_boost"] == pytest.approx(0.15)
        assert found.metrics["dedup_ratio_retrieval"] == 0.0
        assert found.dedup_by_doc_type == {"md": pytest.approx(2 / 7)}

    def test_is_printed_in_words(self, house: World) -> None:
        house.put("plain.txt", f"{KEYS}\n\n{KEYS}")
        shown = render.status_text(house.status()).splitlines()
        assert "repeats removed inside documents: 37.5% of all segments (md 33.3%, txt 50.0%)" in shown
        assert "repeats removed in searches: 0.0% of the ranked blocks" in shown
        assert "salience of repeated texts: raised by 15% at most, by 15% on average" in shown
        assert "_" not in "".join(shown)

    def test_ingesting_the_same_again_changes_no_ratio(self, house: World) -> None:
        before = house.status().metrics
        house.put("house.md", f"# House\n\n{KEYS}\n\n{KEYS_AGAIN}\n\n{BACKUPS_30}\n\n{BACKUPS_90}\n\n{KEYS}\n\n17")
        assert house.status().metrics == before

    def test_counts_the_repeats_of_searches(self) -> None:
        base = world(min_relevance=0.0)
        base.ingest({"a.md": KEYS, "b.md": KEYS_AGAIN, "c.md": HEATING})
        base.search("spare keys")
        assert base.status().metrics["dedup_ratio_retrieval"] == pytest.approx(1 / 3)

    def test_tells_document_types_apart(self, house: World) -> None:
        house.put("plain.txt", f"{KEYS}\n\n{KEYS}")
        assert house.status().dedup_by_doc_type == {"md": pytest.approx(1 / 3), "txt": 0.5}

    def test_warns_of_much_removed(self, house: World) -> None:
        assert house.status().warnings == ()
        house.set(warn_ingest_ratio=0.1)
        assert [w for w in house.status().warnings if "33% of all segments" in w]
