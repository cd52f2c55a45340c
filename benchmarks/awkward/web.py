# ruff: noqa: E501
"""Pages of the web, saved and broken ones, and messages."""

from __future__ import annotations

import base64
import io
from email.message import EmailMessage
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

from benchmarks.awkward.case import AwkwardFile
from benchmarks.mixed.case import zipped


def pages() -> list[AwkwardFile]:
    """HTML."""
    span = "<table><caption>Table 2: Watch of the pilots</caption><thead><tr><th rowspan=2>month<th colspan=2>hours</tr><tr><th>day<th>night</tr></thead><tfoot><tr><td>sum<td>400.01<td>3</tr></tfoot><tbody><tr><td>May<td>88<td>14</tr><tr><td rowspan=2>June<td>90<td>15</tr><tr><td>91<td>16</tr></tbody></table>"
    layout = "<table><tr><td><h2>Menu</h2><p>Pea soup is served on Thursdays.</p></td><td><p>Bread is baked on the premises.</p><table><tr><td>soup</td><td>7.50</td></tr><tr><td>roll</td><td>0.90</td></tr></table></td></tr></table>"
    outlook = "<html xmlns:o='urn:schemas-microsoft-com:office:office'><head><!--[if gte mso 9]><xml><o:x>MSOXML</o:x></xml><![endif]--><style>p.MsoNormal{margin:0}</style></head><body><p class=MsoNormal><span style='mso-list:Ignore'>1.<span>&nbsp;&nbsp;</span></span>Empty the trap.<o:p></o:p></p><p class=MsoNormal>Reset the <![if !supportLists]>counter<![endif]> to zero.</p></body></html>"
    ld = '<html><head><title>Ferry Aurora</title><script type="application/ld+json">{"@type":"FAQPage","mainEntity":[{"@type":"Question","name":"x"}]}</script><meta name=description content="d"></head><body><main><h1>Ferry Aurora</h1><p>Bicycles travel free on the lower deck.</p></main><noscript><p>Without scripts: timetables hang at the pier.</p></noscript></body></html>'
    return [
        AwkwardFile("html/spans.html", span.encode(), ("Table 2: Watch of the pilots", "sum .. 400.01 .. 3", "May .. 88 .. 14", "June .. 90 .. 15", "June .. 91 .. 16"), ("400.013", "8814", "1416")),
        AwkwardFile("html/layout_table.html", layout.encode(), ("Pea soup is served on Thursdays.", "Bread is baked on the premises.", "soup .. 7.50", "roll .. 0.90"), ("Thursdays.Bread", "7.50roll")),
        AwkwardFile("html/outlook.html", outlook.encode(), ("Empty the trap.", "Reset the counter to zero."), ("MSOXML", "o:p", "supportLists")),
        AwkwardFile("html/ld.html", ld.encode(), ("Bicycles travel free on the lower deck.",), ("FAQPage",)),
        AwkwardFile("html/terms.html", b"<dl><dt>Bollard<dt>Mooring post<dd>a post for ropes<dd>also a barrier<div><dt>Fairlead</dt><dd>guides a rope</dd></div></dl><p>After the terms.", ("a post for ropes", "also a barrier", "guides a rope", "After the terms."), ("ropesalso", "BollardMooring")),
        AwkwardFile("html/aria.html", b"<p>Visible: buoy 9 is red.</p><p aria-hidden=true>For eyes only: buoy 9 blinks.</p><template><p>TEMPLATETEXT</p></template><p style='visibility: hidden'>INVISIBLE</p><p class=sr-only>For readers: buoy 10 is green.</p><style>p{content:'STYLE'}</style>", ("Visible: buoy 9 is red.", "For readers: buoy 10 is green."), ("TEMPLATETEXT", "STYLE")),
        AwkwardFile("html/pre.html", b"<pre>\n  if level &gt; 7:\n      open(&quot;sluice&quot;)   # &amp; wait\n</pre><pre><code class=language-sh>pump --start &lt; plan</code></pre><p>a<code>b</code>c &frac12; cup &euro;3 &#x2014; &notanentity; &copy</p><textarea>Dear guest,\nwelcome.</textarea>", ('open("sluice")   # & wait', "pump --start < plan", "½ cup €3 —"), ("&gt;", "&quot;", "&frac12;")),
        AwkwardFile("html/liar.html", '<html><head><meta charset="iso-8859-1"></head><body><p>Die Schlüssel für das Türmchen hängen über dem Kühlschrank.</p></body></html>'.encode(), ("Die Schlüssel für das Türmchen hängen über dem Kühlschrank.",), ("Ã",)),
        AwkwardFile("html/liar_utf8.html", '<html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"></head><body><p>Das Wehr öffnet früh um fünf; Größe und Gefälle stehen im Büro.</p></body></html>'.encode("cp1252"), ("Das Wehr öffnet früh um fünf; Größe und Gefälle stehen im Büro.",), ("\ufffd",)),
        AwkwardFile("html/utf16.html", "<html><body><p>Sixteen bits: the vane points north-east at dawn.</p></body></html>".encode("utf-16"), ("Sixteen bits: the vane points north-east at dawn.",)),
        AwkwardFile("html/drawn.html", b"<h1>Plan</h1><svg width=10><title>Plan of the ward</title><text x=1>Ward 7 is north</text></svg><math><msup><mn>10</mn><mn>2</mn></msup></math><p>Ten squared is 10<sup>2</sup> = 100, and 4<sub>1</sub>.</p>", ("Plan",), ("102 =",), or_warned=("Ward 7 is north",)),
        AwkwardFile("html/framed.html", b"<frameset><frame src=a.html><noframes><p>No frames: the ford is marked with poles.</p></noframes></frameset>", ("No frames: the ford is marked with poles.",), (), None),
        AwkwardFile("html/srcdoc.html", b"<p>Outside the frame.</p><iframe srcdoc='&lt;p&gt;Inside the frame: tide tables.&lt;/p&gt;'></iframe>", ("Outside the frame.",), ("<p>",)),
        AwkwardFile("html/deep.html", b"<div>" * 5000 + b"<p>Under five thousand boxes sits the meter.</p>" + b"</div>" * 5000, ("Under five thousand boxes sits the meter.",), (), None),
        AwkwardFile("html/crossed.html", b"<p>The <b>weir <i>is</b> repaired</i> in <a href=x>June<p>and <table><tr>stray words<td>cell 4</table> the end</b></div></span> comes last.", ("cell 4", "comes last."), ()),
        AwkwardFile("html/roles.html", b"<div role=table><div role=row><span role=cell>jetty</span><span role=cell>400.01</span><span role=cell>3</span></div></div><div>part</div><div>two</div><nav>NAVIGATION</nav><ul><li>oar</li><li>sail</li></ul>", ("jetty",), ("400.013", "parttwo", "oarsail")),
        AwkwardFile("html/choices.html", b"<select><optgroup label=Sizes><option>small<option selected>large</optgroup></select><fieldset><legend>Meal</legend><label><input type=radio name=m value=fish checked> Fish soup</label><label><input type=radio name=m value=stew> Stew</label></fieldset><meter value=.6>six tenths</meter><p>Booked until 14 July.</p>", ("Booked until 14 July.", "Fish soup", "large"), ()),
        AwkwardFile("html/nulls.html", b"<p>Null\x00 bytes \x0bin a \x01page do not harm the ferry.</p>", ("page do not harm the ferry.",), ("\x00", "\x01"), None),
        AwkwardFile("html/breaks.html", b"<body>First notice: the well is dry.<br><br>Second notice: use the tank.<hr>Third notice: boil it.<wbr><p></p>Tele<wbr>phone 0550&nbsp;12&thinsp;34", ("First notice: the well is dry.", "Second notice: use the tank.", "Third notice: boil it."), ("dry.Second", "tank.Third")),
        AwkwardFile("html/single.htm", b"Just words without any tag: the raft is moored upstream.", ("Just words without any tag: the raft is moored upstream.",), (), None),
        AwkwardFile("html/upper.HTML", b"<HTML><BODY><CENTER><FONT SIZE=5>OLD PAGE</FONT></CENTER><P>The toll house shuts at nine.<LI>one<LI>two</BODY></HTML>", ("The toll house shuts at nine.",), ("onetwo",)),
        AwkwardFile("web/saved.mhtml", _saved_page(), ("The whole page in one file: moths are trapped in jars.",), ("=3D", "Content-Type"), None),
        AwkwardFile("web/app.html", b"<html><head><title>App</title><script>window.DATA={a:1}</script></head><body><div id=root></div></body></html>", (), ("window.DATA",), None),
    ]  # fmt: skip


def _saved_page() -> bytes:
    page = MIMEMultipart("related", "edge")
    page["Subject"], page["From"] = "Moths", "<Saved by a browser>"
    body = MIMEText(
        "<html><body class='a'><h1>Moths</h1><p>The whole page in one file: moths are trapped in jars.</p></body></html>",
        "html",
        "utf-8",
    )
    body.replace_header("Content-Transfer-Encoding", "quoted-printable")
    body.set_payload(
        "<html><body class=3D'a'><h1>Moths</h1><p>The whole page in one file: moths are =\r\ntrapped in jars.</p></body></html>"
    )
    page.attach(body)
    return page.as_bytes()


def _built(subject: str, text: str, **attached: tuple[str, bytes]) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Maj Lind <maj@x.example>", "all@x.example", subject
    mail.set_content(text)
    for name, (kind, content) in attached.items():
        main, sub = kind.split("/")
        mail.add_attachment(content, maintype=main, subtype=sub, filename=name.replace("_dot_", "."))
    return mail


CALENDAR = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1@x\r\nDTSTART:20250714T090000Z\r\nSUMMARY:Inspection of the\r\n  dyke\\, east side\r\nLOCATION:Sluice house\r\nDESCRIPTION:Bring waders.\\nMeet at the gate.\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
CARD = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ulla Ek\r\nORG:Dyke board\r\nTEL;TYPE=work:+46 550 1234\r\nNOTE:Keeper of the sluice keys\r\nEND:VCARD\r\n"
FLOWED = "From: a@x.example\r\nSubject: Flow\r\nContent-Type: text/plain; charset=utf-8; format=flowed; delsp=yes\r\n\r\nThe reed cutters begin in Janu \r\nary and end before the birds  \r\n return.\r\n\r\n> quoted line that \r\n> flows on\r\n"
JAPANESE = (
    b"From: a@x.example\nSubject: =?ISO-2022-JP?B?GyRCOHA8fBsoQg==?=\nContent-Type: text/plain; charset=ISO-2022-JP\n\n"
    + "水門の鍵は事務所にあります。\n".encode("iso2022_jp")
)
UNENDED = b"From: a@x.example\nSubject: Cut\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=zz\n\npreamble\n--zz\nContent-Type: text/plain\n\nThe boundary never comes: the raft is adrift.\n"
MISBOUND = b"From: a@x.example\nSubject: Wrong\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=aa\n\n--bb\nContent-Type: text/plain\n\nAnother boundary: the skiff is tarred.\n--bb--\n"
FOLDED = (
    b"From: =?utf-8?q?J=C3=B6rg_=C3=85s?= <j@x.example>\nSubject: =?utf-8?B?VsOkcm1l?=\n =?utf-8?Q?pumpe_?= im Keller\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"
    + base64.encodebytes("<p>Die Wärmepumpe läuft nachts auf Stufe zwei.</p>".encode())
)
BOUNCE = b"From: mailer@x.example\nSubject: Undelivered\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=delivery-status; boundary=q\n\n--q\nContent-Type: text/plain\n\nYour note could not be delivered.\n--q\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; x.example\n\nFinal-Recipient: rfc822; lost@x.example\n--q\nContent-Type: message/rfc822\n\nFrom: b@x.example\nSubject: Nets\n\nThe nets are mended on Mondays.\n--q--\n"
ARMOURED = b"From: a@x.example\nSubject: Sealed\n\n-----BEGIN PGP MESSAGE-----\n\nhQEMA2\nabcdEFGH\n-----END PGP MESSAGE-----\n"


def _nested() -> bytes:
    inner = MIMEMultipart("alternative")
    inner.attach(MIMEText("Plain: the oyster beds are closed until August.", "plain", "utf-8"))
    related = MIMEMultipart("related")
    related.attach(
        MIMEText(
            "<p>Plain: the oyster beds are closed until August.</p><table><tr><td>bed</td><td>400.01</td><td>3</td></tr></table>",
            "html",
            "utf-8",
        )
    )
    inner.attach(related)
    outer = MIMEMultipart("mixed")
    outer["From"], outer["Subject"] = "a@x.example", "Oysters"
    outer.attach(inner)
    first = MIMEText("Forwarded once: limpets are counted.", "plain", "utf-8")
    first["Subject"], first["From"] = "Limpets", "c@x.example"
    second = MIMEMultipart("mixed")
    second["Subject"], second["From"] = "Fwd: Limpets", "b@x.example"
    second.attach(MIMEMessage(first))
    outer.attach(MIMEMessage(second))
    return outer.as_bytes()


def _workbook_inside() -> bytes:
    import docx

    document = docx.Document()
    document.add_paragraph("Inside the attachment: the buoy chain is twelve fathoms.")
    out = io.BytesIO()
    document.save(out)
    packed = zipped({"chain.docx": out.getvalue(), "list.csv": b"buoy;fathoms\nN1;12\n"})
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    return _built(
        "Chain",
        "The chain is described in the attachment.\n",
        chain_dot_docx=(word, out.getvalue()),
        both_dot_zip=("application/zip", packed),
    ).as_bytes()


def messages() -> list[AwkwardFile]:
    """Messages, mailboxes, calendars and cards."""
    meeting = _built("Dyke walk", "You are invited to walk along the dyke.\n")
    meeting.add_alternative(CALENDAR, subtype="calendar", params={"method": "REQUEST"})
    winmail = _built(
        "Odd",
        "A strange client sent this.\n",
        winmail_dot_dat=("application/ms-tnef", b"\x78\x9f\x3e\x22" + b"\1" * 300),
    )
    mailbox = b"From - Tue May 06 2025\r\nFrom: a@x.example\r\nSubject: Dredge\r\nMessage-ID: <d@x>\r\n\r\nThe dredge rests on Sundays.\r\n\r\nFrom - Wed May 07 2025\r\nFrom: b@x.example\r\nSubject: No id\r\n\r\nA message without a number.\r\n"
    return [
        AwkwardFile("mail/flowed.eml", FLOWED.encode(), ("The reed cutters begin in January and end before the birds return.",)),
        AwkwardFile("mail/japanese.eml", JAPANESE, ("水門の鍵は事務所にあります。",), ("$B",)),
        AwkwardFile("mail/unended.eml", UNENDED, ("The boundary never comes: the raft is adrift.",), (), None),
        AwkwardFile("mail/misbound.eml", MISBOUND, ("Another boundary: the skiff is tarred.",), (), None),
        AwkwardFile("mail/folded.eml", FOLDED, ("Värmepumpe im Keller", "Die Wärmepumpe läuft nachts auf Stufe zwei."), ("=?utf",)),
        AwkwardFile("mail/bounce.eml", BOUNCE, ("Your note could not be delivered.", "The nets are mended on Mondays.")),
        AwkwardFile("mail/sealed.eml", ARMOURED, (), (), None),
        AwkwardFile("mail/nested.eml", _nested(), ("Plain: the oyster beds are closed until August.", "Forwarded once: limpets are counted."), ("400.013",)),
        AwkwardFile("mail/attached.eml", _workbook_inside(), ("The chain is described in the attachment.", "Inside the attachment: the buoy chain is twelve fathoms.", "N1 .. 12")),
        AwkwardFile("mail/meeting.eml", meeting.as_bytes(), ("You are invited to walk along the dyke.",), (), or_warned=("Inspection of the dyke, east side",)),
        AwkwardFile("mail/winmail.eml", winmail.as_bytes(), ("A strange client sent this.",), (), False, ("winmail.dat",)),
        AwkwardFile("mail/heads_only.eml", b"From: a@x.example\nTo: b@x.example\nSubject: The ferry is cancelled today\nDate: Tue, 6 May 2025 09:00:00 +0200\n\n", ("The ferry is cancelled today",), (), None),
        AwkwardFile("mail/marked.eml", b"\xef\xbb\xbfFrom: a@x.example\r\nSubject: Mark\r\n\r\nA mark of byte order precedes the well report.\r\n", ("A mark of byte order precedes the well report.",)),
        AwkwardFile("mail/crlf.mbox", mailbox, ("The dredge rests on Sundays.", "A message without a number.")),
        AwkwardFile("mail/outlook.msg", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 3000, (), (), True),
        AwkwardFile("mail/walk.ics", CALENDAR.encode(), ("Inspection of the dyke, east side", "Bring waders."), (), None),
        AwkwardFile("mail/ulla.vcf", CARD.encode(), ("Ulla Ek", "Keeper of the sluice keys"), (), None),
    ]  # fmt: skip
