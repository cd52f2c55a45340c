"""Step 4 of `make judge`: write the trained encoder as ONNX with int8 weights.

`python -m training.judge.export --trained .judge/trained.pt --out .judge/model.onnx`
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from training.judge.encoder import HEADS, WIDTH, Layer, PairEncoder, chosen_mean


class FusedLayer(nn.Module):
    """A layer with one product for queries, keys and values: the same result with fewer calls."""

    def __init__(self, layer: Layer) -> None:
        super().__init__()
        three = (layer.query, layer.key, layer.value)
        self.threefold = nn.Linear(WIDTH, 3 * WIDTH)
        self.threefold.weight.data = torch.cat([part.weight.data for part in three])
        self.threefold.bias.data = torch.cat([part.bias.data for part in three])
        self.threefold.weight.data[:WIDTH] /= math.sqrt(WIDTH // HEADS)
        self.threefold.bias.data[:WIDTH] /= math.sqrt(WIDTH // HEADS)
        self.layer = layer

    def forward(self, states: Tensor) -> Tensor:
        """Map states (n, length, width); no padding, so no mask."""
        n, length, _ = states.shape
        threefold = self.threefold(states).view(n, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        query, key, value = threefold[0], threefold[1], threefold[2]
        mixed = ((query @ key.transpose(-1, -2)).softmax(-1) @ value).transpose(1, 2).reshape(n, length, WIDTH)
        own = self.layer
        states = own.mixed_norm(states + own.mixed(mixed))
        return own.norm(states + own.down(nn.functional.gelu(own.up(states))))


class Exported(nn.Module):
    """The shipped form of the encoder: inputs of one length, no mask."""

    def __init__(self, model: PairEncoder) -> None:
        super().__init__()
        self.model = model
        self.layers = nn.ModuleList(FusedLayer(layer) for layer in model.layers)

    def forward(self, ids: Tensor, kinds: Tensor) -> Tensor:
        """Return logits (n,) for ids and kinds (n, length)."""
        model = self.model
        states = model.norm(model.words(ids) + model.places.weight[: ids.shape[1]].unsqueeze(0) + model.kinds(kinds))
        for layer in self.layers:
            states = layer(states)
        one, two = (chosen_mean(states, (kinds == kind).to(torch.float32)) for kind in (2, 3))
        pooled = torch.cat([states[:, 0], one, two, (one - two).abs(), one * two], dim=1)
        return model.logit(torch.tanh(model.hidden(pooled))).squeeze(1)


def export(model: PairEncoder, out: Path) -> None:
    """Write the model as ONNX, float32 beside it as `*.fp32.onnx`, int8 under the given name."""
    exported = Exported(model).eval()
    plain = out.with_suffix(".fp32.onnx")
    ids, kinds = torch.randint(1000, 2000, (2, 9)), torch.randint(0, 4, (2, 9))
    lengths = {0: "n", 1: "length"}
    torch.onnx.export(
        exported, (ids, kinds), str(plain), input_names=["ids", "kinds"], output_names=["logits"],
        dynamic_axes={"ids": lengths, "kinds": lengths, "logits": {0: "n"}}, opset_version=17, dynamo=False,
    )  # fmt: skip
    # Seven bits: eight overflow on processors without VNNI, and their answers would differ from others'.
    quantize_dynamic(
        plain, out, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8,
        op_types_to_quantize=["MatMul", "Gemm", "Gather"],
    )  # fmt: skip
    onnx.checker.check_model(onnx.load(out))
    print(f"{out}: {out.stat().st_size / 1e6:.1f} MB")


def main() -> None:
    """Read the options and export."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trained", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    kept = torch.load(options.trained, weights_only=True)
    model = PairEncoder()
    model.load_state_dict(kept.get("model", kept))
    export(model, options.out)


if __name__ == "__main__":
    main()
