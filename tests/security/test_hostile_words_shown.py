"""Hostile words where they are shown: pages run nothing of them, terminals obey none, names of downloads hold none."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from command_line import Shell, invoke
from conftest import prepared, reachable_folder
from saidonce.foundation.context import Source
from saidonce.foundation.model import Submission
from saidonce.interfaces.http.rich_text import rich
from thinned import every
from two_orgs import TwoOrgs, two_orgs

SCRIPTS: dict[str, str] = {
    "a script": "<script>alert(1)</script>",
    "a script in capitals": "<ScRiPt>alert(1)</sCrIpT>",
    "a picture that fails": "<img src=x onerror=alert(1)>",
    "a drawing": "<svg onload=alert(1)><animate onbegin=alert(1) attributeName=x>",
    "a frame": '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    "a form": "<form action=https://evil.example><input name=key autofocus onfocus=alert(1)>",
    "a base": '<base href="https://evil.example/">',
    "a style": "<style>*{background:url(https://evil.example)}</style>",
    "an end of a quote": "\"' onmouseover=alert(1) x='\"",
    "an end of an element": "</textarea></title></script></style>--><script>alert(1)</script>",
    "a link to a script": "[a](javascript:alert(1)) [b](JaVaScRiPt:alert(1)) [c](java\tscript:alert(1))",
    "a link to data": "[a](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "a picture of elsewhere": "![a](https://evil.example/x.png)",
    "a link by reference": "[a][b]\n\n[b]: javascript:alert(1)",
    "a link of itself": "<javascript:alert(1)> <https://evil.example>",
    "a table of scripts": "| a | b |\n|---|---|\n| <script>alert(1)</script> | [x](javascript:alert(1)) |",
    "a fence of scripts": "```html\n<script>alert(1)</script>\n```\n\n<img src=x onerror=alert(1)>",
    "a fence with a name": '```"><script>alert(1)</script>\nx = 1\n```',
    "a template": "{{ 7 * 7 }} {% include '/etc/passwd' %} ${7*7} #{7*7}",
    "entities": "&lt;script&gt;alert(1)&lt;/script&gt; &#60;script&#62;",
    "half a sign": "<scr\x00ipt>alert(1)</script>",
    "mathematics": "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "a comment": "<!--><script>alert(1)</script>-->",
    "data of XML": "<![CDATA[<script>alert(1)</script>]]>",
}
HARMLESS_HERE = {"src": ("/static/", "/charts/", "/gate/charts/"), "href": ("/", "#", "?")}
OURS_RUN = ("/static/",)


class Page(HTMLParser):
    """Collects what a browser would run, fetch or obey."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.wrong: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag in {"iframe", "object", "embed", "base", "math", "animate"}:
            self.wrong.append(tag)
        if tag == "script" and not values.get("src", "").startswith(OURS_RUN):
            self.wrong.append("script")
        for name, value in values.items():
            if name.startswith("on") or name == "srcdoc":
                self.wrong.append(f"{tag} {name}")
            if re.match(r"\s*(javascript|data|vbscript)\s*:", value, re.IGNORECASE):
                self.wrong.append(f"{tag} {name}={value[:40]}")
            if (
                re.match(r"\s*(\w+:|//|/\\)", value)
                and "evil.example" in value
                and name in {"src", "href", "action", "formaction", "poster", "data"}
            ):
                self.wrong.append(f"{tag} {name}={value[:40]}")


@pytest.fixture(scope="module")
def orgs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoOrgs]:
    made = two_orgs(tmp_path_factory.mktemp("orgs"))
    yield made
    made.close()


def pages_of(orgs: TwoOrgs, document: str, block: str) -> list[str]:
    ids = orgs.home.ids
    return [
        "/", "/documents", f"/documents/{document}", f"/blocks/{block}", "/search?q=cellar", "/ask?q=cellar", "/queue",
        f"/queue/{ids['seq']}", "/feed", "/decisions", "/dashboard", "/gate", "/gate/held", "/review/rules", "/people",
        "/security", "/settings", "/sources", "/repairs", "/repairs/homes", "/repairs/conversations",
        f"/repairs/issues/{ids['issue']}", f"/chat/{ids['chat']}", f"/chat/{ids['chat']}/lines",
    ]  # fmt: skip


@pytest.mark.parametrize("name", every(4, SCRIPTS))  # `rich` below reads each of them in the check, too
def test_no_page_runs_what_somebody_wrote(orgs: TwoOrgs, name: str) -> None:
    words, owner, before = SCRIPTS[name], orgs.home.sessions["owner"], orgs.home.kept()
    base = orgs.site.base_of(orgs.home.org)
    file = words.replace("\x00", "").replace("\n", " ")[:150]
    base.ingest([Source(f"cellar {file}.md", f"{words}\n\nThe cellar is dry, says {words}".encode)])
    base.gate(f"g {file}"[:60]).submit_many([Submission(f"The cellar {words}", title=words[:200])])
    base.gate("main").submit_many([Submission(f"Count the shirts of the zebrafinch shop {words}")])
    orgs.ask("POST", "/chat/{chat}".format(**orgs.home.ids), data={"text": f"My cellar {words}"})
    csrf = {"csrf": owner.token}
    orgs.ask("POST", "/repairs/homes/add", visit=owner, data={**csrf, "address": f"9 {words}", "resident": words})
    orgs.ask("POST", "/people", visit=owner, data={**csrf, "name": file[:40], "role": "reader"})
    orgs.ask("POST", "/sources", visit=owner, data={**csrf, "address": f"https://evil.example/{file}.xml"})
    document = next(d for d in base.documents() if d.name.startswith("cellar"))
    shown = orgs.ask("GET", f"/documents/{document.id}", visit=owner).text
    block = next(iter(re.findall(r"/blocks/([0-9a-f]{32})", shown)))
    wrong = []
    for path in pages_of(orgs, document.id, block):
        answer = orgs.ask("GET", path, visit=owner)
        if answer.status_code != 200:
            wrong.append(f"{path}: {answer.status_code}")
        wrong += [f"{path}: {each}" for each in Page(answer.text).wrong]
        if "49" in re.findall(r"zzz(\d+)zzz", answer.text):
            wrong.append(f"{path}: it computes")
    orgs.home.restore(before)
    assert wrong == []


@pytest.mark.parametrize("kind", ["paragraph", "table", "code", ""])
@pytest.mark.parametrize("name", SCRIPTS)
def test_no_text_is_rendered_as_more_than_text(name: str, kind: str) -> None:
    for text in (SCRIPTS[name], f"| a | b |\n|---|---|\n| 1 | 2 |\n\n{SCRIPTS[name]}", f"a | {SCRIPTS[name]}\nb | c"):
        shown = Page(str(rich(text, kind, ["alert"])))
        assert shown.wrong == []


@pytest.mark.parametrize("name", every(4, SCRIPTS))
def test_charts_stay_drawings_whatever_their_labels(orgs: TwoOrgs, name: str) -> None:
    owner, before = orgs.home.sessions["owner"], orgs.home.kept()
    base = orgs.site.base_of(orgs.home.org)
    for word in (SCRIPTS[name], SCRIPTS[name][::-1]):
        base.gate(f"c {word}"[:60]).submit_many([Submission("Count the shirts of the shop.")])
    wrong = []
    for path in ("/charts/growth.svg", "/charts/formats.svg", "/charts/rulings.svg", "/gate/charts/verdicts.svg"):
        answer = orgs.ask("GET", path, visit=owner)
        if answer.status_code == 200:
            tags = {element.tag.rpartition("}")[2] for element in ET.fromstring(answer.content).iter()}
            wrong += [f"{path}: {tag}" for tag in tags & {"script", "foreignObject", "iframe", "image", "a"}]
        elif answer.status_code >= 500:
            wrong.append(f"{path}: {answer.status_code}")
    orgs.home.restore(before)
    assert wrong == []


CONTROLS: dict[str, str] = {
    "an escape that clears": "\x1b[2J\x1b[H",
    "an escape that colours": "\x1b[31mred\x1b[0m",
    "a title of a window": "\x1b]0;owned\x07",
    "a link of a terminal": "\x1b]8;;https://evil.example\x1b\\here\x1b]8;;\x1b\\",
    "a clipboard": "\x1b]52;c;ZXZpbA==\x07",
    "a control of eight bits": "\x9b31m\x9d0;x\x9c",
    "a return": "good\rbad ",
    "a step back": "good\b\b\b\bevil",
    "a line of its own": "one\nsaidonce: all is well",
    "a separator of lines": "one\u2028saidonce: all is well\x85two",
    "a turned line": "invoice\u202egnp.exe",
    "an isolate": "\u2067abc\u2069",
    "zero-width signs": "ad\u200bmin",
    "a bell and a null": "ding\x07",
    "a delete": "a\x7fb",
}


@dataclass
class Terminal:
    shell: Shell
    names: list[str]

    def shown(self, *words: str) -> str:
        """Run a command that exists, and give all that it writes, whatever it comes to."""
        done = invoke(words, self.shell.env, self.shell.data_dir.parent)
        text = str(done.stdout + done.stderr)
        assert "No such command" not in text
        return text


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("documents",),
    ("status",),
    ("search", "cellar rules"),
    ("context", "cellar rules"),
    ("ask", "cellar rules"),
    ("queue",),
    ("review", "groups"),
    ("decisions",),
    ("settings",),
    ("people", "list"),
    ("keys", "list"),
    ("sources", "list"),
    ("channels", "list"),
    ("security-log",),
    ("gate", "stats", "--gate", "g0"),
    ("gate", "held"),
    ("gate", "held", "throughput"),
    ("gate", "replay"),
    ("review", "rules"),
    ("homes", "list"),
    ("issues", "list"),
    ("conversations", "list"),
    ("alarms", "list"),
    ("pairs", "show"),
    ("residents", "log"),
    ("pairs", "translations"),
    ("doctor",),
    ("rebuild",),
)


@pytest.fixture(scope="module")
def terminal() -> Iterator[Terminal]:
    """A base of which every name and text holds what steers a terminal."""
    folder = reachable_folder()
    with Shell(prepared(folder / "data")) as shell:
        from saidonce.app.knowledge_base import KnowledgeBase

        names = []
        with KnowledgeBase(data_dir=shell.data_dir, collection_use="canonical", segment_style="whole") as base:
            for n, (title, words) in enumerate(CONTROLS.items()):
                kept = words.replace("\x00", "")
                text = f"# Rules {kept}\n\nThe cellar {title} {kept} is open for {{}} days in every year of the house."
                for days in (30, 40):
                    name = f"{n}-{days} {kept}.md"
                    base.ingest([Source(name, text.format(days).encode)])
                    names.append(name)
                base.gate(f"g{n}").submit_many([Submission(text.format(1)), Submission(text.format(2))])
            base.gate("main").submit_many([Submission(f"Sweep the yard {w}.", title=w) for w in CONTROLS.values()])
            for n, words in enumerate(CONTROLS.values()):
                for at in (f"https://example.com/{n}{words}.xml",):
                    try:
                        base.syncs.add(_wish(at))
                    except Exception as refused:  # noqa: BLE001  what is refused is shown too
                        names.append(str(refused))
        yield Terminal(shell, names)
    shutil.rmtree(folder, ignore_errors=True)


def _wish(address: str) -> Any:
    from saidonce.app.syncing import SyncWish

    return SyncWish(address)


STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f]")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_lets_a_name_steer_the_terminal(terminal: Terminal, command: tuple[str, ...]) -> None:
    text = terminal.shown(*command)
    assert STEERING.findall(text) == [], repr(text[:400])
    assert "saidonce: all is well" not in text.splitlines()


TYPED = [("why", "{}"), ("search", "{}"), ("remove", "{}"), ("documents", "-c", "{}"), ("gate", "stats", "{}"),
         ("sync", "{}"), ("ingest", "{}"), ("db", "import", "{}"), ("queue", "--assignee", "{}")]  # fmt: skip
BOTH = [pytest.param(words, name, id=f"{' '.join(words)}-{name}") for name in CONTROLS for words in TYPED]


@pytest.mark.parametrize(("words", "name"), every(4, BOTH))  # each command and each text is among them
def test_an_error_shows_what_was_typed_and_obeys_nothing(terminal: Terminal, words: tuple[str, ...], name: str) -> None:
    text = terminal.shown(*(word.format(CONTROLS[name]) for word in words))
    assert STEERING.findall(text) == [], repr(text[:400])


@pytest.mark.parametrize("command", [("documents", "--json"), ("search", "cellar", "--json"), ("queue", "--json")])
def test_json_escapes_what_steers_a_terminal(terminal: Terminal, command: tuple[str, ...]) -> None:
    done = invoke(command, terminal.shell.env, terminal.shell.data_dir.parent)
    text = done.stdout
    assert json.loads(text)
    assert text.isascii()
    assert STEERING.findall(text) == []


def test_what_is_logged_stays_on_its_line(terminal: Terminal, tmp_path: Path) -> None:
    for n, words in enumerate(CONTROLS.values()):
        (tmp_path / f"{n} {words}.md".replace("/", "").replace("\x00", "")).write_text("# A\n\nThe roof is red.")
    process = terminal.shell.start("-v", "ingest", str(tmp_path), "-c", "logged")
    out, err = process.communicate(timeout=180)
    assert process.returncode == 0, err
    assert STEERING.findall(out + err) == [], repr((out + err)[:600])


@pytest.mark.parametrize(
    "path",
    [
        "/evidence/{}/picture", "/evidence/{}/original", "/repairs/media/{}", "/chat/{{chat}}/media/{}",
        "/jobs/{{job}}/media/{}",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "id", ["a%22%0d%0aSet-Cookie:%20x=y", "%0d%0a%0d%0a<script>", "..%2f..%2fx", "%00", "x" * 5_000]
)
def test_no_name_of_a_download_adds_a_head(orgs: TwoOrgs, path: str, id: str) -> None:
    owner = orgs.home.sessions["owner"]
    answer = orgs.ask("GET", path.format(id).format(**orgs.home.ids), visit=owner)
    assert 400 <= answer.status_code < 500
    assert "set-cookie" not in answer.headers or "x=y" not in answer.headers["set-cookie"]
