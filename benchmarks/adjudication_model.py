"""What a language model is worth as the gate's judge, on the same pairs as `benchmarks.adjudication`.

    python -m benchmarks.adjudication_model PROVIDER:NAME OUT.jsonl [--rows N] [--skip N] [--url URL] [--key KEY]

A pair from .75 on is shown to the model as the gate would show it, in both orders, among cases whose answer is known.
OUT.jsonl keeps every ruling, so that a broken-off run goes on and no pair is asked about twice; it holds no text.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.adjudication_rows import Row, gate_rows
from saidonce.adjudicate import JudgeOptions, ModelJudge
from saidonce.chat import open_chat
from saidonce.embed.minilm import MiniLM
from saidonce.engine import GUARDS
from saidonce.evaluate.figures import rate
from saidonce.ladder import Case, ask
from saidonce.model import Candidate, Match, Outcome, Question
from saidonce.policy import GATE
from saidonce.text import content_hash, digest
from saidonce.vectors import canonical_cosine

POLICY = replace(GATE, asks=True, asks_above=True, may_rule=frozenset(Outcome))


def questions(rows: list[Row]) -> Iterator[tuple[str, bool, Question]]:
    """Give (id, whether they say the same, question) of each pair that the gate would ask about."""
    model = MiniLM()
    for row in sorted(rows, key=lambda r: digest(r.a, r.b)):
        a, b = model.embed([row.a, row.b])
        mine = Candidate(row.a, content_hash(row.a), language="en", fields=row.fields_a)
        kept = Candidate(row.b, content_hash(row.b), language="en", fields=row.fields_b)
        question = ask(Case(mine, (Match("kept", canonical_cosine(a, b), kept),), POLICY, GUARDS))
        if question is not None:
            yield digest(row.a, row.b), row.same, question


def main() -> None:
    """Ask, keep, and print what the gate would have done."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", type=int, default=20, help="most rows a source and label")
    parser.add_argument("--skip", type=int, default=450, help="pass over so many rows of each source and label first")
    parser.add_argument("--url", default="")
    parser.add_argument("--key", default="")
    parser.add_argument("--timeout", type=float, default=90.0)
    given = parser.parse_args()
    known = {}
    if given.out.is_file():
        known = {r["pair"]: r for r in map(json.loads, given.out.read_text(encoding="utf-8").splitlines())}
    chat = open_chat(given.model, given.timeout, given.url, given.key)
    judge = ModelJudge(chat, b"benchmark", JudgeOptions(given.timeout))
    with given.out.open("a", encoding="utf-8") as out:
        for pair, same, question in questions(gate_rows(given.rows, given.skip)):
            if pair not in known:
                (ruling,) = judge.rule([question])
                told = {"pair": pair, "same": same, "opinion": ruling.opinion, "failure": ruling.failure,
                        "ms": ruling.duration_ms, "tokens": ruling.n_tokens, "judge": ruling.adjudicator}  # fmt: skip
                known[pair] = told
                out.write(json.dumps(told) + "\n")
                out.flush()
                sys.stderr.write(".")
    said = Counter((bool(r["same"]), str(r["opinion"])) for r in known.values())
    n_same, n_other = (sum(n for (same, _), n in said.items() if same is wanted) for wanted in (True, False))
    blocked = rate(n_other - said[False, "distinct"], n_other)
    through = rate(said[True, "distinct"], n_same)
    print(f"\n{len(known)} pairs, {n_same} of them duplicates; of {given.model}: {dict(said)}")
    print(f"valid ones blocked {blocked.per_100} per 100 ({blocked.low:.0f}-{blocked.high:.0f})")
    print(f"duplicates let through {through.per_100} per 100 ({through.low:.0f}-{through.high:.0f})")
    print("failures", Counter(str(r["failure"]) for r in known.values()))


if __name__ == "__main__":
    main()
