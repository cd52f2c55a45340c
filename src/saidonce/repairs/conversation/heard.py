"""The messages of a conversation as the English rules hear them, and the way back to the resident's own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from saidonce.foundation.model.conversation import Issue
from saidonce.foundation.model.residents import Inbound
from saidonce.repairs.conversation import misspelt, no_danger, spelling
from saidonce.repairs.conversation.code_switching import read_mixed
from saidonce.repairs.conversation.dangers import DangerReader, by_words, read_dangers
from saidonce.repairs.conversation.emergency import Pack, PhraseMatch, find_dangers
from saidonce.repairs.conversation.everyday import unread_words, without_everyday
from saidonce.repairs.conversation.foreign_dangers import without_harmless
from saidonce.repairs.conversation.gloss import TAGS, Gloss, gloss
from saidonce.repairs.conversation.resumed import resumed
from saidonce.repairs.conversation.spoken import ENGLISH, Spoken, english_words, spoken

_CLAUSE_END = re.compile(r"(?<=[,;.!?])\s+")

LEAST_AS_MEANT = 0.20
"""Certainty of the head from which a misspelt word of danger counts where it may as well be an everyday one."""

CUT = "..."
"""What stands behind words that were too long to be repeated whole."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What was understood of a conversation's messages.

    Attributes:
        language: of the newest message with words; the conversation's if none is new.
        is_sure: whether the newest message shows it.
        glosses: of all messages in other languages or with typing mistakes, the newest first, then of the issues.
        fresh: glosses of the new messages.
    """

    language: str = ENGLISH
    is_sure: bool = True
    glosses: tuple[Gloss, ...] = ()
    fresh: tuple[Gloss, ...] = ()

    @property
    def is_foreign(self) -> bool:
        """Whether it is a language without a table."""
        return self.language != ENGLISH and self.language not in TAGS

    @property
    def sources(self) -> tuple[str, ...]:
        """The new messages as they were written, if the rules read them otherwise."""
        return tuple(g.source for g in self.fresh if g.segments)

    @property
    def is_lost(self) -> bool:
        """Whether new messages hold too many words that the language's table lacks."""
        if self.language == ENGLISH or not self.fresh:
            return False
        n_words, n_known = sum(g.n_words for g in self.fresh), sum(g.n_known for g in self.fresh)
        return n_known * 3 < n_words * 2

    def source_of(self, text: str) -> str:
        """Return a new message as it was written, for the English that the rules read; other texts as they are."""
        return next((g.source for g in self.fresh if g.text == text), text)

    def verbatim(self, words: str) -> str:
        """Return the resident's own words for English ones, part by part ("a / b"); others as they are."""
        if not self.glosses or not words:
            return words
        return " / ".join(dict.fromkeys(self._original(part) for part in words.split(" / ")))

    def repeated(self, words: str) -> str:
        """Return words for a reply: the resident's own ones, but the English for those of another language in English.

        Somebody who has gone over to English is answered in it, also about what was written before.
        """
        if self.language != ENGLISH:
            return self.verbatim(words)
        return replace(self, glosses=tuple(g for g in self.glosses if g.tag == ENGLISH)).verbatim(words)

    def _original(self, part: str) -> str:
        whole = part.removesuffix(CUT).rstrip()
        own = next((o for g in self.glosses if (o := g.original(whole)) is not None), None)
        own = own or next((o for g in self.glosses if (o := _without_clauses(g, whole)) is not None), whole)
        return own + part[len(whole) :]

    def restored(self, issue: Issue) -> Issue:
        """Return an issue in the resident's own words."""
        return replace(
            issue, description=self.verbatim(issue.description), location=self.verbatim(issue.location),
            urgent_because=tuple(map(self.verbatim, issue.urgent_because)),
        )  # fmt: skip


def _without_clauses(gloss_: Gloss, whole: str) -> str | None:
    """Return the source's words for a gloss from which clauses were taken out; None if it is none.

    Every clause that is left has to stand in the gloss.
    """
    clauses = [c for c in _CLAUSE_END.split(whole) if c.strip()]
    if len(clauses) < 2 or not gloss_.segments:
        return None
    own: list[str] = []
    for clause in clauses:
        bare = clause.rstrip(" ,;.!?")
        source = gloss_.original(bare)
        if source is None:
            return None
        own.append(source + clause[len(bare) :].rstrip())
    return " ".join(own)


def hear(
    inbounds: Sequence[Inbound], new: set[int], language: str, issues: Sequence[Issue] = ()
) -> tuple[tuple[Inbound, ...], Heard]:
    """Return a conversation's messages as English words, and what was heard.

    Args:
        inbounds: all messages, in the order of arrival.
        new: seqs of those that decide the language.
        language: of the conversation so far.
        issues: whose texts may be added to.
    """
    before, is_sure = ENGLISH, True
    glossed: list[Inbound] = []
    glosses: list[Gloss] = []
    fresh: list[Gloss] = []
    for inbound in inbounds:
        is_new = inbound.seq in new
        if is_new and not fresh:
            before = language
        heard = spoken(inbound.text, before) if inbound.text.strip() else Spoken(before)
        before = heard.language
        one = reading(inbound.text, before)
        glossed.append(replace(inbound, text=one.text) if one.text != inbound.text else inbound)
        glosses += [one] if one.segments else []
        if is_new and inbound.text.strip():
            fresh.append(one)
            is_sure = heard.is_sure
    of_issues = [reading(text, _tag_of(i)) for i in issues for text in (*i.description.split(" / "), i.location)]
    known = (*reversed(glosses), *(g for g in of_issues if g.segments))
    return tuple(glossed), Heard(before if fresh else language, is_sure, known, tuple(fresh))


def as_heard(text: str, before: str) -> tuple[str, Spoken]:
    """Return a message as English words, and its language."""
    heard = spoken(text, before) if text.strip() else Spoken(before)
    return reading(text, heard.language).text, heard


def reading(text: str, language: str) -> Gloss:
    """Return a message as the English rules read it: glossed, or without its typing mistakes if it is English.

    Words of another language in an English message are glossed as well.
    """
    return (read_mixed(text) or spelling.read(text)) if language == ENGLISH else gloss(text, language)


def dangers_heard(
    pack: Pack, text: str, before: str, reader: DangerReader | None = None
) -> tuple[PhraseMatch, ...]:  # fmt: skip
    """Return the dangers in a message of any language: those of its own words, and those of its English ones.

    Each reading may only raise: what one takes for sure is sure.

    Args:
        pack: of the country.
        text: the message as it was written.
        before: the conversation's language.
        reader: the trained head; None for words alone.
    """
    dangers = _dangers_as_written(pack, text, before, reader)
    if any(m.is_sure for m in dangers):
        return dangers
    language = spoken(text, before).language if text.strip() else before
    if not dangers:
        return _dangers_as_meant(pack, text, language, reader)
    everyday = misspelt.meant_everyday(text, language)
    is_everyday = everyday != text and by_words(pack, text) and not by_words(pack, everyday)
    return dangers if not is_everyday or _dangers_as_written(pack, everyday, language, reader) else ()


def _dangers_as_meant(
    pack: Pack, text: str, language: str, reader: DangerReader | None
) -> tuple[PhraseMatch, ...]:  # fmt: skip
    """Return the dangers in a message whose misspelt words are read as they were meant: a question at most.

    In so few words a mistake hides the language, too: what is meant may show it.
    """
    readings = ((tag, misspelt.meant(text, tag)) for tag in (language, *misspelt.LANGUAGES))
    shown = ((tag, m) for tag, m in readings if m != text and (tag == language or spoken(m, language).language == tag))
    language, meant = next(shown, (language, text))
    if meant == text:
        return ()
    dangers = _dangers_as_written(pack, meant, language, reader)
    may_be_misspelt = reader is not None and misspelt.is_doubtful(text, language)
    # What the head alone makes of mended words is a guess at a guess: a window's handle that snapped.
    named = (m for m in dangers if not m.phrase.startswith("head:"))
    certain = tuple(m for m in named if not may_be_misspelt or m.certainty >= LEAST_AS_MEANT)
    return tuple(replace(m, is_sure=False) for m in certain)[:1]


def _dangers_as_written(
    pack: Pack, text: str, before: str, reader: DangerReader | None
) -> tuple[PhraseMatch, ...]:  # fmt: skip
    english, heard = as_heard(text, before)
    if heard.language == ENGLISH:
        return _dangers_in_english(pack, text, english, reader)
    own = read_dangers(pack, text, reader)
    rest = no_danger.without(unread_words(text, heard.language))
    if own and rest != text and not read_dangers(pack, text, reader, rest):
        own = ()  # What the head guessed at is in clauses that show by their words that they are about something else.
    glossed = find_dangers(pack, gloss(without_harmless(text), heard.language).only_english(english_words()))
    sure = tuple({m.kind: m for m in (*glossed, *own) if m.is_sure}.values())
    return sure or own or glossed


def _dangers_in_english(
    pack: Pack, text: str, english: str, reader: DangerReader | None
) -> tuple[PhraseMatch, ...]:  # fmt: skip
    """Return the dangers in an English message, as it was written and as it is meant."""
    rest = without_everyday(english)
    unread = no_danger.without(text if rest == english else rest)
    own = read_dangers(pack, text, reader, unread)
    bare = without_everyday(english, small_faults=True)
    if own and bare != rest and not read_dangers(pack, text, reader, no_danger.without(bare)):
        own = ()  # The head guessed at a small thing with a small fault, every word of it known.
    # A danger's words may be mistyped, too: "kicking my dopr in".
    return own or by_words(pack, english) or _dangers_resumed(pack, english)


def _dangers_resumed(pack: Pack, english: str) -> tuple[PhraseMatch, ...]:
    """Return what words find where an "it" is the thing named before it: a question at most."""
    whole = resumed(english)
    matches = by_words(pack, whole) if whole != english else ()
    return tuple(replace(m, is_sure=False, evidence=(f"words: {m.phrase}",)) for m in matches[:1])


def issue_as_heard(issue: Issue) -> Issue:
    """Return an issue in English words, for comparison with what is said about it now."""
    tag = _tag_of(issue)
    parts = (reading(part, tag).text for part in issue.description.split(" / "))
    return replace(issue, description=" / ".join(parts), location=reading(issue.location, tag).text)


def _tag_of(issue: Issue) -> str:
    """Return the language of an issue: those that no conversation filed are marked as English in any language."""
    return spoken(issue.description, ENGLISH).language if issue.language == ENGLISH else issue.language
