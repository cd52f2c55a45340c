"""The line of a page of HTML that is being read, and the text on it before a form control, its label."""

from __future__ import annotations

BEHIND_LABELS = " :*"


class OpenLine:
    """Pieces of text since a block began or ended.

    A list may hold thousands of controls on one line, before each of which somebody asks what stands there: each piece
    is looked at once.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._n_seen = 0
        self._has_text = self._has_label = False

    def __str__(self) -> str:
        return "".join(self._pieces)

    @property
    def last(self) -> str:
        """The last piece; empty if there is none."""
        return "".join(self._pieces[-1:])

    def append(self, piece: str) -> None:
        """Add a piece."""
        self._pieces.append(piece)

    def take(self) -> str:
        """Return the text, and begin anew."""
        whole = str(self)
        self._pieces, self._n_seen = [], 0
        self._has_text = self._has_label = False
        return whole

    def has_text(self) -> bool:
        """Return whether the line is more than spaces."""
        self._see()
        return self._has_text

    def has_label(self) -> bool:
        """Return whether the line is more than the signs that stand behind labels."""
        self._see()
        return self._has_label

    def _see(self) -> None:
        for piece in self._pieces[self._n_seen :]:
            self._has_text = self._has_text or bool(piece.strip())
            self._has_label = self._has_label or bool("".join(piece.split()).strip(BEHIND_LABELS))
        self._n_seen = len(self._pieces)

    def say_behind(self, value: str) -> None:
        """Add what the text up to here is the label of."""
        last = ""
        while self._pieces and not last:
            last = self._pieces.pop().rstrip(f"{BEHIND_LABELS}\n\t")
        self._pieces.append(f"{last}: {value} ")
        self._n_seen = len(self._pieces)
