"""What the equivalence judge reads of two sentences, and what it refuses to read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.adapters.judge.encoding import DIFFERS_A, DIFFERS_B, MAX_TOKENS, SAME_A, SAME_B, Encoded, encode
from saidonce.foundation.wordpiece import WordPiece

FOLDER = Path(__file__).parents[3] / "packages" / "saidonce-judge" / "src" / "saidonce_judge"
TOKENIZER = WordPiece((FOLDER / "tokenizer.json").read_bytes())


def words(encoded: Encoded, kind: int) -> str:
    return " ".join(
        str(TOKENIZER.id_to_token(token))
        for token, own in zip(encoded.ids, encoded.kinds, strict=True)
        if own == kind and TOKENIZER.id_to_token(token) not in ("[CLS]", "[SEP]")
    )


def test_marks_the_words_that_differ_on_each_side() -> None:
    both = encode(TOKENIZER, "The key opens the door.", "The key unlocks the door.")
    assert both is not None
    first, second = both
    assert (words(first, DIFFERS_A), words(first, DIFFERS_B)) == ("opens", "unlock ##s")
    assert (words(second, DIFFERS_A), words(second, DIFFERS_B)) == ("unlock ##s", "opens")
    assert words(first, SAME_A) == words(first, SAME_B) == "the key the door ."


def test_reads_both_sides_in_the_same_order_whichever_comes_first() -> None:
    one, two = "Send the form by Friday.", "The form must be sent by Friday."
    assert encode(TOKENIZER, one, two) == encode(TOKENIZER, two, one)


def test_white_space_does_not_count() -> None:
    spaced = encode(TOKENIZER, " Send  the\nform. ", "Send the report.")
    assert spaced == encode(TOKENIZER, "Send the form.", "Send the report.")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("", "Send the form."),
        ("   ", "Send the form."),
        ("The US office is open.", "The us office is open."),
        ("His résumé is here.", "His resume is here."),
        ("The 貓 sleeps here.", "The 犬鼹 sleeps here."),
        ("Send the form.", "Send the\x00 report."),
        ("Send the form.", "Send the \u202eform\u202c today."),
        ("Send the form.", "Send the \ud800 form."),
        ("word " * MAX_TOKENS, "word"),
        ("x" * 1_000_000, "x"),
    ],
    ids=["empty", "blank", "case", "accents", "unknown", "control", "direction", "surrogate", "tokens", "characters"],
)
def test_gives_nothing_where_the_difference_cannot_be_seen(a: str, b: str) -> None:
    assert encode(TOKENIZER, a, b) is None
    assert encode(TOKENIZER, b, a) is None


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_are_encoded_or_refused_and_their_order_does_not_matter(a: str, b: str) -> None:
    both = encode(TOKENIZER, a, b)
    assert both == encode(TOKENIZER, b, a)
    if both is not None:
        assert all(len(e.ids) == len(e.kinds) <= MAX_TOKENS for e in both)
        assert json.dumps(both[0].ids)
