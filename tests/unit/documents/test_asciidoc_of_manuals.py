"""AsciiDoc of manuals: literal marks, lists that go on after blocks, attributes, remarks, references to characters."""

import pytest

from saidonce.documents.parse import parse

CASES = [
    ("Use +iburst+ and +-4+ here.", "[paragraph] Use iburst and -4 here."),
    ("Unquoted++bound++marks stay.", "[paragraph] Unquotedboundmarks stay."),
    (
        "Run [+-chr+] with link:a.html[+filegen+] and +config-from-file+.",
        "[paragraph] Run [-chr] with filegen and config-from-file.",
    ),
    (
        "Add 1 + 2 + 3 and press Ctrl+Alt+Del in C++ or A+.",
        "[paragraph] Add 1 + 2 + 3 and press Ctrl+Alt+Del in C++ or A+.",
    ),
    ("Call +49 30 1234 or +44 20 99.", "[paragraph] Call +49 30 1234 or +44 20 99."),
    ("Rated A+, B+ and C+ by all.", "[paragraph] Rated A+, B+ and C+ by all."),
    ("The value +_x_+ keeps its signs.", "[paragraph] The value _x_ keeps its signs."),
    ("The first line +\nthe second line", "[paragraph] The first line\nthe second line"),
    (
        "Old Manual\n==========\n\nThe file 'leapfile' is read.",
        "[heading1] Old Manual\n[paragraph] The file leapfile is read.",
    ),
    (
        "= New Manual\n\nThe word 'leapfile' is quoted.",
        "[heading1] New Manual\n[paragraph] The word 'leapfile' is quoted.",
    ),
    (
        "Old Manual\n==========\n\nThe club's file and the pool's key.",
        "[heading1] Old Manual\n[paragraph] The club's file and the pool's key.",
    ),
    (
        "term::\n  Words of it.\n+\n----\ncode\n----\n+\nMore words.",
        "[list] - term: Words of it.\n[code] code\n[paragraph] More words.",
    ),
    (
        "outer::\n  First.\n+\n  +inner+;;\n    Second.\n+\n----\nx\n----\n+\nThird.\n+\n  +next+;;\n    Fourth.",
        "[list] - outer: First.\n  - inner: Second.\n[code] x\n[paragraph] Third.\n[list] - next: Fourth.",
    ),
    ("a::: One.\nb:::: Two.\na2::: Three.", "[list] - a: One.\n  - b: Two.\n- a2: Three."),
    (
        'term::\n  Words.\n+\n----\nx\n----\n+\n[width="100%",cols="<34%,<33%"]\n|===\n|A |B\n|1 |2\n|===',
        "[list] - term: Words.\n[code] x\n[table] A | B\n1 | 2",
    ),
    (
        'Words before it.\n[options="header"]\n|===\n|A |B\n\n|1 |2\n|===',
        "[paragraph] Words before it.\n[table] A | B\n1 | 2",
    ),
    ("* one\n// a remark\n* two\n// end", "[list] - one\n- two"),
    ("H&#x2e; Gerstung &amp; son, 5&#176;, &theta;&nbsp;x", "[paragraph] H. Gerstung & son, 5°, θ x"),
    ("Literal `&lt;b&gt;` and ++&amp;++ here.", "[paragraph] Literal <b> and &amp; here."),
    (
        "One.\n\n'''''\n\nTwo.\n\n'''\n\nThree.\n\n<<<<\n\nFour.",
        "[paragraph] One.\n[paragraph] Two.\n[paragraph] Three.\n[paragraph] Four.",
    ),
    ("See {millshome}exec.html[Executive Summary: Time] now.", "[paragraph] See Executive Summary: Time now."),
    (":home: https://x.org/\n\nSee {home}exec.html[the summary] now.", "[paragraph] See the summary now."),
    ("The item {list}[0] stays.", "[paragraph] The item {list}[0] stays."),
    ("A note footnote:[See link:a.html[the plan], page 3.] here.", "[paragraph] A note (See the plan, page 3.) here."),
    (
        "A note footnote:[Paper: {mills}a.pdf[PDF], slides: https://x.org/b[PPT].] here.",
        "[paragraph] A note (Paper: PDF, slides: PPT.) here.",
    ),
    (". one\n+\n.A title\n----\nx\n----\n. two", "[list] 1. one\n[caption] A title\n[code] x\n[list] 2. two"),
    (
        ". one\n+\nimage::a.png[A pump with two valves]\n+\nMore.\n. two",
        "[list] 1. one\n[caption] A pump with two valves\n[paragraph] More.\n[list] 2. two",
    ),
    (". one\n\nText between.\n\n. again", "[list] 1. one\n[paragraph] Text between.\n[list] 1. again"),
    ("Text that ends\n[see the plan] in brackets.", "[paragraph] Text that ends [see the plan] in brackets."),
    ("|===\n|+age+ |+++ |x+y\n|===", "[table] age | + | x+y"),
    ("* one\n  goes on\n  // indented remark\n  to here\n* two", "[list] - one goes on to here\n- two"),
    ("+key+ _name_... ::\n  Sets the key.", "[list] - key name...: Sets the key."),
    (
        "Where is the key?::\n\n  In the safe.\n\nWho has it?::\n\nThe warden.",
        "[list] - Where is the key?: In the safe.\n- Who has it?: The warden.",
    ),
    (
        "The offset is::\n\n  &theta; = 5\n+\nor more.\n\nText.",
        "[list] - The offset is: θ = 5\n  or more.\n[paragraph] Text.",
    ),
    ("Empty::\n\n== Next\n\nText.", "[list] - Empty:\n[heading2] Next\n[paragraph] Text."),
    ("|===\n|A |B\n// a remark\n|1 |2\n|===", "[table] A | B\n1 | 2"),
    ("term::\n\n----\ncode\n----\n", "[list] - term:\n[code] code"),
    ("See https://x.org/a+b+c.html[the page] and x+y+z.", "[paragraph] See the page and x+y+z."),
    (
        "* item\n+\nMore of it.\n+\nStill more.\n* item two\n\nText.",
        "[list] - item\n  More of it.\n  Still more.\n- item two\n[paragraph] Text.",
    ),
]


@pytest.mark.parametrize(("source", "wanted"), CASES)
def test_asciidoc_is_read_as_it_is_shown(source: str, wanted: str) -> None:
    elements = parse("a.adoc", source.encode()).elements
    assert "\n".join(f"[{e.kind.value}{e.level or ''}] {e.text}" for e in elements) == wanted
