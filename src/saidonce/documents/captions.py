"""Captions: "Figure 2: the pump" on a line of its own."""

from __future__ import annotations

import re

_LABEL = re.compile(
    r"(?:fig(?:ure|\.)?|table|listing|chart|exhibit|abb(?:ildung|\.)|tab(?:elle|leau|la|\.)|figura|figuur|illustration)"
    r"\s*\d+(?:[.-]\d+)*\s*[.:\u2013\u2014-]\s(?=\S)",
    re.I,
)


def is_labelled(line: str) -> bool:
    """Return whether a line begins with the label of a figure or a table, such as "Table 2:"."""
    return _LABEL.match(line) is not None


def without_label(caption: str) -> str:
    """Return a caption without such a label."""
    label = _LABEL.match(caption)
    return caption[label.end() :] if label else caption
