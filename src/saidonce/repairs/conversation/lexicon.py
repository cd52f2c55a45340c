"""English word lists and their tests: places, things, vague words, promises, refusals, courtesies."""

from __future__ import annotations

import re
from collections.abc import Sequence

from saidonce.foundation.model.conversation import Category
from saidonce.foundation.stop_words import stop_words
from saidonce.foundation.text import normalise, sentences, words
from saidonce.repairs.conversation import no_danger
from saidonce.repairs.conversation.acts import ENGLISH, SpeechAct, shown_by
from saidonce.repairs.conversation.phrases import parts

PLACES = frozenset(
    "airing alcove attic balcony basement bath bathroom bathrooms bedroom bedrooms building cellar communal corridor"
    " cupboard conservatory cloakroom courtyard den dining downstairs drive driveway elevator ensuite entrance"
    " everywhere"
    " floor flat foyer front apartment garage garden ground hall halls hallway house kitchen kitchenette landing larder"
    " laundry lift living lobby loft lounge meter nursery office outdoors outside pantry parking passage patio playroom"
    " plant porch reception roof room rooms scullery shed shower sitting stair staircase stairs stairway stairwell"
    " store studio study terrace toilet toilets upstairs utility vestibule wc yard bedsit annexe mezzanine back side"
    " whole entire spare box guest".split()
)
"""Words that name a place in or around a home."""

POSITIONS = frozenset(
    "above against around at behind below beneath beside between by in inside near next off on opposite over under"
    " underneath within".split()
)

THINGS = frozenset(
    "boiler radiator radiators thermostat tap taps faucet sink basin pipe pipes pipework cistern drain drains drainpipe"
    " gutter"
    " gutters heating heater cooker oven hob stove fridge freezer refrigerator dishwasher washer dryer washing machine"
    " socket sockets switch switches light lights bulb bulbs lamp fuse fusebox breaker wiring cable plug door doors"
    " window windows lock locks key keys handle hinge letterbox blind blinds curtain ceiling wall walls tile tiles"
    " carpet floorboard floorboards step steps banister railing fence gate alarm smoke detector extractor fan vent"
    " intercom buzzer doorbell shelf shelves cabinet drawer worktop counter toilet loo seat shower bath bathtub"
    " plughole stopcock valve tank cylinder pump meter hinge glass pane gas electrics electricity power mould mold damp"
    " mouse mice rat rats cockroach cockroaches ants wasps bedbugs fleas moths slugs squirrel squirrels pigeons pigeon"
    " lightbulb lightbulbs mirror ignition showerhead knob hose mixer flush cooker chimney fireplace skylight downpipe"
    " plaster paint grout sealant skirting wardrobe microwave tumble router aerial lift elevator grill"
    " fob entryphone immersion rail tray mattress sofa railings shutter shutters bell chain overflow combi worktops"
    " panel".split()
)
"""Words that name a thing, not a place; some (shower, toilet) name both, and count as places in a location."""

VAGUE = stop_words()["report"]
"""Words that do not identify a fault: a description of these and of places alone is vague."""

_ITS_OWN_PLACE = frozenset("doorbell gate gates cooker hob letterbox intercom entryphone worktop worktops".split())
"""Things that tell where they are, where nothing else does: there is one, at the door or in the kitchen."""

FIXTURES = frozenset("toilet toilets shower bath lift elevator meter".split()) | _ITS_OWN_PLACE
"""Places that are things as well, where another place is named beside them."""

_OF_A_THING = frozenset({*FIXTURES, "cupboard"})
"""Places that only say which thing is meant, in front of it: a shower screen, a cupboard door."""

_PARTS = frozenset("door doors seat screen panel curtain rail tray head hose handle plug roll brush".split())

_SIDES = frozenset({"front", "back", "side"})
_DOOR = re.compile(r"(?i) (?:door|gate|garden|window)\b")

_RETURN = re.compile(
    r"(?i)\bback(?= to (?:life|normal|square|how|what)\b)"
    r"|(?<=come )back\b(?! (?:door|gate|garden|bed|room))|(?<=came )back\b(?! (?:door|gate|garden|bed|room))"
)
_EN_SUITE = re.compile(r"(?i)\ben[ -]suite\b")
_PLACE_WORD = "|".join((r"en[ -]suite", *sorted(PLACES | _ITS_OWN_PLACE, key=lambda w: (-len(w), w))))
_PLACE_RUN = re.compile(rf"(?i)(?<![\w'])(?:{_PLACE_WORD})(?:\s+(?:{_PLACE_WORD}))*(?!\w|'(?!s\b))")

_LATER = re.compile(
    r"\b(?:later|tonight|tomorrow|tmrw|soon|shortly|after work|when (?:i|im|i'm|we)\b"
    r"|in (?:about )?(?:a|an|half an|a few|\d+|one|two|three|four|five|ten|fifteen|twenty|thirty)"
    r" (?:bit|mins?|minutes?|secs?|seconds?|moment|while|few|hours?)|gimme|give me"
    r"|(?:hang|hold) on(?!\W+(?:no|not|actually|sorry|it's|its|it is|that's|thats|i mean|i meant)\b)"
    r"|one (?:sec|second|min|minute|moment)|(?<!can )wait(?! till| until"
    r"|\W+(?:no|not|actually|sorry|it's|its|it is|that's|thats|i mean|i meant)\b)"
    r"|i(?:'ll| will) (?:take|send|get|do|grab|snap|try)|will (?:send|take)"
    r"|gonna (?:take|send|get)|going to (?:take|send|get)|let me (?:take|get|grab|find)|on my way|not (?:at )?home)\b"
)
_DECLINE = re.compile(
    r"^(?:no|nope|nah|skip|no thanks|no thank you)[.! ]*$"
    r"|\b(?:no (?:photo|photos|picture|pictures|pic|pics|camera|smartphone|image|images)"
    r"|(?:can't|cant|cannot|can not|unable to|not able to|couldn't|won't|wont|don't want to|do not want to|rather not"
    r"|refuse to) (?:(?:\w+ ){0,3}(?:photo|photos|picture|pictures|pic|pics|image|images|camera)"
    r"|(?:do|take|send|get|make|manage|show|give|provide|upload|attach) (?:you |u |a |any )?(?:one|that)(?!'s))"
    r"|(?:camera|phone) (?:is |\w+ )?(?:broken|doesn't work|isn't working|not working)"
    r"|(?:don't|do not|haven't|have not) (?:have|got|own) (?:\w+ )?(?:photo|photos|camera|smartphone|one|pictures)"
    r"|without (?:a )?(?:photo|picture|pic)|skip (?:the |it|this|photo|pictures?)+)\b"
)
_NEVER = re.compile(r"\b(?:now |today )?or (?:later|tomorrow|tonight|soon)\b|\bnot (?:even )?(?:later|tomorrow)\b")
"""Words of a promise that belong to a refusal: "not now or later"."""

FAULTS = frozenset(
    "broken broke break breaks damaged damage cracked crack leak leaks leaking leaked drip drips dripping blocked stuck"
    " jammed loose cold dead smell smells noise noisy mould mold damp wet flooded flooding burst fallen fell snapped"
    " repair repaired fix fixed wrong faulty fault failed stopped working problem".split()
)
"""Words for faults."""

UNSPECIFIC = frozenset(
    "broken broke break breaks damaged damage repair repaired fix fixed wrong faulty fault failed stopped working"
    " problem problems issue issues trouble".split()
)
"""Words for faults that do not say which."""

TROUBLE = FAULTS | frozenset("water soaked soaking smelly noises leaked leaky trouble problems issue issues".split())
"""Words for faults, and for what they leave behind."""

WORSE = frozenset("worse worsening spreading rising overflowing pouring".split())
"""Words for growing faults."""

NO_PHOTO = frozenset(
    "no|nope|nah|skip|skip it|no thanks|no thank you|no photo|no photos|no picture|no pictures|without".split("|")
)
"""Whole answers that decline a photo right after the question for it."""

_PHOTO = re.compile(r"\b(?:photo|photos|picture|pictures|pic|pics|image|images|snapshot|photograph\w*)\b")
_CAMERAS = re.compile("[\U0001f4f7\U0001f4f8\U0001f933\U0001f5bc]\ufe0f?")
_PROHIBITIONS = re.compile("[\U0001f6ab\u274c]\ufe0f?")

_OF_PHOTOS = re.compile(
    r"\b(?:photos?|pictures?|pics?|photograph(?:s|y|ing)?|cameras?)\b(?:'s\b)?(?! (?:rail|frame|hook))"
)
MIN_REASON_WORDS = 4
"""Shorter answers that name a photo give no reason: "photo", "good picture"."""

_SENDS = re.compile(
    r"\b(?:will|gonna|going|can|could|try|trying|tried|send|sending|sent|upload\w*|attach\w*|take|taking|took|taken|get"
    r"|getting|coming|wait|moment|when|once|after|until|till|later|here|there|this|these|see|look|shows?|shown|yes|ok"
    r"|okay|sure|have|has|got|more|another|want|wants|need|good|enough|way|loading|what|which)\b|\w'll\b|\w've\b"
)
"""Words of an answer that may bring a photo, speak of one that is there, or agree to one."""

MAX_REFUSAL_WORDS = 10
"""Longer messages of other languages may deny something else beside a photo."""

_NEGATIONS = frozenset("no not none nothing cannot can't without never".split())
_NONE = frozenset("no none cannot can't cant without never".split())
"""Negations that an English message may use of a photo in any order; "not" may deny something of the photo itself."""

_UNABLE = frozenset("wouldn't wouldnt couldn't couldnt nothing nowhere pointless useless".split())
_OF_ONE_SENT = frozenset(
    "here attached sent sending yet loading upload uploading arrived came through received".split()
)
"""What an answer says of a photo that cannot be had, and of one that is there or on its way."""

_ABLE = frozenset("can can't cannot able how have know".split())
_ASKS_WHERE = re.compile(r"\b(?:which|what) (?:room|rooms|place|area|floor)\b|\bwhere\b")

GREETINGS = frozenset(
    "hi|hello|hey|hiya|hi there|hello there|hey there|good morning|good afternoon|good evening|morning|afternoon"
    "|evening|good day|hola|yo|greetings|hi good morning|hello good morning".split("|")
)
THANKS = frozenset(
    "thanks|thank you|thx|ty|cheers|ta|thanks a lot|thank you so much|thank you very much|many thanks|much appreciated"
    "|great thanks|ok thanks|okay thanks|ok thank you|perfect thanks|thanks so much|appreciate it|brilliant thanks"
    "|great thank you|perfect thank you|lovely thanks".split("|")
)
HERE_IT_IS = frozenset(
    "|here|here it is|here you go|here you are|photo|the photo|pic|picture|photos|pics|see photo|see picture|attached"
    "|here's the photo|here is the photo|here's a photo|this is it".split("|")
)
"""Captions without meaning beyond the photo; the empty one too."""

NO = frozenset("no|nope|wrong|not me|wrong address|wrong person|that's not me|thats not me|not my address".split("|"))
WRONG = NO - {"no", "nope"}
_YES = re.compile(
    r"^(?:1|y|ye|yes+|yeah|yea|yep|yup|ya|si|aye|help|hurry|danger:yes|ok help|of course|i think so)(?!\w)"
    r"|^(?:i am|we are)$"
    r"|\b(?:in danger|is hurt|are hurt|am hurt|need help|come quick|please hurry|get help)\b"
)
_NO = re.compile(
    r"^(?:2|two|danger:no|n|no+|nope|nah|na|nobody|no one|none|not really|no thanks|no thank you|no danger"
    r"|(?:(?:no|nope|nah|2) )?(?:(?:all|everyone|everybody|everything|we|i|it|that|they)"
    r"(?:'s|'re|'m| is| are| am| was)?"
    r" )?(?:all )?(?:just |only )?(?:fine|ok|okay|good|safe|alright|all right|well|under control|a false alarm"
    r"|false alarm|over|out now|gone now)(?: now| here| thanks| thank you){0,9}"
    r"|(?:(?:no|nope|nah) )?(?:nobody|no one|none of us)(?: here)?(?:'s| is| are|'re)? (?:in )?(?:any )?(?:danger|hurt)"
    r"|(?:(?:no|nope|nah) )?(?:(?:we|everyone|everybody|all)(?:'re| is| are)? (?:all )?(?:fine|ok|okay|safe) )?"
    r"(?:and )?(?:nobody|no one|none of us)(?:'s| is| was| were| got| has been| got badly)? (?:hurt|injured|harmed)"
    r"(?: himself| herself| themselves| here)?|(?:there (?:are|were) )?no (?:injuries|casualties)"
    r"|(?:no |nope |nah )?(?:nobody is|not|we are not|we're not|i'm not|i am not|there is no|there's no)"
    r" (?:in )?(?:any |immediate )?(?:danger|emergency|an emergency)(?: now| right now| here)?)"
    r"(?: (?:thanks|thank you|cheers|ta|sorry|love|mate|all good|we're fine|we are fine|i'm fine|all fine|all ok))"
    r"{0,9}$"
)
_NO_FIRST = re.compile(
    r"^(?:2|no|nope|nah)(?:[.,!;:)\-]|\s+(?:it|its|it's|that|thats|that's|just|only|we|i|i'm|im|there|not)\b)"
)
_TROUBLED = re.compile(r"\b(?:help|hurt|hurry|quick|worse|scared|afraid|yes|please come|can't|cant|out)\b")
_HAPPENED = (
    r"\b(?:fell|fallen|falling|collaps\w+|faint\w*|slipped|smashed|kicked|forced|exploded|swallowed|unconscious"
    r"|on the (?:floor|ground)|won't (?:wake|get up|move))\b"
)
"""What has happened to somebody or something, of which a no beside it may say that it is not all."""
_HOLDS = re.compile(rf"\bbut\b|{_HAPPENED}|{_TROUBLED.pattern}")
_DENIES = re.compile(
    r"(?:2|no|nope|nah)\W+(?:(?:nobody|no one|none of us)(?: here)?(?:'s| is| are|'re)? (?:in )?(?:any )?danger"
    r"|(?:we're|we are|i'm|i am|there's|there is) (?:not in |no |not )(?:any )?(?:danger|emergency))\b"
)
"""A no in so many words, whatever follows."""


_FIXED = r"(?:fixed|repaired|sorted|sorted out|solved|resolved|mended|done|dealt with)"
_OPEN_AGAIN = re.compile(
    r"\b(?:stop(?:s|ped)? working"
    r"|not|isn't|isnt|wasn't|hasn't|hasnt|haven't|never|nobody|no one|but|still|again and|then|yet|need|needs"
    r"|needed it"
    r"|must(?! have been)|please come|please send|when|until|till|unless|last (?:year|month|week)"
    r"|for a (?:minute|moment|while|bit)"
    r"|won't|wont|can't be|tried|photo|photos|picture|pictures|pic)\b|\?"
)
_CLEAR = re.compile(
    rf"\b(?:my|our|the|a) (?:\w+ )?\w+ (?:has |have |had |'s |just |already )*(?:managed to )?{_FIXED}"
    r"(?: it| that| this)?\b"
    rf"|\b(?:i|we|he|she|they) (?:have |has |'ve |just |already |managed to |got )*(?:{_FIXED}|fix|sort|repair)"
    r" (?:it|that|this)\b"
    rf"|\b(?:it|that|this|it's|that's|its|thats|problem|issue|everything|all|now|been|is|got it|has been)"
    rf"(?: is| has| been| all| now| just| already|'s){{0,12}}+ {_FIXED}\b"
    r"|\b(?:it|it's|its|that's|thats|they|is|actually|all)(?: is| 's| all| all's){0,9}"
    r" (?:ok|okay|fine|good|alright|all right)"
    r" now\b"
    r"|\b(?:works|working|work) (?:again|now|fine now|fine again)\b|\bgot it working\b"
    rf"|\b(?!nothing|nobody|noone|what|when|where|who|how|if|let)\w+'s (?:been |now |all )?{_FIXED}\b"
    r"|\bhas stopped by itself\b|\b(?:problem|issue) (?:is )?(?:solved|gone)\b|\bplumber has been\b"
    rf"|^(?:all |now )?{_FIXED}(?: now)?$"
)
_TAKE_BACK = re.compile(
    r"^(?:(?:ok|okay|oh|actually|please|sorry|just|ah|hi|no|i'll do it myself|i will do it myself) )*"
    r"(?:leave it|nevermind|never mind|nvm|forget (?:it|that|about it|about that|my message|my report)"
    r"|scrap (?:it|that)|ignore (?:it|that|this|me|my (?:last )?(?:message|report|text))|disregard (?:it|that|this)"
    r"|cancel (?:it|that|this|my (?:report|request)|the (?:report|request))|please cancel.*|false alarm"
    r"|no need|no longer needed|not needed any ?more|don't (?:worry|bother)|dont (?:worry|bother)"
    r"|you don't need to (?:send|come)|you dont need to (?:send|come)"
    r"|you can (?:cancel|ignore|forget) (?:it|that|this))\b"
)
_SET_ASIDE = re.compile(
    r"\b(?:you don't need to|you dont need to|no need(?: to)?|never mind|no longer needed|not needed any ?more"
    r"|nobody needs to|don't need"
    r" (?:anyone|anybody|you))\b"
)
_STAYS = re.compile(
    r"\b(?:leave it (?:with|like|to|for|until|till|on|off|open|any|at)|never mind the|don't worry about the photo"
    r"|dont worry about the photo|no need (?:for|of) (?:a )?(?:photo|picture))\b"
)


def withdraws(text: str, language: str = ENGLISH) -> bool:
    """Return whether a message withdraws a report: the problem is solved, or nobody needs to come any more.

    Words that leave it open ("not", "but", "still", a question, "when") stand against it: then nothing is taken back.
    So do other parts of the message that report a fault.
    """
    if _says_so(text):
        return True
    each = parts(text)
    shown = [p for p in each if takes_back(p, language)]
    rest = [p for p in each if p not in shown]
    return bool(shown) and not any(reports(p) and not _STAYS.search(phrase(p)) for p in rest)


def takes_back(part: str, language: str = ENGLISH) -> bool:
    """Return whether a sentence or clause says in so many words that a problem is over, or that nobody is needed."""
    if "?" in part or _STAYS.search(phrase(part)):
        return False
    acts = (SpeechAct.TAKE_BACK, SpeechAct.SOLVED)
    return _says_so(part) or any(shown_by(act, part, language) for act in acts)


def _says_so(text: str) -> bool:
    message = phrase(text)
    if not message or _STAYS.search(message):
        return False
    is_open = _OPEN_AGAIN.search(_SET_ASIDE.sub(" ", normalise(text))) is not None
    return not is_open and bool(_TAKE_BACK.search(message) or _CLEAR.search(message))


def stops(text: str) -> bool:
    """Return whether a message asks for no more messages, or for messages again."""
    return bool(shown_by(SpeechAct.STOP, text) or shown_by(SpeechAct.START, text))


def only_answers(text: str) -> bool:
    """Return whether a message is empty or only a number, a yes or a no, without meaning of its own."""
    return phrase(text) in ("", "1", "2", "yes", "no", "yeah", "nope", "yep", "y", "n")


def in_danger(text: str, holds_danger: bool) -> bool | None:
    """Read an answer to "is anybody in danger right now?"; None where it is neither a yes nor a no.

    A yes, or a message that describes a danger, is one, whatever else it says. A no has to be nothing but a no, or
    begin with one and go on without a danger: "no, but I smell smoke" is none.

    Args:
        text: what was answered, or the payload of a button.
        holds_danger: whether a danger was found in it.
    """
    words_ = phrase(text)
    if words_ in ("ok", "okay", "good", "well", "over"):
        return None
    if _NO.match(words_) or _NO.match(normalise(text)):
        return False
    begins_no = bool(_NO_FIRST.match(normalise(text).strip()))
    if holds_danger:
        return None if begins_no else True
    if begins_no:
        # "no, no one is hurt" holds nothing; nor does "but the stairs are loose" behind "no, nobody is in danger".
        holds = _TROUBLED if _DENIES.match(normalise(text).strip()) else _HOLDS
        return None if holds.search(phrase(no_danger.without(text))) else False
    return True if _YES.search(words_) or _YES.search(normalise(text)) else None


_EDGE = re.compile(r"[\s.,!?;:)(\-\U0001F000-\U0001FAFF\u2600-\u27bf\ufe0f]+")


def phrase(text: str) -> str:
    """Return a text as a phrase for look-ups: normal form without punctuation and pictograms."""
    return _EDGE.sub(" ", normalise(text)).strip()


def declines(text: str) -> bool:
    """Return whether words decline a photo; a promise of one for later is no refusal."""
    message = normalise(text)
    return bool(_DECLINE.search(message)) and not _promises(message)


def only_declines(text: str) -> bool:
    """Return whether words decline a photo, and name neither a thing nor a fault beside it: "no photo, sorry"."""
    return declines(text) and not names_thing(text) and (FAULTS | WORSE).isdisjoint(words(text))


def _named(text: str) -> str:
    """Return a text with the pictograms of a camera and of a prohibition as words."""
    return _PROHIBITIONS.sub(" no ", _CAMERAS.sub(" photo ", text))


def refuses_photo(text: str, language: str = ENGLISH) -> bool:
    """Return whether an answer to the question for a photo refuses it, in any wording; a promise is no refusal."""
    text = _named(text)
    if declines(text) or (not puts_off(text) and bool(shown_by(SpeechAct.DECLINE_PHOTO, text, language))):
        return True
    return _denies_photo(text, _NONE if language == ENGLISH else _NEGATIONS)


def has_none(text: str) -> bool:
    """Return whether an answer to the question for a photo speaks of photos and tells of none: a reason why not.

    "My grandson does the photos and he is at school" refuses in no usual word. What sends, promises or asks something,
    or names a thing of the home, does not count.
    """
    plain = normalise(text)
    is_open = "?" in text or any(c.isdigit() for c in text) or puts_off(text) or _SENDS.search(plain) is not None
    is_said = len(words(plain)) >= MIN_REASON_WORDS and _OF_PHOTOS.search(plain) is not None
    return not is_open and is_said and not names_thing(_OF_PHOTOS.sub(" ", plain))


def refuses_all(text: str, language: str = ENGLISH) -> bool:
    """Return whether a refusal is meant for every photo: it says so, or that the writer is not able to send any."""
    text = _named(text)
    if shown_by(SpeechAct.DECLINE_ALL, text, language):
        return True
    negations = _NONE if language == ENGLISH else _NEGATIONS
    is_general = language != ENGLISH or " of " not in f" {normalise(text)} "
    return is_general and _denies_photo(text, negations) and not _ABLE.isdisjoint(words(text))


def _denies_photo(text: str, negations: frozenset[str]) -> bool:
    """Return whether a short message speaks of a photo and has a negation, in whatever order.

    Words of other languages come in their own ("photos can I unfortunately none make"), and so do those of people who
    learn English ("no have photo"), which no list of phrases foresees.
    """
    each = words(text)
    is_short = len(each) <= MAX_REFUSAL_WORDS and "?" not in text
    is_denied = not negations.isdisjoint(each) or (not _UNABLE.isdisjoint(each) and _OF_ONE_SENT.isdisjoint(each))
    return is_short and asks_for_photo(text) and is_denied and not puts_off(text)


def puts_off(text: str) -> bool:
    """Return whether words promise a photo for later."""
    return _promises(normalise(text))


def _promises(message: str) -> bool:
    return bool(_LATER.search(_NEVER.sub(" ", message)))


def names_place(text: str) -> bool:
    """Return whether words name a place: a room, or something with a position ("under the sink", "behind the fridge").

    A thing alone is none: the seed's first failure took "boiler" for a location.
    """
    text = _without_return(text)
    message = words(text)
    if any(w.removesuffix("'s") in PLACES | _ITS_OWN_PLACE for w in message) or _EN_SUITE.search(text):
        return True
    return any(w in POSITIONS and any(len(after) > 2 and after not in VAGUE for after in message[n + 1 : n + 5])
               for n, w in enumerate(message))  # fmt: skip


def _without_return(text: str) -> str:
    """Return a text of the same length without "back" where it tells of a return: "it came back to life"."""
    return _RETURN.sub(lambda m: "_" * len(m.group()), text)


def asks_where(text: str) -> bool:
    """Return whether a question asks for a place."""
    return bool(_ASKS_WHERE.search(normalise(text)))


def asks_for_photo(text: str) -> bool:
    """Return whether words speak of a photo."""
    return bool(_PHOTO.search(normalise(text)))


def only_asks(text: str) -> bool:
    """Return whether a text asks and reports nothing: its sentences are questions without a thing or a fault.

    "When are the bins emptied?" only asks; "could somebody look at the fridge?" reports.
    """
    sentences_ = [s.text.rstrip() for s in sentences(text)]
    asks = bool(sentences_) and all(s.endswith(("?", "\uff1f")) for s in sentences_)
    return asks and not names_thing(text) and FAULTS.isdisjoint(words(text))


def place_in(text: str) -> str:
    """Return the place named by words, word for word: the first run of place words, else the words with a position.

    Empty if no place is named. "it came off in the upstairs bathroom" gives "upstairs bathroom".
    """
    where = _without_return(text)
    runs = tuple(_PLACE_RUN.finditer(where))
    own = tuple(m for m in runs if not _says_which(m, where))
    own = tuple(m for m in own if m.group().lower() not in _ITS_OWN_PLACE) or own
    best = max((_whole_place(m, where) for m in own or runs), key=len, default="")
    return best or (text.strip() if names_place(text) else "")


def _says_which(match: re.Match[str], text: str) -> bool:
    """Return whether a place word stands in front of a part and says which one: the shower of "shower screen"."""
    after = words(text[match.end() : match.end() + 30])[:1]
    return match.group().lower() in _OF_A_THING and not _PARTS.isdisjoint(after)


def _whole_place(match: re.Match[str], text: str) -> str:
    """Return a run of place words without a fixture at its ends, and with the door of a side.

    "bathroom toilet" is in the bathroom, and "front" in "front door" is the front door.
    """
    run = match.group().split()
    door = _DOOR.match(text[match.end() :])
    if run[-1].lower() in _SIDES and door:
        return f"{match.group()}{door.group()}"
    while len(run) > 1 and run[-1].lower() in FIXTURES:
        run.pop()
    while len(run) > 1 and run[0].lower() in FIXTURES:
        run.pop(0)
    return " ".join(run)


def names_thing(text: str) -> bool:
    """Return whether words name a thing that can break."""
    return any(w.removesuffix("'s") in THINGS for w in words(text))


def names_fault(text: str) -> bool:
    """Return whether words name a fault or its growth."""
    return not (FAULTS | WORSE).isdisjoint(words(text))


def tells_fact(texts: Sequence[str]) -> bool:
    """Return whether messages report something, or state a number."""
    return any(reports(t) or any(c.isdigit() for c in t) for t in texts)


def asks_leave(text: str, language: str = ENGLISH) -> bool:
    """Return whether a message only asks, with or without a question mark, and names no fault."""
    asked = bool(shown_by(SpeechAct.QUESTION, text, language))
    return asked and not names_fault(text) and not shown_by(SpeechAct.FAULT, text, language)


def reports(text: str) -> bool:
    """Return whether a text reports something: a thing, a fault or its growth, beyond a mere question.

    Words about a photo report nothing. "When I get in" promises one in a short answer, or where a photo is spoken of.
    """
    is_fault = names_thing(text) or not (FAULTS | WORSE).isdisjoint(words(text))
    is_promise = puts_off(text) and (asks_for_photo(text) or len(words(text)) <= MAX_REFUSAL_WORDS)
    return is_fault and not (only_asks(text) or declines(text) or is_promise)


def tells(text: str) -> bool:
    """Return whether a sentence belongs into a report: it reports, or states any other fact.

    Courtesies, refusals and promises of a photo, requests for a person, yes and no alone, and mere questions do not.
    """
    message = phrase(text)
    if message in GREETINGS | THANKS | NO_PHOTO | HERE_IT_IS | NO or only_answers(text) or stops(text):
        return False
    if declines(text) or puts_off(text) or only_asks(text) or shown_by(SpeechAct.PERSON, text):
        return False
    return bool(words(text)) and not withdraws(text)


def is_vague(text: str) -> bool:
    """Return whether words leave the fault open: only places, courtesies and words such as "leak"."""
    return all(w in VAGUE or w in PLACES - THINGS or w in POSITIONS for w in words(text))


_CATEGORIES: tuple[tuple[Category, frozenset[str]], ...] = (
    (Category.HEATING, frozenset("boiler radiator radiators heating heater thermostat".split())),
    (Category.APPLIANCE, frozenset(
        "cooker oven hob stove fridge freezer dishwasher washer dryer grill microwave".split())),
    (Category.HEATING, frozenset("heat hot".split())),
    (Category.ELECTRICAL, frozenset(
        "socket sockets switch light lights bulb fuse fusebox breaker wiring plug electrics electricity power intercom"
        " doorbell alarm detector".split())),
    (Category.PESTS, frozenset("mouse mice rat rats cockroach cockroaches ants wasps bedbugs pest pests".split())),
    (Category.PLUMBING, frozenset(
        "tap taps faucet sink basin pipe pipes drain drains toilet loo shower bath cistern leak leaks leaking drip"
        " dripping drips water flush blocked gutter".split())),
    (Category.DAMP, frozenset("mould mold damp condensation".split())),
    (Category.SECURITY, frozenset("lock locks key keys door gate window letterbox".split())),
    (Category.STRUCTURE, frozenset("ceiling wall walls roof floor stairs banister fence tile tiles".split())),
)  # fmt: skip


_WASHING = re.compile(r"(?i)\bwashing[ -]?machines?\b|\bmachine washing\b")
"""A washing machine, as it is written and as its two words in order of the alphabet."""


def category(content: str) -> Category:
    """Guess the trade for a problem without a category: the first list with one of its words.

    The thing comes before what it does: an oven that does not heat, and a washing machine that leaks, are appliances.
    """
    terms = set(words(_WASHING.sub("washer", content)))
    return next((kind for kind, known in _CATEGORIES if terms & known), Category.OTHER)
