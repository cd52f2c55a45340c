"""security-log."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from saidonce.foundation.model.security import SecurityEvent, SecurityFilter, SecurityKind
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import JsonOption, moment_of, open_base, out, print_json, print_json_line

if TYPE_CHECKING:
    from saidonce.foundation.ports import Store

FOLLOW_S = 1.0
BATCH = 1_000


def security_log(
    kind: Annotated[
        list[SecurityKind] | None, typer.Option(help="Only this kind; repeatable.", show_default=False)
    ] = None,
    person: Annotated[str, typer.Option(help="Only entries of this person.")] = "",
    address: Annotated[str, typer.Option(help="Only from this IP address.")] = "",
    since: Annotated[str, typer.Option(help="Only entries from this time on, such as 2026-11-22T10:15:00Z.")] = "",
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=100_000, help="Maximum number of entries; the newest are shown.")
    ] = 50,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Keep printing new entries until stopped; with --json, one per line.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the security log, oldest first: sign-ins, refusals, keys, roles, exports, erasures, settings, backups.

    Entries are never changed or removed. The settings `security_log_file` and `security_log_syslog` forward new
    entries as they arrive.

    **Examples**

    * `saidonce security-log --kind refused --since 2026-11-22T00:00:00Z`
    * `saidonce security-log --follow --json`
    """
    from saidonce.interfaces.views.security import SecurityEventView

    with open_base() as base:
        security_filter = SecurityFilter(tuple(kind or ()), person, address, moment_of(since), limit=limit)
        events = base.store.security.events(security_filter)[::-1]
        if as_json and not follow:
            print_json([SecurityEventView.show(event) for event in events])
            return
        _print(events, as_json)
        if not events and not follow:
            out.print("nothing yet" if security_filter == SecurityFilter(limit=limit) else "no matching entries")
        if follow:
            _follow(base.store, security_filter, events[-1].n if events else 0, as_json)


def _follow(store: Store, security_filter: SecurityFilter, after: int, as_json: bool) -> None:
    while True:
        events = store.security.events(replace(security_filter, after=after, limit=BATCH))
        _print(events, as_json)
        after = events[-1].n if events else after
        if len(events) < BATCH:
            time.sleep(FOLLOW_S)


def _print(events: tuple[SecurityEvent, ...], as_json: bool) -> None:
    from saidonce.interfaces.views.security import SecurityEventView

    for event in events:
        if as_json:
            print_json_line(SecurityEventView.show(event))
        else:
            out.print(clean(_line(event)))


def _line(event: SecurityEvent) -> str:
    more = "; ".join(f"{name} {value}" for name, value in event.detail) if event.kind != SecurityKind.SETTINGS else ""
    parts = (
        f"{event.n}", f"{event.at:%Y-%m-%d %H:%M:%S}", event.kind.replace("_", " "), event.person or "unknown",
        event.address or event.door or "-", event.subject, more,
    )  # fmt: skip
    return "  ".join(part for part in parts if part).replace("\n", " ")
