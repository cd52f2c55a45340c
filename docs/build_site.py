"""Lay out the site in .site: the pages of docs/ and those they lead to, with the version; zensical builds it then."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path, PurePosixPath

import saidonce

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
SITE = ROOT / ".site"
PAGES = SITE / "docs"

OUTSIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "report-a-flaw.md",
    "CONTRIBUTING.md": "contributing.md",
    "packages/saidonce-judge/MODEL_CARD.md": "model-card.md",
    "examples/README.md": "examples.md",
}
"""Pages elsewhere in the repository, by where they stand on the site."""

_LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")


def main() -> int:
    """Write everything anew."""
    shutil.rmtree(PAGES, ignore_errors=True)
    for source in sorted(DOCS.rglob("*")):
        place = PurePosixPath(source.relative_to(DOCS).as_posix())
        if source.suffix == ".md":
            write(place, source)
        elif source.suffix in (".png", ".svg", ".json"):
            target = PAGES / place
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
        elif source.suffix == ".ipynb":
            write(place.with_suffix(".md"), source, notebook(source))
    for name, place in OUTSIDE.items():
        write(PurePosixPath(place), ROOT / name)
    (PAGES / "decisions" / "index.md").write_text(decisions(), encoding="utf-8")
    configuration = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    (SITE / "zensical.toml").write_text(configuration.replace("@VERSION@", saidonce.__version__), encoding="utf-8")
    print(f"{len(list(PAGES.rglob('*.md')))} pages of saidonce {saidonce.__version__} in {SITE}")
    return 0


def write(place: PurePosixPath, source: Path, text: str = "") -> None:
    """Write a page of the site; links of a page lead to where their targets stand there.

    Args:
        place: of the page, below the site's root.
        source: the file that it is made from, which its links are relative to.
        text: of the page, if it is not the file's own.
    """
    target = PAGES / place
    target.parent.mkdir(parents=True, exist_ok=True)
    text = text or source.read_text(encoding="utf-8")
    parts = re.split(r"(```.*?```)", text, flags=re.S)
    moved = [
        part if part.startswith("```") else _LINK.sub(lambda m: relinked(m, place, source), part) for part in parts
    ]
    target.write_text("".join(moved), encoding="utf-8")


def relinked(link: re.Match[str], place: PurePosixPath, source: Path) -> str:
    """Return a link with its target as it stands on the site."""
    before, target, after = link.groups()
    if re.match(r"[a-z]+:", target):
        return link.group()
    aim = Path(os.path.normpath(source.parent / target)).relative_to(ROOT).as_posix()
    if aim in OUTSIDE:
        moved = OUTSIDE[aim]
    elif aim == "docs/decisions":
        moved = "decisions/index.md"
    elif aim.startswith("docs/"):
        moved = aim.removeprefix("docs/").replace(".ipynb", ".md")
    else:  # a file that is no page: it goes along as it is
        moved = f"files/{aim}"
        if (ROOT / aim).is_file():
            (PAGES / moved).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / aim, PAGES / moved)
    return before + os.path.relpath(moved, place.parent) + after


def notebook(file: Path) -> str:
    """Return a notebook as a page: its texts and its code."""
    cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
    written = [
        "".join(c["source"]) if c["cell_type"] == "markdown" else f"```python\n{''.join(c['source'])}\n```"
        for c in cells
    ]
    return "\n\n".join(written) + "\n"


def decisions() -> str:
    """Return the list of decisions, by number."""
    lines = ["# Decisions", "", "What was decided about the program, and why.", ""]
    for file in sorted((DOCS / "decisions").glob("[0-9]*.md")):
        lines.append(f"- [{file.read_text(encoding='utf-8').splitlines()[0].lstrip('# ')}]({file.name})")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
