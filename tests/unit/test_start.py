"""What the product loads when it starts: neither the evaluation nor the stores and fakes of tests."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import saidonce

NOT_AT_START = ("saidonce.quality", "saidonce.testing")
OF_OTHERS = ("saidonce.interfaces.integrations", "saidonce.__main__")
SHOWN_LATER = tuple(f"saidonce.interfaces.views.{name}" for name in ("reports", "questions", "catalogue"))
"""Answers of the evaluation's commands, which those import when they print."""

LOADING = """
import sys
from importlib import import_module
for name in {names!r}:
    import_module(name)
print([name for name in sys.modules if name.startswith({not_at_start!r})])
"""


def modules_of_the_product() -> list[str]:
    """All modules but those of evaluation and tests; integrations need libraries of others."""
    found = ["saidonce"]

    def below(path: list[str], package: str) -> None:
        for module in pkgutil.iter_modules(path, f"{package}."):
            if not module.name.startswith(
                (*NOT_AT_START, *SHOWN_LATER, "saidonce.interfaces.integrations", "saidonce.__main__")
            ):
                found.append(module.name)
                if module.ispkg:
                    below([f"{path[0]}/{module.name.rpartition('.')[2]}"], module.name)

    below(list(saidonce.__path__), "saidonce")
    return found


def test_no_module_of_the_product_loads_evaluation_or_fakes_when_it_is_imported() -> None:
    names = modules_of_the_product()
    assert {
        "saidonce.interfaces.http.server",
        "saidonce.interfaces.worker.jobs",
        "saidonce.interfaces.cli.gate",
    } <= set(names)
    code = LOADING.format(names=names, not_at_start=NOT_AT_START)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


NOT_IN_A_SEARCH = (
    "httpx2",
    "httpcore2",
    "saidonce.repairs",
    "saidonce.interfaces.views",
)
"""What a search has no use for and is slow to load: an HTTP client, the conversation, and the answers as JSON."""


def test_a_search_loads_no_http_client_no_conversation_and_no_json() -> None:
    names = ("saidonce.app.knowledge_base", "saidonce.interfaces.cli.render", "saidonce.interfaces.cli.main_commands")
    code = LOADING.format(names=names, not_at_start=NOT_IN_A_SEARCH)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
