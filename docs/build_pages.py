"""Write the glossary, the picture and the table of districts from the package itself; --check compares."""

from __future__ import annotations

import ast
import re
import sys
import textwrap
import tomllib
from collections import defaultdict
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "saidonce"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
NO_DISTRICTS = ("__main__", "errors", "_moved", "_interrupts")
"""Modules of the contract that are no packages."""

PARTS = ("In", "Out", "May touch", "Start reading")
LETTERS = {"document": "D", "query": "Q", "candidate": "C", "message": "M", "corpus row": "R"}
WIDTH, GAP, LEFT, TOP, LINE = 1_040, 14, 20, 20, 16
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1d2733; }
.name { font-size: 15px; font-weight: 650; }
.box { fill: #f4f7fb; stroke: #8fa3b8; }
.outside { fill: #fff6e6; stroke: #c79a44; }
.faint { fill: #526070; font-size: 12px; }
.D { fill: #1f6fb2; } .Q { fill: #24824a; } .C { fill: #b3541e; } .M { fill: #8a3ea8; } .R { fill: #5b6470; }
.mark { fill: #ffffff; font-size: 11px; font-weight: 700; text-anchor: middle; }
.ground { fill: #ffffff; }
""".strip()


def layers() -> list[list[str]]:
    """Return the districts in the layers of the contract, highest first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (districts,) = [c for c in project["tool"]["importlinter"]["contracts"] if c["name"] == "Districts"]
    rows = [[name.strip() for name in layer.split("|")] for layer in districts["layers"]]
    return [kept for row in rows if (kept := [name for name in row if name not in NO_DISTRICTS])]


def docstring(file: Path) -> str:
    """Return a module's docstring."""
    return ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""


def district(name: str) -> dict[str, str]:
    """Return what a district's docstring says: `is`, and each of PARTS.

    Raises:
        ValueError: it lacks one.
    """
    text = " ".join(docstring(SOURCES / name / "__init__.py").split())
    pieces = re.split(rf"(?:^|(?<=\. ))({'|'.join(PARTS)}): ", text)
    parts = dict(zip(["is", *pieces[1::2]], map(str.strip, [pieces[0], *pieces[2::2]]), strict=True))
    if set(parts) != {"is", *PARTS}:
        raise ValueError(f"the docstring of {name} has {sorted(parts)}, not all of {PARTS}")
    return parts


def districts_table() -> str:
    """Return the districts as a table, highest first."""
    lines = ["| district | what it is | comes in | goes out | may touch | start reading |", "|---|---|---|---|---|---|"]
    for name in (name for row in layers() for name in row):
        parts = district(name)
        lines.append(f"| `{name}` | {' | '.join(parts[part] for part in ('is', *PARTS))} |")
    return "\n".join(lines)


def architecture_page() -> str:
    """Return the page with its table of districts made anew."""
    page = ARCHITECTURE.read_text(encoding="utf-8")
    before, _, rest = page.partition("<!-- districts -->\n")
    _, _, after = rest.partition("<!-- /districts -->")
    return f"{before}<!-- districts -->\n{districts_table()}\n<!-- /districts -->{after}"


def ways() -> dict[str, list[str]]:
    """Return the modules that the page names on each way, in order."""
    sections = re.split(r"^## The way of an? ", ARCHITECTURE.read_text(encoding="utf-8"), flags=re.M)[1:]
    return {s.partition("\n")[0]: re.findall(r"`([a-z_.]+\.[a-z_]+)`", s) for s in sections}


def picture() -> str:
    """Return the districts as an SVG: layers, highest first, with a mark for each way that passes."""
    passed = {what: {module.partition(".")[0] for module in modules} for what, modules in ways().items()}
    boxes: list[str] = []
    y = float(TOP)
    for row in layers():
        width = (WIDTH - 2 * LEFT - GAP * (len(row) - 1)) / len(row)
        texts = {name: textwrap.wrap(district(name)["is"], int((width - 24) / 6.6)) for name in row}
        height = 44 + LINE * max(map(len, texts.values()))
        for place, name in enumerate(row):
            marks = [LETTERS[what] for what, names in passed.items() if name in names]
            boxes += _box(name, texts[name], (LEFT + place * (width + GAP), y, width, height), marks)
        y += height + GAP
    boxes += _legend(y + 14)
    top = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 40:.0f}" role="img"'
        ' aria-label="Districts of saidonce in layers; each may import those below it">'
    )
    return "\n".join(
        [top, f"<style>{STYLE}</style>", '<rect class="ground" width="100%" height="100%"/>', *boxes, "</svg>\n"]
    )


def _box(name: str, texts: list[str], at: tuple[float, float, float, float], marks: list[str]) -> list[str]:
    x, y, width, height = at
    kind = "outside" if name in ("adapters", "interfaces") else "box"
    lines = [
        f'<rect class="{kind}" x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" rx="8"/>',
        f'<text class="name" x="{x + 12:.0f}" y="{y + 24:.0f}">{name}</text>',
    ]
    for n, line in enumerate(texts):
        lines.append(f'<text class="faint" x="{x + 12:.0f}" y="{y + 44 + LINE * n:.0f}">{escape(line)}</text>')
    for n, mark in enumerate(reversed(marks)):
        lines += _mark(mark, x + width - 16 - 20 * n, y + 18)
    return lines


def _mark(letter: str, x: float, y: float) -> list[str]:
    return [
        f'<circle class="{letter}" cx="{x:.0f}" cy="{y:.0f}" r="8"/>',
        f'<text class="mark" x="{x:.0f}" y="{y + 4:.0f}">{letter}</text>',
    ]


def _legend(y: float) -> list[str]:
    lines, x = [], LEFT + 10.0
    for what, letter in LETTERS.items():
        lines += [*_mark(letter, x, y), f'<text x="{x + 14:.0f}" y="{y + 4:.0f}">{what}</text>']
        x += 40 + 7.5 * len(what)
    note = "Imports go down, never beside or up. Yellow: the outside comes in."
    return [*lines, f'<text class="faint" x="{x + 10:.0f}" y="{y + 4:.0f}">{note}</text>']


def classes() -> dict[str, list[tuple[str, str]]]:
    """Return the public classes of each district: names and first paragraphs, by name."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for file in sorted(SOURCES.rglob("*.py")):
        where = file.relative_to(SOURCES).parts[0].removesuffix(".py")
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                first = (ast.get_docstring(node) or "").partition("\n\n")[0].partition("Source: ")[0]
                found[where].append((node.name, " ".join(first.split())))
    return {name: sorted(listed) for name, listed in found.items()}


def glossary_page() -> str:
    """Return every public class with what its docstring says, district by district."""
    found = classes()
    order = [name for row in reversed(layers()) for name in row]
    lines = [
        "# Glossary",
        "",
        "Every class of the package by its district, lowest first, as its docstring says it.",
        "A name means one thing in the whole package. [Concepts](concepts.md) explains the words that users meet.",
    ]
    for name in [*order, *sorted(set(found) - set(order))]:
        if found.get(name):
            lines += ["", f"## {name}", "", "| class | is |", "|---|---|"]
            lines += [f"| `{cls}` | {said.replace('|', chr(92) + '|')} |" for cls, said in found[name]]
    return "\n".join(lines) + "\n"


PAGES = {"architecture.md": architecture_page, "architecture.svg": picture, "glossary.md": glossary_page}


def main() -> int:
    """Write the pages, or with --check say which are out of date."""
    stale = []
    for name, page in PAGES.items():
        path, text = ROOT / "docs" / name, page()
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        sys.stderr.write(f"out of date: {', '.join(stale)}; run 'make reference'\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
