"""queue, merge, keep-apart, split, edit, approve, own, assign, audit, revert, decisions, rebuild."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saidonce.foundation.model import Approval, Copies, Keep
from saidonce.interfaces.cli.lines import clean
from saidonce.interfaces.cli.shared import EXIT_FAILED, JsonOption, named, open_base, out, print_json

if TYPE_CHECKING:
    from saidonce.app.reviewer import Reviewer
    from saidonce.foundation.model import Decision, Flag

BlockArgument = Annotated[
    str, typer.Argument(help="Id of a current or former block, or its first digits.", show_default=False)
]
AsOption = Annotated[str, typer.Option("--as", help="Person who decides; you by default.")]
ReasonOption = Annotated[str, typer.Option("--reason", "-m", help="Reason, stored with the decision.")]
FlagOption = Annotated[int | None, typer.Option("--flag", help="Number of the flag that the decision settles.")]


def queue(
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="Maximum number of pairs.")] = 20,
    collection: Annotated[
        list[str] | None, typer.Option("--collection", "-c", callback=named, help="Only this collection; repeatable.")
    ] = None,
    likely: Annotated[bool, typer.Option("--likely", help="Most likely duplicates first, by second opinions.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the pairs waiting for review, the most valuable decision first.

    **Example**: `saidonce queue -n 5`
    """
    from saidonce.errors import NotFoundError
    from saidonce.foundation.ports import QueueFilter
    from saidonce.interfaces.cli.render import ruling_line, snippet
    from saidonce.interfaces.views.kb import OpenPairView, QueueView

    with open_base() as base:
        is_canonical = {c.name: c.is_canonical for c in base.store.collections()}
        for name in collection or ():
            if name not in is_canonical:
                raise NotFoundError("collection", name, "'saidonce status' lists them")
        filters = QueueFilter(tuple(collection or ()), by_likelihood=likely)
        pairs, n = base.queue(filters, limit=limit), base.store.ledger.n_flags(filters)
        if as_json:
            print_json(QueueView(n=n, pairs=tuple(OpenPairView.show(p) for p in pairs)))
            return
        for p in pairs:
            out.print(flag_line(p.flag))
            out.print(
                f"   [{p.kept.id[:8]}] {snippet(p.kept.text)}\n   [{p.candidate.id[:8]}] {snippet(p.candidate.text)}"
            )
            if p.opinion is not None:
                out.print(f"   second opinion of {snippet(ruling_line(p.opinion.ruling))}")
        queues = any(is_canonical[name] for name in collection or is_canonical)
        shown_at = "'saidonce serve' shows them side by side"
        rest = f", the first {len(pairs)} shown (-n shows more)" if len(pairs) < n else ""
        out.print(f"{n} open{rest}; {shown_at if queues else _why_none_is_queued(collection)}")


def flag_line(flag: Flag) -> str:
    """Return why a pair waits, with the facts that differ in the order of its texts: the kept one first."""
    from saidonce.interfaces.cli.render import objections

    near = flag.comparison
    if near is None:
        return f"flag {flag.seq}, {flag.because}"
    why = "the same to the equivalence judge, a person decides" if near.borne_out_by else flag.because
    facts = objections(tuple(o.mirrored for o in near.objections))
    return f"flag {flag.seq}, similarity {near.similarity:.4f}, {why}" + (f": {facts}" if facts else "")


def _why_none_is_queued(collection: list[str] | None) -> str:
    why = "only canonical collections queue pairs ('saidonce ingest --use canonical' creates one)"
    if not collection:
        return f"{why}, and there is none"
    are = "is an evidence collection" if len(collection) == 1 else "are evidence collections"
    return f"{why}, and {' and '.join(map(clean, collection))} {are}"


def merge(
    a: BlockArgument,
    b: BlockArgument,
    keep: Annotated[Keep, typer.Option(help="Text of the merged block.")] = Keep.NEWEST,
    flag: FlagOption = None,
    actor: AsOption = "",
    reason: ReasonOption = "",
) -> None:
    """Merge two blocks into one; nothing of either is lost.

    **Example**: `saidonce merge 3f2a9c 81d0e7 --reason "the same rule"`
    """
    with open_base() as base:
        _print(_reviewer(base, actor, reason, flag).merge(_id(base, a), _id(base, b), keep))


def keep_apart(
    a: BlockArgument,
    others: Annotated[list[str], typer.Argument(help="Blocks that are different.")],
    flag: FlagOption = None,
    actor: AsOption = "",
    reason: ReasonOption = "",
) -> None:
    """Mark blocks as different; they are not queued again until their texts change.

    **Example**: `saidonce keep-apart 3f2a9c 81d0e7`
    """
    with open_base() as base:
        _print(_reviewer(base, actor, reason, flag).keep_apart(_id(base, a), *(_id(base, b) for b in others)))


def conflict(
    a: BlockArgument,
    others: Annotated[list[str], typer.Argument(help="Blocks that it contradicts.")],
    flag: FlagOption = None,
    actor: AsOption = "",
    reason: ReasonOption = "",
) -> None:
    """Mark blocks as contradicting each other; all stay, linked.

    **Example**: `saidonce conflict 3f2a9c 81d0e7 --reason "30 or 90 days?"`
    """
    with open_base() as base:
        _print(_reviewer(base, actor, reason, flag).conflict(_id(base, a), *(_id(base, b) for b in others)))


def split(
    block: BlockArgument,
    leaving: Annotated[list[str], typer.Argument(help="Members to move, as listed by `why`.")],
    edits: Annotated[
        str, typer.Option(help="Whether later edits 'stay' with the block or 'go' with the members.")
    ] = "",
    copies: Annotated[
        Copies | None, typer.Option(help="Where a later copy of a text goes that both sides contain; ask by default.")
    ] = None,
    actor: AsOption = "",
    reason: ReasonOption = "",
) -> None:
    """Move members of a block into a block of their own.

    Where both sides contain the same text, a later copy of it waits in the queue, joins the side that stays or the one
    that goes, or gets a block of its own.

    **Examples**

    * `saidonce split 3f2a9c 81d0e7`
    * `saidonce split 3f2a9c 81d0e7 --copies stay`
    """
    with open_base() as base:
        members = [_id(base, member) for member in leaving]
        decision = _reviewer(base, actor, reason).split(_id(base, block), members, edits, copies)
        _print(decision)
        if decision.detail.copies is not None:
            out.print(f"both sides contain the same text; a later copy of it {_COPIES[decision.detail.copies]}")


def edit(
    block: BlockArgument,
    text: Annotated[str, typer.Argument(help="New text, or a file that contains it; - reads standard input.")],
    actor: AsOption = "",
    reason: ReasonOption = "",
) -> None:
    """Replace the text of a block; earlier texts are kept.

    **Example**: `saidonce edit 3f2a9c "Backups are kept for 30 days."`
    """
    new_text = sys.stdin.read() if text == "-" else Path(text).read_text("utf-8") if _is_file(text) else text
    with open_base() as base:
        _print(_reviewer(base, actor, reason).edit(_id(base, block), new_text))


def approve(
    block: BlockArgument,
    approval: Annotated[Approval, typer.Option(help="Degree of approval.")] = Approval.APPROVED,
    actor: AsOption = "",
    reason: ReasonOption = "",
) -> None:
    """Set the approval of a block; it lapses when its texts change.

    **Example**: `saidonce approve 3f2a9c`
    """
    with open_base() as base:
        _print(_reviewer(base, actor, reason).approve(_id(base, block), approval))


def own(
    block: BlockArgument,
    owner: Annotated[str, typer.Argument(help="Owner of the block.")],
    actor: AsOption = "",
    reason: ReasonOption = "",
) -> None:
    """Set the owner of a block.

    **Example**: `saidonce own 3f2a9c ann`
    """
    with open_base() as base:
        _print(_reviewer(base, actor, reason).own(_id(base, block), owner))


def dismiss(
    flag: Annotated[int, typer.Argument(help="Number of a flag.")], actor: AsOption = "", reason: ReasonOption = ""
) -> None:
    """Close a flag without marking its texts as different.

    **Example**: `saidonce dismiss 12`
    """
    with open_base() as base:
        _print(_reviewer(base, actor, reason).dismiss(flag))


def assign(
    flag: Annotated[int, typer.Argument(help="Number of a flag.")],
    to: Annotated[str, typer.Argument(help="Person to assign to.")],
    due: Annotated[str, typer.Option(help="Due date of the decision, such as 2026-03-31.")] = "",
    actor: AsOption = "",
    reason: ReasonOption = "",
) -> None:
    """Assign a flag to a person.

    The channels get a reminder a day before the due date, and another one when it has passed.

    **Examples**

    * `saidonce assign 12 ann`
    * `saidonce assign 12 ann --due 2026-03-31`
    """
    with open_base() as base:
        _print(_reviewer(base, actor, reason).assign(flag, to, due))


def audit(
    merge: Annotated[int, typer.Argument(help="Number of an automatic merge.")],
    wrong: Annotated[bool, typer.Option("--wrong/--right", help="Whether the merge was wrong.")],
    actor: AsOption = "",
    reason: ReasonOption = "",
) -> None:
    """Record whether an automatic merge was right; too many wrong ones stop automatic merging.

    **Example**: `saidonce audit 17 --right`
    """
    with open_base() as base:
        _print(_reviewer(base, actor, reason).audit(merge, wrong))


def revert(
    decision: Annotated[int, typer.Argument(help="Number of a decision, as listed by `why` and `decisions`.")],
    actor: AsOption = "",
    reason: ReasonOption = "",
) -> None:
    """Undo a decision, or an earlier undo.

    **Example**: `saidonce revert 17`
    """
    with open_base() as base:
        from saidonce.kb.review import undo_in_words

        done = _reviewer(base, actor, reason).revert(decision)
        out.print(f"{clean(undo_in_words(base.base, done))}; redo with 'saidonce revert {done.seq}'")


def decisions(
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="Maximum number of decisions.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """List the log of decisions, newest first.

    **Example**: `saidonce decisions --json`
    """
    from saidonce.interfaces.views.review import DecisionInWords
    from saidonce.kb import review

    with open_base() as base:
        newest = base.decisions(limit=limit + 1)
        rows = review.accounts(base.base, newest[:limit])
        if as_json:
            print_json([DecisionInWords.of(account) for account in rows])
            return
        for account in rows:
            d = account.decision
            back = "" if d.live else " (undone)"
            why = f" \N{EM DASH} {clean(d.reason)}" if d.reason else ""
            out.print(f"{d.seq} {d.at:%Y-%m-%d %H:%M} by {clean(d.actor)}: {clean(account.what)}{back}{why}")
            for named in account.texts:
                out.print(f"      [{named.id[:8]}] {clean(named.quoted)}")
            if account.n_more:
                out.print(f"      and {account.n_more} more")
        if len(newest) > limit:
            out.print(f"the newest {limit} (-n shows more)")


def rebuild(
    repair: Annotated[bool, typer.Option(help="Rewrite the blocks that differ.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Rebuild all canonical blocks from the log of decisions, and compare them with the stored ones.

    **Example**: `saidonce rebuild --repair`
    """
    from saidonce.interfaces.views.kb import RebuildView

    with open_base() as base:
        report = base.rebuild(repair)
        if as_json:
            print_json(RebuildView.show(report))
        else:
            out.print(f"{report.n_decisions} decisions, {report.n_blocks} canonical blocks")
            out.print("all stored blocks match the log" if report.is_sound else _flaws(report))
    if not report.is_sound and not report.repaired:
        raise typer.Exit(EXIT_FAILED)


def _flaws(report: Any) -> str:
    flaws = []
    if report.broken_at is not None:
        flaws.append(f"decision {report.broken_at} was altered, or one before it is missing")
    if report.wrongly_live:
        flaws.append(f"the state of decisions {report.wrongly_live[:10]} contradicts their reverts")
    if report.different:
        flaws.append(f"{len(report.different)} blocks differ, such as {report.different[0]}")
    flaws.append("they were rewritten" if report.repaired else "rewrite the blocks with 'saidonce rebuild --repair'")
    return "; ".join(flaws)


_COPIES = {
    Copies.ASK: "waits in the queue",
    Copies.STAY: "joins the texts that stayed",
    Copies.GO: "joins the texts that were split out",
    Copies.ALONE: "gets a block of its own",
}


def _reviewer(base: Any, actor: str, reason: str, flag: int | None = None) -> Reviewer:
    reviewer: Reviewer = base.as_person(actor or getpass.getuser()).because(reason, flag=flag)
    return reviewer


def _id(base: Any, prefix: str) -> str:
    from saidonce.kb.explain import resolve_id

    return resolve_id(base.store, prefix)


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except OSError:
        return False


def _print(decision: Decision) -> None:
    out.print(f"decision {decision.seq}: {decision.verb.replace('_', ' ')}; undo with 'saidonce revert {decision.seq}'")
