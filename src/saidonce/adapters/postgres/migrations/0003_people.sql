-- People, their keys, and what they are told.

create table person (
    org_id text collate "C" not null references org,
    name text collate "C" not null,
    email text not null,
    role text not null,
    added_at timestamptz not null,
    subject text not null,
    active_at timestamptz,
    left_at timestamptz,
    primary key (org_id, name)
);
create unique index on person (org_id, subject) where subject <> '';

create table api_key (
    org_id text collate "C" not null,
    key_id text collate "C" not null,
    person text collate "C" not null,
    label text not null,
    scopes text[] not null,
    hash text not null,
    added_at timestamptz not null,
    revoked_at timestamptz,
    primary key (org_id, key_id),
    foreign key (org_id, person) references person
);

create table channel (
    org_id text collate "C" not null references org,
    channel_id text collate "C" not null,
    kind text not null,
    target text not null,
    owner text not null,
    every_s integer not null,
    secret text not null,
    seen bigint not null,
    added_at timestamptz not null,
    told_at timestamptz,
    primary key (org_id, channel_id)
);

create table notice (
    org_id text collate "C" not null,
    notice_id text collate "C" not null,
    channel text collate "C" not null,
    after bigint not null,
    up_to bigint not null,
    made_at timestamptz not null,
    n_tries integer not null,
    error text not null,
    delivered_at timestamptz,
    primary key (org_id, notice_id),
    foreign key (org_id, channel) references channel on delete cascade
);
create index on notice (org_id, channel, made_at);

do $$
declare
    name text;
begin
    foreach name in array array['person', 'api_key', 'channel', 'notice'] loop
        execute format('alter table %I enable row level security, force row level security', name);
        execute format(
            'create policy own_org on %I to saidonce_app using (org_id = current_setting(''saidonce.org'', true))', name
        );
        execute format('grant select, insert, update, delete on %I to saidonce_app', name);
    end loop;
end
$$;
