# ruff: noqa: E501
"""Markdown, reStructuredText, AsciiDoc, HTML, XML, JSON, YAML and notebooks."""

from __future__ import annotations

import json

from benchmarks.mixed.case import MixedFile


def light_markup() -> list[MixedFile]:
    """Markdown, reStructuredText and AsciiDoc."""
    return [
        MixedFile(
            "md/pool.md",
            b"---\ntitle: The pool\ndate: 2025-04-01\n---\n\nThe pool\n========\n\n1. Fill the basin\n    - slowly, at 3 m\xc2\xb3 an hour\n    - never above the *red* mark\n2. Measure the **pH**\n   1. at the inlet\n   2. at the outlet\n\n"
            b"The pool closes at dusk.[^1]\n\n[^1]: Except on Midsummer Eve, when it closes at 23:00.\n",
            (
                "slowly, at 3 m³ an hour",
                "never above the red mark",
                "The pool closes at dusk.",
                "Except on Midsummer Eve, when it closes at 23:00.",
            ),
            ("**", "[^1]:"),
        ),
        MixedFile(
            "md/prices.md",
            b'# Prices\n\n| item | a \\| b | sum |\n|:-----|:--:|----:|\n| wood | 3 | 1,200 |\n| coal | `x|y` | 45 |\n\nSee [the list][l] and <https://wood.example/a>.\n\n[l]: https://wood.example "t"\n',
            ("wood .. 3 .. 1,200", "See the list and"),
            ("1,200 coal",),
        ),
        MixedFile(
            "md/inline_html.md",
            b"# Rooms\n\n<table><tr><th>room</th><th>key</th></tr><tr><td>Attic</td><td>K&nbsp;7</td></tr></table>\n\n<details><summary>Who may enter?</summary>\n\nOnly the sweep may enter the attic.\n\n</details>\n\n- [x] lamp mended\n- [ ] hatch painted\n",
            ("Attic .. K 7", "Only the sweep may enter the attic.", "hatch painted"),
            ("<td>", "</details>"),
        ),
        MixedFile(
            "md/fences.md",
            b"# Restart\n\n~~~sh\n# this is no heading\nsystemctl restart lift\n~~~\n\nTerm\n: What it means here: a week of seven nights.\n\n> Quoted: nobody restarts\n> the lift at noon.\n",
            (
                "# this is no heading",
                "systemctl restart lift",
                "Quoted: nobody restarts the lift at noon.",
                "What it means here: a week of seven nights.",
            ),
        ),
        MixedFile(
            "md/escapes.md",
            b"# Limits \\#1\n\nKeep 5 \\* 3 crates; a_b_c and 2*3*4 stay.  \nA line after a break.\n\nSnake_case_names and ~~old price 9~~ new price 11.\n",
            ("Keep 5 * 3 crates; a_b_c and 2*3*4 stay.", "Snake_case_names"),
        ),
        MixedFile(
            "rst/store.rst",
            b"=========\nThe store\n=========\n\n.. |depot| replace:: the depot in Hull\n\nGoods leave |depot| on Fridays [#f]_. See :ref:`rules`.\n\n.. [#f] In December on Thursdays.\n\n.. list-table:: Shelves\n   :header-rows: 1\n\n   * - shelf\n     - load\n   * - A4\n     - 350 kg\n   * - B1\n     - 90 kg\n\n"
            b".. csv-table:: Hours\n   :header: day, open\n\n   Monday, 8-17\n   Saturday, 9-12\n\n.. warning:: Never climb the shelves.\n",
            (
                "Goods leave the depot in Hull on Fridays",
                "In December on Thursdays.",
                "A4 .. 350 kg",
                "Saturday .. 9-12",
                "Never climb the shelves.",
            ),
            ("|depot|", "list-table"),
        ),
        MixedFile(
            "rst/grid.rst",
            b"Grid\n====\n\n+--------+---------------+\n| lane   | speeds        |\n|        +-------+-------+\n|        | dry   | wet   |\n+========+=======+=======+\n| inner  | 110   | 80    |\n+--------+-------+-------+\n| outer  | 130   | 90    |\n+--------+-------+-------+\n\n.. code-block:: sh\n\n   # keep me\n   lanes --set inner=110\n",
            ("inner .. 110 .. 80", "outer .. 130 .. 90", "lanes --set inner=110", "# keep me"),
            ("11080",),
        ),
        MixedFile(
            "rst/include.rst",
            b"Notes\n=====\n\nThe valve is blue.\n\n.. include:: ../other.rst\n\n.. only:: html\n\n   On screens the valve is drawn in red.\n\nterm\n   a valve that opens by itself\n\n:Author: Ida\n",
            ("The valve is blue.", "On screens the valve is drawn in red.", "a valve that opens by itself"),
            (),
            False,
            ("include",),
        ),
        MixedFile(
            "rst/broken.rst",
            b"Title\n===\n\n*unclosed emphasis here\n\n.. unknown-thing:: arg\n\n   Its body says that oil is changed yearly.\n\nThe end is near `ref <x>`_.\n",
            ("Its body says that oil is changed yearly.",),
        ),
        MixedFile(
            "adoc/guide.adoc",
            b'= Field guide\n:season: autumn\n\nWe sow in {season}.footnote:[Unless the soil is frozen.]\n\n.Doses\n[cols="1,2*",options="header"]\n|===\n|plant |first |second\n|rye |12 g |15 g\n2+|all of them |9 g\n|===\n\n'
            b"NOTE: Rye is sown by hand.\n\n* barley\n** two rows\n** six rows\n+\nSix rows want more room.\n* oats\n\n[source,sh]\n----\nsow --crop rye # <1>\n----\n<1> asks before it sows\n",
            (
                "We sow in autumn.",
                "Unless the soil is frozen.",
                "rye .. 12 g .. 15 g",
                "Rye is sown by hand.",
                "Six rows want more room.",
                "sow --crop rye",
                "asks before it sows",
            ),
            ("{season}", "2+|"),
        ),
        MixedFile(
            "adoc/blocks.adoc",
            b"= Blocks\n\n[WARNING]\n====\nThe drum is hot.\n\nWait for ten minutes.\n====\n\n****\nAside: drums are cast in Leeds.\n****\n\n____\nNever oil a drum.\n____\n\n// a remark\ninclude::more.adoc[]\n\nClick btn:[Start], see <<x,the chart>> and https://d.example[the site].\n",
            ("Wait for ten minutes.", "Aside: drums are cast in Leeds.", "Never oil a drum.", "see the chart and"),
            ("====", "a remark", "<<x"),
            False,
            ("include",),
        ),
        MixedFile(
            "adoc/lists.adoc",
            b"= Lists\n\n. Unscrew the lid\n.. turn left\n.. lift\n. Empty the tray\n\nCPU:: the part that counts\nRAM::\n  the part that remembers\n\n|===\n|a |b\n\n|first cell\n|second cell\n|===\n",
            ("turn left", "Empty the tray", "the part that remembers", "first cell .. second cell"),
        ),
    ]


def web() -> list[MixedFile]:
    """HTML pages."""
    return [
        MixedFile(
            "html/fees.html",
            b"<html><head><title>Fees</title><style>p{color:red}</style></head><body><nav>Home | Fees</nav><main><h1>Fees</h1><table><thead><tr><th rowspan=2>Berth</th><th colspan=2>Season</th></tr>"
            b"<tr><th>summer</th><th>winter</th></tr></thead><tr><td>North</td><td>400.01</td><td>3</td></tr><tr><td rowspan=2>South</td><td>512.5</td><td>7</td></tr><tr><td>98</td><td>1</td></tr></table>"
            b"<p>Fees are due on the 1<sup>st</sup> of May; the quay is 12 m<sup>2</sup> wide.</p></main><script>var x='secret'</script></body></html>",
            ("North .. 400.01 .. 3", "South .. 512.5 .. 7", "South .. 98 .. 1", "Fees are due on the 1st of May"),
            ("400.013", "512.57", "secret", "color:red", "12 m2 wide"),
        ),
        MixedFile(
            "html/latin9.html",
            "<meta charset=iso-8859-15><h1>Tarif</h1><p>Le repas coûte 14 € et le vœu d'œufs est gratuit.</p>".encode(
                "iso-8859-15"
            ),
            ("Le repas coûte 14 € et le vœu d'œufs est gratuit.",),
        ),
        MixedFile(
            "html/nested.html",
            b"<article><h2>Boats</h2><ol start=4><li>Untie<ul><li>bow line</li><li>stern line<br>last</li></ul></li><li>Push off</li></ol><dl><dt>Fender</dt><dd>keeps the hull from the quay</dd></dl>"
            b"<p>old fare <del>20</del><ins>25</ins> crowns</p><pre>for b in boats:\n    launch(b)</pre><p>fran&shy;chise un<wbr>broken</p></article>",
            ("bow line", "keeps the hull from the quay", "25 crowns", "launch(b)", "franchise unbroken"),
            ("2025 crowns",),
        ),
        MixedFile(
            "html/form.html",
            b"<form><h1>Booking</h1><label for=a>Arrival</label><input id=a value='3 July'><label>Room <select><option>single<option selected>double</select></label><label><input type=checkbox checked> breakfast</label><textarea name=wish>A quiet room please.</textarea><input type=password value=hunter2></form>",
            ("Arrival: 3 July", "Room: double", "A quiet room please."),
            ("hunter2",),
        ),
        MixedFile(
            "html/rtl.html",
            "<html dir=rtl lang=he><body><h1>שעות פתיחה</h1><p>המרפאה פתוחה בימים ראשון עד חמישי בין השעות 8:00 ל-16:30.</p><table><tr><th>יום</th><th>שעה</th></tr><tr><td>שני</td><td>9:15</td></tr></table></body></html>".encode(),
            ("המרפאה פתוחה בימים ראשון עד חמישי בין השעות 8:00 ל-16:30.", "שני .. 9:15"),
        ),
        MixedFile(
            "html/hidden.html",
            b"<body><p>Shown: the gate is green.</p><p hidden>Hidden: the gate is blue.</p><p style='display:none'>Also hidden.</p><details><summary>More</summary><p>Folded: the gate squeaks.</p></details><figure><img src=x alt='Plan of the gate'><figcaption>Figure 3: the gate</figcaption></figure></body>",
            ("Shown: the gate is green.", "Folded: the gate squeaks.", "Figure 3: the gate"),
            ("Hidden: the gate", "Also hidden"),
        ),
        MixedFile(
            "html/divs.html",
            b"<div>First line of the notice.<div>Second line stands alone.</div>Third line.<br>Fourth line.</div><span>A</span><span>B</span><p>Call 030&#8209;555 &lt;now&gt;.</p>",
            ("Second line stands alone.", "Fourth line.", "<now>"),
            ("notice.Second", "alone.Third", "line.Fourth"),
        ),
        MixedFile(
            "html/broken.html",
            b"<h1>Broken<p>An open tag <b>stays <i>open</b> here.</i><table><td>x1<td>y2</table><p>The last sentence is kept",
            ("An open tag stays open here.", "x1 .. y2", "The last sentence is kept"),
            ("x1y2",),
        ),
        MixedFile(
            "html/table_in_table.html",
            b"<table><tr><td>Outer</td><td><table><tr><td>inner 10</td><td>inner 20</td></tr></table></td></tr><tr><td>Next</td><td>30</td></tr></table><p>After the table.</p>",
            ("inner 10 .. inner 20", "Next .. 30", "After the table."),
            ("1020", "10inner"),
        ),
        MixedFile(
            "html/ruby.html",
            "<p lang=ja>館内<ruby>禁煙<rt>きんえん</rt></ruby>です。</p><p>E = mc<sup>2</sup> and H<sub>2</sub>O at 10<sup>-3</sup> bar.</p>".encode(),
            ("です。",),
            ("mc2 and", "10-3 bar"),
        ),
    ]


def structured() -> list[MixedFile]:
    """XML, JSON, YAML, notebooks."""
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Rain\n", "We measure rain in millimetres."]},
        {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": "total = sum(days)\nprint(total)",
         "outputs": [{"output_type": "stream", "name": "stdout", "text": ["412.5 mm in total\n"]}]},
        {"cell_type": "code", "metadata": {}, "execution_count": 2, "source": "table", "outputs": [{"output_type": "execute_result", "execution_count": 2, "metadata": {}, "data": {
            "text/html": ["<table><tr><th>month</th><th>mm</th></tr><tr><td>May</td><td>61</td></tr></table>"], "text/plain": ["month mm"]}}]},
        {"cell_type": "code", "metadata": {}, "execution_count": 3, "source": "1/0", "outputs": [{"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero", "traceback": ["\x1b[0;31mZeroDivisionError\x1b[0m: division by zero"]}]},
    ]  # fmt: skip
    return [
        MixedFile(
            "xml/order.xml",
            b'<?xml version="1.0" encoding="iso-8859-1"?><o:order xmlns:o="urn:o" xmlns:p="urn:p" o:id="A-17"><p:item no="1"><p:name>H\xf6he</p:name><p:sum cur="EUR">1200.45</p:sum></p:item><p:item no="2"><p:name><![CDATA[Nuts & <bolts>]]></p:name><p:sum>7</p:sum></p:item><note>Ring <b>twice</b> please.</note></o:order>',
            ("Höhe", "1200.45", "Nuts & <bolts>", "Ring twice please.", "A-17"),
            ("1200.457", "CDATA"),
        ),
        MixedFile(
            "xml/book.xml",
            b'<book xmlns="http://docbook.org/ns/docbook"><title>Bees</title><chapter><title>Hives</title><para>A hive holds <emphasis>one</emphasis> queen.</para><itemizedlist><listitem><para>smoke</para></listitem><listitem><para>veil</para></listitem></itemizedlist><informaltable><tgroup cols="2"><tbody><row><entry>May</entry><entry>12 kg</entry></row></tbody></tgroup></informaltable></chapter></book>',
            ("A hive holds one queen.", "May .. 12 kg", "veil"),
        ),
        MixedFile(
            "xml/task.dita",
            b'<task id="t"><title>Change the filter</title><taskbody><steps><step><cmd>Open the hood.</cmd><info>It is heavy.</info></step><step><cmd>Pull the filter.</cmd></step></steps></taskbody></task>',
            ("Open the hood.", "Pull the filter.", "It is heavy."),
        ),
        MixedFile(
            "xml/news.rss",
            b'<rss version="2.0"><channel><title>News</title><item><title>Road closed</title><description>&lt;p&gt;Mill Road is &lt;b&gt;closed&lt;/b&gt; until 4 May.&lt;/p&gt;</description><pubDate>Thu, 01 May 2025 08:00:00 GMT</pubDate></item></channel></rss>',
            ("Mill Road is closed until 4 May.", "Road closed"),
            ("<b>", "&lt;"),
        ),
        MixedFile(
            "xml/bomb.xml",
            b'<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY f SYSTEM "file:///etc/passwd">]><a><b>&x; &f;</b><c>The mast is 14 metres tall.</c></a>',
            ("The mast is 14 metres tall.",),
            ("root:",),
            None,
        ),
        MixedFile(
            "json/config.json",
            json.dumps(
                {
                    "lift": {"floors": [0, 1, 2], "load": 630, "open": True, "name": 'Otto "the" lift'},
                    "empty": {},
                    "nothing": None,
                }
            ).encode(),
            ('Otto "the" lift', "630"),
            ("{", '\\"'),
        ),
        MixedFile(
            "json/articles.json",
            json.dumps(
                [
                    {"title": "Chimney", "text": "The sweep comes in October.", "id": 4},
                    {"title": "Gutter", "text": "Leaves are cleared in November.", "id": 5},
                ]
            ).encode("utf-16"),
            ("The sweep comes in October.", "Leaves are cleared in November."),
        ),
        MixedFile(
            "json/rows.jsonl",
            b'{"q": "Who has the key?", "a": "Mrs Lind has the key."}\n{"q": "When", broken\n{"q": "Where is the map?", "a": "Behind \\u201cthe door\\u201d."}\n',
            ("Mrs Lind has the key.", "Behind “the door”."),
            (),
            False,
            ("JSON",),
        ),
        MixedFile(
            "yaml/site.yaml",
            b"# rules\nbase: &base\n  opens: 08:30\n  wifi: yes\nlibrary:\n  <<: *base\n  version: 1.10\n  note: >\n    Bags are left\n    at the desk.\n  rules: |\n    No food.\n    No drink.\n---\nsecond: document of the stream\n...\n",
            ("Bags are left at the desk.", "No drink.", "1.10", "document of the stream"),
            ("*base", "8.5", "510"),
        ),
        MixedFile(
            "yaml/list.yml",
            b"- name: Ada\n  keys: [K1, K2]\n  since: 2024-02-30x\n- name: Bo\n  keys: {main: K9}\n",
            ("Ada", "K9", "2024-02-30x"),
        ),
        MixedFile("yaml/bad.yaml", b"a: [1, 2\nb: {c\n", (), (), True),
        MixedFile(
            "notebook/rain.ipynb",
            json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode(),
            (
                "We measure rain in millimetres.",
                "412.5 mm in total",
                "May .. 61",
                "total = sum(days)",
                "division by zero",
            ),
            ("[0;31m",),
        ),
        MixedFile(
            "notebook/old.ipynb",
            json.dumps(
                {
                    "nbformat": 3,
                    "metadata": {},
                    "worksheets": [
                        {
                            "cells": [
                                {"cell_type": "markdown", "source": ["Wind is measured at 10 m."]},
                                {"cell_type": "code", "input": "v = 3.6", "outputs": []},
                            ]
                        }
                    ],
                }
            ).encode(),
            ("Wind is measured at 10 m.", "v = 3.6"),
        ),
    ]
