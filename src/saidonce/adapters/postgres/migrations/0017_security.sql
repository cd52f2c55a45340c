-- Keys that run out, and when they were used; and the log of security, which can only grow.

alter table api_key add column expires_at timestamptz;
alter table api_key add column used_at timestamptz;
alter table api_key add column addresses text[] not null default '{}';

-- What comes from an export has no secret, and fits none.
alter table api_key alter column hash set default '';
alter table channel alter column secret set default '';

create table security_event (
    org_id text collate "C" not null references org,
    n bigint not null check (n > 0),
    at timestamptz not null,
    kind text collate "C" not null,
    person text collate "C" not null,
    address text collate "C" not null,
    record json not null,
    primary key (org_id, n)
);
create index on security_event (org_id, kind, n);
create index on security_event (org_id, person, n);
alter table security_event enable row level security, force row level security;
create policy own_org on security_event to saidonce_app using (org_id = current_setting('saidonce.org', true));
grant select, insert on security_event to saidonce_app;

-- Neither does whoever owns the table, or rules the server, change it without saying so first.
create function only_grows() returns trigger
language plpgsql
as $$
begin
    raise exception 'the security log can only grow' using errcode = 'insufficient_privilege';
end
$$;
create trigger only_grows before update or delete or truncate on security_event
    for each statement execute function only_grows();
