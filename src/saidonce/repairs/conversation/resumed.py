"""What "it" is: a thing with current, gas or height named before an aside, and what it does behind it."""

from __future__ import annotations

import re

_THING = re.compile(
    r"(?i)\b(?:fuse ?box|fuse ?board|consumer unit|electric(?:s|al)? (?:box|cupboard|meter)|gas meter|double socket"
    r"|sockets?|(?<!bath )(?<!sink )(?<!basin )(?<!shower )(?<!waste )plugs?|light switch|switch|extension lead"
    r"|adaptor|adapter|charger|cables?|wires?|wiring|fuse|e-?bike battery|battery|boiler|cooker|hob|gas fire|heater"
    r"|ceiling|balcony|banisters?|railings?|handrail|light fitting|ceiling light|lift)\b"
)
"""Things whose faults the lists of danger describe."""

_RESUMES = re.compile(
    r"(?i)(?P<end>[,.;:!?\n)]\s*|\s[-\u2013\u2014]\s+|\s(?:and|but|cos|because|coz|cause|since|as)\s+)"
    r"(?P<aside>(?:and|but|cos|because|also|now|well|the thing is|only)\s+)?(?P<it>it's|its|it)(?= \w)"
)
"""How a clause begins that goes on about a thing."""

MAX_CHARS = 90
"""Most characters between a thing and the clause that goes on about it."""


def resumed(message: str) -> str:
    """Return a message with the thing in place of every "it" that goes on about it; as it is without any.

    "The fuse box under the stairs as well, it buzzes" is a fuse box that buzzes, which no list can find across an aside
    of any length. The nearest thing before counts.
    """
    parts: list[str] = []
    at = 0
    for hit in _RESUMES.finditer(message):
        before = list(_THING.finditer(message, max(0, hit.start() - MAX_CHARS), hit.start()))
        if not before:
            continue
        thing = before[-1].group()
        parts += [message[at : hit.start("it")], f"{thing} is" if "s" in hit["it"].lower() else thing]
        at = hit.end("it")
    return "".join((*parts, message[at:])) if parts else message
