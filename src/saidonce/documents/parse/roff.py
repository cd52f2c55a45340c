"""Parse manual pages, in the macros man and mdoc: sections, options as lists, examples as code."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from saidonce.documents.parse.dates import from_any
from saidonce.documents.parse.draft import DocumentDraft, one_line, printable, text_draft
from saidonce.documents.parse.held_items import HeldItems
from saidonce.documents.parse.roff_mdoc import INLINE, inline
from saidonce.documents.parse.roff_text import arguments, flattened, request, written
from saidonce.documents.parse.source import NamedBytes

_ALTERNATING = frozenset("BR BI IR IB RB RI".split())
_FONTS = frozenset("B I SM SB R".split())
_BREAKS = frozenset("PP P LP HP Pp Lp sp Sp bP".split())
_VERBATIM = {"nf": "fi", "EX": "EE", "Vb": "Ve", "Bd": "Ed", "PS": "PE"}
_SILENT = frozenset(
    "TH Dd Dt Os IX PD ft ad na nh hy in ti ne ns rs ta tr nr ds rm rr hw ps vs ll pl fam als so it ss UE ME AT UC DA"
    " RS RE Bk Ek HP bp nop cflags ec eo lf mso tm ab pc pn po rn warn do ev evc ce fi EE Ve Ed PE TE El".split()
)
_NUMBERS = re.compile(r"[\d.\s+-]+")
_TABLE_FORMAT = re.compile(r"[^.]*\.\s*$")
MAX_NAME = 200
"""Longest name of a program that a request without a name stands for."""


def read(source: NamedBytes) -> DocumentDraft:
    """Read a manual page."""
    text, draft = text_draft(source)
    _RoffWalk(draft).read(flattened(printable(text).split("\n")))
    return draft


class _RoffWalk:
    """A pass over the lines of a page, its conditions decided and its macros' definitions taken out."""

    def __init__(self, draft: DocumentDraft) -> None:
        self._draft = draft
        self._strings: dict[str, str] = {}
        self._line: list[str] = []
        self._items = HeldItems()
        self._lists: list[tuple[str, int]] = []
        self._work: list[str] = []
        self._name = ""
        self._awaits = ""
        self._is_open = False
        self._is_tight = False
        self._requests: dict[str, Callable[[list[str]], None]] = {
            "TH": self._head, "Dt": self._head, "Dd": self._date, "TP": self._tagged, "TQ": self._tagged,
            "IP": self._item, "It": self._item_of_list, "Bl": self._begin_list, "El": self._end_list,
            "ds": self._define, "br": self._break, "UR": self._address, "MT": self._address, "Lk": self._address,
            "URL": self._address, "Sm": self._space, "Xc": self._end_tag,
            "Nm": self._named, "D1": self._example, "Dl": self._example, "RE": self._left, "An": self._writer,
            "Rs": self._begin_work, "Re": self._end_work,
        }  # fmt: skip

    def read(self, lines: Sequence[str]) -> None:
        """Add all lines to the draft."""
        at = 0
        while at < len(lines):
            name, rest = request(lines[at])
            if name in ("SH", "SS", "Sh", "Ss"):
                at = self._heading(name, rest, lines, at)
            elif name == "TS":
                at = self._table(lines, at)
            elif name in _VERBATIM and (name != "Bd" or re.search(r"-(?:literal|unfilled)", rest)):
                at = self._code(name, lines, at)
            else:
                self._one(name, rest)
                at += 1
        self._flush()

    def _one(self, name: str, rest: str) -> None:
        if not name:
            self._text(rest)
        elif name in self._requests:
            self._requests[name](arguments(rest))
        elif name in _BREAKS:
            self._paragraph(ends_list=name not in ("sp", "Sp"))
        elif name in _ALTERNATING:
            self._say("".join(self._plain(one) for one in arguments(rest)))
        elif name in _FONTS or name == "OP":
            words = " ".join(self._plain(one) for one in arguments(rest))
            self._say(f"[{words}]" if name == "OP" else words)
        elif name[0] == "%":
            self._work.append(inline(name, arguments(rest), self._plain, self._name))
        elif name in INLINE or (name not in _SILENT and name[0] != "\\" and not _NUMBERS.fullmatch(rest)):
            self._say(inline(name, arguments(rest), self._plain, self._name))

    def _plain(self, text: str) -> str:
        return written(text, self._value)

    def _value(self, name: str) -> str | None:
        value = self._strings.get(name)
        self._draft.unfold(value or "")
        return value

    def _text(self, line: str) -> None:
        if not line.strip():
            self._paragraph(ends_list=False)
        elif shown := self._plain(line):
            self._say(shown)

    def _say(self, text: str) -> None:
        """Add text to the open line; the line after a tag's request is the tag."""
        if not text.strip():
            return
        if self._awaits:
            self._awaits = ""
            self._open_item(text)
            return
        self._line.append("\x00" + text.replace(" ", "") if self._is_tight else text.strip())

    def _take_line(self) -> str:
        """Return the open text and begin a new one; what is tight has no space before it."""
        line, self._line = " ".join(self._line), []
        return line.replace(" \x00", "").replace("\x00", "")

    def _heading(self, name: str, rest: str, lines: Sequence[str], at: int) -> int:
        self._flush()
        title = " ".join(arguments(rest))
        if not title and at + 1 < len(lines):
            at += 1
            following = request(lines[at])
            title = " ".join(arguments(following[1])) if following[0] else lines[at]
        self._draft.heading(self._plain(title), 1 if name in ("SH", "Sh") else 2)
        return at + 1

    def _head(self, parts: list[str]) -> None:
        """Read the title line: name, section and date."""
        if len(parts) >= 2:
            self._draft.title = f"{self._plain(parts[0]).casefold()}({self._plain(parts[1])})"
        if len(parts) >= 3:
            self._date(parts[2:3])

    def _date(self, parts: list[str]) -> None:
        text = self._plain(" ".join(parts)).replace("$Mdocdate:", "").strip(" $")
        self._draft.authored_at = from_any(text) or self._draft.authored_at

    def _define(self, parts: list[str]) -> None:
        if parts:
            self._strings[parts[0]] = " ".join(parts[1:]).removeprefix('"')

    def _tagged(self, _parts: list[str]) -> None:
        self._end_line()
        self._awaits = "tag"

    def _item(self, parts: list[str]) -> None:
        self._end_line()
        tag = self._plain(parts[0]).strip() if parts else ""
        if tag or not self._items:
            self._open_item("" if tag in ("•", "*", "-", "o", "·") else tag)

    def _begin_list(self, parts: list[str]) -> None:
        self._end_line()
        self._lists.append(("enum" if "-enum" in parts else "", 0))

    def _end_list(self, _parts: list[str]) -> None:
        self._end_line()
        if self._lists:
            self._lists.pop()
        if not self._lists:
            self._end_items()

    def _item_of_list(self, parts: list[str]) -> None:
        self._end_line()
        kind, number = self._lists[-1] if self._lists else ("", 0)
        mark = ""
        if kind == "enum":
            self._lists[-1] = (kind, number + 1)
            mark = f"{number + 1}."
        self._open_item(inline("No", parts, self._plain, self._name) if parts else "", mark)

    def _open_item(self, tag: str, mark: str = "") -> None:
        self._end_line()
        self._items.add(max(len(self._lists) - 1, 0), one_line(tag), mark)
        self._is_open = True

    def _named(self, parts: list[str]) -> None:
        if parts and not self._name:
            name = self._plain(parts[0])
            self._name = name if len(name) <= MAX_NAME else ""
        self._say(inline("Nm", parts, self._plain, self._name))

    def _writer(self, parts: list[str]) -> None:
        """Read an author; the words "-split" and "-nosplit" say how several are set."""
        if parts[:1] not in (["-split"], ["-nosplit"]):
            self._say(inline("An", parts, self._plain, self._name))

    def _begin_work(self, _parts: list[str]) -> None:
        self._end_line()

    def _end_work(self, _parts: list[str]) -> None:
        """End a work that is referred to: its author, title and date in one line."""
        work, self._work = ", ".join(part for part in self._work if part), []
        self._say(f"{work}." if work else "")
        self._end_line()

    def _example(self, parts: list[str]) -> None:
        self._flush()
        self._draft.code(inline("No", parts, self._plain, self._name))

    def _address(self, parts: list[str]) -> None:
        self._say(" ".join(self._plain(one) for one in parts[:2]))

    def _space(self, parts: list[str]) -> None:
        """Switch the spaces between words off or on."""
        self._is_tight = parts[:1] == ["off"]
        self._line += [""] if self._is_tight else []

    def _end_tag(self, _parts: list[str]) -> None:
        """End the tag of an item that goes over several lines."""
        if self._items and self._line and self._is_open:
            self._items.grow(one_line(self._take_line()), " ")

    def _break(self, _parts: list[str]) -> None:
        if self._line:
            self._line.append("\n")

    def _left(self, _parts: list[str]) -> None:
        self._end_line()
        self._is_open = False

    def _code(self, name: str, lines: Sequence[str], at: int) -> int:
        """Read lines whose breaks are kept; those that are not indented beside a heading of usage stay code too."""
        self._end_line()
        held: list[str] = []
        at += 1
        while at < len(lines) and request(lines[at])[0] not in (_VERBATIM[name], "SH", "Sh", "SS", "Ss"):
            inner, rest = request(lines[at])
            if not inner:
                held.append(self._plain(rest).rstrip())
            elif inner in _BREAKS:
                held.append("")
            elif inner in _ALTERNATING or inner in _FONTS:
                held.append(("" if inner in _ALTERNATING else " ").join(self._plain(one) for one in arguments(rest)))
            elif inner not in _SILENT and inner not in self._requests and inner[0] != "\\":
                held.append(inline(inner, arguments(rest), self._plain, self._name))
            at += 1
        if not (self._is_open and self._items and self._items.hold_code(held)):
            self._flush()
            self._draft.code("\n".join(held))
        return at + (at < len(lines) and request(lines[at])[0] == _VERBATIM[name])

    def _table(self, lines: Sequence[str], at: int) -> int:
        """Read a table of tbl: options, formats up to a line that ends with a full stop, rows."""
        self._flush()
        end = next((n for n in range(at + 1, len(lines)) if request(lines[n])[0] == "TE"), len(lines))
        inner = list(lines[at + 1 : end])
        options = inner.pop(0) if inner and inner[0].rstrip().endswith(";") else ""
        tab = match.group(1) if (match := re.search(r"tab\s*\((.)\)", options)) else "\t"
        first = next((n for n, line in enumerate(inner) if _TABLE_FORMAT.fullmatch(line)), -1)
        rows: list[list[str]] = []
        block: list[str] | None = None
        for line in inner[first + 1 :]:
            if block is not None and line.startswith("T}"):
                rows[-1][-1] = " ".join(block)
                rows[-1] += [self._plain(cell) for cell in line[2:].split(tab)[1:]]
                block = None
            elif block is not None:
                block.append(
                    self._plain(" ".join(arguments(request(line)[1]))) if request(line)[0] else self._plain(line)
                )
            elif line.strip() not in ("_", "=", "") and not request(line)[0]:
                rows.append([self._plain(cell) for cell in line.split(tab)])
            if block is None and rows and rows[-1][-1].strip() == "T{":
                block = []
        self._draft.table(rows)
        return end + 1

    def _end_line(self) -> None:
        """End the open text: of the open item, else a paragraph."""
        text = self._take_line().replace(" \n ", "\n").strip()
        if not text:
            return
        if self._items and self._is_open:
            self._items.grow(text, "\n")
            return
        self._end_items()
        self._draft.paragraph(text)

    def _paragraph(self, *, ends_list: bool) -> None:
        self._end_line()
        self._is_open = self._is_open and (not ends_list or bool(self._lists))

    def _end_items(self) -> None:
        self._draft.listing([item for item in self._items.taken() if item[1]])

    def _flush(self) -> None:
        self._end_work([])
        self._end_items()
        self._is_open = False
        self._awaits = ""
