"""Links between the pages lead somewhere, where the repository shows them and on the site alike.

The two derive the name of a heading by rules of their own, which differ on `--`, dots and letters with marks: a heading
is linked by a name that both give it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "packages").glob("*/*.md")),
]
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s]+)\)")
FENCED = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#{1,6} +(.+?)\s*#*$", re.M)
EXPLICIT = re.compile(r"""<a (?:id|name)="([^"]+)""")


def _shown(heading: str) -> str:
    """Return what a reader sees of a heading: no marks of code, the words of its links."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")


def _in_the_repository(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", _shown(heading).lower()).replace(" ", "-")


def _on_the_site(heading: str) -> str:
    ascii_only = unicodedata.normalize("NFKD", _shown(heading)).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_only).strip().lower())


@cache
def _names(page: Path) -> frozenset[str]:
    """Return the names by which both rules know a heading of a page, and those that it states itself."""
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    headings = HEADING.findall(text)
    both = {_in_the_repository(heading) for heading in headings} & {_on_the_site(heading) for heading in headings}
    return frozenset(both | set(EXPLICIT.findall(text)))


def _links(page: Path) -> Iterator[str]:
    text = CODE.sub("", FENCED.sub("", page.read_text(encoding="utf-8")))
    yield from LINK.findall(text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_to_a_file_and_a_heading_that_exist(page: Path) -> None:
    nowhere = []
    for link in _links(page):
        path, _, name = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (name and target.suffix == ".md" and name not in _names(target)):
            nowhere.append(link)
    assert nowhere == []


@pytest.mark.parametrize(
    ("heading", "repository", "site"),
    [
        ("Start quickly", "start-quickly", "start-quickly"),
        ("Sync (`python -m benchmarks.sync`)", "sync-python--m-benchmarkssync", "sync-python-m-benchmarkssync"),
        ("Größe", "größe", "groe"),
    ],
)
def test_the_two_rules_differ_where_a_link_cannot_serve_both(heading: str, repository: str, site: str) -> None:
    assert (_in_the_repository(heading), _on_the_site(heading)) == (repository, site)
