"""Flow evaluate: sentences and blocks with one fact changed, and rewrites that change none, go up the ladder.

A decision that cannot distinguish the two would merge texts that must stay apart. The word lists here are
written for this purpose alone; the guards' tables live in `saidonce.matching.facts` and are not read, so that the
benchmark is no mirror of the guards.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import TypeAlias

from saidonce.errors import SourceRefusedError, UsageError
from saidonce.foundation import text
from saidonce.foundation.context import Source
from saidonce.foundation.model import Candidate, Kind, Match, Outcome, Verdict
from saidonce.foundation.ports import Embedder, Parser
from saidonce.foundation.settings.policy import Policy
from saidonce.foundation.text import sentences
from saidonce.matching.guards import guards_of
from saidonce.matching.ladder import Case, decide
from saidonce.matching.vectors import canonical_cosine
from saidonce.quality.figures import Rate, rate

BATCH = 256


class Level(StrEnum):
    """How much text surrounds the altered words."""

    SENTENCE = "sentence"
    BLOCK = "block"


class Meaning(StrEnum):
    """The effect of an alteration on the meaning."""

    CHANGED = "changed"
    REWRITTEN = "rewritten"


@dataclass(frozen=True, slots=True)
class Contrast:
    """A text and an altered copy of it.

    Attributes:
        kind: of the alteration, such as "number" or "layout".
    """

    kind: str
    relation: Meaning
    original: str
    altered: str
    level: Level


@dataclass(frozen=True, slots=True)
class Dice:
    """Choices that depend on a seed and on their subject, and on nothing else."""

    seed: int

    def pick(self, n: int, *about: str) -> int:
        """Return a number below `n`."""
        key = "\x1f".join((str(self.seed), *about)).encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big") % n


@dataclass(frozen=True, slots=True)
class _Source:
    """A sentence, the dice, and the names of the corpus."""

    text: str
    dice: Dice
    names: tuple[str, ...]


Maker: TypeAlias = Callable[[_Source], str | None]
"""Returns the altered sentence, or None where the sentence has nothing to alter."""

MIN_WORDS, MAX_WORDS = 5, 60
"""Length of the sentences that are altered."""


def contrasts(texts: Iterable[str], seed: int) -> Iterator[Contrast]:
    """Alter every sentence and every paragraph of English texts in each possible way.

    The order is that of the texts; the same texts and seed give the same contrasts everywhere.
    """
    corpus = tuple(texts)
    names = _names(corpus)
    dice = Dice(seed)
    for whole in corpus:
        for paragraph in _paragraphs(whole):
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
    """Swap the last two sentences of a paragraph, unless either points at the other."""
    (a, b), (c, d) = spans[-2:]
    one, two = paragraph[a:b], paragraph[c:d]
    if _POINTS.match(one) or _POINTS.match(two):
        return None
    return paragraph[:a] + two + paragraph[b:c] + one + paragraph[d:]


_POINTS = re.compile(
    r"(?:This|That|These|Those|It|They|He|She|Then|However|Therefore|Thus|Also|Such|For|In|But|And|So)\b"
)


def _names(corpus: tuple[str, ...]) -> tuple[str, ...]:
    """Return the capitalised words inside the sentences of a corpus, most telling ones only, in order."""
    names = {m.group(1) for text in corpus for m in _NAME.finditer(text)}
    return tuple(sorted(n for n in names if n not in _NO_NAMES)) or ("Marlow", "Keldon")


_NAME = re.compile(r"(?<=[a-z,] )([A-Z][a-z]{3,})(?= [a-z]|[.,;])")
_NO_NAMES = frozenset(
    "January February March April May June July August September October November December Monday Tuesday Wednesday"
    " Thursday Friday Saturday Sunday This That These Those When Where What Which While With Without Note Please Table"
    " Section Figure Chapter Appendix Each Every Some Other There Here English".split()
)


@cache
def _pairs(name: str) -> tuple[tuple[str, str], ...]:
    """Return the pairs of words of one list of the benchmark's own table."""
    table = tomllib.loads((resources.files(__package__) / "contrast.toml").read_text("utf-8"))
    rows = (row.split(" | ") for row in table[name].strip().splitlines())
    return tuple((old, new) for old, new in rows)


# --- one fact changed -----------------------------------------------------------------------------


_WORD_NUMBERS = (
    "two three four five six seven eight nine ten twelve fifteen twenty thirty forty fifty sixty ninety".split()
)


def _number(source: _Source) -> str | None:
    hits = list(re.finditer(r"(?<![\w.,/:-])\d{1,3}(?:,\d{3})*(?![\w/:-]|[.,]\d)", source.text))
    hits += list(re.finditer(rf"\b(?:{'|'.join(_WORD_NUMBERS)})\b(?!-)", source.text))
    if not hits:
        return None
    hit = hits[source.dice.pick(len(hits), "number", source.text)]
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
    """Replace one word of a list by its partner; the dice choose which."""
    table = {w: v for one, two in _pairs(name) for w, v in ((one, two), (two, one))}
    words = "|".join(re.escape(w) for w in sorted(table, key=lambda w: (-len(w), w)))
    hits = list(re.finditer(rf"(?<![^\s(])(?:{words})(?=[\s,;:)]|\.(?:\s|$))", source.text))
    if not hits:
        return None
    hit = hits[source.dice.pick(len(hits), name, source.text)]
    return _spliced(source.text, hit, table[hit.group()])


def _name(source: _Source) -> str | None:
    hits = [m for m in _NAME.finditer(source.text) if m.group(1) not in _NO_NAMES]
    if not hits:
        return None
    hit = hits[source.dice.pick(len(hits), "name", source.text)]
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
    """Return whether one of two names to be swapped continues before or after the match."""
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
"""Every alteration of a sentence, by its effect on the meaning; reports keep this order."""


@dataclass(frozen=True, slots=True)
class JudgedContrast:
    """A contrast and the ladder's verdict; by cosine alone it is a duplicate if `is_near`."""

    contrast: Contrast
    verdict: Verdict
    is_near: bool


@dataclass(frozen=True, slots=True)
class ContrastLine:
    """The share of contrasts of one kind that end as duplicates, with the guards and by cosine alone.

    Attributes:
        relation: "changed" (one fact differs: duplicates are false merges) or "rewritten" (none does).
        kind: of the alteration, or "all".
    """

    relation: str
    level: str
    kind: str
    guarded: Rate
    cosine: Rate


def paragraphs(parser: Parser, sources: Iterable[Source]) -> list[str]:
    """Return the running text of all sources in order, repeats left out; refused ones are passed over.

    Raises:
        UsageError: no source has running text.
    """
    texts: dict[str, None] = {}
    for _, result in parser.map((s.name, s.read()) for s in sources):
        if not isinstance(result, SourceRefusedError):
            texts.update((e.text, None) for e in result.elements if e.kind in (Kind.PARAGRAPH, Kind.LIST))
    if not texts:
        raise UsageError("there is no running text to alter; give a file or folder with English paragraphs")
    return list(texts)


def choose(texts: Sequence[str], seed: int, limit: int) -> list[Contrast]:
    """Choose contrasts, at most `limit` of each relation, level and kind, spread by hash over all texts."""
    by_group: dict[tuple[str, str, str], list[tuple[str, Contrast]]] = {}
    for contrast in contrasts(texts, seed):
        key = (contrast.relation, contrast.level, contrast.kind)
        order = text.digest(str(seed), contrast.original, contrast.altered)
        by_group.setdefault(key, []).append((order, contrast))
    return [c for key in sorted(by_group) for _, c in sorted(by_group[key], key=lambda item: item[0])[:limit]]


def judge(
    chosen: Sequence[Contrast], embedder: Embedder, policy: Policy, on_pairs: Callable[[int], None]
) -> list[JudgedContrast]:
    """Judge every contrast: the altered text is the candidate, the original is kept."""
    done: list[JudgedContrast] = []
    for start in range(0, len(chosen), BATCH):
        batch = chosen[start : start + BATCH]
        texts = list(dict.fromkeys(t for c in batch for t in (c.original, c.altered)))
        vectors = dict(zip(texts, embedder.embed(texts), strict=True))
        for c in batch:
            similarity = canonical_cosine(vectors[c.altered], vectors[c.original])
            original, candidate = (Candidate(t, text.content_hash(t), language="en") for t in (c.original, c.altered))
            verdict = decide(Case(candidate, (Match("original", similarity, original),), policy, guards_of(policy)))
            done.append(JudgedContrast(c, verdict, similarity >= policy.duplicate_from))
        on_pairs(len(batch))
    return done


def report(judged: Sequence[JudgedContrast]) -> list[ContrastLine]:
    """Count duplicates by relation, level and kind; a line "all" closes each relation and level."""
    keys = Counter((j.contrast.relation, j.contrast.level, j.contrast.kind) for j in judged)
    lines = []
    for relation, level in sorted({key[:2] for key in keys}):
        kinds = sorted(kind for r, lv, kind in keys if (r, lv) == (relation, level))
        for kind in (*kinds, "all"):
            of = [
                j
                for j in judged
                if (j.contrast.relation, j.contrast.level) == (relation, level) and kind in ("all", j.contrast.kind)
            ]
            guarded = rate(sum(j.verdict.outcome is Outcome.DUPLICATE for j in of), len(of))
            lines.append(ContrastLine(relation, level, kind, guarded, rate(sum(j.is_near for j in of), len(of))))
    return lines


def wrong(judged: Sequence[JudgedContrast]) -> Iterator[dict[str, object]]:
    """Yield the contrasts on the wrong side, for reading."""
    for j in judged:
        merged = j.verdict.outcome is Outcome.DUPLICATE
        if merged == (j.contrast.relation == "changed"):
            c = j.contrast
            objections = [{"kind": o.kind, "a": o.a.text, "b": o.b.text} for o in j.verdict.objections]
            yield {
                "relation": c.relation, "level": c.level, "kind": c.kind, "original": c.original,
                "altered": c.altered, "similarity": j.verdict.similarity, "objections": objections,
            }  # fmt: skip
