"""The card of an equivalence judge: what its folder holds, how it is weighed, and its thresholds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from saidonce.adapters.judge.encoding import VERSION
from saidonce.errors import ArtefactError
from saidonce.foundation import extras
from saidonce.foundation.files import seal_of

FORMAT: Final = 2
CARD: Final = "card.json"
WEIGHTS: Final = "model.onnx"
TOKENIZER: Final = "tokenizer.json"
TREES: Final = "likeness.json"
FILES: Final = (WEIGHTS, TOKENIZER, TREES)

MOST_BYTES: Final = 64 * 2**20
"""Larger files are not read; the shipped weights have 24 MB."""

_HINT = f"{extras.command('judge')} again, or set judge to 'none'"


@dataclass(frozen=True, slots=True)
class JudgeCard:
    """What an equivalence judge says about itself.

    Attributes:
        name: fingerprint of weights, tokenizer, trees, their weighing, thresholds and margin.
        network, likeness, offset: score = 1 / (1 + exp(-(network * logit + likeness * trees + offset))).
        same_from: score from which one of two sentences may be folded under the other, 0..1.
        certain_from: score from which one text may stand for both, 0..1; no lower than `same_from`.
        margin: above either threshold, within which no sentence is the same.
        languages: two-letter tags that it was trained and measured on.
        sha256: of each of its files, 64 hex digits.
    """

    name: str
    network: float
    likeness: float
    offset: float
    same_from: float
    certain_from: float
    margin: float
    languages: frozenset[str]
    sha256: Mapping[str, str]


def seal(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a card with its format, the encoding's version and its SHA-256."""
    whole = {"format": FORMAT, "encoding": VERSION, **body}
    return {**whole, "sha256": seal_of(whole)}


def read_card(folder: Path) -> JudgeCard:
    """Read the card of a folder.

    Raises:
        ArtefactError: it is absent, altered, malformed, or of another encoding.
    """
    name = str(folder)
    try:
        body = json.loads(read_file(folder, CARD))
    except (ValueError, RecursionError) as bad:
        raise ArtefactError(name, f"{CARD} is not valid JSON ({bad}); {_HINT}") from bad
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise ArtefactError(name, f"{CARD} does not have format {FORMAT}; {_HINT}")
    if seal_of(body) != body.get("sha256"):
        raise ArtefactError(name, f"{CARD} does not match its SHA-256: it was altered or truncated; {_HINT}")
    if body.get("encoding") != VERSION:
        raise ArtefactError(name, f"it reads encoding {body.get('encoding')!r}, and this version writes {VERSION}")
    try:
        return _card(body)
    except (ValueError, TypeError, KeyError) as bad:
        raise ArtefactError(name, f"{CARD} is malformed: {bad!r}") from bad


def _card(body: Mapping[str, Any]) -> JudgeCard:
    stack, thresholds, files = body["stack"], body["thresholds"], {name: body["files"][name] for name in FILES}
    weights = [float(stack[name]) for name in ("network", "likeness", "offset")]
    same_from, certain_from = (float(thresholds[name]) for name in ("repeat", "canonical"))
    margin = float(body["margin"])
    fingerprint = seal_of({"files": files, "encoding": VERSION, "numbers": [*weights, same_from, certain_from, margin]})
    if not 0.0 < same_from <= certain_from <= 1.0 or not 0.0 <= margin < 1.0:
        raise ValueError(f"thresholds {same_from} and {certain_from} and margin {margin} must rise in 0..1")
    network, likeness, offset = weights
    return JudgeCard(
        f"equivalence:{fingerprint[:12]}", network, likeness, offset, same_from, certain_from, margin,
        frozenset(body["languages"]), files,
    )  # fmt: skip


def read_verified(folder: Path, file: str, card: JudgeCard) -> bytes:
    """Read one of the files of a card.

    Raises:
        ArtefactError: it is absent or altered.
    """
    content = read_file(folder, file)
    digest = hashlib.sha256(content).hexdigest()
    if digest != card.sha256[file]:
        raise ArtefactError(str(folder), f"{file} has SHA-256 {digest}, not {card.sha256[file]}; {_HINT}")
    return content


def read_file(folder: Path, file: str) -> bytes:
    """Read a file of a judge's folder.

    Raises:
        ArtefactError: it is absent, unreadable or too large.
    """
    try:
        with (folder / file).open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
    except OSError as bad:
        raise ArtefactError(str(folder), f"{file} cannot be read ({bad.strerror}); {_HINT}") from bad
    if len(content) > MOST_BYTES:
        raise ArtefactError(str(folder), f"{file} is larger than {MOST_BYTES:,} bytes; {_HINT}")
    return content
