"""Hostile native code in a parsing process is refused by the process's fence, not by Python alone."""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from plugin_packages import Install, site_packages
from saidonce.documents.parse import Sandbox
from saidonce.foundation.confinement import NAMES, Protection, read_protections, summary, to_json
from saidonce.foundation.confinement.fence import _may_reach, _package

SECRET = "the-secret-of-all-sessions"

HOSTILE = """
import ctypes, json, os
from saidonce.documents.parse.draft import DocumentDraft
from saidonce.documents.parse.formats import Format

libc = ctypes.CDLL(None, use_errno=True)

def content(path):
    opened = libc.open(path.encode(), 0)
    if opened < 0:
        return refused()
    buffer = ctypes.create_string_buffer(65536)
    return buffer.raw[: max(0, libc.read(opened, buffer, 65536))].decode("utf-8", "replace")

def refused():
    return f"refused {ctypes.get_errno()}"

def outcome(value):
    return refused() if value < 0 else f"done {value}"

def forked():
    child = libc.fork()
    if child == 0:
        libc._exit(0)
    return outcome(child)

def ran():
    return outcome(libc.execv(b"/bin/true", (ctypes.c_char_p * 2)(b"/bin/true", None)))

def connected(name):
    family = 1 if "/" in name else 2
    opened = libc.socket(family, 1, 0)
    if opened < 0:
        return refused()
    if family == 1:
        address = (1).to_bytes(2, "little") + name.encode() + b"\\0"
    else:
        address = (2).to_bytes(2, "little") + int(name).to_bytes(2, "big") + bytes([127, 0, 0, 1]) + bytes(8)
    return outcome(libc.connect(opened, address, len(address)))

def read(source):
    asked = json.loads(source.content)
    draft = DocumentDraft(source)
    results = {
        "secret": content(asked["secret"]),
        "parent": content(f"/proc/{os.getppid()}/environ"),
        "own": content("/proc/self/environ") + json.dumps(dict(os.environ)),
        "passwords": content("/etc/passwd"),
        "tcp": connected(str(asked["port"])),
        "unix": connected(asked["socket"]),
        "fork": forked(),
        "write": outcome(libc.open(asked["outside"].encode(), 0o101, 0o600)),
        "rename": outcome(libc.rename(asked["secret"].encode(), asked["outside"].encode())),
        "remove": outcome(libc.unlink(asked["secret"].encode())),
        "memory": outcome(libc.syscall(319, b"x", 0)) if os.uname().machine == "x86_64" else "refused 1",
        "ring": outcome(libc.syscall(425, 8, ctypes.create_string_buffer(256))),
        "signal": outcome(libc.kill(os.getppid(), 0)),
        "trace": outcome(libc.ptrace(16, os.getppid(), 0, 0)),
        "namespace": outcome(libc.unshare(0x10000000)),
        "administrator": outcome(libc.setuid(0)) if os.getuid() else outcome(libc.chroot(b"/")),
        "exec": ran(),
    }
    draft.code(json.dumps(results))
    return draft

hostile = Format(("evil",), read)
"""

STOPPED_BY = {
    "secret": {"file system"},
    "parent": {"file system"},
    "passwords": {"file system"},
    "tcp": {"system calls", "network"},
    "unix": {"system calls"},
    "fork": {"system calls"},
    "write": {"file system", "system calls"},
    "rename": {"file system", "system calls"},
    "remove": {"file system", "system calls"},
    "memory": {"system calls"},
    "ring": {"system calls"},
    "signal": {"system calls"},
    "trace": {"system calls", "file system"},
    "namespace": {"system calls"},
    "administrator": {"system calls", "capabilities"},
    "exec": {"system calls"},
}
"""What hostile code tries, and the protections of which one is enough to refuse it."""


@pytest.fixture(scope="module")
def attempts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, str], dict[str, Protection]]]:
    """What became of each attempt, and what was on."""
    folder = tmp_path_factory.mktemp("hostile")
    secret, outside = folder / "session.secret", folder / "outside"
    secret.write_text(SECRET)
    secret.chmod(0o600)
    asked = {"secret": str(secret), "outside": str(outside), "socket": str(folder / "s")}
    os.environ["SAIDONCE_SESSION_KEY_OF_TEST"] = SECRET
    try:
        with (
            site_packages(tmp_path_factory.mktemp("packages")) as install,
            socket.create_server(("127.0.0.1", 0)) as tcp,
            socket.socket(socket.AF_UNIX) as unix,
            Sandbox(n_workers=1) as opened,
        ):
            unix.bind(asked["socket"])
            unix.listen()
            install_hostile(install)
            document = opened.parse("a.evil", json.dumps({**asked, "port": tcp.getsockname()[1]}).encode())
            on = {one.name: one for one in opened.protections()}
        assert not outside.exists()
        yield json.loads(document.elements[0].text), on
    finally:
        del os.environ["SAIDONCE_SESSION_KEY_OF_TEST"]
    assert secret.read_text() == SECRET


def install_hostile(install: Install) -> None:
    install("hostile_format", HOSTILE, formats="evil = hostile")


@pytest.mark.parametrize("attempt", STOPPED_BY)
def test_hostile_code_is_refused(attempts: tuple[dict[str, str], dict[str, Protection]], attempt: str) -> None:
    results, on = attempts
    needed = STOPPED_BY[attempt]
    if not any(on[name].is_on for name in needed):
        pytest.skip(f"this system lacks {', '.join(f'{name} ({on[name].why})' for name in sorted(needed))}")
    assert results[attempt].startswith("refused "), results[attempt]


def test_no_secret_of_the_parent_is_in_the_environment(
    attempts: tuple[dict[str, str], dict[str, Protection]],
) -> None:
    results, on = attempts
    assert SECRET not in results["own"]
    assert on["environment"].is_on


def test_limits_and_privileges_are_on(attempts: tuple[dict[str, str], dict[str, Protection]]) -> None:
    _, on = attempts
    assert tuple(on) == NAMES
    for name in ("written files", "open files", "core dumps"):
        assert on[name].is_on, on[name].why
    if sys.platform == "linux":
        for name in ("memory", "new privileges"):
            assert on[name].is_on, on[name].why
    assert all(one.why for one in on.values())


def test_what_is_on_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="saidonce"), Sandbox(n_workers=1) as opened:
        opened.parse("a.md", b"# one")
        for worker in opened._idle:
            os.kill(worker._process.pid, signal.SIGKILL)
        opened.parse("b.md", b"# two")
    lines = [record.getMessage() for record in caplog.records if "parsing processes" in record.getMessage()]
    assert len(lines) == 1
    assert "written files" in lines[0]


def test_a_statement_of_protections_is_checked() -> None:
    whole = tuple(Protection(name, is_on=True, why="so") for name in NAMES)
    assert read_protections(to_json(whole)) == whole
    for bad in (b"{}", b"[]", to_json(whole[:-1]), to_json([*whole[:-1], Protection(NAMES[-1], True, "x" * 301)])):
        with pytest.raises(ValueError, match="agreed"):
            read_protections(bad)


def test_what_is_missing_is_named_with_its_reason() -> None:
    line = summary([Protection("network", is_on=True, why="a"), Protection("account", is_on=False, why="it is root")])
    assert line == "on: network; off: account (it is root)"
    assert summary([]) == "on: nothing"


def test_an_account_is_held_to_the_permissions_of_files(tmp_path: Path) -> None:
    shut = tmp_path / "shut"
    shut.mkdir(mode=0o700)
    owner = shut.stat().st_uid
    assert not _may_reach(owner + 1, shut.stat().st_gid + 1, shut)
    assert _may_reach(0, 0, Path("/usr/lib"))
    assert _may_reach(65_500, 65_500, Path("/usr/lib"))


def test_a_module_is_read_with_its_package_and_no_more() -> None:
    assert _package("single", "/x/single.py") == Path("/x/single.py")
    assert _package("a", "/x/a/__init__.py") == Path("/x/a")
    assert _package("a.b.c", "/x/a/b/c.py") == Path("/x/a")
    assert _package("a.b", "/x/a/b/__init__.py") == Path("/x/a")
