"""Room: the word pieces of BERT's uncased models, exactly as Hugging Face's `tokenizers` cuts them.

A text is normalized character by character (controls and marks fall away, letters lose accents and case, ideographs and
punctuation stand alone), divided at spaces, and each word is cut into the longest pieces of the vocabulary from its
front. What a character becomes is fixed by `data/wordpiece.toml`, not by the Unicode version of the Python that runs:
the same text has the same ids everywhere.

Source: Devlin and others, BERT (2019), `BasicTokenizer` and `WordpieceTokenizer`.
"""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import chain, repeat
from typing import Any, Final

PREFIX: Final = "##"
"""Of pieces that continue a word."""

LONGEST_WORD: Final = 100
"""Characters; a longer word is unknown as a whole."""

UNKNOWN: Final = "[UNK]"

REMEMBERED: Final = 50_000
"""Words whose pieces are kept; some 15 MB."""

_WORD = re.compile("[^ ]+")

Span = tuple[int, int]
"""Half-open character offsets."""

_Pieces = tuple[tuple[int, ...], tuple[Span, ...]]
"""Ids of a word's pieces, and the offsets of each in the word."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """The pieces of a text.

    Attributes:
        ids: of the pieces.
        offsets: of the pieces in the text; a word that is unknown is one piece.
    """

    ids: list[int]
    offsets: list[Span]


class WordPiece:
    """Cuts texts by the vocabulary of a `tokenizer.json`; adds no special tokens, truncates and pads nothing.

    A special token that is written in a text, such as `[SEP]`, is that token.
    """

    def __init__(self, content: bytes) -> None:
        """Read a tokenizer.

        Args:
            content: of a `tokenizer.json` that describes an uncased BERT tokenizer.

        Raises:
            ValueError: it is malformed, or describes a tokenizer of another kind.
        """
        try:
            described = json.loads(content)
            self._ids: dict[str, int] = described["model"]["vocab"]
            special = [str(token["content"]) for token in described["added_tokens"]]
            differing = _differing(described)
        except (KeyError, TypeError, AttributeError, RecursionError) as bad:
            raise ValueError("it is not a tokenizer.json with a vocabulary and added_tokens") from bad
        if differing or UNKNOWN not in self._ids:
            raise ValueError(f"it is not the tokenizer of an uncased BERT model: {differing or UNKNOWN}")
        self._special = re.compile("|".join(map(re.escape, special)))
        self._pieces = _PiecesOfWords(self._ids)

    def token_to_id(self, token: str) -> int:
        """Return the id of a piece or special token of the vocabulary."""
        return self._ids[token]

    def id_to_token(self, id_: int) -> str | None:
        """Return the piece or special token of an id; None if there is none. Searches the whole vocabulary."""
        return next((token for token, own in self._ids.items() if own == id_), None)

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text's pieces."""
        ids, at = list[int](), 0
        for special in self._special.finditer(text):
            self._append_ids(ids, text[at : special.start()])
            ids.append(self._ids[special.group()])
            at = special.end()
        self._append_ids(ids, text[at:] if at else text)
        return ids

    def encode(self, text: str) -> Encoding:
        """Return the pieces of a text with their offsets."""
        encoding, at = Encoding([], []), 0
        for special in self._special.finditer(text):
            self._append_pieces(encoding, text[at : special.start()], at)
            encoding.ids.append(self._ids[special.group()])
            encoding.offsets.append(special.span())
            at = special.end()
        self._append_pieces(encoding, text[at:], at)
        return encoding

    def _append_ids(self, ids: list[int], text: str) -> None:
        pieces = self._pieces
        for word in text.translate(_characters()).split(" "):
            ids += pieces[word][0]

    def _append_pieces(self, encoding: Encoding, text: str, at: int) -> None:
        normal = list(map(_characters().__getitem__, map(ord, text)))
        places = list(chain.from_iterable(map(repeat, range(at, at + len(text)), map(len, normal))))
        for word in _WORD.finditer("".join(normal)):
            start = word.start()
            ids, spans = self._pieces[word.group()]
            encoding.ids.extend(ids)
            encoding.offsets.extend([(places[start + a], places[start + b - 1] + 1) for a, b in spans])


class _PiecesOfWords(dict[str, _Pieces]):
    """The pieces of normalized words, cut when they are first met; no longer word is kept, and only so many."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        super().__init__({"": ((), ())})
        self._ids = ids
        self._longest = max(map(len, ids))

    def __missing__(self, word: str) -> _Pieces:
        if len(word) > LONGEST_WORD:
            return (self._ids[UNKNOWN],), ((0, len(word)),)
        pieces = self._cut(word)
        if len(self) >= REMEMBERED:
            self.clear()
        self[word] = pieces
        return pieces

    def _cut(self, word: str) -> _Pieces:
        """Cut a word into the longest pieces from its front; it is unknown if no pieces make it up."""
        ids, spans = list[int](), list[Span]()
        at, prefix = 0, ""
        while at < len(word):
            end = min(len(word), at + self._longest)
            while (id_ := self._ids.get(prefix + word[at:end])) is None:
                end -= 1
                if end == at:
                    return (self._ids[UNKNOWN],), ((0, len(word)),)
            ids.append(id_)
            spans.append((at, end))
            at, prefix = end, PREFIX
        return tuple(ids), tuple(spans)


class _Characters(dict[int, str]):
    """What each code point becomes, worked out when it is first met; what stands alone has spaces around it."""

    def __init__(self, dropped: _Ranges, spaces: _Ranges, alone: _Ranges) -> None:
        super().__init__()
        self._dropped, self._spaces, self._alone = dropped, spaces, alone

    def __missing__(self, code_point: int) -> str:
        character = chr(code_point)
        if character in self._dropped:
            normal = ""
        elif character in self._spaces:
            normal = " "
        else:
            # No decomposition of an assigned character ever changes; of later ones no vocabulary knows.
            kept = (c for c in unicodedata.normalize("NFD", character) if c not in self._dropped)
            normal = "".join(f" {c} " if c in self._alone else c for c in "".join(map(str.lower, kept)))
        self[code_point] = normal
        return normal


class _Ranges:
    """A set of characters, as ranges of code points that are sorted and do not touch."""

    def __init__(self, ranges: Iterable[str]) -> None:
        """Read ranges: `9` is a code point, `0-8` are nine, in hexadecimal digits."""
        bounds = [(int(first, 16), int(last or first, 16)) for first, _, last in (r.partition("-") for r in ranges)]
        self._firsts, self._lasts = [first for first, _ in bounds], [last for _, last in bounds]

    def __contains__(self, character: str) -> bool:
        at = bisect_right(self._firsts, ord(character)) - 1
        return at >= 0 and ord(character) <= self._lasts[at]


@cache
def _characters() -> _Characters:
    data = tomllib.loads((resources.files("saidonce.foundation") / "data" / "wordpiece.toml").read_text("utf-8"))
    return _Characters(*(_Ranges(data[name].split()) for name in ("dropped", "spaces", "alone")))


_REQUIRED = {
    "normalizer": {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    },
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "model": {
        "type": "WordPiece",
        "unk_token": UNKNOWN,
        "continuing_subword_prefix": PREFIX,
        "max_input_chars_per_word": LONGEST_WORD,
    },
}
"""What a tokenizer has to say of itself, beside its vocabulary and special tokens."""

_PLAIN = {"special": True, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
"""How special tokens have to be recognised."""


def _differing(described: Any) -> str:
    """Name the first part of a description that this module does not follow; empty if there is none."""
    for part, required in _REQUIRED.items():
        if {name: value for name, value in described[part].items() if name != "vocab"} != required:
            return part
    ids = described["model"]["vocab"]
    for token in described["added_tokens"]:
        if not _PLAIN.items() <= token.items() or ids[token["content"]] != token["id"]:
            return "added_tokens"
    return ""
