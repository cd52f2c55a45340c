-- The held list: how far people are with each verdict, who is to decide, and what each reason is called now.
-- Records stay as they were written; the columns say what is derived from them.

alter table gate_verdict no force row level security;
alter table gate_verdict
    add column judge text collate "C" not null default '',
    add column held text collate "C" not null default '',
    add column assignee text collate "C" not null default '',
    add column decision_id text collate "C" not null default '',
    add column retry_of text collate "C" not null default '';

update gate_verdict set judge = coalesce(record::json #>> '{ruling,adjudicator}', '') where asked;
update gate_verdict set held = 'open' where reason = 'vetoed' and override_by = '';
update gate_verdict set reason = case
    when reason = 'vetoed' then 'ruled_duplicate'
    when reason = 'override' and override_by = 'escape hatch' then 'escape_hatch'
    when reason <> 'no_ruling' or not asked then reason
    when failure in ('unreachable', 'timeout', 'refused', 'circuit_open', 'budget') then 'away'
    when failure <> '' then failure
    when record::json #>> '{ruling,opinion}' = 'unsure' then 'unsure'
    else 'malformed'
end
where reason in ('vetoed', 'override', 'no_ruling');
update gate_verdict set held = case
    when override_by <> '' then 'let_through'
    when reason = 'ruled_duplicate' then 'ruled'
    else 'open'
end
where state = 'ruled' and held = '' and override_by <> 'escape hatch' and reason <> 'same_content'
    and (override_by <> '' or record::json #>> '{verdict,outcome}' <> 'distinct');
alter table gate_verdict force row level security;

create index gate_verdict_held on gate_verdict (org_id, held, at, verdict_id) where held <> '';
create index gate_verdict_decided on gate_verdict (org_id, decision_id) where decision_id <> '';
create index gate_verdict_retried on gate_verdict (org_id, retry_of) where retry_of <> '';

alter table gate_event add column decision text collate "C" not null default '';

-- What waits is counted for every organisation: the figures learn names, reasons, numbers and age, and nothing else.
grant select (org_id, held, reason, at) on gate_verdict to saidonce_reader;

create function held_by_org() returns table (org text, reason text, n bigint, oldest_at timestamptz)
language sql stable security definer
set search_path = {schema}, pg_catalog, pg_temp
as $$
    select org_id, v.reason, count(*), min(v.at) from gate_verdict v where v.held = 'open'
    group by org_id, v.reason order by org_id, v.reason
$$;

grant create on schema {schema} to saidonce_reader;
alter function held_by_org owner to saidonce_reader;
revoke create on schema {schema} from saidonce_reader;
revoke execute on function held_by_org from public;
grant execute on function held_by_org to saidonce_app;
