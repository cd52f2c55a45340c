"""Commas that one of two texts of the same words has alone: style where a reason shows it, else a difference.

"Mary, Ann and Lucy" are three people and "Mary Ann and Lucy" two, while "in winter, the gate is locked" says what it
says without its comma.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise

from saidonce.foundation.model import Span
from saidonce.matching.facts.letters import COMMAS
from saidonce.matching.facts.lexicon import PhraseTable, grammar, is_past, table, word_list
from saidonce.matching.facts.numerals import cased, months, weekdays
from saidonce.matching.facts.plain import in_plain_phrases
from saidonce.matching.facts.sentence_relations import Places

_PIECE = re.compile(r"[^\W_]+(?:['\u2019.-][^\W_]+)*|[^\w\s]")
_MOST_IN_FRONT = 12
"""Words before the comma behind what opens a sentence."""

_CLOSE = 4
"""Words between a comma that one text has alone and one that the other has alone, up to which it has been moved."""

_MOST_ASIDE = 3
"""Words of an aside between two commas."""

_LISTED_WITHIN = 3
"""Words behind a comma among which "and" shows that it parts members of a list."""

_ADVERB = {"en": "ly", "es": "mente", "it": "mente", "pt": "mente", "fr": "ment"}


def parts_otherwise(a: str, b: str, language: str) -> Places | None:
    """Return the first comma that one of two texts of the same words has alone, unless it is style."""
    is_of_characters = language in ("zh", "ja")
    if not any(mark in a or mark in b for mark in (*COMMAS, *(_COLONS if is_of_characters else ""))):
        return None
    if is_of_characters:
        return _in_characters(a, b, language)
    if language not in table("commas"):
        return None
    one, two = _words(a), _words(b)
    if [w.text.casefold() for w, _ in one] != [w.text.casefold() for w, _ in two]:
        return None
    gaps_of = [marks for _, marks in one], [marks for _, marks in two]
    here, there = ({n for n, x in enumerate(mine) if x == "," and not y[n]} for mine, y in (gaps_of, gaps_of[::-1]))
    alone = [(n, one if n in here else two) for n in sorted(here | there)]
    moved = any(y - x <= _CLOSE and (x in here) != (y in here) for (x, _), (y, _) in pairwise(alone))
    gaps = [n for n, _ in alone]
    for n, side in alone:
        if moved or not _is_style(n, side, gaps, language):
            return _around(a, one, n), _around(b, two, n)
    return None


Word = tuple[Span, str]
"""A word, and the marks that follow it."""


def _words(text: str) -> list[Word]:
    words: list[Word] = []
    for piece in _PIECE.finditer(text):
        if piece[0][0].isalnum():
            words.append((Span.of(piece), ""))
        elif words:
            words[-1] = words[-1][0], words[-1][1] + (piece[0] if piece[0] not in COMMAS else ",")
    return words


def _around(text: str, words: Sequence[Word], n: int) -> Span:
    """Return word `n` and the next one with what is between them."""
    start, end = words[n][0].start, words[min(n + 1, len(words) - 1)][0].end
    return Span(start, end, text[start:end])


@cache
def _lists(language: str) -> Mapping[str, frozenset[str]]:
    return {name: frozenset(words.split()) for name, words in table("commas")[language].items()}


def _is_style(n: int, side: Sequence[Word], gaps: Sequence[int], language: str) -> bool:
    """Return whether a comma behind word `n` is shown to be style."""
    lists, words = _lists(language), [w.text.casefold() for w, _ in side]
    behind = words[n + 1 :]
    dated = _is_in_date(n, [w.text for w, _ in side], gaps, language)
    if words[n] in lists["denials"] or dated is False or (language == "en" and _closes_a_clause(n, side)):
        return False
    if behind and behind[0] in lists["joins"]:
        denies_cause = behind[0] in _CAUSES and lists["denials"] & set(words[:n]) and not _BIDS.match(" ".join(words))
        is_first = not any("," in marks for _, marks in side[:n])
        goes_on = language == "en" and (_may_go_on(words[: n + 1], behind) or (is_first and _is_one_more(behind)))
        return not (denies_cause or (behind[0] in _AND_OR and (goes_on or _is_what_a_name_is(n, side, language))))
    if dated or _is_aside(n, words, gaps, language):
        return True
    if language == "nl" and word_list(language, "relatives") & set(words[:n]):
        return True  # behind a clause inside the sentence
    if language == "de" and re.search(r" zu [a-z\u00e4\u00f6\u00fc]+n\b", " ".join(("", *behind))):
        return True
    is_listed = bool(lists["joins"] & set(behind[1 : 1 + _LISTED_WITHIN])) and n > 1
    is_first = not any("," in marks for _, marks in side[:n])
    opens = words[0] in lists["fronts"] or _is_place_or_time(words[: n + 1], behind[:1], language)
    return is_first and n < _MOST_IN_FRONT and opens and not is_listed


def _may_go_on(before: Sequence[str], behind: Sequence[str]) -> bool:
    """Return whether a clause inside an English sentence goes on behind "and", unless a comma ends it there.

    "Call if it leaks and the tenant is away" is of both, "guests who pay and members may swim" of paying members.
    """
    if before[0] in word_list("en", "bids") and tuple(behind[1 : _PAIR + 1]) == ("we", "will"):
        return False  # "call us if you lose the key and we will send one" promises something
    hung = next((n for n, word in enumerate(behind) if word in _HUNG), len(behind))
    acts = len(behind) > _ACTS and behind[1] in _determiners("en") | _THE and behind[_ACTS].endswith(("s", "ed"))
    if word_list("en", "finite").isdisjoint(behind[:hung]) and not acts:
        return False  # "0 if all went well and 2 if a file could not be read"
    relative = next((n for n in range(len(before) - 1, 0, -1) if before[n] in word_list("en", "relatives")), 0)
    is_short = bool(relative) and len(before) - relative <= _MOST_ASIDE
    return is_short or not _HUNG.isdisjoint(before[1:])


def _is_one_more(behind: Sequence[str]) -> bool:
    """Return whether "and" joins one thing more, with a phrase that is of both if no comma parts them.

    "Pay the rent, and the deposit by May", "dogs on a lead, and cats in a basket"; what is done besides, "and explain
    every difference", is no thing more, nor is it where that is kept "and then removed from the house".
    """
    verbs, leads = word_list("en", "finite") | word_list("en", "bids"), word_list("en", "behind_nouns")
    acts = any(word in verbs and before not in leads for before, word in pairwise(behind))  # "by May"
    if acts or any(map(is_past, behind[1:_PAIR])):
        return False
    opens, closes = behind[1:_PAIR], behind[_PAIR : _PAIR + 1]
    is_thing = not (_determiners("en") | _THE).isdisjoint(opens) or not leads.isdisjoint(closes)
    return is_thing and not leads.isdisjoint(behind[_PAIR:])


_ACTS = 3
"""Words in front of a verb behind "and": this, an article and a noun."""

_HUNG = frozenset("if unless when whenever because".split())
"""Words that open a clause that runs to the end of its sentence, where they do not open that."""


def _closes_a_clause(n: int, side: Sequence[Word]) -> bool:
    """Return whether a comma closes an English clause that a comma opens, in front of a phrase that may be of it.

    "On a lead, in the garden", "provided they are on a lead in the garden".
    """
    words = [word.text.casefold() for word, _ in side]
    start = next((m + 1 for m in range(n - 1, -1, -1) if "," in side[m][1]), 0)
    is_inside = (start > 0 and words[start] in _OPENS) or not _HUNG.isdisjoint(words[max(start, 1) : n])
    return is_inside and n + 1 < len(words) and words[n + 1] in word_list("en", "behind_nouns")


_OPENS = _HUNG | frozenset("provided providing who which that whose where once until while as".split())


def _is_place_or_time(front: Sequence[str], behind: Sequence[str], language: str) -> bool:
    """Return whether the words before a comma are a whole phrase such as "outside these hours" or "every Monday".

    Behind a measure such as "hours", or before a word that begins what is stated, the phrase cannot go on: "near the
    gate, keepers wait" bids somebody to wait near the keepers without its comma.
    """
    lists = _lists(language)
    if "places" not in lists or len(front) < _PAIR:
        return False
    if front[0] in lists["turns"]:
        return len(front) == _PAIR and (front[1] in lists["times"] or front[1] in weekdays(language))
    is_placed = front[0] in lists["places"] and (front[1] in lists["points"] or front[1].isdigit())
    is_whole = front[-1] in lists["measures"] or not lists["subjects"].isdisjoint(behind)
    return is_placed and is_whole and len(front) > _PAIR


def _is_in_date(n: int, words: Sequence[str], gaps: Sequence[int], language: str) -> bool | None:
    """Return whether a comma stands behind a weekday, before a year, or behind a date that began so; None elsewhere.

    "On Tuesday, 4 March 2025, at noon", "on March 4, 2025, at noon". False where what follows a day may be no year but
    count something: "by March 4, 2025 copies were sold".
    """
    if _names(words[n], weekdays(language), language):
        return _dated(words[n + 1 : n + 5], language) > 0 or None
    behind = words[n + 1 : n + 3]
    if n and _is_day(words[n]) and _names(words[n - 1], months(language), language) and behind and _is_year(behind[0]):
        return len(behind) < _PAIR or behind[1].casefold() in _lists(language)["fronts"]
    starts = (g for g in gaps if n - _LONGEST_DATE <= g < n and _names(words[g], weekdays(language), language))
    return any(_dated(words[g + 1 : n + 1], language) == n - g for g in starts) or None


_LONGEST_DATE = 4
"""Words of a date behind its weekday: "4 de marzo 2025"."""

_BETWEEN_DAY_AND_MONTH = frozenset(("of", "de"))


def _dated(words: Sequence[str], language: str) -> int:
    """Return how many words at the beginning are a day and a month, in either order, and a year; 0 without these."""
    places = [n for n, word in enumerate(words[:3]) if word not in _BETWEEN_DAY_AND_MONTH][:_PAIR]
    if len(places) < _PAIR:
        return 0
    one, two = (words[n] for n in places)
    is_day_first = _is_day(one) and _names(two, months(language), language)
    if not is_day_first and not (_names(one, months(language), language) and _is_day(two)):
        return 0
    width = places[1] + 1
    return width + (1 if width < len(words) and _is_year(words[width]) else 0)


def _names(word: str, listed: PhraseTable[int], language: str) -> bool:
    """Return whether a word is a month or a weekday; "may" is none."""
    folded = word.casefold()
    return folded in listed and (word != folded or folded not in cased(language))


def _is_day(word: str) -> bool:
    return re.fullmatch(r"(?:[12]?\d|0\d|3[01])(?:st|nd|rd|th)?", word) is not None


def _is_year(word: str) -> bool:
    return re.fullmatch(r"(?:19|20)\d\d", word) is not None


_AND_OR = frozenset("and or und oder et ou y e o u ed en of i lub oraz".split())
_PAIR, _MOST_DESCRIBING = 2, 5
"""Words by which a name is described, at least and at most: "Lena Hartwig, the chair of the board, and Paul Imrie"."""


def _is_what_a_name_is(n: int, side: Sequence[Word], language: str) -> bool:
    """Return whether the words up to `n` describe the name before them, or are somebody else.

    "Lena Hartwig, the chair, and Paul Imrie" are two persons, without the second comma they are three.
    """
    start = next((m + 1 for m in range(n - 1, max(-1, n - _MOST_DESCRIBING - 1), -1) if "," in side[m][1]), 0)
    described = [word.text for word, _ in side[start : n + 1]]
    is_somebody = start > 1 and side[start - 1][0].text.casefold() in word_list(language, "people")
    if is_somebody and side[start - 2][0].text.casefold() in _determiners(language) | _THE:
        return all(word[0].isupper() for word in described)  # "the owner, Mr Bell, and his wife"
    if start == 0 or len(described) < _PAIR or described[0] not in _determiners(language):
        return False
    is_name = side[start - 1][0].text[0].isupper()
    if language != "de":
        return is_name and not any(word[0].isupper() for word in described)
    return is_name and start > 1 and side[start - 2][0].text[0].isupper()


_THE = frozenset(("the",))


@cache
def _determiners(language: str) -> frozenset[str]:
    return grammar(language).articles | frozenset(table("commas")[language].get("owners", "").split())


_CAUSES = frozenset("because porque parce perch\u00e9 weil omdat bo".split())


_BIDS = re.compile("(?:please )?(?:do not|don['\u2019]t|never)\\b")
"""What nobody shall do is not done for any cause."""


def _is_aside(n: int, words: Sequence[str], gaps: Sequence[int], language: str) -> bool:
    """Return whether a comma opens or closes an aside such as "however", of which the other comma is there, too."""
    for start in (g for g in gaps if n - _MOST_ASIDE <= g <= n):
        end = next((g for g in gaps if start < g <= start + _MOST_ASIDE), len(words) - 1)
        inside = words[start + 1 : end + 1]
        if not inside or len(inside) > _MOST_ASIDE or n > end:
            continue
        is_adverb = language in _ADVERB and inside[0].endswith(_ADVERB[language])
        if inside[0] in _lists(language)["asides"] or is_adverb:
            return True
    return False


_LONGEST_FRONT = 9
"""Characters of what opens a sentence where no spaces stand between words."""

_LAST = 3
"""Characters behind a last comma that may be somebody who is addressed."""


def _in_characters(a: str, b: str, language: str) -> Places | None:
    """Return the same where no spaces stand between words.

    Two sentences that are alike only in plain phrases, "3 days" and "three days", are compared so, and shown whole.
    """
    if moved := _moved_colon(a, b):
        return moved
    if _bare(a) == _bare(b):
        return _in_same_characters(a, b, language)
    written = in_plain_phrases(a, b, language)
    if written is None or _bare(written.a) != _bare(written.b):
        return None
    one, two = written.a, written.b
    alike = not (_moved_colon(one, two) or _in_same_characters(one, two, language))
    return None if alike else (Span(0, len(a), a), Span(0, len(b), b))


_COLONS = ":\uff1a"
_COLON = re.compile(rf"[{_COLONS}](?!\d)")


def _moved_colon(a: str, b: str) -> Places | None:
    """Return a colon of one text and the comma or colon that the other has elsewhere: who says what is another.

    "The head told the guide, ...", "the head told: the guide ...".
    """
    if not (_COLON.search(a) or _COLON.search(b)):
        return None
    here, there = (_COLON.sub("\uff0c", text) for text in (a, b))
    if _bare(here) != _bare(there):
        return None
    one, two = ([(n, c) for n, c in enumerate(text) if not c.isspace()] for text in (here, there))
    gaps = _gaps(here, one), _gaps(there, two)
    mine, theirs = sorted(gaps[0].keys() - gaps[1].keys()), sorted(gaps[1].keys() - gaps[0].keys())
    if (
        not mine
        or not theirs
        or not any(
            _COLON.match(text, gaps_of[n])
            for text, gaps_of, lone in ((a, gaps[0], mine), (b, gaps[1], theirs))
            for n in lone
        )
    ):
        return None
    return _beside(a, one, mine[0]), _beside(b, two, mine[0])


def _bare(text: str) -> str:
    """Return the characters of a text without blanks and commas."""
    return "".join(c for c in text if not c.isspace() and c not in COMMAS)


def _in_same_characters(a: str, b: str, language: str) -> Places | None:
    bare = _bare(a)
    one, two = ([(n, c) for n, c in enumerate(text) if not c.isspace()] for text in (a, b))
    here, there = (_gaps(text, side) for text, side in ((a, one), (b, two)))
    mine, theirs = here.keys() - there.keys(), there.keys() - here.keys()
    for n in sorted(mine | theirs):
        is_moved = bool(mine and theirs)
        if is_moved or not _is_pause(bare[:n].rpartition("\u3002")[2], bare[n:], language):
            return _beside(a, one, n), _beside(b, two, n)
    return None


_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!,?\d)")
"""A number whose thousands are grouped by commas, which state nothing."""


def _gaps(text: str, side: Sequence[tuple[int, str]]) -> dict[int, int]:
    """Return the commas of a text, but for those within a number, by the number of other characters before them."""
    grouping = {at for hit in _THOUSANDS.finditer(text) for at in range(*hit.span())}
    gaps: dict[int, int] = {}
    n = 0
    for at, c in side:
        if c in COMMAS and at not in grouping:
            gaps[n] = at
        elif c in COMMAS:
            continue
        else:
            n += 1
    return gaps


def _beside(text: str, side: Sequence[tuple[int, str]], n: int) -> Span:
    """Return the characters before and behind the place with `n` other characters before it."""
    bare = [at for at, c in side if c not in COMMAS]
    start, end = bare[max(n - 1, 0)], bare[min(n, len(bare) - 1)] + 1
    return Span(start, end, text[start:end])


def _is_pause(before: str, behind: str, language: str) -> bool:
    """Return whether a comma between the rest of a sentence before it and what is behind it is shown to be style."""
    lists = _lists(language)
    is_denied = not lists["denials"].isdisjoint(before[-2:])
    if is_denied or len(behind.rstrip("\u3002\uff01\uff1f!?.")) <= _LAST:
        return False
    is_front = len(before) <= _LONGEST_FRONT and before.startswith(tuple(lists["fronts"]))
    return is_front or before.endswith(tuple(lists["ends"])) or behind.startswith(tuple(lists["joins"]))


RULES = (parts_otherwise,)
"""What is looked for in two aligned sentences, in this order."""
