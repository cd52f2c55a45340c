"""Every kind of alteration, by a sentence before and after."""

from __future__ import annotations

import pytest

from saidonce.quality.alterations import MAKERS
from saidonce.quality.block_alterations import BLOCK_MAKERS, one_item_less
from saidonce.quality.claims import one_member_less
from saidonce.quality.contrast import contrasts
from saidonce.quality.excerpts import Dice, Excerpt, Meaning

NAMES = ("Marlow", "Keldon")


def altered(kind: str, sentence: str, relation: Meaning = Meaning.CHANGED, seed: int = 7) -> str | None:
    return MAKERS[relation][kind](Excerpt(sentence, Dice(seed), NAMES))


def reworded(kind: str, sentence: str) -> str | None:
    return altered(kind, sentence, Meaning.REWRITTEN)


def block(kind: str, paragraph: str, relation: Meaning = Meaning.CHANGED) -> str | None:
    ends = [n + 1 for n, letter in enumerate(paragraph) if letter == "."]
    spans = list(zip([0, *(end + 1 for end in ends[:-1])], ends, strict=True)) if ends else []
    return BLOCK_MAKERS[relation][kind](paragraph, spans, Dice(7))


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("path end", "Mount it at /srv/data/new before noon.", "Mount it at /srv/data/old before noon."),
        ("path end", "Call https://api.example.org/v2 for prices.", "Call https://api.example.org/v2beta1 for prices."),
        ("path end", "The file is etc/pump/main.toml here.", "The file is etc/pump/develop.toml here."),
        ("numbered place", "Go to room 3 at noon.", "Go to room 3b at noon."),
        ("numbered place", "See Section 12 of the lease.", "See Section 12b of the lease."),
        ("code", "Run `render('a.html')` first.", "Run `render('a.html', 2)` first."),
        ("code", "Read `pump.yaml` first.", "Read `pump-old.yaml` first."),
        ("condition", "Report a leak within 30 days of moving in.", "Report a leak after 30 days of moving in."),
        ("condition", "If the alarm rings, leave the hall.", "Unless the alarm rings, leave the hall."),
        ("condition", "The hall is open unless it rains.", "The hall is open if it rains."),
        ("hedge", "The gate is usually locked at night.", "The gate is locked at night."),
        ("hedge", "Usually the gate is locked at night.", "The gate is locked at night."),
        ("share", "Two thirds of the seats are sold.", "One third of the seats are sold."),
        ("tense", "The gate will be painted green.", None),
        ("negating prefix", "The seal is visible from outside.", "The seal is invisible from outside."),
        ("negating prefix", "Show a valid ticket at the door.", "Show an invalid ticket at the door."),
        ("parties", "Nurses and guards report to doctors.", "Nurses and doctors report to guards."),
        ("parties", "The nurse and the guard report to the owner.", "The nurse and the owner report to the guard."),
        ("only", "The owner can only open the gate.", "Only the owner can open the gate."),
        ("only", "Only the owner can open the gate.", "The owner can only open the gate."),
        ("agents", "Lunch is free for trainees on Monday.", "Lunch is free for trainers on Monday."),
        ("person", "You must pay the fee at the desk.", "We must pay the fee at the desk."),
        ("person", "Bring your badge to the desk.", "Bring our badge to the desk."),
    ],
)  # fmt: skip
def test_changes_what_is_claimed(kind: str, before: str, after: str | None) -> None:
    made = altered(kind, before)
    assert made != before
    assert made == after or (after is None and made)


@pytest.mark.parametrize(
    ("kind", "before", "part"),
    [
        ("channel name", "Ask in #general when the pump stops.", "Ask in #"),
        ("code", "Run `git pull origin` on the server.", "Run `git pull origin "),
        ("hedge", "The gate is locked at night.", "ly locked at night."),
        ("modifier", "The manager signs the form.", " manager signs the form."),
        ("member added", "The bag is for maps, tools and water.", "The bag is for maps, tools, "),
    ],
)
def test_puts_a_word_of_its_own_lists_in(kind: str, before: str, part: str) -> None:
    made = altered(kind, before)
    assert made is not None
    assert made != before
    assert part in made


@pytest.mark.parametrize(
    ("kind", "before"),
    [
        ("channel name", "The wall is #ffcc00 on this side."),
        ("channel name", "It is issue #12 on the list."),
        ("path end", "Bring tools and/or gloves to the yard."),
        ("numbered place", "See section 3.4 of the lease."),
        ("numbered place", "It takes 3 days to dry."),
        ("condition", "Check if the lamp is lit."),
        ("code", "Open `x` in the yard."),
        ("parties", "Read and write access to files is given."),
        ("only", "There is only one gate in the yard."),
    ],
)
def test_leaves_alone_what_only_looks_like_it(kind: str, before: str) -> None:
    assert altered(kind, before) is None


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("list order", "The bag is for maps, tools and water.", "The bag is for tools, maps and water."),
        ("code marks", "Set `max_size` to nine.", "Set max_size to nine."),
        ("code marks", "Set max_size to nine.", "Set `max_size` to nine."),
        ("denied otherwise", "Smoking is not allowed in the hall.", "Smoking is forbidden in the hall."),
        ("denied otherwise", "The seal is invisible from outside.", "The seal is not visible from outside."),
        ("moved date", "The lease began on March 3, 2021.", "On March 3, 2021, the lease began."),
        ("moved date", "On 3 March 2021, the lease began.", "The lease began on 3 March 2021."),
        ("moved clause", "The guard leaves the gate if it rings.", "If it rings, the guard leaves the gate."),
        ("each and every", "Every visitor wears a badge.", "Each visitor wears a badge."),
    ],
)  # fmt: skip
def test_rewrites_without_a_change(kind: str, before: str, after: str) -> None:
    assert reworded(kind, before) == after


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("moved clause", "The lamp only counts as repaired once its switch is replaced."),
        ("moved clause", "The pool is free to use but guests are billed if they want towels."),
        ("moved clause", "You should know what we mean when we use the term."),
        ("clause order", "When the bell rings, the guard checks the doors that lead to the yard."),
        ("clause order", "If it is dark, nobody knows whether the gate is shut."),
    ],
)
def test_a_clause_stays_where_it_would_say_something_else_elsewhere(kind: str, sentence: str) -> None:
    assert reworded(kind, sentence) is None


def test_a_typing_error_keeps_the_letters_of_a_word() -> None:
    made = reworded("typing error", "The documentation is in the archive.")
    assert made is not None
    assert made != "The documentation is in the archive."
    word = made.split()[1]
    assert (word[0], word[-1], sorted(word)) == ("d", "n", sorted("documentation"))


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("each and every", "The two pumps follow each other."),
        ("denied otherwise", "Report any unauthorized use to the guard."),
        ("list order", "The page is made of embedded videos, maps and sound."),
    ],
)
def test_leaves_alone_what_would_say_something_else(kind: str, sentence: str) -> None:
    assert reworded(kind, sentence) is None


def test_the_order_of_steps_is_no_order_of_a_list() -> None:
    assert reworded("list order", "The steps are in turn cutting, drying and painting.") is None
    assert block("sentence order", "Open the lid. Press the knob.", Meaning.REWRITTEN) is None


class TestBlocks:
    def test_steps_change_places(self) -> None:
        assert block("step order", "Open the lid. Press the knob.") == "Press the knob. Open the lid."
        assert block("step order", "1. Open the lid\n2. Press the knob") == "1. Press the knob\n2. Open the lid"
        assert block("step order", "The lid is open. The knob is red.") is None

    def test_a_last_sentence_takes_something_back(self) -> None:
        before = "The pool is free for members. It opens at noon."
        made = block("last sentence", before)
        assert made is not None
        assert made.startswith(f"{before} ")
        assert made.endswith(".")

    def test_a_list_has_an_item_more_or_less(self) -> None:
        made = block("member added", "- ropes\n- tents\n- lamps")
        assert made is not None
        assert made.startswith("- ropes\n- tents\n- ")
        assert (made.count("\n"), made.endswith("\n- lamps")) == (3, True)
        assert one_item_less("- ropes\n- tents\n- lamps") == "- ropes\n- lamps"
        assert one_item_less("- ropes\n- tents") is None

    def test_items_without_an_order_change_places(self) -> None:
        assert block("list order", "- ropes\n- tents", Meaning.REWRITTEN) == "- tents\n- ropes"
        assert block("list order", "- Open the lid\n- Press the knob", Meaning.REWRITTEN) is None


def test_a_member_less_is_lost_where_the_shorter_list_is_kept() -> None:
    sentence = "The bag is for maps, tools and water."
    assert one_member_less(sentence) == "The bag is for maps and water."
    (missing,) = [c for c in contrasts([sentence], 7) if c.kind == "member missing"]
    assert missing.keeps_altered


TEXT = """Every tenant must report a leak to Marlow within 30 days. The pump is checked daily by the owner.
If the alarm rings, the guard opens the gate before noon. The lease began on March 3, 2021 in Keldon.

The archive is not public, and the limit is 25 MB. Install version 2.4.1 because it contains additional checks.
The bus runs from town to harbour. It does not stop for example at night.

Ask in #general if the server at /srv/app/new stops. Most seats in room 3 are usually taken by trainees.
Please run `git pull origin` on the server. The seal is visible from both sides. You can bring your own tools.

Open the lid with both hands now. Press the knob until the lamp is lit. The owner can only open the main gate.
Nurses and guards report to doctors on Monday. The bag is for maps, tools and water. Set max_size to nine at once.

Smoking is not allowed in the hall. The documentation is kept in the archive. The lease began on March 3, 2021.
The office informs the tenant when the lift is repaired. The town has 1,200 trees and 30 benches. Dr. Hale wrote
it on 4 May 2020. It is approximately nine miles to the coast.

- ropes
- tents
- lamps"""


@pytest.mark.parametrize("relation", list(Meaning))
def test_every_kind_has_a_place_in_a_few_paragraphs(relation: Meaning) -> None:
    wanted = {*MAKERS[relation], *BLOCK_MAKERS[relation]} | (
        {"member missing"} if relation is Meaning.CHANGED else set()
    )
    found = [c for c in contrasts([TEXT], 7) if c.relation is relation]
    assert {c.kind for c in found} == wanted
    assert all(c.altered != c.original for c in found)


def test_the_same_seed_alters_the_same_way() -> None:
    assert list(contrasts([TEXT], 3)) == list(contrasts([TEXT], 3))
    assert list(contrasts([TEXT], 3)) != list(contrasts([TEXT], 4))
