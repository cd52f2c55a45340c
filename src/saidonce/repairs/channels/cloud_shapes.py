"""Shapes of what WhatsApp's Cloud API posts: strict in what is used, silent about all that is not.

Source: Meta's reference of the `messages` webhook, and of business-scoped user ids (2026).
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from saidonce.repairs.channels.received import ID

Id = Annotated[str, Field(pattern=f"^{ID.pattern}$")]
MediaId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,200}$")]
"""It becomes a part of an address."""


class Shape(BaseModel):
    """Base: no conversion of types; what we do not know is left out."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True, populate_by_name=True)


class WebhookEnvelope(Shape):
    """A whole post."""

    object: str
    entry: list[Any]


class WebhookEntry(Shape):
    """What concerns one business account."""

    changes: list[Any]


class Metadata(Shape):
    """Which of our numbers it is about."""

    phone_number_id: Id


class Contact(Shape):
    """Who writes; the phone is missing where a username hides it."""

    wa_id: Id | None = None
    user_id: Id | None = None


class Value(Shape):
    """What changed: messages to us and statuses of ours."""

    metadata: Metadata
    contacts: list[Any] = []
    messages: list[Any] = []
    statuses: list[Any] = []
    errors: list[Any] = []


class WebhookChange(Shape):
    """One change and the name of what changed."""

    field: str
    value: Value


class TextBody(Shape):
    """Words."""

    body: str


class File(Shape):
    """A picture, film, voice message or document."""

    id: MediaId
    mime_type: str
    sha256: str = ""
    caption: str = ""


class Place(Shape):
    """A pin on the map."""

    latitude: float | int
    longitude: float | int
    name: str = ""
    address: str = ""


class Name(Shape):
    """How a shared contact is called."""

    formatted_name: str = ""


class Phone(Shape):
    """A number of a shared contact."""

    phone: str = ""


class Card(Shape):
    """A shared contact."""

    name: Name = Name()
    phones: list[Phone] = []


class Pressed(Shape):
    """A reply button or a row of a list."""

    id: str


class Interactive(Shape):
    """An answer to buttons or to a list."""

    type: str
    button_reply: Pressed | None = None
    list_reply: Pressed | None = None


class TemplateButton(Shape):
    """A button under a template."""

    payload: str


class Edited(Shape):
    """What a message was changed into."""

    message: dict[str, Any]


class System(Shape):
    """Something that happened to an account."""

    type: str
    wa_id: Id | None = None
    user_id: Id | None = None
    previous_user_id: Id | None = None


class Head(Shape):
    """What every message has, whatever its kind."""

    id: Id
    type: str
    timestamp: str | int
    from_: Id | None = Field(default=None, alias="from")
    from_user_id: Id | None = None
    from_parent_user_id: Id | None = None


class Problem(Shape):
    """One error of a status."""

    code: int


class SentStatus(Shape):
    """How far a message of ours has come."""

    id: Id
    status: str
    biz_opaque_callback_data: str | None = None
    errors: list[Problem] = []
