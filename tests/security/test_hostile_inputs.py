"""Hostile inputs at every door: each is refused by name or taken as plain text, quickly, and nothing leaks."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import socket
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from saidonce.adapters.upstream.addresses import addresses_of
from saidonce.documents.parse import Limits, Sandbox
from saidonce.errors import SourceRefusedError, UpstreamError
from saidonce.interfaces.http.connections import BoundedConfig, BoundedServer
from saidonce.repairs.channels import cloud
from two_orgs import SETTINGS, TwoOrgs, two_orgs

MOST_S = 5.0
DEEP = "[" * 100_000
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def orgs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoOrgs]:
    made = two_orgs(tmp_path_factory.mktemp("orgs"))
    yield made
    made.close()


HIDDEN = b"GET /in HTTP/1.1\r\nHost: x\r\n\r\n"


def asked(orgs: TwoOrgs, method: str, path: str, **sent: Any) -> Any:
    """Send a request as the owner; it may take so much time of the processor."""
    headers = {"Authorization": f"Bearer {orgs.home.keys['owner']}", **sent.pop("headers", {})}
    begun = time.process_time()
    answer = orgs.ask(method, path.format(**orgs.home.ids), headers=headers, **sent)
    assert time.process_time() - begun < MOST_S, "it took too long"
    return answer


def packed(content: bytes, times: int) -> bytes:
    for _ in range(times):
        content = gzip.compress(content)
    return content


SLOT_OF_YEAR_ONE = {"starts_at": "0001-01-01T00:00:00+14:00", "ends_at": "0001-01-01T02:00:00+14:00"}
LAST_SLOT = {"starts_at": "9999-12-31T22:00:00-12:00", "ends_at": "9999-12-31T23:59:59-12:00"}
SUBMIT = "/api/v1/gate/submissions"
REFUSED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "JSON nested a hundred thousand deep": ("POST", SUBMIT, {"content": DEEP.encode(), "headers": JSON}),
    "JSON objects nested deep inside a field": (
        "POST",
        SUBMIT,
        {"content": b'{"text": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"}", "headers": JSON},
    ),
    "a number of five thousand digits": (
        "POST",
        "/api/v1/rerank",
        {"content": b'{"query": "a", "documents": ["a"], "top_n": ' + b"9" * 5_000 + b"}", "headers": JSON},
    ),
    "a body that says it is packed": (
        "POST",
        SUBMIT,
        {
            "content": gzip.compress(b'{"text": "' + b"a" * 9_000_000 + b'"}'),
            "headers": JSON | {"Content-Encoding": "gzip"},
        },
    ),
    "JSON in UTF-16": ("POST", SUBMIT, {"content": '{"text": "a"'.encode("utf-16"), "headers": JSON}),
    "a number of a decision beyond all": ("POST", f"/api/v1/decisions/{10**30}/revert", {"json": {}}),
    "a flag below zero, of a thousand digits": ("GET", "/api/v1/queue/-" + "9" * 1_000, {}),
    "an id that is a null character": ("GET", "/api/v1/blocks/%00", {}),
    "an id that is no text": ("GET", "/api/v1/blocks/%ff%fe", {}),
    "an id that climbs": ("GET", "/api/v1/blocks/..%2f..%2fkeys", {}),
    "static files that climb": ("GET", "/static/..%2f..%2fserver.py", {}),
    "static files that climb in two steps": ("GET", "/static/%2e%2e/%2e%2e/server.py", {}),
    "a chart that climbs": ("GET", "/charts/..%2f..%2fgrowth.svg", {}),
    "visits in the year one": ("POST", "/api/v1/issues/{issue}/visit", {"json": {"slots": [SLOT_OF_YEAR_ONE]}}),
    "visits at the end of time": ("POST", "/api/v1/issues/{issue}/visit", {"json": {"slots": [LAST_SLOT]}}),
    "a key that ends after time does": (
        "POST",
        "/api/v1/keys",
        {"json": {"person": "reader", "expires_at": "9999-12-31T23:00:00-12:00"}},
    ),
    "a key of a network that is none": (
        "POST",
        "/api/v1/keys",
        {"json": {"person": "reader", "addresses": ["0.0.0.0/-1"]}},
    ),
    "call-outs nested deep": ("POST", "/api/v1/call-outs", {"json": {"file": "a = " + "[" * 50_000}}),
    "call-outs with inline tables nested deep": (
        "POST",
        "/api/v1/call-outs",
        {"json": {"file": "a = " + "{a=" * 50_000}},
    ),
    "a person whose name has line ends": (
        "POST",
        "/api/v1/people",
        {"json": {"name": "ana\r\nroot", "role": "reader"}},
    ),
    "a person whose name is turned around": (
        "POST",
        "/api/v1/people",
        {"json": {"name": "ana\u202enimda", "role": "reader"}},
    ),
    "an e-mail address with a further head": (
        "POST",
        "/api/v1/channels",
        {"json": {"kind": "email", "target": "a@example.com\r\nBcc: b@example.com"}},
    ),
    "a webhook that is a file": (
        "POST",
        "/api/v1/channels",
        {"json": {"kind": "webhook", "target": "file:///etc/passwd"}},
    ),
    "a source that is a command": (
        "POST",
        "/api/v1/sources",
        {"json": {"address": "ext::sh -c touch% /tmp/x", "kind": "git"}},
    ),
    "a source that is an option": (
        "POST",
        "/api/v1/sources",
        {"json": {"address": "--upload-pack=touch /tmp/x", "kind": "git"}},
    ),
    "a source that is a folder of the server": ("POST", "/api/v1/sources", {"json": {"address": "file:///etc"}}),
    "files that are the server's own": (
        "POST",
        "/api/v1/sources",
        {"json": {"address": "local:///etc", "kind": "files"}},
    ),
    "files of a private address": (
        "POST",
        "/api/v1/sources",
        {"json": {"address": "http://169.254.169.254/latest/", "kind": "files"}},
    ),
    "a folder with a null in its name": ("POST", "/api/v1/sources", {"json": {"address": "a\0b", "kind": "folder"}}),
    "a source that is malformed": ("POST", "/api/v1/sources", {"json": {"address": "http://[::1/x.xml"}}),
    "a table of homes with a million columns": (
        "POST",
        "/api/v1/homes/import",
        {"json": {"table": "address,resident" + ",x" * 900_000}},
    ),
    "a form of many parts": (
        "POST",
        "/api/v1/documents",
        {
            "content": b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n" * 40_000 + b"--x--\r\n",
            "headers": {"Content-Type": "multipart/form-data; boundary=x"},
        },
    ),
    "a form whose boundary never comes": (
        "POST",
        "/api/v1/documents",
        {"content": b"\r\n-" * 200_000, "headers": {"Content-Type": "multipart/form-data; boundary=" + "-" * 60}},
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_meant_is_refused(orgs: TwoOrgs, name: str) -> None:
    method, path, sent = REFUSED[name]
    before = orgs.home.kept()
    answer = asked(orgs, method, path, **sent)
    assert 400 <= answer.status_code < 500, answer.text[:300]
    assert len(answer.content) < 20_000
    after = orgs.home.kept()
    orgs.home.restore(before)
    assert before[0] == after[0], "it changed something"
    assert before[2:] == after[2:], "it changed something"


EDGES_OF_TIME = ("0001-01-01", "9999-12-31", "2026-02-30", "9999-12-31T23:59:59-14:00", "-1", "٢٠٢٦-٠١-٠١")


@pytest.mark.parametrize("day", EDGES_OF_TIME)
def test_pages_take_no_day_at_the_edge_of_time(orgs: TwoOrgs, day: str) -> None:
    owner, before = orgs.home.sessions["owner"], orgs.home.kept()
    assert orgs.ask("GET", "/security", visit=owner, params={"day": day}).status_code == 200
    issue = "/repairs/issues/{issue}/visit".format(**orgs.home.ids)
    for start, end in (("00:00", "00:30"), ("23:00", "23:59"), ("23:59", "00:00")):
        form = {"day": day, "start": start, "end": end, "csrf": owner.token}
        assert 400 <= orgs.ask("POST", issue, visit=owner, data=form).status_code < 500
    for moment in (f"{day}T00:00:00+14:00", f"{day}T23:59:59-14:00"):
        for name in ("since", "until"):
            answer = asked(orgs, "GET", "/api/v1/security-log", params={name: moment})
            assert answer.status_code in {200, 422}
        sent = {"person": "reader", "expires_at": moment}
        assert asked(orgs, "POST", "/api/v1/keys", json=sent).status_code in {201, 422}
        assert asked(orgs, "GET", "/api/v1/gate/held", params={"after": f"{moment}~x"}).status_code in {200, 422}
    assert orgs.ask("GET", "/people", visit=owner).status_code == 200
    orgs.home.restore(before)


HARD_FOR_PATTERNS = {
    "a's": "a" * 20_000 + "!",
    "spaces": "x" + " " * 20_000 + "x",
    "digits": "1" * 20_000 + "x",
    "numbers with commas": "1," * 10_000 + "x",
    "dots": "." * 20_000 + "x",
    "at signs": "a@" * 10_000,
    "dates": "1/1/" * 5_000,
    "brackets": "(" * 20_000,
    "links": "[a](" * 5_000,
    "negations": "not no never " * 5_000,
    "quotes": "\"'`" * 20_000,
    "units": "1 m " * 5_000,
}
TEXT_DOORS: dict[str, Callable[[str], tuple[str, str, dict[str, Any]]]] = {
    "search": lambda text: ("GET", "/api/v1/search", {"params": {"q": text[:10_000]}}),
    "ask": lambda text: ("POST", "/api/v1/ask", {"json": {"question": text}}),
    "rerank": lambda text: ("POST", "/api/v1/rerank", {"json": {"query": "a", "documents": [text]}}),
    "gate": lambda text: ("POST", SUBMIT, {"json": {"text": text}}),
    "edit": lambda text: ("POST", "/api/v1/blocks/{block}/edit", {"json": {"text": text}}),
    "homes": lambda text: ("POST", "/api/v1/homes/import", {"json": {"table": "address,resident\n" + text}}),
    "chat": lambda text: ("POST", "/chat/{chat}", {"data": {"text": text}}),
    "document": lambda text: ("POST", "/api/v1/documents", {"files": {"file": ("x.md", text.encode(), "text/plain")}}),
}


@pytest.mark.parametrize("pattern", HARD_FOR_PATTERNS)
@pytest.mark.parametrize("door", TEXT_DOORS)
def test_no_text_makes_a_pattern_run_on(orgs: TwoOrgs, door: str, pattern: str) -> None:
    method, path, sent = TEXT_DOORS[door](HARD_FOR_PATTERNS[pattern])
    before = orgs.home.kept()
    answer = asked(orgs, method, path, **sent)
    orgs.home.restore(before)
    assert answer.status_code < 500, answer.text[:300]


ODD_TEXTS = {"half a sign": "\ud800", "a null": "a\x00b", "a bell": "\x07", "no sign": "\uffff\ufdd0", "tags": "]]><x>"}


@pytest.mark.parametrize("odd", ODD_TEXTS)
@pytest.mark.parametrize("door", [door for door in TEXT_DOORS if door not in {"search", "chat", "document"}])
def test_texts_that_no_database_takes_are_refused_or_cleaned(orgs: TwoOrgs, door: str, odd: str) -> None:
    method, path, sent = TEXT_DOORS[door](f"Wash {ODD_TEXTS[odd]} the windows.")
    before = orgs.home.kept()
    content = json.dumps(sent["json"]).encode()
    answer = asked(orgs, method, path, content=content, headers=JSON)
    after = str(orgs.home.kept())
    orgs.home.restore(before)
    assert answer.status_code < 500, answer.text[:300]
    answer.content.decode("utf-8")
    for sign in ("a\\x00b", "\\ud800"):
        assert sign not in after


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd.md",
        "a\r\nSet-Cookie: x=y.md",
        "a\x00.md",
        "\u202efdp.md",
        "x" * 100_000 + ".md",
        "/etc/x.md",
        "CON.md",
        ".md",
    ],
)
def test_a_name_of_an_upload_is_a_name_and_no_path(orgs: TwoOrgs, name: str) -> None:
    before = orgs.home.kept()
    content = f"A {name!r:.20} is called otherwise.".encode()
    body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="' + name.encode().replace(b"\r\n", b"%0D%0A")
    body += b'"\r\nContent-Type: text/plain\r\n\r\n' + content + b"\r\n--x--\r\n"
    answer = asked(
        orgs, "POST", "/api/v1/documents", content=body, headers={"Content-Type": "multipart/form-data; boundary=x"}
    )
    names = [each.name for each in orgs.home.store.documents("handbook")]
    orgs.home.restore(before)
    assert answer.status_code < 500, answer.text[:300]
    assert not any(sign in name for name in names for sign in "\x00\r\n")


def test_a_form_of_one_home_makes_one_home_whatever_its_signs(orgs: TwoOrgs) -> None:
    owner, before = orgs.home.sessions["owner"], orgs.home.kept()
    n = len(orgs.home.store.conversations.homes())
    form = {"address": '9; Elm; Road\n"x",y', "resident": "=1+1;Uma", "csrf": owner.token}
    answer = orgs.ask("POST", "/repairs/homes/add", visit=owner, data=form)
    homes = orgs.home.store.conversations.homes()
    orgs.home.restore(before)
    assert answer.status_code < 500
    assert len(homes) in {n, n + 1}
    if len(homes) > n:
        assert any("9; Elm; Road" in str(home) and "=1+1;Uma" in str(home) for home in homes)


@pytest.mark.parametrize(
    "then",
    [
        "//evil.example",
        "/\\evil.example",
        "https:evil.example",
        "/%09/evil.example",
        "\t//evil.example",
        "javascript:x",
    ],
)
def test_signing_in_leads_nowhere_else(orgs: TwoOrgs, then: str) -> None:
    token_page = orgs.ask("GET", "/sign-in", params={"next": then, "then": then})
    assert "evil.example" not in token_page.headers.get("location", "")
    visit = orgs.home.sessions["owner"]
    answer = orgs.ask("GET", "/sign-in", visit=visit, params={"next": then})
    assert "evil.example" not in answer.headers.get("location", "")


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": b"Bearer \xff\xfe"},
        {"Authorization": b"Basic " + b"x" * 9_000},
        {"Cookie": b"\xff=\xfe; ;;=;"},
        {"Cookie": b"saidonce=" + b"x" * 15_000},
        {"X-Saidonce-Org": b"south"},
        {"Accept-Language": b"de;q=9" * 2_000},
        {"Range": b"bytes=" + b"0-," * 4_000},
        {"X-HTTP-Method-Override": b"DELETE"},
        {"Host": b"evil.example@127.0.0.1"},
        {"If-None-Match": b'W/"' + b"x," * 5_000},
        {"Origin": b"null"},
        {"X-Forwarded-Host": b"evil.example"},
    ],
)
@pytest.mark.parametrize("path", ["/sign-in", "/static/style.css", "/api/v1/status", "/chat/{chat}", "/healthz"])
def test_hostile_heads_are_refused_or_of_no_effect(orgs: TwoOrgs, path: str, headers: dict[str, bytes]) -> None:
    answer = orgs.ask("GET", path.format(**orgs.home.ids), headers=headers)
    assert answer.status_code < 500
    assert "evil.example" not in answer.text
    assert "okapimoss" not in answer.text
    assert "evil.example" not in str(answer.headers)


@pytest.mark.parametrize(
    "path", ["/chat/{theirs}/media/{sha256}", "/jobs/{theirs}/media/{sha256}", "/jobs/{theirs}", "/alarms/{theirs}"]
)
def test_a_link_of_another_organisation_opens_nothing_here(orgs: TwoOrgs, path: str) -> None:
    theirs = orgs.neighbour.ids["chat"]
    assert orgs.ask("GET", path.format(theirs=theirs, sha256=orgs.home.ids["sha256"])).status_code == 404
    for changed in (theirs + "%00", theirs.replace(".", "%2e") + "/", theirs.swapcase(), "%20" + theirs):
        answer = orgs.ask("GET", f"/chat/{changed}/media/{orgs.home.ids['sha256']}")
        assert answer.status_code in {404, 405, 422}


def posted(orgs: TwoOrgs, body: bytes) -> Any:
    signed = cloud.signature(SETTINGS["whatsapp_app_secret"], body)
    begun = time.process_time()
    answer = orgs.ask("POST", "/webhooks/whatsapp/north", content=body, headers={"X-Hub-Signature-256": signed, **JSON})
    assert time.process_time() - begun < MOST_S
    return answer


@pytest.mark.parametrize(
    "body",
    [
        DEEP.encode(),
        b'{"entry": ' + DEEP.encode() + b"]" * 100_000 + b"}",
        b'{"object": ' + b"9" * 50_000 + b"}",
        b'{"entry": [{"changes": ' + b"[" * 900 + b"]" * 900 + b"}]}",
        b"\xff\xfe{}",
        b"",
        b"null",
    ],
)
def test_a_signed_post_that_nobody_can_read_is_refused(orgs: TwoOrgs, body: bytes) -> None:
    before = orgs.home.kept()
    assert posted(orgs, body).status_code < 500
    orgs.home.restore(before)


@pytest.mark.parametrize(
    "host",
    [
        "127.1",
        "0x7f.1",
        "2130706433",
        "017700000001",
        "::ffff:127.0.0.1",
        "::1",
        "0",
        "localhost",
        "169.254.169.254",
        "100.64.0.1",
        "64:ff9b::7f00:1",
        "fd00::1",
        "192.168.0.1",
        "0.0.0.0",
        "::",
        "224.0.0.1",
        "2002:7f00:1::",
        "①②⑦.⓪.⓪.①",
    ],
)
def test_no_way_of_writing_a_private_address_gets_past(host: str) -> None:
    with pytest.raises(UpstreamError):
        addresses_of(host, 80, allow_private=False)


def zipped(*members: tuple[str, bytes], symlink: str = "") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            if name == symlink:
                info.external_attr = 0o120777 << 16
            archive.writestr(info, content)
    return out.getvalue()


def tarred(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for info, content in members:
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def nested_zip(depth: int) -> bytes:
    content = zipped(("a.md", b"# House\n\nThe house is here."))
    for n in range(depth):
        content = zipped((f"{n}.zip", content))
    return content


def overlapping() -> bytes:
    """Two entries of the directory that lie on the same bytes."""
    whole = zipped(("a.md", b"# House\n\nThe house is here." * 50), ("b.md", b"# House\n\nThe house is here." * 50))
    directory = whole.index(b"PK\x01\x02")
    second = whole.index(b"PK\x01\x02", directory + 4)
    return whole[: second + 42] + whole[directory + 42 : directory + 46] + whole[second + 46 :]


FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a zip with a link": ("a.zip", lambda: zipped(("x.md", b"/etc/passwd"), symlink="x.md")),
    "a zip that climbs": ("a.zip", lambda: zipped(("../../x.md", b"# House"))),
    "a zip in a zip, forty deep": ("a.zip", lambda: nested_zip(40)),
    "a zip whose entries overlap": ("a.zip", overlapping),
    "a zip bomb": ("a.zip", lambda: zipped(*((f"{n}.txt", b"0" * 20_000_000) for n in range(4)))),
    "a tar with a link": ("a.tar", lambda: tarred((member("x.md", tarfile.SYMTYPE, "/etc/passwd"), b""))),
    "a tar with a hard link": ("a.tar", lambda: tarred((member("x.md", tarfile.LNKTYPE, "/etc/passwd"), b""))),
    "a tar with a device": ("a.tar", lambda: tarred((member("x.md", tarfile.CHRTYPE), b""))),
    "a tar that climbs": ("a.tar", lambda: tarred((member("../../x.md"), b"# House"))),
    "gzip in gzip, thirty deep": ("a.md.gz", lambda: packed(b"# House\n\nThe house is here.", 30)),
    "a gzip bomb": ("a.md.gz", lambda: packed(b"0" * 300_000_000, 1)),
    "aliases of YAML that multiply": (
        "a.yaml",
        lambda: (
            b"a: &a [x,x,x,x,x,x,x,x,x]\n"
            + b"".join(b"%c: &%c [%s]\n" % (n + 1, n + 1, b",".join([b"*%c" % n] * 9)) for n in range(97, 110))
        ),
    ),
    "YAML nested deep": ("a.yaml", lambda: b"[" * 10_000),
    "JSON nested deep": ("a.json", DEEP.encode),
    "XML nested deep": ("a.xml", lambda: b"<a>" * 100_000),
    "HTML nested deep": ("a.html", lambda: b"<div>" * 100_000 + b"text"),
    "Markdown nested deep": ("a.md", lambda: b"> " * 50_000 + b"text"),
    "a notebook nested deep": ("a.ipynb", lambda: b'{"cells": ' + DEEP.encode()),
    "mail in mail, two hundred deep": (
        "a.eml",
        lambda: b"Content-Type: message/rfc822\n\n" * 200 + b"Subject: x\n\ntext",
    ),
    "a mailbox of ten thousand letters": ("a.mbox", lambda: b"From a@b Mon Jan  1 00:00:00 2024\n\nx\n\n" * 10_000),
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(Limits(parse_timeout_s=20.0), n_workers=1) as made:
        yield made


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_refused_by_a_reason_or_read_without_harm(sandbox: Sandbox, name: str) -> None:
    file, make = FILES[name]
    begun = time.monotonic()
    try:
        results = list(sandbox.map([(file, make())]))
    except SourceRefusedError as refused:
        results = [(file, refused)]
    assert time.monotonic() - begun < 60
    for _, document in results:
        assert "root:" not in repr(document)
        reason = getattr(document, "reason", None)
        assert str(reason) not in {"timeout", "failed"}, document


def test_the_feed_stays_well_formed_whatever_people_write(orgs: TwoOrgs) -> None:
    owner, before = orgs.home.sessions["owner"], orgs.home.kept()
    asked(
        orgs, "POST", "/api/v1/blocks/{block}/edit", json={"text": "Wash \x0b ]]> <x> \ufffe & the \x1b[31m windows."}
    )
    answer = orgs.ask("GET", "/feed", visit=owner)
    orgs.home.restore(before)
    assert answer.status_code == 200
    if "xml" in answer.headers["content-type"]:
        ET.fromstring(answer.text)


@pytest.mark.parametrize(
    "raw",
    [
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 40\r\n\r\nabcd" + HIDDEN,
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + HIDDEN,
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +4\r\n\r\nabcd" + HIDDEN,
        b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n" + HIDDEN,
        b"GET / HTTP/1.1\r\nHost: x\r\nX: a\x00b\r\n\r\n" + HIDDEN,
        b"GET / HTTP/1.1\r\nHost: x\r\nX: a\rContent-Length: 9\r\n\r\n" + HIDDEN,
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4;\nx\r\nabcd\r\n0\r\n\r\n" + HIDDEN,
    ],
)
def test_no_request_hides_in_another(raw: bytes) -> None:
    paths = paths_that_arrive(raw)
    assert "/in" not in paths


def paths_that_arrive(raw: bytes) -> list[str]:
    """Send bytes to the server that is shipped, and give the paths that its application is asked for."""
    paths: list[str] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        paths.append(scope["path"])
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    async def whole() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            server = BoundedServer(BoundedConfig(application, log_level="critical", lifespan="off"))
            task = asyncio.create_task(server.serve([listening]))
            while not server.started:
                await asyncio.sleep(0.01)
            reader, writer = await asyncio.open_connection(*listening.getsockname())
            writer.write(raw)
            with suppress(TimeoutError, OSError):
                await asyncio.wait_for(reader.read(), 2)
            writer.close()
            server.should_exit = True
            await task

    asyncio.run(whole())
    return paths
