"""Flow: a corpus without its repeats, with what was dropped and why."""

from saidonce.dedupe.flow import Wanted, dedupe
from saidonce.dedupe.ranking import KeepBy
from saidonce.dedupe.report import Deduped, digest, summary

__all__ = ["Deduped", "KeepBy", "Wanted", "dedupe", "digest", "summary"]
