# ruff: noqa: E501
"""Manual pages, Org, MediaWiki, Texinfo and POD: what a reader sees is kept in its role, and the marks are gone."""

import pytest

from saidonce.documents.parse import parse
from saidonce.foundation.model import Document, Kind

PAGE = r""".TH PUMP 8 "2025-03-04" "pump 2" "Manual"
.if t .ds Uu printed only
.de VB
DEFINED
..
.SH NAME
pump \- drain a cellar
.SH OPTIONS
.TP
.BR \-d ", " \-\-depth =\fICM\fR
Stop at \fICM\fR;
see
.BR float (4).
.IP \(bu 2
bullet
.nf
pump \-d 4
   --dry
.fi
.VB kept
.TS
tab(|);
l r.
hose|m
A|400.01
T{
B, the
long one
T}|3
.TE
.\" remark
"""
MDOC = r""".Dd March 4, 2025
.Dt FLOAT 4
.Os
.Sh NAME
.Nm float
.Nd switch of a pump
.Sh SYNOPSIS
.Nm
.Op Fl ab Ar file
.Sh DESCRIPTION
The
.Nm ,
of
.Xr pump 8 ,
is
.Dq wet .
.Bl -enum
.It
lift
.It
drop
.El
.Bd -literal
float -a
.Ed
"""


def shown(document: Document) -> list[tuple[Kind, str]]:
    return [(element.kind, element.text) for element in document.elements]


H, P, L, X, T = Kind.HEADING, Kind.PARAGRAPH, Kind.LIST, Kind.CODE, Kind.TABLE


@pytest.mark.parametrize("name", ["pump.8", "pump.man", "pump"])
def test_a_manual_page_is_recognised_by_its_content(name: str) -> None:
    document = parse(name, PAGE.encode())
    assert (document.format, document.title) == ("man", "pump(8)")
    assert str(document.authored_at).startswith("2025-03-04")
    assert shown(document) == [
        (H, "NAME"), (P, "pump - drain a cellar"), (H, "OPTIONS"),
        (L, "- -d, --depth=CM\n  Stop at CM; see float(4).\n- bullet"), (X, "pump -d 4\n   --dry"), (P, "kept"),
        (T, "hose | m\nA | 400.01\nB, the long one | 3"),
    ]  # fmt: skip


def test_mdoc_shows_flags_names_and_quotes() -> None:
    assert shown(parse("float.4", MDOC.encode())) == [
        (H, "NAME"), (P, "float - switch of a pump"), (H, "SYNOPSIS"), (P, "float [-ab file]"), (H, "DESCRIPTION"),
        (P, "The float, of pump(8), is “wet”."), (L, "1. lift\n2. drop"), (X, "float -a"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["pump started\n.TH is no macro here\nand ends\n", "2025-03-04 pump on\n"])
def test_a_rotated_log_is_no_manual_page(text: str) -> None:
    assert parse("pump.log.1", text.encode()).format != "man"


@pytest.mark.parametrize(
    "line",
    [".if", ".ie n \\{\\", ".de X", ".ds", ".TP", ".It", ".IP", ".TS", ".nf", ".Bl", "\\*(", "\\", ".El", ".Xc", ".Fn"],
)
def test_a_damaged_manual_page_ends_and_keeps_what_is_before(line: str) -> None:
    assert (P, "drain a cellar") in shown(parse("a.man", f".TH A 1\n.SH NAME\ndrain a cellar\n{line}".encode()))


def test_strings_of_a_manual_page_that_hold_themselves_end() -> None:
    assert "end" in parse("a.man", b".TH A 1\n.SH N\n.ds aa x\\*(aa\\*(aa\n\\*(aa\nend\n").elements[-1].text


def test_org_keeps_outline_table_and_code() -> None:
    text = "#+TITLE: Wells\n* One :tag:\n:PROPERTIES:\n:X: y\n:END:\nA /deep/ [[u][well]].\n- a\n  - b\n1. c\n\n| w | m |\n|---+---|\n| A | 4.5 |\n#+begin_src sh\ndig *x*\n#+end_src\n# gone\n"
    document = parse("wells.org", text.encode())
    assert document.title == "Wells"
    assert shown(document) == [(H, "One"), (P, "A deep well."), (L, "- a\n  - b\n1. c"), (T, "w | m\nA | 4.5"), (X, "dig *x*")]  # fmt: skip


def test_a_page_of_mediawiki_loses_its_marks_only() -> None:
    text = "{{Box|name=Quay|depth=4.5 m}}\n'''Quay''' is [[deep water|deep]].<ref>Chart 9</ref>\n== Use ==\n# moor\n## twice\n# pay\n{| class=x\n! a !! b\n|-\n| 1 || 400.01\n|}\n<pre>kept ''as is''</pre>\n<!-- gone -->[[Category:X]]\n"
    document = parse("old_quay.wiki", text.encode())
    assert document.title == "old quay"
    assert shown(document) == [
        (Kind.RECORD, "name: Quay\ndepth: 4.5 m"), (P, "Quay is deep.[1]"), (H, "Use"), (L, "1. moor\n  1. twice\n2. pay"),
        (T, "a | b\n1 | 400.01"), (X, "kept ''as is''"), (P, "[1] Chart 9"),
    ]  # fmt: skip


def test_a_wiki_file_without_marks_is_plain_text() -> None:
    assert shown(parse("a.wiki", b"The quay is closed.\n")) == [(P, "The quay is closed.")]


def test_texinfo_and_pod() -> None:
    text = "@settitle Loom\n@chapter Warp@dots{}\nIt is @emph{@code{tight}}@footnote{Of linen.}; see @ref{N,,the beam}.\n@enumerate\n@item comb\n@item tie\n@end enumerate\n@example\nwind @{4@}\n@end example\n@multitable x\n@item a @tab 4.5\n@item b @tab 3\n@end multitable\n@c gone\n@menu\n* gone::\n@end menu\n"
    document = parse("loom.texi", text.encode())
    assert document.title == "Loom"
    assert shown(document) == [
        (H, "Warp..."), (P, "It is tight; see the beam."), (P, "Of linen."), (L, "1. comb\n2. tie"), (X, "wind {4}"),
        (T, "a | 4.5\nb | 3"),
    ]  # fmt: skip
    pod = "=head1 NAME\n\nferry E<eacute> C<< a < b >>\n\n=over\n\n=item B<-n>\n\nCount.\n\n=back\n\n  code\n\n=cut\n\nmy $x;\n"
    assert shown(parse("ferry.pod", pod.encode())) == [
        (H, "NAME"), (P, "ferry é a < b"), (L, "- -n\n  Count."), (X, "  code"), (X, "my $x;"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.texi", "@emph{" * 50_000), ("a.pod", "=head1 x\n\n" + "B<" * 50_000), ("a.wiki", "'''a''' " + "{{a|" * 50_000), ("a.org", "* a\n" + "*b " * 50_000), ("a.man", ".TH A 1\n.SH B\n" + ".if n \\{" * 20_000 + "\nx\n"), ("b.man", ".TH A 1\n.SH B\n" + ".if n .if n " * 5_000 + "x\n")],
)  # fmt: skip
def test_marks_that_never_close_end_soon(name: str, text: str) -> None:
    assert parse(name, text.encode()).elements


@pytest.mark.parametrize(
    ("name", "source", "text"),
    [
        ("a.man", ".SH A\n.if n \\{\n.if n shown\n.\\}\n", "shown"),
        ("a.man", ".SH A\n.Sm off\n.B a\n.B b\n.Sm on\nc\n", "ab c"),
        ("a.pod", "=pod\n\nthe C<<< a >> b >>> and C<< c->d >> end\n", "the a >> b and c->d end"),
        ("a.pod", "=pod\n\nopen C<<< a >> b and I<it>\n", "open C<<< a >> b and it"),
        ("a.wiki", "'''A'''<ref name=\"a/b\">slash</ref> end", "[1] slash"),
        ("a.wiki", "'''A''' [https://a.example the [b] end", "A the [b end"),
        ("a.wiki", "'''A''' [https://a.example [https://b.example the end]", "A [https://a.example the end"),
        ("a.wiki", "'''A''' [[b|[[c|the end]]", "A [[b|the end"),
        ("a.org", "[[https://a.example][the [end]]", "the [end"),
    ],
)
def test_marks_that_meet_are_read_as_the_writer_meant_them(name: str, source: str, text: str) -> None:
    assert parse(name, source.encode()).elements[-1].text == text


@pytest.mark.parametrize(
    ("name", "source", "heading", "level"),
    [
        ("a.wiki", "== A == \nb", "A", 2),
        ("a.wiki", "== A ===\nb", "A =", 2),
        ("a.wiki", "'''b'''\n======= A =======\nb", "= A =", 6),
        ("a.wiki", "'''b'''\n===\nb", "=", 1),
        ("a.org", "** TODO the   pump :water:wet:\nb", "TODO the pump", 2),
        ("a.org", "* :water:\nb", ":water:", 1),
    ],
)
def test_headings_are_what_is_between_their_marks(name: str, source: str, heading: str, level: int) -> None:
    found = [(e.text, e.level) for e in parse(name, source.encode()).elements if e.kind is Kind.HEADING]
    assert found == [(heading, level)]


def test_a_line_of_macros_keeps_its_last_word_however_many_it_has() -> None:
    document = parse("a.man", (".Dt A 1\n.Sh NAME\n.Op Fl a Ns " + "Ar b , " * 5_000 + "Ar last\n").encode())
    assert document.elements[-1].text.endswith("last]")
    assert document.elements[-1].text.count("b") == 5_000
