-- enter_org: enters an organisation if it is not there, without waiting for who writes to it
insert into org (org_id) select current_setting('saidonce.org')
where not exists (select from org where org_id = current_setting('saidonce.org'))
on conflict do nothing;

-- make_inbox: gives an organisation its numbers on its first conversation
insert into inbox (org_id) values (current_setting('saidonce.org')) on conflict do nothing;

-- next_seq: numbers a message
update inbox set last_seq = last_seq + 1 where org_id = current_setting('saidonce.org') returning last_seq;

-- hold_inbox: makes those who write notices wait for each other, and gives the number of the newest
select last_notice from inbox where org_id = current_setting('saidonce.org') for no key update;

-- next_notices: numbers notices
update inbox set last_notice = last_notice + %(n)s where org_id = current_setting('saidonce.org');

-- count_inbox: goes on numbering after an import
insert into inbox (org_id, last_seq, last_notice)
select current_setting('saidonce.org'),
    coalesce((select max(seq) from inbound where org_id = current_setting('saidonce.org')), 0),
    coalesce((select max(seq) from landlord_notice where org_id = current_setting('saidonce.org')), 0)
where exists (select from conversation where org_id = current_setting('saidonce.org'));

-- holds_conversations: whether anything of conversations, homes or files is kept
select exists (select from conversation where org_id = current_setting('saidonce.org'))
    or exists (select from property where org_id = current_setting('saidonce.org'))
    or exists (select from resident where org_id = current_setting('saidonce.org'))
    or exists (select from media where org_id = current_setting('saidonce.org'));

-- known_inbound: the message of a key
select record as "*", scanned
from inbound where org_id = current_setting('saidonce.org') and via = %(via)s and number_id = %(number_id)s
    and message_id = %(message_id)s;

-- make_conversation: begins a conversation if its sender has none
insert into conversation (org_id, conversation_id, via, external_user_id, number_id, started_at, record)
values (current_setting('saidonce.org'), %(conversation_id)s, %(via)s, %(external_user_id)s, %(number_id)s,
    %(started_at)s, %(record)s)
on conflict do nothing;

-- hold_conversation_of: locks the conversation of a sender
select record as "*", lease_by, lease_until
from conversation where org_id = current_setting('saidonce.org') and via = %(via)s and number_id = %(number_id)s
    and external_user_id = %(external_user_id)s
for no key update;

-- hold_conversation: locks a conversation
select record as "*", lease_by, lease_until
from conversation where org_id = current_setting('saidonce.org') and conversation_id = %(id)s
for no key update;

-- keep_inbound: keeps a message, if its key is new
insert into inbound (org_id, seq, via, number_id, message_id, conversation_id, scanned, record)
values (current_setting('saidonce.org'), %(seq)s, %(via)s, %(number_id)s, %(message_id)s, %(conversation_id)s,
    %(scanned)s, %(record)s)
on conflict (org_id, via, number_id, message_id) do nothing
returning seq;

-- put_conversation: writes what of a conversation may change
update conversation set due_at = %(due_at)s, wake_at = %(wake_at)s, last_inbound_at = %(last_inbound_at)s,
    lease_by = %(lease_by)s, lease_until = %(lease_until)s, record = %(record)s
where org_id = current_setting('saidonce.org') and conversation_id = %(conversation_id)s;

-- unscanned: messages that were not looked at for emergencies, oldest first
select record as "*", scanned
from inbound where org_id = current_setting('saidonce.org') and not scanned and seq > %(after)s
    and (%(id)s::text is null or conversation_id = %(id)s)
order by seq limit %(limit)s;

-- mark_scanned: notes that a message was looked at, once
update inbound set scanned = true where org_id = current_setting('saidonce.org') and seq = %(seq)s and not scanned
returning seq;

-- n_emergencies: emergencies of a conversation
select count(*) from emergency where org_id = current_setting('saidonce.org') and conversation_id = %(id)s;

-- claim_conversation: leases the conversation that is due longest
update conversation set lease_by = %(worker)s, lease_until = %(until)s
where org_id = current_setting('saidonce.org') and conversation_id = (
    select conversation_id from conversation
    where org_id = current_setting('saidonce.org') and ready_at <= %(now)s
        and (lease_until is null or lease_until <= %(now)s)
    order by ready_at, conversation_id
    limit 1
    for no key update skip locked
)
returning record as "*", lease_by, lease_until;

-- leased_conversations: conversations that a worker has, by id
select record as "*", lease_by, lease_until
from conversation where org_id = current_setting('saidonce.org') and lease_until > %(now)s
order by conversation_id;

-- turns_since: turns taken since a moment, and some before it
select record as "*" from turn
where org_id = current_setting('saidonce.org') and (record ->> 'at') collate "C" >= %(text_from)s;

-- release_conversation: gives a lease back
update conversation set lease_by = '', lease_until = null
where org_id = current_setting('saidonce.org') and conversation_id = %(id)s and lease_by = %(worker)s;

-- has_unseen: whether a message came after one
select exists (
    select from inbound where org_id = current_setting('saidonce.org') and conversation_id = %(id)s and seq > %(seen)s
);

-- conversation: one conversation
select record as "*", lease_by, lease_until
from conversation where org_id = current_setting('saidonce.org') and conversation_id = %(id)s;

-- conversations: conversations, the last heard of first
select record as "*", lease_by, lease_until
from conversation where org_id = current_setting('saidonce.org')
order by heard_at desc, conversation_id
limit %(limit)s;

-- inbounds: messages of a conversation, by number
select record as "*", scanned
from inbound where org_id = current_setting('saidonce.org') and conversation_id = %(id)s and seq >= %(from_seq)s
order by seq;

-- turns: turns of a conversation, oldest first
select record as "*" from turn where org_id = current_setting('saidonce.org') and conversation_id = %(id)s order by n;

-- keep_turn: appends a turn
insert into turn (org_id, turn_id, conversation_id, n, record)
values (current_setting('saidonce.org'), %(turn_id)s, %(conversation_id)s, %(n)s, %(record)s);

-- last_outbox: number and order of the newest message to a resident
select seq, order_at from outbox where org_id = current_setting('saidonce.org') and conversation_id = %(id)s
order by seq desc limit 1;

-- keep_outbox: keeps a message to a resident, if its id is new
insert into outbox (org_id, message_id, conversation_id, seq, order_at, kind, state, external_id, n_tries, lease_until,
    record)
values (current_setting('saidonce.org'), %(message_id)s, %(conversation_id)s, %(seq)s, %(order_at)s, %(kind)s, %(state)s,
    %(external_id)s, %(n_tries)s, %(lease_until)s, %(record)s)
on conflict (org_id, message_id) do nothing
returning seq;

-- lock_sending: makes those who take messages for sending wait for each other
select pg_advisory_xact_lock(hashtextextended('saidonce outbox ' || current_setting('saidonce.org'), 0));

-- lose_sending: nobody knows of messages whose lease ended while they were sent
update outbox set state = 'unknown', lease_until = null
where org_id = current_setting('saidonce.org') and state = 'sending' and lease_until <= %(now)s;

-- take_outbox: leases queued messages that may be sent now, safety first; others wait for those of their conversation
with next as (
    select o.message_id from outbox o
    where o.org_id = current_setting('saidonce.org') and o.state = 'queued'
        and (o.lease_until is null or o.lease_until <= %(now)s) and (
            o.kind = 'safety' or not exists (
                select from outbox s where s.org_id = current_setting('saidonce.org')
                    and s.conversation_id = o.conversation_id
                    and (s.state = 'sending' or s.state = 'queued' and s.lease_until > %(now)s)
            )
        )
    order by o.kind <> 'safety', o.order_at, o.conversation_id, o.seq
    limit %(limit)s
    for no key update
)
update outbox o set state = 'sending', lease_until = %(until)s, n_tries = o.n_tries + 1
from next where o.org_id = current_setting('saidonce.org') and o.message_id = next.message_id
returning o.record as "message", o.seq, o.order_at, o.state as "message.state",
    o.external_id as "message.external_id", o.n_tries as "message.n_tries", o.lease_until as "message.lease_until";

-- hold_outbox: locks a message to a resident
select record as "message", seq, order_at, state as "message.state", external_id as "message.external_id",
    n_tries as "message.n_tries", lease_until as "message.lease_until"
from outbox where org_id = current_setting('saidonce.org') and message_id = %(id)s
for no key update;

-- move_outbox: writes where a message to a resident is
update outbox set state = %(state)s, external_id = %(external_id)s, lease_until = %(lease_until)s
where org_id = current_setting('saidonce.org') and message_id = %(message_id)s;

-- outbox: messages to residents, oldest first
select record as "message", seq, order_at, state as "message.state", external_id as "message.external_id",
    n_tries as "message.n_tries", lease_until as "message.lease_until"
from outbox where org_id = current_setting('saidonce.org') and (%(id)s::text is null or conversation_id = %(id)s)
    and (%(state)s::text is null or state = %(state)s)
order by order_at, conversation_id, seq;

-- keep_issue: keeps an issue, if its turn has made none
insert into issue (org_id, issue_id, turn_id, conversation_id, tenancy_id, property_id, created_at, state, review,
    wake_at, record)
values (current_setting('saidonce.org'), %(issue_id)s, %(turn_id)s, %(conversation_id)s, %(tenancy_id)s,
    %(property_id)s, %(created_at)s, %(state)s, %(review)s, %(wake_at)s, %(record)s)
on conflict (org_id, turn_id) do nothing;

-- extend_issue: writes what an issue says; its turn and where it stands on the board stay
update issue set conversation_id = %(conversation_id)s, tenancy_id = %(tenancy_id)s, property_id = %(property_id)s,
    created_at = %(created_at)s, record = %(record)s
where org_id = current_setting('saidonce.org') and issue_id = %(issue_id)s
returning issue_id;

-- hold_issue: locks an issue
select record as "*", turn_id, state, review
from issue where org_id = current_setting('saidonce.org') and issue_id = %(id)s
for no key update;

-- advance_issue: writes a step of an issue that is locked
update issue set state = %(state)s, review = %(review)s, wake_at = %(wake_at)s, record = %(record)s
where org_id = current_setting('saidonce.org') and issue_id = %(issue_id)s;

-- issue: one issue
select record as "*", turn_id, state, review
from issue where org_id = current_setting('saidonce.org') and issue_id = %(id)s;

-- issues_due: issues whose timer has gone off, the longest due first
select record as "*", turn_id, state, review
from issue where org_id = current_setting('saidonce.org') and wake_at <= %(now)s
order by wake_at, issue_id limit %(limit)s;

-- conversations_of: conversations of a tenancy, the last heard of first
select record as "*", lease_by, lease_until
from conversation where org_id = current_setting('saidonce.org') and record ->> 'tenancy_id' = %(tenancy_id)s
order by heard_at desc, conversation_id;

-- n_moves: moves of an issue
select count(*) from issue_move where org_id = current_setting('saidonce.org') and issue_id = %(id)s;

-- move_issue: writes where an issue stands on the board
update issue set state = %(state)s, review = %(review)s
where org_id = current_setting('saidonce.org') and issue_id = %(id)s;

-- keep_move: keeps a move of an issue
insert into issue_move (org_id, issue_id, n, record)
values (current_setting('saidonce.org'), %(issue_id)s, %(n)s, %(record)s);

-- issue_moves: moves of issues, by issue, oldest first
select record as "*" from issue_move
where org_id = current_setting('saidonce.org') and (%(id)s::text is null or issue_id = %(id)s)
order by issue_id, n;

-- flag_issue: notes why a person should look at an issue
update issue set review = %(review)s where org_id = current_setting('saidonce.org') and issue_id = %(id)s
returning issue_id;

-- issues: issues, oldest first
select record as "*", turn_id, state, review
from issue
where org_id = current_setting('saidonce.org') and (%(property_id)s::text is null or property_id = %(property_id)s)
order by created_at, issue_id;

-- keep_emergency: keeps an emergency, or what became of it
insert into emergency (org_id, event_id, conversation_id, inbound_seq, at, replied, state, alerted_at, issue_id,
    acknowledged_at, exhausted_at, record)
values (current_setting('saidonce.org'), %(event_id)s, %(conversation_id)s, %(inbound_seq)s, %(at)s, %(replied)s,
    %(state)s, %(alerted_at)s, %(issue_id)s, %(acknowledged_at)s, %(exhausted_at)s, %(record)s)
on conflict (org_id, event_id) do update set at = excluded.at, replied = excluded.replied, state = excluded.state,
    alerted_at = excluded.alerted_at, issue_id = excluded.issue_id, acknowledged_at = excluded.acknowledged_at,
    exhausted_at = excluded.exhausted_at, record = excluded.record;

-- emergency: one emergency
select record as "*" from emergency
where org_id = current_setting('saidonce.org') and event_id = %(id)s;

-- emergencies: emergencies, oldest first
select record as "*" from emergency
where org_id = current_setting('saidonce.org') and (%(id)s::text is null or conversation_id = %(id)s)
order by at, inbound_seq, event_id;

-- open_emergencies: emergencies that were answered and are not dealt with, oldest first
select record as "*" from emergency
where org_id = current_setting('saidonce.org') and (%(id)s::text is null or conversation_id = %(id)s)
    and replied and state <> 'dismissed' and (alerted_at is null or issue_id = '' or acknowledged_at is null)
order by at, inbound_seq, event_id;

-- call_outs: call-out lists, by scope and subject
select record as "*" from call_out where org_id = current_setting('saidonce.org') order by scope, subject;

-- drop_call_outs: takes all call-out lists away
delete from call_out where org_id = current_setting('saidonce.org');

-- known_notices: those of some dedupe keys that are taken
select dedupe_key from landlord_notice
where org_id = current_setting('saidonce.org') and dedupe_key = any(%(keys)s::text[]);

-- notices_to_landlords: what landlords were told, as it was written
select seq, record as notice from landlord_notice where org_id = current_setting('saidonce.org') order by seq;

-- put_property: adds or changes a property
insert into property (org_id, property_id, address, unit, building, postcode, postcode_key)
values (current_setting('saidonce.org'), %(property_id)s, %(address)s, %(unit)s, %(building)s, %(postcode)s,
    %(postcode_key)s)
on conflict (org_id, property_id) do update set address = excluded.address, unit = excluded.unit,
    building = excluded.building, postcode = excluded.postcode, postcode_key = excluded.postcode_key;

-- put_resident: adds or changes a resident
insert into resident (org_id, resident_id, name, last_name)
values (current_setting('saidonce.org'), %(resident_id)s, %(name)s, %(last_name)s)
on conflict (org_id, resident_id) do update set name = excluded.name, last_name = excluded.last_name;

-- drop_contacts: forgets a resident's phones and channel identities
delete from resident_contact where org_id = current_setting('saidonce.org') and resident_id = %(resident_id)s;

-- put_contacts: notes a resident's phones or channel identities
insert into resident_contact (org_id, resident_id, kind, place, key)
select current_setting('saidonce.org'), %(resident_id)s, %(kind)s, place, key
from unnest(%(keys)s::text[]) with ordinality as given (key, place);

-- put_tenancy: adds or changes a tenancy
insert into tenancy (org_id, tenancy_id, property_id, resident_id, starts_at, ends_at)
values (current_setting('saidonce.org'), %(tenancy_id)s, %(property_id)s, %(resident_id)s, %(starts_at)s, %(ends_at)s)
on conflict (org_id, tenancy_id) do update set property_id = excluded.property_id, resident_id = excluded.resident_id,
    starts_at = excluded.starts_at, ends_at = excluded.ends_at;

-- homes: tenancies with property and resident, by id
select tenancy_id as "tenancy.id", property_id as "tenancy.property_id", resident_id as "tenancy.resident_id",
    starts_at as "tenancy.starts_at", ends_at as "tenancy.ends_at", property_id as "property.id",
    address as "property.address", unit as "property.unit", building as "property.building",
    postcode as "property.postcode", resident_id as "resident.id", name as "resident.name",
    phones as "resident.phones", external_ids as "resident.external_ids"
from home where org_id = current_setting('saidonce.org') and (%(id)s::text is null or tenancy_id = %(id)s)
order by tenancy_id;

-- homes_of: active homes of who has a channel identity or a phone, by id
select tenancy_id as "tenancy.id", property_id as "tenancy.property_id", resident_id as "tenancy.resident_id",
    starts_at as "tenancy.starts_at", ends_at as "tenancy.ends_at", property_id as "property.id",
    address as "property.address", unit as "property.unit", building as "property.building",
    postcode as "property.postcode", resident_id as "resident.id", name as "resident.name",
    phones as "resident.phones", external_ids as "resident.external_ids"
from home
where org_id = current_setting('saidonce.org') and starts_at <= %(at)s and (ends_at is null or %(at)s < ends_at)
    and resident_id in (
        select c.resident_id from resident_contact c
        where c.org_id = current_setting('saidonce.org') and c.kind = 'identity' and c.key = any(%(keys)s::text[])
        union all
        select c.resident_id from resident_contact c
        where c.org_id = current_setting('saidonce.org') and c.kind = 'phone' and c.key = %(phone)s
    )
order by tenancy_id;

-- homes_named: active homes of which a postcode or a last name was said, by id
select tenancy_id as "tenancy.id", property_id as "tenancy.property_id", resident_id as "tenancy.resident_id",
    starts_at as "tenancy.starts_at", ends_at as "tenancy.ends_at", property_id as "property.id",
    address as "property.address", unit as "property.unit", building as "property.building",
    postcode as "property.postcode", resident_id as "resident.id", name as "resident.name",
    phones as "resident.phones", external_ids as "resident.external_ids"
from home
where org_id = current_setting('saidonce.org') and starts_at <= %(at)s and (ends_at is null or %(at)s < ends_at)
    and tenancy_id in (
        select t.tenancy_id from property p join tenancy t on t.org_id = p.org_id and t.property_id = p.property_id
        where p.org_id = current_setting('saidonce.org') and p.postcode_key = any(%(words)s::text[])
        union all
        select t.tenancy_id from resident r join tenancy t on t.org_id = r.org_id and t.resident_id = r.resident_id
        where r.org_id = current_setting('saidonce.org') and r.last_name = any(%(words)s::text[])
    )
order by tenancy_id
limit %(limit)s;

-- wait_for_media: notes a file that is to be fetched
insert into waiting_media (org_id, seq, media_id, n_tries, due_at)
values (current_setting('saidonce.org'), %(seq)s, %(media_id)s, %(n_tries)s, %(due_at)s);

-- take_media: leases files to be fetched, the longest due first
with next as (
    select seq, media_id, due_at from waiting_media
    where org_id = current_setting('saidonce.org') and due_at <= %(now)s and (
        %(but_not_of)s::text[] = '{}' or not exists (
            select from inbound i where i.org_id = current_setting('saidonce.org') and i.seq = waiting_media.seq
                and i.conversation_id = any(%(but_not_of)s::text[])
        )
    )
    order by due_at, seq, media_id
    limit %(limit)s
    for no key update skip locked
), taken as (
    update waiting_media w set n_tries = w.n_tries + 1, due_at = %(until)s
    from next where w.org_id = current_setting('saidonce.org') and w.seq = next.seq and w.media_id = next.media_id
    returning w.seq, w.media_id, w.n_tries, w.due_at, next.due_at as was_due_at
)
select seq, media_id, n_tries, due_at from taken order by was_due_at, seq, media_id;

-- inbound_of_seq: one message
select record as "*", scanned
from inbound where org_id = current_setting('saidonce.org') and seq = %(seq)s;

-- put_off_media: takes a file up again later
update waiting_media set due_at = %(until)s
where org_id = current_setting('saidonce.org') and seq = %(seq)s and media_id = %(media_id)s;

-- end_media: lets a file wait no more
delete from waiting_media
where org_id = current_setting('saidonce.org') and seq = %(seq)s and media_id = %(media_id)s;

-- dump_waiting_media: files to be fetched for an export
select seq, media_id, n_tries, due_at from waiting_media where org_id = current_setting('saidonce.org')
order by seq, media_id;

-- put_media: keeps a file, if it is new
insert into media (org_id, sha256, mime, content)
values (current_setting('saidonce.org'), %(sha256)s, %(mime)s, %(content)s)
on conflict do nothing;

-- drop_media: removes files
delete from media where org_id = current_setting('saidonce.org') and sha256 = any(%(sha256s)s::text[])
returning sha256;

-- media_type: the type of a file
select mime from media where org_id = current_setting('saidonce.org') and sha256 = %(sha256)s;

-- media: one file
select content, mime from media where org_id = current_setting('saidonce.org') and sha256 = %(sha256)s;

-- dump_property: properties for an export
select property_id as id, address, unit, building, postcode from property
where org_id = current_setting('saidonce.org') order by property_id;

-- dump_resident: residents for an export
select r.resident_id as id, r.name,
    array(
        select c.key from resident_contact c
        where c.org_id = r.org_id and c.resident_id = r.resident_id and c.kind = 'phone' order by c.place
    ) as phones,
    array(
        select c.key from resident_contact c
        where c.org_id = r.org_id and c.resident_id = r.resident_id and c.kind = 'identity' order by c.place
    ) as external_ids
from resident r where r.org_id = current_setting('saidonce.org') order by r.resident_id;

-- dump_tenancy: tenancies for an export
select tenancy_id as id, property_id, resident_id, starts_at, ends_at from tenancy
where org_id = current_setting('saidonce.org') order by tenancy_id;

-- dump_conversation: conversations for an export
select record as "*", lease_by, lease_until
from conversation where org_id = current_setting('saidonce.org') order by conversation_id;

-- dump_inbound: messages of residents for an export
select record as "*", scanned
from inbound where org_id = current_setting('saidonce.org') order by seq;

-- dump_turn: turns for an export
select record as "*" from turn where org_id = current_setting('saidonce.org') order by conversation_id, n;

-- dump_issue: issues for an export
select record as "*", turn_id, state, review
from issue where org_id = current_setting('saidonce.org') order by issue_id;

-- dump_issue_move: moves of issues for an export
select record as "*" from issue_move where org_id = current_setting('saidonce.org') order by issue_id, n;

-- dump_emergency: emergencies for an export
select record as "*" from emergency where org_id = current_setting('saidonce.org') order by event_id;

-- dump_call_out: call-out lists for an export
select record as "*" from call_out where org_id = current_setting('saidonce.org') order by scope, subject;

-- dump_outbox: messages to residents for an export
select record as "message", seq, order_at, state as "message.state", external_id as "message.external_id",
    n_tries as "message.n_tries", lease_until as "message.lease_until"
from outbox where org_id = current_setting('saidonce.org') order by conversation_id, seq;

-- dump_media: files of residents for an export
select sha256, mime, content from media where org_id = current_setting('saidonce.org') order by sha256;

-- orgs_to_answer: organisations, of all, in whose conversations something waits
select * from orgs_with_conversations(%(at)s) union select * from orgs_with_issues_due(%(at)s) order by 1;

-- orgs_unreached: organisations, of all, that have homes and no channel for notices of residents
select * from orgs_unreached();

-- org_troubles: what waits in which organisation, of all: alarms nobody acknowledged, and notices that were given up
select * from org_troubles(%(tries)s);
