"""An older program, for tests: these sources with fewer migrations, which ingest, ask and read until they are ended.

    python older_program.py DATABASE_URL FOLDER MIGRATIONS

It prints a line for each round, the number of documents that it sees, and ends when its standard input does.
"""

from __future__ import annotations

import itertools
import sys
import threading

from saidonce import KnowledgeBase
from saidonce.adapters.postgres import migrate
from saidonce.errors import SaidonceError
from saidonce.foundation.model import Source


def opened(url: str, folder: str) -> KnowledgeBase:
    """Open the base as a server would."""
    return KnowledgeBase(
        database_url=url, data_dir=folder, org="acme", collection_use="canonical", metrics_enabled=False,
        log_enabled=False,
    )  # fmt: skip


def one_round(base: KnowledgeBase, name: str, number: int) -> int:
    """Ingest one text more, ask for it, and give the number of documents that this program sees.

    Raises:
        AssertionError: something was refused, or is not there.
    """
    text = f"The key of {name} {number} hangs behind the door.\n\nWhoever takes the lamp puts it back by noon.\n"
    report = base.ingest([Source(f"{name}-{number}.md", text.encode)])
    assert len(report.written) == 1, report
    assert base.search(f"key of {name} {number}").hits
    assert base.why_document(f"{name}-{number}.md")
    seen = [document.name for document in base.documents()]
    assert f"{name}-{number}.md" in seen
    return len(seen)


def main(url: str, folder: str, n_migrations: str) -> int:
    """Go on until the input ends; 1, with the reason, if the base refuses this program."""
    older = migrate.migrations()[: int(n_migrations)]
    migrate.migrations = lambda: older
    ends = threading.Event()

    def wait_for_the_end() -> None:
        sys.stdin.read()
        ends.set()

    threading.Thread(target=wait_for_the_end, daemon=True).start()
    try:
        with opened(url, folder) as base:
            for number in itertools.count():
                print(one_round(base, "old", number), flush=True)
                if ends.is_set():
                    return 0
    except SaidonceError as refused:
        print(refused, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
