"""When two different words are the same word, or words of one meaning."""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz.distance import OSA, Levenshtein

from saidonce.foundation.model import FactKind
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.lexicon import (
    exact_synonyms,
    known_words,
    negating_prefixes,
    opposite_prefixes,
    opposites,
    rare_words,
    stem,
    synonyms,
)

_SUFFIXES = frozenset(
    "e s es ed d ing er or ers ors ion ions ation ations ment ments al ally ly ity ive ous ance ence y ic ical ist ant"
    " ent able ible r ness".split()
) | {""}
_OCR = str.maketrans({"0": "o", "1": "l", "5": "s"})


def same(a: Token, b: Token) -> bool:
    """Return whether two tokens may stand for each other without changing a fact."""
    if a.key == b.key:
        return True
    if a.kind in _VALUES and b.kind in _VALUES:
        return _same_value(a, b)
    if a.key.startswith("id:") or b.key.startswith("id:"):
        return _scanned_alike(a.word, b.word)
    return a.kind in _WORDS and b.kind in _WORDS and _are_one_word(a, b)


def _are_one_word(a: Token, b: Token) -> bool:
    if a.language != "en":
        return _has_swapped_letters(a.word, b.word) and not _are_two_in_turn(a, b)
    # "Install" and "Deploy" are two buttons; "METHODS" and "Techniques" head one section.
    are_labels = a.written.isupper() or b.written.isupper()
    if a.kind is b.kind is FactKind.NAME and not are_labels:
        return _are_one_name(a.word, b.word)
    return same_word(_word(a), _word(b))


def _are_one_name(a: str, b: str) -> bool:
    """Return whether two names differ in an ending, or in the order of two letters of a long one in no dictionary.

    "Kern" and "Kren" are two people, "Bristol" and "Brsitol" one town.
    """
    if stem(a) == stem(b):
        return True
    if {a, b} <= known_words():
        return False
    is_long = len(a) >= (FEWEST_OF_A_KNOWN_NAME if {a, b} & known_words() else LONG_WORD)
    is_swapped = is_long and sorted(a) == sorted(b) and is_typo(a, b)
    return is_swapped or bool(_exact_groups(a) & _exact_groups(b))


def _exact_groups(word: str) -> frozenset[int]:
    return exact_synonyms().get(stem(respelled(word)), _NONE)


def _has_swapped_letters(a: str, b: str) -> bool:
    """Return whether two long words differ in the order of two neighbouring letters.

    This is what counts without a list of words.

    Synonyms, endings and other slips are those of English; elsewhere one stroke parts "vermieten" from "verbieten".
    """
    return min(len(a), len(b)) >= LONG_WORD and sorted(a) == sorted(b) and OSA.distance(a, b) == 1


def _are_two_in_turn(a: Token, b: Token) -> bool:
    """Return whether two letters in turn are known to make two words: prefixes, or the sounds of two forms of a verb.

    "Prefetto" and "perfetto", "causalità" and "casualità"; in German "entscheiden" and "entschieden".
    """
    here = {a.word[:3], b.word[:3]}
    if any(here == prefixes for prefixes in _PREFIXES_IN_TURN):
        return True
    if {"caus", "casu"} <= {a.word[:4], b.word[:4]}:
        return True
    if a.language not in _ABLAUT or not (a.word.endswith("en") or a.written.islower()):
        return False
    at = next(n for n, (x, y) in enumerate(zip(a.word, b.word, strict=True)) if x != y)
    return {a.word[at : at + 2], b.word[at : at + 2]} == {"ei", "ie"}


_PREFIXES_IN_TURN = (frozenset(("per", "pre")), frozenset(("por", "pro")))
_ABLAUT = ("de", "nl")
"""Languages in which "ei" and "ie" part the present of a verb from its past."""

LONG_WORD = 8
"""Letters from which two words that differ in the order of two letters are one word."""


FEWEST_OF_A_KNOWN_NAME = 6
"""Letters from which a name with two swapped letters is the word that they make in their right order."""


def _word(token: Token) -> str:
    return token.key if " " in token.word else token.word


_WORDS = (None, FactKind.NAME, FactKind.IDENTIFIER)
_VALUES = (FactKind.NUMBER, FactKind.UNIT, FactKind.AMOUNT, FactKind.DATE, FactKind.VERSION)


def _same_value(a: Token, b: Token) -> bool:
    """Return whether one value only says less than the other: 3 March and 3 March 2024, 30 and 30 days."""
    if a.key[0] == b.key[0] == "@":
        return _same_date(a.key, b.key)
    for bare, full in ((a, b), (b, a)):
        if bare.kind in (FactKind.NUMBER, FactKind.DATE) and full.kind in (FactKind.UNIT, FactKind.AMOUNT):
            return f"#{full.word.replace(',', '').split()[0]}" == bare.key or full.key.split()[0] == bare.key
    year, date = sorted((a.key, b.key), key=lambda k: k[0] == "@")
    return date[0] == "@" and year[1:] == date[1:5]


def _same_date(a: str, b: str) -> bool:
    if a[1] in "TW" or b[1] in "TW":
        return False
    if a[1:5] != b[1:5] and "----" not in (a[1:5], b[1:5]):
        return False
    a, b = a[6:], b[6:]
    if "/" in a or "/" in b:
        return "-".join(sorted(a.replace("/", "-").split("-"))) == "-".join(sorted(b.replace("/", "-").split("-")))
    return a.startswith(b) or b.startswith(a)


@lru_cache(maxsize=65_536)
def same_word(a: str, b: str) -> bool:
    """Return whether two words are synonyms, one derived from the other, or one a misspelling of the other."""
    key_a, key_b = stem(a), stem(b)
    if key_a == key_b:
        return True
    if excludes(a, b) or negates(a, b):
        return False
    groups = synonyms()
    if groups.get(stem(respelled(a)), _NONE) & groups.get(stem(respelled(b)), _NONE):
        return True
    return _derived(a, b) or is_typo(a, b) or _scanned_alike(a, b)


@lru_cache(maxsize=65_536)
def is_exact(a: str, b: str) -> bool:
    """Return whether two words that `same_word` holds for one say the same.

    These are forms or misspellings of one word, or exact synonyms.

    "Inspect" and "examine" answer each other, "policy" and "police" by their letters; neither bears out the other.
    """
    if stem(a) == stem(b) or is_typo(a, b) or _scanned_alike(a, b):
        return True
    return bool(_exact_groups(a) & _exact_groups(b))


_PARTY = re.compile(r"(?P<stem>\w{3,}?)(?P<role>er|or|ee|ed)s?")


def _are_parties(a: str, b: str) -> bool:
    """Return whether two words name who does something and to whom it is done.

    Examples: insurer and insured, trainer and trainee.
    """
    one, two = _PARTY.fullmatch(a), _PARTY.fullmatch(b)
    if one is None or two is None or one["stem"] != two["stem"]:
        return False
    return (one["role"] in ("er", "or")) != (two["role"] in ("er", "or"))


_NONE: frozenset[int] = frozenset()
_NO_WORDS: frozenset[str] = frozenset()


@lru_cache(maxsize=65_536)
def excludes(a: str, b: str, language: str = "en") -> bool:
    """Return whether two words name opposite poles: increase and decrease, hyperoxia and hypoxia; or two parties."""
    if language == "en" and _are_parties(a, b):
        return True
    table = opposites(language)
    if b in table.get(a, _NO_WORDS):
        return True
    if language == "en" and stem(b) in table.get(stem(a), _NO_WORDS):
        return True
    is_adverb = language == "en" and (a.endswith("ly") or b.endswith("ly"))
    if is_adverb and (a_bare := _adjective(a), b_bare := _adjective(b)) != (a, b):
        return excludes(a_bare, b_bare)
    tail = _common_tail(a, b)
    while tail >= 4:
        if (a[:-tail], b[:-tail]) in opposite_prefixes(language):
            return True
        tail -= 1
    return False


def _adjective(word: str) -> str:
    """Return the adjective that an adverb is made of: easily, easy."""
    if not word.endswith("ly") or len(word) < 6:
        return word
    return word[:-3] + "y" if word.endswith("ily") else word[:-2]


def _common_tail(a: str, b: str) -> int:
    length = 0
    while length < min(len(a), len(b)) and a[-1 - length] == b[-1 - length]:
        length += 1
    return length


@lru_cache(maxsize=65_536)
def negates(a: str, b: str, language: str = "en") -> bool:
    """Return whether one word is the other with a negating prefix or the ending -less against -ful."""
    short, long = sorted((a, b), key=len)
    if any(long == prefix + short for prefix in negating_prefixes(language)) and len(short) > 3:
        return True
    return (
        language == "en"
        and {a[-4:], b[-4:]} == {"less", long[-4:] if long.endswith("less") else short[-4:]}
        and _bare(a) == _bare(b)
    )


@lru_cache(maxsize=65_536)
def is_negative(word: str) -> bool:
    """Return whether a word is the negative of an existing one: unknown, unsupported."""
    return word.startswith("un") and len(word) > 5 and word[2:] in known_words() and not word.startswith(_NOT_NEGATIVE)


_NOT_NEGATIVE = ("under", "unit", "uni", "until", "unto", "unless")


def _bare(word: str) -> str:
    return word.removesuffix("less").removesuffix("ful")


def _derived(a: str, b: str) -> bool:
    shared = 0
    while shared < min(len(a), len(b)) and a[shared] == b[shared]:
        shared += 1
    for length in (shared, shared - 1, shared - 2):
        if length >= 5 and a[length:] in _SUFFIXES and b[length:] in _SUFFIXES:
            return True
    return False


@lru_cache(maxsize=65_536)
def respelled(word: str) -> str:
    """Return the one existing word that a word becomes when two neighbouring letters are swapped back, or itself."""
    if word in known_words() or len(word) < 4 or not word.isalpha():
        return word
    swapped = {word[:n] + word[n + 1] + word[n] + word[n + 2 :] for n in range(len(word) - 1)} & known_words()
    return next(iter(swapped)) if len(swapped) == 1 else word


def is_typo(a: str, b: str) -> bool:
    """Return whether one word is most likely a misspelling of the other, which exists.

    Two words that both exist are two words, and of two that are in no dictionary only those are one that differ in the
    order of two letters. Else each stroke has to be one that is often made: a letter too few or too many, a vowel for
    another, the key beside the right one.
    """
    if min(len(a), len(b)) < 3 or not (a.isalpha() and b.isalpha()):
        return False
    if all(word in known_words() or word in rare_words() for word in (a, b)):
        return False
    known = (a in known_words()) + (b in known_words())
    if sorted(a) == sorted(b) and OSA.distance(a, b) == 1:
        return known == 1 or min(len(a), len(b)) >= _FEWEST_UNKNOWN
    if known == 0 or min(len(a), len(b)) < _FEWEST_UNKNOWN or _have_own_endings(a, b):
        return False
    allowed = 2 if min(len(a), len(b)) >= LONG_WORD else 1
    if OSA.distance(a, b, score_cutoff=allowed) > allowed:
        return False
    replaced = [(a[op.src_pos], b[op.dest_pos]) for op in Levenshtein.editops(a, b) if op.tag == "replace"]
    return all(_are_near_keys(one, two) for one, two in replaced)


_FEWEST_UNKNOWN = 5
"""Letters of words from which a stroke that is no exchange of two letters may be a slip."""

_ENDINGS = tuple("ite ate ide ine ene ane yne one ase ose ol al yl".split())
"""Endings by which substances are two: sulphite and sulphate."""


def _have_own_endings(a: str, b: str) -> bool:
    one, two = (next((end for end in _ENDINGS if word.endswith(end)), "") for word in (a, b))
    return bool(one and two) and one != two


_VOWELS = frozenset("aeiou")
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def _are_near_keys(one: str, two: str) -> bool:
    """Return whether two letters are vowels, or beside each other on a keyboard."""
    if {one, two} <= _VOWELS:
        return True
    return any(f"{x}{y}" in row for row in _ROWS for x, y in ((one, two), (two, one)))


def _scanned_alike(a: str, b: str) -> bool:
    """Return whether two spellings differ only as a scanner confuses letters, and one of them exists."""
    if (a in known_words()) == (b in known_words()):
        return False
    return _as_scanned(a) == _as_scanned(b)


def _as_scanned(word: str) -> str:
    return word.translate(_OCR).replace("rn", "m").replace("vv", "w").replace("cl", "d").replace("i", "l")
