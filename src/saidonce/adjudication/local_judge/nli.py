"""A local natural language inference (NLI) model, in an operator's folder, whose contradictions veto duplicates."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from saidonce.errors import ArtefactError, ModelUnavailableError
from saidonce.foundation import extras
from saidonce.matching import facts
from saidonce.matching.facts import Pairing

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FILES = ("model.onnx", "tokenizer.json", "config.json")

MOST_PAIRS = 12
"""Changed sentences of two texts to compare; more than these count as contradictory."""

DEFAULT_WINDOW = 512


class Contradictions:
    """Scores how strongly two texts contradict each other, 0..1; nothing is downloaded, and no model is shipped.

    The folder holds `model.onnx`, `tokenizer.json` and `config.json`, whose `id2label` names a label that contains
    "contradict" (`max_position_embeddings` bounds the input). Any cross-encoder exported by Optimum has this shape.
    """

    def __init__(self, folder: Path, veto_from: float = 0.5) -> None:
        """Load the model and try it once.

        Args:
            folder: with the three files.
            veto_from: score of a contradiction that vetoes a duplicate.

        Raises:
            ArtefactError: a file is missing or malformed, or the model's output does not match its labels.
            MissingExtraError: the extra `nli` is not installed.
        """
        self._folder = folder
        self.veto_from = veto_from
        content = {name: self._content(name) for name in FILES}
        self.name = "nli:" + hashlib.sha256(b"".join(content.values())).hexdigest()[:12]
        self._label, self._n_labels, self._window = self._labels(content["config.json"])
        self._tokenizer = self._tokens(content["tokenizer.json"])
        self._session = self._opened(content["model.onnx"])
        try:
            self._probabilities("It is open.", "It is closed.")
        except ModelUnavailableError as bad:
            raise ArtefactError(str(folder), f"model.onnx does not run: {bad.reason}") from bad

    def score(self, a: str, b: str) -> float:
        """Return the strongest contradiction between differing sentences of two texts, in either order.

        Sentences that do not fit into the model, and more than `MOST_PAIRS` changed ones, score 1: unread text is
        never cleared.

        Raises:
            ModelUnavailableError: the model failed.
        """
        pairs = list(_changed(a, b))
        if len(pairs) > MOST_PAIRS:
            return 1.0
        both = [pair for x, y in pairs for pair in ((x, y), (y, x))]
        return max((self._contradiction(x, y) for x, y in both), default=0.0)

    def _contradiction(self, premise: str, hypothesis: str) -> float:
        probabilities = self._probabilities(premise, hypothesis)
        return 1.0 if probabilities is None else float(probabilities[self._label])

    def _probabilities(self, premise: str, hypothesis: str) -> NDArray[np.float64] | None:
        """Return the probability of each label; None if the pair does not fit into the model."""
        encoded = self._tokenizer.encode(premise, hypothesis)
        if len(encoded.ids) > self._window:
            return None
        available = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
        }
        inputs = [put.name for put in self._session.get_inputs()]
        if not set(inputs) <= set(available):
            raise ModelUnavailableError(self.name, f"it requires the inputs {', '.join(inputs)}")
        logits = self._run({name: np.array([available[name]], dtype=np.int64) for name in inputs})
        if logits.shape != (self._n_labels,) or not np.isfinite(logits).all():
            raise ModelUnavailableError(self.name, f"it returned {logits.shape} numbers for {self._n_labels} labels")
        odds = np.exp(logits - logits.max())
        probabilities: NDArray[np.float64] = odds / odds.sum()
        return probabilities

    def _run(self, feeds: dict[str, NDArray[np.int64]]) -> NDArray[np.float64]:
        from onnxruntime.capi import onnxruntime_pybind11_state as state  # noqa: PLC0415 - heavy

        try:
            logits = self._session.run(None, feeds)[0]
        except (state.Fail, state.InvalidArgument, state.RuntimeException, RuntimeError) as bad:
            raise ModelUnavailableError(self.name, str(bad)[:200]) from bad
        return np.asarray(logits, dtype=np.float64).reshape(-1)

    def _content(self, name: str) -> bytes:
        try:
            return (self._folder / name).read_bytes()
        except OSError as bad:
            needs = f"a model folder holds {', '.join(FILES)}"
            raise ArtefactError(str(self._folder), f"{name} cannot be read ({bad.strerror}); {needs}") from bad

    def _labels(self, content: bytes) -> tuple[int, int, int]:
        """Return the index of the contradiction label, the number of labels, and the model's input length in tokens."""
        try:
            config = json.loads(content)
            labels = {int(place): str(label).casefold() for place, label in config["id2label"].items()}
            window = int(config.get("max_position_embeddings", DEFAULT_WINDOW))
        except (ValueError, KeyError, TypeError, AttributeError) as bad:
            raise ArtefactError(str(self._folder), "config.json has no labels (id2label)") from bad
        places = [place for place, label in labels.items() if "contradict" in label]
        if len(places) != 1 or sorted(labels) != list(range(len(labels))):
            names = ", ".join(labels.values())
            raise ArtefactError(str(self._folder), f"one label must contain 'contradict'; config.json has {names}")
        return places[0], len(labels), window

    def _tokens(self, content: bytes) -> Tokenizer:
        extras.need(extras.NLI, "a model of natural language inference")
        from tokenizers import Tokenizer  # noqa: PLC0415 - an extra

        try:
            tokenizer = Tokenizer.from_str(content.decode("utf-8"))
        except Exception as bad:  # the library raises bare Exception for a malformed file
            raise ArtefactError(str(self._folder), "tokenizer.json is malformed") from bad
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def _opened(self, weights: bytes) -> Any:
        import onnxruntime  # noqa: PLC0415 - heavy, and not needed to show help
        from onnxruntime.capi import onnxruntime_pybind11_state as state  # noqa: PLC0415

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        try:
            return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
        except (state.Fail, state.InvalidArgument, state.InvalidGraph, state.InvalidProtobuf, RuntimeError) as bad:
            raise ArtefactError(str(self._folder), "model.onnx is not an ONNX model") from bad


def _changed(a: str, b: str) -> Iterator[tuple[str, str]]:
    """Yield the aligned sentences that are not equal; the whole texts where none are aligned."""
    changes = facts.compare(a, b).changes
    paired = [c for c in changes if c.relation in (Pairing.REWORDED, Pairing.CONFLICT)]
    if not paired and any(c.relation is not Pairing.EQUAL for c in changes):
        yield a, b
    yield from ((c.a.text, c.b.text) for c in paired)
