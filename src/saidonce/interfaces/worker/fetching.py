"""Files of residents are fetched beside each other: each conversation has a queue of its own."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import ThreadPoolExecutor

from saidonce.app.repairs_service import Repairs
from saidonce.errors import where
from saidonce.foundation.model.residents import WaitingMedia
from saidonce.repairs import conversation
from saidonce.repairs.conversation import Intake

AT_ONCE_FILES = 24
"""Files that are fetched at the same time, one of a conversation; each may hang until its time-out."""

_log = logging.getLogger("saidonce")


class Fetching:
    """Fetches due files, one of a conversation at a time and many conversations' at once; safe with several threads.

    Args:
        repairs: the conversations of all organisations.
        at_once: files that are fetched at the same time.
    """

    def __init__(self, repairs: Repairs, at_once: int = AT_ONCE_FILES) -> None:
        self._repairs = repairs
        self._at_once = at_once
        self._pool = ThreadPoolExecutor(at_once, thread_name_prefix="residents files")
        self._lock = threading.Lock()
        self._busy: set[tuple[str, str]] = set()

    def start_due(self, org: str) -> int:
        """Begin with an organisation's due files, as far as there is room; return how many were begun.

        Raises:
            SettingsError: what is set for a channel is malformed.
            StoreUnavailableError: the store is away.
        """
        intake = self._repairs.intake(org)
        n_begun = 0
        while self._begin(org, intake):
            n_begun += 1
        return n_begun

    def stop(self) -> None:
        """Start no more downloads; running ones finish, or are retried after their lease."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _begin(self, org: str, intake: Intake) -> bool:
        with self._lock:
            if len(self._busy) >= self._at_once:
                return False
            waiting = conversation.take_file(intake, [id_ for of, id_ in self._busy if of == org])
            if waiting is None:
                return False
            key = (org, waiting.inbound.conversation_id)
            self._busy.add(key)
            try:
                self._pool.submit(self._fetch, key, intake, waiting)
            except RuntimeError:  # The program ends.
                self._busy.discard(key)
                return False
        return True

    def _fetch(self, key: tuple[str, str], intake: Intake, waiting: WaitingMedia) -> None:
        try:
            conversation.settle_file(intake, waiting)
        except Exception as failed:  # noqa: BLE001  a worker's thread: the file is taken up again after its lease
            _log.error("residents.failed round=files at=%s", where(failed))
        finally:
            with self._lock:
                self._busy.discard(key)
