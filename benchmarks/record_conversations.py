"""Record a real model on the scenarios of conversations, and print its results (tier 1).

    python -m benchmarks.record_conversations MODEL OUT.json [--url URL] [--sha256 HEX] [--key KEY] [--timeout S]
        [--scenarios FOLDER ...]

MODEL is named as the provider layer names it, such as anthropic:claude-haiku-4-5, or openai:NAME with the URL of a
compatible custom endpoint. OUT.json goes to tests/cases/conversation_recordings; recorded calls are not
repeated, so that an interrupted recording resumes. Scenarios in which the model errs on purpose are not
played.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from saidonce.adapters.embed.minilm import MiniLM
from saidonce.adapters.llm import open_chat
from saidonce.adapters.llm.cassette import Cassette, RecordingChat, read_cassette
from saidonce.adapters.llm.deadline import BoundedChat
from saidonce.app.repairs_service.played import PlayedService
from saidonce.foundation.settings.policy import load_settings
from saidonce.quality.conversation import ConversationReport, play_live
from saidonce.quality.scenario import read_scenarios
from saidonce.testing.memory import MemoryStore
from saidonce.testing.memory_conversations import MemoryConversations

SCENARIOS = Path(__file__).resolve().parents[1] / "tests" / "cases" / "conversation"


class _Patient:
    """Waits as long as recording takes, ignoring the scenarios' time-outs."""

    def __init__(self, chat: BoundedChat, timeout_s: float) -> None:
        self._chat = chat
        self._timeout_s = timeout_s

    @property
    def name(self) -> str:
        return self._chat.name

    def complete_within(self, *asked: object) -> str:
        instructions, prompt, schema = asked[:3]
        print(".", end="", file=sys.stderr, flush=True)
        return self._chat.complete_within(instructions, prompt, schema, self._timeout_s)  # type: ignore[arg-type]


def main(args: Sequence[str] | None = None) -> int:
    """Record, write the file, print the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("out", type=Path)
    parser.add_argument("--url", default="")
    parser.add_argument("--key", default="")
    parser.add_argument("--sha256", default="")
    parser.add_argument("--timeout", type=float, default=300.0)
    parser.add_argument("--scenarios", type=Path, action="append", help="a folder; may be repeated")
    parser.add_argument("--reworded", action="store_true", help="in every wording")
    options = parser.parse_args(args)
    fresh = Cassette(options.model, options.sha256, datetime.now(UTC).date().isoformat())
    cassette = read_cassette(options.out) if options.out.is_file() else fresh
    chat = BoundedChat(open_chat(options.model, options.timeout, options.url, options.key))
    tape = RecordingChat(_Patient(chat, options.timeout), cassette)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    try:
        scenarios = [s for folder in options.scenarios or [SCENARIOS] for s in read_scenarios(folder)]
        equip = PlayedService(load_settings(), MiniLM(), MemoryStore)
        report = play_live(scenarios, "v2", MemoryConversations, tape, options.reworded, equip)
    finally:  # What was said already is kept, and not asked again.
        options.out.write_text(cassette.as_json(), encoding="utf-8")
        chat.close()
    print(summary(report))
    return 0


def summary(report: ConversationReport) -> str:
    """Return a text on a model's results."""
    lines = [
        f"tool accuracy {report.tool_accuracy.n} of {report.tool_accuracy.of};"
        f" where the model was asked {report.asked.n} of {report.asked.of}, its own first choice {report.first.n}",
        f"scenarios right in every wording {report.every_wording.n} of {report.every_wording.of}",
        f"documented situations {report.seeds.n} of {report.seeds.of}",
        f"false issues {report.n_false}",
        f"model calls of a turn, 95th percentile: {report.calls_p95}; longest prompt: {report.max_tokens} tokens",
    ]
    wrong = [f"  {p.scenario}: {f}" for p in report.played if p.n_right < p.n_expected for f in p.failures]
    return "\n".join([*lines, *wrong])


if __name__ == "__main__":
    sys.exit(main())
