-- erase_waiting: files of some conversations wait no more
delete from waiting_media w using inbound i
where w.org_id = current_setting('saidonce.org') and i.org_id = w.org_id and i.seq = w.seq
    and i.conversation_id = any(%(ids)s::text[]);

-- erase_emergencies: removes emergencies of some conversations
delete from emergency
where org_id = current_setting('saidonce.org') and conversation_id = any(%(ids)s::text[]);

-- erase_outbox: removes messages to residents of some conversations
delete from outbox where org_id = current_setting('saidonce.org') and conversation_id = any(%(ids)s::text[]);

-- erase_conversations: removes conversations
delete from conversation where org_id = current_setting('saidonce.org') and conversation_id = any(%(ids)s::text[]);

-- erase_tenancies: removes tenancies
delete from tenancy where org_id = current_setting('saidonce.org') and tenancy_id = any(%(ids)s::text[]);

-- erase_residents: removes residents with their numbers
delete from resident where org_id = current_setting('saidonce.org') and resident_id = any(%(ids)s::text[]);

-- rewrite_issue: writes an issue anew, with whose it is
update issue set turn_id = %(turn_id)s, conversation_id = %(conversation_id)s, tenancy_id = %(tenancy_id)s,
    record = %(record)s
where org_id = current_setting('saidonce.org') and issue_id = %(issue_id)s
returning issue_id;

-- rewrite_outbox: writes a message to a resident anew
update outbox set record = %(record)s
where org_id = current_setting('saidonce.org') and message_id = %(message_id)s;

-- lock_acts: makes those who write the log of data protection wait for each other
select pg_advisory_xact_lock(hashtextextended('saidonce data acts ' || current_setting('saidonce.org'), 0));

-- n_acts: how many acts there are
select count(*) from data_act where org_id = current_setting('saidonce.org');

-- data_acts: the log of data protection, oldest first
select record as "*" from data_act where org_id = current_setting('saidonce.org') order by n;

-- files_in_use: names of the files of messages, but of some conversations
select distinct name.value
from inbound i
    cross join lateral json_array_elements(coalesce(i.record -> 'media', '[]'::json)) as m (file)
    cross join lateral (
        values (m.file ->> 'sha256'), (m.file ->> 'thumbnail'), (m.file ->> 'original')
    ) as name (value)
where i.org_id = current_setting('saidonce.org') and i.conversation_id <> all(%(but_not_of)s::text[])
    and (m.file ->> 'stored')::boolean and coalesce(name.value, '') <> '';

-- aged_inbounds: old messages that still have words
select record as "*", scanned from inbound
where org_id = current_setting('saidonce.org') and (record ->> 'received_at')::timestamptz < %(before)s
    and (coalesce(record ->> 'text', '') <> '' or coalesce(record ->> 'button', '') <> '')
order by seq limit %(limit)s;

-- aged_media: old messages that still have stored files
select record as "*", scanned from inbound
where org_id = current_setting('saidonce.org') and (record ->> 'received_at')::timestamptz < %(before)s
    and (record ->> 'media') like '%%"stored":true%%' and seq > %(after)s
order by seq limit %(limit)s;

-- aged_outbox: old messages to residents that still have words
select record as "message", seq, order_at, state as "message.state", external_id as "message.external_id",
    n_tries as "message.n_tries", lease_until as "message.lease_until"
from outbox
where org_id = current_setting('saidonce.org') and (record ->> 'made_at')::timestamptz < %(before)s
    and state not in ('queued', 'sending', 'unknown') and record ->> 'text' <> ''
order by order_at, conversation_id, seq limit %(limit)s;

-- aged_turns: old turns that still have a model's words
select record as "*" from turn
where org_id = current_setting('saidonce.org') and (record ->> 'at')::timestamptz < %(before)s
    and record -> 'calls' is not null
order by record ->> 'at', turn_id limit %(limit)s;

-- aged_notices: old notices
select seq, record as notice from landlord_notice
where org_id = current_setting('saidonce.org') and (record ->> 'at')::timestamptz < %(before)s
order by seq limit %(limit)s;

-- erase_notices: removes notices about some conversations, or of some keys
select erase_notices(%(ids)s::text[], %(keys)s::text[]);

-- erase_messages: removes messages and turns of some conversations
select erase_messages(%(ids)s::text[]);

-- rewrite_inbound: writes a message anew
select rewrite_inbound(%(seq)s, %(record)s::json);

-- rewrite_turn: writes a turn anew
select rewrite_turn(%(turn_id)s, %(record)s::json);
