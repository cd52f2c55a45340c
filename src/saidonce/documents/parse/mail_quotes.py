"""Read the body of a mail: what it quotes of another one is marked as the text of that one's sender.

A reply repeats the mail that it answers below a line that names its sender ("On Tuesday at 10:00, Alice Fenn wrote:")
with a mark before each line, or below its head ("From: Alice Fenn, Sent: …"). The line or the head stays as a record.
Where nobody is named, nobody is known to say it; the sender of the reply is not the one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from lxml import etree

from saidonce.documents.parse import html, plain
from saidonce.documents.parse.draft import DocumentDraft, one_line, printable
from saidonce.documents.parse.mail_marks import MARKED, with_whole_marks
from saidonce.documents.parse.mail_quotes_east import EasternLeads
from saidonce.foundation.model import Element, Kind, MediaPlace

_SESSION = re.compile(r">>>(?!>) ?")
"""Before all lines of a session with Python; a thread goes on with the mails that quote the third one."""

_MORE_THAN = re.compile(r"\s{0,3}>\s*[=~\u2248+\u00b1\u2212-]?\s*\W?\s?\d")
"""A mark that may be said: "> 10 people", ">= 5", "> \u20ac 20"."""

_LEAST_UNNAMED = 2
"""Lines with marks below no line that names somebody, from which they are a quotation."""

_ADDRESS = re.compile(r"[\s(<\[]*(?:mailto:)?([\w.+%'-]{1,64}@[\w.-]{1,100})[>)\]]*")
_TIME = re.compile(r"(?<![\d.:/])(?:[01]?\d|2[0-3])(?:[:h][0-5]\d(?!\d)|\.[0-5]\d(?![.\d]))")
_DATE = re.compile(r"(?<!\d)\d{4}(?!\d)|\d[./-] ?\d{1,2}[./-] ?\d")
_DATED_ADDRESS = re.compile(r"\d{4}-\d\d-\d\d\b.{0,80}@[\w.-]{1,100}[>)\]]{1,2}\s?:")
_AFTER_TIME = re.compile(r"(?:[\s,;]|\b(?:[AaPp]\.?[Mm]\b\.?|Uhr\b|uhr\b|h\b|[A-Z]{3,4}\b)|\([A-Z]{3,5}\))*")
_QUOTES = " \t\"'*_\u201c\u201d\u201e\u00ab\u00bb,;"
_COLONS = (":", "\uff1a")
_LONGEST_LINE, _MOST_LINES = 300, 3
"""Characters and lines of a line that names who is quoted, broken by the width of the mail."""

_PARTICLES = frozenset(
    "af al ben bin d' da das de del della den der di do dos du e el i la las le los of per st. te ten ter und van via"
    " vom von y zu zum zur".split()
)
_SPACELESS = ("zh", "ja", "ko")
"""Languages whose lines part no words, or join them with what follows the name."""

_LONGEST_NAME = 7
_NO_NAMES = frozenset("on in at by am im um en au op om em il den dnia kl".split())
"""Words before a time, with which no name begins."""

_LABELLED = re.compile(
    r"\s{0,3}[*_]{0,2}([^\W\d][\w\u2019' -]{0,20}?)\s?[*_]{0,2}\s?"
    r"(?::|\uff1a)\s?[*_]{0,2}(?:(?:\s+|(?<=\uff1a))(.*))?\s*"
)
_LEAST_LABELS, _MOST_LABELS = 3, 20
_SHORTEST_RULE = 12
_MOST_DEPTH = 12
"""Mails of a thread that are told apart where each quotes the one before; the innermost hold the rest."""

_ALWAYS, _IF_NAMED, _ENDS = "\ue000", "\ue001", "\ue002"
"""Private characters, which no mail is left to write, that stand in a page where a quotation begins and ends."""

_SIGNS = re.compile(f"\\s*[{_ALWAYS}-{_ENDS}]")
_NO_SIGNS = dict.fromkeys(map(ord, (_ALWAYS, _IF_NAMED, _ENDS)))
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LISTS = frozenset("ul ol menu dir dl".split())
_ONE_TEXT = frozenset((*"pre listing xmp caption figcaption button sup sub ruby math".split(), *_HEADINGS))
"""What a page is read of as one text; a quotation in it is a part of that."""


@dataclass(frozen=True, slots=True)
class _Voice:
    """Who says a stretch of a mail: its own sender, or one whom it quotes, if named."""

    speaker: str = ""
    is_quoted: bool = False

    @property
    def place(self) -> MediaPlace | None:
        """Return what marks a text as theirs."""
        return MediaPlace(speaker=self.speaker, is_quoted=True) if self.is_quoted else None


@dataclass(frozen=True, slots=True)
class _Naming:
    """Lines that name who is quoted.

    Attributes:
        n_lines: how many they are.
        name: empty if they name nobody that is surely one.
        is_head: whether all that follows is quoted, with or without marks.
    """

    n_lines: int
    name: str
    is_head: bool = False


@dataclass(frozen=True, slots=True)
class _Stretch:
    lines: tuple[str, ...]
    voice: _Voice
    is_naming: bool = False


def read_body(text: str, draft: DocumentDraft) -> None:
    """Add the plain text of a mail to a draft."""
    for stretch in _QuoteLevel(printable(text).split("\n"), _Voice()).read():
        if stretch.is_naming:
            draft.record(line.strip(" \t*_") for line in stretch.lines if not _is_rule(line))
            continue
        n_before = len(draft.elements)
        plain.read_text("\n".join(stretch.lines), draft)
        attribute(draft, n_before, stretch.voice.place)


def read_page(markup: str, draft: DocumentDraft) -> None:
    """Add the HTML of a mail to a draft."""
    n_before = len(draft.elements)
    html.read_fragment(markup, draft, prepare=_set_signs)
    if not any(_SIGNS.sub("", element.text) for element in draft.elements[n_before:]):
        del draft.elements[n_before:]
        html.read_fragment(markup, draft)
    draft.elements[n_before:] = _attributed(draft.elements[n_before:])


def _is_rule(line: str) -> bool:
    """Return whether a line only says that a mail follows: "-----Original Message-----"."""
    return not line.strip(" _-*") or _original().fullmatch(one_line(line).casefold()) is not None


def attribute(draft: DocumentDraft, n_before: int, place: MediaPlace | None) -> None:
    """Mark what was added to a draft as the text of one who is quoted; what has a place of its own stays as it is."""
    if place is not None:
        for at in range(n_before, len(draft.elements)):
            draft.elements[at] = _placed(draft.elements[at], place)


def _placed(element: Element, place: MediaPlace | None) -> Element:
    return element if place is None or element.place is not None else replace(element, place=place)


class _QuoteLevel:
    """The lines of a body, or of what it quotes, read in stretches, each by one person."""

    def __init__(self, lines: Sequence[str], voice: _Voice, depth: int = 0) -> None:
        self._lines = lines = with_whole_marks(lines)
        self.voice = voice
        self._depth = depth
        self._held: list[str] = []
        self._named = ""
        self._is_below_head = False
        self._has_quoted = False
        self._last_marked = max((at for at, line in enumerate(lines) if MARKED.match(line)), default=-1)

    def read(self) -> Iterator[_Stretch]:
        """Yield the stretches."""
        at = 0
        while at < len(self._lines):
            naming = self._naming(at)
            first = at if naming is None else _filled(self._lines, at + naming.n_lines)
            n_marked = 0 if naming is not None and naming.is_head else _marked(self._lines, first)
            if naming is None and (not n_marked or self._is_own(self._lines[at : at + n_marked])):
                self._held += self._lines[at : at + max(n_marked, 1)]
                at += max(n_marked, 1)
                continue
            self._forget_if_answered()
            yield self._let_go()
            if naming is not None:
                yield self._opened(naming, self._lines[at : at + naming.n_lines])
                at += naming.n_lines
            if n_marked:
                at = first + n_marked
                yield from self._quoted(self._lines[first:at], is_named=naming is not None or bool(self._named))
        yield self._let_go()

    def _naming(self, at: int) -> _Naming | None:
        if not self._lines[at].strip() or MARKED.match(self._lines[at]):
            return None
        return _head(self._lines, at) or _attribution(self._lines, at, self._last_marked)

    def _is_own(self, marked: Sequence[str]) -> bool:
        """Return whether lines below no line that names somebody bear a mark that is no quotation's, or may be none."""
        if self.voice.is_quoted or (self._named and not _has_words(*self._held)):
            return False
        if _is_session(marked):
            return True
        n_filled = sum(bool(MARKED.sub("", line, count=1).strip()) for line in marked)
        return not self._has_quoted and (n_filled < _LEAST_UNNAMED or _MORE_THAN.match(marked[0]) is not None)

    def _forget_if_answered(self) -> None:
        """End what the last line names that names somebody where other text stands below what that one says."""
        if _has_words(*self._held):
            self._named, self._is_below_head = "", False

    def _let_go(self) -> _Stretch:
        held, self._held = self._held, []
        return _Stretch(tuple(held), self.voice)

    def _opened(self, naming: _Naming, lines: Sequence[str]) -> _Stretch:
        stretch = _Stretch(tuple(lines), self.voice, is_naming=bool(naming.name) or naming.is_head)
        self._named = "" if naming.is_head else naming.name
        self._is_below_head = naming.is_head
        self.voice = _Voice(naming.name, is_quoted=True) if naming.is_head else self.voice
        return stretch

    def _quoted(self, marked: Sequence[str], *, is_named: bool) -> Iterator[_Stretch]:
        if self._is_below_head:  # the other mail itself, or what that one quotes
            self.voice, self._is_below_head = _Voice(is_quoted=True), False
        self._has_quoted = True
        if not is_named and (_MORE_THAN.match(marked[0]) or _is_session(marked)):
            yield _Stretch(tuple(marked), _Voice(is_quoted=True))
            return
        inner = [MARKED.sub("", line, count=1) for line in marked]
        if self._depth < _MOST_DEPTH:
            yield from _QuoteLevel(inner, _Voice(self._named, is_quoted=True), self._depth + 1).read()
        else:
            yield _Stretch(tuple(line.lstrip("> ") for line in inner), _Voice(is_quoted=True))


def _has_words(*texts: str) -> bool:
    return any(c.isalnum() for text in texts for c in text)


def _is_session(marked: Sequence[str]) -> bool:
    return all(_SESSION.match(line) for line in marked if line.strip())


def _filled(lines: Sequence[str], at: int) -> int:
    """Return the place of the next line that is not empty."""
    return next((place for place in range(at, len(lines)) if lines[place].strip()), at)


def _marked(lines: Sequence[str], at: int) -> int:
    """Return how many lines from one on bear the mark of a quotation, with the empty ones between them."""
    if at >= len(lines) or not MARKED.match(lines[at]):
        return 0
    end = at
    for place in range(at, len(lines)):
        if MARKED.match(lines[place]):
            end = place + 1
        elif lines[place].strip():
            break
    return end - at


def _attribution(lines: Sequence[str], at: int, last_marked: int) -> _Naming | None:
    """Return the line over a quotation that says who wrote it.

    Without marks right below it, it is one if it says when and has an address; if marks stand anywhere below, then
    only lines with them are quoted.
    """
    for n_lines in range(1, _MOST_LINES + 1):
        joined = one_line(" ".join(lines[at : at + n_lines]))
        if len(joined) > _LONGEST_LINE or at + n_lines > len(lines) or not lines[at + n_lines - 1].strip():
            return None
        if MARKED.match(lines[at + n_lines - 1]):
            return None
        if not joined.endswith(_COLONS):
            continue
        who = _who(joined) if n_lines == 1 or _goes_on(lines[at : at + n_lines]) else None
        if who is None:
            return None
        if _marked(lines, _filled(lines, at + n_lines)):
            return _Naming(n_lines, who)
        is_sure = bool(who and _ADDRESS.search(joined) and _TIME.search(joined))
        return _Naming(n_lines, who, is_head=last_marked < at) if is_sure else None
    return None


def _goes_on(lines: Sequence[str]) -> bool:
    """Return whether lines that a colon ends are one: the first says when, or the last names nobody by itself."""
    first = one_line(" ".join(lines[:-1]))
    opens, last = _verbs()[0], one_line(lines[-1])
    if _begins_with_date(first) or (opens.match(first) and any(c.isdigit() for c in first)):
        return True
    return _ADDRESS.match(last) is not None or not _who(last)


def _who(line: str) -> str | None:
    """Return whom a line names as the writer of what is below it; empty if nobody surely, None if it does not."""
    opens, wrote = _verbs()
    body = line.removesuffix(":").strip()
    if _DATED_ADDRESS.fullmatch(line):
        return _name_in(body, is_timed=True)
    if (name := _eastern().name_in(line)) is not None:
        return name
    verb = wrote.search(body)
    if verb is None:
        return None
    before, after = body[: verb.start()].strip(), body[verb.end() :].strip()
    is_timed = (opens.match(before) is not None and any(c.isdigit() for c in before)) or _only_says_when(before)
    is_timed = is_timed or (_begins_with_date(before) and _TIME.search(before) is not None)
    if is_timed and after and not any(c.isdigit() for c in _ADDRESS.sub("", after)):
        return _name_in(after, is_timed=False)
    if after and not any(c.isdigit() for c in after):
        return None
    return _name_in(before, is_timed=is_timed)


def _name_in(words: str, *, is_timed: bool) -> str:
    """Return the name in what a line says of who wrote, or else the address; empty if it may be no name."""
    address = _ADDRESS.search(words)
    shown = words[: address.start()] if address else words
    name = _without_time(_behind_date(shown) if is_timed or _begins_with_date(shown) else shown)
    if address:
        return name or address.group(1)
    parts = name.split()
    is_name = 0 < len(parts) <= _LONGEST_NAME and all(p.casefold() in _PARTICLES or _is_capital(p) for p in parts)
    return name if is_name else ""


def _behind_date(words: str) -> str:
    """Return what stands behind the last number, and behind the month or the rest of the time that belong to it."""
    *_, behind = re.split(r"\d", words)
    date = words.removesuffix(behind)
    time = _AFTER_TIME.match(behind)
    behind = behind[time.end() :] if time else behind
    listed = [_bare(word) for word in date.split()]
    month = re.match(r"(?:(?:of|de) )?([^\W\d_]+)[.,]?(?!\S)\s*", behind)
    is_day = bool(listed) and re.fullmatch(r"\d{1,2}", listed[-1]) is not None and _months().isdisjoint(listed)
    return behind[month.end() :] if month and is_day and month[1].casefold() in _months() else behind


def _begins_with_date(words: str) -> bool:
    first = next(iter(words.split()), "")
    return any(c.isdigit() for c in words) and (first[:1].isdigit() or _bare(first) in _whens())


def _without_time(words: str) -> str:
    """Return a name without the words before it that say when; empty where a word may be a part of either."""
    parts = words.split()
    listed = [_bare(part) for part in parts]
    n_cut = _n_words_of_time(parts, listed)
    if n_cut is None:
        return ""
    while n_cut and listed[n_cut : n_cut + 1] and listed[n_cut] in _words_of("times"):
        n_cut += 1
    is_unsure = n_cut or (listed and listed[0] in _NO_NAMES)
    if is_unsure and not (_whens() | _NO_NAMES).isdisjoint(listed[n_cut:]):
        return ""
    return one_line(" ".join(parts[n_cut:])).strip(_QUOTES)


def _n_words_of_time(parts: Sequence[str], listed: Sequence[str]) -> int | None:
    """Return how many words at the front surely begin to say when; None if they may, or may be a name."""
    first, second = (*listed, "", "")[:2]
    names, times = _words_of("names"), _words_of("times")
    if first in _words_of("opens") and second in _words_of("days") | times:
        return 2 if second not in names or parts[1].endswith((",", ".")) else None
    if first in times and (first not in names or second in times | _words_of("days")):
        return 2 if first in names else 1
    is_name = first in names and len(parts) > 1 and not parts[0].endswith((",", "."))
    return 0 if first not in _whens() or is_name else None


def _only_says_when(words: str) -> bool:
    """Return whether words say nothing but when: "Yesterday evening", "On Tuesday"."""
    listed = [_bare(word) for word in words.split()]
    return not _whens().isdisjoint(listed) and all(word in _whens() | _words_of("opens") for word in listed)


def _bare(word: str) -> str:
    return word.strip(".,;:()").casefold()


def _is_capital(word: str) -> bool:
    letters = [c for c in word if c.isalpha()]
    return bool(letters) and not letters[0].islower()


def _head(lines: Sequence[str], at: int) -> _Naming | None:
    """Return the head of a mail in another one: its labels, or a line that says that the original follows."""
    is_ruled, first = _original().fullmatch(one_line(lines[at]).casefold()) is not None, at
    is_line = not is_ruled and len(lines[at].strip()) >= _SHORTEST_RULE and not lines[at].strip(" _-*")
    if is_ruled or is_line:
        first = _filled(lines, at + 1)
        if first == at + 1 >= len(lines):
            return None
    if first == at and at and _label(lines[at - 1]) is not None:
        return None  # a head begins with its first label
    values: dict[str, str] = {}
    end = first
    while end < min(len(lines), first + _MOST_LABELS) and (label := _label(lines[end])) is not None:
        values.setdefault(*label)
        end += 1
    if "from" not in values:
        return _Naming(first - at, "", is_head=True) if is_ruled else None
    is_addressed = "subject" in values or ("to" in values and _ADDRESS.search(values["from"]) is not None)
    if not is_ruled and not (len(values) >= _LEAST_LABELS and "sent" in values and is_addressed):
        return None
    is_under_line = first > at and "_" in lines[at]
    is_dated = _TIME.search(values.get("sent", "")) is not None and _DATE.search(values["sent"]) is not None
    if not (is_ruled or is_under_line or is_dated or _ADDRESS.search(values["from"])):
        return None
    return _Naming(end - at, _sender(values["from"]), is_head=True)


def _sender(value: str) -> str:
    """Return the name in the value of a head, or else its address."""
    address = _ADDRESS.search(value)
    shown = value[: address.start()] if address else value
    return one_line(shown).strip(_QUOTES) or (address.group(1) if address else "")


def _label(line: str) -> tuple[str, str] | None:
    """Return which label of a head a line has, and its value."""
    match = _LABELLED.fullmatch(line[:_LONGEST_LINE])
    name = _labels().get(match.group(1).strip().casefold()) if match else None
    return (name, (match.group(2) or "").strip()) if match and name else None


@cache
def _tables() -> dict[str, dict[str, str]]:
    written = files("saidonce.documents.parse").joinpath("mail_quotes.toml").read_text("utf-8")
    return tomllib.loads(written)


def _any_of(key: str) -> str:
    """Return an expression for the words of all languages under a key, longest first."""
    listed = {word for name, table in _tables().items() if name not in _SPACELESS for word in table[key].split("|")}
    return "|".join(map(re.escape, sorted(listed, key=lambda word: (-len(word), word))))


@cache
def _words_of(key: str) -> frozenset[str]:
    return frozenset(word for table in _tables().values() for word in table[key].split("|") if word)


@cache
def _eastern() -> EasternLeads:
    """Return what finds whom a line names in scripts that part no words."""
    listed = (
        "|".join(filter(None, (_tables()[name][key] for name in _SPACELESS))) for key in ("opens", "wrote", "times")
    )
    return EasternLeads(*listed)


def _months() -> frozenset[str]:
    return _words_of("months")


@cache
def _whens() -> frozenset[str]:
    return _words_of("days") | _words_of("months") | _words_of("times")


@cache
def _verbs() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(rf"(?:{_any_of('opens')})\b", re.I), re.compile(rf"\s(?:{_any_of('wrote')})(?!\S)", re.I)


@cache
def _original() -> re.Pattern[str]:
    words = "|".join(sorted(map(re.escape, _words_of("original")), key=lambda word: (-len(word), word)))
    return re.compile(rf"-{{2,}} ?(?:{words}) ?-{{2,}}|(?:{words}) ?:")


@cache
def _labels() -> dict[str, str]:
    names = ("from", "sent", "to", "subject")
    return {word: name for table in _tables().values() for name in names for word in table[name].split("|")}


def _set_signs(root: etree._Element) -> None:
    """Set the signs of where quotations begin and end into a page that has none of its own."""
    quotations = []
    for node in root.iter():
        node.text = node.text.translate(_NO_SIGNS) if node.text else None
        node.tail = node.tail.translate(_NO_SIGNS) if node.tail else None
    walk = etree.iterwalk(root, events=("start",))
    for _, node in walk:
        if _is_one_text(node):
            walk.skip_subtree()
        elif node.tag == "blockquote":
            quotations.append(node)
    for node in quotations:
        is_cited = "cite" in (node.get("type") or "") or re.search("quote|cite", node.get("class") or "", re.I)
        begins, ends = (etree.Element("p") for _ in range(2))
        begins.text, begins.tail, node.text = _ALWAYS if is_cited else _IF_NAMED, node.text, None
        node.insert(0, begins)
        ends.text = _ENDS
        node.append(ends)


def _is_one_text(node: etree._Element) -> bool:
    if node.tag in _LISTS:
        return next(node.iter(*_HEADINGS), None) is None
    is_table = node.tag == "table" and not html.is_layout(node)
    return node.tag in _ONE_TEXT or is_table or node.get("role") in ("table", "grid")


class _PageVoices:
    """The elements of a page, each marked as the text of who says it, without the signs of where quotations begin."""

    def __init__(self) -> None:
        self.shown: list[Element] = []
        self._held: list[Element] = []
        self._voices = [_Voice()]
        self._last = [""]

    def take(self, element: Element) -> None:
        """Add an element, or begin or end a quotation."""
        sign = element.text.strip()
        if sign in (_ALWAYS, _IF_NAMED):
            self._begin(is_cited=sign == _ALWAYS)
        elif sign == _ENDS:
            self.let_go()
            if len(self._voices) > 1:
                self._voices.pop()
                self._last.pop()
        else:
            unsigned = replace(element, text=_SIGNS.sub("", element.text)) if _SIGNS.search(element.text) else element
            if element.kind is Kind.PARAGRAPH and element.place is None:
                self._held.append(unsigned)
                return
            self.let_go()
            self._show([unsigned], self._voices[-1])

    def let_go(self) -> None:
        """Show the paragraphs that wait for what follows them."""
        held, self._held = self._held, []
        if not held:
            return
        lines = [line for element in held for line in (*element.text.split("\n"), "")]
        level = _QuoteLevel(lines, self._voices[-1])
        stretches = [stretch for stretch in level.read() if _has_words(*stretch.lines)]
        if all(stretch.voice == self._voices[-1] and not stretch.is_naming for stretch in stretches):
            self._show(held, self._voices[-1])
            return
        for stretch in stretches:
            self._show(_elements_of(stretch, held[0]), stretch.voice)
        self._voices[-1], self._last[-1] = level.voice, ""

    def _begin(self, *, is_cited: bool) -> None:
        naming = self._taken_as_naming()
        self.let_go()
        if naming is not None:
            self._show([replace(naming[1], kind=Kind.RECORD)] if naming[0] else [naming[1]], self._voices[-1])
        who = naming[0] if naming is not None else None
        is_quoted = is_cited or who is not None
        self._last[-1] = (self._last[-1] if who is None else who) if is_quoted else ""
        self._voices.append(_Voice(self._last[-1], is_quoted=True) if is_quoted else self._voices[-1])
        self._last.append("")

    def _show(self, elements: Sequence[Element], voice: _Voice) -> None:
        self.shown += [_placed(element, voice.place) for element in elements]
        if _has_words(*(element.text for element in elements)):
            self._last[-1] = ""

    def _taken_as_naming(self) -> tuple[str, Element] | None:
        """Take the lines at the end of the last paragraph that name the writer of what follows; return whom."""
        if not self._held:
            return None
        last = self._held[-1]
        lines = last.text.split("\n")
        for at in range(max(len(lines) - _MOST_LINES, 0), len(lines)):
            naming = _attribution([*lines, "> "], at, len(lines))
            if naming is None or at + naming.n_lines != len(lines):
                continue
            self._held[-1:] = [replace(last, text="\n".join(lines[:at]))] if at else []
            return naming.name, replace(last, text="\n".join(lines[at:]))
        return None


def _elements_of(stretch: _Stretch, like: Element) -> list[Element]:
    """Return the paragraphs of a stretch; lines that name somebody are a record."""
    if stretch.is_naming:
        shown = [line.strip(" \t*_") for line in stretch.lines if line.strip() and not _is_rule(line)]
        return [replace(like, kind=Kind.RECORD, text="\n".join(shown))] if shown else []
    blocks = "\n".join(line.rstrip() for line in stretch.lines).split("\n\n")
    return [replace(like, text=text) for block in blocks if (text := block.strip("\n"))]


def _attributed(elements: Sequence[Element]) -> list[Element]:
    """Return the elements of a page without its signs, each marked as the text of who says it."""
    voices = _PageVoices()
    for element in elements:
        voices.take(element)
    voices.let_go()
    return voices.shown
