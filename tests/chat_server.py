"""A chat endpoint that speaks OpenAI's protocol and answers as a test scripts it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[[dict[str, Any]], tuple[int, str]]
N_INPUT, N_OUTPUT = 100, 10
"""Tokens that it says it counted, for each request."""


class ChatServer(ThreadingHTTPServer):
    """Answers each request with a status and the model's words."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.reply: Reply = lambda _asked: (500, "")
        self.asked: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        status, content = self.server.reply(asked)
        message = {"role": "assistant", "content": content}
        body = {
            "id": "1", "object": "chat.completion", "created": 1, "model": "scripted",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {
                "prompt_tokens": N_INPUT, "completion_tokens": N_OUTPUT, "total_tokens": N_INPUT + N_OUTPUT,
            },
        }  # fmt: skip
        sent = json.dumps(body if status == 200 else {"error": {"message": "scripted failure"}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


@contextmanager
def chatting() -> Iterator[ChatServer]:
    """Run an endpoint."""
    server = ChatServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
