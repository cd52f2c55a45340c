"""Flow: sources become documents, segments and blocks, each said once.

look (have we these bytes?) -> parse -> segment -> rate -> embed -> remove repeats -> write
"""

from saidonce.ingest.flow import OnDocument, embedding_key, ingest
from saidonce.ingest.report import DocumentReport, IngestReport, State, counters

__all__ = ["DocumentReport", "IngestReport", "OnDocument", "State", "counters", "embedding_key", "ingest"]
