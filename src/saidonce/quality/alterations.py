"""Alterations of a sentence that change one fact, and those that change none.

The word lists are written only for this purpose; the guards' tables in `saidonce.matching.facts` are not used, so
that the benchmark does not mirror the guards.
"""

from __future__ import annotations

import re

from saidonce.quality.claims import CLAIMS
from saidonce.quality.excerpts import Excerpt, Maker, Meaning, pairs_of, spliced
from saidonce.quality.rewordings import INNER_CLAUSE, REWORDINGS


def names_of(corpus: tuple[str, ...]) -> tuple[str, ...]:
    """Return the capitalised words inside the sentences of a corpus, only the most distinctive, in order."""
    names = {m.group(1) for text in corpus for m in NAME.finditer(text)}
    return tuple(sorted(n for n in names if n not in NO_NAMES)) or ("Marlow", "Keldon")


NAME = re.compile(r"(?<=[a-z,] )([A-Z][a-z]{3,})(?= [a-z]|[.,;])")
NO_NAMES = frozenset(
    "January February March April May June July August September October November December Monday Tuesday Wednesday"
    " Thursday Friday Saturday Sunday This That These Those When Where What Which While With Without Note Please Table"
    " Section Figure Chapter Appendix Each Every Some Other There Here English".split()
)


# --- one fact changed -----------------------------------------------------------------------------


_WORD_NUMBERS = (
    "two three four five six seven eight nine ten twelve fifteen twenty thirty forty fifty sixty ninety".split()
)


def _number(excerpt: Excerpt) -> str | None:
    hits = list(re.finditer(r"(?<![\w.,/:-])\d{1,3}(?:,\d{3})*(?![\w/:-]|[.,]\d)", excerpt.text))
    hits += list(re.finditer(rf"\b(?:{'|'.join(_WORD_NUMBERS)})\b(?!-)", excerpt.text))
    if not hits:
        return None
    hit = hits[excerpt.dice.pick(len(hits), "number", excerpt.text)]
    old = hit.group()
    if old.isalpha():
        new = _WORD_NUMBERS[(_WORD_NUMBERS.index(old) + 1 + excerpt.dice.pick(5, excerpt.text)) % len(_WORD_NUMBERS)]
    else:
        value = int(old.replace(",", ""))
        new = f"{value + (1, 2, 5, 10)[excerpt.dice.pick(4, excerpt.text)] * (1 if value < 50 else 10):,}"
        new = new if "," in old else new.replace(",", "")
    return spliced(excerpt.text, hit, new)


def _unit(excerpt: Excerpt) -> str | None:
    for old, new in pairs_of("units"):
        if hit := re.search(rf"(?<=\d[ -]){old}\b|(?<=\d){old}\b", excerpt.text):
            return spliced(excerpt.text, hit, new)
        if hit := re.search(rf"(?<=(?:two|ive|ten|rty|one|fty|our|six|nty)[ -]){old}\b", excerpt.text):
            return spliced(excerpt.text, hit, new)
    return None


_MONTHS = "January February March April May June July August September October November December".split()


def _date(excerpt: Excerpt) -> str | None:
    if hit := re.search(rf"\b(?:{'|'.join(_MONTHS)})\b(?=,? \d)|(?<=\d )(?:{'|'.join(_MONTHS)})\b", excerpt.text):
        place = _MONTHS.index(hit.group()) + 1 + excerpt.dice.pick(10, excerpt.text)
        return spliced(excerpt.text, hit, _MONTHS[place % 12])
    if hit := re.search(r"\b(?:19|20)\d\d\b(?![-.\d])", excerpt.text):
        return spliced(excerpt.text, hit, str(int(hit.group()) + 1 + excerpt.dice.pick(4, excerpt.text)))
    return None


def _version(excerpt: Excerpt) -> str | None:
    hit = re.search(r"\bv?(\d+)\.(\d+)(\.\d+)?\b(?= or |[ ,.;)]|$)", excerpt.text)
    if not hit or not (
        hit.group(3) or hit.group().startswith("v") or re.search(r"[Vv]ersion $", excerpt.text[: hit.start()])
    ):
        return None
    new = hit.group().replace(f"{hit.group(1)}.{hit.group(2)}", f"{hit.group(1)}.{int(hit.group(2)) + 1}", 1)
    return spliced(excerpt.text, hit, new)


def _negation(excerpt: Excerpt) -> str | None:
    if hit := re.search(
        r"\b(is|are|was|were|can|will|may|must|should|do|does|did|has|have|could|would) not ", excerpt.text
    ):
        return spliced(excerpt.text, hit, hit.group(1) + " ")
    if hit := re.search(r"\b(is|are|was|were|can|will|must|should) (?!not\b)(?=[a-z]+)", excerpt.text):
        return spliced(excerpt.text, hit, hit.group(1) + " not ")
    return None


def _swapped_word(excerpt: Excerpt, name: str) -> str | None:
    """Replace one word of a list by its partner, by a seeded choice."""
    table = {w: v for one, two in pairs_of(name) for w, v in ((one, two), (two, one))}
    words = "|".join(re.escape(w) for w in sorted(table, key=lambda w: (-len(w), w)))
    hits = list(re.finditer(rf"(?<![^\s(])(?:{words})(?=[\s,;:)]|\.(?:\s|$))", excerpt.text))
    if not hits:
        return None
    hit = hits[excerpt.dice.pick(len(hits), name, excerpt.text)]
    return spliced(excerpt.text, hit, table[hit.group()])


def _name(excerpt: Excerpt) -> str | None:
    hits = [m for m in NAME.finditer(excerpt.text) if m.group(1) not in NO_NAMES]
    if not hits:
        return None
    hit = hits[excerpt.dice.pick(len(hits), "name", excerpt.text)]
    others = [n for n in excerpt.names if n != hit.group() and n not in excerpt.text]
    return spliced(excerpt.text, hit, others[excerpt.dice.pick(len(others), "other", excerpt.text)]) if others else None


_NOUN = r"(?:the |a |an )?[a-z]{3,}"
_ROLES = (
    re.compile(rf"\bfrom (?P<a>{_NOUN}) to (?P<b>{_NOUN})(?=[,.;]| (?:and|or|in|on|at|by|when|if|with|for)\b)"),
    re.compile(
        r"^(?P<a>(?:The|An?) [a-z]+) (?:is|are|was|were) [a-z]+ed by (?P<b>(?:the|an?) [a-z]+)(?=[,.;]| (?:in|on)\b)"
    ),
    re.compile(r"(?<=[a-z] )(?P<a>[A-Z][a-z]{3,}) (?!and |or )(?:[a-z]+ ){1,4}(?P<b>[A-Z][a-z]{3,})(?=[,.;]| [a-z])"),
    re.compile(
        r"^(?:The|An?|Each) (?P<a>[a-z]{4,}) (?:must|may|can|will|should) [a-z]+ the (?P<b>[a-z]{4,})(?=[,.;]| to\b)"
    ),
    re.compile(r"\b(?P<a>[a-z]{4,}) (?:instead of|rather than) (?!the |a |an )(?P<b>[a-z]{4,})(?=[,.;])"),
)


def _role(excerpt: Excerpt) -> str | None:
    for pattern in _ROLES:
        hit = pattern.search(excerpt.text)
        if hit and hit["a"].lower() != hit["b"].lower() and hit["a"] not in NO_NAMES:
            a, b = hit["a"], hit["b"]
            if hit.start("a") == 0:
                a, b = a[0].lower() + a[1:], b[0].upper() + b[1:]
            if _is_part_of_name(excerpt.text, hit):
                continue
            between = excerpt.text[hit.end("a") : hit.start("b")]
            return excerpt.text[: hit.start("a")] + b + between + a + excerpt.text[hit.end("b") :]
    return None


def _is_part_of_name(text: str, hit: re.Match[str]) -> bool:
    """Return whether one of two names to be swapped continues before or after the match."""
    before, after = text[: hit.start("a")].split(), text[hit.end("b") :].split()
    return hit["b"][0].isupper() and any(w[0].isupper() for w in (*before[-1:], *after[:1]))


# --- rewrites that change no fact -----------------------------------------------------------------


_DIGITS = dict(zip("2 3 4 5 6 7 8 9 10 12 15 20 30 40 50 60 90".split(), _WORD_NUMBERS, strict=True))


def _notation(excerpt: Excerpt) -> str | None:
    if hit := re.search(r"(?<![\w.,/:$-])\d{1,3},\d{3}(?![\d,])", excerpt.text):
        return spliced(excerpt.text, hit, hit.group().replace(",", ""))
    if hit := re.search(r"(?<=\d)%", excerpt.text):
        return spliced(excerpt.text, hit, " percent")
    if hit := re.search(r"(?<= )\d{1,2}(?= [a-z])", excerpt.text):
        return spliced(excerpt.text, hit, _DIGITS[hit.group()]) if hit.group() in _DIGITS else None
    if hit := re.search(rf"(?<= )(?:{'|'.join(_DIGITS.values())})(?= [a-z])", excerpt.text):
        return spliced(excerpt.text, hit, next(d for d, w in _DIGITS.items() if w == hit.group()))
    return None


def _date_notation(excerpt: Excerpt) -> str | None:
    months = "|".join(_MONTHS)
    if hit := re.search(rf"\b(?P<m>{months}) (?P<d>\d{{1,2}}), (?P<y>\d{{4}})\b", excerpt.text):
        return spliced(excerpt.text, hit, f"{int(hit['d'])} {hit['m']} {hit['y']}")
    if hit := re.search(rf"\b(?P<d>\d{{1,2}}) (?P<m>{months}) (?P<y>\d{{4}})\b", excerpt.text):
        return spliced(excerpt.text, hit, f"{hit['y']}-{_MONTHS.index(hit['m']) + 1:02}-{int(hit['d']):02}")
    return None


def _layout(excerpt: Excerpt) -> str:
    words = excerpt.text.split()
    cut = 1 + excerpt.dice.pick(len(words) - 1, "layout", excerpt.text)
    return " ".join(words[:cut]) + "\u00a0 " + "  ".join(words[cut:])


def _case(excerpt: Excerpt) -> str:
    return excerpt.text.upper()


_TYPOGRAPHY = str.maketrans("'-;", "\u2019\u2010,")


def _punctuation(excerpt: Excerpt) -> str | None:
    altered = excerpt.text.translate(_TYPOGRAPHY)
    return altered if altered != excerpt.text else excerpt.text.rstrip(".") + "!"


_CLAUSE = re.compile(
    r"(?P<w>If|When|Before|After|In|On|By|For|During|Because|Once|Unless|To) (?P<front>[^,.;:()]{6,80}),"
    r" (?P<main>[^;:()]{12,}?)\.$"
)


def _clause_order(excerpt: Excerpt) -> str | None:
    hit = _CLAUSE.match(excerpt.text)
    if not hit or "," in hit["main"] or re.match(r"(?:it|they|and|or|but|which)\b", hit["main"]):
        return None
    if INNER_CLAUSE.search(hit["main"]):
        return None
    main, front = hit["main"], hit["w"].lower() + " " + hit["front"]
    return f"{main[0].upper()}{main[1:]} {front}."


MAKERS: dict[Meaning, dict[str, Maker]] = {
    Meaning.CHANGED: {
        "number": _number,
        "unit": _unit,
        "date": _date,
        "version": _version,
        "negation": _negation,
        "modality": lambda excerpt: _swapped_word(excerpt, "modals"),
        "frequency": lambda excerpt: _swapped_word(excerpt, "frequencies"),
        "opposite": lambda excerpt: _swapped_word(excerpt, "opposites"),
        "name": _name,
        "role": _role,
        **CLAIMS,
    },
    Meaning.REWRITTEN: {
        "notation": _notation,
        "date notation": _date_notation,
        "contraction": lambda excerpt: _swapped_word(excerpt, "contractions"),
        "synonym": lambda excerpt: _swapped_word(excerpt, "synonyms"),
        "abbreviation": lambda excerpt: _swapped_word(excerpt, "abbreviations"),
        "layout": _layout,
        "case": _case,
        "punctuation": _punctuation,
        "clause order": _clause_order,
        **REWORDINGS,
    },
}
"""Every alteration of a sentence, by its effect on the meaning; reports keep this order."""
