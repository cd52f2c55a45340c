"""Sentences that differ in what stands first, in the order of a list, or in active and passive."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from saidonce.foundation.remembering import remembered
from saidonce.foundation.text import sentences
from saidonce.matching.facts.lexicon import language_table, word_list
from saidonce.matching.facts.plain import characters, german, japanese, korean, listed
from saidonce.matching.facts.plain.fronted import (
    FRONTS,
    WORD,
    are_exchanged,
    is_fronted,
    is_turned_round_itself,
)
from saidonce.matching.facts.plain.passives import is_passive, is_past_passive
from saidonce.matching.facts.plain.tables import JOINED, LONGEST_SENTENCE, SPACELESS, options, small, ways
from saidonce.matching.facts.plain.timed_passives import is_timed_passive


def in_the_order_of(text: str, other: str, language: str) -> str:
    """Write sentences that differ from one of the other text in order alone as they stand there.

    A phrase at the front there stands elsewhere here; the members of a list stand in another order; or what is
    active there is passive here.
    """
    if language not in FRONTS and language not in JOINED and "and" not in ways(language):
        return text
    return _in_the_order_of(text, other, language, _says)


def with_fronts_of(text: str, other: str, language: str) -> str:
    """Write sentences that differ from one of the other text only in which phrase comes first as they stand there."""
    return _in_the_order_of(text, other, language, _fronts) if language in FRONTS else text


def _fronts(one: str, two: str, language: str) -> bool:
    is_long = max(len(one), len(two)) > LONGEST_SENTENCE
    is_of_the_same = not is_long and _words_of(one) == _words_of(two)
    return is_of_the_same and is_fronted(two, one, language)


_LETTERS = re.compile(r"\w+")


@remembered(8_192)
def _words_of(sentence: str) -> tuple[str, ...]:
    """Return the words of a sentence in small letters, sorted."""
    return tuple(sorted(_LETTERS.findall(sentence.lower())))


@remembered(8_192)
def _members_of(sentence: str, language: str) -> tuple[str, ...]:
    """Return the words of a sentence without those that join the members of a list."""
    joints = _LETTERS.findall(ways(language)["and"].lower())
    return tuple(word for word in _words_of(sentence) if word not in joints)


def _in_the_order_of(text: str, other: str, language: str, says: Callable[[str, str, str], bool]) -> str:
    if text == other or "\n" in text:
        return text
    theirs = [s.text for s in sentences(other)]
    mine = [s.text for s in sentences(text)]
    if len(mine) > _MOST or len(theirs) > _MOST:
        return text
    known = set(theirs)
    written = [
        s if s in known else next((t for t in theirs if t not in mine and says(s, t, language)), s) for s in mine
    ]
    return _joint(language).join(written) if written != mine else text


_MOST = 12


def _joint(language: str) -> str:
    return "" if language in SPACELESS else " "


def _says(one: str, two: str, language: str) -> bool:
    if max(len(one), len(two)) > LONGEST_SENTENCE:
        return False
    return (
        is_fronted(two, one, language)
        or is_list(one, two, language)
        or is_passive(one, two, language)
        or is_past_passive(one, two, language)
        or is_past_passive(two, one, language)
        or is_timed_passive(one, two, language)
        or is_timed_passive(two, one, language)
        or are_exchanged(one, two, language)
        or is_turned_round_itself(one, two, language)
        or is_turned_round_itself(two, one, language)
        or (language == "de" and any(says(*pair) for says in _IN_GERMAN for pair in ((one, two), (two, one))))
        or characters.is_timed(two, one, language)
        or characters.is_passive(one, two, language)
        or characters.is_done_with(one, two, language)
        or characters.is_clause_moved(two, one, language)
        or characters.is_scrambled_in_korean(two, one, language)
        or any(says(*pair, language) for says in _ONE_WAY for pair in ((one, two), (two, one)))
        or japanese.is_scrambled(one, two, language)
        or korean.is_scrambled(one, two, language)
    )


_ONE_WAY = (characters.is_phrase_moved, characters.is_named_act, japanese.is_passive, korean.is_passive)
"""What the first of two sentences has to be of the second."""

_IN_GERMAN = (german.is_bidding, german.is_duty, german.is_bidden_duty, german.is_ban)


@cache
def _united(language: str) -> re.Pattern[str]:
    return re.compile(rf"\s*,\s*(?:{re.escape(ways(language)['and'])}\s+)?|\s+{re.escape(ways(language)['and'])}\s+")


_IN_TURN = re.compile(
    r"\b(?:respectively|in (?:this|that) order|jeweils|reihenfolge|respectivement|respectivamente|rispettivamente|"
    r"respectievelijk)\b|分别|依次|それぞれ",
    re.IGNORECASE,
)


def is_list(one: str, two: str, language: str) -> bool:
    """Return whether two sentences differ in the order of the members of one list of things alone.

    What both begin and end with is no part of it. Members have three words at most, and one begins with an article or
    all are names, so that none is a step; a word such as "and" joins the last one.
    """
    if language == "ko":
        return listed.is_list_in_hangul(one, two)
    if language == "ja" and listed.is_list_in_kana(one, two):
        return True
    if language in SPACELESS:
        return not (_IN_TURN.search(one) or listed.IN_ORDER.search(one) or ":" in one) and characters.is_list(one, two)
    if "and" not in ways(language) or _IN_TURN.search(one) or ":" in one:
        return False
    if _members_of(one, language) != _members_of(two, language) or _is_ranked(one, language):
        return False
    a, b = one.rstrip(".!"), two.rstrip(".!")
    start = _common(a, b)
    led = _article_at_end(language).search(a[:start])
    start = led.start() if led else start
    end = _common(a[start:][::-1], b[start:][::-1])
    middle = [s[start : len(s) - end] for s in (a, b)]
    if not start and all(_articles(language).match(s) for s in middle):
        middle = [small(s) for s in middle]
    return _are_turned(a[:start], middle, a[len(a) - end :], language)


def _is_ranked(sentence: str, language: str) -> bool:
    """Return whether the order of members is what a sentence says: "in turn", "the first three places"."""
    in_turn, ranked = word_list(language, "in_turn"), ways(language).get("ranked", "(?!)")
    is_in_turn = not in_turn.isdisjoint(w.lower() for w in WORD.findall(sentence))
    return is_in_turn or re.search(rf"\b(?:{ranked})", sentence) is not None


def _are_turned(head: str, middle: Sequence[str], tail: str, language: str) -> bool:
    """Return whether two stretches between one head and one tail are the members of one list in two orders."""
    members = [[m.strip() for m in _united(language).split(s)] for s in middle]
    if not 1 < len(members[0]) == len(members[1]) or sorted(members[0]) != sorted(members[1]):
        return False
    joint = re.compile(rf"(?<!\w){re.escape(ways(language)['and'])}(?!\w)", re.IGNORECASE)
    is_joined = [joint.search(s) is not None for s in middle]
    goes_on = not any(is_joined) and _NEXT_MEMBER.match(joint.sub("&", tail)) is not None
    if not (all(is_joined) or goes_on) or len(joint.findall(f"{head} {tail}")) > goes_on:
        return False  # no list, or another one, whose members may belong to those of this one in turn
    behind = _FIRST_WORD.match(tail.lower())
    has_article = {bool(_articles(language).match(m)) for m in members[0]}
    is_parted = len(has_article) > 1 and re.search(rf",\s*{joint.pattern}", f"{middle[0]}{tail}", re.IGNORECASE)
    is_owner = behind is not None and behind[1] in _owners(language) and not _is_particle(tail, language)
    goes_with_last = is_owner or (behind is not None and head and len(members[0]) == _PAIR)
    if goes_with_last or is_parted:
        return False  # what follows may belong to the last member alone, or one says who another is
    is_inside = bool(head) or all(m[:1].isupper() or _articles(language).match(m) for m in members[0])
    lasts = () if all(len(m.split()) >= _LONGEST_MEMBER for m in members[0]) else (members[0][-1], members[1][-1])
    if any(_may_be_of_all(m, language) for m in lasts):
        return False
    if any(not _is_led_whole(m, language, is_last=m in (members[0][-1], members[1][-1])) for m in members[0]):
        return False
    return is_inside and _are_things(members[0], language, len(members[0]) + goes_on)


_PAIR = 2
_NEXT_MEMBER = re.compile(r",?\s*(?:[^\s,&]+(?: [^\s,&]+){0,2},\s*){0,8}&")
"""What follows the first members of a list up to the word that joins its last one."""
_FIRST_WORD = re.compile(r"\s*([^\W\d_]+)")


@cache
def _owners(language: str) -> frozenset[str]:
    """Return words behind a list that may say more of its last member alone: prepositions, articles of the genitive."""
    rows = language_table(language).get("relations", {}).get("prepositions", "").split()
    return frozenset((*rows, "des", "der", "eines", "einer", "d"))


@cache
def _article_at_end(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{options(language, 'articles')})\s*$", re.IGNORECASE)


@cache
def _articles(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{options(language, 'articles')})(?:(?<=')|\b)", re.IGNORECASE)


def _common(a: str, b: str) -> int:
    """Return length of what two texts begin with alike, cut at the end of a word."""
    n = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    if n == len(a) or n == len(b):
        return n
    cut = a.rfind(" ", 0, n + 1) + 1
    return cut if cut else 0


def _is_particle(tail: str, language: str) -> bool:
    """Return whether what follows a list is the particle of a German verb: "bringen Sie ... mit"."""
    return language == "de" and re.fullmatch(r"\s*(?:mit|ab|auf|an|aus|vor|bei|ein|zu|zurück)", tail) is not None


def _may_be_of_all(member: str, language: str) -> bool:
    """Return whether the attribute of a list's last member may be one of them all: "les livres et les jeux usagés".

    One of a single thing is its own: "les draps et le ménage final".
    """
    words = member.lower().split()
    if language not in ("fr", "es") or len(words) != _LONGEST_MEMBER or not _articles(language).match(member):
        return False
    is_of_one = words[0] in _OF_ONE and not words[2].endswith(("s", "x")) and not _ELIDED.match(words[2])
    return words[1] not in _owners(language) and not is_of_one


_OF_ONE = frozenset("le la un une el una".split())
_ELIDED = re.compile("d['\u2019]")


def _is_led_whole(member: str, language: str, *, is_last: bool) -> bool:
    """Return whether a member is short, or has an article and no owner that all of the list might have.

    "La copie, la photo et le plan du bail" may all be of the lease; "un acte de naissance" is one thing.

    Args:
        is_last: whether it closes the list in one of its orders.
    """
    words = member.split()
    if len(words) <= _LONGEST_MEMBER:
        return True
    if language not in ("fr", "es") or len(words) > _LONGEST_WHOLE or not _articles(language).match(member):
        return False
    inside = " ".join(words[1:])
    is_owned = re.search(r"\b(?:du|des|del|de (?:la|las|los|les|l'|su|sus|sa|son|ses))\b", inside) is not None
    return not (is_last and is_owned) and re.search(r"\b(?:qui|que|dont|où)\b", inside) is None


def _are_things(members: Sequence[str], language: str, n_members: int) -> bool:
    """Return whether members are all names, or one of three and more has an article."""
    if any(not m or re.search(r"\d", m) for m in members):
        return False
    if all(len(m.split()) == 1 and m[:1].isupper() for m in members):
        return True
    return n_members > 2 and any(_articles(language).match(m) for m in members)


_LONGEST_MEMBER, _LONGEST_WHOLE = 3, 5
"""Words of a member of a list, and of one that an article shows to be whole."""
