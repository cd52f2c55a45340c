"""Which patterns of ours cost more than in proportion to what they read? Prints JSON; run as a program of its own.

Every pattern that modules of `saidonce` compile, when they are imported or while texts go through them, searches runs
of the same signs and of its own words, that end in what fits nothing, once short and once four times as long.
"""

from __future__ import annotations

import importlib
import itertools
import json
import pkgutil
import re
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

SHORT, LONG = 1_500, 6_000
MOST_GROWTH = 8.0
"""Four times the text may cost four times as much; twice that allows for a busy machine."""

LEAST_S = 0.02
"""What costs less in all is nobody's trouble."""

PUMPS = ["a", "A", " ", "1", "1,", "1.", "-", "_", ".", "(", "[", "\n", "\t", "a ", "a,", "1 ", "\u00e9", "'", '"',
         "x-", "a.", "a@", "/", "://", "aA1", "<", "<a ", "&", "|", "| ", "#", "*", "`", "$", "\n\n", " \n", "a\n", ":",
         "a:", "=", "\\", "{", "1/", "1-", "1:", "0", "%", "\u00a3", "not ", "the ", "\u4e2d", "\u0300"]  # fmt: skip
ENDS = ("\x00", "", "!\x01")

_compiled: dict[tuple[str, int], str] = {}


def record() -> None:
    """Note each pattern that a module of ours has compiled from now on."""
    plain = re._compile  # type: ignore[attr-defined]

    def noting(pattern: Any, flags: Any) -> Any:
        made = plain(pattern, flags)
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_globals.get("__name__") == "re":
            frame = frame.f_back
        name = str(frame.f_globals.get("__name__", ""))
        if name.startswith("saidonce") and isinstance(made.pattern, str):
            _compiled.setdefault((made.pattern, made.flags), name)
        return made

    re._compile = noting  # type: ignore[attr-defined]


def words_of(pattern: str) -> list[str]:
    """Give the literal words of a pattern, some of them."""
    return list(dict.fromkeys(re.findall(r"[^\W\d_]{2,}|[^\w\s\\\[\](){}|?*+^$.]", pattern)))[:12]


def growth(search: Callable[[str], Any], pump: str, end: str) -> tuple[float, float]:
    """Give by how much the longer text costs more, and what it costs."""
    costs = []
    for n in (SHORT, LONG):
        text = (pump * (n // len(pump) + 1))[:n] + end
        begun = time.process_time()
        search(text)
        costs.append(time.process_time() - begun)
        if costs[0] > 1.0:  # it is beyond doubt, and the longer one might take for ever
            return 99.0, costs[0]
    return costs[1] / max(costs[0], 1e-5), costs[1]


def costly(pattern: re.Pattern[str]) -> Iterator[tuple[str, float, float]]:
    """Give what makes a pattern costly, worst first of each kind of use."""
    words = words_of(pattern.pattern)
    pumps = [*PUMPS, *words, *(word + " " for word in words), *(word + sign for word in words[:4] for sign in ",.-'\n")]

    def all_of(text: str) -> None:
        for _ in itertools.islice(pattern.finditer(text), 20_000):
            pass

    for pump in dict.fromkeys(pumps):
        for end in ENDS:
            times, cost_s = growth(all_of, pump, end)
            if times > MOST_GROWTH and cost_s > LEAST_S:
                again, _ = growth(all_of, pump, end)  # a busy machine shows once what is not there
                if again > MOST_GROWTH:
                    yield pump, cost_s, again
                    break


def exercised() -> None:
    """Let texts go through what compiles its patterns when it needs them."""
    from saidonce.matching.facts.compare import compare
    from saidonce.repairs.conversation.dangers import by_words, read_dangers  # noqa: F401
    from saidonce.repairs.conversation.emergency import PACKS, find_dangers, named_pack

    for a, b in (
        ("Open at 9 am, not on 1 May.", "Open from nine, but never in May."),
        ("Die Miete ist 500 Euro.",) * 2,
    ):
        compare(a, b)
    for pack in PACKS:
        find_dangers(named_pack(pack), "I smell gas, and the stairs burn")


def main() -> None:
    """Import everything, and print what is costly."""
    record()
    import saidonce

    for module in pkgutil.walk_packages(saidonce.__path__, "saidonce."):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except Exception as failed:  # noqa: BLE001  an extra that is not here
            print(f"left out: {module.name}: {failed!r}"[:200], file=sys.stderr)
    exercised()
    found = []
    known = dict(_compiled)
    for (pattern, flags), name in known.items():
        worst = max(costly(re.compile(pattern, flags)), key=lambda row: row[1], default=None)
        if worst is not None:
            pump, cost_s, times = worst
            found.append(
                {"module": name, "pattern": pattern[:300], "of": pump, "s": round(cost_s, 3), "x": round(times)}
            )
    print(json.dumps({"tried": len(known), "costly": sorted(found, key=lambda row: -row["s"])}))


if __name__ == "__main__":
    main()
