"""The pages of documents: the start page, what the base holds, one document as its texts, upload and removal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, File, Form, Query, Request, Response, UploadFile
from fastapi.responses import RedirectResponse

from saidonce.errors import NotFoundError, SaidonceError, UsageError
from saidonce.foundation.context import Source
from saidonce.foundation.model import Scope, StoredDocument
from saidonce.foundation.ports import QueueFilter, Store
from saidonce.interfaces.http.evidence import ShownEvidence, evidence_of
from saidonce.interfaces.http.pages import render
from saidonce.interfaces.http.site import MAY_LAG, Caller, authorise, check_form
from saidonce.kb.answer import Answer
from saidonce.kb.ingest import IngestReport
from saidonce.kb.search import SearchReport

documents_pages = APIRouter(include_in_schema=False)

PAGE = 100
MOST_FILES = 100
MOST_BLOCKS = 500
"""Texts of a document that its page shows; the others are counted."""

NO_PLACE = "upload"
"""Name of an uploaded file that has none."""

Word = Annotated[str, Query(max_length=1_000)]


@dataclass(frozen=True, slots=True)
class NextStep:
    """Something that somebody should do next, with the page where it is done."""

    n: int
    words: str
    url: str
    verb: str


@documents_pages.get("/", dependencies=MAY_LAG)
def home(request: Request) -> Response:
    """Show the contents of the base, open tasks, and next steps."""
    caller = authorise(request, Scope.READ)
    store = caller.base.store
    counts = store.counts()
    newest = sorted(
        (d for c in counts for d in store.documents(c.collection.name)), key=lambda d: (d.ingested_at, d.name)
    )[-8:]
    return render(
        request, caller, "home.html", counts=counts, steps=_steps(caller), newest=newest[::-1],
        n_documents=sum(c.n_documents for c in counts), n_segments=sum(c.n_segments for c in counts),
        n_blocks=sum(c.n_blocks for c in counts), n_repeats=sum(c.n_exact + c.n_near for c in counts),
        may_write=caller.may(Scope.WRITE),
    )  # fmt: skip


@documents_pages.get("/documents", dependencies=MAY_LAG)
def list_documents(request: Request, q: Word = "", collection: Word = "", after: Word = "") -> Response:
    """List documents by name, those whose name or title has some words, page by page."""
    caller = authorise(request, Scope.READ)
    return _list_page(request, caller, q=q, collection=collection, after=after)


def _list_page(
    request: Request, caller: Caller, q: str = "", collection: str = "", after: str = "", **values: Any
) -> Response:  # fmt: skip
    store = caller.base.store
    names = [c.name for c in store.collections()]
    chosen = collection if collection in names else ""
    words = q.casefold().split()
    matching = [d for name in ([chosen] if chosen else names) for d in store.documents(name) if _has(d, words)]
    matching.sort(key=_place)
    rest = [d for d in matching if not after or _cursor(d) > after]
    more = {"q": q, "collection": chosen, "after": _cursor(rest[PAGE - 1])} if len(rest) > PAGE else {}
    return render(
        request, caller, "documents.html", documents=rest[:PAGE], n=len(matching), q=q, collection=chosen,
        collections=names, older=f"/documents?{urlencode({k: v for k, v in more.items() if v})}" if more else "",
        may_write=caller.may(Scope.WRITE), usual=caller.base.settings.collection,
        most_mb=caller.base.settings.max_source_mb, **values,
    )  # fmt: skip


@documents_pages.post("/documents")
def upload(
    request: Request,
    csrf: Annotated[str, Form()],
    files: Annotated[list[UploadFile] | None, File()] = None,
    collection: Annotated[str, Form(max_length=200)] = "",
    tags: Annotated[str, Form(max_length=1_000)] = "",
) -> Response:
    """Ingest uploaded files, and show the result for each above the list of documents."""
    caller = authorise(request, Scope.WRITE)
    check_form(request, caller, csrf)
    chosen = [file for file in files or [] if file.filename]
    if not chosen:
        raise UsageError("no file selected; go back and choose one, or drag files onto the field")
    if len(chosen) > MOST_FILES:
        raise UsageError(f"{len(chosen)} files at once; send at most {MOST_FILES}, or use 'saidonce ingest FOLDER'")
    tag_names = tuple(tag.strip() for tag in tags.split(",") if tag.strip())
    most = caller.base.settings.max_source_mb * 1024 * 1024 + 1
    report = caller.base.ingest([_source(file, tag_names, most) for file in chosen], collection.strip() or None)
    status = 422 if len(report.refused) == len(report.documents) and report.documents else 200
    page = _list_page(request, caller, collection=report.collection, report=report, taken=_count_words(report))
    page.status_code = status
    return page


@documents_pages.get("/documents/{id}", dependencies=MAY_LAG)
def document(request: Request, id: str) -> Response:
    """Show a document with its texts, in order, and the fate of each."""
    caller = authorise(request, Scope.READ)
    if len(id) != 32 or not set(id) <= set("0123456789abcdef"):
        raise NotFoundError("document", id[:64], "'Documents' lists them")
    account = caller.base.why_document(id)
    names = {account.document.name, *account.document.names}
    rows = [(b, sorted({a.document for a in b.attributions} - names)) for b in account.blocks[:MOST_BLOCKS]]
    return render(
        request, caller, "document.html", d=account.document, rows=rows, n_shared=account.n_shared,
        n_left=len(account.blocks) - len(rows), versions=caller.base.store.versions(account.document.id),
        may_write=caller.may(Scope.WRITE),
    )  # fmt: skip


@documents_pages.post("/documents/{id}/remove")
def remove(
    request: Request, id: str, csrf: Annotated[str, Form()], sure: Annotated[str, Form()] = ""
) -> Response:  # fmt: skip
    """Remove a document with all its names."""
    caller = authorise(request, Scope.WRITE)
    check_form(request, caller, csrf)
    stored = caller.base.why_document(id).document
    if sure != "yes":
        raise UsageError("nothing was removed; tick 'I am sure' to remove a document")
    caller.base.remove(stored.id, stored.collection)
    return RedirectResponse("/documents?" + urlencode({"collection": stored.collection}), 303)


@documents_pages.get("/ask", dependencies=MAY_LAG)
def ask(request: Request, q: Annotated[str, Query(max_length=10_000)] = "", collection: Word = "") -> Response:
    """Answer a question with citations, each linked to the text that it cites."""
    caller = authorise(request, Scope.READ)
    names = [c.name for c in caller.base.store.collections()]
    answer, trouble = None, ""
    if q.strip():
        try:
            answer = caller.base.ask(q, collection=collection if collection in names else None)
        except SaidonceError as failed:
            trouble = str(failed)
    cited = sorted({c.passage for s in answer.sentences for c in s.citations}) if answer is not None else []
    return render(
        request, caller, "ask.html", q=q, answer=answer, cited=cited, trouble=trouble, collections=names,
        collection=collection, model=caller.base.settings.answer_model,
        seen=_evidence_of(caller.base.store, answer, cited) if answer is not None else {},
    )  # fmt: skip


def _evidence_of(store: Store, answer: Answer, cited: Sequence[int]) -> dict[int, ShownEvidence | None]:
    """Return what is seen or heard of each cited passage, from its first quote on, by its number; None for text."""
    quotes = {c.passage: c.quote for s in reversed(answer.sentences) for c in reversed(s.citations)}
    seen: dict[int, ShownEvidence | None] = {}
    for p in answer.passages:
        if p.number in cited:
            histories = tuple(h for h in store.history(p.origin.block_id) if h.segment.text == p.text)
            seen[p.number] = evidence_of(store, histories, p.origin.start_s, quotes[p.number])
    return seen


def _source(file: UploadFile, tags: Sequence[str], most: int) -> Source:
    name = PurePosixPath((file.filename or NO_PLACE).replace("\\", "/")).name or NO_PLACE
    return Source(name, lambda: file.file.read(most), tuple(tags))


def _count_words(report: IngestReport) -> str:
    n, n_refused = len(report.documents), len(report.refused)
    if n == 1:
        return f"1 file {'was refused' if n_refused else f'was ingested into {report.collection!r}'}"
    words = f"{n - n_refused} of {n} files were ingested into {report.collection!r}"
    return f"{words}; {n_refused} {'was' if n_refused == 1 else 'were'} refused" if n_refused else words


def _has(stored: StoredDocument, words: Sequence[str]) -> bool:
    known = " ".join((stored.name, *stored.names, stored.title, *stored.tags)).casefold()
    return all(word in known for word in words)


def _place(stored: StoredDocument) -> tuple[str, str]:
    return stored.name, stored.collection


def _cursor(stored: StoredDocument) -> str:
    return f"{stored.name}\x1f{stored.collection}"


def _steps(caller: Caller) -> list[NextStep]:
    """Return what waits, the most urgent first; nothing for what the caller may not see."""
    base = caller.base
    n_pairs = base.store.ledger.n_flags(QueueFilter())
    n_mine = base.store.ledger.n_flags(QueueFilter(assignee=caller.name))
    n_held = sum(each.n for each in base.store.held_by_org() if each.org == base.settings.org)
    failed = [s for s in base.syncs.sources() if s.last is not None and (s.last.error or s.last.n_refused)]
    steps = [
        NextStep(
            n_mine,
            _counted_as(n_mine, "pair", "pairs") + " assigned to you",
            "/queue?" + urlencode({"assignee": caller.name}),
            "Decide",
        ),
        NextStep(n_pairs, _counted_as(n_pairs, "pair", "pairs") + " of possible repeats", "/queue", "Decide"),
        NextStep(n_held, _counted_as(n_held, "submission", "submissions") + " held", "/gate/held", "Decide"),
        NextStep(
            len(failed),
            _counted_as(len(failed), "source", "sources") + " with errors in the last run",
            "/sources",
            "See why",
        ),
    ]
    return [step for step in steps if step.n]


def _counted_as(n: int, one: str, many: str) -> str:
    return one if n == 1 else many


def found_in(report: SearchReport) -> dict[str, str]:
    """Return the id of the document that each hit's text is taken from, by block id."""
    return {
        hit.block.id: next((a.document_id for a in hit.block.attributions if a.document == hit.block.document), "")
        for hit in report.hits
    }
