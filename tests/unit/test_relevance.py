"""Whether a block answers at all: evidence on one scale, and its reasons in words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.foundation.model import Block, Kind
from saidonce.foundation.ports import LexicalPool, LexicalRow
from saidonce.kb.search.relevance import UNDECIDED, Background, Evidence, Scale, scale

BLOCK = Block(
    "b1", "main", "d", "cellar.md", "Cellar", Kind.PARAGRAPH, "The key hangs beside the door.", ("Lending",), None,
    "en", 0.5, 0.0, None, "0" * 32,
)  # fmt: skip
NOTHING = Evidence(0.0, None, 0.0, (), ("key",), 0.0, 0.0)


def judged(query: str, n_containing: dict[str, int], held: tuple[str, ...], n_blocks: int = 1_000) -> Scale:
    counts = tuple(int(term in held) for term in n_containing)
    pool = LexicalPool(n_blocks, 20.0, tuple(n_containing.values()), (LexicalRow("b1", 6, counts),))
    return scale(Background(0.05, 0.0), query, {term: term for term in n_containing}, pool)


class TestScale:
    @given(st.floats(-1.0, 1.0), st.floats(0.0, 0.99), st.floats(0.0, 5.0))
    def test_relevance_lies_between_0_and_1(self, cosine: float, low: float, rarity: float) -> None:
        assert 0.0 <= replace(NOTHING, cosine=cosine, low=low, rarity=rarity).relevance <= 1.0

    @given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(0.0, 5.0))
    def test_a_nearer_block_is_never_less_relevant(self, a: float, b: float, rarity: float) -> None:
        near, far = (replace(NOTHING, cosine=c, rarity=rarity).relevance for c in (max(a, b), min(a, b)))
        assert near >= far

    def test_a_rare_word_says_more_than_a_common_one(self) -> None:
        asked = judged("key cabinet", {"key": 1, "cabinet": 300}, ("key",))
        other = judged("key cabinet", {"key": 1, "cabinet": 300}, ("cabinet",))
        assert asked.evidence(BLOCK, 0.4).relevance > other.evidence(BLOCK, 0.4).relevance
        assert asked.evidence(BLOCK, 0.4).rarity == pytest.approx(1.0)

    def test_a_word_that_nothing_holds_is_missed_as_much_as_the_rarest(self) -> None:
        evidence = judged("key zebra", {"key": 1, "zebra": 0}, ("key",)).evidence(BLOCK, 0.4)
        assert (evidence.held, evidence.missed, evidence.share) == (("key",), ("zebra",), 0.5)

    def test_cosines_count_from_the_low_end_of_the_base(self) -> None:
        near = replace(NOTHING, cosine=0.75)
        assert replace(near, low=0.7).relevance < 0.01
        assert near.relevance > 0.95

    def test_words_of_title_and_headings_are_the_blocks_own(self) -> None:
        evidence = judged("cellar lending zebra", {"cellar": 0, "lend": 0, "zebra": 0}, ()).evidence(BLOCK, 0.1)
        assert evidence.held == ("cellar", "lend")

    @given(st.floats(-1.0, 1.0))
    def test_no_evidence_is_above_what_its_cosine_allows(self, cosine: float) -> None:
        asked = judged("key cabinet", {"key": 1, "cabinet": 300}, ("key", "cabinet"))
        assert asked.relevance(BLOCK, cosine) == asked.evidence(BLOCK, cosine).relevance <= asked.at_most(cosine)
        assert all(asked.may_reach(cut, cosine, "und") == (asked.at_most(cosine) >= cut) for cut in (0.1, 0.25, 0.6))


class TestWhatIsNeverCut:
    def test_the_only_word_of_a_query(self) -> None:
        assert judged("key", {"key": 400}, ("key",)).evidence(BLOCK, -0.1).relevance >= UNDECIDED

    def test_all_words_of_a_query_that_are_rare_together(self) -> None:
        rare = judged("key door", {"key": 2, "door": 2}, ("key", "door"))
        common = judged("key door", {"key": 600, "door": 700}, ("key", "door"))
        assert rare.evidence(BLOCK, 0.0).relevance >= UNDECIDED > common.evidence(BLOCK, 0.0).relevance

    def test_a_query_without_searchable_words_has_its_cosine_alone(self) -> None:
        asked = scale(Background(), "who are you", {}, None)
        assert asked.evidence(BLOCK, 0.1).relevance < UNDECIDED < asked.evidence(BLOCK, 0.8).relevance


class TestPieces:
    CHINESE = replace(BLOCK, text="钥匙挂在门旁边。")

    def asked(self, query: str) -> Scale:
        return judged(query, {query: 0}, ()).with_pieces({"b1": self.CHINESE})

    def test_a_piece_that_a_block_holds_counts_as_a_word(self) -> None:
        evidence = self.asked("钥匙在哪里").evidence(self.CHINESE, 0.0)
        assert (evidence.held, evidence.missed) == (("钥匙",), ())
        assert evidence.relevance >= UNDECIDED

    def test_a_block_that_holds_none_is_cut(self) -> None:
        evidence = self.asked("首都在哪里").evidence(self.CHINESE, 0.0)
        assert (evidence.held, evidence.missed) == ((), ("首都",))
        assert evidence.relevance < UNDECIDED

    def test_a_pair_across_two_words_is_not_missed_where_each_is_held(self) -> None:
        block = replace(BLOCK, text="内锅不可以放入洗碗机清洗。")
        asked = judged("洗碗机内锅", {"洗碗机内锅": 0}, ()).with_pieces({"b1": block})
        evidence = asked.evidence(block, 0.0)
        assert (evidence.held, evidence.missed) == (("洗碗", "碗机", "内锅"), ())
        assert evidence.share == pytest.approx(1.0)

    def test_unknown_characters_count_once_however_they_are_paired(self) -> None:
        evidence = self.asked("钥匙首页名称").evidence(self.CHINESE, 0.0)
        assert evidence.share == pytest.approx(1 / 3)

    def test_a_character_that_may_be_a_small_word_is_not_missed(self) -> None:
        assert self.asked("钥匙能用").evidence(self.CHINESE, 0.0).share == pytest.approx(1.0)

    def test_one_character_weighs_half(self) -> None:
        assert self.asked("门在哪里").weights == (0.5 * self.asked("钥匙在哪里").weights[0],)


class TestUnreadScript:
    def asked(self, n_held: int) -> Evidence:
        words = {"насос": 1, "фильтр": 1, "мороз": 1}
        counts = tuple(int(place < n_held) for place in range(3))
        pool = LexicalPool(1_000, 20.0, tuple(words.values()), (LexicalRow("b1", 6, counts),))
        asked = scale(Background(0.05, 0.0), " ".join(words), {word: word for word in words}, pool, {"LATIN"})
        assert asked.at_least(1.0) == 0.0
        return asked.evidence(BLOCK, 1.0)

    @pytest.mark.parametrize(("n_held", "is_found"), [(0, False), (1, False), (2, True), (3, True)])
    def test_words_decide_alone(self, n_held: int, is_found: bool) -> None:
        assert (self.asked(n_held).relevance >= UNDECIDED) is is_found

    def test_a_query_mostly_in_a_read_script_has_its_cosine(self) -> None:
        asked = scale(Background(), "garden pump насос", {}, None, {"LATIN"})
        assert asked.is_read
        assert asked.at_least(0.9) > UNDECIDED


class TestLanguages:
    GERMAN = replace(BLOCK, text="Die Kaution wird nach dem Auszug erstattet.", language="de")

    def asked(self, *held: str) -> Scale:
        counts = {"wie": 1, "hoch": 1, "kaution": 1, "zebra": 0}
        pool = LexicalPool(
            1_000, 20.0, tuple(counts.values()), (LexicalRow("b1", 6, tuple(w in held for w in counts)),)
        )
        return scale(Background(0.05, 0.0), "wie hoch", {w: w for w in counts}, pool, None, {"en"})

    def test_words_of_asking_in_the_blocks_language_are_neither_held_nor_missed(self) -> None:
        evidence = self.asked("wie", "kaution").evidence(self.GERMAN, 0.2)
        assert (evidence.held, evidence.missed, evidence.share) == (("kaution",), ("zebra",), 0.5)

    def test_in_an_english_block_they_are_words_as_others(self) -> None:
        assert self.asked("wie", "kaution").evidence(BLOCK, 0.2).held == ("wie", "kaution")

    def test_a_block_is_measured_among_those_in_its_language(self) -> None:
        among = {"de": Background(0.5, 0.4), "fr": Background(0.1, 0.0)}
        asked = self.asked("kaution").with_backgrounds(among)
        evidence, other = (asked.evidence(block, 0.5) for block in (self.GERMAN, BLOCK))
        assert (evidence.usual, evidence.low) == (0.5, 0.4)
        assert (other.usual, other.low) == (0.05, 0.0)
        assert asked.at_least(0.5, "de") < asked.at_least(0.5, "fr")

    def test_a_near_cosine_alone_says_less_where_the_model_reads_the_language_badly(self) -> None:
        near = replace(NOTHING, cosine=0.38, usual=0.2)
        assert replace(near, is_read_badly=True).relevance < UNDECIDED < near.relevance

    def test_one_rare_word_and_some_nearness_are_enough_there(self) -> None:
        held = replace(NOTHING, cosine=0.2, usual=0.2, rarity=1.0, held=("kaution",), is_read_badly=True)
        assert UNDECIDED < held.relevance < 0.9

    def test_a_language_that_is_unknown_or_has_few_blocks_is_judged_as_all_are(self) -> None:
        unknown = replace(self.GERMAN, language="und")
        assert self.asked().evidence(self.GERMAN, 0.2).is_read_badly
        assert not self.asked().evidence(unknown, 0.2).is_read_badly
        few = replace(self.asked(), background=Background())
        assert not few.evidence(self.GERMAN, 0.2).is_read_badly

    def test_the_reason_says_so(self) -> None:
        assert ", in a language that the model reads badly; " in self.asked().evidence(self.GERMAN, 0.2).in_words

    @given(st.floats(-1.0, 1.0))
    def test_no_evidence_is_above_what_its_cosine_allows(self, cosine: float) -> None:
        asked = self.asked("kaution", "hoch")
        german = self.GERMAN
        assert (
            asked.relevance(german, cosine) == asked.evidence(german, cosine).relevance <= asked.at_most(cosine, "de")
        )


class TestInWords:
    def test_it_says_the_cosine_its_background_and_the_words(self) -> None:
        words = judged("key zebra", {"key": 1, "zebra": 0}, ("key",)).evidence(BLOCK, 0.41).in_words
        assert words == (
            "cosine 0.41, where blocks of the base usually have 0.05; "
            "holds key (50% of the query's words, rare ones counting more); lacks zebra"
        )

    def test_it_says_when_no_word_was_found(self) -> None:
        assert NOTHING.in_words == "cosine 0.00; holds none of the query's words; lacks key"
