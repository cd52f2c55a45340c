"""Bring the catalogues of what residents read up to date, and list what lacks a translation; --check only lists.

Exit status 1 while something is untranslated.
"""

from __future__ import annotations

import io
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po

from saidonce.repairs.conversation.catalogue import TAGS, template_of

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "saidonce" / "repairs"
ROOMS = SOURCES / "conversation"
CATALOGUES = ROOMS / "catalogues"
KEYWORDS = {"Text": None, "Button": None}
READ = ("safety", "stay")
"""Keys of a pack's classes whose texts residents read."""


def sentences() -> list[str]:
    """Return the English templates of all sentences for residents, in order, once each: of the code, then of packs."""
    return list(dict.fromkeys((*_of_code(), *_of_packs(), _general())))


def _of_code() -> Iterator[str]:
    for file in sorted(SOURCES.rglob("*.py")):
        with file.open("rb") as source:
            for _, message, _, _ in extract("python", source, KEYWORDS):
                if isinstance(message, str) and any(c.isalpha() for c in message):
                    yield message


def _of_packs() -> Iterator[str]:
    for file in sorted((ROOMS / "packs").glob("*.toml")):
        for row in tomllib.loads(file.read_text(encoding="utf-8")).get("class", {}).values():
            yield from (template_of(" ".join(row[key].split()))[0] for key in READ if key in row)


def _general() -> str:
    from saidonce.repairs.conversation.emergency import Pack  # noqa: PLC0415

    return template_of(Pack("none", ("112",), ()).of("none").safety)[0]


def read(tag: str) -> Catalog:
    """Return a language's catalogue as it is stored; an empty one if there is none."""
    file = CATALOGUES / f"{tag}.po"
    content = file.read_text(encoding="utf-8") if file.exists() else ""
    return read_po(io.StringIO(content), locale=tag)


def untranslated(tag: str) -> list[str]:
    """Return the sentences that a language lacks."""
    known = {m.id: m.string for m in read(tag) if m.id and not m.fuzzy}
    return [s for s in sentences() if not known.get(s)]


def bring_up_to_date(tag: str) -> None:
    """Write a language's catalogue with all sentences, in their order; translations not needed now come last."""
    before = {str(m.id): str(m.string) for m in read(tag) if m.id}
    after = Catalog(locale=tag, project="saidonce", fuzzy=False)
    templates = sentences()
    for template in (*templates, *(t for t in before if t not in templates)):
        after.add(template, before.get(template, ""), flags=("python-brace-format",) if "{" in template else ())
    content = io.BytesIO()
    write_po(content, after, width=120, omit_header=True, no_location=True)
    (CATALOGUES / f"{tag}.po").write_bytes(content.getvalue())


def main(arguments: list[str]) -> int:
    """Bring all catalogues up to date, and list what is untranslated."""
    n_missing = 0
    for tag in TAGS[1:]:
        if "--check" not in arguments:
            bring_up_to_date(tag)
        missing = untranslated(tag)
        n_missing += len(missing)
        print(f"{tag}: {len(sentences()) - len(missing)} of {len(sentences())} translated")
        for template in missing:
            print(f"  {template}")
    return 1 if n_missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
