"""A context for a language model: nothing stands twice, and nothing is left out silently."""

from __future__ import annotations

import pytest

from saidonce.errors import UsageError
from saidonce.kb.packed_context import LEAST_TOKENS, PackedContext, pack
from world import World, world

RULE = "Backups of the archive are written every night by the operations team."
KEPT_30 = "They are kept for 30 days in two regions."
KEPT_90 = "They are kept for 90 days in two regions."
TESTED = "A restore is tested in the first week of every month."
GARDEN = "Whoever waters the garden in summer writes the amount on the list in the shed."


def packed(base: World, question: str, n_tokens: int = 400) -> PackedContext:
    return pack(base.search(question, k=20), n_tokens, base.embedder.count_tokens)


@pytest.fixture
def editions() -> World:
    base = world(min_relevance=0.0)
    base.ingest({
        "one.md": f"{RULE} {KEPT_30}",
        "two.md": f"{RULE} {KEPT_90}",
        "copy.md": f"{RULE} {KEPT_30}\n",
        "more.md": f"{RULE} {KEPT_30} {TESTED}",
        "garden.md": GARDEN,
    })  # fmt: skip
    return base


def test_nothing_stands_twice(editions: World) -> None:
    context = packed(editions, "how long are backups of the archive kept")
    assert context.text.count(RULE) == 1
    for sentence in (KEPT_90, TESTED):
        assert context.text.count(sentence) == 1


def test_every_source_is_named(editions: World) -> None:
    context = packed(editions, "how long are backups of the archive kept")
    named = {o.document for p in context.passages for o in (p.origin, *p.also_in, *p.part_in)}
    assert {"one.md", "two.md", "copy.md", "more.md"} <= named
    assert not context.left_out


def test_values_that_conflict_are_named_as_such(editions: World) -> None:
    context = packed(editions, "how long are backups of the archive kept")
    conflicts = {frozenset((o.a.text, o.b.text)) for p in context.passages for o in p.conflicts}
    assert frozenset(("30 days", "90 days")) in conflicts
    assert 'differs: "90 days" here, "30 days" there' in context.text or 'differs: "30 days" here' in context.text


def test_a_variant_says_whether_it_repeats_all_or_part() -> None:
    base = world(min_relevance=0.0)
    base.ingest({"a.md": f"{RULE} {KEPT_30}", "b.md": f"{RULE} {TESTED}"})
    context = packed(base, "backups of the archive written every night")
    variant = next(p for p in context.passages if p.variant_of is not None)
    assert not variant.repeats_all
    assert f"part of [{variant.variant_of}], and" in context.text


def test_a_look_alike_of_one_sentence_is_told_as_a_variant() -> None:
    base = world(min_relevance=0.0)
    base.ingest({"a.md": f"The archive: {KEPT_30}", "b.md": f"The archive: {KEPT_90}"})
    context = packed(base, "how long are copies in the archive kept")
    assert [p.variant_of for p in context.passages] == [None, 1]


def test_what_does_not_fit_is_counted(editions: World) -> None:
    tight = packed(editions, "how long are backups of the archive kept", LEAST_TOKENS)
    assert tight.n_tokens <= LEAST_TOKENS
    everything = packed(editions, "how long are backups of the archive kept")
    origins = [
        {o.block_id for p in c.passages for o in (p.origin, *p.also_in, *p.part_in)} for c in (tight, everything)
    ]
    assert {o.block_id for o in tight.left_out} == origins[1] - origins[0]
    assert tight.left_out


def test_what_did_not_fit_is_quoted_where_it_differs() -> None:
    base = world(min_relevance=0.0)
    again = "Whoever asks for an older copy writes to the operations team, which answers within three working days."
    base.ingest({"one.md": f"{RULE} {KEPT_30}", "two.md": f"{RULE} {KEPT_90} {again}"})
    whole = packed(base, "how long are backups of the archive kept")
    _, variant = whole.passages
    assert variant.variant_of == 1

    tight = packed(base, "how long are backups of the archive kept", max(LEAST_TOKENS, whole.n_tokens - 5))

    (only,) = tight.passages
    assert {o.document for o in tight.left_out} == {variant.origin.document}
    days = sorted(("30 days", "90 days"), key=lambda value: value in only.text)
    assert f'differs: "{days[0]}" in {variant.origin.file}, "{days[1]}" here' in tight.text
    assert tight.n_tokens <= tight.budget


def test_the_same_question_packs_the_same_bytes(editions: World) -> None:
    assert packed(editions, "backups").text == packed(editions, "backups").text


def test_nothing_found_is_an_empty_context() -> None:
    base = world(min_relevance=0.0)
    base.ingest({"garden.md": GARDEN})
    base.set(min_relevance=0.2)
    context = packed(base, "zebra quantum marmalade")
    assert (context.passages, context.text, context.n_tokens) == ((), "", 0)


@pytest.mark.parametrize("n_tokens", [0, LEAST_TOKENS - 1, 10_000_000])
def test_an_impossible_budget_is_refused(editions: World, n_tokens: int) -> None:
    with pytest.raises(UsageError, match="tokens"):
        packed(editions, "backups", n_tokens)


def test_two_editions_of_one_file_are_told_apart() -> None:
    base = world(min_relevance=0.0)
    base.ingest({
        "v1/guide/archive.md": f"{RULE} {KEPT_30}",
        "v2/guide/archive.md": f"{RULE} {KEPT_90}",
        "v2/guide/garden.md": GARDEN,
    })  # fmt: skip

    context = packed(base, "how long are backups of the archive kept")

    assert {p.origin.file for p in context.passages} >= {"v1/guide/archive.md", "v2/guide/archive.md"}
    assert all(name in context.text for name in ("v1/guide/archive.md", "v2/guide/archive.md"))


def test_folders_that_tell_nothing_apart_are_left_out() -> None:
    base = world(min_relevance=0.0)
    base.ingest({"v2/guide/archive.md": f"{RULE} {KEPT_30}", "v2/guide/garden.md": GARDEN})

    context = packed(base, "how long are backups of the archive kept")

    assert {p.origin.file for p in context.passages} <= {"archive.md", "garden.md"}


def test_copies_in_two_editions_are_both_named() -> None:
    base = world(min_relevance=0.0)
    base.ingest({"v1/archive.md": f"{RULE} {KEPT_30}", "v2/archive.md": f"{RULE} {KEPT_30}\n"})

    (passage,) = packed(base, "how long are backups of the archive kept").passages

    assert {passage.origin.file, *passage.again_in} == {"v1/archive.md", "v2/archive.md"}


def test_what_stands_in_a_values_place_is_named() -> None:
    base = world(min_relevance=0.0)
    base.ingest({
        "a.md": f"{RULE} In the first run the total is always null.",
        "b.md": f"{RULE} In the first run the total is always undefined.",
    })  # fmt: skip

    text = packed(base, "what is the total in the first run of backups").text

    assert "nothing there" not in text
    assert 'differs: "undefined" here, "null" there' in text or 'differs: "null" here, "undefined" there' in text


def test_a_file_inside_an_archive_is_named_with_its_archive() -> None:
    base = world(min_relevance=0.0)
    base.ingest({"docs/handover.zip/letters/rules.md": f"{RULE} {KEPT_30}", "docs/garden.md": GARDEN})
    context = packed(base, "backups of the archive, and whoever waters the garden")
    assert {p.origin.file for p in context.passages} == {"handover.zip/letters/rules.md", "garden.md"}
    assert all(p.origin.file in p.origin.place for p in context.passages)
    found = base.search("backups of the archive", k=1)
    assert "handover.zip/letters/rules.md" in pack(found, 400, base.embedder.count_tokens).passages[0].origin.place


ONE_WORD = [
    ("The canteen is closed on Sundays.", "The canteen was closed on Sundays."),
    ("Staff are allowed to park in the yard.", "Staff were allowed to park in the yard."),
    ("The warranty does not cover glass parts.", "The warranty did not cover glass parts."),
    ("The rent includes heating.", "The rent included heating."),
    ("The fee is 79 EUR.", "The fee was 79 EUR."),
]


@pytest.mark.parametrize(("one", "other"), ONE_WORD)
@pytest.mark.parametrize("around", ["{}", "The yard is swept on Fridays. {} The gate is locked at ten."])
def test_a_sentence_that_differs_in_one_word_of_grammar_is_shown(one: str, other: str, around: str) -> None:
    base = world(min_relevance=0.0)
    base.ingest({"a.md": around.format(one), "b.md": around.format(other)})
    context = packed(base, one)
    assert one in context.text
    assert other in context.text


IN_ANOTHER_ORDER = [
    (
        "Call the emergency line. Close the main valve in the cellar. Switch off the fuse in the hall.",
        "Close the main valve in the cellar. Switch off the fuse in the hall. Call the emergency line.",
    ),
    (
        "Cats may be kept in all houses. Dogs may be kept in all houses. This does not hold for the house at the lake.",
        "Cats may be kept in all houses. This does not hold for the house at the lake. Dogs may be kept in all houses.",
    ),
    (
        "- Yellow bin:\n- foils\n- flower pots of plastic\n- Grey bin:\n- ashes and cinders\n- nappies",
        "- Yellow bin:\n- foils\n- Grey bin:\n- flower pots of plastic\n- ashes and cinders\n- nappies",
    ),
    (
        "1. Families with children\n2. People with a disability\n3. Members of long standing",
        "1. People with a disability\n2. Families with children\n3. Members of long standing",
    ),
]


@pytest.mark.parametrize(("one", "other"), IN_ANOTHER_ORDER)
@pytest.mark.parametrize("more", ["", " The office answers questions about it from nine to twelve."])
def test_the_same_sentences_in_another_order_are_shown_if_their_order_says_something(
    one: str, other: str, more: str
) -> None:
    base = world(min_relevance=0.0)
    base.ingest({"a.md": one, "b.md": f"{other}{more}"})
    first, second = packed(base, one.split(".", maxsplit=1)[0]).passages
    assert second.variant_of == 1
    assert {first.origin.document, second.origin.document} == {"a.md", "b.md"}
    assert len(second.text) >= len(other) - 10


def test_sentences_whose_order_says_nothing_are_shown_once() -> None:
    one, other = "The yard is swept on Fridays by the caretaker.", "Parcels are kept at the gate for a week."
    base = world(min_relevance=0.0)
    base.ingest({"a.md": f"{one} {other}", "b.md": f"{other} {one}"})
    context = packed(base, one)
    assert context.text.count(one) == 1
    assert context.text.count(other) == 1


def test_a_variant_that_contradicts_says_so_in_its_first_line() -> None:
    base = world(min_relevance=0.0)
    base.ingest({"a.md": KEPT_30, "b.md": KEPT_90, "c.md": GARDEN})
    lines = packed(base, KEPT_30).text.splitlines()
    assert any(line.startswith("[2] ") and line.endswith(": unlike [1]") for line in lines)
    assert not any(line.endswith(", and") for line in lines)


def test_unrelated_sentences_are_not_named_as_what_differs() -> None:
    base = world(min_relevance=0.0)
    base.ingest({"a.md": f"{RULE} {KEPT_30}", "b.md": f"{RULE} {TESTED}"})
    context = packed(base, RULE)
    assert "differs:" not in context.text
    assert [p.conflicts for p in context.passages] == [(), ()]


EXCEPTED = [
    (
        "Visitors may park in the yard.",
        "Visitors may park in the yard, except on Sundays.",
        "except on Sundays",
    ),
    (
        "The deposit is returned within thirty days of the end of the tenancy.",
        "The deposit is returned within thirty days of the end of the tenancy, unless rent is owed.",
        "unless rent is owed",
    ),
    (
        "The caretaker sweeps the yard on Fridays.",
        "The caretaker sweeps the yard and the stairs on Fridays.",
        "and the stairs",
    ),
    (
        "Besucher dürfen im Hof parken.",
        "Besucher dürfen im Hof parken, außer an Sonntagen.",
        "außer an Sonntagen",
    ),
]


@pytest.mark.parametrize("are_swapped", [False, True])
@pytest.mark.parametrize(("plain", "limited", "added"), EXCEPTED)
def test_a_rule_and_the_same_rule_with_an_exception_stand_together_with_what_differs(
    plain: str, limited: str, added: str, are_swapped: bool
) -> None:
    base = world(min_relevance=0.0)
    base.ingest({"a.md": plain, "b.md": limited})
    first, second = (limited, plain) if are_swapped else (plain, limited)

    context = packed(base, first)

    assert [(p.text, p.varies) for p in context.passages] == [(first, ""), (second, "unlike [1]")]
    here, there = ("nothing", f'"{added}"') if are_swapped else (f'"{added}"', "nothing")
    assert context.passages[1].differences == (f"{here} here, {there} there",)


def test_an_exception_that_does_not_fit_is_quoted_where_the_rule_stands() -> None:
    base = world(min_relevance=0.0)
    rule = f"{RULE[:-1]}, and {KEPT_30.lower()}"
    base.ingest({"a.md": rule, "b.md": f"{rule[:-1]}, except on the last Friday before a move of the office."})
    whole = packed(base, rule)

    tight = packed(base, rule, max(LEAST_TOKENS, whole.n_tokens - 12))

    assert [p.text for p in tight.passages] == [rule]
    (difference,) = tight.passages[0].differences
    assert difference == '"except on the last Friday before a move of the office" in b.md, nothing here'


def test_a_sentence_that_says_something_else_with_the_same_words_first_is_no_exception() -> None:
    base = world(min_relevance=0.0)
    more = "and whoever waters the flowers in the tubs writes the amount on the list that hangs in the shed beside it"
    base.ingest({"a.md": "The hose lies in the cellar.", "b.md": f"The hose lies in the cellar, {more}."})
    context = packed(base, "where does the hose lie")
    assert [p.variant_of for p in context.passages] == [None, None]
