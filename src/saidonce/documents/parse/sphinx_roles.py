"""Roles of Sphinx inside a sentence: what their reader sees of :func:`~pump.start` or {doc}`title <page>`."""

from __future__ import annotations

import re

_TITLED = re.compile(r"(.*?)(?<!\s)\s*+<([^<>]++)>", re.S)
"""A title before its target."""

_OBJECT = re.compile(r"(\S(?:.*\S)?)\s+<[!~]?[A-Za-z_]\w*(?:\.\w+)+(?:\(\))?>", re.S)
"""A title before the dotted name of an object; an address or a type in angle brackets is text."""

_SHORTENED = re.compile(r"~[A-Za-z_]\w*(?:\.\w+)+(?:\(\))?")

_REFERENCES = frozenset(
    (
        "any doc ref numref eq term func meth class mod attr exc obj data const var type macro struct enum union member"
        " option envvar confval keyword token download cite footcite index sub-ref"
    ).split()
)
"""Roles that lead elsewhere; a title may stand before their target."""

_MARKS = frozenset(
    (
        "abbr command dfn file guilabel kbd mailheader makevar manpage menuselection mimetype newsgroup program regexp"
        " samp math code sub sup subscript superscript emphasis strong literal"
    ).split()
)
"""Roles that say what their text is, and show all of it."""

_DOMAINS = re.compile(r"(?:py|c|cpp|js|rst|std|math|cite|external(?:\+\w+)?):[a-z:]+")
_STANDARDS = {"pep": "PEP", "rfc": "RFC"}


def is_known(name: str) -> bool:
    """Return whether a name is one of Sphinx's roles, by itself or in one of its domains."""
    return name in _REFERENCES or name in _MARKS or name in _STANDARDS or _DOMAINS.fullmatch(name) is not None


def shown(name: str, text: str) -> str:
    """Return what a role shows of its text: all of it, or the title before its target."""
    if name in ("sup", "superscript"):
        return f"^{text}"
    if name in _STANDARDS:
        return f"{_STANDARDS[name]} {text}"
    return text if name in _MARKS else _title(text)


def shown_by_default(text: str) -> str:
    """Return what is shown of a text in single backticks: a title before an object, or the object by its last name."""
    if titled := _OBJECT.fullmatch(text):
        return titled.group(1)
    return text.rpartition(".")[2] if _SHORTENED.fullmatch(text) else text


def title_before_target(text: str) -> str:
    """Return the title in "title <target>"; empty without one."""
    titled = _TITLED.fullmatch(text)
    return titled.group(1) if titled else ""


def _title(text: str) -> str:
    title = title_before_target(text) or text.removeprefix("!")
    return title[1:].rpartition(".")[2] if title.startswith("~") else title
