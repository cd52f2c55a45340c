"""Write the words of a language that are one letter away from a word of danger: they are never read as misspelt.

`python -m training.emergency.right_words --lists FOLDER [--out FOLDER]`: the folder has a file `LANGUAGE.txt` with the
words of each language, one a line, the most frequent first. Only the few that lie near the lists of danger are kept.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from saidonce.foundation.text import folded
from saidonce.repairs.conversation.foreign_dangers import harmless_words, words_of_danger
from saidonce.repairs.conversation.misspelt import MIN_CHARS
from training.emergency.spanish_forms import IRREGULAR, forms

OUT = Path(__file__).resolve().parents[2] / "src/saidonce/repairs/conversation/packs"

LANGUAGES = ("de", "es", "fr", "it")

N_INFLECTED = 10_000
"""Most frequent Spanish words whose forms are right as well; those of rare verbs look like misspelt dangers."""


def near(words: Iterable[str], listed: frozenset[str]) -> tuple[str, ...]:
    """Return folded words that one change of a letter may turn into a listed one, sorted, without the listed."""
    around = {short for word in listed for short in _shortened(word)}
    plain = {folded(word) for word in words}
    return tuple(sorted(
        w for w in plain - listed if len(w) >= MIN_CHARS and w.isalpha() and not around.isdisjoint(_shortened(w))
    ))  # fmt: skip


def _shortened(word: str) -> Iterator[str]:
    yield word
    yield from (word[:at] + word[at + 1 :] for at in range(len(word)))


def main() -> None:
    """Write a file for each language, and say how many words it has."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lists", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    for language in LANGUAGES:
        words = (options.lists / f"{language}.txt").read_text(encoding="utf-8").split()
        if language == "es":
            words += [*chain.from_iterable(map(forms, words[:N_INFLECTED])), *IRREGULAR]
        kept = near(words, words_of_danger(language) | harmless_words(language))
        lines = textwrap.wrap(" ".join(kept), 120, break_long_words=False)
        (options.out / f"right_words_{language}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{language}: {len(kept)} words")


if __name__ == "__main__":
    main()
