"""Adapter: WhatsApp, straight from Meta (Cloud API) or through Twilio: posts are read, messages sent, files fetched."""

from saidonce.repairs.channels import cloud, twilio
from saidonce.repairs.channels.cloud_sending import CloudMessenger
from saidonce.repairs.channels.media import CloudMedia, TwilioMedia
from saidonce.repairs.channels.opened import ByChannel, open_fetchers, open_messengers
from saidonce.repairs.channels.received import DeliveryStatus, NotTaken, Received
from saidonce.repairs.channels.twilio_sending import TwilioMessenger

__all__ = [
    "ByChannel",
    "CloudMedia",
    "CloudMessenger",
    "DeliveryStatus",
    "NotTaken",
    "Received",
    "TwilioMedia",
    "TwilioMessenger",
    "cloud",
    "open_fetchers",
    "open_messengers",
    "twilio",
]
