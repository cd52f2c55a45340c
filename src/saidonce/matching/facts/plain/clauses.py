"""English sentences of one meaning and several forms, written in one form."""

from __future__ import annotations

import re
from collections.abc import Callable

from saidonce.foundation.text import sentences
from saidonce.matching.facts.lexicon import known_words, word_list
from saidonce.matching.facts.plain.tables import base_of_gerund, base_of_participle, capital, small

_DETERMINED = r"(?:the|a|an|each|every|all|any|your|our|this|these|its|their)"
_BANNED = r"(?:strictly |expressly )?(?:forbidden|prohibited|banned|not allowed|not permitted)"
_NAMED = r"(?P<what>[A-Z][\w'-]*(?: [\w'-]+){0,6}?)"
_NOT_PLAIN = re.compile(r"\b(?:if|when|which|that|who|whose|is|are|was|were|only|never|always|and|or|by|to)\b")

_IT_IS_BANNED = re.compile(rf"It is {_BANNED} to (?P<rest>\w.*)")
_BEFALLS = (  # "You may not" before one of these says what may not happen, and forbids nothing
    r"(?:be|have|get|need|hear|see|receive|find|notice|feel|like|want|know|understand|qualify|require|recogni[sz]e|experience)\b"
)
_YOU_MAY_NOT = re.compile(
    rf"You (?:must not|are not (?:allowed|permitted) to|may not(?! {_BEFALLS})) (?P<rest>(?!be\b)\w.*)"
)
_DOING_IS_BANNED = re.compile(rf"(?P<verb>\w+ing) (?P<what>[\w' -]*?) ?is {_BANNED}(?P<rest>[ .].*)?")
_BANNED_DOING = re.compile(r"No (?P<verb>\w+ing)(?P<rest>[ .].*)")
_MUST_NOT_BE = re.compile(rf"{_NAMED} (?P<modal>must|may) not be (?P<verb>\w+)(?P<rest>[ .].*)")
_IT_IS_NEEDED = re.compile(r"It is (?:necessary|mandatory|obligatory|compulsory) to (?P<rest>\w.*)")
_YOU_MUST = re.compile(r"You (?:must|have to|need to|are required to) (?P<rest>(?!not\b|be\b|have\b|only\b)\w.*)")
_MUST_BE = re.compile(
    rf"{_NAMED} (?:must|is to|are to|has to|have to|needs to|need to) be (?P<verb>\w+)(?P<rest>[ .].*)"
)
_STATES = frozenset(
    "known allowed located based understood able permitted required supposed used meant made lost broken gone mistaken"
    " damaged blocked stuck missed".split()
)

_MAY_NOT_COME = frozenset(
    "delivered finished completed paid found received noticed shown displayed recognised recognized supported included"
    " updated published refunded covered heard seen detected repaired approved accepted restored saved loaded sent"
    " recorded affected cleared cured healed remembered needed shipped dispatched posted".split()
)
"""What "may not be" done is perhaps not done in time, and is not forbidden."""


def as_a_bidding(sentence: str, other: str) -> str:
    """Write what has to be done, or must not be, as "do" and "do not", if the other text bids or bans the same."""
    written = _bidding(sentence)
    theirs = (_bidding(t.text) for t in sentences(other)) if written != sentence else ()
    return written if _opening(written) in map(_opening, theirs) else sentence


def _opening(sentence: str) -> tuple[bool, str]:
    """Return whether a sentence, or what stands behind a clause in front, begins with "do not", and its next word."""
    hit = _FRONTED.fullmatch(sentence)
    main = capital(hit["main"]) if hit else sentence
    return main.startswith("Do not "), main.removeprefix("Do not ").split(" ", 1)[0].casefold()


_FRONTED = re.compile(r"(?P<front>(?:If|When|Whenever|Before|After|Once|Unless) [^,;:]+, )(?P<main>[^,;:]+)")


def _bidding(sentence: str) -> str:
    if fronted := _FRONTED.fullmatch(sentence):
        main = capital(fronted["main"])
        written = _bidding(main)
        return f"{fronted['front']}{small(written)}" if written != main else sentence
    for at in (_IT_IS_BANNED, _YOU_MAY_NOT):
        if hit := at.fullmatch(sentence):
            return f"Do not {hit['rest']}"
    for at in (_IT_IS_NEEDED, _YOU_MUST):
        if hit := at.fullmatch(sentence):
            return capital(hit["rest"])
    return _of_doing(sentence) or _of_what(sentence) or sentence


def _of_doing(sentence: str) -> str:
    """Return a ban of doing something ("No smoking in the hall") as a bidding; empty for another sentence."""
    hit = _DOING_IS_BANNED.fullmatch(sentence) or _BANNED_DOING.fullmatch(sentence)
    if hit is None:
        return ""
    what = hit.groupdict().get("what") or ""
    verb = base_of_gerund(hit["verb"].lower())
    if not verb or _NOT_PLAIN.search(what):
        return ""
    return f"Do not {verb}{' ' if what else ''}{what}{hit['rest'] or ''}"


def _of_what(sentence: str) -> str:
    """Return what must or must not be done ("The key must be copied") as a bidding; empty where a doer is named."""
    for at, opening in ((_MUST_NOT_BE, "Do not {}"), (_MUST_BE, "{}")):
        hit = at.fullmatch(sentence)
        if hit and at is _MUST_NOT_BE and hit["modal"] == "may" and hit["verb"] in _MAY_NOT_COME:
            continue
        if hit is None or re.search(r"\bby (?:the|a|an|us|you|your|our|him|her|them|[A-Z])\b", hit["rest"]):
            continue
        verb = base_of_participle(hit["verb"])
        if verb and hit["verb"] not in _STATES and not _NOT_PLAIN.search(hit["what"]):
            return capital(opening.format(f"{verb} {small(hit['what'])}{hit['rest']}"))
    return ""


_GIVES = (
    r"(?P<verb>sends?|sent|gives?|gave|shows?|showed|hands?|handed|offers?|offered|lends?|lent|sells?|sold|issues?|"
    r"issued|grants?|granted|forwards?|forwarded)"
)
_TO_WHOM = re.compile(
    rf"\b{_GIVES} (?P<whom>{_DETERMINED} [\w-]+(?: (?!(?:to|of|for|from|in|on|with)\b)[\w-]+)?) "
    rf"(?P<what>(?:{_DETERMINED}|one|two|three|\d+) [^.,;:]+?)"
    r"(?P<rest>(?: (?:on|at|in|by|before|after|within|when|if|unless|every|each|until|free)\b[^.,;:]*)?[.,;]|$)"
)


def with_to(sentence: str, _other: str) -> str:
    """Write "sends the tenant a copy" as "sends a copy to the tenant"."""
    return _TO_WHOM.sub(r"\g<verb> \g<what> to \g<whom>\g<rest>", sentence)


_PROVIDES = re.compile(
    rf"\b(?P<verb>provides?|provided|suppl(?:y|ies|ied)|issues?|issued) "
    rf"(?P<whom>{_DETERMINED} [\w-]+(?: [\w-]+)?) with "
    rf"(?P<what>(?:{_DETERMINED}|one|two|three|\d+) [^.,;:]+?)(?P<rest>[.,;]|$)"
)


def provided_to(sentence: str, _other: str) -> str:
    """Write "provides every guest with a towel" as "provides a towel to every guest"."""
    return _PROVIDES.sub(r"\g<verb> \g<what> to \g<whom>\g<rest>", sentence)


_THERE_IS = re.compile(
    rf"There (?:is|are) (?P<what>(?:(?!\b(?:no|not|in|on|at|of|that|which|where|if)\b)[\w'-]+ )+)(?:in|on|at) "
    rf"(?P<where>{_DETERMINED} [\w'-]+(?: [\w'-]+)?)(?P<end>[.!]?)"
)


def with_has(sentence: str, other: str) -> str:
    """Write "there are two exits in the hall" as "the hall has two exits", if the other text has "has"."""
    hit = _THERE_IS.fullmatch(sentence)
    if hit is None or not re.search(r"\b(?:has|have)\b", other):
        return sentence
    return f"{capital(hit['where'])} has {hit['what'].strip()}{hit['end']}"


_COUNTED = r"(?:a|an|one|two|three|four|five|six|seven|eight|nine|ten|\d+)"
_THERE_STANDS = re.compile(
    rf"There (?P<be>is|are|was|were) (?P<what>{_COUNTED} [\w-]+(?: [\w-]+){{0,2}}?) "
    rf"(?P<where>(?:next to|in front of|behind|beside|near|above|below|under|on|in|at|opposite|between) "
    rf"(?P<place>{_DETERMINED} [\w '-]+))(?P<end>[.!]?)"
)


def without_there(sentence: str, other: str) -> str:
    """Write "there is a kiosk next to the pier" as "a kiosk is next to the pier", if the other text begins so."""
    hit = _THERE_STANDS.fullmatch(sentence)
    if hit is None or capital(hit["what"]) not in other or re.search(r"\b[Tt]here\b", other):
        return sentence
    if _NOT_PLAIN.search(f"{hit['what']}, {hit['place']}"):
        return sentence
    return f"{capital(hit['what'])} {hit['be']} {hit['where']}{hit['end']}"


_WHERE_THERE = re.compile(
    rf"(?P<where>(?:On|In|At) {_DETERMINED} [\w-]+(?: [\w-]+)?),? there (?P<be>is|are|was|were) "
    r"(?P<what>(?:an?|one|two|three|four|some|no|\d+) [\w-]+(?: [\w-]+)?)"
    r"(?P<rest>(?: (?:where|which|that|for|with) .*)?[.!]?)"
)


def with_there_first(sentence: str, other: str) -> str:
    """Write "at the gate there is a bell" as "there is a bell at the gate", if the other text has it so."""
    hit = _WHERE_THERE.fullmatch(sentence)
    written = f"There {hit['be']} {hit['what']} {small(hit['where'])}{hit['rest']}" if hit else ""
    return written if written and written in other else sentence


_UNLESS = re.compile(
    r"\b(?P<unless>[Uu]nless) "
    r"(?P<who>(?:it|he|she|you|they|we|(?:the|a|an|your|his|her|its|their) [\w-]+(?: [\w-]+)?)) "
    r"(?:(?P<be>is|are|was|were|has been|have been) |(?P<does>\w{2,}[^s\W]s)\b)(?P<rest>[^,.;:]*)"
)
_QUANTIFIED = re.compile(
    r"\b(?:all|every|each|any|both|some|many|most|not|no|never|nobody|none|nothing|only|also|and|or|nor|either|always)\b",
    re.IGNORECASE,
)


def without_unless(sentence: str, other: str) -> str:
    """Write "unless the raft is damaged" as "if the raft is not damaged", if the other text says "if" and "not"."""
    hit = _UNLESS.search(sentence)
    if hit is None or not re.search(r"\b[Ii]f\b.*(?:\bnot\b|n't\b)", other) or _QUANTIFIED.search(hit[0]):
        return sentence
    opening = "If" if hit["unless"] == "Unless" else "if"
    if hit["be"]:
        helps, _, been = hit["be"].partition(" ")
        verb = " ".join(filter(None, (helps, "not", been)))
        return f"{sentence[: hit.start()]}{opening} {hit['who']} {verb} {hit['rest']}{sentence[hit.end() :]}"
    base = hit["does"][:-1]
    if base not in known_words():
        return sentence
    return f"{sentence[: hit.start()]}{opening} {hit['who']} does not {base}{hit['rest']}{sentence[hit.end() :]}"


_TO_DO = re.compile(r"To (?P<aim>[a-z]+ [^,;:]+), (?P<bid>[a-z]+) (?P<what>[^,;:]+?)(?P<end>[.!]?)")


def with_purpose_last(sentence: str, _other: str) -> str:
    """Write "to open the hatch, press the lever" as "press the lever to open the hatch": one bidding, no denial."""
    hit = _TO_DO.fullmatch(sentence)
    if hit is None or hit["bid"] not in word_list("en", "bids") or hit["bid"] == "do":
        return sentence
    if _NOT_PLAIN.search(hit["what"]) or _QUANTIFIED.search(f"{hit['aim']} {hit['what']}"):
        return sentence
    return f"{capital(hit['bid'])} {hit['what']} to {hit['aim']}{hit['end']}"


_LESS = dict(
    pair.split("=")
    for pair in (
        "shorter=longer lower=higher younger=older newer=older smaller=larger lighter=heavier slower=faster"
        " thinner=thicker narrower=wider later=earlier cheaper=dearer worse=better"
    ).split()
)
_THAN = re.compile(
    rf"(?P<one>[A-Z][\w' -]*?) (?P<how>(?:is|are|was|were) )(?P<more>{'|'.join(_LESS)}) than "
    r"(?P<two>[\w' -]+?)(?P<end>[.!]?)"
)
_DOES_THAN = re.compile(
    r"(?P<one>[A-Z][\w'-]*) (?P<how>\w+s \w+ )(?P<more>worse|slower|later) than (?P<two>[\w'-]+)(?P<end>[.!]?)"
)


def with_more(sentence: str, _other: str) -> str:
    """Write "the red one is shorter than the blue one" as "the blue one is longer than the red one"."""
    hit = _THAN.fullmatch(sentence) or _DOES_THAN.fullmatch(sentence)
    if hit is None or re.search(r"\b(?:not|and|or|much|no|never)\b", sentence):
        return sentence
    more = "longer" if hit["more"] == "shorter" else _LESS[hit["more"]]
    return f"{capital(hit['two'])} {hit['how']}{more} than {small(hit['one'])}{hit['end']}"


_ONLY_WITH = re.compile(
    r"(?P<verb>[A-Z]\w+)(?P<what>(?: [\w'-]+){0,6}?) only with (?P<rest>(?:(?!\bor\b|\band\b)[\w' -])+[.!]?)"
)


def without_only(sentence: str, _other: str) -> str:
    """Write "enter only with a helmet" as "do not enter without a helmet"."""
    hit = _ONLY_WITH.fullmatch(sentence)
    if hit is None or small(hit["verb"]) not in {*word_list("en", "bids"), "enter"}:
        return sentence
    return f"Do not {small(hit['verb'])}{hit['what']} without {hit['rest']}"


_ADVERBS = (
    "regularly|immediately|automatically|manually|carefully|slowly|thoroughly|completely|permanently|temporarily|weekly"
    "|monthly|daily|yearly|annually|quickly|gently|firmly|securely|separately"
)
_BETWEEN = re.compile(
    rf"(?P<head>[^,;:]*?\b(?:be|is|are|was|were|must|should|will|can|may) )(?P<how>{_ADVERBS}) (?P<verb>(?:be )?\w+)"
    r"(?P<rest>[^,;:]*?)(?P<end>[.!]?)"
)
_CLAUSES = re.compile(r"\b(?:and|or|but|if|when|while|that|which|who|before|after|because|not|only|to)\b")


def with_adverb_last(sentence: str, _other: str) -> str:
    """Write "should regularly be cleaned" as "should be cleaned regularly" in a sentence of one clause."""
    hit = _BETWEEN.fullmatch(sentence)
    if hit is None or _CLAUSES.search(sentence):
        return sentence
    return f"{hit['head']}{hit['verb']}{hit['rest']} {hit['how']}{hit['end']}"


_DEEDS = {
    "examination": "examine", "inspection": "inspect", "check": "check", "test": "test", "measurement": "measure",
    "assessment": "assess", "calculation": "calculate", "review": "review", "analysis": "analyse",
    "verification": "verify", "replacement": "replace", "update": "update", "comparison": "compare",
    "installation": "install", "repair": "repair", "inventory": "inventory", "evaluation": "evaluate",
    "investigation": "investigate", "translation": "translate", "modification": "modify",
}  # fmt: skip
_DEED = re.compile(
    rf"\b(?P<does>carr(?:y|ies|ied) out|performs?|performed|conducts?|conducted|makes?|made) (?:an?|the) "
    rf"(?P<deed>{'|'.join(_DEEDS)}) of\b"
)


def with_verb(sentence: str, _other: str) -> str:
    """Write "carried out an examination of" as "examined"."""
    return _DEED.sub(lambda m: _inflected(_DEEDS[m["deed"]], m["does"].split()[0]), sentence)


def _inflected(verb: str, like: str) -> str:
    """Return a regular verb in the form of another: "carries", "carried", "carry"."""
    ends_in_y = verb.endswith("y") and verb[-2] not in "aeiou"
    if like.endswith("ied") or like.endswith("ed") or like == "made":
        return f"{verb}d" if verb.endswith("e") else f"{verb[:-1]}ied" if ends_in_y else f"{verb}ed"
    return (f"{verb[:-1]}ies" if ends_in_y else f"{verb}s") if like.endswith("s") else verb


_WHO_IS = re.compile(r"(?P<comma>,?) (?:that|which|who) (?:is|are|was|were) (?P<verb>\w+)(?= )")


def with_bare_participle(sentence: str, other: str) -> str:
    """Write "the report, which was written by" as "the report, written by", if the other text has it so.

    A tense goes with it, so that only one of two texts may be written so.
    """

    def bare(hit: re.Match[str]) -> str:
        stands_bare = re.search(rf"(?<!\bis)(?<!\bare)(?<!\bwas)(?<!\bwere) {re.escape(hit['verb'])} ", other)
        is_verb = bool(base_of_participle(hit["verb"]))
        return f"{hit['comma']} {hit['verb']}" if stands_bare and is_verb else hit[0]

    return sentence if _WHO_IS.search(other) else _WHO_IS.sub(bare, sentence)


_DONE_TO = {
    "removal": "remove", "completion": "complete", "delivery": "deliver", "approval": "approve", "payment": "pay",
    "publication": "publish", "cancellation": "cancel", "submission": "submit", "renewal": "renew", "closure": "close",
    "termination": "terminate", "configuration": "configure", "creation": "create", "deletion": "delete",
} | _DEEDS  # fmt: skip
_WHEN_DONE = re.compile(
    rf"\b(?P<when>[Aa]fter|[Oo]nce|[Aa]s soon as|[Bb]efore) (?P<what>{_DETERMINED} [\w-]+(?: [\w-]+)?) "
    r"(?:is|are|was|were|has been|have been) (?P<verb>\w+)(?=[,.;]|$)"
)


def as_a_deed(sentence: str, other: str) -> str:
    """Write "once the roof has been inspected" as "after the inspection of the roof", if the other text says it so."""

    def written(hit: re.Match[str]) -> str:
        base = base_of_participle(hit["verb"])
        deed = next((d for d, verb in _DONE_TO.items() if verb == base and f"the {d} of " in other), "")
        when = "before" if hit["when"].lower() == "before" else "after"
        opening = capital(when) if hit["when"][0].isupper() else when
        return f"{opening} the {deed} of {hit['what']}" if deed else hit[0]

    return _WHEN_DONE.sub(written, sentence)


_CAN_BE = re.compile(rf"{_NAMED} (?P<can>can|may) be (?P<verb>\w+)(?P<rest>[ .].*)")


def as_what_you_can(sentence: str, other: str) -> str:
    """Write "the keys can be collected here" as "you can collect the keys here", if the other text says it so."""
    hit = _CAN_BE.fullmatch(sentence)
    base = base_of_participle(hit["verb"]) if hit else ""
    if hit is None or not base or hit["verb"] in _STATES or f"You {hit['can']} {base} " not in other:
        return sentence
    if re.search(r"\b(?:by|only|not|never)\b", sentence) or _NOT_PLAIN.search(hit["what"]):
        return sentence
    return f"You {hit['can']} {base} {small(hit['what'])}{hit['rest']}"


_IS_TO = re.compile(
    r"(?P<what>(?:The |Each |Every |All |Any )?[A-Z][\w'-]*(?: [\w'-]+){0,3}?) (?:is|are) "
    r"(?P<no>not )?to (?P<verb>[a-z]+)(?= )"
)
_BOUND = re.compile(
    r"\b(?:tenant|landlord|lessee|lessor|supplier|seller|vendor|buyer|purchaser|contractor|subcontractor|licensee|licensor"
    r"|customer|client|employee|employer|user|guest|resident|visitor|member|student|pupil|applicant|candidate|participant"
    r"|owner|operator|driver|carrier|borrower|lender|party|parties|caretaker|cleaner|trainee|consultant|agent|bidder"
    r"|passenger|patient|volunteer|staff|report|form|application|notice|label|invoice|record)s?$",
    re.IGNORECASE,
)


_PLANNED = frozenset("arrive meet visit marry sing perform travel come go appear play get receive".split())
"""What is to happen then, as planned: "the visitor is to arrive on Monday"."""


def as_a_duty(sentence: str, other: str) -> str:
    """Write "the Tenant is to keep" as "the Tenant shall keep", if the other text has it so.

    Only of parties and papers: "the aim is to keep" says what the aim is, "the minister is to visit" what will be.
    """
    hit = _IS_TO.match(sentence)
    if hit is None or not _BOUND.search(hit["what"]) or hit["verb"] in ("be", *_PLANNED):
        return sentence
    duty = next((d for d in ("shall", "must") if f"{hit['what']} {d} {hit['no'] or ''}{hit['verb']} " in other), "")
    return f"{hit['what']} {duty} {hit['no'] or ''}{hit['verb']}{sentence[hit.end() :]}" if duty else sentence


_WHO_IS_IT = re.compile(r", who (?:is|are) (?P<what>(?:the|an?|our|your|his|her|its|their) [^,;:.]{1,60}),")


def with_bare_description(sentence: str, other: str) -> str:
    """Write "Ida, who is the warden, left" as "Ida, the warden, left", if the other text has it so."""
    return _WHO_IS_IT.sub(lambda hit: f", {hit['what']}," if f", {hit['what']}," in other else hit[0], sentence)


_NO = re.compile(
    r"No (?P<what>(?!(?:more|less|fewer|other|further|additional|such|longer|two|three|four|one)\b)[a-z][\w-]*s) "
    r"(?P<be>are|were|will be) (?P<rest>(?:allowed|permitted|accepted|admitted|needed|required|available)\b.*)"
)


def with_a_denied_verb(sentence: str, other: str) -> str:
    """Write "no dogs are allowed" as "dogs are not allowed", if the other text has it so."""
    hit = _NO.fullmatch(sentence)
    if hit is None:
        return sentence
    helps, _, be = hit["be"].partition(" ")
    opening = f"{capital(hit['what'])} {helps} not {be}".strip()
    return f"{opening} {hit['rest']}" if f"{opening} " in other else sentence


_HAS_A = re.compile(
    r"(?P<what>The [\w-]+(?: [\w-]+){0,3}?) (?P<has>has|had) an? (?P<measure>capacity|height|length|width|depth|weight"
    r"|size|diameter|area|volume|population|thickness|range|speed|power|price|value|duration|age) of "
    r"(?P<rest>(?:[^,;:]|,(?=\d{3}))+)"
)


def with_its_measure(sentence: str, other: str) -> str:
    """Write "the tank has a height of 2 m" as "the height of the tank is 2 m", if the other text has it so."""
    hit = _HAS_A.fullmatch(sentence)
    if hit is None:
        return sentence
    opening = f"The {hit['measure']} of {small(hit['what'])} {'is' if hit['has'] == 'has' else 'was'} "
    return f"{opening}{hit['rest']}" if opening in other else sentence


_VALUE = rf"(?:about |at least |at most )?(?:\d|\ue000|{_COUNTED}\b)"
_BY_DEFAULT = re.compile(
    rf"By default,? the (?P<what>[\w-]+(?: [\w-]+){{0,2}}?) (?P<be>is|are) (?P<rest>{_VALUE}[^,;:]*)"
)
_BEHIND_DEFAULT = re.compile(
    rf"The (?P<what>[\w-]+(?: [\w-]+){{0,2}}?) (?P<be>is|are) (?P<rest>{_VALUE}[^,;:]*?) by default(?=[.!]?$)"
)


def with_a_default(sentence: str, other: str) -> str:
    """Write "by default, the limit is 500" as "the default limit is 500", if the other text has it so."""
    hit = _BY_DEFAULT.fullmatch(sentence) or _BEHIND_DEFAULT.match(sentence)
    opening = f"The default {hit['what']} {hit['be']} " if hit else ""
    return f"{opening}{hit['rest']}{sentence[hit.end() :]}" if hit and opening in other else sentence


_THERE_ARE = re.compile(
    r"There (?P<be>is|are|was|were) (?P<what>[^,;:.]{1,60}?) (?P<rest>left|available|missing|vacant|free)(?P<end>[.!]?)"
)


def with_what_is_left(sentence: str, other: str) -> str:
    """Write "there are four seats left" as "four seats are left", if the other text has it so."""
    hit = _THERE_ARE.fullmatch(sentence)
    written = f"{capital(hit['what'])} {hit['be']} {hit['rest']}{hit['end']}" if hit else ""
    return written if written and written in other else sentence


_IS_INCLUDED = re.compile(
    rf"(?P<part>[A-Z][\w' -]*?) (?:is|are) included in (?P<whole>{_DETERMINED} [\w-]+(?: [\w-]+)?)(?P<end>[.!]?)"
)


def with_includes(sentence: str, other: str) -> str:
    """Write "breakfast is included in the price" as "the price includes breakfast", if the other text has it so."""
    hit = _IS_INCLUDED.fullmatch(sentence)
    opening = f"{capital(hit['whole'])} includes " if hit else ""
    return f"{opening}{small(hit['part'])}{hit['end']}" if hit and opening in other else sentence


_DUTY_OF = re.compile(
    r"(?P<what>[A-Z][\w' -]*?) (?:is|are) (?:the responsibility of (?P<who>the [\w-]+(?: [\w-]+)?)"
    r"|(?P<whose>the [\w-]+(?: [\w-]+)?)(?:['\u2019]s|(?<=s)['\u2019]) responsibility)(?P<end>[.!]?)"
)


def with_who_is_responsible(sentence: str, other: str) -> str:
    """Write "repairs are the owner's responsibility" as "the owner is responsible for repairs", if it stands so."""
    if (hit := _DUTY_OF.fullmatch(sentence)) is None:
        return sentence
    who = capital(hit["who"] or hit["whose"])
    opening = next((o for be in ("is", "are") if (o := f"{who} {be} responsible for ") in other), "")
    return f"{opening}{small(hit['what'])}{hit['end']}" if opening else sentence


_DONE_BY = re.compile(
    r"(?P<what>[A-Z][\w' -]*?) (?P<be>is|are|was|were) (?P<no>not )?(?P<verb>\w+) "
    rf"by (?P<who>{_DETERMINED} [\w-]+(?: [\w-]+)?)(?P<end>[.!]?)"
)


def with_its_doer(sentence: str, other: str) -> str:
    """Write "fires are not covered by the policy" as "the policy does not cover fires", if the other text has it so."""
    hit = _DONE_BY.fullmatch(sentence)
    base = base_of_participle(hit["verb"]) if hit else ""
    if hit is None or not base or (hit["no"] and _QUANTIFIED.search(hit["what"])):
        return sentence
    is_past, who = hit["be"] in ("was", "were"), capital(hit["who"])
    helps = "did" if is_past else "does"
    verb = f"{helps} not {base}" if hit["no"] else hit["verb"] if is_past else _inflected(base, "s")
    active = f"{who} {verb} {small(hit['what'])}{hit['end']}"
    return active if active in other else sentence


_MAY_NOT = re.compile(
    r"(?<!\bsome )(?<!\bmany )(?<!\bmost )(?<!\bfew )(?<!\bseveral )(?<!\bcertain )"
    r"\b(?P<who>(?:children|tenants|residents|guests|visitors|members|staff|employees|students|pupils|users|passengers"
    r"|drivers|customers|participants|players|adults|contractors)"
    r"(?: (?:under|over|aged|from|of|in|with|without) [\w ]{1,30}?)?) may not "
    r"(?P<verb>use|enter|feed|smoke|park|bring|open|touch|climb|swim|sell|sublet|store|ride|remove|copy|carry|paint"
    r"|install|light)\b",
    re.IGNORECASE,
)


def with_must_not(sentence: str, other: str) -> str:
    """Write "guests may not feed the goats" as "guests must not feed the goats", if the other text has it so.

    Only of what is done on purpose: who "may not arrive in time" perhaps does not.
    """

    def written(hit: re.Match[str]) -> str:
        banned = f"{hit['who']} must not {hit['verb']}"
        return banned if banned in other else hit[0]

    return _MAY_NOT.sub(written, sentence)


_MORE = r"(?P<more>(?:more |further |additional )?(?:details|information))(?P<about> (?:of|on|about) [\w '-]+?)?"
_POINTS = (
    re.compile(rf"For {_MORE},? (?:see|refer to|consult) (?P<where>[^,;:]+?)(?P<end>[.!]?)", re.IGNORECASE),
    re.compile(rf"(?:See|Refer to|Consult) (?P<where>[^,;:]+?) for {_MORE}(?P<end>[.!]?)", re.IGNORECASE),
    re.compile(
        rf"{_MORE} (?:(?:can|may) be found|(?:is|are) (?:found|available|given|provided)) "
        r"in (?P<where>[^,;:]+?)(?P<end>[.!]?)",
        re.IGNORECASE,
    ),
)


def as_a_reference(sentence: str, _other: str) -> str:
    """Write "more information can be found in chapter 4" as "see chapter 4 for information"."""
    hit = next((hit for at in _POINTS if (hit := at.fullmatch(sentence))), None)
    return f"See {hit['where']} for information{hit['about'] or ''}{hit['end']}" if hit else sentence


_ONCE = re.compile(
    rf"\b(?P<once>[Oo])nce (?P<rest>(?:{_DETERMINED} |it |they |you |he |she |we )"
    r"(?:[\w'-]+ ){0,4}?(?:is|are|has|have|was|were)\b)"
)


def with_after(sentence: str, other: str) -> str:
    """Write "once the glue is dry" as "after the glue is dry", if the other text has it so."""

    def written(hit: re.Match[str]) -> str:
        opens = hit["once"] == "O"
        after = f"{'A' if opens else 'a'}fter {hit['rest']}"
        is_clause = not opens or re.search(r", (?!and\b|but\b)", sentence[hit.end() :])
        return after if is_clause and after.casefold() in other.casefold() else hit[0]

    return _ONCE.sub(written, sentence)


_OR_OLDER = r"(?:years? (?:old|of age) )?(?:or|and) (?:over|above|older)"
_OLD_ENOUGH = re.compile(rf"\b(?P<n>\d\d?) {_OR_OLDER}\b")
_AT_LEAST = re.compile(r"\bat least (?P<n>\d\d?)(?: years? (?:old|of age))?(?=[.,;!]|$| (?:to|when|on the|at the)\b)")
_AGE = re.compile(
    r"\b(?P<n>\d\d?) (?:years? (?:old|of age)|(?:years? (?:old|of age) )?(?:or|and) (?:over|above|older))\b"
)


def with_an_age(sentence: str, other: str) -> str:
    """Write "at least 16 years old" as "16 or older", if either text says that the number is an age."""
    ages = {hit["n"] for text in (sentence, other) for hit in _AGE.finditer(text)}
    if not ages:
        return sentence
    written = _OLD_ENOUGH.sub(lambda hit: f"{hit['n']} or older", sentence)
    return _AT_LEAST.sub(lambda hit: f"{hit['n']} or older" if hit["n"] in ages else hit[0], written)


FORMS: tuple[Callable[[str, str], str], ...] = (
    with_verb, as_a_deed, as_what_you_can, provided_to, without_only, with_there_first,
    without_unless, with_purpose_last, as_a_bidding, with_to, with_has, without_there,
    with_more, with_adverb_last, as_a_duty, with_bare_description, with_a_denied_verb, with_its_measure,
    with_a_default, with_what_is_left, with_after, with_an_age, with_includes,
    with_who_is_responsible, with_its_doer, with_must_not, as_a_reference,
)  # fmt: skip
"""Each writes one sentence in one form, given the other text; as it was, if the form is another."""
