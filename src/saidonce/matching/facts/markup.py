"""Two texts in one markup: addresses, keys, places in menus, names, broken lines and the numbers of steps.

Each rule reads one form of a text as the form that the other text has, and only where that one has it of the same
address, key, entry, name or words: `Edit > Find` and "choose Find in the Edit menu". What has no answer there stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from saidonce.foundation.capitals import acronyms, defines_keywords, named
from saidonce.foundation.model import Span
from saidonce.foundation.remembering import remembered
from saidonce.foundation.text import sentences
from saidonce.matching.facts.keys import TOGETHER, with_keys_called_alike, with_keys_together
from saidonce.matching.facts.lexicon import language_table, word_list
from saidonce.matching.facts.menus import with_paths
from saidonce.matching.facts.run_in import with_headings_above
from saidonce.matching.facts.written import Written

LONGEST = 4_000
"""Characters of a text up to which it is read."""

Pair = tuple[Written, Written]
Rule = Callable[[Written, str, str], Written]


@remembered(4_096)
def in_one_markup(a: str, b: str, language: str) -> Pair | None:
    """Write two texts in one markup; None where neither comes to be written otherwise."""
    if a == b or max(len(a), len(b)) > LONGEST or not (_is_marked(a, language) or _is_marked(b, language)):
        return None
    one, two = Written.of(a), Written.of(b)
    for rule in _RULES:
        one, two = rule(one, two.text, language), rule(two, one.text, language)
    if one.text == a and two.text == b:
        return None
    return one, two


_MARKS_OF_ANY = re.compile(
    r"[*_`\"\u201c\u201e\u00ab<>@+\n\u203a\u2192\u25b8\u25b6\u27a1\u2610\u2611]|(?<!\w)['\u2018]|://|&gt;|[Mm][Ee][Nn][u\u00fc\u00faU\u00dc\u00da]"
    r"|[^\W\d_a-z\u00df-\u00ff]{4}"
)
"""What a text has of which a rule would write something otherwise, but for the nouns of a language."""


@remembered(8_192)
def _is_marked(text: str, language: str) -> bool:
    """Return whether a rule may write something of a text otherwise; of most texts none does."""
    nouns = _nouns(language)
    return _MARKS_OF_ANY.search(text) is not None or (nouns is not None and nouns.search(text) is not None)


@cache
def _nouns(language: str) -> re.Pattern[str] | None:
    """Return the expression for a noun that says what a name is, or for a step; None without a table."""
    rows = language_table(language).get("markup", {}).get("called", "").strip().splitlines()
    around = [row.partition(" = ")[0].split("NAME") for row in rows]
    nouns = {(behind.split() or before.split())[-1] for before, behind in around}
    step = language_table(language).get("markup", {}).get("step")
    any_of = "|".join([*sorted(map(re.escape, nouns)), *([step] if step else [])])
    return re.compile(rf"(?<!\w)(?:{any_of})(?!\w)", re.IGNORECASE) if any_of else None


_ADDRESS = r"(?:https?|ftp)://[^\s<>()\[\]\"`]{1,400}"
_MAIL = r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}"
_BRACKETED = re.compile(rf"<(?:mailto:)?({_ADDRESS}|{_MAIL})>")
_LINKED = re.compile(rf"(?<!!)\[([^\[\]\n]{{1,200}})\]\((?:mailto:)?({_ADDRESS}|{_MAIL})\)")
_TICKED_ADDRESS = re.compile(rf"`({_ADDRESS}|{_MAIL})`")
_BARE_ADDRESS = re.compile(rf"{_ADDRESS}|{_MAIL}")


def _with_bare_addresses(text: Written, other: str, _language: str) -> Written:
    """Write an address in brackets or strokes as it is, and one behind the words that link to it in round brackets."""
    if "://" not in text.text and "@" not in text.text:
        return text
    there = {hit[0].rstrip(".,;:!?") for hit in _BARE_ADDRESS.finditer(other)}

    def linked(hit: re.Match[str]) -> str:
        if hit[2] not in there:
            return hit[0]
        return hit[2] if hit[1] == hit[2] else f"{hit[1]} ({hit[2]})"

    def bare(hit: re.Match[str]) -> str:
        return hit[1] if hit[1] in there else hit[0]

    return text.replaced(_LINKED, linked).replaced(_BRACKETED, bare).replaced(_TICKED_ADDRESS, bare)


_REFERENCE = re.compile(r"(?<![\]!])\[(?P<words>[^\[\]\n]{1,200})\](?: ?\[(?P<id>[^\[\]\n]{0,60})\])?(?![\[(:])")
_DEFINED = re.compile(r"\n*^[ \t]{0,3}\[(?P<id>[^\]\n]{1,60})\]:[ \t]*<?(?P<address>\S{1,400}?)>?[ \t]*$", re.MULTILINE)


def _with_links_in_place(text: Written, other: str, _language: str) -> Written:
    """Write the address of a link, which stands elsewhere in the text, behind its words, as the other text has it."""
    if "]:" not in text.text or "](" not in other:
        return text
    known = {hit["id"].casefold(): hit["address"] for hit in _DEFINED.finditer(text.text)}

    def in_place(hit: re.Match[str]) -> str:
        linked = f"[{hit['words']}]({known.get((hit['id'] or hit['words']).casefold())})"
        return linked if linked in other else hit[0]

    text = text.replaced(_REFERENCE, in_place)
    left = {(hit["id"] or hit["words"]).casefold() for hit in _REFERENCE.finditer(text.text)}
    return text.replaced(_DEFINED, lambda hit: hit[0] if hit["id"].casefold() in left else "")


_AT_THE_END = re.compile(rf"(?<=[^\s.!?:;,]) ?: ?(?P<address>{_ADDRESS}?)(?=\.?(?:\s|$))")
_BEHIND_WORDS = re.compile(
    rf"(?P<words>[^\n.!?:;]{{1,120}}) \((?P<address>{_ADDRESS})\)(?P<rest>[^\n.!?:;]{{1,120}})[.!?]"
)


def _with_addresses_behind_words(text: Written, other: str, _language: str) -> Written:
    """Write an address at the end of a sentence behind the words that link to it in the other text.

    Both sentences have no other address, and the same words: "is on the staff page: ...".
    """
    if "://" not in text.text or "://" not in other:
        return text
    known = {hit["address"]: hit for hit in _BEHIND_WORDS.finditer(other)}
    edits: list[tuple[int, int, str]] = []
    for hit in _AT_THE_END.finditer(text.text) if known else ():
        model = known.get(hit["address"])
        if model is None or not text.text[: hit.start()].endswith(model["rest"]):
            continue
        before = text.text[: hit.start()].removesuffix(model["rest"])
        linked = re.split(r"\s", model["words"])[-1]
        if before.endswith(linked):
            edits += [(len(before), len(before), f" ({hit['address']})"), (hit.start(), hit.end(), "")]
    return text.edited(edits)


_MARKED = re.compile(
    r"(?<![\w*])\*\*(?P<bold>[^*\n\s](?:[^*\n]{0,58}[^*\n\s])?)\*\*(?![\w*])"
    r"|(?<![\w*])\*(?P<italic>[^*\n\s](?:[^*\n]{0,58}[^*\n\s])?)\*(?![\w*])"
    r"|(?<![\w_])_(?P<stroke>[^_\n\s](?:[^_\n]{0,58}[^_\n\s])?)_(?![\w_])"
    r"|`(?P<code>[^`\n]{1,60})`"
    r"|\"(?P<straight>[^\"\n]{1,200})\"|\u201c(?P<curly>[^\u201c\u201d\n]{1,200})\u201d"
    r"|\u201e(?P<low>[^\u201e\u201c\u201d\n]{1,200})[\u201c\u201d]"
    r"|\u00ab[ \u00a0\u202f]?(?P<angled>[^\u00ab\u00bb\n]{1,200}?)[ \u00a0\u202f]?\u00bb"
    r"|(?<!\w)['\u2018](?P<single>[^'\u2018\u2019\n]{1,60})['\u2019](?!\w)"
)
_RANKS = {
    "italic": 0, "stroke": 0, "bold": 0, "single": 1, "straight": 1, "curly": 1, "low": 1, "angled": 1, "code": 2,
}  # fmt: skip
"""Marks around a name, by how much they say of it: emphasis, quotation marks, strokes of code."""

_EMPHATIC, _QUOTED, _AS_CODE = range(3)
_MARK = re.compile(r"[*_`\"'\u2018\u201c\u201e\u00ab]")
_LONGEST_NAME = 4
"""Words of a name; what has more may be what somebody says."""


def _with_names_marked_alike(text: Written, other: str, language: str) -> Written:
    """Write a name that stands in other marks in the other text in those that say more of it: strokes of code.

    One that stands there in no marks is written without any, if its letters and signs show what it is.
    """
    if not _MARK.search(text.text):
        return text
    there: dict[str, int] = {}
    written = set()
    for rank, name, hit in _names(other):
        there[name] = max(there.get(name, 0), rank)
        written.add(hit[0])
    named = [entry for entry in _names(text.text) if not (entry[2][0] in written and entry[0] == there[entry[1]])]
    edits: list[tuple[int, int, str]] = []
    for rank, name, hit in named:
        most = max(rank, there.get(name, 0))
        if name not in there:
            is_bare = _SHOWS_ITSELF.fullmatch(name) and _stands_bare(name, other)
            instead = name if is_bare else hit[0]
        elif most == _EMPHATIC or _IS_READ.search(name) or (rank != there[name] and _is_speech(name, language)):
            instead = hit[0]
        else:
            instead = f"`{name}`" if most == _AS_CODE else f"\u201c{name}\u201d"
        edits += [(hit.start(), hit.end(), instead)] if instead != hit[0] else []
    return text.edited(edits)


def _names(text: str) -> Iterator[tuple[int, str, re.Match[str]]]:
    for hit in _MARKED.finditer(text):
        yield _RANKS[hit.lastgroup or ""], hit[hit.lastgroup or 0], hit


_SHOWS_ITSELF = re.compile(rf"{TOGETHER.pattern}|(?=[\w.-]*[A-Za-z])[\w-]+(?:\.[\w-]+)+")
"""Keys that are pressed together, and the name of a file: what they are shows without marks."""


_IS_READ = re.compile(r"[#$%\\{}=]")
"""Signs by which a program may read something inside quotation marks, so that it matters which they are."""


def _stands_bare(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w./`-]){re.escape(name)}(?![\w/`-]|\.\w)", text) is not None


def _is_speech(name: str, language: str) -> bool:
    """Return whether what stands in marks may be what somebody says."""
    words = name.casefold().split()
    return len(words) > _LONGEST_NAME or not word_list(language, "persons").isdisjoint(words)


_BARE_NAME = r"(?-i:[^\W\d_a-z\u00df-\u00ff][\w.+]{0,20})"


class _Labelled(NamedTuple):
    """A name with a noun that says what it is: the expression that finds both, what stands instead, and the noun."""

    found_by: re.Pattern[str]
    instead: str
    noun: str


@cache
def _labelled(language: str) -> tuple[_Labelled, ...]:
    """Return the nouns before or behind a name that it is said to be."""
    rows = language_table(language).get("markup", {}).get("called", "").strip().splitlines()
    pairs = ((left.strip(), right.strip()) for left, right in (row.split(" = ") for row in rows if row.strip()))
    return tuple(_Labelled(_around_a_name(left), right.removeprefix("_"), _noun_of(left)) for left, right in pairs)


def _noun_of(row: str) -> str:
    """Return the noun beside the name in a row of the table."""
    before, behind = row.split("NAME")
    return (behind.split() or before.split())[-1].strip("-").casefold()


def _around_a_name(words: str) -> re.Pattern[str]:
    name = rf"(?P<name>{_MARKED_NAME}|{_BARE_NAME})"
    return re.compile(rf"(?<![\w-]){re.escape(words).replace('NAME', name)}(?![\w-])", re.IGNORECASE)


_MARKED_NAME = re.sub(r"\?P<\w+>", "?:", _MARKED.pattern)


def _with_names_alone(text: Written, other: str, language: str) -> Written:
    """Write "press the Enter key" as "press Enter" if the other text calls it so, and nowhere says what Enter is.

    What is not pressed, ticked or the like may be another thing than its name: "turn the key A" turns no A.
    """
    named = {
        (_name_in(hit).rstrip("."), row.noun) for row in _labelled(language) for hit in row.found_by.finditer(text.text)
    }
    nouns = Counter(name for name, _ in named)
    for row in _labelled(language) if named else ():
        called = {_name_in(hit) for hit in row.found_by.finditer(text.text) if _is_pressed(hit, language)}
        called = {name for name in called if nouns[name.rstrip(".")] == 1}  # "the button Save and the key Save"
        alone = {name for name in called if _stands_alone(name, text.text, other, language)}
        if alone:
            text = text.replaced(
                row.found_by,
                lambda hit, alone=alone, row=row: (  # type: ignore[misc]
                    f"{row.instead} {hit['name']}".strip() if _name_in(hit) in alone else hit[0]
                ),
            )
    return text


def _is_pressed(hit: re.Match[str], language: str) -> bool:
    """Return whether a verb of the sentence presses, ticks or chooses what a name with its noun is."""
    pressed = _presses(language)
    before, behind = (re.split(r"[.!?\n]", part) for part in (hit.string[: hit.start()], hit.string[hit.end() :]))
    return pressed is not None and pressed.search(f"{before[-1]} {behind[0]}") is not None


@cache
def _presses(language: str) -> re.Pattern[str] | None:
    """Return the expression for verbs that press, tick or choose something; None without a table."""
    stems = language_table(language).get("markup", {}).get("presses")
    return re.compile(rf"(?<!\w)(?:{stems})", re.IGNORECASE) if stems else None


def _name_in(hit: re.Match[str]) -> str:
    return _MARKS.sub("", hit["name"])


_MARKS = re.compile(r"^[*_`\"'\u2018\u201c\u201e\u00ab\s]+|[*_`\"'\u2019\u201c\u201d\u00bb\s]+$")


def _stands_alone(name: str, text: str, other: str, language: str) -> bool:
    """Return whether the other text has a name without any noun that says what it is, as often as this one has it."""
    if not name or any(_name_in(hit) == name for row in _labelled(language) for hit in row.found_by.finditer(other)):
        return False
    whole = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    return 0 < len(whole.findall(other)) == len(whole.findall(text))


_BREAK = re.compile(r"(?<=\S)[ \t]*(?:\\|<br ?/?>)?\n[ \t]*(?:>(?![ \t]*(?:[<>=]|[-+.$\u20ac\u00a3]?\d))[ \t]?)?(?=\S)")
_LAST_WORDS, _FIRST_WORD = re.compile(r"\S+(?: +\S+)?$"), re.compile(r"\S+")
_LOOK = 80


_BREAK_IN_LINE = re.compile(r"(?<=[\w.,;:!?]) ?<br ?/?> ?(?=\w)")


def _with_whole_lines(text: Written, other: str, _language: str) -> Written:
    """Write a line break within a sentence as a blank, where the other text has the words around it in one line.

    Where it has so of one break in a paragraph, its lines are broken where they are full: so are those before a small
    letter, and those at the end of a sentence.
    """
    if "<br" in text.text and "<br" not in other and "|" not in text.text:
        text = text.replaced(_BREAK_IN_LINE, lambda _: " ")
    if "\n" not in text.text:
        return text
    edits: list[tuple[int, int, str]] = []
    for paragraph in _PARAGRAPH.finditer(text.text):
        hits = [hit for hit in _BREAK.finditer(text.text, *paragraph.span()) if not _opens_item(hit)]
        shown = [_is_in_one_line(hit, other) for hit in hits]
        if any(shown):
            edits += [(h.start(), h.end(), " ") for h, is_so in zip(hits, shown, strict=True) if is_so or _goes_on(h)]
    return text.edited(edits)


_PARAGRAPH = re.compile(r"[^\n]+(?:\n[^\S\n]*[^\s][^\n]*)+")


def _opens_item(hit: re.Match[str]) -> bool:
    """Return whether a line that begins behind a break, or the one before it, is an item, a row or a heading."""
    start = hit.string.rfind("\n", 0, hit.start()) + 1
    before = _OF_ITSELF.match(hit.string, start) if hit.string[start : start + 1] in "#|" else None
    return before is not None or _OF_ITSELF.match(hit.string, hit.end()) is not None


_OF_ITSELF = re.compile(r"(?:[-*+\u2022][ \t]|[|#:~]|`{3}|\(?[a-zA-Z][.)]\s)")
"""How a line begins that is an item, a row, a heading, a definition or a fence; a number may end a sentence."""


def _is_in_one_line(hit: re.Match[str], other: str) -> bool:
    """Return whether another text has the words around a break in one line."""
    start = max(hit.string.rfind("\n", 0, hit.start()) + 1, hit.start() - _LOOK)
    before = _LAST_WORDS.search(hit.string, start, hit.start())
    after = _FIRST_WORD.match(hit.string, hit.end())
    return before is not None and after is not None and f"{before[0]} {after[0]}" in other


def _goes_on(hit: re.Match[str]) -> bool:
    """Return whether a sentence goes on behind a break, or another one begins."""
    return hit.string[hit.end()].islower() or hit.string[hit.start() - 1] in ",.!?"


_QUOTED_LINES = re.compile(r"^>(?![ \t]*(?:[<>=]|[-+.$\u20ac\u00a3]?\d))[ \t]?", re.MULTILINE)
"""The marks of a quoted block; before a number the sign says that there is more."""


def _without_quoting(text: Written, other: str, _language: str) -> Written:
    """Leave out the marks of a quoted block that is the whole text, and that the other text has without marks.

    Beside a block somebody else may speak, who answers it.
    """
    if ">" not in text.text or _QUOTED_LINES.search(other):
        return text
    if quotes_in_part(text.text):
        return text
    return text.replaced(_QUOTED_LINES, lambda _: "")


def quotes_in_part(text: str) -> bool:
    """Return whether a text has a quoted block, and more beside it."""
    quoted = [_QUOTED_LINES.match(line) is not None for line in text.splitlines() if line.strip()]
    return any(quoted) and not all(quoted)


_BOX = re.compile(r"^([ \t]*)(?:[-*+][ \t]+)?([\u2610\u2611])[ \t]*", re.MULTILINE)
_TYPED_BOX = re.compile(r"^[ \t]*[-*+][ \t]+\[[ xX]\][ \t]", re.MULTILINE)


def _with_typed_boxes(text: Written, other: str, _language: str) -> Written:
    """Write a box to tick, or one that is ticked, as it is typed in the other text."""
    if not _TYPED_BOX.search(other):
        return text
    return text.replaced(_BOX, lambda hit: f"{hit[1]}- [{' ' if hit[2] == chr(0x2610) else 'x'}] ")


_NUMBERED = re.compile(r"^[ \t]*\(?(\d{1,2})[.)][ \t]", re.MULTILINE)


@cache
def _step(language: str) -> re.Pattern[str] | None:
    """Return the expression for a step that is called so with its number."""
    word = language_table(language).get("markup", {}).get("step")
    return (
        re.compile(rf"^([ \t]*)(?:[*_]{{0,2}}){word} (\d{{1,2}}) ?[.:)](?:[*_]{{0,2}})[ \t]+", re.MULTILINE)
        if word
        else None
    )


def _with_bare_numbers(text: Written, other: str, language: str) -> Written:
    """Write "Step 2:" as "2.", if the other text numbers the same steps so."""
    step = _step(language)
    called = [hit[2] for hit in step.finditer(text.text)] if step else []
    if step is None or not called or called != _NUMBERED.findall(other):
        return text
    return text.replaced(step, lambda hit: f"{hit[1]}{hit[2]}. ")


_SHOUTED = re.compile(r"(?<![\w`./-])[^\W\d_a-z\u00df-\u00ff]{4,30}(?![\w`/-])")


def _without_shouting(text: Written, other: str, language: str) -> Written:
    """Write a word in capitals in small letters, if the other text has it so as often, and never in capitals.

    No acronym, which is another word, no word of a sentence in capitals throughout, and none that capitals make a term.
    """
    hits = [] if text.text.isupper() or defines_keywords(text.text, other) else list(_SHOUTED.finditer(text.text))
    loud = [s for s in sentences(text.text) if s.text.isupper() and len(s.text.split()) > _MOST_SHOUTED] if hits else []
    words = {hit[0] for hit in hits if not _is_within(hit, loud)}
    small = {}
    others = acronyms() | named() | word_list(language, "persons")
    for word in sorted(w for w in words if w.isupper() and w.casefold() not in others):
        here, there = (re.findall(rf"(?<![\w`./-]){word}(?![\w`/-])", t, re.IGNORECASE) for t in (text.text, other))
        if len(here) == len(there) and word not in there and set(here) == {word} and len(set(there)) == 1:
            small[word] = there[0]
    if not small:
        return text
    return text.replaced(_SHOUTED, lambda hit: hit[0] if _is_within(hit, loud) else small.get(hit[0], hit[0]))


_MOST_SHOUTED = 2
"""Words of a sentence in capitals that are shouted one by one; a longer one is in capitals throughout."""


def _is_within(hit: re.Match[str], sides: Sequence[Span]) -> bool:
    return any(span.start <= hit.start() < span.end for span in sides)


_RULES: tuple[Rule, ...] = (
    _with_links_in_place,
    with_headings_above,
    _with_bare_addresses,
    _with_addresses_behind_words,
    with_keys_together,
    with_keys_called_alike,
    _without_quoting,
    _with_whole_lines,
    with_paths,
    _with_names_marked_alike,
    _with_names_alone,
    _with_typed_boxes,
    _with_bare_numbers,
    _without_shouting,
)
