"""What a judge said, read strictly; free text counts for less."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from saidonce.errors import ReplyError
from saidonce.model import Failure, Opinion
from saidonce.reply import only_keys, strict_json
from saidonce.showing import cleaned

REASON_CHARS = 500
_OPINION_KEYS = frozenset({"opinion", "of", "reason", "confidence"})

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
_SAID = re.compile(r"\bduplicat\w*", re.IGNORECASE)
_HEDGED = re.compile(r"\b(?:may|might|could|would|should|if|unless|whether|perhaps|possibly|maybe|unsure|unclear|"
                     r"almost|nearly|hardly|cannot|can't|partly)\b|\?", re.IGNORECASE)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Said:
    """An opinion as a judge gave it.

    Attributes:
        failure: why it is none.
        is_free: read out of free text.
        is_echoed: it repeats the digest and nonce of the question.
    """

    opinion: Opinion
    of: str = ""
    reason: str = ""
    confidence: float = 0.0
    failure: Failure | None = None
    is_free: bool = False
    is_echoed: bool = False


def read_cases(text: str, question: str, nonce: str, kept: Mapping[str, Collection[str]]) -> dict[str, Said]:
    """Read a reply on several cases: every case once, with the echo of question and nonce.

    Args:
        kept: ids of the cases, and of the kept texts shown in each.

    Raises:
        ReplyError: it breaks the contract in any way.
    """
    found = only_keys(strict_json(text), frozenset({"question", "nonce", "cases"}))
    _check_echo(found, question, nonce)
    if not isinstance(found["cases"], list) or len(found["cases"]) != len(kept):
        raise ReplyError("cases is no list of one entry for each case")
    said: dict[str, Said] = {}
    for entry in found["cases"]:
        if not isinstance(entry, dict):
            raise ReplyError("a case is no object")
        label = only_keys(entry, _OPINION_KEYS | {"case"})["case"]
        if not isinstance(label, str) or label not in kept or label in said:
            raise ReplyError("a case was not asked about, or is answered twice")
        said[label] = _said(entry, kept[label])
    return said


def read_one(text: str | dict[str, Any], question: str, nonce: str, kept: Collection[str]) -> Said:
    """Read a reply on one case, with the echo of question and nonce.

    Raises:
        ReplyError: it breaks the contract in any way.
    """
    found = strict_json(text) if isinstance(text, str) else text
    only_keys(found, _OPINION_KEYS | {"question", "nonce"})
    _check_echo(found, question, nonce)
    return _said(found, kept)


def _check_echo(found: dict[str, Any], question: str, nonce: str) -> None:
    if found["question"] != question or found["nonce"] != nonce:
        raise ReplyError("it does not echo what was asked: it is no answer to this question")


def _said(found: dict[str, Any], kept: Collection[str]) -> Said:
    opinion, of, reason = found["opinion"], found["of"], found["reason"]
    if not isinstance(opinion, str) or opinion not in set(Opinion):
        raise ReplyError("the opinion is none of duplicate, distinct, unsure")
    if not isinstance(of, str) or not isinstance(reason, str):
        raise ReplyError("of or reason is no text")
    if (opinion == Opinion.DUPLICATE) != bool(of) or (of and of not in kept):
        raise ReplyError("of names no text that was shown, or stands beside another opinion than duplicate")
    return Said(Opinion(opinion), of, tidied(reason), confidence_of(found["confidence"]))


def tidied(reason: str) -> str:
    """A judge's words on one line, cleaned and shortened."""
    return " ".join(cleaned(reason).split())[:REASON_CHARS]


def confidence_of(value: Any) -> float:
    """Read a confidence.

    Raises:
        ReplyError: it is no number between 0 and 1.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ReplyError("the confidence is no number between 0 and 1")
    return float(value)


def word_of(field: str) -> Opinion | None:
    """The opinion that a whole field states in one word of the closed list; None if it is anything else."""
    return WORDS.get("_".join(re.split(r"[\s_-]+", field.strip().rstrip(".!").casefold())))


def free_opinion(text: str) -> Opinion:
    """What free text says plainly; whatever hedges, asks or says both is unsure."""
    if _HEDGED.search(text):
        return Opinion.UNSURE
    rest = _DENIED.sub(" ", text)
    denies, says = rest != text, _SAID.search(rest) is not None
    if denies == says or (says and _NEGATED.search(rest)):
        return Opinion.UNSURE
    return Opinion.DISTINCT if denies else Opinion.DUPLICATE
