"""Plug-ins of third parties: really installed packages of each kind, and what is refused of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from plugin_packages import Install, site_packages
from saidonce.adapters.embed import open_embedder
from saidonce.app.adjudicators import open_adjudicator
from saidonce.documents.parse import Sandbox, is_supported
from saidonce.errors import NotFoundError, PluginError, Refusal, SettingsError, SourceRefusedError
from saidonce.foundation.model import Candidate, Failure, Match, Opinion, Question, Shown
from saidonce.foundation.model.conversation import Conversation, OutboxKind, OutboxMessage
from saidonce.foundation.model.residents import Via
from saidonce.foundation.settings.policy import load_settings
from saidonce.foundation.text import content_hash
from saidonce.repairs.channels import ByChannel, ChannelPost, channel_of, open_fetchers, open_messengers
from saidonce.testing.memory import MemoryStore
from world import FixedClock

NOW = datetime(2026, 1, 17, 12, 0, tzinfo=UTC)


@pytest.fixture
def install(tmp_path: Path) -> Iterator[Install]:
    with site_packages(tmp_path) as installs:
        yield installs


FORMAT = """
    import os, socket
    from saidonce.documents.parse import DocumentDraft, Format

    def read(source):
        draft = DocumentDraft(source)
        draft.title = "A recipe"
        for line in source.content.decode().splitlines()[1:]:
            if line == "CALL HOME":
                socket.create_connection(("127.0.0.1", 9))
            if line == "WRITE":
                open("/tmp/saidonce-plugin", "w")
            if line == "CRASH":
                os._exit(3)
            draft.paragraph(line.replace("PID", str(os.getpid())))
        return draft if draft.elements else "nothing"

    recipe = Format(("recipe", "rcp"), read, (b"RECIPE 1",))
"""


def test_a_format_is_read_in_the_sandbox(install: Install) -> None:
    assert not is_supported("soup.recipe")
    install("saidonce_recipes", FORMAT, formats="recipe = recipe")
    assert is_supported("Soup.RCP")
    with Sandbox(n_workers=1) as sandbox:
        document = sandbox.parse("soup.recipe", b"RECIPE 1\nBoil the water.\nPID")
        assert (document.format, document.title, len(document.elements)) == ("recipe", "A recipe", 2)
        assert int(document.elements[1].text) != os.getpid(), "not in this process"
        mail = b"\r\n".join(
            [b"From: a@b.c", b"Subject: Soup", b"Content-Type: multipart/mixed; boundary=x", b"", b"--x",
             b"Content-Type: text/plain", b"", b"See below.", b"--x",
             b"Content-Disposition: attachment; filename=s.rcp", b"", b"RECIPE 1", b"Stir it well.", b"--x--", b""]
        )  # fmt: skip
        assert "Stir it well." in [e.text for e in sandbox.parse("soup.eml", mail).elements]


@pytest.mark.parametrize(
    ("body", "reason", "detail"),
    [
        (b"RECIPE 1\nCALL HOME", Refusal.CORRUPT, "not allowed while parsing"),
        (b"RECIPE 1\nWRITE", Refusal.CORRUPT, "not allowed while parsing"),
        (b"RECIPE 1\nCRASH", Refusal.CORRUPT, "status 3"),
        (b"RECIPE 1", Refusal.CORRUPT, "the format 'recipe' gave a str, not a draft"),
        (b"\x00\x01 another format", Refusal.UNSUPPORTED, "read are: pdf"),
    ],
)
def test_what_a_format_does_wrong_is_a_refusal_of_its_source(
    install: Install, body: bytes, reason: Refusal, detail: str
) -> None:
    install("saidonce_recipes", FORMAT, formats="recipe = recipe")
    with Sandbox(n_workers=1) as sandbox, pytest.raises(SourceRefusedError, match=detail) as refused:
        sandbox.parse("soup.recipe", body)
    assert refused.value.reason is reason


def test_two_formats_never_share_an_extension(install: Install) -> None:
    install("saidonce_recipes", FORMAT, formats="recipe = recipe")
    install("saidonce_others", FORMAT, formats="another = recipe")
    with pytest.raises(PluginError, match="extension 'recipe', which belongs to 'another'"):
        is_supported("x.pdf")


@pytest.mark.parametrize("extensions", ['("pdf",)', "()", '("Recipe",)', '(".rcp",)'])
def test_extensions_that_are_taken_or_malformed_are_refused(install: Install, extensions: str) -> None:
    install("saidonce_recipes", FORMAT.replace('("recipe", "rcp")', extensions), formats="recipe = recipe")
    with pytest.raises(PluginError, match="extension"), Sandbox(n_workers=1) as sandbox:
        sandbox.parse("a.txt", b"hello")


EMBEDDER = """
    import numpy as np

    class Letters:
        model, dim = "letters:1", 26

        def __init__(self, options):
            self.options = options

        def embed(self, texts):
            rows = np.array([[t.count(chr(97 + n)) + 1e-3 for n in range(26)] for t in texts], dtype=np.float32)
            return rows / np.linalg.norm(rows, axis=1, keepdims=True)

        def count_tokens(self, texts):
            return [len(t) for t in texts]
"""


def test_an_embedder_is_opened_by_its_name_and_what_stands_behind_it(install: Install) -> None:
    install("saidonce_letters", EMBEDDER, embedders="letters = Letters")
    assert open_embedder("letters").embed(["ab"]).shape == (1, 26)
    options = open_embedder("letters:latin", "http://127.0.0.1:9", "k", 2).options  # type: ignore[attr-defined]
    assert (options.which, options.url, options.key, options.threads) == ("latin", "http://127.0.0.1:9", "k", 2)
    for unknown in ("letters:", "lettres", ""):
        with pytest.raises(SettingsError, match="letters"):
            open_embedder(unknown)


ADJUDICATOR = """
    from saidonce.foundation.model import Opinion, Ruling

    class Strict:
        def __init__(self, options):
            self.name = f"strict {options.which or 'plain'} {options.settings.org} {options.embedder().dim}"

        def rule(self, questions):
            return tuple(Ruling(Opinion.DISTINCT, "strict", self.name) for _ in questions)
"""


def question(a: str, b: str) -> Question:
    one, other = (Candidate(text, content_hash(text)) for text in (a, b))
    return Question(one, (Shown(Match("m", 0.78, other)),))


def test_an_adjudicator_rules_within_the_budget_and_after_those_named_before_it(install: Install) -> None:
    install("saidonce_strict", ADJUDICATOR, adjudicators="strict = Strict")
    settings = load_settings(gate_adjudicator="strict:very", gate_budget_calls_per_day=2, org="north")
    store, clock = MemoryStore("north", clock=FixedClock()), FixedClock()
    judge = open_adjudicator(settings, store, lambda: open_embedder("minilm"), clock)
    assert judge is not None
    assert judge.name == "strict very north 384"
    rulings = [judge.rule([question(f"{n} shirts", "some shirts")])[0] for n in range(3)]
    assert [r.opinion for r in rulings[:2]] == [Opinion.DISTINCT, Opinion.DISTINCT]
    assert rulings[2].failure is Failure.BUDGET
    for unknown in ("strict:", "stricter"):
        with pytest.raises(SettingsError, match="gate_adjudicator"):
            open_adjudicator(load_settings(gate_adjudicator=unknown), store, lambda: open_embedder("minilm"), clock)


CHANNEL = """
    import hmac
    from saidonce.errors import AccessError, UsageError
    from saidonce.foundation.model.residents import ChannelIdentity, Inbound, InboundKind, Via
    from saidonce.repairs.channels import Received

    class Loft:
        def __init__(self, path):
            self.path = path

        def send(self, message, to):
            with open(self.path, "a") as loft:
                loft.write(f"{to.sender.external_user_id}: {message.text}\\n")
            return "p-1"

    class Pigeon:
        name = "pigeon"
        settings = frozenset({"ring", "loft"})
        secrets = frozenset({"ring"})

        def handshake(self, params, settings):
            raise UsageError("pigeons do not shake hands")

        def read(self, post, settings, is_foreign):
            ring = settings.channel_options.get("pigeon", {}).get("ring", "")
            if not ring or not hmac.compare_digest(post.headers.get("x-ring", ""), ring):
                raise AccessError("the ring", "this is no pigeon of ours")
            who = ChannelIdentity(Via(self.name), "ana")
            text = post.body.decode()
            return Received((Inbound(who, "loft", "p-0", InboundKind.TEXT, post.received_at, post.received_at, text),))

        def messenger(self, settings, clock):
            options = settings.channel_options.get("pigeon")
            return Loft(options["loft"]) if options else None

        def fetcher(self, settings):
            return None

    pigeon = Pigeon()
"""


def test_a_channel_reads_posts_and_sends_messages_with_settings_of_its_own(install: Install, tmp_path: Path) -> None:
    install("saidonce_pigeon", CHANNEL, channels="pigeon = pigeon")
    settings = load_settings(channel_options={"pigeon": {"ring": "r1ng", "loft": str(tmp_path / "loft")}})
    post = ChannelPost("demo", "", "", {"x-ring": "r1ng"}, b"my tap drips", NOW)
    (inbound,) = channel_of("pigeon").read(post, settings, lambda _number: False).inbounds
    assert (inbound.key, inbound.sender.key) == (("pigeon", "loft", "p-0"), "pigeon:ana")
    messenger = ByChannel(open_messengers(settings, FixedClock()))
    conversation = Conversation("c1", inbound.sender, "loft", NOW)
    assert messenger.send(OutboxMessage("o1", "c1", "t1", OutboxKind.REPLY, "Thanks!", NOW), conversation) == "p-1"
    assert (tmp_path / "loft").read_text() == "ana: Thanks!\n"
    assert Via("pigeon") not in open_fetchers(settings)
    assert "r1ng" not in repr(settings)


@pytest.mark.parametrize(
    ("options", "named"),
    [({"pigeon": {"rings": "r1ng"}}, "options of pigeon: loft, ring"), ({"dove": {"ring": "r1ng"}}, "dove")],
)
def test_options_of_no_channel_are_refused_and_not_shown(
    install: Install, options: dict[str, dict[str, str]], named: str
) -> None:
    install("saidonce_pigeon", CHANNEL, channels="pigeon = pigeon")
    with pytest.raises(SettingsError, match=named) as refused:
        open_messengers(load_settings(channel_options=options), FixedClock())
    assert "r1ng" not in str(refused.value)


def test_nothing_is_found_where_nothing_is_installed() -> None:
    with pytest.raises(NotFoundError):
        channel_of("pigeon")
    with pytest.raises(ValueError, match="Two words"):
        Via("Two words")


@pytest.mark.parametrize(
    ("point", "reason"),
    [("pigeon = Pigeon", "is a class"), ("pigeon = hmac", "is no channel: it has no handshake, read"),
     ("dove = pigeon", "calls itself 'pigeon'")],
)  # fmt: skip
def test_what_is_no_channel_is_refused(install: Install, point: str, reason: str) -> None:
    install("saidonce_pigeon", CHANNEL, channels=point)
    with pytest.raises(PluginError, match=reason):
        channel_of(point.partition(" ")[0])


def opened(kind: str, name: str) -> object:
    """Use plug-ins of a kind, as the settings would by that name."""
    if kind == "formats":
        return is_supported("x.pdf")
    if kind == "embedders":
        return open_embedder(name)
    if kind == "channels":
        return channel_of(name)
    settings, clock = load_settings(gate_adjudicator=name), FixedClock()
    return open_adjudicator(settings, MemoryStore("north", clock=clock), lambda: open_embedder("minilm"), clock)


KINDS = ["formats", "embedders", "adjudicators", "channels"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_library", "cannot be loaded: ModuleNotFoundError: No module named 'no_such_library'"),
        ("raise OSError('no disk')", "cannot be loaded: OSError: no disk"),
        ("other = 1", "cannot be loaded: AttributeError"),
        ("toy = 7", "is (a int|no channel)"),
    ],
)
def test_what_cannot_be_loaded_is_refused_by_name_kind_and_package(
    install: Install, kind: str, source: str, reason: str
) -> None:
    install("saidonce_toy", source, **{kind: "toy = toy"})
    with pytest.raises(PluginError, match=reason) as refused:
        opened(kind, "toy")
    assert (refused.value.group, refused.value.plugin, refused.value.package) == (
        f"saidonce.{kind}", "toy", "saidonce_toy 1.0",
    )  # fmt: skip
    assert str(refused.value).startswith(f"the plug-in 'toy' of saidonce.{kind}, installed with saidonce_toy 1.0, ")


@pytest.mark.parametrize(
    ("kind", "name"),
    [("formats", "pdf"), ("embedders", "minilm"), ("adjudicators", "local"), ("adjudicators", "openai"),
     ("channels", "sms"), ("channels", "web")],
)  # fmt: skip
def test_a_name_that_is_built_in_is_not_to_be_had(install: Install, kind: str, name: str) -> None:
    install("saidonce_toy", "toy = print", **{kind: f"{name} = toy"})
    with pytest.raises(PluginError, match="has the name of a built-in one"):
        opened(kind, "another")


@pytest.mark.parametrize("kind", KINDS)
def test_two_packages_with_one_name_are_refused(install: Install, kind: str) -> None:
    for package in ("saidonce_one", "saidonce_two"):
        install(package, "toy = print", **{kind: "toy = toy"})
    with pytest.raises(PluginError, match="has the same name as another plug-in, installed with saidonce_one"):
        opened(kind, "toy")


def test_a_malformed_name_is_refused(install: Install) -> None:
    install("saidonce_toy", "toy = print", embedders="To_y = toy")
    with pytest.raises(PluginError, match="lower-case letters"):
        opened("embedders", "toy")
