"""Room: thresholds proven by labelled pairs, their certificate, and the audit of automatic merges.

Everything here is exact for finite samples and needs no distribution of the scores, only that the
labelled pairs were drawn like those to come. Sources: Clopper and Pearson 1934 (bound on a share);
Angelopoulos et al., arXiv 2110.01052 (Learn then Test, fixed sequence); Waudby-Smith and Ramdas,
arXiv 2010.09686 (betting; the audit's evidence stays valid however often it is looked at).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import Any

from saidonce.errors import UsageError
from saidonce.foundation import text

FRACTIONS = (0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32)
"""The audit's stakes, as shares of the largest allowed one, 1 / alpha. Small ones detect small excesses."""

GRID_SCALE = 10_000
"""Thresholds are whole multiples of 1 / this, so that they can be typed exactly."""

MOST_THRESHOLDS = 10


def binomial_cdf(k: int, n: int, p: float) -> float:
    """Return the probability of at most k of n, each with probability p."""
    if k < 0:
        return 0.0
    return 1.0 if k >= n else _cdf(_log_choices(k, n), n, p)


def _log_choices(k: int, n: int) -> list[float]:
    """Return the logarithms of n over i, for i up to k."""
    whole = math.lgamma(n + 1)
    return [whole - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in range(k + 1)]


def _cdf(log_choices: Sequence[float], n: int, p: float) -> float:
    if p <= 0.0:
        return 1.0
    if p >= 1.0:
        return 0.0
    yes, no = math.log(p), math.log1p(-p)
    terms = (math.exp(log + i * yes + (n - i) * no) for i, log in enumerate(log_choices))
    return min(1.0, math.fsum(terms))


def upper_bound(k: int, n: int, delta: float) -> float:
    """Return the largest share that k of n still allow with confidence 1 - delta, one-sided (Clopper-Pearson).

    1 without any count, or if all were wrong.
    """
    _probability("delta", delta)
    if not 0 <= k <= n:
        raise UsageError(f"{k!r} of {n!r} is not a valid count")
    if k == n:
        return 1.0
    if k == 0:
        return -math.expm1(math.log(delta) / n)
    log_choices = _log_choices(k, n)
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        if _cdf(log_choices, n, middle) > delta:
            low = middle
        else:
            high = middle
    return high


def labels_needed(alpha: float, delta: float, k: int = 0) -> int:
    """Return the fewest labelled merges that certify a share of at most alpha if k of them are wrong."""
    _probability("alpha", alpha)
    _probability("delta", delta)
    low = max(k, math.ceil(math.log(delta) / math.log1p(-alpha)) - 2)
    high = low + 1
    while binomial_cdf(k, high, alpha) > delta:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if binomial_cdf(k, middle, alpha) > delta else (low, middle)
    return high


@dataclass(frozen=True, slots=True)
class ThresholdStep:
    """A threshold with the number of labelled pairs merged by its rule, and of those that must stay apart."""

    threshold: float
    n: int
    k: int


def fixed_sequence(steps: Sequence[ThresholdStep], alpha: float, delta: float) -> ThresholdStep | None:
    """Return the loosest threshold with a certified share of wrong merges of at most alpha; None without one.

    Walks from strict to loose and stops at the first step that could be worse than alpha by chance,
    so that all certified steps together are wrong with a probability of at most delta.

    Args:
        steps: strictest first; chosen without the labels.
        alpha: bound on the share of wrong merges.
        delta: probability with which the bound may be broken.
    """
    _probability("alpha", alpha)
    _probability("delta", delta)
    if any(a.threshold <= b.threshold for a, b in pairwise(steps)):
        raise UsageError("thresholds of a fixed sequence must decrease from step to step")
    last: ThresholdStep | None = None
    for step in steps:
        if binomial_cdf(step.k, step.n, alpha) > delta:
            break
        last = step
    return last


def grid(similarities: Sequence[float], most: int = MOST_THRESHOLDS, at_least: int = 1) -> tuple[float, ...]:
    """Return thresholds to try, strictest first: each admits about the same number of further similarities.

    Args:
        similarities: of pairs, without their labels.
        most: most thresholds; fewer if rounding makes some equal.
        at_least: similarities admitted by the strictest threshold; with fewer, no threshold is returned.
    """
    ordered = sorted(similarities, reverse=True)
    if not 1 <= at_least <= len(ordered) or most < 1:
        return ()
    spread = len(ordered) - at_least
    places = [at_least - 1 + (spread * step) // max(1, most - 1) for step in range(most)]
    return tuple(dict.fromkeys(_down(ordered[place]) for place in places))


def clear_line(duplicate_scores: Sequence[float], alpha: float, delta: float) -> float | None:
    """Return the highest line with at most a share alpha of duplicates below it, with confidence 1 - delta.

    None with too few scores.
    """
    _probability("alpha", alpha)
    _probability("delta", delta)
    ordered = sorted(duplicate_scores)
    n = len(ordered)
    if binomial_cdf(0, n, alpha) > delta:
        return None
    low, high = 1, n + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if binomial_cdf(middle - 1, n, alpha) <= delta else (low, middle)
    return ordered[low - 1]


def _down(similarity: float) -> float:
    """Round down, so that a threshold still admits the similarity it was made from."""
    nearest = round(similarity * GRID_SCALE)
    return nearest / GRID_SCALE if nearest / GRID_SCALE <= similarity else (nearest - 1) / GRID_SCALE


def _probability(name: str, value: float) -> None:
    if not 0.0 < value < 1.0:
        raise UsageError(f"{name} is {value!r}; it must be a probability between 0 and 1")


@dataclass(frozen=True, slots=True)
class Audit:
    """Evidence of a random sample of merges so far; starts empty.

    Attributes:
        log_wealths: of one bet for each of `FRACTIONS` on more than a share alpha being wrong.
        peak: highest logarithm of the evidence so far; an alarm never ends by itself.
    """

    n: int = 0
    n_wrong: int = 0
    log_wealths: tuple[float, ...] = (0.0,) * len(FRACTIONS)
    peak: float = 0.0

    @property
    def evidence(self) -> float:
        """Strength of the evidence against the certificate now; 1 is none."""
        return math.exp(min(_log_mean(self.log_wealths), 700.0))

    def alarmed(self, delta: float) -> bool:
        """Return whether the evidence has ever reached 1 / delta; by chance, with probability delta at most."""
        return self.peak >= -math.log(delta)


def record_audit(audit: Audit, wrong: bool, alpha: float) -> Audit:
    """Return the audit with one more merge; `wrong` if a person would have kept the two apart."""
    _probability("alpha", alpha)
    gains = (math.log1p(share / alpha * (wrong - alpha)) for share in FRACTIONS)
    logs = tuple(wealth + gain for wealth, gain in zip(audit.log_wealths, gains, strict=True))
    return Audit(audit.n + 1, audit.n_wrong + wrong, logs, max(audit.peak, _log_mean(logs)))


def _log_mean(logs: Sequence[float]) -> float:
    top = max(logs)
    return top + math.log(math.fsum(math.exp(log - top) for log in logs) / len(logs))


@dataclass(frozen=True, slots=True)
class Certificate:
    """The proof that at most a share alpha of the merges of a rule is wrong; refuses inconsistent figures.

    Attributes:
        dataset: hash of the labelled pairs.
        model: fingerprint of the embedder.
        guards: name of the guards' behaviour, see `matching.guards.guards_name`.
        prompt: hash of the adjudicator's prompt; empty without one.
        n, k: labelled pairs that the rule merges, and those of them that must stay apart.
        alpha, delta: bound, and probability with which it may be broken.
        duplicate_from, clear_below: thresholds of the rule.
        upper: bound on the share of wrong merges that n and k prove.
        judge: name of the equivalence judge on whose word merges may rest; empty for merges by the guards alone.
    """

    dataset: str
    model: str
    guards: str
    prompt: str
    n: int
    k: int
    alpha: float
    delta: float
    duplicate_from: float
    clear_below: float
    upper: float
    judge: str = ""

    def __post_init__(self) -> None:
        if not self.dataset or not self.model or not self.guards:
            raise UsageError("a certificate must name its data set, model and guards")
        _probability("alpha of a certificate", self.alpha)
        if not 0.0 <= self.clear_below <= self.duplicate_from <= 1.0:
            raise UsageError("a certificate needs 0 <= clear_below <= duplicate_from <= 1")
        proven = upper_bound(self.k, self.n, self.delta)
        if not abs(proven - self.upper) <= 1e-9 or not self.upper <= self.alpha + 1e-9:
            raise UsageError(
                f"a certificate of {self.k} wrong of {self.n} proves a share of at most {proven:.6f}, "
                f"not {self.upper!r} within {self.alpha!r}"
            )

    @property
    def digest(self) -> str:
        """Name of the certificate, 32 hex digits; any other figure gives another one."""
        return text.digest(certificate_json(self))


def certificate_json(certificate: Certificate) -> str:
    """Write a certificate as JSON, always the same bytes for the same certificate; `judge` only if it names one."""
    values = {name: value for name, value in asdict(certificate).items() if name != "judge" or value}
    return json.dumps(values, indent=2, sort_keys=True) + "\n"


def read_certificate(written: str) -> Certificate:
    """Read the JSON of `certificate_json`.

    Raises:
        UsageError: the text is no JSON, a field is unknown, missing, duplicate or mistyped, or figures are
            inconsistent.
    """
    try:
        values = json.loads(written, object_pairs_hook=_without_duplicates)
    except json.JSONDecodeError as bad:
        raise UsageError(f"the certificate is not JSON: {bad}") from bad
    if not isinstance(values, dict):
        raise UsageError("a certificate must be a JSON object, {...}")
    values.setdefault("judge", "")
    types = {field.name: field.type for field in fields(Certificate)}
    if wrong := sorted(types.keys() ^ values.keys()):
        problems = ", ".join(f"{name} is {'unknown' if name in values else 'missing'}" for name in wrong)
        raise UsageError(f"the certificate is refused: {problems}")
    return Certificate(**{name: _to_type(name, values[name], str(types[name])) for name in types})


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise UsageError("the certificate is refused: a field occurs twice")
    return values


def _to_type(name: str, value: object, type_name: str) -> Any:
    allowed: dict[str, tuple[type, ...]] = {"str": (str,), "int": (int,), "float": (int, float)}
    if isinstance(value, bool) or not isinstance(value, allowed[type_name]):
        raise UsageError(f"the certificate is refused: {name} is {value!r}, not of type {type_name}")
    return float(value) if type_name == "float" and isinstance(value, int) else value


_OLD_FORM = re.compile("[0-9a-f]{32}")


def why_stale(certificate: Certificate, model: str, guards: str, prompt: str = "", judge: str = "") -> str:
    """Return the reason why a certificate does not hold for the running configuration; empty if it holds.

    One for merges by the guards alone holds beside any judge, on whose word nothing is merged then.
    """
    if certificate.model != model:
        return f"the certificate is for model {certificate.model!r}, and {model!r} is in use"
    if _OLD_FORM.fullmatch(certificate.guards):
        return "the certificate is from an older version, which named the guards by their source files; calibrate again"
    if certificate.guards != guards:
        return "the guards have changed since the certificate was made"
    if certificate.prompt != prompt:
        return "the adjudicator's prompt has changed since the certificate was made"
    if certificate.judge not in ("", judge):
        return f"the certificate is for the equivalence judge {certificate.judge!r}, and {judge or 'none'!r} is in use"
    return ""
