"""Every JSON answer of the command line by command; the JSON schema of each is generated from it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter

from saidonce.app.doctor import Check
from saidonce.gate import GateImport, Replay
from saidonce.interfaces.views import (
    alarms,
    backups,
    gate,
    held,
    kb,
    passages,
    people,
    personal_data,
    questions,
    repairs,
    reports,
    review,
    security,
    syncs,
    translations,
)
from saidonce.interfaces.views.docstrings import spread
from saidonce.kb.status import BaseStatus
from saidonce.quality.context import ContextReport
from saidonce.quality.contrast import ContrastLine
from saidonce.quality.retrieval import RetrievalReport

COMMANDS: Mapping[str, Any] = {
    "ingest": kb.IngestView,
    "search": kb.SearchView,
    "context": passages.ContextView,
    "ask": passages.AnswerView,
    "why": kb.ExplanationView | kb.DocumentAccountView,
    "sync": syncs.SyncView,
    "sources list": list[syncs.SourceView],
    "sources remove": syncs.SourceRemoved,
    "status": BaseStatus,
    "doctor": list[Check],
    "documents": list[kb.DocumentView],
    "settings": list[kb.SettingView],
    "pairs show": kb.PairCountsView,
    "pairs compare": kb.PairsComparedView,
    "pairs rebuild": kb.PairRebuildView,
    "pairs translations": list[translations.TranslationView],
    "queue": kb.QueueView,
    "review groups": review.GroupsView,
    "review bulk": review.GroupsView | review.BulkOutcomeView,
    "review rules": list[review.RuleView],
    "review add-rule": review.RuleMadeView,
    "review throughput": list[review.ThroughputView],
    "decisions": list[review.DecisionInWords],
    "rebuild": kb.RebuildView,
    "opine": kb.OpineView,
    "settled": list[kb.DecisionView],
    "calibrate": reports.CalibrationView,
    "dedupe": reports.DedupeView | reports.DedupeRunView | reports.VerifiedView,
    "backup": backups.BackupsView,
    "restore": backups.RestoredView,
    "people add": people.PersonView,
    "people list": list[people.PersonView],
    "people role": people.PersonView,
    "people leave": people.PersonView,
    "keys make": people.NewKeyView,
    "keys list": list[people.KeyView],
    "keys revoke": people.KeyView,
    "security-log": list[security.SecurityEventView],
    "channels add": people.NewChannelView,
    "channels list": list[people.ChannelWithNotices],
    "channels remove": people.ChannelRemoved,
    "channels test": people.ChannelTested,
    "evaluate scenarios": reports.ScenariosView,
    "evaluate tenants": reports.TenantsView,
    "evaluate quality": reports.QualityView,
    "evaluate emergencies": reports.EmergenciesView,
    "evaluate questions": questions.QuestionsView,
    "evaluate retrieval": RetrievalReport,
    "evaluate context": ContextReport,
    "evaluate pairs": reports.PairsView,
    "evaluate contrast": list[ContrastLine],
    "evaluate said-again": reports.RepeatedTurnsView,
    "adjudicator train": reports.TrainedView,
    "adjudicator evaluate": reports.JudgeView,
    "adjudicator show": reports.JudgeFile,
    "gate verdict": gate.GateAccountView,
    "gate import": GateImport,
    "gate recheck": held.RecheckView,
    "gate held": held.HeldListView,
    "gate held throughput": list[held.HeldThroughputView],
    "gate held show": held.HeldPairView,
    "gate held decide": held.HeldResultView,
    "gate held undo": held.HeldUndoView,
    "gate held assign": list[gate.GateVerdictView],
    "gate held note": held.HeldPairView,
    "gate held audit": gate.GateVerdictView,
    "gate override": gate.GateVerdictView,
    "gate release": gate.GateVerdictView,
    "gate replay": Replay,
    "gate stats": gate.GateStatsView,
    "gate list": list[gate.GateView],
    "conversations list": list[repairs.ConversationView],
    "conversations show": repairs.ConversationDetail,
    "conversations take-over": repairs.TurnDetail,
    "conversations hand-back": repairs.TurnDetail,
    "conversations write": repairs.TurnDetail,
    "conversations approve": repairs.TurnDetail,
    "conversations undo": repairs.TurnDetail,
    "conversations replay": repairs.ReplayView,
    "issues list": list[repairs.IssueView],
    "issues show": repairs.IssueView,
    "issues close": repairs.IssueView,
    "issues move": repairs.IssueView,
    "alarms list": list[alarms.AlarmView],
    "alarms acknowledge": alarms.AlarmView,
    "alarms all-clear": alarms.AlarmView,
    "call-outs show": list[alarms.CallOutListView],
    "call-outs set": list[alarms.CallOutListView],
    "issues own": repairs.IssueView,
    "issues propose": repairs.IssueView,
    "issues book": repairs.IssueView,
    "issues cancel-visit": repairs.IssueView,
    "issues assign": repairs.AssignedView,
    "issues revoke": repairs.IssueView,
    "homes import": repairs.HomesImport,
    "homes list": list[repairs.HomeView],
    "homes end": repairs.HomeView,
    "homes undo": repairs.HomeView,
    "homes link": repairs.HomeLink,
    "residents erase": personal_data.ErasureView,
    "residents export": personal_data.ExportedView,
    "residents retention": personal_data.RetentionView,
    "residents log": list[personal_data.DataActView],
}
"""What each command prints with `--json` (`adjudicator show` always), in one document."""

LINES: Mapping[str, Any] = {
    "security-log --follow": security.SecurityEventView,
    "gate check": gate.GateCheckLine,
    "gate retry": gate.GateVerdictView,
    "chat": repairs.ChatLine,
    "dedupe --dropped": reports.ComparedRow | reports.UnreadableRow | reports.RunRow | reports.UnreadableRunRow,
    "dedupe --held-apart": reports.ComparedRow | reports.RunRow,
    "evaluate retrieval --run": reports.RunLine,
    "evaluate pairs --verdicts": reports.PairVerdict,
}
"""What is written one document a line: by commands with `--json`, and into files that an option names."""

MODE: Literal["serialization"] = "serialization"


@cache
def schema() -> dict[str, Any]:
    """Return one JSON schema of all answers: `answers` names that of each command, `$defs` has the nouns."""
    answers = {**COMMANDS, **LINES}
    by_name, shared = TypeAdapter.json_schemas(
        ((name, MODE, TypeAdapter(answer)) for name, answer in answers.items()), ref_template="#/$defs/{model}"
    )
    spread(shared["$defs"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "JSON of saidonce",
        "description": "Pick a command in `answers`; `lines` lists those that write one document a line.",
        "answers": {name: by_name[name, MODE] for name in answers},
        "lines": list(LINES),
        "$defs": shared["$defs"],
    }
