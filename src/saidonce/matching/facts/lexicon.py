"""The tables of words, read once from the files beside this module."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, TypeVar

import Stemmer

from saidonce.foundation.model import FactKind
from saidonce.matching.facts.scan import folded_word

CAPABILITIES = ("numerals", "negation", "modality", "quantifiers", "months", "opposites", "grammar")
"""What tables may say about a language, each a promise: what differs in it is seen as that kind of fact."""

TAGS = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "ga", "zh", "ja", "ar")
"""Languages with a table of their own."""

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")
"""Those of them that are read fully; of the rest, equal words in equal order are the same and nothing else is."""

_Value = TypeVar("_Value")
PhraseTable = dict[str, tuple[tuple[tuple[str, ...], _Value], ...]]
"""First word -> all words of a phrase and its value, longest first."""

Operator = tuple[str, FactKind | None]
"""What a phrase counts as: its key and kind."""

_ENGLISH = Stemmer.Stemmer("english")


TABLES = (
    "classes",
    "commas",
    "headings",
    "kin",
    "layouts",
    "pauses",
    "plain",
    "quantities",
    "spaces",
    "synonyms",
    *(f"languages/{tag}" for tag in TAGS),
)
"""Names of the tables of words."""


@cache
def table(name: str) -> dict[str, Any]:
    """Return one table file as a mapping."""
    return tomllib.loads((resources.files(__package__) / "data" / f"{name}.toml").read_text("utf-8"))


def lines(block: str) -> Iterator[str]:
    """Return lines of a block of a table that hold something."""
    return (line.strip() for line in block.splitlines() if line.strip() and not line.startswith("#"))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return key under which the inflections and spellings of a word are one."""
    word = _same_forms().get(word, word)
    if len(word) < 4 or not word.isascii():
        return word
    word = _british(word)
    if own := _own_words().get(word):
        return own
    stemmed = str(_ENGLISH.stemWord(word))
    return f"{stemmed}er" if _is_agent(word) and not stemmed.endswith(("er", "or")) else stemmed


@cache
def two_senses() -> frozenset[str]:
    """Return words that have a synonym as nouns or verbs, and say something else before a noun: "flat", "right"."""
    return frozenset(table("synonyms")["two_senses"].split())


def one_spelling(word: str) -> str:
    """Return a word in one of its spellings, or the base of an irregular form; the result need not be a word."""
    return _british(_same_forms().get(word, word))


@cache
def _own_words() -> dict[str, str]:
    """Return words of their own, and their plurals, with the key of each."""
    words = [_british(word) for word in table("synonyms")["own_words"].split()]
    plurals = ((f"{word[:-1]}ies" if word.endswith("y") else f"{word}s", word) for word in words)
    return {form: f"~{word}" for form, word in (*((w, w) for w in words), *plurals)}


_AGENT = re.compile(r"(\w{3,})(?:er|or)s?")


def _is_agent(word: str) -> bool:
    """Return whether a word names who does what a verb says.

    "insurer" and "insured" have one stem and are two parties.
    """
    agent = _AGENT.fullmatch(word)
    return agent is not None and not known_words().isdisjoint((agent[1], f"{agent[1]}e"))


def _british(word: str) -> str:
    """Fold British and American endings; the result need not be a word."""
    for old, new in _BRITISH:
        if word.endswith(old) and len(word) > len(old) + 2:
            return word[: -len(old)] + new
    return word


_BRITISH = tuple(
    (f"{old}{end}", f"{new}{end}")
    for old, new, ends in (
        ("isation", "ization", ("", "s", "al")), ("is", "iz", ("e", "ed", "es", "er", "ers", "ing", "able")),
        ("ys", "yz", ("e", "ed", "es", "er", "ers", "ing")), ("iour", "ior", ("", "s", "al")),
        ("our", "or", ("", "s", "ed", "ing")), ("tre", "ter", ("", "s")), ("ll", "l", ("ing", "ed")),
    )
    for end in ends
)  # fmt: skip


@cache
def _same_forms() -> dict[str, str]:
    forms: dict[str, str] = {}
    tables = table("synonyms")
    for line in (*lines(tables["spellings"]), *lines(tables["irregular"])):
        first, *rest = line.split()
        forms.update(dict.fromkeys(rest, first))
    return forms


def with_s(word: str) -> str:
    """Return an English noun or verb with the ending of several, or of the third person: "supply", "supplies"."""
    if word.endswith("y") and word[-2] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "z", "ch", "sh")) else f"{word}s"


def is_past(word: str) -> bool:
    """Return whether an English word, or the first of a phrase, is a past form or a participle.

    Examples: "sold", "took place".
    """
    word = word.partition(" ")[0]
    return past_forms().get(word, word) != word or (len(word) > LEAST_PAST and word.endswith("ed"))


LEAST_PAST = 4
"""Letters of "need" and "feed", which are not in the past."""


@cache
def past_forms() -> dict[str, str]:
    """Return irregular past form or participle of an English verb -> that verb, which some are equal to.

    Examples: "sold", "put".
    """
    rows = (line.split() for line in lines(table("synonyms")["irregular"]))
    return {form: base for base, *forms in rows for form in forms if not form.endswith(("s", "ing"))}


@cache
def telling(language: str, name: str = "telling") -> dict[str, str]:
    """Return Word of grammar -> key, for those whose coming or going changes what is claimed; empty without a table.

    Args:
        name: `telling`, or `negations` for words that say more than "not": "never", "nobody".
    """
    rows = language_table(language).get(name, "").split()
    return {folded_word(word): key or word for word, _, key in (row.partition("=") for row in rows)}


def is_telling(word: str, language: str) -> bool:
    """Return whether a word of grammar counts, since no table says that it may come and go.

    False without such a table.
    """
    return bool(free := _free(language)) and word not in free


@cache
def _free(language: str) -> frozenset[str]:
    return frozenset(folded_word(word) for word in language_table(language).get("free", "").split())


@dataclass(frozen=True, slots=True)
class Grammar:
    """The words of grammar of one language."""

    articles: frozenset[str]
    function: frozenset[str]
    phrases: PhraseTable[Operator]


@cache
def grammar(language: str) -> Grammar:
    """Return articles, function words and operator phrases of a language; nothing of one without a table."""
    words = language_table(language)
    return Grammar(
        words_of(words.get("articles", "")),
        words_of(words.get("function", "")),
        by_first_word(((p, (key, kind)) for p, key, kind in _operators_of(words, language)), language),
    )


def _operators_of(words: dict[str, Any], language: str) -> Iterator[tuple[str, str, FactKind | None]]:
    """Yield phrases with what they count as; of two readings of one phrase the earlier holds."""
    before = ("", *words.get("proclitics", "").split())
    for name, kind in _OPERATORS:
        rows = ((key, p) for key, row in words.get(name, {}).items() for p in row.split("|"))
        yield from ((clitic + p, f"{name}:{key}", kind) for key, p in rows for clitic in before)
    negations = (p for p in words.get("negation", "").split("|") if p)
    yield from ((clitic + p, NEGATION, FactKind.NEGATION) for p in negations for clitic in before)
    for old, new in _equations(words.get("plain", {}).get("phrases", "")):
        yield old, stem(new) if language == "en" else new, None
    if has_no_spaces(language):
        named = (w for line in lines(words["opposites"]["poles"]) for w in line.split() if w != "|")
        yield from ((w, w, None) for w in named)


_OPERATORS = (
    ("modality", FactKind.MODALITY),
    ("quantifier", FactKind.QUANTIFIER),
    ("frequency", FactKind.FREQUENCY),
    ("bound", FactKind.QUANTIFIER),
)

NEGATION = "not!"
"""Key of every word that negates."""


def _equations(block: str) -> Iterator[tuple[str, str]]:
    for line in lines(block):
        old, new = line.rsplit(" = ", 1) if " = " in line else (line, line)
        yield old.strip(), new.strip()


def by_first_word(phrases: Iterable[tuple[str, _Value]], language: str) -> PhraseTable[_Value]:
    """Return phrases under their first word; where a script has no spaces, each character is a word."""
    entries: dict[str, dict[tuple[str, ...], _Value]] = {}
    for phrase, value in phrases:
        words = tuple(folded_word(w) for w in phrase.replace("-", " ").replace("'", " ").split())
        if has_no_spaces(language):
            words = tuple("".join(words))
        if words:
            entries.setdefault(words[0], {}).setdefault(words, value)
    return {first: tuple(sorted(rest.items(), key=lambda row: -len(row[0]))) for first, rest in entries.items()}


def words_of(block: str) -> frozenset[str]:
    """Return the words of a block of a table, folded."""
    return frozenset(folded_word(w) for w in block.split())


@cache
def hints() -> tuple[tuple[str, frozenset[str]], ...]:
    """Return, per language, the frequent words that give it away."""
    return tuple((tag, words_of(language_table(tag)["hints"])) for tag in TAGS)


@cache
def language_table(language: str) -> dict[str, Any]:
    """Return the table of one language; empty without one."""
    return table(f"languages/{language}") if language in TAGS else {}


def capabilities(language: str) -> tuple[str, ...]:
    """Return what the tables read in a language, in the order of `CAPABILITIES`; nothing without a table."""
    declared = language_table(language).get("reads", ())
    return tuple(name for name in CAPABILITIES if name in declared)


def reads_fully(language: str) -> bool:
    """Return whether the tables read all kinds of facts in a language, so that what they do not object to agrees."""
    return capabilities(language) == CAPABILITIES


@cache
def word_list(language: str, name: str) -> frozenset[str]:
    """Return a list of words by which the guards look at whole sentences; empty where the language has none.

    Args:
        name: `light` (their moving says nothing), `takes_back` (limits what another sentence states, or puts a
            price on it), `contrasts` (those of them that may part what their own sentence says), `fronts` (opens
            what may stand before a comma or at the end), `finite` (verbs that make a statement), `points_back`,
            `sums_up` (behind "these", points back to all that was stated), `in_turn` (says that something
            follows), `bids` (verbs that a step begins with), `after_value` (a bound that starts with it stands
            behind its number), `firm_bounds` (a bound that starts with it needs no number), `opens_any` (behind it
            "any" is not "all"), `ranges` (leads from one value to another), `binds` (bears on the word that it
            stands before), `objects` (persons to whom something is done), `scoped` (says another thing before what
            denies it than behind), `inner` (opens a clause inside another), `requests` (asks politely),
            `asks` (a question begins with it), `asks_behind` (it does so behind "and" or a preposition, too),
            `before_asking` (such a preposition), `has_places` (has a first and a last of its own),
            `persons` (who speaks and is spoken to), `labels` (a title or label follows), `containers` (holds things),
            `relatives` (opens a clause about a noun), `past_helpers` (puts what a modal verb says into the past),
            `some_of`, `all_of` (articles before several things), `article_free` (such an article is style there),
            `unites` (joins two members of a list), `copulas` (forms of "be"), `owning` (stands before an owner),
            `hours` (times behind such a word), `doers` (stands before who does something), `one_thing`, `the_thing`
            (articles of one thing), `for_each`, `per_each` (there is one for each of several), `manners` (says how,
            behind the latter), `months_or_words` (a month, or another word), `before_month` (stands before a month),
            `behind_no_month` (behind such a word at the head of a sentence, it is no month), `names_or_months` (a
            name, or a month in short), `each_of` (all of several, one by one), `object_pronouns` (to whom something is
            done, right before its verb), `of_nouns` (opens a phrase that may belong to the noun before it),
            `of_places`, `accompanies` (such a phrase of place, or of what goes with it), `no_places` (is none behind
            the former), `tools` (what something is done with), `dirt` (what is removed with one), `may` (permits),
            `no_doers` (what does nothing, behind a word of `doers`), `means` (nor this without an article),
            `named_by_ing` (a noun with that ending), `goes_on` (a verb with such a form behind it), `hanging` (opens a
            clause that may stand before or behind the main one),
            `of_nothing` (beside it in such a clause "it" is no thing), `only_in_front` (says why at the head of a
            sentence, and how at its end), `needs` (says that something is needed), `permits` (that it may be done, or
            may not), `refers` (stands before the number of a step), `behind_nouns` (opens a phrase that belongs to the
            subject right before it), `bounds_of_nouns` (of an age or a weight that tells which ones are meant).
    """
    return words_of(language_table(language).get("words", {}).get(name, ""))


@cache
def pattern(language: str, name: str) -> re.Pattern[str] | None:
    """Return an expression by which the guards know words of a language; None where it has none.

    Args:
        name: `two_clauses` ("and" between two statements), `controls` (governs an infinitive), `reports` (says or
            thinks something), `infinitive`, `participle`, `denies_alone` (a verb denied by "ne" without "pas"),
            `together` (what several do or have as one), `perceives` (a verb whose object may be somewhere or have
            something), `carries` (one whose object is taken elsewhere, or chosen), `keeps` (one that is done with no
            tool), `of_none` (a phrase that says in which case or how, so belongs to no thing), `by_leave` (one that
            says by whose leave), `holds_anywhere` (says how far a sentence holds), `conditions` (a sentence that is a
            condition or a time, where its first word does not tell).
    """
    written = language_table(language).get("patterns", {}).get(name)
    return re.compile(written) if written else None


@cache
def answers(language: str) -> dict[str, str]:
    """Return the words that answer a question, each with "yes" or "no"; of all tables in a language without one."""
    tables = [language_table(tag)["answers"] for tag in ((language,) if language in TAGS else TAGS)]
    return {word: name for rows in tables for name, row in rows.items() for word in words_of(row)}


def script(language: str) -> str:
    """Return script that a language is written in: latin, han, kana, arabic; empty without a table."""
    return str(language_table(language).get("script", ""))


def has_no_spaces(language: str) -> bool:
    """Return whether a language is written without spaces, so that each character is a token."""
    return script(language) in ("han", "kana")


N_KNOWN_WORDS = 60_000


@cache
def known_words() -> frozenset[str]:
    """Return English words that exist, so that no other word is a misspelling of them.

    The most frequent ones of symspellpy's dictionary, whose rows are a word and its count, most
    frequent first.
    """
    return frozenset(_dictionary()[:N_KNOWN_WORDS])


@cache
def rare_words() -> frozenset[str]:
    """Return English words that exist and are less frequent than those of `known_words`."""
    return frozenset(_dictionary()[N_KNOWN_WORDS:])


def _dictionary() -> list[str]:
    rows = (resources.files("symspellpy") / "frequency_dictionary_en_82_765.txt").read_text("utf-8-sig").splitlines()
    return [row.split(" ", 1)[0] for row in rows]


@lru_cache(maxsize=65_536)
def denied(word: str, language: str) -> str:
    """Return the word that says the same as "not" before a word: "forbidden" for "allowed"; empty without one."""
    listed = _denied(language).get(word, "")
    if listed or language != "en" or not word.endswith(("able", "ible")):
        return listed
    return f"un{word}" if f"un{word}" in known_words() else ""


@cache
def _denied(language: str) -> dict[str, str]:
    return dict(_equations(language_table(language).get("relations", {}).get("denied", "")))


@cache
def operators() -> frozenset[str]:
    """Return English words that act in a phrase, a number or as grammar.

    These are the words whose misspelling would hide a fact.
    """
    numbers = language_table("en")["numerals"]
    phrases = (w for rows in grammar("en").phrases.values() for words, _ in rows for w in words)
    others = (numbers["cardinal"], numbers["tens"], "hundred thousand million billion", numbers["ordinals"])
    return frozenset(w for w in (*phrases, *grammar("en").function, *" ".join(others).split()) if len(w) > 2)


def _memberships(groups: Iterable[Iterable[str]]) -> dict[str, frozenset[int]]:
    memberships: dict[str, set[int]] = {}
    for number, words in enumerate(groups):
        for word in words:
            memberships.setdefault(stem(word.replace("_", " ")), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in memberships.items()}


@cache
def synonyms() -> dict[str, frozenset[int]]:
    """Return stem -> groups of words that may stand for each other."""
    rows = table("synonyms")
    return _memberships(line.split() for line in (*lines(rows["groups"]), *lines(rows["exact"])))


@cache
def exact_synonyms() -> dict[str, frozenset[int]]:
    """Return stem -> groups of words that say the same wherever they stand for each other."""
    return _memberships(line.split() for line in lines(table("synonyms")["exact"]))


@cache
def classes() -> dict[str, frozenset[int]]:
    """Return stem -> classes whose members exclude each other."""
    return _memberships(line.split() for line in lines(table("classes")["classes"]))


@cache
def qualifiers() -> frozenset[str]:
    """Return stems of words that change what is claimed by standing there."""
    return frozenset(stem(w) for w in table("classes")["qualifiers"].split())


@cache
def symmetric() -> frozenset[str]:
    """Return stems of predicates whose two sides may change places."""
    return frozenset(stem(w) for w in table("synonyms")["symmetric"].split())


@cache
def opposites(language: str = "en") -> dict[str, frozenset[str]]:
    """Return Word -> the words at the other pole; in English by stem. Nothing without a table."""
    fold = stem if language == "en" else folded_word
    rows = _opposites(language)
    pairs: dict[str, set[str]] = {}
    for key, block in ((fold, rows.get("poles", "")), (str, rows.get("pronouns", ""))):
        for line in lines(block):
            here, there = ({key(w) for w in side.split()} for side in line.split(" | "))
            _oppose(pairs, here, there)
    return {word: frozenset(others) for word, others in pairs.items()}


def _opposites(language: str) -> dict[str, str]:
    rows: dict[str, str] = language_table(language).get("opposites", {})
    return rows


def _oppose(pairs: dict[str, set[str]], here: set[str], there: set[str]) -> None:
    for one, other in ((here, there), (there, here)):
        for word in one - other:
            pairs.setdefault(word, set()).update(other - one)


@cache
def opposite_prefixes(language: str = "en") -> frozenset[tuple[str, str]]:
    """Return pairs of prefixes before the same rest that name two facts, in both orders."""
    pairs = [tuple(line.split(" | ")) for line in lines(_opposites(language).get("prefixes", ""))]
    return frozenset((a, b) for one, two in pairs for a, b in ((one, two), (two, one)))


@cache
def negating_prefixes(language: str = "en") -> tuple[str, ...]:
    """Return prefixes that negate when the bare word stands on the other side."""
    return tuple(_opposites(language).get("negating_prefixes", "").split())
