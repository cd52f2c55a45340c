-- rev: the organisation's revision
select rev from org where org_id = current_setting('saidonce.org');

-- collections: all collections by name
select name, use, segment_style, model, dim from collection
where org_id = current_setting('saidonce.org') order by name;

-- document_by_name: the present version of a document under any of its names
select {document_columns}
from name n
join document d using (org_id, document_id)
join version v on v.org_id = d.org_id and v.document_id = d.document_id and v.version = d.version
where n.org_id = current_setting('saidonce.org') and n.collection = %(collection)s and n.name = %(name)s;

-- document_by_id: the present version of a document
select {document_columns}
from document d
join version v on v.org_id = d.org_id and v.document_id = d.document_id and v.version = d.version
where d.org_id = current_setting('saidonce.org') and d.document_id = %(document_id)s;

-- versions: all versions of a document that is present, newest first
select {document_columns}
from document d
join version v on v.org_id = d.org_id and v.document_id = d.document_id
where d.org_id = current_setting('saidonce.org') and d.document_id = %(document_id)s
order by v.version desc;

-- documents: the present versions of all documents of a collection, by name
select {document_columns}
from document d
join version v on v.org_id = d.org_id and v.document_id = d.document_id and v.version = d.version
where d.org_id = current_setting('saidonce.org') and d.collection = %(collection)s
order by d.name;

-- same_source: the present documents of a collection whose source has these bytes, by name
select {document_columns}
from version v
join document d on d.org_id = v.org_id and d.document_id = v.document_id and d.version = v.version
where v.org_id = current_setting('saidonce.org') and v.fingerprint = %(fingerprint)s and d.collection = %(collection)s
order by d.name;

-- documents_of_sources: the present documents whose sources have these fingerprints, by collection and name
select {document_columns}
from version v
join document d on d.org_id = v.org_id and d.document_id = v.document_id and d.version = v.version
where v.org_id = current_setting('saidonce.org') and v.fingerprint = any(%(fingerprints)s::text[])
order by d.collection, d.name;

-- find_ids: ids of segments and blocks, gone ones too, in a range of ids
(
    select segment_id as id from segment
    where org_id = current_setting('saidonce.org') and segment_id >= %(prefix)s and starts_with(segment_id, %(prefix)s)
    order by 1 limit %(limit)s
)
union
(
    select distinct segment_id as id from concern
    where org_id = current_setting('saidonce.org') and segment_id >= %(prefix)s and starts_with(segment_id, %(prefix)s)
    order by 1 limit %(limit)s
)
union
(
    select distinct block_id as id from gone
    where org_id = current_setting('saidonce.org') and block_id >= %(prefix)s and starts_with(block_id, %(prefix)s)
    order by 1 limit %(limit)s
)
order by 1 limit %(limit)s;

-- history: every version's account of a segment, oldest first
select {segment_columns},
    s.segment_id as "fate.segment_id", p.relation as "fate.relation", p."of" as "fate.of",
    p.similarity as "fate.similarity", p.objections::json as "fate.objections", p.near_miss as "fate.near_miss",
    v.version = d.version as live, (
        select row_to_json(whole) from (
            select {document_columns}
        ) whole
    ) as document
from segment s
join placement p on p.org_id = s.org_id and p.segment_id = s.segment_id
join document d on d.org_id = s.org_id and d.document_id = s.document_id
join version v on v.org_id = s.org_id and v.document_id = s.document_id and v.version = p.version
where s.org_id = current_setting('saidonce.org') and s.segment_id = %(segment_id)s
order by p.version;

-- counts: how much each collection holds, by name
select c.name as "collection.name", c.use as "collection.use", c.segment_style as "collection.segment_style",
    c.model as "collection.model", c.dim as "collection.dim",
    (select count(*) from document d where d.org_id = c.org_id and d.collection = c.name) as n_documents,
    p.n_segments, c.n_blocks, p.n_exact, p.n_near, p.n_set_aside,
    (select coalesce(max(b.boost), 0) from block b where b.org_id = c.org_id and b.collection = c.name) as max_boost
from collection c
cross join lateral (
    select count(*) as n_segments, count(*) filter (where p.relation = 'exact') as n_exact,
        count(*) filter (where p.relation = 'near') as n_near,
        count(*) filter (where p.relation is null) as n_set_aside
    from document d
    join placement p on p.org_id = d.org_id and p.document_id = d.document_id and p.version = d.version
    where d.org_id = c.org_id and d.collection = c.name
) p
where c.org_id = current_setting('saidonce.org')
order by c.name;

-- counters: running counters, by name
select name, value from counter where org_id = current_setting('saidonce.org') order by name;

-- segments: the kept segments of a collection with the keys of their embeddings, by id
select {segment_columns},
    b.text_key, b.context_key
from block b
join document d on d.org_id = b.org_id and d.document_id = b.document_id
join segment s on s.org_id = b.org_id and s.segment_id = b.block_id
join placement p on p.org_id = b.org_id and p.segment_id = b.block_id and p.version = d.version
where b.org_id = current_setting('saidonce.org') and b.collection = %(collection)s
order by b.block_id;

-- dump_document: documents by id
select document_id, collection, name, version from document
where org_id = current_setting('saidonce.org') order by document_id;

-- dump_name: names by collection and name
select collection, name, document_id from name
where org_id = current_setting('saidonce.org') order by collection, name;

-- dump_version: versions by document and number
select {version_columns}
from version where org_id = current_setting('saidonce.org') order by document_id, version;

-- dump_segment: segments by id
select segment_id, document_id, kind, text, heading_path, content_hash, rows::json from segment
where org_id = current_setting('saidonce.org') order by segment_id;

-- dump_placement: placements by segment and version
select segment_id, version, document_id, ordinal, page, language, context, n_tokens, salience, relation, "of",
    similarity, objections::json, near_miss, section_role, place
from placement where org_id = current_setting('saidonce.org') order by segment_id, version;

-- dump_embedding: embeddings by key
select key, vector from embedding where org_id = current_setting('saidonce.org') order by key;

-- dump_embedding_use: what documents need of embeddings
select document_id, key from embedding_use where org_id = current_setting('saidonce.org') order by document_id, key;

-- dump_block: blocks by id
select {block_columns}, v.title, s.heading_path, (
        select coalesce(json_agg(json_build_array(t.term, b.counts[u.place]) order by u.place), '[]')
        from unnest(b.terms) with ordinality as u (term_id, place)
        join term t on t.org_id = b.org_id and t.term_id = u.term_id
    ) as terms
from block b
join document d on d.org_id = b.org_id and d.document_id = b.document_id
join version v on v.org_id = d.org_id and v.document_id = d.document_id and v.version = d.version
join segment s on s.org_id = b.org_id and s.segment_id = b.block_id
where b.org_id = current_setting('saidonce.org') and (%(ids)s::text[] is null or b.block_id = any(%(ids)s))
order by b.block_id;

-- dump_gone: tombstones by model and block
select model, block_id, rev from gone where org_id = current_setting('saidonce.org') order by model, block_id;

-- original: one file of evidence or a picture of it
select sha256, part, mime, content, mark from original
where org_id = current_setting('saidonce.org') and sha256 = %(sha256)s and part = %(part)s;

-- original_marks: what has a perceptual hash, without its content
select sha256, part, mime, ''::bytea as content, mark from original
where org_id = current_setting('saidonce.org') and mark <> '' and %(sha256)s::text in ('', sha256)
order by sha256, part;

-- dump_original: originals by SHA-256 and part
select sha256, part, mime, content, mark from original
where org_id = current_setting('saidonce.org') order by sha256, part;
