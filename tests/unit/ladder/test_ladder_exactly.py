"""The ladder to the letter: each rung's step in the trail, its bounds, and what it hands to the next rung."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from saidonce.foundation.model import (
    Candidate,
    FactKind,
    Failure,
    Fate,
    Kind,
    Match,
    MediaPlace,
    Objection,
    Opinion,
    Outcome,
    Question,
    Reason,
    Relation,
    Ruling,
    Shown,
    Span,
    Step,
)
from saidonce.foundation.settings.policy import Policy
from saidonce.matching.ladder import (
    STRUCTURAL_GUARDS,
    Case,
    FactKey,
    KeptTexts,
    Selection,
    ask,
    climb,
    decide,
    first_objection,
    keep_first,
)

POLICY = Policy("table", 0.8, 0.9, Outcome.REVIEW, Outcome.DUPLICATE)
ASKING = replace(POLICY, asks=True, may_rule=frozenset({Outcome.DISTINCT, Outcome.DUPLICATE}))
ASKING_ABOVE = replace(ASKING, asks_above=True)
NUMBER = Objection(FactKind.NUMBER, Span(0, 2, "30"), Span(0, 2, "90"))
PLACE = Objection(FactKind.SECTION_ROLE, Span(0, 2, "ab"), Span(0, 0, ""))
NEW = Candidate("new", "new")


def kept(name: str, similarity: float, **of: object) -> Match:
    return Match(name, similarity, Candidate(name, name, **of))  # type: ignore[arg-type]


def objecting(**by_name: Objection) -> tuple[object, ...]:
    """Guards, one of which objects to the kept texts of these names."""

    def guard(_new: Candidate, old: Candidate) -> Sequence[Objection]:
        return (by_name[old.text],) if old.text in by_name else ()

    return (*STRUCTURAL_GUARDS, guard)


def case(*matches: Match, policy: Policy = POLICY, ruling: Ruling | None = None, **by_name: Objection) -> Case:
    return Case(NEW, matches, policy, objecting(**by_name), ruling)  # type: ignore[arg-type]


def trail(of: Case) -> list[tuple[str, str, str, float | None, tuple[Objection, ...]]]:
    return [(s.rung, s.finding, s.of, s.similarity, s.objections) for s in decide(of).trail]


NO_COPY = ("fingerprint", "no match with the same content", "", None, ())


class TestFingerprint:
    def test_one_of_a_block_is_named_with_its_likeness(self) -> None:
        same = replace(kept("a", 0.7), hashes=frozenset({"x", "new"}))
        verdict = decide(case(kept("b", 0.99), same))
        assert verdict.trail == (Step("fingerprint", "same content", "a", 0.7),)
        assert (verdict.outcome, verdict.reason, verdict.of) == (Outcome.DUPLICATE, Reason.SAME_CONTENT, "a")
        assert verdict.similarity == 0.99

    def test_another_kind_before_it_is_passed_over(self) -> None:
        heading = replace(kept("a", 0.9), kept=Candidate("new", "new", Kind.HEADING))
        paragraph = replace(kept("b", 0.85), kept=Candidate("new", "new"))
        assert decide(case(heading, paragraph)).of == "b"

    def test_an_objection_of_structure_holds_and_one_of_facts_does_not(self) -> None:
        german = replace(kept("a", 0.7), kept=Candidate("new", "new", language="de"))
        english = Case(Candidate("new", "new", language="en"), (german,), POLICY, objecting())  # type: ignore[arg-type]
        assert decide(english).reason is Reason.BELOW_THRESHOLD
        same = replace(kept("a", 0.7), kept=Candidate("new", "new"))
        assert decide(case(same, new=NUMBER)).reason is Reason.SAME_CONTENT

    def test_a_copy_behind_one_that_structure_holds_apart_is_met(self) -> None:
        german = replace(kept("a", 0.9), kept=Candidate("new", "new", language="de"))
        english = replace(kept("b", 0.7), kept=Candidate("new", "new", language="en"))
        of = Case(Candidate("new", "new", language="en"), (german, english), POLICY, objecting())  # type: ignore[arg-type]
        assert decide(of).of == "b"


class TestNearestAndBand:
    def test_nothing_is_distinct_from_everything(self) -> None:
        verdict = decide(case())
        assert trail(case()) == [NO_COPY, ("nearest", "no matches", "", None, ())]
        assert (verdict.outcome, verdict.reason) == (Outcome.DISTINCT, Reason.NO_MATCHES)
        assert (verdict.of, verdict.similarity) == ("", 0.0)

    def test_the_nearest_k_are_looked_at_ties_by_id(self) -> None:
        matches = [kept("b", 0.95), kept("a", 0.95), kept("c", 0.97), kept("d", 0.5)]
        of = case(*matches, policy=replace(POLICY, k=2))
        assert [m.id for m in climb(of).case.matches] == ["c", "a"]
        assert trail(of)[1] == ("nearest", "2 of 4 matches", "c", 0.97, ())

    def test_below_the_lower_bound_is_distinct_and_at_it_is_not(self) -> None:
        verdict = decide(case(kept("a", 0.79)))
        assert trail(case(kept("a", 0.79)))[2:] == [("band", "below 0.8", "a", 0.79, ())]
        assert (verdict.outcome, verdict.reason, verdict.of) == (Outcome.DISTINCT, Reason.BELOW_THRESHOLD, "")
        assert trail(case(kept("a", 0.8)))[2] == ("band", "between 0.8 and 0.9", "a", 0.8, ())
        assert trail(case(kept("a", 0.9)))[2] == ("band", "at or above 0.9", "a", 0.9, ())


class TestGuards:
    def test_what_they_said_of_nearer_ones_stands_beside_the_duplicate(self) -> None:
        of = case(kept("a", 0.97), kept("b", 0.95), kept("c", 0.9), kept("d", 0.9), a=NUMBER, b=PLACE)
        verdict = decide(of)
        assert trail(of)[3:] == [("guards", "no objection", "c", 0.9, (NUMBER, PLACE))]
        assert (verdict.outcome, verdict.reason, verdict.of) == (Outcome.DUPLICATE, Reason.ABOVE_THRESHOLD, "c")
        assert verdict.similarity == 0.97

    def test_below_the_upper_bound_they_are_only_noted(self) -> None:
        of = case(kept("a", 0.85), kept("b", 0.8), kept("c", 0.79), a=NUMBER, b=PLACE, c=NUMBER)
        assert trail(of)[3:] == [
            ("guards", "objections to 2 of the near matches", "a", 0.85, (NUMBER, PLACE)),
            ("when_unsure", "policy says duplicate", "a", 0.85, ()),
        ]
        assert climb(of).case.objections == (("a", (NUMBER,)), ("b", (PLACE,)))
        assert not climb(of).case.objected
        assert decide(of).reason is Reason.UNSURE

    def test_one_too_far_away_ends_the_asking(self) -> None:
        asked: list[str] = []

        def listening(_new: Candidate, old: Candidate) -> Sequence[Objection]:
            asked.append(old.text)
            return ()

        decide(Case(NEW, (kept("a", 0.85), kept("b", 0.7), kept("c", 0.6)), POLICY, (listening,)))
        assert asked == ["a"]

    def test_held_apart_from_all_is_as_the_policy_says_for_objections(self) -> None:
        of = case(kept("a", 0.9), a=NUMBER)
        verdict = decide(of)
        assert climb(of).case.objected
        assert (verdict.outcome, verdict.reason, verdict.of) == (Outcome.REVIEW, Reason.OBJECTION, "a")
        assert trail(of)[-1] == ("when_unsure", "policy says review", "a", 0.9, ())

    def test_one_that_is_free_where_a_judge_is_asked_above_is_no_objection(self) -> None:
        of = case(kept("a", 0.95), kept("b", 0.9), policy=ASKING_ABOVE, a=NUMBER)
        assert trail(of)[3] == ("guards", "objections to 1 of the near matches", "a", 0.95, (NUMBER,))
        assert not climb(of).case.objected
        none = case(kept("a", 0.95), policy=ASKING_ABOVE)
        assert trail(none)[3] == ("guards", "no objection", "a", 0.95, ())

    def test_a_side_that_the_policy_sees_as_distinct_points_at_nothing(self) -> None:
        of = case(kept("a", 0.95), policy=replace(POLICY, on_objection=Outcome.DISTINCT), a=NUMBER)
        assert (decide(of).outcome, decide(of).of) == (Outcome.DISTINCT, "")

    @pytest.mark.parametrize(
        ("of", "outcome"),
        [
            ({"a": NUMBER, "b": NUMBER}, Outcome.REVIEW),
            ({"a": NUMBER, "b": PLACE}, Outcome.DUPLICATE),
            ({"a": PLACE, "b": PLACE}, Outcome.DUPLICATE),
            ({"a": NUMBER, "b": NUMBER, "c": PLACE}, Outcome.REVIEW),
        ],
    )
    def test_where_values_count_each_match_above_has_to_differ_in_one(
        self, of: dict[str, Objection], outcome: Outcome
    ) -> None:
        policy = replace(POLICY, values_only=True)
        matches = (kept("a", 0.95), kept("b", 0.9), kept("c", 0.85))
        made = Case(NEW, matches, policy, objecting(**of))  # type: ignore[arg-type]
        assert decide(made).outcome is outcome

    @pytest.mark.parametrize("objection", [NUMBER, PLACE])
    def test_where_more_than_values_count_any_objection_holds_apart(self, objection: Objection) -> None:
        assert decide(case(kept("a", 0.95), a=objection)).outcome is Outcome.REVIEW

    def test_where_values_count_doubt_below_the_upper_bound_is_doubt(self) -> None:
        policy = replace(POLICY, values_only=True)
        assert decide(case(kept("a", 0.85), policy=policy, a=NUMBER)).outcome is Outcome.DUPLICATE


class TestSayingTheSame:
    """Between `same_from` and `duplicate_from` a match settles only if no guard objects, whichever came first."""

    def states_more(self, *of: str) -> tuple[object, ...]:
        """Guards, one of which objects to what states more than these texts."""

        def guard(_new: Candidate, old: Candidate) -> Sequence[Objection]:
            return (NUMBER,) if old.text in of else ()

        return (*STRUCTURAL_GUARDS, guard)

    @pytest.mark.parametrize(
        ("similarity", "objects_to", "outcome"),
        [
            (0.85, (), Outcome.DUPLICATE), (0.85, ("old",), Outcome.REVIEW),
            (0.85, ("new",), Outcome.REVIEW), (0.95, ("new",), Outcome.DUPLICATE),
            (0.84, (), Outcome.REVIEW), (0.83, ("new",), Outcome.REVIEW),
        ],
    )  # fmt: skip
    def test_is_asked_both_ways_below_the_threshold(
        self, similarity: float, objects_to: tuple[str, ...], outcome: Outcome
    ) -> None:
        policy = Policy("table", 0.8, 0.9, Outcome.REVIEW, Outcome.REVIEW, same_from=0.85)
        of = Case(NEW, (kept("old", similarity),), policy, self.states_more(*objects_to))  # type: ignore[arg-type]
        assert decide(of).outcome is outcome

    def test_the_trail_says_so(self) -> None:
        policy = Policy("table", 0.8, 0.9, Outcome.REVIEW, Outcome.REVIEW, same_from=0.8)
        verdict = decide(case(kept("a", 0.89), kept("b", 0.88), policy=policy, a=NUMBER))
        assert verdict.trail[-1] == Step("guards", "each states all of the other", "b", 0.88, (NUMBER,))
        assert (verdict.outcome, verdict.reason, verdict.of) == (Outcome.DUPLICATE, Reason.SAME_STATEMENT, "b")

    @pytest.mark.parametrize(
        ("similarity", "objects_to", "dropped"),
        [(0.90, ("longer",), True), (0.8999, ("longer",), False), (0.8999, (), True)],
    )
    def test_a_selection_drops_what_another_states_with_more_from_its_threshold_only(
        self, similarity: float, objects_to: tuple[str, ...], dropped: bool
    ) -> None:
        def states_more(of: Candidate, _kept: Candidate) -> Sequence[Objection]:
            return (NUMBER,) if of.text in objects_to else ()

        texts = [Candidate("longer", "1"), Candidate("shorter", "2")]
        (_, fate) = keep_first(texts, [(0, 1, similarity)], (states_more,), one_way_from=0.90)
        assert fate == (Fate(1, Relation.NEAR, 0, similarity) if dropped else Fate(1, Relation.KEPT, 1))

    def test_what_is_less_near_than_the_threshold_is_no_near_miss(self) -> None:
        texts = [Candidate("old", "1"), Candidate("new", "2")]
        for similarity, near_miss in ((0.90, 0), (0.89, None)):
            guards = (lambda _a, _b: (NUMBER,),)
            (_, fate) = keep_first(texts, [(0, 1, similarity)], guards, one_way_from=0.90)
            assert (fate.near_miss, bool(fate.objections)) == (near_miss, near_miss is not None)


class TestGuardsOfStructure:
    @pytest.mark.parametrize(
        ("a", "b", "objection"),
        [
            ({"kind": Kind.HEADING}, {}, (FactKind.KIND, "heading", "paragraph")),
            ({"language": "en"}, {"language": "de"}, (FactKind.LANGUAGE, "en", "de")),
            ({"language": "en"}, {"language": "und"}, None),
            ({"section_role": "body"}, {"section_role": "note"}, (FactKind.SECTION_ROLE, "body", "note")),
            ({"section_role": "body"}, {}, None),
            ({}, {"section_role": "body"}, None),
            (
                {"rows": (("a", "b"), ("c",))},
                {"rows": (("a",), ("b",))},
                (FactKind.TABLE_SHAPE, "2 rows x 2 columns", "2 rows x 1 columns"),
            ),
            ({"rows": (("a", "b"), ("c",))}, {"rows": (("a",), ("b", "c"))}, None),
            ({"rows": (("a",),)}, {}, None),
            ({}, {"rows": (("a",),)}, None),
            ({"rows": ((),)}, {"rows": ((), ())}, (FactKind.TABLE_SHAPE, "1 rows x 0 columns", "2 rows x 0 columns")),
        ],
    )
    def test_say_what_differs_of_whole_texts(
        self, a: dict[str, object], b: dict[str, object], objection: tuple[FactKind, str, str] | None
    ) -> None:
        sides = Candidate("a", "a", **a), Candidate("b", "b", **b)  # type: ignore[arg-type]
        expected = (
            () if objection is None else (Objection(objection[0], Span(0, 0, objection[1]), Span(0, 0, objection[2])),)
        )
        assert first_objection(STRUCTURAL_GUARDS, *sides) == expected

    def test_the_first_that_objects_is_the_last_that_is_asked(self) -> None:
        def never(_a: Candidate, _b: Candidate) -> Sequence[Objection]:
            raise AssertionError("asked in vain")

        assert first_objection([lambda *_: [], lambda *_: [NUMBER, PLACE], never], NEW, NEW) == (NUMBER, PLACE)
        assert first_objection([], NEW, NEW) == ()


def read(text: str, confidence: float | None, kind: Kind = Kind.IMAGE_TEXT) -> Candidate:
    return Candidate(text, text, kind, place=MediaPlace(1, confidence=confidence) if confidence is not None else None)


class TestRecognisedWords:
    @pytest.mark.parametrize(
        ("a", "b", "objections"),
        [
            (read("x", 0.79), read("x", 0.99), (("confidence 0.79", 0), ("confidence 0.99", 0))),
            (read("x", 0.8), read("x", 0.8), None),
            (read("x", 0.0), read("x", None, Kind.PARAGRAPH), (("confidence 0.00", 0), ("text", 0))),
            (read("x", None, Kind.PARAGRAPH), read("x", 0.5), (("text", 0), ("confidence 0.50", 0))),
            (read("x", None, Kind.PARAGRAPH), read("x 7 8", None, Kind.PARAGRAPH), None),
            (read("x", 0.9, Kind.TRANSCRIPT), read("x", 0.9), (("confidence 0.90", 0), ("confidence 0.90", 0))),
            (read("x", None, Kind.TRANSCRIPT), read("x", None, Kind.PARAGRAPH), (("text", 0), ("text", 0))),
            (read("at 78", 0.9), read("at 9", 0.9), (("7", 3), ("", 0))),
            (read("at", 0.9), read("at 9", 0.9), (("", 0), ("9", 3))),
            (read("at 78", None, Kind.PARAGRAPH), read("at 9", 0.9), (("", 0), ("9", 3))),
            (read("at 5", None), read("at", None), (("5", 3), ("", 0))),
        ],
    )  # fmt: skip
    def test_are_held_apart_where_they_are_unsure_heard_or_figures(
        self, a: Candidate, b: Candidate, objections: tuple[tuple[str, int], ...] | None
    ) -> None:
        (ours, at), (theirs, there) = objections or (("", 0), ("", 0))
        is_figure = objections is not None and "" in (ours, theirs)
        spans = [
            Span(start, start + (len(text) if is_figure else 0), text) for text, start in ((ours, at), (theirs, there))
        ]
        expected = () if objections is None else (Objection(FactKind.RECOGNISED, spans[0], spans[1]),)
        assert tuple(STRUCTURAL_GUARDS[-1](a, b)) == expected


def ruled(opinion: Opinion, of: str = "", **more: object) -> Ruling:
    return Ruling(opinion, of, confidence=0.905, **more)  # type: ignore[arg-type]


class TestRulings:
    def test_a_judge_is_asked_of_those_that_are_near_with_what_the_guards_said(self) -> None:
        a, b, c = kept("a", 0.85), kept("b", 0.8), kept("c", 0.79)
        asked = ask(case(a, b, c, policy=ASKING, b=NUMBER, c=NUMBER))
        assert asked == Question(NEW, (Shown(a), Shown(b, (NUMBER,))))

    @pytest.mark.parametrize(
        ("policy", "similarity", "is_asked"),
        [(POLICY, 0.85, False), (ASKING, 0.85, True), (ASKING, 0.9, False), (ASKING_ABOVE, 0.9, True)],
    )
    def test_a_judge_is_asked_where_the_policy_lets_it(self, policy: Policy, similarity: float, is_asked: bool) -> None:
        of = case(kept("a", similarity), policy=policy, a=NUMBER)
        assert (ask(of) is not None) is is_asked
        assert (climb(of).question is not None) is is_asked

    def test_who_is_not_asked_says_so(self) -> None:
        of = case(kept("a", 0.95), policy=ASKING, ruling=ruled(Opinion.DISTINCT), a=NUMBER)
        assert trail(of)[4:] == [
            ("adjudicate", "not asked", "a", 0.95, ()), ("when_unsure", "policy says review", "a", 0.95, ()),
        ]  # fmt: skip
        assert decide(of).reason is Reason.OBJECTION

    @pytest.mark.parametrize(
        ("ruling", "finding"),
        [
            (None, "no ruling: nobody was asked"),
            (ruled(Opinion.UNSURE), "no ruling: unsure"),
            (ruled(Opinion.UNSURE, failure=Failure.TIMEOUT), "no ruling: timeout"),
            (ruled(Opinion.DISTINCT, failure=Failure.TIMEOUT), "no ruling: timeout"),
            (ruled(Opinion.DUPLICATE, "z"), "the ruling names a match that was not shown"),
        ],
    )
    def test_what_is_no_ruling_leaves_it_to_the_policy(self, ruling: Ruling | None, finding: str) -> None:
        of = case(kept("a", 0.85), kept("z", 0.7), policy=ASKING, ruling=ruling)
        assert trail(of)[4:] == [
            ("adjudicate", finding, "a", 0.85, ()), ("when_unsure", "policy says duplicate", "a", 0.85, ()),
        ]  # fmt: skip
        assert decide(of).reason is Reason.NO_RULING

    def test_cleared(self) -> None:
        of = case(kept("a", 0.85), kept("b", 0.8), policy=ASKING, ruling=ruled(Opinion.DISTINCT))
        verdict = decide(of)
        assert trail(of)[4:] == [("adjudicate", "ruled distinct, confidence 0.905", "a", 0.85, ())]
        assert (verdict.outcome, verdict.reason, verdict.of) == (Outcome.DISTINCT, Reason.LLM_CLEARED, "")

    def test_joined_with_the_one_that_is_named(self) -> None:
        of = case(kept("a", 0.85), kept("b", 0.8), policy=ASKING, ruling=ruled(Opinion.DUPLICATE, "b"), a=NUMBER)
        verdict = decide(of)
        assert trail(of)[4:] == [("adjudicate", "ruled duplicate", "b", 0.8, ())]
        assert (verdict.outcome, verdict.reason, verdict.of) == (Outcome.DUPLICATE, Reason.RULED_DUPLICATE, "b")
        assert verdict.similarity == 0.85

    @pytest.mark.parametrize(
        ("opinion", "may", "says"),
        [
            (Opinion.DISTINCT, Outcome.DUPLICATE, "says distinct, and may only propose it"),
            (Opinion.DUPLICATE, Outcome.DISTINCT, "says duplicate, and may only propose it"),
        ],
    )
    def test_what_it_may_not_rule_is_noted(self, opinion: Opinion, may: Outcome, says: str) -> None:
        policy = replace(ASKING, may_rule=frozenset({may}))
        of = case(kept("a", 0.85), policy=policy, ruling=ruled(opinion, "a"))
        assert trail(of)[4] == ("adjudicate", says, "a", 0.85, ())
        assert decide(of).reason is Reason.UNSURE

    @pytest.mark.parametrize(
        ("opinion", "of", "may"),
        [(Opinion.DISTINCT, "a", Outcome.DUPLICATE), (Opinion.DUPLICATE, "a", Outcome.DISTINCT)],
    )
    def test_what_it_may_not_rule_is_doubt_past_an_objection_too(self, opinion: Opinion, of: str, may: Outcome) -> None:
        policy = replace(ASKING_ABOVE, may_rule=frozenset({may}))
        held = case(kept("a", 0.95), policy=policy, ruling=ruled(opinion, of), a=NUMBER)
        assert (decide(held).outcome, decide(held).reason) == (Outcome.REVIEW, Reason.UNSURE)

    @pytest.mark.parametrize(
        ("on_objection", "reason"),
        [(Outcome.DUPLICATE, Reason.RULED_DUPLICATE), (Outcome.REVIEW, Reason.OBJECTION)],
    )
    def test_it_joins_nothing_past_an_objection(self, on_objection: Outcome, reason: Reason) -> None:
        policy = replace(ASKING, on_objection=on_objection)
        matches = kept("a", 0.85), kept("b", 0.8)
        of = case(*matches, policy=policy, ruling=ruled(Opinion.DUPLICATE, "b"), b=NUMBER)
        assert trail(of)[4] == ("adjudicate", "says duplicate, past an objection", "a", 0.85, (NUMBER,))
        assert (decide(of).outcome, decide(of).reason) == (Outcome.DUPLICATE, reason)

    def test_a_verdict_is_reached_from_where_the_climb_ended(self) -> None:
        climbed = climb(case(kept("a", 0.85), policy=ASKING))
        assert climbed.settled is None
        assert climbed.verdict(ruled(Opinion.DISTINCT)) == decide(
            case(kept("a", 0.85), policy=ASKING, ruling=ruled(Opinion.DISTINCT))
        )
        settled = climb(case())
        assert settled.settled is not None
        assert settled.trail == settled.settled.trail != ()
        assert settled.verdict(ruled(Opinion.DUPLICATE, "a")) is settled.settled


def listing(n_kept: int, *, n_asked: int = 9, key: FactKey | None = None) -> tuple[Selection, list[object]]:
    """A selection that keeps so many texts and notes what is compared further."""
    compared: list[object] = []

    def nearest(place: int, places: NDArray[np.intp], n: int) -> list[tuple[int, float]]:
        compared.append((place, places.tolist(), n))
        return [(int(at), 0.95) for at in places[::-1]]

    def apart(_a: Candidate, b: Candidate) -> Sequence[Objection]:
        return () if b.text == "free" else (NUMBER,)

    selection = Selection([apart], n_asked, key, nearest)
    selection.take([Candidate(f"t{n}", f"t{n}") for n in range(n_kept)], [])
    return selection, compared


class TestSelectionInBatches:
    def test_a_list_that_is_full_of_former_ones_is_looked_beyond(self) -> None:
        selection, compared = listing(4)
        fates = selection.take([Candidate("x", "x")], [(3, 4, 0.97), (1, 4, 0.96)], n_listed=2)
        assert compared == [(4, [0, 1, 2], 9)]
        assert fates == (Fate(4, Relation.KEPT, 4, objections=(NUMBER,), near_miss=3),)

    def test_what_is_met_there_is_taken_nearest_first_ties_by_place(self) -> None:
        selection, _ = listing(1)
        selection.take([Candidate("free", "f1"), Candidate("free", "f2")], [])
        (fate,) = selection.take([Candidate("x", "x")], [(0, 3, 0.99)], n_listed=1)
        assert fate == Fate(3, Relation.NEAR, 1, 0.95)

    def test_a_short_list_or_one_with_texts_of_the_same_batch_is_whole(self) -> None:
        selection, compared = listing(2)
        selection.take([Candidate("x", "x")], [(0, 2, 0.97)], n_listed=2)
        selection.take([Candidate("y", "y"), Candidate("z", "z")], [(3, 4, 0.97), (1, 4, 0.96)], n_listed=2)
        assert compared == []
        selection.take([Candidate("w", "w")], [(0, 5, 0.97), (1, 5, 0.96), (2, 5, 0.95)], n_listed=2)
        assert len(compared) == 1

    def test_only_what_states_the_figures_is_compared(self) -> None:
        def figures(text: str, _language: str) -> frozenset[str]:
            return frozenset(sign for sign in text if sign.isdigit())

        selection, compared = listing(4, key=FactKey(figures))
        selection.take([Candidate("2", "2")], [(1, 4, 0.97)], n_listed=1)
        assert compared == [(4, [2], 9)]

    def test_so_many_are_asked_and_the_text_is_then_undecided(self) -> None:
        selection, compared = listing(4, n_asked=2)
        (fate,) = selection.take([Candidate("x", "x")], [(3, 4, 0.97)], n_listed=1)
        assert compared == [(4, [0, 1, 2], 2)]
        assert fate == Fate(4, Relation.KEPT, 4, objections=(NUMBER,), near_miss=3, undecided=True)

    def test_places_count_over_all_batches_without_an_embedding_too(self) -> None:
        selection = Selection([])
        selection.take([None, Candidate("a", "a")], [])
        assert selection.take([Candidate("b", "b"), None], [(1, 2, 0.95)]) == (
            Fate(2, Relation.NEAR, 1, 0.95), Fate(3, Relation.KEPT, 3),
        )  # fmt: skip

    def test_kept_texts_are_held_where_they_are_asked_to_be(self) -> None:
        held = KeptTexts()
        selection = Selection([], kept=held)
        selection.take([Candidate("a", "a"), Candidate("b", "b")], [(0, 1, 0.95)])
        assert (held.n_taken, held.places().tolist(), 0 in held, 1 in held) == (2, [0], True, False)
        assert held[0] == Candidate("a", "a")
        assert held.same(7, Candidate("other words", "a")) == 0
        assert held.same(7, Candidate("a", "a", Kind.HEADING)) is None

    def test_unsure_words_that_are_equal_are_no_exact_repeat(self) -> None:
        first, again = read("at 9", 0.9), read("at 9", 0.9)
        fates = keep_first([first, again, read("at", 0.9), read("at", 0.9)], [(0, 1, 1.0)], STRUCTURAL_GUARDS)
        assert [fate.relation for fate in fates] == [Relation.KEPT, Relation.KEPT, Relation.KEPT, Relation.EXACT]


class TestFactKeyOfStoredTexts:
    def test_texts_are_had_again_by_their_place_and_read_once_a_language(self) -> None:
        texts = {4: Candidate("1", "1", language="en"), 9: Candidate("12", "12", language="de")}
        had: list[int] = []
        reads: list[tuple[str, str]] = []

        def at(place: int) -> Candidate:
            had.append(place)
            return texts[place]

        def figures(text: str, language: str) -> frozenset[str]:
            reads.append((text, language))
            return frozenset(text)

        key = FactKey(figures, text_at=at)
        key.add(4, texts[4])
        assert key.places(Candidate("1", "x", language="en")).tolist() == [4]
        key.add(9, texts[9])
        assert key.places(Candidate("1", "x", language="en")).tolist() == [4, 9]
        assert key.places(Candidate("", "x", language="en")).tolist() == [4, 9]
        assert key.places(Candidate("3", "x", language="en")).tolist() == []
        assert had == [4, 9]
        assert reads == [("1", "en"), ("1", "en"), ("12", "en"), ("1", "en"), ("", "en"), ("3", "en")]
        assert key.places(Candidate("2", "x", language="und")).tolist() == [9]

    def test_a_kept_text_is_read_in_the_language_of_the_candidate(self) -> None:
        reads: list[tuple[str, str]] = []

        def figures(text: str, language: str) -> frozenset[str]:
            reads.append((text, language))
            return frozenset()

        assert FactKey(figures).may_win(Candidate("a", "a", language="de"), Candidate("b", "b", language="en"))
        assert reads == [("a", "de"), ("b", "de")]


def test_a_store_of_kept_texts_is_asked_by_the_place_that_counts_over_all_batches() -> None:
    asked: list[int] = []

    class ByPlace(KeptTexts):
        def same(self, place: int, candidate: Candidate) -> int | None:
            asked.append(place)
            return super().same(place, candidate)

    selection = Selection((), kept=ByPlace())
    selection.take([Candidate("a", "a"), Candidate("b", "b")], [])
    selection.take([Candidate("c", "c")], [])
    assert asked == [0, 1, 2]
