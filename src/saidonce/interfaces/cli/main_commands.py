"""ingest, search, ask, why, status, documents, remove, reembed, settings."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model import Filters, Kind
from saidonce.interfaces.cli.lines import clean, n_of
from saidonce.interfaces.cli.shared import (
    EXIT_REFUSED,
    CollectionOption,
    JsonOption,
    WorkersOption,
    err,
    errors_reported,
    named,
    open_base,
    out,
    print_json,
    progress,
    with_workers,
)

if TYPE_CHECKING:
    from saidonce.app.knowledge_base import KnowledgeBase
    from saidonce.documents.discovery import Discovered
    from saidonce.foundation.context import Source
    from saidonce.kb.ingest import DocumentReport

KindOption = Annotated[list[Kind] | None, typer.Option("--kind", help="Only blocks of this kind; repeatable.")]
LanguageOption = Annotated[list[str] | None, typer.Option("--language", help="Only this language, such as en.")]
DocumentOption = Annotated[list[str] | None, typer.Option("--document", help="Only this document, by name.")]
CollectionsOption = Annotated[
    list[str] | None,
    typer.Option("--collection", "-c", callback=named, help="Only this collection; repeatable. All by default."),
]
SinceOption = Annotated[datetime | None, typer.Option(help="Only documents dated on or after this day.")]
TagOption = Annotated[list[str] | None, typer.Option("--tag", help="Only blocks with this tag; repeatable.")]
UntilOption = Annotated[datetime | None, typer.Option(help="Only documents dated on or before this day.")]


def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders.", show_default=False)],
    collection: CollectionOption = None,
    name_as: Annotated[
        str,
        typer.Option(
            "--as",
            help="Name to store for the single path, so that another copy of the folder counts as the same source.",
        ),
    ] = "",
    use: Annotated[
        Literal["evidence", "canonical"] | None,
        typer.Option(help="Use of a new collection: canonical merges near-duplicates of different documents."),
    ] = None,
    owner: Annotated[str | None, typer.Option(help="Owner of the ingested documents.")] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", help="Tag of the ingested documents, replacing earlier tags; repeatable."),
    ] = None,
    prune: Annotated[bool, typer.Option(help="Remove documents whose files under these folders are gone.")] = False,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="Let --prune remove all documents of a folder without files.")
    ] = False,
    workers: WorkersOption = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the summary only.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Ingest files and folders: parse them, remove repeats within each document, and store the rest.

    Finished work is kept: run the same command again after an interruption, or when files have changed.

    **Examples**

    * `saidonce ingest ./handbook`
    * `saidonce ingest ./handbook-v2 --as handbook --prune`
    * `saidonce ingest ./answers --collection answers --use canonical --owner ann`
    * `saidonce ingest ./handbook --tag hr --tag 2025`
    """
    from saidonce.documents.discovery import check_paths
    from saidonce.interfaces.cli import render
    from saidonce.interfaces.views import kb as as_data

    with errors_reported():
        check_paths(paths, name_as)  # first, so that a mistyped path creates no base
    with open_base(creates=True, collection_use=use, owner=owner, **with_workers(workers)) as base:
        _check_use(base, collection, use)
        discovered = base.find(paths, name_as)
        if prune and not allow_empty:
            _check_not_empty(base, discovered, collection)
        with progress("ingesting", len(discovered.sources), lines=not quiet) as steps:

            def show(report: DocumentReport) -> None:
                if not quiet and not as_json and (line := render.progress_line(report)):
                    err.print(line)
                steps()

            def counted(source: Source) -> Source:
                def read() -> bytes:
                    steps.reading()
                    return source.read()

                return replace(source, read=read, tags=tuple(tag or ()))

            sources = [counted(source) for source in discovered.sources]
            report = base.ingest(sources, collection, show, steps.within)
        removed = [(name, base.remove(name, collection)) for name in base.gone(discovered, collection)] if prune else []
        names = [name for name, _ in removed]
        passed_over = (*discovered.passed_over, *report.passed_over)
        unread, kernel = discovered.unreadable, discovered.of_the_kernel
        if as_json:
            shown = {"passed_over": passed_over, "removed": names, "unreadable": unread, "of_the_kernel": kernel}
            print_json(as_data.IngestView.show(report, **shown))
        else:
            out.print(render.ingest_summary(report, passed_over, names, unread, kernel))
    if report.refused or discovered.unreadable:
        raise typer.Exit(EXIT_REFUSED)


def _check_not_empty(base: Any, discovered: Discovered, collection: str | None) -> None:
    """Refuse to conclude from an empty folder that everything was deleted: a disk may not be mounted."""
    from saidonce.documents.discovery import why_nothing_is_removed

    stored = base.store.documents(collection or base.settings.collection)
    names = [name for document in stored for name in (document.names or (document.name,))]
    for root in discovered.empty:
        if n_gone := sum(name.startswith(f"{root.rstrip('/')}/") for name in names):
            raise UsageError(f"the folder {root!r} {why_nothing_is_removed(n_gone)}")


def _check_use(base: Any, collection: str | None, use: str | None) -> None:
    name = collection or base.settings.collection
    for existing in base.store.collections():
        if existing.name == name and use is not None and existing.use != use:
            raise UsageError(
                f"collection {name!r} was created for {existing.use} use, which cannot be changed; for {use} use, name"
                " a new collection with --collection"
            )


def search(
    query: Annotated[str, typer.Argument(help="Question in plain words.", show_default=False)],
    k: Annotated[int | None, typer.Option("--k", "-k", min=1, max=1000, help="Number of hits.")] = None,
    collection: CollectionsOption = None,
    document: DocumentOption = None,
    kind: KindOption = None,
    language: LanguageOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    tag: TagOption = None,
    explain: Annotated[bool, typer.Option("--explain", "-e", help="Show the parts of each score.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Search the base; each answer appears once, with the places that repeat it under "also in".

    **Examples**

    * `saidonce search "how long do we keep backups?"`
    * `saidonce search "retention" --kind table --since 2025-01-01 --json`
    """
    filters = replace(_filters(collection, document, kind, language, since, until), tags=tuple(tag or ()))
    with open_base(embeds=True) as base:
        from saidonce.interfaces.cli import render
        from saidonce.interfaces.views import kb as as_data

        report = base.search(query, filters, k)
        if as_json:
            print_json(as_data.SearchView.show(report))
        else:
            out.print(render.search_text(report, explain))
            n_wanted = base.settings.k if k is None else k
            if below := render.below_line(report, n_wanted, base.settings.min_relevance):
                out.print(below, "faint")
        if not report.n_pool:
            _warn_if_empty(base)


def context(
    question: Annotated[str, typer.Argument(help="Question in plain words.", show_default=False)],
    tokens: Annotated[
        int, typer.Option("--tokens", "-t", min=50, max=200_000, help="Token budget of the context.")
    ] = 2_000,
    collection: CollectionsOption = None,
    document: DocumentOption = None,
    kind: KindOption = None,
    language: LanguageOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    tag: TagOption = None,
    as_json: JsonOption = False,
) -> None:
    """Pack what the base says about a question into a context for a language model.

    Nothing is included twice: a hit that repeats a better one adds its source only, a variant adds the sentences that
    differ, with the values in conflict. Hits that do not fit are counted on standard error. The texts are quotations
    from documents: data for a model, not instructions.

    **Examples**

    * `saidonce context "how long do we keep backups?"`
    * `saidonce context "retention" --tokens 500 --collection handbook --json`
    """
    filters = replace(_filters(collection, document, kind, language, since, until), tags=tuple(tag or ()))
    with open_base(embeds=True) as base:
        from saidonce.interfaces.views import passages as as_data

        packed = base.context(question, tokens, filters)
        if as_json:
            print_json(as_data.ContextView.show(packed))
        elif packed.passages:
            out.print(clean(packed.text))
            err.print(f"saidonce: {packed.n_tokens} of {tokens} tokens, {len(packed.left_out)} hits did not fit")
        else:
            too_long = f"{len(packed.left_out)} hits, none of which fits into {tokens} tokens; give more with --tokens"
            err.print(f"saidonce: {too_long if packed.left_out else 'nothing in the base answers this'}")
        if not packed.passages:
            _warn_if_empty(base)


def ask(
    question: Annotated[str, typer.Argument(help="Question in plain words.", show_default=False)],
    collection: CollectionsOption = None,
    language: LanguageOption = None,
    model: Annotated[str | None, typer.Option(help="Model, such as openai:gpt-5-mini; 'none' quotes verbatim.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question from the base, with citations.

    Without a model (setting `answer_model`), the best passages are quoted verbatim. With one, an answer is given
    only if every sentence is supported by the passages it cites.

    **Examples**

    * `saidonce ask "how long do we keep backups?"`
    * `saidonce ask "who approves access?" --model openai:gpt-5-mini`
    """
    changes: dict[str, Any] = {"answer_model": "" if model == "none" else model} if model else {}
    with open_base(embeds=True, **changes) as base:
        from saidonce.interfaces.cli import render
        from saidonce.interfaces.views import passages as as_data

        answer = base.ask(question, _filters(collection, None, None, language, None, None))
        if as_json:
            print_json(as_data.AnswerView.show(answer))
        else:
            out.print(render.answer_text(answer))
        if not answer.sentences:
            _warn_if_empty(base)


def _warn_if_empty(base: KnowledgeBase) -> None:
    """Name the base that was asked if it holds no text: often it is another one than the reader means."""
    if any(counted.n_blocks for counted in base.store.counts()):
        return
    place = "at the address of database_url" if base.settings.database_url else f"in {base.settings.data_dir}"
    err.print(clean(f"saidonce: the base {place} is empty; add documents with 'saidonce ingest FOLDER'"))


def why(
    block: Annotated[
        str,
        typer.Argument(
            help="Block, segment or verdict: its id or the first digits; or a document: its name or the end of it.",
            show_default=False,
        ),
    ],
    collection: Annotated[
        str | None,
        typer.Option("--collection", "-c", callback=named, help="Only documents of this collection; all by default."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Explain where a block came from, what it absorbed, and what was dropped or kept apart.

    For a gate's verdict (gv-...), it shows the comparisons, the ruling and later events; for a document, the blocks
    that the document supports.

    **Examples**

    * `saidonce why 3f2a9c`
    * `saidonce why handbook/backups.md`
    """
    from saidonce.gate import VERDICT
    from saidonce.gate import account as account_of_verdict
    from saidonce.interfaces.cli import render
    from saidonce.interfaces.cli.gate_lines import tell_account
    from saidonce.interfaces.views import kb as as_data
    from saidonce.kb.explain import DocumentAccount

    with open_base() as base:
        if block.startswith(VERDICT):
            tell_account(account_of_verdict(base.store, block), as_json)
            return
        account = _account(base, block, collection)
        if isinstance(account, DocumentAccount):
            if as_json:
                print_json(as_data.DocumentAccountView.show(account))
            else:
                out.print(render.document_account_text(account))
        elif as_json:
            print_json(as_data.ExplanationView.show(account))
        else:
            out.print(render.account_text(account))


def _account(base: Any, asked: str, collection: str | None) -> Any:
    """Return the account of a block or segment by its id, or of a document by its name or id."""
    if not asked.strip():
        raise UsageError("give the id of a block, segment or verdict, or the name of a document")
    _check_collection(base, collection)
    digits = asked.strip().lower().replace("-", "")
    is_id = len(digits) >= 4 and all(c in "0123456789abcdef" for c in digits)
    try:
        return base.why(asked) if is_id else base.why_document(asked, collection)
    except NotFoundError as unknown:
        if not is_id:
            name, _, hint = str(unknown).rpartition("; ")
            raise UsageError(f"{name}, and it is not a block id (four or more hexadecimal digits); {hint}") from None
        with suppress(NotFoundError):
            return base.why_document(asked, collection)
        raise


def _check_collection(base: Any, collection: str | None) -> None:
    known = [each.name for each in base.store.collections()]
    if collection is not None and collection not in known:
        raise NotFoundError("collection", collection, f"there are: {', '.join(known) or 'none yet'}")


def status(as_json: JsonOption = False) -> None:
    """Show what the base holds, what was removed as repeats, and what looks unhealthy.

    **Example**: `saidonce status --json`
    """
    from dataclasses import replace

    from saidonce.app.repairs_service import Repairs
    from saidonce.interfaces.cli import render

    with open_base() as base:
        report = base.status()
        report = replace(report, warnings=(*report.warnings, *Repairs(base, base.for_org).warnings(base.settings.org)))
        if as_json:
            print_json(report)
        else:
            out.print(render.status_text(report))


def documents(collection: CollectionOption = None, as_json: JsonOption = False) -> None:
    """List the documents of a collection.

    **Example**: `saidonce documents --collection policies`
    """
    from saidonce.interfaces.cli import render
    from saidonce.interfaces.views import kb as as_data

    with open_base() as base:
        stored = base.documents(collection)
        if as_json:
            print_json([as_data.DocumentView.show(d) for d in stored])
        else:
            shown = collection or base.settings.collection
            others = tuple(each.name for each in base.store.collections() if each.name != shown)
            out.print(render.documents_text(stored, shown, others))


def remove(
    names: Annotated[
        list[str], typer.Argument(help="Documents: names as listed by `documents`, ends of names, or ids.")
    ],
    collection: CollectionOption = None,
) -> None:
    """Remove documents and everything that no other document supports.

    An unknown name is refused with the nearest names, an ambiguous one with all documents that it matches.

    **Examples**

    * `saidonce remove /home/me/handbook/old.pdf`
    * `saidonce remove old.pdf`
    """
    from saidonce.documents.naming import documents_named
    from saidonce.interfaces.cli.render import short

    with open_base() as base:
        for name in names:
            ((_, full_names),) = documents_named(name, base.documents(collection), Path.cwd())
            receipt = base.remove(name, collection)
            removed = ", ".join(map(short, full_names))
            out.print(f"removed {removed}: {n_of(receipt.n_removed, 'segment')}")


def reembed(
    collection: Annotated[str, typer.Argument(help="Collection to re-embed.", show_default=False)],
) -> None:
    """Re-embed a collection with the configured embedding model, all or nothing.

    **Example**: `SAIDONCE_EMBEDDER=model2vec:./my-model saidonce reembed main`
    """
    with open_base() as base:
        with progress("embedding", None) as advance:
            n_blocks = base.reembed(collection, advance)
        out.print(f"{n_blocks} blocks of {clean(collection)} re-embedded with {base.base.embedder.model}")


def settings(as_json: JsonOption = False) -> None:
    """List every setting with its current value, unit and description.

    **Example**: `SAIDONCE_REPEAT_FROM=0.92 saidonce settings`
    """
    from saidonce.interfaces.cli import render
    from saidonce.interfaces.views import kb as as_data

    with open_base() as base:
        if as_json:
            print_json(as_data.settings_view(base.settings))
        else:
            out.print(render.settings_text(base.settings))


def _filters(
    collection: list[str] | None,
    document: list[str] | None,
    kind: list[Kind] | None,
    language: list[str] | None,
    since: datetime | None,
    until: datetime | None,
) -> Filters:
    return Filters(
        collections=tuple(collection or ()),
        documents=tuple(document or ()),
        kinds=tuple(kind or ()),
        languages=tuple(language or ()),
        since=since.replace(tzinfo=UTC) if since else None,
        until=until.replace(hour=23, minute=59, second=59, microsecond=999_999, tzinfo=UTC) if until else None,
    )
