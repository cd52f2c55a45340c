"""people, keys, channels, worker."""

from __future__ import annotations

import re
import secrets
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from saidonce.foundation.model import SCOPES_OF, ApiKey, Channel, ChannelKind, Notice, Person, Role, Scope
from saidonce.interfaces.cli.group import CommandSet
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import JsonOption, err, moment_of, open_base, out, print_json

if TYPE_CHECKING:
    from saidonce.foundation.ports import Store

people_app = CommandSet("Manage people and their roles.")
keys_app = CommandSet("Manage API keys of people and programs.")
channels_app = CommandSet("Manage notification channels for automatic merges and flags.")

NameArgument = Annotated[str, typer.Argument(help="Name of the person.", show_default=False)]
IdArgument = Annotated[str, typer.Argument(help="Id, as shown by `list`.", show_default=False)]


class Digest(StrEnum):
    """How often a channel is notified."""

    NOW = "now"
    HOURLY = "hourly"
    DAILY = "daily"


@people_app.command(name="add")
def add_person(
    name: NameArgument,
    email: Annotated[str, typer.Argument(help="E-mail address, by which single sign-on recognises the person.")] = "",
    role: Annotated[Role, typer.Option(help="Role, which determines the permissions.")] = Role.REVIEWER,
    as_json: JsonOption = False,
) -> None:
    """Add a person, or restore one who left.

    **Example**: `saidonce people add ann ann@example.com --role owner`
    """
    from saidonce.interfaces.views.people import PersonView
    from saidonce.platform import access

    with open_base(creates=True) as base:
        person = access.add_person(base.store, name, email, role, base.base.clock.now())
        _print(as_json, PersonView.show(person), f"{clean(person.name)} is now {person.role}")


@people_app.command(name="list")
def list_people(as_json: JsonOption = False) -> None:
    """List people, including those who left.

    **Example**: `saidonce people list --json`
    """
    from saidonce.interfaces.views.people import PersonView

    with open_base() as base:
        everyone = base.store.people.people()
        lines = [_person_line(p) for p in everyone] or ["no people yet; a single machine needs none"]
        _print(as_json, [PersonView.show(p) for p in everyone], "\n".join(lines))


@people_app.command(name="role")
def change_role(
    name: NameArgument,
    role: Annotated[Role, typer.Argument(help="New role.", show_default=False)],
    as_json: JsonOption = False,
) -> None:
    """Change a person's role; their keys immediately lose the scopes that the new role does not allow.

    **Example**: `saidonce people role ann reviewer`
    """
    from saidonce.interfaces.views.people import PersonView
    from saidonce.platform import access

    with open_base() as base:
        person = access.change_role(base.store, name, role, base.base.clock.now())
        _print(as_json, PersonView.show(person), f"{clean(person.name)} is now {person.role}")


@people_app.command(name="leave")
def leave(name: NameArgument, as_json: JsonOption = False) -> None:
    """Record that a person has left: their keys are revoked, their decisions stay.

    **Example**: `saidonce people leave ann`
    """
    from saidonce.interfaces.views.people import PersonView
    from saidonce.platform import access

    with open_base() as base:
        person = access.leave(base.store, name, base.base.clock.now())
        _print(as_json, PersonView.show(person), f"{clean(person.name)} left; their keys are revoked")


@keys_app.command(name="make")
def make_key(
    person: NameArgument,
    label: Annotated[str, typer.Option(help="Purpose of the key.")] = "",
    scope: Annotated[
        list[Scope] | None,
        typer.Option(help="Scope of the key; repeatable. All that the role allows by default.", show_default=False),
    ] = None,
    expires: Annotated[
        str, typer.Option(help="When it expires: days such as 90d, or a time such as 2027-01-31T00:00:00Z.")
    ] = "",
    address: Annotated[
        list[str] | None,
        typer.Option(help="IP address or network (CIDR) from which it may be used; repeatable.", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Create an API key and print it once; only a hash is stored.

    **Examples**

    * `saidonce keys make ann --label laptop --scope read --scope review`
    * `saidonce keys make ann --label crawler --scope write --json`
    * `saidonce keys make ann --label deploy --expires 90d --address 10.1.0.0/16`
    """
    from saidonce.interfaces.views.people import NewKeyView
    from saidonce.platform import access

    with open_base(creates=True) as base:
        now = base.base.clock.now()
        wish = access.KeyWish(
            person, label, frozenset(scope or _all_of(base.store, person)), _expiry(expires, now), tuple(address or ())
        )
        key, presented = access.make_limited_key(base.store, wish, now, secrets.token_bytes)
        _print(as_json, NewKeyView.show(key, key=presented), presented)


@keys_app.command(name="list")
def list_keys(as_json: JsonOption = False) -> None:
    """List all keys, without their secrets.

    **Example**: `saidonce keys list`
    """
    from saidonce.interfaces.views.people import KeyView

    with open_base() as base:
        keys = base.store.people.keys()
        lines = [_key_line(k) for k in keys] or ["no keys"]
        _print(as_json, [KeyView.show(k) for k in keys], "\n".join(lines))


@keys_app.command(name="revoke")
def revoke_key(key: IdArgument, as_json: JsonOption = False) -> None:
    """Revoke a key permanently.

    **Example**: `saidonce keys revoke 5f0c3d9e8b7a6f51`
    """
    from saidonce.interfaces.views.people import KeyView
    from saidonce.platform import access

    with open_base() as base:
        revoked = access.revoke(base.store, key, base.base.clock.now())
        _print(as_json, KeyView.show(revoked), f"{revoked.id} of {clean(revoked.person)} is revoked")


@channels_app.command(name="add")
def add_channel(
    kind: Annotated[ChannelKind, typer.Argument(help="Kind of channel.", show_default=False)],
    target: Annotated[str, typer.Argument(help="URL of the webhook, or e-mail address.", show_default=False)],
    owner: Annotated[str, typer.Option(help="Only blocks of this owner; all by default.")] = "",
    digest: Annotated[Digest, typer.Option(help="How often to send; `now` means within a minute.")] = Digest.HOURLY,
    as_json: JsonOption = False,
) -> None:
    """Add a channel that is notified of automatic merges and flags.

    The secret with which a webhook's receiver checks signatures is printed only once.

    **Examples**

    * `saidonce channels add webhook https://example.com/hooks/saidonce --digest now`
    * `saidonce channels add email ann@example.com --owner ann --digest daily`
    """
    from saidonce.interfaces.views.people import NewChannelView
    from saidonce.platform import notifications

    every_s = {
        Digest.NOW: notifications.NOW_S,
        Digest.HOURLY: notifications.HOURLY_S,
        Digest.DAILY: notifications.DAILY_S,
    }[digest]
    with open_base(creates=True) as base:
        channel = notifications.add_channel(base.base, kind, target, owner, every_s, secrets.token_bytes)
        signed = f"\nsigning secret: {channel.secret}" if channel.secret else ""
        _print(as_json, NewChannelView.show(channel), f"channel {channel.id} added{signed}")
        if kind is ChannelKind.EMAIL and not base.settings.smtp_url:
            err.print(
                "saidonce: WARNING: nothing is sent by e-mail until the setting smtp_url is set", style="red bold"
            )


@channels_app.command(name="list")
def list_channels(as_json: JsonOption = False) -> None:
    """List channels with their latest notifications; webhook URLs are cut to the host, as the rest may be secret.

    **Example**: `saidonce channels list`
    """
    from saidonce.interfaces.views.people import ChannelWithNotices

    with open_base() as base:
        people = base.store.people
        channels = [(c, people.notices(c.id, 5)) for c in people.channels()]
        lines = [_channel_lines(c, notices) for c, notices in channels] or ["no channels"]
        rows = [ChannelWithNotices.show(c, notices=notices) for c, notices in channels]
        _print(as_json, rows, "\n".join(lines))


@channels_app.command(name="remove")
def remove_channel(channel: IdArgument, as_json: JsonOption = False) -> None:
    """Remove a channel and its undelivered notifications.

    **Example**: `saidonce channels remove 5f0c3d9e8b7a`
    """
    from saidonce.interfaces.views.people import ChannelRemoved
    from saidonce.platform import notifications

    with open_base() as base:
        notifications.remove_channel(base.base, channel)
        _print(as_json, ChannelRemoved(removed=channel), f"channel {clean(channel)} removed")


@channels_app.command(name="test")
def try_channel(channel: IdArgument, as_json: JsonOption = False) -> None:
    """Send a test message to a channel.

    **Example**: `saidonce channels test 5f0c3d9e8b7a`
    """
    from saidonce.adapters.senders import open_senders
    from saidonce.interfaces.views.people import ChannelTested
    from saidonce.platform import notifications

    with open_base() as base:
        s = base.settings
        senders = open_senders(s.smtp_url, s.smtp_from, s.webhook_allow_private, s.send_timeout_s)
        notifications.send_test(base.base, senders, channel, secrets.token_bytes)
        _print(as_json, ChannelTested(sent=channel), "the receiver accepted the test notification")


def worker(
    once: Annotated[bool, typer.Option("--once", help="Do the work that is due now and exit.")] = False,
) -> None:
    """Do the background work of all organisations until stopped, beside one or more servers.

    Background work is to deliver notifications, decide pending submissions, sync due sources, and, with the extra
    `repairs`, answer residents. Any number of workers may run. Failed notifications are retried with exponential
    backoff.

    **Examples**

    * `saidonce worker`
    * `saidonce worker --once`
    """
    with open_base(creates=True) as base:
        from saidonce.interfaces.cli.serve import warn_of_unreached
        from saidonce.interfaces.worker import work

        work(base.settings, once, warn_of_unreached)


def _expiry(written: str, now: datetime) -> datetime | None:
    """Read when a key runs out.

    Raises:
        UsageError: it is neither days nor a moment with its zone.
    """
    if days := re.fullmatch(r"([1-9][0-9]{0,4})d", written):
        return now + timedelta(days=int(days[1]))
    return moment_of(written, "days such as 90d, or a time with its time zone, such as 2027-01-31T00:00:00Z")


def _all_of(store: Store, person: str) -> list[Scope]:
    """Return the scopes of a person's role; of an unknown person any, since `make_key` reports them better."""
    known = store.people.person(person)
    return sorted(SCOPES_OF[known.role]) if known is not None else [Scope.READ]


def _person_line(person: Person) -> str:
    stands = f"left {person.left_at:%Y-%m-%d}" if person.left_at else str(person.role)
    active = f"active {person.active_at:%Y-%m-%d}" if person.active_at else "never active"
    return f"{clean(person.name)}  {stands}  {clean(person.email) or '-'}  {active}"


def _key_line(key: ApiKey) -> str:
    stands = f"revoked {key.revoked_at:%Y-%m-%d}" if key.revoked_at else "+".join(sorted(key.scopes))
    if not key.hash and not key.revoked_at:
        stands += " (imported without its secret: unusable)"
    used = f"used {key.used_at:%Y-%m-%d}" if key.used_at else "never used"
    ends = f"  until {key.expires_at:%Y-%m-%d %H:%M}" if key.expires_at else ""
    where = f"  from {', '.join(key.addresses)}" if key.addresses else ""
    return f"{key.id}  {clean(key.person)}  {stands}  {clean(key.label) or '-'}  {used}{ends}{where}"


def _channel_lines(channel: Channel, notices: tuple[Notice, ...]) -> str:
    from saidonce.interfaces.views.people import address_of

    often = f"every {channel.every_s} s" if channel.every_s else "at once"
    whose = f"blocks of {clean(channel.owner)}" if channel.owner else "all blocks"
    lines = [f"{channel.id}  {channel.kind}  {clean(address_of(channel))}  {often}  {whose}"]
    for n in notices:
        stands = f"delivered {n.delivered_at:%Y-%m-%d %H:%M}" if n.delivered_at else f"{n.n_tries} failures"
        lines.append(f"  {n.id[:12]}  {n.made_at:%Y-%m-%d %H:%M}  {stands}  {clean(n.error)}".rstrip())
    return "\n".join(lines)


def _print(as_json: bool, data: object, text: str) -> None:
    if as_json:
        print_json(data)
    else:
        out.print(text)
