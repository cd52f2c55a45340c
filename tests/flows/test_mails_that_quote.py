"""What a mail quotes stands once in the base, as the text of its own sender."""

from __future__ import annotations

import pytest

from saidonce.interfaces.cli.render import search_text
from saidonce.interfaces.views.mcp import McpSearch
from world import world

PLEDGE = "I undertake to pay for the scaffolding and to insure it until the end of May."
THANKS = "Many thanks for this, it is a great relief to all of us on the third floor."


def mail(who: str, body: str) -> str:
    head = f"From: {who} <{who.split(maxsplit=1)[0].lower()}@rear.example>\r\nTo: Residents <all@rear.example>"
    return f"{head}\r\nSubject: Scaffolding\r\n\r\n{body}\r\n"


def reply(who: str, to: str, *quoted: str) -> str:
    marked = "\r\n>\r\n".join(f"> {text}" for text in quoted)
    naming = f"On Tue, 3 Nov 2026 at 10:00, {to} <{to.split(maxsplit=1)[0].lower()}@rear.example> wrote:"
    return mail(who, f"{THANKS}\r\n\r\n{naming}\r\n{marked}")


ONCE = {
    "a reply that quotes it": (mail("Ada Fenn", PLEDGE), reply("Jo Lin", "Ada Fenn", PLEDGE)),
    "a quotation that came first": (reply("Jo Lin", "Ada Fenn", PLEDGE), mail("Ada Fenn", PLEDGE)),
    "two replies to what is not there": (reply("Jo Lin", "Ada Fenn", PLEDGE), reply("Bo Orr", "Ada Fenn", PLEDGE)),
    "her own reply": (mail("Ada Fenn", PLEDGE), reply("Ada Fenn", "Ada Fenn", PLEDGE)),
}
TWICE = {
    "another one is quoted": (mail("Ada Fenn", PLEDGE), reply("Jo Lin", "Bo Orr", PLEDGE)),
    "the one who answers says it, too": (mail("Jo Lin", PLEDGE), reply("Jo Lin", "Ada Fenn", PLEDGE)),
    "two who are quoted": (reply("Jo Lin", "Ada Fenn", PLEDGE), reply("Jo Lin", "Bo Orr", PLEDGE)),
}


@pytest.mark.parametrize("use", ["evidence", "canonical"])
@pytest.mark.parametrize("name", [*ONCE, *TWICE])
def test_a_quotation_folds_under_what_its_sender_wrote(name: str, use: str) -> None:
    base = world(collection_use=use)
    for at, content in enumerate((ONCE | TWICE)[name]):
        base.put(f"{at}.eml", content)
    hits = [hit for hit in base.search("who undertakes to pay for the scaffolding?").hits if PLEDGE in hit.block.text]
    assert len(hits) == (1 if name in ONCE else 2)


def test_the_original_stands_for_its_quotations() -> None:
    base = world(collection_use="canonical")
    for name, content in (("1.eml", mail("Ada Fenn", PLEDGE)), ("2.eml", reply("Jo Lin", "Ada Fenn", PLEDGE))):
        base.put(name, content)
    (hit,) = [hit for hit in base.search("who pays for the scaffolding?").hits if PLEDGE in hit.block.text]
    assert (hit.block.document, hit.block.sender) == ("1.eml", "Ada Fenn")


def test_a_quotation_of_a_mail_that_is_not_there_has_its_own_sender() -> None:
    base = world()
    base.put("2.eml", reply("Jo Lin", "Ada Fenn", PLEDGE))
    report = base.search("who pays for the scaffolding?")
    assert "2.eml, from Ada Fenn, quoted by Jo Lin" in search_text(report, explain=False)
    (hit, *_) = McpSearch.show(report).hits
    assert (hit.speaker, hit.sender, hit.is_quoted) == ("Ada Fenn", "Jo Lin", True)
