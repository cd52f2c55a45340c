"""Calibration: what is counted, how documents are split, what is certified, and its picture."""

from __future__ import annotations

import gzip
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from lxml import etree
from typer.testing import CliRunner

from saidonce.adapters.embed.hashed import HashedEmbedder
from saidonce.errors import NotFoundError, UsageError
from saidonce.foundation.certificate import Certificate, read_certificate, upper_bound
from saidonce.foundation.model import Candidate, Objection
from saidonce.foundation.settings.policy import CANONICAL, REPEAT
from saidonce.interfaces.cli.calibrate import calibrate as command
from saidonce.matching import guards as engine
from saidonce.matching.guards import CANONICAL_GUARDS, GUARDS_VERSION, guards_name
from saidonce.quality import calibrate as flow
from saidonce.quality.calibrate import Calibration, CalibrationTarget, Scored
from saidonce.quality.calibration_chart import draw
from shared_data import shared

WANTED = CalibrationTarget(alpha=0.05, delta=0.05, model="hashed:256", guards="g")


def pair(name: str, similarity: float, may_merge: bool | None, held: bool = False, *docs: str) -> Scored:
    return Scored(name, (f"{name}-a", f"{name}-b"), docs or (f"{name}-doc",), similarity, may_merge, held)


def world(n: int = 600, wrong_under: float = 0.9) -> list[Scored]:
    """Evenly spread similarities; pairs under a line must stay apart, and no guard objects."""
    found = []
    for place in range(n):
        similarity = 0.8 + 0.2 * place / n
        found.append(pair(f"p{place}", similarity, similarity >= wrong_under))
    return found


def certificate(found: Calibration) -> Certificate:
    assert found.certificate is not None
    return found.certificate


def line(found: Calibration, merge: float, guarded: bool) -> flow.RuleFigures:
    return next(one for one in found.lines if one.duplicate_from == merge and one.guarded is guarded)


class TestWhatIsCounted:
    def test_by_hand(self) -> None:
        given = [
            pair("merged", 0.95, True),
            pair("missed", 0.70, True),
            pair("flagged", 0.90, True),
            pair("wrongly held", 0.96, True, True),
            pair("wrong", 0.94, False),
            pair("held", 0.99, False, True),
            pair("far", 0.30, False),
            pair("unsaid", 0.99, None),
            Scored("exact", ("x", "x"), ("d",), 1.0, True, False),
            Scored("exact wrong", ("y", "y"), ("d",), 1.0, False, False),
        ]
        found = flow.calibrate(given, WANTED)
        assert (found.n_pairs, len(found.used), found.n_unsaid) == (10, 7, 1)
        assert (found.n_exact, found.n_exact_wrong, found.n_disagreed) == (2, 1, 0)
        guarded, alone = line(found, 0.94, True), line(found, 0.94, False)
        assert (guarded.n_merges, guarded.n_wrong) == (2, 1)
        assert guarded.upper == upper_bound(1, 2, 0.05)
        assert (guarded.false_merges.n, guarded.false_merges.of) == (1, 3)
        assert (guarded.missed_merges.n, guarded.missed_merges.of) == (3, 4)
        assert (guarded.flagged.n, guarded.flagged.of) == (3, 4)
        assert (guarded.to_review.n, guarded.to_review.of) == (3, 7)
        assert (alone.n_merges, alone.n_wrong) == (4, 2)
        assert alone.missed_merges.n == 2
        assert alone.flagged == guarded.flagged
        assert alone.to_review.n == 1

    def test_shows_the_seeds_four_rules_with_guards_and_by_cosine_alone(self) -> None:
        found = flow.calibrate(world(), WANTED)
        seeds = [(one.duplicate_from, one.clear_below) for one in found.lines if one.name == "seed" and one.guarded]
        assert seeds == [(0.90, 0.78), (0.92, 0.80), (0.94, 0.82), (0.96, 0.85)]
        assert [one.name for one in found.lines] == [*["seed"] * 4, "certified"] * 2
        assert [one.guarded for one in found.lines] == [True] * 5 + [False] * 5

    def test_labellers_who_disagree_make_it_distinct_whichever_side_is_first(self) -> None:
        given = [pair("p", 0.95, True), replace(pair("p", 0.95, False), id="q"), pair("r", 0.95, True)]
        for order in (given, given[::-1]):
            found = flow.calibrate(order, WANTED)
            assert found.n_disagreed == 1
            assert sorted(one.may_merge is True for one in found.used) == [False, True]

    def test_the_same_pair_counts_once_and_who_says_nothing_does_not_disagree(self) -> None:
        given = [pair("p", 0.95, True), pair("p", 0.95, None), pair("p", 0.95, True)]
        found = flow.calibrate(given, WANTED)
        assert (len(found.used), found.n_unsaid, found.n_disagreed) == (1, 0, 0)

    def test_is_held_only_if_both_orders_are(self) -> None:
        found = flow.calibrate([pair("p", 0.95, False, True), pair("p", 0.95, False, False)], WANTED)
        assert line(found, 0.94, True).n_wrong == 1


class TestSplit:
    def test_documents_that_pairs_connect_stay_in_one_half(self) -> None:
        chained = [pair(f"p{place}", 0.95, True, False, f"d{place}", f"d{place + 1}") for place in range(200)]
        random.Random(3).shuffle(chained)
        halves = flow.calibrate(chained, WANTED)
        sizes = sorted([(halves.choosing.n_groups, halves.choosing.n_pairs), (0, 0)])
        assert sorted([sizes[1], (halves.certifying.n_groups, halves.certifying.n_pairs)])[-1] == (1, 200)
        assert halves.choosing.n_pairs + halves.certifying.n_pairs == 200

    def test_documents_apart_are_spread_about_evenly(self) -> None:
        found = flow.calibrate(world(1000), WANTED)
        assert found.choosing.n_groups + found.certifying.n_groups == 1000
        assert 420 < found.certifying.n_groups < 580

    def test_nothing_depends_on_the_order_of_rows(self) -> None:
        given = world()
        first = flow.calibrate(given, WANTED)
        random.Random(4).shuffle(given)
        again = flow.calibrate(given, WANTED)
        assert (again.certificate, again.steps, again.lines) == (first.certificate, first.steps, first.lines)

    def test_labels_do_not_choose_thresholds(self) -> None:
        first = flow.calibrate(world(), WANTED)
        turned = flow.calibrate([replace(one, may_merge=not one.may_merge) for one in world()], WANTED)
        assert [s.threshold for s in turned.steps] == [s.threshold for s in first.steps]
        assert len(first.steps) > 3

    def test_thresholds_are_similarities_of_the_half_that_does_not_certify(self) -> None:
        given = world()
        first = flow.calibrate(given, WANTED)
        chosen = {round(step.threshold * 10_000) for step in first.steps}
        rest = [one for one in given if int(one.similarity * 10_000 + 1e-6) not in chosen]
        again = flow.calibrate(rest, WANTED)
        assert len(rest) < len(given)
        assert again.certifying.n_pairs == first.certifying.n_pairs
        assert again.choosing.n_pairs == first.choosing.n_pairs - len(given) + len(rest)

    def test_a_document_is_named_with_its_source_and_organisation(self) -> None:
        row = {"doc_a": "a.md", "doc_b": "a.md", "source": "s"}
        assert len(flow.documents(row)) == 1
        assert flow.documents(row) != flow.documents({**row, "source": "t"})
        assert flow.documents(row) != flow.documents({**row, "org": "acme"})
        assert len(flow.documents({**row, "doc_b": "b.md"})) == 2
        assert flow.documents({"source": "s"}) == ()


class TestCertified:
    def test_the_loosest_step_before_the_wrong_ones(self) -> None:
        found = flow.calibrate(world(), WANTED)
        held = certificate(found)
        assert found.shortage is None
        assert 0.88 < held.duplicate_from < 0.93
        assert held.upper <= WANTED.alpha
        assert (held.n, held.k) in [(s.n, s.k) for s in found.steps]
        assert held.model == "hashed:256"
        assert held.guards == "g"

    def test_its_clear_line_lies_under_most_duplicates(self) -> None:
        found = flow.calibrate(world(2000), WANTED)
        share = sum(p.similarity < certificate(found).clear_below for p in found.used if p.may_merge)
        assert share / sum(bool(p.may_merge) for p in found.used) <= 0.05
        assert 0.85 < certificate(found).clear_below <= certificate(found).duplicate_from

    def test_guards_make_certifiable_what_labels_cannot(self) -> None:
        mixed = [replace(one, may_merge=place % 30 != 0) for place, one in enumerate(world(4000, 0.0))]
        wanted = replace(WANTED, alpha=0.01)
        loose = flow.calibrate(mixed, wanted)
        assert loose.certificate is None
        assert loose.shortage is not None
        guarded = flow.calibrate([replace(one, held=not one.may_merge) for one in mixed], wanted)
        assert certificate(guarded).k == 0

    def test_names_the_data_set_by_its_labels(self) -> None:
        first = certificate(flow.calibrate(world(), WANTED))
        other = certificate(flow.calibrate([*world(), pair("one more", 0.1, False)], WANTED))
        assert first.dataset != other.dataset

    def test_too_few_labels_say_how_many_are_missing(self) -> None:
        found = flow.calibrate(world(60, 0.0), WANTED)
        assert found.certificate is None
        assert found.shortage is not None
        assert found.shortage.needed == 59
        assert found.shortage.more == 59 - found.certifying.n_pairs
        assert found.steps == ()

    def test_the_pairs_in_the_way_are_named_most_similar_first(self) -> None:
        given = [*world(600, 0.0), pair("held", 0.999, False, True)]
        given += [pair(f"bad{n:02}", 0.999 - n / 1000, False) for n in range(60)]
        found = flow.calibrate(given, WANTED)
        assert len(found.hard) == flow.N_HARD
        assert all(one.id.startswith("bad") for one in found.hard)
        assert [one.similarity for one in found.hard] == sorted((one.similarity for one in found.hard), reverse=True)

    def test_nothing_is_certified_where_no_pair_could_be_merged_wrongly(self) -> None:
        same = world(600, 0.0)
        unsaid = [pair(f"unsaid{n}", 0.999, None) for n in range(600)]
        assert flow.calibrate([*same, *unsaid], WANTED).certificate is None
        assert flow.calibrate([*same, pair("other", 0.7, False)], WANTED).certificate is not None

    def test_of_nothing_is_nothing(self) -> None:
        found = flow.calibrate([], WANTED)
        assert found.certificate is None
        assert found.shortage is not None
        assert found.shortage.step.n == 0


def rows() -> Iterator[dict[str, Any]]:
    """Blocks of forty documents: some said again in other words, some with another number."""
    for n in range(40):
        text = f"Plant {n} stores the spare pump number {n} in hall B, and the keeper checks it daily before noon."
        again = text.replace("checks it daily before noon", "checks it each day before noon")
        other = text.replace("hall B", "hall C")
        yield {"id": f"same-{n}", "a": text, "b": again, "label": "duplicate", "doc_a": f"{n}.md", "lang_a": "en"}
        yield {"id": f"other-{n}", "a": text, "b": other, "label": "distinct", "doc_a": f"{n}.md", "lang_a": "en"}
    yield {"id": "exact", "a": "Two words.", "b": "two  words.", "label": "duplicate"}
    yield {"id": "unsaid", "a": "Two words.", "b": "Three words.", "label": "graded"}


def write(path: Path, given: Iterator[dict[str, Any]]) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in given)
    return path


class TestFiles:
    def test_are_scored_in_order_by_documents_or_texts(self, tmp_path: Path) -> None:
        file = write(tmp_path / "pairs.jsonl.gz", rows())
        seen: list[int] = []
        found = flow.score([file, file], HashedEmbedder(), seen.append)
        assert flow.count([file, file]) == len(found) == sum(seen) == 164
        assert found[:82] == found[82:]
        assert [one.id for one in found[:2]] == ["same-0", "other-0"]
        assert found[0].documents == found[1].documents != found[2].documents
        assert found[81].documents == found[81].key
        assert found[80].is_exact
        assert found[81].may_merge is None
        assert all(one.similarity > 0.8 for one in found[:80])
        assert {one.held for one in found[1:80:2]} == {True}

    def test_guards_are_asked_down_to_the_floor(self, tmp_path: Path) -> None:
        near = {"id": "p", "label": "distinct", "a": "The tank holds 30 litres.", "lang_a": "en", "lang_b": "en"}
        given = [{**near, "b": "The big tank in the yard holds 90 litres."}, {**near, "b": "It was 90 years ago."}]
        found = flow.score([write(tmp_path / "p.gz", iter(given))], HashedEmbedder(), lambda _: None)
        assert flow.FLOOR < found[0].similarity < 0.75
        assert found[1].similarity < flow.FLOOR
        assert [one.held for one in found] == [True, False]

    def test_malformed_ones_are_refused_before_anything_is_embedded(self, tmp_path: Path) -> None:
        with pytest.raises(NotFoundError):
            flow.count([tmp_path / "none.jsonl"])
        with pytest.raises(UsageError, match="line 1 lacks label"):
            flow.count([write(tmp_path / "p.gz", iter([{"id": "1", "a": "x", "b": "y"}]))])

    def test_the_guards_have_a_name(self) -> None:
        assert re.fullmatch(f"{GUARDS_VERSION}-[0-9a-f]{{32}}", guards_name())
        assert guards_name() == guards_name(CANONICAL) != guards_name(REPEAT)

    def test_guards_that_come_to_say_something_else_have_another_version(self) -> None:
        """The pair table knows guards by version and tables alone: change both lines together."""
        answers = re.sub(r"^\d+-", "", guards_name(REPEAT))
        assert (GUARDS_VERSION, answers) == ("14", "e32f6ba92e20a622fbdabaac6c1d064c")

    def test_the_name_follows_what_the_guards_say_and_not_where_they_stand(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = guards_name.__wrapped__()

        def renamed(a: Candidate, b: Candidate) -> Sequence[Objection]:
            return engine.same_order(a, b)

        same = tuple(renamed if guard is engine.same_order else guard for guard in CANONICAL_GUARDS)
        monkeypatch.setattr(engine, "CANONICAL_GUARDS", same)
        assert guards_name.__wrapped__() == before
        monkeypatch.setattr(engine, "CANONICAL_GUARDS", tuple(guard for guard in same if guard is not renamed))
        assert guards_name.__wrapped__() != before

    @pytest.mark.parametrize("every", [2, pytest.param(1, marks=pytest.mark.slow)])
    def test_guards_make_checklist_pairs_certifiable(self, tmp_path: Path, every: int) -> None:
        with gzip.open(shared("pairs.jsonl.gz"), "rt", encoding="utf-8") as lines:
            found = [json.loads(row) for row in lines if '"checklist-qqp"' in row]
        file = write(tmp_path / "pairs.jsonl.gz", iter(found[::every]))
        report = flow.calibrate(flow.score([file], HashedEmbedder(), lambda _: None), replace(WANTED, alpha=0.02))
        assert certificate(report).n >= 149
        for merge in (0.90, 0.92, 0.94, 0.96):
            guarded, alone = (line(report, merge, guards).false_merges.per_100 for guards in (True, False))
            assert guarded is not None
            assert alone is not None
            assert guarded < 1.0
            assert alone > 5.0


class TestPicture:
    def test_is_the_same_for_the_same_pairs(self) -> None:
        first, again = (draw(flow.calibrate(world(), WANTED)) for _ in range(2))
        assert first == again
        assert first != draw(flow.calibrate(world(500), WANTED))

    def test_stands_alone_without_scripts_or_remarks(self) -> None:
        drawn = draw(flow.calibrate(world(), WANTED))
        root = etree.fromstring(drawn.encode())
        names = {etree.QName(node).localname if isinstance(node.tag, str) else "remark" for node in root.iter()}
        assert names <= {"svg", "title", "desc", "rect", "text", "g", "defs", "style", "path", "line", "circle"}
        assert set(re.findall(r"[a-z]+://[^\"'<> ]*", drawn)) == {"http://www.w3.org/2000/svg"}
        assert "@import" not in drawn
        assert "url(" not in drawn

    def test_shows_pairs_that_guards_took_out_apart_and_all_thresholds(self) -> None:
        held = [pair(f"h{n}", 0.97, n < 3, True) for n in range(10)]
        given = [*world(), *held, pair("low", 0.2, False)]
        found = flow.calibrate(given, WANTED)
        words = " ".join(map(str, etree.fromstring(draw(found).encode()).itertext()))
        assert "must stay apart, and a guard objects: 7 pairs" in words
        assert "must stay apart, and no guard objects: 300 pairs" in words
        assert "may merge, and no guard objects: 300 pairs" in words
        assert "may merge, but a guard objects and a person is asked: 3 pairs" in words
        assert "1 pairs under 0.50, where guards are not asked, are left out" in words
        assert f"merge from {certificate(found).duplicate_from:.4f} (certified)" in words
        assert "merge from 0.94 (seed)" in words

    def test_a_bar_stands_for_each_hundredth_that_holds_a_pair(self) -> None:
        given = [pair(f"p{n}", similarity, True) for n, similarity in enumerate((0.5, 0.509, 0.51, 0.999, 1.0, 1.0))]
        panels = re.split("<svg id=", draw(flow.calibrate(given, WANTED)))[1:]
        n_marks = 2
        assert [panel.count('class="histbar"') for panel in panels] == [3 + n_marks, *[1 + n_marks] * 3]

    def test_leaves_no_finder_of_modules_behind(self) -> None:
        assert not [finder for finder in sys.meta_path if not hasattr(finder, "find_spec")]

    def test_of_nothing_is_a_picture_too(self) -> None:
        assert "may merge, and no guard objects: 0 pairs" in draw(flow.calibrate([], WANTED))


@pytest.fixture
def program() -> typer.Typer:
    """A program of two commands, so that this one keeps its name."""
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command(name="calibrate")(command)
    app.command(name="other")(lambda: None)
    return app


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "pairs.jsonl.gz", rows())


class TestCommand:
    def test_writes_certificate_and_picture_when_certified(self, program: typer.Typer, file: Path) -> None:
        asked = ["calibrate", str(file), "--bound", "0.3", "--picture", "p.svg", "--certificate", "c.json"]
        done = CliRunner().invoke(program, asked)
        assert done.exit_code == 0, done.output
        held = read_certificate(Path("c.json").read_text(encoding="utf-8"))
        assert f"certified: merge from {held.duplicate_from:.4f}" in done.output
        assert held.guards == guards_name()
        assert Path("p.svg").read_text(encoding="utf-8").startswith("<svg")
        assert "0.94 / 0.82 seed" in done.output

    def test_ends_with_1_and_writes_no_certificate_when_nothing_is(self, program: typer.Typer, file: Path) -> None:
        done = CliRunner().invoke(program, ["calibrate", str(file), "--certificate", "c.json", "--json"])
        assert done.exit_code == 1
        assert not Path("c.json").exists()
        told = json.loads(done.stdout)
        assert told["certificate"] is None
        assert told["shortage"]["needed"] == 598
        assert [rule["duplicate_from"] for rule in told["rules"]][:8] == [0.90, 0.92, 0.94, 0.96] * 2
        assert "label pairs until" in done.stderr

    @pytest.mark.parametrize(
        "options",
        [
            ["--bound", "0"],
            ["--bound", "1"],
            ["--confidence", "1"],
            ["--picture", "none/p.svg"],
            ["--certificate", "."],
        ],
        ids=" ".join,
    )
    def test_refuses_what_makes_no_sense(self, program: typer.Typer, file: Path, options: list[str]) -> None:
        done = CliRunner().invoke(program, ["calibrate", str(file), "--bound", "0.3", *options])
        assert done.exit_code == 2, done.output
        assert done.stderr.startswith("saidonce: ")
