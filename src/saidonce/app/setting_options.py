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
    """streaming copy of that PostgreSQL, read by pages that only show something"""
    replica_max_lag_s: float
    """age from which the copy is not read; pages read the database itself then, and say so"""
    org: str
    """organisation whose base is used; organisations never see each other"""
    collection: str
    """collection used when a command names none"""
    segment_style: Literal["paragraph", "packed", "whole"]
    """size of a new collection's segments: paragraph, packed to 300-500 tokens, or whole elements"""
    embedder: str
    """minilm (built in), multilingual (an extra), openai:MODEL, sentence-transformers:NAME_OR_FOLDER,
    model2vec:NAME_OR_FOLDER, or a plug-in's NAME or NAME:WHICH"""
    embedder_url: str
    """base URL of an OpenAI-compatible embeddings endpoint; several, separated by commas, share the work"""
    embedder_key: str
    """API key of that endpoint; never logged"""
    embed_threads: int
    """threads that embed; 0 means one per core"""
    translation_embedder: str
    """embedder whose space holds several languages, by which translations are named: multilingual (an extra), or
    another as for `embedder`; nothing names them without one"""
    translation_from: float
    """from which similarity the nearest text of another language is named as a translation"""
    judge: str
    """who bears out re-wordings that no guard objects to: auto (the distribution saidonce-judge, where it is
    installed), none, or the folder of a judge; without one more is left open"""
    repeat_enabled: bool
    """remove repeats inside a document"""
    repeat_from: float
    """similarity from which two segments of a document repeat"""
    salience_floor: float
    """segments below this salience are set aside"""
    boost_enabled: bool
    """raise the salience of what a document says in several ways"""
    boost_per_repeat: float
    """relative boost of the first near-repeat"""
    boost_decay: Literal["logarithmic", "linear"]
    """how boosts of several near-repeats add up"""
    boost_log_base: float
    """base of the logarithmic decay"""
    salience_cap: float
    """highest salience after boosts"""
    collection_use: Literal["evidence", "canonical"]
    """use of a new collection: evidence keeps each document's own blocks, canonical merges near-duplicates of
    different documents"""
    merge_investigate_from: float
    """similarity from which a segment and a kept block are compared"""
    merge_from: float
    """similarity from which they merge unless a guard objects; between the two a person decides"""
    merge_neighbours: int
    """nearest kept blocks that a segment is compared with"""
    auto_merge: bool
    """merge without asking where the ladder is sure; otherwise a person decides all"""
    merge_additions: bool
    """merge without asking where the newer text only adds to the older one; otherwise a person decides"""
    owner: str
    """who answers for what is ingested; sees its merges in the feed"""
    owner_from_author: bool
    """take the author that a document names as its owner, where the setting owner is empty"""
    review_due_before_days: int
    """days before the due day of an assigned pair on which its person is reminded"""
    require_certificate: bool
    """merge without asking only under a certificate that `calibrate` wrote for this model and these guards"""
    certificate: Path | str | None
    """the certificate in force"""
    audit_share: float
    """share of automatic merges that a person is asked to check"""
    audit_alpha: float
    """share of wrong merges that the audit tolerates before it stops automatic merging"""
    audit_delta: float
    """risk that the audit raises a false alarm"""
    gray_zone: str
    """what a second opinion on an open pair may do: people (nobody is asked), sort, propose or settle; for all
    collections, and COLLECTION=MODE for single ones, with commas between"""
    gray_zone_adjudicator: str
    """who gives it, named as in gate_adjudicator"""
    gray_zone_model: str
    """model that gives it where gray_zone_adjudicator names `model`, such as openai:gpt-5-mini"""
    gray_zone_model_url: str
    """base URL of an OpenAI-compatible chat endpoint for the gray zone"""
    gray_zone_model_key: str
    """API key of that endpoint; never logged; providers read their own variables"""
    gray_zone_timeout_ms: int | None
    """time that one opinion of a model may take; by default gate_llm_timeout_ms"""
    gray_zone_settle_from: float
    """confidence from which an opinion settles a pair"""
    k: int
    """hits of a search"""
    pool: int
    """ranked blocks from which the hits are chosen"""
    search_shards: int
    """parts of the search index in memory, searched by as many threads; answers are the same for every number"""
    search_engine: Literal["threads", "ray"]
    """who holds the parts: threads of this process, or actors of a Ray cluster (an extra); same answers"""
    search_address: str
    """address of that Ray cluster; empty starts one on this machine"""
    search_cache: str
    """copy of the search index for quick starts: auto (beside the embedded database; none for another one), none,
    or a folder"""
    fusion: Literal["minmax", "rrf"]
    """how rankings are fused"""
    dense_weight: float
    """weight of the dense ranking; the lexical one has the rest"""
    rrf_k: int
    """rank constant of reciprocal rank fusion"""
    salience_weight: float
    """weight of salience beside dense + lexical = 1; 0 switches it off"""
    freshness_weight: float
    """weight of freshness beside dense + lexical = 1; 0 switches it off"""
    freshness_half_life: float
    """age at which freshness is one half"""
    dedup_enabled: bool
    """list twins under the hit they repeat"""
    dedup_from: float
    """similarity from which a lower hit repeats a higher one"""
    min_relevance: float
    """hits below this relevance are cut; it is calibrated, the same for all queries and bases; 0 cuts nothing"""
    mmr_lambda: float
    """1 keeps the fused order; less trades relevance for diversity (MMR)"""
    pairs_enabled: bool
    """compare texts that are near each other when they are written, and keep the answers for searches"""
    log_enabled: bool
    """write one log line a flow"""
    metrics_enabled: bool
    """count what ingest and search remove"""
    warn_ingest_ratio: float
    """warn when ingest removes a larger share"""
    warn_search_ratio: float
    """warn when a search removes a larger share"""
    warn_boost: float
    """warn when one boost is larger"""
    max_source_mb: int
    """largest source that is read"""
    parse_memory_mb: int
    """memory of the parsing process"""
    parse_timeout_s: float
    """time one source may take to parse"""
    recognise: bool
    """read words in pictures and scanned pages, and hear them in recordings, where the extras are installed"""
    recognise_memory_mb: int
    """memory of the process that recognises words"""
    recognise_timeout_s: float
    """time that recognising the words of one source may take"""
    recognise_max_pictures: int
    """scanned pages, pictures or scenes of one source that are read"""
    recognise_max_megapixels: int
    """largest picture that is read"""
    recognise_max_minutes: int
    """longest recording that is heard"""
    speech_model: str
    """folder of a Whisper model in the form of CTranslate2; empty for the one of the extra audio"""
    speech_languages: tuple[str, ...]
    """languages that recordings are spoken in, such as de and en, where they are known; empty for any"""
    originals_mb: int
    """largest picture, recording or scan that is kept whole, to be shown and played; 0 keeps none"""
    max_text_mb: int
    """most text that one source may give"""
    answer_model: str
    """model that `ask` uses, such as openai:gpt-5-mini; empty quotes passages verbatim"""
    answer_url: str
    """base URL of an OpenAI-compatible chat endpoint, for answer_model openai:NAME"""
    answer_key: str
    """API key of that endpoint; never logged; providers read their own variables"""
    answer_from: float
    """relevance from which a passage may answer a question that `ask` gets"""
    answer_tokens: int
    """budget of the passages that `ask` gives a model, in which nothing stands twice"""
    answer_timeout_s: float
    """time one answer may take"""
    use_llm_orchestration: Literal["off", "shadow", "on"]
    """who leads conversations: version 1, a keyword flow with known failures; it with the model looking on; or the
    model, without one the cautious flow; USE_LLM_ORCHESTRATION=true and =false are understood too"""
    conversation_model: str
    """model that leads conversations, such as anthropic:claude-haiku-4-5"""
    conversation_url: str
    """base URL of an OpenAI-compatible chat endpoint, for conversation_model openai:NAME"""
    conversation_key: str
    """API key of that endpoint; never logged"""
    conversation_call_s: float
    """time one call of that model may take"""
    conversation_turn_s: float
    """time all its calls of a turn may take"""
    conversation_name: str
    """how the organisation calls itself towards residents"""
    conversation_instructions: str
    """the organisation's own words in the model's prompt, 600 characters"""
    conversation_may_link: tuple[str, ...]
    """URLs (by prefix) and phone numbers that the model's replies may contain; as JSON in the environment"""
    residents_erase: Literal["ask", "at_once"]
    """a resident who wants their data deleted: a person decides, or it is done after the resident's yes"""
    residents_erase_days: int
    """time in which a person has to answer such a wish"""
    keep_days: dict[str, int]
    """how long things about residents are kept: a table with messages, media, turns (words of models), issues (the
    personal part of closed ones) and notices; what is not named is kept"""
    org_keep_days: dict[str, dict[str, int]]
    """the same of single organisations, by organisation: tables such as [org_keep_days.south]"""
    emergency_pack: Literal["uk", "us", "eu-en"]
    """emergency phrases, safety texts and numbers"""
    conversation_names_staff: bool
    """tell residents the name of who acknowledged their emergency"""
    time_zone: str
    """time zone of dates, business hours and reminders"""
    business_hours: str
    """when somebody works; several with commas between: mon-fri 08:00-18:00, sat 10:00-13:00"""
    response_emergency_h: float
    """time to the first response to an emergency, day and night"""
    response_urgent_h: float
    """the same of an urgent issue, in business hours"""
    response_routine_h: float
    """the same of a routine issue, in business hours"""
    done_emergency_h: float
    """time to the end of the work on an emergency, day and night"""
    done_urgent_h: float
    """the same of an urgent issue, in business hours"""
    done_routine_h: float
    """the same of a routine issue, in business hours"""
    contractor_link_days: int
    """days after which a contractor's link ends"""
    session_days: float
    """days after which a browser signs in again, however often it is used; unused for 14 days it does, too"""
    trusted_proxies: str
    """addresses or networks of proxies in front of the server, with commas between: whom they name in X-Forwarded-
    For counts as the caller, for the security log and for slowing down guesses; empty trusts none"""
    security_log_file: str
    """file to which entries of the security log are written as JSON lines"""
    security_log_syslog: str
    """syslog that gets the entries of the security log: /dev/log, udp://HOST:514 or tcp://HOST:514"""
    public_url: str
    """address under which people reach the server; links and sign-in need it"""
    oidc_issuer: str
    """issuer of single sign-on (OpenID Connect); empty without"""
    oidc_client_id: str
    """what the issuer knows this server as"""
    oidc_client_secret: str
    """secret of that client; never logged"""
    smtp_url: str
    """mail server, smtp://USER:PASSWORD@HOST:587 or smtps://USER:PASSWORD@HOST:465; never logged"""
    smtp_from: str
    """sender of e-mail notices"""
    webhook_allow_private: bool
    """send webhooks to private and loopback addresses too"""
    send_timeout_s: float
    """time a receiver has to take a notice"""
    notify_tries: int
    """failures after which a notice is given up"""
    notify_wait_s: float
    """wait after a notice's first failure; doubles with each"""
    notify_longest_wait_s: float
    """longest wait between two tries"""
    worker_stalled_s: float
    """time without a sign of life after which a worker's jobs go to another"""
    sync_allow_private: bool
    """sync from private and loopback addresses too"""
    sync_requests_per_s: float
    """requests to one web server at most; a longer pause that its robots.txt asks for holds"""
    sync_timeout_s: float
    """time for one request of a sync"""
    sync_roots: str
    """folders below which sources added over HTTP may lie, and beginnings of addresses that are read with this
    server's keys (s3://ours, git@github.com:ours), with commas between; empty allows none of them"""
    gate_llm_enabled: bool
    """ask an adjudicator from gate_clear_below on; else one threshold, gate_duplicate_from"""
    gate_clear_below: float
    """similarity under which a submission is cleared unasked; moved to gate_duplicate_from if above it"""
    gate_duplicate_from: float
    """similarity from which a submission is a duplicate unless an adjudicator clears it"""
    gate_llm_timeout_ms: int
    """time that one ruling may take"""
    gate_llm_poll_interval_ms: int
    """longest wait between two questions whether the auto-rater is done; the first are asked sooner"""
    gate_adjudicator: str
    """who rules: auto-rater, local, model (that of gate_model), PROVIDER:MODEL, a plug-in's name, or several in
    turn, such as local,auto-rater"""
    gate_rulings_at_once: int
    """questions that a worker or a check puts to one adjudicator at the same time; a local judge gets one"""
    gate_model: str
    """model that rules where gate_adjudicator names `model`, such as openai:gpt-5-mini"""
    gate_model_url: str
    """base URL of an OpenAI-compatible chat endpoint for the gate's model"""
    gate_model_key: str
    """API key of that endpoint; never logged; providers read their own variables"""
    gate_auto_rater_url: str
    """base URL of the auto-rater"""
    gate_auto_rater_key: str
    """API key of the auto-rater; never logged"""
    gate_budget_calls_per_day: int
    """calls of a model a day (UTC) and organisation, after which nobody rules; 0 does not limit"""
    gate_budget_cost_per_day: float
    """cost of a day's calls after which nobody rules; 0 does not limit; needs a price"""
    gate_price_per_million_input: float | None
    """price of a million tokens that a model reads; needed by gate_budget_cost_per_day"""
    gate_price_per_million_output: float | None
    """price of a million tokens that a model writes; needed by gate_budget_cost_per_day"""
    gate_price_per_review: float | None
    """price of a review by the auto-rater; needed by gate_budget_cost_per_day"""
    gate_notices: str
    """what the gate does that channels without an owner are told at once: cleared, held, let_through, overridden,
    released, retracted; several with commas between"""
    gate_prices: str
    """prices of single judges, by their names in gate_adjudicator: NAME=PRICE of a ruling, or NAME=INPUT/OUTPUT of
    a million tokens read and written; several with commas between, such as auto-rater=0.02,openai:gpt-5=1.25/10"""
    gate_audit_share: float
    """share of an adjudicator's clears that people are asked to audit, drawn at random; see gate held --audit"""
    gate_requires_echo: bool
    """an auto-rater clears only by JSON that repeats question and nonce; a bare word or free text never does"""
    gate_least_confidence: float | None
    """confidence that an adjudicator's clear has to state; without, none below 0.5 counts, and one that states
    none may count"""
    gate_retraction_window_ms: int
    """time in which an auto-rater may take a clear back: it counts once it has stood for so long"""
    gate_recheck_hours: float
    """how long after a clear a worker looks again whether the auto-rater still says so; 0 never looks"""
    gate_lenient: bool
    """let free text of an auto-rater clear a submission; a hostile text can provoke such a reply"""
    gate_escape_hatch: bool
    """for emergencies: let submissions through whose adjudicator is away"""
    gate_objection_clears: bool
    """where nobody is asked, clear a submission if it differs from every near match in a value: a number, unit,
    amount, date, version or identifier"""
    gate_embedded_fields: str
    """parts of a submission that a new gate compares by similarity, in this order"""
    gate_exact_fields: str
    """parts that it compares exactly: another value is no match"""
    gate_max_words: int
    """words that one request over HTTP may have compared; more is refused with 413; 0 does not limit"""
    gate_seconds_per_minute: float
    """work of a minute for one key over HTTP; more is refused with 429; 0 does not limit"""
    gate_shown_fields: str
    """parts that an adjudicator sees beside those; empty shows all"""
    whatsapp_app_secret: str
    """secret of the Meta app; it signs what WhatsApp sends us; never logged"""
    whatsapp_verify_token: str
    """word of your choice that proves the webhook to be ours; never logged"""
    whatsapp_token: str
    """access token of a Meta system user, for sending and for files; never logged"""
    whatsapp_phone_number_id: str
    """id of our WhatsApp number; messages to other numbers are refused; empty takes all of the account"""
    channel_numbers: str
    """numbers of other organisations on this server, ORG=NUMBER with commas between: phone number ids of WhatsApp,
    +NUMBER of Twilio (WhatsApp and SMS); all others belong to `org`"""
    whatsapp_api_url: str
    """base URL of the Graph API"""
    whatsapp_api_version: str
    """version of the Graph API that is asked for"""
    whatsapp_template: str
    """approved template with one variable in its body, for messages after the 24-hour window; empty sends none"""
    whatsapp_template_language: str
    """language of that template, as WhatsApp spells it"""
    repairs_enabled: bool
    """answer residents, and show the repair assistant's pages, commands and routes; all that only where the extra
    `repairs` is installed"""
    twilio_account_sid: str
    """account at Twilio, AC and 32 hex digits"""
    twilio_auth_token: str
    """auth token of that account; it signs what Twilio sends us; never logged"""
    twilio_api_url: str
    """base URL of Twilio's API"""
    twilio_webhook_url: str
    """address that Twilio posts to, letter by letter as it stands in Twilio's console"""
    twilio_template: str
    """Content SID (HX...) of an approved template with the variable 1, for messages after the 24-hour window"""
    sms_webhook_url: str
    """address that Twilio posts text messages to, letter by letter as it stands in Twilio's console; empty: no SMS"""
    sms_max_segments: int
    """most segments of an SMS, each of which is paid; a longer one is not sent, but for a safety text"""
    sms_sender_proves: bool
    """the number that an SMS comes from proves who writes; else the landlord approves each sender once"""
    sms_timeout_s: float
    """time one SMS may take to send"""
    channel_options: dict[str, dict[str, str]]
    """settings of channels of plug-ins, by channel and name: tables in saidonce.toml, such as
    [channel_options.pigeon], as JSON in the environment; never logged"""
    org_channels: dict[str, dict[str, str]]
    """accounts of other organisations on this server, by organisation: tables in saidonce.toml, such as
    [org_channels.south] with its own twilio_account_sid, twilio_auth_token and twilio_webhook_url; what they
    sign is taken at that organisation's address only; never logged"""
    webhook_oldest_h: int
    """greatest age of a message of WhatsApp, by its own time; an older one is taken for a replay and refused"""
    whatsapp_timeout_s: float
    """time one message may take to send"""
    media_timeout_s: float
    """time one file may take to fetch"""
    media_image_mb: int
    """largest picture that is taken"""
    media_video_mb: int
    """largest film that is taken"""
    media_audio_mb: int
    """largest voice message that is taken"""
    media_document_mb: int
    """largest other file that is taken; WhatsApp allows 100"""
    media_keep_original: bool
    """keep pictures as they came, too, with their notes about place, time and camera"""
    media_voice_minutes: int
    """longest voice message whose words are heard; a longer one is left to people"""
    media_voice_s: float
    """time that hearing one voice message may take, and time that it may wait for those before it"""
    media_image_pixels: int
    """most pixels of a picture"""
    media_picture_s: float
    """time one picture may take to decode"""
    media_picture_memory_mb: int
    """memory of the process that decodes pictures"""
