"""Words that stand for themselves: compounds whose parts change places, signs inside a word, the value of a label.

The cases were written before the rules.
"""

import pytest

from saidonce.foundation.model import Candidate, Kind
from saidonce.foundation.text import content_hash
from saidonce.matching.agreement import Agreement, agreement

OTHER = [
    ("Run follow-hint first.", "Run hint-follow first."),
    ("Syntax: :enter-mode mode", "Syntax: :mode-enter mode"),
    ("- x: leave-mode", "- x: mode-leave"),
    ("Press f to call follow-selected.", "Press f to call selection-follow."),
    ("Syntax: :set-cmd-text text", "Syntax: :cmd-set-text text"),
    ("Use apt-get for it.", "Use get-apt for it."),
    ("The lift-door is wide.", "The door-lift is wide."),
    ("Der Aufzug-Motor ist neu.", "Der Motor-Aufzug ist neu."),
    ("Call Lift::door first.", "Call door::Lift first."),
    ("Match \\d+ here.", "Match \\D+ here."),
    ("Match \\d+ here.", "Match d+ here."),
    ("- \\b[ab]\\b", "- \\b[ab\\b]"),
    ("- \\b[>→]\\b", "- \\b[>→\\b]"),
    ("- \\b[<←≪]\\b", "- \\b[<←≪\\b]"),
    ("Match {a≤b} here.", "Match {a}≤b here."),
    ("The value is up|down.", "The value is up&down."),
    ("The pattern is ^door.", "The pattern is door."),
    ("Write {door} here.", "Write door here."),
    ("Write ${door} here.", "Write {door} here."),
    ("Set door=wide for it.", "Set door<wide for it."),
    ("Put <door> there.", "Put door there."),
    ("Default: default", "Default:"),
    ("Owner: the owner", "Owner:"),
    ("Type: type\nSpeed: 3", "Type:\nSpeed: 3"),
]

SAME = [
    ("The lift-door is wide.", "The lift door is wide."),
    ("The follow-hint command is old.", "The `follow-hint` command is old."),
    ("See <https://lifts.example/door> for it.", "See https://lifts.example/door for it."),
    ("The door is open; the lift waits.", "The door is open, the lift waits."),
    ("Set door=wide for it.", "Set door = wide for it."),
    ("The research-and-development team moved.", "The research and development team moved."),
    ("It costs US$5.", "It costs US$ 5."),
    ("The lift goes A→B at noon.", "The lift goes A → B at noon."),
    ("Stop if speed≤5 m/s.", "Stop if speed ≤ 5 m/s."),
    ("The «old» lift is slow.", "The old lift is slow."),
    ("Owner: the tenant.", "Owner:  the tenant"),
    ("Keep it in C:\\Lifts\\Old.", "Keep it in c:\\lifts\\old."),
]

HIDDEN = [
    ("new-lift call-off old-floor", "new-lift call-off old-floor new-floor"),
    ("Run lift-up old-door.", "Run lift-up old-door lift-door."),
    (
        "- new-lift fails old-floor\n  - It is called last.",
        "- new-lift fails old-floor new-floor\n  - It is called last.",
    ),
    ("Set max-speed, min-load.", "Set max-speed, min-load and max-load."),
    ("Set max-speed, min-load.", "Set max-speed, min-load, and min-speed."),
    ("The options are slow-start and fast-stop.", "The options are slow-start, fast-stop and slow-stop."),
    ("Lift::open and Door::close are old.", "Lift::open, Lift::close and Door::close are old."),
    ("It needs lib-door or bin-lift.", "It needs lib-door, lib-lift or bin-lift."),
    (
        "Der Aufzug-Motor und die Tür-Steuerung fehlen.",
        "Der Aufzug-Motor, die Aufzug-Steuerung und die Tür-Steuerung fehlen.",
    ),
]

RUNS = [
    (
        "If the system has two lifts, there is a section for the lift in the Doors panel.",
        "If the system has two lifts, there is a section for the lift in the Doors panel in the system panel.",
    ),
    ("The red door leads to the old house.", "The red door leads to the old house behind the red house."),
    (
        "The old lift is tested every year, and the new lift every month.",
        "The old lift is tested every year, and the new lift every month of the new year.",
    ),
    (
        "Ask the owner of the house for the key of the lift.",
        "Ask the owner of the house of the lift key for the key of the lift.",
    ),
    (
        "Ein Aufzug im Haus braucht einen Schlüssel.",
        "Ein Aufzug im Haus braucht einen Schlüssel im Haus für den Aufzug.",
    ),
]

NOT_HIDDEN = [
    ("The high-speed lift is in the low-rise house.", "The high speed lift is in the low-rise house."),
    (
        "A lift-door and a shaft-door are one-way; each lift-door is wide.",
        "A lift-door and a shaft-door are one-way; each lift door is wide.",
    ),
    (
        "The lift-doors are wide and the shaft-door is one-way.",
        "The lift-door's are wide and the shaft-door is one-way.",
    ),
    ("Use the e-mail form and the lift-form.", "Use the email form and the lift-form."),
    ("Run lift-up, then lift-down; lift-up is slow.", "Run lift-up, then lift-down; lift up is slow."),
]


def _agreement(a: str, b: str, kind: Kind = Kind.PARAGRAPH) -> Agreement:
    language = "de" if a.startswith(("Der ", "Ein ")) else "en"
    one, other = (Candidate(t, content_hash(t), kind, language) for t in (a, b))
    there, back = agreement(one, other).agreement, agreement(other, one).agreement
    turned = {Agreement.REPEATS_A: Agreement.REPEATS_B, Agreement.REPEATS_B: Agreement.REPEATS_A}
    assert back is turned.get(there, there)
    return there


@pytest.mark.parametrize(("a", "b"), OTHER)
@pytest.mark.parametrize("kind", [Kind.PARAGRAPH, Kind.LIST])
def test_another_word_is_not_the_same(a: str, b: str, kind: Kind) -> None:
    assert _agreement(a, b, kind) is not Agreement.SAME


@pytest.mark.parametrize(("a", "b"), OTHER[-3:])
def test_a_value_is_not_dropped_for_its_label(a: str, b: str) -> None:
    assert _agreement(b, a) is not Agreement.REPEATS_A
    assert _agreement(a, b) is not Agreement.REPEATS_B


@pytest.mark.parametrize(("a", "b"), SAME)
def test_another_way_to_write_it_is_the_same(a: str, b: str) -> None:
    assert _agreement(a, b) is Agreement.SAME


@pytest.mark.parametrize(("a", "b"), HIDDEN)
@pytest.mark.parametrize("kind", [Kind.PARAGRAPH, Kind.LIST])
def test_a_compound_whose_parts_stand_in_others_is_not_there(a: str, b: str, kind: Kind) -> None:
    assert _agreement(a, b, kind) not in (Agreement.SAME, Agreement.REPEATS_A)


@pytest.mark.parametrize(("a", "b"), NOT_HIDDEN)
def test_a_compound_in_another_form_is_there(a: str, b: str) -> None:
    assert _agreement(a, b) is Agreement.SAME


@pytest.mark.parametrize(("a", "b"), RUNS)
@pytest.mark.parametrize("kind", [Kind.PARAGRAPH, Kind.LIST])
def test_a_run_of_words_that_the_text_has_elsewhere_is_more(a: str, b: str, kind: Kind) -> None:
    assert _agreement(a, b, kind) not in (Agreement.SAME, Agreement.REPEATS_A)
