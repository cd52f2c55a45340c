"""Where long texts are cut: at lines, sentences and spaces, so that two editions are cut at the same places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from saidonce.foundation import text


def line_stretches(whole: str) -> list[tuple[int, int]]:
    """Return where the lines of a text begin and end, without blank ones and the white space at their ends."""
    lines, start = [], 0
    for line in whole.splitlines(keepends=True):
        if line.strip():
            lines.append((start, start + len(line.rstrip())))
        start += len(line)
    return lines


def hard_cuts(whole: str, start: int, end: int, n_tokens: int, most: int) -> Iterator[tuple[int, int, int]]:
    """Cut one over-long sentence at spaces into equal parts of about `most` tokens."""
    n_parts = -(-n_tokens // most)
    step = -(-(end - start) // n_parts)
    each = -(-n_tokens // n_parts)
    while start < end:
        cut = min(start + step, end)
        space = whole.rfind(" ", start + step // 2, cut + 1) if cut < end else -1
        cut = space if space > start else cut
        yield start, cut, each
        start = cut + (1 if cut < end and whole[cut] == " " else 0)


def packed(units: list[tuple[int, int, int]], most: int) -> Iterator[tuple[int, int, int]]:
    """Join neighbouring units while they stay within `most` tokens."""
    start, end, total = units[0]
    for a, b, n in units[1:]:
        if total + n > most:
            yield start, end, total
            start, end, total = a, b, n
        else:
            end, total = b, total + n
    yield start, end, total


def parts_of_lines(
    lines: Sequence[str], counts: Sequence[int], most: int, added: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Yield the first line of each part and the one behind it; none has more than `most` tokens with those `added`.

    Where a part ends depends on the lines around its end, and not on how many stand before it: two editions of a long
    list are cut at the same items, although one has a new item in front.
    """
    first, total = 0, 0
    for n, more in enumerate(counts):
        while n > first and total + more > most:
            end = _best_end(lines, counts, first, n)
            yield first, end
            first, total = end, sum(counts[end:n], added[end])
        total += more
    yield first, len(lines)


def _best_end(lines: Sequence[str], counts: Sequence[int], first: int, last: int) -> int:
    """Return the line before which a part ends: in its second half, at the least depth, that of the lowest digest."""
    sums = list(accumulate(counts[first:last]))
    half = sums[-1] / 2
    ends = [first + n for n, total in enumerate(sums, 1) if total >= half]
    depths = {end: len(lines[end]) - len(lines[end].lstrip()) for end in ends}
    least = min(depths.values())
    return min((end for end in ends if depths[end] == least), key=lambda end: (text.digest(lines[end].strip()), -end))
