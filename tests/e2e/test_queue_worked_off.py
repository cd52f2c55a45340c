"""A real queue worked off in a real browser: 150 labelled pairs of two editions of manuals, by keys and in bulk.

Prints the number of actions: every key, click and typed number is one. Needs the evaluation data.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from chromium import IN_A_BROWSER, follow
from shared_data import shared
from website import Website, served

pytestmark = [*IN_A_BROWSER, pytest.mark.slow]

N_PAIRS, MOST_ACTIONS = 150, 60
KEEP, MERGE = "keep_apart", "merge"
VERB_OF = {"fact_changed": KEEP, "reworded": MERGE, "identical": MERGE}

Labels = dict[frozenset[str], str]


def plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def editions() -> tuple[dict[str, str], Labels]:
    """Return documents of two editions each, and what is right for each pair of their texts."""
    with gzip.open(shared("doc_pairs.jsonl.gz"), "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    fit = [
        r
        for r in rows
        if r["label"] in VERB_OF and r["block"] == "paragraph" and 60 <= len(r["a"]) <= 900 and r["a"] != r["b"]
    ]
    fit.sort(key=lambda r: r["id"])
    texts: dict[str, dict[str, list[str]]] = {}
    labels: Labels = {}
    seen: set[str] = set()
    for r in fit:
        a, b = (re.sub(r"\s+", " ", r[side]).strip() for side in "ab")
        if {plain(a), plain(b)} & seen or plain(a) == plain(b):
            continue
        seen |= {plain(a), plain(b)}
        labels[frozenset((plain(a), plain(b)))] = VERB_OF[r["label"]]
        name = f"{r['source']}-{r['doc_a']}".replace("/", "-")
        texts.setdefault(name, {"old": [], "new": []})
        texts[name]["old"].append(a)
        texts[name]["new"].append(b)
    documents = {f"{e}-{n}.txt": "\n\n".join(t[e]) for e in ("old", "new") for n, t in texts.items()}
    return documents, labels


@pytest.fixture(scope="module")
def queue() -> Iterator[tuple[Website, Labels]]:
    """A served queue of exactly N_PAIRS labelled pairs; the others are dismissed beforehand."""
    documents, labels = editions()
    settings = {"SAIDONCE_SEGMENT_STYLE": "whole", "SAIDONCE_AUTO_MERGE": "false"}
    old = {n: t for n, t in documents.items() if n.startswith("old-")}
    new = {n: t for n, t in documents.items() if n.startswith("new-")}
    with served({**old, **{f"z{n}": t for n, t in new.items()}}, **settings) as site:
        pairs = site.get("/review/groups")["pairs"]
        right = [p for p in pairs if frozenset((plain(p["kept_text"]), plain(p["candidate_text"]))) in labels]
        chosen = {p["flag"] for p in sorted(right, key=lambda p: p["flag"])[:N_PAIRS]}
        others = [str(p["flag"]) for p in pairs if p["flag"] not in chosen]
        for at in range(0, len(others), 400):
            site.run("review", "bulk", "dismiss", *others[at : at + 400], "--yes")
        assert len(chosen) == N_PAIRS, f"{len(chosen)} labelled pairs wait"
        yield site, labels


class Worker:
    """Somebody who reads pairs, knows what is right, and uses keys, ranges and previews; counts what they do."""

    def __init__(self, page: Any, site: Website, labels: Labels) -> None:
        self.page, self.site, self.labels, self.n = page, site, labels, 0

    def rows(self) -> list[tuple[int, str]]:
        """Return the listed pairs in their order, each with what is right."""
        seqs = [int(box.get_attribute("value").partition(":")[0]) for box in self.boxes()]
        known = {p["flag"]: p for p in self.site.get("/review/groups")["pairs"]}
        return [
            (s, self.labels[frozenset((plain(known[s]["kept_text"]), plain(known[s]["candidate_text"])))]) for s in seqs
        ]

    def boxes(self) -> list[Any]:
        found: list[Any] = self.page.locator("input[name=pairs]").all()
        return found

    def open_queue(self) -> None:
        self.page.goto(f"{self.site.url}/queue")
        self.n += 1

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.n += 1

    def click(self, place: int, shift: bool = False) -> None:
        self.page.locator("input[name=pairs]").nth(place).click(modifiers=["Shift"] if shift else [])
        self.n += 1

    def tick(self, places: Sequence[int]) -> None:
        """Tick or untick places, each unbroken run by its two ends."""
        for first, last in runs(places):
            self.click(first)
            if last > first:
                self.click(last, shift=True)

    def decide(self, verb: str) -> None:
        """Tick all pairs for which a verb is right, and decide them."""
        right = [which for _, which in self.rows()]
        mine = [n for n, which in enumerate(right) if which == verb]
        others = [n for n, which in enumerate(right) if which != verb]
        if cost(others) + 1 < cost(mine):
            self.press("a")
            self.tick(others)
        else:
            self.tick(mine)
        with self.page.expect_navigation():
            self.press("k" if verb == KEEP else "m")
        if verb == MERGE:
            self.tick([n for n, box in enumerate(self.boxes()) if not box.is_checked()])
            self.page.locator("input[name=typed]").fill(str(len(mine)))
            self.n += 1
        follow(self.page.locator("button.main-verb"))
        self.n += 1


def runs(places: Sequence[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for place in places:
        if found and found[-1][1] == place - 1:
            found[-1] = (found[-1][0], place)
        else:
            found.append((place, place))
    return found


def cost(places: Sequence[int]) -> int:
    return sum(2 if last > first else 1 for first, last in runs(places))


def test_a_hundred_and_fifty_pairs_in_sixty_actions(queue: tuple[Website, Labels], page: Any, capsys: Any) -> None:
    site, labels = queue
    started = {p["flag"]: p for p in site.get("/review/groups")["pairs"]}
    right = {seq: labels[frozenset((plain(p["kept_text"]), plain(p["candidate_text"])))] for seq, p in started.items()}
    kinds = Counter((p["differs"], right[seq]) for seq, p in started.items())
    worker = Worker(page, site, labels)
    while site.get("/queue", limit=1)["n"]:
        worker.open_queue()
        waiting = {which for _, which in worker.rows()}
        worker.decide(KEEP if KEEP in waiting else MERGE)
        assert worker.n < 200, "the queue does not empty"
    decided = {d["flag"]: d["verb"] for d in site.get("/decisions", limit=500) if d["flag"] in right and d["holds"]}
    with capsys.disabled():
        print(f"\n{len(right)} pairs worked off in {worker.n} actions")
        print(f"right by the labels: {sum(decided.get(s) == v for s, v in right.items())}")
        for (kind, verb), n in sorted(kinds.items()):
            print(f"  {kind:10} {verb:10} {n}")
    assert decided == right
    assert worker.n <= MOST_ACTIONS
    assert page.troubles == []
