"""Questions about the home are answered by what documents say, word for word, or passed on; never by a repair."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

import talking
import world as bases
from saidonce.app.repairs_service.passages import PropertyPassages, names_of_others
from saidonce.foundation.context import Context
from saidonce.foundation.model import Filters
from saidonce.foundation.model.conversation import Gathering, LandlordEvent, Tool
from saidonce.foundation.model.residents import Property, Resident, Tenancy
from saidonce.foundation.ports import Embedder, Store
from saidonce.kb.search import SearchReport
from saidonce.quality.conversation import ScriptedChat
from saidonce.quality.scenario import NOON
from saidonce.repairs.conversation import wording

OURS = {
    "rules.md": "# House rules\n\n## Bins\n\nGeneral waste is collected every Tuesday from 7 am.\n\n## Smoking\n\n"
    "Smoking is not allowed on balconies.\n\n## Quiet hours\n\nQuiet hours are from 10 pm to 7 am.\n\n## Drilling\n\n"
    "Drilling is not allowed on Sundays.\n",
    "bikes.md": "# Bicycles\n\nBicycles are kept in the store behind the house.\n",
    "parking.md": "# Parking\n\nEach flat has one parking space in the car park.\n",
}
THEIRS = {"rules.md": "# House rules\n\n## Gym\n\nThe gym is open from 6 am to 10 pm.\n"}
COMMON = {"laundry.md": "# Laundry\n\nThe laundry room is in the cellar of Mill House, open from 7 am to 9 pm.\n"}


@dataclass
class Base:
    """A knowledge base in this process."""

    w: bases.World

    @property
    def store(self) -> Store:
        context: Context = self.w.base
        return context.store

    @property
    def embedder(self) -> Embedder:
        return self.w.embedder

    def search(self, query: str, filters: Filters | None = None, k: int | None = None) -> SearchReport:
        return self.w.search(query, k, collections=(filters or Filters()).collections)


@pytest.fixture(scope="module")
def base() -> Base:
    w = bases.world()
    w.ingest(OURS, "property-p1")
    w.ingest(THEIRS, "property-p2")
    w.ingest(COMMON, "organisation")
    return Base(w)


def at_home(base: Base, **deps: Any) -> talking.World:
    """A resident of Elm House; Mill House is another property."""
    world = talking.World(**{"chat": None, **deps})
    other = Property("p2", "1 Mill Lane", "", "Mill House", "EX2 2AB")
    world.store.put_home(other, Resident("r2", "Bo Dunn"), Tenancy("t2", "p2", "r2", NOON))
    passages = PropertyPassages(base, names_of_others(world.store))
    world.deps = type(world.deps)(
        world.store, world.clock, deps.get("chat"), world.deps.rules, passages=passages, reach=deps.get("reach")
    )
    world.say("hello")
    return world


def replies(world: talking.World) -> list[str]:
    """What was sent after the greeting."""
    return [m.text for m in world.store.outbox()][len(world.store.outbox()) - n_new(world) :]


def n_new(world: talking.World) -> int:
    last = world.store.turns(world.store.conversations()[0].id)[-1]
    return sum(m.turn_id == last.id for m in world.store.outbox())


def events(world: talking.World) -> list[LandlordEvent]:
    return [n.event for n in world.store.notices()]


def test_the_words_of_the_document_with_their_source(base: Base) -> None:
    world = at_home(base)
    world.say("what day are the bins collected")
    assert replies(world) == ["General waste is collected every Tuesday from 7 am.\nSource: House rules, Bins"]
    assert events(world) == []
    (turn, *_) = reversed(world.store.turns(world.store.conversations()[0].id))
    assert turn.tool is Tool.RESPOND
    assert any(e.startswith("answered: House rules, Bins: holds bins") for e in turn.effects)


def test_words_of_a_document_in_another_language_have_a_line_before_them(base: Base) -> None:
    world = at_home(base)
    world.say("\u00bfqu\u00e9 d\u00eda recogen la basura?")
    quote = "General waste is collected every Tuesday from 7 am."
    lead = "El documento de su casero est\u00e1 en otro idioma. Dice lo siguiente:"
    assert replies(world) == [f"{lead}\n{quote}\nFuente: House rules, Bins"]


def test_the_same_question_again_gets_the_same_answer(base: Base) -> None:
    world = at_home(base)
    world.say("when is the rubbish collected?")
    first = replies(world)
    world.say("when is the rubbish collected?")
    assert replies(world) == first != []


@pytest.mark.parametrize(
    "question",
    ["do my visitors need a parking permit", "is there a sauna?", "who lives in flat 12", "can i get a rabbit hutch"],
)
def test_what_no_document_answers_is_passed_on(base: Base, question: str) -> None:
    world = at_home(base)
    conversation = world.say(question)
    assert replies(world) == [wording.UNANSWERED]
    assert events(world) == [LandlordEvent.QUESTION_UNANSWERED]
    assert conversation.gathering is Gathering.IDLE
    assert world.store.issues() == ()


def test_another_propertys_documents_answer_nothing(base: Base) -> None:
    world = at_home(base)
    world.say("what time does the gym open?")
    assert replies(world) == [wording.UNANSWERED]


def test_a_sentence_about_another_property_answers_nothing(base: Base) -> None:
    world = at_home(base)
    world.say("where is the laundry room?")
    assert replies(world) == [wording.UNANSWERED]


def test_only_what_is_so_is_said_where_nobody_can_be_told(base: Base) -> None:
    class Nobody:
        def has_channel(self) -> bool:
            return False

    world = at_home(base, reach=Nobody())
    world.say("is there a sauna?")
    assert replies(world) == [wording.UNANSWERED_UNREACHED]
    assert events(world) == [LandlordEvent.QUESTION_UNANSWERED]


def test_two_questions_get_two_answers(base: Base) -> None:
    world = at_home(base)
    world.say("when are the bins emptied and where do i put my bike?")
    assert [r.split("\nSource: ")[1] for r in replies(world)] == ["House rules, Bins", "Bicycles"]


def test_of_two_questions_the_open_one_is_named(base: Base) -> None:
    world = at_home(base)
    world.say("when are quiet hours? and is there a sauna?")
    first, second = replies(world)
    assert first.startswith("Quiet hours are from 10 pm to 7 am.")
    assert second.startswith('About "and is there a sauna": I don\'t know')
    assert events(world) == [LandlordEvent.QUESTION_UNANSWERED]


def test_a_report_beside_a_question_goes_its_way(base: Base) -> None:
    world = at_home(base)
    conversation = world.say("the kitchen tap is dripping. also when are the bins collected?")
    answer, question = replies(world)
    assert answer.startswith("General waste is collected every Tuesday")
    assert question == wording.ASK_PHOTO
    assert conversation.gathering is Gathering.AWAITING_PHOTO
    world.say("no photo")
    (issue,) = world.store.issues()
    assert "dripping" in issue.description
    assert "bins" not in issue.description


def test_a_question_amid_a_report_leaves_the_report_open(base: Base) -> None:
    world = at_home(base)
    world.say("the kitchen tap is dripping")
    conversation = world.say("btw is smoking allowed on the balcony?")
    assert replies(world) == ["Smoking is not allowed on balconies.\nSource: House rules, Smoking"]
    assert conversation.gathering is Gathering.AWAITING_PHOTO
    assert conversation.draft.description is not None


def reply(message: str) -> str:
    return json.dumps({"tool": "respond", "message": message})


def led(base: Base) -> talking.World:
    model = ScriptedChat()
    world = at_home(base, chat=model)
    world.model = model
    return world


def test_a_models_sentence_that_a_passage_bears_out_is_sent_with_its_source(base: Base) -> None:
    world = led(base)
    world.say("are the bins emptied on tuesdays?", reply("General waste is collected every Tuesday from 7 am."))
    assert replies(world) == ["General waste is collected every Tuesday from 7 am. (House rules, Bins)"]


@pytest.mark.parametrize(
    ("question", "wrong", "sent"),
    [
        (
            "what day are the bins collected?",
            "General waste is collected every Monday from 7 am.",
            "every Tuesday from 7",
        ),
        ("when are quiet hours?", "Quiet hours are from 11 pm to 7 am.", "from 10 pm to 7 am"),
        ("is drilling ok on sundays?", "Drilling is allowed on Sundays.", "is not allowed"),
        ("is there a sauna?", "Yes, there is a sauna in the cellar.", "I don't know"),
    ],
)
def test_a_sentence_that_no_passage_bears_out_is_refused(base: Base, question: str, wrong: str, sent: str) -> None:
    world = led(base)
    world.say(question, reply(wrong))
    (message,) = replies(world)
    assert sent in message
    assert wrong not in message
    turn = world.store.turns(world.store.conversations()[0].id)[-1]
    assert any(r.startswith("not_borne_out: ") for r in turn.refused)


def test_a_person_hears_of_it_when_the_model_does_not_know(base: Base) -> None:
    world = led(base)
    world.say("is there a sauna?", reply("I don't know, sorry."))
    assert replies(world) == ["I don't know, sorry."]
    assert events(world) == [LandlordEvent.QUESTION_UNANSWERED]


def test_a_document_answers_where_the_model_does_not_know(base: Base) -> None:
    world = led(base)
    world.say("when are quiet hours?", reply("I don't know, sorry."))
    assert replies(world) == ["Quiet hours are from 10 pm to 7 am.\nSource: House rules, Quiet hours"]
