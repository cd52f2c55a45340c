"""Small words that relate the content words of a sentence: who, to what, and what a limit bears on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import product

from saidonce.foundation.model import FactKind
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.lexicon import is_past, word_list
from saidonce.matching.facts.phrases import HANGS
from saidonce.matching.facts.sentence_relations import LIMITS, SentenceRelations, TwoWords
from saidonce.matching.facts.slots import Sides, other_in_a_slot


def changed_relation(a: SentenceRelations, b: SentenceRelations, is_turned: bool = False) -> Sides | None:
    """Return the first small words by which two aligned sentences of one language relate the same words otherwise.

    Another person ("you", "we"), another preposition before the same word, another helping verb ("has
    sold", "is sold") or tense, something else on or off, "if" and its like before another clause, a limit
    ("only") before another word, words joined by "and" or "or" with others than before, and another word in its slot.

    Args:
        is_turned: whether one is the passive of the other, which relates its words in its own way.
    """
    if sides := other_in_a_slot(a, b):
        return sides
    for find in _IN_PASSIVES if is_turned else _FINDERS:
        if sides := find(a, b):
            return sides
    return None


def _other_person(a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Return the first words for a person that each sentence has more often than the other, and vice versa."""
    if not a.persons or not b.persons:
        return None
    counts_a, counts_b = (Counter([person for person, _ in side.persons]) for side in (a, b))
    more_a, more_b = counts_a - counts_b, counts_b - counts_a
    if not more_a or not more_b:
        return None
    return next(t for person, t in a.persons if more_a[person]), next(t for person, t in b.persons if more_b[person])


def _other_preposition(a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Return the prepositions before the first word that each sentence puts behind another one."""
    for key, (preposition, classes) in a.led.items():
        other = b.led.get(key)
        if other is not None and classes.isdisjoint(other[1]):
            return preposition, other[0]
    return None


def _other_particle(a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Return the first words that say something else of what stands before them.

    Examples: "the heater is on", "the heater is off".
    """
    for key, token in a.particles.items():
        other = b.particles.get(key)
        if other is not None and other.word != token.word:
            return token, other
    return None


def _other_auxiliary(a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Return the helping verbs before the first word that each sentence puts behind others.

    Examples: "is sold", "has been sold".
    """
    for key, helped in a.helped.items():
        others = b.helped.get(key)
        if others is not None and helped.keys().isdisjoint(others):
            return next(iter(helped.values())), next(iter(others.values()))
    return None


def _who_or_and(a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Return the English "who" of a sentence and the "and" of the other that stand for each other.

    "Met the tenant, who paid" and "met the tenant and paid" say of two people that they paid.
    """
    if a.language != "en":
        return None
    return _relative_for_and(a, b) or _turned_round(_relative_for_and(b, a))


def _relative_for_and(one: SentenceRelations, two: SentenceRelations) -> Sides | None:
    relative = _more_often(one.relatives, two.relatives)
    joint = _more_often(two.conjoints, one.conjoints) if relative is not None else None
    return (relative, joint) if relative is not None and joint is not None else None


def _more_often(here: list[Token], there: list[Token]) -> Token | None:
    """Return the first token whose word stands more often here than there."""
    if not here:
        return None
    counts_here, counts_there = (Counter([t.word for t in side]) for side in (here, there))
    return next((t for t in here if counts_here[t.word] > counts_there[t.word]), None)


def _other_voice(a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Return the first English verb that its subject does in one sentence and that is done to it in the other.

    "The shop opened" has no other verb; in "the shop opened in May is small" it is no verb.
    """
    if a.language != "en":
        return None
    for pair, (_, verb) in a.done_to.items():
        other = b.done_to[pair][1] if pair in b.done_to else verb
        if verb.word.endswith("ing") != other.word.endswith("ing"):
            return verb, other
    return _done_by(a, b.done_to) or _turned_round(_done_by(b, a.done_to))


def _turned_round(sides: Sides | None) -> Sides | None:
    return None if sides is None else (sides[1], sides[0])


def _done_by(sentence: SentenceRelations, done: Mapping[TwoWords, tuple[Token, Token]]) -> Sides | None:
    """Return the only verb of a sentence, with the "be" that the other sentence has after the same subject."""
    if not done or sentence.is_statement:
        return None
    return next(((verb, done[pair][0]) for pair, verb in sentence.finite.items() if pair in done), None)


def _other_aim(a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Return the first English verb that says one thing before "to" and another before "-ing": "stop to check"."""
    if a.language != "en":
        return None
    at = next((pair for pair, (_, doing) in a.aims.items() if pair in b.aims and b.aims[pair][1] != doing), None)
    return (a.aims[at][0], b.aims[at][0]) if at else None


def _other_attribute(a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Return the first English participle before its noun that is the other one there.

    Examples: "filled forms", "filling forms".
    """
    if a.language != "en":
        return None
    here, there = a.attributes, b.attributes
    at = next((pair for pair, token in here.items() if pair in there and _is_other(token, there[pair])), None)
    return (here[at], there[at]) if at else None


def _is_other(one: Token, two: Token) -> bool:
    """Return whether one of two forms of a verb is that of the present: "filling", "filled"."""
    return one.word != two.word and any(x.word.endswith("ing") and is_past(y.word) for x, y in ((one, two), (two, one)))


def _lone_preposition(a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Return the first English preposition between two words that follow each other without one in the other sentence.

    "Pay for the lawyer" is not "pay the lawyer". Before a date or a value it may be left out, unless it is "to", and
    behind "help".
    """
    if a.language != "en":
        return None
    there = b.links
    for pair, link in a.links.items():
        if pair in there and (link is None) != (there[pair] is None):
            return link, there[pair]
    for key in sorted(a.particles.keys() ^ b.particles.keys()):
        if key in a.keys and key in b.keys:
            return a.particles.get(key), b.particles.get(key)
    return None


def _other_tense(a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Return the first English verb behind its subject that is in the past in one sentence and not in the other."""
    if a.language != "en":
        return None
    for verb, token in a.finite.items():
        other = b.finite.get(verb)
        if other is None or other.word == token.word or is_past(token.word) == is_past(other.word):
            continue
        if _is_present(verb[0], other if is_past(token.word) else token):
            return token, other
    return None


def _is_present(subject: str, verb: Token) -> bool:
    """Return whether a word has the ending of the present behind its subject.

    Examples: "Alder sells", "tenants sell", "we sell".
    """
    is_plural = subject.endswith("s") or subject in _PLURAL
    return verb.word.partition(" ")[0].endswith("s") != is_plural


_PLURAL = frozenset("i you we they people children men women staff".split())


def _other_clause(a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Return the first conjunction that opens another clause than in the other sentence: "A if B", "if A, B"."""
    return _before_another(a.conjunctions, b.conjunctions, a, b)


def _moved_preposition(a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Return the first preposition that stands before another word than in the other sentence, which has both words.

    "A la directora llamó el inspector", "la directora llamó al inspector". English tells it by the order of words.
    """
    return None if a.language == "en" else _before_another(a.prepositions, b.prepositions, a, b)


def _moved_small_word(a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Return the first English small word that stands between others of the same content words in the same order.

    "Store waste oil as the plan says" and "store waste as the oil plan says". What may stand before or behind a word
    says nothing there: "switch off the lamp", "also", "can you".
    """
    if a.language != "en" or a.content_keys != b.content_keys:
        return None
    others = _small_words(b)
    for word, placed in _small_words(a).items():
        there = others.get(word, {})
        if len(placed) == len(there) and placed.keys() != there.keys():
            return next((placed[x], there[y]) for x, y in zip(placed, there, strict=True) if x != y)
    return None


def _small_words(sentence: SentenceRelations) -> dict[str, dict[int, Token]]:
    """Return each small word that relates or counts others -> number of content words before it, and the word."""
    free = word_list("en", "strays")
    placed: dict[str, dict[int, Token]] = {}
    for n, gap in enumerate(sentence.gaps):
        for token in gap:
            if token.kind in (None, FactKind.QUANTIFIER) and token.word not in free:
                placed.setdefault(token.word, {})[n] = token
    return placed


_Opened = Mapping[int, Mapping[str, Token]]


def _before_another(opened_a: _Opened, opened_b: _Opened, a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Return the first word of a class that stands before other content words in one sentence than in the other."""
    for word, openings in opened_a.items():
        others = opened_b.get(word, {})
        if openings.keys() == others.keys():
            continue
        lone = [key for key in openings if key not in others and key in b.content_keys]
        lone_there = [key for key in others if key not in openings and key in a.content_keys]
        if lone and lone_there:
            return openings[lone[0]], others[lone_there[0]]
    return None


def _moved_limit(a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Find "only" or "not" before another word than in the other sentence, which has that word too."""
    for limit in LIMITS:
        here, there = a.limits.get(limit, ()), b.limits.get(limit, ())
        if sorted(bound for _, bound in here) == sorted(bound for _, bound in there):
            continue  # their clauses may have changed places
        for (token, bound), (other, other_bound) in zip(here, there, strict=False):
            if bound != other_bound and bound in b.keys and other_bound in a.keys:
                return token, other
    return None


def _regrouped(a: SentenceRelations, b: SentenceRelations) -> Sides | None:
    """Find where "and" joins other words, although the content words of both sentences are the same."""
    if not (a.joints and b.joints) or a.sorted_content_keys != b.sorted_content_keys:
        return None
    if a.content_keys == b.content_keys and len(a.joints) == len(b.joints) > 1:
        pairs = zip(a.joints, b.joints, strict=True)
        other = next(((x, y) for x, y in pairs if (x.word in _OR) != (y.word in _OR)), None)
        if other is not None:
            return other
    lone_a = {members: joint for members, joint in a.joined.items() if members not in b.joined}
    lone_b = {members: joint for members, joint in b.joined.items() if members not in a.joined}
    for x, y in product(list(lone_a), list(lone_b)):
        if x in lone_a and y in lone_b and (_is_before(a, y, x) or _is_before(b, x, y)):
            del lone_a[x], lone_b[y]
    return (next(iter(lone_a.values())), next(iter(lone_b.values()))) if lone_a and lone_b else None


def _is_before(sentence: SentenceRelations, longer: frozenset[str], members: frozenset[str]) -> bool:
    """Return whether a list has more words in the other sentence since this one's main clause stands behind it there.

    "The fee is due if you bring pets and plants", "if you bring pets and plants, the fee is due".
    """
    more = longer - members
    is_main = sentence.tokens[0].word not in HANGS
    return is_main and members < longer and more == frozenset(sentence.content_keys[: len(more)])


_OR = frozenset("or oder ou o".split())

_Finder = Callable[[SentenceRelations, SentenceRelations], Sides | None]

_FINDERS: tuple[_Finder, ...] = (
    _who_or_and, _other_person, _other_preposition, _lone_preposition, _other_particle, _other_auxiliary,
    _other_voice, _other_aim, _other_attribute, _other_tense, _other_clause, _moved_preposition, _moved_limit,
    _regrouped, _moved_small_word,
)  # fmt: skip
"""What may be related otherwise, in the order in which it is looked for."""

_IN_PASSIVES: tuple[_Finder, ...] = (_who_or_and, _other_voice)
"""What is looked for where one sentence is the passive of the other."""
