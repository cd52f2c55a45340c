"""Corpora in files: every row is read or says why not, kept ones are written byte for byte."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.corpus.files import Fields, open_corpus
from saidonce.corpus.files.fields import MOST_CHARS, moment
from saidonce.corpus.files.vectors import CachedVectors, read_vectors
from saidonce.errors import NotFoundError, SourceRefusedError, StoreCorruptError, UsageError
from saidonce.foundation.model import CorpusRow, Vector


def read(path: Path, content: bytes, fields: Fields | None = None) -> list[CorpusRow]:
    path.write_bytes(content)
    return list(open_corpus(path, fields or Fields()).rows())


def test_json_lines_name_the_line_of_whatever_cannot_be_read(tmp_path: Path) -> None:
    lines = [
        b'{"text": "a", "n": 7}',
        b"{",
        b"",
        b"[1]",
        b'{"text": "\xff"}',
        b'{"other": 1}',
        b"[" * 100_000,
        b'{"text": 5}',
    ]
    rows = read(tmp_path / "c.jsonl", b"\n".join(lines), Fields(id="n"))
    assert [(r.number, r.text, r.id) for r in rows if not r.trouble] == [(1, "a", "7"), (6, None, ""), (8, None, "")]
    assert [r.number for r in rows if r.trouble] == [2, 4, 5, 7]
    assert rows[1].trouble.endswith("not JSON: Expecting property name enclosed in double quotes, column 1")
    assert rows[2].trouble.endswith("not a JSON object, {...}")


def test_equal_lines_have_equal_identities_whatever_their_line_ends(tmp_path: Path) -> None:
    rows = read(tmp_path / "c.jsonl", b'{"text": "a"}\r\n{"text": "a"}\n{"text": "b"}\n{"text": "a"}')
    assert len({r.identity for r in rows}) == 2
    assert rows[0].identity == rows[1].identity == rows[3].identity


@given(
    st.lists(st.tuples(st.sampled_from([b"{}", b'{"text": "x"}', b"oops", b"", b" "]), st.booleans())), st.booleans()
)
def test_kept_lines_are_written_as_they_stand(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[bytes, bool]], ends: bool
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    content = b"".join(line + b"\n" for line, _ in lines)
    (folder / "c.jsonl").write_bytes(content if ends or not content else content[:-1])
    corpus = open_corpus(folder / "c.jsonl", Fields(text="text"))
    try:
        rows = list(corpus.rows())
    except UsageError:
        assert not any(b"text" in line for line, _ in lines)
        return
    marks = [mark for line, mark in lines if line.strip()]
    assert len(rows) == len(marks)
    corpus.write(folder / "out.jsonl", marks)
    wanted = [line for line, mark in lines if line.strip() and mark]
    assert (folder / "out.jsonl").read_bytes().split(b"\n") == (
        [*wanted, b""] if ends or not wanted else _ended(wanted, lines)
    )


def _ended(wanted: list[bytes], lines: list[tuple[bytes, bool]]) -> list[bytes]:
    last_is_kept = bool(lines[-1][0].strip()) and lines[-1][1]
    return wanted if last_is_kept else [*wanted, b""]


def test_a_compressed_corpus_gives_a_compressed_one_of_the_same_bytes_each_time(tmp_path: Path) -> None:
    path = tmp_path / "c.txt.gz"
    path.write_bytes(gzip.compress(b"one\ntwo\nthree\n"))
    corpus = open_corpus(path, Fields())
    assert [r.text for r in corpus.rows()] == ["one", "two", "three"]
    outputs = []
    for _ in range(2):
        corpus.write(tmp_path / "out.txt.gz", [True, False, True])
        outputs.append((tmp_path / "out.txt.gz").read_bytes())
    assert outputs[0] == outputs[1]
    assert gzip.decompress(outputs[0]) == b"one\nthree\n"


def test_a_cut_off_archive_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "c.txt.gz"
    path.write_bytes(gzip.compress(b"one\n" * 10_000)[:-20])
    with pytest.raises(SourceRefusedError, match=r"line \d+"):
        list(open_corpus(path, Fields()).rows())


TABLE = b'id;text\r\n1;"two\r\nlines; ""quoted"""\r\n2;plain 5" pipe\r\n3\r\n4;\xff\r\n5;last'


def test_csv_records_run_over_lines_and_stay_as_they_stand(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_bytes(TABLE)
    corpus = open_corpus(tmp_path / "c.csv", Fields(id="id"))
    rows = list(corpus.rows())
    assert [(r.number, r.id, r.text) for r in rows if not r.trouble] == [
        (2, "1", 'two\r\nlines; "quoted"'),
        (4, "2", 'plain 5" pipe'),
        (7, "5", "last"),
    ]
    assert {r.number: r.trouble.split(":")[0] for r in rows if r.trouble} == {
        5: "1 cells under a header of 2",
        6: "not UTF-8",
    }
    corpus.write(tmp_path / "out.csv", [r.number in (2, 7) for r in rows])
    assert (tmp_path / "out.csv").read_bytes() == b'id;text\r\n1;"two\r\nlines; ""quoted"""\r\n5;last'


def test_a_field_that_no_row_has_is_named_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no field|field 'text'.*'body', 'id'"):
        read(tmp_path / "c.jsonl", b'{"body": "a", "id": 1}\n')
    with pytest.raises(UsageError, match="no header"):
        read(tmp_path / "c.csv", b"")
    with pytest.raises(UsageError, match="no fields"):
        read(tmp_path / "c.txt", b"a", Fields(id="id"))


def test_names_that_tell_no_format_and_missing_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.parquet"):
        read(tmp_path / "c.docx", b"")
    with pytest.raises(NotFoundError):
        open_corpus(tmp_path / "none.jsonl", Fields())


def test_a_corpus_that_changed_since_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("one\ntwo\n")
    corpus = open_corpus(tmp_path / "c.txt", Fields())
    rows = list(corpus.rows())
    (tmp_path / "c.txt").write_text("one\nsix\n")
    with pytest.raises(UsageError, match="changed while it was read"):
        corpus.write(tmp_path / "out.txt", [True] * len(rows))
    assert [p.name for p in tmp_path.iterdir()] == ["c.txt"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1970-01-02", 86_400.0),
        ("1970-01-01T01:00:00+01:00", 0.0),
        (5, 5.0),
        ("soon", None),
        (True, None),
        (None, None),
    ],
)
def test_moments(value: object, expected: float | None) -> None:
    assert moment(value) == expected


class Counting(HashedEmbedder):
    """Counts the texts that it embeds."""

    n_texts = 0

    def embed(self, texts: Sequence[str]) -> Vector:
        self.n_texts += len(texts)
        return super().embed(texts)


def test_vectors_are_embedded_once_and_torn_ends_are_cut_off(tmp_path: Path) -> None:
    texts = ["one", "two", "two", "three"]
    kept = CachedVectors(inner := Counting(16), tmp_path)
    first = kept.embed(texts)
    assert inner.n_texts == 3
    kept.close()
    (folder,) = tmp_path.iterdir()
    with (folder / "rows.f32").open("ab") as rows, (folder / "keys").open("ab") as keys:
        rows.write(b"\x01" * 30)
        keys.write(b"\x02" * 16)
    again = CachedVectors(inner := Counting(16), tmp_path)
    assert len(again) == 3
    assert np.array_equal(again.embed([*texts, "four"])[:4], first)
    assert inner.n_texts == 1
    again.close()


def test_vectors_of_another_model_lie_elsewhere_and_two_runs_never_share(tmp_path: Path) -> None:
    kept = CachedVectors(HashedEmbedder(16), tmp_path)
    kept.embed(["one"])
    other = CachedVectors(HashedEmbedder(8), tmp_path)
    assert len(other) == 0
    with pytest.raises(UsageError, match="another run"):
        CachedVectors(HashedEmbedder(16), tmp_path)
    other.close()
    kept.close()


def test_altered_vectors_are_refused(tmp_path: Path) -> None:
    kept = CachedVectors(HashedEmbedder(16), tmp_path)
    kept.embed(["one"])
    kept.close()
    (folder,) = tmp_path.iterdir()
    (folder / "rows.f32").write_bytes(bytes(64))
    with pytest.raises(StoreCorruptError, match="remove it"):
        CachedVectors(HashedEmbedder(16), tmp_path)


def test_vectors_of_ones_own_are_scaled_to_length_one(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.array([[3.0, 4.0], [0.0, -2.0]]))
    assert read_vectors(tmp_path / "v.npy", 2).tolist() == pytest.approx(np.array([[0.6, 0.8], [0.0, -1.0]]))
    np.save(tmp_path / "u.npy", units := np.eye(2, dtype=np.float32))
    assert np.array_equal(read_vectors(tmp_path / "u.npy", 2), units)


@pytest.mark.parametrize(
    ("array", "n_rows", "says"),
    [
        (np.eye(2), 3, "2 vectors, the corpus has 3 rows"),
        (np.ones(3), 3, "one two-dimensional array"),
        (np.array([[1.0, 0.0], [0.0, 0.0]]), 2, "vector 2 of"),
        (np.array([[np.nan, 0.0]]), 1, "vector 1 of"),
        (np.array([[object()]]), 1, "not an array of numbers"),
        (np.array([["a"]]), 1, "one two-dimensional array"),
    ],
)
def test_arrays_that_are_no_vectors_are_refused(tmp_path: Path, array: np.ndarray, n_rows: int, says: str) -> None:
    np.save(tmp_path / "v.npy", array, allow_pickle=True)
    with pytest.raises(UsageError, match=says):
        read_vectors(tmp_path / "v.npy", n_rows)


def test_parquet_keeps_its_schema(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: Parquet is NOT tested")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"id": [1, 2, 3], "text": ["a", None, "c"], "blob": [b"x", b"y", b"z"]})
    parquet.write_table(table, tmp_path / "c.parquet")
    corpus = open_corpus(tmp_path / "c.parquet", Fields(id="id"))
    rows = list(corpus.rows())
    assert [(r.number, r.id, r.text) for r in rows] == [(1, "1", "a"), (2, "2", None), (3, "3", "c")]
    corpus.write(tmp_path / "out.parquet", [True, True, False])
    assert parquet.read_table(tmp_path / "out.parquet").equals(table.slice(0, 2))
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(SourceRefusedError, match=r"bad\.parquet"):
        list(open_corpus(tmp_path / "bad.parquet", Fields()).rows())


def test_a_text_without_end_is_told_and_not_compared(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps({"text": "x" * (MOST_CHARS + 1)}) + "\n" + json.dumps({"text": "short"}) + "\n")
    long, short = list(open_corpus(path, Fields()).rows())
    assert (long.text, short.text) == (None, "short")
    assert f"more than {MOST_CHARS} characters" in long.trouble
