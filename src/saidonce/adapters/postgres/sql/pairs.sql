-- add_texts: enters the texts of blocks that are new
insert into pair_text (org_id, text_id, model)
select distinct org_id, text_id, model from block
where org_id = current_setting('saidonce.org') and block_id = any(%(ids)s)
on conflict do nothing;

-- texts_of_blocks: the texts of some blocks
select distinct text_id from block where org_id = current_setting('saidonce.org') and block_id = any(%(ids)s);

-- gone_texts: those of some texts that no block has
select t.text_id
from unnest(%(texts)s::text[]) as wanted (text_id)
join pair_text t on t.org_id = current_setting('saidonce.org') and t.text_id = wanted.text_id
where not exists (select from block b where b.org_id = t.org_id and b.text_id = t.text_id);

-- unlist: lets those wait for a new list whose full lists hold texts that are about to go
with losing as (
    select p.a as owner from pair p
    where p.org_id = current_setting('saidonce.org') and p.in_a and p.b = any(%(texts)s)
    union
    select p.b from pair p
    where p.org_id = current_setting('saidonce.org') and p.in_b and p.a = any(%(texts)s)
)
update pair_text t set listed_from = 2
from losing l
where t.org_id = current_setting('saidonce.org') and t.text_id = l.owner and %(most)s <= (
    select count(*) from pair p where p.org_id = t.org_id and p.a = t.text_id and p.in_a
) + (
    select count(*) from pair p where p.org_id = t.org_id and p.b = t.text_id and p.in_b
);

-- drop_texts: removes texts with their pairs
delete from pair_text where org_id = current_setting('saidonce.org') and text_id = any(%(texts)s);

-- pair_step: how often lists were written
select pair_step from org where org_id = current_setting('saidonce.org');

-- count_step: counts a write of lists
update org set pair_step = pair_step + 1 where org_id = current_setting('saidonce.org') returning pair_step;

-- count_texts: how many texts there are
select count(*) from pair_text where org_id = current_setting('saidonce.org');

-- unlisted: texts of a model that wait for a list
select text_id from pair_text
where org_id = current_setting('saidonce.org') and model = %(model)s and listed_from > %(similarity_from)s
order by text_id;

-- full_lists: the similarity of the farthest text in each full list
select owner, min(similarity)
from (
    select a as owner, similarity from pair where org_id = current_setting('saidonce.org') and in_a
    union all
    select b, similarity from pair where org_id = current_setting('saidonce.org') and in_b
) listed
group by owner having count(*) >= %(most)s;

-- known_texts: those of some texts that are there
select t.text_id
from unnest(%(texts)s::text[]) as wanted (text_id)
join pair_text t on t.org_id = current_setting('saidonce.org') and t.text_id = wanted.text_id;

-- put_pairs: adds pairs to lists
insert into pair (org_id, a, b, similarity, in_a, in_b)
select current_setting('saidonce.org'), p.*
from unnest(%(a)s::text[], %(b)s::text[], %(similarities)s::float8[], %(in_a)s::bool[], %(in_b)s::bool[]) as p
on conflict (org_id, a, b) do update set in_a = pair.in_a or excluded.in_a, in_b = pair.in_b or excluded.in_b;

-- lists: the lists of some texts, most similar first
select owner, other, similarity
from (
    select p.a as owner, p.b as other, p.similarity from unnest(%(owners)s::text[]) as wanted (text_id)
    join pair p on p.org_id = current_setting('saidonce.org') and p.a = wanted.text_id and p.in_a
    union all
    select p.b, p.a, p.similarity from unnest(%(owners)s::text[]) as wanted (text_id)
    join pair p on p.org_id = current_setting('saidonce.org') and p.b = wanted.text_id and p.in_b
) listed
order by owner, similarity desc, other;

-- leave_lists: takes pairs out of lists
update pair p set in_a = p.in_a and not l.in_a, in_b = p.in_b and not l.in_b
from unnest(%(a)s::text[], %(b)s::text[], %(in_a)s::bool[], %(in_b)s::bool[]) as l (a, b, in_a, in_b)
where p.org_id = current_setting('saidonce.org') and p.a = l.a and p.b = l.b;

-- drop_unlisted: removes those of some pairs that are in no list
delete from pair p
using unnest(%(a)s::text[], %(b)s::text[]) as l (a, b)
where p.org_id = current_setting('saidonce.org') and p.a = l.a and p.b = l.b and not p.in_a and not p.in_b;

-- set_listed: notes that texts have their lists
update pair_text set listed_from = %(similarity_from)s
where org_id = current_setting('saidonce.org') and text_id = any(%(texts)s);

-- unjudged: pairs that nobody has compared, or others than those who would now
select * from (
    (
        select a, b, similarity, guards, agreement, objections::json, unaccounted::json, judge, judged, answers::json from pair
        where org_id = current_setting('saidonce.org') and guards < %(guards)s
        order by guards, similarity desc, a, b limit %(limit)s
    )
    union all
    (
        select a, b, similarity, guards, agreement, objections::json, unaccounted::json, judge, judged, answers::json from pair
        where org_id = current_setting('saidonce.org') and guards > %(guards)s
        order by guards, similarity desc, a, b limit %(limit)s
    )
    union all
    (
        select a, b, similarity, guards, agreement, objections::json, unaccounted::json, judge, judged, answers::json from pair
        where org_id = current_setting('saidonce.org') and guards = %(guards)s and agreement = 'open'
            and judge is distinct from %(judge)s
        order by similarity desc, a, b limit %(limit)s
    )
) waiting
order by guards, similarity desc, a, b limit %(limit)s;

-- words: what some texts say, each by the first block that has it
select distinct on (b.text_id) b.text_id, s.text
from unnest(%(texts)s::text[]) as wanted (text_id)
join block b on b.org_id = current_setting('saidonce.org') and b.text_id = wanted.text_id
join segment s on s.org_id = b.org_id and s.segment_id = b.block_id
order by b.text_id, b.block_id;

-- put_answers: notes what comparisons found
update pair p set guards = n.guards, agreement = n.agreement, objections = n.objections,
    unaccounted = n.unaccounted, judge = n.judge, judged = n.judged, answers = n.answers
from unnest(%(a)s::text[], %(b)s::text[], %(guards)s::text[], %(agreement)s::text[], %(objections)s::text[],
    %(unaccounted)s::text[], %(judge)s::text[], %(judged)s::text[], %(answers)s::text[])
    as n (a, b, guards, agreement, objections, unaccounted, judge, judged, answers)
where p.org_id = current_setting('saidonce.org') and p.a = n.a and p.b = n.b;

-- pairs_among: pairs both of whose texts are among some
select p.a, p.b, p.similarity, p.guards, p.agreement, p.objections::json, p.unaccounted::json, p.judge, p.judged,
    p.answers::json
from unnest(%(texts)s::text[]) as wanted (text_id)
join pair p on p.org_id = current_setting('saidonce.org') and p.a = wanted.text_id and p.b = any(%(texts)s)
order by p.a, p.b;

-- near_block: blocks near a live one, each by its text
select p.a as "pair.a", p.b as "pair.b", p.similarity as "pair.similarity", p.guards as "pair.guards",
    p.agreement as "pair.agreement", p.objections::json as "pair.objections",
    p.unaccounted::json as "pair.unaccounted", p.judge as "pair.judge", p.judged as "pair.judged",
    p.answers::json as "pair.answers",
    p.a = m.text_id as is_a, o.block_id, o.n_blocks
from block m
join lateral (
    select * from pair p where p.org_id = m.org_id and p.a = m.text_id
    union all
    select * from pair p where p.org_id = m.org_id and p.b = m.text_id
) p on true
join lateral (
    select min(b.block_id) as block_id, count(*) as n_blocks from block b
    where b.org_id = m.org_id and b.text_id = case when p.a = m.text_id then p.b else p.a end
) o on true
where m.org_id = current_setting('saidonce.org') and m.block_id = %(block_id)s
order by p.similarity desc, p.a, p.b;

-- pair_counts: how many texts and pairs there are, and how many wait
select t.n_texts, t.n_unlisted, p.n_pairs, p.n_unjudged
from (
    select count(*) as n_texts, count(*) filter (where listed_from > %(similarity_from)s) as n_unlisted
    from pair_text where org_id = current_setting('saidonce.org')
) t, (
    select count(*) as n_pairs, count(*) filter (
        where guards <> %(guards)s or agreement = 'open' and judge is distinct from %(judge)s
    ) as n_unjudged
    from pair where org_id = current_setting('saidonce.org')
) p;

-- all_pairs: all pairs by their texts
select a, b, similarity, guards, agreement, objections::json, unaccounted::json, judge, judged, answers::json from pair
where org_id = current_setting('saidonce.org') order by a, b;

-- drop_pairs: removes all pairs
delete from pair where org_id = current_setting('saidonce.org');

-- unlist_all: lets every text wait for its list
update pair_text set listed_from = 2 where org_id = current_setting('saidonce.org') and listed_from < 2;
