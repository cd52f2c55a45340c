"""Evidence against an auto-rater's clear: in other keys of its reply, and in its own words.

A clear lets a candidate through for good, so that it needs more than the absence of an objection: every key beside it
must agree with it, or be known as neutral. In doubt the candidate is held.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from saidonce.matching.presentation import cleaned

SURE_FROM = 0.5
"""Confidence below which a judge contradicts its own opinion."""

LONG_WORD = 5
"""Letters of a word that may distinguish two texts, at least: shorter ones stand anywhere."""

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NAME = re.compile(r"_?[A-Za-z][A-Za-z0-9_.-]*")

_AUXILIARY = frozenset("is are has was the".split())
_MUST_BE_TRUE = frozenset(
    "done complete completed finished final finalized ok okay success successful succeeded valid ready"
    " distinct unique different".split()
)
_STATES = frozenset("status state phase stage".split())
_DONE = frozenset("done completed complete succeeded success finished ok stop end_turn eos".split())
_KINDS = frozenset("type object kind".split())
_KINDS_OF_REPLY = frozenset("review result review_result review.result rating object".split())
_WORDS = frozenset("reason reasons explanation rationale comment comments summary note notes message feedback".split())
_NEUTRAL = frozenset(
    "at on time times timestamp date datetime created updated started finished completed submitted ended queued"
    " received model models version engine service provider name usage token tokens prompt completion input output"
    " total cost costs price currency usd duration latency elapsed took seconds s ms queue queued position attempt"
    " attempts retries poll polls trace span request correlation job region host server worker node url uri href link"
    " links self location priority tenant org organization user owner meta metadata details temperature seed etag hash"
    " schema api language locale id ids number count n processing wall cpu expires expiry deadline eta done".split()
)
_SPEAKS_AGAINST = frozenset(
    "duplicate duplicates duplicated dup dups dupe dupes verdict decision label classification opinion match matched"
    " matches error errors exception exceptions failed failure failures".split()
)


@dataclass(frozen=True, slots=True)
class ExpectedNames:
    """The names that a reply must repeat wherever it states them.

    Attributes:
        review: its id; empty if the service named none.
        question, nonce: of the submission.
    """

    review: str
    question: str
    nonce: str


def against(others: Mapping[str, Any], expected: ExpectedNames) -> str:
    """Return the first other key of a reply that may contradict its clear; empty if none does.

    A key is harmless if it is neutral (times, model, usage, queue), agrees (`is_duplicate: false`, `done: true`),
    names the question, or is empty. The value is not quoted.
    """
    return next((_named(key) for key, value in others.items() if not _is_harmless(key, value, expected)), "")


def against_at_all(others: Mapping[str, Any]) -> str:
    """Return the key of a pending reply that contradicts any later clear; empty if none does."""
    for key, value in others.items():
        if not _is_empty(value) and _SPEAKS_AGAINST & set(_parts(key)):
            return _named(key)
    return ""


def _named(key: str) -> str:
    return repr(" ".join(cleaned(key).split())[:40])


def _parts(key: str) -> tuple[str, ...]:
    """Return the words of a key, joined by signs or by capitals; none if it has other signs."""
    if not _NAME.fullmatch(key):
        return ()
    return tuple(part.casefold() for part in _PART.findall(key))


def _is_empty(value: Any) -> bool:
    return value is None or value is False or value in ("", [], {}) or (value == 0 and not isinstance(value, bool))


def _is_harmless(key: str, value: Any, expected: ExpectedNames) -> bool:
    parts = tuple(part for part in _parts(key) if part not in _AUXILIARY)
    if (required := _address(parts, expected)) is not None:
        return _is_empty(value) or value == required
    if (fits := _CHECKS.get(parts)) is not None:
        return fits(value)
    if parts and parts[-1] in _WORDS:
        return _is_empty(value) or (isinstance(value, str) and not doubts(value))
    return _is_empty(value) or (bool(parts) and set(parts) <= _NEUTRAL and _is_neutral(value, expected))


def _one_of(words: Collection[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value.casefold() in words


def _is_sure(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and value is not True and SURE_FROM <= value <= 1)


_CHECKS: Mapping[tuple[str, ...], Callable[[Any], bool]] = {
    **{(name,): lambda value: value is True for name in _MUST_BE_TRUE},
    **{(name,): _one_of(_DONE) for name in _STATES},
    **{(name,): _one_of(_KINDS_OF_REPLY) for name in _KINDS},
    **{(name,): lambda value: value is True or value in (1, 100) for name in ("progress", "percent")},
    ("finish", "reason"): _one_of(_DONE),
    ("stop", "reason"): _one_of(_DONE),
    ("confidence",): _is_sure,
}
"""Required values of keys about the state of the review, by the words of the key."""


def _address(parts: tuple[str, ...], expected: ExpectedNames) -> str | None:
    """Return the required value of a key for review, question or nonce; None for every other key."""
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
    return not isinstance(value, str) or not doubts(value.replace("?", " "))


# A judge's words: English, with the commonest doubts of some neighbours. Words come without their signs.


def _any(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(rf"\b(?:{one})\b" for one in alternatives))


_DIFFERENT = r"(?:different|distinct|same|duplicates?|identical|unique|separate)"
_DOUBT = _any(
    r"unsure|uncertain\w*|unclear\w*|unknown|unable|ambigu\w+|border ?line|inconclusive\w*|insufficient\w*|unverified",
    r"(?:not|never|isn t|aren t|less than|far from|hardly|n t) (?:\w+ )?(?:sure|certain|confident|clear|convinced"
    r"|positive|enough|conclusive|verified|final|possible)",
    r"perhaps|possib\w+|maybe|probab\w+|likely|unlikely|presum\w+|assum\w+|supposed\w*|apparent\w*|arguabl\w+|roughly",
    r"conceivabl\w+|potential\w*|tentativ\w+|preliminar\w+|provisional\w*|somewhat|sort of|kind of|more or less",
    r"speculat\w+|guess\w*|hunch|doubt\w*|hesitat\w+|debatabl\w+|questionable|seem\w*|appears?|looks? (?:like|the)",
    r"lean(?:s|ing)?|tend(?:s|ing)? to|inclin\w+|might|could|would|whether|almost|nearly|partly|partial\w*|random\w*",
    r"basically|essentially|effectively|practically|virtually"
    r"|fundamentally|in essence|semantically|at first (?:glance|sight)",
    r"on the surface|on paper|on second thoughts?|correction|changed? my mind|withheld|in name only|undecided",
    r"may (?:be|not|have|well|also|or|differ|repeat)",
    rf"(?:should|must) (?:\w+ )?(?:be|count|pass) (?:\w+ ){{0,2}}{_DIFFERENT}",
    r"i (?:think|believe|feel|suspect|imagine|suppose|reckon|hope|cannot|can t|don t|do not|did not|didn t|am|m)",
    r"(?:hard|difficult|impossible|tricky|tough) to",
    r"(?:can ?not|can t|couldn t|could not|unable to"
    r"|won t) (?:\w+ ){0,2}(?:tell|say|decide|determine|judge|know|see|read"
    r"|compare|verify|confirm|rule|exclude|assess|find)",
    r"either way|on the fence|toss up|50 50|coin flip|close call"
    r"|\d{1,2} (?:percent )?(?:sure|certain|confident|likely)",
    r"(?:low|little|no|some|medium|moderate|limited) (?:confidence|certainty|evidence|information|context)",
    r"(?:confidence|certainty) (?:is )?(?:low|medium|moderate|limited|none|zero|0)",
    r"needs? (?:an? )?(?:more |further )?(?:human|person|review|check|look|context|information)\w*",
    r"(?:please|have an?|ask an?|by an?|defer to an?|pending"
    r"|await\w*) ?(?:human|person|people|review\w*|check|confirmation)",
    r"(?:result|verdict|answer|m\d+) (?:is )?pending|second opinion|to be (?:confirmed|determined)|tb[cd]",
    r"if (?:\w+ ){1,6}(?:is|are|was|were|matters?|counts?|differs?)|unless|depend(?:s|ing)? on",
    r"vielleicht|möglicherweise|wahrscheinlich|vermutlich|unsicher"
    r"|nicht sicher|eventuell|peut être|probablement|pas sûre?",
    r"incertaine?|quizás?|tal vez|probablemente|no (?:estoy )?segur[oa]|forse|probabilmente|non sicur[oa]|misschien",
    r"waarschijnlijk|talvez|provavelmente|możliwe|być może",
)  # fmt: skip
_TROUBLE = _any(
    r"(?:an|internal|server|parse|parsing|unexpected|fatal) (?:\w+ )?(?:error|exception)|timed out|time ?out|failed to",
    r"truncated|incomplete|cut off|too long|overloaded"
    r"|context (?:window|length)|rate limit\w*|quota|fallback|fell back",
    r"by default|default (?:answer|verdict|value|opinion)|skipp?(?:ed|ing)|without (?:comparing|looking|reading)",
    r"(?:not|no|never) (?:\w+ )?(?:read|compar\w+|review\w*|check\w*|looked?|evaluat\w+|consider\w*)",
    r"as an ai|i m sorry|sorry|retract\w*|disregard\w*|ignore|placeholder|superseded|undefined|object object",
    r"(?:[a-z] ){4,}[a-z]",
)
_BROKEN = re.compile(r"(?:error|warning|exception|failed|failure|timeout|null|none|nan|n a|todo|lorem)\b")
_MEANING = r"(?:thing|meaning|intent|intention|question|request|content|information|idea|point|answer|sense|goal|fact"
_MEANING += r"|outcome|purpose)"
_STRONG = (
    r"(?:dup(?!lex)\w*|same (?:as|for|in (?:all|every|meaning|substance)|" + _MEANING + r"s?|tasks?(?! types?)|text"
    r"|different|distinct)|(?:very|exactly the|just the) same|identical (?:to|in (?:all|every|meaning|substance)|"
    + _MEANING + r"|tasks?|text)|repeat(?:s|ed|ing)?|repetition|restat\w*|rephras\w*|reword\w*|paraphras\w*"
    r"|equivalent\w*|cop(?:y|ies) of|copied|redundan\w*|coincid\w*|again|(?:this|that|it|so) too"
    r"|already (?:covered|exists?|asked|said|stated|there|kept|known|present|in)|covered by|subsumed|interchangeabl\w*"
    r"|also (?:asks?|says?|states?|covers?) (?:this|that|it|so)|synonym\w*|one and the same|in other words"
    r"|indistinct\w*|indistinguishabl\w*|match(?:es|ed)? (?:the |a )?(?:kept|candidate|existing|m\d+)"
    r"|nothing new|adds nothing)"
)  # fmt: skip
_WEAK = (
    r"(?:same|similar\w*|identical\w*|equal\w*|overlap\w*|alike|shar(?:e|es|ed|ing)|match(?:es|ed|ing)?|both|common)"
)
_NOT = r"(?:not|never|no|non|nor|neither|isn t|aren t|doesn t|don t|n t|without)"
_BETWEEN = r"(?:an?|the|any|true|exact(?:ly)?|really|near|is|are|say|ask|asks|do|does|for|of|be)"
_DENIED_SAME = re.compile(
    rf"\b{_NOT} (?:{_BETWEEN} )*(?:{_STRONG}|{_WEAK})\b(?: (?:task|text|question|request|thing|one))?"
)
_SAYS_SAME = _any(_STRONG)
_DIFFERENCE = (
    r"(?:differ\w*|distinct\w*|another|(?:the )?other (?:than|one)|unlike|unrelated|whereas|while|instead|rather than"
    r"|versus|vs|separate\w*|unique|contrast\w*|unterscheid\w*|verschieden\w*|andere\w*|différ\w*|diffèr\w*|autres?"
    r"|diferen\w*|distint[oa]s?|otr[oa]s?|divers[oaie]|altr[oaie]|verschil\w*)"
)
_SAYS_DIFFERENT = _any(_DIFFERENCE, "the other")
_DENIED_DIFFERENCE = _any(
    r"(?:not|no|nothing|none|never|neither|without|hardly|barely|scarcely|little|few|isn t|aren t|doesn t|don t|n t"
    rf"|kein\w*|nicht|aucune?|nessuna?) (?:\w+ ){{0,4}}{_DIFFERENCE}",
    rf"(?:far from|anything but|nothing but) {_DIFFERENCE}",
    r"nothing (?:\w+ ){0,3}(?:apart|but)",
)
_LOOKS = (
    r"(?:word(?!s)\w*|phras\w*|formulat\w*|spell\w*|punctuat\w*|format\w*|styl\w*|tone|layout|grammar|typograph\w*)"
)
_SUPERFICIAL = _any(
    rf"(?:only|merely|just|solely|purely|mainly|mostly|but) (?:in |by |the |their |its |of |how )*(?:{_LOOKS}|words)",
    rf"different(?:ly)? (?:{_LOOKS}|words)|{_LOOKS} (?:alone |only )?(?:differ\w*|(?:is|are) different)",
    rf"in {_LOOKS} (?:only|alone)|superficial\w*|cosmetic\w*|trivial\w*|immaterial\w*|negligibl\w*|insignificant\w*",
    r"minor|slight\w*|not (?:\w+ )?(?:meaningful\w*|material\w*|substantive\w*|significant\w*|substantial\w*|matter)",
)
_LABEL = re.compile(r"(?:(?:my|the) )?(?:final )?(?:verdict|classification|result|opinion|answer|decision)(?: is)?")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SIGNS = re.compile(r"\W+|_+")


def _plain_words(text: str) -> str:
    """Return words alone, in lower case, with one space between: no sign, width or hump hides one."""
    plain = "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf")
    signed = plain.replace("\u2260", " differs from ").replace("!=", " differs from ")
    return " ".join(_SIGNS.sub(" ", _HUMP.sub(" ", cleaned(signed))).casefold().split())


_OBJECTIONS: tuple[tuple[Callable[[str], object], str], ...] = (
    (_DOUBT.search, "it doubts"),
    (_TROUBLE.search, "it reports trouble"),
    (_BROKEN.match, "it reports trouble"),
    (_SUPERFICIAL.search, "it says that the texts are the same"),
    (lambda words: _SAYS_SAME.search(_DENIED_SAME.sub(" ", words)), "it says that the texts are the same"),
    (lambda words: _DENIED_DIFFERENCE.search(_DENIED_SAME.sub(" ", words)), "it denies a difference"),
)


def doubts(text: str) -> str:
    """Return why words do not go with a clear; empty if they do.

    Reasons: a doubt, a question, reported trouble, a statement that the texts are the same or differ in nothing that
    matters, an unknown script. For a stated difference see `states_difference`.
    """
    if "?" in unicodedata.normalize("NFKC", text):
        return "it asks"
    words = _plain_words(text)
    if _is_foreign(words):
        return "its words cannot be read"
    return next((why for finds, why in _OBJECTIONS if finds(words)), "")


def states_difference(text: str, telling: Collection[str]) -> bool:
    """Return whether words state a difference, name a differing word, or are no more than a label.

    Args:
        telling: words on one side only, from `telling_words`.
    """
    words = _plain_words(text)
    if not words or _LABEL.fullmatch(words):
        return True
    says = _SAYS_DIFFERENT.search(words) or _DENIED_SAME.search(words)
    return bool(says) or not set(telling).isdisjoint(words.split())


def telling_words(candidate: str, kept: Sequence[str]) -> frozenset[str]:
    """Return words of five letters or with a digit that stand on one side only: candidate or kept texts."""
    mine = set(_plain_words(candidate).split())
    theirs = {word for text in kept for word in _plain_words(text).split()}
    return frozenset(w for w in mine ^ theirs if len(w) >= LONG_WORD or any(c.isdigit() for c in w))


def _is_foreign(words: str) -> bool:
    letters = [c for c in words if c.isalpha()]
    n_read = sum(unicodedata.name(c, "").startswith("LATIN") for c in letters)
    return 2 * n_read < len(letters)
