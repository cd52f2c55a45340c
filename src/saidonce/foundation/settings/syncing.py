"""Settings of sources that collections are kept in step with."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings

from saidonce.foundation.settings.channels import setting


class SyncSettings(BaseSettings):
    """How sources are asked."""

    sync_allow_private: bool = setting(False, "also sync from private and loopback addresses")
    sync_requests_per_s: Annotated[float, Field(gt=0, le=1_000)] = setting(
        2.0, "maximum rate of requests to one web server; a longer delay in its robots.txt takes precedence", "1/s"
    )
    sync_timeout_s: Annotated[float, Field(gt=0, le=3_600)] = setting(30.0, "time limit for one request of a sync", "s")
    sync_roots: str = setting(
        "",
        "allowed roots of sources added over HTTP: folders, and prefixes of addresses that are read with this server's"
        " keys (s3://ours, git@github.com:ours), separated by commas; empty: none",
    )
