"""Step 3 of `make danger`: write the trained encoder's layers as ONNX with int8 weights, its letters, and the cards.

`python -m training.emergency.export --trained .danger/trained.pt`

Runs in the environment with torch. Thresholds of the head's card are kept as they are.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from pathlib import Path

import numpy as np
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from training.emergency.network import DangerNetwork
from training.emergency.train import N_KINDS, N_LETTERS
from training.judge.encoder import WIDTH
from training.judge.export import FusedLayer

SOURCE = Path(__file__).resolve().parents[2] / "src/saidonce"
DATA = SOURCE / "adapters/danger/data"
HEAD = SOURCE / "repairs/conversation/packs/head.toml"


class Exported(nn.Module):
    """The shipped form of the encoder: one text without padding, so no mask."""

    def __init__(self, model: DangerNetwork) -> None:
        super().__init__()
        self.model = model
        self.layers = nn.ModuleList(FusedLayer(layer) for layer in model.layers)

    def forward(self, rows: Tensor) -> Tensor:
        """Return logits (n, kinds) for rows (n, length, width)."""
        model = self.model
        states = model.norm(rows + model.places[: rows.shape[1]])
        for layer in self.layers:
            states = layer(states)
        return model.kinds(states.mean(1))


def export(model: DangerNetwork, folder: Path) -> None:
    """Write `layers.onnx`, `letters.npy` and `card.json` into a folder."""
    plain = folder / "layers.fp32.onnx"
    lengths = {0: "n", 1: "length"}
    torch.onnx.export(
        Exported(model).eval(), (torch.randn(2, 9, WIDTH),), str(plain), input_names=["rows"], output_names=["logits"],
        dynamic_axes={"rows": lengths, "logits": {0: "n"}}, opset_version=17, dynamo=False,
    )  # fmt: skip
    # Seven bits: eight overflow on processors without VNNI, and their answers would differ from others'.
    quantize_dynamic(
        plain, folder / "layers.onnx", per_channel=True, reduce_range=True, weight_type=QuantType.QInt8,
        op_types_to_quantize=["MatMul", "Gemm"],
    )  # fmt: skip
    plain.unlink()
    onnx.checker.check_model(onnx.load(folder / "layers.onnx"))
    np.save(folder / "letters.npy", model.letters.weight.detach().numpy().astype(np.float16), allow_pickle=False)
    files = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("layers.onnx", "letters.npy")}
    fingerprint = hashlib.sha256("".join(files.values()).encode()).hexdigest()
    card = {"model": f"danger-l4-int8:{fingerprint[:8]}", "sha256": files}
    (folder / "card.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    head = HEAD.read_text(encoding="utf-8")
    HEAD.write_text(re.sub(r'(?m)^encoder = ".*"$', f'encoder = "{card["model"]}"', head), encoding="utf-8")
    print(f"{card['model']}: {sum((folder / name).stat().st_size for name in files) / 1e6:.1f} MB")


def main() -> None:
    """Read the weights and export."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trained", type=Path, required=True)
    trained = parser.parse_args().trained
    model = DangerNetwork(N_KINDS, N_LETTERS)
    model.load_state_dict(torch.load(trained, weights_only=True))
    export(model, DATA)


if __name__ == "__main__":
    main()
