"""Who rules where similarity is unsure, as the settings name them."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from saidonce.adjudication import (
    AutoRater,
    Budgeted,
    Chain,
    JudgeOptions,
    ModelJudge,
    Price,
    RaterOptions,
    Remembering,
    Watched,
)
from saidonce.errors import SettingsError
from saidonce.foundation.ports import Adjudicator, Clock, Embedder, Store
from saidonce.foundation.settings.policy import Settings
from saidonce.gate import StoredBudget, StoredRulings

AUTO_RATER = "auto-rater"
LOCAL = "local"
_ALLOWED = f"{AUTO_RATER}, {LOCAL}, {LOCAL}:FOLDER, or a model PROVIDER:NAME, several with commas between"


def open_adjudicator(
    settings: Settings, store: Store, embedder: Callable[[], Embedder], clock: Clock
) -> Adjudicator | None:
    """Open who rules at the gate, in the order in which `gate_adjudicator` names them; None if it names nobody.

    What costs money, an auto-rater or a language model, is remembered in the store and counted against the day's
    budget; a local judge is neither.

    Args:
        settings: see `gate_adjudicator`.
        store: of the organisation, which keeps rulings and what was spent.
        embedder: gives the model whose similarities a local judge reads.
        clock: tells the day of the budget.

    Raises:
        SettingsError: a name is none, or lacks what it needs.
        ArtefactError: a trained judge cannot be read, or was trained with another embedder.
    """
    whole = _opened("gate_adjudicator", settings, store, embedder, clock)
    return Watched(whole, settings.gate_duplicate_from) if whole is not None else None


def open_second(settings: Settings, store: Store, embedder: Callable[[], Embedder], clock: Clock) -> Adjudicator:
    """Open who gives second opinions on open pairs, as `gray_zone_adjudicator` names them.

    Rulings are remembered, and counted against the day's budget, together with those of the gate.

    Raises:
        SettingsError: a name is none or lacks what it needs, or nobody is named.
        ArtefactError: a trained judge cannot be read, or was trained with another embedder.
    """
    opened = _opened("gray_zone_adjudicator", settings, store, embedder, clock)
    if opened is None:
        raise SettingsError("gray_zone_adjudicator", settings.gray_zone_adjudicator, _ALLOWED)
    return opened


def _opened(
    key: str, settings: Settings, store: Store, embedder: Callable[[], Embedder], clock: Clock
) -> Adjudicator | None:
    """Open the adjudicators that a setting names, in their order; None if it names nobody."""
    names = [name.strip() for name in str(getattr(settings, key)).split(",") if name.strip()]
    opened: list[Adjudicator] = []
    for name in names:
        if name == LOCAL or name.startswith(f"{LOCAL}:"):
            opened.append(_local(name, embedder()))
            continue
        asked = _rater(settings) if name == AUTO_RATER else _model(key, name, settings)
        budget = StoredBudget(store.gates, settings.gate_budget_calls_per_day, settings.gate_budget_cost_per_day)
        opened.append(Remembering(Budgeted(asked, budget, clock), StoredRulings(store.gates)))
    return Chain(opened) if len(opened) > 1 else next(iter(opened), None)


def _local(name: str, embedder: Embedder) -> Adjudicator:
    from saidonce.adjudication.local_judge import SHIPPED, LocalJudge  # noqa: PLC0415  only where it rules

    return LocalJudge(embedder, name.partition(":")[2] or SHIPPED)


def _rater(settings: Settings) -> Adjudicator:
    if not settings.gate_auto_rater_url:
        raise SettingsError("gate_auto_rater_url", "", "the base URL of the auto-rater that is named to rule")
    options = RaterOptions(
        settings.gate_llm_timeout_ms,
        settings.gate_llm_poll_interval_ms,
        lenient=settings.gate_lenient,
        requires_echo=settings.gate_requires_echo,
        price=settings.gate_price_per_review or 0.0,
    )
    return AutoRater(settings.gate_auto_rater_url, secrets.token_bytes(16), options, key=settings.gate_auto_rater_key)


def _model(key: str, name: str, settings: Settings) -> Adjudicator:
    if ":" not in name:
        raise SettingsError(key, name, _ALLOWED)
    from saidonce.adapters.llm import open_chat  # noqa: PLC0415  imported only when a model is configured

    seconds = settings.gate_llm_timeout_ms / 1_000
    chat = open_chat(name, seconds, settings.answer_url, settings.answer_key, key)
    return ModelJudge(
        chat, secrets.token_bytes(16), JudgeOptions(timeout_s=seconds, price=_price(settings)), clock=time.monotonic
    )


def _price(settings: Settings) -> Price | None:
    read, written = settings.gate_price_per_million_input, settings.gate_price_per_million_output
    return None if read is None and written is None else Price(read or 0.0, written or 0.0)
