"""Parse sound and video: the speech with its times, and the words in the pictures."""

from __future__ import annotations

import io
from collections.abc import Iterator
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from saidonce.documents.parse.draft import DocumentDraft
from saidonce.documents.parse.marks import mark_of_sound
from saidonce.documents.parse.pictures import check_pixels, read_picture
from saidonce.documents.parse.recognisers import PCM, PICTURES, RATE, SPEECH, recogniser_of, unavailable
from saidonce.documents.parse.source import NamedBytes
from saidonce.errors import ModelUnavailableError, Refusal
from saidonce.foundation.model import Kind, MediaPlace

FRAME_EVERY_S = 1.0
"""A video is looked at once a second."""

SCENE_FROM = 0.01
"""Share of a thumbnail's pixels that have changed, from which a picture of a video counts as another scene."""

_CHANGED_BY = 24.0
_THUMBNAIL = (96, 54)


def read(source: NamedBytes) -> DocumentDraft:
    """Read a recording: its speech, and the words in the pictures of a video."""
    recogniser_of(SPEECH, source)  # what is missing shows before anything is decoded
    draft = DocumentDraft(source)
    av = import_module("av")
    try:
        with av.open(io.BytesIO(source.content)) as container:
            title = container.metadata.get("title", "")
            draft.title, draft.author = title, container.metadata.get("artist", "")
            has_sound, has_video = bool(container.streams.audio), _has_video(container)
        samples = _samples(av, source) if has_sound else np.zeros(0, np.int16)
        if len(samples):
            _transcribe(samples, draft)
        if has_video:
            _read_scenes(av, draft)
    except av.error.FFmpegError as bad:
        raise source.refuse(Refusal.CORRUPT, f"the recording cannot be decoded: {bad}"[:200]) from bad
    if not draft.elements:
        raise source.refuse(Refusal.NO_TEXT, _no_text_reason(has_sound, has_video))
    draft.elements.sort(key=lambda e: (e.place.start_s or 0.0, e.kind) if e.place else (0.0, e.kind))
    return draft


def _no_text_reason(has_sound: bool, has_video: bool) -> str:
    if not has_sound and not has_video:
        return "it holds neither sound nor pictures"
    return "no words are recognised in it" + ("" if has_sound else "; it has no sound")


def _has_video(container: Any) -> bool:
    """Return whether it has moving pictures; cover art does not count."""
    return any(stream.frames != 1 and not stream.disposition & 0x400 for stream in container.streams.video)


def _samples(av: Any, source: NamedBytes) -> NDArray[np.int16]:
    """Return the sound as one channel at 16,000 samples a second.

    Raises:
        SourceRefusedError: it lasts longer than the limit.
    """
    most = source.limits.max_sound_minutes * 60 * RATE
    pieces: list[NDArray[np.int16]] = []
    n_samples = 0
    with av.open(io.BytesIO(source.content)) as container:
        resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
        for frame in _sound_frames(container, resampler):
            pieces.append(frame.to_ndarray().reshape(-1))
            n_samples += len(pieces[-1])
            if n_samples > most:
                minutes = source.limits.max_sound_minutes
                detail = f"it lasts longer than {minutes} minutes; cut it, or raise the setting recognise_max_minutes"
                raise source.refuse(Refusal.TOO_LARGE, detail)
    return np.concatenate(pieces) if pieces else np.zeros(0, np.int16)


def _sound_frames(container: Any, resampler: Any) -> Iterator[Any]:
    for frame in container.decode(audio=0):
        frame.pts = None
        yield from resampler.resample(frame)
    yield from resampler.resample(None)


def _transcribe(samples: NDArray[np.int16], draft: DocumentDraft) -> None:
    recogniser = recogniser_of(SPEECH, draft.source)
    try:
        stretches = recogniser.recognise(samples.astype("<i2").tobytes(), PCM, _named_language(draft.source))
    except ModelUnavailableError as failed:
        raise draft.source.refuse(Refusal.FAILED, str(failed)) from failed
    if unsure := next((words.languages for words in stretches if words.languages), ()):
        draft.warn(
            f"its language is not certain; heard as {unsure[0]}"
            + (f", perhaps {' or '.join(unsure[1:])}" if unsure[1:] else "")
            + f": name it in the file's name, as {draft.source.stem}.{unsure[0]}.{draft.source.extension},"
            " or the languages that are spoken in the setting speech_languages"
        )
    draft.mark = mark_of_sound(samples, RATE)
    for words in stretches:
        place = MediaPlace(0, (), words.start_s, words.end_s, words.confidence, by=recogniser.name)
        draft.recognised(Kind.TRANSCRIPT, words.text, place)


def _named_language(source: NamedBytes) -> str:
    """Return the language in a file's name, as in "call.es.ogg"; empty if there is none."""
    language = PurePosixPath(source.stem).suffix[1:]
    return language if len(language) == 2 and language.isalpha() and language.islower() else ""


def _read_scenes(av: Any, draft: DocumentDraft) -> None:
    """Add the words of each scene; a scene with the same words as the one before adds nothing."""
    if missing := unavailable(PICTURES, draft.source.limits):
        draft.warn(f"the pictures of the video were not read: {missing}")
        return
    recogniser = recogniser_of(PICTURES, draft.source)
    before: list[str] = []
    for n_scenes, (second, picture) in enumerate(_scenes(av, draft.source), 1):
        if n_scenes > draft.source.limits.max_pictures:
            draft.warn(f"the pictures after second {second:.0f} were not read (setting recognise_max_pictures)")
            return
        at, shown = len(draft.elements), len(draft.pictures)
        read_picture(picture, draft, recogniser, kind=Kind.FRAME, start_s=round(second, 2))
        words = [element.text for element in draft.elements[at:]]
        if words and words == before:
            del draft.elements[at:], draft.pictures[shown:]
        before = words or before


def _scenes(av: Any, source: NamedBytes) -> Iterator[tuple[float, Image.Image]]:
    """Yield the first picture of each scene with its second."""
    last: NDArray[np.float32] | None = None
    due = 0.0
    with av.open(io.BytesIO(source.content)) as container:
        for frame in container.decode(video=0):
            second = float(frame.time or 0.0)
            if second < due:
                continue
            due = second + FRAME_EVERY_S
            check_pixels(frame.width, frame.height, source)
            picture: Image.Image = frame.to_image()
            small = np.asarray(picture.convert("L").resize(_THUMBNAIL, Image.Resampling.BILINEAR), np.float32)
            if last is None or float((np.abs(small - last) > _CHANGED_BY).mean()) >= SCENE_FROM:
                last = small
                yield max(0.0, second), picture
