-- Decisions about blocks, the members they speak of, and what waits for a person.

alter table placement add column section_role text not null default '';

alter table block add column documents text[] not null default '{}';
alter table block add column members text[] not null default '{}';
alter table block add column approval text not null default 'draft';
alter table block add column owner text not null default '';
-- Row-level security binds the tables' owner too, who shall change the rows of all organisations here.
alter table block no force row level security;
update block set documents = array[document], members = array[block_id];
alter table block force row level security;

-- The log. Of a decision only `live` ever changes: whether it is reverted follows from the decisions after it.
create table decision (
    org_id text collate "C" not null references org,
    seq bigint not null check (seq > 0),
    verb text not null,
    collection text collate "C" not null,
    members text[] not null,
    actor text not null,
    reason text not null,
    at timestamptz not null,
    flag bigint,
    reverts bigint,
    detail text not null,
    policy text not null,
    certificate text not null,
    key text collate "C" not null,
    live boolean not null,
    previous text not null,
    hash text not null,
    primary key (org_id, seq),
    foreign key (org_id, collection) references collection,
    foreign key (org_id, flag) references decision,
    foreign key (org_id, reverts) references decision
);
create unique index on decision (org_id, key) where key <> '';
create index on decision (org_id, verb, seq);
create index on decision (org_id, flag) where flag is not null;
create index on decision (org_id, reverts) where reverts is not null;

-- Which decisions name a member; `joins` marks those that say who shares a block.
create table concern (
    org_id text collate "C" not null,
    segment_id text collate "C" not null,
    seq bigint not null,
    joins boolean not null,
    primary key (org_id, segment_id, seq),
    foreign key (org_id, seq) references decision
);
create index on concern (org_id, seq);

-- Pairs of texts that a decision keeps apart, by their content hashes.
create table apart (
    org_id text collate "C" not null,
    collection text collate "C" not null,
    low text collate "C" not null,
    high text collate "C" not null,
    seq bigint not null,
    primary key (org_id, collection, low, high, seq),
    foreign key (org_id, seq) references decision
);
create index on apart (org_id, collection, high);

create table member (
    org_id text collate "C" not null,
    segment_id text collate "C" not null,
    collection text collate "C" not null,
    document_id text collate "C" not null,
    content_hash text collate "C" not null,
    salience double precision not null,
    boost double precision not null,
    owner text not null,
    dated_at timestamptz not null,
    block_id text collate "C" not null,
    similarity double precision not null,
    primary key (org_id, segment_id),
    foreign key (org_id, segment_id) references segment,
    foreign key (org_id, document_id) references document
);
create index on member (org_id, block_id);
create index on member (org_id, document_id);
create index on member (org_id, collection, content_hash);

create table flag (
    org_id text collate "C" not null,
    seq bigint not null,
    collection text collate "C" not null,
    candidate text collate "C" not null,
    "of" text collate "C" not null,
    because text not null,
    worth double precision not null,
    is_open boolean not null,
    assignee text not null,
    resolved_by bigint,
    primary key (org_id, seq),
    foreign key (org_id, seq) references decision
);
create index on flag (org_id, worth desc, seq) where is_open;
create index on flag (org_id, is_open, worth desc, seq);

do $$
declare
    name text;
begin
    foreach name in array array['decision', 'concern', 'apart', 'member', 'flag'] loop
        execute format('alter table %I enable row level security, force row level security', name);
        execute format(
            'create policy own_org on %I to saidonce_app using (org_id = current_setting(''saidonce.org'', true))', name
        );
        execute format('grant select, insert, update, delete on %I to saidonce_app', name);
    end loop;
end
$$;

-- A block is found by any document that supports it.
set local role saidonce_reader;
drop function lexical_rows;
reset role;
grant create on schema {schema} to saidonce_reader;

create function lexical_rows(
    asked bigint[], rare bigint[], collections text[], documents text[], kinds text[], languages text[],
    since timestamptz, until timestamptz
) returns table (block_ids text[], n_terms integer[], counts integer[])
language plpgsql stable security definer
set search_path = {schema}, pg_catalog, {extensions}, pg_temp
set enable_seqscan = off
set enable_indexscan = off
as $function$
declare
    counted text;
begin
    select string_agg(format('coalesce(b.counts[array_position(b.terms, $1[%s])], 0)', place), ', ' order by place)
        into counted from generate_subscripts(asked, 1) place;
    return query execute format($query$
        select array_agg(f.block_id), array_agg(f.n_terms), array_agg(f.counts)
        from (
        select b.block_id, b.n_terms, array[%s]::integer[] as counts from block b
        where b.org_id = current_setting('saidonce.org', true)
            and (b.terms @> $1 or b.terms && $2)
            and ($3 is null or b.collection = any($3)) and ($4 is null or b.documents && $4)
            and ($5 is null or b.kind = any($5)) and ($6 is null or b.language = any($6))
            and ($7 is null or b.authored_at >= $7) and ($8 is null or b.authored_at <= $8)
        order by b.block_id
        ) f
    $query$, counted) using asked, rare, collections, documents, kinds, languages, since, until;
end
$function$;

alter function lexical_rows owner to saidonce_reader;
revoke create on schema {schema} from saidonce_reader;
revoke execute on function lexical_rows from public;
grant execute on function lexical_rows to saidonce_app;
