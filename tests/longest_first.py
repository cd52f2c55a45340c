"""Files of tests that take longest, longest first: nobody must be alone with a long one at the end."""

from __future__ import annotations

LONGEST = (
    "e2e/test_pages_in_a_browser.py",
    "e2e/test_repairs_in_a_browser.py",
    "docs/test_commands_of_the_figures.py",
    "e2e/test_notifications.py",
    "e2e/test_command_line.py",
    "e2e/test_adjudicator_faults.py",
    "e2e/test_mcp.py",
    "docs/test_reference.py",
    "e2e/test_chaos.py",
    "docs/test_json_schema.py",
    "e2e/test_issues_in_a_browser.py",
    "e2e/test_queue_in_a_browser.py",
    "e2e/test_repairs_over_http.py",
    "e2e/test_api.py",
    "docs/test_recipes.py",
    "e2e/test_backups.py",
    "e2e/test_judges_replies.py",
    "docs/test_release.py",
    "unit/conversation/test_two_channels_of_danger.py",
    "unit/documents/test_sandbox.py",
    "unit/matching/test_vectors.py",
    "e2e/test_dedupe_command.py",
    "flows/test_adjudicator_training.py",
    "unit/cli/test_command_table.py",
)
"""Below `tests`; all others follow in the order that they have."""


def place(path: str) -> int:
    """Return the place of a file in the order; the same for all that are not named."""
    named = [n for n, each in enumerate(LONGEST) if path.endswith(f"tests/{each}")]
    return named[0] if named else len(LONGEST)
