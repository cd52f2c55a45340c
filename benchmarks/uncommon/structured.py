# ruff: noqa: E501
"""JSON, YAML, XML, notebooks, subtitles and source code."""

from __future__ import annotations

import gzip
import json

from benchmarks.uncommon.case import UncommonFile

DOCBOOK = """<?xml version="1.0" encoding="UTF-8"?>
<article xmlns="http://docbook.org/ns/docbook" version="5.0" xmlns:xlink="http://www.w3.org/1999/xlink">
<info><title>The ferry engine</title><author><personname>Ole Bang</personname></author></info>
<section xml:id="oil"><title>Oil</title><para>Change the <emphasis>oil</emphasis> every 400 hours; see <xref linkend="fig"/>.</para>
<warning><title>Heat</title><para>The sump is hot for an hour.</para></warning>
<procedure><step><para>Open the drain.</para><substeps><step><para>Mind the washer.</para></step></substeps></step><step><para>Close it.</para></step></procedure>
<table><title>Fillings</title><tgroup cols="3"><thead><row><entry>part</entry><entry>litres</entry><entry>grade</entry></row></thead><tbody><row><entry morerows="1">sump</entry><entry>24.5</entry><entry>40</entry></row><row><entry>3</entry><entry>50</entry></row></tbody></tgroup></table>
<variablelist><varlistentry><term>TBN</term><listitem><para>reserve of the oil against acid</para></listitem></varlistentry></variablelist>
<programlisting>pump --drain <replaceable>N</replaceable></programlisting><para>Dispose of it<footnote><para>Never in the bilge.</para></footnote> ashore.</para><!-- HIDDENNOTE --></section></article>"""
JATS = '<?xml version="1.0"?><article><front><article-meta><title-group><article-title>Moss on slate roofs</article-title></title-group><abstract><p>Moss holds 4.2 times its weight in water.</p></abstract></article-meta></front><body><sec><title>Methods</title><p>Slates were weighed <xref ref-type="bibr" rid="b1">1</xref> twice.</p><table-wrap><label>Table 1.</label><caption><p>Weights</p></caption><table><tr><th>slate</th><th>g</th></tr><tr><td>S1</td><td>400.01</td></tr></table></table-wrap></sec></body></article>'
RSS = '<?xml version="1.0" encoding="windows-1252"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Weir news</title><item><title>Eel pass opened</title><description>&lt;p&gt;The pass is open from &lt;b&gt;dusk&lt;/b&gt;.&lt;/p&gt;</description><content:encoded><![CDATA[<p>Eels climb it on straw – at night.</p>]]></content:encoded><pubDate>Tue, 04 Mar 2025 09:30:00 GMT</pubDate></item></channel></rss>'
STRINGS = '<?xml version="1.0" encoding="utf-8"?>\n<resources>\n<string name="open">The <b>gate</b> is open\\n until %1$d</string>\n<plurals name="boats"><item quantity="one">one boat</item><item quantity="other">%d boats wait</item></plurals>\n</resources>'
POM = "<project><groupId>x.example</groupId><artifactId>winch</artifactId><version>2.10.0</version><description>Drives the winch of the boat house.</description><dependencies><dependency><artifactId>rope</artifactId><version>1.1</version></dependency></dependencies></project>"
TEI = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div><head>Letter 9</head><p>The mill race froze<note place="foot">In January 1864.</note> and <choice><sic>teh</sic><corr>the</corr></choice> wheel stood <lb/>still.</p><lg><l>Ice on the wheel,</l><l>and none to grind.</l></lg></div></body></text></TEI>'
COMPOSE = "# the stack\nversion: '3.8'\nx-common: &common\n  restart: unless-stopped\nservices:\n  web:\n    <<: *common\n    image: x.example/web:2.10\n    command: >-\n      serve --port 8080\n      --threads 4\n    environment:\n      - GREETING=Welcome to the boat house\n      - RATE=0.10\n    ports: ['8080:80']\n"
MANIFESTS = "apiVersion: v1\nkind: ConfigMap\ndata:\n  motd.txt: |\n    The slipway is closed for dredging.\n\n    Use the north ramp.\n  on: yes\n  country: no\n---\napiVersion: batch/v1\nkind: CronJob\nspec:\n  schedule: '*/5 * * * *'\n...\n"
OPENAPI = "openapi: 3.0.3\ninfo:\n  title: Locks\n  version: 1.10\n  description: |\n    Opens **locks** of the canal.\n\n    | code | meaning |\n    |---|---|\n    | 409 | lock is moving |\npaths:\n  /locks/{id}/open:\n    post:\n      summary: Open one lock\n      responses:\n        '409': {description: 'Another boat is in the lock.'}\n"
TAGGED = 'secret: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  6162\ntasks:\n- name: Grease the paddle gear\n  when: "season != \'winter\'"\n  tags: [grease, gear]\n"quoted: key": \'value # not a comment\' # a comment\nlong: "first part \\\n  second part"\n'
EXPORT = [
    {
        "user": "U1",
        "type": "message",
        "text": "The gauge <https://x.example|reads> 4.20 m &amp; rises",
        "ts": "1741080600.000100",
        "replies": [{"text": "Then close gate 3."}],
        "reactions": [],
    },
    {"type": "file", "title": None, "size": 12345678901234567890},
]
CHATS = [
    {
        "messages": [
            {"role": "user", "content": "How deep is the dock?"},
            {"role": "assistant", "content": [{"type": "text", "text": "It is 7.25 m deep at low water."}]},
        ]
    },
    {"messages": []},
]
NOTEBOOK = {"nbformat": 4, "nbformat_minor": 4, "metadata": {"language_info": {"name": "python"}}, "cells": [
    {"cell_type": "markdown", "metadata": {}, "source": ["# Silt\n", "\n", "Silt is *sounded* monthly.\n"]},
    {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": "depths = [4.2, 3.9]\nprint(min(depths))", "outputs": [{"output_type": "stream", "name": "stdout", "text": ["3.9\n", "shallowest at the \x1b[31mnorth quay\x1b[0m\n"]}, {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/html": "<table><tr><th>quay</th><th>m</th></tr><tr><td>north</td><td>3.9</td></tr></table>", "text/plain": "quay m"}}]},
    {"cell_type": "code", "metadata": {}, "execution_count": 2, "source": ["1/0"], "outputs": [{"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero", "traceback": ["\x1b[0;31mZeroDivisionError\x1b[0m: division by zero"]}]}]}  # fmt: skip
OLD_NOTEBOOK = {
    "nbformat": 3,
    "nbformat_minor": 0,
    "metadata": {"name": "Old"},
    "worksheets": [
        {
            "cells": [
                {"cell_type": "heading", "level": 1, "source": ["Dredging"]},
                {"cell_type": "markdown", "source": ["The dredger comes in spring."]},
                {
                    "cell_type": "code",
                    "input": ["volume = 400.01"],
                    "language": "python",
                    "outputs": [{"output_type": "pyout", "prompt_number": 1, "text": ["400.01"]}],
                },
            ]
        }
    ],
}


def records() -> list[UncommonFile]:
    """Return JSON, YAML and notebooks."""
    lines = "\n".join(json.dumps(chat) for chat in CHATS)
    return [
        UncommonFile("json/export.json", json.dumps(EXPORT).encode(), ("4.20 m", "Then close gate 3.", "12345678901234567890")),
        UncommonFile("json/chats.jsonl", lines.encode(), ("How deep is the dock?", "It is 7.25 m deep at low water.")),
        UncommonFile("json/events.jsonl.gz", gzip.compress(lines.encode(), mtime=0), ("It is 7.25 m deep at low water.",)),
        UncommonFile("json/utf16.json", json.dumps({"Größe": "sechzehn Meter"}, ensure_ascii=False).encode("utf-16"), ("sechzehn Meter",)),
        UncommonFile("json/mark.json", b"\xef\xbb\xbf" + json.dumps({"note": "A mark precedes the dock rules."}).encode(), ("A mark precedes the dock rules.",)),
        UncommonFile("json/rows.json", json.dumps({"columns": ["berth", "fee"], "rows": [["A", 400.01], ["B", 3]]}).encode(), ("400.01",), ("400.013",)),
        UncommonFile("json/settings.jsonc", b'{\n  // how long the lamp burns\n  "lamp": "until dawn", /* block */\n  "list": [1, 2,],\n}\n', ("until dawn",)),
        UncommonFile("json/long.json", json.dumps({f"rule_{n}": f"Rule {n} forbids swimming within {n} metres of weir {n % 9}." for n in range(500)}, indent=1).encode(), ("Rule 499 forbids swimming within 499 metres of weir 4.",)),
        UncommonFile("yaml/compose.yml", COMPOSE.encode(), ("Welcome to the boat house", "serve --port 8080 --threads 4", "0.10", "2.10"), (), None),
        UncommonFile("yaml/manifests.yaml", MANIFESTS.encode(), ("The slipway is closed for dredging.", "Use the north ramp.", "*/5 * * * *"), ("false",)),
        UncommonFile("yaml/locks.yaml", OPENAPI.encode(), ("Another boat is in the lock.", "Open one lock", "lock is moving", "1.10")),
        UncommonFile("yaml/tasks.yaml", TAGGED.encode(), ("Grease the paddle gear", "value # not a comment", "first part second part")),
        UncommonFile("notebook/silt.ipynb", json.dumps(NOTEBOOK).encode(), ("Silt is sounded monthly.", "print(min(depths))", "north .. 3.9", "shallowest at the north quay", "division by zero"), ("\x1b", "[31m"), headings=("Silt",), code=("print(min(depths))",)),
        UncommonFile("notebook/old.ipynb", json.dumps(OLD_NOTEBOOK).encode(), ("The dredger comes in spring.", "volume = 400.01"), (), None),
    ]  # fmt: skip


def xml() -> list[UncommonFile]:
    """Return XML of several vocabularies."""
    return [
        UncommonFile("xml/ferry.xml", DOCBOOK.encode(), ("Change the oil every 400 hours", "The sump is hot for an hour.", "Open the drain.", "Mind the washer.", "sump .. 24.5 .. 40", "3 .. 50", "reserve of the oil against acid", "pump --drain N", "Never in the bilge."), ("24.540", "HIDDENNOTE"), headings=("The ferry engine", "Oil")),
        UncommonFile("xml/moss.xml", JATS.encode(), ("Moss holds 4.2 times its weight in water.", "Slates were weighed 1 twice.", "S1 .. 400.01"), (), None),
        UncommonFile("xml/weir.rss", RSS.encode("cp1252"), ("Eel pass opened", "The pass is open from dusk.", "Eels climb it on straw – at night."), ("<p>", "&lt;")),
        UncommonFile("xml/strings.xml", STRINGS.encode(), ("%d boats wait", "The gate is open"), ("<b>",)),
        UncommonFile("xml/pom.xml", POM.encode(), ("Drives the winch of the boat house.", "2.10.0"), ("2.10.0Drives",)),
        UncommonFile("xml/letter.xml", TEI.encode(), ("The mill race froze", "In January 1864.", "and none to grind."), ("wheel,and",)),
        UncommonFile("xml/cyrillic.xml", '<?xml version="1.0" encoding="windows-1251"?><спр><кв ном="12"><долг>1450,50</долг><прим>Счётчик опломбирован.</прим></кв></спр>'.encode("cp1251"), ("Счётчик опломбирован.", "1450,50"), ("1450,50Сч",)),
        UncommonFile("xml/places.kml", b'<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><name>Eel pass</name><description><![CDATA[Open at <b>dusk</b>.]]></description></Placemark></kml>', ("Eel pass",)),
        UncommonFile("xml/feeds.opml", b'<opml version="2.0"><body><outline text="Weir news" xmlUrl="https://x.example/rss"/></body></opml>', ("Weir news",)),
    ]  # fmt: skip


SRT = "1\r\n00:00:01,000 --> 00:00:04,000\r\n- Où est la clé du moulin ?\r\n- Sous l’auge de pierre.\r\n\r\n2\r\n00:00:04,500 --> 00:00:07,000\r\n<i>La roue tourne</i>\r\nà contresens.\r\n\r\n"
VTT = "WEBVTT - Tour of the mill\n\nNOTE\nHIDDENREMARK of the editor\n\nSTYLE\n::cue { color: red }\n\nintro\n00:01.000 --> 00:04.000 position:10%,line-left\n<v.loud Greta>Mind the <b>third</b> step, it creaks.</v>\n\n00:04.000 --> 00:09.000\n<v Hugo>The stones weigh &gt; 900 kilos.\n\n01:00:00.000 --> 01:00:02.000\nAn hour later the flour is sacked.\n"
ASS = "\ufeff[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Top,Arial\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nComment: 0,0:00:00.00,0:00:01.00,Top,,0,0,0,,HIDDENREMARK\nDialogue: 0,0:00:01.00,0:00:03.50,Top,Greta,0,0,0,,{\\k20}Oats,{\\k30} rye,\\N{\\an8}and barley\\hare milled.\n"


def subtitles() -> list[UncommonFile]:
    """Return subtitles."""
    return [
        UncommonFile("subtitles/moulin.srt", SRT.encode("cp1252"), ("Où est la clé du moulin ?", "Sous l’auge de pierre.", "La roue tourne à contresens."), ("<i>",)),
        UncommonFile("subtitles/mill_cp1251.srt", "1\n00:00:01,000 --> 00:00:03,000\nКолесо вращается медленно, потому что мало воды.\n".encode("cp1251"), ("Колесо вращается медленно, потому что мало воды.",)),
        UncommonFile("subtitles/mill.vtt", VTT.encode(), ("Mind the third step, it creaks.", "The stones weigh > 900 kilos.", "An hour later the flour is sacked."), ("HIDDENREMARK", "<v", "::cue")),
        UncommonFile("subtitles/mill.ass", ASS.encode(), ("Oats, rye,", "and barley are milled."), ("HIDDENREMARK", "{\\", "\\N")),
    ]  # fmt: skip


PYTHON = '# -*- coding: latin-1 -*-\n"""Count the bags of the mill.\n\nBags are counted at night; a torn bag counts half.\n"""\nfrom x import y\n\n\nclass Mill:\n    """A mill on a brook.\n\n    Attributes:\n        wheel: diameter in metres, 0 for none.\n    """\n\n    GRÖSSE = 4.20\n\n    async def grind(self, *, bags: int = 7) -> float:\n        r"""Grind bags of grain, coarse first."""\n        return f"{bags * 2.5:>8.2f} {self.GRÖSSE}"\n'
CPP = "/**\n * @brief Opens the flume.\n *\n * The flume is opened by a quarter turn\n * and closed by its own weight.\n */\ntemplate <typename T>\nclass Flume : public Gate<T> {\npublic:\n    static constexpr double kDrop = 2.75;  // metres\n    auto open(T&& by) const noexcept -> int { return by << 1; }\n};\n#define MAX(a,b) \\\n  ((a) > (b) ? (a) : (b))\n"
TSX = '/** Shows the level of the pond. */\nexport const Pond: React.FC<{level: number}> = ({ level }) => (\n  <section className="pond">\n    <p>The pond is {level} cm deep.</p>\n    {level > 40 && <strong>Overflow is open!</strong>}\n  </section>\n);\n'
PHP = "<?php\n/* Prints the price list. */\n$rates = ['rye' => 400.01, 'oats' => 3];\n?>\n<h1>Prices of the mill</h1>\n<?php foreach ($rates as $k => $v): ?>\n<p><?= $k ?>: <?= $v ?></p>\n<?php endforeach; ?>\n"
RUBY = "# Grinds at night.\nmodule Mill\n  TEXT = <<~NOTE\n    The miller sleeps\n    above the stones.\n  NOTE\n  def grind(bags) = bags.map { |b| b * 2.5 }\nend\n__END__\nData after the end: 88 sacks.\n"
POWERSHELL = '\ufeff<#\n.SYNOPSIS\n  Stops the wheel.\n.PARAMETER Force\n  Also when grain is in the hopper.\n#>\nfunction Stop-Wheel { param([switch]$Force) Write-Output "stopped" }\n'
FORTRAN = "      PROGRAM WEIR\nC     COMPUTES THE FLOW OVER THE WEIR\n      REAL Q\n      Q = 1.84 * 2.0\n     &    * 0.5\n      END\n"
SQL = "-- Boats and berths\nCREATE TABLE boat (\n  id integer PRIMARY KEY,\n  fee numeric(8,2) DEFAULT 400.01 -- a year\n);\nCOMMENT ON TABLE boat IS 'One row for every boat that ever moored.';\n/* The view\n   hides sold boats. */\nCREATE VIEW afloat AS SELECT * FROM boat;\n"
OTHERS = {
    "Wheel.kt": ("/** Turns the wheel once. */\nfun turn(w: Wheel): Int = w.teeth * 37\n", "Turns the wheel once."),
    "wheel.swift": ("/// Stops the wheel gently.\nfunc stop() -> Bool { guard teeth > 7 else { return false }; return true }\n", "Stops the wheel gently."),
    "wheel.hs": ("-- | Teeth of the wheel.\nteeth :: Int -> Int\nteeth n = n * 37\n", "Teeth of the wheel."),
    "wheel.lua": ("--[[ Greases the axle\n     every spring. ]]\nlocal function grease(n) return n .. ' drops' end\n", "every spring. ]]"),
    "wheel.R": ("#' Flow over the wheel\n#' @param h head in metres\nflow <- function(h) 1.84 * h^1.5\n", "Flow over the wheel"),
    "wheel.jl": ('"""\n    spin(w)\n\nSpin the wheel backwards.\n"""\nspin(w) = -w\n', "Spin the wheel backwards."),
    "wheel.sh": ("#!/bin/sh\ncat <<EOF\nThe wheel is locked.\nEOF\n# unlock it\nexit 3\n", "The wheel is locked."),
    "wheel.tf": ('resource "wheel" "main" {\n  # turns slowly\n  teeth = 37\n}\n', "# turns slowly"),
    "wheel.proto": ('syntax = "proto3";\n// A wheel of the mill.\nmessage Wheel { int32 teeth = 1; }\n', "A wheel of the mill."),
    "CMakeLists.txt": ("# Builds the wheel\nadd_executable(wheel wheel.c)\nset(TEETH 37)\n", "add_executable(wheel wheel.c)"),
    "wheel.cs": ("/// <summary>Oils the wheel.</summary>\npublic record Wheel(int Teeth = 37);\n", "Oils the wheel."),
    "wheel.scala": ("/** Counts the teeth. */\nobject Wheel { val teeth = List(37, 41).sum }\n", "Counts the teeth."),
}  # fmt: skip


def code() -> list[UncommonFile]:
    """Return source code."""
    return [
        UncommonFile("code/mill.py", PYTHON.encode("latin-1"), ("Bags are counted at night; a torn bag counts half.", "wheel: diameter in metres, 0 for none.", "GRÖSSE = 4.20", "Grind bags of grain, coarse first.", "{bags * 2.5:>8.2f}"), code=("GRÖSSE = 4.20",)),
        UncommonFile("code/flume.hpp", CPP.encode(), ("The flume is opened by a quarter turn", "static constexpr double kDrop = 2.75; // metres", "((a) > (b) ? (a) : (b))")),
        UncommonFile("code/Pond.tsx", TSX.encode(), ("Shows the level of the pond.", "The pond is {level} cm deep.", "Overflow is open!")),
        UncommonFile("code/prices.php", PHP.encode(), ("Prices of the mill", "'rye' => 400.01", "Prints the price list.")),
        UncommonFile("code/mill.rb", RUBY.encode(), ("above the stones.", "Data after the end: 88 sacks.")),
        UncommonFile("code/wheel.ps1", POWERSHELL.encode("utf-16"), ("Also when grain is in the hopper.", 'Write-Output "stopped"')),
        UncommonFile("code/weir.f90", FORTRAN.encode(), ("COMPUTES THE FLOW OVER THE WEIR", "Q = 1.84 * 2.0")),
        UncommonFile("code/boats.sql", SQL.encode(), ("One row for every boat that ever moored.", "numeric(8,2) DEFAULT 400.01 -- a year", "hides sold boats. */")),
        *(UncommonFile(f"code/{name}", text.encode(), (said,)) for name, (text, said) in OTHERS.items()),
    ]  # fmt: skip
