"""opine, settled."""

from __future__ import annotations

from typing import Annotated

import typer

from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import EXIT_FAILED, JsonOption, named, open_base, out, print_json


def opine(
    collection: Annotated[
        list[str] | None, typer.Option("--collection", "-c", callback=named, help="Only this collection; repeatable.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Ask again immediately where the last opinion failed.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Get second opinions on the pairs waiting for review; the setting gray_zone says what they may decide.

    After an interruption it resumes where it stopped; `saidonce worker` does the same automatically.

    **Example**: `saidonce opine`
    """
    from saidonce.errors import NotFoundError, UsageError
    from saidonce.foundation.model import gray_modes
    from saidonce.interfaces.views.kb import OpineView

    with open_base() as base:
        known = {c.name for c in base.store.collections()}
        for name in collection or ():
            if name not in known:
                raise NotFoundError("collection", name, "'saidonce status' lists them")
        if not gray_modes(base.settings.gray_zone).asks:
            raise UsageError("second opinions are off; set gray_zone to sort, propose or settle")
        report = base.opine(tuple(collection or ()), again)
        if as_json:
            print_json(OpineView.show(report))
        else:
            counts = ", ".join(f"{n} {outcome.replace('_', ' ')}" for outcome, n in report.outcomes.items())
            out.print(f"{report.n_open} pairs waiting; {report.n_asked} opinions: {counts or 'none due'}")
            if report.n_merged or report.n_dismissed:
                out.print(
                    f"settled: {report.n_merged} merged, {report.n_dismissed} kept apart for now;"
                    " 'saidonce settled' lists them"
                )
            if report.stopped is not None:
                out.print(f"no answer ({report.stopped.replace('_', ' ')}); the other pairs wait for a person")
    if report.stopped is not None:
        raise typer.Exit(EXIT_FAILED)


def settled(
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="Maximum number of decisions.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """List the pairs settled by second opinions, newest first; each decision can be undone.

    **Example**: `saidonce settled -n 5`
    """
    from saidonce.foundation.model import Verb
    from saidonce.interfaces.cli.render import ruling_line
    from saidonce.interfaces.views.kb import DecisionView
    from saidonce.kb.second_opinions import settled_by_opinions as found_settled

    with open_base() as base:
        decisions = found_settled(base.base, limit)
        if as_json:
            print_json([DecisionView.show(d) for d in decisions])
            return
        for d in decisions:
            names = " and ".join(f"[{m[:8]}]" for m in d.members[:2])
            what = "merged" if d.verb is Verb.MERGE else "kept apart for now"
            back = f"undo with 'saidonce revert {d.seq}'" if d.live else "taken back"
            out.print(f"{d.seq} {d.at:%Y-%m-%d %H:%M} {what}: {names}; {back}")
            if d.detail.ruling is not None:
                out.print(f"   {clean(ruling_line(d.detail.ruling))}")
        if not decisions:
            out.print("no pairs have been settled by second opinions")
