"""What stands for words in scripts that write none apart."""

from __future__ import annotations

import pytest

from saidonce.kb.search.pieces import has_pieces, pieces, searched_text


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("押金什么时候退还？", ("押金", "退还")),
        ("犬を飼ってもいいですか", ("犬", "飼")),
        ("フィルターの頻度", ("フィルター", "頻度")),
        ("보증은 언제", ("보증",)),
        ("ไหม", ()),
        ("这是什么", ()),
        ("the key", ()),
        ("押金和押金", ("押金",)),
    ],
)
def test_small_words_and_endings_are_left_out(query: str, expected: tuple[str, ...]) -> None:
    assert pieces(query) == expected


def test_thai_is_cut_into_threes() -> None:
    assert pieces("ขยะมา") == ("ขยะ", "ยะม", "ะมา")


@pytest.mark.parametrize(("word", "expected"), [("押金", True), ("すし", True), ("보증", True), ("насос", False)])
def test_only_scripts_without_words_have_pieces(word: str, expected: bool) -> None:
    assert has_pieces(word) is expected


def test_title_and_headings_are_searched_too() -> None:
    assert searched_text("押金", ("退还",), "三个月") == "押金 退还 三个月"
