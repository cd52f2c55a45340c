"""The equivalence judge in canonical collections: a note on the flag, and merges only where a certificate allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from near_texts import Unanimous
from saidonce.foundation.certificate import Certificate, certificate_json, read_certificate, upper_bound, why_stale
from saidonce.foundation.context import Context
from saidonce.foundation.model import Decision, Equivalence, Reason, Rewording, Verb
from saidonce.foundation.ports import QueueFilter
from saidonce.interfaces.cli.review import flag_line
from saidonce.kb import review
from saidonce.kb.canonical import BlockIndex, load_open_pairs, merges_rest_on_judge, policy_name, questions
from saidonce.kb.ingest import ingest
from saidonce.kb.pairs import NearTexts, catch_up
from saidonce.kb.propose import Proposal, propose
from saidonce.testing import MemoryStore
from world import FixedClock, source, wired

DOORS = "The doors of the house are locked by the guard on duty at ten in the evening."
REWORDED = "The doors of the house are shut by the guard on duty at ten in the evening."
ANOTHER_HOUR = "The doors of the house are shut by the guard on duty at nine in the evening."


@dataclass(eq=False)
class Judge:
    """Bears out whatever it is asked about, by either threshold or the laxer alone, and counts its questions."""

    is_certain: bool = True
    name: str = "credulous"
    asked: list[Rewording] = field(default_factory=list)

    def judge(self, rewordings: Sequence[Rewording]) -> list[Equivalence]:
        self.asked += rewordings
        return [Equivalence(True, 0.9, self.is_certain) for _ in rewordings]


def certificate(judge: str = "credulous") -> Certificate:
    return Certificate(
        dataset="d", model="unanimous", guards="g", prompt="", n=2_000, k=0, alpha=0.01, delta=0.05,
        duplicate_from=0.9, clear_below=0.8, upper=upper_bound(0, 2_000, 0.05), judge=judge,
    )  # fmt: skip


def base(judge: Judge | None, held: Certificate | None = None, flaw: str = "") -> Context:
    store = MemoryStore("north", clock=FixedClock())
    context = wired(store, Unanimous(), collection_use="canonical", require_certificate=held is not None)
    return replace(context, judge=judge, certificate=held, certificate_flaw=flaw)


def take(context: Context, *texts: str) -> list[Decision]:
    for n, text in enumerate(texts):
        ingest(context, [source(f"{n}.md", text)], "main")
    return list(context.store.ledger.log())


class TestByDefault:
    def test_what_is_borne_out_is_only_noted_on_the_flag(self) -> None:
        (flag,) = take(base(Judge()), DOORS, REWORDED)
        assert flag.verb is Verb.FLAG
        assert flag.detail.near[0].objections
        assert flag.detail.near[0].borne_out_by == "credulous"

    @pytest.mark.parametrize("judge", [None, Judge(is_certain=False)], ids=["no judge", "below the stricter threshold"])
    def test_nothing_is_noted_without_certainty(self, judge: Judge | None) -> None:
        (flag,) = take(base(judge), DOORS, REWORDED)
        assert flag.detail.near[0].borne_out_by == ""

    def test_no_objection_is_lifted(self) -> None:
        judge = Judge()
        (flag,) = take(base(judge), DOORS, ANOTHER_HOUR)
        assert flag.verb is Verb.FLAG
        assert flag.detail.near[0].borne_out_by == ""
        assert judge.asked == []

    def test_what_the_pair_table_knows_is_not_asked_again(self) -> None:
        judge = Judge()
        context = base(judge)
        take(context, DOORS, REWORDED)
        catch_up(context, NearTexts(context.embedder.model, context.embedder.dim))
        judge.asked.clear()
        (question,) = questions(context, load_open_pairs(context, context.store.ledger.queue(QueueFilter())))
        assert [shown.borne_out_by for shown in question.shown] == ["credulous"]
        assert judge.asked == []

    def test_a_reviewer_and_a_proposer_are_told(self) -> None:
        context = base(Judge())
        (flag,) = take(context, DOORS, REWORDED)
        assert review.pair(context, flag.seq).borne_out_by == "credulous"
        waiting = context.store.ledger.flag(flag.seq)
        assert waiting is not None
        line = flag_line(waiting)
        assert line.endswith(", the same to the equivalence judge, a person decides: word 'locked' / 'shut'")
        empty = base(Judge())
        take(empty, DOORS)
        index = BlockIndex(empty.embedder.model, empty.embedder.dim)
        (piece,) = propose(empty, index, Proposal(REWORDED), "main").pieces
        assert [near.borne_out_by for near in piece.near] == ["credulous"]


class TestWithACertificate:
    def test_merges_rest_on_the_judge_that_it_names(self) -> None:
        context = base(Judge(), certificate())
        (merge,) = take(context, DOORS, REWORDED)
        assert merge.verb is Verb.MERGE
        assert merge.certificate == certificate().digest
        assert review.rebuild(context).is_sound
        assert merge.policy == policy_name(context) != policy_name(replace(context, judge=None))

    def test_no_objection_is_lifted(self) -> None:
        (flag,) = take(base(Judge(), certificate()), DOORS, ANOTHER_HOUR)
        assert (flag.verb, flag.detail.because) == (Verb.FLAG, Reason.OBJECTION)

    @pytest.mark.parametrize(
        ("judge", "held", "flaw"),
        [
            (Judge(is_certain=False), certificate(), ""),
            (Judge(name="another"), certificate(), ""),
            (Judge(), certificate(judge=""), ""),
            (Judge(), certificate(), "the guards have changed"),
            (None, certificate(), ""),
        ],
        ids=["uncertain", "another judge", "for guards alone", "stale", "no judge"],
    )
    def test_otherwise_a_person_decides(self, judge: Judge | None, held: Certificate, flaw: str) -> None:
        context = base(judge, held, flaw)
        (flag,) = take(context, DOORS, REWORDED)
        assert flag.verb is Verb.FLAG
        assert merges_rest_on_judge(context) == (judge is not None and not judge.is_certain)

    def test_it_is_stale_under_another_judge_and_none_was_named_before(self) -> None:
        assert "equivalence judge" in why_stale(certificate(), "unanimous", "g", judge="another")
        assert why_stale(certificate(), "unanimous", "g", judge="credulous") == ""
        assert why_stale(certificate(judge=""), "unanimous", "g", judge="another") == ""

    def test_its_file_names_the_judge_and_older_files_read_as_before(self) -> None:
        for held in (certificate(), certificate(judge="")):
            assert read_certificate(certificate_json(held)) == held
        assert "judge" not in certificate_json(certificate(judge=""))
