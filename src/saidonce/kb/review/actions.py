"""Actions of reviewers on blocks and flags; each appends one decision and rebuilds the blocks that it concerns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from saidonce.errors import NotFoundError, StaleWriteError, UsageError
from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import (
    POLICY,
    Approval,
    Block,
    BlockDraft,
    Copies,
    Decision,
    DecisionDraft,
    Detail,
    Document,
    DocumentWrite,
    Flag,
    Golden,
    Keep,
    Kind,
    Member,
    Relation,
    Row,
    Segment,
    SegmentFate,
    Verb,
    check_assignable,
)
from saidonce.kb import survivorship
from saidonce.kb.canonical import embedding_key, owners_activity, rebuild_blocks, search_of
from saidonce.kb.pairs import accord_between
from saidonce.kb.review.commit import (
    By,
    RequestContent,
    canonical_block,
    check_unchanged,
    commit_decision,
    mark_active,
    pairs_of,
    previous_decision,
)
from saidonce.kb.review.differences import differs_by

EDIT_FORMAT = "edit"
"""Format of the documents that hold edits."""

MAX_EDIT_CHARS = 100_000

AUDITED = frozenset({Verb.MERGE, Verb.KEEP_APART, Verb.CONFLICT, Verb.DISMISS})
"""Decisions of people that another person may audit."""

LEFT_OUT = "left_out"
"""Reason of a split that goes with the merge after it."""


def merge(context: Context, by: By, a: str, b: str, keep: Keep = Keep.NEWEST) -> Decision:
    """Merge two blocks into one; nothing of either is lost, and `revert` takes it back.

    Args:
        context: wired ports.
        by: author of the decision.
        a: id of a block, present or former.
        b: id of another.
        keep: text of the merged block: the newest by date, or that of a or b whatever the dates.

    Raises:
        NotFoundError: no block holds the text of an id any more.
        UsageError: both are one block already, or of different collections.
        StaleWriteError: a block has changed since it was shown, or the flag was settled.
    """

    def make() -> tuple[DecisionDraft, Sequence[Block]]:
        one, two = _distinct_blocks(context, a, b)
        first, second = (two, one) if keep is Keep.B else (one, two)
        detail = Detail(
            because=f"keep_{keep}",
            set_aside=() if keep is Keep.NEWEST else second.members,
            activity=owners_activity(context, one, two),
            differs=_differs(context, by, one, two),
        )
        return _draft(Verb.MERGE, by, first.collection, (first.id, second.id), detail), (one, two)

    return commit_decision(context, by, RequestContent(Verb.MERGE, (a, b)), make)


def preview(context: Context, a: Block, b: Block, keep: Keep = Keep.NEWEST) -> Golden:
    """Return the block that a merge of two would make now, without merging.

    Raises:
        StaleWriteError: both are gone.
    """
    members = context.store.ledger.members([*a.members, *b.members])
    if not members:
        raise StaleWriteError("the blocks have just changed; reload and try again")
    standing = survivorship.fold(context.store.ledger.family(sorted(members)))
    snapshot = {each.owner: each for each in owners_activity(context, a, b)}
    standing = replace(standing, activity={**standing.activity, **snapshot})
    chosen = {Keep.A: a, Keep.B: b}.get(keep)
    if chosen is not None:
        other = b if chosen is a else a
        aside = dict.fromkeys(other.members, frozenset({chosen.id}))
        standing = survivorship.set_aside(standing, aside)
    return survivorship.join(list(members.values()), standing)


def merge_without(
    context: Context, by: By, blocks: tuple[str, str], leaving: Sequence[str], keep: Keep = Keep.NEWEST
) -> Decision:
    """Merge two blocks without some texts of the first, which get a block of their own.

    Edits of the first block stay in it, unless they are named themselves.

    Args:
        context: wired ports.
        by: who decides; `state_token` is of the two blocks as they were shown, whole.
        blocks: ids of the kept block, which has several texts, and of the joining one.
        leaving: ids of the first block's members to leave out, some but not all of them.
        keep: as for `merge`; a is the rest of the first block.

    Returns:
        The merge; the split is the decision before it.

    Raises:
        NotFoundError: no block holds the text of an id any more.
        UsageError: no member or every member would leave, one is not of the block, or the key was used before.
        StaleWriteError: a block has changed since it was shown, or the flag was settled. Nothing is split then.
    """
    ledger = context.store.ledger
    with ledger.exclusive():
        if (previous := previous_decision(context, by, RequestContent(Verb.MERGE, blocks))) is not None:
            return previous
        whole, joining = canonical_block(context, blocks[0]), canonical_block(context, blocks[1])
        check_unchanged(by, whole, joining)
        alone = By(by.actor, by.reason, derived_key(by.key, "split"))
        _split(context, alone, whole.id, leaving, SplitTerms("stay", because=LEFT_OUT))
        rest = whole.id if whole.id not in leaving else min(set(whole.members) - set(leaving))
        return merge(context, By(by.actor, by.reason, by.key, by.flag), rest, joining.id, keep)


def keep_apart(context: Context, by: By, a: str, others: Sequence[str]) -> Decision:
    """Keep a block apart from others; none of these pairs is flagged again while their texts are unchanged.

    Raises:
        NotFoundError, UsageError, StaleWriteError: as for `merge`.
    """
    return _decide_apart(context, by, Verb.KEEP_APART, a, others)


def conflict(context: Context, by: By, a: str, others: Sequence[str]) -> Decision:
    """Mark a block as contradicting others: all stay, linked, and are not flagged again.

    Raises:
        NotFoundError, UsageError, StaleWriteError: as for `merge`.
    """
    return _decide_apart(context, by, Verb.CONFLICT, a, others)


def split(
    context: Context, by: By, block: str, leaving: Sequence[str], edits: str = "", copies: Copies | None = None
) -> Decision:
    """Move members out of a block into one of their own; both sides are kept apart from then on.

    Args:
        context: wired ports.
        by: author of the decision.
        block: id of a block.
        leaving: ids of the leaving members, some but not all of them.
        edits: "stay" or "go", for an edited block: the side that the edits belong to.
        copies: where a later copy of a text goes that stands on both sides; ASK by default.

    Raises:
        UsageError: no member or every member would leave, one is not of the block, `edits` is missing, or `copies` is
            given though no text stands on both sides.
        NotFoundError, StaleWriteError: as for `merge`.
    """
    return _split(context, by, block, leaving, SplitTerms(edits, copies))


@dataclass(frozen=True, slots=True)
class SplitTerms:
    """What goes along with a split: edits, later copies of equal texts, and its reason."""

    edits: str = ""
    copies: Copies | None = None
    because: str = "split"


def _split(context: Context, by: By, block: str, leaving: Sequence[str], terms: SplitTerms) -> Decision:
    def make() -> tuple[DecisionDraft, Sequence[Block]]:
        whole = canonical_block(context, block)
        members = context.store.ledger.members(list(whole.members))
        going = _leaving_members(members, leaving, _edits_of(context, members), terms.edits)
        staying = [m for id_, m in members.items() if id_ not in going]
        if not staying:
            raise UsageError("a split cannot move all texts of a block; choose only some of them")
        pairs = pairs_of([members[id_] for id_ in going], staying)
        is_equal = any(low == high for low, high in pairs)
        if terms.copies is not None and not is_equal:
            raise UsageError("the two sides have no text in common; omit copies, as later copies join their own side")
        copies = (terms.copies or Copies.ASK) if is_equal else None
        detail = Detail(because=terms.because, pairs=pairs, copies=copies)
        return _draft(Verb.SPLIT, by, whole.collection, sorted(going), detail), (whole,)

    return commit_decision(context, by, RequestContent(Verb.SPLIT, (block, *leaving)), make)


def edit(context: Context, by: By, block: str, written: str) -> Decision:
    """Replace the text of a block; the new text joins it as a member, and the earlier members stay.

    Raises:
        UsageError: the text is empty, too long, or the block's already.
        NotFoundError, StaleWriteError: as for `merge`.
    """
    content = written.strip().replace("\r\n", "\n")
    if not content or len(content) > MAX_EDIT_CHARS:
        raise UsageError(f"a block's text must have 1 to {MAX_EDIT_CHARS} characters, not {len(content)}")
    ledger = context.store.ledger
    with ledger.exclusive():
        if (previous := previous_decision(context, by, RequestContent(Verb.EDIT, (block,)))) is not None:
            return previous
        whole = canonical_block(context, block)
        check_unchanged(by, whole)
        if content == whole.text:
            raise UsageError("the block already has this text")
        member = _store_edit(context, by, whole, content)
        detail = Detail(because="edit", set_aside=whole.members)
        draft = _draft(Verb.EDIT, by, whole.collection, (member.id, *whole.members), detail)
        (decision,) = ledger.append([draft])
        rebuild_blocks(context, whole.collection, draft.members)
        mark_active(context, by.actor)
    return decision


def _differs(context: Context, by: By, a: Block, b: Block) -> str:
    """Return how the texts of a flag's pair differ, for a decision that settles it; else empty."""
    return differs_by(accord_between(context, a, b)).value if by.flag is not None else ""


def _distinct_blocks(context: Context, a: str, b: str) -> tuple[Block, Block]:
    one, two = canonical_block(context, a), canonical_block(context, b)
    if one.id == two.id:
        raise UsageError(f"{a} and {b} are already one block ({one.id})")
    if one.collection != two.collection:
        raise UsageError(
            f"{a} belongs to collection {one.collection!r}, {b} to {two.collection!r}; blocks of different collections"
            " cannot be combined"
        )
    return one, two


def _decide_apart(context: Context, by: By, verb: Verb, a: str, others: Sequence[str]) -> Decision:
    def make() -> tuple[DecisionDraft, Sequence[Block]]:
        if not others:
            raise UsageError("name at least one block to keep it apart from")
        other_blocks = [_distinct_blocks(context, a, other)[1] for other in others]
        one = canonical_block(context, a)
        ledger = context.store.ledger
        texts = [m for b in other_blocks for m in ledger.members([b.id]).values()]
        pairs = pairs_of(list(ledger.members([one.id]).values()), texts)
        # A reviewer sees the first two side by side; the others stand in a list.
        members = [one.id, *(b.id for b in other_blocks)]
        detail = Detail(because=verb, pairs=pairs, differs=_differs(context, by, other_blocks[0], one))
        return _draft(verb, by, one.collection, members, detail), (one, other_blocks[0])

    return commit_decision(context, by, RequestContent(verb, (a, *others)), make)


def _edits_of(context: Context, members: dict[str, Member]) -> set[str]:
    return {
        d.members[0]
        for d in context.store.ledger.concerning(sorted(members))
        if d.verb is Verb.EDIT and d.live and d.members[0] in members
    }


def _leaving_members(members: dict[str, Member], leaving: Sequence[str], edited: set[str], edits: str) -> set[str]:
    going = set(leaving)
    if not going or not going <= members.keys():
        unknown = ", ".join(sorted(going - members.keys())) or "none given"
        raise UsageError(f"not texts of the block: {unknown}; 'saidonce why' lists its texts")
    undecided = edited - going
    if undecided and edits not in ("stay", "go"):
        raise UsageError("the block has been edited; choose whether the edits stay or go (edits=stay or edits=go)")
    return going | undecided if edits == "go" else going


def _store_edit(context: Context, by: By, whole: Block, content: str) -> Member:
    """Store the text of an edit as a document of one segment, so that search and history find it like any other."""
    now, model = context.clock.now(), context.embedder.model
    of = context.store.ledger.members([whole.id])[whole.id]
    content_hash = text.content_hash(content, whole.kind is Kind.CODE)
    n_before = len(context.store.ledger.concerning([whole.id]))
    document_id = text.digest(context.store.org, "edit", whole.id, content, str(n_before), by.key)
    rows: tuple[Row, ...] = (
        tuple(tuple(line.split(" | ")) for line in content.splitlines()) if whole.kind is Kind.TABLE else ()
    )
    segment = Segment(
        id=text.digest(document_id, content), ordinal=0, kind=whole.kind, text=content,
        heading_path=whole.heading_path, page=None, language=whole.language, context=of.segment.context,
        n_tokens=context.embedder.count_tokens([content])[0], content_hash=content_hash, rows=rows,
        salience=of.segment.salience, section_role=of.segment.section_role,
    )  # fmt: skip
    member = Member(
        segment=segment, collection=whole.collection, document_id=document_id, document=f"edit {document_id[:12]}",
        title=whole.title, authored_at=None, dated_at=now, salience=whole.salience, boost=whole.boost,
        owner=whole.owner,
    )  # fmt: skip
    search = search_of(member, model)
    texts = {embedding_key(model, content): content}
    if segment.context:
        texts[search.context_key] = segment.context
    vectors = dict(zip(texts, context.embedder.embed(list(texts.values())), strict=True))
    context.store.put_document(
        DocumentWrite(
            document_id=document_id, collection=whole.collection, name=member.document,
            fingerprint=text.digest(document_id), settings_hash="",
            document=Document(whole.title, EDIT_FORMAT, (), whole.language, None, by.actor),
            segments=(segment,), fates=(SegmentFate(segment.id, Relation.KEPT, segment.id, 1.0),),
            blocks=(
                BlockDraft(
                    segment.id, whole.salience, whole.boost, search.terms, search.text_key, search.context_key
                ),
            ),
            embeddings=vectors,
        )
    )  # fmt: skip
    context.store.ledger.put_members(document_id, [member])
    return member


def approve(context: Context, by: By, block: str, approval: Approval = Approval.APPROVED) -> Decision:
    """Set the approval of a block; it lapses as soon as the set of its texts changes.

    Raises:
        NotFoundError, UsageError, StaleWriteError: as for `merge`.
    """

    def make() -> tuple[DecisionDraft, Sequence[Block]]:
        whole = canonical_block(context, block)
        detail = Detail(because=approval, approval=approval)
        return _draft(Verb.APPROVE, by, whole.collection, whole.members, detail), (whole,)

    return commit_decision(context, by, RequestContent(Verb.APPROVE, (block,)), make)


def set_owner(context: Context, by: By, block: str, owner: str) -> Decision:
    """Set the owner of a block.

    Raises:
        UsageError: the owner's name is empty.
        NotFoundError, StaleWriteError: as for `merge`.
    """
    if not owner.strip():
        raise UsageError("the owner must not be empty")

    def make() -> tuple[DecisionDraft, Sequence[Block]]:
        whole = canonical_block(context, block)
        detail = Detail(because="own", owner=owner.strip())
        return _draft(Verb.OWN, by, whole.collection, whole.members, detail), (whole,)

    return commit_decision(context, by, RequestContent(Verb.OWN, (block,)), make)


def dismiss(context: Context, by: By, flag: int) -> Decision:
    """Close a flag without a ruling on its texts; it is not raised again while they are unchanged.

    Raises:
        NotFoundError: there is no such flag.
        StaleWriteError: it was settled already.
    """

    def make() -> tuple[DecisionDraft, Sequence[Block]]:
        open_flag = _flag(context, flag)
        members = _members(context, open_flag)
        stored = context.store.ledger.members(members)
        candidate, others = members[0], members[1:]
        pairs = pairs_of((stored[m] for m in (candidate,) if m in stored), (stored[m] for m in others if m in stored))
        detail = Detail(because="dismiss", pairs=pairs)
        return _draft(Verb.DISMISS, by, open_flag.collection, members, detail, flag), ()

    return commit_decision(context, _with_flag(by, flag), RequestContent(Verb.DISMISS, about=flag), make)


def assign(context: Context, by: By, flag: int, to: str, due: str = "") -> Decision:
    """Assign an open flag to a person; an empty name unassigns it.

    Args:
        context: wired ports.
        by: who assigns it.
        flag: its number.
        to: the person.
        due: day by which the decision is wanted, as an ISO date; empty for none.

    Raises:
        NotFoundError: there is no such flag, or person where people are registered.
        UsageError: the day is no date.
        StaleWriteError: it was settled already.
    """
    day, person = checked_day(due), to.strip()
    check_assignable(person, context.store.people.people())

    def make() -> tuple[DecisionDraft, Sequence[Block]]:
        open_flag = _flag(context, flag)
        detail = Detail(because="assign", owner=person, due=day)
        return _draft(Verb.ASSIGN, by, open_flag.collection, _members(context, open_flag), detail, flag), ()

    return commit_decision(context, _with_flag(by, flag), RequestContent(Verb.ASSIGN, about=flag), make)


def checked_day(due: str) -> str:
    """Return a day as an ISO date; empty for none.

    Raises:
        UsageError: it is no date.
    """
    try:
        return date.fromisoformat(due.strip()).isoformat() if due.strip() else ""
    except ValueError:
        raise UsageError(f"{due[:40]!r} is not a date; use the form 2026-03-31") from None


def audit(context: Context, by: By, merge: int, wrong: bool) -> Decision:
    """Record whether an automatic merge, or another person's decision about a pair, was right; nothing is reverted.

    Raises:
        NotFoundError: there is no such decision.
        UsageError: it is neither, or one's own, or was judged before.
    """

    def make() -> tuple[DecisionDraft, Sequence[Block]]:
        decision = context.store.ledger.decision(merge)
        if decision is None:
            raise NotFoundError("decision", str(merge))
        if decision.actor == POLICY and decision.verb is not Verb.MERGE:
            raise UsageError(f"decision {merge} is not an automatic merge")
        if decision.actor != POLICY and decision.verb not in AUDITED:
            raise UsageError(f"decision {merge} is neither an automatic merge nor a person's decision about a pair")
        if decision.actor == by.actor:
            raise UsageError(f"decision {merge} is your own; somebody else has to audit it")
        if context.store.ledger.rulings_on([merge]):
            raise UsageError(f"decision {merge} has already been audited")
        detail = Detail(because="wrong" if wrong else "right", wrong=wrong)
        return _draft(Verb.AUDIT, by, decision.collection, decision.members, detail, merge), ()

    return commit_decision(context, By(by.actor, by.reason, by.key), RequestContent(Verb.AUDIT, about=merge), make)


def _with_flag(by: By, flag: int) -> By:
    return replace(by, flag=flag)


def _flag(context: Context, seq: int) -> Flag:
    flag = context.store.ledger.flag(seq)
    if flag is None:
        raise NotFoundError("pair", str(seq))
    return flag


def _members(context: Context, flag: Flag) -> tuple[str, ...]:
    decision = context.store.ledger.decision(flag.seq)
    assert decision is not None  # a flag is a decision
    return decision.members


def _draft(
    verb: Verb, by: By, collection: str, members: Sequence[str], detail: Detail, flag: int | None = None
) -> DecisionDraft:
    return DecisionDraft(
        verb=verb, collection=collection, members=tuple(members), actor=by.actor, reason=by.reason,
        flag=by.flag if flag is None else flag, detail=replace(detail, within=by.within), key=by.key,
    )  # fmt: skip


def derived_key(key: str, what: str) -> str:
    """Return an idempotency key for one of several decisions under a key; empty for an empty key."""
    return f"{key} {what}" if key else ""
