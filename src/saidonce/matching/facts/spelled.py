"""What is spelled otherwise by a capital, a zero, a hyphen or a stroke alone, and is another thing.

"The US" and "us", "May" and "may", "Sie" and "sie", code 007 and 7, 5 mbar and 5 Mbar, `user_name` and a user's name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from saidonce.foundation.capitals import acronyms, defines_keywords, either, named, program_names
from saidonce.foundation.model import FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.lexicon import word_list
from saidonce.matching.facts.numerals import number_phrases, scales
from saidonce.matching.facts.sentence_relations import Places

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_STARTS = re.compile(r"(?:^|[.!?:;\n>|*\u201c\u201e\"(\u00ab\u2022-])\s*$")
_MOST_CAPITALS = 0.5
"""Share of words with a capital from which a sentence is a title, in which capitals say nothing."""


def other_capital(a: str, b: str, language: str) -> Places | None:
    """Return the first word that names another thing with a capital, if only one of two sentences writes it with one.

    Where a sentence begins all words have one; there only a word all in capitals tells.
    """
    if language != "en":
        return None
    names, letters = named(), acronyms()
    here, there = (_capitals(text, names | letters) for text in (a, b))
    for word in (w for w in here if w in there and len(here[w]) == len(there[w])):
        for (one, at), (two, other) in zip(here[word], there[word], strict=True):
            if _is_other(one, two, word):
                return at, other
    return None


def _is_other(one: str, two: str, word: str) -> bool:
    if "capitals" in (one, two):
        return False  # of a sentence in capitals throughout each reading is one
    if word in acronyms():
        return (one == "all") != (two == "all")
    if word in either() and "unknown" not in (one, two):
        return one != two  # in capitals it may be the name or the word
    return {one, two} == {"first", "none"}


@remembered(4_096)
def _capitals(text: str, listed: frozenset[str]) -> Mapping[str, Sequence[tuple[str, Span]]]:
    """Return listed word -> for each time that it stands in a text how it is written, and where."""
    words = list(_WORD.finditer(text))
    if not any(w[0].casefold() in listed for w in words):
        return {}
    later = [w for w in words[1:] if len(w[0]) > 3]
    is_title = len(later) > 1 and sum(w[0][0].isupper() for w in later) > _MOST_CAPITALS * len(later)
    places: dict[str, list[tuple[str, Span]]] = {}
    for word in words:
        if word[0].casefold() in listed:
            how = _how(word, text, is_title)
            places.setdefault(word[0].casefold(), []).append((how, Span.of(word)))
    return places


def _how(word: re.Match[str], text: str, is_title: bool) -> str:
    if len(word[0]) > 1 and word[0].isupper():
        return "all" if not text.isupper() else "capitals"
    if is_title or _STARTS.search(text, 0, word.start()):
        return "unknown"
    return "first" if word[0][0].isupper() else "none"


_KEYWORD = re.compile(r"\b(?:may|must|shall|should|can|required|recommended|optional)\b", re.IGNORECASE)


def other_keyword(a: str, b: str, language: str) -> tuple[Objection, ...]:
    """Object to the first "MAY" or "MUST" that the other text has in small letters, where capitals make it a term.

    A text says so: "MAY means that an item is optional". Elsewhere capitals lay stress on a word.
    """
    if language != "en" or not defines_keywords(a, b):
        return ()
    here, there = (list(map(Span.of, _KEYWORD.finditer(text))) for text in (a, b))
    if [w.text.casefold() for w in here] != [w.text.casefold() for w in there]:
        return ()
    other = ((x, y) for x, y in zip(here, there, strict=True) if x.text.isupper() != y.text.isupper())
    return next(((Objection(FactKind.TERM, x, y),) for x, y in other), ())


_POLITE = re.compile(r"(?<![^\s(])(?:[Ss]ie|[Ii]hnen|[Ii]hr(?:e[mnrs]?)?)(?!\w)")


def other_address(a: str, b: str, language: str) -> Places | None:
    """Return the first German "Sie" or "Ihr" within a sentence that stands for a "sie" or "ihr", which names others."""
    if language != "de":
        return None
    here, there = _addressed(a), _addressed(b)
    if [w.text.casefold() for w in here] != [w.text.casefold() for w in there]:
        return None
    return next(((x, y) for x, y in zip(here, there, strict=True) if x.text != y.text), None)


def _addressed(text: str) -> list[Span]:
    return [Span.of(m) for m in _POLITE.finditer(text) if not _STARTS.search(text, 0, m.start())]


_ZEROS = re.compile(r"(?<![A-Za-z0-9_.,:/+()\u2013-])(?<!\d )(0+)(\d+)(?![.,:/]?\d|[ -]\d)")
_LEAST_DIGITS = 3
"""Digits from which a number that begins with a zero is a name: "05 May" is a day."""


def other_zeros(a: str, b: str, language: str) -> Places | None:
    """Return the first code that begins with zeros which the other text writes without: "007", "7"."""
    del language  # digits are read alike in all of them
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        for hit in _ZEROS.finditer(one):
            if len(hit[0]) < _LEAST_DIGITS and int(hit[2]):
                continue
            if re.search(rf"(?<![A-Za-z0-9_.,]){re.escape(hit[0])}(?!\d)", two):
                continue
            if other := re.search(rf"(?<![A-Za-z0-9_.,])0*{int(hit[2])}(?![\d,])", two):
                sides = Span.of(hit), Span.of(other)
                return sides[::-1] if is_turned else sides
    return None


_SYMBOL = re.compile(r"(?<=\d)\s?([MmPp])([A-Za-z]{1,4})(?![\w/])")
_FULL_WORDS = frozenset("in on il in in im ay an".split())


def other_multiple(a: str, b: str, language: str) -> Places | None:
    """Return the first unit behind a number that is a thousandth in one sentence and a million in the other."""
    del language
    here, there = list(_SYMBOL.finditer(a)), list(_SYMBOL.finditer(b))
    for x, y in zip(here, there, strict=len(here) == len(there)) if len(here) == len(there) else ():
        if x[1] != y[1] and x[1].casefold() == y[1].casefold() and x[2] == y[2] and x[2] not in _FULL_WORDS:
            return Span(x.start(1), x.end(), x[0].strip()), Span(y.start(1), y.end(), y[0].strip())
    return None


_SCHEME = re.compile(r"(?<![\w.,:/+-])[0-9\u00bd]{1,2}(?:[-\u2013][0-9\u00bd]{1,2}){2,}(?![\w:/-])")


def other_scheme(a: str, b: str, language: str) -> Places | None:
    """Return the first row of doses in another order or number: "1-0-1" is taken in the morning and evening."""
    del language
    here, there = list(_SCHEME.finditer(a)), list(_SCHEME.finditer(b))
    for x, y in zip(here, there, strict=True) if len(here) == len(there) else ():
        if x[0].replace("\u2013", "-") != y[0].replace("\u2013", "-"):
            return Span.of(x), Span.of(y)
    return None


_ONLY = re.compile(r"\b(\w+)-(only|odd)\b", re.IGNORECASE)


def other_compound(a: str, b: str, language: str) -> Places | None:
    """Return the first "read-only" or "fifty-odd" of an English sentence for which the other has two words."""
    if language != "en":
        return None
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        for hit in _ONLY.finditer(one):
            other = re.search(rf"\b{hit[1]} {hit[2]}\b", two, re.IGNORECASE)
            if other and hit[0].casefold() not in two.casefold():
                sides = Span.of(hit), Span.of(other)
                return sides[::-1] if is_turned else sides
    return None


_TAKEN_OUT = re.compile(r"~~(?=\S)([^~\n]{1,300})~~|<(del|s)>([^<>\n]{1,300})</\2>", re.IGNORECASE)
_STROKED = re.compile(r"(?<![\w/.:-])[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+(?![\w/-])")
_ADDRESS = re.compile(r"(https?://[^\s/<>\"'|)\]]+)(/[^\s<>\"'|)\]]*)", re.IGNORECASE)
_KEYS = re.compile(
    r"\b(?:Ctrl|Control|Alt|Shift|Cmd|Command|Option|Win|Meta|Strg|Umschalt|Maj)(?:\s?[+-]\s?[A-Z][\w]*|\s?[+-]\s?\d)+",
    re.IGNORECASE,
)


def other_spelled_code(a: str, b: str) -> tuple[Objection, ...]:
    """Object to a name with strokes that the other text spells as words, an address in other letters, or keys in turn.

    So is what is struck through in one text and stands in the other, and a name of programs in other letters.

    "User_name" and "user name"; ".../Doc" and ".../doc"; "Ctrl+C" and "Ctrl, C"; DATA_DIR and data_dir.
    """
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        pairs = (
            rule(one, two)
            for rule in (_struck_through, _as_words, _other_path, _other_letters, _other_part, _one_by_one)
        )
        pair = next((pair for pair in pairs if pair is not None), None)
        if pair is not None:
            return (Objection(FactKind.IDENTIFIER, *(pair[::-1] if is_turned else pair)),)
    return ()


def _struck_through(one: str, two: str) -> tuple[Span, Span] | None:
    struck = {(m[1] or m[3]).strip() for m in _TAKEN_OUT.finditer(two)}
    for hit in _TAKEN_OUT.finditer(one):
        words = (hit[1] or hit[3]).strip()
        at = two.find(words) if words not in struck else -1
        if at >= 0:
            return Span.of(hit), Span(at, at + len(words), words)
    return None


_COLONS = re.compile(r"(?<![\w:/])[^\W\d]\w*(?::{1,2}[^\W\d]\w*)+(?![\w:/])")
"""A name whose parts are joined by colons: "Savings:House:Garden"."""


def _other_part(one: str, two: str) -> tuple[Span, Span] | None:
    """Return the first name of parts joined by colons that the other text has with another form of one part."""
    if ":" not in one or ":" not in two:
        return None
    here, there = ({m[0]: m for m in _COLONS.finditer(text)} for text in (one, two))
    lone = [there[name] for name in there if name not in here]
    for name in here if lone else ():
        parts = name.split(":")
        for hit in lone if name not in there else ():
            others = hit[0].split(":")
            differing = [pair for pair in zip(parts, others, strict=False) if pair[0] != pair[1]]
            if (
                len(parts) == len(others)
                and len(differing) == 1
                and differing[0][0].casefold() != differing[0][1].casefold()
            ):
                return Span.of(here[name]), Span.of(hit)
    return None


def _as_words(one: str, two: str) -> tuple[Span, Span] | None:
    if "_" not in one:
        return None
    folded = two.casefold()
    for hit in _STROKED.finditer(one):
        spelled = hit[0].replace("_", " ").casefold()
        at = folded.find(spelled) if hit[0].casefold() not in folded else -1
        if at >= 0:
            return Span.of(hit), Span(at, at + len(spelled), two[at : at + len(spelled)])
    return None


def _other_path(one: str, two: str) -> tuple[Span, Span] | None:
    """Return the first address of which the other text has the letters in another case; hosts have none."""
    there = {f"{m[1]}{m[2]}".casefold(): m for m in _ADDRESS.finditer(two)} if "://" in one else {}
    for hit in _ADDRESS.finditer(one) if there else ():
        other = there.get(hit[0].casefold())
        if other is not None and other[2] != hit[2]:
            return Span.of(hit), Span.of(other)
    return None


def _other_letters(one: str, two: str) -> tuple[Span, Span] | None:
    """Return the first name that programs read of which the other text has the letters in another case alone."""
    for hit in program_names().finditer(one):
        if hit[0] in two:
            continue
        at = two.casefold().find(hit[0].casefold())
        if at >= 0 and len(two) == len(two.casefold()):
            return Span.of(hit), Span(at, at + len(hit[0]), two[at : at + len(hit[0])])
    return None


def _one_by_one(one: str, two: str) -> tuple[Span, Span] | None:
    """Return the first keys held together that the other text presses one after the other."""
    for hit in _KEYS.finditer(one):
        keys = re.split(r"\s?[+-]\s?", hit[0])
        for before, after in pairwise(keys):
            turn = re.search(rf"\b{re.escape(before)}(?:,|,? (?:and )?then) (?:press )?{re.escape(after)}", two, re.I)
            if turn:
                return Span.of(hit), Span.of(turn)
    return None


_WORD_BEHIND = re.compile(r"\s*([\w'\u2019]+)")
_WORD_BEFORE = re.compile(r"([\w'\u2019]+)\s*$")


def other_month(a: str, b: str, language: str) -> Places | None:
    """Return the first month of a sentence that is another word in the other one: "closes in May", "may close".

    A word that its place does not tell, the first of a sentence or one of a title, may be either.
    """
    listed = word_list(language, "months_or_words")
    here, there = (_capitals(text, listed) for text in (a, b)) if listed else ({}, {})
    for word in (w for w in here if w in there):
        one, two = ([_month(t, use, language) for use in uses[word]] for t, uses in ((a, here), (b, there)))
        if pair := _more_months(one, two):
            return pair
        if pair := _more_months(two, one):
            return pair[::-1]
    return None


_Month = tuple[bool | None, Span]
"""Whether a word is a month, None where it may be one, and where it stands."""


def _more_months(one: Sequence[_Month], two: Sequence[_Month]) -> tuple[Span, Span] | None:
    """Return a month of one sentence and another word of the other, which has fewer words that may be the month."""
    sure = [at for is_month, at in one if is_month]
    others = [at for is_month, at in two if is_month is False]
    return (sure[-1], others[0]) if others and len(sure) > len(two) - len(others) else None


def _month(text: str, use: tuple[str, Span], language: str) -> _Month:
    """Return whether a word such as "May" is a month by its capital and the words beside it, and where it stands."""
    how, at = use
    return _is_month(text, how, at, language), at


def _is_month(text: str, how: str, at: Span, language: str) -> bool | None:
    before, behind = _WORD_BEFORE.search(text, 0, at.start), _WORD_BEHIND.match(text, at.end)
    left, right = ((word[1].casefold() if word else "") for word in (before, behind))
    is_dated = left[:1].isdigit() or right[:1].isdigit()
    leads = word_list(language, "before_month")
    if not at.text[0].isupper():
        return None if is_dated or (left in leads and (not right or right in leads)) else False
    if is_dated or left in leads or how == "first":
        return True
    is_asked = not left and right in word_list(language, "behind_no_month")
    return False if is_asked or how == "all" else None


_HYPHENS = "\u2010\u2011-"
_IN_A_ROW = re.compile(rf"(?<!\w)(?=([^\W_]+)([ {_HYPHENS}])([^\W_]+)([ {_HYPHENS}])([^\W_]+))")


def other_numbers(a: str, b: str, language: str) -> Places | None:
    """Return the first number of two words of which the other sentence makes two numbers by a hyphen.

    "Twenty-four hour guards" are guards for a day, "twenty four-hour guards" are twenty of them.
    """
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        whole = {_key(row): row for row in _numbers(one, language) if row[2] != " "}
        for row in _numbers(two, language) if whole else ():
            other = whole.get(_key(row))
            if other and row[2] == " " and row[4] != " ":
                places = _shown(other), _shown(row)
                return places[::-1] if is_turned else places
    return None


def _numbers(text: str, language: str) -> list[re.Match[str]]:
    """Return where two numbers and a word stand in a row, with hyphens or blanks between them."""
    rows = _IN_A_ROW.finditer(text) if any(hyphen in text for hyphen in _HYPHENS) else ()
    return [row for row in rows if all(_is_number(row[n], language) for n in (1, 3))]


def _is_number(word: str, language: str) -> bool:
    folded = word.casefold()
    return word.isdigit() or folded in number_phrases(language) or folded in scales(language)


def _key(row: re.Match[str]) -> tuple[str, ...]:
    return row[1].casefold(), row[3].casefold(), row[5].casefold()


def _shown(row: re.Match[str]) -> Span:
    return Span(row.start(1), row.end(5), row.string[row.start(1) : row.end(5)])


_DOTTED = ("tr", "az")
_TURKISH = str.maketrans({"I": "\u0131", "\u0130": "i"})


def other_dot(a: str, b: str, language: str) -> tuple[Span, Span] | None:
    """Return the first Turkish word in capitals that has another "i" than the same word in small letters.

    A capital I has no dot: "SINIR" is "sınır" (border), and no "sinir" (nerve).
    """
    if language not in _DOTTED or a == b:
        return None
    here, there = list(_WORD.finditer(a)), list(_WORD.finditer(b))
    for x, y in zip(here, there, strict=True) if len(here) == len(there) else ():
        if x[0].lower() == y[0].lower() and x[0].translate(_TURKISH).lower() != y[0].translate(_TURKISH).lower():
            return Span.of(x), Span.of(y)
    return None


RULES = (
    other_capital, other_address, other_zeros, other_multiple, other_scheme, other_compound, other_month, other_numbers
)  # fmt: skip
"""What is looked for in two aligned sentences, in this order."""
