"""The same text under two headings: shown once with both, or twice where the headings contradict each other."""

from __future__ import annotations

from itertools import permutations

import pytest

from saidonce.foundation.model import FactKind
from saidonce.foundation.ports import QueueFilter
from saidonce.foundation.settings.policy import SegmentStyle
from saidonce.interfaces.cli.render import search_text
from saidonce.kb.packed_context import pack
from saidonce.kb.review import open_pairs
from world import world

KEPT = "Backups are kept for thirty days in two regions and then removed by the night shift."
CLUSTERS = f"# Retention\n\n## Cluster Dublin\n\n{KEPT}\n\n## Cluster Zanzibar\n\n{KEPT}\n"
LIST = "Grills with charcoal, parasols on a stand and lanterns with candles on the balconies."

CONTRADICTING = [
    ("Permitted things", "Prohibited things"),
    ("What is allowed", "What is not allowed"),
    ("Devices that must be registered", "Devices that may be registered"),
]


def test_a_text_under_two_headings_is_kept_once_and_searchable_by_both() -> None:
    base = world(min_relevance=0.0)
    base.ingest({"retention.md": CLUSTERS})
    assert len(base.blocks()) == 1
    for name in ("Dublin", "Zanzibar"):
        (hit,) = base.search(name).hits
        assert hit.evidence is not None
        assert hit.evidence.held == (name.lower(),) or name in " ".join(hit.evidence.held)


def test_a_hit_names_the_other_headings_it_stands_under() -> None:
    base = world(min_relevance=0.0)
    base.ingest({"retention.md": CLUSTERS})
    report = base.search("how long are backups kept")
    (hit,) = report.hits
    shown = search_text(report, explain=False)
    assert {hit.block.section, *(o.heading_path[-1] for o in hit.also_under)} == {"Cluster Dublin", "Cluster Zanzibar"}
    assert "Cluster Dublin" in shown
    assert "Cluster Zanzibar" in shown


def test_a_context_names_the_other_headings_too() -> None:
    base = world(min_relevance=0.0)
    base.ingest({"one.md": CLUSTERS, "two.md": f"# Retention\n\n## Cluster Lima\n\n{KEPT}\n"})
    context = pack(base.search("how long are backups kept"), 400, base.embedder.count_tokens)
    assert context.text.count(KEPT) == 1
    for name in ("Cluster Dublin", "Cluster Zanzibar", "Cluster Lima"):
        assert name in context.text


@pytest.mark.parametrize(("one", "other"), CONTRADICTING)
def test_headings_that_contradict_each_other_hold_the_same_text_apart(one: str, other: str) -> None:
    base = world(min_relevance=0.0)
    base.ingest({"a.md": f"# House\n\n## {one}\n\n{LIST}\n\n## {other}\n\n{LIST}\n"})
    assert sorted(b.section for b in base.blocks()) == sorted((one, other))
    hits = base.search("grills with charcoal").hits
    assert sorted(hit.block.section for hit in hits) == sorted((one, other))
    (objection,) = next(hit.held_apart.objections for hit in hits if hit.held_apart)
    assert objection.kind is FactKind.HEADING
    assert {objection.a.text, objection.b.text} == {one, other}


@pytest.mark.parametrize(("one", "other"), CONTRADICTING)
def test_a_context_shows_the_text_under_both(one: str, other: str) -> None:
    base = world(min_relevance=0.0)
    base.ingest({"a.md": f"# House\n\n## {one}\n\n{LIST}\n", "b.md": f"# House\n\n## {other}\n\n{LIST}\n"})
    context = pack(base.search("grills with charcoal"), 400, base.embedder.count_tokens)
    assert [p.variant_of for p in context.passages] == [None, 1]
    assert context.text.count(LIST) == 2
    assert f'"{one}"' in context.text
    assert f'"{other}"' in context.text


@pytest.mark.parametrize(("one", "other"), CONTRADICTING)
def test_a_canonical_collection_asks_a_person(one: str, other: str) -> None:
    base = world(min_relevance=0.0, collection_use="canonical")
    base.ingest({"a.md": f"# House\n\n## {one}\n\n{LIST}\n", "b.md": f"# House\n\n## {other}\n\n{LIST}\n"})
    assert len(base.blocks()) == 2
    (pair,) = open_pairs(base.base, QueueFilter())
    assert {o.kind for o in pair.objections} == {FactKind.HEADING}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Cluster Dublin", "Cluster Zanzibar"),
        ("4.1 Retention", "5.2 Retention"),
        ("Notes", "Remarks"),
        ("Model HR-4016", "Model HR-5018"),
    ],
)
def test_other_headings_are_merged_and_searchable_by_both(one: str, other: str) -> None:
    base = world(min_relevance=0.0, collection_use="canonical")
    base.ingest({"a.md": f"# House\n\n## {one}\n\n{KEPT}\n", "b.md": f"# House\n\n## {other}\n\n{KEPT}\n"})
    (block,) = base.blocks()
    assert {a.heading_path[-1] for a in block.attributions} == {one, other}
    shown = search_text(base.search("how long are backups kept"), explain=False)
    assert one in shown
    assert other in shown


def test_the_same_heading_in_another_case_is_the_same() -> None:
    base = world(min_relevance=0.0)
    base.ingest({"a.md": f"# House\n\n## Not Allowed\n\n{LIST}\n\n## not allowed\n\n{LIST}\n"})
    assert len(base.blocks()) == 1
    (hit,) = base.search("grills").hits
    assert hit.also_under == ()


TEXTS = {
    "he": "מנגלים עם פחם, שמשיות על רגל ופנסים עם נרות במרפסות של הבניין הראשי ושל הבניין האחורי.",
    "hi": "बालकनी पर कोयले की अंगीठी, स्टैंड वाली छतरी और मोमबत्ती वाली लालटेन रखी जा रही हैं।",
    "ko": "발코니에 두는 숯불 화로와 받침대가 있는 양산, 초를 넣은 등불과 작은 화분, 접이식 의자와 빨래 건조대.",
    "ar": "شوايات الفحم والمظلات ذات القاعدة والفوانيس ذات الشموع في شرفات المبنى الرئيسي.",
    "zh": "陽台上的木炭烤爐、有底座的陽傘、裝蠟燭的燈籠、折疊的桌椅、小型的盆栽以及曬衣服用的架子。",
    "ja": "ベランダに置く炭の焼き台、台座のある日傘、ろうそくを入れる灯籠、折りたたみの机と椅子。",
}
OTHER_LANGUAGES = [
    ("he", "מותר", "אסור"),
    ("hi", "अनुमति है", "अनुमति नहीं है"),
    ("ko", "허용", "금지"),
    ("ko", "둘 수 있는 물건", "둘 수 없는 물건"),
    ("ar", "المسموح", "الممنوع"),
    ("zh", "允許", "禁止"),
    ("ja", "許可", "禁止"),
]


@pytest.mark.parametrize(("language", "one", "other"), OTHER_LANGUAGES)
@pytest.mark.parametrize("use", ["evidence", "canonical"])
def test_headings_contradict_each_other_in_languages_that_are_not_read_fully(
    language: str, one: str, other: str, use: str
) -> None:
    content = TEXTS[language]
    base = world(min_relevance=0.0, collection_use=use)
    base.ingest({f"a_{language}.md": f"# {one}\n\n{content}\n", f"b_{language}.md": f"# {other}\n\n{content}\n"})
    assert sorted(hit.block.section for hit in base.search(content).hits) == sorted((one, other))


THREE = ("Adults", "Permitted", "Prohibited")


@pytest.mark.parametrize("order", sorted(permutations(THREE)))
@pytest.mark.parametrize("use", ["evidence", "canonical"])
def test_a_third_heading_joins_no_two_that_contradict_each_other(order: tuple[str, ...], use: str) -> None:
    base = world(min_relevance=0.0, collection_use=use)
    for name, heading in zip("abc", order, strict=True):
        base.ingest({f"{name}.md": f"# {heading}\n\n{LIST}\n"})
    hits = base.search("grills with charcoal").hits
    groups = [{hit.block.section, *(a.heading_path[-1] for a in hit.also_under)} for hit in hits]
    groups = [group | {twin.block.section for twin in hit.also_in} for group, hit in zip(groups, hits, strict=True)]
    assert set().union(*groups) == set(THREE)
    assert not any({"Permitted", "Prohibited"} <= group for group in groups)
    assert len(groups) == 2
    context = pack(base.search("grills with charcoal"), 400, base.embedder.count_tokens)
    assert context.text.count(LIST) == 2


@pytest.mark.parametrize("use", ["evidence", "canonical"])
def test_nor_does_one_document_that_has_them_all(use: str) -> None:
    base = world(min_relevance=0.0, collection_use=use)
    base.ingest({"a.md": f"# Adults\n\n{LIST}\n"})
    base.ingest({"b.md": f"# House\n\n## Permitted\n\n{LIST}\n\n## Adults\n\n{LIST}\n\n## Prohibited\n\n{LIST}\n"})
    for block in base.blocks():
        assert not {"Permitted", "Prohibited"} <= {a.section for a in block.attributions}


def test_a_look_alike_that_is_no_hit_any_more_is_named() -> None:
    base = world(min_relevance=0.0)
    other = KEPT.replace("thirty", "ninety")
    base.ingest({"a.md": KEPT, "b.md": other, "c.md": f"{KEPT}\n", "d.md": LIST})
    report = base.search("how long are backups kept", k=1)
    (hit,) = report.hits
    (look_alike,) = hit.look_alikes
    assert {hit.text, look_alike.block.text} == {KEPT, other}
    assert {look_alike.objections[0].a.text, look_alike.objections[0].b.text} <= {"thirty days", "ninety days"}
    shown = search_text(report, explain=False)
    assert look_alike.block.document in shown
    assert "thirty days" in shown
    assert "ninety days" in shown
    assert base.search("how long are backups kept", k=2).hits[0].look_alikes == ()


def test_equal_tables_under_two_years_are_two_in_any_order() -> None:
    table = "| Room | Fee |\n|---|---|\n| Hall | 40 |\n| Attic | 15 |\n"
    files = {"plain.md": table, "old.md": f"# Fees\n\n## 2023\n\n{table}", "new.md": f"# Fees\n\n## 2024\n\n{table}"}
    for names in permutations(files):
        base = world(min_relevance=0.0)
        for name in names:
            base.ingest({name: files[name]})
        hits = base.search("what does the hall cost", k=10).hits
        under = {hit.block.section for hit in hits} | {a.section for hit in hits for a in hit.also_under}
        assert {"2023", "2024"} <= under
        assert len([hit for hit in hits if hit.block.rows]) == 2


TABLE = "| Item | Price |\n|---|---|\n| Lamp | 9 |\n| Desk | 80 |\n| Chair | 35 |\n"
LEADS = ["Not sold in 2024:", "Discontinued:", "Only for staff:", "Until May:", "Nicht mehr im Sortiment:"]


@pytest.mark.parametrize("use", ["evidence", "canonical"])
@pytest.mark.parametrize("lead", LEADS)
def test_a_table_below_a_line_that_introduces_it_is_not_the_same_one_without(lead: str, use: str) -> None:
    files = {"plain.md": TABLE, "led.md": f"{lead}\n\n{TABLE}"}
    for names in permutations(files):
        base = world(min_relevance=0.0, segment_style=SegmentStyle.PARAGRAPH, collection_use=use)
        for name in names:
            base.ingest({name: files[name]})
        hits = base.search("what does the lamp cost", k=10).hits
        assert sorted(hit.block.section for hit in hits) == ["", lead]


@pytest.mark.parametrize("use", ["evidence", "canonical"])
def test_a_line_that_only_announces_a_table_says_nothing_of_it(use: str) -> None:
    base = world(min_relevance=0.0, segment_style=SegmentStyle.PARAGRAPH, collection_use=use)
    base.ingest({"plain.md": TABLE, "led.md": f"The prices are as follows:\n\n{TABLE}"})
    assert len([hit for hit in base.search("what does the lamp cost", k=10).hits if hit.block.rows]) == 1


def test_one_document_may_have_a_table_with_and_without_such_a_line() -> None:
    base = world(min_relevance=0.0, segment_style=SegmentStyle.PARAGRAPH)
    base.ingest({"a.md": f"{TABLE}\nSold out:\n\n{TABLE}"})
    assert sorted(block.section for block in base.blocks()) == ["", "Sold out:"]
