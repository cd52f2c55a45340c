"""pairs show, pairs compare, pairs rebuild, pairs translations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from saidonce.interfaces.cli.group import CommandSet
from saidonce.interfaces.cli.shared import (
    EXIT_FAILED,
    CollectionOption,
    JsonOption,
    WorkersOption,
    open_base,
    out,
    print_json,
    progress,
    with_workers,
)

if TYPE_CHECKING:
    from saidonce.kb.pairs import OnStep

app = CommandSet("Show, compare and rebuild the pair table: which texts are near each other, and how they compare.")


@app.command(name="show")
def show(as_json: JsonOption = False) -> None:
    """Show how many texts and pairs the table holds, and how many are waiting.

    **Example**: `saidonce pairs show --json`
    """
    from saidonce.interfaces.cli import render
    from saidonce.interfaces.views.kb import PairCountsView

    with open_base() as base:
        counts = base.pair_counts()
        if as_json:
            print_json(PairCountsView.show(counts))
        else:
            out.print(render.pairs_text(counts))


@app.command(name="compare")
def compare(workers: WorkersOption = None, as_json: JsonOption = False) -> None:
    """Find the neighbours of waiting texts and compare their pairs; finished work is kept when interrupted.

    A worker does the same in the background. Until then searches give the same hits, but take longer.

    **Example**: `saidonce pairs compare`
    """
    from saidonce.interfaces.cli import render
    from saidonce.interfaces.views.kb import PairsComparedView

    with open_base(**with_workers(workers)) as base:
        with _steps() as on_step:
            done = base.compare_pairs(on_step=on_step)
        counts = base.pair_counts()
        if as_json:
            print_json(PairsComparedView.show(counts, n_listed=done.n_listed, n_compared=done.n_compared))
        else:
            out.print(f"{done.n_listed:,} texts listed, {done.n_compared:,} pairs compared")
            out.print(render.pairs_text(counts))


@app.command(name="rebuild")
def rebuild(workers: WorkersOption = None, as_json: JsonOption = False) -> None:
    """Drop the pair table and rebuild it, and report whether the result is the same.

    If interrupted, `pairs compare` or a worker completes it.

    **Example**: `saidonce pairs rebuild`
    """
    from saidonce.interfaces.cli import render
    from saidonce.interfaces.views.kb import PairRebuildView

    with open_base(**with_workers(workers)) as base:
        with _steps() as on_step:
            report = base.rebuild_pairs(on_step)
        if as_json:
            print_json(PairRebuildView.show(report))
        else:
            out.print(render.pairs_text(report.counts))
            out.print(_OUTCOMES[report.is_same])
    if report.is_same is False:
        raise typer.Exit(EXIT_FAILED)


_OUTCOMES = {
    True: "the rebuilt table is identical to the old one",
    False: "the old table was wrong; it is correct now",
    None: "the old table was not up to date, so the two cannot be compared",
}


@app.command(name="translations")
def translations(collection: CollectionOption = None, as_json: JsonOption = False) -> None:
    """List texts of a collection that may be translations of each other; nothing is merged or written.

    The setting `translation_embedder` names the model, `translation_from` the minimum score.

    **Examples**

    * `SAIDONCE_TRANSLATION_EMBEDDER=multilingual saidonce pairs translations`
    * `saidonce pairs translations -c handbook --json`
    """
    from saidonce.app.translating import named_translations
    from saidonce.interfaces.cli import render
    from saidonce.interfaces.views.translations import TranslationView

    with open_base() as base:
        translated = named_translations(base, collection)
        if as_json:
            print_json([TranslationView.show(pair).data() for pair in translated])
        else:
            out.print(render.translations_text(translated))


@contextmanager
def _steps() -> Iterator[OnStep]:
    """Show the progress of whatever is done."""
    with progress("pairs", None, lines=True) as steps:

        def on_step(what: str, done: int, total: int) -> None:
            steps.what, steps.done, steps.total = what, done, total
            steps.show()

        yield on_step
