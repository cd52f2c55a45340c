"""A source in memory that changes, kills at any point, and what has to hold after a run that was let finish."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation.model.syncs import SyncSource, UpstreamKind
from saidonce.foundation.ports import Fetched, FileGoneError, UpstreamFile, UpstreamListing
from saidonce.foundation.settings.policy import SegmentStyle
from saidonce.foundation.text import fingerprint
from saidonce.kb.ingest import ingest
from saidonce.kb.sync import SyncOptions, SyncReport, run_sync, source_id
from saidonce.testing import MemoryStore
from world import NOON, CountingEmbedder, World, wired

SENTENCES = (
    "Backups are kept for {} days.",
    "The boiler is serviced every {} months.",
    "Invoices are paid within {} days.",
    "Keys are handed out at desk {}.",
    "Bins are emptied on day {} of the month.",
)
ROOT = "wiki"


class KilledError(BaseException):
    """The program ends here."""


@dataclass
class Fuse:
    """Kills at the n-th point that the program passes; 0 never."""

    left: int = 0
    passed: int = 0

    def tick(self) -> None:
        self.passed += 1
        if self.left:
            self.left -= 1
            if not self.left:
                raise KilledError


class Killing:
    """Whatever it stands for, with a point to be killed at before and after each call."""

    def __init__(self, inner: Any, fuse: Fuse) -> None:
        self._inner = inner
        self._fuse = fuse

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._inner, name)
        if name in ("ledger", "syncs"):
            return Killing(value, self._fuse)
        if not callable(value) or name == "count_tokens":
            return value

        def called(*arguments: Any, **more: Any) -> Any:
            self._fuse.tick()
            result = value(*arguments, **more)
            self._fuse.tick()
            return result

        return called


@dataclass
class Shelf:
    """Files in memory, as a source.

    Attributes:
        style: `marked` as object stores list them, `asked` as web servers answer, `plain` without any mark.
    """

    style: str = "marked"
    files: dict[str, bytes] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    unseen: tuple[str, ...] = ()
    fuse: Fuse = field(default_factory=Fuse)
    fetched: list[str] = field(default_factory=list)
    root: str = ROOT

    def listing(self, known: Mapping[str, str]) -> UpstreamListing:
        self.fuse.tick()
        rows = [
            UpstreamFile(f"{ROOT}/{path}", self._mark(path) if self.style == "marked" else "", self._fetch(path))
            for path in sorted(self.files)
        ]
        return UpstreamListing(tuple(rows), unseen=tuple(f"{ROOT}/{each}" for each in self.unseen))

    def close(self) -> None:
        self.fuse.tick()

    def _mark(self, path: str) -> str:
        return fingerprint(self.files[path])[:12]

    def _fetch(self, path: str) -> Callable[[str], Fetched | None]:
        def fetch(known: str) -> Fetched | None:
            self.fuse.tick()
            if path not in self.files:
                raise FileGoneError
            if path in self.broken:
                raise SourceRefusedError(f"{ROOT}/{path}", Refusal.UNREADABLE, "the server answered 500")
            if self.style == "asked" and known == self._mark(path):
                return None
            self.fetched.append(path)
            return Fetched(self.files[path], "" if self.style == "plain" else self._mark(path))

        return fetch


@dataclass
class Stage:
    """A base and a source that it is kept in step with."""

    world: World
    shelf: Shelf
    source: SyncSource
    fuse: Fuse = field(default_factory=Fuse)

    def sync(self, prune: bool = True, **options: Any) -> SyncReport:
        context = self.world.base
        killing = Killing(context.store, self.fuse)
        self.shelf.fuse = self.fuse
        context = replace(context, store=killing, embedder=Killing(context.embedder, self.fuse))

        def take_in(sources: Any, on_document: Any) -> Any:
            return ingest(context, sources, self.source.collection, on_document)

        return run_sync(context, self.source, self.shelf, take_in, SyncOptions(prune=prune, **options))

    def state(self) -> list[tuple[object, ...]]:
        """All documents, by their bytes."""
        stored = self.world.base.store.documents(self.source.collection)
        return sorted((d.fingerprint, tuple(sorted(d.names)), d.n_segments, d.n_blocks) for d in stored)


def stage(style: str = "marked", use: str = "evidence", files: Mapping[str, str] | None = None) -> Stage:
    embedder = CountingEmbedder(dim=32)
    context = wired(MemoryStore("acme"), embedder, collection_use=use, segment_style=SegmentStyle.WHOLE)
    source = SyncSource(source_id(ROOT, "", "main"), "main", ROOT, UpstreamKind.FOLDER, NOON)
    texts = {path: text.encode() for path, text in (files or {}).items()}
    return Stage(World(context, embedder), Shelf(style, texts), source)


def edit(files: dict[str, bytes], dice: random.Random) -> str:
    """Change a source as people do: add, change, move, swap, copy, delete."""
    act = dice.choice(("add", "add", "change", "move", "move", "swap", "copy", "delete"))
    present = sorted(files)
    fresh = f"{dice.choice('abc')}/{dice.randrange(30)}.txt"
    if act == "add" or not present:
        files[fresh] = text(dice)
        return "add"
    path = dice.choice(present)
    if act == "change":
        files[path] = text(dice)
    elif act == "move" and fresh != path:
        files[fresh] = files.pop(path)
    elif act == "swap":
        other = dice.choice(present)
        files[path], files[other] = files[other], files[path]
    elif act == "copy":
        files[fresh] = files[path]
    elif act == "delete":
        del files[path]
    return act


def text(dice: random.Random) -> bytes:
    """A text of one or two paragraphs; texts come again, for there are few."""
    lines = [dice.choice(SENTENCES).format(dice.randrange(1, 6)) for _ in range(dice.randrange(1, 3))]
    return "\n\n".join(lines).encode()


def check(stage: Stage) -> None:
    """Hold a base against its source: the same set, nothing twice, nothing stale, and as if it had come in at once."""
    collection = stage.source.collection
    documents = list(stage.world.base.store.documents(collection))
    expected = {f"{ROOT}/{path}": fingerprint(content) for path, content in stage.shelf.files.items()}
    stored = {name: d.fingerprint for d in documents for name in d.names}
    assert stored == expected
    assert sum(len(d.names) for d in documents) == len(expected), "each name stands for one document"
    assert len({d.fingerprint for d in documents}) == len(documents), "nothing is there twice"
    entries = stage.world.base.store.syncs.entries(stage.source.id)
    assert {entry.name: entry.fingerprint for entry in entries} == expected
    assert stage.state() == anew(stage)


def anew(stage: Stage) -> list[tuple[object, ...]]:
    """All documents of a base into which the source's present files came at once."""
    use = next(c.use for c in stage.world.base.store.collections() if c.name == stage.source.collection)
    fresh: Stage = globals()["stage"](use=use)
    fresh.world.ingest({f"{ROOT}/{path}": content for path, content in sorted(stage.shelf.files.items())})
    return fresh.state()


def history(seed: int, kills: int = 5, rounds: int = 4) -> int:
    """Live through a random history of a source, killed so often at any point; give the number of kills that hit."""
    dice = random.Random(seed)
    use = dice.choice(("evidence", "canonical"))
    lived = stage(dice.choice(("marked", "asked", "plain")), use)
    n_hit = 0
    left = kills
    for number in range(rounds):
        for _ in range(dice.randrange(1, 8)):
            edit(lived.shelf.files, dice)
        while left and (number == rounds - 1 or dice.random() < 0.7):
            left -= 1
            n_hit += killed(lived, dice)
            if dice.random() < 0.5:
                edit(lived.shelf.files, dice)
        lived.fuse = Fuse()
        report = lived.sync(allow_empty=True)
        assert not report.refused
        check(lived)
    lived.shelf.fetched.clear()
    again = lived.sync(allow_empty=True)
    assert not again.moved
    assert not again.removed
    assert not lived.shelf.fetched or lived.shelf.style == "plain", "what is unchanged is not read again"
    check(lived)
    return n_hit


def killed(lived: Stage, dice: random.Random) -> int:
    """Run a source and kill it somewhere; give whether it was."""
    lived.fuse = Fuse(dice.randrange(1, 12 * (2 + len(lived.shelf.files))))
    try:
        lived.sync(allow_empty=True)
    except KilledError:
        return 1
    return 0
