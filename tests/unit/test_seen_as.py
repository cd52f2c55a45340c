"""What a reader sees of a text that hides what it is made of; plain texts, of any script, are as they were."""

from __future__ import annotations

import pytest

from saidonce.foundation.lookalikes import as_seen

SEEN = {
    "Cyrillic letters in a Latin word": ("C\u043eunt", "Count"),
    "words all of Cyrillic doubles in a Latin text": (
        "the \u0441\u043e\u0440 \u0430nd the k\u0435y",
        "the cop and the key",
    ),
    "Greek letters in a Latin word": ("c\u03bfunt \u039aeys", "count Keys"),
    "Latin letters in a Cyrillic word": ("\u0440a\u0431o\u0442a", "\u0440\u0430\u0431\u043e\u0442\u0430"),
    "wide letters and digits": ("\uff23\uff4f\uff55\uff4e\uff54 \uff13", "Count 3"),
    "bold letters of mathematics": ("\U0001d402\U0001d428\U0001d42e\U0001d427\U0001d42d", "Count"),
    "circled letters": ("\u24b8\u24de\u24e4\u24dd\u24e3", "Count"),
    "what nobody sees": ("C\u200bo\u00adu\u2060n\ufe0ft\u3164\U000e0041", "Count"),
    "a turned line": ("\u202etnuoC\u202c it", "Count it"),
    "a turned line that does not end": ("\u202etnuoC", "Count"),
}
AS_IT_WAS = {
    "ASCII": "Count the shirts.",
    "Russian": "\u0421\u043e\u0441\u0447\u0438\u0442\u0430\u0439, \u0430 \u043d\u0435 \u043d\u043e\u0441\u043a\u0438.",
    "Greek": "\u03a4\u03bf \u03bd\u03b5\u03c1\u03cc \u03c3\u03c4\u03bf \u03c3\u03c0\u03af\u03c4\u03b9.",
    "German": "Die Gr\u00f6\u00dfe der K\u00fcche betr\u00e4gt 10 m\u00b2.",
    "units": "10 \u03bcm, 5 k\u03a9",
    "Chinese with a Latin word": "\u6211\u4eec\u7528 PostgreSQL",
    "Japanese": "\u30c6\u30b9\u30c8 \u30ab\u30ca",
    "a fraction": "3\u00bd cups",
    "a Russian text with a Latin name": "\u0441\u0438\u0441\u0442\u0435\u043c\u0430 Windows",
    "Serbian": "\u0408\u0430 \u0441\u0430\u043c \u0443 \u043a\u0443\u045b\u0438",
    "nothing": "",
}


@pytest.mark.parametrize("name", SEEN)
def test_a_disguise_is_seen_through(name: str) -> None:
    text, seen = SEEN[name]
    assert as_seen(text) == seen
    assert as_seen(seen) == seen


@pytest.mark.parametrize("name", AS_IT_WAS)
def test_a_plain_text_is_as_it_was(name: str) -> None:
    assert as_seen(AS_IT_WAS[name]) == AS_IT_WAS[name]
