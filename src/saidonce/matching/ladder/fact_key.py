"""The fact key: kept texts by the figures they state, since a repeat states no figure that its kept text lacks."""

from __future__ import annotations

from array import array
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from saidonce.foundation.model import UNKNOWN_LANGUAGE, Candidate

States = Callable[[str, str], frozenset[str]]
"""Return what a text states, as it is read in a language: whatever a text that repeats another cannot add."""

_Places = NDArray[np.intp]


class FactKey:
    """Tells which kept texts a candidate may repeat: those that state all its figures.

    Exact as long as a guard objects to every pair where the candidate states more. An index is made for a language
    when its first candidate asks for `places`; then each kept text is read once in it.
    """

    def __init__(
        self,
        states: States,
        *,
        across_languages: bool = True,
        text_at: Callable[[int], Candidate] | None = None,
    ) -> None:
        """Take what reads the figures of a text.

        Args:
            text_at: gives a kept text again, so that it need not stay in memory.
            across_languages: false if a guard objects to two known languages that differ; such texts are left out.
        """
        self._states = states
        self._across_languages = across_languages
        self._places = array("q")
        self._texts: list[Candidate] = []
        self._text_at = text_at
        self._indexes: dict[str, _Index] = {}

    def add(self, place: int, kept: Candidate) -> None:
        """Note a kept text; places ascend from call to call."""
        self._places.append(place)
        if self._text_at is None:
            self._texts.append(kept)

    def may_win(self, candidate: Candidate, kept: Candidate) -> bool:
        """Return whether a kept text states all figures of a candidate."""
        language = candidate.language
        return self._states(candidate.text, language) <= self._states(kept.text, language)

    def places(self, candidate: Candidate) -> _Places:
        """Return the places of the kept texts that state all figures of a candidate, ascending.

        Probes the shortest list of its figures, the prefix filter of exact set containment.
        """
        index = self._indexes.setdefault(candidate.language, _Index())
        for at in range(index.n_read, len(self._places)):
            place = self._places[at]
            kept = self._texts[at] if self._text_at is None else self._text_at(place)
            if self._is_readable(candidate.language, kept.language):
                index.add(place, self._states(kept.text, candidate.language))
        index.n_read = len(self._places)
        return index.containing(self._states(candidate.text, candidate.language))

    def _is_readable(self, ours: str, theirs: str) -> bool:
        return self._across_languages or ours == theirs or UNKNOWN_LANGUAGE in (ours, theirs)


class _Index:
    """Places of texts in one language: all of them, and those that state each figure, ascending.

    Attributes:
        n_read: kept texts read so far, also those left out.
    """

    def __init__(self) -> None:
        self.n_read = 0
        self._all = array("q")
        self._stating: dict[str, array[int]] = {}

    def add(self, place: int, figures: frozenset[str]) -> None:
        self._all.append(place)
        for figure in figures:
            self._stating.setdefault(figure, array("q")).append(place)

    def containing(self, figures: frozenset[str]) -> _Places:
        """Return the places of texts that state all of these figures, ascending."""
        lists = sorted((self._stating.get(figure, _NOWHERE) for figure in figures), key=len)
        if not lists:
            return np.array(self._all, dtype=np.intp)
        rarest = np.array(lists[0], dtype=np.intp)
        for longer in lists[1:]:
            rarest = rarest[_stand_in(np.frombuffer(longer, dtype=np.int64), rarest)]
        return rarest


_NOWHERE: array[int] = array("q")


def _stand_in(ascending: NDArray[np.int64], places: _Places) -> NDArray[np.bool_]:
    """Tell for each place whether it stands in an ascending list, which is at least as long as that of the places."""
    at = np.minimum(np.searchsorted(ascending, places), max(0, len(ascending) - 1))
    is_present: NDArray[np.bool_] = ascending[at] == places if len(places) else np.zeros(0, dtype=np.bool_)
    return is_present
