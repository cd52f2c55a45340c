"""Alarms over HTTP: the signed link, the pages, the API, and what is loud while nobody is reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest

from repairs_site import Office, office
from saidonce.app.repairs_service import AlarmPass, alarm_path
from saidonce.foundation.model import Channel, ChannelKind, Notice
from saidonce.foundation.model.conversation import EmergencyEvent, LandlordEvent, Way
from saidonce.platform import notifications
from saidonce.platform.notifications.landlord import landlord_message
from saidonce.repairs import conversation

KIND = {"email": ChannelKind.EMAIL, "webhook": ChannelKind.WEBHOOK}
FILE = '[[step]]\nchannels = ["jo@example.com"]\nwait_minutes = 5\n'


@pytest.fixture
def site() -> Iterator[Office]:
    with office(settings={"public_url": "https://desk.example.com"}) as running:
        yield running


def channel(site: Office, id: str = "jo", kind: str = "email", owner: str = "") -> Channel:
    at = site.deps.clock.now() - timedelta(days=1)
    target = f"{id}@example.com" if kind == "email" else f"https://hooks.example.com/{id}"
    made = Channel(id, KIND[kind], target, owner, 0, "s" * 32 if kind == "webhook" else "", 0, at)
    site.repairs.base.store.people.put_channel(made)
    return made


def alarm(site: Office) -> EmergencyEvent:
    site.say("Maria Lopez" if "Maria Lopez" in names(site) else names(site)[0], "I smell gas")
    return site.deps.store.events()[-1]


def names(site: Office) -> list[str]:
    return [h.resident.name for h in site.deps.store.homes()]


def link(site: Office, event: EmergencyEvent, to: Channel, days: float = 3, org: str = "demo") -> str:
    return alarm_path(site.secret, AlarmPass(org, event.id, to.id, site.deps.clock.now() + timedelta(days=days)))


def now(site: Office, event: EmergencyEvent) -> EmergencyEvent:
    return next(e for e in site.deps.store.events() if e.id == event.id)


def test_a_link_is_shown_by_get_and_acknowledges_by_post_alone(site: Office) -> None:
    jo = channel(site)
    event = alarm(site)
    path = link(site, event, jo)
    with httpx.Client(base_url=site.url, follow_redirects=True) as stranger:
        for _ in range(3):
            page = stranger.get(path)
            assert page.status_code == 200
            assert "Emergency: gas" in page.text
            assert "smell" not in page.text, "no words of the resident"
            assert stranger.head(path).status_code in (200, 405)
        assert now(site, event).acknowledged_at is None, "a mail scanner follows links"
        answer = stranger.post(path, data={"by": "Sam"})
        assert answer.status_code == 200
        assert "Acknowledged by <b>Sam (jo@example.com)</b>" in answer.text
        assert stranger.post(path).status_code == 200
    done = now(site, event)
    assert (done.acknowledged_by, done.acknowledged_via) == ("Sam (jo@example.com)", Way.LINK)
    sent = [m.text for m in site.deps.store.outbox(event.conversation_id)]
    assert sum("has seen your message" in text for text in sent) == 1
    assert not any("Sam" in text or "jo@" in text for text in sent)


def test_a_link_is_good_for_one_alarm_one_receiver_and_some_days(site: Office) -> None:
    jo, gone = channel(site), channel(site, "gone")
    event = alarm(site)
    path = link(site, event, jo)
    with httpx.Client(base_url=site.url) as stranger:
        token = path.rpartition("/")[2]
        for forged in (token[:-3] + ("A" if token[-3] != "A" else "B") + token[-2:], f"{token}x", "x", "x" * 5_000):
            assert stranger.post(f"/alarms/{forged}").status_code == 404
        assert stranger.post(link(site, event, jo, days=-0.001)).status_code == 410
        assert stranger.get(link(site, event, jo, days=-0.001)).status_code == 410
        other = replace(event, id="0" * 32)
        assert stranger.post(link(site, other, jo)).status_code == 404
        notices = notifications
        removed = link(site, event, gone)
        notices.remove_channel(site.repairs.base.base, "gone")
        assert stranger.post(removed).status_code == 404, "a removed channel takes its links along"
        chat = site.path(names(site)[0]).rpartition("/")[2]
        assert stranger.post(f"/alarms/{chat}").status_code == 404, "a resident's link is none"
        assert now(site, event).acknowledged_at is None
        long_name = stranger.post(path, data={"by": "x" * 200})
        assert long_name.status_code == 422
        assert now(site, event).acknowledged_at is None


def test_a_notice_of_an_alarm_holds_its_receivers_link_and_no_other_notice_does(site: Office) -> None:
    jo, hook = channel(site), channel(site, "hook", "webhook")
    event = alarm(site)
    conversation.tend(site.deps)
    context = site.repairs.base.base
    assert notifications.create_landlord_notices(context) >= 2

    def link_of(notice: object, to: Channel) -> str:
        return site.repairs.acknowledge_link("demo", notice, to)  # type: ignore[arg-type]

    for to in (jo, hook):
        for made in context.store.people.notices(to.id):
            message = landlord_message(context, to, made, link_of)
            assert message is not None
            is_alarm = message.fields["event"] == LandlordEvent.EMERGENCY_UNVERIFIED
            assert bool(message.fields["acknowledge_url"]) is is_alarm
            if is_alarm:
                url = str(message.fields["acknowledge_url"])
                assert url in message.text
                assert message.fields["alarm"] == event.id
                with httpx.Client(base_url=site.url) as stranger:
                    assert stranger.get(url.removeprefix("https://desk.example.com")).status_code == 200


def test_calls_of_a_list_go_to_its_channels_even_one_that_gets_nothing_else(site: Office) -> None:
    channel(site)
    channel(site, "night", owner="nobody else")
    site.form("/repairs/call-outs", file=FILE.replace("jo@", "night@"))
    event = alarm(site)
    context = site.repairs.base.base
    notifications.create_landlord_notices(context)

    def kinds(id: str) -> list[str]:
        messages = [landlord_message(context, channel_of(site, id), n) for n in context.store.people.notices(id)]
        return sorted(str(m.fields["event"]) for m in messages if m is not None)

    assert kinds("night") == ["emergency_unverified"]
    assert "emergency_unverified" not in kinds("jo")
    notifications.remove_channel(context, "night")
    later = replace(event, called_at=site.deps.clock.now() - timedelta(minutes=6))
    site.deps.store.settle_event(now(site, event), later, None, (), ())
    conversation.tend(site.deps)
    notifications.create_landlord_notices(context)
    assert "emergency_unacknowledged" in kinds("jo"), "whoever is gone is not called: all are"


def channel_of(site: Office, id: str) -> Channel:
    return next(c for c in site.repairs.base.store.people.channels() if c.id == id)


def test_pages_show_acknowledge_and_end_an_alarm(site: Office) -> None:
    channel(site)
    event = alarm(site)
    with site.client() as client:
        board = client.get("/repairs").text
        assert "I have seen this" in board
        assert f"/repairs/alarms/{event.id}/acknowledge" in board
        assert (
            f"/repairs/alarms/{event.id}/acknowledge"
            in client.get(f"/repairs/conversations/{event.conversation_id}").text
        )
        assert client.post(f"/repairs/alarms/{event.id}/acknowledge", data={"csrf": "no"}).status_code == 403
    assert site.form(f"/repairs/alarms/{event.id}/acknowledge").status_code == 200
    assert now(site, event).acknowledged_via is Way.PAGE
    with site.client() as client:
        board = client.get("/repairs").text
        assert f"/repairs/alarms/{event.id}/acknowledge" not in board
        assert f"/repairs/alarms/{event.id}/all-clear" in board
    assert site.form(f"/repairs/alarms/{event.id}/all-clear", back="1").status_code == 200
    assert now(site, event).cleared_at is not None
    with site.client() as client:
        assert event.id not in client.get("/repairs").text


def test_the_api_lists_acknowledges_and_ends_alarms(site: Office) -> None:
    event = alarm(site)
    with site.client() as client:
        token = client.get("/repairs/homes").text.split('name="csrf" value="')[1].split('"')[0]
        head = {"X-CSRF-Token": token}
        (listed,) = client.get("/api/v1/alarms").json()
        assert (listed["id"], listed["acknowledged_at"], listed["kind"]) == (event.id, None, "gas")
        assert client.post(f"/api/v1/alarms/{event.id}/acknowledge").status_code == 403
        done = client.post(f"/api/v1/alarms/{event.id}/acknowledge", headers=head)
        assert done.json()["acknowledged_via"] == "api"
        assert client.post(f"/api/v1/alarms/{event.id}/all-clear", headers=head).json()["cleared_at"]
        assert client.get("/api/v1/alarms").json() == []
        assert client.post("/api/v1/alarms/none/acknowledge", headers=head).status_code == 404
        channel(site)
        assert client.post("/api/v1/call-outs", json={"file": FILE}, headers=head).status_code == 200
        assert client.get("/api/v1/call-outs").json()[0]["steps"] == [
            {"channels": ["jo"], "wait_minutes": 5, "hours": "always"}
        ]
        assert client.post("/api/v1/call-outs", json={"file": "x"}, headers=head).status_code == 422


def test_it_is_loud_while_nobody_is_reached(site: Office) -> None:
    event = alarm(site)
    known = now(site, event)
    site.deps.store.settle_event(known, replace(known, exhausted_at=known.at), None, (), ())
    channel(site, kind="webhook")
    people = site.repairs.base.store.people
    people.put_notice(Notice("n1", "jo", 0, 0, known.at, 12, "the receiver answered 500: no acceptance"))
    with site.client() as client:
        board = client.get("/repairs").text
        assert "no call was answered" in board
        assert "given up" in board
        metrics = client.get("/metrics").text
        assert 'saidonce_alarms_unacknowledged{org="demo"} 1.0' in metrics
        assert 'saidonce_alarms_exhausted{org="demo"} 1.0' in metrics
        assert 'saidonce_notices_given_up{org="demo"} 1.0' in metrics
    lines = site.repairs.warnings("demo")
    assert [
        any(word in line for line in lines)
        for word in ("1 emergency is unacknowledged", "no call about", "1 notification was given up")
    ] == [True] * 3
    conversation.acknowledge(site.deps, event.id, "Sam", Way.PAGE)
    with site.client() as client:
        assert "saidonce_alarms_unacknowledged{" in client.get("/metrics").text, "the notice is still there"
    assert len(site.repairs.warnings("demo")) == 1


def test_a_safety_text_wakes_whoever_sends(site: Office) -> None:
    assert site.repairs.woken(0.0) in ((), ("demo",))
    site.repairs.wake("demo")
    site.repairs.wake("demo")
    site.repairs.wake("other")
    assert set(site.repairs.woken(1.0)) <= {"demo", "other"}
