"""Names in the environment under which the seeds know settings of ours."""

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
