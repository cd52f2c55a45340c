"""The commands and environments of LaTeX, by what their arguments are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType


def _counted(text: str) -> Mapping[str, int]:
    """Return the numbers of "2: name name; 1: name" by name."""
    parts = (part.split(":") for part in text.split(";"))
    return MappingProxyType({name: int(number) for number, names in parts for name in names.split()})


RANKS = _counted(
    "0: part; 1: chapter; 2: section; 3: subsection frame frametitle; 4: subsubsection framesubtitle;"
    "5: paragraph block alertblock exampleblock; 6: subparagraph"
)
"""Rank of each command or environment that has a title."""

TITLED_ENVIRONMENTS = frozenset("frame block alertblock exampleblock".split())
FORMULAS = frozenset(
    "equation align gather multline eqnarray displaymath math flalign alignat dmath split aligned IEEEeqnarray".split()
)
FORMULAS_WITH_ARGUMENT = frozenset("alignat IEEEeqnarray".split())
LISTS = frozenset("itemize enumerate description list compactitem compactenum questions".split())
NUMBERED_LISTS = frozenset("enumerate compactenum questions".split())
TABLES = _counted(
    "2: tabularx tabulary xltabular; 1: tabular longtable array tabu longtabu supertabular tblr longtblr; 0: tabbing"
)
"""Arguments of each environment that is a table."""

ENVIRONMENT_ARGUMENTS = _counted(
    "2: wrapfigure wraptable adjustwidth CJK; 1: minipage multicols column thebibliography adjustbox subfigure subtable"
    " onlyenv spacing otherlanguage"
)
"""Leading arguments of each other environment that are no text."""

STATEMENTS = frozenset(
    "theorem lemma definition proposition corollary remark example proof axiom claim conjecture note exercise".split()
)
SILENT = _counted(
    "1: label vspace pagestyle thispagestyle documentclass usepackage RequirePackage index glossary"
    " bibliographystyle hypersetup geometry newlength newcounter color pagecolor graphicspath lstset captionsetup"
    " hyphenation theoremstyle cline cmidrule usetheme usecolortheme usefonttheme scalebox raisebox rotatebox"
    " parbox phantom hphantom vphantom textcolor colorbox selectlanguage foreignlanguage linespread setstretch"
    " enlargethispage pagenumbering nocite includegraphics sisetup usetikzlibrary tikzset newif ProvidesPackage"
    " NeedsTeXFormat PassOptionsToPackage setbeamercovered setbeamertemplate usebeamertemplate addbibresource"
    " bookmarksetup cellcolor rowcolor inputencoding fontfamily fontseries fontshape setlist hypertarget hyperlink"
    " hyperref numberwithin specialrule;"
    "2: setlength addtolength setcounter addtocounter fontsize rule markboth resizebox DeclareMathOperator"
    " setbeamercolor setbeamerfont setkomafont addtokomafont fcolorbox;"
    "3: definecolor addcontentsline newenvironment renewenvironment providecolor"
)
"""Leading arguments of each command that are no text; what stands behind them is read."""

STRUCK = frozenset("sout xout st deleted strikeout".split())
"""Commands that strike their argument out."""

REFERENCES = frozenset("ref autoref cref Cref pageref nameref vref labelcref fref subref".split())
CITATIONS = re.compile(r"(?:foot|text|paren|auto|no|full|super|smart)?[cC]ites?(?:p|t|alp|alt|author|year|num)?")
UNITS = frozenset("SI qty si unit num ang SIrange qtyrange numrange".split())
DEFINITIONS_BY_SIGNS = frozenset("def gdef".split())
DEFINITIONS_BY_SPECIFICATION = frozenset(
    "NewDocumentCommand RenewDocumentCommand ProvideDocumentCommand DeclareDocumentCommand".split()
)
DEFINITIONS = (
    frozenset("newcommand renewcommand providecommand DeclareRobustCommand newrobustcmd".split())
    | DEFINITIONS_BY_SIGNS
    | DEFINITIONS_BY_SPECIFICATION
)
INCLUSIONS = frozenset("input include subfile import includeonly bibliography printbibliography".split())
LETTER_PARTS = frozenset("opening closing ps encl cc".split())
LENGTHS = frozenset("vskip hskip kern parindent parskip baselineskip textwidth textheight hsize vsize".split())
"""Lengths, which may be set without braces."""
