"""The search index in parts and from a copy in a file: always the answers of one that was read from the database."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saidonce.errors import ShardError
from saidonce.foundation.model import Filters, Kind, Vector
from saidonce.foundation.ports import Marks, Store, VectorRow
from saidonce.kb.search import SearchIndex, saved, search
from saidonce.kb.search.relevance import Background
from saidonce.matching.vectors import ExactIndex
from saidonce.matching.vectors.on_ray import rows_on_ray
from world import world as new_world

DIM = 24
BLOCKS = [f"b{crc32(bytes([n])):08x}" for n in range(60)]
FILTERS = [
    Filters(),
    Filters(collections=("east",)),
    Filters(languages=("de",), tags=("law",)),
    Filters(documents=("x",)),
]


def vector(seed: int) -> Vector:
    row = np.random.default_rng(seed).standard_normal(DIM)
    unit: Vector = (row / np.linalg.norm(row)).astype(np.float32)
    return unit


def block(block_id: str, rev: int, seed: int) -> VectorRow:
    """A live block; few seeds, so that many blocks are exactly alike and ties are decided by id."""
    pick = random.Random(seed)
    return VectorRow(
        block_id=block_id, rev=rev, gone=False, collection=pick.choice(["east", "west"]),
        documents=tuple(sorted(pick.sample(["x", "y", "z"], 2))), kind=Kind.PARAGRAPH,
        language=pick.choice(["de", "en"]),
        authored_at=pick.choice([None, datetime(2024, 2, 3, 4, 5, 6, 7, tzinfo=UTC)]), salience=pick.random(),
        tags=pick.choice([(), ("law",)]), text_key=f"t{seed}", text=vector(seed),
        context=vector(seed + 1) if seed % 3 else None, mark=crc32(f"{block_id} {rev} {seed}".encode()),
    )  # fmt: skip


def gone(block_id: str, rev: int) -> VectorRow:
    return replace(block(block_id, rev, 0), gone=True, collection="", documents=(), text=None, context=None, mark=0)


@dataclass
class Rows:
    """The searchable set of one model, as a store gives it."""

    rows: dict[str, VectorRow] = field(default_factory=dict)
    rev: int = 0
    name: str = "here"
    asked_since: list[int] = field(default_factory=list)

    def put(self, block_id: str, seed: int) -> None:
        self.rev += 1
        self.rows[block_id] = block(block_id, self.rev, seed)

    def drop(self, block_id: str) -> None:
        if block_id in self.rows:
            self.rev += 1
            self.rows[block_id] = gone(block_id, self.rev)

    def changes(self, model: str, since: int) -> Iterator[Sequence[VectorRow]]:
        self.asked_since.append(since)
        changed = sorted((r for r in self.rows.values() if r.rev > since), key=lambda r: (r.rev, r.block_id))
        yield from (changed[at : at + 7] for at in range(0, len(changed), 7))

    def marks(self, model: str) -> Marks:
        live = [row.mark for row in self.rows.values() if not row.gone]
        return Marks(len(live), sum(live) % 2**64)

    def identity(self) -> str:
        return self.name


def caught_up(rows: Rows, n_shards: int = 1, copy: Path | None = None) -> SearchIndex:
    index = SearchIndex("model", DIM, n_shards, copy)
    index.catch_up(cast("Store", rows))
    return index


def answers(index: SearchIndex) -> list[Any]:
    """Everything that a search asks an index, floats as they are."""
    gathered: list[Any] = []
    for seed in (1, 2, 77):
        query = vector(seed)
        gathered += [index.nearest(query, limit, filters) for filters in FILTERS for limit in (0, 1, 5, 500)]
        gathered.append(index.similarities(query, ["unknown", *BLOCKS]))
        gathered += [index.backgrounds(query, where, ("de", "en", "xx")) for where in ((), ("east",))]
    return [*gathered, index.languages(()), index.languages(("west",)), [index.row(id_) for id_ in BLOCKS]]


acts = st.lists(st.tuples(st.integers(0, 59), st.integers(-6, 25)), max_size=120)


def act(rows: Rows, program: Sequence[tuple[int, int]]) -> None:
    for which, seed in program:
        if seed < 0:
            rows.drop(BLOCKS[which])
        else:
            rows.put(BLOCKS[which], seed)


def rows_in(n: int, languages: Sequence[str]) -> Rows:
    """Rows of blocks that take turns in their languages."""
    rows = Rows()
    for place in range(n):
        rows.put(BLOCKS[place], place)
        rows.rows[BLOCKS[place]] = replace(rows.rows[BLOCKS[place]], language=languages[place % len(languages)])
    return rows


def of_language(rows: Rows, language: str) -> Rows:
    return Rows({id_: row for id_, row in rows.rows.items() if row.language == language}, rows.rev)


def test_the_background_of_a_language_is_that_of_a_base_in_it_alone() -> None:
    rows = rows_in(60, ("de", "en"))
    both = caught_up(rows).backgrounds(vector(3), (), ("de", "en"))
    for language in ("de", "en"):
        alone = caught_up(of_language(rows, language)).backgrounds(vector(3), (), (language,))
        assert both[language] == alone[language]
    assert both["de"] != both["en"]


def test_languages_that_are_unknown_or_have_few_blocks_are_measured_on_all() -> None:
    rows = rows_in(60, ("de", "en", "de", "en", "und", "de", "en", "fr"))
    measured = caught_up(rows).backgrounds(vector(3), (), ("de", "fr", "und", "sv"))
    assert measured["fr"] == measured["und"] == measured["sv"] != measured["de"]


def test_where_one_language_has_enough_blocks_all_are_measured_together() -> None:
    rows = rows_in(60, ("de", "de", "de", "de", "und", "en"))
    measured = caught_up(rows).backgrounds(vector(3), (), ("de", "en", "und"))
    assert measured["de"] == measured["en"] == measured["und"]


def test_few_blocks_have_no_background() -> None:
    assert caught_up(rows_in(19, ("de",))).backgrounds(vector(3), (), ("de",)) == {"de": Background()}


def test_a_background_forgets_what_has_gone() -> None:
    rows = rows_in(50, ("de",))
    index = caught_up(rows)
    before = index.backgrounds(vector(3), (), ("de",))
    for id_ in sorted(BLOCKS[:50])[:25]:
        rows.drop(id_)
    index.catch_up(cast("Store", rows))
    assert index.backgrounds(vector(3), (), ("de",)) == caught_up(rows).backgrounds(vector(3), (), ("de",)) != before


@settings(deadline=None, max_examples=15)
@given(acts, acts)
def test_any_number_of_parts_gives_the_same_bits(first: list[tuple[int, int]], then: list[tuple[int, int]]) -> None:
    rows = Rows()
    act(rows, first)
    indexes = [caught_up(rows, n) for n in (1, 2, 7)]
    act(rows, then)
    for index in indexes:
        index.catch_up(cast("Store", rows))
    one, *others = (answers(index) for index in indexes)
    assert all(other == one for other in others)


@pytest.fixture(autouse=True)
def any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "LEAST", 1)


@pytest.fixture
def filled() -> Rows:
    rows = Rows()
    act(rows, [(n, n % 26) for n in range(60)] + [(3, -1), (9, -1), (4, 12)])
    return rows


@pytest.mark.parametrize("n_shards", [1, 3])
def test_a_copy_answers_like_the_database_and_asks_it_only_for_what_is_new(
    tmp_path: Path, filled: Rows, n_shards: int
) -> None:
    copy = tmp_path / "deep" / "copy"
    caught_up(filled, n_shards, copy)
    assert copy.stat().st_mode & 0o077 == 0
    written, seen = copy.read_bytes(), filled.rev
    filled.asked_since.clear()
    index = caught_up(filled, n_shards, copy)
    assert answers(index) == answers(caught_up(filled, n_shards))
    assert filled.asked_since == [seen, 0]
    act(filled, [(n, 20) for n in range(40)] + [(50, -1)])
    index.catch_up(cast("Store", filled))
    assert answers(index) == answers(caught_up(filled))
    assert copy.read_bytes() == written, "rows that are mapped from it are changed in memory only"
    assert answers(caught_up(filled, n_shards, copy)) == answers(caught_up(filled))
    assert copy.read_bytes() != written
    assert [path.name for path in copy.parent.iterdir()] == ["copy"]


@pytest.mark.parametrize("n_shards", [1, 3])
def test_rows_are_mapped_from_the_copy_as_soon_as_it_is_written(tmp_path: Path, filled: Rows, n_shards: int) -> None:
    index = caught_up(filled, n_shards, tmp_path / "copy")
    parts: list[ExactIndex] = list(cast("Any", index)._indexes.values())
    assert len(parts) == n_shards
    assert all(isinstance(cast("Any", part)._rows, np.memmap) for part in parts)
    assert answers(index) == answers(caught_up(filled))


def test_a_copy_that_another_process_replaced_meanwhile_is_not_mapped(
    tmp_path: Path, filled: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, other = tmp_path / "copy", Rows()
    act(other, [(n, 5) for n in range(30)])
    other.rev = filled.rev
    caught_up(other, 1, copy)
    of_other = copy.read_bytes()
    copy.unlink()
    write = saved.write

    def raced(path: Path, whose: saved.Whose, content: saved.Copy) -> bool:
        is_written = write(path, whose, content)
        path.write_bytes(of_other)
        return is_written

    monkeypatch.setattr(saved, "write", raced)
    assert answers(caught_up(filled, 1, copy)) == answers(caught_up(filled))


@pytest.mark.parametrize("n_shards", [1, 4])
def test_room_for_all_blocks_is_made_once(filled: Rows, n_shards: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SearchIndex, "_part", lambda _self, id_: str(BLOCKS.index(id_) % n_shards))
    sizes: list[int] = []
    grow = ExactIndex._grow

    def noted(index: ExactIndex, size: int) -> None:
        sizes.append(size)
        grow(index, size)

    monkeypatch.setattr(ExactIndex, "_grow", noted)
    assert answers(caught_up(filled, n_shards))
    assert len(sizes) == n_shards, "once in each part"
    assert sum(sizes) >= len([row for row in filled.rows.values() if not row.gone])


def test_a_damaged_copy_is_passed_over_and_made_anew(tmp_path: Path, filled: Rows) -> None:
    copy = tmp_path / "copy"
    expected = answers(caught_up(filled, 1, copy))
    whole = copy.read_bytes()
    pick = random.Random(4)
    damages = [b"", whole[:10], whole[:-1], whole[: len(whole) // 2], whole + b"x", b"\0" * len(whole)]
    for at in [*range(0, 40, 3), *(pick.randrange(len(whole)) for _ in range(25))]:
        damages.append(whole[:at] + bytes([whole[at] ^ 1 << pick.randrange(8)]) + whole[at + 1 :])
    for damaged in damages:
        copy.write_bytes(damaged)
        assert answers(caught_up(filled, 1, copy)) == expected
        assert copy.read_bytes() == whole


def test_a_copy_of_another_version_is_made_anew_and_called_damaged_by_nobody(
    tmp_path: Path, filled: Rows, caplog: pytest.LogCaptureFixture
) -> None:
    copy = tmp_path / "copy"
    expected = answers(caught_up(filled, 1, copy))
    whole = copy.read_bytes()
    copy.write_bytes(whole.replace(b"saidonce search index 3", b"saidonce search index 2"))
    assert answers(caught_up(filled, 1, copy)) == expected
    assert copy.read_bytes() == whole
    assert not caplog.text


def test_a_copy_of_another_base_is_passed_over(tmp_path: Path, filled: Rows) -> None:
    copy = tmp_path / "copy"
    caught_up(filled, 1, copy)
    for rows, n_shards in ((replace(filled, name="there"), 1), (filled, 2)):
        rows.asked_since.clear()
        caught_up(rows, n_shards, copy)
        assert rows.asked_since == [0]
        caught_up(filled, 1, copy)


def test_a_copy_without_a_field_that_filters_look_at_is_passed_over(
    tmp_path: Path, filled: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy"
    with monkeypatch.context() as older:
        older.setattr(saved, "_FIELDS", saved._FIELDS[:-1])
        caught_up(filled, 1, copy)
    filled.asked_since.clear()
    caught_up(filled, 1, copy)
    assert filled.asked_since == [0]
    filled.asked_since.clear()
    caught_up(filled, 1, copy)
    assert filled.asked_since == [filled.rev]


def test_a_base_that_went_another_way_to_the_same_revision_is_read_anew(tmp_path: Path, filled: Rows) -> None:
    """As after the restoration of an earlier state, which then went on otherwise."""
    copy = tmp_path / "copy"
    caught_up(filled, 1, copy)
    other = Rows({**filled.rows, BLOCKS[4]: block(BLOCKS[4], filled.rev, 13)}, filled.rev)
    assert answers(caught_up(other, 1, copy)) == answers(caught_up(other)) != answers(caught_up(filled))
    earlier = Rows({id_: row for id_, row in filled.rows.items() if row.rev < 30}, 29)
    caught_up(filled, 1, copy)
    assert answers(caught_up(earlier, 1, copy)) == answers(caught_up(earlier))


def test_what_is_gone_leaves_the_copy_with_the_next_start(tmp_path: Path, filled: Rows) -> None:
    copy = tmp_path / "copy"
    filled.put("b-of-a-person", 99)
    caught_up(filled, 1, copy)
    assert vector(99).tobytes() in copy.read_bytes()
    filled.drop("b-of-a-person")
    caught_up(filled, 1, copy)
    assert vector(99).tobytes() not in copy.read_bytes()
    assert b"b-of-a-person" not in copy.read_bytes()


def test_a_small_base_has_no_copy(tmp_path: Path, filled: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "copy"
    caught_up(filled, 1, copy)
    monkeypatch.setattr(saved, "LEAST", 1_000)
    caught_up(filled, 1, copy)
    assert not copy.exists()


def test_where_no_file_can_be_written_the_database_answers(
    tmp_path: Path, filled: Rows, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    copy = tmp_path / "file" / "copy"
    assert answers(caught_up(filled, 1, copy)) == answers(caught_up(filled))
    assert "search.cache not written" in caplog.text


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    found = pytest.importorskip("ray", reason="ray is not installed: parts on a cluster are NOT tested")
    yield found
    found.shutdown()


@pytest.mark.usefixtures("ray")
class TestPartsOnRay:
    @pytest.mark.slow
    @pytest.mark.parametrize("n_shards", [1, 3])
    def test_actors_answer_the_same_bits(self, filled: Rows, n_shards: int) -> None:
        index = SearchIndex("model", DIM, n_shards, None, rows_on_ray("", 1))
        index.catch_up(cast("Store", filled))
        assert answers(index) == answers(caught_up(filled))
        for at in range(0, 60, 3):
            filled.put(BLOCKS[at], at)
            filled.drop(BLOCKS[at + 1])
        index.catch_up(cast("Store", filled))
        assert answers(index) == answers(caught_up(filled))

    @pytest.mark.slow
    def test_a_lost_actor_is_an_error_and_never_a_short_answer(self, filled: Rows, ray: Any) -> None:
        index = SearchIndex("model", DIM, 3, None, rows_on_ray("", 1))
        index.catch_up(cast("Store", filled))
        before = answers(index)
        ray.kill(cast("Any", index)._indexes["1"]._actor)
        with pytest.raises(ShardError, match="search again"):
            index.nearest(vector(1), 500, Filters())
        with pytest.raises(ShardError):
            index.nearest(vector(1), 5, FILTERS[1])
        index.drop()
        index.catch_up(cast("Store", filled))
        assert answers(index) == before

    @pytest.mark.slow
    def test_a_search_fills_lost_parts_anew_and_gives_the_whole_answer(self, ray: Any) -> None:
        w = new_world()
        w.ingest({f"d{n}.md": f"# Part {n}\n\nThe cellar of house {n} is dry and has {n + 3} doors." for n in range(9)})
        expected = search(w.base, w.shelf, "which cellar is dry", Filters())
        index = SearchIndex(w.embedder.model, w.embedder.dim, 3, None, rows_on_ray("", 1))
        assert search(w.base, index, "which cellar is dry", Filters()).hits == expected.hits
        for part in cast("Any", index)._indexes.values():
            ray.kill(part._actor)
        assert search(w.base, index, "which cellar is dry", Filters()).hits == expected.hits
