"""Parse an auto-rater's reply: an envelope with a status and a result."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from saidonce.adjudication import prompt as prompts
from saidonce.adjudication.contrary import ExpectedNames, against, as_id, normal_word
from saidonce.adjudication.explanations import plain_words, states_difference, unread
from saidonce.adjudication.replies import (
    SURE_FROM,
    JudgeOpinion,
    confidence_of,
    free_opinion,
    read_one,
    tidied,
    word_of,
)
from saidonce.errors import ReplyError
from saidonce.foundation.model import Failure, Opinion

PENDING = frozenset(
    "pending queued submitted accepted processing running in_progress starting started waiting created received"
    " scheduled enqueued in_queue initializing validating working".split()
)
DONE = frozenset({"done", "completed", "complete", "succeeded", "success", "finished"})
FAILED = frozenset({"failed", "error", "cancelled", "canceled", "expired"})

COPIED_FROM = 4
"""Words of an explanation, from which on it is copied if they stand one behind the other in the instructions."""

_ENVELOPE_KEYS = frozenset({"id", "status", "result"})
_RESULT_KEYS = frozenset({"classification", "review_feedback", "confidence"})
_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._~-]{0,199}")


@dataclass(frozen=True, slots=True)
class ResultEnvelope:
    """A submission's or a poll's reply; `id` is empty if it has none; `others` are keys outside the contract."""

    id: str
    is_done: bool
    has_failed: bool
    result: dict[str, Any]
    others: dict[str, Any] = field(default_factory=dict)


def read_envelope(reply: dict[str, Any]) -> ResultEnvelope:
    """Parse `id`, `status` and `result`; other keys matter for a clear, see `contradicted`.

    An id may be a number, a status in upper or lower case. Without a status, a reply with a result is done, and one
    without is pending.

    Raises:
        ReplyError: one of them is malformed, the status unknown, or done without a result.
    """
    stated, status, result = reply.get("id"), reply.get("status"), reply.get("result")
    review_id = "" if stated is None else as_id(stated)
    if not isinstance(review_id, str) or (review_id and not _ID.fullmatch(review_id)):
        raise ReplyError("the id of the review is malformed")
    if result is not None and not isinstance(result, dict):
        raise ReplyError("the result is not an object")
    others = {key: value for key, value in reply.items() if key not in _ENVELOPE_KEYS}
    if status is None:
        return ResultEnvelope(review_id, result is not None, False, result or {}, others)
    status = normal_word(status) if isinstance(status, str) else ""
    if status not in PENDING | DONE | FAILED:
        raise ReplyError("the status is unknown")
    if status in DONE and result is None:
        raise ReplyError("it is done and has no result")
    if status in PENDING and result is not None:
        raise ReplyError("it is pending and has a result")
    return ResultEnvelope(review_id, status not in PENDING, status in FAILED, result or {}, others)


def read_result(result: dict[str, Any], echo: tuple[str, str], ids: Sequence[str], lenient: bool) -> JudgeOpinion:
    """Parse `classification`, `review_feedback` and `confidence`.

    A JSON object in either text must follow the contract and echo the question. A classification that is one word of
    the closed list counts. Free text may confirm a duplicate, or be unsure; it clears only if lenient.

    Args:
        echo: digest of the question, and nonce.
        ids: of the matches in the question.

    Raises:
        ReplyError: it has no readable opinion.
    """
    fields = [_field(result, "classification"), _field(result, "review_feedback")]
    stated = result.get("confidence")
    confidence = None if stated is None else confidence_of(stated)
    structured = [read_one(f, *echo, ids) for f in fields if isinstance(f, dict) or f.startswith("{")]
    texts = [f if isinstance(f, str) and not f.startswith("{") else "" for f in fields]
    words = {word for text in texts if (word := word_of(text))}
    if texts[0] and not word_of(texts[0]) and len(texts[0].split()) == 1:
        raise ReplyError("the classification is unknown")
    if not any(fields):
        raise ReplyError("the result is empty")
    opinion = _combined(structured, words, texts, ids, lenient)
    all_stated = [s.confidence for s in structured] + ([] if confidence is None else [confidence])
    opinion = replace(opinion, least=min(all_stated, default=None))
    return opinion if confidence is None or opinion.failure else replace(opinion, confidence=confidence)


def contradicted(
    opinion: JudgeOpinion, envelope: ResultEnvelope, expected: ExpectedNames, least_confidence: float | None = None
) -> JudgeOpinion:
    """Return a clear if nothing in its reply contradicts it; else a contradiction.

    Keys outside the contract must be neutral or agree with it. An explanation beside it must be readable as a whole,
    contain no objection, and state a difference.

    Args:
        least_confidence: minimum for a clear; a clear without a confidence passes only if this is None.
    """
    if opinion.opinion is not Opinion.DISTINCT:
        return opinion
    others: Mapping[str, Any] = {k: v for k, v in envelope.result.items() if k not in _RESULT_KEYS}
    key = against(envelope.others, expected) or against(others, expected)
    if key:
        return _contradicts(f"it clears the candidate, but {key} contradicts it or is unknown")
    texts = [t for name in ("classification", "review_feedback") if isinstance(t := envelope.result.get(name), str)]
    words = [t for t in (*texts, opinion.reason) if t.strip() and not t.strip().startswith("{") and word_of(t) is None]
    why = next((why for text in words if (why := _copied_objection(text) or unread(text, expected.words))), "")
    if not why and not all(states_difference(text, expected.words) for text in words):
        why = "it states no recognised difference"
    why = why or _unsure(opinion.least, least_confidence)
    return _contradicts(f"it clears, but {why}") if why else opinion


def _copied_objection(text: str) -> str:
    """Return the objection to a reason copied from our instructions; empty for a judge's own words."""
    words = plain_words(text).replace("|", "").split()
    is_ours = len(words) >= COPIED_FROM and f" {' '.join(words)} " in _instructions()
    return "it repeats the instructions" if is_ours else ""


@cache
def _instructions() -> str:
    return f" {' '.join(plain_words(prompts.RULES + prompts.ONE_CASE).replace('|', '').split())} "


def _unsure(stated: float | None, least: float | None) -> str:
    if stated is None:
        return "" if least is None else f"it states no confidence, and {least:g} is the least"
    needed = SURE_FROM if least is None else least
    return f"its confidence is below {needed:g}" if stated < needed else ""


def _field(result: dict[str, Any], name: str) -> str | dict[str, Any]:
    value = result.get(name)
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, dict) and value:
        return value
    raise ReplyError(f"{name} is neither text nor object")


def _combined(
    structured: Sequence[JudgeOpinion], words: set[Opinion], texts: Sequence[str], ids: Sequence[str], lenient: bool
) -> JudgeOpinion:
    """Combine the opinions of the fields; opinions that exclude each other are a contradiction."""
    free = free_opinion("\n".join(t for t in texts if t and word_of(t) is None))
    opinions = {s.opinion for s in structured} | words
    if len(opinions) > 1 or len({s.of for s in structured}) > 1:
        return _contradicts("its fields contradict each other")
    reason = next((tidied(t) for t in reversed(texts) if t), "")
    if opinions == {Opinion.DISTINCT} and free is Opinion.DUPLICATE:
        return _contradicts("it classifies as distinct, but says that it is a duplicate")
    if structured:
        return replace(structured[0], is_echoed=True)
    is_free = not words
    opinion = free if is_free else next(iter(words))
    if is_free and opinion is Opinion.DISTINCT and not lenient:
        return JudgeOpinion(Opinion.UNSURE, reason=reason, is_free=True)
    of = _match_id(ids, "\n".join(texts)) if opinion is Opinion.DUPLICATE else ""
    return JudgeOpinion(opinion, of, reason, is_free=is_free)


def _match_id(ids: Sequence[str], text: str) -> str:
    """Return the id of the match in question: the only one in the prompt, or the only one named; else empty."""
    if len(ids) == 1:
        return ids[0]
    mentioned = [i for i in ids if re.search(rf"(?<![\w-]){re.escape(i)}(?![\w-])", text)]
    return mentioned[0] if len(mentioned) == 1 else ""


def _contradicts(reason: str) -> JudgeOpinion:
    return JudgeOpinion(Opinion.UNSURE, failure=Failure.CONTRADICTION, reason=reason)
