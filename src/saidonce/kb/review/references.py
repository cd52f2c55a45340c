"""Passages of two editions that refer to one section by the number that it has in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from saidonce.foundation.model import Block, Kind
from saidonce.kb.canonical import PartKind, Reference, numbers_of, without_references
from saidonce.kb.review.passages_beside import folded
from saidonce.kb.review.places import Place, Where, places_of
from saidonce.matching.ladder import without_number


@dataclass(frozen=True, slots=True)
class _Target:
    """A heading that a number leads to.

    Attributes:
        document: by name; empty for the one that refers to it.
        path: the headings down to it.
        below: these without that of the whole page, and without numbers.
        is_alone: no other heading with a number has its name, or none has it below headings of the same names; in that
            document, or for one of another document in its edition.
    """

    document: str
    path: tuple[str, ...]
    below: tuple[str, ...]
    is_alone: bool


def one_target(one: Block, two: Block, where: Where) -> str:
    """Return in words that two passages differ only in the numbers of sections which lead to the same ones.

    Each number leads to the one heading that has it in its own edition, on the page of the passage or, if this has
    none, on any page of its folder that has one chapter, with a number. Both headings stand below others of the same
    names, and so do both passages, on one page in two editions. What a number leads to has to be found in both; empty
    where one is not, or is another.
    """
    (plain, mine), (other_plain, theirs) = (without_references(block.text) for block in (one, two))
    if one.kind is two.kind is Kind.PARAGRAPH:
        plain, other_plain = (" ".join(each.split()) for each in (plain, other_plain))
    if one.kind is not two.kind or mine == theirs or plain != other_plain:
        return ""
    beside = list(_beside(one, two, where))
    named: dict[str, None] = {}
    for own, other in zip(mine, theirs, strict=True):
        for here, there in beside:
            target = _found(own, here[0], there[0], where)
            title = _name_of_both(target, _found(other, there[0], here[0], where), where)
            if own != other and title:
                named[f"{own} and {other} are \u201c{title}\u201d"] = None
            elif own != other or target is not None:
                return ""
    return "; ".join(named)


def _beside(one: Block, two: Block, where: Where) -> Iterator[tuple[Place, Place]]:
    """Yield the places of two passages in two editions of a page, under headings of the same names."""
    for here in places_of(one, where.names):
        for there in places_of(two, where.names):
            if here[1] == there[1] and where.editions.is_one_page(here[0], there[0]):
                yield here, there


def _found(reference: Reference, document: str, other: str, where: Where) -> _Target | None:
    """Return what a number leads to from a document, whose other edition has another name; None if it is not clear."""
    edition = {each for each in where.editions.beside(document, other) if _folder(each) == _folder(document)}
    own = _having(reference, {document}, where)
    if reference.kind is PartKind.SECTION and own:
        return _only(own, {document}, document, where)
    hits = _having(reference, edition, where)
    if reference.kind is PartKind.SECTION:
        hits = [(name, path) for name, path in hits if _is_in_chapter(name, path, where)]
    if reference.kind is PartKind.CHAPTER and not hits:
        hits = _having(Reference(PartKind.SECTION, reference.number), {document}, where)
    return _only(hits, edition, document, where)


def _folder(document: str) -> str:
    return document.rpartition("/")[0]


def _is_in_chapter(document: str, path: tuple[str, ...], where: Where) -> bool:
    """Return whether a heading stands below the one chapter of its page, so that its number holds elsewhere, too.

    A page whose uppermost numbers are several counts its sections for itself.
    """
    paths = [each for paths in where.passages.numbered(document).values() for each in paths]
    uppermost = {next(each[:n] for n in range(1, len(each) + 1) if numbers_of(each[:n])) for each in paths}
    return len(uppermost) == 1 and path not in uppermost


def _having(reference: Reference, documents: AbstractSet[str], where: Where) -> list[tuple[str, tuple[str, ...]]]:
    return [(name, path) for name in documents for path in where.passages.numbered(name).get(reference, ())]


def _only(
    hits: Sequence[tuple[str, tuple[str, ...]]], scope: AbstractSet[str], document: str, where: Where
) -> _Target | None:
    if len(hits) != 1:
        return None
    ((name, path),) = hits
    numbered = [
        (folded(each), _below_title(every, each, where))
        for every in scope
        for paths in where.passages.numbered(every).values()
        for each in paths
    ]
    own, below = folded(path)[-1], _below_title(name, path, where)
    n_names, n_paths = sum(each[-1] == own for each, _ in numbered), sum(each == below for _, each in numbered)
    return _Target("" if name == document else name, path, below, n_names == 1 or n_paths == 1)


def _below_title(document: str, path: tuple[str, ...], where: Where) -> tuple[str, ...]:
    """Return headings as those of two editions are compared, without that of the whole page, which may name one."""
    has_title = where.passages.title_of(document) == path[0]
    return folded(path)[1:] if has_title else folded(path)


def _name_of_both(one: _Target | None, two: _Target | None, where: Where) -> str:
    """Return the name of the heading that two targets are; empty if they may be two."""
    if one is None or two is None or folded(one.path)[-1] != folded(two.path)[-1]:
        return ""
    is_one_page = one.document == two.document or where.editions.is_one_page(one.document, two.document)
    is_one = is_one_page and one.below == two.below and one.is_alone and two.is_alone
    return without_number(two.path[-1]) if is_one else ""
