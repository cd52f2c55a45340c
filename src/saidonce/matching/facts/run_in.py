"""Headings in front of a sentence, and in a line of their own: "**Hire.** The boat ..." is the heading "Hire"."""

from __future__ import annotations

import re

from saidonce.matching.facts.written import Written

_RUN_IN = re.compile(
    r"^(?:(?P<mark>\*\*|__)(?P<marked>[^*_\n.:]{2,80})(?:[.:](?P=mark)|(?P=mark)[.:])|(?P<bare>[^\W\d_][^*_\n.:|]{1,80})[.:])"
    r"[ \t]+(?=[^\W\d_a-z\u00df-\u00ff])",
    re.MULTILINE,
)
"""A heading at the beginning of a line, with a sentence behind it."""

_OF_ITS_OWN = re.compile(
    r"^(?:#{1,6}[ \t]+)?(?:(?P<mark>\*\*|__)(?P<marked>[^*_\n|]{2,80}?)[.:]?(?P=mark)"
    r"|(?P<bare>[^*_\n|]{1,79}[^*_\n|.:]):?)"
    r"[ \t]*\n(?:[=-]{3,}[ \t]*\n)?\n?"
    r"(?=[^\s|>:*#\d-])",
    re.MULTILINE,
)
"""A heading in a line of its own, above running text."""


def with_headings_above(text: Written, other: str, _language: str) -> Written:
    """Write a heading in front of a sentence in a line of its own, if the other text has it so, or in other marks."""
    heads = {_head(hit) for hit in _OF_ITS_OWN.finditer(other)}
    run_in = {_head(hit): hit[0] for hit in _RUN_IN.finditer(other)}

    def above(hit: re.Match[str]) -> str:
        head = _head(hit)
        if head not in heads and run_in.get(head, hit[0]) == hit[0]:
            return hit[0]
        return f"**{hit['marked'] or hit['bare']}**\n\n"

    return text.replaced(_RUN_IN, above)


def _head(hit: re.Match[str]) -> str:
    return str(hit["marked"] or hit["bare"]).casefold()
