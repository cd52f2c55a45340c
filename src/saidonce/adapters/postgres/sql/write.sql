-- make_org: enters an organisation on its first write
insert into org (org_id) values (current_setting('saidonce.org')) on conflict do nothing;

-- lock_org: takes the lock that makes writes of one organisation wait for each other, but not its conversations
select rev from org where org_id = current_setting('saidonce.org') for no key update;

-- set_rev: counts a write
update org set rev = %(rev)s where org_id = current_setting('saidonce.org');

-- make_collection: creates a collection
insert into collection (org_id, name, use, segment_style, model, dim)
values (current_setting('saidonce.org'), %(name)s, %(use)s, %(segment_style)s, %(model)s, %(dim)s);

-- change_collection: gives a collection another model
update collection set use = %(use)s, segment_style = %(segment_style)s, model = %(model)s, dim = %(dim)s
where org_id = current_setting('saidonce.org') and name = %(name)s;

-- one_collection: what a name stands for
select name, use, segment_style, model, dim from collection
where org_id = current_setting('saidonce.org') and name = %(name)s;

-- twin: another document of the collection whose source has these bytes
select d.document_id from version v join document d using (org_id, document_id, version)
where v.org_id = current_setting('saidonce.org') and v.fingerprint = %(fingerprint)s
    and d.collection = %(collection)s and d.document_id <> %(document_id)s
limit 1;

-- name_owner: the document that a name belongs to
select document_id from name
where org_id = current_setting('saidonce.org') and collection = %(collection)s and name = %(name)s;

-- make_name: gives a document a name
insert into name (org_id, collection, name, document_id)
values (current_setting('saidonce.org'), %(collection)s, %(name)s, %(document_id)s);

-- drop_name: takes a name away, and tells whose it was
delete from name where org_id = current_setting('saidonce.org') and collection = %(collection)s and name = %(name)s
returning document_id;

-- rename: calls a document by another of its names
update document set name = %(name)s where org_id = current_setting('saidonce.org') and document_id = %(document_id)s;

-- owners_of_segments: segments that are stored already, with their documents
select segment_id, document_id from segment
where org_id = current_setting('saidonce.org') and segment_id = any(%(ids)s);

-- known_keys: those of the keys whose embeddings are stored
select e.key
from unnest(%(keys)s::text[]) as wanted (key)
join embedding e on e.org_id = current_setting('saidonce.org') and e.key = wanted.key;

-- add_uses: notes which embeddings a document needs
insert into embedding_use (org_id, document_id, key)
select current_setting('saidonce.org'), %(document_id)s, key from unnest(%(keys)s::text[]) as key
on conflict do nothing;

-- put_document: writes a document's present version
insert into document (org_id, document_id, collection, name, version)
values (current_setting('saidonce.org'), %(document_id)s, %(collection)s, %(name)s, %(version)s)
on conflict (org_id, document_id) do update set version = excluded.version;

-- block_digests: a document's blocks, to tell what changed
select block_id, digest from block where org_id = current_setting('saidonce.org') and document_id = %(document_id)s;

-- known_terms: ids of those of the terms that are in the vocabulary, joined since a kept plan would search an array
select t.term, t.term_id
from unnest(%(terms)s::text[]) as wanted (term)
join term t on t.org_id = current_setting('saidonce.org') and t.term = wanted.term;

-- add_terms: takes new terms into the vocabulary
insert into term (org_id, term, letters)
select current_setting('saidonce.org'), t.term, t.letters
from unnest(%(terms)s::text[], %(letters)s::text[]) as t (term, letters)
returning term, term_id;

-- add_headings: keeps headings by their keys
insert into heading (org_id, heading_key, title, leaf, whole)
select current_setting('saidonce.org'), h.* from unnest(%(keys)s::text[], %(titles)s::text[], %(leaves)s::text[],
    %(wholes)s::text[]) as h
on conflict do nothing;

-- count_blocks_out: takes blocks that are about to go out of the statistics of their collection
update collection c set n_blocks = c.n_blocks - lost.n_blocks, n_terms = c.n_terms - lost.n_terms
from (
    select collection, count(*) as n_blocks, sum(n_terms) as n_terms from block
    where org_id = current_setting('saidonce.org') and block_id = any(%(ids)s) group by collection
) lost
where c.org_id = current_setting('saidonce.org') and c.name = lost.collection;

-- drop_counts: removes terms that no other block of a collection contains
delete from term_count t
using (
    select b.collection, term_id, count(*) as n from block b, unnest(b.terms) as term_id
    where b.org_id = current_setting('saidonce.org') and b.block_id = any(%(ids)s) group by 1, 2
) lost
where t.org_id = current_setting('saidonce.org') and t.collection = lost.collection and t.term_id = lost.term_id
    and t.n_blocks = lost.n;

-- lower_counts: counts out the terms that other blocks contain too
update term_count t set n_blocks = t.n_blocks - lost.n
from (
    select b.collection, term_id, count(*) as n from block b, unnest(b.terms) as term_id
    where b.org_id = current_setting('saidonce.org') and b.block_id = any(%(ids)s) group by 1, 2
) lost
where t.org_id = current_setting('saidonce.org') and t.collection = lost.collection and t.term_id = lost.term_id;

-- drop_blocks: removes blocks, and tells of their headings
delete from block where org_id = current_setting('saidonce.org') and block_id = any(%(ids)s) returning heading_key;

-- drop_headings: removes headings that no block has
delete from heading h
where h.org_id = current_setting('saidonce.org') and h.heading_key = any(%(keys)s)
    and not exists (select from block b where b.org_id = h.org_id and b.heading_key = h.heading_key);

-- count_blocks_in: takes new blocks into the statistics of their collection
update collection set n_blocks = n_blocks + %(n_blocks)s, n_terms = n_terms + %(n_terms)s
where org_id = current_setting('saidonce.org') and name = %(collection)s;

-- raise_counts: counts in the terms of new blocks
insert into term_count (org_id, collection, term_id, n_blocks)
select current_setting('saidonce.org'), %(collection)s, t.term_id, t.n
from unnest(%(term_ids)s::bigint[], %(counts)s::bigint[]) as t (term_id, n)
on conflict (org_id, term_id, collection) do update set n_blocks = term_count.n_blocks + excluded.n_blocks;

-- bury: leaves tombstones
insert into gone (org_id, model, block_id, rev)
select current_setting('saidonce.org'), %(model)s, block_id, %(rev)s from unnest(%(ids)s::text[]) as block_id
on conflict (org_id, model, block_id) do update set rev = excluded.rev;

-- unbury: takes tombstones away
delete from gone where org_id = current_setting('saidonce.org') and model = %(model)s and block_id = any(%(ids)s);

-- drop_document: removes a document with its names, versions and segments
delete from document where org_id = current_setting('saidonce.org') and document_id = %(document_id)s;

-- release: takes back what documents need of embeddings
delete from embedding_use where org_id = current_setting('saidonce.org') and document_id = any(%(ids)s) returning key;

-- drop_embeddings: removes embeddings that no document needs
delete from embedding e
where e.org_id = current_setting('saidonce.org') and e.key = any(%(keys)s)
    and not exists (select from embedding_use u where u.org_id = e.org_id and u.key = e.key);

-- count: adds to running counters
insert into counter (org_id, name, value)
select current_setting('saidonce.org'), c.name, c.value from unnest(%(names)s::text[], %(values)s::float8[]) as c (name, value)
on conflict (org_id, name) do update set value = counter.value + excluded.value;

-- blocks_of_collection: live blocks with their documents
select block_id, document_id from block
where org_id = current_setting('saidonce.org') and collection = %(collection)s order by block_id;

-- documents_of_collection: ids of all its documents
select document_id from document where org_id = current_setting('saidonce.org') and collection = %(collection)s;

-- rename_blocks: calls the document of blocks by its new name, also where it supports the text of another
update block set document = case when document_id = %(document_id)s then %(name)s else document end,
    documents = (
        select array_agg(distinct n.name order by n.name)
        from (select case when u.name = %(former)s then %(name)s else u.name end as name
              from unnest(documents) as u (name)) n
    ), rev = %(rev)s
where org_id = current_setting('saidonce.org') and (
    document_id = %(document_id)s or block_id in (
        select m.block_id from member m
        where m.org_id = current_setting('saidonce.org') and m.document_id = %(document_id)s
    )
);

-- names_left: all names of a document, sorted, its first name in front of them
select d.name, d.version, array(
    select n.name from name n where n.org_id = d.org_id and n.document_id = d.document_id order by n.name
), (
    select v.n_segments from version v
    where v.org_id = d.org_id and v.document_id = d.document_id and v.version = d.version
)
from document d where d.org_id = current_setting('saidonce.org') and d.document_id = %(document_id)s;

-- present_segments: segments of the present version of a document
select p.segment_id from placement p
join document d on d.org_id = p.org_id and d.document_id = p.document_id and d.version = p.version
where p.org_id = current_setting('saidonce.org') and p.document_id = %(document_id)s;

-- move_blocks: gives blocks the keys of another model
update block b set model = %(model)s, rev = %(rev)s, text_key = m.text_key, context_key = m.context_key, digest = m.digest
from unnest(%(ids)s::text[], %(text_keys)s::text[], %(context_keys)s::text[], %(digests)s::text[])
    as m (block_id, text_key, context_key, digest)
where b.org_id = current_setting('saidonce.org') and b.block_id = m.block_id;

-- release_others: takes back what documents need of embeddings, but for some keys
delete from embedding_use u
where u.org_id = current_setting('saidonce.org') and u.document_id = any(%(ids)s) and not exists (
    select from block b
    where b.org_id = u.org_id and b.document_id = u.document_id and u.key in (b.text_key, b.context_key)
)
returning u.key;

-- model_of_document: the model of a document's collection
select c.model from document d join collection c on c.org_id = d.org_id and c.name = d.collection
where d.org_id = current_setting('saidonce.org') and d.document_id = %(document_id)s;

-- refresh_statistics: lets the planner know of growth
select refresh_statistics();

-- put_original: keeps a file of evidence or a picture of it, if it is new
insert into original (org_id, sha256, part, mime, content, mark)
values (current_setting('saidonce.org'), %(sha256)s, %(part)s, %(mime)s, %(content)s, %(mark)s)
on conflict do nothing;

-- sources_of: the SHA-256 of the sources of all versions of a document
select distinct fingerprint from version
where org_id = current_setting('saidonce.org') and document_id = %(document_id)s;

-- drop_originals: removes the originals of sources that no version of a document has
delete from original o
where o.org_id = current_setting('saidonce.org') and o.sha256 = any(%(sha256s)s::text[])
    and not exists (select from version v where v.org_id = o.org_id and v.fingerprint = o.sha256);
