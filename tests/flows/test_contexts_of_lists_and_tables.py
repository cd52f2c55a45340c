"""What a context prints of a list or a table that another passage has in part stands below its own heads."""

from __future__ import annotations

import pytest

from saidonce.foundation.settings.policy import SegmentStyle
from saidonce.kb.packed_context import PackedContext, pack
from world import World, world


def packed(base: World, question: str, n_tokens: int = 4_000) -> PackedContext:
    return pack(base.search(question, k=20), n_tokens, base.embedder.count_tokens)


def of(files: dict[str, str], question: str) -> PackedContext:
    base = world(min_relevance=0.0, dedup_from=0.5, segment_style=SegmentStyle.PARAGRAPH)
    base.ingest(files)
    return packed(base, question)


@pytest.mark.parametrize(
    ("one", "other", "moved"),
    [
        (
            "- Allowed:\n  - bicycles\n  - prams\n- Forbidden:\n  - scooters\n  - mopeds",
            "- Allowed:\n  - bicycles\n  - prams\n  - scooters\n- Forbidden:\n  - mopeds",
            "scooters",
        ),
        (
            "- Early shift:\n  - Ms Vogt\n  - Ms Conrad\n- Late shift:\n  - Mr Dorn",
            "- Early shift:\n  - Ms Vogt\n- Late shift:\n  - Ms Conrad\n  - Mr Dorn",
            "Conrad",
        ),
    ],
)
def test_a_member_below_another_head_is_no_repeat(one: str, other: str, moved: str) -> None:
    context = of({"a.md": f"# Rules\n\n{one}\n", "b.md": f"# Rules\n\n{other}\n"}, f"what holds for {moved}?")
    texts = [p.text for p in context.passages]
    assert sorted(texts) == sorted((one, other))
    assert not any(p.also_in for p in context.passages)
    assert "unlike [1]" in context.text


def test_a_member_that_is_added_stands_below_its_head() -> None:
    one = "- Allowed:\n  - bicycles of all kinds\n  - prams\n- Forbidden:\n  - scooters\n  - mopeds"
    context = of(
        {"a.md": f"# Rules\n\n{one}\n", "b.md": f"# Rules\n\n{one}\n  - grills and heaters\n"}, "bicycles and prams"
    )
    texts = [p.text for p in context.passages]
    assert texts in ([one, "- Forbidden:\n  - grills and heaters"], [f"{one}\n  - grills and heaters"])


def test_rows_of_another_part_stand_below_header_and_group_in_order() -> None:
    rooms = [(f"{floor}{n:02}", f"{20 + n} m2", f"{300 + 7 * n} euros") for floor in "GFS" for n in range(1, 31)]
    groups = {"G01": "Ground floor", "F01": "First floor", "S01": "Second floor"}
    lines = ["| Room | Size | Rent |", "|---|---|---|"]
    for name, size, rent in rooms:
        lines += [f"| {groups[name]} | | |"] if name in groups else []
        lines.append(f"| {name} | {size} | {rent} |")
    context = of({"rooms.md": "# Rooms\n\n" + "\n".join(lines) + "\n"}, "what is the rent of room F07?")
    floor = {"G": "Ground", "F": "First", "S": "Second"}
    n_rooms = 0
    for passage in context.passages:
        printed = passage.text.split("\n")
        assert printed[0] == "Room | Size | Rent"
        under = ""
        for line in printed[1:]:
            if "floor" in line:
                under = line.split()[0]
            else:
                n_rooms += 1
                assert under == floor[line[0]]
    assert n_rooms == len(rooms)
