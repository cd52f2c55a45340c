"""Room facts: the sentences of a text as typed tokens.

Notation vanishes here: "thirty days", "30-day" and "720 h" have one key, so that everything after
compares keys only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from saidonce.foundation import text as texts
from saidonce.foundation.model import UNKNOWN_LANGUAGE, FactKind, Span
from saidonce.matching.facts.lexicon import LANGUAGES, NEGATION, grammar, hints, known_words, operators, stem
from saidonce.matching.facts.scan import RawToken, pieces
from saidonce.matching.facts.values import starters, value_at

MAX_TOKENS = 400
"""A longer sentence is cut into pieces of so many tokens, so that no alignment grows without bound."""

WINDOW = 2_000
"""Characters of a line without a full stop that are looked at together."""

_CLITICS = {"ll": "will", "re": "are", "ve": "have", "m": "am", "d": "would"}
_IS = frozenset("it that what there he she who where how here when why".split())
_NEGATED = {"can't": "can", "won't": "will", "shan't": "shall", "cannot": "can", "ain't": "is"}
_FIRM_BOUNDS = frozenset(("at", "no", "not", ">=", "≥", "<=", "≤", ">", "<", "exactly", "precisely"))


class Token(NamedTuple):
    """One fact or word: offsets into the whole text, comparison key, kind of fact, and folded spelling.

    `content` is false for words of grammar and for operators.
    """

    start: int
    end: int
    key: str
    kind: FactKind | None
    content: bool
    word: str
    written: str


@dataclass(frozen=True, slots=True)
class AnalysedSentence:
    """A sentence, list line or table row with its tokens; articles and punctuation are left out."""

    span: Span
    tokens: tuple[Token, ...]
    keys: tuple[str, ...]
    sorted_keys: str
    is_row: bool


@dataclass(frozen=True, slots=True)
class Analysis:
    """A text, the language its tables were chosen by, and its sentences."""

    text: str
    language: str
    sentences: tuple[AnalysedSentence, ...]
    keys: frozenset[str]


def guess(text: str) -> str:
    """Language whose frequent words a text uses most; English if it uses none and is written in ASCII."""
    found = Counter(texts.words(text[:600]))
    scores = [(sum(found[w] for w in words), name) for name, words in hints()]
    best, name = max(scores, key=lambda s: (s[0], -LANGUAGES.index(s[1])))
    if best:
        return name
    return "en" if text[:600].isascii() else UNKNOWN_LANGUAGE


@lru_cache(maxsize=4_096)
def analyse(text: str, language: str) -> Analysis:
    """Type the tokens of a text; `und` picks the tables by the words found."""
    language = guess(text) if language == UNKNOWN_LANGUAGE else language
    found: list[AnalysedSentence] = []
    for span in _lines(text):
        found.extend(_sentence(span, language))
    return Analysis(text, language, tuple(found), frozenset(k for s in found for k in s.keys))


def _lines(text: str) -> Iterable[Span]:
    """Sentences of a text; a huge one is windowed first, because finding sentence ends looks back."""
    if len(text) <= WINDOW * 2:
        yield from texts.sentences(text)
        return
    start = 0
    while start < len(text):
        end = min(len(text), start + WINDOW)
        if end < len(text):
            cut = max(text.rfind("\n", start, end), text.rfind(". ", start, end) + 1)
            cut = cut if cut > start else text.rfind(" ", start, end)
            end = cut + 1 if cut > start else end
        for span in texts.sentences(text[start:end]):
            yield Span(span.start + start, span.end + start, span.text)
        start = end


def _sentence(span: Span, language: str) -> Iterable[AnalysedSentence]:
    """The sentences of a line, moved to where it stands; a line that both of two texts have is read once."""
    by = span.start
    for found in _read(span.text, language):
        tokens = tuple([Token(t[0] + by, t[1] + by, *t[2:]) for t in found.tokens])
        where = Span(found.span.start + by, found.span.end + by, found.span.text)
        yield AnalysedSentence(where, tokens, found.keys, found.sorted_keys, found.is_row)


@lru_cache(maxsize=8_192)
def _read(line: str, language: str) -> tuple[AnalysedSentence, ...]:
    """The sentences of a line, with offsets into it."""
    span = Span(0, len(line), line)
    shouted, known = line.isupper(), known_words()
    raw = tuple(
        p if p.shape != "word" or p.folded in known else _corrected(p, shouted=shouted) for p in pieces(line, 0)
    )
    raw = raw[_enumerated(raw, span) :]
    tokens = _typed(raw, language, _answers(raw, span))
    is_row = line.count("|") >= 2
    found: list[AnalysedSentence] = []
    for lo in range(0, len(tokens), MAX_TOKENS):
        part = tuple(tokens[lo : lo + MAX_TOKENS])
        keys = tuple(t.key for t in part)
        whole = span if len(tokens) <= MAX_TOKENS else _cut(span, part)
        found.append(AnalysedSentence(whole, part, keys, " ".join(sorted(keys)), is_row))
    return tuple(found)


def _answers(raw: tuple[RawToken, ...], span: Span) -> dict[int, str]:
    """Places of "yes" and "no" that answer a question: alone, in front of a pause, or after a colon at the end."""
    found: dict[int, str] = {}
    for at in {0, len(raw) - 1} if raw else ():
        answer = _ANSWERS.get(raw[at].folded)
        before = span.text[: raw[at].start - span.start].rstrip(" *_")
        after = span.text[raw[at].end - span.start :].lstrip(" *_")
        leads = not before or before[-1] in "-(|:"
        if answer and ((leads and after[:1] in _PAUSES) or (not after.strip(".!|)") and before[-1:] in ":|?-")):
            found[at] = answer
    return found


YES, NO = "answer!yes", "answer!no"
_ANSWERS = dict.fromkeys(("yes", "ja", "oui", "sí"), YES) | dict.fromkeys(("no", "nein", "non"), NO)
_PAUSES = frozenset(("", *".,;:!|)-\N{EN DASH}\N{EM DASH}"))


def _enumerated(raw: tuple[RawToken, ...], span: Span) -> int:
    """How many pieces at the start are an item's number or letter, such as "3." or "(b)"."""
    if not raw or len(raw[0].written) > 4:
        return 0
    after = span.text[raw[0].end - span.start :][:2] + " "
    return int(bool(_ENUMERATOR.match(after)) and (raw[0].shape == "number" or len(raw[0].written) == 1))


_ENUMERATOR = re.compile(r"[.)]\s|\*\*")


def _corrected(piece: RawToken, *, shouted: bool) -> RawToken:
    """The piece with a misspelled operator put right; capitals make an acronym unless all are capitals."""
    if piece.shape != "word" or (piece.written.isupper() and not shouted) or piece.folded in known_words():
        return piece
    meant = correction(piece.folded)
    return piece._replace(folded=meant) if meant else piece


@lru_cache(maxsize=65_536)
def correction(word: str) -> str:
    """The operator, number word or word of grammar that a misspelling with two swapped or one doubled letter means."""
    if len(word) < 3 or not word.isascii() or not word.isalpha() or word in operators():
        return ""
    swapped = {word[:n] + word[n + 1] + word[n] + word[n + 2 :] for n in range(len(word) - 1)}
    single = {word[:n] + word[n + 1 :] for n in range(len(word) - 1) if word[n] == word[n + 1]}
    candidates = swapped | single
    meant = candidates & operators()
    return next(iter(meant)) if len(meant) == 1 and not (candidates & known_words()) - meant else ""


def _cut(span: Span, part: tuple[Token, ...]) -> Span:
    start, end = part[0].start, part[-1].end
    return Span(start, end, span.text[start - span.start : end - span.start])


def _typed(raw: tuple[RawToken, ...], language: str, answers: Mapping[int, str]) -> list[Token]:
    """Walk the pieces once; each step takes the longest construct that starts there."""
    shouts = _is_titled(raw)
    tokens: list[Token] = []
    at = 0
    while at < len(raw):
        piece = raw[at]
        if piece.folded == "|":
            at += 1
            continue
        plain = _plain(piece.folded, language) if piece.shape == "word" and at not in answers else None
        if plain and _is_small(piece) and (at + 1 == len(raw) or raw[at + 1].folded not in plain.seconds):
            if plain.key:
                made_of = (plain.key, plain.kind, plain.content, piece.folded, piece.written)
                tokens.append(Token(piece.start, piece.end, *made_of))
            at += 1
            continue
        if made := value_at(raw, at, language):
            tokens.append(_token(raw, at, *made, content=True))
            width = made[0]
            at += width
            continue
        if at in answers:
            tokens.append(_token(raw, at, 1, answers[at], None, content=False))
            at += 1
            continue
        if piece.shape == "sign":
            if piece.folded in "<>=≥≤<=>=" and (bound := _phrase(raw, at, language)):
                tokens.append(_token(raw, at, 1, bound[1], bound[2], content=False))
            at += 1
            continue
        if phrase := _phrase(raw, at, language):
            width, key, kind = phrase
            content = kind is FactKind.FREQUENCY or (kind is None and key not in _function_stems(language))
            tokens.append(_token(raw, at, width, key, kind, content=content))
            at += width
            continue
        tokens.extend(_words(piece, language, first=not tokens, titled=shouts))
        at += 1
    return tokens


def _is_small(piece: RawToken) -> bool:
    """Whether nothing about a word's spelling tells more than its letters do."""
    return not piece.is_code and piece.written.islower()


class _Plain(NamedTuple):
    """What a word is by itself, unless one of the `seconds` stands next; no key if it is left out."""

    key: str
    kind: FactKind | None
    content: bool
    seconds: frozenset[str]


@lru_cache(maxsize=65_536)
def _plain(word: str, language: str) -> _Plain | None:
    """What a word is where nothing around it matters, otherwise None."""
    tables = grammar(language)
    phrases = tables.phrases.get(word, ())
    seconds = frozenset(words[1] for words, _, _ in phrases if len(words) > 1)
    alone = next(((key, kind) for words, key, kind in phrases if len(words) == 1), None)
    if "'" in word or word in ("cannot", "no") or word in starters(language):
        return None
    if alone is None:
        key = "" if word in tables.articles else stem(word) if language == "en" else word
        return _Plain(key, None, word not in tables.function, seconds)
    key, kind = alone
    if key.startswith("bound:"):
        return None
    content = kind is FactKind.FREQUENCY or (kind is None and key not in _function_stems(language))
    return _Plain(key, kind, content, seconds)


def _token(raw: tuple[RawToken, ...], at: int, width: int, key: str, kind: FactKind | None, *, content: bool) -> Token:
    last = raw[at + width - 1]
    word = raw[at].folded if width == 1 else " ".join(p.folded for p in raw[at : at + width])
    return Token(raw[at].start, last.end, key, kind, content, word, raw[at].written)


@lru_cache(maxsize=16)
def _function_stems(language: str) -> frozenset[str]:
    return frozenset(stem(w) for w in grammar(language).function)


def _is_titled(raw: tuple[RawToken, ...]) -> bool:
    """Whether capitals say nothing here, because most longer words have one."""
    long = [p.written for p in raw if p.shape == "word" and len(p.folded) > 3]
    return len(long) > 2 and sum(w[0].isupper() for w in long) > 0.8 * len(long)


def _phrase(raw: tuple[RawToken, ...], at: int, language: str) -> tuple[int, str, FactKind | None] | None:
    for words, key, kind in grammar(language).phrases.get(raw[at].folded, ()):
        width = len(words)
        if width > 1 and tuple(p.folded for p in raw[at : at + width]) != words:
            continue
        if key.startswith("bound:") and not _bounds(raw, at, width, language):
            continue
        if kind is FactKind.NEGATION and raw[at].folded == "no" and _is_abbreviated_number(raw, at):
            continue
        return width, key, kind
    return None


def _bounds(raw: tuple[RawToken, ...], at: int, width: int, language: str) -> bool:
    """Whether a word such as "over" bounds a number here."""
    first = raw[at].folded
    if first in ("or", "and"):
        return _follows_value(raw, at, language) and not value_at(raw, min(at + width, len(raw) - 1), language)
    if first in _FIRM_BOUNDS:
        return True
    return any(value_at(raw, n, language) for n in (at + width, at + width + 1) if n < len(raw))


def _follows_value(raw: tuple[RawToken, ...], at: int, language: str) -> bool:
    """Whether a value ends right before a piece, at most white space between."""
    for n in (at - 2, at - 1):
        made = value_at(raw, n, language) if n >= 0 else None
        if made and n + made[0] == at and raw[at].start - raw[at - 1].end <= 2:
            return True
    return False


def _is_abbreviated_number(raw: tuple[RawToken, ...], at: int) -> bool:
    return raw[at].written == "No" and at + 1 < len(raw) and raw[at + 1].shape == "number"


def _words(piece: RawToken, language: str, *, first: bool, titled: bool) -> Iterable[Token]:
    """Tokens of one piece: contractions give two, articles none."""
    if piece.shape in ("ident", "url"):
        name = piece.written if _FLAG.fullmatch(piece.written) else piece.folded
        key = "id:" + name.rstrip("/")
        yield Token(piece.start, piece.end, key, FactKind.IDENTIFIER, True, piece.folded, piece.written)
        return
    word = piece.folded
    tables = grammar(language)
    if piece.shape == "word" and ("'" in word or word == "cannot"):
        word, *more = _contracted(word)
        if word:
            yield _word(piece, word, language, name=_is_name(piece, first=first, titled=titled))
        for other in more:
            yield _word(piece, other, language, name=False)
        return
    if word in tables.articles:
        return
    yield _word(piece, word, language, name=_is_name(piece, first=first, titled=titled))


def _contracted(word: str) -> tuple[str, ...]:
    if word in _NEGATED:
        return (_NEGATED[word], "not")
    if word.endswith("n't"):
        return (word[:-3], "not")
    base, _, clitic = word.rpartition("'")
    if clitic in _CLITICS:
        return (base, _CLITICS[clitic])
    if clitic == "s":
        return (base, "is") if base in _IS else (base,)
    return tuple(part for part in word.split("'") if part)


def _word(piece: RawToken, word: str, language: str, *, name: bool) -> Token:
    tables = grammar(language)
    for words, key, kind in tables.phrases.get(word, ()):
        if len(words) == 1 and not key.startswith("bound:"):
            return Token(piece.start, piece.end, key, kind, False, word, piece.written)
    key = stem(word) if language == "en" else word
    content = word not in tables.function
    kind = _kind(piece, name=name) if content else None
    return Token(piece.start, piece.end, key, kind, content, word, piece.written)


def _kind(piece: RawToken, *, name: bool) -> FactKind | None:
    if piece.is_code or _CAMEL.search(piece.written):
        return FactKind.IDENTIFIER
    return FactKind.NAME if name else None


_FLAG = re.compile(r"-[A-Za-z]")
"""An option of one letter, whose case tells it from another: "-d", "-D"."""

_CAMEL = re.compile(r"[a-z][A-Z]\w*[a-z][A-Z]|^[a-z]+[A-Z][a-z]+")


def _is_name(piece: RawToken, *, first: bool, titled: bool) -> bool:
    written = piece.written
    tail = written[1:]
    has_capital_inside = tail != tail.lower()
    if titled or not tail or not written[0].isupper():
        return has_capital_inside and not titled
    return not first or has_capital_inside or piece.folded not in known_words()


__all__ = ["NEGATION", "NO", "YES", "AnalysedSentence", "Analysis", "Token", "analyse", "guess"]
