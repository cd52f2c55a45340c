"""The word pieces are those of Hugging Face's `tokenizers`, for every character and whatever the Python."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from saidonce.foundation.wordpiece import LONGEST_WORD, REMEMBERED, WordPiece

ROOT = Path(__file__).parents[2]
CONTENT = (resources.files("saidonce.adapters.embed") / "data" / "tokenizer.json").read_bytes()

LIBRARY = Tokenizer.from_str(CONTENT.decode())
LIBRARY.no_truncation()
LIBRARY.no_padding()
OWN = WordPiece(CONTENT)


def assert_equal(texts: Sequence[str], *, offsets: bool = True) -> int:
    """Assert that both cut the texts into the same pieces, and return their number."""
    encodings = LIBRARY.encode_batch(texts, add_special_tokens=False)
    for text, theirs in zip(texts, encodings, strict=True):
        own = OWN.encode(text)
        assert own.ids == theirs.ids == OWN.ids(text), repr(text)
        assert not offsets or own.offsets == theirs.offsets, repr(text)
    return sum(len(each.ids) for each in encodings)


def assert_characters_equal(characters: Sequence[str]) -> None:
    texts = [" ".join(f"{c} a{c}b {c}{c}" for c in characters[at : at + 100]) for at in range(0, len(characters), 100)]
    assert assert_equal(texts) > len(characters)


def scalars(first: int, last: int) -> list[str]:
    return [chr(point) for point in range(first, last + 1) if not 0xD800 <= point <= 0xDFFF]


def test_every_character_of_the_basic_plane_and_every_emoji_is_cut_alike() -> None:
    assert_characters_equal([*scalars(0, 0xFFFF), *scalars(0x1F000, 0x1FFFF)])


@pytest.mark.slow
def test_every_character_is_cut_alike() -> None:
    assert_characters_equal(scalars(0, sys.maxunicode))


@pytest.mark.slow
def test_the_data_are_the_ranges_of_the_library() -> None:
    def becomes(character: str) -> str:
        normal = LIBRARY.normalizer.normalize_str(f"a{character}b")
        return " ".join(word for word, _ in LIBRARY.pre_tokenizer.pre_tokenize_str(normal))

    def ranges(holds: Callable[[str], bool]) -> str:
        points = [ord(c) for c in scalars(0, sys.maxunicode) if holds(c)]
        firsts = [p for p in points if p - 1 not in known] if (known := set(points)) else []
        lasts = [p for p in points if p + 1 not in known]
        return " ".join(f"{a:x}" if a == b else f"{a:x}-{b:x}" for a, b in zip(firsts, lasts, strict=True))

    normal = {c: becomes(c) for c in scalars(0, sys.maxunicode)}
    data = tomllib.loads((resources.files("saidonce.foundation") / "data" / "wordpiece.toml").read_text("utf-8"))
    assert " ".join(data["dropped"].split()) == ranges(lambda c: normal[c] == "ab")
    assert " ".join(data["spaces"].split()) == ranges(lambda c: normal[c] == "a b")
    assert " ".join(data["alone"].split()) == ranges(lambda c: normal[c] == f"a {c} b")


PIECES = st.sampled_from(sorted(OWN._ids))
WORDS = st.one_of(
    PIECES,
    st.text(max_size=8),
    st.text("abcdeABCDEÄÖÜéñçßİıſKÅΣς0123456789", max_size=LONGEST_WORD + 5),
    st.sampled_from(
        ["[SEP]", "[CLS]", "[MASK]", "[sep]", "[", "e\u0301", "\u00ad", "\ufeff", "\x85", "한국", "ﬁ", "𝟘"]
    ),
)


@given(st.lists(st.tuples(WORDS, st.sampled_from(["", " ", "\n", "\t", "\r", "\u3000"]))))
def test_whatever_is_written_has_the_same_ids(words: list[tuple[str, str]]) -> None:
    text = "".join(word + space for word, space in words).encode("utf-8", "ignore").decode()
    # Marks of several scripts on one letter are sorted by the library, which moves the end of an unknown word.
    assert_equal([text], offsets=False)
    assert_equal([text.encode("ascii", "ignore").decode()])


def test_the_documentation_has_the_same_pieces() -> None:
    texts = [file.read_text(encoding="utf-8") for file in sorted((ROOT / "docs").rglob("*.md"))]
    assert assert_equal(texts) > 100_000


@pytest.mark.parametrize("n", [LONGEST_WORD - 1, LONGEST_WORD, LONGEST_WORD + 1, 20_000])
def test_a_word_that_is_too_long_is_unknown_as_a_whole(n: int) -> None:
    assert_equal(["x" * n, "é" * n, "e\u0301" * n, f"a {'x' * n}. b"])
    assert (OWN.ids("x" * n) == [OWN.token_to_id("[UNK]")]) == (n > LONGEST_WORD)


def test_a_half_of_a_pair_of_surrogates_makes_its_word_unknown() -> None:
    assert OWN.ids("key \ud800x") == [*OWN.ids("key"), OWN.token_to_id("[UNK]")]


def test_remembered_words_are_bounded_and_change_nothing() -> None:
    own = WordPiece(CONTENT)
    texts = [" ".join(map(str, range(first, first + 1_000))) for first in range(0, REMEMBERED + 500, 1_000)]
    expected = [each.ids for each in LIBRARY.encode_batch(texts, add_special_tokens=False)]
    assert [own.ids(text) for text in texts] == expected == [own.ids(text) for text in texts]
    assert len(own._pieces) <= REMEMBERED


def altered(part: str, **changes: Any) -> bytes:
    described = json.loads(CONTENT)
    if part == "added_tokens":
        described[part][0].update(changes)
    else:
        described[part].update(changes)
    return json.dumps(described).encode()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (altered("normalizer", lowercase=False), "normalizer"),
        (altered("pre_tokenizer", type="Whitespace"), "pre_tokenizer"),
        (altered("model", type="BPE"), "model"),
        (altered("added_tokens", lstrip=True), "added_tokens"),
        (altered("added_tokens", id=7), "added_tokens"),
        (b"{}", "not a tokenizer"),
        (b"[]", "not a tokenizer"),
        (b"{", "Expecting"),
    ],
)
def test_a_tokenizer_of_another_kind_is_refused(content: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        WordPiece(content)
