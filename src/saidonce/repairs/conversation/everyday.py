"""What a message says beside any danger, shown by its own words: thanks, STOP, a refused photo, a mere place.

The trained head, which guesses, reads the rest of it only. Words and phrases of danger are looked for in all of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from saidonce.foundation.text import folded, words
from saidonce.repairs.conversation import lexicon
from saidonce.repairs.conversation.acts import ENGLISH, SpeechAct, evidence, phrases_of
from saidonce.repairs.conversation.foreign_dangers import says_affairs
from saidonce.repairs.conversation.gloss import gloss
from saidonce.repairs.conversation.phrases import any_of, parts, plain

MAX_WORDS = 9
"""Longer clauses may say more than the act that they show."""

MAX_AFFAIRS_WORDS = 10
"""The same for clauses about complaints, payment, contracts and dates."""

_URGING = re.compile(r"(?i)\b(?:please |pls )?(?:sort|fix|mend) (?:it|this|that)(?: out| please)?\b")
_MUSTY = re.compile(r"(?i)\bsmells? (?:of damp|damp|musty)\b")
"""The one smell that is nobody's danger."""

_GIVEN_UP = re.compile(
    r"(?i)\b(?:has |have |'s |is )?(?:just )?(?:packed in|packed up|conked out|given up the ghost"
    r"|on the blink|playing up|kaput)\b|\b(?:over|above|by|next to|beside) the (?:cooker|hob)\b"
)
"""How somebody says that a thing has stopped, and where a hood hangs: its cooker is none of the fault."""

_CHIRPS = re.compile(
    r"(?:and |the |my |our |that |one |of )*(?:smoke|fire|heat) (?:alarm|detector)s? (?:in the \w+ )?"
    r"(?:just |keeps? |is )*(?:chirp|beep)(?:s|ing)? (?:once )?(?:every|a|per) (?:single )?"
    r"(?:(?:few |\d+ )?(?:minutes?|mins?|hours?)|[2-9]\d seconds)"
)
"""A low battery, as makers describe it; neither a detector of carbon monoxide nor a steady alarm is among them."""

_CLAUSE = re.compile(r",\s++|(?<!\s)\s++-\s++")
_AND = {
    tag: re.compile(rf"(?i)(?<!\s)\s++(?:{words_})\s++")
    for tag, words_ in {"de": "und|aber", "es": "y|pero", "fr": "et|mais", "it": "e|ma", "nl": "en|maar",
                        "pl": "i|oraz|ale|a", "pt": "e|mas"}.items()
}  # fmt: skip
"""What joins a clause to one that may say something else, by language."""

_WHOLE = (SpeechAct.STOP, SpeechAct.START, SpeechAct.NOD, SpeechAct.THANKS)
_SHOWN = (SpeechAct.PERSON, SpeechAct.VULNERABLE, SpeechAct.DECLINE_PHOTO, SpeechAct.MORE)
_NOT_ALONE = frozenset("lift elevator roof balcony building loft meter".split())
"""Places where somebody may be trapped, or stand to jump."""

_PEOPLE = frozenset(
    "mum mummy mom dad daddy gran nan nana grandma grandad mother father wife husband son daughter please pls plz sorry"
    " hi hello thanks you your who is are was has on in im i'm a an the my our we us it at home and with so"
    " she he they bless her him love hun dear afraid".split()
)
_ON_THEIR_OWN = frozenset("live lives living alone think".split())
"""Words beside those of who must not wait: "i'm 79 and live alone". They calm nothing else."""

_SMALL_THINGS = frozenset(
    "bath bathtub bell blind blinds bulb cabinet carpet counter curtain dishwasher door doorbell doors drawer dryer"
    " fan faucet flush freezer fridge grout gutter handle hinge hose intercom key keys knob letterbox machine mattress"
    " mirror oven paint plughole radiator rail sealant seat shelf shower showerhead sink sofa tap taps thermostat tile"
    " tiles toilet wardrobe washer washing window windows worktop skirting board screen seal trim hook rack rod"
    " extractor handles shelves leg wheel".split()
)
"""Things whose small faults are nobody's danger: no gas, wiring, lift, alarm, wall or ceiling."""

_BIG_THINGS = frozenset("boiler heating light lights ceiling wall walls alarm smoke damp mould leak repair".split())
"""Things that may be asked after without danger; words of danger among them are read by the lists all the same."""

_PIPES = frozenset("pipe pipes waste trap siphon".split())
_WASHING = frozenset("sink basin bath shower toilet washer dishwasher radiator tap".split())
"""Pipes, and what they belong to where they hold water: those of gas are at none of them."""

_SMALL_FAULTS = frozenset(
    "won't wont close doesn't doesnt drips dripping drip loose blocked broken noisy noise dirty torn squeaks working"
    " drain drains flush scratched problem not no does slow stiff off came come coming away lost hangs hanging cracked"
    " crack split swollen chipped stained rusty faded missing wobbly wobbles rattles rattling stopped turning turns"
    " spins spinning shut seal go goes fell fallen down hums up dropped drooping lopsided crooked bent comes back keeps"
    " coming".split()
)
"""Small faults. Not among them: what does not open, for somebody may be behind it, and anything hot, open or wet."""

_NOBODY_BEHIND = frozenset("blind blinds shutter shutters curtain drawer drawers tap taps window".split())
_STICKING = frozenset("stuck jammed blocked half halfway way roller sticks".split())
"""Things that may stick without shutting anybody in, and how they do."""

_PESTS = frozenset(
    "ant ants wasp wasps nest nests fly flies moth moths spider spiders slug slugs snail snails silverfish woodlice"
    " woodlouse mouse mice rat rats pigeon pigeons cockroach cockroaches beetle beetles flea fleas bee bees".split()
)
_ABOUT_PESTS = frozenset(
    "are there's theres there is seen saw see building build built under eaves shed lots few loads many some more"
    " little small dead all over everywhere where every two three i've ive we've weve got have has big of them coming"
    " come comes running live living nesting in near around along inside outside behind skirting worktop cupboards bin"
    " bins please send could can pest control".split()
)
"""What is said of small animals beside places. Nobody stung, bitten or ill is among it."""

_MOULD = frozenset("mould mouldy mold moldy mildew".split())
_ABOUT_MOULD = frozenset(
    "black green white grey spot spots patch patches bit lots some more back again every week weeks"
    " month months been keep keeps wiping wiped wipe wiped cleaned cleaning clean wall walls corner corners small"
    " little front main ceiling sill there's there loads smelly musty and behind".split()
)
"""What is said of mould beside places and small things. Nobody who breathes it, and nothing that grows, is among it."""

_MENDED = frozenset("loo gate doorbell lock boiler heating pipe intercom".split())
_REPAIRED = re.compile(
    r"(?:and |but |he |she |they |who |you |your man |your guy |the (?:plumber|electrician|engineer) )*"
    r"(?:has |have |had |'s |'ve )*(?:fixed|sorted|mended|repaired|replaced|unblocked) (?:out )?(?:the|my|our|that)"
    r" (?:\w+ )?(?P<thing>\w+)(?: (?:in|within) (?:\w+ ){1,2}(?:minutes?|mins?|hours?|days?)(?: flat)?"
    r"| yesterday| today| this (?:morning|week)| last (?:week|night)| so (?:quick|quickly|fast))?\W*"
)
"""A clause that says only that a thing was repaired."""

_ASKING = re.compile(
    r"(?i)(?:(?:and|so|also|but|hi|hello|hiya|hey|please|just wondering|btw)\W+)*"
    r"(?:who (?:pays|cleans|sweeps|empties|checks|tests|mows|waters|changes|paints|owns|do (?:i|we) (?:ask|pay|write))"
    r"|(?:what|which) (?:time|day|days|date|colou?r|size|number|floor)"
    r"|what(?:'s|s| is) the (?:rent|charge|rule|date|code)"
    r"|what (?:does|do|would) .{1,30} cost|how much (?:is|are|does|do|notice|rent)|how often"
    r"|where (?:do|does|should|can|shall) (?:i|we|the \w+|my \w+)"
    r"|how (?:do|can) (?:i|we) (?:pay|book|order|apply|renew|register|sign|return|reset|set|bleed|use)"
    r"|(?:am i|are we|is it|is that|are tenants|are pets|are dogs) (?:allowed|ok|okay|permitted|alright|fine)"
    r"|(?:can|could|may) (?:i|we) (?:please )?(?:have|get|fit|put|paint|hang|keep|use|pay|rent|park|order|borrow|book"
    r"|buy|change|swap|replace|renew|install|plant|store|collect|drill|take down)"
    r"|(?:do|does|did) (?:you|we|i|the \w+(?: \w+){0,3}) (?:allow|accept|offer|sell|have to|need to|charge|include"
    r"|mean|cover)"
    r"|is there (?:a|an|any) (?:\w+ )?(?:rule|charge|fee|form|list|discount|course|limit|policy|place|parking|gym)"
    r"|any (?:tips|advice|ideas|recommendations) (?:for|on|about)"
    r"|is .{1,40} (?:included|part of the rent|in the rent))\b"
)
"""How a clause begins that asks about rules, prices and times."""

_NOT_ONLY_ASKED = re.compile(
    r"(?i)\b(?:if|him|her|hers|he|she|they|them|smell\w*|stink\w*|smok\w*|gas|burn\w*|fire|flame\w*|hot|spark\w*"
    r"|wires?|shock\w*|oil|bleach|pills?|tablets|paracetamol|blood|bleed(?!\s+(?:the|a|my|our)\b)\w*|hurt\w*|pain"
    r"|jump\w*|rope|knife|knives|gun|still|now|out|away|down|stop|water|stuck|trapped|locked|breath\w*|die|dead|dying"
    r"|alone|help|leave|safe|sick|dizzy|faint\w*)\b"
)
"""Words that no question about rules, prices and times holds, or that say more than it."""

MAX_ASKED_WORDS = 16

_WELL = frozenset("fine ok okay perfect perfectly great lovely brilliant well".split())
_RUNNING = frozenset("going working works running runs work now again all is's".split())
"""How somebody says that a thing does what it should, and the words beside it."""

_WAITS = re.compile(
    r"(?:oh |no |ok |sorry |actually |erm? |um |well |right )*(?:hang on|hold on|wait|wait up|bear with me"
    r"|(?:just |give me )?(?:a|one|two|1|2) (?:sec|secs|second|seconds|tick|ticks|mo|moment|min|mins|minute|minutes))"
    r"(?: (?:a|one|1) (?:sec|second|tick|mo|moment|min|minute))?(?: please| pls| sorry)*"
)
"""What somebody writes before they go and look."""

_QUICK = re.compile(
    r"(?:(?:and|was|were|all) )*(?:(?:he|she|they|the lad|the man|the plumber|the electrician|the engineer)"
    r"(?: was| were|s)? )?(?:in and out|(?<=was )(?:done|finished)) (?:in|within|under) (?:\w+ ){0,2}"
    r"(?:minutes?|mins?|hours?|no time|half an hour)(?: flat)?"
)
"""A clause that says only how quickly somebody had done a job."""

_LIFT = re.compile(r"(?i)\b(?:lift|elevator)(?:'?s)?\b")
_EMPTY_LIFT = re.compile(
    r"(?i)\b(?:nobody|no one|noone|no-one)(?:'?s| is| was)? (?:in|inside)(?: it| there| the (?:lift|elevator))?(?=\W|$)"
)
_LIFT_WORDS = frozenset(
    "lift lift's lifts elevator out of order again stuck on the ground first second third fourth top bottom floor"
    " with its it's it doors door open is are broken stopped not working down nobody nobody's no one noone in inside"
    " there and standing sitting just still been has since this morning yesterday".split()
)
"""A lift that stands, and the words for one that nobody is in."""

_SWITCHED_OFF = re.compile(
    r"(?:(?:and|but|oh|so|it|i|we|he|she|the|my|our|a|an|was|is|had|have|has|just|only|turns out|there is|theres|there"
    r"|someone|somebody|kids|husband|wife|id|wed|must) )*"
    r"(?:isolator|switch|plug|valve|stopcock|thermostat|dial|timer)(?: switch| valve)?"
    r"(?: (?:above|by|behind|beside|on|near|under|next to) (?:the|my|our) \w+)?"
    r"(?: (?:and|that|was|is|had|has|been|got|just|i|we|id|wed|someone|somebody|must|have))*"
    r" (?:knocked|turned|switched|flicked|left|pushed)(?: it| that)? off(?: at the (?:wall|mains|socket))?"
)
"""A clause that says why a thing had stopped: it was switched off."""

_CHRONIC = re.compile(
    r"(?i)\W*(?:and |but |who )*(?:he|she|i|we|they|who|(?:my|our) (?:\w+ )?\w+) (?:has|have|had|suffers? from)"
    r" (?:got )?(?:bad |mild |severe )?(?:asthma|copd|arthritis|diabetes|dementia|eczema|allergies|hay ?fever)\b"
)
_TRAVELS = re.compile(
    r"(?i)\W*(?:and |so |as |because )*(?:she|he|they|(?:my|our) (?:\w+ ){0,2}\w+)"
    r"(?:'s|'re|s| is| are| will be)? (?:driving|flying|travelling|traveling|visiting)(?: up| down| over| in| here)?"
    r" from (?!(?:above|below|next|upstairs|downstairs|the|a|an|my|our|his|her)\b)\w+(?: \w+)?"
    r"(?: (?:on|this|next) (?:\w+day|weekend|week|month))?\W*"
)
"""A visitor on the way from a town."""

_CORRECTING = frozenset(
    "i meant mean sorry no wait actually my mistake oh and one ones that the of it is its it's".split()
)
"""Words of a correction beside the thing and the place that it names."""

_ACUTE = re.compile(
    r"(?i)\b(?:attack\w*|breath\w*|wheez\w*|blue|collaps\w*|can'?t|cannot|worse|now|gasp\w*|chok\w*|help|pain|empty"
    r"|ran out|run out|missing|lost|wander\w*|fell|fallen)\b"
)
"""A long illness that somebody has, and words of one that is acute."""

_GLUE = frozenset(
    "the a an to of in at on and is it its my our we i have has very again there also with from one up round".split()
)
_PLACE = frozenset(
    "in on at by the my our a an its it's it is under near next to behind of one i meant mean not sorry no".split()
)
_ASKED_AFTER = frozenset("report job repair visit now already yet so".split())
"""Words beside those that ask after a report."""

_NOTHING_YET = frozenset(
    "oh and also so well right ok okay um uh er erm hmm hey hi hello u you there the a an then anyway but or my god"
    " dear gosh morning evening btw".split()
)
"""Words with which a message begins that says nothing yet."""


def without_everyday(message: str, small_faults: bool = False) -> str:
    """Return a message, as English words, without the clauses that only say something everyday; empty if all do.

    A clause goes if it is a courtesy, a word for no messages or a mere place; if it takes a report back or says that
    a problem is over; or if the words that ask for a person or after a report, refuse a photo or name who must not wait
    are all it says.

    Args:
        message: as English words.
        small_faults: whether a clause goes, too, that only says that a small thing has a small fault, or asks about
            rules.
    """
    if _only_corrects(message) or (small_faults and _is_empty_lift(message)):
        return ""
    clauses = [c for part in parts(message) for c in _CLAUSE.split(part) if words(c)]
    rest = [c for c in clauses if not (says_everyday(c) or (small_faults and _is_small(c)))]
    return message if len(rest) == len(clauses) else ", ".join(rest)


def _only_corrects(message: str) -> bool:
    """Return whether a message puts a small thing or a place right in so many words, and says nothing else."""
    each = frozenset(words(message))
    named = each & (lexicon.PLACES | _SMALL_THINGS)
    if not named or not _NOT_ALONE.isdisjoint(each) or not evidence(SpeechAct.CORRECT, [message]):
        return False
    return each <= named | _PLACE | _GLUE | _CORRECTING


def _is_empty_lift(message: str) -> bool:
    """Return whether a message says only that a lift stands and that nobody is in it."""
    is_shown = _LIFT.search(message) is not None and _EMPTY_LIFT.search(message) is not None
    return is_shown and frozenset(words(message)) <= _LIFT_WORDS


def says_everyday(clause: str) -> bool:
    """Return whether a clause says something everyday and nothing else."""
    known, each = phrases_of(ENGLISH), words(clause)
    if known is None or len(each) > MAX_WORDS:
        return False
    phrase = lexicon.phrase(clause)
    if phrase in lexicon.GREETINGS | lexicon.THANKS | lexicon.NO_PHOTO or lexicon.takes_back(clause):
        return True
    if any(plain(clause) in known.acts[act].whole for act in _WHOLE) or _CHIRPS.fullmatch(plain(clause)):
        return True
    if set(each) <= _NOTHING_YET or _WAITS.fullmatch(plain(clause)):
        return True
    is_place = set(each) <= lexicon.PLACES | _PLACE and _NOT_ALONE.isdisjoint(each) and each[-1:] != ["under"]
    if is_place and lexicon.names_place(clause):
        return True
    return _only_shows(clause, frozenset(w.replace("'", "") for w in each))


def _is_small(clause: str) -> bool:
    is_chronic = _CHRONIC.match(clause) is not None and _ACUTE.search(clause) is None
    if _is_mere_thing(clause) or _runs_well(clause):
        return True
    if any(done.fullmatch(plain(clause)) for done in (_SWITCHED_OFF, _QUICK)):
        return True
    done = _REPAIRED.fullmatch(plain(clause))
    if done is not None and done["thing"] in _SMALL_THINGS | _BIG_THINGS | _MENDED:
        return True
    is_visit = _TRAVELS.fullmatch(clause) is not None
    return is_chronic or is_visit or _is_small_fault(clause) or _asks_about_rules(clause)


def _is_mere_thing(clause: str) -> bool:
    """Return whether a clause names a small thing, perhaps with its place, and nothing of it: "and the tap"."""
    each = _bare_words(clause)
    things = each & _SMALL_THINGS | (each & _PIPES if each & _WASHING else frozenset())
    beside = lexicon.PLACES | lexicon.POSITIONS | _GLUE | _NOTHING_YET
    return bool(things) and words(clause)[-1] not in lexicon.POSITIONS and each <= things | beside - _NOT_ALONE


def _runs_well(clause: str) -> bool:
    """Return whether a clause says only that a small thing does what it should."""
    each = _bare_words(clause)
    return bool(each & _SMALL_THINGS) and bool(each & _WELL) and each <= _SMALL_THINGS | _WELL | _RUNNING | _GLUE


def _bare_words(clause: str) -> frozenset[str]:
    """Return the words of a clause without the "'s" of what they own or are: "fan's" is "fan"."""
    return frozenset(w.removesuffix("'s") or w for w in words(clause))


def _asks_about_rules(clause: str) -> bool:
    """Return whether a clause asks about rules, prices or times and about nothing that might go on at home."""
    is_asking = len(words(clause)) <= MAX_ASKED_WORDS and _ASKING.match(clause.strip()) is not None
    return is_asking and _NOT_ONLY_ASKED.search(clause) is None


def _only_shows(clause: str, bare: frozenset[str]) -> bool:
    """Return whether acts of everyday life cover all words of a clause beside those that add nothing to them."""
    people = frozenset(w.replace("'", "") for w in _PEOPLE)
    beside = {
        _SHOWN: people,
        (SpeechAct.VULNERABLE,): people | _ON_THEIR_OWN,
        (SpeechAct.ASK_AFTER,): _SMALL_THINGS | _BIG_THINGS | _GLUE,
    }
    return any((shown := _covered(clause, acts, bare)) and bare <= shown | more for acts, more in beside.items())


def _covered(clause: str, acts: Sequence[SpeechAct], bare: frozenset[str]) -> frozenset[str]:
    """Return the words of a clause that phrases of acts cover; phrases may overlap ("i'd rather", "rather not")."""
    known = phrases_of(ENGLISH)
    assert known is not None
    words_: set[str] = set()
    for act in acts:
        if evidence(act, [clause]):
            for phrase in known.acts[act].phrases:
                pattern = any_of((phrase,))
                assert pattern is not None
                words_ |= {w for m in pattern.finditer(plain(clause, known.spelling)) for w in m.group().split()}
    return bare & words_


_STREET = (
    r"(?:rue|avenue|boulevard|allee|impasse|chemin|quai|calle|avenida|plaza|paseo|via|viale|piazza|corso|ulica|ul)"
)
_NAME, _NUMBER = r"(?: [^\W\d]+){1,4}", r"\d{1,4} ?[a-d]?"
_ADDRESS = re.compile(
    rf"{_NUMBER}(?: bis| ter)?,? {_STREET}{_NAME}|{_STREET}{_NAME},? {_NUMBER}"
    rf"|(?:[^\W\d]+[ -])?[^\W\d]*(?:strasse|str\.?|weg|allee|platz|straat|laan|plein) {_NUMBER}"
)
"""An address in other languages, and nothing else."""


def unread_words(message: str, language: str) -> str:
    """Return a message of another language, in its own words, without its everyday clauses; empty if all are.

    A clause goes if it complains or speaks of payment, contract or a date, or, every word of it known, if its English
    words say that a trouble is over, or only that a small thing has a small fault; all go if the English words of the
    whole are everyday. Else they stay. What an "and" joins to such a clause stays unless it is everyday itself.

    Args:
        message: as it was written.
        language: its tag.
    """
    if not without_everyday(gloss(message, language).text):
        return ""
    clauses = [c for part in parts(message) for c in _CLAUSE.split(part) if words(c)]
    rest = [kept for c in clauses if (kept := _not_everyday(c, language))]
    return message if rest == clauses else ", ".join(rest)


def _not_everyday(clause: str, language: str) -> str:
    """Return what a clause says beside everyday things: what is everyday goes as far as the next "and" only."""
    joint = _AND.get(language)
    joined = joint.split(clause) if joint is not None else [clause]
    rest = [part for part in joined if words(part) and not _is_everyday(part, language)]
    return clause if len(rest) == len(joined) else ", ".join(rest)


def _is_everyday(clause: str, language: str) -> bool:
    if _ADDRESS.fullmatch(" ".join(folded(clause).split()).strip(" .")):
        return True
    english = gloss(clause, language)
    if english.n_known == english.n_words and _says_no_more(english.text):
        return True
    return len(words(clause)) <= MAX_AFFAIRS_WORDS and says_affairs(clause, language)


def _says_no_more(clause: str) -> bool:
    """Return whether English words of another language say only a small fault or thing, an end, or ask after it."""
    if _is_small_fault(clause) or _is_over(clause) or _is_mere_thing(clause) or _runs_well(clause):
        return True
    if frozenset(words(clause)) <= _NOTHING_YET:
        return True
    bare = frozenset(w.replace("'", "") for w in words(clause))
    shown = _covered(clause, (SpeechAct.ASK_AFTER,), bare)
    return bool(shown) and bare <= shown | _SMALL_THINGS | _BIG_THINGS | _GLUE | _ASKED_AFTER


def _is_over(clause: str) -> bool:
    """Return whether a clause says that a trouble is over; farewells and words for nobody to come may hide one."""
    return len(words(clause)) <= MAX_WORDS and bool(evidence(SpeechAct.SOLVED, [clause]))


def _is_small_fault(clause: str) -> bool:
    """Return whether a clause says only that a small thing has a small fault, or that small animals are somewhere."""
    named = frozenset(words(clause))
    if named & _PESTS and named <= _PESTS | _ABOUT_PESTS | lexicon.PLACES | _GLUE:
        return True
    if named & _MOULD and named <= _MOULD | _ABOUT_MOULD | _SMALL_THINGS | lexicon.PLACES | lexicon.POSITIONS | _GLUE:
        return True
    each = frozenset(words(_GIVEN_UP.sub(" broken ", _MUSTY.sub(" dirty ", _URGING.sub(" ", clause)))))
    things, faults = each & _SMALL_THINGS, each & _SMALL_FAULTS
    if each & _NOBODY_BEHIND and not things - _NOBODY_BEHIND:
        things, faults = things | (each & _NOBODY_BEHIND), faults | (each & _STICKING)
    is_named = bool(things) and (bool(faults) or bool(each & lexicon.PLACES))
    is_flooded = words(clause)[-1:] == ["under"]  # "the whole downstairs is under"
    return is_named and not is_flooded and each <= things | faults | lexicon.PLACES | lexicon.POSITIONS | _GLUE
