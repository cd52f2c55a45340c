"""Plug-ins of third parties: found by their entry points, loaded when they are needed.

A kind of plug-in has one dict of what is built in, and one group of entry points (`saidonce.formats`,
`saidonce.embedders`, `saidonce.adjudicators`, `saidonce.channels`) that adds to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, TypeVar

from saidonce.errors import PluginError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
"""How a plug-in may be called: it stands in settings, addresses and records."""

T = TypeVar("T")


def find(group: str, taken: Collection[str]) -> dict[str, EntryPoint]:
    """Return the installed plug-ins of a group, by name and in the order of names; none of them is loaded.

    Args:
        group: of the entry points.
        taken: names that are built in.

    Raises:
        PluginError: a name is malformed or built in, or two packages use the same one.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415  only where plug-ins are looked for

    points: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=group), key=lambda p: (p.name, package_of(p), p.value)):
        if not NAME.fullmatch(point.name):
            raise refusal(point, "needs a name of at most 40 lower-case letters, digits and hyphens")
        if point.name in taken:
            raise refusal(point, "has the name of a built-in one; uninstall it, or have it renamed")
        other = points.setdefault(point.name, point)
        if other is not point:
            raise refusal(
                point, f"has the same name as another plug-in, installed with {package_of(other)}; uninstall one"
            )
    return points


def load(point: EntryPoint, flaw: Callable[[Any], str], expected: type[T] | None = None) -> T:
    """Return what an entry point names.

    Args:
        point: as `find` returns it.
        flaw: says what is wrong with what was loaded, as the end of a sentence; empty if nothing is.
        expected: the type, where a class and not a protocol is expected.

    Raises:
        PluginError: it cannot be imported, or is not what it should be.
    """
    try:
        plugin: T = point.load()
    except Exception as failed:  # the code of others runs when it is imported, and may raise anything
        raise refusal(point, f"cannot be loaded: {type(failed).__name__}: {_line(failed)}") from failed
    if expected is not None and not isinstance(plugin, expected):
        raise refusal(point, f"is a {type(plugin).__name__}, not a {expected.__module__}.{expected.__qualname__}")
    if reason := flaw(plugin):
        raise refusal(point, reason)
    return plugin


def refusal(point: EntryPoint, reason: str) -> PluginError:
    """Return the error that refuses a plug-in; the reason ends a sentence that begins with its name."""
    return PluginError(point.group, point.name, package_of(point), reason)


def package_of(point: EntryPoint) -> str:
    """Return the distribution that an entry point was installed with, such as "saidonce-odt 1.0"."""
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else "an unknown package"


def not_callable(plugin: object) -> str:
    """Return what is wrong with a plug-in that should be a function; empty if nothing is."""
    return "" if callable(plugin) else f"is a {type(plugin).__name__}, not a function"


def _line(failed: Exception) -> str:
    return " ".join(str(failed).split())[:200]
