-- The worker serves every organisation that wants to be told of something: it learns their names, and nothing else.

create policy read_for_worker on channel for select to saidonce_reader using (true);
grant select (org_id) on channel to saidonce_reader;

create function orgs_with_channels() returns setof text
language sql stable security definer
set search_path = {schema}, pg_catalog, pg_temp
as $$
    select distinct org_id from channel order by org_id
$$;

grant create on schema {schema} to saidonce_reader;
alter function orgs_with_channels owner to saidonce_reader;
revoke create on schema {schema} from saidonce_reader;
revoke execute on function orgs_with_channels from public;
grant execute on function orgs_with_channels to saidonce_app;
