"""The library as an editor sees it: settings with completion, results with types, the same awaited.

python examples/library.py examples/handbook
"""

import asyncio
import sys
import tempfile

from saidonce import AsyncKnowledgeBase, KnowledgeBase


def ask(folder: str, data_dir: str) -> None:
    """Ingest a folder and ask it."""
    with KnowledgeBase(data_dir=data_dir, k=5, segment_style="paragraph") as kb:
        print(kb.ingest([folder], collection="handbook"))
        for hit in kb.search("how long do we keep backups?", collection="handbook").hits:
            print(f"{hit.relevance:.2f} {hit.text} ({', '.join(hit.documents)})")


async def ask_together(data_dir: str) -> None:
    """Ask two questions at the same time."""
    async with AsyncKnowledgeBase(data_dir=data_dir) as kb:
        questions = "how long do we keep backups?", "do we support single sign-on?"
        for report in await asyncio.gather(*(kb.search(question, k=1) for question in questions)):
            print(report)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as base:
        ask(sys.argv[1] if len(sys.argv) > 1 else "examples/handbook", base)
        asyncio.run(ask_together(base))
