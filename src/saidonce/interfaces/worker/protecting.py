"""Data protection beside everything else: wishes that residents confirmed, and what is older than it is kept."""

from __future__ import annotations

import logging
import secrets

from saidonce.app.repairs_service import Repairs
from saidonce.repairs.personal_data import PersonalDataDeps, erase_confirmed, retain, retention_of

POLL_S = 60.0
MOST_BATCHES = 50
"""Batches of one round; the next round goes on."""

_log = logging.getLogger("saidonce")


def protect(repairs: Repairs, org: str) -> None:
    """Carry out confirmed erasure requests and the retention periods of one organisation.

    Raises:
        StoreUnavailableError: the store is away.
    """
    data_deps = PersonalDataDeps(repairs.deps(org), repairs.media(org), secrets.token_bytes)
    if n_erased := erase_confirmed(data_deps):
        _log.info("residents.erased persons=%d", n_erased)
    keep = retention_of(repairs.base.settings, org)
    for _ in range(MOST_BATCHES):
        report = retain(data_deps, keep)
        if report.act is None:
            break
        _log.info("residents.expired %s", " ".join(f"{name}={n}" for name, n in sorted(report.counts.items())))
