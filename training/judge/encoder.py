"""The cross-encoder: eight layers of MiniLM over both sentences, and a head on the words that differ."""

from __future__ import annotations

import math
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

WIDTH, HEADS, INNER, VOCABULARY, PLACES = 384, 12, 1536, 30522, 512
STARTED_FROM = (0, 1, 3, 4, 6, 7, 9, 11)
"""Layers of the twelve of ms-marco-MiniLM-L-12-v2 with whose weights the layers start: the others are left out."""

N_KINDS = 4
HIDDEN = 192


class Layer(nn.Module):
    """One layer of a BERT: attention, then two linear maps, each added to its input and normalised."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.mixed = nn.Linear(WIDTH, WIDTH)
        self.mixed_norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.up, self.down = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.dropout = nn.Dropout(0.1)

    def forward(self, states: Tensor, bias: Tensor) -> Tensor:
        """Map states (n, length, width); `bias` (n, 1, 1, length) is added to the attention's logits."""
        n, length, _ = states.shape
        query, key, value = (
            part(states).view(n, length, HEADS, WIDTH // HEADS).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        weights = (query @ key.transpose(-1, -2) / math.sqrt(WIDTH // HEADS) + bias).softmax(-1)
        mixed = (weights @ value).transpose(1, 2).reshape(n, length, WIDTH)
        states = self.mixed_norm(states + self.dropout(self.mixed(mixed)))
        return self.norm(states + self.dropout(self.down(nn.functional.gelu(self.up(states)))))


class PairEncoder(nn.Module):
    """Logit that two sentences say the same, for one order of them."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.places = nn.Embedding(PLACES, WIDTH)
        self.kinds = nn.Embedding(N_KINDS, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in STARTED_FROM)
        self.dropout = nn.Dropout(0.1)
        self.hidden = nn.Linear(5 * WIDTH, HIDDEN)
        self.logit = nn.Linear(HIDDEN, 1)

    def forward(self, ids: Tensor, kinds: Tensor, mask: Tensor) -> Tensor:
        """Return logits (n,) for integer ids, kinds and mask (n, length); mask is 1 on tokens, 0 on padding."""
        present = mask.to(torch.float32)
        places = self.places.weight[: ids.shape[1]].unsqueeze(0)
        states = self.norm(self.words(ids) + places + self.kinds(kinds))
        bias = ((1.0 - present) * -10_000.0).unsqueeze(1).unsqueeze(1)
        for layer in self.layers:
            states = layer(states, bias)
        one, two = (chosen_mean(states, (kinds == kind).to(torch.float32) * present) for kind in (2, 3))
        pooled = torch.cat([states[:, 0], one, two, (one - two).abs(), one * two], dim=1)
        return self.logit(self.dropout(torch.tanh(self.hidden(self.dropout(pooled))))).squeeze(1)


def chosen_mean(states: Tensor, chosen: Tensor) -> Tensor:
    """Return the mean of the selected states (n, length), or zeros if there are none."""
    weights = chosen.unsqueeze(2)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1.0)


def started(weights: Path) -> PairEncoder:
    """Return an encoder with MiniLM's weights; what is new is the same each time, so that runs can be averaged."""
    torch.manual_seed(1)
    model = PairEncoder()
    old = load_file(weights)
    new = model.state_dict()
    new["words.weight"] = old["embeddings.word_embeddings.weight"]
    new["places.weight"] = old["embeddings.position_embeddings.weight"]
    kinds = old["embeddings.token_type_embeddings.weight"]
    new["kinds.weight"] = kinds[[0, 0, 0, 0]] + torch.randn(N_KINDS, WIDTH) * 0.02
    new["norm.weight"], new["norm.bias"] = old["embeddings.LayerNorm.weight"], old["embeddings.LayerNorm.bias"]
    names = {
        "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
        "mixed": "attention.output.dense", "mixed_norm": "attention.output.LayerNorm",
        "up": "intermediate.dense", "down": "output.dense", "norm": "output.LayerNorm",
    }  # fmt: skip
    for n, layer in enumerate(STARTED_FROM):
        for own, theirs in names.items():
            for part in ("weight", "bias"):
                new[f"layers.{n}.{own}.{part}"] = old[f"encoder.layer.{layer}.{theirs}.{part}"]
    model.load_state_dict(new)
    return model


def trained(file: Path) -> PairEncoder:
    """Return an encoder with the weights of a file that training or `shipped` wrote."""
    model = PairEncoder()
    model.load_state_dict(torch.load(file, weights_only=True, map_location="cpu"))
    return model


def freeze(model: PairEncoder, n_layers: int) -> None:
    """Freeze the word and position embeddings and the lowest layers."""
    for part in (model.words, model.places, model.norm, *list(model.layers)[:n_layers]):
        for parameter in part.parameters():
            parameter.requires_grad = False
