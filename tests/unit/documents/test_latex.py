"""LaTeX: what a reader of the printed page sees is kept, in its role; nothing is executed, and hostile files end."""

import time
import tomllib
from itertools import pairwise
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pytest

from saidonce.documents.parse import parse
from saidonce.foundation.model import Document, Kind

CASES: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parents[2] / "cases" / "latex" / "documents.toml").read_text(encoding="utf-8")
)["case"]


def _read(tex: str) -> Document:
    return parse("notes.tex", tex.encode())


def _all_text(document: Document) -> str:
    return "\n".join(element.text for element in document.elements)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_latex_as_people_write_it(case: dict[str, Any]) -> None:
    document = _read(case["tex"])
    found = [[str(element.kind), element.text] for element in document.elements]
    places = [found.index(element) if element in found else element for element in case.get("elements", [])]
    assert places == sorted(place for place in places if isinstance(place, int)), found
    levels = {element.text: element.level for element in document.elements if element.kind is Kind.HEADING}
    assert [[text, levels.get(text)] for text, _ in case.get("levels", [])] == case.get("levels", [])
    text = _all_text(document)
    assert [words for words in case.get("has", []) if words not in text] == []
    assert [words for words in case.get("absent", []) if words in text] == []
    assert (document.title, document.author) == (case.get("title", document.title), case.get("author", document.author))
    assert [words for words in case.get("warnings", []) if words not in "; ".join(document.warnings)] == []


def test_arguments_of_environments_and_commands_that_nobody_knows_stay_apart() -> None:
    (text,) = (e.text for e in _read("\\begin{classdesc}{Lift}{floors=9}\nOne lift.\n\\end{classdesc}").elements)
    assert text == "Lift floors=9 One lift."


def test_a_table_in_a_cell_and_a_list_in_a_cell_keep_their_words() -> None:
    tex = (
        "\\begin{tabular}{ll}\nA & \\begin{tabular}{l}x\\\\y\\end{tabular} \\\\\n"
        "B & \\begin{minipage}{2cm}one\\\\two\\end{minipage} \\\\\n\\end{tabular}"
    )
    (table,) = _read(tex).elements
    assert table.rows == (("A", "x; y"), ("B", "one two"))


def test_a_macro_of_the_writer_that_takes_the_name_of_a_section_does_not_hide_it() -> None:
    document = _read("\\renewcommand{\\section}[1]{gone}\n\\section{Lifts}\nText.")
    assert [element.text for element in document.elements] == ["Lifts", "Text."]


HOSTILE = {
    "macros that double one another": "".join(
        f"\\newcommand{{\\m{a}}}{{\\m{b}\\m{b}}}" for a, b in pairwise(ascii_lowercase)
    )
    + "\\newcommand{\\mz}{ha}\nBefore. \\ma{} After.",
    "a macro that stands for itself": "\\def\\x{\\x\\x}Before. \\x After.",
    "an argument that doubles": "\\newcommand{\\d}[1]{#1#1}Before. " + "\\d{" * 40 + "x" + "}" * 40 + " After.",
    "open braces": "Before. " + "{" * 60_000,
    "open arguments": "Before. " + "\\section{" * 40_000,
    "closing braces": "Before. " + "}" * 60_000,
    "notes in notes": "Before. " + "\\footnote{" * 20_000 + "x" + "}" * 20_000,
    "open environments": "Before. " + "\\begin{itemize}\\item " * 20_000,
    "open tables": "Before. " + "\\begin{tabular}{l}a&" * 5_000,
    "open formulas": "Before. " + "\\[ x " * 80_000,
    "dollars": "Before. " + "$" * 40_001,
    "fractions in fractions": "Before. $" + "\\frac{" * 3_000 + "1" + "}{2}" * 3_000 + "$",
    "open programs": "Before. " + "\\begin{verbatim}" * 20_000,
    "backslashes": "Before. " + "\\" * 60_001,
    "line ends with options": "Before. " + "\\\\[" * 100_000,
    "open options": "Before. " + "\\foo[" * 60_000,
    "spans": "\\begin{tabular}{l}" + "\\multicolumn{999999}{l}{x} & " * 200 + "\\\\\\end{tabular} Before.",
    "rows that hang": "\\begin{tabular}{l}\\multirow{99999999}{*}{x} & b \\\\ & c\\\\\\end{tabular} Before.",
    "comments": "Before. " + "%\n" * 60_000,
    "accents": "Before. " + "\\'" * 40_000,
    "verbs": "Before. " + "\\verb|" * 60_000,
    "unknown commands": "Before. " + "\\foo{" * 30_000 + "x" + "}" * 30_000,
    "units in units": "Before. " + "\\SI{" * 20_000,
}


@pytest.mark.parametrize("tex", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_latex_ends_soon_and_keeps_what_stands_before_it(tex: str) -> None:
    started = time.process_time()
    text = _all_text(_read(tex))
    assert "Before." in text
    assert len(text) < 20_000_000
    assert time.process_time() - started < 10


def test_the_cost_of_long_latex_grows_with_its_length() -> None:
    page = "\\section{Lifts}\nThe \\emph{lift} holds $x^2$ people\\footnote{Or 5\\,\\%.}.\n\n"
    page += "\\begin{tabular}{ll}a & 1\\\\b & 2\\end{tabular}\n"
    started = time.process_time()
    _read(page * 500)
    once = time.process_time() - started
    _read(page * 2_000)
    assert time.process_time() - started - once < 8 * max(once, 0.2)


def test_nothing_of_other_files_is_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.tex"
    secret.write_text("The code is 4471.", encoding="utf-8")
    document = _read(f"Text.\n\\input{{{secret}}}\\write18{{cat {secret}}}\\openin\\f={secret}")
    assert "4471" not in _all_text(document)
