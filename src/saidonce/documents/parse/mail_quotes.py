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

from saidonce.documents.parse import html, plain
from saidonce.documents.parse.draft import DocumentDraft, one_line, printable
from saidonce.foundation.model import Element, Kind, MediaPlace

_SESSION = re.compile(r">>>(?!>) ?")
"""Before the lines of a session with Python; nobody begins with the third mail of a thread."""

_UNMARKED = re.compile(r"\s{0,3}> ?")
_ADDRESS = re.compile(r"[\s(<\[]*(?:mailto:)?([\w.+%'-]{1,64}@[\w.-]{1,100})[>)\]]*")
_TIME = re.compile(r"\d{1,2}[:.h]\d{2}")
_DATED_ADDRESS = re.compile(r"\d{4}-\d\d-\d\d\b.{0,80}@[\w.-]{1,100}[>)\]]{1,2}\s?:")
_AFTER_TIME = re.compile(r"(?:[\s,;]|\b(?:[AaPp]\.?[Mm]\b\.?|Uhr\b|uhr\b|h\b|[A-Z]{3,4}\b)|\([A-Z]{3,5}\))*")
_QUOTES = " \t\"'*_\u201c\u201d\u201e\u00ab\u00bb,;"
_LONGEST_LINE, _MOST_LINES = 300, 3
"""Characters and lines of a line that names who is quoted, broken by the width of the mail."""

_PARTICLES = frozenset(
    "af al ben bin d' da das de del della den der di do dos du e el i la las le los of per st. te ten ter und van via"
    " vom von y zu zum zur".split()
)
_LONGEST_NAME = 7
_LABELLED = re.compile(r"\s{0,3}[*_]{0,2}([^\W\d][\w\u2019' -]{0,20}?)\s?[*_]{0,2}\s?:\s?[*_]{0,2}(?:\s+(.*))?\s*")
_LEAST_LABELS, _MOST_LABELS = 3, 20
_SHORTEST_RULE = 12
_MOST_DEPTH = 12
"""Mails of a thread that are told apart where each quotes the one before; the innermost hold the rest."""

_ALWAYS, _IF_NAMED, _ENDS = "\ue000", "\ue001", "\ue002"
"""Private characters, which no mail is left to write, that stand in a page where a quotation begins and ends."""

_BLOCKQUOTE = re.compile(r"<(/?)blockquote\b([^>]{0,2000})>", re.I)
_CITED = re.compile(r"\btype\s*=\s*[\"']?cite|\bclass\s*=\s*[\"']?[^\"'>]{0,200}(?:quote|cite)", re.I)


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
    for stretch in _stretches(printable(text).split("\n"), _Voice(), 0):
        if stretch.is_naming:
            draft.record(line.strip(" \t*_") for line in stretch.lines if not _is_rule(line))
            continue
        n_before = len(draft.elements)
        plain.read_text("\n".join(stretch.lines), draft)
        attribute(draft, n_before, stretch.voice.place)


def read_page(markup: str, draft: DocumentDraft) -> None:
    """Add the HTML of a mail to a draft."""
    plain_markup = markup.translate(dict.fromkeys(map(ord, (_ALWAYS, _IF_NAMED, _ENDS))))
    n_before = len(draft.elements)
    html.read_fragment(_BLOCKQUOTE.sub(_with_sign, plain_markup), draft)
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


def _stretches(lines: Sequence[str], voice: _Voice, depth: int) -> Iterator[_Stretch]:
    """Yield the stretches of a body, or of what it quotes, each by one person."""
    held: list[str] = []
    at, last = 0, ""
    while at < len(lines):
        if not lines[at].strip():
            held.append(lines[at])
            at += 1
            continue
        naming = _head(lines, at) or _attribution(lines, at)
        end = at + naming.n_lines if naming else at
        n_marked = _marked(lines, _filled(lines, end)) if naming is None or not naming.is_head else 0
        if naming is None and not n_marked:
            held.append(lines[at])
            at += 1
            continue
        yield _Stretch(tuple(held), voice)
        held = []
        if naming is not None:
            yield _Stretch(tuple(lines[at:end]), voice, is_naming=bool(naming.name) or naming.is_head)
        last = naming.name if naming else last
        at = end if naming is not None and naming.is_head else _filled(lines, end) + n_marked
        if naming is not None and naming.is_head:
            voice = _Voice(last, is_quoted=True)
            continue
        inner = [_UNMARKED.sub("", line, count=1) for line in lines[at - n_marked : at]]
        if depth < _MOST_DEPTH:
            yield from _stretches(inner, _Voice(last, is_quoted=True), depth + 1)
        else:
            yield _Stretch(tuple(line.lstrip("> ") for line in inner), _Voice(is_quoted=True))
    yield _Stretch(tuple(held), voice)


def _filled(lines: Sequence[str], at: int) -> int:
    """Return the place of the next line that is not empty."""
    return next((place for place in range(at, len(lines)) if lines[place].strip()), at)


def _marked(lines: Sequence[str], at: int) -> int:
    """Return how many lines from one on bear the mark of a quotation, with the empty ones between them."""
    if at >= len(lines) or not _UNMARKED.match(lines[at]) or _SESSION.match(lines[at]):
        return 0
    end = at
    for place in range(at, len(lines)):
        if _UNMARKED.match(lines[place]):
            end = place + 1
        elif lines[place].strip():
            break
    return end - at


def _attribution(lines: Sequence[str], at: int) -> _Naming | None:
    """Return the line over a quotation that says who wrote it.

    Without marks below it, it is one if it says when and has an address.
    """
    for n_lines in range(1, _MOST_LINES + 1):
        joined = one_line(" ".join(lines[at : at + n_lines]))
        if len(joined) > _LONGEST_LINE or at + n_lines > len(lines) or not lines[at + n_lines - 1].strip():
            return None
        if not joined.endswith(":"):
            continue
        who = _who(joined)
        if who is None:
            return None
        if _marked(lines, _filled(lines, at + n_lines)):
            return _Naming(n_lines, who)
        is_sure = bool(who and _ADDRESS.search(joined) and _TIME.search(joined))
        return _Naming(n_lines, who, is_head=True) if is_sure else None
    return None


def _who(line: str) -> str | None:
    """Return whom a line names as the writer of what is below it; empty if nobody surely, None if it does not."""
    opens, wrote = _verbs()
    body = line.removesuffix(":").strip()
    if _DATED_ADDRESS.fullmatch(line):
        return _name_in(body, is_timed=True)
    verb = wrote.search(body)
    if verb is None:
        return None
    before, after = body[: verb.start()].strip(), body[verb.end() :].strip()
    is_timed = opens.match(before) is not None and any(c.isdigit() for c in before)
    if is_timed and after and not any(c.isdigit() for c in _ADDRESS.sub("", after)):
        return _name_in(after, is_timed=False)
    if after and not any(c.isdigit() for c in after):
        return None
    return _name_in(before, is_timed=is_timed)


def _name_in(words: str, *, is_timed: bool) -> str:
    """Return the name in what a line says of who wrote, or else the address; empty if it may be no name."""
    address = _ADDRESS.search(words)
    shown = words[: address.start()] if address else words
    if is_timed:
        behind = re.split(r"\d", shown)[-1]
        time = _AFTER_TIME.match(behind)
        shown = behind[time.end() :] if time else behind
    name = one_line(shown).strip(_QUOTES)
    if address:
        return name or address.group(1)
    parts = name.split()
    is_name = 0 < len(parts) <= _LONGEST_NAME and all(p.casefold() in _PARTICLES or _is_capital(p) for p in parts)
    return name if is_name else ""


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
    listed = {word for table in _tables().values() for word in table[key].split("|")}
    return "|".join(map(re.escape, sorted(listed, key=lambda word: (-len(word), word))))


@cache
def _verbs() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(rf"(?:{_any_of('opens')})\b", re.I), re.compile(rf"\s(?:{_any_of('wrote')})(?!\S)", re.I)


@cache
def _original() -> re.Pattern[str]:
    words = _any_of("original")
    return re.compile(rf"-{{2,}} ?(?:{words}) ?-{{2,}}|(?:{words}) ?:")


@cache
def _labels() -> dict[str, str]:
    names = ("from", "sent", "to", "subject")
    return {word: name for table in _tables().values() for name in names for word in table[name].split("|")}


def _with_sign(tag: re.Match[str]) -> str:
    """Return a tag of a quotation with the sign that it begins or ends."""
    if tag.group(1):
        return f"<p>{_ENDS}</p>{tag.group(0)}"
    return f"{tag.group(0)}<p>{_ALWAYS if _CITED.search(tag.group(2)) else _IF_NAMED}</p>"


def _attributed(elements: Sequence[Element]) -> list[Element]:
    """Return the elements of a page without its signs, each marked as the text of who says it."""
    shown: list[Element] = []
    voices, last = [_Voice()], [""]
    for element in elements:
        sign = element.text.strip()
        if sign in (_ALWAYS, _IF_NAMED):
            who = _taken_as_naming(shown)
            last[-1] = who if who is not None else last[-1]
            is_quoted = sign == _ALWAYS or who is not None
            voices.append(_Voice(last[-1], is_quoted=True) if is_quoted else voices[-1])
            last.append("")
        elif sign == _ENDS:
            if len(voices) > 1:
                voices.pop()
                last.pop()
        elif (head := _page_head(element)) is not None:
            shown += [_placed(part, voices[-1].place) for part in head[0]]
            voices[-1] = _Voice(head[1], is_quoted=True)
        else:
            shown.append(_placed(element, voices[-1].place))
    return shown


def _taken_as_naming(shown: list[Element]) -> str | None:
    """Return whom the last paragraph names as the writer of what follows, which makes it a record."""
    if not shown or shown[-1].kind is not Kind.PARAGRAPH:
        return None
    line = one_line(shown[-1].text)
    who = _who(line) if line.endswith(":") and len(line) <= _LONGEST_LINE else None
    if who:
        shown[-1] = replace(shown[-1], kind=Kind.RECORD)
    return who


def _page_head(element: Element) -> tuple[list[Element], str] | None:
    """Return a paragraph that is, or ends with, the head of another mail: what stands before it, it, and its sender."""
    if element.kind is not Kind.PARAGRAPH:
        return None
    lines = element.text.split("\n")
    for at, line in enumerate(lines):
        naming = _head(lines, at) if line.strip() else None
        if naming is not None and at + naming.n_lines == len(lines):
            before = [replace(element, text="\n".join(lines[:at]))] if at else []
            return [*before, replace(element, kind=Kind.RECORD, text="\n".join(lines[at:]))], naming.name
    return None
