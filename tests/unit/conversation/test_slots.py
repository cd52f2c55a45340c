from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.foundation.model.conversation import IssueDraft, PhotoStatus, Slot
from saidonce.repairs.conversation import lexicon
from saidonce.repairs.conversation.gloss import gloss
from saidonce.repairs.conversation.lexicon import (
    GREETINGS,
    THANKS,
    declines,
    is_vague,
    names_place,
    only_asks,
    phrase,
    puts_off,
)
from saidonce.repairs.conversation.slots import (
    MAX_VERBATIM_CHARS,
    Offered,
    full_description,
    is_quoted,
    looks_same,
    verify_slots,
)
from saidonce.repairs.conversation.tools import ToolRefusal

SAID = ("My boiler’s not  working", "it is in the airing cupboard, gimme a min I'll take pics")


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("boiler's not working", True),
        ("BOILER’S NOT", True),
        ("airing cupboard", True),
        ("air", False),
        ("oiler", False),
        ("working it is", False),
        ("not working", True),
        ("", False),
        (".", False),
        ("a", False),
        ("boiler is not working", False),
    ],
)
def test_quotes_stand_in_one_message_at_word_boundaries(quote: str, stands: bool) -> None:
    assert is_quoted(quote, SAID) is stands


@pytest.mark.parametrize(
    ("slot", "place", "reason"),
    [
        ("boiler", "location", ToolRefusal.LOCATION_IS_NO_PLACE),
        ("airing cupboard", "location", None),
        ("kitchen", "location", ToolRefusal.QUOTE_NOT_SAID),
        ("boiler's not working", "description", None),
        ("not working", "description", ToolRefusal.DESCRIPTION_IS_VAGUE),
        ("it is in the airing cupboard", "description", ToolRefusal.DESCRIPTION_IS_VAGUE),
    ],
)
def test_slots_need_evidence(slot: str, place: str, reason: ToolRefusal | None) -> None:
    taken = Slot(slot, slot)
    offered = Offered(description=taken) if place == "description" else Offered(location=taken)
    got = verify_slots(IssueDraft(), offered, SAID)
    assert got.refused == ((reason,) if reason else ())
    assert (got.draft.description or got.draft.location) == (None if reason else taken)


def test_a_value_nobody_said_gives_way_to_its_quote() -> None:
    quote = "boiler's not working"
    got = verify_slots(IssueDraft(), Offered(description=Slot("gas explosion in flat 9", quote)), SAID)
    assert got.draft.description == Slot(quote, quote)
    kept = verify_slots(IssueDraft(), Offered(description=Slot("Boiler not working", quote)), SAID)
    assert kept.draft.description == Slot("Boiler not working", quote)


def test_a_promise_is_no_refusal_of_a_photo() -> None:
    for status in (PhotoStatus.DECLINED, PhotoStatus.LATER):
        got = verify_slots(IssueDraft(), Offered(photo=status, photo_quote="I'll take pics"), SAID)
        assert (got.draft.photo, got.refused) == (PhotoStatus.LATER, ())
    neither = verify_slots(IssueDraft(), Offered(photo=PhotoStatus.DECLINED, photo_quote="airing cupboard"), SAID)
    assert (neither.draft.photo, neither.refused) == (PhotoStatus.NONE, (ToolRefusal.DECLINE_NOT_SAID,))
    loose = verify_slots(
        IssueDraft(), Offered(photo=PhotoStatus.DECLINED, photo_quote="I'll take pics"), SAID, strict=False
    )
    assert loose.draft.photo is PhotoStatus.DECLINED, "the keyword flow is not stopped: that is its second failure"


@pytest.mark.parametrize(
    ("written", "is_refusal"),
    [("no photo sorry", True), ("I can't take any pictures", True), ("no photo, it leaks", False),
     ("can't take a photo, the tap drips", False)],
)  # fmt: skip
def test_a_refusal_of_a_photo_is_no_description(written: str, is_refusal: bool) -> None:
    got = verify_slots(IssueDraft(), Offered(description=Slot(written, written)), (written,))
    assert (ToolRefusal.DESCRIPTION_IS_VAGUE in got.refused) is is_refusal


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        ("when are the bins emptied?", True),
        ("Hello? Do I have to be in?", True),
        ("could somebody look at the fridge?", False),
        ("is it normal that it leaks?", False),
        ("my flat is cold, why?", False),
        ("the blind fell. who pays?", False),
        ("when do you come", False),
        ("", False),
    ],
)
def test_a_question_that_reports_nothing_is_no_description(said: str, asks: bool) -> None:
    assert only_asks(said) is asks
    got = verify_slots(IssueDraft(), Offered(description=Slot(said, said)), (said,))
    assert (ToolRefusal.DESCRIPTION_IS_A_QUESTION in got.refused) is asks


def test_a_quote_is_of_its_value() -> None:
    what = Slot("boiler’s not working", "gimme a min I'll take pics")
    got = verify_slots(IssueDraft(), Offered(description=what), SAID)
    assert (got.draft.description, got.refused) == (None, (ToolRefusal.QUOTE_OF_ANOTHER,))


@pytest.mark.parametrize(
    ("quote", "becomes"),
    [
        ("boiler not working in the airing cupboard", f"{' '.join(SAID[0].split())} / {SAID[1]}"),
        ("the cold boiler is in the airing cupboard", None),
        ("kitchen boiler", None),
    ],
)
def test_a_description_put_together_of_what_was_said_becomes_the_messages(quote: str, becomes: str | None) -> None:
    got = verify_slots(IssueDraft(), Offered(description=Slot(quote, quote)), SAID)
    if becomes is None:
        assert (got.draft.description, got.refused) == (None, (ToolRefusal.QUOTE_NOT_SAID,))
    else:
        assert got.draft.description is not None
        assert got.draft.description.value == becomes
        assert is_quoted(got.draft.description.quote, SAID)


@pytest.mark.parametrize(
    "said",
    ["no", "No thanks", "skip", "I can't take a photo", "no camera sorry", "my camera is broken",
     "I don't have a camera",
     "can't send one", "rather not send pictures", "won't send any photos", "without a photo please"],
)  # fmt: skip
def test_declines(said: str) -> None:
    assert declines(said)


@pytest.mark.parametrize(
    "said",
    ["gimme a min I'll take pics", "I'll send it later", "can't take a photo now, will send tomorrow", "not home yet",
     "in a minute", "when I'm back", "hang on", "let me grab my phone"],
)  # fmt: skip
def test_promises(said: str) -> None:
    assert puts_off(said)
    assert not declines(said)


@pytest.mark.parametrize(
    "said", ["kitchen", "under the sink", "behind the washing machine", "upstairs", "Flat hallway"]
)
def test_places(said: str) -> None:
    assert names_place(said)


@pytest.mark.parametrize("said", ["boiler", "the tap", "my radiator", "socket", "leak", "it is broken"])
def test_things_are_no_places(said: str) -> None:
    assert not names_place(said)


@pytest.mark.parametrize(
    "said", ["I have a leak in the bathroom", "something is broken", "there is water in the kitchen"]
)
def test_vague(said: str) -> None:
    assert is_vague(said)


@pytest.mark.parametrize("said", ["the tap drips", "my boiler is not working", "door handle came off", "ceiling leak"])
def test_clear(said: str) -> None:
    assert not is_vague(said)


@pytest.mark.parametrize(
    ("said", "known"), [("Hi!!", GREETINGS), ("Good Morning 👋", GREETINGS), ("THANK YOU :)", THANKS)]
)
def test_courtesies_are_whole_phrases(said: str, known: frozenset[str]) -> None:
    assert phrase(said) in known


@pytest.mark.parametrize("said", ["hi my tap drips", "thanks but it still leaks", "hello? anybody"])
def test_more_than_a_courtesy(said: str) -> None:
    assert phrase(said) not in GREETINGS | THANKS


def test_same_problem_needs_the_same_words_and_no_other_place() -> None:
    issue = ("tap drips from the spout", "kitchen")
    assert looks_same(*issue, Slot("", "the tap still drips"), None)
    assert not looks_same(*issue, Slot("", "the tap drips"), Slot("bathroom", "bathroom"))
    assert not looks_same(*issue, Slot("", "the hallway light flickers"), None)
    assert looks_same(*issue, None, None)


@given(st.text(max_size=60), st.lists(st.text(max_size=80), max_size=4))
def test_whatever_is_quoted_stands_there(quote: str, said: list[str]) -> None:
    from saidonce.foundation.text import normalise

    if is_quoted(quote, said):
        assert any(normalise(quote) in normalise(message) for message in said)


@pytest.mark.parametrize(
    ("said", "added"),
    [
        ("and now the door won't close", True),
        ("it is getting worse", True),
        ("the tap is still dripping in the kitchen", False),
        ("hello", False),
        ("it's Ana from flat 2", True),
        ("when will you come?", False),
        ("no photo, my phone is broken", False),
        ("I'll send a picture of the tap later", False),
        ("thanks", False),
    ],
)
def test_a_description_is_told_in_full(said: str, added: bool) -> None:
    tap = Slot("tap is dripping", "tap is dripping")
    whole = full_description(tap, "kitchen", ["The tap is dripping in the kitchen", said, said])
    assert whole == ("tap is dripping / " + said if added else "tap is dripping")


def test_what_does_not_fit_is_left_out_whole() -> None:
    long = "the door " + "x" * MAX_VERBATIM_CHARS
    tap = Slot("tap is dripping", "tap is dripping")
    assert full_description(tap, "", [long, "the window is cracked"]) == "tap is dripping / the window is cracked"


@pytest.mark.parametrize(
    ("text", "tag", "all_of_them"),
    [("Fotos kann ich leider keine machen", "de", True), ("no tengo cómo mandar fotos", "es", True),
     ("zdjęć niestety nie zrobię", "pl", False), ("je ne préfère pas de photo", "fr", False),
     ("fotografias não consigo tirar", "pt", True)],
)  # fmt: skip
def test_a_photo_is_refused_in_the_word_order_of_another_language(text: str, tag: str, all_of_them: bool) -> None:
    heard = gloss(text, tag).text
    assert lexicon.refuses_photo(heard, tag)
    assert lexicon.refuses_all(heard, tag) is all_of_them


@pytest.mark.parametrize(
    ("text", "tag"),
    [("la foto no la puedo mandar ahora, luego", "es"), ("hier ist das Foto", "de")],
)
def test_a_promise_a_question_or_a_photo_in_another_language_refuses_none(text: str, tag: str) -> None:
    assert not lexicon.refuses_photo(gloss(text, tag).text, tag)


def test_hold_on_before_a_correction_promises_no_photo() -> None:
    assert not puts_off("hang on no, oven's ok, it's the grill")
    assert puts_off("hang on, getting my phone")
