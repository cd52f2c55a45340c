"""Protocols of everything that touches network, disk, clock or chance."""

from saidonce.ports.conversations import Conversations
from saidonce.ports.corpus import Corpus
from saidonce.ports.gates import Gates, GateStanding, GateWrite, KeptRow
from saidonce.ports.ledger import Ledger, QueueFilter, Search, Settlement
from saidonce.ports.media import MediaFiles
from saidonce.ports.opinions import Opinions
from saidonce.ports.outside import Adjudicator, ChatModel, Clock, Embedder, Parser, PieceEmbedder, Reply
from saidonce.ports.people import People
from saidonce.ports.store import CollectionCounts, LexicalPool, LexicalRow, SegmentHistory, Store, VectorRow

__all__ = [
    "Adjudicator",
    "ChatModel",
    "Clock",
    "CollectionCounts",
    "Conversations",
    "Corpus",
    "Embedder",
    "GateStanding",
    "GateWrite",
    "Gates",
    "KeptRow",
    "Ledger",
    "LexicalPool",
    "LexicalRow",
    "MediaFiles",
    "Opinions",
    "Parser",
    "People",
    "PieceEmbedder",
    "QueueFilter",
    "Reply",
    "Search",
    "SegmentHistory",
    "Settlement",
    "Store",
    "VectorRow",
]
