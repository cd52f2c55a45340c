"""Settings of adjudicators that depend on each other: prices and budgets, times and polls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from saidonce.errors import SettingsError

if TYPE_CHECKING:
    from saidonce.foundation.settings.policy import Settings


@dataclass(frozen=True, slots=True)
class JudgePrice:
    """The price of one judge, in US dollars: of a ruling, or of a million tokens read and written."""

    per_ruling: float | None = None
    per_million_input: float = 0.0
    per_million_output: float = 0.0


def judge_prices(written: str) -> dict[str, JudgePrice]:
    """Read the setting `gate_prices`, by the names of judges.

    Raises:
        SettingsError: a part is no NAME=PRICE or NAME=INPUT/OUTPUT, a price is below 0, or a judge has two.
    """
    prices: dict[str, JudgePrice] = {}
    for part in (p.strip() for p in written.split(",") if p.strip()):
        name, equals, price = (side.strip() for side in part.partition("="))
        try:
            amounts = [float(amount) for amount in price.split("/")]
        except ValueError:
            amounts = []
        is_price = len(amounts) in {1, 2} and all(0 <= amount < float("inf") for amount in amounts)
        if not (name and equals and is_price) or name in prices:
            allowed = "NAME=PRICE or NAME=INPUT/OUTPUT, each judge once, such as auto-rater=0.02,openai:gpt-5=1.25/10"
            raise SettingsError("gate_prices", part, allowed)
        prices[name] = JudgePrice(amounts[0]) if len(amounts) == 1 else JudgePrice(None, *amounts)
    return prices


def check_polls(settings: Settings) -> None:
    """Check that the auto-rater is polled before its time limit is over.

    Raises:
        SettingsError: the interval does not fit into the timeout.
    """
    names = f"{settings.gate_adjudicator},{settings.gray_zone_adjudicator}".split(",")
    interval, timeout = settings.gate_llm_poll_interval_ms, settings.gate_llm_timeout_ms
    if "auto-rater" in {name.strip() for name in names} and interval >= timeout:
        allowed = f"less than gate_llm_timeout_ms, which is {timeout}"
        raise SettingsError("gate_llm_poll_interval_ms", interval, allowed)
    window = settings.gate_retraction_window_ms
    if window >= timeout:
        allowed = f"less than gate_llm_timeout_ms, which is {timeout}, as a ruling includes the window"
        raise SettingsError("gate_retraction_window_ms", window, allowed)


def check_prices(settings: Settings) -> None:
    """Check that a cost budget has prices: without them it would never be used up.

    Raises:
        SettingsError: it is set, and a price of who rules is not.
    """
    known = judge_prices(settings.gate_prices)
    if not settings.gate_budget_cost_per_day:
        return
    second = "" if settings.gray_zone == "people" else settings.gray_zone_adjudicator
    names = {name.strip() for name in f"{settings.gate_adjudicator},{second}".split(",") if name.strip()}
    paid = {name for name in names if name != "local" and not name.startswith("local:")} - known.keys()
    if not paid and known.keys() & names:
        return
    needed = ["gate_price_per_review"] if "auto-rater" in paid else []
    if paid - {"auto-rater"} or not paid:
        needed += ["gate_price_per_million_input", "gate_price_per_million_output"]
    for name in needed:
        if getattr(settings, name) is None:
            raise SettingsError(name, None, "a price in US dollars, which gate_budget_cost_per_day needs")
