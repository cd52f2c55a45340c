from __future__ import annotations

import pytest

from saidonce.errors import ModelMismatchError, NotFoundError, Refusal, SourceRefusedError, UsageError
from saidonce.foundation.model import Collection, FactKind, Outcome, Reason
from saidonce.kb.canonical import BlockIndex
from saidonce.kb.propose import MAX_CHARS, SHOWN, NameTakenError, Proposal, Proposed, propose
from world import World, world

BACKUPS_30 = "Backups of the archive are kept for 30 days in two regions and tested every month by the operations team."
BACKUPS_90 = BACKUPS_30.replace("30", "90")
BACKUPS_AGAIN = BACKUPS_30.replace("regions and", "regions, and")
HEATING = "The heating of both houses is serviced every October by the firm that installed it."
KEYS = "Keep the spare keys in the blue cabinet near the door; lock the room in the evening."

USES = ["canonical", "evidence"]


def held(use: str, **settings: object) -> World:
    base = world(collection_use=use, **settings)
    base.put("house.md", f"# House\n\n{BACKUPS_30}\n\n{HEATING}")
    return base


def proposed(base: World, text: str, collection: str = "main", **given: str) -> Proposed:
    index = BlockIndex(base.embedder.model, base.embedder.dim)
    return propose(base.base, index, Proposal(text, **given), collection)


def id_of(base: World, text: str) -> str:
    return next(b.id for b in base.blocks() if b.text == text)


@pytest.mark.parametrize("use", USES)
class TestVerdicts:
    def test_the_same_text_is_a_duplicate_of_its_block(self, use: str) -> None:
        base = held(use)
        found = proposed(base, BACKUPS_30)
        assert (found.outcome, found.reason) == (Outcome.DUPLICATE, Reason.SAME_CONTENT)
        (piece,) = found.pieces
        assert piece.verdict.of == piece.near[0].id == id_of(base, BACKUPS_30)
        assert piece.near[0].similarity == pytest.approx(1.0)
        assert found.blocks[piece.near[0].id].documents == ("house.md",)

    def test_another_wording_is_a_duplicate(self, use: str) -> None:
        base = held(use)
        found = proposed(base, BACKUPS_AGAIN)
        assert found.outcome is Outcome.DUPLICATE
        assert found.pieces[0].near[0].objections == ()

    def test_another_fact_goes_to_review_with_both_spans(self, use: str) -> None:
        base = held(use)
        found = proposed(base, BACKUPS_90)
        assert (found.outcome, found.reason) == (Outcome.REVIEW, Reason.OBJECTION)
        near = found.pieces[0].near[0]
        assert near.id == id_of(base, BACKUPS_30)
        assert [(o.kind, o.a.text, o.b.text) for o in near.objections] == [(FactKind.NUMBER, "90 days", "30 days")]

    def test_something_new_is_distinct_and_shows_what_is_nearest(self, use: str) -> None:
        base = held(use)
        found = proposed(base, KEYS)
        assert (found.outcome, found.reason) == (Outcome.DISTINCT, Reason.NO_MATCHES)
        near = found.pieces[0].near
        assert 1 <= len(near) <= SHOWN
        assert [n.similarity for n in near] == sorted((n.similarity for n in near), reverse=True)
        assert {n.id for n in near} == set(found.blocks)

    def test_writes_nothing(self, use: str) -> None:
        base = held(use)
        before = (base.base.store.rev(), b"".join(base.base.store.dump()), base.base.store.counters())
        for text in (BACKUPS_30, BACKUPS_AGAIN, BACKUPS_90, KEYS):
            proposed(base, text)
        assert (base.base.store.rev(), b"".join(base.base.store.dump()), base.base.store.counters()) == before

    def test_each_piece_has_its_own_verdict_and_the_most_doubtful_speaks_for_all(self, use: str) -> None:
        base = held(use)
        found = proposed(base, f"{BACKUPS_30}\n\n{KEYS}")
        assert [p.verdict.outcome for p in found.pieces] == [Outcome.DUPLICATE, Outcome.DISTINCT]
        assert found.outcome is Outcome.DISTINCT
        assert proposed(base, f"{BACKUPS_30}\n\n{HEATING}").outcome is Outcome.DUPLICATE
        assert proposed(base, f"{KEYS}\n\n{BACKUPS_90}").outcome is Outcome.REVIEW

    def test_repeats_inside_the_text_are_counted_and_judged_once(self, use: str) -> None:
        found = proposed(held(use), f"{KEYS}\n\n{KEYS}")
        assert (len(found.pieces), found.n_repeats) == (1, 1)

    def test_names_the_document_that_has_the_same_bytes(self, use: str) -> None:
        base = held(use)
        base.put("keys.md", KEYS)
        found = proposed(base, KEYS)
        assert (found.already, found.outcome) == ("keys.md", Outcome.DUPLICATE)

    def test_what_a_dry_run_says_an_ingest_does(self, use: str) -> None:
        base = held(use)
        for text in (BACKUPS_AGAIN, BACKUPS_90, KEYS):
            said = proposed(base, text).outcome
            (report,) = base.ingest({Proposal(text).name: Proposal(text).content}).documents
            if use == "canonical":
                assert (report.n_merged, report.n_flagged) == (
                    int(said is Outcome.DUPLICATE),
                    int(said is Outcome.REVIEW),
                )
            assert report.n_kept == 1


def test_without_automatic_merging_a_duplicate_goes_to_review() -> None:
    found = proposed(held("canonical", auto_merge=False), BACKUPS_AGAIN)
    assert (found.outcome, found.reason) == (Outcome.REVIEW, Reason.UNCERTIFIED)


def test_another_collection_is_not_looked_at() -> None:
    base = held("canonical")
    base.put("yard.md", KEYS, "yard")
    found = proposed(base, BACKUPS_30, "yard")
    assert found.outcome is Outcome.DISTINCT
    assert {b.collection for b in found.blocks.values()} == {"yard"}


def test_an_empty_collection_has_nothing_near() -> None:
    base = held("canonical")
    base.put("yard.md", KEYS, "yard")
    base.base.store.remove_document("yard", "yard.md")
    found = proposed(base, BACKUPS_30, "yard")
    assert (found.outcome, found.pieces[0].near, dict(found.blocks)) == (Outcome.DISTINCT, (), {})


class TestNames:
    def test_come_from_the_bytes_or_the_source_and_say_markdown(self) -> None:
        assert Proposal(KEYS).name == Proposal(KEYS).name != Proposal(HEATING).name
        assert Proposal(KEYS).name.startswith("mcp/")
        assert Proposal(KEYS, source="chat 12.pdf").name == "chat 12.pdf.md"
        assert Proposal(KEYS, source=" notes\n.MD ").name == "notes .MD"

    def test_the_title_is_a_heading_of_one_line(self) -> None:
        base = held("evidence")
        found = proposed(base, KEYS, title="Keys\nand # doors")
        assert found.pieces[0].segment.heading_path == ("Keys and # doors",)
        assert found.pieces[0].segment.text == KEYS

    @pytest.mark.parametrize(
        "text",
        [
            '{"a": "Backups of the archive are kept for 30 days in two regions"}',
            "From: a@example.org\nTo: b@example.org\nSubject: keys\n\nKeep the spare keys in the blue cabinet.",
            "Keep\x00 the spare keys in the blue cabinet near the door, \ud800 and lock it.",
        ],
    )
    def test_no_text_is_taken_for_another_format(self, text: str) -> None:
        base = held("evidence")
        assert proposed(base, text).pieces
        assert base.base.parser.parsed[-1].endswith(".md")  # type: ignore[attr-defined]


class TestRefusals:
    @pytest.mark.parametrize("text", ["", " \n\t"])
    def test_of_nothing(self, text: str) -> None:
        with pytest.raises(UsageError, match="the text is empty"):
            proposed(held("canonical"), text)

    def test_of_too_much(self) -> None:
        with pytest.raises(UsageError, match=f"{MAX_CHARS + 1} characters"):
            proposed(held("canonical"), "x" * (MAX_CHARS + 1))

    def test_of_what_says_nothing(self) -> None:
        with pytest.raises(SourceRefusedError) as refused:
            proposed(held("canonical"), "17")
        assert refused.value.reason is Refusal.NO_TEXT

    def test_of_what_cannot_be_read(self) -> None:
        with pytest.raises(SourceRefusedError):
            proposed(held("canonical"), "%PDF-1.7 that is none")

    def test_of_a_collection_that_is_not_there(self) -> None:
        base = held("canonical")
        with pytest.raises(NotFoundError, match="there are: main"):
            proposed(base, KEYS, "nowhere")
        assert [c.name for c in base.base.store.collections()] == ["main"]

    def test_of_a_name_that_stands_for_another_text(self) -> None:
        with pytest.raises(NameTakenError, match="already exists with another text"):
            proposed(held("canonical"), KEYS, source="house.md")

    def test_of_a_collection_of_another_model(self) -> None:
        base = held("canonical")
        base.base.store.ensure_collection(Collection("old", "canonical", "whole", "another model", 3))
        with pytest.raises(ModelMismatchError, match="another model"):
            proposed(base, KEYS, "old")
