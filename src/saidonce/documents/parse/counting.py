"""Number formats of list items and headings: digits, letters, Roman numerals."""

from __future__ import annotations

_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_MAX_ROMAN = 4_000
_LETTERS = 26


def counted(number: int, form: str) -> str:
    """Return a number in one of Word's formats ("lowerLetter", "upperRoman" and so on); else in digits."""
    if form in ("lowerLetter", "upperLetter") and number >= 1:
        letter = chr(ord("a") + (number - 1) % _LETTERS) * min((number - 1) // _LETTERS + 1, 4)
        return letter.upper() if form == "upperLetter" else letter
    if form == "decimalZero":
        return f"{number:02}"
    if form in ("lowerRoman", "upperRoman") and 1 <= number < _MAX_ROMAN:
        roman = ""
        for value, sign in _ROMAN:
            roman += sign * (number // value)
            number %= value
        return roman.upper() if form == "upperRoman" else roman
    return str(number)
