"""Code in plain text stands as it stood; prose that is merely indented stays prose; `#` is no heading."""

from __future__ import annotations

import pytest

from saidonce.documents.parse import parse
from saidonce.errors import SourceRefusedError
from saidonce.foundation.model import Document, Kind


def read(written: str, name: str = "notes.txt") -> list[tuple[Kind, str]]:
    document = parse(name, written.encode())
    assert isinstance(document, Document)
    return [(e.kind, e.text) for e in document.elements]


def codes(written: str, name: str = "notes.txt") -> list[str]:
    return [content for kind, content in read(written, name) if kind is Kind.CODE]


P, C, H, L = Kind.PARAGRAPH, Kind.CODE, Kind.HEADING, Kind.LIST

CODE = {
    "a shell session": (
        "Install it and run the checks:\n\n    $ make install\n    $ make check\n\nThen go on.\n",
        ["    $ make install\n    $ make check"],
    ),
    "one command without any sign of code": ("Then type\n\n    make install\n\nand wait.\n", ["    make install"]),
    "right below its sentence": (
        "Put this into the file:\n    retries = 3\n    timeout = 20\nThen restart the service.\n",
        ["    retries = 3\n    timeout = 20"],
    ),
    "with empty lines inside": (
        "The helper:\n\n    def first():\n        return 1\n\n    def second():\n        return 2\n\nDone.\n",
        ["    def first():\n        return 1\n\n    def second():\n        return 2"],
    ),
    "by tabs": ("The rule:\n\n\tall: build\n\t\tcp a b\n\nEnd of it.\n", ["\tall: build\n\t\tcp a b"]),
    "a comment with a hash": (
        "The default:\n\n    # never set this to true in production\n    debug: false\n\nKeep it so.\n",
        ["    # never set this to true in production\n    debug: false"],
    ),
    "a whole file of settings": (
        "# limits of the service\nserver:\n  port: 8080\n  workers:\n    count: 4\n",
        ["# limits of the service\nserver:\n  port: 8080\n  workers:\n    count: 4"],
    ),
    "a script": (
        "#!/bin/sh\n# removes old files\nfor f in *.log; do\n    rm \"$f\"\ndone\n",
        ["#!/bin/sh\n# removes old files\nfor f in *.log; do\n    rm \"$f\"\ndone"],
    ),
    "an object": (
        '{\n  "name": "pump",\n  "limits": {\n    "low": 3\n  }\n}\n',
        ['{\n  "name": "pump",\n  "limits": {\n    "low": 3\n  }\n}'],
    ),
    "a query": (
        "It asks\n\n    SELECT name, age\n      FROM tenants\n     WHERE age > 18;\n\nonce a day.\n",
        ["    SELECT name, age\n      FROM tenants\n     WHERE age > 18;"],
    ),
    "fenced": (
        "Run\n\n```sh\nmake install\n  # two spaces\n\nmake check\n```\n\nand wait.\n",
        ["make install\n  # two spaces\n\nmake check"],
    ),
    "fenced by tildes": ("~~~\nx  =  1\n~~~\n", ["x  =  1"]),
    "fenced prose": ("```\nThis is prose, but fenced on purpose.\n```\n", ["This is prose, but fenced on purpose."]),
    "announced by two colons": (
        "The licence reads as follows::\n\n   You may use this software freely.\n   Keep this notice.\n\nThat is it.\n",
        ["   You may use this software freely.\n   Keep this notice."],
    ),
    "a stack of calls in a log": (
        "2026-01-17 14:02:11 ERROR job failed\n    at Runner.start(Runner.java:12)\n    at Main.main(Main.java:3)\n",
        ["    at Runner.start(Runner.java:12)\n    at Main.main(Main.java:3)"],
    ),
    "a tree of folders": (
        "It holds\n\n    src/\n      main.py\n      util.py\n\nonly.\n",
        ["    src/\n      main.py\n      util.py"],
    ),
}  # fmt: skip

PROSE = {
    "first lines indented, one line for each paragraph": (
        "    It was late when the caretaker came up the stairs with the key in his hand.\n"
        "    Nobody had told him that the lock was new, and so he stood there for a while.\n"
    ),
    "first lines indented, hard wrapped": (
        "    It was late when the caretaker came up the stairs with the key in\n"
        "his hand. Nobody had told him that the lock was new, and so he stood\n"
        "there for a while.\n"
        "    In the end he went down again and rang at the first door, where the\n"
        "light was still on.\n"
    ),
    "a letter that is indented as a whole": (
        "        Dear Mr Brown,\n\n        the heating of the house will be serviced on Monday. Please let the\n"
        "        firm in, or leave a key with the caretaker on the ground floor.\n\n"
        "        Yours sincerely,\n        Ann Miller\n"
    ),
    "a letter below a head that is not": (
        "Northern Housing\n\n        Dear Mr Brown,\n\n        the heating of the house will be serviced on Monday. "
        "Please let the\n        firm in, or leave a key with the caretaker on the ground floor.\n\n"
        "        Yours sincerely,\n        Ann Miller\n"
    ),
    "a quotation": (
        "The rules say on this:\n\n    Whoever leaves the house last locks the door and takes the key\n"
        "    to the caretaker, who notes the time.\n\nWe keep to it.\n"
    ),
    "a quotation by marks": ("She wrote:\n\n    > The lift is out of order again.\n    > Please send somebody.\n"),
    "an address": ("Send it to\n\n    Northern Housing Ltd\n    12 Mill Street\n    Leeds\n\nby Friday.\n"),
    "verse": (
        "The sign in the stairwell reads\n\n    Who goes out last\n    Turns off the light,\n    And locks the door\n"
        "    Behind the night.\n"
    ),
    "a term with its meaning": (
        "Deposit\n    The sum that a tenant pays before moving in, and gets back after moving\n    out.\n"
        "Notice\n    The letter that ends a contract. It needs a signature.\n"
    ),
    "a hanging indent": (
        "Warning: the valve in the cellar must never be closed while the boiler is running, or\n"
        "         the pressure rises and the pump fails. Call the firm first.\n"
    ),
    "German prose": (
        "Hinweis\n\n    Der Schlüssel hängt neben der Tür. Wer ihn nimmt, trägt sich in die\n    Liste ein.\n"
    ),
    "Russian prose": ("Правило\n\n    Ключ висит рядом с дверью. Кто его берёт, записывается в список\n    у входа.\n"),
    "Chinese prose": ("规则\n\n    钥匙挂在门旁边。拿钥匙的人必须登记。\n"),
    "a centred title": ("                    THE HOUSE RULES\n\nNobody may smoke in the stairwell or in the cellar.\n"),
    "a sentence with a figure and a bracket": (
        "Note\n\n    The rent (850 pounds) is due on the 3rd; after 14 days a fee of 5 % is added.\n"
    ),
    "prose with marks of a lighter markup": (
        ".. option:: host\n\n    Defaults to **none**; holds the name as seen in the ``HELO`` command, or\n"
        "    as :ref:`configured <host>`.\n"
    ),
    "an address of the web": ("The licence stands at\n\n    https://licences.example.org/v2\n\nin full.\n"),
    "a box of stars": ("Hello\n\n    *****************\n    ** WARNING ONLY **\n    *****************\n"),
    "a question": ("Ask them:\n\n    Where is the key to the cellar kept?\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(CODE))
def test_is_code(name: str) -> None:
    written, expected = CODE[name]
    assert codes(written) == expected


@pytest.mark.parametrize("name", sorted(PROSE))
def test_is_no_code(name: str) -> None:
    assert codes(PROSE[name]) == []


@pytest.mark.parametrize("name", sorted(PROSE))
def test_no_word_is_lost(name: str) -> None:
    words = " ".join(content for _, content in read(PROSE[name])).replace("- ", " ").split()
    assert words == [word for word in PROSE[name].split() if set(word) != {"*"} or len(word) < 3]


@pytest.mark.parametrize("extension", ["txt", "text", "rst", "adoc", "log"])
def test_a_hash_is_no_heading(extension: str) -> None:
    written = "# Never turn this on\n\nThe pump has no guard.\n\n## nor this\n\nIt stops at once.\n"
    found = read(written, f"notes.{extension}")
    assert [kind for kind, _ in found] == [P, P, P, P]
    assert [content for _, content in found][0::2] == ["# Never turn this on", "## nor this"]


def test_a_hash_is_a_heading_in_markdown() -> None:
    assert read("# Never turn this on\n\nThe pump has no guard.\n", "notes.md")[0] == (H, "Never turn this on")


def test_a_comment_is_not_joined_with_the_line_below() -> None:
    written = (
        "# the longest time in seconds that a request may take before it is given up\n"
        "timeout = 30\n"
        "# how often a failed request is tried again before the error is given back\n"
        "retries = 3\n"
    )
    ((_, content),) = read(written)
    assert content == written.strip()


def test_a_boxed_comment_is_no_heading() -> None:
    assert H not in {kind for kind, _ in read("# Limits\n########\nport = 80\n")}


def test_a_title_underlined_by_hashes_still_is_one() -> None:
    assert read("Limits\n######\n\nThe port is 80.\n") == [(H, "Limits"), (P, "The port is 80.")]


def test_a_fence_that_never_ends_is_none() -> None:
    written = "```\nThe writer forgot to close it.\n\nAnd went on with prose that is still to be found.\n"
    assert codes(written) == []
    assert "forgot to close" in " ".join(content for _, content in read(written))


def test_listing_blocks_of_asciidoc_are_fences() -> None:
    written = "Run this:\n\n----\nmake install\n  # a comment\n----\n\nThen wait.\n"
    assert codes(written, "notes.adoc") == ["make install\n  # a comment"]
    assert codes(written.replace("  #", "#"), "notes.txt") == []


def test_lists_stay_lists() -> None:
    written = "Bring\n\n    - a lamp\n    - two keys\n    - the list of rooms\n\nwith you.\n"
    assert [kind for kind, _ in read(written)] == [P, L, P]


def test_a_paragraph_inside_a_list_stays_prose() -> None:
    written = "1. Close the valve.\n\n    It is behind the boiler, on the left, and painted red.\n\n2. Call the firm.\n"
    assert codes(written) == []


def test_code_inside_a_list_is_code() -> None:
    written = "1. Stop the service:\n\n       systemctl stop pump\n\n2. Call the firm.\n"
    assert codes(written) == ["       systemctl stop pump"]


def test_directives_of_restructured_text_other_than_code_announce_prose() -> None:
    written = ".. note::\n\n   The valve must stay open while the boiler runs.\n\nGo on.\n"
    assert codes(written, "notes.rst") == []
    assert codes(".. code-block:: sh\n\n   make install\n\nGo on.\n", "notes.rst") == ["make install"]


def test_indentation_reaches_the_segment() -> None:
    from world import world

    base = world()
    base.put("notes.txt", "The rule:\n\n    if open:\n        close()\n\nThat is all.\n")
    assert "    if open:\n        close()" in [b.text for b in base.blocks()]


def test_whole_books_of_indented_prose_hold_no_code() -> None:
    page = "    The caretaker keeps the keys and notes who has taken which of them, and when.\n\n" * 200
    assert codes(page) == []


def test_nothing_but_rules_is_no_text() -> None:
    with pytest.raises(SourceRefusedError):
        parse("notes.txt", b"-----\n\n=====\n")
