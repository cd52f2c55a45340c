"""How a sentence stands by what it claims: how surely, tried or done, all but what, until when.

Such words are few, may stand anywhere in a sentence that is otherwise worded, and turn what it claims. A judge that
compares meanings overlooks them, so that their coming or going is an objection and not a choice of words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise

from saidonce.foundation.model import UNKNOWN_LANGUAGE, FactKind, Objection, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import Token, guess, tokens_of
from saidonce.matching.facts.compare import compare
from saidonce.matching.facts.lexicon import is_past, language_table, lines
from saidonce.matching.facts.result import Pairing
from saidonce.matching.facts.sentence_relations import Places, relations_of
from saidonce.matching.facts.synonymy import same_word

LONGEST = 1_000
"""Characters of a sentence up to which it is read."""


@remembered(4_096)
def other_standing(a: str, b: str, language: str = UNKNOWN_LANGUAGE) -> tuple[Objection, ...]:
    """Object where only one of two aligned sentences is unsure, only tries, leaves something out, or ends by a time."""
    language = guess(f"{a}\n{b}") if language == UNKNOWN_LANGUAGE else language
    for change in compare(a, b, language).changes:
        if change.relation in (Pairing.DELETED, Pairing.INSERTED) or change.a.text == change.b.text:
            continue
        if max(len(change.a.text), len(change.b.text)) > LONGEST:
            continue
        for kind, find in _RULES:
            if places := find(change.a.text, change.b.text, language):
                return (Objection(kind, *(_within(s, p) for s, p in zip((change.a, change.b), places, strict=True))),)
    return ()


def _within(sentence: Span, place: Span | None) -> Span:
    return place.moved(sentence.start) if place else Span(sentence.end, sentence.end, "")


@cache
def _table(language: str, name: str) -> re.Pattern[str] | None:
    """Return the lines of one list of `standing` as one expression; None without one."""
    rows = list(lines(language_table(language).get("standing", {}).get(name, "")))
    return re.compile(rf"(?<!\w)(?:{'|'.join(rows)})(?!\w)", re.IGNORECASE) if rows else None


def _only_one(a: Span | None, b: Span | None) -> Places | None:
    return (a, b) if (a is None) != (b is None) else None


def _first(pattern: re.Pattern[str] | None, sentence: str) -> Span | None:
    hit = pattern.search(sentence) if pattern else None
    return Span.of(hit) if hit else None


@remembered(8_192)
def _listed(sentence: str, name: str, language: str) -> Span | None:
    """Return the first words of a sentence from one list of `standing`; cached, since it is held against several."""
    return _first(_table(language, name), sentence)


def _is_unsure(a: str, b: str, language: str) -> Places | None:
    """Return the words by which one sentence reports or supposes what the other states."""
    places = _only_one(_listed(a, "unsure", language), _listed(b, "unsure", language))
    return places if places and not _hedges(b if places[0] else a, language) else None


def _is_tried(a: str, b: str, language: str) -> Places | None:
    """Return the words by which one sentence says that it is tried, wished or promised what the other has done."""
    places = _only_one(_listed(a, "tried", language), _listed(b, "tried", language))
    family = _table(language, "trying")
    if places is None or family is None:
        return None
    other = b if places[0] else a
    return None if family.search(other) or _hedges(other, language) else places


def _is_free(a: str, b: str, language: str) -> Places | None:
    """Return the words by which one sentence denies a duty where the other denies a leave: "need not", "must not"."""
    places = _only_one(_listed(a, "exempt", language), _listed(b, "exempt", language))
    if places is None:
        return None
    other = tokens_of(b if places[0] else a, language)
    forbids = any(t.kind is FactKind.NEGATION for t in other) and any(t.kind is FactKind.MODALITY for t in other)
    return places if forbids else None


def _hedges(sentence: str, language: str) -> bool:
    """Return whether a sentence has a modal verb, or says by whom it is said: another way not to state a thing."""
    sources = _table(language, "said")
    is_modal = any(t.kind is FactKind.MODALITY for t in tokens_of(sentence, language))
    return is_modal or (sources is not None and sources.search(sentence) is not None)


_FINITE = (
    "(?:is|are|was|were|am|be|has|have|had|do|does|did|can|could|may|might|must|shall|should|will|would|that|who|which)"
)
_ALL_BUT = re.compile(
    r"(?<!\w)(?:all|every|each|any|everyone|everybody|everything|anyone|anybody|anything|nobody|no one|nothing|none|no)"
    rf"(?: (?!{_FINITE}\b)[\w'-]+){{0,4}}? (?P<but>but)(?= (?!{_FINITE}\b|not\b|also\b|never\b|only\b|it\b|they\b)\w)",
    re.IGNORECASE,
)
_EXCEPTS = re.compile(
    r"\b(?:except\w*|exclud\w+|exclusive|apart from|aside from|other than|save for|bar|barring|not|without|omit\w*|"
    r"but|with the exception)\b",
    re.IGNORECASE,
)


def _leaves_out(a: str, b: str, language: str) -> Places | None:
    """Return the "but" of "all the hatches but one" where the other sentence leaves nothing out."""
    if language != "en":
        return None
    here, there = (_but(s) for s in (a, b))
    places = _only_one(here, there)
    return places if places and not _EXCEPTS.search(b if here else a) else None


@remembered(8_192)
def _but(sentence: str) -> Span | None:
    hit = _ALL_BUT.search(sentence)
    return Span(hit.start("but"), hit.end("but"), hit["but"]) if hit else None


_WINDOWS = {
    word: n
    for n, row in enumerate(
        "within\nin\nafter following\nbefore\nuntil till\nfrom since starting\non at during\nby\nfor".split("\n")
    )
    for word in row.split()
}
"""English words before a time, by what they make of it."""
_DURATION = re.compile(r"#\d+(?:\.\d+)? s")


def _other_window(a: str, b: str, language: str) -> Places | None:
    """Return the words that stand before the same time in both sentences, and make another of it."""
    if language != "en":
        return None
    here, there = dict(_windows(a)), dict(_windows(b))
    for key, (n, at) in here.items():
        if key in there and there[key][0] != n:
            return at, there[key][1]
    return None


@remembered(4_096)
def _windows(sentence: str) -> tuple[tuple[str, tuple[int, Span]], ...]:
    """Return each date or span of time that stands once, with the class of the word before it, and that word."""
    tokens = tokens_of(sentence, "en")
    times = [t.key for t in tokens if _is_time(t)]
    windows = []
    for before, token in pairwise(tokens):
        if not _is_time(token) or times.count(token.key) > 1 or before.word not in _WINDOWS:
            continue
        at = Span(before.start, token.end, sentence[before.start : token.end])
        windows.append((token.key, (_WINDOWS[before.word], at)))
    return tuple(windows)


def _is_time(token: Token) -> bool:
    return token.kind is FactKind.DATE or (token.kind is FactKind.UNIT and _DURATION.fullmatch(token.key) is not None)


def _other_span(a: str, b: str, language: str) -> Places | None:
    """Return "dans les dix jours" and "dans dix jours": within a time, and when it is over."""
    here, there = (_listed(s, "within", language) for s in (a, b))
    if here and not there and (other := _listed(b, "in", language)):
        return here, other
    if there and not here and (other := _listed(a, "in", language)):
        return other, there
    return None


_RELATIVE = re.compile(
    r"\b(?P<which>this|last|previous|past|next|coming|following) (?P<what>year|month|week|quarter|decade|century|"
    r"season|spring|summer|autumn|fall|winter|night|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b",
    re.IGNORECASE,
)
_WHICH = {"last": "past", "previous": "past", "next": "coming", "following": "coming"}


def _other_turn(a: str, b: str, language: str) -> Places | None:
    """Return "last year" and "this year"."""
    if language != "en":
        return None
    here, there = _turns(a), _turns(b)
    for what, (which, at) in here.items():
        if what in there and which != there[what][0]:
            return at, there[what][1]
    return None


@remembered(8_192)
def _turns(sentence: str) -> Mapping[str, tuple[str, Span]]:
    """Return each relative time of a sentence, such as "year": which one, and where that stands last."""
    times = ((m, m["which"].lower()) for m in _RELATIVE.finditer(sentence))
    return {m["what"].lower(): (_WHICH.get(which, which), Span.of(m)) for m, which in times}


_MANY = re.compile(
    r"\b(?:(?:tens|hundreds) of (?:thousands|millions)|dozens|scores|hundreds|thousands|millions|billions)\b", re.I
)


def _other_many(a: str, b: str, language: str) -> Places | None:
    """Return "hundreds" and "thousands"."""
    if language != "en":
        return None
    here, there = _many(a), _many(b)
    return (here, there) if here and there and here.text.lower() != there.text.lower() else None


@remembered(8_192)
def _many(sentence: str) -> Span | None:
    return _first(_MANY, sentence)


def _other_time(a: str, b: str, language: str) -> Places | None:
    """Return verbs of which one is past and one present, or one goes on and one is over; a synonym hides no tense."""
    if language != "en" or a.rstrip().endswith("?"):
        return None
    one, two = relations_of(a, language), relations_of(b, language)
    doing, over = (_going_on(a), _going_on(b)), (_is_over(a), _is_over(b))
    if doing[0] and over[1] and not doing[1] and not over[0]:
        return doing[0], over[1]
    if doing[1] and over[0] and not doing[0] and not over[1]:
        return over[0], doing[1]
    both = {v.word for v in one.finite.values()} & {v.word for v in two.finite.values()}
    # "Signed" beside the "contracts" of the other sentence is no other time, where both hold both.
    here, there = ([v for v in r.finite.values() if v.word not in both] for r in (one, two))
    for verb in here:
        for other in there:
            if is_past(verb.word) != is_past(other.word) and _are_forms(verb, other):
                return _of_token(verb), _of_token(other)
    return None


def _are_forms(verb: Token, other: Token) -> bool:
    """Return whether a past form and a form that ends in -s are of one verb, or of two of one meaning."""
    present = other if is_past(verb.word) else verb
    is_verb = present.word.endswith("s") and not present.word.endswith("ss")
    return is_verb and same_word(verb.word, other.word)


def _of_token(token: Token) -> Span:
    return Span(token.start, token.end, token.written)


_GOES_ON = re.compile(r"\b(?:is|are|am|was|were) (?:\w+ly |now |still |already )?\w{2,}ing\b(?! to\b)", re.IGNORECASE)
_OVER = re.compile(r"\b(?:has|have|had) (?:\w+ly |now |just |already |not |since )?(?P<verb>\w{3,})\b", re.IGNORECASE)


@remembered(8_192)
def _going_on(sentence: str) -> Span | None:
    return _first(_GOES_ON, sentence)


@remembered(8_192)
def _is_over(sentence: str) -> Span | None:
    return next((Span.of(m) for m in _OVER.finditer(sentence) if is_past(m["verb"].lower())), None)


_WITH = re.compile(r"\b(?P<whole>\w{3,}) with (?:the|a|an|its) (?P<part>\w{3,})\b", re.IGNORECASE)


def _other_whole(a: str, b: str, language: str) -> Places | None:
    """Return "the lid of the box" and "the box with the lid": a part, and the whole that has it."""
    if language != "en":
        return None
    for one, two, is_turned in ((a, b, False), (b, a, True)):
        if (whole := _whole(one)) and (part := _first(whole[1], two)):
            return (part, whole[0]) if is_turned else (whole[0], part)
    return None


@remembered(8_192)
def _whole(sentence: str) -> tuple[Span, re.Pattern[str]] | None:
    """Return the first whole with a part, and how the part of that whole is written; None where both stand here."""
    hit = _WITH.search(sentence)
    if not hit:
        return None
    part_of = re.compile(rf"\b{hit['part']} of (?:the|a|an|its) {hit['whole']}\b", re.IGNORECASE)
    return None if part_of.search(sentence) else (Span.of(hit), part_of)


_LETTERS = re.compile(r"`(\w)`")
_LISTED = re.compile(r"\s*(?:,|and|or|,\s*(?:and|or))\s*")


def _other_letters(a: str, b: str, _language: str) -> Places | None:
    """Return the first of the letters in backticks that change places, unless they are members of one list."""
    if "`" not in a or "`" not in b:
        return None
    here, there = list(_LETTERS.finditer(a)), list(_LETTERS.finditer(b))
    if len(here) < 2 or [m[1] for m in here] == [m[1] for m in there]:
        return None
    if sorted(m[1] for m in here) != sorted(m[1] for m in there):
        return None
    if all(_LISTED.fullmatch(a, one.end(), two.start()) for one, two in pairwise(here)):
        return None
    at = next(n for n, (x, y) in enumerate(zip(here, there, strict=True)) if x[1] != y[1])
    return Span.of(here[at]), Span.of(there[at])


_NOT_TO = re.compile(r"\bnicht, (?:\w+ ){0,6}?zu\b")
_TO_NOT = re.compile(r", (?:\w+ ){0,6}?nicht (?:\w+ ){0,3}?zu\b")


def _other_denied(a: str, b: str, language: str) -> Places | None:
    """Return "beschloss, nicht zu gehen" and "beschloss nicht, zu gehen": what is decided, and whether."""
    if language != "de":
        return None
    for one, two in ((_NOT_TO, _TO_NOT), (_TO_NOT, _NOT_TO)):
        here, there = _first(one, a), _first(two, b)
        if here and there and not two.search(a) and not one.search(b):
            return here, there
    return None


def _other_tie(a: str, b: str, language: str) -> Places | None:
    """Return "in addition to" and "as part of", or the like: what ties a thing to another in two ways."""
    here, there = _ties(a, language), _ties(b, language)
    only_here = next((span for n, span in here.items() if n not in there), None)
    only_there = next((span for n, span in there.items() if n not in here), None)
    return (only_here, only_there) if only_here and only_there else None


@remembered(8_192)
def _ties(sentence: str, language: str) -> dict[int, Span]:
    """Return the class of each tie of a sentence -> where it stands first."""
    listed = _table(language, "ties")
    hits = ((hit.lastindex or 0, Span.of(hit)) for hit in listed.finditer(sentence)) if listed else ()
    ties: dict[int, Span] = {}
    for n, span in hits:
        ties.setdefault(n, span)
    return ties


_Rule = Callable[[str, str, str], Places | None]

_RULES: tuple[tuple[FactKind, _Rule], ...] = (
    (FactKind.MODALITY, _is_unsure),
    (FactKind.MODALITY, _is_tried),
    (FactKind.MODALITY, _is_free),
    (FactKind.QUANTIFIER, _leaves_out),
    (FactKind.DATE, _other_window),
    (FactKind.DATE, _other_span),
    (FactKind.DATE, _other_turn),
    (FactKind.QUANTIFIER, _other_many),
    (FactKind.TENSE, _other_time),
    (FactKind.ROLE, _other_whole),
    (FactKind.ROLE, _other_tie),
    (FactKind.IDENTIFIER, _other_letters),
    (FactKind.NEGATION, _other_denied),
)
"""What is looked for in two aligned sentences, and what it is shown as."""
