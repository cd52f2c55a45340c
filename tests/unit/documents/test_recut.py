"""Where a passage may be cut, and what its parts and the whole of two segments are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from saidonce.documents.recut import cuts, joined, part_of, renumbered
from saidonce.foundation.model import Kind, Segment
from saidonce.foundation.text import content_hash


def piece(id_: str, text: str, kind: Kind = Kind.PARAGRAPH, n_tokens: int = 3) -> Segment:
    return Segment(id_, 0, kind, text, ("Boats",), 4, "en", "Boats", n_tokens, content_hash(text))


@pytest.mark.parametrize(
    ("whole", "expected"),
    [
        ("Bring a rope.", []),
        ("Bring a rope. It is dry.", [("Bring a rope.", "It is dry.")]),
        (
            "Stop. Wait. Go.",
            [("Stop. Wait.", "Go."), ("Stop.", "Wait. Go.")],
        ),
        ("Bring:\n\n- a rope\n- a lamp", []),
        ("Bring:\n\n- a rope\n- a lamp. New.\n\nIt is dry.", [("Bring:\n\n- a rope\n- a lamp. New.", "It is dry.")]),
        ("Name: Ada\nFloor: two", []),
        (
            "\u5173\u95ed\u7535\u6e90\u3002\u6253\u5f00\u76d6\u5b50\u3002",
            [("\u5173\u95ed\u7535\u6e90\u3002", "\u6253\u5f00\u76d6\u5b50\u3002")],
        ),
    ],
)
def test_a_passage_is_cut_at_sentences_and_behind_lists(whole: str, expected: list[tuple[str, str]]) -> None:
    assert list(cuts(whole)) == expected


def test_a_part_stands_where_the_whole_does() -> None:
    whole = piece("1", "Bring:\n\n- a rope\n\nIt is dry.", Kind.LIST)
    parts = [part_of(whole, part) for cut in cuts(whole.text) for part in cut]
    assert [(p.kind, p.heading_path, p.page) for p in parts] == [
        (Kind.LIST, ("Boats",), 4),
        (Kind.PARAGRAPH, ("Boats",), 4),
    ]


def test_the_whole_of_two_is_of_the_kind_of_the_longer_one() -> None:
    whole = joined(piece("1", "- a rope", Kind.LIST), piece("2", "It is dry.", n_tokens=5))
    assert (whole.kind, whole.text) == (Kind.PARAGRAPH, "- a rope\n\nIt is dry.")


def test_new_segments_have_ids_of_their_own_and_all_follow_each_other() -> None:
    old = piece("1", "Bring a rope.")
    new = replace(old, id="")
    first, second, third = renumbered([old, new, new], "d", [3, 4, 5])
    assert len({first.id, second.id, third.id}) == 3
    assert [(s.ordinal, s.n_tokens) for s in (first, second, third)] == [(0, 3), (1, 4), (2, 5)]
    assert renumbered([new], "d", [4])[0].id == second.id
