"""A scripted tenant: states its goal, answers questions, sends photos, mistypes, waits.

The tenant reads the state of the report (the last question), not the words of the reply, so that it works in every
language; it never reads the assistant's beliefs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from saidonce.foundation.model.conversation import Alarm, Gathering, OutboxKind, Tool
from saidonce.quality.scenario import MessageMeaning, ScenarioStep
from saidonce.quality.stage import PlayedStep
from saidonce.quality.tenants import phrases
from saidonce.quality.tenants.goal import Aim, BrokenThing, Goal, PhotoWill

MOST_ANSWERS = 6
"""Questions that a tenant answers in one conversation, before it gives up."""

SILENCE_S = 4 * 86_400.0
"""How long nothing is written at the end: longer than any draft lives."""

KEYS = {a: b for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm") for a, b in pairwise(row)}
"""A key and its right neighbour."""


@dataclass
class Tenant:
    """A tenant during a conversation.

    Attributes:
        written: the tenant's words about each problem, expected in the issue, including typing errors.
        photos: ids of the photos sent.
    """

    goal: Goal
    chance: random.Random
    written: list[list[str]] = field(default_factory=list)
    photos: list[str] = field(default_factory=list)
    has_refused: bool = False
    n_answers: int = 0

    def __post_init__(self) -> None:
        self.written = [[] for _ in self.goal.problems] or [[]]

    def steps(self, moments: list[PlayedStep]) -> Iterator[ScenarioStep]:
        """Yield one step after the other; `moments` grows by what each led to."""
        goal = self.goal
        if goal.foreign is not None:
            yield from self._foreign(goal.foreign, moments)
        elif goal.problems:
            yield from self._report(moments)
        else:
            yield from self._other(moments)
        if self.chance.random() < 0.3:
            yield self._say(self.chance.choice(phrases.SMALL_TALK), None)
        yield ScenarioStep({}, SILENCE_S, (), {}, is_jump=True)

    def _report(self, moments: list[PlayedStep]) -> Iterator[ScenarioStep]:
        goal = self.goal
        yield from self._opening()
        takes_back_early = goal.aim is Aim.WITHDRAW and self.chance.random() < 0.5
        if takes_back_early:
            yield self._say(self.chance.choice(phrases.WITHDRAWALS), MessageMeaning.WITHDRAWAL)
            return
        if goal.aim is Aim.CORRECT:
            room = goal.problems[0].room
            text = self.chance.choice(phrases.CORRECTIONS).format(room=room, wrong=goal.wrong_room)
            yield self._say(text, MessageMeaning.CORRECTION)
            self.written[0].append(room)
        yield from self._answers(moments)
        if goal.aim is Aim.WITHDRAW:
            yield self._say(self.chance.choice(phrases.WITHDRAWALS), MessageMeaning.WITHDRAWAL, self._long())
        if goal.aim is Aim.ASK_AFTER:
            text = self.chance.choice(phrases.ASK_AFTER).format(name=goal.problems[0].name)
            yield self._say(text, MessageMeaning.ASK_AFTER, 86_400.0)

    def _opening(self) -> Iterator[ScenarioStep]:
        """Yield the reports of the problems: at once, without rooms, or in pieces a few seconds apart."""
        goal = self.goal
        parts = [self._sentence(n, p) for n, p in enumerate(goal.problems)]
        if len(parts) == 2:
            yield self._say(self.chance.choice(phrases.TWO).format(one=parts[0], other=parts[1]), MessageMeaning.REPORT)
            return
        start, end = (self.chance.choice(options) for options in phrases.MOODS[goal.mood])
        if goal.mood == "confused" and self.chance.random() < 0.5:
            yield self._say(start.strip(), MessageMeaning.REPORT)
            start = ""
        pieces = self.chance.random() < 0.2
        facts = [self._typed(f) for f in goal.problems[0].facts]
        self.written[0] += facts
        if not pieces:
            yield self._say(start + ", ".join((parts[0], *facts)) + end, MessageMeaning.REPORT)
            return
        texts = (start + parts[0], *facts)
        for n, text in enumerate(texts):
            step = self._say(text, MessageMeaning.REPORT, 60.0 if n == 0 else 4.0)
            yield step if n == len(texts) - 1 else replace(step, row={**step.row, "waits": True})

    def _sentence(self, n: int, problem: BrokenThing) -> str:
        """Return a sentence on what is broken, with or without its room."""
        with_room = self.goal.aim in (Aim.CORRECT, Aim.REPORT_TWO) or self.chance.random() < 0.6
        room = self.goal.wrong_room or problem.room
        name, does = self._typed(problem.name), self._typed(problem.does)
        self.written[n] += [name, does]
        template = self.chance.choice(phrases.REPORTS if with_room else phrases.REPORTS_WITHOUT_ROOM)
        if with_room and not self.goal.wrong_room:
            room = self._typed(room)
            self.written[n].append(room)
        return template.format(name=name, does=does, room=room)

    def _answers(self, moments: list[PlayedStep]) -> Iterator[ScenarioStep]:
        """Yield answers to questions until none is left."""
        while self.n_answers < MOST_ANSWERS:
            subject = question(moments)
            if not subject:
                return
            self.n_answers += 1
            yield from self._answer(subject)
            if subject == "photo" and self.goal.photo is PhotoWill.IGNORES:
                return

    def _answer(self, subject: str) -> Iterator[ScenarioStep]:
        if subject == "danger":
            yield self._say("no, nobody is in danger", MessageMeaning.HARMLESS)
        elif subject == "who":
            yield self._say("Bell", None)
        elif subject == "photo":
            yield from self._photo()
        else:
            for n, problem in enumerate(self.goal.problems):
                room, name = self._typed(problem.room), self._typed(problem.name)
                self.written[n].append(room)
                text = self.chance.choice(phrases.ROOMS).format(room=room)
                is_named = problem.room in self.written[n][:-1]
                yield self._say(
                    f"the {name}, {text}" if is_named or len(self.written) > 1 else text, MessageMeaning.REPORT
                )

    def _photo(self) -> Iterator[ScenarioStep]:
        will = self.goal.photo
        if will is PhotoWill.SENDS or (will is PhotoWill.LATER and self.has_refused):
            yield self._picture(self._long() if will is PhotoWill.LATER else 90.0)
        elif will is PhotoWill.LATER:
            self.has_refused = True
            yield self._say(self.chance.choice(phrases.PUT_OFF), MessageMeaning.PHOTO_LATER)
            yield self._picture(6 * 3_600.0)
        elif will is PhotoWill.REFUSES:
            yield self._say(self.chance.choice(phrases.REFUSALS), MessageMeaning.PHOTO_REFUSED)

    def _other(self, moments: list[PlayedStep]) -> Iterator[ScenarioStep]:
        """Yield the steps of the other aims: a question, a request for a person, or an emergency."""
        aim, goal = self.goal.aim, self.goal
        means = {Aim.ASK: MessageMeaning.QUESTION, Aim.PERSON: MessageMeaning.PERSON}.get(aim, MessageMeaning.EMERGENCY)
        start = self.chance.choice(phrases.MOODS[goal.mood][0]) if aim is not Aim.EMERGENCY_OTHERWISE else ""
        yield self._say(start + self._typed(goal.opening), means)
        if means is MessageMeaning.EMERGENCY:
            if question(moments) == "danger":
                yield self._say(self.chance.choice(("yes", "1", "YES", "yes please hurry")), MessageMeaning.EMERGENCY)
            yield self._say(self.chance.choice(phrases.AFTER_ALARM), None)

    def _foreign(self, report: phrases.Foreign, moments: list[PlayedStep]) -> Iterator[ScenarioStep]:
        self.written[0] += report.facts
        yield self._say(report.text, MessageMeaning.REPORT, language=report.language)
        if question(moments) == "photo":
            yield self._say(report.refusal, MessageMeaning.PHOTO_REFUSED, language=report.language)

    def _picture(self, at: float) -> ScenarioStep:
        self.photos.append(f"photo-{len(self.photos) + 1}")
        return ScenarioStep({"media": [self.photos[-1]]}, at, (), {}, is_jump=at > 3_600)

    def _say(self, text: str, means: MessageMeaning | None, at: float = 0.0, language: str = "") -> ScenarioStep:
        row: dict[str, Any] = {"text": text}
        if language:
            row["language"] = language
        is_slow = self.goal.waits_long and self.chance.random() < 0.3
        wait = at or (self._long() if is_slow else self.chance.uniform(15, 200))
        return ScenarioStep(row, wait, (), {}, is_jump=wait > 3_600, means=means)

    def _long(self) -> float:
        return self.chance.uniform(2, 10) * 3_600.0

    def _typed(self, text: str) -> str:
        """Return a text with typing errors; words of up to three letters, and any with a digit, stay."""
        return " ".join(self._mistyped(w) if self.chance.random() < self.goal.typos else w for w in text.split(" "))

    def _mistyped(self, word: str) -> str:
        if len(word) <= 3 or not word.isalpha():
            return word
        at = self.chance.randrange(1, len(word) - 1)
        kind = self.chance.randrange(4)
        if kind == 0:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        if kind == 1:
            return word[:at] + word[at + 1 :]
        if kind == 2:
            return word[:at] + word[at] + word[at:]
        return word[:at] + KEYS.get(word[at], word[at]) + word[at + 1 :]


def question(moments: Sequence[PlayedStep]) -> str:
    """Return the subject of the assistant's question after a step: danger, who, photo, details; empty for none.

    A message delivered twice is one message: its repetition does not withdraw a question.
    """
    moment = next((m for m in reversed(moments) if "dup_of" not in m.step.row), moments[-1])
    if any(e.state is Alarm.POSSIBLE for e in moment.events):
        return "danger"
    conversation = moment.held
    if conversation is None or conversation.handed_off_at is not None or not moment.says:
        return ""
    tools = [t.tool for t in moment.turns if t.tool is not None]
    last = tools[-1] if tools else None
    nudged = any(s.kind is OutboxKind.NUDGE for s in moment.says)
    if last is Tool.ASK_FOR_PHOTO or (nudged and conversation.gathering is Gathering.AWAITING_PHOTO):
        return "photo"
    if last is Tool.ASK_FOR_DETAILS or (nudged and conversation.gathering is Gathering.GATHERING_DETAILS):
        return "details"
    is_asked_who = any(s.kind is OutboxKind.IDENTITY for s in moment.says) and not conversation.tenancy_id
    return "who" if is_asked_who else ""
