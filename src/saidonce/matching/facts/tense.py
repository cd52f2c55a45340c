"""When something is done: a verb or a state in the present of one English sentence and over in the other.

Words of grammar are counted over a whole sentence elsewhere, so that "was inspected and is out of order" has as many
as "is inspected and was out of order". Here each belongs to the word behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from saidonce.foundation.model import FactKind, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.lexicon import is_past, past_forms
from saidonce.matching.facts.sentence_relations import Places, relations_of


class _Form(StrEnum):
    """How a word stands in its sentence."""

    IS = "is"
    WAS = "was"
    HAS = "has"
    DID = "did"
    BARE = "bare"


_IS = frozenset("is are am isn't aren't".split())
_WAS = frozenset("was were wasn't weren't had".split())
_HAS = frozenset("has have hasn't haven't".split())
_BETWEEN = frozenset("not never also already still always often only just now then been being".split())
_BEHIND_MODAL = frozenset("be been being to will would shall should can could may might must do does did".split())

_BINDING = frozenset("if unless until till once when whenever after before while should as provided".split())
"""Behind them the present and the perfect say the same: "until they are packed", "until they have been packed"."""

_PLURALS = frozenset("people men women children feet teeth mice geese".split())
"""Their forms stand among those of verbs."""

_LASTING = frozenset(
    "closed completed finished done gone expired broken damaged lost sold locked blocked ended".split()
)
"""What has become so is so: "has expired", "is expired"; unless somebody does it: "is closed by the porter"."""

_DIFFERENT = frozenset(
    frozenset(pair)
    for pair in (
        (_Form.IS, _Form.WAS), (_Form.IS, _Form.HAS), (_Form.IS, _Form.DID),
        (_Form.BARE, _Form.WAS), (_Form.BARE, _Form.HAS), (_Form.BARE, _Form.DID),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Use:
    """A word of content in its sentence.

    Attributes:
        form: None for one that tells nothing, or that stands in two forms.
        start: offset of the word of grammar that it hangs on, or its own.
        is_done_by: "by" follows, and who does it.
    """

    form: _Form | None
    token: Token
    start: int
    is_done_by: bool

    def place(self, text: str) -> Span:
        """Return where it stands with the word of grammar before it: "has been closed"."""
        return Span(self.start, self.token.end, text[self.start : self.token.end])


def is_done_already(a: str, b: str, language: str) -> Places | None:
    """Return the first word that is in the present in one of two English sentences and over in the other.

    "Replaces" and "has replaced", "is open" and "was open". A word that a sentence has in two forms says nothing.
    """
    if language != "en":
        return None
    here, there = _uses(a, language), _uses(b, language)
    for key, one in here.items():
        other = there.get(key)
        if other is not None and _differ(one, other):
            return one.place(a), other.place(b)
    return None


def _differ(one: _Use, other: _Use) -> bool:
    forms = {one.form, other.form}
    if frozenset(forms) not in _DIFFERENT:
        return False
    first, second = (one, other) if one.form in (_Form.BARE, _Form.IS) else (other, one)
    if first.form is _Form.BARE:
        return _are_forms(first.token.word, second.token.word)
    if second.form is _Form.DID:
        return first.is_done_by
    is_lasting = {first.token.word, second.token.word} <= _LASTING and not (first.is_done_by or second.is_done_by)
    return not (second.form is _Form.HAS and is_lasting)


def _are_forms(bare: str, past: str) -> bool:
    """Return whether two words are forms of one verb: "replaces" and "replaced", but no "replacement"."""
    if not is_past(past):
        return False
    forms = {bare, bare.removesuffix("s"), bare.removesuffix("es"), re.sub("ies$", "y", bare)}
    regular = {f"{f}{end}" for f in forms for end in ("ed", "d", f"{f[-1:]}ed")} | {
        re.sub("y$", "ied", f) for f in forms
    }
    return past_forms().get(past, past) in forms or past in regular


@remembered(4_096)
def _uses(text: str, language: str) -> Mapping[str, _Use]:
    """Return the use of each word of content of a sentence, by its key."""
    uses: dict[str, _Use] = {}
    for use in _each(relations_of(text, language).tokens):
        known = uses.get(use.token.key)
        uses[use.token.key] = use if known is None or known.form == use.form else replace(use, form=None)
    return uses


def _each(tokens: Sequence[Token]) -> Iterator[_Use]:
    is_bound = False
    for n, token in enumerate(tokens):
        is_bound = is_bound or token.word in _BINDING
        if not token.content:
            continue
        helper = _helper(tokens, n)
        form = None if is_bound else _finite(tokens, n) if helper is None else _helped(tokens, n, helper.word)
        is_done_by = n + 1 < len(tokens) and tokens[n + 1].word == "by"
        yield _Use(form, token, token.start if helper is None else helper.start, is_done_by)


def _helped(tokens: Sequence[Token], n: int, helper: str) -> _Form | None:
    """Return the form of a word behind a word of grammar."""
    if helper in _HAS or helper == "had":
        is_verb = is_past(tokens[n].word) or "been" in (t.word for t in tokens[max(0, n - 4) : n])
        return (_Form.HAS if helper in _HAS else _Form.WAS) if is_verb else None
    return _Form.IS if helper in _IS else _Form.WAS if helper in _WAS else None


def _finite(tokens: Sequence[Token], n: int) -> _Form | None:
    """Return the form of a verb right behind its subject; None for what may be a noun or belong to a noun."""
    word = tokens[n].word
    behind = tokens[n + 1].word if n + 1 < len(tokens) else ""
    if not n or not tokens[n - 1].content or behind == "by" or word in _PLURALS:
        return None
    if is_past(word):
        return _Form.DID
    return _Form.BARE if word.endswith("s") and not word.endswith("ss") else None


def _helper(tokens: Sequence[Token], n: int) -> Token | None:
    """Return the word of grammar that a word of content hangs on, behind words such as "not"; None without one."""
    for before in reversed(tokens[max(0, n - 4) : n]):
        if before.word in _BETWEEN or before.word.endswith("ly"):
            continue
        is_short = before.word.endswith(("'s", "\u2019s"))  # "the meter's mounted"
        is_helper = is_short or before.word in _IS | _WAS | _HAS | _BEHIND_MODAL or before.kind is FactKind.MODALITY
        return before if is_helper else None
    return None


RULES = (is_done_already,)
"""What is looked for in two aligned sentences, in this order."""
