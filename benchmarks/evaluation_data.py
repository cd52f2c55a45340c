"""The evaluation data: its files, its folder, and one line if it is missing.

    python -m benchmarks.evaluation_data

Lists each file with its content and whether it exists. Its licences keep it out of the repository;
docs/evaluation-data.md says where it comes from and which fields a row has.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VARIABLE = "EVALUATION_DATA"
MANIFEST = "MANIFEST.json"
MISSING = 2
"""Exit code where the data is not there."""

DATA = {
    "pairs.jsonl.gz": "labelled pairs of sentences from public sets",
    "question_clusters.jsonl.gz": "questions that ask the same, grouped",
    "dialogues.jsonl.gz": "dialogues with a booking assistant",
    "doc_pairs.jsonl.gz": "blocks of two releases of real documentation",
    "coexisting_pairs.jsonl.gz": "look-alike blocks of one release",
    "summedits.jsonl.gz": "summaries and edits of them, judged by people",
    "kb_docs.jsonl.gz": "whole documents, two releases each",
    "kb_citizens.jsonl.gz": "pages of public guidance",
    "kb_citizens_pairs.jsonl.gz": "blocks that such pages repeat",
    "kb_nist_controls.jsonl.gz": "security controls, two revisions",
    "kb_nist_pairs.jsonl.gz": "the same controls in two revisions",
    "kb_nist_coexisting.jsonl.gz": "look-alike controls of one revision",
    "emergency_word_traps.jsonl.gz": "sentences with words of danger that are no emergency",
    "disaster_messages.jsonl.gz": "messages written during disasters",
    "retrieval/scifact": "abstracts, queries and relevance; the same with planted copies",
    "retrieval/cranfield": "abstracts, queries and relevance",
    "documents": "files in all formats, with the text that people checked",
}
"""What benchmarks and tests read: a file or folder, and what it holds."""


def folder() -> Path:
    """Return the folder of the data: the one named by EVALUATION_DATA, or else one near the repository.

    Near are `data` beside the repository and `data` in a folder beside it, the first by name with a manifest; without
    any, `data` beside the repository, where it then is missing.
    """
    if named := os.environ.get(VARIABLE):
        return Path(named).resolve()
    beside = ROOT.parent
    manifests = [beside / "data" / MANIFEST, *sorted(beside.glob(f"*/data/{MANIFEST}"))]
    return next((each.parent for each in manifests if each.is_file()), beside / "data")


FOLDER = folder()


def missing(name: str, where: Path = FOLDER) -> str:
    """Return the message that names the required data and how to get it."""
    held = next((what for known, what in DATA.items() if name == known or name.startswith(f"{known}/")), "")
    return (
        f"this needs the evaluation data {name}{f' ({held})' if held else ''}, which is not in {where}:"
        f" docs/evaluation-data.md says where to get it; name its folder in {VARIABLE}"
    )


def needed(name: str, where: Path = FOLDER) -> Path:
    """Return the path of a file or folder of the evaluation data.

    Raises:
        SystemExit: it is missing; one line names it and how to get it.
    """
    path = where / name
    if not path.exists():
        sys.stderr.write(f"{missing(name, where)}\n")
        raise SystemExit(MISSING)
    return path


def main() -> int:
    """List the data and whether it exists; exit with 2 if any is missing."""
    absent = [name for name in DATA if not (FOLDER / name).exists()]
    sys.stdout.write(f"{FOLDER}\n")
    for name, what in DATA.items():
        sys.stdout.write(f"{'missing' if name in absent else 'there':<9}{name:<32}{what}\n")
    return MISSING if absent else 0


if __name__ == "__main__":
    sys.exit(main())
