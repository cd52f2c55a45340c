"""Import paths of older versions: each still answers with the module that took its place, and warns once.

A finder in front of all others, so that a module is never loaded twice under two names.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

MOVED = {
    "access": "platform.access",
    "adjudicate": "adjudication",
    "base": "foundation.context",
    "channel": "adapters.senders",
    "chat": "adapters.llm",
    "converse": "repairs.conversation",
    "dedupe": "corpus.dedupe",
    "embed": "adapters.embed",
    "engine": "matching.guards",
    "evaluate": "quality",
    "facts": "matching.facts",
    "ingest": "kb.ingest",
    "integrations": "interfaces.integrations",
    "ladder": "matching.ladder",
    "learned": "adjudication.local_judge",
    "model": "foundation.model",
    "opine": "kb.second_opinions",
    "parse": "documents.parse",
    "policy": "foundation.settings.policy",
    "ports": "foundation.ports",
    "retrieve": "kb.search",
    "review": "kb.review",
    "store": "adapters.postgres",
    "text": "foundation.text",
    "vectors": "matching.vectors",
    "whatsapp": "repairs.channels",
}
"""Old name under `saidonce` to the new one; what lies below an old name lies below the new one."""


def new_name(name: str) -> str:
    """Return the present name of a module, or nothing for a name that was never moved."""
    package, _, rest = name.partition(".")
    first, dot, below = rest.partition(".")
    return f"saidonce.{MOVED[first]}{dot}{below}" if package == "saidonce" and first in MOVED else ""


class Moved(MetaPathFinder, Loader):
    """Finds modules by their old names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec for an old name, and None for any other."""
        del path, target
        return ModuleSpec(fullname, self) if new_name(fullname) else None

    def exec_module(self, module: ModuleType) -> None:
        """Put the module that took its place under the old name.

        Raises:
            ModuleNotFoundError: the package has moved, and holds no module of that name any more.
        """
        name = new_name(module.__name__)
        sys.modules[module.__name__] = import_module(name)
        warnings.warn(f"{module.__name__} has moved to {name}; the old name goes with the next release",
                      DeprecationWarning, stacklevel=2)  # fmt: skip


def install() -> None:
    """Answer to old names from now on; does nothing the second time."""
    if not any(isinstance(finder, Moved) for finder in sys.meta_path):
        sys.meta_path.insert(0, Moved())
