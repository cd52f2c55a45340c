"""Labelled pairs to train the shipped local judge: only sources whose licences allow training and shipping.

PAWS (free for any purpose); documents of the US government (NIST SP 800-53: public domain; cloud.gov: CC0) and GitHub's
site policy (CC0): their own revisions, look-alike paragraphs, and edits made here by rule; sentences written for this
repository (`own_wordings.toml`). Only the trees enter the repository.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import Path

from rapidfuzz import fuzz

from benchmarks.adjudication_rows import Row, read
from saidonce.foundation.model import Vector
from saidonce.foundation.ports import Embedder
from saidonce.foundation.text import digest, sentences
from saidonce.matching.facts.lexicon import table
from saidonce.matching.likeness.words import words_of
from saidonce.quality.alterations import MAKERS
from saidonce.quality.contrast import Contrast, Level, contrasts
from saidonce.quality.excerpts import Dice, Excerpt, Meaning

SEED = 20261121
FREE_DOCUMENTS = {"cloud-gov+cg-site": "2025-04-30", "github+site-policy": "2026-03-30"}
"""CC0 documents and the release whose sentences are edited."""

DICE = Dice(SEED)

LEARNT = {
    Meaning.CHANGED: (
        "number", "unit", "date", "version", "negation", "modality", "frequency", "opposite", "name", "role",
    ),
    Meaning.REWRITTEN: (
        "notation", "date notation", "contraction", "synonym", "abbreviation", "layout", "case", "punctuation",
        "clause order", "sentence order",
    ),
}  # fmt: skip
"""Kinds of alterations that the shipped judge learnt from; later ones are left to measure it."""

LICENCES = {
    "paws": "PAWS, Google: free for any purpose, acknowledgement asked",
    "revisions": "cloud.gov and GitHub site policy: CC0 1.0; NIST SP 800-53: US public domain",
    "edits": "rule-made edits of the same CC0 and public-domain texts",
    "rewrites": "rule-made rewrites, some with one change, of the same CC0 and public-domain texts",
    "neighbours": "look-alike but different sentences of the same CC0 and public-domain texts",
    "own": "sentences written for this repository, Apache-2.0",
}


@cache
def _own() -> dict[str, object]:
    return tomllib.loads(Path(__file__).with_name("own_wordings.toml").read_text("utf-8"))


def shipped_rows(embedder: Embedder) -> list[Row]:
    """Return all rows, in a fixed order; a third of them with a scaffold common to both sides."""
    corpus = free_sentences()
    rows = [*_paws(), *_revisions(), *_edits(corpus), *_rewrites(corpus), *_neighbours(corpus, embedder), *own_rows()]
    return [row for row in map(_scaffolded, rows) if row.a != row.b]


def free_texts() -> list[str]:
    """Return paragraph-like texts of the free documents, each once."""
    texts: dict[str, None] = {}
    for row in read("kb_docs"):
        if FREE_DOCUMENTS.get(row["source"]) == row["version"]:
            texts.update((p.strip(), None) for p in row["markdown"].split("\n\n") if p.strip())
    for row in read("kb_nist_controls"):
        if row["revision"] == "rev5":
            texts.update((t, None) for t in (row["guidance"], row["statement"]) if t)
    return [t for t in texts if t[0].isupper() and "|" not in t and len(t) < 2_000]


def free_sentences() -> list[str]:
    """Return sentences of the free documents, each once."""
    sentences_of: dict[str, None] = {}
    for text in free_texts():
        for span in sentences(text):
            if 6 <= len(span.text.split()) <= 50 and span.text[-1] in ".?!":
                sentences_of[span.text] = None
    return list(sentences_of)


def _paws() -> Iterator[Row]:
    for row in read("pairs"):
        if row["source"] == "paws":
            yield Row("paws", digest("paws", row["a"]), row["a"], row["b"], row["label"] == "duplicate")


def _revisions() -> Iterator[Row]:
    free = (*FREE_DOCUMENTS, "nist-800-53")
    for name in ("doc_pairs", "kb_nist_pairs", "coexisting_pairs", "kb_nist_coexisting"):
        both_needed = "coexisting" in name
        for row in read(name):
            wanted = row["label"] in ("reworded", "fact_changed") or (both_needed and row["label"] == "undecided")
            if row["source"] in free and wanted:
                same = row["label"] == "reworded" and not both_needed
                yield Row("revisions", digest(row["source"], row["doc_a"]), row["a"], row["b"], same)


MOST_OF_A_KIND = 75


def _some(texts: Iterable[str], n: int) -> list[str]:
    """Return a number of texts, selected by hash."""
    return sorted(texts, key=lambda t: digest(str(SEED), t))[:n]


def _edits(corpus: Sequence[str]) -> Iterator[Row]:
    """Yield one fact changed or none, at most so many of each kind and level."""
    by: dict[tuple[str, str, str], list[Contrast]] = defaultdict(list)
    some = [*_some(corpus, 2_000), *_some([t for t in free_texts() if len(t) > 200], 250)]
    for found in contrasts(some, SEED):
        if found.kind in LEARNT[found.relation]:
            by[found.relation, found.level, found.kind].append(found)
    for key in sorted(by):
        most = MOST_OF_A_KIND if key[1] is Level.SENTENCE else MOST_OF_A_KIND // 3
        for c in sorted(by[key], key=lambda c: digest(str(SEED), c.original, c.altered))[:most]:
            yield Row("edits", digest("edit", c.original[:60]), c.original, c.altered, c.relation is Meaning.REWRITTEN)


@cache
def _synonyms() -> dict[str, tuple[str, ...]]:
    """Return one-word equivalents from the fact guard's table."""
    equivalents: dict[str, list[str]] = defaultdict(list)
    for line in table("synonyms")["groups"].splitlines():
        group = [w for w in line.split() if w.isalpha()]
        for word in group:
            equivalents[word] += [w for w in group if w != word]
    return {word: tuple(others) for word, others in equivalents.items()}


N_REWRITES = 900


def _rewrites(corpus: Sequence[str]) -> Iterator[Row]:
    """Yield several rewrites at once; every second one with one change of a fact among them."""
    for original in sorted(corpus, key=lambda s: digest("rewrite", s))[:N_REWRITES]:
        rewritten = _rewritten(original)
        if rewritten == original:
            continue
        group = digest("edit", original[:60])
        yield Row("rewrites", group, original, rewritten, True)
        kinds = LEARNT[Meaning.CHANGED]
        first = DICE.pick(len(kinds), "change", original)
        for kind in (*kinds[first:], *kinds[:first]):
            changed = MAKERS[Meaning.CHANGED][kind](Excerpt(rewritten, DICE, ("Marlow", "Keldon", "Weston")))
            if changed and changed != rewritten:
                yield Row("rewrites", group, original, changed, False)
                break


_PHRASES = (
    (" in order to ", " to "), (" such as ", " like "), (" due to ", " because of "), (" prior to ", " before "),
    (" is able to ", " can "), (" are able to ", " can "), (" as well as ", " and "), (" that are ", " which are "),
    (" for example,", " for instance,"), (" a number of ", " several "), (" must ", " has to "),
    (" You can ", " It is possible to "),
    (" will be ", " is going to be "), (" need to ", " have to "),
    (" if you ", " in case you "),
    (" When ", " Whenever "),
    (" the following ", " these "), (" based on ", " on the basis of "), (" with regard to ", " about "),
    (" via ", " through "),
)  # fmt: skip


def _rewritten(sentence: str) -> str:
    text = sentence
    for kind in ("clause order", "contraction", "abbreviation", "notation", "synonym"):
        maker = MAKERS[Meaning.REWRITTEN][kind]
        text = maker(Excerpt(text, DICE, ())) or text
    for old, new in _PHRASES:
        if DICE.pick(2, old, sentence):
            text = text.replace(old, new, 1)
    return _with_synonyms(text, sentence)


def _with_synonyms(text: str, about: str) -> str:
    found = _synonyms()
    n_most, n_done = 1 + DICE.pick(4, "many", about), 0
    parts, at = [], 0
    for word in words_of(text):
        others = found.get(word.written, ())
        if others and n_done < n_most and DICE.pick(2, word.written, about):
            parts += [text[at : word.start], others[DICE.pick(len(others), word.written, text)]]
            at, n_done = word.end, n_done + 1
    return "".join((*parts, text[at:]))


N_NEIGHBOURS = 180


def _neighbours(corpus: Sequence[str], embedder: Embedder) -> Iterator[Row]:
    """Yield each sentence with its nearest other sentences in the same release, which are not rewordings of it."""
    some = sorted(corpus, key=lambda s: digest("near", s))[:1_800]
    rows: Vector = embedder.embed(some)
    near = rows @ rows.T
    near[range(len(some)), range(len(some))] = 0
    best = [(float(near[i].max()), i, int(near[i].argmax())) for i in range(len(some))]
    pairs = {tuple(sorted((i, j))) for s, i, j in best if s > 0.55}
    far_apart = [p for p in sorted(pairs) if fuzz.token_sort_ratio(some[p[0]], some[p[1]]) < 80]
    for i, j in sorted(far_apart, key=lambda p: digest(some[p[0]], some[p[1]]))[:N_NEIGHBOURS]:
        yield Row("neighbours", digest("edit", some[i][:60]), some[i], some[j], False)


@dataclass(frozen=True, slots=True)
class _Ask:
    """One meaning: its wordings, and the names of its subjects."""

    topic: int
    n: int
    wordings: tuple[str, ...]


N_OF_A_TOPIC = 120


def own_rows() -> Iterator[Row]:
    """Yield Wordings of one meaning against each other, and against those of another value or another ask."""
    for number, topic in enumerate(_own()["topic"]):  # type: ignore[arg-type, var-annotated]
        asks = [_Ask(number, n, tuple(a.split(" / "))) for n, a in enumerate(topic["asks"])]
        values = [tuple(x.split(" ~ ")) for x in topic["x"]]
        places = [tuple(y.split(" ~ ")) for y in topic.get("y", ("",))]
        rows = [*_same_asks(asks, values, places), *_other_asks(asks, values, places)]
        for same in (True, False):
            chosen = sorted((r for r in rows if r.same is same), key=lambda r: digest(r.a, r.b))
            yield from chosen[:N_OF_A_TOPIC]


def _filled(wording: str, x: Sequence[str], y: Sequence[str], about: str) -> str:
    text = wording.replace("{x}", x[DICE.pick(len(x), "x", about)]).replace("{y}", y[DICE.pick(len(y), "y", about)])
    return text[0].upper() + text[1:]


def _same_asks(
    asks: Sequence[_Ask], values: Sequence[tuple[str, ...]], places: Sequence[tuple[str, ...]]
) -> Iterator[Row]:
    for ask in asks:
        for x in values:
            for y in places:
                for one, two in combinations(ask.wordings, 2):
                    group = digest("own", str(ask.topic), str(ask.n))
                    yield Row("own", group, _filled(one, x, y, two), _filled(two, x, y, one + "2"), True)


def _other_asks(
    asks: Sequence[_Ask], values: Sequence[tuple[str, ...]], places: Sequence[tuple[str, ...]]
) -> Iterator[Row]:
    """Yield half with another value in the same or another wording, half with another ask about the same."""
    for ask in asks:
        group = digest("own", str(ask.topic), str(ask.n))
        for x in values:
            y = places[DICE.pick(len(places), x[0], str(ask.n))]
            for one in ask.wordings:
                two = ask.wordings[DICE.pick(len(ask.wordings), "two", one, x[0])]
                if len(values) > 1:
                    other_x = values[(values.index(x) + 1 + DICE.pick(len(values) - 1, one, x[0])) % len(values)]
                    yield Row("own", group, _filled(one, x, y, two), _filled(two, other_x, y, one), False)
                if len(places) > 1:
                    other_y = places[(places.index(y) + 1 + DICE.pick(len(places) - 1, one, x[0])) % len(places)]
                    yield Row("own", group, _filled(one, x, y, two), _filled(two, x, other_y, one), False)
                other = asks[(asks.index(ask) + 1 + DICE.pick(len(asks) - 1, one, x[0])) % len(asks)]
                three = other.wordings[DICE.pick(len(other.wordings), "three", one, x[0])]
                yield Row("own", group, _filled(one, x, y, three), _filled(three, x, y, one), False)


def _scaffolded(row: Row) -> Row:
    """Return a third of the rows behind one persona and task, as a gate sees them; some questions behind an opener."""
    about = row.a + row.b
    own = _own()
    persona, task, frame, opener = (_one(own[name], name, about) for name in ("personas", "tasks", "frames", "openers"))
    if DICE.pick(3, "scaffold", about) == 0:
        head = frame.replace("{p}", persona).replace("{t}", task)
        fields = (("persona", persona), ("task", task)) if DICE.pick(2, "fields", about) else ()
        return replace(row, a=head + row.a, b=head + row.b, fields_a=fields, fields_b=_other_field(row, fields, about))
    if row.source == "own" and DICE.pick(4, "opener", about) == 0:
        return replace(row, b=opener + row.b[0].lower() + row.b[1:])
    return row


def _other_field(row: Row, fields: tuple[tuple[str, str], ...], about: str) -> tuple[tuple[str, str], ...]:
    """Return the fields of the second text: now and then another persona, where the two are not the same anyway."""
    if row.same or not fields or DICE.pick(5, "other field", about):
        return fields
    return (("persona", _one(_own()["personas"], "another", about)), *fields[1:])


def _one(values: object, *about: str) -> str:
    assert isinstance(values, list)
    return str(values[DICE.pick(len(values), *about)])


def counts(rows: Iterable[Row]) -> dict[str, tuple[int, int]]:
    """Return duplicates and distinct pairs of each source."""
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        totals[row.source][not row.same] += 1
    return {name: (n[0], n[1]) for name, n in sorted(totals.items())}
