"""The ladder with all its guards, as the flows use it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache, wraps

from saidonce.foundation.model import UNKNOWN_LANGUAGE, Block, Candidate, FactKind, Kind, Objection, Segment, Span
from saidonce.foundation.remembering import remembered
from saidonce.foundation.settings.policy import CANONICAL, REPEAT, Policy
from saidonce.foundation.text import content_hash, digest
from saidonce.matching import facts
from saidonce.matching.compared import MOST_LACKING, NOT_WORDED, ComparedPair, compared, lacks
from saidonce.matching.facts import Comparison, Pairing
from saidonce.matching.ladder import (
    STRUCTURAL_GUARDS,
    Guard,
    are_two_people,
    first_objection,
    is_lead,
    other_kind,
    same_section_role,
    same_speaker,
    without_number,
)

Reading = Callable[[ComparedPair], Sequence[Objection]]
"""Reads a pair of texts as they are compared: which facts differ."""

_READINGS: dict[Guard, Reading] = {}
"""What each guard of facts reads in a pair."""

_WORDED: list[Reading] = []
"""Readings of words as they are, without a look at what two texts say in plain words."""


def reads(reading: Reading) -> Guard:
    """Return a guard that reads two texts as they are compared, and objects to them as they are."""

    @wraps(reading)
    def guard(a: Candidate, b: Candidate) -> Sequence[Objection]:
        pair = compared(a, b)
        return pair.in_place(reading(pair))

    _READINGS[guard] = reading
    return guard


def reads_words(reading: Reading) -> Guard:
    """Return a guard that does not object to what two texts say in forms of which it can be shown that they are one.

    The objection falls only if no reading of words at all objects to the candidate in plain words.
    """

    @wraps(reading)
    def softened(pair: ComparedPair) -> Sequence[Objection]:
        objections = reading(pair)
        return () if objections and reasons_of(pair) else objections

    _WORDED.append(reading)
    return reads(softened)


def ask(guard: Guard, pair: ComparedPair) -> Sequence[Objection]:
    """Return what a guard objects to a pair, at the places of the texts as they are compared."""
    reading = _READINGS.get(guard)
    return reading(pair) if reading else guard(pair.a, pair.b)


def first_objection_to(pair: ComparedPair) -> tuple[Objection, ...]:
    """Return the objections of the first guard that does not let the kept text stand for the candidate."""
    return next((tuple(hits) for guard in REPEAT_GUARDS if (hits := ask(guard, pair))), ())


def shown_reasons(a: Candidate, b: Candidate) -> tuple[str, ...]:
    """Return by which rules the candidate is borne out; empty if the words of both show it by themselves, too."""
    return shown_reasons_of(compared(a, b))


def reasons_of(pair: ComparedPair) -> tuple[str, ...]:
    """Return by which rules the first text of a pair says, in plain words, nothing that the other does not."""
    if pair.is_turned_round:
        return (TURNED,)
    of = pair.read.with_rows_in_words
    if not of.is_worded:
        return ()
    alike = of.set_alike
    return _reasons(*alike.texts, alike is not of)


def shown_reasons_of(pair: ComparedPair) -> tuple[str, ...]:
    """Return the same; empty if the words of both show it by themselves, too."""
    # What the words are read as is remembered of a pair whose guards were asked; its plain words are often new.
    return reasons_of(pair) if any(reading(pair) for reading in _WORDED) else ()


TURNED = "a table states each cell under its row and its column, whichever is written across"
"""Why a table turned round is the same one."""

MOST_LACKING_IN_PLAIN = 3
"""Words of a candidate in plain words that begin otherwise than all of the kept text's; with more, none are tried."""


def _are_far_apart(a: str, b: str, language: str) -> bool:
    """Return whether too many words of one text are not in the other, in whatever layout it may have them."""
    if lacks(facts.in_full(a, b, language), facts.in_full(b, a, language), language) <= MOST_LACKING:
        return False
    laid = facts.in_one_layout(a, b, language)
    return laid is None or lacks(*laid, language) > MOST_LACKING


@lru_cache(maxsize=16_384)
def _reasons(a: str, b: str, language: str, are_set_alike: bool) -> tuple[str, ...]:
    if _are_far_apart(a, b, language):
        return ()
    one, two, reasons = facts.in_plain_words(a, b, language) or facts.InPlainWords(a, b, ())
    reasons = (facts.SET_ALIKE, *reasons) if are_set_alike else reasons
    if not reasons or not facts.abbreviations(a) <= facts.abbreviations(b) or _code_apart(a, b):
        return ()
    if lacks(one, two, language) > MOST_LACKING_IN_PLAIN:
        return ()
    of_a, of_b = (Candidate(text, content_hash(text), language=language) for text in (one, two))
    plain = ComparedPair(of_a, of_b)
    if of_a.content_hash != of_b.content_hash and any(reading(plain) for reading in _WORDED):
        return ()
    return reasons


_OTHER_CODE = (
    facts.other_code,
    facts.other_fenced,
    facts.other_signs,
    facts.other_spelled_code,
    facts.turned_compounds,
)
"""What objects to other code inside prose, in the order in which it is asked."""


@reads
def same_layout(pair: ComparedPair) -> Sequence[Objection]:
    """Object to a table beside a list or a paragraph, unless the other text is shown to state what its cells do."""
    if pair.with_rows_in_words is pair or reasons_of(pair):
        return ()
    return (other_kind(pair.a, pair.b),)


@reads_words
def fact_guard(pair: ComparedPair) -> Sequence[Objection]:
    """Object where two texts state different facts."""
    return facts.compare(*pair.texts).objections


@reads_words
def adds_nothing(pair: ComparedPair) -> Sequence[Objection]:
    """Object where the candidate says something that the kept text leaves out; the kept one may say more."""
    comparison = facts.compare(*pair.texts)
    return comparison.a_facts or facts.lost_value(pair.a.text, pair.b.text) or _left_out(comparison, pair)


@reads_words
def no_new_figures(pair: ComparedPair) -> Sequence[Objection]:
    """Object where the candidate states a figure that the kept text nowhere states."""
    return facts.added_figures(*pair.texts)


def adds_figures(a: Candidate, b: Candidate) -> bool:
    """Return whether `no_new_figures` objects; cheaper than the objection."""
    return not facts.figures(a.text, a.language) <= facts.figures(b.text, a.language)


@reads_words
def whole_sentences(pair: ComparedPair) -> Sequence[Objection]:
    """Object where a sentence of the candidate does not stand in the kept text as it is, without anything more."""
    return facts.incomplete_sentences(*pair.texts)


@reads_words
def same_order(pair: ComparedPair) -> Sequence[Objection]:
    """Object where words that both texts have stand in another order: who did what to whom may have changed."""
    moved = facts.moved_words(*pair.texts)
    return () if moved and facts.same_rows(*pair.texts) else moved


@reads_words
def same_roles(pair: ComparedPair) -> Sequence[Objection]:
    """Object where words have certainly exchanged their roles, cells their columns, rows or members their groups."""
    return (
        facts.exchanged_words(*pair.texts)
        or facts.moved_cells(*pair.texts)
        or facts.moved_rows(*pair.texts)
        or facts.moved_below(*pair.texts)
        or facts.turned_points(pair.a.text, pair.b.text)
    )


@reads
def same_code(pair: ComparedPair) -> Sequence[Objection]:
    """Object where one text quotes a name of code that does not stand in the other, or has another sign in its place.

    The parts of a compound in another order are objected to, too. Two pieces of code have the same words and signs in
    the same order.
    """
    a, b, _ = pair.texts
    if pair.a.kind is pair.b.kind is Kind.CODE:
        return () if facts.is_same_code(a, b) else _other_code(a, b)
    return _code_apart(a, b) if _code_apart(*pair.set_alike.texts[:2]) else ()


@remembered(8_192)
def _code_apart(a: str, b: str) -> Sequence[Objection]:
    return next((hit for other in _OTHER_CODE if (hit := other(a, b))), ())


def _other_code(a: str, b: str) -> Sequence[Objection]:
    return facts.other_signs(a, b) or facts.changed_lines(a, b) or facts.first_difference(a, b)


@reads_words
def same_grammar(pair: ComparedPair) -> Sequence[Objection]:
    """Object where a small word differs that says when, on which condition, how much, how surely or in which tense."""
    return facts.changed_grammar(*pair.texts)


@reads_words
def same_meaning(pair: ComparedPair) -> Sequence[Objection]:
    """Object where a word stands for another that only resembles it in meaning, so that a judge has to be asked."""
    return facts.loose_words(*pair.texts)


@reads_words
def same_standing(pair: ComparedPair) -> Sequence[Objection]:
    """Object where only one text is unsure, only tries, leaves something out, or speaks of another time."""
    return facts.other_standing(*pair.texts)


@reads
def same_reading(pair: ComparedPair) -> Sequence[Objection]:
    """Object where the same words are read otherwise: in another scope, list or order, or with another capital.

    What comes of an abbreviation alone falls, where the other text has the word in full.
    """
    if pair.a.kind is pair.b.kind is Kind.CODE or not (objections := facts.other_reading(*pair.texts)):
        return ()
    a, b, language = pair.texts
    written = facts.set_alike(facts.in_full(a, b, language), facts.in_full(b, a, language), language)
    return objections if written == (a, b) or facts.other_reading(*written, language) else ()


@reads
def same_points(pair: ComparedPair) -> Sequence[Objection]:
    """Object where points run on, are led otherwise, or are weighed, and not so in a text of the same words."""
    if pair.a.rows or pair.b.rows or {pair.a.kind, pair.b.kind} & NOT_WORDED:
        return ()
    return facts.weighed_otherwise(pair.a.text, pair.b.text) or facts.points_run_on(*pair.read.texts)


@reads_words
def in_read_language(pair: ComparedPair) -> Sequence[Objection]:
    """Object where no table of words reads the language of both texts, unless their words are equal, in order."""
    a, b, language = pair.texts
    if facts.is_read(a, b, (language, pair.b.language)) or facts.same_words(a, b):
        return ()
    if pair.language != UNKNOWN_LANGUAGE and facts.same_in_order(a, b, language):
        return ()
    return () if facts.same_rows(a, b, language) else facts.first_difference(a, b)


def _is_no_older(a: Candidate, b: Candidate) -> bool:
    return a.dated_at is None or b.dated_at is None or a.dated_at >= b.dated_at


def _left_out(comparison: Comparison, pair: ComparedPair) -> Sequence[Objection]:
    """Object to losing the first stretch that stands in `a` only, or else the first that is worded otherwise."""
    if not comparison.a_adds:
        return ()
    relations = (Pairing.DELETED, Pairing.REWORDED, Pairing.CONFLICT)
    at = next((c for relation in relations for c in comparison.changes if c.relation is relation), None)
    # Of a text too long to be compared whole, what is left over stands in no change.
    return (Objection(FactKind.TERM, at.a, at.b),) if at else facts.first_difference(pair.a.text, pair.b.text)


def same_heading(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object if the headings right over two texts contradict each other: "Permitted", "Prohibited".

    The same list under both states two things. What merely names another topic does not: a text that stands under two
    headings is shown with both, and so each is compared with all headings of the other. The heading of a table says
    what its values are of, and may differ in its number only. A heading is too short to tell its language; it is that
    of the text under it.
    """
    language = b.language if a.language == UNKNOWN_LANGUAGE else a.language
    of_a, of_b = a.headings[:MOST_HEADINGS], b.headings[:MOST_HEADINGS]
    differing = _contradicting_headings
    if a.rows and b.rows and bool(of_a) is not bool(of_b):
        lead = next((heading for heading in (*of_a, *of_b) if is_lead(heading)), "")
        places = Span(0, 0, lead if of_a else ""), Span(0, 0, lead if of_b else "")
        return (Objection(FactKind.HEADING, *places),) if lead else ()
    if a.rows and b.rows:
        names = [{heading.casefold() for heading in side} for side in (of_a, of_b)]
        if a.section.casefold() in names[1] or b.section.casefold() in names[0]:
            return ()
        differing = _differing_headings
    pairs = ((one, two) for one in of_a for two in of_b if one.casefold() != two.casefold())
    return next((hit for one, two in pairs if (hit := differing(one, two, language))), ())


MOST_HEADINGS = 32
"""Headings of a text that are compared; one that stands under more is shown with all of them."""


@lru_cache(maxsize=8_192)
def _differing_headings(a: str, b: str, language: str) -> tuple[Objection, ...]:
    """Object if the headings of two tables do not say the same."""
    comparison = facts.compare(without_number(a), without_number(b), language)
    differ = comparison.objections or comparison.a_adds or comparison.b_adds
    return (Objection(FactKind.HEADING, Span(0, 0, a), Span(0, 0, b)),) if differ else ()


@lru_cache(maxsize=8_192)
def _contradicting_headings(a: str, b: str, language: str) -> tuple[Objection, ...]:
    differ = any(o.kind in _OF_HEADINGS for o in facts.compare(a, b, language).objections)
    differ = differ or facts.headings_contradict(a, b, language)
    return (Objection(FactKind.HEADING, Span(0, 0, a), Span(0, 0, b)),) if differ else ()


_OF_HEADINGS = frozenset((FactKind.OPPOSITE, FactKind.NEGATION, FactKind.MODALITY, FactKind.QUANTIFIER))
"""What headings contradict each other by. Their numbers are those of sections, and their names those of topics: what
every proposal of a firm says stands under the name of each. Source: seed 002, "Boilerplate"."""


def same_sender(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object if two mails of two senders both speak in the first person: each speaks of themselves.

    A notice that both pass on, or the disclaimer under both, says the same whoever sends it, and so does what one
    quotes of the other: the one who is quoted says it.
    """
    if not are_two_people(a.writer, b.writer):
        return ()
    speaks = (facts.is_in_first_person(of.text, facts.read_language(of.text, of.language)) for of in (a, b))
    return (Objection(FactKind.SPEAKER, Span(0, 0, a.writer), Span(0, 0, b.writer)),) if all(speaks) else ()


def two_speakers(a: Candidate, b: Candidate) -> str:
    """Return in words that two people say two texts, each in their own name; empty where that is not so."""
    for guard in (same_speaker, same_sender):
        for objection in guard(a, b):
            return f"two people say it, {objection.a.text} and {objection.b.text}"
    return ""


def without_speaker(of: Candidate) -> Candidate:
    """Return a text as if nobody were known to say it."""
    place = of.place if of.place is None else replace(of.place, speaker="")
    return replace(of, place=place, sender="")


def same_row_order(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object if rows have changed places below a heading that says that their order counts: "Start-up sequence"."""
    if not a.rows or not b.rows or not any(side.section and facts.counts_in_order(side.section) for side in (a, b)):
        return ()
    return facts.turned_rows(a.text, b.text, a.language)


def same_dots(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Object if a Turkish text in capitals has another "i" than one of the same letters: case is no difference else."""
    places = facts.other_dot(a.text, b.text, b.language if a.language == UNKNOWN_LANGUAGE else a.language)
    return (Objection(FactKind.TERM, *places),) if places else ()


def apart_by_place(a: Candidate, b: Candidate) -> Sequence[Objection]:
    """Return the objections to where two texts stand and to who says them, whatever they say."""
    return first_objection(_OF_PLACES, a, b)


_OF_PLACES: tuple[Guard, ...] = (same_heading, same_row_order, same_speaker, same_sender)

GUARDS_VERSION = "14"
"""Counts up when guards come to say something else than before; a certificate holds for one version."""

PLACED_GUARDS: tuple[Guard, ...] = (
    *STRUCTURAL_GUARDS,
    same_layout,
    same_heading,
    same_row_order,
    same_sender,
    same_dots,
)
"""What may hold two texts of the same words apart."""

GUARDS: tuple[Guard, ...] = (*PLACED_GUARDS, fact_guard)
"""What speaks against taking two texts for one. Structure first, since it is cheap; facts last."""

_STRUCTURE = tuple(guard for guard in PLACED_GUARDS if guard is not same_section_role)
"""A section's role is asked last: where texts say different things, that is what is shown."""

CLAIM_GUARDS: tuple[Guard, ...] = (
    *_STRUCTURE,
    fact_guard,
    in_read_language,
    same_order,
    same_roles,
    same_code,
    same_grammar,
    same_meaning,
    same_standing,
    same_reading,
    same_points,
)
"""What has to agree whichever of two texts is to stand for both."""

_CONTENT: tuple[Guard, ...] = (adds_nothing, no_new_figures)
"""Whether all that the candidate states is accounted for in the kept text."""


def of_kept(guard: Guard) -> Guard:
    """Return the guard that asks the same of the kept text: whether the candidate accounts for it."""

    @wraps(guard)
    def turned(a: Candidate, b: Candidate) -> Sequence[Objection]:
        return tuple(o.mirrored for o in guard(b, a))

    turned.__name__ = f"{guard.__name__}_of_kept"
    return turned


def of_older(guard: Guard) -> Guard:
    """Return the guard that asks the same of the older of two texts, of either where they are of one date.

    A candidate without a date is the newer one.
    Source: the plan's ruling on seed 002's table, whose older version would have lost the newer one's row.
    """
    kept = of_kept(guard)

    @wraps(guard)
    def older(a: Candidate, b: Candidate) -> Sequence[Objection]:
        if _is_no_older(a, b) and (lost := kept(a, b)):
            return lost
        return guard(a, b) if a.dated_at is not None and _is_no_older(b, a) else ()

    older.__name__ = f"{guard.__name__}_of_older"
    return older


REPEAT_GUARDS: tuple[Guard, ...] = (*CLAIM_GUARDS, *_CONTENT, whole_sentences)
"""What may not be folded under, or dropped for, another text: the kept one accounts for all of the candidate."""

CANONICAL_GUARDS: tuple[Guard, ...] = (
    *REPEAT_GUARDS, *(of_kept(guard) for guard in (*_CONTENT, whole_sentences)), same_section_role,
)  # fmt: skip
"""What may not share a block without a person: each of the two accounts for all of the other."""

COVERING_GUARDS: tuple[Guard, ...] = (*CLAIM_GUARDS, *(of_older(guard) for guard in _CONTENT), same_section_role)
"""The same where a newer text may stand for an older one that says less (setting merge_additions)."""


def guards_of(policy: Policy) -> tuple[Guard, ...]:
    """Return the guards of one use of the ladder."""
    return {REPEAT.use: REPEAT_GUARDS, CANONICAL.use: CANONICAL_GUARDS}.get(policy.use, GUARDS)


@cache
def tables_name() -> str:
    """Name the declared version and the tables of words, at little cost.

    What a store, a work folder or a certificate of `dedupe` holds of another is stale.
    """
    return f"{GUARDS_VERSION}-{digest(*_tables())}"


def _tables() -> Iterator[str]:
    return (json.dumps(facts.table(name), sort_keys=True, default=str) for name in facts.TABLES)


@cache
def guards_name(policy: Policy = CANONICAL) -> str:
    """Name what the guards of one use say, as certificates hold it: equal as long as they say the same.

    Made of the declared version, the tables of words, and the answers to the pairs of `probe.toml`
    in both orders; comments, names and places of source files have no part in it.
    """
    return f"{GUARDS_VERSION}-{digest(policy.use, *_tables(), *probe_answers(policy))}"


def probe_answers(policy: Policy = CANONICAL) -> Iterator[str]:
    """Yield what the guards of one use answer to the pairs of `probe.toml`, in both orders."""
    for pair in facts.table("probe")["cases"]:
        a, b = (Candidate(pair[side], content_hash(pair[side]), language=pair["language"]) for side in "ab")
        for one, other in ((a, b), (b, a)):
            objections = first_objection(guards_of(policy), one, other)
            yield from (f"{o.kind} {o.a.start} {o.a.end} {o.b.start} {o.b.end}" for o in objections)
            yield ";"


def candidate(piece: Segment | Block) -> Candidate:
    """Return what the ladder sees of a segment or a block.

    It has no section role, which only canonical use reads, and no heading: see `candidate_in_place`.
    """
    sender = piece.sender if isinstance(piece, Block) else ""
    of = (piece.text, piece.content_hash, piece.kind, piece.language)
    return Candidate(*of, rows=piece.rows, place=piece.place, sender=sender)


def candidate_in_place(piece: Segment | Block) -> Candidate:
    """Return what the ladder sees of a segment or a block, with the headings over it and all that it stands for."""
    others = {a.section for a in piece.attributions} if isinstance(piece, Block) else set()
    return replace(candidate(piece), section=piece.section, also_under=tuple(sorted(others - {"", piece.section})))
