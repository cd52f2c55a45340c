"""English sentences that look like harmless re-wordings of each other and are none, beside such as are."""

import pytest

from saidonce.foundation.model import Candidate
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement

JOINED = (Agreement.SAME, Agreement.REPEATS_A, Agreement.REPEATS_B)


def _agreement(a: str, b: str) -> Agreement:
    one, two = (Candidate(text, content_hash(text), language="en") for text in (a, b))
    return agreement(one, two).agreement


@pytest.mark.parametrize(
    ("a", "b"),
    [
        # Whom it befalls, and who does it.
        ("The criticism of the mayor was harsh.", "The mayor's criticism was harsh."),
        ("The criticism of the harbour master was printed.", "The harbour master's criticism was printed."),
        ("The portrait of the old prime minister is new.", "The old prime minister's portrait is new."),
        ("The study of the pupils took a year.", "The pupils' study took a year."),
        ("The portrait of the poet hangs in the hall.", "The poet's portrait hangs in the hall."),
        ("The report on the committee is secret.", "The committee report is secret."),
        ("The attacks on the police have ended.", "The police attacks have ended."),
        ("The teacher of the girl praised the play.", "The girl teacher praised the play."),
        ("The friend of the doctor called.", "The doctor friend called."),
        ("The editor's author won a prize.", "The author's editor won a prize."),
        ("As a doctor, she examined the man.", "She examined the man as a doctor."),
        # When it is, or is said.
        (
            "Guests who booked in June learned that the hall was closed.",
            "Guests who booked learned that the hall was closed in June.",
        ),
        ("In May the owner learned the roof would be renewed.", "The owner learned the roof would be renewed in May."),
        ("On Monday, the board agreed the plant would close.", "The board agreed the plant would close on Monday."),
        ("On Friday Ida heard the bus was late.", "Ida heard the bus was late on Friday."),
        ("The firm has been painting the mast since May.", "The mast has been painted by the firm since May."),
        ("The club meets after the board has voted in June.", "The club meets in June after the board has voted."),
        ("The sister of the painter's wife sang.", "The painter's sister's wife sang."),
        # Who says so, and what it follows.
        ("The pump was replaced in accordance with the report.", "According to the report, the pump was replaced."),
        ("The lock was changed in line with the statement.", "According to the statement, the lock was changed."),
        # What may or will be, and what must.
        ("The parcel may not be delivered on Saturday.", "The parcel must not be delivered on Saturday."),
        ("The work may not be finished by noon.", "The work must not be finished by noon."),
        ("Some tenants may not use the lift.", "Some tenants must not use the lift."),
        ("The minister is to visit the plant on Friday.", "The minister must visit the plant on Friday."),
        ("The brewery is to close two plants.", "The brewery must close two plants."),
        # What bears on both.
        ("The samples are not washed. They are reused.", "The samples are not washed and reused."),
        ("The trays are never labelled. The trays are stored.", "The trays are never labelled and stored."),
        ("The tank must not be opened. It must be drained.", "The tank must not be opened and drained."),
        ("The pool is only open in July. It is heated.", "The pool is only open in July and heated."),
        (
            "The gate is open when guests arrive. They are counted.",
            "The gate is open when guests arrive and are counted.",
        ),
        ("Every bag is not checked by the guard.", "The guard does not check every bag."),
        # One word in two senses.
        ("The pit behind the shed was filled in on Friday.", "The pit behind the shed was completed on Friday."),
        ("The porter strangely opened the gate.", "The porter opened the gate strangely."),
        ("No matter how it was repaired, it leaked.", "However, it was repaired, it leaked."),
        # From either side, and from the wrong one.
        ("The farmer sold the field to the parish.", "The farmer bought the field from the parish."),
        ("The bank lent the club 400 francs.", "The bank borrowed 400 francs from the club."),
        ("Although the pump filled the tank, it was empty.", "The pump was empty although it filled the tank."),
        ("No vehicle may park here.", "Vehicles may park here."),
        ("No more guests may enter.", "More guests may not enter."),
        ("The assessment of the firm was harsh.", "The firm's assessment was harsh."),
    ],
)
def test_what_only_looks_like_a_re_wording_is_not_joined(a: str, b: str) -> None:
    assert [_agreement(*pair) in JOINED for pair in ((a, b), (b, a))] == [False, False]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The approval of the owner is required.", "The owner's approval is required."),
        ("The office of the harbour master is open.", "The harbour master's office is open."),
        ("The examination of the patient takes long.", "The patient's examination takes long."),
        ("The roof of the shed leaks.", "The shed roof leaks."),
        ("The label on the bottle is blue.", "The bottle label is blue."),
        ("As a precaution, close the valve.", "Close the valve as a precaution."),
        ("The shop is closed after lunch on Monday.", "The shop is closed on Monday after lunch."),
        ("No matter how often you call, nobody answers.", "However often you call, nobody answers."),
        ("On Monday the board approved the plan.", "The board approved the plan on Monday."),
        ("The key may not be copied.", "The key must not be copied."),
        ("The Tenant is to keep the garden tidy.", "The Tenant shall keep the garden tidy."),
        ("The samples are washed. They are reused.", "The samples are washed and reused."),
        ("The trays are labelled. The trays are stored.", "The trays are labelled and stored."),
        ("The form was filled in on Friday.", "The form was completed on Friday."),
        ("The clerk silently opened the gate.", "The clerk opened the gate silently."),
        ("The farmer sold the field to the parish in 1950.", "In 1950, the parish bought the field from the farmer."),
        ("The bank lent the club 400 francs.", "The club borrowed 400 francs from the bank."),
        ("Although the tower was restored, it stayed closed.", "The tower stayed closed although it was restored."),
        ("If the drill smokes, it must be switched off.", "The drill must be switched off if it smokes."),
        ("No vehicle may park in front of the gate.", "Vehicles may not park in front of the gate."),
        ("Passengers who hold a valid permit may board first.", "Passengers with a valid permit may board first."),
    ],
)
def test_a_re_wording_of_the_same_look_is_joined(a: str, b: str) -> None:
    assert [_agreement(*pair) for pair in ((a, b), (b, a))] == [Agreement.SAME] * 2
