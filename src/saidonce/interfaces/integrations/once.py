"""A decorator for any function that creates things: it runs only for what the gate has not seen."""

from __future__ import annotations

import asyncio
import atexit
import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, ParamSpec, TypeVar, cast

from saidonce.app.knowledge_base import GATE_NAME, KnowledgeBase
from saidonce.errors import NotCreatedError, UsageError
from saidonce.foundation.model import GateState, HeldState, Submission
from saidonce.foundation.text import content_hash
from saidonce.gate.claims import claim, give_up
from saidonce.interfaces.integrations.gated import GateAnswer, gate_answers

P = ParamSpec("P")
R = TypeVar("R")

FAILED = "the function that creates it failed"
KEY = "once:"
"""With this the keys begin of submissions that have none of their own."""


def once(
    gate: str = GATE_NAME,
    *,
    text: str | Callable[..., str | Submission] = "",
    fields: tuple[str, ...] | None = None,
    base: KnowledgeBase | None = None,
    on_repeat: Callable[[GateAnswer], Any] | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function that creates something, so that nothing is created twice.

    Before each call the gate is asked about the arguments; a call that it does not let through creates nothing. What is
    let through is kept by the gate at once, so that nobody else creates the same meanwhile, and is released again if
    the function raises. What is held waits once, however often it is tried; after a person let it through, the next
    call creates it, and no other. Coroutine functions are decorated, too; the gate is asked in a thread of its own
    then.

    Args:
        gate: name of the gate.
        text: parameter that holds the text, or a function that makes the text or `Submission` out of the arguments;
            by default the parameter `text`, or else the first one.
        fields: parameters that are fields of the submission; by default all others with plain values.
        base: an open knowledge base; by default one of the settings, opened at the first call.
        on_repeat: gives the result of a call that creates nothing; without one such a call raises.

    Raises:
        UsageError: the function has no such parameters.
        NotCreatedError: by the decorated function, for what is not let through.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        submission = _maker(function.__name__, signature, text, fields)

        def ask(*args: Any, **kwargs: Any) -> GateAnswer:
            return _ask(base or _default_base(), gate, submission(*args, **kwargs))

        def released(answer: GateAnswer) -> None:
            opened = base or _default_base()
            if not give_up(opened.base, answer.verdict):
                opened.gate(gate).release(answer.verdict, "saidonce.once", FAILED)

        wrapped = _wrap_coroutine(function, ask, released, on_repeat) if inspect.iscoroutinefunction(function) else (
            _wrap_function(function, ask, released, on_repeat))  # fmt: skip
        return cast(Callable[P, R], functools.wraps(function)(wrapped))

    return decorate


def _ask(base: KnowledgeBase, gate: str, submission: Submission) -> GateAnswer:
    """Ask the gate, and claim what it authorises.

    The same submission again is the same check while it waits for somebody, so that it waits once, and whoever comes
    after a person let it through creates it. What is settled otherwise is checked anew: its repeat may be gone.
    """
    if submission.key:
        return _claim(base, gate_answers(base, gate, [submission])[0])
    started = base.base.clock.now()
    named = replace(submission, key=f"{KEY}{content_hash(repr(replace(submission, submitter='')))}")
    answer = _claim(base, gate_answers(base, gate, [named])[0])
    stored = base.store.gates.verdict(answer.verdict)
    near = base.store.gates.admissions([answer.of]) if answer.of else {}
    is_gone = any(admission.released_at is not None for admission in near.values())
    waits = stored is not None and (stored.state is GateState.PENDING or stored.held is HeldState.OPEN) and not is_gone
    if answer.may_create or waits or stored is None or stored.at >= started:
        return answer
    return _claim(base, gate_answers(base, gate, [submission])[0])


def _claim(base: KnowledgeBase, answer: GateAnswer) -> GateAnswer:
    """Return an answer that lets through whoever claims it first; for all others it is a repeat."""
    if not answer.may_create or claim(base.base, answer.verdict):
        return answer
    return replace(answer, may_create=False, is_repeat=True)


def _wrap_function(
    function: Callable[..., Any],
    ask: Callable[..., GateAnswer],
    released: Callable[[GateAnswer], None],
    on_repeat: Callable[[GateAnswer], Any] | None,
) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        answer = ask(*args, **kwargs)
        if not answer.may_create:
            return _repeat_value(answer, on_repeat)
        try:
            return function(*args, **kwargs)
        except BaseException:  # whatever stopped it, nothing was created, and another try must not be held off
            released(answer)
            raise

    return call


def _wrap_coroutine(
    function: Callable[..., Any],
    ask: Callable[..., GateAnswer],
    released: Callable[[GateAnswer], None],
    on_repeat: Callable[[GateAnswer], Any] | None,
) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> Any:
        answer = await asyncio.to_thread(ask, *args, **kwargs)
        if not answer.may_create:
            return _repeat_value(answer, on_repeat)
        try:
            return await function(*args, **kwargs)
        except BaseException:  # as above; a cancelled task, too
            await asyncio.shield(asyncio.to_thread(released, answer))
            raise

    return call


def _repeat_value(answer: GateAnswer, on_repeat: Callable[[GateAnswer], Any] | None) -> Any:
    if on_repeat is None:
        raise NotCreatedError(answer.verdict, answer.state, answer.of, answer.similarity, answer.reason)
    return on_repeat(answer)


def _maker(
    name: str, signature: inspect.Signature, text: str | Callable[..., str | Submission], fields: tuple[str, ...] | None
) -> Callable[..., Submission]:
    """Return what makes a submission out of the arguments of a call.

    Raises:
        UsageError: the function has no such parameters.
    """
    names = [p for p in signature.parameters if p not in {"self", "cls"}]
    if callable(text):
        make = text

        def build(*args: Any, **kwargs: Any) -> Submission:
            one = make(*args, **kwargs)
            return one if isinstance(one, Submission) else Submission(one)

        return build
    held = text or ("text" if "text" in names else next(iter(names), ""))
    unknown = [p for p in (held, *(fields or ())) if p not in names]
    if unknown:
        raise UsageError(f"{name} has no parameter {unknown[0]!r}; it has {', '.join(names) or 'none'}")

    def of_arguments(*args: Any, **kwargs: Any) -> Submission:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = bound.arguments
        if not isinstance(values[held], str):
            raise UsageError(f"{held!r} of {name} is a {type(values[held]).__name__}; the gate compares texts")
        shown = fields if fields is not None else tuple(p for p in names if p != held)
        return Submission(values[held], fields=_pairs(values, shown))

    return of_arguments


def _pairs(arguments: Mapping[str, Any], names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((n, str(v)) for n in names if isinstance(v := arguments[n], str | int | float | bool) and v != "")


@cache
def _default_base() -> KnowledgeBase:
    base = KnowledgeBase()
    atexit.register(base.close)
    return base
