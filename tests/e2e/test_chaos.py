"""A short round of the chaos that `make chaos` makes at length."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from benchmarks import chaos_inside
from benchmarks.chaos import Size, run
from benchmarks.chaos_base import forked
from benchmarks.chaos_inside import Operation, tried
from benchmarks.proof import Proof, flaws_of

pytestmark = [pytest.mark.xdist_group("chaos"), pytest.mark.timeout(1_800)]

SMALL = Size(rounds=3, kills=6, server_kills=1, acknowledged=14, tries=1)


@pytest.mark.parametrize(
    "kind",
    ["races", "lives", "clock", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("inside", "restarts"))],
)
def test_chaos_loses_nothing_and_doubles_nothing(kind: str) -> None:
    proofs = run(SMALL, [kind])
    assert flaws_of(proofs) == [], [one.as_json() for one in proofs]


def test_a_proof_of_nothing_is_none() -> None:
    assert flaws_of([]) == ["no proof was run"]
    assert Proof("a").flaws() == ["a: nothing is shown: nothing happened at all"]
    proof = Proof.of("a", "a kill was delivered", "a write was acknowledged")
    proof.happened["a kill was delivered"] = 3
    assert proof.flaws() == ["a: nothing is shown: it never happened that a write was acknowledged"]
    proof.happened["a write was acknowledged"] = 1
    assert proof.flaws() == []
    proof.check(False, "7 texts are lost")
    assert proof.flaws() == ["a: 7 texts are lost"]


def test_kills_that_all_come_too_late_show_nothing() -> None:
    at_once = Operation("at once", lambda n: None, lambda n, proof: None)
    assert any("a kill came in the middle" in flaw for flaw in tried(at_once, 1).flaws())


def test_an_operation_that_is_left_half_done_is_seen(tmp_path: Path) -> None:
    """A check of the checker: what writes two files one after the other is caught between them."""

    def run_one(n: int) -> None:
        (tmp_path / f"{n}-a").touch()
        time.sleep(0.2)
        (tmp_path / f"{n}-b").touch()

    def check(n: int, proof: Proof) -> None:
        proof.happened[chaos_inside.WHOLE] += 1
        proof.check((tmp_path / f"{n}-a").exists() == (tmp_path / f"{n}-b").exists(), "half is done")

    assert "inside: two files: half is done" in tried(Operation("two files", run_one, check), 3).flaws()


def test_a_child_that_fails_says_so() -> None:
    with forked(lambda _: 1 / 0) as child:  # type: ignore[arg-type]
        assert child.ended() == 1
