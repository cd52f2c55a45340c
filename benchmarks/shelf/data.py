# ruff: noqa: E501
"""Tables, records, translations, dumps, logs, subtitles, settings, code, books and notebooks."""

from __future__ import annotations

import json

from benchmarks.awkward.office import book_file
from benchmarks.everyday.case import EverydayFile
from benchmarks.mixed.case import zipped

TOTALS = '\ufeffOrder report;;;\r\nCreated;14.03.2025 09:12;;\r\n;;;\r\nItem no.;Item;Amount;Share\r\n0007;Rope, red;1.204,50 €;12,5 %\r\n0012;"Anchor ""Bruce""";88,00 €;0,9 %\r\nTotal;;1.292,50 €;\r\n'
QUOTES = 'id,text,when\n1,"She said, ""wait""\nand left",2025-03-04T10:00\n2,it\'s 5" wide,2025-03-05\n3,\'single, quoted\',\n4,"trailing" junk,x\n'
UNITS = '# measured on the pier\n# gauge\tm\tremark\ngauge\tm\tremark\nG1\t2.40\tcalm\nG2\t-0.35\t\nG3\t1e-3\t"broken\n'
TALK = [
    {"speaker": "Ana", "start": 0.0, "text": "Shall we close the bridge?"},
    {"speaker": "Bo", "start": 3.25, "text": "At ten, for 45 minutes."},
]
CONFIG = {
    "$schema": "x",
    "rooms": {"attic": {"heated": False, "area_m2": 31.50}, "hall": {"heated": True, "area_m2": 120}},
    "notes": ["The hall is let by the hour.", "Attic: no open fire."],
    "empty": {},
    "none": None,
    "big": 9007199254740993,
    "uni": "\u00e9\ud83d\ude00",
    "multi": "first line\nsecond line",
}
YAML = '%YAML 1.2\n---\ndefaults: &d {retries: 3, wait: 1.50}\njobs:\n- name: sweep\n  <<: *d\n  script: |\n    broom --all\n      --corners\n  when: 2025-03-04\n  yes: no\n- name: "polish: brass"\n  oct: 0o17\n  nothing: ~\ntext: >-\n  Folded text goes\n  on one line.\n\n  New paragraph.\nлюк: закрыт\n...\n'
PO = '#. Shown on the door\n#: src/door.c:12\n#, fuzzy\nmsgctxt "sign"\nmsgid "Push"\nmsgstr "Drücken"\n\nmsgid "%d key"\nmsgid_plural "%d keys"\nmsgstr[0] "%d Schlüssel hängt"\nmsgstr[1] "%d Schlüssel hängen"\n\nmsgid ""\n"The gate closes "\n"at ten."\nmsgstr ""\n"Das Tor schließt "\n"um zehn."\n'
XLIFF = '<?xml version="1.0"?><xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en" target-language="fi" original="a"><body><trans-unit id="t1"><source>Close the <g id="1">sluice</g> at dusk.</source><target>Sulje <g id="1">sulku</g> hämärässä.</target><note>Imperative</note></trans-unit></body></file></xliff>'
INI = "; settings of the greenhouse\n[vents]\nopen_at = 24.5 ; degrees\nmessage = Vents open; stand back\n\n[Water]\nstart=06:00\npath=C:\\tank\\new\n"
SQL = "-- Dump of the boat club\nCREATE TABLE `boats` (\n  `id` int NOT NULL, -- number on the bow\n  `name` varchar(80) DEFAULT 'it''s new',\n  PRIMARY KEY (`id`)\n);\nINSERT INTO `boats` VALUES (7,'Gull; grey'),(12,'O\\'Hara');\n/* The trigger keeps the log. */\nCREATE TRIGGER t AFTER INSERT ON boats BEGIN UPDATE n SET c = c + 1; END;\n"
LOG = '2025-03-04 10:00:00,123 INFO  [pump] Pump 3 started\n2025-03-04 10:00:02,456 ERROR [pump] Pump 3 failed\nTraceback (most recent call last):\n  File "pump.py", line 12, in run\n    raise Dry("well is dry")\nDry: well is dry\n\x1b[33m2025-03-04 10:00:09 WARN\x1b[0m valve   4 is stuck\nMar  4 10:01:00 host kernel: [12.5] eth0 up\n127.0.0.1 - - [04/Mar/2025:10:02:00 +0100] "GET /tide HTTP/1.1" 200 512\n'
SRT = "1\n00:00:01,000 --> 00:00:04,000\nThe first buoy is red. It\n\n2\n00:00:04,200 --> 00:00:07,000\nmarks the shoal. Keep it\n\n3\n00:00:07,100 --> 00:00:09,000\non your left. The second is green.\n\n4\n00:00:12,000 --> 00:00:14,500\n<i>(foghorn)</i>\n- Did you hear that?\n- Yes, slow down.\n"
SBV = "WEBVTT\n\nREGION\nid:fred\nwidth:40%\n\n1 - intro\n00:01.000 --> 00:03.000 region:fred\n<v.loud Esme>Cast &amp; off &lt;now&gt;.\n\n00:03.500 --> 00:05.000\n<ruby>潮<rt>しお</rt></ruby>が満ちる。\n\n00:05.000 --> 00:06.000\n<lang en>Ebb begins.</lang><00:05.500>\n"
JAVA = '/** Counts the nets. */\npublic class Nets {\n    // nets per boat\n    private static final int PER_BOAT = 14;\n\n    /**\n     * Adds a net.\n     * @param size mesh in mm\n     */\n    public void add(int size) {\n        String s = """\n            mesh of\n            the net""";\n    }\n}\n'
GO = 'package main\n\n// Tide is the height in metres.\ntype Tide float64\n\n/* Rise raises it. */\nfunc (t *Tide) Rise(by float64) error {\n\tif by > 2.4 {\n\t\treturn fmt.Errorf("too high: %v", by)\n\t}\n\treturn nil\n}\n'
MAKE = '# builds the boat\nBOAT ?= gull\n\n.PHONY: all\nall: hull mast ## build everything\n\t@echo "building $(BOAT)"\n\nhull:\n\tsaw --length 8.25 \\\n\t  --oak\n'
DOCKER = 'FROM scratch\n# serves the tide table\nLABEL note="Port 8080 is for the pier."\nRUN set -e; \\\n    echo tide\nCMD ["tide", "--port", "8080"]\n'
JS = "// @ts-check\n/**\n * Rings the bell.\n * @returns {number} strokes\n */\nexport const ring = async (hour = 12) => {\n  const text = `It is ${hour}; {not a block}`;\n  return hour > 12 ? hour - 12 : hour; // never zero\n};\n"
CSS = '/* Colours of the jetty */\n.jetty::before { content: "Mind the gap"; color: #c0ffee; }\n@media print { .jetty { display: none } }\n'
NOTEBOOK = {"nbformat": 4, "nbformat_minor": 2, "metadata": {"language_info": {"name": "python"}}, "cells": [
    {"cell_type": "markdown", "metadata": {}, "source": ["# Gauge\n", "\n", "Level in *metres*; $h = 2.4$.\n", "\n", "- calm\n", "- storm"]},
    {"cell_type": "code", "metadata": {}, "execution_count": 2, "source": ["df.head()\n", "# last line"], "outputs": [{"output_type": "execute_result", "metadata": {}, "execution_count": 2, "data": {"text/html": ["<style>OUTSTYLE</style><table border=1><thead><tr><th></th><th>pier</th><th>m</th></tr></thead><tbody><tr><th>0</th><td>north</td><td>400.01</td></tr><tr><th>1</th><td>south</td><td>3</td></tr></tbody></table>"], "text/plain": ["    pier       m\n", "0  north  400.01"]}}]},
    {"cell_type": "code", "metadata": {}, "execution_count": 3, "source": "1/0", "outputs": [{"output_type": "stream", "name": "stderr", "text": ["warning: gauge is old\n"]}, {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero", "traceback": ["\x1b[0;31mZeroDivisionError\x1b[0m: division by zero"]}]},
    {"cell_type": "markdown", "metadata": {}, "attachments": {"a.png": {"image/png": "iVBORATT"}}, "source": "![Chart of the tide](attachment:a.png)\n\nDone."}]}  # fmt: skip
BOOK = {
    "cover.xhtml": "<html xmlns='http://www.w3.org/1999/xhtml'><body><img src='c.jpg' alt='Cover with a lighthouse'/></body></html>",
    "c1.xhtml": "<html xmlns='http://www.w3.org/1999/xhtml'><head><title>x</title></head><body><div class='chapter'><p class='h1'>1</p><h1>The Lamp<br/>Room</h1><p>The lamp turned every <i>twelve</i> seconds.&#160;<span epub:type='pagebreak' xmlns:epub='http://www.idpf.org/2007/ops' title='14'/></p><p style='text-align:center'>* * *</p><p>“Oil,” he said, “two gallons.”</p></div></body></html>",
    "c2.xhtml": "<html xmlns='http://www.w3.org/1999/xhtml'><body><h1>The Stairs</h1><ol start='196'><li>the last step</li></ol><blockquote><p>One hundred ninety-six steps.</p></blockquote><pre>log  03:00\n  fog</pre></body></html>",
}  # fmt: skip
FEED = '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><title>Pier log</title><entry><title type="html">Crane &amp;amp; rope</title><id>urn:1</id><updated>2025-03-04T10:00:00Z</updated><summary>Short.</summary><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>The crane lifts <b>2.5&#160;t</b>.</p><ul><li>no riders</li></ul></div></content><author><name>Tor</name></author></entry></feed>'
GPX = '<?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><wpt lat="59.41" lon="10.48"><name>Bastøy light</name><desc>Anchor in 6 m, sand.</desc></wpt></gpx>'
SITE = '<?xml version="1.0"?><config><!-- HIDDENXML --><server port="8080" name="tide"><doc>Restarts <em>nightly</em> at 3.</doc></server><row a="400.01" b="3"/><row a="7" b="14"/><![CDATA[<raw> & kept]]></config>'


def tables() -> list[EverydayFile]:
    """Return delimited tables and subtitles."""
    return [
        EverydayFile("tables/orders.csv", TOTALS.encode(), ("0007 .. Rope, red .. 1.204,50 € .. 12,5 %", '0012 .. Anchor "Bruce" .. 88,00 €', "Total .. 1.292,50 €", "Created .. 14.03.2025 09:12"), ("\ufeff",), tables=("0007 .. Rope, red",), order=("Order report", "0007", "Total")),
        EverydayFile("tables/quotes.csv", QUOTES.encode(), ('1 .. She said, "wait" and left .. 2025-03-04T10:00', "2025-03-05", "trailing"), or_warned=("it's 5\" wide", "'single, quoted'")),
        EverydayFile("tables/gauges.tsv", UNITS.encode(), ("G1 .. 2.40 .. calm", "G2 .. -0.35", "1e-3", "broken", "measured on the pier"), tables=("G1 .. 2.40",)),
        EverydayFile("tables/latin.csv", "Straße;Größe (m²);Preis\nÄckerweg 4;31,5;€ 410\nÖhrchen;7;„frei“\n".encode("cp1252"), ("Äckerweg 4 .. 31,5 .. € 410", "Öhrchen .. 7 .. „frei“"), tables=("Äckerweg 4",)),
        EverydayFile("subtitles/buoys.srt", SRT.encode(), ("The first buoy is red. It marks the shoal.", "Keep it on your left. The second is green.", "Yes, slow down."), ("<i>", "-->"), order=("The first", "marks", "on your left", "slow down")),
        EverydayFile("subtitles/ebb.vtt", SBV.encode(), ("Cast & off <now>.", "が満ちる。", "Ebb begins."), ("REGION", "fred", "<v", "&lt;", "潮しお")),
    ]  # fmt: skip


def records() -> list[EverydayFile]:
    """Return JSON, YAML, XML, translations, settings, notebooks."""
    return [
        EverydayFile("data/talk.json", json.dumps(TALK).encode(), ("Shall we close the bridge?", "At ten, for 45 minutes.", "3.25")),
        EverydayFile("data/rooms.json", json.dumps(CONFIG, indent=1).encode(), ("31.5", "The hall is let by the hour.", "Attic: no open fire.", "9007199254740993", "é😀", "second line"), ("linesecond", "31.5120")),
        EverydayFile("data/jobs.yaml", YAML.encode(), ("sweep", "1.50", "--corners", "polish: brass", "Folded text goes on one line.", "New paragraph.", "закрыт", "2025-03-04"), ("allbroom",)),
        EverydayFile("i18n/de.po", PO.encode(), ("Drücken", "%d Schlüssel hängen"), or_warned=("Das Tor schließt um zehn.", "The gate closes at ten.", "Shown on the door")),
        EverydayFile("i18n/fi.xlf", XLIFF.encode(), ("Close the sluice at dusk.", "Sulje sulku hämärässä."), ("dusk.Sulje",)),
        EverydayFile("conf/greenhouse.ini", INI.encode(), ("settings of the greenhouse", "24.5", "Vents open; stand back", "C:\\tank\\new", "06:00")),
        EverydayFile("xml/pier.atom", FEED.encode(), ("The crane lifts 2.5 t.", "no riders"), ("2.5 t.no",), or_warned=("Crane & rope",)),
        EverydayFile("xml/light.gpx", GPX.encode(), ("Bastøy light", "Anchor in 6 m, sand.", "59.41")),
        EverydayFile("xml/site.xml", SITE.encode(), ("Restarts nightly at 3.", "8080", "400.01", "14", "<raw> & kept"), ("HIDDENXML", "400.013", "at3")),
        EverydayFile("notebook/gauge.ipynb", json.dumps(NOTEBOOK).encode(), ("Level in metres;", "north .. 400.01", "warning: gauge is old", "ZeroDivisionError: division by zero", "Done.", "Chart of the tide"), ("OUTSTYLE", "400.013", "iVBOR", "\x1b"), headings=("Gauge",), code=("df.head()\n# last line",), lists=("storm",)),
    ]  # fmt: skip


def programs() -> list[EverydayFile]:
    """Return code, dumps, logs and books."""
    return [
        EverydayFile("code/boats.sql", SQL.encode(), ("Dump of the boat club", "number on the bow", "'Gull; grey'", "The trigger keeps the log."), code=("CREATE TRIGGER t",)),
        EverydayFile("logs/pumps.log", LOG.encode(), ("[pump] Pump 3 started", "well is dry", "valve   4 is stuck", "GET /tide HTTP/1.1", "eth0 up"), ("\x1b[", "failedTraceback")),
        EverydayFile("code/Nets.java", JAVA.encode(), ("Counts the nets.", "nets per boat", "mesh in mm"), code=("            mesh of",)),
        EverydayFile("code/tide.go", GO.encode(), ("Tide is the height in metres.", "Rise raises it.", "too high: %v"), code=("\t\treturn fmt.Errorf",)),
        EverydayFile("code/Makefile", MAKE.encode(), ("builds the boat", "building $(BOAT)", "--length 8.25"), code=("\tsaw --length 8.25",)),
        EverydayFile("code/Dockerfile", DOCKER.encode(), ("serves the tide table", "Port 8080 is for the pier."), code=("RUN set -e; \\\n    echo tide",)),
        EverydayFile("code/bell.mjs", JS.encode(), ("Rings the bell.", "never zero", "It is ${hour}; {not a block}"), code=("export const ring",)),
        EverydayFile("code/jetty.css", CSS.encode(), ("Colours of the jetty", "Mind the gap"), code=("@media print",)),
        EverydayFile("epub/lamp.epub", book_file(BOOK, (("cover.xhtml", ""), ("c1.xhtml", ""), ("c2.xhtml", ""))), ("The lamp turned every twelve seconds.", "“Oil,” he said, “two gallons.”", "196. the last step", "One hundred ninety-six steps."), ("LampRoom",), headings=("The Lamp Room", "The Stairs"), code=("  fog",), order=("The lamp turned", "two gallons", "the last step", "ninety-six steps"), or_warned=("Cover with a lighthouse",)),
        EverydayFile("packed/outer.zip", zipped({"a/inner.zip": zipped({"deep/notes.md": "# Deep\n\nThe deepest shelf is damp.\n", "t.tsv": "box\tkg\n7\t12.5\n"}), "b.eml": "From: a@x.example\nTo: b@x.example\nSubject: In a zip\n\nThe letter in the archive.\n", "src/x.py": 'print("hello from the archive")\n', ".DS_Store": b"\0\0", "Thumbs.db": b"\xd0\xcf\x11\xe0"}), ("The deepest shelf is damp.", "7 .. 12.5", "The letter in the archive.", "hello from the archive"), headings=("Deep",)),
    ]  # fmt: skip
