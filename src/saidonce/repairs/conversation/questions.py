"""Questions in messages: what asks about the home and its rules, and what is left beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from saidonce.foundation.stop_words import stop_words
from saidonce.foundation.text import normalise, words
from saidonce.repairs.conversation import lexicon
from saidonce.repairs.conversation.acts import SpeechAct, shown_by

MOST_ASKED = 3
"""Most questions of a turn that are answered; a person reads the others."""

MOST_QUESTION_CHARS = 300


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question about the home or its rules.

    Attributes:
        text: the words that ask.
        whole: the whole sentence, where it says more than the question; else the same words.
        message: the place of its message among the texts.
    """

    text: str
    whole: str
    message: int


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """What messages ask, and what else they say.

    Attributes:
        asked: the questions, in order.
        rest: each message without its questions, in order; empty texts where nothing is left.
    """

    asked: tuple[AskedQuestion, ...]
    rest: tuple[str, ...]


_ASKER = (
    r"(?:i|we|you|u|my|our|the|a|an|there|it|they|he|she|this|that|these|those|anyone|someone|people|tenants"
    r"|residents)"
)
_AUX = r"(?:is|are|am|was|were|do|does|did|has|have|can|should|will|would|may|must|if|to)"
_OPENING = (
    rf"(?:(?:where|when|wen|which|who|what|wat|wot|why) {_AUX}|where(?:s|'s)|when(?:s|'s)|who(?:s|'s)|what(?:s|'s)"
    rf"|wheres"
    r"|(?:what|wat|wot|which) (?:time|times|day|days|date|number|temperature|temp|pressure|floor|room|bin|colou?r"
    r"|happens"
    r"|about|kind|sort|type|size|code|password)|who (?:pays?|has|cuts|cleans|empties|owns|lives|mows)|how(?:s|'s)"
    r"|how (?:do|does|can|should|would|could) (?:i|we|you|u|tenants|residents|one|the)\b|how (?:much|many|long"
    r"|often|big|old|high"
    r"|hot|warm|far|early|late|soon|to|tall|large|wide|deep|heavy|loud)"
    rf"|(?:am|are|is|do|does|can|could|may|might|must|should|will|would) {_ASKER}\b"
    r"|(?:are|do|can|may|must|should|will|would) (?!always|thanks|this|us\b|as\b|yes\b|has\b|was\b|is\b)\w{3,}s\b"
    r"|any idea|any chance|is it (?:ok|okay|allowed|fine)|(?:i )?(?:need|want|would like|'d like|wanna) to (?:know"
    r"|ask)"
    r"|can (?:pets|kids|children|dogs|cats|visitors|guests)|(?:are|is) (?:pets|dogs|cats|smoking|bbqs?|visitors"
    r"|guests"
    r"|parking|subletting|drilling|water|heating|electricity|internet|wifi)"
    r"|wo|wann|wer|wie|welche[rsnm]?|was (?:kostet|ist|sind|muss|mache)|darf|dürfen|kann ich|können wir|gibt es"
    r"|muss ich"
    r"|d[oó]nde|cu[aá]ndo|cu[aá]nt[oa]s?|qu[eé]|qui[eé]n|c[oó]mo|puedo|podemos|hay|se puede|a qu[eé] hora|cu[aá]l"
    r"|o[uù]|quand|combien|comment|quel(?:le)?|qui|est-ce|puis-je|onde|quando|quanto|posso|gdzie|kiedy|ile|czy|jak)\b"
)
_LEAD = (
    r"(?:(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening)|sorry|thanks|ok|okay|oh|so|and|also|btw"
    r"|by the way|but"
    r"|please|pls|(?:(?:a|one|just a) )?(?:\w+ )?question|quick one"
    r"|just wondering|wondering|actually|another thing|one more thing"
    r"|plus"
    r"|mate|guys|team|hallo|hola|bonjour|ol[aá]|und|y|et|e|dzień dobry)\b[\s,.!:;-]*)*"
)
_OPENS = re.compile(rf"^\W*{_LEAD}{_OPENING}")
_COPULA = re.compile(rf"^\W*{_LEAD}(?:is|are|was|were) {_ASKER}\b")
"""How "es la cerradura" and "c'est la poignée" look in English words: their languages have no subject there."""

_LEAD_OUT = re.compile(
    rf"(?i)^\W*{_LEAD}(?:(?:eine |mal |ne |kurze |una |une |petite |piccola |mam |uma |een |kleine )*"
    r"(?:frage|pregunt\w+|question|domand\w+|pytanie|pergunt\w+|vraag\w*)\b[\s,.!:;-]*)?"
)
_REASON = re.compile(
    r"(?i)(?<=\w)(?:[.,;?\s]|\s-)+(?:because|cause|cos|coz|cuz|weil|denn (?:ich|wir|mein|meine)|es que|[ée] que|porque"
    r"|pq|parce que|c'est que|car (?:je|on|nous|mon|ma)|perch[eé] (?:mi|mia|mio|sono|ho|il|la)|visto che|bo|poniewa[zż]"
    r"|gdy[zż]|want|omdat)\b.*$"
)
"""Why somebody asks, to the end of the message."""

VERB_FIRST = frozenset({"en", "de", "nl"})
"""Languages in which a verb in front asks."""

_INSIDE = re.compile(
    r"\b(?:am i allowed|are we allowed|is it (?:ok|okay|allowed|possible)|do you know|can you tell me"
    r"|could you tell me"
    r"|(?:need|want|like) to know|let me know|wondering (?:if|whether|when|what|where|how)|any idea|tell me (?:if"
    r"|where"
    r"|when|how|what)|do i need|do we need|do i have to|(?:wifi|wi-fi|wlan|internet|gate|door"
    r"|bin store) (?:password|code)(?! (?:is )?\w*\d)"
    r"|(?:can|may|could) (?:i|we) (?:use|have|get|put|keep|park|bring|borrow|leave|store|book|rent|pay|paint|hang"
    r"|install)"
    r"|(?:where|when|how|what|which)(?: \w+){0,3} (?:do|does|can|should|will|must) (?:i|we|they|you|it)"
    r"|(?:how (?:much|long|many|often)|what (?:time|day|now)|which (?:day|days|bin|bins)"
    r"|whats the (?:charge|cost|price|fee))|any (?:rules?|info|information|restrictions)"
    r"|(?:need|want) (?:the|your|an?) (?:address|number|phone number|e-?mail|code|password|form|times?|hours|rules?)"
    r"|(?:not sure|no idea|(?:don't|dont|do not) know) (?:how to|which|where to|what to|what day|what time|when the)"
    r"|(?:can't|cant|cannot|couldn't|couldnt) find (?:the|my|our|any|where)"
    r"|is (?:that|this|it) (?:ok|okay|alright|allowed|fine|permitted)$"
    r"|bin days?|(?:opening|office|quiet) hours|what do i do|what can i do|who do i (?:call|ring))\b"
    r"|(?<!know)(?<!sure)\s(?:when|where|how much|how often)\W*$"
)
_SPLIT = re.compile(
    r"(?<=[.!?\uff1f\u3002\n])\s++"
    rf"|,\s*+(?=(?:and |also |but |btw |so |und |y )*{_OPENING})"
    r"|(?<=[\w,;:)])\s++(?=\u00bf)"
    rf"|(?<!\s)\s++(?:and|also|btw|but|plus|und|y)\s++(?=(?:also |btw )?{_OPENING})"
    r"|(?<!\s)(?<!know)(?<!tell me)(?<!idea)(?<!sure)(?<!wondering)\s++(?=(?:who|how|what|where|when) (?:do|can"
    r"|should) (?:i|we)\b)",
    re.IGNORECASE,
)
_HELD = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands for a comma at which a sentence is not cut."""

_RELATIVE = re.compile(r"(?i),\s*(?:which|who) (?:is|are|was|were|has|have|had|will)\b")
"""Behind a comma and without a question mark, what a clause says of the words before it: "home, which is at seven"."""

_SENTENCE = re.compile(r"(?<=[.!?\uff1f\u3002\U0001f600-\U0001f64f\U0001f900-\U0001f9ff])(?<!\bno\.)(?<!\bnr\.)\s+|\n+")
"""A face ends a sentence where nothing else does."""

_HELPER = (
    r"(?:you|u|someone|somebody|anyone|anybody|a (?:plumber|electrician|person|man|guy|engineer)"
    r"|the (?:plumber|electrician|engineer|caretaker|landlord))"
)
_DEED = (
    r"(?:come|send|look|have a look|take a look|fix|repair|check|sort|help|replace|mend|visit|pop|arrange"
    r"|do something"
    r"|report|get (?:it|this|that|someone|somebody|a)|call me|ring me|book (?:a|an|someone))"
)
_TO_DO = re.compile(
    rf"\b(?:can|could|would|will|won't|please|pls) {_HELPER}(?: \w+){{0,2}} {_DEED}\b"
    rf"|\b(?:need|want) {_HELPER} to\b|\b(?:please|pls) (?:fix|send|come|repair|help|sort|call|ring)\b"
    r"|\bcan i (?:get|have) (?:someone|somebody|a (?:plumber|electrician|engineer|repair|person|human))\b"
    r"|\bcan (?:it|this|that) be (?:fixed|repaired|sorted)\b|\bhow (?:soon|quickly) can (?:you|someone|somebody)\b"
)
_OF_REPORT = re.compile(
    r"\bis (?:it|this|that) normal\b|\bshould (?:i|we) (?:worry|be worried)\b|\bwhen (?:is|will|are|can|does"
    r"|do) (?:someone|somebody|anyone|anybody|he|she|they (?:come|fix|arrive|get here|send)|they (?:be|coming)"
    r"|you (?:come|coming|fix|fixing|send|sending|going to)|the (?:plumber|engineer"
    r"|electrician|repair ?man|man|guy|contractor|handyman|builder|gas man))\b(?!.{0,500}\bsupposed)"
    r"|\bany (?:news|updates?|progress)\b|\bwhat(?:s|'s| is) happening\b|\bwhat about my\b|\bhow long (?:will"
    r"|is) (?:it|this"
    r"|that)\b|\bhow long (?:till|until)\b|\b(?:did|have) (?:you|u|they|someone|somebody|anyone)\b|\b(?:is"
    r"|are) (?:anyone"
    r"|anybody|someone|somebody|he|she|they|the plumber|the engineer) (?:coming|on)\b|\b(?:about|of|with|is"
    r"|to) my (?:report|ticket|issue"
    r"|repair|request|message|appointment|case)\b|\bis (?:it|that|this|my \w+) (?:fixed|done|sorted|repaired|ready)\b"
    r"|\bwill (?:they|he|she|someone|somebody)\b.{0,500}\b(?:call|ring|come|text|fix)\b|\b(?:before|after"
    r"|during) the visit\b"
    r"|\bstill (?:waiting|not|no)\b|\bwhy (?:has|hasn't|hasnt|have|haven't|is) (?:no ?one|nobody|no-one)\b"
)
_OF_US = re.compile(
    r"\b(?:who|what) are you\b|\bare you (?:a |an )?(?:bot|robot|human|real|there|ai|person|machine)\b"
    r"|\bis (?:this|that|it)"
    r" (?:a |an )?(?:bot|robot|human|real|ai|person|automated|computer)\b|\bwho (?:is|am i) (?:this|talking|speaking)"
    r"|\bhow are (?:you|u)\b|\bwhat can you do\b|\bwhat do you (?:mean|need)\b|\bwhy do you (?:need|ask|want)\b"
    r"|\bwhat(?:s|'s| is) (?:up|wrong with you)\b|\bcan (?:i|we) (?:send|write|text) (?:it|you|them)\b|\bwho am i\b"
    r"|\b(?:are|r) (?:you|u) (?:serious|kidding|joking|stupid|listening|deaf)\b"
)
_FAULT = re.compile(
    r"\b(?:is|are|was|has|have|keeps?|kept|been|gets?|got|just|started|stopped)? ?(?:leak(?:s|ing|ed)?|drip(?:s"
    r"|ping)?"
    r"|broken|broke|burst|blocked|jammed|stuck|smashed|cracked|dead|faulty|flooded|flooding|overflowing|snapped"
    r"|mouldy"
    r"|moldy|chirping|beeping|buzzing|tripping|tripped|rattling|banging|blinks|blinking)\b"
    r"|\b(?:not|isn't|isnt|won't|wont|doesn't|doesnt|don't|dont|stopped|can't|cant|never) (?:work|working|works"
    r"|turn|come"
    r"|coming|open|close|shut|flush|drain|heat|heating|start|light|lock|get (?:hot|warm)|go|going|fill|filling)\b"
    r"|\bno (?:hot water|heating|water|power|electricity|light|lights|internet|signal)\b|\bstone cold\b"
    r"|\bfell (?:off|down)\b"
    r"|\bout of order\b|\bplaying up\b|\bfalling (?:off|apart|down)\b"
)
_GUIDE = re.compile(
    r"\b(?:who (?:do|should|can|pays?|has)|what (?:do|should|can|happens|if|does it mean)|how (?:do|can|should|to"
    r"|much|long"
    r"|often|many)|where|when|what (?:time|day)|am i|are we|may i|can i|do i|do we|is it (?:ok|okay|allowed)|number"
    r"|cost|charge)\b|\b(?:wo|wann|wer|darf|d[oó]nde|cu[aá]ndo|qui[eé]n)\b"
)
_PLANS = re.compile(
    r"(?i)(?:(?:hi|hello|hey|so|just|also|we|i|i'm|im|we're|was|am|are|been|my \w+ is|my \w+ and i)\W+)*"
    r"(?:thinking (?:of|about)|planning (?:to|on)|hoping to|looking to|considering"
    r"|(?:'d like|would like|want|wants|wanted|going|gonna) to)\b"
)
_REFERS = re.compile(r"(?i)\b(?:that|this|it)\b")
"""How somebody says what they plan, and words for it in the question behind it: "thinking of a cat, is that ok"."""

_HANGS = re.compile(r"\b(?:hang|hanging|put up|putting up|hooks?|nails?|walls?)\b")
_EMPTY = frozenset(
    "it that this they them one thing things now then here there what when where which who how why ok okay please"
    " yes no"
    " can could do does did is are am be i you we me my your u so and or the a an to of for if".split()
)


def asks(text: str, language: str = "en") -> bool:
    """Return whether words ask about the home or its rules, with or without a question mark.

    Requests to do something, questions about a report, a photo or this assistant, and questions whether something is
    broken do not: they belong to the report or to a person.

    Args:
        text: as English words.
        language: in which it was written.
    """
    plain = normalise(text)
    may_state = language not in VERB_FIRST and _COPULA.search(plain) is not None
    is_worded = (_OPENS.search(plain) is not None and not may_state) or _INSIDE.search(plain) is not None
    if (
        not (is_worded or plain.rstrip().endswith(("?", "\uff1f")))
        or lexicon.phrase(text) in lexicon.GREETINGS
        or not (set(words(plain)) - _EMPTY - stop_words()["search"])
    ):
        return False
    if _TO_DO.search(plain) or _OF_REPORT.search(plain) or _OF_US.search(plain):
        return False
    if lexicon.asks_for_photo(text) and not _HANGS.search(plain):
        return False
    if lexicon.puts_off(text) or shown_by(SpeechAct.PERSON, text) or lexicon.withdraws(text):
        return False
    if not is_worded and lexicon.names_thing(text) and (lexicon.names_fault(text) or shown_by(SpeechAct.FAULT, text)):
        return False  # Only the mark asks: "not sure if this is right, the shower runs cold ?" reports.
    return not _FAULT.search(plain) or _GUIDE.search(plain) is not None


def bare(question: str) -> str:
    """Return a question without the courtesies before it and the reason behind it; as it is without any.

    Neither is what is asked for: "sorry daft question, when do the bins go, because my sister is here".
    """
    rest = _LEAD_OUT.sub("", question)
    return (_REASON.sub("", rest).strip(" ,;.") or question) if words(rest) else question


_ONE = re.compile(r"(?i)\b(?P<other>a new|another|a spare|a replacement|the new|new) (?:one|1)\b")
_LOST = re.compile(
    r"(?i)\b(?:lost|misplaced|mislaid|dropped|broke|broken|snapped|bent|left|need|washed|stolen|nicked|forgot|forgotten)"
    r" (?:my|our|the|a|an|his|her) (?P<thing>(?:\w+ ){0,2}?\w+)"
    r"(?= (?:for|to|on|in|at|of|from|down|again|and|so|when|last|this|somewhere|yesterday|today)\b|[^\w ]|\s*$)"
)


def resolved(question: str, message: str) -> str:
    """Return a question with the thing that "a new one" stands for; empty if none is named before it.

    "Lost my fob on the bus, how much is a new one" asks how much a new fob is.
    """
    one = _ONE.search(question)
    before, asked, _ = message.partition(question)
    things = list(_LOST.finditer(before)) if one is not None and asked else []
    return _ONE.sub(lambda m: f"{m['other']} {things[-1]['thing']}", question) if things else ""


def read_messages(texts: Sequence[str], language: str = "en") -> QuestionReading:
    """Return the questions of messages, in the language in which they were written, and each message without them.

    Words before a question that say what is broken stay in the rest: "the tap drips, who do I call?" leaves "the tap
    drips". A question that names a fault itself stays in the rest as well, for it reports.
    """
    asked: list[AskedQuestion] = []
    rest: list[str] = []
    for n, message in enumerate(texts):
        kept: list[str] = []
        for sentence in (s for s in _SENTENCE.split(message) if s and s.strip()):
            parts = _parts(sentence)
            asking = [p for p in parts if asks(p, language)]
            if len(asking) == len(parts) == 1 or not asking:
                parts = [sentence.strip()]
                asking = parts if asks(sentence, language) else []
            whole = sentence.strip() if len(asking) == 1 else ""
            asked += [AskedQuestion(p[:MOST_QUESTION_CHARS], (whole or p)[:MOST_QUESTION_CHARS], n) for p in asking]
            plans = {p for p, after in pairwise(parts) if after in asking and _is_plan(p, after)}
            rest_of = (p for p in parts if p not in plans)
            kept += [p for p in rest_of if p not in asking or (_FAULT.search(normalise(p)) and not _guides(p))]
        rest.append(" ".join(kept))
    return QuestionReading(tuple(asked[:MOST_ASKED]), tuple(rest))


def _is_plan(part: str, after: str) -> bool:
    """Return whether a part says what the writer plans, and the question behind it asks whether that may be."""
    return _PLANS.match(part) is not None and _REFERS.search(after) is not None


def _parts(sentence: str) -> list[str]:
    """Return the parts of a sentence; a part of one word goes with the next one."""
    parts: list[str] = []
    lead = ""
    is_marked = any(mark in sentence for mark in ("?", "\uff1f"))
    text = sentence if is_marked else _RELATIVE.sub(lambda m: m.group().replace(",", _HELD, 1), sentence)
    for part in (p.replace(_HELD, ",").strip() for p in _SPLIT.split(text) if p and p.strip()):
        if len(part.split()) < 2:
            lead = f"{lead} {part}".strip()
        else:
            parts.append(f"{lead} {part}".strip())
            lead = ""
    return [*parts, lead] if lead else parts


def _guides(text: str) -> bool:
    """Return whether a question that names a fault asks about such a fault, not of one that is there."""
    plain = normalise(text)
    return re.search(r"\b(?:if|who pays|how (?:do|can|should|to)|what happens|when)\b", plain) is not None
