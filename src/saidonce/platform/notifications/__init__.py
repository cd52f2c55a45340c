"""Flow: notices of automatic decisions, of verdicts of gates and of residents' reports, each once per channel."""

from saidonce.platform.notifications.channels import DAILY_S, HOURLY_S, NOW_S, add_channel, remove_channel, send_test
from saidonce.platform.notifications.deliver import Delivery, deliver, pending
from saidonce.platform.notifications.feed import Feed, feed
from saidonce.platform.notifications.landlord import create_landlord_notices, landlord_notice
from saidonce.platform.notifications.outbox import create_notices
from saidonce.platform.notifications.review_reminders import DuePair, create_review_reminders, due_pairs
from saidonce.platform.notifications.verdicts import create_verdict_notices

__all__ = [
    "DAILY_S",
    "HOURLY_S",
    "NOW_S",
    "Delivery",
    "DuePair",
    "Feed",
    "add_channel",
    "create_landlord_notices",
    "create_notices",
    "create_review_reminders",
    "create_verdict_notices",
    "deliver",
    "due_pairs",
    "feed",
    "landlord_notice",
    "pending",
    "remove_channel",
    "send_test",
]
