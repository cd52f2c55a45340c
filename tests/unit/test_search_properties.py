"""Blocks that a copy brought as columns and those that changed since: together they answer as objects alone do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from saidonce.foundation.model import Filters, Kind
from saidonce.foundation.ports import VectorRow
from saidonce.kb.search.properties import KnownBlocks, Properties

IDS = "abcdefgh"


def row(block_id: str, rev: int, collection: str, language: str, gone: bool) -> VectorRow:
    return VectorRow(
        collection=collection, documents=(f"{block_id}.md",), kind=Kind.PARAGRAPH, language=language, authored_at=None,
        block_id=block_id, rev=rev, gone=gone, salience=rev / 8, text_key=f"key {rev}", text=None, context=None,
        mark=(rev * 0x9E3779B97F4A7C15) % 2**64 - 2**63,
    )  # fmt: skip


changes = st.lists(
    st.tuples(st.sampled_from(IDS), st.sampled_from(["main", "notes"]), st.sampled_from(["en", "de"]), st.booleans()),
    max_size=20,
)


def columns(properties: Properties, ids: Sequence[str]) -> KnownBlocks:
    """The blocks as a copy has them."""
    blocks = [known for id_ in ids if (known := properties.get(id_))]
    return KnownBlocks(
        dict(zip(ids, range(len(ids)), strict=True)),
        np.array([b.which for b in blocks], np.int32), np.array([b.rev for b in blocks], np.int64),
        np.array([b.salience for b in blocks]), np.array([b.text_key.encode() for b in blocks], np.bytes_),
        np.array([b.mark for b in blocks], np.int64),
    )  # fmt: skip


def by_language(properties: Properties, collections: tuple[str, ...]) -> dict[str, list[str]]:
    return {language: sorted(ids) for language, ids in properties.by_language(collections).items()}


@settings(deadline=None)
@given(changes)
def test_each_block_is_among_those_of_its_language(rows: list[tuple[str, str, str, bool]]) -> None:
    properties = Properties()
    properties.take_in([row(id_, rev, *rest) for rev, (id_, *rest) in enumerate(rows, 1)])  # type: ignore[arg-type]
    for collections in ((), ("main",)):
        live = [
            (known.language, id_)
            for id_ in IDS
            if (known := properties.row(id_)) and known.collection in (collections or ("main", "notes"))
        ]
        listed = [(language, id_) for language, ids in by_language(properties, collections).items() for id_ in ids]
        assert sorted(listed) == sorted(live)


@settings(deadline=None)
@given(changes, changes, st.integers(1, 3))
def test_a_copy_in_parts_answers_as_what_it_was_made_of(
    before: list[tuple[str, str, str, bool]], after: list[tuple[str, str, str, bool]], n_parts: int
) -> None:
    plain = Properties()
    plain.take_in([row(id_, rev, *rest) for rev, (id_, *rest) in enumerate(before, 1)])  # type: ignore[arg-type]
    ids = sorted(id_ for id_ in IDS if plain.row(id_))
    copied = Properties(list(plain.kinds), [columns(plain, ids[n::n_parts]) for n in range(n_parts)])
    later = [row(id_, rev, *rest) for rev, (id_, *rest) in enumerate(after, 100)]  # type: ignore[arg-type]
    for properties in (plain, copied):
        properties.take_in(later)
    assert len(copied) == len(plain)
    assert copied.total() == plain.total()
    assert [copied.row(id_) for id_ in IDS] == [plain.row(id_) for id_ in IDS]
    assert copied.rows(IDS) == plain.rows(IDS) == {id_: known for id_ in IDS if (known := plain.row(id_))}
    for collections in ((), ("main",), ("notes", "main"), ("else",)):
        assert by_language(copied, collections) == by_language(plain, collections)
        assert copied.languages(collections) == plain.languages(collections)
        filters = Filters(collections=collections, languages=("de",))
        assert sorted(copied.passing(filters)) == sorted(plain.passing(filters))
    copied.clear()
    assert (len(copied), copied.total(), copied.by_language(())) == (0, 0, {})
