"""Words of questions about homes: those that say little, and those that say the same, as data."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from saidonce.foundation.text import folded

LIGHT = frozenset(
    # English: courtesies, questions, helpers, and verbs that say nothing of their object.
    "a about actually again all alright allow allowed already also am an and another any anybody anyone anything are as"
    " at away back be because been being best btw but by bye can cant cheers could cos cuz day days did do does doing"
    " dont"
    " else every everyone find for from get gets getting give given go goes going gonna good got guess had happen"
    " happens has have having hello help her here hey hi hiya how hows i id if ill im in info information into is"
    " isnt"
    " it its ive just keep keeps kept kind know less let like located long look love make many mate may maybe me"
    " might"
    " mine much must my need needs no normal not now number of off often oh ok okay on one or our out over permitted"
    " please pls plz possible put question quick quickly really right rule rules said same say says see shall she"
    " should"
    " show so some somebody someone something sorry still stuff such take takes tell than thank thanks that thats the"
    " their them then there theres these they thing things this those time times to today too u up ur us use used"
    " using"
    " want wanted was wat wats way we well were what whats when whens where wheres which while who whom whos why will"
    " with without wondering would wouldnt yes yet you your yours anyway ask asking supposed able wanna myself"
    " thinking planning hoping considering"
    " new old own bit little wee lot lots place stand situation policy regarding re located"
    " start starts begin begins end ends finish finishes open opens opening close closes closed shut shuts"
    " cost costs price charge charges pay pays paid fee fees hour hours amount"
    " after before during even more most only over since too under until very come comes coming bring check went"
    " next limit limits maximum minimum max min"
    " stop stops stopping prevent avoid rid dispose disposal throw chuck dump request requests requested"
    " flat flats apartment home house unit live living"
    # German.
    " ab an auch auf aus bei bekomme bitte da darf das dem den der des die du ein eine einen einer es fur für gibt"
    " haben haben habe hallo hat ich ihr im in ist kann konnen können kostet man mein meine meinem meinen mich mir"
    " mit"
    " muss nach nicht noch oder sein sie sind stelle stellen um und uns von wann warum was wer welche welchem welchen"
    " wie wieviel wir wird wo wohin zu zum zur haus wohnung"
    # Spanish.
    " a al como cómo con cuando cuándo cuanto cuánto cuanta cuánta cual cuál de del debo donde dónde el ella en es"
    " esta"
    " está estan están favor hay hola hora la las lo los me mi mis no nos o para pagar paga por puede puedo pueden"
    " que"
    " qué quien quién se ser si sobre son su tengo tener tiene un una uno y ya empieza termina gracias permitido casa"
    " piso"
    # French, Portuguese, Polish: the commonest.
    " au aux avec avoir bonjour ce combien comment dans des du est et être il je le les ma mes mon ou où peut peux"
    " pour puis qu que quand quel quelle qui quoi sont sur un une y"
    " às as com como da das do dos em eu fica me meu minha na nas no nos o os para pode posso qual quando quanto que"
    " quem ter tem um uma onde obrigado"
    " czy co do gdzie i ile ja jak jest kiedy kto ma mam mi moge mogę na nie po się sie to w z za".split()
)
"""Words that need not stand in a passage for it to answer; what a question asks *for* is checked by its kind."""


@cache
def light_in(language: str) -> frozenset[str]:
    """Return the words that say little in a language other than English; none for a language without a list.

    What is light in one is no light word in another: "bin", "van", "door". Phones write them without accents, too.
    """
    return _lists_of_languages().get(language, frozenset())


@cache
def _lists_of_languages() -> dict[str, frozenset[str]]:
    rows = tomllib.loads((files("saidonce.kb.verbatim") / "light_words.toml").read_text("utf-8"))
    return {language: frozenset((*listed.split(), *folded(listed).split())) for language, listed in rows.items()}


GROUPS: tuple[frozenset[str], ...] = tuple(
    frozenset(line.split())
    for line in (
        "bin bins rubbish trash garbage waste refuse litter wheelie dustbin dustbins",
        "recycling recyclables recycle glass tins plastic cardboard",
        "collected collection collections emptied empty pick picked pickup lorry",
        "bike bikes bicycle bicycles cycle cycles pushbike pushbikes",
        "ebike ebikes e-bike electric",
        "electric ev tesla",
        "car cars vehicle vehicles van vans motor",
        "motorbike motorbikes motorcycle motorcycles scooter moped",
        "barbecue barbecues bbq bbqs barbeque barbeques barbie grill",
        "guest guests visitor visitors visit overnight",
        "mum dad mother father parents friend friends family brother sister guest guests visitor visitors",
        "stay staying stays sleep sleepover",
        "girlfriend boyfriend partner husband wife flatmate roommate somebody person occupier",
        "moving move moves",
        "wifi wi-fi internet broadband network router",
        "wifi wlan",
        "tv telly television televisions",
        "sofa couch settee furniture",
        "sofa sofas mattress mattresses wardrobe bulky fridge furniture",
        "belongings possessions contents",
        "insured insure insurance cover covered covers",
        "airbnb sublet subletting sublease lodger holiday",
        "dog dogs puppy puppies labrador spaniel terrier",
        "cat cats kitten kittens",
        "pet pets animal animals",
        "smoke smoking cigarette cigarettes fag fags smoker",
        "vape vaping vapes",
        "wash washing laundry launderette laundrette washer dryer",
        "lift elevator",
        "office team agency agents agent landlord",
        "call ring phone telephone reach contact",
        "broken works working connection down",
        "post mail letters letter",
        "parcel parcels package packages delivery deliveries delivered",
        "letterbox mailbox postbox",
        "fob fobs",
        "overdue late arrears behind",
        "contract agreement tenancy lease term",
        "deposit bond",
        "garage park parking space spaces bay bays",
        "permit permits permission consent permitted ask approval",
        "noise noisy loud music party parties quiet",
        "timer programme program schedule timing",
        "programme program set setting",
        "temp temperature degrees thermostat",
        "hot heating heater radiators",
        "fusebox fuse breaker consumer",
        "mould mold damp condensation",
        "decorate decorating paint painting",
        "plumber electrician engineer contractor contractors tradesman workman builder handyman",
        "bed beds bedroom bedrooms bedded",
        "caretaker janitor super superintendent",
        "complaint complaints complain complaining",
        "inspection inspections inspect",
        "leave leaving move moving moved vacate",
        "deduct deducted deduction deductions",
        "disagree dispute agree",
        "lawn grass mow",
        "lost lose losing",
        "locked lockout",
        "supplier provider company",
        "data information",
        "repair repairs fix fixed fixes",
        "roof rooftop",
        "test tested tests testing",
        "cut cuts cutting",
        "meet assembly",
        "visit visitors",
        "weekend saturday sunday weekends",
        "clean cleaned cleaner cleaning",
        "council tax",
        "terrace balcony",
        "müll abfall tonne tonnen",
        "fahrrad fahrräder rad räder",
        "haustier haustiere hund katze",
        "basura residuos",
        "mascota mascotas perro perros gato gatos",
    )
)
"""Words that say the same of a home, or so nearly that a passage with one answers a question with the other."""

KINDS_OF = (
    "monday tuesday wednesday thursday friday saturday sunday weekend weekends",
    "january february march april may june july august september october november december",
    "spring summer autumn winter",
    "landlord tenant tenants",
    "cat dog rabbit parrot bird hamster chicken chickens snake fish puppy kitten horse lizard",
    "open closed",
    "left right up down front rear upstairs downstairs inside outside indoor outdoor",
    "gas electric electricity water heating internet",
    "car bike bicycle motorcycle motorbike van boat caravan trailer",
    "room rooms kitchen bathroom bedroom living lounge hall garden balcony terrace roof basement attic",
    "caretaker gardener cleaner dentist doctor",
    "sauna pool gym playground concierge lift laundry garden",
    "key fob card code password",
)
APART: tuple[frozenset[str], ...] = tuple(frozenset(line.split()) for line in KINDS_OF)
"""Words that are alike because they name things of one sort: never taken for one another by their vectors."""

NUMERALS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
"""Numbers written as words, by their value."""
