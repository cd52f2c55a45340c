"""Phrases that say nearly the same: which of two stands there decides what a sentence states.

"Is able to", "is allowed to"; "two of the doors", "the two doors"; "searched the house", "searched for the house".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from saidonce.foundation.model import Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.lexicon import is_past
from saidonce.matching.facts.sentence_relations import Places, SentenceRelations, relations_of, span_of

_COUNT = r"(?P<count>two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,3}|many|few|several|some)"
_WHO = "(?:they|he|she|we|you|it|i)"
_PERIOD = r"(?P<period>night|week|weekend|month|year|decade|century|spring|summer|autumn|winter|season|term|quarter)\b"

_HOLLOW = (
    "(?:holes?|pits?|trench(?:es)?|ditch(?:es)?|wells?|ponds?|gaps?|graves?|cracks?|canals?|moats?|shafts?|tunnels?)"
)


def _phrase(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_PARTED = (
    (_phrase(r"\b(?:allowed|permitted|entitled|authori[sz]ed) to\b"), _phrase(r"\b(?:un)?able to\b")),
    (_phrase(rf"\b{_COUNT} of the\b"), _phrase(rf"\bthe {_COUNT}\b(?! of\b)")),
    (_phrase(rf"(?<!the )\blast {_PERIOD}"), _phrase(rf"\bfinal {_PERIOD}")),
    (_phrase(r"(?<!the )\bonly one of\b"), _phrase(r"\bthe only one of\b")),
    (_phrase(r"\bthe cold\b(?!\s+\w)"), _phrase(r"\ba cold\b(?!\s+\w)")),
    (_phrase(r"\bis right\b"), _phrase(r"\bhas (?:the )?rights?\b")),
    (_phrase(r"°\s?C\b|\bcelsius\b"), _phrase(r"°\s?F\b|\bfahrenheit\b")),
    (_phrase(r"\b(?:each|every) (?P<noun>\w+)\b"), _phrase(r"\bthe (?P<noun>\w+)\b")),
    (_phrase(r"\b(?:this|these) (?P<noun>\w+)\b"), _phrase(r"\b(?:that|those) (?P<noun>\w+)\b")),
    (
        _phrase(r"\b(?:both|all|two|three|several|many)\b.*\bat once\b"),
        _phrase(r"\b(?:immediately|right away|straight away)\b"),
    ),
    (_phrase(r"\bthanks to\b"), _phrase(r"\bto thank\b")),
    (_phrase(r"\bhalf as (?:much|many)\b(?! again)"), _phrase(r"\bhalf as (?:much|many) again\b")),
    (_phrase(r"\b(?:almost|nearly) (?:all|every\w*)\b"), _phrase(r"\b(?:hardly|scarcely|barely) any\w*\b")),
    (_phrase(r"\b(?:such as|for example|for instance|e\.g\.)"), _phrase(r"\b(?:namely|i\.e\.)")),
    (_phrase(r"\bon the left\b"), _phrase(r"\b(?:is|are|was|were|be|been) left\b")),
    (_phrase(rf"\bwhose \w+ {_WHO}\b"), _phrase(rf"\bwhose \w+ (?!{_WHO}\b)")),
    (_phrase(r"\blook(?:s|ed|ing)? into\b"), _phrase(r"\blook(?:s|ed|ing)? at\b")),
    (
        _phrase(rf"\b{_HOLLOW}\b.*\bfill\w* (?:in|out)\b|\bfill\w* in (?:[\w-]+ ){{1,3}}{_HOLLOW}\b"),
        _phrase(r"\bcomplet\w*"),
    ),
    (_phrase(r"\bsince\b"), _phrase(r"\b(?:because(?! of)|as)\b")),
)
"""Two phrases each, of which one sentence has the one alone and the other sentence the other."""

_PERFECT = _phrase(r"\b(?:has|have|had)\b|'ve\b")
"""With it "since" says from when on, or may do so."""


def is_near_phrase(a: str, b: str) -> Places | None:
    """Return the first two phrases that say nearly the same, of which each of two English sentences has one alone.

    "Allowed to" and "able to", "two of the doors" and "the two doors", "last winter" and "the final winter", "since"
    and "because" of what has lasted.
    """
    of_a, of_b = _parted(a), _parted(b)
    for n in sorted(of_a.keys() ^ of_b.keys()):
        is_turned = n in of_b
        x, y, here = (b, a, of_b[n]) if is_turned else (a, b, of_a[n])
        other = _PARTED[n][1]
        there = None if other.search(x) else other.search(y)
        if there is None or _counted(here) != _counted(there):
            continue
        if here.group().casefold() == "since" and not (_PERFECT.search(x) and _PERFECT.search(y)):
            continue
        spans = Span.of(here), Span.of(there)
        return (spans[1], spans[0]) if is_turned else spans
    return None


@remembered(4_096)
def _parted(text: str) -> Mapping[int, re.Match[str]]:
    """Return the first phrases that a sentence has, by their places in the list, each where it stands first."""
    return {n: hit for n, (one, _) in enumerate(_PARTED) if (hit := one.search(text))}


def _counted(phrase: re.Match[str]) -> list[str]:
    return [word.casefold() for word in phrase.groupdict().values()]


_COPY = _phrase(r"\b(?:cop(?:y|ies)|scans?|photocop(?:y|ies)) of\b")


def is_a_copy(a: str, b: str) -> Places | None:
    """Return the "copy of" that one of two English sentences has alone."""
    here, there = _COPY.search(a), _COPY.search(b)
    if bool(here) == bool(there):
        return None
    return tuple(Span.of(m) if m else None for m in (here, there))  # type: ignore[return-value]


_ALONE = (
    (
        _phrase(
            r"(?<!\bbe )(?<!\bis )(?<!\bare )(?<!\bget )(?<!\bgot )(?<!\bwas )(?<!\bwere )(?<!\bnot )"
            r"\bused to (?!the\b|an?\b)\w+"
        ),
        _phrase(
            r"\b(?:used to|formerly|previously|once|in the past|no longer|not any ?more|any longer|would|earlier)\b"
        ),
    ),
    (_phrase(r"\bcapable of\b"), _phrase(r"\b(?:can|could|able|capable|may|might|capacity|ability)\b")),
    (
        _phrase(
            r"\b(?:was|were|had been) (?:\w+ly |not )?"
            r"(?:permitted|allowed|able|required|obliged|forbidden|entitled|supposed|expected|advised|free) to\b"
        ),
        _phrase(r"\b(?:was|were|had|could|might|did|would|let|\w{3,}ed)\b"),
    ),
)
"""A phrase each, and what the other sentence has where it says that too: what was once, can be, or was allowed."""


def is_alone(a: str, b: str) -> Places | None:
    """Return the first phrase that one of two English sentences has, while the other says nothing of the kind.

    "Used to close at dusk", "closes at dusk"; "is capable of lifting", "lifts"; "were permitted to", "may".
    """
    for phrase, excuse in _ALONE:
        for x, y, is_turned in ((a, b, False), (b, a, True)):
            if (alone := phrase.search(x)) and not excuse.search(y):
                span = Span.of(alone)
                return (None, span) if is_turned else (span, None)
    return None


_AIMING = _phrase(r"\b(?:stop(?:s|ped)?|forgets?|forgot|remember(?:s|ed)?|regret(?:s|ted)?) to (?P<verb>\w+)")


def is_aimed_at(a: str, b: str) -> Places | None:
    """Return the verb that is aimed at behind "stop" or "remember" in one English sentence, and done in the other.

    "Stopped to photograph the ruins", "stopped photographing the ruins".
    """
    one, two = relations_of(a, "en"), relations_of(b, "en")
    for x, text, y, is_turned in ((one, a, two, False), (two, b, one, True)):
        for aim in _AIMING.finditer(text):
            verb = next((t for t in x.tokens if t.start == aim.start("verb")), None)
            done = next((t for t in y.tokens if verb and _is_continued(t, verb)), None)
            if verb and done:
                return (span_of(a, done), span_of(b, verb)) if is_turned else (span_of(a, verb), span_of(b, done))
    return None


def _is_continued(word: Token, verb: Token) -> bool:
    """Return whether a word is a verb's form on "-ing"; "check" has the key of "cheque"."""
    return word.word.endswith("ing") and (word.key == verb.key or word.word.startswith(verb.word.removesuffix("e")))


_RESULT = _phrase(r"(?:,\s*which|\band (?:so|thus|thereby)) (?P<verb>\w+)")


def is_purpose(a: str, b: str) -> Places | None:
    """Return the verb behind ", which" or "and so" of one English sentence that the other has behind "to".

    "Left the tap dripping to keep the pipe from freezing", "..., which kept the pipe from freezing".
    """
    for x, y, is_turned in ((a, b, False), (b, a, True)):
        for result in _RESULT.finditer(x):
            verb = next((t for t in relations_of(x, "en").tokens if t.start == result.start("verb")), None)
            aim = _behind_to(y, verb.key) if verb else None
            if verb and aim:
                spans = span_of(x, verb), span_of(y, aim)
                return (spans[1], spans[0]) if is_turned else spans
    return None


def _behind_to(text: str, key: str) -> Token | None:
    tokens = relations_of(text, "en").tokens
    return next((t for t in tokens if t.key == key and _TO.search(text, 0, t.start)), None)


_TO = _phrase(r"\bto $")

_GOVERN = frozenset(("of", "at", "for"))
_TWO_GOVERN = (["in", "at"], ["in", "on"], ["by", "at"], ["round", "at"])
_SHARES = frozenset("each all both half most part inside outside off out plenty lots".split())
_LASTS = _phrase(
    r"for (?:[\w-]+ ){0,3}(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|decades?"
    r"|centur(?:y|ies)|miles?|kilomet(?:re|er)s?|while|long|ages)\b"
    r"|at (?:about |around )?(?:\d|noon|midnight|night|\w+ o'clock)"
)


def is_governed(a: str, b: str) -> Places | None:
    """Return the "of", "at" or "for" behind a verb that one of two English sentences has alone.

    "Searched for two suitcases", "searched two suitcases"; "was shot at", "was shot". How long something lasts may go
    without: "waited for two hours", "waited two hours".
    """
    one, two = relations_of(a, "en"), relations_of(b, "en")
    if one.content_keys != two.content_keys:
        return None
    for n, (here, there) in enumerate(zip(one.gaps[1:], two.gaps[1:], strict=True)):
        if (governs := _governing(here, there, a)) and _may_govern(one, n, a):
            return span_of(a, governs), None
        if (governs := _governing(there, here, b)) and _may_govern(two, n, b):
            return None, span_of(b, governs)
    return None


def _governing(more: Sequence[Token], less: Sequence[Token], text: str) -> Token | None:
    """Return the preposition that opens one gap, if the other has none and it does not say when or how long."""
    if not more or any(t.word in _PREPOSITIONS for t in less):
        return None
    if more[0].word not in _GOVERN and [t.word for t in more[:2]] not in _TWO_GOVERN:
        return None
    return None if _LASTS.match(text, more[0].start) else more[0]


_PREPOSITIONS = frozenset("of at for in on to with from into about by as upon over under".split())


_NOUN = _phrase(r"(?:^|\s)(?:the|an?|this|that|its|their|his|her|our|your|my|no) $")
"""What stands right before a noun."""


def _may_govern(sentence: SentenceRelations, n: int, text: str) -> bool:
    """Return whether a content word may be a verb that governs a preposition."""
    word = sentence.contents[n]
    return word.kind is None and word.word not in _SHARES and not _NOUN.search(text, 0, word.start)


def is_going_on(a: str, b: str) -> Places | None:
    """Return the verb that one English sentence has as going on or planned, and the other as past.

    "Is moving out", "moved out".
    """
    one, two = relations_of(a, "en"), relations_of(b, "en")
    for x, y, is_turned in ((one, two, False), (two, one, True)):
        for verb in _continued(x):
            past = next((t for t in y.contents if t.key == verb.key and is_past(t.word)), None)
            if (
                past is None
                or any(t.key == verb.key and t.word.endswith("ing") for t in y.contents)
                or _is_led(y, past)
            ):
                continue
            return (span_of(a, past), span_of(b, verb)) if is_turned else (span_of(a, verb), span_of(b, past))
    return None


def is_done_to(a: str, b: str) -> Places | None:
    """Return what makes a verb of one of two English sentences a passive, and not in the other.

    "Those who had been hired", "those who had hired"; "the flat is shared", "the flat shares".
    """
    one, two = relations_of(a, "en"), relations_of(b, "en")
    if one.content_keys != two.content_keys:
        return None
    for x, y, is_turned in ((one, two, False), (two, one, True)):
        for have, been, verb in zip(x.tokens, x.tokens[1:], x.tokens[2:], strict=False):
            if have.word not in _HAVE or been.word != "been" or verb.word.endswith("ing"):
                continue
            others = [t.key for before, t in pairwise(y.tokens) if before.word in _HAVE]
            if verb.content and verb.key in others:
                return (None, span_of(b, been)) if is_turned else (span_of(a, been), None)
        for be, verb in pairwise(x.tokens):
            doing = next((t for t in y.contents if t.key == verb.key and t.word != verb.word), None)
            is_passive = be.word in _BE and is_past(verb.word) and y.words.isdisjoint(_HELPS)
            if is_passive and doing and not is_past(doing.word) and not doing.word.endswith("ing"):
                return (span_of(a, doing), span_of(b, verb)) if is_turned else (span_of(a, verb), span_of(b, doing))
    return None


_BE = frozenset("is are was were".split())


def is_derived(a: str, b: str) -> Places | None:
    """Return the first words of one stem of which one alone names who or what does it, or how much.

    "The cleaner is new", "the cleaning is new"; "the contractor", "the contract"; "the older pump", "the old pump". All
    other words of the two English sentences have to be the same.
    """
    one, two = relations_of(a, "en").contents, relations_of(b, "en").contents
    if len(one) != len(two):
        return None
    others = [(x, y) for x, y in zip(one, two, strict=True) if x.word != y.word]
    if len(others) != 1:
        return None
    x, y = others[0]
    return (span_of(a, x), span_of(b, y)) if _derives(x.word, y.word) or _derives(y.word, x.word) else None


def _derives(word: str, other: str) -> bool:
    """Return whether a word has an ending that the other word of the same stem lacks."""
    suffix = _DERIVES.search(word)
    if suffix is None or _DERIVES.search(other):
        return False
    stems = {word[: suffix.start()], word[: suffix.start()] + "e"}
    plain = _ENDING.sub("", other)
    return not stems.isdisjoint({other, plain, plain + "e"})


_DERIVES = re.compile(r"(?<=..)(?:ers?|ors?|ees?|ists?|est|ty|ties)$")
_ENDING = re.compile(r"(?:ings?|ments?|ions?|ed|e?s)$")


_HAVE = frozenset("has have had having".split())
_IS = frozenset("is are am".split())
_HELPS = frozenset("is are am was were be been being have has had".split())


def _continued(sentence: SentenceRelations) -> list[Token]:
    """Return the verbs on "-ing" right behind "is" or "are"."""
    tokens = sentence.tokens
    return [t for be, t in pairwise(tokens) if be.word in _IS and t.word.endswith("ing")]


def _is_led(sentence: SentenceRelations, verb: Token) -> bool:
    """Return whether a helping verb stands right before a verb, so that it is no past form."""
    at = sentence.tokens.index(verb)
    return at > 0 and sentence.tokens[at - 1].word in _HELPS


_OWNED = _phrase(r"\bthe (?P<who>[a-z]+)(?:['\u2019]s|(?<=s)['\u2019]) (?P<what>[a-z]+)\b")
_SENT = frozenset(
    "letter letters invoice invoices message messages email emails complaint complaints gift gifts present presents"
    " payment payments answer answers reply replies request requests note notes offer offers report reports warning"
    " warnings notice notices bill bills call calls visit visits apology threat speech claim claims demand".split()
)
"""What goes from one to another: to whom, and whose, are two people."""


def is_owned(a: str, b: str) -> Places | None:
    """Return whose something is in one of two English sentences, and whom it is about or goes to in the other.

    "The manager's complaint", "the complaint about the manager".
    """
    for x, y, is_turned in ((a, b, False), (b, a, True)):
        for owned in _OWNED.finditer(x):
            ties = "about|on|against|concerning|regarding" + ("|to|for" if owned["what"].lower() in _SENT else "")
            if tied := re.search(rf"\b{owned['what']} (?:{ties}) the {owned['who']}\b", y, re.IGNORECASE):
                spans = Span.of(owned), Span.of(tied)
                return (spans[1], spans[0]) if is_turned else spans
    return None


_ENGLISH = (
    is_near_phrase, is_a_copy, is_purpose, is_governed, is_going_on, is_done_to, is_derived, is_alone, is_aimed_at,
    is_owned,
)  # fmt: skip
"""What is looked for, in this order."""


def says_nearly_the_same(a: str, b: str, language: str) -> Places | None:
    """Return the first phrases of two aligned English sentences that say nearly the same, and not quite."""
    if language != "en":
        return None
    return next((places for rule in _ENGLISH if (places := rule(a, b))), None)


RULES = (says_nearly_the_same,)
"""What is looked for in two aligned sentences, in this order."""
