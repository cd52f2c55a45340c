"""The macros of mdoc inside a line: flags, arguments, names and quotes as they are shown."""

from __future__ import annotations

from collections.abc import Callable

_AROUND = {
    "Op": "[]", "Oo": "[", "Oc": "]", "Dq": "“”", "Do": "“", "Dc": "”", "Sq": "‘’", "So": "‘", "Sc": "’", "Qq": '""',
    "Qo": '"', "Qc": '"', "Ql": "‘’", "Pq": "()", "Po": "(", "Pc": ")", "Bq": "[]", "Bo": "[", "Bc": "]", "Aq": "<>",
    "Ao": "<", "Ac": ">", "Brq": "{}", "Bro": "{", "Brc": "}", "In": "<>",
}  # fmt: skip
_PLAIN = frozenset(
    "Ar Cm Ic Pa Va Vt Ev Dv Er Em Sy Li Tn An Fa No Ad Ft Ms St Lb Cd Sx Bf Ef Bx Fd Eo Ec Xo Xc Ta Nd"
    " %A %B %C %D %I %J %N %O %P %Q %R %T %U %V".split()
)
_SYSTEMS = {"Ux": "UNIX", "Fx": "FreeBSD", "Nx": "NetBSD", "Ox": "OpenBSD", "Dx": "DragonFly", "At": "AT&T UNIX"}
_CLOSING = frozenset(". , : ; ) ] ? !".split())
INLINE = frozenset({*_AROUND, *_PLAIN, *_SYSTEMS, "Fl", "Ns", "Nm", "Xr", "Fn", "Fo", "Fc", "Ap", "Pf"})
"""The macros that stand for text, whatever their arguments are."""


def inline(name: str, words: list[str], plain: Callable[[str], str], page: str) -> str:
    """Return a line of mdoc as it is shown.

    A macro that the page defines itself shows its words.

    Args:
        plain: writes out the escapes of a word.
        page: name of the program that the page describes, for which `Nm` stands.
    """
    shown: list[str] = []
    pending: list[str] = []
    is_tight = False
    macro, fresh = "", True
    for word in [*([name] if name in INLINE else []), *words]:
        if word in INLINE:
            shown += _without_words(macro, page) if fresh else []
            macro, fresh = word, True
            is_tight = is_tight or word in ("Ns", "Ap")
            if word == "Ap":
                shown.append("\x00'")
            if word == "Nd":
                shown.append("-")
            if around := _AROUND.get(word, ""):
                shown.append(around[0] if around[0] not in "]”’)>}" or len(around) == 2 else f"\x00{around}")
                is_tight = len(around) == 2 or around in "[“‘(<{"
                pending += around[1:]
            continue
        text = plain(word)
        if word in _CLOSING:
            shown += _without_words(macro, page) if fresh else []
            if macro in _AROUND and not fresh:
                shown += [f"\x00{one}" for one in reversed(pending)]
                pending = []
            shown.append(f"\x00{text}")
            fresh = False
            continue
        shown.append(("\x00" if is_tight else "") + _as_shown(macro, text, fresh))
        is_tight, fresh = word in ("(", "[") or macro == "Pf", False
    shown += _without_words(macro, page) if fresh else []
    shown += [f"\x00{one}" for one in reversed(pending)]
    if macro == "Fn" and not fresh:
        shown.append("\x00)")
    return " ".join(shown).replace(" \x00", "").replace("\x00", "")


def _without_words(macro: str, page: str) -> list[str]:
    """Return what a macro shows that no word follows."""
    return (
        [page] if macro == "Nm" and page else ["-"] if macro == "Fl" else [_SYSTEMS[macro]] if macro in _SYSTEMS else []
    )


def _as_shown(macro: str, text: str, is_first: bool) -> str:
    if macro == "Fl":
        return f"-{text}"
    if macro in _SYSTEMS and is_first:
        return f"{_SYSTEMS[macro]} {text}"
    if macro == "Xr" and not is_first:
        return f"\x00({text})"
    if macro == "Fn":
        return f"{text}(" if is_first else f"\x00{text},"
    return text
