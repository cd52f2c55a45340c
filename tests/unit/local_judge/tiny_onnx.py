"""A model of natural language inference small enough to write down: a token adds its row of a table to the logits."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

WORDS = ("[UNK]", "open", "closed", "not")
LABELS = {"0": "entailment", "1": "neutral", "2": "contradiction"}
TABLE = ((0.0, 0.1, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 4.0), (0.0, 0.0, 4.0))
"""Logits that a word adds: "closed" and "not" contradict, whatever stands beside them."""

_INT64, _FLOAT = 7, 1


def write(folder: Path, labels: dict[str, str] | None = None, window: int = 64, n_columns: int = 3) -> Path:
    """Write the three files of a model folder."""
    folder.mkdir(exist_ok=True)
    table = [row[:n_columns] for row in TABLE]
    (folder / "model.onnx").write_bytes(_model(table))
    config = {"id2label": labels or LABELS, "max_position_embeddings": window}
    (folder / "config.json").write_text(json.dumps(config))
    tokenizer = Tokenizer(models.WordLevel({w: n for n, w in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def _field(number: int, value: bytes | str | int) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    content = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _value(name: str, kind: int, dims: Sequence[str | int]) -> bytes:
    shape = b"".join(_field(1, _field(2, d) if isinstance(d, str) else _field(1, d)) for d in dims)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))


def _model(table: Sequence[Sequence[float]]) -> bytes:
    n, m = len(table), len(table[0])
    numbers = struct.pack(f"<{n * m}f", *(v for row in table for v in row))
    weights = _field(1, n) + _field(1, m) + _field(2, _FLOAT) + _field(8, "table") + _field(9, numbers)
    gather = _field(1, "table") + _field(1, "input_ids") + _field(2, "rows") + _field(4, "Gather")
    axes = _field(1, "axes") + _field(8, 1) + _field(20, 7)
    keep = _field(1, "keepdims") + _field(3, 0) + _field(20, 2)
    total = _field(1, "rows") + _field(2, "logits") + _field(4, "ReduceSum") + _field(5, axes) + _field(5, keep)
    graph = (
        _field(1, gather)
        + _field(1, total)
        + _field(2, "tiny")
        + _field(5, weights)
        + _field(11, _value("input_ids", _INT64, (1, "n")))
        + _field(12, _value("logits", _FLOAT, (1, m)))
    )
    return _field(1, 7) + _field(7, graph) + _field(8, _field(2, 11))
