"""Links to the chat page: signed, so that nobody can make one, and as good as the name in them."""

from __future__ import annotations

from dataclasses import dataclass

from itsdangerous import BadData, URLSafeSerializer

SALT = "saidonce.chat"
GUEST = "guest-"
"""How names begin that belong to nobody the landlord knows."""

MAX_LINK_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who a link was made for.

    Attributes:
        name: external user id on the web channel.
    """

    org: str
    name: str

    @property
    def is_guest(self) -> bool:
        """Whether the link was made for nobody the landlord knows."""
        return self.name.startswith(GUEST)


def link_path(secret: str, visitor: Visitor) -> str:
    """Give the path of a visitor's chat page."""
    return f"/chat/{URLSafeSerializer(secret, salt=SALT).dumps([visitor.org, visitor.name])}"


def read_link(secret: str, token: str) -> Visitor | None:
    """Read the last part of such a path; None if we did not make it."""
    if len(token) > MAX_LINK_CHARS:
        return None
    try:
        org, name = URLSafeSerializer(secret, salt=SALT).loads(token)
    except (BadData, ValueError, TypeError):
        return None
    return Visitor(str(org), str(name))
