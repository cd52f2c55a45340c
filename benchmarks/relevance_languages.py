"""What the relevance cut does to questions in languages that the built-in model reads badly or not at all.

    python -m benchmarks.relevance_languages [questions|later|garden]

Passages and questions are in `tests/cases/relevance/languages_*.jsonl`. `questions` were written before the rules for
such languages, which were chosen on them; `later` ones after, and asked for the figures alone. `garden` ones are in
Japanese, Korean, Chinese, Arabic, Italian, Portuguese, Dutch and Polish, written before words of these were read by
their endings and parts; their passages join the others'.

Each language is asked in a base of all, then in one of its own.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.relevance import CASES, K
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.context import Context, Source
from saidonce.foundation.model import Filters
from saidonce.kb.ingest import ingest
from saidonce.kb.search import Hit, SearchIndex, search

ORG = "languages"
ALL = "all"
GARDEN = "garden"


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph of a document in one language."""

    id: str
    document: str
    language: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question, with the id of the passage that answers it; None where none does."""

    id: str
    language: str
    answer: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Figures:
    """What became of the questions of one language.

    Attributes:
        n_first: whose passage is the first hit.
        n_shown: whose passage is among the first hits.
        n_nothing: which find nothing, though a passage answers them.
        n_answered: which find something, though nothing answers them.
        wrong_first: relevance of each first hit that is not the passage.
    """

    n_first: int
    n_shown: int
    n_nothing: int
    n_answered: int
    wrong_first: tuple[float, ...]

    @property
    def row(self) -> str:
        """The figures in one line."""
        ordered = sorted(self.wrong_first)
        middle = f"{ordered[len(ordered) // 2]:.2f}" if ordered else "-"
        wrong = f"{len(ordered)} wrong first hits, median {middle}, {sum(r >= 0.9 for r in ordered)} at .90 or more"
        right = f"{self.n_first} first, {self.n_shown} shown, {self.n_nothing} nothing"
        return f"{right} | {self.n_answered} answered | {wrong}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures of each language, in a base of all and in one of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "asked", nargs="?", default="questions", choices=("questions", "later", GARDEN), help="which questions"
    )
    asked_set = parser.parse_args(arguments).asked
    every, texts_of = questions(asked_set), passages(asked_set)
    wanted = sorted({question.language for question in every})
    with (
        TemporaryDirectory() as folder,
        KnowledgeBase(data_dir=Path(folder), org=ORG, metrics_enabled=False, segment_style="whole") as opened,
    ):
        context = opened.base
        for base in (ALL, *wanted):
            ingest(context, sources([p for p in texts_of if base in (ALL, p.language)]), base, None)
        index = SearchIndex(context.embedder.model, context.embedder.dim)
        texts = {passage.id: passage.text for passage in texts_of}
        for language in wanted:
            asked = [question for question in every if question.language == language]
            for base in (ALL, language):
                print(f"{language} in {base}: {figures(asked, texts, partial(_hits, context, index, base)).row}")
    return 0


def passages(which: str = "questions") -> list[Passage]:
    """Return the passages of all languages among which questions are asked."""
    names = ("passages", "garden_passages") if which == GARDEN else ("passages",)
    return [Passage(**row) for name in names for row in _rows(name)]


def questions(which: str = "questions") -> list[Question]:
    """Return the questions of all languages."""
    return [Question(**row) for row in _rows(which)]


def figures(asked: Sequence[Question], texts: Mapping[str, str], ask: Callable[[str], Sequence[Hit]]) -> Figures:
    """Ask questions and count."""
    n_first = n_shown = n_nothing = n_answered = 0
    wrong: list[float] = []
    for question in asked:
        hits = ask(question.text)
        if question.answer is None:
            n_answered += bool(hits)
            wrong += [hit.relevance for hit in hits[:1]]
            continue
        shown = [hit.block.text == texts[question.answer] for hit in hits]
        n_first, n_shown = n_first + any(shown[:1]), n_shown + any(shown)
        n_nothing += not hits
        wrong += [hit.relevance for hit, is_right in zip(hits[:1], shown, strict=False) if not is_right]
    return Figures(n_first, n_shown, n_nothing, n_answered, tuple(wrong))


def _hits(context: Context, index: SearchIndex, base: str, query: str) -> Sequence[Hit]:
    return search(context, index, query, Filters(collections=(base,)), K).hits


def _rows(name: str) -> list[dict[str, str]]:
    lines = (CASES / "relevance" / f"languages_{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def sources(chosen: Sequence[Passage]) -> list[Source]:
    """Return the documents of passages."""
    documents: dict[str, list[str]] = {}
    for passage in chosen:
        documents.setdefault(passage.document, [f"# {passage.title}"]).append(passage.text)
    return [Source(name, "\n\n".join(parts).encode) for name, parts in documents.items()]


if __name__ == "__main__":
    sys.exit(main())
