"""The database crashes and restarts during an ingest, under `serve`, and under two workers that share the work."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psycopg

from benchmarks.chaos_base import kill_server, name_of, opened, text_of, words
from benchmarks.free_ports import free_port
from benchmarks.proof import DIED, Proof
from saidonce import KnowledgeBase, Submission
from saidonce.adapters.postgres.embedded import EmbeddedServer
from saidonce.errors import StoreError
from saidonce.foundation.model import GateAct, GateState
from saidonce.foundation.settings.policy import load_settings

BACK = "the work went on afterwards"
PATIENCE_S = 180.0
JUDGED = {
    "SAIDONCE_GATE_LLM_ENABLED": "true",
    "SAIDONCE_GATE_ADJUDICATOR": "local",
    "SAIDONCE_METRICS_ENABLED": "false",
    "SAIDONCE_GATE_LLM_TIMEOUT_MS": "1000",
}


def environment(folder: Path, **settings: str) -> dict[str, str]:
    """Return the environment of a saidonce process."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("SAIDONCE_")}
    return {**kept, "SAIDONCE_DATA_DIR": str(folder), "NO_COLOR": "1", **settings}


@contextmanager
def program(env: dict[str, str], *words_: str) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """Run a saidonce process in the background; yield it and its output, and stop it in the end."""
    with tempfile.NamedTemporaryFile(prefix="so-", suffix=".log") as log:
        running = subprocess.Popen([sys.executable, "-m", "saidonce", *words_], env=env, stdout=log, stderr=log)
        try:
            yield running, Path(log.name)
        finally:
            running.terminate()
            try:
                running.wait(60)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()


def until(happens: Callable[[], bool], patience_s: float = PATIENCE_S) -> bool:
    """Wait until a condition holds; return whether it did."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        if happens():
            return True
        time.sleep(0.05)
    return False


def count(server: EmbeddedServer, query: str) -> int:
    """Query a number from the database; 0 while it does not answer."""
    try:
        with psycopg.connect(server.url, connect_timeout=5) as connection:
            row = connection.execute(query).fetchone()
            return int(row[0]) if row else 0
    except psycopg.Error:
        return 0


def restarts(folder: Path, tries: int) -> list[Proof]:
    """Kill the database a number of times under each."""
    return [
        under_ingest(folder / "ingest", tries),
        under_serve(folder / "serve", tries),
        under_workers(folder / "workers", max(1, tries // 3)),
    ]


def under_ingest(folder: Path, tries: int, n_documents: int = 150) -> Proof:
    """Kill the database while a folder is ingested, and ingest the folder again."""
    proof = Proof.of("restarts: the database dies under an ingest", DIED, "the ingest was told of", BACK)
    rng = random.Random(15)
    texts = folder / "texts"
    texts.mkdir(parents=True)
    for n in range(n_documents):
        (texts / name_of(n)).write_text(text_of(n), encoding="utf-8")
    server = EmbeddedServer(folder / "base")
    opened(folder / "base", "default").store.close()
    for number in range(tries):
        org = f"try-{number}"
        env = environment(folder / "base", SAIDONCE_ORG=org)
        there = f"select count(*) from saidonce.document where org_id = '{org}'"
        n_before_kill = rng.randrange(1, n_documents // 2)
        with program(env, "ingest", str(texts), "--use", "canonical", "-q") as (ingest, log):
            came = until(lambda: count(server, there) >= n_before_kill or ingest.poll() is not None)  # noqa: B023  called at once
            died = came and ingest.poll() is None and kill_server(folder / "base")
            code = ingest.wait(PATIENCE_S)
            output = log.read_text("utf-8", "replace")
        server.ensure()
        left = count(server, there)
        proof.happened[DIED] += died and left < n_documents
        proof.happened["the ingest was told of"] += bool(code) and "database" in output
        proof.check("Traceback" not in output, f"the ingest of {org} ended with a traceback: {output[-600:]}")
        proof.check(
            code != 0 or left == n_documents, f"the ingest of {org} said that all is well with {left} documents"
        )
        with program(env, "ingest", str(texts), "--use", "canonical", "-q") as (ingest, _):
            code = ingest.wait(PATIENCE_S)
        proof.check(code == 0 and count(server, there) == n_documents, f"{org} cannot be ingested again")
        proof.happened[BACK] += code == 0
    server.close()
    return proof


def under_serve(folder: Path, tries: int, each: int = 12) -> Proof:
    """Kill the database under the server repeatedly while documents are uploaded."""
    acked_after = "a write was acknowledged afterwards"
    proof = Proof.of("restarts: the database dies under serve", DIED, "a write was acknowledged", acked_after)
    folder.mkdir(parents=True)
    server = EmbeddedServer(folder / "base")
    opened(folder / "base", "default").store.close()
    rng, done, statuses = random.Random(16), set[int](), Counter[int]()
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    env = environment(folder / "base")
    with (
        program(env, "serve", "--port", str(port)) as (serving, log),
        httpx.Client(base_url=url, timeout=120, headers={"Authorization": f"Bearer {key_of(env)}"}) as client,
    ):
        proof.check(until(lambda: healthy(client)), "the server does not start")
        for number in range(tries * each):
            if number % each == each // 2:
                time.sleep(rng.uniform(0, 0.05))
                proof.happened[DIED] += kill_server(folder / "base")
            status = upload(client, number)
            statuses[status] += 1
            if status == 201:
                done.add(number)
                proof.happened[acked_after] += number % each > each // 2
        proof.check(until(lambda: healthy(client)), "the server is not well after the database came back")
        proof.check(serving.poll() is None, f"the server ended: {log.read_text('utf-8', 'replace')[-600:]}")
    proof.happened["a write was acknowledged"] += len(done)
    proof.counts |= {f"answers {status}": n for status, n in sorted(statuses.items())}
    base = opened(folder / "base", "default")
    present = Counter(d.name for c in base.store.collections() for d in base.store.documents(c.name))
    lost = [n for n in done if not any(name_of(n) in name for name in present)]
    proof.check(not lost, f"acknowledged uploads are lost: {lost}")
    proof.check(max(present.values(), default=0) <= 1, "a document is there twice")
    proof.check(set(statuses) <= {201, 503}, f"answers that nobody expects: {dict(statuses)}")
    base.store.close()
    server.close()
    return proof


def key_of(env: dict[str, str]) -> str:
    """Add an owner, and return an API key of theirs."""
    for words_ in (("people", "add", "ana", "--role", "owner"), ("keys", "make", "ana", "--json")):
        done = subprocess.run(
            [sys.executable, "-m", "saidonce", *words_], env=env, capture_output=True, text=True, check=True
        )
    return str(json.loads(done.stdout)["key"])


def healthy(client: httpx.Client) -> bool:
    """Return whether the server reports that it is healthy."""
    try:
        return client.get("/healthz").status_code == 200
    except httpx.HTTPError:
        return False


def upload(client: httpx.Client, number: int) -> int:
    """Upload a document; return the status, 0 if there was no answer."""
    try:
        file = (name_of(number), text_of(number).encode())
        return client.post("/api/v1/documents", files={"file": file}).status_code
    except httpx.HTTPError:
        return 0


def under_workers(folder: Path, tries: int, n_submissions: int = 40) -> Proof:
    """Let two workers share pending submissions, and kill the database and then one of them meanwhile."""
    proof = Proof.of(
        "restarts: the database and a worker die under two workers", DIED, "a lease was taken", "a worker was killed",
        "a ruling was made",
    )  # fmt: skip
    folder.mkdir(parents=True)
    server = EmbeddedServer(folder / "base")
    for number in range(tries):
        org = f"try-{number}"
        ids = submitted(folder / "base", org, n_submissions)
        env = environment(folder / "base", SAIDONCE_ORG=org, **JUDGED)
        ruled = f"select count(*) from saidonce.gate_event where org_id = '{org}' and act = 'ruled'"
        leased = f"select count(*) from saidonce.gate_verdict where org_id = '{org}' and due_at > now()"
        with program(env, "worker") as (one, _), program(env, "worker") as (_, _):
            until(lambda: count(server, leased) > 0)  # noqa: B023  called at once
            proof.happened["a lease was taken"] += count(server, leased)
            died = kill_server(folder / "base")
            server.ensure()
            proof.happened[DIED] += died and count(server, ruled) < len(ids)
            proof.happened["a worker was killed"] += one.poll() is None
            one.kill()
            end_claims(server, org)
            proof.check(until(lambda: is_settled(server, org, ids)), f"{org}: not everything was ruled on")  # noqa: B023
        acts = rulings(folder / "base", org, ids)
        proof.happened["a ruling was made"] += sum(acts.values())
        twice = [id_ for id_ in ids if acts[id_] > 1]
        proof.check(not twice, f"{org}: {len(twice)} submissions were ruled on twice")
    server.close()
    return proof


def judged_base(folder: Path, org: str) -> KnowledgeBase:
    """Open a base whose gate asks the local judge."""
    named = {key.removeprefix("SAIDONCE_").lower(): value for key, value in JUDGED.items()}
    settings: dict[str, Any] = {"data_dir": folder, "org": org, **named}
    return KnowledgeBase(load_settings(**settings))


def submitted(folder: Path, org: str, n: int) -> Sequence[str]:
    """Submit texts near kept ones, so that all of them wait for a ruling; return the ids of the verdicts."""
    with judged_base(folder, org) as base:
        gate = base.gate("tasks")
        waiting = []
        for number in range(n):
            text = f"Count the {words(9_000_000 + number, 9)} in the stock room and note what is missing on the sheet."
            gate.check(Submission(text))
            waiting.append(Submission(text.replace("and note", ", and note") + " Thank you.", key=str(number)))
        return [v.id for v in gate.submit_many(waiting) if v.state is GateState.PENDING]


def end_claims(server: EmbeddedServer, org: str) -> None:
    """Expire the claims of both workers, so that another may take over."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(
            "update saidonce.gate_verdict set due_at = now() where org_id = %s and state = 'pending'", (org,)
        )


def is_settled(server: EmbeddedServer, org: str, ids: Sequence[str]) -> bool:
    """Return whether no submission is waiting for a ruling."""
    try:
        with psycopg.connect(server.url) as connection:
            waiting = connection.execute(
                "select count(*) from saidonce.gate_verdict where org_id = %s and state = 'pending'", (org,)
            ).fetchone()
    except psycopg.Error:
        return False
    return bool(ids) and waiting == (0,)


def rulings(folder: Path, org: str, ids: Sequence[str]) -> Counter[str]:
    """Count how often each submission was ruled on."""
    try:
        with judged_base(folder, org) as base:
            events = [e for id_ in ids for e in base.store.gates.events("tasks", id_, limit=100)]
    except StoreError:
        return Counter()
    return Counter(e.verdict_id for e in events if e.act is GateAct.RULED)
