"""Adapter: Prometheus series of ingest and search, in the default registry of the process."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from prometheus_client import Counter, Gauge, Histogram

from saidonce.foundation.model import ESCAPE_HATCH, Decision, GateVerdict, SecondOpinion, Verb
from saidonce.foundation.model.call_outs import OrgTroubles
from saidonce.foundation.model.conversation import Path, Turn
from saidonce.foundation.ports import HeldAge
from saidonce.kb.ingest import IngestReport, State
from saidonce.kb.search import SearchReport

if TYPE_CHECKING:
    from saidonce.repairs.conversation import IssuesTended  # a search starts without the conversation's modules

_SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)

DOCUMENTS = Counter("saidonce_documents", "Sources ingested, by what became of them", ["outcome"])
REFUSALS = Counter("saidonce_refusals", "Sources refused, by reason", ["reason"])
SEGMENTS = Counter("saidonce_segments", "Segments of ingested documents, by fate and format", ["outcome", "format"])
BOOST = Histogram("saidonce_salience_boost", "Relative salience boosts", buckets=(0.15, 0.24, 0.3, 0.4, 0.6, 1.0, 2.0))
RATIO = Histogram("saidonce_dedup_ratio", "Share removed as repeats, by phase", ["phase"], buckets=_SHARES)
SEARCHES = Counter("saidonce_searches", "Searches, by whether they found anything", ["outcome"])
RANKED = Counter("saidonce_ranked_blocks", "Ranked blocks that searches looked at, by fate", ["outcome"])
SECONDS = Histogram("saidonce_flow_seconds", "Duration of a flow", ["phase"])

VERDICTS = Counter("saidonce_gate_verdicts", "Submissions that a gate judged", ["outcome", "reason"])
RULINGS = Counter("saidonce_gate_rulings", "Rulings at a gate, by opinion or cause of failure", ["outcome"])
LET_THROUGH = Counter("saidonce_gate_let_through", "Submissions let through by the operator's escape hatch")
HATCH = Gauge("saidonce_gate_escape_hatch", "1 while the operator's escape hatch is open")
HELD = Gauge("saidonce_gate_held", "Submissions that a gate holds for a person, by reason", ["org", "reason"])
HELD_AGE = Gauge("saidonce_gate_held_oldest_seconds", "Age of the oldest submission held for a person", ["org"])
HELD_DECISIONS = Counter("saidonce_gate_held_decisions", "Held submissions that people decided, by what", ["outcome"])
AUDITS = Counter("saidonce_gate_audits", "Clears of adjudicators that people audited, by what they found", ["outcome"])
CHECK_SECONDS = Histogram(
    "saidonce_gate_seconds", "Duration of a gate's check, embedding left out", ["phase"],
    buckets=(0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120),
)  # fmt: skip
RULING_COST = Counter("saidonce_gate_ruling_cost_dollars", "Cost of rulings, in US dollars")

OPINIONS = Counter("saidonce_opinions", "Second opinions on open pairs, by opinion or cause of failure", ["outcome"])
OPINION_SECONDS = Histogram(
    "saidonce_opinion_seconds", "Duration of a second opinion", buckets=(0.002, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 90)
)
OPINION_COST = Counter("saidonce_opinion_cost_dollars", "Cost of second opinions, in US dollars")
SETTLED = Counter("saidonce_opinions_settled", "Pairs that a second opinion settled, and those taken back", ["outcome"])

ALARMS = Gauge("saidonce_alarms_unacknowledged", "Emergencies that no person has acknowledged", ["org"])
ALARM_AGE = Gauge("saidonce_alarms_oldest_seconds", "Age of the oldest unacknowledged emergency", ["org"])
ALARMS_EXHAUSTED = Gauge("saidonce_alarms_exhausted", "Those whose call-out list has come to its end", ["org"])
GIVEN_UP = Gauge("saidonce_notices_given_up", "Notices that were given up after all tries", ["org"])
UNREACHED = Gauge("saidonce_organisations_unreached", "Organisations with homes and no channel for notices")
LIMITS_MISSED = Counter("saidonce_issue_limits_missed", "Limits of time that issues missed, by which", ["phase"])
REMINDERS = Counter("saidonce_visit_reminders", "Reminders of visits that were sent to residents")
TURNS = Counter("saidonce_conversation_turns", "Turns of conversations, by what took them", ["path"])
MODEL_TURNS = Counter(
    "saidonce_conversation_model_turns", "Turns that a model was asked for, by whether it led them", ["outcome"]
)
MODEL_AWAY = Gauge("saidonce_conversation_model_unreachable", "1 while the latest turn had no reply of its model")

SERIES = (
    DOCUMENTS, REFUSALS, SEGMENTS, BOOST, RATIO, SEARCHES, RANKED, SECONDS, VERDICTS, RULINGS, LET_THROUGH, HATCH,
    HELD, HELD_AGE, HELD_DECISIONS, AUDITS,
    CHECK_SECONDS, RULING_COST, OPINIONS, OPINION_SECONDS, OPINION_COST, SETTLED, ALARMS, ALARM_AGE,
    ALARMS_EXHAUSTED, GIVEN_UP, UNREACHED, LIMITS_MISSED, REMINDERS, TURNS,
    MODEL_TURNS, MODEL_AWAY,
)  # fmt: skip


def record_troubles(troubles: Sequence[OrgTroubles], n_unreached: int, now: datetime) -> None:
    """Set the metrics of unacknowledged alarms and undelivered notices; organisations without any have none."""
    for gauge in (ALARMS, ALARM_AGE, ALARMS_EXHAUSTED, GIVEN_UP):
        gauge.clear()
    for each in troubles:
        ALARMS.labels(each.org).set(each.n_alarms)
        ALARM_AGE.labels(each.org).set((now - each.oldest_at).total_seconds() if each.oldest_at is not None else 0)
        ALARMS_EXHAUSTED.labels(each.org).set(each.n_exhausted)
        GIVEN_UP.labels(each.org).set(each.n_given_up)
    UNREACHED.set(n_unreached)


def record_held(waiting: Sequence[HeldAge], now: datetime) -> None:
    """Set the metrics of held submissions; organisations without any have none."""
    HELD.clear()
    HELD_AGE.clear()
    oldest: dict[str, datetime] = {}
    for each in waiting:
        HELD.labels(each.org, each.reason).set(each.n)
        oldest[each.org] = min(each.oldest_at, oldest.get(each.org, each.oldest_at))
    for org, since in oldest.items():
        HELD_AGE.labels(org).set((now - since).total_seconds())


def record_held_decision(outcome: str, n: int) -> None:
    """Count held submissions that a person decided, or whose decision was undone."""
    HELD_DECISIONS.labels(outcome).inc(n)


def record_audit(right: bool) -> None:
    """Count a clear that a person audited."""
    AUDITS.labels("right" if right else "wrong").inc()


def record_ingest(report: IngestReport, seconds: float) -> None:
    """Count an ingest."""
    for document in report.documents:
        DOCUMENTS.labels(document.state).inc()
        if document.state is State.REFUSED:
            REFUSALS.labels(document.reason).inc()
        if not document.is_written:
            continue
        for outcome in ("kept", "exact", "near", "set_aside", "held_apart", "merged", "flagged"):
            SEGMENTS.labels(outcome, document.format).inc(getattr(document, f"n_{outcome}"))
        RATIO.labels("ingest").observe(document.dedup_ratio)
        for boost in document.boosts:
            BOOST.observe(boost)
    SECONDS.labels("ingest").observe(seconds)


def record_search(report: SearchReport, seconds: float) -> None:
    """Count a search."""
    SEARCHES.labels("found" if report.hits else "empty").inc()
    RANKED.labels("repeat").inc(report.n_repeats)
    RANKED.labels("below").inc(report.n_below)
    RANKED.labels("hit").inc(len(report.hits))
    RATIO.labels("search").observe(report.dedup_ratio)
    SECONDS.labels("search").observe(seconds)


def record_verdict(verdict: GateVerdict) -> None:
    """Count a verdict of a gate; a pending one counts as such, and again when it is ruled."""
    decided, ruling = verdict.verdict, verdict.ruling
    if decided is None:
        VERDICTS.labels("pending", "pending").inc()
        return
    VERDICTS.labels(verdict.standing, verdict.reason).inc()
    if verdict.override is not None and verdict.override.by != ESCAPE_HATCH:
        return  # Its check was counted when it was held.
    CHECK_SECONDS.labels("check").observe(verdict.duration_ms / 1_000)
    HATCH.set(verdict.rules is not None and verdict.rules.escape_hatch)
    if verdict.override is not None:
        LET_THROUGH.inc()
    if ruling is not None:
        RULINGS.labels(ruling.failure or ruling.opinion).inc()
        CHECK_SECONDS.labels("ruling").observe(ruling.duration_ms / 1_000)
        RULING_COST.inc(0.0 if ruling.cached else ruling.cost)


def record_opinion(opinion: SecondOpinion) -> None:
    """Count a second opinion, or that there was none."""
    OPINIONS.labels(opinion.outcome).inc()
    OPINION_SECONDS.observe(opinion.ruling.duration_ms / 1_000)
    OPINION_COST.inc(0.0 if opinion.ruling.cached else opinion.ruling.cost)


def record_settled(decision: Decision) -> None:
    """Count a pair that an opinion settled."""
    SETTLED.labels("merged" if decision.verb is Verb.MERGE else "dismissed").inc()


def record_turn(turn: Turn) -> None:
    """Count a turn of a conversation, and whether its model could lead it."""
    TURNS.labels(turn.path).inc()
    if not turn.model:
        return
    MODEL_TURNS.labels("fallback" if turn.path is Path.V1_FALLBACK else "led").inc()
    MODEL_AWAY.set(bool(turn.calls) and all(call.refused.startswith("unavailable: ") for call in turn.calls))


def record_taken_back(target: Decision | None) -> None:
    """Count that a person took back what an opinion had settled; other decisions are not counted."""
    if target is not None and target.detail.ruling is not None:
        SETTLED.labels("taken_back").inc()


def record_issues(tended: IssuesTended) -> None:
    """Count what the timers of issues led to."""
    REMINDERS.inc(tended.n_reminded)
    for limit in tended.missed:
        LIMITS_MISSED.labels(limit).inc()
