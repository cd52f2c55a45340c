"""What stands in two sentences in one text and in one sentence in the other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from saidonce.foundation.text import sentences
from saidonce.matching.facts.lexicon import language_table, word_list
from saidonce.matching.facts.plain.fronted import RELATIVES, WORD, ends_in_time, opens, scope
from saidonce.matching.facts.plain.tables import LONGEST_SENTENCE, capital, options, small, ways

_RELATIVE = re.compile(
    r"(?P<who>(?:The|A|An|Each|Every|Your|Our) [\w' -]+?), (?:which|who) (?P<does>[^,]+), (?P<rest>[^,]+)"
)
_AT_END = re.compile(
    r"(?P<head>.*\b(?:the|a|an|its|your|our) (?P<what>(?!of\b|in\b|on\b)[\w'-]+(?: (?!of\b|in\b|on\b)[\w'-]+)?)), "
    r"which (?P<does>(?:is|are|was|were|has|have|will|must|can|costs?|takes?|lasts?) [^,]+)"
)
_BARRED = re.compile(r"\b(?:if|when|unless|until|while|not|no|never|only|or|who|which|that|whose)\b", re.IGNORECASE)
_SUBJECT = re.compile(r"(?:The|A|An|Each|Every|Your|Our|All) [\w'-]+(?: [\w'-]+)?? ")


def in_sentences_of_one_subject(text: str, _other: str, language: str) -> str:
    """Write a clause behind ", which" or ", who" as a sentence of its own; English."""
    if language != "en" or not re.search(r", (?:which|who) ", text):
        return text
    parts = []
    for sentence in (s.text for s in sentences(text)):
        body, end = (sentence[:-1], ".") if sentence.endswith(".") else (sentence, "")
        if len(sentence) > LONGEST_SENTENCE:
            parts.append(sentence)
        elif (hit := _RELATIVE.fullmatch(body)) and not _BARRED.search(hit["does"] + hit["rest"]):
            parts += [f"{hit['who']} {hit['does']}.", f"{hit['who']} {hit['rest']}{end}"]
        elif (hit := _AT_END.fullmatch(body)) and not _BARRED.search(hit["does"]):
            parts += [f"{hit['head']}.", f"The {hit['what']} {hit['does']}{end}"]
        else:
            parts.append(sentence)
    return " ".join(parts)


@cache
def _next(language: str) -> re.Pattern[str] | None:
    """Return what matches a sentence that goes on with the subject of the one before: "It is then drained"."""
    then, helping, pronouns = (options(language, name) or r"(?!)" for name in ("then", "helping", "pronouns"))
    if "and" not in ways(language):
        return None
    return re.compile(
        rf"(?:(?P<then>{then}),? )?(?:(?P<who>{pronouns}) )?(?:(?P<helps>{helping}) )?(?:(?P<turned>{pronouns}) )?"
        rf"(?:(?P<later>{then}|therefore|also) )?(?P<rest>\w.*)",
        re.IGNORECASE,
    )


def joined(text: str, _other: str, language: str) -> str:
    """Write a sentence that goes on with the subject of the one before as a part of it: "S is A and B".

    The subject is the same if it is named by the same words, if "then" goes on without one, or if a pronoun stands for
    it where the sentence before has no other thing that it could mean: a form of "be" behind its subject.
    """
    at, united = _next(language), ways(language).get("and", "")
    parts = [s.text for s in sentences(text)]
    if at is None or not 1 < len(parts) <= _MOST or "\n" in text:
        return text
    done = [parts[0]]
    for sentence in parts[1:]:
        rest = _goes_on(done[-1], sentence, language)
        if rest and done[-1].endswith("."):
            done[-1] = f"{done[-1][:-1]} {united} {rest}"
        else:
            done.append(sentence)
    return " ".join(done)


_MOST = 8


def _goes_on(before: str, sentence: str, language: str) -> str:
    """Return what follows "and" if a sentence goes on with the subject of the one before; empty if it does not."""
    at = _next(language)
    if max(len(before), len(sentence)) > LONGEST_SENTENCE:
        return ""
    hit = at.fullmatch(sentence) if at else None
    if language == "en" and (subject := _SUBJECT.match(before)) and sentence.startswith(subject[0]):
        rest = sentence[len(subject[0]) :]
        shortened = _without_repeated_help(before, rest, language)
        return "" if shortened != rest and _BEARS.search(before) else shortened
    if hit is None:
        return ""
    if hit["who"] or hit["turned"]:
        goes_on = bool(hit["helps"] or language == "en") and _has_topic(before, language)
    else:
        goes_on = hit["then"] is not None
    helps = hit["helps"] or ""
    if goes_on and language == "en" and not _is_free(before, hit):
        return ""
    is_shared = helps and re.search(rf"\b{re.escape(helps)}\b", before)
    then = (hit["then"] or hit["later"] or "").lower()
    return " ".join(filter(None, (then, "" if is_shared else helps, hit["rest"]))) if goes_on else ""


def _is_free(before: str, hit: re.Match[str]) -> bool:
    """Return whether an English sentence may go on behind another, and nothing there bears on it.

    "The samples are not washed. They are reused" is not "are not washed and reused". A pronoun has the number of the
    verb before, and no clause stands between that could have its subject.
    """
    helps = hit["helps"]
    shares = not helps or re.search(rf"\b{re.escape(helps)}\b", before) is not None
    if shares and _BEARS.search(before):
        return False
    pronoun = (hit["who"] or hit["turned"] or "").lower()
    verb = re.search(r"\b(?:is|are|was|were|has|have)\b", before)
    if pronoun and verb and (pronoun == "they") != (verb[0] in ("are", "were", "have")):
        return False
    return not (pronoun and _INSIDE.search(before))


_BEARS = re.compile(
    r"\b(?:not|never|no|nobody|none|neither|nothing|only|hardly|rarely|seldom|without|almost|just)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_INSIDE = re.compile(r"\b(?:when|whenever|while|where|who|which|that|because|until|after|before|if)\b", re.IGNORECASE)


def _has_topic(sentence: str, language: str) -> bool:
    """Return whether a form of "be" follows a sentence's subject, and a pronoun could mean nothing else in it."""
    if len(re.findall(rf"\b(?:{options(language, 'articles')})\b", sentence, re.IGNORECASE)) > 1:
        return False
    return re.search(rf"^\w+(?: [\w'-]+){{0,3}} (?:{options(language, 'helping')}) ", sentence) is not None


def _without_repeated_help(before: str, rest: str, language: str) -> str:
    first = rest.split(" ", 1)[0]
    is_help = re.fullmatch(options(language, "helping"), first) is not None
    shares = is_help and re.search(rf"\b{re.escape(first)}\b", before) is not None
    return rest.partition(" ")[2] if shares else rest


def as_one_sentence(text: str, other: str, language: str) -> str:
    """Write two sentences as the one of the other text that has the same words with "and" between them.

    Not where a word of the first might bear on both: what opens it, a condition, a denial, another "and"; and not where
    a time or condition at the end of the second might. The second one is a whole sentence by itself, since it has the
    same words.
    """
    if language not in ONE_OR_TWO or "\n" in text:
        return text
    mine, theirs = ([s.text for s in sentences(t)] for t in (text, other))
    if not 1 < len(mine) <= _MOST or len(theirs) > _MOST:
        return text
    wholes = {_without_commas(t): t for t in theirs if t not in mine and len(t) <= LONGEST_SENTENCE}
    done = [mine[0]]
    for sentence in mine[1:]:
        before = done[-1]
        both = f"{before[:-1]} {ways(language)['and']} {small(sentence)}"
        whole = wholes.get(_without_commas(both)) if before.endswith(".") else None
        if whole is not None and _bears_on_itself(before, sentence, language):
            done[-1] = whole
        else:
            done.append(sentence)
    return " ".join(done) if len(done) < len(mine) else text


ONE_OR_TWO = ("de", "fr", "es")
"""Languages in which a clause behind "and" is compared with a sentence of its own."""


def _without_commas(text: str) -> str:
    return text.replace(",", "").lower()


def _bears_on_itself(first: str, second: str, language: str) -> bool:
    """Return whether no word of either sentence may bear on the other."""
    words = [w.lower() for w in WORD.findall(first)]
    more = [w.lower() for w in WORD.findall(second)]
    opening = language_table(language).get("relations", {}).get("conjunctions", "").split()
    over = {*(set(opening) - _PREPOSITIONS), *scope(language), *RELATIVES, *ways(language)["joins"].split()}
    if not over.isdisjoint((*words, *more[1:])):
        return False
    before_comma = (behind for comma, behind in pairwise(words) if comma == ",")
    if any(word not in ways(language)["adversative"].split() for word in before_comma):
        return False
    is_whole = _opens_with_who(words, language) and (
        _opens_with_who(more, language) or (language == "es" and _goes_on_with_its_subject(words, more))
    )
    if not is_whole and not all(_bids(each, language) for each in (words, more)):
        return False
    is_led = any(opens(words[:n], language) for n in range(1, _LONGEST_LEAD))
    return not is_led and not ends_in_time(more, language)


_LONGEST_LEAD = 6


def _opens_with_who(words: Sequence[str], language: str) -> bool:
    """Return whether a sentence begins with who or what does something, by an article or pronoun.

    What bids may be the condition of what follows, "order today and the delivery is free", and what says how often or
    how likely something is bears on all that "and" joins.
    """
    first = re.split("(?<=['\u2019])", words[0])[0].replace("\u2019", "'") if words else ""
    return first in ways(language)["articles"].split() or first in ways(language)["subjects"].split()


def _goes_on_with_its_subject(words: Sequence[str], more: Sequence[str]) -> bool:
    """Return whether a Spanish sentence without a subject can only have that of the one before.

    That one has no other thing than behind a preposition: "el río nace en el monte. Desemboca en el mar".
    """
    articles = ways("es")["articles"].split()
    before = [one for one, word in pairwise(words[1:]) if word in articles]
    is_verb = more[0].endswith(("a", "e", "an", "en")) and not more[0].endswith("mente") and not opens(more[:1], "es")
    is_intransitive = words[0] in articles and words[_BEHIND_VERB] in _OF_A_PLACE if words[_BEHIND_VERB:] else False
    return is_verb and is_intransitive and {"al", "a"}.isdisjoint(words) and all(w in _OF_A_PLACE for w in before)


_BEHIND_VERB = 3
_OF_A_PLACE = frozenset("en de desde por hacia hasta bajo sobre entre".split())


def _bids(words: Sequence[str], language: str) -> bool:
    """Return whether a sentence begins with an imperative that promises nothing: "order today and win a car"."""
    verb = words[0] if words else ""
    if verb in ways(language)["promised"].split():
        return False
    if language == "de":
        return words[1:2] == ["sie"] and verb.endswith("n")
    return verb.endswith("ez") if language == "fr" else verb in ways(language)["bids"].split()


_PREPOSITIONS = frozenset(
    "bis vor nach seit ab en avant après depuis pendant desde hasta antes después tras pour para por".split()
)
"""Conjunctions that are prepositions, too; of a clause they stand with another word."""


_STEP = re.compile(r"(?:, (?:and )?(?:then )?| and (?:then )?)(?=(?P<verb>[a-z]+) )")
_ONE_STEP = re.compile(r"\b(?:if|when|unless|before|after|until|while|by|or|not|so|as)\b", re.IGNORECASE)


def step_by_step(text: str, _other: str, language: str) -> str:
    """Write each step of an English instruction as a sentence: "Save the file, close it and ..."."""
    if language != "en":
        return text
    return " ".join(_steps(s.text) for s in sentences(text)) if "\n" not in text else text


def _steps(sentence: str) -> str:
    bids = word_list("en", "bids")
    sentence = re.sub(r"^(?:Then|Next|Afterwards),? (?=(\w+))", lambda m: m[0] if m[1] not in bids else "", sentence)
    sentence = capital(sentence)
    words = sentence.split(" ", 2)
    if len(words) < 3 or small(words[0]) not in bids or small(words[0]) == "do" or _ONE_STEP.search(sentence):
        return sentence
    cuts = [m for m in _STEP.finditer(sentence) if m["verb"] in bids and " " in sentence[: m.start()]]
    parts, start = [], 0
    for cut in cuts:
        parts.append(sentence[start : cut.start()])
        start = cut.end()
    parts.append(sentence[start:])
    return ". ".join(capital(p) for p in parts)
