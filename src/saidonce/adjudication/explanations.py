"""Read a judge's explanation of its clear: completely, in the languages that have a table, or not at all.

The absence of an objection is not agreement: an explanation must be readable, on topic, and state a difference.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

from saidonce.adjudication.evidence import asks
from saidonce.matching.facts.lexicon import grammar, language_table, stem
from saidonce.matching.presentation import cleaned

LONG_WORD = 5
SHORT_WORD = 3
"""Letters of a word that may distinguish two texts, at least; of three or four only if it is none of grammar."""

FOREIGN_FROM = 0x250
"""Code points of letters from here on belong to no word of the languages that are read."""

UNREAD_FROM = 0.5
"""Share of a sentence's words of content, from which on unknown ones make it unread."""

NEAR = 8
"""Words behind a negation in its sentence that it may deny."""

SAYS_SAME, DENIES = "it says that the texts are the same", "it denies a difference"
UNREAD = "its words cannot be read"
_DENIALS = frozenset({SAYS_SAME, DENIES})

_SIGNS = frozenset(
    " \t\n.,;:!'\"()-/&*#%`_\u2019\u2018\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a\u2010\u2011\u2012\u2013\u2014"
    "\u2022\u2026\u2260\u00b7\u00a0\u202f"
)
"""Signs of plain writing; any other must stand in the question."""

_EMOTICON = re.compile(r"(?:^|\s)[:;=8xX][-o*']?[)(/\\|DPpO03](?=\s|$|\.)")
_BARRIER = " | "
_ENDS = re.compile(r"(?<![.;:!\u2026\u2022\n])[.;:!\u2026\u2022\n]+(?=\s|$)|\n|(?<=\s)[-\u2013\u2014*](?=\s)")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LABELLED = re.compile(r"(?m)((?:^|[.;!\n]|\s-)[^\S\n]*+\w+(?:[ -]\w+)?):(?=\s++\S)")
_NO_WORD = re.compile(r"[^\w|,]+|_+")
_MARK = re.compile(r"(?m)(?:^|(?<=[.;!] ))[ \t]*\d{1,2}[.)](?=\s)")
"""Numbers of the members of a list."""
_OWN_WORDS = re.compile(
    r"\b(?:i|we|me|us)\b(?: \w+){0,4} (?:say|answer|reply|write|output|put|claim|call|mark|return|go with)"
    r"(?: \w+){0,4} (?:distinct|different|not (?:an? )?duplicates?)\b"
)
_TAUTOLOGY = re.compile(r"\b((?:an? |the )?\w+(?: \w+)?) (?:is|are|remains?|stays?) (?:just |still |only |but )?\1\b")
_LABEL = re.compile(r"(?:(?:my|the) )?(?:final )?(?:verdict|classification|result|opinion|answer|decision)(?: is)?")


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The words that an explanation may use.

    Attributes:
        words: plain words of all its texts, fields and ids; `stems` are their stems.
        mine, theirs: distinctive words of only the candidate, or only the kept texts; see `_is_telling`.
        ids: words with digits in the matches' ids.
        signs: all characters of its texts.
    """

    words: frozenset[str]
    stems: frozenset[str]
    mine: frozenset[str]
    theirs: frozenset[str]
    ids: frozenset[str]
    signs: frozenset[str]


def question_words(candidate: str, kept: Sequence[str], ids: Sequence[str] = ()) -> QuestionWords:
    """Return the words of a question: the candidate and the kept texts, each with its fields, and the matches' ids."""
    mine = set(plain_words(candidate).split())
    theirs = {word for text in kept for word in plain_words(text).split()}
    id_words = {word for one in ids for word in plain_words(one).split()}
    words = mine | theirs | id_words
    only_mine, only_theirs = (
        frozenset(word for word in side if _is_telling(word)) for side in (mine - theirs, theirs - mine)
    )
    signs = frozenset("".join([candidate, *kept, *ids]))
    stems = frozenset(map(stem, words))
    return QuestionWords(
        frozenset(words), stems, only_mine, only_theirs, frozenset(filter(_has_digit, id_words)), signs
    )


def _is_telling(word: str) -> bool:
    """Return whether a word may distinguish two texts: a number, a long word, or a shorter content word."""
    if len(word) >= LONG_WORD or _has_digit(word):
        return True
    return len(word) >= SHORT_WORD and not any(word in _vocabulary(language)[0] for language in tables())


def _has_digit(word: str) -> bool:
    return any(c.isdigit() for c in word)


def plain_words(text: str) -> str:
    """Return lower-case words separated by one space, and sentences by "|"; no other character remains."""
    return " ".join(_clauses(text).replace(",", " ").split())


def _clauses(text: str) -> str:
    """Return `plain_words` with commas kept; a label of two words stays with the text that it names."""
    plain = "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf")
    spelled = plain.replace("\u2260", " differs from ").replace("!=", " differs from ").replace("%", " percent ")
    parted = _ENDS.sub(_BARRIER, _LABELLED.sub(r"\1 ", cleaned(spelled).replace("|", " ")))
    words = " ".join(_NO_WORD.sub(" ", _HUMP.sub(" ", parted)).replace(",", " , ").casefold().split())
    return re.sub(r"(?:\| ?)+", "| ", words).strip("| ")


def objection(text: str) -> str:
    """Return why the words of a text contradict a clear; empty if no table objects.

    For data beside an explanation, such as names, models and messages. Explanations themselves also need `unread`.
    """
    return next((why for finds, why in _objections() if finds(plain_words(text))), "")


def denial(text: str) -> str:
    """Return why words say that the texts are the same; empty if no table matches. Doubt does not count."""
    words = plain_words(text)
    return next((why for finds, why in _objections() if why in _DENIALS and finds(words)), "")


def is_overridden(thought: str, labels: Collection[str]) -> bool:
    """Return whether a judge wrote that texts are the same, and directly after it that it will answer distinct.

    A sentence that names another case by its label starts that case.
    """
    sentences = plain_words(thought).split("|")
    label_words = {plain_words(label) for label in labels}
    return any(
        denial(before) and _OWN_WORDS.search(after) and label_words.isdisjoint(after.split())
        for before, after in pairwise(sentences)
    )


def unread(text: str, question: QuestionWords) -> str:
    """Return why an explanation does not support a clear; empty if all of it was read and none of it objects.

    Reasons: a doubt, a question, a reported problem, an address to a reader, a statement that the texts are the same
    or do not differ materially, characters or numbers that are not in the question, a language without a table. For
    a stated difference see `states_difference`.
    """
    if asks(text):
        return "it asks"
    if not any(c.isalpha() for c in text) or _has_odd_sign(text, question) or _EMOTICON.search(text):
        return "its signs cannot be read"
    text = _MARK.sub("", text)
    words = plain_words(text)
    strange = [word for word in words.split() if word not in question.words]
    checks: tuple[tuple[Callable[[str], object], str], ...] = (
        (lambda _: any(ord(c) >= FOREIGN_FROM for word in strange for c in word), UNREAD),
        *_objections(),
        *_strict_objections(),
        (
            lambda _: any(_is_off_topic(m.split(), question) for m in _topical().findall(words)),
            "it speaks of other things",
        ),
        (lambda _: any(map(_has_digit, strange)), "it names what the question does not hold"),
        (lambda _: any(_turns_away(s, question) for s in words.split("|")), "it turns away from the difference"),
        (lambda _: not all(_is_read(s.split(), question) for s in _clauses(text).split("|")), UNREAD),
    )
    return next((why for finds, why in checks if finds(words)), "")


def states_difference(text: str, question: QuestionWords) -> bool:
    """Return whether an explanation states a difference, distinguishes the two sides, or is only a label."""
    words = plain_words(text)
    if not words or _LABEL.fullmatch(words):
        return True
    says = _pattern("differs").search(words) or _pattern("unsaid").search(words)
    return bool(says) or any(_tells_apart(sentence.split(), question) for sentence in words.split("|"))


def _tells_apart(sentence: Sequence[str], question: QuestionWords) -> bool:
    """Return whether a sentence states of one side what only that side has, or denies it of the other.

    Words of both sides are not enough ("softlines or hardlines, a count is a count"): each must be stated of the side
    that is named before it, or one must be denied ("softlines, not hardlines").
    """
    sides = (_side_names("candidate"), _side_names("kept") | question.ids)
    own = (question.mine, question.theirs)
    side, denied_at = None, -NEAR - 1
    for place, word in enumerate(sentence):
        side = next((n for n, names in enumerate(sides) if word in names), side)
        if word in _denying():
            denied_at = place
        for n in (0, 1):
            if word not in own[n]:
                continue
            is_denied = place - denied_at <= NEAR
            if side == n and not is_denied:
                return True
            if is_denied and (side == 1 - n or not own[1 - n].isdisjoint(sentence)):
                return True
    return False


def _turns_away(sentence: str, question: QuestionWords) -> bool:
    """Return whether a sentence continues ("but", "yet") with a part that states no difference."""
    parts = _pattern("turns").split(sentence)
    return len(parts) > 1 and not states_difference(parts[-1], question)


def _has_odd_sign(text: str, question: QuestionWords) -> bool:
    if any(_misleads(c) for c in text):
        return True
    return not all(
        c in _SIGNS or c in question.signs or c.isalnum() or unicodedata.category(c)[0] in "MZC"
        for c in unicodedata.normalize("NFKC", text)
    )


def _misleads(char: str) -> bool:
    """Return whether a character hides, reorders or strikes out other characters."""
    is_overlay = unicodedata.combining(char) == 1 or unicodedata.category(char) == "Me"
    return is_overlay or any(first <= char <= last for first, last in _MISLEADING)


_MISLEADING = (("\u202a", "\u202e"), ("\u2066", "\u2069"), ("\U000e0000", "\U000e007f"))
"""Controls of the direction of writing, and tags: letters that nobody sees."""


def _is_off_topic(words: Sequence[str], question: QuestionWords) -> bool:
    return not all(word in question.words or stem(word) in question.stems for word in words)


def _is_read(sentence: Sequence[str], question: QuestionWords) -> bool:
    """Return whether enough words of a sentence are known in one language; an empty sentence counts as read.

    A word after one that states a difference counts as known: it names what differs ("another defect"). No part
    between commas, except in a list, may be entirely unknown, as it may qualify the rest. A sentence with a count that
    is not in the question does not count as read.
    """
    if sentence and _is_negation(sentence):
        return False
    return any(_is_read_in(language, sentence, question) for language in tables())


def _is_read_in(language: str, sentence: Sequence[str], question: QuestionWords) -> bool:
    counts = _counts(language) - question.words
    if not counts.isdisjoint(sentence) or _unread_share(sentence, question, language) >= UNREAD_FROM:
        return False
    parts = [part.split() for part in " ".join(sentence).split(",")]
    listed = max((at for at, part in enumerate(parts) if not _joining().isdisjoint(part)), default=-1)
    if any(_says_only_unknown(part, question, language) for part in parts):
        return False
    return all(_unread_share(part, question, language) < 1 for part in parts[listed + 1 :])


def _says_only_unknown(part: Sequence[str], question: QuestionWords, language: str) -> bool:
    """Return whether all words of a part that are not common in explanations are unknown.

    It may be about another question ("set in footwear"), or a doubt without an entry in the tables. Statements on the
    kept text alone may be unknown: the candidate is let through, not the kept text.
    """
    if not _kept_names(language).isdisjoint(part):
        return False
    function, vocabulary = _vocabulary(language)
    own = [
        word
        for place, word in enumerate(part)
        if word not in function and word not in vocabulary and not _is_contrasted(place, part, language)
    ]
    return bool(own) and not any(word in question.words or stem(word) in question.stems for word in own)


def _is_contrasted(place: int, part: Sequence[str], language: str) -> bool:
    """Return whether a word states a difference, follows one that does, or precedes "instead of" and similar words."""
    states, names, against = (_language_pattern(language, name) for name in ("differs", "names", "against"))
    follows = place > 0 and names.fullmatch(part[place - 1])
    return bool(states.fullmatch(part[place]) or follows or against.match(" ".join(part[place + 1 : place + 3])))


def _unread_share(sentence: Sequence[str], question: QuestionWords, language: str) -> float:
    function, vocabulary = _vocabulary(language)
    states, names = (_language_pattern(language, name) for name in ("differs", "names"))
    n_content = n_unknown = 0
    for place, word in enumerate(sentence):
        if word == "," or word in function:
            continue
        n_content += 1
        is_known = word in vocabulary or word in question.words or stem(word) in question.stems
        is_named = place > 0 and bool(names.fullmatch(sentence[place - 1]))
        n_unknown += not (is_known or is_named or states.fullmatch(word))
    return n_unknown / n_content if n_content else 0.0


def _is_negation(sentence: Sequence[str]) -> bool:
    return any(set(sentence) <= set(table["negations"].split("|")) for table in tables().values())


@cache
def tables() -> Mapping[str, Mapping[str, str]]:
    """Return the tables by language, mapping names to alternatives of a pattern, with names in braces expanded."""
    written = files("saidonce.adjudication").joinpath("explanations.toml").read_text("utf-8")
    return {language: dict(_expanded(table)) for language, table in tomllib.loads(written).items()}


def _expanded(table: Mapping[str, str | list[str]]) -> Iterator[tuple[str, str]]:
    whole = {name: value if isinstance(value, str) else "|".join(value) for name, value in table.items()}
    for name, pattern in whole.items():
        expanded = pattern
        while "{" in re.sub(r"\{\d", "", expanded):
            expanded = re.sub(r"\{([a-z]+)\}", lambda m: whole[m[1]], expanded)
        yield name, " ".join(expanded.split()) if name == "plain" else expanded


@cache
def _vocabulary(language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the grammar words of a language, and the other words that are common in explanations."""
    words = grammar(language)
    return words.function | words.articles, frozenset(plain_words(tables()[language]["plain"]).split())


@cache
def _counts(language: str) -> frozenset[str]:
    """Return the number words of a language, except those common in explanations ("two tasks")."""
    numerals = language_table(language).get("numerals", {})
    written = " ".join([str(numerals.get("cardinal", "")), str(numerals.get("tens", "")), *numerals.get("scale", ())])
    function, vocabulary = _vocabulary(language)
    return frozenset(plain_words(written.replace("|", " ")).split()) - function - vocabulary


@cache
def _kept_names(language: str) -> frozenset[str]:
    """Return the words for the kept text in explanations of a language."""
    return frozenset(word for word in tables()[language].get("kept", "").split("|") if word)


@cache
def _side_names(side: str) -> frozenset[str]:
    """Return the words for a side, `candidate` or `kept`, in explanations of any language."""
    return frozenset(word for table in tables().values() for word in table.get(side, "").split("|") if word)


@cache
def _denying() -> frozenset[str]:
    return frozenset(word for table in tables().values() for word in table["negations"].split("|")) | {
        "none",
        "neither",
    }


@cache
def _joining() -> frozenset[str]:
    """Return the words between the last two members of a list, in any supported language."""
    return frozenset(word for table in tables().values() for word in table.get("joins", "").split("|") if word)


@cache
def _language_pattern(language: str, name: str) -> re.Pattern[str]:
    table = tables()[language]
    pattern = table.get(name) or (table["difference"] if name == "differs" else "")
    return re.compile(rf"\b(?:{pattern})\b") if pattern else re.compile(r"(?!)")


@cache
def _pattern(*names: str) -> re.Pattern[str]:
    """Return one pattern of the named tables of all languages."""
    parts = [p for table in tables().values() for name in names if (p := table.get(name, ""))]
    if names == ("differs",):
        parts += [table["difference"] for table in tables().values()]
    return re.compile("|".join(rf"\b(?:{part})\b" for part in parts))


@cache
def _topical() -> re.Pattern[str]:
    return re.compile("|".join(rf"\b(?:{t['topical']})\b" for t in tables().values() if "topical" in t))


@cache
def _objections() -> tuple[tuple[Callable[[str], object], str], ...]:
    unsaid = _pattern("unsaid")
    same, denies = _pattern("same", "strong"), _pattern("denies")
    broken = re.compile("|".join(rf"(?:{t['broken']})\b" for t in tables().values() if "broken" in t))
    return (
        (_pattern("doubt").search, "it doubts"),
        (_pattern("trouble").search, "it reports trouble"),
        (broken.match, "it reports trouble"),
        (_pattern("superficial").search, SAYS_SAME),
        (_TAUTOLOGY.search, SAYS_SAME),
        (lambda words: same.search(unsaid.sub(" ", words)), SAYS_SAME),
        (lambda words: denies.search(unsaid.sub(" ", words)), DENIES),
    )


@cache
def _strict_objections() -> tuple[tuple[Callable[[str], object], str], ...]:
    asks = re.compile("|".join(rf"(?:^|\| )(?:{t['asks']})\b" for t in tables().values() if "asks" in t))
    return (_pattern("voice").search, "it doubts"), (asks.search, "it asks")
