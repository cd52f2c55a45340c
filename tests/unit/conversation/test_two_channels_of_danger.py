"""Words in any language and the trained head: each may only raise, and both leave their evidence."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from saidonce.adapters.danger.encoder import DangerEncoder
from saidonce.errors import ModelUnavailableError, SettingsError, UsageError
from saidonce.quality.emergencies import EmergencyReport, measure, read_cases
from saidonce.repairs.conversation.danger_head import (
    HARMLESS,
    DangerHead,
    DangerReading,
    HeadCard,
    parts,
)
from saidonce.repairs.conversation.dangers import by_words, read_dangers
from saidonce.repairs.conversation.emergency import PACKS, named_pack
from saidonce.repairs.conversation.foreign_dangers import LANGUAGES, find_foreign, foreign_dangers

CASES = Path(__file__).resolve().parents[2] / "cases" / "emergencies"
GAS = "words: smel*/smeel* gas/gass"
UK = named_pack("uk")
CLASSES = {"gas", "carbon_monoxide", "fire", "electric_shock", "water", "structure", "intruder", "trapped", "medical",
           "self_harm"}  # fmt: skip


@dataclass
class Scripted:
    """A reader that always says the same, or fails."""

    kind: str = HARMLESS
    certainty: float = 0.0
    fails: bool = False
    card: HeadCard = field(default_factory=lambda: HeadCard("e", (HARMLESS, *sorted(CLASSES)), 0.5, 0.9))

    def read(self, message: str) -> DangerReading:
        if self.fails:
            raise ModelUnavailableError("e", "files are absent")
        return DangerReading(self.kind, self.certainty)


@pytest.fixture(scope="module")
def head() -> DangerHead:
    return DangerHead(DangerEncoder())


@pytest.fixture(scope="module", params=[3, pytest.param(1, marks=pytest.mark.slow)])
def measured(request: pytest.FixtureRequest, head: DangerHead) -> EmergencyReport:
    """What is found in every third case of the part held apart; in all of them, in `make proofs`."""
    cases = read_cases(CASES / "held")[:: request.param]
    return measure(cases, UK, head)


def test_a_text_has_the_same_shares_whatever_it_is_read_with() -> None:
    texts = [case.text for case in read_cases(CASES / "held")[::40]]
    encoder = DangerEncoder()
    together = encoder.shares(texts)
    assert np.array_equal(together, np.concatenate([encoder.shares([text]) for text in texts]))
    assert together.shape == (len(texts), len(CLASSES) + 1)
    assert np.allclose(together.sum(axis=1), 1.0)
    assert encoder.shares([]).shape == (0, len(CLASSES) + 1)


def test_the_most_dangerous_part_of_a_long_message_counts(head: DangerHead) -> None:
    calm = (
        "Good morning, this is Mrs Archer from flat nine. The tap in the kitchen drips a little and the door of the "
        "shed squeaks. I have been on holiday for two weeks and came back on Sunday. ",
        "Could somebody look at the letterbox, the flap is loose. I am at home on Thursday and Friday after two. "
        "Thank you for the new bench in the garden, we sit there every evening. ",
    )
    danger = "There are flames behind the cooker. "
    assert head.read("".join(calm)).certainty < head.card.asks_from
    for message in (danger + "".join(calm), danger.join(calm), "".join(calm) + danger):
        assert head.read(message).certainty > head.card.asks_from


def test_a_text_of_several_windows_is_read_to_its_end() -> None:
    encoder = DangerEncoder()
    words = " ".join(f"shelf {n}" for n in range(200))
    harmless = encoder.shares([f"{words} flames behind the cooker", words, "flames behind the cooker"])[:, 0]
    assert harmless[2] < harmless[0] < harmless[1]


@pytest.mark.parametrize("message", ["there is a fire", "I smell gas", "flooded", "what if there is a fire?", "fuego"])
@pytest.mark.parametrize("reader", [Scripted(), Scripted(fails=True), Scripted("gas", 0.6), Scripted("fire", 0.99)])
def test_what_words_find_is_never_lowered(message: str, reader: Scripted) -> None:
    alone, both = by_words(UK, message), read_dangers(UK, message, reader)
    assert [m.kind for m in both] == [m.kind for m in alone]
    assert all(after.is_sure >= before.is_sure for before, after in zip(alone, both, strict=True))


@pytest.mark.parametrize(
    ("certainty", "message", "levels"),
    [
        (0.49, "grey stuff rolls under the door", []),
        (0.50, "grey stuff rolls under the door", [False]),
        (0.89, "grey stuff rolls under the door", [False]),
        (0.90, "grey stuff rolls under the door", [True]),
        (0.99, "does grey stuff roll under the door?", [False]),
        (0.99, "in the news grey stuff rolls under the door", [False]),
        (0.99, "ayer vi eso en la tele", [False]),
    ],
)
def test_the_head_asks_and_is_sure_from_its_thresholds_and_never_in_calming_company(
    certainty: float, message: str, levels: list[bool]
) -> None:
    matches = read_dangers(UK, message, Scripted("fire", certainty))
    assert [m.is_sure for m in matches] == levels
    assert all(m.kind == "fire" and m.certainty == certainty for m in matches)


def test_both_channels_leave_their_evidence() -> None:
    assert read_dangers(UK, "I smell gas", Scripted("gas", 0.93))[0].evidence == (GAS, "head: gas 0.93")
    assert read_dangers(UK, "strange", Scripted("gas", 0.7))[0].evidence == ("head: gas 0.70",)
    assert read_dangers(UK, "I smell gas")[0].evidence == (GAS,)
    assert read_dangers(UK, "I smell gas", Scripted(fails=True))[0].evidence[1:] == ("head: not available",)


def test_a_general_cry_gets_the_class_that_the_head_reads() -> None:
    assert read_dangers(UK, "this is not safe, come quickly", Scripted("trapped", 0.8))[0].kind == "trapped"
    assert read_dangers(UK, "this is not safe, come quickly", Scripted("trapped", 0.2))[0].kind == "danger"


def test_the_head_belongs_to_its_encoder() -> None:
    other = DangerEncoder()
    with patch.object(DangerEncoder, "model", "danger:another"), pytest.raises(SettingsError):
        DangerHead(other)


def test_a_reading_is_the_same_each_time_and_of_the_worst_sentence(head: DangerHead) -> None:
    calm, danger = "Thanks for the new bin. ", "My eyes sting and black clouds roll out of the vent."
    assert head.read(calm + danger) == head.read(calm + danger)
    assert head.read(calm + danger).certainty >= head.read(danger).certainty
    assert head.read("") == head.read("?!") == DangerReading(HARMLESS, 0.0)
    assert set(head.card.classes) == {HARMLESS, *CLASSES}


def test_hostile_lengths_are_read_in_few_parts() -> None:
    assert len(parts("a. " * 5_000)) <= 4
    assert max(map(len, parts("smoke " * 5_000))) <= 1_201
    assert parts("\u0000 \n\n .") == ()


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("FUEGO!!!", "fire"), ("hay humo en el pasillo", "fire"), ("au secours", "danger"), ("fumée partout", "fire"),
        ("fumee partout", "fire"), ("es brennt", "fire"), ("Stromschlag", "electric_shock"), ("pożar", "fire"),
        ("czuć gaz", "gas"), ("cheiro a gás", "gas"), ("miroase a gaz", "gas"), ("حريق", "fire"), ("着火了", "fire"),
        ("救命", "danger"), ("ambulancja, ratunku", "medical"), ("quiero morirme", "self_harm"),
        ("überschwemung", "water"), ("ambulanta va rog", "medical"), ("لا يتنفس", "medical"),
        ("被困在电梯里", "trapped"),
    ],
)  # fmt: skip
def test_other_languages_are_read_whatever_the_language_of_the_rest(message: str, kind: str) -> None:
    assert kind in [m.kind for m in by_words(UK, message)]
    assert by_words(UK, f"sorry my english is bad, {message}")


@pytest.mark.parametrize(
    "message",
    ["a brand new gift", "once again, thanks", "la factura del gas", "le feu rouge devant la porte", "die Gasrechnung",
     "rachunek za gaz", "消防演习", "an armed forces pension", "hot water is hot in here", "I gaze at the lake"],
)  # fmt: skip
def test_harmless_compounds_and_english_words_cost_nothing_by_foreign_lists(message: str) -> None:
    assert find_foreign(message) == ()
    assert by_words(UK, message) == ()


def test_every_language_has_every_class() -> None:
    assert [language.language for language in foreign_dangers()] == list(LANGUAGES)
    for language in foreign_dangers():
        assert {each.kind for each in language.kinds} >= CLASSES
        assert {each.kind for each in language.kinds} <= {c.kind for p in PACKS for c in named_pack(p).classes}


def share(report: EmergencyReport, language: str, way: str, count: str) -> float:
    line = next(x for x in report.lines if (x.language, x.way, x.kind) == (language, way, ""))
    return float(getattr(line, count)) / line.of


@pytest.mark.parametrize(
    ("language", "plain", "other", "asked"),
    [("en", 0.97, 0.85, 0.20), ("es", 0.97, 0.80, 0.25), ("fr", 0.97, 0.80, 0.20), ("de", 0.97, 0.80, 0.20),
     ("pl", 0.97, 0.80, 0.20)],
)  # fmt: skip
def test_the_part_held_apart(
    measured: EmergencyReport, language: str, plain: float, other: float, asked: float
) -> None:
    assert share(measured, language, "plain", "both") >= plain
    assert share(measured, language, "other", "both") >= other
    assert share(measured, language, "harmless", "sure") <= 0.05
    assert share(measured, language, "harmless", "both") <= asked


def test_there_are_enough_cases() -> None:
    cases = read_cases(CASES / "held")
    for language, least in {"en": (80, 80, 150), "es": (30, 30, 60), "fr": (30, 30, 60), "de": (30, 30, 60),
                            "pl": (30, 30, 60)}.items():  # fmt: skip
        ways = [c.way for c in cases if c.language == language]
        assert tuple(ways.count(way) >= n for way, n in zip(("plain", "other", "harmless"), least, strict=True)) == (
            True, True, True,
        )  # fmt: skip
    assert not {c.text for c in cases} & {c.text for c in read_cases(CASES / "tune")}


def test_no_case_is_trained_on() -> None:
    from training.emergency.examples import KINDS, read
    from training.emergency.prepare import unseen

    examples = unseen(read())
    trained_on = {e.text.casefold() for e in examples}
    cases = {c.text.casefold() for part in CASES.iterdir() for c in read_cases(part) if c.way != "plain"}
    assert len(trained_on) > 15_000
    assert cases & trained_on == set()
    assert {e.kind for e in examples} == set(KINDS) == {HARMLESS, *CLASSES}


def test_a_folder_without_cases_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        read_cases(tmp_path)
    (tmp_path / "en.toml").write_text("language = 'en'\n", encoding="utf-8")
    with pytest.raises(UsageError):
        read_cases(tmp_path)


def test_typing_mistakes_of_training_are_the_same_each_time() -> None:
    from training.emergency.examples import epoch, read

    examples = read()[::20]
    assert epoch(examples, random.Random(1)) == epoch(examples, random.Random(1))


def test_what_is_not_a_class_a_tab_and_a_message_is_no_example(tmp_path: Path) -> None:
    from training.emergency.examples import read

    (tmp_path / "messages").mkdir()
    (tmp_path / "messages" / "en.tsv").write_text("fire\tit glows\nfires\tit glows\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"en\.tsv:2"):
        read(tmp_path)
