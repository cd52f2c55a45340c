"""Find every regular expression of the program: those of modules, those of tables, and the use of each.

Modules are imported while the compiler of `re` is monitored; functions with cached patterns are called; languages are
compared; and constants are read from the sources. A call of `re` whose pattern was found in none of these ways is
reported, so that nothing is missed.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import importlib
import inspect
import io
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import saidonce

ROOT = Path(saidonce.__file__).resolve().parent
METHODS = frozenset({"match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split"})
LOOKING = frozenset({"search", "finditer", "findall", "sub", "subn", "split"})
"""Uses that begin anew at every place of a text."""
LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "zh", "ja", "ar", "ga", "und")


@dataclass(frozen=True)
class Site:
    """A call of `re` in the sources: the module's file, its first and last line, and the function that is called."""

    file: str
    line: int
    last: int
    function: str


@dataclass(frozen=True)
class Found:
    """A regular expression and where it is compiled.

    Attributes:
        uses: the methods that are called on it; all of them if that cannot be determined from the sources.
    """

    pattern: re.Pattern[Any]
    file: str
    line: int
    uses: frozenset[str] = LOOKING

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}"

    @property
    def begins_anywhere(self) -> bool:
        """Whether it is searched for, and not only matched at the beginning of a text."""
        return bool(self.uses & LOOKING)


@dataclass
class Census:
    """The expressions found, by pattern and place, and the calls whose pattern is unknown."""

    found: list[Found] = field(default_factory=list)
    unseen: list[Site] = field(default_factory=list)
    sites: int = 0


class _Watch:
    """Records the patterns that the sources compile while it is active."""

    def __init__(self) -> None:
        self.seen: dict[tuple[str, int, Any, int], re.Pattern[Any]] = {}

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """Monitor the compiler of `re`."""
        behind: Callable[..., Any] = re._compile  # type: ignore[attr-defined]

        @functools.wraps(behind)
        def compiled(pattern: Any, flags: int) -> Any:
            made_of = behind(pattern, flags)
            frame = sys._getframe(1)
            while frame.f_back and frame.f_code.co_filename == re.__file__:
                frame = frame.f_back
            if (where := Path(frame.f_code.co_filename)).is_relative_to(ROOT):
                self.seen[str(where.relative_to(ROOT)), frame.f_lineno, made_of.pattern, made_of.flags] = made_of
            return made_of

        re._compile = compiled  # type: ignore[attr-defined]
        try:
            yield
        finally:
            re._compile = behind  # type: ignore[attr-defined]


def census() -> Census:
    """Collect all regular expressions of the package; run it before anything else imports its modules."""
    watch, modules = _Watch(), []
    with watch.on():
        for info in pkgutil.walk_packages([str(ROOT)], "saidonce."):
            if not info.name.endswith("__main__"):
                with contextlib.suppress(ImportError):
                    modules.append(importlib.import_module(info.name))
        for module in modules:
            _call_what_keeps(module)
        _use()
        for site, (node, _, _) in (sites := dict(_sites())).items():
            _evaluate(site, node)
    return _joined(watch, sites)


def _call_what_keeps(module: ModuleType) -> None:
    """Call the cached functions of a module that compiles patterns."""
    if "re.compile" not in _source(module):
        return
    for function in list(vars(module).values()):
        if not hasattr(function, "cache_info") or getattr(function, "__module__", "") != module.__name__:
            continue
        function.cache_clear()
        needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
        for words in [()] if not needed else [(language,) for language in LANGUAGES]:
            if len(words) == len(needed):
                with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
                    function(*words)


def _source(module: ModuleType) -> str:
    try:
        return inspect.getsource(module)
    except (OSError, TypeError):
        return ""


def _use() -> None:
    """Compile the patterns of tables that are cached by their arguments."""
    from saidonce.matching.facts.compare import compare
    from saidonce.repairs.conversation.emergency import find_dangers, named_pack
    from saidonce.repairs.conversation.foreign_dangers import find_foreign
    from saidonce.repairs.conversation.problems import without
    from saidonce.repairs.conversation.slots import is_quoted

    for language in LANGUAGES:
        compare("The boiler is checked each May by Ms Boll.", "Ms Boll checks the 2 boilers in May.", language)
    for pack in ("uk", "us", "eu-en"):
        find_dangers(named_pack(pack), "I smell gas")
    find_foreign("es riecht nach gas")
    without("the tap drips, the lamp is dark", ["the lamp is dark"])
    is_quoted("the tap drips", ["well, the tap drips"])


class _Word(str):
    """A placeholder for a word of a text, or for a match whose parts are words."""

    __slots__ = ()

    pattern = "abc"

    def __getitem__(self, _key: object) -> str:
        return "abc"

    def group(self, *_keys: object) -> str:
        """Return a part of the match."""
        return "abc"


class _StandIns(dict[str, object]):
    """The locals of a function, as patterns use them: a language, and words."""

    def __init__(self, module: ModuleType) -> None:
        super().__init__(language="en", s=_Word("abc"))
        self._known = vars(module).keys() | vars(builtins).keys()

    def __missing__(self, name: str) -> object:
        if name in self._known:
            raise KeyError(name)
        return _Word("abc")


def _evaluate(site: Site, node: ast.Call) -> None:
    """Compile the pattern of a call inside a function, with words in place of its arguments."""
    module = sys.modules.get("saidonce." + site.file.removesuffix(".py").replace("/", "."))
    if module is None:
        return
    pattern = ast.Expression(node.args[0])
    with contextlib.suppress(Exception):
        text = eval(compile(pattern, site.file, "eval"), vars(module), _StandIns(module))
        text = text.pattern if isinstance(text, re.Pattern) else str(text) if isinstance(text, str) else text
        if isinstance(text, str | bytes):
            code = "\n" * (site.line - 1) + f"re.compile(text, {_flags(node)})"
            exec(compile(code, str(ROOT / site.file), "exec"), {"re": re, "text": text})


def _sites() -> Iterator[tuple[Site, tuple[ast.Call, str | bytes | None, frozenset[str]]]]:
    """Yield the calls of `re` in the sources, with their patterns where they are constants, and their uses."""
    for path in sorted(ROOT.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        uses = _uses_by_name(tree)
        names = {id(c): n for n, c in _named_calls(tree)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not _is_re(node.func):
                continue
            assert isinstance(node.func, ast.Attribute)
            function = node.func.attr
            if function not in METHODS | {"compile"} or not node.args:
                continue
            first = node.args[0]
            constant = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str | bytes) else None
            used = frozenset({function}) if function in METHODS else uses.get(names.get(id(node), ""), LOOKING)
            file = str(path.relative_to(ROOT))
            yield Site(file, node.lineno, node.end_lineno or node.lineno, function), (node, constant, used)


def _is_re(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "re"


def _named_calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name):
                yield target.id, node.value


def _uses_by_name(tree: ast.Module) -> dict[str, frozenset[str]]:
    """Return the methods called on each name that starts with an underscore; names used otherwise are left out."""
    called: dict[str, set[str]] = {}
    loads: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            loads[node.id] = loads.get(node.id, 0) + 1
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in METHODS:
            called.setdefault(node.value.id, set()).add(node.attr)
            loads[node.value.id] = loads.get(node.value.id, 0) - 1
    return {n: frozenset(m) for n, m in called.items() if n.startswith("_") and loads.get(n, 0) == 0}


def _joined(watch: _Watch, sites: dict[Site, tuple[ast.Call, str | bytes | None, frozenset[str]]]) -> Census:
    result = Census(sites=len(sites))
    found: dict[tuple[str, Any, int], Found] = {}
    by_file: dict[str, list[Site]] = {}
    for site in sites:
        by_file.setdefault(site.file, []).append(site)
    seen_sites = set()
    for (file, line, text, flags), pattern in watch.seen.items():
        inside = [s for s in by_file.get(file, []) if s.line <= line <= s.last]
        closest = min(inside, key=lambda s: s.last - s.line, default=None)
        uses = sites[closest][2] if closest else LOOKING
        seen_sites.update(inside)
        _add(found, (file, text, flags), Found(pattern, file, line, uses))
    for site, (node, constant, uses) in sites.items():
        if site in seen_sites:
            continue
        if constant is None:
            result.unseen.append(site)
            continue
        pattern = re.compile(constant, _flags(node))
        _add(found, (site.file, pattern.pattern, pattern.flags), Found(pattern, site.file, site.line, uses))
    result.found = sorted(found.values(), key=lambda f: (f.file, f.line))
    return result


def _add(found: dict[tuple[str, Any, int], Found], key: tuple[str, Any, int], one: Found) -> None:
    before = found.get(key)
    found[key] = one if before is None else Found(one.pattern, one.file, before.line, before.uses | one.uses)


def _flags(node: ast.Call) -> int:
    """Read the flags of a call; names not of `re` count as none."""
    total = 0
    for value in [*node.args[1:], *(k.value for k in node.keywords if k.arg == "flags")]:
        for part in ast.walk(value):
            if isinstance(part, ast.Attribute) and isinstance(flag := getattr(re, part.attr, None), re.RegexFlag):
                total |= int(flag)
    return total
