"""Read the dates in the metadata of sources as aware UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_ISO = re.compile(
    r"\s*(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?\s*(Z|[+-]\d{2}:?\d{2})?)?"
)
_PDF = re.compile(r"(?:D:)?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?\s*(?:([Z+-])(?:(\d{2})'?(\d{2})?)?)?")
EARLIEST_YEAR = 1900


def utc(moment: datetime | None) -> datetime | None:
    """Return a time in UTC without fractions of a second; a naive time is read as UTC.

    None for implausible times (before 1900) and those that UTC cannot express.
    """
    if moment is None:
        return None
    try:
        aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (OverflowError, ValueError):
        return None
    return aware.replace(microsecond=0) if aware.year >= EARLIEST_YEAR else None


def from_iso(text: str) -> datetime | None:
    """Read an ISO 8601 date or date-time; None if it is neither."""
    match = _ISO.match(text)
    if not match:
        return None
    year, month, day, hour, minute, second, zone = match.groups()
    stamp = f"{year}-{month:0>2}-{day:0>2}T{hour or '0':0>2}:{minute or '00'}:{second or '00'}"
    offset = "+00:00" if zone in (None, "Z") else zone[:3] + ":" + zone[-2:]
    try:
        return utc(datetime.fromisoformat(stamp + offset))
    except ValueError:
        return None


def from_pdf(text: str) -> datetime | None:
    """Read a PDF date such as D:20240103093826+01'00'; None if it is none."""
    match = _PDF.match(text)
    if not match:
        return None
    year, month, day, hour, minute, second, sign, off_hour, off_minute = match.groups()
    zone = "Z" if sign in (None, "Z") else f"{sign}{off_hour or '00'}:{off_minute or '00'}"
    return from_iso(f"{year}-{month or '01'}-{day or '01'}T{hour or '00'}:{minute or '00'}:{second or '00'}{zone}")


def from_mail(text: str) -> datetime | None:
    """Read a date header of a message; None if it is malformed."""
    try:
        return utc(parsedate_to_datetime(text))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def from_any(text: str) -> datetime | None:
    """Read a date in any of the notations above."""
    return from_iso(text) or from_mail(text)
