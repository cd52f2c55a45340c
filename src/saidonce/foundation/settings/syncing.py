"""Settings of sources that collections are kept in step with."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings

from saidonce.foundation.settings.channels import setting


class SyncSettings(BaseSettings):
    """How sources are asked."""

    sync_allow_private: bool = setting(False, "sync from private and loopback addresses too")
    sync_requests_per_s: Annotated[float, Field(gt=0, le=1_000)] = setting(
        2.0, "requests to one web server at most; a longer pause that its robots.txt asks for holds", "1/s"
    )
    sync_timeout_s: Annotated[float, Field(gt=0, le=3_600)] = setting(30.0, "time for one request of a sync", "s")
    sync_roots: str = setting(
        "",
        "folders below which sources added over HTTP may lie, and beginnings of addresses that are read with this"
        " server's keys (s3://ours, git@github.com:ours), with commas between; empty allows none of them",
    )
