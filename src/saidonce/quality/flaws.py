"""Flaws of a played conversation, counted independently of its scenario's expectations.

The true meaning of a message comes from the scenario (`means`, `language`, facts of its ends). Without one, only
flaws that are visible without it count: a claim without the action, a repeated question, a plain request for a
person.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from saidonce.foundation.model import UNKNOWN_LANGUAGE
from saidonce.foundation.model.conversation import (
    Alarm,
    Gathering,
    Issue,
    LandlordEvent,
    OutboxKind,
    PhotoStatus,
    Tool,
)
from saidonce.foundation.text import language, normalise, words
from saidonce.quality.endings import CLOSED, has
from saidonce.quality.scenario import MessageMeaning, Scenario, ScenarioStep
from saidonce.quality.stage import PlayedStep, got_a_person, words_of


class FlawKind(StrEnum):
    """A kind of flaw for the resident."""

    FALSE_ISSUE = "false_issue"
    TOO_EARLY = "too_early"
    MISSING_FACT = "missing_fact"
    REPEATED_QUESTION = "repeated_question"
    NO_PERSON = "no_person"
    UNTRUE = "untrue"
    WRONG_LANGUAGE = "wrong_language"
    EMERGENCY_MISSED = "emergency_missed"
    FALSE_ALARM = "false_alarm"
    ALARM_QUESTION = "alarm_question"


@dataclass(frozen=True, slots=True)
class ConversationFlaw:
    """One flaw: its kind, the step (from 1; 0 for the whole conversation), and its evidence."""

    kind: FlawKind
    step: int
    text: str


def flaws(scenario: Scenario, moments: Sequence[PlayedStep]) -> tuple[ConversationFlaw, ...]:
    """Return all flaws of a played conversation, by kind, then by step."""
    counted = [ConversationFlaw(kind, n, text) for kind, check in _CHECKS for n, text in check(scenario, moments)]
    return tuple(sorted(counted, key=lambda f: (f.kind, f.step, f.text)))


Shown = Iterator[tuple[int, str]]


def opened(moments: Sequence[PlayedStep]) -> list[tuple[int, Issue]]:
    """Return the issues opened by turns, each with its step, except those of alarms and of the preset."""
    preset_ids = {i.id for i in moments[0].issues if i.turn_id.startswith("preset")} if moments else set()
    fresh: list[tuple[int, Issue]] = []
    for n, moment in enumerate(moments, 1):
        fresh += [(n, i) for i in moment.issues if i.id not in preset_ids and not i.turn_id.startswith("emergency:")]
        preset_ids |= {i.id for i in moment.issues}
    return fresh


def _false_issues(scenario: Scenario, moments: Sequence[PlayedStep]) -> Shown:
    issues = opened(moments)
    counts = [sum(r.get("urgency") != "emergency" for r in e["issues"]) for e in scenario.ends if "issues" in e]
    extra = len(issues) - max(counts) if counts else 0
    for n, issue in issues[len(issues) - extra :] if extra > 0 else ():
        yield n, f"an issue that nobody wanted: {issue.description!r}"
    if extra > 0:
        return
    known = " ".join(str(scenario.state.get(slot, "")) for slot in ("description", "location"))
    for n, issue in issues:
        strange = set(words(issue.description)) - set(words(" ".join((known, *moments[n - 1].heard))))
        if strange:
            yield n, f"an issue in words that nobody wrote: {sorted(strange)}"
    last = moments[-1].issues
    for n, issue in issues:
        now = next((i for i in last if i.id == issue.id), issue)
        back = [k for k, m in enumerate(moments[: n - 1]) if m.step.means is MessageMeaning.WITHDRAWAL]
        if (
            back
            and not _is_asked_for(scenario, issue)
            and not _reported_since(scenario, issue, moments[back[-1] : n])
            and now.state not in CLOSED
        ):
            yield n, f"an issue after it was taken back: {issue.description!r}"


def _is_asked_for(scenario: Scenario, issue: Issue) -> bool:
    """Return whether an end expects an issue; what was withdrawn beside it is another issue."""
    rows = (row["contains"] for end in scenario.ends for row in end.get("issues", ()) if row.get("contains"))
    return any(all(has(words_of(issue), fact) for fact in facts) for facts in rows)


def _reported_since(scenario: Scenario, issue: Issue, moments: Sequence[PlayedStep]) -> bool:
    """Return whether an issue contains only what was said since a withdrawal, the first of these moments.

    Words of the withdrawal itself count only if the scenario expects a report of them.
    """
    since = [m.step.text for m in moments[1:] if m.step.means in (None, MessageMeaning.REPORT)]
    is_wanted = any(
        all(has(words_of(issue), fact) for fact in row["contains"])
        for end in scenario.ends for row in end.get("issues", ()) if row.get("contains")
    )  # fmt: skip
    if is_wanted:
        since.append(moments[0].step.text)
    return set(words(issue.description)) <= set(words(" ".join(since)))


def _too_early(scenario: Scenario, moments: Sequence[PlayedStep]) -> Shown:
    del scenario
    for n, issue in opened(moments):
        was_asked = any(
            t.tool is Tool.ASK_FOR_PHOTO or t.gathering[0] is Gathering.AWAITING_PHOTO
            for m in moments[:n] for t in m.turns
        )  # fmt: skip
        if not issue.needs_call and not (issue.description.strip() and issue.location.strip()):
            yield n, f"an issue without its thing or its place: {issue.description!r} ({issue.location!r})"
        elif issue.photo is PhotoStatus.NONE and not issue.media and not was_asked and not issue.needs_call:
            yield n, f"an issue before anything was known of a photo: {issue.description!r}"


CODES = re.compile(r"\b(?=[A-Z]*\d)[A-Z]{1,2}-?\d{1,4}\b|\b\d+(?:[.,]\d+)? ?(?:bar|psi|degrees|°)", re.ASCII)
"""Facts that are known as such by their shape: error codes, pressures, temperatures."""

_NOT_IN_AN_ISSUE = frozenset(
    {
        MessageMeaning.EMERGENCY,
        MessageMeaning.QUESTION,
        MessageMeaning.PERSON,
        MessageMeaning.CORRECTION,
        MessageMeaning.ASK_AFTER,
    }
)


def _missing_facts(scenario: Scenario, moments: Sequence[PlayedStep]) -> Shown:
    issues = [i for i in moments[-1].issues if not i.turn_id.startswith("preset")]
    if not issues:
        return
    words = " ".join(words_of(i) for i in issues)
    lacks = [
        [fact for row in end["issues"] for fact in row.get("contains", ()) if not has(words, fact)]
        for end in scenario.ends if end.get("issues")
    ]  # fmt: skip
    if lacks and (fewest := min(lacks, key=len)):
        yield len(moments), f"no issue has {fewest}"
    homes = " ".join(str(v) for home in scenario.homes for v in home.values()).lower()
    corrected = any(m.step.means is MessageMeaning.CORRECTION for m in moments)
    for n, moment in enumerate(moments, 1):
        if moment.step.means in _NOT_IN_AN_ISSUE or corrected:
            continue
        for code in CODES.findall(moment.step.text):
            if code.lower() not in words and code.lower() not in homes:
                yield n, f"no issue has {code!r}"


QUESTION_MARKS = ("?", "\uff1f", "\u061f")
_ASKED_SENTENCE = re.compile(r"[^.!?\uff1f\u061f|\n]*[?\uff1f\u061f]")


def _repeated_questions(scenario: Scenario, moments: Sequence[PlayedStep]) -> Shown:
    """Return questions asked again without new information about them.

    Questions about danger are repeated on purpose and do not count; nor does a list of choices after a message that
    chooses none.
    """
    del scenario
    before: list[tuple[str, object]] = []
    for n, moment in enumerate(moments, 1):
        state = _known_facts(moment)
        for reply in moment.says:
            is_list = reply.kind is OutboxKind.IDENTITY and reply.buttons
            if is_list or reply.kind in (OutboxKind.SAFETY, OutboxKind.HUMAN, OutboxKind.NUDGE):
                continue
            for question in _ASKED_SENTENCE.findall(_without_quotes(reply.text, moment.heard)):
                if not words(question):
                    continue
                question_key = (normalise(question).lower().strip(), state)
                if question_key in before:
                    yield n, f"asked again: {question.strip()!r}"
                before.append(question_key)


def _without_quotes(reply: str, heard: Sequence[str]) -> str:
    """Return a reply without quotes of the resident, which may contain question marks."""
    for text in sorted((t for t in heard if words(t)), key=len, reverse=True):
        reply = reply.replace(text, " ").replace(text.strip(), " ")
        for sentence in _ASKED_SENTENCE.findall(text):
            if words(sentence):
                reply = reply.replace(sentence.strip(), " ")
    return reply


def _known_facts(moment: PlayedStep) -> object:
    """Return the known facts about the resident and the report that are relevant to a question."""
    held = moment.held
    if held is None:
        return None
    draft = held.draft
    return (
        held.identity, held.tenancy_id, held.candidates, draft.since, draft.description, draft.location, draft.media,
        len(moment.issues),
    )  # fmt: skip


PERSON_WORDS = re.compile(
    r"\b(?:speak|talk|chat) (?:to|with) (?:a |an |some|the )?(?:real |actual |proper )?"
    r"(?:person|human|one|body|manager|somebody|someone|agent)|\b(?:real|actual) (?:person|human)\b"
    r"|\b(?:ring|call|phone) me\b|\bsolicitor\b|\bmy lawyer\b",
    re.IGNORECASE,
)
"""A person asked for in plain English words; a scenario's `means = "person"` names all others."""


def wants_a_person(step: ScenarioStep) -> bool:
    """Return whether a message asks for a person, by its scenario or in plain words."""
    return step.means is MessageMeaning.PERSON or (step.means is None and PERSON_WORDS.search(step.text) is not None)


def _no_person(scenario: Scenario, moments: Sequence[PlayedStep]) -> Shown:
    del scenario
    for n, moment in enumerate(moments, 1):
        if wants_a_person(moment.step) and not got_a_person(moments[: n + 1]):
            yield n, f"no person for {moment.step.text!r}"


def _issue_exists(n: int, moments: Sequence[PlayedStep]) -> bool:
    return bool(moments[n].issues)


def _is_team_notified(n: int, moments: Sequence[PlayedStep]) -> bool:
    is_notified = any(m.notices for m in moments[: n + 1]) or moments[n].is_with_a_person
    return is_notified or any(e.state is not Alarm.POSSIBLE for e in moments[n].alarms)


def _receiver_took_it(n: int, moments: Sequence[PlayedStep]) -> bool:
    return moments[n].n_delivered > 0


def _nothing_is_open(n: int, moments: Sequence[PlayedStep]) -> bool:
    held = moments[n].held
    return held is not None and held.draft.since == 0


def _escalated(n: int, moments: Sequence[PlayedStep]) -> bool:
    kinds = (LandlordEvent.ESCALATED, LandlordEvent.IDENTITY_ASKED)
    return moments[n].is_with_a_person or any(x.event in kinds for m in moments[: n + 1] for x in m.notices)


def _never(n: int, moments: Sequence[PlayedStep]) -> bool:
    del n, moments
    return False


Holds = Callable[[int, Sequence[PlayedStep]], bool]

_CLAIMED: Sequence[tuple[str, Holds]] = (
    (r"\bI(?: have|'ve) (?:reported|logged|filed|raised)\b", _issue_exists),
    (r"\breport(?:ed)? (?:is|has been) (?:filed|made)\b", _issue_exists),
    (r"\badded (?:that|this|it|what you wrote|your photo) to (?:your|that)\b", _issue_exists),
    (r"\bpassed (?:on|it on|this on|that on|your \w+ on)\b|\bI(?: have|'ve) passed\b", _is_team_notified),
    (r"\bbeing passed on\b", _is_team_notified),
    (r"\basked (?:a person|somebody|someone|your landlord's team)\b", _escalated),
    (r"\bWe have told your landlord's team\b", _receiver_took_it),
    (r"\btaken that back: nothing is reported\b", _nothing_is_open),
    (r"\b(?:plumber|engineer|electrician) (?:is|has been) (?:coming|booked|sent|on)\b", _never),
    (r"\bis on (?:his|her|their) way\b", _never),
)
CLAIMS = tuple((re.compile(pattern, re.IGNORECASE), holds) for pattern, holds in _CLAIMED)
"""What replies claim, and how the store shows it; a claim that nothing bears out is untrue."""


def _untrue(scenario: Scenario, moments: Sequence[PlayedStep]) -> Shown:
    del scenario
    for n, moment in enumerate(moments, 1):
        for reply in moment.says:
            if reply.kind is OutboxKind.HUMAN:
                continue
            for pattern, holds in CLAIMS:
                if pattern.search(reply.text) and not holds(n - 1, moments):
                    yield n, f"said {reply.text!r}, which nothing bears out"


def _wrong_language(scenario: Scenario, moments: Sequence[PlayedStep]) -> Shown:
    for n, moment in enumerate(moments, 1):
        wants = str(moment.step.row.get("language") or scenario.language) or language(moment.step.text)
        text = "\n".join(s.text for s in moment.says if s.kind is not OutboxKind.HUMAN)
        if wants == UNKNOWN_LANGUAGE or not moment.step.text or not text:
            continue
        detected = language(text)
        if detected not in (wants, UNKNOWN_LANGUAGE):
            yield n, f"a message in {wants!r} was answered in {detected!r}: {text!r}"


def _emergency_missed(scenario: Scenario, moments: Sequence[PlayedStep]) -> Shown:
    del scenario
    for n, moment in enumerate(moments, 1):
        if moment.step.means is MessageMeaning.EMERGENCY and not moment.alarms:
            yield n, f"no alarm and no question for {moment.step.text!r}"


def _false_alarm(scenario: Scenario, moments: Sequence[PlayedStep]) -> Shown:
    del scenario
    for n, moment in enumerate(moments, 1):
        sure = any(e.state is not Alarm.POSSIBLE for e in moment.alarms)
        if moment.step.means is MessageMeaning.HARMLESS and sure:
            yield n, f"an alarm for {moment.step.text!r}"


_ALARM_QUESTION = re.compile(
    r"\bphoto|\bwhich room\b|\bwhere in your home\b|\blast name\b|\bpostcode\b|\bwhich home\b", re.IGNORECASE
)


def _alarm_questions(scenario: Scenario, moments: Sequence[PlayedStep]) -> Shown:
    del scenario
    for n, moment in enumerate(moments, 1):
        if moment.step.means is not MessageMeaning.EMERGENCY and not moment.alarms:
            continue
        asks = [s.text for s in moment.says if s.kind is not OutboxKind.HUMAN and _ALARM_QUESTION.search(s.text)]
        for text in asks:
            if any(mark in text for mark in QUESTION_MARKS) or "please send" in text.lower():
                yield n, f"asked during an alarm: {text!r}"


_CHECKS: Sequence[tuple[FlawKind, Callable[[Scenario, Sequence[PlayedStep]], Shown]]] = (
    (FlawKind.FALSE_ISSUE, _false_issues),
    (FlawKind.TOO_EARLY, _too_early),
    (FlawKind.MISSING_FACT, _missing_facts),
    (FlawKind.REPEATED_QUESTION, _repeated_questions),
    (FlawKind.NO_PERSON, _no_person),
    (FlawKind.UNTRUE, _untrue),
    (FlawKind.WRONG_LANGUAGE, _wrong_language),
    (FlawKind.EMERGENCY_MISSED, _emergency_missed),
    (FlawKind.FALSE_ALARM, _false_alarm),
    (FlawKind.ALARM_QUESTION, _alarm_questions),
)
