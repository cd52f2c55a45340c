"""Room facts: sentences that differ in what stands first, in the order of a list, or in active and passive."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from saidonce.foundation.text import sentences
from saidonce.matching.facts.lexicon import word_list
from saidonce.matching.facts.plain.tables import LONGEST_SENTENCE, options, ways

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*['\u2019]?|[^\w\s]")
_VERB_SECOND = ("de", "nl")
_FRONTS = ("de", "en", "fr", "es", "it", "pt", "nl", "ga")


def in_the_order_of(text: str, other: str, language: str) -> str:
    """Write sentences that differ from one of the other text in order alone as they stand there.

    A phrase at the front there stands elsewhere here; the members of a list stand in another order; or what is
    active there is passive here.
    """
    if language not in _FRONTS and language not in _TIMES and "and" not in ways(language):
        return text
    theirs = [s.text for s in sentences(other)]
    mine = [s.text for s in sentences(text)]
    if len(mine) > _MOST or len(theirs) > _MOST or "\n" in text:
        return text
    known = set(theirs)
    written = [
        s if s in known else next((t for t in theirs if t not in mine and _says(s, t, language)), s) for s in mine
    ]
    return _joint(language).join(written) if written != mine else text


_MOST = 12


def _joint(language: str) -> str:
    return "" if language in _TIMES else " "


def _says(one: str, two: str, language: str) -> bool:
    if max(len(one), len(two)) > LONGEST_SENTENCE:
        return False
    return (
        _is_fronted(two, one, language)
        or _is_list(one, two, language)
        or _is_passive(one, two, language)
        or _is_timed(two, one, language)
        or _is_passive_of_characters(one, two, language)
    )


def _words(sentence: str) -> list[str]:
    """Words and marks of a sentence in small letters, without its end."""
    hit = _WORD.findall(sentence.rstrip(".!。 "))
    return [hit[0].lower(), *hit[1:]] if hit else []


def _is_fronted(front: str, plain: str, language: str) -> bool:
    """Whether a sentence begins with a phrase that the other has further on, and is the same without it.

    In German and Dutch the verb then stands before its subject. A phrase right behind the subject may belong to it, and
    is not taken for the same.
    """
    if language not in _FRONTS:
        return False
    a, b = _words(front), _words(plain)
    if not a or not b:
        return False
    if sorted(w for w in a if w != ",") != sorted(w for w in b if w != ",") or not _opens(a, language):
        return False
    if "," in a and a.index(",") <= _LONGEST_FRONT:
        cut = a.index(",")
        return _is_moved(a[:cut], a[cut + 1 :], b, language) or _is_bidden(a[:cut], a[cut + 1 :], b)
    return language in _VERB_SECOND and any(
        _is_inverted(a[:cut], a[cut:], b) for cut in range(2, min(_LONGEST_FRONT, len(a) - 2))
    )


_LONGEST_FRONT = 8


def _opens(words: Sequence[str], language: str) -> bool:
    """Whether a sentence begins with a word that opens a phrase which may stand elsewhere."""
    return words[0] in word_list(language, "fronts") or words[0] in ways(language).get("fronts", "").split()


def _at(phrase: Sequence[str], words: Sequence[str]) -> int:
    """Where a phrase stands in a sentence, behind its first words; -1 if it does not."""
    n = len(phrase)
    return next((i for i in range(1, len(words) - n + 1) if list(words[i : i + n]) == list(phrase)), -1)


def _is_moved(phrase: Sequence[str], rest: Sequence[str], words: Sequence[str], language: str) -> bool:
    """Whether a phrase from the front stands at the end, or in front of a preposition behind a verb."""
    at = _at(phrase, words)
    if at < 0:
        return False
    before, after = [w for w in words[:at] if w != ","], [w for w in words[at + len(phrase) :] if w != ","]
    if [*before, *after] != [w for w in rest if w != ","]:
        return False
    if language == "en" or any(w in _ALSO_JOINED for w in rest):
        return False
    return not after or (len(before) > _SUBJECT_AND_VERB and after[0] in word_list(language, "fronts"))


_SUBJECT_AND_VERB = 2


def _is_bidden(clause: Sequence[str], rest: Sequence[str], words: Sequence[str]) -> bool:
    """A clause at the front, and the same behind a comma at the end."""
    if any(w in _ALSO_JOINED for w in rest):
        return False
    return list(words) == [*rest, ",", *clause] or list(words) == [*rest, *clause]


_ALSO_JOINED = frozenset("and or und oder et ou y o e en of agus nó".split())
"""Words that join two statements, of which a clause at the end may belong to the second alone."""


def _is_inverted(phrase: Sequence[str], rest: Sequence[str], words: Sequence[str]) -> bool:
    """Whether "P V S R" is "S V P R" or "S V R P": the verb before the phrase, all else in its order."""
    at = _at(phrase, words)
    if at < 0 or len(rest) < _SUBJECT_AND_VERB:
        return False
    before, after = list(words[:at]), list(words[at + len(phrase) :])
    verb = rest[0]
    if verb not in before or before.index(verb) == 0 or verb[:1].isupper():
        return False
    cut = before.index(verb)
    return [*before[:cut], *before[cut + 1 :], *after] == list(rest[1:])


_TIMES = {
    "zh": re.compile(
        r"(?P<front>\d{4}年(?:\d+月(?:\d+日)?)?|[^，。]{2,8}(?:期间|之前|之后|前|后|时))，(?P<rest>[^，]+)"
    ),
    "ja": re.compile(r"(?P<front>\d{4}年(?:\d+月(?:\d+日)?)?|[^、。]{1,8}の間|[^、。]{2,12}前に)、(?P<rest>[^、]+)"),
}


def _is_timed(front: str, plain: str, language: str) -> bool:
    """The same in Chinese and Japanese: a time in front of a comma, or behind the subject."""
    at = _TIMES.get(language)
    hit = at.fullmatch(front.rstrip("。")) if at else None
    if hit is None:
        return False
    time, rest, words = hit["front"], hit["rest"], plain.rstrip("。")
    if language == "ja":
        subject, particle, predicate = rest.partition("は")
        return bool(particle) and any(
            words == f"{subject}は{comma}{time}{ni}{stop}{predicate}"
            for comma in ("", "、")
            for ni in ("", "に")
            for stop in ("", "、")
        )
    cuts = range(2, min(len(rest), 14))
    return any(
        words == f"{rest[:n]}{zai}{time}{rest[n:]}" for n in cuts for zai in ("", "在") if _VERBAL.match(rest[n:])
    )


_VERBAL = re.compile("在|不|将|用|由|须|应|可")


@cache
def _united(language: str) -> re.Pattern[str]:
    if language in _TIMES:
        return re.compile("、|和|及|以及|と")
    return re.compile(rf"\s*,\s*(?:{re.escape(ways(language)['and'])}\s+)?|\s+{re.escape(ways(language)['and'])}\s+")


_IN_TURN = re.compile(
    r"\b(?:respectively|in (?:this|that) order|jeweils|reihenfolge|respectivement|respectivamente|rispettivamente|"
    r"respectievelijk)\b|分别|依次|それぞれ",
    re.IGNORECASE,
)


def _is_list(one: str, two: str, language: str) -> bool:
    """Whether two sentences differ in the order of the members of one list of things alone.

    What both begin and end with is no part of it. Members have three words at most, and one begins with an article or
    all are names, so that none is a step.
    """
    if ("and" not in ways(language) and language not in _TIMES) or _IN_TURN.search(one) or ":" in one:
        return False
    a, b = one.rstrip(".!。"), two.rstrip(".!。")
    start = _common(a, b, language)
    if language in _TIMES:
        return _is_list_of_characters(a, b)
    end = _common(a[start:][::-1], b[start:][::-1], language)
    middle = [s[start : len(s) - end] for s in (a, b)]
    members = [[m.strip() for m in _united(language).split(s)] for s in middle]
    if not 1 < len(members[0]) == len(members[1]) or sorted(members[0]) != sorted(members[1]):
        return False
    return _are_things(members[0], language) and (start > 0 or all(m[:1].isupper() for m in members[0]))


def _common(a: str, b: str, language: str) -> int:
    """Length of what two texts begin with alike, cut at the end of a word."""
    n = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    if language in _TIMES:
        return n
    if n == len(a) or n == len(b):
        return n
    cut = a.rfind(" ", 0, n + 1) + 1
    return cut if cut else 0


def _are_things(members: Sequence[str], language: str) -> bool:
    if any(not m or len(m.split()) > _LONGEST_MEMBER or re.search(r"\d", m) for m in members):
        return False
    articles = re.compile(rf"(?:{options(language, 'articles')})(?:(?<=')|\b)", re.IGNORECASE)
    are_names = all(len(m.split()) == 1 and m[:1].isupper() for m in members)
    return are_names or (len(members) > 2 and any(articles.match(m) for m in members))


_LONGEST_MEMBER = 3


def _is_list_of_characters(a: str, b: str) -> bool:
    """A list in Chinese or Japanese: the same members, which no particle divides, between the same characters."""
    one, two = _split(a), _split(b)
    if one is None or two is None:
        return False
    (head_a, members_a, tail_a), (head_b, members_b, tail_b) = one, two
    return (head_a, tail_a) == (head_b, tail_b) and members_a != members_b and sorted(members_a) == sorted(members_b)


_LISTED = re.compile(
    r"(?P<head>.*(?:有|包括|包含|含有|には)|)(?P<list>[^，。は]+?)(?P<tail>(?:は)?(?:一起|共同|一緒に|が含まれ|をお持ち)[^，。]*|)"
)


def _split(text: str) -> tuple[str, list[str], str] | None:
    hit = _LISTED.fullmatch(text)
    if hit is None or not (hit["head"] or hit["tail"]):
        return None
    members = re.split("、|和|と|及", hit["list"])
    return (hit["head"], members, hit["tail"]) if len(members) > 1 else None


@cache
def _passive(language: str) -> re.Pattern[str] | None:
    """The passive of a language: P is done by A, with the rest before or behind who does it; None without one."""
    by, present = options(language, "by"), options(language, "present")
    if not by or not present:
        return None
    doer = rf"(?P<by>{by})(?:(?<=')|(?<=pel)|\s)(?P<behind>[^,;]+)"
    if language in _VERB_SECOND:
        helps = rf"(?:{present})|(?P<modal>{options(language, 'modals')})"
        end = rf"(?P<verb>\w+)(?(modal) (?:{options(language, 'become')}))"
        return re.compile(rf"(?P<what>[^,;]+?) (?:{helps}) (?P<early>(?:[^,;]+? )??){doer} {end}", re.IGNORECASE)
    return re.compile(
        rf"(?P<what>[^,;]+?) (?:{present}) (?P<verb>\w+) (?P<early>(?:[^,;]+? )??){doer}",
        re.IGNORECASE,
    )


def _is_passive(one: str, two: str, language: str) -> bool:
    """Whether a sentence is the passive of the other in the present: who does it, what, to what, and all else alike."""
    at = _passive(language)
    hit = at.fullmatch(one.rstrip(".")) if at else None
    if hit is None:
        return False
    a = [w for w in _words(two) if w != ","]
    modal = hit.groupdict().get("modal") or ""
    what, early, behind = (_words_of(hit[name] or "") for name in ("what", "early", "behind"))
    for who_length in range(1, min(_LONGEST_DOER, len(behind)) + 1):
        who, rest = behind[:who_length], behind[who_length:]
        doer = a[: len(a) - len(what) - len(early) - len(rest) - (2 if modal else 1)]
        predicate = a[len(doer) :]
        if modal and predicate:
            predicate = [predicate[-1], *predicate[1:-1]] if predicate[0] == modal else []
        orders = ([*what, *early, *rest], [*early, *what, *rest], [*what, *rest, *early])
        if (
            predicate
            and predicate[1:] in orders
            and _is_doer(doer, who, hit["by"].lower(), language)
            and _is_verb(hit["verb"].lower(), predicate[0], language)
        ):
            return True
    return False


_PASSIVES = {
    "zh": re.compile(r"(?P<what>[^，。]{2,}?)(?P<by>被|由)(?P<rest>[^，。]{2,})"),
    "ja": re.compile(
        r"(?P<what>[^、。]{2,}?)は(?P<early>[^、。]*?)、?(?P<who>[^、。は]{2,}?)によって(?P<verb>[^、。]+?)され(?P<end>る|た|ます|ました)"
    ),
}


def _is_passive_of_characters(one: str, two: str, language: str) -> bool:
    """The same in Chinese and Japanese: "P 被 A V" and "A V P", "P は A によって V される" and "A が P を V する"."""
    at = _PASSIVES.get(language)
    hit = at.fullmatch(one.rstrip("。")) if at else None
    if hit is None:
        return False
    active = two.rstrip("。")
    if language == "ja":
        does = {"る": "する", "た": "した", "ます": "します", "ました": "しました"}[hit["end"]]
        who, what, verb = hit["who"], hit["what"], hit["verb"]
        starts = range(len(who) - 1) if not hit["early"] else (0,)
        return any(active == f"{who[n:]}が{what}を{hit['early']}{who[:n]}{verb}{does}" for n in starts) or any(
            active == f"{who[n:]}が{hit['early']}{who[:n]}{what}を{verb}{does}" for n in starts
        )
    what, rest = hit["what"], hit["rest"]
    return any(
        active == f"{rest[:doer]}{what[cut:]}{rest[doer:]}{what[:cut]}"
        for cut in range(2, len(what) + 1)
        for doer in range(2, len(rest))
    )


_LONGEST_DOER = 4


def _words_of(text: str) -> list[str]:
    hit = [w for w in _WORD.findall(text) if w != ","]
    return [hit[0].lower(), *hit[1:]] if hit else []


_WITH_ARTICLE = {"dal": "il", "dall'": "l'", "dalla": "la", "dai": "i", "dagli": "gli", "dalle": "le"}


def _is_doer(doer: Sequence[str], who: Sequence[str], by: str, language: str) -> bool:
    """Whether a subject is who stands behind "by", in the nominative."""
    turned = {
        left: right.split("|") for left, _, right in (p.partition("=") for p in ways(language)["nominative"].split())
    }
    expected = [*([_WITH_ARTICLE[by]] if by in _WITH_ARTICLE else []), *who]
    if language == "pt" and by == "pel":
        expected = list(who)
    if not doer or not expected:
        return False
    first = expected[0].lower()
    return doer[0].lower() in turned.get(first, [first]) and [w.lower() for w in doer[1:]] == [
        w.lower() for w in expected[1:]
    ]


def _is_verb(participle: str, verb: str, language: str) -> bool:
    """Whether a participle and a form of the present have one stem, by the endings of the language."""
    left, right = ways(language)["verb"].split(" = ")
    stems = {m[1] for m in (re.fullmatch(left, participle),) if m}
    stems |= {m[1] for m in (re.fullmatch(left.replace("(?:ge)?", ""), participle),) if m}
    active = re.fullmatch(right, verb)
    wide = {re.fullmatch(right.replace("(.+?)", "(.+)"), verb)} | {active}
    return any(
        m is not None and (m[1] in stems or _doubled(m[1]) in stems or m[1] in {_doubled(s) for s in stems})
        for m in wide
    )


def _doubled(stem: str) -> str:
    """A Dutch stem with its long vowel written twice: "controler" and "controleer"."""
    return re.sub(r"([aeou])([^aeiou])$", r"\1\1\2", stem)
