"""Speech is heard in the language that it is probably spoken in, and what is not certain is said."""

from __future__ import annotations

import io
import wave
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from saidonce.documents.parse import Limits, parse, recognisers
from saidonce.documents.parse.recognisers import PICTURES, SPEECH, SpeechReader, recogniser_of
from saidonce.documents.parse.source import NamedBytes
from saidonce.foundation import extras
from saidonce.foundation.ports.recognition import Recognised

SECOND = np.zeros(recognisers.RATE, "<i2").tobytes()


class Whisper:
    """A model that takes any sound for some languages, and hears each with some certainty."""

    supported_languages = ("cy", "de", "en", "es", "fr")

    def __init__(self, shares: Mapping[str, float], sureness: Mapping[str, float] | None = None) -> None:
        self.shares = shares
        self.sureness = sureness or {}
        self.heard: list[str | None] = []

    def detect_language(self, _sound: Any, **_options: Any) -> tuple[str, float, list[tuple[str, float]]]:
        best = max(self.shares, key=lambda tongue: self.shares[tongue])
        return best, self.shares[best], list(self.shares.items())

    def transcribe(self, _sound: Any, language: str | None, **_options: Any) -> tuple[list[Any], Any]:
        self.heard.append(language)
        stretch = SimpleNamespace(
            text=f" said in {language}", start=0.0, end=1.0, compression_ratio=1.0,
            avg_logprob=float(np.log(self.sureness.get(str(language), 0.5))),
        )  # fmt: skip
        return [stretch], SimpleNamespace(language=language)


def heard(model: Whisper, languages: Sequence[str] = (), language: str = "") -> list[tuple[str, tuple[str, ...]]]:
    reader = SpeechReader("", tuple(languages))
    reader._model = model
    return [(words.text, words.languages) for words in reader.recognise(SECOND, recognisers.PCM, language)]


def test_a_certain_language_is_heard_without_a_word_about_others() -> None:
    assert heard(Whisper({"de": 0.9, "en": 0.1})) == [("said in de", ())]


def test_an_uncertain_language_is_said_with_those_that_are_likely() -> None:
    model = Whisper({"cy": 0.5, "de": 0.3, "en": 0.19, "fr": 0.01})
    assert heard(model) == [("said in cy", ("cy", "de", "en"))]
    assert model.heard == ["cy"]


def test_only_languages_that_are_spoken_are_thought_of() -> None:
    shares = {"cy": 0.6, "de": 0.3, "en": 0.05, "es": 0.05}
    assert heard(Whisper(shares), ("de", "es")) == [("said in de", ())]
    assert heard(Whisper(shares), ("de",)) == [("said in de", ())]
    assert heard(Whisper(shares), ("xx",)) == [("said in cy", ("cy", "de", "es", "en"))]


def test_a_named_language_is_heard_beside_the_likeliest_and_the_surer_holds() -> None:
    shares = {"cy": 0.6, "de": 0.4}
    assert heard(Whisper(shares, {"cy": 0.3, "de": 0.6}), language="de") == [("said in de", ())]
    assert heard(Whisper(shares, {"cy": 0.9, "de": 0.6}), language="de") == [("said in cy", ())]


@pytest.mark.skipif(find_spec("av") is None, reason="needs the extra audio")
def test_a_document_in_an_uncertain_language_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    class Unsure:
        name = "unsure 1"

        def recognise(self, _content: bytes, _mime: str, _language: str = "") -> Sequence[Recognised]:
            return (Recognised("The cat takes a clean.", 0.0, 1.0, 0.5, languages=("en", "de", "cy")),)

    for module in (recognisers, extras):
        monkeypatch.setattr(module, "find_spec", lambda _name: object())
    monkeypatch.setattr(recognisers, "_loaded", {})
    monkeypatch.setattr(recognisers, "speech_reader", lambda _folder, _languages: Unsure())
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(recognisers.RATE)
        sound.writeframes(SECOND)
    document = parse("call.wav", out.getvalue())
    assert document.warnings == (
        "its language is not certain; heard as en, perhaps de or cy: name it in the file's name, as call.en.wav, or the"
        " languages that are spoken in the setting speech_languages",
    )


def test_one_recogniser_is_kept_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[str] = []

    def load(what: str) -> object:
        loads.append(what)
        return object()

    for module in (recognisers, extras):
        monkeypatch.setattr(module, "find_spec", lambda _name: object())
    monkeypatch.setattr(recognisers, "_loaded", {})
    monkeypatch.setattr(recognisers, "picture_reader", lambda: load("pictures"))
    monkeypatch.setattr(recognisers, "speech_reader", lambda *_of: load("speech"))
    source = NamedBytes("a.mp4", b"", Limits(recognises=True))
    first = recogniser_of(PICTURES, source)
    assert recogniser_of(PICTURES, source) is first
    recogniser_of(SPEECH, source)
    assert len(recognisers._loaded) == 1
    assert recogniser_of(PICTURES, source) is not first
    assert loads == ["pictures", "speech", "pictures"]
