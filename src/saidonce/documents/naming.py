"""Which document somebody means: by its name as it is shown, by the end of a name, or by its id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from saidonce.documents import discovery
from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.model import StoredDocument

LEAST_DIGITS = 4
MOST_CANDIDATES = 10
REPLACED = "\N{REPLACEMENT CHARACTER}"


def documents_named(
    asked: str, documents: Sequence[StoredDocument], here: Path
) -> tuple[tuple[StoredDocument, tuple[str, ...]], ...]:
    """Return the documents that somebody means, each with those of its names that are meant.

    Whole names and paths go before ends of names, and those before ids. Only the same whole name in several
    collections means several documents; an id, or its beginning, means a document under all its names.

    Raises:
        NotFoundError: no document is meant; names the nearest ones.
        UsageError: several documents of different names are meant; lists them.
    """
    by_name: dict[str, list[StoredDocument]] = {}
    for document in documents:
        for name in dict.fromkeys((document.name, *document.names)):
            by_name.setdefault(name, []).append(document)
    for names in (_whole(asked, by_name, here), discovery.ending(asked, by_name)):
        if len(names) > 1 and len({d.id for n in names for d in by_name[n]}) > 1:
            raise _ambiguous(asked, "is the end of", names)
        if names:
            return tuple((document, (names[0],)) for document in by_name[names[0]])
    by_id = _by_id(asked, documents)
    if len({d.id for d in by_id}) > 1:
        raise _ambiguous(asked, "begins the ids of", [f"{d.id[:12]} {d.name}" for d in by_id])
    if by_id:
        return tuple((d, tuple(dict.fromkeys((*d.names, d.name)))) for d in by_id)
    raise unknown(asked, by_name)


def unknown(asked: str, names: Iterable[str]) -> NotFoundError:
    """Return the error for a name that no document has, with the nearest names."""
    alike = discovery.nearest(asked, names)
    hint = f"did you mean {' or '.join(map(repr, alike))}?" if alike else "'saidonce documents' lists the names"
    return NotFoundError("document", asked, hint)


def _whole(asked: str, names: Iterable[str], here: Path) -> list[str]:
    """Return the names that are the asked one, as it is stored or as it is shown."""
    known = set(names)
    if stored := discovery.resolved(asked, known, here):
        return [stored]
    base = f"{here.as_posix().rstrip('/')}/"
    return sorted(name for name in known if asked in (_shown(name), _shown(name.removeprefix(base))))


def _shown(name: str) -> str:
    """Return a name as a terminal shows it: characters that steer one are replaced."""
    return "".join(c if c.isprintable() else REPLACED for c in name)


def _by_id(asked: str, documents: Iterable[StoredDocument]) -> list[StoredDocument]:
    digits = asked.strip().lower()
    if len(digits) < LEAST_DIGITS or any(c not in "0123456789abcdef" for c in digits):
        return []
    return [document for document in documents if document.id.startswith(digits)]


def _ambiguous(asked: str, how: str, candidates: Sequence[str]) -> UsageError:
    shown = ", ".join(map(repr, candidates[:MOST_CANDIDATES]))
    more = f" and {len(candidates) - MOST_CANDIDATES} more" if len(candidates) > MOST_CANDIDATES else ""
    return UsageError(f"{asked!r} {how} {len(candidates)} documents: {shown}{more}; give more of the one that you mean")
