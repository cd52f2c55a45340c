"""A language model as a judge: prompted in both orders, with known pairs among the cases."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace

from saidonce.adjudication import prompt as prompts
from saidonce.adjudication.canaries import written
from saidonce.adjudication.circuit_breaker import CircuitBreaker
from saidonce.adjudication.explanations import is_overridden
from saidonce.adjudication.prompt import Order
from saidonce.adjudication.prompt_sheet import INSTRUCTIONS, PromptCase, PromptSheet, sheet
from saidonce.adjudication.replies import SURE_FROM, CaseReply, JudgeOpinion, read_answers, tidied, weighed
from saidonce.errors import ModelUnavailableError, ReplyError, SettingsError
from saidonce.foundation.model import Failure, Opinion, Question, Ruling
from saidonce.foundation.ports import ChatModel, Reply
from saidonce.matching.addressed import speaks_to_judge

TRIES = 2
"""Times that a question is put while known pairs beside it get wrong answers. A model that guesses passes a try in one
of 16; more tries would only help it."""

MOST_KNOWN = 5
"""Known pairs of each kind that come with the package."""


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a model, in US dollars per million tokens."""

    per_million_input: float
    per_million_output: float

    def of(self, n_input_tokens: int, n_output_tokens: int) -> float:
        """Return the price of a number of tokens in US dollars."""
        return (n_input_tokens * self.per_million_input + n_output_tokens * self.per_million_output) / 1e6


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """Options of a language model as a judge.

    Attributes:
        timeout_s: for one question, both orders together, connection and transfer included.
        text_chars: characters of one text in a prompt; a question whose differences do not fit is not ruled on.
        price: of the model; None counts no cost.
        is_wary: do not rule on a question whose texts address the judge.
        n_known: known duplicates, and as many known distinct pairs, among the cases of every prompt: 0 to 5. WITH 0
            NOTHING DETECTS A MODEL THAT ALWAYS ANSWERS ALIKE, or a text that makes it: the orders then agree. Use
            0 only if you trust every author of a text, and have measured the model on your own pairs.
        least_confidence: of a clear, in both orders; None is 0.5.
        address: of a custom endpoint; cached rulings of one are not used for another.

    Raises:
        SettingsError: `n_known` or the least confidence is out of range.
    """

    timeout_s: float = 90.0
    text_chars: int = prompts.TEXT_CHARS
    price: Price | None = None
    is_wary: bool = True
    n_known: int = 1
    least_confidence: float | None = None
    address: str = ""

    def __post_init__(self) -> None:
        if self.least_confidence is not None and not 0 <= self.least_confidence <= 1:
            raise SettingsError("gate_least_confidence", self.least_confidence, "0 to 1")
        if not 0 <= self.n_known <= MOST_KNOWN:
            raise SettingsError("n_known", self.n_known, f"0 to {MOST_KNOWN}")


@dataclass(frozen=True, slots=True)
class _PromptOutcome:
    """The outcome of one prompt; `opinion.of` is the id of a match, `model` the name given by the endpoint."""

    opinion: JudgeOpinion | None = None
    failure: Failure | None = None
    reason: str = ""
    n_input_tokens: int = 0
    n_output_tokens: int = 0
    model: str = ""


class ModelJudge:
    """An adjudicator that prompts a language model; see `saidonce.foundation.ports.Adjudicator`.

    Each question is one prompt in two orders, sent concurrently; only a common opinion counts. Known pairs are among
    the cases under ids like the question's, and one wrong answer on them voids the answer on the question.

    Args:
        chat: the model.
        secret: source of nonces, fences and ids; authors of judged texts must not know it.

    Raises:
        SettingsError: the secret is too short to be one.
    """

    def __init__(
        self,
        chat: ChatModel,
        secret: bytes,
        options: JudgeOptions | None = None,
        breaker: CircuitBreaker | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._chat = chat
        self._secret = prompts.checked(secret)
        self._options = options or JudgeOptions()
        self._breaker = breaker or CircuitBreaker()
        self._clock = clock
        address = f"@{self._options.address}" if self._options.address else ""
        least = self._options.least_confidence
        sure = "" if least is None else f"+from-{least:g}"
        self._name = f"{chat.name}{address}/judge-{version_of(self._options)}{sure}"

    @property
    def name(self) -> str:
        """The model, and the version of the prompt: its text, its canaries and its options."""
        return self._name

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """Rule on each question, in input order; errors of the model are failures of rulings, never exceptions.

        A wrong answer on a known pair voids the answer on its own question, which is then asked once more, with other
        known pairs. If one of those is wrong too, its ruling is a failure.
        """
        return tuple(self._tried(question) for question in questions)

    def _tried(self, question: Question) -> Ruling:
        """Return the ruling of the first try with all known pairs right, with the cost of all tries."""
        tries = [self._rule(question, 0)]
        while tries[-1].failure is Failure.CANARY and len(tries) < TRIES:
            tries.append(self._rule(question, len(tries)))
        last = tries[-1]
        if last.failure is Failure.CANARY:
            last = replace(last, reason=f"known pairs got wrong answers in each of {len(tries)} tries")
        return replace(
            last,
            duration_ms=sum(one.duration_ms for one in tries),
            n_tokens=sum(one.n_tokens for one in tries),
            cost=sum(one.cost for one in tries),
        )

    def _rule(self, question: Question, attempt: int) -> Ruling:
        started = self._clock()
        if self._options.is_wary and speaks_to_judge(question):
            return Ruling(Opinion.UNSURE, reason=prompts.TO_JUDGE, adjudicator=self._name)
        options = self._options
        secret = self._secret if not attempt else prompts.mark(self._secret, "try", str(attempt)).encode()
        sheets = [sheet(secret, question, order, options.text_chars, options.n_known) for order in Order]
        fitting = [one for one in sheets if one is not None]
        if len(fitting) < len(sheets):
            return Ruling(Opinion.UNSURE, reason=prompts.TOO_LONG, adjudicator=self._name)
        if not self._breaker.may_ask():
            return Ruling(Opinion.UNSURE, adjudicator=self._name, failure=Failure.CIRCUIT_OPEN)
        outcomes = self._both(fitting, started + self._options.timeout_s)
        ruling = _agreed(outcomes)
        self._breaker.note(ruling.failure)
        n_in, n_out = sum(h.n_input_tokens for h in outcomes), sum(h.n_output_tokens for h in outcomes)
        price = self._options.price
        return replace(
            ruling,
            adjudicator=self._name,
            duration_ms=round((self._clock() - started) * 1000),
            n_tokens=n_in + n_out,
            cost=price.of(n_in, n_out) if price else 0.0,
        )

    def _both(self, sheets: Sequence[PromptSheet], deadline: float) -> list[_PromptOutcome]:
        """Send all prompts concurrently and wait for all, at most until the deadline."""
        pool = ThreadPoolExecutor(len(sheets), thread_name_prefix="saidonce-judge")
        try:
            replies = [pool.submit(self._chat.complete, INSTRUCTIONS, s.text, s.schema) for s in sheets]
            return [self._outcome(one, reply, deadline) for one, reply in zip(sheets, replies, strict=True)]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _outcome(self, sheet: PromptSheet, reply: Future[Reply], deadline: float) -> _PromptOutcome:
        try:
            completion = reply.result(max(0.0, deadline - self._clock()))
        except TimeoutError:
            return _PromptOutcome(failure=Failure.TIMEOUT, reason="no reply in time")
        except ModelUnavailableError as failed:
            return _PromptOutcome(failure=Failure.UNREACHABLE, reason=tidied(failed.reason))
        tokens = (completion.n_input_tokens, completion.n_output_tokens)
        try:
            _check_whole(completion)
            answers = read_answers(completion.text, sheet.echo, [kept.id for case in sheet.cases for kept in case.kept])
        except ReplyError as bad:
            return _PromptOutcome(None, Failure.MALFORMED, bad.reason[:200], *tokens)
        opinions = [(case, _of_case(case, answers)) for case in sheet.cases]
        if any(one.opinion is not case.known for case, one in opinions if case.known is not None):
            return _PromptOutcome(None, Failure.CANARY, "", *tokens)
        (own,) = (one for case, one in opinions if case.known is None)
        if own.opinion is Opinion.DISTINCT and (why := self._against(own, completion.thought, answers)):
            return _PromptOutcome(None, Failure.CONTRADICTION, f"it clears, but {why}", *tokens)
        return _PromptOutcome(own, None, "", *tokens, completion.model)

    def _against(self, own: JudgeOpinion, thought: str, answers: Mapping[str, CaseReply]) -> str:
        """Return what in a reply contradicts its own clear; empty if nothing does."""
        least = SURE_FROM if self._options.least_confidence is None else self._options.least_confidence
        if own.confidence < least:
            return f"its confidence is below {least:g}"
        return "its reasoning says that the texts are the same" if is_overridden(thought, answers) else ""


def _check_whole(completion: Reply) -> None:
    """Check that the endpoint reports a complete reply without other content.

    Raises:
        ReplyError: the endpoint reports otherwise.
    """
    if completion.flaw:
        raise ReplyError(completion.flaw)


def version_of(options: JudgeOptions) -> str:
    """Return 8 hex digits that identify a prompt: its text, the known pairs, and the options that change it."""
    shown = (options.text_chars, options.n_known, options.is_wary)
    return prompts.version(INSTRUCTIONS, written(), *map(str, shown))


def _of_case(case: PromptCase, answers: Mapping[str, CaseReply]) -> JudgeOpinion:
    """Return the opinion on a case, with the kept text identified by the id of its match."""
    ids = {kept.id: match for kept, match in zip(case.kept, case.ids, strict=True)}
    opinion = weighed([(k.id, answers[k.id], sides) for k, sides in zip(case.kept, case.sides, strict=True)])
    return replace(opinion, of=ids.get(opinion.of, ""))


def _agreed(outcomes: Sequence[_PromptOutcome]) -> Ruling:
    """Return the ruling common to all orders; a wrong canary takes precedence over other failures, then the first."""
    failed = sorted((h for h in outcomes if h.failure is not None), key=lambda h: h.failure is not Failure.CANARY)
    if failed:
        return Ruling(Opinion.UNSURE, reason=failed[0].reason, failure=failed[0].failure)
    opinions = [h.opinion for h in outcomes if h.opinion is not None]
    if len({(s.opinion, s.of) for s in opinions}) != 1:
        orders = " / ".join(f"{order}: {s.opinion}" for order, s in zip(Order, opinions, strict=True))
        return Ruling(Opinion.UNSURE, reason=orders, failure=Failure.CONTRADICTION)
    if opinions[0].opinion is Opinion.DISTINCT and len({h.model for h in outcomes if h.model}) > 1:
        return Ruling(Opinion.UNSURE, reason="different models answered the two orders", failure=Failure.CONTRADICTION)
    return Ruling(opinions[0].opinion, opinions[0].of, opinions[0].reason, min(s.confidence for s in opinions))
