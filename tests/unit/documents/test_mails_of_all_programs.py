"""What programs for mail write round a quotation, in their languages, and what only one form of a mail holds."""

from __future__ import annotations

import base64
import time

import pytest

from saidonce.documents.parse import parse
from saidonce.foundation.model import Document, Kind

OWN, UNKNOWN = "", "?"


def mail(body: str, kind: str = "text/plain; charset=utf-8", sender: str = "Bruno Haas <b@haas.example>") -> bytes:
    head = f"From: {sender}\r\nTo: Jo <j@k.example>\r\nSubject: Keys\r\nMIME-Version: 1.0\r\nContent-Type: {kind}"
    return f"{head}\r\n\r\n{body}\r\n".encode()


def read(body: str, kind: str = "text/plain; charset=utf-8") -> Document:
    return parse("a.eml", mail(body, kind))


def voice_of(document: Document, text: str) -> str:
    """Return who says a text, which stands in one element alone."""
    (element,) = (each for each in document.elements if text in each.text)
    return (element.place.speaker or UNKNOWN) if element.place is not None and element.place.is_quoted else OWN


LEADS = [
    ("Il giorno mar 3 nov 2026 alle ore 10:00 Alida Fenn <a@fenn.example> ha scritto:", "Alida Fenn"),
    ("Op di 3 nov 2026 om 10:00 schreef Alida Fenn <a@fenn.example>:", "Alida Fenn"),
    ("Em ter., 3 de nov. de 2026 às 10:00, Alda Fenn <a@fenn.example> escreveu:", "Alda Fenn"),
    ("wt., 3 lis 2026 o 10:00 Alina Fenn <a@fenn.example> napisał(a):", "Alina Fenn"),
    ("Den tis 3 nov. 2026 kl 10:00 skrev Alva Fenn <a@fenn.example>:", "Alva Fenn"),
    ("tir. 3. nov. 2026 kl. 10:00 skrev Alva Fenn <a@fenn.example>:", "Alva Fenn"),
    ("2026年11月3日(火) 10:00 田中花子 <h@tanaka.example>:", "田中花子"),
    ("2026/11/03 10:00、田中花子 <h@tanaka.example>のメール:", "田中花子"),
    ("王芳 <f@wang.example> 于2026年11月3日周二 10:00写道：", "王芳"),
    ("在 2026年11月3日，10:00，王芳 <f@wang.example> 写道：", "王芳"),
    ("2026년 11월 3일 (화) 오전 10:00, 김민수 <k@minsu.example>님이 작성:", "김민수"),
]

HEADS = [
    ("Da: Alida Fenn <a@fenn.example>\nInviato: martedì 3 novembre 2026 10:00\nA: Bruno\nOggetto: Porta", "Alida Fenn"),
    ("Van: Alida Fenn <a@fenn.example>\nVerzonden: 3 november 2026 10:00\nAan: B\nOnderwerp: Deur", "Alida Fenn"),
    ("De: Alda Fenn <a@fenn.example>\nEnviada: 3 de novembro de 2026 10:00\nPara: B\nAssunto: x", "Alda Fenn"),
    ("Od: Alina Fenn <a@fenn.example>\nWysłano: wtorek, 3 listopada 2026 10:00\nDo: B\nTemat: Drzwi", "Alina Fenn"),
    ("Från: Alva Fenn <a@fenn.example>\nSkickat: den 3 november 2026 10:00\nTill: B\nÄmne: Dörr", "Alva Fenn"),
    ("Fra: Alva Fenn <a@fenn.example>\nSendt: 3. november 2026 10:00\nTil: B\nEmne: Dør", "Alva Fenn"),
    ("差出人: 田中花子 <h@tanaka.example>\n送信日時: 2026年11月3日 10:00\n宛先: 佐藤\n件名: 扉", "田中花子"),
    ("发件人： 王芳 <f@wang.example>\n发送时间： 2026年11月3日 10:00\n收件人： 李明\n主题： 门", "王芳"),
    ("发件人：王芳 <f@wang.example>\n发送时间：2026年11月3日 10:00\n收件人：李明\n主题：门", "王芳"),
    ("보낸 사람: 김민수 <k@minsu.example>\n보낸 날짜: 2026년 11월 3일 10:00\n받는 사람: 이\n제목: 문", "김민수"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "name"), LEADS)
def test_a_line_names_who_is_quoted_in_the_words_of_its_language(line: str, name: str) -> None:
    document = read(f"Yes, on Monday.\n\n{line}\n\n> The door sticks.\n> Who comes?\n\nCarl does.\n")
    assert voice_of(document, "The door sticks.") == name
    assert voice_of(document, "Yes, on Monday.") == voice_of(document, "Carl does.") == OWN


@pytest.mark.parametrize(("head", "name"), HEADS)
def test_a_head_names_who_is_quoted_in_the_words_of_its_language(head: str, name: str) -> None:
    document = read(f"Yes, on Monday.\n\n{head}\n\nThe door sticks.\n")
    assert (voice_of(document, "Yes, on Monday."), voice_of(document, "The door sticks.")) == (OWN, name)


@pytest.mark.parametrize(
    "text",
    [
        "Da: Berlino\nA: Parigi\nData: 3 maggio",
        "Van: de kast\nAan: de muur",
        "2026年11月3日 10:00 集合場所:\n駅前です。",
        "2026-11-03 10:00 meeting, ask info@k.example:\nThe hall is booked.",
        "Ieri Alida ha scritto:\n\nLa porta è rotta.",
        "SQL> select 1\nSQL> commit",
        "> Is it full to the brim, as Carl said on Monday of last week already?\nyes\n",
    ],
)
def test_what_only_looks_like_one_names_nobody(text: str) -> None:
    document = read(f"Hello.\n\n{text}\n")
    assert {voice_of(document, line) for line in text.splitlines() if line} == {OWN}


BROKEN = [
    (
        "the end of a long line that was broken when it was quoted",
        "Alice Fenn wrote:\n> The tank behind the mill holds exactly four thousand litres of rain water and\nmust be "
        "emptied before\n> the first frost.\n",
        {"must be emptied before": "Alice Fenn"},
    ),
    (
        "a short answer below a question",
        "Alice Fenn wrote:\n> Is the tank behind the mill, which Carl filled up on Monday, full by now?\nnot yet\n"
        "> And who has the key?\n",
        {"Is the tank": "Alice Fenn", "not yet": OWN},
    ),
    (
        "a short answer below an item that nobody has ended",
        "Alice Fenn wrote:\n> - Do we have to pay the deposit for the long hall before the first of the month\nyes, on "
        "the last\n> - Who has the key\n",
        {"Do we have to pay": "Alice Fenn", "yes, on the last": OWN},
    ),
    (
        "a short answer below a line that had room for it",
        "Alice Fenn wrote:\n> I would like to know who pays for the repair of the roof in June\nwe do\n> and who "
        "pays for the cellar\n",
        {"I would like": "Alice Fenn", "we do": OWN},
    ),
    (
        "the end of a sentence that was broken off",
        "Alice Fenn wrote:\n> The tank behind the mill must be emptied before the first frost, or else pipes\n"
        "burst.\n> Then call us.\n",
        {"burst.": "Alice Fenn", "Then call us.": "Alice Fenn"},
    ),
    (
        "initials before the lines of whom they are",
        "Alice Fenn wrote:\nAF> The scaffold stays.\nAF> Who pays?\n\nThe owners do.\n",
        {"The scaffold stays.": "Alice Fenn", "The owners do.": OWN},
    ),
    (
        "the line that names somebody bears the mark, too",
        "Code is 4711.\n\nSent from my phone\n\n> On 3 Nov 2026, at 10:00, Alice Fenn <a@fenn.example> wrote:\n> \n"
        "> What is the code?\n",
        {"Code is 4711.": OWN, "What is the code?": "Alice Fenn"},
    ),
    (
        "the sender's own line right above it",
        "Hello Jo\nAlice Fenn wrote:\n> The roof leaks.\n> Since May.\n",
        {"Hello Jo": OWN, "The roof leaks.": "Alice Fenn"},
    ),
    (
        "the line is broken behind the time",
        "On Tue, 3 Nov 2026 at 10:00,\nAlice Fenn wrote:\n> The roof leaks.\n> Since May.\n",
        {"The roof leaks.": "Alice Fenn"},
    ),
]


@pytest.mark.parametrize(("_what", "body", "voices"), BROKEN, ids=[case[0] for case in BROKEN])
def test_marks_that_a_program_broke_are_those_of_whom_they_quote(_what: str, body: str, voices: dict[str, str]) -> None:
    document = read(body)
    assert {text: voice_of(document, text) for text in voices} == voices


WHO = "On Tue, 3 Nov 2026 at 10:00, Alice Fenn &lt;a@fenn.example&gt; wrote:"
CITED = '<blockquote type="cite">'
PAGES = [
    (
        "no element quotes what stands below the line",
        f"<div>It is repaired.</div><div class=yahoo_quoted><div>{WHO}</div><div>It stops.</div></div>",
        {"It is repaired.": OWN, "It stops.": "Alice Fenn"},
    ),
    (
        "own words stand on the line above, in one paragraph",
        f"<body>Yes.<br>Alice Fenn wrote:<br>{CITED}Is it tight?</blockquote>",
        {"Yes.": OWN, "Is it tight?": "Alice Fenn"},
    ),
    (
        "the line stands within the quotation",
        f"<p>Below.</p>{CITED}<div>{WHO}</div><div>Is it tight?</div></blockquote><p>It is.</p>",
        {"Below.": OWN, "Is it tight?": "Alice Fenn", "It is.": OWN},
    ),
    (
        "the line within a quotation belongs to the next one",
        f"<p>Below.</p>{CITED}<div>{WHO}</div>{CITED}It leaks.</blockquote><div>Since when?</div></blockquote>",
        {"It leaks.": "Alice Fenn", "Since when?": UNKNOWN},
    ),
    (
        "marks are typed into the page",
        f"<p>Yes.</p><p>{WHO}<br>&gt; Is it heated?<br>&gt; And the sauna?</p><p>The sauna is not.</p>",
        {"Yes.": OWN, "Is it heated?": "Alice Fenn", "The sauna is not.": OWN},
    ),
    (
        "the head of the other mail and its text are one paragraph",
        "<p>Use the back door.</p><p><b>From:</b> Alice Fenn &lt;a@fenn.example&gt;<br><b>Sent:</b> Tuesday, 3 November"
        " 2026 10:00<br><b>To:</b> Bruno<br><b>Subject:</b> Door<br><br>It sticks.<br>It is the hinge.</p><p>Soon.</p>",
        {"Use the back door.": OWN, "It sticks.": "Alice Fenn", "Soon.": "Alice Fenn"},
    ),
    (
        "a line that only says that somebody wrote",
        "<p>Yesterday Alice wrote:</p><p>It leaks.</p><p>I saw it.</p>",
        {"It leaks.": OWN, "I saw it.": OWN},
    ),
]


@pytest.mark.parametrize(("_what", "markup", "voices"), PAGES, ids=[case[0] for case in PAGES])
def test_pages_of_mails_are_whose_they_are(_what: str, markup: str, voices: dict[str, str]) -> None:
    document = read(f"<html><body>{markup}</body></html>", "text/html; charset=utf-8")
    assert {text: voice_of(document, text) for text in voices} == voices


def test_flowed_lines_of_a_quotation_are_joined() -> None:
    document = read(
        "On Tue, 3 Nov 2026 at 10:00, Alice Fenn <a@fenn.example> wrote:\n> Is the \n> tank full?\n>> Or \n>> empty?\n",
        "text/plain; charset=utf-8; format=flowed",
    )
    assert voice_of(document, "Is the tank full?") == "Alice Fenn"
    assert voice_of(document, "Or empty?") == UNKNOWN


def test_flowed_lines_that_delete_the_space_are_joined_without_one() -> None:
    document = read("> 水はま \n> だありますか。\n> はい。\n", "text/plain; charset=utf-8; format=flowed; delsp=yes")
    assert voice_of(document, "水はまだありますか。") == UNKNOWN


def alternatives(plain: str, *others: str) -> Document:
    parts = "".join(f"--A\n{other}\n" for other in others)
    return read(
        f"--A\nContent-Type: text/plain; charset=utf-8\n\n{plain}\n{parts}--A--\n", "multipart/alternative; boundary=A"
    )


HTML = "Content-Type: text/html; charset=utf-8\n\n"


def test_a_plain_text_that_only_says_that_there_is_a_page_adds_the_page() -> None:
    document = alternatives(
        "Your program shows no pages.",
        f"{HTML}<p>Parcels arrive at gate four.</p><table><tr><th>Day</th><th>Hour</th></tr><tr><td>Monday</td>"
        "<td>7</td></tr></table>",
    )
    texts = [element.text for element in document.elements if element.kind in (Kind.PARAGRAPH, Kind.TABLE)]
    assert texts == ["Your program shows no pages.", "Parcels arrive at gate four.", "Day | Hour\nMonday | 7"]


@pytest.mark.parametrize(
    ("plain", "page"),
    [
        ("Gate four opens at 7 on Monday.", "<p>Gate four opens at <b>7</b> on Monday.</p>"),
        ("四号門は月曜日の\n7時に開きます。", "<p>四号門は月曜日の7時に開きます。</p>"),
        (
            "* Gate four [https://k.example/4]\n* Gate five",
            "<ul><li><a href=x>Gate four</a></li><li>Gate five</li></ul>",
        ),
    ],
)
def test_what_both_forms_say_stands_once(plain: str, page: str) -> None:
    assert alternatives(plain, f"{HTML}{page}").elements == alternatives(plain).elements


def test_a_file_in_the_other_form_alone_is_read() -> None:
    document = alternatives(
        "The plan is attached.",
        f"Content-Type: multipart/mixed; boundary=B\n\n--B\n{HTML}<p>The plan is attached.</p>\n"
        "--B\nContent-Type: text/csv; name=plan.csv\nContent-Disposition: attachment; filename=plan.csv\n\n"
        f"Floor,Rooms\nSecond,14\n\n--B\n{HTML}<p>It holds until June.</p>\n--B--\n",
    )
    texts = [element.text for element in document.elements if element.kind is not Kind.RECORD]
    assert texts == ["Keys", "The plan is attached.", "plan.csv", "Floor | Rooms\nSecond | 14", "It holds until June."]


def test_a_mail_attached_as_a_file_is_the_text_of_its_sender() -> None:
    attached = base64.encodebytes(mail("The valve is broken.", sender="Alice Fenn <a@fenn.example>")).decode()
    document = read(
        "--X\nContent-Type: text/plain\n\nI agree.\n\n--X\nContent-Type: application/octet-stream; name=a.eml\n"
        "Content-Disposition: attachment; filename=a.eml\nContent-Transfer-Encoding: base64\n\n"
        f"{attached}\n--X--\n",
        "multipart/mixed; boundary=X",
    )
    assert (voice_of(document, "I agree."), voice_of(document, "The valve is broken.")) == (OWN, "Alice Fenn")


def test_a_page_attached_as_a_file_is_nobodys_quotation() -> None:
    document = read(
        "--X\nContent-Type: text/plain\n\nI agree.\n\n--X\nContent-Type: text/html; name=a.html\n"
        "Content-Disposition: attachment; filename=a.html\n\n"
        '<meta name="author" content="Alice Fenn"><p>The valve is broken.</p>\n--X--\n',
        "multipart/mixed; boundary=X",
    )
    assert voice_of(document, "The valve is broken.") == OWN


def mixed_page(other: str) -> Document:
    """Return a mail whose page, with another part, is the form that is not chosen, as Apple's program writes it."""
    return alternatives(
        "See below.",
        f"Content-Type: multipart/mixed; boundary=B\n\n--B\n{HTML}<p>See below.</p>\n--B\n{other}\n--B--\n",
    )


@pytest.mark.parametrize("kind", ["text/plain", "text/html"])
def test_a_mail_attached_to_the_other_form_is_the_text_of_its_sender(kind: str) -> None:
    attached = f"From: Alice Fenn <a@fenn.example>\nSubject: Valve\nContent-Type: {kind}\n\n<p>It is broken.</p>"
    document = mixed_page(f"Content-Type: message/rfc822; name=v.eml\n\n{attached}")
    assert (voice_of(document, "See below."), voice_of(document, "It is broken.")) == (OWN, "Alice Fenn")


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (
            "Content-Type: text/calendar\n\nBEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260103T100000Z\n"
            "SUMMARY:Meeting of owners\nEND:VEVENT\nEND:VCALENDAR",
            "start: 2026-01-03 10:00 UTC\nsummary: Meeting of owners",
        ),
        ("Content-Type: text/plain\n\nThe list closes on Friday at noon.", "The list closes on Friday at noon."),
    ],
)
def test_what_only_stands_beside_the_page_is_read(other: str, text: str) -> None:
    assert [element.text for element in mixed_page(other).elements][-1] == text


def test_an_empty_line_ends_a_flowed_paragraph() -> None:
    document = read("Hello Jo, \n\nThe gate \nis open. \n\nBye.\n", "text/plain; charset=utf-8; format=flowed")
    texts = [element.text for element in document.elements if element.kind is Kind.PARAGRAPH]
    assert texts == ["Hello Jo,", "The gate is open.", "Bye."]


def test_a_long_line_is_not_searched_for_a_name() -> None:
    start = time.process_time()
    document = read("A-" * 50_000 + ":\nAB> The roof leaks.\nAB> Since May.\n")
    assert voice_of(document, "Since May.") == OWN
    assert time.process_time() - start < 8
