"""serve."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from saidonce.foundation import extras
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import err, open_base

if TYPE_CHECKING:
    from saidonce.app.knowledge_base import KnowledgeBase
    from saidonce.app.repairs_service import Repairs
    from saidonce.foundation.settings.policy import Settings


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; must be a loopback address unless people sign in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8765,
) -> None:
    """Serve the pages and the API, and do the background work.

    Background work is to deliver notifications, decide pending submissions, sync due sources, and, with the extra
    `repairs`, answer residents.

    A single machine needs no sign-in. Once `saidonce people add` has added a person, everybody signs in with a key.

    **Examples**

    * `saidonce serve`
    * `saidonce serve --host 0.0.0.0 --port 8080`
    """
    from saidonce.app.repairs_service import Repairs

    with open_base(creates=True) as base:
        repairs = Repairs(base, base.for_org)

        def announce() -> None:
            err.print(f"saidonce: http://{host}:{port}  (stop with Ctrl-C)")
            warn_of_model(base.settings)

        serve_answering(base, repairs, (host, port), announce)


def warn_of_model(settings: Settings) -> None:
    """Print a warning if the model that is to lead conversations cannot be asked."""
    if not settings.conversation_model or not settings.repairs_enabled or not extras.is_installed(extras.REPAIRS):
        return
    from saidonce.adapters.llm import obstacle

    if why := obstacle(settings.conversation_model, settings.conversation_url):
        obstacle_text = f"conversation_model {settings.conversation_model!r} is unavailable: {why}"
        err.print(clean(f"saidonce: {obstacle_text}; the keyword flow answers instead"), style="red")


def say_how_fast(repairs: Repairs) -> None:
    """Probe a model at an endpoint of one's own, and print how long it took, or what to do if it failed."""
    speed = repairs.measure()
    if speed is not None:
        err.print(clean(f"saidonce: {speed.in_words}"), style="" if speed.seconds is not None else "red")


def warn_of_unreached(repairs: Repairs) -> None:
    """Print where nobody can be notified of an emergency, which alarms wait, and which notices were given up."""
    for org in repairs.unreached():
        err.print(
            clean(
                f"saidonce: WARNING: organisation {org!r} has homes but no channel takes notifications, so nobody is"
                f" notified of an emergency: {repairs.channel_cure(org)}"
            ),
            style="red bold",
        )
    for org in sorted({each.org for each in repairs.troubles()}):
        for line in repairs.warnings(org):
            if "no channel takes" not in line:
                err.print(clean(f"saidonce: WARNING: organisation {org!r}: {line}"), style="red bold")


def warn_of_unanswered(repairs: Repairs) -> None:
    """Print a warning if residents have written who are answered by nobody, since repairs are off here."""
    waiting = repairs.orgs()
    if not waiting:
        return
    settings = repairs.base.settings
    cure = "set repairs_enabled to true" if not settings.repairs_enabled else extras.command(extras.REPAIRS)
    names = ", ".join(repr(org) for org in waiting)
    err.print(
        clean(f"saidonce: WARNING: nobody answers the residents of {names}; messages or alarms are waiting: {cure}"),
        style="red bold",
    )


def warn_of_no_delivery(why: str) -> None:
    """Print a warning that notices cannot be delivered."""
    err.print(clean(f"saidonce: WARNING: notifications cannot be delivered: {why}; retrying"), style="red bold")


def serve_answering(
    base: KnowledgeBase,
    repairs: Repairs,
    at: tuple[str, int],
    on_listening: Callable[[], None],
    is_demo: bool = False,
) -> None:
    """Serve until stopped, with the threads that answer residents and deliver notices; these end first.

    Raises:
        SettingsError: what is set for a channel or the model is malformed: refused before anybody is answered.
        UsageError: the address is taken, or the server would be reachable from elsewhere without a sign-in.
    """
    from saidonce.interfaces.http import run
    from saidonce.interfaces.worker import Answering, Delivering

    def listening() -> None:
        on_listening()
        warn_of_unreached(repairs)

    try:
        with ExitStack() as stack:
            if repairs.is_on:
                repairs.check()
                say_how_fast(repairs)
                stack.enter_context(Answering(repairs, repairs.orgs))
            else:
                warn_of_unanswered(repairs)
            stack.enter_context(Delivering(base, repairs, warn_of_no_delivery))
            run(base, at, listening, repairs, is_demo)
    finally:
        repairs.close()
