"""Any provider's model through pydantic-ai's direct requests; imported only when a model is configured."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Iterator, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import httpx2

from saidonce.errors import ModelUnavailableError, SettingsError
from saidonce.foundation import extras
from saidonce.foundation.deadline import within
from saidonce.foundation.http import bounded_client
from saidonce.foundation.ports import Reply
from saidonce.foundation.reply_headers import against_reply, names_trouble

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model

MAX_REPLY_TOKENS = 2_000
_FINISHED = frozenset({"stop", "eos", "eos_token", "end_turn", "stop_sequence"})
"""Reasons to finish of a reply that is whole."""

_COMPLETED = frozenset({"completed", "complete", "succeeded", "success", "finished", "done", "ok", "200"})

REPLY_BYTES = 1024 * 1024
"""Largest reply that is read from an endpoint of one's own."""

_JUNK = (ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError)
"""What the provider layer raises in the middle of a reply that is shaped like nothing it knows."""


_flaws: ContextVar[list[str] | None] = ContextVar("saidonce_flaws", default=None)
"""Flaws of the reply that this task waits for."""


class ProviderChat:
    """A model named as the provider layer names it, such as `openai:gpt-5-mini` or `anthropic:claude-haiku-4-5`."""

    def __init__(self, name: str, model: Model | str, timeout_s: float) -> None:
        self._name = name
        self._model = model
        self._timeout_s = timeout_s

    @property
    def name(self) -> str:
        """Name of the model, as it stands in settings."""
        return self._name

    def complete(self, instructions: str, prompt: str, schema: Mapping[str, object]) -> Reply:
        """Return the model's reply, which is asked to be JSON of a schema; the caller trusts nothing of it.

        Several threads may ask at once. The timeout is for the reply as a whole, the provider's own retries included.

        Raises:
            ModelUnavailableError: the model failed or took too long.
        """
        from pydantic_ai import exceptions
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest, TextPart, ThinkingPart
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.output import OutputObjectDefinition
        from pydantic_ai.settings import ModelSettings

        asked = ModelRequest.user_text_prompt(prompt, instructions=instructions)
        parameters = ModelRequestParameters(
            output_mode="native",
            output_object=OutputObjectDefinition(json_schema=dict(schema), name="reply", strict=True),
        )
        settings = ModelSettings(temperature=0.0, timeout=self._timeout_s, max_tokens=MAX_REPLY_TOKENS)
        request = model_request(self._model, [asked], model_settings=settings, model_request_parameters=parameters)
        flaws: list[str] = []
        try:
            response = within(_watch(request, flaws), self._timeout_s)
        except TimeoutError:
            raise ModelUnavailableError(self._name, f"no whole reply within {self._timeout_s:g} s") from None
        except exceptions.UserError as failed:
            # What follows the first sentence is advice to users of the library.
            raise ModelUnavailableError(self._name, str(failed).partition(". ")[0]) from failed
        except (exceptions.AgentRunError, *_JUNK) as failed:
            raise ModelUnavailableError(self._name, f"{type(failed).__name__}: {failed}") from failed
        text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
        if response.finish_reason not in {None, "stop"}:
            flaws.append(f"it ended with {response.finish_reason}")
        thought = "\n".join(part.content for part in response.parts if isinstance(part, ThinkingPart))
        usage = response.usage
        return Reply(
            text, usage.input_tokens, usage.output_tokens, next(iter(flaws), ""), thought, response.model_name or ""
        )


async def _watch(request: Awaitable[ModelResponse], flaws: list[str]) -> ModelResponse:
    """Await a response; what its endpoint says against it is added to the flaws."""
    _flaws.set(flaws)
    return await request


async def _note_flaw(reply: httpx2.Response) -> None:
    """Note what the provider layer leaves unread: a part of an answer, an error, a refusal, several answers."""
    await reply.aread()
    flaws = _flaws.get()
    if flaws is None or reply.status_code >= 300:
        return
    if reply.status_code != 200:
        flaws.append(f"status {reply.status_code}")
    if against := against_reply(reply.headers, "", reply.content):
        flaws.append(against)
    try:
        content = json.loads(reply.content)
    except (ValueError, RecursionError):
        return
    if isinstance(content, dict):
        flaws.extend(_flaws_of(content))


def _flaws_of(content: dict[str, Any]) -> Iterator[str]:
    """Yield what a completion says against itself; a choice has to say that it was finished."""
    yield from _flaws_beside(content)
    choices = content.get("choices")
    if isinstance(choices, list) and len(choices) > 1:
        yield f"it contains {len(choices)} answers"
    for choice in choices if isinstance(choices, list) else ():
        yield from _flaws_of_choice(choice if isinstance(choice, dict) else {})


def _flaws_of_choice(choice: dict[str, Any]) -> Iterator[str]:
    message = choice.get("message")
    if isinstance(message, dict):
        if message.get("refusal") or message.get("tool_calls"):
            yield "it refuses, or calls a tool"
        yield from _named_trouble(message)
    yield from _named_trouble(choice)
    if str(choice.get("finish_reason")).casefold() not in _FINISHED:
        yield "it does not say that it is finished"


def _named_trouble(members: dict[str, Any]) -> Iterator[str]:
    return (
        f"its member {name[:40]!r} reports trouble" for name, value in members.items() if value and names_trouble(name)
    )


def _flaws_beside(content: dict[str, Any]) -> Iterator[str]:
    """Yield what the members beside the choices of a completion say against it."""
    if content.get("object") in {"error", "chat.completion.chunk"}:
        yield "an error or a part of a stream stands in its place"
    if content.get("incomplete_details"):
        yield "it is incomplete"
    if _is_filtered(content):
        yield "it was cut off by a filter"
    yield from _named_trouble(content)
    status = content.get("status")
    if status is not None and str(status).casefold() not in _COMPLETED:
        yield "it does not say that it is completed"


def _is_filtered(value: Any) -> bool:
    """Return whether a filter of the endpoint says, at any depth, that it took something away or saw an attack."""
    if isinstance(value, list):
        return any(map(_is_filtered, value))
    if not isinstance(value, dict):
        return False
    marks = ("filtered", "detected", "flagged", "blocked")
    return any(value.get(name) is True for name in marks) or any(map(_is_filtered, value.values()))


def open_chat(name: str, timeout_s: float, url: str = "", key: str = "", setting: str = "answer_model") -> ProviderChat:
    """Open a model by its name; a URL sends `openai:NAME` to a compatible endpoint of one's own.

    Such an endpoint is not trusted: its replies are limited in size, unpacked in no way, and redirects not followed.
    `setting` is where the name stands, and is what an error names.

    Raises:
        SettingsError: the extra is not installed, or the name has no provider.
    """
    if ":" not in name:
        raise SettingsError(setting, name, "PROVIDER:NAME, such as openai:gpt-5-mini")
    try:
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider
    except ImportError as missing:
        allowed = f"empty, or install the extra: {extras.command('models')}"
        raise SettingsError(setting, name, allowed) from missing
    if not url:
        return ProviderChat(name, name, timeout_s)
    client = bounded_client(REPLY_BYTES)
    client.event_hooks = {"request": [], "response": [_note_flaw]}
    provider = OpenAIProvider(base_url=url, api_key=key or "none", http_client=client)
    return ProviderChat(name, OpenAIChatModel(name.partition(":")[2], provider=provider), timeout_s)


def obstacle(name: str, url: str = "") -> str:
    """Say why a model cannot be asked at all, such as an unknown provider or no key; empty if nothing is known.

    Nothing is sent. An endpoint of one's own is known only when it is asked.
    """
    if url:
        return ""
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.models import infer_model

    try:
        infer_model(name)
    except (UserError, ImportError, ValueError) as bad:
        return str(bad).partition(". ")[0]
    return ""
