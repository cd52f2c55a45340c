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
_MONTH = (
    "(?:January|February|March|April|May|June|July|August|September|October|November|December"
    "|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?)"
)
_DAY = rf"(?:\d{{4}}|(?:\d{{1,2}} )?{_MONTH}(?: \d{{4}})?)"
_WHEN = rf"(?P<rest> (?:in|on) {_DAY})?"
_LED = re.compile(rf"(?P<when>(?:In|On) {_DAY}),? (?P<main>.+)")
_LEANS = re.compile(
    r"\b(?:he|she|it|they|his|her|hers|its|their|that|which|who|whom|and|or|only|also|just|even|almost|nearly|never|not"
    r"|already|once|again|perhaps|hardly|\w{2,}ly)\b"
    r"|\b(?!(?:of|in|on|at|near|behind|beside|by|with|from|for|under|over|between|to|sold|sells?|lent|lends?|leased|leases)\b)"
    r"[\w-]+ (?:the|an?) ",
    re.IGNORECASE,
)
"""What may belong to another party where the two change places: whose it is, a clause, "only"."""
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
    if any(_LEANS.search(hit[name]) for name in ("one", "what", "two")):
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
_SEVERAL = re.compile(
    r"\b(?!(?:is|was|has|does|always|perhaps|across|besides|unless|towards|this|its)\b)[a-z]+(?<!s)(?<!u)(?<!i)s\b"
)
_ONE_THING = re.compile(r"\b(?:the|an?|this|that|each|every|your|our|its|their|his|her)\b")
_OF_SEVERAL = re.compile(
    r"\b(?:these|those|all|people|children|(?:the|your|our|its|their|his|her) (?:[\w-]+ )?[\w-]+(?<!s)s)\b"
    r"|\b(?!(?:pays|is|has)\b)[a-z]+(?<!s)(?<!u)(?<!i)s$"
)
_OVER_CLAUSES = re.compile(
    r"\b(?:that|whether|why|how|what|who|which|and|or|but|nor|only|just|even|rather)\b"
    r"|\b(?:decid|promis|agree|refus|offer|threaten|forg[eo]t|plan|tell|told|ask|remind|instruct|order|warn|advis|propos|vow"
    r"|pledg|intend|want|expect|invit|urg|persuad|wish|hop|tr[iy]|attempt|arrang|request)\w*\b.* to "
    r"|\b(?:sa(?:y|ys|id)|claim(?:s|ed)?|hear[ds]?|think(?:s)?|thought|know[s]?|knew|learn(?:s|ed|t)?|f(?:ind|inds|ound)"
    r"|hope[ds]?|fear(?:s|ed)?|believe[ds]?|admit(?:s|ted)?|den(?:y|ies|ied)|report(?:s|ed)?|see[s]?|saw|notice[ds]?"
    r"|suspect(?:s|ed)?|promise[ds]?|agree[ds]?|complain(?:s|ed)?)\b"
)
"""What a clause at the end may belong to, or bear on, instead of the whole: "they claim that", "decided to"."""
_NOT_BECAUSE = re.compile(
    r"\b(?:not|never|no|none|nothing|hardly|rarely|seldom|often|sometimes|usually|always|mostly|mainly|cannot|scarcely)\b|n['\u2019]t\b"
)
"""Beside "because" at the end these may deny, or count, the cause."""


def with_its_clause_last(sentence: str, other: str) -> str:
    """Write "although the bridge was repaired, it stayed shut" as "the bridge stayed shut although it was repaired".

    If the other text has it so, and the clause names nothing else that the pronoun could mean.
    """
    hit = _CLAUSE_FIRST.fullmatch(sentence)
    if hit is None or _OTHER_THING.search(hit["does"]) or _may_mean_another(hit):
        return sentence
    written = f"{capital(hit['who'])} {hit['rest']} {small(hit['when'])} {hit['it']} {hit['does']}{hit['end']}"
    also = f"{capital(hit['who'])} {hit['rest']}, {small(hit['when'])} {hit['it']} {hit['does']}{hit['end']}"
    return next((each for each in (written, also) if each in other), sentence)


def _may_mean_another(hit: re.Match[str]) -> bool:
    """Return whether a pronoun may be another thing once its clause is last, or the clause belong to a part alone."""
    if _OVER_CLAUSES.search(hit["rest"]) or (hit["when"] == "Because" and _NOT_BECAUSE.search(hit["rest"])):
        return True
    if hit["it"] == "it":
        return _ONE_THING.search(hit["rest"]) is not None
    return bool(_SEVERAL.search(hit["does"].partition(" ")[2]) or _OF_SEVERAL.search(hit["rest"]))


_NO_ONE = re.compile(
    r"No (?P<what>(?!(?:more|other|others|further|additional|fewer|less|such|"
    r"longer|one|two|three|four|better)\b)[a-z][\w-]*(?: [a-z][\w-]*)?) "
    r"(?P<may>may|can|will|shall) (?P<rest>(?!not\b)[a-z][^;:]*)"
)
"""Not "must": "no guest must pay" says that none has to."""
_ON_PURPOSE = re.compile(
    r"(?:take (?:photographs|photos|pictures)|use|enter|park|smoke|vote|bring|open|touch|climb|swim|sell"
    r"|sublet|store|ride|remove|copy|carry|paint|install|light|feed|drive|cycle|walk|play|eat|drink|sleep"
    r"|camp|cross|lend|keep|apply|join|speak|buy|book|borrow|work|stay|stop|overtake|charge|wash|cook|dive"
    r"|fish|jump|ski|skate|sign|own|hunt|board|land|dock)\b"
)
"""What is done on purpose, so that who "may not" do it is forbidden to; who "may not arrive" perhaps does not."""
_OVER_ALL = re.compile(r"\b(?:because|since|as|always|all|every|both|each|either|and|or)\b")


def with_a_denied_deed(sentence: str, other: str) -> str:
    """Write "no vehicle may park here" as "vehicles may not park here", if the other text has it so."""
    hit = _NO_ONE.fullmatch(sentence)
    if hit is None or hit["what"].split()[0] in word_list("en", "light") or _OVER_ALL.search(hit["rest"]):
        return sentence
    if hit["may"] == "may" and _ON_PURPOSE.match(hit["rest"]) is None:
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
