# ruff: noqa: E501
"""Tables, records, subtitles, settings, code, books and archives as programs write them."""

from __future__ import annotations

import io
import json
import tarfile

from benchmarks.awkward.office import book_file
from benchmarks.everyday.case import EverydayFile
from benchmarks.mixed.case import zipped

BANK = '"Kontoauszug";"DE00 1234"\r\n"Zeitraum";"01.02.2025 - 28.02.2025"\r\n\r\n"Buchungstag";"Verwendungszweck";"Betrag"\r\n"03.02.2025";"Miete Halle 2\r\nRechnung 77";"-1.250,00"\r\n"17.02.2025";"Spende; danke";"15,5"\r\n'
VTT = """WEBVTT - Tour of the brewery

STYLE
::cue { color: STYLEWORD }

NOTE HIDDENNOTE

intro
00:00:01.000 --> 00:00:04.000 align:start position:10%
<v Marit>Welcome to the <i>brewery</i>.

00:00:04.000 --> 00:00:06.500
<v Jonas Lie>The kettle holds
2,400 litres.</v>

2
01:02:03.000 --> 01:02:05.000
- Is it hot?
- <c.loud>Yes, 98 degrees.</c>
"""
SRT = '\ufeff1\r\n00:00:01,000 --> 00:00:03,500\r\n{\\an8}<font color="#ff0000">The boat leaves</font>\r\nat half past six.\r\n\r\n2\r\n00:00:03,000 --> 00:00:05,000\r\nWear the vest.\r\n\r\n4\r\n00:00:02,500 --> 00:00:02,900 X1:0 X2:9\r\nRopes off!\r\n'
ROLLING = "WEBVTT\nKind: captions\nLanguage: en\n\n00:00:00.160 --> 00:00:02.389 align:start position:0%\n \nthe<00:00:00.400><c> sauna</c><00:00:00.800><c> opens</c>\n\n00:00:02.389 --> 00:00:02.399 align:start position:0%\nthe sauna opens\n \n\n00:00:02.399 --> 00:00:04.000 align:start position:0%\nthe sauna opens\nat<00:00:02.600><c> seven</c><00:00:03.000><c> sharp</c>\n\n00:00:04.000 --> 00:00:04.010 align:start position:0%\nat seven sharp\n \n"
TOML = '# How the greenhouse is run\n[climate]\ntarget = 21.50 # degrees\nnote = """\nVents open at noon.\nThey close at dusk."""\n[[bed]]\nplant = "tomato"\nsince = 2025-03-04\n[[bed]]\nplant = "basil"\n'
YAML = "# Rota of the fire watch\nwatch:\n  - name: Ada\n    days: [mon, tue]\n    phone: '007 12'\n    note: >\n      Calls the brigade\n      before anyone else.\n  - {name: Bo, days: [wed], code: 0x1F}\nrules:\n  1: 'Never alone: always in pairs.'\n  ? complex key\n  : kept too\n---\nsecond: document\n"
LOGS = '{"ts":"2025-03-04T10:00:00Z","level":"warn","msg":"Boiler 3 is at 98.5 degrees","ctx":{"site":"north","tags":["hot","boiler"]}}\n\n{"ts":"2025-03-04T10:00:05Z","level":"info","msg":"Valve closed","id":12345678901234567890}\n'
API = {
    "openapi": "3.0.0",
    "info": {"title": "Ferry API", "description": "Books places on the ferry."},
    "paths": {
        "/trips": {
            "get": {
                "summary": "List the trips",
                "parameters": [{"name": "from", "description": "Pier of departure", "schema": {"default": 2.50}}],
            }
        }
    },
}
DELTA = {
    "id": "A-7",
    "lines": [
        {"sku": "rope", "qty": 3, "price": "12.40", "note": None},
        {"sku": "buoy", "qty": 14, "price": "400.01", "ok": True},
    ],
    "html": "<p>Deliver to the <b>back</b> door.</p>",
    "empty": [],
    "nested": [[1, 2], [3, 4]],
    "ratio": 1e-7,
}
PROPERTIES = "# labels of the ticket machine\ngreeting=Welcome aboard\\u0021\nlong=Tickets are valid \\\n  for ninety minutes.\nkey\\ with\\ spaces : yes\n! old style comment\n"
DOCBOOK = """<?xml version="1.0"?><!DOCTYPE article [<!ENTITY model "T-800"><!ENTITY deg "&#176;">]><article xmlns="http://docbook.org/ns/docbook" xmlns:xlink="http://www.w3.org/1999/xlink"><title>Tractor &model;</title>
<section><title>Starting</title><para>Below 5&deg;C, preheat for <emphasis>30</emphasis> s<footnote><para>Longer in frost.</para></footnote>.</para><orderedlist><listitem><para>Clutch down</para></listitem><listitem><para>Turn the key</para></listitem></orderedlist>
<warning><para>Never start it in gear.</para></warning><informaltable><tgroup cols="2"><thead><row><entry>gear</entry><entry>km/h</entry></row></thead><tbody><row><entry>1</entry><entry>4.5</entry></row><row><entry>2</entry><entry>12</entry></row></tbody></tgroup></informaltable>
<programlisting>start --gear 0
  --slow</programlisting><!-- HIDDENCOMMENT --></section></article>"""
FEED = '<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Pier news</title><item><title>Pier closed</title><link>https://x.example/1</link><description>&lt;p&gt;The pier is &lt;b&gt;closed&lt;/b&gt; until 3 May.&lt;/p&gt;</description><pubDate>Mon, 03 Feb 2025 10:00:00 +0100</pubDate></item><item><title>Crane</title><content:encoded><![CDATA[<p>The crane lifts 12.5&nbsp;t.</p>]]></content:encoded></item></channel></rss>'
INVOICE = '<?xml version="1.0"?><Invoice xmlns="urn:x" xmlns:c="urn:c"><c:ID>2025-0042</c:ID><c:Note languageID="de">Zahlbar binnen 14 Tagen.</c:Note><Line><Item>rope</Item><Price currencyID="EUR">12.40</Price></Line><Line><Item>buoy</Item><Price currencyID="EUR">400.01</Price></Line></Invoice>'
PYTHON = '"""Rules of the till.\n\nThe till is counted twice.\n"""\n\nRATE = 0.075  # since March\n\n\nclass Till:\n    """A till with a drawer."""\n\n    def close(self, cash: int) -> str:\n        """Return the slip; raise if the cash is short."""\n        return f"closed with {cash} coins"\n'
SCRIPT = (
    "#!/bin/sh\n# Backs up the ledger each night.\nset -eu\ncat <<'EOT'\nLedger saved; tapes go to the vault.\nEOT\n"
)
NOTEBOOK = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"language": "julia"}}, "cells": [
    {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# Tides\n\nThe gauge stands at **pier 4**.\n\n| pier | m |\n|---|---|\n| 4 | 2.40 |\n"},
    {"cell_type": "code", "id": "b", "metadata": {}, "execution_count": None, "source": "tide(4)", "outputs": [{"output_type": "display_data", "metadata": {}, "data": {"text/plain": "<Figure size>", "image/png": "iVBORw0KGgo="}}, {"output_type": "execute_result", "metadata": {}, "execution_count": 1, "data": {"text/plain": ["2.40 metres at noon"]}}]},
    {"cell_type": "raw", "id": "c", "metadata": {}, "source": "Raw remark: spring tides add 0.8."}]}  # fmt: skip
PAGES = {
    "one.xhtml": "<html xmlns='http://www.w3.org/1999/xhtml' xmlns:epub='http://www.idpf.org/2007/ops'><body><section epub:type='chapter'><h1>Sowing</h1><p>Sow after the last frost<a epub:type='noteref' href='#n1'>1</a>.</p><aside epub:type='footnote' id='n1'><p>About the ice saints.</p></aside></section></body></html>",
    "two.xhtml": "<html xmlns='http://www.w3.org/1999/xhtml'><body><h2>Beans</h2><p>Beans like 12&#160;degrees.</p><table><tr><td>row</td><td>40 cm</td></tr><tr><td>depth</td><td>3 cm</td></tr></table></body></html>",
}  # fmt: skip


def _tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:xz") as archive:
        for name, content in (("docs/a.md", b"# Pumps\n\nPump 9 is spare.\n"), ("docs/inner.zip", zipped({"b.csv": "pump,bar\n9,4.5\n", "c.bin": b"\x00\x01"})), ("docs/.hidden", b"x")):  # fmt: skip
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def tables() -> list[EverydayFile]:
    """Return delimited tables and subtitles."""
    return [
        EverydayFile("tables/konto.csv", BANK.encode("cp1252"), ("03.02.2025 .. Miete Halle 2 Rechnung 77 .. -1.250,00", "17.02.2025 .. Spende; danke .. 15,5", "Kontoauszug .. DE00 1234"), ("2Rechnung",), tables=("-1.250,00",)),
        EverydayFile("tables/utf16le.csv", "\ufeffplace;note\r\nØrje;\"says \"\"hei\"\"\"\r\nÅmot;1 204,50\r\n".encode("utf-16-le"), ('Ørje .. says "hei"', "Åmot .. 1 204,50")),
        EverydayFile("tables/sep.csv", b"sep=;\r\nlane;time\r\n1;00:58,3\r\n2;1:02,0\r\n", ("1 .. 00:58,3", "2 .. 1:02,0"), ("sep=",)),
        EverydayFile("tables/ragged.csv", b"name,role,phone\nAda,guard\nBo,cook,0049 40 11,extra cell\n\nCy,,7\n", ("Ada .. guard", "Bo .. cook .. 0049 40 11 .. extra cell", "Cy .. 7")),
        EverydayFile("subtitles/brewery.vtt", VTT.encode(), ("Welcome to the brewery.", "The kettle holds 2,400 litres.", "Yes, 98 degrees."), ("STYLEWORD", "HIDDENNOTE", "<v", "align:start", "<c")),
        EverydayFile("subtitles/boat.srt", SRT.encode("utf-8"), ("The boat leaves at half past six.", "Wear the vest.", "Ropes off!"), ("{\\an8}", "<font", "X1:0")),
        EverydayFile("subtitles/sauna.vtt", ROLLING.encode(), ("the sauna opens at seven sharp",), ("opens the sauna", "sharp at seven sharp", "<c>")),
    ]  # fmt: skip


def records() -> list[EverydayFile]:
    """Return JSON, YAML, TOML, XML and notebooks."""
    return [
        EverydayFile("data/greenhouse.toml", TOML.encode(), ("How the greenhouse is run", "21.50", "They close at dusk.", "basil", "2025-03-04")),
        EverydayFile("data/watch.yaml", YAML.encode(), ("Calls the brigade before anyone else.", "007 12", "Never alone: always in pairs.", "document", "kept too", "Bo"), ("brigadebefore",), or_warned=("0x1F", "Rota of the fire watch")),
        EverydayFile("data/boiler.jsonl", LOGS.encode(), ("Boiler 3 is at 98.5 degrees", "12345678901234567890", "north"), ("1.2345678901234567e",)),
        EverydayFile("data/ferry_api.json", json.dumps(API).encode(), ("Books places on the ferry.", "List the trips", "Pier of departure", "2.5")),
        EverydayFile("data/order.json", json.dumps(DELTA, indent=2).encode(), ("12.40", "400.01", "Deliver to the back door.", "1e-07"), ("4.00E", "<b>")),
        EverydayFile("data/ticket.properties", PROPERTIES.encode(), ("Welcome aboard", "for ninety minutes.", "labels of the ticket machine")),
        EverydayFile("xml/tractor.xml", DOCBOOK.encode(), ("preheat for 30 s", "Longer in frost.", "Turn the key", "Never start it in gear.", "1 .. 4.5", "2 .. 12"), ("HIDDENCOMMENT", "frost..", "4.52"), or_warned=("Below 5°C", "T-800"), headings=("Starting",), code=("--slow",)),
        EverydayFile("xml/pier.rss", FEED.encode(), ("The pier is closed until 3 May.", "The crane lifts 12.5 t."), ("<b>", "&nbsp;", "&lt;")),
        EverydayFile("xml/invoice.xml", INVOICE.encode(), ("2025-0042", "Zahlbar binnen 14 Tagen.", "12.40", "400.01", "EUR"), ("12.40buoy", "rope12")),
        EverydayFile("code/till.py", PYTHON.encode(), ("The till is counted twice.", "raise if the cash is short", "since March", "0.075"), code=("closed with {cash} coins",)),
        EverydayFile("code/ledger.sh", SCRIPT.encode(), ("Ledger saved; tapes go to the vault.", "Backs up the ledger each night.")),
        EverydayFile("notebook/tides.ipynb", json.dumps(NOTEBOOK).encode(), ("The gauge stands at pier 4.", "4 .. 2.40", "2.40 metres at noon", "Raw remark: spring tides add 0.8."), ("iVBOR",), code=("tide(4)",), headings=("Tides",)),
    ]  # fmt: skip


def books() -> list[EverydayFile]:
    """Return books and archives."""
    return [
        EverydayFile("epub/garden.epub", book_file(PAGES, (("one.xhtml", ""), ("two.xhtml", ""))), ("Sow after the last frost", "About the ice saints.", "Beans like 12 degrees.", "depth .. 3 cm"), ("40 cmdepth",), headings=("Sowing", "Beans"), order=("Sow after", "Beans like")),
        EverydayFile("archives/pumps.tar.xz", _tar(), ("Pump 9 is spare.", "9 .. 4.5")),
    ]  # fmt: skip
