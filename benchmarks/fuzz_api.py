"""Every route of the OpenAPI description under generated requests, in this process, alone and in sequences."""

from __future__ import annotations

import json
import secrets
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import SkipTest
from unittest.mock import patch

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode

from benchmarks.fuzz_targets import MOST_S
from benchmarks.proof import Proof
from saidonce.adapters.clock import SystemClock
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.app.knowledge_base import KnowledgeBase
from saidonce.foundation.model import Role, Scope
from saidonce.foundation.settings.policy import load_settings
from saidonce.interfaces.http import create_app
from saidonce.platform import access
from saidonce.testing import MemoryStore

QUIET = list(HealthCheck)
STEPS = 8
"""Requests of one sequence."""

PATIENCE_S = 120.0
"""Until an answer that never comes is given up; how long one may take is limited in time of the processor."""


@dataclass
class RequestCounts:
    """Requests so far, and their outcomes."""

    proof: Proof
    longest_s: float = 0.0

    def note(self, case: Any, answer: Any, took_s: float) -> None:
        """Count an answer, and record it if it must never occur."""
        self.proof.happened["an input was taken in"] += 1
        self.proof.happened[f"answered {answer.status_code // 100}xx"] += 1
        self.longest_s = max(self.longest_s, took_s)
        route = f"{case.method} {case.path}"
        # 503 is what a base without a model, a channel or a judge answers; it names what is missing.
        ours = answer.status_code == 503 and "application/json" in answer.headers.get("content-type", [""])[0]
        if answer.status_code >= 500 and not ours:
            request = json.dumps({"query": str(case.query), "body": str(case.body)})[:400]
            self.proof.check(False, f"{route} answered {answer.status_code}: {answer.text[:200]} to {request}")
        self.proof.check(took_s <= MOST_S, f"{route} took {took_s:.1f} s of CPU time")


@contextmanager
def served() -> Iterator[tuple[Any, dict[str, str]]]:
    """Yield the description of an application over a small base, and the headers of its owner."""
    with tempfile.TemporaryDirectory(prefix="so-") as folder:
        store = MemoryStore("fuzz")
        with (
            patch("saidonce.app.knowledge_base.open_store", lambda *_, **__: store),
            patch("saidonce.app.knowledge_base.open_embedder", lambda *_: HashedEmbedder(64)),
            KnowledgeBase(load_settings(org="fuzz", data_dir=Path(folder), collection_use="canonical")) as base,
        ):
            now = SystemClock().now()
            access.add_person(store, "ana", "", Role.OWNER, now)
            _, key = access.make_key(store, "ana", "", list(Scope), now, secrets.token_bytes)
            app = create_app(base, local=False)
            schema = schemathesis.openapi.from_asgi("/openapi.json", app, timeout=PATIENCE_S)
            yield schema, {"Authorization": f"Bearer {key}"}


def fuzz_api(n: int, first: int) -> Proof:
    """Send n requests or more: half of them one by one, at least two to every route, and half in sequences."""
    proof = Proof.of(
        "fuzz: api",
        "an input was taken in",
        "a route was asked",
        "a sequence was followed",
        "answered 2xx",
        "answered 4xx",
    )
    counts = RequestCounts(proof)
    with served() as (schema, headers):
        _alone(schema, headers, n // 2, first, counts)
        _in_sequences(schema, headers, n - n // 2, first, counts)
    proof.counts["longest, ms"] = round(1000 * counts.longest_s)
    return proof


def _alone(schema: Any, headers: dict[str, str], n: int, first: int, counts: RequestCounts) -> None:
    operations = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    each = max(1, round(n / len(operations) / len(GenerationMode)))
    for operation in operations:
        counts.proof.happened["a route was asked"] += 1
        for mode in GenerationMode:  # what the description allows, and what it does not
            _one_route(operation.as_strategy(mode), headers, each, first, counts)


def _one_route(strategy: Any, headers: dict[str, str], n: int, first: int, counts: RequestCounts) -> None:
    quiet = settings(
        max_examples=n, deadline=None, suppress_health_check=QUIET, database=None, phases=[Phase.generate]
    )  # fmt: skip

    @seed(first)
    @quiet
    @given(case=strategy)
    def run(case: Any) -> None:
        begun = time.process_time()
        answer = case.call(headers=headers, timeout=PATIENCE_S)
        counts.note(case, answer, time.process_time() - begun)

    try:
        run()
    except (Unsatisfiable, SkipTest):
        fits = "routes that every request fits"
        counts.proof.counts[fits] = counts.proof.counts.get(fits, 0) + 1


def _in_sequences(schema: Any, headers: dict[str, str], n: int, first: int, counts: RequestCounts) -> None:
    machine: Any = schema.as_state_machine()

    class Machine(machine):  # type: ignore[misc]
        """A state machine that follows links in answers."""

        def get_call_kwargs(self, _case: Any) -> dict[str, Any]:
            self.begun = time.process_time()
            return {"headers": headers, "timeout": PATIENCE_S}

        def validate_response(self, response: Any, case: Any, **_: Any) -> None:
            counts.note(case, response, time.process_time() - self.begun)

    quiet = settings(
        max_examples=5, stateful_step_count=STEPS, deadline=None, suppress_health_check=QUIET, database=None,
        phases=[Phase.generate],
    )  # fmt: skip
    enough = counts.proof.happened["an input was taken in"] + n
    for number in range(n):
        if counts.proof.happened["an input was taken in"] >= enough:
            break
        before = counts.proof.happened["an input was taken in"]
        seed(first + number)(Machine.TestCase).settings = quiet
        Machine.run(settings=quiet)
        counts.proof.happened["a sequence was followed"] += counts.proof.happened["an input was taken in"] > before
