"""Quick ways of reading texts give what the plain ways give."""

from __future__ import annotations

import re
import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.foundation import text as texts
from saidonce.foundation.capitals import telling
from saidonce.foundation.model import FactKind
from saidonce.matching import facts
from saidonce.matching.facts import accounting, align, bearing, roles, scan, voice
from saidonce.matching.facts import analyse as analysis
from saidonce.matching.facts.analyse import Token, analyse
from saidonce.matching.facts.signs import _operators as signs_of

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
    assert texts._ASCII_WORD.findall(folded) == texts._WORD.findall(folded)


@given(ANY)
def test_joined_numbers_are_words_as_by_looking_behind_each_digit(text: str) -> None:
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    joined = re.compile(r"((?<!\d)\d++(?:[.,:/-]\d++)+)")
    parts = enumerate(joined.split(folded))
    expected = [[part] if n % 2 else texts._WORD.findall(part) for n, part in parts]
    assert texts.words(text) == [word for words in expected for word in words]


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


MARKS = st.text(alphabet="aB s5.!?\u2026\u3002\uff01\u300d\u201d\u2019'\")]\n-`mWGb\u00a0;:+=/", max_size=60)


@given(st.one_of(ANY, MARKS))
def test_sentences_end_where_trying_every_place_finds_an_end(text: str) -> None:
    plain = re.compile(
        r"(?<![.!?\u2026])[.!?\u2026]++[\"'\u201d\u2019)\]]*+(?=\s)|[\u3002\uff01\uff1f]+[\u300d\u300f\u201d]*|\n+"
    )
    quick = [m.span() for m in texts._SENTENCE_END.finditer(text) if not m.lastindex]
    assert quick == [m.span() for m in plain.finditer(text)]


@given(st.one_of(ANY, MARKS))
def test_code_units_and_signs_are_seen_as_by_trying_every_place(text: str) -> None:
    code = re.compile(r"`([^`\n]+)`|(-(?<![\w-]-)[A-Za-z])\b(?!-)")
    quoted = [m[m.lastindex or 0] for m in code.finditer(text) if m[m.lastindex or 0].strip()]
    assert [span.text for span in texts.quoted_code(text)] == quoted
    assert all(text[span.start : span.end] == span.text for span in texts.quoted_code(text))
    units = re.compile(r"\d[ \u00a0\u202f]?(?:m(?:W|Hz|V|Pa|Wh|A)|pF|M[mgls]|Mbar|[MGT]b|[kKMGT]Bps)\b")
    assert [piece for piece in telling(text) if piece[0].isdigit()] == units.findall(text)
    signs = re.compile(r"(?<=\S[ \t])(?:[-+*/^%<>]|[=!<>]=|[=!]==|&&|\|\||->|<-)(?=[ \t]\S)")
    assert [(s.start, s.text) for s in signs_of(text)] == [(m.start(), m[0]) for m in signs.finditer(text)]


@given(st.one_of(ANY, MARKS, st.text(alphabet="ab 's\u2019S\u017f\"-x", max_size=40)))
def test_owners_are_those_that_trying_every_place_finds(text: str) -> None:
    plain = re.compile(
        r"(?<![\w'\u2018\u2019\"-])(?:(?P<one>\w{2,}?)['\u2019]s|(?P<many>\w{2,}s)['\u2019])(?=\s+\w)", re.IGNORECASE
    )
    assert [m.groupdict() for m in bearing._OWNER.finditer(text)] == [m.groupdict() for m in plain.finditer(text)]


@given(st.one_of(ANY, MARKS))
def test_stops_say_nothing_as_by_taking_them_out_together(text: str) -> None:
    stops = re.compile(r"(?:[.!?;:\u3002\uff01\uff1f\u061f\u06d4](?=\s|$)|[\u3002\uff01\uff1f]|\s)+")
    assert accounting._bare(text) == stops.sub(" ", texts.normalise(text)).strip()


def test_a_unit_in_letters_that_only_look_like_it_is_no_unit() -> None:
    two, three = (f"It takes {n} m\u0131nutes and a \u017fecond to bake a cake." for n in ("two", "three"))
    assert facts.changed_grammar(two, three, "en") == ()


NOISE = st.text(alphabet="aBZn0159 .,:;!?-_/#@`'()[]{}*=&%$\u20ac\u00b0<>|\n\t\u00a0\u202f\u017f\u212a", max_size=120)
NAMES = st.lists(
    st.sampled_from(
        "The THE an Never not allowed `getUser` no No 3 May Berlin isolated fooBar At least cannot can't yes | zwei "
        "der Nicht keine jeden Monat toujours Il ne sait pas ÉTÉ".split(" ")
    ),
    max_size=14,
).map(" ".join)


@given(st.one_of(ANY, NOISE))
def test_what_no_piece_begins_with_is_skipped_without_losing_a_piece(text: str) -> None:
    skipping = f")[{scan._NEVER_FIRST}]*"
    assert scan._PIECE.pattern.count(skipping) == 1
    plain = re.compile(scan._PIECE.pattern.replace(skipping, ")"), scan._PIECE.flags)
    written = text.translate(scan._PLAIN)
    assert [m.span(m.lastgroup or 0) for m in scan._PIECE.finditer(written)] == [
        m.span() for m in plain.finditer(written)
    ]


@given(st.one_of(NAMES, SENTENCES, NOISE), st.sampled_from(("en", "de", "fr", "es", "pl", "zh")))
def test_a_word_whose_surroundings_do_not_matter_is_typed_as_by_looking_at_them(text: str, language: str) -> None:
    raw = tuple(scan.pieces(text))
    quick = analysis._typed(raw, language, {})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(analysis, "_plain", lambda _word, _language: None)
        assert analysis._typed(raw, language, {}) == quick


@given(st.lists(SENTENCES, max_size=4), st.lists(SENTENCES, max_size=4))
def test_texts_that_speak_of_two_things_are_objected_to_in_a_term(a: list[str], b: list[str]) -> None:
    one, two = " ".join(a), " ".join(b)
    if facts.speak_of_two_things(one, two, "en"):
        objections = facts.compare(one, two, "en").objections
        assert any(o.kind is FactKind.TERM and not o.differs_in_value for o in objections)


def test_two_texts_with_sentences_of_their_own_speak_of_two_things() -> None:
    shared = "The museum opens at nine on Monday."
    one, two = f"{shared} The garden needs a gate.", f"{shared} Visitors leave coats downstairs."
    assert facts.speak_of_two_things(one, two)
    assert facts.speak_of_two_things(two, one)
    assert not facts.speak_of_two_things(shared, two)
    assert not facts.speak_of_two_things(shared, "The museum opens at ten on Monday.")


FEW_WORDS = st.lists(st.sampled_from("the roof of Ida and Tom mended gate with by from garden".split()), max_size=14)


@given(FEW_WORDS, FEW_WORDS)
def test_runs_of_shared_words_are_those_of_joining_word_by_word(a: list[str], b: list[str]) -> None:
    one, two = (analyse(" ".join(words), "en").sentences for words in (a, b))
    if not one or not two:
        return
    x, y = one[0], two[0]
    anchors = align.difference(x, y).anchors
    joined: list[roles.SharedRun] = []
    free: dict[str, list[int]] = {}
    for m in range(len(y.tokens) - 1, -1, -1):
        if y.tokens[m].content and m not in anchors.values():
            free.setdefault(y.keys[m], []).append(m)
    for n, token in enumerate(x.tokens):
        if not token.content or (n not in anchors and not free.get(token.key)):
            continue
        m = anchors[n] if n in anchors else free[token.key].pop()
        last = joined[-1] if joined else None
        if last and last.b_hi <= m and x.keys[last.a_hi : n] == y.keys[last.b_hi : m] and n - last.a_hi <= 3:
            joined[-1] = roles.SharedRun(last.a_lo, n + 1, last.b_lo, m + 1)
        else:
            joined.append(roles.SharedRun(n, n + 1, m, m + 1))
    assert roles.runs_of(x, y, anchors) == joined
