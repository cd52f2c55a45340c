"""Adapters: models of sentence-transformers and model2vec, by name or from a folder; each needs its extra."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

import httpx2
import numpy as np
from numpy.typing import NDArray

from saidonce.adapters.embed.rows import distinct, unit_rows
from saidonce.errors import ModelUnavailableError
from saidonce.foundation import extras
from saidonce.foundation.model import Vector

_HASHED = {".safetensors", ".bin", ".json", ".txt", ".model", ".npz"}
_NOT_LOADED = ("onnx", "openvino", "coreml", "gguf")
"""Folders with copies of the weights for other runtimes; neither fetched nor hashed."""

_FAILURES = (OSError, ValueError, RuntimeError, LookupError, httpx2.HTTPError)


class LocalModel(ABC):
    """A model in a folder, loaded on first use.

    A name that is not a folder is looked up in the cache of the Hugging Face hub and fetched if it
    is not there; this is the only use of the network. Texts are run one by one, so that the same
    text has the same bytes in any batch.
    """

    family: ClassVar[str]
    package: ClassVar[str]

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = Lock()
        self._found: tuple[Any, str] | None = None

    @property
    def model(self) -> str:
        """Fingerprint: family, name and a hash of the model's files.

        Raises:
            ModelUnavailableError: the package or the model is absent.
        """
        return self._loaded()[1]

    @property
    def dim(self) -> int:
        """Length of a vector.

        Raises:
            ModelUnavailableError: the package or the model is absent.
        """
        return self._width(self._loaded()[0])

    def embed(self, texts: Sequence[str]) -> Vector:
        """Embed texts: shape (n, dim) float32, unit rows, in input order.

        A text in which the model knows nothing gets a direction of its own, drawn from a hash.

        Raises:
            ModelUnavailableError: the package or the model is absent, or gave no usable vector.
        """
        model, fingerprint = self._loaded()
        unique, back = distinct(texts)
        if not unique:
            return np.zeros((0, self.dim), dtype=np.float32)
        rows = np.stack([self._vector(model, text) for text in unique])
        for at in np.flatnonzero(~rows.any(axis=1)):
            rows[at] = _draw(unique[at], rows.shape[1])
        return unit_rows(rows, fingerprint)[back]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text with the model's own tokenizer, without special tokens.

        Raises:
            ModelUnavailableError: the package or the model is absent.
        """
        model, _ = self._loaded()
        unique, back = distinct(texts)
        counts = [_n_tokens(model.tokenizer, text) for text in unique]
        return [counts[place] for place in back]

    def _loaded(self) -> tuple[Any, str]:
        with self._lock:
            if self._found is None:
                if find_spec(self.package) is None:
                    reason = f"package {self.family!r} is not installed; {extras.command(self.family)}"
                    raise ModelUnavailableError(f"{self.family}:{self._name}", reason)
                try:
                    folder = self._folder()
                    fingerprint = f"{self.family}:{Path(self._name).name}:{_files_hash(folder)[:8]}"
                    self._found = self._load(folder), fingerprint
                except _FAILURES as bad:
                    raise ModelUnavailableError(f"{self.family}:{self._name}", f"it cannot be loaded: {bad}") from bad
            return self._found

    def _folder(self) -> Path:
        """Return the folder of the model's files, fetched if it is not here."""
        return _folder(self._name)

    @abstractmethod
    def _load(self, folder: Path) -> Any:
        """Load the model from its folder."""

    @abstractmethod
    def _width(self, model: Any) -> int:
        """Return the dimension of the loaded model's vectors."""

    @abstractmethod
    def _vector(self, model: Any, text: str) -> NDArray[np.float64]:
        """Embed one text of any length: shape (dim,)."""


class SentenceTransformers(LocalModel):
    """A model of sentence-transformers on the CPU.

    Texts above the model's window are cut at spaces into halves until they fit; the vector is the
    mean of theirs, weighted by tokens.
    """

    family = "sentence-transformers"
    package = "sentence_transformers"

    def _load(self, folder: Path) -> Any:
        return import_module(self.package).SentenceTransformer(str(folder), device="cpu", local_files_only=True)

    def _width(self, model: Any) -> int:
        return int(model.get_sentence_embedding_dimension())

    def _vector(self, model: Any, text: str) -> NDArray[np.float64]:
        pieces = list(pieces_of(model.tokenizer, text, (model.max_seq_length or 512) - 2))
        vectors = model.encode(
            [piece for piece, _ in pieces], batch_size=1, convert_to_numpy=True, show_progress_bar=False
        )
        weights = np.array([max(1, n_tokens) for _, n_tokens in pieces], dtype=np.float64)
        total: NDArray[np.float64] = (np.asarray(vectors, dtype=np.float64) * weights[:, None]).sum(axis=0)
        return total


class Model2Vec(LocalModel):
    """A static model of model2vec: the mean of word vectors, without any limit of length."""

    family = "model2vec"
    package = "model2vec"

    def _load(self, folder: Path) -> Any:
        return import_module(self.package).StaticModel.from_pretrained(str(folder))

    def _width(self, model: Any) -> int:
        return int(model.dim)

    def _vector(self, model: Any, text: str) -> NDArray[np.float64]:
        vector = model.encode([text], max_length=None, normalize=False, use_multiprocessing=False)[0]
        return np.asarray(vector, dtype=np.float64)


def _folder(name: str) -> Path:
    path = Path(name).expanduser()
    if path.is_dir():
        return path
    if name.startswith((".", "/", "~")):  # No name on the hub begins so; a folder was meant.
        raise FileNotFoundError(f"there is no folder {str(path)!r}")
    hub = import_module("huggingface_hub")
    skipped = [f"{folder}/*" for folder in _NOT_LOADED]
    try:
        return Path(hub.snapshot_download(name, ignore_patterns=skipped, local_files_only=True))
    except OSError:
        return Path(hub.snapshot_download(name, ignore_patterns=skipped))


def _files_hash(folder: Path) -> str:
    """Return the SHA-256 of the names and contents of all files that shape the vectors, in order of their names."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.suffix in _HASHED}
    state = hashlib.sha256()
    for name in sorted(files):
        if not files[name].is_file() or name.split("/")[0] in _NOT_LOADED or name.startswith("."):
            continue
        with files[name].open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        state.update(f"{name}\0{content}\n".encode())
    return state.hexdigest()


def _n_tokens(tokenizer: Any, text: str) -> int:
    encoded = tokenizer.encode(text, add_special_tokens=False)
    return len(getattr(encoded, "ids", encoded))


def pieces_of(tokenizer: Any, text: str, most: int) -> Iterator[tuple[str, int]]:
    """Cut a text into pieces of at most `most` tokens, with the number of tokens of each."""
    n_tokens = _n_tokens(tokenizer, text)
    if n_tokens <= most or len(text) < 2:
        yield text, n_tokens
        return
    middle = len(text) // 2
    cut = text.rfind(" ", middle // 2, middle) + 1 or middle
    yield from pieces_of(tokenizer, text[:cut], most)
    yield from pieces_of(tokenizer, text[cut:], most)


def _draw(text: str, dim: int) -> NDArray[np.float64]:
    """Draw a direction from a text's hash: the same for the same text, near a right angle to all others."""
    stream = hashlib.shake_256(text.encode()).digest(2 * dim)
    return np.frombuffer(stream, dtype="<u2").astype(np.float64) - 32767.5
