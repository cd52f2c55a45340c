-- Second opinions on pairs that wait for a person. The program may read them and add to them, and nothing else.

create table opinion (
    org_id text collate "C" not null,
    seq bigint not null check (seq > 0),
    flag bigint not null,
    texts text collate "C" not null,
    adjudicator text not null,
    outcome text not null,
    likelihood double precision,
    n_failed bigint not null,
    ruling text not null,
    at timestamptz not null,
    primary key (org_id, seq),
    foreign key (org_id, flag) references decision
);
create index on opinion (org_id, flag, seq desc);
create index on opinion (org_id, outcome);

alter table opinion enable row level security, force row level security;
create policy own_org on opinion to saidonce_app using (org_id = current_setting('saidonce.org', true));
grant select, insert on opinion to saidonce_app;

-- The worker asks for every organisation in which a pair waits: it learns their names, and nothing else.
create policy read_for_worker on flag for select to saidonce_reader using (true);
grant select (org_id, is_open) on flag to saidonce_reader;

create function orgs_in_doubt() returns setof text
language sql stable security definer
set search_path = {schema}, pg_catalog, pg_temp
as $$
    select distinct org_id from flag where is_open order by org_id
$$;

grant create on schema {schema} to saidonce_reader;
alter function orgs_in_doubt owner to saidonce_reader;
revoke create on schema {schema} from saidonce_reader;
revoke execute on function orgs_in_doubt from public;
grant execute on function orgs_in_doubt to saidonce_app;
