"""Alterations of a sentence that change its claim by a small word, a part of a name, or a position.

Each once counted as a repeat by similarity, since no table lists it as a value: see the kinds in `contrast.toml`.
"""

from __future__ import annotations

import re

from saidonce.quality.excerpts import END, Excerpt, Maker, articled, listed, pairs_of, replaced, spliced, without

# --- parts of names, places and code --------------------------------------------------------------

_CHANNEL = re.compile(r"(?<![^\s(`'\"])#(?P<name>[a-z][a-z0-9]+(?:[-_][a-z0-9]+)*)(?=[\s,;:)`'\"]|[.?!](?:\s|$)|$)")
_COLOUR = re.compile(r"(?:[0-9a-f]{3}){1,2}$")


def _channel(excerpt: Excerpt) -> str | None:
    hit = excerpt.one_of([m for m in _CHANNEL.finditer(excerpt.text) if not _COLOUR.match(m["name"])], "channel name")
    return hit and spliced(excerpt.text, hit, f"#{excerpt.word_of(listed('channels'), 'channel name')}")


_PATH = re.compile(
    r"(?<![^\s(`'\"<])(?:https?:/|~|\.{1,2})?(?:[\w.@-]+)?/(?:[\w.@{}-]+/)*(?P<end>[\w@-]*\w)(?P<dot>\.\w+)?"
    r"(?=[\s,;:)>`'\"]|\.(?:\s|$)|$)"
)


def _path_end(excerpt: Excerpt) -> str | None:
    """Change the last part of a path; a choice of words (and/or) is left unchanged."""
    hits = [m for m in _PATH.finditer(excerpt.text) if m.group().count("/") > 1 or m.group()[0] in "/~.h"]
    hit = excerpt.one_of([m for m in hits if not re.fullmatch(r"[a-z]+/[a-z]+", m.group())], "path end")
    if hit is None:
        return None
    old = hit["end"]
    versioned = re.fullmatch(r"v\d+", old)
    new = f"{old}beta1" if versioned else dict(_path_ends()).get(old, f"{old}-old")
    return excerpt.text[: hit.start("end")] + new + excerpt.text[hit.end("end") :]


def _path_ends() -> list[tuple[str, str]]:
    return [pair for one, two in pairs_of("path ends") for pair in ((one, two), (two, one))]


def _numbered_place(excerpt: Excerpt) -> str | None:
    places = "|".join(listed("places"))
    hits = re.finditer(rf"\b(?:{places}) (?P<n>\d{{1,4}})(?![\w/%-]|[.,:]\d)", excerpt.text, re.IGNORECASE)
    hit = excerpt.one_of(list(hits), "numbered place")
    return hit and excerpt.text[: hit.end("n")] + "b" + excerpt.text[hit.end("n") :]


_CODE = re.compile(r"`(?P<code>[^`\n]{2,80})`")
_FILE = re.compile(r"(?P<stem>[A-Za-z][\w-]*)\.(?P<end>[a-z][a-z0-9]{1,4})$")
_CALL = re.compile(r"(?P<open>[\w.]+\()(?P<inner>[^()]*)\)$")


def _code(excerpt: Excerpt) -> str | None:
    """Change text in code marks: another file, or one more argument of a call or a command."""
    hit = excerpt.one_of(list(_CODE.finditer(excerpt.text)), "code")
    if hit is None:
        return None
    code = hit["code"]
    if call := _CALL.search(code):
        inner = f"{call['inner']}, 2" if call["inner"].strip() else "2"
        new = code[: call.start()] + f"{call['open']}{inner})"
    elif file := _FILE.search(code):
        new = code[: file.start("stem")] + f"{file['stem']}-old.{file['end']}"
    elif re.fullmatch(r"[a-z][\w.-]*(?: [\w./:=@-]+)+", code):
        new = f"{code} {excerpt.word_of(listed('arguments'), 'code')}"
    else:
        return None
    return spliced(excerpt.text, hit, f"`{new}`")


# --- small words ----------------------------------------------------------------------------------

_SPAN = r"(?= (?:[\w-]+ ){0,2}(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b)"
_WITHIN = re.compile(rf"\b[Ww]ithin{_SPAN}")
_ASKED = re.compile(
    r"\b(?:as|even|see|check|checks|ask|asks|know|verify|determine|decide|whether|wonder|tell|what) $", re.IGNORECASE
)


def _condition(excerpt: Excerpt) -> str | None:
    """Change a conjunction of time or condition."""
    if hit := _WITHIN.search(excerpt.text):
        return spliced(excerpt.text, hit, "After" if hit.group()[0] == "W" else "after")
    hit = re.search(rf"\bif{END}", excerpt.text[:1].lower() + excerpt.text[1:])
    if hit and not _ASKED.search(excerpt.text[: hit.start()]) and not excerpt.text.startswith("or not", hit.end() + 1):
        return spliced(excerpt.text, hit, "Unless" if hit.start() == 0 else "unless")
    return replaced(excerpt, "conditions")


def _hedge(excerpt: Excerpt) -> str | None:
    """Remove a word such as `usually`, or insert one after the verb."""
    hedges = listed("hedges")
    if hit := re.search(rf"\b(?:{'|'.join(hedges)}) (?=[a-z])", excerpt.text, re.IGNORECASE):
        return without(excerpt.text, hit)
    hits = re.finditer(r"\b(?:is|are|was|were|can be|will be) (?=(?!not\b|only\b|usually\b)[a-z]+ed\b)", excerpt.text)
    hit = excerpt.one_of(list(hits), "hedge")
    return hit and spliced(excerpt.text, hit, f"{hit.group()}{excerpt.word_of(hedges, 'hedge')} ")


_VERB = r"(?P<verb>can|may|must|will|should|is|are)"
_NOBODY = "There|It|This|That|These|Those|If|Since|When|As"
_WHOSE = rf"(?!(?:{_NOBODY}) )(?P<who>(?:The |An? |Each |Every )?[A-Za-z][\w-]*(?: [a-z][\w-]*)?)"
_ONLY_VERB = re.compile(rf"{_WHOSE} {_VERB} only ")
_ONLY_WHO = re.compile(rf"Only (?P<who>(?:the |an? )?[A-Za-z][\w-]*(?: [a-z][\w-]*)?) {_VERB} (?!not )")


def _only(excerpt: Excerpt) -> str | None:
    """Move `only` from the action to its agent, or back."""
    text = excerpt.text
    if hit := _ONLY_VERB.match(text):
        who = hit["who"]
        who = (
            who[0].lower() + who[1:]
            if re.match(r"(?:The|An?|Each|Every) |[A-Z][a-z]+s$|(?:We|You|They|He|She)\b", who)
            else who
        )
        return f"Only {who} {hit['verb']} {text[hit.end() :]}"
    if hit := _ONLY_WHO.match(text):
        return f"{hit['who'][0].upper()}{hit['who'][1:]} {hit['verb']} only {text[hit.end() :]}"
    return None


def _person(excerpt: Excerpt) -> str | None:
    """Swap reader and writer: `you must` / `we must`, `your` / `our`."""
    return replaced(excerpt, "persons", both_ways=True)


# --- who and what ---------------------------------------------------------------------------------

_ITEM = r"(?:the |The )?[\w-]+(?: [a-z][\w-]+)?"
_BEFORE = "of|for|with|including|as|by|in|from|to|and|on|are|include|includes|need|needs|contains|use|covers"
AND_LIST = re.compile(
    rf"\b(?P<before>{_BEFORE}) (?P<a>{_ITEM}), (?P<b>{_ITEM}),? (?P<and>and|or) (?P<c>[\w-]+)"
    r"(?=[.;,)]| (?:in|on|at|for|to|by|when|if)\b)"
)
"""A list of three in a sentence, with the word before it."""


def _one_member_more(excerpt: Excerpt) -> str | None:
    hit = AND_LIST.search(excerpt.text)
    if hit is None:
        return None
    return (
        excerpt.text[: hit.end("b")] + f", {excerpt.word_of(listed('members'), 'list')}" + excerpt.text[hit.end("b") :]
    )


def one_member_less(sentence: str) -> str | None:
    """Remove the second member of a list of three: the original then says more, not less."""
    hit = AND_LIST.search(sentence)
    return hit and sentence[: hit.end("a")] + f" {hit['and']} " + sentence[hit.start("c") :]


def _modifier(excerpt: Excerpt) -> str | None:
    """Insert a restricting modifier before a noun."""
    nouns = "|".join(listed("nouns"))
    hits = re.finditer(
        rf"\b(?:[Tt]he|[Aa]n?|[Ee]very|[Ee]ach|[Aa]ny|[Aa]ll|[Yy]our|[Oo]ur) (?P<noun>(?:{nouns})s?)\b", excerpt.text
    )
    hit = excerpt.one_of(list(hits), "modifier")
    if hit is None:
        return None
    at = hit.start("noun")
    new = excerpt.word_of(listed("modifiers"), "modifier")
    return articled(f"{excerpt.text[:at]}{new} {excerpt.text[at:]}", at)


_PARTY = r"(?:[Tt]he [a-z]{3,}|[A-Z][a-z]{2,}|[a-z]{3,}s)"
_PARTIES = re.compile(
    rf"(?:^|(?<= )){_PARTY} and (?P<b>{_PARTY})(?P<mid> (?!and\b)[a-z]+(?: [a-z]+)? (?:to|with|from|for|by|into) )"
    rf"(?P<c>{_PARTY})(?=[.,;]| (?:and|or|in|on|at|by|when|if|before|after|within)\b)"
)


def _parties(excerpt: Excerpt) -> str | None:
    """Regroup three parties: `A and B report to C` / `A and C report to B`."""
    for hit in _PARTIES.finditer(excerpt.text):
        b, c = hit["b"], hit["c"]
        if b != c and _shape(b) == _shape(c):
            return excerpt.text[: hit.start("b")] + c + hit["mid"] + b + excerpt.text[hit.end("c") :]
    return None


def _shape(party: str) -> str:
    return "article" if party[:4].lower() == "the " else "name" if party[0].isupper() else "plural"


CLAIMS: dict[str, Maker] = {
    "channel name": _channel,
    "path end": _path_end,
    "numbered place": _numbered_place,
    "code": _code,
    "condition": _condition,
    "hedge": _hedge,
    "share": lambda excerpt: replaced(excerpt, "shares"),
    "tense": lambda excerpt: replaced(excerpt, "tenses"),
    "negating prefix": lambda excerpt: replaced(excerpt, "prefixes", both_ways=True),
    "member added": _one_member_more,
    "modifier": _modifier,
    "parties": _parties,
    "only": _only,
    "agents": lambda excerpt: replaced(excerpt, "agents", both_ways=True),
    "person": _person,
}
"""Alterations of a sentence that change a claim, by kind."""
