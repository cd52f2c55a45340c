"""Adjudicators of unsure similarities, as the settings name them."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from saidonce.adjudication import (
    AtOnce,
    Budgeted,
    Chain,
    JudgeOptions,
    ModelJudge,
    Price,
    Priced,
    Remembering,
    Watched,
)
from saidonce.adjudication.review_notes import ReviewNotes
from saidonce.errors import SettingsError
from saidonce.foundation import plugins
from saidonce.foundation.model import AskedAgain, Failure, Opinion, Question, Ruling
from saidonce.foundation.ports import Adjudicator, Clock, Embedder, Store
from saidonce.foundation.settings.adjudicators import JudgePrice, judge_prices
from saidonce.foundation.settings.policy import Settings
from saidonce.gate import LooksAgain, StoredBudget, StoredReviews, StoredRulings, audited

if TYPE_CHECKING:
    from saidonce.adjudication import AutoRater

GROUP = "saidonce.adjudicators"

AUTO_RATER = "auto-rater"
LOCAL = "local"
MODEL = "model"

PROVIDERS = frozenset(
    "alibaba anthropic azure bedrock cerebras cohere deepseek fireworks gateway github google google-cloud google-gla"
    " google-vertex groq grok heroku huggingface litellm mistral moonshotai nebius ollama openai openai-chat"
    " openai-responses openrouter ovhcloud sambanova together vercel xai".split()
)
"""Names before the colon of a model, which no plug-in may take. Source: pydantic-ai's providers."""

_ALLOWED = (
    f"{AUTO_RATER}, {LOCAL}, {LOCAL}:FOLDER, {MODEL} (the one of gate_model or gray_zone_model), PROVIDER:NAME, or a"
    " plug-in's name; several with commas between"
)

_log = logging.getLogger("saidonce")


@dataclass(frozen=True, slots=True)
class AdjudicatorOptions:
    """Arguments for opening an adjudicator.

    Attributes:
        key: the setting that names it, `gate_adjudicator` or `gray_zone_adjudicator`.
        name: as it stands there, such as `local:FOLDER`.
        settings: all of them.
        embedder: returns the embedding model.
        clock: of the budget.
        notes: where an auto-rater notes its reviews while they are under way; None notes them nowhere.
    """

    key: str
    name: str
    settings: Settings
    embedder: Callable[[], Embedder]
    clock: Clock
    notes: ReviewNotes | None = None

    @property
    def which(self) -> str:
        """What stands behind the colon; empty without."""
        return self.name.partition(":")[2]


OpenAdjudicator = Callable[[AdjudicatorOptions], Adjudicator]
"""Opens an adjudicator and sends nothing; what a plug-in of `saidonce.adjudicators` is."""


def open_adjudicator(
    settings: Settings, store: Store, embedder: Callable[[], Embedder], clock: Clock
) -> Adjudicator | None:
    """Open the adjudicators of the gate in the order of `gate_adjudicator`; None if it names nobody.

    What may cost money, which is all but a local judge, is remembered in the store and counted against the day's
    budget.

    Args:
        settings: see `gate_adjudicator`.
        store: of the organisation, with rulings and spending.
        embedder: returns the model whose similarities a local judge reads.
        clock: determines the day of the budget.

    Raises:
        SettingsError: a name is none, or lacks what it needs.
        ArtefactError: a trained judge cannot be read, or was trained with another embedder.
        PluginError: a plug-in cannot be loaded, or one takes a name that is built in.
    """
    whole = _open_all("gate_adjudicator", _Wired(settings, store, embedder, clock))
    if whole is None:
        return None
    return Watched(whole, settings.gate_duplicate_from, audits=lambda judges: audited(store.gates, judges))


def open_for_retry(
    settings: Settings, store: Store, embedder: Callable[[], Embedder], clock: Clock, order: AskedAgain
) -> Adjudicator:
    """Open the adjudicator for retries: the judge of the order, or those of `gate_adjudicator`.

    Raises:
        SettingsError: a name is none, lacks what it needs, or nobody is named.
        ArtefactError: a trained judge cannot be read, or was trained with another embedder.
        PluginError: a plug-in cannot be loaded, or one takes a name that is built in.
    """
    named = settings.model_copy(update={"gate_adjudicator": order.judge}) if order.judge else settings
    opened = _open_all("gate_adjudicator", _Wired(named, store, embedder, clock, order.anew))
    if opened is None:
        raise SettingsError("gate_adjudicator", named.gate_adjudicator, _ALLOWED)
    return opened


def open_look_again(settings: Settings, embedder: Callable[[], Embedder], clock: Clock) -> LooksAgain | None:
    """Open the adjudicator that can recheck clears: the auto-rater, if `gate_adjudicator` names it.

    Raises:
        SettingsError: it lacks what it needs.
    """
    names = [name.strip() for name in settings.gate_adjudicator.split(",")]
    if not settings.gate_llm_enabled or AUTO_RATER not in names:
        return None
    return _rater(AdjudicatorOptions("gate_adjudicator", AUTO_RATER, settings, embedder, clock))


@dataclass(frozen=True, slots=True)
class Unopened:
    """Stands for an adjudicator that cannot be opened: it rules on nothing, and each ruling says why."""

    name: str
    reason: str

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """Fail each ruling, and say why."""
        ruling = Ruling(Opinion.UNSURE, reason=self.reason, adjudicator=self.name, failure=Failure.REFUSED)
        return (ruling,) * len(questions)


def open_second(settings: Settings, store: Store, embedder: Callable[[], Embedder], clock: Clock) -> Adjudicator:
    """Open the adjudicators of second opinions on open pairs, as `gray_zone_adjudicator` names them.

    Rulings are remembered, and counted against the day's budget, together with those of the gate.

    Raises:
        SettingsError: a name is none or lacks what it needs, or nobody is named.
        ArtefactError: a trained judge cannot be read, or was trained with another embedder.
        PluginError: a plug-in cannot be loaded, or one takes a name that is built in.
    """
    opened = _open_all("gray_zone_adjudicator", _Wired(settings, store, embedder, clock))
    if opened is None:
        raise SettingsError("gray_zone_adjudicator", settings.gray_zone_adjudicator, _ALLOWED)
    return opened


@dataclass(frozen=True, slots=True)
class _Wired:
    """What adjudicators are opened with; `anew`: a remembered "unsure" does not count."""

    settings: Settings
    store: Store
    embedder: Callable[[], Embedder]
    clock: Clock
    anew: bool = False


def _open_all(key: str, wired: _Wired) -> Adjudicator | None:
    """Open the adjudicators that a setting names, in their order; None if it names nobody."""
    settings, gates = wired.settings, wired.store.gates
    names = [name.strip() for name in str(getattr(settings, key)).split(",") if name.strip()]
    opened: list[Adjudicator] = []
    for name in names:
        options = AdjudicatorOptions(key, name, settings, wired.embedder, wired.clock, StoredReviews(gates))
        adjudicator = _with_price(_opener(options)(options), options)
        if name.partition(":")[0] == LOCAL:
            opened.append(AtOnce(adjudicator, 1))
            continue
        budget = StoredBudget(gates, settings.gate_budget_calls_per_day, settings.gate_budget_cost_per_day)
        paid = AtOnce(Budgeted(adjudicator, budget, wired.clock), settings.gate_rulings_at_once)
        opened.append(Remembering(paid, StoredRulings(gates, wired.anew)))
    return Chain(opened) if len(opened) > 1 else next(iter(opened), None)


def _opener(options: AdjudicatorOptions) -> OpenAdjudicator:
    """Return the opener of an adjudicator: built in, a plug-in, or a model PROVIDER:NAME."""
    family, colon, which = options.name.partition(":")
    built_in = ADJUDICATORS.get(family)
    taken = ADJUDICATORS.keys() | PROVIDERS
    added = {} if family in taken else plugins.find(GROUP, taken)
    is_known = built_in is not None or family in added
    if (is_known and colon and not which) or (built_in is not None and colon and family != LOCAL):
        raise SettingsError(options.key, options.name, _ALLOWED)
    if built_in is not None:
        return built_in
    if family in added:
        opener: OpenAdjudicator = plugins.load(added[family], plugins.not_callable)
        return opener
    if not colon:
        raise SettingsError(options.key, options.name, _ALLOWED)
    return _model


def _local(options: AdjudicatorOptions) -> Adjudicator:
    from saidonce.adjudication.local_judge import SHIPPED, LocalJudge  # noqa: PLC0415  only where it rules

    return LocalJudge(options.embedder(), options.which or SHIPPED)


def _rater(options: AdjudicatorOptions) -> AutoRater:
    from saidonce.adjudication import AutoRater, RaterOptions  # noqa: PLC0415  brings the HTTP client

    settings = options.settings
    if not settings.gate_auto_rater_url:
        raise SettingsError("gate_auto_rater_url", "", "the base URL of the auto-rater that is named to rule")
    rater = RaterOptions(
        settings.gate_llm_timeout_ms,
        settings.gate_llm_poll_interval_ms,
        lenient=settings.gate_lenient,
        requires_echo=settings.gate_requires_echo,
        price=_price_of_a_review(options),
        least_confidence=settings.gate_least_confidence,
        window_ms=settings.gate_retraction_window_ms,
        notes=options.notes,
    )
    return AutoRater(settings.gate_auto_rater_url, secrets.token_bytes(16), rater, key=settings.gate_auto_rater_key)


def _model(options: AdjudicatorOptions) -> Adjudicator:
    from saidonce.adapters.llm import open_chat  # noqa: PLC0415  imported only when a model is configured
    from saidonce.foundation.http import address_of, base_url  # noqa: PLC0415  likewise

    model = _model_settings(options)
    chat = open_chat(model.name, model.timeout_s, model.url, model.key, model.setting)
    judge = JudgeOptions(
        timeout_s=model.timeout_s,
        price=_price(options),
        least_confidence=options.settings.gate_least_confidence,
        address=address_of(base_url(f"{model.setting}_url", model.url)) if model.url else "",
    )
    return ModelJudge(chat, secrets.token_bytes(16), judge, clock=time.monotonic)


ADJUDICATORS: Mapping[str, OpenAdjudicator] = MappingProxyType({AUTO_RATER: _rater, LOCAL: _local, MODEL: _model})
"""What is built in, by name; any other PROVIDER:NAME is a model."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The model of an adjudicator and how it is reached; `setting` is where its name stands."""

    name: str
    url: str
    key: str
    timeout_s: float
    setting: str


def _model_settings(options: AdjudicatorOptions) -> ModelSettings:
    """Return the gate's or the gray zone's own model settings; those of `ask` where it has none, with a warning.

    Raises:
        SettingsError: `model` is named, and there is none.
    """
    s, room = options.settings, options.key.removesuffix("_adjudicator")
    own, url, key = (getattr(s, f"{room}_{name}") for name in ("model", "model_url", "model_key"))
    timeout_ms = s.gate_llm_timeout_ms
    if room == "gray_zone" and s.gray_zone_timeout_ms is not None:
        timeout_ms = s.gray_zone_timeout_ms
    is_named = options.name != MODEL
    name = options.name if is_named else own
    if not (own or url or key):
        borrowed = {"answer_url": s.answer_url, "answer_key": s.answer_key}
        if not is_named:
            borrowed["answer_model"] = name = s.answer_model
        url, key = s.answer_url, s.answer_key
        if used := sorted(setting for setting, value in borrowed.items() if value):
            instead = ", ".join(f"{room}_{setting.replace('answer_model', 'model').replace('answer_', 'model_')}"
                                for setting in used)  # fmt: skip
            _log.warning(
                "settings.deprecated %s uses %s, which is for `ask`; set %s", options.key, ", ".join(used), instead
            )
    if not name:
        raise SettingsError(
            f"{room}_model", "", f"PROVIDER:NAME, such as openai:gpt-5-mini: {options.key} names {MODEL}"
        )
    return ModelSettings(name, url, key, timeout_ms / 1_000, options.key if is_named else f"{room}_model")


def _price(options: AdjudicatorOptions) -> Price | None:
    own = judge_prices(options.settings.gate_prices).get(options.name)
    if own is not None:
        return Price(own.per_million_input, own.per_million_output)
    read, written = options.settings.gate_price_per_million_input, options.settings.gate_price_per_million_output
    return None if read is None and written is None else Price(read or 0.0, written or 0.0)


def _price_of_a_review(options: AdjudicatorOptions) -> float:
    own = judge_prices(options.settings.gate_prices).get(options.name, JudgePrice()).per_ruling
    return own if own is not None else options.settings.gate_price_per_review or 0.0


def _with_price(adjudicator: Adjudicator, options: AdjudicatorOptions) -> Adjudicator:
    """Return an adjudicator with its price of a ruling, if it has one; an auto-rater counts what it accepts itself."""
    own = judge_prices(options.settings.gate_prices).get(options.name)
    if own is None or own.per_ruling is None or options.name == AUTO_RATER:
        return adjudicator
    return Priced(adjudicator, own.per_ruling)
