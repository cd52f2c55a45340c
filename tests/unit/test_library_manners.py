"""What a program that uses the library meets: typed settings, short reprs, and the same methods awaited."""

from __future__ import annotations

import asyncio
import inspect
import threading
from pathlib import Path
from typing import Literal

import pytest

from saidonce import AsyncKnowledgeBase, KnowledgeBase, Settings, Submission
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.app.setting_options import SettingOptions
from saidonce.errors import NotFoundError, SettingsError
from saidonce.kb.search.report import shorten
from saidonce.testing import MemoryStore


def base(folder: Path, use: Literal["evidence", "canonical"] = "evidence") -> KnowledgeBase:
    made = KnowledgeBase(data_dir=folder, log_enabled=False, collection_use=use)
    made._lazy.opened |= {"store": MemoryStore("default"), "embedder": HashedEmbedder()}
    return made


@pytest.fixture
def kb(tmp_path: Path) -> KnowledgeBase:
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "a.md").write_text("# Backups\n\nBackups are kept for thirty days, and then removed from all servers.\n")
    (folder / "b.md").write_text("# Canteen\n\nThe canteen serves soup and salad on Mondays, as a rule.\n")
    return base(tmp_path / "base")


def test_every_setting_is_a_typed_argument() -> None:
    assert set(SettingOptions.__annotations__) == set(Settings.model_fields)


def test_an_unknown_setting_is_refused_by_name() -> None:
    with pytest.raises(SettingsError, match="data_dri"):
        KnowledgeBase(data_dri="./base")  # type: ignore[call-arg]


def test_every_public_method_is_awaited_with_the_same_arguments() -> None:
    for name, method in inspect.getmembers(KnowledgeBase, inspect.isfunction):
        if name.startswith("_") or name in ("for_org", "gate", "as_person", "context_over"):
            continue
        other = getattr(AsyncKnowledgeBase, name)
        assert inspect.iscoroutinefunction(other), name
        assert inspect.signature(other) == inspect.signature(method), name
        assert name == "close" or other.__doc__ == method.__doc__, name


def test_searches_run_beside_each_other_off_the_loop(kb: KnowledgeBase, tmp_path: Path) -> None:
    async def run() -> None:
        async with AsyncKnowledgeBase.of(kb) as awaited:
            report = await awaited.ingest([tmp_path / "handbook"])
            assert len(report.written) == 2
            questions = ["how long are backups kept?", "what does the canteen serve?"]
            backups, canteen = await asyncio.gather(*(awaited.search(q, k=1) for q in questions))
            assert "thirty days" in backups.hits[0].text
            assert canteen.hits[0].document.endswith("b.md")
            assert await awaited.run(threading.get_ident) != threading.get_ident()
            with pytest.raises(NotFoundError):
                await awaited.search("backups", collection="nowhere")

    asyncio.run(run())


def test_one_path_is_no_sequence_of_letters(kb: KnowledgeBase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was read letter by letter: `.` and `/` are folders."""
    monkeypatch.chdir(tmp_path / "handbook")
    (source,) = kb.find("a.md").sources
    with kb:
        assert len(kb.ingest("./a.md").written) == 1
        assert len(kb.ingest(tmp_path / "handbook" / "b.md").written) == 1
        assert len(kb.ingest(source).documents) == 1
        assert [document.title for document in kb.documents()] == ["Backups", "Canteen"]


def test_an_unknown_collection_is_named_with_those_there_are(kb: KnowledgeBase, tmp_path: Path) -> None:
    with kb:
        assert kb.documents() == []
        kb.ingest(tmp_path / "handbook", "policies")
        for ask in (lambda: kb.documents("polices"), lambda: kb.remove("a.md", "polices")):
            with pytest.raises(NotFoundError, match="no collection 'polices'; there are: policies"):
                ask()


def test_results_say_what_they_are_on_one_short_line(kb: KnowledgeBase, tmp_path: Path) -> None:
    with kb:
        ingested = kb.ingest([tmp_path / "handbook"])
        answered = kb.search("how long are backups kept?")
        shown = [repr(each) for each in (kb, AsyncKnowledgeBase.of(kb), ingested, answered, answered.hits[0])]
    assert shown[0] == f"KnowledgeBase('default' in {tmp_path / 'base'})"
    assert shown[1] == f"Async{shown[0]}"
    assert shown[2].startswith("IngestReport('main', n_documents=2")
    assert shown[3].startswith("SearchReport('how long are backups kept?', hits=")
    assert shown[4].startswith("Hit('Backups are kept for thirty days")
    assert all(len(line) < 200 and "\n" not in line for line in shown[2:])


def test_every_result_is_one_short_line(tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "a.md").write_text("# Backups\n\nBackups are kept for thirty days, and then removed from all servers.\n")
    (folder / "b.md").write_text("# Canteen\n\nThe canteen serves soup and salad on Mondays, as a rule.\n")
    (folder / "c.md").write_text("# Copies\n\nBackups are kept for ninety days, and then removed from all servers.\n")
    with base(tmp_path / "base", "canonical") as kb:
        first, again = kb.ingest([folder]), kb.ingest([folder])
        answer = kb.ask("how long are backups kept?")
        gate = kb.gate("tasks")
        block = kb.search("how long are backups kept?").hits[0].block
        shown = {
            "IngestReport('main', n_documents=3": first,
            "IngestReport('main', unchanged=3)": again,
            "Answer('how long are backups kept?', verbatim: 'Backups are kept for": answer,
            "PackedContext('how long are backups kept?', passages=": kb.context("how long are backups kept?"),
            f"Explanation({block.id[:8]}: 'Backups are kept for": kb.why(block.id),
            "Reranked(documents=2, repeats=0, conflicts=1)": (
                ranked := kb.rerank("how long?", ["Kept for 30 days.", "Kept for 90 days."])
            ),
            "RerankedDocument(": ranked.documents[0],
            "BaseStatus('default', rev=": kb.status(),
            "Proposed(": kb.propose("Soup is served.", "main"),
            "GateVerdict(gv-": gate.check(Submission("Count the shirts.", "Inventory")),
            "Decision(": kb.decisions()[0],
            "PairView(flag ": kb.pair(kb.queue()[0].flag.seq),
        }
    assert answer.text.startswith("Backups are kept for")
    for beginning, result in shown.items():
        assert repr(result).startswith(beginning), repr(result)
        assert len(repr(result)) < 250, repr(result)
        assert "\n" not in repr(result)


@pytest.mark.parametrize(
    ("text", "short"),
    [("", ""), ("a\n b", "a b"), ("x" * 60, "x" * 60), ("x" * 61, "x" * 59 + "…"), ("a " * 500, "a " * 29 + "a…")],
)
def test_a_long_text_is_shortened(text: str, short: str) -> None:
    assert shorten(text) == short
