"""Archives and mailboxes among the sources of an ingest: every member becomes a source of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import NoReturn

from saidonce.documents.parse.formats import container_of
from saidonce.errors import Refusal, SourceRefusedError, is_full
from saidonce.foundation.context import Source
from saidonce.foundation.ports import Parser, Unpacker

OnPassedOver = Callable[[str], None]


def members(parser: Parser, sources: Iterable[Source], pass_over: OnPassedOver) -> Iterator[Source]:
    """Yield the sources; in the place of an archive or a mailbox its members, which have its tags.

    What cannot be unpacked is a source that refuses to be read, so that it is reported in its place.

    Args:
        pass_over: called with the name of each member that no parser knows.
    """
    for source in sources:
        if container_of(source.name):
            yield from _unpack(parser, source, pass_over)
        else:
            yield source


def _unpack(parser: Parser, source: Source, pass_over: OnPassedOver) -> Iterator[Source]:
    if not isinstance(parser, Unpacker):
        detail = "this parser does not open archives"
        yield replace(source, read=partial(_refuse, source.name, Refusal.UNSUPPORTED, detail))
        return
    try:
        unpacked = parser.unpack(source.name, source.read())
    except SourceRefusedError as refused:
        yield replace(source, read=partial(_refuse, source.name, refused.reason, refused.detail))
        return
    except OSError as failed:
        if is_full(failed):
            raise
        detail = failed.strerror or str(failed)
        yield replace(source, read=partial(_refuse, source.name, Refusal.UNREADABLE, detail))
        return
    for name in unpacked.passed_over:
        pass_over(name)
    for name, reason, detail in unpacked.refused:
        yield replace(source, name=name, read=partial(_refuse, name, Refusal(reason), detail))
    for name, content in unpacked.members:
        yield replace(source, name=name, read=partial(bytes, content))


def _refuse(name: str, reason: Refusal, detail: str) -> NoReturn:
    raise SourceRefusedError(name, reason, detail)


def kept_names(parser: Parser, sources: Iterable[Source], stored: Iterable[str]) -> set[str]:
    """Return the stored names under archives among the sources that are still in them, or may be.

    Of an archive that cannot be unpacked now, nobody can say what is gone: all that came from it stays.
    """
    known = set(stored)
    kept: set[str] = set()
    for source in sources:
        under = {name for name in known if name.startswith(f"{source.name}/")} if container_of(source.name) else set()
        if not under:
            continue
        present = {member.name for member in _unpack(parser, source, kept.add)}
        kept |= under if source.name in present else under & present
    return kept & known
