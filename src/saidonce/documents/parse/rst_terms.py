"""Terms of reStructuredText that are paragraphs of literals, each with its description set in below it."""

from __future__ import annotations

from docutils import nodes

_BETWEEN = " ,/|\n"
"""What stands between two terms of one description."""


def set_terms(tree: nodes.Element) -> None:
    """Make a list of definitions of each paragraph of literals that a block follows which is set in.

    The first paragraph of an item of a list is that item, and what is set in below it goes on with it. A block that
    names who wrote it is a quotation.
    """
    for described in list(tree.findall(nodes.block_quote)):
        above = described.parent
        at = above.index(described)
        term = above[at - 1] if at else None
        is_item = isinstance(above, nodes.list_item) and at == 1
        is_quoted = any(isinstance(child, nodes.attribution) for child in described.children)
        if is_quoted or not isinstance(term, nodes.paragraph) or not _is_of_literals(term):
            continue
        if is_item:
            above[at : at + 1] = described.children
        else:
            item = nodes.definition_list_item("", nodes.term("", "", *term.children))
            item += nodes.definition("", *described.children)
            above[at - 1 : at + 1] = [nodes.definition_list("", item)]


def _is_of_literals(paragraph: nodes.paragraph) -> bool:
    literals = [child for child in paragraph.children if isinstance(child, nodes.literal)]
    others = [child.astext() for child in paragraph.children if not isinstance(child, nodes.literal)]
    return bool(literals) and not any(other.strip(_BETWEEN) for other in others)
