from __future__ import annotations

import pytest

from saidonce.adjudication.canaries import canaries
from saidonce.adjudication.evidence import MOST_CLAIMS, Sides, folded, is_borne_out
from saidonce.adjudication.prompt_sheet import INSTRUCTIONS

RULE = Sides(
    folded("subdomain: soft goods", "Guests may bring 14 dogs into the garden; cats/birds  stay\nat home, 5 % off."),
    folded("subdomain: hard goods", "Guests may not bring 41 dogs into the Garden: rabbits stay at home, 5 off."),
)


@pytest.mark.parametrize(
    "differs",
    [
        "14 / 41",
        "41 / 14",
        "14/41",
        "may bring / may not bring",
        "may / may not",
        " / not",
        "14",
        "41",
        "Soft / HARD",
        "soft goods / hard goods",
        "\u201cSUBDOMAIN: SOFT\u201d / 'subdomain hard'",
        "cats/birds / rabbits",
        "cats/birds",
        "14 dogs / 41 dogs; whatever / else",
        "nothing / at all; 14 / 41",
        "garden; cats / Garden: rabbits",
        "stay at home 5 % / stay at home, 5 off",
    ],
)
def test_a_difference_that_can_be_seen_counts(differs: str) -> None:
    assert is_borne_out(differs, RULE)


@pytest.mark.parametrize(
    "differs",
    [
        "",
        " / ",
        "/ / ; /",
        "...",
        "dogs / dogs",
        "dogs. / Dogs",
        "garden / Garden",
        "dogs / garden",
        "may / bring",
        "dogs",
        "4 / 1",
        "14 dogs / 42 dogs",
        "not / 41 / 14",
        "14 41 /",
        "soft goods Guests / hard goods Guests",
        "softlines / hardlines",
        "the opinion is distinct",
        "bring 14 [\u2026] garden",
        "[\u2026] / dogs",
        "% / ",
    ],
)
def test_one_that_cannot_is_none(differs: str) -> None:
    assert not is_borne_out(differs, RULE)


def test_a_claim_of_endless_strokes_is_not_tried_for_ever() -> None:
    assert not is_borne_out("/" * 40_000 + "14 / 41", RULE)
    assert not is_borne_out("".join(f"x{n};" for n in range(MOST_CLAIMS)) + "14 / 41", RULE)
    assert is_borne_out("".join(f"x{n};" for n in range(MOST_CLAIMS // 2)) + "14 / 41", RULE)


def test_known_pairs_are_none_of_the_examples() -> None:
    texts = [side.text for canary in canaries() for side in (canary.candidate, canary.kept)]
    assert len(texts) == 20
    assert not any(text in INSTRUCTIONS for text in texts)
