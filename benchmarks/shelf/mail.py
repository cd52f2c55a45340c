# ruff: noqa: E501
"""Messages, mailboxes, calendars and cards of many years and programs."""

from __future__ import annotations

import base64
import quopri
from email.message import EmailMessage
from email.policy import SMTP

from benchmarks.everyday.case import EverydayFile
from benchmarks.mixed.case import zipped
from benchmarks.shelf.word import RTF


def _mail(subject: str) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Vera Lund <vera@x.example>", "board@x.example", subject
    mail["Date"], mail["Message-ID"] = "Mon, 10 Mar 2025 07:02:00 +0100", f"<{len(subject)}@x.example>"
    return mail


def _long_thread() -> bytes:
    """An answer above, a quote below with answers between its lines, a signature and a legal notice."""
    mail = _mail("Re: AW: Roof of the boat shed")
    mail.set_content(
        "Hi all,\n\nanswers below.\n\nAm 09.03.25 um 18:44 schrieb Tor Dahl:\n> Who pays for the roof?\n\nThe insurance pays 80 %.\n\n> When do we start?\n> Before or after Easter?\n\nAfter; the scaffold comes on 22 April.\n\n"
        "Best\nVera\n-- \nVera Lund | Treasurer | +47 55 12 34\n\n________________________________\nThis message is confidential. If you received it in error, delete it.\n\n-----Original Message-----\nFrom: Tor Dahl\nSent: 8 March 2025 09:00\nTo: Vera\nSubject: Roof of the boat shed\n\nThe felt has torn along the ridge.\n"
    )
    return mail.as_bytes(policy=SMTP)


def _outlook_page() -> bytes:
    page = "<html xmlns:o='urn:schemas-microsoft-com:office:office'><head><style>p.MsoNormal{margin:0} MAILSTYLE</style></head><body><div class=WordSection1><p class=MsoNormal>The order is confirmed:<o:p></o:p></p><table><tr><td><p class=MsoNormal>Rope, 12 mm<o:p></o:p></p></td><td><p class=MsoNormal>3 coils<o:p></o:p></p></td><td><p class=MsoNormal>94,50<o:p></o:p></p></td></tr><tr><td>Shackle</td><td>14</td><td>8</td></tr></table><ul type=disc><li class=MsoListParagraph>delivered on Tuesday<o:p></o:p></li></ul><div id=divRplyFwdMsg><b>From:</b> Ole<br><b>Sent:</b> Monday<br><b>Subject:</b> Rope<br></div><div><p>Please order three coils.</p></div></div><img src='https://t.example/open.gif' width=1 height=1 alt=''></body></html>"
    mail = _mail("RE: Rope")
    mail.set_content(page, subtype="html", cte="base64")
    return mail.as_bytes(policy=SMTP)


def _heads() -> bytes:
    """Encoded words in parts, a folded subject, a name in Latin-1, an attachment whose name is encoded and split."""
    subject = (
        "\r\n =?utf-8?B?"
        + base64.b64encode("Jahresabschluß ".encode()).decode()
        + "?=\r\n =?utf-8?Q?2024_=E2=80=93_Entwurf?="
    )
    inner = (
        base64.encodebytes("Posten;Betrag\r\nHeizöl;1.204,50\r\nStrom;88\r\n".encode("utf-8-sig"))
        .decode()
        .replace("\n", "\r\n")
    )
    text = (
        quopri.encodestring("Liebe Gäste,\nder Abschluß liegt bei; bitte bis zum 31. prüfen.\n".encode("iso-8859-1"))
        .decode()
        .replace("\n", "\r\n")
    )
    return (
        f'From: =?iso-8859-1?Q?J=F6rg_M=FCller?= <j@x.example>\r\nTo: b@x.example\r\nSubject:{subject}\r\nDate: 11 Mar 2025 12:00:00 GMT\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed;\r\n boundary="=_b 1"\r\n\r\nPREAMBLEWORD is ignored.\r\n--=_b 1\r\nContent-Type: text/plain; charset="iso-8859-1"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n{text}\r\n--=_b 1\r\nContent-Type: application/octet-stream; name*0*=utf-8\'\'Abschlu%C3%9F; name*1=" 2024.csv"\r\nContent-Disposition: attachment; filename*0*=utf-8\'\'Abschlu%C3%9F; filename*1=" 2024.csv"\r\nContent-Transfer-Encoding: base64\r\n\r\n{inner}\r\n--=_b 1--\r\nEPILOGUEWORD\r\n'
    ).encode()


def _attachments() -> bytes:
    mail = _mail("Papers for the meeting")
    mail.set_content("The papers are attached.")
    mail.add_attachment(RTF.encode(), maintype="application", subtype="rtf", filename="kennel.rtf")
    mail.add_attachment("# Agenda\n\n1. Opening\n2. Fence: 4.20 m\n", subtype="markdown", filename="agenda.md")
    mail.add_attachment('{"meter": "W-9", "reading": 400.01}', subtype="plain", filename="meter.json")
    mail.add_attachment(
        zipped({"inside/rope.txt": "The spare rope hangs in the loft.\n"}),
        maintype="application",
        subtype="zip",
        filename="more.zip",
    )
    mail.add_attachment(
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, maintype="application", subtype="msword", filename="old.doc"
    )
    mail.add_attachment(b"", maintype="text", subtype="plain", filename="empty.txt")
    return mail.as_bytes(policy=SMTP)


MAILBOX = (
    b"From vera@x.example Mon Mar 10 07:02:00 2025\nX-Mozilla-Status: 0001\nFrom: vera@x.example\nSubject: =?utf-8?q?B=C3=A5t?=\nMessage-ID: <m1@x>\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\nB\xc3\xa5ten ligger ved brygge 4.\n\n"
    b"From tor@x.example Tue Mar 11 07:02:00 2025\nFrom: tor@x.example\nSubject: Re: keys\nMessage-ID: <m2@x>\nContent-Type: multipart/mixed; boundary=zz\n\n--zz\nContent-Type: text/plain\n\nKeys are with the warden.\n--zz\nContent-Type: text/csv; name=keys.csv\nContent-Disposition: attachment; filename=keys.csv\n\nkey,hook\nshed,14\ngate,3\n--zz--\n\n"
    b"From MAILER-DAEMON Fri Jul  8 12:08:34 2011\nFrom: Mail System Internal Data <MAILER-DAEMON@x>\nSubject: DON'T DELETE THIS MESSAGE -- FOLDER INTERNAL DATA\nMessage-ID: <m3@x>\n\nThis text is part of the internal format.\n"
)
CALENDAR = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-WR-CALNAME:Boat club\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART;VALUE=DATE:20250501\r\nDTEND;VALUE=DATE:20250502\r\nSUMMARY;LANGUAGE=en:Launch day\r\nDESCRIPTION:Crane from 8 am.\\n\\nBring gloves\\; and a lunch\\, too.\r\nATTENDEE;CN="Tor Dahl";PARTSTAT=ACCEPTED:mailto:tor@x.example\r\nATTACH;ENCODING=BASE64;VALUE=BINARY:QkFTRTY0V09SRA==\r\nX-ALT-DESC;FMTTYPE=text/html:<b>ALTDESC</b>\r\nEND:VEVENT\r\nBEGIN:VTODO\r\nUID:2\r\nDUE:20250425T160000Z\r\nSUMMARY:Paint the hull\r\nSTATUS:NEEDS-ACTION\r\nEND:VTODO\r\nBEGIN:VJOURNAL\r\nUID:3\r\nDTSTART:20250411T101500\r\nDESCRIPTION:The slip was dredged to 2.5 m.\r\nEND:VJOURNAL\r\nEND:VCALENDAR\r\n'
CARD = 'BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg M=C3=BCller\nTEL;CELL:+49 170 55 01\nNOTE;ENCODING=QUOTED-PRINTABLE:Rings twice.=0D=0ANever=\n on Sundays.\nPHOTO;ENCODING=BASE64;JPEG:\n /9j/UEhPVE9XT1JE\n\nEND:VCARD\nBEGIN:VCARD\nVERSION:4.0\nFN:Harbour office\nitem1.ADR;LABEL="Pier 9\\nHorten":;;Pier 9;Horten;;3187;Norway\nitem1.X-ABLabel:office\nORG:Port;Northern basin\nTITLE:Watch\nBDAY:19850412\nURL:https://port.example\nEMAIL;TYPE=work:port@x.example\nEND:VCARD\n'


def messages() -> list[EverydayFile]:
    """Return messages, mailboxes, a calendar and cards."""
    return [
        EverydayFile("mail/roof.eml", _long_thread(), ("answers below.", "Who pays for the roof?", "The insurance pays 80 %.", "Before or after Easter?", "the scaffold comes on 22 April.", "The felt has torn along the ridge."), ("> When",), headings=("Re: AW: Roof of the boat shed",), order=("answers below", "Who pays", "The insurance", "When do we start", "the scaffold", "The felt")),
        EverydayFile("mail/rope.eml", _outlook_page(), ("The order is confirmed:", "Rope, 12 mm .. 3 coils .. 94,50", "Shackle .. 14 .. 8", "delivered on Tuesday", "Please order three coils."), ("MAILSTYLE", "94,50Shackle", "148", "o:p"), headings=("RE: Rope",), tables=("Shackle .. 14 .. 8",), order=("confirmed", "Shackle", "delivered", "Please order")),
        EverydayFile("mail/abschluss.eml", _heads(), ("der Abschluß liegt bei; bitte bis zum 31. prüfen.", "Heizöl .. 1.204,50", "Strom .. 88"), ("PREAMBLEWORD", "EPILOGUEWORD", "=DF"), headings=("Jahresabschluß 2024 – Entwurf",), or_warned=("Abschluß 2024.csv",)),
        EverydayFile("mail/papers.eml", _attachments(), ("The papers are attached.", "Dogs get 400 g of feed — puppies less.", "2. Fence: 4.20 m", "400.01"), warns=("old.doc",), or_warned=("The spare rope hangs in the loft.",), headings=("Agenda",)),
        EverydayFile("mail/club.mbox", MAILBOX, ("Båten ligger ved brygge 4.", "Keys are with the warden.", "shed .. 14", "gate .. 3"), ("X-Mozilla",)),
        EverydayFile("mail/club.ics", CALENDAR.encode(), ("Launch day", "Crane from 8 am.", "Bring gloves; and a lunch, too.", "Paint the hull", "The slip was dredged to 2.5 m.", "2025-05-01"), ("\\n", "BASE64", "QkFT", "VTODO", "ALTDESC</b>")),
        EverydayFile("mail/people.vcf", CARD.encode(), ("Jörg Müller", "+49 170 55 01", "Never on Sundays.", "Harbour office", "Watch", "Northern basin", "port@x.example", "3187"), ("=C3", "9j/UE", "VCARD", "=0D")),
    ]  # fmt: skip
