"""The part of the API that is about sources that collections are kept in step with; a worker runs them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from saidonce.app.syncing import MOST_EVERY_S, Syncing, SyncWish
from saidonce.foundation.model.syncs import UpstreamKind
from saidonce.interfaces.http.callers import MayAdmin, MayRead, MayWrite
from saidonce.interfaces.http.schemas import Body, example
from saidonce.interfaces.http.site import Caller
from saidonce.interfaces.views.syncs import SourceRemoved, SourceView

sources_api = APIRouter(prefix="/sources", tags=["sources"])

SourceId = Annotated[
    str, Path(pattern="^[0-9a-f]{32}$", description="id of a source", examples=["3f2a9c71d0b84e5f9a6c2d1e8b7f4a30"])
]


class NewSource(
    Body,
    json_schema_extra=example({"address": "https://docs.acme.com/sitemap.xml", "collection": "docs", "every_s": 3600}),
):
    """A source to sync a collection with."""

    address: str = Field(
        min_length=1, max_length=2_000, description="URL, or a path on the server inside one of the setting sync_roots"
    )
    collection: str = Field(default="", max_length=200, description="the setting `collection` by default")
    kind: UpstreamKind | None = Field(default=None, description="kind of source, if the address does not show it")
    name_as: str = Field(
        default="", max_length=500, description="prefix of the documents' names, instead of the address"
    )
    ref: str = Field(default="", max_length=200, description="branch, tag or commit of a Git repository")
    prune: bool = Field(default=False, description="remove documents whose files are gone")
    every_s: float = Field(default=0.0, ge=0, le=MOST_EVERY_S, description="seconds between runs; 0: run once, now")


@sources_api.get("", summary="List sources")
def sources(caller: MayRead) -> list[SourceView]:
    """Return the sources and the results of their last runs, by collection and address."""
    return [SourceView.show(source) for source in caller.base.syncs.sources()]


@sources_api.post("", summary="Add a source", status_code=201)
def add(caller: MayAdmin, body: NewSource) -> SourceView:
    """Add a source, or change the one with this address and collection; a worker runs it shortly."""
    wish = SyncWish(body.address, body.collection, body.kind, body.name_as, body.ref, body.prune, body.every_s)
    syncs = syncs_for(caller)
    return SourceView.show(syncs.hurry(syncs.add(wish)))


@sources_api.post("/{id}/run", summary="Run a source now", status_code=202)
def run(caller: MayWrite, id: SourceId) -> SourceView:
    """Have a worker run a source immediately."""
    syncs = syncs_for(caller)
    return SourceView.show(syncs.hurry(syncs.find(id)))


@sources_api.delete("/{id}", summary="Remove a source")
def remove(caller: MayAdmin, id: SourceId) -> SourceRemoved:
    """Stop syncing a source; its documents stay."""
    syncs = syncs_for(caller)
    source = syncs.find(id)
    syncs.remove(source)
    return SourceRemoved(removed=source.id)


def syncs_for(caller: Caller) -> Syncing:
    """Return the sources, as a caller from outside may name them."""
    roots = tuple(part.strip() for part in caller.base.settings.sync_roots.split(",") if part.strip())
    return caller.base.syncs.within(roots)
