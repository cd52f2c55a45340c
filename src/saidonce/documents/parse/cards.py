"""Parse calendars (iCalendar) and address cards (vCard): one record for each entry, its lines unfolded."""

from __future__ import annotations

import re
from quopri import decodestring

from saidonce.documents.parse.dates import from_any
from saidonce.documents.parse.decode import decode
from saidonce.documents.parse.draft import DocumentDraft, one_line, text_draft
from saidonce.documents.parse.source import NamedBytes
from saidonce.errors import Refusal

_ENTRY = re.compile(r"(BEGIN|END):(VEVENT|VTODO|VJOURNAL|VCARD)\s*", re.I)
_LINE = re.compile(r"(?:[\w-]+\.)?([\w-]+)((?:;[^:\"]*(?:\"[^\"]*\"[^:\"]*)*)?):(.*)", re.S)
_ALARM = re.compile(r"(BEGIN|END):VALARM\s*", re.I)
_PERSON = re.compile(r";CN=(?:\"([^\"]*)\"|([^;:]*))", re.I)
_FOLD = re.compile(r"\r?\n[ \t]")
_SOFT = re.compile(r"=\r?\n")
_ESCAPED = re.compile(r"\\([\\;,nN])")
_MOMENT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})\d{2}(Z?))?")
_LABELS = {
    "SUMMARY": "summary", "DTSTART": "start", "DTEND": "end", "DUE": "due", "LOCATION": "place",
    "DESCRIPTION": "description", "ORGANIZER": "organiser", "ATTENDEE": "attendee", "STATUS": "status",
    "CATEGORIES": "categories", "COMMENT": "comment", "CONTACT": "contact", "RRULE": "repeats", "FN": "name",
    "ORG": "organisation", "TITLE": "title", "ROLE": "role", "TEL": "telephone", "EMAIL": "e-mail", "ADR": "address",
    "BDAY": "birthday", "NOTE": "note", "URL": "page", "NICKNAME": "nickname",
}  # fmt: skip
"""Properties that say something to a reader, with the label of each. Source: RFC 5545, 3.8; RFC 6350, 6."""


def read(source: NamedBytes) -> DocumentDraft:
    """Read a calendar or address cards; technical fields, such as ids and alarms, are left out."""
    text, draft = text_draft(source)
    entry: list[str] | None = None
    is_alarm = False
    for line in _FOLD.sub("", _join_soft_breaks(text)).splitlines():
        if edge := _ENTRY.fullmatch(line):
            if entry:
                draft.record(entry)
            entry = [] if edge.group(1).upper() == "BEGIN" else None
            is_alarm = False
        elif edge := _ALARM.fullmatch(line):
            is_alarm = edge.group(1).upper() == "BEGIN"
        elif entry is not None and not is_alarm and (shown := _shown(line, draft)):
            entry.append(shown)
    if entry:
        draft.record(entry)
        draft.warn("its last entry has no end")
    if not draft.elements:
        raise source.refuse(Refusal.NO_TEXT, "it holds no event, task or card")
    return draft


def _join_soft_breaks(text: str) -> str:
    """Join lines that older programs broke with quoted-printable soft line breaks."""
    return _SOFT.sub("", text) if "QUOTED-PRINTABLE" in text.upper() else text


def _shown(line: str, draft: DocumentDraft) -> str:
    match = _LINE.fullmatch(line)
    label = _LABELS.get(match.group(1).upper(), "") if match else ""
    if match is None or not label:
        return ""
    value, options = match.group(3), match.group(2).upper()
    if "QUOTED-PRINTABLE" in options:
        value = decode(decodestring(value.encode("utf-8", "replace"))).text
    value = _ESCAPED.sub(lambda m: " " if m.group(1) in "nN" else m.group(1), value)
    if label == "start" and draft.authored_at is None:
        draft.authored_at = from_any(_readable_time(value))
    value = _readable_time(value) if label in ("start", "end", "due") else value
    if label in ("address", "organisation"):
        value = ", ".join(filter(None, (one_line(part) for part in value.split(";"))))
    value = one_line(re.sub("^mailto:", "", value, flags=re.I))
    if label in ("organiser", "attendee") and (person := _PERSON.search(match.group(2))):
        name = one_line(person.group(1) or person.group(2) or "")
        value = f"{name} <{value}>" if name and name.casefold() != value.casefold() else value
    return f"{label}: {value}" if value.strip(" ;") else ""


def _readable_time(value: str) -> str:
    """Return a date or time in readable form; any other value unchanged."""
    match = _MOMENT.fullmatch(value.strip())
    if match is None:
        return value
    year, month, day, hour, minute, zulu = match.groups()
    return f"{year}-{month}-{day}" + (f" {hour}:{minute}{' UTC' if zulu else ''}" if hour else "")
