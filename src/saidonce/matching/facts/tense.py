"""When something is done: a verb or a state in the present of one English sentence and over in the other.

Words of grammar are counted over a whole sentence elsewhere, so that "was inspected and is out of order" has as many
as "is inspected and was out of order". Here each belongs to the word behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from saidonce.foundation.model import FactKind
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.lexicon import is_past, past_forms
from saidonce.matching.facts.sentence_relations import Places, relations_of, span_of


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


def is_done_already(a: str, b: str, language: str) -> Places | None:
    """Return the first word that is in the present in one of two English sentences and over in the other.

    "Replaces" and "has replaced", "is open" and "was open". A word that a sentence has in two forms says nothing.
    """
    if language != "en":
        return None
    here, there = (_forms(relations_of(text, language).tokens) for text in (a, b))
    for key, (form, token) in here.items():
        other = there.get(key)
        if form is None or other is None or other[0] is None or form == other[0]:
            continue
        if {form, other[0]} == {_Form.IS, _Form.HAS} and _lasts(token, other[1], (a, b)):
            continue
        if {form, other[0]} == {_Form.IS, _Form.DID} and f" {other[1].word} by " not in (b if form is _Form.DID else a):
            continue
        if frozenset((form, other[0])) in _DIFFERENT and (
            _Form.BARE not in (form, other[0]) or _are_forms(form, token, other[1])
        ):
            return span_of(a, token), span_of(b, other[1])
    return None


def _are_forms(form: _Form, token: Token, other: Token) -> bool:
    """Return whether a bare word is a form of the verb: "replaces", and no "replacement"."""
    if form is not _Form.BARE:
        token, other = other, token
    bare = token.word
    forms = {bare, bare.removesuffix("s"), bare.removesuffix("es"), re.sub("ies$", "y", bare)}
    if not is_past(other.word):
        return False
    present = past_forms().get(other.word, other.word)
    past = {f"{f}{end}" for f in forms for end in ("ed", "d", f"{f[-1:]}ed")} | {re.sub("y$", "ied", f) for f in forms}
    return present in forms or other.word in past


def _lasts(one: Token, two: Token, texts: tuple[str, str]) -> bool:
    is_done_by_somebody = any(f" {t.word} by " in text for t, text in zip((one, two), texts, strict=True))
    return {one.word, two.word} <= _LASTING and not is_done_by_somebody


def _forms(tokens: Sequence[Token]) -> dict[str, tuple[_Form | None, Token]]:
    """Return the form of each word of content, by its key; None for a word in two forms, or in none that tells."""
    forms: dict[str, tuple[_Form | None, Token]] = {}
    for token, form in _each(tokens):
        known = forms.get(token.key)
        forms[token.key] = (form if known is None or known[0] == form else None, token)
    return forms


def _each(tokens: Sequence[Token]) -> Iterator[tuple[Token, _Form | None]]:
    is_bound = False
    for n, token in enumerate(tokens):
        is_bound = is_bound or token.word in _BINDING
        if not token.content:
            continue
        if is_bound:
            yield token, None
            continue
        helper = _helper(tokens, n)
        if helper is None:
            yield token, _finite(tokens, n)
        elif helper.word in _HAS or helper.word == "had":
            is_verb = is_past(token.word) or "been" in (t.word for t in tokens[max(0, n - 4) : n])
            yield token, (_Form.HAS if helper.word in _HAS else _Form.WAS) if is_verb else None
        else:
            yield token, _Form.IS if helper.word in _IS else _Form.WAS if helper.word in _WAS else None


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
