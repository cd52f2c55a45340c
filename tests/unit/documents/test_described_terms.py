"""Long lists of terms with descriptions are cut at their terms: an option is a passage of its own.

The cases were written before the code.
"""

from collections.abc import Sequence

import pytest

from saidonce.documents.segment import segment
from saidonce.foundation.model import Document, Element, Kind
from saidonce.foundation.settings.policy import SEGMENT_POLICIES, SegmentStyle


def count(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def said(n: int, first: int = 0) -> str:
    return " ".join(f"w{first + m}" for m in range(n)) + "."


def _cut(text: str, style: SegmentStyle = SegmentStyle.PARAGRAPH) -> list[str]:
    document = Document("lifts", "text", (Element(Kind.HEADING, "Options", 1), Element(Kind.LIST, text)))
    return [s.text for s in segment(document, "lifts", SEGMENT_POLICIES[style], count)]


def _terms(*terms: str, n: int = 40, mark: str = "- ") -> list[str]:
    return [f"{mark}{term}\n  {said(n, 100 * at)}" for at, term in enumerate(terms)]


NAMES = ["--up", "--down FLOOR, -d FLOOR", "--stop", "--slow", "--doors=N", "--alarm", "--light"]


class TestALongListOfTerms:
    def test_is_cut_at_its_terms(self) -> None:
        items = _terms(*NAMES)
        assert _cut("\n".join(items)) == items

    def test_keeps_short_items_apart(self) -> None:
        items = [*_terms(*NAMES), "- -4\n  Four ropes.", "- -6\n  Six ropes."]
        assert _cut("\n".join(items)) == items

    def test_of_two_editions_differs_in_the_changed_items_alone(self) -> None:
        old = _terms(*NAMES)
        new = ["- --new\n  Asks first.", *old[:3], old[3].replace("w301", "w999"), *old[4:]]
        mine, theirs = set(_cut("\n".join(old))), set(_cut("\n".join(new)))
        assert mine - theirs == {old[3]}
        assert len(theirs - mine) == 2

    def test_keeps_several_terms_with_their_one_description(self) -> None:
        items = [*_terms(*NAMES), f"- ~/.lift/a\n- ~/.lift/b\n- ~/.lift/c\n  {said(30, 900)}"]
        assert _cut("\n".join(items)) == items

    def test_may_have_several_terms_for_most_descriptions(self) -> None:
        items = [f"- /etc/lift{n}\n- /etc/lift{n}.pub\n- /etc/lift{n}.old\n  {said(60, 100 * n)}" for n in range(6)]
        assert _cut("\n".join(items)) == items

    def test_keeps_terms_without_a_description_at_its_end_with_the_last(self) -> None:
        items = _terms(*NAMES)
        assert _cut("\n".join([*items, "- --bare", "- --other"]))[-1] == f"{items[-1]}\n- --bare\n- --other"

    def test_keeps_lines_and_lists_below_a_term_with_it(self) -> None:
        items = [*_terms(*NAMES), f"- --key\n  {said(20, 800)}\n  - up\n    {said(20, 900)}\n  - down\n    Goes down."]
        assert _cut("\n".join(items)) == items

    def test_may_describe_its_terms_one_step_deeper_as_a_list_of_html_does(self) -> None:
        items = [f"- {name}\n  - {said(40, 100 * at)}" for at, name in enumerate(NAMES)]
        assert _cut("\n".join(items)) == items

    def test_cuts_a_very_long_description_at_its_lines(self) -> None:
        long = "\n".join(f"  {said(90, 1000 + 100 * n)}" for n in range(5))
        parts = _cut("\n".join([*_terms(*NAMES), f"- --key\n{long}"]))
        assert parts[:7] == _terms(*NAMES)
        assert "\n".join(parts[7:]) == f"- --key\n{long}"
        assert len(parts) > 8

    def test_is_one_piece_of_a_packed_segment_as_before(self) -> None:
        assert len(_cut("\n".join(_terms(*NAMES)), SegmentStyle.PACKED)) == 1


@pytest.mark.parametrize(
    "items",
    [
        pytest.param(_terms(*NAMES, mark="1. "), id="steps belong together"),
        pytest.param([f"- {said(40, 100 * n)}" for n in range(8)], id="items without terms"),
        pytest.param([f"- {said(20, 100 * n)}\n  {said(20, 50 + 100 * n)}" for n in range(8)], id="sentences"),
        pytest.param([f"- In house {n} we have:\n  - {said(40, 100 * n)}" for n in range(8)], id="introductions"),
        pytest.param([f"- {said(40, 100 * n)}" for n in range(7)] + ["- --up\n  Goes up."], id="one term"),
    ],
)
def test_another_long_list_is_cut_as_before(items: list[str]) -> None:
    parts = _cut("\n".join(items))
    assert len(parts) < len(items)
    assert "\n".join(parts) == "\n".join(items)


def test_a_list_of_terms_that_fits_stays_whole() -> None:
    assert len(_cut("\n".join(_terms(*NAMES, n=5)))) == 1
