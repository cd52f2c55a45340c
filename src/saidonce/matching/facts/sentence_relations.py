"""How the words of one sentence relate to each other, found once and compared with many other sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from itertools import pairwise

from saidonce.foundation.model import FactKind, Span
from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.analyse import Token, tokens_of
from saidonce.matching.facts.lexicon import NEGATION, language_table, lines, stem, word_list
from saidonce.matching.facts.phrases import SUBORDINATES
from saidonce.matching.facts.roles import JOINS

LIMITS = ("quantifier:only", NEGATION, "just", "even")
"""Keys of words that bear on the word behind them, wherever in the sentence that stands."""

ANY = frozenset(("any", "anyone", "anybody", "anything"))

NAMING = (None, FactKind.NAME)
"""Kinds of words that can name who does something."""

MEASURED = (FactKind.NUMBER, FactKind.UNIT, FactKind.AMOUNT, FactKind.DATE)
"""Kinds of values by which something is measured, counted or dated."""

_DENIED_FIRST = frozenset(("en", "es", "it", "pt"))
"""Languages in which a negation before a duty denies the duty: "it is not necessary to", "it is necessary not to"."""

_RELATIVES = frozenset(("who", "which", "whom", "whose"))
_AIMING = frozenset(map(stem, "stop forget remember regret try".split()))
_ARTICLES = frozenset("a an the this that these those my your his her its our their all".split())

_CONTINUES = 100
"""Class of a verb that is being done, behind those of helping verbs."""

Places = tuple[Span | None, Span | None]
"""Where two sentences differ; None on the side on which nothing stands."""

TwoWords = tuple[str, str]
"""What two words of a sentence are compared by: keys, or how the first is spelled and the key of the second."""


def span_of(text: str, token: Token) -> Span:
    """Return where a token stands in its text."""
    return Span(token.start, token.end, text[token.start : token.end])


@cache
def word_classes(name: str, language: str) -> dict[str, int]:
    """Return word -> number of its class in one table of `relations`."""
    rows = lines(language_table(language).get("relations", {}).get(name, ""))
    return {word: n for n, row in enumerate(rows) for word in row.split()}


@remembered(4_096)
def relations_of(sentence: str, language: str) -> SentenceRelations:
    """Return the relations of a text's words."""
    return SentenceRelations(tokens_of(sentence, language), language)


class SentenceRelations:
    """The relations of the words of one sentence, each found when it is first asked for.

    Attributes:
        tokens: of the sentence, in order.
        language: of the tables that say which words are which.
    """

    def __init__(self, tokens: Sequence[Token], language: str) -> None:
        self.tokens = tokens
        self.language = language

    @cached_property
    def words(self) -> frozenset[str]:
        """All words."""
        return frozenset([t.word for t in self.tokens])

    @cached_property
    def keys(self) -> frozenset[str]:
        """Keys of all words."""
        return frozenset([t.key for t in self.tokens])

    @cached_property
    def contents(self) -> list[Token]:
        """Content words."""
        return [t for t in self.tokens if t.content]

    @cached_property
    def content_keys(self) -> list[str]:
        """Keys of the content words, in order."""
        return [t.key for t in self.contents]

    @cached_property
    def sorted_content_keys(self) -> list[str]:
        """Keys of the content words, sorted."""
        return sorted(self.content_keys)

    @cached_property
    def content_counts(self) -> Counter[str]:
        """Key of a content word -> how often it stands in the sentence."""
        return Counter(self.content_keys)

    @cached_property
    def gaps(self) -> list[list[Token]]:
        """The small words before, between and behind the content words."""
        gaps: list[list[Token]] = [[]]
        for token in self.tokens:
            if token.content:
                gaps.append([])
            else:
                gaps[-1].append(token)
        return gaps

    @cached_property
    def joints(self) -> list[Token]:
        """The words that join the members of lists."""
        return [t for t in self.tokens if t.word in JOINS]

    @cached_property
    def conjoints(self) -> list[Token]:
        """Each English "and"."""
        return [t for t in self.joints if t.word == "and"]

    @cached_property
    def relatives(self) -> list[Token]:
        """English "who", "which" and their forms."""
        return [t for t in self.tokens if t.word in _RELATIVES]

    @cached_property
    def persons(self) -> list[tuple[int, Token]]:
        """Words for a person ("you", "we") with their classes."""
        classes = word_classes("persons", self.language)
        return [(classes[t.word], t) for t in self.tokens if t.word in classes]

    @cached_property
    def bound_next(self) -> dict[str, tuple[Token, str]]:
        """Word that bears on the next one -> that word and the key of the next one; the last of each."""
        binding = word_list(self.language, "binds")
        return {t.word: (t, after.key) for t, after in pairwise(self.tokens) if t.word in binding}

    @cached_property
    def led(self) -> dict[str, tuple[Token, frozenset[int]]]:
        """Key of a content word -> the first preposition before it, and the classes of all that stand there."""
        classes = word_classes("prepositions", self.language)
        led: dict[str, list[Token]] = {}
        for before, token in self._content_after(classes):
            led.setdefault(token.key, []).append(before)
        return {key: (leads[0], frozenset([classes[t.word] for t in leads])) for key, leads in led.items()}

    @cached_property
    def particles(self) -> dict[str, Token]:
        """Key of a content word -> the "on", "off" or the like that closes its clause; the last of each."""
        words = word_classes("particles", self.language)
        particles: dict[str, Token] = {}
        last = ""
        for token, after in zip(self.tokens, [*self.tokens[1:], None], strict=True):
            if token.word in words and last and (after is None or after.word in JOINS):
                particles[last] = token
            elif token.content:
                last = token.key
        return particles

    @cached_property
    def helped(self) -> dict[str, dict[tuple[int, ...], Token]]:
        """Key of a content word -> the classes of all helping verbs right before it, and the first of these verbs."""
        classes = word_classes("auxiliaries", self.language)
        helped: dict[str, dict[tuple[int, ...], Token]] = {}
        waiting: list[Token] = []
        for token in self.tokens:
            if token.word in classes and not token.content:
                waiting.append(token)
            elif token.kind is FactKind.MODALITY and " " in token.word:
                waiting = []  # "are not required to" helps by itself
            elif waiting and (
                token.content or (token.kind is FactKind.NEGATION and token.word.endswith(("ed", "ing")))
            ):
                how = *(classes[t.word] for t in waiting), _CONTINUES * self._is_doing(waiting[-1], token)
                helped.setdefault(token.key, {}).setdefault(how, waiting[0])
                waiting = []
        return helped

    def _is_doing(self, helping: Token, verb: Token) -> bool:
        """Return whether an English verb behind a form of "be" is what its subject does.

        Example: "is eating", not "is eaten".
        """
        return self.language == "en" and helping.key == "be" and verb.word.endswith("ing")

    @cached_property
    def done_to(self) -> dict[TwoWords, tuple[Token, Token]]:
        """Words before a form of "be" and keys of those behind -> that form and the word behind; the first of each."""
        done: dict[TwoWords, tuple[Token, Token]] = {}
        if "be" not in self.keys:
            return done
        for subject, be, verb in zip(self.tokens, self.tokens[1:], self.tokens[2:], strict=False):
            if be.key == "be" and subject.content and verb.content:
                done.setdefault((subject.word, verb.key), (be, verb))
        return done

    @cached_property
    def is_statement(self) -> bool:
        """Whether an English sentence has a verb that makes a statement."""
        finite = word_list("en", "finite")
        return any(t.word in finite or t.kind is FactKind.MODALITY for t in self.tokens)

    @cached_property
    def finite(self) -> dict[TwoWords, Token]:
        """Words behind a content word or a person, by that word and the key of the word itself; the first of each."""
        subjects = word_classes("persons", "en")
        verbs: dict[TwoWords, Token] = {}
        for before, token in pairwise(self.tokens):
            if not token.content or token.kind is not None or token.word.endswith("ing"):
                continue
            if (before.content and before.kind in NAMING) or before.word in subjects:
                verbs.setdefault((before.word, token.key), token)
        return verbs

    @cached_property
    def aims(self) -> dict[TwoWords, tuple[Token, bool]]:
        """Keys of such a verb and of the verb behind it -> the former, and whether the latter ends in "-ing"."""
        aims: dict[TwoWords, tuple[Token, bool]] = {}
        if self.keys.isdisjoint(_AIMING):
            return aims
        for n, token in enumerate(self.tokens[:-1]):
            if token.key not in _AIMING:
                continue
            is_aim = self.tokens[n + 1].word == "to"
            behind = self.tokens[n + 2 : n + 3] if is_aim else self.tokens[n + 1 : n + 2]
            if behind and behind[0].content:
                aims.setdefault((token.key, behind[0].key), (token, not is_aim))
        return aims

    @cached_property
    def attributes(self) -> dict[TwoWords, Token]:
        """Keys of two content words side by side -> the first of them; the last of each."""
        pairs = pairwise(self.tokens)
        return {(one.key, two.key): one for one, two in pairs if one.content and two.content and one.kind is None}

    @cached_property
    def links(self) -> dict[TwoWords, Token | None]:
        """Keys of two content words with nothing but a preposition, articles and persons between -> the preposition.

        Before a value only "to" counts: "rose to 5 euros", "rose 5 euros"; "waited for 5 minutes", "waited 5 minutes".
        """
        classes = word_classes("prepositions", "en")
        links: dict[TwoWords, Token | None] = {}
        last: Token | None = None
        between: list[Token] = []
        for token in self.tokens:
            if not token.content:
                between.append(token)
                continue
            if last is not None and last.kind is None and (token.kind in NAMING or token.kind in MEASURED):
                leads = [t for t in between if t.word in classes and t.word != "of"]
                if token.kind in MEASURED:
                    leads = [t for t in leads if t.word == "to"]
                    between = [t for t in between if t.kind is not FactKind.QUANTIFIER]
                if len(leads) <= 1 and all(t.word in classes or t.word in _ARTICLES for t in between):
                    links.setdefault((last.key, token.key), leads[0] if leads else None)
            last, between = token, []
        return links

    @cached_property
    def conjunctions(self) -> dict[int, dict[str, Token]]:
        """Class of a conjunction -> key of the content word behind each of them, and the conjunction."""
        return self._opened("conjunctions")

    @cached_property
    def prepositions(self) -> dict[int, dict[str, Token]]:
        """Class of a preposition -> key of the content word behind each of them, and the preposition."""
        return self._opened("prepositions")

    def _opened(self, name: str) -> dict[int, dict[str, Token]]:
        classes = word_classes(name, self.language)
        opened: dict[int, dict[str, Token]] = {}
        for before, token in self._content_after(classes):
            opened.setdefault(classes[before.word], {}).setdefault(token.key, before)
        return opened

    def _content_after(self, words: Mapping[str, int]) -> list[tuple[Token, Token]]:
        """Return each of some words with the next content word, unless another such word stands between."""
        pairs: list[tuple[Token, Token]] = []
        waiting: Token | None = None
        for token in self.tokens:
            if token.content:
                if waiting is not None:
                    pairs.append((waiting, token))
                    waiting = None
            elif token.word in words:
                waiting = token
        return pairs

    @cached_property
    def limits(self) -> dict[str, list[tuple[Token, str]]]:
        """Limit ("only", "not") -> each place where it stands, with the word that it bears on."""
        limits: dict[str, list[tuple[Token, str]]] = {}
        for n, token in enumerate(self.tokens):
            if token.key in LIMITS:
                limits.setdefault(token.key, []).append((token, self._bound(n)))
        return limits

    def _bound(self, at: int) -> str:
        """Return the word or person that an operator bears on.

        It is the next one, or at the end of a sentence the one before.
        """
        persons = word_classes("persons", self.language)
        denies_duty = self.tokens[at].key == NEGATION and self.language in _DENIED_FIRST
        duty = "modality:must" if denies_duty else None
        after = next((t.key for t in self.tokens[at + 1 :] if t.content or t.word in persons or t.key == duty), "")
        return after or next((t.key for t in reversed(self.tokens[:at]) if t.content), "")

    @cached_property
    def joined(self) -> dict[frozenset[str], Token]:
        """Content words of each list, with those right before and behind it, and a word that joins its members.

        What stands before a clause ("unless") is in no list of that clause.
        """
        lists: dict[frozenset[str], Token] = {}
        n = 0
        while n < len(self.tokens):
            end, joint = n, None
            while end < len(self.tokens) and (self.tokens[end].content or self.tokens[end].word in JOINS):
                joint = self.tokens[end] if self.tokens[end].word in JOINS else joint
                if joint is None and self.tokens[end].word in SUBORDINATES:
                    n = end
                end += 1
            if joint is not None:
                lists[frozenset(t.key for t in self.tokens[n:end] if t.content)] = joint
            n = max(end, n + 1)
        return lists
