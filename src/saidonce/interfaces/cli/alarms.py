"""alarms list, acknowledge, all-clear; call-outs show, set."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from saidonce.errors import UsageError
from saidonce.foundation.model.conversation import Alarm, Way
from saidonce.interfaces.cli.conversations import AsOption, alarm_status, deps_of, only
from saidonce.interfaces.cli.group import CommandSet
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import JsonOption, open_base, out, print_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from saidonce.foundation.model.conversation import EmergencyEvent
    from saidonce.interfaces.views.alarms import AlarmView
    from saidonce.repairs.conversation import ConversationDeps

app = CommandSet("List, acknowledge and end emergency alarms.")
call_outs_app = CommandSet("Show and set the call-out lists: who is called about an emergency, in which order.")

AlarmArgument = Annotated[str, typer.Argument(help="Id of the alarm, or its first digits.", show_default=False)]


@app.command(name="list")
def list_(as_json: JsonOption = False) -> None:
    """List the alarms that are not over, unacknowledged ones first.

    **Example**: `saidonce alarms list`
    """
    from saidonce.interfaces.views.alarms import alarm_views
    from saidonce.repairs.board import board

    with open_base() as base:
        deps = deps_of(base)
        issue_board = board(deps)
        views = alarm_views(deps.store, issue_board)
        events = [*issue_board.alarms, *issue_board.acknowledged]
    if as_json:
        print_json(views)
    else:
        lines = [_line(event, view) for event, view in zip(events, views, strict=True)]
        out.print("\n".join(lines) or "no alarms")


@app.command()
def acknowledge(id: AlarmArgument, actor: AsOption = "", as_json: JsonOption = False) -> None:
    """Acknowledge an alarm: nobody else is called, and the resident is told that you have seen it.

    **Example**: `saidonce alarms acknowledge 9d0c --as sam`
    """
    from saidonce.repairs import conversation

    _act(id, actor, as_json, conversation.acknowledge)


@app.command(name="all-clear")
def all_clear(id: AlarmArgument, actor: AsOption = "", as_json: JsonOption = False) -> None:
    """Confirm that an emergency is over; the resident is told so, and messages are handled normally again.

    **Example**: `saidonce alarms all-clear 9d0c --as sam`
    """
    from saidonce.repairs import conversation

    _act(id, actor, as_json, conversation.confirm_all_clear)


@call_outs_app.command(name="show")
def show_call_outs(as_json: JsonOption = False) -> None:
    """Show the call-out lists in the format that `set` reads.

    **Example**: `saidonce call-outs show > call-outs.toml`
    """
    from saidonce.interfaces.views.alarms import CallOutListView
    from saidonce.repairs.conversation.call_out_sheet import call_outs_as_toml

    with open_base() as base:
        lists = base.store.conversations.call_outs()
    if as_json:
        print_json([CallOutListView.show(each) for each in lists])
        return
    none = "# no call-out lists: every channel without an owner is notified, every ten minutes for an hour\n"
    typer.echo(clean(call_outs_as_toml(lists) or none), nl=False)


@call_outs_app.command(name="set")
def set_call_outs(
    file: Annotated[Path, typer.Argument(help="TOML file of call-out lists.", show_default=False)],
    as_json: JsonOption = False,
) -> None:
    """Replace the call-out lists with those in a file.

    **Example**: `saidonce call-outs set call-outs.toml`
    """
    from saidonce.interfaces.views.alarms import CallOutListView
    from saidonce.repairs.conversation.call_out_sheet import read_call_outs

    try:
        content = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{str(file)!r} cannot be read as UTF-8 text") from None
    with open_base() as base:
        lists = read_call_outs(content, base.store.people.channels(), base.settings.time_zone)
        base.store.conversations.set_call_outs(lists)
        kept = base.store.conversations.call_outs()
    if as_json:
        print_json([CallOutListView.show(each) for each in kept])
    else:
        out.print(clean("\n".join(f"{c.scope} {c.subject}".strip() + f": {len(c.steps)} steps" for c in kept)))


def _act(id: str, actor: str, as_json: bool, act: Callable[[ConversationDeps, str, str, Way], EmergencyEvent]) -> None:
    from saidonce.interfaces.views.alarms import alarm_view
    from saidonce.repairs.board import board

    with open_base() as base:
        deps = deps_of(base)
        raised = [e for e in deps.store.events() if e.state is not Alarm.DISMISSED and e.id.startswith(id)]
        event = act(deps, only("alarm", id, raised).id, actor or getpass.getuser(), Way.COMMAND)
        view = alarm_view(deps.store, board(deps), event)
    if as_json:
        print_json(view)
    else:
        out.print(_line(event, view))


def _line(event: EmergencyEvent, view: AlarmView) -> str:
    claimed = "; the resident says it is over" if view.all_clear_said_at is not None else ""
    waits = "" if event.acknowledged_at is not None else "  NOT ACKNOWLEDGED"
    return clean(
        f"{event.id[:12]}  {event.at:%Y-%m-%d %H:%M}  {event.kind} {event.state}  {view.where or 'unknown home'}"
        f"{waits}{alarm_status(event)}{claimed}"
    )
