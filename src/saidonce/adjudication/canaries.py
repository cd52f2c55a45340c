"""Canaries: pairs with known answers, hidden among the cases of a prompt."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from saidonce.adjudication.prompt import Exhibit, mark
from saidonce.foundation.model import Opinion


@dataclass(frozen=True, slots=True)
class Canary:
    """Two texts with fields, and the right opinion on them."""

    opinion: Opinion
    candidate: Exhibit
    kept: Exhibit


@cache
def canaries() -> tuple[Canary, ...]:
    """Read the pairs that come with the package."""
    rows = tomllib.loads(written())["pair"]
    return tuple(Canary(Opinion(row["opinion"]), _exhibit(row["candidate"]), _exhibit(row["kept"])) for row in rows)


def written() -> str:
    """Return the text of the canary file; it is part of a prompt's version."""
    return files("saidonce.adjudication").joinpath("canaries.toml").read_text(encoding="utf-8")


def _exhibit(side: dict[str, str]) -> Exhibit:
    fields = "\n".join(f"{name}: {value}" for name, value in side.items() if name != "text")
    return Exhibit("", fields, side["text"])


def hidden(secret: bytes, nonce: str, n_each: int) -> list[Canary]:
    """Choose `n_each` known duplicates and as many known distinct pairs for one prompt.

    The nonce determines choice and order. If the file has fewer, all are taken.
    """
    chosen: list[tuple[str, Canary]] = []
    for opinion in (Opinion.DUPLICATE, Opinion.DISTINCT):
        kind = [(mark(secret, nonce, "canary", opinion, str(n)), c) for n, c in enumerate(canaries())
                if c.opinion is opinion]  # fmt: skip
        chosen += sorted(kind, key=lambda one: one[0])[:n_each]
    return [canary for _, canary in sorted(chosen, key=lambda one: one[0])]
