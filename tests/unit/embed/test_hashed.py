from __future__ import annotations

import pytest

from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.errors import UsageError


def test_vectors_are_the_same_in_every_process() -> None:
    assert HashedEmbedder(4).embed(["data"]).round(4).tolist() == [pytest.approx([-0.9806, 0.0, 0.1961, 0.0])]


def test_one_word_changed_stays_near_and_other_words_are_far() -> None:
    a, b, c = HashedEmbedder().embed(
        [
            "Backups are kept for 30 days in two regions and tested every month by the operations team",
            "Backups are kept for 90 days in two regions and tested every month by the operations team",
            "Please describe how passwords get rotated",
        ]
    )
    assert a @ b > 0.9
    assert abs(a @ c) < 0.4


def test_a_dimension_below_one_is_refused() -> None:
    with pytest.raises(UsageError, match="at least one"):
        HashedEmbedder(0)
