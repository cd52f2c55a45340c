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


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ごみ", ("ごみ",)),
        ("すぐに", ("すぐ",)),
        ("ごみは何時まで", ("ごみ",)),
        ("粗大ごみは一度に何個まで頼めますか", ("粗大", "ごみ", "一度", "頼")),
        ("やかんはどこ", ("やか", "かん")),
        ("街灯が壊れていたらどこに連絡しますか", ("街灯", "壊", "連絡")),
        ("つかった道具はどこにもどす？", ("つか", "道具", "どす")),
    ],
)
def test_hiragana_counts_where_it_is_no_particle_or_ending(query: str, expected: tuple[str, ...]) -> None:
    assert texts(query) == expected


@pytest.mark.parametrize(
    ("query", "content", "holds"),
    [
        ("水龙头", "先打開水龍頭", True),
        ("水龍頭", "先打开水龙头", True),
        ("電話ですか", "燃气有异味，拨打电话", False),  # Japanese asks for no Chinese
        ("끝나면", "휴직이 끝난 직원은", True),
        ("돌아가시면", "부모가 돌아가신 경우", True),
        ("연차는", "비행기 연착", False),
        ("ませんか", "届け出なければなりません", False),
    ],
)
def test_a_piece_is_found_in_the_other_forms_of_a_word(query: str, content: str, holds: bool) -> None:
    content = searched_text("", (), content)
    assert (bool(pieces(query)) and all(piece.is_in(content) for piece in pieces(query)[:1])) is holds


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
