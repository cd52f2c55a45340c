"""Chinese, Japanese and Korean sentences that differ in the order of the members of one list alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from saidonce.matching.facts.plain.characters import is_of_a_noun

IN_ORDER = re.compile(
    "分别|依次|先后|轮[流番换]|交替|随后|然后|接着|顺序|次序|排名|名次|冠军|从左|从上|自上|途经|经过|经由|停靠|步骤|行程|日程|路线|流程|优先|前[一二三几]名"
    "|それぞれ|順|次第|左から|上から|経由|通[っりる]|巡|経て|停|行き先|日程|行程|手順|優先|上位|歴任|[一1]位|각각|차례|순서|순으로|거쳐|거친|경유|지나|들러|위부터|정차|방문|일정|우선|상위|절차|노선"
)
"""What says that the order of a list counts, or that its members belong to those of another list in turn."""

FEWEST = 3
"""Members of a list; with two, one may be said of the other: "A with B"."""


def is_list_in_kana(one: str, two: str) -> bool:
    """Return whether two Japanese sentences are one list of things, of three and more, in two orders.

    What both begin and end with is no part of it. No member may have an attribute, which might be that of all behind
    it, and none may be something that is done, since steps have an order.
    """
    a, b = one.rstrip("。"), two.rstrip("。")
    if IN_ORDER.search(a):
        return False
    start, end = _shared(a, b), _shared(a[::-1], b[::-1])
    start = max((hit.end() for hit in _BEFORE_LIST.finditer(a[:start])), default=0)
    tail = _BEHIND_LIST.search(a[len(a) - end :])
    if tail is None or _DONE.match(tail[0]):
        return False
    end -= tail.start()
    if _SECOND_LIST.search(a[:start]) or _SECOND_LIST.search(tail[0]) or not _NO_SEQUENCE.search(tail[0]):
        return False
    members = [[m for m in _BETWEEN.split(s[start : len(s) - end]) if m] for s in (a, b)]
    if any(_WITH_ATTRIBUTE.search(m) or len(m) > _LONGEST_MEMBER for m in members[0]):
        return False
    return _are_turned(members)


_BEFORE_LIST = re.compile("[はにが]、?|、")
_BETWEEN = re.compile("、|と|や|および|ならびに")
_BEHIND_LIST = re.compile("(?:を|が|は|も|に|だ|で|など).*")
_SECOND_LIST = re.compile("(?<![はがにでも])、|・|(?<!こ)と(?![きこうもをしい])|や|および|及び|ならびに|並びに")
"""What may join the members of another list, to which those of the first may belong in turn."""
_NO_SEQUENCE = re.compile(
    "^(?:だ|です|である|で、)|必要|含ま|含む|あ[るりっ]|いる|います|購入|買[ういっ]|売[るりっ]|販売|用意|準備|持参|持っ|お持ち|提供|配布"
    "|備え|入れ|入って|分別|禁止|展示|取り扱|扱[うい]|無料|栽培|育て|保管|貸し出|貸出"
)
"""What is said of all members at once: no order can be meant, as of what is visited, passed, called or pressed."""
_DONE = re.compile("を?(?:し|す|行|実施|お願い)")
_WITH_ATTRIBUTE = re.compile(
    "を|[のないたるくうすぐつぬぶむ](?=[一-鿿ァ-ヶ])"
    "|^(?:無料|有料|新品|中古|国産|輸入|冷凍|有機|大型|小型|高級|特製|限定|電動|[一-鿿]{1,2}[製産用型式色])(?=[一-鿿ァ-ー]{2})"
)
_LONGEST_MEMBER = 12


def is_list_in_hangul(one: str, two: str) -> bool:
    """Return the same of two Korean sentences; the particle behind the last member goes with its sound."""
    a, b = one.rstrip(".").split(), two.rstrip(".").split()
    if IN_ORDER.search(one) or not a or not b:
        return False
    start, end = _shared(a, b), _shared(a[::-1], b[::-1])
    while start and a[start - 1].endswith(_GOES_ON):
        start -= 1
    middle = [" ".join(s[start : len(s) - end]) for s in (a, b)]
    tail = a[len(a) - end :]
    hits = [_PARTICLE.fullmatch(_JOINED.sub(", ", s)) for s in middle]
    if not all(hits) or (tail and _DONE_IN_HANGUL.match(tail[0])):
        return False
    head = " ".join(a[:start])
    if _SECOND_IN_HANGUL.search(head) or _SECOND_IN_HANGUL.search(" ".join(tail)):
        return False
    if tail and not _NO_SEQUENCE_IN_HANGUL.search(" ".join((middle[0][-1:], *tail))):
        return False
    closed = {_ONE_PARTICLE.get(hit["particle"], hit["particle"]) for hit in hits if hit}
    members = [[m.strip() for m in hit["members"].split(",")] for hit in hits if hit]
    return len(closed) == 1 and _are_turned(members) and not any(map(_has_attribute, members[0]))


def _has_attribute(member: str) -> bool:
    """Return whether a word stands before a noun that may be said of all members behind it, too; no number is one."""
    *before, last = member.split()
    before = before[:-1] if last[0].isdigit() else before
    return any(is_of_a_noun(w) or w.endswith("의") for w in before)


_GOES_ON = (",", "와", "과")
_JOINED = re.compile("(?<=[가-힣])[와과] | 및 | 그리고 ")
_PARTICLE = re.compile("(?P<members>.+?)(?P<particle>을|를|이|가|은|는|이다|다|입니다|이며|며)")
_ONE_PARTICLE = {"를": "을", "가": "이", "는": "은", "다": "이다", "며": "이며"}
_SECOND_IN_HANGUL = re.compile(r",|[가-힣][와과](?= )| 및 | 그리고 |[가-힣](?:이랑|랑|하고)(?= )")
_NO_SEQUENCE_IN_HANGUL = re.compile(
    r"필요|포함|있[다습어는으]|없[다습어]|구입|구매|[를을] (?:\S+ )?(?:산다|삽니다|샀|판다|팝니다|팔았)|판매|준비|지참"
    "|가져오|제공|갖추|넣[는습어]|분리|금지|전시|비치|재배|보관|대여|무료"
)
_DONE_IN_HANGUL = re.compile("하|한|합|해|실시|진행|시행")


def _are_turned(members: Sequence[list[str]]) -> bool:
    one, two = members
    return len(one) >= FEWEST and all(one) and one != two and sorted(one) == sorted(two)


def _shared(a: Sequence[str], b: Sequence[str]) -> int:
    """Return how many pieces two sequences begin with alike."""
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
