"""What is done, without who does it, in one of several forms.

"Die Wartung der Pumpe erfolgt jährlich" says what "Die Pumpe wird jährlich gewartet" does, "on doit fermer la porte"
what "la porte doit être fermée" does, and "se debe limpiar el filtro" what "el filtro debe limpiarse" does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from saidonce.foundation.text import sentences
from saidonce.matching.facts.attached import is_a_time
from saidonce.matching.facts.lexicon import lines, word_list
from saidonce.matching.facts.plain import verbs
from saidonce.matching.facts.plain.fronted import WORD, scope, words_of
from saidonce.matching.facts.plain.german import in_accusative
from saidonce.matching.facts.plain.tables import LONGEST_SENTENCE, options, pairs, ways


class _Deed(NamedTuple):
    """What a sentence says is done.

    Attributes:
        voice: what its verb is; a reflexive one and a noun may say of somebody that they do it, not that it is done to
            them, and so are the passive only of what can do nothing. "Se debe secar la madera" is of somebody.
        how: the modal verb or the time, and what denies it.
        done: the participles that its verb may have.
        is_active: whether somebody who is not named does it, so that "by" somebody is no agent.
        what: what it is done to, as a subject.
        rest: all other words, in their order.
    """

    voice: str
    how: tuple[str, ...]
    done: frozenset[str]
    what: tuple[str, ...]
    rest: tuple[str, ...]
    is_active: bool = False


def in_the_form_of(text: str, other: str, language: str) -> str:
    """Write a sentence that says what is done without who does it as the other text says the same."""
    if language not in verbs.READ or "\n" in text:
        return text
    mine, theirs = ([s.text for s in sentences(t)] for t in (text, other))
    if max(len(mine), len(theirs)) > _MOST:
        return text
    lone = [t for t in theirs if t not in mine and len(t) <= LONGEST_SENTENCE]
    written = [
        s if s in theirs or len(s) > LONGEST_SENTENCE else next((t for t in lone if is_one_deed(s, t, language)), s)
        for s in mine
    ]
    return " ".join(written) if written != mine else text


_MOST = 12


def is_one_deed(one: str, two: str, language: str) -> bool:
    """Return whether two sentences say in two forms that one thing is done."""
    if language not in verbs.READ:
        return False
    a, b = _behind_one_front(one.rstrip("."), two.rstrip("."))
    here, there = list(_deeds(a, language)), list(_deeds(b, language))
    return any(_are_one(x, y, language) for x in here for y in there)


def _behind_one_front(one: str, two: str) -> tuple[str, str]:
    """Return two sentences without a clause or phrase up to a comma that both begin with."""
    front, comma, rest = one.partition(", ")
    if comma and two.startswith(front + comma):
        return rest, two.removeprefix(front + comma)
    return one, two


def _are_one(one: _Deed, two: _Deed, language: str) -> bool:
    if one.how != two.how or one.rest != two.rest or one.what != two.what or one.done.isdisjoint(two.done):
        return False
    if one.is_active != two.is_active and (_names_a_doer(one.rest, language) or _is_of_something(one, two, language)):
        return False
    if one.voice == two.voice:
        return True
    done = one.done & two.done
    if "itself" in (one.voice, two.voice) and done.isdisjoint(ways(language)["by_somebody"].split()):
        return False
    if "noun" in (one.voice, two.voice) and _may_be_a_state(one, done, language):
        return False
    return _is_only_done_to(one.what, done, language)


def _bears_on_a_phrase(deed: _Deed, language: str) -> bool:
    """Return whether a word such as "only", if there is any, stands in front of a phrase that a preposition opens.

    "Man kann auch die Karten kaufen" is not "die Karten können auch gekauft werden".
    """
    focus = set(ways(language)["focus"].split())
    if not focus.isdisjoint(word.lower() for word in deed.what) or not focus.isdisjoint(deed.rest[-1:]):
        return False
    behind = (n.lower() for word, n in pairwise(deed.rest) if word.lower() in focus)
    fronts = {*word_list(language, "fronts"), *ways(language).get("fronts", "").split(), *ways(language)["at"].split()}
    return all(word in fronts for word in behind)


def _is_of_something(one: _Deed, two: _Deed, language: str) -> bool:
    """Return whether what a deed is done to has an "of" that the verb asks for: "inform the client of the fault"."""
    of_something = ways(language).get("of_something", "").split()
    if (one.done & two.done).isdisjoint(of_something):
        return False
    firsts = {re.sub("(?<=['\u2019]).*", "", word.lower()).rstrip("'\u2019") for word in one.what}
    return not firsts.isdisjoint(word_list(language, "owning"))


def _may_be_a_state(deed: _Deed, done: frozenset[str], language: str) -> bool:
    """Return whether a passive may say how a thing is, and not what is done to it: "la porte est fermée le lundi"."""
    states = ways(language).get("states", "").split()
    return bool(states) and deed.how[0] == "now" and (not deed.rest or not done.isdisjoint(states))


def _names_a_doer(rest: Sequence[str], language: str) -> bool:
    """Return whether words may say by whom something is done: "by the neighbour", which in the active is another thing.

    "Den Hund vom Nachbarn füttern" says whose dog it is, and "pagar la factura por el inquilino" for whom one pays.
    """
    by, articles = ways(language)["by"].split("|"), {*ways(language)["articles"].split(), *_DEFINITE}
    behind_by = (re.sub("(?<=['\u2019]).*", "", n) for word, n in pairwise(rest) if word.lower() in by)
    return any(first[:1].isupper() or first.lower().replace("\u2019", "'") in articles for first in behind_by)


def _is_only_done_to(what: Sequence[str], done: frozenset[str], language: str) -> bool:
    """Return whether what is done to a thing cannot be what it does: by its noun, or by the verb if it is a machine."""
    joins = set(ways(language)["joins"].split())
    if not joins.isdisjoint(what):
        return False
    noun = _noun(what, language)
    if _is_listed(noun, "things", language) or noun in ways(language).get("plain_things", "").split():
        return True
    return not done.isdisjoint(ways(language)["handled"].split()) and _is_listed(noun, "machines", language)


def _noun(what: Sequence[str], language: str) -> str:
    """Return the noun of a thing in small letters: the first in German, or what stands behind the article."""
    if language == "de":
        return next((word.lower() for n, word in enumerate(what) if n and not word.islower()), "")
    words = [re.sub("^[ld]['\u2019]", "", word.lower()) for word in what]
    return words[0] if len(words) == 1 or what[0].lower() != words[0] else words[1]


def _is_listed(noun: str, name: str, language: str) -> bool:
    return _listed(language, name).fullmatch(noun) is not None


@cache
def _listed(language: str, name: str) -> re.Pattern[str]:
    """Return the nouns of a list in all numbers, and in German as the last part of a compound."""
    compound, ends = (r"\w*", "(?:e|en|n|s|es)?") if language == "de" else ("", "(?:s|es|x)?")
    return re.compile(rf"{compound}(?:{options(language, name)}){ends}")


@cache
def _forms(language: str) -> tuple[re.Pattern[str], ...]:
    """Return the expressions of a language for a deed, in which MODAL and LED stand for words of its tables."""
    modals = "|".join(dict.fromkeys(word for pair in pairs(language, "modal_numbers") for word in pair))
    rows = (row.replace("MODAL", f"(?:{modals})") for row in lines(ways(language)["deeds"]))
    led = "|".join(left.replace("_", " ") for left, _ in pairs(language, "owned"))
    return tuple(re.compile(row.strip().replace("LED", f"(?:{led})"), re.IGNORECASE) for row in rows)


def _deeds(sentence: str, language: str) -> Iterator[_Deed]:
    """Yield the ways to read a sentence as what is done."""
    spoken = {word.lower() for word in words_of(re.sub("^[Hh]ay que ", "", sentence))}
    denials, focus = (set(ways(language)[name].split()) for name in ("denials", "focus"))
    if not (scope(language) - denials - focus).isdisjoint(spoken):
        return
    if not denials.isdisjoint(spoken) and not focus.isdisjoint(spoken):
        return  # "not only"
    if not denials.isdisjoint(spoken) and not set(ways(language)["counting"].split()).isdisjoint(spoken):
        return  # "not all" and "none"
    for form in _forms(language):
        if (hit := form.fullmatch(sentence)) is not None:
            yield from (deed for deed in _read(hit, language) if _bears_on_a_phrase(deed, language))


def _read(hit: re.Match[str], language: str) -> Iterator[_Deed]:
    parts = {name: value if name == "led" else value.strip() for name, value in hit.groupdict().items() if value}
    how = (_how(parts, language), parts.get("no", "").lower())
    done = _done(parts, language)
    rest = (*_words(parts.get("rest", "")), *_words(parts.get("more", "")))
    if _may_bear_on_more(parts, rest, language):
        return
    if "ban" in parts or "free" in parts:
        yield _Deed("", how, done, (), (*(word.lower() for word in rest[:1]), *rest[1:]))
        return
    front = _words(parts.get("front", ""))
    for what, more in _things(parts, language):
        voice = next((name for name in ("itself", "noun") if name in parts), "")
        voice = "somebody" if voice == "itself" and "what" not in parts else voice
        yield _Deed(voice, how, done, what, (*front, *more, *rest), "verb" in parts)


def _may_bear_on_more(parts: dict[str, str], rest: Sequence[str], language: str) -> bool:
    """Return whether a denial or "only" stands inside what is possible, needed, allowed or forbidden.

    "It is possible not to pay", "to buy only here" are not "it cannot be paid", "can only be bought here".
    """
    inside = {word.lower() for word in _words(parts.get("words", ""))}
    denials, focus = (set(ways(language)[name].split()) for name in ("denials", "focus"))
    if not {"can", "must"}.isdisjoint(parts) and "verb" in parts and not denials.isdisjoint(inside):
        return True
    is_named = not {"can", "must", "ban", "free", "noun"}.isdisjoint(parts)
    return is_named and not focus.isdisjoint((*inside, *(word.lower() for word in rest)))


def _how(parts: dict[str, str], language: str) -> str:
    """Return the modal verb of a deed in one number, or when it is done."""
    if "modal" in parts:
        return dict(pairs(language, "modal_numbers")).get(parts["modal"].lower(), parts["modal"].lower())
    named = next((name for name in ("can", "must") if name in parts), "")
    if named:
        return ways(language)[named]
    if "ban" in parts or "free" in parts:
        return "ban" if "ban" in parts else "free"
    return next((time for time in ("was", "will") if time in parts), "now")


def _done(parts: dict[str, str], language: str) -> frozenset[str]:
    if "participle" in parts:
        return verbs.base(parts["participle"], language)
    if "past" in parts:
        return verbs.participles_of_past(parts["past"], language)
    if "noun" in parts:
        named = verbs.verbs_of(parts["noun"], language)
    elif "third" in parts:
        named = verbs.verbs_of_present(parts["third"], language)
    else:
        named = frozenset((parts["verb"].lower(),))
    return frozenset(p for verb in named for p in verbs.participles(verb, language))


_LONGEST = 6
"""Words of what something is done to, where nothing shows its end."""


def _things(parts: dict[str, str], language: str) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield what something is done to, as a subject, and the words behind it that are none of it."""
    if "what" in parts:
        yield _subject(parts["what"], language), ()
        return
    words = _words(parts.get("owner", "") or parts["words"])
    n_words = len(words)
    for n in [n_words] if "owner" in parts else range(1, min(_LONGEST, n_words) + 1):
        if not _is_part(words[n:], language):
            for thing in _owned(" ".join(words[:n]), parts.get("led", ""), language):
                yield _subject(thing, language), words[n:]
        if n < n_words and "led" not in parts:
            yield _subject(" ".join(words[n_words - n :]), language), words[: n_words - n]


def _is_part(rest: Sequence[str], language: str) -> bool:
    """Return whether words behind a thing are a part of it: whose it is, where it is from, or what it has."""
    first = re.sub("(?<=['\u2019]).*", "", rest[0].lower()) if rest else ""
    if first.rstrip("'\u2019") in word_list(language, "owning"):
        return not any(is_a_time(word, language) for word in rest[1:2])
    if first in ("mit", "avec", "con"):
        return len(rest) > 1 and rest[1].lower() in _DEFINITE
    return first in ("aus", "ohne", "sans", "sin")


_DEFINITE = frozenset("dem der den le la les el los las".split())


def _owned(owner: str, led: str, language: str) -> Iterator[str]:
    """Yield a thing behind a word such as "of" as what something is done to, in all forms that it may have."""
    if not led:
        yield owner
        return
    articles = articles_of_objects(language)[led.lower().replace(" ", "_")]
    for article in articles.split("|"):
        for noun in _nouns(owner, led, language):
            yield f"{article.replace('_', ' ')}{noun}"


@cache
def articles_of_objects(language: str) -> dict[str, str]:
    """Return what leads to an owner -> the articles that its thing may have as an object."""
    return {left.lower(): right for left, right in pairs(language, "owned")}


def _nouns(owner: str, led: str, language: str) -> Iterator[str]:
    """Yield a thing behind a word such as "of" without the ending of the German genitive."""
    yield owner
    if language == "de" and led.lower().endswith("es"):
        yield from (owner.removesuffix(end) for end in ("s", "es") if owner.endswith(end))


def _words(text: str) -> tuple[str, ...]:
    return tuple(WORD.findall(text))


def _subject(text: str, language: str) -> tuple[str, ...]:
    """Return a thing in one case: German words as they are of an object, without the endings of attributes."""
    words = words_of(text)
    if language != "de":
        return tuple(words)
    nouns = next((n for n, word in enumerate(words) if n and not word.islower()), len(words))
    attributes = [re.sub("e[nrs]?$", "", word) for word in words[1:nouns]]
    return (*in_accusative(words[:1]), *attributes, *words[nouns:])
