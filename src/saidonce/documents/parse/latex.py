"""Parse LaTeX: sections, lists, tables, formulas, programs and notes; nothing is executed, and no other file is read.

The signs are read one after the other (`latex_source`). An environment is a frame on a stack, not a call, so that
nesting costs no depth of the program; arguments that are texts of their own, such as titles, are read by another walk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from saidonce.documents.parse import latex_names as names
from saidonce.documents.parse.dates import from_any
from saidonce.documents.parse.draft import DocumentDraft, ListItem, printable, text_draft
from saidonce.documents.parse.latex_frames import Frame
from saidonce.documents.parse.latex_macros import MAX_ARGUMENTS, Macro, definition, filled, quantity
from saidonce.documents.parse.latex_signs import (
    ACCENTS,
    LETTERS,
    MAX_FORMULA,
    accented,
    formula,
    with_ligatures,
)
from saidonce.documents.parse.latex_source import VERBATIM, LatexSource, LatexToken
from saidonce.documents.parse.source import NamedBytes

_LENGTH = re.compile(
    r"\s*+=?\s*+-?[\d.]++\s*+(?:pt|cm|mm|em|ex|in|bp|sp|\\[a-zA-Z]++)(?:\s*+(?:plus|minus)\s*+[\d.]++\s*+\w\w)*+"
)
_OVERLAY = re.compile(r"<[\d,+\-|a-z:@ ]{1,40}>")
_KEY_TITLE = re.compile(r"(?:^|,)\s*title\s*=\s*(?:\{([^{}]*)\}|([^,]*))")
_INLINE_CODE = re.compile(r"\*?(?:\[[^\[\]\n]*+\])?(?:\{([^{}\n]*)\}|([^\w\s])(.*?)\2)")
_MINTED_INLINE = re.compile(r"(?:\[[^\[\]\n]*+\])?\{\w*+\}(?:\{([^{}\n]*)\}|([^\w\s])(.*?)\2)")
_DOCUMENT = re.compile(r"^[^%\n]*\\begin\{document\}", re.M)
MAX_NESTED = 16
"""Texts within texts, such as a note in the title of a table; what stands deeper keeps its marks."""

MAX_OPEN = 100
"""Environments in one another; what stands deeper is read as if it stood in the last of them."""


def read(source: NamedBytes) -> DocumentDraft:
    """Read a LaTeX file, or a part of one that another file includes."""
    text, draft = text_draft(source)
    clean = printable(text)
    walk = _LatexWalk(draft, _Shared(top=_top_rank(clean)))
    walk.is_preamble = _DOCUMENT.search(clean) is not None
    walk.read(LatexSource(clean))
    return draft


@dataclass(slots=True)
class _Shared:
    """What a walk shares with the walks over its arguments."""

    top: int = 2
    macros: dict[str, Macro] = field(default_factory=dict)
    statements: set[str] = field(default_factory=lambda: set(names.STATEMENTS))
    signature: str = ""
    n_expansions: int = 0
    n_expanded: int = 0


class _LatexWalk:
    """A pass over the signs of a file, or of one argument."""

    def __init__(self, draft: DocumentDraft, shared: _Shared, depth: int = 0) -> None:
        self._draft = draft
        self._shared = shared
        self._depth = depth
        self._frames = [Frame()]
        self._items: list[ListItem] = []
        self._notes: list[str] = []
        self._is_literal = 0
        self._source = LatexSource("")
        self.is_preamble = False

    def read(self, source: LatexSource) -> None:
        """Add all that a source has to the draft."""
        self._source = source
        source.n_expansions, source.n_expanded = self._shared.n_expansions, self._shared.n_expanded
        while (token := source.next()) is not None:
            if not self._step(token):
                break
        self._shared.n_expansions, self._shared.n_expanded = source.n_expansions, source.n_expanded
        while len(self._frames) > 1:
            self._close(self._frames[-1].name)
        self._end()

    def _step(self, token: LatexToken) -> bool:
        """Read what begins at a sign; return False at the end of the document."""
        if token.kind == "name":
            return self._command(token)
        if token.kind == "par":
            self._end_paragraph()
        elif token.kind == "space":
            self._put(" ")
        elif token.kind == "text":
            self._put(token.text if self._is_literal else with_ligatures(token.text))
        elif token.kind == "sign":
            self._sign(token.text)
        else:
            self._mark(token.text)
        return True

    def _mark(self, mark: str) -> None:
        if mark == "~":
            self._put(" ")
        elif mark == "&":
            self._cell()
        elif mark[0] == "$":
            raw = self._source.until(mark, MAX_FORMULA if mark == "$$" else 2_000)
            if raw is None:
                self._put(mark)
            elif mark == "$":
                self._put(formula(raw))
            else:
                self._display(raw)

    def _sign(self, sign: str) -> None:
        """Read a command of one sign."""
        if sign == "\\":
            self._source.follows("*")
            self._source.option()
            self._line_end()
        elif sign in "([":
            raw = self._source.until("\\)" if sign == "(" else "\\]", MAX_FORMULA)
            if raw is not None and sign == "(":
                self._put(formula(raw))
            elif raw is not None:
                self._display(raw)
        elif self._frames[-1].name == "tabbing" and sign in "=>":
            self._cell()
        elif sign in ACCENTS:
            self._accent(sign)
        elif sign in ", :;\n\t":
            self._put(" ")
        elif sign not in "-/!)]@<>+":
            self._put(sign)

    def _command(self, token: LatexToken) -> bool:
        """Read a command; return False at the end of the document."""
        name = token.text
        if name in ("begin", "end"):
            environment = self._source.argument().strip()
            if name == "end" and environment == "document":
                return False
            (self._begin if name == "begin" else self._close)(environment)
        elif name in _HANDLERS:
            _HANDLERS[name](self)
        elif name in names.RANKS and name not in names.TITLED_ENVIRONMENTS:
            self._heading(name)
        elif name in LETTERS:
            self._put(LETTERS[name])
        elif name in ACCENTS:
            self._accent(name)
        elif name in self._shared.macros:
            self._expand(name, self._shared.macros[name])
        elif not self._known(name):
            self._unknown(token)
        return True

    def _accent(self, accent: str) -> None:
        letters = self._source.argument()
        self._put(accented(accent, self._inline(letters) if len(letters) != 2 or letters[1] not in ACCENTS else ""))

    def _known(self, name: str) -> bool:
        """Read a command of a family; return whether it is of one."""
        if name in names.SILENT:
            self._source.option()
            for _ in range(names.SILENT[name]):
                self._source.argument()
                self._source.option()
        elif name in names.REFERENCES:
            self._put(self._source.argument())
        elif name in names.LENGTHS:
            self._source.match(_LENGTH)
        elif name in _BY_NAME:
            _BY_NAME[name](self, name)
        elif names.CITATIONS.fullmatch(name):
            self._cite()
        else:
            return False
        return True

    def _unknown(self, token: LatexToken) -> None:
        """Read the arguments of a command that nobody knows as text, one apart from the other."""
        source = self._source
        if not token.is_apart:
            source.match(_OVERLAY)
            source.option()
        self._apart()

    def _apart(self) -> None:
        """Read the arguments that follow at once as text, one apart from the other."""
        source = self._source
        if not source.is_group_next():
            return
        arguments: list[str] = []
        while source.is_group_next() and len(arguments) < MAX_ARGUMENTS:
            arguments.append(source.argument())
        if not source.expand(" ".join(arguments)):
            self._put(" ".join(arguments))

    def _expand(self, name: str, macro: Macro) -> None:
        arguments: list[str] = []
        if macro.default is not None:
            option = self._source.option()
            arguments.append(macro.default if option is None else option)
        while len(arguments) < macro.n_arguments:
            arguments.append(self._source.argument())
        if not self._source.expand(filled(macro, arguments)):
            self._draft.warn("macros that stand for too much text were left out")
            self._put(" ".join(arguments) or name)

    def _begin(self, name: str) -> None:
        """Open an environment."""
        base, source = name.removesuffix("*"), self._source
        if name == "document":
            self._begin_document()
        elif base in VERBATIM:
            self._verbatim(name)
        elif base in names.FORMULAS:
            raw = source.until(f"\\end{{{name}}}", MAX_FORMULA)
            if raw is not None:
                self._display(raw[raw.find("}") + 1 :] if base in names.FORMULAS_WITH_ARGUMENT else raw)
        elif len(self._frames) > MAX_OPEN:
            self._draft.warn("environments that stand too deep in one another were read as one")
        elif base in names.LISTS:
            source.option()
            self._end_paragraph()
            self._frames.append(Frame(name, "block" if self._is_in("table") else "list"))
        elif base in names.TABLES:
            self._begin_table(name, base)
        elif base in names.TITLED_ENVIRONMENTS:
            self._begin_titled(name, base)
        else:
            self._begin_block(name, base)

    def _begin_document(self) -> None:
        if not self.is_preamble:
            return
        self.is_preamble = False
        self._frames[-1].text.clear()
        self._notes.clear()
        self._draft.elements.clear()

    def _begin_table(self, name: str, base: str) -> None:
        if not self._is_in("table"):
            self._end_paragraph()
        self._frames.append(Frame(name, "table"))
        self._source.option()
        for _ in range(names.TABLES[base] + (name == "tabular*")):
            self._source.argument()

    def _begin_titled(self, name: str, base: str) -> None:
        self._end()
        self._source.match(_OVERLAY)
        self._source.option()
        if self._source.is_group_next() and (title := self._inline(self._source.argument())):
            self._draft.heading(title, names.RANKS[base] - self._shared.top + 1)
        self._frames.append(Frame(name))

    def _begin_block(self, name: str, base: str) -> None:
        option = self._source.option() or ""
        for _ in range(names.ENVIRONMENT_ARGUMENTS.get(base, 0)):
            self._source.argument()
        self._end_paragraph()
        if base == "abstract":
            self._draft.heading("Abstract", 1)
        title = _KEY_TITLE.search(option)
        if base in self._shared.statements and "=" not in option:
            self._draft.paragraph(self._inline(option))
        elif title is not None:
            self._draft.paragraph(self._inline(title[1] or title[2] or ""))
        self._frames.append(Frame(name))
        if base == "letter":
            self._draft.paragraph(self._inline(self._source.argument()))
        elif base not in names.ENVIRONMENT_ARGUMENTS:
            self._apart()

    def _verbatim(self, name: str) -> None:
        """Read what is no LaTeX: code, or a comment that is dropped."""
        source = self._source
        base = name.removesuffix("*")
        source.option()
        if base == "minted":
            source.argument()
        raw = source.until(f"\\end{{{name}}}")
        if raw is None or base in ("comment", "filecontents"):
            return
        if self._is_in("table"):
            self._put(raw)
            return
        self._end()
        self._draft.code(raw)

    def _close(self, name: str) -> None:
        """Close an environment, and those that were left open in it; one that is not open closes nothing."""
        if all(frame.name != name for frame in self._frames[1:]):
            self._end_paragraph()
            return
        while len(self._frames) > 1:
            frame = self._frames[-1]
            if frame.kind == "table":
                self._close_table(frame)
            else:
                self._end_paragraph()
                self._frames.pop()
                if frame.kind == "list" and not self._is_in("list"):
                    self._end_list()
            if frame.name == name:
                return

    def _close_table(self, frame: Frame) -> None:
        self._line_end()
        self._frames.pop()
        if self._is_in("table"):  # a table in a cell
            self._put("; ".join(" ".join(filter(None, row)) for row in frame.rows))
            return
        notes, self._notes = self._notes, []
        self._end_list()
        self._draft.table(frame.rows)
        self._notes = notes
        self._end_notes()

    def _put(self, text: str) -> None:
        self._frames[-1].text.append(text)

    def _taken(self) -> str:
        return self._frames[-1].taken()

    def _cell(self) -> None:
        frame = self._frames[-1]
        if frame.kind == "table":
            frame.end_cell()
        else:
            self._put(" ")

    def _line_end(self) -> None:
        frame = self._frames[-1]
        if frame.kind == "table":
            frame.end_row()
        else:
            self._put("\n")

    def _is_in(self, kind: str) -> bool:
        return any(frame.kind == kind for frame in self._frames)

    def _end_paragraph(self) -> None:
        """End a paragraph of the text, of a list item, or a line of a cell."""
        if self._is_in("table"):
            self._end_part_of_cell()
            return
        text = self._taken()
        if self.is_preamble or (not text and not self._notes):
            return
        if self._items and self._is_in("list"):
            depth, before, mark = (*self._items[-1], "")[:3]
            self._items[-1] = (depth, f"{before}\n{text}".strip() if not before.endswith(": ") else before + text, mark)
            return
        self._draft.paragraph(text)
        self._end_notes()

    def _end_part_of_cell(self) -> None:
        """Give what an environment in a cell has to the cell."""
        at = max(place for place, frame in enumerate(self._frames) if frame.kind == "table")
        if at < len(self._frames) - 1 and (text := self._taken()):
            self._frames[at].text.append(text)
        self._frames[at].text.append(" ")

    def _end_list(self) -> None:
        items, self._items = self._items, []
        self._draft.listing([(item[0], item[1].removesuffix(" "), *item[2:]) for item in items if item[1].strip()])
        self._end_notes()

    def _end_notes(self) -> None:
        notes, self._notes = self._notes, []
        for note in notes:
            self._draft.paragraph(note)

    def _end(self) -> None:
        self._end_paragraph()
        self._end_list()

    def _display(self, raw: str) -> None:
        """Read a formula that stands on lines of its own."""
        if self._is_in("table"):
            self._put(formula(raw).replace("\n", " "))
            return
        self._end()
        if not self.is_preamble:
            self._draft.code(formula(raw))

    def _inline(self, raw: str, *, is_literal: bool = False) -> str:
        """Return an argument as one text; its notes are kept for the end of the paragraph."""
        if "\\" not in raw and not any(sign in raw for sign in "$%{}~&`'-"):
            return raw.strip()
        if raw[1:] in LETTERS and raw[0] == "\\":
            return LETTERS[raw[1:]]
        if self._depth >= MAX_NESTED:
            return raw
        scratch = DocumentDraft(self._draft.source)
        walk = _LatexWalk(scratch, self._shared, self._depth + 1)
        walk._is_literal = int(is_literal or self._is_literal)
        walk._frames.append(Frame("", "argument"))
        walk._notes = self._notes
        walk._source = self._source
        return walk.one_text(LatexSource(raw))

    def one_text(self, source: LatexSource) -> str:
        """Return all that a source has as one text, without adding anything to the document."""
        held, self._notes = self._notes, []
        shared = self._shared
        self._source = source
        source.n_expansions, source.n_expanded = shared.n_expansions, shared.n_expanded
        while (token := source.next()) is not None and self._step(token):
            pass
        shared.n_expansions, shared.n_expanded = source.n_expansions, source.n_expanded
        while len(self._frames) > 2:
            self._close(self._frames[-1].name)
        last = self._taken()
        notes, self._notes = self._notes, []
        self._end_list()
        held += notes
        return "\n".join(filter(None, [*(element.text for element in self._draft.elements), last]))

    def _heading(self, name: str) -> None:
        self._source.option()
        title = self._inline(self._source.argument())
        notes, self._notes = self._notes, []
        self._end()
        self._draft.heading(title, names.RANKS[name] - self._shared.top + 1)
        self._notes = notes
        self._end_notes()

    def _caption(self) -> None:
        self._source.option()
        text = self._inline(self._source.argument())
        self._end_paragraph()
        self._draft.caption(text)

    def _footnote(self) -> None:
        self._source.option()
        if note := self._inline(self._source.argument()):
            self._notes.append(note)

    def _title(self) -> None:
        self._source.option()
        self._draft.title = self._inline(self._source.argument()).replace("\n", " ")

    def _author(self) -> None:
        self._source.option()
        names = [self._inline(one).split("\n")[0] for one in self._source.argument().split("\\and")]
        self._draft.author = ", ".join(name for name in names if name)

    def _date(self) -> None:
        text = self._inline(self._source.argument())
        self._draft.authored_at = from_any(text) or self._draft.authored_at

    def _item(self) -> None:
        self._source.match(_OVERLAY)
        label = self._source.option()
        frames = [frame for frame in self._frames if frame.kind == "list"]
        self._end_paragraph()
        if not frames:
            return
        while self._frames[-1].kind != "list":
            self._close(self._frames[-1].name)
        frame, depth = frames[-1], len(frames) - 1
        mark = ""
        term = self._inline(label) if label is not None else ""
        if frame.name.removesuffix("*") in names.NUMBERED_LISTS:
            frame.n_items += label is None
            mark, term = (term, "") if term else (f"{frame.n_items}.", "")
        self._items.append((depth, f"{term.removesuffix(':')}: " if term else "", mark))

    def _bibliography_item(self) -> None:
        self._source.option()
        self._end_paragraph()
        self._put(f"[{self._source.argument()}] ")

    def _cite(self) -> None:
        options = [self._source.option(), self._source.option()]
        keys = ", ".join(key.strip() for key in self._source.argument().split(","))
        self._put(f"[{', '.join(filter(None, [keys, *(self._inline(option or '') for option in options)]))}]")

    def _define(self, command: str) -> None:
        if (defined := definition(command, self._source)) is not None:
            self._shared.macros[defined[0]] = defined[1]

    def _statement(self) -> None:
        self._shared.statements.add(self._source.argument())
        self._source.option()
        self._source.argument()
        self._source.option()

    def _leave_out(self, _: str) -> None:
        name = self._source.argument().strip()
        if name:
            self._draft.warn(f"content included from other files was left out, such as {name[:80]!r}")

    def _letter_part(self, name: str) -> None:
        self._end()
        self._draft.paragraph(self._inline(self._source.argument()))
        if name == "closing":
            self._draft.paragraph(self._shared.signature)

    def _sender(self) -> None:
        text = self._inline(self._source.argument())
        self._shared.signature = "\n".join(filter(None, [self._shared.signature, text]))

    def _code_in_line(self, pattern: re.Pattern[str] = _INLINE_CODE) -> None:
        match = self._source.match(pattern)
        if match is not None:
            self._put(match[1] if match[1] is not None else match[3])

    def _link(self) -> None:
        self._source.option()
        address = self._source.argument()
        self._put(self._inline(self._source.argument()) or address)

    def _spanning(self) -> None:
        count, _, text = self._source.argument(), self._source.argument(), self._inline(self._source.argument())
        if self._frames[-1].kind == "table":
            self._frames[-1].span_columns(count, text)
        else:
            self._put(text)

    def _hanging(self) -> None:
        self._source.option()
        count = self._source.argument().strip()
        self._source.option()
        self._source.argument()
        self._source.option()
        text = self._inline(self._source.argument())
        if self._frames[-1].kind == "table":
            self._frames[-1].span_rows(count, text)
        self._put(text)

    def _blank(self) -> None:
        self._source.argument()
        self._put(" ")

    def _nothing(self) -> None:
        self._source.match(_OVERLAY)


def _top_rank(text: str) -> int:
    """Return the rank of the highest section that a text has."""
    return next((rank for rank, name in enumerate(("part", "chapter")) if re.search(rf"\\{name}\*?[\[{{]", text)), 2)


_HANDLERS: Mapping[str, Callable[[_LatexWalk], object]] = MappingProxyType(
    {
        "caption": _LatexWalk._caption,
        "captionof": _LatexWalk._caption,
        **dict.fromkeys(("footnote", "footnotetext", "endnote", "thanks"), _LatexWalk._footnote),
        "title": _LatexWalk._title,
        "author": _LatexWalk._author,
        "date": _LatexWalk._date,
        "item": _LatexWalk._item,
        "bibitem": _LatexWalk._bibliography_item,
        "newtheorem": _LatexWalk._statement,
        "signature": _LatexWalk._sender,
        "address": _LatexWalk._sender,
        "verb": _LatexWalk._code_in_line,
        "lstinline": _LatexWalk._code_in_line,
        "mintinline": lambda walk: walk._code_in_line(_MINTED_INLINE),
        **dict.fromkeys(
            ("texttt", "path"), lambda walk: walk._put(walk._inline(walk._source.argument(), is_literal=True))
        ),
        **dict.fromkeys(("url", "nolinkurl"), lambda walk: walk._put(walk._source.argument().replace("\\", ""))),
        "href": _LatexWalk._link,
        "eqref": lambda walk: walk._put(f"({walk._source.argument()})"),
        "multicolumn": _LatexWalk._spanning,
        "multirow": _LatexWalk._hanging,
        **dict.fromkeys(("par", "newpage", "clearpage", "pagebreak", "bigskip", "medskip"), _LatexWalk._end_paragraph),
        "iffalse": lambda walk: walk._source.until("\\fi"),
        **dict.fromkeys(("tabularnewline", "newline"), _LatexWalk._line_end),
        "pause": _LatexWalk._nothing,
        "hspace": _LatexWalk._blank,
        "and": lambda walk: walk._put(", "),
    }
)
"""What each command does that is more than a sign or a silent argument."""

_BY_NAME: Mapping[str, Callable[[_LatexWalk, str], None]] = MappingProxyType(
    {
        **dict.fromkeys(names.UNITS, lambda walk, name: walk._put(quantity(name, walk._source))),
        **dict.fromkeys(names.STRUCK, lambda walk, _: walk._draft.strike(bool(walk._source.argument().strip()))),
        **dict.fromkeys(names.DEFINITIONS, _LatexWalk._define),
        **dict.fromkeys(names.INCLUSIONS, _LatexWalk._leave_out),
        **dict.fromkeys(names.LETTER_PARTS, _LatexWalk._letter_part),
    }
)
"""What the commands of a family do that differ by their name."""
