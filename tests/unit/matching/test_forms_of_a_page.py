"""One passage as a paragraph, a list or code, and sums with the code of their currency on either side."""

import pytest

from saidonce.foundation.model import Candidate, Kind
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement

TREE = "-Garden\n  -Hoses\n    -red\n    -blue\n  -Tanks (of the garden)"
STEPS = "1. Close the valve.\n2. Open the gate.\n3. Start the pump."


def of(kind: str, text: str, **more: str) -> Candidate:
    return Candidate(text, content_hash(text), Kind(kind), "en", **more)  # type: ignore[arg-type]


def joined_both_ways(one: Candidate, other: Candidate) -> bool:
    """Return whether two texts say the same; the answer is one, whichever of them comes first."""
    here, there = (agreement(a, b).agreement is Agreement.SAME for a, b in ((one, other), (other, one)))
    assert here is there
    return here


@pytest.mark.parametrize(
    ("kind", "one", "other_kind", "other", "same"),
    [
        ("code", TREE, "paragraph", " ".join(TREE.split()), True),
        ("list", STEPS, "paragraph", "Close the valve. Open the gate. Start the pump.", True),
        ("list", "- hose list\n- hose mend --all", "code", "hose list\nhose mend --all", True),
        ("code", "pump --start 4", "paragraph", "pump --start 4", True),
        ("list", "Bring with you:\n- a red hose\n- two keys", "paragraph", "Bring with you: a red hose two keys", True),
        ("code", "pump --start 4", "paragraph", "pump --start 5", False),
        ("code", "pump -s", "paragraph", "pump -S", False),
        ("code", "pump - start", "paragraph", "pump start", False),
        ("list", STEPS, "paragraph", "Open the gate. Close the valve. Start the pump.", False),
        ("list", STEPS, "paragraph", "Close the valve. Open the gate.", False),
        ("list", STEPS, "paragraph", "Close the valve. Do not open the gate. Start the pump.", False),
        ("heading", "Starting the pump", "paragraph", "Starting the pump", False),
        ("caption", "Starting the pump", "paragraph", "Starting the pump", False),
        ("table", "Hose | 4", "code", "Hose | 4", False),
    ],
)
def test_a_passage_in_another_layout(kind: str, one: str, other_kind: str, other: str, same: bool) -> None:
    assert joined_both_ways(of(kind, one), of(other_kind, other)) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("A boat is sold for JMD 509,000 there.", "A boat is sold for 509,000 JMD there.", True),
        ("You begin with USD 400, EUR 300 and HKD 200.", "You begin with 400 USD, 300 EUR and 200 HKD.", True),
        ("The hose costs ZAR 1 200.50 today.", "The hose costs 1 200.50 ZAR today.", True),
        ("A boat is sold for JMD 509,000 there.", "A boat is sold for 590,000 JMD there.", False),
        ("A boat is sold for JMD 509,000 there.", "A boat is sold for 509,000 HKD there.", False),
        ("You begin with USD 400, EUR 300 and HKD 200.", "You begin with 300 USD, 400 EUR and 200 HKD.", False),
        ("You begin with USD 400 and HKD 200.", "You begin with 400 USD.", False),
    ],
)
def test_a_code_of_a_currency_before_or_behind_its_sum(one: str, other: str, same: bool) -> None:
    assert joined_both_ways(of("paragraph", one), of("paragraph", other)) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Move it into Yard:Hose:Red today.", "Move it into Yard:Hoses:Red today.", False),
        ("Move it into Yard:Hose:Red today.", "Move it into Yard:Hose:Reds today.", False),
        ("It calls mill::pump::start first.", "It calls mill::pumps::start first.", False),
        ("Move it into Yard:Hose:Red today.", "Please move it into Yard:Hose:Red today.", True),
        ("Note: move the hose today.", "Note: move the hoses today.", True),
    ],
)
def test_the_parts_of_a_name_with_colons(one: str, other: str, same: bool) -> None:
    assert joined_both_ways(of("paragraph", one), of("paragraph", other)) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Open the list by Garden->Hoses first.", "Open the list by Garden \u2192 Hoses first.", True),
        ("Open the list by Garden -> Hoses first.", "Open the list by Garden \u2192 Hoses first.", True),
        ("Open the list by Garden --> Hoses first.", "Open the list by Garden > Hoses first.", True),
        ("Open the list (Garden -> Hoses) first.", "Open the list ( Garden \u2192 Hoses ) first.", True),
        ("Open the list by Garden->Hoses first.", "Open the list by Garden->Hoses first!", True),
        ("Open the list by Garden->Hoses first.", "Open the list by Hoses \u2192 Garden first.", False),
        ("Open the list by Garden->Hoses first.", "Open the list by Garden \u2192 Tanks first.", False),
        ("Open the list by Garden->Hoses first.", "Open the list by Garden \u2190 Hoses first.", False),
        ("Open the list by Garden->Hoses->Red.", "Open the list by Garden \u2192 Hoses.", False),
        ("The tank -> The garden", "The tank <- The garden", False),
        ("Use -f for hoses.", "Use \u2192 for hoses.", False),
    ],
)
def test_arrows_between_the_names_of_a_menu(one: str, other: str, same: bool) -> None:
    assert joined_both_ways(of("paragraph", one), of("paragraph", other)) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("New in version 7.3.7.", "Added in version 7.3.7.", True),
        ("It waits. New in version 8.17.0.", "It waits. Added in version 8.17.0.", True),
        ("New in version 7.3.8: a lamp is lit", "Added in version 7.3.8: a lamp is lit", True),
        ("Added in version 7.3.7.", "Introduced in version 7.3.7.", True),
        ("New in version 7.3.7.", "Added in version 7.3.8.", False),
        ("New in version 7.3.7.", "Removed in version 7.3.7.", False),
        ("New in version 7.3.7.", "Deprecated in version 7.3.7.", False),
        ("New in version 7.3.7.", "Changed in version 7.3.7.", False),
    ],
)
def test_what_is_new_in_a_version_was_added_in_it(one: str, other: str, same: bool) -> None:
    assert joined_both_ways(of("paragraph", one), of("paragraph", other)) is same
