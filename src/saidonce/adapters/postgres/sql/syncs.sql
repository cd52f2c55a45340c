-- put_sync_source: adds or changes a source
insert into sync_source (org_id, source_id, collection, next_at, record)
values (current_setting('saidonce.org'), %(source_id)s, %(collection)s, %(next_at)s, %(record)s)
on conflict (org_id, source_id) do update set collection = excluded.collection, next_at = excluded.next_at,
    record = excluded.record;

-- drop_sync_source: takes a source away, with its entries
delete from sync_source where org_id = current_setting('saidonce.org') and source_id = %(id)s returning source_id;

-- sync_sources: sources by id
select record as "*" from sync_source
where org_id = current_setting('saidonce.org') and (%(id)s::text is null or source_id = %(id)s) order by source_id;

-- sync_sources_due: sources that the worker is to run, the longest due first
select record as "*" from sync_source
where org_id = current_setting('saidonce.org') and next_at <= %(now)s order by next_at, source_id;

-- put_sync_entries: adds or changes entries
insert into sync_entry (org_id, source_id, name, mark, fingerprint, refused, settings)
select current_setting('saidonce.org'), * from unnest(
    %(source_ids)s::text[], %(names)s::text[], %(marks)s::text[], %(fingerprints)s::text[], %(refusals)s::text[],
    %(settings)s::text[]
)
on conflict (org_id, source_id, name) do update set mark = excluded.mark, fingerprint = excluded.fingerprint,
    refused = excluded.refused, settings = excluded.settings;

-- drop_sync_entries: takes entries away
delete from sync_entry
where org_id = current_setting('saidonce.org') and source_id = %(source)s and name = any(%(names)s::text[]);

-- sync_entries: what was seen of a source, by name
select source_id as source, name, mark, fingerprint, refused, settings from sync_entry
where org_id = current_setting('saidonce.org') and source_id = %(source)s order by name;

-- also_synced: names that another source of the same collection has, too
select distinct e.name from sync_entry e
join sync_source s using (org_id, source_id)
join sync_source own on own.org_id = s.org_id and own.collection = s.collection
where e.org_id = current_setting('saidonce.org') and own.source_id = %(source)s and s.source_id <> own.source_id
    and e.name = any(%(names)s::text[]);

-- dump_sync_source: sources for an export
select record as "*" from sync_source where org_id = current_setting('saidonce.org') order by source_id;

-- dump_sync_entry: entries of sources for an export
select source_id as source, name, mark, fingerprint, refused, settings from sync_entry
where org_id = current_setting('saidonce.org') order by source_id, name;
