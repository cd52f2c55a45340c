"""Parse Texinfo: chapters, lists, tables, examples and notes, by the commands of the language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from saidonce.documents.parse.closings import Closings
from saidonce.documents.parse.counting import counted
from saidonce.documents.parse.draft import DocumentDraft, printable, text_draft
from saidonce.documents.parse.held_items import HeldItems
from saidonce.documents.parse.source import NamedBytes

_COMMAND = re.compile(r"\s*@([a-zA-Z]+)(?![\w{])[ \t]*+(.*)")
_HEADINGS = {
    **dict.fromkeys("top chapter unnumbered appendix chapheading majorheading centerchap".split(), 1),
    **dict.fromkeys("section unnumberedsec appendixsec appendixsection heading".split(), 2),
    **dict.fromkeys("subsection unnumberedsubsec appendixsubsec subheading".split(), 3),
    **dict.fromkeys("subsubsection unnumberedsubsubsec appendixsubsubsec subsubheading".split(), 4),
}
_CODE = frozenset("example smallexample lisp smalllisp display smalldisplay format smallformat verbatim".split())
_LISTS = frozenset("itemize enumerate table ftable vtable".split())
_DROPPED = frozenset(
    "ignore tex iftex ifhtml html ifxml xml ifdocbook docbook ifplaintext menu detailmenu direntry macro rmacro"
    " documentdescription".split()
)
_SILENT = frozenset(
    "c comment node setfilename settitle set clear end page noindent indent sp need group bye contents"
    " shortcontents summarycontents dircategory finalout paragraphindent setchapternewpage documentencoding"
    " documentlanguage syncodeindex synindex defindex defcodeindex printindex cindex findex kindex pindex tindex"
    " vindex exampleindent headings everyheading everyfooting vskip raisesections lowersections"
    " firstparagraphindent afourpaper insertcopying listoffloats alias definfoenclose hyphenation footnotestyle"
    " kbdinputstyle microtype allowcodebreaks codequotebackslash codequoteundirected urefbreakstyle"
    " xrefautomaticsectiontitle anchor ifnottex ifinfo ifnothtml ifset ifclear iftrue float caption cartouche"
    " quotation copying titlepage flushleft flushright raggedright smallquotation indentedblock ifnotinfo"
    " ifnotplaintext ifnotxml ifnotdocbook ifcommanddefined ifcommandnotdefined".split()
)
_DEFINITION = re.compile(
    r"def(?:fn|vr|typefn|typevr|un|mac|spec|var|opt|op|method|cv|ivar|tp|typefun|typevar|typeop)(x?)$"
)
_BRACED = re.compile(r"@([a-zA-Z]+|[\"'`^~=,])\{([^{}@]*)\}")
_ESCAPED = {"@@": "\ue000", "@{": "\ue001", "@}": "\ue002"}
_SIGNS = {
    "dots": "...", "enddots": "....", "result": "⇒", "expansion": "→", "print": "⊣", "error": "error→",
    "equiv": "≡", "copyright": "©", "registeredsymbol": "®", "TeX": "TeX", "LaTeX": "LaTeX", "bullet": "•",
    "minus": "−", "pounds": "£", "euro": "€", "textdegree": "°", "ss": "ß", "o": "ø", "O": "Ø", "ae": "æ",
    "AE": "Æ", "aa": "å", "AA": "Å", "oe": "œ", "l": "ł", "L": "Ł", "tie": " ", "comma": ",", "point": "⋆",
    "atchar": "\ue000", "lbracechar": "\ue001", "rbracechar": "\ue002", "today": "", "quotedblleft": "“",
    "quotedblright": "”", "geq": "≥", "leq": "≤",
}  # fmt: skip
_ACCENTS = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304", ",": "\u0327"}
_ACCENT = re.compile(r"@([\"'`^~=])(\w)")
_SINGLE = re.compile(r"@([*:/.!?\-\s&])")
MAX_ROUNDS = 40
"""Commands in commands that are read."""


def read(source: NamedBytes) -> DocumentDraft:
    """Read a Texinfo file."""
    text, draft = text_draft(source)
    lines = printable(text).split("\n")
    _TexinfoWalk(draft).read(lines)
    return draft


class _TexinfoWalk:
    """A pass over the lines."""

    def __init__(self, draft: DocumentDraft) -> None:
        self._draft = draft
        self._values: dict[str, str] = {}
        self._held: list[str] = []
        self._notes: list[str] = []
        self._open: list[tuple[str, int]] = []
        self._items = HeldItems()
        self._closings = Closings((), _closed_by)
        self._commands: dict[str, Callable[[str], None]] = {
            "settitle": self._title, "title": self._title, "author": self._author, "set": self._set,
            "include": self._include, "item": self._item, "itemx": self._item_too, "headitem": self._item,
            "subtitle": self._line, "center": self._line, "exdent": self._line,
        }  # fmt: skip

    def read(self, lines: Sequence[str]) -> None:
        """Add all lines to the draft."""
        at = 0
        self._closings = Closings(lines, _closed_by)
        while at < len(lines):
            at = self._step(lines, at)
        self._end()

    def _step(self, lines: Sequence[str], at: int) -> int:
        """Read the element that begins at a line; return the line after it."""
        line = re.sub(r"(?<!@)@(?:c|comment)\b.*", "", lines[at]).rstrip()
        match = _COMMAND.match(line)
        name, rest = (match.group(1), match.group(2)) if match else ("", line)
        if line.startswith("\\input") or (not line and lines[at].strip()):
            return at + 1
        if name in _DROPPED or name in _CODE or name == "multitable":
            return self._block(name, lines, at)
        if name in _LISTS:
            self._end_paragraph()
            self._open.append((name, 0))
        elif name == "end" and rest in _LISTS:
            self._end_paragraph()
            del self._open[-1:]
            self._end_items()
        elif name in _HEADINGS:
            self._end()
            self._draft.heading(self._plain(rest), _HEADINGS[name])
        elif name in self._commands:
            self._commands[name](rest)
        elif definition := _DEFINITION.match(name):
            self._end()
            self._draft.paragraph(self._plain(rest) if not definition.group(1) else f"also: {self._plain(rest)}")
        elif not rest.strip() and not name:
            self._end_paragraph()
        elif name not in _SILENT:
            self._held.append(line.strip())
        return at + 1

    def _block(self, name: str, lines: Sequence[str], at: int) -> int:
        """Read a block up to its end; one without an end is text."""
        end = self._closings.after(at, name)
        if end is None:
            return at + 1
        inner = lines[at + 1 : end]
        if name in _CODE:
            self._end()
            kept = [line for line in inner if not re.match(r"\s*@(?:c|comment|group|end group|\w?index)\b", line)]
            self._draft.code("\n".join(kept if name == "verbatim" else map(self._plain_line, kept)))
        elif name == "multitable":
            self._end()
            self._draft.table(self._rows(inner))
        return end + 1

    def _rows(self, lines: Sequence[str]) -> list[list[str]]:
        rows: list[list[str]] = []
        for line in lines:
            if match := re.match(r"\s*@(?:head)?item\b(.*)", line):
                rows.append([match.group(1)])
            elif rows and not re.match(r"\s*@(?:c|comment)\b", line):
                rows[-1].append(line)
        return [[self._plain(cell) for cell in re.split(r"@tab\b", " ".join(row))] for row in rows]

    def _title(self, rest: str) -> None:
        self._draft.title = self._draft.title or self._plain(rest)

    def _author(self, rest: str) -> None:
        self._draft.author = self._draft.author or self._plain(rest)

    def _set(self, rest: str) -> None:
        name, _, value = rest.partition(" ")
        self._values[name] = value.strip()

    def _include(self, rest: str) -> None:
        self._draft.warn(f"content included from other files was left out, such as {rest[:80]!r}")

    def _line(self, rest: str) -> None:
        self._end_paragraph()
        self._draft.paragraph(self._plain(rest))

    def _item(self, rest: str) -> None:
        self._end_paragraph()
        kind, number = self._open[-1] if self._open else ("", 0)
        mark = ""
        if kind == "enumerate":
            self._open[-1] = (kind, number + 1)
            mark = f"{counted(number + 1, 'decimal')}."
        self._items.add(max(len(self._open) - 1, 0), self._plain(rest), mark)

    def _item_too(self, rest: str) -> None:
        if self._items:
            self._items.grow(self._plain(rest), ", ")

    def _plain(self, text: str) -> str:
        return " ".join(self._plain_line(text).split())

    def _plain_line(self, text: str) -> str:
        """Return text without commands; notes are set aside."""
        for sign, held in _ESCAPED.items():
            text = text.replace(sign, held)
        text = _ACCENT.sub(lambda match: unicodedata.normalize("NFC", match.group(2) + _ACCENTS[match.group(1)]), text)
        text = _SINGLE.sub(lambda match: match.group(1) if match.group(1) in ".!? " else "", text)
        for _ in range(MAX_ROUNDS):
            text, n_read = _BRACED.subn(self._braced, text)
            if not n_read:
                break
        text = re.sub(r"``|''", '"', text)
        return text.replace("\ue000", "@").replace("\ue001", "{").replace("\ue002", "}")

    def _braced(self, match: re.Match[str]) -> str:
        name, inner = match.groups()
        parts = [part.strip() for part in inner.split(",")]
        if name in _ACCENTS:
            return unicodedata.normalize("NFC", inner + _ACCENTS[name])
        if name == "footnote":
            self._notes.append(inner)
            return ""
        if name == "value":
            value = self._values.get(inner.strip(), inner)
            self._draft.unfold(value)
            return value
        if name in ("xref", "pxref", "ref", "inforef", "uref", "url", "href", "email"):
            shown = next((part for part in (*parts[2:3], *parts[1:2]) if part), parts[0])
            return f"{'see ' * (name in ('xref', 'pxref'))}{shown}"
        return "" if name in ("anchor", "w", "image", "cindex") and not inner else _SIGNS.get(name, inner)

    def _end_paragraph(self) -> None:
        text, self._held = self._plain(" ".join(self._held)), []
        if text and self._items and self._open:
            self._items.grow(text, "\n")
        else:
            self._end_items()
            self._draft.paragraph(text)
        notes, self._notes = self._notes, []
        if not self._open:
            for note in notes:
                self._draft.paragraph(note)
        else:
            self._notes = notes

    def _end_items(self) -> None:
        if not self._open:
            self._draft.listing(self._items.taken())

    def _end(self) -> None:
        self._end_paragraph()
        is_open, self._open = self._open, []
        self._end_items()
        for note in self._notes:
            self._draft.paragraph(note)
        self._notes, self._open = [], is_open


def _closed_by(line: str) -> str:
    match = re.match(r"\s*@end\s+(\w+)\s*$", line)
    return match.group(1) if match else ""
