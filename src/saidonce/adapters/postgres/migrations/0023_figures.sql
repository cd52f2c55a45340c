-- phase: expand
-- What the whole base holds, as numbers, for the figures that operators watch: every organisation, no text of any.

-- How the last run of a source ended stands in its record, which the figures may not read.
alter table sync_source add column state text collate "C" not null generated always as (
    case
        when record #>> '{last,started_at}' is null then 'new'
        when coalesce(record #>> '{last,error}', '') <> '' then 'failed'
        when coalesce(record #>> '{last,n_refused}', '0') <> '0' then 'refused'
        else 'ok'
    end
) stored;

create policy read_for_worker on counter for select to saidonce_reader using (true);
create policy read_for_worker on decision for select to saidonce_reader using (true);
create policy read_for_worker on document for select to saidonce_reader using (true);
create policy read_for_worker on version for select to saidonce_reader using (true);
grant select (org_id, name, value) on counter to saidonce_reader;
grant select (org_id, seq, at) on decision to saidonce_reader;
grant select (org_id, document_id, version) on document to saidonce_reader;
grant select (org_id, document_id, version, format, n_segments) on version to saidonce_reader;
grant select (seq, because) on flag to saidonce_reader;
grant select (state) on sync_source to saidonce_reader;
grant select (due_at) on conversation to saidonce_reader;
grant select (state) on issue to saidonce_reader;

create function figures_by_org(at timestamptz) returns table (org text, name text, part text, n double precision)
language sql stable security definer
set search_path = {schema}, pg_catalog, pg_temp
as $$
    select d.org_id, 'documents', v.format, count(*)::float8
    from document d join version v using (org_id, document_id, version) group by d.org_id, v.format
    union all
    select d.org_id, 'segments', '', sum(v.n_segments)::float8
    from document d join version v using (org_id, document_id, version) group by d.org_id
    union all
    select b.org_id, 'blocks', '', count(*)::float8 from block b group by b.org_id
    union all
    select b.org_id, 'max_boost', '', max(b.boost) from block b group by b.org_id
    union all
    select c.org_id, 'counter', c.name, c.value from counter c
    union all
    select f.org_id, 'queue', f.because, count(*)::float8 from flag f where f.is_open group by f.org_id, f.because
    union all
    select f.org_id, 'queue_oldest_s', '', greatest(extract(epoch from figures_by_org.at - min(d.at)), 0)::float8
    from flag f join decision d using (org_id, seq) where f.is_open group by f.org_id
    union all
    select s.org_id, 'syncs', s.state, count(*)::float8 from sync_source s group by s.org_id, s.state
    union all
    select s.org_id, 'syncs_late_s', '', extract(epoch from figures_by_org.at - min(s.next_at))::float8
    from sync_source s where s.next_at < figures_by_org.at group by s.org_id
    union all
    select g.org_id, 'verdicts', case when g.state <> 'ruled' then g.state else g.reason end, count(*)::float8
    from gate_verdict g group by 1, 3
    union all
    select c.org_id, 'conversations', case when c.due_at is null then 'quiet' else 'waiting' end, count(*)::float8
    from conversation c group by 1, 3
    union all
    select i.org_id, 'issues', i.state, count(*)::float8 from issue i group by i.org_id, i.state
    order by 1, 2, 3
$$;

grant create on schema {schema} to saidonce_reader;
alter function figures_by_org owner to saidonce_reader;
revoke create on schema {schema} from saidonce_reader;
revoke execute on function figures_by_org from public;
grant execute on function figures_by_org to saidonce_app;
