"""Room: bytes -> Document, one file a format family, and the sandbox that contains them."""

from saidonce.parse.reading import parse
from saidonce.parse.sandbox import Content, Sandbox
from saidonce.parse.sniff import FORMATS, is_supported
from saidonce.parse.source import Limits

__all__ = ["FORMATS", "Content", "Limits", "Sandbox", "is_supported", "parse"]
