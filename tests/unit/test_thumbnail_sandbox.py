"""Pictures are decoded apart: small ones come out, hostile ones are refused, and nothing of their notes goes along."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image

from pictures_made import GPS, ORIENTATION, encoded, jpeg, opened, photo_with_place, png_bomb
from saidonce.errors import FileRefusal, MediaError
from saidonce.foundation.settings.policy import Settings
from saidonce.repairs.media import ThumbnailSandbox

PICTURES = ThumbnailSandbox(Settings())


@pytest.mark.parametrize(
    ("mode", "form"),
    [("RGB", "JPEG"), ("L", "JPEG"), ("CMYK", "JPEG"), ("RGB", "PNG"), ("RGBA", "PNG"), ("P", "PNG"), ("I;16", "PNG"),
     ("1", "PNG"), ("LA", "PNG"), ("P", "GIF"), ("RGB", "WEBP"), ("RGBA", "WEBP")],
)  # fmt: skip
def test_every_kind_of_picture_gives_a_small_jpeg(mode: str, form: str) -> None:
    made = PICTURES.thumbnail(encoded(Image.new(mode, (900, 300)), form))
    assert (made.mime, made.width, made.height) == ("image/jpeg", 900, 300)
    small = opened(made.content)
    assert (small.format, small.mode) == ("JPEG", "RGB")
    assert abs(small.size[0] - 512) <= 1
    assert abs(small.size[1] - 171) <= 1


def test_the_same_picture_gives_the_same_bytes() -> None:
    assert PICTURES.thumbnail(jpeg(1_000, 900)) == PICTURES.thumbnail(jpeg(1_000, 900))


def test_a_small_picture_is_not_made_larger() -> None:
    assert opened(PICTURES.thumbnail(jpeg(64, 48)).content).size == (64, 48)


def test_place_and_notes_stay_behind_and_the_picture_stands_upright() -> None:
    content = photo_with_place(80, 40)
    notes = opened(content).getexif()
    assert notes[ORIENTATION] == 6
    assert notes.get_ifd(GPS), "the picture does say where it was taken"
    small = PICTURES.thumbnail(content).content
    assert opened(small).size == (40, 80)
    assert len(opened(small).getexif()) == 0
    assert not any(word in small for word in (b"Exif", b"secret", b"remark"))


def test_what_is_transparent_lies_on_white() -> None:
    small = opened(PICTURES.thumbnail(encoded(Image.new("RGBA", (8, 8), (0, 0, 0, 0)), "PNG")).content)
    assert small.getpixel((4, 4)) == (255, 255, 255)


def test_broken_notes_do_not_cost_the_picture() -> None:
    content = jpeg(exif=b"Exif\0\0MM\0*\0\0\0\x08\xff\xff" + b"\xff" * 40)
    assert opened(PICTURES.thumbnail(content).content).size == (64, 48)


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xd8\xff", b"<svg xmlns='http://www.w3.org/2000/svg'/>", jpeg()[:-200] + b"\0" * 10,
     jpeg(640, 480)[:900],
     b"\x89PNG\r\n\x1a\n" + b"\0" * 100, b"GIF89a" + b"\xff" * 50, b"RIFF\x10\0\0\0WEBPVP8 " + b"\0" * 20,
     encoded(Image.new("RGB", (20, 20)), "TIFF"), encoded(Image.new("RGB", (20, 20)), "BMP")],
)  # fmt: skip
def test_what_cannot_be_decoded_is_refused(content: bytes) -> None:
    with pytest.raises(MediaError) as refused:
        PICTURES.thumbnail(content)
    assert (refused.value.reason, refused.value.is_final) == (FileRefusal.BROKEN, True)


@pytest.mark.parametrize("make", [lambda: png_bomb(12_000, 12_000), lambda: jpeg(9_000, 9_000)])
def test_a_picture_of_too_many_pixels_is_refused_before_it_is_unpacked(make: Callable[[], bytes]) -> None:
    content = make()
    assert len(content) < 2_000_000
    with pytest.raises(MediaError) as refused:
        PICTURES.thumbnail(content)
    assert (refused.value.reason, refused.value.is_final) == (FileRefusal.TOO_LARGE, True)


def test_memory_and_time_are_bounded() -> None:
    bomb = png_bomb(9_000, 9_000)
    settings = Settings(media_image_pixels=1_000_000_000, media_picture_memory_mb=128)
    with pytest.raises(MediaError) as refused:
        ThumbnailSandbox(settings).thumbnail(bomb)
    assert refused.value.reason is FileRefusal.BROKEN
    hurried = Settings(media_image_pixels=1_000_000_000, media_picture_s=0.01)
    with pytest.raises(MediaError, match="too long"):
        ThumbnailSandbox(hurried).thumbnail(bomb)


def test_the_child_gets_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}

    def spied(*args: Any, **named: Any) -> Any:
        given.update(named)
        raise OSError

    monkeypatch.setenv("SAIDONCE_WHATSAPP_TOKEN", "EAAG")
    monkeypatch.setattr("saidonce.repairs.media.thumbnail_sandbox.subprocess.run", spied)
    with pytest.raises(MediaError) as failed:
        PICTURES.thumbnail(jpeg())
    assert not failed.value.is_final
    assert "SAIDONCE_WHATSAPP_TOKEN" not in given["env"]
