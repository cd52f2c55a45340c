"""Recorded replies of a real model: what was asked names a reply; what was not recorded is an error, never a call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from saidonce.errors import NotFoundError, StoreCorruptError
from saidonce.foundation.ports.conversations import DeadlineChat
from saidonce.foundation.text import digest

FORMAT = 1


@dataclass(slots=True)
class Cassette:
    """Replies of one model.

    Attributes:
        model: its name.
        sha256: of the model's file; empty of a hosted one.
        recorded_on: date of the recording, ISO.
        replies: word for word, by `key_of` what was asked.
    """

    model: str
    sha256: str
    recorded_on: str
    replies: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> str:
        """Return the file's content, keys in order."""
        head = {"format": FORMAT, "model": self.model, "sha256": self.sha256, "recorded_on": self.recorded_on}
        return json.dumps({**head, "replies": dict(sorted(self.replies.items()))}, indent=1, ensure_ascii=False) + "\n"


def key_of(model: str, instructions: str, prompt: str, schema: Mapping[str, object]) -> str:
    """Return the key of a model call, 32 hex digits: hash of model, prompt and tool schema."""
    return digest(model, instructions, prompt, json.dumps(schema, sort_keys=True))


def read_cassette(path: Path) -> Cassette:
    """Read a recording.

    Raises:
        NotFoundError: there is no such file.
        StoreCorruptError: it is none of ours.
    """
    if not path.is_file():
        raise NotFoundError("recording", str(path), "record one with `python -m benchmarks.record_conversations`")
    try:
        recorded = json.loads(path.read_text(encoding="utf-8"))
        if recorded["format"] != FORMAT:
            raise StoreCorruptError(f"recording {str(path)!r} has format {recorded['format']!r}, not {FORMAT}")
        return Cassette(recorded["model"], recorded["sha256"], recorded["recorded_on"], dict(recorded["replies"]))
    except (ValueError, KeyError, TypeError) as bad:
        raise StoreCorruptError(f"recording {str(path)!r} cannot be read: {bad!r}") from bad


class CassetteChat:
    """Answers from a recording alone; see `saidonce.foundation.ports.conversations.DeadlineChat`."""

    def __init__(self, cassette: Cassette) -> None:
        self._cassette = cassette

    @property
    def name(self) -> str:
        """Name of the recorded model."""
        return self._cassette.model

    def complete_within(self, instructions: str, prompt: str, schema: Mapping[str, object], timeout_s: float) -> str:
        """Return the recorded reply.

        Raises:
            NotFoundError: this was never asked when it was recorded; it is no failure of a model, so no flow
                catches it.
        """
        key = key_of(self.name, instructions, prompt, schema)
        if key not in self._cassette.replies:
            raise NotFoundError("recorded reply", key, f"record again (time-out {timeout_s:g} s): {prompt[-200:]}")
        return self._cassette.replies[key]


class RecordingChat:
    """Asks a real model and keeps what it says; asks nothing twice."""

    def __init__(self, chat: DeadlineChat, cassette: Cassette) -> None:
        self._chat = chat
        self.cassette = cassette

    @property
    def name(self) -> str:
        """Name under which the model is recorded."""
        return self.cassette.model

    def complete_within(self, instructions: str, prompt: str, schema: Mapping[str, object], timeout_s: float) -> str:
        """Return the model's reply, recorded.

        Raises:
            ModelUnavailableError: the model failed; nothing is recorded.
        """
        key = key_of(self.name, instructions, prompt, schema)
        if key not in self.cassette.replies:
            self.cassette.replies[key] = self._chat.complete_within(instructions, prompt, schema, timeout_s)
        return self.cassette.replies[key]
