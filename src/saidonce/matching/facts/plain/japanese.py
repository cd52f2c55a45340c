"""Japanese sentences of one clause, as phrases with their particles before one predicate.

Before its predicate a phrase may stand anywhere: its particle says what it is. A passive has its subject for the object
of the active sentence, and who does it behind "by"; all else is equal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from saidonce.matching.facts.plain.characters import DEPENDS_ON

_CHARACTERS = "[\u4e00-\u9fff々ァ-ヶーA-Za-z0-9]"
_NOUN = rf"{_CHARACTERS}{{1,14}}(?:たち|さん|さま)?"
_CASE = "のため|によって|により|について|として|までに|から|まで|では|には|へは|は|が|を|に|へ|で"
_TIME = "昨日|今日|明日|先週|今週|来週|先月|今月|来月|昨年|去年|今年|来年|毎朝|毎晩|毎日|毎週|毎月|毎年|現在"
_PHRASE = re.compile(rf"(?:(?P<noun>{_NOUN}(?:の{_NOUN}){{0,2}})(?P<case>{_CASE})|(?P<time>{_TIME}))、?")
_PREDICATE = re.compile("(?:[一-鿿]{1,2}(?:か|らか)に)?[\u4e00-\u9fff々ァ-ヶー]{1,6}[ぁ-ん]{0,14}")
"""One verb, or a noun with "is", before which an adverb of manner may stand; no verb hides among other characters."""


class _Clause(NamedTuple):
    """Phrases, each as a noun and its particle, and what is said of them."""

    phrases: tuple[tuple[str, str], ...]
    predicate: str


def _clause(sentence: str) -> _Clause | None:
    """Return the phrases of a sentence of one clause, of which one has a topic, a subject or an object; else None."""
    sentence = sentence.rstrip("。")
    phrases: list[tuple[str, str]] = []
    at = 0
    while not _PREDICATE.fullmatch(sentence, at) and (hit := _PHRASE.match(sentence, at)):
        phrases.append((hit["noun"] or hit["time"], hit["case"] or ""))
        at = hit.end()
    roles = [role for noun, case in phrases if (role := _role(noun, case)) in _OF_ONE]
    is_whole = _PREDICATE.fullmatch(sentence, at) is not None
    return _Clause(tuple(phrases), sentence[at:]) if is_whole and len(set(roles)) == len(roles) else None


_SAYS_WHEN = re.compile("(?:曜日?|[年月日夜朝晩冬夏春秋]|午前|午後)$")
_OF_ONE = ("は", "が", "を")


def _role(noun: str, case: str) -> str:
    if case == "は":
        return "" if _SAYS_WHEN.search(noun) else case
    return case.removesuffix("は")


def is_scrambled(one: str, two: str, language: str) -> bool:
    """Return whether two sentences have the same phrases, each with its particle, in another order."""
    if language != "ja":
        return False
    a, b = _clause(one), _clause(two)
    if a is None or b is None or a.predicate != b.predicate or len(a.phrases) < _FEWEST:
        return False
    return sorted(a.phrases) == sorted(b.phrases) and _in_each_role(a) == _in_each_role(b)


_FEWEST = 2


def _in_each_role(clause: _Clause) -> list[str]:
    """Return the nouns by their roles: of two in one, such as place and means, each stands where it did."""
    return [noun for noun, _ in sorted(clause.phrases, key=lambda phrase: _role(*phrase))]


def is_passive(one: str, two: str, language: str) -> bool:
    """Return whether a sentence is the passive, with who does it, of the other."""
    if language != "ja" or not _BY.search(one):
        return False
    done, does = _clause(one), _clause(two)
    if done is None or does is None or does.predicate not in set(_actives(done.predicate)):
        return False
    who = [noun for noun, case in done.phrases if case in ("によって", "により")]
    what = [noun for noun, case in done.phrases if case in ("は", "が")]
    if len(who) != 1 or len(what) != 1 or DEPENDS_ON.search(who[0]):
        return False
    rest = sorted(p for p in done.phrases if p[1] not in ("によって", "により", "は", "が"))
    return any(sorted(does.phrases) == sorted([*rest, (who[0], subject), (what[0], "を")]) for subject in ("は", "が"))


_BY = re.compile("によって|により")
_OF_SURU = {"される": "する", "された": "した", "されます": "します", "されました": "しました",
            "されている": "している", "されています": "しています"}  # fmt: skip
_OF_ONE_STEP = {"られる": "る", "られた": "た", "られます": "ます", "られました": "ました"}
_A_ROW, _I_ROW, _U_ROW = "わかがさたなばまら", "いきぎしちにびみり", "うくぐすつぬぶむる"
_PAST = ("った", "いた", "いだ", "した", "った", "んだ", "んだ", "んだ", "った")


def _actives(predicate: str) -> Iterator[str]:
    """Yield the active forms of which a predicate may be the passive."""
    for passives in (_OF_SURU, _OF_ONE_STEP):
        yield from (predicate.removesuffix(p) + active for p, active in passives.items() if predicate.endswith(p))
    hit = _OF_FIVE_STEPS.fullmatch(predicate)
    if hit:
        row = _A_ROW.index(hit["row"])
        yield hit["stem"] + {"る": _U_ROW[row], "た": _PAST[row]}.get(hit["end"], _I_ROW[row] + hit["end"])


_OF_FIVE_STEPS = re.compile(rf"(?P<stem>.+)(?P<row>[{_A_ROW}])れ(?P<end>る|た|ます|ました)")
