"""Flow: tells people of what the ladder did by itself, and of what residents report; each once a channel."""

from saidonce.platform.notifications.channels import DAILY_S, HOURLY_S, NOW_S, add_channel, remove_channel, try_out
from saidonce.platform.notifications.deliver import Delivery, deliver, pending
from saidonce.platform.notifications.feed import Feed, feed
from saidonce.platform.notifications.landlord import gather_landlord, landlord_notice
from saidonce.platform.notifications.outbox import gather

__all__ = [
    "DAILY_S",
    "HOURLY_S",
    "NOW_S",
    "Delivery",
    "Feed",
    "add_channel",
    "deliver",
    "feed",
    "gather",
    "gather_landlord",
    "landlord_notice",
    "pending",
    "remove_channel",
    "try_out",
]
