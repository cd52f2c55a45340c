"""Adapters of what residents write by: WhatsApp (from Meta or through Twilio), SMS, the web page, and plug-ins.

A channel is one `ResidentChannel`: it reads posts, sends messages and fetches files; `registry` names all of them.
"""

from saidonce.repairs.channels import cloud, twilio
from saidonce.repairs.channels.channel import ChannelPost, ResidentChannel
from saidonce.repairs.channels.cloud_sending import CloudMessenger
from saidonce.repairs.channels.media import CloudMedia, TwilioMedia
from saidonce.repairs.channels.opened import ByChannel, open_fetchers, open_messengers
from saidonce.repairs.channels.outlets import ChannelOutlets
from saidonce.repairs.channels.received import DeliveryStatus, NotTaken, Received
from saidonce.repairs.channels.registry import CHANNELS, channel_of, channels
from saidonce.repairs.channels.twilio_sending import TwilioMessenger

__all__ = [
    "CHANNELS",
    "ByChannel",
    "ChannelOutlets",
    "ChannelPost",
    "CloudMedia",
    "CloudMessenger",
    "DeliveryStatus",
    "NotTaken",
    "Received",
    "ResidentChannel",
    "TwilioMedia",
    "TwilioMessenger",
    "channel_of",
    "channels",
    "cloud",
    "open_fetchers",
    "open_messengers",
    "twilio",
]
