"""In place of steps 2 and 3 of `make judge`: the weights of a shipped judge, to go on from.

`python -m training.judge.shipped --network model.onnx --out .judge/shipped.pt`

Runs in the environment with torch. The file has int8 weights, which are dequantised.
"""

from __future__ import annotations

import argparse
import math
import re
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from training.judge.encoder import HEADS, STARTED_FROM, WIDTH, PairEncoder

OF_A_LAYER = ("threefold", "mixed", "up", "down")
"""Products of a layer, in the order of the file."""


def state_of(network: bytes) -> dict[str, torch.Tensor]:
    """Return the weights of an exported judge by the names of `PairEncoder`; float32."""
    kept = {each.name: numpy_helper.to_array(each) for each in onnx.load_from_string(network).graph.initializer}

    def product(name: str) -> np.ndarray:
        whole = kept[f"{name}_quantized"].astype(np.float32) - kept[f"{name}_zero_point"].astype(np.float32)
        return whole * kept[f"{name}_scale"]

    new = {name.removeprefix("model."): array for name, array in kept.items() if name.startswith("model.")}
    new = {name: array for name, array in new.items() if re.search(r"(bias|weight)$", name)}
    new |= {f"{part}.weight": product(f"model.{part}.weight") for part in ("words", "kinds")}
    new |= {f"{part}.weight": product(f"model.{part}.weight_Transposed").T for part in ("hidden", "logit")}
    numbers = sorted(int(m[1]) for name in kept if (m := re.fullmatch(r"onnx::MatMul_(\d+)_quantized", name)))
    products = [product(f"onnx::MatMul_{n}").T for n in numbers]
    for n in range(len(STARTED_FROM)):
        for part, weight in zip(OF_A_LAYER, products[4 * n : 4 * n + 4], strict=True):
            new[f"layers.{n}.{part}.weight"] = weight
        for kind in ("weight", "bias"):
            three = new.pop(f"layers.{n}.threefold.{kind}", None)
            three = kept[f"layers.{n}.threefold.{kind}"] if three is None else three
            for part, own in zip(("query", "key", "value"), np.split(three, 3), strict=True):
                scale = math.sqrt(WIDTH // HEADS) if part == "query" else 1.0
                new[f"layers.{n}.{part}.{kind}"] = own * scale
    return {name: torch.tensor(np.ascontiguousarray(array, np.float32)) for name, array in new.items()}


def main() -> None:
    """Write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    state = state_of(options.network.read_bytes())
    PairEncoder().load_state_dict(state)
    torch.save(state, options.out)


if __name__ == "__main__":
    main()
