"""Parse a judge's reply strictly; free text counts for less."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from saidonce.adjudication.evidence import Sides, is_borne_out
from saidonce.errors import ReplyError
from saidonce.foundation.model import Failure, Opinion
from saidonce.matching.presentation import cleaned
from saidonce.matching.reply import only_keys, strict_json

REASON_CHARS = 500

SURE_FROM = 0.5
"""Confidence below which a judge contradicts its own opinion, where no other least one is set."""

_OPINION_KEYS = frozenset({"opinion", "of", "reason", "confidence"})
_ANSWER_KEYS = frozenset({"differs", "opinion", "confidence"})

NOT_SEEN = "it says distinct, but the texts do not show the difference"

WORDS = {
    "duplicate": Opinion.DUPLICATE,
    "is_duplicate": Opinion.DUPLICATE,
    "distinct": Opinion.DISTINCT,
    "not_duplicate": Opinion.DISTINCT,
    "not_a_duplicate": Opinion.DISTINCT,
    "non_duplicate": Opinion.DISTINCT,
    "unsure": Opinion.UNSURE,
    "uncertain": Opinion.UNSURE,
}
"""A whole field that is one of these counts as structured; case, spaces and hyphens do not matter."""

_DENIED = re.compile(r"\b(?:not|never|no|non|isn't|aren't|n't)[\s-]+(?:an?\s+|the\s+|any\s+|true\s+)*(?:near[\s-]+)?"
                     r"duplicat\w*|\bdistinct\b|\bunique\b", re.IGNORECASE)  # fmt: skip
_NEGATED = re.compile(r"\b(?:not|never|no|non|neither|nor|without|wrong|false)\b|n't\b", re.IGNORECASE)
_DUPLICATE_WORD = re.compile(r"\bduplicat\w*", re.IGNORECASE)
_HEDGED = re.compile(r"\b(?:may|might|could|would|should|if|unless|whether|perhaps|possibly|maybe|unsure|unclear|"
                     r"almost|nearly|hardly|cannot|can't|partly)\b|\?", re.IGNORECASE)  # fmt: skip


@dataclass(frozen=True, slots=True)
class JudgeOpinion:
    """A judge's opinion.

    Attributes:
        failure: why there is no opinion.
        is_free: read from free text.
        is_echoed: it echoes the digest and nonce of the question.
        least: the lowest stated confidence; None if none is stated.
    """

    opinion: Opinion
    of: str = ""
    reason: str = ""
    confidence: float = 0.0
    failure: Failure | None = None
    is_free: bool = False
    is_echoed: bool = False
    least: float | None = None


@dataclass(frozen=True, slots=True)
class CaseReply:
    """A judge's answer on one kept text; `differs` is in its own words."""

    differs: str
    opinion: Opinion
    confidence: float


def read_answers(text: str, echo: tuple[str, str], labels: Collection[str]) -> dict[str, CaseReply]:
    """Parse a reply that answers every label once, with the echo of question and nonce.

    Raises:
        ReplyError: it breaks the contract in any way.
    """
    content = only_keys(strict_json(text), frozenset({"question", "nonce", "answers"}))
    _check_echo(content, *echo)
    if not isinstance(content["answers"], dict):
        raise ReplyError("answers is not an object")
    return {label: _answer(entry) for label, entry in only_keys(content["answers"], frozenset(labels)).items()}


def _answer(entry: Any) -> CaseReply:
    if not isinstance(entry, dict):
        raise ReplyError("an answer is not an object")
    differs = only_keys(entry, _ANSWER_KEYS)["differs"]
    if not isinstance(differs, str):
        raise ReplyError("differs is not a text")
    return CaseReply(differs, _opinion(entry["opinion"]), confidence_of(entry["confidence"]))


def weighed(answers: Sequence[tuple[str, CaseReply, Sides]]) -> JudgeOpinion:
    """Combine the answers on each kept text of a case into one opinion.

    A duplicate of any kept text is a duplicate of the nearest such text. It is distinct only if it differs from every
    kept text by a difference visible in the texts. Everything else is unsure.

    Args:
        answers: label, answer and texts, nearest first; at least one.
    """
    for label, answer, _ in answers:
        if answer.opinion is Opinion.DUPLICATE:
            return JudgeOpinion(Opinion.DUPLICATE, label, "nothing that matters differs", answer.confidence)
    for _, answer, sides in answers:
        if answer.opinion is not Opinion.DISTINCT:
            return JudgeOpinion(Opinion.UNSURE, reason="it cannot tell", confidence=answer.confidence)
        if not is_borne_out(answer.differs, sides):
            return JudgeOpinion(Opinion.UNSURE, reason=tidied(f"{NOT_SEEN}: {answer.differs or 'it names none'}"))
    differences = dict.fromkeys(tidied(answer.differs) for _, answer, _ in answers)
    sure = min(answer.confidence for _, answer, _ in answers)
    return JudgeOpinion(Opinion.DISTINCT, "", tidied(f"differs: {'; '.join(differences)}"), sure)


def read_one(text: str | dict[str, Any], question: str, nonce: str, kept: Collection[str]) -> JudgeOpinion:
    """Parse a reply on one case, with the echo of question and nonce.

    Raises:
        ReplyError: it breaks the contract in any way.
    """
    content = strict_json(text) if isinstance(text, str) else text
    only_keys(content, _OPINION_KEYS | {"question", "nonce"})
    _check_echo(content, question, nonce)
    return _checked_opinion(content, kept)


def _check_echo(content: dict[str, Any], question: str, nonce: str) -> None:
    if content["question"] != question or content["nonce"] != nonce:
        raise ReplyError("it does not echo the question: it is not an answer to it")


def _checked_opinion(content: dict[str, Any], kept: Collection[str]) -> JudgeOpinion:
    opinion, of, reason = _opinion(content["opinion"]), content["of"], content["reason"]
    if not isinstance(of, str) or not isinstance(reason, str):
        raise ReplyError("of or reason is not a text")
    if (opinion is Opinion.DUPLICATE) != bool(of) or (of and of not in kept):
        raise ReplyError("of names a text outside the question, or goes with another opinion than duplicate")
    return JudgeOpinion(opinion, of, tidied(reason), confidence_of(content["confidence"]))


def _opinion(word: Any) -> Opinion:
    if not isinstance(word, str) or word not in set(Opinion):
        raise ReplyError("the opinion is not duplicate, distinct or unsure")
    return Opinion(word)


def tidied(reason: str) -> str:
    """Return a judge's words on one line, cleaned and shortened."""
    return " ".join(cleaned(reason).split())[:REASON_CHARS]


def confidence_of(value: Any) -> float:
    """Parse a confidence.

    Raises:
        ReplyError: it is not a number between 0 and 1.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ReplyError("the confidence is not a number between 0 and 1")
    return float(value)


def word_of(field: str) -> Opinion | None:
    """Return the opinion of a field that is one word of the closed list; None for anything else."""
    return WORDS.get("_".join(re.split(r"[\s_-]+", field.strip().rstrip(".!").casefold())))


def free_opinion(text: str) -> Opinion:
    """Return the opinion in free text; hedges, questions and contradictions are unsure."""
    if _HEDGED.search(text):
        return Opinion.UNSURE
    rest = _DENIED.sub(" ", text)
    denies, says = rest != text, _DUPLICATE_WORD.search(rest) is not None
    if denies == says or (says and _NEGATED.search(rest)):
        return Opinion.UNSURE
    return Opinion.DISTINCT if denies else Opinion.DUPLICATE
