"""Flow: the security log: who did what, written with what was done, and forwarded to where logs are gathered.

Whoever serves people says with `acting` on whose behalf the program acts; everything below finds it there.
"""

from __future__ import annotations

import json
import logging
import logging.handlers
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from saidonce.errors import SettingsError, StoreError
from saidonce.foundation.model.personal_data import DataAct, DataActKind
from saidonce.foundation.model.security import SecurityEvent, SecurityFilter, SecurityKind
from saidonce.foundation.ports import Store
from saidonce.foundation.settings.policy import SECRETS, Settings, displayed_value

LOGGER = "saidonce.security"
"""Name of the logger that every entry goes to as one line of JSON."""

SYSLOG_PORT = 514

_log = logging.getLogger(LOGGER)


@dataclass(slots=True)
class Acting:
    """On whose behalf the program acts; a door adds the person as soon as they are recognised.

    Attributes:
        door: command, http or mcp.
        person: empty until somebody is recognised.
        address: of the network; empty on this machine.
    """

    door: str = ""
    person: str = ""
    address: str = ""


_acting: ContextVar[Acting | None] = ContextVar("acting", default=None)


@contextmanager
def acting_as(who: Acting) -> Iterator[Acting]:
    """Act on somebody's behalf."""
    token = _acting.set(who)
    try:
        yield who
    finally:
        _acting.reset(token)


def present() -> Acting:
    """Return on whose behalf the program acts."""
    return _acting.get() or Acting()


Note = Callable[..., None]
"""Takes the kind, the subject and details by name."""


@contextmanager
def noted(store: Store, now: datetime) -> Iterator[Note]:
    """Lock the organisation, and write entries in the transaction that they describe; forward them after it.

    Raises:
        StoreBusyError: the turn did not come in time.
    """
    entries: list[SecurityEvent] = []

    def note(kind: SecurityKind, subject: str = "", **detail: object) -> None:
        logged = store.security.append(_event(kind, now, subject, detail))
        assert logged is not None  # the organisation is begun by it
        entries.append(logged)

    with store.ledger.exclusive():
        yield note
    for each in entries:
        _forward(store.org, each)


def record(store: Store, kind: SecurityKind, now: datetime, subject: str = "", **detail: object) -> None:
    """Write one entry by itself, and forward it."""
    logged = store.security.append(_event(kind, now, subject, detail))
    assert logged is not None
    _forward(store.org, logged)


def record_act(store: Store, act: DataAct) -> None:
    """Record an erasure or export of a resident's data that a person requested, without personal data."""
    kinds = {DataActKind.ERASED: SecurityKind.ERASED, DataActKind.EXPORTED: SecurityKind.HANDED_OUT}
    if act.kind in kinds:
        record(store, kinds[act.kind], act.at, act.subject, by=act.by, act=act.n)


def record_refusal(store: Store, now: datetime, reason: str, **detail: object) -> None:
    """Record a refusal; failures of the store and unknown organisations are ignored.

    The entry is forwarded in any case: whoever tries names of organisations is seen there.
    """
    kind = SecurityKind.SLOWED if "wait_s" in detail else SecurityKind.REFUSED
    event = _event(kind, now, "", {"reason": reason, **detail})
    try:
        logged = store.security.append(event, makes_org=False)
    except StoreError:
        logged = None
    _forward(store.org, logged or event)


def record_settings(store: Store, settings: Settings, now: datetime) -> tuple[str, ...]:
    """Write which settings differ from those of the last time, and return their names; of secrets only that they do.

    The first time, all that are not the default are named.
    """
    known = store.security.events(SecurityFilter(kinds=(SecurityKind.SETTINGS,), limit=1))
    before = dict(known[0].detail) if known else {}
    present_values = _shown_settings(settings)
    changed = sorted(name for name in present_values.keys() | before if present_values.get(name) != before.get(name))
    if changed:
        record(store, SecurityKind.SETTINGS, now, ", ".join(changed), **present_values)
    return tuple(changed)


def _shown_settings(settings: Settings) -> dict[str, str]:
    """Return the settings that are not the default; secrets and addresses with one in them only as set."""
    values = {}
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        if value != field.default:
            values[name] = "(set)" if name in SECRETS else str(displayed_value(name, value))[:200]
    return values


def _event(kind: SecurityKind, now: datetime, subject: str, detail: Mapping[str, object]) -> SecurityEvent:
    who = present()
    more = tuple((name, str(value)) for name, value in sorted(detail.items()) if value not in ("", None, ()))
    return SecurityEvent(kind, now, who.person, who.address, who.door, subject, more)


def _forward(org: str, event: SecurityEvent) -> None:
    _log.info(line_of(org, event))


def line_of(org: str, event: SecurityEvent) -> str:
    """Return an entry as one line of JSON, in ASCII, so that no terminal or gatherer of logs is misled."""
    values = {
        "org": org, "n": event.n, "at": event.at.isoformat(), "kind": event.kind.value, "person": event.person,
        "address": event.address, "door": event.door, "subject": event.subject, "detail": dict(event.detail),
    }  # fmt: skip
    return json.dumps(values, ensure_ascii=True, separators=(",", ":"))


def forward_to(settings: Settings) -> None:
    """Forward entries to the file and the syslog that the settings name; a second call replaces the first.

    Raises:
        SettingsError: the file cannot be written, or the address is none.
    """
    for handler in list(_log.handlers):
        _log.removeHandler(handler)
        handler.close()
    handlers: list[logging.Handler] = []
    if settings.security_log_file:
        handlers.append(_file(settings.security_log_file))
    if settings.security_log_syslog:
        handlers.append(_syslog(settings.security_log_syslog))
    for handler in handlers:
        handler.setFormatter(logging.Formatter("%(message)s"))
        _log.addHandler(handler)
    if handlers:
        _log.setLevel(logging.INFO)


def _file(name: str) -> logging.Handler:
    path = Path(name).expanduser()
    try:
        path.touch(mode=0o600)
        return logging.handlers.WatchedFileHandler(path, encoding="ascii")
    except OSError as failed:
        raise SettingsError("security_log_file", name, f"a file that can be written: {failed.strerror}") from failed


def _syslog(address: str) -> logging.Handler:
    allowed = "a socket such as /dev/log, or udp://HOST:514 or tcp://HOST:514"
    try:
        if address.startswith("/"):
            Path(address).stat()  # the handler would keep it to itself
            handler = logging.handlers.SysLogHandler(address, logging.handlers.SysLogHandler.LOG_AUTHPRIV)
        else:
            url = urlsplit(address)
            kinds: dict[str, Any] = {"udp": socket.SOCK_DGRAM, "tcp": socket.SOCK_STREAM}
            if url.scheme not in kinds or not url.hostname:
                raise SettingsError("security_log_syslog", address, allowed)
            handler = logging.handlers.SysLogHandler(
                (url.hostname, url.port or SYSLOG_PORT), logging.handlers.SysLogHandler.LOG_AUTHPRIV, kinds[url.scheme]
            )
    except (OSError, ValueError) as failed:
        if isinstance(failed, SettingsError):
            raise
        raise SettingsError("security_log_syslog", address, f"{allowed} ({failed})") from failed
    handler.ident = "saidonce: "
    return handler
