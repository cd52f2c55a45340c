"""An auto-rater: a service that accepts a review and is polled for its result."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from ssl import SSLContext
from threading import Lock
from typing import Any

import httpx2

from saidonce.adjudication import prompt as prompts
from saidonce.adjudication.circuit_breaker import CircuitBreaker
from saidonce.adjudication.contrary import ExpectedNames, against_at_all, authors, normal_word
from saidonce.adjudication.explanations import QuestionWords, question_words
from saidonce.adjudication.prompt import Exhibit, Order, Posed, exhibits, headed, mark, posed
from saidonce.adjudication.replies import JudgeOpinion
from saidonce.adjudication.results import ResultEnvelope, contradicted, read_envelope, read_result
from saidonce.adjudication.review_notes import Noted, ReviewNotes
from saidonce.adjudication.wire import ExchangeError, exchanged
from saidonce.errors import ReplyError, SettingsError
from saidonce.foundation.deadline import within
from saidonce.foundation.http import HttpClient, address_of, base_url, bearer
from saidonce.foundation.model import Failure, Opinion, Question, RaterReview, Ruling
from saidonce.matching.addressed import speaks_to_judge
from saidonce.matching.presentation import question_digest

MAX_FAILED_POLLS = 3
"""Polls that may fail without ending a review, as long as its time lasts."""

FIRST_PAUSE_S = 0.25
"""Before the first poll of a review, unless the interval is shorter."""

OVERSHOOT = 0.15
"""Share of the time that has passed by which a result may be seen late."""

MOST_REVIEWS = 100_000
"""Ids of reviews that are remembered with their questions; the oldest are forgotten first."""

_log = logging.getLogger("saidonce")


@dataclass(frozen=True, slots=True)
class RaterOptions:
    """Options of an auto-rater.

    Attributes:
        timeout_ms: for one question: submission and polling together. Source: seed 000, 90,000.
        interval_ms: between two polls at most; see `pauses_s`. Source: seed 000, 5,000.
        lenient: free text may clear a candidate. Source: seed 000, "plain-text feedback parsing".
        requires_echo: only JSON that echoes the question may clear a candidate, not a single word as classification.
        text_chars: characters of one text in the prompt; a question whose differences do not fit is not ruled on.
        is_wary: a question whose texts seem to address the judge is not ruled on.
        tls: trusted certificates; None is the default of the system.
        price: of an accepted review, in US dollars.
        least_confidence: lowest confidence of a clear. None is 0.5; only then does a clear without a confidence
            pass.
        window_ms: retraction window: a clear counts once every poll during this time has confirmed it.
        notes: store of reviews in progress; None stores none.

    Raises:
        SettingsError: a time is below 1 ms, the interval or the window does not fit into the timeout, or the least
            confidence is no share.
    """

    timeout_ms: int = 90_000
    interval_ms: int = 5_000
    lenient: bool = False
    requires_echo: bool = False
    text_chars: int = prompts.TEXT_CHARS
    is_wary: bool = True
    tls: SSLContext | None = None
    price: float = 0.0
    least_confidence: float | None = None
    window_ms: int = 0
    notes: ReviewNotes | None = None

    def __post_init__(self) -> None:
        if self.timeout_ms < 1 or self.interval_ms < 1:
            raise SettingsError(
                "auto_rater_timeout_ms", (self.timeout_ms, self.interval_ms), "timeout and interval of 1 ms or more"
            )
        if self.interval_ms >= self.timeout_ms:
            allowed = f"less than gate_llm_timeout_ms, which is {self.timeout_ms}, or no poll would be in time"
            raise SettingsError("gate_llm_poll_interval_ms", self.interval_ms, allowed)
        if not 0 <= self.window_ms < self.timeout_ms:
            allowed = f"0, or less than gate_llm_timeout_ms, which is {self.timeout_ms}: a ruling includes its window"
            raise SettingsError("gate_retraction_window_ms", self.window_ms, allowed)
        if self.least_confidence is not None and not 0 <= self.least_confidence <= 1:
            raise SettingsError("gate_least_confidence", self.least_confidence, "0 to 1")

    @property
    def most_tries(self) -> int:
        """Most submissions of one unaccepted review: as many as the timeout allows, even if the clock stops."""
        return math.ceil(self.timeout_ms / self.interval_ms) + 1

    def pauses_s(self) -> Iterator[float]:
        """Yield the pauses before the polls of one review: as many as the timeout allows, even if the clock stops.

        They begin short and grow with the elapsed time, up to the interval: early results are seen early, and slow
        reviews are not polled constantly.
        """
        waited_s, timeout_s = 0.0, self.timeout_ms / 1000
        while waited_s <= timeout_s:
            pause_s = min(self.interval_ms / 1000, max(FIRST_PAUSE_S, waited_s * OVERSHOOT))
            waited_s += pause_s
            yield pause_s


@dataclass(frozen=True, slots=True)
class Review:
    """One question, as submitted.

    Attributes:
        echo: the question's digest and the nonce, which a structured answer repeats.
        ids: of the shown matches, nearest first.
        words: words of the question, which an explanation may mention.
        noted: the stored note of it, which outlives this process.
    """

    echo: tuple[str, str]
    ids: tuple[str, ...]
    body: dict[str, Any]
    words: QuestionWords
    noted: Noted


class _Reviews:
    """The question of each review id: a reused id marks an answer to another question."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._questions: dict[str, str] = {}
        self._n_asked = 0

    def next(self) -> int:
        """Return the number of the next review, from 1, so that a repeated question gets a new nonce."""
        with self._lock:
            self._n_asked += 1
            return self._n_asked

    def before(self, review: str, question: str) -> str:
        """Record the question of a new review id, return ""; for a known id return "this" or "another" (question)."""
        with self._lock:
            earlier = self._questions.get(review)
            self._questions.setdefault(review, question)
            if len(self._questions) > MOST_REVIEWS:
                del self._questions[next(iter(self._questions))]
        return "" if earlier is None else "this" if earlier == question else "another"


class AutoRater:
    """Rules by `POST {url}/api/v1/review`, then `GET {url}/api/v1/review/{id}`; see `foundation.ports.Adjudicator`.

    The service is not trusted. One deadline covers DNS, connections, handshakes, headers, bodies and pauses of a
    review; replies are limited in size, never decompressed, parsed strictly; redirects are not followed. A duplicate
    counts at once; a clear counts once a second poll has confirmed it and no reply contradicts it.

    Args:
        url: of the service, from the operator's configuration and nowhere else.
        secret: source of nonces and fences; authors of judged texts must not know it.
        key: sent as bearer token, or empty; never logged.

    Raises:
        SettingsError: URL, secret, key or options are malformed.
    """

    def __init__(
        self,
        url: str,
        secret: bytes,
        options: RaterOptions | None = None,
        key: str = "",
        breaker: CircuitBreaker | None = None,
    ) -> None:
        self._options = options or RaterOptions()
        self._url = base_url("gate_auto_rater_url", url)
        headers = {"Accept": "application/json", **bearer("gate_auto_rater_key", key)}
        self._http = HttpClient(self._options.timeout_ms / 1000, headers, self._options.tls)
        self._secret = prompts.checked(secret)
        self._breaker = breaker or CircuitBreaker()
        self._reviews = _Reviews()
        mode = [word for word, on in (("lenient", self._options.lenient), ("echo", self._options.requires_echo)) if on]
        if self._options.least_confidence is not None:
            mode.append(f"from-{self._options.least_confidence:g}")
        made_of = (prompts.RULES, prompts.ONE_CASE, str(self._options.text_chars), str(self._options.is_wary))
        self._at = f"auto-rater@{address_of(self._url)}/"
        self._name = "+".join([f"{self._at}{prompts.version(*made_of)}", *mode])
        if self._options.lenient:
            _log.warning("adjudicator.lenient %s: free text of this auto-rater may clear candidates", self._name)

    @property
    def name(self) -> str:
        """The service's full address, the version of the prompt, and the enabled modes."""
        return self._name

    def rule(self, questions: Sequence[Question]) -> tuple[Ruling, ...]:
        """Rule on each question, in input order, one after the other; failures of the service never raise."""
        return tuple(self._rule(question) for question in questions)

    def _rule(self, question: Question) -> Ruling:
        started = time.monotonic()
        if self._options.is_wary and speaks_to_judge(question):
            return Ruling(Opinion.UNSURE, reason=prompts.TO_JUDGE, adjudicator=self._name)
        review = self._review(question)
        if review is None:
            return Ruling(Opinion.UNSURE, reason=prompts.TOO_LONG, adjudicator=self._name)
        if not self._breaker.may_ask():
            return Ruling(Opinion.UNSURE, adjudicator=self._name, failure=Failure.CIRCUIT_OPEN)
        deadline = started + self._options.timeout_ms / 1000
        talk = _ReviewExchange((self._http, self._url), review, self._options, deadline, self._reviews)
        review.noted.sent()
        reply = self._converse(talk, started)
        if reply.failure is not None:
            review.noted.over()  # In all other cases the note is dropped when the ruling is stored, not earlier.
        self._breaker.note(reply.failure)
        if reply.is_free and reply.opinion is Opinion.DISTINCT:
            _log.warning("adjudicator.lenient %s: free text clears question %s", self._name, review.echo[0])
        taken_ms = round((time.monotonic() - started) * 1000)
        return Ruling(
            reply.opinion, reply.of, reply.reason, reply.confidence, self._name, taken_ms, failure=reply.failure,
            cost=self._options.price if talk.is_accepted else 0.0,
            review=RaterReview(talk.review_id, *review.echo) if talk.review_id and not reply.failure else None,
        )  # fmt: skip

    def look_again(self, question: Question, ruling: Ruling) -> Ruling | None:
        """Return the service's present ruling on the review behind a ruling; None if unavailable or expired.

        A service at another address is never asked. A comparison with the ruling shows whether it was retracted. The
        call costs nothing, and network failures do not open the circuit breaker.
        """
        rater_review = ruling.review
        review = self._review(question) if rater_review is not None else None
        if rater_review is None or review is None or self._at not in ruling.adjudicator:
            return None
        earlier = replace(review, echo=(rater_review.question, rater_review.nonce))
        started = time.monotonic()
        talk = _ReviewExchange(
            (self._http, self._url), earlier, self._options, started + self._options.timeout_ms / 1000, self._reviews
        )
        try:
            opinion = within(talk.again(rater_review.id), self._options.timeout_ms / 1000)
        except ExchangeError as failed:
            if failed.failure is not Failure.CONTRADICTION:
                return None
            opinion = JudgeOpinion(Opinion.UNSURE, failure=failed.failure, reason=failed.reason)
        except (TimeoutError, ReplyError):
            return None
        if opinion is None:
            return None
        return replace(ruling, opinion=opinion.opinion, of=opinion.of, reason=opinion.reason, failure=opinion.failure)

    def _review(self, question: Question) -> Review | None:
        ids = tuple(shown.match.id for shown in question.shown)
        shown = exhibits(question, ids, self._options.text_chars)
        if shown is None:
            return None
        candidate, kept = shown
        digest = question_digest(question)
        nonce = mark(self._secret, digest, "auto-rater", str(self._reviews.next()))
        note = Noted.begun(self._options.notes, (digest, self._name), nonce)
        nonce = note.review.nonce
        fence = mark(self._secret, nonce, "fence")
        case = posed(Posed("1", candidate, kept), fence, Order.CANDIDATE_FIRST)
        prompt = "\n".join([prompts.RULES, prompts.ONE_CASE, "", headed(digest, nonce, fence, [case])])
        near = [s.match.similarity for s in question.shown]
        matches = [{"id": k.id, "similarity": s, **_payload(k)} for k, s in zip(kept, near, strict=True)]
        body = {"custom_evaluation_prompt": prompt, "payload": {"candidate": _payload(candidate), "matches": matches}}
        words = question_words(_whole(candidate), [_whole(k) for k in kept], ids)
        return Review((digest, nonce), ids, body, words, note)

    def _converse(self, talk: _ReviewExchange, started: float) -> JudgeOpinion:
        """Run the review, and convert every error into a failure."""
        left_s = self._options.timeout_ms / 1000 - (time.monotonic() - started)
        try:
            return within(talk.held(), left_s)
        except TimeoutError:
            return JudgeOpinion(Opinion.UNSURE, failure=Failure.TIMEOUT, reason="no complete answer in time")
        except ExchangeError as failed:
            return JudgeOpinion(Opinion.UNSURE, failure=failed.failure, reason=failed.reason)
        except ReplyError as bad:
            return JudgeOpinion(Opinion.UNSURE, failure=Failure.MALFORMED, reason=bad.reason)


class _ReviewExchange:
    """The exchange of one review, from submission to result.

    Attributes:
        is_accepted: the service accepted the submission, and may charge for it.
        review_id: the service's id of the review; empty if it gives none.
    """

    def __init__(
        self, to: tuple[HttpClient, str], review: Review, options: RaterOptions, deadline: float, reviews: _Reviews
    ) -> None:  # fmt: skip
        self.is_accepted = False
        self.review_id = ""
        self._reviews = reviews
        self._warned = ""
        self._named = ""
        self._http, self._url = to
        self._review = review
        self._options = options
        self._deadline = deadline
        self._interval_s = options.interval_ms / 1000
        self._oldest_s = options.timeout_ms / 1000

    async def held(self) -> JudgeOpinion:
        async with self._http.opened() as client:
            first = await self._resumed(client) or await self._submitted(client)
            self._named = self.review_id = first.id
            result = first if first.is_done else await self._finished(client, first.id)
            opinion = self._read(result)
            if opinion.opinion is not Opinion.DISTINCT or not first.id:
                return opinion
            return await self._confirmed(client, first.id, opinion, _authors(result))

    async def again(self, review: str) -> JudgeOpinion | None:
        """Return the service's opinion on an earlier review; None if the service has discarded it.

        Raises:
            ExchangeError, ReplyError: it cannot be read.
        """
        self._named = review
        async with self._http.opened() as client:
            url = f"{self._url}/api/v1/review/{review}"
            reply = await exchanged(client, "GET", url, self._deadline, self._oldest_s)
        envelope = read_envelope(reply)
        if envelope.id and envelope.id != review:
            raise ExchangeError(Failure.CONTRADICTION, "the answer is on another review")
        if normal_word(str(reply.get("status", ""))) == "expired":
            return None
        if envelope.has_failed:
            return JudgeOpinion(Opinion.UNSURE, failure=Failure.CONTRADICTION, reason="it says that the review failed")
        if not envelope.is_done:
            return JudgeOpinion(Opinion.UNSURE, failure=Failure.CONTRADICTION, reason="its review is open again")
        return self._read(envelope)

    async def _resumed(self, client: httpx2.AsyncClient) -> ResultEnvelope | None:
        """Return the state of a review that another process submitted; None if there is none or the service lost it."""
        review_id = self._review.noted.review.review
        if not review_id:
            return None
        try:
            polled = await self._polled(client, review_id)
        except ExchangeError as failed:
            if failed.failure is Failure.REFUSED and failed.retry_after_s is None:
                return None
            polled = ResultEnvelope(review_id, False, False, {})
        self.is_accepted = True
        if self._reviews.before(review_id, self._review.echo[0]) == "another":
            raise ExchangeError(Failure.CONTRADICTION, "the review id was used before, for another question")
        return replace(polled, id=review_id)

    async def _submitted(self, client: httpx2.AsyncClient) -> ResultEnvelope:
        """Submit, and retry when the service asks for it; the idempotency key identifies a retry."""
        client.headers["Idempotency-Key"] = self._review.echo[1]
        url = f"{self._url}/api/v1/review"
        for _ in range(self._options.most_tries):
            try:
                reply = await exchanged(client, "POST", url, self._deadline, self._oldest_s, self._review.body)
                accepted = self._accepted(reply)
            except ExchangeError as failed:
                await asyncio.sleep(self._retry_pause_s(failed))
            else:
                await asyncio.to_thread(self._review.noted.accepted, accepted.id)
                return accepted
        raise ExchangeError(Failure.REFUSED, "it was not accepted within the number of tries")

    def _accepted(self, reply: dict[str, Any]) -> ResultEnvelope:
        self.is_accepted = True
        accepted = self._record_warnings(read_envelope(reply))
        if not accepted.id and not accepted.is_done:
            raise ReplyError("the submission has neither an id nor a result")
        before = self._reviews.before(accepted.id, self._review.echo[0]) if accepted.id else ""
        if before:
            reason = f"the review id was used before, for {before} question"
            raise ExchangeError(Failure.CONTRADICTION, reason)
        return accepted

    def _record_warnings(self, envelope: ResultEnvelope) -> ResultEnvelope:
        """Record what in a pending reply contradicts a later clear."""
        if not envelope.is_done:
            self._warned = self._warned or against_at_all(envelope.others)
        return envelope

    def _retry_pause_s(self, failed: ExchangeError) -> float:
        """Return the seconds to wait: as the service asks, at least one interval, within the deadline.

        Raises:
            ExchangeError: the service does not ask for a retry, or only after the deadline.
        """
        if failed.retry_after_s is None:
            raise failed
        pause_s = max(failed.retry_after_s, self._interval_s)
        if time.monotonic() + pause_s >= self._deadline:
            raise failed
        return pause_s

    async def _finished(self, client: httpx2.AsyncClient, review: str) -> ResultEnvelope:
        n_failed, later_s = 0, 0.0
        for pause_s in self._options.pauses_s():
            await asyncio.sleep(max(pause_s, later_s))
            later_s = 0.0
            try:
                polled = await self._polled(client, review)
            except ExchangeError as failed:
                later_s = self._interval_s
                n_failed += failed.failure is Failure.UNREACHABLE
                if failed.failure is not Failure.UNREACHABLE or n_failed > MAX_FAILED_POLLS:
                    later_s = self._retry_pause_s(failed)
                continue
            if polled.is_done:
                return polled
        raise ExchangeError(Failure.TIMEOUT, "it was not done within the number of polls")

    async def _polled(self, client: httpx2.AsyncClient, review: str) -> ResultEnvelope:
        url = f"{self._url}/api/v1/review/{review}"
        polled = self._record_warnings(
            read_envelope(await exchanged(client, "GET", url, self._deadline, self._oldest_s))
        )
        if polled.id and polled.id != review:
            raise ExchangeError(Failure.CONTRADICTION, "the answer is on another review")
        return polled

    async def _confirmed(
        self, client: httpx2.AsyncClient, review: str, opinion: JudgeOpinion, by: frozenset[tuple[str, str]]
    ) -> JudgeOpinion:
        """Poll until the window is over, at least once: a clear that changes to another answer does not count.

        Nor does a clear if another model is named for it: then the review was not made from this question.
        """
        stands_at = time.monotonic() + self._options.window_ms / 1000
        while True:
            left_s = stands_at - time.monotonic()
            await asyncio.sleep(min(self._interval_s, max(0.0, left_s)))
            again = await self._polled(client, review)
            if not again.is_done or self._read(again) != opinion:
                reason = "it retracted its clear" if self._options.window_ms else "it gave two different answers"
                return JudgeOpinion(Opinion.UNSURE, failure=Failure.CONTRADICTION, reason=reason)
            if _authors(again) != by:
                reason = "the second poll names another model"
                return JudgeOpinion(Opinion.UNSURE, failure=Failure.CONTRADICTION, reason=reason)
            if left_s <= self._interval_s:
                return opinion

    def _read(self, envelope: ResultEnvelope) -> JudgeOpinion:
        if envelope.has_failed:
            raise ExchangeError(Failure.REFUSED, "the service says that the review failed")
        reading = read_result(envelope.result, self._review.echo, self._review.ids, self._options.lenient)
        if self._options.requires_echo and not reading.is_echoed and reading.opinion is Opinion.DISTINCT:
            raise ReplyError("it clears without an echo of the question")
        if reading.opinion is Opinion.DISTINCT and not reading.is_echoed and not envelope.id:
            raise ReplyError("it clears without naming the question or the review")
        if reading.opinion is Opinion.DISTINCT and self._warned:
            reason = f"it clears, but its pending reply contained {self._warned}"
            return JudgeOpinion(Opinion.UNSURE, failure=Failure.CONTRADICTION, reason=reason)
        review_id = self._named or envelope.id
        expected = ExpectedNames(review_id, *self._review.echo, self._review.words, self._review.ids)
        return contradicted(reading, envelope, expected, self._options.least_confidence)


def _authors(envelope: ResultEnvelope) -> frozenset[tuple[str, str]]:
    return authors(envelope.others) | authors(envelope.result)


def _whole(exhibit: Exhibit) -> str:
    return f"{exhibit.fields}\n{exhibit.text}"


def _payload(exhibit: Exhibit) -> dict[str, Any]:
    fields = [line.partition(": ") for line in exhibit.fields.splitlines()]
    return {"text": exhibit.text, "fields": {name: value for name, _, value in fields}}
