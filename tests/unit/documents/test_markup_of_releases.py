"""Marks of manual pages, Texinfo, Mallard and of the notes of Sphinx's pages: what a reader sees is read, and no more.

The cases were written before the code that reads them.
"""

import pytest

from saidonce.documents.parse import parse
from saidonce.errors import SourceRefusedError
from saidonce.foundation.model import Kind

TEXT, CODE, LIST, HEAD, TABLE, CAPTION = (
    Kind.PARAGRAPH, Kind.CODE, Kind.LIST, Kind.HEADING, Kind.TABLE, Kind.CAPTION,
)  # fmt: skip

MDOC_TOP = ".Dd May 3, 2024\n.Dt LIFT 1\n.Os\n.Sh DESCRIPTION\n"

MDOC = {
    # signs and digits are arguments, too
    "It stops if the\n.Fl 3\noption is used.\n": [(TEXT, "It stops if the -3 option is used.")],
    "A list that begins with a\n.Sq +\nsign is added, one with a\n.Sq -\nsign is taken out.\n": [
        (TEXT, "A list that begins with a ‘+’ sign is added, one with a ‘-’ sign is taken out."),
    ],
    "It begins with a\n.Sq ^\ncharacter.\n": [(TEXT, "It begins with a ‘^’ character.")],
    "The default is\n.Cm 10 .\n.\nIt rises.\n": [(TEXT, "The default is 10. It rises.")],
    "Set\n.Ev SPEED\nto\n.Dq 2.5\nor\n.Li 0 ,\nnot more.\n": [(TEXT, "Set SPEED to “2.5” or 0, not more.")],
    ".Bl -tag -width Ds\n.It Fl 4\nUses four ropes.\n.It Fl 6\nUses six ropes.\n.El\n": [
        (LIST, "- -4\n  Uses four ropes.\n- -6\n  Uses six ropes."),
    ],
    # signs that have a name
    "Set it to\n.Ar \\*(Ltfloor\\*(Gt\nif it is \\*(Ge 3 and \\*(Le 9, or \\(mc and \\*(Ne 5.\n": [
        (TEXT, "Set it to <floor> if it is ≥ 3 and ≤ 9, or µ and ≠ 5."),
    ],
    # a request about the layout shows nothing
    "Before.\n.sp 2\n.in +4\n.ti -2\nAfter.\n": [(TEXT, "Before."), (TEXT, "After.")],
    ".An -nosplit\n.An Ada Berg\nwrote it.\n": [(TEXT, "Ada Berg wrote it.")],
    # an example in an item stays with its term, and so does what follows; a long one is code of its own
    ".Bl -tag\n.It Cm Speeds\nThe default is:\n.Bd -literal -offset indent\nslow,\nfast\n.Ed\n.Pp\nIt may be one.\n"
    ".It Cm Doors\nBoth.\n.El\n": [
        (LIST, "- Speeds\n  The default is:\n  slow,\n  fast\n  It may be one.\n- Doors\n  Both."),
    ],
    ".Bl -tag\n.It Cm Speeds\nFor example:\n.Bd -literal\n" + "lift up\n" * 20 + ".Ed\n.El\n": [
        (LIST, "- Speeds\n  For example:"),
        (CODE, "\n".join(["lift up"] * 20)),
    ],
    "Try this:\n.Bd -literal\nlift up\n.Ed\n": [(TEXT, "Try this:"), (CODE, "lift up")],
    # a work that is referred to stands on its own
    ".Xr rope 5 ,\n.Xr shaft 8\n.Rs\n.%A A. Berg\n.%T Lifts of the Nineties\n.%D 1996\n.Re\n": [
        (TEXT, "rope(5), shaft(8)"),
        (TEXT, "A. Berg, Lifts of the Nineties, 1996."),
    ],
}

MAN_TOP = ".TH LIFT 1\n.SH DESCRIPTION\n"

MAN = {
    ".B 12\ncabins.\n": [(TEXT, "12 cabins.")],
    '.BR 4 ", " 6\nropes.\n': [(TEXT, "4, 6 ropes.")],
    ".TP\n.B -1\nGoes down.\n": [(LIST, "- -1\n  Goes down.")],
    ".TP\n.B --key\nFor example:\n.nf\nlift --key 3\n.fi\n.TP\n.B --up\nGoes up.\n": [
        (LIST, "- --key\n  For example:\n  lift --key 3\n- --up\n  Goes up."),
    ],
}

TEXINFO_TOP = "\\input texinfo\n@settitle Lifts\n@chapter Lifts\n"

TEXINFO = {
    # requests about the layout of the book, and macros that the file defines, show nothing
    "@smallbook\n@afivepaper\nIt rises.\n": [(TEXT, "It rises.")],
    "@macro blankline\n@iftex\n@sp 1\n@end iftex\n@end macro\n\n@blankline\nIt rises.\n": [(TEXT, "It rises.")],
    "@macro cabin{name}\n@strong{\\name\\}\n@end macro\n\nTake @cabin{A}.\n": [(TEXT, "Take A.")],
    "@unheardof\nIt rises.\n": [(TEXT, "@unheardof It rises.")],
    # references
    "It stops.  @xref{Ropes}.  More (@pxref{Doors}) and @ref{Keys}.\n": [
        (TEXT, "It stops. See Ropes. More (see Doors) and Keys."),
    ],
    # dashes and quotation marks in running text, and not in what is typed
    "A lift---a small one---rises 3--4 floors, ``slowly''.\n": [
        (TEXT, 'A lift—a small one—rises 3–4 floors, "slowly".')
    ],
    "Run @code{lift --up} or @option{--down}, or @samp{a---b}.\n": [(TEXT, "Run lift --up or --down, or a---b.")],
    "@example\nlift --up --- now\n@end example\n": [(CODE, "lift --up --- now")],
    # a term with several names, each with its argument
    "@table @option\n@item -J @var{number}\n@itemx --stripe=@var{number}\nDraws a stripe.\n@end table\n": [
        (LIST, "- -J number, --stripe=number\n  Draws a stripe."),
    ],
    # an example in an item stays with its term, and so does what follows
    "@table @code\n@item up\nFor example:\n\n@example\nlift --up\n@end example\n\n@noindent\nIt beeps.\n@item down\n"
    "Goes down.\n@end table\n": [(LIST, "- up\n  For example:\n  lift --up\n  It beeps.\n- down\n  Goes down.")],
    "Try:\n\n@example\nlift --up\n@end example\n": [(TEXT, "Try:"), (CODE, "lift --up")],
    # an anchor between two items belongs to what follows, and shows nothing
    "@table @code\n@item up\nGoes up.\n\n@anchor{@code{down}}\n@item down\nGoes down.\n@end table\n": [
        (LIST, "- up\n  Goes up.\n- down\n  Goes down."),
    ],
}

MALLARD = {
    "<title>Hide a file</title><p>Press <keyseq><key>Ctrl</key><key>H</key></keyseq>.</p>": [
        (HEAD, "Hide a file"),
        (TEXT, "Press Ctrl+H."),
    ],
    "<title>Keys</title><p><keyseq><key>Ctrl</key>Arrow keys</keyseq> or <keyseq>\n<key>Shift</key>+<key>F10</key>"
    "\n</keyseq> or <keyseq type='sequence'><key>Esc</key> twice</keyseq></p>": [
        (HEAD, "Keys"),
        (TEXT, "Ctrl+Arrow keys or Shift+F10 or Esc+twice"),
    ],
    "<info><link type='guide' xref='files'/><credit type='author'><name>Ada</name><email>a@x.example</email></credit>"
    "<desc>Make it <em>unseen</em>.</desc></info><title>Hide a file</title><p>Rename it.</p>": [
        (HEAD, "Hide a file"),
        (TEXT, "Make it unseen."),
        (TEXT, "Rename it."),
    ],
    "<title>Lifts</title><p>Go to <guiseq><gui>Settings</gui><gui>Sound</gui></guiseq> and press the"
    " <media type='image' src='a.png'><span>menu</span></media> button, or see <link xref='sound-mute'/>.</p>": [
        (HEAD, "Lifts"),
        (TEXT, "Go to Settings ▸ Sound and press the menu button, or see sound-mute."),
    ],
    "<title>Lifts</title><note style='warning'><p>The shaft is <em>open</em>.</p></note>"
    "<note style='tip'><title>Doors</title><p>Oil them.</p></note><note><p>It is slow.</p></note>": [
        (HEAD, "Lifts"),
        (TEXT, "Warning: The shaft is open."),
        (TEXT, "Tip: Doors"),
        (TEXT, "Oil them."),
        (TEXT, "Note: It is slow."),
    ],
    "<title>Lifts</title><note style='important'><list><item><p>Oil it.</p></item></list></note>": [
        (HEAD, "Lifts"),
        (TEXT, "Important"),
        (LIST, "- Oil it."),
    ],
    "<title>Lifts</title><steps><item><p>Enter.</p><note style='warning'><p>It is dark.</p></note></item></steps>": [
        (HEAD, "Lifts"),
        (LIST, "1. Enter.\n  Warning: It is dark."),
    ],
    "<title>Lifts</title><steps><title>To go up:</title><item><p>Enter.</p></item><item><p>Press a key:</p>"
    "<list><item><p>1, or</p></item><item><p>2.</p></item></list></item></steps>": [
        (HEAD, "Lifts"),
        (TEXT, "To go up:"),
        (LIST, "1. Enter.\n2. Press a key:\n  - 1, or\n  - 2."),
    ],
    "<title>Lifts</title><terms><item><title>Size</title><p>How large.</p><p>In metres.</p></item></terms>": [
        (HEAD, "Lifts"),
        (LIST, "- Size\n  How large.\n  In metres."),
    ],
    "<title>Lifts</title><section id='a'><title>Doors</title><p>Shut them.</p><section id='b'><title>Locks</title>"
    "<p>Lock them.</p></section></section>": [
        (HEAD, "Lifts"),
        (HEAD, "Doors"),
        (TEXT, "Shut them."),
        (HEAD, "Locks"),
        (TEXT, "Lock them."),
    ],
    "<title>Keys</title><table><title>Moves</title><thead><tr><td><p>Move</p></td><td><p>Key</p></td></tr></thead>"
    "<tr><td><p>Up</p></td><td><p><keyseq><key>Alt</key><key>U</key></keyseq></p></td></tr></table>": [
        (HEAD, "Keys"),
        (CAPTION, "Moves"),
        (TABLE, "Move | Key\nUp | Alt+U"),
    ],
    "<title>Lifts</title><screen><output>$ </output><input>lift\n  --up</input></screen><code>x = 1</code>": [
        (HEAD, "Lifts"),
        (CODE, "$ lift\n  --up"),
        (CODE, "x = 1"),
    ],
    # what is meant for writers is not shown
    "<title>Lifts</title><comment><cite date='2012-01-01'>Ada</cite><p>Say more.</p></comment><p>They rise.</p>"
    "<links type='topic'><title>More</title></links>": [(HEAD, "Lifts"), (TEXT, "They rise.")],
    "<title>Lifts</title><media type='image' src='a.png'><p>A lift with doors</p></media><p>They rise.</p>": [
        (HEAD, "Lifts"),
        (CAPTION, "A lift with doors"),
        (TEXT, "They rise."),
    ],
    "<title>Lifts</title><quote><cite>Ada</cite><p>They rise.</p></quote><example><p>Up.</p></example>": [
        (HEAD, "Lifts"),
        (TEXT, "They rise."),
        (TEXT, "Ada"),
        (TEXT, "Up."),
    ],
    # what holds on one system says so
    "<title>Lifts</title><if:choose xmlns:if='http://projectmallard.org/if/1.0/'><if:when test='platform:a'>"
    "<p>Press A.</p></if:when><if:when test='!platform:a'><p>Press B.</p></if:when><if:else><p>Go.</p></if:else>"
    "</if:choose>": [
        (HEAD, "Lifts"),
        (TEXT, "platform:a: Press A."),
        (TEXT, "not platform:a: Press B."),
        (TEXT, "otherwise: Go."),
    ],
    "<title>Lifts</title><section if:test='platform:a' xmlns:if='http://projectmallard.org/if/1.0/'><title>Doors</title>"
    "<media type='image' src='a.png'><p>Two doors</p></media></section>": [
        (HEAD, "Lifts"),
        (HEAD, "Doors"),
        (CAPTION, "platform:a: Two doors"),
    ],
    "<title>Lifts</title><p xmlns:if='http://projectmallard.org/if/1.0/' if:test='platform:a'>Press A.</p>": [
        (HEAD, "Lifts"),
        (TEXT, "platform:a: Press A."),
    ],
}

REFERENCE_NEW = (
    '<a class="footnote-reference brackets" href="#id2" id="id1" role="doc-noteref"><span class="fn-bracket">[</span>1'
    '<span class="fn-bracket">]</span></a>'
)
NOTE_NEW = (
    '<aside class="footnote-list brackets"><aside class="footnote brackets" id="id2" role="doc-footnote"><span'
    ' class="label"><span class="fn-bracket">[</span><a role="doc-backlink" href="#id1">1</a><span'
    ' class="fn-bracket">]</span></span>\n<p>Ten in some houses.</p>\n<p>Ask.</p>\n</aside></aside>'
)
REFERENCE_OLD = '<a class="footnote-reference brackets" href="#id7" id="id1">1</a>'
NOTE_OLD = (
    '<dl class="footnote brackets"><dt class="label" id="id7"><span class="brackets"><a class="fn-backref"'
    ' href="#id1">1</a></span></dt><dd><p>Ten in some houses.</p>\n<p>Ask.</p></dd><dt class="label" id="id8"><span'
    ' class="brackets">2</span><span class="fn-backref">(<a href="#id3">1</a>,<a href="#id4">2</a>)</span></dt>'
    "<dd><p>Or nine.</p></dd></dl>"
)

SHORT_NEW = NOTE_NEW.replace("\n<p>Ask.</p>", "")
SHORT_OLD = (
    '<dl class="footnote brackets"><dt class="label" id="id7"><span class="brackets"><a class="fn-backref" href="#id1">'
    "1</a></span></dt><dd><p>Ten in <em>some</em>\nhouses.</p>\n</dd></dl>"
)

NOTES = {
    f"<p>It has 8 floors {REFERENCE_NEW} and a door.</p>{NOTE_NEW}": [
        (TEXT, "It has 8 floors [1] and a door."),
        (TEXT, "[1] Ten in some houses."),
        (TEXT, "Ask."),
    ],
    # a note of one paragraph stands where it is referred to, so that its number says nothing
    f"<p>It has 8 floors {REFERENCE_NEW} and a door.</p>{SHORT_NEW}": [
        (TEXT, "It has 8 floors (Ten in some houses.) and a door."),
    ],
    f"<p>It has 8 floors {REFERENCE_OLD} and a door.</p>{SHORT_OLD}": [
        (TEXT, "It has 8 floors (Ten in some houses.) and a door."),
    ],
    f"<ul><li>Eight floors {REFERENCE_NEW}</li></ul>{SHORT_NEW}": [(LIST, "- Eight floors (Ten in some houses.)")],
    # a note within a note is lost in neither
    f"<p>It has 8 floors {REFERENCE_OLD}.</p>"
    + SHORT_OLD.replace("houses.", REFERENCE_OLD.replace("7", "8") + " houses.").replace(
        "</dl>", '<dt class="label" id="id8"><a class="fn-backref" href="#id1">2</a></dt><dd><p>Old ones.</p></dd></dl>'
    ): [(TEXT, "It has 8 floors [1]."), (TEXT, "[1] Ten in some (Old ones.) houses.")],
    # one that is referred to twice, in a heading or a table, or in what is not shown, stays where it is
    f"<p>Eight floors {REFERENCE_NEW} or ten {REFERENCE_NEW}.</p>{SHORT_NEW}": [
        (TEXT, "Eight floors [1] or ten [1]."),
        (TEXT, "[1] Ten in some houses."),
    ],
    f"<h2>Floors {REFERENCE_NEW}</h2>{SHORT_NEW}": [(HEAD, "Floors [1]"), (TEXT, "[1] Ten in some houses.")],
    f"<p hidden>Eight floors {REFERENCE_NEW}</p><p>It rises.</p>{SHORT_NEW}": [
        (TEXT, "It rises."),
        (TEXT, "[1] Ten in some houses."),
    ],
    f"<nav><p>Eight floors {REFERENCE_NEW}</p></nav><p>It rises.</p>{SHORT_NEW}": [
        (TEXT, "It rises."),
        (TEXT, "[1] Ten in some houses."),
    ],
    f"<p>It has 8 floors {REFERENCE_OLD} and a door.</p>{NOTE_OLD}": [
        (TEXT, "It has 8 floors [1] and a door."),
        (TEXT, "[1] Ten in some houses."),
        (TEXT, "Ask."),
        (TEXT, "[2] Or nine."),
    ],
    '<p>It rises.<a class="footnote-reference" href="#f1" id="id1">[1]</a></p><table class="docutils footnote" id="f1">'
    '<tbody><tr><td class="label"><a class="fn-backref" href="#id1">[1]</a></td><td>Not on Sundays.</td></tr></tbody>'
    "</table>": [(TEXT, "It rises. (Not on Sundays.)")],
    # a list of terms that is none of notes stays one
    '<dl class="simple"><dt>1</dt><dd><p>The first floor.</p></dd></dl>': [(LIST, "- 1\n  - The first floor.")],
}

DOCBOOK = {
    "<para>Press <keycombo><keycap>Ctrl</keycap><keycap>C</keycap></keycombo> or <keycombo action='seq'><keycap>Esc"
    "</keycap><keycap>Q</keycap></keycombo>.</para>": [(TEXT, "Press Ctrl+C or Esc Q.")],
    "<para>Choose <menuchoice><shortcut><keycap>F2</keycap></shortcut><guimenu>File</guimenu><guimenuitem>Open"
    "</guimenuitem></menuchoice>.</para>": [(TEXT, "Choose File ▸ Open (F2).")],
    "<para>Choose <menucascade><uicontrol>File</uicontrol><uicontrol>Open</uicontrol></menucascade>.</para>": [
        (TEXT, "Choose File ▸ Open."),
    ],
}

CASES = [
    *(("lift.1", MDOC_TOP + text, [(HEAD, "DESCRIPTION"), *shown]) for text, shown in MDOC.items()),
    *(("lift.man", MAN_TOP + text, [(HEAD, "DESCRIPTION"), *shown]) for text, shown in MAN.items()),
    *(("lift.texi", TEXINFO_TOP + text, [(HEAD, "Lifts"), *shown]) for text, shown in TEXINFO.items()),
    *(
        ("lift.page", f'<page xmlns="http://projectmallard.org/1.0/" type="topic" id="a">{text}</page>', shown)
        for text, shown in MALLARD.items()
    ),
    *(("lift.xml", f"<article><title>Lifts</title>{text}</article>", [(HEAD, "Lifts"), *shown])
      for text, shown in DOCBOOK.items()),
    *(("lift.html", f"<html><body><h1>Lifts</h1>{text}</body></html>", [(HEAD, "Lifts"), *shown])
      for text, shown in NOTES.items()),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "shown"), CASES)
def test_what_a_reader_sees_is_read(name: str, text: str, shown: list[tuple[Kind, str]]) -> None:
    assert [(e.kind, e.text) for e in parse(name, text.encode()).elements] == shown


def test_the_author_and_the_last_revision_of_a_page_of_mallard_are_read() -> None:
    text = (
        '<page xmlns="http://projectmallard.org/1.0/"><info><revision version="0.1" date="2012-09-29"/><revision'
        ' date="2015-09-28"/><credit type="editor"><name>Bo</name></credit><credit type="author"><name>Ada</name>'
        "</credit></info><title>Lifts</title><p>They rise.</p></page>"
    )
    document = parse("lift.page", text.encode())
    assert (document.title, document.author, f"{document.authored_at:%F}") == ("Lifts", "Ada", "2015-09-28")


def test_other_xml_named_as_a_page_is_read_as_records() -> None:
    document = parse("lift.page", b"<page><speed>3</speed></page>")
    assert [(e.kind, e.text) for e in document.elements] == [(Kind.RECORD, "page.speed: 3")]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("@macro a{}\n@a{}@a{} many words of a lift\n@end macro\n\nTake @a{}.\n", id="in a line"),
        pytest.param("@macro a\n" + "@a\nmany words of a lift\n" * 40 + "@end macro\n\n@a\n", id="on its own line"),
    ],
)
def test_macros_that_stand_for_too_much_are_refused(body: str) -> None:
    with pytest.raises(SourceRefusedError):
        parse("lift.texi", (TEXINFO_TOP + body).encode())
