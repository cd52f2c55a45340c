"""Recognise words in the pictures inside office documents, e-books and pages, if the extra is installed.

This module and the PDF parser work without the extra `images`: they import it only where it is installed.
"""

from __future__ import annotations

import base64
import binascii
import re
import zipfile
from collections.abc import Iterator
from importlib import import_module
from io import BytesIO

from saidonce.documents.parse.draft import DocumentDraft
from saidonce.documents.parse.recognisers import PICTURES, recogniser_of, unavailable
from saidonce.documents.parse.source import NamedBytes

MIN_BYTES = 2_000
"""Smaller pictures inside documents are ornaments, bullets and icons."""

_FOLDERS = {"docx": "word/media/", "pptx": "ppt/media/", "xlsx": "xl/media/", "odf": "Pictures/"}
_BOOK = "epub"
_NUMBER = re.compile(r"\d+")
_DATA = re.compile(rb"src\s*=\s*[\"']?data:image/(?:png|jpeg|jpg|webp|gif);base64,([A-Za-z0-9+/=\s%]{100,})", re.I)
_PACKAGE = b"PK\x03\x04"


def read_pictures(source: NamedBytes, draft: DocumentDraft) -> None:
    """Add the words in the pictures of a document that its parser has already read and checked.

    Raises:
        RecognitionWantedError: another process has to recognise them.
    """
    pictures = [each for each in _pictures_in(source) if len(each[1]) >= MIN_BYTES and _is_picture(each[1])]
    if not pictures:
        return
    if source.family == _BOOK:
        of_the_book = _n_pictures(len(pictures), " of the book")
        draft.warn(f"{of_the_book} not read; save those with words in them as files")
        return
    if missing := unavailable(PICTURES, source.limits):
        draft.warn(f"{_n_pictures(len(pictures))} not read: {missing}")
        return
    recogniser_of(PICTURES, source)
    import_module("saidonce.documents.parse.pictures").read_embedded(pictures, draft)


def _n_pictures(n: int, where: str = "") -> str:
    return f"1 picture{where} was" if n == 1 else f"{n} pictures{where} were"


def read_scan(draft: DocumentDraft, number: int, n_scans: int) -> None:
    """Add the words of a PDF page without text.

    Args:
        draft: of the PDF.
        number: of the page, from 1.
        n_scans: pages without text so far, including this one.

    Raises:
        RecognitionWantedError: another process has to recognise it.
    """
    if unavailable(PICTURES, draft.source.limits):
        return
    recogniser = recogniser_of(PICTURES, draft.source)
    import_module("saidonce.documents.parse.scans").read(draft, recogniser, number, n_scans)


def _pictures_in(source: NamedBytes) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of the files that may be pictures, in order."""
    if source.family == "html":
        for number, match in enumerate(_DATA.finditer(source.content), 1):
            try:
                yield f"picture {number}", base64.b64decode(re.sub(rb"\s", b"", match.group(1)))
            except binascii.Error:
                continue
    elif source.family in (*_FOLDERS, _BOOK) and source.content.startswith(_PACKAGE):
        folder = _FOLDERS.get(source.family, "")
        with zipfile.ZipFile(BytesIO(source.content)) as package:
            names = [name for name in package.namelist() if name.startswith(folder)]
            for name in sorted(names, key=lambda n: ([int(digits) for digits in _NUMBER.findall(n)], n)):
                yield name.removeprefix(folder), package.read(name)


def _is_picture(content: bytes) -> bool:
    return content.startswith((b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"II*\x00", b"MM\x00*", b"BM")) or (
        content[:4] == b"RIFF" and content[8:12] == b"WEBP"
    )
