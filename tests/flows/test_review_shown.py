"""What `decisions` and `review` print of an open queue: the reason, no empty part, and that there is more."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from test_review_in_bulk import manual
from typer.testing import CliRunner

from in_process import in_process
from saidonce.interfaces.cli import app
from world import world


@pytest.fixture
def printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    in_process(manual(), tmp_path, monkeypatch)

    def run(*given: str) -> str:
        done = CliRunner().invoke(app, ["--data-dir", str(tmp_path / "base"), *given], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    return run


def test_a_flag_says_which_facts_differ(printed: Callable[..., str]) -> None:
    lines = [line for line in printed("decisions").splitlines() if "Sent to review" in line]
    assert lines
    assert all("version “2.8.3” / “2.4.1”" in line for line in lines), lines


def test_groups_print_no_empty_part_and_how_many_pairs_are_not_listed(printed: Callable[..., str]) -> None:
    shown = printed("review", "groups", "-n", "2", "--change", "2.4.1 -> 2.8.3")
    titles = [line for line in shown.splitlines() if line.endswith(":")]
    assert "most likely repeats, 2 of 5 (-n shows more):" in titles
    assert titles[-1].startswith("most likely")
    assert shown.count("\nflag ") == 2
    assert "most likely repeats:" in printed("review", "groups")


def test_groups_print_pairs_with_one_change_once(printed: Callable[..., str]) -> None:
    shown = printed("review", "groups")
    assert shown.count("\nflag ") == 1
    first, *others = re.findall(r"flags? (\d+(?: \d+)*)", shown)
    assert f"   and 4 more pairs with '2.4.1 -> 2.8.3': flags {others[0]}" in shown
    assert len({first, *others[0].split()}) == 5
    assert "5 open, 1 if each change counts once;" in shown


def test_a_bulk_decision_about_nothing_is_not_asked_to_be_confirmed(printed: Callable[..., str]) -> None:
    shown = printed("review", "bulk", "keep-apart", "--differs", "date")
    assert shown == "0 pairs; 'saidonce review groups' shows what is open\n"
    assert "run the same command with --yes" in printed("review", "bulk", "keep-apart", "--differs", "version")


def test_a_flag_that_is_not_open_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_process(manual(), tmp_path, monkeypatch)
    asked = ["--data-dir", str(tmp_path / "base"), "review", "bulk", "keep-apart", "99", "1", "98"]
    assert "not open: flag 98, 99" in CliRunner().invoke(app, asked, catch_exceptions=False).stderr


def test_the_queue_shows_the_words_that_nothing_accounts_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    w = world(collection_use="canonical")
    rule = "New porters are taught for two days before they work alone, except for office staff"
    w.put("a.md", f"{rule}.", "docs")
    w.put("b.md", f"{rule} and temporary staff.", "docs")
    site = in_process(w, tmp_path, monkeypatch)
    page, feed = (site.client.get(path).text for path in ("/queue", "/feed"))
    assert "other words, not shown to say the same" in page
    assert "<q>and temporary staff</q> against" in page
    assert "<q>and temporary staff</q> against" in feed


def test_an_empty_queue_has_no_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_process(world(), tmp_path, monkeypatch)
    done = CliRunner().invoke(app, ["--data-dir", str(tmp_path / "base"), "review", "groups"], catch_exceptions=False)
    assert done.stdout.startswith("0 open")


def test_the_page_of_the_same_words_in_another_order_claims_no_differing_fact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    w = world(collection_use="canonical")
    more = "We run two data centres and host web shops for about 900 customers in the north."
    w.put("a.md", f"The firm is a hosting provider in Kendal, founded in 2011, with 46 people. {more}", "docs")
    w.put("b.md", f"The firm is a hosting provider with 46 people in Kendal, founded in 2011. {more}", "docs")
    page = in_process(w, tmp_path, monkeypatch).client.get("/queue/1").text
    assert "similar, but something differs" in page or "similar, but not certainly the same" in page
    assert "Nothing shows that they say the same." in page
