"""Room facts: small words that relate the content words of a sentence: who, to what, and what a limit bears on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from saidonce.foundation.model import FactKind
from saidonce.matching.facts.analyse import Token
from saidonce.matching.facts.lexicon import NEGATION, is_past, language_table, lines, stem, word_list
from saidonce.matching.facts.roles import JOINS
from saidonce.matching.facts.slots import Sides, other_in_a_slot

_LIMITS = ("quantifier:only", NEGATION, "just", "even")
"""Keys of words that bear on the word behind them, wherever in the sentence that stands."""

_DENIED_FIRST = frozenset(("en", "es", "it", "pt"))
"""Languages in which a negation before a duty denies the duty: "it is not necessary to", "it is necessary not to"."""


def changed_relation(a: Sequence[Token], b: Sequence[Token], language: str, is_turned: bool = False) -> Sides | None:
    """Return the first small words by which two aligned sentences relate the same content words otherwise.

    Another person ("you", "we"), another preposition before the same word, another helping verb ("has
    sold", "is sold") or tense, something else on or off, "if" and its like before another clause, a limit
    ("only") before another word, words joined by "and" or "or" with others than before, and another word in its slot.

    Args:
        is_turned: whether one is the passive of the other, which relates its words in its own way.
    """
    if sides := other_in_a_slot(a, b, language):
        return sides
    if is_turned:
        return _who_or_and(a, b, language) or _other_voice(a, b, language)
    for find in (
        _who_or_and, _other_person, _other_preposition, _lone_preposition, _other_particle, _other_auxiliary,
        _other_voice, _other_aim, _other_attribute, _other_tense, _other_clause, _moved_preposition,
    ):  # fmt: skip
        if sides := find(a, b, language):
            return sides
    return _moved_limit(a, b, language) or _regrouped(a, b)


@cache
def _classes(name: str, language: str) -> dict[str, int]:
    """Word -> number of its class."""
    rows = lines(language_table(language).get("relations", {}).get(name, ""))
    return {word: n for n, row in enumerate(rows) for word in row.split()}


def _other_person(a: Sequence[Token], b: Sequence[Token], language: str) -> Sides | None:
    """The first words of a person that each sentence names more often than the other, which names another instead."""
    persons = _classes("persons", language)
    named_a, named_b = ([t for t in tokens if t.word in persons] for tokens in (a, b))
    counts_a, counts_b = (Counter(persons[t.word] for t in named) for named in (named_a, named_b))
    more_a, more_b = counts_a - counts_b, counts_b - counts_a
    if not more_a or not more_b:
        return None
    return next(t for t in named_a if more_a[persons[t.word]]), next(t for t in named_b if more_b[persons[t.word]])


def _other_preposition(a: Sequence[Token], b: Sequence[Token], language: str) -> Sides | None:
    """The prepositions before the first word that each sentence puts behind another one."""
    here, there = _led(a, language), _led(b, language)
    classes = _classes("prepositions", language)
    for key, leads in here.items():
        others = there.get(key, [])
        if leads and others and {classes[t.word] for t in leads}.isdisjoint(classes[t.word] for t in others):
            return leads[0], others[0]
    return None


def _led(tokens: Sequence[Token], language: str) -> dict[str, list[Token]]:
    """Key of a content word -> the prepositions that stand before it, articles and the like between."""
    classes = _classes("prepositions", language)
    led: dict[str, list[Token]] = {}
    for before, token in _content_after(tokens, classes):
        led.setdefault(token.key, []).append(before)
    return led


def _other_particle(a: Sequence[Token], b: Sequence[Token], language: str) -> Sides | None:
    """The first words that say something else of what stands before them: "the heater is on", "the heater is off"."""
    here, there = _particles(a, language), _particles(b, language)
    for key, token in here.items():
        other = there.get(key)
        if other is not None and other.word != token.word:
            return token, other
    return None


def _particles(tokens: Sequence[Token], language: str) -> dict[str, Token]:
    """Key of a content word -> the "on", "off" or the like that closes its clause; the last of each."""
    words = _classes("particles", language)
    particles: dict[str, Token] = {}
    last = ""
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        if token.word in words and last and (after is None or after.word in JOINS):
            particles[last] = token
        elif token.content:
            last = token.key
    return particles


def _other_auxiliary(a: Sequence[Token], b: Sequence[Token], language: str) -> Sides | None:
    """The helping verbs before the first word that each sentence puts behind others: "is sold", "has been sold"."""
    here, there = _helped(a, language), _helped(b, language)
    for key, helped in here.items():
        others = there.get(key, {})
        if others and helped.keys().isdisjoint(others):
            return next(iter(helped.values())), next(iter(others.values()))
    return None


def _helped(tokens: Sequence[Token], language: str) -> dict[str, dict[tuple[int, ...], Token]]:
    """Key of a content word -> the classes of all helping verbs right before it, and the first of these verbs."""
    classes = _classes("auxiliaries", language)
    helped: dict[str, dict[tuple[int, ...], Token]] = {}
    waiting: list[Token] = []
    for token in tokens:
        if token.word in classes and not token.content:
            waiting.append(token)
        elif waiting and (token.content or (token.kind is FactKind.NEGATION and token.word.endswith(("ed", "ing")))):
            how = *(classes[t.word] for t in waiting), _CONTINUES * _is_doing(waiting[-1], token, language)
            helped.setdefault(token.key, {}).setdefault(how, waiting[0])
            waiting = []
    return helped


def _who_or_and(a: Sequence[Token], b: Sequence[Token], language: str) -> Sides | None:
    """The English "who" of a sentence and the "and" of the other that stand for each other.

    "Met the tenant, who paid" and "met the tenant and paid" say of two people that they paid.
    """
    if language != "en":
        return None
    return _relative_for_and(a, b) or _turned_round(_relative_for_and(b, a))


def _relative_for_and(one: Sequence[Token], two: Sequence[Token]) -> Sides | None:
    counts = [Counter(t.word for t in tokens) for tokens in (one, two)]
    relative = next((t for t in one if t.word in _RELATIVES and counts[0][t.word] > counts[1][t.word]), None)
    joint = next((t for t in two if t.word == "and" and counts[1]["and"] > counts[0]["and"]), None)
    return (relative, joint) if relative is not None and joint is not None else None


_RELATIVES = frozenset(("who", "which", "whom", "whose"))


def _other_voice(a: Sequence[Token], b: Sequence[Token], language: str) -> Sides | None:
    """The first English verb that its subject does in one sentence and that is done to it in the other.

    "The shop opened" has no other verb; in "the shop opened in May is small" it is no verb.
    """
    if language != "en":
        return None
    done_a, done_b = _done_to(a), _done_to(b)
    for pair, (_, verb) in done_a.items():
        other = done_b[pair][1] if pair in done_b else verb
        if verb.word.endswith("ing") != other.word.endswith("ing"):
            return verb, other
    return _done_by(a, done_b) or _turned_round(_done_by(b, done_a))


def _turned_round(sides: Sides | None) -> Sides | None:
    return None if sides is None else (sides[1], sides[0])


def _done_by(tokens: Sequence[Token], done: dict[tuple[str, str], tuple[Token, Token]]) -> Sides | None:
    """The verb of a sentence that has no other, with the "be" that the other sentence has behind the same subject."""
    if any(t.word in word_list("en", "finite") or t.kind is FactKind.MODALITY for t in tokens):
        return None
    return next(((verb, done[pair][0]) for pair, verb in _finite(tokens).items() if pair in done), None)


def _done_to(tokens: Sequence[Token]) -> dict[tuple[str, str], tuple[Token, Token]]:
    """Words before a form of "be" and keys of those behind it -> that form and the word behind; the first of each."""
    done: dict[tuple[str, str], tuple[Token, Token]] = {}
    for subject, be, verb in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if subject.content and be.key == "be" and verb.content:
            done.setdefault((subject.word, verb.key), (be, verb))
    return done


def _other_aim(a: Sequence[Token], b: Sequence[Token], language: str) -> Sides | None:
    """The first English verb that says one thing before "to" and another before "-ing": "stop to check"."""
    if language != "en":
        return None
    aims_a, aims_b = _aims(a), _aims(b)
    at = next((pair for pair, (_, doing) in aims_a.items() if pair in aims_b and aims_b[pair][1] != doing), None)
    return (aims_a[at][0], aims_b[at][0]) if at else None


def _aims(tokens: Sequence[Token]) -> dict[tuple[str, str], tuple[Token, bool]]:
    """Keys of such a verb and of the verb behind it -> the former, and whether the latter ends in "-ing"."""
    aims: dict[tuple[str, str], tuple[Token, bool]] = {}
    for n, token in enumerate(tokens[:-1]):
        behind = tokens[n + 2 : n + 3] if tokens[n + 1].word == "to" else tokens[n + 1 : n + 2]
        if token.key in _AIMING and behind and behind[0].content:
            aims.setdefault((token.key, behind[0].key), (token, tokens[n + 1].word != "to"))
    return aims


_AIMING = frozenset(map(stem, "stop forget remember regret try".split()))


def _other_attribute(a: Sequence[Token], b: Sequence[Token], language: str) -> Sides | None:
    """The first English participle before its noun that is the other one there: "filled forms", "filling forms"."""
    if language != "en":
        return None
    here, there = _attributes(a), _attributes(b)
    at = next((pair for pair, token in here.items() if pair in there and _is_other(token, there[pair])), None)
    return (here[at], there[at]) if at else None


def _attributes(tokens: Sequence[Token]) -> dict[tuple[str, str], Token]:
    pairs = ((one, two) for one, two in pairwise(tokens) if one.content and two.content and one.kind is None)
    return {(one.key, two.key): one for one, two in pairs}


def _is_other(one: Token, two: Token) -> bool:
    """Whether one of two forms of a verb is that of the present: "filling", "filled"."""
    return one.word != two.word and any(x.word.endswith("ing") and is_past(y.word) for x, y in ((one, two), (two, one)))


def _lone_preposition(a: Sequence[Token], b: Sequence[Token], language: str) -> Sides | None:
    """The first English preposition between two words that follow each other without one in the other sentence.

    "Pay for the lawyer" is not "pay the lawyer". Before a date or a value it may be left out, and behind "help".
    """
    if language != "en":
        return None
    here, there = _links(a), _links(b)
    for pair, link in here.items():
        if pair in there and (link is None) != (there[pair] is None):
            return link, there[pair]
    closing_a, closing_b = (_particles(tokens, language) for tokens in (a, b))
    for key in closing_a.keys() ^ closing_b.keys():
        if any(t.key == key for t in a) and any(t.key == key for t in b):
            return closing_a.get(key), closing_b.get(key)
    return None


def _links(tokens: Sequence[Token]) -> dict[tuple[str, str], Token | None]:
    """Keys of two content words with nothing but one preposition, articles and persons between -> that preposition."""
    classes = _classes("prepositions", "en")
    links: dict[tuple[str, str], Token | None] = {}
    last: Token | None = None
    between: list[Token] = []
    for token in tokens:
        if not token.content:
            between.append(token)
            continue
        leads = [t for t in between if t.word in classes and t.word != "of"]
        plain = all(t.word in classes or t.word in _ARTICLES for t in between)
        if last is not None and last.kind is None and token.kind in _NAMING and plain and len(leads) <= 1:
            links.setdefault((last.key, token.key), leads[0] if leads else None)
        last, between = token, []
    return links


_ARTICLES = frozenset("a an the this that these those my your his her its our their all".split())


_CONTINUES = 100
"""Class of a verb that is being done, behind those of helping verbs."""


def _is_doing(helping: Token, verb: Token, language: str) -> bool:
    """Whether an English verb behind a form of "be" is what its subject does: "is eating", not "is eaten"."""
    return language == "en" and helping.key == "be" and verb.word.endswith("ing")


def _other_tense(a: Sequence[Token], b: Sequence[Token], language: str) -> Sides | None:
    """The first English verb behind its subject that is in the past in one sentence and not in the other."""
    if language != "en":
        return None
    here, there = _finite(a), _finite(b)
    for verb, token in here.items():
        other = there.get(verb)
        if other is None or is_past(token.word) == is_past(other.word):
            continue
        if _is_present(verb[0], other if is_past(token.word) else token):
            return token, other
    return None


def _is_present(subject: str, verb: Token) -> bool:
    """Whether a word has the ending of the present behind its subject: "Alder sells", "tenants sell", "we sell"."""
    is_plural = subject.endswith("s") or subject in _PLURAL
    return verb.word.partition(" ")[0].endswith("s") != is_plural


def _finite(tokens: Sequence[Token]) -> dict[tuple[str, str], Token]:
    """Words behind a content word or a person, by that word and the key of the word itself; the first of each."""
    subjects = _classes("persons", "en")
    verbs: dict[tuple[str, str], Token] = {}
    for before, token in pairwise(tokens):
        is_subject = (before.content and before.kind in _NAMING) or before.word in subjects
        if is_subject and token.content and token.kind is None and not token.word.endswith("ing"):
            verbs.setdefault((before.word, token.key), token)
    return verbs


_PLURAL = frozenset("i you we they people children men women staff".split())
_NAMING = (None, FactKind.NAME)


def _other_clause(a: Sequence[Token], b: Sequence[Token], language: str) -> Sides | None:
    """The first conjunction that opens another clause than in the other sentence: "A if B", "if A, B"."""
    return _before_another("conjunctions", a, b, language)


def _moved_preposition(a: Sequence[Token], b: Sequence[Token], language: str) -> Sides | None:
    """The first preposition that stands before another word than in the other sentence, which has both words.

    "A la directora llamó el inspector", "la directora llamó al inspector". English tells it by the order of words.
    """
    return None if language == "en" else _before_another("prepositions", a, b, language)


def _before_another(words: str, a: Sequence[Token], b: Sequence[Token], language: str) -> Sides | None:
    """The first word of a class that stands before other content words in one sentence than in the other."""
    opened_a, opened_b = _opened(words, a, language), _opened(words, b, language)
    keys_a, keys_b = ({t.key for t in tokens if t.content} for tokens in (a, b))
    for word, openings in opened_a.items():
        others = opened_b.get(word, {})
        lone = [key for key in openings if key not in others and key in keys_b]
        lone_there = [key for key in others if key not in openings and key in keys_a]
        if lone and lone_there:
            return openings[lone[0]], others[lone_there[0]]
    return None


def _opened(words: str, tokens: Sequence[Token], language: str) -> dict[int, dict[str, Token]]:
    """Class of a conjunction or preposition -> key of the content word behind each of them, and that word."""
    classes = _classes(words, language)
    opened: dict[int, dict[str, Token]] = {}
    for before, token in _content_after(tokens, classes):
        opened.setdefault(classes[before.word], {}).setdefault(token.key, before)
    return opened


def _content_after(tokens: Sequence[Token], words: dict[str, int]) -> list[tuple[Token, Token]]:
    """Each of some words with the next content word, unless another such word stands between."""
    pairs: list[tuple[Token, Token]] = []
    waiting: Token | None = None
    for token in tokens:
        if token.word in words and not token.content:
            waiting = token
        elif token.content and waiting is not None:
            pairs.append((waiting, token))
            waiting = None
    return pairs


def _moved_limit(a: Sequence[Token], b: Sequence[Token], language: str) -> Sides | None:
    """Where "only" or "not" stands before another word than in the other sentence, which has that word too."""
    keys_a, keys_b = ({t.key for t in tokens} for tokens in (a, b))
    for limit in _LIMITS:
        limits_a, limits_b = ([n for n, t in enumerate(tokens) if t.key == limit] for tokens in (a, b))
        for n, m in zip(limits_a, limits_b, strict=False):
            bound_a, bound_b = _bound(a, n, language), _bound(b, m, language)
            if bound_a != bound_b and bound_a in keys_b and bound_b in keys_a:
                return a[n], b[m]
    return None


def _bound(tokens: Sequence[Token], at: int, language: str) -> str:
    """The word or person that an operator bears on: the next one, or at the end of a sentence the one before."""
    persons = _classes("persons", language)
    duty = "modality:must" if tokens[at].key == NEGATION and language in _DENIED_FIRST else None
    after = next((t.key for t in tokens[at + 1 :] if t.content or t.word in persons or t.key == duty), "")
    return after or next((t.key for t in reversed(tokens[:at]) if t.content), "")


def _regrouped(a: Sequence[Token], b: Sequence[Token]) -> Sides | None:
    """Where "and" joins other words, although the content words of both sentences are the same."""
    if sorted(t.key for t in a if t.content) != sorted(t.key for t in b if t.content):
        return None
    joints = [[t for t in tokens if t.word in JOINS] for tokens in (a, b)]
    if [t.key for t in a if t.content] == [t.key for t in b if t.content] and len(joints[0]) == len(joints[1]) > 1:
        other = next(((x, y) for x, y in zip(*joints, strict=True) if (x.word in _OR) != (y.word in _OR)), None)
        if other is not None:
            return other
    joined_a, joined_b = _joined(a), _joined(b)
    lone_a = [joint for members, joint in joined_a.items() if members not in joined_b]
    lone_b = [joint for members, joint in joined_b.items() if members not in joined_a]
    return (lone_a[0], lone_b[0]) if lone_a and lone_b else None


_OR = frozenset("or oder ou o".split())


def _joined(tokens: Sequence[Token]) -> dict[frozenset[str], Token]:
    """Content words of each list, with those right before and behind it, and a word that joins its members."""
    lists: dict[frozenset[str], Token] = {}
    n = 0
    while n < len(tokens):
        end, joint = n, None
        while end < len(tokens) and (tokens[end].content or tokens[end].word in JOINS):
            joint = tokens[end] if tokens[end].word in JOINS else joint
            end += 1
        if joint is not None:
            lists[frozenset(t.key for t in tokens[n:end] if t.content)] = joint
        n = max(end, n + 1)
    return lists
