"""The filter of a model's messages to residents.

Replies come out short, without foreign links or numbers, other homes, or claims of things not done.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from saidonce.foundation.model.conversation import Passage
from saidonce.foundation.text import normalise, sentences, terms

MAX_CHARS = 1_000
"""Longest reply. Source: the specification."""

MAX_SOURCE = 120
"""Longest name of a document in a reply."""

_URL = re.compile(
    r"(?i)(?:\bhttps?://|\bwww\.|\bmailto:|\btel:)\S+|\b[\w.+-]+@[\w-]+\.[\w.]+"
    r"|\b[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9-]+)*\."
    r"(?:com|net|org|info|biz|io|co|uk|de|fr|eu|us|app|dev|xyz|site|online|link|ly|me|tv|ru|cn|shop|top|example)\b(?:/\S*)?"
)
_PHONE = re.compile(r"(?<![\w])\+?\(?\d(?:[\s().\-/]{0,2}\d){5,}(?!\w)|(?<!\w)(?:999|911|112|101|105|111)(?!\w)")
_UNIT = re.compile(r"(?i)\b(?:flat|unit|apartment|apt\.?|suite|room no\.?|no\.)\s*#?(\d+\w?|[a-z]\d*)\b|#(\d+\w?)\b")
_CLAIM = re.compile(
    r"(?i)\b(?:i|we)(?:'ve| have|'ll have)?\s+(?:now |just |already |also )?(?:created|logged|raised|opened|reported"
    r"|submitted|filed|booked|scheduled|sent (?:a|an|the) (?:plumber|engineer|electrician|contractor|someone)|notified"
    r"|informed|contacted|called)\b|\b(?:has|have) been (?:created|logged|raised|opened|reported|submitted|filed|booked"
    r"|scheduled|notified|dispatched)\b|\bis on (?:the|their|his|her) way\b"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_NUMBER = re.compile(r"\d+")
_TAG = re.compile(r"</?\w[^>]{0,80}>|`{3,}")


@dataclass(frozen=True, slots=True)
class Filtered:
    """A filtered reply, with the reasons of removals; empty text if nothing is left."""

    text: str
    removed: tuple[str, ...] = ()


def filter_reply(reply: str, may_link: Sequence[str], own_unit: str, known: Sequence[str] = ()) -> Filtered:
    """Remove forbidden sentences from a reply, then cut it at a sentence end.

    Args:
        reply: the model's message.
        may_link: allowed URLs (by prefix) and phone numbers (digits).
        own_unit: unit of the resident's own home; sentences about any other are removed.
        known: texts of the resident and of documents; a sentence with a number from none of them is removed.
    """
    numbers = {n for text in (*known, *may_link, own_unit) for n in _NUMBER.findall(text)}
    plain = _TAG.sub(" ", _CONTROL.sub("", reply))
    allowed: list[str] = []
    removed: list[str] = []
    for sentence in sentences(plain):
        objection = _objection(sentence.text, may_link, own_unit)
        if not objection and not numbers.issuperset(_NUMBER.findall(sentence.text)):
            objection = "number"
        if objection:
            removed.append(objection)
        elif len(" ".join([*allowed, sentence.text])) > MAX_CHARS:
            removed.append("too_long")
            break
        else:
            allowed.append(sentence.text)
    return Filtered(" ".join(allowed), tuple(removed))


def may_be_repeated(words: str) -> bool:
    """Return whether a resident's own words may be repeated back to them: no link, markup or long number is in them."""
    long_numbers = (m for m in _PHONE.finditer(words) if len(_NUMBER.findall(m.group())) > 1 or len(m.group()) > 3)
    is_plain = "<" not in words and not _CONTROL.search(words) and not _URL.search(words)
    return is_plain and next(long_numbers, None) is None


def cite_source(reply: str, passages: Sequence[Passage]) -> str:
    """Append the name of the source document to a reply: the first of those that share most words with it.

    At least three words, and half of the reply's words, must occur in the passage; otherwise no source is named.
    """
    reply_terms = set(terms(reply))
    shared = [(len(reply_terms & set(terms(p.text))), -n) for n, p in enumerate(passages) if p.source]
    most, at = max(shared, default=(0, 0))
    if most < 3 or 2 * most < len(reply_terms):
        return reply
    return f"{reply} ({' '.join(passages[-at].source.split())[:MAX_SOURCE]})"


def _objection(sentence: str, may_link: Sequence[str], own_unit: str) -> str:
    if len(sentence) > MAX_CHARS:
        return "too_long"
    if any(not _allowed_url(m.group(), may_link) for m in _URL.finditer(sentence)):
        return "url"
    if any(not _allowed_number(m.group(), may_link) for m in _PHONE.finditer(sentence)):
        return "phone_number"
    own = {w for w in re.findall(r"\w+", normalise(own_unit)) if w not in ("flat", "unit", "apartment", "apt")}
    if any(normalise(m.group(1) or m.group(2)) not in own for m in _UNIT.finditer(sentence)):
        return "other_unit"
    return "claim" if _CLAIM.search(sentence) else ""


def _allowed_url(url: str, may_link: Sequence[str]) -> bool:
    """Return whether a URL is an allowed prefix or continues one at a "/", "?" or "#", unlike example.com.evil.net."""
    bare = url.rstrip(".,;:!?)\"'")
    return any(bare == a or (bare.startswith(a) and (a.endswith("/") or bare[len(a)] in "/?#")) for a in may_link if a)


def _allowed_number(number: str, may_link: Sequence[str]) -> bool:
    digits = re.sub(r"\D", "", number)
    return any(digits == re.sub(r"\D", "", a) for a in may_link if re.search(r"\d", a) and "/" not in a)
