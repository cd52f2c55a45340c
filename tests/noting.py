"""Stand-ins that note what they are asked."""

from __future__ import annotations

from collections.abc import Callable


def noting(asked: list[tuple[object, ...]], answer: object) -> Callable[..., object]:
    """Something that notes what it is asked, and gives the same answer to all."""

    def call(*of: object) -> object:
        asked.append(of)
        return answer

    return call
