"""Signed links to the chat page; a link is as secret as the name in it."""

from __future__ import annotations

from dataclasses import dataclass

from itsdangerous import BadData

from saidonce.repairs.link_signing import link_signer

SALT = "saidonce.chat"
GUEST = "guest-"
"""Beginning of the names of visitors unknown to the landlord."""

MAX_LINK_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class Visitor:
    """The addressee of a link.

    Attributes:
        name: external user id on the web channel.
    """

    org: str
    name: str

    @property
    def is_guest(self) -> bool:
        """Whether the link is for somebody unknown to the landlord."""
        return self.name.startswith(GUEST)


def link_path(secret: str, visitor: Visitor) -> str:
    """Return the path of a visitor's chat page."""
    return f"/chat/{link_signer(secret, SALT).dumps([visitor.org, visitor.name])}"


def read_link(secret: str, token: str) -> Visitor | None:
    """Read the last part of such a path; None without a valid signature."""
    if len(token) > MAX_LINK_CHARS:
        return None
    try:
        org, name = link_signer(secret, SALT).loads(token)
    except (BadData, ValueError, TypeError):
        return None
    return Visitor(str(org), str(name))
