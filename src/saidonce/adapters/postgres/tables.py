"""The tables of a store: which nouns they keep in which columns, what orders them, and what they refer to.

An export holds them in this order; whoever writes rows in bulk takes the columns from here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import cached_property
from operator import attrgetter
from typing import Any

from saidonce.adapters.postgres.codec import column_type, column_value
from saidonce.adapters.postgres.people_rows import BudgetRow, ChannelRow, KeyRow, RulingRow
from saidonce.adapters.postgres.records import (
    AdmissionRow,
    AdmissionVectorRow,
    BlockRow,
    CounterRow,
    DocumentRow,
    EmbeddingRow,
    FlagRow,
    GateVerdictRow,
    GoneRow,
    LandlordNoticeRow,
    MediaRow,
    MemberRow,
    NameRow,
    OriginalRow,
    OutboxRow,
    PlacementRow,
    SegmentRow,
    UseRow,
    VersionRow,
    WaitingMediaRow,
)
from saidonce.foundation.model import Collection, Decision, GateDefinition, GateEvent, Notice, Person, SecondOpinion
from saidonce.foundation.model.board import IssueMove
from saidonce.foundation.model.call_outs import CallOutList
from saidonce.foundation.model.conversation import Conversation, EmergencyEvent, Issue, Turn
from saidonce.foundation.model.personal_data import DataAct
from saidonce.foundation.model.residents import Inbound, Property, Resident, Tenancy
from saidonce.foundation.model.syncs import SyncEntry, SyncSource


@dataclass(frozen=True)
class StoredTable:
    """A table and what it keeps.

    Attributes:
        noun: what a row is read as; in an export its JSON.
        key: columns that order the rows and tell them apart.
        paths: where in the noun a column's value lies, for columns that are not named as its fields.
        record: the field that a column `record` keeps as JSON, "*" for the whole noun; the other columns are then
            those of `key` and `paths` alone, which queries and constraints need.
        left_out: fields without a column.
        needs: the tables that rows refer to, each with the columns that give the key there; a reference of which a
            column is empty or None refers to nothing.
        dump: the query that gives all rows by key.
        yields: rows of an export give way to those that are there: whoever imports is a person with a key already.
    """

    name: str
    noun: type[Any]
    key: tuple[str, ...]
    paths: Mapping[str, str] = field(default_factory=dict)
    record: str = ""
    left_out: tuple[str, ...] = ()
    needs: tuple[tuple[str, ...], ...] = ()
    dump: str = ""
    yields: bool = False

    @cached_property
    def columns(self) -> dict[str, str]:
        """Types of the columns, by name."""
        return {name: column_type(self.noun, path) for name, path in self._all.items()} | (
            {"record": "json"} if self.record else {}
        )

    def key_of(self, row: object) -> tuple[Any, ...]:
        """Return what orders a row among its kind."""
        return tuple(get(row) for get in self._key)

    def references(self, row: object) -> Iterator[tuple[Any, ...]]:
        """Yield what a row refers to, as table and key."""
        for table, *columns in self.needs:
            key = tuple(attrgetter(self._all.get(name, name))(row) for name in columns)
            if not any(part in (None, "") for part in key):
                yield (table, *key)

    def values(self, row: object) -> tuple[Any, ...]:
        """Return a row as the values of its columns."""
        return tuple(get(row) for get in self._getters)

    def params(self, row: object) -> dict[str, Any]:
        """Return a row as the parameters of a query."""
        return dict(zip(self.columns, self.values(row), strict=True))

    @cached_property
    def _all(self) -> dict[str, str]:
        """Columns but the record, with the paths of their values."""
        names = (*self.key, *self.paths) if self.record else tuple(each.name for each in fields(self.noun))
        renamed = set(self.paths.values())
        own = {name: name for name in names if name not in renamed and name not in self.left_out}
        return {**{name: self.paths.get(name, name) for name in own}, **self.paths}

    @cached_property
    def _key(self) -> tuple[Callable[[Any], Any], ...]:
        return tuple(attrgetter(self._all.get(name, name)) for name in self.key)

    @cached_property
    def _getters(self) -> tuple[Callable[[Any], Any], ...]:
        getters = [column_value(self.noun, path) for path in self._all.values()]
        return (*getters, *([column_value(self.noun, self.record)] if self.record else []))


def _same(*names: str, of: str = "") -> dict[str, str]:
    """Return columns that are named as fields of the noun, or of a noun in it."""
    return {name: f"{of}.{name}" if of else name for name in names}


TABLES = (
    StoredTable("collection", Collection, ("name",), dump="collections"),
    StoredTable("document", DocumentRow, ("document_id",), needs=(("collection", "collection"),)),
    StoredTable(
        "name", NameRow, ("collection", "name"), needs=(("collection", "collection"), ("document", "document_id"))
    ),
    StoredTable("version", VersionRow, ("document_id", "version"), needs=(("document", "document_id"),)),
    StoredTable("segment", SegmentRow, ("segment_id",), needs=(("document", "document_id"),)),
    StoredTable(
        "placement", PlacementRow, ("segment_id", "version"),
        needs=(("segment", "segment_id"), ("version", "document_id", "version")),
    ),
    StoredTable("embedding", EmbeddingRow, ("key",)),
    StoredTable(
        "embedding_use", UseRow, ("document_id", "key"), needs=(("document", "document_id"), ("embedding", "key"))
    ),
    StoredTable(
        "block", BlockRow, ("block_id",), {"counts": "counts", "n_terms": "n_terms", "digest": "digest"},
        left_out=("title", "heading_path", "terms"),
        needs=(
            ("collection", "collection"), ("document", "document_id"), ("segment", "block_id"),
            ("embedding_use", "document_id", "text_key"), ("embedding_use", "document_id", "context_key"),
        ),
    ),
    StoredTable("gone", GoneRow, ("model", "block_id")),
    StoredTable("counter", CounterRow, ("name",), dump="counters"),
    StoredTable(
        "decision", Decision, ("seq",),
        needs=(("collection", "collection"), ("decision", "flag"), ("decision", "reverts")),
    ),
    StoredTable("member", MemberRow, ("segment_id",), needs=(("segment", "segment_id"), ("block", "block_id"))),
    StoredTable("flag", FlagRow, ("seq",), needs=(("decision", "seq"),)),
    StoredTable("gate", GateDefinition, ("name",), {"parts": "fields"}),
    StoredTable("gate_verdict", GateVerdictRow, ("verdict_id",), needs=(("gate", "gate"),)),
    StoredTable(
        "admission", AdmissionRow, ("admission_id",),
        {
            "admission_id": "admission.id", "text": "admission.candidate.text", "shown": "admission.candidate.fields",
            "content_hash": "admission.candidate.content_hash", "language": "admission.candidate.language",
            **_same("gate", "verdict_id", "submission", "partition", "at", "released_at", of="admission"),
        },
        left_out=("admission",), needs=(("gate", "gate"),),
    ),
    StoredTable("admission_vector", AdmissionVectorRow, ("admission_id",), needs=(("admission", "admission_id"),)),
    StoredTable("gate_event", GateEvent, ("seq",), needs=(("gate", "gate"),)),
    StoredTable("property", Property, ("property_id",), {"property_id": "id"}),
    StoredTable("resident", Resident, ("resident_id",), {"resident_id": "id"}),
    StoredTable(
        "tenancy", Tenancy, ("tenancy_id",), {"tenancy_id": "id"},
        needs=(("property", "property_id"), ("resident", "resident_id")),
    ),
    StoredTable(
        "conversation", Conversation, ("conversation_id",),
        {
            "conversation_id": "id", **_same("via", "external_user_id", of="sender"),
            **_same("number_id", "started_at", "due_at", "wake_at", "last_inbound_at", "lease_by", "lease_until"),
        },
        record="*",
    ),
    StoredTable(
        "inbound", Inbound, ("seq",),
        {"via": "sender.via", **_same("number_id", "message_id", "conversation_id", "scanned")},
        record="*", needs=(("conversation", "conversation_id"),),
    ),
    StoredTable(
        "turn", Turn, ("conversation_id", "n"), {"turn_id": "id"}, record="*",
        needs=(("conversation", "conversation_id"),),
    ),
    StoredTable(
        "issue", Issue, ("issue_id",),
        {
            "issue_id": "id",
            **_same("turn_id", "conversation_id", "tenancy_id", "property_id", "created_at", "state", "review"),
            "wake_at": "progress.wake_at",
        },
        record="*",
        needs=(("conversation", "conversation_id"), ("tenancy", "tenancy_id"), ("property", "property_id")),
    ),
    StoredTable("issue_move", IssueMove, ("issue_id", "n"), record="*", needs=(("issue", "issue_id"),)),
    StoredTable(
        "emergency", EmergencyEvent, ("event_id",),
        {
            "event_id": "id",
            **_same("conversation_id", "inbound_seq", "at", "replied", "state", "alerted_at", "issue_id"),
            **_same("acknowledged_at", "exhausted_at"),
        },
        record="*", needs=(("conversation", "conversation_id"), ("inbound", "inbound_seq")),
    ),
    StoredTable(
        "outbox", OutboxRow, ("conversation_id", "seq"),
        {
            "message_id": "message.id", "order_at": "order_at",
            **_same("conversation_id", "kind", "state", "external_id", "n_tries", "lease_until", of="message"),
        },
        record="message", needs=(("conversation", "conversation_id"),),
    ),
    StoredTable(
        "landlord_notice", LandlordNoticeRow, ("seq",), _same("dedupe_key", "conversation_id", of="notice"),
        record="notice", needs=(("conversation", "conversation_id"),), dump="notices_to_landlords",
    ),
    StoredTable("call_out", CallOutList, ("scope", "subject"), record="*"),
    StoredTable("waiting_media", WaitingMediaRow, ("seq", "media_id"), needs=(("inbound", "seq"),)),
    StoredTable("data_act", DataAct, ("n",), record="*", dump="data_acts"),
    StoredTable("media", MediaRow, ("sha256",)),
    StoredTable("original", OriginalRow, ("sha256", "part")),
    StoredTable("gate_ruling", RulingRow, ("key",), yields=True),
    StoredTable("gate_budget", BudgetRow, ("day",), yields=True),
    StoredTable("person", Person, ("name",), yields=True),
    StoredTable("api_key", KeyRow, ("key_id",), {"key_id": "id"}, needs=(("person", "person"),), yields=True),
    StoredTable("channel", ChannelRow, ("channel_id",), {"channel_id": "id"}, yields=True),
    StoredTable(
        "notice", Notice, ("notice_id",), {"notice_id": "id"}, needs=(("channel", "channel"),), yields=True
    ),
    StoredTable(
        "sync_source", SyncSource, ("source_id",), {"source_id": "id", **_same("collection", "next_at")}, record="*",
        yields=True,
    ),
    StoredTable(
        "sync_entry", SyncEntry, ("source_id", "name"), {"source_id": "source"}, needs=(("sync_source", "source_id"),),
        yields=True,
    ),
    StoredTable("opinion", SecondOpinion, ("seq",), _same("outcome", "likelihood"), needs=(("flag", "flag"),)),
)  # fmt: skip

LEFT_OUT = {
    "org": "its revision stands in the header",
    "gate_review": "reviews under way at a service, which only this base polls",
    "term": "made of the blocks",
    "term_count": "made of the blocks",
    "heading": "made of the blocks",
    "concern": "made of the log of decisions",
    "apart": "made of the log of decisions",
    "resident_contact": "made of the residents",
    "inbox": "made of the messages of residents",
    "pair_text": "made of the blocks: 'saidonce pairs compare'",
    "pair": "made of the blocks: 'saidonce pairs compare'",
    "security_event": "the security log belongs to this base: 'saidonce security-log --json'",
    "migration": "belongs to the database",
}
"""Tables that no export holds, and why; with `TABLES` these are all."""

BY_NAME: dict[str, StoredTable] = {table.name: table for table in TABLES}
BY_NOUN: dict[type[Any], StoredTable] = {table.noun: table for table in TABLES}
_PLACES = {table.noun: place for place, table in enumerate(TABLES)}


def place_of(row: object) -> tuple[int, tuple[Any, ...]]:
    """Return what orders the rows of an export: the table, and the key in it."""
    return _PLACES[type(row)], BY_NOUN[type(row)].key_of(row)


def rows_to_json(rows: Iterable[object]) -> str:
    """Return rows as the JSON that the database reads as rows of their table."""
    columns = (BY_NOUN[type(row)].params(row) for row in rows)
    return json.dumps([{name: _plain(value) for name, value in values.items()} for values in columns])


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
