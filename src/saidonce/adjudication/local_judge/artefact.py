"""The file of a local judge: trees, calibration, cut-offs, and a description of its training."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from saidonce.adjudication.local_judge.calibration import Cuts, PlattScaling
from saidonce.adjudication.local_judge.stated_otherwise import RULE
from saidonce.errors import ArtefactError
from saidonce.foundation.files import seal_of, write_whole
from saidonce.matching.likeness.features import NAMES, VERSION
from saidonce.matching.likeness.trees import Forest, forest

FORMAT = 1
FILE = "judge.json"

MOST_BYTES = 8 * 2**20
"""A larger file is not read; the shipped one is a few hundred KB."""

SHIPPED = "shipped"
"""Names the judge that comes with the package."""

SHIPPED_SHA256 = "0c76e434be580f3eb860b2ccc117b80055406e64390c76864a7cbc8aa41fad47"
"""Of the shipped judge; a test compares."""

_KEYS = frozenset({"format", "features", "embedder", "trees", "calibration", "cuts", "training", "sha256"})


@dataclass(frozen=True, slots=True)
class Artefact:
    """A trained judge.

    Attributes:
        embedder: fingerprint of the embedding model that its features come from.
        training: description of its training data, with licences and figures; for people.
        sha256: of everything else, 64 hex digits.
    """

    embedder: str
    forest: Forest
    calibration: PlattScaling
    cuts: Cuts
    training: Mapping[str, Any]
    sha256: str

    @property
    def name(self) -> str:
        """Name, fingerprint and the additional rule, as recorded in rulings."""
        return f"local:{self.sha256[:12]}+{RULE}"


def sealed(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of an artefact with its format, feature version and SHA-256."""
    whole = {"format": FORMAT, "features": {"version": VERSION, "names": list(NAMES)}, **body}
    return {**whole, "sha256": seal_of(whole)}


def write(folder: Path, body: Mapping[str, Any]) -> Artefact:
    """Write a sealed artefact into a folder, created if it is missing; return it as read back.

    Raises:
        ArtefactError: the folder cannot be written, or the body is malformed.
    """
    document = sealed(body)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / FILE, json.dumps(document, separators=(",", ":")) + "\n")
    except OSError as bad:
        raise ArtefactError(str(folder), f"it cannot be written: {bad.strerror}") from bad
    return load(folder)


def load(where: str | Path = SHIPPED) -> Artefact:
    """Read the artefact of a folder, or the shipped one.

    Raises:
        ArtefactError: it is absent, unreadable, altered, or of other features.
    """
    if str(where) == SHIPPED:
        return _parsed(SHIPPED, (resources.files(__package__) / "data" / FILE).read_bytes())
    path = Path(where) / FILE
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as bad:
        hint = "'saidonce adjudicator train' writes one"
        raise ArtefactError(str(where), f"{FILE} cannot be read ({bad.strerror}); {hint}") from bad
    return _parsed(str(where), content)


def _parsed(name: str, content: bytes) -> Artefact:
    if len(content) > MOST_BYTES:
        raise ArtefactError(name, f"{FILE} is larger than {MOST_BYTES:,} bytes")
    try:
        document = json.loads(content, object_pairs_hook=_reject_repeats, parse_constant=_reject_constant)
    except (ValueError, RecursionError) as bad:
        raise ArtefactError(name, f"{FILE} is not valid JSON: {bad}") from bad
    if not isinstance(document, dict) or set(document) != _KEYS or document["format"] != FORMAT:
        raise ArtefactError(name, f"{FILE} is not of format {FORMAT}")
    if seal_of(document) != document["sha256"]:
        raise ArtefactError(name, "its SHA-256 does not match: it was altered or truncated")
    if document["features"] != {"version": VERSION, "names": list(NAMES)}:
        raise ArtefactError(name, f"it was trained on other features than this version's ({VERSION}); train it again")
    try:
        return _artefact(document)
    except (ValueError, TypeError, KeyError) as bad:
        raise ArtefactError(name, f"{FILE} is malformed: {bad}") from bad


def _artefact(document: Mapping[str, Any]) -> Artefact:
    calibration, cuts = document["calibration"], document["cuts"]
    low, high = float(cuts["low"]), float(cuts["high"])
    slope = float(calibration["slope"])
    if not (0.0 <= low <= high <= 1.0 and slope > 0):
        raise ValueError("cut-offs or slope out of range")
    if not isinstance(document["embedder"], str) or not isinstance(document["training"], dict):
        raise TypeError("embedder or training is of another type")
    return Artefact(
        document["embedder"],
        forest(document["trees"], len(NAMES)),
        PlattScaling(slope, float(calibration["offset"])),
        Cuts(low, high),
        document["training"],
        document["sha256"],
    )


def _reject_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(pairs)
    if len(names) != len(pairs):
        raise ValueError("a name is repeated in one object")
    return names


def _reject_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")
