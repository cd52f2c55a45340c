"""Struck-out text of Markdown: between "~~", and between the tags of HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from markdown_it.token import Token

from saidonce.documents.parse.html_struck import is_opening
from saidonce.documents.parse.struck import closed_up

_OPENING = re.compile(r"<([a-zA-Z]+)(\s[^<>]*)?>\s*")
_NESTS = {"blockquote_open": 1, "list_item_open": 1, "blockquote_close": -1, "list_item_close": -1}


def without_struck(tokens: Sequence[Token]) -> tuple[list[Token], int]:
    """Return tokens without those that are struck out, and the number of passages left out."""
    kept: list[Token] = []
    at = n_passages = 0
    while at < len(tokens):
        end = _end_of_block(tokens, at)
        if end > at:
            n_passages += 1
            at = end + 1
            continue
        n_passages += _take_out(tokens[at])
        kept.append(tokens[at])
        at += 1
    return kept, n_passages


def _end_of_block(tokens: Sequence[Token], at: int) -> int:
    """Return the tag of HTML that ends the struck blocks that begin at a token; -1 if none begin there."""
    opening = _OPENING.fullmatch(tokens[at].content) if tokens[at].type == "html_block" else None
    if opening is None or not is_opening(opening.group(1).casefold(), opening.group(2) or ""):
        return -1
    depth, closing = 0, f"</{opening.group(1)}>".casefold()
    for n in range(at + 1, len(tokens)):
        depth += _NESTS.get(tokens[n].type, 0)
        if depth < 0:
            return -1
        if depth == 0 and tokens[n].type == "html_block" and tokens[n].content.strip().casefold() == closing:
            return n
    return -1


def _take_out(token: Token) -> int:
    """Take struck-out passages out of an inline token; return their number."""
    children = token.children or []
    kept: list[Token] = []
    at = n_passages = 0
    is_gap = False
    while at < len(children):
        end = _end_of_passage(children, at)
        if end > at:
            n_passages += 1
            is_gap = True
            at = end + 1
            continue
        if is_gap and kept and kept[-1].type == children[at].type == "text":
            kept[-1].content, children[at].content = closed_up(kept[-1].content, children[at].content)
        is_gap = False
        kept.append(children[at])
        at += 1
    if n_passages:
        token.children = kept
    return n_passages


def _end_of_passage(children: Sequence[Token], at: int) -> int:
    """Return the mark that ends the struck-out passage beginning at a token; -1 if none begins or ends there."""
    token = children[at]
    if token.type == "s_open":
        return _closing(children, at, lambda one: (one.type == "s_open") - (one.type == "s_close"))
    tag = _OPENING.fullmatch(token.content) if token.type == "html_inline" else None
    if tag is None or not is_opening(tag.group(1).casefold(), tag.group(2) or ""):
        return -1
    name = tag.group(1).casefold()
    return _closing(children, at, lambda one: _step(one, name))


def _step(token: Token, name: str) -> int:
    """Return 1 for an opening tag of an element, -1 for a closing one, else 0."""
    tag = token.content.casefold() if token.type == "html_inline" else ""
    return bool(re.match(rf"<{name}[\s>]", tag)) - tag.startswith(f"</{name}")


def _closing(children: Sequence[Token], at: int, step: Callable[[Token], int]) -> int:
    depth = 0
    for n in range(at, len(children)):
        depth += step(children[n])
        if depth == 0:
            return n
    return -1
