"""A sentence or a heading in an alphabet other than the Latin one, in the encoding that Windows has for it."""

from __future__ import annotations

import pytest

from saidonce.documents.parse.decode import decode

READ = [
    ("cp1255", "דמי השכירות ישולמו עד החמישי בכל חודש."),
    ("cp1255", "אין להכניס בעלי חיים לבניין."),
    ("cp1255", "חדר הכביסה פתוח בין שבע בבוקר לתשע בערב, ובשבת הוא סגור."),
    ("cp1255", "שעות הפתיחה"),
    ("cp1255", "יש לפנות לאחראי הבית בכל תקלה. הטלפון שלו הוא 052-1234567."),
    ("cp1253", "Το ενοίκιο καταβάλλεται έως την πέμπτη ημέρα κάθε μήνα."),
    ("cp1253", "Το πλυντήριο είναι στο υπόγειο."),
    ("cp1253", "ΑΝΑΚΟΙΝΩΣΗ ΔΙΑΧΕΙΡΙΣΗΣ"),
    ("cp1254", "Kira her ayın beşine kadar ödenir."),
    ("cp1254", "Çamaşır odası sabah yediden akşam dokuza kadar açıktır; pazar günü kapalıdır."),
    ("cp1254", "Asansör çalışmıyor, lütfen yöneticiyi arayın. Teşekkürler."),
    ("cp874", "ค่าเช่าต้องชำระภายในวันที่ห้าของทุกเดือน"),
    ("cp874", "ห้ามนำสัตว์เลี้ยงเข้าอาคาร"),
    ("cp874", "ลิฟต์เสีย กรุณาใช้บันได"),
    ("cp1256", "يدفع الإيجار قبل اليوم الخامس من كل شهر."),
    ("cp1256", "غرفة الغسيل مفتوحة من السابعة صباحا حتى التاسعة مساء"),
    ("cp1256", "ساعات العمل"),
    ("cp1251", "Арендная плата вносится до пятого числа каждого месяца."),
    ("cp1251", "Лифт не работает"),
    ("cp1251", "Орендна плата вноситься до п'ятого числа кожного місяця."),
    ("cp1251", "Наемът се плаща до пето число на всеки месец."),
    ("koi8-r", "Прачечная закрыта по воскресеньям."),
    ("cp866", "Прачечная закрыта по воскресеньям."),
    ("mac-cyrillic", "Прачечная закрыта по воскресеньям."),
]


@pytest.mark.parametrize(("encoding", "written"), READ)
def test_a_short_text_is_read_in_its_alphabet(encoding: str, written: str) -> None:
    assert decode(written.encode(encoding)).text == written


@pytest.mark.parametrize(("encoding", "written"), [("cp1255", "לחם"), ("cp1251", "хлеб")])
def test_a_single_word_is_a_guess_and_is_marked_as_one(encoding: str, written: str) -> None:
    assert decode(written.encode(encoding)).is_doubtful


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        ("gb18030", "垃圾请在早上八点以前投放。"),
        ("cp932", "ごみは朝八時までに出してください。"),
        ("cp949", "쓰레기는 아침 여덟 시까지 내놓으십시오."),
    ],
)
def test_texts_of_east_asia_are_taken_for_none_of_them(encoding: str, written: str) -> None:
    assert decode(written.encode(encoding)).text == written
