"""Any provider's model through pydantic-ai's direct requests; imported only when a model is configured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from saidonce.errors import ModelUnavailableError, SettingsError

if TYPE_CHECKING:
    from pydantic_ai.models import Model

MAX_REPLY_TOKENS = 2_000


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

    def complete(self, instructions: str, prompt: str, schema: Mapping[str, object]) -> str:
        """Give the model's reply, which is asked to be JSON of a schema; the caller trusts nothing of it.

        Raises:
            ModelUnavailableError: the model failed or took too long.
        """
        from pydantic_ai import exceptions
        from pydantic_ai.direct import model_request_sync
        from pydantic_ai.messages import ModelRequest, TextPart
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.output import OutputObjectDefinition
        from pydantic_ai.settings import ModelSettings

        asked = ModelRequest.user_text_prompt(prompt, instructions=instructions)
        wanted = ModelRequestParameters(
            output_mode="native",
            output_object=OutputObjectDefinition(json_schema=dict(schema), name="reply", strict=True),
        )
        settings = ModelSettings(temperature=0.0, timeout=self._timeout_s, max_tokens=MAX_REPLY_TOKENS)
        try:
            reply = model_request_sync(self._model, [asked], model_settings=settings, model_request_parameters=wanted)
        except (exceptions.AgentRunError, exceptions.UserError) as failed:
            raise ModelUnavailableError(self._name, f"{type(failed).__name__}: {failed}") from failed
        return "".join(part.content for part in reply.parts if isinstance(part, TextPart))


def open_chat(name: str, timeout_s: float, url: str = "", key: str = "") -> ProviderChat:
    """Open a model by its name; a URL sends `openai:NAME` to a compatible endpoint of one's own.

    Raises:
        SettingsError: the extra is not installed, or the name has no provider.
    """
    if ":" not in name:
        raise SettingsError("answer_model", name, "PROVIDER:NAME, such as openai:gpt-5-mini")
    try:
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider
    except ImportError as missing:
        allowed = "empty, or install the extra: pip install 'saidonce[models]'"
        raise SettingsError("answer_model", name, allowed) from missing
    if not url:
        return ProviderChat(name, name, timeout_s)
    provider = OpenAIProvider(base_url=url, api_key=key or "none")
    return ProviderChat(name, OpenAIChatModel(name.partition(":")[2], provider=provider), timeout_s)
