"""Headings of plain text in scripts without capitals: numbered lines, and several short ones over prose."""

from __future__ import annotations

import pytest

from saidonce.documents.parse import parse
from saidonce.foundation.model import Kind

PROSE = {
    "ko": "연차는 사내 포털에서 신청하며, 팀장이 승인하면 확정됩니다.",
    "zh": "請將機器放在平坦堅固的地面上，並確認機身沒有傾斜。",
    "ja": "道具は、使ったあとに土を落として、小屋の棚へ戻します。",
    "ar": "تغلق البوابة كل مساء عند الساعة العاشرة، ولا تفتح قبل السادسة.",
    "he": "חדר הכביסה פתוח בכל יום משבע בבוקר עד תשע בערב.",
    "hi": "कपड़े धोने का कमरा रोज़ सुबह सात बजे खुलता है और रात नौ बजे बंद होता है।",
    "th": "ห้องซักผ้าเปิดทุกวันตั้งแต่เจ็ดโมงเช้าถึงสามทุ่ม",
}

HEADINGS = [
    ("ko", "3. 병가"),
    ("ko", "제2장 경조휴가"),
    ("ko", "제4조(휴직의 종류)"),
    ("ko", "가. 신청 방법"),
    ("zh", "一、安裝"),
    ("zh", "四、保固與服務"),
    ("zh", "第三章 清潔與保養"),
    ("zh", "（二）洗衣"),
    ("zh", "2. 洗衣"),
    ("ja", "第1条 目的"),
    ("ja", "２．水やり"),
    ("ja", "三、会費"),
    ("ar", "2. مواعيد الإغلاق"),
    ("ar", "٣. المفاتيح"),
    ("he", "1. חדר הכביסה"),
    ("hi", "2. कपड़े धोने का कमरा"),
    ("th", "3. ห้องซักผ้า"),
]

TEXTS = [
    ("ko", "3월 2일 월요일"),
    ("ko", "1. 팀장에게 먼저 전화로 알린 다음에 진단서를 포털에 올립니다"),
    ("zh", "三個月。"),
    ("zh", "一般衣物每次放入半杯洗衣精"),
    ("zh", "一、請先關閉水龍頭，再拔掉插頭。"),
    ("ja", "一度に三個まで"),
    ("ja", "二人以上のときは"),
    ("ar", "10 أيام"),
    ("he", "12 במרץ"),
]


def headings(text: str) -> list[str]:
    elements = parse("rules.txt", text.encode()).elements
    return [element.text for element in elements if element.kind is Kind.HEADING]


@pytest.mark.parametrize(("language", "line"), HEADINGS)
def test_a_short_numbered_line_over_a_paragraph_is_a_heading(language: str, line: str) -> None:
    text = f"{PROSE[language]}\n\n{line}\n\n{PROSE[language]} {PROSE[language]}"
    assert headings(text) == [line]


@pytest.mark.parametrize(("language", "line"), TEXTS)
def test_a_line_with_a_figure_in_front_or_a_sentence_is_text(language: str, line: str) -> None:
    assert headings(f"{PROSE[language]}\n\n{line}\n\n{PROSE[language]}") == []


@pytest.mark.parametrize("text", ["1. 사과\n\n2. 배\n\n3. 포도", "一、蘋果\n\n二、梨\n\n三、葡萄"])
def test_the_items_of_a_list_with_empty_lines_between_are_no_headings(text: str) -> None:
    assert headings(text) == []


def test_several_short_lines_over_prose_are_headings() -> None:
    assert headings(f"洗衣\n\n{PROSE['zh']}\n\n保養\n\n{PROSE['zh']}") == ["洗衣", "保養"]
