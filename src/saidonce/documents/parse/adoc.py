"""Parse AsciiDoc, line by line: delimited blocks, lists, tables and titles by the rules of the language."""

from __future__ import annotations

import re
from collections.abc import Sequence

from saidonce.documents.parse.adoc_inline import COMPATIBLE, Attributes, plain, with_values
from saidonce.documents.parse.adoc_table import rows_of
from saidonce.documents.parse.closings import Closings
from saidonce.documents.parse.counting import counted
from saidonce.documents.parse.dates import from_any
from saidonce.documents.parse.draft import DocumentDraft, printable, text_draft
from saidonce.documents.parse.html import read_fragment
from saidonce.documents.parse.source import NamedBytes

_HEADING = re.compile(r"(={1,6})\s+(\S.*?)(?:(?<!\s)\s++\1)?$")
_ATTRIBUTE = re.compile(r":(!?[\w-]+!?):(?:\s+(.*))?$")
_DELIMITER = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--|```+\w*|[|,:!]={3,})$")
_BLOCK_LINE = re.compile(r"\[(?:\[[^\]]*\]|(?:[^\[\]\"]++|\"[^\"]*+\"|\")*+)\]$")
_TITLE = re.compile(r"\.([^\s.].*)$")
_BULLET = re.compile(r"\s*(\*{1,6}|-|\.{1,6}|<\d{1,3}>|<\.>|\d{1,4}\.|[a-zA-Z]\.)\s+(\S.*)$")
_TERM = re.compile(r"\s*+(.*?\S)[ \t]*(:{2,4}|;;)(?:\s+(.*))?$")
_DIRECTIVE = re.compile(r"(ifdef|ifndef|ifeval|endif|include)::([^\[]*+)\[(.*)\]$")
_MACRO = re.compile(r"(image|video|audio|toc)::([^\[]*+)\[(.*)\]$")
_ADMONITION = re.compile(r"(NOTE|TIP|IMPORTANT|WARNING|CAUTION):\s+(\S.*)$")
_AUTHOR = re.compile(r"([^<>:]{2,80}?)(?:\s+<([^>]+)>)?$")
_COMMENT = re.compile(r"//(?!/)")
_RULE = re.compile(r"'{3,}|<{3,}|-{3}|\*{3}")
_NAMED = re.compile(
    r"\[(?:[^\]]*[,\s])?(?:width|cols|options|opts|frame|grid|format|role|id|caption|start|subs|style|h?align|valign|stripes"
    r"|separator|float|indent)\s*=.*\]"
)
"""A line of attributes that can be no text, so that it ends the paragraph above it."""

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_VERBATIM = ("-", ".", "`")
_DEEPEST = 12
MOST_EMPTY = 8
_CONTINUES = " \\"
_UNDERLINES = "=-~^+"


def read(source: NamedBytes) -> DocumentDraft:
    """Read an AsciiDoc file."""
    text, draft = text_draft(source)
    _AdocWalk(draft).read(printable(text).split("\n"))
    return draft


class _AdocWalk:
    """A pass over the lines; a block that contains blocks is read by a nested pass with the same attributes."""

    def __init__(self, draft: DocumentDraft, attributes: Attributes | None = None, depth: int = 0) -> None:
        self._draft = draft
        self._attributes = attributes if attributes is not None else {}
        self._depth = depth
        self._style = ""
        self._held: list[str] = []
        self._items: list[tuple[int, str, str]] = []
        self._marks: list[str] = []
        self._numbers: list[int] = []
        self._joined = False
        self._awaits = False
        self._goes_on = ""
        self._closings = Closings((), _closed_by)

    def read(self, lines: Sequence[str]) -> None:
        """Add all lines to the draft."""
        self._closings = Closings(lines, _closed_by)
        at = self._head(lines) if self._depth == 0 else 0
        while at < len(lines):
            at = self._step(lines, at)
        self._end()

    def _head(self, lines: Sequence[str]) -> int:
        """Read the author and revision lines under a title; return the next line number."""
        at = 0
        while at < len(lines) and (not lines[at].strip() or lines[at].startswith(("//", ":"))):
            at = self._step(lines, at)
        if at >= len(lines) or not re.match(r"=\s+\S", lines[at]):
            return at
        at = self._step(lines, at)
        for _ in range(2):
            line = lines[at] if at < len(lines) else ""
            if not line.strip() or line.startswith((":", "//", "[")):
                return at
            if match := _DATE.search(line):
                self._draft.authored_at = from_any(match.group())
            elif not self._draft.author and (author := _AUTHOR.match(line.split(";")[0])):
                self._draft.author = author.group(1)
            at += 1
        return at

    def _step(self, lines: Sequence[str], at: int) -> int:
        """Read the element that begins at a line; return the line after it."""
        line = lines[at].rstrip()
        if self._goes_on:
            self._attributes[self._goes_on] += f" {self._plain(line.removesuffix(_CONTINUES).strip())}"
            self._goes_on = self._goes_on if line.endswith(_CONTINUES) else ""
            return at + 1
        if not line or (line == "+" and self._marks):
            if line or not (self._awaits and self._held and _is_text(lines, at)):
                self._end_paragraph()
                self._joined = bool(line) or self._joined
            return at + 1
        if self._underlines(line):
            return at + 1
        if _DELIMITER.match(line) and (end := self._closings.after(at, _mark(line))) is not None:
            self._block(line, lines[at + 1 : end])
            return end + 1
        is_indented = line[0] in " \t" and not _BULLET.match(line) and not _TERM.match(line)
        if not self._held and is_indented:
            return self._literal(lines, at)
        if not (self._silent(line) or self._outline(line)):
            self._text(line)
        return at + 1

    def _underlines(self, line: str) -> bool:
        """Read a two-line title; return whether the line underlines the one above it."""
        is_line = len(set(line)) == 1 and line[0] in _UNDERLINES and len(line) > 2
        if not is_line or len(self._held) != 1 or abs(len(line) - len(self._held[0])) > 1:
            return False
        if self._items and (not self._items[-1][1] or self._joined):
            return False
        title = self._held.pop()
        if not self._draft.elements and self._depth == 0:
            self._attributes.setdefault(COMPATIBLE, "")
        self._end_list()
        self._draft.heading(self._plain(title), _UNDERLINES.index(line[0]) + 1)
        return True

    def _silent(self, line: str) -> bool:
        """Read a line without output: comments, attributes, styles, conditions."""
        start = line.lstrip() if self._items and self._held else line
        if start.startswith("//") and not start.startswith("///"):
            return True
        if match := _ATTRIBUTE.match(line):
            self._attribute(match.group(1), match.group(2) or "")
            self._goes_on = match.group(1) if line.endswith(_CONTINUES) else ""
            return True
        if match := _DIRECTIVE.match(line):
            self._directive(match)
            return True
        if _BLOCK_LINE.match(line) and (not self._held or _NAMED.match(line)):
            if self._held:
                self._end_paragraph()
            inner = line[1:-1]
            self._style = self._style if inner.startswith("[") else inner
            return True
        return _RULE.fullmatch(line) is not None

    def _attribute(self, name: str, value: str) -> None:
        if self._held:
            self._end_paragraph()
        if name.startswith("!") or name.endswith("!"):
            self._attributes.pop(name.strip("!"), None)
            return
        self._attributes[name] = self._plain(value.removesuffix(" \\"))
        if name == "author":
            self._draft.author = self._attributes[name]
        elif name in ("revdate", "date"):
            self._draft.authored_at = from_any(value) or self._draft.authored_at
        elif name == "lang":
            self._draft.language = value

    def _directive(self, match: re.Match[str]) -> None:
        if match.group(1) == "include":
            self._draft.warn(f"content included from other files was left out, such as {match.group(2)[:80]!r}")
        elif match.group(1) != "endif" and match.group(3) and match.group(1) != "ifeval":
            self._text(match.group(3))

    def _outline(self, line: str) -> bool:
        """Read a heading, the title of a block, or a picture."""
        if not self._held and (match := _HEADING.match(line)) and self._depth == 0:
            self._end()
            self._draft.heading(self._plain(match.group(2)), len(match.group(1)))
            self._style = ""
            return True
        if match := _MACRO.match(line):
            self._end_paragraph()
            if match.group(1) == "image":
                self._end_attached()
                self._draft.caption(self._plain(_first_value(match.group(3))))
            return True
        if not self._held and (match := _TITLE.match(line)):
            self._end_attached()
            self._draft.caption(self._plain(match.group(1)))
            return True
        return False

    def _text(self, line: str) -> None:
        """Read a line of a paragraph, or the first line of a list item."""
        if not self._held or (self._items and not self._joined) or self._begins_next_item(line):
            if match := _BULLET.match(line):
                self._end_paragraph(keep=True)
                self._open_item(match.group(1), match.group(2))
                return
            if (match := _TERM.match(line)) and "://" not in match.group(1)[-8:]:
                self._end_paragraph(keep=True)
                self._open_item(match.group(2), f"{match.group(1)}:")
                if match.group(3):
                    self._held.append(match.group(3))
                self._awaits = not match.group(3)
                return
        self._awaits = False
        self._held.append(line.removesuffix(" +") + "\x01" if line.endswith(" +") else line)

    def _begins_next_item(self, line: str) -> bool:
        """Return whether a line ends a paragraph attached to an item, with the mark of an open list."""
        if not self._joined or not self._marks:
            return False
        bullet, term = _BULLET.match(line), _TERM.match(line)
        if bullet is not None and _kind_of(bullet.group(1)) in self._marks:
            return True
        return term is not None and term.group(2) in self._marks

    def _open_item(self, mark: str, text: str) -> None:
        kind = _kind_of(mark)
        if kind in self._marks:
            at = self._marks.index(kind)
            del self._marks[at + 1 :], self._numbers[at + 1 :]
            self._numbers[-1] += 1
        else:
            self._marks.append(kind)
            self._numbers.append(1)
        depth = len(self._marks) - 1
        shown = mark if mark[0] == "<" and mark != "<.>" else ""
        if mark[0] in ".0123456789" or mark == "<.>":
            shown = f"{self._numbers[-1]}."
        elif mark[0].isalpha():
            shown = f"{counted(self._numbers[-1], 'lowerLetter')}."
        self._items.append((depth, "", shown))
        self._held = [text]
        self._joined = self._awaits = False

    def _end_paragraph(self, keep: bool = False) -> None:
        """End a paragraph: of the open list item if it belongs to it, else of the text."""
        text = self._plain(" ".join(line.strip() for line in self._held)).replace("\x01 ", "\n").replace("\x01", "")
        had = bool(self._held)
        self._held = []
        if self._items and (had and (not self._items[-1][1] or self._joined)):
            depth, before, mark = self._items[-1]
            self._items[-1] = (depth, f"{before}\n{text}".strip(), mark)
            self._joined = False
            return
        if (had and not keep) or (had and not self._items):
            self._end_list(goes_on=self._joined)
            self._paragraph(text)

    def _paragraph(self, text: str) -> None:
        style, self._style = self._style.split(",")[0].strip().split("%")[0], ""
        match = _ADMONITION.match(text)
        if match:
            self._draft.paragraph(f"{match.group(1).capitalize()}: {match.group(2)}")
        elif style in ("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"):
            self._draft.paragraph(f"{style.capitalize()}: {text}")
        elif style in ("source", "listing", "literal"):
            self._draft.code(text)
        else:
            self._draft.paragraph(text)

    def _literal(self, lines: Sequence[str], at: int) -> int:
        """Read an indented paragraph, which is code."""
        end = at
        while end < len(lines) and lines[end].strip():
            end += 1
        self._end_attached()
        self._joined = False
        self._draft.code("\n".join(lines[at:end]))
        return end

    def _block(self, delimiter: str, inner: Sequence[str]) -> None:
        """Read the content between two delimiters."""
        self._end_paragraph()
        if delimiter[0] == "/":
            return
        style, joined = self._style, self._joined
        self._style, self._joined = "", False
        self._end_list(goes_on=joined)
        if delimiter[0] in _VERBATIM and delimiter != "--":
            code = "\n".join(inner)
            has_values = re.search(r"subs=\"?[+\w, -]*\b(?:attributes|normal)\b", style) is not None
            self._draft.code(with_values(code, self._attributes) if has_values else code)
        elif delimiter[-3:] == "===" and delimiter[0] in "|,:!":
            self._draft.table(
                rows_of([one for one in inner if not _COMMENT.match(one)], delimiter[0], style, self._plain)
            )
        elif delimiter[0] == "+":
            read_fragment("\n".join(inner), self._draft)
        elif style.split(",")[0].strip() in ("source", "listing", "literal", "verse", "stem", "latexmath"):
            self._draft.code("\n".join(inner))
        elif self._depth < _DEEPEST:
            word = style.split(",")[0].strip()
            n_before = len(self._draft.elements)
            _AdocWalk(self._draft, self._attributes, self._depth + 1).read(inner)
            if word in ("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"):
                self._draft.lead(n_before, f"{word.capitalize()}: ")
        else:
            self._draft.code("\n".join(inner))

    def _end_list(self, goes_on: bool = False) -> None:
        """Add the open list; a list that continues after a block keeps its numbering."""
        items, self._items = self._items, []
        self._joined = False
        if not goes_on:
            self._marks, self._numbers = [], []
        self._draft.listing([item for item in items if item[1]])

    def _end_attached(self) -> None:
        """End a paragraph before a block with a title, or a picture; one that is attached leaves its list open."""
        joined = self._joined
        self._end_paragraph()
        self._end_list(goes_on=joined)
        self._joined = joined

    def _end(self) -> None:
        self._end_paragraph()
        self._end_list()

    def _plain(self, text: str) -> str:
        return self._draft.without_struck(plain(text, self._attributes))


def _kind_of(mark: str) -> str:
    """Return the kind of list to which a mark belongs."""
    return "<1>" if mark[0] == "<" else "1." if mark[0].isdigit() else "a." if mark[0].isalpha() else mark


def _closed_by(line: str) -> str:
    """Return the mark of the blocks that a line closes; fences are opened with a language and closed without."""
    mark = line.rstrip()
    return mark if _DELIMITER.match(mark) else ""


def _mark(opening: str) -> str:
    return "```" if opening.startswith("```") else opening


def _is_text(lines: Sequence[str], at: int) -> bool:
    """Return whether text follows empty lines; text after a term and empty lines describes the term."""
    line = next((one.rstrip() for one in lines[at : at + MOST_EMPTY] if one.strip()), "+")
    forms = (_HEADING, _TITLE, _BLOCK_LINE, _ATTRIBUTE, _DIRECTIVE, _MACRO, _DELIMITER, _COMMENT, _RULE)
    return line != "+" and not any(form.match(line) for form in forms)


def _first_value(attributes: str) -> str:
    text = attributes.strip()
    if text.startswith('"'):
        return text[1:].split('"')[0]
    first = text.split(",")[0]
    return "" if "=" in first else first
