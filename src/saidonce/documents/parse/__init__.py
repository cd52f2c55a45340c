"""Parse bytes into documents: one module for each format family, and the sandbox around them."""

from saidonce.documents.parse.draft import DocumentDraft
from saidonce.documents.parse.formats import FORMATS, Format
from saidonce.documents.parse.reading import parse
from saidonce.documents.parse.sandbox import Content, Sandbox
from saidonce.documents.parse.sniff import is_supported
from saidonce.documents.parse.source import Limits, NamedBytes

__all__ = ["FORMATS", "Content", "DocumentDraft", "Format", "Limits", "NamedBytes", "Sandbox", "is_supported", "parse"]
