"""Which step of a report is next, case by case."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from saidonce.foundation.model.conversation import Gathering, IdentityStatus, PhotoStatus, Tool
from saidonce.repairs.conversation.next_step import REPORT, supported_step
from saidonce.repairs.conversation.tools import ToolContext, ToolRefusal, refusal

IDLE = ToolContext(IdentityStatus.ACTIVE, Gathering.IDLE)
DETAILS = ToolContext(IdentityStatus.ACTIVE, Gathering.GATHERING_DETAILS, detail_asks=1)
PHOTO = ToolContext(IdentityStatus.ACTIVE, Gathering.AWAITING_PHOTO, slots_full=True, photo=PhotoStatus.ASKED)
CREATED = ToolContext(IdentityStatus.ACTIVE, Gathering.ISSUE_CREATED, is_new_problem=True)
DECLINED, LATER, PROVIDED = PhotoStatus.DECLINED, PhotoStatus.LATER, PhotoStatus.PROVIDED


@pytest.mark.parametrize(
    ("at", "asked", "step", "why"),
    [
        # what is missing is asked for first
        (IDLE, Tool.ASK_FOR_PHOTO, Tool.ASK_FOR_DETAILS, ToolRefusal.SLOTS_INCOMPLETE),
        (IDLE, Tool.CREATE_ISSUE, Tool.ASK_FOR_DETAILS, ToolRefusal.SLOTS_INCOMPLETE),
        (DETAILS, Tool.CREATE_ISSUE, Tool.ASK_FOR_DETAILS, ToolRefusal.SLOTS_INCOMPLETE),
        (IDLE, Tool.ASK_FOR_DETAILS, Tool.ASK_FOR_DETAILS, None),
        # what is known is not asked for
        (replace(IDLE, slots_full=True), Tool.ASK_FOR_DETAILS, Tool.ASK_FOR_PHOTO, ToolRefusal.NOTHING_MISSING),
        (replace(IDLE, slots_full=True), Tool.CREATE_ISSUE, Tool.ASK_FOR_PHOTO, ToolRefusal.NO_PHOTO_AND_NOT_DECLINED),
        (replace(CREATED, slots_full=True), Tool.ASK_FOR_DETAILS, Tool.ASK_FOR_PHOTO, ToolRefusal.NOTHING_MISSING),
        (replace(DETAILS, slots_full=True, photo=DECLINED), Tool.ASK_FOR_PHOTO, Tool.CREATE_ISSUE,
         ToolRefusal.NOTHING_MISSING),
        (replace(DETAILS, slots_full=True, photo=PROVIDED), Tool.ASK_FOR_PHOTO, Tool.CREATE_ISSUE,
         ToolRefusal.PHOTO_ALREADY_THERE),
        (replace(IDLE, slots_full=True, photo=PROVIDED, photo_now=True), Tool.ASK_FOR_DETAILS, Tool.CREATE_ISSUE,
         ToolRefusal.NOTHING_MISSING),
        # while a photo is awaited
        (PHOTO, Tool.CREATE_ISSUE, Tool.CREATE_ISSUE, None),
        (
            replace(PHOTO, has_new_fact=True), Tool.CREATE_ISSUE, Tool.ASK_FOR_DETAILS,
            ToolRefusal.NO_PHOTO_AND_NOT_DECLINED,
        ),
        (replace(PHOTO, has_new_fact=True), Tool.ASK_FOR_DETAILS, Tool.ASK_FOR_DETAILS, None),
        (replace(PHOTO, photo=LATER, puts_off=True), Tool.CREATE_ISSUE, Tool.RESPOND,
         ToolRefusal.NO_PHOTO_AND_NOT_DECLINED),
        (replace(PHOTO, photo=LATER, puts_off=True), Tool.ASK_FOR_DETAILS, Tool.RESPOND, ToolRefusal.NO_NEW_FACT),
        (replace(PHOTO, photo=DECLINED), Tool.CREATE_ISSUE, Tool.CREATE_ISSUE, None),
        # a question is answered
        (replace(IDLE, only_asks=True), Tool.ASK_FOR_DETAILS, Tool.RESPOND, ToolRefusal.ONLY_ASKS),
        (replace(PHOTO, only_asks=True), Tool.CREATE_ISSUE, Tool.RESPOND, ToolRefusal.ONLY_ASKS),
        (replace(IDLE, only_asks=True), Tool.ESCALATE, Tool.ESCALATE, None),
        # intentions are the model's
        (replace(IDLE, slots_full=True), Tool.RESPOND, Tool.RESPOND, None),
        (replace(IDLE, slots_full=True), Tool.ESCALATE, Tool.ESCALATE, None),
    ],
)  # fmt: skip
def test_the_step_that_evidence_bears_out(at: ToolContext, asked: Tool, step: Tool, why: ToolRefusal | None) -> None:
    assert supported_step(at, asked) == (step, why)


def test_another_step_is_always_one_that_the_gate_allows() -> None:
    flags = (True, False)
    for identity, gathering, tool, photo in product(IdentityStatus, Gathering, Tool, PhotoStatus):
        for full, now, fact, new, off, asks in product(flags, repeat=6):
            at = ToolContext(identity, gathering, slots_full=full, photo_now=now, photo=photo, has_new_fact=fact,
                           is_new_problem=new, puts_off=off, only_asks=asks)  # fmt: skip
            step, why = supported_step(at, tool)
            assert (why is None) == (step is tool)
            if step is not tool:
                assert tool in REPORT
                assert refusal(at, step) is None
