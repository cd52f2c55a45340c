"""A mistyped data folder is named, and not made an empty base: by every command that creates none."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from command_line import environment, invoke
from every_command import CREATES, NEEDS_NONE, READS, Line, lines, paths_of
from saidonce import KnowledgeBase
from saidonce.errors import NoBaseError
from saidonce.interfaces.cli import walk


def test_every_command_stands_in_one_table() -> None:
    listed = [path for table in (CREATES, NEEDS_NONE, READS) for path in paths_of(table)]
    assert len(listed) == len(set(listed))
    groups = {path.rpartition(" ")[0] for path in listed}
    assert {path.removeprefix("saidonce").strip() for path, _ in walk()} - groups == set(listed) - groups


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lists.json").write_text("[]")
    return tmp_path


@pytest.mark.parametrize("line", lines(READS), ids=lambda line: line.text)
def test_a_command_that_creates_no_base_names_the_folder_and_what_creates_one(line: Line, folder: Path) -> None:
    typo = folder / "typo"
    before = sorted(folder.iterdir())
    env = environment(SAIDONCE_DATA_DIR=str(typo), SAIDONCE_TRANSLATION_EMBEDDER="multilingual")
    done = invoke(line.words, env, folder)
    assert done.stderr.splitlines(keepends=True)[-1] == (
        f"saidonce: there is no knowledge base in '{typo}'; 'saidonce ingest FOLDER' creates one, "
        "or name another data folder (--data-dir, SAIDONCE_DATA_DIR)\n"
    )
    assert (done.returncode, done.stdout, sorted(folder.iterdir())) == (2, "", before)


def test_looking_for_migrations_creates_no_base(tmp_path: Path) -> None:
    done = invoke(("db", "migrate", "--check"), environment(SAIDONCE_DATA_DIR=str(tmp_path / "typo")), tmp_path)
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])


def test_the_library_creates_a_base_unless_it_must_exist(tmp_path: Path) -> None:
    with KnowledgeBase(must_exist=True, data_dir=str(tmp_path / "typo")) as base:
        with pytest.raises(NoBaseError, match="typo") as refused:
            base.search("words")
        assert not (tmp_path / "typo").exists()
    again = pickle.loads(pickle.dumps(refused.value))
    assert isinstance(again, NoBaseError)
    assert (str(again), again.data_dir) == (str(refused.value), str(tmp_path / "typo"))
