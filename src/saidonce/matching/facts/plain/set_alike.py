"""Chinese, Japanese and Korean passages that are set otherwise, set alike.

Which marks a name stands in, how a path of menus, a key, a link or the label of a step is written, and where a line
breaks says nothing. Each is written in one form only where the other text has the same there: marks around a name
that the other has in no marks, or not at all, stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.plain.character_figures import in_figures
from saidonce.matching.facts.plain.page import HEAD, LINE_END, WIDE
from saidonce.matching.facts.plain.retold import as_rows_of, as_sentences_of, in_one_enumeration, in_the_turn_of
from saidonce.matching.facts.plain.tables import JOINED, SPACELESS, frames, ways

LONGEST = 1_000
"""Characters of a text up to which it is set otherwise."""

SET_ALIKE = "how names, steps, links and tables are set says nothing"

_QUOTE, _TICK, _BOLD, _BRACKET, _END = "\ue010", "\ue011", "\ue012", "\ue013", "\ue019"
"""What stands for an opening mark of each kind, and for every closing one."""

_ANY = f"[{_QUOTE}{_TICK}{_BOLD}{_BRACKET}]"
_NAME = f"{_ANY}([^{_QUOTE}-{_END}]+){_END}"
_NOT = r"\n。！？"
_MARKED: tuple[tuple[str, re.Pattern[str]], ...] = (
    (_BOLD, re.compile(r"\*\*(?!\s)([^*\n]{1,60}?)(?<!\s)\*\*")),
    (_TICK, re.compile(r"(?<!`)`([^`\n]{1,40})`(?!`)")),
    *(
        (_QUOTE, re.compile(f"{one}([^{one}{two}{_NOT}]{{1,30}}){two}"))
        for one, two in (
            ("\u300c", "\u300d"), ("\u300e", "\u300f"), ("\u201c", "\u201d"), ("\u2018", "\u2019"),
            ("\u3010", "\u3011"), ("\u3008", "\u3009"), ("\u300a", "\u300b"), ('"', '"'), ("(?<!\\w)'", "'"),
        )
    ),
    (_BRACKET, re.compile(r"\[([^\[\]\n]{1,30})\](?![(\[:])")),
)  # fmt: skip


class SetAlike(NamedTuple):
    """Two texts set alike where they state the same so."""

    a: str
    b: str


@remembered(8_192)
def set_alike(a: str, b: str, language: str) -> SetAlike:
    """Set two texts of one language alike; as they are in other languages, with code between fences, or too long."""
    if not may_be_set_alike(a, b, language):
        return SetAlike(a, b)
    one, two = (_marked(text, language) for text in (a, b))
    one, two = _unmarked(one, two), _unmarked(two, one)
    for rule in _RULES:
        one, two = rule(one, two, language), rule(two, one, language)
    one, two = (_PRESSED.sub(lambda hit: hit[0].replace(hit[1], f"`{hit[1]}`"), text) for text in (one, two))
    return SetAlike(one, two)


def may_be_set_alike(a: str, b: str, language: str) -> bool:
    """Return whether two texts are of a language and length in which they are set alike, and hold no code."""
    return language in JOINED and max(len(a), len(b)) <= LONGEST and "```" not in a and "```" not in b


def _marked(text: str, language: str) -> str:
    """Write keys, links, labels and paths in one form, and each mark around a name as the sign of its kind."""
    text = _keys(text.translate(WIDE), language)
    text = _questions(_labelled(text), language)
    text = _LINK.sub(f"{_QUOTE}\\1{_END}(\\2)", _ANGLED.sub(r"\1", text))
    for sign, found_by in _MARKED:
        text = found_by.sub(f"{sign}\\1{_END}", text)
    return _paths(text, language)


_LINK = re.compile(r"\[([^\[\]\n]{1,60})\]\((https?://[^\s()]{1,300})\)")
_ANGLED = re.compile(r"<((?:https?://|mailto:)?[^\s<>]{1,300}[.@/][^\s<>]{1,300})>")


# -- Keys --

_HELD = "Ctrl|Control|Alt|Shift|Cmd|Command|Option|Win|Fn"
_ALONE = "Esc|Enter|Tab|Delete|Del|Backspace|Home|End|PageUp|PageDown|F(?:1[0-2]|[1-9])"
_OPEN, _CLOSE = r"(?:\*\*|[`\"'\u300c\u300e\u201c\u2018\[])", r"(?:\*\*|[`\"'\u300d\u300f\u201d\u2019\]])"
_CHORD = re.compile(
    rf"{_OPEN}?(?<![A-Za-z])(?:{_HELD}){_CLOSE}?"
    rf"(?: ?\+ ?{_OPEN}?(?:{_HELD}|{_ALONE}|[A-Z0-9]){_CLOSE}?(?![A-Za-z0-9]))+"
)
_KEY = re.compile(rf"{_OPEN}({_HELD}|{_ALONE}){_CLOSE}")
_SIGNS = re.compile(rf"{_OPEN}|{_CLOSE}| ")


def _keys(text: str, language: str) -> str:
    """Write keys that are pressed together without marks and blanks, and a key without the word for one."""
    text = _KEY.sub(r"\1", _CHORD.sub(lambda hit: _SIGNS.sub("", hit[0]), text))
    text = _word_for_key(language).sub(r"\1", text)
    return _PRESSED.sub(r" \1 ", text) if language in SPACELESS else text


_PRESSED = re.compile(
    rf" ?(?<![A-Za-z0-9+])((?:{_HELD}|{_ALONE})(?:\+(?:{_HELD}|{_ALONE}|[A-Z0-9]))*)(?![A-Za-z0-9+]) ?"
)


@cache
def _word_for_key(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z])((?:{_HELD}|{_ALONE})|(?<=\+)[A-Z0-9]) ?(?:{ways(language)['key']})")


# -- Labels of steps --

_CIRCLED = "\u2460\u2461\u2462\u2463\u2464\u2465\u2466\u2467\u2468\u2469\u246a\u246b\u246c\u246d\u246e"
_SETS = (
    _CIRCLED, "abcdefghijklmno", "ABCDEFGHIJKLMNO", "\u30a2\u30a4\u30a6\u30a8\u30aa\u30ab\u30ad\u30af\u30b1\u30b3",
    "\uac00\ub098\ub2e4\ub77c\ub9c8\ubc14\uc0ac\uc544\uc790\ucc28",
    "\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341",
)  # fmt: skip
_LABEL = re.compile(
    rf"^(?P<lead>[ \t]*)(?:(?P<circled>[{_CIRCLED}])|\((?P<within>\w{{1,2}})\)"
    r"|(?P<bare>\d{1,2}|[^\W\d](?=[.)\u3001][ \t]))[.)\u3001](?!\d)"
    r"|(?P<han>[一二三四五六七八九十])\u3001|第(?P<nth>[一二三四五六七八九十]|\d{1,2})步[:\uff1a]?"
    r"|(?:ステップ|手順)(?P<step>\d{1,2})[:\uff1a]?|(?P<stage>\d{1,2})단계[:\uff1a])[ \t]*+(?!단계|번|항|步|項|项|の)",
    re.MULTILINE,
)
_FEWEST_STEPS = 2


def _labelled(text: str) -> str:
    """Write labels of steps that run on from the first as numbers, also where a sentence names one of them."""
    hits = list(_LABEL.finditer(text))
    numbers = [_number_of(next(filter(None, list(hit.groups())[1:]))) for hit in hits]
    if len(hits) < _FEWEST_STEPS or numbers != list(range(1, len(hits) + 1)):
        return text
    parts, at = [], 0
    for n, hit in enumerate(hits, 1):
        parts += [text[at : hit.start()], f"{hit['lead']}{n}. "]
        at = hit.end()
    text = "".join((*parts, text[at:]))
    for n, hit in enumerate(hits, 1):
        if label := hit["circled"] or (hit["within"] and f"({hit['within']})"):
            text = re.sub(rf"{re.escape(label)} ?", str(n), text)
    return text


def _number_of(label: str) -> int:
    if label.isdigit() and label not in _CIRCLED:
        return int(label)
    return next((each.index(label) + 1 for each in _SETS if len(label) == 1 and label in each), 0)


# -- Questions with their answers --


def _questions(text: str, language: str) -> str:
    """Leave out "Q" and "A" before questions and answers, where each question has its answer."""
    asks, answers = _asked(language)
    if len(asks.findall(text)) != len(answers.findall(text)):
        return text
    return answers.sub(r"\1", asks.sub(r"\1", text))


@cache
def _asked(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    asks, answers = (
        re.compile(rf"^([ \t]*(?:[-*\u2022] )?(?:\*\*)?)(?:{ways(language)[name]})[:.\uff1a\uff0e][ \t]*", re.MULTILINE)
        for name in ("question", "answer")
    )
    return asks, answers


# -- Paths of menus --

_ARROW = r" ?[>\u2192\u203a\u25b8\u226b] ?"
_STEPS = re.compile(rf"{_NAME}(?:{_ARROW}{_NAME})+")
_PATH_INSIDE = re.compile(
    rf"{_ANY}([^{_QUOTE}-{_END}>\u2192\u203a]+(?:{_ARROW}[^{_QUOTE}-{_END}>\u2192\u203a]+)+){_END}"
)
_TO = " \u2192 "


def _paths(text: str, language: str) -> str:
    """Write a path of menus in one form: "Edit > Find", "Find" in the "Edit" menu."""
    text = _STEPS.sub(lambda hit: _path(re.findall(_NAME, hit[0])), text)
    text = _PATH_INSIDE.sub(lambda hit: _path(re.split(_ARROW, hit[1])), text)
    for found_by, right in _menus(language):
        text = found_by.sub(right, text)
    return text


def _path(names: list[str]) -> str:
    return f"{_QUOTE}{_TO.join(name.strip() for name in names)}{_END}"


@cache
def _menus(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the frames of a language for an entry of a menu, and what each is written as."""
    inside = f"[^{_QUOTE}-{_END}]+"
    path = f"{_QUOTE}\\g<menu>{_TO}\\g<entry>{_END}"
    return tuple(
        (
            re.compile(
                frame.pattern.replace("MENU", f"{_ANY}(?P<menu>{inside}){_END}").replace(
                    "ENTRY", f"{_ANY}(?P<entry>{inside}){_END}"
                )
            ),
            right.replace("PATH", path),
        )
        for frame, right in frames(language, "menus")
    )


# -- Marks around names --


class _Mark(NamedTuple):
    kind: str
    name: str


def _marks(text: str) -> Iterator[_Mark]:
    return (_Mark(hit[0][0], hit[1].strip()) for hit in re.finditer(_NAME, text))


def _unmarked(text: str, other: str) -> str:
    """Write each name in marks as the other text shows it to be the same: in corners, or in no marks."""
    kinds: dict[str, set[str]] = {}
    for mark in _marks(other):
        kinds.setdefault(mark.name, set()).add(mark.kind)
    bare = _despaced(re.sub(f"[{_QUOTE}-{_END}]", "", other))

    def written(hit: re.Match[str]) -> str:
        kind, name = hit[0][0], hit[1].strip()
        there = kinds.get(name)
        if there and not (kind == _BOLD and there == {_BOLD}):
            return f"\u300c{name}\u300d"
        if kind == _BOLD:
            return name
        is_there = _despaced(name) in bare and not there
        return name if is_there and _may_be_bare(hit, kind, name) else _BACK[kind].format(name)

    return re.sub(_NAME, written, text)


_BACK = {_QUOTE: "\u300c{}\u300d", _TICK: "`{}`", _BRACKET: "[{}]"}
_OF_CONTROLS = re.compile(
    r"\s*(?:\(https?://|を?(?:クリック|押|選|タップ|開)|ボタン|キー|タブ"
    r"|(?:을|를)? ?(?:클릭|누르|누릅|선택|고르)|버튼|탭|按钮|键|选项)"
)
_USED = re.compile("(?:点击|单击|选择|按|打开|按下|点按) ?$")


def _may_be_bare(hit: re.Match[str], kind: str, name: str) -> bool:
    """Return whether a name in marks is surely that of a control, a link or a file, which needs none."""
    if kind == _TICK and name.isascii():
        return True
    start = hit.string[: hit.start()]
    return bool(_OF_CONTROLS.match(hit.string, hit.end()) or _USED.search(start))


def _despaced(text: str) -> str:
    return re.sub(r"\s+", "", text)


# -- Breaks of lines --

_SEAM = re.compile(r"(?<=\S)[ \t]*\n[ \t]*(?=[^\s|#*\-\d])")
_BESIDE = 3


def _joined_lines(text: str, other: str, _language: str) -> str:
    """Leave out a break of a line where the other text goes on with the same characters."""
    whole = _despaced(other)

    def written(hit: re.Match[str]) -> str:
        before = _despaced(text[max(0, hit.start() - 8) : hit.start()])[-_BESIDE:]
        after = _despaced(text[hit.end() : hit.end() + 8])[:_BESIDE]
        if f"{before}{after}" not in whole:
            return hit[0]
        return "" if f"{before}{after}" in other else " "

    return _SEAM.sub(written, text)


# -- Numbers of lines --

_NUMBERED = re.compile(r"^([ \t]*)(\d{1,2})\. ", re.MULTILINE)
_NAMED_STEP = re.compile(
    r"(?:回到|返回|重[复複]|转到|轉到|[参參][见見照]|跳[到至过過]) ?\d"
    r"|\d ?(?:に戻|へ戻|[にへ]進|を(?:繰り?返|参照|飛ば))"
    r"|\d ?(?:으로|로|을|를)? ?(?:돌아|반복|참[조고]|이동|건너)"
    r"|\d ?(?:단계|번 (?:항목|단계)|항(?!목)|步|項|项|の手順)|(?:步骤|步驟|ステップ|手順|第) ?\d"
)

_RANKED = re.compile("排名|名次|排行|优先|優先|前[一二三四五十\\d]+名|ランキング|順位|上位|순위|상위|우선")


def _without_numbers(text: str, other: str, _language: str) -> str:
    """Leave out the numbers of lines in turn, where the other text numbers none: the lines stand in that order.

    Not where a sentence names one of them by its number, or where the number is a rank.
    """
    numbers = [int(hit[2]) for hit in _NUMBERED.finditer(text)]
    is_counted = numbers == list(range(1, len(numbers) + 1)) and len(numbers) >= _FEWEST_STEPS
    if not is_counted or _NUMBERED.search(other) or _NAMED_STEP.search(text) or _RANKED.search(text):
        return text
    return _NUMBERED.sub(r"\1", text)


def _on_a_plain_page(text: str, _other: str, language: str) -> str:
    """Leave out Korean bullets and marks of headings, and what ends a line of a list."""
    if language in SPACELESS:
        return text  # done in plain words
    return LINE_END.sub("", HEAD.sub("", text)) if "\n" in text.strip() else HEAD.sub("", text)


_Rule = Callable[[str, str, str], str]
_RULES: tuple[_Rule, ...] = (
    in_figures,
    _joined_lines,
    as_rows_of,
    as_sentences_of,
    in_one_enumeration,
    in_the_turn_of,
    _without_numbers,
    _on_a_plain_page,
)
