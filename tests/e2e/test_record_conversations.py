"""The recorder against a scripted endpoint: the real provider layer, the real deadline, a file that plays back."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from benchmarks import record_conversations

from saidonce.adapters.llm.cassette import read_cassette


class _Endpoint(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        wants_emergency = "emergency" in json.dumps(asked["response_format"])
        content = (
            '{"emergency": true}'
            if wants_emergency and "tool" not in json.dumps(asked["response_format"])
            else ('{"tool": "respond", "message": "I see."}')
        )
        message = {"role": "assistant", "content": content}
        body = {
            "id": "1", "object": "chat.completion", "created": 1, "model": "scripted",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }  # fmt: skip
        sent = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_model_is_recorded_once(endpoint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "recordings" / "scripted.json"
    args = ["openai:scripted", str(out), "--url", endpoint, "--sha256", "0" * 64]
    assert record_conversations.main(args) == 0
    first = capsys.readouterr()
    assert "tool accuracy" in first.out
    assert first.err.count(".") == len(read_cassette(out).replies) > 20
    assert record_conversations.main(args) == 0
    again = capsys.readouterr()
    assert again.out == first.out
    assert again.err == "", "what is recorded is not asked again"
