"""Measure a language model as the gate's judge on pairs of `benchmarks.adjudication`, beside the other judges.

    python -m benchmarks.adjudication_model [--ask PROVIDER:NAME] [--known N] [--most N] [--url URL] [--key KEY]

Pairs from .75 on are shown to a model as the gate would show them, in both orders. Every ruling is kept, without any
text, in `benchmarks/rulings`; an interrupted run resumes, and no pair is asked about twice. Without
`--ask` no model is called: the figures, and the pairs that the others are measured on, come from the recording.
Pairs come in the order of their digests, so that a recording of the first n is a fair sample.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.adjudication_rows import Row, gate_rows
from saidonce.adapters.embed.minilm import MiniLM
from saidonce.adapters.llm import open_chat
from saidonce.adjudication import JudgeOptions, ModelJudge
from saidonce.adjudication.local_judge import LocalJudge
from saidonce.adjudication.model_judge import version_of
from saidonce.adjudication.prompt import TEXT_CHARS, Order
from saidonce.adjudication.prompt_sheet import sheet
from saidonce.adjudication.replies import read_answers
from saidonce.errors import ReplyError
from saidonce.foundation.model import Candidate, Match, Opinion, Outcome, Question
from saidonce.foundation.ports import ChatModel, Reply
from saidonce.foundation.settings.policy import GATE
from saidonce.foundation.text import content_hash, digest
from saidonce.matching.guards import GUARDS
from saidonce.matching.ladder import Case, ask
from saidonce.matching.vectors import canonical_cosine
from saidonce.quality.figures import rate

POLICY = replace(GATE, asks=True, asks_above=True, may_rule=frozenset(Outcome))
RULINGS = Path(__file__).parent / "rulings"
SECRET = b"benchmark"

MODEL = "openai:qwen2.5-coder-1.5b-instruct-q4_k_m"
"""The model of the recording."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair that the gate would ask about."""

    digest: str
    same: bool
    question: Question

    @property
    def similarity(self) -> float:
        return self.question.shown[0].match.similarity


@dataclass(frozen=True, slots=True)
class Kept:
    """One recorded ruling.

    Attributes:
        first: opinion of the first order alone, without checks of known pairs, echo or quotes.
        known: known pairs of each kind in the prompt.
        ms: of both replies together.
    """

    pair: str
    same: bool
    similarity: float
    opinion: str
    failure: str | None
    first: str
    ms: int
    tokens: int
    known: int
    judge: str


class RecordingChat:
    """A model that records its replies by prompt, one call at a time."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self._one = threading.Lock()
        self.replies: dict[str, str] = {}

    @property
    def name(self) -> str:
        return self._chat.name

    def complete(self, instructions: str, prompt: str, schema: Mapping[str, object]) -> Reply:
        with self._one:
            reply = self._chat.complete(instructions, prompt, schema)
            self.replies[prompt] = reply.text
        return reply


def pairs(rows: Iterable[Row]) -> Iterator[Pair]:
    """Yield the pairs that the gate would ask about, by digest."""
    model = MiniLM()
    for row in sorted(rows, key=lambda r: digest(r.a, r.b)):
        a, b = model.embed([row.a, row.b])
        mine = Candidate(row.a, content_hash(row.a), language="en", fields=row.fields_a)
        kept = Candidate(row.b, content_hash(row.b), language="en", fields=row.fields_b)
        question = ask(Case(mine, (Match("kept", canonical_cosine(a, b), kept),), POLICY, GUARDS))
        if question is not None:
            yield Pair(digest(row.a, row.b), row.same, question)


def kept_of(pair: Pair, judge: ModelJudge, chat: RecordingChat, known: int) -> Kept:
    """Return the recorded ruling on a pair, after asking the model."""
    (ruling,) = judge.rule([pair.question])
    failure = None if ruling.failure is None else str(ruling.failure)
    first = unprotected(pair.question, chat.replies, known)
    return Kept(pair.digest, pair.same, round(pair.similarity, 4), str(ruling.opinion), failure, first,
                ruling.duration_ms, ruling.n_tokens, known, ruling.adjudicator)  # fmt: skip


def unprotected(question: Question, replies: Mapping[str, str], known: int) -> str:
    """Return the opinion that a gate without checks would get from one call."""
    prompt = sheet(SECRET, question, Order.CANDIDATE_FIRST, TEXT_CHARS, known)
    if prompt is None or prompt.text not in replies:
        return str(Opinion.UNSURE)
    labels = [kept.id for case in prompt.cases for kept in case.kept]
    (own,) = (case.kept[0].id for case in prompt.cases if case.known is None)
    try:
        return str(read_answers(replies[prompt.text], prompt.echo, labels)[own].opinion)
    except ReplyError:
        return str(Opinion.UNSURE)


def recording(model: str) -> Path:
    """Return the path of a model's recorded rulings."""
    return RULINGS / f"{model.rpartition(':')[2].replace('/', '-')}.jsonl"


def read(file: Path, known: int) -> dict[str, Kept]:
    """Return the rulings of a file with this number of known pairs, by pair; none without a file."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    rulings = (Kept(**json.loads(line)) for line in lines)
    return {kept.pair: kept for kept in rulings if kept.known == known}


def gates(of: Sequence[Pair], rulings: Mapping[str, Kept]) -> dict[str, list[str]]:
    """Return the opinion of each gate on each pair; everything but "distinct" is blocked or held."""
    local = [str(r.opinion) for r in LocalJudge(MiniLM()).rule([p.question for p in of])]
    model = [rulings[p.digest].opinion for p in of]
    same, other, unsure = (str(o) for o in (Opinion.DUPLICATE, Opinion.DISTINCT, Opinion.UNSURE))
    return {
        "cosine at .80": [same if p.similarity >= 0.80 else other for p in of],
        "guards": [other if p.question.shown[0].objections else same for p in of],
        "shipped local judge": local,
        "language model": model,
        "language model, first order alone, believed": [rulings[p.digest].first for p in of],
        "local judge, then language model": [m if a == unsure else a for a, m in zip(local, model, strict=True)],
    }


def figures_line(same: Sequence[bool], opinions: Sequence[str]) -> str:
    """Return valid ones blocked and duplicates let through per 100, with 95 % intervals, and the rest for a person."""
    cleared = [opinion == Opinion.DISTINCT for opinion in opinions]
    blocked = rate(sum(not c for c, s in zip(cleared, same, strict=True) if not s), same.count(False))
    through = rate(sum(c for c, s in zip(cleared, same, strict=True) if s), same.count(True))
    unsure = list(opinions).count(str(Opinion.UNSURE))
    rates = [f"{r.per_100 or 0:5.0f} ({r.low:.0f}-{r.high:.0f})" for r in (blocked, through)]
    return f"{rates[0]:>18}{rates[1]:>20}{100 * unsure / len(opinions):>10.0f}"


def show(of: Sequence[Pair], rulings: Mapping[str, Kept], current: str) -> None:
    """Print the figures of every gate on the recorded pairs."""
    there = [pair for pair in of if pair.digest in rulings]
    print(f"{len(of)} pairs would be asked about; {len(of) - len(there)} of them are not in the recording")
    if not there:
        return
    same = [pair.same for pair in there]
    print(f"{len(there)} pairs, {sum(same)} of them duplicates\n")
    print(f"{'per 100':<46}{'valid blocked':>18}{'duplicates through':>20}{'unsure':>10}")
    for name, opinions in gates(there, rulings).items():
        print(f"{name:<46}{figures_line(same, opinions)}")
    ruled = [rulings[pair.digest] for pair in there]
    for judge in sorted({kept.judge for kept in ruled} - {current}):
        print(f"some rulings are by {judge}; the prompt has changed since and is now {current}")
    print(f"\njudge {current}, {ruled[0].known} known pairs of each kind in a prompt")
    print("failures", dict(Counter(kept.failure for kept in ruled if kept.failure)) or "none")
    print(f"a question, median: {statistics.median(k.ms for k in ruled) / 1000:.0f} s, "
          f"{statistics.median(k.tokens for k in ruled):.0f} tokens")  # fmt: skip


def record(of: Sequence[Pair], options: argparse.Namespace) -> None:
    """Ask about the pairs missing from the recording, and record the rulings."""
    chat = RecordingChat(open_chat(options.ask, options.timeout, options.url, options.key))
    judge = ModelJudge(chat, SECRET, JudgeOptions(2 * options.timeout, n_known=options.known))
    file = recording(options.ask)
    known = read(file, options.known)
    file.parent.mkdir(exist_ok=True)
    with file.open("a", encoding="utf-8") as out:
        for pair in of[: options.most]:
            if pair.digest not in known:
                out.write(json.dumps(asdict(kept_of(pair, judge, chat, options.known))) + "\n")
                out.flush()
                sys.stderr.write(".")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ask", default="", help="model to ask about pairs that its recording has not")
    parser.add_argument("--model", default=MODEL, help="model whose recording is printed, if none is asked")
    parser.add_argument("--known", type=int, default=1, help="known pairs of each kind in every prompt")
    parser.add_argument("--most", type=int, default=None, help="ask about no more than the first so many pairs")
    parser.add_argument("--rows", type=int, default=20, help="most rows a source and label")
    parser.add_argument("--skip", type=int, default=450, help="pass over so many rows of each source and label first")
    parser.add_argument("--url", default="")
    parser.add_argument("--key", default="")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for one reply")
    options = parser.parse_args()
    of = list(pairs(gate_rows(options.rows, options.skip)))
    if options.ask:
        record(of, options)
    name = options.ask or options.model
    current = f"{name}/judge-{version_of(JudgeOptions(n_known=options.known))}"
    show(of, read(recording(name), options.known), current)


if __name__ == "__main__":
    main()
