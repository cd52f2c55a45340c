"""Guessing gets slow by address, in bounded memory, and hurts nobody who has proved a key there."""

from __future__ import annotations

import pytest

from saidonce.platform import attempts
from saidonce.platform.attempts import FORGOTTEN_S, FREE, LONGEST_WAIT_S, Attempts, is_worth_noting, network_of


def guessed(n: int, address: str = "203.0.113.9", at: float = 0.0) -> Attempts:
    made = Attempts()
    for _ in range(n):
        made.failed(address, at)
    return made


def test_a_few_mistakes_cost_nothing_and_each_further_one_twice_as_much() -> None:
    assert guessed(FREE - 1).wait_s("203.0.113.9", "k", 0.0) == 0.0
    waits = [guessed(FREE + n).wait_s("203.0.113.9", "k", 0.0) for n in range(4)]
    assert waits == [1.0, 2.0, 4.0, 8.0]
    assert guessed(1_000).wait_s("203.0.113.9", "k", 0.0) == LONGEST_WAIT_S
    assert guessed(FREE).wait_s("203.0.113.9", "k", 1.0) == 0.0
    assert guessed(1_000).wait_s("203.0.113.9", "k", FORGOTTEN_S + 1) == 0.0


def test_other_addresses_and_keys_that_were_proved_there_do_not_wait() -> None:
    made = Attempts()
    made.worked("203.0.113.9", "good")
    for _ in range(20):
        made.failed("203.0.113.9", 0.0)
    assert made.wait_s("203.0.113.9", "good", 0.0) == 0.0
    assert made.wait_s("203.0.113.9", "other", 0.0) > 0.0
    assert made.wait_s("203.0.113.10", "other", 0.0) == 0.0
    assert made.wait_s("198.51.100.1", "good", 0.0) == 0.0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:0:1::1", "2001:db8:0:1:ffff::9", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("::ffff:203.0.113.9", "203.0.113.9", True),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("203.0.113.9", "203.0.113.10", False),
        ("", "testclient", False),
    ],
)
def test_an_ipv6_network_is_one_caller(one: str, other: str, same: bool) -> None:
    assert (network_of(one) == network_of(other)) is same


def test_memory_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "MOST_ADDRESSES", 50)
    monkeypatch.setattr(attempts, "MOST_GOOD", 50)
    made = Attempts()
    for n in range(500):
        made.failed(f"10.0.{n // 250}.{n % 250}", 0.0)
        made.worked(f"10.0.{n // 250}.{n % 250}", "k")
    assert (len(made._wrong), len(made._good)) == (50, 50)


def test_a_flood_writes_a_few_lines() -> None:
    assert [n for n in range(1, 1_000_000) if is_worth_noting(n)][:5] == [1, 2, 4, 8, 16]
    assert sum(map(is_worth_noting, range(1, 1_000_000))) == 20
