"""The pair table from the command line and by the worker: real processes and a real database."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from command_line import Shell
from conftest import prepared, reachable_folder

pytestmark = pytest.mark.xdist_group("pairs_commands")

ARCHIVE = "Customer data in the archive is kept under the {}-day retention policy and is then erased from every region."


@pytest.fixture
def shell() -> Iterator[Shell]:
    """A base whose texts wait, as after an upgrade."""
    folder = reachable_folder()
    (folder / "documents").mkdir()
    for days in (30, 60, 90):
        (folder / "documents" / f"{days}.md").write_text(f"{ARCHIVE.format(days)}\n", "utf-8")
    with Shell(prepared(folder / "data")) as opened:
        opened.env["SAIDONCE_PAIRS_ENABLED"] = "false"
        opened.json("ingest", str(folder / "documents"))
        del opened.env["SAIDONCE_PAIRS_ENABLED"]
        yield opened
    shutil.rmtree(folder, ignore_errors=True)


def test_a_worker_fills_a_base_whose_texts_wait_and_searches_say_the_same(shell: Shell) -> None:
    waiting = {"n_texts": 3, "n_unlisted": 3, "n_pairs": 0, "n_unjudged": 0}
    assert shell.json("pairs", "show") == waiting == shell.json("status")["pairs"]
    before = shell.json("search", "how long is customer data kept?")["hits"]
    shell.run("worker", "--once")
    compared = {"n_texts": 3, "n_unlisted": 0, "n_pairs": 3, "n_unjudged": 0}
    assert shell.json("pairs", "show") == compared
    assert shell.json("search", "how long is customer data kept?")["hits"] == before
    near = shell.json("why", before[0]["id"])["near"]
    assert [n["agreement"] for n in near] == ["objected", "objected"]
    assert shell.json("pairs", "rebuild") == {"counts": compared, "is_same": True}
    assert "all compared" in shell.run("pairs", "compare")


def test_an_ingest_compares_what_it_writes(shell: Shell) -> None:
    document = shell.data_dir.parent / "more.md"
    document.write_text(f"{ARCHIVE.format(120)}\n", "utf-8")
    shell.json("ingest", str(document))
    assert shell.json("pairs", "show")["n_pairs"] == 6


def test_an_ingest_says_what_it_leaves_to_be_compared(shell: Shell) -> None:
    document = shell.data_dir.parent / "more.md"
    document.write_text("\n\n".join(f"{ARCHIVE.format(days)}\n" for days in range(100, 130)), "utf-8")
    assert "pairs waiting ('saidonce worker' or 'saidonce pairs compare')" in shell.run("ingest", str(document))
    shell.run("pairs", "compare")
    document.write_text(f"{ARCHIVE.format(120)}\n", "utf-8")
    assert "waiting" not in shell.run("ingest", str(document))
