"""The worker's other half: residents' messages are scanned, answered and sent, for each organisation, all the time."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Self

from saidonce.app import metrics
from saidonce.app.repairs_service import Repairs
from saidonce.errors import StoreUnavailableError, where
from saidonce.interfaces.worker.fetching import Fetching
from saidonce.interfaces.worker.protecting import POLL_S as PROTECT_S
from saidonce.interfaces.worker.protecting import protect
from saidonce.repairs import conversation

POLL_S = 0.3
"""Pause between two looks for what is due: little beside the wait for a resident's next message."""

OUTBOX_S = 0.1
"""The same of the outbox, whose pause a safety text of the same program ends at once."""

AGAIN_S = 2.0
"""Pause after the database was away."""

AT_ONCE = 3
"""Turns that are taken at the same time; one may wait for a model."""

STOP_S = 20.0

_log = logging.getLogger("saidonce")

Orgs = Callable[[], Sequence[str]]

Woken = Callable[[float], Sequence[str]]
"""(longest pause) -> the organisations that ended it early."""


class Answering:
    """Threads that keep conversations going until they are stopped; use it as a context manager.

    Any number may run over one database, in one program or several: whoever claims a conversation has it. A
    conversation that fails waits for the end of its lease, and holds up no other.

    Args:
        repairs: the conversations of all organisations.
        orgs: returns the organisations to serve, called in every round.
        poll_s: pause between two rounds.
    """

    def __init__(self, repairs: Repairs, orgs: Orgs, poll_s: float = POLL_S) -> None:
        self._repairs = repairs
        self._orgs = orgs
        self._stopping = threading.Event()
        # Two programs must not take each other for themselves.
        mine = uuid.uuid4().hex[:12]
        rounds: list[tuple[str, float, Callable[[str, str], None]]] = [
            (f"turns {mine} {n}", poll_s, self._turns) for n in range(AT_ONCE)
        ]
        self._fetching = Fetching(repairs)
        rounds += [("alarms", poll_s, self._alarms), ("files", poll_s, self._files), ("issues", poll_s, self._issues)]
        rounds += [("protection", max(poll_s, PROTECT_S), self._protection)]
        self._threads = [threading.Thread(target=self._run, args=r, name=f"residents {r[0]}") for r in rounds]
        outbox = ("outbox", min(poll_s, OUTBOX_S), self._outbox, repairs.woken)
        self._threads.append(threading.Thread(target=self._run, args=outbox, name="residents outbox"))

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop each thread after its work in progress; a hanging model is waited for until its timeout."""
        self._stopping.set()
        until = time.monotonic() + STOP_S
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        self._fetching.stop()

    def _run(self, name: str, poll_s: float, act: Callable[[str, str], None], woken: Woken | None = None) -> None:
        """Act in every organisation, round after round.

        Args:
            name: of the round.
            poll_s: pause between two rounds.
            act: called with an organisation and the name.
            woken: ends a pause early, and returns the organisations for which it did.
        """
        pause = poll_s
        while not self._stopping.wait(pause if woken is None else 0.0):
            try:
                first = woken(pause) if woken is not None else ()
                is_well = self._round(name, act, first)
            except StoreUnavailableError as away:
                _log.warning("residents.waits reason=%s", type(away).__name__)
                is_well = False
            except Exception as failed:  # noqa: BLE001  a worker loop: the next round goes on
                _log.error("residents.failed round=%s at=%s", name.partition(" ")[0], where(failed))
                is_well = False
            pause = poll_s if is_well else AGAIN_S

    def _round(self, name: str, act: Callable[[str, str], None], first: Sequence[str] = ()) -> bool:
        """Serve each organisation, some first, whatever fails in another; return whether nothing failed."""
        is_well = True
        # What is too old waits for nobody, so that its organisation may be none of those in which something does.
        known = self._repairs.known_orgs() if act == self._protection else ()
        for org in dict.fromkeys((*first, *self._orgs(), *known)):
            try:
                act(org, name)
            except StoreUnavailableError:
                raise
            except Exception as failed:  # noqa: BLE001  a worker loop: no organisation holds up another
                _log.error("residents.failed round=%s at=%s", name.partition(" ")[0], where(failed))
                is_well = False
        return is_well

    def _turns(self, org: str, worker: str) -> None:
        for turn in conversation.take_turns(self._repairs.deps(org), worker, self._stopping.is_set):
            metrics.record_turn(turn)

    def _alarms(self, org: str, _worker: str) -> None:
        deps = self._repairs.deps(org)
        try:
            conversation.scan(deps)
        finally:
            conversation.tend(deps)
            conversation.reassure(deps)

    def _protection(self, org: str, _worker: str) -> None:
        protect(self._repairs, org)

    def _outbox(self, org: str, _worker: str) -> None:
        deps = self._repairs.deps(org)
        conversation.send(deps, self._repairs.messenger_of(org))
        conversation.requeue_unknown(deps)

    def _issues(self, org: str, _worker: str) -> None:
        tend_issues(self._repairs, org)

    def _files(self, org: str, _worker: str) -> None:
        self._fetching.start_due(org)


def tend_issues(repairs: Repairs, org: str) -> None:
    """Do what the timers of an organisation's issues ask for, and send letters to contractors."""
    metrics.record_issues(conversation.tend_issues(repairs.deps(org)))
    conversation.send_letters(repairs.deps(org), repairs.post, repairs.base.settings.notify_tries)


def answer_once(repairs: Repairs) -> None:
    """Do the work due now for every organisation; a failure is logged and does not stop the others."""
    for org in repairs.orgs():
        try:
            conversation.once(repairs.deps(org), repairs.messenger_of(org), f"once {uuid.uuid4().hex[:8]}")
            tend_issues(repairs, org)
        except StoreUnavailableError:
            raise
        except Exception as failed:  # noqa: BLE001  a worker loop: no organisation holds up another
            _log.error("residents.failed round=once at=%s", where(failed))
