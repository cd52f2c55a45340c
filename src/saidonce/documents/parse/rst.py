"""Parse reStructuredText with docutils; directives and roles of Sphinx are read generically."""

from __future__ import annotations

import ast
import contextlib
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, roles
from docutils.parsers.rst.directives.misc import Class

from saidonce.documents.parse import sphinx_roles
from saidonce.documents.parse.counting import counted
from saidonce.documents.parse.dates import from_any
from saidonce.documents.parse.draft import DocumentDraft, one_line, printable, text_draft
from saidonce.documents.parse.html import read_fragment
from saidonce.documents.parse.plain import read_text as read_plain
from saidonce.documents.parse.rst_struck import take_out_struck
from saidonce.documents.parse.rst_terms import set_terms
from saidonce.documents.parse.source import NamedBytes
from saidonce.documents.parse.struck import NAMES

_WARNING = 2
"""Level from which docutils reports an error of the writer."""

_SETTINGS = {
    "file_insertion_enabled": False, "raw_enabled": True, "_disable_config": True, "report_level": 5, "halt_level": 6,
    "input_encoding": "unicode", "smart_quotes": False, "syntax_highlight": "none", "line_length_limit": 1_000_000,
    "doctitle_xform": False, "docinfo_xform": False, "sectsubtitle_xform": False, "traceback": True,
}  # fmt: skip
CODE = frozenset("code-block sourcecode highlight literalinclude productionlist doctest testcode testoutput testsetup"
                  " testcleanup parsed-literal prompt ipython graphviz mermaid math jinja digraph".split())  # fmt: skip
SILENT = frozenset("toctree index highlight currentmodule module py:module py:currentmodule contents sectionauthor"
                    " codeauthor tabularcolumns default-domain automodule autoclass autofunction autosummary"
                    " automethod autoattribute include rst-class cssclass meta".split())  # fmt: skip
_GENERATED = frozenset("automodule autoclass autofunction automethod autoattribute".split())
"""They take a text from elsewhere; what is written under them stands behind it."""

_LOST = frozenset("literalinclude include automodule autoclass autofunction autosummary automethod".split())
VERSIONS = frozenset({"versionadded", "versionchanged", "deprecated", "versionremoved", "deprecated-removed"})
LONG_RUN = re.compile(r"\S{5000}")
"""What docutils looks through for addresses of the web as often as it is long; nobody writes so without a space."""

_FROM_FILE = re.compile(
    r"^[ \t]*\.\. (?:csv-table|raw)::[^\n]*\n(?:[ \t]+:[^\n]*\n)*?[ \t]+:(?:file|url):[ \t]+(\S[^\n]*)", re.M
)
"""A table or a piece of markup that stands in a file of its own."""

_SHORT_DATE = ("date", "updated", "last-modified", "modified")


def read(source: NamedBytes) -> DocumentDraft:
    """Read a reStructuredText file."""
    text, draft = text_draft(source)
    if LONG_RUN.search(text):
        draft.warn("it has thousands of characters without a space; it was read as plain text")
        read_plain(text, draft)
    else:
        read_text(printable(text), draft)
    return draft


def read_text(text: str, draft: DocumentDraft, deeper: int = 0) -> None:
    """Add reStructuredText to a draft.

    Args:
        deeper: number of levels by which headings are lowered, for text under a heading.
    """
    for match in _FROM_FILE.finditer(text):
        draft.warn(f"content of {match.group(1)[:80]!r} that a directive includes was left out")
    with _general_forms(draft):
        tree = publish_doctree(text, settings_overrides=dict(_SETTINGS))
    draft.strike(take_out_struck(tree))
    set_terms(tree)
    _RstWalk(draft, deeper).read(tree)


class _AnyOption(dict[str, Callable[[str | None], str]]):
    """Accepts any option, and ignores its value."""

    def __bool__(self) -> bool:
        return True

    def __missing__(self, name: str) -> Callable[[str | None], str]:
        return directives.unchanged


class _General(Directive):
    """An unknown directive: its argument and its content are kept."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = _AnyOption()  # type: ignore[assignment]  # the stubs know no None

    def run(self) -> list[nodes.Node]:
        """Return the visible nodes."""
        name = self.name
        argument = self.arguments[0] if self.arguments else ""
        if name in CODE or _shows_code(name, self.content):
            body = "\n".join(self.content) or (argument if name == "math" else "")
            caption = self.options.get("caption", "").strip()
            titled: list[nodes.Node] = [self._paragraph(caption)] if body and caption else []
            return [*titled, nodes.literal_block(body, body)] if body else []
        if name == "toctree":
            return _titles_of(self.options, self.content)
        if name in SILENT and name not in _GENERATED:
            return []
        box = nodes.container()
        if name in _GENERATED:
            argument = ""
        if argument and name in VERSIONS:
            version, *more = argument.split(maxsplit=1)
            rest = "".join(more)
            note = _VersionNote if not rest and not self.content else nodes.paragraph
            box += note("", "", *self._inline(f"{name} {version}" + (f": {rest}" if rest else "")))
        elif argument:
            box += _signature(argument, self.options) if _is_object(name) else self._paragraph(argument)
        elif name in ("seealso", "todo"):
            box += nodes.paragraph("", "", nodes.Text("See also:" if name == "seealso" else "To do:"))
        if name in _GENERATED:
            self._parse_sections(box)
        else:
            self.state.nested_parse(self.content, self.content_offset, box)
            _attach_versions(box)
        return list(box.children)

    def _parse_sections(self, box: nodes.Element) -> None:
        """Parse content in which titles may stand, as they do under `automodule`, with levels of its own."""
        memo = self.state.memo
        styles, level = memo.title_styles, memo.section_level
        memo.title_styles, memo.section_level = [], 0
        try:
            self.state.nested_parse(self.content, self.content_offset, box, match_titles=True)
        finally:
            memo.title_styles, memo.section_level = styles, level

    def _paragraph(self, text: str) -> nodes.paragraph:
        return nodes.paragraph("", "", *self._inline(text))

    def _inline(self, text: str) -> list[nodes.Node]:
        inline, _messages = self.state.inline_text(text, self.lineno)
        return list(inline)


class _VersionNote(nodes.paragraph):
    """A version of which nothing more is said than that something came, went or changed with it."""


def _attach_versions(box: nodes.Element) -> None:
    """Write each bare version beside the text or the signature of an object that it is said of."""
    for note in [child for child in box.children if isinstance(child, _VersionNote)]:
        at = box.index(note)
        said_of = box[at - 1] if at else None
        if isinstance(said_of, nodes.literal_block) and _SIGNATURE in said_of:
            lines = f"{said_of.astext()}\n{': '.join(note.astext().split(maxsplit=1))}"
            box.replace(said_of, _signature_of(lines))
        elif type(said_of) is nodes.paragraph:
            said_of += nodes.Text(f" ({note.astext()})")
        else:
            continue
        box.remove(note)


class _ContentsTitle(nodes.paragraph):
    """The title of a list of contents."""


def _titles_of(options: Mapping[str, str], entries: Iterable[str]) -> list[nodes.Node]:
    """Return the caption of a table of contents and the titles in it; names of files are none."""
    if "hidden" in options:
        return []
    titles = [title for entry in entries if (title := sphinx_roles.title_before_target(entry.strip()))]
    shown: list[nodes.Node] = []
    if caption := options.get("caption", "").strip():
        shown.append(_ContentsTitle("", "", nodes.Text(caption)))
    if titles:
        items = (nodes.list_item("", nodes.paragraph("", "", nodes.Text(title))) for title in titles)
        shown.append(nodes.bullet_list("", *items))
    return shown


def _shows_code(name: str, content: Iterable[str]) -> bool:
    """Return whether an unknown directive contains code.

    It does by its name, or if it is an example that is a program or has no line of prose.
    """
    words = set(re.split(r"[:_-]", name))
    if words & _CODE_WORDS:
        return True
    content = list(content)
    if words & _EXAMPLES and _is_program("\n".join(content)):
        return True
    lines = [line.rstrip() for line in content if line.strip()]
    is_prose = any(line.endswith((".", "!", "?")) and not line.lstrip().startswith("#") for line in lines)
    return bool(words & _EXAMPLES) and not is_prose and any(_CODE_SIGN.search(line) for line in lines)


def _is_program(text: str) -> bool:
    """Return whether a text is Python that defines, imports, assigns or calls something; its strings may be prose."""
    if len(text) > _LONGEST_PROGRAM:
        return False
    try:
        with warnings.catch_warnings(action="ignore"):
            statements = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(isinstance(s, _DOING) or (isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)) for s in statements)


_DOING = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.With, ast.For,
)  # fmt: skip
_LONGEST_PROGRAM = 20_000

_CODE_WORDS = frozenset(
    "code sourcecode snippet testcode testoutput doctest ipython console shell prompt terminal repl".split()
)
_EXAMPLES = frozenset("example examples run output session usage".split())
_CODE_SIGN = re.compile(r"[(){};=<>$@\\]|^\s*(?:import|from|def|class|return)\b")

OBJECTS = frozenset("function class method attribute data exception decorator staticmethod classmethod cmdoption"
                     " option envvar confval describe object property type macro program".split())  # fmt: skip


SHOWN_OPTIONS = ("type", "value", "default")
"""Options of an object that stand beside its name."""


def _signature(argument: str, options: Mapping[str, str]) -> nodes.literal_block:
    named = [line.strip().rstrip("\\").strip() for line in argument.splitlines() if not _FLAG.fullmatch(line)]
    return _signature_of("\n".join((*named, *(f"{key}: {options[key]}" for key in SHOWN_OPTIONS if options.get(key)))))


def _signature_of(lines: str) -> nodes.literal_block:
    return nodes.literal_block(lines, lines, **{_SIGNATURE: True})


_FLAG = re.compile(r"\s*:[a-z-]+:\s*")
_SIGNATURE = "signature"
"""Attribute of a block that is the name of an object, and no example."""


def _is_object(name: str) -> bool:
    """Return whether a directive describes an object: by its domain, its name, or the end of it ("coroutinemethod")."""
    return ":" in name or name in OBJECTS or name.endswith(("method", "function"))


def _names_a_class(text: str) -> bool:
    """Return whether `class` before this argument describes a class, as in Sphinx, and is no name of a style."""
    return _STYLES.fullmatch(text) is None


_STYLES = re.compile(r"\s*[a-z][a-z0-9_-]*(?:\s+[a-z][a-z0-9_-]*)*\s*")


class _Class(_General):
    """A class of a program; a name of a style is left to docutils."""

    def run(self) -> list[nodes.Node]:
        """Return the visible nodes."""
        argument = self.arguments[0] if self.arguments else ""
        if _names_a_class(argument):
            return super().run()
        styled: type[Directive] = Class
        return list(styled(
            self.name, self.arguments, {}, self.content, self.lineno, self.content_offset, self.block_text, self.state,
            self.state_machine,
        ).run())  # fmt: skip


def _general_role(name: str, raw: str, text: str, *_: Any, **__: Any) -> tuple[list[nodes.Node], list[Any]]:
    """Read an unknown role: its text, or the title before its target."""
    shown = sphinx_roles.shown(name, text.replace("\x00", ""))
    if name in NAMES:
        return [nodes.inline(raw, shown, classes=[name])], []
    return [nodes.literal(raw, shown) if name not in ("doc", "ref", "term") else nodes.inline(raw, shown)], []


@contextlib.contextmanager
def _general_forms(draft: DocumentDraft) -> Iterator[None]:
    """Make docutils accept unknown directives and roles; a parsing process has one thread."""
    known_directive, known_role = directives.directive, roles.role

    def directive(name: str, language: Any, document: Any) -> tuple[Any, list[Any]]:
        if name == "class":
            return _Class, []
        if name in _LOST:
            draft.warn(f"content that its directive {name!r} includes from other files was left out")
        if name not in CODE and name not in SILENT:
            known, messages = known_directive(name, language, document)
            if known is not None:
                return known, messages
        return _General, []

    def role(name: str, language: Any, lineno: int, reporter: Any) -> tuple[Any, list[Any]]:
        known, messages = known_role(name, language, lineno, reporter)
        return (known, messages) if known is not None else (_general_role, [])

    directives.directive, roles.role = directive, role  # type: ignore[assignment]
    try:
        yield
    finally:
        directives.directive, roles.role = known_directive, known_role


class _RstWalk:
    """One pass over a tree of docutils in document order."""

    def __init__(self, draft: DocumentDraft, deeper: int) -> None:
        self._draft = draft
        self._level = deeper
        self._n_broken = 0

    def read(self, tree: nodes.document) -> None:
        """Add all of a document."""
        self._all(tree)
        if self._n_broken:
            broken = "1 piece breaks" if self._n_broken == 1 else f"{self._n_broken} pieces break"
            as_is = "was read as it stands" if self._n_broken == 1 else "were read as they stand"
            self._draft.warn(f"{broken} the rules of reStructuredText and {as_is}")

    def _all(self, parent: nodes.Element) -> None:
        for child in parent.children:
            self._one(child)

    def _one(self, node: nodes.Node) -> None:
        for kinds, read in _READERS:
            if isinstance(node, kinds):
                read(self, node)
                return
        if isinstance(node, nodes.TextElement):
            self._draft.paragraph(_shown(node))
        elif isinstance(node, nodes.Element):
            self._all(node)

    def section(self, node: Any) -> None:
        """Read a section one level deeper."""
        self._level += 1
        self._all(node)
        self._level -= 1

    def title(self, node: Any) -> None:
        """Read the title of a section, or of a table or a note as a paragraph."""
        if isinstance(node.parent, (nodes.section, nodes.document)):
            self._draft.heading(_shown(node), self._level)
        else:
            self._draft.paragraph(_shown(node))

    def contents_title(self, node: Any) -> None:
        """Read the title of a list of contents, unless it repeats the heading above it."""
        title = _shown(node)
        if title.casefold() != self._draft.last_heading.casefold():
            self._draft.paragraph(title)

    def code(self, node: Any) -> None:
        """Read code unchanged."""
        self._draft.code(node.astext())

    def items(self, node: Any) -> None:
        """Read a list; content of an item that is not text follows the list."""
        items, rest = _items(node, 0)
        held: list[tuple[int, str, str]] = []
        for item, after in zip(items, rest, strict=True):
            held.append(item)
            if after:
                self._draft.listing(held)
                held = []
                for one in after:
                    self._one(one)
        self._draft.listing([item for item in held if item[1]])

    def definitions(self, node: Any) -> None:
        """Read terms and their definitions."""
        for item in node.children:
            term = ", ".join(_shown(t) for t in item.children if isinstance(t, (nodes.term, nodes.field_name)))
            classes = [_shown(t) for t in item.children if isinstance(t, nodes.classifier)]
            term += f" ({', '.join(classes)})" if classes else ""
            body = [c for c in item.children if isinstance(c, (nodes.definition, nodes.field_body))]
            texts = [c for b in body for c in b.children]
            first = texts[0] if texts and isinstance(texts[0], nodes.paragraph) else None
            self._draft.paragraph(f"{term}: {_shown(first)}" if first is not None else f"{term}:" if texts else term)
            for one in texts[1:] if first is not None else texts:
                self._one(one)

    def fields(self, node: Any) -> None:
        """Read a list of fields; those at the top are metadata of the document."""
        rows = []
        for field in node.children:
            name, body = _shown(field.children[0]), one_line(field.children[1].astext())
            self._note(name.casefold(), body)
            if body:
                rows.append(f"{name}: {body}")
        self._draft.record(rows)

    def _note(self, name: str, body: str) -> None:
        if name == "author" and not self._draft.author:
            self._draft.author = body
        elif name in _SHORT_DATE and self._draft.authored_at is None:
            self._draft.authored_at = from_any(body)

    def options(self, node: Any) -> None:
        """Read the options of a command."""
        rows = []
        for item in node.children:
            rows.append(
                f"{', '.join(o.astext() for o in item.children[0].children)}: {one_line(item.children[1].astext())}"
            )
        self._draft.record(rows)

    def table(self, node: Any) -> None:
        """Read a table; a spanning cell's text is repeated in every cell that it covers."""
        for title in node.findall(nodes.title):
            self._draft.caption(_shown(title))
        self._draft.table(_rows(node))

    def note(self, node: Any) -> None:
        """Read an admonition: its label is put before the first paragraph."""
        word = type(node).__name__.capitalize()
        children = list(node.children)
        if children and isinstance(children[0], nodes.paragraph):
            self._draft.paragraph(f"{word}: {_shown(children.pop(0))}")
        for child in children:
            self._one(child)

    def figure(self, node: Any) -> None:
        """Read the description of a picture, its caption and its legend."""
        for child in node.children:
            if isinstance(child, nodes.caption):
                self._draft.caption(_shown(child))
            else:
                self._one(child)

    def image(self, node: Any) -> None:
        """Read the description of a picture as a caption."""
        self._draft.caption(node.get("alt", ""))

    def raw(self, node: Any) -> None:
        """Read raw HTML; other raw formats are ignored."""
        if "html" in node.get("format", "").split():
            read_fragment(node.astext(), self._draft)

    def broken(self, node: Any) -> None:
        """Keep the content of invalid markup; a note, such as on a title that is there twice, is no error."""
        if node.get("level", _WARNING) < _WARNING:
            return
        self._n_broken += 1
        for inner in node.findall(nodes.literal_block):
            self._draft.code(inner.astext())

    def skip(self, node: Any) -> None:
        """Skip invisible content."""

    def note_text(self, node: Any) -> None:
        """Read a footnote or a citation with its label."""
        label = next((c.astext() for c in node.children if isinstance(c, nodes.label)), "")
        texts = [_shown(c) for c in node.children if not isinstance(c, nodes.label)]
        self._draft.paragraph(f"[{label or '#'}] " + "\n".join(texts))

    def lines(self, node: Any) -> None:
        """Read a block of separate lines."""
        self._draft.paragraph("\n".join(_line_texts(node)))


_Reader = Callable[[_RstWalk, Any], None]
_READERS: tuple[tuple[tuple[type, ...], _Reader], ...] = (
    ((nodes.section,), _RstWalk.section),
    ((nodes.title, nodes.subtitle, nodes.rubric), _RstWalk.title),
    ((nodes.literal_block, nodes.doctest_block, nodes.math_block), _RstWalk.code),
    ((_ContentsTitle,), _RstWalk.contents_title),
    ((nodes.bullet_list, nodes.enumerated_list), _RstWalk.items),
    ((nodes.definition_list,), _RstWalk.definitions),
    ((nodes.field_list,), _RstWalk.fields),
    ((nodes.option_list,), _RstWalk.options),
    ((nodes.table,), _RstWalk.table),
    ((nodes.Admonition,), _RstWalk.note),
    ((nodes.figure,), _RstWalk.figure),
    ((nodes.image,), _RstWalk.image),
    ((nodes.raw,), _RstWalk.raw),
    ((nodes.footnote, nodes.citation), _RstWalk.note_text),
    ((nodes.line_block,), _RstWalk.lines),
    ((nodes.system_message, nodes.problematic), _RstWalk.broken),
    ((nodes.comment, nodes.substitution_definition, nodes.target, nodes.pending, nodes.meta), _RstWalk.skip),
)  # fmt: skip


_INLINE: tuple[tuple[type | tuple[type, ...], Callable[[Any], str]], ...] = (
    (nodes.Text, lambda node: str(node.astext())),
    ((nodes.footnote_reference, nodes.citation_reference), lambda node: f"[{node.astext()}]"),
    (nodes.image, lambda node: str(node.get("alt", ""))),
    (nodes.title_reference, lambda node: sphinx_roles.shown_by_default(node.astext())),
    (nodes.superscript, lambda node: f"^{node.astext()}"),
)
"""What is shown of inline nodes that are not read piece by piece."""


def _shown(node: nodes.Node) -> str:
    """Return the text of inline nodes: pictures by their descriptions, references to notes in brackets."""
    for kinds, show in _INLINE:
        if isinstance(node, kinds):
            return show(node)
    if isinstance(node, nodes.Element):
        text = "".join(_shown(child) for child in node.children)
        return text.replace("\n", " ") if isinstance(node, (nodes.paragraph, nodes.title, nodes.term)) else text
    return ""


def _items(node: Any, depth: int) -> tuple[list[tuple[int, str, str]], list[list[nodes.Node]]]:
    """Return the items of a list and of nested lists, and the content of each item that is not text."""
    items: list[tuple[int, str, str]] = []
    rest: list[list[nodes.Node]] = []
    number = int(node.get("start", 1)) if isinstance(node, nodes.enumerated_list) else 0
    for item in node.children:
        items.append((depth, "", _mark(node, number)))
        rest.append([])
        number += 1 if number else 0
        at = len(items) - 1
        for child in item.children:
            if isinstance(child, (nodes.bullet_list, nodes.enumerated_list)) and not rest[-1]:
                inner, after = _items(child, depth + 1)
                items += inner
                rest += after
            elif (
                isinstance(child, nodes.TextElement)
                and not isinstance(child, nodes.literal_block)
                and (at == len(items) - 1 and not rest[-1])
            ):
                text = _shown(child)
                items[at] = (depth, f"{items[at][1]}\n{text}".strip(), items[at][2])
            elif not isinstance(child, (nodes.comment, nodes.target)):
                rest[-1].append(child)
    return items, rest


def _mark(node: Any, number: int) -> str:
    if not number:
        return ""
    form = {"loweralpha": "lowerLetter", "upperalpha": "upperLetter", "lowerroman": "lowerRoman",
            "upperroman": "upperRoman"}.get(node.get("enumtype", ""), "decimal")  # fmt: skip
    return f"{node.get('prefix', '')}{counted(number, form)}{node.get('suffix', '.')}"


def _line_texts(node: Any) -> Iterator[str]:
    for child in node.children:
        if isinstance(child, nodes.line_block):
            yield from _line_texts(child)
        else:
            yield _shown(child)


def _rows(table: Any) -> list[list[str]]:
    rows: list[list[str]] = []
    hanging: dict[int, tuple[int, str]] = {}
    for row in table.findall(nodes.row):
        cells: list[str] = []
        for entry in row.children:
            _hang(cells, hanging)
            text = one_line(
                " ".join(_shown(c) if isinstance(c, nodes.TextElement) else c.astext() for c in entry.children)
            )
            for _ in range(int(entry.get("morecols", 0)) + 1):
                if more := int(entry.get("morerows", 0)):
                    hanging[len(cells)] = (more, text)
                cells.append(text)
        _hang(cells, hanging)
        rows.append(cells)
    return rows


def _hang(cells: list[str], hanging: dict[int, tuple[int, str]]) -> None:
    while (at := len(cells)) in hanging:
        left, text = hanging.pop(at)
        if left > 1:
            hanging[at] = (left - 1, text)
        cells.append(text)
