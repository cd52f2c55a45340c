"""The settings as typed keyword arguments. Written by docs/build_library.py (`make reference`)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypedDict


class SettingOptions(TypedDict, total=False):
    """Settings by name; `saidonce settings` lists their values and where they come from."""

    data_dir: Path | str
    """folder of the embedded database"""
    database_url: str
    """PostgreSQL to use instead of the embedded one"""
    replica_url: str
    """streaming replica of that PostgreSQL, used by read-only pages"""
    replica_max_lag_s: float
    """maximum lag of the replica; beyond it, pages read the primary database and say so"""
    org: str
    """organisation whose base is used; organisations are isolated from each other"""
    collection: str
    """collection used by commands that name none"""
    segment_style: Literal["paragraph", "packed", "whole"]
    """how the documents of a new collection are split: paragraph (each paragraph, list or table by itself; short
    paragraphs and lists under one heading are joined), packed (300 to 500 tokens under one heading), or whole
    (every element as it is)"""
    embedder: str
    """embedding model: minilm (built in), multilingual (an extra), openai:MODEL, sentence-
    transformers:NAME_OR_FOLDER, model2vec:NAME_OR_FOLDER, or a plug-in's NAME or NAME:WHICH"""
    embedder_url: str
    """base URL of an OpenAI-compatible embeddings endpoint; requests are spread over several, separated by commas"""
    embedder_key: str
    """API key of that endpoint; never logged"""
    embed_threads: int
    """number of embedding threads; 0 means one per core"""
    translation_embedder: str
    """multilingual embedder for finding translations: multilingual (an extra), or another as for `embedder`;
    empty: translations are not available"""
    translation_from: float
    """minimum similarity of the nearest text in another language to be listed as a translation"""
    same_from: float
    """minimum similarity at which two texts that are shown to say the same, each all that the other does, are
    repeats and merge, whatever repeat_from, dedup_from and merge_from say; 1 leaves it to these"""
    judge: str
    """equivalence judge for rewordings that no guard objects to: auto (the package saidonce-judge, if it is
    installed), none, or the folder of a judge; without a judge more pairs are left open"""
    repeat_enabled: bool
    """remove repeats within a document"""
    repeat_from: float
    """minimum similarity of two segments of a document that count as repeats"""
    salience_floor: float
    """segments below this salience are set aside"""
    boost_enabled: bool
    """raise the salience of what a document says repeatedly in different words"""
    boost_per_repeat: float
    """relative boost of the first near-repeat"""
    boost_decay: Literal["logarithmic", "linear"]
    """how boosts of several near-repeats add up"""
    boost_log_base: float
    """base of the logarithm"""
    salience_cap: float
    """maximum salience after boosts"""
    collection_use: Literal["evidence", "canonical"]
    """use of a new collection: evidence keeps each document's own blocks, canonical merges near-duplicates of
    different documents"""
    merge_investigate_from: float
    """minimum similarity at which a segment and a kept block are compared"""
    merge_from: float
    """minimum similarity at which they merge unless a guard objects; below it a person decides"""
    merge_neighbours: int
    """number of nearest kept blocks that a segment is compared with"""
    auto_merge: bool
    """merge automatically where the ladder is certain; otherwise a person decides everything"""
    merge_additions: bool
    """merge automatically where the newer text only adds to the older one; otherwise a person decides"""
    owner: str
    """owner of ingested documents, who sees their merges in the feed"""
    owner_from_author: bool
    """use the author named in a document as its owner if the setting owner is empty"""
    review_due_before_days: int
    """days before the due date of an assigned pair at which its assignee is reminded"""
    require_certificate: bool
    """merge automatically only under a certificate from `calibrate` for this model and these guards"""
    certificate: Path | str | None
    """file of the certificate in force"""
    audit_share: float
    """share of automatic merges that are sampled for an audit by a person"""
    audit_alpha: float
    """share of wrong merges above which the audit stops automatic merging"""
    audit_delta: float
    """probability of a false alarm by the audit"""
    gray_zone: str
    """what second opinions on open pairs may do: people (none are asked), sort, propose or settle; for all
    collections, and COLLECTION=MODE for single ones, separated by commas"""
    gray_zone_adjudicator: str
    """adjudicator for second opinions, as in gate_adjudicator"""
    gray_zone_model: str
    """model for `model` in gray_zone_adjudicator, such as openai:gpt-5-mini"""
    gray_zone_model_url: str
    """base URL of an OpenAI-compatible chat endpoint for the gray zone"""
    gray_zone_model_key: str
    """API key of that endpoint; never logged; providers read their own variables"""
    gray_zone_timeout_ms: int | None
    """time limit for one opinion of a model; by default gate_llm_timeout_ms"""
    gray_zone_settle_from: float
    """minimum confidence at which an opinion settles a pair"""
    k: int
    """number of hits of a search"""
    pool: int
    """ranked blocks from which the hits are chosen"""
    search_shards: int
    """number of shards of the in-memory search index, one thread each; results do not depend on it"""
    search_engine: Literal["threads", "ray"]
    """where the shards are: in threads of this process, or in actors of a Ray cluster (an extra)"""
    search_address: str
    """address of that Ray cluster; empty starts one on this machine"""
    search_cache: str
    """saved copy of the search index, for fast starts: auto (next to the embedded database; none for other
    databases), none, or a folder"""
    fusion: Literal["minmax", "rrf"]
    """fusion of rankings: minmax (weighted sum) or rrf (reciprocal rank)"""
    dense_weight: float
    """weight of the dense ranking; the lexical has the rest"""
    rrf_k: int
    """rank constant of reciprocal rank fusion"""
    salience_weight: float
    """weight of salience, relative to dense + lexical = 1; 0 switches it off"""
    freshness_weight: float
    """weight of freshness, relative to dense + lexical = 1; 0 switches it off"""
    freshness_half_life: float
    """age at which freshness is 0.5"""
    dedup_enabled: bool
    """list repeats under the hit that they repeat"""
    dedup_from: float
    """minimum similarity at which a lower hit counts as a repeat of a higher one"""
    dedup_keeps: Literal["highest", "fuller"]
    """of a hit and a lower one that states all of it, and more: highest keeps both, fuller the lower one in its
    place"""
    min_relevance: float
    """minimum relevance of a hit; calibrated, so that it means the same for all queries and bases; 0 keeps all
    hits"""
    mmr_lambda: float
    """1 keeps the fused order; lower values trade relevance for diversity (MMR)"""
    log_enabled: bool
    """write one log line per flow"""
    metrics_enabled: bool
    """count what ingest and search remove as repeats"""
    warn_ingest_ratio: float
    """warn if ingest removes a larger share"""
    warn_search_ratio: float
    """warn if a search removes a larger share"""
    warn_boost: float
    """warn if a boost is larger"""
    max_source_mb: int
    """maximum size of a source"""
    parse_memory_mb: int
    """memory limit of the parsing process"""
    parse_timeout_s: float
    """time limit for parsing one source"""
    recognise: bool
    """recognise text in pictures and scanned pages, and speech in recordings, if the extras are installed"""
    recognise_memory_mb: int
    """memory limit of the recognition process"""
    recognise_timeout_s: float
    """time limit for recognition in one source"""
    recognise_max_pictures: int
    """maximum number of scanned pages, pictures or scenes read in one source"""
    recognise_max_megapixels: int
    """maximum size of a picture for recognition"""
    recognise_max_minutes: int
    """maximum length of a recording for recognition"""
    speech_model: str
    """folder of a Whisper model in CTranslate2 format; empty for the one of the extra audio"""
    speech_languages: tuple[str, ...]
    """languages spoken in recordings, such as de and en; empty: detected"""
    originals_mb: int
    """maximum size of pictures, recordings and scans to keep for display and playback; 0 keeps none"""
    max_text_mb: int
    """maximum amount of text from one source"""
    answer_model: str
    """model for `ask`, such as openai:gpt-5-mini; empty: quote passages verbatim"""
    answer_url: str
    """base URL of an OpenAI-compatible chat endpoint, for answer_model openai:NAME"""
    answer_key: str
    """API key of that endpoint; never logged; providers read their own variables"""
    answer_from: float
    """minimum relevance of a passage for `ask`"""
    answer_tokens: int
    """token budget of the passages that `ask` gives to a model, without repeats"""
    answer_timeout_s: float
    """time limit for one answer"""
    use_llm_orchestration: Literal["off", "shadow", "on"]
    """what leads conversations: off: version 1, a keyword flow with known flaws; shadow: the same, with the model
    running alongside; on: the model, or the keyword flow without one. USE_LLM_ORCHESTRATION=true and =false
    work too"""
    conversation_model: str
    """model for conversations, such as anthropic:claude-haiku-4-5"""
    conversation_url: str
    """base URL of an OpenAI-compatible chat endpoint, for conversation_model openai:NAME"""
    conversation_key: str
    """API key of that endpoint; never logged"""
    conversation_call_s: float
    """time limit for one call of that model"""
    conversation_turn_s: float
    """time limit for all model calls of a turn"""
    conversation_name: str
    """name of the organisation in messages to residents"""
    conversation_instructions: str
    """additional instructions in the model's prompt, up to 600 characters"""
    conversation_may_link: tuple[str, ...]
    """URLs (by prefix) and phone numbers that the model's replies may contain; as JSON in the environment"""
    residents_erase: Literal["ask", "at_once"]
    """if a resident wants their data deleted: ask a person, or delete at once after the resident confirms"""
    residents_erase_days: int
    """deadline for a person to answer such a request"""
    keep_days: dict[str, int]
    """retention of residents' data: a table with messages, media, turns (model replies), issues (personal data of
    closed ones) and notices; what is not listed is kept"""
    org_keep_days: dict[str, dict[str, int]]
    """keep_days of single organisations: tables such as [org_keep_days.south]"""
    emergency_pack: Literal["uk", "us", "eu-en"]
    """emergency phrases, safety texts and phone numbers"""
    conversation_names_staff: bool
    """tell residents the name of the person who acknowledged their emergency"""
    time_zone: str
    """time zone of dates, business hours and reminders"""
    business_hours: str
    """business hours, separated by commas: mon-fri 08:00-18:00, sat 10:00-13:00"""
    response_emergency_h: float
    """deadline for the first response to emergencies, at any hour"""
    response_urgent_h: float
    """deadline for the first response to urgent issues, in business hours"""
    response_routine_h: float
    """deadline for the first response to routine issues, in business hours"""
    done_emergency_h: float
    """deadline for completing the work on emergencies, at any hour"""
    done_urgent_h: float
    """deadline for completing urgent issues, in business hours"""
    done_routine_h: float
    """deadline for completing routine issues, in business hours"""
    contractor_link_days: int
    """days until a contractor's link expires"""
    session_days: float
    """maximum age of a browser session; it also ends after 14 days without use"""
    trusted_proxies: str
    """addresses or networks of proxies in front of the server, separated by commas, whose X-Forwarded-For header
    names the client for the security log and rate limiting; empty: trust none"""
    security_log_file: str
    """file to which the security log is also written, as JSON lines"""
    security_log_syslog: str
    """syslog to which the security log is sent: /dev/log, udp://HOST:514 or tcp://HOST:514"""
    public_url: str
    """public URL of the server; needed by links and single sign-on"""
    oidc_issuer: str
    """issuer for single sign-on (OpenID Connect); empty: no single sign-on"""
    oidc_client_id: str
    """client id of this server at the issuer"""
    oidc_client_secret: str
    """client secret of this server at the issuer; never logged"""
    smtp_url: str
    """mail server, smtp://USER:PASSWORD@HOST:587 or smtps://USER:PASSWORD@HOST:465; never logged"""
    smtp_from: str
    """sender address of e-mail notifications"""
    webhook_allow_private: bool
    """also send webhooks to private and loopback addresses"""
    send_timeout_s: float
    """time limit for delivering a notification"""
    notify_tries: int
    """number of failures after which a notification is given up"""
    notify_wait_s: float
    """wait after the first failure of a notification; doubles with each failure"""
    notify_longest_wait_s: float
    """maximum wait between two attempts"""
    worker_stalled_s: float
    """time without a heartbeat after which a worker's jobs go to another worker"""
    pairs_enabled: bool
    """compare near texts when they are written, and store the results for searches"""
    pair_workers: int
    """processes that compare texts when many wait; 0 means one per core, the default of the command line; a script
    that sets more than 1 needs 'if __name__ == "__main__":'"""
    sync_allow_private: bool
    """also sync from private and loopback addresses"""
    sync_requests_per_s: float
    """maximum rate of requests to one web server; a longer delay in its robots.txt takes precedence"""
    sync_timeout_s: float
    """time limit for one request of a sync"""
    sync_roots: str
    """allowed roots of sources added over HTTP: folders, and prefixes of addresses that are read with this
    server's keys (s3://ours, git@github.com:ours), separated by commas; empty: none"""
    gate_llm_enabled: bool
    """ask an adjudicator from gate_clear_below up; otherwise gate_duplicate_from is the only threshold"""
    gate_clear_below: float
    """similarity below which a submission is cleared without asking; capped at gate_duplicate_from"""
    gate_duplicate_from: float
    """similarity at which a submission is a duplicate unless an adjudicator clears it"""
    gate_llm_timeout_ms: int
    """time limit for one ruling"""
    gate_llm_poll_interval_ms: int
    """maximum interval between polls of the auto-rater; the first polls come sooner"""
    gate_adjudicator: str
    """adjudicator: auto-rater, local, model (that of gate_model), PROVIDER:MODEL, a plug-in's name, or several in
    order, such as local,auto-rater"""
    gate_rulings_at_once: int
    """maximum number of concurrent requests to one adjudicator, per worker or check; a local judge gets one"""
    gate_model: str
    """model for `model` in gate_adjudicator, such as openai:gpt-5-mini"""
    gate_model_url: str
    """base URL of an OpenAI-compatible chat endpoint for the gate's model"""
    gate_model_key: str
    """API key of that endpoint; never logged; providers read their own variables"""
    gate_auto_rater_url: str
    """base URL of the auto-rater"""
    gate_auto_rater_key: str
    """API key of the auto-rater; never logged"""
    gate_budget_calls_per_day: int
    """maximum number of model calls per day (UTC) and organisation; then nobody rules; 0: no limit"""
    gate_budget_cost_per_day: float
    """maximum cost of model calls per day; then nobody rules; 0: no limit; needs prices"""
    gate_price_per_million_input: float | None
    """price per million input tokens; needed by gate_budget_cost_per_day"""
    gate_price_per_million_output: float | None
    """price per million output tokens; needed by gate_budget_cost_per_day"""
    gate_price_per_review: float | None
    """price per review by the auto-rater; needed by gate_budget_cost_per_day"""
    gate_notices: str
    """gate events to notify channels without an owner of at once: cleared, held, let_through, overridden,
    released, retracted; separated by commas"""
    gate_prices: str
    """prices of single adjudicators, by their names in gate_adjudicator: NAME=PRICE per ruling, or
    NAME=INPUT/OUTPUT per million tokens; separated by commas, such as auto-rater=0.02,openai:gpt-5=1.25/10"""
    gate_audit_share: float
    """share of an adjudicator's clears that are drawn at random for an audit; see gate held --audit"""
    gate_requires_echo: bool
    """an auto-rater clears only with JSON that repeats question and nonce, never with a bare word or free text"""
    gate_least_confidence: float | None
    """minimum confidence that an adjudicator's clear has to state; unset: at least 0.5, or none stated"""
    gate_retraction_window_ms: int
    """time in which an auto-rater may retract a clear; a clear takes effect after it"""
    gate_recheck_hours: float
    """time after a clear during which a worker asks the auto-rater whether it still stands; 0: never"""
    gate_lenient: bool
    """let an auto-rater clear with free text; hostile submissions can provoke such replies"""
    gate_escape_hatch: bool
    """for emergencies: let submissions through whose adjudicator is unavailable"""
    gate_objection_clears: bool
    """without an adjudicator, clear a submission that differs from every near match in a value: a number, unit,
    amount, date, version or identifier"""
    gate_embedded_fields: str
    """fields of a submission that a new gate compares by similarity, in this order"""
    gate_exact_fields: str
    """fields that a new gate compares exactly: different values do not match"""
    gate_max_words: int
    """maximum number of words in one HTTP request; more is refused with 413; 0: no limit"""
    gate_seconds_per_minute: float
    """maximum gate work per API key and minute over HTTP; more is refused with 429; 0: no limit"""
    gate_shown_fields: str
    """other fields that an adjudicator sees; empty: all"""
    whatsapp_app_secret: str
    """secret of the Meta app, which signs WhatsApp's webhooks; never logged"""
    whatsapp_verify_token: str
    """verify token of the webhook, of your choice; never logged"""
    whatsapp_token: str
    """access token of a Meta system user, for sending messages and fetching files; never logged"""
    whatsapp_phone_number_id: str
    """id of your WhatsApp number; messages to other numbers are refused; empty: all numbers of the account"""
    channel_numbers: str
    """numbers of other organisations on this server, ORG=NUMBER separated by commas: WhatsApp's phone number ids,
    or +NUMBER for Twilio (WhatsApp and SMS); all others belong to `org`"""
    whatsapp_api_url: str
    """base URL of the Graph API"""
    whatsapp_api_version: str
    """version of the Graph API"""
    whatsapp_template: str
    """approved template with one variable in its body, for messages after the 24-hour window; empty: none are sent"""
    whatsapp_template_language: str
    """language code of that template at WhatsApp"""
    repairs_enabled: bool
    """enable the repair assistant: answer residents, and offer its pages, commands and routes; needs the extra
    `repairs`"""
    twilio_account_sid: str
    """SID of the Twilio account, AC and 32 hex digits"""
    twilio_auth_token: str
    """auth token of that account, which signs Twilio's webhooks; never logged"""
    twilio_api_url: str
    """base URL of Twilio's API"""
    twilio_webhook_url: str
    """webhook URL, exactly as configured in Twilio's console"""
    twilio_template: str
    """Content SID (HX...) of an approved template with the variable 1, for messages after the 24-hour window"""
    sms_webhook_url: str
    """webhook URL for SMS, exactly as configured in Twilio's console; empty: no SMS"""
    sms_max_segments: int
    """maximum number of segments of an SMS, which are charged one by one; longer ones are not sent, except safety
    texts"""
    sms_sender_proves: bool
    """trust the sender number of an SMS; otherwise the landlord approves each sender once"""
    sms_timeout_s: float
    """time limit for sending one SMS"""
    channel_options: dict[str, dict[str, str]]
    """settings of plug-in channels, by channel and name: tables in saidonce.toml, such as
    [channel_options.pigeon], or JSON in the environment; never logged"""
    org_channels: dict[str, dict[str, str]]
    """accounts of other organisations on this server: tables in saidonce.toml, such as [org_channels.south] with
    its own twilio_account_sid, twilio_auth_token and twilio_webhook_url; their webhooks are accepted only at
    that organisation's URL; never logged"""
    webhook_oldest_h: int
    """maximum age of a WhatsApp message, by its timestamp; older ones are refused as replays"""
    whatsapp_timeout_s: float
    """time limit for sending one message"""
    media_timeout_s: float
    """time limit for fetching one file"""
    media_image_mb: int
    """maximum size of a picture"""
    media_video_mb: int
    """maximum size of a video"""
    media_audio_mb: int
    """maximum size of a voice message"""
    media_document_mb: int
    """maximum size of other files; WhatsApp allows 100"""
    media_keep_original: bool
    """also keep the original pictures, with their metadata about place, time and camera"""
    media_voice_minutes: int
    """maximum length of a voice message to transcribe; longer ones are left to people"""
    media_voice_s: float
    """time limit for transcribing one voice message, and for waiting in the queue"""
    media_image_pixels: int
    """maximum number of pixels of a picture"""
    media_picture_s: float
    """time limit for decoding one picture"""
    media_picture_memory_mb: int
    """memory limit of the process that decodes pictures"""
