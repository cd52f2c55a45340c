"""A picture that stands alone in a page has a caption of its own, which is no part of the passages around it.

Its title, its description and what stands below it are read once each; a note that only its layout makes a table is a
note. All cases were written before the rules.
"""

import pytest

from saidonce.documents.parse import parse

TITLE = '<p class="title"><b>Figure 4.2. The pump seen from the yard</b></p>'
IMG = '<div class="mediaobject"><img src="pump.png" alt="{}"></div>'
BELOW = '<div class="mediaobject"><img src="pump.png" alt="{}"><div class="caption"><p>{}</p></div></div>'
ICON = '<td rowspan="2"><img src="note.png"></td>'
FIGURE = '<div class="figure">{}<div class="figure-contents"><div class="screenshot">{}</div></div></div><br>'
BEFORE = "<p>The pump looks like this:</p>"
AFTER = "<p>It is red.</p>"
NOTE = (
    '<div class="{}"><table><tr>'
    + ICON.replace("{", "{{")
    + '<th>{}</th></tr><tr><td colspan="2">{}</td></tr></table></div>'
)
FIGURED = "Figure 4.2. The pump seen from the yard"


@pytest.mark.parametrize(
    ("body", "elements"),
    [
        (
            BEFORE + FIGURE.format(TITLE, IMG.format("The pump seen from the yard")) + AFTER,
            [("paragraph", "The pump looks like this:"), ("caption", FIGURED), ("paragraph", "It is red.")],
        ),
        (
            FIGURE.format(TITLE, IMG.format("The Pump seen from the Yard.")) + AFTER,
            [("caption", FIGURED), ("paragraph", "It is red.")],
        ),
        (
            FIGURE.format(TITLE, IMG.format("A red pump beside a blue tank")) + AFTER,
            [("caption", FIGURED), ("caption", "A red pump beside a blue tank"), ("paragraph", "It is red.")],
        ),
        (
            FIGURE.format(TITLE, BELOW.format("The pump seen from the yard", "Taken in May 2020.")) + AFTER,
            [("caption", FIGURED), ("caption", "Taken in May 2020."), ("paragraph", "It is red.")],
        ),
        (
            BEFORE + '<div class="screenshot">' + BELOW.format("The red pump", "The red pump") + "</div>" + AFTER,
            [("paragraph", "The pump looks like this:"), ("caption", "The red pump"), ("paragraph", "It is red.")],
        ),
        (
            BEFORE + "<p>" + IMG.format("The pump beside the tank") + "</p>" + AFTER,
            [
                ("paragraph", "The pump looks like this:"),
                ("caption", "The pump beside the tank"),
                ("paragraph", "It is red."),
            ],
        ),
        (
            '<p><img alt="The pump beside the tank"></p>' + AFTER,
            [("caption", "The pump beside the tank"), ("paragraph", "It is red.")],
        ),
        (
            '<table><tr><td><img alt="The pump beside the tank"></td></tr></table>' + AFTER,
            [("caption", "The pump beside the tank"), ("paragraph", "It is red.")],
        ),
        (
            '<p>Press <img alt="the green key"> twice.</p>',
            [("paragraph", "Press the green key twice.")],
        ),
        (
            '<p>The tank <img alt="seen from the yard"> holds 40 litres.</p>',
            [("paragraph", "The tank seen from the yard holds 40 litres.")],
        ),
        (
            "<table><tr><th>Raft</th><th>Open</th></tr><tr><td>1</td><td>"
            '<img alt="Closed until May 2020"></td></tr></table>',
            [("table", "Raft | Open\n1 | Closed until May 2020")],
        ),
        (
            "<ol><li><p>Open the tap.</p></li><li><p>Press the key.</p>"
            + FIGURE.format(TITLE, IMG.format("The pump seen from the yard"))
            + "</li><li><p>Wait.</p></li></ol>",
            [("list", "1. Open the tap.\n2. Press the key."), ("caption", FIGURED), ("list", "3. Wait.")],
        ),
        (
            '<p class="title">Ida Berg, mayor</p><p>She is red.</p>',
            [("paragraph", "Ida Berg, mayor"), ("paragraph", "She is red.")],
        ),
        (
            '<div class="caption"><h3>Pumps</h3><p>A pump is red.</p></div>',
            [("heading", "Pumps"), ("paragraph", "A pump is red.")],
        ),
        (
            NOTE.format("note", "Note", "<p>The pump is red.</p>"),
            [("paragraph", "Note: The pump is red.")],
        ),
        (
            NOTE.format("warning", "Warnung", "<p>Die Pumpe ist rot.</p><p>Sie ist neu.</p>"),
            [("paragraph", "Warnung: Die Pumpe ist rot."), ("paragraph", "Sie ist neu.")],
        ),
        (
            NOTE.format("note", "Note", "<p>The keys are:</p><ul><li>green</li><li>red</li></ul>"),
            [("paragraph", "Note: The keys are:"), ("list", "- green\n- red")],
        ),
        (
            '<div class="note"><table><tr><th>Key</th><th>Use</th></tr><tr><td>green</td><td>start</td></tr>'
            "</table></div>",
            [("table", "Key | Use\ngreen | start")],
        ),
        (
            '<div class="prices"><table><tr><td rowspan="2"></td><th>Fee</th></tr><tr><td colspan="2">9 euros</td></tr>'
            "</table></div>",
            [("table", "Fee | \n9 euros | 9 euros")],
        ),
        (
            '<figure><img alt="A red pump beside a tank"><figcaption>The pump</figcaption></figure>',
            [("caption", "A red pump beside a tank"), ("caption", "The pump")],
        ),
        (
            '<figure><img alt="The red pump"><figcaption>Figure 3: The red pump.</figcaption></figure>',
            [("caption", "Figure 3: The red pump.")],
        ),
        (
            '<div class="table"><p class="title"><b>Table 2.1. The fees of the pool</b></p><div class="table-contents">'
            "<table><tr><th>Who</th><th>Fee</th></tr><tr><td>Child</td><td>2</td></tr></table></div></div>",
            [("caption", "Table 2.1. The fees of the pool"), ("table", "Who | Fee\nChild | 2")],
        ),
        (
            '<div class="example"><p class="title"><b>Example 2.1. Start</b></p><div class="example-contents">'
            "<pre>pump start</pre></div></div>",
            [("caption", "Example 2.1. Start"), ("code", "pump start")],
        ),
    ],
)
def test_captions_of_pictures(body: str, elements: list[tuple[str, str]]) -> None:
    document = parse("pumps.html", f"<html><body><h1>Yard</h1>{body}</body></html>".encode())

    assert [(str(each.kind), each.text) for each in document.elements][1:] == elements
