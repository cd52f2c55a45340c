"""Reports as text for people; all stored text is cleaned of characters that steer a terminal."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from saidonce.foundation.model import (
    Attribution,
    Block,
    MediaPlace,
    Objection,
    PairCounts,
    Relation,
    Ruling,
    StoredDocument,
    Verb,
    each_once,
    quoted_from,
)
from saidonce.foundation.ports import SegmentHistory
from saidonce.foundation.settings.policy import Settings
from saidonce.foundation.text import clock
from saidonce.interfaces.cli.lines import clean, n_of
from saidonce.kb.answer import Answer, Mode
from saidonce.kb.explain import AbsorbedText, DocumentAccount, Explanation
from saidonce.kb.ingest import DocumentReport, IngestReport, State
from saidonce.kb.packed_context import ALSO_IN, PART_IN, Origin, PackedPassage
from saidonce.kb.pairs import Neighbour
from saidonce.kb.review import kind_in_words
from saidonce.kb.search import Hit, RepeatedBlock, SearchReport
from saidonce.kb.status import BaseStatus
from saidonce.kb.translations import TranslationPair

_MARKS = {State.NEW: "+", State.CHANGED: "~", State.UNCHANGED: "=", State.SAME_SOURCE: "=", State.REFUSED: "!"}
SNIPPET = 320
MOST_MEMBERS = 3
"""Refused members of one archive that have a line each."""

MOST_REASONS = 3

_ABOUT = {Verb.ASSIGN: "flag", Verb.AUDIT: "merge"}
"""What the number of a decision points at, where it settles nothing."""


def short(name: str) -> str:
    """Return a document's name, relative to the working directory where it lies below it."""
    here = f"{Path.cwd().as_posix().rstrip('/')}/"
    return clean(name.removeprefix(here))


def progress_line(report: DocumentReport) -> str:
    """Return the line of a source that is done; empty for an unchanged one, and for a refused one.

    The summary names those that are refused, with a single line for many members of an archive.
    """
    return document_line(report) if report.state not in (State.UNCHANGED, State.REFUSED) else ""


def document_line(report: DocumentReport) -> str:
    """Return one line about an ingested source."""
    name = short(report.name)
    if report.state is State.REFUSED:
        return f"! {name}: {clean(refused_words(report))}"
    if report.state is State.SAME_SOURCE:
        return f"= {name}: the same bytes as {short(report.same_as)}"
    repeats = f"{report.n_exact} exact and {report.n_near} near repeats" if report.n_exact + report.n_near else ""
    apart = f"{n_of(report.n_held_apart, 'look-alike')} kept apart by their facts" if report.n_held_apart else ""
    change = f"{n_of(report.n_added, 'segment')} new, {report.n_removed} gone" if report.state is State.CHANGED else ""
    parts = [f"{n_of(report.n_segments, 'segment')} -> {n_of(report.n_kept, 'block')}", change, repeats, apart]
    parts += [_sharing_words(report.n_merged, report.n_flagged), *report.warnings]
    return f"{_MARKS[report.state]} {name}: " + "; ".join(clean(t) for t in parts if t)


def ingest_summary(
    report: IngestReport,
    passed_over: tuple[str, ...],
    removed: list[str],
    unreadable: tuple[str, ...] = (),
    of_the_kernel: tuple[str, ...] = (),
) -> str:
    """Return the summary of an ingest in a few lines.

    Args:
        report: what the ingest did.
        passed_over: names of files without a parser.
        removed: names of documents that were pruned.
        unreadable: names of folders that cannot be listed.
        of_the_kernel: names of folders that were not walked, since the kernel shows itself there.
    """
    t = report.totals
    counts = ", ".join(f"{report.count(state)} {state.replace('_', ' ')}" for state in State if report.count(state))
    lines = [f"{n_of(len(report.documents), 'source')} into {clean(report.collection)}: {counts or 'nothing to do'}"]
    if t["n_documents"]:
        lines.append(
            f"{n_of(t['n_segments'], 'segment')} -> {n_of(t['n_kept'], 'block')} "
            f"({t['dedup_ratio']:.0%} repeats: {t['n_exact']:.0f} exact, {t['n_near']:.0f} near; "
            f"{n_of(t['n_held_apart'], 'look-alike')} kept apart by their facts; "
            f"{t['n_set_aside']:.0f} set aside as noise)"
        )
    if shared := _sharing_words(t["n_merged"], t["n_flagged"]):
        lines.append(f"{shared}; 'saidonce queue' shows what waits for a person")
    if t["max_boost"]:
        lines.append(f"salience boosts: {t['mean_boost']:.2f} on average, {t['max_boost']:.2f} at most")
    lines += [f"removed {short(name)}" for name in removed]
    if passed_over:
        shown = ", ".join(clean(name.rsplit("/", 1)[-1]) for name in passed_over[:5])
        them = "it" if len(passed_over) == 1 else "them"
        lines.append(f"{n_of(len(passed_over), 'file')} skipped, no parser for {them}: {shown}")
    lines += [f"{short(name)}: skipped, a file system of the kernel" for name in of_the_kernel]
    lines += [f"! {short(name)}: this folder cannot be read; what it holds in the base stays" for name in unreadable]
    lines += refusal_lines((d.name, refused_words(d)) for d in report.refused)
    return "\n".join(lines)


def refused_words(report: DocumentReport) -> str:
    """Return why a source was refused."""
    return f"refused, {report.reason}: {report.detail}"


def refusal_lines(refusals: Iterable[tuple[str, str]]) -> list[str]:
    """Return a line for each refused file, and a single one for an archive of which many members were refused.

    Args:
        refusals: names and reasons.
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    for name, why in refusals:
        groups.setdefault(archive_of(name) or name, []).append((name, why))
    lines: list[str] = []
    for archive, members in groups.items():
        if len(members) <= MOST_MEMBERS:
            lines += [f"! {short(name)}: {clean(why)}" for name, why in members]
            continue
        first = members[0][0].removeprefix(f"{archive}/")
        reasons = Counter(why for _, why in members).most_common()
        counted = [f"{n} {why}" if len(reasons) > 1 else why for why, n in reasons[:MOST_REASONS]]
        more = f"; {n_of(len(reasons) - MOST_REASONS, 'other reason')}" if len(reasons) > MOST_REASONS else ""
        why = f"{'; '.join(counted)}{more}"
        head = f"{len(members)} members" + (":" if len(reasons) > 1 else "")
        lines.append(f"! {short(archive)}: {head} {clean(why)}; the first is {clean(first)}, --json lists all")
    return lines


def archive_of(name: str) -> str:
    """Return the outermost archive that a member is in, by its name; empty for a file of its own."""
    from saidonce.documents.parse.formats import container_of

    parts = name.split("/")
    depth = next((at for at, part in enumerate(parts[:-1], 1) if container_of(part)), 0)
    return "/".join(parts[:depth])


def _sharing_words(n_merged: float, n_flagged: float) -> str:
    """Return how many kept segments of a canonical collection were merged or flagged; empty if none."""
    if not n_merged + n_flagged:
        return ""
    return f"{n_merged:.0f} merged into blocks of other documents, {n_flagged:.0f} flagged"


def snippet(content: str) -> str:
    """Return the beginning of a text on one line."""
    flat = " ".join(clean(content).split())
    return flat if len(flat) <= SNIPPET else flat[: SNIPPET - 1].rsplit(" ", 1)[0] + " \N{HORIZONTAL ELLIPSIS}"


def place(block: Block | Attribution | Origin, heard_from: MediaPlace | None = None) -> str:
    """Return the place of a text: document, page, time in a recording and who speaks or writes there, heading path.

    Args:
        heard_from: replaces the block's own place in a recording.
    """
    page = f", page {block.page}" if block.page else ""
    path = " > ".join(block.heading_path)
    seen = block if isinstance(block, Origin) else heard_from or block.place
    if seen is not None and seen.start_s is not None:
        page += f", at {clock(seen.start_s)}"
    if seen is not None and seen.is_quoted:
        page += f", {clean(quoted_from(seen.speaker, block.sender))}"
    else:
        page += f", {clean(seen.speaker)}" if seen is not None and seen.speaker else ""
        page += f", from {clean(block.sender)}" if block.sender else ""
    return f"{short(block.document)}{page}" + (f" | {clean(path)}" if path else "")


def _hit_snippet(hit: Hit) -> str:
    """Return the beginning of a hit's text, or of the lines from which its answer is heard."""
    whole, heard = hit.block.place, hit.place
    offset = whole.offset_of(heard.start_s) if whole is not None and heard is not None else 0
    return "\N{HORIZONTAL ELLIPSIS} " * bool(offset) + snippet(hit.block.text[offset:])


def _heard_lines(block: Block) -> list[str]:
    """Return the lines of a text that is heard line by line, each with its time; the beginning of any other text."""
    lines = block.place.lines_of(block.text) if block.place is not None else []
    return [f"   {clock(line.start_s)} {snippet(heard)}" for line, heard in lines] or [f"   {snippet(block.text)}"]


def search_text(report: SearchReport, explain: bool) -> str:
    """Return hits with their twins as text."""
    lines = [f"searched {clean(known)!r} for {clean(word)!r}" for word, known in report.corrected.items()]
    if not report.hits:
        return "\n".join([*lines, "Nothing in the base answers this; 'saidonce status' shows what it holds."])
    for number, hit in enumerate(report.hits, 1):
        lines += [f"{number}. [{hit.block.id[:8]}] {hit.relevance:.2f}  {place(hit.block, hit.place)}"]
        lines += [f"   {_hit_snippet(hit)}"]
        for words, others in ((ALSO_IN, _other_documents(hit)), (PART_IN, tuple(sorted(hit.partly_in)))):
            lines += [f"   {words} {clean('; '.join(map(short, others)))}"] if others else []
        lines += [
            f"   {PART_IN if t.is_part else ALSO_IN} [{t.block.id[:8]}] {_twin_place(hit, t)}"
            f" (similarity {t.similarity:.3f})"
            for t in hit.also_in
        ]
        lines += (
            [f"   also under {clean('; '.join(_headed(hit, a) for a in hit.also_under))}"] if hit.also_under else []
        )
        lines += [f"   {m.in_words(short(m.block.document))} (flag {m.flag})" for m in hit.under_review]
        if hit.held_apart:
            lines += [f"   not the same as [{hit.held_apart.block_id[:8]}]: {objections(hit.held_apart.objections)}"]
        lines += [
            f"   another text differs: [{t.block.id[:8]}] {place(t.block)}: {objections(t.objections)}"
            for t in hit.look_alikes
        ]
        if explain:
            lines += [f"   {line}" for line in _reason_lines(hit)]
    if report.n_repeats:
        lines.append(f"{report.n_repeats} of {report.n_pool - report.n_below} ranked blocks repeat others")
    return "\n".join([*lines, *report.warnings])


def below_line(report: SearchReport, k: int, cut: float) -> str:
    """Return how many blocks were ranked and do not answer, if there are fewer hits than wanted; empty otherwise.

    Args:
        report: what the search did.
        k: hits wanted.
        cut: relevance below which a block does not answer.
    """
    n = report.n_below
    if not n or not 0 < len(report.hits) < k:
        return ""
    were, they = ("was", "it does") if n == 1 else ("were", "they do")
    return f"{n_of(n, 'more block')} {were} looked at; {they} not answer the question (relevance below {cut:g})"


def _headed(hit: Hit, at: Attribution) -> str:
    """Return a heading, with its document where that is not the hit's."""
    return at.section if at.document == hit.document else f"{short(at.document)} > {at.section}"


def _other_documents(hit: Hit) -> tuple[str, ...]:
    """Return the other documents that support a hit's block and state all of it."""
    return tuple(name for name in hit.block.documents if name != hit.block.document and name not in hit.partly_in)


def _twin_place(hit: Hit, twin: RepeatedBlock) -> str:
    """Return where a repeat stands, with its collection if that is another; alone where it is the same file there."""
    if twin.block.collection == hit.block.collection:
        return place(twin.block)
    collection = f"collection {clean(twin.block.collection)}"
    return collection if twin.is_same_file_as(hit.block) else f"{collection}, {place(twin.block)}"


def _reason_lines(hit: Hit) -> list[str]:
    """Return why a hit answers, and why it stands at its place."""
    parts = [f"{s.name} {s.value:.3f} (place {s.rank or '-'}) gives {s.part:.4f}" for s in hit.signals]
    lines = [f"score {hit.score:.4f} = " + " + ".join(parts)]
    if hit.in_place_of:
        lines.append(f"stands in the place of [{hit.in_place_of[:8]}], all of which it states")
    return [f"relevance {hit.relevance:.2f}: {clean(hit.evidence.in_words)}", *lines] if hit.evidence else lines


def objections(differing: tuple[Objection, ...]) -> str:
    """Return objections in words: which facts differ, each once."""
    shown = each_once(differing)
    parts = [f"{kind_in_words(o.kind)} {_sides(o)}" for o in shown[:4]]
    return "; ".join(parts) + (f"; and {len(shown) - 4} more" if len(shown) > 4 else "")


def _sides(of: Objection) -> str:
    """Return what stands on both sides; where that is the same, its place differs."""
    if of.a.text == of.b.text:
        return f"{_quote(of.a.text)} in another place"
    return f"{_quote(of.a.text)} / {_quote(of.b.text)}"


def _quote(content: str) -> str:
    return repr(clean(content)) if content else "nothing"


def answer_text(answer: Answer) -> str:
    """Return an answer with the places it cites."""
    if answer.mode is Mode.NOT_IN_BASE:
        return "Nothing in the base answers this."
    lines = []
    for sentence in answer.sentences:
        cited = "".join(f"[{n}]" for n in sorted({c.passage for c in sentence.citations}))
        lines += [clean(sentence.heading)] if sentence.heading else []
        lines.append(f"{clean(sentence.text)} {cited}")
    used = sorted({c.passage for s in answer.sentences for c in s.citations})
    lines += ["", *(line for p in answer.passages if p.number in used for line in _passage_lines(p))]
    return "\n".join(lines)


def _passage_lines(passage: PackedPassage) -> list[str]:
    """Return where a cited passage stands, what it varies, and where it is stated again."""
    varied = (passage.variant_of, *passage.parts_of) if passage.variant_of is not None else ()
    varies = ", varies " + " and ".join(f"[{number}]" for number in varied) if varied else ""
    listed = (("differs", passage.differences), (ALSO_IN, passage.again_in), (PART_IN, passage.partly_in))
    lines = [f"    {name}: {clean('; '.join(parts))}" for name, parts in listed if parts]
    return [f"[{passage.number}] {place(passage.origin)}{varies}", *lines]


def account_text(account: Explanation) -> str:
    """Return everything known about a block or segment as text."""
    if account.block is not None:
        lines = [*_block_lines(account.block, account), *_near_lines(account.near)]
        return "\n".join([*lines, *_decision_lines(account)])
    if not account.histories:
        return "\n".join([f"{account.id}: its document was removed", *_decision_lines(account)])
    last = account.histories[-1]
    lines = [
        f"segment {account.id} of {short(last.document.name)}, {last.segment.kind}",
        f"   {snippet(last.segment.text)}",
    ]
    return "\n".join([*lines, *(_fate_line(h, account) for h in account.histories), *_decision_lines(account)])


def document_account_text(account: DocumentAccount) -> str:
    """Return a document with the blocks that it supports as text."""
    d = account.document
    lines = [f"document {d.id} in {clean(d.collection)}", documents_text([d])]
    if account.n_shared:
        lines.append(f"{account.n_shared} of its blocks are also supported by other documents")
    lines += [f"   [{b.id[:8]}] {snippet(b.text)}" for b in account.blocks]
    return "\n".join([*lines, "'saidonce why ID' explains one of them"])


_AGREEMENTS = {
    "": "not compared yet",
    "same": "says the same",
    "repeats_a": "says a part of it",
    "repeats_b": "says all of it, and more",
    "open": "may say the same",
    "objected": "differs",
}


_SHOWN = ("same", "repeats_a", "repeats_b")
"""Agreements in which all that one text states is shown to stand in the other."""


def _near_lines(near: tuple[Neighbour, ...]) -> list[str]:
    lines = ["near texts:"] if near else []
    for n in near:
        differing = objections(n.objections or n.unaccounted) or _shown_by(n)
        agreement = _AGREEMENTS[n.agreement] + (f": {differing}" if differing else "")
        others = f" and {n.n_blocks - 1} more" if n.n_blocks > 1 else ""
        lines.append(f"   [{n.block.id[:8]}] {place(n.block)}{others}: similarity {n.similarity:.4f}, {agreement}")
    return lines


def ruling_line(ruling: Ruling) -> str:
    """Return an adjudicator's ruling on one line."""
    opinion = f"failed: {ruling.failure}" if ruling.failure is not None else str(ruling.opinion)
    sure = f", confidence {ruling.confidence:.2f}" if ruling.failure is None else ""
    spent = f", {ruling.n_tokens} tokens, {ruling.cost:.4f} dollars" if ruling.n_tokens or ruling.cost else ""
    reason = f": {ruling.reason}" if ruling.reason else ""
    return f"{ruling.adjudicator}: {opinion}{sure}, {ruling.duration_ms} ms{spent}{reason}"


def _opinion_lines(account: Explanation) -> list[str]:
    lines = ["second opinions:"] if account.opinions else []
    for opinion in account.opinions:
        when = f"{opinion.at:%Y-%m-%d %H:%M} on flag {opinion.flag}"
        lines.append(f"   {when}: {snippet(ruling_line(opinion.ruling))}")
    return lines


def _decision_lines(account: Explanation) -> list[str]:
    return [*_decided_lines(account), *_opinion_lines(account)]


def _decided_lines(account: Explanation) -> list[str]:
    lines = ["decisions:"] if account.decisions else []
    for d in account.decisions:
        names = ", ".join(m[:8] for m in d.members)
        parts = [f"{d.seq} {d.at:%Y-%m-%d %H:%M} {d.verb.replace('_', ' ')} by {clean(d.actor)}: {names}"]
        parts += [f"undoes {d.reverts}"] * (d.reverts is not None)
        parts += [f"{_ABOUT.get(d.verb, 'settles flag')} {d.flag}"] * (d.flag is not None)
        parts += [d.detail.because.replace("_", " ")] * bool(d.detail.because) + [clean(d.reason)] * bool(d.reason)
        lines.append("   " + "; ".join(parts) + ("" if d.live else " (undone)"))
        for near in d.detail.near:
            differing = f": {objections(near.objections)}" if near.objections else ""
            differing += ", the same to the equivalence judge" if near.borne_out_by else ""
            lines.append(f"      similarity {near.similarity:.4f} to [{near.id[:8]}]{differing}")
        if d.detail.ruling is not None:
            lines.append(f"      based on the opinion of {snippet(ruling_line(d.detail.ruling))}")
    return lines


def _block_lines(block: Block, account: Explanation) -> list[str]:
    boost = f", boosted by {block.boost:.0%} because the document repeats it in other words" if block.boost else ""
    lines = [
        f"block {block.id} ({block.kind}, {block.language}, salience {block.salience:.3f}{boost})",
        *_heard_lines(block),
        f"from {place(block)} ({clean(block.title)})",
    ]
    if block.owner or block.approval != "draft":
        lines.append(f"{block.approval}, owner {clean(block.owner) or 'nobody'}")
    if block.id != account.id:
        lines.insert(0, f"{account.id} is now part of:")
    absorbed = [a for a in block.attributions if a.relation is not Relation.KEPT]
    if absorbed:
        lines.append(f"absorbed {len(absorbed)}:")
    for a in absorbed:
        how = "word for word" if a.relation is Relation.EXACT else f"in other words, similarity {a.similarity:.4f}"
        how = f"merged, similarity {a.similarity:.4f}" if a.relation is Relation.MERGED else how
        how += _agrees(next((t for t in account.absorbed if t.segment_id == a.segment_id), None))
        lines += [f"   [{a.segment_id[:8]}] {place(a)}: {how}", f"      {snippet(a.text)}"]
    return lines + [line for h in account.histories if (line := _fate_line(h, account))]


def _agrees(absorbed: AbsorbedText | None) -> str:
    """Return how a text agrees with the block that absorbed it; nothing where that is not known."""
    if absorbed is None:
        return ""
    shown = _shown_by(absorbed)
    return f", {_AGREEMENTS[absorbed.agreement]}" + (f": {shown}" if shown else "")


def _shown_by(agreeing: AbsorbedText | Neighbour) -> str:
    """Return what shows that a text says the same as another, or a part of it; empty where their words do."""
    heard = agreeing.judge if agreeing.agreement in _SHOWN else None
    judged = f"the equivalence judge takes the differing words for the same ({clean(heard)})" if heard else ""
    return ", ".join(agreeing.reasons) or judged


def _fate_line(history: SegmentHistory, account: Explanation) -> str:
    fate, version = history.fate, history.document.version
    when = f"version {version} of {short(history.document.name)}" + ("" if history.live else " (no longer there)")
    if fate.relation is None:
        return f"{when}: set aside, salience {history.segment.salience:.3f} is below the floor"
    if fate.relation is Relation.EXACT:
        return f"{when}: dropped, repeats [{fate.of[:8]}] word for word"
    if fate.relation is Relation.NEAR:
        text = snippet(account.neighbours.get(fate.of, ""))
        return f"{when}: dropped, repeats [{fate.of[:8]}] (similarity {fate.similarity:.4f}): {text}"
    if fate.near_miss:
        text = snippet(account.neighbours.get(fate.near_miss, ""))
        return (
            f"{when}: kept; looks like [{fate.near_miss[:8]}] but differs: {objections(fate.objections)}\n      {text}"
        )
    return f"{when}: kept"


def status_text(report: BaseStatus) -> str:
    """Return the status of the base as text."""
    lines = [f"organisation {clean(report.org)}, revision {report.rev}"]
    for c in report.collections:
        lines.append(
            f"{clean(c.collection.name)}: {n_of(c.n_documents, 'document')}, {n_of(c.n_segments, 'segment')}, "
            f"{n_of(c.n_blocks, 'block')} "
            f"({c.n_exact} exact and {c.n_near} near repeats absorbed, {c.n_set_aside} set aside); "
            f"{c.collection.segment_style} segments, model {clean(c.collection.model)}"
        )
    if not report.collections:
        lines.append("no collections yet: create one with 'saidonce ingest FOLDER'")
    lines += _health_lines(report)
    if report.pairs is not None:
        lines.append(pairs_text(report.pairs))
    return "\n".join([*lines, *(f"warning: {w}" for w in report.warnings)])


def _health_lines(report: BaseStatus) -> list[str]:
    """Return how much of the base repeats itself in words; the names of the figures are those of `--json`."""
    m = report.metrics
    formats = ", ".join(f"{clean(name)} {share:.1%}" for name, share in report.dedup_by_doc_type.items())
    return [
        f"repeats removed inside documents: {m['dedup_ratio_ingestion']:.1%} of all segments"
        + (f" ({formats})" if formats else ""),
        f"repeats removed in searches: {m['dedup_ratio_retrieval']:.1%} of the ranked blocks",
        f"salience of repeated texts: raised by {m['max_salience_boost']:.0%} at most, by "
        f"{m['avg_salience_boost']:.0%} on average",
    ]


def pairs_text(counts: PairCounts) -> str:
    """Return how far the pair table has come in one line."""
    line = f"pairs: {counts.n_pairs:,} pairs of near texts among {counts.n_texts:,} texts"
    if not counts.n_waiting:
        return f"{line}; all compared"
    waiting = f"{counts.n_unlisted:,} texts and {counts.n_unjudged:,} pairs waiting"
    return f"{line}; {waiting} ('saidonce worker' or 'saidonce pairs compare')"


def translations_text(pairs: Sequence[TranslationPair]) -> str:
    """Return the pairs that may be translations, each with its score and what lowered it."""
    if not pairs:
        return "No texts in different languages are similar enough to be translations."
    lines = []
    for t in pairs:
        figures = "" if t.shared_figures == 1 else f", {t.shared_figures:.0%} of the figures shared"
        lines.append(f"{t.score:.3f} {t.a.language}-{t.b.language}{figures}")
        lines += [f"    {each.id[:8]} {snippet(each.text)}" for each in (t.a, t.b)]
    return "\n".join([*lines, f"{len(pairs)} pairs; nothing was changed"])


def documents_text(documents: list[StoredDocument], collection: str = "", others: tuple[str, ...] = ()) -> str:
    """Return one line per document; where there is none, say of which collection, and which others there are."""
    if not documents:
        elsewhere = f"; --collection lists those of another: {clean(', '.join(others))}" if others else ""
        return f"no documents in {clean(collection)}{elsewhere}"
    lines = []
    for d in documents:
        dated = f", dated {d.authored_at:%Y-%m-%d}" if d.authored_at else ""
        by = f", {'from' if d.sender else 'by'} {clean(d.author)}" if d.author else ""
        lines.append(
            f"{short(d.name)}: {clean(d.title)} ({d.format}, {d.language}{by}{dated}), version {d.version}, "
            f"{n_of(d.n_segments, 'segment')}, {n_of(d.n_blocks, 'block')}"
        )
        lines += [f"   also seen as {short(name)}" for name in d.names if name != d.name]
        lines += [f"   {clean(warning)}" for warning in d.warnings]
    return "\n".join(lines)


def settings_text(settings: Settings) -> str:
    """Return one line per setting."""
    from saidonce.interfaces.views.listed_settings import listed_settings  # no other text needs the JSON views

    listed = listed_settings(settings)
    lines = []
    for row in listed.rows:
        unit = f" {row.unit}" if row.unit else ""
        lines.append(f"{row.name} = {json.dumps(row.value)}{unit}\n   {row.help}")
    lines += [listed.left_out] if listed.left_out else []
    return "\n".join(lines)
