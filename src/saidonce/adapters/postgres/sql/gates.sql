-- make_gate: makes a gate if its name is free
insert into gate (org_id, name, parts, model, dim, made_at)
values (current_setting('saidonce.org'), %(name)s, %(parts)s, %(model)s, %(dim)s, %(made_at)s)
on conflict do nothing;

-- gates: gates by name
select name, parts::json as fields, model, dim, made_at from gate
where org_id = current_setting('saidonce.org') and (%(names)s::text[] is null or name = any(%(names)s)) order by name;

-- change_gate: puts a gate under another model
update gate set model = %(model)s, dim = %(dim)s where org_id = current_setting('saidonce.org') and name = %(name)s;

-- write_gate: adds verdicts, or gives them a new state, adds admissions with their vectors and entries of the log, and
-- counts the write; what is not lasting need not be on the disk when its transaction ends
with verdicts as (
    insert into gate_verdict (org_id, verdict_id, gate, key, state, reason, band, asked, cached, failure, override_by,
        similarity, duration_ms, ruling_ms, n_tokens, cost, at, due_at, rev, record, judge, held, assignee, decision_id,
        retry_of)
    select g.org_id, v.verdict_id, v.gate, v.key, v.state, v.reason, v.band, v.asked, v.cached, v.failure,
        v.override_by, v.similarity, v.duration_ms, v.ruling_ms, v.n_tokens, v.cost, v.at, v.due_at, v.rev, v.record,
        v.judge, v.held, v.assignee, v.decision_id, v.retry_of
    from json_populate_recordset(null::gate_verdict, %(verdicts)s::json) v
    join gate g on g.org_id = current_setting('saidonce.org') and g.name = v.gate
    on conflict (org_id, verdict_id) do update set state = excluded.state, reason = excluded.reason,
        band = excluded.band, asked = excluded.asked, cached = excluded.cached, failure = excluded.failure,
        override_by = excluded.override_by, similarity = excluded.similarity, duration_ms = excluded.duration_ms,
        ruling_ms = excluded.ruling_ms, n_tokens = excluded.n_tokens, cost = excluded.cost, due_at = excluded.due_at,
        rev = excluded.rev, record = excluded.record, judge = excluded.judge, held = excluded.held,
        assignee = excluded.assignee, decision_id = excluded.decision_id, retry_of = excluded.retry_of
    returning 1
), admissions as (
    insert into admission (org_id, admission_id, gate, verdict_id, submission, partition, text, content_hash, language,
        shown, at, released_at, rev)
    select g.org_id, a.admission_id, a.gate, a.verdict_id, a.submission, a.partition, a.text, a.content_hash,
        a.language, a.shown, a.at, a.released_at, a.rev
    from json_populate_recordset(null::admission, %(admissions)s::json) a
    join gate g on g.org_id = current_setting('saidonce.org') and g.name = a.gate
    returning 1
), vectors as (
    insert into admission_vector (org_id, admission_id, vector)
    select g.org_id, v.admission_id, v.vector
    from unnest(%(vector_ids)s::text[], %(vectors)b::vector[]) as v (admission_id, vector)
    join json_populate_recordset(null::admission, %(admissions)s::json) a using (admission_id)
    join gate g on g.org_id = current_setting('saidonce.org') and g.name = a.gate and g.dim = vector_dims(v.vector)
    returning 1
), events as (
    insert into gate_event (org_id, seq, gate, verdict_id, act, actor, detail, at, decision)
    select g.org_id, e.seq + (select coalesce(max(seq), 0) from gate_event where org_id = g.org_id), e.gate,
        e.verdict_id, e.act, e.actor, e.detail, e.at, e.decision
    from json_populate_recordset(null::gate_event, %(events)s::json) e
    join gate g on g.org_id = current_setting('saidonce.org') and g.name = e.gate
    returning 1
), counted as (
    update org set rev = %(rev)s where org_id = current_setting('saidonce.org')
)
select (select count(*) from verdicts), (select count(*) from admissions), (select count(*) from vectors),
    (select count(*) from events), set_config(
        'synchronous_commit', case when %(lasting)s then current_setting('synchronous_commit') else 'off' end, true
    );

-- verdict: one verdict
select record from gate_verdict where org_id = current_setting('saidonce.org') and verdict_id = %(id)s;

-- find_verdicts: ids of verdicts that start with a prefix
select verdict_id from gate_verdict
where org_id = current_setting('saidonce.org') and starts_with(verdict_id, %(prefix)s) and verdict_id >= %(prefix)s
order by verdict_id limit %(limit)s;

-- verdicts: verdicts, newest first
select record from gate_verdict
where org_id = current_setting('saidonce.org') and (%(gate)s::text is null or gate = %(gate)s)
    and (%(state)s::text is null or state = %(state)s)
    and (%(reasons)s::text[] is null or reason = any(%(reasons)s)) and (%(before)s::bigint is null or rev < %(before)s)
order by rev desc, verdict_id
limit %(limit)s;

-- held_verdicts: verdicts that people are asked about, oldest first
select record from gate_verdict
where org_id = current_setting('saidonce.org') and held = any(%(states)s) and held <> ''
    and (%(gate)s::text is null or gate = %(gate)s)
    and (%(reasons)s::text[] is null or reason = any(%(reasons)s))
    and (%(judge)s::text is null or starts_with(judge, %(judge)s))
    and (%(assignee)s::text is null or assignee = %(assignee)s)
    and (%(before)s::timestamptz is null or at < %(before)s)
    and (%(after_at)s::timestamptz is null or (at, verdict_id) > (%(after_at)s, %(after_id)s))
order by at, verdict_id
limit %(limit)s;

-- n_held: how many verdicts people are asked about
select count(*) from gate_verdict
where org_id = current_setting('saidonce.org') and held = any(%(states)s) and held <> ''
    and (%(gate)s::text is null or gate = %(gate)s)
    and (%(reasons)s::text[] is null or reason = any(%(reasons)s))
    and (%(judge)s::text is null or starts_with(judge, %(judge)s))
    and (%(assignee)s::text is null or assignee = %(assignee)s)
    and (%(before)s::timestamptz is null or at < %(before)s);

-- held_counts: how many verdicts people are or were asked about
select gate, held as state, reason, judge, assignee, count(*) as n, min(at) as oldest_at from gate_verdict
where org_id = current_setting('saidonce.org') and held <> '' and (%(gate)s::text is null or gate = %(gate)s)
group by gate, held, reason, judge, assignee
order by gate, held, reason, judge, assignee;

-- held_by_org: what gates hold for people in which organisation, of all
select org, reason, n, oldest_at from held_by_org();

-- decided_verdicts: verdicts on which a decision stands
select record from gate_verdict
where org_id = current_setting('saidonce.org') and decision_id = %(decision)s and decision_id <> ''
order by verdict_id;

-- retries: verdicts on later wordings
select record from gate_verdict
where org_id = current_setting('saidonce.org') and retry_of = any(%(ids)s) and retry_of <> ''
order by at, verdict_id;

-- wordings: live admissions that are other wordings of one
select admission_id from admission
where org_id = current_setting('saidonce.org') and released_at is null and starts_with(admission_id, %(prefix)s)
    and admission_id >= %(prefix)s and admission_id < %(end)s
order by admission_id;

-- log_of_gate: all verdicts of a gate, by id
select record from gate_verdict where org_id = current_setting('saidonce.org') and gate = %(gate)s order by verdict_id;

-- claim: takes up pending verdicts that are due
with due as (
    select verdict_id from gate_verdict
    where org_id = current_setting('saidonce.org') and state = 'pending' and due_at <= %(now)s
    order by due_at, verdict_id
    limit %(limit)s
)
update gate_verdict v set due_at = %(until)s from due
where v.org_id = current_setting('saidonce.org') and v.verdict_id = due.verdict_id
returning v.record;

-- renew_lease: puts off when pending verdicts are due
update gate_verdict set due_at = %(until)s
where org_id = current_setting('saidonce.org') and verdict_id = any(%(ids)s) and state = 'pending';

-- n_pending: pending verdicts
select count(*) from gate_verdict
where org_id = current_setting('saidonce.org') and state = 'pending' and (%(gate)s::text is null or gate = %(gate)s);

-- standing: how a gate stands, with the verdicts of idempotency keys
select rev, model, kept_rev, known from gate_standing(%(gate)s, %(keys)s::json);

-- kept_since: what a gate keeps and kept, as far as it changed, with the vectors of what it keeps
select a.admission_id, a.rev, a.released_at is null, a.partition, a.content_hash, v.vector
from admission a
left join admission_vector v on v.org_id = a.org_id and v.admission_id = a.admission_id and a.released_at is null
where a.org_id = current_setting('saidonce.org') and a.gate = %(gate)s and a.rev > %(since)s
order by a.rev, a.admission_id;

-- near_kept: what a gate keeps that may be among the nearest to a vector, or has the same content
with live as materialized (
    select a.admission_id, a.content_hash = %(content_hash)s as is_equal, v.vector <#> %(vector)b::vector as away
    from admission a join admission_vector v on v.org_id = a.org_id and v.admission_id = a.admission_id
    where a.org_id = current_setting('saidonce.org') and a.gate = %(gate)s and a.partition = %(partition)s
        and a.released_at is null
), farthest as (
    select coalesce(max(away), 0) + %(slack)s as away from (select away from live order by away limit %(k)s) nearest
)
select l.admission_id, l.is_equal, v.vector
from live l cross join farthest f cross join lateral (
    select vector from admission_vector v
    where v.org_id = current_setting('saidonce.org') and v.admission_id = l.admission_id limit 1
) v
where l.away <= f.away or l.is_equal
order by l.admission_id;

-- kept_rev: the newest revision of what a gate keeps
select coalesce(max(rev), 0) from admission where org_id = current_setting('saidonce.org') and gate = %(gate)s;

-- n_changes: how much a gate keeps and kept, counted up to a number
select count(*) from (
    select from admission where org_id = current_setting('saidonce.org') and gate = %(gate)s limit %(most)s
) counted;

-- admissions: admissions by id
select a.admission_id as "admission.id", a.gate as "admission.gate", a.verdict_id as "admission.verdict_id",
    a.submission::json as "admission.submission", a.partition as "admission.partition",
    a.text as "admission.candidate.text", a.content_hash as "admission.candidate.content_hash",
    a.language as "admission.candidate.language", a.shown::json as "admission.candidate.fields",
    a.at as "admission.at", a.released_at as "admission.released_at", a.rev
from unnest(%(ids)s::text[]) as wanted (id)
join admission a on a.org_id = current_setting('saidonce.org') and a.admission_id = wanted.id;

-- admissions_of_gate: live admissions of a gate, by id
select admission_id as "admission.id", gate as "admission.gate", verdict_id as "admission.verdict_id",
    submission::json as "admission.submission", partition as "admission.partition",
    text as "admission.candidate.text", content_hash as "admission.candidate.content_hash",
    language as "admission.candidate.language", shown::json as "admission.candidate.fields",
    at as "admission.at", released_at as "admission.released_at", rev
from admission where org_id = current_setting('saidonce.org') and gate = %(gate)s and released_at is null
order by admission_id;

-- n_admitted: live admissions of a gate
select count(*) from admission
where org_id = current_setting('saidonce.org') and gate = %(gate)s and released_at is null;

-- release_admission: keeps an admission no more
update admission set released_at = %(at)s, rev = %(rev)s
where org_id = current_setting('saidonce.org') and admission_id = %(id)s returning admission_id;

-- touch_admissions: gives the live admissions of a gate a new revision
update admission set rev = %(rev)s
where org_id = current_setting('saidonce.org') and gate = %(gate)s and released_at is null returning admission_id;

-- drop_vectors: removes vectors of admissions
delete from admission_vector where org_id = current_setting('saidonce.org') and admission_id = any(%(ids)s);

-- gate_events: entries of the log, newest first
select gate, verdict_id, act, actor, detail, at, seq, decision from gate_event
where org_id = current_setting('saidonce.org') and (%(gate)s::text is null or gate = %(gate)s)
    and (%(verdict_id)s::text is null or (verdict_id = %(verdict_id)s and verdict_id <> ''))
order by seq desc
limit %(limit)s;

-- gate_figures: what statistics need of the newest verdicts
-- Of an objection alone the reason does not tell whether it cleared: that depends on the settings of its day.
select state, reason, band, asked, cached, failure, override_by, similarity, duration_ms, ruling_ms, n_tokens, cost,
    override_by <> '' or case reason
        when 'objection' then record::json #>> '{verdict,outcome}' = 'distinct'
        else reason in ('no_matches', 'below_threshold', 'llm_cleared')
    end as is_through,
    at
from gate_verdict where org_id = current_setting('saidonce.org') and gate = %(gate)s
order by rev desc, verdict_id
limit %(limit)s;

-- rulings: remembered rulings
select key, ruling from gate_ruling where org_id = current_setting('saidonce.org') and key = any(%(keys)s);

-- remember_ruling: remembers a ruling; one that is known stays, unless it was reached anew; its review is over
with over as (
    delete from gate_review where org_id = current_setting('saidonce.org') and key = %(key)s
)
insert into gate_ruling (org_id, key, ruling) values (current_setting('saidonce.org'), %(key)s, %(ruling)s)
on conflict (org_id, key) do update set ruling = excluded.ruling where %(anew)s::boolean;

-- review_note: a review that an auto-rater was sent
select key, nonce, review, at from gate_review where org_id = current_setting('saidonce.org') and key = %(key)s;

-- note_review: notes a review
insert into gate_review (org_id, key, nonce, review, at)
values (current_setting('saidonce.org'), %(key)s, %(nonce)s, %(review)s, %(at)s)
on conflict (org_id, key) do update set nonce = excluded.nonce, review = excluded.review, at = excluded.at;

-- drop_review: drops the note of a review
delete from gate_review where org_id = current_setting('saidonce.org') and key = %(key)s;

-- spent: what was spent on a day
select n_calls, cost from gate_budget where org_id = current_setting('saidonce.org') and day = %(day)s;

-- spend: adds to what was spent on a day
insert into gate_budget (org_id, day, n_calls, cost)
values (current_setting('saidonce.org'), %(day)s, %(n_calls)s, %(cost)s)
on conflict (org_id, day) do update set n_calls = gate_budget.n_calls + excluded.n_calls,
    cost = gate_budget.cost + excluded.cost;

-- dump_gate: gates for an export
select name, parts::json as fields, model, dim, made_at from gate where org_id = current_setting('saidonce.org') order by name;

-- dump_gate_verdict: verdicts for an export
select verdict_id, gate, key, state, reason, band, asked, cached, failure, override_by, similarity, duration_ms,
    ruling_ms, n_tokens, cost, at, due_at, rev, record, judge, held, assignee, decision_id, retry_of
from gate_verdict where org_id = current_setting('saidonce.org') order by verdict_id;

-- dump_admission: admissions for an export
select admission_id as "admission.id", gate as "admission.gate", verdict_id as "admission.verdict_id",
    submission::json as "admission.submission", partition as "admission.partition",
    text as "admission.candidate.text", content_hash as "admission.candidate.content_hash",
    language as "admission.candidate.language", shown::json as "admission.candidate.fields",
    at as "admission.at", released_at as "admission.released_at", rev
from admission where org_id = current_setting('saidonce.org') order by admission_id;

-- dump_admission_vector: vectors of admissions for an export
select admission_id, vector from admission_vector where org_id = current_setting('saidonce.org') order by admission_id;

-- dump_gate_event: the pipeline's log for an export
select seq, gate, verdict_id, act, actor, detail, at, decision from gate_event
where org_id = current_setting('saidonce.org') order by seq;

-- dump_gate_ruling: remembered rulings for an export
select key, ruling from gate_ruling where org_id = current_setting('saidonce.org') order by key;

-- dump_gate_budget: what was spent, for an export
select day, n_calls, cost from gate_budget where org_id = current_setting('saidonce.org') order by day;
