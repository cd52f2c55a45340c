"""A judge trained on labelled pairs and on what reviewers decided; the command end to end."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from saidonce.adjudication.local_judge import (
    NAMES,
    Labelled,
    LocalJudge,
    TrainingOptions,
    load,
    recalibrated,
    trained,
    write,
)
from saidonce.adjudication.local_judge.training import folds
from saidonce.errors import UsageError
from saidonce.foundation.model import Opinion
from saidonce.interfaces.cli import app
from saidonce.kb import review
from saidonce.kb.review import By
from saidonce.quality import local_judge as flow
from world import World, world

ANN = By("ann")
THINGS = "ladders ropes lamps tents stoves boats paddles helmets jackets boots maps radios".split()
PLACES = "Oakdale Brookfield Millport Harlow Kingsbridge Selby Thornton Ashford Redhill Lowther".split()


def rows() -> list[dict[str, Any]]:
    """Three wordings of one request against each other; the same wording with another thing."""
    found: list[dict[str, Any]] = []
    for n, (thing, place) in enumerate((t, p) for t in THINGS for p in PLACES):
        other = THINGS[(THINGS.index(thing) + 1 + n % 5) % len(THINGS)]
        asked, again = f"Count the {thing} in {place}.", f"In {place}, please count the {thing}."
        found.append({"a": asked, "b": again, "label": "duplicate", "fields": {"a": {"place": place}, "b": {}}})
        found.append({"a": asked, "b": again.replace(thing, other), "label": "distinct"})
    return [*found, {"a": "x y", "b": "y x", "label": "undecided"}]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows()))
    return path


def run(*given: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, list(given), catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done.output


def test_train_evaluate_and_show_a_judge(tmp_path: Path, pairs: Path) -> None:
    folder = tmp_path / "judge"
    options = ("--data-dir", str(tmp_path / "base"), "adjudicator")
    told = json.loads(run(*options, "train", str(folder), "--pairs", str(pairs), "--no-decisions", "--json"))
    assert told["judge"] == load(folder).name
    assert told["figures"]["n_same"] == told["figures"]["n_distinct"] == 120
    assert told["figures"]["auc"] > 0.95
    shown = json.loads(run("adjudicator", "show", str(folder)))
    assert shown["training"]["on"].startswith("240 labelled pairs and 0 review decisions")
    figures = json.loads(run(*options, "evaluate", str(pairs), "--judge", str(folder), "--json"))
    assert figures["judge"] == told["judge"]
    said = {(o["same"], o["opinion"]): o["n"] for o in figures["opinions"]}
    assert said.get((True, "distinct"), 0) + said.get((False, "duplicate"), 0) < 12
    assert sum(said.values()) == 240
    assert "unsure" in run(*options, "evaluate", str(pairs), "--judge", str(folder))


@pytest.mark.slow
def test_the_same_pairs_train_the_same_judge(tmp_path: Path, pairs: Path) -> None:
    options = ("--data-dir", str(tmp_path / "base"), "adjudicator", "train")
    shown = [run(*options, str(tmp_path / n), "--pairs", str(pairs), "--no-decisions") for n in "ab"]
    assert load(tmp_path / "a").sha256 == load(tmp_path / "b").sha256
    assert all("predicted / observed probability" in each for each in shown)


def test_keeping_the_trees_needs_fewer_labels(tmp_path: Path, pairs: Path) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text("".join(json.dumps(row) + "\n" for row in rows()[:80]))
    given = ("--data-dir", str(tmp_path / "base"), "adjudicator", "train", str(tmp_path / "judge"), "--no-decisions")
    said = run(*given, "--pairs", str(few), code=2)
    assert "too few pairs to train on: 40 duplicates and 40 distinct pairs" in said
    run(*given, "--pairs", str(few), "--keep-trees")
    kept = load(tmp_path / "judge")
    assert kept.training["trees_of"] == load().sha256
    assert kept.forest.score([0.5] * len(NAMES)) == load().forest.score([0.5] * len(NAMES))
    assert kept.calibration != load().calibration


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([{"a": "x", "b": "y", "label": "duplicate"}] * 3, "there are no distinct pairs"),
        ([{"a": "x", "b": "y", "label": "distinct"}], "there are no duplicates"),
        ([{"a": "x", "b": "y", "label": "distinct", "fields": {"a": 3}}], "fields must be"),
        ([{"a": "x", "b": "y"}], "lacks label"),
    ],
)
def test_what_cannot_be_trained_on_is_said(tmp_path: Path, lines: list[dict[str, Any]], says: str) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in lines))
    given = ("--data-dir", str(tmp_path / "base"), "adjudicator", "train", str(tmp_path / "judge"), "--no-decisions")
    assert says in run(*given, "--pairs", str(path), code=2).replace("\n", " ")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no pair whose label says whether its texts are the same, in 0 rows"),
        (b'{"a": "x", "b": "y", "label": "maybe"}\n', "in 1 rows; labels are changed, conflict, distinct,"),
        (b"\x89PNG\xff\x00\n", "line 1 is not UTF-8 text"),
        (b'{"a": ' + b"9" * 5_000 + b"}\n", "line 1 is not JSON"),
        (
            b'{"a": "x", "b": "X", "label": "duplicate"}\n',
            "too few pairs to train on: 0 duplicates and 0 distinct pairs",
        ),
    ],
)
def test_a_file_that_teaches_nothing_is_named(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(content)
    given = ("--data-dir", str(tmp_path / "base"), "adjudicator", "train", str(tmp_path / "judge"), "--no-decisions")
    said = run(*given, "--pairs", str(path), code=2).replace("\n", "")
    assert "".join(says.split()) in "".join(said.split())
    assert says.startswith("too few") or "p.jsonl" in said
    assert not (tmp_path / "judge").exists()


@pytest.mark.parametrize("n_kept", [0, 20, -9], ids=["none", "few", "most"])
def test_a_broken_gzip_file_is_named(tmp_path: Path, n_kept: int) -> None:
    path = tmp_path / "pairs.jsonl.gz"
    packed = gzip.compress(b'{"a": "x", "b": "y", "label": "distinct"}\n', mtime=0)
    path.write_bytes(packed[:n_kept] if n_kept else b"no gzip")
    with pytest.raises(UsageError, match=r"pairs\.jsonl\.gz is a broken gzip file"):
        list(flow.labelled(path))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "too few pairs to train on: 0 duplicates and 0 distinct pairs; at least 100 of each are needed"),
        (
            ("--keep-trees",),
            "too few pairs to calibrate on: 0 duplicates and 0 distinct pairs; at least 30 of each are needed",
        ),
        (("--no-decisions",), "no training data: give a file with --pairs"),
    ],
)
def test_a_base_without_decisions_is_told_the_counts(
    tmp_path: Path, data_dir: Path, options: tuple[str, ...], says: str
) -> None:
    base = ("--data-dir", str(data_dir))
    (tmp_path / "house.md").write_text("The key of the yard hangs in the office.")
    run(*base, "ingest", str(tmp_path / "house.md"))
    assert says in " ".join(run(*base, "adjudicator", "train", str(tmp_path / "judge"), *options, code=2).split())


def labelled(n_groups: int) -> Labelled:
    same = tuple(n % 2 == 0 for n in range(240))
    features = np.tile(np.array([[0.9], [0.2]]), (120, len(NAMES)))
    return Labelled(features, same, tuple(str(n % n_groups) for n in range(240)))


def test_pairs_that_all_hang_together_are_refused() -> None:
    with pytest.raises(UsageError, match="the pairs form 4 groups"):
        trained(labelled(4), "m", {}, TrainingOptions())


def test_a_group_is_never_split() -> None:
    groups = tuple(f"g{n % 37}" for n in range(400))
    of = folds(groups)
    assert all(len({int(of[n]) for n in range(400) if groups[n] == g}) == 1 for g in set(groups))
    assert max(np.bincount(of)) - min(np.bincount(of)) <= 12


def test_the_same_pairs_give_the_same_judge(tmp_path: Path) -> None:
    one = write(tmp_path / "one", trained(labelled(40), "m", {}, TrainingOptions())[0])
    two = write(tmp_path / "two", trained(labelled(40), "m", {}, TrainingOptions())[0])
    assert one.sha256 == two.sha256
    kept = write(tmp_path / "kept", recalibrated(labelled(40), one, {}, TrainingOptions())[0])
    assert kept.forest.score([0.9] * len(NAMES)) == one.forest.score([0.9] * len(NAMES))


def test_pairs_labelled_both_ways_and_exact_repeats_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    lines = [
        {"a": "one two", "b": "two three", "label": "duplicate"},
        {"a": "two three", "b": "one two", "label": "distinct"},
        {"a": "same", "b": "Same", "label": "duplicate"},
        {"a": "four five", "b": "five six", "label": "x", "merge_ok": True},
        {"a": "five six", "b": "four five", "label": "duplicate"},
        {"a": "long " * 9_000, "b": "short", "label": "distinct"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in lines))
    (only,) = flow.unique(flow.labelled(path))
    assert (only.a.text, only.same) == ("four five", True)


@pytest.fixture
def reviewed() -> World:
    base = world(collection_use="canonical", merge_investigate_from=0.1, auto_merge=False)
    base.put("one.md", "The gate is closed at ten.\n\nKeys are kept at the front desk.\n\nDogs wait outside.")
    base.put("two.md", "At ten the gate is closed.\n\nKeys are kept at the back door.\n\nAll dogs wait outside.")
    return base


def ids(base: World) -> dict[str, str]:
    return {b.text: b.id for b in base.blocks()}


def test_what_reviewers_decided_becomes_examples(reviewed: World) -> None:
    told = ids(reviewed)
    gate = [told["The gate is closed at ten."], told["At ten the gate is closed."]]
    keys = [told["Keys are kept at the front desk."], told["Keys are kept at the back door."]]
    dogs = [told["Dogs wait outside."], told["All dogs wait outside."]]
    review.merge(reviewed.base, ANN, gate[0], gate[1])
    review.keep_apart(reviewed.base, ANN, keys[0], keys[1:])
    wrong = review.merge(reviewed.base, ANN, dogs[0], dogs[1])
    found = list(flow.decided(reviewed.base.store.ledger))
    assert [({e.a.text, e.b.text}, e.same) for e in found] == [
        ({"The gate is closed at ten.", "At ten the gate is closed."}, True),
        ({"Keys are kept at the front desk.", "Keys are kept at the back door."}, False),
        ({"Dogs wait outside.", "All dogs wait outside."}, True),
    ]
    review.revert(reviewed.base, ANN, wrong.seq)
    assert len(list(flow.decided(reviewed.base.store.ledger))) == 2


def test_a_split_is_an_example_of_what_is_distinct(reviewed: World) -> None:
    told = ids(reviewed)
    a, b = told["Dogs wait outside."], told["All dogs wait outside."]
    review.merge(reviewed.base, ANN, a, b)
    (block,) = (x for x in reviewed.blocks() if len(x.members) == 2)
    review.split(reviewed.base, ANN, block.id, [a])
    found = [(e.a.text, e.same) for e in flow.decided(reviewed.base.store.ledger)]
    assert [same for _, same in found][-1] is False


def test_measured_opinions_are_those_of_the_rulings(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows()[:12]))
    from saidonce.adapters.embed.minilm import MiniLM
    from saidonce.foundation.model import Match, Question, Shown

    model = MiniLM(1)
    judge, examples = LocalJudge(model), flow.unique(flow.labelled(path))
    seen = flow.compute_features(examples, model, lambda n: None)
    found = flow.measure(judge, examples, seen, 0.0)
    asked = [
        Question(e.a, (Shown(Match("b", float(row[0]), e.b)),)) for e, row in zip(examples, seen.rows, strict=True)
    ]
    rulings = judge.rule(asked)
    counted = {
        (same, o): sum(e.same is same and r.opinion is o for e, r in zip(examples, rulings, strict=True))
        for same in (True, False)
        for o in Opinion
    }
    assert {k: n for k, n in counted.items() if n} == found.opinions
