"""Captions that a page of HTML only names as such by a class, and what it says twice of one picture.

DocBook, AsciiDoc and older Sphinx write the title of a figure as a paragraph: read as one, it would be joined with the
passages around it. What a picture is described by for those who do not see it often repeats that title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from saidonce.documents.captions import without_label

DESCRIBED = "data-described"
"""Set on what a picture that stands alone is described by."""

MOST_OF_A_CAPTION = 300
"""Characters of what stands in a block of the class "caption"; a longer text is no caption."""

_FIGURES = frozenset("figure informalfigure table informaltable example informalexample equation imageblock".split())
_TITLES = frozenset({"title", "caption"})
_PICTURES = _FIGURES | {"screenshot", "mediaobject"}
_NOTES = frozenset("note tip important caution warning".split())
_IN_LINES = frozenset("a b br cite code em i kbd p q samp small span strong sub sup tt u var".split())
_ITEMS = ("li", "dt", "dd")
_CONTENTS = re.compile(r"(?:^|\s)(?:toc|list-of-[a-z]+)(?:$|\s)")
"""Classes of a list of contents, and of lists of figures, tables and examples, as DocBook has them."""

_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\w+")


def set_captions(root: etree._Element) -> None:
    """Make captions of what is one by its class, and leave out a description of a picture that repeats them."""
    for node in list(root.iter("div", "p")):
        if _is_title(node) or _is_below(node):
            node.tag = "figcaption"
        elif _CONTENTS.search(node.get("class") or ""):
            _introduce(node)
    titles: dict[etree._Element, set[tuple[str, ...]]] = {}
    for picture in [each for each in root.iter("span") if each.get(DESCRIBED) is not None]:
        figure = _figure_of(picture)
        if figure is None:
            picture.tag = "figcaption" if next(picture.iterancestors(*_ITEMS), None) is None else picture.tag
            continue
        if figure not in titles:
            titles[figure] = {_words(each) for each in figure.iter("figcaption")}
        if _words(picture) in titles[figure]:
            picture.text = None
        else:
            picture.tag = "figcaption"
            titles[figure].add(_words(picture))


def _introduce(contents: etree._Element) -> None:
    """Put a colon behind the title of a list of contents or figures, a paragraph in bold: it introduces the list.

    A list that is long is cut, and each piece of it keeps what introduces it.
    """
    title = next((child for child in contents if isinstance(child.tag, str)), None)
    bold = title[0] if title is not None and title.tag == "p" and len(title) == 1 else None
    if bold is None or bold.tag not in ("b", "strong") or len(bold) or not (bold.text or "").strip():
        return
    if title is not None and _line(title) == _line(bold) and not _line(bold).endswith(":"):
        bold.text = f"{_line(bold)}:"


def is_note(table: etree._Element) -> bool:
    """Return whether a table only places a note beside its sign, as DocBook does: a sign, a label and a text."""
    above = table.getparent()
    if above is None or _NOTES.isdisjoint(_classes(above)):
        return False
    cells = list(table.iter("td", "th"))
    shapes = [(cell.tag, cell.get("rowspan"), cell.get("colspan")) for cell in cells]
    is_sign = bool(cells) and not _line(cells[0])
    return is_sign and shapes == [("td", "2", None), ("th", None, None), ("td", None, "2")]


def _is_title(node: etree._Element) -> bool:
    above = node.getparent()
    is_named = above is not None and above.tag == "div" and not _FIGURES.isdisjoint(_classes(above))
    return is_named and not _TITLES.isdisjoint(_classes(node)) and _is_of_lines(node)


def _is_below(node: etree._Element) -> bool:
    """Return whether a block stands below a picture and says what it shows."""
    if node.tag != "div" or "caption" not in _classes(node) or not _is_of_lines(node):
        return False
    return 0 < len(_line(node)) <= MOST_OF_A_CAPTION


def _is_of_lines(node: etree._Element) -> bool:
    return all(each.tag in _IN_LINES for each in node.iterdescendants())


def _figure_of(node: etree._Element) -> etree._Element | None:
    """Return the outermost block of one picture with its title and all that describes it; none if it has none."""
    known = [above for above in node.iterancestors("div", "figure") if above.tag == "figure" or _is_picture(above)]
    return known[-1] if known else None


def _is_picture(node: etree._Element) -> bool:
    return not _PICTURES.isdisjoint(_classes(node))


def _classes(node: etree._Element) -> Iterator[str]:
    return iter((node.get("class") or "").split())


def _line(node: etree._Element) -> str:
    return _SPACE.sub(" ", "".join(str(piece) for piece in node.itertext())).strip()


def _words(node: etree._Element) -> tuple[str, ...]:
    return tuple(_WORD.findall(without_label(_line(node)).casefold()))
