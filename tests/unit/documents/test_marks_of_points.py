"""Marks of points that state something: signs that weigh, and numbers of steps that have nothing but points below."""

from __future__ import annotations

import pytest

from saidonce.documents.parse import parse

FOR, AGAINST = "- + quiet\n- + light", "- \u2212 dear"


def texts(name: str, content: str) -> list[str]:
    return [element.text for element in parse(name, content.encode()).elements]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("+ quiet\n+ light\n- dear\n", [FOR, AGAINST]),
        ("+ quiet\n+ light\n\n- dear\n", [FOR, AGAINST]),
        ("- dear\n+ quiet\n+ light\n", [AGAINST, FOR]),
        ("+ quiet\n+ light\n", ["- quiet\n- light"]),
        ("- quiet\n- light\n", ["- quiet\n- light"]),
        ("* quiet\n* light\n\n- dear\n", ["- quiet\n- light", "- dear"]),
        ("+ quiet\n+ light\n\nBut:\n\n- dear\n", ["- quiet\n- light", "But:", "- dear"]),
    ],
)
def test_signs_weigh_where_both_stand_side_by_side(written: str, read: list[str]) -> None:
    assert texts("a.md", written) == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("The boat:\n\n+ quiet\n+ light\n- dear\n", f"{FOR}\n{AGAINST}"),
        ("The boat:\n\n+ quiet\n+ light\n\u2013 dear\n", f"{FOR}\n{AGAINST}"),
        ("The boat:\n\n- quiet\n  + light\n- dear\n", "- quiet\n  - light\n- dear"),
        ("The boat:\n\n- quiet\n- light\n", "- quiet\n- light"),
    ],
)
def test_signs_weigh_in_plain_text_where_both_stand_at_one_depth(written: str, read: str) -> None:
    assert texts("a.txt", written)[-1] == read


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a.html", "<ol><li>Stop.</li><li><dl><dt>Lid</dt><dd>blue</dd></dl></li><li>Go to 2.</li></ol>"),
        ("a.md", "1. Stop.\n2. - Lid\n     - blue\n3. Go to 2.\n"),
    ],
)
def test_a_step_of_points_alone_keeps_its_number(name: str, written: str) -> None:
    (listed,) = texts(name, written)
    assert [line for line in listed.splitlines() if line[0].isdigit()] == ["1. Stop.", "2.", "3. Go to 2."]


@pytest.mark.parametrize("written", ["<ol><li>Stop.</li><li></li><li>Go.</li></ol>", "<ul><li></li></ul><p>Go.</p>"])
def test_an_item_without_text_is_none(written: str) -> None:
    assert all(line.strip() not in ("-", "2.") for text in texts("a.html", written) for line in text.splitlines())


def test_what_is_struck_out_is_not_stated() -> None:
    assert texts("a.md", "Invoices are due in ~~30 days~~ 14 days.") == ["Invoices are due in 14 days."]
