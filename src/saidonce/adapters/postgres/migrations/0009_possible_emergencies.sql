-- An emergency may be possible: the resident was asked whether anybody is in danger, and has not answered.

alter table emergency drop constraint emergency_state_check;
alter table emergency add constraint emergency_state_check
    check (state in ('possible', 'suspected', 'validated', 'dismissed'));

-- Whose landlords are to be told of anything: a worker warns where no channel is set up for it.

create policy read_for_worker on tenancy for select to saidonce_reader using (true);
grant select (org_id) on tenancy to saidonce_reader;
grant select (org_id, owner) on channel to saidonce_reader;

create function orgs_unreached() returns setof text
language sql stable security definer
set search_path = {schema}, pg_catalog, pg_temp
as $$
    select distinct org_id from tenancy
    except
    select org_id from channel where owner = ''
    order by 1
$$;

grant create on schema {schema} to saidonce_reader;
alter function orgs_unreached owner to saidonce_reader;
revoke create on schema {schema} from saidonce_reader;
revoke execute on function orgs_unreached from public;
grant execute on function orgs_unreached to saidonce_app;
