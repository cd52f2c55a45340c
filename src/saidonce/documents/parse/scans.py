"""Recognise the words of a scanned PDF page."""

from __future__ import annotations

import pypdfium2
from pypdfium2 import PdfiumError

from saidonce.documents.parse.draft import DocumentDraft
from saidonce.documents.parse.pictures import check_count, read_picture
from saidonce.foundation.ports.recognition import Recogniser

SCAN_DPI = 180
"""Resolution at which a page without text is rendered to be read."""


def read(draft: DocumentDraft, recogniser: Recogniser, number: int, n_scans: int) -> None:
    """Render a page and add the words in it.

    Args:
        draft: of the PDF.
        recogniser: of words in pictures.
        number: of the page, from 1.
        n_scans: scanned pages so far, including this one.

    Raises:
        SourceRefusedError: there are more such pages than the limit, or the recogniser failed.
    """
    check_count(n_scans, draft.source)
    document = pypdfium2.PdfDocument(draft.source.content)
    try:
        page = document[number - 1]
        width, height = page.get_size()
        scale = min(SCAN_DPI / 72, (draft.source.limits.max_megapixels * 1e6 / max(1.0, width * height)) ** 0.5)
        picture = page.render(scale=scale, may_draw_forms=True).to_pil().convert("RGB")
        page.close()
    except PdfiumError:
        draft.warn(f"page {number} is damaged")
        return
    finally:
        document.close()
    if picture.convert("L").getextrema() != (255, 255):
        read_picture(picture, draft, recogniser, number)
