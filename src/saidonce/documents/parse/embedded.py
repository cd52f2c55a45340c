"""Room: the pictures inside office documents and pages, as files."""

from __future__ import annotations

import base64
import binascii
import re
import zipfile
from collections.abc import Iterator
from io import BytesIO

from saidonce.documents.parse.source import NamedBytes

_FOLDERS = {"docx": "word/media/", "pptx": "ppt/media/"}
_NUMBER = re.compile(r"\d+")
_DATA = re.compile(rb"src\s*=\s*[\"']?data:image/(?:png|jpeg|jpg|webp|gif);base64,([A-Za-z0-9+/=\s%]{100,})", re.I)

HOLDING = frozenset((*_FOLDERS, "html"))
"""Families of sources in which pictures are looked for."""


def pictures_in(source: NamedBytes) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of the pictures in a source that its parser has read, and so checked, in order."""
    if source.family == "html":
        for number, match in enumerate(_DATA.finditer(source.content), 1):
            try:
                yield f"picture {number}", base64.b64decode(re.sub(rb"\s", b"", match.group(1)))
            except binascii.Error:
                continue
        return
    folder = _FOLDERS[source.family]
    with zipfile.ZipFile(BytesIO(source.content)) as package:
        names = [name for name in package.namelist() if name.startswith(folder)]
        for name in sorted(names, key=lambda n: ([int(digits) for digits in _NUMBER.findall(n)], n)):
            yield name.removeprefix(folder), package.read(name)
