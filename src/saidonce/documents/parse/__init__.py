"""Room: bytes -> Document, one file a format family, and the sandbox around them."""

from saidonce.documents.parse.reading import parse
from saidonce.documents.parse.sandbox import Content, Sandbox
from saidonce.documents.parse.sniff import FORMATS, is_supported
from saidonce.documents.parse.source import Limits

__all__ = ["FORMATS", "Content", "Limits", "Sandbox", "is_supported", "parse"]
