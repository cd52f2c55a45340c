"""What a base opens of what its settings name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

from saidonce.documents.parse import Limits, Sandbox
from saidonce.errors import NOT_SHOWN, SettingsError
from saidonce.foundation import certificate as certify
from saidonce.foundation.ports import ChatModel
from saidonce.foundation.settings.policy import Settings
from saidonce.matching.guards import guards_name
from saidonce.matching.vectors import ExactIndex


class ReplicaOption(TypedDict, total=False):
    """The copy for reading, as `open_store` takes it; nothing where none is named."""

    replica: tuple[str, float]


def replica_of(settings: Settings) -> ReplicaOption:
    """Return the copy of the database that the settings name.

    Raises:
        SettingsError: a copy is named, and no database that it could be a copy of.
    """
    if not settings.replica_url:
        return {}
    if not settings.database_url:
        allowed = "empty with the embedded database; only a server in database_url can have a replica"
        raise SettingsError("replica_url", NOT_SHOWN, allowed)
    return {"replica": (settings.replica_url, settings.replica_max_lag_s)}


def search_copy_of(settings: Settings, model: str) -> Path | None:
    """Return the file in which the copy of an organisation's search index lies; None for none."""
    place = settings.search_cache.strip()
    if place == "none" or (place in {"", "auto"} and settings.database_url):
        return None
    folder = settings.data_dir / "search-cache" if place in {"", "auto"} else Path(place)
    base = settings.database_url or str(settings.data_dir.expanduser().absolute())
    whose = json.dumps([base, settings.org, model])
    return folder.expanduser() / f"{hashlib.sha256(whose.encode()).hexdigest()[:32]}.index"


def rows_of(settings: Settings) -> Callable[[int], ExactIndex]:
    """Return what makes a part of the search index: in this process, or in an actor of a Ray cluster."""
    if settings.search_engine == "threads":
        return ExactIndex
    from saidonce.matching.vectors.on_ray import rows_on_ray  # noqa: PLC0415  heavy, and an extra

    return rows_on_ray(settings.search_address, settings.search_shards)


def sandbox_of(settings: Settings) -> Sandbox:
    """Return the sandbox that the settings limit."""
    return Sandbox(limits_of(settings))


def limits_of(settings: Settings) -> Limits:
    """Return the limits of one source by the settings."""
    return Limits(
        settings.max_source_mb, settings.max_text_mb, settings.parse_memory_mb, settings.parse_timeout_s,
        may_recognise=settings.recognise, recognise_memory_mb=settings.recognise_memory_mb,
        recognise_timeout_s=settings.recognise_timeout_s, max_pictures=settings.recognise_max_pictures,
        max_megapixels=settings.recognise_max_megapixels, max_sound_minutes=settings.recognise_max_minutes,
        speech_model=settings.speech_model,
        speech_languages=settings.speech_languages,
    )  # fmt: skip


def certificate_of(settings: Settings, model: str, judge: str) -> tuple[certify.Certificate | None, str]:
    """Return the settings' certificate, and why it does not hold for a model, a judge and these guards; "" if it holds.

    Raises:
        SettingsError: it cannot be read.
    """
    if settings.certificate is None:
        return None, "there is no certificate (setting certificate); create one with 'saidonce calibrate'"
    certificate = _certificate_at(settings.certificate.expanduser())
    flaw = certify.why_stale(certificate, model, guards_name(), judge=judge)
    if settings.merge_additions and not flaw:
        flaw = "certificates are valid for the strict guards only; switch merge_additions off"
    return certificate, flaw


def _certificate_at(path: Path) -> certify.Certificate:
    """Read a certificate.

    Raises:
        SettingsError: it cannot be read.
    """
    try:
        return certify.read_certificate(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as bad:
        raise SettingsError("certificate", str(path), f"a readable certificate ({bad})") from bad


def chat_of(settings: Settings) -> ChatModel | None:
    """Return the model that writes answers; None if the settings name none."""
    if not settings.answer_model:
        return None
    from saidonce.adapters.llm import open_chat  # noqa: PLC0415  imported only when a model is configured

    return open_chat(settings.answer_model, settings.answer_timeout_s, settings.answer_url, settings.answer_key)
