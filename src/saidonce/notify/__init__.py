"""Flow: tells people of what the ladder did by itself; each decision stands in one notice of a channel."""

from saidonce.notify.channels import DAILY_S, HOURLY_S, NOW_S, add_channel, remove_channel, try_out
from saidonce.notify.deliver import Delivery, deliver, pending
from saidonce.notify.feed import Feed, feed
from saidonce.notify.gather import gather

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
    "pending",
    "remove_channel",
    "try_out",
]
