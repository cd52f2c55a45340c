"""Flow: a query becomes hits without repeats.

embed -> {dense, lexical, headings} -> fuse -> judge relevance -> diversify -> remove repeats -> refill to k
"""

from saidonce.kb.search.flow import search
from saidonce.kb.search.index import SearchIndex
from saidonce.kb.search.relevance import Evidence
from saidonce.kb.search.report import NOTHING_ANSWERS, HeldApart, Hit, RepeatedBlock, SearchReport, leaves_out

__all__ = [
    "NOTHING_ANSWERS",
    "Evidence",
    "HeldApart",
    "Hit",
    "RepeatedBlock",
    "SearchIndex",
    "SearchReport",
    "leaves_out",
    "search",
]
