"""Rewrite MDX into Markdown: components by what they show, without imports and remarks.

Boxes and tabs become those of Markdown's dialects, the titles of cards paragraphs, and lists of properties lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from textwrap import dedent, indent

from saidonce.documents.parse.jsx_values import Value, attributes, items, tag_end
from saidonce.documents.parse.markdown_forms import FENCE, Fences

_TICKED = re.compile(r"(?<!`)(`++)[^`\n]++\1(?!`)")
_LAYOUT = "div section aside article main figure center details"
_TAG = re.compile(rf"<(/?)([A-Z][\w.]*|(?:{'|'.join(_LAYOUT.split())})(?![\w-]))(?=[\s/>])")
_IMPORT = re.compile(
    r"^import\b[^'\"\n;({]{0,300}+(?:\{[^{}'\";]{0,2000}+\})?[^'\"\n;({]{0,300}+"
    r"['\"][^'\"\n]{1,300}+['\"][ \t]*+;?[ \t]*+$",
    re.M,
)
_EXPORT = re.compile(r"^export (?:const|let|default|function|async)\b(?:[^\n]|\n(?!\n))*", re.M)
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")

_BOXES = frozenset("note tip warning info caution danger callout admonition alert important error success hint".split())
_BARE_BOXES = frozenset(("callout", "admonition", "alert"))
"""Boxes that are named by their type; a note without one."""

_TABS = frozenset("tabs tabgroup codetabs codegroup".split())
_TAB = frozenset("tab tabitem tabpanel".split())
_CODE = frozenset("snippet code codeblock command".split())
_TITLES = ("label", "title", "name", "value")
_SHOWN = ("title", "label", "heading", "question", "summary", "description", "caption", "text", "alt", "initialInput")

MOST_BROKEN = 20
"""Tags without an end after which the rest of a file is read as it stands."""

MOST_OPEN = 100
"""Components inside each other that are followed to their end."""

DEEPEST = 20


@dataclass(frozen=True, slots=True)
class _Component:
    """A component: where it stands, and where its content begins and ends."""

    name: str
    start: int
    content: int
    close: int
    end: int

    def tag(self, text: str) -> str:
        """Return what stands in its tag behind the name."""
        return text[self.start + 1 + len(self.name) : self.content - 1].removesuffix("/")


def rewritten(text: str) -> str:
    """Return MDX as Markdown; what is no component, import or remark stays as it is."""
    masked = _masked(text)
    hidden = [*(m.span() for form in (_IMPORT, _EXPORT) for m in form.finditer(masked)), *_remarks(masked)]
    shown: list[str] = []
    at = 0
    for start, end in sorted(hidden):
        shown.append(text[at:start])
        at = max(at, end)
    text = "".join((*shown, text[at:]))
    return _rendered(text, [], 0)


def _remarks(text: str) -> Iterator[tuple[int, int]]:
    """Yield where remarks begin and end."""
    at = text.find("{/*")
    while at >= 0 and (end := text.find("*/}", at)) >= 0:
        yield at, end + 3
        at = text.find("{/*", end)


def _masked(text: str) -> str:
    """Return a text of the same length with blanks for its code."""
    lines = text.split("\n")
    fences = Fences(lines)
    at = 0
    while at < len(lines):
        if fence := FENCE.match(lines[at]):
            end = fences.closing(at, fence.group(1))
            after = len(lines) if end is None else end + 1
            lines[at:after] = [" " * len(line) for line in lines[at:after]]
            at = after
        else:
            at += 1
    return _TICKED.sub(lambda m: " " * len(m[0]), "\n".join(lines))


def _rendered(text: str, titles: list[str], depth: int) -> str:
    """Return a text with its components as Markdown.

    Args:
        titles: of the tabs in it that say none themselves, in order; those used are taken out.
    """
    if depth > DEEPEST or "<" not in text:
        return text
    parts: list[str] = []
    at = 0
    for component in _components(text):
        margin = _margin(text, component.start)
        if component.start < at or margin is None or not _stands_alone(text, component):
            continue
        parts += [text[at : component.start - len(margin)], _block(_shown(text, component, titles, depth), margin)]
        at = component.end
    return "".join((*parts, text[at:]))


def _components(text: str) -> list[_Component]:
    """Return the components that are closed, by where they begin."""
    components: list[_Component] = []
    opened: list[tuple[str, int, int]] = []
    broken = 0
    for match in _TAG.finditer(_masked(text)):
        end = tag_end(text, match.start()) if broken < MOST_BROKEN else None
        if end is None:
            broken += 1
        elif match[1]:
            at = next((n for n in range(len(opened) - 1, -1, -1) if opened[n][0] == match[2]), None)
            if at is not None:
                name, start, content = opened[at]
                del opened[at:]
                components.append(_Component(name, start, content, match.start(), end))
        elif text[end - 2] == "/":
            components.append(_Component(match[2], match.start(), end, end, end))
        elif len(opened) < MOST_OPEN:
            opened.append((match[2], match.start(), end))
    return sorted(components, key=lambda c: c.start)


def _margin(text: str, start: int) -> str | None:
    """Return the space before a tag that begins its line; None if something else stands before it."""
    margin = text[text.rfind("\n", 0, start) + 1 : start]
    return margin if not margin.strip() else None


def _stands_alone(text: str, component: _Component) -> bool:
    """Return whether a component is no part of a sentence: nothing follows it on its last line."""
    line_end = text.find("\n", component.end)
    return not text[component.end : line_end if line_end >= 0 else len(text)].strip()


def _block(lines: str, margin: str) -> str:
    return f"\n\n{indent(lines, margin)}\n\n"


def _shown(text: str, component: _Component, titles: list[str], depth: int) -> str:
    """Return a component as Markdown."""
    fields = attributes(component.tag(text))
    kind = component.name.rpartition(".")[2].casefold()
    inner = text[component.content : component.close]
    content = dedent(inner.removeprefix("\n") if not inner.partition("\n")[0].strip() else inner)
    listed = fields.get("items")
    named = [title for title in listed if isinstance(title, str)] if isinstance(listed, list) else []
    body = _rendered(content, named if kind in _TABS else titles, depth + 1).strip("\n")
    if kind in _BOXES:
        return _boxed(f"!!! {_label(kind, fields)}", _text(fields, ("title",)), body)
    if kind in _TAB:
        title = _text(fields, _TITLES) or (titles.pop(0) if titles else "")
        return _boxed("===", title, body) if title else body
    shown = [*_own(kind, fields), body] if body else [*_own(kind, fields)]
    return "\n\n".join(shown or _unknown(fields)).strip("\n")


def _label(kind: str, fields: Mapping[str, Value]) -> str:
    written = next((str(fields[key]) for key in ("type", "kind", "variant", "intent") if key in fields), "")
    if written.casefold() in _BOXES - _BARE_BOXES:
        return written.casefold()
    return "note" if kind in _BARE_BOXES else kind


def _boxed(mark: str, title: str, body: str) -> str:
    quoted = f' "{title.replace(chr(34), chr(39))}"' if title else ""
    return f"{mark}{quoted}\n{indent(body, '    ')}"


def _own(kind: str, fields: Mapping[str, Value]) -> Iterator[str]:
    """Yield what a component shows of its attributes."""
    if kind in _CODE and (code := _text(fields, ("text", "code", "children"), whole=True)):
        yield f"~~~\n{code}\n~~~"
        return
    if isinstance(fields.get("type"), str) and _text(fields, ("name", "path", "query", "body", "header")):
        yield from (_escaped(shown) for _, shown in items({**_with_name(fields)}))
        return
    yield from (_escaped(shown) for key in _SHOWN if (shown := _text(fields, (key,))))
    for key, value in fields.items():
        if isinstance(value, list) and not (key == "items" and kind in _TABS):
            yield "\n".join(f"{'  ' * depth}- {_escaped(shown)}" for depth, shown in items(value))


def _unknown(fields: Mapping[str, Value]) -> list[str]:
    """Return the texts among the attributes of a component that shows nothing known."""
    return [_escaped(shown) for _, shown in items({k: v for k, v in fields.items() if isinstance(v, str)})]


def _with_name(fields: Mapping[str, Value]) -> dict[str, Value]:
    """Return the fields of a parameter with its name under "name", wherever it is passed."""
    where = next(key for key in ("name", "path", "query", "body", "header") if isinstance(fields.get(key), str))
    return {"name": fields[where], **{key: value for key, value in fields.items() if key != where}}


def _text(fields: Mapping[str, Value], keys: tuple[str, ...], whole: bool = False) -> str:
    """Return the first of some fields that is a text, on one line unless it is wanted whole."""
    values = (fields.get(key) for key in keys)
    text = next((value for value in values if isinstance(value, str) and value.strip()), "")
    return text.strip("\n") if whole else " ".join(text.split())


def _escaped(text: str) -> str:
    return _PUNCTUATION.sub(r"\\\1", text)
