"""The lines of East Asia that name who is quoted: "2026年11月3日(火) 10:00 田中花子 <hanako@tanaka.example>:".

Neither words nor the name are parted by spaces there, so what is left of a line without its time, its address and the
word for "wrote" is the name.
"""

from __future__ import annotations

import re

_DAY = r"\s?\d{4}\s?[\u5e74\ub144/.-]\s?\d{1,2}\s?[\u6708\uc6d4/.-]\s?\d{1,2}\s?[\u65e5\uc77c.]?"
_WEEKDAY = (
    r"(?:\s?[(\uff08]?(?:周|星期|週)?[一二三四五六日天月火水木金土\uc6d4\ud654\uc218\ubaa9\uae08\ud1a0\uc77c]"
    r"(?:曜日|曜|요일)?[)\uff09]?(?!\w))?"
)
_CLOCK = r"\d{1,2}\s?[:\uff1a時时\uc2dc]\s?\d{2}(?:[:\uff1a]\d{2})?\s?[分\ubd84]?"
_ADDRESS = re.compile(r"\s?[<(（\[【]?(?:mailto:)?[\w.+%'-]{1,64}@[\w.-]{1,100}[>)）\]】]?\s?")
_MARKS = " \t,，、;；\"'“”「」『』()（）*_"
_BRACKETS = "<(\uff08[\u3010"
_LONGEST_NAME = 40


class EasternLeads:
    """Finds whom such a line names.

    Args:
        opens: expression for what stands before the time.
        wrote: expression for what stands at the end.
        halves: expression for the halves of a day.
    """

    def __init__(self, opens: str, wrote: str, halves: str) -> None:
        time = rf"(?:{opens})?{_DAY}{_WEEKDAY}[\s,，、]*(?:{halves})?\s?(?:{_CLOCK})?"
        self._time = re.compile(time)
        self._wrote = re.compile(rf"\s?(?:{wrote})\s?$")

    def name_in(self, line: str) -> str | None:
        """Return whom a line names; empty if it may be no name, None if it names nobody as one who wrote."""
        body = line[:-1].rstrip()
        without_verb = self._wrote.sub("", body)
        address = _ADDRESS.search(without_verb)
        time = self._time.search(without_verb)
        is_bracketed = address is not None and address[0].strip()[0] in _BRACKETS
        if time is None or (without_verb == body and not is_bracketed):
            return None
        left = without_verb.replace(time[0], "\n", 1)
        left = left.replace(address[0], "\n", 1) if address else left
        parts = [part.strip(_MARKS) for part in left.split("\n")]
        named = [part for part in parts if part]
        if not named:
            return address[0].strip(" <>()（）[]【】") if address else ""
        is_name = len(named) == 1 and len(named[0]) <= _LONGEST_NAME and not any(c.isdigit() for c in named[0])
        return named[0] if is_name and not set(named[0]) & set("。！？!?.:：") else ("" if address else None)
