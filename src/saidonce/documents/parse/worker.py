"""The child process of the sandbox: reads sources from stdin, answers on stdout, ends with its parent.

Started as `python -m saidonce.documents.parse.worker LIMITS`, where LIMITS is JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import IO, Any

from saidonce.documents.parse.containers import unpack
from saidonce.documents.parse.formats import load_all
from saidonce.documents.parse.reading import parse_within
from saidonce.documents.parse.recognisers import readable_folders, warm_up
from saidonce.documents.parse.source import MIB, Limits, NamedBytes, RecognitionWantedError
from saidonce.documents.parse.wire import (
    ENVIRONMENT,
    NO_MEMORY,
    READY,
    UNPACK,
    encode_document,
    encode_refusal,
    encode_unpacked,
    encode_wish,
    max_reply,
    read_frame,
    write_frame,
)
from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation.confinement import Bounds, confine, to_json
from saidonce.foundation.text import language

MAX_SOURCES = 500
MAX_NAME = 64 * 1024
_MAX_FILES = 64
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_DENIED = ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.remove", "os.rename",
           "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod", "os.chown", "os.truncate", "os.kill", "shutil.",
           "ftplib.", "http.", "urllib.", "smtplib.", "webbrowser.")  # fmt: skip


def main() -> int:
    """Answer one source after another until the parent exits."""
    limits = Limits(**json.loads(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, replies = _take_pipes()
    load_all()
    language("The first call loads the model that tells languages apart, before memory is limited.")
    if limits.recognises:
        warm_up(limits)
    wear = _Wear(limits)
    bounds = Bounds(limits.parse_memory_mb * MIB, _MAX_FILES, readable_folders(limits))
    protections = confine(bounds, ENVIRONMENT)
    sys.addaudithook(_deny)
    write_frame(replies, READY + to_json(protections))
    for _ in range(MAX_SOURCES):
        name = read_frame(requests, MAX_NAME)
        content = read_frame(requests, limits.max_source_mb * MIB)
        if name is None or content is None:
            return 0
        _limit_cpu(limits.parse_timeout_s)
        unpacks = name.startswith(UNPACK)
        try:
            answer = _unpack_reply if unpacks else _answer
            reply, *more = answer(name.removeprefix(UNPACK).decode("utf-8", "replace"), content, limits, wear)
        except MemoryError:
            return NO_MEMORY
        del content
        for frame in (reply, *more):
            write_frame(replies, frame)
    return 0


def _take_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Reserve the pipe to the parent for replies: output of libraries must not reach it."""
    replies = os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    return sys.stdin.buffer, replies


def _unpack_reply(name: str, content: bytes, limits: Limits, wear: _Wear) -> tuple[bytes, ...]:
    wear.n_sources += 1
    try:
        members = unpack(NamedBytes(name, content, limits))
    except SourceRefusedError as refused:
        return (encode_refusal(refused, retire=wear.is_out()),)
    return encode_unpacked(members, retire=wear.is_out())


def _answer(name: str, content: bytes, limits: Limits, wear: _Wear) -> tuple[bytes, ...]:
    wear.n_sources += 1
    try:
        document = parse_within(name, content, limits)
    except RecognitionWantedError:
        return (encode_wish(retire=wear.is_out()),)
    except SourceRefusedError as refused:
        return (encode_refusal(refused, retire=wear.is_out()),)
    payload = encode_document(document, retire=wear.is_out())
    if len(payload) > max_reply(limits):
        too_much = SourceRefusedError(name, Refusal.TOO_LARGE, f"it has more than {limits.max_text_mb} MiB of text")
        return (encode_refusal(too_much, retire=True),)
    return (payload,)


class _Wear:
    """The usage of a process; created before confinement, which forbids opening system files."""

    def __init__(self, limits: Limits) -> None:
        self.n_sources = 0
        self._most_bytes = max(limits.parse_memory_mb // 2, 300) * MIB
        with contextlib.suppress(OSError):
            self._status = os.open("/proc/self/status", os.O_RDONLY | os.O_CLOEXEC)

    def is_out(self) -> bool:
        """Return whether to replace this process: after many sources, or after one that took much memory."""
        return self.n_sources >= MAX_SOURCES or self._peak() > self._most_bytes

    def _peak(self) -> int:
        """Return the peak of memory in bytes. Linux's `ru_maxrss` would include the parent's memory at the fork."""
        try:
            status = os.pread(self._status, 16 * 1024, 0).decode("ascii")
            return int(status.partition("VmHWM:")[2].split()[0]) * 1024
        except (AttributeError, OSError, ValueError, IndexError):
            unit = 1 if sys.platform == "darwin" else 1024
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _limit_cpu(seconds: float) -> None:
    """Limit the CPU time of one source, in addition to the time already used by this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(used.ru_utime + used.ru_stime + seconds) + 2
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
    except (ValueError, OSError):
        return


def _deny(event: str, args: tuple[Any, ...]) -> None:
    """Refuse connections, programs and writes to files in Python too, as system protections differ by platform."""
    if event.startswith(_DENIED):
        raise PermissionError(f"{event} is not allowed while parsing")
    if event == "open" and isinstance(args[2], int) and args[2] & _WRITES:
        raise PermissionError("writing is not allowed while parsing")


if __name__ == "__main__":
    sys.exit(main())
