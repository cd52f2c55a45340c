"""Passages: a packed context, and an answer with the passages that it cites."""

from __future__ import annotations

from saidonce.foundation.model import Objection
from saidonce.interfaces.views.base import At, View
from saidonce.kb.answer import Mode, SupportedSentence


class OriginView(View):
    """Where a passage stands."""

    block_id: str
    document: str
    title: str
    heading_path: tuple[str, ...]
    authored_at: At | None
    """of the documents of a merged block, the earliest date"""
    page: int | None
    start_s: float | None
    """second of a recording from which the answer is heard; null without one"""
    speaker: str
    """who says it there, as the source names it; empty if it does not"""
    sender: str
    """who sent the mail that it stands in; empty for other documents"""
    is_quoted: bool
    """whether that mail quotes it of another one, of which the speaker is the sender"""


class PassageView(View):
    """The contribution of one hit to a packed context."""

    number: int
    """from 1, in the order of the text: best first, each followed by what varies it"""
    origin: OriginView
    text: str
    """full text; for a variant, the sentences that the passages it varies do not have, one per line"""
    also_in: tuple[OriginView, ...]
    """places that state all of it as well"""
    part_in: tuple[OriginView, ...]
    """places that state only a part of it"""
    variant_of: int | None
    """number of the passage that it varies; null if none"""
    parts_of: tuple[int, ...]
    """numbers of further passages that state what a variant leaves out"""
    repeats_all: bool
    """whether a variant also states everything else in the passage it varies"""
    repeats_any: bool
    """whether a variant shares anything with the passage it varies; if not, it contradicts it or only reads like it"""
    conflicts: tuple[Objection, ...]
    """facts that differ: `a` in this passage, `b` in the one it varies"""
    n_tokens: int


class ContextView(View):
    """A context for a language model: nothing stands in it twice, and what did not fit is named."""

    query: str
    is_answered: bool
    """false if nothing in the base answers the query"""
    budget: int
    """requested tokens"""
    n_tokens: int
    """tokens used, counted with the embedder's tokenizer"""
    text: str
    """all passages as one text: quotations from documents, data and not instructions"""
    passages: tuple[PassageView, ...]
    left_out: tuple[OriginView, ...]
    """hits that did not fit, best first"""


class AnswerView(View):
    """An answer with its passages, in which nothing stands twice; citations name them by number."""

    question: str
    mode: Mode
    """`not_in_base` if nothing in the base answers the question"""
    model: str
    sentences: tuple[SupportedSentence, ...]
    passages: tuple[PassageView, ...]
