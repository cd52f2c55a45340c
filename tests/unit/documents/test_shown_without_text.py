# ruff: noqa: E501
"""What a page shows without text of its own is read where it is a word of a text or a cell: ticks, bars, quotation marks."""

import pytest
from lxml import etree

from saidonce.documents.parse import html_shown, parse

TABLE = "<table><tr><th>Raft</th><th>Open</th></tr><tr><td>1</td><td>{}</td></tr><tr><td>2</td><td>x</td></tr></table>"

IN_A_CELL = [
    ('<img alt="Yes">', "Yes"),
    ('<img src="no.svg" alt="No" width=16>', "No"),
    ('<span role="img" aria-label="Approved"></span>', "Approved"),
    ('<i class="ico" title="yes"></i>', "yes"),
    ('<svg viewBox="0 0 9 9"><title>lit</title><path d="M0"/></svg>', "lit"),
    ('<progress value="30" max="100"></progress>', "30/100"),
    ('<a href="x.html"><img alt="Timetable"></a>', "Timetable"),
    ('<div role="progressbar" aria-valuenow="40"></div>', "40"),
    ('<img alt="">', ""),
    ('<i aria-hidden="true" title="yes"></i>No', "No"),
    ('<img alt="Yes" hidden>No', "No"),
    ('<span style="display:none"><img alt="Yes"></span>No', "No"),
    ('<img alt="Yes" src="t.png"> Yes', "Yes"),
    ("<ul><li>Day</li><li>Week</li><li>Month</li></ul>", "Day; Week; Month"),
    ("Passes: <ul><li>Day</li><li>Week</li></ul>members only", "Passes: Day; Week; members only"),
    ("<ol><li>Close the lid.</li><li>Turn the key.</li></ol>", "Close the lid. Turn the key."),
    ("<ul><li>Day<ul><li>adult</li><li>child</li></ul></li><li>Week</li></ul>", "Day; adult; child; Week"),
    ("Mon<br>Tue", "Mon Tue"),
    ("<ul><li>Day</li></ul>", "Day"),
    ('<img alt="Ja"> seit Mai', "Ja seit Mai"),
    ('<img alt="WLAN"><img alt="Parkplatz">', "WLAN Parkplatz"),
    ('<div><img alt="Yes"></div><div>since May</div>', "Yes since May"),
    ('<span title="closed"><i class="fa"></i></span>', "closed"),
    ('<i class="fa fa-check" aria-hidden="true" title="Yes"></i><span class="sr-only">Yes</span>', "Yes"),
]

ON_A_PAGE = [
    ('<p>Raft 1 is <img alt="closed"> this week.</p>', "Raft 1 is closed this week."),
    ('<p>The ferry is <img alt="closed">.</p>', "The ferry is closed."),
    ('<p>Order 7: <span role="img" aria-label="Approved">●</span></p>', "Order 7: Approved"),
    ('<p>The path is <svg role="img" aria-label="lit"><path d="M0"/></svg> at night.</p>', "The path is lit at night."),
    (
        '<p>Ferries run <abbr title="two per hour">2/h</abbr> in summer.</p>',
        "Ferries run 2/h (two per hour) in summer.",
    ),
    (
        '<p>The <abbr title="World Health Organization">WHO</abbr>, that is the WHO.</p>',
        "The WHO (World Health Organization), that is the WHO.",
    ),
    (
        '<p>The World Health Organization (<abbr title="World Health Organization">WHO</abbr>) says so.</p>',
        "The World Health Organization (WHO) says so.",
    ),
    ('<p>Battery: <meter value="0.7">70 %</meter></p>', "Battery: 70 %"),
    ('<ul><li><img alt="Showers"></li><li>Café</li></ul>', "- Showers\n- Café"),
    ('<dl><dt>Dogs</dt><dd><img alt="not allowed"></dd></dl>', "- Dogs\n  - not allowed"),
    ('<p><img class="emoji" alt="⚠️"> Keep out.</p>', "⚠️ Keep out."),
    ('<p>Entry <img alt="free">for children.</p>', "Entry free for children."),
    ('<p>Raft 1 <img alt="" src="wave.png"> is open.</p>', "Raft 1 is open."),
    ('<p><a href="ci"><img alt="build"></a> <a href="p"><img alt="PyPI"></a></p><p>Text.</p>', "Text."),
    ('<p><img alt="Acme"></p><p>Text.</p>', "Text."),
    ('<div><img alt="Logo"><p>We open at nine.</p></div>', "We open at nine."),
    ('<p>Open<img alt="wave.png" src="wave.png"> daily.</p>', "Open daily."),
    ('<figure><img alt="valve"><figcaption>The valve</figcaption></figure>', "The valve"),
    ('<p><img alt="The open valve seen from above"></p>', "The open valve seen from above"),
    ('<h2>Hours <a href="#hours"><img alt="link"></a></h2>', "Hours"),
    ('<ul><li><img alt="*"> Bring a towel</li></ul>', "- Bring a towel"),
    ('<p>Open <i class="icon"></i> daily.</p>', "Open daily."),
    ("<p>The sign says <q>no diving</q>.</p>", "The sign says “no diving”."),
    ("<p>He said <q>read <q>Ferns</q> first</q>.</p>", "He said “read ‘Ferns’ first”."),
    ('<p>The sign says "<q>no diving</q>".</p>', 'The sign says "no diving".'),
    (
        '<nav><a href="#top">Back to top</a></nav><div role="navigation"><table><tr><td><a href="a">A</a></td><td><a href="b">B</a></td></tr></table></div><p>Text.</p>',
        "Text.",
    ),
    (
        '<p>Rated <span role="img" aria-label="4 out of 5 stars">★★★★☆</span> by guests.</p>',
        "Rated 4 out of 5 stars by guests.",
    ),
    ('<p>Press <kbd><img alt="Enter"></kbd> to go on.</p>', "Press Enter to go on."),
    ('<h2><img alt="new"> Import files</h2>', "Import files"),
    (
        '<p>Boll 2009. <span class="Z3988" title="ctx_ver=Z39.88-2004&amp;rft.genre=book&amp;rft.btitle=Ferns&amp;rft.aulast=Boll&amp;rft.date=2009"></span></p>',
        "Boll 2009.",
    ),
    (
        '<table role="presentation"><tr><td><img alt="Acme"></td><td>Hello Ida, the pool is open.</td></tr></table>',
        "Hello Ida, the pool is open.",
    ),
    ('<ul><li><a href="a"><img alt="Fern"></a><h3>Fern</h3><p>Green.</p></li></ul>', "Fern\nGreen."),
    ('<p>See <a href="https://x"><img alt="the plan"></a>.</p>', "See the plan."),
    (
        '<p>Parking <abbr title="two per hour">2/h</abbr>, later <abbr title="two per hour">2/h</abbr>.</p>',
        "Parking 2/h (two per hour), later 2/h.",
    ),
    ('<p>Parking <abbr title="2/h">2/h</abbr>.</p>', "Parking 2/h."),
    ("<p>Parking <abbr>2/h</abbr>.</p>", "Parking 2/h."),
    (
        '<p>Set <label for="b">Boost</label> <progress id="b" value="3" max="5"></progress> now.</p>',
        "Set Boost 3/5 now.",
    ),
    ('<div><progress value="0"></progress></div><p>Text.</p>', "Text."),
    ('<pre>a <q>b</q> <img alt="x"></pre>', "a b"),
    ('<p>Grade<img alt="A">, then (<img alt="B">)</p>', "Grade A, then (B)"),
    ('<ul><li><p><img alt="Pets"></p></li><li><img alt=""></li></ul>', "- Pets"),
    ('<p lang="de">Er rief <q>Feuer</q>!</p>', "Er rief “Feuer”!"),
    (
        '<div role="table"><div role="row"><span role="columnheader">Raft</span><span role="columnheader">Open</span></div><div role="row"><span role="cell">1</span><span role="cell"><svg aria-label="no"></svg></span></div></div>',
        "Raft | Open\n1 | no",
    ),
    ('<p><svg aria-hidden="true"><title>decor</title></svg> Open daily.</p>', "Open daily."),
    ('<button><img alt="Save"></button><p>Text.</p>', "Text."),
    ('<p>By <img alt="Logo"> Acme.</p>', "By Acme."),
]


def read(body: str) -> str:
    return "\n".join(e.text for e in parse("a.html", f"<html><body>{body}</body></html>".encode()).elements)


@pytest.mark.parametrize(("cell", "wanted"), IN_A_CELL)
def test_a_cell_holds_what_it_shows(cell: str, wanted: str) -> None:
    assert read(TABLE.format(cell)) == f"Raft | Open\n1 | {wanted}\n2 | x"


@pytest.mark.parametrize(("body", "wanted"), ON_A_PAGE)
def test_a_text_holds_what_it_shows_and_illustrations_stay_out(body: str, wanted: str) -> None:
    assert read(body) == wanted


def test_a_link_with_many_pictures_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text_of, reads = html_shown._text_of, list[etree._Element]()

    def counted(node: etree._Element) -> str:
        if node.tag == "a":
            reads.append(node)
        return text_of(node)

    monkeypatch.setattr(html_shown, "_text_of", counted)
    pictures = '<img alt="closed gate">' * 20
    assert read(f'<p>The path <a href="#gate">{pictures}</a> ends here.</p>') == "The path ends here."
    assert len(reads) == 1
