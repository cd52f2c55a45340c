"""The contract of the pair table, kept by every store, as those who fill and read it see it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.foundation.context import Context
from saidonce.foundation.model import (
    MOST_NEAR,
    Block,
    Equivalence,
    NearText,
    Rewording,
    TextPair,
    Vector,
    text_id,
)
from saidonce.foundation.ports import Store
from saidonce.kb.ingest import ingest, remove
from saidonce.kb.pairs import NearTexts, catch_up, compare_texts, rebuild_pairs, rule_in_force
from saidonce.kb.pairs.comparison import candidate_of
from saidonce.kb.reembed import reembed
from saidonce.matching.vectors import canonical_cosine
from thinned import slow
from world import source, wired

Open = Callable[[str], Store]

THIRTY = "Backups of the archive are kept for 30 days in two regions and tested every month by the operations team."
NINETY = THIRTY.replace("30", "90")
HEATING = "The heating of both houses is serviced every October by the firm that installed it."
DRAWN = random.Random(3)


def alike(n: int) -> str:
    """One of many sentences that are all near each other."""
    return f"Room {n} of the house has {n % 7} keys in the blue cabinet at the door of the {'abcdefgh'[n % 8]} wing."


def context_on(store: Store, **settings: Any) -> Context:
    known: dict[str, Any] = {"dedup_from": 0.8, "repeat_enabled": False, **settings}
    return wired(store, HashedEmbedder(64), **known)


ON_A_SERVER = pytest.mark.parametrize("opened", ["embedded", slow("memory"), slow("external")], indirect=True)
"""The longest ones; stores are held against each other by `test_store_programs`."""


@pytest.fixture
def context(opened: Open, org: str) -> Context:
    return context_on(opened(org))


def fresh_cache(context: Context) -> NearTexts:
    return NearTexts(context.embedder.model, context.embedder.dim)


def put(context: Context, **documents: str) -> None:
    ingest(context, [source(name, text) for name, text in documents.items()], "main")


def table(context: Context) -> list[TextPair]:
    return [pair for batch in context.store.pairs.listed() for pair in batch]


def live_texts(context: Context) -> dict[str, tuple[str, Vector]]:
    """Words and vectors of all live texts, by name."""
    texts: dict[str, tuple[str, Vector]] = {}
    for batch in context.store.changes(context.embedder.model, 0):
        for row in batch:
            if not row.gone:
                assert row.text is not None
                block = context.store.blocks([row.block_id])[row.block_id]
                texts[text_id(row.text_key, row.kind, row.language)] = (block.text, row.text)
    return texts


def by_brute_force(context: Context) -> list[TextPair]:
    """The table as its definition has it: all of each text's nearest, all compared."""
    texts, rule = live_texts(context), rule_in_force(context)
    similar = {(a, b): canonical_cosine(texts[a][1], texts[b][1]) for a, b in combinations(sorted(texts), 2)}
    wanted = set()
    for name in texts:
        near = [(-s, a if b == name else b, (a, b)) for (a, b), s in similar.items() if name in (a, b)]
        wanted |= {pair for negative, _, pair in sorted(near)[:MOST_NEAR] if -negative >= rule.similarity_from}
    pairs = []
    for a, b in sorted(wanted):
        accord = compare_texts(candidate_of(a, texts[a][0]), candidate_of(b, texts[b][0]))
        found = (accord.agreement.value, accord.objections, accord.unaccounted)
        pairs.append(TextPair(a, b, similar[a, b], rule.guards, *found))
    return pairs


def test_a_pair_is_listed_and_compared_once_it_was_caught_up(context: Context) -> None:
    put(context, a=THIRTY, b=NINETY, c=HEATING)
    rule = rule_in_force(context)
    assert context.store.pairs.counts(rule).n_waiting == 3
    done = catch_up(context, fresh_cache(context))
    assert (done.n_listed, done.n_compared) == (3, 1)
    (pair,) = table(context)
    assert pair.agreement == "objected"
    assert {o.a.text for o in pair.objections} | {o.b.text for o in pair.objections} >= {"30 days", "90 days"}
    assert context.store.pairs.counts(rule).n_waiting == 0
    assert [pair] == by_brute_force(context)
    assert catch_up(context, fresh_cache(context)).n_listed == 0


def test_a_text_that_stands_in_many_documents_is_one_text(context: Context) -> None:
    put(context, **{f"d{n}": f"{THIRTY}\n\n{alike(n)}" for n in range(4)}, other=NINETY)
    catch_up(context, fresh_cache(context))
    assert context.store.pairs.counts(rule_in_force(context)).n_texts == context.store.pairs.n_texts() == 6
    assert table(context) == by_brute_force(context)


def test_a_pair_goes_with_the_last_block_of_one_of_its_texts(context: Context) -> None:
    put(context, a=THIRTY, b=f"{THIRTY}\n\n{HEATING}", c=NINETY)
    catch_up(context, fresh_cache(context))
    before = table(context)
    remove(context, "main", "a")
    assert table(context) == before != []
    remove(context, "main", "b")
    assert table(context) == []
    assert context.store.pairs.counts(rule_in_force(context)).n_texts == 1


def test_a_document_that_comes_again_leaves_its_pairs_as_they_were(context: Context) -> None:
    put(context, a=THIRTY, b=NINETY)
    catch_up(context, fresh_cache(context))
    before = table(context)
    put(context, a=f"{THIRTY}\n\n{HEATING}")
    assert table(context) == before
    put(context, a=HEATING)
    assert table(context) == []


@ON_A_SERVER
def test_it_is_what_its_definition_says_in_whatever_order_texts_came_and_went(context: Context) -> None:
    cache, other_process = fresh_cache(context), fresh_cache(context)
    numbers = list(range(60))
    DRAWN.shuffle(numbers)
    for place in range(0, 60, 6):
        put(context, **{f"d{n}": alike(n) for n in numbers[place : place + 6]})
        if place in (12, 18, 36):
            catch_up(context, cache)
        if place == 24:
            catch_up(context, other_process)
        if place in (30, 36):
            for n in numbers[place - 12 : place - 8]:
                remove(context, "main", f"d{n}")
        if place == 42:
            catch_up(context, other_process)
    catch_up(context, cache)
    assert len(table(context)) > 52 * MOST_NEAR / 2
    assert table(context) == by_brute_force(context)


@ON_A_SERVER
def test_a_rebuild_makes_the_same_table(context: Context) -> None:
    put(context, **{f"d{n}": alike(n) for n in range(30)})
    cache = fresh_cache(context)
    assert rebuild_pairs(context, cache).is_same is None
    put(context, **{f"e{n}": alike(n) for n in range(30, 40)})
    remove(context, "main", "d3")
    catch_up(context, cache)
    before = table(context)
    report = rebuild_pairs(context, fresh_cache(context))
    assert report.is_same is True
    assert table(context) == before
    altered = replace(before[0], agreement="same", objections=(), unaccounted=())
    context.store.pairs.put_answers([altered])
    assert rebuild_pairs(context, cache).is_same is False
    assert table(context) == before


def test_what_was_stopped_goes_on(context: Context) -> None:
    put(context, **{f"d{n}": alike(n) for n in range(12)})

    class KilledError(Exception):
        pass

    def kill(_what: str, done: int, _all: int) -> None:
        if done:
            raise KilledError

    for _ in range(2):
        with pytest.raises(KilledError):
            catch_up(context, fresh_cache(context), on_step=kill)
    catch_up(context, fresh_cache(context))
    assert table(context) == by_brute_force(context)


def test_so_many_pairs_are_compared_as_the_caller_allows(context: Context) -> None:
    put(context, **{f"d{n}": alike(n) for n in range(12)})
    assert catch_up(context, fresh_cache(context), most=5).n_compared == 5
    counts = context.store.pairs.counts(rule_in_force(context))
    assert (counts.n_unlisted, counts.n_unjudged) == (7, counts.n_pairs - 5)
    assert catch_up(context, fresh_cache(context), most=0).n_compared == 0


def test_pairs_that_other_guards_compared_are_compared_again(context: Context) -> None:
    put(context, a=THIRTY, b=NINETY)
    catch_up(context, fresh_cache(context))
    (pair,) = table(context)
    for version in ("0", "zzz"):
        context.store.pairs.put_answers([replace(pair, guards=version, agreement="same")])
        assert context.store.pairs.counts(rule_in_force(context)).n_unjudged == 1
        catch_up(context, fresh_cache(context))
        assert table(context) == [pair]


def test_open_pairs_are_compared_again_when_another_judge_is_there(context: Context) -> None:
    put(context, a=THIRTY, b=NINETY)
    catch_up(context, fresh_cache(context))
    (pair,) = table(context)
    rule = rule_in_force(context)
    asked = ((Rewording("They are kept.", "They remain.", "en"), Equivalence(is_same=True, score=0.75)),)
    heard_of = replace(pair, agreement="open", judge="j1", judged="same", answers=asked)
    context.store.pairs.put_answers([heard_of])
    assert table(context) == [heard_of]
    assert [near.pair for near in context.store.pairs.near_block(_blocks(context)[0].id)] == [heard_of]
    assert context.store.pairs.among([pair.a, pair.b]) == (heard_of,)
    for judge, n in (("j1", 0), ("j2", 1), (None, 1)):
        heard = replace(rule, judge=judge)
        assert len(context.store.pairs.unjudged(heard, 10)) == n
        assert context.store.pairs.counts(heard).n_unjudged == n
    context.store.pairs.put_answers([replace(pair, judge="j1")])
    assert context.store.pairs.unjudged(replace(rule, judge="j2"), 10) == (), "no judge lifts an objection"


def test_a_lower_threshold_lists_all_texts_again(context: Context) -> None:
    put(context, a=THIRTY, b=NINETY, c=alike(1), d=alike(2))
    strict = replace(
        context,
        settings=context.settings.model_copy(update={"dedup_from": 0.999, "repeat_from": 0.999, "same_from": 0.999}),
    )
    catch_up(strict, cache := fresh_cache(context))
    assert table(context) == []
    catch_up(context, cache)
    assert table(context) == by_brute_force(context) != []


def test_a_collection_under_another_model_has_other_pairs(context: Context) -> None:
    put(context, a=THIRTY, b=NINETY)
    catch_up(context, fresh_cache(context))
    before = table(context)
    other = replace(context, embedder=HashedEmbedder(128))
    reembed(other, "main", lambda _n: None)
    assert table(context) == []
    catch_up(other, fresh_cache(other))
    assert table(other) == by_brute_force(other)
    assert not {p.a for p in before} & {p.a for p in table(other)}


def test_an_import_lists_its_texts_again(context: Context, opened: Open, org: str) -> None:
    put(context, a=THIRTY, b=NINETY)
    before = list(context.store.dump())
    catch_up(context, fresh_cache(context))
    assert list(context.store.dump()) == before, "derived, and so in no export"
    copy = context_on(opened(f"{org}-copy"))
    copy.store.load(before)
    assert table(copy) == []
    catch_up(copy, fresh_cache(copy))
    assert table(copy) == table(context)


def test_writing_pairs_is_no_revision(context: Context) -> None:
    put(context, a=THIRTY, b=NINETY)
    before = context.store.rev()
    catch_up(context, fresh_cache(context))
    assert context.store.rev() == before


def test_another_organisation_has_a_table_of_its_own(context: Context, opened: Open, org: str) -> None:
    put(context, a=THIRTY, b=NINETY)
    other = context_on(opened(f"{org}-other"))
    put(other, a=THIRTY, b=HEATING)
    for one in (context, other):
        catch_up(one, fresh_cache(one))
    assert [len(table(context)), len(table(other))] == [1, 0]
    names = [name for pair in table(context) for name in (pair.a, pair.b)]
    assert other.store.pairs.among(names) == ()
    other.store.pairs.drop()
    assert len(table(context)) == 1


class TestLists:
    """What `put_lists` keeps of what it is given."""

    def names(self, context: Context) -> list[str]:
        put(context, **{f"d{n}": alike(n) for n in range(MOST_NEAR + 4)})
        return sorted(live_texts(context))

    def test_have_the_nearest(self, context: Context) -> None:
        own, *others = self.names(context)
        step, waiting = context.store.pairs.unlisted(context.embedder.model, 0.8)
        assert list(waiting) == [own, *others]
        near = [NearText(own, other, 0.9 + n / 1_000) for n, other in enumerate(others[:MOST_NEAR])]
        listed = context.store.pairs.put_lists([own], near, 0.8, step)
        assert listed is not None
        assert listed.full == context.store.pairs.full() == {own: 0.9}
        more = [NearText(own, others[MOST_NEAR], 0.9005), NearText(own, others[MOST_NEAR + 1], 0.9)]
        listed = context.store.pairs.put_lists([], more, 0.8, listed.step)
        assert listed is not None
        assert listed.full == {own: 0.9005}
        held = {pair.b for pair in context.store.pairs.among([own, *others])}
        assert held == {*others[1:MOST_NEAR], others[MOST_NEAR]}
        assert own not in context.store.pairs.unlisted(context.embedder.model, 0.8)[1]
        assert own in context.store.pairs.unlisted(context.embedder.model, 0.7)[1]

    def test_are_not_written_after_somebody_else_wrote(self, context: Context) -> None:
        own, other, *_ = self.names(context)
        step, _ = context.store.pairs.unlisted(context.embedder.model, 0.8)
        assert context.store.pairs.put_lists([own], [], 0.8, step) is not None
        assert context.store.pairs.put_lists([other], [NearText(other, own, 0.9)], 0.8, step) is None
        assert table(context) == []
        context.store.pairs.drop()
        assert context.store.pairs.put_lists([own], [], 0.8, step + 1) is None

    def test_that_were_to_have_a_text_that_is_gone_wait(self, context: Context) -> None:
        own, other, *_ = self.names(context)
        step, _ = context.store.pairs.unlisted(context.embedder.model, 0.8)
        gone = f"{'0' * 32} paragraph en"
        near = [NearText(own, gone, 0.95), NearText(own, other, 0.9), NearText(gone, own, 0.95)]
        context.store.pairs.put_lists([own, gone], near, 0.8, step)
        assert [(p.a, p.b) for p in table(context)] == [(own, other)]
        assert own in context.store.pairs.unlisted(context.embedder.model, 0.8)[1]

    def test_that_were_full_wait_when_they_lose_a_text(self, context: Context) -> None:
        self.names(context)
        catch_up(context, fresh_cache(context))
        remove(context, "main", "d3")
        _, waiting = context.store.pairs.unlisted(context.embedder.model, 0.8)
        assert waiting
        catch_up(context, fresh_cache(context))
        assert table(context) == by_brute_force(context)


def near_of(context: Context, document: str) -> Iterator[tuple[str, str, int]]:
    (block,) = [b for b in _blocks(context) if b.document == document]
    for near in context.store.pairs.near_block(block.id):
        other = context.store.blocks([near.block_id])[near.block_id]
        yield other.text, near.pair.agreement, near.n_blocks
        assert candidate_of(near.pair.a if near.is_a else near.pair.b, block.text).text == block.text


def _blocks(context: Context) -> list[Block]:
    ids = [segment.id for batch in context.store.segments("main") for segment, _, _ in batch]
    return list(context.store.blocks(ids).values())


def test_a_block_tells_which_are_near(context: Context) -> None:
    put(context, a=THIRTY, b=NINETY, c=f"{NINETY}\n", d=f"{NINETY}\n\n{HEATING}", e=HEATING)
    catch_up(context, fresh_cache(context))
    assert list(near_of(context, "a")) == [(NINETY, "objected", 3)]
    assert list(near_of(context, "e")) == []
    assert context.store.pairs.near_block("0" * 32) == ()


def test_nothing_asked_nothing_said(context: Context) -> None:
    pairs = context.store.pairs
    assert pairs.among([]) == ()
    assert pairs.texts([]) == {}
    pairs.put_answers([])
    assert pairs.unlisted("m", 0.5) == (0, ())
    assert pairs.full() == {}
    assert catch_up(context, fresh_cache(context)).n_listed == 0
    assert pairs.put_lists([], [], 0.5, 5) is None
