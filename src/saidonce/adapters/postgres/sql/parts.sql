-- document_columns: a present document d and its version v
v.fingerprint, v.version, v.title, v.format, v.language, v.authored_at, v.ingested_at, v.n_segments, v.n_blocks,
    v.settings_hash, v.tags, v.warnings, v.author, d.document_id as id, d.collection, d.name,
    array(select o.name from name o where o.org_id = d.org_id and o.document_id = d.document_id
        order by o.name <> d.name, o.name) as names

-- version_columns: all of a version
document_id, version, fingerprint, settings_hash, title, format, language, authored_at, author, n_pages, warnings,
    ingested_at, n_segments, n_blocks, tags

-- segment_columns: a segment s with its placement p
s.segment_id as "segment.id", p.ordinal as "segment.ordinal", s.kind as "segment.kind", s.text as "segment.text",
    s.heading_path as "segment.heading_path", p.page as "segment.page", p.language as "segment.language",
    p.context as "segment.context", p.n_tokens as "segment.n_tokens", s.content_hash as "segment.content_hash",
    s.rows::json as "segment.rows", p.salience as "segment.salience", p.section_role as "segment.section_role",
    p.place as "segment.place"

-- member_columns: a member m with its document d and version v
m.collection, m.document_id, d.name as document, v.title, v.authored_at, m.dated_at, m.salience, m.boost, m.owner,
    m.block_id, m.similarity, v.tags

-- sender: who sent version v, if it is a mail
case when v.format in ('eml', 'msg') then v.author else '' end

-- block_columns: a block b, but for its terms
b.block_id, b.collection, b.model, b.document_id, b.document, b.kind, b.language, b.authored_at, b.salience, b.boost,
    b.text_key, b.context_key, b.rev, b.documents, b.members, b.approval, b.owner, b.tags

-- live_columns: a block b as it is shown, with version v, segment s, placement p
b.block_id as id, b.collection, b.document_id, b.document, v.title, b.kind, s.text, s.heading_path, p.page,
    b.language, b.salience, b.boost, b.authored_at, s.content_hash, s.rows::json, b.documents, b.members, b.tags, b.approval, b.owner

-- looked_up_of_block: the document d, version v and segment s of a block b, each looked up by its keys
cross join lateral (
    select version from document where org_id = b.org_id and document_id = b.document_id offset 0
) d
cross join lateral (
    select title from version
    where org_id = b.org_id and document_id = b.document_id and version = d.version offset 0
) v
cross join lateral (
    select * from segment where org_id = b.org_id and segment_id = b.block_id offset 0
) s

-- known_columns: a block b as an index knows it
b.text_key, b.context_key, b.kind, b.documents, b.block_id, b.rev, false as gone, b.collection, b.language,
    b.authored_at, b.salience, b.tags

-- gone_columns: a tombstone, in the order of known_columns
'', '', 'paragraph', '{}', block_id, rev, true, '', '', null, 0, '{}'

-- block_mark: changes when what an index knows of a block b does
hash_record_extended(
    row(b.block_id, b.rev, b.text_key, b.context_key, b.kind, b.documents, b.collection, b.language, b.authored_at,
        b.salience, b.tags), 0)

-- passes_filters: whether a block b passes the filters of a search
(%(collections)s::text[] is null or b.collection = any(%(collections)s))
    and (%(documents)s::text[] is null or b.documents && %(documents)s)
    and (%(kinds)s::text[] is null or b.kind = any(%(kinds)s))
    and (%(languages)s::text[] is null or b.language = any(%(languages)s))
    and (%(since)s::timestamptz is null or b.authored_at >= %(since)s)
    and (%(until)s::timestamptz is null or b.authored_at <= %(until)s)
    and (%(tags)s::text[] is null or b.tags && %(tags)s)

-- filters: the filters of a search as arguments
%(collections)s::text[], %(documents)s::text[], %(kinds)s::text[],
    %(languages)s::text[], %(since)s::timestamptz, %(until)s::timestamptz, %(tags)s::text[]
