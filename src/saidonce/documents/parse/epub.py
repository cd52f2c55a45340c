"""Parse EPUB: the chapters of the spine in order, each read as HTML."""

from __future__ import annotations

import posixpath
import zipfile
from io import BytesIO
from urllib.parse import unquote

from lxml import etree

from saidonce.documents.parse import archive
from saidonce.documents.parse.dates import from_any
from saidonce.documents.parse.decode import decode
from saidonce.documents.parse.draft import DocumentDraft, one_line
from saidonce.documents.parse.html import read_chapter
from saidonce.documents.parse.source import NamedBytes
from saidonce.errors import Refusal

_DC = "{http://purl.org/dc/elements/1.1/}"
_OPF = "{http://www.idpf.org/2007/opf}"
_HTML = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True)


def read(source: NamedBytes) -> DocumentDraft:
    """Read an e-book without its navigation; pages behind rights management are refused."""
    draft = DocumentDraft(source)
    with zipfile.ZipFile(BytesIO(archive.checked(source, may_declare=True).getvalue())) as package:
        if archive.part(source, package, "META-INF/rights.xml"):
            raise source.refuse(Refusal.LOCKED, "it is protected by rights management")
        place = _package_place(source, package)
        root = _tree(archive.part(source, package, place))
        if root is None:
            raise source.refuse(Refusal.CORRUPT, "its list of contents cannot be read")
        _read_meta(root, draft)
        missing = []
        for name in _chapters(root, posixpath.dirname(place)):
            content = archive.part(source, package, name)
            if not content:
                missing.append(posixpath.basename(name))
                continue
            read_chapter(decode(content).text, draft)
    if missing:
        draft.warn(f"chapters that its list names are not in it: {', '.join(missing[:10])}")
    return draft


def _package_place(source: NamedBytes, package: zipfile.ZipFile) -> str:
    root = _tree(archive.part(source, package, "META-INF/container.xml"))
    if root is not None:
        for node in root.iter("{*}rootfile"):
            if place := node.get("full-path"):
                return place
    place = next((name for name in package.namelist() if name.endswith(".opf")), "")
    if not place:
        raise source.refuse(Refusal.CORRUPT, "its package holds no list of contents")
    return place


def _tree(content: bytes) -> etree._Element | None:
    return etree.fromstring(content, _PARSER) if content.strip() else None


def _read_meta(root: etree._Element, draft: DocumentDraft) -> None:
    def first(name: str) -> str:
        return next((one_line(node.text or "") for node in root.iter(f"{_DC}{name}") if node.text), "")

    draft.title, draft.author, draft.language = first("title"), first("creator"), first("language")
    changed = [n.text or "" for n in root.iter(f"{_OPF}meta") if n.get("property") == "dcterms:modified"]
    dates = (from_any(text) for text in (first("date"), *changed))
    draft.authored_at = next((date for date in dates if date), None)


def _chapters(root: etree._Element, folder: str) -> list[str]:
    """Return the paths of the chapters in reading order; a file is read once, however many entries lead into it."""
    items = {node.get("id") or "": node for node in root.iter(f"{_OPF}item")}
    spine = [items[item_id] for node in root.iter(f"{_OPF}itemref") if (item_id := node.get("idref") or "") in items]
    places = []
    for item in spine or items.values():
        if item.get("media-type") in _HTML and "nav" not in (item.get("properties") or "").split():
            href = unquote((item.get("href") or "").partition("#")[0])
            places.append(posixpath.normpath(posixpath.join(folder, href)))
    return list(dict.fromkeys(places))
