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
    **dict.fromkeys("top chapter unnumbered appendix chapheading majorheading centerchap part".split(), 1),
    **dict.fromkeys("section unnumberedsec appendixsec appendixsection heading".split(), 2),
    **dict.fromkeys("subsection unnumberedsubsec appendixsubsec subheading".split(), 3),
    **dict.fromkeys("subsubsection unnumberedsubsubsec appendixsubsubsec subsubheading".split(), 4),
}
_CODE = frozenset("example smallexample lisp smalllisp display smalldisplay format smallformat verbatim".split())
_LISTS = frozenset("itemize enumerate table ftable vtable".split())
_DROPPED = frozenset(
    "ignore tex iftex ifhtml html ifxml xml ifdocbook docbook ifplaintext menu detailmenu direntry"
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
    " ifnotplaintext ifnotxml ifnotdocbook ifcommanddefined ifcommandnotdefined smallbook afourlatex afourwide"
    " afivepaper bsixpaper pagesizes novalidate evenheading evenfooting oddheading oddfooting fonttextsize"
    " deftypefnnewline unmacro clickstyle".split()
)
_DEFINITION = re.compile(
    r"def(?:fn|vr|typefn|typevr|un|mac|spec|var|opt|op|method|cv|ivar|tp|typefun|typevar|typeop)(x?)$"
)
_BRACED = re.compile(r"@([a-zA-Z]+|[\"'`^~=,])\{([^{}@]*)\}")
_MACRO = re.compile(r"([\w-]+)[ \t]*(?:\{([^{}]*)\})?")
_MACROS = frozenset(("macro", "rmacro", "linemacro"))
_TYPED = frozenset("code option samp file command env kbd verb t sc url uref email".split())
"""Commands for what is typed or named letter by letter; dashes and quotation marks in it are signs."""

_HELD = {"-": "\ue003", "`": "\ue004", "'": "\ue005"}
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
_SEE = {"xref": "See ", "pxref": "see "}
MAX_ROUNDS = 40
"""Commands in commands that are read."""

MAX_MACROS = 8
"""Macros in macros that are read."""


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
        self._macros: dict[str, tuple[list[str], list[str]]] = {}
        self._depth = 0
        self._held: list[str] = []
        self._notes: list[str] = []
        self._open: list[tuple[str, int, bool]] = []
        self._items = HeldItems()
        self._closings = Closings((), _closed_by)
        self._commands: dict[str, Callable[[str], None]] = {
            "settitle": self._title, "title": self._title, "author": self._author, "set": self._set,
            "include": self._include, "item": self._item, "itemx": self._item_too, "headitem": self._item,
            "subtitle": self._line, "center": self._line, "exdent": self._line,
        }  # fmt: skip

    def read(self, lines: Sequence[str]) -> None:
        """Add all lines to the draft."""
        self._walk(lines)
        self._end()

    def _walk(self, lines: Sequence[str]) -> None:
        at, outer = 0, self._closings
        self._closings = Closings(lines, _closed_by)
        while at < len(lines):
            at = self._step(lines, at)
        self._closings = outer

    def _step(self, lines: Sequence[str], at: int) -> int:
        """Read the element that begins at a line; return the line after it."""
        line = re.sub(r"(?<!@)@(?:c|comment)\b.*", "", lines[at]).rstrip()
        match = _COMMAND.match(line)
        name, rest = (match.group(1), match.group(2)) if match else ("", line)
        if line.startswith("\\input") or (not line and lines[at].strip()):
            return at + 1
        if name in _DROPPED or name in _CODE or name in _MACROS or name == "multitable":
            return self._block(name, rest, lines, at)
        if name in _LISTS or (name == "end" and rest in _LISTS):
            self._end_paragraph()
            self._list(name, rest)
        elif name in _HEADINGS:
            self._end()
            self._draft.heading(self._plain(rest), _HEADINGS[name])
        elif name in self._macros:
            self._call(name, rest)
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

    def _list(self, name: str, rest: str) -> None:
        """Begin or end a list."""
        if name == "end":
            del self._open[-1:]
            self._end_items()
        else:
            self._open.append((name, 0, rest.strip().removeprefix("@") in _TYPED))

    def _block(self, name: str, rest: str, lines: Sequence[str], at: int) -> int:
        """Read a block up to its end; one without an end is text."""
        end = self._closings.after(at, name)
        if end is None:
            return at + 1
        inner = lines[at + 1 : end]
        if name in _CODE:
            self._end_paragraph()
            kept = [line for line in inner if not re.match(r"\s*@(?:c|comment|group|end group|\w?index)\b", line)]
            code = kept if name == "verbatim" else [self._plain_line(line) for line in kept]
            if not (self._open and self._items and self._items.hold_code(code)):
                self._end()
                self._draft.code("\n".join(code))
        elif name == "multitable":
            self._end()
            self._draft.table(self._rows(inner))
        elif name in _MACROS and (match := _MACRO.match(rest)):
            names = [one.strip() for one in (match.group(2) or "").split(",")]
            self._macros[match.group(1)] = ([one for one in names if one], list(inner))
        return end + 1

    def _expanded(self, name: str, argument: str) -> list[str]:
        """Return the lines that a macro of the file stands for, with its arguments in their places."""
        names, body = self._macros[name]
        values = [argument] if len(names) == 1 else argument.split(",")
        text = "\n".join(body)
        for one, value in zip(names, values, strict=False):
            text = text.replace(f"\\{one}\\", value.strip())
        self._draft.unfold(text)
        return text.split("\n")

    def _call(self, name: str, rest: str) -> None:
        """Read the lines of a macro that stands on a line of its own."""
        if self._depth < MAX_MACROS:
            self._depth += 1
            self._walk(self._expanded(name, rest))
            self._depth -= 1

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
        kind, number, is_typed = self._open[-1] if self._open else ("", 0, False)
        mark = ""
        if kind == "enumerate":
            self._open[-1] = (kind, number + 1, is_typed)
            mark = f"{counted(number + 1, 'decimal')}."
        self._items.add(max(len(self._open) - 1, 0), self._term(rest), mark)

    def _item_too(self, rest: str) -> None:
        if self._items:
            self._items.grow(self._term(rest), ", ")

    def _term(self, rest: str) -> str:
        """Return a term; where the table names a command for what is typed, its signs stay."""
        is_typed = bool(self._open) and self._open[-1][2]
        return self._plain(_held(rest) if is_typed else rest)

    def _plain(self, text: str) -> str:
        return " ".join(self._plain_line(text, is_prose=True).split())

    def _plain_line(self, text: str, *, is_prose: bool = False) -> str:
        """Return text without commands; notes are set aside. In prose dashes and quotation marks are as printed."""
        for sign, held in _ESCAPED.items():
            text = text.replace(sign, held)
        text = _ACCENT.sub(lambda match: unicodedata.normalize("NFC", match.group(2) + _ACCENTS[match.group(1)]), text)
        text = _SINGLE.sub(lambda match: match.group(1) if match.group(1) in ".!? " else "", text)
        for _ in range(MAX_ROUNDS):
            text, n_read = _BRACED.subn(self._braced, text)
            if not n_read:
                break
        if is_prose:
            text = re.sub(r"``|''", '"', text).replace("---", "—").replace("--", "–")
        for sign, held in {**_HELD, "@": "\ue000", "{": "\ue001", "}": "\ue002"}.items():
            text = text.replace(held, sign)
        return text

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
        if name in self._macros:
            return " ".join(self._expanded(name, inner))
        return _shown(name, inner, parts)

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


def _shown(name: str, inner: str, parts: Sequence[str]) -> str:
    """Return what a command shows of its text.

    Args:
        parts: the text, cut at commas.
    """
    if name in ("xref", "pxref", "ref", "inforef", "uref", "url", "href", "email"):
        shown = next((part for part in (*parts[2:3], *parts[1:2]) if part), parts[0])
        return f"{_SEE.get(name, '')}{_held(shown) if name in _TYPED else shown}"
    if name == "image":
        return "".join(parts[3:4])
    return "" if name == "anchor" else _SIGNS.get(name, _held(inner) if name in _TYPED else inner)


def _held(text: str) -> str:
    """Return text whose dashes and quotation marks stay as they are."""
    for sign, held in _HELD.items():
        text = text.replace(sign, held)
    return text


def _closed_by(line: str) -> str:
    match = re.match(r"\s*@end\s+(\w+)\s*$", line)
    return match.group(1) if match else ""
