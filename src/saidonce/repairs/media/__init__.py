"""Adapter: pictures are decoded in a child process under limits, so that no file can hang or fell the server."""

from saidonce.repairs.media.thumbnail_sandbox import PicturesApart

__all__ = ["PicturesApart"]
