"""sync, sources."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saidonce.errors import UpstreamError
from saidonce.foundation import extras
from saidonce.foundation.model.syncs import SyncSource, UpstreamKind
from saidonce.interfaces.cli.lines import clean, n_of
from saidonce.interfaces.cli.shared import (
    EXIT_REFUSED,
    CollectionOption,
    JsonOption,
    err,
    open_base,
    out,
    print_json,
    progress,
    span,
)

if TYPE_CHECKING:
    from saidonce.kb.ingest import DocumentReport
    from saidonce.kb.sync import SyncReport

app = typer.Typer(help="List and remove the sources that collections are synced from.", no_args_is_help=True)

_EVERY = re.compile(r"(\d+(?:\.\d+)?)(s|m|h|d)")
_UNITS = {"s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
WATCH_S = 60.0
"""Seconds between two looks at a source that cannot be watched, where no interval is given."""


def sync(
    address: Annotated[
        str, typer.Argument(metavar="SOURCE", help="Folder, ZIP, Git repository, or URL.", show_default=False)
    ],
    collection: CollectionOption = None,
    prune: Annotated[
        bool | None,
        typer.Option("--prune/--no-prune", help="Remove documents whose files are gone.", show_default=False),
    ] = None,
    every: Annotated[
        str,
        typer.Option(
            help="Interval at which the worker syncs again, such as 5m, 2h, 1d; 'never' stops it.", show_default=False
        ),
    ] = "",
    watch: Annotated[bool, typer.Option("--watch", help="Keep running, and sync whenever something changes.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be read and removed; write nothing.")
    ] = False,
    kind: Annotated[UpstreamKind | None, typer.Option(help="Kind of source, if the address does not show it.")] = None,
    ref: Annotated[str, typer.Option(help="Branch, tag or commit of a Git repository.")] = "",
    name_as: Annotated[str, typer.Option("--as", help="Prefix of the documents' names, instead of the address.")] = "",
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Allow addresses in private networks.")
    ] = False,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="Let an empty source remove all its documents.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the summary only.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Sync a collection with a source: a folder, a Git repository, object storage, a website, an export.

    New and changed files are ingested; unchanged ones are not read if the source shows that; a moved file keeps its
    document. Documents whose files are gone are counted, and removed with --prune. After an interruption at any point,
    the same command completes the work. Exit code 3: some files were refused.

    **Examples**

    * `saidonce sync ./handbook --prune`
    * `saidonce sync https://github.com/acme/docs.git --ref v2 --collection docs --every 1h`
    * `saidonce sync s3://acme-wiki/exports --collection wiki --dry-run`
    * `saidonce sync https://docs.acme.com/sitemap.xml --prune`
    * `saidonce sync ./notion-export.zip --as notion --prune`
    """
    from saidonce.app.syncing import SyncWish

    wish = SyncWish(address, collection or "", kind, name_as, ref, prune, _seconds(every))
    with open_base(creates=True) as base:
        source = base.syncs.wished(wish)
        once = _Once(base, allow_private, allow_empty, dry_run, quiet, as_json)
        report = once.run(source)
        for _ in _changes(source) if watch and not dry_run else ():
            report = _run_again(once, source) or report
        if source.every_s and not (as_json or dry_run):
            again = f"synced again every {span(source.every_s)} by 'saidonce worker'"
            err.print(f"saidonce: {again}; 'saidonce sources list' shows it")
    if report.n_refused:
        raise typer.Exit(EXIT_REFUSED)


@app.command(name="list")
def list_sources(as_json: JsonOption = False) -> None:
    """List the sources and the results of their last runs.

    **Example**: `saidonce sources list`
    """
    from saidonce.interfaces.views.syncs import SourceView

    with open_base() as base:
        sources = base.syncs.sources()
        if as_json:
            print_json([SourceView.show(source) for source in sources])
        else:
            out.print("\n".join(map(source_text, sources)) or "no sources yet: 'saidonce sync SOURCE' adds one")


@app.command(name="remove")
def remove_source(
    source: Annotated[
        str, typer.Argument(help="Source: its id, the first digits of the id, or its address.", show_default=False)
    ],
    collection: CollectionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Stop syncing a source; its documents stay.

    **Example**: `saidonce sources remove 3f2a9c71`
    """
    from saidonce.interfaces.views.syncs import SourceRemoved

    with open_base() as base:
        entry = base.syncs.find(source, collection or "")
        base.syncs.remove(entry)
        if as_json:
            print_json(SourceRemoved(removed=entry.id))
        else:
            out.print(f"{clean(entry.address)} is no longer synced; its documents stay in {clean(entry.collection)}")


class _Once:
    """Runs a source with its progress, and prints what came of it."""

    def __init__(
        self, base: Any, allow_private: bool, allow_empty: bool, is_dry: bool, quiet: bool, as_json: bool
    ) -> None:
        self._base = base
        self._allow_private = allow_private
        self._allow_empty = allow_empty
        self._is_dry = is_dry
        self._quiet = quiet
        self._as_json = as_json

    def run(self, source: SyncSource) -> SyncReport:
        """Run it once."""
        from saidonce.interfaces.cli import render
        from saidonce.interfaces.views.syncs import SyncView
        from saidonce.kb.sync import SyncOptions

        is_quiet = self._quiet or self._as_json
        with progress("listing", None, lines=not self._quiet) as steps:

            def begin(n: int) -> None:
                steps.what, steps.total = "syncing", n
                steps.show()

            def show(_name: str, document: DocumentReport | None) -> None:
                if document is not None and not is_quiet and (line := render.progress_line(document)):
                    err.print(line)
                steps()

            options = SyncOptions(
                source.prune, self._is_dry, self._allow_empty, on_plan=begin, on_read=steps.reading, on_file=show
            )
            report: SyncReport = self._base.syncs.run(source, options, steps.within, self._allow_private)
        if self._as_json:
            kept = self._base.store.syncs.source(source.id) or source
            print_json(SyncView.of(report, kept))
        else:
            out.print(sync_text(report))
        return report


def _run_again(once: _Once, source: SyncSource) -> SyncReport | None:
    """Run a source again; what fails now may work the next time."""
    try:
        return once.run(source)
    except UpstreamError as failed:
        err.print(f"saidonce: {clean(str(failed))}", style="red")
        return None


def _changes(source: SyncSource) -> Iterator[None]:
    """Wait for the next change of a source, or for its interval; yield each time, until stopped."""
    if source.kind is UpstreamKind.FOLDER:
        extras.need("sync", "--watch on a folder")
        from watchfiles import watch

        err.print("saidonce: watching for changes; stop with Ctrl-C")
        for _ in watch(Path(source.address), raise_interrupt=True, debounce=1_600):
            yield
    while True:
        time.sleep(source.every_s or WATCH_S)
        yield


def _seconds(every: str) -> float | None:
    """Return an interval in seconds; None if none is named, 0 for never."""
    if not every:
        return None
    if every == "never":
        return 0.0
    match = _EVERY.fullmatch(every.strip().lower())
    if match is None:
        raise typer.BadParameter("a number with its unit, such as 30s, 5m, 2h or 1d; or 'never'", param_hint="--every")
    return float(match[1]) * _UNITS[match[2]]


def sync_text(report: SyncReport) -> str:
    """Return what a run came to, in a few lines."""
    from saidonce.interfaces.cli import render
    from saidonce.kb.ingest import State

    where = f"{clean(report.source.address)} into {clean(report.source.collection)}: {n_of(report.n_listed, 'file')}"
    if report.is_dry:
        lines = [f"{where}, {len(report.to_read)} to read, {len(report.gone)} gone (dry run)"]
        lines += [f"? {render.short(name)}" for name in report.to_read]
        return "\n".join([*lines, *(f"- {render.short(name)}: gone" for name in report.gone)])
    n_same = report.n_unchanged + report.n_same + report.count(State.UNCHANGED)
    counts = {
        "new": report.count(State.NEW), "changed": report.count(State.CHANGED), "unchanged": n_same,
        "copies": report.count(State.SAME_SOURCE) - len(report.moved), "moved": len(report.moved),
        "gone": len(report.gone), "removed": len(report.removed), "refused": report.n_refused,
    }  # fmt: skip
    shown = ", ".join(f"{n} {what}" for what, n in counts.items() if n > 0)
    lines = [f"{where}: {shown or 'nothing to do'}"]
    lines += [f"> {render.short(old)} moved to {render.short(new)}" for old, new in report.moved]
    lines += [f"- {render.short(name)} removed" for name in report.removed]
    if kept := len(report.gone) - len(report.removed):
        documents = "1 document whose file is gone is" if kept == 1 else f"{kept} documents whose files are gone are"
        lines.append(f"{documents} kept; --prune removes {'it' if kept == 1 else 'them'}")
    lines += [f"{render.short(name)} is kept: another source still has it" for name in report.kept_elsewhere]
    lines += render.refusal_lines((d.name, render.refused_words(d)) for d in report.refused)
    lines += render.refusal_lines((name, f"still refused: {why}") for name, why in report.refused_before)
    lines += [
        f"! {render.short(name)}: the previous version stays until the file can be read" for name in report.outdated
    ]
    lines += [f"! {render.short(name)}: could not be checked; its documents stay" for name in report.unseen]
    if report.passed_over:
        names = ", ".join(clean(name.rsplit("/", 1)[-1]) for name in report.passed_over[:5])
        passed = n_of(len(report.passed_over), "file")
        lines.append(f"{passed} skipped, no parser or no permission to read them: {names}")
    return "\n".join(lines)


def source_text(source: SyncSource) -> str:
    """Return a source with its last run, in a few lines."""
    ref = f" at {clean(source.ref)}" if source.ref else ""
    every = f", every {span(source.every_s)}" if source.every_s else ""
    prune = ", prunes" if source.prune else ""
    head = (
        f"[{source.id[:8]}] {clean(source.address)}{ref} ({source.kind}) into {clean(source.collection)}{every}{prune}"
    )
    if source.is_imported:
        head = f"{head}\n   imported, not synced here: 'saidonce sync {clean(source.address)}' does so"
    if source.last is None:
        return f"{head}\n   never run"
    last = source.last
    at = f"   {last.ended_at:%Y-%m-%d %H:%M}"
    if last.error:
        return f"{head}\n{at}: failed: {clean(last.error)}"
    counts = f"{last.n_listed} files, {last.n_new} new, {last.n_changed} changed, {last.n_moved} moved"
    lines = [head, f"{at}: {counts}, {last.n_gone} gone, {last.n_removed} removed, {last.n_refused} refused"]
    return "\n".join([*lines, *(f"   ! {clean(refusal)}" for refusal in last.refusals)])
