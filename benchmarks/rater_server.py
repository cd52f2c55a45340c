"""An auto-rater over HTTP that answers with a delay and counts paid reviews: `python -m benchmarks.judging`."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Decides = Callable[[dict[str, Any]], str]
"""Whether a candidate is distinct or a duplicate of its first match, from the payload of a submission."""


@dataclass
class _Review:
    ready_at: float
    result: dict[str, Any]


@dataclass
class Rater:
    """Accepts a review, and has its result after `seconds`; sent twice with one idempotency key, it is paid once.

    Attributes:
        paid: submissions by their texts.
        n_inside, most_inside: unfinished reviews, now and at most.
    """

    seconds: float
    decides: Decides
    paid: Counter[str] = field(default_factory=Counter)
    reviews: dict[str, _Review] = field(default_factory=dict)
    by_key: dict[str, str] = field(default_factory=dict)
    most_inside: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        rater = self

        class Requests(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.reply(rater.submitted(body, self.headers.get("Idempotency-Key", "")))

            def do_GET(self) -> None:
                self.reply(rater.polled(self.path.rpartition("/")[2]))

            def reply(self, answer: dict[str, Any] | None) -> None:
                written = json.dumps(answer or {}).encode()
                self.send_response(200 if answer is not None else 404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(written)))
                self.end_headers()
                self.wfile.write(written)

            def log_message(self, *_: Any) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Requests)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def submitted(self, body: dict[str, Any], key: str) -> dict[str, Any]:
        prompt = body["custom_evaluation_prompt"]
        question, nonce = (re.findall(rf"^{name}: (\S+)$", prompt, re.M)[0] for name in ("question", "nonce"))
        payload = body["payload"]
        opinion = self.decides(payload)
        result = {
            "question": question, "nonce": nonce, "opinion": opinion,
            "of": payload["matches"][0]["id"] if opinion == "duplicate" else "",
            "reason": "another subdomain" if opinion == "distinct" else "the same", "confidence": 0.9,
        }  # fmt: skip
        with self.lock:
            if key in self.by_key:
                return {"id": self.by_key[key], "status": "pending"}
            id_ = f"r-{len(self.reviews) + 1}"
            self.by_key[key] = id_
            self.paid[payload["candidate"]["text"]] += 1
            now = time.monotonic()
            self.reviews[id_] = _Review(now + self.seconds, result)
            inside = sum(review.ready_at > now for review in self.reviews.values())
            self.most_inside = max(self.most_inside, inside)
        return {"id": id_, "status": "pending"}

    def polled(self, id_: str) -> dict[str, Any] | None:
        with self.lock:
            review = self.reviews.get(id_)
        if review is None:
            return None
        if time.monotonic() < review.ready_at:
            return {"id": id_, "status": "running"}
        return {"id": id_, "status": "done", "result": {"classification": json.dumps(review.result)}}
