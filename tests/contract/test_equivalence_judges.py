"""What the shipped equivalence judge promises, and what is refused of altered files."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from saidonce.adapters.judge.card import CARD, TOKENIZER, TREES, WEIGHTS, seal
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.adjudication.equivalence import StackedJudge
from saidonce.app.equivalence import open_judge
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.errors import ArtefactError
from saidonce.foundation.model import Rewording

PACKAGE = Path(__file__).parents[2] / "packages" / "saidonce-judge" / "src"
FOLDER = PACKAGE / "saidonce_judge"


def english(a: str, b: str) -> Rewording:
    return Rewording(a, b, "en")


SAME = [
    english(
        "Guests are asked to leave their keys at the front desk.",
        "Guests are requested to leave their keys at the front desk.",
    ),
    english(
        "The library is situated close to the river.",
        "The library is located close to the river.",
    ),
    english(
        "She says that the first winter on the island was the hardest.",
        "According to her, the first winter on the island was the hardest.",
    ),
]
CHANGED = [
    english("All users must change their password.", "Most users must change their password."),
    english("Backups are made before the upgrade.", "Backups are made during the upgrade."),
    english("Members may request a refund.", "Members may demand a review."),
    english("The board approved the budget.", "The board discussed the budget."),
    english("Send the form to the tenant.", "Send the form to the landlord."),
    english("Access is granted for a regional office.", "Access is granted for an office."),
]
OTHERS = [
    english(
        "The second half of the programme deals with repairs to old violins.",
        "The second half of the programme is about repairs to old violins.",
    ),
    english(
        "Residents were asked to store their bicycles in the cellar.",
        "Residents were asked to keep their bicycles in the cellar.",
    ),
    english("We keep the logs in order to investigate problems.", "We keep the logs to look into issues."),
    english("The report explains how data is stored.", "How data is stored is explained in the report."),
    english("She manages a team in Boston and reports to the director of research.", "She leads engineers."),
    english(
        "The article discusses the challenges of the new rule.",
        "The article talks about the challenges of the new rule.",
    ),
    english("Costs fell because demand was weak.", "Weak demand lowered the costs."),
]
ALL = [*SAME, *CHANGED, *OTHERS]

HOSTILE = [
    "", " ", "\x00", "a\x00b\x07\x1b[31m", "\ud800 lone \udfff", "\u202egnirts\u202c \u200b\u200d\ufeff",
    "数据保留三十天",
    "e" + "\u0301" * 300, "[CLS] [SEP] [PAD] [UNK] [MASK]", "x" * 1_000_000, "Data is kept. " * 80_000, "🏳️‍🌈👩‍👩‍👧‍👦",
]  # fmt: skip


def opened_from(folder: Path, threads: int = 1) -> StackedJudge:
    opened = open_judge(str(folder), threads)
    assert opened is not None
    return opened


@pytest.fixture(scope="module")
def judge() -> StackedJudge:
    return opened_from(FOLDER)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "judge"))


def rewritten(folder: Path, **changes: object) -> None:
    body = {**json.loads((folder / CARD).read_text("utf-8")), **changes}
    body.pop("sha256"), body.pop("format")
    encoding = body.pop("encoding")
    (folder / CARD).write_text(json.dumps(seal(body) if encoding == 1 else body), encoding="utf-8")


class TestAnswers:
    @pytest.mark.parametrize("rewording", SAME, ids=lambda r: r.a)
    def test_bears_out_a_rewording(self, judge: StackedJudge, rewording: Rewording) -> None:
        assert judge.judge([rewording])[0].is_same

    @pytest.mark.parametrize("rewording", CHANGED, ids=lambda r: r.a)
    def test_does_not_bear_out_a_change(self, judge: StackedJudge, rewording: Rewording) -> None:
        assert not judge.judge([rewording])[0].is_same

    def test_the_order_of_sides_does_not_matter(self, judge: StackedJudge) -> None:
        assert judge.judge([Rewording(r.b, r.a, "en") for r in ALL]) == judge.judge(ALL)

    def test_an_answer_does_not_depend_on_its_neighbours(self, judge: StackedJudge) -> None:
        together = judge.judge(ALL)
        assert together == [judge.judge([r])[0] for r in ALL]
        assert judge.judge([*ALL[::-1], *ALL]) == [*together[::-1], *together]

    def test_threads_change_nothing(self, judge: StackedJudge) -> None:
        assert opened_from(FOLDER, threads=4).judge(ALL) == judge.judge(ALL)

    def test_says_the_same_only_above_threshold_and_margin(self, judge: StackedJudge) -> None:
        rule = judge.rule
        for answer in judge.judge(ALL):
            assert 0.0 <= answer.score <= 1.0
            assert answer.score == round(answer.score, 4)
            assert answer.is_same == (answer.score >= rule.same_from + rule.margin)
            assert answer.is_certain == (answer.score >= rule.certain_from + rule.margin)

    def test_one_text_stands_for_both_by_a_stricter_threshold(self, judge: StackedJudge) -> None:
        assert judge.rule.same_from <= judge.rule.certain_from
        between = replace(judge.rule, same_from=0.0, certain_from=1.0)
        for answer in StackedJudge(judge.network, judge.trees, between).judge(SAME):
            assert (answer.is_same, answer.is_certain) == (answer.score >= between.margin, False)

    def test_knows_only_the_languages_of_its_card(self, judge: StackedJudge) -> None:
        asked = [Rewording(r.a, r.b, tag) for r in SAME for tag in ("de", "und", "")]
        assert not any(answer.is_same for answer in judge.judge(asked))

    def test_does_not_answer_for_what_it_cannot_see(self, judge: StackedJudge) -> None:
        case_only = english("The US office is open today.", "The us office is open today.")
        assert judge.judge([case_only])[0].score == 0.0

    def test_layout_alone_is_the_same(self, judge: StackedJudge) -> None:
        assert judge.judge([english("Keep  it.", "Keep\nit.")])[0].is_same

    @pytest.mark.parametrize("text", HOSTILE, ids=lambda t: repr(t[:12]))
    def test_hostile_text_is_not_the_same_and_no_error(self, judge: StackedJudge, text: str) -> None:
        answers = judge.judge([english(text, "Data is kept for 30 days."), english("Data is kept for 30 days.", text)])
        assert not any(answer.is_same for answer in answers)

    def test_nothing_asked_nothing_answered(self, judge: StackedJudge) -> None:
        assert judge.judge([]) == []


class TestFiles:
    def test_the_card_seals_the_shipped_files(self) -> None:
        card = json.loads((FOLDER / CARD).read_text("utf-8"))
        for file in (WEIGHTS, TOKENIZER, TREES):
            assert card["files"][file] == hashlib.sha256((FOLDER / file).read_bytes()).hexdigest()
        assert sum(f.stat().st_size for f in FOLDER.iterdir() if f.is_file()) <= 40 * 2**20

    @pytest.mark.parametrize("file", [WEIGHTS, TOKENIZER, TREES, CARD])
    def test_an_altered_file_is_refused(self, folder: Path, file: str) -> None:
        content = bytearray((folder / file).read_bytes())
        at = content.index(b"0", len(content) // 2)
        content[at] = ord("1")
        (folder / file).write_bytes(content)
        with pytest.raises(ArtefactError, match="SHA-256"):
            open_judge(str(folder))

    @pytest.mark.parametrize("file", [WEIGHTS, TOKENIZER, TREES, CARD])
    def test_a_missing_file_is_named(self, folder: Path, file: str) -> None:
        (folder / file).unlink()
        with pytest.raises(ArtefactError, match=rf"{file} cannot be read.*saidonce\[judge\]"):
            open_judge(str(folder))

    def test_files_altered_after_opening_are_not_run(self, folder: Path) -> None:
        opened = opened_from(folder)
        (folder / WEIGHTS).write_bytes(b"other weights")
        with pytest.raises(ArtefactError, match="SHA-256"):
            opened.judge(SAME)

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"thresholds": {"repeat": 0.9, "canonical": 2.0}}, "must rise in 0..1"),
            ({"thresholds": {"repeat": 0.9, "canonical": 0.8}}, "must rise in 0..1"),
            ({"thresholds": "high"}, "malformed"),
            ({"files": {}}, "malformed"),
            ({"stack": None}, "malformed"),
        ],
        ids=["range", "laxer canonical", "word", "files", "stack"],
    )
    def test_a_card_that_says_nonsense_is_refused(self, folder: Path, changes: dict[str, object], reason: str) -> None:
        rewritten(folder, **changes)
        with pytest.raises(ArtefactError, match=reason):
            open_judge(str(folder))

    def test_no_json_and_no_object_are_refused(self, folder: Path) -> None:
        for content, reason in (("{", "not valid JSON"), ("[]", "format")):
            (folder / CARD).write_text(content, encoding="utf-8")
            with pytest.raises(ArtefactError, match=reason):
                open_judge(str(folder))

    def test_a_card_of_the_first_format_is_refused(self, folder: Path) -> None:
        body = json.loads((folder / CARD).read_text("utf-8"))
        (folder / CARD).write_text(json.dumps({**body, "format": 1}), encoding="utf-8")
        with pytest.raises(ArtefactError, match=r"does not have format 2; pip install 'saidonce\[judge\]' again"):
            open_judge(str(folder))

    def test_trees_over_other_features_are_refused(self, folder: Path) -> None:
        trees = json.loads((folder / TREES).read_text("utf-8"))
        trees["features"]["version"] = "0"
        (folder / TREES).write_text(json.dumps(trees), encoding="utf-8")
        card = json.loads((folder / CARD).read_text("utf-8"))
        digest = hashlib.sha256((folder / TREES).read_bytes()).hexdigest()
        rewritten(folder, files={**card["files"], TREES: digest})
        with pytest.raises(ArtefactError, match="other features"):
            open_judge(str(folder))

    def test_another_threshold_is_another_judge(self, folder: Path) -> None:
        before = opened_from(folder).name
        rewritten(folder, thresholds={"repeat": 0.5, "canonical": 0.6})
        assert opened_from(folder).name != before


class TestChoice:
    def test_none_is_none(self) -> None:
        assert open_judge("none") is None

    def test_auto_is_the_installed_distribution(self, monkeypatch: pytest.MonkeyPatch, judge: StackedJudge) -> None:
        monkeypatch.syspath_prepend(PACKAGE)
        opened = open_judge("auto")
        assert opened is not None
        assert opened.name == judge.name

    def test_auto_without_the_distribution_is_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "saidonce_judge", None)
        assert open_judge("auto") is None

    @pytest.mark.parametrize(("choice", "name"), [("none", None), (str(FOLDER), opened_from(FOLDER).name)])
    def test_a_base_has_the_judge_of_its_settings_and_lends_it(
        self, embedded_server: EmbeddedServer, org: str, tmp_path: Path, choice: str, name: str | None
    ) -> None:
        with KnowledgeBase(database_url=embedded_server.url, data_dir=tmp_path, org=org, judge=choice) as home:
            judges = [home.base.judge, home.for_org(f"{org}-2").base.judge]
            assert [judge and judge.name for judge in judges] == [name, name]
            assert judges[0] is judges[1]

    def test_a_folder_without_a_judge_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ArtefactError, match=r"card\.json cannot be read"):
            open_judge(str(tmp_path))
