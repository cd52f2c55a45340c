"""Decode pictures in a child process under limits, so that no file can block or crash the server."""

from saidonce.repairs.media.thumbnail_sandbox import ThumbnailSandbox

__all__ = ["ThumbnailSandbox"]
