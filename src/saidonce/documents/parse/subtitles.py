"""Parse subtitles (SRT, WebVTT, SubStation): the speech, with its times and speakers."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import pairwise

from saidonce.documents.parse.draft import DocumentDraft, one_line, text_draft
from saidonce.documents.parse.source import NamedBytes
from saidonce.errors import Refusal
from saidonce.foundation.model import Kind, MediaPlace

_TIME = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_RANGE = re.compile(rf"\s*{_TIME}(?:[ \t]*-->[ \t]*|,(?=[\d:.]+[ \t]*$)){_TIME}")
_VOICE = re.compile(r"<v(?:\.[^\s>]{0,200})?\s++([^>]{1,200})>", re.I)
_TAG = re.compile(r"</?[a-zA-Z0-9][^<>]{0,200}>|\{\\[^{}]{0,100}\}")
_READING = re.compile(r"<rt(?:\.[^<>]{0,100})?>([^<]{1,200})(?:</rt>)?")
_TAGS_OF_TIME = re.compile(r"<[\d:.]+>")
_SCRIPT = re.compile(r"^\[Events\]", re.M)
_COLUMNS = ("Layer", "Start", "End", "Style", "Name", "MarginL", "MarginR", "MarginV", "Effect", "Text")
_META = re.compile(r"(?:NOTE|STYLE|REGION)\b")


def read(source: NamedBytes) -> DocumentDraft:
    """Read subtitles; a cue that repeats the previous cue's words is left out, unless somebody else says them."""
    text, draft = text_draft(source)
    if _SCRIPT.search(text):
        return _read_script(text, draft)
    blocks = re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff"))
    n_timeless = 0
    last: tuple[str, ...] = ()
    for block in blocks:
        lines = [line for line in block.split("\n") if line.strip()]
        cues = list(_cues(lines))
        if not cues:
            n_timeless += bool(lines) and not lines[0].startswith("WEBVTT") and not _META.match(lines[0])
        for times, content in cues:
            words = one_line(_words(content))
            here = (words, *(hit[1] for hit in _VOICE.finditer(content)))
            if words and here != last:
                for voice in _voices(content):
                    _add(draft, times, voice, one_line(_words(voice)))
            last = here if words else last
    if not draft.elements:
        raise source.refuse(
            Refusal.NO_TEXT, "it contains no subtitle with a time, such as 00:00:01,000 --> 00:00:02,500"
        )
    if n_timeless:
        draft.warn(f"{n_timeless} cues without a time were not read")
    return draft


def _cues(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the times and the content of each cue of a block; some writers leave no empty line between two."""
    starts = [at for at, line in enumerate(lines) if _RANGE.match(line)]
    if not starts or starts[0] > 2:
        return
    for at, following in pairwise([*starts, len(lines) + 1]):
        has_number = following <= len(lines) and lines[following - 1].strip().isdecimal()
        yield lines[at], " ".join(lines[at + 1 : following - has_number])


def _voices(content: str) -> list[str]:
    """Return the parts of a cue that several voices speak, each with the tag that names its voice."""
    starts = [match.start() for match in _VOICE.finditer(content)]
    parts = [content[start:end] for start, end in pairwise([0, *starts, len(content)])]
    return [part for part in parts if one_line(_words(part))]


def _read_script(text: str, draft: DocumentDraft) -> DocumentDraft:
    """Read a SubStation script: its dialogue, in the columns that its format line defines."""
    columns = [name.strip().casefold() for name in _COLUMNS]
    last = "", ""
    for line in text.splitlines():
        kind, _, rest = line.partition(":")
        if kind.strip() == "Format" and "text" in rest.casefold():
            columns = [name.strip().casefold() for name in rest.split(",")]
        if kind.strip() != "Dialogue":
            continue
        cells = dict(zip(columns, rest.split(",", len(columns) - 1), strict=False))
        words = one_line(_TAG.sub("", re.sub(r"\\[Nnh]", " ", cells.get("text", ""))))
        times = f"{cells.get('start', '').strip()} --> {cells.get('end', '').strip()}"
        name = cells.get("name", "").strip()
        if words and (words, name) != last and _RANGE.match(times):
            _add(draft, times, f"<v {name}>" if name else "", words)
        last = (words, name) if words else last
    if not draft.elements:
        raise draft.source.refuse(Refusal.NO_TEXT, "it contains no line of dialogue with a time")
    return draft


def _words(line: str) -> str:
    line = _READING.sub(r"(\1)", line)
    return html.unescape(_TAG.sub("", _TAGS_OF_TIME.sub("", line)))


def _add(draft: DocumentDraft, times: str, raw: str, words: str) -> None:
    match = _RANGE.match(times)
    assert match is not None
    start_s, end_s = _seconds(match.groups()[:4]), _seconds(match.groups()[4:])
    voice = _VOICE.search(raw)
    speaker = one_line(html.unescape(voice.group(1))) if voice else ""
    if end_s < start_s:
        draft.warn("some subtitles end before they begin")
    place = MediaPlace(start_s=start_s, end_s=max(start_s, end_s), speaker=speaker)
    draft.recognised(Kind.TRANSCRIPT, words, place)


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = (part or "0" for part in parts)
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds) + int(fraction.ljust(3, "0")) / 1000
