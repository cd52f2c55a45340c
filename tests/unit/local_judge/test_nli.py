from __future__ import annotations

from pathlib import Path

import pytest
import tiny_onnx

from saidonce.adjudication.local_judge import Contradictions
from saidonce.errors import ArtefactError


def test_a_contradiction_scores_high_and_the_same_words_do_not(tmp_path: Path) -> None:
    model = Contradictions(tiny_onnx.write(tmp_path / "nli"))
    assert model.score("The gate is open.", "The gate is closed.") > 0.8
    assert model.score("The gate is open.", "The gate is open.") == 0.0
    assert model.score("The gate is open.", "The old gate is open.") < 0.4


def test_the_name_changes_with_any_file(tmp_path: Path) -> None:
    one = Contradictions(tiny_onnx.write(tmp_path / "one"))
    two = Contradictions(tiny_onnx.write(tmp_path / "two", window=63))
    assert one.name.startswith("nli:")
    assert one.name != two.name


def test_what_does_not_fit_into_the_model_is_not_cleared(tmp_path: Path) -> None:
    model = Contradictions(tiny_onnx.write(tmp_path / "nli", window=12))
    long = "The gate is open " + "and wide " * 20
    assert model.score(long + ".", long + "today.") == 1.0
    many = ". ".join(f"Gate number {n} of the northern wall is open" for n in range(20))
    assert model.score(many, many.replace("open", "wide")) == 1.0


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "config.json"])
def test_a_missing_or_broken_file_is_named(tmp_path: Path, name: str) -> None:
    folder = tiny_onnx.write(tmp_path / "nli")
    (folder / name).write_bytes(b"\x00nothing")
    with pytest.raises(ArtefactError, match=name):
        Contradictions(folder)
    (folder / name).unlink()
    with pytest.raises(ArtefactError, match=f"{name} cannot be read"):
        Contradictions(folder)


def test_labels_without_a_contradiction_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArtefactError, match="has same, other"):
        Contradictions(tiny_onnx.write(tmp_path / "nli", labels={"0": "same", "1": "other"}))


def test_a_model_of_another_shape_than_its_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArtefactError, match=r"does not run: .*numbers for 3 labels"):
        Contradictions(tiny_onnx.write(tmp_path / "nli", n_columns=2))
