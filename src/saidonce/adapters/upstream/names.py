"""What all sources share: names of documents, and which files are looked at."""

from __future__ import annotations

import re
from collections.abc import Sequence

from saidonce.errors import Refusal, SourceRefusedError

MAX_NAME = 1_000
_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
MIB = 1024 * 1024


def printable(name: str) -> str:
    """Return a file name as text; bytes outside UTF-8, and signs that steer a terminal or a line, become escapes."""
    readable = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return _STEERING.sub(lambda sign: sign[0].encode("unicode_escape").decode(), readable)


def is_hidden(path: str) -> bool:
    """Return whether a file, or a folder that it lies in, is hidden."""
    return any(part.startswith(".") for part in path.split("/"))


def joined(root: str, path: str) -> str:
    """Return the name of the document of a file."""
    return printable(f"{root.rstrip('/')}/{path}")


def check_size(name: str, size: int, max_bytes: int) -> None:
    """Refuse a file that is too large.

    Raises:
        SourceRefusedError: it is.
    """
    if size > max_bytes:
        raise too_large(name, f"{size / MIB:.0f} MiB", max_bytes)


def too_large(name: str, size: str, max_bytes: int) -> SourceRefusedError:
    """Return the refusal of a file that is too large."""
    detail = f"{size}; at most {max_bytes // MIB} MiB are read (setting max_source_mb)"
    return SourceRefusedError(name, Refusal.TOO_LARGE, detail)


def contents_pages(paths: Sequence[str]) -> frozenset[str]:
    """Return the files of a wiki's export that say nothing themselves: the page that lists the others, and its style.

    Confluence writes an `index.html` beside the folder `styles` with its style sheet.
    """
    present = set(paths)
    folders = (path.removesuffix("index.html") for path in present if path.rpartition("/")[2] == "index.html")
    pairs = ((f"{folder}index.html", f"{folder}styles/site.css") for folder in folders)
    return frozenset(path for index, style in pairs if style in present for path in (index, style))
