"""What a mail quotes of another one is the text of that one's sender, never of its own."""

from __future__ import annotations

import pytest

from saidonce.documents.parse import parse
from saidonce.documents.segment import segment
from saidonce.foundation.model import Candidate, Document, Kind, MediaPlace
from saidonce.foundation.settings.policy import SEGMENT_POLICIES, SegmentStyle
from saidonce.foundation.text import content_hash
from saidonce.matching.guards import same_sender
from saidonce.matching.ladder import same_speaker

OWN, UNKNOWN = "", "?"
ALICE, BRUNO = "Alice Fenn", "Bruno Haas"
KEY, BOILER, DOOR = "I left the key with the neighbour.", "I will replace the boiler on Monday.", "The door sticks."


def mail(body: str, kind: str = "text/plain; charset=utf-8") -> Document:
    head = f"From: Bruno Haas <b@haas.example>\r\nTo: Jo <j@k.example>\r\nSubject: Keys\r\nContent-Type: {kind}"
    return parse("a.eml", f"{head}\r\n\r\n{body}\r\n".encode())


def voices(document: Document) -> list[tuple[str, str]]:
    """Return who says each text; the lines that name who is quoted are records."""
    return [
        ((e.place.speaker or UNKNOWN) if e.place is not None and e.place.is_quoted else OWN, e.text)
        for e in document.elements
        if e.kind not in (Kind.HEADING, Kind.RECORD)
    ]


def candidate_of_mail(text: str, sender: str, quoted_from: str | None) -> Candidate:
    """Return a text of a mail; of somebody whom that quotes, or of one unknown if it names nobody."""
    place = None if quoted_from is None else MediaPlace(speaker=quoted_from, is_quoted=True)
    return Candidate(text, content_hash(text), language="en", sender=sender, place=place)


def quoted(*lines: str, mark: str = ">") -> str:
    return "\n".join(f"{mark} {line}" for line in lines)


NAMED = [
    "On Tue, 3 Nov 2026 at 10:00, Alice Fenn <alice9@fenn.example> wrote:",
    "On Tue, 3 Nov 2026 at 10:00, Alice Fenn\n<alice@fenn.example> wrote:",
    "On Nov 3, 2026, at 10:00 AM, Alice Fenn <alice@fenn.example> wrote:",
    "On 11/3/26 10:00, Alice Fenn wrote:",
    "Alice Fenn wrote:",
    "Alice Fenn <alice@fenn.example> wrote on 3 Nov 2026:",
    "2026-11-03 10:00 GMT+01:00 Alice Fenn <alice@fenn.example>:",
    "Am Di., 3. Nov. 2026 um 10:00 Uhr schrieb Alice Fenn <alice@fenn.example>:",
    "Am 03.11.26 um 10:00 schrieb Alice Fenn:",
    "Alice Fenn schrieb am 03.11.2026 10:00:",
    "Le mar. 3 nov. 2026 à 10:00, Alice Fenn <alice@fenn.example> a écrit :",
    "Alice Fenn a écrit :",
    "El mar, 3 nov 2026 a las 10:00, Alice Fenn (<alice@fenn.example>) escribió:",
    "Alice Fenn escribió:",
]

HEADED = [
    "-----Original Message-----\nFrom: Alice Fenn <alice@fenn.example>\n"
    "Sent: Tuesday, 3 November 2026 10:00\nTo: Bruno Haas\nSubject: Boiler",
    "From: Alice Fenn [mailto:alice@fenn.example]\nSent: Tuesday, 3 November 2026 10:00\nTo: Bruno Haas\n"
    "Subject: Boiler",
    "________________________________\n*From:* Alice Fenn <alice@fenn.example>\n"
    "*Sent:* Tuesday, 3 November 2026 10:00\n*Subject:* Boiler",
    "---------- Forwarded message ---------\nFrom: Alice Fenn <alice@fenn.example>\n"
    "Date: Tue, 3 Nov 2026 at 10:00\nSubject: Boiler\nTo: Bruno Haas <b@haas.example>",
    "Begin forwarded message:\n\nFrom: Alice Fenn <alice@fenn.example>\nSubject: Boiler\n"
    "Date: 3 November 2026 at 10:00:12 GMT\nTo: Bruno Haas",
    "-----Ursprüngliche Nachricht-----\nVon: Alice Fenn <alice@fenn.example>\n"
    "Gesendet: Dienstag, 3. November 2026 10:00\nAn: Bruno Haas\nBetreff: Heizkessel",
    "Von: Alice Fenn <alice@fenn.example>\nDatum: Dienstag, 3. November 2026 um 10:00\nAn: Bruno Haas\n"
    "Betreff: Heizkessel",
    "De : Alice Fenn <alice@fenn.example>\nEnvoyé : mardi 3 novembre 2026 10:00\nÀ : Bruno Haas\n"
    "Objet : Chaudière",
    "-----Message d'origine-----\nDe : Alice Fenn\nEnvoyé : mardi 3 novembre 2026 10:00\nÀ : Bruno Haas\n"
    "Objet : Chaudière",
    "De: Alice Fenn <alice@fenn.example>\nEnviado el: martes, 3 de noviembre de 2026 10:00\n"
    "Para: Bruno Haas\nAsunto: Caldera",
    "-----Mensaje original-----\nDe: Alice Fenn\nEnviado: martes, 3 de noviembre de 2026 10:00\n"
    "Para: Bruno Haas\nAsunto: Caldera",
]  # fmt: skip

OWN_TEXT = [
    "On Monday Alice wrote:\n\nThe boiler is old.",
    "From: Berlin\nTo: Paris\nDate: 3 May",
    "From: the landlord",
    "We never got the original message about the boiler.",
    "Alice wrote: the boiler is old.",
    ">>> print(1)\n>>> print(2)",
    "Am Montag schrieb Alice:\n\nDer Kessel ist alt.",
]


@pytest.mark.parametrize("line", NAMED)
def test_lines_with_marks_are_those_of_whom_the_line_over_them_names(line: str) -> None:
    assert voices(mail(f"{KEY}\n\n{line}\n{quoted(BOILER)}\n\n{DOOR}")) == [
        (OWN, KEY), (ALICE, BOILER), (OWN, DOOR),
    ]  # fmt: skip


@pytest.mark.parametrize("head", HEADED)
def test_all_below_the_head_of_another_mail_is_its_senders(head: str) -> None:
    assert voices(mail(f"{KEY}\n\n{head}\n\n{BOILER}\n\n{DOOR}")) == [(OWN, KEY), (ALICE, BOILER), (ALICE, DOOR)]


@pytest.mark.parametrize("text", OWN_TEXT)
def test_what_only_looks_like_it_is_own_text(text: str) -> None:
    assert {voice for voice, _ in voices(mail(f"{KEY}\n\n{text}"))} == {OWN}


@pytest.mark.parametrize("line", [NAMED[0], *HEADED])
def test_the_line_that_names_a_quoted_mail_is_kept_as_a_record(line: str) -> None:
    records = [e.text for e in mail(f"{KEY}\n\n{line}\n{quoted(BOILER)}").elements if e.kind is Kind.RECORD]
    assert ALICE in records[-1]


def test_a_thread_of_mails_is_told_by_each_of_its_people() -> None:
    inner = f"{DOOR}\n\n{NAMED[0]}\n{quoted(BOILER)}"
    outer = f"{KEY}\n\nOn Tue, 3 Nov 2026 at 12:00, Bruno Haas <b@haas.example> wrote:\n{quoted(*inner.split(chr(10)))}"
    assert voices(mail(outer)) == [(OWN, KEY), (BRUNO, DOOR), (ALICE, BOILER)]


def test_heads_one_below_the_other_are_those_of_several_mails() -> None:
    other = HEADED[0].replace("Alice Fenn <alice@fenn.example>", "Carla Reyes").replace("Boiler", "Door")
    assert voices(mail(f"{KEY}\n\n{HEADED[0]}\n\n{BOILER}\n\n{other}\n\n{DOOR}")) == [
        (OWN, KEY), (ALICE, BOILER), ("Carla Reyes", DOOR),
    ]  # fmt: skip


def test_answers_between_the_lines_are_own_text() -> None:
    body = f"{NAMED[0]}\n{quoted(BOILER)}\n\n{KEY}\n\n{quoted(DOOR)}\n\nIt was planed."
    assert voices(mail(body)) == [(ALICE, BOILER), (OWN, KEY), (UNKNOWN, DOOR), (OWN, "It was planed.")]


def test_what_nobody_is_named_for_is_nobodys() -> None:
    assert voices(mail(f"{quoted(BOILER, '', DOOR)}\n\n{KEY}")) == [(UNKNOWN, BOILER), (UNKNOWN, DOOR), (OWN, KEY)]
    assert voices(mail(f"Everybody on the stairs wrote:\n{quoted(BOILER)}"))[-1] == (UNKNOWN, BOILER)


@pytest.mark.parametrize(
    "text",
    [
        "> 12 litres a day: 5 %\n> 24 litres a day: 9 %",
        ">= 12 litres a day: 5 %\n>= 24 litres a day: 9 %",
        "> \u20ac 300: two signatures\n> \u20ac 900: three signatures",
        "> the second floor",
        ">>> valve.shut()\n>>> valve.state",
    ],
)
def test_marks_that_may_be_no_quotations_stay_in_the_senders_text(text: str) -> None:
    assert voices(mail(f"{KEY}\n\n{text}\n\n{DOOR}")) == [(OWN, KEY), (OWN, text), (OWN, DOOR)]


def test_marks_of_a_quoted_mail_that_may_be_its_own_stay_and_are_nobodys() -> None:
    rates = "> 12 litres a day: 5 %\n> 24 litres a day: 9 %"
    body = f"{NAMED[4]}\n{quoted(BOILER, '', *rates.split(chr(10)))}\n\n{KEY}\n\n{rates}"
    assert voices(mail(body)) == [(ALICE, BOILER), (UNKNOWN, rates), (OWN, KEY), (UNKNOWN, rates)]


@pytest.mark.parametrize("line", [NAMED[0], NAMED[3], NAMED[4]])
def test_the_oldest_mail_of_a_thread_may_stand_first(line: str) -> None:
    thread = f">>> {KEY}\n>> {BOILER}\n> {DOOR}"
    assert voices(mail(f"{line}\n{thread}\n\nPlane it.")) == [
        (UNKNOWN, KEY), (UNKNOWN, BOILER), (ALICE, DOOR), (OWN, "Plane it."),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "between", ["[...]", "On Tue, 3 Nov 2026 at 9:00, Alice Fenn <alice@fenn.example> wrote:", "[\u2026]\n\n---"]
)
def test_where_lines_bear_marks_only_those_are_quoted(between: str) -> None:
    found = voices(mail(f"{NAMED[0]}\n\n{between}\n{quoted(BOILER)}\n\n{DOOR}"))
    assert [voice for voice in found if voice[1] in (BOILER, DOOR)] == [(ALICE, BOILER), (OWN, DOOR)]


def test_without_marks_all_below_a_line_with_time_and_address_is_quoted() -> None:
    assert voices(mail(f"{KEY}\n\n{NAMED[0]}\n\n{BOILER}\n\n{DOOR}")) == [
        (OWN, KEY), (ALICE, BOILER), (ALICE, DOOR),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "labels",
    [
        "Von: Hamburg\nDatum: 3. November 2026\nBetreff: Fahrt 12",
        "Von: Hamburg\nDatum: 03.11.2026\nBetreff: Fahrt 12",
        "From: the name of your firm\nDate: the day of the reading\nSubject: Meter",
        "De : la gare\nDate : mardi\nObjet : Visite",
        "Order\n------------------\nFrom: Leeds\nDate: 3 November\nSubject: Pipes",
    ],
)
def test_labels_alone_are_no_head_of_a_mail(labels: str) -> None:
    assert {voice for voice, _ in voices(mail(f"{KEY}\n\n{labels}\n\n{DOOR}"))} == {OWN}
    assert {voice for voice, _ in voices(mail(f"{labels}\n\n{DOOR}"))} == {OWN}


def test_marks_right_below_a_head_may_be_what_that_mail_quotes() -> None:
    assert voices(mail(f"{HEADED[1]}\n\n{quoted(BOILER, DOOR)}\n\n{KEY}"))[-1] == (UNKNOWN, KEY)


@pytest.mark.parametrize(
    "line",
    [
        "On Thu, Alice Fenn wrote:",
        "On Thursday evening, Alice Fenn wrote:",
        "Yesterday Alice Fenn wrote:",
        "Last Thursday, Alice Fenn wrote:",
        "Last night, Alice Fenn <a@f.example> wrote:",
        "On 4 June Alice Fenn wrote:",
        "On 4 June, Alice Fenn <a@f.example> wrote:",
        "On Thursday, June 4, Alice Fenn wrote:",
        "4 June 2026, Alice Fenn <a@f.example> wrote:",
        "Am Donnerstag schrieb Alice Fenn:",
        "Gestern Abend schrieb Alice Fenn:",
        "Gestern schrieb Alice Fenn <a@f.example>:",
        "Am 4. Juni schrieb Alice Fenn:",
        "Hier soir, Alice Fenn a écrit :",
        "Le 4 juin, Alice Fenn a écrit :",
        "Le jeudi 4 juin 2026, Alice Fenn a écrit :",
        "El jueves pasado, Alice Fenn escribió:",
        "El 4 de junio, Alice Fenn escribió:",
        "Ayer Alice Fenn escribió:",
    ],
)
def test_words_of_time_are_no_part_of_a_name(line: str) -> None:
    assert voices(mail(f"{line}\n{quoted(BOILER, DOOR)}"))[0] == (ALICE, f"{BOILER}\n{DOOR}")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("May Fenn wrote:", "May Fenn"),
        ("On 04.06.26 10:00, Jan Haas wrote:", "Jan Haas"),
        ("On Thu, June 4, Jan Haas wrote:", "Jan Haas"),
        ("Jan Haas schrieb am 04.06.2026:", "Jan Haas"),
        ("Domingo Reyes escribió:", "Domingo Reyes"),
        ("Le Thi Lan a écrit :", "Le Thi Lan"),
        ("El Mahdi Rafiq escribió:", "El Mahdi Rafiq"),
        ("Le Mai Lan a écrit :", "Le Mai Lan"),
        ("Morgen Haas wrote:", "Morgen Haas"),
        ("Last, Bruno wrote:", UNKNOWN),
        ("On Sunday Adeyemi wrote:", UNKNOWN),
        ("On Thu, May Fenn wrote:", UNKNOWN),
        ("In May Alice Fenn wrote:", UNKNOWN),
        ("Yesterday Jan Haas wrote:", UNKNOWN),
        ("Monday Alice Fenn wrote:", UNKNOWN),
        ("On Thu, May Fenn <may@f.example> wrote:", "may@f.example"),
    ],
)
def test_a_word_of_time_may_be_a_name(line: str, name: str) -> None:
    assert voices(mail(f"{line}\n{quoted(BOILER, DOOR)}"))[-1] == (name, f"{BOILER}\n{DOOR}")


def test_a_line_names_the_writer_of_what_stands_below_it_alone() -> None:
    body = f"{NAMED[4]}\n{quoted(BOILER)}\n\n{KEY}\n\nThe rules of the house say:\n{quoted(DOOR)}"
    assert voices(mail(body)) == [
        (ALICE, BOILER), (OWN, KEY), (OWN, "The rules of the house say:"), (UNKNOWN, DOOR),
    ]  # fmt: skip


def test_an_attached_mail_is_its_senders() -> None:
    body = (
        f"--x\r\nContent-Type: text/plain\r\n\r\n{KEY}\r\n--x\r\nContent-Type: message/rfc822\r\n\r\n"
        f"From: Alice Fenn <a@f.example>\r\nTo: b@haas.example\r\nSubject: Boiler\r\n\r\n{BOILER}\r\n--x--"
    )
    assert voices(mail(body, 'multipart/mixed; boundary="x"')) == [(OWN, KEY), (ALICE, BOILER)]


HTML = [
    '<p>{own}</p><div class="gmail_quote"><div class="gmail_attr">On Tue, 3 Nov 2026 at 10:00, Alice Fenn &lt;'
    '<a href="mailto:a@f.example">a@f.example</a>&gt; wrote:<br></div><blockquote class="gmail_quote"><p>{quote}</p>'
    "</blockquote></div><p>{after}</p>",
    "<p>{own}</p><p>Am 03.11.26 um 10:00 schrieb Alice Fenn:</p>"
    '<blockquote type="cite" cite="mid:1@f.example"><p>{quote}</p></blockquote><p>{after}</p>',
    "<p>{own}</p><p>Alice Fenn wrote:</p><blockquote><p>{quote}</p></blockquote><p>{after}</p>",
]  # fmt: skip


@pytest.mark.parametrize("page", HTML)
def test_quotations_of_pages_are_marked_as_well(page: str) -> None:
    found = voices(mail(page.format(own=KEY, quote=BOILER, after=DOOR), "text/html; charset=utf-8"))
    assert found == [(OWN, KEY), (ALICE, BOILER), (OWN, DOOR)]


def test_a_page_with_the_head_of_another_mail() -> None:
    head = "<b>From:</b> Alice Fenn &lt;a@f.example&gt;<br><b>Sent:</b> 3 November 2026 10:00<br><b>Subject:</b> Boiler"
    page = f"<p>{KEY}</p><hr><div><font>{head}</font></div><div>{BOILER}</div>"
    assert voices(mail(page, "text/html; charset=utf-8")) == [(OWN, KEY), (ALICE, BOILER)]


def test_text_that_is_only_indented_by_a_quotation_of_a_page_is_own_text() -> None:
    page = f'<p>{KEY}</p><blockquote style="margin: 0 0 0 40px; border: none"><p>{DOOR}</p></blockquote>'
    assert voices(mail(page, "text/html; charset=utf-8")) == [(OWN, KEY), (OWN, DOOR)]


@pytest.mark.parametrize("cited", ["", ' type="cite"'])
@pytest.mark.parametrize(
    ("page", "text"),
    [
        (
            "<table><tr><th>Who</th><th>What</th></tr><tr><td>Jo</td><td>{quote}</td></tr></table>",
            "Who | What\nJo | {}",
        ),
        ("<ul><li>Jo: {quote}</li><li>Bo</li></ul>", "- Jo:\n  {}\n- Bo"),
        ("<dl><dt>Jo</dt><dd>{quote}</dd></dl>", "- Jo\n  - {}"),
        ("<pre>{quote}</pre>", "{}"),
        ("<table><caption>{quote}</caption><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>", "{}"),
    ],
)
def test_a_quotation_within_a_cell_or_an_item_is_a_part_of_it(page: str, text: str, cited: str) -> None:
    quote = f"<blockquote{cited}>{DOOR}</blockquote>"
    found = voices(mail(f"<p>{KEY}</p>{page.format(quote=quote)}", "text/html; charset=utf-8"))
    assert found[:2] == [(OWN, KEY), (OWN, text.format(DOOR))]


def test_a_quotation_of_a_page_within_a_section_or_a_layout_is_marked() -> None:
    for page in ("<ul><li><h3>House</h3>{}</li></ul>", "<table><tr><td>{}</td></tr></table>"):
        quote = page.format(f"<p>Alice Fenn wrote:</p><blockquote><p>{BOILER}</p></blockquote><p>{DOOR}</p>")
        assert voices(mail(f"<p>{KEY}</p>{quote}", "text/html")) == [(OWN, KEY), (ALICE, BOILER), (OWN, DOOR)]


def test_a_page_writes_no_signs_of_a_quotation() -> None:
    page = f"<p>Alice Fenn wrote:</p><p>&#xE000;</p><p>{KEY} &#xE002;</p>"
    assert voices(mail(page, "text/html"))[-1] == (OWN, KEY)


def test_an_answer_ends_what_a_line_of_a_page_names() -> None:
    cited = '<blockquote type="cite"><p>{}</p></blockquote>'
    page = f"<p>Alice Fenn wrote:</p>{cited.format(BOILER)}<p>{KEY}</p>{cited.format(DOOR)}"
    assert voices(mail(page, "text/html")) == [(ALICE, BOILER), (OWN, KEY), (UNKNOWN, DOOR)]


def test_own_and_quoted_text_are_never_one_segment() -> None:
    document = mail(f"Yes.\n\n{NAMED[0]}\n{quoted('Is it mended?')}\n\n{quoted('Soon?', mark='>>')}\n\nNo.")
    policy = SEGMENT_POLICIES[SegmentStyle.PARAGRAPH]
    segments = segment(document, "d", policy, lambda texts: [len(t.split()) for t in texts])
    texts = [(s.place.speaker if s.place else OWN, s.text) for s in segments if s.kind is Kind.PARAGRAPH]
    assert texts == [(OWN, "Yes."), (ALICE, "Is it mended?"), (OWN, "Soon?"), (OWN, "No.")]


@pytest.mark.parametrize(
    ("a", "b", "is_apart"),
    [
        ((BRUNO, ALICE), (ALICE, None), False),
        ((BRUNO, ALICE), (BRUNO, None), True),
        ((BRUNO, ALICE), ("Carla Reyes", None), True),
        ((BRUNO, ""), (ALICE, None), False),
        ((BRUNO, ALICE), ("Carla Reyes", ALICE), False),
        ((BRUNO, ALICE), (BRUNO, "Carla Reyes"), True),
    ],
)
def test_who_says_it_is_the_one_who_is_quoted(
    a: tuple[str, str | None], b: tuple[str, str | None], is_apart: bool
) -> None:
    one, other = candidate_of_mail(BOILER, *a), candidate_of_mail(BOILER, *b)
    assert bool(same_sender(one, other)) is is_apart
    assert not same_speaker(one, other)


def test_the_record_of_a_head_begins_with_its_first_label() -> None:
    records = [e.text for e in mail(f"{KEY}\n\n{HEADED[0]}\n\n{BOILER}").elements if e.kind is Kind.RECORD]
    assert records[-1].startswith("From: Alice Fenn")
