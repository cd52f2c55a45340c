"""Two editions of a manual: which look-alikes a person is asked about, and which the editions tell apart.

Each case was written before the rule. Its pages are made up; `asked` are the pairs that wait in the queue, each named
by words that only one of its texts has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from test_canonical_ingest import Clock, minilm

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.model import POLICY, Decision, Verb
from saidonce.foundation.settings.policy import SegmentStyle, load_settings
from saidonce.testing import MemoryStore
from world import source

AMBER = "Scale a worker by the length of an Amber queue; the scaler reads the queue every thirty seconds."
BASALT = "Scale a worker by the length of a Basalt queue; the scaler reads the queue every thirty seconds."
FROM_41 = "Before you begin, check that all three members of the version 4.1 cluster answer, and back up the data."
FROM_42 = "Before you begin, check that all three members of the version 4.2 cluster answer, and back up the data."
FOR_30 = "Deleted files stay in the backup for 30 days and are then removed from all servers."
FOR_90 = "Deleted files stay in the backup for 90 days and are then removed from all servers."
KEEPS_90 = "The backup keeps files that were deleted for 90 days before the servers drop them."
GREEN_KEY = "A pump is started with the green key beside the door, and runs until the tank is full."
PRESSED = "The pump starts when you press the green key next to the door; it stops once the tank is full."
LAPTOP = "Every laptop is encrypted with the company key before it is handed to an employee."
LAPTOP_SAFE = (
    "Every laptop is encrypted with the company key before it is handed to an employee. The key is kept in the safe."
)
GUESTS = "Guests may bring their own laptop into the laboratory if it is registered at the front desk."
NO_GUESTS = "Guests may not bring their own laptop into the laboratory if it is registered at the front desk."
RETRY = "The option `--retry` sets how many seconds the client waits before it sends a failed upload again."
TIMEOUT = "The option `--timeout` sets how many seconds the client waits before it gives a slow upload up."
EDITOR = (
    "The role of an account administrator allows a person to read all pages of the account, to change them, and to"
    " invite other people."
)
VIEWER = "The role of an account guest allows a person to read all pages of the account, and to invite other people."
AMBER_CODE = "```yaml\ntriggers:\n  - type: amber\n    metadata:\n      queue: orders\n      length: 20\n```"
BASALT_CODE = "```yaml\ntriggers:\n  - type: basalt\n    metadata:\n      queue: orders\n      length: 50\n```"

NAME_CUSTOM = "The name of the builder plug-in is custom."
NAME_STANDARD = "The name of the builder plug-in is standard."

GARDEN = "Whoever waters the garden in summer writes the amount on the list in the shed."
KITCHEN = "The kitchen on the second floor is cleaned by a contractor every evening after six."

Pages = Mapping[str, str]


@dataclass(frozen=True)
class Editions:
    """A case: pages of two editions, and the pairs that wait afterwards.

    Attributes:
        pairs: those that look alike, each by words of its two texts; a pair that nothing nominates proves nothing.
        asked: those of them that a person is asked about.
    """

    name: str
    old: Pages
    new: Pages
    pairs: tuple[tuple[str, str], ...]
    asked: tuple[tuple[str, str], ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)


def page(title: str, *paragraphs: str) -> str:
    return "\n\n".join([f"# {title}", *paragraphs])


AMBER_PAGE, BASALT_PAGE = page("Amber", AMBER), page("Basalt", BASALT)

TOLD_APART = [
    Editions(
        "two names in one sentence, each of which the page around it names",
        {"custom.md": page("Custom builder", NAME_CUSTOM), "about.md": page("About", KITCHEN)},
        {
            "custom.md": page("Custom builder", NAME_CUSTOM, GARDEN),
            "standard.md": page("Standard builder", NAME_STANDARD),
            "about.md": page("About", KITCHEN),
        },
        (("is custom", "is standard"),),
    ),
    Editions(
        "two things on two pages that both editions have, letter for letter",
        {"amber.md": AMBER_PAGE, "basalt.md": BASALT_PAGE},
        {"amber.md": AMBER_PAGE, "basalt.md": BASALT_PAGE},
        (("Amber", "Basalt"),),
    ),
    Editions(
        "two things on two pages of which other parts have changed",
        {"amber.md": AMBER_PAGE, "basalt.md": BASALT_PAGE},
        {"amber.md": page("Amber", AMBER, GARDEN), "basalt.md": page("Basalt", KITCHEN, BASALT)},
        (("Amber", "Basalt"),),
    ),
    Editions(
        "two options on two pages of both editions, whose headings name neither",
        {"sending.md": page("Sending", RETRY), "limits.md": page("Limits", TIMEOUT)},
        {"sending.md": page("Sending", RETRY, GARDEN), "limits.md": page("Limits", TIMEOUT, KITCHEN)},
        (("--retry", "--timeout"),),
    ),
    Editions(
        "a role that the new edition states beside the old one, on one page",
        {"roles.md": page("Roles", EDITOR, GARDEN)},
        {"roles.md": page("Roles", EDITOR, VIEWER, GARDEN)},
        (("administrator", "guest"),),
    ),
    Editions(
        "one step for two versions, on a page of each version",
        {"upgrade-4-1.md": page("Upgrade from 4.1", FROM_41), "upgrade-4-2.md": page("Upgrade from 4.2", FROM_42)},
        {
            "upgrade-4-1.md": page("Upgrade from 4.1", FROM_41, GARDEN),
            "upgrade-4-2.md": page("Upgrade from 4.2", FROM_42, KITCHEN),
        },
        (("4.1", "4.2"),),
    ),
    Editions(
        "one step for a further version, on a page that only the new edition has",
        {"upgrade-4-1.md": page("Upgrade from 4.1", FROM_41), "about.md": page("About", GARDEN)},
        {
            "upgrade-4-1.md": page("Upgrade from 4.1", FROM_41, KITCHEN),
            "upgrade-4-2.md": page("Upgrade from 4.2", FROM_42),
            "about.md": page("About", GARDEN),
        },
        (("4.1", "4.2"),),
    ),
    Editions(
        "two examples of code on two pages of both editions",
        {"amber.md": page("Amber", "## Example", AMBER_CODE), "basalt.md": page("Basalt", "## Example", BASALT_CODE)},
        {
            "amber.md": page("Amber", "## Example", AMBER_CODE, GARDEN),
            "basalt.md": page("Basalt", "## Example", BASALT_CODE, KITCHEN),
        },
        (("type: amber", "type: basalt"),),
    ),
    Editions(
        "other words on two pages of both editions that do not contradict",
        {"pumps.md": page("Pumps", GREEN_KEY), "tanks.md": page("Tanks", PRESSED)},
        {"pumps.md": page("Pumps", GREEN_KEY, GARDEN), "tanks.md": page("Tanks", PRESSED, KITCHEN)},
        (("started", "press"),),
    ),
]

ASKED = [
    Editions(
        "two names in one sentence, of which no page around them names either",
        {"first.md": page("The first", NAME_CUSTOM), "about.md": page("About", KITCHEN)},
        {
            "first.md": page("The first", NAME_CUSTOM, GARDEN),
            "other.md": page("The second", NAME_STANDARD),
            "about.md": page("About", KITCHEN),
        },
        (("is custom", "is standard"),),
        (("is custom", "is standard"),),
    ),
    Editions(
        "a name that changed on one page whose heading changed with it",
        {"plug-in.md": page("Custom", NAME_CUSTOM, GARDEN), "about.md": page("About", KITCHEN)},
        {"plug-in.md": page("Standard", NAME_STANDARD, GARDEN), "about.md": page("About", KITCHEN)},
        (("is custom", "is standard"),),
        (("is custom", "is standard"),),
    ),
    Editions(
        "a value that changed from one edition to the next",
        {"backup.md": page("Backup", FOR_30, GARDEN), "about.md": page("About", KITCHEN)},
        {"backup.md": page("Backup", FOR_90, GARDEN), "about.md": page("About", KITCHEN)},
        (("30 days", "90 days"),),
        (("30 days", "90 days"),),
    ),
    Editions(
        "a passage that the next edition has in other words",
        {"pumps.md": page("Pumps", GREEN_KEY, GARDEN), "about.md": page("About", KITCHEN)},
        {"pumps.md": page("Pumps", PRESSED, GARDEN), "about.md": page("About", KITCHEN)},
        (("started", "press"),),
        (("started", "press"),),
    ),
    Editions(
        "two pages that contradict each other in both editions, in the same words",
        {"backup.md": page("Backup", FOR_30), "faq.md": page("Questions", FOR_90)},
        {"backup.md": page("Backup", FOR_30, GARDEN), "faq.md": page("Questions", FOR_90, KITCHEN)},
        (("30 days", "90 days"),),
        (("30 days", "90 days"),),
    ),
    Editions(
        "two pages that contradict each other in both editions, in other words",
        {"backup.md": page("Backup", FOR_30), "faq.md": page("Questions", KEEPS_90)},
        {"backup.md": page("Backup", FOR_30, GARDEN), "faq.md": page("Questions", KEEPS_90, KITCHEN)},
        (("30 days", "90 days"),),
        (("30 days", "90 days"),),
    ),
    Editions(
        "one page denies in both editions what another says",
        {"guests.md": page("Guests", GUESTS), "laboratory.md": page("Laboratory", NO_GUESTS)},
        {"guests.md": page("Guests", GUESTS, GARDEN), "laboratory.md": page("Laboratory", NO_GUESTS, KITCHEN)},
        (("Guests may bring", "Guests may not"),),
        (("Guests may bring", "Guests may not"),),
    ),
    Editions(
        "two pages of one edition, with no other edition to show anything",
        {},
        {"pumps.md": page("Pumps", GREEN_KEY), "tanks.md": page("Tanks", PRESSED)},
        (("started", "press"),),
        (("started", "press"),),
    ),
    Editions(
        "what a page of both editions says, and another says with more",
        {"laptops.md": page("Laptops", LAPTOP), "joining.md": page("Joining", LAPTOP_SAFE)},
        {"laptops.md": page("Laptops", LAPTOP, GARDEN), "joining.md": page("Joining", LAPTOP_SAFE, KITCHEN)},
        (("handed to an employee.", "in the safe"),),
        (("handed to an employee.", "in the safe"),),
    ),
    Editions(
        "what two pages said alike, and one of them says otherwise now",
        {"backup.md": page("Backup", FOR_30), "faq.md": page("Questions", FOR_30, GARDEN)},
        {"backup.md": page("Backup", KEEPS_90), "faq.md": page("Questions", FOR_30, GARDEN, KITCHEN)},
        (("30 days", "90 days"),),
        (("30 days", "90 days"),),
    ),
    Editions(
        "a new page that contradicts one that both editions have",
        {"backup.md": page("Backup", FOR_30), "about.md": page("About", GARDEN)},
        {
            "backup.md": page("Backup", FOR_30, KITCHEN),
            "about.md": page("About", GARDEN),
            "faq.md": page("Questions", KEEPS_90),
        },
        (("30 days", "90 days"),),
        (("30 days", "90 days"),),
    ),
    Editions(
        "a new page that says in other words what a page of both editions says",
        {"pumps.md": page("Pumps", GREEN_KEY), "about.md": page("About", GARDEN)},
        {
            "pumps.md": page("Pumps", GREEN_KEY, KITCHEN),
            "about.md": page("About", GARDEN),
            "tanks.md": page("Tanks", PRESSED),
        },
        (("started", "press"),),
        (("started", "press"),),
    ),
    Editions(
        "look-alikes where a person decides all",
        {"amber.md": AMBER_PAGE, "basalt.md": BASALT_PAGE},
        {"amber.md": AMBER_PAGE, "basalt.md": BASALT_PAGE},
        (("Amber", "Basalt"),),
        (("Amber", "Basalt"),),
        {"auto_merge": False},
    ),
]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., KnowledgeBase]]:
    store = MemoryStore("north", clock=Clock())
    monkeypatch.setattr("saidonce.app.knowledge_base.open_store", lambda *_, **__: store)
    monkeypatch.setattr("saidonce.app.knowledge_base.open_embedder", lambda *_: minilm())
    common = {
        "org": "north",
        "data_dir": tmp_path,
        "collection_use": "canonical",
        "log_enabled": False,
        "merge_investigate_from": 0.68,
        "segment_style": SegmentStyle.WHOLE,
    }
    with ExitStack() as bases:

        def open_base(**settings: object) -> KnowledgeBase:
            options: dict[str, Any] = {**common, **settings}
            known = load_settings(**options)
            return bases.enter_context(KnowledgeBase(known))

        yield open_base


@pytest.fixture
def base(opened: Callable[..., KnowledgeBase]) -> KnowledgeBase:
    return opened()


def put(base: KnowledgeBase, edition: str, pages: Pages) -> None:
    base.ingest([source(f"{edition}/{name}", content) for name, content in pages.items()], "main")


def asked(base: KnowledgeBase) -> list[frozenset[str]]:
    return [frozenset((pair.candidate.text, pair.kept.text)) for pair in base.queue()]


def is_about(texts: frozenset[str], words: tuple[str, str]) -> bool:
    first, second = words
    return any({one, two} == texts for one in texts for two in texts if first in one and second in two)


def was_flagged(base: KnowledgeBase, words: tuple[str, str]) -> bool:
    flags = base.decisions([Verb.FLAG])
    texts = {id_: m.segment.text for f in flags for id_, m in base.store.ledger.members(f.members).items()}
    pairs = [frozenset((texts[f.members[0]], texts[other])) for f in flags for other in f.members[1:]]
    return any(is_about(pair, words) for pair in pairs)


def told_apart(base: KnowledgeBase) -> list[Decision]:
    return [d for d in base.decisions([Verb.KEEP_APART]) if d.actor == POLICY]


@pytest.mark.parametrize("case", [*TOLD_APART, *ASKED], ids=lambda case: case.name)
def test_what_a_person_is_asked_about_two_editions(case: Editions, opened: Callable[..., KnowledgeBase]) -> None:
    base = opened(**case.settings)
    put(base, "v1", case.old)
    put(base, "v2", case.new)

    waiting = asked(base)

    assert [words for words in case.pairs if not was_flagged(base, words)] == []
    assert [words for words in case.pairs if any(is_about(texts, words) for texts in waiting)] == list(case.asked)


def test_a_look_alike_gives_way_to_the_predecessor_behind_it(base: KnowledgeBase) -> None:
    """The page's own former text is asked about next, although the one of another page is nearer."""
    changed = AMBER.replace("every thirty seconds", "once a minute while a worker runs")
    put(base, "v1", {"amber.md": page("Amber", AMBER, LAPTOP), "basalt.md": page("Basalt", BASALT)})
    put(base, "v2", {"amber.md": page("Amber", changed, LAPTOP), "basalt.md": page("Basalt", BASALT, GARDEN)})

    assert any(
        is_about(texts, ("once a minute", "Amber queue; the scaler reads the queue every")) for texts in asked(base)
    )


def test_the_reason_is_told_and_the_decision_can_be_taken_back(base: KnowledgeBase) -> None:
    put(base, "v1", {"amber.md": AMBER_PAGE, "basalt.md": BASALT_PAGE})
    put(base, "v2", {"amber.md": AMBER_PAGE, "basalt.md": BASALT_PAGE})

    (decision,) = told_apart(base)
    assert all(word in decision.reason for word in ("v1", "v2", "amber.md", "basalt.md"))
    assert decision in base.why(decision.members[0]).decisions
    assert asked(base) == []

    base.as_person("ann").revert(decision.seq)
    assert len(asked(base)) == 1
    put(base, "v2", {"about.md": page("About", GARDEN)})
    assert len(asked(base)) == 1, "what a person has taken back is not decided again"


def test_what_is_told_apart_is_decided_once(base: KnowledgeBase) -> None:
    """Also where the flag stays open with another near text."""
    changed = AMBER.replace("every thirty seconds", "once a minute while a worker runs")
    put(base, "v1", {"amber.md": page("Amber", AMBER, LAPTOP), "basalt.md": page("Basalt", BASALT)})
    put(base, "v2", {"amber.md": page("Amber", changed, LAPTOP), "basalt.md": page("Basalt", BASALT, GARDEN)})
    n = len(told_apart(base))

    put(base, "v2", {"kitchen.md": page("Kitchen", KITCHEN)})

    assert len(told_apart(base)) == n > 0


def test_the_next_edition_does_not_ask_again(base: KnowledgeBase) -> None:
    for edition, more in (("v1", GARDEN), ("v2", KITCHEN), ("v3", LAPTOP)):
        put(base, edition, {"amber.md": page("Amber", AMBER, more), "basalt.md": page("Basalt", BASALT, more)})

    assert asked(base) == []
    assert len(told_apart(base)) == 1


def test_what_is_told_apart_is_found_as_before(base: KnowledgeBase) -> None:
    put(base, "v1", {"amber.md": AMBER_PAGE, "basalt.md": BASALT_PAGE})
    put(base, "v2", {"amber.md": AMBER_PAGE, "basalt.md": BASALT_PAGE})

    assert {hit.block.text for hit in base.search("Scale a worker by the length of a queue").hits} >= {AMBER, BASALT}
    assert base.rebuild().is_sound
