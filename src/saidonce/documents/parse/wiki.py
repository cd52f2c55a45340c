"""Parse the markup of MediaWiki: headings, lists, tables, links, notes and the fields of templates."""

from __future__ import annotations

import re
from collections.abc import Sequence

from saidonce.documents.parse.draft import DocumentDraft, ListItem, printable, text_draft
from saidonce.documents.parse.html import text_within
from saidonce.documents.parse.plain import read_text
from saidonce.documents.parse.source import NamedBytes
from saidonce.documents.parse.struck import MARK

_IS_MEDIAWIKI = re.compile(r"^={1,6}[^=\n].*={1,6}[ \t]*$|^\{\||'''|\[\[[^\[\]\n]+\]\]|\{\{[^}\n]+", re.M)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_NOWIKI = re.compile(r"<nowiki>((?:(?!<nowiki>).)*?)</nowiki>", re.S | re.I)
_CODE = re.compile(r"<(pre|source|syntaxhighlight)\b[^<>]*>((?:(?!<\1\b).)*?)</\1>", re.S | re.I)
_NOTE = re.compile(r"<ref\b[^<>]*(?<!/)>((?:(?!<ref\b).)*?)</ref>|<ref\b[^<>]*/>", re.S | re.I)
_STRUCK = re.compile(r"<(s|del|strike)\b[^<>]*(?<!/)>(?:(?!<\1\b).)*?</\1\s*>", re.S | re.I)
_ITEM = re.compile(r"([*#:;]+)\s*(.*)$")
_FILE = re.compile(
    r"\[\[(?:file|image|datei|bild|fichier|archivo|category|kategorie|catégorie|categoría):[^\[\]]*\]\]", re.I
)
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_ANY_LINK = re.compile(r"\[\[[^\[\]]*\]\]")
_ADDRESS = re.compile(
    r"\[(?:https?:|ftp:|mailto:)?//[^\s\[\]]++(?:\s++((?:(?!\[(?:https?:|ftp:|mailto:)?//)[^\]])*))?\]"
)
_TEMPLATE = re.compile(r"\{\{([^{}]*)\}\}")
_QUOTES = re.compile(r"'{2,5}")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,500}>")
_SWITCH = re.compile(r"__[A-Z]{3,}__")
MAX_HEADING_LEVEL = 6
MAX_TEMPLATES = 20
"""Rounds in which templates in templates are read."""


def read(source: NamedBytes) -> DocumentDraft:
    """Read a page of a wiki; one without any mark of MediaWiki is read as plain text."""
    text, draft = text_draft(source)
    text = re.sub("[\ue000-\ue003]", "", printable(text))
    if _IS_MEDIAWIKI.search(text):
        draft.title = source.stem.replace("_", " ")
        _WikiWalk(draft).read(text)
    else:
        read_text(text, draft)
    return draft


class _WikiWalk:
    """A pass over the lines; code and text that is kept as it is are set aside before."""

    def __init__(self, draft: DocumentDraft) -> None:
        self._draft = draft
        self._aside: list[str] = []
        self._codes: set[int] = set()
        self._held: list[str] = []
        self._items: list[tuple[str, str]] = []
        self._numbers: dict[str, int] = {}

    def read(self, text: str) -> None:
        """Add a page to the draft."""
        text = _COMMENT.sub("", text)
        text = _CODE.sub(lambda match: f"\n{self._keep(match.group(2), is_code=True)}\n", text)
        text = _NOWIKI.sub(lambda match: self._keep(match.group(1)), text)
        text = _STRUCK.sub(MARK, text)
        notes: list[str] = []
        text = _NOTE.sub(lambda match: self._note(match.group(1) or "", notes), text)
        lines = self._without_templates(text).split("\n")
        at = 0
        while at < len(lines):
            at = self._step(lines, at)
        self._end()
        for number, note in enumerate(notes, 1):
            self._draft.paragraph(f"[{number}] {self._plain(note)}")

    def _keep(self, text: str, *, is_code: bool = False) -> str:
        self._aside.append(text)
        if is_code:
            self._codes.add(len(self._aside) - 1)
        return f"\ue000{len(self._aside) - 1}\ue001"

    def _note(self, text: str, notes: list[str]) -> str:
        if not text.strip():
            return ""
        notes.append(shown(text, self._draft))
        return f"[{len(notes)}]"

    def _without_templates(self, text: str) -> str:
        """Return a page whose templates are their fields, "name: value" a line; a name alone is left out."""

        def fields(match: re.Match[str]) -> str:
            _, *parts = match.group(1).replace("\n", " ").split("|")
            named = [part.strip().replace("=", ": ", 1) for part in parts if part.split("=", 1)[-1].strip()]
            is_many = "\n" in match.group(1) or sum("=" in part for part in parts) > 1
            return (
                ("\n\n" + "\n".join(f"\ue002{one}" for one in named) + "\n\n")
                if is_many and named
                else ", ".join(named)
            )

        text = _ANY_LINK.sub(lambda match: match.group().replace("|", "\ue003"), text)
        for _ in range(MAX_TEMPLATES):
            text, n_read = _TEMPLATE.subn(fields, text)
            if not n_read:
                break
        return text.replace("\ue003", "|")

    def _step(self, lines: Sequence[str], at: int) -> int:
        line = lines[at].rstrip()
        if line.lstrip(" :").startswith("{|"):
            self._end()
            return self._table(lines, at)
        if code := re.fullmatch(r"\s*\ue000(\d+)\ue001\s*", line):
            self._end()
            number = int(code.group(1))
            add = self._draft.code if number in self._codes else self._draft.paragraph
            add(self._aside[number])
        elif level := _heading_level(line):
            self._end()
            self._draft.heading(self._plain(line[level:-level]), level)
        elif line.startswith("\ue002"):
            end = next((n for n in range(at, len(lines)) if not lines[n].startswith("\ue002")), len(lines))
            self._end()
            self._draft.record(self._plain(one[1:]) for one in lines[at:end])
            return end
        elif match := _ITEM.match(line):
            self._end_paragraph()
            self._items.append((match.group(1), self._plain(match.group(2))))
        elif not line.strip() or set(line.strip()) == {"-"}:
            self._end()
        else:
            self._end_items()
            self._held.append(line.strip())
        return at + 1

    def _table(self, lines: Sequence[str], at: int) -> int:
        """Read a table up to its end, or up to the end of the page."""
        rows: list[list[list[str]]] = [[]]
        at, depth = at + 1, 1
        while at < len(lines) and depth:
            line = lines[at].strip()
            depth += line.startswith("{|") - line.startswith("|}")
            if line.startswith("|+"):
                self._draft.caption(self._plain(_without_style(line[2:])))
            elif line.startswith("|-"):
                rows.append([])
            elif line[:1] in ("|", "!") and not line.startswith("|}"):
                cells = re.split(r"\|\||!!" if line[0] == "!" else r"\|\|", line[1:])
                rows[-1] += [[self._plain(_without_style(cell))] for cell in cells]
            elif line and rows[-1] and not line.startswith(("{|", "|}")):
                rows[-1][-1].append(self._plain(line))
            at += 1
        self._draft.table([[" ".join(parts) for parts in row] for row in rows])
        return at

    def _plain(self, text: str) -> str:
        text = self._draft.without_struck(shown(text, self._draft))
        return re.sub(r"\ue000(\d+)\ue001", lambda match: self._aside[int(match.group(1))], text)

    def _end_paragraph(self) -> None:
        text, self._held = " ".join(self._held), []
        self._draft.paragraph(self._plain(text))

    def _end_items(self) -> None:
        numbers: dict[int, int] = {}
        items: list[ListItem] = []
        for marks, text in self._items:
            depth = len(marks) - 1
            numbers = {at: number for at, number in numbers.items() if at <= depth}
            numbers[depth] = numbers.get(depth, 0) + 1 if marks[-1] == "#" else 0
            items.append((depth, text, f"{numbers[depth]}." if marks[-1] == "#" else ""))
        self._items = []
        self._draft.listing(items)

    def _end(self) -> None:
        self._end_paragraph()
        self._end_items()


def _heading_level(line: str) -> int:
    """Return the level of a heading, the number of equal signs on both of its sides; 0 if a line is none."""
    before, behind = (len(line) - len(rest) for rest in (line.lstrip("="), line.rstrip("=")))
    return min(before, behind, len(line) // 2, MAX_HEADING_LEVEL)


def _without_style(cell: str) -> str:
    """Return a cell without its attributes, which an upright line ends."""
    style, line, rest = cell.partition("|")
    return rest if line and "=" in style and not re.search(r"[\[{]", style) and rest[:1] != "|" else cell


def shown(text: str, draft: DocumentDraft) -> str:
    """Return text without the marks of links, emphasis and tags."""
    text = _FILE.sub("", text)
    text = _LINK.sub(r"\1", text)
    text = _ADDRESS.sub(lambda match: match.group(1) or "", text)
    text = _SWITCH.sub("", _QUOTES.sub("", text))
    if not _TAG.search(text) and "&" not in text:
        return text.strip()
    return text_within(text, draft)
