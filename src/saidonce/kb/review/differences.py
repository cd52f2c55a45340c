"""How the two texts of an open pair differ, in one word: what the queue is grouped by and rules are about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from saidonce.foundation.capitals import acronyms
from saidonce.foundation.model import UNKNOWN_LANGUAGE, Differs, FactKind
from saidonce.matching.agreement import Accord, Agreement
from saidonce.matching.facts import known_words, word_list

LABELS: Mapping[Differs, str] = {
    Differs.SAME: "say the same",
    Differs.MORE: "one says more",
    Differs.WORDING: "other words, not shown to say the same",
    Differs.NAME: "other commands or names",
    Differs.VERSION: "other versions",
    Differs.NUMBER: "other numbers or amounts",
    Differs.DATE: "other dates or times",
    Differs.DENIAL: "one negates what the other says",
    Differs.DEGREE: "must or may, all or some",
    Differs.ROLE: "who does what, or in which order",
    Differs.SHAPE: "another kind of text, language, table or heading",
    Differs.DECIDED: "a text of one was kept apart from the other",
    Differs.SEVERAL: "several facts differ",
}
"""What people read for each."""

_KINDS: Mapping[FactKind, str] = {
    FactKind.TERM: "word",
    FactKind.ROLE: "order or role",
    FactKind.MODALITY: "must or may",
    FactKind.QUANTIFIER: "all or some",
    FactKind.FREQUENCY: "how often",
    FactKind.KIND: "kind of text",
    FactKind.TABLE_SHAPE: "row or column",
    FactKind.SECTION_ROLE: "part of the document",
    FactKind.RECOGNISED: "read or heard",
}
"""What people read for kinds of facts, in a line of text, whose own names say too little."""

CONTRADICTING = frozenset(Differs) - {Differs.SAME, Differs.MORE, Differs.WORDING}
"""Differences in which the texts state different things."""

SHOWN = frozenset((Differs.SAME, Differs.MORE))
"""Differences in which it is shown that all that one text states stands in the other."""

MOST_CHANGED = 4
"""Words of a text that one change replaces, or puts in their place."""

MOST_CHANGES = 3
"""Changes that together count as one, if all pairs have all of them."""

LONGEST_CHANGE = 120
"""Letters of both sides of a change; a longer one has no name that people read."""

_WORD = re.compile(r"\s*\S+")
"""A word with the space in front of it."""

_AROUND = frozenset("()[]{}<>\"'`,.;:!?*_\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb\u2026")
"""Signs around a word that are no part of it; "-s" is an option, and "s" is none."""

_OF_ONE_THING = frozenset((Differs.SAME, Differs.WORDING, Differs.NAME, Differs.VERSION))
"""Differences between texts that say of one thing the same, or call it otherwise."""

_OF_COMMANDS = re.compile(r"--?[^\W\d_][\w-]*|[$>]")
"""An option, or the prompt in front of a command; "#" may make a comment of it."""

_LABELS_END = (":", "=", "|", "\uff1a")
"""How a label ends, or a cell of a table, in front of a value."""

_NOUNS_HAVE_CAPITALS = frozenset(("de", "lb", UNKNOWN_LANGUAGE))
"""Languages in which a capital says that a word is a noun; one that is not known may be one of them."""

_JOINS = "-/'\u2019"
"""Signs between two ordinary words: "read/write", "part-time"."""

_JOINT = re.compile(f"[{re.escape(_JOINS)}]")

RULABLE = CONTRADICTING - {Differs.DECIDED, Differs.SEVERAL}
"""Differences that a rule may be about: of one sort, and with a fact on each side that can be shown."""

_CLASSES: Mapping[FactKind, Differs] = {
    FactKind.NUMBER: Differs.NUMBER,
    FactKind.UNIT: Differs.NUMBER,
    FactKind.AMOUNT: Differs.NUMBER,
    FactKind.DATE: Differs.DATE,
    FactKind.FREQUENCY: Differs.DATE,
    FactKind.VERSION: Differs.VERSION,
    FactKind.IDENTIFIER: Differs.NAME,
    FactKind.NAME: Differs.NAME,
    FactKind.TERM: Differs.NAME,
    FactKind.NEGATION: Differs.DENIAL,
    FactKind.OPPOSITE: Differs.DENIAL,
    FactKind.TENSE: Differs.DATE,
    FactKind.MODALITY: Differs.DEGREE,
    FactKind.QUANTIFIER: Differs.DEGREE,
    FactKind.ROLE: Differs.ROLE,
    FactKind.KIND: Differs.SHAPE,
    FactKind.LANGUAGE: Differs.SHAPE,
    FactKind.TABLE_SHAPE: Differs.SHAPE,
    FactKind.SECTION_ROLE: Differs.SHAPE,
    FactKind.HEADING: Differs.SHAPE,
    FactKind.SPEAKER: Differs.NAME,
    FactKind.DECISION: Differs.DECIDED,
}


def kind_in_words(kind: FactKind) -> str:
    """Return what people read in a line of text, in front of both sides, for the kind of fact that differs."""
    return _KINDS.get(kind, kind.value)


def differs_by(accord: Accord) -> Differs:
    """Return how two texts differ, as their comparison has it."""
    match accord.agreement:
        case Agreement.SAME:
            return Differs.SAME
        case Agreement.REPEATS_A | Agreement.REPEATS_B:
            return Differs.MORE
        case Agreement.OPEN:
            return Differs.WORDING
        case Agreement.OBJECTED:
            # That a program read or heard a text says nothing about what differs.
            classes = {_CLASSES[o.kind] for o in accord.objections if o.kind is not FactKind.RECOGNISED}
            return classes.pop() if len(classes) == 1 else Differs.SEVERAL if classes else Differs.WORDING


def one_change(a: str, b: str) -> str:
    """Return the one change that makes a text of another, such as "release-7 -> release-8"; empty if there are more.

    The same few words were replaced by the same others wherever the texts differ; signs around both are left out. Of
    words that were added or left out the one before them is named, too: "the -> the TLS". Between all other words both
    have the same space. Up to three such changes count as one if they are all that differs: "a -> b; c -> d".
    """
    mine, theirs = _WORD.findall(a), _WORD.findall(b)
    changes = {_change((mine, i, n), (theirs, k, m)) for i, n, k, m in _replacements(mine, theirs)}
    if not changes:
        return ""
    change = "; ".join(f"{before} -> {after}" for before, after in sorted(changes))
    are_named = all(any(map(str.isalnum, before)) == any(map(str.isalnum, after)) for before, after in changes)
    return change if are_named and len(change) <= LONGEST_CHANGE else ""


def is_of_one_thing(differs: Differs, a: str, b: str, language: str = "") -> bool:
    """Return whether the one change between two texts is to what something is called, and so is one everywhere.

    A value, a date or a denial may be right in one place and wrong in the next, and so may what stands behind a label
    ("Default: red") or a form of "be" ("the owner is Jo"), and a statement that was added. Of other words that were
    replaced one is a name by its form: it has a capital, a figure or a sign. Only options of a command and its prompt
    are added or left out everywhere.

    Args:
        differs: how the texts differ, as a whole.
        a: one text.
        b: the other one.
        language: of both, as a tag; in German each noun has a capital, which makes no name of it, and so it may be
            where the language is not known.
    """
    mine, theirs = _WORD.findall(a), _WORD.findall(b)
    replaced = _replacements(mine, theirs) if differs in _OF_ONE_THING else []
    before = [words[at - 1] for i, _, k, _ in replaced for words, at in ((mine, i), (theirs, k)) if at]
    needs_form = differs is Differs.WORDING or (differs is Differs.NAME and language in _NOUNS_HAVE_CAPITALS)
    return (
        bool(replaced)
        and not any(_leads_to_value(word, language) for word in before)
        and all(
            _is_of_commands((*mine[i : i + n], *theirs[k : k + m]))
            if not n or not m
            else not needs_form or _has_name(mine, i, n, language) or _has_name(theirs, k, m, language)
            for i, n, k, m in replaced
        )
    )


def versions_behind(differs: Differs, a: str, b: str) -> frozenset[tuple[str, ...]]:
    """Return the two words in front of each version that was replaced by another one; nothing for other differences.

    "Since release 2.4" and "requires release 2.4" state two things of it.
    """
    mine, theirs = _WORD.findall(a), _WORD.findall(b)
    replaced = _replacements(mine, theirs) if differs is Differs.VERSION else []
    return frozenset(tuple(_bare(word).casefold() for word in mine[max(0, i - 2) : i]) for i, _, _, _ in replaced)


def _leads_to_value(word: str, language: str) -> bool:
    return word.endswith(_LABELS_END) or _bare(word).casefold() in word_list(language, "copulas")


def _is_of_commands(words: Sequence[str]) -> bool:
    return all(_OF_COMMANDS.fullmatch(word.strip()) for word in words)


def _has_name(words: Sequence[str], at: int, n: int, language: str) -> bool:
    """Return whether one of some words of a text has the form of a name; each sentence begins with a capital."""
    named = [_bare(word) for word in words[at : at + n]]
    if at == 0 or words[at - 1].endswith((".", "!", "?")):
        named[0] = named[0][:1].casefold() + named[0][1:]
    return any(_is_name(word, language) for word in named)


def _is_name(word: str, language: str) -> bool:
    """Return whether a word has a figure, a sign, or a capital that says something.

    A hyphen, a stroke or an apostrophe joins ordinary words, too, capitals throughout may lay stress on one, and where
    all nouns have one, only a capital inside a word makes a name of it.
    """
    if any(not c.isalpha() and c not in _JOINS for c in word) or word.startswith(("-", "/")):
        return True
    parts = [part for part in _JOINT.split(word) if part]
    if language in _NOUNS_HAVE_CAPITALS:
        return any(part != part.upper() and part[1:] != part[1:].lower() for part in parts)
    return any(part != part.lower() and not _is_stressed(part) for part in parts)


def _is_stressed(word: str) -> bool:
    small = word.casefold()
    return len(word) > 1 and word.isupper() and small in known_words() and small not in acronyms()


def _bare(word: str) -> str:
    return word.strip().strip("".join(_AROUND))


def _replacements(mine: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Return which words others replace, each side by its place and number.

    Nothing where that is unclear, or where there are more changes than count as one: the rest is not read.
    """
    i = k = 0
    most = MOST_CHANGED + 2
    replaced = []
    changes = set()
    while i < len(mine) or k < len(theirs):
        if mine[i : i + 1] == theirs[k : k + 1]:
            i, k = i + 1, k + 1
            continue
        n, m = _replaced(mine[i : i + most], theirs[k : k + most])
        if not n + m:
            return []
        replaced.append((i, n, k, m))
        changes.add(_change((mine, i, n), (theirs, k, m)))
        if len(changes) > MOST_CHANGES:
            return []
        i, k = i + n + 1, k + m + 1
    return replaced


def _replaced(mine: Sequence[str], theirs: Sequence[str]) -> tuple[int, int]:
    """Return how many words were replaced by how many, where two texts begin to differ; no words where it is unclear.

    None of the words is one of the others, and behind them both have the same two words, or end.
    """
    sizes = [(n, total - n) for total in range(1, 2 * MOST_CHANGED + 1) for n in range(total + 1)]
    fitting = (size for size in sizes if max(size) <= MOST_CHANGED and size[0] <= len(mine) and size[1] <= len(theirs))
    return next(((n, m) for n, m in fitting if _is_change(mine[: n + 2], n, theirs[: m + 2], m)), (0, 0))


def _is_change(mine: Sequence[str], n: int, theirs: Sequence[str], m: int) -> bool:
    one, other = ([word.strip() for word in words] for words in (mine, theirs))
    if one[n : n + 1] != other[m : m + 1] or mine[n + 1 :] != theirs[m + 1 :] or set(one[:n]) & set(other[:m]):
        return False
    return not n or not m or mine[0].removesuffix(one[0]) == theirs[0].removesuffix(other[0])


def _change(mine: tuple[Sequence[str], int, int], theirs: tuple[Sequence[str], int, int]) -> tuple[str, str]:
    """Return the words replaced, each of a text from a place on, with the one before or behind where one has none."""
    has_both = bool(mine[2] and theirs[2])
    is_first = mine[1] == 0 or theirs[1] == 0
    before, after = (
        " ".join("".join(words[at - (not has_both and not is_first) : at + n + (not has_both and is_first)]).split())
        for words, at, n in (mine, theirs)
    )
    while before[:1] == after[:1] and len(before) > 1 < len(after) and before[0] in _AROUND:
        before, after = before[1:], after[1:]
    while before[-1:] == after[-1:] and len(before) > 1 < len(after) and before[-1] in _AROUND:
        before, after = before[:-1], after[:-1]
    return before, after


def likeness(accord: Accord, similarity: float) -> float:
    """Return how likely two texts say the same: a whole number for their agreement, and below it the finer order.

    Pairs that say the same come before repeats, these before open ones, contradicted ones last; among equals the
    judge's lowest score decides where it was asked, their similarity where it was not.

    Args:
        accord: of the two texts.
        similarity: 0..1.
    """
    ranks = {Agreement.SAME: 3, Agreement.REPEATS_A: 2, Agreement.REPEATS_B: 2, Agreement.OPEN: 1}
    scores = [answer.score for _, answer in accord.judged]
    fine = min(scores) if scores else similarity
    return round(ranks.get(accord.agreement, 0) + min(max(fine, 0.0), 0.999999), 6)
