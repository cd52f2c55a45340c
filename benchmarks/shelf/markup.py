# ruff: noqa: E501
"""Markdown of several dialects, and other light markup, as notes and projects write them."""

from __future__ import annotations

from benchmarks.everyday.case import EverydayFile

OBSIDIAN = """---
tags: [garden, TAGWORD]
aliases:
  - Plum notes
cssclass: wide
---
# Plums

> [!tip]+ When to prune
> In **August**, never in winter.
> - silver leaf enters through wounds

See [[Pruning saw|the saw]] and [[Shed#Ladder]]. ==Marked text== and %%HIDDENREMARK%% stays out.

![[plum.png|300]]

- [ ] order netting 📅 2025-07-01
- [x] thin the fruit
	- every second one
	- [-] cancelled task

| tree | kg |
|:--|--:|
| Victoria | 31.5 |
| [[Czar\\|the Czar]] | 4 |

Term^sup^ and H~2~O; a tag #fruit/plum in the text. ^block-id

```dataview
TABLE kg FROM #fruit
```

Inline `a|b` and ``code with ` tick``.
"""
PANDOC = """% Report on the ford
% Nils Ask; Eva Rud
% 3 May 2025

Introduction {#intro .unnumbered}
============

The ford is *shallow*[^1] in [August]{.smallcaps}; see @ask2019 [p. 4].

::: {.warning title="Beware"}
The stones are slick after rain.
:::

(@) First example.
(@) Second example.

Term one

:   Meaning of the first term.

:   Another meaning.

  Right     Left     Centre
-------     ------ ----------
   400.01   3        x
     12     14       y

Table: Depths at the ford.

+-------+---------+
| place | depth   |
+=======+=========+
| north | 1.2 m,  |
|       | in May  |
+-------+---------+

| The river sang
|   and we were silent.

``` {.python .numberLines}
ford(depth=1.2)
```

[^1]: About knee deep.

    A second paragraph of the note.
"""
JEKYLL = """---
layout: post
title:  "Moving the beehives"
date:   2024-04-09 10:00:00 +0200
---

{% include banner.html %}
{: .no_toc }

Hives move **at night**, {{ site.distance }} at most.{% comment %}HIDDENLIQUID{% endcomment %}

{% highlight ruby %}
hive.move(3)
{% endhighlight %}

1. Close the entrance
1. Lift
   with two people

   > Never tilt it.

1. Open in the dark
{: start="3"}

* * *

Heading with `code` and trailing hashes ##
------------------------------------------

#No space heading
##  Smoke  ##

Line with two spaces\x20\x20
breaks here; a backslash\\
breaks too.

<div markdown="1">

Inside a *div*.

</div>

[ref link]: <https://x.example/a b> 'REFWORD'
Text &copy; 2024 &mdash; AT&T, 5 < 6, a_b*c, 2\\*3.
"""
KEEP = """# Changelog

All changes. The format is [Keep a Changelog].

## [Unreleased]
### Added
- Brakes on the cart (#12)

## [1.2.0] - 2025-01-31
### Fixed
- Wheel no. 3 squeaks:
  ```sh
  oil --wheel 3
  ```
  then turn it.
* Axle
+ Another bullet

### Deprecated

Setext in list:

- item

  Title of item
  -------------

      code in item

  end of item

[Keep a Changelog]: https://keep.example
[Unreleased]: https://x.example/compare/v1.2.0...HEAD
"""
MESSY = "\ufeff#Notes\r\n\r\n* one\r\n\r\n\r\n* two\r\n\tcontinued by a tab\r\n* three\r\n\r\n\r\n<!-- HIDDEN\r\nCOMMENT -->\r\n\r\n|a|b\r\n|-|-\r\n|1|2\r\n|3.5|four|extra cell\r\n\r\nNo blank line before list:\r\n- alpha\r\n- beta\r\n\r\n***bold italic*** __under__ _it_ snake_case_word\r\n\r\n~~~\r\nfence never closed\r\n# no heading\r\n"
RST_API = """:orphan:

Winch
#####

.. module:: winch
   :synopsis: Pulls boats.

.. class:: Winch(rope, *, speed=1.5)

   A winch with a drum.

   .. method:: pull(load)

      Pull a load.

      :param load: weight in kg
      :type load: float
      :raises OverloadError: above 900 kg
      :returns: seconds until the boat is ashore

.. versionadded:: 2.1
   The brake.

.. tabs::

   .. tab:: Linux

      Run ``winch up``.

   .. tab:: Windows

      Run ``winch.exe up``.

.. figure:: drum.png
   :alt: The drum from the side

   The drum holds 40 m of rope.

   Legend below the figure.

.. note:: A note on
   two lines.

.. math::

   F = m a

.. rubric:: Footnotes

.. [#a] Named note.
.. [CIT2020] A cited book.

Text |sub| with a note [#a]_ and [CIT2020]_ and `link <https://x.example>`_ and :kbd:`Ctrl+C`.

.. |sub| unicode:: U+00B0

=====  =====  ======
A      B      A or B
=====  =====  ======
False  False  False
True   False  True
=====  =====  ======

term : classifier
    Definition of the term.

-v, --verbose  Talk more.
-o FILE        Write to a file
               that is new.

>>> winch.pull(3)
'ashore'

..
   HIDDENRST
"""
ASCIIDOC = """= The Tide Mill
Jane Roe <jane@x.example>
v1.1, 2025-02-02
:toc:
:unit: litres

== Running it

[NOTE]
====
The gate weighs *two* tons.
====

.Procedure
. Open the gate
+
--
Wait until the pond holds 900 {unit}.

[source,bash]
----
mill --open <1>
----
<1> needs the key
--
. Close it

[cols="1,2",options="header"]
|===
|Gear |Speed

|first
|4.5 km/h

|second
a|* 9 km/h
* downhill only
|===

[horizontal]
Sluice:: a small gate
Race:: the channel

image::mill.png[View of the mill,300]

TIP: Oil the axle. footnote:[Use linseed oil.]

////
HIDDENADOC
////

See <<Running it,above>>, kbd:[Ctrl+T], `mono`, +literal+, https://x.example[the page].

[quote, A. Miller]
____
Water waits for nobody.
____
"""
TEX = r"""\documentclass{article}\usepackage{amsmath}\title{Notes on \emph{ice}}\author{P. Holm}\newcommand{\kg}{\,kg}
\begin{document}\maketitle\begin{abstract}Ice bears 200\kg{} from 10 cm on.\end{abstract}
\section*{Safety}Never walk alone\footnote{Bring a rope of 15~m.} --- and listen. % HIDDENTEX
``Black ice'' is \textbf{best}; 5\,\% of accidents\ldots{} \'Eva Str\"om.
\begin{itemize}\item[a)] check the ice\item go back\end{itemize}
\begin{table}\caption{Loads}\begin{tabular}{l|r}\hline who & cm \\ \hline skater & 10 \\ car & 25--30 \\ \multicolumn{2}{c}{none above 31} \\ \end{tabular}\end{table}
\begin{equation}\label{eq:1} p = \frac{F}{A} \end{equation} See~\eqref{eq:1} and \cite{holm}.
\begin{verbatim}
ice --test  12
\end{verbatim}
\begin{description}\item[Slush] wet snow on ice\end{description}\verb|raw_text| \url{https://x.example/a_b}
\begin{thebibliography}{9}\bibitem{holm} P. Holm, \textit{Ice}, 2001.\end{thebibliography}\end{document} AFTEREND"""


def markdown() -> list[EverydayFile]:
    """Return Markdown."""
    return [
        EverydayFile("md/plums.md", OBSIDIAN.encode(), ("In August, never in winter.", "When to prune", "silver leaf enters through wounds", "the saw", "Victoria .. 31.5", "the Czar .. 4", "thin the fruit", "every second one", "cancelled task", "Marked text", "code with ` tick"), ("[!tip]", "[[", "HIDDENREMARK", "31.5the", "=="), headings=("Plums",), tables=("Victoria .. 31.5",), lists=("thin the fruit",), code=("TABLE kg FROM",)),
        EverydayFile("md/ford.md", PANDOC.encode(), ("in August;", "About knee deep.", "A second paragraph of the note.", "The stones are slick after rain.", "Second example.", "Meaning of the first term.", "Another meaning.", "400.01 .. 3", "12 .. 14", "Depths at the ford.", "1.2 m, in May", "The river sang"), ("{.smallcaps}", ":::", "400.013", "{#intro", "+===", "{.python"), headings=("Introduction",), code=("ford(depth=1.2)",), or_warned=("Report on the ford",)),
        EverydayFile("md/2024-04-09-hives.md", JEKYLL.encode(), ("Hives move at night,", "Close the entrance", "Lift with two people", "Never tilt it.", "Open in the dark", "Inside a div.", "Text © 2024 — AT&T, 5 < 6, a_b*c, 2*3.", "Moving the beehives", "breaks here; a backslash"), ("REFWORD", "{: .no_toc", "<div"), headings=("Heading with code and trailing hashes ##", "Smoke"), or_warned=("hive.move(3)",), order=("Hives move", "Close the", "Never tilt", "Open in", "Inside a div")),
        EverydayFile("md/cart.md", KEEP.encode(), ("Brakes on the cart (#12)", "then turn it.", "Another bullet", "end of item", "Wheel no. 3 squeaks:"), ("```", "compare/v1.2.0"), headings=("[1.2.0] - 2025-01-31", "Fixed", "[Unreleased]"), code=("oil --wheel 3", "code in item"), lists=("Axle",), order=("Brakes", "squeaks", "oil --wheel", "then turn", "Another bullet", "end of item")),
        EverydayFile("md/messy.MD", MESSY.encode(), ("two continued by a tab", "three", "1 .. 2", "3.5 .. four", "beta", "bold italic under it snake_case_word"), ("HIDDEN", "***", "|-|"), tables=("1 .. 2",), lists=("alpha", "one"), code=("# no heading",), or_warned=("extra cell",)),
    ]  # fmt: skip


def others() -> list[EverydayFile]:
    """Return reStructuredText, AsciiDoc and LaTeX."""
    return [
        EverydayFile("rst/winch.rst", RST_API.encode(), ("A winch with a drum.", "pull(load)", "weight in kg", "above 900 kg", "seconds until the boat is ashore", "The brake.", "Run winch.exe up.", "The drum holds 40 m of rope.", "Legend below the figure.", "A note on two lines.", "Named note.", "A cited book.", "True .. False .. True", "Definition of the term.", "Write to a file that is new.", "Ctrl+C"), ("HIDDENRST", ":kbd:", "versionadded::", "tabs::"), headings=("Winch",), code=("winch.pull(3)",), or_warned=("Pulls boats.",), order=("A winch with", "weight in kg", "The brake", "winch.exe", "The drum", "two lines", "True")),
        EverydayFile("adoc/tide_mill.adoc", ASCIIDOC.encode(), ("The gate weighs two tons.", "Wait until the pond holds 900 litres.", "needs the key", "first .. 4.5 km/h", "downhill only", "Sluice", "the channel", "View of the mill", "Oil the axle.", "Use linseed oil.", "Water waits for nobody.", "Close it", "See above,"), ("HIDDENADOC", "footnote:[", "{unit}", "|===", "____"), headings=("The Tide Mill", "Running it"), code=("mill --open",), order=("Open the gate", "Wait until", "mill --open", "needs the key", "Close it", "first")),
        EverydayFile("tex/ice.tex", TEX.encode(), ("Ice bears 200 kg from 10 cm on.", "Bring a rope of 15 m.", "and listen.", "“Black ice” is best; 5 % of accidents", "Éva Ström.", "a) check the ice", "go back", "skater .. 10", "car .. 25–30", "none above 31", "wet snow on ice", "raw_text", "P. Holm, Ice, 2001."), ("HIDDENTEX", "AFTEREND", "\\hline", "1025"), headings=("Safety",), tables=("skater .. 10",), code=("ice --test  12",), or_warned=("Loads",)),
    ]  # fmt: skip
