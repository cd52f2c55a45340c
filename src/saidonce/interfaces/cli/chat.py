"""chat: the console as a channel on which everything can be tried without an account."""

from __future__ import annotations

import json
import mimetypes
import shlex
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saidonce.errors import UsageError
from saidonce.foundation.model.conversation import Button, OutboxKind
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Media, Via
from saidonce.interfaces.cli.demo import FOLDER
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import EXIT_REFUSED, err, open_base, out, print_json_line

if TYPE_CHECKING:
    from saidonce.app.repairs_service import Repairs
    from saidonce.repairs.conversation import ConversationDeps

CONSOLE = "console"
"""Number that the resident writes to on the console."""

ANSWER_S = 30.0
"""Maximum wait for an answer from another process, in seconds."""

PAUSE_S = 0.1


@dataclass(frozen=True, slots=True)
class ConsoleLine:
    """One line typed at the console."""

    text: str = ""
    photo: str = ""
    button: str = ""
    id: str = ""


@dataclass
class _Console:
    """The resident's side of a conversation, with the ids of the messages printed so far."""

    repairs: Repairs
    deps: ConversationDeps
    sender: ChannelIdentity
    as_json: bool
    read: set[str] = field(default_factory=set)
    buttons: tuple[Button, ...] = ()


def chat(
    who: Annotated[
        str, typer.Option("--as", help="Resident to write as: tenancy, name or number; an unknown sender by default.")
    ] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="Read and print JSON objects, one per line, instead of text.")
    ] = False,
) -> None:
    """Chat with the assistant as a resident, line by line; end with an empty line or Ctrl-D.

    `/photo FILE` sends a photo or a voice message, `/1` presses the first button. With `--json` each line is an object
    such as `{"text": "...", "photo": "FILE", "button": "PAYLOAD", "id": "..."}`; a line with an earlier id repeats that
    message and changes nothing. A line that cannot be sent is reported and skipped.

    Exit codes: 0 all sent, 3 some lines refused; at a terminal always 0.

    **Examples**

    * `saidonce chat --as "Ana Bell"`
    * `saidonce chat --as +447700900001 --json < messages.jsonl`
    """
    from saidonce.app.repairs_service import Repairs

    with open_base(creates=True) as base:
        repairs = Repairs(base, base.for_org)
        try:
            console = _open_console(repairs, who, as_json)
            n_refused = sum(not _try_send(console, place, line) for place, line in _lines(console))
        finally:
            repairs.close()
    if n_refused and not sys.stdin.isatty():
        raise typer.Exit(EXIT_REFUSED)


def _try_send(console: _Console, place: int, line: str) -> bool:
    """Send a line, or print why it cannot be sent; return whether it was sent."""
    try:
        _send(console, _from_json(line) if console.as_json else _from_text(console, line.strip()))
    except UsageError as bad:
        where = "" if sys.stdin.isatty() else f"line {place}: "
        err.print(f"saidonce: {where}{clean(str(bad))}", style="red")
        return False
    return True


def _open_console(repairs: Repairs, who: str, as_json: bool) -> _Console:
    from saidonce.app.repairs_service import conversation_of
    from saidonce.interfaces.cli.homes import one_home

    deps = repairs.deps()
    # At a console every line is a whole message: nothing is to be waited for.
    deps = replace(deps, rules=replace(deps.rules, text_wait_s=0.0, media_wait_s=0.0))
    home = one_home(deps.store.homes(), who) if who else None
    if who and home is None and not who.startswith("+"):
        raise UsageError(
            f"no resident {who!r}; 'saidonce homes list' lists them, a number may be unknown."
            f" The demo's residents: saidonce --data-dir {FOLDER} --org demo chat --as {shlex.quote(who)}"
        )
    if home is not None:
        phone = home.resident.phones[0] if home.resident.phones else None
        key = f"{CONSOLE}-{home.resident.id}"
        sender = ChannelIdentity(Via.WEB, key, phone)
        if phone is None and sender.key not in home.resident.external_ids:
            known = replace(home.resident, external_ids=(*home.resident.external_ids, sender.key))
            deps.store.put_home(home.property, known, home.tenancy)
    else:
        sender = ChannelIdentity(Via.WEB, f"{CONSOLE}-{who or 'stranger'}", who or None)
    console = _Console(repairs, deps, sender, as_json)
    talk = conversation_of(deps, sender, CONSOLE)
    console.read.update(m.id for m in deps.store.outbox(talk.id)) if talk is not None else None
    if not as_json and sys.stdin.isatty():
        err.print(f"writing as {clean(home.resident.name) if home else 'an unknown sender'}; end with Ctrl-D")
    return console


def _lines(console: _Console) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers from 1; empty ones are skipped, or end the chat at a terminal."""
    for place in count(1):
        try:
            line = input("you> " if sys.stdin.isatty() and not console.as_json else "")
        except EOFError:
            return
        if not line.strip():
            if sys.stdin.isatty():
                return
            continue
        yield place, line


def _from_text(console: _Console, line: str) -> ConsoleLine:
    """Read a line; one that begins with a slash is a command and never sent as text.

    Raises:
        UsageError: the command is unknown or cannot be carried out.
    """
    if not line.startswith("/"):
        return ConsoleLine(text=line)
    command, _, argument = line[1:].partition(" ")
    if command == "photo":
        if not argument.strip():
            raise UsageError("/photo needs a file, such as /photo tap.jpg")
        return ConsoleLine(photo=argument.strip())
    if not command.isascii() or not command.isdecimal() or argument.strip():
        raise UsageError(f"unknown command {line!r}; /photo FILE sends a photo, /1 presses the first button")
    if not console.buttons:
        raise UsageError(f"{line}: there are no buttons to press")
    n = len(console.buttons)
    # The length first: a number of thousands of digits is none that Python reads.
    if len(command) > len(str(n)) or not 1 <= int(command) <= n:
        raise UsageError(f"no button {line}; choose from /1 to /{n}")
    return ConsoleLine(button=console.buttons[int(command) - 1].payload)


def _from_json(line: str) -> ConsoleLine:
    try:
        fields: Any = json.loads(line)
    except (ValueError, RecursionError) as bad:
        raise UsageError("invalid JSON") from bad
    known = set(ConsoleLine.__slots__)
    if not isinstance(fields, dict) or set(fields) - known or not all(isinstance(v, str) for v in fields.values()):
        raise UsageError(f"each line must be a JSON object with string values and the keys {', '.join(sorted(known))}")
    if not any(part.strip() for part in (fields.get("text", ""), fields.get("photo", ""), fields.get("button", ""))):
        raise UsageError("each line needs a text, a photo or a button")
    return ConsoleLine(**fields)


def _bytes_of(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except (OSError, ValueError) as bad:
        raise UsageError(f"cannot read {file!r}: {getattr(bad, 'strerror', '') or 'not a file name'}") from bad


def _send(console: _Console, line: ConsoleLine) -> None:
    """Store a message, have it answered, and print the answers."""
    from saidonce.app.repairs_service import conversation_of
    from saidonce.repairs import conversation

    media: tuple[Media, ...] = ()
    if line.photo:
        content = _bytes_of(line.photo)
        media = (console.repairs.keep_file(content, mimetypes.guess_type(line.photo)[0] or ""),)
    kind = InboundKind.BUTTON if line.button else InboundKind.MEDIA if media else InboundKind.TEXT
    now = console.deps.clock.now()
    inbound = Inbound(
        console.sender, CONSOLE, line.id or uuid.uuid4().hex, kind, now, now, line.text, media, line.button
    )
    conversation.take_in(console.deps, (inbound,))
    if media and not media[0].stored:
        conversation.fetch_media(console.repairs.intake())
    worker = f"{CONSOLE} {uuid.uuid4().hex[:8]}"
    until = time.monotonic() + ANSWER_S
    while True:
        conversation.once(console.deps, console.repairs.messenger, worker)
        talk = conversation_of(console.deps, console.sender, CONSOLE)
        assert talk is not None
        # A server that runs beside us may have been faster to take the turn; then it is waited for.
        if (talk.due_at is None and talk.lease_until is None) or time.monotonic() > until:
            break
        time.sleep(PAUSE_S)
    for message in console.deps.store.outbox(talk.id):
        if message.id not in console.read:
            console.read.add(message.id)
            console.buttons = message.buttons
            _print(console, message.kind, message.text, message.buttons)


def _print(console: _Console, kind: str, text: str, buttons: tuple[Button, ...]) -> None:
    if console.as_json:
        from saidonce.interfaces.views.repairs import ChatLine

        print_json_line(ChatLine(kind=OutboxKind(kind), text=text, buttons=buttons))
        return
    out.print(f"assistant> {clean(text)}", style="red bold" if kind == "safety" else "")
    for number, button in enumerate(buttons, 1):
        out.print(f"  /{number} {clean(button.title)}")
