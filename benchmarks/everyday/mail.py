# ruff: noqa: E501
"""Messages as programs send them, calendars and cards."""

from __future__ import annotations

import base64
import quopri
from email.message import EmailMessage
from email.policy import SMTP

import openpyxl

from benchmarks.everyday.case import EverydayFile
from benchmarks.everyday.sheets import _saved as saved

INVITATION = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:REQUEST\r\nPRODID:-//x//y\r\nBEGIN:VTIMEZONE\r\nTZID:Europe/Oslo\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\nUID:7\r\nSUMMARY:Inspection of the lift\r\nDTSTART;TZID=Europe/Oslo:20250512T093000\r\nDTEND;TZID=Europe/Oslo:20250512T110000\r\nLOCATION:Tower B\\, ground floor\r\nDESCRIPTION:The lift stands still for ninety minutes.\\nUse the stairs in\r\n  tower A.\r\nRRULE:FREQ=YEARLY\r\nBEGIN:VALARM\r\nDESCRIPTION:Reminder\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
CARDS = "BEGIN:VCARD\r\nVERSION:3.0\r\nN:Okafor;Ngozi;;Dr.;\r\nFN:Dr. Ngozi Okafor\r\nORG:Harbour clinic\r\nTEL;TYPE=WORK:+47 22 00 11 22\r\nADR;TYPE=WORK:;;Quay 5;Horten;;3187;Norway\r\nNOTE:Closed on Wednesdays\\; ring the bell.\r\nEND:VCARD\r\n"


def _mail(subject: str, **heads: str) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Siri <siri@x.example>", "all@x.example", subject
    mail["Date"] = "Wed, 05 Mar 2025 08:15:00 +0100"
    for name, value in heads.items():
        mail[name] = value
    return mail


def _invited() -> bytes:
    mail = _mail("Invitation: Inspection of the lift")
    mail.set_content("Please note the inspection.")
    mail.add_alternative("<p>Please note the <b>inspection</b>.</p>", subtype="html")
    mail.add_alternative(INVITATION, subtype="calendar", params={"method": "REQUEST"})
    return mail.as_bytes(policy=SMTP)


def _twice_forwarded() -> bytes:
    first, second, third = _mail("Broken pane"), _mail("Fwd: Broken pane"), _mail("Fwd: Fwd: Broken pane")
    first.set_content("The pane on the third floor is cracked.\nThe glazier wants 340 euros.")
    second.set_content("Please decide.")
    second.add_attachment(first)
    third.set_content(
        "Decided: repair it.\n\n---------- Forwarded message ---------\nFrom: Ole\nSubject: Offer\n\nThe second offer is 295 euros.\n"
    )
    third.add_attachment(second)
    return third.as_bytes(policy=SMTP)


def _newsletter() -> bytes:
    """A page with tables for layout, an inline picture, a hidden preview and a tracking pixel."""
    page = '<html><body><div style="display:none;max-height:0">PREVIEWWORD</div><table role="presentation" width="600"><tr><td><img src="cid:logo" alt="Logo"></td></tr><tr><td><h2>Spring cleaning</h2><p>Carpets are collected on <b>12&nbsp;April</b>=</p></td></tr><tr><td><table><tr><td>rug</td><td>14,00</td></tr><tr><td>runner</td><td>3</td></tr></table></td></tr></table><img width=1 height=1 src="https://t.example/p.gif"></body></html>'.replace(
        "=</p>", ".</p>"
    )
    mail = _mail("Spring cleaning")
    mail.set_content(page, subtype="html", cte="quoted-printable")
    mail.add_related(
        b"GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02", "image", "gif", cid="<logo>"
    )
    return mail.as_bytes(policy=SMTP)


def _with_book() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(("meter", "reading"))
    sheet.append(("W-12", 400.01))
    mail = _mail("Readings")
    mail.set_content("Hei,\n\nher er målingene.\n\nHilsen Siri\n", charset="iso-8859-1")
    mail.add_attachment(
        saved(book),
        maintype="application",
        subtype="vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        filename="målinger.xlsx",
    )
    mail.add_attachment(
        "Meter W-13 is behind the boiler.".encode("utf-16"), maintype="text", subtype="plain", filename="note.txt"
    )
    return mail.as_bytes(policy=SMTP)


def _raw(head: str, body: bytes) -> bytes:
    return f"From: a@x.example\r\nTo: b@x.example\r\nMIME-Version: 1.0\r\n{head}\r\n\r\n".encode() + body


REPLY = "Agreed, we paint the fence green.\n\nVon: Ute Kern <ute@x.example>\nGesendet: Montag, 3. März 2025 10:12\nAn: Siri\nBetreff: Zaun\n\nShall the fence be green or brown?\n\nMit freundlichen Grüßen\nUte Kern\n"
DIGEST = "\r\n--d\r\n\r\nFrom: u@x.example\r\nSubject: Re: moss\r\n\r\nMoss dies under lime.\r\n--d\r\n\r\nFrom: v@x.example\r\nSubject: hoses\r\n\r\nHoses crack below minus ten.\r\n--d--\r\n"


def messages() -> list[EverydayFile]:
    """Return messages, a calendar and cards."""
    hebrew = "השער ננעל בשעה 23:00."
    return [
        EverydayFile("mail/invitation.eml", _invited(), ("Please note the inspection.",), ("BEGIN:VEVENT", "PRODID"), or_warned=("The lift stands still for ninety minutes.",), headings=("Invitation: Inspection of the lift",)),
        EverydayFile("mail/pane.eml", _twice_forwarded(), ("Decided: repair it.", "The second offer is 295 euros.", "Please decide.", "The glazier wants 340 euros."), order=("Decided: repair it.", "The second offer", "Please decide.", "The glazier")),
        EverydayFile("mail/carpets.eml", _newsletter(), ("Carpets are collected on 12 April.", "rug .. 14,00", "runner .. 3"), ("=3D", "14,003"), headings=("Spring cleaning",)),
        EverydayFile("mail/readings.eml", _with_book(), ("her er målingene.", "W-12 .. 400.01", "Meter W-13 is behind the boiler.")),
        EverydayFile("mail/fence.eml", _raw("Subject: =?utf-8?Q?Zaun_=E2=80=93_Farbe?=\r\nContent-Type: text/plain; charset=windows-1252\r\nContent-Transfer-Encoding: quoted-printable", quopri.encodestring(REPLY.encode("cp1252"))), ("Agreed, we paint the fence green.", "Shall the fence be green or brown?"), ("=FC", "GrÃ"), headings=("Zaun – Farbe",)),
        EverydayFile("mail/gate_he.eml", _raw("Subject: =?iso-8859-8?B?" + base64.b64encode("שער".encode("iso-8859-8")).decode() + "?=\r\nContent-Type: text/plain; charset=iso-8859-8-i\r\nContent-Transfer-Encoding: base64", base64.encodebytes(hebrew.encode("iso-8859-8"))), (hebrew,)),
        EverydayFile("mail/cn18030.eml", _raw("Subject: notice\r\nContent-Type: text/html; charset=gb18030\r\nContent-Transfer-Encoding: base64", base64.encodebytes("<p>电梯将于五月十二日停运。</p>".encode("gb18030"))), ("电梯将于五月十二日停运。",)),
        EverydayFile("mail/utf7.eml", _raw("Subject: old\r\nContent-Type: text/plain; charset=utf-7", "Die Tür schließt um 18 Uhr.".encode("utf-7")), ("Die Tür schließt um 18 Uhr.",), ("+AP",)),
        EverydayFile("mail/digest.eml", _raw("Subject: Digest 7\r\nContent-Type: multipart/digest; boundary=d", DIGEST.encode()), ("Moss dies under lime.", "Hoses crack below minus ten."), order=("Moss dies", "Hoses crack")),
        EverydayFile("mail/lift.ics", INVITATION.encode(), ("Inspection of the lift", "Tower B, ground floor", "Use the stairs in tower A.", "09:30"), ("\\n", "VEVENT", "in  tower", "VTIMEZONE")),
        EverydayFile("mail/clinic.vcf", CARDS.encode(), ("Dr. Ngozi Okafor", "Harbour clinic", "+47 22 00 11 22", "Closed on Wednesdays; ring the bell.", "Quay 5"), ("VCARD", "\\;")),
    ]  # fmt: skip
