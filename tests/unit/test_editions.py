"""What names of documents show about two passages, and by which reason two look-alikes are two things."""

from collections.abc import Iterable

import pytest

from saidonce.documents.terms import term_of
from saidonce.foundation.model import Candidate, FactKind, Kind, Objection, Span
from saidonce.foundation.text import content_hash
from saidonce.kb.canonical.editions import MOST_NAMES, Coexistence, CoexistenceLevel, Editions
from saidonce.kb.canonical.reasons_apart import Side, named_apart, reason_apart
from saidonce.kb.review.differences import differs_by
from saidonce.matching.agreement import Accord, Agreement, agreement

NAMES = {f"{edition}/{page}.md" for edition in ("v1", "v2") for page in ("amber", "basalt", "faq", "roles")}


def level(mine: Iterable[str], theirs: Iterable[str], names: Iterable[str] = NAMES, seen: Iterable[str] = ()) -> str:
    shared = [frozenset(seen or ("v1/roles.md", "v2/roles.md"))]
    coexistence = Editions(names, shared).coexistence(frozenset(mine), frozenset(theirs))
    return coexistence.level.name if coexistence is not None else ""


@pytest.mark.parametrize(
    ("mine", "theirs", "shown"),
    [
        (("v2/amber.md",), ("v1/amber.md", "v2/amber.md"), "ONE_DOCUMENT"),
        (("v1/amber.md", "v2/amber.md"), ("v1/basalt.md", "v2/basalt.md"), "BOTH_EDITIONS"),
        (("v2/amber.md",), ("v1/basalt.md", "v2/basalt.md"), "KEPT_PAGES"),
        (("v1/amber.md",), ("v1/basalt.md",), "KEPT_PAGES"),
        (("v2/new.md",), ("v1/basalt.md", "v2/basalt.md"), "ONE_EDITION"),
        (("v2/amber.md",), ("v1/amber.md",), ""),
        (("v2/amber.md",), ("v1/basalt.md",), "TWO_PAGES"),
        (("v2/new.md",), ("v1/basalt.md",), ""),
        (("v2/new.md", "v2/amber.md"), ("v1/basalt.md",), ""),
        (("v2/amber.md",), ("v1/amber.md", "v1/basalt.md", "v2/basalt.md"), ""),
        (("v2/amber.md",), ("other.md",), ""),
    ],
)
def test_where_two_passages_stand(mine: tuple[str, ...], theirs: tuple[str, ...], shown: str) -> None:
    assert level(mine, theirs, {*NAMES, "v2/new.md", "other.md"}) == shown
    assert level(theirs, mine, {*NAMES, "v2/new.md", "other.md"}) == shown


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("manual 2024-06/{}.md", "manual 2026-03/{}.md"),
        ("/srv/docs-3.5/guide/{}.rst", "/srv/docs-3.6/guide/{}.rst"),
        ("{}-2024.docx", "{}-2025.docx"),
        ("a/deutsch/{}.md", "a/englisch/{}.md"),
    ],
)
def test_editions_are_told_by_what_their_names_differ_in(old: str, new: str) -> None:
    names = {form.format(page) for form in (old, new) for page in ("amber", "basalt", "faq")}
    mine, theirs = ({form.format(page) for form in (old, new)} for page in ("amber", "basalt"))

    assert level(mine, theirs, names, mine) == "BOTH_EDITIONS"
    assert level({new.format("amber")}, {old.format("amber")}, names, theirs) == ""


def test_names_of_neighbours_show_no_editions() -> None:
    names = {"amber.md", "basalt.md", "faq.md", "roles.md"}

    assert level({"amber.md"}, {"faq.md"}, names, {"basalt.md", "roles.md"}) == ""


def test_one_page_that_two_names_share_is_no_edition_of_a_manual() -> None:
    names = {"v1/amber.md", "v2/amber.md", "v2/faq.md"}

    assert level({"v2/amber.md"}, {"v2/faq.md"}, names, {"v1/amber.md", "v2/amber.md"}) == ""


def test_mirrors_of_two_releases_show_no_neighbours() -> None:
    """The releases are editions, whatever else the names differ in."""
    pages = ("amber", "basalt", "faq")
    names = {f"{mirror}/release-{n}/{page}.md" for mirror in "ab" for n in (5, 6) for page in pages}
    five, six = ({f"{mirror}/release-{n}/amber.md" for mirror in "ab"} for n in (5, 6))
    shared = [frozenset({f"a/release-{n}/{page}.md" for n in (5, 6)}) for page in pages]

    assert Editions(names, shared).coexistence(frozenset(five), frozenset(six)) is None


def test_a_series_of_pages_in_two_releases_is_a_row_of_neighbours() -> None:
    """Their names differ in numbers and in words as those of editions do, but of fewer pages."""
    series = [f"{way}_{n}" for way in ("upgrade", "downgrade") for n in (1, 2, 3)]
    names = {f"{edition}/{page}.md" for edition in ("old", "new") for page in (*series, "faq", "roles")}
    shared = [
        frozenset({f"{edition}/{page}.md" for edition in ("old", "new") for page in pages})
        for pages in (("upgrade_1", "downgrade_1"), ("upgrade_1", "upgrade_2"), ("faq",))
    ]

    for one, other in (("upgrade_1", "upgrade_2"), ("upgrade_1", "downgrade_1"), ("upgrade_3", "downgrade_3")):
        mine, theirs = (frozenset({f"old/{page}.md", f"new/{page}.md"}) for page in (one, other))
        coexistence = Editions(names, shared).coexistence(mine, theirs)
        assert coexistence is not None
        assert coexistence.level is CoexistenceLevel.BOTH_EDITIONS


def test_a_footer_of_many_documents_shows_nothing() -> None:
    many = {f"v{n}/amber.md" for n in range(MOST_NAMES + 1)}

    assert level(many, {"v1/basalt.md", "v2/basalt.md"}, {*NAMES, *many}, many) == ""


def both(names: str = "") -> tuple[Side, Side]:
    one, two = names.split("|") if names else ("Sending", "Limits")
    return Side(Kind.PARAGRAPH, "en", one), Side(Kind.PARAGRAPH, "en", two)


def coexistence(level: CoexistenceLevel = CoexistenceLevel.BOTH_EDITIONS) -> Coexistence:
    return Coexistence(level, ("v1/a.md", "v2/a.md"), ("v1/b.md", "v2/b.md"))


def differing(kind: FactKind, a: str, b: str) -> Accord:
    return Accord(Agreement.OBJECTED, (Objection(kind, Span(0, 0, a), Span(0, 0, b)),))


@pytest.mark.parametrize(
    ("kind", "a", "b", "around", "named"),
    [
        (FactKind.VERSION, "4.1", "4.2", "upgrade-4-1.md|upgrade-4-2.md", True),
        (FactKind.VERSION, "v4.1", "v4.2", "Upgrade from 4.1 to 4.2|Upgrade from 4.2 to 4.3", True),
        (FactKind.OPPOSITE, "upgrading", "downgrading", "Upgrade|Downgrade", True),
        (FactKind.NAME, "Amber queue", "Basalt queue", "The Amber scaler|The Basalt scaler", True),
        (FactKind.NUMBER, "30 days", "90 days", "Backup|Questions", False),
        (FactKind.NUMBER, "30 days", "90 days", "Kept for 30 days|Questions", False),
        (FactKind.NUMBER, "30 days", "90 days", "For 30 or 90 days|For 30 or 90 days", False),
        (FactKind.NUMBER, "", "4.2", "upgrade-4-1.md|upgrade-4-2.md", False),
        (FactKind.NUMBER, "8 euros", "9 euros", "Chapter 8|Chapter 9", False),
        (FactKind.NUMBER, "10 euros", "12 euros", "10. Fees|12. Fees", False),
    ],
)
def test_what_surrounds_two_passages_may_name_the_difference(
    kind: FactKind, a: str, b: str, around: str, named: bool
) -> None:
    accord = differing(kind, a, b)

    assert bool(named_apart(accord.objections, both(around))) is named
    assert bool(reason_apart(accord, coexistence(CoexistenceLevel.ONE_EDITION), both(around), is_below=False)) is named


@pytest.mark.parametrize("level", CoexistenceLevel)
@pytest.mark.parametrize("agreement", [Agreement.SAME, Agreement.REPEATS_A, Agreement.REPEATS_B])
def test_what_says_the_same_or_more_is_never_told_apart(level: CoexistenceLevel, agreement: Agreement) -> None:
    assert reason_apart(Accord(agreement), coexistence(level), both(), is_below=True) == ""


@pytest.mark.parametrize("level", CoexistenceLevel)
@pytest.mark.parametrize("kind", [FactKind.DECISION, FactKind.RECOGNISED])
def test_what_a_person_decided_or_a_program_read_is_never_told_apart(level: CoexistenceLevel, kind: FactKind) -> None:
    accord = Accord(Agreement.OBJECTED, (*differing(kind, "", "").objections, *NAMED.objections))

    assert reason_apart(accord, coexistence(level), both("Amber|Basalt"), is_below=True) == ""


NAMED = differing(FactKind.NAME, "Amber", "Basalt")


@pytest.mark.parametrize(
    ("accord", "weakest", "near"),
    [
        (NAMED, CoexistenceLevel.BOTH_EDITIONS, []),
        (
            differing(FactKind.IDENTIFIER, "--in", "--out"),
            CoexistenceLevel.BOTH_EDITIONS,
            [CoexistenceLevel.ONE_DOCUMENT],
        ),
        (differing(FactKind.IDENTIFIER, "", "--out"), CoexistenceLevel.BOTH_EDITIONS, []),
        (differing(FactKind.ROLE, "Ann", "Ben"), CoexistenceLevel.BOTH_EDITIONS, []),
        (differing(FactKind.MODALITY, "", "may"), CoexistenceLevel.BOTH_EDITIONS, []),
        (differing(FactKind.MODALITY, "must", "may"), CoexistenceLevel.ONE_DOCUMENT, []),
        (differing(FactKind.NUMBER, "30", "90"), CoexistenceLevel.ONE_DOCUMENT, []),
        (differing(FactKind.VERSION, "3.9", "3.10"), CoexistenceLevel.ONE_DOCUMENT, []),
        (differing(FactKind.NEGATION, "", "not"), CoexistenceLevel.ONE_DOCUMENT, []),
        (
            differing(FactKind.KIND, "list", "table"),
            CoexistenceLevel.KEPT_PAGES,
            [CoexistenceLevel.KEPT_PAGES, CoexistenceLevel.BOTH_EDITIONS],
        ),
        (Accord(Agreement.OPEN), CoexistenceLevel.KEPT_PAGES, []),
    ],
)
def test_the_more_two_texts_contradict_the_more_the_documents_have_to_show(
    accord: Accord, weakest: CoexistenceLevel, near: list[CoexistenceLevel]
) -> None:
    below = [level for level in CoexistenceLevel if reason_apart(accord, coexistence(level), both(), is_below=True)]
    above = [level for level in CoexistenceLevel if reason_apart(accord, coexistence(level), both(), is_below=False)]

    assert below == [level for level in CoexistenceLevel if level >= weakest]
    assert above == near


def test_a_pair_that_a_program_read_has_a_kind_of_difference() -> None:
    heard = [Candidate(t, content_hash(t), Kind.TRANSCRIPT) for t in ("It holds 8 people.", "It holds 8 people now.")]
    counted = [Candidate(t, content_hash(t), Kind.TRANSCRIPT) for t in ("It holds 8 people.", "It holds 9 people.")]

    assert differs_by(agreement(*heard)).value == "wording"
    assert differs_by(agreement(*counted)).value == "number"


SETTING = "Interpret the keys for up and down differently, so that both work in the old cabins, too."
OTHER_SETTING = "Interpret the keys for up and down differently so that both work in all old cabins."
OPTION, SET = f"- -d, --rebind\n  {SETTING}", f"- set rebind\n  {OTHER_SETTING}"

TERMS = [
    (OPTION, SET, "apart"),
    (
        "- -q, --quick\n  Hide the message after 3 keys.",
        "- set quickblank\n  Hide the message after 3 keys, soon.",
        "apart",
    ),
    # values that contradict each other may be about one thing
    ("- -q, --quick\n  Hide the message after 3 keys.", "- set quickblank\n  Hide the message after 5 keys.", "asked"),
    ("- -q, --quick\n  The message is hidden.", "- set quickblank\n  The message is not hidden.", "asked"),
    # the terms share a name
    ("- -d, --rebind\n  Exchange both keys, in the old cabins.", "- -d\n  Exchange all keys of old cabins.", "asked"),
    ("- set titles FLOOR\n  Name the title.", "- set title FLOOR\n  Name the title line.", "asked"),
    ("- access key\n  What opens the lift of a house.", "- access token\n  What opens a lift of the house.", "asked"),
    # no terms, or more than one
    (f"- {SETTING}", f"- {OTHER_SETTING}", "asked"),
    (SETTING, OTHER_SETTING, "asked"),
    (f"{OPTION}\n- --up\n  Goes up.", f"{SET}\n- --up\n  Goes up.", "asked"),
]


@pytest.mark.parametrize(("a", "b", "what"), TERMS)
def test_two_described_terms_of_one_edition_are_two_things(a: str, b: str, what: str) -> None:
    one, two = (Candidate(t, content_hash(t), Kind.LIST, "en") for t in (a, b))
    sides = tuple(Side(Kind.LIST, "en", "lift", term_of(t)) for t in (a, b))
    for coexistence in (CoexistenceLevel.ONE_EDITION, CoexistenceLevel.KEPT_PAGES):
        shown = Coexistence(coexistence, ("v1/amber.md",), ("v1/faq.md",))
        for accord, both in ((agreement(one, two), sides), (agreement(two, one), sides[::-1])):
            reason = reason_apart(accord, shown, (both[0], both[1]), is_below=False)
            assert bool(reason) is (what == "apart"), (accord, reason)


def _page(name: str) -> str:
    stem, _, section = name.partition(".")
    return f"v1/{stem}.{section or 5}\n{stem}({section or 5})\nOptions"


OWN_NAMES = [
    # each speaks of what its page is named after, in the same place
    ("lift_config", "lifter_config", "Sets the log level of lift(1). The default is USER.",
     "Sets the log level of lifter(8). The default is AUTH.", "apart"),
    ("lift-up1-helper", "lift-down-helper", "The key makes lift-up1-helper print its 3 steps.",
     "The key makes lift-down-helper print its 3 steps, too.", "apart"),
    ("berlin", "munich", "The Berlin office opens at 9, the post room at 10.",
     "The Munich office opens at 8, the post room at 10.", "apart"),
    # one page speaks of the other's, or of neither's; or the two stand elsewhere in the sentence
    ("lift_config", "lifter_config", "Sets the log level of lift(1). The default is USER.",
     "Sets the log level of lift(1). The default is AUTH.", "asked"),
    ("lift_config", "lifter_config", "Sets the level of the log. The default is USER.",
     "Sets the level of the log. The default is AUTH.", "asked"),
    ("lift_config", "lifter_config", "The log of lifter(8) has 3 levels.", "The log of lift(1) has 5 levels.", "asked"),
    ("berlin", "munich", "The Berlin office opens at 9, that in Munich at 8.",
     "The Munich office opens at 9, that in Berlin at 10.", "asked"),
    ("berlin", "munich", "The office opens at 9.", "The office opens at 8.", "asked"),
    # numbers, small words, and what kind of text it is name nothing
    ("guide", "handbook", "By this guide the fee is 8 euros.", "By this handbook the fee is 9 euros.", "asked"),
    ("lift.1", "stair.8", "It opens after 1 hour.", "It opens after 8 hours.", "asked"),
    ("if-not-used", "before-use", "Test it if the lamp shines red.", "Test it before the lamp shines red.", "asked"),
    ("berlin", "berlin-south", "The Berlin office opens at 9.", "The south office opens at 8.", "asked"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "a", "b", "what"), OWN_NAMES)
def test_two_passages_about_the_names_of_their_pages_are_two_things(
    first: str, second: str, a: str, b: str, what: str
) -> None:
    one, two = (Candidate(t, content_hash(t), Kind.PARAGRAPH, "en") for t in (a, b))
    sides = tuple(Side(Kind.PARAGRAPH, "en", _page(page), "", t) for page, t in ((first, a), (second, b)))
    shown = Coexistence(CoexistenceLevel.ONE_EDITION, ("v1/a.md",), ("v1/b.md",))
    for accord, both in ((agreement(one, two), sides), (agreement(two, one), sides[::-1])):
        reason = reason_apart(accord, shown, (both[0], both[1]), is_below=False)
        assert bool(reason) is (what == "apart"), (accord, reason)
