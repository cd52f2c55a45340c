"""The card of an equivalence judge: what its folder holds, and from which score on it says "the same"."""

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

FORMAT: Final = 1
CARD: Final = "card.json"
WEIGHTS: Final = "model.onnx"
TOKENIZER: Final = "tokenizer.json"

MOST_BYTES: Final = 64 * 2**20
"""Larger files are not read; the shipped weights have 24 MB."""

_HINT = f"{extras.command('judge')} again, or set judge to 'none'"


@dataclass(frozen=True, slots=True)
class JudgeCard:
    """What an equivalence judge says about itself.

    Attributes:
        name: fingerprint of weights, tokenizer, calibration, threshold and margin.
        slope, intercept: of the calibration: score = 1 / (1 + exp(-(slope * logit + intercept))).
        threshold: score from which two sentences say the same, 0..1.
        margin: on both sides of the threshold, within which no sentence is the same.
        languages: two-letter tags that it was trained and measured on.
        sha256: of each of its files, 64 hex digits.
    """

    name: str
    slope: float
    intercept: float
    threshold: float
    margin: float
    languages: frozenset[str]
    sha256: Mapping[str, str]


def sealed(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a card with its format, the encoding's version and its SHA-256."""
    whole = {"format": FORMAT, "encoding": VERSION, **body}
    return {**whole, "sha256": _digest(whole)}


def _digest(body: Mapping[str, Any]) -> str:
    content = json.dumps({k: v for k, v in body.items() if k != "sha256"}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(content.encode("utf-8")).hexdigest()


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
        raise ArtefactError(name, f"{CARD} is not of format {FORMAT}; {_HINT}")
    if _digest(body) != body.get("sha256"):
        raise ArtefactError(name, f"{CARD} has another SHA-256 than it states: it was altered or cut off; {_HINT}")
    if body.get("encoding") != VERSION:
        raise ArtefactError(name, f"it reads encoding {body.get('encoding')!r}, and this version writes {VERSION}")
    try:
        return _card(body)
    except (ValueError, TypeError, KeyError) as bad:
        raise ArtefactError(name, f"{CARD} is malformed: {bad!r}") from bad


def _card(body: Mapping[str, Any]) -> JudgeCard:
    calibration, files = body["calibration"], {WEIGHTS: body["files"][WEIGHTS], TOKENIZER: body["files"][TOKENIZER]}
    numbers = [float(n) for n in (calibration["slope"], calibration["intercept"], body["threshold"], body["margin"])]
    fingerprint = _digest({"files": files, "encoding": VERSION, "numbers": numbers})
    slope, intercept, threshold, margin = numbers
    if not 0.0 < threshold <= 1.0 or not 0.0 <= margin < 1.0:
        raise ValueError(f"threshold {threshold} and margin {margin} must lie in 0..1")
    return JudgeCard(
        f"equivalence:{fingerprint[:12]}", slope, intercept, threshold, margin, frozenset(body["languages"]), files
    )


def verified(folder: Path, file: str, card: JudgeCard) -> bytes:
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
