"""Short texts without a declared encoding, in the encodings of older machines of East Asia and elsewhere."""

from __future__ import annotations

import pytest

from saidonce.documents.parse import parse
from saidonce.documents.parse.decode import decode

SHORT = {
    "gb18030": (
        "内锅不可以放入洗碗机清洗。", "闭馆时间", "请勿触摸展品", "押金50元", "钥匙在前台领取。",
        "洗衣房每天早上七点开门。", "电梯正在维修，请走楼梯。", "退房时间为中午12点", "垃圾请分类投放",
        "图书最多可借五本，借期三十天。", "禁止吸烟", "本店周一休息", "游泳馆入场必须戴泳帽",
        "发票请在三天内索取", "地址：北京市海淀区中关村大街27号", "WiFi密码写在房卡背面",
        "皮划艇租赁需要押金和头盔。", "型号：XH-200", "每人限购两张票，售完为止。", "小心地滑", "入口", "出口",
    ),
    "big5": (
        "鑰匙放在櫃檯。", "請勿觸摸展品", "閉館時間", "洗衣房每天早上七點開門。", "押金500元",
        "電梯維修中，請走樓梯。", "退房時間為中午12點", "禁止吸煙", "圖書最多可借五本，借期三十天。",
        "本店週一公休", "垃圾請分類", "小心地滑", "內鍋不可以放入洗碗機清洗。", "地址：臺北市中正區",
        "營業時間：9:00至17:00", "入口",
    ),
    "cp932": (
        "鍵は受付にあります。", "営業時間", "本日休業", "立入禁止", "展示品に触れないでください",
        "洗濯室は毎朝七時に開きます。", "チェックアウトは12時です", "ゴミは分別してください",
        "エレベーター点検中", "保証金5000円", "図書は五冊まで借りられます。", "足元注意",
    ),
    "euc_jp": (
        "鍵は受付にあります。", "展示品に触れないでください", "洗濯室は毎朝七時に開きます。",
        "チェックアウトは12時です", "ゴミは分別してください", "図書は五冊まで借りられます。",
        "エレベーター点検中", "保証金は5000円です",
    ),
    "cp949": (
        "열쇠는 안내 데스크에 있습니다.", "영업 시간", "출입 금지", "전시품을 만지지 마세요",
        "세탁실은 매일 아침 7시에 엽니다.", "체크아웃은 12시입니다", "쓰레기를 분리해 주세요",
        "엘리베이터 점검 중", "보증금 50000원", "책은 다섯 권까지 빌릴 수 있습니다.", "미끄럼 주의", "금연",
        "관리사무소",
    ),
    "cp1251": (
        "Ключи у вахтера.", "Закрыто на ремонт", "Не входить", "Осторожно, скользко", "Выход",
    ),
    "koi8-r": (
        "Ключи у вахтера.", "Закрыто на ремонт", "Не входить", "Осторожно, скользко",
        "Прачечная открыта с семи утра.",
    ),
    "cp1253": (
        "Τα κλειδιά είναι στη ρεσεψιόν.", "Κλειστό τη Δευτέρα", "Μην αγγίζετε τα εκθέματα",
        "Προσοχή, γλιστράει",
    ),
    "cp1252": (
        "Geöffnet ab 8 Uhr", "Die Tür ist außer Betrieb", "Fermé le dimanche", "Défense d'entrer côté cour",
    ),
    "cp1250": (
        "Proszę zamknąć drzwi", "Łazienka jest zajęta", "Klucze są w szafie", "Wyjście ewakuacyjne",
    ),
}  # fmt: skip
"""Texts of 2 to 40 characters by the encoding in which they were written."""


@pytest.mark.parametrize(
    ("encoding", "written"),
    [pytest.param(e, text, id=f"{e}: {text}") for e, texts in SHORT.items() for text in texts],
)
def test_a_short_text_is_read_as_it_was_written(encoding: str, written: str) -> None:
    assert decode(written.encode(encoding)).text == written


@pytest.mark.parametrize(
    ("encoding", "written", "note"),
    [
        ("gb18030", "内锅不可以放入洗碗机清洗。", "it is not UTF-8; read as gb18030"),
        ("cp949", "열쇠는 안내 데스크에 있습니다.", "it is not UTF-8; read as cp949"),
        ("gb18030", "标签", "; a guess from few characters"),
        ("cp1250", "nie mogę otworzyć", "; a guess from few characters"),
        ("cp1251", "Выход", "; a guess from few characters"),
        ("cp1252", "Geöffnet ab 8 Uhr", "it is not UTF-8; read as cp1252"),
    ],
)
def test_a_choice_that_the_characters_do_not_decide_is_noted_as_a_guess(encoding: str, written: str, note: str) -> None:
    (warning,) = parse("a.txt", written.encode(encoding)).warnings
    assert warning.endswith(note)


def test_hanja_within_words_of_hangul_are_no_korean() -> None:
    chinese = "内锅不可以放入洗碗机清洗。"
    assert "흙求公샙헌求" in chinese.encode("gb18030").decode("cp949")
    assert decode(chinese.encode("gb18030")).encoding == "gb18030"


def test_korean_with_hanja_in_brackets_stays_korean() -> None:
    written = "이 도서관(圖書館)은 월요일에 쉽니다."
    assert decode(written.encode("cp949")).text == written


def test_a_long_page_whose_first_characters_are_plain_is_read_by_those_that_are_not() -> None:
    written = "key: value\n" * 5000 + "钥匙在前台领取。"
    assert decode(written.encode("gb18030")).text == written
