"""Evidence against an auto-rater's clear in the other keys of its reply.

A clear lets a candidate through permanently, so it needs more than the absence of an objection: every other key
must agree with it, or be known as neutral. If in doubt, the candidate is held.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from saidonce.adjudication import tallies
from saidonce.adjudication.explanations import QuestionWords, denial, objection, unread
from saidonce.adjudication.replies import SURE_FROM, word_of
from saidonce.adjudication.tallies import out_of_order
from saidonce.foundation.model import Opinion
from saidonce.matching.presentation import cleaned

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NAME = re.compile(r"_?[A-Za-z][A-Za-z0-9_.-]*")

_AUXILIARY = frozenset("is are has was the".split())
_MUST_BE_TRUE = frozenset(
    "done complete completed finished final finalized ok okay success successful succeeded valid ready"
    " distinct unique different new novel original allow allowed approve approved accept accepted pass passed clear"
    " cleared safe eligible admissible".split()
)
_VERDICTS = frozenset("verdict decision label classification opinion outcome conclusion answer".split())
_STATES = frozenset("status state phase stage".split())
_DONE = frozenset("done completed complete succeeded success finished ok stop end_turn eos".split())
_CODES = (("code",), ("status", "code"), ("http", "status"))
_KINDS = frozenset("type object kind".split())
_KINDS_OF_REPLY = frozenset("review result review_result review.result rating object".split())
_WORDS = frozenset(
    "reason reasons reasoning explanation rationale justification comment comments summary note notes message"
    " feedback".split()
)
_NEUTRAL = frozenset(
    "at on time times timestamp date datetime created updated started finished completed submitted ended queued"
    " received model models version engine service provider name usage token tokens prompt completion input output"
    " total cost costs price currency usd duration latency elapsed took seconds s ms queue queued position attempt"
    " attempts retries poll polls trace span request correlation job region host server worker node url uri href link"
    " links self location priority tenant org organization user owner meta metadata details temperature seed etag hash"
    " schema api language locale id ids number count n processing wall cpu expires expiry deadline done metrics run"
    " billing account plan tier build release cluster zone pod instance client workspace team"
    " session project experiment predict urls logs template".split()
)
_OF_TOKENS = frozenset(
    "token tokens cache cached reasoning thoughts audio text image accepted rejected prediction predicted creation"
    " read".split()
)
"""Further words of keys that count tokens: `cached_tokens`, `rejected_prediction_tokens`."""
_OF_LINKS = frozenset({"get", "cancel", "stream", "web"})
"""Keys among links that are addresses of further calls, and say nothing of what was called."""
_AUTHORS = frozenset("model models engine version provider deployment judge rater".split())
_SPEAKS_AGAINST = frozenset(
    "duplicate duplicates duplicated dup dups dupe dupes verdict decision label classification opinion match matched"
    " matches error errors exception exceptions failed failure failures warning warnings flag flags flagged suspected"
    " suspicion refusal refused retracted rejected blocked result".split()
)
_GOOD_IF_NOT = _SPEAKS_AGAINST | frozenset(
    "same equivalent identical similar redundant repeat repeats repeated copy partial incomplete truncated"
    " timeout timed out stale expired superseded cached cache overridden override disputed abstained skipped"
    " degraded fallback dry run test mock sandbox draft interim preliminary provisional pending running more"
    " remaining uncertain unsure doubt review human manual escalate escalated held hold deleted cancelled canceled"
    " limited throttled eta".split()
)
"""Words of keys whose `false` or 0 goes with a clear; of any other key that is not neutral, nobody knows."""

_OF_WAITING = frozenset(
    "pending running remaining more partial incomplete interim preliminary provisional draft timeout out limit limited"
    " run review match matches similar timed eta".split()
)
_SPEAKS_BEFORE = (
    _SPEAKS_AGAINST | (_GOOD_IF_NOT - _OF_WAITING) | frozenset("existing previous reused dropped deduplicated".split())
)
"""Words of keys that speak against a later clear already while a review waits: its input, its origin, its verdict."""


@dataclass(frozen=True, slots=True)
class ExpectedNames:
    """The ids and words that a reply must repeat if it states them.

    Attributes:
        review: its id; empty if the service named none.
        question, nonce: of the submission.
        words: words of the question, which explanations may mention.
        matches: ids of the shown matches; a clear applies to each of them.
    """

    review: str
    question: str
    nonce: str
    words: QuestionWords
    matches: tuple[str, ...] = ()


def against(others: Mapping[str, Any], expected: ExpectedNames) -> str:
    """Return the first other key of a reply that may contradict its clear; empty if none does.

    A key is harmless if it is neutral (times, model, usage, queue), agrees (`is_duplicate: false`, `done: true`),
    names the question, or is empty. The value is not quoted.
    """
    if out_of_order([others], _parts):
        return "the order of its times"
    unfinished, counted = tallies.unfinished(others, _parts)
    if unfinished:
        return _named(unfinished)
    keys = ((key, value) for key, value in others.items() if key not in counted)
    return next((_named(key) for key, value in keys if not _is_harmless(key, value, expected)), "")


def against_at_all(others: Mapping[str, Any]) -> str:
    """Return the key of a pending reply that contradicts any later clear, in any depth; empty if none does."""
    return next((_named(key) for key, value in others.items() if _speaks_against(key, value)), "")


def _speaks_against(key: str, value: Any) -> bool:
    if _is_empty(value):
        return False
    if isinstance(value, dict):
        return _says_more(key) or any(_speaks_against(inner, one) for inner, one in value.items())
    if isinstance(value, list):
        return any(_speaks_against(key, one) for one in value)
    if isinstance(value, str) and word_of(value) is Opinion.DISTINCT:
        return False
    return _says_more(key) or (isinstance(value, str) and bool(denial(value)))


def _says_more(key: str) -> bool:
    return not _SPEAKS_BEFORE.isdisjoint(_parts(key))


def _named(key: str) -> str:
    return repr(" ".join(cleaned(key).split())[:40])


def _parts(key: str) -> tuple[str, ...]:
    """Return the words of a key in snake or camel case; none if it has other characters."""
    if not _NAME.fullmatch(key):
        return ()
    return tuple(part.casefold() for part in _PART.findall(key))


def _is_empty(value: Any) -> bool:
    return value is None or value is False or value in ("", [], {}) or (value == 0 and not isinstance(value, bool))


def _says_nothing(value: Any) -> bool:
    return value is None or value in ("", [], {})


def _is_harmless(key: str, value: Any, expected: ExpectedNames) -> bool:
    parts = tuple(part for part in _parts(key) if part not in _AUXILIARY)
    if (bears_out := _supports_clear(parts, value, expected)) is not None:
        return bears_out
    is_known = bool(parts) and (set(parts) <= _NEUTRAL or _counts_tokens(parts, value) or _is_link(parts, value))
    if _is_empty(value):
        return _says_nothing(value) or is_known or bool(_GOOD_IF_NOT & set(parts))
    return is_known and _is_neutral(value, expected)


def _supports_clear(parts: tuple[str, ...], value: Any, expected: ExpectedNames) -> bool | None:
    """Return whether a member with a known key supports a clear; None if the key is unrelated to that."""
    if (required := _required_value(parts, expected)) is not None:
        return _says_nothing(value) or as_id(value) == required
    if (fits := _CHECKS.get(parts)) is not None:
        return fits(value)
    if parts and parts[-1] in _VERDICTS:
        return _says_nothing(value) or (isinstance(value, str) and word_of(value) is Opinion.DISTINCT)
    if parts and parts[-1] in _WORDS:
        return _is_empty(value) or (isinstance(value, str) and not unread(value, expected.words))
    return tallies.says(parts, value, expected.matches)


def _counts_tokens(parts: tuple[str, ...], value: Any) -> bool:
    """Return whether a key counts tokens, or contains such counts, but not truncated or dropped ones."""
    is_count = isinstance(value, dict) or (isinstance(value, int) and value is not True and value >= 0)
    return is_count and not {"token", "tokens"}.isdisjoint(parts) and set(parts) <= _NEUTRAL | _OF_TOKENS


def _is_link(parts: tuple[str, ...], value: Any) -> bool:
    is_address = isinstance(value, str) and re.fullmatch(r"(?:https?://|/)[!-~]*", value) is not None
    return is_address and set(parts) <= _OF_LINKS


def authors(fields: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    """Return the keys and values of a reply, at any depth, that name the model, engine or version behind it."""
    named: set[tuple[str, str]] = set()
    level: list[tuple[str, Any]] = list(fields.items())
    while level:
        named |= {(key, value) for key, value in level if isinstance(value, str) and _AUTHORS & set(_parts(key))}
        level = [inner for _, value in level if isinstance(value, dict) for inner in value.items()]
    return frozenset(named)


def _one_of(words: Collection[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and normal_word(value) in words


def normal_word(word: str) -> str:
    """Return a word in the normal form of closed lists: lower case, "_" for blanks and hyphens."""
    return "_".join(re.split(r"[\s_-]+", word.strip().casefold()))


def as_id(value: Any) -> Any:
    """Return an id as text; some services use numbers."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else value


def _is_sure(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and value is not True and SURE_FROM <= value <= 1)


_CHECKS: Mapping[tuple[str, ...], Callable[[Any], bool]] = {
    **{(name,): lambda value: value is True for name in _MUST_BE_TRUE},
    **{(name,): _one_of(_DONE) for name in _STATES},
    **{(name,): _one_of(_KINDS_OF_REPLY) for name in _KINDS},
    **{(name,): lambda value: value is True or value in (1, 100) for name in ("progress", "percent")},
    ("finish", "reason"): _one_of(_DONE),
    ("stop", "reason"): _one_of(_DONE),
    **{name: lambda value: value in (0, 200, 201, 202) and value is not False for name in _CODES},
    ("confidence",): _is_sure,
}
"""Required values of keys about the state of the review, by the words of the key."""


def _required_value(parts: tuple[str, ...], expected: ExpectedNames) -> str | None:
    """Return the required value of a key that names the review, question or nonce; None for any other key."""
    if parts in {("review", "id"), ("review",), ("id",)}:
        return expected.review
    if parts in {("question",), ("question", "id"), ("question", "hash"), ("question", "digest"), ("digest",)}:
        return expected.question
    return expected.nonce if parts in {("nonce",), ("idempotency", "key")} else None


def _is_neutral(value: Any, expected: ExpectedNames) -> bool:
    if isinstance(value, dict):
        return not against(value, expected)
    if isinstance(value, list):
        return all(_is_neutral(one, expected) for one in value)
    return not isinstance(value, str) or not objection(value)
