from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saidonce.errors import ReplyError
from saidonce.matching.reply import MAX_DEPTH, MAX_REPLY_CHARS, only_keys, strict_json


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


HOSTILE = {
    "nothing": "",
    "white space": "  \n",
    "plain words": "not_in_base",
    "a list": '[{"a": 1}]',
    "a string": '"duplicate"',
    "a number": "1",
    "null": "null",
    "text before": 'Sure! {"a": 1}',
    "text behind": '{"a": 1} I hope this helps',
    "a code fence": '```json\n{"a": 1}\n```',
    "two objects": '{"a": 1}{"a": 2}',
    "a byte order mark": '\ufeff{"a": 1}',
    "a nul behind": '{"a": 1}\x00',
    "a cut off end": '{"a": [1, 2',
    "a trailing comma": '{"a": 1,}',
    "single quotes": "{'a': 1}",
    "a comment": '{"a": 1 /* no */}',
    "a key twice": '{"a": 1, "a": 2}',
    "a key twice further in": '{"a": [{"b": 1, "b": 1}]}',
    "not a number": '{"a": NaN}',
    "infinity": '{"a": Infinity}',
    "minus infinity": '{"a": -Infinity}',
    "a float that overflows": '{"a": 1e999}',
    "an integer of thousands of digits": '{"a": ' + "9" * 5_000 + "}",
    "a high surrogate": '{"a": "\\ud83d"}',
    "a low surrogate": '{"a": "\\udc00"}',
    "a surrogate in a key": '{"\\udfff": 1}',
    "a raw surrogate": '{"a": "\ud800"}',
    "a surrogate at the bottom": '{"a":' * MAX_DEPTH + '"\\ud8ff"' + "}" * MAX_DEPTH,
    "deep nesting": '{"a": ' + nested(MAX_DEPTH) + "}",
    "very deep nesting": '{"a": ' + "[" * 40_000 + "}",
    "deep nesting behind closing brackets in a string": '{"a": "' + "]" * 20_000 + '", "b": ' + nested(10_000) + "}",
    "too many characters": '{"a": "' + "x" * MAX_REPLY_CHARS + '"}',
}


class TestStrictJson:
    @pytest.mark.parametrize("reply", HOSTILE.values(), ids=HOSTILE.keys())
    def test_anything_but_one_sound_object_is_refused(self, reply: str) -> None:
        with pytest.raises(ReplyError):
            strict_json(reply)

    @pytest.mark.parametrize(
        ("reply", "found"),
        [
            ("{}", {}),
            (' {"a": 1.5}\n', {"a": 1.5}),
            ('{"a": "[[[[[[[[[[[[ as text"}', {"a": "[[[[[[[[[[[[ as text"}),
            ('{"a": "\\ud83d\\ude00"}', {"a": "😀"}),
            ('{"a": "😀"}', {"a": "😀"}),
            ('{"a": "\\\\ud800 as text"}', {"a": "\\ud800 as text"}),
            ('{"a": ' + nested(MAX_DEPTH - 1) + "}", {"a": json.loads(nested(MAX_DEPTH - 1))}),
        ],
    )
    def test_one_sound_object_is_read(self, reply: str, found: dict[str, object]) -> None:
        assert strict_json(reply) == found

    def test_an_error_carries_the_reason_and_the_beginning_of_the_reply(self) -> None:
        with pytest.raises(ReplyError, match="not one JSON object") as caught:
            strict_json("no " * 1_000)
        assert caught.value.reply == ("no " * 1_000)[:200]

    @given(st.text(max_size=200))
    def test_no_text_at_all_ends_in_another_error(self, reply: str) -> None:
        with contextlib.suppress(ReplyError):
            assert isinstance(strict_json(reply), dict)


class TestOnlyKeys:
    def test_exactly_the_wanted_keys_pass(self) -> None:
        assert only_keys({"a": 1, "b": 2}, frozenset("ab")) == {"a": 1, "b": 2}

    @pytest.mark.parametrize("found", [{}, {"a": 1}, {"a": 1, "b": 2, "c": 3}, {"a": 1, "B": 2}])
    def test_a_key_too_many_or_too_few_is_refused(self, found: dict[str, int]) -> None:
        with pytest.raises(ReplyError, match="keys"):
            only_keys(found, frozenset("ab"))
