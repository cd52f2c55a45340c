"""The table of languages in docs/concepts.md is what the tables of words declare."""

from pathlib import Path

from saidonce.matching.facts.lexicon import CAPABILITIES, LANGUAGES, TAGS, capabilities, language_table

CONCEPTS = Path(__file__).resolve().parents[2] / "docs" / "concepts.md"


def _rows() -> list[str]:
    header = ["| language | " + " | ".join(CAPABILITIES) + " | read fully |", "|---" * (len(CAPABILITIES) + 2) + "|"]
    rows = []
    for tag in TAGS:
        reads = capabilities(tag)
        marks = ["yes" if name in reads else "" for name in CAPABILITIES]
        rows.append("| " + " | ".join((language_table(tag)["name"], *marks, "yes" if tag in LANGUAGES else "")) + " |")
    return [*header, *(row.replace("|  |", "| |").replace("|  |", "| |") for row in rows)]


def test_concepts_name_each_language_with_what_is_read_in_it() -> None:
    assert "\n".join(_rows()) in CONCEPTS.read_text(encoding="utf-8")
