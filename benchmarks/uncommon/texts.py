# ruff: noqa: E501
"""Plain text in many encodings and shapes, logs, delimited tables."""

from __future__ import annotations

import gzip

from benchmarks.uncommon.case import UncommonFile

JAPANESE = "図書館からのお知らせ\n\n返却ポストは夜間も利用できます。雑誌は二週間、視聴覚資料は一週間借りられます。\n予約した本の取り置き期限は七日です。\n"
CHINESE = "游泳馆通知\n\n儿童池每周一上午换水，成人池照常开放。更衣柜的押金为二十元，退柜时退还。\n"
TAIWANESE = "管理室公告\n\n資源回收車每週四傍晚抵達，請勿提前將垃圾置於騎樓。\n"
UKRAINIAN = "Оголошення гуртожитку\n\nПральня працює щодня з сьомої ранку. Їдальня зачинена у неділю, але чайники стоять на кожному поверсі.\n"
BULGARIAN = (
    "Съобщение за входа\n\nАсансьорът се проверява всеки вторник. Ключът за мазето се пази при домоуправителя.\n"
)
HEBREW = "הודעה לדיירים\n\nמפתח המחסן נמצא אצל השוער. המעלית תושבת ביום שלישי לצורך בדיקה.\n"
ARABIC = "إعلان للسكان\n\nيغلق المسبح يوم الأحد للتنظيف. تسلم المفاتيح في مكتب الاستقبال قبل الساعة الثامنة.\n"
TURKISH = "Duyuru\n\nÇamaşırhane şubat ayında kapalıdır. Görevli, anahtarı öğleden sonra geri ister.\n"
POLISH = (
    "Ogłoszenie\n\nPrzegląd gaśnic odbędzie się w środę. Proszę nie zastawiać wyjść ewakuacyjnych żadnymi skrzyniami.\n"
)
CZECH = "Oznámení\n\nVýtah bude příští čtvrtek mimo provoz. Klíče od sušárny jsou u paní domovnice.\n"
FRENCH = (
    "Note aux choristes\n\nLa répétition générale aura lieu à l'église Saint-Élie. Où est passée la clé de l'orgue ?\n"
)
FINNISH = "Taloyhtiön tiedote\n\nVäestönsuojan päivän hinta on 12 €. Pyörävarasto siivotaan žurnaalin mukaan.\n"


def encodings() -> list[UncommonFile]:
    """Return notices in encodings that nothing declares."""
    smart = "Minutes of the allotment club\r\n\r\n“Nobody waters after noon,” said the warden – and that’s final…\r\nThe shed costs €7,50 a month; tools aren’t included.\r\n"
    dos = "┌──────────┬─────────┐\r\n│ Gerät    │ Gebühr  │\r\n├──────────┼─────────┤\r\n│ Säge     │  400,01 │\r\n│ Bürste   │   3     │\r\n└──────────┴─────────┘\r\nDie Schlüssel hängen über der Tür.\r\n"
    return [
        UncommonFile("encoded/minutes_cp1252.txt", smart.encode("cp1252"), ("“Nobody waters after noon,” said the warden – and that’s final…", "The shed costs €7,50 a month; tools aren’t included.")),
        UncommonFile("encoded/library_sjis.txt", JAPANESE.encode("shift_jis"), ("返却ポストは夜間も利用できます。", "予約した本の取り置き期限は七日です。")),
        UncommonFile("encoded/library_eucjp.txt", JAPANESE.encode("euc_jp"), ("返却ポストは夜間も利用できます。", "予約した本の取り置き期限は七日です。")),
        UncommonFile("encoded/library_jis.txt", JAPANESE.encode("iso2022_jp"), ("返却ポストは夜間も利用できます。",), ("$B",)),
        UncommonFile("encoded/pool_gb18030.txt", CHINESE.encode("gb18030"), ("儿童池每周一上午换水，成人池照常开放。", "更衣柜的押金为二十元，退柜时退还。")),
        UncommonFile("encoded/office_big5.txt", TAIWANESE.encode("big5"), ("資源回收車每週四傍晚抵達，請勿提前將垃圾置於騎樓。",)),
        UncommonFile("encoded/dormitory_koi8u.txt", UKRAINIAN.encode("koi8_u"), ("Пральня працює щодня з сьомої ранку.", "чайники стоять на кожному поверсі.")),
        UncommonFile("encoded/entrance_cp1251.txt", BULGARIAN.encode("cp1251"), ("Асансьорът се проверява всеки вторник.", "Ключът за мазето се пази при домоуправителя.")),
        UncommonFile("encoded/entrance_cp866.txt", "Лифт не работает до среды. Ключ от подвала у вахтёра, телефон на двери.\r\n".encode("cp866"), ("Ключ от подвала у вахтёра, телефон на двери.",)),
        UncommonFile("encoded/tenants_cp1255.txt", HEBREW.encode("cp1255"), ("מפתח המחסן נמצא אצל השוער.", "המעלית תושבת ביום שלישי לצורך בדיקה.")),
        UncommonFile("encoded/tenants_cp1256.txt", ARABIC.encode("cp1256"), ("يغلق المسبح يوم الأحد للتنظيف.",)),
        UncommonFile("encoded/notice_cp1254.txt", TURKISH.encode("cp1254"), ("Çamaşırhane şubat ayında kapalıdır.",)),
        UncommonFile("encoded/notice_cp1250.txt", POLISH.encode("cp1250"), ("Przegląd gaśnic odbędzie się w środę.", "Proszę nie zastawiać wyjść ewakuacyjnych żadnymi skrzyniami.")),
        UncommonFile("encoded/notice_latin2.txt", CZECH.encode("iso8859_2"), ("Výtah bude příští čtvrtek mimo provoz.", "Klíče od sušárny jsou u paní domovnice.")),
        UncommonFile("encoded/choir_mac.txt", FRENCH.replace("\n", "\r").encode("mac_roman"), ("La répétition générale aura lieu à l'église Saint-Élie.",)),
        UncommonFile("encoded/house_latin9.txt", FINNISH.encode("iso8859_15"), ("Väestönsuojan päivän hinta on 12",)),
        UncommonFile("encoded/fees_cp437.txt", dos.encode("cp437"), ("Säge .. 400,01", "Bürste .. 3", "Die Schlüssel hängen über der Tür."), ("400,013",)),
        UncommonFile("encoded/plain_utf16le.txt", "The choir meets in the crypt.\r\nBring a torch and the blue folder.\r\n".encode("utf-16-le"), ("Bring a torch and the blue folder.",), ("\x00",)),
        UncommonFile("encoded/cards_utf16.vcf", "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Åse Nørgård\r\nTITLE:Organist\r\nEND:VCARD\r\n".encode("utf-16"), ("Åse Nørgård", "Organist")),
        UncommonFile("encoded/soft.txt", "Die Donau\u00addampf\u00adschiff\u00adfahrt beginnt im April. Bitte\u00a0nehmen Sie die hintere Brücke.\u2028Der Kiosk öffnet um\u202fneun.\n".encode(), ("Die Donaudampfschifffahrt beginnt im April.", "Der Kiosk öffnet um"), ("\u00ad",)),
    ]  # fmt: skip


RFC = """



Kettle Working Group                                           M. Arvid
Request for Views: 77                                     Teapot Society
                                                              April 2025

                     The Boiling of Shared Kettles

Abstract

   This memo describes how a shared kettle is boiled.  A kettle that is
   not descaled MUST NOT be used for more than six brews.

1.  Introduction

   Every floor has a kettle.  The person who empties it refills it to
   the lower mark before the next brew begins, and whoever finds it dry



Arvid                         Informational                     [Page 1]
\f
RFV 77                     Shared Kettles                     April 2025


   reports the matter to the steward of the floor.

1.1.  Terms

   The words below have these meanings:

   brew:  one boiling of a kettle, however full it is.

   steward:  the person who keeps the descaler; on the third floor this
      is the librarian.

2.  Header of a Kettle

    0                   1
    0 1 2 3 4 5 6 7 8 9 0 1
   +-+-+-+-+-+-+-+-+-+-+-+-+
   |  Level  |  Heat  | Lid|
   +-+-+-+-+-+-+-+-+-+-+-+-+

   The lid is closed while the heat is on.



Arvid                         Informational                     [Page 2]
"""
THREAD = """[12.03.24, 19:02:11] Nadia: The barbecue is moved to the orchard
[12.03.24, 19:02:40] Olli: Who brings charcoal?
I can only carry one bag.
[12.03.24, 19:03:05] Nadia: <Media omitted>
[12.03.24, 19:04:59] Olli: Then meet at half past six, not at seven.
"""
BRACED = """SECTION 4 - STORAGE OF COSTUMES

(a)  Velvet is hung, never folded;
(b)  hats are kept
       (i)   in round boxes, and
       (ii)  away from the radiator;
(c)  wigs are combed before they are returned.

Article 5.  No person may remove a costume from the building without
            the signature of the wardrobe mistress.

    *   *   *

Signed on 4 June 2024.
"""
INDENTED = """    To the parish council,

    the undersigned ask that the footbridge be closed to carts.  Its planks
    were laid in 1954 and have not been renewed since.

    We remain, in hope of an early reply,

        the residents of Mill Lane
"""
PASTED = """From: Ruth Amsel
Sent: Monday, 3 February 2025 08:14
To: Housing
Subject: RE: Key of the loft

The loft key is with the chimney sweep until Friday.

> On Sunday Piet wrote:
> Where is the key of the loft? The aerial fitter
> comes on Wednesday at ten.
>> It used to hang in the meter room.
"""


def shapes() -> list[UncommonFile]:
    """Return plain texts of unusual layout."""
    return [
        UncommonFile("plain/kettles.txt", RFC.encode(), ("A kettle that is not descaled MUST NOT be used for more than six brews.", "and whoever finds it dry reports the matter to the steward of the floor.", "steward: the person who keeps the descaler; on the third floor this is the librarian.", "The lid is closed while the heat is on."), ("\f",), prose=("A kettle that is not descaled MUST NOT be used for more than six brews.", "The lid is closed while the heat is on.")),
        UncommonFile("plain/chat.txt", THREAD.encode(), ("Nadia: The barbecue is moved to the orchard", "I can only carry one bag.", "Then meet at half past six, not at seven."), ("orchard[",)),
        UncommonFile("plain/costumes.txt", BRACED.encode(), ("Velvet is hung, never folded;", "away from the radiator;", "wigs are combed before they are returned.", "No person may remove a costume from the building without the signature of the wardrobe mistress."), prose=("away from the radiator;", "No person may remove a costume from the building without the signature of the wardrobe mistress.")),
        UncommonFile("plain/petition.txt", INDENTED.encode(), ("the undersigned ask that the footbridge be closed to carts.", "Its planks were laid in 1954 and have not been renewed since."), prose=("Its planks were laid in 1954 and have not been renewed since.", "the residents of Mill Lane")),
        UncommonFile("plain/pasted.txt", PASTED.encode(), ("The loft key is with the chimney sweep until Friday.", "The aerial fitter comes on Wednesday at ten.", "It used to hang in the meter room.")),
        UncommonFile("plain/bidi.txt", "הנחיות\n\nמספר הטלפון של השוער הוא \u200e03-5550147\u200f והוא זמין עד עשר.\nApartment \u202b12 ב\u202c is painted first.\n".encode(), ("03-5550147", "is painted first.")),
        UncommonFile("plain/numbers.txt", b"Stock on 1 May\n\n1. 12 ropes\n2. 7 pulleys\n10. 3 anchors\n\nTotal: 22 items; value 1 204,50 EUR (net), 5'600.- CHF, $3.20/kg, 1/2 dozen, 10^-6 m, 5:30 pm, v2.10.0.\n", ("10. 3 anchors", "5'600.- CHF", "10^-6 m", "v2.10.0")),
        UncommonFile("plain/blank_between.txt", b"The pump\n\nis primed\n\nby hand.\n\nIt takes two people.\n", ("It takes two people.",)),
        UncommonFile("plain/thousand_lines.txt", "\n\n".join(f"Entry {n}: locker {n * 3} was opened by guard {n % 17} at gate {n % 5}." for n in range(1200)).encode(), ("Entry 1199: locker 3597 was opened by guard 9 at gate 4.", "Entry 600: locker 1800 was opened by guard 5 at gate 0.")),
        UncommonFile("logs/service.log", b"2025-03-01 02:00:00,123 ERROR [boiler-2] burner.Ctrl - ignition failed after 3 tries\nTraceback (most recent call last):\n  File \"/srv/burner.py\", line 88, in ignite\n    raise FlameOut(code=17)\nburner.FlameOut: no flame at nozzle 4\n2025-03-01 02:00:05,001 INFO  [boiler-2] burner.Ctrl - retry in 300 s\n", ("ignition failed after 3 tries", "burner.FlameOut: no flame at nozzle 4", "retry in 300 s"), ("tries Traceback",)),
        UncommonFile("logs/web.log.gz", gzip.compress(b'10.0.0.7 - - [01/Mar/2025:02:00:00 +0000] "GET /menu?day=wed HTTP/1.1" 200 5120\n10.0.0.8 - - [01/Mar/2025:02:00:01 +0000] "POST /order HTTP/1.1" 503 77\n', mtime=0), ("POST /order HTTP/1.1",)),
        UncommonFile("logs/colours.log", b"\x1b[32mINFO\x1b[0m  sauna at \x1b[1m81\x1b[0m degrees\n\x1b]0;title\x07\x1b[31;1mWARN\x1b[0m  door left open\n", ("sauna at 81 degrees", "door left open"), ("\x1b", "[0m")),
    ]  # fmt: skip


def tables() -> list[UncommonFile]:
    """Return delimited tables."""
    titled = "Harbour dues 2025;;;\r\nas of 1 May;;;\r\n;;;\r\nVessel;Length m;Dues CHF;Paid\r\nMöwe;12,5;1'204.50;ja\r\nSchwan;9;88.-;nein\r\n;;;\r\nSum;;1'292.50;\r\nMöwe pays in two rates.;;;\r\n"
    survey = 'id;Was hat Ihnen gefallen?;Was fehlt?\r\n1;"Der Chor sang ohne Noten, das war eindrucksvoll.\r\nAuch die Pause war lang genug.";"Sitzkissen"\r\n2;"Nichts; wirklich ""gar"" nichts.";"Heizung, Licht"\r\n'
    two = b"berth,boat\n1,Gull\n2,Tern\n\nharbour,depth,tide\nNorth,3.5,0.8\nSouth,12,4.1\n"
    return [
        UncommonFile("tables/dues.csv", titled.encode("cp1252"), ("Möwe .. 12,5 .. 1'204.50 .. ja", "Schwan .. 9 .. 88.-", "Möwe pays in two rates.", "Harbour dues 2025"), ("12,51",)),
        UncommonFile("tables/survey.csv", survey.encode("cp1252"), ("Auch die Pause war lang genug.", 'Nichts; wirklich "gar" nichts. .. Heizung, Licht')),
        UncommonFile("tables/excel_unicode.csv", "Name\tOrt\tBetrag\r\nŁucja\tŁódź\t1.204,50\r\nÑandú\tLeón\t7\r\n".encode("utf-16"), ("Łucja .. Łódź .. 1.204,50", "Ñandú .. León .. 7")),
        UncommonFile("tables/pipes.csv", b"code|meaning|since\n007|leak|2019\n012|no heat|2021\n", ("007 .. leak .. 2019", "012 .. no heat .. 2021")),
        UncommonFile("tables/sjis.csv", "品名,単価,数量\r\n毛布,1200,3\r\n電球,400,15\r\n".encode("shift_jis"), ("毛布 .. 1200 .. 3", "電球 .. 400 .. 15")),
        UncommonFile("tables/dump.tsv", b"id\tname\tnote\n1\tWren\t\\N\n2\tRook\tline one\\nline two\n00071\tKite\t4.20\n", ("00071 .. Kite .. 4.20", "Rook")),
        UncommonFile("tables/two_tables.csv", two, ("2 .. Tern", "South .. 12 .. 4.1", "North .. 3.5 .. 0.8"), ("124.1",)),
        UncommonFile("tables/no_header.csv", b"2025-01-01,17.5,0\n2025-01-02,18.25,1\n2025-01-03,16,0\n", ("2025-01-01 .. 17.5 .. 0", "2025-01-02 .. 18.25 .. 1")),
        UncommonFile("tables/escaped.csv", b'name,remark\n"Ada","says \\"no\\", twice"\n"Bob","C:\\temp, then D:"\n', ("C:\\temp, then D:",), (), False),
        UncommonFile("tables/single_quotes.csv", b"'nr';'task'\n'1';'oil the hinge; both sides'\n'2';'paint it'\n", ("oil the hinge; both sides", "paint it")),
        UncommonFile("tables/cyrillic.csv", "Фамилия;Квартира;Долг\nЩукина;12;1450,50\nЁлкин;7;0\n".encode("cp1251"), ("Щукина .. 12 .. 1450,50", "Ёлкин .. 7 .. 0")),
        UncommonFile("tables/long_cells.csv", ("nr,answer\n7,\"" + " ".join(f"Paragraph {n} says that hall {n} is swept on day {n}." for n in range(60)) + '"\n').encode(), ("Paragraph 59 says that hall 59 is swept on day 59.", "Paragraph 0 says that hall 0 is swept on day 0.")),
        UncommonFile("tables/trailing.csv", b"a,b,c,,,,\n1,2,3,,,,\nx\x00y,5,6,,,,\n", ("1 .. 2 .. 3", "5 .. 6"), ("\x00",), None),
        UncommonFile("tables/mac_lines.csv", b"room,seats\rHall,400\rAttic,3\r", ("Hall .. 400", "Attic .. 3"), ("4003",)),
    ]  # fmt: skip
