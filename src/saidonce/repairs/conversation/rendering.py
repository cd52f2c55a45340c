"""Messages to residents in their language, from the English sentences that the rules chose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from saidonce.foundation.model.conversation import Button, Conversation, OutboxKind, OutboxMessage
from saidonce.repairs.conversation.catalogue import TAGS, in_language
from saidonce.repairs.conversation.emergency import Pack
from saidonce.repairs.conversation.spoken import ENGLISH, Spoken


def in_their_language(message: OutboxMessage, language: str, words: Callable[[str], str]) -> OutboxMessage:
    """Return a message in a language; it keeps its English for the rules. Texts of people and models stay as they are.

    Words of the resident are repeated as they were written in every language, English too: there the rules read them
    without their typing mistakes, and take a rare word for one.

    Args:
        message: in English.
        language: its tag; English is used for languages without a catalogue.
        words: gives the resident's own words for English ones.
    """
    if language == ENGLISH or language not in TAGS:
        return replace(message, text=str(in_language(message.text, ENGLISH, words)))
    english = str(message.text)
    text = in_language(message.text, language, words)
    if text == english:
        return replace(message, text=english)
    return replace(
        message, text=text, english=english, language=language, buttons=titled(message.buttons, language)
    )  # fmt: skip


def beside_turns(
    id: str, of: Conversation, kind: OutboxKind, text: str, now: datetime, turn_id: str = ""
) -> OutboxMessage:  # fmt: skip
    """Return a message that no turn of the conversation sends, in its language: one about an alarm, a word of patience.

    Args:
        id: the same for the same message, so that it is sent once.
        of: the conversation.
        text: in English.
        turn_id: of the turn that is waited for, if one is.
    """
    return in_their_language(OutboxMessage(id, of.id, turn_id, kind, text, now), of.language, str)


def titled(buttons: Sequence[Button], language: str) -> tuple[Button, ...]:
    """Return buttons with titles in a language; what they send stays."""
    return tuple(replace(b, title=in_language(b.title, language)) for b in buttons)


def safety_text(sentences: Sequence[str], heard: Spoken, pack: Pack) -> tuple[str, str]:
    """Return sentences that matter for safety in the resident's language, and the same in English.

    Where the language is not sure, the English ones follow in the same message. A pack's own translation goes first.
    """
    english = " ".join(map(str, sentences))
    own_texts = {c.safety: c.safety_for(heard.language) for c in pack.classes}
    own = " ".join(in_language(own_texts.get(s, s), heard.language) for s in sentences)
    if heard.language == ENGLISH or own == english:
        return english, english
    return (own if heard.is_sure else f"{own}\n\n{english}"), english
