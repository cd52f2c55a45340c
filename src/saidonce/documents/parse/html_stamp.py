"""The line of a generator at the foot of a page that says when it was last updated, and nothing else."""

from __future__ import annotations

import re
from datetime import datetime

from lxml import etree

from saidonce.documents.parse.dates import from_any

_FOOT = re.compile(r"(?:^|[\s_-])footer(?:$|[\s_-])", re.I)
_STAMP = re.compile(r"\s*last (?:updated|modified|changed)(?: on| at)?:?\s+(\S.{0,60})", re.I | re.S)


def stamp_of(node: etree._Element) -> datetime | None:
    """Return the date of an element that is such a line; None if it is anything else."""
    if not _FOOT.search(f"{node.get('class') or ''} {node.get('id') or ''}"):
        return None
    stamp = _STAMP.fullmatch(" ".join("".join(str(piece) for piece in node.itertext()).split()))
    return from_any(stamp[1]) if stamp else None


def stamp_in(root: etree._Element) -> datetime | None:
    """Return the date of the first such line of a page; None without one."""
    feet = (node for node in root.iter() if isinstance(node.tag, str))
    return next((date for node in feet if (date := stamp_of(node)) is not None), None)
