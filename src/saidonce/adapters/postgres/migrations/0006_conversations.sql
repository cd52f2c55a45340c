-- Conversations with residents: who lives where, what was written, understood, done and sent.

create table property (
    org_id text collate "C" not null references org,
    property_id text collate "C" not null,
    address text not null,
    unit text not null,
    building text not null,
    postcode text not null,
    postcode_key text collate "C" not null,
    primary key (org_id, property_id)
);
create index on property (org_id, postcode_key);

create table resident (
    org_id text collate "C" not null references org,
    resident_id text collate "C" not null,
    name text not null,
    last_name text collate "C",
    primary key (org_id, resident_id)
);
create index on resident (org_id, last_name);

-- Phones and channel identities, in the order in which the landlord gave them.
create table resident_contact (
    org_id text collate "C" not null,
    resident_id text collate "C" not null,
    kind text collate "C" not null check (kind in ('phone', 'identity')),
    place integer not null,
    key text collate "C" not null,
    primary key (org_id, resident_id, kind, place),
    foreign key (org_id, resident_id) references resident on delete cascade
);
create index on resident_contact (org_id, kind, key, resident_id);

create table tenancy (
    org_id text collate "C" not null,
    tenancy_id text collate "C" not null,
    property_id text collate "C" not null,
    resident_id text collate "C" not null,
    starts_at timestamptz not null,
    ends_at timestamptz,
    primary key (org_id, tenancy_id),
    foreign key (org_id, property_id) references property,
    foreign key (org_id, resident_id) references resident
);
create index on tenancy (org_id, property_id);
create index on tenancy (org_id, resident_id);

create view home with (security_invoker = true) as
select t.org_id, t.tenancy_id, t.property_id, t.resident_id, t.starts_at, t.ends_at, p.address, p.unit, p.building,
    p.postcode, r.name,
    array(
        select c.key from resident_contact c
        where c.org_id = r.org_id and c.resident_id = r.resident_id and c.kind = 'phone' order by c.place
    ) as phones,
    array(
        select c.key from resident_contact c
        where c.org_id = r.org_id and c.resident_id = r.resident_id and c.kind = 'identity' order by c.place
    ) as external_ids
from tenancy t
join property p on p.org_id = t.org_id and p.property_id = t.property_id
join resident r on r.org_id = t.org_id and r.resident_id = t.resident_id;

-- Two orthogonal states, as seed 003 writes them, and a draft whose slots hold the words that say so.
create table conversation (
    org_id text collate "C" not null references org,
    conversation_id text collate "C" not null,
    via text collate "C" not null,
    external_user_id text collate "C" not null,
    phone text,
    verified boolean not null,
    number_id text collate "C" not null,
    started_at timestamptz not null,
    identity_status text not null default 'unidentified'
        check (identity_status in ('unidentified', 'identified', 'confirmed', 'active')),
    gathering_state text not null default 'idle'
        check (gathering_state in ('idle', 'gathering_details', 'awaiting_photo', 'issue_created')),
    version bigint not null default 0 check (version >= 0),
    seen bigint not null default 0,
    parked bigint[] not null default '{}',
    waiting_since timestamptz,
    due_at timestamptz,
    wake_at timestamptz,
    ready_at timestamptz generated always as (least(due_at, wake_at)) stored,
    tenancy_id text collate "C" not null default '',
    candidates text[] not null default '{}',
    excluded text[] not null default '{}',
    identity_tries integer not null default 0,
    confirmed_at timestamptz,
    description text,
    description_quote text,
    location text,
    location_quote text,
    category text not null default '',
    urgency text not null default '',
    photo_status text not null default 'none'
        check (photo_status in ('none', 'asked', 'provided', 'declined', 'later')),
    photo_quote text not null default '',
    media text[] not null default '{}',
    detail_asks integer not null default 0,
    draft_since bigint not null default 0,
    draft_expires_at timestamptz,
    is_nudged boolean not null default false,
    issue_id text collate "C" not null default '',
    issue_at timestamptz,
    handed_off_at timestamptz,
    opted_out_at timestamptz,
    last_inbound_at timestamptz,
    heard_at timestamptz generated always as (coalesce(last_inbound_at, started_at)) stored,
    lease_by text not null default '',
    lease_until timestamptz,
    primary key (org_id, conversation_id),
    unique (org_id, via, number_id, external_user_id),
    check ((description is null) = (description_quote is null)),
    check ((location is null) = (location_quote is null)),
    check ((lease_by = '') = (lease_until is null))
);
create index on conversation (org_id, ready_at, conversation_id) where ready_at is not null;
create index on conversation (org_id, heard_at desc, conversation_id);

-- Numbers that an organisation's messages and notices get, without gaps and in the order of their commits.
create table inbox (
    org_id text collate "C" not null references org,
    last_seq bigint not null default 0,
    last_notice bigint not null default 0,
    primary key (org_id)
);

-- One row a message of a channel, whatever is delivered how often. Of a message only the scan's mark ever changes.
create table inbound (
    org_id text collate "C" not null,
    seq bigint not null check (seq > 0),
    via text collate "C" not null,
    number_id text collate "C" not null,
    message_id text collate "C" not null,
    external_user_id text collate "C" not null,
    phone text,
    verified boolean not null,
    kind text not null,
    sent_at timestamptz not null,
    received_at timestamptz not null,
    text text not null,
    media text not null,
    button text not null,
    conversation_id text collate "C" not null,
    scanned boolean not null,
    primary key (org_id, seq),
    unique (org_id, via, number_id, message_id),
    foreign key (org_id, conversation_id) references conversation
);
create index on inbound (org_id, conversation_id, seq);
create index on inbound (org_id, seq) where not scanned;

-- Files of messages that are still to be fetched from their channel.
create table waiting_media (
    org_id text collate "C" not null,
    seq bigint not null,
    media_id text collate "C" not null,
    n_tries integer not null,
    due_at timestamptz not null,
    primary key (org_id, seq, media_id),
    foreign key (org_id, seq) references inbound
);
create index on waiting_media (org_id, due_at, seq, media_id);

-- What was done about messages: the program may read it and append to it, and nothing else.
create table turn (
    org_id text collate "C" not null,
    turn_id text collate "C" not null,
    conversation_id text collate "C" not null,
    n bigint not null,
    at timestamptz not null,
    path text not null,
    inbound bigint[] not null,
    identity_before text not null,
    identity_after text not null,
    gathering_before text not null,
    gathering_after text not null,
    tool text not null,
    reason text not null,
    refused text[] not null,
    effects text[] not null,
    model text not null,
    prompt_hash text not null,
    calls text not null,
    prompt_tokens bigint not null,
    took_ms double precision not null,
    shadow text not null,
    primary key (org_id, turn_id),
    unique (org_id, conversation_id, n),
    foreign key (org_id, conversation_id) references conversation
);

create table issue (
    org_id text collate "C" not null,
    issue_id text collate "C" not null,
    turn_id text collate "C" not null,
    conversation_id text collate "C" not null,
    tenancy_id text collate "C" not null,
    property_id text collate "C" not null,
    description text not null,
    location text not null,
    category text not null,
    urgency text not null,
    photo_status text not null,
    created_at timestamptz not null,
    media text[] not null,
    state text not null check (state in ('open', 'in_progress', 'done', 'cancelled')),
    needs_call boolean not null,
    review text not null,
    also_affected text[] not null,
    primary key (org_id, issue_id),
    unique (org_id, turn_id),
    foreign key (org_id, conversation_id) references conversation,
    foreign key (org_id, tenancy_id) references tenancy,
    foreign key (org_id, property_id) references property
);
create index on issue (org_id, property_id, created_at, issue_id);
create index on issue (org_id, created_at, issue_id);

create table emergency (
    org_id text collate "C" not null,
    event_id text collate "C" not null,
    conversation_id text collate "C" not null,
    inbound_seq bigint not null,
    kind text not null,
    phrase text not null,
    is_critical boolean not null,
    at timestamptz not null,
    alert_by timestamptz not null,
    replied boolean not null,
    state text not null check (state in ('suspected', 'validated', 'dismissed')),
    alerted_at timestamptz,
    issue_id text collate "C" not null,
    primary key (org_id, event_id),
    foreign key (org_id, conversation_id) references conversation,
    foreign key (org_id, inbound_seq) references inbound
);
create index on emergency (org_id, conversation_id);
create index on emergency (org_id, at, inbound_seq, event_id)
    where replied and state <> 'dismissed' and (alerted_at is null or issue_id = '');

-- `seq` counts the messages of a conversation; `order_at` never falls within one, whatever the clocks said.
create table outbox (
    org_id text collate "C" not null,
    message_id text collate "C" not null,
    conversation_id text collate "C" not null,
    seq bigint not null check (seq > 0),
    order_at timestamptz not null,
    turn_id text collate "C" not null,
    kind text not null,
    text text not null,
    made_at timestamptz not null,
    buttons text not null,
    state text not null
        check (state in ('queued', 'sending', 'unknown', 'sent', 'delivered', 'read', 'failed')),
    external_id text not null,
    n_tries integer not null,
    lease_until timestamptz,
    primary key (org_id, message_id),
    unique (org_id, conversation_id, seq),
    foreign key (org_id, conversation_id) references conversation
);
create index on outbox (org_id, order_at, conversation_id, seq);
create index on outbox (org_id, (kind <> 'safety'), order_at, conversation_id, seq) where state = 'queued';
create index on outbox (org_id, conversation_id, lease_until) where state = 'sending';
create index on outbox (org_id, state, order_at, conversation_id, seq) where state in ('queued', 'sending', 'unknown');

-- What landlords were told, once each.
create table landlord_notice (
    org_id text collate "C" not null,
    seq bigint not null check (seq > 0),
    dedupe_key text collate "C" not null,
    event text not null,
    conversation_id text collate "C" not null,
    at timestamptz not null,
    issue_id text collate "C" not null,
    detail text not null,
    primary key (org_id, seq),
    unique (org_id, dedupe_key),
    foreign key (org_id, conversation_id) references conversation
);

create table media (
    org_id text collate "C" not null references org,
    sha256 text collate "C" not null check (sha256 ~ '^[0-9a-f]{64}$'),
    mime text not null,
    content bytea not null,
    primary key (org_id, sha256)
);
alter table media alter column content set storage external;

do $$
declare
    name text;
begin
    foreach name in array array[
        'property', 'resident', 'resident_contact', 'tenancy', 'conversation', 'inbox', 'inbound', 'turn', 'issue',
        'emergency', 'outbox', 'landlord_notice', 'media', 'waiting_media'
    ] loop
        execute format('alter table %I enable row level security, force row level security', name);
        execute format(
            'create policy own_org on %I to saidonce_app using (org_id = current_setting(''saidonce.org'', true))', name
        );
        execute format('grant select, insert on %I to saidonce_app', name);
        if name not in ('inbound', 'turn', 'landlord_notice') then
            execute format('grant update, delete on %I to saidonce_app', name);
        end if;
    end loop;
end
$$;
grant update (scanned) on inbound to saidonce_app;
grant select on home to saidonce_app;

-- The worker serves every organisation whose residents wait: it learns their names, and nothing else.
create policy read_for_worker on conversation for select to saidonce_reader using (true);
create policy read_for_worker on inbound for select to saidonce_reader using (true);
create policy read_for_worker on outbox for select to saidonce_reader using (true);
create policy read_for_worker on waiting_media for select to saidonce_reader using (true);
create policy read_for_worker on emergency for select to saidonce_reader using (true);
grant select (org_id, ready_at) on conversation to saidonce_reader;
grant select (org_id, scanned) on inbound to saidonce_reader;
grant select (org_id, state) on outbox to saidonce_reader;
grant select (org_id, due_at) on waiting_media to saidonce_reader;
grant select (org_id, replied, state, alerted_at, issue_id) on emergency to saidonce_reader;

create function orgs_with_conversations(at timestamptz default now()) returns setof text
language sql stable security definer
set search_path = {schema}, pg_catalog, pg_temp
as $$
    select org_id from conversation where ready_at <= at
    union
    select org_id from inbound where not scanned
    union
    select org_id from waiting_media where due_at <= at
    union
    select org_id from outbox where state in ('queued', 'sending', 'unknown')
    union
    select org_id from emergency where replied and state <> 'dismissed' and (alerted_at is null or issue_id = '')
    order by 1
$$;

grant create on schema {schema} to saidonce_reader;
alter function orgs_with_conversations owner to saidonce_reader;
revoke create on schema {schema} from saidonce_reader;
revoke execute on function orgs_with_conversations from public;
grant execute on function orgs_with_conversations to saidonce_app;
