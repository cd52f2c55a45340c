"""Voice messages heard in one confined process; see `saidonce.foundation.ports.recognition.Recogniser`."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from saidonce.app.opening import limits_of
from saidonce.documents.parse.recognisers import SPEECH, unavailable
from saidonce.documents.parse.sandbox import Sandbox
from saidonce.errors import ModelUnavailableError, Refusal, SourceRefusedError
from saidonce.foundation.ports.recognition import Recognised
from saidonce.foundation.settings.policy import Settings

_EXTENSIONS: Mapping[str, str] = MappingProxyType(
    {
        "audio/ogg": "ogg", "audio/mpeg": "mp3", "audio/mp4": "m4a", "audio/aac": "aac", "audio/amr": "amr",
        "audio/wav": "wav", "audio/webm": "webm",
    }
)  # fmt: skip


def why_unheard(settings: Settings) -> str:
    """Return why voice messages of residents are not heard here, and what to do; empty if they are."""
    return unavailable(SPEECH, limits_of(settings))


class VoiceSandbox:
    """Hears voice messages one after another, in a process of its own that is started with the first.

    Args:
        settings: limits of a message, and the speech model.
    """

    def __init__(self, settings: Settings) -> None:
        limits = replace(
            limits_of(settings).for_recognition(), max_source_mb=settings.media_audio_mb,
            max_sound_minutes=settings.media_voice_minutes, parse_timeout_s=settings.media_voice_s,
        )  # fmt: skip
        self._wait_s = settings.media_voice_s
        self._free = threading.Lock()
        self._sandbox = Sandbox(limits, n_workers=1)

    @property
    def name(self) -> str:
        """Name of the part of saidonce that hears."""
        return "speech of the extra audio"

    def recognise(self, content: bytes, mime: str, language: str = "") -> Sequence[Recognised]:
        """Return the transcript of a voice message, segment by segment; empty for silence.

        Raises:
            ModelUnavailableError: it cannot be decoded, is too long, took too long, or waited too long for others.
        """
        if not self._free.acquire(timeout=self._wait_s):
            raise ModelUnavailableError(self.name, f"other voice messages took longer than {self._wait_s:g} s")
        try:
            document = self._sandbox.parse(".".join(filter(None, ("voice", language, _extension(mime)))), content)
        except SourceRefusedError as refused:
            if refused.reason is Refusal.NO_TEXT:
                return ()
            raise ModelUnavailableError(self.name, refused.detail) from refused
        finally:
            self._free.release()
        return tuple(
            Recognised(e.text, e.place.start_s or 0.0, e.place.end_s or 0.0, e.place.confidence or 0.0)
            for e in document.elements
            if e.place is not None
        )

    def close(self) -> None:
        """End the process."""
        self._sandbox.close()


def _extension(mime: str) -> str:
    return _EXTENSIONS.get(mime, "ogg")
