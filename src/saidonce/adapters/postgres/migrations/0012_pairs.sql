-- The pair table: the texts of blocks, and pairs of those that are near each other, with what their comparison found.
-- All of it is derived from blocks and embeddings: it is in no export, and may be dropped and made again.

-- The words (by their embedding), the kind and the language of a block: what a comparison sees of it.
alter table block add column text_id text collate "C" not null
    generated always as (text_key || ' ' || kind || ' ' || language) stored;
create index on block (org_id, text_id);

-- Counts the writes of lists, so that of two that were made at one time the second is made anew.
alter table org add column pair_step bigint not null default 0;

-- `listed_from` is the similarity down to which a text's list of near texts was made; 2 where it was not.
create table pair_text (
    org_id text collate "C" not null references org,
    text_id text collate "C" not null,
    model text collate "C" not null,
    listed_from double precision not null default 2,
    primary key (org_id, text_id)
);
create index on pair_text (org_id, model, listed_from);

-- `in_a` tells that b is in the list of a, `in_b` that a is in the list of b.
create table pair (
    org_id text collate "C" not null,
    a text collate "C" not null,
    b text collate "C" not null,
    similarity double precision not null,
    in_a boolean not null,
    in_b boolean not null,
    guards text collate "C" not null default '',
    agreement text not null default '',
    objections text not null default '[]',
    unaccounted text not null default '[]',
    judge text,
    judged text,
    answers text not null default '[]',
    primary key (org_id, a, b),
    foreign key (org_id, a) references pair_text on delete cascade,
    foreign key (org_id, b) references pair_text on delete cascade,
    check (a < b)
);
create index on pair (org_id, b);
create index on pair (org_id, guards, similarity desc, a, b);
create index on pair (org_id, judge) where agreement = 'open';

do $$
declare
    name text;
begin
    -- The owner's rights end at row-level security that is forced; the texts of existing blocks enter here.
    alter table block no force row level security;
    insert into pair_text (org_id, text_id, model)
        select distinct org_id, text_id, model from block on conflict do nothing;
    alter table block force row level security;
    foreach name in array array['pair_text', 'pair'] loop
        execute format('alter table %I enable row level security, force row level security', name);
        execute format(
            'create policy own_org on %I to saidonce_app using (org_id = current_setting(''saidonce.org'', true))', name
        );
        execute format('grant select, insert, update, delete on %I to saidonce_app', name);
    end loop;
end
$$;

-- The worker asks for every organisation in which a text or a pair waits: it learns their names, and nothing else.
create policy read_for_worker on org for select to saidonce_reader using (true);
create policy read_for_worker on pair_text for select to saidonce_reader using (true);
create policy read_for_worker on pair for select to saidonce_reader using (true);
grant select (org_id) on org to saidonce_reader;
grant select (org_id, listed_from) on pair_text to saidonce_reader;
grant select (org_id, guards, agreement, judge) on pair to saidonce_reader;

create function orgs_with_pairs_waiting(similarity_from double precision, version text, heard text) returns setof text
language sql stable security definer
set search_path = {schema}, pg_catalog, pg_temp
as $$
    select o.org_id from org o
    where exists (select from pair_text t where t.org_id = o.org_id and t.listed_from > similarity_from)
        or exists (select from pair p where p.org_id = o.org_id and p.guards < version)
        or exists (select from pair p where p.org_id = o.org_id and p.guards > version)
        or exists (
            select from pair p where p.org_id = o.org_id and p.agreement = 'open' and p.judge is distinct from heard
        )
    order by o.org_id
$$;

grant create on schema {schema} to saidonce_reader;
alter function orgs_with_pairs_waiting owner to saidonce_reader;
revoke create on schema {schema} from saidonce_reader;
revoke execute on function orgs_with_pairs_waiting from public;
grant execute on function orgs_with_pairs_waiting to saidonce_app;
