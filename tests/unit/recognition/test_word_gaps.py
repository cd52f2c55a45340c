"""Spaces that the reader of pictures lost come back where the picture shows them, and nowhere else."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from saidonce.documents.parse.recognisers import PictureReader
from saidonce.documents.parse.word_gaps import spaced

LETTER, SPACE, HEIGHT = 12, 12, 40


def line(text: str, space: int = SPACE, between: int = 3) -> tuple[list[float], np.ndarray]:
    """A line of blocks, one for each character, and where their middles are."""
    columns: list[int] = [0] * 5
    centres = []
    for c in text:
        if c == " ":
            columns += [0] * space
            continue
        centres.append(len(columns) + LETTER / 2)
        columns += [1] * LETTER + [0] * between
    picture = np.full((HEIGHT, len(columns)), 255, np.uint8)
    picture[8:32, np.array(columns, bool)] = 20
    return centres, picture


@pytest.mark.parametrize(
    ("shown", "read", "mended"),
    [
        ("chimney sweep visits on 14 March", "chimneysweep visitson 14March", "chimney sweep visits on 14 March"),
        ("between eight and eleven", "between eight and eleven", "between eight and eleven"),
        ("one two", "onetwo", "one two"),
        ("house 12", "house12", "house 12"),
        ("12 500 pieces", "12500 pieces", "12500 pieces"),
        ("really ? yes", "really? yes", "really? yes"),
        ("T he boiler", "The boiler", "The boiler"),
        ("a boiler", "aboiler", "a boiler"),
        ("abc", "abc", "abc"),
        ("a", "a", "a"),
        ("", "", ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("inverted", [False, True])
def test_spaces_stand_where_the_picture_has_gaps(shown: str, read: str, mended: str, inverted: bool) -> None:
    centres, picture = line(shown)
    assert spaced(read, centres, 255 - picture if inverted else picture) == mended


def test_letters_that_are_set_wide_are_no_words() -> None:
    centres, picture = line("NOTICE", between=14)
    assert spaced("NOTICE", centres, picture) == "NOTICE"


def test_what_does_not_fit_together_is_left_alone() -> None:
    centres, picture = line("one two")
    assert spaced("onetwo", centres[1:], picture) == "onetwo"


@pytest.mark.parametrize("angle", [pytest.param(0.0, marks=pytest.mark.slow), 1.5])
def test_words_of_a_scanned_letter_stand_apart(angle: float) -> None:
    words = ["To the tenants of house 12", "The chimney sweep visits on 14 March", "Elm Row Housing Association"]
    picture = Image.new("L", (1100, 420), 255)
    pen = ImageDraw.Draw(picture)
    for at, words_of_line in enumerate(words):
        pen.text((80, 90 + at * 80), words_of_line, font=ImageFont.load_default(34), fill=20)
    out = io.BytesIO()
    picture.rotate(angle, Image.Resampling.BICUBIC, fillcolor=255).save(out, "JPEG", quality=70)
    assert [each.text for each in PictureReader().recognise(out.getvalue(), "image/jpeg")] == words
