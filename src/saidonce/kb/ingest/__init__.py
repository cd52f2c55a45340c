"""Flow: ingest of sources: documents, segments and blocks, without repeats.

look up (are these bytes stored?) -> parse -> segment -> rate -> embed -> remove repeats -> write
"""

from saidonce.kb.ingest.collections import open_collection
from saidonce.kb.ingest.containers import kept_names, members
from saidonce.kb.ingest.flow import OnDocument, OnStep, hash_of_documents, ingest, settings_hash
from saidonce.kb.ingest.merging import put_canonical
from saidonce.kb.ingest.removal import remove
from saidonce.kb.ingest.report import DocumentReport, IngestReport, State, counters

__all__ = [
    "DocumentReport",
    "IngestReport",
    "OnDocument",
    "OnStep",
    "State",
    "counters",
    "hash_of_documents",
    "ingest",
    "kept_names",
    "members",
    "open_collection",
    "put_canonical",
    "remove",
    "settings_hash",
]
