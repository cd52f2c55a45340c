"""Everything that is kept about one person, as one file to be handed out."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from saidonce.foundation.model.personal_data import DataAct, DataActKind
from saidonce.repairs.personal_data.deps import PersonalDataDeps
from saidonce.repairs.personal_data.people import Belongings, find_person

FORMAT = 1
_ENDINGS = {
    "image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp", "image/gif": ".gif", "image/heic": ".heic",
    "audio/ogg": ".ogg", "audio/mp4": ".m4a", "audio/mpeg": ".mp3", "video/mp4": ".mp4", "application/pdf": ".pdf",
}  # fmt: skip

SECTIONS: Mapping[str, Callable[[Belongings], Sequence[Any]]] = {
    "resident": lambda p: p.residents,
    "tenancy": lambda p: [h.tenancy for h in p.homes],
    "property": lambda p: list(dict.fromkeys(h.property for h in p.homes)),
    "conversation": lambda p: p.conversations,
    "inbound": lambda p: p.inbounds,
    "turn": lambda p: p.turns,
    "outbox": lambda p: p.outbox,
    "emergency": lambda p: p.events,
    "landlord_notice": lambda p: p.notices,
    "issue": lambda p: p.issues,
    "issue_move": lambda p: p.moves,
    "waiting_media": lambda p: [m for i in p.inbounds for m in i.media if not m.stored],
    "media": lambda p: p.media,
}
"""What an export holds, by the table that keeps it; the files themselves lie beside it."""


def hand_out(data_deps: PersonalDataDeps, who: str, by: str) -> tuple[bytes, DataAct]:
    """Return a ZIP with everything about a person, and its entry in the log.

    `data.json` holds a list for each table, `media/` each file under its SHA-256. The same state and the same moment
    give the same bytes.

    Raises:
        NotFoundError: nothing is kept about such a person.
        UsageError: several residents have the number.
    """
    store = data_deps.deps.store
    person, now = find_person(store, who), data_deps.deps.clock.now()
    contents = {name: data_deps.files.get(name) for m in person.media for name in m.hashes}
    packed = _packed(person, {name: kept for name, kept in contents.items() if kept is not None}, now)
    counts = tuple(sorted((name, len(section(person))) for name, section in SECTIONS.items()))
    act = DataAct(DataActKind.EXPORTED, now, by, data_deps.chance(12).hex(), counts)
    return packed, store.record_act(act)


def _packed(person: Belongings, contents: Mapping[str, tuple[bytes, str]], now: datetime) -> bytes:
    held = io.BytesIO()
    data = {"format": FORMAT, "made_at": now.isoformat()} | {
        name: [_plain(row) for row in section(person)] for name, section in SECTIONS.items()
    }
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "data.json", json.dumps(data, ensure_ascii=False, indent=1).encode(), now)
        for name, (content, mime) in sorted(contents.items()):
            _add(archive, f"media/{name}{_ENDINGS.get(mime, '.bin')}", content, now)
    return held.getvalue()


def _add(archive: zipfile.ZipFile, name: str, content: bytes, now: datetime) -> None:
    info = zipfile.ZipInfo(name, (max(1980, now.year), now.month, now.day, now.hour, now.minute, now.second))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    archive.writestr(info, content)


def _plain(row: Any) -> Any:
    return TypeAdapter(type(row)).dump_python(row, mode="json")
