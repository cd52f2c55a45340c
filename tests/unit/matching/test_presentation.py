from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.foundation.model import Candidate, Match, Question, Shown
from saidonce.matching.presentation import (
    GAP,
    MAX_LOOKED_CHARS,
    cleaned,
    opening_of,
    question_digest,
    shortened,
)

LONG = " ".join(f"word{n}" for n in range(3_000))


def asked(text: str = "a", kept: str = "b", **fields: str) -> Question:
    return Question(
        Candidate(text, text, fields=tuple(fields.items())), (Shown(Match("m", 0.9, Candidate(kept, kept))),)
    )


def test_texts_within_the_limit_stay_whole() -> None:
    assert shortened("a b", ["c", "d e"], 3) == ("a b", ("c", "d e"))


def test_a_difference_at_the_end_of_a_long_text_is_shown() -> None:
    found = shortened(f"{LONG} kept for 30 days.", [f"{LONG} kept for 90 days."], 600)
    assert found is not None
    assert found[0].endswith("kept for 30 days.")
    assert found[1][0].endswith("kept for 90 days.")
    assert GAP in found[0]
    assert max(map(len, (found[0], *found[1]))) <= 600


def test_what_only_one_side_says_is_shown_with_its_place_on_the_other() -> None:
    found = shortened(LONG.replace("word1500", "word1500 not"), [LONG], 600)
    assert found is not None
    assert "word1500 not word1501" in found[0]
    assert "word1500 word1501" in found[1][0]


def test_differences_that_do_not_fit_are_not_cut() -> None:
    other = " ".join(f"other{n}" for n in range(3_000))
    assert shortened(LONG, [other], 600) is None
    assert shortened("x" * (MAX_LOOKED_CHARS + 1), ["x"], 600) is None


words = st.lists(st.sampled_from("alpha beta gamma delta".split()), min_size=60, max_size=120)


@given(words, st.lists(st.tuples(st.integers(0, 59), st.sampled_from(["X1", "X2", ""])), max_size=3))
def test_no_word_that_differs_is_ever_left_out(base: list[str], edits: list[tuple[int, str]]) -> None:
    changed = list(base)
    for place, word in edits:
        changed[place] = word
    found = shortened(" ".join(base), [" ".join(w for w in changed if w)], 300)
    if found is not None:
        assert max(len(found[0]), len(found[1][0])) <= 300
        for marked in {word for _, word in edits if word}:
            assert found[1][0].split().count(marked) == changed.count(marked)


def test_cleaning_takes_out_what_nobody_sees() -> None:
    assert cleaned("a\x00b\x1b[0mc\u202ed\u200be\ud800f\U000e0041g\u00a0h\n\ti") == "ab[0mcdefg h\n\ti"


def test_the_digest_names_all_that_is_shown_and_nothing_else() -> None:
    one = asked()
    assert question_digest(one) == question_digest(
        Question(one.candidate, (Shown(Match("m", 0.5, one.shown[0].match.kept)),))
    )
    others = [asked("b", "b"), asked("a", "a"), asked(x="y"), asked(xy=""), asked("\ud800")]
    assert len({question_digest(q) for q in [one, *others]}) == 6


@pytest.mark.parametrize(
    ("texts", "shared"),
    [
        (["You are a clerk. Count boots.", "You are a clerk. Count shoes."], "You are a clerk. "),
        (
            ["As a clerk, count: boots", "As a clerk, count: shoes", "As a clerk, count: boots now"],
            "As a clerk, count: ",
        ),
        (["Title\nOne. Two", "Title\nOne. Three"], "Title\nOne. "),
        (["One. Two.", "One. Two. Three."], "One. "),
        (["One. ", "One. Two."], ""),
        (["Same. Same.", "Same. Same."], "Same. "),
        (["Same", "Same"], ""),
        (["Count boots", "Count shoes"], ""),
        (["1.5 % off", "1.6 % off"], ""),
        (["", "One. Two."], ""),
        (["One. Two.", "Other. Two."], ""),
    ],
)
def test_the_opening_that_all_share_ends_with_a_sentence_and_leaves_something(texts: list[str], shared: str) -> None:
    assert opening_of(texts) == opening_of(texts[::-1]) == len(shared)
    assert all(t.startswith(shared) for t in texts)


@given(st.lists(st.text(alphabet="ab. \n", max_size=12), min_size=2, max_size=4))
def test_what_is_left_out_is_shared_and_something_is_left(texts: list[str]) -> None:
    n = opening_of(texts)
    assert len({t[:n] for t in texts}) == 1
    assert n == 0 or all(t[n:].strip() for t in texts)
