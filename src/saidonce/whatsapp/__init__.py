"""Adapter: WhatsApp, straight from Meta (Cloud API) or through Twilio: posts are read, messages sent, files fetched."""

from saidonce.whatsapp import cloud, twilio
from saidonce.whatsapp.cloud_sending import CloudMessenger
from saidonce.whatsapp.media import CloudMedia, TwilioMedia
from saidonce.whatsapp.opened import ByChannel, open_fetchers, open_messengers
from saidonce.whatsapp.received import NotTaken, Received, Status
from saidonce.whatsapp.twilio_sending import TwilioMessenger

__all__ = [
    "ByChannel",
    "CloudMedia",
    "CloudMessenger",
    "NotTaken",
    "Received",
    "Status",
    "TwilioMedia",
    "TwilioMessenger",
    "cloud",
    "open_fetchers",
    "open_messengers",
    "twilio",
]
