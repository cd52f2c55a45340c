-- Tables, row-level security and the searches that need indexes of their own.
-- {extensions} stands for the schemas of the extensions vector, pg_trgm and btree_gin.

create table org (
    org_id text collate "C" primary key check (org_id <> ''),
    rev bigint not null default 0
);

create table collection (
    org_id text collate "C" not null references org,
    name text collate "C" not null,
    use text not null,
    segment_style text not null,
    model text collate "C" not null,
    dim integer not null,
    n_blocks bigint not null default 0,
    n_terms bigint not null default 0,
    primary key (org_id, name)
);

create table document (
    org_id text collate "C" not null,
    document_id text collate "C" not null,
    collection text collate "C" not null,
    name text collate "C" not null,
    version integer not null,
    primary key (org_id, document_id),
    unique (org_id, collection, name),
    foreign key (org_id, collection) references collection
);

create table name (
    org_id text collate "C" not null,
    collection text collate "C" not null,
    name text collate "C" not null,
    document_id text collate "C" not null,
    primary key (org_id, collection, name),
    foreign key (org_id, document_id) references document on delete cascade
);
create index on name (org_id, document_id);

create table version (
    org_id text collate "C" not null,
    document_id text collate "C" not null,
    version integer not null,
    fingerprint text collate "C" not null,
    settings_hash text not null,
    title text not null,
    format text not null,
    language text not null,
    authored_at timestamptz,
    author text not null,
    n_pages integer not null,
    warnings text[] not null,
    ingested_at timestamptz not null,
    n_segments integer not null,
    n_blocks integer not null,
    primary key (org_id, document_id, version),
    foreign key (org_id, document_id) references document on delete cascade
);
create index on version (org_id, fingerprint);

create table segment (
    org_id text collate "C" not null,
    segment_id text collate "C" not null,
    document_id text collate "C" not null,
    kind text not null,
    text text not null,
    heading_path text[] not null,
    content_hash text not null,
    rows text not null,
    primary key (org_id, segment_id),
    foreign key (org_id, document_id) references document on delete cascade
);
create index on segment (org_id, document_id);

create table placement (
    org_id text collate "C" not null,
    segment_id text collate "C" not null,
    version integer not null,
    document_id text collate "C" not null,
    ordinal integer not null,
    page integer,
    language text not null,
    context text not null,
    n_tokens integer not null,
    salience double precision not null,
    relation text,
    "of" text collate "C" not null,
    similarity double precision not null,
    objections text not null,
    near_miss text not null,
    primary key (org_id, segment_id, version),
    foreign key (org_id, segment_id) references segment on delete cascade,
    foreign key (org_id, document_id, version) references version on delete cascade
);
create index on placement (org_id, document_id, version);
create index on placement (org_id, "of") where "of" <> '';

-- Vectors stay in their rows as far as a page can hold them.
create table embedding (
    org_id text collate "C" not null references org,
    key text collate "C" not null,
    vector vector not null,
    primary key (org_id, key)
) with (toast_tuple_target = 8160);
alter table embedding alter column vector set storage main;

create table embedding_use (
    org_id text collate "C" not null,
    document_id text collate "C" not null,
    key text collate "C" not null,
    primary key (org_id, document_id, key),
    foreign key (org_id, document_id) references document on delete cascade,
    foreign key (org_id, key) references embedding
);
create index on embedding_use (org_id, key);

-- The vocabulary; an id belongs to one organisation, so that postings of two never mix.
create table term (
    org_id text collate "C" not null references org,
    term text collate "C" not null,
    term_id bigint generated always as identity,
    letters text not null,
    primary key (org_id, term),
    unique (org_id, term_id)
);
create index term_letters on term using gin (org_id, letters gin_trgm_ops) with (fastupdate = off);

create table term_count (
    org_id text collate "C" not null,
    collection text collate "C" not null,
    term_id bigint not null,
    n_blocks bigint not null check (n_blocks > 0),
    primary key (org_id, term_id, collection),
    foreign key (org_id, collection) references collection,
    foreign key (org_id, term_id) references term (org_id, term_id)
) with (fillfactor = 70);

create table heading (
    org_id text collate "C" not null references org,
    heading_key text collate "C" not null,
    title text not null,
    leaf text not null,
    whole text not null,
    primary key (org_id, heading_key)
);
create index heading_letters on heading
    using gin (org_id, title gin_trgm_ops, leaf gin_trgm_ops, whole gin_trgm_ops) with (fastupdate = off);

create table block (
    org_id text collate "C" not null,
    block_id text collate "C" not null,
    collection text collate "C" not null,
    model text collate "C" not null,
    document_id text collate "C" not null,
    document text collate "C" not null,
    kind text not null,
    language text not null,
    authored_at timestamptz,
    salience double precision not null,
    boost double precision not null,
    text_key text collate "C" not null,
    context_key text collate "C" not null,
    terms bigint[] not null,
    counts integer[] not null,
    n_terms integer not null,
    heading_key text collate "C" not null,
    digest text not null,
    rev bigint not null,
    primary key (org_id, block_id),
    foreign key (org_id, collection) references collection,
    foreign key (org_id, block_id) references segment,
    foreign key (org_id, document_id, text_key) references embedding_use,
    foreign key (org_id, heading_key) references heading
) with (toast_tuple_target = 8160);
create index on block (org_id, model, rev, block_id);
create index on block (org_id, document_id);
create index on block (org_id, collection, block_id);
create index on block (org_id, heading_key);
create index block_terms on block using gin (terms) with (fastupdate = off);

create table gone (
    org_id text collate "C" not null references org,
    model text collate "C" not null,
    block_id text collate "C" not null,
    rev bigint not null,
    primary key (org_id, model, block_id)
);
create index on gone (org_id, model, rev, block_id);
create index on gone (org_id, block_id);

create table counter (
    org_id text collate "C" not null references org,
    name text collate "C" not null,
    value double precision not null,
    primary key (org_id, name)
);

-- Every table shows and takes rows of the organisation of the transaction only, owner or not.
do $$
declare
    name text;
begin
    foreach name in array array[
        'org', 'collection', 'document', 'name', 'version', 'segment', 'placement', 'embedding', 'embedding_use',
        'term', 'term_count', 'heading', 'block', 'gone', 'counter'
    ] loop
        execute format('alter table %I enable row level security, force row level security', name);
        execute format(
            'create policy own_org on %I to saidonce_app using (org_id = current_setting(''saidonce.org'', true))', name
        );
        execute format('grant select, insert, update, delete on %I to saidonce_app', name);
    end loop;
end
$$;

-- Operators of trigrams and arrays are not leakproof, so that row-level security would keep the planner from
-- their indexes. These functions therefore read as a role that sees all rows, and filter by the organisation
-- of the transaction themselves.
create policy read_for_search on block for select to saidonce_reader using (true);
create policy read_for_search on heading for select to saidonce_reader using (true);
create policy read_for_search on term for select to saidonce_reader using (true);
grant select on block, heading, term to saidonce_reader;

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
            and ($3 is null or b.collection = any($3)) and ($4 is null or b.document = any($4))
            and ($5 is null or b.kind = any($5)) and ($6 is null or b.language = any($6))
            and ($7 is null or b.authored_at >= $7) and ($8 is null or b.authored_at <= $8)
        order by b.block_id
        ) f
    $query$, counted) using asked, rare, collections, documents, kinds, languages, since, until;
end
$function$;

create function similar_headings(query text) returns table (heading_key text, similarity real)
language plpgsql stable security definer
set search_path = {schema}, pg_catalog, {extensions}, pg_temp
set enable_seqscan = off
set enable_indexscan = off
set pg_trgm.similarity_threshold = 0.3
as $function$
begin
    return query execute $query$
        with near as (
            select h.heading_key from heading h
            where h.org_id = current_setting('saidonce.org', true) and h.title % $1
            union select h.heading_key from heading h
            where h.org_id = current_setting('saidonce.org', true) and h.leaf % $1
            union select h.heading_key from heading h
            where h.org_id = current_setting('saidonce.org', true) and h.whole % $1
        )
        select h.heading_key, greatest(similarity(h.title, $1), similarity(h.leaf, $1), similarity(h.whole, $1))
        from near join heading h using (heading_key)
        where h.org_id = current_setting('saidonce.org', true)
    $query$ using query;
end
$function$;

create function similar_terms(asked text[]) returns table (place bigint, term_id bigint, term text, similarity real)
language plpgsql stable security definer
set search_path = {schema}, pg_catalog, {extensions}, pg_temp
set enable_seqscan = off
set enable_indexscan = off
set pg_trgm.similarity_threshold = 0.4
as $function$
begin
    for at in 1 .. coalesce(cardinality(asked), 0) loop
        return query execute $query$
            select $2::bigint, t.term_id, t.term, similarity(t.letters, $1) from term t
            where t.org_id = current_setting('saidonce.org', true) and t.letters % $1
        $query$ using asked[at], at;
    end loop;
end
$function$;

-- A base may grow from nothing within a minute, before the server looks at it by itself; until then it would take
-- every table for an almost empty one. Runs as the owner of the tables, which ANALYZE asks for.
create function refresh_statistics() returns void
language plpgsql volatile security definer
set search_path = {schema}, pg_catalog, pg_temp
as $function$
declare
    grown text;
begin
    for grown in
        select relname from pg_class
        where relnamespace = '{schema}'::regnamespace and relkind = 'r'
            and pg_relation_size(oid) > 2 * 8192 * greatest(relpages, 4)
        order by relname
    loop
        execute format('analyze (skip_locked) %I', grown);
    end loop;
end
$function$;

grant create on schema {schema} to saidonce_reader;
alter function lexical_rows owner to saidonce_reader;
alter function similar_headings owner to saidonce_reader;
alter function similar_terms owner to saidonce_reader;
revoke create on schema {schema} from saidonce_reader;

revoke execute on function lexical_rows, similar_headings, similar_terms, refresh_statistics from public;
grant execute on function lexical_rows, similar_headings, similar_terms, refresh_statistics to saidonce_app;
