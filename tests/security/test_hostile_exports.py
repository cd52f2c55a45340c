"""Exports and backups that somebody made to do harm: refused with one line, nothing half imported, nothing read whole.

Checksums are no signature: whoever writes the file writes them, too, so every case here carries right ones.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import tracemalloc
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from exports import FORMAT_5
from saidonce.adapters.postgres.backup_folder import ACCOUNT, MARK, BackupFolder
from saidonce.adapters.postgres.restore import plan_restore, restore
from saidonce.errors import BackupError, SaidonceError
from saidonce.foundation import audit_log
from saidonce.foundation.ports import Store
from saidonce.interfaces.cli import database
from saidonce.testing import MemoryStore
from thinned import on_stores

Open = Callable[[str], Store]
Lines = list[bytes]


def sealed(body: bytes) -> bytes:
    """Give a line with a right checksum, whatever stands in it."""
    return b'%s,"crc":"%08x"}\n' % (body, zlib.crc32(body))


def footed(lines: Iterable[bytes]) -> Lines:
    """Give lines with a right last one."""
    held = list(lines)
    body = b"".join(held)
    last = b'{"lines":%d,"sha256":"%s"' % (len(held), hashlib.sha256(body).hexdigest().encode())
    return [*held, sealed(last)]


def body_of(line: bytes) -> bytes:
    return line.rpartition(b',"crc":"')[0]


@pytest.fixture(scope="session")
def whole() -> Lines:
    """An export of today's format with rows of most tables."""
    oracle = MemoryStore("oracle")
    oracle.load(FORMAT_5.read_bytes().splitlines(keepends=True))
    return list(oracle.dump())


def header(written: bytes) -> Callable[[Lines], Lines]:
    return lambda lines: footed([sealed(written), *lines[1:-1]])


def row(kind: str, change: Callable[[bytes], bytes]) -> Callable[[Lines], Lines]:
    """Change the first row of a table, as it stands in the file."""

    def changed(lines: Lines) -> Lines:
        place = next(n for n, line in enumerate(lines) if line.startswith(b'{"row":"%s"' % kind.encode()))
        body = change(body_of(lines[place]))
        assert body != body_of(lines[place])
        return footed([*lines[:place], sealed(body), *lines[place + 1 : -1]])

    return changed


def value(kind: str, name: str, written: bytes) -> Callable[[Lines], Lines]:
    """Put something else in the place of a number or a text of the first row of a table."""
    pattern = re.compile(rb'("%s":)(?:"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*)' % name.encode())
    return row(kind, lambda body: pattern.sub(lambda m: m[1] + written, body, count=1))


def after(kind: str, extra: bytes) -> Callable[[Lines], Lines]:
    """Put a line behind the first row of a table."""

    def changed(lines: Lines) -> Lines:
        place = next(n for n, line in enumerate(lines) if line.startswith(b'{"row":"%s"' % kind.encode()))
        return footed([*lines[: place + 1], sealed(extra), *lines[place + 1 : -1]])

    return changed


def also(name: bytes, written: bytes) -> Callable[[bytes], bytes]:
    return lambda body: body + b',"%s":%s' % (name, written)


DEEP = b"[" * 100_000 + b"]" * 100_000
LINES: dict[str, Callable[[Lines], Lines]] = {
    "nothing": lambda _: [],
    "an empty line": lambda _: [b"\n"],
    "a header alone": lambda lines: lines[:1],
    "cut off before the last line": lambda lines: lines[:-1],
    "cut off in the middle": lambda lines: lines[: len(lines) // 2],
    "cut off in a line": lambda lines: [*lines[:9], lines[9][: len(lines[9]) // 2]],
    "the last line twice": lambda lines: [*lines, lines[-1]],
    "a row behind the last line": lambda lines: [*lines, lines[1]],
    "a second export behind the first": lambda lines: [*lines, *lines],
    "a last line that counts in words": lambda lines: [*lines[:-1], sealed(b'{"lines":"many","sha256":""')],
    "a last line that is true": lambda lines: [*lines[:-1], sealed(b'{"lines":true,"sha256":true')],
    "a last line of another hash": lambda lines: [*lines[:-1], sealed(b'{"lines":%d,"sha256":"0"' % (len(lines) - 1))],
    "a last line with more in it": lambda lines: [*lines[:-1], sealed(body_of(lines[-1]) + b',"a":1')],
    "no header": lambda lines: footed(lines[1:-1]),
    "two headers": lambda lines: footed([lines[0], *lines[:-1]]),
    "a header that is a list": header(b"[1"),
    "a format to come": header(b'{"saidonce":"export","format":8,"rev":3'),
    "a format before all": header(b'{"saidonce":"export","format":0,"rev":3'),
    "a format in words": header(b'{"saidonce":"export","format":"7","rev":3'),
    "a format that is a list": header(b'{"saidonce":"export","format":[7],"rev":3'),
    "a format that is an object": header(b'{"saidonce":"export","format":{},"rev":3'),
    "a format that is null": header(b'{"saidonce":"export","format":null,"rev":3'),
    "a format without an end": header(b'{"saidonce":"export","format":' + b"9" * 10_000 + b',"rev":3'),
    "a format that is no number": header(b'{"saidonce":"export","format":NaN,"rev":3'),
    "a revision below nothing": header(b'{"saidonce":"export","format":7,"rev":-1'),
    "a revision of two to the sixty-third": header(b'{"saidonce":"export","format":7,"rev":9223372036854775808'),
    "a revision of ten to the thirtieth": header(b'{"saidonce":"export","format":7,"rev":1' + b"0" * 30),
    "a revision in parts": header(b'{"saidonce":"export","format":7,"rev":3.5'),
    "a revision that is true": header(b'{"saidonce":"export","format":7,"rev":true'),
    "a revision in words": header(b'{"saidonce":"export","format":7,"rev":"3"'),
    "a deep header": header(b'{"saidonce":"export","format":7,"rev":3,"a":' + DEEP),
    "another program's header": header(b'{"saidonce":"backup","format":7,"rev":3'),
    "a table that nobody knows": after("collection", b'{"row":"org","name":"other"'),
    "a table of the database itself": after("collection", b'{"row":"migrations","id":1'),
    "a table that is null": after("collection", b'{"row":null'),
    "a table that is a list": after("collection", b'{"row":["collection"]'),
    "a table that is an object": after("collection", b'{"row":{}'),
    "a table that is a number": after("collection", b'{"row":7'),
    "a row of nothing": after("collection", b'{"row":"collection"'),
    "a deep row": after("collection", b'{"row":"collection","name":' + DEEP),
    "deep objects": after("collection", b'{"row":"collection","name":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    "a row of no UTF-8": after("collection", b'{"row":"collection","name":"\xff\xfe"'),
    "a row that is a list": after("collection", b'["collection"'),
    "a row with a mark of the byte order": after("collection", b'\xef\xbb\xbf{"row":"collection"'),
    "a row of another organisation": row("collection", also(b"org", b'"other"')),
    "a row of another organisation by id": row("document", also(b"org_id", b"1")),
    "a row that names its kind twice": row("collection", also(b"row", b'"document"')),
    "a row with a name that nobody knows": row("document", also(b"extra", b"1")),
    "a row twice": lambda lines: footed([*lines[:2], lines[1], *lines[2:-1]]),
    "rows turned": lambda lines: footed([lines[0], *reversed(lines[1:-1])]),
    "a row of a document that is not there": lambda lines: footed(
        [line for line in lines[:-1] if not line.startswith(b'{"row":"document"')]
    ),
    "a name of no document": value("name", "document_id", b'"%s"' % (b"0" * 32)),
    "a version below nothing": value("document", "version", b"-1"),
    "a version of two to the thirty-first": value("document", "version", b"2147483648"),
    "a version of two to the sixty-third": value("document", "version", b"9223372036854775808"),
    "a version of ten thousand digits": value("document", "version", b"9" * 10_000),
    "a version in parts": value("document", "version", b"1.5"),
    "a version in words": value("document", "version", b'"1"'),
    "a version that is true": value("document", "version", b"true"),
    "a version that is no number": value("document", "version", b"NaN"),
    "a version without an end": value("document", "version", b"1e999"),
    "a name that is null": value("document", "name", b"null"),
    "a name that is a list": value("document", "name", b'["a"]'),
    "a name with a null in it": value("collection", "name", b'"ma\\u0000in"'),
    "a name that is half a surrogate": value("collection", "name", b'"\\ud800"'),
    "a name that climbs": value("collection", "name", b'"../../etc"'),
    "a name of a million letters": value("collection", "name", b'"%s"' % (b"a" * 1_000_000)),
    "a dimension below nothing": value("collection", "dim", b"-3"),
    "a dimension of a billion": value("collection", "dim", b"1000000000"),
    "a use that nobody knows": value("collection", "use", b'"everything"'),
    "a text with a null in it": value("segment", "text", b'"a\\u0000b"'),
    "a text of half a surrogate": value("segment", "text", b'"a\\udfffb"'),
    "a number below nothing in the log": value("decision", "seq", b"-1"),
    "a number that leaves the log open": value("decision", "seq", b"77"),
    "a picture that is another": value("media", "sha256", b'"%s"' % (b"0" * 64)),
    "a picture of no picture": value("media", "content", b'"@@@"'),
    "a day before all days": value("gate_event", "at", b'"0000-00-00T00:00:00Z"'),
    "a day after all days": value("gate_event", "at", b'"99999-01-01T00:00:00Z"'),
    "a day without a zone": value("gate_event", "at", b'"2026-01-01T00:00:00"'),
    "a day in seconds": value("gate_event", "at", b"1e300"),
    "a state that nobody knows": value("issue", "state", b'"gone to the moon"'),
    "a counter that is no number": value("counter", "value", b"NaN"),
    "a counter without an end": value("counter", "value", b"1e999"),
}


@pytest.mark.parametrize(("opened", "case"), on_stores(3, [(case,) for case in LINES]), indirect=["opened"])
def test_an_export_that_does_harm_is_refused_and_nothing_of_it_stays(
    opened: Open, org: str, whole: Lines, case: str
) -> None:
    store = opened(org)
    with pytest.raises(SaidonceError) as refused:
        store.load(LINES[case](whole))
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 500
    assert len(list(store.dump())) == 2
    store.load(whole)
    assert list(store.dump()) == whole


def test_a_decision_that_was_changed_is_named_by_the_check_of_the_log(opened: Open, org: str, whole: Lines) -> None:
    store = opened(org)
    store.load(value("decision", "actor", b'"somebody else"')(whole))
    assert audit_log.first_broken(store.ledger.log()) == 1


def packed(parts: Iterable[bytes]) -> bytes:
    held = io.BytesIO()
    with gzip.GzipFile(fileobj=held, mode="wb") as target:
        for part in parts:
            target.write(part)
    return held.getvalue()


HEADER = sealed(b'{"saidonce":"export","format":7,"rev":3')
FILES: dict[str, Callable[[], bytes]] = {
    "a bomb of one line": lambda: packed(b" " * 1_000_000 for _ in range(300)),
    "a bomb of brackets": lambda: packed(b"[" * 1_000_000 for _ in range(300)),
    "a bomb behind a header": lambda: packed(
        [sealed(b'{"saidonce":"export","format":7,"rev":3'), *[b"a" * 10**6] * 300]
    ),
    "a bomb of empty lines": lambda: packed(b"\n" * 1_000_000 for _ in range(100)),
    "a bomb that is not packed": lambda: b"a" * 300_000_000,
    "gzip that breaks off": lambda: packed([b"a" * 1_000])[:20],
    "gzip with rubbish behind": lambda: packed([HEADER]) + b"rubbish",
    "gzip of nothing": lambda: packed([]),
    "a head of gzip alone": lambda: b"\x1f\x8b",
    "an empty file": lambda: b"",
    "age without an identity": lambda: b"age-encryption.org/v1\n-> X25519 a\nb\n--- c\n",
    "a ZIP": lambda: b"PK\x03\x04" + b"\0" * 100,
    "nulls": lambda: b"\0" * 1_000,
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_does_harm_is_refused_and_never_in_memory_as_a_whole(tmp_path: Path, case: str) -> None:
    file = tmp_path / "base.jsonl.gz"
    file.write_bytes(FILES[case]())
    store = MemoryStore("house")
    tracemalloc.start()
    try:
        with (
            pytest.raises((SaidonceError, EOFError, gzip.BadGzipFile, zlib.error)),
            database._lines_of(file, None) as lines,
        ):
            store.load(lines)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 200_000_000
    assert len(list(store.dump())) == 2


GOOD: dict[str, Any] = {
    "name": "base-20261122T191500Z", "began_at": "2026-11-22T19:15:00Z", "ended_at": "2026-11-22T19:16:00Z",
    "n_bytes": 1_000, "server": "17.2", "saidonce": "0.2.0", "timeline": 1,
    "segment": "000000010000000000000002", "manifest": "0" * 64, "files": {},
}  # fmt: skip
SECRET = hashlib.sha256(b"secret").hexdigest()
ACCOUNTS: dict[str, dict[str, Any]] = {
    "a name that climbs": {"name": "../other"},
    "a name of another copy": {"name": "base-20261122T191501Z"},
    "a name of a whole path": {"name": "/etc"},
    "a file that climbs": {"files": {"../../../stolen": SECRET}},
    "a file of a whole path": {"files": {"/tmp/stolen": SECRET}},
    "a file of a folder that nobody knows": {"files": {"postgres/pg_hba.conf": SECRET}},
    "a file without a name": {"files": {"": SECRET}},
    "a file with a null in its name": {"files": {"a\0b": SECRET}},
    "a segment that climbs": {"segment": "../../../../etc/passwd"},
    "a segment of no number": {"segment": "Z" * 24},
    "a segment that is empty": {"segment": ""},
    "a timeline below nothing": {"timeline": -1},
    "a timeline beyond all": {"timeline": 10**30},
    "a size below nothing": {"n_bytes": -1},
    "a size beyond all": {"n_bytes": 10**30},
    "a day without a zone": {"ended_at": "2026-11-22T19:16:00"},
    "a manifest that climbs": {"manifest": "../../x"},
}


@pytest.mark.parametrize("case", ACCOUNTS)
def test_an_account_of_a_backup_that_does_harm_is_refused_and_nothing_is_written(tmp_path: Path, case: str) -> None:
    folder, target = tmp_path / "backups", tmp_path / "deep" / "down" / "data"
    target.mkdir(parents=True)
    copy = folder / GOOD["name"]
    (copy / "database").mkdir(parents=True)
    (copy / "files" / "postgres").mkdir(parents=True)
    (folder / MARK).write_text(json.dumps({"system": "1", "slot": "s", "format": 1}))
    (copy / ACCOUNT).write_text(json.dumps({**GOOD, **ACCOUNTS[case]}))
    for place in (copy / "files" / "../../../stolen", copy / "files/postgres/pg_hba.conf"):
        place.write_bytes(b"secret")
    before = sorted(tmp_path.rglob("*"))
    backups = BackupFolder(folder)
    with pytest.raises((BackupError, SaidonceError)) as refused:
        restore(backups, plan_restore(backups), target, lambda _done, _all: None)
    assert "manifest" not in str(refused.value) or "manifest" in case
    assert [p for p in sorted(tmp_path.rglob("*")) if p.name != "start.lock"] == before


def test_a_segment_of_the_log_that_unfolds_for_ever_is_refused(tmp_path: Path) -> None:
    from saidonce.adapters.postgres.restore import SEGMENT_BYTES, _unpack

    bomb = tmp_path / "000000010000000000000002.gz"
    bomb.write_bytes(packed(b"\0" * 1_000_000 for _ in range(200)))
    with pytest.raises(BackupError):
        _unpack(bomb, tmp_path / "segment")
    assert (tmp_path / "segment").stat().st_size <= SEGMENT_BYTES
