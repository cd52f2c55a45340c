"""Seeds of the fuzz for the formats that are plain text with marks; any text is readable as one of these."""

from __future__ import annotations

from benchmarks.mutating import Input

MARKDOWN = (
    "# Heating\n\nThe boiler is checked once a year.\n\n## Radiators\n\n- open the valve\n- wait an hour\n\n"
    "| Room | Winter |\n|---|---|\n| Bath | 22 °C |\n\n```python\nprint(1)\n```\n\n> Quoted, *emphasised*.\n"
)
_MAN = r""".TH PUMP 8 "2025-03-04" "pump 2"
.ds Nx the \fIpump\fR
.de VB
DEFINED
..
.SH NAME
pump \- drain a cellar \*(Nx
.if n \{\
.ie t printed \{ x \}
.el shown
.\}
.SH OPTIONS
.TP
.BR \-d ", " \-\-depth =\fICM\fR
Stop at \fICM\fR;
.IP \(bu 2
bullet \[u2014] \s+2big\s0
.nf
pump \-d 4
.fi
.TS
tab(|);
l r.
hose|m
T{
B, the
long one
T}|3
.TE
.\" remark
"""
_MDOC = r""".Dd March 4, 2025
.Dt FLOAT 4
.Os
.Sh NAME
.Nm float
.Nd switch of a pump
.Sh SYNOPSIS
.Nm
.Op Fl ab Ar file
.Bl -enum
.It Fl a Xo
.Ar name
.Xc
lift
.It
drop
.Sm off
.Ar a , b
.Sm on
.El
.Bd -literal
float -a
.Ed
.Dq wet .
"""
_ORG = """#+title: Pump
#+author: Ada
* TODO Cellar :water:
SCHEDULED: <2025-03-04>
:PROPERTIES:
:ID: 1
:END:
- open :: the valve
  slowly
  1. [@3] wait
| Room | cm |
|------+----|
| Bath | 4  |
#+begin_src sh
pump -d 4
#+end_src
#+begin_quote
*Said* =once= [[https://example.org][here]] [fn:1]
#+end_quote
[fn:1] A note.
: kept
"""
_WIKI = """{{Device|name=Pump|depth=4 cm
|kind={{kind|a|b=c}}}}
== Cellar ==
'''Pump''' [[File:a.png|thumb|x]] [[pump|the pump]] [https://example.org here]<ref name="a/b">Note.</ref><ref name=a />
* open
** slowly
# wait
; term : text
{| class="wikitable"
|+ Depths
! Room !! cm
|-
| style="x" | Bath || 4
long
|}
<pre>pump -d 4</pre> <nowiki>'''kept'''</nowiki> &amp; <b>bold</b> <!-- no -->
__TOC__
"""
_TEXINFO = """\\input texinfo
@settitle Pump
@set VERSION 2
@copying
@c no
@end copying
@chapter Cellar @value{VERSION}
@cindex pump
Open @code{valve} @footnote{Slowly @emph{so}.} @xref{a,,b}.
@itemize @bullet
@item one
@enumerate
@item two
@end enumerate
@end itemize
@table @code
@item -d
@itemx --depth
Depth.
@end table
@multitable @columnfractions .5 .5
@headitem Room @tab cm
@item Bath @tab 4
@end multitable
@example
pump -d 4 @{x@}
@end example
@deffn Command pump depth
@end deffn
@'e @"{o} @dots{} ``quoted''
@bye
"""
_POD = """package Pump;

=head1 NAME

pump - drain a B<cellar> E<amp> C<< a > b >> L<here|https://example.org>

=over 4

=item * one

text

=item 2.

I<C<two>>

=back

  pump -d 4

=cut

sub depth { 4 }
"""
_RST = """Pump
====

:Author: Ada

.. |x| replace:: the pump
.. note:: Open |x| first.

* one

  1. two

+------+----+
| Room | cm |
+======+====+
| Bath | 4  |
+------+----+

::

  pump -d 4

.. [1] A note. `here <https://example.org>`_
"""
_ADOC = """= Pump
Ada
:depth: 4 cm

== Cellar
Depth {depth} *once* https://example.org[here].

* one
** two
. three
term:: text

|===
|Room |cm
|Bath |4
|===

----
pump -d 4
----
[NOTE]
====
Wet.
====
"""
_LATEX = r"""\documentclass{article}\title{Pump}\newcommand{\x}[1]{the #1}
\begin{document}\maketitle\section{Cellar}
Open \x{valve}, \emph{once}\footnote{A note.} $4\,\mathrm{cm}$.
\begin{itemize}\item one \item two\end{itemize}
\begin{tabular}{lr}Room & cm\\\hline Bath & 4\\\end{tabular}
\begin{verbatim}
pump -d 4
\end{verbatim}
\end{document}
"""
_LOG = "2025-03-04 08:30:00 INFO pump started\n2025-03-04 08:31:00 ERROR pump: no water\n\tat depth(4)\n"
_SUBTITLES = (
    "1\n00:00:01,000 --> 00:00:03,500\nThe boiler is\n<i>checked</i>.\n\n2\n00:01:00,000 --> 00:01:02,000\nTwice.\n"
)
_CALENDAR = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20250304T083000Z\r\nSUMMARY:Boiler\\, check\r\n"
    "DESCRIPTION:Once a\r\n  year.\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
_CARD = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada Example\r\nTEL;TYPE=cell:0151 111\r\nEND:VCARD\r\n"
_YAML = "pump:\n  depth: 4\n  rooms: [Bath, Cellar]\n  note: |\n    Open the valve.\n---\n- one\n- &a two\n- *a\n"
_PROGRAM = (
    '"""Drain a cellar."""\n\ndef depth(room: str) -> int:\n    """Return the depth of a room."""\n    return 4  # cm\n'
)
_XML = (
    '<?xml version="1.0"?><book><title>Pump</title><chapter><title>Cellar</title><para>Open the <b>valve</b>.</para>'
    "<itemizedlist><listitem><para>one</para></listitem></itemizedlist></chapter></book>"
)


def manual_seeds() -> list[Input]:
    """Return a page of every format of manuals and wikis."""
    texts = {"a.man": _MAN, "b.mdoc": _MDOC, "a.org": _ORG, "a.wiki": _WIKI, "a.texi": _TEXINFO, "a.pod": _POD}
    return [Input(name, text.encode()) for name, text in texts.items()]


_MESSAGES = """msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"

#. A button of the boat house.
#: boats.c:12
msgctxt "button"
msgid "Moor the boat"
msgstr "Boot festmachen"

msgid "%d boat"
msgid_plural "%d boats"
msgstr[0] "%d Boot"
msgstr[1] "%d Boote"
"""


def text_seeds() -> list[Input]:
    """Return a text of every other format that is text with marks."""
    texts = {
        "a.md": MARKDOWN, "b.txt": MARKDOWN, "a.rst": _RST, "a.adoc": _ADOC, "a.tex": _LATEX, "a.log": _LOG,
        "a.srt": _SUBTITLES, "a.py": _PROGRAM,
    }  # fmt: skip
    return [Input(name, text.encode()) for name, text in texts.items()]


def structured_seeds() -> list[Input]:
    """Return a text of every format whose text may be damaged."""
    texts = {"a.po": _MESSAGES, "a.ics": _CALENDAR, "a.vcf": _CARD, "a.yaml": _YAML, "a.xml": _XML}
    return [Input(name, text.encode()) for name, text in texts.items()]
