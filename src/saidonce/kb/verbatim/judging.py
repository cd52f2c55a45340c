"""Room: the sentences of a passage that answer a question, and the evidence that they do."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from saidonce.foundation.model import UNKNOWN_LANGUAGE
from saidonce.foundation.text import is_misspelling, is_spaceless, normalise, sentences, terms, words
from saidonce.foundation.text import language as text_language
from saidonce.kb.verbatim.reading import ParsedQuestion, QuestionKind
from saidonce.kb.verbatim.wordlists import APART, GROUPS, LIGHT, NUMERALS, light_in

MOST_CHARS = 600
"""Longest quotation. Source: the plan of the conversation, second edition."""

USUAL_CHARS = 360
"""A passage up to this long is quoted whole, so that no exception is cut off its rule."""

ENOUGH = 0.75
"""Least share of a question's words that a passage accounts for."""

ALIKE_FROM = 0.7
"""Cosine from which one word stands for another; measured on pairs of words for things of homes."""

COMPOUNDING = ("de", "nl")
"""Languages that write several nouns as one word."""

LEAST_PART = 4
"""Shortest stem that is looked for in a compound."""

MOST_QUERIES = 12
"""Searches of one question, each a few milliseconds; the first that finds an answer is the last one made."""

Alike = Callable[[Sequence[str], Sequence[str]], Mapping[str, tuple[str, float]]]
"""(words, known words) -> for each word the nearest known one, with their cosine."""


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """A passage that was found for a question.

    Attributes:
        around: its title and headings.
        relevance: on the absolute scale of the search, 0..1.
    """

    text: str
    around: str
    language: str
    relevance: float


@dataclass(frozen=True, slots=True)
class Cited:
    """What a passage says to a question.

    Attributes:
        quote: the sentences that answer, word for word; empty if the passage does not answer.
        share: of the question's words that it accounts for, 0..1.
        n_headed: words of the question that stand in its title or headings, in other words too.
        n_direct: words of the question that stand in it themselves.
        is_exact: it holds a day, an hour or a sum where one is asked for.
        evidence: what speaks for it, or why it does not answer, in plain words.
    """

    quote: str
    share: float
    evidence: str
    n_headed: int = 0
    n_direct: int = 0
    is_exact: bool = True


_NUMBER = (
    r"(?:\d++|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|half an?|an?"
    r"|ein(?:e[mnrs]?)?|zwei|drei|vier|fünf|sechs|zehn|un[aeo]?|dos|tres|cuatro|cinco|seis|diez"
    r"|deux|trois|quatre|cinq|dix|due|tre|quattro|cinque|dieci|twee|drie|vier|vijf|tien|dwa|trzy|cztery|pi[eę][cć]"
    r"|duas|dois|três|quatro|dez)"
)
_CLOCK = (
    r"\b\d{1,2}(?:[:.]\d\d)?\s?(?:am|pm|a\.m\.|p\.m\.|uhr|h\b|o'clock)|\b\d{1,2}:\d\d\b|\bnoon\b|\bmidnight\b"
    r"|\bmidday\b"
    r"|\b24 hours\b|\bat any time\b|\bmittags?\b|\bmitternacht\b|\b\d{1,2} (?:uur|horas?|heures?|ore|godzin)\b"
    r"|\b(?:dalle|alle|às|od|do|van|tot|von|bis|ab) \d{1,2}\b"
)
_UNITS = (
    r"(?:seconds?|minutes?|mins?|hours?|days?|nights?|weeks?|months?|years?|working days?|tage?n?|wochen?|monate?n?"
    r"|stunden?|minuten?|werktage?n?|d[ií]as?|semanas?|m[eê]s(?:es)?|horas?|jours?|semaines?|mois|heures?|giorn[oi]"
    r"|settiman[ae]|mes[ei]|or[ae]|dagen|weken|maanden|uren|dni|tygodni\w*|miesi[aą]c\w*|godzin\w*)"
)
_SPAN = rf"\b{_NUMBER}[ -]*(?:\w+ )?{_UNITS}\b"
_DAY = (
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|june|july|august|september"
    r"|october|november|december)\b|\b\d{1,2}(?:st|nd|rd|th)\b|\bweekends?\b|\bweekdays?\b|\b(?:every|each"
    r"|any) (?:day|week|month|year)\b"
    r"|\b(?:first|second|third|fourth|fifth|last|fifteenth) (?:working )?(?:day )?of (?:the|each|every) (?:month"
    r"|week)\b"
    r"|\bdaily\b|\bweekly\b|\bmonthly\b|\bworking days?\b|\b(?:spring|summer|autumn|winter)\b|\bbank holidays?\b"
    r"|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s?\b|\b(?:lunes|martes|mi[eé]rcoles|jueves"
    r"|viernes|s[aá]bados?|domingos?)\b|\b(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)s?\b"
    r"|\b(?:luned|marted|mercoled|gioved|venerd)[iì]|\b(?:sabato|domenica|maandag|dinsdag|woensdag|donderdag|vrijdag)\b"
    r"|\bza(?:ter|n)dag|\bzondag|\b(?:poniedzia[lł]|wtor|[sś]rod|[sś]rody|czwart|pi[aą]t|sobot|niedziel)\w*"
    r"|\b(?:segunda|ter[cç]a|quarta|quinta|sexta)\b|\bd[ií]a \d|\b\d{1,2}\. |\blast day\b|\bonce a\b|\btwice a\b"
)
_MONEY = (
    r"[£$€]\s?\d|\b\d[\d.,]{0,20}\s?(?:£|€|pounds?|euros?|pence|dollars?|pfund|libras)\b|\bfree\b|\bno charge\b"
    r"|\bnothing\b"
    r"|\bincluded\b|\bweeks'? rent\b|\bmonths?'? rent\b|\bat (?:y)?our (?:own )?cost\b|\bgratis\b|\bkostenlos\b"
    r"|\bsemanas de alquiler\b|\bown (?:cost|expense)\b"
)
_PLACE = (
    r"\b(?:behind|under|underneath|beside|above|below|opposite|next to|near|inside|outside|between|on the|in the"
    r"|in its"
    r"|in your|in each|in a|into|at the|at number|at your|to the|by the|from the|beneath|downstairs|upstairs|over the"
    r"|with the|on level|on your)\b|\bim \w|\bin der\b|\bin den\b|\bneben\b|\bhinter\b|\bunter\b|\ben (?:el|la|los"
    r"|las)\b"
    r"|\bdetr[aá]s\b|\bjunto a\b|\bdans\b|\bderrière\b|\b(?:au|aux|sous|devant|sur|chez) \w|\bà (?:la|l)\b"
    r"|\b(?:nel|nell|nella|alla|dietro|accanto|sotto|presso)\b|\bin (?:cantina|cortile|giardino|cucina|bagno|casa)\b"
    r"|\b(?:in|op|achter|naast|onder|bij) (?:de|het|een) \w"
    r"|\b(?:w|we|na|za|przy|obok|pod) \w|\b(?:na|nas|atr[aá]s|debaixo|junto) \w"
)
_LEAVE = (
    r"\b(?:allow(?:ed|s)?|permitted|forbidden|prohibited|banned|may|can|cannot|can't|must|not|no|consent"
    r"|permission|ask"
    r"|welcome|free|only|need(?:s|ed)?|without asking|fine|never|please|book|accepted|required|included)\b"
    r"|\b(?:erlaubt|verboten|dürfen|darf|nicht|kein|keine|müssen|gestattet)\b"
    r"|\b(?:permiso|permite|permitid[oa]s?|prohibid[oa]s?|no|puede|pueden|necesitan?)\b|\binterdit|\bautoris"
    r"|\b(?:ne|pas|peut|peuvent|faut|permis|accord)\b"
    r"|\b(?:non|pu[oò]|possono|vietat[oaie]|permess[oi]|consentit[oaie])\b"
    r"|\b(?:mag|mogen|niet|geen|verboden|toegestaan|toestemming)\b|\b(?:nie|mo[zż]na|wolno|mog[aą]|zakaz\w*|zgod\w*)\b"
    r"|\b(?:não|pode|podem|pode-se|proibid[oa]s?|permitid[oa]s?|autoriza\w*)\b"
)
_DAY_OR_HOUR = re.compile(f"{_CLOCK}|{_DAY}")
_OPEN_THEN = re.compile(
    rf"{_LEAVE}|\b(?:open|closed|offen|geöffnet|geschlossen|abiert[oa]s?|cerrad[oa]s?|ouverte?s?|fermée?s?|apert[oaie]"
    r"|chius[oaie]|gesloten|otwart[aey]|zamknięt[aey]|abert[oa]s?|fechad[oa]s?)\b"
)
"""What answers whether something is allowed on a day or at an hour: opening times do, too."""

_MARKS: dict[QuestionKind, re.Pattern[str]] = {
    QuestionKind.TIME: re.compile(_CLOCK),
    QuestionKind.DATE: re.compile(
        rf"{_CLOCK}|{_DAY}|{_SPAN}|\b(?:after|before|once|as soon as|until|always|in advance)\b"
    ),
    QuestionKind.PLACE: re.compile(_PLACE),
    QuestionKind.SUM: re.compile(_MONEY),
    QuestionKind.COUNT: re.compile(rf"\b{_NUMBER}\b|\bno\b|\bnone\b|\bmore than\b"),
    QuestionKind.DURATION: re.compile(rf"{_SPAN}|\buntil\b|\bat once\b|\bimmediately\b|\bsame day\b"),
    QuestionKind.FREQUENCY: re.compile(
        rf"{_DAY}|\b(?:once|twice|times|every|each|daily|weekly|monthly|yearly|annually|regularly)\b"
    ),
    QuestionKind.PHONE: re.compile(r"\+?\d(?:[\s().\-/]{0,2}\d){4,}|\b(?:999|112|911|111|101|105)\b"),
    QuestionKind.EMAIL: re.compile(r"\S@\S"),
    QuestionKind.ADDRESS: re.compile(
        r"\b\d+\w? (?:\w+ ){1,3}(?:street|st|road|rd|lane|avenue|ave|court|row|square|way|drive|close|place)\b"
        r"|\bstra(?:ß|ss)e \d|\bcalle \w"
    ),
    QuestionKind.DEGREES: re.compile(r"(?<!\d)\d++ ?(?:°|degrees|grad|grados)|\b(?:at|to|below|above) -?\d"),
    QuestionKind.SIZE: re.compile(r"\d(?:[.,]\d+)? ?(?:m|cm|mm|metres?|meters?|feet|kg|inches|miles|km|m²|litres?)\b"),
    QuestionKind.AGE: re.compile(r"\b(?:built|years old|since|dates from|19\d\d|20\d\d)\b"),
    QuestionKind.LEAVE: re.compile(_LEAVE),
    QuestionKind.PERSON: re.compile(
        r"\b(?:mr|mrs|ms|dr|you|your|we|us|our|office|caretaker|council|landlord|agency|agent|manager|team|company"
        r"|supplier"
        r"|contractor|engineer|tenants?|residents?|neighbours?|provider|by|call|ring|energy|water|service)\b"
    ),
}
_STRONG: dict[QuestionKind, re.Pattern[str]] = {
    QuestionKind.DATE: re.compile(f"{_CLOCK}|{_DAY}"),
    QuestionKind.SUM: re.compile(r"[£$€]\s?\d|\d\s?(?:£|€|pounds?|euros?|pence)|\brent\b"),
}
"""Of several passages that answer alike, one with such a thing comes first."""

_CLAUSE = re.compile(r"[;:,]\s|\band\s")


def plain_query(question: ParsedQuestion) -> tuple[str, ...]:
    """Return queries for the search, the plainest first: the question's own words, then others for the same things.

    Single words come last: a small base holds no passage that bears on many words at once.
    """
    content = question.content
    if not content:
        return ()
    spoken = question.spoken
    joined = [a + b for a, b in itertools.pairwise(spoken) if a.isalpha() and b.isalpha() and b in content]
    also = [w for word in content for w in sorted(_group(word)) if w not in content]
    respelled = " ".join(_respell(w) for w in spoken)
    whole = (respelled, " ".join(content), " ".join((*content, *joined, *also)))
    return tuple(dict.fromkeys((*whole, *content, *also)))[:MOST_QUERIES]


def judge_passage(question: ParsedQuestion, passage: CitedPassage, alike: Alike) -> Cited:
    """Say whether a passage answers a question, and with which sentences.

    It does if it accounts for ENOUGH of the question's words, for every figure and name among them and for what leave
    is asked for, and if the sentence that is quoted, or the one beside it, holds what is asked for.
    """
    if question.is_particular:
        return Cited("", 0.0, "it asks about one person's or one home's own affairs")
    passage = replace(passage, language=_language_of(passage, question))
    question = _without_light(question, passage.language)
    plain = normalise(f"{passage.around}\n{passage.text}")
    if any(unit not in plain for unit in question.units):
        return Cited("", 0.0, f"lacks {', '.join(question.units)}")
    held = _accounted_words(question, passage, alike)
    missed = [w for w in question.content if w not in held]
    share = len(held) / len(question.content) if question.content else 0.0
    for_it = "; ".join(f"{w} ({how})" if how else w for w, how in held.items())
    if share < ENOUGH or question.hard & set(missed):
        return Cited("", share, f"lacks {', '.join(missed)}; holds {for_it or 'none of the words'}")
    if question.deed in missed:
        return Cited("", share, f"lacks {question.deed}, what leave is asked for; holds {for_it}")
    at = _answering_sentence(question, passage, held)
    if at is None:
        return Cited("", share, f"holds {for_it}, but not {question.kind}")
    quote = _quotation(passage.text, at)
    kind_asked = "" if question.kind is QuestionKind.ANY else f"; {question.kind}"
    lacks = f"; lacks {', '.join(missed)}" if missed else ""
    evidence = f"holds {for_it}{kind_asked}{lacks}; relevance {passage.relevance:.2f}"
    strong = _STRONG.get(question.kind)
    is_exact = strong is None or strong.search(normalise(quote)) is not None
    return Cited(quote, share, evidence, _n_headed(held, passage), list(held.values()).count(""), is_exact)


def _language_of(passage: CitedPassage, question: ParsedQuestion) -> str:
    """Return a passage's language; of one too short to show it, the language that it shows beside the question."""
    if passage.language != UNKNOWN_LANGUAGE:
        return passage.language
    return text_language(f"{passage.around}\n{passage.text}\n{question.text}")


def _without_light(question: ParsedQuestion, language: str) -> ParsedQuestion:
    """Return a question without the words that say little in the language of a passage."""
    light = light_in(language) - question.hard
    content = tuple(w for w in question.content if w not in light and w.rpartition("'")[2] not in light)
    return replace(question, content=content, deed="" if question.deed in light else question.deed)


def _n_headed(held: Mapping[str, str], passage: CitedPassage) -> int:
    """Count the words that stand in a passage's title or headings, in other words too."""
    headed = set(words(passage.around))
    stems = set(terms(passage.around, passage.language)) | set(terms(passage.around))
    return sum(bool(set(terms(w, passage.language)) & stems or headed & _group(w) or how in headed)
               for w, how in held.items())  # fmt: skip


def best_passage(judged: Sequence[Cited]) -> int | None:
    """Return the place of the passage that answers best; None if none does; ties in order.

    Best is what accounts for most of the question, then what holds a day or a sum where one is asked for, then what is
    headed by the question's words, then what holds them themselves.
    """
    rated = [(-round(c.share, 2), not c.is_exact, -c.n_headed, -c.n_direct, n) for n, c in enumerate(judged) if c.quote]
    return min(rated)[-1] if rated else None


def _accounted_words(question: ParsedQuestion, passage: CitedPassage, alike: Alike) -> dict[str, str]:
    """Return the question's words that a passage accounts for, each with the word that does; "" for itself."""
    content = f"{passage.around}\n{passage.text}"
    known = dict.fromkeys(words(content))
    stems = set(terms(content, passage.language)) | set(terms(content))
    accounted = {w: how for w in question.content if (how := _same_word(w, known, stems, passage.language)) is not None}
    _join(question.spoken, known, accounted)
    _drop_lone_figures(question.content, accounted)
    missed = [w for w in question.content if w not in accounted and w not in question.hard]
    if missed:
        candidates = [k for k in known if k not in LIGHT and k.isalpha() and len(k) > 2]
        for word, (near, cosine) in alike(missed, candidates).items():
            if cosine >= ALIKE_FROM and not _is_apart(word, near):
                accounted[word] = near
    return {w: accounted[w] for w in question.content if w in accounted}


def _same_word(word: str, known: Mapping[str, None], stems: set[str], language: str) -> str | None:
    """Return "" for a word that stands in a passage, else the word there that says the same; None without one."""
    if word in known or _has_stem(word, stems, language) or _has_stem(word, stems):
        return ""
    if any(c.isdigit() for c in word):
        numeral = NUMERALS[int(word)] if word.isdecimal() and int(word) < len(NUMERALS) else ""
        return numeral if numeral in known else None
    group = _group(word)
    near = next((k for k in known if k in group), None) or _compound(word, known, language)
    return near or next((k for k in known if is_misspelling(word, k)), None)


def _has_stem(word: str, stems: set[str], language: str = UNKNOWN_LANGUAGE) -> bool:
    """Return whether a word is one of some stems; where no words are written apart, all of its parts must be."""
    own = set(terms(word, language))
    return own <= stems and bool(own) if is_spaceless(word) else not own.isdisjoint(stems)


def _compound(word: str, known: Mapping[str, None], language: str) -> str | None:
    """Return the word that a language writes as one of this one and another: "Waschküche" for "waschen"."""
    if language not in COMPOUNDING:
        return None
    stem = next(iter(terms(word, language)), "")
    return (
        next((k for k in known if stem in (k[: len(stem)], k[-len(stem) :])), None) if len(stem) >= LEAST_PART else None
    )


def _group(word: str) -> frozenset[str]:
    """Return the words that say the same, of a misspelled word too."""
    same = frozenset(w for group in GROUPS if word in group for w in group)
    if same:
        return same
    corrections = {w for group in GROUPS for w in group if is_misspelling(word, w)}
    return frozenset(w for group in GROUPS if corrections & group for w in group)


def _respell(word: str) -> str:
    """Return the word of a group that a word misspells; the word itself where there is none, or several."""
    if word in LIGHT or any(word in group for group in GROUPS):
        return word
    corrections = {w for group in GROUPS for w in group if is_misspelling(word, w)}
    return min(corrections) if len({frozenset(terms(w)) for w in corrections}) == 1 else word


def _join(spoken: Sequence[str], known: Mapping[str, None], accounted: dict[str, str]) -> None:
    """Account for words written apart that a passage writes as one: "stop cock", "stopcock"."""
    for one, other in itertools.pairwise(spoken):
        for whole in (one + other, f"{one}-{other}"):
            if whole in known:
                accounted[one] = accounted[other] = whole


def _drop_lone_figures(content: Sequence[str], accounted: dict[str, str]) -> None:
    """Take a small figure back whose noun does not stand there: "1 bed" is not borne out by "level 1"."""
    for one, other in itertools.pairwise(content):
        if one.isdigit() and len(one) <= 2 and other not in accounted:
            accounted.pop(one, None)


def _is_apart(one: str, other: str) -> bool:
    """Return whether two words name different things of one sort."""
    if set(terms(one)) & set(terms(other)):
        return False
    return any(set(terms(one)) & apart and set(terms(other)) & apart for apart in _apart_stems())


@cache
def _apart_stems() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(stem for word in apart for stem in terms(word)) for apart in APART)


def _answering_sentence(question: ParsedQuestion, passage: CitedPassage, held: Mapping[str, str]) -> int | None:
    """Return the place of the sentence that answers; None if none holds what is asked for."""
    spans = sentences(passage.text)
    mark = _MARKS.get(question.kind)
    if question.kind is QuestionKind.LEAVE and _DAY_OR_HOUR.search(normalise(question.text)):
        mark = _OPEN_THEN
    looked_for = {how or word for word, how in held.items()}
    stems = {s for w in looked_for for s in terms(w, passage.language)} | {s for w in looked_for for s in terms(w)}

    def n_held(part: str) -> int:
        return len((set(terms(part, passage.language)) | set(terms(part))) & stems)

    rated: list[tuple[float, int]] = []
    for n, span in enumerate(spans):
        if mark is not None and not _holds_mark(question, span.text, mark, n_held):
            continue
        rated.append((-float(n_held(span.text)), n))
    return min(rated)[1] if rated else None


def _holds_mark(question: ParsedQuestion, sentence: str, mark: re.Pattern[str], n_held: Callable[[str], int]) -> bool:
    """Return whether a sentence holds what is asked for; a place only in a clause that speaks of the thing."""
    plain = normalise(sentence)
    if question.kind is not QuestionKind.PLACE:
        return mark.search(plain) is not None
    clauses = [c for c in _CLAUSE.split(plain) if c]
    return any(mark.search(c) and n_held(c) for c in clauses)


def _quotation(text: str, at: int) -> str:
    """Return a sentence with those around it, word for word: the whole passage if it is short."""
    spans = sentences(text)
    whole = text[spans[0].start : spans[-1].end]
    if len(whole) <= USUAL_CHARS:
        return whole
    first = last = at
    while last + 1 < len(spans) and spans[last + 1].end - spans[first].start <= USUAL_CHARS:
        last += 1
    while first > 0 and spans[last].end - spans[first - 1].start <= USUAL_CHARS:
        first -= 1
    quote = text[spans[first].start : spans[last].end]
    return quote if len(quote) <= MOST_CHARS else ""
