"""The child process of the sandbox: reads sources from stdin, answers on stdout, ends with its parent.

Started as `python -m saidonce.documents.parse.worker LIMITS`, where LIMITS is JSON.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import IO, Any

from saidonce.documents.parse.formats import load_all
from saidonce.documents.parse.reading import parse
from saidonce.documents.parse.source import MIB, Limits
from saidonce.documents.parse.wire import (
    NO_MEMORY,
    encode_document,
    encode_refusal,
    max_reply,
    read_frame,
    write_frame,
)
from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation.text import language

MAX_SOURCES = 500
MAX_NAME = 64 * 1024
_MAX_FILES = 64
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_DENIED = ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.remove", "os.rename",
           "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod", "os.chown", "os.truncate", "os.kill", "shutil.",
           "ftplib.", "http.", "urllib.", "smtplib.", "webbrowser.")  # fmt: skip


def main() -> int:
    """Answer one source after another until the parent is gone."""
    limits = Limits(**json.loads(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, replies = _take_pipes()
    load_all()
    language("The first call loads the model that tells languages apart, before memory is limited.")
    base = _address_space()
    _limit(limits, base)
    sys.addaudithook(_deny)
    write_frame(replies, b"ready")
    for done in range(1, MAX_SOURCES + 1):
        name = read_frame(requests, MAX_NAME)
        content = read_frame(requests, limits.max_source_mb * MIB)
        if name is None or content is None:
            return 0
        _limit_cpu(limits.parse_timeout_s)
        try:
            reply = _answer(name.decode("utf-8", "replace"), content, limits, done)
        except MemoryError:
            return NO_MEMORY
        del content
        write_frame(replies, reply)
    return 0


def _take_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Keep the pipe to the parent for replies alone: a library's prints must not reach it."""
    replies = os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    return sys.stdin.buffer, replies


def _answer(name: str, content: bytes, limits: Limits, done: int) -> bytes:
    try:
        document = parse(name, content, limits)
    except SourceRefusedError as refused:
        return encode_refusal(refused, retire=_is_worn(limits, done))
    payload = encode_document(document, retire=_is_worn(limits, done))
    if len(payload) > max_reply(limits):
        too_much = SourceRefusedError(name, Refusal.TOO_LARGE, f"it holds more than {limits.max_text_mb} MiB of text")
        return encode_refusal(too_much, retire=True)
    return payload


def _is_worn(limits: Limits, done: int) -> bool:
    """Return whether to replace this process: after many sources, or after one that took much memory."""
    return done >= MAX_SOURCES or _peak() > max(limits.parse_memory_mb // 2, 300) * MIB


def _peak() -> int:
    """Return the peak of memory in bytes. Linux's `ru_maxrss` would include the parent's memory at the fork."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _address_space() -> int:
    """Return the bytes of address space in use; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return 0


def _limit(limits: Limits, base: int) -> None:
    """Limit memory, files and core dumps; macOS does not honour the limit of address space."""
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, 0)
    _lower(resource.RLIMIT_NOFILE, _MAX_FILES)
    if base:
        _lower(resource.RLIMIT_AS, base + limits.parse_memory_mb * MIB)


def _lower(kind: int, to: int) -> None:
    _, hard = resource.getrlimit(kind)
    most = to if hard == resource.RLIM_INFINITY else min(to, hard)
    try:
        resource.setrlimit(kind, (most, most))
    except (ValueError, OSError):
        return  # a system that knows no such limit still has the parent's clock


def _limit_cpu(seconds: float) -> None:
    """Limit the CPU time of one source, on top of the time already used by this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(used.ru_utime + used.ru_stime + seconds) + 2
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
    except (ValueError, OSError):
        return


def _deny(event: str, args: tuple[Any, ...]) -> None:
    """Refuse connections, programs and written files: a second line of defence, against libraries."""
    if event.startswith(_DENIED):
        raise PermissionError(f"{event} is not allowed while parsing")
    if event == "open" and isinstance(args[2], int) and args[2] & _WRITES:
        raise PermissionError("writing is not allowed while parsing")


if __name__ == "__main__":
    sys.exit(main())
