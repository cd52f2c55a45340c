"""review groups, bulk, rules, add-rule, throughput: the queue by groups, many pairs at once, standing decisions."""

from __future__ import annotations

import getpass
from typing import Annotated, Any

import typer

from saidonce.errors import UsageError
from saidonce.foundation.model import Differs
from saidonce.interfaces.cli.group import CommandSet
from saidonce.interfaces.cli.lines import clean, n_of
from saidonce.interfaces.cli.shared import JsonOption, err, named, open_base, out, print_json

MOST_LISTED = 20
"""Groups of one sort that have a line each."""

_NOTHING_OPEN = "'saidonce review groups' shows what is open"

app = CommandSet("Show the review queue in groups, decide many pairs at once, and manage rules.")

CollectionOption = Annotated[
    list[str] | None, typer.Option("--collection", "-c", callback=named, help="Only this collection; repeatable.")
]
DiffersOption = Annotated[Differs | None, typer.Option(help="Only pairs with this kind of difference.")]
DocumentOption = Annotated[
    list[str] | None, typer.Option("--document", help="Only pairs of these two documents; give the option twice.")
]
ChangeOption = Annotated[
    str, typer.Option("--change", help="Only pairs with this one change, as 'review groups' shows it.")
]
AsOption = Annotated[str, typer.Option("--as", help="Person who decides; you by default.")]
ReasonOption = Annotated[str, typer.Option("--reason", "-m", help="Reason, stored with the decision.")]


@app.command("groups")
def groups(
    collection: CollectionOption = None,
    differs: DiffersOption = None,
    document: DocumentOption = None,
    change: ChangeOption = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Number of pairs to list below the groups.")] = 5,
    as_json: JsonOption = False,
) -> None:
    """Show the queue by kind of difference, by documents and by change, and its most likely repeats.

    **Examples**

    * `saidonce review groups`
    * `saidonce review groups --differs number -n 50`
    """
    from saidonce.interfaces.cli.render import snippet
    from saidonce.interfaces.views.review import GroupsView

    with open_base() as base:
        shown = GroupsView.of(base.base, _part(base, collection, differs, document, change))
        if as_json:
            print_json(shown)
            return
        titled = (("kind of difference", shown.by_kind), ("documents", shown.by_documents), ("change", shown.by_change))
        for title, rows in titled:
            if rows:
                out.print(f"by {title}:")
            for group in rows[:MOST_LISTED]:
                code = f" [{group.differs}]" if group.differs else ""
                out.print(f"  {group.n:>5}  {clean(group.label)}{code}")
            if len(rows) > MOST_LISTED:
                out.print(f"         and {len(rows) - MOST_LISTED} more (--json lists all)")
        listed = shown.entries[:limit]
        if listed:
            rest = f", {len(listed)} of {shown.n_entries} (-n shows more)" if len(listed) < shown.n_entries else ""
            out.print(f"most likely repeats{rest}:")
        pairs = {pair.flag: pair for pair in shown.pairs}
        for entry in listed:
            pair, n_more = pairs[entry[0]], len(entry) - 1
            out.print(f"flag {pair.flag}, similarity {pair.similarity:.4f}, {pair.differs}")
            out.print(f"   {snippet(pair.kept_text)}\n   {snippet(pair.candidate_text)}")
            if n_more:
                flags = " ".join(map(str, entry[1:]))
                out.print(f"   and {n_of(n_more, 'more pair')} with {clean(pair.change)!r}: flags {flags}")
        more = "" if shown.is_all else "; only part of the queue was compared"
        once = f", {shown.n_entries} if each change counts once" if shown.n_entries < shown.n else ""
        out.print(f"{shown.n} open{once}{more}; 'saidonce review bulk keep-apart --differs KIND' decides a group")


@app.command("bulk")
def bulk(
    verb: Annotated[str, typer.Argument(help="keep-apart, merge, dismiss or assign.", show_default=False)],
    flags: Annotated[list[int] | None, typer.Argument(help="Numbers of flags, instead of a filter.")] = None,
    collection: CollectionOption = None,
    differs: DiffersOption = None,
    document: DocumentOption = None,
    change: ChangeOption = "",
    to: Annotated[str, typer.Option(help="Person to assign to.")] = "",
    due: Annotated[str, typer.Option(help="Due date of the assigned decisions, such as 2026-03-31.")] = "",
    with_objections: Annotated[
        bool, typer.Option("--with-objections", help="Also merge pairs not shown to say the same.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Decide; without it, only show the pairs.")] = False,
    actor: AsOption = "",
    reason: ReasonOption = "",
    as_json: JsonOption = False,
) -> None:
    """Decide many pairs at once, by filter or by flag number; without --yes, only show what would be decided.

    All pairs form one decision, which `saidonce revert` undoes as a whole.

    **Examples**

    * `saidonce review bulk keep-apart --differs version`
    * `saidonce review bulk keep-apart --differs version --yes`
    * `saidonce review bulk keep-apart --change "release-7 -> release-8"`
    * `saidonce review bulk merge 12 15 19 --yes --reason "the same rules, worded anew"`
    """
    from saidonce.interfaces.views.review import BulkOutcomeView, GroupsView
    from saidonce.kb import review

    with open_base() as base:
        bulk_request = review.BulkRequest(_bulk_verb(verb), to, review.checked_day(due), differs, with_objections)
        if not flags and not (collection or differs or document or change):
            raise UsageError("give flags or a filter, such as --differs version; 'saidonce review groups' shows them")
        part = _part(base, collection, differs, document, change)
        seqs = flags or [p.pair.flag.seq for p in review.list_pairs(base.base, part).pairs]
        items = review.bulk_preview(base.base, seqs[: review.MOST_IN_BULK])
        if closed := sorted(set((flags or ())[: review.MOST_IN_BULK]) - {item.flag.seq for item in items}):
            err.print(f"saidonce: not open: flag {', '.join(map(str, closed))}")
        if not yes:
            _show_items(items, bulk_request, as_json, GroupsView.of(base.base, part))
            return
        if not items:
            raise UsageError(f"none of these pairs is open; {_NOTHING_OPEN}")
        reviewer = base.as_person(actor or getpass.getuser()).because(reason)
        done = reviewer.decide_in_bulk(bulk_request, [(item.flag.seq, item.seen) for item in items])
        if as_json:
            print_json(BulkOutcomeView.show(done))
            return
        for seq, why in done.left:
            out.print(f"flag {seq} skipped: {clean(why)}")
        undo = f"; undo all with 'saidonce revert {done.decision.seq}'" if done.decision is not None else ""
        out.print(f"{n_of(done.n_decided, 'pair')} decided, {len(done.left)} skipped{undo}")
        if len(seqs) > review.MOST_IN_BULK:
            out.print(f"{len(seqs) - review.MOST_IN_BULK} more wait; run the same command again for them")


@app.command("rules")
def rules(as_json: JsonOption = False) -> None:
    """List the rules in force; `saidonce revert NUMBER` ends a rule and undoes its decisions.

    **Example**: `saidonce review rules`
    """
    from saidonce.interfaces.views.review import RuleView
    from saidonce.kb import review

    with open_base() as base:
        known = review.rules(base.base)
        if as_json:
            print_json([RuleView.show(rule) for rule in known])
            return
        for rule in known:
            d = rule.decision
            n = n_of(rule.n_decided, "pair")
            out.print(f"{d.seq} {d.at:%Y-%m-%d %H:%M} by {clean(d.actor)}: {clean(rule.words)} {n}")
        out.print(f"{n_of(len(known), 'rule')}; end one and undo its decisions with 'saidonce revert NUMBER'")


@app.command("add-rule")
def add_rule(
    differs: Annotated[Differs, typer.Argument(help="Kind of difference.", show_default=False)],
    collection: Annotated[
        str | None,
        typer.Option("--collection", "-c", callback=named, help="Collection; the setting `collection` by default."),
    ] = None,
    document: DocumentOption = None,
    actor: AsOption = "",
    reason: ReasonOption = "",
    as_json: JsonOption = False,
) -> None:
    """Add a rule: keep apart, now and after each ingest, all pairs that differ in this way only.

    **Example**: `saidonce review add-rule version --collection manuals --reason "one manual for each release"`
    """
    from saidonce.foundation.model import ReviewRule
    from saidonce.interfaces.views.review import RuleMadeView

    with open_base() as base:
        reviewer = base.as_person(actor or getpass.getuser()).because(reason)
        rule = ReviewRule(differs, _documents(document))
        decision, n = reviewer.add_rule(collection or base.settings.collection, rule)
        if as_json:
            print_json(RuleMadeView(seq=decision.seq, n_decided=n))
        else:
            kept = n_of(n, "pair")
            out.print(f"rule {decision.seq}: {kept} kept apart now; undo with 'saidonce revert {decision.seq}'")


@app.command("throughput")
def throughput(as_json: JsonOption = False) -> None:
    """Show each person's pairs, pairs per hour, undone decisions and audits.

    **Example**: `saidonce review throughput`
    """
    from saidonce.interfaces.views.review import ThroughputView
    from saidonce.kb import review

    with open_base() as base:
        rows = review.throughput(base.base)
        if as_json:
            print_json([ThroughputView.show(row) for row in rows])
            return
        for t in rows:
            audits = f"{t.n_agreed} of {t.n_audited} audits agreed" if t.n_audited else "not audited"
            pairs = f"{n_of(t.n_pairs, 'pair')} in {n_of(t.n_acts, 'decision')}, {t.pairs_per_hour:.0f} an hour"
            out.print(f"{clean(t.person)}: {pairs}, {t.n_taken_back} undone, {audits}")
        if not rows:
            out.print("no pairs have been decided yet")


def _bulk_verb(name: str) -> Any:
    from saidonce.foundation.model import Verb
    from saidonce.kb import review

    verb = name.replace("-", "_")
    if verb not in set(review.BULK_VERBS):
        raise UsageError(f"{name!r} cannot decide many pairs at once; choose from keep-apart, merge, dismiss, assign")
    return Verb(verb)


def _show_items(items: Any, bulk_request: Any, as_json: bool, groups_view: Any) -> None:
    """Show what a bulk decision would be about."""
    from saidonce.foundation.model import Verb
    from saidonce.interfaces.cli.render import objections, snippet

    seqs = {item.flag.seq for item in items}
    if as_json:
        print_json(groups_view.model_copy(update={"pairs": tuple(p for p in groups_view.pairs if p.flag in seqs)}))
        return
    for item in items:
        refused = bulk_request.verb is Verb.MERGE and item.is_doubtful and not bulk_request.with_objections
        facts = f": {objections(item.against)}" if item.against else ""
        out.print(f"flag {item.flag.seq}, {item.shown.differs}{facts}{' (would be skipped)' if refused else ''}")
        pair = item.shown.pair
        sides = zip((pair.kept.text, pair.candidate.text), item.headings, (False, True), strict=True)
        for text, heading, is_candidate in sides:
            stays = bulk_request.verb is Verb.MERGE and is_candidate is item.is_newer
            under = f"under {clean(heading)!r}: " if heading else ""
            out.print(f"   {under}{snippet(text)}{' (shown once merged)' if stays else ''}")
    ends = "nothing is decided yet, run the same command with --yes"
    out.print(f"{n_of(len(items), 'pair')}; {ends if items else _NOTHING_OPEN}")


def _documents(names: list[str] | None) -> tuple[str, ...]:
    if not names:
        return ()
    if len(names) > 2:
        raise UsageError("a pair has two documents; give --document at most twice")
    return tuple(sorted(names if len(names) == 2 else names * 2))


def _part(
    base: Any, collection: list[str] | None, differs: Differs | None, document: list[str] | None, change: str
) -> Any:
    from saidonce.errors import NotFoundError
    from saidonce.foundation.ports import QueueFilter
    from saidonce.kb import review

    known = {c.name for c in base.store.collections()}
    for name in collection or ():
        if name not in known:
            raise NotFoundError("collection", name, "'saidonce status' lists them")
    return review.QueuePart(QueueFilter(tuple(collection or ())), differs, _documents(document), change, by_judge=True)
