"""The channels that residents may write by: one dict of what is built in, and what plug-ins add.

A plug-in names a `ResidentChannel` without state under the group of entry points `saidonce.channels`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from saidonce.errors import NotFoundError, SettingsError
from saidonce.foundation import plugins
from saidonce.foundation.model.residents import Via
from saidonce.foundation.settings.channels import ChannelSettings
from saidonce.repairs.channels.channel import ResidentChannel
from saidonce.repairs.channels.sms import SmsChannel
from saidonce.repairs.channels.whatsapp import CloudChannel, TwilioChannel

GROUP = "saidonce.channels"

CHANNELS: Mapping[str, ResidentChannel] = MappingProxyType(
    {channel.name: channel for channel in (CloudChannel(), TwilioChannel(), SmsChannel())}
)
"""What is built in, by name; the web page needs no channel, for it reads and writes by itself."""

_VERBS = ("handshake", "read", "messenger", "fetcher")


@cache
def channels() -> Mapping[str, ResidentChannel]:
    """Return all channels by name, those of plug-ins last; loaded once in a process.

    Raises:
        PluginError: one cannot be loaded, is no channel, or takes a name that is built in.
    """
    all_of_them = dict(CHANNELS)
    for name, point in plugins.find(GROUP, {*CHANNELS, *Via}).items():
        channel: ResidentChannel = plugins.load(point, _flaw)
        if channel.name != name:
            raise plugins.refusal(point, f"calls itself {channel.name!r}; both names have to be the same")
        all_of_them[name] = channel
    return MappingProxyType(all_of_them)


def channels_of(settings: ChannelSettings) -> Mapping[str, ResidentChannel]:
    """Return all channels, with the options of plug-ins checked.

    Raises:
        SettingsError: `channel_options` names a channel or an option that there is none of.
        PluginError: a channel cannot be loaded.
    """
    added = {name: channel for name, channel in channels().items() if name not in CHANNELS}
    for name, options in settings.channel_options.items():
        if name not in added:
            raise SettingsError(f"channel_options.{name}", "(not shown)", _listed("channels of plug-ins", added))
        for option in options:
            if option not in added[name].settings:
                allowed = _listed(f"options of {name}", added[name].settings)
                raise SettingsError(f"channel_options.{name}.{option}", "(not shown)", allowed)
    return channels()


def channel_of(name: str) -> ResidentChannel:
    """Return the channel of a name.

    Raises:
        NotFoundError: there is none.
        PluginError: a channel cannot be loaded.
    """
    channel = CHANNELS.get(name) or channels().get(name)
    if channel is None:
        raise NotFoundError("channel", name[:40])
    return channel


def _flaw(plugin: Any) -> str:
    if isinstance(plugin, type):
        return "is a class; a channel is an instance of one"
    missing = [verb for verb in _VERBS if not callable(getattr(plugin, verb, None))]
    names = [n for n in ("settings", "secrets") if not isinstance(getattr(plugin, n, None), frozenset)]
    missing += [] if isinstance(getattr(plugin, "name", None), str) else ["name"]
    if missing or names:
        return f"is no channel: it has no {', '.join([*missing, *names])}"
    return ""


def _listed(what: str, names: Any) -> str:
    return f"{what}: {', '.join(sorted(names)) or 'there are none'}"
