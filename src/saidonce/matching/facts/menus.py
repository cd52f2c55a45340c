"""Places in a menu in words and as a path: "choose Find in the Edit menu" is `Edit > Find`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from saidonce.foundation.remembering import remembered
from saidonce.matching.facts.lexicon import language_table
from saidonce.matching.facts.written import Written

Path = tuple[str, ...]
"""Entries of menus, each in the one before it."""

_SEPARATOR = r"(?:[>\u203a\u2192\u25b8\u25b6\u27a1]|->|-&gt;|&gt;)"
_SIGNS = r">\u203a\u2192\u25b8*_`\"\u201c\u201d\u201e\u00ab\u00bb()\n"
"""What divides entries, and marks around them, as they are written in a class of a pattern."""

_OPENING = r"(?:[*_`\"\u201c\u201e\u00ab(]{1,4}[ \u00a0\u202f]?)?"
_CLOSING = r"(?:[ \u00a0\u202f]?[*_`\"\u201c\u201d\u00bb)]{1,4})?"
_INSIDE = rf"[^\s{_SIGNS}](?:[^{_SIGNS}.;:!?]{{0,38}}[^\s{_SIGNS}])?"
_OPENS = r"(?:\*\*|[*_`\"\u201c\u201e]|\u00ab[ \u00a0\u202f]?)"
_CLOSES = r"(?:\*\*|[*_`\"\u201c\u201d]|[ \u00a0\u202f]?\u00bb)"
_ENTRY = rf"(?:{_OPENS}{_INSIDE}{_CLOSES})"
_MARKED_PATH = re.compile(rf"(?:{_OPENS}|\() ?{_INSIDE}(?: ?{_SEPARATOR} ?{_INSIDE}){{1,5}} ?(?:{_CLOSES}|\))")
_PATH_OF_MARKED = re.compile(rf"{_ENTRY}(?: ?{_SEPARATOR} ?{_ENTRY}){{1,5}}")
_WORD = r"[^\W\d_a-z\u00df-\u00ff][\w'\u2019-]*"
_BARE_PATH = re.compile(rf"{_WORD}(?: {_WORD})*(?: {_SEPARATOR} {_WORD}(?: {_WORD})*){{1,5}}")
_CUT = re.compile(rf" ?{_SEPARATOR} ?")
_MARKS = re.compile(r"^[*_`\"\u201c\u201e\u00ab\s]+|[*_`\"\u201c\u201d\u00bb\s]+$")
_MENU = re.compile("men[u\u00fc\u00fa]", re.IGNORECASE)
_MOST = 8
"""Paths of two texts that are looked for."""


def with_paths(text: Written, other: str, language: str) -> Written:
    """Write a place in a menu that both texts name, in words or as a path, as one path in quotation marks."""
    named = dict.fromkeys((*_paths(text.text, language), *_paths(other, language)))
    for path in tuple(named)[:_MOST]:
        if not (_may_name(text.text, path) and _may_name(other, path)):
            continue  # no expression has to be made
        here, there = _forms(text.text, path, language), _forms(other, path, language)
        differ = here and there and [hit[0] for hit in here] != [hit[0] for hit in there]
        if differ and _end_alike(here, there):
            text = _with_path(text, other, path, language)
    return text


def _may_name(text: str, path: Path) -> bool:
    """Return whether a text has the names of all entries of a path, in letters of any case."""
    letters = _in_one_case(text)
    return all(_in_one_case(entry) in letters for entry in path)


def _in_one_case(text: str) -> str:
    """Return a text in which letters are equal that an expression takes for one in any case: "I" and "\u0131"."""
    return text.translate(_DOTS).casefold()


_DOTS = str.maketrans("\u0130\u0131", "ii")


def _forms(text: str, path: Path, language: str) -> Sequence[re.Match[str]]:
    """Return where a text names a path, time after time."""
    forms = (*_in_words(path, language), *_located(path, language), _as_a_path(path))
    return [hit for form in forms for hit in form.finditer(text)]


def _end_alike(here: Sequence[re.Match[str]], there: Sequence[re.Match[str]]) -> bool:
    """Return whether a mark shows where each path ends, or both texts go on alike: "Find", "Find and replace"."""
    if any(_goes_on_to_a_menu(hit) for hit in (*here, *there)):
        return False
    return _end_as_in(here, there) and _end_as_in(there, here)


def _end_as_in(here: Sequence[re.Match[str]], there: Sequence[re.Match[str]]) -> bool:
    goes_on = {_behind(hit) for hit in there}
    return all(
        hit[0][-1] in _END or (_behind(hit) in ("", *goes_on) and not _NAMES_MORE.match(_behind(hit))) for hit in here
    )


_NAMES_MORE = re.compile(r" (?:[^\W_]{1,3}|&) [^\W\d_a-z\u00df-\u00ff]| [^\W\d_a-z\u00df-\u00ff]")
"""What may belong to the name of an entry that no mark ends: "Find and Replace"."""


def _goes_on_to_a_menu(hit: re.Match[str]) -> bool:
    """Return whether another menu is named behind a path in its clause, so that the path may stand in that one."""
    rest = re.match(r"[^.;:!?,\n]{0,60}", hit.string[hit.end() :])
    return rest is not None and _MENU.search(rest[0]) is not None


def _behind(hit: re.Match[str]) -> str:
    """Return the two words behind a path, up to a mark."""
    words = _BEHIND.match(hit.string, hit.end())
    return words[0] if words else ""


_BEHIND = re.compile(r"(?: ?[\w'\u2019-]+){0,2}")
_END = '*_`"\u201c\u201d\u00bb)'


def _with_path(text: Written, other: str, path: Path, language: str) -> Written:
    whole = f"\u201c{' > '.join(path)}\u201d"
    model = _leading(other, path, language)

    def written(hit: re.Match[str]) -> str:
        lead, verb = hit["lead"] or "", hit.groupdict().get("verb")
        if not verb:
            return f"{lead}{whole}"
        if model and verb.casefold() in _leads(language):
            verb = model[1]
            lead = model[0] if lead else ""
        is_first = not lead and hit[0][0].isupper()
        return f"{lead}{verb[0].upper() if is_first else verb[0].lower()}{verb[1:]} {whole}"

    for form in _in_words(path, language):
        text = text.replaced(form, written)
    if at := _place(other, path, language):
        for form in _located(path, language):
            text = text.replaced(form, lambda hit: f"{hit['lead'] or ''}{at} {whole}")
    return text.replaced(_as_a_path(path), lambda _: whole)


def _place(text: str, path: Path, language: str) -> str | None:
    """Return the preposition that says that something is at a path; None without one."""
    hit = re.search(rf"(?<!\w)(?P<at>{_table(language).get('at', '(?!)')}) {_as_a_path(path).pattern}", text)
    return hit["at"] if hit else None


def _leading(text: str, path: Path, language: str) -> tuple[str, str] | None:
    """Return what joins the verb that leads to a path with what is before it, and that verb; None without one."""
    verbs = "|".join(sorted(map(re.escape, _leads(language)), key=len, reverse=True))
    lead = rf"(?P<lead>,? (?:{_table(language).get('and', '_')} )?|)"
    before = rf"{lead}(?<!\w)(?P<verb>{verbs}) (?:{_command(language)})?{_as_a_path(path).pattern}"
    hit = re.search(before, text, re.IGNORECASE) if verbs else None
    return (hit["lead"], hit["verb"]) if hit else None


@remembered(4_096)
def _paths(text: str, language: str) -> tuple[Path, ...]:
    """Return each place in a menu that a text names, once."""
    hits: list[re.Match[str]] = []
    if re.search(_SEPARATOR, text):
        hits = [hit for form in (_MARKED_PATH, _PATH_OF_MARKED) for hit in form.finditer(text)]
        hits += [
            bare
            for bare in _BARE_PATH.finditer(text)
            if not any(h.start() < bare.end() and bare.start() < h.end() for h in hits)
        ]
    paths = [tuple(_MARKS.sub("", part) for part in _CUT.split(hit[0].strip("() "))) for hit in hits]
    if _MENU.search(text):
        paths += [_entries(hit) for form in _any_words(language) for hit in form.finditer(text)]
    return tuple(dict.fromkeys(path for path in paths if all(path) and len(path) > 1))


def _entries(hit: re.Match[str]) -> Path:
    """Return the entries of a place that is named in words, the menu first."""
    groups = sorted((name, part) for name, part in hit.groupdict().items() if name[:5] == "entry" and part)
    return tuple(_MARKS.sub("", part) for part in (hit["menu"], *(part for _, part in groups)))


def _as_a_path(path: Path) -> re.Pattern[str]:
    entries = rf"{_CLOSING} ?{_SEPARATOR} ?{_OPENING}".join(map(re.escape, path))
    return re.compile(rf"{_OPENING}(?<!\w){entries}(?!\w)(?! ?{_SEPARATOR}){_CLOSING}")


def _table(language: str) -> dict[str, str]:
    table: dict[str, str] = language_table(language).get("markup", {})
    return table


@cache
def _leads(language: str) -> tuple[str, ...]:
    """Return the verbs that bid to go to a place in a menu, in small letters."""
    return tuple(_table(language).get("choose", "").split("|") + _table(language).get("opens", "").split("|"))


def _command(language: str) -> str:
    return _table(language).get("command", "(?!)")


@cache
def _any_words(language: str) -> tuple[re.Pattern[str], ...]:
    """Return the expressions for places in words whose entries stand in marks."""
    rows = (*_rows(language), *_rows(language, "located"))
    return tuple(_form(row, (_ENTRY,) * 4, language) for row in rows)


def _in_words(path: Path, language: str) -> tuple[re.Pattern[str], ...]:
    """Return the expressions for one place in words."""
    return _of_rows(path, language, "places")


_FIRST_OF_NAME = re.compile(r"[^a-z\u00df-\u00ff]")
"""How each entry begins of a place that no verb shows to be one."""


def _located(path: Path, language: str) -> tuple[re.Pattern[str], ...]:
    """Return the expressions that say that something is at one place in words."""
    return _of_rows(path, language, "located")


@lru_cache(maxsize=1_024)
def _of_rows(path: Path, language: str, name: str) -> tuple[re.Pattern[str], ...]:
    named = tuple(rf"{_OPENING}{re.escape(entry)}{_CLOSING}" for entry in path)
    is_bare = all(map(_FIRST_OF_NAME.match, path))
    rows = (
        row for row in _rows(language, name) if row.count("ENTRY") == len(path) - 1 and (is_bare or "CHOOSE" in row)
    )
    return tuple(_form(row, named, language) for row in rows)


def _rows(language: str, name: str = "places") -> Iterator[str]:
    """Yield each way to name a place in words, for one, two and three entries of the menu."""
    table = _table(language)
    for row in table.get(name, "").strip().splitlines():
        for n in range(_MOST_ENTRIES):
            if n and "MORE" not in row and "ON" not in row:
                break
            yield from _filled(row.strip(), n, table)


_MOST_ENTRIES = 3


def _filled(row: str, n: int, table: dict[str, str]) -> Iterator[str]:
    """Yield a way with n more entries: those on the way there, or those after the first."""
    if "ON" in row:
        yield row.replace("ON", table["on"] * n)
    elif "MORE" in row:
        yield row.replace("MORE", table["more"] * n)
    else:
        yield row


def _form(row: str, names: Path, language: str) -> re.Pattern[str]:
    table = _table(language)
    row = row.replace("CHOOSE", f"(?P<verb>{table['choose']})", 1).replace("MENU", f"(?P<menu>{names[0]})", 1)
    for n, name in enumerate(names[1:]):
        row = row.replace("ENTRY", f"(?:{table['command']})?(?P<entry{n}>{name})", 1)
    return re.compile(rf"(?P<lead>, )?(?<![\w-]){row}(?![\w-])", re.IGNORECASE)
