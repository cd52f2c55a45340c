"""Nothing leaves a document's search unless all it states is accounted for in what stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from saidonce.foundation.model import Equivalence, Relation, Rewording
from saidonce.kb.ingest import DocumentReport
from saidonce.testing.memory import MemoryStore
from world import CountingEmbedder, FixedClock, World, wired, world

STATED_DIFFERENTLY = {
    "a list with one item more": (
        "- a rope for the tour\n- a lamp\n- a whistle",
        "- a rope for the tour\n- a lamp\n- a whistle\n- a compass",
    ),
    "a list in a sentence with one member more": (
        "Everybody takes a rope, a lamp and a whistle on the tour.",
        "Everybody takes a rope, a lamp, a whistle and a compass on the tour.",
    ),
    "steps in another order": (
        "1. Open the valve.\n2. Press the red button.\n3. Close the cover.",
        "1. Press the red button.\n2. Open the valve.\n3. Close the cover.",
    ),
    "a German negation": (
        "Der Schlüssel zum Heizungskeller darf von den Mietern ausgeliehen werden.",
        "Der Schlüssel zum Heizungskeller darf von den Mietern nicht ausgeliehen werden.",
    ),
    "a German number in words": (
        "Die Sicherungen der Datenbank werden in jedem Haus drei Wochen lang aufbewahrt.",
        "Die Sicherungen der Datenbank werden in jedem Haus sechs Wochen lang aufbewahrt.",
    ),
    "German opposites": (
        "Das obere Fenster im Treppenhaus bleibt während der Nacht immer geöffnet.",
        "Das obere Fenster im Treppenhaus bleibt während der Nacht immer geschlossen.",
    ),
    "a Chinese negation": (
        "所有用户都可以在周末下载备份文件。",
        "所有用户都不可以在周末下载备份文件。",
    ),
    "a Chinese number": (
        "备份文件在两个地区保留三十天，之后自动删除。",
        "备份文件在两个地区保留九十天，之后自动删除。",
    ),
    "a command with one word more": (
        "```\ngit pull origin\n```",
        "```\ngit pull origin master\n```",
    ),
    "a command in a sentence": (
        "Run `git pull origin` in the folder of the site before you begin.",
        "Run `git pull origin master` in the folder of the site before you begin.",
    ),
    "two graphs of commits": (
        "```\nA---B---C topic\n     \\\n      D---E---F master\n```",
        "```\nA---B---C topic\n         \\\n      D---E---F---G master\n```",
    ),
    "the same figures in another graph": (
        "```\nA---B---C topic\n     \\\n      D---E---F master\n```",
        "```\nA---B---C master\n     \\\n      D---E---F topic\n```",
    ),
    "another file": (
        "Return render_template('404.html') from the function that handles the error.",
        "Return render_template('500.html') from the function that handles the error.",
    ),
    "the place of only": (
        "Only the caretaker opens the gate on Sundays.",
        "The caretaker opens the gate only on Sundays.",
    ),
}
NEAR_ENOUGH = 0.1
"""Similarity from which all pairs above are compared, whatever the embedder makes of them."""


def put(base: World, *parts: str) -> DocumentReport:
    """Ingest parts under headings of their own."""
    return base.put("manual.md", "\n\n".join(f"# Part {n}\n\n{part}" for n, part in enumerate(parts, 1)))


@pytest.mark.parametrize("turned", [False, True], ids=["as is", "turned"])
@pytest.mark.parametrize("kind", STATED_DIFFERENTLY)
def test_what_states_something_else_stays_and_is_found(kind: str, turned: bool) -> None:
    parts = STATED_DIFFERENTLY[kind][:: -1 if turned else 1]
    base = world(repeat_from=NEAR_ENOUGH, salience_floor=0.0)
    report = put(base, *parts)
    assert (report.n_exact, report.n_near) == (0, 0)
    shown = [text for part in parts for text in base.texts(part, 10)]
    for block in base.blocks():
        assert block.text in shown
    alone = world(repeat_enabled=False, salience_floor=0.0)
    put(alone, *parts)
    assert [b.text for b in base.blocks()] == [b.text for b in alone.blocks()]


def test_what_says_the_same_in_other_punctuation_is_dropped_and_named() -> None:
    base = world(repeat_from=NEAR_ENOUGH)
    report = put(
        base, "The gate is closed at night; ask the caretaker.", "The gate is closed at night, ask the caretaker!"
    )
    (block,) = base.blocks()
    assert (report.n_kept, report.n_near) == (1, 1)
    assert [a.relation for a in block.attributions] == [Relation.KEPT, Relation.NEAR]


def test_a_repeat_is_found_behind_many_look_alikes() -> None:
    """A document of one template: the sixth nearest and farther are compared too."""
    towns = "Bremen Lisbon Ghent Turin Graz Lyon Cork Bern Oslo Riga Split Porto".split()
    says = "The office in {} is open on weekdays and closed on public holidays{}"
    base = world(repeat_from=NEAR_ENOUGH)
    report = put(base, *(says.format(town, ".") for town in towns), *(says.format(town, "!!") for town in towns))
    assert (report.n_kept, report.n_exact + report.n_near) == (len(towns), len(towns))
    for block in base.blocks():
        assert len({a.text.rstrip(".!") for a in block.attributions}) == 1


def test_what_is_left_undecided_is_counted_and_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saidonce.kb.ingest.repeats.MOST_ASKED", 2)
    towns = "Bremen Lisbon Ghent Turin Graz".split()
    base = world(repeat_from=NEAR_ENOUGH)
    report = put(base, *(f"The office in {town} is open on weekdays and closed on holidays." for town in towns))
    assert (report.n_kept, report.n_undecided) == (5, 2)
    assert any("more near segments" in warning for warning in report.warnings)


@dataclass
class ScriptedJudge:
    """Bears out the rewordings of one meaning; remembers what it is asked."""

    meanings: Sequence[frozenset[str]]
    name: str = "scripted"
    asked: list[Rewording] = field(default_factory=list)

    def judge(self, rewordings: Sequence[Rewording]) -> list[Equivalence]:
        self.asked.extend(rewordings)
        same = [any({r.a, r.b} <= meaning for meaning in self.meanings) for r in rewordings]
        return [Equivalence(is_same, 0.99 if is_same else 0.01) for is_same in same]


PLAIN = "The staff must check every ticket of a visitor before the visitor enters the old mine."
REWORDED = "The staff must inspect every ticket of a visitor before the visitor enters the old mine."
LEARNED = "The children collect shells on the beach and the parents prepare the food in the kitchen."
RELEARNED = "The children gather mussels on the beach and the parents cook the food in the kitchen."


def judged(*meanings: set[str]) -> tuple[World, ScriptedJudge]:
    judge = ScriptedJudge([frozenset(meaning) for meaning in meanings])
    embedder = CountingEmbedder()
    base = World(wired(MemoryStore("north", clock=FixedClock()), embedder, repeat_from=NEAR_ENOUGH), embedder)
    base.base = replace(base.base, judge=judge)
    return base, judge


class TestAJudge:
    def test_bears_out_a_rewording_which_is_then_dropped_and_boosts(self) -> None:
        base, judge = judged({LEARNED, RELEARNED})
        report = put(base, LEARNED, RELEARNED)
        assert (report.n_kept, report.n_near) == (1, 1)
        assert report.boosts == pytest.approx((0.15,))
        assert {frozenset((r.a, r.b)) for r in judge.asked} == {frozenset((LEARNED, RELEARNED))}

    def test_that_does_not_leaves_both(self) -> None:
        base, judge = judged()
        assert put(base, LEARNED, RELEARNED).n_kept == 2
        assert judge.asked

    def test_is_asked_about_each_sentence_that_differs_and_all_must_be_borne_out(self) -> None:
        base, judge = judged({LEARNED, RELEARNED})
        texts = (f"{LEARNED} {PLAIN}", f"{RELEARNED} {PLAIN}")
        assert put(base, *texts).n_kept == 1
        assert {frozenset((r.a, r.b)) for r in judge.asked} == {frozenset((LEARNED, RELEARNED))}

    @pytest.mark.parametrize("kind", [kind for kind in STATED_DIFFERENTLY if kind != "German opposites"])
    def test_lifts_no_objection(self, kind: str) -> None:
        """However sure it is: no value, negation or list, no word more, no language that no table reads."""
        first, second = STATED_DIFFERENTLY[kind]

        class YesMan(ScriptedJudge):
            def judge(self, rewordings: Sequence[Rewording]) -> list[Equivalence]:
                self.asked.extend(rewordings)
                return [Equivalence(is_same=True, score=1.0) for _ in rewordings]

        base, _ = judged()
        base.base = replace(base.base, judge=YesMan([]))
        assert put(base, first, second).n_near == 0

    def test_of_another_name_asks_for_a_new_version_of_the_same_source(self) -> None:
        base, _ = judged({LEARNED, RELEARNED})
        content = f"# One\n\n{LEARNED}\n\n# Two\n\n{RELEARNED}"
        assert base.put("manual.md", content).version == 1
        assert not base.put("manual.md", content).is_written
        base.base = replace(base.base, judge=None)
        again = base.put("manual.md", content)
        assert (again.version, again.n_kept) == (2, 2)


RULES = """# House rules

Quiet hours begin at ten in the evening.

Please keep the stairs free of bicycles and prams.

Bring the bins to the kerb on Monday evening.

# Moving in

Please keep the stairs free of bicycles and prams!

Hand in the form at the office.

# Moving out

Hand in the form at the office.

Quiet hours begin at nine in the evening.

Leave the keys with the porter.
"""
STAIRS = "Please keep the stairs free of bicycles and prams."


class TestShortParagraphs:
    """With the segment style that joins them with their neighbours."""

    def rules(self, **settings: object) -> World:
        return world(segment_style="paragraph", salience_floor=0.0, **settings)

    def test_are_compared_before_they_are_joined_and_a_dropped_one_names_the_kept_one(self) -> None:
        base = self.rules()
        report = base.put("rules.md", RULES)
        # What is handed in when moving in is not handed in when moving out.
        assert (report.n_exact, report.n_near, report.n_held_apart) == (0, 1, 1)
        (stairs,) = (b for b in base.blocks() if b.text == STAIRS)
        assert [(a.text, a.relation) for a in stairs.attributions] == [
            (STAIRS, Relation.KEPT),
            (STAIRS.replace(".", "!"), Relation.NEAR),
        ]
        assert [a.heading_path for a in stairs.attributions] == [("House rules",), ("Moving in",)]

    def test_that_repeat_nothing_are_joined(self) -> None:
        base = self.rules()
        base.put("rules.md", RULES)
        texts = {b.text for b in base.blocks()}
        assert "Quiet hours begin at nine in the evening.\n\nLeave the keys with the porter." in texts

    def test_lose_no_text(self) -> None:
        base = self.rules()
        base.put("rules.md", RULES)
        whole = "\n".join(a.text for b in base.blocks() for a in b.attributions)
        for line in RULES.splitlines():
            assert line.startswith("#") or line in whole

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("The gate is locked at ten.", "The gate is locked at nine."),
            ("The gate is locked at ten.", "The gate is not locked at ten."),
            ("Ann pays Bob for the ladder.", "Bob pays Ann for the ladder."),
            ("Run git pull origin first.", "Run git pull origin master first."),
            ("首先打开阀门。", "首先关闭阀门。"),
        ],
    )
    def test_that_differ_are_all_found(self, one: str, other: str) -> None:
        base = self.rules(repeat_from=NEAR_ENOUGH)
        report = base.put("rules.md", f"# One\n\n{one}\n\nAsk the porter.\n\n# Two\n\n{other}\n\nBring the form.")
        assert (report.n_exact, report.n_near) == (0, 0)
        shown = "\n".join(b.text for b in base.blocks())
        assert all(line in shown for line in (one, other, "Ask the porter.", "Bring the form."))

    def test_of_a_base_of_an_earlier_version_get_a_new_version_and_what_is_unchanged_stays(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An earlier version joined short pieces without comparing them, unless they were equal word for word."""
        base, fresh = self.rules(), self.rules()
        with monkeypatch.context() as earlier:
            earlier.setattr("saidonce.kb.ingest.flow.PIPELINE", "3")
            earlier.setattr("saidonce.kb.ingest.flow.says_nothing_else", lambda _a, _b, _language: False)
            first = base.put("rules.md", RULES)
        before = {b.id: b.text for b in base.blocks()}
        assert first.n_near == 0
        again = base.put("rules.md", RULES)
        assert (again.version, again.n_near) == (2, 1)
        fresh.put("rules.md", RULES)
        after = {b.id: b.text for b in base.blocks()}
        assert after == {b.id: b.text for b in fresh.blocks()}
        kept = set(before) & set(after)
        assert kept
        assert all(before[id] == after[id] for id in kept)
        assert not base.put("rules.md", RULES).is_written
