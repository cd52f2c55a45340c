"""Flow: a query becomes hits, each said once.

embed -> {dense, lexical, headings} -> fuse -> cut -> diversify -> remove repeats -> refill to k
"""

from saidonce.retrieve.flow import search
from saidonce.retrieve.report import HeldApart, Hit, SearchReport, Twin
from saidonce.retrieve.shelf import Shelf

__all__ = ["HeldApart", "Hit", "SearchReport", "Shelf", "Twin", "search"]
