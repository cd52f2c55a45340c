"""What stands for words in scripts that write none apart."""

from __future__ import annotations

import pytest

from saidonce.kb.search.pieces import has_pieces, pieces, searched_text


def texts(query: str) -> tuple[str, ...]:
    return tuple(piece.written for piece in pieces(query))


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
        ("滤网是什么意思？", ("滤网",)),
        ("乾燥は何時間ですか", ("乾燥",)),
        ("보증은 언제까지 가능한가요?", ("보증",)),
    ],
)
def test_small_words_and_endings_are_left_out(query: str, expected: tuple[str, ...]) -> None:
    assert texts(query) == expected


def test_thai_is_cut_into_threes() -> None:
    assert texts("ขยะมา") == ("ขยะ", "ยะม", "ะมา")


@pytest.mark.parametrize(("word", "expected"), [("押金", True), ("すし", True), ("보증", True), ("насос", False)])
def test_only_scripts_without_words_have_pieces(word: str, expected: bool) -> None:
    assert has_pieces(word) is expected


def test_letters_and_figures_written_together_with_ideographs_are_one_piece() -> None:
    assert texts("E5是什么意思？") == ("e5",)
    assert texts("GP-400型号") == ("gp-400", "型号")


def test_words_that_stand_apart_are_left_to_the_search_of_words() -> None:
    assert texts("GP-400 保修") == ("保修",)


@pytest.mark.parametrize(("content", "holds"), [("闪烁e5表示", True), ("闪烁e55表示", False), ("闪烁se5表示", False)])
def test_letters_and_figures_are_in_a_text_as_a_word(content: str, holds: bool) -> None:
    (piece,) = pieces("E5是什么")
    assert piece.is_in(content) is holds


def test_a_character_that_may_be_a_small_word_is_weak_and_no_piece_by_itself() -> None:
    assert [(piece.text, sorted(piece.weak)) for piece in pieces("会员要到")] == [("会员", [0]), ("员要", [2])]


def test_title_and_headings_are_searched_too() -> None:
    assert searched_text("押金", ("退还",), "三个月") == "押金 退还 三个月"
