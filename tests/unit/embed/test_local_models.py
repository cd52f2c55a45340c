"""The two local families over stand-ins for their packages, which are extras."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from saidonce.adapters.embed import local_models
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.adapters.embed.local_models import Model2Vec, SentenceTransformers
from saidonce.errors import ModelUnavailableError

WINDOW = 12


class FakeTokenizer:
    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        assert not add_special_tokens
        return list(range(len(text.split())))


class FakeModel:
    """Embeds words; refuses more than its window and more than one text a batch."""

    max_seq_length = WINDOW
    dim = 32
    tokenizer = FakeTokenizer()

    def __init__(self, folder: str, device: str = "cpu", local_files_only: bool = True) -> None:
        assert (device, local_files_only) == ("cpu", True)
        if not Path(folder, "model.safetensors").is_file():
            raise OSError("no weights")

    from_pretrained = classmethod(lambda cls, folder: cls(folder))

    def get_sentence_embedding_dimension(self) -> int:
        return self.dim

    def encode(self, texts: Sequence[str], batch_size: int = 1, **options: Any) -> Any:
        assert batch_size == 1
        windowed = "convert_to_numpy" in options
        assert windowed or options == {"max_length": None, "normalize": False, "use_multiprocessing": False}
        assert not windowed or all(len(text.split()) <= WINDOW - 2 for text in texts)
        known = ["" if "unknown" in text else text for text in texts]
        return np.array([HashedEmbedder(32).embed([text])[0] * bool(text) * 3 for text in known])


@pytest.fixture(autouse=True)
def _packages(monkeypatch: pytest.MonkeyPatch) -> None:
    for package, name in (("sentence_transformers", "SentenceTransformer"), ("model2vec", "StaticModel")):
        module = ModuleType(package)
        module.__spec__ = ModuleSpec(package, None)
        setattr(module, name, FakeModel)
        monkeypatch.setitem(sys.modules, package, module)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    model = tmp_path / "my-model"
    model.mkdir()
    (model / "model.safetensors").write_bytes(b"weights")
    (model / "tokenizer.json").write_text("{}")
    return model


FAMILIES = [SentenceTransformers, Model2Vec]


@pytest.mark.parametrize("family", FAMILIES)
def test_rows_have_length_one_and_the_same_bytes_in_any_batch(family: type[SentenceTransformers], folder: Path) -> None:
    model = family(str(folder))
    texts = ["kept for 30 days", "one two three " * 40, "x", "kept for 30 days"]
    rows = model.embed(texts)
    assert rows.shape == (4, 32) == (4, model.dim)
    assert np.abs(np.linalg.norm(rows, axis=1) - 1).max() < 1e-6
    assert [model.embed([text])[0].tobytes() for text in texts] == [row.tobytes() for row in rows]
    assert model.embed([]).shape == (0, 32)
    assert model.count_tokens(texts) == [4, 120, 1, 4]


@pytest.mark.parametrize("family", FAMILIES)
def test_texts_without_any_known_word_get_directions_of_their_own(
    family: type[SentenceTransformers], folder: Path
) -> None:
    a, b, again = family(str(folder)).embed(["unknown one", "unknown two", "unknown one"])
    assert a.tobytes() == again.tobytes()
    assert abs(a @ b) < 0.7


def test_a_long_text_is_weighted_by_tokens(folder: Path) -> None:
    text = "alpha beta gamma delta epsilon zeta eta theta " * 3
    pieces = list(local_models.pieces_of(FakeTokenizer(), text, WINDOW - 2))
    assert "".join(piece for piece, _ in pieces) == text
    assert all(n_tokens <= WINDOW - 2 for _, n_tokens in pieces)
    total = sum(FakeModel(str(folder)).encode([p], convert_to_numpy=True)[0].astype(np.float64) * n for p, n in pieces)
    row = SentenceTransformers(str(folder)).embed([text])[0]
    assert np.allclose(row, total / np.linalg.norm(total), atol=1e-6)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_fingerprint_follows_the_files_and_not_the_place(family: type[SentenceTransformers], folder: Path) -> None:
    first = family(str(folder)).model
    assert first.startswith(f"{family.family}:my-model:")
    (folder / "README.md").write_text("about")
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.bin").write_bytes(b"copy")
    moved = folder.rename(folder.parent / "copy").rename(folder)
    assert family(str(moved)).model == first
    (folder / "model.safetensors").write_bytes(b"other weights")
    assert family(str(folder)).model != first


@pytest.mark.parametrize("family", FAMILIES)
def test_a_missing_package_names_the_extra(
    family: type[SentenceTransformers], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_models, "find_spec", lambda name: None)
    with pytest.raises(ModelUnavailableError, match=rf"install 'saidonce\[{family.family}\]'"):
        family(str(folder)).embed(["x"])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_folder_without_a_model_is_unavailable(family: type[SentenceTransformers], tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match="cannot be loaded: no weights"):
        family(str(tmp_path)).embed(["x"])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_folder_that_is_not_there_is_named_and_not_looked_for_on_the_hub(family: type[SentenceTransformers]) -> None:
    with pytest.raises(ModelUnavailableError, match="there is no folder 'no/such-model'"):
        family("./no/such-model").embed(["x"])


def test_a_name_is_looked_up_in_the_cache_before_it_is_fetched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def snapshot_download(name: str, ignore_patterns: list[str], local_files_only: bool = False) -> str:
        asked.append(local_files_only)
        assert "onnx/*" in ignore_patterns
        if local_files_only:
            raise FileNotFoundError("not in the cache")
        return str(folder)

    hub = ModuleType("huggingface_hub")
    hub.snapshot_download = snapshot_download  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    assert Model2Vec("somebody/some-model").model.startswith("model2vec:some-model:")
    assert asked == [True, False]
