"""What commands say to a mistake: one line that names it, and the exit code of wrong use; never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from in_process import in_process
from saidonce.documents.discovery import why_nothing_is_removed
from saidonce.gate import BATCH
from saidonce.interfaces.cli import app
from world import world


def said(tmp_path: Path, *given: str, stdin: str = "") -> Result:
    """Run a command over a base that is not there, and let no error through but an exit."""
    return CliRunner().invoke(app, ["--data-dir", str(tmp_path / "base"), *given], input=stdin, catch_exceptions=False)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("retrieval", "nope", "--k", "5"), "no file 'nope/qrels.jsonl'"),
        (("scenarios", "nope", "--flow", "v1"), "no folder 'nope'"),
        (("scenarios", "{empty}", "--flow", "v1"), "has no scenarios (.toml)"),
        (("scenarios", "{binary}", "--flow", "v1"), "scenario 'one' is not UTF-8 text"),
        (("scenarios", "{cases}", "--flow", "v3"), "'v1'"),
        (("scenarios", "{cases}", "--recording", "nope.json"), "python -m benchmarks.record_conversations"),
    ],
)
def test_an_evaluation_of_nothing_is_refused(tmp_path: Path, given: tuple[str, ...], told: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "binary").mkdir()
    (tmp_path / "binary" / "one.toml").write_bytes(b"\xff\x00")
    cases = Path(__file__).parents[2] / "cases" / "conversation"
    named = {"empty": tmp_path / "empty", "binary": tmp_path / "binary", "cases": cases}
    done = said(tmp_path, "evaluate", *(part.format(**named) for part in given))
    assert done.exit_code == 2, done.output
    assert told in done.output
    assert not done.stdout


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "no file"),
        (b"\x89PNG\xff", "is not UTF-8 text; export the table as CSV"),
        ("folder", "cannot be read: Is a dir"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path: Path, content: bytes | str | None, why: str) -> None:
    file = tmp_path / "homes.csv"
    if isinstance(content, bytes):
        file.write_bytes(content)
    elif content:
        file.mkdir()
    done = said(tmp_path, "homes", "import", str(file))
    assert (done.exit_code, why in done.stderr) == (2, True), done.output
    assert "Errno" not in done.output
    assert not (tmp_path / "base").exists()


def test_an_unknown_state_of_an_issue_lists_the_known_ones(tmp_path: Path) -> None:
    done = said(tmp_path, "issues", "move", "5a1c", "flying")
    assert done.exit_code == 2
    assert all(state in done.output for state in ("open", "in_progress", "done", "cancelled"))


@pytest.mark.parametrize("option", ["--data-dir", "--org", "--config"])
def test_an_option_of_the_program_behind_its_command_is_told_its_place(option: str) -> None:
    done = CliRunner().invoke(app, ["queue", option, "x"], prog_name="saidonce")
    assert done.exit_code == 2
    assert f"Error: {option} goes before the command, as in 'saidonce {option} ... queue'\n" in done.output


def test_an_unknown_option_is_named_with_the_nearest() -> None:
    done = CliRunner().invoke(app, ["queue", "--jsn"], prog_name="saidonce")
    assert done.exit_code == 2
    assert "No such option: --jsn" in done.output
    assert "--json" in done.output


def test_a_path_that_is_not_there_is_named_and_creates_no_base(tmp_path: Path) -> None:
    done = said(tmp_path, "ingest", str(tmp_path / "handbok"))
    assert (done.exit_code, done.stderr) == (2, f"saidonce: no file or folder '{tmp_path / 'handbok'}'\n")
    assert not (tmp_path / "base").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("search", "x", "--kind", "foo"), "Error: Invalid value for '--kind': 'foo' is not one of 'heading'"),
        (
            ("search", "x", "--since", "yesterday"),
            "Error: Invalid value for '--since': must be a date such as 2025-03-31",
        ),
        (("search", "x", "-k", "0"), "Error: Invalid value for '--k' / '-k': must be greater than or equal to 1"),
        (("search", "x", "-k", "many"), "Error: Invalid value for '--k' / '-k': must be a valid integer\n"),
        (
            ("context", "x", "--tokens", "3"),
            "Error: Invalid value for '--tokens' / '-t': must be greater than or equal",
        ),
    ],
)
def test_a_wrong_value_is_named_without_words_of_the_program(
    tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    done = said(tmp_path, *words)
    assert done.exit_code == 2
    assert message in done.output


def test_a_name_that_is_neither_document_nor_block_gets_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    w = world()
    w.put("backups.md", "We keep all of our backups for thirty days.")
    in_process(w, tmp_path, monkeypatch)
    done = said(tmp_path, "why", "backup.md")
    assert done.stderr == (
        "saidonce: no document 'backup.md', and it is not a block id (four or more hexadecimal digits); "
        "did you mean 'backups.md'?\n"
    )


@pytest.mark.parametrize("asked", ["backups.md", "0123456789"])
def test_an_account_within_a_collection_that_is_not_there_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    w = world()
    w.put("backups.md", "We keep all of our backups for thirty days.")
    in_process(w, tmp_path, monkeypatch)
    done = said(tmp_path, "why", asked, "-c", "nope")
    assert (done.exit_code, done.stderr) == (2, "saidonce: no collection 'nope'; there are: main\n")


@pytest.mark.parametrize("asked", ["", "  "])
def test_an_account_of_nothing_says_what_to_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: str) -> None:
    in_process(world(), tmp_path, monkeypatch)
    done = said(tmp_path, "why", asked)
    assert (done.exit_code, done.stderr) == (
        2, "saidonce: give the id of a block, segment or verdict, or the name of a document\n",
    )  # fmt: skip


def test_the_queue_of_an_evidence_collection_says_that_it_queues_no_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    w = world()
    w.put("backups.md", "We keep all of our backups for thirty days.")
    in_process(w, tmp_path, monkeypatch)
    why = "only canonical collections queue pairs ('saidonce ingest --use canonical' creates one)"
    assert said(tmp_path, "queue", "-c", "main").stdout == f"0 open; {why}, and main is an evidence collection\n"
    assert said(tmp_path, "queue").stdout == f"0 open; {why}, and there is none\n"
    w.set(collection_use="canonical")
    w.put("backups.md", "We keep all of our backups for thirty days.", "answers")
    assert said(tmp_path, "queue").stdout == "0 open; 'saidonce serve' shows them side by side\n"
    assert said(tmp_path, "queue", "-c", "main", "-c", "answers").stdout.startswith("0 open; 'saidonce serve'")


def test_an_ingest_for_another_use_says_what_the_collection_is_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    w = world(collection_use="canonical")
    w.put("backups.md", "We keep all of our backups for thirty days.", "canon")
    in_process(w, tmp_path, monkeypatch)
    (tmp_path / "a.md").write_text("We keep all of our backups for ninety days.")
    done = said(tmp_path, "ingest", str(tmp_path / "a.md"), "-c", "canon", "--use", "evidence")
    assert (done.exit_code, done.stderr) == (
        2, "saidonce: collection 'canon' was created for canonical use, which cannot be changed; for evidence use, "
        "name a new collection with --collection\n",
    )  # fmt: skip


def test_a_search_with_few_hits_counts_the_blocks_that_do_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    w = world(min_relevance=0.25)
    w.ingest({"backups.md": "We keep all of our backups for thirty days.", "b.md": "Bicycles stand in the yard."})
    in_process(w, tmp_path, monkeypatch)
    last = said(tmp_path, "search", "backups").stdout.splitlines()[-1]
    assert last == "1 more block was looked at; it does not answer the question (relevance below 0.25)"


def test_a_document_removed_by_the_end_of_its_name_is_named_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    w = world()
    w.put("handbook/backups.md", "We keep all of our backups for thirty days.")
    in_process(w, tmp_path, monkeypatch)
    done = said(tmp_path, "remove", "backups.md")
    assert (done.exit_code, done.stdout) == (0, "removed handbook/backups.md: 1 segment\n")


def test_a_wrong_line_of_an_import_is_named_before_a_gate_is_created(tmp_path: Path) -> None:
    file = tmp_path / "tasks.jsonl"
    file.write_text('{"text": "Count the shirts."}\n["x"]\n')
    done = said(tmp_path, "gate", "import", str(file))
    assert (done.exit_code, done.stderr) == (2, "saidonce: line 2: a submission must be an object with a text\n")
    assert not (tmp_path / "base").exists()


def test_a_line_that_a_gate_cannot_compare_is_named_before_anything_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    w = world()
    in_process(w, tmp_path, monkeypatch)
    file = tmp_path / "tasks.jsonl"
    lines = [*(f'{{"text": "Count the shirts of shelf {n}."}}\n' for n in range(2 * BATCH)), '{"title": "Shirts"}\n']
    file.write_text("".join(lines))
    done = said(tmp_path, "gate", "import", str(file), "--gate", "tasks")
    where = f"saidonce: line {len(lines)}: a submission must be an object with a text\n"
    assert (done.exit_code, done.stderr) == (2, where)
    assert w.base.store.gates.gates() == ()
    typed = said(tmp_path, "gate", "import", "-", "--gate", "tasks", stdin=lines[-1])
    assert (typed.exit_code, typed.stderr) == (2, "saidonce: line 1: a submission must be an object with a text\n")


def test_a_settings_file_that_is_not_there_is_named_in_words() -> None:
    done = CliRunner().invoke(app, ["--config", "nowhere.toml", "settings"], catch_exceptions=False)
    assert (done.exit_code, done.stderr) == (
        2,
        "saidonce: setting configuration file is 'nowhere.toml'; allowed: a readable TOML file "
        "(No such file or directory)\n",
    )


def test_an_email_channel_without_a_mail_server_is_added_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_process(world(), tmp_path, monkeypatch)
    done = said(tmp_path, "channels", "add", "email", "ann@example.com")
    assert done.exit_code == 0
    assert done.stderr == "saidonce: WARNING: nothing is sent by e-mail until the setting smtp_url is set\n"
    monkeypatch.setenv("SAIDONCE_SMTP_URL", "smtps://mail.example.com")
    assert said(tmp_path, "channels", "add", "email", "bob@example.com").stderr == ""


def test_a_folder_without_files_removes_its_documents_only_if_asked_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "handbook"
    folder.mkdir()
    w = world()
    w.put(f"{folder.resolve()}/backups.md", "We keep all of our backups for thirty days.")
    in_process(w, tmp_path, monkeypatch)
    refused = said(tmp_path, "ingest", str(folder), "--prune")
    assert refused.exit_code == 2
    assert f"the folder {str(folder.resolve())!r} {why_nothing_is_removed(1)}" in refused.stderr
    assert len([*w.base.store.documents("main")]) == 1
    done = said(tmp_path, "ingest", str(folder), "--prune", "--allow-empty")
    assert (done.exit_code, [*w.base.store.documents("main")]) == (0, [])


def test_a_name_for_several_paths_is_refused_before_anything_is_stored(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.md").write_text("# Backups\n\nBackups are kept for 90 days.\n")
    paths = (str(tmp_path / "a"), str(tmp_path / "b"))
    for more in ((), ("--prune",)):
        done = said(tmp_path, "ingest", *paths, "--as", "handbook", *more)
        assert (done.exit_code, done.stdout) == (2, "")
        assert "the name 'handbook' (--as) is for one path, not for 2: ingest each path" in done.stderr
    assert not (tmp_path / "base").exists()


def test_a_device_is_no_folder(tmp_path: Path) -> None:
    done = said(tmp_path, "ingest", "/dev/null")
    assert done.exit_code == 2
    assert "'/dev/null' is neither a file nor a folder; write its content to a file" in done.stderr
    assert not (tmp_path / "base").exists()


@pytest.mark.parametrize(
    "given",
    [
        ("ingest", ".", "--collection", ""), ("search", "backups", "-c", ""), ("documents", "-c", ""),
        ("queue", "-c", ""), ("opine", "-c", ""), ("review", "groups", "-c", "docs", "-c", ""),
        ("review", "add-rule", "version", "-c", ""),
    ],
)  # fmt: skip
def test_an_empty_collection_is_not_the_usual_one(tmp_path: Path, given: tuple[str, ...]) -> None:
    done = said(tmp_path, *given)
    assert done.exit_code == 2, done.output
    assert "a name is empty; give one, or leave the option out" in " ".join(done.stderr.split())
    assert not (tmp_path / "base").exists()


def test_a_list_that_was_cut_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    w = world(collection_use="canonical")
    for n in (30, 60, 90):
        w.put(f"{n}.md", f"We keep all of our backups for {n} days in both of our data centres.", "answers")
    in_process(w, tmp_path, monkeypatch)
    n = len(w.base.store.ledger.decisions())
    assert n > 1
    assert said(tmp_path, "queue").stdout.endswith(f"{n} open; 'saidonce serve' shows them side by side\n")
    assert f"{n} open, the first 1 shown (-n shows more); " in said(tmp_path, "queue", "-n", "1").stdout
    assert "-n shows more" not in said(tmp_path, "decisions", "-n", str(n)).stdout
    assert said(tmp_path, "decisions", "-n", "1").stdout.endswith("\nthe newest 1 (-n shows more)\n")
