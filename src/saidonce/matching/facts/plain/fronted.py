"""Sentences that differ in which phrase or clause stands first, in languages with spaces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from saidonce.matching.facts.causes import denied_cause
from saidonce.matching.facts.lexicon import language_table, pattern, table, word_list
from saidonce.matching.facts.numerals import months, weekdays
from saidonce.matching.facts.plain.tables import ways
from saidonce.matching.facts.scan import folded_word

WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*['\u2019]?|[^\w\s]")
VERB_SECOND = ("de", "nl")
FRONTS = ("de", "en", "fr", "es", "it", "pt", "nl", "ga", "pl")


@cache
def scope(language: str) -> frozenset[str]:
    """Return words that bear on what stands behind them.

    A phrase that is put there, or taken away, says another thing.
    """
    return frozenset(ways(language).get("scope", "").split())


def words_of(sentence: str) -> list[str]:
    """Return words and marks of a sentence, the first in small letters, without its end."""
    words = WORD.findall(sentence.rstrip(".!。 "))
    return [words[0].lower(), *words[1:]] if words else []


def is_fronted(front: str, plain: str, language: str) -> bool:
    """Return whether a sentence begins with a phrase that the other has further on, and is the same without it.

    In German and Dutch the verb then stands before its subject. A phrase right behind the subject may belong to it, and
    is not taken for the same; nor is one behind a word that bears on it ("only in July").
    """
    if language not in FRONTS or denied_cause(front, plain, language):
        return False
    a, b = words_of(front), words_of(plain)
    if not a or not b or sorted(w for w in a if w != ",") != sorted(w for w in b if w != ","):
        return False
    is_behind_verb = language in VERB_SECOND and _is_behind_its_verb(a, b)
    if not is_behind_verb and (appoints(a, language) or _may_be_of_an_object(a, b, language)):
        return False
    if _is_behind_a_noun(a, b, language):
        return False
    if language in VERB_SECOND:
        longest = _LONGEST_FRONT + a[: _LONGEST_FRONT + 2].count(".")  # "am 3. Mai und am 7. Juni"
        cuts = range(1, min(longest, len(a) - 2))
        if any(opens(a[:cut], language) and _is_inverted(a[:cut], a[cut:], b, language) for cut in cuts):
            return True
    return _is_time_moved(a, b, language) or _is_led(a, b, language) or _is_reason_moved(a, b, language)


def appoints(words: Sequence[str], language: str) -> bool:
    """Return whether a sentence that begins with a time has a verb that sets one: "on Monday the club moved the game".

    The time behind such a verb may be that of the game. A noun of the same beginning sets none: "the order".
    """
    listed = _appointing(language)
    fronts = (words[:n] for n in range(1, min(_LONGEST_FRONT, len(words))))
    is_dated = any(w.lower() in weekdays(language) or w.lower() in months(language) for w in words[:_DATED])
    if not listed or not (is_dated or any(says_when(front, language) for front in fronts)):
        return False
    verbs = [word.lower() for n, word in enumerate(words) if n and not _is_noun(words, n, language)]
    return any(word.startswith(begins) and (not ends or ends in verbs) for begins, ends in listed for word in verbs)


@cache
def _appointing(language: str) -> tuple[tuple[str, str], ...]:
    """Return the beginnings of verbs that set a time, each with the part that stands behind it, if it has one."""
    rows = str(table("kin").get(language, {}).get("appoints", "")).split()
    return tuple((begins, ends) for begins, _, ends in (row.partition("+") for row in rows))


def _is_behind_a_noun(a: Sequence[str], b: Sequence[str], language: str) -> bool:
    """Return whether the first words of one sentence stand in the other behind a noun that they may belong to."""
    at = next((n for n in range(1, len(b)) if list(b[n : n + _LEAST_FRONT]) == list(a[:_LEAST_FRONT])), 0)
    return at > 0 and may_be_of_a_noun(a[: len(b) - at], b[:at], language)


def may_be_of_a_noun(front: Sequence[str], before: Sequence[str], language: str) -> bool:
    """Return whether a phrase may belong to a noun with its article that stands right before it in the other order.

    "Call the warden with a dog", "read the book in the bus", "bring the chair in the hall": whom one calls and what one
    reads or brings may be there or have something. So may anything be with something else ("return the box with the
    label"), unless that is a tool: "open the door with a key". What says when belongs to no noun.
    """
    if len(before) < _LEAST_FRONT or says_when(front, language) or _is_of_none(front, before, language):
        return False
    verbs = [word.lower() for n, word in enumerate(before) if not _is_noun(before, n, language)]
    perceives = _is_any(verbs, "perceives", language)
    is_bare = perceives and _is_any([before[-2].lower()], "perceives", language)
    if not is_bare and (len(before) < _OBJECT or before[-2].lower() not in _any_article(language)):
        return False
    lead = front[0].lower()
    if lead in word_list(language, "of_nouns") and perceives:
        return True
    if lead in word_list(language, "of_places") and (
        _is_any(verbs, "carries", language) or (perceives and _is_the_place(front, language))
    ):
        return True
    if lead not in word_list(language, "accompanies"):
        return False
    needs_none = any(_is_any(verbs, name, language) for name in ("carries", "keeps"))
    return needs_none or not _is_tool(front, before[-1], language)


def _is_the_place(front: Sequence[str], language: str) -> bool:
    """Return whether an English phrase is of one known place: "behind the house", and not "in the end"."""
    is_known = language == "en" and len(front) > _LEAST_FRONT and front[1] in word_list("en", "the_thing")
    return is_known and word_list("en", "no_places").isdisjoint(front)


def _is_of_none(front: Sequence[str], before: Sequence[str], language: str) -> bool:
    """Return whether a phrase says in which case, how or by whose leave, so that it is of no thing.

    "On request", "in case of fire"; a consent may be a letter that lies beside another one, unless something "may" be
    done with it. Where dirt is, and what one will find somewhere, is no other there.
    """
    of_none, by_leave = (pattern(language, name) for name in ("of_none", "by_leave"))
    phrase, verbs = " ".join(front).lower(), {word.lower() for word in before}
    if of_none is not None and of_none.fullmatch(phrase):
        return True
    if by_leave is not None and by_leave.fullmatch(phrase):
        return not verbs.isdisjoint(word_list(language, "may"))
    if front[0].lower() in word_list(language, "accompanies"):
        return before[-1].lower() in word_list(language, "dirt") and _is_tool(front, before[-1], language)
    return language == "en" and " ".join(before[:_OBJECT]).lower().startswith(_FOUND)


_FOUND = ("you will find", "you can find", "you find")
"""What opens a sentence that says where something is."""


def _is_any(words: Sequence[str], name: str, language: str) -> bool:
    """Return whether one of some words has the form of a verb that the table of a language describes under a name."""
    form = pattern(language, name)
    return form is not None and any(form.fullmatch(word) for word in words)


def _is_tool(phrase: Sequence[str], thing: str, language: str) -> bool:
    """Return whether a phrase names what something is done with or by leave of; of somebody it tells who is meant."""
    words = {folded_word(word) for word in phrase}
    if folded_word(thing) in word_list(language, "people"):
        return False
    ends = tuple(word_list(language, "tools")) if language in VERB_SECOND else ()
    return not words.isdisjoint(word_list(language, "tools")) or any(w.endswith(ends) for w in words if ends)


_OBJECT = 3
"""Words of the least sentence that ends with an object: "call the warden"."""


@cache
def _any_article(language: str) -> frozenset[str]:
    lists = ("one_thing", "the_thing", "some_of", "all_of")
    return frozenset().union(*(word_list(language, name) for name in lists))


def _is_noun(words: Sequence[str], n: int, language: str) -> bool:
    """Return whether a word that may be a verb is a noun: in German by its capital letter, else behind an article."""
    if language == "de":
        return words[n][:1].isupper()
    before = words[n - 1].lower() if n else ""
    return _is_article(before, language) or before in _ARTICLES.get(language, "").split()


_ARTICLES = {"nl": "de het een", "it": "il lo la i gli le un uno una", "pt": "o a os as um uma"}


def _is_behind_its_verb(a: Sequence[str], b: Sequence[str]) -> bool:
    """Return whether what opens one sentence stands right behind its verb in the other, and so is of no object.

    "Am Montag verlegte der Verein das Spiel", "der Verein verlegte am Montag das Spiel". Nor is it of a pronoun.
    """
    cuts = range(1, min(_LONGEST_FRONT, len(a) - 1))
    places = ((cut, n) for cut in cuts for n in range(1, len(b)) if list(b[n : n + cut]) == list(a[:cut]))
    return any(b[n - 1 - (n > 1 and b[n - 1].lower() in _WEAK | _NO_OWNERS)] == a[cut] for cut, n in places)


def _may_be_of_an_object(a: Sequence[str], b: Sequence[str], language: str) -> bool:
    """Return whether a phrase from the front stands behind the object of a verb such as "tell", which it may be of.

    "Nach dem Unfall berichtete sie von dem Streit", "sie berichtete von dem Streit nach dem Unfall".
    """
    at = _reporting(language)
    if at is None or not any(at.fullmatch(word) and not _is_noun(a, n, language) for n, word in enumerate(a)):
        return False
    starts = (n for n in range(1, len(b)) if list(b[n : n + _LEAST_FRONT]) == list(a[:_LEAST_FRONT]))
    return any(at.fullmatch(b[n - 1]) is None and b[n - 1] not in (",", "ihr", "Sie", *_WEAK) for n in starts)


@cache
def _reporting(language: str) -> re.Pattern[str] | None:
    row = ways(language).get("reporting", "")
    return re.compile(row) if row else None


def _is_proviso(front: Sequence[str], language: str) -> bool:
    """Return whether words say how far something holds, wherever they stand: "como regla general"."""
    form = pattern(language, "holds_anywhere")
    return form is not None and form.fullmatch(" ".join(front).lower()) is not None


def _is_led(a: Sequence[str], b: Sequence[str], language: str) -> bool:
    """Return whether a sentence begins with a phrase or clause and a comma, and the other has it further on."""
    if "," not in a or a.index(",") > _LONGEST_FRONT or not opens(a[:_LEAST_FRONT], language):
        return False
    cut = a.index(",")
    if a[0] in word_list(language, "only_in_front") and not _is_proviso(a[:cut], language):
        return False  # "como llueve, ..." says why, "... como llueve" how
    clause, rest = a[:cut], a[cut + 1 :]
    is_second = language in VERB_SECOND and _is_clause_inverted(clause, rest, b, language)
    return is_second or _is_moved(clause, rest, b, language) or _is_bidden(clause, rest, b, language)


_LONGEST_FRONT = 8
_DATED = 4
"""Words at the front of a sentence among which a weekday or month makes a time of them."""
_LEAST_FRONT = 2


def _is_reason_moved(a: Sequence[str], b: Sequence[str], language: str) -> bool:
    """Return whether a sentence begins with "because of" and no comma, and the other ends with it.

    What follows the reason begins with an article, so that it is the subject.
    """
    because = ways(language).get("because", "").split()
    if not because or list(a[: len(because)]) != because or not _joins(language).isdisjoint(a):
        return False
    cuts = (n for n in range(len(because) + 1, min(_LONGEST_FRONT, len(a))) if _is_article(a[n], language))
    return any(list(b) == [*a[cut:], *a[:cut]] and not has_two_verbs(a[cut:], language) for cut in cuts)


def _is_article(word: str, language: str) -> bool:
    return word in ways(language).get("articles", "").split()


def are_exchanged(one: str, two: str, language: str) -> bool:
    """Return whether two sentences have a year or day and a place behind a verb in two orders: "1901 in Jena"."""
    places = ways(language).get("at", "").split()
    a, b = words_of(one), words_of(two)
    if not places or sorted(a) != sorted(b) or a == b:
        return False
    start = next(n for n, (x, y) in enumerate(zip(a, b, strict=True)) if x != y)
    same = next(n for n, (x, y) in enumerate(zip(reversed(a), reversed(b), strict=True)) if x != y)
    head, tail = a[:start], a[len(a) - same :]
    middles = [words[start : len(words) - same] for words in (a, b)]
    if head[-1:] and head[-1].lower() in places:  # "in 1901 in Jena" has "in" before both
        head, middles = head[:-1], [[head[-1], *middle] for middle in middles]
    if same and tail and len(tail) > 1:
        return False
    cuts = range(1, len(middles[0]))
    return _is_verb_of(head, tail, language) and any(_is_day_and_place(middles, cut, language) for cut in cuts)


def _is_day_and_place(middles: Sequence[Sequence[str]], cut: int, language: str) -> bool:
    """Return whether two stretches are a time and a place, in two orders."""
    one, two = middles
    first, second = list(one[:cut]), list(one[cut:])
    if list(two) != [*second, *first] or len(one) > _LONGEST_FRONT + _LEAST_FRONT:
        return False
    time, places = _time(language), ways(language)["at"].split()
    for when, where in ((first, second), (second, first)):
        is_time = time is not None and time.fullmatch(" ".join(when)) is not None
        is_place = where[0].lower() in places and not any(w[0].isdigit() or w == "," for w in where)
        if is_time and is_place and _joins(language).isdisjoint(where):
            return True
    return False


def _is_verb_of(head: Sequence[str], tail: Sequence[str], language: str) -> bool:
    """Return whether words in front of a time can only end in the verb, or in what helps the one behind it."""
    helps = ways(language).get("helps", "").split()
    if tail:
        return bool(head) and head[-1].lower() in helps
    ends = tuple(ways(language).get("verb_ends", "").split())
    return _ends_in_verb(head, language) or (len(head) == 1 and bool(ends) and head[0].endswith(ends))


def is_turned_round_itself(one: str, two: str, language: str) -> bool:
    """Return whether "se cierra la puerta a las dos" is "la puerta se cierra a las dos"."""
    reflexive = ways(language).get("self", "")
    a, b = words_of(one), words_of(two)
    if not reflexive or a[:1] != [reflexive] or reflexive not in b[2:_LONGEST_FRONT] or not _is_article(b[0], language):
        return False
    at = b.index(reflexive)
    return a == [reflexive, *b[at + 1 : at + 2], *b[:at], *b[at + 2 :]] and "," not in b[:at]


def opens(phrase: Sequence[str], language: str) -> bool:
    """Return whether words may stand elsewhere in a sentence.

    They may after a preposition or conjunction, or if marked as not a subject.
    """
    first = phrase[0]
    listed = (word for name in ("fronts", "lone_fronts") for word in ways(language).get(name, "").split())
    if first in word_list(language, "fronts") or first in listed:
        return len(phrase) >= _LEAST_FRONT
    if first in ways(language).get("objects", "").split() and len(phrase) >= _LEAST_FRONT:
        return True
    time = _time(language)
    return time is not None and time.fullmatch(" ".join(phrase)) is not None


def ends_in_time(words: Sequence[str], language: str) -> bool:
    """Return whether the last words of a sentence say when, how often or under which condition."""
    time = _time(language)
    ends = (words[n:] for n in range(max(1, len(words) - _LONGEST_FRONT), len(words)))
    return any(
        (time is not None and time.fullmatch(" ".join(end))) or end[0] in ways(language).get("when", "").split()
        for end in ends
    )


def says_when(words: Sequence[str], language: str) -> bool:
    """Return whether words, all of them, say when or how often, or are a date in figures."""
    time = _time(language)
    return time is not None and time.fullmatch(" ".join(words)) is not None


@cache
def _time(language: str) -> re.Pattern[str] | None:
    """Return what says when or how often, as an expression; None without one."""
    rows = "|".join(row.strip() for row in ways(language).get("time", "").split("\n") if row.strip())
    return re.compile(rows, re.IGNORECASE) if rows else None


def _at(phrase: Sequence[str], words: Sequence[str], language: str) -> int:
    """Return where a phrase stands in a sentence, behind its first words and no word that bears on it, or -1."""
    n = len(phrase)
    places = (i for i in range(1, len(words) - n + 1) if list(words[i : i + n]) == list(phrase))
    at = next(places, -1)
    before = next((w.lower() for w in reversed(words[: max(at, 0)]) if w != ","), "")
    return -1 if before in scope(language) else at


def _is_moved(phrase: Sequence[str], rest: Sequence[str], words: Sequence[str], language: str) -> bool:
    """Return whether a phrase from the front stands at the end, or in front of a preposition behind a verb."""
    at = _at(phrase, words, language)
    if at < 0:
        return False
    before, after = [w for w in words[:at] if w != ","], [w for w in words[at + len(phrase) :] if w != ","]
    if [*before, *after] != [w for w in rest if w != ","]:
        return False
    if language == "en" or not _joins(language).isdisjoint(rest):
        return False
    if not after:
        return not has_two_verbs(before, language)
    return _ends_in_verb(before, language) and after[0] in word_list(language, "fronts")


_SUBJECT_AND_VERB = 2


def _ends_in_verb(words: Sequence[str], language: str) -> bool:
    """Return whether the last word can only be the verb of a clause: by its ending, or by what helps it.

    Behind a participle or a noun a phrase might be its attribute: "the house built in 2003 by Paul".
    """
    helps = ways(language).get("helps", "").split()
    if len(words) == _SUBJECT_AND_VERB and words[0].lower() in ways(language).get("pronouns", "").split():
        return True  # "elle naquit"
    if len(words) <= _SUBJECT_AND_VERB:
        return False
    if words[-1].lower() in ways(language).get("lone_verbs", "").split():
        return True
    ends = tuple(ways(language).get("verb_ends", "").split())
    last = words[-1].lower()
    return words[-2].lower() in helps or last.startswith(("s'", "s\u2019")) or (bool(ends) and last.endswith(ends))


def has_two_verbs(words: Sequence[str], language: str) -> bool:
    """Return whether a clause has another, or an infinitive, inside, whose time one at its end may be.

    Example: "denied to sell".
    """
    opening = language_table(language).get("relations", {}).get("conjunctions", "").split()
    if not {*opening, *RELATIVES, *ways(language).get("inside", "").split()}.isdisjoint(words[1:]):
        return True
    ends = tuple(ways(language).get("infinitives", "").split())
    articles = ways(language).get("articles", "").split()
    return bool(ends) and any(
        word.endswith(ends) and before.lower() not in articles and not word[:1].isupper()
        for before, word in pairwise(words)
    )


def _is_bidden(clause: Sequence[str], rest: Sequence[str], words: Sequence[str], language: str) -> bool:
    """Return whether two sentences are a clause at the front, and the same after a comma at the end."""
    if not (_joins(language) | RELATIVES).isdisjoint(rest) or (rest[-1:] and rest[-1].lower() in scope(language)):
        return False
    return list(words) == [*rest, ",", *clause] or list(words) == [*rest, *clause]


@cache
def _joins(language: str) -> frozenset[str]:
    """Return words that join two statements, of which a clause at the end may belong to the second alone."""
    return frozenset(ways(language).get("joins", "").split())


def _is_clause_inverted(clause: Sequence[str], rest: Sequence[str], words: Sequence[str], language: str) -> bool:
    """Return whether "clause, V S R" is "S V R, clause": "Weil A, bleibt B offen", "B bleibt offen, weil A"."""
    main = list(words[: len(rest)])
    if list(words[len(rest) :]) not in ([",", *clause], list(clause)):
        return False
    if not {*_joins(language), ",", "dat"}.isdisjoint(rest):
        return False
    if len(rest) < _SUBJECT_AND_VERB or main[-1].lower() in scope(language):
        return False
    verb = rest[0]
    at = main.index(verb) if verb in main else 0
    behind = list(rest[1:])
    if behind[:1] == ["sich"] and main[at + 1 : at + 2] == ["sich"]:
        main, behind = [*main[: at + 1], *main[at + 2 :]], behind[1:]
    return at > 0 and [*main[:at], *main[at + 1 :]] == behind


def _is_inverted(phrase: Sequence[str], rest: Sequence[str], words: Sequence[str], language: str) -> bool:
    """Return whether "P V S R" is "S V P R" or "S V R P": the verb before the phrase, all else in its order."""
    at = _at(phrase, words, language)
    if at < 0 or len(rest) < _SUBJECT_AND_VERB:
        return False
    before, after = list(words[:at]), list(words[at + len(phrase) :])
    verb = rest[0]
    if before[:2] == [verb, "Sie"] and rest[1] == "Sie" and "," not in before:
        return [*before[1:], *after] == list(rest[1:])
    if verb not in before or before.index(verb) == 0 or verb[:1].isupper() or "," in before:
        return False
    if _may_belong_elsewhere(phrase, rest, before, after, language):
        return False
    cut, behind = before.index(verb), list(rest[1:])
    if behind[:1] == before[cut + 1 : cut + 2] and behind[:1] and behind[0].lower() in _WEAK:
        before, behind = [*before[: cut + 1], *before[cut + 2 :]], behind[1:]  # "steht Ihnen das Büro"
    return [*before[:cut], *before[cut + 1 :], *after] == behind


def _may_belong_elsewhere(
    phrase: Sequence[str], rest: Sequence[str], before: Sequence[str], after: Sequence[str], language: str
) -> bool:
    """Return whether a phrase, or what follows it, may belong to another word where it stands between two stretches."""
    if language == "nl" and not _ASKED.isdisjoint(before):
        return True
    if phrase[0] in ways(language).get("lone_fronts", "").split() and after and after[0] in _PLACES:
        return True  # "sprach der Mann im Garten", "sprach über das Haus im Garten"
    bids = after[:1] == ["zu"] and rest[0] in _BIDDING
    has_like = phrase[0] in ways(language).get("objects", "").split() and phrase[0] in rest
    return bool(after and after[0] in _OWNERS and not bids) or has_like


_WEAK = frozenset("sich ihnen ihm uns mir dir euch zich u ons".split())
"""Pronouns that stand right behind the verb, before the subject or, if that stands first, behind it."""


_NO_OWNERS = frozenset(("ihr", "ihn"))
"""More of them, where no noun can follow."""

_ASKED = frozenset("wie wat waar wanneer hoe hoeveel waarom welke welk of dat die".split())
"""Words that open a Dutch clause without a comma, behind which a phrase belongs to that."""

_OWNERS = frozenset("des der eines einer von vom deren dessen van zu te".split())
"""Words behind a noun that say whose it is, or that open an infinitive: a phrase in front of them may belong to it."""


_PLACES = frozenset("im am in an auf bei beim vor hinter neben unter mit ohne aus für gegen über".split())
"""Words behind a noun that may say more of it."""

_BIDDING = frozenset("ist sind war waren".split())
"""Before "zu" and a verb, they and that verb are one: "ist zu spülen"."""


def _is_time_moved(a: Sequence[str], b: Sequence[str], language: str) -> bool:
    """Return whether a sentence has a time at its start that the other has after its verb in the same clause.

    Behind its verb means at the end of the first clause, or between its verb and a preposition.
    """
    time = _time(language)
    hit = time.match(" ".join(a)) if time and language not in VERB_SECOND else None
    if time is None or hit is None:
        return False
    phrase = hit[0].split(" ")
    rest = [*a[len(phrase) :]]
    rest = rest[1:] if rest[:1] == [","] else rest
    at = _at(phrase, b, language)
    if at < 0 or [*b[:at], *b[at + len(phrase) :]] != rest:
        return False
    before, after = b[:at], b[at + len(phrase) :]
    if len(time.findall(" ".join(b))) != 1 or not {",", ";", *_joins(language), *RELATIVES}.isdisjoint(before):
        return False
    if phrase[0] in ways(language).get("until", "").split() and not _is_behind_a_place(before, language):
        return False
    if not after or after[0] in (",", ";"):
        return not has_two_verbs(before, language) and not _ends_in_participle(before, language)
    return _ends_in_verb(before, language) and after[0].lower() in ways(language)["behind_time"].split()


def _is_behind_a_place(before: Sequence[str], language: str) -> bool:
    """Return whether words end in a verb, or in a noun that a preposition leads, but no owner's: "pay at the desk"."""
    leads = language_table(language).get("relations", {}).get("prepositions", "").split()
    fronts = (*word_list(language, "fronts"), *ways(language).get("fronts", "").split())
    places = frozenset((*leads, *fronts)) - word_list(language, "owning")
    led = before[-3:-1] if len(before) > _SUBJECT_AND_VERB and _is_article(before[-2], language) else before[-2:-1]
    is_elided = re.search(r"^(?:all|nell|sull)['\u2019]", before[-1]) is not None
    return _ends_in_verb(before, language) or is_elided or (bool(led) and led[0].lower() in places)


def _ends_in_participle(before: Sequence[str], language: str) -> bool:
    """Return whether words end in a participle that nothing helps, and that says when something was done."""
    form = pattern(language, "participle")
    helps = ways(language).get("helps", "").split()
    is_one = form is not None and form.fullmatch(before[-1].lower()) is not None
    is_noun = len(before) > 1 and _is_article(before[-2].lower(), language)  # "la entrada"
    return is_one and not is_noun and len(before) > _SUBJECT_AND_VERB and before[-2].lower() not in helps


RELATIVES = frozenset("qui que dont où quien cual donde che cui dove quem qual onde który która które że".split())
