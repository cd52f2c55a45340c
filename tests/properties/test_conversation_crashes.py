"""Messages twice, out of order, and a crash at any point: the same issues, notices and outbox as one clean run.

What is promised: messages of one burst (within the debounce) may come in any order; any message may come again at any
time; the process may die before or after any write, and whoever sent gets no answer and sends again. A message that
is delivered only after its burst was answered is a new message; no system can answer it earlier.

In PostgreSQL the process also dies in the middle of writes, between two statements of a transaction.
"""

from __future__ import annotations

import os
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import SERVERS
from saidonce.adapters.postgres.postgres import PostgresStore
from saidonce.adapters.postgres.postgres_write import Statements
from saidonce.foundation.model.conversation import LandlordEvent
from saidonce.foundation.model.residents import (
    ChannelIdentity,
    Inbound,
    InboundKind,
    Media,
    Property,
    Resident,
    Tenancy,
    Via,
)
from saidonce.foundation.ports import Conversations
from saidonce.quality.playing import PHONE, ScenarioClock
from saidonce.quality.scenario import NOON
from saidonce.repairs import conversation
from saidonce.repairs.conversation import ConversationDeps, Orchestration, Rules
from saidonce.testing.memory_conversations import MemoryConversations

EXAMPLES = int(os.environ.get("TEST_PROGRAMS", "40"))
EXAMPLES_OF_SERVERS = max(EXAMPLES // 4, 8)
WRITES = ("receive", "record_scan", "claim", "commit", "settle_event", "release")
BURST_S = 300.0

TEXTS = (
    "the kitchen tap drips from the spout", "My boiler is not working", "it is in the airing cupboard",
    "sorry I can't take a photo", "gimme a min I'll take pics", "thanks", "hello", "I smell gas",
    "water is pouring through the ceiling", "[photo]", "[photo]", "[no photo]", "STOP", "NO", "talk to a human",
)  # fmt: skip


class Crash(BaseException):
    """The process dies."""


class Dying:
    """A store that dies before or after chosen writes."""

    def __init__(self, store: Conversations, crashes: Mapping[int, bool]) -> None:
        self._store = store
        self.left = dict(crashes)
        self.n = 0

    def __getattr__(self, name: str) -> Any:
        act = getattr(self._store, name)
        if name not in WRITES:
            return act

        def dying(*args: Any, **named: Any) -> Any:
            self.n += 1
            dies_after = self.left.pop(self.n, None)
            if dies_after is False:
                raise Crash
            result = act(*args, **named)
            if dies_after:
                raise Crash
            return result

        return dying


class Choosing:
    """A model that is the same whatever came before: what a message says decides."""

    name = "choosing"

    def complete_within(self, instructions: str, prompt: str, schema: Mapping[str, object], timeout_s: float) -> str:
        if "'tool'" not in str(schema):
            return '{"emergency": true}'
        said = prompt.rpartition("<resident>")[2]
        if "tap drips" in said:
            return (
                '{"tool": "ask_for_photo", "message": "Photo?", "location": {"value": "kitchen", "quote": "kitchen"},'
                ' "description": {"value": "tap drips", "quote": "tap drips"}}'
            )
        if "can't" in said:
            return '{"tool": "create_issue", "message": ""}'
        return f"Last you wrote: {said.partition('</resident>')[0].strip().splitlines()[-1]}."


@dataclass(frozen=True)
class Sent:
    name: str
    text: str
    burst: int
    place: int


def programs() -> st.SearchStrategy[tuple[list[Sent], list[Sent], dict[int, bool], bool]]:
    """(the clean order, arrivals with repetitions and in another order, crashes by write: after it?, with a model)."""

    @st.composite
    def made(draw: st.DrawFn) -> tuple[list[Sent], list[Sent], dict[int, bool], bool]:
        texts = draw(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=6))
        texts = [t for n, t in enumerate(texts) if t not in texts[:n] or t.startswith("[")]
        bursts = sorted(draw(st.lists(st.integers(0, 3), min_size=len(texts), max_size=len(texts))))
        clean = [Sent(f"m{n}", t, b, n) for n, (t, b) in enumerate(zip(texts, bursts, strict=True))]
        arrivals: list[Sent] = []
        for burst in sorted(set(bursts)):
            mine = draw(st.permutations([s for s in clean if s.burst == burst]))
            again = draw(st.lists(st.sampled_from([*arrivals, *mine]), max_size=3))
            arrivals += [Sent(s.name, s.text, burst, s.place) for s in [*mine, *again]]
        crashes = draw(st.dictionaries(st.integers(1, 60), st.booleans(), max_size=5))
        return clean, arrivals, crashes, draw(st.booleans())

    return made()


def inbound(sent: Sent, clock: ScenarioClock) -> Inbound:
    at = NOON + timedelta(seconds=sent.place)
    sender = ChannelIdentity(Via.WHATSAPP, "user", PHONE)
    photo = (Media(f"photo-{sent.name}", "image/jpeg", "0" * 64, stored=True),) if sent.text == "[photo]" else ()
    button = "photo:none" if sent.text == "[no photo]" else ""
    kind = InboundKind.MEDIA if photo else InboundKind.BUTTON if button else InboundKind.TEXT
    text = "" if photo or button else sent.text
    return Inbound(sender, "number", sent.name, kind, at, clock.now(), text, photo, button)


def outcome(
    store: Conversations, arrivals: list[Sent], crashes: Mapping[int, bool], has_model: bool, all_come: bool = False
) -> dict[str, Any]:
    """What is left of arrivals in the end; `all_come` makes sure that every crash happened."""
    clock = ScenarioClock(NOON)
    home = Property("p", "12 Elm Road"), Resident("r", "Ana Bell", (PHONE,)), Tenancy("t", "p", "r", NOON)
    _until_done(lambda: store.put_home(*home), clock, 0.0)
    dying = Dying(store, crashes)
    rules = Rules(orchestration=Orchestration.ON)
    deps = ConversationDeps(dying, clock, Choosing() if has_model else None, rules)
    for burst in range(4):
        start = clock.now()
        for sent in [s for s in arrivals if s.burst == burst]:
            _until_done(lambda s=sent: conversation.receive(deps, inbound(s, clock)), clock, 0.0)
            clock.forward(0.1)
        clock.forward(30)
        _until_done(lambda: _work(deps), clock, rules.lease_s + 1)
        clock.forward((start + timedelta(seconds=BURST_S) - clock.now()).total_seconds())
        _until_done(lambda: _work(deps), clock, rules.lease_s + 1)
    assert not (all_come and dying.left), f"no write has the number {min(dying.left)}: there were {dying.n}"
    # Alarms of one moment share an issue, which is named and begun by the one that came in first.
    shared = len(store.events()) > 1
    return {
        # Of two emergencies at one moment a crash between them dates one later, and so its issue comes last.
        "issues": sorted(
            (
                sorted(i.description.split(" / ")) if shared else i.description, i.location, i.photo, sorted(i.media),
                "" if shared else i.category, i.urgency, i.needs_call,
            )
            for i in store.issues()
        ),
        "notices": Counter(
            (n.event, "" if shared and n.event is LandlordEvent.ISSUE_CREATED else n.detail) for n in store.notices()
        ),
        "outbox": Counter((m.kind, m.text) for m in store.outbox()),
        "replies": [m.text for m in store.outbox() if m.kind != "safety"],
        "events": sorted((e.kind, e.state, e.replied) for e in store.events()),
        "state": [(c.identity, c.gathering, c.draft.photo, c.parked != ()) for c in store.conversations()],
    }  # fmt: skip


def _work(deps: ConversationDeps) -> None:
    while conversation.work(deps, "worker") is not None:
        pass
    conversation.tend(deps)


def _until_done(act: Any, clock: ScenarioClock, wait_s: float) -> None:
    """Do it, and after a crash again, as a sender or a started worker would."""
    while True:
        try:
            act()
        except Crash:
            clock.forward(wait_s)
            continue
        return


Program = tuple[list[Sent], list[Sent], dict[int, bool], bool]
Fresh = Callable[[], Conversations]


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[Fresh]:
    """Gives the conversations of ever new organisations of one database."""
    found = request.getfixturevalue(request.param)
    store = PostgresStore(found if isinstance(found, str) else str(found.url), "crashes")
    yield lambda: store.of_org(f"crashes-{uuid.uuid4().hex}").conversations
    store.close()


@settings(max_examples=EXAMPLES, deadline=None)
@given(programs())
def test_any_program_ends_as_one_clean_run(program: Program) -> None:
    clean, arrivals, crashes, has_model = program
    wanted = outcome(MemoryConversations(), clean, {}, has_model)
    assert outcome(MemoryConversations(), arrivals, crashes, has_model) == wanted


@settings(max_examples=EXAMPLES_OF_SERVERS, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(program=programs(), cut=st.integers(1, 400))
def test_any_program_ends_as_one_clean_run_in_postgresql(server: Fresh, program: Program, cut: int) -> None:
    clean, arrivals, crashes, has_model = program
    wanted = outcome(MemoryConversations(), clean, {}, has_model)
    with cut_off(cut):
        assert outcome(server(), arrivals, crashes, has_model) == wanted


REPORT = tuple(
    Sent(f"m{n}", text, n, n) for n, text in enumerate(("the kitchen tap drips from the spout", "[photo]", "thanks"))
)


@pytest.mark.parametrize("dies_after", [False, True])
@pytest.mark.parametrize("at", range(1, 14))
def test_every_single_crash_point_of_a_whole_report(at: int, dies_after: bool) -> None:
    clean = outcome(MemoryConversations(), [*REPORT], {}, True)
    assert len(clean["issues"]) == 1
    assert outcome(MemoryConversations(), [*REPORT], {at: dies_after}, True, all_come=True) == clean


@pytest.mark.parametrize("at", range(1, 14))
def test_every_single_crash_point_of_a_whole_report_in_postgresql(server: Fresh, at: int) -> None:
    clean = outcome(MemoryConversations(), [*REPORT], {}, True)
    assert outcome(server(), [*REPORT], {at: True}, True, all_come=True) == clean


@contextmanager
def cut_off(*places: int) -> Iterator[list[int]]:
    """The process dies before the statements of these numbers; gives how many were begun."""
    begun, run = [0], Statements.run

    def dying(self: Statements, query: str, /, **values: Any) -> Any:
        begun[0] += 1
        if begun[0] in places:
            raise Crash
        return run(self, query, **values)

    Statements.run = dying  # type: ignore[method-assign]
    try:
        yield begun
    finally:
        Statements.run = run  # type: ignore[method-assign]


@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_a_death_in_the_middle_of_any_write_leaves_nothing_of_it(server: Fresh, stride: int) -> None:
    burst = [Sent("m0", "I smell gas", 0, 0), Sent("m1", "[photo]", 0, 1)]
    clean = outcome(MemoryConversations(), burst, {}, True)
    with cut_off() as begun:
        assert outcome(server(), burst, {}, True) == clean
    assert begun[0] > 40
    for place in range(1, begun[0] + 1, stride):
        with cut_off(place):
            assert outcome(server(), burst, {}, True) == clean, place


def test_the_crash_points_are_all_reached() -> None:
    store = MemoryConversations()
    dying = Dying(store, {})
    deps = ConversationDeps(dying, ScenarioClock(NOON), Choosing(), Rules(orchestration=Orchestration.ON))
    conversation.receive(deps, inbound(Sent("m", "hello", 0, 0), ScenarioClock(NOON)))
    assert dying.n == 2
