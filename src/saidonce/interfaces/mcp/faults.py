"""Errors as agents see them: a code to branch on, what happened, and what to do next; never a stack trace."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum

from pydantic import ValidationError

from saidonce.errors import (
    AccessError,
    ModelMismatchError,
    ModelUnavailableError,
    NotFoundError,
    SaidonceError,
    SettingsError,
    SourceRefusedError,
    StaleWriteError,
    StoreCorruptError,
    StoreError,
    UsageError,
)
from saidonce.interfaces.views.malformed import in_words
from saidonce.kb.propose import NameTakenError

MAX_MESSAGE_CHARS = 600


class Code(StrEnum):
    """What went wrong; a closed list."""

    INVALID_ARGUMENTS = "invalid_arguments"
    EMPTY_QUERY = "empty_query"
    EMPTY_TEXT = "empty_text"
    MALFORMED_ID = "malformed_id"
    AMBIGUOUS_ID = "ambiguous_id"
    UNKNOWN_ID = "unknown_id"
    GONE = "gone"
    COLLECTION_NOT_FOUND = "collection_not_found"
    NAME_TAKEN = "name_taken"
    TEXT_REFUSED = "text_refused"
    MODEL_MISMATCH = "model_mismatch"
    MODEL_UNAVAILABLE = "model_unavailable"
    DATABASE_UNAVAILABLE = "database_unavailable"
    DATABASE_DAMAGED = "database_damaged"
    BUSY = "busy"
    SETTINGS = "settings"
    UNKNOWN_TOOL = "unknown_tool"
    UNKNOWN_RESOURCE = "unknown_resource"
    NOT_ALLOWED = "not_allowed"
    REFUSED = "refused"
    INTERNAL = "internal"


NEXT: dict[Code, str] = {
    Code.INVALID_ARGUMENTS: "Correct the named arguments and call again; tools/list has the input schema.",
    Code.EMPTY_QUERY: "Call search again with a question in plain words.",
    Code.EMPTY_TEXT: "Call propose again with a non-empty text.",
    Code.MALFORMED_ID: "Use an id from search: 32 hexadecimal digits, or at least the first four.",
    Code.AMBIGUOUS_ID: "Give more digits of the id.",
    Code.UNKNOWN_ID: "Do not guess ids: call search and use an id from its hits.",
    Code.GONE: "No current block contains this text. Call why with the same id for its history, or search again.",
    Code.COLLECTION_NOT_FOUND: "Use a collection that the message lists; a person creates one with 'saidonce ingest'.",
    Code.NAME_TAKEN: "Use another source name, or none. Proposing never replaces a document.",
    Code.TEXT_REFUSED: "Propose plain text or Markdown that says more than a few marks.",
    Code.MODEL_MISMATCH: "Tell the operator: the server runs with another embedding model than the collection.",
    Code.MODEL_UNAVAILABLE: "Tell the operator that the embedding model is unavailable; try again later.",
    Code.DATABASE_UNAVAILABLE: "Try again in a minute, then tell the operator. Do not answer from memory.",
    Code.DATABASE_DAMAGED: "Stop and tell the operator; 'saidonce rebuild' compares the stored data with its log.",
    Code.BUSY: "Another writer was faster; nothing was written. Call again.",
    Code.SETTINGS: "Tell the operator: a setting of the server is malformed.",
    Code.UNKNOWN_TOOL: "Call tools/list and use one of its names.",
    Code.UNKNOWN_RESOURCE: "Read saidonce://block/{id} with an id from search.",
    Code.NOT_ALLOWED: "Tell the operator that the key of this client lacks a scope; do not try again.",
    Code.REFUSED: "Read the message and correct the request.",
    Code.INTERNAL: "Do not assume a result. Tell the operator; the server's log has the details.",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """An error as data."""

    code: Code
    message: str
    next: str

    def as_json(self) -> dict[str, dict[str, str]]:
        """Return the fault under the one key of a failed call's result."""
        return {"error": asdict(self)}


class FaultError(SaidonceError):
    """A fault of the interface itself."""

    def __init__(self, code: Code, message: str) -> None:
        self.code = code
        super().__init__(message)


_MESSAGES: tuple[tuple[type[Exception], Code], ...] = (
    (NameTakenError, Code.NAME_TAKEN),
    (SettingsError, Code.SETTINGS),
    (AccessError, Code.NOT_ALLOWED),
    (UsageError, Code.REFUSED),
    (SourceRefusedError, Code.TEXT_REFUSED),
    (ModelMismatchError, Code.MODEL_MISMATCH),
    (ModelUnavailableError, Code.MODEL_UNAVAILABLE),
    (StaleWriteError, Code.BUSY),
    (StoreCorruptError, Code.DATABASE_DAMAGED),
    (StoreError, Code.DATABASE_UNAVAILABLE),
)
"""Codes of the product's errors, more special ones first."""


def fault(error: Exception) -> Fault:
    """Return an error as a fault for agents; an unforeseen one is `internal`, without details."""
    if isinstance(error, FaultError):
        return _fault(error.code, str(error))
    if isinstance(error, ValidationError):
        return _fault(Code.INVALID_ARGUMENTS, _of_arguments(error))
    if isinstance(error, NotFoundError):
        return _fault(_missing_code(error), str(error))
    for kind, code in _MESSAGES:
        if isinstance(error, kind):
            return _fault(code, str(error))
    return _fault(Code.INTERNAL, "the server failed during this call; its result is unknown")


def is_foreseen(error: Exception) -> bool:
    """Return whether an error has a code of its own."""
    return fault(error).code is not Code.INTERNAL


def _fault(code: Code, message: str) -> Fault:
    shown = (
        message if len(message) <= MAX_MESSAGE_CHARS else message[: MAX_MESSAGE_CHARS - 1] + "\N{HORIZONTAL ELLIPSIS}"
    )
    return Fault(code, shown, NEXT[code])


def _missing_code(error: NotFoundError) -> Code:
    return Code.COLLECTION_NOT_FOUND if error.noun == "collection" else Code.UNKNOWN_ID


def _of_arguments(error: ValidationError) -> str:
    """Describe what is wrong with arguments, without the values: they are the caller's, and may be long."""
    errors = error.errors(include_url=False, include_input=False)
    return "; ".join(
        in_words(e, [p if isinstance(p, int) else p[:60] for p in e["loc"]] or ["arguments"]) for e in errors
    )
