"""What two people say in the same words stays with both, and nobody is asked; what else differs is still asked."""

from __future__ import annotations

import pytest

from saidonce.foundation.model import POLICY, Verb
from saidonce.foundation.ports import QueueFilter
from saidonce.interfaces.cli.render import account_text
from saidonce.kb import review
from saidonce.kb.review import By, revert
from world import World, world

FIXED = "The boiler in the cellar of the rear house is fixed, and the heating runs again."
PLEDGE = "I undertake to pay for the scaffolding and to insure it until the end of May."
THIRTY = "The deposit of the rear flat is paid back within 30 days of the hand-over."
NINETY = "The deposit of the rear flat is paid back within 90 days of the hand-over."


def talk(*turns: tuple[str, str]) -> str:
    cues = [f"00:{at:02}.000 --> 00:{at:02}.900\n<v {who}>{words}\n" for at, (who, words) in enumerate(turns, 1)]
    return "\n".join(("WEBVTT\n", *cues))


def mail(who: str, words: str) -> str:
    address = f"{who.split(maxsplit=1)[0].lower()}@rear.example"
    return f"From: {who} <{address}>\r\nTo: All <all@rear.example>\r\nSubject: Scaffolding\r\n\r\n{words}\r\n"


def collected(**files: str) -> World:
    base = world(collection_use="canonical")
    for name, content in files.items():
        report = base.put(name.replace("_", "."), content)
        review.tell_apart(base.base, "main", [report.document_id])
    return base


def n_asked(base: World) -> int:
    return base.base.store.ledger.n_flags(QueueFilter(("main",)))


NOT_ASKED = {
    "two recordings": ({"a_vtt": talk(("Anna", FIXED)), "b_vtt": talk(("Bert", FIXED))}, 2),
    "three speakers": (
        {"a_vtt": talk(("Anna", FIXED)), "b_vtt": talk(("Bert", FIXED)), "c_vtt": talk(("Carla", FIXED))},
        3,
    ),
    "the first again": (
        {"a_vtt": talk(("Anna", FIXED)), "b_vtt": talk(("Bert", FIXED)), "c_vtt": talk(("Anna", FIXED))},
        2,
    ),
    "the second again": (
        {"a_vtt": talk(("Anna", FIXED)), "b_vtt": talk(("Bert", FIXED)), "c_vtt": talk(("Bert", FIXED))},
        2,
    ),
    "two mails": ({"a_eml": mail("Anna Fenn", PLEDGE), "b_eml": mail("Bert Orr", PLEDGE)}, 2),
    "one speaker": ({"a_vtt": talk(("Anna", FIXED)), "b_vtt": talk(("Anna", FIXED))}, 1),
    "a notice of two mails": ({"a_eml": mail("Anna Fenn", FIXED), "b_eml": mail("Bert Orr", FIXED)}, 1),
}
ASKED = {
    "two values": {"a_vtt": talk(("Anna", THIRTY)), "b_vtt": talk(("Bert", NINETY))},
    "one speaker, two values": {"a_vtt": talk(("Anna", THIRTY)), "b_vtt": talk(("Anna", NINETY))},
}


@pytest.mark.parametrize("name", NOT_ASKED)
def test_what_only_its_speaker_holds_apart_is_not_asked(name: str) -> None:
    files, n_kept = NOT_ASKED[name]
    base = collected(**files)
    assert n_asked(base) == 0
    assert sum(block.text in (FIXED, PLEDGE) for block in base.blocks()) == n_kept


@pytest.mark.parametrize("name", ASKED)
def test_what_differs_besides_is_asked(name: str) -> None:
    assert n_asked(collected(**ASKED[name])) == 1


@pytest.mark.parametrize("name", ["two recordings", "two mails"])
def test_the_account_names_both(name: str) -> None:
    base = collected(**NOT_ASKED[name][0])
    first, second = (block for block in base.blocks() if block.text in (FIXED, PLEDGE))
    for block in (first, second):
        account = account_text(base.why(block.id))
        assert "two people say it, Anna" in account
        assert "Bert" in account


def test_who_takes_it_back_is_not_overruled() -> None:
    base = collected(**NOT_ASKED["two recordings"][0])
    (decision,) = base.base.store.ledger.decisions([Verb.KEEP_APART], limit=10)
    assert decision.actor == POLICY
    revert(base.base, By("ann"), decision.seq)
    assert n_asked(base) == 1
    documents = [d.id for d in base.base.store.documents("main")]
    assert review.tell_apart(base.base, "main", documents) == 0
    assert n_asked(base) == 1


def test_nothing_is_settled_where_a_person_decides_all() -> None:
    base = world(collection_use="canonical", auto_merge=False)
    for name, content in NOT_ASKED["two recordings"][0].items():
        report = base.put(name.replace("_", "."), content)
        review.tell_apart(base.base, "main", [report.document_id])
    assert n_asked(base) == 1
