from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_onnx

from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.adapters.embed.minilm import MODEL, MiniLM
from saidonce.adjudication.local_judge import SHIPPED, Contradictions, LocalJudge, load, write
from saidonce.adjudication.local_judge.artefact import FILE, SHIPPED_SHA256, sealed
from saidonce.errors import ArtefactError, ModelUnavailableError
from saidonce.foundation.model import (
    Candidate,
    FactKind,
    Failure,
    Match,
    Objection,
    Opinion,
    Question,
    Shown,
    Span,
    Vector,
)
from saidonce.matching.likeness.features import NAMES

BY_SIMILARITY: dict[str, Any] = {
    "embedder": MODEL,
    "trees": [
        {"feature": [0, -1, 0, -1, -1], "threshold": [0.5, -4.0, 0.8, 0.0, 4.0], "left": [1, 1, 3, 3, 4],
         "right": [2, 1, 4, 3, 4]}
    ],
    "calibration": {"slope": 1.0, "offset": 0.0},
    "cuts": {"low": 0.1, "high": 0.9},
    "training": {"on": "nothing; written by hand"},
}  # fmt: skip
"""A judge that goes by similarity: distinct up to .5, duplicate above .8, unsure between."""

OBJECTION = Objection(FactKind.NUMBER, Span(0, 1, "3"), Span(0, 1, "4"))


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM(1)


@pytest.fixture
def judge(tmp_path: Path, model: MiniLM) -> LocalJudge:
    return LocalJudge(model, write(tmp_path / "judge", BY_SIMILARITY))


def asked(*similarities: float, objections: tuple[int, ...] = (), text: str = "Keep the gate open.") -> Question:
    kept = [Candidate(f"Kept text number {n}.", str(n), language="en") for n in range(len(similarities))]
    shown = tuple(
        Shown(Match(f"m{n}", s, kept[n]), (OBJECTION,) if n in objections else ()) for n, s in enumerate(similarities)
    )
    return Question(Candidate(text, "c", language="en"), shown)


@pytest.mark.parametrize(
    ("question", "opinion", "of"),
    [
        (asked(0.95), Opinion.DUPLICATE, "m0"),
        (asked(0.7), Opinion.UNSURE, ""),
        (asked(0.4), Opinion.DISTINCT, ""),
        (asked(0.7, 0.4), Opinion.UNSURE, ""),
        (asked(0.45, 0.4), Opinion.DISTINCT, ""),
        (asked(0.7, 0.95), Opinion.DUPLICATE, "m1"),
        (asked(0.95, 0.95), Opinion.DUPLICATE, "m0"),
        (asked(0.95, objections=(0,)), Opinion.UNSURE, ""),
        (asked(0.95, 0.9, objections=(0,)), Opinion.DUPLICATE, "m1"),
        (asked(0.95, 0.4, objections=(0,)), Opinion.UNSURE, ""),
        (asked(0.4, objections=(0,)), Opinion.DISTINCT, ""),
        (asked(0.95, text="long " * 5_000), Opinion.UNSURE, ""),
    ],
)
def test_rulings(judge: LocalJudge, question: Question, opinion: Opinion, of: str) -> None:
    (ruling,) = judge.rule([question])
    assert (ruling.opinion, ruling.of, ruling.failure) == (opinion, of, None)
    assert ruling.adjudicator == judge.name
    assert 0.0 <= ruling.confidence <= 1.0
    assert ruling.reason


def test_proba_orders_questions_by_their_likeliest_match(judge: LocalJudge) -> None:
    told = [judge.proba(q) for q in (asked(0.4), asked(0.4, 0.7), asked(0.95, 0.4))]
    assert told == sorted(told)
    assert told[0] < 0.1 < told[1] < 0.9 < told[2]
    assert judge.proba(asked(0.77, text="long " * 5_000)) == 0.77


def test_a_failing_embedder_is_a_failure_and_no_opinion(tmp_path: Path) -> None:
    class Broken:
        model, dim = MODEL, 3

        def embed(self, texts: Any) -> Vector:
            raise ModelUnavailableError(MODEL, "gone")

        def count_tokens(self, texts: Any) -> list[int]:
            raise ModelUnavailableError(MODEL, "gone")

        def embed_pieces(self, texts: Any) -> Any:
            raise ModelUnavailableError(MODEL, "gone")

    judge = LocalJudge(Broken(), write(tmp_path, BY_SIMILARITY))
    (ruling,) = judge.rule([asked(0.95)])
    assert (ruling.opinion, ruling.failure) == (Opinion.UNSURE, Failure.UNREACHABLE)


def test_an_embedder_without_pieces_will_do(tmp_path: Path) -> None:
    plain = HashedEmbedder()
    judge = LocalJudge(plain, write(tmp_path, {**BY_SIMILARITY, "embedder": plain.model}))
    assert judge.rule([asked(0.95)])[0].opinion is Opinion.DUPLICATE


def test_a_contradiction_vetoes_a_duplicate_only(tmp_path: Path, model: MiniLM) -> None:
    veto = Contradictions(tiny_onnx.write(tmp_path / "nli"))
    judge = LocalJudge(model, write(tmp_path / "judge", BY_SIMILARITY), veto)
    kept = Candidate("Keep the gate closed.", "k", language="en")
    pair = Question(Candidate("Keep the gate open.", "c", language="en"), (Shown(Match("k", 0.95, kept)),))
    (ruling,) = judge.rule([pair])
    assert ruling.opinion is Opinion.UNSURE
    assert "contradict" in ruling.reason
    assert judge.name.endswith(veto.name)
    assert judge.rule([asked(0.95)])[0].opinion is Opinion.DUPLICATE


def test_another_embedder_is_refused(tmp_path: Path) -> None:
    artefact = write(tmp_path, BY_SIMILARITY)
    with pytest.raises(ArtefactError, match=f"trained on similarities of '{MODEL}', not of 'hashed"):
        LocalJudge(HashedEmbedder(), artefact)


def test_a_tampered_artefact_is_refused(tmp_path: Path) -> None:
    write(tmp_path, BY_SIMILARITY)
    path = tmp_path / FILE
    path.write_text(path.read_text().replace('"low":0.1', '"low":0.9'))
    with pytest.raises(ArtefactError, match="SHA-256 does not match"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not valid JSON"),
        (b"[1]", "not of format"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": 1, "a": 2}', "is repeated"),
        (b"[" * 50_000, "not valid JSON"),
        (b" " * (8 * 2**20 + 1), "larger than"),
    ],
)
def test_what_is_no_artefact_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(ArtefactError, match=says):
        load(tmp_path)


def test_a_missing_artefact_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(ArtefactError, match="adjudicator train"):
        load(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"cuts": {"low": 0.9, "high": 0.1}}, "out of range"),
        ({"cuts": {"low": 0.1}}, "malformed"),
        ({"calibration": {"slope": -1.0, "offset": 0.0}}, "out of range"),
        ({"trees": []}, "0 trees"),
        ({"trees": [{}]}, "tree 0"),
        ({"embedder": 3}, "another type"),
    ],
)
def test_a_sealed_but_malformed_artefact_is_refused(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    (tmp_path / FILE).write_text(json.dumps(sealed({**BY_SIMILARITY, **change})))
    with pytest.raises(ArtefactError, match=says):
        load(tmp_path)


def test_features_of_another_version_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, BY_SIMILARITY)
    monkeypatch.setattr("saidonce.adjudication.local_judge.artefact.VERSION", "2")
    with pytest.raises(ArtefactError, match="train it again"):
        load(tmp_path)


PAIRS = (
    ("How do I change my password?", "What must I do to get another password?"),
    ("Invoices are kept for ten years.", "Invoices are kept for two years."),
    ("As a clerk, count the winter coats in the northern store.", "As a clerk, count the power tools in the store."),
    ("The committee thanked the mayor.", "The mayor thanked the committee."),
)


def questions(model: MiniLM) -> list[Question]:
    found = []
    for n, (a, b) in enumerate(PAIRS):
        one, two = model.embed([a, b])
        match = Match(f"k{n}", float(one @ two), Candidate(b, f"b{n}", language="en"))
        found.append(Question(Candidate(a, f"a{n}", language="en"), (Shown(match),)))
    return found


def test_the_shipped_judge_is_the_one_that_was_trained(model: MiniLM) -> None:
    shipped = load(SHIPPED)
    assert shipped.sha256 == SHIPPED_SHA256
    assert shipped.embedder == model.model
    assert {s["name"] for s in shipped.training["sources"]} == {
        "paws", "revisions", "edits", "rewrites", "neighbours", "own",
    }  # fmt: skip
    assert all(s["licence"] for s in shipped.training["sources"])
    assert shipped.cuts.low < shipped.cuts.high


def test_rulings_do_not_depend_on_batch_or_order(model: MiniLM) -> None:
    judge, all_questions = LocalJudge(model), questions(model)
    together = [judge.proba(q) for q in all_questions]
    assert [LocalJudge(MiniLM(2)).proba(q) for q in reversed(all_questions)] == together[::-1]
    whole = Question(all_questions[0].candidate, tuple(q.shown[0] for q in all_questions))
    assert judge.judged(whole)[0].probability == together[0]
    opinions = [(r.opinion, r.of, r.confidence) for r in judge.rule(all_questions)]
    assert [(r.opinion, r.of, r.confidence) for q in all_questions for r in judge.rule([q])] == opinions


def test_rulings_are_the_same_in_another_process(model: MiniLM) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_judge as t\n"
        "from saidonce.adapters.embed.minilm import MiniLM\n"
        "m = MiniLM(1); j = t.LocalJudge(m); print([j.proba(q).hex() for q in t.questions(m)])"
    )
    here = LocalJudge(model)
    command = [sys.executable, "-c", code, str(Path(__file__).parent)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout.strip() == str([here.proba(q).hex() for q in questions(model)])


def test_trees_read_only_features_that_there_are() -> None:
    assert int(load().forest.feature.max()) < len(NAMES)
    assert np.isfinite(load().forest.threshold).all()
