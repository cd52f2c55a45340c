"""What people have decided, as labelled pairs for calibration."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.context import Context
from saidonce.foundation.model import POLICY, Block, Verb
from saidonce.interfaces.cli import app
from saidonce.interfaces.cli.people import people_app
from saidonce.kb import review
from saidonce.kb.ingest import ingest, remove
from saidonce.kb.review import By
from saidonce.quality.decided import decided, score_decided
from saidonce.testing import MemoryStore
from world import CountingEmbedder, source, wired

ANN = By("ann")
KEYS = "Keys of the front door are kept by the caretaker, who notes down whoever takes one."
KEYS_AGAIN = "Keys of the front door are kept by the caretaker, who notes whoever takes one of them."
KEYS_30 = "Keys of the front door are given back after 30 days at the latest, or paid for."
KEYS_90 = "Keys of the front door are given back after 90 days at the latest, or paid for."
GARDEN = "Whoever waters the garden in summer writes the amount on the list in the shed."


@pytest.fixture
def context() -> Context:
    """A canonical collection of one paragraph a document, of which nothing merges unless a test asks for it."""
    made = wired(
        MemoryStore("north"),
        CountingEmbedder(),
        collection_use="canonical",
        merge_from=1.0,
        same_from=1.0,
        merge_investigate_from=0.6,
    )
    for name, content in {"a.md": KEYS, "b.md": KEYS_AGAIN, "c.md": KEYS_30, "d.md": KEYS_90, "e.md": GARDEN}.items():
        ingest(made, [source(name, content)], "main")
    return made


def block(context: Context, content: str) -> Block:
    found = [s.id for batch in context.store.segments("main") for s, _, _ in batch]
    return next(b for b in context.store.blocks(found).values() if b.text == content)


def told(context: Context) -> list[tuple[frozenset[str], bool | None]]:
    return [(frozenset({p.a.text, p.b.text}), p.may_merge) for p in decided(context).pairs]


def test_nothing_decided_is_no_pair(context: Context) -> None:
    assert context.store.ledger.flags_of([block(context, KEYS).id])
    assert (decided(context).pairs, decided(context).n_gone) == ((), 0)


def test_merges_may_and_what_is_kept_apart_may_not(context: Context) -> None:
    review.merge(context, ANN, block(context, KEYS).id, block(context, KEYS_AGAIN).id)
    review.keep_apart(context, ANN, block(context, KEYS_30).id, [block(context, KEYS_90).id, block(context, GARDEN).id])
    assert told(context) == [
        (frozenset({KEYS, KEYS_AGAIN}), True),
        (frozenset({KEYS_30, KEYS_90}), False),
        (frozenset({KEYS_30, GARDEN}), False),
    ]
    assert len({p.id for p in decided(context).pairs}) == 3


def test_a_conflict_may_not(context: Context) -> None:
    review.conflict(context, ANN, block(context, KEYS_30).id, [block(context, KEYS_90).id])
    assert told(context) == [(frozenset({KEYS_30, KEYS_90}), False)]


def test_what_was_taken_back_or_dismissed_says_nothing(context: Context) -> None:
    done = review.merge(context, ANN, block(context, KEYS).id, block(context, KEYS_AGAIN).id)
    review.revert(context, ANN, done.seq)
    flag = context.store.ledger.flags_of([block(context, KEYS_90).id])[0]
    review.dismiss(context, ANN, flag.seq)
    assert told(context) == []


def test_a_split_parts_what_left_from_what_stayed(context: Context) -> None:
    merged = review.merge(context, ANN, block(context, KEYS).id, block(context, KEYS_AGAIN).id)
    whole = review.current_block(context.store, merged.members[0])
    leaving = next(m for m in whole.members if m != whole.id)
    review.split(context, ANN, whole.id, [leaving])
    assert told(context) == [(frozenset({KEYS, KEYS_AGAIN}), True), (frozenset({KEYS, KEYS_AGAIN}), False)]


@pytest.mark.parametrize("wrong", [True, False])
def test_the_ladder_says_nothing_of_itself_but_an_audit_does(context: Context, wrong: bool) -> None:
    sure = replace(context, settings=context.settings.model_copy(update={"merge_from": 0.7}))
    ingest(sure, [source("f.md", KEYS + " ")], "main")
    (merge,) = [d for d in context.store.ledger.log() if d.verb is Verb.MERGE]
    assert merge.actor == POLICY
    assert told(context) == []
    review.audit(context, ANN, merge.seq, wrong)
    # Equal words that should not share a block say something of their places, not of the words.
    assert [may for _, may in told(context)] == ([] if wrong else [True])


def test_a_text_that_changed_since_is_still_known_and_one_that_was_removed_is_counted(context: Context) -> None:
    review.merge(context, ANN, block(context, KEYS).id, block(context, KEYS_AGAIN).id)
    review.keep_apart(context, ANN, block(context, KEYS_30).id, [block(context, KEYS_90).id])
    ingest(context, [source("c.md", GARDEN + " Twice.")], "main")
    assert told(context)[1] == (frozenset({KEYS_30, KEYS_90}), False)
    remove(context, "main", "d.md")
    assert (len(decided(context).pairs), decided(context).n_gone) == (1, 1)


def test_are_scored_with_the_documents_they_stand_in(context: Context) -> None:
    review.merge(context, ANN, block(context, KEYS).id, block(context, KEYS_AGAIN).id)
    review.keep_apart(context, ANN, block(context, KEYS_30).id, [block(context, KEYS_90).id])
    done: list[int] = []
    same, other = score_decided(context, decided(context), done.append)
    assert (same.may_merge, other.may_merge, other.held) == (True, False, True)
    assert same.similarity > 0.6
    assert (len(same.documents), len({*same.documents, *other.documents})) == (2, 4)
    assert sum(done) == 2


def test_the_command_measures_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, context: Context) -> None:
    monkeypatch.chdir(tmp_path)
    review.merge(context, ANN, block(context, KEYS).id, block(context, KEYS_AGAIN).id)
    review.keep_apart(context, ANN, block(context, KEYS_30).id, [block(context, KEYS_90).id])
    monkeypatch.setattr(KnowledgeBase, "base", context)
    monkeypatch.setattr(KnowledgeBase, "embedder", context.embedder)
    done = CliRunner().invoke(app, ["--data-dir", str(tmp_path), "calibrate", "--decisions", "--picture", "p.svg"])
    assert done.exit_code == 1, done.output
    assert "2 rows: 1 pairs may merge, 1 must stay apart" in done.stdout
    assert "nothing is certified" in done.stderr
    assert (tmp_path / "p.svg").exists()


def test_the_command_wants_pairs_of_some_kind(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["--data-dir", str(tmp_path), "calibrate"])
    assert done.exit_code == 2
    assert "--decisions" in done.stderr


def test_options_before_one_command_are_not_those_of_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []
    monkeypatch.setattr(KnowledgeBase, "__init__", lambda _, settings, **_options: opened.append(settings.data_dir))
    monkeypatch.setenv("SAIDONCE_DATA_DIR", str(tmp_path / "ours"))
    CliRunner().invoke(app, ["--data-dir", str(tmp_path / "theirs"), "status"])
    CliRunner().invoke(people_app, ["list"])
    assert opened == [tmp_path / "theirs", tmp_path / "ours"]
