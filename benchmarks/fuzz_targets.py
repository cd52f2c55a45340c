"""Fuzz targets: real inputs to mutate, and their consumers, which raise only saidonce errors."""

from __future__ import annotations

import importlib.util
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from benchmarks.fuzz_texts import MARKDOWN, manual_seeds, structured_seeds, text_seeds
from benchmarks.mutating import Input
from saidonce.adapters.clock import SystemClock
from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.adjudication.replies import read_answers, read_one
from saidonce.adjudication.results import read_envelope, read_result
from saidonce.documents.parse import Limits, Sandbox, parse
from saidonce.errors import Refusal, SourceRefusedError
from saidonce.foundation.context import Context, Source
from saidonce.foundation.settings.policy import Settings
from saidonce.kb.ingest import State, ingest
from saidonce.matching.reply import strict_json
from saidonce.repairs.channels import ChannelPost, channel_of, cloud, twilio
from saidonce.testing import MemoryStore

ROOT = Path(__file__).resolve().parents[1]
MOST_S = 5.0
"""How long one input may take."""

NOW = datetime(2026, 1, 17, 12, 0, 5, tzinfo=UTC)
ECHO = ("q" * 16, "n" * 16)
IDS = ("m1", "m2")

Take = Callable[[Input], str]
"""Take an input in, and say what became of it in a word; what it raises beyond the error tree is a crash."""


class LimitPassedError(Exception):
    """An input exceeded its time limit, or killed the process that read it."""


@dataclass(frozen=True)
class Target:
    """A consumer of hostile input.

    Attributes:
        share: of all inputs.
        expected: outcomes that must all occur, else nothing is proven.
    """

    name: str
    share: float
    seeds: Callable[[], Sequence[Input]]
    open: Callable[[], AbstractContextManager[Take]]
    expected: frozenset[str]


def _samples() -> Any:
    """Return the small real files of the tests."""
    spec = importlib.util.spec_from_file_location("samples", ROOT / "tests/samples.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_HTML = (
    "<!doctype html><html lang=de><head><meta charset=utf-8><title>Heizung</title></head><body><nav>Home</nav><main>"
    "<h1>Heizung</h1><p>Die Miete beträgt <b>500</b> €.</p><table><tr><th rowspan=2>A<td colspan=2>B<tr><td>1<td>2"
    "</table><ul><li>eins<ul><li>zwei</ul></ul><pre><code>x = 1</code></pre></main></body></html>"
)
_RTF = rb"""{\rtf1\ansi\ansicpg1252{\info{\title House}{\author Ada}{\revtim\yr2024\mo5\dy17\hr8\min30}}
{\fonttbl{\f0 Arial;}}\pard\f0 The \b boiler\b0  is checked \u8211? once a year.\par{\*\x y}\'e4\par}"""


_PACKAGE = {"odt": "application/vnd.oasis.opendocument.text", "epub": "application/epub+zip"}
_ODF = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text='
    '"urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text><text:h text:outline-level="1">Heating'
    "</text:h><text:p>Checked once.</text:p><text:list><text:list-item><text:p>open</text:p></text:list-item>"
    "</text:list></office:text></office:body></office:document-content>"
)
_BOOK = {
    "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile'
    ' full-path="a.opf"/></rootfiles></container>',
    "a.opf": '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="c" href="c.xhtml"'
    ' media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine></package>',
    "c.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>Heating</h1><p>Checked once.</p></body></html>',
}
_NOTEBOOK = {
    "nbformat": 4,
    "cells": [
        {"cell_type": "markdown", "source": ["# Heating\n", "Checked once."]},
        {"cell_type": "code", "source": "depth = 4", "outputs": [{"output_type": "stream", "text": ["4\n"]}]},
    ],
}


def _packages(package: Callable[[Mapping[str, bytes]], bytes]) -> dict[str, bytes]:
    """Return an office document of the open format and an e-book."""
    members = {"a.odt": {"content.xml": _ODF}, "a.epub": _BOOK}
    return {
        name: package({
            "mimetype": _PACKAGE[name[2:]].encode(), **{member: text.encode() for member, text in texts.items()}
        })
        for name, texts in members.items()
    }  # fmt: skip


def document_seeds() -> list[Input]:
    """Return a real file of every format, save pictures and recordings, whose recognisers take seconds to start."""
    samples = _samples()
    plain: dict[str, bytes] = {
        "a.txt": MARKDOWN.encode("utf-16"), "a.ipynb": json.dumps(_NOTEBOOK).encode(),
        "b.txt": "Größe: 3 m²\r\nÜber".encode("cp1252"), "a.html": _HTML.encode(), "a.rtf": _RTF,
        "a.csv": b'Room;Winter\n"Bath; small";22\n;20\n', "a.tsv": b"a\tb\n1\t2\n",
        "a.json": json.dumps([{"title": "Boiler", "text": "Checked once.", "tags": ["a", {"b": [1, None]}]}]).encode(),
        "a.jsonl": b'{"id": 1, "text": "Checked once a year."}\n{"id": 2, "text": "Signed."}\n',
    }  # fmt: skip
    office = {
        "a.docx": samples.word(), "a.pptx": samples.slides(), "a.xlsx": samples.workbook(),
        "a.xls": samples.old_workbook(), "a.msg": samples.outlook_message(),
    }  # fmt: skip
    pdf = {"a.pdf": samples.pdf(("The boiler is checked.", "Once a year."), ("Second page.",))}
    mail = {"a.eml": samples.mail(("a.md", b"# Attached\n\nText."), ("b.csv", b"a,b\n1,2\n"))}
    files = plain | office | pdf | mail | _packages(samples.package)
    return [*manual_seeds(), *text_seeds(), *structured_seeds(), *(Input(name, data) for name, data in files.items())]


def _takes_long(given: Input) -> bool:
    """Return whether reading exceeds its limit of CPU time; wall time misleads on a busy machine."""
    begun = time.process_time()
    with suppress(Exception):  # what it says of the input is not asked for here
        parse(given.name, given.data)
    return time.process_time() - begun > MOST_S


@contextmanager
def documents() -> Iterator[Take]:
    """Ingest documents as an upload does: the parsing process, then segments, vectors and the store."""
    limits = Limits(parse_timeout_s=MOST_S)
    settings = Settings(org="fuzz", collection_use="canonical", metrics_enabled=False)
    with Sandbox(limits, n_workers=1) as sandbox:
        context: list[Context] = []
        n_taken = [0]

        def take(given: Input) -> str:
            if n_taken[0] % 40 == 0:  # what was kept must not slow down what comes
                context[:] = [Context(MemoryStore("fuzz"), HashedEmbedder(64), sandbox, SystemClock(), settings)]
            n_taken[0] += 1
            # Two inputs may be equal; the number makes each a document of its own.
            name = f"{n_taken[0]}-{given.name}"
            (report,) = ingest(context[0], [Source(name, lambda: given.data)], "main").documents
            if report.state is not State.REFUSED:
                return f"read {given.name.rpartition('.')[2]}"
            if report.reason is Refusal.FAILED or (report.reason is Refusal.TIMEOUT and _takes_long(given)):
                raise LimitPassedError(report.detail)
            return f"refused {report.reason}"

        yield take


def take_text(given: Input) -> str:
    """Read a text with marks in this process: as no text is damaged, none may be refused as such."""
    try:
        document = parse(given.name, given.data)
    except SourceRefusedError as refused:
        if refused.reason in (Refusal.CORRUPT, Refusal.FAILED):
            raise LimitPassedError(refused.detail) from refused
        return f"refused {refused.reason}"
    return f"read {document.format}"


def reply_seeds() -> list[Input]:
    """Return valid replies of judges."""
    echo = {"question": ECHO[0], "nonce": ECHO[1]}
    one = {
        **echo,
        "opinion": "distinct",
        "of": "",
        "reason": "it differs",
        "confidence": 0.9,
    }
    answer = {"differs": "softlines, hardlines", "opinion": "distinct", "confidence": 0.97}
    many = {**echo, "answers": {"A": answer, "B": answer}}
    rated = {"classification": "distinct", "review_feedback": "softlines against hardlines", "confidence": 0.9}
    envelope = {"id": "review-1", "status": "done", "result": rated}
    inner = {**envelope, "result": {"classification": json.dumps({**one, "opinion": "duplicate", "of": "m1"})}}
    feedback = {**envelope, "result": {"classification": one, "review_feedback": "They are not duplicates."}}
    kinds = {"one": one, "answers": many, "envelope": envelope}
    pending = {"id": "review-1", "status": "pending"}
    more = [Input("envelope", json.dumps(e).encode()) for e in (inner, feedback, pending)]
    return [*(Input(kind, json.dumps(reply).encode()) for kind, reply in kinds.items()), *more]


def take_reply(given: Input) -> str:
    """Read a reply as the judges' clients do."""
    text = given.data.decode("utf-8", "replace")
    if given.name == "one":
        return f"read {read_one(text, *ECHO, IDS).opinion}"
    if given.name == "answers":
        return f"read {len(read_answers(text, ECHO, ('A', 'B')))} answers"
    envelope = read_envelope(strict_json(text))
    return f"read {read_result(envelope.result, ECHO, IDS, lenient=True).opinion if envelope.result else 'none'}"


CHANNELS: Mapping[str, Any] = {
    "whatsapp_app_secret": "app-s3cret", "whatsapp_verify_token": "verify-me", "whatsapp_token": "EAAG-t0ken",
    "twilio_account_sid": "AC" + "a1" * 16, "twilio_auth_token": "twilio-s3cret",
    "twilio_webhook_url": "https://desk.example.com/channels/twilio",
    "sms_webhook_url": "https://desk.example.com/channels/sms",
}  # fmt: skip


@cache
def _settings() -> Settings:
    return Settings(**{name: value for name, value in CHANNELS.items() if name in Settings.model_fields})


def post_seeds() -> list[Input]:
    """Return posts of every channel in the documented format."""
    head = {"from": "447700900123", "id": "wamid.1", "timestamp": "1768651200"}
    contents: dict[str, Any] = {
        "text": {"body": "my tap drips"}, "image": {"id": "27", "mime_type": "image/jpeg", "caption": "here"},
        "location": {"latitude": 1.5, "longitude": 2, "name": "home"}, "button": {"payload": "yes", "text": "Yes"},
        "interactive": {"type": "button_reply", "button_reply": {"id": "a", "title": "A"}},
        "contacts": [{"name": {"formatted_name": "Ana"}, "phones": [{"phone": "+44"}]}],
    }  # fmt: skip
    posts = []
    for kind, content in contents.items():
        value = {
            "messaging_product": "whatsapp", "metadata": {"display_phone_number": "1", "phone_number_id": "106"},
            "contacts": [{"profile": {"name": "Ana"}, "wa_id": "447700900123"}],
            "messages": [{**head, "type": kind, kind: content}],
            "statuses": [{"id": "wamid.2", "status": "read", "biz_opaque_callback_data": "o1"}],
        }  # fmt: skip
        entry = [{"id": "1", "changes": [{"field": "messages", "value": value}]}]
        posts.append(Input("cloud", json.dumps({"object": "whatsapp_business_account", "entry": entry}).encode()))
    form = {
        "MessageSid": "SM" + "0f" * 16, "AccountSid": CHANNELS["twilio_account_sid"], "From": "whatsapp:+447700900123",
        "To": "whatsapp:+14155238886", "Body": "my tap drips", "NumMedia": "1", "MediaContentType0": "image/jpeg",
        "MediaUrl0": f"https://api.twilio.com/2010-04-01/Accounts/{CHANNELS['twilio_account_sid']}/Messages/SM"
        + "0f" * 16 + "/Media/ME" + "0" * 32,
    }  # fmt: skip
    sms = {**form, "From": "+447700900123", "To": "+14155238886"}
    status = {**form, "MessageStatus": "read"}
    return posts + [
        Input(kind, urlencode(f).encode()) for kind, f in (("twilio", form), ("twilio", status), ("sms", sms))
    ]


def take_post(given: Input) -> str:
    """Read a post with a valid or an invalid signature of the channel."""
    settings = _settings()
    url = CHANNELS["sms_webhook_url" if given.name == "sms" else "twilio_webhook_url"]
    if given.name == "cloud":
        signed = cloud.signature(settings.whatsapp_app_secret, given.data)
        found = cloud.read(given.data, signed, settings, NOW)
    else:
        form = twilio.form_of(given.data)
        signed = twilio.signature(url, form, settings.twilio_auth_token)
        if given.name == "sms":
            post = ChannelPost("fuzz", url, "", {"x-twilio-signature": signed}, given.data, NOW)
            found = channel_of("sms").read(post, settings, lambda _: False)
        else:
            found = twilio.read(url, form, signed, settings, NOW)
    for inbound in found.inbounds:
        inbound.text.encode("utf-8")
    n = (len(found.inbounds), len(found.statuses), len(found.refused))
    return f"read {given.name}" if any(n[:2]) else "nothing taken"


_MANUALS = "man org wiki texinfo pod".split()
_TEXTS = "md txt rst adoc latex log subtitles code".split()
_ENDINGS = (
    "md txt html rtf csv json docx pptx xlsx pdf eml man org wiki texi pod rst adoc tex log srt py ics vcf yaml xml"
    " ipynb odt epub".split()
)
TARGETS = {
    target.name: target
    for target in (
        Target(
            "documents", 0.1, document_seeds, documents,
            frozenset(
                [f"read {ending}" for ending in _ENDINGS] + ["refused corrupt", "refused no_text"]
            ),
        ),
        Target(
            "manuals", 0.05, manual_seeds, lambda: nullcontext(take_text),
            frozenset(f"read {family}" for family in _MANUALS),
        ),
        Target(
            "texts", 0.05, text_seeds, lambda: nullcontext(take_text), frozenset(f"read {family}" for family in _TEXTS)
        ),
        Target(
            "replies", 0.4, reply_seeds, lambda: nullcontext(take_reply),
            frozenset({"read distinct", "read duplicate", "read unsure", "read 2 answers", "ReplyError"}),
        ),
        Target(
            "posts", 0.4, post_seeds, lambda: nullcontext(take_post),
            frozenset({"read cloud", "read twilio", "read sms", "nothing taken", "UsageError"}),
        ),
    )
}  # fmt: skip
