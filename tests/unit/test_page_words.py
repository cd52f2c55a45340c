"""Words of the pages: every kind of difference and every reason has some, and long names of documents stay short."""

from __future__ import annotations

import pytest

from saidonce.foundation.model import FactKind
from saidonce.foundation.model.conversation import Path
from saidonce.interfaces.http.words import BECAUSE, KINDS, short
from saidonce.repairs.timeline import PATHS_IN_WORDS


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("/srv/share/handbook/rules/heating.md", "\N{HORIZONTAL ELLIPSIS}/rules/heating.md"),
        ("C:\\Users\\ann\\rules\\heating.md", "\N{HORIZONTAL ELLIPSIS}/rules/heating.md"),
        ("/heating.md", "/heating.md"),
        ("handover.zip/rules/heating.md", "handover.zip/rules/heating.md"),
        ("https://docs.example.com/a/b/heating.html", "https://docs.example.com/a/b/heating.html"),
        ("", ""),
    ],
)
def test_of_a_path_from_the_root_the_last_two_parts_are_shown(name: str, shown: str) -> None:
    assert short(name) == shown


def test_every_kind_of_difference_has_words_of_its_own() -> None:
    assert set(KINDS) == set(FactKind)
    assert len(set(KINDS.values())) == len(KINDS)


def test_every_way_to_a_turn_has_words_without_a_version_or_a_name_of_the_code() -> None:
    assert set(PATHS_IN_WORDS) == set(Path)
    assert len(set(PATHS_IN_WORDS.values())) == len(PATHS_IN_WORDS)
    assert not {word for word in " ".join(PATHS_IN_WORDS.values()).split() if word in {"v1", "v2", "fallback", "fast"}}


def test_no_reason_needs_a_glossary() -> None:
    words = " ".join([*BECAUSE.values(), *KINDS.values()]).split()
    assert not {"guard", "zone", "certificate", "policy", "flag", "threshold"} & set(words)
