"""The files that exports write: readable by one account, whole or absent, encrypted for whoever may read them."""

from __future__ import annotations

import gzip
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import Shell
from saidonce.adapters import age
from saidonce.app import knowledge_base
from saidonce.errors import StoreCorruptError, UsageError
from saidonce.testing import MemoryDatabase, MemoryStore

Invoke = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    database = MemoryDatabase()
    monkeypatch.setattr(knowledge_base, "open_store", lambda _url, _folder, org, **_: MemoryStore(org, database))
    made = Shell(tmp_path / "base")
    made.run("people", "add", "ann", "ann@example.com", "--role", "owner")
    made.run("keys", "make", "ann", "--label", "laptop")
    made.run("channels", "add", "webhook", "https://hooks.example.com/secret-path")
    return made


def test_only_its_owner_can_read_an_export_whatever_the_mask_is(shell: Shell, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        for name in ("plain.jsonl", "packed.jsonl.gz"):
            shell.run("db", "export", str(tmp_path / name))
            assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)
    assert gzip.decompress((tmp_path / "packed.jsonl.gz").read_bytes()) == (tmp_path / "plain.jsonl").read_bytes()
    again = tmp_path / "again.jsonl.gz"
    shell.run("db", "export", str(again))
    assert again.read_bytes() == (tmp_path / "packed.jsonl.gz").read_bytes(), "same content, same bytes"
    (tmp_path / "plain.jsonl").chmod(0o644)
    shell.run("db", "export", "--force", str(tmp_path / "plain.jsonl"))
    assert (tmp_path / "plain.jsonl").stat().st_mode & 0o777 == 0o600


def test_what_is_written_is_on_the_disk_before_it_has_its_name(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    acts: list[str] = []
    real_sync, real_replace = os.fsync, Path.replace

    def synced(file: int) -> None:
        acts.append("sync")
        real_sync(file)

    def renamed(one: Path, other: Path) -> Path:
        acts.append("rename")
        return real_replace(one, other)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    shell.run("db", "export", str(tmp_path / "x.jsonl"))
    assert acts == ["sync", "rename", "sync"]


def test_an_export_that_fails_leaves_what_was_there(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text("the former one")

    def broken(self: MemoryStore) -> object:
        yield b"one line\n"
        raise StoreCorruptError("torn")

    monkeypatch.setattr(MemoryStore, "dump", broken)
    for name, more in ((file, ()), (tmp_path / "y.jsonl.age", ("--encrypt-to", age.new_identity()[0]))):
        assert "torn" in shell.run("db", "export", "--force", str(name), *more, code=1)
    assert file.read_text() == "the former one"
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_file()) == ["x.jsonl"]


@pytest.mark.parametrize("name", ["x.jsonl.age", "x.jsonl.gz.age"])
def test_an_encrypted_export_comes_back_with_its_key_only(shell: Shell, tmp_path: Path, name: str) -> None:
    key, wrong, file = tmp_path / "key.txt", tmp_path / "wrong.txt", tmp_path / name
    public = shell.run("db", "new-key", str(key)).strip()
    shell.run("db", "new-key", str(wrong))
    assert key.stat().st_mode & 0o777 == 0o600
    shell.run("db", "export", str(file), "--encrypt-to", public)
    shell.run("db", "export", str(tmp_path / "plain.jsonl"))
    content = file.read_bytes()
    assert content.startswith(age.MAGIC)
    assert b"ann" not in content
    assert "--identity" in shell.run("--org", "copy", "db", "import", str(file), code=2)
    assert "another key" in shell.run("--org", "copy", "db", "import", str(file), "--identity", str(wrong), code=2)
    cut = tmp_path / f"cut-{name}"
    cut.write_bytes(content[:-30])
    assert "damaged" in shell.run("--org", "copy", "db", "import", str(cut), "--identity", str(key), code=1)
    changed = bytearray(content)
    changed[-40] ^= 1
    cut.write_bytes(changed)
    assert "damaged" in shell.run("--org", "copy", "db", "import", str(cut), "--identity", str(key), code=1)
    printed = shell.run("--org", "copy", "db", "import", str(file), "--identity", str(key))
    assert "1 keys were exported without their secrets" in printed
    assert "1 webhooks were exported without" in printed
    shell.run("--org", "copy", "db", "export", str(tmp_path / "copy.jsonl"))
    assert (tmp_path / "copy.jsonl").read_bytes() == (tmp_path / "plain.jsonl").read_bytes()


def test_the_export_names_what_it_holds_and_what_not(shell: Shell, tmp_path: Path) -> None:
    shell.run("db", "export", str(tmp_path / "x.jsonl"))
    written = (tmp_path / "x.jsonl").read_text()
    assert '"label":"laptop"' in written
    for secret in ("secret-path", '"hash"', '"secret"'):
        assert secret not in written
    log = shell.json("security-log", "--kind", "exported")
    assert [(e["subject"], e["detail"]["encrypted"]) for e in log] == [(str(tmp_path / "x.jsonl"), "no")]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("x.jsonl", "--encrypt-to", "{public}"), "must end in .age"),
        (("x.jsonl.age",), "must end in .age"),
        (("x.jsonl.age", "--encrypt-to", "age1nonsense"), "public key"),
        (("x.jsonl.age", "--encrypt-to", "AGE-SECRET-KEY-1QQQ"), "this is a secret key"),
        (("no/such/folder/x.jsonl",), "cannot be written"),
    ],
)
def test_wrong_use_is_explained(shell: Shell, tmp_path: Path, words: tuple[str, ...], reason: str) -> None:
    public = age.new_identity()[0]
    told = shell.run("db", "export", *(w.format(public=public) for w in words), code=2)
    assert reason in told
    assert not list(tmp_path.glob("x*"))


def test_a_file_without_a_key_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "key"
    for content in (b"", b"# only a comment\n", b"nonsense", b"\xff\xfe"):
        file.write_bytes(content)
        with pytest.raises(UsageError, match="contains no secret key"):
            age.identities_of(file)
    with pytest.raises(UsageError, match="cannot be read"):
        age.identities_of(tmp_path / "none")
