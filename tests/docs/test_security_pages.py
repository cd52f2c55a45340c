"""Every promise of the pages about security names a test or a file that exists, and ASVS is there as a whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from saidonce.foundation.settings.policy import Settings
from saidonce.interfaces.http import chat, connections, middleware
from saidonce.interfaces.http.revoked_sessions import SESSION_S
from saidonce.platform import attempts

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "SECURITY.md", ROOT / "docs" / "security.md", ROOT / "docs" / "security-asvs.md"]
NAMED = re.compile(r"`((?:tests|docs|src|supply_chain)/[\w./-]+)(?:::(\w+))?`")
LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[\w-]+)?\)")

LEVEL_2 = {
    "1.1": 2, "1.2": 9, "1.3": 11, "1.4": 3, "1.5": 2, "2.1": 3, "2.2": 3, "2.3": 4, "2.4": 1, "3.2": 2, "3.3": 4,
    "3.4": 6, "3.5": 5, "3.7": 2, "4.1": 3, "4.2": 1, "4.3": 2, "4.4": 4, "5.1": 1, "5.2": 3, "5.3": 2, "5.4": 3,
    "6.1": 3, "6.2": 12, "6.3": 4, "6.4": 4, "6.5": 5, "6.6": 3, "6.8": 4, "7.1": 3, "7.2": 4, "7.3": 2, "7.4": 5,
    "7.5": 2, "7.6": 2, "8.1": 2, "8.2": 3, "8.3": 1, "8.4": 1, "9.1": 3, "9.2": 4, "10.1": 2, "10.2": 2, "10.3": 4,
    "10.4": 11, "10.5": 5, "10.6": 2, "10.7": 3, "11.1": 2, "11.2": 3, "11.3": 3, "11.4": 4, "11.5": 1, "11.6": 1,
    "12.1": 3, "12.2": 2, "12.3": 4, "13.1": 1, "13.2": 5, "13.3": 2, "13.4": 5, "14.1": 2, "14.2": 4, "14.3": 3,
    "15.1": 3, "15.2": 3, "15.3": 7, "16.1": 1, "16.2": 5, "16.3": 4, "16.4": 3, "16.5": 3, "17.1": 1, "17.2": 4,
    "17.3": 2,
}  # fmt: skip
"""How many requirements of levels 1 and 2 each section of ASVS 5.0.0 has; they are its first ones."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_names_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for path, test in NAMED.findall(text):
        file = ROOT / path
        assert file.exists(), f"{page.name} names {path}, which is not there"
        if test:
            assert f"def {test}(" in file.read_text(encoding="utf-8"), f"{page.name} names {path}::{test}"
    for target in LINK.findall(text):
        assert (page.parent / target).resolve().exists(), f"{page.name} links to {target}"


def test_promises_name_tests() -> None:
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    promises = text.partition("## What is promised")[2].partition("\n## ")[0]
    rows = [line for line in promises.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 15
    for row in rows:
        assert "::test_" in row or "the same" in row, f"no test proves: {row}"


def numbers(cell: str) -> list[str]:
    """The requirements that a row is about: `1.2.1`, `1.2.1–1.2.3`, several of these."""
    found = []
    for part in cell.split(", "):
        first, _, last = part.partition("–")
        section, _, low = first.rpartition(".")
        high = last.rpartition(".")[2] or low
        assert not last or last.startswith(f"{section}."), cell
        found += [f"{section}.{n}" for n in range(int(low), int(high) + 1)]
    return found


def test_every_requirement_of_level_2_has_one_answer() -> None:
    text = (ROOT / "docs" / "security-asvs.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if re.match(r"\| \d", line)]
    answered = [number for cells in rows for number in numbers(cells[0])]
    expected = [f"{section}.{n}" for section, most in LEVEL_2.items() for n in range(1, most + 1)]
    assert sorted(answered) == sorted(expected)
    counts = {"yes": 0, "no": 0, "n/a": 0}
    for cells in rows:
        _, asked, answer, where = cells
        assert answer in counts, cells
        assert len(where) > 3 or answer == "n/a", f"{cells[0]}: where is it tested, or why not?"
        assert len(asked) < 90, "our own short words"
        counts[answer] += len(numbers(cells[0]))
    said = re.search(r"Of (\d+) requirements (\d+) are met .* (\d+) are not.*\n.* (\d+) are about", text)
    assert said is not None
    assert [int(n) for n in said.groups()] == [len(expected), counts["yes"], counts["no"], counts["n/a"]]


def test_the_limits_on_the_page_are_those_of_the_program() -> None:
    text = (ROOT / "docs" / "how-to" / "serve.md").read_text(encoding="utf-8").partition("## Limits")[2]
    settings = {name: field.default for name, field in Settings.model_fields.items()}
    for name, shown in re.findall(r"`(\w+)` \(([\d,]+)", text):
        assert float(shown.replace(",", "")) == settings[name], name
    assert all(settings[name] == 0 for name in ("gate_budget_calls_per_day", "gate_budget_cost_per_day"))
    for sentence in (
        f"{attempts.FREE} wrong keys, then it waits, at most {attempts.LONGEST_WAIT_S:.0f} s",
        f"a body of {middleware.STRANGER_BYTES // 1024} KiB",
        f"a form or call of {middleware.FORM_BYTES // 2**20} MiB",
        f"a channel's post of {middleware.WEBHOOK_BYTES // 2**20} MiB",
        f"{SESSION_S // 86_400} days without use",
        f"{chat.MOST_A_MINUTE} messages a minute",
        f"{middleware.AT_ONCE} requests at once, further ones wait up to {middleware.SHARE_WAIT_S:.0f} s",
        f"{connections.MOST_CONNECTIONS:,} connections, {connections.HEADER_S:.0f} s for the head",
    ):
        assert sentence in text, sentence
