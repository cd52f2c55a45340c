# ruff: noqa: E501
"""Pages of the web as they are served and saved, and messages as they arrive."""

from __future__ import annotations

import base64
import quopri
from email.message import EmailMessage
from email.policy import SMTP

from benchmarks.mixed.case import zipped
from benchmarks.uncommon.case import UncommonFile

DOCS = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>The drying loft &mdash; Hops 4.1 documentation</title>
<script>var x = "SCRIPTWORD";</script></head><body>
<div class="related" role="navigation"><ul><li><a href="#">NAVLINK index</a></li></ul></div>
<div class="sphinxsidebar"><h3>SIDEBARTOC</h3></div>
<div class="body" role="main"><section id="loft"><h1>The drying loft<a class="headerlink" href="#loft" title="Permalink">¶</a></h1>
<p>Hops are spread <em>thinly</em>; a layer of more than <span class="math">30</span> cm turns sour<a class="footnote-reference" href="#f1"><span>[</span>1<span>]</span></a>.</p>
<div class="admonition warning"><p class="admonition-title">Warning</p><p>The floor slats are loose near the hatch.</p></div>
<dl class="py function"><dt class="sig" id="turn"><span class="pre">turn</span>(<em>layer</em>, <em>hours=6</em>)</dt><dd><p>Turn a layer.</p><dl class="field-list"><dt>Parameters</dt><dd><ul><li><p><strong>layer</strong> -- number from the top</p></li></ul></dd></dl></dd></dl>
<div class="highlight"><pre><span class="k">def</span> <span class="nf">dry</span><span class="p">(</span>hop<span class="p">):</span>
    <span class="k">return</span> hop <span class="o">*</span> <span class="mf">0.25</span>
</pre></div>
<table class="docutils"><caption><span>Table 3</span> Loss of weight</caption><tbody><tr class="row-odd"><th>kind</th><th>fresh</th><th>dry</th></tr><tr><td><p>Saaz</p></td><td><p>400.01</p></td><td><p>3</p></td></tr></tbody></table>
<ol start="4" type="a"><li>Sweep the loft</li><li value="9">Close the louvres</li></ol>
<figure><img src="loft.png" alt="Cross-section of the loft"><figcaption><p>Air rises from the kiln.</p></figcaption></figure>
<aside class="footnote"><span>1</span><p>Within two nights.</p></aside></section></div>
<footer>COPYRIGHTFOOT</footer></body></html>"""
WIKI = """<html><head><title>Old Toll Bridge - Townpedia</title></head><body><div id="mw-navigation">NAVBAR</div><div id="content"><h1 id="firstHeading">Old Toll Bridge</h1><div id="siteSub">From Townpedia</div>
<table class="infobox"><tbody><tr><th colspan="2">Old Toll Bridge</th></tr><tr><th>Length</th><td>212&#160;m</td></tr><tr><th>Opened</th><td>1 June 1931<br/><small>(94 years ago)</small></td></tr></tbody></table>
<p>The <b>Old Toll Bridge</b> crosses the Ilva.<sup id="cite_ref-1" class="reference"><a href="#cite_note-1">[1]</a></sup> Its toll was 2½&nbsp;pence until 1950.</p>
<h2><span class="mw-headline">Repairs</span><span class="mw-editsection">[<a>edit</a>]</span></h2><p>Three rivets were replaced in 1988.</p>
<ol class="references"><li id="cite_note-1"><span class="mw-cite-backlink">^</span> <span class="reference-text">Town archive, box 9.</span></li></ol></div></body></html>"""
ARTICLE = """<html><head><title>Tram line 7 returns | Evening Sheet</title><meta property="og:title" content="Tram line 7 returns"></head><body>
<header><nav><a>Home</a><a>Sports NAVITEM</a></nav></header><div class="cookie-banner">We value your privacy COOKIEBANNER <button>Accept all</button></div>
<article><h1>Tram line 7 returns</h1><p class="byline">By Karin Voss, <time datetime="2025-02-11">11 February 2025</time></p><p>After nine years the tram line to the cemetery is running again.</p><aside>Advertisement</aside>
<blockquote>&ldquo;We missed the bell,&rdquo; says a florist.</blockquote><p>Tickets cost <s>2.40</s> <ins>2.80</ins> euros.</p><details><summary>Timetable</summary><p>Every twelve minutes until dusk.</p></details></article><footer>IMPRINTFOOT</footer></body></html>"""
RUBY = "<html lang=ja><head><meta charset=Shift_JIS></head><body><p>この<ruby>門<rp>(</rp><rt>もん</rt><rp>)</rp></ruby>は夜九時に閉まります。</p><p>住所:<br>北町一丁目<br>三番地</p></body></html>"
ARABIC = '<html dir="rtl" lang="ar"><meta http-equiv="Content-Type" content="text/html; charset=windows-1256"><body><h2>ساعات العمل</h2><table><tr><th>اليوم</th><th>من</th><th>إلى</th></tr><tr><td>الاثنين</td><td>8</td><td>14</td></tr></table><p>يغلق المكتب يوم الجمعة.</p></body></html>'
FORUM = "<html><body><div class=post><b>mika</b> wrote:<br>My kettle trips the fuse. What now?<br><br>I tried another socket.</div><hr><div class=post><b>tove</b>:<blockquote>My kettle trips the fuse.</blockquote>Descale it; the element shorts when it is crusted.<div class=signature>-- <br>tove's kettle page</div></div></body></html>"
GRID = "<table border=1><tr><td rowspan=3>hall</td><td colspan=2>seats</td></tr><tr><td>stalls</td><td>400</td></tr><tr><td>balcony</td><td>31</td></tr><tr><td>total<td colspan=2>431</table><table><tr><td><table><tr><td>inner a</td><td>7.5</td></tr></table></td><td>outer b</td></tr></table><p>After the tables.</p>"
STYLED = "<style>.x{display:none}</style><div class=tabs><button>One</button><button>Two</button></div><div role=tabpanel>Panel one: soap is in the box.</div><div role=tabpanel hidden>Panel two: towels are rented.</div><p style='display:none'>HIDDENSTYLE</p><p>Line one<br/>line two</p><p>H<sub>2</sub>O at 10<sup>3</sup> Pa</p><q>Quoted softly</q><address>Ferry House<br>Pier 3</address><dl><dt>Opening<dd>in May</dl><p>&#8222;Zu&#8220; &hellip; &amp;lt; &euro;5</p>"


def pages() -> list[UncommonFile]:
    """Return pages of the web."""
    return [
        UncommonFile("web/loft.html", DOCS.encode(), ("Hops are spread thinly; a layer of more than 30 cm turns sour", "The floor slats are loose near the hatch.", "turn(layer, hours=6)", "Turn a layer.", "number from the top", "return hop * 0.25", "Saaz .. 400.01 .. 3", "Loss of weight", "Sweep the loft", "Close the louvres", "Cross-section of the loft", "Air rises from the kiln.", "Within two nights."), ("SCRIPTWORD", "NAVLINK", "COPYRIGHTFOOT", "¶", "400.013"), code=("return hop * 0.25",), headings=("The drying loft",)),
        UncommonFile("web/bridge.html", WIKI.encode(), ("Length .. 212 m", "The Old Toll Bridge crosses the Ilva.", "Its toll was 2½ pence until 1950.", "Three rivets were replaced in 1988.", "Town archive, box 9."), ("NAVBAR", "[edit]"), headings=("Repairs",)),
        UncommonFile("web/tram.html", ARTICLE.encode(), ("After nine years the tram line to the cemetery is running again.", "“We missed the bell,” says a florist.", "Every twelve minutes until dusk.", "2.80"), ("NAVITEM", "2.402.80"), headings=("Tram line 7 returns",)),
        UncommonFile("web/gate_sjis.html", RUBY.encode("shift_jis"), ("は夜九時に閉まります。", "北町一丁目"), ("門もんは", "北町一丁目三番地")),
        UncommonFile("web/hours_ar.html", ARABIC.encode("cp1256"), ("الاثنين .. 8 .. 14", "يغلق المكتب يوم الجمعة."), ("814",)),
        UncommonFile("web/forum.html", FORUM.encode(), ("What now?", "I tried another socket.", "Descale it; the element shorts when it is crusted."), ("fuse.Descale",)),
        UncommonFile("web/hall.html", GRID.encode(), ("hall .. balcony .. 31", "hall .. stalls .. 400", "total .. 431", "inner a .. 7.5", "outer b", "After the tables."), ("40031", "7.5outer")),
        UncommonFile("web/styled.html", STYLED.encode(), ("Panel one: soap is in the box.", "line two", "Quoted softly", "Pier 3", "in May", "„Zu“ … &lt; €5"), ("HIDDENSTYLE", "oneline", "103 Pa", "HousePier"), or_warned=("Panel two: towels are rented.",)),
        UncommonFile("web/big5.htm", '<html><head><meta charset="big5"></head><body><p>請將腳踏車停放於後院的棚子下。</p></body></html>'.encode("big5"), ("請將腳踏車停放於後院的棚子下。",)),
        UncommonFile("web/undeclared_sjis.html", "<html><body><p>自転車は裏庭の屋根の下に置いてください。鍵は管理人室にあります。</p></body></html>".encode("shift_jis"), ("自転車は裏庭の屋根の下に置いてください。",)),
        UncommonFile("web/strict.xhtml", b'<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Caf\xe9</title><script type="text/javascript">//<![CDATA[\nvar a = "<p>CDATASCRIPT</p>";\n//]]></script></head><body><p>Le caf\xe9 ferme \xe0 midi.<br/></p><p/><div/><p>Il rouvre \xe0 deux heures.</p></body></html>', ("Le café ferme à midi.", "Il rouvre à deux heures."), ("CDATASCRIPT",)),
        UncommonFile("web/fragment.html", b"<h2>Keys</h2><p>Take the brass key.<p>Return it by noon.<ul><li>brass<li>steel</ul>", ("Take the brass key.", "Return it by noon.", "steel"), ("key.Return", "brasssteel"), headings=("Keys",)),
    ]  # fmt: skip


def _mail(subject: str, **heads: str) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Ada <ada@x.example>", "bo@x.example", subject
    mail["Date"] = "Tue, 04 Mar 2025 09:30:00 +0100"
    for name, value in heads.items():
        mail[name.replace("_", "-")] = value
    return mail


def _thread() -> bytes:
    mail = _mail("Re: Bunting", Message_ID="<1@x.example>")
    mail.set_content(
        "Bunting is put up on Thursday after the market.\n\nOn Mon, 3 Mar 2025 Bo <bo@x.example> wrote:\n> Who has the long ladder?\n>> It was in the vestry\n>> all winter.\n\n-- \nAda Lund\nFair committee\n"
    )
    mail.add_alternative("<html><body><p>Bunting is put up on <b>Thursday</b> after the market.</p><blockquote>Who has the long ladder?</blockquote></body></html>", subtype="html")  # fmt: skip
    return mail.as_bytes(policy=SMTP)


def _attached() -> bytes:
    mail = _mail("Dues and a notice")
    mail.set_content("Two files are attached.")
    mail.add_attachment("Boot;Gebühr\r\nMöwe;12,50\r\n".encode("cp1252"), maintype="text", subtype="csv", filename="Gebühren März.csv")  # fmt: skip
    mail.add_attachment(zipped({"notes/gate.md": "# Gate\n\nIn the packed note: the gate hinges are oiled.\n"}), maintype="application", subtype="zip", filename="notes.zip")  # fmt: skip
    inner = _mail("Inner")
    inner.set_content("The inner letter: the buoy was stolen.")
    mail.add_attachment(inner)
    mail.add_attachment(b"\x00\x01\x02", maintype="application", subtype="octet-stream", filename="firmware.bin")
    return mail.as_bytes(policy=SMTP)


def _encoded(charset: str, text: str, way: str = "base64") -> bytes:
    body = base64.encodebytes(text.encode(charset)) if way == "base64" else quopri.encodestring(text.encode(charset))
    head = f"From: a@x.example\r\nSubject: =?{charset}?B?{base64.b64encode(text.split(maxsplit=1)[0].encode(charset)).decode()}?=\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset={charset}\r\nContent-Transfer-Encoding: {way}\r\n\r\n"
    return head.encode() + body


BARE = b"Received: from x\nFrom bad header line\nSubject: No MIME at all\nFrom: warden@x.example\n\nThe gr\xfcne Bank is freshly painted.\nDo not sit on it.\n"
REPORT = """From: postmaster@x.example
Subject: Minutes attached
Content-Type: multipart/signed; boundary="s"; protocol="application/pkcs7-signature"
MIME-Version: 1.0

--s
Content-Type: multipart/related; boundary="r"

--r
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: quoted-printable

<p>The accounts were approved by 12 votes to 3=2E</p><img src=3D"cid:a">
--r
Content-Type: image/gif
Content-ID: <a>
Content-Transfer-Encoding: base64

R0lGODlhAQABAAAAACw=
--r--

--s
Content-Type: application/pkcs7-signature; name=smime.p7s
Content-Disposition: attachment; filename=smime.p7s
Content-Transfer-Encoding: base64

MIIB
--s--
"""
MBOX = b"From ada@x.example Tue Mar  4 09:30:00 2025\nFrom: ada@x.example\nSubject: One\nMessage-ID: <o1@x>\n\nThe first of two letters.\n>From now on the bell rings at six.\n\nFrom bo@x.example Wed Mar  5 09:30:00 2025\nFrom: bo@x.example\nSubject: Two\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/html\n\n<p>The second letter has <i>only</i> a page.</p>\n--b--\n\nFrom here on nothing is a new letter.\n"


def messages() -> list[UncommonFile]:
    """Return messages."""
    return [
        UncommonFile("mail/bunting.eml", _thread(), ("Bunting is put up on Thursday after the market.", "Who has the long ladder?", "It was in the vestry all winter."), headings=("Re: Bunting",)),
        UncommonFile("mail/dues.eml", _attached(), ("Two files are attached.", "Möwe .. 12,50", "The inner letter: the buoy was stolen."), (), False, ("firmware.bin",), or_warned=("In the packed note: the gate hinges are oiled.",)),
        UncommonFile("mail/jp.eml", _encoded("iso-2022-jp", "集会所の鍵は金曜日に返してください。"), ("集会所の鍵は金曜日に返してください。",)),
        UncommonFile("mail/cn.eml", _encoded("gb2312", "会议室的钥匙请于周五归还。"), ("会议室的钥匙请于周五归还。",)),
        UncommonFile("mail/ru.eml", _encoded("koi8-r", "Ключ от зала верните в пятницу.", "quoted-printable"), ("Ключ от зала верните в пятницу.",)),
        UncommonFile("mail/unknown_charset.eml", b"From: a@x.example\nSubject: x\nContent-Type: text/plain; charset=x-unknown\nContent-Transfer-Encoding: 8bit\n\n" + "Das Öl für die Säge steht im Schuppen.\n".encode("cp1252"), ("Das Öl für die Säge steht im Schuppen.",)),
        UncommonFile("mail/bare.eml", BARE, ("Do not sit on it.", "is freshly painted."), (), None),
        UncommonFile("mail/minutes.eml", REPORT.encode(), ("The accounts were approved by 12 votes to 3.",), ("=2E", "MIIB")),
        UncommonFile("mail/letters.mbox", MBOX, ("From now on the bell rings at six.", "The second letter has only a page.", "From here on nothing is a new letter."), (">From",), None),
        UncommonFile("mail/only_attachment.eml", b"From: a@x.example\nSubject: Scan\nMIME-Version: 1.0\nContent-Type: text/plain; name*=utf-8''Schl%C3%BCssel.txt\nContent-Disposition: attachment; filename*=utf-8''Schl%C3%BCssel.txt\nContent-Transfer-Encoding: base64\n\n" + base64.encodebytes(b"In the only part: seven keys were counted."), ("In the only part: seven keys were counted.",)),
    ]  # fmt: skip
