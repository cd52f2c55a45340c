"""Flow: a corpus without its repeats, with the dropped rows and the reasons."""

from saidonce.corpus.dedupe.flow import DedupeOptions, dedupe
from saidonce.corpus.dedupe.ranking import KeepBy
from saidonce.corpus.dedupe.report import Deduped, digest, summary

__all__ = ["DedupeOptions", "Deduped", "KeepBy", "dedupe", "digest", "summary"]
