"""Whether two pieces of JSON or YAML are one and the same data, however they are written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from saidonce.foundation.remembering import remembered

if TYPE_CHECKING:
    import yaml

_LONGEST, _MOST_BRACKETS = 20_000, 1_000
"""Characters and opening brackets up to which a piece of code is read as data."""

_DATA = re.compile(r"\s*(?:[{\[]|(?:- +)*[\w\"'][\w .\"'/-]{0,80}:(?:\s|$))")
_COMMENT_OR_ALIAS = re.compile(r"(?:^|\s)#|(?:^|[\s\[{,:-])[&*!]\w", re.MULTILINE)

Data = tuple[object, ...]


def same_data(a: str, b: str) -> bool:
    """Return whether both texts are data, and the same.

    Marks of quotation, layout and the order of keys in braces say nothing; the order of keys on lines of their own and
    how a number is written do. What has comments, or refers to itself, is not read.
    """
    one = _data(a)
    return one is not None and one == _data(b)


@remembered(512)
def _data(text: str) -> Data | None:
    if (
        len(text) > _LONGEST
        or text.count("{") + text.count("[") > _MOST_BRACKETS
        or not _DATA.match(text)
        or _COMMENT_OR_ALIAS.search(text)
    ):
        return None
    import yaml  # noqa: PLC0415 - most texts hold no data

    try:
        root = yaml.compose(text, Loader=yaml.CSafeLoader)
        return _plain(root) if isinstance(root, yaml.CollectionNode) and root.value else None
    except (yaml.YAMLError, RecursionError, ValueError):
        return None


def _plain(node: yaml.Node) -> Data:
    """Return a node as nested tuples of its tag and what it holds."""
    import yaml  # noqa: PLC0415

    if isinstance(node, yaml.MappingNode):
        members = [(_plain(key), _plain(held)) for key, held in node.value]
        return node.tag, *(sorted(members, key=repr) if node.flow_style else members)
    return node.tag, *(map(_plain, node.value) if isinstance(node, yaml.SequenceNode) else (node.value,))
