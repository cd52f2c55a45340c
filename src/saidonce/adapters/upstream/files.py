"""Objects and files under an address of fsspec: S3, Google Cloud Storage, Azure, SFTP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from saidonce.adapters.upstream.addresses import addresses_of
from saidonce.adapters.upstream.names import check_size, is_hidden, joined
from saidonce.errors import UpstreamError
from saidonce.foundation import extras
from saidonce.foundation.ports import Fetched, FileGoneError, UpstreamFile, UpstreamListing, UpstreamOptions

PACKAGES = {
    "s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "abfs": "adlfs", "abfss": "adlfs", "az": "adlfs",
    "sftp": "paramiko", "ssh": "paramiko",
}  # fmt: skip
"""The package that reads each scheme; fsspec finds it."""

MARKS = (
    "ETag",
    "etag",
    "md5",
    "content_md5",
    "md5Hash",
    "VersionId",
    "LastModified",
    "last_modified",
    "mtime",
    "updated",
)
"""What file systems call what tells one state of a file from another; the size is always taken."""

STRONG = frozenset({"ETag", "etag", "md5", "content_md5", "md5Hash", "VersionId"})


class RemoteFiles:
    """The files below an address; credentials come from the environment, as each of the services has it."""

    def __init__(self, address: str, name_as: str, options: UpstreamOptions, system: Any = None) -> None:
        self._address = address.rstrip("/")
        self._options = options
        self._system = system if system is not None else _opened(address, options)
        self.root = name_as or self._address

    def listing(self, known: Mapping[str, str]) -> UpstreamListing:
        """List all files below the address."""
        base = str(self._system._strip_protocol(self._address)).rstrip("/")
        try:
            self._system.invalidate_cache()
            rows = self._system.find(base, detail=True)
        except FileNotFoundError:
            raise UpstreamError(self._address, "there is nothing at this address") from None
        except Exception as failed:  # each service has errors of its own
            raise UpstreamError(self._address, _reason(failed)) from failed
        if not rows and not known:
            raise UpstreamError(self._address, "there is nothing at this address")
        files: list[UpstreamFile] = []
        passed_over: list[str] = []
        for full, row in sorted(rows.items()):
            path = str(full)[len(base) :].lstrip("/")
            if not path or path.endswith("/") or is_hidden(path):
                continue
            name = joined(self.root, path)
            if not self._options.is_supported(path.rpartition("/")[2]):
                passed_over.append(name)
            else:
                files.append(UpstreamFile(name, _mark(row), partial(self._fetch, name, str(full), row)))
        return UpstreamListing(tuple(files), tuple(passed_over))

    def close(self) -> None:
        """Let go of the listing that the file system keeps."""
        self._system.invalidate_cache()

    def _fetch(self, name: str, full: str, row: Mapping[str, Any], _known: str) -> Fetched:
        check_size(name, int(row.get("size") or 0), self._options.max_bytes)
        try:
            content = bytes(self._system.cat_file(full, start=0, end=self._options.max_bytes + 1))
        except FileNotFoundError as gone:
            raise FileGoneError from gone
        check_size(name, len(content), self._options.max_bytes)
        return Fetched(content, _mark(row))


def _opened(address: str, options: UpstreamOptions) -> Any:
    scheme = urlsplit(address).scheme
    if scheme not in PACKAGES:  # fsspec knows files of this machine and addresses of the web, too, and checks neither
        raise UpstreamError(address, f"files are read from {', '.join(sorted(PACKAGES))} only")
    try:
        import fsspec  # noqa: PLC0415  an extra
    except ImportError:
        raise UpstreamError(address, str(extras.error("sync", "reading it", "fsspec"))) from None
    host = urlsplit(address).hostname
    if scheme in ("sftp", "ssh") and host:
        addresses_of(host, urlsplit(address).port or 22, options.allow_private)
    try:
        return fsspec.filesystem(scheme, **_places(scheme, address))
    except ImportError:
        package = PACKAGES[scheme]
        raise UpstreamError(address, f"{scheme}:// needs the package {package}: pip install {package}") from None
    except Exception as failed:  # each service has errors of its own
        raise UpstreamError(address, _reason(failed)) from failed


def _places(scheme: str, address: str) -> dict[str, Any]:
    parsed = urlsplit(address)
    if scheme not in ("sftp", "ssh"):
        return {"skip_instance_cache": True}
    named = {"host": parsed.hostname, "port": parsed.port or 22, "username": parsed.username}
    return {**{key: value for key, value in named.items() if value}, "skip_instance_cache": True}


def _mark(row: Mapping[str, Any]) -> str:
    """Return what tells this state of a file; empty if there is nothing but its size."""
    states = {key: _plain(row[key]) for key in MARKS if row.get(key)}
    if not states:
        return ""
    strong = {key: value for key, value in states.items() if key in STRONG}
    return json.dumps({"size": row.get("size"), **(strong or states)}, sort_keys=True)


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _reason(failed: Exception) -> str:
    """Say what went wrong, in one line without an address, which may hold a secret."""
    text = " ".join(str(failed).split())[:200]
    return type(failed).__name__ if not text or "://" in text else f"{type(failed).__name__}: {text}"
