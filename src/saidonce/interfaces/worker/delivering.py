"""Delivery of notices beside a server, by the worker's queue, so that each is delivered once."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import Self

from saidonce.adapters.senders import open_senders
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.app.repairs_service import Repairs
from saidonce.errors import SaidonceError, where
from saidonce.interfaces.worker.jobs import (
    AGAIN_S,
    DATABASE_ERRORS,
    Bases,
    Jobs,
    own_server,
    queue_url,
    resident_follow_up,
)

STOP_S = 20.0
LONGEST_AGAIN_S = 60.0

_log = logging.getLogger("saidonce")


class Delivering:
    """A thread that delivers notices until it is stopped; use it as a context manager.

    It may run beside any number of workers and other servers: a notice is one job in the database, and has one taker.

    Args:
        home: the base of the settings' organisation.
        repairs: the conversations, in which residents are told whether their landlord's team was reached.
        on_trouble: called once with the reason why nothing can be delivered; delivery is retried.

    Raises:
        SettingsError: the mail server or the sender's address is malformed.
    """

    def __init__(self, home: KnowledgeBase, repairs: Repairs, on_trouble: Callable[[str], None]) -> None:
        s = home.settings
        self._home = home
        self._repairs = repairs
        self._on_trouble = on_trouble
        self._is_reported = False
        self._senders = open_senders(s.smtp_url, s.smtp_from, s.webhook_allow_private, s.send_timeout_s)
        self._stopping = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._working: asyncio.Task[None] | None = None
        # What outlasts `stop` holds up no exit: its jobs are in the database, and another taker repeats them.
        self._thread = threading.Thread(target=self._run, name="notices", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop after the work in progress; a hanging receiver is waited for until its timeout."""
        self._stopping.set()
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # The loop has ended by itself.
                self._loop.call_soon_threadsafe(self._cancel)
        self._thread.join(STOP_S)

    def _cancel(self) -> None:
        if self._working is not None:
            self._working.cancel()

    def _run(self) -> None:
        pause = AGAIN_S
        while not self._stopping.is_set():
            try:
                with ExitStack() as stack:
                    self._once(stack)
                pause = AGAIN_S
            except (SaidonceError, *DATABASE_ERRORS) as failed:
                self._troubled(str(failed) if isinstance(failed, SaidonceError) else type(failed).__name__)
            except Exception as failed:  # noqa: BLE001  a worker loop: the next round goes on
                _log.error("notices.failed at=%s", where(failed))
                self._troubled(type(failed).__name__)
            self._stopping.wait(pause)
            pause = min(2 * pause, LONGEST_AGAIN_S)

    def _once(self, stack: ExitStack) -> None:
        settings = self._home.settings
        server = own_server(settings, stack)
        self._home.base.store.rev()  # The tables of the base come first.
        url = queue_url(settings, server)
        bases = Bases(self._home)
        follow_up = resident_follow_up(self._repairs)
        asyncio.run(self._serve(Jobs(settings, url, bases, self._senders, follow_up, rules=False)))

    async def _serve(self, jobs: Jobs) -> None:
        self._loop = asyncio.get_running_loop()
        self._working = asyncio.create_task(jobs.run())
        if self._stopping.is_set():
            self._working.cancel()
        try:
            await self._working
        except asyncio.CancelledError:
            if not self._stopping.is_set():
                raise
        finally:
            self._loop, self._working = None, None

    def _troubled(self, why: str) -> None:
        _log.warning("notices.wait reason=%s", why)
        if not self._is_reported:
            self._is_reported = True
            self._on_trouble(why)
