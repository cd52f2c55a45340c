"""Messages over HTTP: stored first, then scanned; a stored message is never refused."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from saidonce.errors import StoreUnavailableError, where
from saidonce.foundation.model.residents import Inbound
from saidonce.repairs import conversation
from saidonce.repairs.conversation import ConversationDeps

_log = logging.getLogger("saidonce")


def take_in(deps: ConversationDeps, inbounds: Sequence[Inbound]) -> None:
    """Keep messages, all of them before the first is scanned.

    A scan that fails is logged and left to the worker: the sender would repeat the post for days.
    """
    for inbound in [conversation.keep(deps, each) for each in inbounds]:
        try:
            conversation.look_at(deps, inbound)
        except StoreUnavailableError:
            raise
        except Exception as failed:  # noqa: BLE001  a door: the message is kept, and the worker scans it again
            _log.error("scan.failed conversation=%s at=%s", inbound.conversation_id, where(failed))
