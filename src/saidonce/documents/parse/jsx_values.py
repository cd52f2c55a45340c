"""The values of attributes in JSX, as far as they are written out: strings, lists, objects; all else as it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

Value: TypeAlias = "str | bool | list[Value] | dict[str, Value]"
"""What an attribute is: a text, a truth value, or a list or an object of values."""

MOST_CHARS = 300_000
"""Characters of a tag; what is longer is read as text."""

DEEPEST = 12

_NAME = re.compile(r"[A-Za-z_$][\w$:.-]*")
_SPACE = re.compile(r"(?:\s|//[^\n]*+|/\*.*?\*/)*+", re.S)
_OPENS, _CLOSES = "([{", ")]}"
_QUOTES = "\"'`"
_ESCAPES = {"n": "\n", "t": "\t"}
_HIDDEN = frozenset(
    "href link url src srclight srcdark icon id key classname class style width height slug image target rel".split()
)
_NAMES = ("name", "title", "label", "term", "path")
_TEXTS = ("description", "text", "content", "summary", "caption")


def tag_end(text: str, start: int) -> int | None:
    """Return the index behind the tag that starts at an angle bracket; None if it does not end."""
    at, depth = start + 1, 0
    last = min(len(text), start + MOST_CHARS)
    while at < last:
        sign = text[at]
        if sign in "\"'" or (sign == "`" and depth):
            closing = _string_end(text, at, last)
            if closing is None:
                return None
            at = closing
            continue
        if not depth and sign in "<\n" and (sign == "<" or text[at : at + 2] == "\n\n"):
            return None
        if sign == ">" and not depth:
            return at + 1
        depth += (sign == "{") - (sign == "}")
        at += 1
    return None


def attributes(tag: str) -> dict[str, Value]:
    """Return the attributes of a tag, from behind its name to before its end."""
    values: dict[str, Value] = {}
    at = 0
    while at < len(tag):
        name = _NAME.match(tag, at)
        if name is None:
            at = _nested_end(tag, at) if tag[at] == "{" else at + 1
            continue
        at = name.end()
        if tag[at : at + 1] != "=":
            values[name[0]] = True
            continue
        at += 1
        if tag[at : at + 1] == "{":
            end = _nested_end(tag, at)
            values[name[0]] = _Reader(tag[at + 1 : end - 1]).value()
        else:
            end = _string_end(tag, at, len(tag)) or len(tag)
            values[name[0]] = tag[at + 1 : end - 1]
        at = end
    return values


def items(value: Value, depth: int = 0) -> Iterator[tuple[int, str]]:
    """Yield the depth and the text of each item that a value shows: names with their types, then what they are."""
    if isinstance(value, list):
        for each in value:
            yield from items(each, depth)
    elif isinstance(value, Mapping):
        if shown := _shown(value):
            yield depth, shown
        below = depth + 1 if shown else depth
        for nested in value.values():
            if isinstance(nested, (list, Mapping)) and below <= DEEPEST:
                yield from items(nested, below)
    elif isinstance(value, str) and value.strip():
        yield depth, " ".join(value.split())


def _shown(fields: Mapping[str, Value]) -> str:
    """Return an object as a reader sees it: "speed (number, optional): Metres per second."."""
    name, text = _first(fields, _NAMES), _first(fields, _TEXTS)
    kind = fields.get("type")
    notes = [kind] if isinstance(kind, str) and kind else []
    notes += [key for key, value in fields.items() if value is True]
    notes += [f"{key}: no" for key, value in fields.items() if value is False]
    used = {key for key in (*_NAMES, *_TEXTS) if fields.get(key) in (name, text)} | {"type"}
    more = [
        f"{key}: {' '.join(value.split())}"
        for key, value in fields.items()
        if isinstance(value, str) and value and key not in used and key.casefold() not in _HIDDEN
    ]
    shown = f"{name} ({', '.join(notes)})" if notes else name
    return "; ".join([": ".join(filter(None, (shown.strip(), text))), *more]).strip("; ")


def _first(fields: Mapping[str, Value], keys: Sequence[str]) -> str:
    values = (fields.get(key) for key in keys)
    return next((" ".join(value.split()) for value in values if isinstance(value, str) and value.strip()), "")


def _string_end(text: str, start: int, last: int) -> int | None:
    """Return the index behind the string that starts with a quotation mark; None if it does not end."""
    at = start + 1
    while at < last and text[at] != text[start]:
        at += 2 if text[at] == "\\" else 1
    return at + 1 if at < last else None


def _nested_end(text: str, start: int) -> int:
    """Return the index behind the bracket that closes the one at an index, or behind the text."""
    at, depth = start, 0
    while at < len(text):
        if text[at] in _QUOTES:
            at = _string_end(text, at, len(text)) or len(text)
            continue
        depth += (text[at] in _OPENS) - (text[at] in _CLOSES)
        at += 1
        if depth <= 0:
            return at
    return at


class _Reader:
    """A pass over an expression."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def value(self, depth: int = 0) -> Value:
        """Read the value that comes next."""
        sign = self._next()
        if sign == "[" and depth < DEEPEST:
            return self._list(depth)
        if sign == "{" and depth < DEEPEST:
            return self._object(depth)
        start = self._at
        if sign and sign in _QUOTES:
            end = _string_end(self._text, start, len(self._text)) or len(self._text)
            self._at = end
            if self._next() in (",", "]", "}", ""):
                return _unescaped(self._text[start + 1 : end - 1])
            self._at = start
        raw = self._raw()
        return {"true": True, "false": False}.get(raw, raw)

    def _list(self, depth: int) -> list[Value]:
        self._at += 1
        values: list[Value] = []
        while (sign := self._next()) and sign != "]":
            if sign == ",":
                self._at += 1
                continue
            before = self._at
            values.append(self.value(depth + 1))
            self._at += self._at == before
        self._at += 1
        return values

    def _object(self, depth: int) -> dict[str, Value]:
        self._at += 1
        fields: dict[str, Value] = {}
        while (sign := self._next()) and sign != "}":
            before = self._at
            key = self._key()
            if self._next() == ":":
                self._at += 1
                fields[key] = self.value(depth + 1)
            elif before == self._at or sign != ",":
                self._raw()
            self._at += self._at == before
        self._at += 1
        return fields

    def _key(self) -> str:
        sign = self._text[self._at]
        if sign in _QUOTES:
            start, end = self._at, _string_end(self._text, self._at, len(self._text)) or len(self._text)
            self._at = end
            return self._text[start + 1 : end - 1]
        name = _NAME.match(self._text, self._at)
        if name is None:
            self._at += sign == ","
            return ""
        key = name[0].rstrip(":")
        self._at += len(key)
        return key

    def _next(self) -> str:
        """Pass over space and remarks; return the sign that comes next, empty at the end."""
        space = _SPACE.match(self._text, self._at)
        self._at = space.end() if space else self._at
        return self._text[self._at : self._at + 1]

    def _raw(self) -> str:
        """Read what is no literal, up to the comma or bracket behind it."""
        start = self._at
        while self._at < len(self._text) and self._text[self._at] not in ",]})":
            sign = self._text[self._at]
            if sign in _QUOTES:
                self._at = _string_end(self._text, self._at, len(self._text)) or len(self._text)
            else:
                self._at = _nested_end(self._text, self._at) if sign in _OPENS else self._at + 1
        return " ".join(self._text[start : self._at].split())


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), text, flags=re.S)
