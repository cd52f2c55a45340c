-- Tags: given to a document when it is ingested; a block has those of all documents that support it.

alter table version add column tags text[] not null default '{}';
alter table block add column tags text[] not null default '{}';

set local role saidonce_reader;
drop function lexical_rows;
reset role;
grant create on schema {schema} to saidonce_reader;

create function lexical_rows(
    asked bigint[], rare bigint[], collections text[], documents text[], kinds text[], languages text[],
    since timestamptz, until timestamptz, tags text[]
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
            and ($9 is null or b.tags && $9)
        order by b.block_id
        ) f
    $query$, counted) using asked, rare, collections, documents, kinds, languages, since, until, tags;
end
$function$;

alter function lexical_rows owner to saidonce_reader;
revoke create on schema {schema} from saidonce_reader;
revoke execute on function lexical_rows from public;
grant execute on function lexical_rows to saidonce_app;
