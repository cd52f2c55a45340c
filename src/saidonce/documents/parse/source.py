"""The input of every parser: a source, its limits, and its refusal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from saidonce.errors import Refusal, SourceRefusedError

MIB = 1024 * 1024


class RecognitionWantedError(Exception):
    """A source has pictures or sound, and this process lacks the memory and time to recognise words in them."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for one source; the names and defaults are those of the settings.

    Attributes:
        max_source_mb: largest source, MiB.
        max_text_mb: most text of one source, MiB of UTF-8.
        parse_memory_mb: address space of a parsing process, MiB.
        parse_timeout_s: wall clock and CPU time for one source.
        max_depth: nesting of messages in messages and of values in records.
        may_recognise: whether words in pictures and recordings are recognised at all.
        why_not: the reason if they are not, for warnings; empty if the setting disables it.
        recognises: whether this process does the recognition, with the memory and time for it.
        recognise_memory_mb, recognise_timeout_s: limits of the recognition process.
        max_pictures: pictures, scanned pages and frames of one source.
        max_megapixels: of one picture.
        max_sound_minutes: of one recording.
        speech_model: folder of a speech model; empty for the model of the extra `audio`.
        speech_languages: that recordings are spoken in; empty for any.
    """

    max_source_mb: int = 100
    max_text_mb: int = 32
    parse_memory_mb: int = 1024
    parse_timeout_s: float = 60.0
    max_depth: int = 64
    may_recognise: bool = True
    why_not: str = ""
    recognises: bool = False
    recognise_memory_mb: int = 3072
    recognise_timeout_s: float = 1800.0
    max_pictures: int = 200
    max_megapixels: int = 60
    max_sound_minutes: int = 120
    speech_model: str = ""
    speech_languages: tuple[str, ...] = ()

    def for_recognition(self) -> Limits:
        """Return the limits of a process that recognises words."""
        return replace(
            self, recognises=True, parse_memory_mb=self.recognise_memory_mb, parse_timeout_s=self.recognise_timeout_s
        )

    def after_timeout(self) -> Limits:
        """Return the limits to read a source without its pictures, after their recognition timed out."""
        too_long = (
            f"recognising words took longer than {self.recognise_timeout_s:g} s; raise the setting recognise_timeout_s,"
            " remove the document and ingest it again"
        )
        return replace(self, may_recognise=False, why_not=too_long)

    def check_size(self, name: str, content: bytes) -> None:
        """Refuse a source above `max_source_mb`.

        Raises:
            SourceRefusedError: it is larger.
        """
        if len(content) > self.max_source_mb * MIB:
            detail = f"it has {len(content) // MIB} MiB; at most {self.max_source_mb} are read"
            raise SourceRefusedError(name, Refusal.TOO_LARGE, detail)


@dataclass(frozen=True, slots=True)
class NamedBytes:
    """A source during parsing: its name and its bytes.

    Attributes:
        family: name of the format family, once detected.
        depth: 0 for a caller's source, 1 for an attachment, and so on.
    """

    name: str
    content: bytes
    limits: Limits
    family: str = ""
    depth: int = 0

    @property
    def extension(self) -> str:
        """Lower-case extension without its dot; empty if the name has none."""
        return PurePosixPath(self.name.replace("\\", "/")).suffix[1:].casefold()

    @property
    def stem(self) -> str:
        """File name without folders and extension."""
        return PurePosixPath(self.name.replace("\\", "/")).stem

    def of_family(self, family: str) -> NamedBytes:
        """Return the same source with its family."""
        return replace(self, family=family)

    def refuse(self, reason: Refusal, detail: str) -> SourceRefusedError:
        """Return the error that refuses this source."""
        return SourceRefusedError(self.name, reason, detail)
