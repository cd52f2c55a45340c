"""What each arm joins of labelled pairs, and what may not dilute it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from near_texts import Credulous, Unanimous
from saidonce.foundation.model import Kind
from saidonce.foundation.settings.policy import CANONICAL, REPEAT, Policy
from saidonce.interfaces.cli import app
from saidonce.interfaces.cli.arms import arms_text
from saidonce.matching.agreement import Agreement
from saidonce.quality.arms import BOTH, NEITHER, Arm, ArmLine, ArmPair, Ways, arm_lines, ways
from saidonce.quality.pairs import JudgedPair, PairsReport, judge, report

A_MORE: Ways = (True, False)


def pair(may: Ways, guards: Ways = NEITHER, *, language: str = "en", kind: str = "k", is_near: bool = True) -> ArmPair:
    return ArmPair("file", language, kind, may, is_near, guards)


def line(lines: Iterable[ArmLine], by: str, group: str, arm: Arm) -> ArmLine:
    return next(one for one in lines if (one.by, one.group, one.arm) == (by, group, arm))


class TestWays:
    @pytest.mark.parametrize(
        ("agreed", "repeat", "canonical"),
        [
            (Agreement.SAME, BOTH, BOTH),
            (Agreement.REPEATS_A, (True, False), NEITHER),
            (Agreement.REPEATS_B, (False, True), NEITHER),
            (Agreement.OPEN, NEITHER, NEITHER),
            (Agreement.OBJECTED, NEITHER, NEITHER),
        ],
    )
    def test_a_repeat_is_dropped_one_way_and_never_merged(
        self, agreed: Agreement, repeat: Ways, canonical: Ways
    ) -> None:
        assert (ways(agreed, REPEAT.use), ways(agreed, CANONICAL.use)) == (repeat, canonical)


class TestLines:
    def test_by_hand(self) -> None:
        lines = arm_lines([pair(NEITHER), pair(NEITHER, BOTH), pair(BOTH, BOTH), pair(BOTH)])
        cosine, guards = (line(lines, "all", "all", arm) for arm in (Arm.COSINE, Arm.GUARDS))
        assert (cosine.apart.n, cosine.apart.of, cosine.may.n, cosine.may.of) == (2, 2, 2, 2)
        assert (guards.apart.n, guards.apart.of, guards.may.n, guards.may.of) == (1, 2, 1, 2)

    def test_a_repeat_may_be_joined_one_way_only(self) -> None:
        right, wrong = arm_lines([pair(A_MORE, A_MORE)]), arm_lines([pair(A_MORE, (False, True))])
        assert [line(right, "all", "all", Arm.GUARDS).apart.n, line(right, "all", "all", Arm.GUARDS).may.n] == [0, 1]
        assert [line(wrong, "all", "all", Arm.GUARDS).apart.n, line(wrong, "all", "all", Arm.GUARDS).may.n] == [1, 0]

    def test_groups_in_which_nothing_is_near_do_not_dilute_a_share(self) -> None:
        far = [pair(NEITHER, language="fr", is_near=False) for _ in range(8)]
        lines = arm_lines([pair(NEITHER, BOTH), pair(NEITHER), *far])
        total = line(lines, "all", "all", Arm.GUARDS)
        assert (total.apart.n, total.apart.of, total.n_far) == (1, 2, 8)
        assert line(lines, "language", "fr", Arm.GUARDS).apart.per_100 is None
        anywhere = line(lines, "all", "all", Arm.GUARDS_ANYWHERE)
        assert (anywhere.apart.of, anywhere.n_far) == (10, 0)

    @pytest.mark.parametrize(
        ("guards", "judged", "judge_may_join", "joined"),
        [
            (BOTH, None, True, {Arm.GUARDS, Arm.GUARDS_ANYWHERE}),
            (A_MORE, None, True, {Arm.GUARDS_ANYWHERE}),
            (NEITHER, BOTH, True, {Arm.JUDGE, Arm.JUDGE_ANYWHERE}),
            (NEITHER, BOTH, False, {Arm.JUDGE_ANYWHERE}),
            (NEITHER, A_MORE, True, {Arm.JUDGE_ANYWHERE}),
            (BOTH, BOTH, False, set(Arm) - {Arm.COSINE}),
        ],
    )
    def test_below_the_threshold_a_pair_is_joined_where_each_text_states_all_of_the_other(
        self, guards: Ways, judged: Ways | None, judge_may_join: bool, joined: set[Arm]
    ) -> None:
        near = ArmPair("file", "en", "k", NEITHER, False, guards, judged, True, judge_may_join)
        assert {one.arm for one in arm_lines([near]) if one.by == "all" and one.apart.n} == joined
        far = replace(near, is_compared=False)
        assert not any(one.apart.n for one in arm_lines([far]) if one.by == "all" and one.arm.has_threshold)

    def test_pairs_that_may_be_joined_count_however_far(self) -> None:
        lines = arm_lines([pair(BOTH, BOTH), pair(BOTH, BOTH, is_near=False)])
        assert line(lines, "all", "all", Arm.GUARDS).may.of == 2
        assert line(lines, "all", "all", Arm.GUARDS).may.n == 1
        assert line(lines, "all", "all", Arm.GUARDS_ANYWHERE).may.n == 2

    def test_the_arms_of_a_judge_are_there_where_one_was_asked(self) -> None:
        assert {one.arm for one in arm_lines([pair(BOTH)])} == {Arm.COSINE, Arm.GUARDS, Arm.GUARDS_ANYWHERE}
        asked = arm_lines([ArmPair("file", "en", "k", BOTH, True, NEITHER, BOTH)])
        assert line(asked, "kind", "k", Arm.JUDGE).may.n == 1
        assert line(asked, "kind", "k", Arm.GUARDS).may.n == 0

    def test_nothing_labelled_is_no_group(self) -> None:
        assert [one.apart.of for one in arm_lines([]) if one.by != "all"] == []


TAP = "The tap stands in the yard."
TAP_AND_STOPCOCK = f"{TAP} The stopcock is behind a panel."

ROWS = (
    {"id": "1", "kind": "typo", "a": "The lobby shuts at 9.", "b": "The lobby shuts at 9!", "label": "same"},
    {"id": "2", "kind": "number", "a": "It costs 3 pounds.", "b": "It costs 4 pounds.", "label": "changed"},
    {"id": "3", "kind": "extra", "a": TAP_AND_STOPCOCK, "b": TAP,
     "label": "repeats_a"},
    {"id": "4", "kind": "extra", "a": TAP, "b": TAP_AND_STOPCOCK,
     "label": "repeats_b"},
    {"id": "5", "kind": "synonym", "a": "The lobby shuts in the evening.", "b": "The foyer shuts in the evening.",
     "label": "same"},
    {"id": "6", "kind": "typo", "a": "The pool is open.", "b": "The  pool is open.", "label": "same"},
    {"id": "8", "kind": "case", "a": "Ask the Lead today.", "b": "Ask the lead today.", "label": "changed"},
    {"id": "7", "kind": "?", "a": "The pool is warm.", "b": "Rain falls.", "label": "undecided"},
)  # fmt: skip


def judged(tmp_path: Path, policy: Policy = REPEAT, asked: Credulous | None = None) -> list[JudgedPair]:
    file = tmp_path / "pairs_written.jsonl"
    file.write_text("".join(json.dumps({"language": "en", **row}) + "\n" for row in ROWS), encoding="utf-8")
    return judge(file, Unanimous(), policy, lambda _n: None, asked)


def reported(tmp_path: Path, policy: Policy = REPEAT, asked: Credulous | None = None) -> PairsReport:
    return report(judged(tmp_path, policy, asked), policy, asked.name if asked else "")


class TestPairs:
    def test_blind_labels_say_which_text_may_be_dropped(self, tmp_path: Path) -> None:
        by_id = {j.pair.id: j.pair for j in judged(tmp_path)}
        assert [by_id[n].may for n in "12347"] == [BOTH, NEITHER, (True, False), (False, True), None]
        assert (by_id["1"].source, by_id["1"].kind, by_id["1"].language) == ("pairs_written", "typo", "en")

    def test_equal_texts_and_neutral_labels_count_in_no_arm(self, tmp_path: Path) -> None:
        told = reported(tmp_path)
        assert (told.n_pairs, told.n_equal) == (8, 1)
        assert line(told.arms, "kind", "typo", Arm.COSINE).may.of == 1
        assert "?" not in {one.group for one in told.arms}

    def test_equal_texts_that_must_stay_apart_count(self, tmp_path: Path) -> None:
        assert line(reported(tmp_path).arms, "kind", "case", Arm.GUARDS).apart.n == 1

    def test_a_repeat_folds_one_way_and_does_not_merge(self, tmp_path: Path) -> None:
        folded = line(reported(tmp_path).arms, "kind", "extra", Arm.GUARDS)
        assert (folded.apart.n, folded.apart.of, folded.may.n, folded.may.of) == (0, 2, 2, 2)
        assert line(reported(tmp_path, CANONICAL).arms, "kind", "extra", Arm.GUARDS).may.n == 0

    def test_a_judge_bears_out_a_synonym_and_lifts_no_objection(self, tmp_path: Path) -> None:
        told = reported(tmp_path, asked=Credulous())
        assert told.judge == "credulous"
        assert line(told.arms, "kind", "synonym", Arm.GUARDS).may.n == 0
        assert line(told.arms, "kind", "synonym", Arm.JUDGE).may.n == 1
        assert line(told.arms, "kind", "number", Arm.JUDGE_ANYWHERE).apart.n == 0

    def test_rows_of_a_table_are_read_from_its_text(self, tmp_path: Path) -> None:
        file = tmp_path / "tables.jsonl"
        text = "| a | b |\n|---|:--|\n| 1 | 2 |"
        row = {
            "id": "t",
            "block": "table",
            "a": text,
            "b": text,
            "label": "same",
            "rows_a": 2,
            "rows_b": [["a"], ["1"]],
        }
        file.write_text(json.dumps(row) + "\n", encoding="utf-8")
        (only,) = judge(file, Unanimous(), REPEAT, lambda _n: None)
        assert only.pair.a.rows == (("a", "b"), ("1", "2"))
        assert only.pair.b.rows == (("a",), ("1",))
        assert (only.pair.a.kind, only.pair.kind) == (Kind.TABLE, "table")


class TestText:
    def test_says_that_no_judge_is_installed_and_what_is_left_out(self, tmp_path: Path) -> None:
        told = reported(tmp_path)
        words = "\n".join(arms_text(told.arms, told.n_equal, told.judge))
        assert "no judge is installed" in words
        assert "1 pairs of identical texts that may merge are not counted" in words
        assert "kind extra" in words
        assert "100.0 (2/2)" in words

    def test_names_the_judge(self, tmp_path: Path) -> None:
        told = reported(tmp_path, asked=Credulous())
        assert "judge: credulous" in "\n".join(arms_text(told.arms, 0, told.judge))

    def test_the_command_takes_several_files_and_writes_how_each_pair_agrees(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SAIDONCE_DATA_DIR", str(tmp_path / "data"))
        files = []
        for place, row in enumerate(ROWS[:3]):
            files.append(tmp_path / f"file_{place}.jsonl")
            files[-1].write_text(json.dumps(row) + "\n", encoding="utf-8")
        verdicts = tmp_path / "verdicts.jsonl"
        done = CliRunner().invoke(app, ["evaluate", "pairs", *map(str, files), "--verdicts", str(verdicts), "--json"])
        assert done.exit_code == 0, done.output
        told = json.loads(done.stdout)
        assert told["n_pairs"] == 3
        assert {one["group"] for one in told["arms"] if one["by"] == "source"} == {"file_0", "file_1", "file_2"}
        rows = [json.loads(row) for row in verdicts.read_text("utf-8").splitlines()]
        assert [row["agreement"] for row in rows] == ["same", "objected", "repeats_a"]
        assert all(row["judge"] == [] for row in rows if row["agreement_judged"] is None)
