"""The evaluator itself: each flaw is caught in a conversation that has it, and nothing passes emptily."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from saidonce.adapters.embed.minilm import MiniLM
from saidonce.app.repairs_service.played import PlayedService
from saidonce.errors import UsageError
from saidonce.foundation.model.conversation import PhotoStatus
from saidonce.foundation.settings.policy import load_settings
from saidonce.quality.conversation import play
from saidonce.quality.flaws import FlawKind, flaws
from saidonce.quality.playing import ScenarioClock, preset
from saidonce.quality.scenario import NOON, Scenario, read_scenario, read_scenarios
from saidonce.quality.side_by_side import ScenarioArm, only, side_by_side
from saidonce.quality.stage import PlayedStep, Stage
from saidonce.repairs.conversation import ConversationDeps
from saidonce.testing.memory import MemoryStore
from saidonce.testing.memory_conversations import MemoryConversations

CASES = Path(__file__).resolve().parents[1] / "cases"
NATURAL = CASES / "conversation_natural"

HOME = """
id = "case"
source = "made up"
[[home]]
id = "t1"
unit = "Flat 2"
[state]
identity = "active"
"""


def scenario(steps: str, top: str = "") -> Scenario:
    return read_scenario(HOME.replace('source = "made up"\n', f'source = "made up"\n{top}\n') + steps, "case")


def reply(tool: str, message: str = "", **slots: object) -> str:
    empty = {"description": None, "location": None, "category": None, "urgency": None, "photo": None}
    return json.dumps(json.dumps({"tool": tool, "message": message, **empty, **slots}))


ASK = reply("ask_for_details", "Which room is it in?")
REPORT = '[[step]]\ntext = "the tap drips in the kitchen"\n[[step]]\ntext = "no photo"\n'
"""A report that the keyword flow files."""

FLAWED = {
    FlawKind.FALSE_ISSUE: REPORT + "[end]\nissues = []\n",
    FlawKind.MISSING_FACT: REPORT + '[end]\nissues = [{ contains = ["since sunday"] }]\n',
    FlawKind.NO_PERSON: (
        f'[[step]]\ntext = "somebody ought to see to this himself"\nmeans = "person"\nscripted = [{ASK}]\n'
    ),
    FlawKind.EMERGENCY_MISSED: f'[[step]]\ntext = "the thing hums"\nmeans = "emergency"\nscripted = [{ASK}]\n',
    FlawKind.FALSE_ALARM: '[[step]]\ntext = "I smell gas"\nmeans = "harmless"\n',
    FlawKind.ALARM_QUESTION: (
        '[[step]]\ntext = "the thing in the kitchen hums"\nmeans = "emergency"\n'
        f"scripted = [{reply('ask_for_details', 'Could you tell me which room it is in?')}]\n"
    ),
}


@pytest.mark.parametrize("kind", FLAWED)
def test_a_conversation_with_a_flaw_is_caught(kind: FlawKind) -> None:
    assert kind in {f.kind for f in play(scenario(FLAWED[kind]), "v2", MemoryConversations).flaws}


def filed() -> tuple[Scenario, list[PlayedStep]]:
    """The report with what each of its steps led to."""
    case = scenario(REPORT, 'language = "en"')
    clock = ScenarioClock(case.clock)
    stage = Stage(ConversationDeps(MemoryConversations(), clock), clock)
    preset(stage.deps, case)
    for step in case.steps:
        stage.do(step)
    return case, stage.moments


def with_reply(text: str) -> Callable[[PlayedStep], PlayedStep]:
    return lambda last: replace(last, says=(*last.says, replace(last.says[-1], text=text)))


def with_issue(**changes: Any) -> Callable[[PlayedStep], PlayedStep]:
    return lambda last: replace(last, issues=(replace(last.issues[0], **changes),))


ALTERED: list[tuple[FlawKind, Callable[[PlayedStep], PlayedStep]]] = [
    (FlawKind.TOO_EARLY, with_issue(location="")),
    (FlawKind.TOO_EARLY, with_issue(description=" ")),
    (FlawKind.FALSE_ISSUE, with_issue(description="the boiler exploded")),
    (FlawKind.UNTRUE, with_reply("The plumber has been booked.")),
    (FlawKind.UNTRUE, with_reply("I have asked a person to take over.")),
    (FlawKind.UNTRUE, with_reply("We have told your landlord's team.")),
    (
        FlawKind.WRONG_LANGUAGE,
        with_reply("Gracias, lo hemos anotado y avisamos a su casero cuando haya noticias. " * 4),
    ),
]


@pytest.mark.parametrize(("kind", "altered"), ALTERED)
def test_what_the_program_does_not_do_by_itself_is_caught_too(
    kind: FlawKind, altered: Callable[[PlayedStep], PlayedStep]
) -> None:
    case, moments = filed()
    assert not flaws(case, moments)
    assert [f.kind for f in flaws(case, [*moments[:-1], altered(moments[-1])])] == [kind]


def test_an_issue_before_a_photo_was_asked_for_is_too_early() -> None:
    case, moments = filed()
    early = replace(with_issue(photo=PhotoStatus.NONE)(moments[-1]), turns=())
    assert [f.kind for f in flaws(case, [early])] == [FlawKind.TOO_EARLY]


def test_the_residents_own_words_are_no_question_of_ours() -> None:
    case, moments = filed()
    heard = (*moments[-1].heard, "no camera ???", "hello. is it dripping ?")
    quoting = [*moments, *[replace(with_reply("Noted: is it dripping ? no camera ???")(moments[-1]), heard=heard)] * 2]
    assert not flaws(case, quoting)
    asking = [*moments, *[replace(with_reply("Noted. Where is it?")(moments[-1]), heard=heard)] * 2]
    assert {f.kind for f in flaws(case, asking)} == {FlawKind.REPEATED_QUESTION}


def test_a_claim_without_its_deed_is_untrue() -> None:
    case, moments = filed()
    nothing = replace(moments[-1], issues=(), notices=())
    assert FlawKind.UNTRUE in {f.kind for f in flaws(case, [replace(moments[0], notices=()), nothing])}


def test_every_kind_of_flaw_has_a_conversation_that_has_it() -> None:
    assert set(FlawKind) == {*FLAWED, *(kind for kind, _ in ALTERED), FlawKind.REPEATED_QUESTION}


def test_a_conversation_as_it_should_be_has_no_flaw() -> None:
    case = scenario(REPORT + '[end]\nissues = [{ contains = ["tap drips", "kitchen"] }]\n')
    played = play(case, "default", MemoryConversations)
    assert (played.failures, played.flaws, played.grade, played.n_messages) == ((), (), "best", 2)


ENDS = """
[[end]]
issues = []
person = true
grade = "acceptable"
[[end]]
issues = [{ contains = ["kitchen", "tap|faucet"], contains_not = ["bath"], location_not = "hall" }]
some_notice = true
notices_any = ["issue_created", "escalated"]
person = false
emergency = "none"
says = ["reported"]
never_says = ["plumber"]
reply_language = "en"
live_issues = 1
gathering = ["issue_created", "idle"]
identity = "active"
opted_out = false
max_questions = 1
"""


def test_any_of_several_ends_is_right_and_the_best_that_fits_counts() -> None:
    played = play(scenario(REPORT + ENDS), "v2", MemoryConversations)
    assert (played.failures, played.grade) == ((), "best")


WRONG_ENDS = (
    "issues = []", 'issues = [{ contains = ["bath"] }]', 'issues = [{ contains_not = ["tap"] }]',
    'issues = [{ location_not = "kitchen" }]', "some_notice = false", 'notices_any = ["escalated"]', "person = true",
    'emergency = "noticed"', 'emergency = "sure"', 'emergency = "asked"', 'says = ["plumber"]',
    'never_says = ["reported"]', 'reply_language = "fr"', "live_issues = 0", 'gathering = "awaiting_photo"',
    'identity = "identified"', "opted_out = true", "events = [{ kind = 'gas' }]", "turns = 7",
    'notices = ["escalated"]',
)  # fmt: skip


@pytest.mark.parametrize("end", WRONG_ENDS)
def test_an_end_that_does_not_fit_is_a_failure(end: str) -> None:
    played = play(scenario(f"{REPORT}[end]\n{end}\n"), "v2", MemoryConversations)
    assert played.failures
    assert played.grade == ""


def test_of_several_ends_that_do_not_fit_the_nearest_is_shown() -> None:
    ends = '[[end]]\nissues = []\nperson = true\nemergency = "sure"\n[[end]]\nsays = ["never said"]\n'
    (failure,) = play(scenario(REPORT + ends), "v2", MemoryConversations).failures
    assert "never said" in failure
    assert "the nearest of 2 ends" in failure


@pytest.mark.parametrize(
    "bad",
    ['[[step]]\ntext = "a"\nmeans = "nonsense"', '[[step]]\ntext = "a"\nat = "soon"',
     '[[step]]\ntext = "a"\n[end]\nissue = 1', '[[step]]\ntext = "a"\n[end]\nissues = [{ words = ["a"] }]',
     '[[step]]\ntext = "a"\n[[document]]\ntitle = "a"\nauthor = "b"', '[[step]]\ntext = "a"\n[end]\ngrade = "good"'],
)  # fmt: skip
def test_what_a_scenario_does_not_know_is_an_error(bad: str) -> None:
    with pytest.raises(UsageError, match="case"):
        scenario(bad)


@pytest.mark.parametrize("step", ['person = { does = "sing" }', 'happens = { event = "rain" }'])
def test_unknown_acts_and_events_are_errors(step: str) -> None:
    with pytest.raises(UsageError, match="is named"):
        play(scenario(f'[[step]]\ntext = "hello"\n[[step]]\n{step}\n'), "default", MemoryConversations)


def test_time_jumps_as_it_passes_for_the_service() -> None:
    """A report whose photo never comes is nudged, and then filed, each at its own time."""
    steps = '[[step]]\ntext = "the tap drips in the kitchen"\n[[step]]\nat = "2d 4h"\n'
    played = play(scenario(steps + '[end]\nissues = [{ location = "kitchen" }]\n'), "default", MemoryConversations)
    assert not played.failures
    hours = [(t.at - played.turns[0].at).total_seconds() / 3_600 for t in played.turns]
    assert len(hours) > 2
    assert max(b - a for a, b in pairwise(hours)) <= 24


def test_time_goes_to_a_moment_or_to_an_hour_of_the_day() -> None:
    steps = (
        '[[step]]\ntext = "hello"\n[[step]]\nclock = 2026-01-19T08:00:00Z\ntext = "hi"\n'
        '[[step]]\nwait_until = 07:30:00\ntext = "hey"\n'
    )
    played = play(scenario(steps), "default", MemoryConversations)
    assert [t.at.strftime("%d %H:%M") for t in played.turns] == ["17 12:01", "19 08:00", "20 07:30"]


def test_people_act_and_the_world_happens() -> None:
    steps = (
        '[[issue]]\nid = "i1"\ndescription = "tap drips"\nlocation = "kitchen"\n'
        '[[step]]\nperson = { does = "move", issue = "i1", to = "done" }\n'
        '[[step]]\nhappens = { event = "delivery_fails" }\n[[step]]\ntext = "hello"\n'
        '[end]\nlive_issues = 0\nnotices_any = ["message_failed"]\n'
    )
    assert not play(scenario(steps), "default", MemoryConversations).failures


def test_a_model_that_hangs_is_replaced() -> None:
    steps = f'[[step]]\nhappens = {{ event = "model_hangs" }}\n{REPORT}'
    played = play(scenario(steps), "v2", MemoryConversations)
    assert {str(t.path) for t in played.turns} >= {"v1_fallback"}


def test_only_a_notice_that_was_taken_lets_the_reply_say_so() -> None:
    gas = '[[step]]\ntext = "I smell gas"\n[[step]]\nat = "5m"\n[end]\nsays = ["We have told your landlord\'s team"]\n'
    assert not play(scenario(gas, 'reach = "taken"'), "default", MemoryConversations).failures
    assert play(scenario(gas, 'reach = "unreachable"'), "default", MemoryConversations).failures


def test_documents_are_searched_as_the_service_searches_them_and_never_those_of_another_home() -> None:
    documents = (
        {"title": "Bins", "text": "Bins are collected every Thursday."},
        {"title": "Heating", "text": "The heating is on from October to April.", "property": "quay"},
    )
    clock = ScenarioClock(NOON)
    bare = ConversationDeps(MemoryConversations(), clock)
    deps = PlayedService(load_settings(), MiniLM(), MemoryStore)(bare, documents)
    assert (deps.store, deps.clock, deps.chat) == (bare.store, clock, None)
    passages = deps.passages
    assert passages is not None
    (bins,) = passages("elm", "when are the bins collected?", ())
    assert (bins.text, bins.source) == ("Bins are collected every Thursday.", "Bins")
    assert "October" in passages("quay", "when is the heating on?", ())[0].text
    assert all("October" not in p.text for p in passages("elm", "when is the heating on?", ()))


def test_arms_stand_side_by_side_and_say_what_was_played() -> None:
    cases = read_scenarios(NATURAL)
    default, v1 = side_by_side(cases, [ScenarioArm("default", "default"), ScenarioArm("v1", "v1")], MemoryConversations)
    n_messages = sum(bool(s.text) for c in cases for s in c.steps)
    assert len(cases) >= 60
    for arm in (default, v1):
        assert (arm.passed.of, arm.n_messages) == (len(cases), n_messages)
        assert arm.n_turns > len(cases)
        assert {p.scenario for p in arm.played} == {c.id for c in cases}
        assert set(arm.flaws) == set(FlawKind)
        assert sum(arm.flaws.values()) == sum(len(p.flaws) for p in arm.played)
        assert sum(n for _, n in arm.by_tag.values()) == sum(len(c.tags) for c in cases)
    assert default.owed[FlawKind.EMERGENCY_MISSED] >= 12
    assert default.owed[FlawKind.NO_PERSON] >= 6


def test_only_some_scenarios_are_played_and_never_none() -> None:
    cases = read_scenarios(NATURAL)
    chosen = only(cases, ["person", "rats"])
    assert {c.id for c in chosen} >= {"rats", "wants-a-human"}
    assert all(c.id == "rats" or "person" in c.tags for c in chosen)
    with pytest.raises(UsageError, match="nothing-of-the-kind"):
        only(cases, ["nothing-of-the-kind"])
    erring = [c for c in read_scenarios(CASES / "conversation") if not c.is_live]
    with pytest.raises(UsageError, match="no scenario is left"):
        side_by_side(erring, [ScenarioArm("default", "default")], MemoryConversations)


def test_the_natural_conversations_are_of_every_kind() -> None:
    cases = read_scenarios(NATURAL)
    tags = {t for c in cases for t in c.tags}
    assert tags >= {"question", "time", "correction", "withdrawal", "ask-after", "two-problems", "person", "emergency",
                    "harmless", "neighbours", "moving-out", "language", "photo-refused"}  # fmt: skip
    assert len({c.language for c in cases if c.language not in {"", "en"}}) >= 7
    assert all("before the code" in c.source and c.ends for c in cases)
