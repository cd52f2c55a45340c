"""Resolve a reference to a document: its displayed name, the end of its name, or its id."""

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
    name_or_id: str, documents: Sequence[StoredDocument], here: Path
) -> tuple[tuple[StoredDocument, tuple[str, ...]], ...]:
    """Return the documents that a reference identifies, each with the matching names.

    Full names and paths take precedence over ends of names, and those over ids. Several documents are returned
    only for one full name in several collections; an id, or a prefix of it, matches a document under all its names.

    Raises:
        NotFoundError: no document matches; names the nearest ones.
        UsageError: several documents of different names match; lists them.
    """
    by_name: dict[str, list[StoredDocument]] = {}
    for document in documents:
        for name in dict.fromkeys((document.name, *document.names)):
            by_name.setdefault(name, []).append(document)
    for names in (_full_names(name_or_id, by_name, here), discovery.ending(name_or_id, by_name)):
        if len(names) > 1 and len({d.id for n in names for d in by_name[n]}) > 1:
            raise _ambiguous_error(name_or_id, "is the end of", names)
        if names:
            return tuple((document, (names[0],)) for document in by_name[names[0]])
    by_id = _by_id(name_or_id, documents)
    if len({d.id for d in by_id}) > 1:
        raise _ambiguous_error(name_or_id, "begins the ids of", [f"{d.id[:12]} {d.name}" for d in by_id])
    if by_id:
        return tuple((d, tuple(dict.fromkeys((*d.names, d.name)))) for d in by_id)
    raise unknown(name_or_id, by_name)


def unknown(name_or_id: str, names: Iterable[str]) -> NotFoundError:
    """Return the error for an unknown document name, with the nearest names."""
    alike = discovery.nearest(name_or_id, names)
    hint = f"did you mean {' or '.join(map(repr, alike))}?" if alike else "'saidonce documents' lists the names"
    return NotFoundError("document", name_or_id, hint)


def _full_names(name_or_id: str, names: Iterable[str], here: Path) -> list[str]:
    """Return the names that equal a reference, as stored or as displayed."""
    stored_names = set(names)
    if stored := discovery.resolved(name_or_id, stored_names, here):
        return [stored]
    base = f"{here.as_posix().rstrip('/')}/"
    return sorted(
        name for name in stored_names if name_or_id in (_displayed(name), _displayed(name.removeprefix(base)))
    )


def _displayed(name: str) -> str:
    """Return a name as a terminal displays it: control characters are replaced."""
    return "".join(c if c.isprintable() else REPLACED for c in name)


def _by_id(name_or_id: str, documents: Iterable[StoredDocument]) -> list[StoredDocument]:
    digits = name_or_id.strip().lower()
    if len(digits) < LEAST_DIGITS or any(c not in "0123456789abcdef" for c in digits):
        return []
    return [document for document in documents if document.id.startswith(digits)]


def _ambiguous_error(name_or_id: str, how: str, candidates: Sequence[str]) -> UsageError:
    listed = ", ".join(map(repr, candidates[:MOST_CANDIDATES]))
    more = f" and {len(candidates) - MOST_CANDIDATES} more" if len(candidates) > MOST_CANDIDATES else ""
    return UsageError(
        f"{name_or_id!r} {how} {len(candidates)} documents: {listed}{more}; give more of the one that you mean"
    )
