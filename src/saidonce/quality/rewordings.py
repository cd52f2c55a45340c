"""Alterations of a sentence that change its words, punctuation or order, but not its meaning."""

from __future__ import annotations

import re

from saidonce.quality.claims import AND_LIST
from saidonce.quality.excerpts import END, Excerpt, Maker, imperatives, listed, replaced, spliced


def _typing_error(excerpt: Excerpt) -> str | None:
    """Swap two letters inside a long word of the list, except its first and last letter."""
    words = "|".join(listed("long words"))
    hit = excerpt.one_of(list(re.finditer(rf"(?<![^\s(])(?:{words}){END}", excerpt.text)), "typing error")
    if hit is None:
        return None
    word = hit.group()
    places = [n for n in range(2, len(word) - 3) if word[n] != word[n + 1]]
    n = places[excerpt.dice.pick(len(places), "typing error", "letter", excerpt.text)]
    return spliced(excerpt.text, hit, word[:n] + word[n + 1] + word[n] + word[n + 2 :])


_IN_TURN = re.compile(
    r"\b(?:then|first|order|sequence|steps?|respectively|finally|before|after|ranked)\b", re.IGNORECASE
)


def _list_order(excerpt: Excerpt) -> str | None:
    """Swap the first two members of a list, unless it is one of steps or ranks."""
    hit = AND_LIST.search(excerpt.text)
    if hit is None or _IN_TURN.search(excerpt.text) or hit["before"] in ("and", "to"):
        return None
    # A word before the first member may belong to it alone, or to all of them.
    if any(" " in member.removeprefix("the ") for member in (hit["a"], hit["b"])):
        return None
    if hit["a"].startswith("the ") != hit["b"].startswith("the "):
        return None
    return excerpt.text[: hit.start("a")] + f"{hit['b']}, {hit['a']}" + excerpt.text[hit.end("b") :]


_MARKED = re.compile(r"`([^`\s]{2,60})`")
_IDENTIFIER = re.compile(
    r"(?<![^\s(])(?:[a-z]+(?:_[a-z0-9]+)+|--[a-z][a-z-]+|[a-z]+[a-z0-9]*\.(?:py|md|toml|yaml|json|txt|sh|go)|[a-z]+(?:[A-Z][a-z]+)+)"
    + END
)


def _code_marks(excerpt: Excerpt) -> str | None:
    """Remove or add code marks around an identifier."""
    if hit := excerpt.one_of(list(_MARKED.finditer(excerpt.text)), "code marks"):
        return spliced(excerpt.text, hit, hit.group(1))
    if "`" in excerpt.text:
        return None
    hit = excerpt.one_of(list(_IDENTIFIER.finditer(excerpt.text)), "code marks")
    return hit and spliced(excerpt.text, hit, f"`{hit.group()}`")


_BEGINS_SMALL = re.compile(r"(?:The|An?|This|These|Each|Every|All|Your|Our|No|You|We)\b")
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = rf"(?:(?:{_MONTH}) \d{{1,2}},? \d{{4}}|\d{{1,2}} (?:{_MONTH})(?: \d{{4}})?|(?:{_MONTH}) \d{{4}}|(?:19|20)\d\d)"
_DATE_LAST = re.compile(rf"(?P<main>[^,;:()]{{12,}}) (?P<date>(?:on|in|by|until|since) {_DATE})\.$")
_DATE_FIRST = re.compile(rf"(?P<date>(?:On|In|By|Until|Since) {_DATE}),? (?P<main>[^,;:()]{{12,}})\.$")
INNER_CLAUSE = re.compile(r"\b(?:that|which|who|where|what|because|if|when|how|whether)\b")
"""Words of a clause in a main clause: what stands behind it may belong to either."""

_CLAUSE_LAST = re.compile(r"(?P<main>[^,;:()]{12,}?) (?P<clause>(?:if|when|because|once|unless) [^,;:()]{8,80})\.$")


def _moved_date(excerpt: Excerpt) -> str | None:
    """Move a date from the end of a sentence to its front, or back."""
    if hit := _DATE_FIRST.match(excerpt.text):
        date, main = hit["date"], hit["main"]
        return f"{main[0].upper()}{main[1:]} {date[0].lower()}{date[1:]}."
    hit = _DATE_LAST.match(excerpt.text)
    return hit and _fronted(hit["date"], hit["main"])


def _moved_clause(excerpt: Excerpt) -> str | None:
    """Move a condition or a reason from the end of a sentence to its front."""
    hit = _CLAUSE_LAST.match(excerpt.text)
    if hit is None or re.search(
        r"\b(?:only|but)\b|\b(?:as|even|see|check|ask|know|decide|just|and|or|to)$", hit["main"]
    ):
        return None
    return _fronted(hit["clause"], hit["main"])


def _fronted(part: str, main: str) -> str | None:
    """Put a part before a main clause; None if the clause's first word cannot be lower case."""
    if INNER_CLAUSE.search(main):
        return None
    if not _BEGINS_SMALL.match(main) and not any(imperatives(main)):
        return None
    return f"{part[0].upper()}{part[1:]}, {main[0].lower()}{main[1:]}."


def _denied(excerpt: Excerpt) -> str | None:
    """Replace `not allowed` by `forbidden`, or `invalid` by `not valid` after a verb."""
    reworded = replaced(excerpt, "denials", both_ways=True)
    bare = reworded and re.search(r"(?<!is)(?<!are)(?<!was)(?<!were)(?<!be)(?<!been) not [a-z]", reworded)
    return None if bare and not re.search(r" not [a-z]", excerpt.text) else reworded


def _universal(excerpt: Excerpt) -> str | None:
    """Replace `each` by `every`, except in `each other`."""
    reworded = replaced(excerpt, "universals", both_ways=True)
    return None if reworded is None or re.search(r"\b(?:every|each) other\b", reworded) else reworded


REWORDINGS: dict[str, Maker] = {
    "typing error": _typing_error,
    "list order": _list_order,
    "code marks": _code_marks,
    "denied otherwise": _denied,
    "moved date": _moved_date,
    "moved clause": _moved_clause,
    "each and every": _universal,
}
"""Alterations of a sentence that change nothing that it says, by kind."""
