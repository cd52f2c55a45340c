"""A hit links to its picture and its second; pages show the box, play the part and list near copies."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from in_process import InProcess, in_process
from saidonce.documents.parse import recognisers
from saidonce.foundation import extras
from saidonce.foundation.context import Source
from saidonce.foundation.model import Original
from saidonce.foundation.ports.recognition import Recognised
from saidonce.kb.ingest import ingest
from world import World, world

Serve = Callable[..., InProcess]


class Reader:
    """A scripted recogniser of pictures and of sound."""

    name = "scripted 1"

    def recognise(self, content: bytes, mime: str, language: str = "") -> Sequence[Recognised]:
        if mime == recognisers.PCM:
            return [Recognised("The garden group meets <b>here</b>.", 62.0, 65.5, 0.9)]
        return [Recognised("The gate is shut at 22:00.", confidence=0.97, box=(0.1, 0.2, 0.5, 0.25))]


@pytest.fixture(autouse=True)
def _scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (recognisers, extras):
        monkeypatch.setattr(module, "find_spec", lambda _name: object())
    monkeypatch.setattr(recognisers, "picture_reader", Reader)
    monkeypatch.setattr(recognisers, "_loaded", {})
    monkeypatch.setattr(recognisers, "speech_reader", lambda _folder, _languages: Reader())


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Serve:
    return lambda w: in_process(w, tmp_path, monkeypatch)


def photo(width: int = 400, quality: int = 90) -> bytes:
    picture = Image.new("RGB", (400, 300), "white")
    for at in range(6):
        ImageDraw.Draw(picture).rectangle((20 + at * 50, 30 + at * 37, 90 + at * 40, 60 + at * 35), fill="navy")
    out = io.BytesIO()
    picture.resize((width, width * 3 // 4)).save(out, "JPEG", quality=quality)
    return out.getvalue()


def recording() -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes((np.sin(np.arange(48_000) / 6) * 9000).astype("<i2").tobytes())
    return out.getvalue()


def put(w: World, name: str, content: bytes) -> str:
    (report,) = ingest(w.base, [Source(name, lambda: content)], "main").documents
    assert report.reason is None, report.detail
    return next(b.id for b in w.blocks() if b.document == name)


def original(w: World, name: str, part: int) -> Original | None:
    document = w.base.store.document("main", name)
    assert document is not None
    return w.base.store.originals.get(document.fingerprint, part)


def test_a_page_shows_the_picture_with_its_box_and_its_near_copies(serve: Serve) -> None:
    w = world()
    id_ = put(w, "gate.jpg", photo())
    put(w, "gate-small.jpg", photo(200, 40))
    app = serve(w)
    page = app.client.get(f"/blocks/{id_}").text
    assert f'src="/evidence/{id_}/picture"' in page
    assert '<rect x="0.1" y="0.2" width="0.4"' in page
    assert "confidence 0.97" in page
    assert "gate-small.jpg" in page.partition("Looks or sounds like 1 more")[2].partition("</ul>")[0]
    shown = app.client.get(f"/evidence/{id_}/picture")
    kept = original(w, "gate.jpg", 1)
    assert kept is not None
    assert (shown.headers["content-type"], shown.content) == ("image/jpeg", kept.content)
    assert shown.headers["content-security-policy"] == "default-src 'none'; sandbox"
    source = app.client.get(f"/evidence/{id_}/original")
    assert (source.content, source.headers["content-type"]) == (photo(), "application/octet-stream")
    assert source.headers["content-disposition"].startswith("attachment")
    assert f'href="/blocks/{id_}#evidence">See picture 1' in app.client.get("/search?q=gate+shut").text


def test_an_answer_shows_the_picture_and_plays_the_second_that_it_cites(serve: Serve) -> None:
    w = world()
    seen, heard = put(w, "gate.jpg", photo()), put(w, "meeting.wav", recording())
    put(w, "plain.txt", b"Bicycles are kept in the cellar.")
    app = serve(w)
    picture = app.client.get("/ask?q=gate+shut").text
    assert f'<a class="seen" href="/evidence/{seen}/picture">' in picture
    assert '<rect x="0.1" y="0.2" width="0.4"' in picture
    sound = app.client.get("/ask?q=garden+group").text
    assert f'<audio controls preload="metadata" src="/evidence/{heard}/original#t=62,65.5">' in sound
    text = app.client.get("/ask?q=where+are+bicycles+kept").text
    assert "Bicycles are kept in the cellar." in text
    assert "<figure" not in text


def test_a_recording_is_played_from_its_second_and_sent_in_parts(serve: Serve) -> None:
    w = world()
    id_ = put(w, "meeting.wav", recording())
    app = serve(w)
    page = app.client.get(f"/blocks/{id_}").text
    assert f'<audio controls preload="metadata" src="/evidence/{id_}/original#t=62,65.5">' in page
    assert "<b>here</b>" not in page
    assert "at 1:02" in app.client.get("/search?q=garden+group").text
    path, size = f"/evidence/{id_}/original", len(recording())
    part = app.client.get(path, headers={"Range": "bytes=100-199"})
    assert (part.status_code, part.content) == (206, recording()[100:200])
    assert part.headers["content-range"] == f"bytes 100-199/{size}"
    assert app.client.get(path, headers={"Range": "bytes=-10"}).content == recording()[-10:]
    assert app.client.get(path, headers={"Range": f"bytes={size}-"}).status_code == 416
    assert app.client.get(path, headers={"Range": "lines=1-2"}).content == recording()
    assert app.client.get(f"/evidence/{id_}/picture").status_code == 404


def test_a_sentence_inside_a_recording_is_played_from_its_own_second(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [("Good <b>evening</b>.", 3.0), ("The lift is repaired on Monday.", 62.25), ("Any questions?", 70.5)]
    heard = [Recognised(words, at, at + 4, 0.9) for words, at in lines]
    monkeypatch.setattr(Reader, "recognise", lambda *_: heard)
    w = world(segment_style="paragraph")
    id_ = put(w, "meeting.wav", recording())
    app = serve(w)
    found = app.client.get("/search?q=lift+repaired").text
    assert f'href="/blocks/{id_}?at=62.25#evidence">Play at 1:02</a>' in found
    page = app.client.get(f"/blocks/{id_}?at=62.25").text
    assert f'<audio controls preload="metadata" src="/evidence/{id_}/original#t=62.25,74.5">' in page
    played = page.partition('<li aria-current="true">')[2].partition("</li>")[0]
    assert f'href="/blocks/{id_}?at=62.25#evidence"' in played
    assert played.endswith("The lift is repaired on Monday.")
    assert "Good &lt;b&gt;evening&lt;/b&gt;." in page
    assert f'src="/evidence/{id_}/original#t=62.25,74.5"' in app.client.get("/ask?q=lift+repaired").text
    assert f'src="/evidence/{id_}/original#t=3,74.5"' in app.client.get(f"/blocks/{id_}").text


def test_what_is_not_kept_is_said_and_still_found(serve: Serve) -> None:
    w = world(originals_mb=0)
    id_ = put(w, "gate.jpg", photo())
    app = serve(w)
    assert "the original is not kept" in app.client.get(f"/blocks/{id_}").text
    assert app.client.get(f"/evidence/{id_}/picture").status_code == 404
    kept = original(w, "gate.jpg", 1)
    assert kept is not None
    assert (kept.content, kept.mark != "") == (b"", True)


def test_typed_text_has_no_evidence_to_see(serve: Serve) -> None:
    w = world()
    w.put("a.md", "The bins are emptied on Mondays.")
    (block,) = w.blocks()
    app = serve(w)
    assert 'class="evidence"' not in app.client.get(f"/blocks/{block.id}").text
    assert app.client.get(f"/evidence/{block.id}/original").status_code == 404
    assert app.client.get("/evidence/nothing/original").status_code == 404
    assert original(w, "a.md", 0) is None
