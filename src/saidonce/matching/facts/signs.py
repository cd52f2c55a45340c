"""The signs of code and formulas, which the words of a text leave out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz.distance import Indel

from saidonce.foundation.code import CODE_TOKEN, code_lines
from saidonce.foundation.model import FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.data_texts import same_data
from saidonce.matching.facts.fences import fenced, with_fenced

_STRIKES = "[\u0335-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20ea\u20eb]"
_STRUCK = re.compile(f"{_STRIKES}(?<=\\w{_STRIKES})")
"""Marks that strike a letter through."""

_OPERATOR = re.compile(r"[ \t](?=[-+*/^%<>=!&|])(?<=\S[ \t])([-+*/^%<>]|[=!<>]=|[=!]==|&&|\|\||->|<-)(?=[ \t]\S)")
_PLAIN = re.compile(r"""['"](?!.['"])(?:[^\\$`'"#]|#(?!\{))*+['"]""")
"""A string that says the same in either quotation marks: nothing in it is read, and it is no single character."""

_MOST_LINES, _SHOWN = 2_000, 4
"""Lines up to which they are compared one by one, and stretches that are shown."""

_SQL = re.compile(r"\b(?:select|insert|update|delete|create|alter|grant|where)\b", re.IGNORECASE)
_CALLED = re.compile(r"(?!(?:return|yield|in|and|or|not|if|while|for|await|else|print)\b)\w+|[)\]]")


def other_signs(a: str, b: str) -> tuple[Objection, ...]:
    """Object to the first sign between two words that is another one in the other text: "a + b", "a - b".

    Signs are compared where both texts have as many of them; a sign at the beginning of a line marks a list. What
    is struck through in one text alone is objected to, too, and so is a word of other signs: "$HOME", "HOME".
    """
    if not (a.isascii() and b.isascii()) and (struck := _struck(a, b)):
        return struck
    for here, there in ((_operators(a), _operators(b)), (_alone(a), _alone(b))):
        if len(here) == len(there):
            turned = next((pair for pair in zip(here, there, strict=True) if pair[0].text != pair[1].text), None)
            if turned:
                return (Objection(FactKind.IDENTIFIER, *turned),)
    return _signed_otherwise(a, b)


_WORD = re.compile(r"[!-~\u00ab\u00bb\u00c0-\u024f\u2032\u2033\u2190-\u22ff]+")
_EMPHASIS = re.compile(r"(?<![*`])(\*{1,3}|`{1,3})(?=[^\s*`])([^*`\n]{1,300}+)(?<=\S)\1")
_SIGN = re.compile(r"[=<>|\\^~{}*]|\$(?=[A-Za-z{(])|%\w+%|^\.{1,2}/|^#(?=\w*[*#])|#$|(?<=\d)['\"\u2032\u2033]$")
_SIGN_OF_NUMBERS = re.compile(r"[*^\\]|#|['\"\u2032\u2033]$")
_MAY_SIGN = re.compile(r"[=<>|\\^~{}*$%#]|\./|\d['\"\u2032\u2033]")
_AROUND = "|.,;:!?()[]\u201c\u201d\u2018\u2019\u00ab\u00bb"
_ESCAPE = re.compile(r"\\(?=[^\w\s])")
"""The stroke by which Markdown tells a mark from its own."""

_LENGTHS = str.maketrans("\u2032\u2033", "'\"")
_NOT_LETTERS = re.compile(r"[\W_]+")


def _signed_otherwise(a: str, b: str) -> tuple[Objection, ...]:
    """Object to the first word with a sign of which the other text has the letters and figures with other signs.

    Emphasis, quotation marks and brackets around a word are none of its signs.
    """
    if not (_MAY_SIGN.search(a) or _MAY_SIGN.search(b)):
        return ()
    here, there = _signed(a), _signed(b)
    for one, two, other, is_turned in ((here, there, b, False), (there, here, a, True)):
        for bare, words in one.items():
            others = two.get(bare, {})
            word = next((w for w in words if _has_sign(w, bare, other) and others and w not in others), None)
            if word is not None:
                sides = words[word], next(iter(others.values()))
                return (Objection(FactKind.IDENTIFIER, *(sides[::-1] if is_turned else sides)),)
    return ()


_LENGTH_IN_WORDS = re.compile(
    r"\d ?(?:inch|inches|in|feet|foot|ft|minutes?|seconds?|Zoll|Fuß|pouces?|pieds?|pulgadas?|pies?|pollici|piedi"
    r"|duim|voet)\b"
)


def _has_sign(word: str, bare: str, other: str) -> bool:
    """Return whether a word has a sign that says something; one of feet or inches may be a word in the other text."""
    if bare.isdigit() and word[-1] in "'\"" and _LENGTH_IN_WORDS.search(other):
        return False
    return bool((_SIGN_OF_NUMBERS if bare.isdigit() else _SIGN).search(word))


@remembered(2_048)
def _signed(text: str) -> dict[str, dict[str, Span]]:
    """Return letters and figures of each word -> the word with its signs -> where it stands first."""
    words_alone = with_fenced(text, [" " * len(piece.text) for piece in fenced(text)])
    plain = _EMPHASIS.sub(lambda m: f"{' ' * len(m[1])}{m[2]}{' ' * len(m[1])}", words_alone)
    words: dict[str, dict[str, Span]] = {}
    for hit in _WORD.finditer(plain):
        word = _ESCAPE.sub("", hit[0]).rstrip(_AROUND).lstrip(_AROUND.replace(".", "")).translate(_LENGTHS)
        word = word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"" else word.lstrip("'\"")
        bare = _NOT_LETTERS.sub("", word).casefold()
        if bare and "://" not in word:
            words.setdefault(bare, {}).setdefault(word, Span.of(hit))
    return words


_ALONE = re.compile(r"(?<=\w )[?!#*@^~](?= \w)")


@remembered(2_048)
def _alone(text: str) -> tuple[Span, ...]:
    """Return each sign that stands between two words as the name of itself: "press #"."""
    return tuple(Span.of(m) for m in _ALONE.finditer(text))


def other_fenced(a: str, b: str) -> tuple[Objection, ...]:
    """Object to the first piece of code between fences that is another one in the other text.

    Pieces are compared in their order where both texts have as many; else a text's words tell what it has more.
    """
    here, there = fenced(a), fenced(b)
    if len(here) != len(there):
        return ()
    other = next(((x, y) for x, y in zip(here, there, strict=True) if not is_same_code(x.text, y.text)), None)
    return (Objection(FactKind.IDENTIFIER, *other),) if other else ()


@remembered(2_048)
def _operators(text: str) -> tuple[Span, ...]:
    """Return each sign between two words."""
    return tuple(Span(m.start(1), m.end(1), m[1]) for m in _OPERATOR.finditer(text))


def _struck(a: str, b: str) -> tuple[Objection, ...]:
    """Object if one text has more letters struck through than the other."""
    here, there = list(_STRUCK.finditer(a)), list(_STRUCK.finditer(b))
    if len(here) == len(there):
        return ()
    return (Objection(FactKind.IDENTIFIER, _letter_of(here), _letter_of(there)),)


def _letter_of(marks: Sequence[re.Match[str]]) -> Span:
    """Return the first letter that is struck through, with its mark; an empty span without one."""
    if not marks:
        return Span(0, 0, "")
    start, end = marks[0].start() - 1, marks[0].end()
    return Span(start, end, marks[0].string[start:end])


def is_same_code(a: str, b: str) -> bool:
    """Return whether two pieces of code have the same words and signs in order, and the same lines where they matter.

    Space between them says nothing; nor does which quotation marks a plain string stands in, except in SQL, or a last
    comma at the end of its line. JSON and YAML are compared as data.
    """
    a, b = (_without_prompts(text) for text in (a, b))
    plain_strings = not any(_SQL.search(re.sub(CODE_TOKEN, _without_string, text)) for text in (a, b))
    return _signs(a, plain_strings) == _signs(b, plain_strings) or same_data(a, b)


_PROMPT = re.compile(r"^[ \t]*\$ ", re.MULTILINE)


def _without_prompts(code: str) -> str:
    """Return commands without the prompt before each of them; as it is written where a line has none."""
    lines = [line for line in code.splitlines() if line.strip()]
    return _PROMPT.sub("", code) if lines and all(_PROMPT.match(line) for line in lines) else code


def changed_lines(a: str, b: str) -> tuple[Objection, ...]:
    """Object to the first stretches of lines that differ in more than space and quotation marks; empty without one."""
    here, there = _lines(a), _lines(b)
    if max(len(here), len(there)) > _MOST_LINES:
        return ()
    changes = Indel.opcodes(*([" ".join(_signs(line.text, True)) for line in lines] for lines in (here, there)))
    spans = _joined([(c.src_start, c.src_end, c.dest_start, c.dest_end) for c in changes if c.tag != "equal"])
    return tuple(
        Objection(FactKind.TERM, _stretch(a, here, i, j), _stretch(b, there, k, n)) for i, j, k, n in spans[:_SHOWN]
    )


def _joined(spans: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Join what goes out and what comes in at one place."""
    joined: list[tuple[int, int, int, int]] = []
    for i, j, k, n in spans:
        is_next = bool(joined) and (joined[-1][1], joined[-1][3]) == (i, k)
        start, _, start_there, _ = joined.pop() if is_next else (i, j, k, n)
        joined.append((start, j, start_there, n))
    return joined


def _lines(text: str) -> list[Span]:
    """Return the lines of a text that hold something, from their first letter to their last."""
    return [Span.of(m) for m in re.finditer(r"[^\s](?:[^\n]*[^\s])?", text)]


def _stretch(text: str, lines: list[Span], first: int, end: int) -> Span:
    if first == end:
        at = lines[first].start if first < len(lines) else len(text)
        return Span(at, at, "")
    start, stop = lines[first].start, lines[end - 1].end
    return Span(start, stop, text[start:stop])


def _without_string(token: re.Match[str]) -> str:
    return "" if len(token.group()) > 1 and token.group()[0] in "'\"" else token.group()


def _signs(text: str, plain_strings: bool) -> list[str]:
    """Return the words and signs of code with the breaks that count, strings in one sort of quotation marks."""
    signs: list[str] = []
    opened: list[tuple[bool, int]] = []
    for mark, line in code_lines(text):
        if mark.startswith("\n"):
            signs.append(mark)
        elif signs and signs[-1] == "," and line[0] in ")]}" and opened and _is_spare(opened[-1], line[0]):
            signs.pop()
        end = -1
        for token in CODE_TOKEN.finditer(line):
            sign = token.group()
            if sign in "([{":
                is_call = token.start() == end and _CALLED.fullmatch(signs[-1]) is not None
                opened.append((is_call, 0))
            elif sign in ")]}" and opened:
                opened.pop()
            elif sign == "," and opened:
                opened[-1] = (opened[-1][0], opened[-1][1] + 1)
            signs.append(f'"{sign[1:-1]}"' if plain_strings and _PLAIN.fullmatch(sign) else sign)
            end = token.end()
    return signs


def _is_spare(opened: tuple[bool, int], closes: str) -> bool:
    """Return whether a comma before a bracket says nothing: it makes no tuple of one, and no key of one."""
    is_call, n_commas = opened
    return n_commas > 1 or closes == "}" or (is_call if closes == ")" else not is_call)
