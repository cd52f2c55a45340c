"""Files of tests that take longest, longest first: nobody must be alone with a long one at the end."""

from __future__ import annotations

LONGEST = (
    "e2e/test_pages_in_a_browser.py",
    "docs/test_commands_of_the_figures.py",
    "e2e/test_repairs_in_a_browser.py",
    "e2e/test_notifications.py",
    "docs/test_reference.py",
    "e2e/test_mcp.py",
    "e2e/test_command_line.py",
    "e2e/test_judges_replies.py",
    "docs/test_json_schema.py",
    "unit/documents/test_sandbox.py",
    "e2e/test_chaos.py",
    "e2e/test_api.py",
    "unit/store/test_embedded.py",
    "e2e/test_dedupe_command.py",
    "security/test_hostile_words_shown.py",
    "e2e/test_adjudicator_faults.py",
    "flows/test_adjudicator_training.py",
    "e2e/test_issues_in_a_browser.py",
    "e2e/test_queue_in_a_browser.py",
    "e2e/test_repairs_commands.py",
    "contract/test_gates.py",
    "e2e/test_backups.py",
    "docs/test_recipes.py",
    "unit/matching/test_vectors.py",
    "security/test_doors.py",
    "contract/test_erasing_a_person.py",
    "contract/test_store_isolation.py",
    "contract/test_pairs.py",
    "e2e/test_serving.py",
    "unit/quality/test_calibrate.py",
    "e2e/test_people_commands.py",
    "unit/recognition/test_recognised_words.py",
    "unit/conversation/test_two_channels_of_danger.py",
    "conversation/test_recorded.py",
    "conversation/test_injection.py",
    "conversation/test_evaluator.py",
)
"""Below `tests`; all others follow in the order that they have."""


def place(path: str) -> int:
    """Return the place of a file in the order; the same for all that are not named."""
    named = [n for n, each in enumerate(LONGEST) if path.endswith(f"tests/{each}")]
    return named[0] if named else len(LONGEST)
