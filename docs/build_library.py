"""Write what editors and type checkers read of the library from the program; --check only compares.

- `app/setting_options.py`: the settings as typed keyword arguments of `KnowledgeBase`.
- `app/async_knowledge_base.py`: `AsyncKnowledgeBase`, each method of `KnowledgeBase` on a thread.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from saidonce.foundation.settings.policy import Settings

ROOT = Path(__file__).resolve().parents[1]
APP = ROOT / "src" / "saidonce" / "app"
SYNC = APP / "knowledge_base.py"
OPTIONS = APP / "setting_options.py"
ASYNC = APP / "async_knowledge_base.py"

LEFT_OUT = ("close", "for_org", "gate", "as_person", "context_over")
"""Written by hand in the frame, or objects whose methods `run` runs."""

NAMED = {NoneType: "None", Path: "Path | str"}

OPTIONS_HEAD = '''"""The settings as typed keyword arguments. Written by docs/build_library.py (`make reference`)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypedDict


class SettingOptions(TypedDict, total=False):
    """Settings by name; `saidonce settings` lists their values and where they come from."""

'''

ASYNC_HEAD = '''"""The knowledge base for asynchronous programs. Written by docs/build_library.py (`make reference`)."""

from __future__ import annotations

import asyncio
{imports}


class AsyncKnowledgeBase:
    """A knowledge base whose methods are awaited; each runs on a thread, and the event loop goes on.

    Use it as an asynchronous context manager. `sync` is the base behind; `run` runs anything else of it on a thread.
    A cancelled call is no longer waited for, and its thread ends by itself; what it writes is written whole or not.

    >>> async with AsyncKnowledgeBase(data_dir="./base") as kb:  # doctest: +SKIP
    ...     await kb.ingest(["./handbook"])
    ...     report = await kb.search("how long do we keep backups?")
    """

    def __init__(self, settings: Settings | None = None, **overrides: Unpack[SettingOptions]) -> None:
        """Use settings, or read them as the command line does, with overrides.

        Raises:
            SettingsError: a value is malformed or a key unknown.
        """
        self.sync = KnowledgeBase(settings, **overrides)

    @classmethod
    def of(cls, base: KnowledgeBase) -> Self:
        """Return the asynchronous form of an open base; closing one closes both."""
        awaited = cls.__new__(cls)
        awaited.sync = base
        return awaited

    def __repr__(self) -> str:
        return f"Async{{self.sync!r}}"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close everything that was opened."""
        await asyncio.to_thread(self.sync.close)

    async def run(self, call: Callable[_Args, _Result], /, *args: _Args.args, **kwargs: _Args.kwargs) -> _Result:
        """Run a function on a thread, such as `kb.sync.gate("tasks").check`; return its result."""
        return await asyncio.to_thread(call, *args, **kwargs)
'''


def options() -> str:
    """Return the module of the typed keyword arguments."""
    rows = []
    for name, field in Settings.model_fields.items():
        described = "\n    ".join(textwrap.wrap((field.description or name).strip(), 108, break_long_words=False))
        rows.append(f'    {name}: {_written(field.annotation)}\n    """{described}"""\n')
    return OPTIONS_HEAD + "".join(rows)


def _written(annotation: Any) -> str:
    """Write a type as a caller may give it: a text stands for a path and for a member of an enumeration."""
    if get_origin(annotation) in (Union, UnionType):
        return " | ".join(dict.fromkeys(_written(each) for each in get_args(annotation)))
    if get_origin(annotation) is Annotated:
        return _written(get_args(annotation)[0])
    if get_origin(annotation) is Literal:
        return f"Literal[{', '.join(repr(each) for each in get_args(annotation))}]"
    if annotation in NAMED:
        return NAMED[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return f"Literal[{', '.join(repr(str(each.value)) for each in annotation)}]"
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def asynchronous() -> str:
    """Return the module of the asynchronous base: signatures and docstrings of the other one, and its imports."""
    tree = ast.parse(SYNC.read_text(encoding="utf-8"))
    (base,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "KnowledgeBase")
    methods = [
        node
        for node in base.body
        if isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and not node.decorator_list
        and node.name not in LEFT_OUT
    ]
    bodies = "\n".join(_method(node) for node in methods)
    head = ASYNC_HEAD.format(imports=_imports(tree, bodies))
    return head + "\n" + bodies


def _method(node: ast.FunctionDef) -> str:
    arguments = ast.unparse(node.args)
    positional = [arg.arg for arg in node.args.args[1:]]
    named = [f"{arg.arg}={arg.arg}" for arg in node.args.kwonlyargs]
    call = ", ".join([f"self.sync.{node.name}", *positional, *named])
    docstring = ast.get_docstring(node, clean=False) or ""
    return (
        f"    async def {node.name}({arguments}) -> {ast.unparse(node.returns) if node.returns else 'None'}:\n"
        f'        """{docstring}"""\n        return await asyncio.to_thread({call})\n'
    )


def _imports(tree: ast.Module, bodies: str) -> str:
    """Return the imports that the methods need."""
    used = {node.id for node in ast.walk(ast.parse(f"class _:\n{bodies}")) if isinstance(node, ast.Name)}
    lines = [
        "from collections.abc import Callable",
        "from types import TracebackType",
        "from typing import ParamSpec, Self, TypeVar, Unpack",
        "from saidonce.app.knowledge_base import KnowledgeBase",
        "from saidonce.app.setting_options import SettingOptions",
        "from saidonce.foundation.settings.policy import Settings",
    ]
    constants = [
        target.id for node in tree.body if isinstance(node, ast.Assign) for target in node.targets
        if isinstance(target, ast.Name) and target.id in used
    ]  # fmt: skip
    lines += [f"from saidonce.app.knowledge_base import {name}" for name in constants]
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name).split(".")[0] in used:
                    one = type(node)(**{**vars(node), "names": [alias]})
                    lines.append(ast.unparse(one))
    return "\n".join(dict.fromkeys(lines)) + '\n\n_Args = ParamSpec("_Args")\n_Result = TypeVar("_Result")'


def formatted(content: str, name: Path) -> str:
    """Return a module as the formatter leaves it."""
    ruff = [str(Path(sys.executable).with_name("ruff"))]
    for command in (["check", "--select", "I,F401,W", "--fix", "--quiet"], ["format", "--quiet"]):
        done = subprocess.run(
            [*ruff, *command, "--stdin-filename", str(name), "-"],
            input=content,
            capture_output=True,
            text=True,
            check=True,
        )
        content = done.stdout
    return content


def main(arguments: list[str]) -> int:
    """Write both modules, or say which is out of date."""
    stale = []
    for path, content in ((OPTIONS, options()), (ASYNC, asynchronous())):
        made = formatted(content, path)
        if not path.exists() or path.read_text(encoding="utf-8") != made:
            stale.append(path.relative_to(ROOT).as_posix())
            if "--check" not in arguments:
                path.write_text(made, encoding="utf-8")
    if stale and "--check" in arguments:
        sys.stderr.write(f"out of date: {', '.join(stale)}; run 'make reference'\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
