"""Two pieces of one long list in two editions: when they differ only in where the list was cut.

`old` and `new` are the pieces; the first of each is compared.
"""

from collections.abc import Sequence

import pytest

from saidonce.foundation.model import Kind
from saidonce.kb.canonical.cut_elsewhere import is_cut_elsewhere

LEAD = "The columns are as follows:\n"
DATE = "- Date: on which the pump was started for the last time."
HOURS = "- Hours: for which the pump has been running since then."
LEVEL = "- Level: of the water in the tank, in metres above the ground."
LEVEL_FEET = LEVEL.replace("metres", "feet")
OWNER = "- Owner: of the garden that the pump belongs to, with the address."
NESTED = "- Level: of the water in the tank.\n  - low: the pump stops by itself until rain falls."
ADULTS, CHILDREN = "For adults a day at the pool has this price:", "For children a day at the pool has this price:"
NINE, FIVE = "- Nine euros are paid at the gate.", "- Five euros are paid at the gate."
DRINKS, OTHER_DRINKS = ("Tea | 2", "Milk | 3"), ("Tea | 5", "Milk | 3")
OFF, ON = "- alarm: no", "- alarm: yes"
KEY = "Function | Key"
QUIT, TAG, SORT = "quit | q", "tag the entry | t", "sort the entries | o"


def of(*items: str) -> str:
    return LEAD + "\n".join(items)


def table(*rows: str) -> str:
    return "\n".join((KEY, *rows))


@pytest.mark.parametrize(
    ("kind", "old", "new", "only_cut"),
    [
        (Kind.LIST, [of(DATE, HOURS), of(LEVEL, OWNER)], [of(DATE), of(HOURS, LEVEL), of(OWNER)], True),
        (Kind.LIST, [of(DATE, HOURS), of(LEVEL)], [of(DATE), of(HOURS, LEVEL, OWNER)], True),
        (Kind.LIST, [of(DATE), of(HOURS)], [of(DATE, HOURS)], True),
        (Kind.LIST, [of(DATE, NESTED), of(OWNER)], [of(DATE), of(NESTED, OWNER)], True),
        (Kind.TABLE, [table(QUIT, TAG), table(SORT)], [table(QUIT), table(SORT, TAG)], True),
        (Kind.LIST, [of(DATE, LEVEL), of(OWNER)], [of(DATE), of(LEVEL_FEET, OWNER)], False),
        (Kind.LIST, [of(DATE, LEVEL)], [of(DATE, LEVEL_FEET)], False),
        (Kind.LIST, [of(DATE, HOURS)], [of(DATE)], False),
        (Kind.LIST, [of(DATE)], [of(DATE, OWNER)], False),
        (Kind.LIST, [of(DATE, HOURS)], [of(HOURS, DATE)], False),
        (Kind.LIST, [of(DATE, HOURS), of(LEVEL)], [of(LEVEL, DATE), of(HOURS)], False),
        (Kind.LIST, [of(DATE, OFF), of(LEVEL, ON)], [of(DATE, ON), of(LEVEL, OFF)], False),
        (Kind.LIST, ["1. Open the tap of the upper tank.", "2. Wait."], ["2. Open the tap of the upper tank."], False),
        (Kind.TABLE, [table(QUIT, TAG)], [table(QUIT, "tag the entry | T")], False),
        (Kind.TABLE, [table(QUIT, TAG)], [table(QUIT)], False),
        (
            Kind.TABLE,
            [table(*DRINKS), table("Cake | 4", "Tea | 5")],
            [table(*OTHER_DRINKS), table("Cake | 4", "Tea | 2")],
            False,
        ),
        (Kind.LIST, [f"{ADULTS}\n{NINE}", f"{CHILDREN}\n{FIVE}"], [f"{ADULTS}\n{FIVE}", f"{CHILDREN}\n{NINE}"], False),
        (Kind.PARAGRAPH, [f"{DATE} {HOURS}", LEVEL], [DATE, f"{HOURS} {LEVEL}"], False),
        (Kind.CODE, [of(DATE, HOURS)], [of(DATE), of(HOURS)], False),
    ],
)
def test_pieces_that_only_the_cut_tells_apart(
    kind: Kind, old: Sequence[str], new: Sequence[str], only_cut: bool
) -> None:
    assert is_cut_elsewhere(kind, (old[0], new[0]), (old, new)) is only_cut
    assert is_cut_elsewhere(kind, (new[0], old[0]), (new, old)) is only_cut
