"""Intake of a file, from its channel into the media store.

queued with its message -> fetched -> type compared with the claim -> decoded (pictures) -> stored -> received as a
message of its own; or given up, with a reply to the resident
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from saidonce.errors import FileRefusal, MediaError, ModelUnavailableError, NotFoundError
from saidonce.foundation.model.residents import Media, Via, WaitingMedia
from saidonce.foundation.ports.intake import MediaFetcher, Pictures, Thumbnail
from saidonce.foundation.ports.media import MediaFiles
from saidonce.foundation.ports.recognition import Recogniser, mean_confidence
from saidonce.foundation.settings.channels import ChannelSettings
from saidonce.repairs.conversation.deps import ConversationDeps
from saidonce.repairs.conversation.filetype import CONVERTED, DECODED, accepted_type, family
from saidonce.repairs.conversation.turn import media_refused, media_stored

MAX_TRIES = 6
FIRST_WAIT_S = 5.0
"""Wait after the first failure, quadrupled after each further one: half an hour in all."""

MEGABYTE = 1_000_000
MOST_TRANSCRIPT = 20_000
"""Characters of a transcript that are kept."""

SURE_FROM = 0.45
"""A voice message heard less surely than this is unclear. Source: synthetic voices, docs/how-to/images-and-sound.md."""


@dataclass(frozen=True, slots=True)
class Intake:
    """Ports and limits for fetching an organisation's files.

    Attributes:
        deps: of the organisation that received the files.
        files: the media store.
        fetchers: by channel.
        most: largest file in bytes, by family: image, video, audio, document.
        lease_s: longer than fetching and decoding of one file may take.
        keeps_original: keep pictures as they came, too.
        recogniser: hears voice messages; None leaves them to people.
    """

    deps: ConversationDeps
    files: MediaFiles
    fetchers: Mapping[Via, MediaFetcher]
    pictures: Pictures
    most: Mapping[str, int]
    lease_s: float
    keeps_original: bool = False
    recogniser: Recogniser | None = None


def intake_of(
    deps: ConversationDeps,
    files: MediaFiles,
    fetchers: Mapping[Via, MediaFetcher],
    pictures: Pictures,
    settings: ChannelSettings,
) -> Intake:
    """Return the intake configured by settings."""
    most = {
        "image": settings.media_image_mb * MEGABYTE,
        "video": settings.media_video_mb * MEGABYTE,
        "audio": settings.media_audio_mb * MEGABYTE,
        "document": settings.media_document_mb * MEGABYTE,
    }
    lease_s = settings.media_timeout_s + max(settings.media_picture_s, 2 * settings.media_voice_s) + 30.0
    return Intake(deps, files, fetchers, pictures, most, lease_s, settings.media_keep_original)


def take_file(intake: Intake, but_not_of: Collection[str] = ()) -> WaitingMedia | None:
    """Lease the file that has been due longest, of no conversation that another one is being fetched of."""
    now = intake.deps.clock.now()
    until = now + timedelta(seconds=intake.lease_s)
    taken = intake.deps.store.take_media(now, until, 1, tuple(but_not_of))
    return taken[0] if taken else None


def fetch_media(intake: Intake, limit: int = 20) -> int:
    """Fetch waiting files, one after another; return the number of settled ones: stored, or given up and reported.

    A transient failure is retried, six times in half an hour. Despite crashes in between, a file is settled once,
    since the resulting message has a name of its own.
    """
    n_settled = 0
    for _ in range(limit):
        taken = take_file(intake)
        if taken is None:
            break
        n_settled += settle_file(intake, taken)
    return n_settled


def settle_file(intake: Intake, waiting: WaitingMedia) -> bool:
    """Fetch a leased file; return whether it is settled, and not put off."""
    deps = intake.deps
    try:
        stored = _fetch_and_store(intake, waiting)
    except MediaError as bad:
        if not bad.is_final and waiting.n_tries < MAX_TRIES:
            wait_s = FIRST_WAIT_S * 4.0 ** (waiting.n_tries - 1)
            deps.store.put_off_media(waiting, deps.clock.now() + timedelta(seconds=wait_s))
            return False
        if _is_erased(deps, waiting):
            return True
        media_refused(deps, waiting.inbound, waiting.media)
    else:
        if _is_erased(deps, waiting):
            intake.files.drop(stored.hashes - deps.store.files_in_use())
            return True
        media_stored(deps, waiting.inbound, stored)
    deps.store.end_media(waiting)
    return True


def _is_erased(deps: ConversationDeps, waiting: WaitingMedia) -> bool:
    """Return whether the message of a file went while it was fetched: the file must not bring it back."""
    of = waiting.inbound
    return all(i.seq != of.seq for i in deps.store.inbounds(of.conversation_id, of.seq))


def _fetch_and_store(intake: Intake, waiting: WaitingMedia) -> Media:
    claimed = waiting.media
    fetcher = intake.fetchers.get(waiting.inbound.sender.via)
    if fetcher is None:
        raise MediaError(FileRefusal.UNREACHABLE, "this channel is not set up", is_final=False)
    content = fetcher.fetch(waiting, intake.most[family(claimed.mime)])
    sha256 = hashlib.sha256(content).hexdigest()
    if claimed.sha256 and not hmac.compare_digest(sha256, claimed.sha256):
        # What arrives may be cut off; another try may bring it whole.
        raise MediaError(FileRefusal.WRONG_HASH, "its bytes differ from the announced hash", is_final=False)
    mime = accepted_type(claimed.mime, content)
    if mime is None:
        raise MediaError(FileRefusal.WRONG_TYPE, "its type differs from the announced one", is_final=True)
    if len(content) > intake.most[family(mime)]:
        raise MediaError(FileRefusal.TOO_LARGE, "it is too large for its type", is_final=True)
    kept = store_file(intake.files, intake.pictures, Media(claimed.id, mime), content, intake.keeps_original)
    return _heard(intake, waiting, kept, content) if family(mime) == "audio" else kept


def _heard(intake: Intake, waiting: WaitingMedia, kept: Media, content: bytes) -> Media:
    """Return a voice message with what is said in it; as it was without a recogniser, or if it fails."""
    if intake.recogniser is None:
        return kept
    try:
        of = intake.deps.store.conversation(waiting.inbound.conversation_id)
        parts = intake.recogniser.recognise(content, kept.mime, of.language if of.seen else "")
    except (ModelUnavailableError, NotFoundError):  # Failed, or erased meanwhile.
        return kept  # The landlord is told of every voice message without a transcript.
    words = " ".join(part.text.strip() for part in parts if part.text.strip())[:MOST_TRANSCRIPT]
    return replace(kept, transcript=words, unclear=not words or mean_confidence(parts) < SURE_FROM)


def store_file(
    files: MediaFiles, pictures: Pictures, media: Media, content: bytes, keeps_original: bool = False
) -> Media:
    """Keep a file, a picture without its notes about place, time and camera and with a small one.

    Args:
        media: its id, and its type by its bytes.
        keeps_original: keep a picture as it came beside the one without notes.

    Raises:
        MediaError: a picture cannot be decoded, or has too many pixels.
    """
    if family(media.mime) != "image":
        apart = "notes_not_removed" if family(media.mime) == "video" else ""
        return replace(media, sha256=files.put(content, media.mime), stored=True, apart=apart)
    small = _decoded(pictures, media.mime, content)
    if small is None or not small.bare:
        why = "notes_not_removed" if small is not None else "not_decodable"
        thumbnail = files.put(small.content, small.mime) if small is not None else ""
        kept = files.put(content, media.mime)
        return replace(media, sha256=kept, stored=True, thumbnail=thumbnail, apart=why)
    mime = small.bare_mime or media.mime
    bare = files.put(small.bare, mime)
    original = files.put(content, media.mime) if keeps_original and small.bare != content else ""
    thumbnail = files.put(small.content, small.mime)
    return replace(media, mime=mime, sha256=bare, stored=True, thumbnail=thumbnail, original=original)


def _decoded(pictures: Pictures, mime: str, content: bytes) -> Thumbnail | None:
    """Return a decoded picture; None for one that can only be kept as it came.

    Raises:
        MediaError: it is broken; a picture that would have to be converted first is kept instead.
    """
    if mime in DECODED:
        return pictures.thumbnail(content)
    if mime not in CONVERTED:
        return None
    try:
        return pictures.thumbnail(content)
    except MediaError as bad:
        if not bad.is_final:
            raise
        return None
