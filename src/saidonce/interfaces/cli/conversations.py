"""conversations list, show, take-over, hand-back, write, approve, undo, replay; issues list, show, close, move."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model.board import IssueMove
from saidonce.foundation.model.conversation import Conversation, EmergencyEvent, Issue, IssueState, Turn
from saidonce.foundation.model.residents import Home
from saidonce.interfaces.cli.group import CommandSet
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import EXIT_FAILED, JsonOption, open_base, out, print_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from saidonce.repairs.conversation import ConversationDeps, LimitStanding
    from saidonce.repairs.timeline import Moment

_WithId = TypeVar("_WithId", Conversation, Issue, EmergencyEvent)

app = CommandSet("Read, take over and replay conversations with residents.")
issues_app = CommandSet("List, move and update repair issues.")

IdArgument = Annotated[str, typer.Argument(help="Id of the conversation, or its first digits.", show_default=False)]
IssueArgument = Annotated[str, typer.Argument(help="Id of the issue, or its first digits.", show_default=False)]
AsOption = Annotated[str, typer.Option("--as", help="Person who acts; you by default.")]
LimitOption = Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number.")]


@app.command(name="list")
def list_(limit: LimitOption = 50, as_json: JsonOption = False) -> None:
    """List conversations, the latest message first.

    **Example**: `saidonce conversations list --json`
    """
    from saidonce.interfaces.views.repairs import ConversationView

    with open_base() as base:
        talks = base.store.conversations.conversations(limit)
        names = {h.tenancy.id: h.resident.name for h in base.store.conversations.homes()}
    if as_json:
        print_json([ConversationView.show(c) for c in talks])
    else:
        out.print("\n".join(_line(c, names) for c in talks) or "no conversations")


@app.command()
def show(id: IdArgument, as_json: JsonOption = False) -> None:
    """Show everything that happened in a conversation, oldest first.

    **Example**: `saidonce conversations show 3f2a9c`
    """
    from saidonce.interfaces.views.repairs import conversation_detail
    from saidonce.repairs.timeline import timeline

    with open_base() as base:
        deps = deps_of(base)
        of = _conversation(deps, id)
        if as_json:
            print_json(conversation_detail(deps, of))
            return
        for moment in timeline(deps, of.id).moments:
            out.print(f"{moment.at:%Y-%m-%d %H:%M:%S}  {clean(_moment_line(moment))}")


@app.command(name="take-over")
def take_over(id: IdArgument, actor: AsOption = "", as_json: JsonOption = False) -> None:
    """Stop the assistant in a conversation and take it over; emergencies are still answered.

    **Example**: `saidonce conversations take-over 3f2a9c`
    """
    from saidonce.repairs import conversation

    _act(id, actor, as_json, conversation.take_over)


@app.command(name="hand-back")
def hand_back(id: IdArgument, actor: AsOption = "", as_json: JsonOption = False) -> None:
    """Let the assistant answer in a conversation again.

    **Example**: `saidonce conversations hand-back 3f2a9c`
    """
    from saidonce.repairs import conversation

    _act(id, actor, as_json, conversation.hand_back)


@app.command()
def write(
    id: IdArgument,
    text: Annotated[str, typer.Argument(help="Text of the message.", show_default=False)],
    actor: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Send a message in a conversation.

    **Example**: `saidonce conversations write 3f2a9c "The plumber comes at ten."`
    """
    from saidonce.repairs import conversation

    _act(id, actor, as_json, lambda deps, of, by: conversation.write_as_staff(deps, of, text, by))


@app.command()
def approve(
    id: IdArgument,
    tenancy: Annotated[str, typer.Argument(help="Id of the tenancy.", show_default=False)],
    actor: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Confirm whose conversation it is.

    **Example**: `saidonce conversations approve 3f2a9c t-ana`
    """
    from saidonce.repairs import conversation

    _act(id, actor, as_json, lambda deps, of, by: conversation.approve_identity(deps, of, tenancy, by))


@app.command()
def undo(id: IdArgument, actor: AsOption = "", as_json: JsonOption = False) -> None:
    """Undo the confirmation of a conversation's resident; its open issues are marked for review.

    **Example**: `saidonce conversations undo 3f2a9c`
    """
    from saidonce.repairs import conversation

    _act(id, actor, as_json, conversation.undo_identity)


@app.command()
def replay(
    turn: Annotated[str, typer.Argument(help="Id of a turn, or its first digits.", show_default=False)],
    as_json: JsonOption = False,
) -> None:
    """Replay a turn from its messages and the model's recorded replies, and compare: exit 1 if it differs.

    No model is asked and nothing is written. Homes, documents and settings are the current ones.

    **Example**: `saidonce conversations replay 9b41`
    """
    from saidonce.app.repairs_service import replay_turn
    from saidonce.interfaces.views.repairs import ReplayView

    with open_base() as base:
        report = replay_turn(deps_of(base), turn)
    if as_json:
        print_json(ReplayView.show(report))
    else:
        for d in report.differences:
            out.print(clean(f"{d.field}: was {d.kept}, is {d.now}"))
        before = f"; {len(report.before)} turns before it differ" if report.before else ""
        same = "has the same result" if not report.differences else f"differs in {len(report.differences)} points"
        out.print(f"turn {report.turn.n} ({report.turn.id[:12]}) {same}{before}")
    if not report.is_same:
        raise typer.Exit(EXIT_FAILED)


@issues_app.command(name="list")
def list_issues(
    state: Annotated[IssueState | None, typer.Option(help="Only issues in this state.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List issues, oldest first.

    **Example**: `saidonce issues list --state open`
    """
    from saidonce.interfaces.views.repairs import issue_views

    with open_base() as base:
        deps = deps_of(base)
        issues = [i for i in deps.store.issues() if state in (None, i.state)]
        moves = deps.store.issue_moves() if as_json else ()
    if as_json:
        print_json(issue_views(deps, issues, moves))
    else:
        out.print("\n".join(_issue_line(i) for i in issues) or "no issues")


@issues_app.command(name="show")
def show_issue(id: IssueArgument, as_json: JsonOption = False) -> None:
    """Show an issue with its visit, contractor, deadlines and history, oldest first.

    **Example**: `saidonce issues show 5a1c`
    """
    from saidonce.interfaces.views.repairs import issue_view
    from saidonce.repairs.conversation import standings

    with open_base() as base:
        deps = deps_of(base)
        issue = _issue(deps, id)
        moves = deps.store.issue_moves(issue.id)
        home = deps.store.home(issue.tenancy_id)
    if as_json:
        print_json(issue_view(deps, issue, moves))
        return
    limits = standings(issue, deps.rules, deps.clock.now())
    out.print("\n".join(clean(f"{name}: {value}") for name, value in issue_fields(issue, home, limits)))
    for move in moves:
        out.print(f"{move.at:%Y-%m-%d %H:%M:%S}  {clean(_move_words(move))}")


@issues_app.command()
def close(id: IssueArgument, actor: AsOption = "", as_json: JsonOption = False) -> None:
    """Mark an issue as done; its resident is asked whether it is fixed.

    **Example**: `saidonce issues close 5a1c`
    """
    _move(id, IssueState.DONE, actor, as_json)


@issues_app.command()
def move(
    id: IssueArgument,
    to: Annotated[IssueState, typer.Argument(help="New state on the board.", show_default=False)],
    actor: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Move an issue on the board and notify its resident; moves back are possible, and the history keeps all of them.

    **Example**: `saidonce issues move 5a1c in_progress`
    """
    _move(id, to, actor, as_json)


def _move(id: str, to: IssueState, actor: str, as_json: bool) -> None:
    from saidonce.interfaces.views.repairs import issue_view
    from saidonce.repairs import conversation

    with open_base() as base:
        deps = deps_of(base)
        moved = conversation.move_issue(deps, _issue(deps, id).id, to, actor or getpass.getuser())
        moves = deps.store.issue_moves(moved.id)
    if as_json:
        print_json(issue_view(deps, moved, moves))
    else:
        out.print(_issue_line(moved))
        out.print(clean(notification_words(moved)))


def _act(id: str, actor: str, as_json: bool, act: Callable[[ConversationDeps, str, str], Turn]) -> None:
    from saidonce.interfaces.views.repairs import TurnDetail

    with open_base() as base:
        deps = deps_of(base)
        of = _conversation(deps, id)
        turn = act(deps, of.id, actor or getpass.getuser())
    if as_json:
        print_json(TurnDetail.show(turn))
    else:
        out.print(clean(f"conversation {of.id[:12]}: {turn.reason}"))


def deps_of(base: object) -> ConversationDeps:
    """Return what the conversations of an opened base's organisation work with."""
    from saidonce.app.knowledge_base import KnowledgeBase
    from saidonce.app.repairs_service import Repairs

    assert isinstance(base, KnowledgeBase)
    return Repairs(base, base.for_org).deps()


def _conversation(deps: ConversationDeps, prefix: str) -> Conversation:
    matches = [c for c in deps.store.conversations(10_000) if c.id.startswith(prefix)]
    return only("conversation", prefix, matches)


def _issue(deps: ConversationDeps, prefix: str) -> Issue:
    return only("issue", prefix, [i for i in deps.store.issues() if i.id.startswith(prefix)])


def only(noun: str, prefix: str, matches: list[_WithId]) -> _WithId:
    """Return the one of some nouns that begin with a prefix.

    Raises:
        UsageError: the prefix is empty, or several begin so.
        NotFoundError: none does.
    """
    if not prefix:
        raise UsageError(f"the id is empty; give the first digits of the {noun}'s id")
    if len(matches) > 1:
        raise UsageError(f"{len(matches)} ids begin with {prefix!r}; give more digits")
    if not matches:
        raise NotFoundError(noun, prefix)
    return matches[0]


def _line(of: Conversation, names: dict[str, str]) -> str:
    last = f"{of.last_inbound_at:%Y-%m-%d %H:%M}" if of.last_inbound_at else "-"
    person = "  with a person" if of.handed_off_at else ""
    who = clean(names.get(of.tenancy_id, "unknown sender"))
    return f"{of.id[:12]}  {last}  {of.sender.via}  {who}  {of.identity}  {of.gathering}{person}"


def notification_words(issue: Issue) -> str:
    """Return in words whether the resident was notified of the last change, or why not."""
    last = issue.progress.told
    if last is None:
        return "the resident was not notified"
    if last.obstacle:
        return f"not notified: {last.obstacle.replace('_', ' ')}"
    return f"the resident is notified: {last.about.replace('_', ' ')}"


def issue_fields(issue: Issue, home: Home | None, limits: tuple[LimitStanding, ...] = ()) -> list[tuple[str, str]]:
    """Return the names and values of an issue's fields as text; lists with commas, nothing as a dash."""
    from saidonce.interfaces.views.repairs import IssueView

    fields: list[tuple[str, str]] = []
    for name, value in IssueView.show(issue, moves=(), limits=limits).data().items():
        if name == "moves":
            continue
        fields.append((name, _plain(value)))
        if name == "tenancy":
            fields.append(("resident", home.resident.name if home else "-"))
        elif name == "property":
            fields.append(("address", home.property.whole_line if home else "-"))
    return fields


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        value = ", ".join(f"{name} {_plain(each)}" for name, each in value.items() if each not in (None, "", []))
    if isinstance(value, list):
        between = "; " if any(isinstance(each, dict) for each in value) else ", "
        value = between.join(_plain(each) for each in value)
    return str(value) if value not in (None, "") else "-"


def _issue_line(issue: Issue) -> str:
    review = f"  ({issue.review.partition(':')[0]})" if issue.review else ""
    description = clean(issue.description[:100])
    return f"{issue.id[:12]}  {issue.state}  {issue.urgency}  {issue.category}  {description}{review}"


def _moment_line(moment: Moment) -> str:
    from saidonce.repairs.timeline import PATHS_IN_WORDS

    if moment.line is not None:
        n_files = len(moment.line.media)
        text = moment.line.pressed or moment.line.text or f"[{n_files} file{'s' if n_files != 1 else ''}]"
        return f"{'resident' if moment.line.is_resident else moment.line.kind}: {text}"
    if moment.turn is not None:
        t = moment.turn
        refused = f" refused {'; '.join(t.refused)}" if t.refused else ""
        return f"  turn {t.n} {t.id[:12]} {t.tool or '-'}, {PATHS_IN_WORDS[t.path]}: {t.reason}{refused}"
    if moment.event is not None:
        return f"  EMERGENCY {moment.event.kind} {moment.event.state}{alarm_status(moment.event)}"
    if moment.move is not None:
        return f"  issue {moment.move.issue_id[:12]} {_move_words(moment.move)}"
    assert moment.notice is not None
    return f"  landlord notified: {moment.notice.event} {moment.notice.detail}"


def alarm_status(event: EmergencyEvent) -> str:
    """Return in words how far an alarm has been handled."""
    if event.cleared_at is not None:
        return f", over: {event.cleared_by} {event.cleared_at:%Y-%m-%d %H:%M}"
    if event.acknowledged_at is not None:
        return f", seen: {event.acknowledged_by} {event.acknowledged_at:%Y-%m-%d %H:%M} by {event.acknowledged_via}"
    return ", NO CALL was answered" if event.exhausted_at is not None else ""


def _move_words(move: IssueMove) -> str:
    looked = f" (reviewed: {move.looked_at})" if move.looked_at else ""
    if move.step is not None:
        state = f" ({move.after})" if move.before is not move.after else ""
        return f"{move.step.value.replace('_', ' ')}{state} by {move.actor}: {move.note}".rstrip(": ")
    return f"{move.before} > {move.after} by {move.actor}{looked}"
