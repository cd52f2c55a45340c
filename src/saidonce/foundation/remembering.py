"""Room: answers about texts that are remembered in bounded memory, whatever the length of the texts."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
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

    Args:
        n: answers about texts of up to `LONG` characters that are kept, those last asked for; at least `HUGE_SHARE`.
    """

    def decorated(answer: Callable[_Asked, _Answer]) -> Callable[_Asked, _Answer]:
        short, long, huge = (lru_cache(maxsize=n // share)(answer) for share in (1, LONG_SHARE, HUGE_SHARE))

        @wraps(answer)
        def remembering(*texts: _Asked.args, **named: _Asked.kwargs) -> _Answer:
            kept = short
            for text in texts:
                if len(text) > LONG:  # type: ignore[arg-type]  # a text, as all of them
                    kept = long if max(map(len, texts)) <= HUGE else huge  # type: ignore[arg-type]
                    break
            return kept(*texts, **named)  # type: ignore[arg-type]  # hashable, since they are texts

        return remembering

    return decorated
