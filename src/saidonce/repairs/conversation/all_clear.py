"""Words by which a resident says that an emergency is over, or was none.

They lower nothing: a person is told of them. So what leaves it open ("but", "still", a question) stands against it.
"""

from __future__ import annotations

import re

from saidonce.foundation.text import normalise

_FINE = r"(?:fine|ok|okay|good|safe|sorted|alright|all right|over|under control|calm|normal|resolved|dealt with)"
_CLEAR = re.compile(
    r"\bfalse al\w{2,5}\b|\ball[ -]clear\b|\bpanic over\b"
    r"|\b(?:all|everything|everybody|everyone|we|i|it|its|that|thats|things)"
    rf"(?:'s|'re|'m| is| are| am| was)?(?: all| now| just| back to){{0,9}} {_FINE}\b"
    r"|\b(?:fire|flames|smoke|smell|gas|flood|flooding|leak|water|alarm|he|she|it)"
    r"(?: is|'s| has| was)?(?: now| all| just){0,9} (?:out|gone|stopped|off|put out|cleared|disappeared|turned off)\b"
    r"|\b(?:it|that) (?:was|is) (?:just|only)\b|\b(?:it|that)'s (?:just|only)\b|\bturned out (?:to be|it was)\b"
    r"|\b(?:it|that) was (?:a mistake|my mistake|nothing)\b"
    r"|\bno (?:longer|more) (?:\w+ )?(?:danger|fire|smoke|gas|smell)\b"
    r"|\bnobody (?:is|was)? ?(?:hurt|in danger)\b|\bno (?:danger|emergency)\b"
    r"|\b(?:fire brigade|firefighters|fire service|police|engineer|paramedics) (?:says?|said)"
    r" (?:it's|its|it is|we are) (?:ok|safe|fine|clear)\b"
    r"|\bfalsa alarma\b|\btodo (?:esta )?bien\b|\bfausse alerte\b|\btout va bien\b"
    r"|\bfehlalarm\b|\balles (?:gut|in ordnung)\b|\bfa\w+szywy alarm\b|\bwszystko (?:dobrze|w porz\w+dku)\b"
    r"|\balarme falso\b|\btudo bem\b|\balarm\w+ fals\w+\b|\btotul e(?:ste)? bine\b"
    r"|\u0625\u0646\u0630\u0627\u0631 \u0643\u0627\u0630\u0628|\u8bef\u62a5"
)
_OPEN = re.compile(
    r"\?|\b(?:not|never|but|still|again|yet|if|whether|until|unless|hope|hopefully|maybe|might|unsure|except)\b"
    r"|n't\b|\b(?:dont know|worse)\b|\b(?:is|came|comes|coming) back\b|\b(?:pero|mais|aber|noch|ale|mas|dar)\b"
)


def says_all_clear(message: str) -> bool:
    """Return whether a message says that the emergency is over or was none, and leaves nothing open."""
    plain = normalise(message)
    return bool(_CLEAR.search(plain)) and not _OPEN.search(plain)
