"""Parse in child processes with limits, so that no source can hang or fail its batch."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from types import TracebackType
from typing import Self, TypeAlias, TypeVar

from saidonce.documents.parse.containers import MAX_UNPACKED
from saidonce.documents.parse.formats import added
from saidonce.documents.parse.source import MIB, Limits
from saidonce.documents.parse.wire import (
    MAX_READY,
    NO_MEMORY,
    PASSED_ON,
    READY,
    RETURNED_FROM,
    SINGLE_THREADS,
    UNPACK,
    FrameError,
    Wish,
    decode_reply,
    decode_unpacked,
    max_reply,
    read_frame,
    write_frame,
)
from saidonce.errors import Refusal, SourceRefusedError, UsageError, is_full, where
from saidonce.foundation.confinement import Protection, read_protections, summary
from saidonce.foundation.model import Document, Unpacked
from saidonce.foundation.ports import Awaited

Content: TypeAlias = bytes | Callable[[], bytes]
"""The bytes of a source, or a function that reads them when they are needed."""

T = TypeVar("T")

START_TIMEOUT_S = 120.0
_STOP_TIMEOUT_S = 2.0
_MEMBERS = b'{"members":'
_log = logging.getLogger("saidonce")


class Sandbox:
    """A pool of parsing processes that are started when needed and replaced when they fail.

    A source that crashes its process, takes too long or too much memory is refused with the reason;
    the sources after it get a fresh process. The children inherit neither secrets of the environment
    nor open files, end when this process does, and are confined as far as the system can (`protections`).
    """

    def __init__(self, limits: Limits | None = None, n_workers: int = 2) -> None:
        if n_workers < 1:
            raise UsageError(f"a sandbox needs at least one worker, not {n_workers}")
        self._limits = limits or Limits()
        self._n_workers = n_workers
        self._free = threading.BoundedSemaphore(n_workers)
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._closed = False
        self._protections: tuple[Protection, ...] = ()
        self._recognising: Sandbox | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop all workers; a source that is being parsed is refused."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            busy = list(self._busy)
            recognising, self._recognising = self._recognising, None
        if recognising is not None:
            recognising.close()
        for worker in busy:
            worker.kill()
        for worker in idle:
            worker.stop()

    def protections(self) -> tuple[Protection, ...]:
        """Return the protections of the parsing processes, as reported by one of them; start one if none has run.

        Raises:
            SourceRefusedError: no parsing process can be started.
        """
        if not self._protections:
            self.parse("start.txt", b"Start.")
        return self._protections

    def _record_protections(self, protections: tuple[Protection, ...]) -> None:
        """Record the protections of a new worker; log them if they differ from the previous ones."""
        with self._lock:
            is_news = protections != self._protections
            self._protections = protections
        if is_news:
            _log.info("parsing processes are confined; %s", summary(protections))

    def parse(self, name: str, source: bytes) -> Document:
        """Parse one source in a child process.

        Raises:
            SourceRefusedError: with the reason why the source cannot be read.
            PluginError: a format of a plug-in cannot be loaded; raised here, as a child process could not report it.
        """
        added()
        self._limits.check_size(name, source)
        document = self._parse_or_unpack(name, source)
        assert isinstance(document, Document)
        return document

    def unpack(self, name: str, source: bytes) -> Unpacked:
        """Unpack an archive or a mailbox in a child process.

        Raises:
            SourceRefusedError: with the reason why it cannot be unpacked.
        """
        self._limits.check_size(name, source)
        unpacked = self._parse_or_unpack(name, source, unpacks=True)
        assert isinstance(unpacked, Unpacked)
        return unpacked

    def _parse_or_unpack(self, name: str, source: bytes, *, unpacks: bool = False) -> Document | Unpacked:
        parsed = self._with_retry(name, source, unpacks=unpacks)
        return self._recognise(name, source) if isinstance(parsed, Wish) else parsed

    def _with_retry(self, name: str, source: bytes, *, unpacks: bool = False) -> Document | Unpacked | Wish:
        with self._free:
            try:
                return self._once(name, source, unpacks=unpacks)
            except _UsedWorkerError:
                # Earlier sources must not decide about this one: a fresh process tries again.
                return self._once(name, source, fresh=True, unpacks=unpacks)

    def _recognise(self, name: str, source: bytes) -> Document:
        """Parse a source with its pictures or its sound, or without them if that takes too long.

        Raises:
            SourceRefusedError: of the attempt with them, if it failed otherwise or nothing is left without them.
        """
        try:
            return self._recogniser(name).parse(name, source)
        except SourceRefusedError as refused:
            if refused.reason is not Refusal.TIMEOUT:
                raise
            late = refused
        with Sandbox(self._limits.after_timeout(), n_workers=1) as plain:
            try:
                return plain.parse(name, source)
            except SourceRefusedError:
                raise late from None

    def _recogniser(self, name: str) -> Sandbox:
        """Return the sandbox of one process that recognises words, with limits of its own; start it on first use."""
        if self._limits.recognises:
            raise SourceRefusedError(name, Refusal.HOSTILE, "the recognition process requested recognition")
        with self._lock:
            if self._closed:
                raise UsageError("the sandbox is closed")
            if self._recognising is None:
                self._recognising = Sandbox(self._limits.for_recognition(), n_workers=1)
            return self._recognising

    def map(self, sources: Iterable[tuple[str, Content]]) -> Iterator[tuple[str, Document | SourceRefusedError]]:
        """Parse many sources, in their order; a refusal takes the place of its document.

        A few sources are read ahead, so that all workers are busy and memory does not grow with the number of sources.

        Raises:
            PluginError: a format of a plug-in cannot be loaded.
        """
        for name, result in self.map_beside(sources):
            yield name, result if isinstance(result, Document | SourceRefusedError) else result.result()

    def map_beside(
        self, sources: Iterable[tuple[str, Content]]
    ) -> Iterator[tuple[str, Document | SourceRefusedError | Awaited]]:
        """Parse many sources like `map`, without waiting for those that need recognition.

        Their bytes stay in memory until then: wait for the first before requesting many more.

        Raises:
            PluginError: a format of a plug-in cannot be loaded.
        """
        added()
        waiting: deque[tuple[str, Future[Document | SourceRefusedError | Awaited]]] = deque()
        beside = ThreadPoolExecutor(1, thread_name_prefix="saidonce-recognise")
        is_done = False
        with ThreadPoolExecutor(self._n_workers, thread_name_prefix="saidonce-parse") as threads:
            try:
                for name, content in sources:
                    waiting.append((name, threads.submit(self._start_parse, name, content, beside)))
                    if len(waiting) > 2 * self._n_workers:
                        first, result = waiting.popleft()
                        yield first, result.result()
                while waiting:
                    first, result = waiting.popleft()
                    yield first, result.result()
                is_done = True
            finally:
                for _, result in waiting:
                    result.cancel()
                # Who asked may still wait for what is being recognised, unless it did not come to the end.
                beside.shutdown(wait=False, cancel_futures=not is_done)

    def _start_parse(
        self, name: str, content: Content, beside: ThreadPoolExecutor
    ) -> Document | SourceRefusedError | Awaited:
        """Parse one source, or start its recognition in another thread."""

        def begin() -> Document | Awaited:
            source = content if isinstance(content, bytes) else content()
            self._limits.check_size(name, source)
            parsed = self._with_retry(name, source)
            if isinstance(parsed, Wish):
                return beside.submit(_or_refusal, name, lambda: self._recognise(name, source))
            assert isinstance(parsed, Document)
            return parsed

        return _or_refusal(name, begin)

    def _once(
        self, name: str, source: bytes, *, fresh: bool = False, unpacks: bool = False
    ) -> Document | Unpacked | Wish:
        try:
            worker = self._borrow(fresh=fresh)
        except OSError as bad:
            if is_full(bad):
                raise
            detail = f"no parsing process could be started: {bad}"
            raise SourceRefusedError(name, Refusal.UNREADABLE, detail) from bad
        retire = True
        try:
            answer, retire = worker.ask(name, source, unpacks=unpacks)
        finally:
            self._give_back(worker, retire=retire)
        if isinstance(answer, SourceRefusedError):
            raise answer
        return answer

    def _borrow(self, *, fresh: bool) -> _Worker:
        with self._lock:
            if self._closed:
                raise UsageError("the sandbox is closed")
            worker = self._idle.pop() if self._idle and not fresh else _Worker(self._limits, self._record_protections)
            self._busy.add(worker)
        return worker

    def _give_back(self, worker: _Worker, *, retire: bool) -> None:
        with self._lock:
            self._busy.discard(worker)
            keep = not retire and not self._closed and len(self._idle) < self._n_workers
            if keep:
                self._idle.append(worker)
        if not keep:
            worker.stop()


def _or_refusal(name: str, work: Callable[[], T]) -> T | SourceRefusedError:
    """Do the work of one source; any failure refuses it, except a full disk and wrong usage."""
    try:
        return work()
    except SourceRefusedError as refused:
        return refused
    except OSError as bad:
        if is_full(bad):
            raise
        return SourceRefusedError(name, Refusal.UNREADABLE, bad.strerror or str(bad))
    except UsageError:
        raise
    except Exception as failed:  # noqa: BLE001  the fail-closed point for one source: the others go on
        return SourceRefusedError(name, Refusal.FAILED, f"processing failed; {where(failed)}")


class _UsedWorkerError(Exception):
    """A worker with earlier sources failed."""


class _Worker:
    """One child process."""

    def __init__(self, limits: Limits, state: Callable[[tuple[Protection, ...]], None]) -> None:
        self._limits = limits
        self._state = state
        self._n_asked = 0
        self._expired = False
        self._killed = False
        self._process = subprocess.Popen(  # noqa: S603 - our own module, no shell
            [sys.executable, "-m", "saidonce.documents.parse.worker", json.dumps(asdict(limits))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(recognises=limits.recognises),
            cwd=os.sep,
        )

    def ask(
        self, name: str, source: bytes, *, unpacks: bool = False
    ) -> tuple[Document | Unpacked | SourceRefusedError | Wish, bool]:
        """Parse or unpack one source; return the result, refusal or request, and whether to replace this worker.

        Raises:
            SourceRefusedError: the worker failed at it.
            _UsedWorkerError: the worker failed, possibly because of an earlier source.
        """
        try:
            if self._n_asked == 0:
                self._start(name)
            self._n_asked += 1
            seconds = self._limits.parse_timeout_s + 1.0
            reply = self._within(seconds, lambda: self._exchange(name, source, unpacks=unpacks))
            if reply is not None and reply.startswith(_MEMBERS):
                content = self._within(seconds, lambda: self._read(MAX_UNPACKED))
                if content is not None:
                    return decode_unpacked(name, reply, content)
            elif reply is not None:
                return decode_reply(name, reply)
        except FrameError as bad:
            self.kill()
            raise SourceRefusedError(name, Refusal.HOSTILE, f"the parsing process returned {bad}") from bad
        raise self._failure(name)

    def _start(self, name: str) -> None:
        """Wait until the worker is ready, and record its protections; it has read no source so far."""
        ready = self._within(START_TIMEOUT_S, lambda: self._read(MAX_READY))
        if ready is None or not ready.startswith(READY):
            raise SourceRefusedError(name, Refusal.UNREADABLE, "no parsing process could be started")
        try:
            self._state(read_protections(ready.removeprefix(READY)))
        except (ValueError, TypeError) as bad:
            raise FrameError("a malformed report of its protections") from bad

    def _within(self, seconds: float, work: Callable[[], bytes | None]) -> bytes | None:
        """Run work on the pipes; kill the child when the time is up."""
        clock = threading.Timer(seconds, self._expire)
        clock.daemon = True
        clock.start()
        try:
            return work()
        finally:
            clock.cancel()

    def _exchange(self, name: str, source: bytes, *, unpacks: bool) -> bytes | None:
        assert self._process.stdin is not None
        try:
            header = name.encode("utf-8", "replace")[:4096]
            write_frame(self._process.stdin, UNPACK + header if unpacks else header)
            write_frame(self._process.stdin, source)
        except OSError:
            return None
        return self._read(max_reply(self._limits))

    def _read(self, at_most: int) -> bytes | None:
        assert self._process.stdout is not None
        return read_frame(self._process.stdout, at_most)

    def _expire(self) -> None:
        self._expired = True
        self.kill()

    def _failure(self, name: str) -> SourceRefusedError | _UsedWorkerError:
        """Return the error for a missing reply."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_STOP_TIMEOUT_S)
        code = self._process.poll()
        if self._expired or code == -signal.SIGXCPU:
            return SourceRefusedError(
                name, Refusal.TIMEOUT, f"parsing took longer than {self._limits.parse_timeout_s:g} s"
            )
        if self._killed:
            return SourceRefusedError(name, Refusal.UNREADABLE, "parsing was stopped")
        if self._n_asked > 1:
            return _UsedWorkerError()
        if code in (NO_MEMORY, -signal.SIGKILL):
            return SourceRefusedError(name, Refusal.TOO_LARGE, f"parsing takes too much memory; {self._exit_text()}")
        return SourceRefusedError(name, Refusal.CORRUPT, f"parsing crashed; {self._exit_text()}")

    def _exit_text(self) -> str:
        code = self._process.poll()
        if code is None:
            return "the process is still running"
        if code < 0:
            return f"the process died of {signal.Signals(-code).name}"
        return f"the process ended with status {code}"

    def kill(self) -> None:
        """End the child at once."""
        self._killed = True
        self._process.kill()

    def stop(self) -> None:
        """Wait for the child to end by itself, or end it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


def _environment(*, recognises: bool) -> dict[str, str]:
    """Return a child's environment: module paths, one thread per library, large freed memory returned."""
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    threads = dict.fromkeys(SINGLE_THREADS, "1")
    lean = {RETURNED_FROM: str(MIB)} if recognises else {}
    return {**passed, **threads, **lean, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONSAFEPATH": "1"}
