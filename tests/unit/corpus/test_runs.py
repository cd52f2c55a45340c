"""Runs over files: the same decisions in whatever pieces, on whatever engine, however often they were stopped."""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.corpus.dedupe import DedupeOptions, KeepBy, dedupe, summary
from saidonce.corpus.engines import open_engine
from saidonce.corpus.files import Fields, open_corpus
from saidonce.corpus.run import Corpora, Finished, Outputs, RunOptions, WorkFolder, expand, run
from saidonce.corpus.run.verify import verify_run
from saidonce.errors import DiskFullError, EngineError, SourceRefusedError, UsageError
from saidonce.foundation.model import Ending
from saidonce.foundation.ports import Engine, Task
from saidonce.foundation.workers import LocalEngine
from saidonce.matching.guards import REPEAT_GUARDS

EMBEDDER = HashedEmbedder(64)
TEMPLATES = (
    "The ladder of house {n} may be borrowed from the caretaker in {town} on weekdays.",
    "The ladder of the house in {town} may be borrowed from the caretaker on weekdays.",
    "the ladder of house {n} may be  borrowed from the caretaker in {town} on weekdays.",
    "The ladder of house {n} may be borrowed from the caretaker in {town} on weekdays!!",
)
TOWNS = ("Bremen", "Lisbon", "Ghent")


def lines(n: int) -> list[str]:
    """Rows of few templates, one of them broken and one without a text."""
    rows = [
        json.dumps({"id": at, "text": TEMPLATES[at * 7 % 4].format(n=at * 5 % 23 + 2, town=TOWNS[at % 3])})
        for at in range(n)
    ]
    return [*rows[:5], "broken", '{"id": 3}', *rows[5:]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = lines(160)
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.jsonl").write_text("\n".join(rows[:60]))
    (tmp_path / "in/b.jsonl").write_text("\n".join(rows[60:]))
    (tmp_path / "all.jsonl").write_text("\n".join(rows))
    return tmp_path


def options(**changes: Any) -> RunOptions:
    return RunOptions(**{"threshold": 0.5, "fields": Fields(id="id"), "stripe": 40, "strip": 17, **changes})


def outputs(folder: Path, kept: str = "kept", **changes: Any) -> Outputs:
    return Outputs(
        folder / kept, folder / "dropped.jsonl", folder / "held.jsonl", **{"is_folder": "." not in kept, **changes}
    )


def ran(folder: Path, chosen: RunOptions, engine: Engine | None = None, work: str = "work", **changes: Any) -> Finished:
    report: Callable[[str, int, int], None] = changes.pop("report", lambda _step, _done, _total: None)
    words = changes.pop("words", [str(folder / "in")])
    against = changes.pop("against", [])
    with closing(WorkFolder(folder / work)) as place, closing(engine or LocalEngine(1)) as workers:
        return run(
            place,
            Corpora(expand(words), expand(against)),
            chosen,
            (workers, lambda: EMBEDDER),
            changes.pop("to", outputs(folder)),
            report,
        )


@pytest.mark.parametrize("keep_by", list(KeepBy))
@pytest.mark.parametrize("guarded", [True, False])
def test_stages_decide_what_one_walk_in_memory_decides(folder: Path, keep_by: KeepBy, guarded: bool) -> None:
    rows = list(open_corpus(folder / "all.jsonl", Fields(id="id")).rows())
    wanted = DedupeOptions(0.5, keep_by, REPEAT_GUARDS if guarded else ())
    expected = summary(rows, dedupe(rows, EMBEDDER, wanted))
    found = ran(folder, options(keep_by=keep_by, guarded=guarded)).summary
    numbered = ("most_repeated",)  # rows have the number that they have in their own file
    assert {k: found[k] for k in expected if k not in numbered} == {
        k: v for k, v in expected.items() if k not in numbered
    }


def test_pieces_of_any_size_and_files_in_any_number_give_one_digest(folder: Path) -> None:
    digests = {
        ran(folder, options(stripe=stripe, strip=strip), work=f"w{stripe}", words=[str(folder / words)]).summary[
            "digest"
        ]
        for stripe, strip, words in ((7, 3, "in"), (10_000, 10_000, "in"), (50, 9, "all.jsonl"), (51, 5, "in/*.jsonl"))
    }
    assert len(digests) == 1


class _StoppedError(Exception):
    """Stands for a kill."""


@pytest.mark.parametrize("step", ["reading files", "detecting languages", "embedding", "comparing", "writing"])
def test_a_run_that_is_stopped_anywhere_goes_on_to_the_same_files(folder: Path, step: str) -> None:
    whole = ran(folder, options())
    expected = {path.name: path.read_bytes() for path in (folder / "kept").iterdir()}

    def stop(at: str, done: int, _total: int) -> None:
        if at == step and done:
            raise _StoppedError

    with pytest.raises(_StoppedError):
        ran(folder, options(), work="again", report=stop)
    resumed = ran(folder, options(), work="again")
    assert resumed.summary == whole.summary
    assert resumed.certificate == whole.certificate
    assert {path.name: path.read_bytes() for path in (folder / "kept").iterdir()} == expected


class _CountingEmbedder(HashedEmbedder):
    n_texts = 0

    def embed(self, texts: Any) -> Any:
        self.n_texts += len(texts)
        return super().embed(texts)


def test_what_was_embedded_is_not_embedded_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saidonce.corpus.run.order.EMBEDDED_AT_ONCE", 30)
    counting = _CountingEmbedder(64)
    monkeypatch.setitem(globals(), "EMBEDDER", counting)

    def stop(at: str, done: int, _total: int) -> None:
        if at == "embedding" and done >= 60:
            raise _StoppedError

    with pytest.raises(_StoppedError):
        ran(folder, options(), report=stop)
    assert counting.n_texts == 60
    found = ran(folder, options())
    assert counting.n_texts == found.summary["texts_compared"]


def test_a_work_folder_belongs_to_one_run_and_to_one_at_a_time(folder: Path) -> None:
    ran(folder, options())
    with pytest.raises(UsageError, match=r"another run, which differs in: threshold"):
        ran(folder, options(threshold=0.6))
    (folder / "in/c.jsonl").write_text('{"text": "another"}')
    with pytest.raises(UsageError, match="differs in: inputs"):
        ran(folder, options())
    with closing(WorkFolder(folder / "work")), pytest.raises(UsageError, match="another run uses"):
        WorkFolder(folder / "work")
    with pytest.raises(UsageError, match=r"not a work folder: it contains"):
        WorkFolder(folder / "in")


class _KillingEngine(LocalEngine):
    """Kills one of its workers after some results."""

    def __init__(self, kill_at: tuple[int, ...]) -> None:
        super().__init__(2)
        self._kill_at = kill_at
        self._n_results = 0

    def run(self, tasks: Any) -> Iterator[Any]:
        for result in super().run(tasks):
            self._n_results += 1
            if self._n_results in self._kill_at:
                assert self._pool is not None
                os.kill(next(iter(self._pool._processes)), signal.SIGKILL)
            yield result


@pytest.mark.slow
def test_killed_workers_change_nothing(folder: Path) -> None:
    expected = ran(folder, options()).summary
    assert ran(folder, options(), LocalEngine(2), "two").summary == expected
    assert ran(folder, options(), _KillingEngine((2, 9)), "killed").summary == expected


def _ends() -> None:
    os._exit(9)


def _raises() -> None:
    raise SourceRefusedError("a file", "corrupt", "after row 7")  # type: ignore[arg-type]


@pytest.mark.slow
def test_workers_that_end_again_and_again_are_given_up_and_errors_come_back_as_they_are() -> None:
    with closing(LocalEngine(2)) as engine:
        with pytest.raises(EngineError, match="keep failing"):
            list(engine.run([_ends]))
        with pytest.raises(SourceRefusedError, match="after row 7"):
            list(engine.run([_raises]))


@pytest.mark.slow
@pytest.mark.parametrize("n_workers", [1, 2, 4])
def test_ray_decides_the_same(folder: Path, n_workers: int) -> None:
    pytest.importorskip("ray", reason="ray is not installed: the engine is NOT tested")
    expected = ran(folder, options()).summary
    assert ran(folder, options(), open_engine("ray", n_workers), "ray").summary == expected


class _KillOnce:
    """A task whose first call ends its worker."""

    def __init__(self, mark: Path) -> None:
        self._mark = mark

    def __call__(self) -> int:
        if not self._mark.exists():
            self._mark.write_text("")
            os.kill(os.getpid(), signal.SIGKILL)
        return 7


@pytest.mark.slow
def test_ray_repeats_the_task_of_a_killed_worker(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="ray is not installed: the engine is NOT tested")
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # its workers cannot import a test
    with closing(open_engine("ray", 2)) as engine:
        tasks: list[Task] = [_KillOnce(tmp_path / str(at)) for at in range(3)]
        assert list(engine.run(tasks)) == [7, 7, 7]
        with pytest.raises(SourceRefusedError, match="after row 7"):
            list(engine.run([_raises]))


def test_an_engine_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown engine 'spark'"):
        open_engine("spark", 1)
    with pytest.raises(UsageError, match="needs the engine 'ray'"):
        open_engine("local", 1, "auto")


def test_rows_compared_against_are_never_written_and_what_repeats_them_is_dropped(folder: Path) -> None:
    (folder / "new").mkdir()
    leaking = TEMPLATES[3].format(n=7, town="Lisbon")
    fresh = TEMPLATES[0].format(n=99, town="Lisbon")
    longer = "Nobody has said yet that the roof terrace is closed in winter."
    (folder / "new/t.jsonl").write_text("\n".join(json.dumps({"id": t, "text": t}) for t in (leaking, fresh, longer)))
    found = ran(folder, options(threshold=0.6), words=[str(folder / "new")], against=[str(folder / "in")])
    kept = [json.loads(line)["text"] for line in (folder / "kept/t.jsonl").read_text().splitlines()]
    assert kept == [fresh, longer]
    (line,) = map(json.loads, (folder / "dropped.jsonl").read_text().splitlines())
    assert line["of_file"].startswith(str(folder / "in"))
    assert found.summary["rows"] == 3
    assert "compared against" in found.certificate["claim"]


def test_a_broken_row_is_named_with_its_file_and_the_rest_goes_on(folder: Path) -> None:
    found = ran(folder, options())
    assert [(Path(name).name, number) for name, number, _ in found.trouble] == [("a.jsonl", 6)]
    assert found.summary["by_ending"]["unreadable"] == 1
    assert found.summary["rows"] == 162


def test_all_rows_are_written_with_their_cluster_where_nothing_is_to_be_dropped(folder: Path) -> None:
    to = outputs(folder, "marked.csv", marked=True, clusters=folder / "clusters.jsonl")
    found = ran(folder, options(), to=to)
    rows = list(open_corpus(folder / "marked.csv", Fields()).records())
    assert len(rows) == 161  # but for the one that cannot be read
    assert sum(row is not None and row["keep"] == "True" for row in rows) == found.summary["kept"]
    kept = [row["cluster_id"] for row in rows if row is not None and row["keep"] == "True"]
    assert len(set(kept)) == len(kept)
    groups = [json.loads(line) for line in (folder / "clusters.jsonl").read_text().splitlines()]
    assert sum(not row["keep"] for row in groups) == found.summary["dropped"]
    assert sum(row["keep"] for row in groups) == len({row["cluster_id"] for row in groups})


@pytest.mark.parametrize("name", ["o.jsonl.zst", "o.jsonl.gz", "o.parquet", "o.arrow", "o.tsv"])
def test_kept_rows_are_written_in_another_format(folder: Path, name: str) -> None:
    for package in ("pyarrow", "zstandard"):
        pytest.importorskip(package, reason=f"{package} is not installed: its formats are NOT tested")
    found = ran(folder, options(), to=outputs(folder, name))
    rows = [row for row in open_corpus(folder / name, Fields()).records() if row is not None]
    assert len(rows) == found.summary["kept"]
    texts = {json.loads(line).get("text") for line in (folder / "all.jsonl").read_text().splitlines() if line[0] == "{"}
    assert {row.get("text") or None for row in rows} <= texts


def test_vectors_come_from_a_column_of_any_format(folder: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: Parquet is NOT tested")
    parquet = pytest.importorskip("pyarrow.parquet")
    texts = ["a cat", None, "a dog", "a cow", "a bat"]
    vectors = [[1.0, 0.0], None, [1.0, 0.1], [0.0, 3.0], [float("nan"), 1.0]]
    table = arrow.table({"text": texts, "v": arrow.array(vectors, arrow.list_(arrow.float32()))})
    parquet.write_table(table, folder / "p.parquet")
    (folder / "p.jsonl").write_text(
        "\n".join(json.dumps({"text": t, "v": v}) for t, v in zip(texts, vectors, strict=True))
    )
    chosen = options(threshold=0.9, guarded=False, fields=Fields(vector="v"), keep_by=KeepBy.FIRST)
    for name in ("p.parquet", "p.jsonl"):
        found = ran(folder, chosen, work=f"w-{name}", words=[str(folder / name)], to=outputs(folder, f"o-{name}"))
        endings = {str(e): n for e, n in found.summary["by_ending"].items() if n}
        assert endings == {"kept": 2, "no_text": 1, "near": 1, "unreadable": 1}
    assert parquet.read_table(folder / "o-p.parquet").schema.equals(table.schema)


def test_vectors_of_all_files_may_lie_in_one_file_and_are_one_for_each_row(folder: Path) -> None:
    rows = [r for part in ("a", "b") for r in open_corpus(folder / f"in/{part}.jsonl", Fields()).rows()]
    own = np.concatenate([EMBEDDER.embed([r.text or "-"]) for r in rows])
    np.save(folder / "v.npy", own)
    given = ran(folder, options(vectors=folder / "v.npy"), work="given")
    assert given.summary["digest"] == ran(folder, options()).summary["digest"]
    np.save(folder / "short.npy", own[:-1])
    with pytest.raises(UsageError, match="fewer vectors than the corpus has rows"):
        ran(folder, options(vectors=folder / "short.npy"), work="short")
    np.save(folder / "long.npy", np.concatenate([own, own[:1]]))
    with pytest.raises(UsageError, match="holds 163 vectors, the corpus has 162 rows"):
        ran(folder, options(vectors=folder / "long.npy"), work="long")


def certified(folder: Path, found: Finished) -> Path:
    path = folder / "certificate.json"
    path.write_text(json.dumps(found.certificate))
    return path


def checked(folder: Path, certificate: Path, sample: int = 0) -> dict[str, Any]:
    return verify_run(folder / "kept", certificate, sample, lambda: EMBEDDER, lambda _step, _done, _total: None)


def test_a_certificate_holds_and_says_the_same_for_equal_runs(folder: Path) -> None:
    first = ran(folder, options())
    again = ran(folder, options(stripe=40, strip=99), work="again")
    assert first.certificate == again.certificate
    result = checked(folder, certified(folder, first))
    assert (result["holds"], result["wrong"], result["rows_checked"]) == (True, [], 160)
    assert checked(folder, certified(folder, first), 9)["rows_checked"] == 9


def test_a_certificate_does_not_hold_for_files_that_were_changed(folder: Path) -> None:
    path = certified(folder, ran(folder, options()))
    kept = folder / "kept/a.jsonl"
    kept.write_text(kept.read_text().replace("Bremen", "Berlin", 1))
    assert "is not the file that was certified" in checked(folder, path)["wrong"][0]
    kept.unlink()
    assert "is missing" in checked(folder, path)["wrong"][0]


def recertified(folder: Path, document: dict[str, Any], name: str) -> Path:
    """A certificate whose hashes fit the files as they are: a lie that only the comparison can notice."""
    from saidonce.foundation.files import sha256_of

    for one in (document["dropped"], document["held_apart"], *document["outputs"]):
        one["sha256"] = sha256_of(Path(one["name"]))
    path = folder / name
    path.write_text(json.dumps(document))
    return path


def test_a_row_that_was_wrongly_kept_or_dropped_is_noticed_without_the_hashes(folder: Path) -> None:
    from saidonce.corpus.dedupe.report import DigestSum

    found = ran(folder, options())
    document = json.loads(json.dumps(found.certificate))
    dropped = folder / "dropped.jsonl"
    rows = dropped.read_text().splitlines()
    at = next(i for i, line in enumerate(rows) if json.loads(line)["reason"] == "exact")
    lost = json.loads(rows.pop(at))
    dropped.write_text("\n".join(rows) + "\n")
    assert "give the digest" in checked(folder, recertified(folder, document, "1.json"))["wrong"][0]
    source = Path(lost["file"])
    place = folder / "kept" / source.name
    before = place.read_text().rstrip("\n")
    with place.open("w") as kept:
        kept.write(before + "\n" + source.read_text().splitlines()[lost["row"] - 1] + "\n")
    total = DigestSum()
    total.add(lost["sha256"], "exact", lost["of_sha256"], 1.0)
    own = DigestSum()
    own.add(lost["sha256"], "kept", "-", 1.0)
    document["digest"] = f"{(int(document['digest'], 16) - int(str(total), 16) + int(str(own), 16)) % (1 << 256):064x}"
    (wrong,) = checked(folder, recertified(folder, document, "2.json"))["wrong"]
    assert "was kept, and repeats" in wrong


def test_undecided_rows_are_marked_and_the_certificate_says_so(folder: Path) -> None:
    towns = "Bremen Lisbon Ghent Turin Graz Lyon Cork".split()
    rows = [json.dumps({"text": f"The gate to the yard in {town} is open in the evening."}) for town in towns]
    (folder / "in/a.jsonl").write_text("\n".join(rows))
    (folder / "in/b.jsonl").unlink()
    found = ran(folder, options(most_asked=3, fields=Fields()))
    assert found.summary["undecided"] == 3
    assert "except for 3 that are marked as undecided" in found.certificate["claim"]
    assert checked(folder, certified(folder, found))["holds"]
    assert found.decisions.ending.tolist().count(list(Ending).index(Ending.HELD_APART)) == 6


def test_files_are_found_by_name_by_pattern_and_in_folders(folder: Path) -> None:
    (folder / "in/deep").mkdir()
    (folder / "in/deep/c.csv").write_text("text\na\n")
    (folder / "in/notes.md").write_text("no rows")
    assert [str(file.below) for file in expand([str(folder / "in")])] == ["a.jsonl", "b.jsonl", "deep/c.csv"]
    with pytest.raises(UsageError, match="named twice"):
        expand([str(folder / "in"), str(folder / "in/a.jsonl")])
    with pytest.raises(LookupError, match="no files match the pattern"):
        expand([str(folder / "*.none")])
    (folder / "empty").mkdir()
    with pytest.raises(UsageError, match="contains none of"):
        expand([str(folder / "empty")])


def test_a_full_disk_is_said_and_the_run_goes_on_once_there_is_space(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = ran(folder, options()).summary
    full = OSError(errno.ENOSPC, "No space left on device")
    saved: list[str] = []

    def save(file: Any, values: Any) -> None:
        saved.append(file.name)
        if len(saved) == 7:
            file.write(b"half of it")
            raise full
        write(file, values)

    write = np.save
    monkeypatch.setattr("saidonce.corpus.run.work.np.save", save)
    with pytest.raises(DiskFullError):
        ran(folder, options(), work="again")
    assert not list((folder / "again").rglob("*.part"))
    assert ran(folder, options(), work="again").summary == expected


@pytest.mark.parametrize("n_rows", [0, 1, 2])
def test_few_rows_that_resemble_nothing_are_kept(folder: Path, n_rows: int) -> None:
    rows = ["The roof terrace is closed in winter.", "Invoices are due within a month."][:n_rows]
    (folder / "few.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in rows))
    found = ran(
        folder,
        options(threshold=0.95, fields=Fields()),
        words=[str(folder / "few.jsonl")],
        to=outputs(folder, "o.jsonl"),
    )
    assert (found.summary["rows"], found.summary["kept"]) == (n_rows, n_rows)
    assert (folder / "o.jsonl").read_bytes() == (folder / "few.jsonl").read_bytes()


def test_outputs_never_overwrite_what_is_read(folder: Path) -> None:
    with pytest.raises(UsageError, match="written twice or would overwrite an input"):
        ran(folder, options(), to=outputs(folder, "in"))
    with pytest.raises(UsageError, match="has no supported extension"):
        ran(folder, options(), to=outputs(folder, "o.docx"))
