"""Room: answers about texts that are remembered in bounded memory, whatever the length of the texts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import ParamSpec, TypeVar

LONG, HUGE = 2_000, 20_000
"""Characters beyond which a text counts as long, and as huge."""

LONG_SHARE, HUGE_SHARE = 16, 128
"""How many times fewer answers about long and huge texts are kept: what is read in a text takes some 45 bytes a
character, so that 32 huge texts of 100,000 characters take 150 MB, and 4,096 of them would take 18 GB."""

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")


def remembered(n: int) -> Callable[[Callable[_Asked, _Answer]], Callable[_Asked, _Answer]]:
    """Remember the answers of a function of texts: n about short ones, and the fewer the longer the longest text is.

    Two texts that are compared ask for some 300 answers, nearly all of them known. So an answer is looked up before any
    text is measured, and is not noted as asked for: what was answered first is forgotten first.

    Args:
        n: answers about texts of up to `LONG` characters that are kept, those last made; at least `HUGE_SHARE`.
    """

    def decorated(answer: Callable[_Asked, _Answer]) -> Callable[_Asked, _Answer]:
        short: dict[tuple[object, ...], _Answer] = {}
        longer: dict[int, dict[tuple[object, ...], _Answer]] = {LONG_SHARE: {}, HUGE_SHARE: {}}

        @wraps(answer)
        def remembering(*texts: _Asked.args, **named: _Asked.kwargs) -> _Answer:
            if named:
                return answer(*texts, **named)
            try:
                return short[texts]
            except KeyError:
                share = _share(texts)
            kept = longer.get(share, short)
            if share > 1 and texts in kept:
                return kept[texts]
            new = answer(*texts, **named)
            kept[texts] = new
            while len(kept) > n // share:
                with suppress(KeyError, RuntimeError):  # another thread has forgotten or added one
                    del kept[next(iter(kept))]
            return new

        return remembering

    return decorated


def _share(texts: tuple[object, ...]) -> int:
    """Return how many times fewer answers about such texts are kept than about short ones."""
    longest = max(map(len, texts))  # type: ignore[arg-type]  # texts, all of them
    return 1 if longest <= LONG else LONG_SHARE if longest <= HUGE else HUGE_SHARE
