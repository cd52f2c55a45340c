"""Notes about place, time and camera are taken off pictures; what can be seen and how it is turned stay."""

from __future__ import annotations

import hashlib
import io
import struct
from importlib.util import find_spec

import pytest
from PIL import Image, PngImagePlugin

from pictures_made import GPS, ORIENTATION, encoded, jpeg, opened, photo_with_place
from saidonce.errors import UsageError
from saidonce.foundation.model.residents import Media
from saidonce.foundation.settings.policy import Settings
from saidonce.repairs.conversation.intake import store_file
from saidonce.repairs.media import ThumbnailSandbox
from saidonce.repairs.media.stripping import stripped
from saidonce.testing.memory_media import MemoryMedia

PICTURES = ThumbnailSandbox(Settings())
SECRETS = (b"top secret", b"a remark", b"my garden", b"51.5", b"GPSLatitude", b"Photoshop 3.0", b"behind the end")


def notes(orientation: int = 6) -> Image.Exif:
    made = Image.Exif()
    made[ORIENTATION] = orientation
    made[0x010E] = "at home, top secret"
    made[0x0132] = "2026:03:02 12:00:00"
    made.get_ifd(GPS)[1] = "N"
    made.get_ifd(GPS)[2] = (51.0, 30.0, 26.0)
    return made


XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><exif:GPSLatitude>51.5</exif:GPSLatitude> my garden</x:xmpmeta>'


def gradient(mode: str = "RGB") -> Image.Image:
    made = Image.linear_gradient("L").resize((80, 40)).convert("RGB")
    return made.convert(mode)


def with_app13(content: bytes) -> bytes:
    body = b"Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\x09my garden"
    return content[:2] + b"\xff\xed" + struct.pack(">H", len(body) + 2) + body + content[2:]


def png(mode: str = "RGB", **options: object) -> bytes:
    info = PngImagePlugin.PngInfo()
    info.add_text("Comment", "a remark, top secret")
    info.add_itxt("XML:com.adobe.xmp", XMP.decode())
    return encoded(gradient(mode), "PNG", pnginfo=info, exif=notes().tobytes(), **options)


PHOTOS = {
    "jpeg": photo_with_place(80, 40),
    "jpeg with everything": with_app13(
        encoded(gradient(), "JPEG", exif=notes().tobytes(), xmp=XMP, comment=b"a remark")
    ),
    "progressive jpeg": encoded(gradient(), "JPEG", exif=notes().tobytes(), progressive=True, quality=95),
    "jpeg with something behind it": photo_with_place(80, 40) + b"behind the end" + photo_with_place(),
    "grey jpeg": encoded(gradient("L"), "JPEG", exif=notes().tobytes()),
    "cmyk jpeg": encoded(gradient("CMYK"), "JPEG", exif=notes().tobytes()),
    "png": png(),
    "png with a palette": png("P"),
    "webp": encoded(gradient(), "WEBP", exif=notes().tobytes(), xmp=XMP),
    "lossless webp": encoded(gradient("RGBA"), "WEBP", exif=notes().tobytes(), xmp=XMP, lossless=True),
}


@pytest.mark.parametrize("name", PHOTOS)
def test_nothing_but_what_can_be_seen_stays(name: str) -> None:
    content = PHOTOS[name]
    assert opened(content).getexif().get_ifd(GPS), "it does say where it was taken"
    bare = PICTURES.thumbnail(content).bare
    assert bare
    assert not any(secret in bare for secret in SECRETS)
    before, after = opened(content), opened(bare)
    assert (after.format, after.mode, after.size) == (before.format, before.mode, before.size)
    assert after.tobytes() == before.tobytes(), "not a pixel is another"
    assert dict(after.getexif()) == {ORIENTATION: 6}, "and it stands upright as before"
    assert not after.getexif().get_ifd(GPS)


@pytest.mark.parametrize("orientation", [1, 0, 9])
def test_a_picture_that_is_not_turned_has_no_notes_at_all(orientation: int) -> None:
    content = encoded(gradient(), "JPEG", exif=notes(orientation).tobytes())
    assert dict(opened(PICTURES.thumbnail(content).bare).getexif()) == {}


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF"])
def test_a_picture_without_notes_stays_as_it_is(form: str) -> None:
    content = encoded(gradient(), form)
    bare = PICTURES.thumbnail(content).bare
    assert opened(bare).tobytes() == opened(content).tobytes()
    assert PICTURES.thumbnail(bare).bare == bare


def test_colours_stay_those_of_their_profile() -> None:
    profile = b"\0" * 200
    bare = PICTURES.thumbnail(encoded(gradient(), "JPEG", icc_profile=profile, exif=notes().tobytes())).bare
    assert opened(bare).info["icc_profile"] == profile


def test_remarks_of_a_gif_go() -> None:
    content = encoded(gradient("P"), "GIF", comment=b"a remark, top secret")
    bare = PICTURES.thumbnail(content).bare
    assert bare
    assert b"top secret" not in bare
    assert opened(bare).convert("RGB").tobytes() == opened(content).convert("RGB").tobytes()


@pytest.mark.parametrize("cut", [3, 20, 200, -2])
@pytest.mark.parametrize("name", ["jpeg", "png", "webp"])
def test_what_is_cut_off_is_refused(name: str, cut: int) -> None:
    with pytest.raises((ValueError, struct.error, IndexError)):
        stripped(PHOTOS[name][:cut], 1)


def test_a_heic_photo_that_cannot_be_decoded_is_kept_apart_and_said_so() -> None:
    files = MemoryMedia()
    heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + b"Exif top secret"
    kept = store_file(files, PICTURES, Media("m1", "image/heic"), heic)
    assert (kept.stored, kept.apart, kept.thumbnail) == (True, "not_decodable", "")
    assert files.get(kept.sha256) == (heic, "image/heic")


def test_the_original_is_kept_only_where_that_is_set() -> None:
    for keeps in (False, True):
        files = MemoryMedia()
        kept = store_file(files, PICTURES, Media("m1", "image/jpeg"), PHOTOS["jpeg"], keeps)
        original = files.get(kept.original)
        assert (original == (PHOTOS["jpeg"], "image/jpeg")) == keeps
        assert len(list(files.rows())) == (3 if keeps else 2)
        assert kept.hashes == {row.sha256 for row in files.rows()}, "what is erased with it is all of it"


def test_the_web_chat_takes_them_off_too() -> None:
    from repairs_site import office

    with office() as site:
        kept = site.repairs.keep_photo(PHOTOS["jpeg"])
        file = site.repairs.media().get(kept.sha256)
        assert kept.id == kept.sha256
        assert file is not None
        assert not opened(file[0]).getexif().get_ifd(GPS)
        with pytest.raises(UsageError):
            site.repairs.keep_photo(b"no picture")


def test_a_second_picture_in_the_file_goes() -> None:
    made = io.BytesIO()
    gradient().save(made, "MPO", save_all=True, append_images=[Image.new("RGB", (80, 40), "red")])
    bare = PICTURES.thumbnail(made.getvalue()).bare
    assert bare
    assert len(bare) < len(made.getvalue())
    assert opened(bare).format == "JPEG"
    assert jpeg() != bare


@pytest.mark.skipif(find_spec("pillow_heif") is None, reason="needs the extra images")
@pytest.mark.parametrize("turned", [1, 6])
def test_a_heic_photo_is_shown_as_a_jpeg_without_its_notes(turned: int) -> None:
    files = MemoryMedia()
    heic = heic_photo(turned)
    assert b"top secret" in heic
    kept = store_file(files, PICTURES, Media("m1", "image/heic"), heic)
    assert (kept.mime, kept.apart, kept.original) == ("image/jpeg", "", "")
    stored, small = files.get(kept.sha256), files.get(kept.thumbnail)
    assert stored is not None
    assert small is not None
    shown = opened(stored[0])
    assert (shown.format, stored[1]) == ("JPEG", "image/jpeg")
    assert shown.size == ((300, 200) if turned == 1 else (200, 300)), "upright"
    assert len(shown.getexif()) == 0
    assert b"top secret" not in stored[0] + small[0]
    assert not any(b"ftyp" in row.content for row in files.rows()), "nothing of the file as it came is kept"


@pytest.mark.skipif(find_spec("pillow_heif") is None, reason="needs the extra images")
def test_the_heic_original_is_kept_only_where_that_is_set() -> None:
    files = MemoryMedia()
    heic = heic_photo(1)
    kept = store_file(files, PICTURES, Media("m1", "image/heic"), heic, keeps_original=True)
    assert files.get(kept.original) is not None
    assert kept.original == hashlib.sha256(heic).hexdigest()


def test_a_film_is_kept_as_it_came_and_said_so() -> None:
    kept = store_file(MemoryMedia(), PICTURES, Media("m1", "video/mp4"), b"\0\0\0\x18ftypisom" + b"\0" * 20)
    assert (kept.stored, kept.is_photo, kept.apart) == (True, True, "notes_not_removed")


def heic_photo(turned: int) -> bytes:
    """Return a picture as an iPhone sends it, with notes about its place and camera."""
    import pillow_heif

    notes = Image.Exif()
    notes[0x010F] = "top secret camera"
    notes[0x0112] = turned
    notes.get_ifd(0x8825)[1] = "N"
    heif = pillow_heif.from_pillow(Image.radial_gradient("L").resize((300, 200)).convert("RGB"))
    out = io.BytesIO()
    heif.save(out, quality=90, exif=notes.tobytes())
    return out.getvalue()
