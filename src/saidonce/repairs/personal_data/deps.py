"""Dependencies of data protection: an organisation's conversations, its files, and chance."""

from __future__ import annotations

from dataclasses import dataclass

from saidonce.foundation.ports.media import MediaFiles
from saidonce.foundation.ports.sending import Chance
from saidonce.repairs.conversation import ConversationDeps


@dataclass(frozen=True, slots=True)
class PersonalDataDeps:
    """What the flows of data protection work with.

    Attributes:
        chance: `secrets.token_bytes`.
    """

    deps: ConversationDeps
    files: MediaFiles
    chance: Chance
