-- Data protection: what is kept about residents can be erased, and each such act stands in a log.
-- Messages, turns and notices still can only be appended to, but for the functions here, which act on the
-- organisation of the session alone.

create table data_act (
    org_id text collate "C" not null references org,
    n bigint not null check (n > 0),
    record json not null,
    primary key (org_id, n)
);
alter table data_act enable row level security, force row level security;
create policy own_org on data_act to saidonce_app using (org_id = current_setting('saidonce.org', true));
grant select, insert on data_act to saidonce_app;

do $$
declare
    name text;
begin
    foreach name in array array['inbound', 'turn', 'landlord_notice'] loop
        execute format(
            'create policy erase_own_org on %I for delete to saidonce_reader'
            ' using (org_id = current_setting(''saidonce.org'', true))', name
        );
        if name <> 'inbound' then
            execute format(
                'create policy find_own_org on %I for select to saidonce_reader'
                ' using (org_id = current_setting(''saidonce.org'', true))', name
            );
        end if;
        if name <> 'landlord_notice' then
            execute format(
                'create policy rewrite_own_org on %I for update to saidonce_reader'
                ' using (org_id = current_setting(''saidonce.org'', true))', name
            );
        end if;
        execute format('grant delete on %I to saidonce_reader', name);
    end loop;
end
$$;
grant select (org_id, conversation_id, seq), update (record) on inbound to saidonce_reader;
grant select (org_id, conversation_id, turn_id), update (record) on turn to saidonce_reader;
grant select (org_id, conversation_id, dedupe_key) on landlord_notice to saidonce_reader;

create function erase_notices(ids text[], keys text[]) returns void
language sql volatile security definer
set search_path = {schema}, pg_catalog, pg_temp
as $$
    delete from landlord_notice
    where org_id = current_setting('saidonce.org') and (conversation_id = any(ids) or dedupe_key = any(keys))
$$;

create function erase_messages(ids text[]) returns void
language sql volatile security definer
set search_path = {schema}, pg_catalog, pg_temp
as $$
    delete from turn where org_id = current_setting('saidonce.org') and conversation_id = any(ids);
    delete from inbound where org_id = current_setting('saidonce.org') and conversation_id = any(ids)
$$;

create function rewrite_inbound(of bigint, anew json) returns void
language sql volatile security definer
set search_path = {schema}, pg_catalog, pg_temp
as $$
    update inbound set record = anew where org_id = current_setting('saidonce.org') and seq = of
$$;

create function rewrite_turn(of text, anew json) returns void
language sql volatile security definer
set search_path = {schema}, pg_catalog, pg_temp
as $$
    update turn set record = anew where org_id = current_setting('saidonce.org') and turn_id = of
$$;

grant create on schema {schema} to saidonce_reader;
do $$
declare
    signature text;
begin
    foreach signature in array array[
        'erase_notices(text[], text[])', 'erase_messages(text[])', 'rewrite_inbound(bigint, json)',
        'rewrite_turn(text, json)'
    ] loop
        execute format('alter function %s owner to saidonce_reader', signature);
        execute format('revoke execute on function %s from public', signature);
        execute format('grant execute on function %s to saidonce_app', signature);
    end loop;
end
$$;
revoke create on schema {schema} from saidonce_reader;
