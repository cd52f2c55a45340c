-- phase: expand
-- Sources that collections are kept in step with, and what was seen of their files.

create table sync_source (
    org_id text collate "C" not null references org,
    source_id text collate "C" not null,
    collection text collate "C" not null,
    next_at timestamptz,
    record json not null,
    primary key (org_id, source_id)
);
create index on sync_source (next_at) where next_at is not null;

create table sync_entry (
    org_id text collate "C" not null,
    source_id text collate "C" not null,
    name text collate "C" not null,
    mark text not null,
    fingerprint text collate "C" not null,
    refused text not null,
    settings text collate "C" not null,
    primary key (org_id, source_id, name),
    foreign key (org_id, source_id) references sync_source on delete cascade
);
create index on sync_entry (org_id, name);

alter table sync_source enable row level security, force row level security;
alter table sync_entry enable row level security, force row level security;
create policy own_org on sync_source to saidonce_app using (org_id = current_setting('saidonce.org', true));
create policy own_org on sync_entry to saidonce_app using (org_id = current_setting('saidonce.org', true));
grant select, insert, update, delete on sync_source, sync_entry to saidonce_app;

-- A worker learns whose sources are due, and nothing else.
create policy read_for_worker on sync_source for select to saidonce_reader using (true);
grant select (org_id, next_at) on sync_source to saidonce_reader;

create function orgs_with_syncs_due(at timestamptz) returns setof text
language sql stable security definer
set search_path = {schema}, pg_catalog, pg_temp
as $$
    select distinct org_id from sync_source where next_at <= at order by org_id
$$;

grant create on schema {schema} to saidonce_reader;
alter function orgs_with_syncs_due owner to saidonce_reader;
revoke create on schema {schema} from saidonce_reader;
revoke execute on function orgs_with_syncs_due from public;
grant execute on function orgs_with_syncs_due to saidonce_app;
