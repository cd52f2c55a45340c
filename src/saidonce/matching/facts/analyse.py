"""The sentences of a text as typed tokens.

Notation vanishes here: "thirty days", "30-day" and "720 h" have one key, so that everything after
compares keys only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple, TypeAlias

from saidonce.foundation import text as texts
from saidonce.foundation.model import UNKNOWN_LANGUAGE, FactKind, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.fences import BARE_FENCE
from saidonce.matching.facts.lexicon import (
    NEGATION,
    answers,
    denied,
    grammar,
    has_no_spaces,
    hints,
    known_words,
    operators,
    stem,
    word_list,
)
from saidonce.matching.facts.numerals import months
from saidonce.matching.facts.scan import RawToken, folded_word, pieces
from saidonce.matching.facts.symbols import stated
from saidonce.matching.facts.values import LONGEST_IN_CHARACTERS, Made, may_start, value_at

MAX_TOKENS = 400
"""A longer sentence is cut into pieces of so many tokens, so that no alignment grows without bound."""

WINDOW = 2_000
"""Characters of a line without a full stop that are looked at together."""

_CLITICS = {"ll": "will", "re": "are", "ve": "have", "m": "am", "d": "would"}
_IS = frozenset("it that what there he she who where how here when why".split())
_NEGATED = {"can't": "can", "won't": "will", "shan't": "shall", "cannot": "can", "ain't": "is"}
_SIGNS_OF_BOUNDS = frozenset((">=", "≥", "<=", "≤", ">", "<", "+", "~", "≈"))
"""Signs beside a number; the scan finds them nowhere else."""


_SIGNS_OF_VALUES = frozenset("%$€£¥₹±§°|") | _SIGNS_OF_BOUNDS


class Token(NamedTuple):
    """One fact or word: offsets into the whole text, comparison key, kind of fact, and folded spelling.

    `content` is false for words of grammar and for operators; `language` is that of the tables that typed it.
    """

    start: int
    end: int
    key: str
    kind: FactKind | None
    content: bool
    word: str
    written: str
    language: str = "en"


_Fields: TypeAlias = tuple[int, int, str, FactKind | None, bool, str, str, str]
_new_token: Callable[[_Fields], Token] = partial(tuple.__new__, Token)
"""Makes a token of all its fields in a third of the time; a text has hundreds."""


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
    """Return language whose frequent words a text uses most, else that of its script.

    English if it is written in ASCII.
    """
    beginning = text[:600]
    letters = [c for c in beginning if c.isalpha()]
    if sum(c >= _LATIN_END for c in letters) > len(letters) / 2:
        return _language_of_script(beginning)
    counts = Counter(texts.words(beginning))
    scores = [(sum(counts[w] for w in words), -place, name) for place, (name, words) in enumerate(hints())]
    best, _, name = max(scores)
    if best:
        return name
    return "en" if beginning.isascii() else UNKNOWN_LANGUAGE


_LATIN_END = "\u0250"


def _language_of_script(text: str) -> str:
    """Return Japanese by its own letters, Chinese by characters alone, Arabic without its neighbours' letters."""
    if _KANA.search(text):
        return "ja"
    if _HAN.search(text):
        return "zh"
    return "ar" if _ARABIC.search(text) and not _NOT_ARABIC.search(text) else UNKNOWN_LANGUAGE


_KANA = re.compile("[\u3040-\u30ff]")
_HAN = re.compile("[\u4e00-\u9fff]")
_ARABIC = re.compile("[\u0620-\u064a]")
_NOT_ARABIC = re.compile("[\u067e\u0686\u0698\u06a9\u06af\u06cc\u0679\u0688\u0691\u06ba\u06be\u06c1\u06d2]")


@remembered(4_096)
def analyse(text: str, language: str) -> Analysis:
    """Type the tokens of a text; `und` picks the tables by the words found."""
    language = guess(text) if language == UNKNOWN_LANGUAGE else language
    analysed: list[AnalysedSentence] = []
    spans = _lines(text) if "`" not in text and "~" not in text else _outside_fences(text)
    for span in _with_dates(spans, text, language):
        analysed.extend(_sentence(span, language))
    return Analysis(text, language, tuple(analysed), frozenset().union(*[s.keys for s in analysed]))


def same_in_order(a: str, b: str, language: str) -> bool:
    """Return whether two texts have the same words in the same order; numbers, dates and times in any notation.

    Stronger than equal keys: two words that negate are two words here, and articles and signs count.
    Punctuation between words does not.
    """
    return _written_out(a, language) == _written_out(b, language)


def _written_out(text: str, language: str) -> list[str]:
    written: list[str] = []
    at = 0
    for token in tokens_of(text, language):
        written += [*_between(text[at : token.start]), token.key if token.kind in _VALUES else token.word]
        at = token.end
    return [*written, *_between(text[at:])]


def _between(gap: str) -> Iterable[str]:
    """Return the words and signs that are no tokens, without punctuation."""
    return _PUNCTUATION.sub(" ", texts.normalise(gap)).replace(_MAQAF, "-").split()


_VALUES = frozenset((FactKind.NUMBER, FactKind.UNIT, FactKind.AMOUNT, FactKind.DATE, FactKind.FREQUENCY))
_MAQAF = "\u05be"
"""The Hebrew hyphen, for which people type that of a keyboard."""
_PUNCTUATION = re.compile("[.,;:!?\"'()\\[\\]\u3001\u3002\u300a-\u300f\u3010\u3011\u30fb\u060c\u061b\u061f\u06d4]")


def _with_dates(spans: Iterable[Span], text: str, language: str) -> Iterator[Span]:
    """Yield sentences, of which none is cut inside a date such as "3. März"."""
    held: Span | None = None
    for span in spans:
        if held and _DAY_AT_END.search(held.text[-4:]) and _is_month(span.text, language):
            held = Span(held.start, span.end, text[held.start : span.end])
        else:
            if held:
                yield held
            held = span
    if held:
        yield held


_DAY_AT_END = re.compile(r"\s\d{1,2}\.$")


def _is_month(text: str, language: str) -> bool:
    first = _FIRST_WORD.match(text)
    return first is not None and folded_word(first.group()) in months(language)


_FIRST_WORD = re.compile(r"[^\W\d_]+")


def tokens_of(text: str, language: str) -> list[Token]:
    """Return the tokens of all sentences of a text, in order."""
    return [token for sentence in analyse(text, language).sentences for token in sentence.tokens]


def _outside_fences(text: str) -> Iterator[Span]:
    return (span for span in _lines(text) if not BARE_FENCE.fullmatch(span.text))


def _lines(text: str) -> Iterable[Span]:
    """Return sentences of a text; a huge one is windowed first, because finding sentence ends looks back."""
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
    """Return the sentences of a line, moved to where it stands; a line that both of two texts have is read once."""
    by = span.start
    if not by:
        yield from _read(span.text, language)
        return
    for whole in _read(span.text, language):
        tokens = tuple([
            _new_token((start + by, end + by, key, kind, content, word, written, tag))
            for start, end, key, kind, content, word, written, tag in whole.tokens
        ])  # fmt: skip
        where = Span(whole.span.start + by, whole.span.end + by, whole.span.text)
        yield AnalysedSentence(where, tokens, whole.keys, whole.sorted_keys, whole.is_row)


@remembered(8_192)
def _read(line: str, language: str) -> tuple[AnalysedSentence, ...]:
    """Return the sentences of a line, with offsets into it."""
    span = Span(0, len(line), line)
    shouted, known = line.isupper(), known_words()
    raw = tuple(pieces(line))
    if language == "en":
        raw = tuple([p if p[3] in known or p[2] != "word" else _corrected(p, shouted=shouted) for p in raw])
    raw = raw[_enumerated(raw, span) :]
    tokens = _with_denials(_typed(raw, language, _answers(raw, span, answers(language))), language)
    if language != "en":
        tokens = [_new_token((*t[:7], language)) for t in tokens]
    is_row = line.count("|") >= 2
    analysed: list[AnalysedSentence] = []
    for lo in range(0, len(tokens), MAX_TOKENS):
        part = tuple(tokens[lo : lo + MAX_TOKENS])
        keys = tuple([t[2] for t in part])
        whole = span if len(tokens) <= MAX_TOKENS else _cut(span, part)
        analysed.append(AnalysedSentence(whole, part, keys, " ".join(sorted(keys)), is_row))
    return tuple(analysed)


def _answers(raw: tuple[RawToken, ...], span: Span, known: Mapping[str, str]) -> dict[int, str]:
    """Return places of "yes" and "no" that answer a question.

    They stand alone, before a pause, or after a colon at the end.
    """
    answers: dict[int, str] = {}
    for at in {0, len(raw) - 1} if raw else ():
        answer = known.get(raw[at].folded)
        before = span.text[: raw[at].start - span.start].rstrip(" *_")
        after = span.text[raw[at].end - span.start :].lstrip(" *_")
        leads = not before or before[-1] in "-(|:"
        if answer and ((leads and after[:1] in _PAUSES) or (not after.strip(".!|)") and before[-1:] in ":|?-")):
            answers[at] = YES if answer == "yes" else NO
    return answers


YES, NO = "answer!yes", "answer!no"
_PAUSES = frozenset(("", *".,;:!|)-\N{EN DASH}\N{EM DASH}\u3002\uff0c\uff1a\uff1b\uff01\u060c"))


def _enumerated(raw: tuple[RawToken, ...], span: Span) -> int:
    """Return how many pieces at the start are an item's number or letter, such as "3." or "(b)"."""
    if not raw or len(raw[0].written) > 4:
        return 0
    after = span.text[raw[0].end - span.start :][:2] + " "
    return int(bool(_ENUMERATOR.match(after)) and (raw[0].shape == "number" or len(raw[0].written) == 1))


_ENUMERATOR = re.compile(r"[.)]\s|\*\*")


def _corrected(piece: RawToken, *, shouted: bool) -> RawToken:
    """Return the piece with a misspelled operator put right; capitals make an acronym unless all are capitals."""
    if piece.shape != "word" or (piece.written.isupper() and not shouted) or piece.folded in known_words():
        return piece
    meant = correction(piece.folded)
    return piece._replace(folded=meant) if meant else piece


@lru_cache(maxsize=65_536)
def correction(word: str) -> str:
    """Return the operator, number or grammar word meant by a misspelling with two swapped or one doubled letter."""
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
        start, end, shape, folded, written, is_code = piece
        may_name = len(written) == 1 and written.isupper()
        if folded in _PER and language == "en" and (rate := _rate(raw, at, tokens)):
            tokens.append(rate[0])
            at += rate[1]
            continue
        plain = _plain(folded, language) if shape == "word" and not may_name and at not in answers else None
        if plain and (not (seconds := plain[3]) or at + 1 == len(raw) or raw[at + 1][3] not in seconds):
            key, kind, content, _, is_phrase = plain
            if content and not is_phrase and (is_code or not written.islower()):
                kind = _kind(piece, name=_is_name(piece, first=not tokens, titled=shouts))
            if key:
                tokens.append(_new_token((start, end, key, kind, content, folded, written, "en")))
            at += 1
            continue
        if value := _value(raw, at, language):
            token = _token(raw, at, *value, content=True)
            tokens.append(token if language == "en" else _with_number_as_one(token))
            width = value[0]
            at += width
            continue
        if at in answers:
            tokens.append(_token(raw, at, 1, answers[at], None, content=False))
            at += 1
            continue
        if shape == "sign":
            tokens += _sign(raw, at, language, leads=not tokens)
            at += 1
            continue
        if phrase := _phrase(raw, at, language):
            width, key, kind = phrase
            content = kind is FactKind.FREQUENCY or (kind is None and key not in _function_stems(language))
            tokens.append(_token(raw, at, width, key, kind, content=content))
            at += width
            continue
        names = not shouts and _names_by_letter(raw, at)
        tokens.extend(names or _words(piece, language, first=not tokens, titled=shouts))
        at += 1
    return tokens


def _sign(raw: tuple[RawToken, ...], at: int, language: str, *, leads: bool) -> list[Token]:
    """Return the token of a sign beside a number, or of one that states something by itself; none of others."""
    sign = raw[at].folded
    joins = sign == ">" and at + 1 < len(raw) and raw[at + 1].shape == "word"
    if not joins and sign in _SIGNS_OF_BOUNDS and (bound := _phrase(raw, at, language)):
        return [_token(raw, at, 1, bound[1], bound[2], content=False)]
    says = stated(sign, leads=leads) if joins or sign not in _SIGNS_OF_VALUES else ""
    return [_token(raw, at, 1, f"id:{says}", FactKind.IDENTIFIER, content=True)] if says else []


_PER = ("a", "an")
_TO_A_POINT = frozenset("before after later earlier ago away off from apart past to until".split())
"""What makes a time behind an amount a distance from something: "for 20 minutes an hour before the visit"."""

_AMOUNTS = (FactKind.NUMBER, FactKind.UNIT, FactKind.AMOUNT)


def _rate(raw: tuple[RawToken, ...], at: int, tokens: list[Token]) -> tuple[Token, int] | None:
    """Return what the English "an" right behind an amount says, and of how many pieces it is made.

    "20 litres an hour" says "per hour", "5 euros a litre" says "per litre".
    """
    if at + 1 == len(raw) or not tokens or raw[at].start - raw[at - 1].end > 1:
        return None
    has_noun = tokens[-1].kind is None and tokens[-1].content and len(tokens) > 1
    amount = tokens[-2] if has_noun else tokens[-1]
    if amount.kind not in ((FactKind.NUMBER,) if has_noun else _AMOUNTS):
        return None
    after = raw[at + 2] if at + 2 < len(raw) and raw[at + 2].start - raw[at + 1].end < 2 else None
    if after is not None and (after.folded in _TO_A_POINT or after.folded not in grammar("en").function):
        return None
    unit = raw[at + 1].folded
    key = next((k for words, (k, _) in grammar("en").phrases.get("per", ()) if words == ("per", unit)), "")
    if key:
        return _token(raw, at, 2, key, FactKind.FREQUENCY, content=True), 2
    per = _token(raw, at, 1, "per", None, content=False)._replace(word="per")
    return (per, 1) if amount.kind is FactKind.AMOUNT else None


def _names_by_letter(raw: tuple[RawToken, ...], at: int) -> list[Token]:
    """Return the token of a letter that names something, as in "service A".

    None where it may be an article or a word.
    """
    piece, before = raw[at], raw[at - 1]
    is_letter = len(piece.written) == 1 and piece.written.isupper() and piece.folded != "i"
    if not (at and is_letter and before.shape == "word" and before.end + 1 == piece.start):
        return []
    return [Token(piece.start, piece.end, piece.folded, None, True, piece.folded, piece.written)]


def _with_denials(tokens: list[Token], language: str) -> list[Token]:
    """Return the tokens with "not" and what it denies as one word, where there is one: "not allowed", "forbidden"."""
    if NEGATION not in [t[2] for t in tokens]:
        return tokens
    joined: list[Token] = []
    for token in tokens:
        last = joined[-1] if joined else None
        instead = denied(token.word, language) if last and last.key == NEGATION and last.word == "not" else ""
        if last and instead and token.kind is None and token.content:
            joined[-1] = token._replace(start=last.start, key=stem(instead), word=f"not {token.word}")
        else:
            joined.append(token)
    return joined


def _value(raw: tuple[RawToken, ...], at: int, language: str) -> Made | None:
    """Return the value that starts at a piece; among characters without spaces a longer phrase is heard first."""
    value = value_at(raw, at, language)
    if value and has_no_spaces(language) and (phrase := _phrase(raw, at, language)) and phrase[0] > value[0]:
        return None
    return value


def _with_number_as_one(token: Token) -> Token:
    """Return the token of a quantity whose number of several words is spelled as one: "vingt-et-un jours"."""
    number, _, unit = token.word.rpartition(" ")
    if token.kind not in (FactKind.UNIT, FactKind.AMOUNT) or not number or number[0].isdigit():
        return token
    return token._replace(word=f"{number.replace(' ', '-')} {unit}")


class _Plain(NamedTuple):
    """What a word is by itself, unless one of the `seconds` stands next; no key if it is left out.

    How it is spelled may yet make a content word a name or a name of code, unless a table of phrases lists it.
    """

    key: str
    kind: FactKind | None
    content: bool
    seconds: frozenset[str]
    is_phrase: bool


@lru_cache(maxsize=65_536)
def _plain(word: str, language: str) -> _Plain | None:
    """Return what a word is where nothing around it matters, otherwise None."""
    tables = grammar(language)
    phrases = tables.phrases.get(word, ())
    seconds = frozenset(words[1] for words, _ in phrases if len(words) > 1)
    alone = next(((key, kind) for words, (key, kind) in phrases if len(words) == 1), None)
    if "'" in word or word in ("cannot", "no") or may_start(word, language):
        return None
    if alone is None:
        key = "" if word in tables.articles else stem(word) if language == "en" else word
        return _Plain(key, None, word not in tables.function, seconds, is_phrase=False)
    key, kind = alone
    if key.startswith("bound:"):
        return None
    content = kind is FactKind.FREQUENCY or (kind is None and key not in _function_stems(language))
    return _Plain(key, kind, content, seconds, is_phrase=True)


def _token(raw: tuple[RawToken, ...], at: int, width: int, key: str, kind: FactKind | None, *, content: bool) -> Token:
    last = raw[at + width - 1]
    space = "" if raw[at].shape == "cjk" else " "
    word = raw[at].folded if width == 1 else space.join(p.folded for p in raw[at : at + width])
    return Token(raw[at].start, last.end, key, kind, content, word, raw[at].written)


@lru_cache(maxsize=16)
def _function_stems(language: str) -> frozenset[str]:
    words = grammar(language).function
    return frozenset(stem(w) for w in words) if language == "en" else words


def _is_titled(raw: tuple[RawToken, ...]) -> bool:
    """Return whether capitals say nothing here, because most longer words have one."""
    long = [written for _, _, shape, folded, written, _ in raw if len(folded) > 3 and shape == "word"]
    return len(long) > 2 and sum([w[0].isupper() for w in long]) > 0.8 * len(long)


def _phrase(raw: tuple[RawToken, ...], at: int, language: str) -> tuple[int, str, FactKind | None] | None:
    for words, (key, kind) in grammar(language).phrases.get(raw[at].folded, ()):
        width = len(words)
        if width > 1 and tuple(p.folded for p in raw[at : at + width]) != words:
            continue
        if kind is FactKind.MODALITY and width > 1 and raw[at + 1].written.istitle() and not _is_titled(raw):
            continue  # "Aim To examine": a label in front of a sentence
        if key.startswith("bound:") and not _bounds(raw, at, width, language):
            continue
        if kind is FactKind.NEGATION and raw[at].folded == "no" and _is_abbreviated_number(raw, at):
            continue
        return width, key, kind
    return None


def _bounds(raw: tuple[RawToken, ...], at: int, width: int, language: str) -> bool:
    """Return whether a word such as "over" bounds a number here."""
    first = "".join(p.folded for p in raw[at : at + width]) if has_no_spaces(language) else raw[at].folded
    if first in word_list(language, "after_value"):
        return _follows_value(raw, at, language) and not value_at(raw, min(at + width, len(raw) - 1), language)
    if first in _SIGNS_OF_BOUNDS or first in word_list(language, "firm_bounds"):
        return True
    return any(value_at(raw, n, language) for n in (at + width, at + width + 1) if n < len(raw))


def _follows_value(raw: tuple[RawToken, ...], at: int, language: str) -> bool:
    """Return whether a value ends right before a piece, at most white space between."""
    longest = LONGEST_IN_CHARACTERS + 1 if has_no_spaces(language) else 2
    for n in range(max(at - longest, 0), at):
        value = value_at(raw, n, language)
        if value and n + value[0] == at and raw[at].start - raw[at - 1].end <= 2:
            return True
    return False


def _is_abbreviated_number(raw: tuple[RawToken, ...], at: int) -> bool:
    return raw[at].written == "No" and at + 1 < len(raw) and raw[at + 1].shape == "number"


def _words(piece: RawToken, language: str, *, first: bool, titled: bool) -> Iterable[Token]:
    """Return tokens of one piece: contractions give two, articles none."""
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
    for words, (key, kind) in tables.phrases.get(word, ()):
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


__all__ = ["NEGATION", "NO", "YES", "AnalysedSentence", "Analysis", "Token", "analyse", "guess", "tokens_of"]
