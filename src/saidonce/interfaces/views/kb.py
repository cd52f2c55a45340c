"""Reports as JSON for programs; the shapes are described in docs/reference/json.md."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from urllib.parse import urlsplit

from saidonce.foundation.model import (
    SCOPES_OF,
    ApiKey,
    Attribution,
    Block,
    Channel,
    ChannelKind,
    Decision,
    Flag,
    Near,
    Notice,
    Objection,
    Pair,
    Person,
    Ruling,
    SecondOpinion,
    StoredDocument,
)
from saidonce.foundation.ports import SegmentHistory
from saidonce.foundation.settings.policy import Settings, shown
from saidonce.kb.answer import Answer
from saidonce.kb.explain import Explanation
from saidonce.kb.ingest import IngestReport
from saidonce.kb.review import PairView
from saidonce.kb.search import SearchReport
from saidonce.kb.status import BaseStatus


def ingest_json(report: IngestReport, passed_over: tuple[str, ...], removed: list[str]) -> dict[str, Any]:
    """Give an ingest as JSON."""
    return {
        "collection": report.collection,
        "totals": report.totals,
        "dedup_ratio_by_format": report.dedup_ratio_by_format,
        "passed_over": list(passed_over),
        "removed": removed,
        "documents": [{**asdict(d), "dedup_ratio": d.dedup_ratio} for d in report.documents],
    }


def block_json(block: Block) -> dict[str, Any]:
    """Give a block as JSON, without its attributions."""
    return {
        "id": block.id,
        "collection": block.collection,
        "document": block.document,
        "title": block.title,
        "kind": block.kind,
        "language": block.language,
        "heading_path": list(block.heading_path),
        "page": block.page,
        "salience": block.salience,
        "authored_at": block.authored_at.isoformat() if block.authored_at else None,
        "tags": list(block.tags),
        "text": block.text,
    }


def objection_json(objection: Objection) -> dict[str, Any]:
    """Give an objection as JSON: the fact and both spans."""
    return {"kind": objection.kind, "a": asdict(objection.a), "b": asdict(objection.b)}


def search_json(report: SearchReport) -> dict[str, Any]:
    """Give a search as JSON."""
    hits = []
    for hit in report.hits:
        apart = hit.held_apart
        hits.append(
            {
                **block_json(hit.block),
                "score": hit.score,
                "relevance": hit.relevance,
                "signals": {s.name: {"value": s.value, "rank": s.rank, "part": s.part} for s in hit.signals},
                "also_in": [{**block_json(t.block), "similarity": t.similarity, "score": t.score} for t in hit.also_in],
                "held_apart": apart
                and {"id": apart.block_id, "objections": [objection_json(o) for o in apart.objections]},
            }
        )
    return {
        "query": report.query,
        "corrected": dict(report.corrected),
        "n_pool": report.n_pool,
        "n_below": report.n_below,
        "n_repeats": report.n_repeats,
        "dedup_ratio": report.dedup_ratio,
        "took_ms": dict(report.took_ms),
        "warnings": list(report.warnings),
        "hits": hits,
    }


def answer_json(answer: Answer) -> dict[str, Any]:
    """Give an answer as JSON."""
    return {
        "question": answer.question,
        "mode": answer.mode,
        "model": answer.model,
        "sentences": [asdict(s) for s in answer.sentences],
        "passages": [block_json(hit.block) for hit in answer.passages],
    }


def account_json(account: Explanation) -> dict[str, Any]:
    """Give an account of a block or segment as JSON."""
    block = account.block
    return {
        "id": account.id,
        "block": block and {**block_json(block), "boost": block.boost, "attributions": _attributions(block)},
        "kept_by": account.kept_by,
        "neighbours": account.neighbours,
        "history": [_history_json(h) for h in account.histories],
        "decisions": [decision_json(d) for d in account.decisions],
        "opinions": [opinion_json(o) for o in account.opinions],
    }


def _attributions(block: Block) -> list[dict[str, Any]]:
    return [_attribution_json(a) for a in block.attributions]


def _attribution_json(a: Attribution) -> dict[str, Any]:
    return {**asdict(a), "heading_path": list(a.heading_path)}


def _history_json(history: SegmentHistory) -> dict[str, Any]:
    fate = history.fate
    return {
        "document": history.document.name,
        "version": history.document.version,
        "live": history.live,
        "ordinal": history.segment.ordinal,
        "page": history.segment.page,
        "salience": history.segment.salience,
        "text": history.segment.text,
        "relation": fate.relation or "set_aside",
        "of": fate.of,
        "similarity": fate.similarity,
        "near_miss": fate.near_miss,
        "objections": [objection_json(o) for o in fate.objections],
    }


def whole_block_json(block: Block) -> dict[str, Any]:
    """Give a block with all that supports it."""
    return {
        **block_json(block),
        "documents": list(block.documents),
        "members": list(block.members),
        "approval": block.approval,
        "owner": block.owner,
        "attributions": _attributions(block),
    }


def near_json(near: Near) -> dict[str, Any]:
    """Give what a candidate was compared with."""
    return {
        "id": near.id,
        "similarity": near.similarity,
        "objections": [objection_json(o) for o in near.objections],
    }


def decision_json(decision: Decision) -> dict[str, Any]:
    """Give a decision with its place in the log."""
    detail = decision.detail
    return {
        "seq": decision.seq,
        "verb": decision.verb,
        "collection": decision.collection,
        "members": list(decision.members),
        "actor": decision.actor,
        "reason": decision.reason,
        "because": detail.because,
        "at": decision.at.isoformat(),
        "flag": decision.flag,
        "reverts": decision.reverts,
        "holds": decision.live,
        "near": [near_json(n) for n in detail.near],
        "set_aside": list(detail.set_aside),
        "approval": detail.approval,
        "owner": detail.owner,
        "wrong": detail.wrong,
        "ruling": ruling_json(detail.ruling) if detail.ruling is not None else None,
        "policy": decision.policy,
        "certificate": decision.certificate,
        "hash": decision.hash,
    }


def ruling_json(ruling: Ruling) -> dict[str, Any]:
    """Give what an adjudicator said."""
    return asdict(ruling)


def opinion_json(opinion: SecondOpinion | None) -> dict[str, Any] | None:
    """Give a second opinion; None without one."""
    if opinion is None:
        return None
    return {
        **ruling_json(opinion.ruling),
        "flag": opinion.flag,
        "texts": opinion.texts,
        "asked": opinion.adjudicator,
        "outcome": opinion.outcome,
        "likelihood": opinion.likelihood,
        "n_failed": opinion.n_failed,
        "at": opinion.at.isoformat(),
    }


def flag_json(flag: Flag) -> dict[str, Any]:
    """Give a flag."""
    return {
        "seq": flag.seq,
        "collection": flag.collection,
        "candidate": flag.candidate,
        "of": flag.of,
        "because": flag.because,
        "worth": flag.worth,
        "open": flag.open,
        "assignee": flag.assignee,
        "resolved_by": flag.resolved_by,
        "near": [near_json(n) for n in flag.near],
    }


def pair_json(pair: Pair) -> dict[str, Any]:
    """Give an open pair as the queue lists it."""
    return {
        **flag_json(pair.flag),
        "candidate_text": pair.candidate.text,
        "kept_text": pair.kept.text,
        "opinion": opinion_json(pair.opinion),
    }


def view_json(view: PairView) -> dict[str, Any]:
    """Give a pair with everything that a decision needs; `a` is the kept block, `b` the candidate."""
    return {
        **flag_json(view.flag),
        "a": whole_block_json(view.kept),
        "b": whole_block_json(view.candidate),
        "shortlist": [block_json(b) for b in view.shortlist],
        "objections": [objection_json(o) for o in view.objections],
        "previews": {
            keep: {
                "text_of": golden.id,
                "text": golden.text_of.segment.text,
                "approval": golden.approval,
                "owner": golden.owner,
                "authored_at": golden.authored_at.isoformat() if golden.authored_at else None,
                "members": [m.id for m in golden.members],
            }
            for keep, golden in view.previews.items()
        },
        "seen": view.seen,
        "opinion": opinion_json(view.opinion),
        "proposes": view.proposes,
    }


def status_json(found: BaseStatus) -> dict[str, Any]:
    """Give the state of the base as JSON."""
    return asdict(found)


def document_json(document: StoredDocument) -> dict[str, Any]:
    """Give a document as JSON."""
    return {
        **asdict(document),
        "authored_at": document.authored_at.isoformat() if document.authored_at else None,
        "ingested_at": document.ingested_at.isoformat(),
    }


def settings_json(settings: Settings) -> list[dict[str, Any]]:
    """Every setting with its value now; secrets are told only as given or not."""
    rows = []
    for name, info in Settings.model_fields.items():
        value = settings.model_dump(mode="json")[name]
        extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
        rows.append(
            {"name": name, "value": shown(name, value), "unit": extra.get("unit", ""), "help": info.description}
        )
    return rows


def person_json(person: Person) -> dict[str, Any]:
    """Give a person as JSON."""
    return {**_plain(asdict(person)), "scopes": sorted(SCOPES_OF[person.role])}


def key_json(key: ApiKey) -> dict[str, Any]:
    """Give a key as JSON, without its hash."""
    return _plain({name: value for name, value in asdict(key).items() if name != "hash"})


def channel_json(channel: Channel) -> dict[str, Any]:
    """Give a channel as JSON, without its secret and without the secret part of its address."""
    shown = {**asdict(channel), "target": address_of(channel)}
    return _plain({name: value for name, value in shown.items() if name != "secret"})


def notice_json(notice: Notice) -> dict[str, Any]:
    """Give a notice as JSON."""
    return _plain(asdict(notice))


def _plain(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: _plain_value(value) for name, value in fields.items()}


def _plain_value(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    return value.isoformat() if hasattr(value, "isoformat") else value


def address_of(channel: Channel) -> str:
    """Give where a channel leads, without the secret part of a URL."""
    if channel.kind is ChannelKind.EMAIL:
        return channel.target
    url = urlsplit(channel.target)
    return f"{url.scheme}://{url.netloc}/..."
