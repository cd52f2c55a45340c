"""A message of another language as English words, for the English rules, each part tied to its source.

A gloss is no translation: known phrases become English phrases in the order in which they stand, the rest stays as it
is written. It only serves understanding; reports and pages keep the resident's own words.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import pairwise

from rapidfuzz.distance import OSA

TAGS = ("ar", "de", "es", "fr", "it", "nl", "pl", "pt", "ro", "zh")
"""Languages with a table in `glosses/`; English needs no gloss."""

MIN_TYPO_CHARS = 6
"""Shorter words must be spelled right: too many others are one letter away."""

COMPOUNDING = frozenset({"de", "nl"})
"""Languages that write two nouns as one word."""

MIN_PART_CHARS = 3
"""Letters of a part of such a word."""

_NOUNS = frozenset({"places", "things"})

_JOINTS = ("", "s", "n", "en", "es")
"""What may join the parts."""

STRONG = frozenset({"whole", "courtesy", "danger", "person"})
"""Sections whose phrases tell a language even in a message of one or two words."""

MESSAGES = frozenset({"stop", "start"})
"""English of `whole` phrases that count as whole messages only; the others may be a clause."""

_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
_JOINED = re.compile(r"[\s'\-\u00ad]*\Z")
_MARKS = {"\u3002": ". ", "\uff0c": ", ", "\u3001": ", ", "\uff1f": "? ", "\u061f": "?", "\u060c": ", ", "\uff01": "! ",
          "\uff1a": ": ", "\uff1b": "; ", "\u061b": "; ", "\u00bf": "", "\u00a1": "", "'": " ",
          "\u2019": " "}  # fmt: skip
_LETTERS = {"\u0131": "i", "\u0142": "l", "\u00f8": "o", "\u0111": "d", "\u00df": "ss", "\u00e6": "ae", "\u0153": "oe",
            "\u0649": "\u064a", "\u0629": "\u0647", "\u0640": "", "\u2019": "'", "\u02bc": "'"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class GlossPiece:
    """A piece of a gloss and the piece of the source that it stands for, as half-open spans of characters."""

    start: int
    end: int
    source_start: int
    source_end: int


@dataclass(frozen=True, slots=True)
class Gloss:
    """A message as English words.

    Attributes:
        source: the message as it was written.
        text: the same for English rules.
        segments: pieces of both, in order.
        n_words, n_known: words of the source, numbers aside, and those with an English counterpart.
        tag: language of the source.
    """

    source: str
    text: str
    segments: tuple[GlossPiece, ...] = ()
    n_words: int = 0
    n_known: int = 0
    tag: str = "en"

    def only_english(self, english: frozenset[str]) -> str:
        """Return the gloss without words of the source that are no English ones: they only look like some."""
        if not self.segments:
            return self.text
        kept, at = [], 0
        for s in self.segments:
            kept.append(self.text[at : s.start])
            word, source = self.text[s.start : s.end], self.source[s.source_start : s.source_end]
            kept.append("_" if word == source and word.isalpha() and word.lower() not in english else word)
            at = s.end
        return "".join(kept) + self.text[at:]

    def original(self, part: str) -> str | None:
        """Return the source's words for a part of the gloss; None if the gloss does not hold it."""
        place = _find(self.text, part)
        if place is None:
            return None
        touched = [s for s in self.segments if s.start < place[1] and place[0] < s.end]
        if not touched:
            return None
        return " ".join(self.source[touched[0].source_start : touched[-1].source_end].split())


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase of a table: its words, `word*` for longer ones too, the English for it, and its section."""

    words: tuple[str, ...]
    english: str
    section: str


@dataclass(frozen=True, slots=True)
class WordTable:
    """A language's phrases by the beginning of their first word, and whole messages.

    Attributes:
        prefixes: what may be glued to the front of a word, longest first.
        literals: whole words of at least `MIN_TYPO_CHARS` letters, for typing mistakes.
    """

    tag: str
    prefixes: tuple[str, ...]
    phrases: dict[str, tuple[Phrase, ...]]
    whole: dict[tuple[str, ...], Phrase]
    literals: dict[str, Phrase]

    def forms(self, token: str) -> tuple[str, ...]:
        """Return a word as it stands, and without what may be glued to its front."""
        if not self.prefixes:
            return (token,)
        cut = tuple(
            token.removeprefix(p) for p in self.prefixes if token.startswith(p) and len(token) - len(p) >= 2
        )  # fmt: skip
        return (token, *cut)


@dataclass(frozen=True, slots=True)
class FoldedWord:
    """A word of a message in folded letters, and where it stands."""

    word: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PhraseHit:
    """A phrase found at a word of a message."""

    first: int
    n: int
    phrase: Phrase


def fold(text: str) -> str:
    """Return a text in lower case without accents, vowel signs and dots: how people type it in a hurry."""
    return "".join(_fold(c) for c in text)


@lru_cache(maxsize=8_192)
def _fold(char: str) -> str:
    lower = _LETTERS.get(char.lower(), char.lower())
    bare = "".join(c for c in unicodedata.normalize("NFKD", lower) if not unicodedata.combining(c))
    return "".join(_LETTERS.get(c, c) for c in bare)


def tokens(text: str) -> tuple[FoldedWord, ...]:
    """Return the words of a text, each Chinese character as one, with their places in the text as it is written."""
    folded = [_fold(c) for c in text]
    at = [n for n, c in enumerate(folded) for _ in c]
    return tuple(FoldedWord(m.group(), at[m.start()], at[m.end() - 1] + 1) for m in _TOKEN.finditer("".join(folded)))


@lru_cache(maxsize=16)
def table(tag: str) -> WordTable:
    """Return a language's table."""
    file = resources.files("saidonce.repairs.conversation") / "glosses" / f"{tag}.toml"
    return read_table(tag, file.read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def foreign_words() -> frozenset[str]:
    """Return the whole words of all tables, folded."""
    phrases = (p for tag in TAGS for by_start in table(tag).phrases.values() for p in by_start)
    return frozenset(word for phrase in phrases for word in phrase.words if not word.endswith("*"))


def read_table(tag: str, content: str) -> WordTable:
    """Read a table: sections of English = "phrase | phrase"; of equal phrases the first holds."""
    rows = tomllib.loads(content)
    prefixes = tuple(sorted(map(fold, rows.pop("prefixes", ())), key=lambda p: (-len(p), p)))
    known: dict[tuple[str, ...], Phrase] = {}
    whole: dict[tuple[str, ...], Phrase] = {}
    for section, entries in rows.items():
        for english, listed in entries.items():
            for words in filter(None, map(_words, listed.split("|"))):
                (whole if section == "whole" else known).setdefault(words, Phrase(words, english, section))
    starts: dict[str, list[Phrase]] = {}
    for phrase in known.values():
        starts.setdefault(_start(phrase.words[0]), []).append(phrase)
    by_start = {k: tuple(sorted(v, key=_by_length)) for k, v in starts.items()}
    literals = {p.words[0]: p for p in known.values() if len(p.words) == 1 and len(p.words[0]) >= MIN_TYPO_CHARS}
    return WordTable(tag, prefixes, by_start, whole, {w: p for w, p in literals.items() if not w.endswith("*")})


def gloss(text: str, tag: str) -> Gloss:
    """Return the gloss of a message; English and languages without a table stay as they are.

    Args:
        text: the message.
        tag: its language.
    """
    if tag == "en" or tag not in TAGS:
        return Gloss(text, text)
    return _gloss(text, tag)


@lru_cache(maxsize=4_096)
def _gloss(text: str, tag: str) -> Gloss:
    words = tokens(text)
    return in_english(text, words, find(table(tag), words, text, spelling=True), tag)


def in_english(text: str, words: Sequence[FoldedWord], hits: Iterable[PhraseHit], tag: str) -> Gloss:
    """Return a message with the phrases that were found in it as English.

    Args:
        words: of the message.
        hits: phrases of a table, from the left.
        tag: language of the message.
    """
    by_place = {h.first: h for h in hits}
    pieces: list[tuple[str, int, int]] = []
    n, at, n_known = 0, 0, 0
    while n < len(words):
        hit = by_place.get(n)
        last = words[n + hit.n - 1 if hit else n]
        pieces += _between(text, at, words[n].start)
        english = f" {hit.phrase.english} " if hit else text[words[n].start : last.end]
        pieces.append((english, words[n].start, last.end))
        n_known += hit.n if hit else 0
        n, at = n + (hit.n if hit else 1), last.end
    pieces += _between(text, at, len(text))
    n_words = sum(not t.word.isdigit() for t in words)
    joined, segments = _join(pieces)
    return Gloss(text, joined, segments, n_words, n_known, tag)


def find(known: WordTable, words: Sequence[FoldedWord], text: str, spelling: bool = False) -> Iterator[PhraseHit]:
    """Yield the phrases of a table in a message, from the left, the longest first, none across punctuation.

    Args:
        known: the language's table.
        words: of the message.
        text: the message.
        spelling: whether long words with one typing mistake count.
    """
    if (all_ := known.whole.get(tuple(t.word for t in words))) is not None:
        yield PhraseHit(0, len(words), all_)
        return
    n, clauses = 0, {clause.start: clause for clause in _clauses(words, text)}
    while n < len(words):
        phrase = (
            _whole(known, words, clauses.get(n)) or _at(known, words, n, text) or _compound(known.tag, words[n].word)
        )
        if phrase is None and spelling:
            phrase = _misspelt(known, words[n].word)
        if phrase is not None:
            yield PhraseHit(n, len(phrase.words), phrase)
        n += len(phrase.words) if phrase is not None else 1


def _clauses(words: Sequence[FoldedWord], text: str) -> list[range]:
    """Return the words between two marks of punctuation, clause by clause."""
    ends = [n + 1 for n in range(len(words) - 1) if not _JOINED.match(text[words[n].end : words[n + 1].start])]
    return [range(a, b) for a, b in pairwise((0, *ends, len(words)))]


def _whole(known: WordTable, words: Sequence[FoldedWord], clause: range | None) -> Phrase | None:
    """Return what a clause says by itself ("no, we are fine"); words for us to stop need the whole message."""
    phrase = known.whole.get(tuple(words[n].word for n in clause)) if clause else None
    return phrase if phrase is not None and phrase.english not in MESSAGES else None


def _at(known: WordTable, words: Sequence[FoldedWord], n: int, text: str) -> Phrase | None:
    best = None
    forms = known.forms(words[n].word)
    for form in forms:
        for phrase in known.phrases.get(_start(form), ()):
            if best is not None and len(phrase.words) <= len(best.words):
                break
            if _is(phrase.words[0], forms) and _stands(known, phrase, words[n : n + len(phrase.words)], text):
                best = phrase
    return best


def _stands(known: WordTable, phrase: Phrase, here: Sequence[FoldedWord], text: str) -> bool:
    if len(here) < len(phrase.words):
        return False
    for word, token in zip(phrase.words, here, strict=True):
        if not _is(word, known.forms(token.word)):
            return False
    gaps = (text[a.end : b.start].replace("\u2019", "'") for a, b in pairwise(here))
    return all(map(_JOINED.match, gaps))


def _is(word: str, forms: Sequence[str]) -> bool:
    """Return whether a word of a phrase is one of the forms of a word of the message."""
    if word[-1] == "*":
        return any(f.startswith(word[:-1]) for f in forms)
    return word in forms


@lru_cache(maxsize=16_384)
def _near(tag: str, token: str) -> Phrase | None:
    known = table(tag)
    near = (w for w in known.literals if w[0] == token[0] and OSA.distance(w, token, score_cutoff=1) <= 1)
    return next((known.literals[w] for w in sorted(near)), None)


@lru_cache(maxsize=16_384)
def _compound(tag: str, token: str) -> Phrase | None:
    """Return a word made of two known ones as both of them: "Fenstergriff" is "window handle"; none of danger."""
    if tag not in COMPOUNDING or len(token) < 2 * MIN_PART_CHARS:
        return None
    known = table(tag)
    for at in range(MIN_PART_CHARS, len(token) - MIN_PART_CHARS + 1):
        last = _thing(known, token[at:])
        first = next((p for joint in _JOINTS if token[:at].endswith(joint)
                      and (p := _thing(known, token[: at - len(joint)]))), None) if last else None  # fmt: skip
        if first and last:
            return Phrase((token,), f"{first.english} {last.english}", last.section)
    return None


def _thing(known: WordTable, word: str) -> Phrase | None:
    """Return the phrase of a word that may be part of a compound: one in the section of things or places."""
    if len(word) < MIN_PART_CHARS:
        return None
    return next((p for p in known.phrases.get(_start(word), ()) if p.words == (word,) and p.section in _NOUNS), None)


def _misspelt(known: WordTable, token: str) -> Phrase | None:
    return _near(known.tag, token) if len(token) >= MIN_TYPO_CHARS - 1 and token.isalpha() else None


def _between(text: str, start: int, end: int) -> list[tuple[str, int, int]]:
    return [(_MARKS.get(text[n], text[n]), n, n + 1) for n in range(start, end)]


def _join(pieces: Sequence[tuple[str, int, int]]) -> tuple[str, tuple[GlossPiece, ...]]:
    """Join pieces to a text with single spaces inside of a line."""
    text, segments = "", []
    for piece, start, end in pieces:
        for mark in piece:
            if mark == "\n" or not mark.isspace():
                text = text.rstrip(" ") if mark in ",.;:!?\n" else text
                text += mark
            elif text and not text[-1].isspace():
                text += " "
        bare = piece.strip()
        if bare:
            done = len(text.rstrip())
            segments.append(GlossPiece(max(0, done - len(bare)), done, start, end))
    return text.strip(), tuple(segments)


def _find(text: str, part: str) -> tuple[int, int] | None:
    """Return where a part stands in a text, whatever its case and spacing."""
    words = part.split()
    if not words:
        return None
    found_at = re.search(r"(?<!\w)" + r"\s+".join(map(re.escape, words)), text, re.IGNORECASE)
    return found_at.span() if found_at else None


def _words(phrase: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+\*?", fold(phrase)))


def _start(word: str) -> str:
    return word.rstrip("*")[:2]


def _by_length(phrase: Phrase) -> tuple[int, int, tuple[str, ...]]:
    return (-len(phrase.words), -max(map(len, phrase.words)), phrase.words)
