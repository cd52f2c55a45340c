"""Ingest into a canonical collection with the built-in model: seed 002's edge cases by name, and what comes after."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from saidonce.adapters.embed import open_embedder
from saidonce.errors import NotFoundError, StaleWriteError, UsageError
from saidonce.foundation.certificate import Certificate, upper_bound
from saidonce.foundation.context import Context
from saidonce.foundation.model import (
    POLICY,
    Activity,
    Block,
    Decision,
    FactKind,
    Flag,
    Kind,
    Person,
    Reason,
    Relation,
    Role,
    Verb,
)
from saidonce.foundation.ports import Embedder, QueueFilter
from saidonce.kb import review
from saidonce.kb.canonical import audit_state, why_not_automatic
from saidonce.kb.explain import why
from saidonce.kb.ingest import DocumentReport, State, ingest, remove
from saidonce.kb.review import By, Keep
from saidonce.testing import MemoryDatabase, MemoryStore
from world import source, wired

ANN = By("ann")

VISITORS = "Visitors are registered at the front desk and wear a badge for as long as they stay in the building."
VISITORS_OTHERWISE = (
    "All visitors are registered at the front desk and wear a badge as long as they are in the building."
)
LAPTOPS = "Every laptop is encrypted with the company key before it is handed to an employee."
TRANSFER = "The data processing agreement is signed by both parties before any personal data is transferred."
TRANSFER_AGAIN = "The data processing agreement is signed by both parties, before any personal data is transferred."
TRAY = "Empty the drip tray of the coffee machine every evening."
TRAY_AGAIN = "The drip tray of the coffee machine has to be emptied every evening."
ARCHIVE_30 = (
    "Customer data in the archive is kept under the 30-day retention policy and is then erased from every region."
)
MESSAGES_90 = (
    "Customer data in the archive is kept under the 90-day retention policy and is then erased from every region."
)
SUPPORTED = "Northwind supports single sign-on through SAML 2.0 for all workspaces of the enterprise plan."
NOT_SUPPORTED = "Northwind does not support single sign-on through SAML 2.0 for all workspaces of the enterprise plan."
OVERVIEW = (
    "Northwind is a family-owned logistics company that has moved temperature-sensitive goods for hospitals and"
    " laboratories across northern Europe since 1974."
)
OVERVIEW_AGAIN = OVERVIEW.replace(" that has ", " which has ")
GARDEN = "Whoever waters the garden in summer writes the amount on the list in the shed."
KITCHEN = "The kitchen on the second floor is cleaned by a contractor every evening after six."


class Clock:
    """A minute later each time it is asked, so that what comes later is newer."""

    def __init__(self) -> None:
        self.at = datetime(2026, 1, 17, 14, tzinfo=UTC)

    def now(self) -> datetime:
        self.at += timedelta(minutes=1)
        return self.at


def torn(*_given: object) -> None:
    raise KeyboardInterrupt


@cache
def minilm() -> Embedder:
    return open_embedder("minilm", threads=1)


@dataclass
class Kb:
    """A canonical collection under the built-in model."""

    base: Context

    def set(self, **changes: Any) -> None:
        self.base = replace(self.base, settings=self.base.settings.model_copy(update=changes))

    def put(self, name: str, *paragraphs: str | bytes, date: str = "", collection: str = "main") -> DocumentReport:
        """Ingest a document of paragraphs, or of one run of bytes; `date` is what it says of itself."""
        first, front = paragraphs[0], f"---\ndate: {date}\n---\n\n" if date else ""
        written = first if isinstance(first, bytes) else front + "\n\n".join(map(str, paragraphs))
        (report,) = ingest(self.base, [source(name, written)], collection).documents
        return report

    def texts(self, collection: str = "main") -> list[str]:
        return sorted(block.text for block in self.blocks(collection))

    def blocks(self, collection: str = "main") -> list[Block]:
        found = [s.id for batch in self.base.store.segments(collection) for s, _, _ in batch]
        return sorted(self.base.store.blocks(found).values(), key=lambda b: b.text)

    def block(self, content: str) -> Block:
        (found,) = (b for b in self.blocks() if b.text == content)
        return found

    def decisions(self, *verbs: Verb) -> list[Decision]:
        return [d for d in self.base.store.ledger.log() if not verbs or d.verb in verbs]

    def flags(self, **wanted: Any) -> tuple[Flag, ...]:
        return self.base.store.ledger.queue(QueueFilter(**wanted))

    def knows(self, name: str, active: int = 0, left: bool = False) -> None:
        """Note a person who was active in some hour of January 2026."""
        at = datetime(2026, 1, 1, tzinfo=UTC)
        self.base.store.people.put_person(
            Person(name, f"{name}@example.org", Role.OWNER, at, "", at + timedelta(hours=active), at if left else None)
        )


def kb(store: MemoryStore | None = None, **settings: Any) -> Kb:
    clock = Clock()
    made = wired(store or MemoryStore("north", clock=clock), minilm(), collection_use="canonical", **settings)
    return Kb(replace(made, clock=clock))


def sound(base: Kb) -> None:
    """Everything stored follows from the log, and no kept text was lost."""
    report = review.rebuild(base.base)
    assert report.is_sound, report
    for block in base.blocks():
        assert [review.current_block(base.base.store, m).id for m in block.members] == [block.id] * len(block.members)


def table(*rows: tuple[str, str]) -> str:
    return "\n".join(["| Certification | Valid until |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows)])


def pdf(*lines: str) -> bytes:
    written = io.BytesIO()
    canvas = Canvas(written, invariant=1)
    for place, line in enumerate(lines):
        canvas.drawString(72, 720 - 40 * place, line)
    canvas.save()
    return written.getvalue()


class TestEdgeCasesOfTheSeed:
    def test_30_day_and_90_day_retention_both_stay(self) -> None:
        base = kb()
        base.put("archive.md", ARCHIVE_30)
        report = base.put("messages.md", MESSAGES_90)
        assert (report.n_merged, report.n_flagged) == (0, 1)
        assert base.texts() == [ARCHIVE_30, MESSAGES_90]
        (flag,) = base.flags()
        (near,) = flag.near
        assert flag.because == Reason.OBJECTION
        assert near.similarity >= 0.94
        assert [(o.kind, o.a.text, o.b.text) for o in near.objections] == [(FactKind.NUMBER, "90-day", "30-day")]
        assert (flag.candidate, flag.of) == (base.block(MESSAGES_90).id, base.block(ARCHIVE_30).id)

    def test_we_support_it_and_we_do_not_support_it_are_for_the_owner_to_settle(self) -> None:
        base = kb()
        base.put("2024.md", SUPPORTED)
        assert base.put("2025.md", NOT_SUPPORTED).n_flagged == 1
        assert base.texts() == [NOT_SUPPORTED, SUPPORTED]
        (flag,) = base.flags(because=Reason.OBJECTION)
        assert flag.near[0].similarity >= 0.94
        assert FactKind.NEGATION in {o.kind for o in flag.near[0].objections}

    @pytest.mark.parametrize("newer_first", [False, True])
    def test_a_table_with_a_row_added_waits_and_the_row_is_not_lost(self, newer_first: bool) -> None:
        rows = [("ISO 27001", "June 2027"), ("SOC 2 Type II", "March 2027"), ("PCI DSS", "May 2027")]
        files = [
            ("2024.md", table(*rows), "2024-05-01"),
            ("2025.md", table(*rows, ("TISAX", "April 2028")), "2025-05-01"),
        ]
        base = kb()
        for name, content, date in reversed(files) if newer_first else files:
            base.put(name, content, date=date)
        (flag,) = base.flags(because=Reason.OBJECTION)
        assert flag.near[0].similarity >= 0.94
        assert {o.kind for o in flag.near[0].objections} == {FactKind.TABLE_SHAPE}
        assert [b.kind for b in base.blocks()] == [Kind.TABLE, Kind.TABLE]
        assert [b.text.endswith("TISAX | April 2028") for b in base.blocks()] == [False, True]
        review.merge(base.base, ANN, flag.candidate, flag.of)
        assert [b.rows[-1] for b in base.blocks()] == [("TISAX", "April 2028")]

    def test_a_company_overview_in_three_proposals_is_one_block_of_three_sources(self) -> None:
        base = kb()
        for name, text, own in (
            ("a.md", OVERVIEW, GARDEN),
            ("b.md", OVERVIEW_AGAIN, KITCHEN),
            ("c.md", OVERVIEW, LAPTOPS),
        ):
            base.put(name, f"# Proposal {name}", text, "## Approach", own)
        (block,) = (b for b in base.blocks() if b.text in (OVERVIEW, OVERVIEW_AGAIN))
        assert (block.text, block.document, block.documents) == (OVERVIEW, "c.md", ("a.md", "b.md", "c.md"))
        assert {(a.document, a.relation, a.text) for a in block.attributions} == {
            ("a.md", Relation.MERGED, OVERVIEW),
            ("b.md", Relation.MERGED, OVERVIEW_AGAIN),
            ("c.md", Relation.KEPT, OVERVIEW),
        }
        assert base.flags() == ()

    def test_a_company_overview_with_another_role_waits_however_equal(self) -> None:
        base = kb()
        base.put("a.md", "# Proposal", OVERVIEW, "## Approach", "How we would do it for this customer.")
        report = base.put("b.md", "# Who is Northwind?", OVERVIEW)
        assert (report.n_merged, report.n_flagged) == (0, 1)
        (flag,) = base.flags(because=Reason.OBJECTION)
        assert flag.near[0].similarity == 1.0
        assert {o.kind for o in flag.near[0].objections} == {FactKind.SECTION_ROLE}
        assert base.texts().count(OVERVIEW) == 2

    def test_a_translated_document_is_never_merged_not_even_its_equal_short_texts(self) -> None:
        services = "Northwind Cloud Platform Premium Plus, ISO 27001, SOC 2 Type II"
        base = kb(merge_from=0.0, merge_investigate_from=0.0)
        base.put(
            "en.md", "---\nlang: en\n---", "# Northwind", services, "Backups of customer data are kept in two regions."
        )
        report = base.put(
            "de.md", "---\nlang: de\n---", "# Northwind", services,
            "Sicherungen der Kundendaten werden in zwei Regionen aufbewahrt.",
        )  # fmt: skip
        assert (report.n_merged, report.n_flagged) == (0, 2)
        assert base.decisions(Verb.MERGE) == []
        assert base.texts().count(services) == 2
        assert {f.because for f in base.flags()} == {Reason.OBJECTION}
        assert {o.kind for f in base.flags() for n in f.near for o in n.objections} == {FactKind.LANGUAGE}

    def test_the_same_pdf_uploaded_twice_is_one_document(self) -> None:
        content = pdf(VISITORS, LAPTOPS)
        assert content == pdf(VISITORS, LAPTOPS)
        base = kb()
        first = base.put("handbook.pdf", content)
        before, n_decisions = base.blocks(), len(base.decisions())
        again = base.put("handbook.pdf", content)
        copy = base.put("copy of handbook.pdf", content)
        assert (first.state, again.state, copy.state) == (State.NEW, State.UNCHANGED, State.SAME_SOURCE)
        assert copy.same_as == "handbook.pdf"
        assert (base.blocks(), len(base.decisions())) == (before, n_decisions)


class TestTheBands:
    def test_between_the_thresholds_a_person_is_asked(self) -> None:
        base = kb()
        base.put("a.md", VISITORS)
        assert base.put("b.md", VISITORS_OTHERWISE).n_flagged == 1
        assert base.texts() == sorted([VISITORS, VISITORS_OTHERWISE])
        (flag,) = base.flags(because=Reason.UNSURE)
        assert 0.82 <= flag.near[0].similarity < 0.94
        (decision,) = base.decisions()
        assert (decision.verb, decision.seq, decision.actor) == (Verb.FLAG, flag.seq, POLICY)
        sound(base)

    def test_above_them_they_merge_and_the_decision_says_how_active_the_owners_were(self) -> None:
        base = kb(owner="ann")
        base.knows("ann", active=9)
        base.knows("bob", active=8)
        base.put("a.md", TRANSFER)
        base.set(owner="bob")
        report = base.put("b.md", TRANSFER_AGAIN)
        assert (report.n_merged, report.n_flagged) == (1, 0)
        (merge,) = base.decisions()
        assert (merge.verb, merge.actor, merge.detail.because) == (Verb.MERGE, POLICY, Reason.ABOVE_THRESHOLD)
        assert merge.detail.activity == (
            Activity("ann", "2026-01-01T09:00:00+00:00"), Activity("bob", "2026-01-01T08:00:00+00:00"),
        )  # fmt: skip
        (near,) = merge.detail.near
        assert (near.similarity >= 0.94, near.id) == (True, merge.members[1])
        assert merge.policy != ""
        (block,) = base.blocks()
        assert (block.text, block.owner, block.documents) == (TRANSFER_AGAIN, "ann", ("a.md", "b.md"))
        assert {(a.document, a.relation) for a in block.attributions} == {
            ("a.md", Relation.MERGED), ("b.md", Relation.KEPT),
        }  # fmt: skip
        assert [a.similarity for a in block.attributions if a.document == "a.md"] == [pytest.approx(near.similarity)]
        sound(base)

    def test_below_them_what_is_shown_to_say_the_same_merges_and_can_be_split(self) -> None:
        base = kb()
        base.put("a.md", TRAY)
        report = base.put("b.md", TRAY_AGAIN)
        assert (report.n_merged, report.n_flagged) == (1, 0)
        (merge,) = base.decisions()
        assert (merge.verb, merge.actor, merge.detail.because) == (Verb.MERGE, POLICY, Reason.SAME_STATEMENT)
        assert 0.82 <= merge.detail.near[0].similarity < 0.94
        (account,) = review.accounts(base.base, [merge])
        assert account.what == "Merged, shown to say the same in other words"
        (block,) = base.blocks()
        assert block.documents == ("a.md", "b.md")
        sound(base)
        review.split(base.base, ANN, block.id, [m for m in merge.members if m != block.id])
        assert base.texts() == sorted([TRAY, TRAY_AGAIN])
        sound(base)

    @pytest.mark.parametrize(
        ("settings", "other"),
        [
            ({"same_from": 1.0}, TRAY_AGAIN), ({"merge_additions": True}, TRAY_AGAIN),
            ({"auto_merge": False}, TRAY_AGAIN),
            ({}, TRAY_AGAIN.replace("evening", "morning")), ({}, f"{TRAY_AGAIN} Rinse it with water."),
        ],
    )  # fmt: skip
    def test_below_them_a_person_is_asked_about_what_differs_and_where_the_settings_say_so(
        self, settings: dict[str, Any], other: str
    ) -> None:
        base = kb(**settings)
        base.put("a.md", TRAY)
        report = base.put("b.md", other)
        assert (report.n_merged, report.n_flagged, base.texts()) == (0, 1, sorted([TRAY, other]))
        sound(base)

    def test_an_owner_who_left_defers(self) -> None:
        base = kb(owner="ann")
        base.knows("ann", active=9, left=True)
        base.knows("bob", active=8)
        base.put("a.md", TRANSFER)
        base.set(owner="bob")
        base.put("b.md", TRANSFER_AGAIN)
        assert [b.owner for b in base.blocks()] == ["bob"]

    def test_the_newer_text_wins_whichever_came_in_first(self) -> None:
        for names in (("old.md", "new.md"), ("new.md", "old.md")):
            base = kb()
            for name in names:
                old = name == "old.md"
                base.put(name, TRANSFER if old else TRANSFER_AGAIN, date="2024-01-05" if old else "2025-01-05")
            (block,) = base.blocks()
            assert (block.text, block.authored_at) == (TRANSFER_AGAIN, datetime(2024, 1, 5, tzinfo=UTC))

    def test_what_is_far_from_everything_needs_no_decision(self) -> None:
        base = kb()
        base.put("a.md", VISITORS)
        base.put("b.md", GARDEN)
        assert base.texts() == sorted([VISITORS, GARDEN])
        assert base.decisions() == []

    def test_repeats_inside_a_document_are_its_own_business(self) -> None:
        base = kb()
        report = base.put("a.md", TRANSFER, TRANSFER_AGAIN, ARCHIVE_30, MESSAGES_90)
        assert (report.n_near, report.n_kept, report.n_merged, report.n_flagged) == (1, 3, 0, 0)
        assert base.decisions() == []

    def test_neither_is_a_later_version_compared_with_what_only_its_own_document_says(self) -> None:
        base = kb()
        base.put("a.md", VISITORS, GARDEN)
        assert base.put("a.md", VISITORS, VISITORS_OTHERWISE).n_flagged == 0
        base.put("b.md", VISITORS)
        assert base.put("a.md", VISITORS, KITCHEN, VISITORS_OTHERWISE + " ").n_flagged == 0
        base.put("a.md", VISITORS)
        assert base.put("a.md", VISITORS, f"# Guests\n\n{VISITORS_OTHERWISE}").n_flagged == 1

    def test_figures_are_counted(self) -> None:
        base = kb()
        base.put("a.md", TRANSFER, VISITORS, GARDEN)
        base.put("b.md", TRANSFER_AGAIN, VISITORS_OTHERWISE, KITCHEN)
        counted = base.base.store.counters()
        assert (counted["ingest.merged.md"], counted["ingest.flagged.md"]) == (1, 1)
        base.put("b.md", TRANSFER_AGAIN, VISITORS_OTHERWISE, KITCHEN)
        again = base.base.store.counters()
        assert again == {**counted, "ingest.documents.unchanged": 1}

    def test_figures_are_counted_with_the_document_or_not_at_all(self, monkeypatch: pytest.MonkeyPatch) -> None:
        base = kb()
        base.put("a.md", TRANSFER, VISITORS, GARDEN)
        before = base.base.store.counters()
        monkeypatch.setattr("saidonce.kb.ingest.merging.rebuild_blocks", torn)
        with pytest.raises(KeyboardInterrupt):
            base.put("b.md", TRANSFER_AGAIN, VISITORS_OTHERWISE, KITCHEN)
        monkeypatch.undo()
        assert base.base.store.counters() == before
        base.put("b.md", TRANSFER_AGAIN, VISITORS_OTHERWISE, KITCHEN)
        counted = base.base.store.counters()
        assert (counted["ingest.documents.new"], counted["ingest.merged.md"], counted["ingest.flagged.md"]) == (2, 1, 1)


class TestWhatNeverMeets:
    def test_nothing_merges_across_organisations(self) -> None:
        database = MemoryDatabase()
        north, south = kb(MemoryStore("north", database)), kb(MemoryStore("south", database))
        north.put("a.md", TRANSFER, VISITORS)
        before = list(north.base.store.dump())
        assert (report := south.put("b.md", TRANSFER, VISITORS_OTHERWISE)).n_kept == 2
        assert (report.n_merged, report.n_flagged, south.decisions()) == (0, 0, [])
        assert list(north.base.store.dump()) == before
        with pytest.raises(NotFoundError):
            review.merge(south.base, ANN, south.block(TRANSFER).id, north.block(TRANSFER).id)
        with pytest.raises(NotFoundError):
            review.current_block(south.base.store, north.block(TRANSFER).id)

    def test_nothing_merges_across_collections(self) -> None:
        base = kb()
        base.put("a.md", TRANSFER, VISITORS)
        report = base.put("a.md", TRANSFER_AGAIN, VISITORS_OTHERWISE, collection="annexe")
        assert (report.n_merged, report.n_flagged, base.decisions()) == (0, 0, [])
        with pytest.raises(UsageError, match="blocks of different collections"):
            review.merge(base.base, ANN, base.block(TRANSFER).id, base.blocks("annexe")[0].id)
        assert (base.put("b.md", TRANSFER).n_merged, base.texts("annexe")) == (
            1,
            sorted([TRANSFER_AGAIN, VISITORS_OTHERWISE]),
        )

    def test_an_evidence_collection_keeps_documents_apart(self) -> None:
        base = kb()
        base.set(collection_use="evidence")
        base.put("a.md", TRANSFER)
        base.put("b.md", "# Copy", TRANSFER)
        assert (base.texts(), base.decisions()) == ([TRANSFER, TRANSFER], [])
        one, other = base.blocks()
        with pytest.raises(UsageError, match="keeps evidence"):
            review.merge(base.base, ANN, one.id, other.id)


class TestLaterVersions:
    def test_a_changed_paragraph_that_now_repeats_another_document_merges(self) -> None:
        base = kb()
        base.put("a.md", TRANSFER, GARDEN)
        base.put("b.md", LAPTOPS, KITCHEN)
        report = base.put("b.md", TRANSFER_AGAIN, KITCHEN)
        assert (report.state, report.n_merged) == (State.CHANGED, 1)
        assert base.texts() == sorted([TRANSFER_AGAIN, GARDEN, KITCHEN])
        assert base.block(TRANSFER_AGAIN).documents == ("a.md", "b.md")
        sound(base)

    def test_a_changed_paragraph_leaves_its_block_to_the_others(self) -> None:
        base = kb()
        base.put("a.md", TRANSFER)
        base.put("b.md", TRANSFER_AGAIN)
        base.put("b.md", KITCHEN)
        assert base.texts() == sorted([TRANSFER, KITCHEN])
        assert base.block(TRANSFER).documents == ("a.md",)
        sound(base)

    def test_a_flag_raised_by_a_changed_paragraph_closes_when_it_changes_back(self) -> None:
        base = kb()
        base.put("a.md", VISITORS)
        base.put("b.md", KITCHEN)
        base.put("b.md", VISITORS_OTHERWISE)
        assert len(base.flags()) == 1
        base.put("b.md", KITCHEN)
        assert base.flags() == ()
        base.put("b.md", VISITORS_OTHERWISE)
        assert len(base.flags()) == len(base.decisions(Verb.FLAG)) == 1

    def test_unchanged_paragraphs_are_not_asked_about_again(self) -> None:
        base = kb()
        base.put("a.md", VISITORS)
        base.put("b.md", VISITORS_OTHERWISE, KITCHEN)
        report = base.put("b.md", VISITORS_OTHERWISE, GARDEN)
        assert (report.n_flagged, len(base.decisions())) == (0, 1)

    @pytest.mark.parametrize("leaving", ["a.md", "b.md"])
    def test_removing_a_document_leaves_the_text_of_the_other(self, leaving: str) -> None:
        base = kb()
        texts = {"a.md": TRANSFER, "b.md": TRANSFER_AGAIN}
        for name, text in texts.items():
            base.put(name, text)
        remove(base.base, "main", leaving)
        (staying,) = texts.keys() - {leaving}
        assert [(b.text, b.documents) for b in base.blocks()] == [(texts[staying], (staying,))]
        sound(base)
        remove(base.base, "main", staying)
        assert base.blocks() == []
        sound(base)

    @pytest.mark.parametrize("leaving", ["a.md", "b.md"])
    def test_the_same_source_coming_back_rejoins_its_block_without_being_asked(self, leaving: str) -> None:
        base = kb()
        texts = {"a.md": TRANSFER, "b.md": TRANSFER_AGAIN}
        for name, text in texts.items():
            base.put(name, text, date="2025-01-01" if name == "a.md" else "2025-02-02")
        before, log = base.blocks(), base.decisions()
        remove(base.base, "main", leaving)
        base.set(auto_merge=False)
        report = base.put(leaving, texts[leaving], date="2025-01-01" if leaving == "a.md" else "2025-02-02")
        assert (report.n_merged, report.n_flagged) == (0, 0)
        assert (base.blocks(), base.decisions()) == (before, log)
        sound(base)

    def test_what_was_kept_apart_is_not_asked_about_again(self) -> None:
        base = kb()
        base.put("a.md", VISITORS)
        base.put("b.md", VISITORS_OTHERWISE)
        (flag,) = base.flags()
        review.keep_apart(base.base, By("ann", flag=flag.seq), flag.candidate, [flag.of])
        assert base.flags() == ()
        again: dict[str, Callable[[], DocumentReport]] = {
            "a new version": lambda: base.put("b.md", GARDEN, VISITORS_OTHERWISE),
            "another document with this text": lambda: base.put("c.md", VISITORS_OTHERWISE, KITCHEN),
        }
        for what, write in again.items():
            assert write().n_flagged == 0, what
        remove(base.base, "main", "b.md")
        remove(base.base, "main", "a.md")
        assert base.put("d.md", VISITORS, LAPTOPS).n_flagged == 0
        assert len(base.decisions(Verb.FLAG)) == 1
        sound(base)

    def test_what_was_split_is_not_merged_again(self) -> None:
        base = kb()
        base.put("a.md", TRANSFER)
        base.put("b.md", TRANSFER_AGAIN)
        (block,) = base.blocks()
        parted = review.split(base.base, ANN, block.id, [block.id])
        for side in base.blocks():
            assert parted in why(base.base.store, side.id).decisions
        assert base.put("c.md", TRANSFER_AGAIN, GARDEN).n_merged == 1
        assert base.block(TRANSFER).documents == ("a.md",)
        assert base.block(TRANSFER_AGAIN).documents == ("b.md", "c.md")
        for name in ("b.md", "c.md"):
            remove(base.base, "main", name)
        report = base.put("d.md", TRANSFER_AGAIN, KITCHEN)
        assert (report.n_merged, report.n_flagged) == (0, 0)
        sound(base)

    def test_a_conflict_stays_a_conflict(self) -> None:
        base = kb()
        base.put("a.md", SUPPORTED)
        base.put("b.md", NOT_SUPPORTED)
        (flag,) = base.flags()
        review.conflict(base.base, By("ann", flag=flag.seq), flag.candidate, [flag.of])
        assert base.put("c.md", NOT_SUPPORTED, GARDEN).n_flagged == 0
        assert (base.flags(), len(base.texts())) == ((), 3)


class TestFlags:
    def test_a_flag_reopens_when_its_ruling_is_taken_back(self) -> None:
        base = kb()
        base.put("a.md", VISITORS)
        base.put("b.md", VISITORS_OTHERWISE)
        (flag,) = base.flags()
        by = By("ann", flag=flag.seq)
        rulings: dict[str, Callable[[], Decision]] = {
            "merge": lambda: review.merge(base.base, by, flag.candidate, flag.of),
            "keep apart": lambda: review.keep_apart(base.base, by, flag.candidate, [flag.of]),
            "conflict": lambda: review.conflict(base.base, by, flag.candidate, [flag.of]),
            "dismiss": lambda: review.dismiss(base.base, ANN, flag.seq),
        }
        for what, rule in rulings.items():
            ruling = rule()
            assert base.flags() == (), what
            (closed,) = base.flags(is_open=False)
            assert closed.resolved_by == ruling.seq, what
            undo = review.revert(base.base, ANN, ruling.seq)
            assert base.flags() == (flag,), what
            review.revert(base.base, ANN, undo.seq)
            assert base.flags() == (), what
            review.revert(base.base, ANN, base.decisions()[-1].seq)
            assert base.flags() == (flag,), what
        sound(base)

    def test_a_flag_that_is_taken_back_asks_nothing(self) -> None:
        base = kb()
        base.put("a.md", VISITORS)
        base.put("b.md", VISITORS_OTHERWISE)
        (flag,) = base.flags()
        undo = review.revert(base.base, ANN, flag.seq)
        assert base.flags() == ()
        assert [f.resolved_by for f in base.flags(is_open=False)] == [undo.seq]
        with pytest.raises(StaleWriteError):
            review.dismiss(base.base, ANN, flag.seq)
        review.revert(base.base, ANN, undo.seq)
        assert base.flags() == (flag,)

    def test_merging_by_another_way_closes_a_flag(self) -> None:
        base = kb()
        base.put("a.md", VISITORS)
        base.put("b.md", VISITORS_OTHERWISE)
        one, other = base.blocks()
        merge = review.merge(base.base, ANN, one.id, other.id)
        assert base.flags() == ()
        review.revert(base.base, ANN, merge.seq)
        assert len(base.flags()) == 1

    def test_keeping_apart_by_another_way_closes_a_flag(self) -> None:
        base = kb()
        base.put("a.md", VISITORS)
        base.put("b.md", VISITORS_OTHERWISE)
        one, other = base.blocks()
        apart = review.keep_apart(base.base, ANN, one.id, [other.id])
        assert base.flags() == ()
        review.revert(base.base, ANN, apart.seq)
        assert len(base.flags()) == 1


class TestPermission:
    def uncertified(self, base: Kb) -> None:
        base.put("a.md", TRANSFER)
        report = base.put("b.md", TRANSFER_AGAIN)
        assert (report.n_merged, report.n_flagged) == (0, 1)
        assert base.texts() == sorted([TRANSFER, TRANSFER_AGAIN])
        (flag,) = base.flags(because=Reason.UNCERTIFIED)
        assert flag.near[0].similarity >= 0.94
        assert base.put("c.md", TRANSFER, GARDEN).n_merged == 0
        sound(base)

    def test_switched_off_sends_duplicates_to_review(self) -> None:
        self.uncertified(kb(auto_merge=False))

    def test_a_flaw_of_a_required_certificate_sends_duplicates_to_review(self) -> None:
        base = kb(require_certificate=True)
        base.base = replace(base.base, certificate=certificate(), certificate_flaw="it is for another model")
        self.uncertified(base)

    def test_without_a_required_certificate_duplicates_go_to_review(self) -> None:
        self.uncertified(kb(require_certificate=True))

    def test_a_required_certificate_that_holds_lets_merge_and_is_named(self) -> None:
        base = kb(require_certificate=True)
        base.base = replace(base.base, certificate=certificate())
        base.put("a.md", TRANSFER)
        assert base.put("b.md", TRANSFER_AGAIN).n_merged == 1
        assert [d.certificate for d in base.decisions()] == [certificate().digest]

    def test_a_required_certificate_lets_merge_no_more_than_it_certifies(self) -> None:
        base = kb(require_certificate=True)
        base.base = replace(base.base, certificate=certificate(duplicate_from=0.999))
        base.put("a.md", TRANSFER)
        report = base.put("b.md", TRANSFER_AGAIN)
        assert (report.n_merged, report.n_flagged) == (0, 1)

    def test_an_alarm_of_the_audit_stops_automatic_merging(self) -> None:
        base = kb(audit_alpha=0.1, audit_share=1.0)
        texts = (TRANSFER, VISITORS, LAPTOPS, GARDEN, KITCHEN)
        base.put("a.md", *texts)
        assert base.put("b.md", "# Copy", *texts).n_merged == 5
        audits = []
        for merge in base.decisions(Verb.MERGE):
            if audit_state(base.base).alarmed(base.base.settings.audit_delta):
                break
            audits.append(review.audit(base.base, ANN, merge.seq, wrong=True))
        assert 1 < len(audits) < 5
        assert "audit" in why_not_automatic(base.base)
        report = base.put("c.md", "# Another copy", *texts)
        assert (report.n_merged, report.n_flagged) == (0, 5)
        assert {f.because for f in base.flags()} == {Reason.UNCERTIFIED}
        for audit in audits:
            review.revert(base.base, ANN, audit.seq)
        assert base.put("d.md", "# One more copy", *texts).n_merged == 5
        sound(base)

    def test_right_merges_raise_no_alarm(self) -> None:
        base = kb(audit_alpha=0.1, audit_share=1.0)
        texts = (TRANSFER, VISITORS, LAPTOPS, GARDEN, KITCHEN)
        base.put("a.md", *texts)
        base.put("b.md", "# Copy", *texts)
        for merge in base.decisions(Verb.MERGE):
            review.audit(base.base, ANN, merge.seq, wrong=False)
        assert audit_state(base.base).n == 5
        assert why_not_automatic(base.base) == ""

    def test_only_merges_that_were_drawn_count_and_one_that_a_person_takes_back_counts_as_wrong(self) -> None:
        base = kb(audit_share=1.0)
        base.put("a.md", TRANSFER, VISITORS, LAPTOPS)
        base.put("b.md", "# Copy", TRANSFER, VISITORS, LAPTOPS)
        base.set(audit_share=0.0)
        base.put("c.md", "# Copy", LAPTOPS, GARDEN)
        back, parted, right, not_drawn = reversed(base.base.store.ledger.decisions([Verb.MERGE]))
        review.revert(base.base, ANN, back.seq)
        review.split(base.base, ANN, parted.members[0], [parted.members[0]])
        review.audit(base.base, ANN, right.seq, wrong=False)
        review.audit(base.base, ANN, not_drawn.seq, wrong=True)
        assert (audit_state(base.base).n, audit_state(base.base).n_wrong) == (3, 2)


def certificate(duplicate_from: float = 0.94) -> Certificate:
    return Certificate(
        dataset="d", model=minilm().model, guards="g", prompt="", n=299, k=0, alpha=0.01, delta=0.05,
        duplicate_from=duplicate_from, clear_below=0.82, upper=upper_bound(0, 299, 0.05),
    )  # fmt: skip


class TestOldIds:
    def test_ids_resolve_after_merge_split_and_removal(self) -> None:
        base = kb()
        base.put("a.md", TRANSFER)
        old = base.block(TRANSFER).id
        base.put("b.md", TRANSFER_AGAIN)
        (block,) = base.blocks()

        def stands_for() -> list[str]:
            return [review.current_block(base.base.store, id_).text for id_ in (old, block.id)]

        assert old != block.id
        assert stands_for() == [TRANSFER_AGAIN, TRANSFER_AGAIN]
        split = review.split(base.base, ANN, block.id, [old])
        assert stands_for() == [TRANSFER, TRANSFER_AGAIN]
        review.revert(base.base, ANN, split.seq)
        remove(base.base, "main", "b.md")
        assert stands_for() == [TRANSFER, TRANSFER]
        remove(base.base, "main", "a.md")
        for id_ in (old, block.id):
            with pytest.raises(NotFoundError, match="nothing else supports it"):
                review.current_block(base.base.store, id_)

    def test_a_verb_takes_old_ids(self) -> None:
        base = kb()
        base.put("a.md", TRANSFER)
        old = base.block(TRANSFER).id
        base.put("b.md", TRANSFER_AGAIN)
        base.put("c.md", GARDEN)
        review.merge(base.base, ANN, old, base.block(GARDEN).id, Keep.A)
        (block,) = base.blocks()
        assert (block.text, block.documents) == (TRANSFER_AGAIN, ("a.md", "b.md", "c.md"))
        with pytest.raises(UsageError, match="already one block"):
            review.merge(base.base, ANN, old, block.id)


class TestEdits:
    WRITTEN = "Before personal data is transferred, both parties sign the data processing agreement."

    def edited(self) -> tuple[Kb, Block, str]:
        base = kb()
        base.put("a.md", TRANSFER)
        base.put("b.md", TRANSFER_AGAIN)
        (before,) = base.blocks()
        review.edit(base.base, ANN, before.id, self.WRITTEN)
        (block,) = base.blocks()
        assert (block.text, len(block.members)) == (self.WRITTEN, 3)
        return base, block, before.id

    def test_an_edit_joins_its_block_and_loses_nothing(self) -> None:
        base, block, before = self.edited()
        assert {a.text for a in block.attributions} == {TRANSFER, TRANSFER_AGAIN, self.WRITTEN}
        assert review.current_block(base.base.store, before).id == block.id
        review.revert(base.base, ANN, base.decisions(Verb.EDIT)[0].seq)
        assert [(b.id, b.text) for b in base.blocks()] == [(before, TRANSFER_AGAIN)]
        sound(base)

    def test_a_split_asks_where_edits_go(self) -> None:
        base, block, before = self.edited()
        state = list(base.base.store.dump())
        with pytest.raises(UsageError, match="edits=stay or edits=go"):
            review.split(base.base, ANN, block.id, [before])
        assert list(base.base.store.dump()) == state

    @pytest.mark.parametrize(("edits", "texts"), [("stay", {WRITTEN, TRANSFER_AGAIN}), ("go", {WRITTEN, TRANSFER})])
    def test_edits_stay_or_go(self, edits: str, texts: set[str]) -> None:
        base, block, before = self.edited()
        review.split(base.base, ANN, block.id, [before], edits)
        assert set(base.texts()) == texts
        sound(base)

    def test_an_edit_that_leaves_by_name_needs_no_answer(self) -> None:
        base, block, _ = self.edited()
        review.split(base.base, ANN, block.id, [block.id])
        assert set(base.texts()) == {self.WRITTEN, TRANSFER_AGAIN}
        sound(base)
