-- phase: expand
-- Originals: files of evidence and pictures of them, by the SHA-256 of the source, and where in them a segment stands.

alter table placement add column place json not null default 'null';

create table original (
    org_id text collate "C" not null references org,
    sha256 text collate "C" not null check (sha256 ~ '^[0-9a-f]{64}$'),
    part bigint not null check (part >= 0),
    mime text not null,
    content bytea not null,
    mark text collate "C" not null,
    primary key (org_id, sha256, part)
);
alter table original alter column content set storage external;
alter table original enable row level security, force row level security;
create policy own_org on original to saidonce_app using (org_id = current_setting('saidonce.org', true));
grant select, insert, delete on original to saidonce_app;
create index original_marked on original (org_id, sha256, part) where mark <> '';
