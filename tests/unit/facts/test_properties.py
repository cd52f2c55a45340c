"""What holds for every pair of texts."""

import string

from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import examples
from saidonce.matching.facts import Comparison, Pairing, compare, covers

_WORDS = (
    "the lease runs for 30 days thirty months must may not never all some daily weekly Anna Leeds AC-2 v1.2 $5 2024"
    " before after increase decrease door key gate open close and or to from by 1,000 kg | `code` unknown quickly"
).split()
_SENTENCE = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=12).map(lambda words: " ".join(words) + ".")
_TEXT = st.lists(_SENTENCE, min_size=0, max_size=4).map(" ".join)
_ANY = st.one_of(_TEXT, st.text(max_size=80))
_TURNED = {Pairing.INSERTED: Pairing.DELETED, Pairing.DELETED: Pairing.INSERTED}


def _sides(found: Comparison) -> set[object]:
    return {*((o.kind, o.a, o.b) for o in found.objections), *((c.relation, c.a, c.b) for c in found.changes)}


@given(_ANY, _ANY)
def test_swapping_the_texts_swaps_the_sides(a: str, b: str) -> None:
    there, back = compare(a, b), compare(b, a)
    turned: set[object] = {(o.kind, o.b, o.a) for o in back.objections}
    turned |= {(_TURNED.get(c.relation, c.relation), c.b, c.a) for c in back.changes}
    assert _sides(there) == turned
    assert (there.a_adds, there.b_adds) == (back.b_adds, back.a_adds)


@given(_ANY)
def test_a_text_agrees_with_itself(text: str) -> None:
    found = compare(text, text)
    assert not found.objections
    assert not found.a_adds
    assert not found.b_adds
    assert covers(text, text)


@given(_ANY, _ANY)
def test_spans_are_real(a: str, b: str) -> None:
    found = compare(a, b)
    for span in (s for o in found.objections for s in (o.a, o.b)):
        assert span.text in (a[span.start : span.end], b[span.start : span.end])
    for o in found.objections:
        assert a[o.a.start : o.a.end] == o.a.text
        assert b[o.b.start : o.b.end] == o.b.text
    for c in found.changes:
        assert a[c.a.start : c.a.end] == c.a.text
        assert b[c.b.start : c.b.end] == c.b.text


@given(_TEXT, st.sampled_from(("\n", "  ", "\t", "\u00a0")))
def test_layout_never_objects(text: str, space: str) -> None:
    assert not compare(text, text.replace(" ", " " + space if space != "\n" else "  ")).objections


@given(_TEXT)
def test_case_never_objects(text: str) -> None:
    assert not compare(text, text.upper(), "en").objections
    assert not compare(text, text.lower(), "en").objections


@given(_TEXT)
def test_typography_never_objects(text: str) -> None:
    altered = text.replace("-", "\u2010").replace("'", "\u2019").replace(". ", ".\u200b ")
    assert not compare(text, altered, "en").objections


@given(_TEXT)
def test_an_added_sentence_never_objects(text: str) -> None:
    added = "Ein Zebra trinkt Limonade"
    found = compare(text, f"{text}\n{added}", "en")
    assert not found.objections
    assert not found.a_adds
    assert found.b_adds
    assert covers(f"{text}\n{added}", text, "en")
    assert not covers(text, f"{text}\n{added}", "en")


@settings(max_examples=examples(66, 200))
@given(st.text(alphabet=string.printable + "日本語äöüß€°½²٣\u00ad\u200b", max_size=200), st.text(max_size=200))
def test_no_text_breaks_it(a: str, b: str) -> None:
    compare(a, b)
