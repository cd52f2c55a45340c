"""A short round of the chaos that `make chaos` makes at length."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest
from benchmarks import operation
from benchmarks.chaos import Size, rest, run
from benchmarks.chaos_base import forked
from benchmarks.operation import Operation, tried
from benchmarks.proof import KILLED, Proof, flaws_of
from benchmarks.tally import Tally

pytestmark = [pytest.mark.xdist_group("chaos"), pytest.mark.timeout(1_800)]

SMALL = Size(rounds=3, kills=8, server_kills=2, acknowledged=16, tries=1, lanes=2)


@pytest.mark.parametrize(
    "kind",
    ["races", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("clock", "lives", "inside", "restarts"))],
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
        proof.happened[operation.WHOLE] += 1
        proof.check((tmp_path / f"{n}-a").exists() == (tmp_path / f"{n}-b").exists(), "half is done")

    assert "inside: two files: half is done" in tried(Operation("two files", run_one, check), 3).flaws()


def test_a_child_that_fails_says_so() -> None:
    with forked(lambda _: 1 / 0) as child:  # type: ignore[arg-type]
        assert child.ended() == 1


def test_what_several_runs_showed_adds_up(tmp_path: Path) -> None:
    file = tmp_path / "chaos.json"
    whole = Size(kills=9, server_kills=3, acknowledged=40)
    assert rest(Tally(), whole, 6) == Size(kills=5, server_kills=2, acknowledged=20)
    for n in (1, 2):
        tally = Tally.at(file)
        killed = Proof("lives: a worker killed", Counter({KILLED: 4, "a kill came in the middle of a write": n - 1}))
        servers = Proof("lives: the server killed", Counter({KILLED: 2}))
        left = Proof("lives: what is left", Counter({"a write was acknowledged": 20}), [], {"longest, ms": 10 * n})
        tally.add("lives", [killed, servers, left])
        assert tally.by_name["lives: a worker killed"].faults == 4 * n
    done = Tally.at(file)
    assert (done.parts["lives"], flaws_of(done.proofs)) == (2, [])
    assert done.by_name["lives: what is left"].counts == {"longest, ms": 20}
    assert rest(done, whole, 6) == Size(kills=1, server_kills=0, acknowledged=1)
    done.add("lives", [Proof("lives: a worker killed", Counter({KILLED: 1}), ["7 texts are lost"])])
    assert rest(Tally.at(file), whole, 6) is None
    assert flaws_of(Tally.at(file).proofs) == ["lives: a worker killed: 7 texts are lost"], "a flaw stays"


def test_a_proof_that_never_happened_stays_empty_however_often_it_is_added(tmp_path: Path) -> None:
    for _ in range(2):
        Tally.at(tmp_path / "s.json").add("lives", [Proof.of("a", KILLED)])
    assert flaws_of(Tally.at(tmp_path / "s.json").proofs) == [f"a: nothing is shown: it never happened that {KILLED}"]


@pytest.mark.parametrize("content", ["", "[]", '{"parts": {}}', '{"parts": {}, "proofs": [1]}'])
def test_a_file_of_somebody_else_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "letter.txt"
    file.write_text(content)
    with pytest.raises(ValueError, match="name another file"):
        Tally.at(file)
    assert file.read_text() == content
