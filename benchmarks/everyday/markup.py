# ruff: noqa: E501
"""Markdown, reStructuredText, AsciiDoc, LaTeX, man pages and other light markup, as projects write them."""

from __future__ import annotations

import gzip

from benchmarks.everyday.case import EverydayFile

README = """<h1 align="center"><img src="logo.svg" alt="" width="80"><br>windvane</h1>

<p align="center">
  <a href="#"><img src="https://badge.example/ci.svg" alt="CI"></a>
  <b>Reads the wind from a roof.</b>
</p>

[![Tests](https://badge.example/t.svg)](https://x.example)

## Install

```console
$ pip install windvane
```

### Options

| Option | Default | Meaning |
| ------ | :-----: | ------- |
| `--unit a\\|b` | `a` | unit of speed |
| `--max` | 1,204.50 | <kbd>Ctrl</kbd>-C stops it |

* first level
  1. ordered inside
  2. second inside

     A paragraph inside the second item.

     ```python
     vane.read(3)
     ```
* [x] done already
* [ ] still open

Setext heading
--------------

Text with a footnote[^n], a [link][ref], an auto <https://x.example>, `code`, ~~gone~~, and **bold**.
A hard\x20\x20
break and an escaped \\*star\\*; a price of \\$5.

    indented code, four spaces

> Quoted once.
>
> > Quoted twice.

***

<details>
<summary>Calibrate</summary>

Turn the vane to the **north**.

</details>

Math: $v = \\sqrt{2gh}$ and

$$
E = mc^2
$$

[^n]: The footnote has two lines
    and goes on here.

[ref]: https://x.example/ref "REFTITLE"
<!-- HIDDENCOMMENT -->
"""
SPHINX = """.. _lock-guide:

=====================
Guide of the canal lock
=====================

:Author: Pia Lund
:Version: |release|

.. |release| replace:: 3.10
.. |bell| image:: bell.png
   :alt: a brass bell

.. contents:: :depth: 2

Opening
=======

Ring the |bell| twice; see :ref:`the table <levels>` and :doc:`other`.
The gate is ``steel``\\ -clad.  Release |release| is current [1]_.

.. warning::

   The lower gate swings *fast*.

.. code-block:: python
   :caption: open.py
   :emphasize-lines: 2

   def open_gate():
       return 42

.. _levels:

.. list-table:: Levels of the water
   :header-rows: 1
   :widths: 20 20

   * - basin
     - metres
   * - upper
     - 12.40
   * - lower
     - 3

+---------+-----------------+
| season  | hours           |
+=========+=================+
| summer  | 6 to 22,        |
|         | Sundays 8 to 20 |
+---------+-----------------+
| winter  | on demand       |
+---------+-----------------+

Steps::

    turn the crank
      three times

#. Wait for green.
#. Enter slowly.

   a. fenders out
   b. ropes ready

term one
    Its definition.

.. py:function:: sluice(level, *, slow=True)

   Open the sluice.

   :param level: in centimetres
   :raises ValueError: when the level is negative

.. versionadded:: 2.1
   Slow opening.

.. toctree::
   :maxdepth: 1

   TOCENTRY

.. csv-table:: Fees
   :header: "boat", "fee"

   "barge", "14,80"
   "canoe", 3

.. image:: lock.png
   :alt: The lock seen from the bridge

.. [1] Since the flood of 1998.

.. a comment HIDDENCOMMENT
"""
MANUAL = """= Manual of the weather station
Jon Bell <jon@x.example>
v2.1, 2025-01-03
:toc:
:model: WS-9
:url-shop: https://x.example

The {model} is mounted at 2.5 m.

[[mount]]
== Mounting

.Tools
* spanner
** size 13
* level

. Drill four holes.
+
NOTE: Mind the cables.
. Fasten the plate.

[source,python]
----
read() # <1>
close() # <2>
----
<1> Reads all values.
<2> Closes the port.

[cols="1,2,^1",options="header"]
|===
|sensor |range |accuracy

|wind
|0 to 75 m/s
|0.3

2+|rain gauge |0.2
|===

[WARNING]
====
Lightning: keep away from the mast.
====

Humidity:: in percent
Pressure:: in hPa

"`Calm`" days are *rare*; see <<mount,the mounting>> or {url-shop}[the shop]. H~2~O and m^3^.

// HIDDENCOMMENT
////
HIDDENBLOCK
////

ifdef::never[]
HIDDENCONDITION
endif::[]

[quote,Old saying]
____
Red sky at night.
____

footnote:[Measured over ten years.] is set below.

include::HIDDENINCLUDE.adoc[]
"""
PAPER = r"""\documentclass{article}
\title{Drying of malt}\author{K. Aas}\date{May 2025}
\newcommand{\kiln}{the kiln of Voss}
\begin{document}\maketitle
\begin{abstract}Malt is dried in \kiln{} for 26~hours.\end{abstract}
\section{Method}\label{sec:m}
We measured 12.5\,\% of moisture at \SI{80}{\celsius}; see Table~\ref{t}, Fig.~\ref{f} and \cite{aas}. % HIDDENCOMMENT
The loss is $\Delta m = m_0 - m_1$, i.e.\ ``small''---as expected.
\begin{equation} r = \frac{m_1}{m_0} \end{equation}
\begin{table}\caption{Loss by layer}\label{t}\begin{tabular}{lrr}\hline layer & kg & \% \\ \hline top & 400.01 & 3 \\ \multicolumn{2}{l}{bottom} & 12 \\ \hline\end{tabular}\end{table}
\begin{itemize}\item turn twice\item[--] never wet \begin{enumerate}\item first\item second\end{enumerate}\end{itemize}
\begin{figure}\includegraphics{x.png}\caption{The kiln \emph{from above}.}\label{f}\end{figure}
\subsection*{Remarks}
Barley\footnote{Two-row barley from Tr{\o}ndelag.} is better. \begin{verbatim}
dry --hours 26
\end{verbatim}
\begin{thebibliography}{9}\bibitem{aas} Aas, K. \textit{On kilns}. 1999.\end{thebibliography}
\end{document}
"""
MAN = r""".TH VANE 1 "2025-01-03" "vane 2.1" "User Commands"
.SH NAME
vane \- read the wind from a roof
.SH SYNOPSIS
.B vane
[\fB\-u\fR \fIUNIT\fR]
.RI [ FILE ...]
.SH DESCRIPTION
.B vane
reads the wind and prints it.
It never blocks;
see
.BR anemometer (5).
.\" HIDDENCOMMENT
.PP
The speed is rounded to 0.1\ m/s.
.SH OPTIONS
.TP
.BR \-u ", " \-\-unit =\fIUNIT\fR
The unit: knots or
.IR m/s .
.TP
.B \-\-max
Print the greatest gust.
.SH EXAMPLES
.nf
vane \-u knots
    roof.log
.fi
.SH "EXIT STATUS"
.IP 0 4
All was read.
.IP 2
The sensor is frozen.
"""
MDOC = r""".Dd March 3, 2025
.Dt SLUICE 8
.Os
.Sh NAME
.Nm sluice
.Nd open the gates of a weir
.Sh DESCRIPTION
The
.Nm
utility opens gates.
.Bl -tag -width Ds
.It Fl f Ar file
Read levels from
.Ar file .
.It Fl n
Do nothing; only print.
.El
"""
ORG = """#+TITLE: Bee calendar
#+AUTHOR: R. Holm
#+OPTIONS: toc:nil HIDDENOPTION

* March :bees:spring:
:PROPERTIES:
:ID: HIDDENID
:END:
Check the weight of hives; less than /12 kg/ is *critical*.
** TODO Feed weak hives
   SCHEDULED: <2025-03-10 Mon>
   - [ ] syrup 1:1
   - [X] fondant
1. open
2. feed

| hive | kg   |
|------+------|
| H1   | 14.5 |
| H2   |    9 |

#+BEGIN_SRC sh
weigh --all
#+END_SRC

See [[https://x.example][the atlas]].
# HIDDENCOMMENT
"""
WIKI = """{{Infobox bridge|name=Ilva bridge|length=212 m}}
'''Ilva bridge''' crosses the [[Ilva (river)|Ilva]].<ref>Town archive, box 9.</ref> It is ''closed'' to carts.

== Repairs ==
* rivets in 1988
** three of them
# first
# second

{| class="wikitable"
! year !! cost
|-
| 1988 || 400.01
|-
| 2004
| 3
|}
<nowiki>[[kept as it is]]</nowiki>
<!-- HIDDENCOMMENT -->
[[Category:Bridges]]
"""
TEXINFO = """\\input texinfo
@settitle Manual of the loom
@c HIDDENCOMMENT
@node Top
@chapter Warping
The warp is wound @emph{tightly} on the @code{beam}; it holds 1@,204 threads@footnote{Of linen.}.
@itemize @bullet
@item
comb it
@item
tie it
@end itemize
@example
wind --threads 400
@end example
@table @option
@item -t
Tension in newtons.
@end table
@bye
"""
POD = """#!/usr/bin/perl
use strict;

=head1 NAME

ferry - counts cars

=head2 Options

=over 4

=item B<--lane> I<N>

Count lane N only.

=back

    ferry --lane 2

=cut

my $x = 400.01;
"""


def markdown() -> list[EverydayFile]:
    """Return Markdown, reStructuredText and AsciiDoc."""
    return [
        EverydayFile("md/windvane.md", README.encode(), ("Reads the wind from a roof.", "--unit a|b .. a .. unit of speed", "--max .. 1,204.50 .. Ctrl-C stops it", "A paragraph inside the second item.", "still open", "a price of $5", "Quoted twice.", "Turn the vane to the north.", "The footnote has two lines and goes on here.", "escaped *star*"), ("HIDDENCOMMENT", "REFTITLE", "badge.example", "align=", "<kbd>"), code=("pip install windvane", "indented code, four spaces", "vane.read(3)"), headings=("Install", "Options", "Setext heading", "windvane"), tables=("unit of speed",), order=("ordered inside", "A paragraph inside", "vane.read(3)", "done already")),
        EverydayFile("rst/lock.rst", SPHINX.encode(), ("Release 3.10 is current", "The lower gate swings fast.", "upper .. 12.40", "lower .. 3", "summer .. 6 to 22, Sundays 8 to 20", "Its definition.", "sluice(level, *, slow=True)", "in centimetres", "Slow opening.", "barge .. 14,80", "The lock seen from the bridge", "Since the flood of 1998.", "a. fenders out", "steel-clad", "Pia Lund", "a brass bell"), ("HIDDENCOMMENT", ":ref:", "|release|", "emphasize", "header-rows"), code=("return 42", "turn the crank"), headings=("Guide of the canal lock", "Opening"), tables=("upper .. 12.40",), prose=("The lower gate swings fast.",), order=("swings", "return 42", "12.40", "summer", "Enter slowly")),
        EverydayFile("adoc/station.adoc", MANUAL.encode(), ("The WS-9 is mounted at 2.5 m.", "Drill four holes.", "Mind the cables.", "Reads all values.", "wind .. 0 to 75 m/s .. 0.3", "rain gauge .. 0.2", "Lightning: keep away from the mast.", "in percent", "see the mounting or the shop", "Red sky at night.", "Measured over ten years.", "size 13"), ("HIDDENCOMMENT", "HIDDENBLOCK", "{model}", "<<mount", "|==="), code=("read()",), headings=("Manual of the weather station", "Mounting"), tables=("0 to 75 m/s",), order=("Drill four", "Mind the cables", "Fasten")),
        EverydayFile("tex/malt.tex", PAPER.encode(), ("Malt is dried in the kiln of Voss for 26 hours.", "We measured 12.5", "top .. 400.01 .. 3", "bottom .. 12", "The kiln from above.", "Two-row barley from Trøndelag.", "Aas, K. On kilns. 1999.", "never wet", "Loss by layer"), ("HIDDENCOMMENT", "\\", "400.013", "tabular"), code=("dry --hours 26",), headings=("Method", "Remarks"), tables=("top .. 400.01 .. 3",)),
    ]  # fmt: skip


def others() -> list[EverydayFile]:
    """Return man pages and other marks."""
    return [
        EverydayFile("man/vane.1", MAN.encode(), ("reads the wind and prints it.", "rounded to 0.1 m/s.", "Print the greatest gust.", "The sensor is frozen.", "anemometer(5)", "read the wind from a roof"), ("HIDDENCOMMENT", "\\fB", ".PP", ".TP", "\\-"), headings=("DESCRIPTION", "OPTIONS"), prose=("Print the greatest gust.",), code=("vane -u knots",)),
        EverydayFile("man/sluice.8.gz", gzip.compress(MDOC.encode(), mtime=0), ("open the gates of a weir", "Do nothing; only print.", "utility opens gates."), (".Nm", ".It Fl"), headings=("DESCRIPTION",)),
        EverydayFile("org/bees.org", ORG.encode(), ("Check the weight of hives; less than 12 kg is critical.", "syrup 1:1", "H1 .. 14.5", "H2 .. 9", "See the atlas."), ("HIDDENOPTION", "HIDDENID", "#+BEGIN", "HIDDENCOMMENT", "14.59"), code=("weigh --all",), headings=("March", "Bee calendar"), tables=("H1 .. 14.5",)),
        EverydayFile("wiki/ilva.wiki", WIKI.encode(), ("Ilva bridge crosses the Ilva.", "Town archive, box 9.", "It is closed to carts.", "three of them", "1988 .. 400.01", "2004 .. 3", "[[kept as it is]]", "212 m"), ("'''", "HIDDENCOMMENT", "wikitable", "<ref"), headings=("Repairs",), tables=("1988 .. 400.01",)),
        EverydayFile("texinfo/loom.texi", TEXINFO.encode(), ("The warp is wound tightly on the beam", "tie it", "Tension in newtons.", "wind --threads 400"), ("HIDDENCOMMENT", "@emph", "@item"), headings=("Warping",)),
        EverydayFile("pod/ferry.pod", POD.encode(), ("ferry - counts cars", "Count lane N only.", "400.01"), ("=over", "B<")),
    ]  # fmt: skip
