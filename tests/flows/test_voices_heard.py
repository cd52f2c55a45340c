"""Real sound: a spoken sentence, as a telephone records it, is heard in the confined process and answered.

The sound is made by espeak-ng, which no test depends on: without it, or without the extra `audio`, these say that they
skip. What is refused without hearing anything needs neither voice nor model.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import wave
from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pytest
from test_media_intake import World, sha

from channel_server import gives, gives_address, scripted
from saidonce.app.repairs_service.hearing import VoiceSandbox, why_unheard
from saidonce.errors import ModelUnavailableError
from saidonce.foundation import extras
from saidonce.foundation.ports.recognition import mean_confidence
from saidonce.foundation.settings.policy import Settings
from saidonce.repairs import conversation
from saidonce.repairs.conversation.intake import SURE_FROM
from whatsapp_posts import image

RATE = 16_000

needs_audio = pytest.mark.skipif(not extras.is_installed(extras.AUDIO), reason="needs the extra audio")
needs_voice = pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="needs espeak-ng")


def wav(samples: np.ndarray) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(RATE)
        sound.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
    return out.getvalue()


def spoken(text: str, voice: str = "en-us") -> np.ndarray:
    """Return a sentence read aloud between two halves of a second of silence."""
    program = shutil.which("espeak-ng")
    assert program is not None
    raw = subprocess.run([program, "-v", voice, "-s", "140", "--stdout", text], capture_output=True, check=True).stdout
    with wave.open(io.BytesIO(raw)) as sound:
        rate = sound.getframerate()
    samples = np.frombuffer(raw[44:], "<i2").astype(np.float64) / 32768
    at = np.arange(0, len(samples) / rate, 1 / RATE)
    quiet = np.zeros(RATE // 2)
    return np.concatenate([quiet, np.interp(at, np.arange(len(samples)) / rate, samples), quiet]) * 0.8


def as_opus(samples: np.ndarray) -> bytes:
    """Return sound as WhatsApp records voice messages: Opus in Ogg."""
    import av

    out = io.BytesIO()
    with av.open(out, "w", format="ogg") as container:
        stream = container.add_stream("libopus", rate=48_000)
        frame = av.AudioFrame.from_ndarray((samples * 32767).astype("<i2").reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate = RATE
        for packet in (*stream.encode(frame), *stream.encode(None)):
            container.mux(packet)
    return out.getvalue()


@pytest.fixture(scope="module")
def hearing() -> Iterator[VoiceSandbox]:
    sandbox = VoiceSandbox(Settings(media_voice_s=500, media_voice_minutes=1))
    yield sandbox
    sandbox.close()


@needs_audio
@needs_voice
@pytest.mark.slow
def test_a_spoken_danger_is_heard_in_the_confined_process_and_answered_at_once(hearing: VoiceSandbox) -> None:
    sound = as_opus(spoken("I can smell gas in the kitchen"))
    with scripted(gives_address("/file/m1"), gives(sound, kind="audio/ogg")) as server:
        at = World(server.url)
        at.intake = conversation.Intake(
            at.deps, at.files, at.intake.fetchers, at.intake.pictures, at.intake.most, 600.0, recogniser=hearing
        )
        audio = {"id": "m1", "mime_type": "audio/ogg; codecs=opus", "sha256": sha(sound), "voice": True}
        at.receive({**image("m1", "", "v1"), "type": "audio", "audio": audio})
        assert conversation.fetch_media(at.intake) == 1
        (event,) = at.store.events()
        assert event.kind == "gas"
        assert "smell gas" in at.all_inbounds()[-1].text
        assert at.files.get(sha(sound)) == (sound, "audio/ogg")


@needs_audio
@needs_voice
@pytest.mark.slow
def test_a_spoken_repair_is_heard_surely_enough(hearing: VoiceSandbox) -> None:
    parts = hearing.recognise(wav(spoken("The window in my bedroom does not close any more")), "audio/wav")
    assert mean_confidence(parts) >= SURE_FROM
    assert "bedroom" in " ".join(p.text for p in parts)


@needs_audio
def test_silence_says_nothing(hearing: VoiceSandbox) -> None:
    assert hearing.recognise(wav(np.zeros(RATE * 2)), "audio/wav") == ()


@needs_audio
def test_a_message_that_is_too_long_or_damaged_is_left_to_people(hearing: VoiceSandbox) -> None:
    with pytest.raises(ModelUnavailableError, match="longer than 1 minutes"):
        hearing.recognise(wav(np.zeros(RATE * 61)), "audio/wav")
    with pytest.raises(ModelUnavailableError, match="cannot be decoded"):
        hearing.recognise(b"OggS\0\2" + b"\0" * 50, "audio/ogg")
    assert hearing.recognise(wav(np.zeros(RATE)), "audio/wav") == (), "the next one is heard all the same"


@needs_audio
def test_hearing_ends_when_its_time_is_up() -> None:
    hurried = VoiceSandbox(Settings(media_voice_s=0.05))
    try:
        with pytest.raises(ModelUnavailableError, match="took longer than"):
            hurried.recognise(wav(np.random.default_rng(1).normal(0, 0.1, RATE * 20)), "audio/wav")
    finally:
        hurried.close()


def test_switched_off_or_without_the_extra_the_reason_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "recognise" in why_unheard(Settings(recognise=False))
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "faster_whisper" else find_spec(name))
    assert "pip install 'saidonce[audio]'" in why_unheard(Settings())
