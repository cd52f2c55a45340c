"""Marks nominate rescaled, recompressed and re-recorded copies, and nothing merges because of what was recognised."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from saidonce.documents.parse.marks import mark_of_picture, mark_of_sound
from saidonce.foundation.model import Candidate, FactKind, Kind, Match, MediaPlace, Original, Outcome, Relation
from saidonce.foundation.settings.policy import CANONICAL
from saidonce.foundation.text import content_hash
from saidonce.kb.near_copies import likeness
from saidonce.matching.agreement import Agreement, agreement
from saidonce.matching.guards import CANONICAL_GUARDS, REPEAT_GUARDS
from saidonce.matching.ladder import Case, decide, keep_first

RATE = 16_000


def notice(*lines: str) -> Image.Image:
    picture = Image.new("RGB", (800, 600), "white")
    font = ImageFont.load_default(size=30)
    for at, line in enumerate(lines):
        ImageDraw.Draw(picture).text((40, 40 + 70 * at), line, fill="black", font=font)
    return picture


def marked(mark: str, sha256: str = "a" * 64) -> Original:
    return Original(sha256, 1, "image/jpeg", b"", mark)


def recompressed(picture: Image.Image, width: int, quality: int) -> Image.Image:
    out = io.BytesIO()
    picture.resize((width, picture.height * width // picture.width)).save(out, "JPEG", quality=quality)
    with Image.open(io.BytesIO(out.getvalue())) as read:
        return read.convert("RGB")


WATER = ("Notice to all residents", "The water is switched off", "on Friday from nine to twelve", "Your caretaker")
LIFT = ("House rules", "Keep the lift free of prams and bicycles", "No smoking", "Quiet from ten at night", "Thank you")


@pytest.mark.parametrize(("width", "quality"), [(400, 80), (1200, 90), (800, 20), (300, 40)])
def test_a_rescaled_or_recompressed_copy_is_nominated_and_another_notice_is_not(width: int, quality: int) -> None:
    own = marked(mark_of_picture(notice(*WATER)))
    assert likeness(own, marked(mark_of_picture(recompressed(notice(*WATER), width, quality)))) >= 0.9
    assert likeness(own, marked(mark_of_picture(recompressed(notice(*LIFT), width, quality)))) == 0.0


def test_a_plain_picture_has_no_mark_and_is_like_nothing() -> None:
    assert mark_of_picture(Image.new("RGB", (90, 90), "white")) == ""
    assert likeness(marked(""), marked("")) == 0.0
    assert likeness(marked(mark_of_picture(notice(*WATER))), marked("sound:00ff")) == 0.0


def melody(seed: int, seconds: int = 12) -> np.ndarray:
    """Tones that change five times a second, with their overtones."""
    draw = np.random.default_rng(seed)
    pitches = np.repeat(draw.uniform(250, 1500, seconds * 5), RATE // 5)
    phase = np.cumsum(pitches) / RATE * 2 * np.pi
    return (np.sin(phase) + 0.5 * np.sin(1.5 * phase)) * 6000


def test_a_recording_in_noise_or_begun_later_is_nominated_and_another_is_not() -> None:
    whole, other = melody(1), melody(2)
    noisy = whole * 0.6 + np.random.default_rng(3).normal(0, 500, len(whole))
    own = marked(mark_of_sound(whole.astype(np.int16), RATE))
    assert likeness(own, marked(mark_of_sound(noisy.astype(np.int16), RATE))) >= 0.65
    assert likeness(own, marked(mark_of_sound(noisy[2 * RATE :].astype(np.int16), RATE))) >= 0.65
    assert likeness(own, marked(mark_of_sound(other.astype(np.int16), RATE))) == 0.0
    assert mark_of_sound(np.zeros(5 * RATE, np.int16), RATE) == mark_of_sound(whole[:RATE].astype(np.int16), RATE) == ""


def text(words: str, confidence: float | None = 0.99, kind: Kind = Kind.IMAGE_TEXT) -> Candidate:
    place = None if kind is Kind.PARAGRAPH else MediaPlace(1, confidence=confidence)
    return Candidate(words, content_hash(words), kind, "en", place=place)


NUMBER = "The rent is 940 pounds a month and due on the first."
PLAIN = "The caretaker lives on the ground floor next to the lift."


@pytest.mark.parametrize(
    ("a", "b", "merges"),
    [
        (text(PLAIN), text(PLAIN), True),
        (text(NUMBER), text(NUMBER), False),
        (text(PLAIN, kind=Kind.TRANSCRIPT), text(PLAIN, kind=Kind.TRANSCRIPT), False),
        (text(PLAIN), text(PLAIN, 0.6), False),
        (text(PLAIN, 0.6), text(PLAIN), False),
        (text(NUMBER, kind=Kind.PARAGRAPH), text(NUMBER, kind=Kind.PARAGRAPH), True),
        (text(NUMBER, None, Kind.TRANSCRIPT), text(NUMBER, None, Kind.TRANSCRIPT), True),
    ],
    ids=["sure words", "a figure", "heard", "unsure here", "unsure there", "typed", "subtitles"],
)
def test_recognised_figures_and_unsure_words_merge_by_nobody_but_a_person(
    a: Candidate, b: Candidate, merges: bool
) -> None:
    verdict = decide(Case(a, (Match("kept", 1.0, b),), CANONICAL, CANONICAL_GUARDS))
    assert verdict.outcome is (Outcome.DUPLICATE if merges else Outcome.REVIEW)
    assert merges or {o.kind for o in verdict.objections} == {FactKind.RECOGNISED}
    assert (agreement(a, b).agreement is Agreement.SAME) is merges
    _, second = keep_first([a, b], [(0, 1, 1.0)], REPEAT_GUARDS)
    assert (second.relation is Relation.EXACT) is merges
    assert merges or second.relation is Relation.KEPT


def test_a_text_of_which_only_the_kind_is_known_counts_as_recognised() -> None:
    bare = Candidate(NUMBER, content_hash(NUMBER), Kind.FRAME, "en")
    assert agreement(bare, bare).agreement is not Agreement.SAME
