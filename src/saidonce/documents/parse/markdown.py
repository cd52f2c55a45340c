"""Parse Markdown: CommonMark with tables, front matter, and HTML blocks through the HTML parser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.table import escapedSplit
from markdown_it.token import Token

from saidonce.documents.parse import mdx, myst, rst, sphinx_roles
from saidonce.documents.parse.dates import from_any
from saidonce.documents.parse.draft import WEIGHING, DocumentDraft, one_line, printable, text_draft
from saidonce.documents.parse.html import read_fragment
from saidonce.documents.parse.markdown_forms import common, takes_from_programs
from saidonce.documents.parse.markdown_struck import without_struck
from saidonce.documents.parse.source import NamedBytes
from saidonce.errors import Refusal

_FRONT = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_FIELD = re.compile(r"""^["']?([A-Za-z_][\w -]{0,40}?)["']?[ \t]*[:=][ \t]*+(.*)$""")
_DATES = ("lastmod", "last_modified_at", "last_modified", "updated", "modified", "date", "published", "created")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_BREAK = re.compile(r"<br\s*/?>", re.I)
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,60}\]:")
_MARK = re.compile(r"\[\^([^\]\s]{1,60})\]:?")
_EMPHASIS = frozenset({"em_open", "em_close", "strong_open", "strong_close", "s_open", "s_close"})
_WIKI_LINK = re.compile(r"(!?)\[\[(?! )([^\[\]|\n]+)(?:\|([^\[\]\n]*))?(?<! )\]\]")
_EMBEDDED = re.compile(r"!\[\[[^\[\]\n]+\]\]")
_REMARK = re.compile(r"(?<![\w%])%%(?=[^\s%]).{1,300}?(?<=[^\s%])%%(?![\w%])", re.S)
_MARKED = re.compile(r"(?<![\w=])==(?=[^\s=])(.{1,200}?)(?<=[^\s=])==(?![\w=])")
_CLASSED = re.compile(r"\[([^\[\]\n]+)\]\{[.#][^{}\n]*\}")
_NAMED = re.compile(r"(?<!\s)\s*+\{:?\s*+[#.][^{}\n]*+\}\s*+$")
_ROLE = re.compile(r"\{([a-z][\w:+-]{0,60})\}\Z")
_FENCE_TITLE = re.compile(r"""(?:^|[\s{,])(?:title|filename|tab)=(["'])([^"'\n]{1,200})\1""")
_GIVEN = r"""(?:[.#][\w-]+|[\w-]+=(?:"[^"\n]*"|'[^'\n]*'|[^\s{}"']+))"""
_GIVEN_TO = re.compile(rf"\A\{{:?[ \t]*{_GIVEN}(?:[ \t]+{_GIVEN})*[ \t]*\}}")
"""Classes, names and properties of the link, picture or word in front of them."""

_TAKES = frozenset({"image", "link_close", "strong_close", "em_close"})
_ICONS = re.compile(
    r"(?::(?:material|octicons|fontawesome|simple|lucide|tabler)-(?![\w-]*(?:check|close|cancel|alert|minus|plus|"
    r"block|off|thumb|question)\b)[\w-]+:(?:\{[^{}\n]*\})?[ \t]*)+(?=\S)"
)
"""Icons in front of words, except those that say yes, no or beware."""

_COMPONENT = re.compile(r"<([A-Z]\w*[a-z]\w*)(\s[^<>]*)?/>")
_COMPONENT_LABEL = re.compile(r"""\s(?:label|title|name|text|alt)=(["'])([^"'\n]+)\1""")
_SHORTCODE = re.compile(r"\{\{[<%]\s*/?[^{}]{0,500}[>%]\}\}")


def read(source: NamedBytes) -> DocumentDraft:
    """Read a Markdown file."""
    text, draft = text_draft(source)
    read_text(mdx.rewritten(text) if source.name.casefold().endswith(".mdx") else text, draft)
    return draft


def read_text(text: str, draft: DocumentDraft, page: int | None = None, deeper: int = 0) -> None:
    """Add Markdown to a draft; front matter fills the draft's empty fields.

    Args:
        deeper: number of levels by which headings are lowered, for text under a heading.

    Raises:
        SourceRefusedError: the text is nested too deeply for its parser.
    """
    body = printable(text)
    front = _FRONT.match(body)
    if front:
        _read_front(front.group(2), draft)
        body = body[front.end() :]
    if _EMBEDDED.search(body):
        draft.warn("notes and pictures that it embeds were not read")
    if takes_from_programs(body):
        draft.warn("descriptions that its lines behind ':::' take from programs were left out")
    try:
        body = common(body)
        tokens, n_struck = without_struck(_parser().parse(body))
    except RecursionError as deep:
        raise draft.source.refuse(Refusal.HOSTILE, "its markup is nested too deeply") from deep
    draft.strike(n_struck)
    _MarkdownWalk(draft, page, deeper).read(tokens, body.split("\n"))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.block.ruler.before("reference", "footnote", _footnote, {"alt": ["paragraph", "reference"]})
    return parser


def _footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read the lines of a footnote as a paragraph: CommonMark would read a one-word footnote as a link target."""
    if state.is_code_block(start):
        return False
    match = _FOOTNOTE.match(state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]])
    if match is None or silent:
        return match is not None
    after = start + 1
    while after < end and not state.isEmpty(after) and not _FOOTNOTE.match(state.getLines(after, after + 1, 0, False)):
        after += 1
    state.push("paragraph_open", "p", 1).map = [start, after]
    text = state.push("inline", "", 0)
    text.content, text.map, text.children = (
        state.getLines(start, after, state.blkIndent, False).strip(),
        [start, after],
        [],
    )
    state.push("paragraph_close", "p", -1)
    state.line = after
    return True


def _read_front(text: str, draft: DocumentDraft) -> None:
    fields: dict[str, str] = {}
    for line in text.split("\n"):
        match = _FIELD.match(line)
        if match:
            fields.setdefault(match.group(1).casefold(), _unquoted(match.group(2)))
    draft.title = draft.title or one_line(fields.get("title", ""))
    draft.author = draft.author or one_line(fields.get("author", ""))
    draft.language = draft.language or fields.get("lang", "") or fields.get("language", "")
    if draft.authored_at is None:
        dates = (from_any(fields.get(name, "")) for name in _DATES)
        draft.authored_at = next((date for date in dates if date), None)
    summary = fields.get("description", "") or fields.get("summary", "")
    if len(summary) > 1:
        draft.paragraph(summary)


def _unquoted(value: str) -> str:
    value = value.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1].replace('\\"', '"').replace("''", "'")
    return "" if value in ("|", ">", "|-", ">-", "[]", "{}") else value


class _MarkdownWalk:
    """One pass over the flat list of tokens."""

    def __init__(self, draft: DocumentDraft, page: int | None, deeper: int) -> None:
        self._draft = draft
        self._page = page
        self._deeper = deeper
        self._level = deeper
        self._items: list[tuple[int, str, str]] = []
        self._lists = 0
        self._numbers: list[tuple[int, str]] = []
        self._quotes = 0
        self._source: Sequence[str] = ()
        self._weights: dict[int, str] = {}

    def read(self, tokens: Sequence[Token], source: Sequence[str]) -> None:
        """Add all tokens to the draft; `source` is the lines that they were read from."""
        self._source = source
        self._weights = _weights(tokens)
        at = 0
        while at < len(tokens):
            at = self._step(tokens, at)
        self._flush()

    def _step(self, tokens: Sequence[Token], at: int) -> int:
        """Read the element that starts at a token; return the index after it."""
        token = tokens[at]
        if token.type in ("bullet_list_open", "ordered_list_open"):
            self._lists += 1
            is_numbered = token.tag == "ol"
            number = int(token.attrGet("start") or 1) if is_numbered else 0
            self._numbers.append((number, token.markup if is_numbered else self._weights.get(at, "")))
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self._lists -= 1
            self._numbers.pop()
            if self._lists == 0:
                self._flush()
        elif token.type == "list_item_open":
            number, sign = self._numbers[-1]
            mark = sign if sign in WEIGHING.values() else f"{number}{sign}"
            self._items.append((self._lists - 1, "", mark if sign else ""))
            self._numbers[-1] = (number + 1, sign)
        elif token.type in ("blockquote_open", "blockquote_close"):
            self._quotes += 1 if token.type == "blockquote_open" else -1
        elif token.type == "heading_open":
            self._heading(token, inline_text(tokens[at + 1]))
            return at + 3
        elif token.type == "table_open":
            return self._table(tokens, at)
        elif token.type == "inline":
            self._text(inline_text(token))
        else:
            self._block(token)
        return at + 1

    def _block(self, token: Token) -> None:
        if token.type in ("fence", "code_block"):
            self._flush()
            directive = myst.DIRECTIVE.fullmatch(token.info.strip())
            if directive:
                self._directive(directive.group(1), directive.group(2), token.content)
            else:
                self._draft.caption(_title_of(token.info), self._page)
                self._draft.code(token.content, self._page)
        elif token.type == "html_block":
            self._html(token.content)

    def _directive(self, name: str, argument: str, body: str) -> None:
        if (text := myst.as_rst(name, argument, body)) is not None and not rst.LONG_RUN.search(text):
            rst.read_text(text, self._draft, self._level)
            return
        if argument:
            self._draft.paragraph(argument, self._page)
        self._draft.code(body, self._page)

    def _html(self, markup: str) -> None:
        markup = _COMMENT.sub("", markup)
        if not markup.strip():
            return
        self._flush()
        read_fragment(markup, self._draft, self._page)

    def _heading(self, token: Token, text: str) -> None:
        if self._lists or self._quotes:
            self._text(text)
            return
        self._flush()
        self._level = int(token.tag[1:]) + self._deeper
        self._draft.heading(_NAMED.sub("", text), self._level, self._page)

    def _text(self, text: str) -> None:
        if not self._lists or not self._items:
            self._draft.paragraph(text, self._page)
            return
        depth, before, mark = self._items[-1]
        self._items[-1] = (depth, f"{before}\n{text}" if before else text, mark)

    def _table(self, tokens: Sequence[Token], at: int) -> int:
        self._flush()
        rows: list[list[str]] = []
        line: list[int] | None = None
        while tokens[at].type != "table_close":
            if tokens[at].type == "tr_open":
                rows.append([])
                line = tokens[at].map
            elif tokens[at].type == "inline":
                rows[-1].append(inline_text(tokens[at]))
            elif tokens[at].type == "tr_close" and line is not None:
                rows[-1] += self._extra_cells(line[0], len(rows[-1]))
            at += 1
        self._draft.table(rows, self._page)
        return at + 1

    def _extra_cells(self, line: int, n_read: int) -> list[str]:
        """Return the cells of a row beyond the columns of its table, which CommonMark drops."""
        cells = escapedSplit(self._source[line].strip()) if line < len(self._source) else []
        cells = cells[1:] if cells and not cells[0].strip() else cells
        cells = cells[:-1] if cells and not cells[-1].strip() else cells
        return [cell.strip() for cell in cells[n_read:]]

    def _flush(self) -> None:
        self._draft.listing(self._items, self._page)
        self._items = [(depth, "", "") for depth, _, _ in self._items[-1:]] if self._lists else []


def _title_of(info: str) -> str:
    """Return what stands above code by its opening line: the name of its file or tab."""
    title = _FENCE_TITLE.search(info)
    return _ICONS.sub("", title.group(2)) if title else ""


def _is_between_figures(children: Sequence[Token], at: int) -> bool:
    """Return whether an emphasis mark is between two digits: without it, "2*3*4" would become another number."""
    before, after = (children[n].content if 0 <= n < len(children) else "" for n in (at - 1, at + 1))
    return before[-1:].isdigit() and after[:1].isdigit()


def _without_dialects(text: str) -> str:
    """Return text without what Obsidian and Pandoc add to it: links by names, remarks, highlights, classes."""
    text = _WIKI_LINK.sub(lambda link: "" if link.group(1) else link.group(3) or link.group(2), text)
    text = _REMARK.sub("", text) if "%%" in text else text
    return _CLASSED.sub(r"\1", _MARKED.sub(r"\1", text))


def _weights(tokens: Sequence[Token]) -> dict[int, str]:
    """Return how the points of each list are marked that stands right beside a list with the other sign, by its place.

    Of "+ fast" and "- dear" one speaks for a thing and one against it. Signs that stand alone are a matter of style.
    """
    weights: dict[int, str] = {}
    opened: list[int] = []
    for at, (token, following) in enumerate(pairwise(tokens)):
        if token.type == "bullet_list_open":
            opened.append(at)
        elif token.type == "bullet_list_close":
            first = opened.pop()
            signs = tokens[first].markup, following.markup
            if following.type == "bullet_list_open" and set(signs) == set(WEIGHING):
                weights |= {first: WEIGHING[signs[0]], at + 1: WEIGHING[signs[1]]}
    return weights


def _by_role(parts: list[str], code: str) -> str:
    """Return what is shown of code; a role of Sphinx before it is taken from the parts."""
    role = _ROLE.search(parts[-1]) if parts else None
    if role is None or not sphinx_roles.is_known(role.group(1)):
        return code
    parts[-1] = parts[-1][: role.start()]
    return sphinx_roles.shown(role.group(1), code)


def inline_text(token: Token) -> str:
    """Return the visible text of an inline token: link labels, and the descriptions of pictures."""
    parts: list[str] = []
    children = token.children or []
    for at, child in enumerate(children):
        if child.type in ("text", "text_special"):
            takes = at > 0 and children[at - 1].type in _TAKES
            content = _GIVEN_TO.sub("", child.content) if takes else child.content
            parts.append(_without_dialects(_MARK.sub(r"[\1]", content)))
        elif child.type == "code_inline":
            parts.append(_by_role(parts, child.content))
        elif child.type in _EMPHASIS and _is_between_figures(children, at):
            parts.append(child.markup)
        elif child.type == "softbreak":
            parts.append(" ")
        elif child.type == "hardbreak":
            parts.append("\n")
        elif child.type == "image":
            parts.append(inline_text(child))
        elif child.type == "html_inline":
            parts.append("\n" if _BREAK.fullmatch(child.content) else _mark_of(child.content))
    text = "".join(parts)
    icons = _ICONS.match(text)
    return _SHORTCODE.sub("", text[icons.end() :] if icons else text)


def _mark_of(tag: str) -> str:
    """Return what a component without content stands for inside a line: its label, or its name ("Check", "Cross")."""
    component = _COMPONENT.fullmatch(tag)
    if component is None:
        return ""
    label = _COMPONENT_LABEL.search(component.group(2) or "")
    return label.group(2) if label else component.group(1)
