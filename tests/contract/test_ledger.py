"""The contract of ledgers and of people, kept by every store."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from store_cases import DIM, MODEL, Draft, Piece, key_of, simple, write_of

from programs import Program, steps
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.errors import NotFoundError, StoreCorruptError, UsageError
from saidonce.foundation import audit_log
from saidonce.foundation.model import (
    Activity,
    ApiKey,
    Approval,
    Channel,
    ChannelKind,
    Collection,
    Decision,
    DecisionDraft,
    Detail,
    DocumentWrite,
    FactKind,
    Filters,
    Flag,
    Kind,
    Member,
    Near,
    Notice,
    Objection,
    Person,
    Role,
    Scope,
    Span,
    Verb,
)
from saidonce.foundation.ports import People, QueueFilter, Search, Settlement, Store
from saidonce.kb import review, survivorship
from saidonce.kb.ingest import remove
from saidonce.testing import MemoryStore
from world import NOON, CountingEmbedder, World, wired

Open = Callable[[str], Store]


@pytest.fixture
def store(opened: Open, org: str) -> Store:
    made = opened(org)
    for name in ("main", "annexe"):
        made.ensure_collection(Collection(name, "canonical", "paragraph", MODEL, DIM))
    return made


def draft(verb: Verb, *members: str, **more: Any) -> DecisionDraft:
    """A decision about members; what is no field of a draft goes into its detail."""
    detail = {name: more.pop(name) for name in list(more) if name in Detail.__dataclass_fields__}
    return replace(
        DecisionDraft(verb=verb, collection="main", members=members, actor="ann", detail=replace(Detail(), **detail)),
        **more,
    )


def decide(store: Store, *drafts: DecisionDraft) -> list[int]:
    return [d.seq for d in store.ledger.append(drafts)]


def seqs(decisions: Sequence[Decision]) -> list[int]:
    return [d.seq for d in decisions]


def members_of(write: DocumentWrite, owner: str = "", dated_at: datetime = NOON) -> list[Member]:
    return [
        Member(
            s, write.collection, write.document_id, write.name, write.document.title, write.document.authored_at,
            dated_at, b.salience, b.boost, owner,
        )
        for s, b in zip(write.segments, write.blocks, strict=True)
    ]  # fmt: skip


def bring(store: Store, name: str, *texts: str, **more: Any) -> list[str]:
    """Write a document of kept paragraphs whose members are blocks of their own; give their ids."""
    write = simple(name, *texts, title=more.pop("title", "t"), collection=more.pop("collection", "main"))
    write = replace(write, document=replace(write.document, format=more.pop("format", "md")))
    with store.ledger.exclusive():
        store.put_document(write)
        members = members_of(write, **more)
        store.ledger.put_members(write.document_id, members)
        place(store, *([m.id] for m in members), collection=write.collection)
    return [m.id for m in members]


def place(store: Store, *groups: Sequence[str], collection: str = "main", **more: Any) -> None:
    """Make a block of each group."""
    standing = survivorship.fold([])
    blocks = []
    for ids in groups:
        golden = survivorship.join(list(store.ledger.members(ids).values()), standing)
        said = golden.text_of.segment
        search = Search({"said": len(ids)}, key_of(said.text), key_of(said.context))
        blocks.append((replace(golden, **more), search))
    touched = tuple(id_ for ids in groups for id_ in ids)
    store.ledger.settle(Settlement(collection, touched, tuple(blocks), {}))


class TestTheLog:
    RICH = Detail(
        near=(Near("b", 0.9125, (Objection(FactKind.NUMBER, Span(3, 5, "30"), Span(3, 5, "90")),)), Near("c", 0.83)),
        because="objection", set_aside=("b",), approval=Approval.REVIEW, owner="ann",
        activity=(Activity("ann", NOON.isoformat()), Activity("bob", left=True)), pairs=(("0", "1"),), wrong=False,
        sampled=True,
    )  # fmt: skip

    def test_it_begins_empty(self, opened: Open, org: str) -> None:
        ledger = opened(org).ledger
        assert list(ledger.log()) == []
        assert ledger.decisions() == ledger.append([]) == ledger.family(["a"]) == ledger.concerning(["a"]) == ()
        assert (ledger.decision(1), ledger.by_key("k"), ledger.flag(1)) == (None, None, None)
        assert (ledger.queue(QueueFilter()), ledger.n_flags(QueueFilter())) == ((), 0)
        assert (ledger.members(["a"]), ledger.kept(["a"]), ledger.same_content("main", ["a"])) == ({}, {}, {})
        assert (ledger.members_of(documents=["a"], blocks=["b"]), ledger.apart("main", ["a"])) == ((), frozenset())
        assert ledger.flags_of(["a"]) == ledger.rulings_on([1]) == ()

    def test_a_decision_is_kept_as_it_was_made(self, store: Store) -> None:
        decide(store, draft(Verb.FLAG, "a"))
        made = DecisionDraft(
            verb=Verb.MERGE, collection="main", members=("z", "a", "m"), actor="policy", reason="why – \"'", flag=1,
            detail=self.RICH, policy="p", certificate="c", key="k",
        )  # fmt: skip
        (given_back,) = store.ledger.append([made])
        assert {name: getattr(given_back, name) for name in DecisionDraft.__dataclass_fields__} == {
            name: getattr(made, name) for name in DecisionDraft.__dataclass_fields__
        }
        assert (given_back.seq, given_back.live, given_back.at.tzinfo) == (2, True, UTC)
        assert given_back == store.ledger.decision(2) == store.ledger.by_key("k") == list(store.ledger.log())[1]
        assert isinstance(given_back.verb, Verb)

    def test_decisions_are_numbered_and_chained(self, store: Store) -> None:
        decide(store, draft(Verb.FLAG, "a"), draft(Verb.MERGE, "a", "b", because="first"))
        decide(store, draft(Verb.OWN, "a", owner="ann"))
        log = list(store.ledger.log())
        assert seqs(log) == [1, 2, 3]
        assert [d.previous for d in log] == ["", log[0].hash, log[1].hash]
        assert audit_log.first_broken(log) is None
        assert [d.at for d in log] == sorted({d.at for d in log})

    def test_the_newest_come_first(self, store: Store) -> None:
        decide(store, *(draft(verb, "a") for verb in (Verb.FLAG, Verb.MERGE, Verb.OWN, Verb.MERGE)))
        ledger = store.ledger
        assert seqs(ledger.decisions()) == [4, 3, 2, 1]
        assert seqs(ledger.decisions(limit=2)) == [4, 3]
        assert seqs(ledger.decisions(before=3)) == [2, 1]
        assert seqs(ledger.decisions([Verb.MERGE])) == [4, 2]
        assert seqs(ledger.decisions([Verb.MERGE, Verb.FLAG], before=4, limit=1)) == [2]
        assert (ledger.decisions([Verb.SPLIT]), ledger.decision(5)) == ((), None)

    def test_a_key_counts_once(self, store: Store) -> None:
        (first,) = store.ledger.append([draft(Verb.MERGE, "a", "b", key="k")])
        before = list(store.dump())
        (again,) = store.ledger.append([draft(Verb.SPLIT, "c", key="k")])
        assert again == first
        assert list(store.dump()) == before
        given_back = decide(
            store, draft(Verb.OWN, "a"), draft(Verb.OWN, "b", key="l"), draft(Verb.OWN, "c", key="k"),
            draft(Verb.OWN, "d", key="l"), draft(Verb.OWN, "e"),
        )  # fmt: skip
        assert given_back == [2, 3, 1, 3, 4]
        assert [d.members for d in store.ledger.log()] == [("a", "b"), ("a",), ("b",), ("e",)]
        assert audit_log.first_broken(store.ledger.log()) is None
        assert (store.ledger.by_key(""), store.ledger.by_key("m")) == (None, None)

    def test_hostile_text_is_kept_as_far_as_it_can_be(self, store: Store) -> None:
        nasty = "nul \x00 lone \ud800 quote ' \" %s $1 ; drop table"
        kept = nasty.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")
        near = (Near("b", 0.5, (Objection(FactKind.TERM, Span(0, 3, nasty), Span(0, 0, "")),)),)
        (made,) = store.ledger.append(
            [draft(Verb.FLAG, "a", actor=nasty, reason=nasty, key=nasty, owner=nasty, because=nasty, near=near)]
        )
        assert (made.actor, made.reason, made.key, made.detail.owner, made.detail.because) == (kept,) * 5
        assert made.detail.near[0].objections[0].a.text == kept
        assert store.ledger.by_key(nasty) == made
        assert audit_log.first_broken(store.ledger.log()) is None
        with pytest.raises(UsageError):
            decide(store, draft(Verb.FLAG, "a", key="x" * 1001))

    @pytest.mark.parametrize("named", [{"reverts": 9}, {"flag": 9}, {"reverts": 2}, {"flag": 0}])
    def test_what_names_a_decision_that_is_not_there_is_refused(self, store: Store, named: dict[str, int]) -> None:
        decide(store, draft(Verb.FLAG, "a"))
        before = list(store.dump())
        with pytest.raises(NotFoundError):
            decide(store, draft(Verb.REVERT, "a", **named))
        with pytest.raises(NotFoundError):
            decide(store, draft(Verb.FLAG, "b"), draft(Verb.REVERT, "a", reverts=9))
        assert list(store.dump()) == before

    def test_a_collection_that_is_not_there_has_no_decisions(self, store: Store) -> None:
        before = list(store.dump())
        with pytest.raises((NotFoundError, StoreCorruptError)):
            decide(store, replace(draft(Verb.FLAG, "a"), collection="elsewhere"))
        assert list(store.dump()) == before

    @pytest.mark.parametrize("at_once", [False, True])
    def test_reverts_and_reverts_of_reverts(self, store: Store, at_once: bool) -> None:
        drafts = [
            draft(Verb.KEEP_APART, "a", "b", pairs=(("0", "1"),)),
            *(draft(Verb.REVERT, "a", reverts=n) for n in (1, 2, 1, 3, 4, 6)),
        ]
        expected = [[1], [2], [1, 3], [3, 4], [2, 4, 5], [2, 5, 6], [2, 4, 5, 7]]
        for place_, live in enumerate(expected, 1):
            if not at_once:
                decide(store, drafts[place_ - 1])
            elif place_ == len(drafts):
                decide(store, *drafts)
            else:
                continue
            log = list(store.ledger.log())
            assert [d.seq for d in log if d.live] == live
            assert {d.seq: d.live for d in log} == audit_log.live_of(log)
            assert store.ledger.apart("main", ["1"]) == (frozenset({("0", "1")}) if 1 in live else frozenset())
        assert audit_log.first_broken(store.ledger.log()) is None


class TestWhatConcernsWhom:
    def test_family_follows_chains_of_joining_decisions(self, store: Store) -> None:
        decide(
            store,
            draft(Verb.MERGE, "a", "b"), draft(Verb.MERGE, "c", "b"), draft(Verb.SPLIT, "c", "d"),
            draft(Verb.EDIT, "e", "d"), draft(Verb.APPROVE, "e", approval=Approval.REVIEW), draft(Verb.OWN, "f"),
            draft(Verb.MERGE, "f", "g"), draft(Verb.KEEP_APART, "a", "f", pairs=(("0", "1"),)),
            draft(Verb.FLAG, "a", "g"), draft(Verb.MERGE, "g", "h"), draft(Verb.REVERT, "g", "h", reverts=10),
            draft(Verb.ASSIGN, "a", flag=9), draft(Verb.APPROVE, "b", "f"),
        )  # fmt: skip
        family = store.ledger.family
        assert seqs(family(["a"])) == seqs(family(["e"])) == seqs(family(["d", "b"])) == [1, 2, 3, 4, 5, 13]
        assert seqs(family(["g"])) == seqs(family(["f"])) == [6, 7, 13]
        assert seqs(family(["a", "g"])) == [1, 2, 3, 4, 5, 6, 7, 13]
        assert family(["h"]) == family(["z"]) == family([]) == ()

    def test_edits_that_were_taken_back_are_told_but_lead_nowhere(self, store: Store) -> None:
        decide(
            store, draft(Verb.MERGE, "a", "b"), draft(Verb.EDIT, "e", "b"), draft(Verb.REVERT, "e", "b", reverts=2),
            draft(Verb.OWN, "e", owner="ann"),
        )  # fmt: skip
        assert [(d.seq, d.live) for d in store.ledger.family(["a"])] == [(1, True), (2, False)]
        assert seqs(store.ledger.family(["e"])) == [2, 4]

    def test_everything_that_names_a_member(self, store: Store) -> None:
        decide(store, draft(Verb.MERGE, "a", "b"), draft(Verb.FLAG, "c", "a", "a"), draft(Verb.REVERT, "a", reverts=1))
        decide(store, draft(Verb.OWN, "d"))
        concerning = store.ledger.concerning
        assert [(d.seq, d.live) for d in concerning(["a"])] == [(1, False), (2, True), (3, True)]
        assert (seqs(concerning(["c", "b", "z"])), concerning(["z"]), concerning([])) == ([1, 2], (), ())

    def test_flags_and_the_rulings_on_them(self, store: Store) -> None:
        decide(
            store,
            draft(Verb.FLAG, "a", "b"), draft(Verb.FLAG, "c", "a"), draft(Verb.ASSIGN, "a", flag=1, owner="ann"),
            draft(Verb.DISMISS, "a", flag=1), draft(Verb.REVERT, "a", reverts=4), draft(Verb.REVERT, "c", reverts=2),
            draft(Verb.DISMISS, "c", flag=2),
        )  # fmt: skip
        ledger = store.ledger
        assert (seqs(ledger.flags_of(["b"])), seqs(ledger.flags_of(["a", "c"])), ledger.flags_of([])) == ([1], [1], ())
        assert (seqs(ledger.rulings_on([1])), seqs(ledger.rulings_on([2, 1])), ledger.rulings_on([])) == (
            [3],
            [3, 7],
            (),
        )

    def test_parts_of_a_decision(self, store: Store) -> None:
        decide(
            store,
            draft(Verb.BULK), draft(Verb.DISMISS, "a", within=1), draft(Verb.DISMISS, "b", because='"within":'),
            draft(Verb.RULE, within=7), draft(Verb.KEEP_APART, "a", "b", within=1), draft(Verb.REVERT, reverts=2),
        )  # fmt: skip
        ledger = store.ledger
        assert [(d.seq, d.live) for d in ledger.within([1])] == [(2, False), (5, True)]
        assert (seqs(ledger.within([7, 1])), ledger.within([]), ledger.within([2])) == ([2, 4, 5], (), ())

    def test_pairs_kept_apart(self, store: Store) -> None:
        pairs = (("0", "1"), ("1", "2"))
        decide(
            store, draft(Verb.KEEP_APART, "a", pairs=pairs), draft(Verb.SPLIT, "a", pairs=(("1", "2"), ("3", "4"))),
            draft(Verb.CONFLICT, "a", pairs=(("0", "1"),), collection="annexe"),
        )  # fmt: skip
        apart = store.ledger.apart
        assert apart("main", ["1"]) == frozenset(pairs)
        assert apart("main", ["0", "4"]) == {("0", "1"), ("3", "4")}
        assert apart("annexe", ["0", "2"]) == {("0", "1")}
        assert apart("main", ["9"]) == apart("main", []) == apart("elsewhere", ["1"]) == frozenset()
        decide(store, draft(Verb.REVERT, "a", reverts=1))
        assert apart("main", ["1", "0"]) == {("1", "2")}
        decide(store, draft(Verb.REVERT, "a", reverts=4))
        assert apart("main", ["1"]) == frozenset(pairs)


class TestMembersAndBlocks:
    def test_members_are_told_with_their_segments(self, store: Store) -> None:
        write = simple("a", "one", "two", title="Rules", authored_at=NOON - timedelta(days=9), language="de")
        store.put_document(write)
        given_members = members_of(write, "ann")
        assert store.ledger.put_members(write.document_id, given_members) == ()
        ids = sorted(m.id for m in given_members)
        assert store.ledger.members([*ids, "z", ids[0]]) == {m.id: m for m in given_members}
        assert store.ledger.members([]) == {}
        assert store.ledger.members_of(documents=[write.document_id]) == tuple(ids)

    def test_members_leave_and_the_first_date_stays(self, store: Store) -> None:
        one, two = bring(store, "a", "one", "two")
        second = simple("a", "two", "three", title="t")
        store.put_document(second)
        later = [
            replace(m, owner="bob", salience=0.75, boost=0.5) for m in members_of(second, dated_at=NOON + timedelta(1))
        ]
        assert store.ledger.put_members(second.document_id, later) == (one,)
        found = store.ledger.members([one, *(m.id for m in later)])
        assert set(found) == {m.id for m in later}
        assert (found[two].dated_at, found[later[1].id].dated_at) == (NOON, NOON + timedelta(1))
        assert (found[two].owner, found[two].salience, found[two].boost) == ("bob", 0.75, 0.5)
        assert (found[two].block_id, found[later[1].id].block_id) == (two, "")
        assert store.ledger.put_members(second.document_id, ()) == tuple(sorted(found))
        assert store.ledger.members_of(documents=[second.document_id]) == ()

    def test_a_block_of_several_members(self, store: Store) -> None:
        (one,) = bring(store, "a", "one", owner="ann")
        (two,) = bring(store, "b", "two", dated_at=NOON + timedelta(1))
        (three,) = bring(store, "c", "three")
        decide(store, draft(Verb.MERGE, two, one))
        rev = store.rev()
        place(store, [one, two], approval=Approval.APPROVED, owner="cleo", boost=0.125)
        assert set(store.blocks([one, two, three])) == {two, three}
        block = store.blocks([two])[two]
        assert (block.text, block.document, block.members) == ("two", "b", tuple(sorted([one, two])))
        assert (block.documents, block.approval, block.owner, block.boost) == (("a", "b"), "approved", "cleo", 0.125)
        assert {(a.document, a.text) for a in block.attributions} == {("a", "one"), ("b", "two")}
        assert store.ledger.members_of(blocks=[two]) == tuple(sorted([one, two]))
        assert store.ledger.members_of(blocks=[three], documents=[block.document_id]) == tuple(sorted([two, three]))
        changed = {row.block_id: row.gone for batch in store.changes(MODEL, rev) for row in batch}
        assert changed == {one: True, two: False}
        assert store.lexical(["said"], Filters(), 9).n_containing == (2,)
        place(store, [one], [two])
        assert set(store.blocks([one, two])) == {one, two}
        assert store.ledger.members([one])[one].block_id == one

    def test_settling_the_same_again_changes_no_block(self, store: Store) -> None:
        (one,) = bring(store, "a", "one")
        (two,) = bring(store, "b", "two")
        place(store, [one, two])
        rev = store.rev()
        place(store, [one, two])
        assert [row for batch in store.changes(MODEL, rev) for row in batch] == []

    def test_members_of_no_block_are_nobodys(self, store: Store) -> None:
        (one,) = bring(store, "a", "one")
        store.ledger.settle(Settlement("main", (one,), (), {}))
        assert store.blocks([one]) == {}
        assert store.ledger.members([one])[one].block_id == ""
        assert store.ledger.kept([one]) == {}

    def test_a_settlement_without_its_embedding_changes_nothing(self, store: Store) -> None:
        (one,) = bring(store, "a", "one")
        before = list(store.dump())
        golden = survivorship.join(list(store.ledger.members([one]).values()), survivorship.fold([]))
        for embeddings in ({}, {"new": simple("b", "x").embeddings[key_of("x")][:3]}):
            with pytest.raises(StoreCorruptError):
                store.ledger.settle(Settlement("main", (one,), ((golden, Search({}, "new", "")),), embeddings))
        with pytest.raises(NotFoundError):
            store.ledger.settle(Settlement("elsewhere", (one,), (), {}))
        assert list(store.dump()) == before

    def test_blocks_as_the_ladder_sees_them(self, store: Store) -> None:
        (one,) = bring(store, "a", "one")
        (two,) = bring(store, "b", "two", dated_at=NOON + timedelta(1))
        place(store, [one, two], owner="ann")
        kept = store.ledger.kept([one, two, "z"])
        assert set(kept) == {two}
        seen = kept[two].candidate
        assert (seen.text, seen.kind, seen.language, seen.section_role) == ("two", Kind.PARAGRAPH, "en", "")
        assert seen.dated_at == NOON + timedelta(1)
        assert seen.content_hash == store.ledger.members([two])[two].segment.content_hash
        documents = frozenset(store.ledger.members([id_])[id_].document_id for id_ in (one, two))
        assert (kept[two].document_ids, kept[two].owner) == (documents, "ann")

    def test_the_sender_of_a_mail_is_known_of_all_that_it_says(self, store: Store) -> None:
        mail, note = bring(store, "a", "one", format="eml")[0], bring(store, "b", "two")[0]
        for id_, sender in ((mail, "An Author"), (note, "")):
            assert store.ledger.members([id_])[id_].sender == sender
            assert store.ledger.kept([id_])[id_].candidate.sender == sender
            assert store.blocks([id_])[id_].sender == sender
        assert {d.name: (d.author, d.sender) for d in store.documents("main")} == {
            "a": ("An Author", "An Author"),
            "b": ("An Author", ""),
        }

    def test_a_block_stands_under_the_headings_of_all_that_it_stands_for(self, store: Store) -> None:
        ids = []
        for name, own, repeated in (("a", "Adults", "Permitted"), ("b", "Pool", "Adults")):
            pieces = Piece("one", heading=("House", own)), Piece("one.", "near", heading=("House", repeated))
            write = write_of(Draft(name, pieces))
            with store.ledger.exclusive():
                store.put_document(write)
                members = members_of(replace(write, segments=write.segments[:1]))
                store.ledger.put_members(write.document_id, members)
                place(store, *([m.id] for m in members))
            ids += [m.id for m in members]
        place(store, ids)
        (kept,) = store.ledger.kept(ids).values()
        assert kept.candidate.also_under == ("Adults", "Permitted", "Pool")
        assert set(kept.candidate.headings) == {"Adults", "Permitted", "Pool"}

    def test_the_headings_of_a_block_stand_in_the_order_of_their_characters(self, store: Store) -> None:
        ids = []
        for n, heading in enumerate(("b", "B", "Äpfel", "a c", "aB", "_d", "Z")):
            write = write_of(Draft(f"d{n}", (Piece("one", heading=(heading,)),)))
            with store.ledger.exclusive():
                store.put_document(write)
                members = members_of(write)
                store.ledger.put_members(write.document_id, members)
                place(store, *([m.id] for m in members))
            ids += [m.id for m in members]
        place(store, ids)
        (kept,) = store.ledger.kept(ids).values()
        assert kept.candidate.also_under == ("B", "Z", "_d", "a c", "aB", "b", "Äpfel")

    def test_blocks_that_a_content_supports(self, store: Store) -> None:
        (one,) = bring(store, "a", "one")
        again, _ = bring(store, "b", "one", "more", dated_at=NOON + timedelta(1))
        (two,) = bring(store, "c", "two")
        bring(store, "d", "one", collection="annexe")
        hashes = [m.segment.content_hash for m in store.ledger.members([one, two]).values()]
        expected = {store.ledger.members([one])[one].segment.content_hash: tuple(sorted([one, again]))}
        expected[store.ledger.members([two])[two].segment.content_hash] = (two,)
        assert store.ledger.same_content("main", [*hashes, "z"]) == expected
        place(store, [one, two])
        winner = store.ledger.members([one])[one].block_id
        assert set(store.ledger.same_content("main", hashes).values()) == {(winner,), tuple(sorted([winner, again]))}
        assert store.ledger.same_content("main", []) == store.ledger.same_content("elsewhere", hashes) == {}


class TestTheQueue:
    @pytest.fixture
    def waiting(self, store: Store) -> tuple[Store, list[str]]:
        """Six flags: worths 5, 3, 3, 9, 1, 7; the fourth is closed, the fifth of another collection."""
        ids = [bring(store, name, name)[0] for name in "abc"]
        near = (Near(ids[1], 0.9), Near(ids[2], 0.85))
        decide(store, *(draft(Verb.FLAG, ids[0], ids[1], ids[2], near=near) for _ in range(6)))
        worths = [5.0, 3.0, 3.0, 9.0, 1.0, 7.0]
        store.ledger.put_flags(
            [
                Flag(
                    seq, "annexe" if seq == 5 else "main", ids[0], ids[1], (), "unsure" if seq % 2 else "objection",
                    worth, seq != 4, "ann" if seq == 6 else "", 1 if seq == 4 else None,
                )
                for seq, worth in enumerate(worths, 1)
            ]
        )  # fmt: skip
        return store, ids

    def test_by_worth_then_number_page_by_page(self, waiting: tuple[Store, list[str]]) -> None:
        store, _ = waiting
        whole = store.ledger.queue(QueueFilter())
        assert [(f.seq, f.worth) for f in whole] == [(6, 7.0), (1, 5.0), (2, 3.0), (3, 3.0), (5, 1.0)]
        paged: list[Flag] = []
        while page := store.ledger.queue(QueueFilter(), (paged[-1].worth, paged[-1].seq) if paged else None, 2):
            assert len(page) <= 2
            paged += page
        assert tuple(paged) == whole

    def test_filters(self, waiting: tuple[Store, list[str]]) -> None:
        store, _ = waiting
        for wanted, found in (
            (QueueFilter(is_open=None), [4, 6, 1, 2, 3, 5]),
            (QueueFilter(is_open=False), [4]),
            (QueueFilter(collections=("annexe",)), [5]),
            (QueueFilter(collections=("annexe", "main"), because="unsure"), [1, 3, 5]),
            (QueueFilter(because="objection", is_open=None), [4, 6, 2]),
            (QueueFilter(assignee="ann"), [6]),
            (QueueFilter(assignee="bob"), []),
        ):
            assert [f.seq for f in store.ledger.queue(wanted)] == found
            assert store.ledger.n_flags(wanted) == len(found)

    def test_a_flag_is_told_by_present_blocks(self, waiting: tuple[Store, list[str]]) -> None:
        store, ids = waiting
        assert store.ledger.flag(1) == Flag(
            1, "main", ids[0], ids[1], (Near(ids[1], 0.9), Near(ids[2], 0.85)), "unsure", 5.0, True, "", None
        )
        place(store, [ids[1], ids[2]])
        one = store.ledger.members([ids[1]])[ids[1]].block_id
        found = store.ledger.flag(1)
        assert found is not None
        assert (found.candidate, found.of, found.near) == (ids[0], one, (Near(one, 0.9), Near(one, 0.85)))
        store.ledger.put_members(store.ledger.members([ids[0]])[ids[0]].document_id, ())
        gone = store.ledger.flag(1)
        assert gone is not None
        assert gone.candidate == ids[0]
        assert store.ledger.flag(7) is None

    def test_what_a_flag_came_to_can_change(self, waiting: tuple[Store, list[str]]) -> None:
        store, _ = waiting
        found = store.ledger.flag(2)
        assert found is not None
        store.ledger.put_flags([replace(found, worth=8.0, open=False, assignee="bob", resolved_by=1)])
        assert store.ledger.flag(2) == replace(found, worth=8.0, open=False, assignee="bob", resolved_by=1)
        store.ledger.put_flags([found])
        assert store.ledger.flag(2) == found
        before = list(store.dump())
        store.ledger.put_flags([])
        assert list(store.dump()) == before


class Stop(Exception):  # noqa: N818 - a signal of these tests
    """Ends a transaction on purpose."""


class TestAllOrNothing:
    def write_all(self, store: Store) -> None:
        (one,) = bring(store, "x", "one")
        decide(store, draft(Verb.FLAG, one, "z", near=(Near("z", 0.9),)))
        store.ledger.put_flags([Flag(1, "main", one, "z", (), "unsure", 1.0, True, "")])
        store.people.put_person(person("ann"))
        store.add_counters({"n": 1.0})

    def test_what_is_written_together_is_there_together(self, store: Store, opened: Open) -> None:
        with store.ledger.exclusive():
            self.write_all(store)
            assert store.document("main", "x") is not None
            assert store.ledger.flag(1) is not None
            assert seqs(list(store.ledger.log())) == [1]
            assert len(list(store.dump())) > 4
        other = opened(store.org)
        assert list(other.dump()) == list(store.dump())
        assert (other.counters(), other.people.people()) == ({"n": 1.0}, (person("ann"),))

    def test_an_error_takes_everything_back(self, store: Store, opened: Open) -> None:
        bring(store, "kept", "stays")
        decide(store, draft(Verb.MERGE, "a", "b"))
        before, rev = list(store.dump()), store.rev()

        def stop() -> None:
            with store.ledger.exclusive():
                self.write_all_after(store)
                assert list(store.dump()) != before
                raise Stop

        with pytest.raises(Stop):
            stop()
        for each in (store, opened(store.org)):
            assert list(each.dump()) == before
            assert (each.rev(), each.counters(), each.people.people()) == (rev, {}, ())
        decide(store, draft(Verb.OWN, "a"))
        assert audit_log.first_broken(store.ledger.log()) is None

    def write_all_after(self, store: Store) -> None:
        bring(store, "x", "one")
        kept = store.document("main", "kept")
        assert kept is not None
        ids = store.ledger.put_members(kept.id, ())
        store.ledger.settle(Settlement("main", ids, (), {}))
        store.remove_document("main", "kept")
        decide(store, draft(Verb.REVERT, "a", reverts=1))
        store.people.put_person(person("ann"))
        store.add_counters({"n": 1.0})

    def test_a_refused_write_inside_takes_everything_back(self, store: Store) -> None:
        before = list(store.dump())

        def refused() -> None:
            with store.ledger.exclusive():
                self.write_all(store)
                decide(store, draft(Verb.REVERT, "a", reverts=99))

        with pytest.raises(NotFoundError):
            refused()
        assert list(store.dump()) == before

    def test_locks_may_be_nested(self, store: Store) -> None:
        before = list(store.dump())

        def stop() -> None:
            with store.ledger.exclusive():
                with store.ledger.exclusive():
                    self.write_all(store)
                assert store.ledger.flag(1) is not None
                raise Stop

        with pytest.raises(Stop):
            stop()
        assert list(store.dump()) == before

    def test_another_writer_waits_for_the_lock(self, store: Store, opened: Open) -> None:
        other = opened(store.org)
        order: list[str] = []
        started = threading.Event()

        def second() -> None:
            started.set()
            with other.ledger.exclusive():
                order.append(f"second sees {len(other.ledger.decisions())}")
                other.ledger.append([draft(Verb.OWN, "b")])

        thread = threading.Thread(target=second)
        with store.ledger.exclusive():
            thread.start()
            assert started.wait(5)
            thread.join(0.3)
            assert thread.is_alive()
            decide(store, draft(Verb.OWN, "a"))
            order.append("first is done")
        thread.join(10)
        assert not thread.is_alive()
        assert order == ["first is done", "second sees 1"]
        assert audit_log.first_broken(store.ledger.log()) is None
        assert len(store.ledger.decisions()) == 2

    def test_a_single_write_waits_too(self, store: Store, opened: Open) -> None:
        other = opened(store.org)
        thread = threading.Thread(target=lambda: other.ledger.append([draft(Verb.OWN, "b")]))
        with store.ledger.exclusive():
            decide(store, draft(Verb.OWN, "a"))
            thread.start()
            thread.join(0.2)
            assert thread.is_alive()
        thread.join(10)
        assert [d.members for d in store.ledger.log()] == [("a",), ("b",)]


TEXTS = (
    "Backups of all customer files are kept for thirty days in two regions.",
    "Backups of all customer files are kept for ninety days in two regions.",
    "All customer files have backups which are kept for thirty days in two regions.",
    "Doors are locked at night by the guard on duty.",
)
BY = review.By("ann")


def decided_upon(store: Store) -> World:
    """A base in which everything was decided at least once."""
    base = World(wired(store, CountingEmbedder(), collection_use="canonical", merge_from=0.8), CountingEmbedder())
    for name, texts in {
        "a.md": TEXTS[:1],
        "b.md": (*TEXTS[1:2], TEXTS[3]),
        "c.md": TEXTS[2:],
        "d.md": TEXTS[:1],
    }.items():
        base.put(name, f"# {name}\n\n" + "\n\n".join(texts))
    base.put("e.md", f"# e.md\n\n{TEXTS[0]}", "annexe")
    blocks = base.blocks()
    merge = review.merge(base.base, BY, blocks[0].id, blocks[1].id, review.Keep.B)
    whole = review.current_block(store, blocks[0].id)
    edit = review.edit(base.base, BY, whole.id, "Backups are kept for thirty days.")
    review.approve(base.base, BY, review.current_block(store, whole.id).id)
    review.set_owner(base.base, BY, review.current_block(store, whole.id).id, "bob")
    review.split(base.base, BY, review.current_block(store, whole.id).id, [whole.members[0]], "stay")
    review.revert(base.base, BY, edit.seq)
    review.revert(base.base, BY, merge.seq)
    ends = base.blocks()
    review.keep_apart(base.base, BY, ends[0].id, [ends[-1].id])
    open_flags = store.ledger.queue(QueueFilter())
    for flag in open_flags:
        assert flag in store.ledger.open_on([flag.candidate])
        assert flag in store.ledger.open_on([flag.of, "none"])
    if open_flags:
        review.dismiss(base.base, BY, open_flags[0].seq)
    remove(base.base, "main", "d.md")
    return base


def compare(store: Store, other: Store) -> None:
    """Both tell the same, and take the next decision in the same way."""
    ids = sorted({m for d in store.ledger.log() for m in d.members})
    for name in ("main", "annexe"):
        hashes = sorted({m.segment.content_hash for m in store.ledger.members(ids).values()})
        assert other.ledger.apart(name, hashes) == store.ledger.apart(name, hashes)
        assert other.ledger.same_content(name, hashes) == store.ledger.same_content(name, hashes)
    everything = QueueFilter(is_open=None)
    assert other.ledger.queue(everything) == store.ledger.queue(everything)
    assert other.ledger.members(ids) == store.ledger.members(ids)
    assert other.ledger.kept(ids) == store.ledger.kept(ids)
    assert other.blocks(ids) == store.blocks(ids)
    for id_ in ids:
        assert other.ledger.family([id_]) == store.ledger.family([id_])
        assert other.ledger.concerning([id_]) == store.ledger.concerning([id_])
        assert other.ledger.flags_of([id_]) == store.ledger.flags_of([id_])
    (last,) = store.ledger.decisions(limit=1)
    (undone,) = other.ledger.append([draft(Verb.REVERT, *last.members, reverts=last.seq)])
    assert (undone.seq, undone.previous) == (last.seq + 1, last.hash)
    assert audit_log.first_broken(other.ledger.log()) is None
    found = other.ledger.decision(last.seq)
    assert found is not None
    assert not found.live


class TestExports:
    def test_everything_comes_back_byte_for_byte(self, opened: Open, org: str) -> None:
        store = opened(org)
        base = decided_upon(store)
        lines = list(store.dump())
        kinds = {line.split(b'"')[3] for line in lines[1:-1]}
        assert {b"decision", b"member", b"flag"} <= kinds
        other = opened(f"{org}-other")
        assert other.load(iter(lines)) == len(lines)
        assert list(other.dump()) == lines
        report = review.rebuild(replace(base.base, store=other))
        assert report.is_sound, report
        assert report.n_decisions == len(list(store.ledger.log())) > 8
        compare(store, other)

    def test_an_altered_export_is_noticed_by_the_rebuild(self, opened: Open, org: str) -> None:
        """Whoever writes every checksum anew still cannot alter a decision unseen."""
        store = opened(org)
        base = decided_upon(store)
        first = next(store.ledger.log())
        forged = MemoryStore("forged")
        forged.load(store.dump())
        row = forged._now.decisions[first.seq]
        forged._now.decisions[first.seq] = replace(row, actor="eve")
        other = opened(f"{org}-other")
        other.load(forged.dump())
        report = review.rebuild(replace(base.base, store=other))
        assert (report.broken_at, report.is_sound) == (first.seq, False)


@pytest.fixture(scope="module")
def postgres(embedded_server: EmbeddedServer) -> str:
    return embedded_server.url


@settings(
    max_examples=5,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(program=st.lists(steps, min_size=6, max_size=14))
def test_postgres_answers_like_memory(postgres: str, program: list[tuple[object, ...]]) -> None:
    name = f"org-{uuid.uuid4().hex}"
    real = PostgresStore(postgres, name, FixedTime())
    pair: tuple[Store, Store] = (MemoryStore(name, clock=FixedTime()), real)
    try:
        one, other = (Program(World(canonical(each), CountingEmbedder())) for each in pair)
        for step, *values in program:
            assert one.run(str(step), *values) == other.run(str(step), *values), step
            assert one.state() == other.state(), step
        assert list(pair[0].dump()) == list(real.dump())
        if real.ledger.decision(1) is not None:
            compare(*pair)
    finally:
        real.close()


class FixedTime:
    def now(self) -> datetime:
        return NOON


def canonical(store: Store) -> Any:
    return wired(store, HashedEmbedder(), collection_use="canonical", merge_from=0.8)


def person(name: str, **more: Any) -> Person:
    return replace(Person(name, f"{name}@example.org", Role.REVIEWER, NOON), **more)


def _rows(store: Store) -> list[dict[str, object]]:
    """The rows of an export, without the checksums that chain them."""
    lines = [json.loads(line) for line in store.dump()]
    return [{name: value for name, value in line.items() if name != "crc"} for line in lines if "row" in line]


class TestPeople:
    @pytest.fixture
    def people(self, store: Store) -> People:
        return store.people

    def test_people_come_back_by_name(self, people: People) -> None:
        assert (people.people(), people.person("ann"), people.activity([])) == ((), None, ())
        bob = person(
            "bob", subject="issuer bob", active_at=NOON + timedelta(microseconds=7), left_at=NOON + timedelta(1)
        )
        for each in (bob, person("ann")):
            people.put_person(each)
        assert people.people() == (person("ann"), bob)
        assert (people.person("bob"), people.person("cleo")) == (bob, None)
        people.put_person(replace(person("ann"), role=Role.OWNER, email="a@b", active_at=NOON))
        assert people.person("ann") == replace(person("ann"), role=Role.OWNER, email="a@b", active_at=NOON)
        assert len(people.people()) == 2

    @pytest.mark.parametrize("name", ["", "x" * 1001])
    def test_a_person_needs_a_name(self, people: People, name: str) -> None:
        with pytest.raises(UsageError):
            people.put_person(person(name))
        assert people.people() == ()

    def test_how_active_people_are(self, people: People) -> None:
        people.put_person(person("bob", active_at=NOON, left_at=NOON))
        people.put_person(person("ann"))
        assert people.activity(["cleo", "bob", "ann", "bob"]) == (
            Activity("ann"), Activity("bob", NOON.isoformat(), True), Activity("cleo"),
        )  # fmt: skip

    def test_keys(self, people: People) -> None:
        people.put_person(person("ann"))
        assert (people.keys(), people.key("k")) == ((), None)
        one = ApiKey("k", "ann", "laptop", frozenset({Scope.READ, Scope.REVIEW}), "0" * 64, NOON)
        other = ApiKey("j", "ann", "", frozenset(), "1" * 64, NOON, NOON + timedelta(1))
        for each in (one, other):
            people.put_key(each)
        assert (people.keys(), people.key("k")) == ((other, one), one)
        people.put_key(replace(one, label="phone", scopes=frozenset(Scope), revoked_at=NOON))
        assert people.key("k") == replace(one, label="phone", scopes=frozenset(Scope), revoked_at=NOON)

    def test_channels(self, people: People) -> None:
        one = Channel("c", ChannelKind.WEBHOOK, "https://example.org/hook?a=1", "", 0, "secret", 0, NOON)
        other = Channel("b", ChannelKind.EMAIL, "ann@example.org", "ann", 3600, "", 7, NOON, NOON + timedelta(1))
        for each in (one, other):
            people.put_channel(each)
        assert people.channels() == (other, one)
        people.put_channel(replace(one, seen=9, told_at=NOON))
        assert people.channels() == (other, replace(one, seen=9, told_at=NOON))
        people.drop_channel("b")
        assert [c.id for c in people.channels()] == ["c"]
        with pytest.raises(NotFoundError):
            people.drop_channel("b")

    def test_notices_come_newest_first_and_go_with_their_channel(self, people: People) -> None:
        for name in "cd":
            people.put_channel(Channel(name, ChannelKind.WEBHOOK, "https://example.org", "", 0, "", 0, NOON))
        made = [Notice(f"n{n}", "c", n, n + 1, NOON + timedelta(minutes=min(n, 2))) for n in range(4)]
        for notice in (*made, Notice("m", "d", 0, 1, NOON)):
            people.put_notice(notice)
        assert [n.id for n in people.notices("c")] == ["n2", "n3", "n1", "n0"]
        assert people.notices("c", 2) == (made[2], made[3])
        assert (people.notice("n1"), people.notice("z"), people.notices("z")) == (made[1], None, ())
        tried = replace(made[1], n_tries=3, error="refused", delivered_at=NOON)
        people.put_notice(tried)
        assert people.notice("n1") == tried
        people.drop_channel("c")
        assert (people.notices("c"), people.notice("n1")) == ((), None)
        assert [n.id for n in people.notices("d")] == ["m"]

    def test_keys_need_a_person_and_notices_a_channel(self, people: People) -> None:
        with pytest.raises(StoreCorruptError):
            people.put_key(ApiKey("k", "nobody", "", frozenset(), "0" * 64, NOON))
        with pytest.raises(StoreCorruptError):
            people.put_notice(Notice("n", "nowhere", 0, 1, NOON))
        assert (people.keys(), people.notice("n")) == ((), None)

    def test_people_are_no_change_of_the_base(self, store: Store) -> None:
        rev, before = store.rev(), _rows(store)
        store.people.put_person(person("ann"))
        assert store.rev() == rev
        assert [row for row in _rows(store) if row["row"] != "person"] == before

    def test_hostile_text_is_kept_as_far_as_it_can_be(self, people: People) -> None:
        nasty = "nul \x00 lone \ud800 quote ' \" %s"
        kept = nasty.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")
        people.put_person(person("ann", email=nasty))
        people.put_person(person(nasty))
        assert [p.name for p in people.people()] == ["ann", kept]
        found = people.person("ann")
        assert found is not None
        assert found.email == kept
        assert people.person(nasty) == person(kept, email=f"{kept}@example.org")


def test_organisations_see_nothing_of_each_other(opened: Open, store: Store, org: str) -> None:
    ids = bring(store, "a", "one", owner="ann")
    decide(store, draft(Verb.FLAG, *ids, "z", key="k", pairs=(("0", "1"),)))
    store.ledger.put_flags([Flag(1, "main", ids[0], "z", (), "unsure", 1.0, True, "")])
    store.people.put_person(person("ann"))
    store.people.put_key(ApiKey("k", "ann", "", frozenset(), "0" * 64, NOON))
    store.people.put_channel(Channel("c", ChannelKind.WEBHOOK, "https://example.org", "", 0, "", 0, NOON))
    store.people.put_notice(Notice("n", "c", 0, 1, NOON))
    before = list(store.dump())
    other = opened(f"{org}2")
    ledger, people = other.ledger, other.people
    document = store.ledger.members(ids)[ids[0]].document_id
    assert (list(ledger.log()), ledger.decision(1), ledger.by_key("k"), ledger.decisions()) == ([], None, None, ())
    assert ledger.family(ids) == ledger.concerning(ids) == ledger.flags_of(ids) == ledger.rulings_on([1]) == ()
    assert (ledger.members(ids), ledger.kept(ids), ledger.members_of(documents=[document], blocks=ids)) == ({}, {}, ())
    assert (ledger.apart("main", ["0", "1"]), ledger.queue(QueueFilter()), ledger.flag(1)) == (frozenset(), (), None)
    assert (people.people(), people.keys(), people.channels(), people.notices("c")) == ((), (), (), ())
    assert (people.person("ann"), people.key("k"), people.notice("n")) == (None, None, None)
    with pytest.raises(NotFoundError):
        people.drop_channel("c")
    other.ensure_collection(Collection("main", "canonical", "paragraph", MODEL, DIM))
    assert decide(other, draft(Verb.OWN, "b", key="k")) == [1]
    other.people.put_person(person("ann", email="other"))
    assert list(store.dump()) == before
    assert store.people.person("ann") == person("ann")
