"""Keep a collection in step with a source outside."""

from saidonce.kb.sync.flow import SyncOptions, note_failure, run_sync
from saidonce.kb.sync.plan import SyncPlan, source_id
from saidonce.kb.sync.report import SyncReport

__all__ = ["SyncOptions", "SyncPlan", "SyncReport", "note_failure", "run_sync", "source_id"]
