"""The verbs that say which texts share a block: merge, keep apart, conflict, split, edit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from saidonce.errors import StaleWriteError, UsageError
from saidonce.foundation import text
from saidonce.foundation.context import Context
from saidonce.foundation.model import (
    Activity,
    Block,
    BlockDraft,
    Decision,
    DecisionDraft,
    Detail,
    Document,
    DocumentWrite,
    Golden,
    Keep,
    Kind,
    Member,
    Relation,
    Row,
    Segment,
    SegmentFate,
    Verb,
)
from saidonce.kb import survivorship
from saidonce.kb.canonical import embedding_key, search_of, settle
from saidonce.kb.review.command import (
    By,
    RequestContent,
    canonical_block,
    decided,
    pairs_of,
    repeated,
    seen,
    touch,
)

EDIT_FORMAT = "edit"
"""Format of the documents that hold what people wrote in place of a block's text."""

MAX_EDIT_CHARS = 100_000


def merge(context: Context, by: By, a: str, b: str, keep: Keep = Keep.NEWEST) -> Decision:
    """Make one block of two; nothing of either is lost, and `revert` takes it back.

    Args:
        base: wired ports.
        by: who decides.
        a: id of a block, present or former.
        b: id of another.
        keep: whose text the block has: the newest by date, or that of a or b whatever the dates.

    Raises:
        NotFoundError: an id stands for nothing.
        UsageError: both are one block already, or of different collections.
        StaleWriteError: a block is not as it was shown, or the flag was settled.
    """

    def make() -> tuple[DecisionDraft, Sequence[Block]]:
        one, two = _two(context, a, b)
        first, second = (two, one) if keep is Keep.B else (one, two)
        detail = Detail(
            because=f"keep_{keep}",
            set_aside=() if keep is Keep.NEWEST else second.members,
            activity=_activity(context, one, two),
        )
        return _draft(Verb.MERGE, by, (first, second), detail), (one, two)

    return decided(context, by, RequestContent(Verb.MERGE, (a, b)), make)


def preview(context: Context, a: Block, b: Block, keep: Keep = Keep.NEWEST) -> Golden:
    """Give the block that merging two would make now, without doing it.

    Raises:
        StaleWriteError: both are gone.
    """
    members = context.store.ledger.members([*a.members, *b.members])
    if not members:
        raise StaleWriteError("somebody decided about these blocks just now; look again")
    standing = survivorship.fold(context.store.ledger.family(sorted(members)))
    snapshot = {each.owner: each for each in _activity(context, a, b)}
    standing = replace(standing, activity={**standing.activity, **snapshot})
    chosen = {Keep.A: a, Keep.B: b}.get(keep)
    if chosen is not None:
        other = b if chosen is a else a
        aside = dict.fromkeys(other.members, frozenset({chosen.id}))
        standing = survivorship.set_aside(standing, aside)
    return survivorship.join(list(members.values()), standing)


def keep_apart(context: Context, by: By, a: str, others: Sequence[str]) -> Decision:
    """Say that a block is not the same as others; none of these pairs is asked about again while their texts stand.

    Raises:
        NotFoundError, UsageError, StaleWriteError: as for `merge`.
    """
    return _apart(context, by, Verb.KEEP_APART, a, others)


def conflict(context: Context, by: By, a: str, others: Sequence[str]) -> Decision:
    """Say that a block contradicts others: all stay, linked, and are not asked about again.

    Raises:
        NotFoundError, UsageError, StaleWriteError: as for `merge`.
    """
    return _apart(context, by, Verb.CONFLICT, a, others)


def split(
    context: Context, by: By, block: str, leaving: Sequence[str], edits: str = "", because: str = "split"
) -> Decision:
    """Take members out of a block into one of their own; what goes and what stays is kept apart from then on.

    Args:
        base: wired ports.
        by: who decides.
        block: id of a block.
        leaving: ids of the members that leave, some but not all of them.
        edits: "stay" or "go", where people edited the block since: which side their texts belong to.
        because: what the split was for.

    Raises:
        UsageError: nobody or everybody would leave, a member is not the block's, or it is not said where edits go.
        NotFoundError, StaleWriteError: as for `merge`.
    """

    def make() -> tuple[DecisionDraft, Sequence[Block]]:
        whole = canonical_block(context, block)
        members = context.store.ledger.members(list(whole.members))
        going = _going(members, leaving, _edits_of(context, members), edits)
        staying = [m for id_, m in members.items() if id_ not in going]
        if not staying:
            raise UsageError("all texts of the block would leave it; name some of them")
        pairs = pairs_of([members[id_] for id_ in going], staying)
        detail = Detail(because=because, pairs=pairs)
        return (
            DecisionDraft(
                verb=Verb.SPLIT, collection=whole.collection, members=tuple(sorted(going)), actor=by.actor,
                reason=by.reason, flag=by.flag, detail=detail, key=by.key,
            ),
            (whole,),
        )  # fmt: skip

    return decided(context, by, RequestContent(Verb.SPLIT, (block, *leaving)), make)


def edit(context: Context, by: By, block: str, written: str) -> Decision:
    """Give a block a text that a person wrote; it joins the block as a member, and those before stay in it.

    Raises:
        UsageError: the text is empty, too long, or the block's already.
        NotFoundError, StaleWriteError: as for `merge`.
    """
    content = written.strip().replace("\r\n", "\n")
    if not content or len(content) > MAX_EDIT_CHARS:
        raise UsageError(f"a block's text has 1 to {MAX_EDIT_CHARS} characters, not {len(content)}")
    ledger = context.store.ledger
    with ledger.exclusive():
        if (known := repeated(context, by, RequestContent(Verb.EDIT, (block,)))) is not None:
            return known
        whole = canonical_block(context, block)
        if by.seen and by.seen != seen(whole):
            raise StaleWriteError("somebody decided about this in the meantime; look at it again")
        if content == whole.text:
            raise UsageError("this is the block's text already")
        member = _written(context, by, whole, content)
        draft = DecisionDraft(
            verb=Verb.EDIT, collection=whole.collection, members=(member.id, *whole.members), actor=by.actor,
            reason=by.reason, flag=by.flag, detail=Detail(because="edit", set_aside=whole.members), key=by.key,
        )  # fmt: skip
        (decision,) = ledger.append([draft])
        settle(context, whole.collection, draft.members)
        touch(context, by.actor)
    return decision


def _activity(context: Context, one: Block, two: Block) -> tuple[Activity, ...]:
    """How active the owners of two blocks are now, as a merge of them notes it."""
    return tuple(context.store.people.activity(sorted({one.owner, two.owner} - {""})))


def _two(context: Context, a: str, b: str) -> tuple[Block, Block]:
    one, two = canonical_block(context, a), canonical_block(context, b)
    if one.id == two.id:
        raise UsageError(f"{a} and {b} are one block already ({one.id})")
    if one.collection != two.collection:
        raise UsageError(f"{a} is of collection {one.collection!r}, {b} of {two.collection!r}; blocks never cross")
    return one, two


def _apart(context: Context, by: By, verb: Verb, a: str, others: Sequence[str]) -> Decision:
    def make() -> tuple[DecisionDraft, Sequence[Block]]:
        if not others:
            raise UsageError("name at least one block to keep it apart from")
        found = [_two(context, a, other)[1] for other in others]
        one = canonical_block(context, a)
        ledger = context.store.ledger
        texts = [m for b in found for m in ledger.members([b.id]).values()]
        pairs = pairs_of(list(ledger.members([one.id]).values()), texts)
        # What a reviewer was shown side by side is the first two; the others stood in a list.
        return _draft(verb, by, (one, *found), Detail(because=verb, pairs=pairs)), (one, found[0])

    return decided(context, by, RequestContent(verb, (a, *others)), make)


def _draft(verb: Verb, by: By, blocks: Sequence[Block], detail: Detail) -> DecisionDraft:
    return DecisionDraft(
        verb=verb, collection=blocks[0].collection, members=tuple(b.id for b in blocks), actor=by.actor,
        reason=by.reason, flag=by.flag, detail=detail, key=by.key,
    )  # fmt: skip


def _edits_of(context: Context, members: dict[str, Member]) -> set[str]:
    return {
        d.members[0]
        for d in context.store.ledger.concerning(sorted(members))
        if d.verb is Verb.EDIT and d.live and d.members[0] in members
    }


def _going(members: dict[str, Member], leaving: Sequence[str], edited: set[str], edits: str) -> set[str]:
    going = set(leaving)
    if not going or not going <= members.keys():
        unknown = ", ".join(sorted(going - members.keys())) or "none was named"
        raise UsageError(f"these are not texts of the block: {unknown}; 'saidonce why' lists them")
    undecided = edited - going
    if undecided and edits not in ("stay", "go"):
        raise UsageError("people edited this block since; say whether their texts stay or go (edits=stay or edits=go)")
    return going | undecided if edits == "go" else going


def _written(context: Context, by: By, whole: Block, content: str) -> Member:
    """Keep what a person wrote as a document of one segment, so that it is found and attributed like any other."""
    now, model = context.clock.now(), context.embedder.model
    of = context.store.ledger.members([whole.id])[whole.id]
    content_hash = text.content_hash(content)
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
    wanted = {embedding_key(model, content): content}
    if segment.context:
        wanted[search.context_key] = segment.context
    vectors = dict(zip(wanted, context.embedder.embed(list(wanted.values())), strict=True))
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
