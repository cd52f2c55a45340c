-- scan: nearest blocks by the database's own exact scan
select b.block_id, -(e.vector <#> %(query)b::vector) as similarity
from block b
join embedding e on e.org_id = b.org_id and e.key = b.text_key
where b.org_id = current_setting('saidonce.org') and b.model = %(model)s
    and (%(collections)s::text[] is null or b.collection = any(%(collections)s))
    and (%(documents)s::text[] is null or b.documents && %(documents)s)
    and (%(kinds)s::text[] is null or b.kind = any(%(kinds)s))
    and (%(languages)s::text[] is null or b.language = any(%(languages)s))
    and (%(since)s::timestamptz is null or b.authored_at >= %(since)s)
    and (%(until)s::timestamptz is null or b.authored_at <= %(until)s)
order by similarity desc, b.block_id
limit %(limit)s;

-- pool_size: how many blocks the searched collections hold, and how many terms these have
select coalesce(sum(n_blocks), 0)::bigint, coalesce(sum(n_terms), 0)::bigint from collection
where org_id = current_setting('saidonce.org')
    and (%(collections)s::text[] is null or name = any(%(collections)s));

-- containing: how many blocks of the searched collections contain each term
select t.term, t.term_id, sum(c.n_blocks)::bigint
from term t
join term_count c on c.org_id = t.org_id and c.term_id = t.term_id
where t.org_id = current_setting('saidonce.org') and t.term = any(%(terms)s)
    and (%(collections)s::text[] is null or c.collection = any(%(collections)s))
group by t.term, t.term_id;

-- lexical: blocks that contain all asked terms or one of the rare ones
select block_ids, n_terms, counts
from lexical_rows(
    %(asked)s::bigint[], %(rare)s::bigint[], %(collections)s::text[], %(documents)s::text[], %(kinds)s::text[],
    %(languages)s::text[], %(since)s::timestamptz, %(until)s::timestamptz
);

-- headings: blocks under titles and headings like the query
select b.block_id, h.similarity::float8
from similar_headings(%(query)s) h
cross join lateral (
    select b.block_id from block b
    where b.org_id = current_setting('saidonce.org') and b.heading_key = h.heading_key
        and (%(collections)s::text[] is null or b.collection = any(%(collections)s))
        and (%(documents)s::text[] is null or b.documents && %(documents)s)
        and (%(kinds)s::text[] is null or b.kind = any(%(kinds)s))
        and (%(languages)s::text[] is null or b.language = any(%(languages)s))
        and (%(since)s::timestamptz is null or b.authored_at >= %(since)s)
        and (%(until)s::timestamptz is null or b.authored_at <= %(until)s)
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
