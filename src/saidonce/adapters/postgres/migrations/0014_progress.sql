-- Issues have timers: reminders of visits, limits of time, letters to contractors. Their next moment is queried.

alter table issue add column wake_at timestamptz default '1970-01-01 00:00:00+00';

alter table issue no force row level security;
update issue set wake_at = null where state in ('done', 'cancelled');
alter table issue force row level security;

create index on issue (org_id, wake_at) where wake_at is not null;
create index on conversation (org_id, (record ->> 'tenancy_id'));

-- The worker learns in which organisations a timer has gone off, and nothing else.
create policy read_for_worker on issue for select to saidonce_reader using (true);
grant select (org_id, wake_at) on issue to saidonce_reader;

create function orgs_with_issues_due(at timestamptz default now()) returns setof text
language sql stable security definer
set search_path = {schema}, pg_catalog, pg_temp
as $$
    select distinct org_id from issue where wake_at <= at order by 1
$$;

grant create on schema {schema} to saidonce_reader;
alter function orgs_with_issues_due owner to saidonce_reader;
revoke create on schema {schema} from saidonce_reader;
revoke execute on function orgs_with_issues_due from public;
grant execute on function orgs_with_issues_due to saidonce_app;
