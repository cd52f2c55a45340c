"""Residents who write in other languages than English: detection, understanding, replies, and what is kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from conversation_scenarios import FOLDER
from saidonce.foundation.model.conversation import Issue, OutboxMessage
from saidonce.foundation.model.progress import TimeSpan
from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Property, Resident, Tenancy, Via
from saidonce.quality.conversation import play
from saidonce.quality.scenario import Scenario, read_scenarios
from saidonce.repairs import conversation
from saidonce.repairs.channels.web import WebMessenger
from saidonce.repairs.conversation import ConversationDeps, named_pack, read_pack
from saidonce.repairs.conversation.gloss import fold, gloss
from saidonce.repairs.conversation.heard import dangers_heard
from saidonce.repairs.conversation.progress import propose_visit
from saidonce.repairs.conversation.spoken import spoken
from saidonce.repairs.timeline import timeline
from saidonce.testing.memory_conversations import MemoryConversations

START = datetime(2026, 1, 17, 12, tzinfo=UTC)
PHONE = "+447700900001"


def blind() -> list[Any]:
    return [pytest.param(s, id=s.id) for s in read_scenarios(FOLDER.parent / "languages")]


@pytest.mark.parametrize("scenario", blind())
def test_a_conversation_written_before_the_code_ends_as_it_should(scenario: Scenario) -> None:
    result = play(scenario, "v2", MemoryConversations)
    assert not result.failures, "\n".join(result.failures)


def test_there_are_enough_conversations_of_each_language() -> None:
    names = [p.stem.partition("-")[0] for p in (FOLDER.parent / "languages").glob("*.toml")]
    assert {tag: names.count(tag) >= 12 for tag in ("es", "fr", "de", "pl")} == dict.fromkeys(
        ("es", "fr", "de", "pl"), True
    )
    assert all(names.count(tag) >= 5 for tag in ("pt", "ro", "ar", "zh"))


class Clock:
    def __init__(self) -> None:
        self.at = START

    def now(self) -> datetime:
        return self.at


class Talk:
    """One resident, known by their number, and the service without a model."""

    def __init__(self, **deps: Any) -> None:
        self.clock, self.store = Clock(), MemoryConversations()
        self.deps = ConversationDeps(self.store, self.clock, **deps)
        self.store.put_home(
            Property("p1", "12 Elm Road", "Flat 2"),
            Resident("r1", "Ana Bell", (PHONE,)),
            Tenancy("t1", "p1", "r1", START),
        )
        self.n = 0

    def say(self, text: str, verified: bool = True) -> list[OutboxMessage]:
        """Return the replies to a message."""
        before = len(self.store.outbox())
        self.n += 1
        sender = ChannelIdentity(Via.WHATSAPP, "wa-1", PHONE if verified else None)
        inbound = Inbound(sender, "main", f"m{self.n}", InboundKind.TEXT, self.clock.at, self.clock.at, text=text)
        conversation.take_in(self.deps, (inbound,), on_failure=self._fail)
        self.clock.at += timedelta(seconds=20)
        conversation.once(self.deps, WebMessenger(), "worker", self._fail, 12)
        self.clock.at += timedelta(seconds=60)
        return list(self.store.outbox()[before:])

    @staticmethod
    def _fail(what: str, conversation_id: str, failed: Exception) -> None:
        del what, conversation_id
        raise failed

    @property
    def issue(self) -> Issue:
        (issue,) = self.store.issues()
        return issue


@pytest.mark.parametrize(
    ("text", "before", "language"),
    [
        ("si", "en", "es"), ("sim", "pt", "pt"), ("no", "en", "en"), ("no", "es", "es"), ("no", "pl", "pl"),
        ("ok", "de", "de"), ("ok", "en", "en"), ("gas", "en", "en"), ("gas", "de", "de"), ("1", "fr", "fr"),
        ("hola", "en", "es"), ("gracias", "en", "es"), ("merci", "en", "fr"), ("danke", "en", "de"),
        ("photo", "fr", "fr"), ("thanks", "es", "es"), ("thanks a lot, bye", "es", "en"), ("Kowalska", "en", "en"),
        ("Garcia", "en", "en"), ("EX1 2AB", "pl", "pl"), ("the man was in the hall", "en", "en"),
        ("die Heizung ist kaputt", "en", "de"), ("my plants die in the hall", "de", "en"),
        ("hola, my boiler is broken", "en", "en"), ("fuego", "en", "es"), ("pozar", "en", "pl"),
        ("\u0645\u0631\u062d\u0628\u0627", "en", "ar"), ("\u8c22\u8c22", "en", "zh"),
        ("\u043a\u0440\u0430\u043d \u0442\u0435\u0447\u0435\u0442", "en", "ru"),
        ("V\u00f2i n\u01b0\u1edbc trong b\u1ebfp b\u1ecb r\u00f2 r\u1ec9 t\u1eeb h\u00f4m qua", "en", "vi"),
        ("", "es", "es"), ("\U0001f600", "es", "es"),
    ],
)  # fmt: skip
def test_the_language_of_a_message(text: str, before: str, language: str) -> None:
    assert spoken(text, before).language == language


def test_letters_are_folded_as_people_type_them() -> None:
    assert fold("BA\u00d1O") == fold("ba\u00f1o") == "bano"
    assert fold("\u0130S\u0130") == fold("\u0131s\u0131") == "isi"  # the Turkish dotted and dotless i
    assert fold("\u0141azienka") == "lazienka"
    assert fold("Stra\u00dfe") == "strasse"
    assert gloss("EL BANO", "es").text == gloss("el ba\u00f1o", "es").text == "the bathroom"


def test_a_gloss_gives_back_the_words_that_stand_behind_its_parts() -> None:
    one = gloss("Hola, el grifo de la cocina gotea", "es")
    assert one.text == "hello, the tap of the kitchen leaking"
    assert one.original("kitchen") == "cocina"
    assert one.original("the tap of the kitchen leaking") == "el grifo de la cocina gotea"
    assert one.original("bathroom") is None


def test_a_word_with_one_typing_mistake_is_understood() -> None:
    assert "radiator" in gloss("der Heizk\u00f6rpr ist kalt", "de").text


def test_an_issue_keeps_the_residents_words_and_their_language() -> None:
    talk = Talk()
    first, photo = talk.say("Hola, el grifo de la cocina gotea todo el rato")
    assert first.text == "Hola Ana, le tengo en Flat 2, 12 Elm Road. Responda NO si no es correcto."
    assert photo.text.startswith("Gracias, est\u00e1 claro.")
    assert photo.english == "Thanks, that's clear. Could you send a photo of it? If you can't, just say so."
    assert [b.title for b in photo.buttons] == ["La env\u00edo m\u00e1s tarde", "Sin foto"]
    (done,) = talk.say("no puedo mandar fotos")
    assert talk.issue.description == "Hola, el grifo de la cocina gotea todo el rato"
    assert (talk.issue.location, talk.issue.language) == ("cocina", "es")
    assert "cocina" in done.text
    assert "kitchen" not in done.text


def test_a_resident_switches_to_another_language_and_back() -> None:
    talk = Talk()
    talk.say("the tap in my kitchen drips")
    (later,) = talk.say("luego te mando la foto")
    assert later.language == "es"
    (done,) = talk.say("sorry, I can't send a photo")
    assert done.language == "en"
    assert (talk.issue.description, talk.issue.language) == ("the tap in my kitchen drips", "en")


def test_a_report_repeated_in_the_same_words_is_no_second_issue() -> None:
    talk = Talk()
    for _ in range(2):
        talk.say("w kuchni cieknie kran")
        talk.say("nie mog\u0119 wys\u0142a\u0107 zdj\u0119cia")
    assert talk.issue.description == "w kuchni cieknie kran"


def test_a_danger_in_another_language_gets_the_safety_text_in_it_with_the_same_numbers() -> None:
    (safety, *_) = Talk().say("huele a gas en el pasillo")
    assert safety.language == "es"
    assert "0800 111 999" in safety.text
    assert safety.text.startswith("Si huele a gas")


def test_an_unsure_language_gets_the_safety_text_in_both() -> None:
    text = "fuego fire the kitchen"
    heard = spoken(text)
    assert (heard.language, heard.is_sure) == ("en", True)
    (safety, *_) = Talk().say("incendio kitchen")
    assert "\n\nIf there is fire or smoke" in safety.text
    assert safety.text.startswith("Si hay fuego o humo")


def test_the_question_of_danger_is_answered_in_any_language() -> None:
    talk = Talk()
    (asked, *_) = talk.say("hola, mi vecino tiene una alarma que suena, creo que es un peligro")
    assert "Responda 1" in asked.text
    talk.say("no, todo bien, estamos bien")
    assert [str(e.state) for e in talk.store.events()] == ["dismissed"]


def test_the_words_of_an_alarm_are_kept_as_they_were_written() -> None:
    talk = Talk()
    talk.say("huele a gas en el pasillo")
    talk.say("ya estamos todos en la calle")
    conversation.tend(talk.deps)
    assert "huele a gas en el pasillo" in talk.issue.description
    assert "smell of gas" not in talk.issue.description
    assert talk.issue.language == "es"


def test_a_language_without_a_table_is_handed_to_a_person_with_the_number_to_ring() -> None:
    talk = Talk()
    (passed,) = talk.say("V\u00f2i n\u01b0\u1edbc trong b\u1ebfp b\u1ecb r\u00f2 r\u1ec9 t\u1eeb h\u00f4m qua")
    assert passed.text.startswith("I can't read your language yet.")
    assert "999" in passed.text
    assert [(str(n.event), n.detail) for n in talk.store.notices()] == [("escalated", "language:vi")]
    assert talk.say("c\u00f3 ai \u0111\u00f3 kh\u00f4ng?") == []


def test_a_model_that_answers_in_english_is_not_sent_to_somebody_who_writes_polish() -> None:
    class English:
        name = "english"

        def complete_within(self, instructions: str, prompt: str, schema: Any, timeout_s: float) -> str:
            return (
                '{"tool": "ask_for_details", "message": "Which room is it in?", "description": null,'
                ' "location": null, "category": null, "urgency": null, "photo": null}'
            )

    replies = Talk(chat=English()).say("okno jest zepsute")
    assert [m.language for m in replies] == ["pl", "pl"]


def test_dangers_of_both_readings_count() -> None:
    pack = named_pack("uk")
    assert [m.kind for m in dangers_heard(pack, "es riecht nach Gas", "en")] == ["gas"]
    assert [m.kind for m in dangers_heard(pack, "es riecht nach smell of gas", "de")] == ["gas"]
    assert dangers_heard(pack, "hace corriente de aire en la entrada", "es") == ()


def test_a_pack_brings_its_own_translations() -> None:
    content = (Path(conversation.__file__).parent / "packs" / "eu-en.toml").read_text(encoding="utf-8")
    own = content.replace(
        "[class.carbon_monoxide]\n", '[class.gas.safety_in]\nes = "Salga y llame al 112."\n\n[class.carbon_monoxide]\n'
    )
    (safety, *_) = Talk(pack=read_pack(own)).say("huele a gas en el pasillo")
    assert safety.text.startswith("Salga y llame al 112.")


def test_a_visit_is_offered_picked_and_confirmed_in_the_residents_language() -> None:
    talk = Talk()
    talk.say("Hola, el grifo de la cocina gotea todo el rato")
    talk.say("no puedo mandar fotos")
    day = datetime(2026, 2, 3, 9, tzinfo=UTC)
    slots = [TimeSpan(day + timedelta(days=n), day + timedelta(days=n, hours=2)) for n in (0, 1)]
    propose_visit(talk.deps, talk.issue.id, slots, "jo")
    offer = talk.store.outbox()[-1]
    assert "1. mar, 3 feb, 09:00 - 11:00\n2. mi\u00e9, 4 feb, 09:00 - 11:00" in offer.text
    assert "1. Tue 3 Feb, 09:00 to 11:00" in offer.english
    assert [b.title for b in offer.buttons] == ["mar, 3 feb 09:00", "mi\u00e9, 4 feb 09:00", "Ninguna de estas"]
    (done,) = talk.say("el mi\u00e9rcoles por la ma\u00f1ana")
    assert "mi\u00e9, 4 feb, 09:00 - 11:00" in done.text
    visit = talk.issue.progress.visit
    assert visit is not None
    assert visit.at == slots[1]
    assert "Wed 4 Feb" in talk.store.issue_moves(talk.issue.id)[-1].note, "the landlord's team reads English"


def test_an_open_report_can_be_shown_in_the_residents_own_words() -> None:
    talk = Talk()
    talk.say("Hola, el grifo de la cocina gotea todo el rato")
    (held,) = talk.store.conversations()
    assert held.draft.location is not None
    assert held.draft.location.value == "kitchen", "the rules keep English"
    assert timeline(talk.deps, held.id).heard.verbatim("kitchen") == "cocina"
