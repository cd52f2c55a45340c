"""Policies of the decision ladder, one per use, and the settings of the product."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict
from pydantic_settings.exceptions import SettingsError as UnreadableError

from saidonce.errors import NOT_SHOWN, SettingsError, UnknownSettingError, looks_secret
from saidonce.foundation.model import Outcome, gray_modes
from saidonce.foundation.settings.adjudicators import check_polls, check_prices
from saidonce.foundation.settings.aliases import ALIASES, check_alias, flag_alias
from saidonce.foundation.settings.channels import CHANNEL_SECRETS, ChannelSettings, Proxies, setting
from saidonce.foundation.settings.environment import Environment
from saidonce.foundation.settings.gates import GateSettings, Share
from saidonce.foundation.settings.pairing import PairSettings
from saidonce.foundation.settings.syncing import SyncSettings


@dataclass(frozen=True, slots=True)
class Policy:
    """How one use of the ladder decides.

    Attributes:
        clear_below: similarity under which a candidate is distinct.
        duplicate_from: similarity from which it is a duplicate candidate; between the two it is unsure.
        same_from: similarity from which it is a duplicate, too, if each text states all that the other does.
        on_objection: what a duplicate candidate becomes when a guard objects to every match.
        values_only: only objections that two values differ count for that; others leave it unsure.
        when_unsure: the side a person can see and undo.
        k: nearest kept matches looked at.
        asks: an adjudicator rules between the two thresholds; `asks_above`: from `duplicate_from` too.
        may_rule: outcomes that a ruling may settle; any other is only noted in the trail.
    """

    use: str
    clear_below: float
    duplicate_from: float
    on_objection: Outcome
    when_unsure: Outcome
    k: int = 5
    asks: bool = False
    asks_above: bool = False
    may_rule: frozenset[Outcome] = frozenset()
    values_only: bool = False
    same_from: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.clear_below <= self.duplicate_from <= 1.0:
            raise SettingsError(
                f"policy {self.use}",
                (self.clear_below, self.duplicate_from),
                "0 <= clear_below <= duplicate_from <= 1",
            )


SAME_FROM = 0.82
"""Similarity from which texts are compared for saying the same. Source: seed 002, "close enough to investigate"."""

REPEAT = Policy("repeat", SAME_FROM, 0.90, Outcome.DISTINCT, Outcome.DISTINCT, same_from=SAME_FROM)
"""Within a document and after ranking. Source: seed 001, both phases; below its .90 see ADR 125."""

CANONICAL = Policy("canonical", 0.82, 0.94, Outcome.REVIEW, Outcome.REVIEW, same_from=SAME_FROM)
"""Into a canonical collection. Source: seed 002, "The thresholds we tested"; below its .94 see ADR 125."""

GATE = Policy("gate", 0.75, 0.80, Outcome.DUPLICATE, Outcome.DUPLICATE)
"""Generation gate: fails closed. Source: seed 000, "Two-threshold band architecture"."""

POLICIES = {policy.use: policy for policy in (REPEAT, CANONICAL, GATE)}


class SegmentStyle(StrEnum):
    """How large a collection's segments are."""

    PARAGRAPH = "paragraph"
    PACKED = "packed"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class SegmentPolicy:
    """Sizes in tokens of the embedder.

    Attributes:
        join_below: a piece shorter than this is joined with its neighbours under the same heading.
        target: joining stops when the next piece would make the segment longer than this.
        split_above: a longer piece is split at sentence ends.
        overlap: tokens of the text before that a segment takes along as context.
    """

    style: SegmentStyle
    join_below: int
    target: int
    split_above: int
    overlap: int


SEGMENT_POLICIES = {
    SegmentStyle.PARAGRAPH: SegmentPolicy(
        SegmentStyle.PARAGRAPH, join_below=12, target=200, split_above=240, overlap=0
    ),
    SegmentStyle.PACKED: SegmentPolicy(SegmentStyle.PACKED, join_below=300, target=500, split_above=500, overlap=75),
    SegmentStyle.WHOLE: SegmentPolicy(SegmentStyle.WHOLE, join_below=0, target=0, split_above=1_000_000, overlap=0),
}
"""Source of the packed sizes: seed 003, "300-500 tokens with 50-100 token overlap"."""


_DAY, _CLOCK = "(?:mon|tue|wed|thu|fri|sat|sun)", "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
_OPENING = re.compile(f"{_DAY}(?:-{_DAY})? {_CLOCK}-{_CLOCK}")


def _checked_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("a name of the IANA time zone database, such as Europe/London") from None
    return name


def _checked_hours(written: str) -> str:
    for part in written.lower().split(","):
        times = part.strip().partition(" ")[2].split("-")
        if not _OPENING.fullmatch(part.strip()) or times[0] >= times[1]:
            raise ValueError("such as mon-fri 09:00-17:00, sat 10:00-13:00")
    return written


Zone = Annotated[str, AfterValidator(_checked_zone)]
BusinessHours = Annotated[str, AfterValidator(_checked_hours)]
Hours = Annotated[float, Field(gt=0, le=2_000, allow_inf_nan=False)]
Modes = Annotated[str, AfterValidator(lambda written: (gray_modes(written), written)[1])]
Warn = Callable[[str], None]
"""Takes one line for each value that was moved into its range."""


KEPT_KINDS = ("messages", "media", "turns", "issues", "notices")
"""What retention knows of residents."""


def _checked_days(days: dict[str, int]) -> dict[str, int]:
    if not days.keys() <= set(KEPT_KINDS) or any(not 0 <= n <= 36_500 for n in days.values()):
        raise ValueError(f"days from 0 (kept) to 36500 for {', '.join(KEPT_KINDS)}")
    return days


def _checked_org_days(tables: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    return {org: _checked_days(days) for org, days in tables.items()}


class _Settings(BaseSettings):
    # Where things are
    data_dir: Path = setting(Path("~/.local/share/saidonce"), "folder of the embedded database", "path")
    database_url: str = setting("", "PostgreSQL to use instead of the embedded one", "URL")
    replica_url: str = setting("", "streaming replica of that PostgreSQL, used by read-only pages", "URL")
    replica_max_lag_s: Annotated[float, Field(ge=0.1, le=3_600)] = setting(
        5.0, "maximum lag of the replica; beyond it, pages read the primary database and say so", "s"
    )
    org: str = setting("default", "organisation whose base is used; organisations are isolated from each other")
    collection: str = setting("main", "collection used by commands that name none")
    segment_style: SegmentStyle = setting(
        SegmentStyle.PARAGRAPH,
        "how the documents of a new collection are split: paragraph (each paragraph, list or table by itself; short"
        " paragraphs and lists under one heading are joined), packed (300 to 500 tokens under one heading), or whole"
        " (every element as it is)",
    )

    # Embedding
    embedder: str = setting(
        "minilm",
        "embedding model: minilm (built in), multilingual (an extra), openai:MODEL,"
        " sentence-transformers:NAME_OR_FOLDER, model2vec:NAME_OR_FOLDER, or a plug-in's NAME or NAME:WHICH",
    )
    embedder_url: str = setting(
        "",
        "base URL of an OpenAI-compatible embeddings endpoint; requests are spread over several, separated by commas",
        "URL",
    )
    embedder_key: str = setting("", "API key of that endpoint; never logged")
    embed_threads: int = setting(0, "number of embedding threads; 0 means one per core")

    # Translations
    translation_embedder: str = setting(
        "", "multilingual embedder for finding translations: multilingual (an extra), or another as for `embedder`;"
        " empty: translations are not available",
    )  # fmt: skip
    translation_from: Share = setting(
        0.5,
        "minimum similarity of the nearest text in another language to be listed as a translation",
        "share",
        "measured",
    )

    # What the guards leave open, and what they show
    same_from: Share = setting(
        SAME_FROM,
        "minimum similarity at which two texts that are shown to say the same, each all that the other does, are"
        " repeats and merge, whatever repeat_from, dedup_from and merge_from say; 1 leaves it to these",
        "cosine", "docs/decisions/0125",
    )  # fmt: skip
    judge: str = setting(
        "auto",
        "equivalence judge for rewordings that no guard objects to: auto (the package saidonce-judge, if it is"
        " installed), none, or the folder of a judge; without a judge more pairs are left open",
    )

    # Repeats inside a document (seed 001, phase 1)
    repeat_enabled: bool = setting(True, "remove repeats within a document", source="seed 001")
    repeat_from: Share = setting(
        0.90, "minimum similarity of two segments of a document that count as repeats", "cosine", "seed 001"
    )
    salience_floor: Share = setting(0.05, "segments below this salience are set aside", "salience", "seed 001")
    boost_enabled: bool = setting(
        True, "raise the salience of what a document says repeatedly in different words", source="seed 001"
    )
    boost_per_repeat: Share = setting(0.15, "relative boost of the first near-repeat", "share", "seed 001")
    boost_decay: Literal["logarithmic", "linear"] = setting(
        "logarithmic", "how boosts of several near-repeats add up", source="seed 001"
    )
    boost_log_base: Annotated[float, Field(gt=1.0, le=100.0)] = setting(2.0, "base of the logarithm", source="seed 001")
    salience_cap: Share = setting(1.0, "maximum salience after boosts", "salience", "seed 001")

    # Merging into canonical collections (seed 002)
    collection_use: Literal["evidence", "canonical"] = setting(
        "evidence",
        "use of a new collection: evidence keeps each document's own blocks, canonical merges near-duplicates of"
        " different documents",
        source="seeds 001 and 002",
    )
    merge_investigate_from: Share = setting(
        0.82, "minimum similarity at which a segment and a kept block are compared", "cosine", "seed 002"
    )
    merge_from: Share = setting(
        0.94,
        "minimum similarity at which they merge unless a guard objects; below it a person decides",
        "cosine",
        "seed 002",
    )
    merge_neighbours: Annotated[int, Field(ge=1, le=50)] = setting(
        5, "number of nearest kept blocks that a segment is compared with", source="seed 002"
    )
    auto_merge: bool = setting(
        True, "merge automatically where the ladder is certain; otherwise a person decides everything"
    )
    merge_additions: bool = setting(
        False, "merge automatically where the newer text only adds to the older one; otherwise a person decides"
    )
    owner: str = setting("", "owner of ingested documents, who sees their merges in the feed")
    owner_from_author: bool = setting(
        False, "use the author named in a document as its owner if the setting owner is empty"
    )
    review_due_before_days: Annotated[int, Field(ge=0, le=365)] = setting(
        1, "days before the due date of an assigned pair at which its assignee is reminded", "days"
    )
    require_certificate: bool = setting(
        False, "merge automatically only under a certificate from `calibrate` for this model and these guards"
    )
    certificate: Path | None = setting(None, "file of the certificate in force", "path")
    audit_share: Share = setting(0.05, "share of automatic merges that are sampled for an audit by a person", "share")
    audit_alpha: Share = setting(0.01, "share of wrong merges above which the audit stops automatic merging", "share")
    audit_delta: Share = setting(0.05, "probability of a false alarm by the audit", "share")

    # Second opinions on pairs that wait for a person
    gray_zone: Modes = setting(
        "people",
        "what second opinions on open pairs may do: people (none are asked), sort, propose or settle; for all"
        " collections, and COLLECTION=MODE for single ones, separated by commas",
    )
    gray_zone_adjudicator: str = setting("local", "adjudicator for second opinions, as in gate_adjudicator")
    gray_zone_model: str = setting("", "model for `model` in gray_zone_adjudicator, such as openai:gpt-5-mini")
    gray_zone_model_url: str = setting("", "base URL of an OpenAI-compatible chat endpoint for the gray zone", "URL")
    gray_zone_model_key: str = setting("", "API key of that endpoint; never logged; providers read their own variables")
    gray_zone_timeout_ms: Annotated[int, Field(ge=1, le=3_600_000)] | None = setting(
        None, "time limit for one opinion of a model; by default gate_llm_timeout_ms", "ms"
    )
    gray_zone_settle_from: Share = setting(0.95, "minimum confidence at which an opinion settles a pair", "confidence")

    # Search (seed 001, phase 2; seed 003, improved retrieval)
    k: Annotated[int, Field(ge=1, le=1000)] = setting(10, "number of hits of a search")
    pool: Annotated[int, Field(ge=10, le=10_000)] = setting(200, "ranked blocks from which the hits are chosen")
    search_shards: Annotated[int, Field(ge=1, le=256)] = setting(
        1, "number of shards of the in-memory search index, one thread each; results do not depend on it"
    )
    search_engine: Literal["threads", "ray"] = setting(
        "threads", "where the shards are: in threads of this process, or in actors of a Ray cluster (an extra)"
    )
    search_address: str = setting("", "address of that Ray cluster; empty starts one on this machine")
    search_cache: str = setting(
        "auto",
        "saved copy of the search index, for fast starts: auto (next to the embedded database; none for other"
        " databases), none, or a folder",
    )
    fusion: Literal["minmax", "rrf"] = setting(
        "minmax", "fusion of rankings: minmax (weighted sum) or rrf (reciprocal rank)", source="docs/decisions/0004"
    )
    dense_weight: Share = setting(0.6, "weight of the dense ranking; the lexical has the rest", source="seed 003")
    rrf_k: Annotated[int, Field(ge=1, le=1000)] = setting(
        60, "rank constant of reciprocal rank fusion", source="seed 003"
    )
    salience_weight: Share = setting(0.02, "weight of salience, relative to dense + lexical = 1; 0 switches it off")
    freshness_weight: Share = setting(0.02, "weight of freshness, relative to dense + lexical = 1; 0 switches it off")
    freshness_half_life: Annotated[float, Field(gt=0)] = setting(365.0, "age at which freshness is 0.5", "days")
    dedup_enabled: bool = setting(True, "list repeats under the hit that they repeat", source="seed 001")
    dedup_from: Share = setting(
        0.90, "minimum similarity at which a lower hit counts as a repeat of a higher one", "cosine", "seed 001"
    )
    dedup_keeps: Literal["highest", "fuller"] = setting(
        "highest", "of a hit and a lower one that states all of it, and more: highest keeps both, fuller the lower one"
        " in its place", source="docs/decisions/0130",
    )  # fmt: skip
    min_relevance: Share = setting(
        0.25,
        "minimum relevance of a hit; calibrated, so that it means the same for all queries and bases; 0 keeps all hits",
        "relevance",
        "seed 001",
    )
    mmr_lambda: Share = setting(1.0, "1 keeps the fused order; lower values trade relevance for diversity (MMR)")

    # Warnings and metrics (seed 001, analytics)
    log_enabled: bool = setting(True, "write one log line per flow", source="seed 001")
    metrics_enabled: bool = setting(True, "count what ingest and search remove as repeats", source="seed 001")
    warn_ingest_ratio: Share = setting(0.50, "warn if ingest removes a larger share", "share", "seed 001")
    warn_search_ratio: Share = setting(0.30, "warn if a search removes a larger share", "share", "seed 001")
    warn_boost: Annotated[float, Field(ge=0)] = setting(0.60, "warn if a boost is larger", "share", "seed 001")

    # Parsing limits
    max_source_mb: Annotated[int, Field(ge=1)] = setting(100, "maximum size of a source", "MiB")
    parse_memory_mb: Annotated[int, Field(ge=128)] = setting(1024, "memory limit of the parsing process", "MiB")
    parse_timeout_s: Annotated[float, Field(gt=0)] = setting(60.0, "time limit for parsing one source", "s")
    recognise: bool = setting(
        True, "recognise text in pictures and scanned pages, and speech in recordings, if the extras are installed"
    )
    recognise_memory_mb: Annotated[int, Field(ge=1024)] = setting(
        3072, "memory limit of the recognition process", "MiB"
    )
    recognise_timeout_s: Annotated[float, Field(gt=0)] = setting(
        1_800.0, "time limit for recognition in one source", "s"
    )
    recognise_max_pictures: Annotated[int, Field(ge=1)] = setting(
        200, "maximum number of scanned pages, pictures or scenes read in one source"
    )
    recognise_max_megapixels: Annotated[int, Field(ge=1)] = setting(
        60, "maximum size of a picture for recognition", "megapixels"
    )
    recognise_max_minutes: Annotated[int, Field(ge=1)] = setting(
        120, "maximum length of a recording for recognition", "min"
    )
    speech_model: str = setting(
        "", "folder of a Whisper model in CTranslate2 format; empty for the one of the extra audio"
    )
    speech_languages: tuple[str, ...] = setting(
        (), "languages spoken in recordings, such as de and en; empty: detected"
    )
    originals_mb: Annotated[int, Field(ge=0)] = setting(
        50, "maximum size of pictures, recordings and scans to keep for display and playback; 0 keeps none", "MiB"
    )
    max_text_mb: Annotated[int, Field(ge=1)] = setting(32, "maximum amount of text from one source", "MiB")

    # Answers
    answer_model: str = setting("", "model for `ask`, such as openai:gpt-5-mini; empty: quote passages verbatim")
    answer_url: str = setting("", "base URL of an OpenAI-compatible chat endpoint, for answer_model openai:NAME", "URL")
    answer_key: str = setting("", "API key of that endpoint; never logged; providers read their own variables")
    answer_from: Share = setting(0.25, "minimum relevance of a passage for `ask`", "relevance")
    answer_tokens: Annotated[int, Field(ge=50, le=200_000)] = setting(
        2_000, "token budget of the passages that `ask` gives to a model, without repeats", "tokens"
    )
    answer_timeout_s: Annotated[float, Field(gt=0)] = setting(60.0, "time limit for one answer", "s")

    # Conversations with residents (seed 003)
    use_llm_orchestration: Literal["off", "shadow", "on"] = setting(
        "on",
        "what leads conversations: off: version 1, a keyword flow with known flaws; shadow: the same, with the model"
        " running alongside; on: the model, or the keyword flow without one. USE_LLM_ORCHESTRATION=true and =false"
        " work too",
        source="seed 003, migration strategy",
    )
    conversation_model: str = setting("", "model for conversations, such as anthropic:claude-haiku-4-5")
    conversation_url: str = setting(
        "", "base URL of an OpenAI-compatible chat endpoint, for conversation_model openai:NAME", "URL"
    )
    conversation_key: str = setting("", "API key of that endpoint; never logged")
    conversation_call_s: Annotated[float, Field(gt=0)] = setting(8.0, "time limit for one call of that model", "s")
    conversation_turn_s: Annotated[float, Field(gt=0)] = setting(12.0, "time limit for all model calls of a turn", "s")
    conversation_name: str = setting("your landlord", "name of the organisation in messages to residents")
    conversation_instructions: str = setting("", "additional instructions in the model's prompt, up to 600 characters")
    conversation_may_link: tuple[str, ...] = setting(
        (), "URLs (by prefix) and phone numbers that the model's replies may contain; as JSON in the environment"
    )
    residents_erase: Literal["ask", "at_once"] = setting(
        "ask", "if a resident wants their data deleted: ask a person, or delete at once after the resident confirms"
    )
    residents_erase_days: Annotated[int, Field(ge=1, le=90)] = setting(
        30, "deadline for a person to answer such a request", "days", "GDPR, article 12(3): one month"
    )
    keep_days: Annotated[dict[str, int], AfterValidator(_checked_days)] = setting(
        {},
        "retention of residents' data: a table with messages, media, turns (model replies), issues (personal data of"
        " closed ones) and notices; what is not listed is kept",
        "days",
    )
    org_keep_days: Annotated[dict[str, dict[str, int]], AfterValidator(_checked_org_days)] = setting(
        {}, "keep_days of single organisations: tables such as [org_keep_days.south]", "days"
    )
    emergency_pack: Literal["uk", "us", "eu-en"] = setting("uk", "emergency phrases, safety texts and phone numbers")
    conversation_names_staff: bool = setting(
        False, "tell residents the name of the person who acknowledged their emergency"
    )

    # Dates, business hours, and how long an issue may take
    time_zone: Zone = setting("UTC", "time zone of dates, business hours and reminders", "IANA name")
    business_hours: BusinessHours = setting(
        "mon-fri 09:00-17:00", "business hours, separated by commas: mon-fri 08:00-18:00, sat 10:00-13:00"
    )
    response_emergency_h: Hours = setting(1.0, "deadline for the first response to emergencies, at any hour", "h")
    response_urgent_h: Hours = setting(4.0, "deadline for the first response to urgent issues, in business hours", "h")
    response_routine_h: Hours = setting(
        16.0, "deadline for the first response to routine issues, in business hours", "h"
    )
    done_emergency_h: Hours = setting(24.0, "deadline for completing the work on emergencies, at any hour", "h")
    done_urgent_h: Hours = setting(
        40.0, "deadline for completing urgent issues, in business hours", "h", "five working days"
    )
    done_routine_h: Hours = setting(
        160.0, "deadline for completing routine issues, in business hours", "h", "20 working days"
    )
    contractor_link_days: Annotated[int, Field(ge=1, le=365)] = setting(
        30, "days until a contractor's link expires", "days"
    )

    # Signing in
    session_days: Annotated[float, Field(gt=0, le=366)] = setting(
        30.0, "maximum age of a browser session; it also ends after 14 days without use",
        "days",
    )  # fmt: skip
    trusted_proxies: Proxies = setting(
        "127.0.0.1,::1",
        "addresses or networks of proxies in front of the server, separated by commas, whose X-Forwarded-For header"
        " names the client for the security log and rate limiting; empty: trust none",
    )
    security_log_file: str = setting("", "file to which the security log is also written, as JSON lines", "path")
    security_log_syslog: str = setting(
        "", "syslog to which the security log is sent: /dev/log, udp://HOST:514 or tcp://HOST:514", "address"
    )
    public_url: str = setting("", "public URL of the server; needed by links and single sign-on", "URL")
    oidc_issuer: str = setting("", "issuer for single sign-on (OpenID Connect); empty: no single sign-on", "URL")
    oidc_client_id: str = setting("", "client id of this server at the issuer")
    oidc_client_secret: str = setting("", "client secret of this server at the issuer; never logged")

    # Notifications
    smtp_url: str = setting(
        "", "mail server, smtp://USER:PASSWORD@HOST:587 or smtps://USER:PASSWORD@HOST:465; never logged", "URL"
    )
    smtp_from: str = setting("", "sender address of e-mail notifications")
    webhook_allow_private: bool = setting(False, "also send webhooks to private and loopback addresses")
    send_timeout_s: Annotated[float, Field(gt=0, le=300)] = setting(
        10.0, "time limit for delivering a notification", "s"
    )
    notify_tries: Annotated[int, Field(ge=1, le=100)] = setting(
        12, "number of failures after which a notification is given up"
    )
    notify_wait_s: Annotated[float, Field(gt=0)] = setting(
        30.0, "wait after the first failure of a notification; doubles with each failure", "s"
    )
    notify_longest_wait_s: Annotated[float, Field(gt=0)] = setting(21_600.0, "maximum wait between two attempts", "s")
    worker_stalled_s: Annotated[float, Field(ge=1.0)] = setting(
        30.0, "time without a heartbeat after which a worker's jobs go to another worker", "s"
    )


SECRETS = CHANNEL_SECRETS | {
    "embedder_key", "answer_key", "database_url", "replica_url", "oidc_client_secret", "smtp_url",
    "gate_auto_rater_key", "conversation_key", "gate_model_key", "gray_zone_model_key",
}  # fmt: skip
"""Settings that are shown only as set or not set."""


def displayed_value(name: str, value: Any) -> Any:
    """Return a setting's value as anybody may see it: secrets, and URLs with a password, only as set or not."""
    is_hidden = name in SECRETS or (isinstance(value, str) and "://" in value and looks_secret(value))
    return ("(given)" if value else "") if is_hidden else value


class Settings(ChannelSettings, GateSettings, SyncSettings, PairSettings, _Settings):
    """Every setting of saidonce: `SAIDONCE_<NAME>` in the environment, or `<name>` in `saidonce.toml`.

    Printed, it shows secrets only as set or not.
    """

    model_config = SettingsConfigDict(
        env_prefix="SAIDONCE_", extra="forbid", frozen=True, hide_input_in_errors=True
    )  # fmt: skip

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource,
        *_: PydanticBaseSettingsSource, **__: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:  # fmt: skip
        """Return where settings come from, the strongest first: arguments and the environment, no `.env` file."""
        return init_settings, Environment(settings_cls)

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Yield what is printed; `repr` and `str` ask for it."""
        return ((name, displayed_value(name or "", value)) for name, value in super().__repr_args__())


def load_settings(
    file: dict[str, Any] | None = None, /, warn: Warn = lambda _line: None, **values: Any
) -> Settings:  # fmt: skip
    """Read settings: `values` win over the environment, the environment over the file.

    Args:
        file: what a settings file holds.
        warn: called with a line for each value that was moved into its range.
        values: settings by name; None counts as absent.

    Raises:
        SettingsError: a value is malformed or a key unknown.
    """
    prefix = Settings.model_config["env_prefix"]
    aliased = _alias_values()
    written = {key: value for key, value in os.environ.items() if key.upper().startswith(prefix)}
    for key in (*(file or {}), *values, *written):
        if key.upper().removeprefix(prefix).lower() not in Settings.model_fields:
            raise _unknown(key, prefix if key in written else "")
    try:
        from_env = Settings().model_dump(exclude_unset=True)
        present = {k: v for k, v in values.items() if v is not None}
        settings = _clamp(Settings(**{**(file or {}), **aliased, **flag_alias(), **from_env, **present}), warn)
    except ValidationError as bad:
        first = bad.errors()[0]
        key = str(first["loc"][0]) if first["loc"] else "settings"
        value = NOT_SHOWN if key in SECRETS else first.get("input")
        raise SettingsError(key, value, _allowed(first["msg"], value)) from None
    except UnreadableError as bad:  # JSON was expected in the environment; the message names the setting
        key = next((name for name in Settings.model_fields if f'"{name}"' in str(bad)), "settings")
        raise SettingsError(key, NOT_SHOWN, 'JSON, such as ["https://example.com"]') from None
    check_polls(settings)
    check_prices(settings)
    return settings


def _unknown(key: str, prefix: str) -> UnknownSettingError:
    """Name the settings that are spelt most like an unknown one; its value is nobody's business."""
    requested = key.upper().removeprefix(prefix).lower()
    near = get_close_matches(requested, list(Settings.model_fields), 3, 0.7)
    names = tuple(f"{prefix}{name.upper()}" if prefix else name for name in near)
    return UnknownSettingError(key, names, "; 'saidonce settings' lists all")


def _allowed(message: str, value: Any) -> str:
    """Return the message of a check, unless it quotes a value that looks like a secret."""
    plain = message.removeprefix("Input should be ").removeprefix("Value error, ")
    return "see the reference of settings" if looks_secret(value) and str(value) in message else plain


def _alias_values() -> dict[str, Any]:
    """Return settings that stand in the environment under a seed's names, if they do not under ours.

    Raises:
        SettingsError: a name of that kind is unknown, or its value malformed.
    """
    prefix = Settings.model_config["env_prefix"]
    ours = {key.upper() for key in os.environ}
    values: dict[str, Any] = {}
    for key, value in os.environ.items():
        check_alias(key)
        name = ALIASES.get(key)
        if name is None or f"{prefix}{name}".upper() in ours:
            continue
        try:
            Settings.model_validate({name: value})
        except ValidationError as bad:
            wrong = next((e for e in bad.errors() if e["loc"][:1] == (name,)), None)
            if wrong is not None:
                raise SettingsError(key, value, _allowed(wrong["msg"], value)) from None
        values[name] = value
    return values


def _clamp(settings: Settings, warn: Warn) -> Settings:
    """Move the gate's thresholds into 0..1 and the lower one not above the higher one, and say so."""
    high = min(1.0, max(0.0, settings.gate_duplicate_from))
    low = min(high, max(0.0, settings.gate_clear_below))
    in_range = {"gate_clear_below": low, "gate_duplicate_from": high}
    changes = {name: value for name, value in in_range.items() if getattr(settings, name) != value}
    for name, value in changes.items():
        warn(f"settings.clamped name={name} given={getattr(settings, name)!r} used={value!r}")
    return settings.model_copy(update=changes) if changes else settings
