"""Struck-out text of reStructuredText: roles that strike their text out."""

from __future__ import annotations

from docutils import nodes

from saidonce.documents.parse.struck import NAMES, closed_up


def take_out_struck(tree: nodes.Element) -> int:
    """Take the text of striking roles out of a tree; return the number of passages."""
    struck = [node for node in tree.findall(nodes.inline) if not NAMES.isdisjoint(node.get("classes", ()))]
    for node in struck:
        above = node.parent
        at = above.index(node)
        around = [above[n] if 0 <= n < len(above) else None for n in (at - 1, at + 1)]
        if isinstance(around[0], nodes.Text) and isinstance(around[1], nodes.Text):
            before, after = closed_up(str(around[0]), str(around[1]))
            above[at - 1], above[at + 1] = nodes.Text(before), nodes.Text(after)
        del above[at]
    return len(struck)
