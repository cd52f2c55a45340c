"""Inputs of the tools: one model each, from which its input schema is made; unknown arguments are refused."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from saidonce.foundation.model import Kind
from saidonce.gate.rules import MAX_CHARS as GATE_CHARS
from saidonce.kb.packed_context import LEAST_TOKENS
from saidonce.kb.propose import MAX_CHARS
from saidonce.kb.search.flow import MAX_QUERY_CHARS

MAX_HITS = 50
MAX_NAME_CHARS = 300
MAX_CONTEXT_TOKENS = 8_000

_NOT_EMPTY = {"minLength": 1}
"""Stands in the schema; the tool refuses an empty one under a code of its own."""

Id = Annotated[
    str,
    Field(max_length=64, description="Id of a block or segment from search, or at least its first four digits."),
]


class _Input(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SearchInput(_Input):
    """Arguments of `search`."""

    query: Annotated[
        str, Field(max_length=MAX_QUERY_CHARS, description="Question in plain words.", json_schema_extra=_NOT_EMPTY)
    ]
    k: Annotated[int, Field(ge=1, le=MAX_HITS, strict=True, description="Most hits.")] = 8
    collection: Annotated[
        str | None, Field(max_length=MAX_NAME_CHARS, description="Only this collection; all by default.")
    ] = None
    kind: Annotated[Kind | None, Field(description="Only blocks of this kind.")] = None
    language: Annotated[str | None, Field(max_length=35, description="Only this language, such as en.")] = None


class ContextInput(_Input):
    """Arguments of `context`."""

    question: Annotated[
        str, Field(max_length=MAX_QUERY_CHARS, description="Question in plain words.", json_schema_extra=_NOT_EMPTY)
    ]
    tokens: Annotated[int, Field(ge=LEAST_TOKENS, le=MAX_CONTEXT_TOKENS, strict=True, description="Token budget.")] = (
        2_000
    )
    collection: Annotated[
        str | None, Field(max_length=MAX_NAME_CHARS, description="Only this collection; all by default.")
    ] = None
    language: Annotated[str | None, Field(max_length=35, description="Only this language, such as en.")] = None


class GetInput(_Input):
    """Arguments of `get`."""

    id: Id


class WhyInput(_Input):
    """Arguments of `why`."""

    id: Id


class ProposeInput(_Input):
    """Arguments of `propose`."""

    text: Annotated[
        str,
        Field(
            max_length=MAX_CHARS,
            description="Full text, plain or Markdown; it is compared as it is.",
            json_schema_extra=_NOT_EMPTY,
        ),
    ]
    collection: Annotated[
        str,
        Field(min_length=1, max_length=MAX_NAME_CHARS, description="Existing collection to add it to."),
    ]
    title: Annotated[str, Field(max_length=MAX_NAME_CHARS, description="Heading to put above the text.")] = ""
    source: Annotated[
        str,
        Field(
            max_length=MAX_NAME_CHARS,
            description="Name of the new document, without .md; by default mcp/<hash>.",
        ),
    ] = ""
    dry_run: Annotated[
        bool,
        Field(
            strict=True, description="true: only report what would happen; false: write it, which a person can undo."
        ),
    ] = True


class CheckInput(_Input):
    """Arguments of `check`."""

    text: Annotated[
        str,
        Field(
            max_length=GATE_CHARS,
            description="Full text of what you are about to create.",
            json_schema_extra=_NOT_EMPTY,
        ),
    ]
    gate: Annotated[
        str, Field(min_length=1, max_length=MAX_NAME_CHARS, description="Name of the gate; created on first use.")
    ]
    title: Annotated[str, Field(max_length=MAX_NAME_CHARS, description="Its title.")] = ""
    fields: Annotated[
        dict[str, str],
        Field(max_length=50, description="Further properties that distinguish it, such as persona or subdomain."),
    ] = {}
    key: Annotated[
        str, Field(max_length=200, description="Your own id for it: the same key returns the stored verdict.")
    ] = ""
    retry_of: Annotated[
        str,
        Field(
            max_length=100,
            description="On a retry in other words: id of the verdict that held or blocked the earlier wording.",
        ),
    ] = ""
