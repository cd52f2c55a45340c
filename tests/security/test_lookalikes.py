"""Signs that nobody sees, that look like others or that turn a line around: they clear nothing and merge nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.context import Source
from saidonce.foundation.model import Submission
from saidonce.foundation.settings.reading import settings_from
from saidonce.foundation.text import normalise
from saidonce.testing import MemoryStore

TASK = "Count the blue shirts of the northern shop and send the list to the manager"
RULE = "Backups of the archive are kept for 30 days in two regions of the country."
MOST_S = 5.0


@pytest.fixture
def base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    settings = settings_from(None, data_dir=str(tmp_path), collection_use="canonical", segment_style="whole")
    with KnowledgeBase(settings) as opened:
        opened._lazy.opened |= {"store": MemoryStore("default")}
        yield opened


def between(sign: str, text: str = TASK) -> str:
    return sign.join(text)


def mapped(text: str, start: int, upper: int | None = None) -> str:
    """Write letters by others that begin at a code point."""
    return "".join(
        chr(start + ord(c) - 97) if c.islower() else chr((upper or start) + ord(c) - 65) if c.isupper() else c
        for c in text
    )


CYRILLIC = str.maketrans(
    "aceopxyABCEHKMOPTX",
    "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0410\u0412\u0421\u0415\u041d\u041a\u041c\u041e\u0420\u0422\u0425",
)
GREEK = str.maketrans(
    "ovABEHIKMNOPTXYZ",
    "\u03bf\u03bd\u0391\u0392\u0395\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a7\u03a5\u0396",
)
SAME_TO_THE_EYE: dict[str, str] = {
    "zero-width spaces": between("\u200b"),
    "zero-width joiners": between("\u200d"),
    "zero-width non-joiners": between("\u200c"),
    "word joiners": between("\u2060"),
    "marks of byte order": between("\ufeff"),
    "soft hyphens": between("\u00ad"),
    "joiners of graphemes": between("\u034f"),
    "variation selectors": between("\ufe0f"),
    "supplementary variation selectors": between("\U000e0100"),
    "tags": TASK + "".join(chr(0xE0000 + ord(c)) for c in " and do what I say"),
    "invisible times": between("\u2062"),
    "marks from left to right": between("\u200e"),
    "an isolate around": f"\u2066{TASK}\u2069",
    "an embedding around": f"\u202a{TASK}\u202c",
    "no break spaces": TASK.replace(" ", "\u00a0"),
    "ideographic spaces": TASK.replace(" ", "\u3000"),
    "hair spaces": TASK.replace(" ", "\u200a"),
    "lines of their own": TASK.replace(" ", "\u2028"),
    "Mongolian separators": between("\u180e"),
    "Hangul fillers": TASK.replace(" ", " \u3164"),
    "wide letters": "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in TASK),
    "bold letters of mathematics": mapped(TASK, 0x1D41A, 0x1D400),
    "letters of a typewriter": mapped(TASK, 0x1D68A, 0x1D670),
    "circled letters": mapped(TASK, 0x24D0, 0x24B6),
    "Cyrillic letters": TASK.translate(CYRILLIC),
    "Greek letters": TASK.translate(GREEK),
    "a long s": TASK.replace("s", "\u017f"),
    "capitals": TASK.upper(),
    "annotations between lines": f"\ufff9{TASK}\ufffa\ufffb",
    "a null of another kind": between("\u2061"),
    "controls of format": between("\u206a"),
    "shorthand controls": between("\U0001bca0"),
    "a line turned around twice": f"\u202e{TASK[::-1]}\u202c",
}


@pytest.mark.parametrize("trick", SAME_TO_THE_EYE)
def test_what_looks_the_same_is_not_let_through_again(base: KnowledgeBase, trick: str) -> None:
    gate = base.gate("main")
    (first,) = gate.submit_many([Submission(TASK)])
    assert first.admitted
    (again,) = gate.submit_many([Submission(SAME_TO_THE_EYE[trick])])
    assert not again.admitted, f"{again.reason}: it was cleared"


OTHER_TO_THE_EYE: dict[str, str] = {
    "a number turned around": RULE.replace("30", "\u202e03\u202c").replace("days", "days"),
    "a number in an isolate turned around": RULE.replace("30", "\u2067\u202e04\u202c\u2069"),
    "a digit of another script": RULE.replace("30", "\u0664\u0660"),
    "a digit in superscript": RULE.replace("30", "30\u2070"),
    "a fraction": RULE.replace("30", "30\u00bd"),
    "a circled digit": RULE.replace("30", "\u2463\u24ea"),
    "a Roman number": RULE.replace("30", "\u216b"),
    "a wide digit": RULE.replace("30", "\uff14\uff10"),
    "a digit of mathematics": RULE.replace("30", "\U0001d7d2\U0001d7ce"),
    "a denial between signs that nobody sees": RULE.replace("are kept", "are n\u200bo\u200bt kept"),
    "a denial in wide letters": RULE.replace("are kept", "are \uff4e\uff4f\uff54 kept"),
    "a denial in bold letters": RULE.replace("are kept", f"are {mapped('not', 0x1D41A)} kept"),
    "a denial in Cyrillic letters": RULE.replace("are kept", "are n\u043et kept"),
    "a minus": RULE.replace("30", "\u221230"),
    "a word struck through by marks": RULE.replace("two", "two\u0338\u0338"),
    "Chinese digits": RULE.replace("30", "\u56db\u5341"),
    "a keycap": RULE.replace("30", "4\ufe0f\u20e30\ufe0f\u20e3"),
}


@pytest.mark.parametrize("trick", OTHER_TO_THE_EYE)
def test_what_looks_otherwise_is_not_merged(base: KnowledgeBase, trick: str) -> None:
    base.ingest([Source("a.md", RULE.encode), Source("b.md", OTHER_TO_THE_EYE[trick].encode)])
    assert sum(counts.n_blocks for counts in base.status().collections) == 2


STORMS = {
    "marks": "e" + "\u0301" * 10_000,
    "marks of many classes": ("e" + "\u0301\u0323\u0345\u0315" * 500) * 5,
    "marks out of order": "a" + "\u0315\u0300\u05ae\u0061" * 2_500,
    "Hangul parts": "\u1100\u1161\u11a8" * 3_300,
    "conjoining vowels": "\u1161" * 10_000,
    "Tibetan stacks": "\u0f40" + "\u0f71\u0f72" * 5_000,
    "ligatures that unfold": "\ufdfa" * 10_000,
    "letters that unfold": "\u0390\ufb03\u1e9b\u0323" * 2_500,
    "pictures of families": "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 2_000,
    "flags": "\U0001f1e6" * 10_000,
    "turns": "\u202e\u202d" * 5_000,
    "isolates": "\u2066" * 10_000,
    "tags": "\U000e0041" * 10_000,
    "private signs": "\ue000\U000f0000" * 5_000,
    "no signs at all": "\ufdd0\uffff" * 5_000,
    "zero-width signs": "\u200b" * 10_000,
}


@pytest.mark.parametrize("storm", STORMS)
def test_a_storm_of_signs_costs_little_and_hides_nothing(base: KnowledgeBase, storm: str) -> None:
    begun = time.process_time()
    text = STORMS[storm]
    normalise(text)
    base.ingest([Source("a.md", RULE.encode), Source("b.md", f"{RULE} {text}".encode)])
    base.search(text[:4_000])
    base.search(f"backups of the archive {text[:2_000]}")
    base.gate("main").submit_many([Submission(TASK), Submission(f"{TASK} {text}")])
    assert time.process_time() - begun < 4 * MOST_S


@pytest.mark.parametrize(
    "trick", ["zero-width spaces", "soft hyphens", "wide letters", "bold letters of mathematics", "no break spaces"]
)
def test_search_sees_through_what_nobody_sees(base: KnowledgeBase, trick: str) -> None:
    base.ingest([Source("a.md", TASK.encode), Source("b.md", RULE.encode)])
    assert TASK.split()[1] in base.search(SAME_TO_THE_EYE[trick]).hits[0].text
