-- Gates: what they keep, what they said, and what was spent on it.

create table gate (
    org_id text collate "C" not null references org,
    name text collate "C" not null,
    parts text not null,
    model text collate "C" not null,
    dim integer not null,
    made_at timestamptz not null,
    primary key (org_id, name)
);

-- One row a submission. The record tells everything; the columns beside it are what is searched and counted.
create table gate_verdict (
    org_id text collate "C" not null,
    verdict_id text collate "C" not null,
    gate text collate "C" not null,
    key text collate "C" not null,
    state text not null,
    reason text not null,
    band text not null,
    asked boolean not null,
    cached boolean not null,
    failure text not null,
    override_by text not null,
    similarity double precision not null,
    duration_ms bigint not null,
    ruling_ms bigint not null,
    n_tokens bigint not null,
    cost double precision not null,
    at timestamptz not null,
    due_at timestamptz,
    rev bigint not null,
    record text not null,
    primary key (org_id, verdict_id),
    foreign key (org_id, gate) references gate
);
create unique index on gate_verdict (org_id, gate, key) where key <> '';
create index on gate_verdict (org_id, gate, rev, verdict_id);
create index on gate_verdict (org_id, rev, verdict_id);
create index on gate_verdict (org_id, due_at, verdict_id) where state = 'pending';

-- What a gate compares newcomers with. Of an admission only its release ever changes.
create table admission (
    org_id text collate "C" not null,
    admission_id text collate "C" not null,
    gate text collate "C" not null,
    verdict_id text collate "C" not null,
    submission text not null,
    partition text collate "C" not null,
    text text not null,
    content_hash text collate "C" not null,
    language text not null,
    shown text not null,
    at timestamptz not null,
    released_at timestamptz,
    rev bigint not null,
    primary key (org_id, admission_id),
    foreign key (org_id, gate) references gate
);
create index on admission (org_id, gate, rev, admission_id);

create table admission_vector (
    org_id text collate "C" not null,
    admission_id text collate "C" not null,
    vector vector not null,
    primary key (org_id, admission_id),
    foreign key (org_id, admission_id) references admission
) with (toast_tuple_target = 8160);
alter table admission_vector alter column vector set storage main;

-- The log of the pipeline: the program may read it and append to it, and nothing else.
create table gate_event (
    org_id text collate "C" not null,
    seq bigint not null check (seq > 0),
    gate text collate "C" not null,
    verdict_id text collate "C" not null,
    act text not null,
    actor text not null,
    detail text not null,
    at timestamptz not null,
    primary key (org_id, seq),
    foreign key (org_id, gate) references gate
);
create index on gate_event (org_id, verdict_id, seq) where verdict_id <> '';
create index on gate_event (org_id, gate, seq);

create table gate_ruling (
    org_id text collate "C" not null references org,
    key text collate "C" not null,
    ruling text not null,
    primary key (org_id, key)
);

create table gate_budget (
    org_id text collate "C" not null references org,
    day date not null,
    n_calls bigint not null,
    cost double precision not null,
    primary key (org_id, day)
);

do $$
declare
    name text;
begin
    foreach name in array array[
        'gate', 'gate_verdict', 'admission', 'admission_vector', 'gate_event', 'gate_ruling', 'gate_budget'
    ] loop
        execute format('alter table %I enable row level security, force row level security', name);
        execute format(
            'create policy own_org on %I to saidonce_app using (org_id = current_setting(''saidonce.org'', true))', name
        );
        execute format('grant select, insert on %I to saidonce_app', name);
        if name <> 'gate_event' then
            execute format('grant update, delete on %I to saidonce_app', name);
        end if;
    end loop;
end
$$;

-- The worker rules for every organisation that has something pending: it learns their names, and nothing else.
create policy read_for_worker on gate_verdict for select to saidonce_reader using (true);
grant select (org_id, state, due_at) on gate_verdict to saidonce_reader;

create function orgs_with_pending() returns setof text
language sql stable security definer
set search_path = {schema}, pg_catalog, pg_temp
as $$
    select distinct org_id from gate_verdict where state = 'pending' and due_at <= now() order by org_id
$$;

grant create on schema {schema} to saidonce_reader;
alter function orgs_with_pending owner to saidonce_reader;
revoke create on schema {schema} from saidonce_reader;
revoke execute on function orgs_with_pending from public;
grant execute on function orgs_with_pending to saidonce_app;
