"""Processes of the product that start at once: forks of a process that has loaded the product and opened nothing.

A start loads modules for one to two seconds of the processor, the same every time; what comes after it is what tests of
servers and workers are about. How a command starts from nothing is tested where it is the subject.
"""

from __future__ import annotations

import gc
import io
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

PIPE, STDOUT, DEVNULL = subprocess.PIPE, subprocess.STDOUT, subprocess.DEVNULL

_STREAMS = 3
_INHERITED = 64
"""Files of the process that forks have lower numbers; a program has none of them."""


class Program:
    """A running program; a part of `subprocess.Popen` with text, for `python -m saidonce WORDS` or `python -c CODE`.

    Args:
        words: what follows `python`: `-m` with a module and its arguments, or `-c` with code.
        env: its whole environment.
        cwd: its folder, else that of the tests.
        stdin, stdout, stderr: as `subprocess.Popen` takes them.
    """

    def __init__(
        self, words: Sequence[str], env: Mapping[str, str], *, cwd: str | Path | None = None,
        stdin: int | None = DEVNULL, stdout: int | TextIO | None = None, stderr: int | TextIO | None = None,
    ) -> None:  # fmt: skip
        self.returncode: int | None = None
        self.stdin, child_in = _writable(stdin)
        self.stdout, child_out = _readable(stdout, 1)
        self.stderr, child_err = (None, os.dup(child_out)) if stderr == STDOUT else _readable(stderr, 2)
        self._status, child_status = os.pipe()
        asked = {"words": list(words), "env": dict(env), "cwd": str(cwd or Path.cwd())}
        _ask(asked, [child_in, child_out, child_err, child_status])
        for each in (child_in, child_out, child_err, child_status):
            os.close(each)
        self.pid = int(self._line(None) or 0)
        assert self.pid, "the program did not start"

    def poll(self) -> int | None:
        """Return the exit code, if it has ended."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code, once it has ended."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return code

    def communicate(self, input: str | None = None, timeout: float | None = None) -> tuple[str, str]:
        """Write, read everything, and wait for the end."""
        until = None if timeout is None else time.monotonic() + timeout
        texts = ["", ""]

        def read(n: int, stream: TextIO) -> None:
            texts[n] = stream.read()

        readers = [
            threading.Thread(target=read, args=(n, stream), daemon=True)
            for n, stream in enumerate((self.stdout, self.stderr)) if stream is not None
        ]  # fmt: skip
        for reader in readers:
            reader.start()
        if self.stdin is not None and not self.stdin.closed:
            self.stdin.write(input or "")
            self.stdin.close()
        for reader in readers:
            reader.join(None if until is None else max(0.0, until - time.monotonic()))
            if reader.is_alive():
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        self.wait(None if until is None else max(0.0, until - time.monotonic()))
        for stream in (self.stdout, self.stderr):
            if stream is not None:
                stream.close()
        return texts[0], texts[1]

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None and (line := self._line(timeout)):
            self.returncode = int(line)
            os.close(self._status)
        return self.returncode

    def _line(self, timeout: float | None) -> str:
        """Return what the keeper wrote: a number of always as many bytes, so that one reading gets all of it."""
        if not select.select([self._status], [], [], timeout)[0]:
            return ""
        line = os.read(self._status, _NUMBER)
        assert line, "the process that forks has ended"
        return line.decode()


_NUMBER = 12


def _writable(wanted: int | None) -> tuple[TextIO | None, int]:
    if wanted == PIPE:
        theirs, ours = os.pipe()
        return os.fdopen(ours, "w", encoding="utf-8"), theirs
    return None, os.open(os.devnull, os.O_RDONLY)


def _readable(wanted: int | TextIO | None, own: int) -> tuple[TextIO | None, int]:
    if wanted == PIPE:
        ours, theirs = os.pipe()
        return os.fdopen(ours, encoding="utf-8"), theirs
    if wanted == DEVNULL:
        return None, os.open(os.devnull, os.O_WRONLY)
    return None, os.dup(own if wanted is None else wanted if isinstance(wanted, int) else wanted.fileno())


class _Forking:
    """The process that forks, and the socket to it."""

    def __init__(self) -> None:
        self.socket, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )  # fmt: skip


_forking: list[_Forking] = []


def _ask(asked: Mapping[str, Any], files: Sequence[int]) -> None:
    if not _forking:
        _forking.append(_Forking())
    with tempfile.TemporaryFile() as request:  # an environment may be longer than a message
        request.write(json.dumps(asked).encode())
        request.flush()
        socket.send_fds(_forking[0].socket, [b"."], [*files, request.fileno()])


def end() -> None:
    """Let the process that forks end; programs that run go on."""
    while _forking:
        forking = _forking.pop()
        forking.socket.close()
        forking.process.wait(60)


def _keep(asked: Mapping[str, Any], files: Sequence[int], connection: socket.socket) -> None:
    """Fork a program, and write its number, and once it has ended how."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    connection.close()
    status = files[_STREAMS]
    program = os.fork()
    if program == 0:
        _become(asked, files)
        return
    for each in files[:_STREAMS]:
        os.close(each)
    os.write(status, str(program).ljust(_NUMBER).encode())
    code = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
    with suppress(BrokenPipeError):  # whoever started it may have gone
        os.write(status, str(code).ljust(_NUMBER).encode())
    os._exit(0)


def _become(asked: Mapping[str, Any], files: Sequence[int]) -> None:
    """Be the program: what it raises ends this process as it would end one of its own."""
    for own, each in enumerate(files[:_STREAMS]):
        os.dup2(each, own)
    os.closerange(_STREAMS, _INHERITED)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    time.tzset()
    assert isinstance(sys.stdout, io.TextIOWrapper)
    sys.stdout.reconfigure(line_buffering=True)
    kind, what, *words = asked["words"]
    if kind == "-c":
        sys.argv = ["-c", *words]
        exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv = [what, *words]
        runpy.run_module(what, run_name="__main__", alter_sys=True)


def main() -> None:
    """Fork what is asked for until the tests are over."""
    import saidonce.interfaces.cli.serve
    import saidonce.interfaces.http
    import saidonce.interfaces.mcp
    import saidonce.interfaces.worker  # noqa: F401

    connection = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.freeze()
    while True:
        message, files, _, _ = socket.recv_fds(connection, 1, _STREAMS + 2)
        if not message:
            return
        request = files.pop()
        asked = json.loads(os.pread(request, os.fstat(request).st_size, 0))
        os.close(request)
        if os.fork() == 0:
            _keep(asked, files, connection)
            return
        for each in files:
            os.close(each)


if __name__ == "__main__":
    main()
