"""Chinese, Japanese and Korean sentences that differ in the order of their parts alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from saidonce.matching.facts.plain.tables import ways

SCOPE = re.compile(
    "只|仅|僅(?![差か])|才|就|都|也|再(?!利用|生)|(?<![归退偿返])[还還](?!款|书|钱|给)|又|不|没|沒|未|非|全部|全都|各|每个|所有|常常|经常|"
    "だけ|のみ|しか|も|ばかり|さえ|こそ|まで|ない|ません|なく|ず"
)
"""Characters that bear on what stands beside them, so that turning a sentence round turns what they bear on."""

_NUMBER = r"(?:\d{1,4}|[〇零一二三四五六七八九十]{1,4})"
_WHEN = {
    "zh": rf"{_NUMBER}年(?:{_NUMBER}月(?:{_NUMBER}[日号])?)?|{_NUMBER}月(?:{_NUMBER}[日号])?"
    r"|(?:每(?:个|逢)?)?(?:星期|周|礼拜)[一二三四五六日天]|每[天日周月年晚](?!个)|[上下本]周|[上下本]个?月|昨天|今天|明天|去年|今年|明年"
    r"|[春夏秋冬][天季](?!期间|[之前后时的])",
    "ja": rf"{_NUMBER}年(?:{_NUMBER}月(?:{_NUMBER}日)?)?|{_NUMBER}月(?:{_NUMBER}日)?"
    rf"|(?:毎週)?[月火水木金土日]曜日?|毎[日週月年晩朝](?:{_NUMBER}月)?|昨日|今日|明日|昨年|今年|来年",
}
"""What says when or how often, and can be nothing else."""

_TIMES = {
    "zh": re.compile(
        rf"(?P<zai>在|于|於)?(?P<front>{_WHEN['zh']}|[^，。]{{2,8}}(?:期间|之前|之后|前|后|时)(?=，))(?P<comma>，)?"
        r"(?P<rest>[^。]+)"
    ),
    "ja": re.compile(
        rf"(?P<front>(?:{_WHEN['ja']})に?|[^、。]{{1,8}}の間(?=、)|[^、。]{{2,12}}前に(?=、))(?P<comma>、)?"
        r"(?P<rest>[^。]+)"
    ),
}


def is_timed(front: str, plain: str, language: str) -> bool:
    """Return whether a sentence begins with a time that the other has behind its subject, all else alike."""
    at = _TIMES.get(language)
    hit = at.fullmatch(front.rstrip("。")) if at else None
    if hit is None:
        return False
    return (_is_timed_ja if language == "ja" else _is_timed_zh)(hit, plain.rstrip("。"))


def _is_timed_ja(hit: re.Match[str], words: str) -> bool:
    time, rest = hit["front"], hit["rest"]
    topic = _TOPIC.match(rest)
    if topic is None:
        return False
    subject, predicate = topic[0], rest[topic.end() :]
    if _DONE_BY_IT.search(subject) or not _is_one_clause(predicate.partition("、")[0]):
        return False  # the time might belong to another verb: "今年社長が辞任した会社"
    times = {time, f"{time}に"} if hit["comma"] and not time.endswith("に") else {time}
    return any(words == f"{subject}{comma}{t}{stop}{predicate}" for t in times for comma in _PAUSES for stop in _PAUSES)


_TOPIC = re.compile(r"[^はがもをにでへ、。]{1,20}[はが]")
"""The subject of a Japanese sentence, up to its first particle."""

_DONE_BY_IT = re.compile("[たるうくすぐつぬぶむ](?=[一-鿿ァ-ヶ]|もの|こと|ところ|ひと)")
"""The verb of a clause about a noun, which a time before it may belong to: "五月に買った切符"."""


def _is_one_clause(predicate: str) -> bool:
    at = 0
    while hit := _PHRASE.match(predicate, at):
        at = hit.end()
    return _PREDICATE.fullmatch(predicate, at) is not None


_PAUSES = ("", "、")


def _is_timed_zh(hit: re.Match[str], words: str) -> bool:
    """Return whether a time behind the subject has a preposition, or stands between who does something and what."""
    time, rest = hit["front"], hit["rest"]
    if "的" in _OF_SOMEBODY.sub("", rest) or not (hit["comma"] or re.fullmatch(_WHEN["zh"], time)):
        return False  # the time might belong to what describes a noun: "五月买的票"
    for n in range(2, min(len(rest), _LONGEST_SUBJECT)):
        subject, predicate = rest[:n], rest[n:]
        if "，" in subject or SCOPE.search(subject[-2:]) or subject[-1] in "在于於" or _SAYS.search(subject):
            continue
        if "的" in predicate or _ADDING.match(predicate):
            continue
        if words in {f"{subject}{zai}{time}{predicate}" for zai in ("在", "于", "於")}:
            return True
        if words == f"{subject}{time}{predicate}":
            return _VERBAL.match(predicate) is not None or subject[-1] in _WHO
    return False


_OF_SOMEBODY = re.compile("^[小老阿][一-鿿]的")
"""Somebody whose it is, at the head of a subject: no verb that a time before it may belong to."""


def is_phrase_moved(front: str, plain: str, language: str) -> bool:
    """Return whether a Chinese phrase of reason, ground, place or time stands in front, or behind the subject.

    A place may stand behind what is allowed or forbidden there, too. Where a noun has a clause of its own behind the
    phrase, it might belong to that.
    """
    if language != "zh":
        return False
    place = _FORBIDDEN.fullmatch(front)
    if place is not None and plain == f"不得在{place['place']}{place['rest']}":
        return True
    hit = _FRONTED.fullmatch(front.rstrip("。"))
    if hit is None:
        return False
    phrase, rest, words = hit["phrase"], hit["rest"], plain.rstrip("。")
    for n in range(2, min(len(rest), _LONGEST_SUBJECT)):
        subject, predicate = rest[:n], rest[n:]
        if _NO_SUBJECT.search(subject) or SCOPE.search(subject) or _SAYS.search(subject):
            continue
        leads = _LEADS.match(predicate)
        is_free = leads is not None or "的" not in predicate
        is_counted = _ADDING.match(predicate) and not (predicate[0] == "都" and phrase[0] == "每")
        if is_free and not is_counted and words == f"{subject}{phrase}{predicate}":
            return True
        allowed = _ALLOWED.match(predicate) if phrase[0] == "在" and "的" not in predicate else None
        if allowed and words == f"{subject}{allowed[0]}{phrase}{predicate[allowed.end() :]}":
            return True
    return False


_FORBIDDEN = re.compile("(?P<place>[^，。]{1,10}[内里上])不得(?P<rest>[^，。]+。?)")
_FRONTED = re.compile(
    "(?P<phrase>(?:因为|因|由于|根据|按照|依据|依照)[^，。]{2,14}"
    "|在[^，。]{1,12}(?:内|里|中|上|前|处|时|外|期间|旁)|每[年月周日天逢][^，。]{0,8})，(?P<rest>[^。]{3,})"
)
_NO_SUBJECT = re.compile("[，可须应将]|[的在于]$")
_LEADS = re.compile("都?(?:会|将|应|须|可|不得|已|要|能)")
"""What a verb that is no noun's begins with."""
_ALLOWED = re.compile("不得|不能|应|须|可|要|请")

_LONGEST_SUBJECT = 14
_SAYS = re.compile(
    "说|宣布|计划|决定|要求|希望|表示|认为|打算|同意|承诺|指出|建议|规定|知道|发现|告诉|报告|批准|禁止|允许|拒绝|开始|停止|准备|通知|请"
    "|派|让|叫|安排|委托|任命|鼓励|授权|劝|陪|催|逼|提名|指[派示]|命令|责令|促使|强迫|号召|动员|引导|协助|支持|(?<![携绑地化])带"
    "|[取拿搬买捡挖找抽端交送寄运拉抱扛][出下回来到给入走上]|[收接看听见遇碰]到|看见|听见"
    "|(?<=..)(?:指导|指责|责备|督促|奖励|批评|表扬|提醒|警告|训练|培训|判处|监督|解雇|开除|招募|召集|欢迎|感谢|惩罚|处罚|埋怨|抱怨|照顾|护送"
    "|聘用|雇用|雇佣|推选|选举|选派|组织|阻止)(?!员(?!工)|队(?!员)|[师班部处科组委费站所局司]|中心|小组|机构|人员)(?=..)"
)
"""Verbs behind which another verb stands, whose time it might be."""
_ADDING = re.compile("[只仅僅才就都也又还還]")
"""Characters that bear on what stands right before them, too: "the shop in August, too, ..."."""
_VERBAL = re.compile("在|不|将|用|由|须|应|可")
_WHO = frozenset("安员者人司们队会家部局室店院校客东师长工校馆厂")
"""Characters with which a word for people or a body ends."""


def is_list(a: str, b: str) -> bool:
    """Return whether two sentences are one list in Chinese or Japanese.

    The same members, which no particle divides, between the same characters.
    """
    one, two = _split(a.rstrip("。")), _split(b.rstrip("。"))
    if one is None or two is None:
        return False
    (head_a, members_a, tail_a), (head_b, members_b, tail_b) = one, two
    if _JOINS.search(f"{head_a} {tail_a}"):
        return False  # another list, whose members may belong to those of this one in turn
    if _MAY_SHARE.match(tail_a) and (len(members_a) < _FEWEST_LISTED or "的" in a[: len(a) - len(tail_a)]):
        return False
    if (head_a or _MAY_SHARE.match(tail_a)) and not all(map(_is_bare, members_a)):
        return False
    return (head_a, tail_a) == (head_b, tail_b) and members_a != members_b and sorted(members_a) == sorted(members_b)


_JOINS = re.compile("、|和|(?<=[ァ-ヶ一-鿿])と(?=[ァ-ヶ一-鿿])")
_MAY_SHARE = re.compile("要|应|须|可|不得|都|均")
"""How a predicate begins whose subjects may share an attribute: "the lamp and the lock of the kitchen are both"."""
_FEWEST_LISTED = 3

_KANA = re.compile("[ぁ-ヶ]")
_COUNTED = re.compile(r"^\d+[个张份本支件把条]")
_ATTRIBUTES = "新旧大小热冷冰生熟黑白红蓝绿黄灰紫免全半好坏高低老湿干鲜净厚薄长短甜咸真假素荤男女本原副正"


def _is_bare(member: str) -> bool:
    """Return whether a member of a list has no attribute that those behind it may share: "free breakfast and lunch".

    In Chinese it is a word of two characters, or a noun of a closed list; in Japanese nothing leads to it.
    """
    if _KANA.search(member):
        return _LEADS_TO_NOUN.search(member) is None
    noun = _COUNTED.sub("", member)
    is_short = len(noun) <= _LONGEST_BARE and noun[:1] not in _ATTRIBUTES
    return is_short or noun in ways("zh")["whole_nouns"].split()


_LONGEST_BARE = 2
_LEADS_TO_NOUN = re.compile("[のないたるくうすぐつぬぶむ](?=[一-鿿ァ-ヶ])")

_LISTED = re.compile(
    r"(?P<head>.*(?:有|包括|包含|含有|携带|带好|带上|盛产|出产|提供|提交|备齐|需要|出售|供应|には)|)(?P<list>[^，。は]+?)(?P<tail>(?:は)?(?:一起|共同|要|应|须|可|不得|都|均|一緒に|が含まれ|をお持ち)[^，。]*|)"
)


def _split(text: str) -> tuple[str, list[str], str] | None:
    hit = _LISTED.fullmatch(text)
    if hit is None or not (hit["head"] or hit["tail"]):
        return None
    members = re.split("、|和|と|及", hit["list"])
    return (hit["head"], members, hit["tail"]) if len(members) > 1 else None


_SINCE = (
    rf"{_WHEN['zh']}|{_NUMBER}[点时号日月]|[上下]午"
    "|[^，。]*(?:[开驶飞运通][往向至到]|前往|[到抵]达|出发|[变转改]为|[升降增减扩缩][加少大小短长]?[到至为])"
)
"""What follows 由 where it says from when, where or what something comes, and not who does it."""

_PASSIVES = {
    "zh": re.compile(
        rf"(?P<what>[^，。]{{2,}}?)(?P<when>{_WHEN['zh']})?(?P<modal>将|会|已|可)?(?P<by>被|由(?!{_SINCE}))(?P<rest>[^，。]{{2,}})"
    ),
    "ja": re.compile(
        r"(?P<what>[^、。]{2,}?)は(?P<early>[^、。]*?)、?(?P<who>[^、。は]{2,}?)によって(?P<verb>[^、。]+?)され(?P<end>る|た|ます|ました)"
    ),
}


DEPENDS_ON = re.compile(
    "(?:地域|地方|都道府県|季節|年齢|年代|時期|時間帯?|曜日|[年月]度|天候|天気|気温|場[合所]|会場|条件|状況|種類|サイズ|大きさ|重[量さ]|距離"
    "|人?数|金額|期間|性別|学年|国|内容|用途|方法|手段|コース|プラン|区[分間]|等級|職種|店舗|機種|製品|商品)$"
)
"""What something is otherwise by, before "ni yotte", and what does nothing: "by region"."""


def is_passive(one: str, two: str, language: str) -> bool:
    """Return whether a sentence is the passive of the other, such as "P 被 A V" of "A V P".

    Not beside a word that bears on either of the two: "only by the teacher" is not "only the pupil".
    """
    at = _PASSIVES.get(language)
    hit = at.fullmatch(one.rstrip("。")) if at and not SCOPE.search(one) else None
    if hit is None or (language == "ja" and DEPENDS_ON.search(hit["who"])):
        return False
    active = two.rstrip("。")
    if language == "ja":
        does = {"る": "する", "た": "した", "ます": "します", "ました": "しました"}[hit["end"]]
        who, what, verb = hit["who"], hit["what"], hit["verb"]
        if re.sub("、", "", active) in set(_japanese_actives(hit, f"{verb}{does}")):
            return True
        starts = range(len(who) - 1) if not hit["early"] else (0,)
        return any(active == f"{who[n:]}が{what}を{hit['early']}{who[:n]}{verb}{does}" for n in starts) or any(
            active == f"{who[n:]}が{hit['early']}{who[:n]}{what}を{verb}{does}" for n in starts
        )
    return not any(c in hit["what"] for c in "和与及") and active in set(_actives(hit))


def _japanese_actives(hit: re.Match[str], does: str) -> Iterator[str]:
    """Yield active sentences, without commas, whose object may have a clause of its own."""
    what, early = (re.sub("、", "", hit[name]) for name in ("what", "early"))
    for n in range(len(does) - _SHORTEST_VERB):
        between, verb = does[:n], does[n:]
        yield from (f"{hit['who']}{case}{early}{what}を{between}{verb}" for case in "はが")
        yield from (f"{hit['who']}{case}{early}{between}{what}を{verb}" for case in "はが")


_SHORTEST_VERB = 3
"""Characters: two, and a form of "do"."""


def _actives(hit: re.Match[str]) -> Iterator[str]:
    """Yield the active sentences of which a Chinese one may be the passive; one that is done needs no 了."""
    what, when, modal, rest = hit["what"], hit["when"] or "", hit["modal"] or "", hit["rest"]
    for doer in range(2, len(rest)):
        yield f"{rest[:doer]}{when}{modal}{rest[doer:]}{what}"
        if hit["by"] == "被" and not modal:
            yield f"{rest[:doer]}{when}{rest[doer:]}了{what}"


_DONE_WITH = re.compile(r"(?P<who>[^，。把]{0,8})把(?P<what>[^，。把]{2,10}?)(?P<does>[^，。把\d]{1,4})")


def is_done_with(one: str, two: str, language: str) -> bool:
    """Return whether a Chinese sentence puts its object before the verb with 把, and is the other one otherwise."""
    hit = _DONE_WITH.fullmatch(one.rstrip("。")) if language == "zh" and not SCOPE.search(one) else None
    if hit is None:
        return False
    before = f"{hit['what']}{hit['does']}"
    cuts = range(2, len(before))
    return any(
        two.rstrip("。") == f"{hit['who']}{before[n:]}{before[:n]}" for n in cuts if len(before) - n <= _LONGEST_VERB
    )


def is_named_act(one: str, two: str, language: str) -> bool:
    """Return whether what somebody is in charge of is a verb with its object, or a noun.

    "安装窗帘由", "窗帘的安装由". Acts and things of closed lists alone: 清洁用品 is no act, but a kind of things.
    """
    hit = _ACT.fullmatch(one) if language == "zh" else None
    return (
        hit is not None
        and hit["act"] in ways("zh")["done_to_things"].split()
        and hit["what"] in ways("zh")["things_alone"].split()
        and two == f"{hit['what']}的{hit['act']}{hit['by']}"
    )


_ACT = re.compile("(?P<act>[一-鿿]{2})(?P<what>[^，。的]{2,10}?)(?P<by>(?:应|须|需|可|将)?由[^。]+。?)")
_LONGEST_VERB = 4

_NOUN = r"[\u4e00-\u9fffァ-ヶーA-Za-z0-9]{1,12}(?:の[\u4e00-\u9fffァ-ヶーA-Za-z0-9]{1,12})?"
_PHRASE = re.compile(rf"(?:{_NOUN})(?:が|を|に|へ|で|から)、?")
_PREDICATE = re.compile(r"[\u4e00-\u9fff々ァ-ヶー]{1,6}[ぁ-ん]{0,8}")


_IF = re.compile(
    r"(?P<clause>(?:如果(?!干)|若(?!干)|因为|因(?![此而素子果])|当(?![地局事天年时日晚月前中选然代场初]))[^，。]{2,30})，"
    r"(?P<rest>[^，。]{2,30})"
)
"""A condition or a reason, and no other word that begins alike: 若干, 当地, 因此."""


def is_clause_moved(front: str, plain: str, language: str) -> bool:
    """Return whether a Chinese condition or reason stands in front in one sentence, and at the end of the other."""
    hit = _IF.fullmatch(front.rstrip("。")) if language == "zh" else None
    return hit is not None and plain.rstrip("。") == f"{hit['rest']}，{hit['clause']}"


_KOREAN_TIME = re.compile(
    r"(?:매일 밤|매일|매주|매월|매년|오늘|내일|어제|(?:매주 )?[월화수목금토일]요일에"
    r"|\d{1,4}년(?: \d{1,2}월(?: \d{1,2}일)?)?에?|\d{1,2}월(?: \d{1,2}일)?에?) (?P<rest>.+)"
)
_KOREAN_CASE = re.compile(r"[가-힣A-Za-z0-9]+?(?P<case>에게서|에게|에서|으로|로|에|이|가|을|를)")
_HANGUL, _FINALS = 0xAC00, 28
_OF_A_NOUN = (4, 8)
"""Final consonants n and l, with which a verb stands before its noun."""


LETS_DO = re.compile(
    "시[키킨킬킵켰켜]|[가-힣]게 [하한합했할]|(?:지시|명령|부탁|허락|권유|위임|위탁|의뢰|제안)[하한합했할]"
)
"""Verbs by which somebody else does something, so that a place or a time may be that of what is done."""


def is_scrambled_in_korean(front: str, plain: str, language: str) -> bool:
    """Return whether two Korean one-clause sentences have the same phrases, each with its particle, in another order.

    A time at the front may also stand behind the topic. No word may be a verb that belongs to a noun behind it.
    """
    if language != "ko" or LETS_DO.search(plain):
        return False
    return _is_timed_ko(front.rstrip("."), plain.rstrip(".")) or _is_permuted(front.rstrip("."), plain.rstrip("."))


def _is_timed_ko(front: str, plain: str) -> bool:
    hit = _KOREAN_TIME.fullmatch(front)
    if hit is None:
        return False
    time, words = front[: hit.start("rest") - 1], hit["rest"].split()
    topic, rest = words[0], words[1:]
    if topic[-1] not in "은는이가" or any(is_of_a_noun(w) or w.endswith(_OPENS_KO) for w in rest[:-1]):
        return False
    return plain == " ".join((topic, time, *rest))


_OPENS_KO = ("고", "기로", "도록", "려고", "면", "지만", "는데", "니까", "므로")
"""Endings of a verb that another one follows, whose time it might be."""


def _is_permuted(one: str, two: str) -> bool:
    a, b = (_korean_phrases(s) for s in (one, two))
    return a is not None and b is not None and a[-1] == b[-1] and sorted(a) == sorted(b)


def _korean_phrases(sentence: str) -> list[str] | None:
    """Return the words of a sentence, of which all but the last have a particle, no two the same.

    None for another one.
    """
    *phrases, predicate = sentence.split() or [""]
    hits = [_KOREAN_CASE.fullmatch(p) for p in phrases]
    cases = [_ONE_CASE.get(hit["case"], hit["case"]) for hit in hits if hit]
    is_sound = len(phrases) > 1 and len(cases) == len(phrases) == len(set(cases))
    return [*phrases, predicate] if is_sound and not any(is_of_a_noun(p) for p in phrases) else None


_ONE_CASE = {"가": "이", "를": "을", "로": "으로"}


def is_of_a_noun(word: str) -> bool:
    """Return whether a word may be a verb before its noun: "산", "갈", "주는"; objects end alike and are none."""
    last = word[-1]
    is_hangul = _HANGUL <= ord(last) < _HANGUL + 11_172
    return is_hangul and last not in "을를" and (ord(last) - _HANGUL) % _FINALS in _OF_A_NOUN
