"""Quick ways of reading texts give what the plain ways give."""

from __future__ import annotations

import string

from hypothesis import given
from hypothesis import strategies as st

from saidonce.foundation import text as texts
from saidonce.foundation.model import FactKind
from saidonce.matching.facts import accounting, align, voice
from saidonce.matching.facts.analyse import Token, analyse

ASCII = st.text(alphabet=string.printable, max_size=200)
ANY = st.one_of(ASCII, st.text(max_size=60), st.text(alphabet="aéΩж漢 .'’-1²", max_size=60))
SENTENCES = st.lists(
    st.sampled_from(
        "the data base database of IT U N UN united nations was mended by Ida mends roof paid only not 30 days".split()
    ),
    min_size=1,
    max_size=14,
).map(lambda words: " ".join(words).capitalize() + ".")


@given(ASCII)
def test_ascii_words_are_those_of_all_letters(text: str) -> None:
    folded = text.casefold()
    plain = [w for part in texts._NUMBER_JOIN.split(folded) for w in texts._WORD.findall(part)]
    assert [w for w in texts.words(text) if not texts._NUMBER_JOIN.fullmatch(w)] == plain
    assert texts._ASCII_WORD.findall(folded) == texts._WORD.findall(folded)


@given(ANY, ANY)
def test_a_share_of_latin_letters_is_counted_alike(a: str, b: str) -> None:
    letters = [c for c in a + b if c.isalpha()]
    assert accounting._is_latin(a, b) == (sum(c < "\u0250" for c in letters) >= 0.9 * len(letters))


@given(SENTENCES, SENTENCES)
def test_verbs_that_are_turned_are_the_same_on_both_ways(a: str, b: str) -> None:
    only_a, only_b = voice._verbs(a) - voice._verbs(b), voice._verbs(b) - voice._verbs(a)
    assert voice._turned(a, b) == only_a & voice._stems(b) | only_b & voice._stems(a)


@given(SENTENCES, SENTENCES)
def test_compounds_are_taken_out_as_by_trying_every_width(a: str, b: str) -> None:
    whole, others = (tuple(t for s in analyse(text, "en").sentences for t in s.tokens) for text in (a, b))

    def spells(part: tuple[Token, ...], other: Token) -> bool:
        if any(t.kind not in (None, FactKind.NAME) or not t.word for t in part):
            return False
        is_joined = len(part) == 2 and part[0].word + part[1].word == other.word
        return is_joined or (other.written.isupper() and "".join(t.word[0] for t in part) == other.word)

    places = (
        (o, w, lo)
        for o in others[:30]
        for w in range(2, min(len(whole), 6) + 1)
        for lo in range(min(len(whole), 40) - w + 1)
    )
    found = next(((whole[lo : lo + w], o) for o, w, lo in places if spells(whole[lo : lo + w], o)), None)
    part, gone = found or ((), None)
    expected = ([t for t in whole if t not in part], [t for t in others if t is not gone])
    assert align._without_compounds(list(whole), list(others), whole) == expected
