"""Flow: tells people of what the ladder did by itself, and of what residents report; each once a channel."""

from saidonce.notify.channels import DAILY_S, HOURLY_S, NOW_S, add_channel, remove_channel, try_out
from saidonce.notify.deliver import Delivery, deliver, pending
from saidonce.notify.feed import Feed, feed
from saidonce.notify.gather import gather
from saidonce.notify.landlord import gather_landlord, landlord_notice

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
