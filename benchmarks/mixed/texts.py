# ruff: noqa: E501
"""Plain text, logs, markup and tables of text."""

from __future__ import annotations

from benchmarks.mixed.case import MixedFile

LONG_LINE = " ".join(
    f"Locker {n} belongs to crew {n * 7 % 90} and opens with code {n * 37 + 1000}." for n in range(6000)
)


def plain() -> list[MixedFile]:
    """Text files in many encodings, with wrapped lines, lists and tables of letters."""
    return [
        MixedFile(
            "text/keys.txt",
            b"Keys of the north wing\n\nThe caretaker keeps two spare keys in the safe\nof the porter's lodge. Whoever takes one\n"
            b"signs the grey book.\n\nLost keys cost 85 euros each.\n",
            ("The caretaker keeps two spare keys in the safe of the porter's lodge.", "Lost keys cost 85 euros each."),
        ),
        MixedFile(
            "text/muell.txt",
            "Müllabfuhr\n\nDie gelben Säcke werden alle vierzehn Tage abgeholt. Größere Möbel holt der Hausmeister "
            "nach Anmeldung ab; das kostet 15 €.\n\nFür Gäste gilt „Ruhe nach 22 Uhr“.\n".encode("cp1252"),
            (
                "Größere Möbel holt der Hausmeister nach Anmeldung ab; das kostet 15 €.",
                "Für Gäste gilt „Ruhe nach 22 Uhr“.",
            ),
            ("�",),
        ),
        MixedFile(
            "text/utf16.txt",
            "Fire drill\r\n\r\nThe drill takes place on the second Monday of May.\r\nEverybody meets at the chestnut tree.\r\n".encode(
                "utf-16"
            ),
            ("The drill takes place on the second Monday of May.", "Everybody meets at the chestnut tree."),
        ),
        MixedFile(
            "text/utf16_no_mark.txt",
            "The night watch walks its round at 23:40 and at 04:15.\r\nA torch lies in the drawer.\r\n".encode(
                "utf-16-le"
            ),
            ("The night watch walks its round at 23:40 and at 04:15.",),
        ),
        MixedFile(
            "text/voda.txt",
            "Отключение воды\n\nВ пятницу вода будет отключена с девяти до двенадцати часов. Пожалуйста, запаситесь водой заранее.\n"
            "Слесарь работает в подвале дома номер семь.\n".encode("cp1251"),
            (
                "В пятницу вода будет отключена с девяти до двенадцати часов.",
                "Слесарь работает в подвале дома номер семь.",
            ),
        ),
        MixedFile(
            "text/gomi.txt",
            "ゴミの出し方\n\n燃えるゴミは火曜日と金曜日の朝八時までに出してください。古紙は第二水曜日に回収されます。\n".encode(
                "shift_jis"
            ),
            ("燃えるゴミは火曜日と金曜日の朝八時までに出してください。",),
        ),
        MixedFile(
            "text/lieferung.txt",
            "交货说明\n\n货物每周三上午由后门送达，签收人是仓库管理员。超过五百公斤的货物需要提前两天预约。\n".encode(
                "gb18030"
            ),
            ("超过五百公斤的货物需要提前两天预约。",),
        ),
        MixedFile(
            "text/hyphens.txt",
            b"Of the heating\n\nThe pressure of the plant is checked by the care-\ntaker every Monday. A well-known cause of losses is an air-\n"
            b"vent that is left open. Fill up at 1.2 bar.\n",
            ("The pressure of the plant is checked by the caretaker every Monday.", "Fill up at 1.2 bar."),
        ),
        MixedFile(
            "text/mac.txt",
            b"Parking\r\rVisitors park in row F.\rThe barrier opens with the code on the letter of invitation.\r",
            ("Visitors park in row F.", "The barrier opens with the code on the letter of invitation."),
        ),
        MixedFile(
            "text/one_line.txt",
            LONG_LINE.encode(),
            (
                "Locker 17 belongs to crew 29 and opens with code 1629.",
                "Locker 5999 belongs to crew 53 and opens with code 222963.",
            ),
        ),
        MixedFile(
            "text/invisible.txt",
            "\ufeffThe dis\u00adhwasher\u200b of the tea kitchen runs at 55\u00a0°C.\n\nDescale it every 3\u202fmonths.\n".encode(),
            ("The dishwasher of the tea kitchen runs at 55 °C.", "Descale it every 3 months."),
        ),
        MixedFile(
            "text/outline.txt",
            b"Opening the pool\n\n1. Pump out the rain water.\n   a) Use the green hose.\n   b) Lead it to the drain, not to the lawn.\n"
            b"2. Brush the tiles.\n10. Heat to 24 degrees.\n",
            ("b) Lead it to the drain, not to the lawn.", "10. Heat to 24 degrees."),
        ),
        MixedFile(
            "text/columns.txt",
            b"Rent of rooms (per day)\n\nroom        half day   full day\nAurora         120        210\nBorealis        95        160\nCirrus          40         75\n",
            ("Borealis .. 95 .. 160", "Cirrus .. 40 .. 75"),
            ("95160", "160 Cirrus"),
        ),
        MixedFile(
            "text/arabic.txt",
            "مواعيد المكتبة\n\nتفتح المكتبة أبوابها من الساعة التاسعة صباحا حتى الخامسة مساء. يمكن استعارة أربعة كتب لمدة ثلاثة أسابيع.\n".encode(),
            ("يمكن استعارة أربعة كتب لمدة ثلاثة أسابيع.",),
        ),
        MixedFile(
            "text/pages.txt",
            b"Minutes of the board\n\nThe roof of the barn is to be mended before\n\x0cwinter by the firm Halloran.\n\n\x0cThe next meeting is on 9 June.\n",
            ("The next meeting is on 9 June.",),
            ("\x0c",),
        ),
        MixedFile(
            "logs/pump.log",
            b"2025-02-03T04:05:06 WARN pump=2 pressure fell to 0.7 bar\n2025-02-03T04:05:09 ERROR pump=2 stopped\nTraceback (most recent call last):\n"
            b'  File "pump.py", line 40, in run\n    raise DryError(level)\nDryError: level 3\n2025-02-03T04:06:00 INFO pump=3 started\n',
            ("pump=2 pressure fell to 0.7 bar", "DryError: level 3", "pump=3 started"),
        ),
        MixedFile(
            "logs/ansi.log",
            b"\x1b[31merror\x1b[0m: valve 12 does not answer\n\x1b[32mok\x1b[0m: valve 13 answers\n",
            ("error: valve 12 does not answer", "ok: valve 13 answers"),
            ("[31m", "[0m"),
        ),
        MixedFile(
            "subtitles/tour.srt",
            b"1\n00:00:01,000 --> 00:00:05,500\n<i>Welcome to the power station.</i>\n\n2\n00:00:04,000 --> 00:00:07,000\n- Who is in charge here?\n- The shift leader.\n\n"
            b"3\n00:00:04,500 --> 00:00:06,000\n(siren)\n\n4\n00:01:10,000 --> 00:01:12,000\nThe turbine turns 3,000 times\na minute.\n",
            ("Welcome to the power station.", "Who is in charge here?", "The turbine turns 3,000 times a minute."),
            ("<i>", "-->"),
        ),
        MixedFile(
            "subtitles/film.srt",
            "1\r\n00:00:01,000 --> 00:00:03,000\r\nOù est la clé de l'ascenseur ?\r\n\r\n2\r\n00:00:03,000 --> 00:00:05,000\r\nElle est restée à la réception.\r\n".encode(
                "cp1252"
            ),
            ("Où est la clé de l'ascenseur ?", "Elle est restée à la réception."),
        ),
        MixedFile(
            "subtitles/talk.vtt",
            b"WEBVTT - safety talk\n\nSTYLE\n::cue { color: lime }\n\nNOTE checked by Ines\n\nintro\n00:01.000 --> 00:04.000 align:start\n<v Ines>Helmets are worn in hall 4.</v>\n\n"
            b"00:03.000 --> 00:06.000\n<v Paul>Ear protection as well, from 85&nbsp;dB &amp; up.</v>\n",
            ("Helmets are worn in hall 4.", "Ear protection as well, from 85 dB & up."),
            ("<v", "color: lime", "&amp;"),
        ),
    ]


def tables() -> list[MixedFile]:
    """Delimited tables."""
    return [
        MixedFile(
            "tables/preise.csv",
            "Artikel;Größe;Preis €\r\nSchlüssel;klein;12,50\r\nTürschild;groß;1.204,00\r\n".encode("cp1252"),
            ("Schlüssel .. klein .. 12,50", "Türschild .. groß .. 1.204,00"),
            ("�",),
        ),
        MixedFile(
            "tables/sep.csv",
            b"sep=;\r\nroom;seats;price\r\nOak;12;30,5\r\nElm;8;22,0\r\n",
            ("Oak .. 12 .. 30,5", "room .. seats .. price"),
            ("sep=",),
        ),
        MixedFile(
            "tables/export.tsv",
            "name\tcity\tphone\r\nJörg\tKöln\t0221 5550\r\nZoë\tLiège\t04 555 01\r\n".encode("utf-16"),
            ("Jörg .. Köln .. 0221 5550", "Zoë .. Liège .. 04 555 01"),
        ),
        MixedFile(
            "tables/zaiko.csv",
            "品名,数量,棚\r\nねじ,1200,三番\r\n座金,45,七番\r\n電球,300,一番\r\n蛍光灯の予備,18,二番\r\n".encode(
                "shift_jis"
            ),
            ("ねじ .. 1200 .. 三番", "蛍光灯の予備 .. 18 .. 二番"),
        ),
        MixedFile(
            "tables/quoted.csv",
            b'id,remark,sum\n1,"leaks, but only\nwhen it rains",40\n2,"said ""never again""",3\n3,,0\n',
            ("leaks, but only when it rains", 'said "never again" .. 3'),
            ('""',),
        ),
        MixedFile(
            "tables/short.csv",
            b"a,b,c\nalpha,1,2\nbeta,3\ngamma,4,5,6\n",
            ("alpha .. 1 .. 2", "beta .. 3", "gamma .. 4 .. 5 .. 6"),
            (),
            False,
            ("row",),
        ),
        MixedFile(
            "tables/pipes.csv",
            b"station|platform|minutes\nUpton|4|17\nDunmere|11|9\n",
            ("Upton .. 4 .. 17", "Dunmere .. 11 .. 9"),
        ),
        MixedFile(
            "tables/title.csv",
            b"Cost of the summer fair 2024;;\n;;\nitem;planned;spent\ntents;400;412\nmusic;900;850\n",
            ("tents .. 400 .. 412", "Cost of the summer fair 2024"),
        ),
        MixedFile(
            "tables/numbers.csv",
            b"meter,reading,date\n0042,000317,2025-01-31\n0043,1e5,2025-02-28\n",
            ("0042 .. 000317 .. 2025-01-31", "0043 .. 1e5"),
        ),
    ]


def code() -> list[MixedFile]:
    """Source code and files of settings."""
    return [
        MixedFile(
            "code/rates.py",
            b'"""Rates of the laundry."""\n\nRATE = 2.40  # euros a wash\n\n\ndef due(washes: int) -> float:\n    """Return what is due."""\n    if washes > 10:\n        return washes * RATE * 0.9\n    return washes * RATE\n',
            ("RATE = 2.40 # euros a wash", "return washes * RATE * 0.9"),
        ),
        MixedFile(
            "code/views.sql",
            b"-- rooms that are free\nCREATE VIEW free AS\n  SELECT id, seats FROM room WHERE NOT taken AND seats >= 6;\n",
            ("SELECT id, seats FROM room WHERE NOT taken AND seats >= 6;",),
        ),
        MixedFile(
            "code/deploy.sh",
            b"#!/bin/sh\n# restarts the door server\nset -eu\ncurl -fsS https://doors.example/reload?floor=3 || exit 4\n",
            ("curl -fsS https://doors.example/reload?floor=3 || exit 4",),
        ),
        MixedFile(
            "code/app.ini",
            b"[heating]\n; in degrees\nday = 21.5\nnight=17\n\n[mail]\nhost = mx.example\n",
            ("day = 21.5", "host = mx.example"),
        ),
        MixedFile(
            "code/latin.c",
            "/* Zähler für Türen */\nstatic int türen = 7;\nint alle(void) { return türen * 3; }\n".encode("cp1252"),
            ("Zähler für Türen", "return türen * 3;"),
        ),
    ]
