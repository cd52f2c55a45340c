# ruff: noqa: E501
"""Light markup as projects use it: extensions of Markdown, Sphinx, AsciiDoc, and marks that others read."""

from __future__ import annotations

from benchmarks.uncommon.case import UncommonFile

SITE = """---
title: "Care of the organ"
description: How the organ of St Elmo is kept in tune.
weight: 30
---

# Care of the organ {#care .wide}

!!! warning "Before you start"
    Switch the blower off. The bellows keep their pressure
    for about a minute.

    Never lean on the case.

??? tip
    A cloth of felt removes dust from the keys.

=== "Manual"

    Pull the stop named *Gedackt*.

=== "Pedal"

    Press the lowest pedal twice.

> [!CAUTION]
> The reed pipes contain lead.

:::danger Keep out
Nobody enters the swell box alone.
:::

```{admonition} For the tuner
:class: note
The pitch is 440 hertz at eighteen degrees.
```

| Stop | Feet | Pipes |
|:--|--:|:-:|
| Gedackt | 8 | 54<br>without the bass |
| `Flute|wood` | 4 | 49 |

The organist[^who] plays on Sundays.  Humidity is kept at 55&nbsp;%.

[^who]: Her name is on the door.

    She also teaches on Tuesdays.

1. Open the case.

   ```sh
   unlock --case
   ```

2. Count the pipes:
    - front row
        - the ten largest are dummies
    - back row

Blower
:   The motor in the cellar.
:   Also the duct above it.

*[HVAC]: Heating and air

{% include notice.html %}
{{< youtube abc123 >}}

--8<-- "shared/footer.md"

[[Tuning log]] and [[files/plan|the floor plan]] are linked.
"""
TOML_FRONT = """+++
title = "Snow duty"
date = 2024-12-01
+++

Snow is cleared by seven[^1].

<table>
<tr><th rowspan="2">Week</th><th colspan="2">Duty</th></tr>
<tr><th>front</th><th>yard</th></tr>
<tr><td>1</td><td>Alma</td><td>Berit</td></tr>
</table>

<div class="note" markdown="1">
Salt is **not** allowed on the ramp.
</div>

<!-- The old plan
spanned lines HIDDENPLAN -->

[^1]: On Sundays by nine.
"""
PANDOC = """% Rules of the reading room
% Iris Falk
% 3 May 2024

Opening
-------

+----------+--------------------+
| Day      | Hours              |
+==========+====================+
| Monday   | 9--12,             |
|          | closed at noon     |
+----------+--------------------+
| Friday   | 14--18             |
+----------+--------------------+

  Shelf   Books   Height
  ------ ------- --------
  A         400     1.85
  B           3    12.10

  : Shelves of the room

(@) First example of a rule.
(@) Second example of a rule.

~~~ {.python .numberLines}
def lend(book):
    return book.due
~~~

Water is H~2~O and the area 12 m^2^.  Dogs\u2014even small ones\u2014stay outside.

| The roof leaks
|    in spring

See [@falk2020, p. 33].
"""
RMD = """---
title: "Tides"
output: html_document
---

## Method

The gauge is read `r 2 * 3` times a day.

```{r, echo=FALSE}
plot(tide$height)
```

Results are rounded to the centimetre.
"""

AUTOMODULE = """``kiln.fire`` --- Firing of clay
================================

.. testsetup::

   import kiln.fire

.. automodule:: kiln.fire

   Schedules
   ---------

   A schedule says how fast the kiln is heated. Porcelain needs a slower
   one than stoneware.

   .. autoclass:: Schedule(steps, *, cone=6)

      Entry points
      ^^^^^^^^^^^^

      .. automethod:: Schedule.begin
      .. automethod:: Schedule.pause

      Pausing keeps the door locked until the kiln has cooled.

   Cones
   -----

   .. autofunction:: cone_of(temperature)

   Cones bend at their temperature; they are never used twice.
"""
SPHINX = """.. _glazes:

************
Glaze recipes
************

:Author: P. Lehm
:Version: 2.3

.. contents:: :local:

.. toctree::
   :maxdepth: 2

   ash
   Celadon glazes <celadon>

.. versionadded:: 2.1
   Recipes are given in grams.

.. py:function:: mix(powder, water=0.8)

   Mix a glaze from powder and water.

   :param powder: dry weight in grams
   :param float water: litres to a kilogram
   :returns: the wet weight
   :raises TooThin: the glaze runs off the bowl

   >>> mix(400.01)
   720.018

.. glossary::

   biscuit
   bisque
      Clay that was fired once.

   slip
      Clay thinned with water.

.. list-table:: Recipes
   :header-rows: 1
   :widths: 30 20 50

   * - Glaze
     - Ash
     - Note
   * - Celadon
     - 24
     - Needs reduction.

       Cool it slowly.
   * - Shino
     - 3
     - Crawls on wet clay.

.. csv-table::
   :file: recipes.csv

=====  =====  ======
 Fired at      Result
------------  ------
 low   high
=====  =====  ======
900    950    soft
1200   1280   dense
=====  =====  ======

Wear a mask [#m]_; see :ref:`the safety page <safety>` and :doc:`/tools`.
Use |tool| for it, `named <https://x.example/named>`__ by its maker.

.. |tool| replace:: the steel rib

.. only:: html

   Pictures are in the gallery.

.. tip:: Sieve twice.

   A third time does no harm.

.. code-block:: console
   :caption: Weighing

   $ weigh --ash 24

Sieve it like this::

    sieve --mesh 80

.. rubric:: Footnotes

.. [#m] A paper mask is not enough.

.. [LEHM03] Lehm, *On ashes*, 2003.

.. image:: bowl.png
   :alt: A bowl with a celadon glaze

.. seealso::

   Module :mod:`kiln.fire`
      Schedules for every glaze.

-v, --verbose   say more while mixing
--cone=NUMBER   fire to this cone

..
   A comment that HIDDENCOMMENT nobody sees.
"""
BOOK = """Handbook of the hut
===================
Anna Grat <a@x.example>
v1.2, 2024-05-01
:toc:
:hut: Wolkenhaus
:beds: 24
:long: a value that goes on \\
  in the next line

Preface of {hut}, which has {beds} beds and {long}.

== Arrival

[WARNING]
.Thunder
====
Stay inside while it thunders.

* The rod on the roof is earthed.
* Windows are closed.
====

TIP: Slippers hang by the door.

****
A sidebar: the spring dries up in August.
****

[%collapsible]
.Winter room
====
The winter room is never locked.
====

[cols="1,>2,^1",options="header"]
|===
|Room |Price a|Bath

|Dormitory |400.01 |no
|Attic
|3
a|
[square]
* shared
* cold water

2+|Dogs sleep in the stable |free
.2+|Stable |10 |no
|88 |no
|===

.Distances
[format=csv]
|===
Summit,3.5 h
"Lake, upper",2 h
|===

,===
valley,1.25 h
,===

[horizontal]
Warden:: Anna
Deputy::
  Beat, in autumn only

[qanda]
May I camp?::
  Only beside the stable.

. Boil the water
.. for three minutes
. Pour it
+
--
Mind the handle.

It is hot.
--

* [x] wood stacked
* [ ] roof mended

[source,bash,subs="attributes"]
----
reserve --hut {hut} <.>
----
<.> Works without signal.

....
Literal    block
....

 A literal paragraph by its indentation

[quote,Guest book]
____
We came for a night and stayed a week.
____

[verse]
____
Fog below,
sun above.
____

ifdef::winter[]
The path is marked with poles.
endif::[]

include::prices.adoc[]

The summit(((summit)))footnote:[Not in fog.] is ((steep)), says xref:map.adoc#n[the map]. Press kbd:[Ctrl+S], choose menu:File[Save].
`monospaced` and *bold* and _slanted_, H~2~O, 10^3^ m, "`quoted`".

////
HIDDENBLOCK of a comment
////

++++
<p>Passed through: the bell rings at ten.</p>
++++

image::hut.png[The hut from the south]

[discrete]
== Not in the contents
"""
PO = b'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n#: ui.c:12\nmsgid "The door is open."\nmsgstr "Die T\xc3\xbcr steht offen."\n'
TEX = r"""\documentclass[a4paper]{article}
\usepackage[utf8]{inputenc} % INPUTENCREMARK
\title{On the Keeping of Bees}
\author{J. Imker}
\begin{document}
\maketitle
\begin{abstract}
Bees winter better in wooden hives than in straw.
\end{abstract}
\section{Hives}\label{sec:hives}
A hive weighs about 14~kg in spring~\cite{imker19}; in \emph{autumn} it
weighs 31\,kg or more (see Section~\ref{sec:hives}).
\subsection*{Feeding}
Feed syrup at 50\,\% \& never honey\footnote{Foreign honey carries foulbrood.}.
\begin{itemize}
  \item Boil the water first.
  \item Let it cool to $30^\circ$C.
\end{itemize}
\begin{table}
\caption{Yield of the hives}
\begin{tabular}{lrr}
\hline
Hive & 2023 & 2024 \\ \hline
North & 400.01 & 3 \\
South & 88 & 14 \\
\end{tabular}
\end{table}
M\"uller's na\"{\i}ve caf\'e sells it ``by the jar''---cheaply.
\begin{equation}
  y = a x^2
\end{equation}
\begin{lstlisting}
weigh --hive north
\end{lstlisting}
\end{document}
"""
BIB = b"@book{imker19,\n  author = {Imker, Jana},\n  title = {Hives of Straw and Wood},\n  year = 2019,\n  note = {Second printing}\n}\n"
POD = b"#!/usr/bin/perl\nuse strict;\n\n=head1 NAME\n\nfeeder - fills the troughs\n\n=head1 DESCRIPTION\n\nTroughs are filled at dawn unless it rains.\n\n=cut\n\nsub fill { return 40 }  # litres\n"


def markdown() -> list[UncommonFile]:
    """Return Markdown with the extensions of site generators."""
    return [
        UncommonFile("md/organ.md", SITE.encode(), ("The bellows keep their pressure for about a minute.", "Gedackt .. 8", "without the bass", "4 .. 49", "Her name is on the door.", "She also teaches on Tuesdays.", "unlock --case", "the ten largest are dummies", "Also the duct above it.", "The pitch is 440 hertz at eighteen degrees.", "Before you start", "Keep out", "the floor plan"), ("{#care", "[^who]", "&nbsp;", "854"), prose=("The bellows keep their pressure for about a minute.", "Never lean on the case.", "A cloth of felt removes dust from the keys.", "Pull the stop named Gedackt.", "Press the lowest pedal twice.", "The reed pipes contain lead.", "Nobody enters the swell box alone.", "She also teaches on Tuesdays.", "The pitch is 440 hertz at eighteen degrees."), code=("unlock --case",), headings=("Care of the organ",)),
        UncommonFile("md/snow.md", TOML_FRONT.encode(), ("Snow is cleared by seven", "1 .. Alma .. Berit", "Salt is not allowed on the ramp.", "On Sundays by nine."), ("HIDDENPLAN", "+++", "date = "), prose=("Salt is not allowed on the ramp.",), headings=("Snow duty",)),
        UncommonFile("md/reading.md", PANDOC.encode(), ("Monday .. 9", "closed at noon", "A .. 400 .. 1.85", "B .. 3 .. 12.10", "Shelves of the room", "Second example of a rule.", "return book.due", "Dogs—even small ones—stay outside.", "The roof leaks"), ("4001.85", "312.10"), code=("return book.due",)),
        UncommonFile("md/tides.Rmd", RMD.encode(), ("Results are rounded to the centimetre.", "plot(tide$height)")),
        UncommonFile("md/cp1252.md", "# Übersicht\n\nDer Schlüssel für das Tor hängt „links“ – nicht rechts.\n".encode("cp1252"), ("Der Schlüssel für das Tor hängt „links“ – nicht rechts.",), headings=("Übersicht",)),
        UncommonFile("md/lists.md", b"* one\n\n  second paragraph of one\n\n* two\n  > quoted in two\n\n      code in two\n\n3. three starts at three\n4. four\n\n- a\n+ b\n* c\n\nA line ending in two spaces  \nbreaks here.\n\nTable: | not | a | table |\n\n<kbd>Ctrl</kbd>+<kbd>C</kbd> copies; 5 < 6 and a<b.\n", ("second paragraph of one", "quoted in two", "code in two", "three starts at three", "Ctrl+C copies; 5 < 6 and a<b."), ()),
        UncommonFile("md/changelog.md", b"# Changelog\n\n## [1.4.0] - 2024-03-02\n### Added\n- Kiosk mode ([#12](https://x.example/12)).\n\n### Fixed\n- The bell no longer rings twice.\n\n## [1.3.9]\n- Nothing.\n\n[1.4.0]: https://x.example/1.4.0\n", ("The bell no longer rings twice.", "Kiosk mode (#12)."), headings=("[1.4.0] - 2024-03-02",)),
        UncommonFile("md/steps.md", b"Preparing\n\n    $ mount /dev/kiln\n\nThen:\n\n\tsecond block by a tab\n\nDone. \\*not slanted\\* &amp; *slanted*.\nhttps://x.example/a_b_c stays.\n\n![Plan of the cellar](plan.png \"Cellar\")\n", ("second block by a tab", "*not slanted* & slanted.", "https://x.example/a_b_c stays.", "Plan of the cellar"), code=("$ mount /dev/kiln",)),
    ]  # fmt: skip


def others() -> list[UncommonFile]:
    """Return reStructuredText, AsciiDoc, LaTeX and others."""
    return [
        UncommonFile("rst/fire.rst", AUTOMODULE.encode(), ("Porcelain needs a slower one than stoneware.",), (), prose=("Porcelain needs a slower one than stoneware.", "Pausing keeps the door locked until the kiln has cooled.", "Cones bend at their temperature; they are never used twice."), headings=("Schedules", "Entry points", "Cones")),
        UncommonFile("rst/glazes.rst", SPHINX.encode(), ("Recipes are given in grams.", "dry weight in grams", "litres to a kilogram", "the wet weight", "the glaze runs off the bowl", "Clay that was fired once.", "Clay thinned with water.", "Celadon .. 24 .. Needs reduction.", "Cool it slowly.", "Shino .. 3 .. Crawls on wet clay.", "1200 .. 1280 .. dense", "see the safety page", "Use the steel rib for it, named by its maker.", "Pictures are in the gallery.", "Sieve twice.", "A third time does no harm.", "$ weigh --ash 24", "sieve --mesh 80", "A paper mask is not enough.", "On ashes", "A bowl with a celadon glaze", "Schedules for every glaze.", "say more while mixing", "fire to this cone", "Celadon glazes"), ("HIDDENCOMMENT", "|tool|", "12001280", "243"), False, ("recipes.csv",), prose=("Mix a glaze from powder and water.", "A third time does no harm.", "Recipes are given in grams."), code=("$ weigh --ash 24", "sieve --mesh 80"), headings=("Glaze recipes",)),
        UncommonFile("rst/tabs_crlf.rst", b"Title\r\n*****\r\n\r\n.. tabs::\r\n\r\n   .. tab:: Linux\r\n\r\n      Install the drum with care.\r\n\r\n   .. tab:: macOS\r\n\r\n      Drag the drum to the shelf.\r\n\r\n.. raw:: html\r\n\r\n   <p>RAWHTML</p>\r\n\r\n\r\n>quoted literal? no, only odd\r\n\r\nLast\r\n~~~~\r\n\r\nThe end of the drum.\r\n", ("Install the drum with care.", "Drag the drum to the shelf.", "The end of the drum."), prose=("Install the drum with care.", "Drag the drum to the shelf."), headings=("Last",)),
        UncommonFile("adoc/hut.adoc", BOOK.encode(), ("Preface of Wolkenhaus, which has 24 beds and a value that goes on in the next line.", "Stay inside while it thunders.", "The rod on the roof is earthed.", "Slippers hang by the door.", "A sidebar: the spring dries up in August.", "The winter room is never locked.", "Dormitory .. 400.01 .. no", "Attic .. 3", "cold water", "Dogs sleep in the stable", "Stable .. 10 .. no", "88 .. no", "Lake, upper .. 2 h", "valley .. 1.25 h", "Beat, in autumn only", "Only beside the stable.", "for three minutes", "It is hot.", "roof mended", "reserve --hut Wolkenhaus", "Works without signal.", "Literal    block", "A literal paragraph by its indentation", "We came for a night and stayed a week.", "sun above.", "The path is marked with poles.", "Not in fog.", "says the map", "Passed through: the bell rings at ten.", "The hut from the south"), ("HIDDENBLOCK", "(((", "endif::", "400.013", "{hut}"), False, ("prices.adoc",), prose=("Stay inside while it thunders.", "It is hot.", "The winter room is never locked."), headings=("Handbook of the hut", "Arrival")),
        UncommonFile("tex/bees.tex", TEX.encode(), ("Bees winter better in wooden hives than in straw.", "North .. 400.01 .. 3", "South .. 88 .. 14", "Boil the water first.", "Foreign honey carries foulbrood.", "Yield of the hives", "weigh --hive north"), ("INPUTENCREMARK",), prose=("Bees winter better in wooden hives than in straw.", "A hive weighs about 14 kg in spring", "Boil the water first.")),
        UncommonFile("tex/accents.tex", rb"\section{R\'ep\'etition} Le ch{\oe}ur r\'ep\`ete \`a l'\'eglise; M\"uller chante \c{c}a. Stra\ss e 5." + b"\n", ("répète à l'église",)),
        UncommonFile("po/door.po", PO, ("Die Tür steht offen.", "The door is open.")),
        UncommonFile("bib/hives.bib", BIB, ("Hives of Straw and Wood", "Second printing")),
        UncommonFile("code/feeder.pl", POD, ("Troughs are filled at dawn unless it rains.", "sub fill { return 40 }")),
    ]  # fmt: skip
