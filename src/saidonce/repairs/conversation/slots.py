"""Verification of slots: they count only with evidence in the resident's own words, checked by code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from saidonce.foundation import text
from saidonce.foundation.model.conversation import Category, IssueDraft, PhotoStatus, Slot, Urgency
from saidonce.repairs.conversation import lexicon
from saidonce.repairs.conversation.acts import SpeechAct, shown_by
from saidonce.repairs.conversation.tools import ToolRefusal

MIN_QUOTE_CHARS = 2
MAX_SLOT_CHARS = 500
MAX_VERBATIM_CHARS = 4_000
_STOPS = re.compile(r"(?i)(?<=[.!?;])(?<!\bno\.)(?<!\bnr\.)\s+|\n")
"""Ends of sentences, with or without a following capital letter; "model no. 4471" contains none."""


@dataclass(frozen=True, slots=True)
class Offered:
    """Slots offered by an orchestrator, all untrusted.

    Attributes:
        photo: declined or later; only the store shows that a photo was provided.
    """

    description: Slot | None = None
    location: Slot | None = None
    category: Category | None = None
    urgency: Urgency | None = None
    photo: PhotoStatus | None = None
    photo_quote: str = ""


@dataclass(frozen=True, slots=True)
class VerifiedSlots:
    """A draft with the verified slots, and the reasons for refusing the others."""

    draft: IssueDraft
    refused: tuple[ToolRefusal, ...] = ()


def verify_slots(draft: IssueDraft, offered: Offered, messages: Sequence[str], strict: bool = True) -> VerifiedSlots:
    """Add slots to a draft if the resident's messages of this draft support them.

    A quote must occur in one message, at word boundaries, and concern the value. A description composed of several
    messages counts if each of its words occurs in them; it becomes those whole messages. A value with other words is
    replaced by its quote. Strict checks also require a location to name a place, a description to name the fault and be
    no mere question, and a refusal of a photo to be explicit; words that promise one are a promise, whatever the offer.

    Args:
        draft: the slots so far.
        offered: the new slots.
        messages: the resident's texts of this draft, oldest first.
        strict: False for the keyword flow, which has no such checks.
    """
    refused: list[ToolRefusal] = []
    updated = draft
    if (what := _verified("description", offered.description, messages, strict, refused)) is not None:
        updated = replace(updated, description=what)
    if (where := _verified("location", offered.location, messages, strict, refused)) is not None:
        updated = replace(updated, location=where)
    if offered.photo in (PhotoStatus.DECLINED, PhotoStatus.LATER) and updated.photo is not PhotoStatus.PROVIDED:
        status = PhotoStatus.LATER if strict and lexicon.puts_off(offered.photo_quote) else offered.photo
        objection = _photo_objection(replace(offered, photo=status), messages, strict)
        if objection is None:
            updated = replace(updated, photo=status, photo_quote=offered.photo_quote)
        else:
            refused.append(objection)
    updated = replace(
        updated, category=offered.category or updated.category, urgency=offered.urgency or updated.urgency
    )
    return VerifiedSlots(updated, tuple(refused))


def with_photo_words(offered: Offered, fresh: Sequence[str]) -> Offered:
    """Add an explicit promise or refusal of a requested photo, where none is offered."""
    if offered.photo is not None:
        return offered
    for matches, status in ((lexicon.puts_off, PhotoStatus.LATER), (lexicon.declines, PhotoStatus.DECLINED)):
        quote = next((message for message in fresh if matches(message)), None)
        if quote is not None:
            return replace(offered, photo=status, photo_quote=quote)
    return offered


def is_quoted(quote: str, messages: Sequence[str]) -> bool:
    """Return whether a quote occurs in one of the messages, regardless of case, spacing and typographic variants."""
    normal = text.normalise(quote)
    if len(normal) < MIN_QUOTE_CHARS or not text.words(normal):
        return False
    pattern = re.compile(r"(?<!\w)" + re.escape(normal) + r"(?!\w)")
    return any(pattern.search(text.normalise(message)) for message in messages)


def has_new_facts(before: IssueDraft, after: IssueDraft, fresh: Sequence[str]) -> bool:
    """Return whether a draft gained or changed a slot by words of this turn's messages."""
    pairs = ((before.description, after.description), (before.location, after.location))
    return any(new is not None and new != old and is_quoted(new.quote, fresh) for old, new in pairs)


def full_description(description: Slot, location: str, messages: Sequence[str]) -> str:
    """Return the description with all other sentences that add to it, word for word.

    So "and now the door won't close", an error code, a reading or a word about who is ill reaches the report, too.
    Courtesies, mere questions, words about a photo, and a bare yes or no add nothing. What came before a description
    that names no trouble ("I have a leak in the bathroom", before "the tap") stands in front of it, all else behind it.
    Sentences beyond 4,000 characters stay in the conversation only.
    """
    whole, known = description.value, _clear_terms(f"{description.value} {description.quote} {location}")
    is_bare = not _trouble_terms(whole) and not shown_by(SpeechAct.FAULT, whole)
    at = next((n for n, m in enumerate(messages) if is_bare and is_quoted(description.quote, [m])), 0)
    before: list[str] = []
    after: list[str] = []
    for n, sentence in ((n, " ".join(p.split())) for n, message in enumerate(messages) for p in _STOPS.split(message)):
        fresh = _fresh_terms(sentence, f"{whole} {location}", known) if lexicon.tells(sentence) else set()
        longer = f"{whole} / {sentence}"
        if fresh and not is_quoted(description.quote, [sentence]) and len(longer) <= MAX_VERBATIM_CHARS:
            (before if n < at else after).append(sentence)
            whole, known = longer, known | fresh
    return " / ".join((*before, description.value, *after))


def _fresh_terms(sentence: str, reported: str, known: set[str]) -> set[str]:
    """Return the terms by which a sentence adds to a report; a place in it does not outweigh a trouble beside it.

    Args:
        sentence: one sentence of the resident.
        reported: the description so far, and the place.
        known: its clear terms, and those of the words that it stands for.
    """
    clear, trouble = _clear_terms(sentence), _trouble_terms(sentence)
    if not clear and not trouble:
        return set(text.terms(sentence)) - known
    so_far = _trouble_terms(reported)
    is_known = so_far or shown_by(SpeechAct.FAULT, reported)
    return (clear - known) | (trouble - so_far - (set(text.terms(" ".join(lexicon.UNSPECIFIC))) if is_known else set()))


def _trouble_terms(sentence: str) -> set[str]:
    """Return the terms of a sentence that say what is wrong, however vaguely."""
    return set(text.terms(" ".join(w for w in text.words(sentence) if w in lexicon.TROUBLE)))


def _clear_terms(sentence: str) -> set[str]:
    return set(text.terms(" ".join(w for w in text.words(sentence) if w not in lexicon.VAGUE)))


def verbatim(whole: str, messages: Sequence[str]) -> str:
    """Append messages, word for word and in order, unless the text contains them already.

    Messages beyond 4,000 characters stay in the conversation only.
    """
    for message in (" ".join(m.split()) for m in messages if m.strip()):
        parts = whole.split(" / ")
        longer = f"{whole} / {message}" if whole else message[:MAX_VERBATIM_CHARS]
        if message not in parts and not (whole and message in whole and len(message) > 20):
            whole = longer if len(longer) <= MAX_VERBATIM_CHARS else whole
    return whole


def looks_same(description: str, location: str, slot: Slot | None, where: Slot | None) -> bool:
    """Return whether a description repeats an issue: it shares most words, and the place does not differ."""
    if slot is None:
        return True
    known = set(text.terms(f"{description} {location}"))
    here = [t for t in text.terms(slot.quote) if not t.isdigit()]
    shared = sum(t in known for t in here)
    other_place = where is not None and not set(text.terms(where.quote)) & known
    return not other_place and shared * 2 >= len(here)


def _verified(
    name: str, slot: Slot | None, messages: Sequence[str], strict: bool, refused: list[ToolRefusal]
) -> Slot | None:
    if slot is None:
        return None
    if name == "description" and not is_quoted(slot.quote, messages):
        slot = _composed(slot, messages) or slot
    objection = _objection(name, slot, messages, strict)
    if objection is not None:
        refused.append(objection)
        return None
    return _grounded(slot, messages)


def _composed(slot: Slot, messages: Sequence[str]) -> Slot | None:
    """Return the messages that together contain a quote, as one slot; None if one of its words is in no message."""
    quote_terms = set(text.terms(slot.quote))
    shares = [(message, quote_terms & set(text.terms(message))) for message in messages]
    quoting = [message for message, shared in shares if shared]
    if len(quoting) < 2 or not quote_terms <= _terms(quoting):
        return None
    most, _ = max(shares, key=lambda row: len(row[1]))
    return Slot(" / ".join(" ".join(m.split()) for m in quoting), most)


def _objection(name: str, slot: Slot, messages: Sequence[str], strict: bool) -> ToolRefusal | None:
    if len(slot.quote) > MAX_SLOT_CHARS or not is_quoted(slot.quote, messages):
        return ToolRefusal.QUOTE_NOT_SAID
    if not strict:
        return None
    if _is_of_another(slot, messages):
        return ToolRefusal.QUOTE_OF_ANOTHER
    if name == "location":
        return None if lexicon.names_place(slot.quote) else ToolRefusal.LOCATION_IS_NO_PLACE
    if lexicon.is_vague(slot.quote) or lexicon.only_declines(slot.quote):
        return ToolRefusal.DESCRIPTION_IS_VAGUE
    return ToolRefusal.DESCRIPTION_IS_A_QUESTION if _is_question(slot.quote, messages) else None


def _photo_objection(offered: Offered, messages: Sequence[str], strict: bool) -> ToolRefusal | None:
    if not is_quoted(offered.photo_quote, messages):
        return ToolRefusal.QUOTE_NOT_SAID
    supports = lexicon.declines if offered.photo is PhotoStatus.DECLINED else lexicon.puts_off
    return ToolRefusal.DECLINE_NOT_SAID if strict and not supports(offered.photo_quote) else None


def _is_question(quote: str, messages: Sequence[str]) -> bool:
    """Return whether a quote occurs in mere questions only."""
    quoting = [s.text for message in messages for s in text.sentences(message) if is_quoted(quote, [s.text])]
    quoting = quoting or [message for message in messages if is_quoted(quote, [message])]
    return bool(quoting) and all(map(lexicon.only_asks, quoting))


def _terms(messages: Sequence[str]) -> set[str]:
    return {t for message in messages for t in text.terms(message)}


def _is_of_another(slot: Slot, messages: Sequence[str]) -> bool:
    """Return whether the words of a value occur in messages, but none in its quote: the quote is no evidence."""
    value_terms = set(text.terms(slot.value))
    known = _terms(messages)
    return bool(value_terms) and value_terms <= known and value_terms.isdisjoint(text.terms(slot.quote))


def _grounded(slot: Slot, messages: Sequence[str]) -> Slot:
    known = _terms(messages)
    value = " ".join(slot.value.split())[:MAX_SLOT_CHARS]
    is_supported = bool(value) and all(t in known for t in text.terms(value))
    return Slot(value if is_supported else " ".join(slot.quote.split()), slot.quote)
