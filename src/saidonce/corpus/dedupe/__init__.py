"""Flow: a corpus without its repeats, with what was dropped and why."""

from saidonce.corpus.dedupe.flow import DedupeOptions, dedupe
from saidonce.corpus.dedupe.ranking import KeepBy
from saidonce.corpus.dedupe.report import Deduped, digest, summary

__all__ = ["DedupeOptions", "Deduped", "KeepBy", "dedupe", "digest", "summary"]
