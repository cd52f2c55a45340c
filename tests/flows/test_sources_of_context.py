"""A source is named for what it states, and a sentence stands in a context once, whatever passage states it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from open_base import new_name, open_base
from saidonce import KnowledgeBase
from saidonce.foundation.model import Filters
from saidonce.interfaces.cli.render import search_text
from saidonce.kb.ingest import ingest
from saidonce.kb.packed_context import PackedContext, lines_of
from world import source

SHORT_LIST = """# Pack list 2023

For the tour take:

- a rope
- a lamp
- two litres of water
- a first-aid kit
"""
LONG_LIST = SHORT_LIST.replace("2023", "2024") + "- a satellite phone\n"
LASTS = "The guarantee lasts 24 months from the day of purchase."
LASTS_LONGER = "The guarantee lasts 36 months from the day of purchase."
NO_FROST = "It does not cover frost damage."
SEND = "Send the receipt to service@pondworks.example or call 020 7946 0123."
GUARANTEE = "how long is the guarantee and is frost damage covered?"


@pytest.fixture(scope="module")
def kb() -> Iterator[KnowledgeBase]:
    with open_base() as base:
        yield base


def filled(kb: KnowledgeBase, files: dict[str, str], use: str = "evidence") -> str:
    """The name of a new collection of these files."""
    name = new_name()
    put_in(kb, files, name, use)
    return name


def put_in(kb: KnowledgeBase, files: dict[str, str], name: str, use: str) -> None:
    """Ingest files into a collection of a use."""
    context = replace(kb.base, settings=kb.settings.model_copy(update={"collection_use": use}))
    ingest(context, [source(document, text) for document, text in files.items()], name)


def printed(packed: PackedContext) -> str:
    """The texts of the passages, without the values that differ."""
    return "\n".join(p.text for p in packed.passages)


def test_a_source_that_lacks_an_item_is_named_for_a_part(kb: KnowledgeBase) -> None:
    name = filled(kb, {"tour-2023.md": SHORT_LIST, "tour-2024.md": LONG_LIST})

    packed = kb.context("what do I take on the tour?", 400, collection=name)

    (passage,) = packed.passages
    assert passage.origin.document == "tour-2024.md"
    assert (passage.again_in, passage.partly_in) == ((), ("tour-2023.md",))
    assert "part of this in: tour-2023.md" in packed.text
    assert "also in" not in packed.text


def test_a_smaller_list_that_ranks_first_is_stated_wholly_by_the_larger(kb: KnowledgeBase) -> None:
    name = filled(kb, {"tour-2023.md": f"{SHORT_LIST}", "tour-2024.md": LONG_LIST.replace("For the tour take", "Take")})

    packed = kb.context("for the tour take a rope and a lamp", 400, collection=name)

    assert "also in" not in packed.text
    assert "- a satellite phone" in packed.text.splitlines()


def test_a_search_names_a_repeat_that_lacks_an_item_as_a_part(kb: KnowledgeBase) -> None:
    rules = "- Switch the pump off before you open the housing.\n- Keep children away from the suction hose.\n"
    more = f"{rules}- Wear ear protection when the pump runs in a closed room.\n"
    name = filled(kb, {"manual-1.0.md": rules, "manual-2.0.md": more, "manual-2.1.md": more.replace("- ", "* ")})

    report = kb.search("wear ear protection when the pump runs", Filters(), collection=name)

    twins = {t.document: t.is_part for t in report.hits[0].also_in}
    assert twins.pop("manual-1.0.md", True)
    assert twins
    assert not any(twins.values())
    lines = [line for line in search_text(report, explain=False).splitlines() if "manual-1.0.md" in line]
    assert not any("also in" in line for line in lines)


def test_a_sentence_that_a_variant_prints_is_not_printed_by_another(kb: KnowledgeBase) -> None:
    files = {
        "page.md": f"{LASTS} Damage by frost has to be paid.",
        "manual-1.0.md": f"{LASTS} {NO_FROST} {SEND}",
        "manual-2.0.md": f"{LASTS_LONGER} {NO_FROST} {SEND}",
    }
    name = filled(kb, files)

    packed = kb.context(GUARANTEE, 600, collection=name)
    answer = kb.ask(GUARANTEE, collection=name)

    for text in (printed(packed), answer.text):
        assert [text.count(s) for s in (LASTS, LASTS_LONGER, NO_FROST, SEND)] == [1, 1, 1, 1]
    assert {p.origin.document for p in packed.passages} == files.keys()
    assert "36 months" in " ".join(d for p in packed.passages for d in p.differences)


def test_a_text_whose_sentences_stand_in_two_passages_is_a_part_of_both(kb: KnowledgeBase) -> None:
    backups = "Backups of the archive are written every night by the operations team."
    water = "Whoever waters the garden in summer writes the amount on the list in the shed."
    restore = "A restore of the archive from backups is tested in the first week of every month."
    hose = "The garden hose hangs behind the shed and is drained before the first frost."
    files = {"a.md": f"{backups} {restore}", "b.md": f"{water} {hose}", "c.md": f"{backups} {water}"}
    name = filled(kb, files)

    packed = kb.context("a restore of the archive is tested, and the garden hose is drained", 600, collection=name)

    assert all(printed(packed).count(s) == 1 for s in (backups, water, restore, hose))
    assert all(document in packed.text for document in files)


def test_numbers_stand_in_the_order_of_the_text(kb: KnowledgeBase) -> None:
    files = {
        "a.md": f"{LASTS} {NO_FROST}",
        "b.md": f"A guarantee of the pump covers its motor. {SEND}",
        "c.md": f"{LASTS_LONGER} {NO_FROST}",
        "d.md": f"A guarantee of the pump covers its housing. {SEND}",
    }
    name = filled(kb, files)

    packed = kb.context(GUARANTEE, 600, collection=name)

    assert [p.number for group in packed.groups for p in group] == list(range(1, len(packed.passages) + 1))
    assert [p for group in packed.groups for p in group] == list(packed.passages)
    assert all(p.variant_of < p.number for p in packed.passages if p.variant_of is not None)
    assert packed.n_tokens == sum(kb.embedder.count_tokens([lines_of(p) for p in packed.passages]))


CHAIRS, CHAIRS_AGAIN = "Broken chairs are reported to the caretaker.", "Report broken chairs to the caretaker."


def test_the_documents_of_a_merged_block_are_named(kb: KnowledgeBase) -> None:
    name = filled(kb, {"a.md": CHAIRS, "b.md": CHAIRS_AGAIN}, "canonical")
    blocks = [hit.block for hit in kb.search("broken chairs", collection=name).hits]
    if len(blocks) == 2:
        kb.as_person("ann").merge(blocks[0].id, blocks[1].id)

    packed = kb.context("whom do I tell about broken chairs?", 400, collection=name)

    (passage,) = packed.passages
    assert {passage.origin.document, *(o.document for o in passage.also_in)} == {"a.md", "b.md"}
    assert len(passage.again_in) == 1
    answer = kb.ask("whom do I tell about broken chairs?", collection=name)
    assert answer.passages[0].again_in == passage.again_in


def test_a_merged_text_that_said_less_is_a_part(kb: KnowledgeBase) -> None:
    name = filled(kb, {"a.md": f"{LASTS} {NO_FROST}", "b.md": f"{LASTS} {NO_FROST} {SEND}"}, "canonical")
    blocks = {hit.block.document: hit.block.id for hit in kb.search(GUARANTEE, collection=name).hits}
    if len(blocks) == 2:
        kb.as_person("ann").merge(blocks["a.md"], blocks["b.md"], "b")

    (passage,) = kb.context(GUARANTEE, 400, collection=name).passages

    assert passage.text.endswith(SEND)
    assert (passage.again_in, passage.partly_in) == ((), ("a.md",))


def test_the_same_file_in_another_collection_is_no_further_source(kb: KnowledgeBase) -> None:
    one, two = (new_name() for _ in range(2))
    files = {"backup-policy.md": f"{LASTS} {NO_FROST} {SEND}"}
    put_in(kb, files, one, "evidence")
    put_in(kb, files, two, "canonical")
    both = Filters(collections=(one, two))

    packed = kb.context(GUARANTEE, 400, both)
    report = kb.search(GUARANTEE, both)

    assert packed.text.count("backup-policy.md") == 1
    assert not report.warnings
    shown = [line for line in search_text(report, explain=False).splitlines() if "also in" in line]
    assert len(shown) == 1
    assert any(f"] collection {name} (similarity" in shown[0] for name in (one, two))


def dated(day: str, text: str) -> str:
    """A page that states its date."""
    return f"---\ndate: {day}\n---\n# Chairs\n\n{text}\n"


def test_the_date_of_a_merged_text_is_the_first_at_which_a_document_states_it(kb: KnowledgeBase) -> None:
    files = {"old.md": dated("2024-05-02", SEND), "new.md": dated("2026-03-04", SEND)}

    merged = kb.context("where does the receipt go?", 400, collection=filled(kb, files, "canonical"))
    apart = kb.context("where does the receipt go?", 400, collection=filled(kb, files))

    assert merged.text.startswith("[1] Chairs, new.md, since 2024-05-02\n")
    assert apart.text.splitlines()[0] in ("[1] Chairs, new.md, 2026-03-04", "[1] Chairs, old.md, 2024-05-02")


def test_a_repeat_in_another_collection_is_named_with_it_and_not_with_the_hits_own_place(kb: KnowledgeBase) -> None:
    one, two = (new_name() for _ in range(2))
    files = {"first.md": f"# Guarantee\n\n{LASTS} {NO_FROST}\n", "second.md": f"# Cover\n\n{LASTS} {NO_FROST}\n"}
    put_in(kb, files, one, "evidence")
    put_in(kb, files, two, "canonical")

    report = kb.search(GUARANTEE, Filters(collections=(one, two)))

    (hit,) = report.hits
    assert all((a.document, a.heading_path) != (hit.document, hit.block.heading_path) for a in hit.also_under)
    shown = [line for line in search_text(report, explain=False).splitlines() if "] collection " in line]
    elsewhere = [twin for twin in hit.also_in if twin.block.collection != hit.block.collection]
    assert len(shown) == len(elsewhere) > 0


def test_a_sentence_states_all_of_the_list_that_it_was_merged_with(kb: KnowledgeBase) -> None:
    sentence = "# Change\n\nFor the change of the filter you need a torque wrench, a funnel and a clean cloth.\n"
    points = "# Change\n\nFor the change of the filter you need:\n\n- a torque wrench\n- a funnel\n- a clean cloth\n"
    name = filled(kb, {"old.md": sentence, "new.md": points}, "canonical")

    (passage,) = kb.context("what do I need for the change of the filter?", 400, collection=name).passages

    assert (passage.again_in, passage.partly_in) == (("old.md",), ())
