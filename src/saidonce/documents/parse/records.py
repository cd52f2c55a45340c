"""Parse JSON, JSON lines and YAML: one readable element for each record."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import yaml

from saidonce.documents.parse.dates import from_any
from saidonce.documents.parse.decode import decode
from saidonce.documents.parse.draft import DocumentDraft, one_line, printable, text_draft
from saidonce.documents.parse.html import read_fragment, text_within
from saidonce.documents.parse.markdown import read_text as read_markdown
from saidonce.documents.parse.plain import read_text as read_plain
from saidonce.documents.parse.source import NamedBytes
from saidonce.errors import Refusal

_TITLES = ("title", "heading", "question", "subject")
_BODIES = ("markdown", "text", "body", "content", "answer", "description")
_DATES = ("updated_at", "modified", "date", "created_at")
_PAGE = re.compile(r"</(?:p|div|span|a|b|i|em|strong|ul|ol|li|h[1-6]|td|table|blockquote)>|<(?:p|br)\s*/?>", re.I)
"""Marks of a value that is a piece of a page of the web."""

MAX_BAD_LINES = 0.5
MAX_VALUES = 1_000_000
"""Values of one YAML document, with those that its aliases repeat."""


MAX_KEY = 1_000
"""Values of one key of YAML that is a list or a mapping."""


def read(source: NamedBytes) -> DocumentDraft:
    """Read a JSON file, or JSON lines."""
    if source.family == "yaml":
        return read_yaml(source)
    text = decode(source.content).text
    draft = DocumentDraft(source)
    whole = None if source.extension in ("jsonl", "ndjson") else _whole(source, text, draft)
    if whole is not None:
        _read_whole(whole, draft)
    else:
        for record in _lines(source, text, draft):
            _read_record(record, draft)
    if sum(1 for element in draft.elements if element.level == 1) > 1:
        draft.title = source.stem
    return draft


def read_yaml(source: NamedBytes) -> DocumentDraft:
    """Read a YAML file: each document in it is read like JSON.

    Raises:
        SourceRefusedError: CORRUPT, it is not YAML; HOSTILE, its aliases expand to too many values.
    """
    text, draft = text_draft(source)
    try:
        for value in yaml.load_all(printable(text), Loader=_Yaml):
            _read_whole(_as_json(value, [MAX_VALUES], source), draft)
    except yaml.YAMLError as bad:
        raise source.refuse(Refusal.CORRUPT, f"it is not YAML: {one_line(str(bad))[:200]}") from bad
    if any(line.lstrip().startswith("#") for line in text.split("\n")):
        draft.warn("its comments were left out")
    if sum(1 for element in draft.elements if element.level == 1) > 1:
        draft.title = source.stem
    return draft


class _Yaml(yaml.CSafeLoader):
    """A YAML loader that keeps values as written: no dates, no yes and no; unknown tags are ignored.

    A key may be a list or a mapping; it becomes the text of its values.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping of a node, with text for each key that is no scalar."""
        if isinstance(node, yaml.MappingNode):
            node.value = [(_scalar(key), value) for key, value in node.value]
        mapping: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return mapping


def _scalar(key: yaml.Node) -> yaml.Node:
    """Return a key as a scalar.

    Raises:
        ConstructorError: it has more than MAX_KEY values, with those that its aliases repeat.
    """
    if isinstance(key, yaml.ScalarNode):
        return key
    texts: list[str] = []
    left = [key]
    for _ in range(MAX_KEY):
        if not left:
            return yaml.ScalarNode("tag:yaml.org,2002:str", ", ".join(texts), key.start_mark, key.end_mark)
        node = left.pop()
        if isinstance(node, yaml.SequenceNode):
            left.extend(reversed(node.value))
        elif isinstance(node, yaml.MappingNode):
            left.extend(_pair(*pair) for pair in reversed(node.value))
        else:
            texts.append(str(node.value))
    raise yaml.constructor.ConstructorError(None, None, "a key has too many values", key.start_mark)


def _pair(key: yaml.Node, value: yaml.Node) -> yaml.Node:
    """Return an entry of a mapping as one node, if both its parts are scalars."""
    if isinstance(key, yaml.ScalarNode) and isinstance(value, yaml.ScalarNode):
        return yaml.ScalarNode(key.tag, f"{key.value}: {value.value}", key.start_mark, value.end_mark)
    return yaml.SequenceNode(key.tag, [key, value], key.start_mark, value.end_mark)


def _untagged(loader: _Yaml, _tag: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)  # type: ignore[arg-type]


_Yaml.add_multi_constructor("", _untagged)
_Yaml.yaml_implicit_resolvers = {
    sign: [(tag, pattern) for tag, pattern in rules if tag.endswith((":null", ":merge"))]
    for sign, rules in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def _as_json(value: Any, left: list[int], source: NamedBytes, depth: int = 0) -> Any:
    """Return a value with text keys, counting the values expanded from aliases.

    Raises:
        SourceRefusedError: HOSTILE, more values than MAX_VALUES, or too deep.
    """
    left[0] -= 1
    if left[0] < 0 or depth > source.limits.max_depth:
        raise source.refuse(
            Refusal.HOSTILE, "its aliases expand to too many values, or its values are nested too deeply"
        )
    if isinstance(value, dict):
        return {str(key): _as_json(inner, left, source, depth + 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_json(inner, left, source, depth + 1) for inner in value]
    return value


class _Twice(dict[str, Any]):
    """A JSON object that keeps both values of a duplicate name, the second under "name (2)"."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__()
        counts: Counter[str] = Counter()
        for name, value in pairs:
            counts[name] += 1
            self[name if counts[name] == 1 else f"{name} ({counts[name]})"] = value


class _Numeral(str):
    """A number as written: 1.10 is not 1.1."""

    __slots__ = ()


def _parse_json(text: str) -> Any:
    """Return a parsed JSON value, with its numbers as written."""
    return json.loads(text, parse_float=_Numeral, parse_int=_Numeral, parse_constant=_Numeral, object_pairs_hook=_Twice)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, _Numeral)


_ASIDE = re.compile(r'("(?:[^"\\\n]|\\.)*+")|//[^\n]*+|/\*.*?(?:\*/|\Z)|,(?=(?:\s|//[^\n]*+\n|/\*.*?\*/)*+[}\]])', re.S)
"""Comments and commas before a closing bracket, which programs allow in settings; strings are taken first."""


def _without_comments(text: str) -> Any:
    """Return the value of JSON with comments or commas too many.

    Raises:
        ValueError: it is no JSON without them either.
    """
    return _parse_json(_ASIDE.sub(lambda match: match.group(1) or "", text))


def _whole(source: NamedBytes, text: str, draft: DocumentDraft) -> Any:
    """Return the JSON value of a text; None for several lines of values."""
    try:
        return _parse_json(text)
    except RecursionError as deep:
        raise source.refuse(Refusal.HOSTILE, "its values are nested too deeply") from deep
    except ValueError as bad:
        first = text.lstrip().split("\n", 1)[0]
        try:
            json.loads(first)
        except (ValueError, RecursionError):
            try:
                value = _without_comments(text)
            except (ValueError, RecursionError):
                raise source.refuse(Refusal.CORRUPT, f"it is not JSON: {bad}") from bad
            draft.warn("its comments were left out")
            return value
        return None


def _lines(source: NamedBytes, text: str, draft: DocumentDraft) -> Iterator[Any]:
    n_lines = n_bad = 0
    for line in text.split("\n"):
        if not line.strip():
            continue
        n_lines += 1
        try:
            yield _parse_json(line)
        except RecursionError as deep:
            raise source.refuse(Refusal.HOSTILE, f"line {n_lines} is nested too deeply") from deep
        except ValueError:
            n_bad += 1
            draft.paragraph(line)
    if n_bad > n_lines * MAX_BAD_LINES:
        raise source.refuse(Refusal.CORRUPT, f"{n_bad} of {n_lines} lines are not JSON")
    if n_bad:
        draft.warn(f"{n_bad} of {n_lines} lines are not JSON and were kept as they are")


def _read_whole(value: Any, draft: DocumentDraft) -> None:
    if isinstance(value, list):
        for record in value:
            _read_record(record, draft)
        return
    if isinstance(value, dict):
        lists = [
            key for key, inner in value.items() if isinstance(inner, list) and inner and isinstance(inner[0], dict)
        ]
        if len(lists) == 1 and not _body_of(value):
            _read_record({key: inner for key, inner in value.items() if key != lists[0]}, draft)
            draft.heading(lists[0], 1)
            _read_whole(value[lists[0]], draft)
            return
    _read_record(value, draft)


def _read_record(value: Any, draft: DocumentDraft) -> None:
    """Add one record: a heading and its text if it has both, else "key: value" lines."""
    if _is_text(value):
        draft.paragraph(_plain(value, draft) if _PAGE.search(value) else value)
        return
    if not isinstance(value, dict):
        draft.record(_flat("", value, draft, 0))
        return
    title = next((key for key in _TITLES if _is_text(value.get(key)) and value[key].strip()), "")
    body = _body_of(value)
    if not (title and body):
        draft.record(_flat("", value, draft, 0))
        return
    if not draft.elements:
        dates = (from_any(value[key]) for key in _DATES if isinstance(value.get(key), str))
        draft.authored_at = next((date for date in dates if date), None)
    draft.heading(value[title], 1)
    if body == "markdown":
        known = draft.title
        read_markdown(value[body], draft, deeper=1)
        draft.title = known  # front matter of one record is not about the whole file
    elif _PAGE.search(value[body]):
        read_fragment(value[body], draft)
    else:
        read_plain(value[body], draft)
    rest = {key: inner for key, inner in value.items() if key not in (title, body)}
    draft.record(_flat("", rest, draft, 0))


def _body_of(value: dict[str, Any]) -> str:
    return next((key for key in _BODIES if _is_text(value.get(key)) and value[key].strip()), "")


def _flat(path: str, value: Any, draft: DocumentDraft, depth: int) -> Iterator[str]:
    """Yield lines "dotted.path: value"; an array of scalar values is one line."""
    if depth > draft.source.limits.max_depth:
        raise draft.source.refuse(Refusal.HOSTILE, f"its values are nested deeper than {draft.source.limits.max_depth}")
    prefix = f"{path}: " if path else ""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(f"{path}.{key}" if path else key, inner, draft, depth + 1)
    elif isinstance(value, list):
        if all(not isinstance(inner, (dict, list)) for inner in value):
            text = ", ".join(_plain(inner, draft) for inner in value)
            if text:
                yield prefix + text
            return
        for number, inner in enumerate(value, 1):
            yield from _flat(f"{path}.{number}" if path else str(number), inner, draft, depth + 1)
    elif (text := _plain(value, draft)) != "":
        yield prefix + text


def _plain(value: Any, draft: DocumentDraft) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = one_line(str(value))
    if not _PAGE.search(text):
        return text
    n_struck = draft.n_struck
    shown = text_within(text, draft)
    return shown if shown or draft.n_struck > n_struck else text
