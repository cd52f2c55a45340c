"""Choose among the encodings of Chinese, Japanese and Korean by the characters that a text would have in each."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

_SIMPLIFIED = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学"
    "如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将"
    "两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比"
    "员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至"
    "队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清"
    "今切院让识候带导争运笔收干服务费店票室房车站楼梯客厅请勿禁止内外左右前后上下早晚午周元号码页卡张位人员证件证押退还借存取购买卖售价格优惠"
    "打洗衣机锅碗餐厨水电煤气热冷空调灯锁钥匙门窗垃圾投诉注意小心安全危险紧急出口入口厕所停车场电梯维修故障休息营业时间地址电话联系登记预约填写"
)
_TRADITIONAL = frozenset(
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學"
    "如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將"
    "兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比"
    "員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至"
    "隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清"
    "今切院讓識候帶導爭運筆收乾服務費店票室房車站樓梯客廳請勿禁止內外左右前後上下早晚午週元號碼頁卡張位人員證件押退還借存取購買賣售價格優惠"
    "打洗衣機鍋碗餐廚水電瓦斯熱冷氣燈鎖鑰匙門窗垃圾投訴注意小心安全危險緊急出口入口廁所停車場電梯維修故障休息營業時間地址電話聯絡登記預約填寫"
)
_KANJI = frozenset(
    "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入選立開手米力学問高代明"
    "実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野協取都和統以機平総加山思家話世受"
    "区領多県続進正安設保改数記院女初北午指権心界支第産結百派点教報済書府活原先共得解名交資予川向際査勝面委告軍文反元重近千考判認画海参売利組"
    "知案道信策集在件団別物側任引使求所次水半品昨論計死官増係感特情投示変打男基私各始島直両朝革価式確村提運終挙果西勢減台広容必応演電歳住争談"
    "能無再位置企真流格有口過局少放税検藤町常校料沢裁状工建語球営空職証土与急止送援供可役構木割聞身費付由説転食比難防補車優夫研収断井何南石足"
    "鍵禁煙室階館図洗濯掃除窓押退返貸借券休注意非常危険立入点検中受付様席洋駅店客"
)
_SYLLABLES = frozenset(
    "이다에의는로하을가고지서한은기으년대사시를리도인스일자나어정해그라아수들보과주전있게부것장여제면상만원성구트용와공오관마신국적비동화무조선"
    "세미유소학경문중위거안간우든라된되니했습합할요세않없았었위때러내모음문생등물방실물건명분단계회당통교습체연입출발행번호금지층호실점검열쇠닫열"
    "려까요네데더던본드디또래레려르른름린마막매며명모목못바반받배백번법별복불블비빌뿐살새색생설속손술쉬습승식심싶씨앞야약양언업영예온올완외운울"
    "월육은음의익임잘잡재저절접족종좋줄즉증직진질집째차착참책처천청초총최추축출충치카크키타터토트특파판패편평포표품프피필학함항향허험현형호혼홈"
    "확환활황회효후휴흡희히힘권섯곱둘셋넷열쓰레분류엘베침욕냉난세탁빨래주차택배우편문의안내데스크퇴실체크아웃숙박손님금연미끄럼"
)
"""The characters and syllables that are most frequent in running text, and those of notices and labels."""

_USUAL_MARKS = frozenset("，。、：；！？（）「」『』《》“”‘’·…—ー・～〜　％")


@dataclass(frozen=True, slots=True)
class Eastern:
    """An encoding of East Asia, and whether the characters decide for it."""

    encoding: str
    is_decided: bool


DECIDED_FROM = 3.0
"""Distance between the two best readings from which the choice is no guess: odds of 20 to 1."""

ACCEPTED_FROM = 0.2
"""Evidence for each character below which a reading is none, so that other scripts are not taken for one of these."""

_OUT = -4.0
"""Evidence of a character that no text of the language has: rarely used extensions, control and private characters."""


def eastern_encoding(sample: bytes) -> Eastern | None:
    """Return the encoding in which a sample is a text of China, Japan or Korea; None if it is one in none of them.

    Each character counts by how much more often it comes in a text of the language than in one that is misread in it
    (natural logarithms, rounded): frequent characters are three quarters of a text, and a tenth of a misread one.
    """
    readings = sorted(_readings(sample), reverse=True)
    if not readings:
        return None
    evidence, n_signs, encoding = readings[0]
    if evidence < ACCEPTED_FROM * n_signs:
        return None
    next_best = max((one[0] for one in readings[1:]), default=-DECIDED_FROM)
    return Eastern(encoding, evidence - max(next_best, 0.0) >= DECIDED_FROM)


def _readings(sample: bytes) -> Iterator[tuple[float, int, str]]:
    """Yield the evidence for each encoding in which a sample can be read, the number of its signs, and its name."""
    for encoding, evidence_of in _LANGUAGES:
        text = _strict(sample, encoding)
        signs = [c for c in text if not c.isascii()]
        if signs:
            yield sum(map(evidence_of, signs)) + _without_spaces(text, encoding), len(signs), encoding


def _strict(sample: bytes, encoding: str) -> str:
    """Return the text of a sample, whose last character may be cut; empty if it is none in that encoding."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(sample)
    except UnicodeError:
        return ""


@lru_cache(maxsize=8192)
def _row(sign: str, encoding: str) -> int:
    """Return the row of a character in a set of signs, from 1; 0 if it is in none of its rows."""
    try:
        code = sign.encode(encoding)
    except UnicodeError:
        return 0
    return code[0] - 0xA0 if len(code) == 2 and code[1] > 0xA0 else 0


def _mark(sign: str) -> float:
    return 0.5 if sign in _USUAL_MARKS else -0.5 if "\uff10" <= sign <= "\uff5a" else -2.0


def _simplified(sign: str) -> float:
    """Return the evidence in simplified Chinese: rows 16 to 55 of GB 2312 are its frequent characters."""
    if sign in _SIMPLIFIED:
        return 2.0
    if not "\u4e00" <= sign <= "\u9fff":
        return _mark(sign)
    row = _row(sign, "gb2312")
    return -0.3 if 16 <= row <= 55 else -3.0 if row else _OUT


def _traditional(sign: str) -> float:
    """Return the evidence in traditional Chinese: A440 to C67E of Big5 are its frequent characters."""
    if sign in _TRADITIONAL:
        return 2.0
    if not "\u4e00" <= sign <= "\u9fff":
        return _mark(sign)
    return -0.3 if b"\xa4\x40" <= sign.encode("big5", "ignore") <= b"\xc6\x7e" else -3.0


def _japanese(sign: str) -> float:
    """Return the evidence in Japanese: kana are half of a text; rows 16 to 47 of JIS X 0208 are its frequent kanji."""
    if "\u3041" <= sign <= "\u3093":
        return 3.0
    if "\u30a1" <= sign <= "\u30f6":
        return 2.5
    if sign in _KANJI:
        return 1.7
    if "\uff61" <= sign <= "\uff9f":
        return -3.0
    if not "\u4e00" <= sign <= "\u9fff":
        return _mark(sign)
    row = _row(sign, "euc_jp")
    return -0.3 if 16 <= row <= 47 else -3.0 if row else _OUT


def _korean(sign: str) -> float:
    """Return the evidence in Korean: of its syllables some hundred are most of a text, and hanja are rare."""
    if sign in _SYLLABLES:
        return 2.0
    if "\uac00" <= sign <= "\ud7a3":
        return -1.0 if _row(sign, "euc_kr") else _OUT
    if "\u4e00" <= sign <= "\u9fff":
        return -3.0
    return -1.0 if sign in _USUAL_MARKS else -2.0


_LANGUAGES: tuple[tuple[str, Callable[[str], float]], ...] = (
    ("gb18030", _simplified),
    ("cp950", _traditional),
    ("cp932", _japanese),
    ("euc_jp", _japanese),
    ("cp949", _korean),
)


def _without_spaces(text: str, encoding: str) -> float:
    """Return the evidence of spaces: Korean has them between its words, and never hanja within a word of hangul."""
    if encoding != "cp949":
        return 0.0
    mixed = sum(("\uac00" <= a <= "\ud7a3" and "\u4e00" <= b <= "\u9fff") for a, b in pairwise(text))
    return -2.0 * mixed
