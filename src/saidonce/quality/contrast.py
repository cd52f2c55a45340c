"""Flow evaluate: sentences and blocks with one fact changed, and rewrites that change none.

A decision that cannot tell the first kind from the second would merge what must stay apart. The lists
here are written for this purpose alone; the guards' tables live in `saidonce.matching.facts` and are not read,
so that the benchmark is no mirror of what it judges.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import TypeAlias

from saidonce.foundation.text import sentences


class Level(StrEnum):
    """How much text surrounds the altered words."""

    SENTENCE = "sentence"
    BLOCK = "block"


class Meaning(StrEnum):
    """What an alteration did to what is said."""

    CHANGED = "changed"
    REWRITTEN = "rewritten"


@dataclass(frozen=True, slots=True)
class Contrast:
    """A text and an altered copy of it.

    Attributes:
        kind: what was altered, such as "number" or "layout".
    """

    kind: str
    relation: Meaning
    original: str
    altered: str
    level: Level


@dataclass(frozen=True, slots=True)
class Dice:
    """Choices that depend on a seed and on what they are about, and on nothing else."""

    seed: int

    def pick(self, n: int, *about: str) -> int:
        """A number below `n`."""
        key = "\x1f".join((str(self.seed), *about)).encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big") % n


@dataclass(frozen=True, slots=True)
class _Source:
    """A sentence, the dice, and the names that the corpus knows."""

    text: str
    dice: Dice
    names: tuple[str, ...]


Maker: TypeAlias = Callable[[_Source], str | None]
"""Gives the altered sentence, or None where the sentence has nothing to alter."""

MIN_WORDS, MAX_WORDS = 5, 60
"""Length of the sentences that are altered."""


def contrasts(texts: Iterable[str], seed: int) -> Iterator[Contrast]:
    """Alter every sentence and every paragraph of English texts in each way that it allows.

    The order is that of the texts; the same texts and seed give the same contrasts everywhere.
    """
    corpus = tuple(texts)
    names = _names(corpus)
    dice = Dice(seed)
    for text in corpus:
        for paragraph in _paragraphs(text):
            spans = [s for s in sentences(paragraph) if _is_prose(s.text)]
            for span in spans:
                yield from _of_sentence(_Source(span.text, dice, names))
            if len(spans) > 1:
                yield from _of_block(paragraph, [(s.start, s.end) for s in spans], dice, names)


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        if stripped := paragraph.strip():
            yield stripped


def _is_prose(sentence: str) -> bool:
    n_words = len(sentence.split())
    return MIN_WORDS <= n_words <= MAX_WORDS and sentence[0].isupper() and sentence[-1] in ".?!" and "|" not in sentence


def _of_sentence(source: _Source) -> Iterator[Contrast]:
    for relation, makers in MAKERS.items():
        for kind, maker in makers.items():
            altered = maker(source)
            if altered and altered != source.text:
                yield Contrast(kind, relation, source.text, altered, Level.SENTENCE)


def _of_block(paragraph: str, spans: list[tuple[int, int]], dice: Dice, names: tuple[str, ...]) -> Iterator[Contrast]:
    for relation, makers in MAKERS.items():
        for kind, maker in makers.items():
            first = dice.pick(len(spans), kind, paragraph)
            for start, end in (*spans[first:], *spans[:first]):
                altered = maker(_Source(paragraph[start:end], dice, names))
                if altered and altered != paragraph[start:end]:
                    yield Contrast(
                        kind, relation, paragraph, paragraph[:start] + altered + paragraph[end:], Level.BLOCK
                    )
                    break
    moved = _moved_sentence(paragraph, spans)
    if moved:
        yield Contrast("sentence order", Meaning.REWRITTEN, paragraph, moved, Level.BLOCK)


def _moved_sentence(paragraph: str, spans: list[tuple[int, int]]) -> str | None:
    """The paragraph with its last sentence before the one in front of it, unless either points at the other."""
    (a, b), (c, d) = spans[-2:]
    one, two = paragraph[a:b], paragraph[c:d]
    if _POINTS.match(one) or _POINTS.match(two):
        return None
    return paragraph[:a] + two + paragraph[b:c] + one + paragraph[d:]


_POINTS = re.compile(
    r"(?:This|That|These|Those|It|They|He|She|Then|However|Therefore|Thus|Also|Such|For|In|But|And|So)\b"
)


def _names(corpus: tuple[str, ...]) -> tuple[str, ...]:
    """Capitalised words that stand inside sentences of a corpus, most telling ones only, in order."""
    found = {m.group(1) for text in corpus for m in _NAME.finditer(text)}
    return tuple(sorted(n for n in found if n not in _NO_NAMES)) or ("Marlow", "Keldon")


_NAME = re.compile(r"(?<=[a-z,] )([A-Z][a-z]{3,})(?= [a-z]|[.,;])")
_NO_NAMES = frozenset(
    "January February March April May June July August September October November December Monday Tuesday Wednesday"
    " Thursday Friday Saturday Sunday This That These Those When Where What Which While With Without Note Please Table"
    " Section Figure Chapter Appendix Each Every Some Other There Here English".split()
)


@cache
def _pairs(name: str) -> tuple[tuple[str, str], ...]:
    """Pairs of words of one list of the benchmark's own table."""
    table = tomllib.loads((resources.files(__package__) / "contrast.toml").read_text("utf-8"))
    rows = (row.split(" | ") for row in table[name].strip().splitlines())
    return tuple((old, new) for old, new in rows)


# --- one fact changed -----------------------------------------------------------------------------

_WORD_NUMBERS = (
    "two three four five six seven eight nine ten twelve fifteen twenty thirty forty fifty sixty ninety".split()
)


def _number(source: _Source) -> str | None:
    found = list(re.finditer(r"(?<![\w.,/:-])\d{1,3}(?:,\d{3})*(?![\w/:-]|[.,]\d)", source.text))
    found += list(re.finditer(rf"\b(?:{'|'.join(_WORD_NUMBERS)})\b(?!-)", source.text))
    if not found:
        return None
    hit = found[source.dice.pick(len(found), "number", source.text)]
    old = hit.group()
    if old.isalpha():
        new = _WORD_NUMBERS[(_WORD_NUMBERS.index(old) + 1 + source.dice.pick(5, source.text)) % len(_WORD_NUMBERS)]
    else:
        value = int(old.replace(",", ""))
        new = f"{value + (1, 2, 5, 10)[source.dice.pick(4, source.text)] * (1 if value < 50 else 10):,}"
        new = new if "," in old else new.replace(",", "")
    return _spliced(source.text, hit, new)


def _unit(source: _Source) -> str | None:
    for old, new in _pairs("units"):
        if hit := re.search(rf"(?<=\d[ -]){old}\b|(?<=\d){old}\b", source.text):
            return _spliced(source.text, hit, new)
        if hit := re.search(rf"(?<=(?:two|ive|ten|rty|one|fty|our|six|nty)[ -]){old}\b", source.text):
            return _spliced(source.text, hit, new)
    return None


_MONTHS = "January February March April May June July August September October November December".split()


def _date(source: _Source) -> str | None:
    if hit := re.search(rf"\b(?:{'|'.join(_MONTHS)})\b(?=,? \d)|(?<=\d )(?:{'|'.join(_MONTHS)})\b", source.text):
        place = _MONTHS.index(hit.group()) + 1 + source.dice.pick(10, source.text)
        return _spliced(source.text, hit, _MONTHS[place % 12])
    if hit := re.search(r"\b(?:19|20)\d\d\b(?![-.\d])", source.text):
        return _spliced(source.text, hit, str(int(hit.group()) + 1 + source.dice.pick(4, source.text)))
    return None


def _version(source: _Source) -> str | None:
    hit = re.search(r"\bv?(\d+)\.(\d+)(\.\d+)?\b(?= or |[ ,.;)]|$)", source.text)
    if not hit or not (
        hit.group(3) or hit.group().startswith("v") or re.search(r"[Vv]ersion $", source.text[: hit.start()])
    ):
        return None
    new = hit.group().replace(f"{hit.group(1)}.{hit.group(2)}", f"{hit.group(1)}.{int(hit.group(2)) + 1}", 1)
    return _spliced(source.text, hit, new)


def _negation(source: _Source) -> str | None:
    if hit := re.search(
        r"\b(is|are|was|were|can|will|may|must|should|do|does|did|has|have|could|would) not ", source.text
    ):
        return _spliced(source.text, hit, hit.group(1) + " ")
    if hit := re.search(r"\b(is|are|was|were|can|will|must|should) (?!not\b)(?=[a-z]+)", source.text):
        return _spliced(source.text, hit, hit.group(1) + " not ")
    return None


def _swapped_word(source: _Source, name: str) -> str | None:
    """One word of a list replaced by its partner; which one depends on the dice."""
    table = {w: v for one, two in _pairs(name) for w, v in ((one, two), (two, one))}
    words = "|".join(re.escape(w) for w in sorted(table, key=lambda w: (-len(w), w)))
    found = list(re.finditer(rf"(?<![^\s(])(?:{words})(?=[\s,;:)]|\.(?:\s|$))", source.text))
    if not found:
        return None
    hit = found[source.dice.pick(len(found), name, source.text)]
    return _spliced(source.text, hit, table[hit.group()])


def _name(source: _Source) -> str | None:
    found = [m for m in _NAME.finditer(source.text) if m.group(1) not in _NO_NAMES]
    if not found:
        return None
    hit = found[source.dice.pick(len(found), "name", source.text)]
    others = [n for n in source.names if n != hit.group() and n not in source.text]
    return _spliced(source.text, hit, others[source.dice.pick(len(others), "other", source.text)]) if others else None


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


def _role(source: _Source) -> str | None:
    for pattern in _ROLES:
        hit = pattern.search(source.text)
        if hit and hit["a"].lower() != hit["b"].lower() and hit["a"] not in _NO_NAMES:
            a, b = hit["a"], hit["b"]
            if hit.start("a") == 0:
                a, b = a[0].lower() + a[1:], b[0].upper() + b[1:]
            if _is_part_of_name(source.text, hit):
                continue
            between = source.text[hit.end("a") : hit.start("b")]
            return source.text[: hit.start("a")] + b + between + a + source.text[hit.end("b") :]
    return None


def _is_part_of_name(text: str, hit: re.Match[str]) -> bool:
    """Whether one of two names that would change places goes on before or after the match."""
    before, after = text[: hit.start("a")].split(), text[hit.end("b") :].split()
    return hit["b"][0].isupper() and any(w[0].isupper() for w in (*before[-1:], *after[:1]))


# --- rewrites that change no fact -----------------------------------------------------------------

_DIGITS = dict(zip("2 3 4 5 6 7 8 9 10 12 15 20 30 40 50 60 90".split(), _WORD_NUMBERS, strict=True))


def _notation(source: _Source) -> str | None:
    if hit := re.search(r"(?<![\w.,/:$-])\d{1,3},\d{3}(?![\d,])", source.text):
        return _spliced(source.text, hit, hit.group().replace(",", ""))
    if hit := re.search(r"(?<=\d)%", source.text):
        return _spliced(source.text, hit, " percent")
    if hit := re.search(r"(?<= )\d{1,2}(?= [a-z])", source.text):
        return _spliced(source.text, hit, _DIGITS[hit.group()]) if hit.group() in _DIGITS else None
    if hit := re.search(rf"(?<= )(?:{'|'.join(_DIGITS.values())})(?= [a-z])", source.text):
        return _spliced(source.text, hit, next(d for d, w in _DIGITS.items() if w == hit.group()))
    return None


def _date_notation(source: _Source) -> str | None:
    months = "|".join(_MONTHS)
    if hit := re.search(rf"\b(?P<m>{months}) (?P<d>\d{{1,2}}), (?P<y>\d{{4}})\b", source.text):
        return _spliced(source.text, hit, f"{int(hit['d'])} {hit['m']} {hit['y']}")
    if hit := re.search(rf"\b(?P<d>\d{{1,2}}) (?P<m>{months}) (?P<y>\d{{4}})\b", source.text):
        return _spliced(source.text, hit, f"{hit['y']}-{_MONTHS.index(hit['m']) + 1:02}-{int(hit['d']):02}")
    return None


def _layout(source: _Source) -> str:
    words = source.text.split()
    cut = 1 + source.dice.pick(len(words) - 1, "layout", source.text)
    return " ".join(words[:cut]) + "\u00a0 " + "  ".join(words[cut:])


def _case(source: _Source) -> str:
    return source.text.upper()


_TYPOGRAPHY = str.maketrans("'-;", "\u2019\u2010,")


def _punctuation(source: _Source) -> str | None:
    altered = source.text.translate(_TYPOGRAPHY)
    return altered if altered != source.text else source.text.rstrip(".") + "!"


_CLAUSE = re.compile(
    r"(?P<w>If|When|Before|After|In|On|By|For|During|Because|Once|Unless|To) (?P<front>[^,.;:()]{6,80}),"
    r" (?P<main>[^;:()]{12,}?)\.$"
)


def _clause_order(source: _Source) -> str | None:
    hit = _CLAUSE.match(source.text)
    if not hit or "," in hit["main"] or re.match(r"(?:it|they|and|or|but|which)\b", hit["main"]):
        return None
    main, front = hit["main"], hit["w"].lower() + " " + hit["front"]
    return f"{main[0].upper()}{main[1:]} {front}."


def _spliced(text: str, hit: re.Match[str], new: str) -> str:
    return text[: hit.start()] + new + text[hit.end() :]


MAKERS: dict[Meaning, dict[str, Maker]] = {
    Meaning.CHANGED: {
        "number": _number,
        "unit": _unit,
        "date": _date,
        "version": _version,
        "negation": _negation,
        "modality": lambda source: _swapped_word(source, "modals"),
        "frequency": lambda source: _swapped_word(source, "frequencies"),
        "opposite": lambda source: _swapped_word(source, "opposites"),
        "name": _name,
        "role": _role,
    },
    Meaning.REWRITTEN: {
        "notation": _notation,
        "date notation": _date_notation,
        "contraction": lambda source: _swapped_word(source, "contractions"),
        "synonym": lambda source: _swapped_word(source, "synonyms"),
        "abbreviation": lambda source: _swapped_word(source, "abbreviations"),
        "layout": _layout,
        "case": _case,
        "punctuation": _punctuation,
        "clause order": _clause_order,
    },
}
"""Every way to alter a sentence, by what it does to the meaning; a visible order, kept in reports."""
