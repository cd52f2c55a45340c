"""Signs that state something where a word could stand: ticks and crosses, arrows, stars, coloured lights.

Bullets and pictures that only adorn a line state nothing. What a sign states, it states of the words beside it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_ALIKE = {
    "\u2713": "\u2714\u2705\u2611\U0001f5f8",
    "\u2717": "\u2718\u274c\u2716\u274e",
    "\u2192": "\u27a1\u2794\u279c\u279e\u21d2\u25b8\u203a>",
    "\u2190": "\u2b05\u21d0\u25c2",
    "\u2191": "\u2b06\u21d1",
    "\u2193": "\u2b07\u21d3",
    "\u2605": "\u2b50",
}
_ONE_OF = {other: one for one, others in _ALIKE.items() for other in others}
_DRAWN = re.compile("--?>")
"""An arrow of ordinary characters: "File -> Open"."""

_MARKS = frozenset("\ufe0e\ufe0f\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
"""How a picture is drawn, and the colour of a hand."""

_BULLETS = frozenset(
    "\u25cf\u25cb\u25a0\u25a1\u25aa\u25ab\u25c6\u25c7\u25b6\u25ba\u25b8\u2023\u2043\u203a\u2192\u279c\u27a4\u2794\u21d2\u2605\u2606\u2726"
    "\u2731\u203b\u261e\u2666\u26a0\u2139\u2219\u26ab\u26aa>"
)
_STATES = frozenset(
    "\U0001f534\U0001f7e0\U0001f7e1\U0001f7e2\U0001f535\U0001f7e3\U0001f7e4\U0001f7e5\U0001f7e6\U0001f7e7\U0001f7e8\U0001f7e9"
    "\U0001f44d\U0001f44e\U0001f6ab\U0001f6d1\u26d4\u2610\u2612\u2640\u2642"
)
_ADORNING = frozenset(
    "\U0001f389\U0001f38a\u2728\U0001f680\U0001f4a1\U0001f4cc\U0001f4dd\U0001f4e2\U0001f44b\U0001f64f\U0001f60a\U0001f642\U0001f600\U0001f603"
    "\U0001f604\U0001f525"
)
"""Pictures that state nothing wherever they stand."""


@lru_cache(maxsize=4_096)
def stated(written: str, leads: bool) -> str:
    """Return what a run of signs states, in one form of each; nothing for what only adorns.

    Args:
        leads: whether it stands at the beginning of a line.
    """
    drawn = _DRAWN.sub("\u2192", written)
    signs = [_ONE_OF.get(c, c) for c in drawn if c not in _MARKS and c not in _ADORNING]
    if not signs or (leads and len(signs) == 1 and _is_bullet(signs[0])):
        return ""
    return "".join(signs)


def _is_bullet(sign: str) -> bool:
    is_picture = sign > "\U0001f2ff" or (unicodedata.category(sign) == "So" and "\u2600" <= sign <= "\u27bf")
    return sign in _BULLETS or (is_picture and sign not in _STATES and sign not in "\u2713\u2717")
