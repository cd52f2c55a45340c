"""Room: what was understood counts only with evidence: the resident's own words, checked by code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from saidonce.foundation import text
from saidonce.foundation.model.conversation import Category, IssueDraft, PhotoStatus, Slot, Urgency
from saidonce.repairs.conversation import lexicon
from saidonce.repairs.conversation.tools import ToolRefusal

MIN_QUOTE_CHARS = 2
MAX_SLOT_CHARS = 500
MAX_VERBATIM_CHARS = 4_000
_STOPS = re.compile(r"(?i)(?<=[.!?;])(?<!\bno\.)(?<!\bnr\.)\s+|\n")
"""Where one sentence ends and the next begins, with or without a capital letter; "model no. 4471" is one."""


@dataclass(frozen=True, slots=True)
class Offered:
    """Slots that an orchestrator offers; nothing of it is trusted.

    Attributes:
        photo: declined or later; that a photo was provided is known from the store alone.
    """

    description: Slot | None = None
    location: Slot | None = None
    category: Category | None = None
    urgency: Urgency | None = None
    photo: PhotoStatus | None = None
    photo_quote: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """A draft with the slots that hold, and what was refused of the others."""

    draft: IssueDraft
    refused: tuple[ToolRefusal, ...] = ()


def checked(draft: IssueDraft, offered: Offered, said: Sequence[str], strict: bool = True) -> Checked:
    """Take slots into a draft if the resident's messages of this draft bear them out.

    A quote has to stand in one message, at word boundaries, and be about the value. A description that was put
    together of several messages counts if every word of it was said; it becomes those messages, whole. A value that
    uses words nobody said is replaced by its quote. Strictly, a location has to name a place, a description has to say
    what is broken and is no mere question, and a declined photo has to be declined in so many words; words that promise
    one are a promise, whatever they are offered as.

    Args:
        draft: what is known so far.
        offered: what is offered.
        said: the resident's texts of this draft, oldest first.
        strict: False for the keyword flow, which knows no such checks.
    """
    refused: list[ToolRefusal] = []
    made = draft
    if (what := _taken("description", offered.description, said, strict, refused)) is not None:
        made = replace(made, description=what)
    if (where := _taken("location", offered.location, said, strict, refused)) is not None:
        made = replace(made, location=where)
    if offered.photo in (PhotoStatus.DECLINED, PhotoStatus.LATER) and made.photo is not PhotoStatus.PROVIDED:
        status = PhotoStatus.LATER if strict and lexicon.puts_off(offered.photo_quote) else offered.photo
        objection = _photo_objection(replace(offered, photo=status), said, strict)
        if objection is None:
            made = replace(made, photo=status, photo_quote=offered.photo_quote)
        else:
            refused.append(objection)
    made = replace(made, category=offered.category or made.category, urgency=offered.urgency or made.urgency)
    return Checked(made, tuple(refused))


def with_photo_words(offered: Offered, fresh: Sequence[str]) -> Offered:
    """Add what new messages say of a photo that was asked for, in so many words, where nothing is offered of it."""
    if offered.photo is not None:
        return offered
    for tells, status in ((lexicon.puts_off, PhotoStatus.LATER), (lexicon.declines, PhotoStatus.DECLINED)):
        said = next((message for message in fresh if tells(message)), None)
        if said is not None:
            return replace(offered, photo=status, photo_quote=said)
    return offered


def quoted(quote: str, said: Sequence[str]) -> bool:
    """Tell whether a quote stands in one of the messages, letter case, spacing and typographic variants aside."""
    wanted = text.normalise(quote)
    if len(wanted) < MIN_QUOTE_CHARS or not text.words(wanted):
        return False
    pattern = re.compile(r"(?<!\w)" + re.escape(wanted) + r"(?!\w)")
    return any(pattern.search(text.normalise(message)) for message in said)


def new_facts(before: IssueDraft, after: IssueDraft, fresh: Sequence[str]) -> bool:
    """Tell whether a draft gained a slot, or changed one, by words of this turn's messages."""
    pairs = ((before.description, after.description), (before.location, after.location))
    return any(new is not None and new != old and quoted(new.quote, fresh) for old, new in pairs)


def in_full(description: Slot, location: str, said: Sequence[str]) -> str:
    """The value of a description, and after it, word for word, the other sentences that say something beyond it.

    A resident who adds "and now the door won't close", or answers a question with a code, a reading or who is ill, is
    not to find out that only the first message counted. Courtesies, mere questions, words about a photo and yes or no
    alone add nothing. A sentence that would make it longer than 4,000 characters stays in the conversation alone.
    """
    whole, known = description.value, _clear_terms(f"{description.value} {description.quote} {location}")
    for sentence in (" ".join(part.split()) for message in said for part in _STOPS.split(message)):
        is_fault = not lexicon.FAULTS.isdisjoint(text.words(sentence))
        fresh = _clear_terms(sentence) or (set() if is_fault else set(text.terms(sentence)))
        adds = lexicon.tells(sentence) and not fresh <= known
        longer = f"{whole} / {sentence}"
        if adds and not quoted(description.quote, [sentence]) and len(longer) <= MAX_VERBATIM_CHARS:
            whole, known = longer, known | fresh
    return whole


def _clear_terms(said: str) -> set[str]:
    return set(text.terms(" ".join(w for w in text.words(said) if w not in lexicon.VAGUE)))


def verbatim(whole: str, said: Sequence[str]) -> str:
    """Add messages, word for word and in their order, to what stands there; those that stand there already are not.

    What would make it longer than 4,000 characters stays in the conversation alone.
    """
    for message in (" ".join(m.split()) for m in said if m.strip()):
        parts = whole.split(" / ")
        longer = f"{whole} / {message}" if whole else message[:MAX_VERBATIM_CHARS]
        if message not in parts and not (whole and message in whole and len(message) > 20):
            whole = longer if len(longer) <= MAX_VERBATIM_CHARS else whole
    return whole


def looks_same(description: str, location: str, slot: Slot | None, where: Slot | None) -> bool:
    """Tell whether a description repeats an issue: most of its words are there, and the place does not differ."""
    if slot is None:
        return True
    known = set(text.terms(f"{description} {location}"))
    here = [t for t in text.terms(slot.quote) if not t.isdigit()]
    shared = sum(t in known for t in here)
    other_place = where is not None and not set(text.terms(where.quote)) & known
    return not other_place and shared * 2 >= len(here)


def _taken(name: str, slot: Slot | None, said: Sequence[str], strict: bool, refused: list[ToolRefusal]) -> Slot | None:
    if slot is None:
        return None
    if name == "description" and not quoted(slot.quote, said):
        slot = _put_together(slot, said) or slot
    objection = _objection(name, slot, said, strict)
    if objection is not None:
        refused.append(objection)
        return None
    return _grounded(slot, said)


def _put_together(slot: Slot, said: Sequence[str]) -> Slot | None:
    """What several messages say of a thing, in their own words; None if some word of it was never said."""
    wanted = set(text.terms(slot.quote))
    told = [(message, wanted & set(text.terms(message))) for message in said]
    held = [message for message, shared in told if shared]
    if len(held) < 2 or not wanted <= _terms(held):
        return None
    most, _ = max(told, key=lambda row: len(row[1]))
    return Slot(" / ".join(" ".join(m.split()) for m in held), most)


def _objection(name: str, slot: Slot, said: Sequence[str], strict: bool) -> ToolRefusal | None:
    if len(slot.quote) > MAX_SLOT_CHARS or not quoted(slot.quote, said):
        return ToolRefusal.QUOTE_NOT_SAID
    if not strict:
        return None
    if _is_of_another(slot, said):
        return ToolRefusal.QUOTE_OF_ANOTHER
    if name == "location":
        return None if lexicon.names_place(slot.quote) else ToolRefusal.LOCATION_IS_NO_PLACE
    if lexicon.is_vague(slot.quote):
        return ToolRefusal.DESCRIPTION_IS_VAGUE
    return ToolRefusal.DESCRIPTION_IS_A_QUESTION if _is_question(slot.quote, said) else None


def _photo_objection(offered: Offered, said: Sequence[str], strict: bool) -> ToolRefusal | None:
    if not quoted(offered.photo_quote, said):
        return ToolRefusal.QUOTE_NOT_SAID
    bears_out = lexicon.declines if offered.photo is PhotoStatus.DECLINED else lexicon.puts_off
    return ToolRefusal.DECLINE_NOT_SAID if strict and not bears_out(offered.photo_quote) else None


def _is_question(quote: str, said: Sequence[str]) -> bool:
    """Tell whether a quote stands in nothing but sentences that only ask."""
    held = [s.text for message in said for s in text.sentences(message) if quoted(quote, [s.text])]
    held = held or [message for message in said if quoted(quote, [message])]
    return bool(held) and all(map(lexicon.only_asks, held))


def _terms(said: Sequence[str]) -> set[str]:
    return {t for message in said for t in text.terms(message)}


def _is_of_another(slot: Slot, said: Sequence[str]) -> bool:
    """Tell whether a value was said, but in no word of its quote: the quote is no evidence of it."""
    wanted = set(text.terms(slot.value))
    known = _terms(said)
    return bool(wanted) and wanted <= known and wanted.isdisjoint(text.terms(slot.quote))


def _grounded(slot: Slot, said: Sequence[str]) -> Slot:
    known = _terms(said)
    value = " ".join(slot.value.split())[:MAX_SLOT_CHARS]
    borne_out = bool(value) and all(t in known for t in text.terms(value))
    return Slot(value if borne_out else " ".join(slot.quote.split()), slot.quote)
