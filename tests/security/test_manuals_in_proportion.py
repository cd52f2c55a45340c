"""Pages of manuals and wikis that mean harm: each is read at a cost in proportion to its length, and to its end."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest

from saidonce.documents.parse import parse
from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation.model import Kind

LENGTH = 120_000
MOST_S = 2.5
"""Two thirds of these took longer before they were read in proportion."""

PUMPED = {
    "links of a wiki without an end": ("wiki", "", "[[a|", ""),
    "brackets of a wiki": ("wiki", "", "[", ""),
    "files of a wiki without an end": ("wiki", "", "[[File:a", ""),
    "addresses of a wiki without an end": ("wiki", "'''a''' ", "[//a ", ""),
    "spaces behind an address": ("wiki", "'''a''' [//a", " ", "x"),
    "notes of a wiki without an end": ("wiki", "'''a''' ", "<ref name=a", ""),
    "code of a wiki without an end": ("wiki", "'''a''' ", "<pre x", ""),
    "an equal sign and spaces": ("wiki", "'''a'''\n=", " ", "x"),
    "a cell of equal signs": ("wiki", "{|\n|", "=", "\n|}"),
    "a cell of many lines": ("wiki", "{|\n| a\n", "b\n", "|}"),
    "numbered titles": ("txt", "", "5 Abc\n\n", ""),
    "empty lines below a number": ("txt", "3 Abc\n\nabc", "\n", "abc"),
    "words broken at hyphens": ("txt", "", "a line that is as long as the others, with a word bro-\nken ", "\n"),
    "spaces in a heading of Org": ("org", "* a", " ", "b"),
    "links of Org without an end": ("org", "", "[[", ""),
    "links of Org half done": ("org", "", "[[a][", ""),
    "an item of Org of many lines": ("org", "- a\n", "  b\n", ""),
    "conditions in conditions": ("man", "a\n", ".if n \\{\n", ""),
    "fonts without an end": ("man", "a", "\\f[", ""),
    "signs without an end": ("man", "a", "\\[", ""),
    "strings without an end": ("man", "a", "\\*[", ""),
    "sizes without an end": ("man", "a", "\\s[", ""),
    "registers without an end": ("man", "a", "\\n[", ""),
    "a tag of many lines": ("man", ".It a Xo\n", "b\n.Xc\n", ""),
    "words without spaces": ("man", ".Sm off\n", "abc\n", ""),
    "lists in lists": ("texi", "", "@itemize\n", "a\n" + "@end itemize\n" * 10_000),
    "further items": ("texi", "@table @code\n@item a\n", "@itemx b\n", "@end table\n"),
    "a cell of Texinfo of many lines": ("texi", "@multitable\n@item a\n", "b\n", "@end multitable\n"),
    "wide marks without an end": ("pod", "=pod\n\n", "C<< a ", ""),
    "a wide mark and spaces": ("pod", "=pod\n\na C<<", " ", "x"),
}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", PUMPED)
def test_what_has_no_end_costs_no_more_than_its_share(name: str) -> None:
    ending, head, pump, end = PUMPED[name]
    source = (head + pump * (LENGTH // len(pump)) + end).encode()
    begun = time.process_time()
    with suppress(SourceRefusedError):  # what holds no text has cost what it has cost
        parse(f"a.{ending}", source)
    assert time.process_time() - begun < MOST_S


def _of_names(defined: str, used: str) -> str:
    """Return a page whose fifth name stands for a thousand million characters."""
    named = "".join(defined.format(b) + used.format(a) * 100 + "\n" for a, b in ("ab", "bc", "cd", "de"))
    return f"{defined.format('a')}xxxxxxxxxx\n{named}{used.format('e')}\n"


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.man", _of_names(".ds {} ", "\\*{}")),
        ("a.man", ".ds a " + "x" * 100_000 + "\n" + "\\*a\n" * 10_000),
        ("a.texi", _of_names("@set {} ", "@value{{{}}}")),
        ("a.texi", "@set a " + "x" * 100_000 + "\n" + "@value{a}\n" * 10_000),
    ],
)
def test_names_that_stand_for_names_unfold_to_nothing_large(name: str, source: str) -> None:
    begun = time.process_time()
    with pytest.raises(SourceRefusedError) as refused:
        parse(name, source.encode())
    assert refused.value.reason is Refusal.HOSTILE
    assert "names stand for more than" in refused.value.detail
    assert time.process_time() - begun < MOST_S


def test_a_long_name_of_a_program_is_said_once() -> None:
    page = ".Dt A 1\n.Sh NAME\n.Nm " + "x" * 5_000 + "\n" + ".Nm\n" * 10_000
    document = parse("a.man", page.encode())
    assert sum(element.text.count("x" * 5_000) for element in document.elements) == 1


def test_conditions_deeper_than_are_decided_lose_no_word() -> None:
    page = ".SH A\n" + ".if n \\{\n" * 200 + "deep text\n" + ".\\}\n" * 200 + "after\n"
    texts = " ".join(element.text for element in parse("a.man", page.encode()).elements)
    assert "deep text" in texts
    assert "after" in texts


def test_a_thousand_files_that_were_not_included_are_each_named_once() -> None:
    page = "a\n" + "".join(f"@include file{n % 5_000}\n" for n in range(20_000))
    begun = time.process_time()
    document = parse("a.texi", page.encode())
    assert len(document.warnings) == 5_000
    assert time.process_time() - begun < MOST_S
    assert [element.kind for element in document.elements] == [Kind.PARAGRAPH]
