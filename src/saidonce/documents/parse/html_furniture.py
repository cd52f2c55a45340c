"""What belongs to a page of HTML and not to its text: navigation, headers, hidden parts, ornaments, small links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from lxml import etree

from saidonce.documents.parse.html_shown import BLOCKS, HIDDEN_STYLE
from saidonce.documents.parse.html_stamp import stamp_of

_FURNITURE_ROLES = frozenset({"navigation", "search", "menu", "menubar", "toolbar", "contentinfo"})
_FURNITURE_NAMES = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navigation|breadcrumbs?|sidebar|menu|footer|cookies?|consent|share|social|related"
    r"|pagination|pager|skip-?link|advert(?:isement)?|navbox|sharing|sharedaddy|(?:jp-)?relatedposts|catlinks)"
    r"(?:$|[\s_-])",
    re.I,
)
_HANDLES = frozenset(
    "headerlink mw-editsection mw-jump-link anchor-link hash-link octicon-link data-footnote-backref footnote-backref"
    " footnote-back reversefootnote mw-cite-backlink".split()
)
"""Classes of the small links beside headings and notes: they copy an address, edit a section, lead back to the text."""

_LINE_NUMBERS = frozenset("linenos lineno linenumber line-number line-numbers ln lnt gutter rouge-gutter".split())
"""Classes of the numbers beside the lines of code."""

_UNFOLDS = re.compile(r"collapse|accordion|collapsible|disclosure|(?:^|[\s_-])(?:faq|question)(?:$|[\s_-])", re.I)
"""Classes of buttons that unfold the text behind them."""

_PRICE = re.compile(r"\d[.,]\d\d(?!\d)|\d\s?[%\u20ac$\u00a3\u00a5]|[\u20ac$\u00a3\u00a5]\s?\d")
_LEAST_PRICES = 2
_LEAST_PROSE = 8
"""Words from which a block that is not read aloud is text; ornaments and repeated labels have fewer."""

INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp rt ruby s samp small span"
    " strike strong sub sup time tt u var wbr math mi mo mn mrow msup msub".split()
)


def _tag(node: etree._Element) -> str:
    return node.tag.casefold() if isinstance(node.tag, str) else ""


def is_hidden(node: etree._Element) -> bool:
    """Return whether an element is hidden from the reader of a page, who cannot unfold it."""
    if node.get("role") == "tabpanel":  # the reader of the page may show it
        return False
    is_out = node.get("hidden") is not None or bool(HIDDEN_STYLE.search(node.get("style") or ""))
    return is_out and not _is_folded(node)


def _is_folded(node: etree._Element) -> bool:
    """Return whether a hidden element is text that the button before it unfolds, not a menu."""
    before = node.getprevious()
    if before is None or node.get("role") in ("menu", "dialog", "listbox") or link_share(node) > 0.5:
        return False
    return _unfolds(before) or any(_unfolds(inner) for inner in before.iter("button", "a"))


def _unfolds(node: etree._Element) -> bool:
    if node.get("aria-haspopup") is not None:
        return False
    if node.get("aria-expanded") is not None:
        return True
    toggles = node.get("data-toggle") or node.get("data-bs-toggle") or ""
    return node.tag == "button" and bool(_UNFOLDS.search(f"{toggles} {node.get('class') or ''}"))


def is_label(node: etree._Element, tag: str) -> bool:
    """Return whether an element is a button that unfolds the text right after it: the text's heading."""
    after = node.getnext()
    return tag == "button" and _unfolds(node) and after is not None and link_share(after) <= 0.5


def is_line_number(node: etree._Element) -> bool:
    """Return whether an element only numbers the lines of code beside it."""
    if _LINE_NUMBERS.isdisjoint((node.get("class") or "").casefold().split()):
        return False
    return not "".join(str(piece) for piece in node.itertext()).strip(" \n\r\t0123456789")


def is_handle(node: etree._Element) -> bool:
    """Return whether an element is a small link beside a heading or a note."""
    return not _HANDLES.isdisjoint((node.get("class") or "").split())


def is_furniture(node: etree._Element, tag: str) -> bool:
    """Return whether an element belongs to the page and not to its text: menus, headers, hidden parts, ornaments."""
    if is_hidden(node) or is_handle(node) or is_line_number(node) or stamp_of(node) is not None:
        return True
    if (node.get("role") or "").casefold() in _FURNITURE_ROLES:
        return True
    if node.get("aria-hidden") == "true":
        return not _is_prose(node, tag)
    if tag in ("header", "footer") and _is_page_level(node):
        return tag == "footer" or next(node.iter("h1"), None) is None
    names = f"{node.get('class') or ''} {node.get('id') or ''}"
    is_named = bool(tag in BLOCKS and tag != "body" and _FURNITURE_NAMES.search(names))
    return is_named and link_share(node) > 0.5 and not _has_prices(node)


def _is_prose(node: etree._Element, tag: str) -> bool:
    """Return whether a block is text that only programs that read aloud pass over, as the page behind a dialog."""
    if tag not in BLOCKS:
        return False
    is_within = any(above.get("aria-hidden") == "true" for above in node.iterancestors())
    words = (word for piece in node.itertext() for word in str(piece).split())
    return len(list(islice(words, _LEAST_PROSE))) == _LEAST_PROSE and (is_within or link_share(node) <= 0.5)


def _has_prices(node: etree._Element) -> bool:
    """Return whether amounts stand beside the links of a block, as on a menu of dishes."""
    beside = (piece for each in node.iter() for piece in _own_texts(each) if _is_beside_links(each, piece[0]))
    return sum(_PRICE.search(text) is not None for _, text in beside) >= _LEAST_PRICES


def _own_texts(node: etree._Element) -> Iterator[tuple[bool, str]]:
    """Yield the text at the beginning of an element, and the one behind it; whether it is behind stands before."""
    yield False, node.text or ""
    yield True, node.tail or ""


def _is_beside_links(node: etree._Element, is_behind: bool) -> bool:
    return next(node.iterancestors("a"), None) is None and (is_behind or node.tag != "a")


def leads_elsewhere(node: etree._Element, tag: str) -> bool:
    """Return whether a block of a chapter is declared to be navigation, and is little more than links."""
    return tag in BLOCKS and (node.get("role") or "").casefold() == "navigation" and link_share(node) > 0.5


def _is_page_level(node: etree._Element) -> bool:
    inside = ("main", "article", "section", "blockquote", "figure", "td", "li")
    return not any(_tag(above) in inside for above in node.iterancestors())


def link_share(node: etree._Element) -> float:
    """Return how much of the text of an element its links are; all of it where there is none."""
    whole = len(_text(node))
    return sum(len(_text(link)) for link in node.iter("a")) / whole if whole else 1.0


def _text(node: etree._Element) -> str:
    """Return the text of an element with spaces at the edges of its parts, without the handles in it."""
    texts = []
    walk = etree.iterwalk(node, events=("start", "end"))
    for event, inner in walk:
        if event == "end":
            texts.append(inner.tail if inner is not node else "")
        elif is_handle(inner) and inner is not node:
            walk.skip_subtree()
        else:
            texts += ["" if inner.tag in INLINE else " ", inner.text]
    return " ".join("".join(text or "" for text in texts).split())
