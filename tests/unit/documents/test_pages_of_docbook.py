"""What DocBook puts around and before the text of each page of a manual is no text of the manual."""

from time import process_time

import pytest

from saidonce.documents.parse import parse

HEADER = (
    '<div class="navheader"><table><tr><th colspan="3">Chapter 2. Pumps</th></tr><tr><td><a href="tanks.html">Prev</a>'
    '</td><th></th><td><a href="hoses.html">Next</a></td></tr></table><hr></div>'
)
FOOTER = (
    '<div class="navfooter"><table><tr><td><a href="tanks.html">Prev</a></td><td></td><td><a href="hoses.html">Next</a>'
    '</td></tr><tr><td>Chapter 1. Tanks</td><td><a href="index.html">Home</a></td><td>Chapter 3. Hoses</td></tr>'
    "</table></div>"
)
CONTENTS = (
    '<div class="toc"><p><b>Table of Contents</b></p><dl><dt><a href="pumps.html#start">1. Start the pump</a></dt>'
    '<dt><a href="pumps.html#stop">2. Stop the pump</a></dt></dl></div>'
)
FOLDING = (
    '<div class="fancy_toc"><a onclick="toggle()"><span>&#x25ba;</span> Contents</a><div id="sub"><div class="toc1">'
    '<a href="#start">1. Start the pump</a></div><div class="toc1"><a href="#stop">2. Stop the pump</a></div></div>'
    "</div>"
)
FOLDING_OF_OTHERS = FOLDING.replace("#stop", "hoses.html#roll")
OF_OTHERS = CONTENTS.replace("pumps.html#stop", "hoses.html#roll").replace("2. Stop the pump", "3. Roll the hoses up")
OF_ANOTHER = CONTENTS.replace("pumps.html#", "hoses.html#")
NOTICE = '<div class="navheader"><p>Draft: the yard is closed in June.</p></div>'
NOTICE_OVER_LINKS = HEADER.replace("<table>", "<p>Draft: the yard is closed in June.</p><table>")
NOTICE_AS_TITLE = HEADER.replace("Chapter 2. Pumps", "The yard is closed in June")
TEXT = (
    '<h2><a name="start"></a>Start</h2><p>The pump starts with the green key.</p>'
    '<h2><a id="stop"></a>Stop</h2><p>The pump stops with the red key.</p>'
)
NOTE = '<div class="note"><p>Prev and Next on the panel lead to the <a href="hoses.html">hoses</a>.</p></div>'


@pytest.mark.parametrize(
    ("body", "left_out", "kept"),
    [
        (HEADER + TEXT, ["Prev", "Next"], ["green key", "red key"]),
        (TEXT + FOOTER, ["Prev", "Hoses", "Tanks"], ["green key", "red key"]),
        (CONTENTS + TEXT, ["Table of Contents", "Stop the pump"], ["green key", "red key"]),
        (FOLDING + TEXT, ["Contents", "Stop the pump"], ["green key", "red key"]),
        (FOLDING_OF_OTHERS + TEXT, [], ["Stop the pump", "green key"]),
        (TEXT + '<div class="stock"><a href="#stop">Stop the pump</a></div>', [], ["Stop the pump"]),
        (OF_OTHERS + TEXT, [], ["Roll the hoses up", "green key"]),
        (OF_ANOTHER + TEXT, [], ["Stop the pump", "green key"]),
        (NOTICE + TEXT, [], ["closed in June", "green key"]),
        (NOTICE_OVER_LINKS + TEXT, [], ["closed in June", "green key"]),
        (NOTICE_AS_TITLE + TEXT, [], ["closed in June", "green key"]),
        (HEADER.replace("Chapter 2. Pumps", "Pumps") + TEXT, ["Prev", "Next"], ["green key"]),
        (CONTENTS.replace("pumps.html", "") + TEXT, ["Stop the pump"], ["green key"]),
        (CONTENTS + "<p>The pump is red.</p>", [], ["Stop the pump", "The pump is red."]),
        (TEXT + NOTE, [], ["Prev and Next on the panel", "red key"]),
        (TEXT + '<table class="navigation-keys"><tr><td>Prev</td><td>k</td></tr></table>', [], ["Prev", "red key"]),
    ],
)
def test_what_stands_around_a_page(body: str, left_out: list[str], kept: list[str]) -> None:
    document = parse("pumps.html", f"<html><body><h1>Pumps</h1>{body}</body></html>".encode())
    read = "\n".join(element.text for element in document.elements)

    assert [words for words in left_out if words in read] == []
    assert [words for words in kept if words not in read] == []


def test_the_places_of_a_page_are_looked_for_once() -> None:
    page = f"<html><body>{CONTENTS * 3000}{TEXT}</body></html>".encode()
    began = process_time()
    document = parse("pumps.html", page)
    assert process_time() - began < 4
    assert not any("Table of Contents" in element.text for element in document.elements)
