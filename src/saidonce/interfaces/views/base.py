"""What all answers have in common: they are read off the nouns, and written alike for the API, MCP and `--json`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, PlainSerializer, WithJsonSchema, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from saidonce.interfaces.views.docstrings import below_fields

At = Annotated[
    datetime,
    PlainSerializer(datetime.isoformat, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time", "examples": ["2026-03-01T09:30:00+00:00"]}),
]
"""A moment in ISO 8601 with its offset."""

Number = int | float
"""A figure that keeps its kind: a count stays a whole number."""


class View(BaseModel):
    """An answer. A field is the noun's attribute of that name, or the one that its alias names.

    A noun whose JSON is all of its fields, and that holds no moment, is shown as it is, without a view of its own.

    Attributes:
        PARTS: attributes of the noun whose own attributes are fields too, where the noun has none of that name.
        DERIVED: functions that make a field of the noun.
    """

    model_config = ConfigDict(frozen=True, from_attributes=True, defer_build=True)

    PARTS: ClassVar[tuple[str, ...]] = ()
    DERIVED: ClassVar[Mapping[str, Callable[[Any], object]]] = {}

    @classmethod
    def show(cls, noun: object, **values: object) -> Self:
        """Show a noun; `values` stand for fields that it does not have."""
        return cls.model_validate(cls._join(noun, values))

    @model_validator(mode="before")
    @classmethod
    def _from_noun(cls, noun: object) -> object:
        """Read a noun inside another one, or data."""
        return noun if isinstance(noun, View | Mapping | _Joined) else cls._join(noun, {})

    @classmethod
    def _join(cls, noun: Any, values: Mapping[str, object]) -> _Joined:
        derived = {name: make(noun) for name, make in cls.DERIVED.items() if name not in values}
        return _Joined({**derived, **values}, (noun, *(getattr(noun, part) for part in cls.PARTS)))

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Describe each field by the text below it, which is read when a schema is asked for and not at every start."""
        described = handler(schema)
        properties = handler.resolve_ref_schema(described).get("properties", {})
        for name, field in cls.model_fields.items():
            alias = field.validation_alias if handler.mode == "validation" else field.serialization_alias
            shown = properties.get(alias if isinstance(alias, str) else name, properties.get(name))
            owner = next(each for each in cls.__mro__ if name in vars(each).get("__annotations__", ()))
            text = below_fields(sys.modules[owner.__module__]).get(owner.__name__, {}).get(name)
            if shown is not None and text is not None and field.description is None:
                shown["description"] = text
        return described

    def data(self) -> dict[str, Any]:
        """Return the JSON object."""
        return self.model_dump(mode="json")


class _Joined:
    """Values, and the attributes of several nouns; of one name those that stand first."""

    def __init__(self, values: Mapping[str, object], nouns: tuple[object, ...]) -> None:
        self._values = values
        self._nouns = nouns

    def __getattr__(self, name: str) -> object:
        if name in self._values:
            return self._values[name]
        for noun in self._nouns:
            if hasattr(noun, name):
                return getattr(noun, name)
        raise AttributeError(name)


class ErrorView(View):
    """Why a request was refused or failed."""

    error: str
    """kind of the error, such as NotFound"""
    message: str
    """error message"""
