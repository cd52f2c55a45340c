"""Flow: a query becomes hits without repeats.

embed -> {dense, lexical, headings} -> fuse -> cut -> diversify -> remove repeats -> refill to k
"""

from saidonce.kb.search.flow import search
from saidonce.kb.search.index import SearchIndex
from saidonce.kb.search.report import HeldApart, Hit, SearchReport, Twin

__all__ = ["HeldApart", "Hit", "SearchIndex", "SearchReport", "Twin", "search"]
