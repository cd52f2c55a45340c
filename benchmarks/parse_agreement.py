"""Compare parsed text, word by word, with Markdown checked by people.

    python -m benchmarks.parse_agreement [FOLDER] [--format NAME] [--show PATH]

FOLDER holds `manifest.jsonl`, whose lines name `path`, `format` and `expected` relative to FOLDER's
parent. Precision is the share of our words that the expected text has too, recall the reverse (both
count repeats). The expected texts follow another tool's taste (link targets, formulas in LaTeX,
emphasis), so 1.0 is not attainable everywhere; look at the outliers.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import pypdfium2

from benchmarks.evaluation_data import needed
from saidonce.documents.parse import parse
from saidonce.documents.parse.pdf_figures import mending
from saidonce.errors import SourceRefusedError
from saidonce.foundation.model import Document
from saidonce.foundation.text import words

_COMMENT = re.compile(r"<!--.*?-->", re.S)
_LINK = re.compile(r"(!?)\[([^\]\n]*)\]\([^)\s]*(?:\s[^)]*)?\)")
_MARKS = re.compile(r"[*_~`]{1,3}|\\(?=[^\w\s])|^\s*#+\s|\$", re.M)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")
_FIGURE = re.compile(r"\d(?:[\d.,]*\d)?")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}


def plain_words(markdown: str) -> Counter[str]:
    """Return Words of Markdown without its marks and link targets."""
    text = _MARKS.sub("", _LINK.sub(r"\2", _COMMENT.sub(" ", markdown)))
    for entity, sign in _ENTITIES.items():
        text = text.replace(entity, sign)
    return Counter(words(text.replace("|", " ")))


def agreement(ours: Counter[str], expected: Counter[str]) -> tuple[float, float, float]:
    """Return precision, recall and their harmonic mean."""
    both = (ours & expected).total()
    precision = both / ours.total() if ours else 0.0
    recall = both / expected.total() if expected else 1.0
    return precision, recall, 2 * precision * recall / (precision + recall) if both else 0.0


def joined_figures(source: bytes, document: Document) -> tuple[int, int]:
    """Count the numbers in the text of a PDF, and those that are two neighbouring numbers run together.

    Pages written from right to left are left out: their numbers are not in the order of their positions.
    """
    n_all = n_joined = 0
    pages = pypdfium2.PdfDocument(source)
    for number in range(len(pages)):
        letters = pages[number].get_textpage()
        if _RIGHT_TO_LEFT.search(letters.get_text_bounded()):
            continue
        known = mending(letters).figures
        texts = [element.text for element in document.elements if element.page == number + 1]
        figures = [figure for text in texts for figure in _FIGURE.findall(text)]
        n_all += len(figures)
        n_joined += sum(figure in known for figure in figures)
    return n_all, n_joined


def main() -> None:
    """Print agreement by format, then the outliers."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("folder", nargs="?", type=Path, default=None)
    options.add_argument("--format", default="")
    options.add_argument("--show", default="", help="print both texts of the files whose path contains this")
    options.add_argument("--below", type=float, default=0.95, help="outliers are below this F1")
    given = options.parse_args()
    documents = given.folder or needed("documents")
    manifest = needed("manifest.jsonl", documents)
    results: dict[str, list[tuple[float, float, float, str]]] = defaultdict(list)
    figures: list[tuple[int, int]] = []
    for line in manifest.read_text("utf-8").splitlines():
        entry = json.loads(line)
        if not entry.get("expected") or given.format not in ("", entry["format"]):
            continue
        if given.show and given.show not in entry["path"]:
            continue
        root = documents.parent
        expected = (root / entry["expected"]).read_text("utf-8")
        note = ""
        try:
            content = (root / entry["path"]).read_bytes()
            document = parse(entry["path"], content)
            if entry["format"] == "pdf":
                figures.append(joined_figures(content, document))
            text = "\n\n".join(element.text for element in document.elements)
        except SourceRefusedError as refused:
            text, note = "", f" refused: {refused.reason}"
        ours, theirs = plain_words(text), plain_words(expected)
        results[entry["format"]].append((*agreement(ours, theirs), entry["path"] + note))
        if given.show:
            print(f"{text}\n{'=' * 60}\n{expected}\n{'=' * 60}")
            print("only ours:", dict((ours - theirs).most_common(60)))
            print("only expected:", dict((theirs - ours).most_common(60)))
    print(f"{'format':8}{'files':>6}{'precision':>11}{'recall':>8}{'F1':>7}{'min F1':>8}")
    for name, rows in sorted(results.items()):
        means = [sum(column) / len(rows) for column in list(zip(*rows, strict=True))[:3]]
        print(f"{name:8}{len(rows):6}{means[0]:11.3f}{means[1]:8.3f}{means[2]:7.3f}{min(r[2] for r in rows):8.3f}")
    print(f"\nfigures in PDFs: {sum(n for n, _ in figures)}, run together: {sum(n for _, n in figures)}")
    print("\noutliers: precision recall F1")
    for row in sorted((row for rows in results.values() for row in rows), key=lambda row: row[2]):
        if row[2] < given.below:
            print(f"{row[0]:.3f} {row[1]:.3f} {row[2]:.3f} {row[3]}")


if __name__ == "__main__":
    main()
