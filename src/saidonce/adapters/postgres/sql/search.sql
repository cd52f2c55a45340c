-- vectors: embeddings by their keys
select wanted.key, e.vector
from (select distinct unnest(%(keys)s::text[])) as wanted (key)
cross join lateral (
    select vector from embedding where org_id = current_setting('saidonce.org') and key = wanted.key offset 0
) e;

-- changes: blocks of a model changed after a revision, and its tombstones, in order
select * from (
    select {known_columns}, {block_mark} as mark
    from block b
    where b.org_id = current_setting('saidonce.org') and b.model = %(model)s and b.rev > %(since)s
    union all
    select {gone_columns}, 0 from gone
    where org_id = current_setting('saidonce.org') and model = %(model)s and rev > %(since)s
) changed
order by rev, block_id;

-- has_changed: whether there is anything of that
select exists (
    select from block where org_id = current_setting('saidonce.org') and model = %(model)s and rev > %(since)s
) or exists (
    select from gone where org_id = current_setting('saidonce.org') and model = %(model)s and rev > %(since)s
);

-- marks: how many blocks of a model there are, and the sum of their marks
select count(*), mod(coalesce(sum({block_mark}), 0), 18446744073709551616)
from block b
where b.org_id = current_setting('saidonce.org') and b.model = %(model)s;

-- identity: the cluster and its history, the database and the file of its blocks
select concat_ws('-', c.system_identifier, k.timeline_id, d.oid, pg_relation_filenode('block'))
from pg_control_system() c, pg_control_checkpoint() k, pg_database d
where d.datname = current_database();

-- blocks: live blocks with their segments, each looked up by its keys, whatever the statistics say
select {live_columns}
from unnest(%(ids)s::text[]) as wanted (id)
cross join lateral (
    select * from block where org_id = current_setting('saidonce.org') and block_id = wanted.id offset 0
) b
{looked_up_of_block}
cross join lateral (
    select * from placement p
    where p.org_id = b.org_id and p.segment_id = b.block_id and p.version = d.version offset 0
) p;

-- block_texts: the words of live blocks, looked up in the same way
select b.block_id as id, v.title, s.heading_path, s.text, b.language
from unnest(%(ids)s::text[]) as wanted (id)
cross join lateral (
    select org_id, block_id, document_id, language from block
    where org_id = current_setting('saidonce.org') and block_id = wanted.id offset 0
) b
{looked_up_of_block};

-- attributions: the segments that support blocks, by the member that each stands for; each looked up by its keys,
-- whatever the statistics say
select coalesce(m.block_id, p."of") as block_id, s.segment_id as "it.segment_id", s.document_id as "it.document_id",
    d.name as "it.document", v.title as "it.title",
    case when is_merged.yes then 'merged' else p.relation end as "it.relation",
    case when is_merged.yes then m.similarity else p.similarity end as "it.similarity", p.ordinal as "it.ordinal",
    p.page as "it.page", p.place as "it.place", s.heading_path as "it.heading_path", s.text as "it.text",
    {sender} as "it.sender"
from (select distinct unnest(%(members)s::text[])) as wanted ("of")
cross join lateral (
    select * from placement where org_id = current_setting('saidonce.org') and "of" = wanted."of" and "of" <> '' offset 0
) p
left join lateral (
    select block_id, similarity from member where org_id = p.org_id and segment_id = p."of" offset 0
) m on true
cross join lateral (
    select p."of" <> coalesce(m.block_id, p."of") and p.relation = 'kept' as yes
) is_merged
cross join lateral (
    select name from document
    where org_id = p.org_id and document_id = p.document_id and version = p.version offset 0
) d
cross join lateral (
    select * from version
    where org_id = p.org_id and document_id = p.document_id and version = p.version offset 0
) v
cross join lateral (
    select * from segment where org_id = p.org_id and segment_id = p.segment_id offset 0
) s;

-- scan: nearest blocks by the database's own exact scan
select b.block_id, -(e.vector <#> %(query)b::vector) as similarity
from block b
join embedding e on e.org_id = b.org_id and e.key = b.text_key
where b.org_id = current_setting('saidonce.org') and b.model = %(model)s
    and {passes_filters}
order by similarity desc, b.block_id
limit %(limit)s;

-- pool: how many blocks the searched collections hold and how many terms these have; below, each asked term that is
-- known, with its id and the blocks that contain it
select term, n, n_of from (
    select 0 as part, null as term, coalesce(sum(n_blocks), 0)::bigint as n, coalesce(sum(n_terms), 0)::bigint as n_of
    from collection
    where org_id = current_setting('saidonce.org')
        and (%(collections)s::text[] is null or name = any(%(collections)s))
    union all
    select 1, t.term, t.term_id, sum(c.n_blocks)::bigint
    from term t
    join term_count c on c.org_id = t.org_id and c.term_id = t.term_id
    where t.org_id = current_setting('saidonce.org') and t.term = any(%(terms)s)
        and (%(collections)s::text[] is null or c.collection = any(%(collections)s))
    group by t.term, t.term_id
) pool
order by part;

-- lexical: blocks that contain all asked terms or one of the rare ones; numbers in the binary form of arrays
select block_ids, array_send(n_terms) as n_terms, array_send(counts) as counts
from lexical_rows(
    %(asked)s::bigint[], %(rare)s::bigint[], {filters}
);

-- headings: blocks under titles and headings like the query
select b.block_id, h.similarity::float8
from similar_headings(%(query)s) h
cross join lateral (
    select b.block_id from block b
    where b.org_id = current_setting('saidonce.org') and b.heading_key = h.heading_key
        and {passes_filters}
    order by b.block_id
    limit %(limit)s
) b
order by h.similarity desc, b.block_id
limit %(limit)s;

-- corrections: known terms like the asked ones
select distinct on (s.place) s.place, s.term
from similar_terms(%(asked)s::text[]) s
join lateral (
    select sum(c.n_blocks) as n_blocks from term_count c
    where c.org_id = current_setting('saidonce.org') and c.term_id = s.term_id
        and (%(collections)s::text[] is null or c.collection = any(%(collections)s))
) n on n.n_blocks > 0
order by s.place, s.similarity desc, n.n_blocks desc, s.term;
