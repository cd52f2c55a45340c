"""The same words by two people are two statements; what nobody says in the first person stays one."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from saidonce.foundation.model import FactKind
from saidonce.foundation.ports import QueueFilter
from saidonce.interfaces.cli.render import answer_text, documents_text, search_text
from saidonce.interfaces.views.kb import DocumentView, SearchView
from saidonce.interfaces.views.mcp import McpSearch
from saidonce.interfaces.views.passages import ContextView
from saidonce.kb.answer import answer
from saidonce.kb.packed_context import pack
from saidonce.kb.pairs import accord_between
from saidonce.kb.review import open_pairs
from saidonce.matching.agreement import Agreement
from world import World, world

OFFER = "I accept the offer of four hundred pounds for the carpet."
PLEDGE = "I undertake to pay for the scaffolding and to insure it until the end of May."
NOTICE = "The water is turned off on Thursday from nine until noon in all flats of the rear house."


@dataclass(frozen=True)
class Case:
    """Two places with the same words.

    Attributes:
        words: what is looked for.
        n: how often it is kept and shown.
        files: by name.
    """

    name: str
    words: str
    n: int
    files: dict[str, str]


def _vtt(*turns: tuple[str, str]) -> str:
    cues = [
        f"00:{at:02}.000 --> 00:{at:02}.900\n{f'<v {who}>' if who else ''}{words}\n"
        for at, (who, words) in enumerate(turns, 1)
    ]
    return "\n".join(("WEBVTT\n", *cues))


def _mail(who: str, words: str, to: str = "Residents <all@hoxton.example>") -> str:
    start = f"From: {who}\r\n" if who else ""
    return f"{start}To: {to}\r\nSubject: Scaffolding at the rear house\r\n\r\n{words}\r\n"


BETWEEN = ("Chair", "The next item is the state of the garden and of the bicycle racks beside it.")
MARISOL, TOBIAS = "Marisol Okonjo <marisol@okonjo.example>", "Tobias Renn <tobias@renn.example>"


def _talk(name: str, n: int, one: str, other: str, words: str = OFFER) -> Case:
    return Case(name, words, n, {"hearing.vtt": _vtt((one, words), BETWEEN, (other, words))})


def _talks(name: str, n: int, one: str, other: str) -> Case:
    return Case(name, OFFER, n, {"monday.vtt": _vtt((one, OFFER), BETWEEN), "friday.vtt": _vtt((other, OFFER))})


def _mails(name: str, n: int, one: tuple[str, ...], other: tuple[str, ...], words: str = "") -> Case:
    return Case(name, words or one[1], n, {"one.eml": _mail(*one), "two.eml": _mail(*other)})


APART = (
    _talk("two speakers in one recording", 2, "Marisol", "Tobias"),
    _talk("whole names that share the first", 2, "Marisol Okonjo", "Marisol Quist"),
    _talk("numbered voices", 2, "Speaker 1", "Speaker 2"),
    _talk("no first person, yet two promises", 2, "Ms Hartwig", "Mr Imrie", "The keys are returned on Friday at noon."),
    _talks("two speakers in two recordings", 2, "Marisol", "Tobias"),
    Case("one right after the other", OFFER, 2, {"a.vtt": _vtt(("Marisol", OFFER), ("Tobias", OFFER))}),
    Case("a third who is not the second", OFFER, 3, {
        "a.vtt": _vtt(("Marisol", OFFER), BETWEEN, ("Tobias", OFFER), BETWEEN, ("Ada", OFFER)),
    }),
    Case("turns of a plain transcript", "four hundred pounds for the carpet", 2, {
        "minutes.txt": f"Marisol Okonjo: {OFFER}\n\nThe chair thanks her.\n\nTobias Renn: {OFFER}\n",
    }),
    _mails("two writers", 2, (MARISOL, PLEDGE), (TOBIAS, PLEDGE)),
    _mails("two addresses without names", 2, ("ada@fenn.example", PLEDGE), ("jo@kern.example", PLEDGE)),
    _mails("my, in a sentence about a thing", 2, (MARISOL, s := "My cellar was flooded twice in March."), (TOBIAS, s)),
    _mails("German", 2, (MARISOL, s := "Ich übernehme die Kosten für das Gerüst bis Ende Mai."), (TOBIAS, s)),
    _mails("French", 2, (MARISOL, s := "Je prends en charge les frais de l'échafaudage jusqu'en mai."), (TOBIAS, s)),
    _mails("Dutch", 2, (MARISOL, s := "Ik betaal de kosten van de steiger tot eind mei."), (TOBIAS, s)),
    _mails("other words around it", 2, (MARISOL, f"Dear all,\r\n\r\n{PLEDGE}"), (TOBIAS, f"Dear all,\r\n\r\n{PLEDGE}"),
           PLEDGE),
)  # fmt: skip

TOGETHER = (
    _talk("one speaker twice", 1, "Marisol", "Marisol"),
    _talk("the name in capitals", 1, "Marisol Okonjo", "MARISOL OKONJO"),
    _talk("the name with a role", 1, "Marisol Okonjo", "Marisol Okonjo (Chair)"),
    _talk("the name with a role behind a comma", 1, "Marisol Okonjo", "Marisol Okonjo, Chair"),
    _talk("the family name first", 1, "Marisol Okonjo", "Okonjo, Marisol"),
    _talk("nobody is named", 1, "", ""),
    _talk("one of them is named", 1, "Marisol", ""),
    _talks("one speaker in two recordings", 1, "Marisol", "Marisol"),
    Case("back at the first", OFFER, 2, {
        "a.vtt": _vtt(("Marisol", OFFER), BETWEEN, ("Tobias", OFFER), BETWEEN, ("Marisol", OFFER)),
    }),
    _mails("one writer twice", 1, (MARISOL, PLEDGE), (MARISOL, PLEDGE)),
    _mails("one writer under two addresses", 1, (MARISOL, PLEDGE), ('"Okonjo, Marisol" <m@work.example>', PLEDGE)),
    _mails("nobody signs the second", 1, (MARISOL, PLEDGE), ("", PLEDGE)),
    _mails("a notice that both pass on", 1, (MARISOL, NOTICE), (TOBIAS, NOTICE)),
    _mails("a disclaimer", 1, (MARISOL, s := "This message is meant for its recipient only; others have to delete it."),
           (TOBIAS, s)),
    _mails("quoted by the other", 1, (MARISOL, PLEDGE), (TOBIAS, f"> {PLEDGE}"), PLEDGE),
    _mails("in the words of a third", 1, (MARISOL, s := 'The landlord said: "I pay for the scaffolding at once."'),
           (TOBIAS, s)),
    _mails("a part with a number", 1, (MARISOL, s := "The rules on noise are in Part I of the handbook for tenants."),
           (TOBIAS, s)),
    _mails("to somebody else", 1, (MARISOL, PLEDGE), (MARISOL, PLEDGE, "Jo Kern <jo@kern.example>")),
)  # fmt: skip


def _id(case: Case) -> str:
    return case.name


@pytest.mark.parametrize("case", [*APART, *TOGETHER], ids=_id)
def test_a_search_shows_what_each_says(case: Case) -> None:
    base = world(min_relevance=0.0)
    base.ingest(case.files)
    shown = [hit for hit in base.search(case.words, k=20).hits if case.words in hit.text]
    assert len(shown) == case.n


@pytest.mark.parametrize("case", [*APART, *TOGETHER], ids=_id)
def test_a_canonical_collection_keeps_what_each_says(case: Case) -> None:
    base = world(min_relevance=0.0, collection_use="canonical")
    base.ingest(case.files)
    assert sum(case.words in block.text for block in base.blocks()) == case.n


def _interview() -> World:
    base = world(min_relevance=0.0)
    base.ingest({"interview.vtt": _vtt(("Marisol", OFFER), BETWEEN, ("Tobias", OFFER))})
    return base


def test_the_objection_names_both_speakers() -> None:
    hits = _interview().search(OFFER).hits
    (objection,) = next(hit.held_apart.objections for hit in hits if hit.held_apart)
    assert objection.kind is FactKind.SPEAKER
    assert {objection.a.text, objection.b.text} == {"Marisol", "Tobias"}


def test_a_canonical_collection_asks_a_person_about_two_speakers() -> None:
    base = world(min_relevance=0.0, collection_use="canonical")
    base.ingest({"one.vtt": _vtt(("Marisol", OFFER)), "two.vtt": _vtt(("Tobias", OFFER))})
    (pair,) = open_pairs(base.base, QueueFilter())
    assert {o.kind for o in pair.objections} == {FactKind.SPEAKER}


def test_a_canonical_collection_asks_a_person_about_two_senders() -> None:
    base = world(min_relevance=0.0, collection_use="canonical")
    base.ingest({"one.eml": _mail(MARISOL, PLEDGE), "two.eml": _mail(TOBIAS, PLEDGE)})
    kinds = [{o.kind for o in pair.objections} for pair in open_pairs(base.base, QueueFilter())]
    assert {FactKind.SPEAKER} in kinds
    shown = [pair for pair in open_pairs(base.base, QueueFilter()) if pair.kept.text == PLEDGE]
    assert [accord_between(base.base, pair.kept, pair.candidate).agreement for pair in shown] == [Agreement.OBJECTED]


def test_the_speaker_stands_beside_the_time() -> None:
    base = _interview()
    report = base.search(OFFER, k=5)
    context = pack(report, 400, base.embedder.count_tokens)
    for shown in (search_text(report, explain=False), context.text, answer_text(answer(context, None))):
        assert ", at 0:01, Marisol" in shown
        assert ", at 0:03, Tobias" in shown
    (first, second) = (hit for hit in McpSearch.show(report).data()["hits"] if hit["text"] == OFFER)
    assert {first["speaker"], second["speaker"]} == {"Marisol", "Tobias"}
    origins = [passage["origin"]["speaker"] for passage in ContextView.show(context).data()["passages"]]
    assert {"Marisol", "Tobias", "Chair"} == set(origins)


def test_the_sender_of_a_mail_is_named() -> None:
    base = world(min_relevance=0.0)
    base.ingest({"leak.eml": _mail(MARISOL, PLEDGE)})
    report = base.search(PLEDGE)
    context = pack(report, 400, base.embedder.count_tokens)
    for shown in (search_text(report, explain=False), context.text, answer_text(answer(context, None))):
        assert "leak.eml, from Marisol Okonjo" in shown
    assert SearchView.show(report).data()["hits"][0]["sender"] == "Marisol Okonjo"
    (document,) = base.base.store.documents("main")
    assert "from Marisol Okonjo" in documents_text([document])
    assert DocumentView.show(document).data()["author"] == "Marisol Okonjo"


def test_whoever_receives_a_mail_is_found() -> None:
    base = world()
    cc = "Tobias Renn <t@renn.example>\r\nCc: Jo Kern <jo@kern.example>"
    base.ingest({"leak.eml": _mail(MARISOL, PLEDGE, cc), "note.txt": NOTICE})
    (hit,) = base.search("Jo Kern").hits
    assert hit.text == "from: Marisol Okonjo\nto: Tobias Renn\ncc, copied in: Jo Kern"
    assert hit.document == "leak.eml"
