"""Korean sentences in one of several forms: courtesy, nouns for verbs, passives, and the order of phrases.

A form stands for another only where the other text has that one, so that what its sound leaves open is shown there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from saidonce.matching.facts.plain.characters import LETS_DO, is_of_a_noun
from saidonce.matching.facts.plain.tables import ways

_HANGUL, _FINALS, _VOWELS = 0xAC00, 28, 21
_L = 8
"""Final consonant l by its place."""


def in_forms_of(text: str, other: str, language: str) -> str:
    """Write what the other text has in another form as it stands there."""
    if language != "ko":
        return text
    for found_by, forms in _FORMS:
        for hit in found_by.finditer(text):
            if hit[0] in other:
                continue
            form = next((f for f in forms(hit) if f in other), None)
            text = text.replace(hit[0], form) if form else text
    return text


def _final(syllable: str) -> int:
    return (ord(syllable) - _HANGUL) % _FINALS


def _with(noun: str, closed: str, opened: str) -> str:
    """Return a noun with the particle that goes with how it ends."""
    return noun + (closed if _final(noun[-1]) else opened)


def _without_owner(hit: re.Match[str]) -> Iterator[str]:
    if hit["owner"] not in _OF_ANOTHER_NOUN:
        yield f"{hit['owner']} {hit['noun']}"


_OF_ANOTHER_NOUN = frozenset("강 건 결 논 동 명 문 상 성 심 예 유 임 정 주 질 토 편 합 항 협 호 회")
"""Syllables with which "ui" is a noun of its own, and no particle: a lecture, not of the river."""


def _if_for_case(hit: re.Match[str]) -> Iterator[str]:
    word = hit["word"]
    if word in _OF_TWO_VERBS:
        return
    if word.endswith("을"):
        yield f"{word[:-1]}으면"
    if _final(word[-1]) == _L:
        yield f"{word[:-1]}{chr(ord(word[-1]) - _L)}면"


_OF_TWO_VERBS = ("살", "팔")
"""Verbs with an l in their stem whose form is that of others, too: "live", "buy"."""


def _bare_bidding(hit: re.Match[str]) -> Iterator[str]:
    """Yield the biddings without "give" that a verb may stand for; not those of a favour: "lend", "borrow"."""
    if hit["verb"] in _FAVOURS or _TO_SOMEBODY.search(hit.string):
        return
    yield from (f"{stem}세요" for stem in _stems(hit["verb"]))


_FAVOURS = frozenset(
    "빌려 사 찍어 찾아 만들어 구해 골라 들어 불러 읽어 가르쳐 업어 안아 대 봐 지어"
    " 돌려 들려 물려 놓아 놔 데려 태워 풀어 보여 살려".split()
)
_TO_SOMEBODY = re.compile("에게|한테|께 ")


def _stems(verb: str) -> Iterator[str]:
    """Yield the stems, as they stand before "-se", of a verb that ends in an open a or o."""
    head, last = verb[:-1], verb[-1]
    initial, vowel = divmod((ord(last) - _HANGUL) // _FINALS, _VOWELS)
    yield from (head + _syllable(initial, v) for v in _CONTRACTED.get(vowel, ()))
    if last in "아어" and head:
        final = _final(head[-1])
        yield f"{head}으" if final and final != _L else head[:-1] + chr(ord(head[-1]) - final)
    if last in "라러" and head and _final(head[-1]) == _L:
        yield f"{head[:-1]}{chr(ord(head[-1]) - _L)}르"


def _syllable(initial: int, vowel: int) -> str:
    return chr(_HANGUL + (initial * _VOWELS + vowel) * _FINALS)


_CONTRACTED = {0: (0, 18), 1: (1,), 4: (18, 4), 5: (5,), 6: (20,), 9: (8,), 14: (13,), 10: (11,)}
"""Vowel at the end of a verb before "give" -> those of its stem: "a" of a or eu, "yeo" of i, "wo" of u."""


def _is_done_to_thing(hit: re.Match[str]) -> bool:
    """Return whether an act is done to what it is "of": by closed lists, as people and bodies may do it themselves."""
    ends = tuple(ways("ko")["things"].split())
    return hit["act"] in ways("ko")["done_to_things"].split() and hit["noun"].endswith(ends)


def _verb_for_noun(hit: re.Match[str]) -> Iterator[str]:
    if not _is_done_to_thing(hit):
        return
    yield f"{_with(hit['noun'], '을', '를')} {hit['act']}{hit['does']}"


def _duty_for_noun(hit: re.Match[str]) -> Iterator[str]:
    if not _is_done_to_thing(hit):
        return
    yield f"{_with(hit['noun'], '은', '는')} {hit['who']} {hit['act']}{hit['does']}"


def _denial_for_ban(hit: re.Match[str]) -> Iterator[str]:
    if not _is_done_to_thing(hit):
        return
    ends = "된다" if hit["end"] == "한다" else "됩니다"
    yield from (f"{_with(hit['noun'], *pair)} {hit['act']}해서는 안 {ends}" for pair in (("은", "는"), ("을", "를")))


def _aim_for_noun(hit: re.Match[str]) -> Iterator[str]:
    if _is_done_to_thing(hit):
        yield f"{_with(hit['noun'], '을', '를')} {hit['act']}하기 위해"


def _noun_before(hit: re.Match[str]) -> Iterator[str]:
    if hit["act"] in ways("ko")["events"].split() or _is_done_to_thing(hit):
        yield f"{hit['noun']} {hit['act']} {hit['time']}"


def _of_all(hit: re.Match[str]) -> Iterator[str]:
    pair = {"은": "은는", "이": "이가", "을": "을를"}[hit["particle"]]
    yield f"모든 {_with(hit['noun'], *pair)}"


def _in_one_word(hit: re.Match[str]) -> Iterator[str]:
    if not is_of_a_noun(hit["one"]):
        yield f" {hit['one']}{hit['two']}"


_WORD = "[가-힣A-Za-z0-9]+?"
_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Iterator[str]]], ...] = (
    (re.compile(r"(?P<word>[가-힣]+) 경우(?=[ ,])"), _if_for_case),
    (re.compile(r"(?P<verb>[가-힣]+) 주세요"), _bare_bidding),
    (re.compile(rf"(?P<noun>{_WORD})의 (?P<act>[가-힣]{{2}})(?:을|를) 위해"), _aim_for_noun),
    (re.compile(rf"(?P<noun>{_WORD})의 (?P<act>[가-힣]{{2}})(?:을|를) 금지(?P<end>한다|합니다)"), _denial_for_ban),
    (
        re.compile(
            rf"(?P<noun>{_WORD})의? (?P<act>[가-힣]{{2}})(?:을|를) (?:실시|진행|시행)?(?P<does>[하한합할했해][가-힣]*)"
        ),
        _verb_for_noun,
    ),
    (
        re.compile(
            rf"(?P<noun>{_WORD})의? (?P<act>[가-힣]{{2}})(?:은|는) (?P<who>(?:\S+ ){{0,3}}\S+[이가])"
            " (?P<does>[하한합할했해][가-힣]*)"
        ),
        _duty_for_noun,
    ),
    (re.compile(rf"(?P<noun>{_WORD})(?:이|가|을|를) (?P<act>[가-힣]{{2}})[하되]기 (?P<time>전)(?= )"), _noun_before),
    (re.compile(rf"(?P<noun>{_WORD})(?:이|가|을|를) (?P<act>[가-힣]{{2}})[한된] (?P<time>후)(?= )"), _noun_before),
    (re.compile(rf"(?P<noun>{_WORD})(?:을|를) (?P<act>[가-힣]{{2}}) (?P<time>시)(?= )"), _noun_before),
    (re.compile(r"모든 (?P<noun>[가-힣]+)들(?P<particle>[은이을])(?= )"), _of_all),
    (re.compile(r" (?P<one>[가-힣]{2,4}) (?P<two>[가-힣]{2,})"), _in_one_word),
    (re.compile(rf"(?P<owner>{_WORD})의 (?P<noun>[가-힣]+)"), _without_owner),
)
"""Forms, and what each may stand for in the other text."""


class _Phrase(NamedTuple):
    """What stands before a particle, and what the particle says of it whatever the sound before it."""

    words: str
    role: str


_PARTICLE = re.compile(
    "(?P<noun>.*?[가-힣A-Za-z0-9])(?P<role>에 의해|에게서|에게|에서는|에서|까지|부터|으로|로|에는|에|을|를|은|는|이|가)"
)
_ROLES = {"는": "은", "가": "이", "를": "을", "로": "으로"}
_OF_A_DAY = frozenset("아침 저녁 밤 오전 오후".split())
_ALONE = frozenset("어제 오늘 내일 매일 매주 매월 매년 매달 현재 지난주 지난달 올해 작년".split())


_NOUNS = frozenset(
    "마을 가을 노을 사이 아이 종이 어린이 도로 통로 경로 국가 휴가 평가 추가 증가 참가 회의"
    " 큰 작은 높은 낮은 많은 새로운 모든 다른 같은 긴 짧은 깊은".split()
)
"""Words that end like a noun with its particle, or a verb before its noun, and are neither."""


_OF_A_DEED = re.compile("[하되]기(?:로|를|에|는)$")
"""How a verb ends that is what is decided or begun, whose time or place might stand before it."""
_GOES_ON = re.compile(
    "(?:(?<![창사광신보재최장금경원권충참출입수비차])고|[^동남서손피이방재오올]해|하[여며]|면서|[해아어와가여]서|태어나|나와|들어[가와]?|받아|모아|만들어)$"
)
"""How a verb ends behind which the sentence goes on, so that phrases before it are its own; nouns end so, too."""


def _phrases(words: list[str], *, is_passive: bool = False) -> list[_Phrase] | None:
    """Return phrases with their particles; None where a word may be a verb before its noun, or roles are not unique.

    Args:
        is_passive: whether who does it is named apart, so that a topic needs not be told from a verb.
    """
    phrases: list[_Phrase] = []
    held: list[str] = []
    for word in words:
        if not held and (word in _ALONE or (word in _OF_A_DAY and phrases and phrases[-1].words in _ALONE)):
            phrases.append(_Phrase(word, ""))
            continue
        if word == "의해" and phrases and phrases[-1].role == "에":
            phrases[-1] = phrases[-1]._replace(role="에 의해")
            continue
        hit = None if word in _NOUNS else _PARTICLE.fullmatch(word)
        role = _ROLES.get(hit["role"], hit["role"]) if hit else ""
        if _OF_A_DEED.search(word) or (hit is None and _GOES_ON.search(word)):
            return None
        is_object = word[-1] in "을를"
        if hit is None or (role == "은" and not is_passive and not _is_topic(hit["noun"], word[-1])):
            if not (is_passive or word in _NOUNS or word[0].isdigit()) and is_of_a_noun(word):
                return None
            held.append(word)
            continue
        if not is_passive and is_of_a_noun(word) and not is_object and role not in ("은", "에서는", "에는"):
            return None
        phrases.append(_Phrase(" ".join((*held, hit["noun"])), role))
        held = []
    roles = [p.role for p in phrases if p.role]
    return None if held or len(set(roles)) < len(roles) else phrases


_OF_VERBS = frozenset(
    "하되나리니오지기키시치으르우추두가서보주쓰크트내러"
    "앉집잡달뿜닫받같많높깊낮넓좁얇밝붉굵읽먹남넘숨심감담참찾맞맡뽑입씹신믿얻묻걷싣젖찢짖꽂덮엎깎닦볶섞묶꺾없있않끊잃앓싫옳쌓놓넣좋낳닿작늙젊검짧"
)
"""Syllables in which stems of verbs end, so that a word with "-neun" or "-eun" may be a verb before its noun."""

_FEWEST = 2


def _is_topic(noun: str, particle: str) -> bool:
    """Return whether a word is surely a noun with its particle, and no verb before its noun."""
    if len(noun) < _FEWEST or noun[-1] in _OF_VERBS or not "가" <= noun[-1] <= "힣":
        return False
    return bool(_final(noun[-1])) == (particle == "은")


_ENDS_IN_L = "".join(chr(n) for n in range(_HANGUL + _L, _HANGUL + 11_172, _FINALS))
_OPEN = "[아어해여워와겨려써켜꺼쳐]"
"""How verbs end before another one that helps them."""
_PREDICATES = re.compile(
    rf" \S+(?:{_OPEN}서는|면) 안 \S+$| \S+[{_ENDS_IN_L}] 수 (?:있|없)\S+$| \S*{_OPEN}야 \S+$"
    rf"|(?: \S*{_OPEN})? \S+지 \S+$| \S+고 있\S+$| \S*{_OPEN} (?:두|놓|주)세요$| \S+$"
)


def _parted(sentence: str) -> tuple[list[str], str] | None:
    """Return the words before the predicate, and the predicate."""
    hit = _PREDICATES.search(sentence.rstrip("."))
    return (sentence[: hit.start()].split(), hit[0].strip()) if hit else None


def is_scrambled(one: str, two: str, language: str) -> bool:
    """Return whether two sentences of one clause have the same phrases, each with its particle, in another order."""
    a, b = (_parted(s) for s in (one, two)) if language == "ko" and not LETS_DO.search(one) else (None, None)
    if a is None or b is None or a[1] != b[1] or sorted(a[0]) != sorted(b[0]):
        return False
    here, there = _phrases(a[0]), _phrases(b[0])
    return here is not None and there is not None and len(here) >= _FEWEST and sorted(here) == sorted(there)


def is_passive(one: str, two: str, language: str) -> bool:
    """Return whether a sentence is the passive, with who does it, of the other: "-doe" for "-ha"."""
    a, b = (_parted(s) for s in (one, two)) if language == "ko" and "에 의해" in one else (None, None)
    if a is None or b is None:
        return False
    verb = _DONE.fullmatch(a[1])
    if verb is None or b[1] != f"{verb['act']}{_DOES[verb['does']]}{verb['end']}":
        return False
    done, does = (_phrases(side[0], is_passive=True) for side in (a, b))
    if done is None or does is None:
        return False
    roles = [p.role for p in done]
    if roles.count("에 의해") != 1 or sum(r in ("은", "이") for r in roles) != 1:
        return False
    turned = [_Phrase(p.words, {"에 의해": "who", "은": "을", "이": "을"}.get(p.role, p.role)) for p in done]
    active = [_Phrase(p.words, {"은": "who", "이": "who"}.get(p.role, p.role)) for p in does]
    return sorted(turned) == sorted(active)


_DOES = {"되": "하", "된": "한", "됩": "합", "됐": "했", "될": "할", "돼": "해"}
_DONE = re.compile(rf"(?P<act>[가-힣]+)(?P<does>[{''.join(_DOES)}])(?P<end>[가-힣]*)")
