-- An alarm stays until a person acknowledges it: which ones wait is queried, and who is called about them is kept.

alter table emergency
    add column acknowledged_at timestamptz,
    add column exhausted_at timestamptz;

drop index if exists emergency_org_id_at_inbound_seq_event_id_idx;
create index on emergency (org_id, at, inbound_seq, event_id)
    where replied and state <> 'dismissed' and (alerted_at is null or issue_id = '' or acknowledged_at is null);

create table call_out (
    org_id text collate "C" not null,
    scope text collate "C" not null check (scope in ('organisation', 'building', 'home')),
    subject text collate "C" not null,
    record json not null,
    primary key (org_id, scope, subject)
);

alter table call_out enable row level security, force row level security;
create policy own_org on call_out to saidonce_app using (org_id = current_setting('saidonce.org', true));
grant select, insert, delete on call_out to saidonce_app;

-- Whose alarms wait, and whose notices were given up: a server warns of them, and learns nothing but numbers.

create policy read_for_worker on notice for select to saidonce_reader using (true);
grant select (org_id, n_tries, delivered_at) on notice to saidonce_reader;
grant select (at, acknowledged_at, exhausted_at) on emergency to saidonce_reader;

set local role saidonce_reader;
drop function orgs_with_conversations;
reset role;

create function orgs_with_conversations(at timestamptz default now()) returns setof text
language sql stable security definer
set search_path = {schema}, pg_catalog, pg_temp
as $$
    select org_id from conversation where ready_at <= at
    union
    select org_id from inbound where not scanned
    union
    select org_id from waiting_media where due_at <= at
    union
    select org_id from outbox where state in ('queued', 'sending', 'unknown')
    union
    select org_id from emergency
        where replied and state <> 'dismissed' and (alerted_at is null or issue_id = '' or acknowledged_at is null)
    order by 1
$$;

create function org_troubles(tries integer) returns table (
    org text, n_alarms bigint, oldest_at timestamptz, n_exhausted bigint, n_given_up bigint
)
language sql stable security definer
set search_path = {schema}, pg_catalog, pg_temp
as $$
    with waiting as (
        select e.org_id, count(*) as n, min(e.at) as oldest, count(e.exhausted_at) as n_exhausted from emergency e
        where e.replied and e.state in ('suspected', 'validated') and e.acknowledged_at is null group by e.org_id
    ), given_up as (
        select t.org_id, count(*) as n from notice t
        where t.n_tries >= tries and t.delivered_at is null group by t.org_id
    )
    select org_id, coalesce(waiting.n, 0), waiting.oldest, coalesce(waiting.n_exhausted, 0), coalesce(given_up.n, 0)
    from waiting full join given_up using (org_id) order by org_id
$$;

grant create on schema {schema} to saidonce_reader;
alter function orgs_with_conversations owner to saidonce_reader;
alter function org_troubles owner to saidonce_reader;
revoke create on schema {schema} from saidonce_reader;
revoke execute on function orgs_with_conversations, org_troubles from public;
grant execute on function orgs_with_conversations, org_troubles to saidonce_app;
