# ruff: noqa: E501
"""Tables of text, structured text, light markup, subtitles, code, logs."""

from __future__ import annotations

import json

from benchmarks.awkward.case import AwkwardFile


def tables() -> list[AwkwardFile]:
    """Delimited tables."""
    wide = ",".join(f"c{n}" for n in range(400)) + "\n" + ",".join(str(n * 7) for n in range(400)) + "\n"
    long = "id;place\n" + "".join(f"{n};pier {n * 3}\n" for n in range(4000))
    return [
        AwkwardFile("tables/german.csv", "Konto;Soll;Haben\r\nMiete;1.204.500,05;-7,00\r\nStrom;(48,20);0,5 %\r\n".encode("cp1252"), ("Miete .. 1.204.500,05 .. -7,00", "Strom .. (48,20) .. 0,5 %"), ("05-7",)),
        AwkwardFile("tables/thousands.csv", b'region,homes,cost\nnorth,"1,204,500","$7.00"\nsouth,"98,017","($48.20)"\n', ("north .. 1,204,500 .. $7.00", "south .. 98,017 .. ($48.20)"), ("500$7",)),
        AwkwardFile("tables/multiline.csv", b'nr,rule,fee\r\n1,"No fires.\r\nNo dogs.\r\n\r\nNo drones.",40\r\n2,"See ""annex"", page 3",0\r\n', ("No drones.", 'See "annex", page 3 .. 0'), ('""',)),
        AwkwardFile("tables/unclosed.csv", b'name,remark\nash,"never closed\nelm,plain\noak,also plain\n', ("elm", "also plain"), (), None),
        AwkwardFile("tables/utf16be.tsv", "\ufeffname\tort\nÅke\tMalmö\nÖrjan\tYstad\n".encode("utf-16-be"), ("Åke .. Malmö", "Örjan .. Ystad")),
        AwkwardFile("tables/comments.csv", b"# exported 2025-05-06\n# by the lock\nlock,boats\nL1,400\nL2,3\n", ("L1 .. 400", "L2 .. 3", "exported 2025-05-06"), ("4003",)),
        AwkwardFile("tables/wide.csv", wide.encode(), ("c399", "2793"), ("27862793",)),
        AwkwardFile("tables/long.csv", long.encode(), ("3999 .. pier 11997", "17 .. pier 51"), ()),
        AwkwardFile("tables/one_column.csv", b"stations\nUlvik\nVoss\nFinse\n", ("Finse", "Ulvik")),
        AwkwardFile("tables/blank_rows.csv", b"\n\n,,,\nitem,net,,gross\n,,,\nrope,400.01,,3\n\n\n", ("rope .. 400.01 .. 3",), ("400.013",)),
        AwkwardFile("tables/bom_semicolon.csv", "\ufeffName;Größe\nZoë;7,5\n".encode(), ("Zoë .. 7,5",), ("\ufeff",)),
        AwkwardFile("tables/dupes.csv", b"year,sum,sum\n2023,5,6\n2024,7,8\n", ("2023 .. 5 .. 6", "2024 .. 7 .. 8"), ("56",)),
        AwkwardFile("tables/tabs.txt", b"berth\tfee\tdepth\nA\t400.01\t3\nB\t88\t14\n", ("A .. 400.01 .. 3", "B .. 88 .. 14"), ("400.013", "8814")),
        AwkwardFile("tables/ascii.txt", b"Prices of the smithy\n\n+--------+--------+----+\n| shoe   | 400.01 |  3 |\n+--------+--------+----+\n| nail   |     88 | 14 |\n+--------+--------+----+\n", ("shoe .. 400.01 .. 3", "nail .. 88 .. 14"), ("400.013",)),
        AwkwardFile("tables/fixed.txt", b"Station      Jan     Feb\nBerg        -3.5    12.0\nDal          0.25   -7.1\n", ("Berg .. -3.5 .. 12.0", "Dal .. 0.25 .. -7.1"), ("512.0",)),
    ]  # fmt: skip


def structured() -> list[AwkwardFile]:
    """JSON, YAML, TOML, XML, notebooks."""
    deep: object = "the innermost note is about eels"
    for _ in range(90):
        deep = {"in": deep}
    geo = {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "properties": {"name": "Eel weir", "depth": 3},
                "geometry": {"type": "Point", "coordinates": [12.5, 55.25]},
            }
        ],
    }
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"name": "x"}}, "cells": [
        {"cell_type": "raw", "metadata": {}, "source": "Raw: gauges are read at six."}, {"cell_type": "markdown", "metadata": {}, "source": ["| gauge | mm |\n", "|---|---|\n", "| G1 | 400.01 |\n"], "attachments": {"a.png": {"image/png": "iVBORw0KGgo="}}},
        {"cell_type": "code", "metadata": {}, "execution_count": None, "source": [], "outputs": [{"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo=", "text/markdown": ["Mean is **7.5**."]}, "metadata": {}}]}]}  # fmt: skip
    openapi = {
        "openapi": "3.0.0",
        "info": {"title": "Lock", "description": "Opens the *lock*."},
        "paths": {"/gates/{id}": {"get": {"summary": "Return the state of a gate."}}},
    }
    return [
        AwkwardFile("json/deep.json", json.dumps(deep).encode(), ("the innermost note is about eels",), (), None),
        AwkwardFile("json/geo.json", json.dumps(geo).encode(), ("Eel weir", "12.5", "55.25"), ("12.555",)),
        AwkwardFile("json/api.json", json.dumps(openapi).encode(), ("Return the state of a gate.", "Opens the *lock*."), ()),
        AwkwardFile("json/scalar.json", b'"Only a sentence: the kiln is cold."', ("Only a sentence: the kiln is cold.",), (), None),
        AwkwardFile("json/comments.json", b'{\n  // opening hours\n  "mon": "6 to 13",\n  "tue": "6 to 18",\n}\n', ("6 to 13", "6 to 18"), (), None),
        AwkwardFile("json/numbers.json", b'{"big": 12345678901234567890123, "exact": 1.10, "tiny": 1e-400, "not": NaN, "dup": "first value", "dup": "second value"}', ("12345678901234567890123", "1.10"), ("inf",), None, or_warned=("first value",)),
        AwkwardFile("json/surrogate.json", b'{"note": "lone \\ud83d half", "ok": "The buoy is lit."}', ("The buoy is lit.",), (), None),
        AwkwardFile("json/lines.ndjson", b'\n{"id": 1, "body": "Nets dry on the east wall.", "tags": ["net", "wall"]}\n\n[1, "an array of a line"]\n"a bare string line"\n', ("Nets dry on the east wall.", "an array of a line", "a bare string line")),
        AwkwardFile("json/cut.json", b'{"a": "The first value stands.", "b": {"c": "cut of', ("The first value stands.",), (), None),
        AwkwardFile("yaml/strings.yaml", b"%YAML 1.2\n---\nkey with spaces: 'it''s tarred'\n? complex\n: value of a complex key\nfolded: >-\n  The skiff is\n  rowed by two.\ntime: 12:30:45\noct: 0o14\nnull_one: ~\nempty:\nlist:\n- - inner one\n  - inner two\nanchor: &a {x: 1}\nuse: *a\ntagged: !!str 007\n", ("it's tarred", "The skiff is rowed by two.", "12:30:45", "inner two", "007", "value of a complex key"), ("45045",)),
        AwkwardFile("yaml/tabs.yaml", b"a:\n\tb: the tab is an error, the anchor is not\n", ("the tab is an error, the anchor is not",), (), None),
        AwkwardFile("toml/pump.toml", b'# settings of the pump\ntitle = "Pump seven"\n[limits]\npressure = 40.5 # bar\nhours = [6, 18]\n[[valve]]\nname = "A\\tB"\ntext = """\nTwo lines\nof help."""\n', ("pressure = 40.5 # bar", "of help.", "settings of the pump")),
        AwkwardFile("ini/lock.ini", b"; lock\n[gate]\nheight=4,5\nmessage = Keep\n  clear\n[gate]\nheight=6\n", ("height=4,5", "height=6")),
        AwkwardFile("ini/props.properties", b"greeting=Welcome to \\u00c5by\\\n   station\n! remark\npath.to\\:x = 7\n", ("path.to",), ()),
        AwkwardFile("xml/mixed.xml", b'<?xml version="1.0"?><!DOCTYPE d SYSTEM "d.dtd"><d xmlns="urn:d"><p>The eel <i>trap</i> is <b>lifted</b> at four.</p><row a="400.01" b="3"/><v>88</v><v>14</v><![CDATA[raw <tags> & all]]></d>', ("The eel trap is lifted at four.", "raw <tags> & all", "400.01"), ("400.013", "8814")),
        AwkwardFile("xml/broken.xml", b"<d><p>First: the barge is towed.</p><q>Second: & loose sign</q><p>Third: it rests", ("First: the barge is towed.",), (), None),
        AwkwardFile("xml/sitemap.xml", b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://x.example/eels</loc></url></urlset>', ("https://x.example/eels",), (), None),
        AwkwardFile("xml/icon.svg", b'<svg xmlns="http://www.w3.org/2000/svg"><title>Sluice</title><text>Depth 3 m</text></svg>', ("Depth 3 m",), (), None),
        AwkwardFile("xml/utf16.xml", '<?xml version="1.0" encoding="UTF-16"?><a><b>Sechzehn Bit für das Wehr</b></a>'.encode("utf-16"), ("Sechzehn Bit für das Wehr",)),
        AwkwardFile("notebook/raw.ipynb", json.dumps(notebook).encode(), ("Raw: gauges are read at six.", "G1 .. 400.01", "Mean is 7.5."), ("iVBOR",)),
        AwkwardFile("notebook/not.ipynb", b'{"cells": "no list"}', (), (), None),
    ]  # fmt: skip


MARKDOWN = """---
title: Care of the weir
tags: [weir, water]
---
Setext heading
==============

Weir boards are swapped
in autumn.[^w]\x20\x20
Hard break line.

| board | length | count |
|:------|------:|:-----:|
| upper | 400.01 | 3 |
| lower `a|b` | 88 | 14 |
| esc \\| aped | 1 | 2 |

- [ ] grease the winch
- [x] count the boards
    1. nested first
    2. nested second

        code_in_list()

Term
: Definition of the term

See [the plan][p] and <https://x.example/plan>; H~2~O, x^2^, ~~old rule~~ and ==marked==.

<details><summary>More</summary>

Inside HTML: the winch has two speeds.

</details>

<!-- COMMENTWORDS -->

> Quoted: stand clear.
>
> - quoted item

```yaml
# not a heading
speed: 2
```

    indented code

\\# escaped hash

$$E = mc^2$$

[p]: https://x.example/p "Plan title"
[^w]: Oak boards only.
    Second paragraph of the note.
"""
RST = """Sluice
======

:Author: Maj

.. |len| replace:: nine metres

The gate is |len| wide [#a]_ and `built <https://x.example>`_ in oak.

+-------+--------+---+
| gate  | weight | n |
+=======+========+===+
| upper | 400.01 | 3 |
|       +--------+---+
|       | 88     | 14|
+-------+--------+---+

.. csv-table:: Winches
   :header: "name", "turns"

   "west", 40
   "east", 7

.. list-table::

   * - chain
     - 12 m

.. warning:: Keep off the rails.

.. code-block:: sh

   winch --up

term : classifier
   Its definition.

.. [#a] Measured at the sill.

.. math:: x = 10^2

.. unknown:: argument words

   Content of an unknown directive.

Line block:

| first verse
| second verse
"""
ADOC = """= Handbook of locks
:depth: 4.5

Depth is {depth} metres.

[cols="1,1,1"]
|===
|gate |400.01 |3
|lock 2+|spanned cell
a|
* item in a cell |x |y
|===

NOTE: Mind the sill.

[source,sh]
----
open --gate 2 # <1>
----
<1> Opens the second gate.

Term:: Its meaning.

. Step one
+
Attached paragraph.
. Step two

footnote:[A note in the text.] pass:[raw] kbd:[Ctrl+Q]

[quote, Maj]
____
Water has time.
____

link:https://x.example[The map] and <<ref,the chapter>>.
"""
ORG = """#+TITLE: Log of the mill
* TODO Mend the race :water:
SCHEDULED: <2025-05-06 Tue>
:PROPERTIES:
:ID: 77
:END:
The race leaks at the *third* board.
** Parts
| board | 400.01 | 3 |
|-------+--------+---|
| nail  | 88     | 14 |
#+BEGIN_SRC sh
close --race
#+END_SRC
- [X] fetch oak
[[https://x.example][The plan of the race]]
"""
LATEX = r"""\documentclass{article}
% a remark
\title{On Weirs}
\begin{document}
\section{Boards}
The boards are \emph{swapped} in autumn; each costs 14~crowns\footnote{Oak only.}.
\begin{tabular}{lrr} upper & 400.01 & 3 \\ lower & 88 & 14 \\ \end{tabular}
\begin{itemize}\item Grease the winch. \item Count the boards.\end{itemize}
\begin{verbatim}
winch --up
\end{verbatim}
It leaks 5\,\% more at $10^2$ litres.
\end{document}
"""
MAN = b".TH WINCH 1 2025\n.SH NAME\nwinch \\- raises the boards\n.SH OPTIONS\n.TP\n.B \\-\\-slow\nTurn at half speed.\n.PP\nThe winch stops\nat nine metres.\n"


def markup() -> list[AwkwardFile]:
    """Light markup."""
    return [
        AwkwardFile("markup/weir.md", MARKDOWN.encode(), ("Weir boards are swapped in autumn.", "upper .. 400.01 .. 3", "88 .. 14", "grease the winch", "nested second", "code_in_list()", "Definition of the term", "Inside HTML: the winch has two speeds.", "Quoted: stand clear.", "quoted item", "# not a heading", "Oak boards only.", "Second paragraph of the note.", "# escaped hash", "E = mc^2", "Care of the weir"), ("400.013", "COMMENTWORDS", "8814", "[^w]")),
        AwkwardFile("markup/crlf.md", b"\xef\xbb\xbf# Mark\r\n\r\nText under a mark.\r\n\r\n* * *\r\n\r\n1) one\r\n2) two\r\n", ("Text under a mark.", "two")),
        AwkwardFile("markup/jsx.mdx", b"import X from './x'\n\n# Boats\n\n<X kind='a'>\n\nRowing boats are tarred.\n\n</X>\n\nCost: {1 + 2} crowns.\n", ("Rowing boats are tarred.",), (), None),
        AwkwardFile("markup/pipes.md", b"# Fees\n\nname | fee | n\n--- | --- | ---\nann | 400.01 | 3\n\n2*3*4 and snake_case_name and *a*b.\n", ("ann .. 400.01 .. 3", "snake_case_name"), ("400.013", "234", "snakecasename")),
        AwkwardFile("markup/sluice.rst", RST.encode(), ("The gate is nine metres wide", "upper .. 400.01 .. 3", "west .. 40", "east .. 7", "chain .. 12 m", "Keep off the rails.", "winch --up", "Its definition.", "Measured at the sill.", "Content of an unknown directive.", "second verse", "10^2"), ("400.013", "8814", "|len|")),
        AwkwardFile("markup/broken.rst", b"Title\n==\n\nAn `unclosed role and *star\n\n+---+\n| a |\n\n.. image::\n\n:ref:`x\n\nThe last line is kept.\n", ("The last line is kept.",)),
        AwkwardFile("markup/locks.adoc", ADOC.encode(), ("Depth is 4.5 metres.", "gate .. 400.01 .. 3", "spanned cell", "Mind the sill.", "open --gate 2", "Opens the second gate.", "Its meaning.", "Attached paragraph.", "Step two", "A note in the text.", "Water has time.", "The map"), ("400.013", "{depth}")),
        AwkwardFile("markup/mill.org", ORG.encode(), ("The race leaks at the", "board .. 400.01 .. 3", "nail .. 88 .. 14", "close --race", "fetch oak", "The plan of the race"), ("400.013",), None),
        AwkwardFile("markup/weirs.tex", LATEX.encode(), ("in autumn", "upper .. 400.01 .. 3", "Grease the winch.", "winch --up"), (), None),
        AwkwardFile("markup/winch.1", MAN, ("raises the boards", "Turn at half speed."), (), None),
        AwkwardFile("markup/wiki.textile", b"h1. Reeds\n\nReeds are cut in frost.\n", ("Reeds are cut in frost.",), (), None),
        AwkwardFile("markup/page.wiki", b"== Reeds ==\n'''Reeds''' are bound at noon.\n{| class=x\n| a || b\n|}\n", ("are bound at noon.",), (), None),
    ]  # fmt: skip


def others() -> list[AwkwardFile]:
    """Subtitles, source code, logs, patches."""
    ass = "[Script Info]\nTitle: Tour\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nDialogue: 0,0:00:01.00,0:00:03.00,Default,,0,0,0,,{\\i1}Mind the step, and\\Nthe beam.\n"
    cobol = b"       IDENTIFICATION DIVISION.\n       PROGRAM-ID. TOLL.\n       PROCEDURE DIVISION.\n           DISPLAY 'TOLL IS DUE'.\n"
    json_log = b'{"ts":"2025-05-06T04:00:00Z","level":"warn","msg":"sluice 7 stuck"}\n{"ts":"2025-05-06T04:01:00Z","level":"info","msg":"sluice 7 free"}\n'
    syslog = "".join(f"May  6 04:{n:02d}:00 host pump[{n * 7}]: pressure {n}.{n} bar\n" for n in range(60)).encode()
    patch = b"diff --git a/pump.c b/pump.c\nindex 1..2 100644\n--- a/pump.c\n+++ b/pump.c\n@@ -1,3 +1,3 @@\n-int bar = 40;\n+int bar = 45;\n int on;\n"
    minified = ("var a=1;" * 4000 + "function lastOne(){return 'the end of the line'}").encode()
    return [
        AwkwardFile("subtitles/tour.ass", ass.encode(), ("Mind the step, and",), ("{\\i1}",), None),
        AwkwardFile("subtitles/odd.srt", b"\xef\xbb\xbf0\n00:00:01.000 --> 00:00:02.000\nNo comma in the time.\n2\n00:00:03,000 --> 00:00:04,000 X1:1 Y1:2\n{\\an8}No blank line before.\n\n\n\n4\nno time at all\n\n5\n00:01:00,000-->00:01:02,000\n<font color=red>Reddish words.</font>\n", ("No comma in the time.", "No blank line before.", "Reddish words."), ("font color", "\\an8")),
        AwkwardFile("subtitles/long.vtt", b"WEBVTT\nKind: captions\n\nREGION\nid:a\n\n100:00:01.000 --> 100:00:04.000 line:0\n<c.yellow>Hour one hundred</c> has <00:00:02.000>begun.\n\n00:05.000 --> 00:06.000\n- One: yes.\n- Two: no.\n", ("Hour one hundred has begun.", "Two: no."), ("<c", "REGION")),
        AwkwardFile("subtitles/utf16.srt", "1\r\n00:00:01,000 --> 00:00:02,000\r\nÄlven är frusen.\r\n".encode("utf-16"), ("Älven är frusen.",)),
        AwkwardFile("code/Pump.java", b'/** Starts the pump. */\npublic class Pump {\n    // never above 40\n    static final int MAX = 40;\n    String say() { return "dry run"; }\n}\n', ("Starts the pump.", "static final int MAX = 40;", 'return "dry run";')),
        AwkwardFile("code/pump.go", b"package pump\n\n// Max is in bar.\nconst Max = 40\n\nfunc Start() error {\n\treturn nil // all well\n}\n", ("Max is in bar.", "return nil // all well")),
        AwkwardFile("code/pump.rs", "/// Öffnet das Wehr.\npub fn open(n: u32) -> u32 {\n    n * 37\n}\n".encode(), ("Öffnet das Wehr.", "n * 37")),
        AwkwardFile("code/bad.py", b"def broken(:\n    return 'still kept as text'\n\tmixed = 1\n", ("return 'still kept as text'",)),
        AwkwardFile("code/Makefile", b"all: weir\n\techo 'boards in'\n", ("echo 'boards in'",), (), None),
        AwkwardFile("code/Dockerfile", b"FROM scratch\nLABEL keeper='maj of the lock'\n", ("LABEL keeper='maj of the lock'",), (), None),
        AwkwardFile("code/min.js", minified, ("the end of the line",)),
        AwkwardFile("code/toll.cbl", cobol, ("DISPLAY 'TOLL IS DUE'.",), (), None),
        AwkwardFile("code/view.vue", b"<template><p>Welcome aboard the barge.</p></template>\n<script>export default {}</script>\n", ("Welcome aboard the barge.",), (), None),
        AwkwardFile("code/query.sql", "-- Fähren\nINSERT INTO ferry VALUES ('Åsa', 400.01, 3);\n".encode("cp1252"), ("INSERT INTO ferry VALUES ('Åsa', 400.01, 3);",)),
        AwkwardFile("code/pump.patch", patch, ("+int bar = 45;", "-int bar = 40;"), (), None),
        AwkwardFile("code/pump.diff", patch, ("+int bar = 45;",), (), None),
        AwkwardFile("logs/lines.log", json_log, ("sluice 7 stuck", "sluice 7 free")),
        AwkwardFile("logs/sys.log", syslog, ("pump[413]: pressure 59.59 bar",), ("bar May",)),
        AwkwardFile("logs/pump.log.1", b"2025-05-06 04:00 rotated: valve 88 shut\n", ("rotated: valve 88 shut",), (), None),
        AwkwardFile("logs/progress.log", b"loading 1%\rloading 50%\rloading 100%\ndone: 88 boards\x08\x08 counted\n", ("done: 88 boards",), ("\x08",), None),
        AwkwardFile("text/README", b"Read me first: the oars are in the shed.\n", ("Read me first: the oars are in the shed.",), (), None),
        AwkwardFile("text/UPPER.TXT", b"Upper case ending: the shed is blue.\n", ("Upper case ending: the shed is blue.",)),
        AwkwardFile("text/caps.txt", b"EVERY WORD OF THIS NOTICE IS IN CAPITALS.\nNO BOATS AFTER NINE.\n\nNO FIRES ON THE SHORE.\n", ("NO BOATS AFTER NINE.", "NO FIRES ON THE SHORE.")),
        AwkwardFile("text/faq.txt", b"Q: May I moor overnight?\nA: Yes, at pier 7 only.\n\nQ: What does it cost?\nA: 14 crowns.\n", ("Q: May I moor overnight?", "A: 14 crowns.")),
        AwkwardFile("text/utf32.txt", "Thirty-two bits: the jetty is slippery.".encode("utf-32"), ("Thirty-two bits: the jetty is slippery.",), (), None),
        AwkwardFile("text/mixed.txt", "Der Steg ist grün.\n".encode() + "Das Wehr ist schön.\n".encode("cp1252"), ("Der Steg ist grün.", "Das Wehr ist schön."), (), None),
        AwkwardFile("text/ebcdic.txt", "The oars are in the shed.".encode("cp500"), (), (), None),
        AwkwardFile("text/koi8.txt", "Ключ от шлюза висит у дежурного. Лодки сдаются до девяти часов вечера.\n".encode("koi8-r"), ("Ключ от шлюза висит у дежурного.",)),
        AwkwardFile("text/greek.txt", "Το κλειδί της αποθήκης βρίσκεται στο γραφείο. Η βάρκα επιστρέφεται πριν από τη δύση.\n".encode("iso8859-7"), ("Το κλειδί της αποθήκης βρίσκεται στο γραφείο.",)),
        AwkwardFile("text/korean.txt", "창고 열쇠는 사무실에 있습니다. 배는 해가 지기 전에 반납해야 합니다.\n".encode("euc-kr"), ("창고 열쇠는 사무실에 있습니다.",)),
        AwkwardFile("text/thai.txt", "กุญแจอยู่ที่สำนักงาน กรุณาคืนเรือก่อนพระอาทิตย์ตก\n".encode("cp874"), ("กุญแจอยู่ที่สำนักงาน",)),
        AwkwardFile("text/combining.txt", "Cafe\u0301 de l'e\u0301cluse : ferme\u0301 le lundi. 𝟜𝟘 bateaux. \U0001f6a3\u200d\u2640\ufe0f rows.\n".encode(), ("Café de l'écluse : fermé le lundi.",)),
        AwkwardFile("text/endless.txt", b"abcdefghij" * 200000, (), (), None),
    ]  # fmt: skip
