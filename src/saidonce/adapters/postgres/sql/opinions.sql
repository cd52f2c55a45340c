-- last_opinion: number of the newest opinion
select coalesce(max(seq), 0) from opinion where org_id = current_setting('saidonce.org');

-- latest_opinions: the newest opinion on each of some flags
select distinct on (flag) seq, flag, texts, adjudicator, ruling::json, n_failed, at from opinion
where org_id = current_setting('saidonce.org') and flag = any(%(flags)s::bigint[])
order by flag, seq desc;

-- opinions_of: all opinions on some flags, oldest first
select seq, flag, texts, adjudicator, ruling::json, n_failed, at from opinion
where org_id = current_setting('saidonce.org') and flag = any(%(flags)s::bigint[])
order by seq;

-- opinion_outcomes: how many opinions came out how
select outcome, count(*) from opinion where org_id = current_setting('saidonce.org') group by outcome order by outcome;

-- queue_by_likelihood: flags by how likely the newest opinion holds them for duplicates
select f.seq, f.collection, f.candidate, f."of", f.because, f.worth, f.is_open as open, f.assignee, f.resolved_by,
    coalesce(d.detail::json -> 'near', '[]') as near
from flag f
join decision d on d.org_id = f.org_id and d.seq = f.seq
cross join lateral (
    select coalesce((
        select o.likelihood from opinion o where o.org_id = f.org_id and o.flag = f.seq order by o.seq desc limit 1
    ), -1) as place
) o
where f.org_id = current_setting('saidonce.org')
    and (%(open)s::boolean is null or f.is_open = %(open)s)
    and (%(collections)s::text[] is null or f.collection = any(%(collections)s))
    and (%(assignee)s = '' or f.assignee = %(assignee)s)
    and (%(because)s = '' or f.because = %(because)s)
    and (%(worth)s::float8 is null or o.place < %(worth)s or (o.place = %(worth)s and f.seq > %(seq)s))
order by o.place desc, f.seq
limit %(limit)s;

-- dump_opinion: opinions for an export
select seq, flag, texts, adjudicator, n_failed, ruling::json, at from opinion
where org_id = current_setting('saidonce.org') order by seq;
