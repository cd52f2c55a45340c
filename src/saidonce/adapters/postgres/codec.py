"""One codec for everything that is stored: nouns from rows, columns and JSON from nouns.

A column named as a field fills that field, one named `a.b` the field `b` of the noun in `a`; a column named `*` holds
the JSON of the noun itself, which the columns beside it complete.
"""

from __future__ import annotations

import base64
import types
from collections.abc import Callable, Mapping
from datetime import date, datetime
from enum import Enum
from operator import attrgetter
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray
from psycopg.rows import RowFactory, kwargs_row
from pydantic import PlainSerializer, PlainValidator, TypeAdapter, ValidationError

from saidonce.adapters.postgres.wire import unpack
from saidonce.errors import StoreCorruptError

_Noun = TypeVar("_Noun")


def _read_vector(value: Any) -> NDArray[np.float32]:
    """Return a vector from pgvector's binary form or from base64 of little-endian float32."""
    if isinstance(value, str):
        return np.frombuffer(base64.b64decode(value, validate=True), "<f4").astype(np.float32)
    return unpack([value])[0] if isinstance(value, bytes) else value


StoredVector = Annotated[
    NDArray[np.float32],
    PlainValidator(_read_vector),
    PlainSerializer(lambda vector: base64.b64encode(vector.astype("<f4").tobytes()).decode()),
]
"""A vector: binary in the database, base64 of little-endian float32 in JSON."""

StoredBytes = Annotated[
    bytes,
    PlainValidator(lambda value: base64.b64decode(value, validate=True) if isinstance(value, str) else bytes(value)),
    PlainSerializer(lambda content: base64.b64encode(content).decode()),
]
"""Bytes: as they are in the database, base64 in JSON."""

_COLUMN_TYPES: dict[Any, str] = {
    str: "text",
    int: "int8",
    float: "float8",
    bool: "bool",
    datetime: "timestamptz",
    date: "date",
    tuple[str, ...]: "text[]",
    tuple[int, ...]: "int8[]",
    StoredVector: "vector",
    StoredBytes: "bytea",
}


_adapters: dict[Any, TypeAdapter[Any]] = {}


def adapter(noun: Any) -> TypeAdapter[Any]:
    """Return what reads and writes a type."""
    if noun not in _adapters:
        _adapters[noun] = TypeAdapter(noun)
    return _adapters[noun]


def read(noun: type[_Noun], values: Mapping[str, Any]) -> _Noun:
    """Return a noun from the columns of a row.

    Raises:
        StoreCorruptError: a value is none that its field may hold.
    """
    tree: dict[str, Any] = {}
    for name, value in values.items():
        if name == "*":
            tree = value
            continue
        *path, last = name.split(".")
        place = tree
        for part in path:
            place = place.setdefault(part, {})
        place[last] = value
    try:
        result: _Noun = adapter(noun).validate_python(tree)
    except ValidationError as bad:
        raise StoreCorruptError(f"a stored {noun.__name__} cannot be read: {bad.errors()[0]['msg']}") from bad
    return result


def rows_as(noun: type[_Noun]) -> RowFactory[_Noun]:
    """Return a row factory of psycopg that gives nouns by the names of the columns."""
    return cast("RowFactory[_Noun]", kwargs_row(lambda **values: read(noun, values)))


def to_json(value: Any, noun: Any = None) -> str:
    """Write a value as JSON, without what it leaves empty; equal values give equal bytes."""
    return adapter(noun or type(value)).dump_json(value, exclude_defaults=True).decode()


def column_type(noun: type[Any], path: str) -> str:
    """Return the type of the column for a field or a property of a noun; json if there is no plainer one."""
    return _COLUMN_TYPES.get(_bare(_type_at(noun, path)), "json")


def column_value(noun: type[Any], path: str) -> Callable[[Any], Any]:
    """Return what takes a column's value from a noun."""
    if path == "*":
        return lambda of: to_json(of, noun)
    get = attrgetter(path)
    if column_type(noun, path) == "json":
        declared = _type_at(noun, path)
        return lambda of: to_json(get(of), declared)
    return lambda of: _plain(get(of))


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    return list(value) if isinstance(value, tuple) else value


def _type_at(noun: type[Any], path: str) -> Any:
    """Return the declared type of a field or a property, which may lie in a field's noun."""
    first, _, rest = path.partition(".")
    owner = getattr(noun, first, None)
    of = owner.fget if isinstance(owner, property) else noun
    declared = get_type_hints(of, include_extras=True)["return" if of is not noun else first]
    return _type_at(declared, rest) if rest else declared


def _bare(declared: Any) -> Any:
    """Return a type without None; an enumeration counts as its texts."""
    if get_origin(declared) in (Union, types.UnionType):
        (declared,) = (each for each in get_args(declared) if each is not types.NoneType)
    return str if isinstance(declared, type) and issubclass(declared, Enum) else declared
