"""Protocols of everything that touches network, disk, clock or chance."""

from saidonce.foundation.ports.conversations import Conversations
from saidonce.foundation.ports.corpus import Corpus
from saidonce.foundation.ports.engines import Engine, Task
from saidonce.foundation.ports.gates import (
    Gates,
    GateStanding,
    GateTurn,
    GateWrite,
    HeldAge,
    HeldCount,
    HeldFilter,
    KeptQuery,
    KeptRow,
    NearKept,
)
from saidonce.foundation.ports.ledger import Ledger, QueueFilter, Search, Settlement
from saidonce.foundation.ports.lexical import LexicalColumns, LexicalPool, LexicalRow
from saidonce.foundation.ports.media import MediaFiles
from saidonce.foundation.ports.opinions import Opinions
from saidonce.foundation.ports.originals import Originals
from saidonce.foundation.ports.outside import (
    Adjudicator,
    Awaited,
    ChatModel,
    Clock,
    Embedder,
    EquivalenceJudge,
    LanguageEmbedder,
    Parser,
    PieceEmbedder,
    Reply,
    ScriptEmbedder,
    SideParser,
    Unpacker,
)
from saidonce.foundation.ports.pairs import PairTable
from saidonce.foundation.ports.people import People
from saidonce.foundation.ports.store import (
    BlockText,
    CollectionCounts,
    Marks,
    ReplicaState,
    SegmentHistory,
    Store,
    VectorRow,
)
from saidonce.foundation.ports.syncs import (
    Fetched,
    FileGoneError,
    Syncs,
    Upstream,
    UpstreamFile,
    UpstreamListing,
    UpstreamOptions,
)

__all__ = [
    "Adjudicator",
    "Awaited",
    "BlockText",
    "ChatModel",
    "Clock",
    "CollectionCounts",
    "Conversations",
    "Corpus",
    "Embedder",
    "Engine",
    "EquivalenceJudge",
    "Fetched",
    "FileGoneError",
    "GateStanding",
    "GateTurn",
    "GateWrite",
    "Gates",
    "HeldAge",
    "HeldCount",
    "HeldFilter",
    "KeptQuery",
    "KeptRow",
    "LanguageEmbedder",
    "Ledger",
    "LexicalColumns",
    "LexicalPool",
    "LexicalRow",
    "Marks",
    "MediaFiles",
    "NearKept",
    "Opinions",
    "Originals",
    "PairTable",
    "Parser",
    "People",
    "PieceEmbedder",
    "QueueFilter",
    "ReplicaState",
    "Reply",
    "ScriptEmbedder",
    "Search",
    "SegmentHistory",
    "Settlement",
    "SideParser",
    "Store",
    "Syncs",
    "Task",
    "Unpacker",
    "Upstream",
    "UpstreamFile",
    "UpstreamListing",
    "UpstreamOptions",
    "VectorRow",
]
