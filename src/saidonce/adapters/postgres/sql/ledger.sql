-- last_decision: number and hash of the newest decision
select seq, hash from decision where org_id = current_setting('saidonce.org') order by seq desc limit 1;

-- decisions_by_key: decisions that have idempotency keys
select seq, verb, collection, members, actor, reason, at, flag, reverts, detail::json, policy, certificate, key, live, previous,
    hash
from decision where org_id = current_setting('saidonce.org') and key <> '' and key = any(%(keys)s);

-- decisions_by_seq: decisions by their numbers
select seq, verb, collection, members, actor, reason, at, flag, reverts, detail::json, policy, certificate, key, live, previous,
    hash
from decision where org_id = current_setting('saidonce.org') and seq = any(%(seqs)s::bigint[]) order by seq;

-- stand: writes down whether some decisions hold
update decision d set live = s.live
from unnest(%(seqs)s::bigint[], %(live)s::boolean[]) as s (seq, live)
where d.org_id = current_setting('saidonce.org') and d.seq = s.seq;

-- turn: tells anew whether a decision holds: it does unless a revert that holds names it
update decision d set live = not exists (
    select from decision r where r.org_id = d.org_id and r.reverts = d.seq and r.live
)
where d.org_id = current_setting('saidonce.org') and d.seq = %(seq)s
returning d.live;

-- recent: decisions of some verbs, newest first
select seq, verb, collection, members, actor, reason, at, flag, reverts, detail::json, policy, certificate, key, live, previous,
    hash
from decision
where org_id = current_setting('saidonce.org') and (%(verbs)s::text[] is null or verb = any(%(verbs)s))
    and (%(before)s::bigint is null or seq < %(before)s)
order by seq desc
limit %(limit)s;

-- family: live decisions about who shares a block with some members, and about those; edits that were taken back too
with recursive reached (segment_id) as (
    select unnest(%(ids)s::text[]) collate "C"
    union
    select other.segment_id
    from reached
    join concern c on c.org_id = current_setting('saidonce.org') and c.segment_id = reached.segment_id and c.joins
    join decision d on d.org_id = c.org_id and d.seq = c.seq and d.live
    join concern other on other.org_id = c.org_id and other.seq = c.seq
)
select d.seq, d.verb, d.collection, d.members, d.actor, d.reason, d.at, d.flag, d.reverts, d.detail::json, d.policy,
    d.certificate, d.key, d.live, d.previous, d.hash
from (
    select distinct c.seq from reached
    join concern c on c.org_id = current_setting('saidonce.org') and c.segment_id = reached.segment_id
) named
join decision d on d.org_id = current_setting('saidonce.org') and d.seq = named.seq
where d.verb = 'edit' or (d.live and d.verb in ('merge', 'split', 'approve', 'own'))
order by d.seq;

-- concerning: all decisions that name one of some members
select d.seq, d.verb, d.collection, d.members, d.actor, d.reason, d.at, d.flag, d.reverts, d.detail::json, d.policy,
    d.certificate, d.key, d.live, d.previous, d.hash
from (
    select distinct c.seq from concern c
    where c.org_id = current_setting('saidonce.org') and c.segment_id = any(%(ids)s)
) named
join decision d on d.org_id = current_setting('saidonce.org') and d.seq = named.seq
order by d.seq;

-- flags_of: live flags that name one of some members
select d.seq, d.verb, d.collection, d.members, d.actor, d.reason, d.at, d.flag, d.reverts, d.detail::json, d.policy,
    d.certificate, d.key, d.live, d.previous, d.hash
from (
    select distinct c.seq from concern c
    where c.org_id = current_setting('saidonce.org') and c.segment_id = any(%(ids)s)
) named
join decision d on d.org_id = current_setting('saidonce.org') and d.seq = named.seq
where d.verb = 'flag' and d.live
order by d.seq;

-- rulings_on: live decisions that settle or assign flags
select seq, verb, collection, members, actor, reason, at, flag, reverts, detail::json, policy, certificate, key, live, previous,
    hash
from decision where org_id = current_setting('saidonce.org') and flag = any(%(flags)s::bigint[]) and live order by seq;

-- within: decisions that are parts of bulk decisions, rules or reverts
select seq, verb, collection, members, actor, reason, at, flag, reverts, detail::json, policy, certificate, key, live, previous,
    hash
from decision
where org_id = current_setting('saidonce.org') and detail like '%%"within":%%'
    and (detail::json ->> 'within')::bigint = any(%(seqs)s::bigint[])
order by seq;

-- open_on: open flags about some blocks
select f.seq, f.collection, f.candidate, f."of", f.because, f.worth, f.is_open as open, f.assignee, f.resolved_by,
    coalesce(d.detail::json -> 'near', '[]') as near
from flag f
join decision d on d.org_id = f.org_id and d.seq = f.seq
where f.org_id = current_setting('saidonce.org') and f.is_open and f.seq in (
    select c.seq from member m
    join concern c on c.org_id = m.org_id and c.segment_id = m.segment_id
    where m.org_id = current_setting('saidonce.org') and m.block_id = any(%(blocks)s)
        and m.segment_id in (f.candidate, f."of")
)
order by f.seq;

-- add_apart: keeps pairs of texts apart
insert into apart (org_id, collection, low, high, seq)
select current_setting('saidonce.org'), %(collection)s, p.low, p.high, %(seq)s
from unnest(%(lows)s::text[], %(highs)s::text[]) as p (low, high)
on conflict do nothing;

-- drop_apart: forgets what a decision kept apart
delete from apart where org_id = current_setting('saidonce.org') and seq = %(seq)s;

-- apart: pairs kept apart that name one of some texts
select low, high from apart
where org_id = current_setting('saidonce.org') and collection = %(collection)s and low = any(%(hashes)s)
union
select low, high from apart
where org_id = current_setting('saidonce.org') and collection = %(collection)s and high = any(%(hashes)s);

-- put_members: notes the members of a document; the moment one first came in stays
insert into member (org_id, segment_id, collection, document_id, content_hash, salience, boost, owner, dated_at, block_id,
    similarity)
select current_setting('saidonce.org'), m.segment_id, m.collection, m.document_id, m.content_hash, m.salience, m.boost,
    m.owner, m.dated_at, m.block_id, m.similarity
from json_populate_recordset(null::member, %(rows)s::json) m
on conflict (org_id, segment_id) do update set salience = excluded.salience, boost = excluded.boost, owner = excluded.owner;

-- drop_members: takes away those members of a document that are not wanted any more
delete from member
where org_id = current_setting('saidonce.org') and document_id = %(document_id)s and segment_id <> all(%(ids)s)
returning segment_id;

-- members: live members with their segments
select {segment_columns},
    {member_columns}, {sender} as sender
from member m
join segment s on s.org_id = m.org_id and s.segment_id = m.segment_id
join document d on d.org_id = m.org_id and d.document_id = m.document_id
join version v on v.org_id = d.org_id and v.document_id = d.document_id and v.version = d.version
join placement p on p.org_id = m.org_id and p.segment_id = m.segment_id and p.version = d.version
where m.org_id = current_setting('saidonce.org') and m.segment_id = any(%(ids)s)
order by m.segment_id;

-- member_ids: live members of documents or of blocks
select segment_id from member
where org_id = current_setting('saidonce.org') and document_id = any(%(documents)s)
union
select segment_id from member
where org_id = current_setting('saidonce.org') and block_id = any(%(blocks)s)
order by 1;

-- blocks_before: the blocks of some members, with their digests
select b.block_id, b.digest from block b
where b.org_id = current_setting('saidonce.org') and b.block_id in (
    select unnest(%(ids)s::text[])
    union
    select m.block_id from member m where m.org_id = current_setting('saidonce.org') and m.segment_id = any(%(ids)s)
);

-- place_members: tells members their blocks
update member m set block_id = p.block_id, similarity = p.similarity
from unnest(%(ids)s::text[], %(blocks)s::text[], %(similarities)s::float8[]) as p (segment_id, block_id, similarity)
where m.org_id = current_setting('saidonce.org') and m.segment_id = p.segment_id
    and (m.block_id, m.similarity) is distinct from (p.block_id, p.similarity);

-- retire_members: tells members that no block has them
update member set block_id = ''
where org_id = current_setting('saidonce.org') and segment_id = any(%(ids)s) and block_id <> '';

-- kept: canonical blocks as the ladder sees them
select b.block_id as id, s.text as "candidate.text", s.content_hash as "candidate.content_hash",
    s.kind as "candidate.kind", b.language as "candidate.language", p.section_role as "candidate.section_role",
    p.place as "candidate.place", coalesce(s.heading_path[array_upper(s.heading_path, 1)], '') as "candidate.section",
    s.rows::json as "candidate.rows", {sender} as "candidate.sender", w.dated_at as "candidate.dated_at", b.owner,
    array(
        select distinct x.heading_path[array_upper(x.heading_path, 1)] collate "C" from placement q
        join document e on e.org_id = q.org_id and e.document_id = q.document_id and e.version = q.version
        join segment x on x.org_id = q.org_id and x.segment_id = q.segment_id
        where q.org_id = b.org_id and q."of" = any(b.members) and q."of" <> '' and x.heading_path <> '{}'
        order by 1
    ) as "candidate.also_under",
    array(
        select distinct m.document_id from member m where m.org_id = b.org_id and m.block_id = b.block_id
    ) as document_ids,
    array(
        select distinct m.content_hash from member m where m.org_id = b.org_id and m.block_id = b.block_id
    ) as hashes
from block b
join member w on w.org_id = b.org_id and w.segment_id = b.block_id
join segment s on s.org_id = b.org_id and s.segment_id = b.block_id
join document d on d.org_id = b.org_id and d.document_id = b.document_id
join version v on v.org_id = d.org_id and v.document_id = d.document_id and v.version = d.version
join placement p on p.org_id = b.org_id and p.segment_id = b.block_id and p.version = d.version
where b.org_id = current_setting('saidonce.org') and b.block_id = any(%(ids)s);

-- same_content: blocks that a member of a content hash supports
select distinct content_hash, block_id from member
where org_id = current_setting('saidonce.org') and collection = %(collection)s and content_hash = any(%(hashes)s)
    and block_id <> ''
order by content_hash, block_id;

-- put_flags: notes what flags have come to
insert into flag (org_id, seq, collection, candidate, "of", because, worth, is_open, assignee, resolved_by)
select current_setting('saidonce.org'), f.seq, f.collection, f.candidate, f."of", f.because, f.worth, f.is_open, f.assignee,
    f.resolved_by
from json_populate_recordset(null::flag, %(rows)s::json) f
on conflict (org_id, seq) do update set "of" = excluded."of", worth = excluded.worth, is_open = excluded.is_open, assignee = excluded.assignee,
    resolved_by = excluded.resolved_by;

-- queue: flags by worth
select f.seq, f.collection, f.candidate, f."of", f.because, f.worth, f.is_open as open, f.assignee, f.resolved_by,
    coalesce(d.detail::json -> 'near', '[]') as near
from flag f
join decision d on d.org_id = f.org_id and d.seq = f.seq
where f.org_id = current_setting('saidonce.org')
    and (%(open)s::boolean is null or f.is_open = %(open)s)
    and (%(collections)s::text[] is null or f.collection = any(%(collections)s))
    and (%(assignee)s = '' or f.assignee = %(assignee)s)
    and (%(because)s = '' or f.because = %(because)s)
    and (%(worth)s::float8 is null or f.worth < %(worth)s or (f.worth = %(worth)s and f.seq > %(seq)s))
order by f.worth desc, f.seq
limit %(limit)s;

-- one_flag: a flag by its number
select f.seq, f.collection, f.candidate, f."of", f.because, f.worth, f.is_open as open, f.assignee, f.resolved_by,
    coalesce(d.detail::json -> 'near', '[]') as near
from flag f
join decision d on d.org_id = f.org_id and d.seq = f.seq
where f.org_id = current_setting('saidonce.org') and f.seq = %(seq)s;

-- n_flags: how many flags there are
select count(*) from flag f
where f.org_id = current_setting('saidonce.org')
    and (%(open)s::boolean is null or f.is_open = %(open)s)
    and (%(collections)s::text[] is null or f.collection = any(%(collections)s))
    and (%(assignee)s = '' or f.assignee = %(assignee)s)
    and (%(because)s = '' or f.because = %(because)s);

-- present_blocks: where members are now
select segment_id, block_id from member
where org_id = current_setting('saidonce.org') and segment_id = any(%(ids)s) and block_id <> '';

-- dump_decision: the log
select seq, verb, collection, members, actor, reason, at, flag, reverts, detail::json, policy, certificate, key, live, previous,
    hash
from decision where org_id = current_setting('saidonce.org') order by seq;

-- dump_member: members by id
select segment_id, collection, document_id, content_hash, salience, boost, owner, dated_at, block_id, similarity
from member where org_id = current_setting('saidonce.org') order by segment_id;

-- dump_flag: flags by number
select seq, collection, candidate, "of", because, worth, is_open, assignee, resolved_by
from flag where org_id = current_setting('saidonce.org') order by seq;
