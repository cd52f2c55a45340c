# ruff: noqa: E501
"""Mail, mailboxes, archives, and files that are broken, locked, empty or under a wrong name."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from email.message import EmailMessage

from benchmarks.mixed.case import MixedFile, zipped

QUOTED = (
    b"From: Ann Low <ann@x.example>\nTo: desk@y.example\nSubject: =?utf-8?Q?Re=3A_K=C3=BChlraum_3?=\nDate: Tue, 6 May 2025 09:00:00 +0200\nMIME-Version: 1.0\nContent-Type: text/plain; charset=iso-8859-15\nContent-Transfer-Encoding: quoted-printable\n\n"
    b"The new seal costs 38 =A4 and fits the door of the cold=\n room.\n\nOn Mon, 5 May 2025, Bo wrote:\n> Which seal do we need?\n>> It leaks since Friday.\n\n-- \nAnn Low, stores\n"
)
MBOX = (
    b"From bo@x.example Mon May  5 10:00:00 2025\nFrom: bo@x.example\nSubject: Ramp\nMessage-ID: <r1@x>\n\nThe ramp is salted at five.\n>From there on it is safe.\n\n"
    b"From cy@x.example Mon May  5 11:00:00 2025\nFrom: cy@x.example\nSubject: Crane\nMessage-ID: <r2@x>\nContent-Type: text/html; charset=utf-8\n\n<p>The crane lifts <b>2.5&nbsp;t</b>.</p>\n"
)


def _rich() -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Eve <eve@x.example>", "all@x.example", "Stock of salt"
    mail["Date"], mail["Message-ID"] = "Wed, 07 May 2025 10:00:00 +0000", "<s1@x>"
    mail.set_content("The table is attached.\n\nSalt is kept in bunker 6.\n")
    mail.add_alternative(
        "<html><body><p>The table is attached.</p><p>Salt is kept in <b>bunker 6</b>.</p></body></html>", subtype="html"
    )
    mail.add_attachment(b"bunker;tonnes\n6;41\n7;9\n", maintype="text", subtype="csv", filename="Salz für Mai.csv")
    mail.add_attachment(
        b"BEGIN:VCALENDAR\nEND:VCALENDAR\n", maintype="text", subtype="calendar", filename="meeting.ics"
    )
    mail.add_attachment(b"\x00\x01binary", maintype="application", subtype="octet-stream", filename="tool.exe")
    return mail.as_bytes()


def _forwarded() -> bytes:
    inner = EmailMessage()
    inner["From"], inner["Subject"] = "gus@x.example", "Gauge 11"
    inner.set_content("Gauge 11 reads 0.3 too high.\n")
    outer = EmailMessage()
    outer["From"], outer["Subject"] = "hal@x.example", "Fwd: Gauge 11"
    outer.set_content("Please see below.\n")
    outer.add_attachment(inner)
    return outer.as_bytes()


def _html_only() -> bytes:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "ivy@x.example", "Rates"
    mail.set_content(
        "<html><body><table><tr><td>day</td><td>400.01</td><td>3</td></tr></table><div>Ask Ivy.</div><blockquote>Old: ask Otto.</blockquote></body></html>",
        subtype="html",
    )
    return mail.as_bytes()


def mails() -> list[MixedFile]:
    """Messages and mailboxes."""
    return [
        MixedFile(
            "mail/seal.eml",
            QUOTED,
            ("The new seal costs 38 € and fits the door of the cold room.", "Which seal do we need?", "Re: Kühlraum 3"),
            ("=A4", "=?utf"),
        ),
        MixedFile(
            "mail/salt.eml",
            _rich(),
            ("Salt is kept in bunker 6.", "6 .. 41"),
            (),
            False,
            ("tool.exe",),
        ),
        MixedFile("mail/forwarded.eml", _forwarded(), ("Please see below.", "Gauge 11 reads 0.3 too high.")),
        MixedFile("mail/html_only.eml", _html_only(), ("day .. 400.01 .. 3", "Ask Ivy."), ("400.013", "<td>")),
        MixedFile(
            "mail/wrong_charset.eml",
            "From: a@x.example\nSubject: Tor\nContent-Type: text/plain; charset=us-ascii\nContent-Transfer-Encoding: 8bit\n\nDas Tor schließt um zehn; der Schlüssel hängt im Büro.\n".encode(),
            ("Das Tor schließt um zehn; der Schlüssel hängt im Büro.",),
            ("�",),
        ),
        MixedFile(
            "mail/utf8_raw.eml",
            "From: a@x.example\nSubject: Größe des Zelts\n\nDas Zelt fasst 60 Gäste.\n".encode(),
            ("Das Zelt fasst 60 Gäste.", "Größe des Zelts"),
        ),
        MixedFile(
            "mail/yard.mbox",
            MBOX,
            ("The ramp is salted at five.", "From there on it is safe.", "The crane lifts 2.5 t."),
            (">From", "<b>"),
        ),
    ]


def _tar(parts: dict[str, bytes], mode: str = "w:gz") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in parts.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return out.getvalue()


def _locked_zip() -> bytes:
    """Return a ZIP of which one member says that it is encrypted."""
    content = bytearray(zipped({"open.txt": "The shed is never locked.\n", "shut.txt": "no matter what\n"}))
    with zipfile.ZipFile(io.BytesIO(bytes(content))) as archive:
        at = archive.getinfo("shut.txt").header_offset
    content[at + 6] |= 1
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def _old_names() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("Xrger.txt", "Der Aufzug klemmt im Winter.\n")
    return out.getvalue().replace(b"Xrger.txt", b"\x8erger.txt")


def archives() -> list[MixedFile]:
    """Archives."""
    inner = zipped({"deep/note.md": "# Cave\n\nThe cave is 90 m deep.\n", "t.csv": "a;b\nlamp;4\n"})
    return [
        MixedFile(
            "archives/two.zip",
            zipped(
                {
                    "inner.zip": inner,
                    "top.txt": "On top of all lies the map.\n",
                    "__MACOSX/._top.txt": b"\x00\x05",
                    "photo.xcf": b"gimp",
                }
            ),
            ("The cave is 90 m deep.", "lamp .. 4", "On top of all lies the map."),
        ),
        MixedFile(
            "archives/logs.tar.gz",
            _tar({"a/day.log": b"tank 4 is full\ntank 5 is empty\n", "./b.yml": b"pump: P-17\n"}),
            ("tank 5 is empty", "P-17"),
            ("root:",),
        ),
        MixedFile(
            "archives/plain.tar",
            _tar({"x.html": b"<p>The hull is tarred in March.</p>"}, "w"),
            ("The hull is tarred in March.",),
        ),
        MixedFile("archives/rates.csv.gz", gzip.compress(b"port;fee\nHull;12\nGoole;9\n", mtime=0), ("Goole .. 9",)),
        MixedFile("archives/locked_member.zip", _locked_zip(), ("The shed is never locked.",), ("no matter",), None),
        MixedFile("archives/old_names.zip", _old_names(), ("Der Aufzug klemmt im Winter.",)),
        MixedFile("archives/cut.zip", zipped({"a.txt": "never read " * 300})[:120], (), (), True),
        MixedFile("archives/cut.tar.gz", _tar({"a.txt": b"never read " * 3000})[:90], (), (), True),
        MixedFile(
            "archives/outside.zip",
            zipped({"../../evil.txt": "Outside of all folders.\n", "fine.txt": "Inside all is fine.\n"}),
            ("Inside all is fine.",),
            ("Outside of all",),
            None,
        ),
        MixedFile(
            "archives/bad_inside.zip",
            zipped(
                {
                    "broken.docx": b"PK\x03\x04rest",
                    "good.rst": "Good\n====\n\nGrain is dried at 40 degrees.\n",
                    "empty.txt": b"",
                }
            ),
            ("Grain is dried at 40 degrees.",),
            (),
            None,
        ),
    ]


def troubles() -> list[MixedFile]:
    """Empty, broken, locked files, and such under a wrong name."""
    ole = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + bytes(504)
        + "EncryptedPackage".encode("utf-16-le").ljust(512, b"\0")
        + bytes(1024)
    )
    return [
        MixedFile("trouble/zero.txt", b"", (), (), True),
        MixedFile("trouble/blank.md", b" \n\n\t\n", (), (), True),
        MixedFile("trouble/zero.pdf", b"", (), (), True),
        MixedFile("trouble/zero.csv", b"", (), (), True),
        MixedFile("trouble/zero.zip", b"", (), (), True),
        MixedFile("trouble/locked.docx", ole, (), (), True),
        MixedFile("trouble/locked.xlsx", ole, (), (), True),
        MixedFile("trouble/noise.pdf", bytes(range(256)) * 40, (), (), True),
        MixedFile("trouble/noise.txt", bytes((n * n + 7 * n) % 251 for n in range(6000)), (), (), True),
        MixedFile(
            "trouble/page.txt",
            b"<!DOCTYPE html><html><body><p>The weir opens at 3 m.</p></body></html>",
            ("The weir opens at 3 m.",),
            (),
            None,
        ),
        MixedFile("trouble/rows.json", b"n;m\nkey;4\n", (), (), None),
        MixedFile(
            "trouble/table.html",
            b"\xff\xfe" + "<p>The dam is 31 m high.</p>".encode("utf-16-le"),
            ("The dam is 31 m high.",),
        ),
        MixedFile("trouble/picture.docx", b"\x89PNG\r\n\x1a\n" + bytes(100), (), (), True),
        MixedFile(
            "trouble/name with spaces & ümlaut (1).md",
            b"# Odd name\n\nOdd names are read as well.\n",
            ("Odd names are read as well.",),
        ),
        MixedFile(
            "trouble/UPPER.TXT", b"Capitals in the ending do no harm.\n", ("Capitals in the ending do no harm.",)
        ),
        MixedFile(
            "trouble/nul.txt",
            b"A zero byte\x00stands in this line.\nThe next line is whole.\n",
            ("The next line is whole.",),
            ("\x00",),
            None,
        ),
        MixedFile("trouble/deep.json", b"[" * 3000 + b"1" + b"]" * 3000, (), (), True),
    ]
