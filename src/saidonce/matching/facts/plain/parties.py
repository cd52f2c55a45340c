"""English sentences that say one deed from either side, or of which a clause changes places with its pronoun."""

from __future__ import annotations

import re

from saidonce.matching.facts.lexicon import word_list
from saidonce.matching.facts.plain.tables import capital, small

_ONE = (
    r"(?:(?:the|an?|our|your|their|its|his|her) (?!to\b|from\b|of\b)[\w-]+(?: (?!to\b|from\b|of\b)[\w-]+)?"
    r"|[A-Z][\w-]+(?: [A-Z][\w-]+){0,2})"
)
_THING = r"(?:(?:the|an?|its|their|his|her|\d[\d.,]*|[a-z]+ (?:hundred|thousand|million)) [\w ,.'-]{1,60}?)"
_WHEN = r"(?P<rest> (?:in|on) (?:\d{4}|[A-Z][a-z]+(?: \d{4})?|\d{1,2} [A-Z][a-z]+(?: \d{4})?))?"
_LED = re.compile(r"(?P<when>(?:In|On) (?:\d{4}|[A-Z][a-z]+(?: \d{4})?|\d{1,2} [A-Z][a-z]+(?: \d{4})?)),? (?P<main>.+)")
_CONVERSE = {
    "sold": "bought", "sells": "buys", "sell": "buy", "lent": "borrowed", "lends": "borrows", "lend": "borrow",
    "leased": "rented", "leases": "rents",
}  # fmt: skip
_HANDED = re.compile(
    rf"(?P<one>{_ONE}) (?P<verb>sold|sells?|lent|lends?|leased|leases) (?P<what>{_THING}) to (?P<two>{_ONE}){_WHEN}"
    r"(?P<end>[.!]?)",
    re.IGNORECASE,
)
_HANDED_WHOM = re.compile(
    rf"(?P<one>{_ONE}) (?P<verb>sold|sells?|lent|lends?) (?P<two>{_ONE}) (?P<what>{_THING}){_WHEN}(?P<end>[.!]?)",
    re.IGNORECASE,
)


def with_the_other_party(sentence: str, other: str) -> str:
    """Write "the farmer sold the field to the parish" as "the parish bought the field from the farmer".

    If the other text has it so, with when it was at its end or in front.
    """
    if " from " not in other:
        return sentence
    led = _LED.fullmatch(sentence)
    main = capital(led["main"]) if led else sentence
    hit = _HANDED.fullmatch(main) or _HANDED_WHOM.fullmatch(main)
    if hit is None or (led and hit["rest"]):
        return sentence
    when = f" {small(led['when'])}" if led else hit["rest"] or ""
    turned = f"{hit['two']} {_CONVERSE[hit['verb'].lower()]} {hit['what']} from {small(hit['one'])}"
    for written in (
        f"{capital(turned)}{when}{hit['end']}",
        f"{capital(when.strip())}, {small(turned)}{hit['end']}",
        f"{capital(when.strip())} {small(turned)}{hit['end']}",
    ):
        if written in other:
            return written
    return sentence


_CLAUSE_FIRST = re.compile(
    r"(?P<when>Although|Though|If|When|Because|Once|Unless) (?P<who>(?:the|an?|your|our) [\w-]+(?: [\w-]+)??) "
    r"(?P<does>[^,;:]+), (?P<it>it|they) (?P<rest>[^,;:]+?)(?P<end>[.!]?)"
)
_OTHER_THING = re.compile(r"\b(?:the|an?|your|our|its|their|his|her|each|every|all|these|those|this|that|which|who)\b")


def with_its_clause_last(sentence: str, other: str) -> str:
    """Write "although the bridge was repaired, it stayed shut" as "the bridge stayed shut although it was repaired".

    If the other text has it so, and the clause names nothing else that the pronoun could mean.
    """
    hit = _CLAUSE_FIRST.fullmatch(sentence)
    if hit is None or _OTHER_THING.search(hit["does"]):
        return sentence
    written = f"{capital(hit['who'])} {hit['rest']} {small(hit['when'])} {hit['it']} {hit['does']}{hit['end']}"
    also = f"{capital(hit['who'])} {hit['rest']}, {small(hit['when'])} {hit['it']} {hit['does']}{hit['end']}"
    return next((each for each in (written, also) if each in other), sentence)


_NO_ONE = re.compile(
    r"No (?P<what>(?!(?:more|other|others|further|additional|fewer|less|such|"
    r"longer|one|two|three|four|better)\b)[a-z][\w-]*(?: [a-z][\w-]*)?) "
    r"(?P<may>may|must|can|will|shall) (?P<rest>(?!not\b)[a-z][^;:]*)"
)


def with_a_denied_deed(sentence: str, other: str) -> str:
    """Write "no vehicle may park here" as "vehicles may not park here", if the other text has it so."""
    hit = _NO_ONE.fullmatch(sentence)
    if hit is None or hit["what"].split()[0] in word_list("en", "light"):
        return sentence
    many = hit["what"] if hit["what"].endswith("s") else f"{hit['what']}s"
    denied = "cannot" if hit["may"] == "can" else f"{hit['may']} not"
    written = f"{capital(many)} {denied} {hit['rest']}"
    return written if written in other else sentence


_HELD = re.compile(
    r"\b(?:who|that|which) (?:hold|holds|have|has) (?P<what>an? (?:[\w-]+ )?(?:visa|ticket|permit|licence|license"
    r"|pass|card|reservation|booking|invitation|voucher|degree|certificate|diploma|contract|disability|membership|account"
    r"|passport))"
    r"(?= (?:may|must|can|cannot|will|shall|should|are|is|do|does|needs?|have|has|gets?|receives?"
    r"|pays?)\b)"
)


def with_what_is_held(sentence: str, other: str) -> str:
    """Write "passengers who hold a valid visa may" as "passengers with a valid visa may", if the other text has it so.

    Of papers and rights alone: whoever has a dog has it not always with them.
    """
    return _HELD.sub(lambda hit: f"with {hit['what']}" if f"with {hit['what']}" in other else hit[0], sentence)


FORMS = (with_the_other_party, with_its_clause_last, with_a_denied_deed, with_what_is_held)
"""Each writes one sentence in one form, given the other text; as it was, if the form is another."""
