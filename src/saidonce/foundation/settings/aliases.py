"""Names in the environment under which the seeds know settings of ours."""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import Any

from saidonce.errors import UnknownSettingError

ALIASES = {
    "AUTO_SEED_DEDUP_LLM_ENABLED": "gate_llm_enabled",
    "AUTO_SEED_DEDUP_LLM_CLEAR_THRESHOLD": "gate_clear_below",
    "AUTO_SEED_DEDUP_LLM_TIMEOUT_MS": "gate_llm_timeout_ms",
    "AUTO_SEED_DEDUP_LLM_POLL_INTERVAL_MS": "gate_llm_poll_interval_ms",
    "AUTO_SEED_DEDUP_CROSS_THRESHOLD": "gate_duplicate_from",
}
"""Names in the environment that stand for settings of ours, which win. Source: seed 000."""

ALIAS_PREFIX = "AUTO_SEED_DEDUP_"

FLAG_ALIAS = "USE_LLM_ORCHESTRATION"
"""The seed's name of `use_llm_orchestration`. Source: seed 003, "behind feature flag USE_LLM_ORCHESTRATION=true"."""

FLAG_WORDS = {"true": "on", "1": "on", "false": "off", "0": "off"}


def flag_alias() -> dict[str, Any]:
    """Return the seed's flag of the environment as the setting that it stands for; empty if it is not there."""
    word = os.environ.get(FLAG_ALIAS, "").strip().casefold()
    return {FLAG_ALIAS.casefold(): FLAG_WORDS.get(word, word)} if word else {}


def check_alias(key: str) -> None:
    """Notice a seed's name that is misspelt.

    Raises:
        UnknownSettingError: it is nearly one of them, or begins like one.
    """
    known = (*ALIASES, FLAG_ALIAS)
    if key in known:
        return
    is_meant = key.upper().startswith(ALIAS_PREFIX)
    near = get_close_matches(key.upper(), known, 2, 0.75 if is_meant else 0.9)
    if near or (is_meant and key.upper().startswith(f"{ALIAS_PREFIX}LLM_")):
        raise UnknownSettingError(key, tuple(near), "")
