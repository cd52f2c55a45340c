"""Texts on pages: excerpts that end at words, tables, code and Markdown; nothing of a document becomes an element."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.interfaces.http.rich_text import ELLIPSIS, excerpt, rich


def test_excerpts_end_at_words() -> None:
    assert excerpt("Backups are kept for thirty days.", 40) == "Backups are kept for thirty days."
    assert excerpt("Backups are kept for thirty days.", 24) == f"Backups are kept for{ELLIPSIS}"
    assert excerpt("Backups,  are\nkept for thirty days.", 12) == f"Backups{ELLIPSIS}"
    assert excerpt("antidisestablishmentarianism", 10) == f"antidise{ELLIPSIS}"
    assert excerpt("備份保留三十天" * 10, 12) == f"備份保留三十天備份保{ELLIPSIS}"


@given(st.text(max_size=300), st.integers(10, 200))
def test_an_excerpt_is_never_too_long_and_begins_as_the_text_does(text: str, most: int) -> None:
    cut = excerpt(text, most)
    assert len(cut) <= most
    assert " ".join(text.split()).startswith(cut.removesuffix(ELLIPSIS))


def test_tables_and_code_are_shown_as_such() -> None:
    table = rich("a | b\n1 | <i>2</i>", "table")
    assert '<th scope="col">a</th>' in table
    assert "<td>&lt;i&gt;2&lt;/i&gt;</td>" in table
    assert rich("x = '<b>'\n  y", "code") == "<pre><code>x = &#39;&lt;b&gt;&#39;\n  y</code></pre>"


def test_only_markdown_with_tables_or_code_is_rendered() -> None:
    assert rich("2 * 3 * 4 is _not_ emphasis") == '<div class="verbatim">2 * 3 * 4 is _not_ emphasis</div>'
    fenced = rich("Run:\n\n```sh\nrm -r <dir>\n```\n")
    assert "<pre><code>rm -r &lt;dir&gt;" in fenced
    assert "<td>1</td>" in rich("| a | b |\n|---|---|\n| 1 | 2 |")


def test_rows_of_cells_are_a_table_where_the_kind_is_not_known() -> None:
    assert "<td>1</td>" in rich("a | b\n1 | 2", "")
    assert rich("a | b\none", "") == '<div class="verbatim">a | b\none</div>'
    assert rich("one\ntwo", "") == '<div class="verbatim">one\ntwo</div>'


def test_words_are_marked_where_a_text_is_shown_to_the_letter() -> None:
    assert '<mark class="word">Backups</mark> &amp; more' in rich("Backups & more", words=["backup"])
    assert '<td><mark class="word">backups</mark></td>' in rich("a\nbackups", "table", ["backup"])


@pytest.mark.parametrize(
    "evil",
    [
        "<script>alert(1)</script>", '<img src=x onerror="alert(1)">', "[x](javascript:alert(1))", "![x](http://e.com/p)",
        "<javascript:alert(1)>", "<https://evil.example>", "[a]: javascript:alert(1)\n\n[a]", "<svg/onload=alert(1)>",
        "</div></main><form action=https://evil.example>",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["paragraph", "table", "code", "markdown"])
def test_hostile_text_stays_text(evil: str, kind: str) -> None:
    text = f"```\n{evil}\n```\n\n{evil}\n\n| a |\n|---|\n| {evil} |" if kind == "markdown" else f"a | b\n{evil} | c"
    shown = str(rich(text, "paragraph" if kind == "markdown" else kind)).casefold()
    assert not [bad for bad in ("<script", "<img", "<svg", "<form", "<a ", "<main", "</main") if bad in shown]


@given(st.text(alphabet="<>/\"'`|-=ab &;()[]!\n", max_size=200))
def test_no_text_makes_an_element_with_attributes_of_its_own(text: str) -> None:
    shown = str(rich(f"```\nx\n```\n{text}"))
    for tag in shown.replace('<div class="prose">', "").split("<")[1:]:
        assert "=" not in tag.partition(">")[0], shown
