"""What a conversation has told already, by the built-in embedding model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from saidonce.adapters.embed.minilm import MiniLM
from saidonce.errors import UsageError
from saidonce.quality.novelty import measure
from saidonce.repairs.conversation.novelty import unsaid

SAID = ["Hello!", "The bins are collected on Mondays at 7 in the morning."]


@pytest.fixture(scope="module")
def embedder() -> MiniLM:
    return MiniLM()


@pytest.mark.parametrize(
    ("text", "is_new"),
    [
        ("The bins are collected on Mondays at 7 in the morning.", False),
        ("the bins are collected on mondays at 7 in the morning", False),
        ("The bins are collected on Tuesdays at 7 in the morning.", True),
        ("The bins are not collected on Mondays at 7 in the morning.", True),
        ("Glass is collected every second Thursday.", True),
    ],
)
def test_a_repeat_is_what_says_no_more(embedder: MiniLM, text: str, is_new: bool) -> None:
    assert unsaid(embedder, SAID, [text]) == (is_new,)
    assert unsaid(embedder, [], [text]) == (True,)
    assert unsaid(embedder, ["", " "], [text, text]) == (True, True)


def test_repeats_in_dialogues_are_counted(embedder: MiniLM, tmp_path: Path) -> None:
    said = ["How can I help?", "The rent is 800 a month.", "The rent is 900 a month.", "how can I help?"]
    turns = [{"speaker": "system", "text": t} for t in said] + [{"speaker": "user", "text": "How can I help?"}]
    file = tmp_path / "d.jsonl"
    file.write_text(json.dumps({"id": "d1", "turns": turns}), encoding="utf-8")
    steps: list[None] = []
    report = measure(embedder, file, "system", lambda: steps.append(None))
    assert (report.n_dialogues, report.n_turns, report.n_verbatim, len(steps)) == (1, 3, 1, 1)
    assert (report.n_found_verbatim, report.n_other) == (1, 0)
    file.write_text('{"id": "d1", "turns": [{"text": "hi"}]}', encoding="utf-8")
    with pytest.raises(UsageError, match="d1"):
        measure(embedder, file, "system", lambda: None)
