"""Terms that a page of HTML writes as a paragraph of code, each with its description set in below it.

Docutils writes so what is no list of definitions in its source. Read as paragraphs, each term would be the end of the
description before it.
"""

from __future__ import annotations

from itertools import groupby

from lxml import etree

_LITERAL = frozenset("code tt kbd samp".split())
_BETWEEN = " ,/|\n\t\r"
"""What stands between two terms of one description."""


def set_terms(root: etree._Element) -> None:
    """Make a list of definitions of each run of paragraphs of code, which blocks that are set in follow."""
    parents = dict.fromkeys(node.getparent() for node in root.iter("blockquote"))
    for above in [parent for parent in parents if parent is not None]:
        terms = [node for node in above.iterchildren("p") if _is_term(node)]
        at = {term: above.index(term) for term in terms}
        for _, run in groupby(enumerate(terms), key=lambda each: at[each[1]] - 2 * each[0]):
            _define([term for _, term in run])


def _is_term(node: etree._Element) -> bool:
    """Return whether a paragraph has nothing but names in code, and a block that is set in follows it at once.

    The first one of an item of a list is that item, with its number.
    """
    if _is_item(node):
        return False
    described = node.getnext()
    if described is None or described.tag != "blockquote" or (node.tail or "").strip() or not len(node):
        return False
    texts = [node.text, *(each.tail for each in node)]
    return all(_is_literal(each) for each in node) and not any((text or "").strip(_BETWEEN) for text in texts)


def _is_item(node: etree._Element) -> bool:
    above = node.getparent()
    return above is not None and above.tag == "li" and above[0] is node


def _is_literal(node: etree._Element) -> bool:
    is_literal = node.tag in _LITERAL or (node.tag == "span" and "literal" in (node.get("class") or "").split())
    return is_literal and bool("".join(str(piece) for piece in node.itertext()).strip())


def _define(terms: list[etree._Element]) -> None:
    """Put a list of definitions where the first of some terms stands; what describes each follows it."""
    listed = etree.Element("dl")
    terms[0].addprevious(listed)
    for term in terms:
        described = term.getnext()
        assert described is not None  # else it is no term
        term.tag, described.tag = "dt", "dd"
        listed.tail = described.tail
        term.tail = described.tail = None
        listed.extend([term, described])
