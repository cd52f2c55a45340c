"""Words in pictures, scans, recordings and subtitles: where they stand, how sure they are, and what is refused.

A scripted recogniser stands at the port; one test reads a real picture in the confined process.
"""

from __future__ import annotations

import io
import wave
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import docx
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen import canvas

from saidonce.documents.parse import Limits, Sandbox, parse, recognisers
from saidonce.documents.parse.wire import FrameError, decode_reply, encode_document
from saidonce.documents.segment import segment
from saidonce.errors import ModelUnavailableError, Refusal, SourceRefusedError
from saidonce.foundation import extras
from saidonce.foundation.model import Kind
from saidonce.foundation.ports.recognition import Recognised
from saidonce.foundation.settings.policy import SEGMENT_POLICIES, SegmentStyle

needs_images = pytest.mark.skipif(find_spec("rapidocr") is None, reason="needs the extra images")
needs_audio = pytest.mark.skipif(find_spec("av") is None, reason="needs the extra audio")

Lines = Sequence[Recognised]


class Scripted:
    """A recogniser that says what a test tells it to, by the size of the picture or the length of the sound."""

    name = "scripted 1"

    def __init__(self, answer: Callable[[bytes], Lines]) -> None:
        self.answer = answer
        self.n_asked = 0

    def recognise(self, content: bytes, mime: str, language: str = "") -> Lines:
        self.n_asked += 1
        return self.answer(content)


def line(text: str, left: float, top: float, right: float, bottom: float, sure: float = 0.99) -> Recognised:
    return Recognised(text, confidence=sure, box=(left, top, right, bottom))


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[bytes], Lines]], Scripted]:
    def use(answer: Callable[[bytes], Lines]) -> Scripted:
        scripted = Scripted(answer)
        for module in (recognisers, extras):
            monkeypatch.setattr(module, "find_spec", lambda _name: object())
        monkeypatch.setattr(recognisers, "_loaded", {})
        monkeypatch.setattr(recognisers, "picture_reader", lambda: scripted)
        monkeypatch.setattr(recognisers, "speech_reader", lambda _folder, _languages: scripted)
        return scripted

    return use


def png(width: int = 400, height: int = 200, format_: str = "PNG", **options: Any) -> bytes:
    picture = Image.new("RGB", (width, height), "white")
    ImageDraw.Draw(picture).rectangle((20, 20, width // 2, height // 3), fill="navy")
    out = io.BytesIO()
    picture.save(out, format_, **options)
    return out.getvalue()


def size_of(content: bytes) -> tuple[int, int]:
    with Image.open(io.BytesIO(content)) as picture:
        return picture.size


def sound(seconds: float, rate: int = 16_000) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        tone = np.sin(np.arange(int(seconds * rate)) / rate * 2 * np.pi * 440) * 8000
        file.writeframes(tone.astype("<i2").tobytes())
    return out.getvalue()


def refusal(name: str, content: bytes, limits: Limits | None = None) -> SourceRefusedError:
    with pytest.raises(SourceRefusedError) as refused:
        parse(name, content, limits)
    return refused.value


def test_lines_become_paragraphs_in_reading_order_column_by_column(script: Any) -> None:
    script(
        lambda _c: [
            line("right one", 0.55, 0.30, 0.9, 0.34), line("Notice", 0.1, 0.05, 0.9, 0.12),
            line("left one", 0.1, 0.30, 0.4, 0.34), line("left two", 0.1, 0.35, 0.4, 0.39),
            line("right two", 0.55, 0.35, 0.9, 0.39), line("Rent", 0.1, 0.7, 0.2, 0.74),
            line("400", 0.23, 0.7, 0.3, 0.74),
        ]
    )  # fmt: skip
    document = parse("notice.png", png())
    assert [e.text for e in document.elements] == ["Notice", "left one\nleft two", "right one\nright two", "Rent 400"]
    assert {e.kind for e in document.elements} == {Kind.IMAGE_TEXT}
    place = document.elements[1].place
    assert place is not None
    assert (place.box, place.picture, place.confidence, place.by) == ((0.1, 0.30, 0.4, 0.39), 1, 0.99, "scripted 1")
    assert document.pictures[0].content.startswith(b"\xff\xd8\xff")
    assert document.pictures[0].mark.startswith("picture:")


def test_unclear_words_are_left_out_and_said(script: Any) -> None:
    script(lambda _c: [line("clear", 0, 0, 0.5, 0.1), line("mud", 0, 0.5, 0.5, 0.6, sure=0.35)])
    document = parse("a.png", png())
    assert [e.text for e in document.elements] == ["clear"]
    assert "words with a low recognition confidence were left out" in document.warnings[0]


def test_a_picture_without_words_is_refused_and_not_an_empty_document(script: Any) -> None:
    script(lambda _c: [])
    refused = refusal("beach.jpg", png(format_="JPEG"))
    assert refused.reason is Refusal.NO_TEXT
    assert "no words are recognised" in refused.detail


def test_what_recognises_failing_is_a_reason(script: Any) -> None:
    def fail(_content: bytes) -> Lines:
        raise ModelUnavailableError("scripted 1", "broken")

    script(fail)
    assert refusal("a.png", png()).reason is Refusal.FAILED


@pytest.mark.parametrize(
    ("name", "content", "extra"),
    [("a.png", png(), "images"), ("a.wav", sound(0.1), "audio"), ("a.tiff", png(format_="TIFF"), "images")],
)
def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, extra: str) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _name: None)
    refused = refusal(name, content)
    assert refused.reason is Refusal.UNSUPPORTED
    assert f"pip install 'saidonce[{extra}]'" in refused.detail


def test_recognition_can_be_switched_off(script: Any) -> None:
    scripted = script(lambda _c: [])
    assert "setting recognise" in refusal("a.png", png(), Limits(may_recognise=False)).detail
    assert scripted.n_asked == 0


def test_too_many_pixels_and_too_many_pages_are_refused_before_they_are_read(script: Any) -> None:
    scripted = script(lambda _c: [line("x", 0, 0, 1, 1)])
    huge = refusal("a.png", png(1200, 1000), Limits(max_megapixels=1))
    assert (huge.reason, "1200 x 1000" in huge.detail) == (Refusal.TOO_LARGE, True)
    assert scripted.n_asked == 0
    pages = [Image.new("RGB", (80, 80), colour) for colour in ("red", "green", "blue")]
    out = io.BytesIO()
    pages[0].save(out, "TIFF", save_all=True, append_images=pages[1:])
    assert "more than 2 pages" in refusal("a.tif", out.getvalue(), Limits(max_pictures=2)).detail
    read = parse("a.tif", out.getvalue())
    assert [(e.page, e.place and e.place.picture) for e in read.elements] == [(1, 1), (2, 2), (3, 3)]
    photo = parse("a.tif", png(format_="TIFF"))
    assert [(e.page, e.place and e.place.picture) for e in photo.elements] == [(None, 1)], "a photo has no pages"


def test_pages_without_text_are_read_and_others_keep_theirs(script: Any) -> None:
    scripted = script(lambda _c: [line("Signed by the tenant", 0.1, 0.1, 0.6, 0.2)])
    out = io.BytesIO()
    sheet = canvas.Canvas(out)
    sheet.drawString(72, 700, "This page has a text of its own, which is read as it stands.")
    sheet.showPage()
    sheet.drawImage(ImageReader(io.BytesIO(png())), 72, 400, 300, 150)
    sheet.showPage()
    sheet.showPage()
    sheet.save()
    document = parse("contract.pdf", out.getvalue())
    assert [(e.kind, e.page) for e in document.elements] == [(Kind.PARAGRAPH, 1), (Kind.IMAGE_TEXT, 2)]
    assert scripted.n_asked == 1, "a blank page is not sent to the recogniser"
    assert document.warnings == ("pages without text, perhaps scanned: 3",)


def test_pictures_in_a_document_stand_under_a_heading_of_their_own(script: Any) -> None:
    script(lambda content: [line(f"words of {size_of(content)[0]}", 0, 0, 1, 0.2)])
    written = docx.Document()
    written.add_paragraph("Before the picture.")
    rng = np.random.default_rng(1)
    for width in (120, 200):
        noisy = Image.fromarray(rng.integers(0, 255, (90, width, 3), np.uint8))
        out = io.BytesIO()
        noisy.save(out, "PNG")
        written.add_picture(io.BytesIO(out.getvalue()))
    out = io.BytesIO()
    written.save(out)
    document = parse("a.docx", out.getvalue())
    assert [e.text for e in document.elements[-3:]] == ["Words in pictures", "words of 120", "words of 200"]
    assert [e.place.picture for e in document.elements if e.place] == [1, 2]


def test_a_picture_upside_down_is_turned(script: Any) -> None:
    def read(content: bytes) -> Lines:
        with Image.open(io.BytesIO(content)) as picture:
            upright = int(np.asarray(picture.convert("L"))[30, 30]) < 128  # the rectangle is at the top left
        return [line("Keep this side up" if upright else "dn ap!s s!yt", 0, 0, 1, 0.2, sure=0.98 if upright else 0.6)]

    script(read)
    with Image.open(io.BytesIO(png())) as picture:
        out = io.BytesIO()
        picture.transpose(Image.Transpose.ROTATE_180).save(out, "PNG")
    assert [e.text for e in parse("a.png", out.getvalue()).elements] == ["Keep this side up"]


@needs_audio
def test_what_is_said_has_its_seconds(script: Any) -> None:
    script(lambda _c: [Recognised("Good morning.", 0.5, 1.5, 0.7), Recognised("The lift is broken.", 2.0, 3.5, 0.9)])
    document = parse("call.wav", sound(4.0))
    assert [(e.kind, e.text) for e in document.elements] == [
        (Kind.TRANSCRIPT, "Good morning."), (Kind.TRANSCRIPT, "The lift is broken."),
    ]  # fmt: skip
    (whole,) = segment(document, "d", SEGMENT_POLICIES[SegmentStyle.PARAGRAPH], lambda texts: [3] * len(texts))
    assert whole.place is not None
    assert (whole.place.start_s, whole.place.end_s, whole.place.confidence) == (0.5, 3.5, 0.7)
    assert document.mark.startswith("sound:")


@needs_audio
def test_a_recording_that_is_too_long_or_damaged_is_refused(script: Any) -> None:
    script(lambda _c: [])
    assert "recognise_max_minutes" in refusal("a.wav", sound(1.0), Limits(max_sound_minutes=0)).detail
    assert refusal("a.mp3", b"ID3" + b"\0\1\2" * 3000).reason is Refusal.CORRUPT
    silent = refusal("a.wav", sound(1.0))
    assert (silent.reason, silent.detail) == (Refusal.NO_TEXT, "no words are recognised in it")


@needs_audio
def test_each_scene_of_a_video_is_read_once_beside_what_is_said(script: Any) -> None:
    import av

    out = io.BytesIO()
    with av.open(out, "w", format="mp4") as container:
        stream = container.add_stream("mpeg4", rate=4)
        stream.width, stream.height, stream.pix_fmt = 160, 96, "yuv420p"
        for shade in [0] * 8 + [200] * 8:
            frame = av.VideoFrame.from_ndarray(np.full((96, 160, 3), shade, np.uint8), format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())

    def read(content: bytes) -> Lines:
        with Image.open(io.BytesIO(content)) as picture:
            bright = int(np.asarray(picture.convert("L"))[50, 50]) > 100
        return [line("second slide" if bright else "first slide", 0, 0, 1, 0.2)]

    scripted = script(read)
    document = parse("screen.mp4", out.getvalue())
    frames = [(e.text, e.place.start_s, e.place.picture) for e in document.elements if e.kind is Kind.FRAME and e.place]
    assert frames == [("first slide", 0.0, 1), ("second slide", 2.0, 2)]
    assert scripted.n_asked == 2


def test_subtitles_keep_seconds_and_speakers() -> None:
    vtt = (
        "WEBVTT\n\nNOTE not said\n\n1\n00:01.000 --> 00:03.500 align:start\n<v Ann Lee>Where is <b>the</b> key?\n\n"
        "01:00:04.000 --> 01:00:06.000\nUnder the mat &amp; the pot.\n"
    )
    document = parse("talk.vtt", vtt.encode())
    places = [(e.text, e.place and (e.place.start_s, e.place.end_s, e.place.speaker)) for e in document.elements]
    assert places == [
        ("Where is the key?", (1.0, 3.5, "Ann Lee")), ("Under the mat & the pot.", (3604.0, 3606.0, "")),
    ]  # fmt: skip
    assert all(e.place and not e.place.is_recognised for e in document.elements)
    srt = "1\r\n00:00:01,5 --> 00:00:02,000\r\n{\\an8}<i>Two</i>\r\nlines\r\n\r\nstray\r\n"
    read = parse("a.srt", srt.encode())
    assert [(e.text, e.place and e.place.start_s) for e in read.elements] == [("Two lines", 1.5)]
    assert "1 cues without a time" in read.warnings[0]
    assert refusal("a.srt", b"Just some words.\n").reason is Refusal.NO_TEXT


def test_speakers_are_not_joined() -> None:
    cues = "\n\n".join(f"00:0{n}.000 --> 00:0{n}.900\n<v {who}>word {n}" for n, who in enumerate("AABB", 1))
    document = parse("a.vtt", f"WEBVTT\n\n{cues}\n".encode())
    parts = segment(document, "d", SEGMENT_POLICIES[SegmentStyle.PARAGRAPH], lambda texts: [3] * len(texts))
    assert [(p.text, p.place and p.place.speaker) for p in parts] == [("word 1\nword 2", "A"), ("word 3\nword 4", "B")]


def test_places_and_pictures_pass_the_wire_and_forged_ones_do_not(script: Any) -> None:
    script(lambda _c: [line("Notice", 0.1, 0.05, 0.9, 0.12)])
    document = parse("a.png", png())
    reply = encode_document(document, retire=False)
    read, _ = decode_reply("a.png", reply)
    assert read == document
    for old, new in (
        (b"[0.1,0.05,0.9,0.12]", b"[0.1,0.05,0.9]"), (b"[0.1,0.05,0.9,0.12]", b"[0.9,0.05,0.1,0.12]"),
        (b"0.99", b"1.5"), (b'"pictures":[[1,"/9j/', b'"pictures":[[1,"PHN2'), (b'"picture:', b'"<script:'),
    ):  # fmt: skip
        assert old in reply
        with pytest.raises(FrameError):
            decode_reply("a.png", reply.replace(old, new, 1))


def test_long_recordings_are_cut_where_it_is_quiet() -> None:
    rate = recognisers.RATE
    samples = np.full(1500 * rate, 1000, np.int16)
    quiet_at = 590 * rate
    samples[quiet_at : quiet_at + rate] = 0
    pieces = recognisers._pieces(samples)
    assert pieces[0][0] == 0
    assert quiet_at <= pieces[0][1] <= quiet_at + rate
    assert pieces[-1][1] == len(samples)
    assert all(a[1] == b[0] for a, b in pairwise(pieces))
    assert max(end - start for start, end in pieces) <= 600 * rate


def test_a_picture_of_another_kind_than_its_name_says_is_read_by_its_bytes(script: Any) -> None:
    script(lambda _c: [line("words", 0, 0, 1, 1)])
    assert parse("a.txt", png()).format == "image"
    assert refusal("a.png", b"just text, no picture").reason is Refusal.CORRUPT
    assert refusal("a.png", png()[:60]).reason is Refusal.CORRUPT


@needs_images
def test_a_real_picture_is_read_in_the_confined_process() -> None:
    picture = Image.new("RGB", (700, 120), "white")
    font = ImageFont.load_default(size=32)
    ImageDraw.Draw(picture).text((30, 40), "The boiler room is locked at night", fill="black", font=font)
    out = io.BytesIO()
    picture.save(out, "PNG")
    with Sandbox(n_workers=1) as sandbox:
        document = sandbox.parse("door.png", out.getvalue())
        own = {p.name: p for p in sandbox._recognising._protections} if sandbox._recognising else {}
    assert [e.text for e in document.elements] == ["The boiler room is locked at night"]
    assert own["network"].is_on == own["system calls"].is_on
    assert "3072" in own["memory"].why or not own["memory"].is_on


@needs_images
def test_a_document_whose_pictures_take_too_long_keeps_its_text() -> None:
    sheet = Image.new("RGB", (2480, 3508), "white")
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=30)
    for row in range(80):
        pen.text((60, 40 + row * 42), f"Row {row}: " + "the lift of house nine is tested on Monday, " * 3, 0, font)
    picture, whole = io.BytesIO(), io.BytesIO()
    sheet.save(picture, "PNG")
    written = docx.Document()
    written.add_paragraph("The plan of the house is on the second page.")
    written.add_picture(io.BytesIO(picture.getvalue()))
    written.save(whole)
    with Sandbox(Limits(recognise_timeout_s=0.001), n_workers=1) as sandbox:
        document = sandbox.parse("plan.docx", whole.getvalue())
        with pytest.raises(SourceRefusedError) as refused:
            sandbox.parse("plan.png", picture.getvalue())
        assert sandbox.parse("a.txt", b"The next file is read as ever.").warnings == ()
    assert [e.text for e in document.elements] == ["The plan of the house is on the second page."]
    (warning,) = document.warnings
    assert warning.startswith("1 picture was not read: recognising words took longer than 0.001 s")
    assert "recognise_timeout_s" in warning
    assert refused.value.reason is Refusal.TIMEOUT, "of a picture alone nothing would be left"


@pytest.mark.slow
@needs_audio
def test_the_model_of_the_extra_hears_words_and_checks_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(recognisers._files()) == {"config.json", "tokenizer.json", "vocabulary.txt", "model.bin"}
    reader = recognisers.SpeechReader()
    assert reader.recognise(np.zeros(3 * recognisers.RATE, "<i2").tobytes(), recognisers.PCM) == ()
    with pytest.raises(ModelUnavailableError):
        reader.recognise(b"", "audio/mpeg")
    parts = tuple((package, name, "0" * 64) for package, name, _ in recognisers._PARTS)
    monkeypatch.setattr(recognisers, "_PARTS", parts)
    with pytest.raises(ModelUnavailableError, match="is not the file"):
        recognisers._files()
