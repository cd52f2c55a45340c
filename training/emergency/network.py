"""The encoder of dangers: four layers of the built-in embedder over its table of words, and the letters of the text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from training.judge.encoder import WIDTH, Layer

STARTED_FROM = (0, 1, 3, 5)
"""Layers of the embedder's six with whose weights the layers start: the others are left out."""

PLACES = 128
N_WORDS = 30_522

_PRODUCTS = {
    "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
    "mixed": "attention.output.dense", "up": "intermediate.dense", "down": "output.dense",
}  # fmt: skip
"""Linear maps of a layer in the order of the embedder's graph, by our names and its own."""


class DangerNetwork(nn.Module):
    """Logits of the classes, for rows of the table of words and for hashed letters.

    Args:
        n_kinds: number of classes.
        n_letters: places of hashed letters.
    """

    def __init__(self, n_kinds: int, n_letters: int) -> None:
        super().__init__()
        self.words = nn.Embedding(N_WORDS, WIDTH)
        self.places = nn.Parameter(torch.zeros(PLACES, WIDTH))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in STARTED_FROM)
        self.dropout = nn.Dropout(0.1)
        self.kinds = nn.Linear(WIDTH, n_kinds)
        self.letters = nn.EmbeddingBag(n_letters, n_kinds, mode="sum")
        nn.init.zeros_(self.letters.weight)
        self.words.weight.requires_grad = False
        self.places.requires_grad = False

    def forward(self, rows: Tensor, mask: Tensor) -> Tensor:
        """Return what the words say, logits (n, kinds), for rows (n, length, width) and mask (n, length)."""
        present = mask.to(torch.float32)
        states = self.dropout(self.norm(rows + self.places[: rows.shape[1]]))
        bias = ((1.0 - present) * -10_000.0).unsqueeze(1).unsqueeze(1)
        for layer in self.layers:
            states = layer(states, bias)
        weights = present.unsqueeze(2)
        pooled = (states * weights).sum(1) / weights.sum(1)
        return self.kinds(self.dropout(pooled))


def started(file: Path, n_kinds: int, n_letters: int) -> DangerNetwork:
    """Return a network with the weights of the built-in embedder's file, multiplied out."""
    torch.manual_seed(1)
    model = DangerNetwork(n_kinds, n_letters)
    kept = {each.name: numpy_helper.to_array(each) for each in onnx.load(file).graph.initializer}
    new = model.state_dict()

    def own(name: str) -> Tensor:
        return torch.tensor(np.array(kept[f"inner.{name}"]))

    def product(name: str) -> Tensor:
        return torch.tensor(kept[f"{name}_q"].astype(np.float32) * kept[f"{name}_scale"])

    new["words.weight"] = product("inner.embeddings.word_embeddings.weight")
    places = product("inner.embeddings.position_embeddings.weight")[:PLACES]
    new["places"] = places + own("embeddings.token_type_embeddings.weight")[0]
    new["norm.weight"], new["norm.bias"] = own("embeddings.LayerNorm.weight"), own("embeddings.LayerNorm.bias")
    numbered = sorted(int(name[4:-2]) for name in kept if name.startswith("val_") and name.endswith("_q"))
    for n, layer in enumerate(STARTED_FROM):
        values = numbered[len(_PRODUCTS) * layer :]
        for (name, theirs), value in zip(_PRODUCTS.items(), values, strict=False):
            new[f"layers.{n}.{name}.weight"] = product(f"val_{value}").T.contiguous()
            new[f"layers.{n}.{name}.bias"] = own(f"encoder.layer.{layer}.{theirs}.bias")
        for name, theirs in (("mixed_norm", "attention.output.LayerNorm"), ("norm", "output.LayerNorm")):
            for part in ("weight", "bias"):
                new[f"layers.{n}.{name}.{part}"] = own(f"encoder.layer.{layer}.{theirs}.{part}")
    model.load_state_dict(new)
    return model
