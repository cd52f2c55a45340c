"""Whoever catches everything says on that line why nothing narrower would do."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import saidonce

SOURCES = Path(saidonce.__file__).parent
BROAD = {"Exception", "BaseException"}
NOQA = re.compile(r"noqa(: *[A-Z0-9, ]+)?( - | {2,}|$)")


def broad_handlers(source: str) -> Iterator[tuple[int, str]]:
    """Each place that catches everything: its line, and the comment there."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ExceptHandler):
            kinds = [node.type] if node.type else []
            kinds = list(kinds[0].elts) if kinds and isinstance(kinds[0], ast.Tuple) else kinds
            is_broad = not kinds or any(isinstance(kind, ast.Name) and kind.id in BROAD for kind in kinds)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress"):
            is_broad = any(isinstance(kind, ast.Name) and kind.id in BROAD for kind in node.args)
        else:
            continue
        if is_broad:
            yield node.lineno, lines[node.lineno - 1].partition("#")[2].strip()


def reason(comment: str) -> str:
    """What a comment says to people."""
    return NOQA.sub("", comment).strip()


@pytest.mark.parametrize(
    ("line", "is_reasoned"),
    [
        ("except Exception:", False),
        ("except Exception as failed:  # noqa: BLE001", False),
        ("except (ValueError, Exception):", False),
        ("except:", False),
        ("except BaseException:  # noqa: BLE001  whatever ends it, the lock is given back", True),
        ("except Exception:  # each service has errors of its own", True),
        ("except ValueError:", None),
    ],
)
def test_the_rule_sees_what_it_should(line: str, is_reasoned: bool | None) -> None:
    places = list(broad_handlers(f"try:\n    pass\n{line}\n    raise\n"))
    assert [bool(reason(comment)) for _, comment in places] == ([] if is_reasoned is None else [is_reasoned])


def test_everything_that_catches_everything_says_why() -> None:
    silent = [
        f"{file.relative_to(SOURCES)}:{line}"
        for file in sorted(SOURCES.rglob("*.py"))
        for line, comment in broad_handlers(file.read_text(encoding="utf-8"))
        if len(reason(comment).split()) < 4
    ]
    assert silent == []
