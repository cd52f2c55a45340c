"""A quick sample of `make fuzz`, and every input that once crashed."""

from __future__ import annotations

import random
from contextlib import ExitStack, nullcontext
from pathlib import Path

import pytest
from benchmarks import fuzz as program
from benchmarks.fuzz import TAKEN, fuzz, kept, outcome, run
from benchmarks.fuzz_api import fuzz_api
from benchmarks.fuzz_targets import TARGETS, LimitPassedError, Take, Target, document_seeds, take_text
from benchmarks.mutating import Input, mutated
from benchmarks.tally import Tally

from saidonce.documents.parse import parse
from saidonce.documents.parse.formats import BUILT_IN, NEEDS
from saidonce.foundation import extras

pytestmark = pytest.mark.xdist_group("fuzz")

SAMPLES = {"documents": 60, "manuals": 300, "texts": 300, "replies": 300, "posts": 300}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_crashes_nothing(name: str) -> None:
    proof = fuzz(TARGETS[name], SAMPLES[name], seed=15, keeps=False)
    assert proof.wrong == []
    assert proof.happened["an input was taken in"] == SAMPLES[name]
    assert len([word for word, n in proof.happened.items() if n]) >= 4


def test_every_format_is_among_the_seeds() -> None:
    recognised = {family for family, (extra, _) in NEEDS.items() if extra in (extras.IMAGES, extras.AUDIO)}
    read = {parse(seed.name, seed.data).format for seed in document_seeds()}
    assert read == BUILT_IN.keys() - recognised


def test_every_text_with_marks_is_read_as_its_format() -> None:
    for name in ("manuals", "texts"):
        assert {take_text(seed) for seed in TARGETS[name].seeds()} == TARGETS[name].expected


def test_a_text_that_is_refused_as_damaged_counts_as_a_crash() -> None:
    with pytest.raises(LimitPassedError):
        take_text(Input("a.pdf", b"%PDF-1.7 damaged"))


@pytest.mark.slow  # in the check, `e2e/test_api.py` sends generated requests to every route
def test_a_sample_of_requests_crashes_no_route() -> None:
    proof = fuzz_api(70, 15)
    assert proof.flaws() == []


def test_what_crashed_once_crashes_no_more() -> None:
    with ExitStack() as stack:
        takes: dict[str, Take] = {}
        for target, given in kept():
            if target not in takes:
                takes[target] = stack.enter_context(TARGETS[target].open())
            word, wrong = outcome(takes[target], given)
            assert not wrong, (target, given.name, word, wrong)


def test_the_same_seed_gives_the_same_inputs() -> None:
    for target in TARGETS.values():
        seeds = target.seeds()
        once, again = ([mutated(seeds, random.Random(f"x{n}")).data for n in range(20)] for _ in range(2))
        assert once == again
        assert len(set(once)) > 10


def crashes(given: Input) -> str:
    if b"!" in given.data:
        raise KeyError("nobody expects it")
    if b"?" in given.data:
        raise LimitPassedError("it took too long")
    return "read"


@pytest.mark.parametrize(("seed", "said"), [(b"a!", "KeyError"), (b"b?", "it took too long")])
def test_a_crash_is_seen_and_kept(seed: bytes, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check of the checker."""
    monkeypatch.setattr(program, "KEPT", tmp_path)
    target = Target("made up", 1.0, lambda: [Input("a.txt", seed)], lambda: nullcontext(crashes), frozenset({"read"}))
    proof = fuzz(target, 40, seed=1)
    assert any(said in flaw for flaw in proof.flaws())
    assert kept()


def test_a_run_that_never_sees_an_outcome_shows_nothing() -> None:
    target = Target(
        "made up", 1.0, lambda: [Input("a", b"c")], lambda: nullcontext(lambda _: "read"), frozenset({"no"})
    )
    assert fuzz(target, 3, seed=1).flaws() == ["fuzz: made up: nothing is shown: it never happened that no"]


def test_jobs_side_by_side_take_the_same_inputs_in_and_a_further_run_those_that_follow(tmp_path: Path) -> None:
    (alone,) = run(300, 0, ["replies"])
    (together,) = run(300, 0, ["replies"], 3)
    assert together.happened == alone.happened
    file = tmp_path / "fuzz.json"
    for n in (100, 300, 300):
        (summed,) = run(n, 0, ["replies"], 1, Tally.at(file))
        assert summed.happened[TAKEN] == n
    assert summed.happened == alone.happened
