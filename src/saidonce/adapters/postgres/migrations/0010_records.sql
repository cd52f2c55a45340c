-- Conversations are kept as verdicts of gates are: a record that tells everything, and beside it what is queried.
-- What a query changes in place (leases, states, marks) counts as the column says, not as the record does.

do $$
declare
    name text;
begin
    -- The owner's rights end at row-level security that is forced.
    foreach name in array array[
        'conversation', 'inbound', 'turn', 'issue', 'issue_move', 'emergency', 'outbox', 'landlord_notice', 'placement'
    ] loop
        execute format('alter table %I no force row level security', name);
        if name <> 'placement' then
            execute format('alter table %I add column record json', name);
        end if;
    end loop;
end
$$;

update conversation set record = json_build_object(
    'id', conversation_id,
    'sender', json_build_object('via', via, 'external_user_id', external_user_id, 'phone', phone, 'verified', verified),
    'number_id', number_id, 'started_at', started_at, 'identity', identity_status, 'gathering', gathering_state,
    'version', version, 'seen', seen, 'parked', parked, 'waiting_since', waiting_since, 'due_at', due_at,
    'wake_at', wake_at, 'tenancy_id', tenancy_id, 'candidates', candidates, 'excluded', excluded,
    'identity_tries', identity_tries, 'confirmed_at', confirmed_at,
    'draft', json_build_object(
        'description', case when description is not null
            then json_build_object('value', description, 'quote', description_quote) end,
        'location', case when location is not null
            then json_build_object('value', location, 'quote', location_quote) end,
        'category', nullif(category, ''), 'urgency', nullif(urgency, ''), 'photo', photo_status,
        'photo_quote', photo_quote, 'media', media, 'detail_asks', detail_asks, 'since', draft_since
    ),
    'draft_expires_at', draft_expires_at, 'is_nudged', is_nudged, 'issue_id', issue_id, 'issue_at', issue_at,
    'handed_off_at', handed_off_at, 'opted_out_at', opted_out_at, 'last_inbound_at', last_inbound_at,
    'lease_by', lease_by, 'lease_until', lease_until
);
alter table conversation
    drop column phone, drop column verified, drop column identity_status, drop column gathering_state,
    drop column version, drop column seen, drop column parked, drop column waiting_since, drop column tenancy_id,
    drop column candidates, drop column excluded, drop column identity_tries, drop column confirmed_at,
    drop column description, drop column description_quote, drop column location, drop column location_quote,
    drop column category, drop column urgency, drop column photo_status, drop column photo_quote, drop column media,
    drop column detail_asks, drop column draft_since, drop column draft_expires_at, drop column is_nudged,
    drop column issue_id, drop column issue_at, drop column handed_off_at, drop column opted_out_at,
    add check (record ->> 'identity' in ('unidentified', 'identified', 'confirmed', 'active')),
    add check (record ->> 'gathering' in ('idle', 'gathering_details', 'awaiting_photo', 'issue_created')),
    add check (record #>> '{draft,photo}' in ('none', 'asked', 'provided', 'declined', 'later'));

update inbound set record = json_build_object(
    'sender', json_build_object('via', via, 'external_user_id', external_user_id, 'phone', phone, 'verified', verified),
    'number_id', number_id, 'message_id', message_id, 'kind', kind, 'sent_at', sent_at, 'received_at', received_at,
    'text', text,
    'media', (
        select coalesce(json_agg(json_build_object(
            'id', m ->> 0, 'mime', m ->> 1, 'sha256', coalesce(m ->> 2, ''),
            'stored', coalesce((m ->> 3)::boolean, false), 'thumbnail', coalesce(m ->> 4, '')
        ) order by place), '[]') from json_array_elements(media::json) with ordinality as each (m, place)
    ),
    'button', button, 'conversation_id', conversation_id, 'seq', seq, 'scanned', scanned
);
alter table inbound
    drop column external_user_id, drop column phone, drop column verified, drop column kind, drop column sent_at,
    drop column received_at, drop column text, drop column media, drop column button;

update turn set record = json_build_object(
    'id', turn_id, 'conversation_id', conversation_id, 'n', n, 'at', at, 'path', path, 'inbound', inbound,
    'identity', json_build_array(identity_before, identity_after),
    'gathering', json_build_array(gathering_before, gathering_after), 'tool', nullif(tool, ''), 'reason', reason,
    'refused', refused, 'effects', effects, 'model', model, 'prompt_hash', prompt_hash,
    'calls', (
        select coalesce(json_agg(json_build_object('reply', c ->> 0, 'refused', coalesce(c ->> 1, '')) order by place),
            '[]') from json_array_elements(calls::json) with ordinality as each (c, place)
    ),
    'prompt_tokens', prompt_tokens, 'took_ms', took_ms, 'shadow', shadow
);
alter table turn
    drop column at, drop column path, drop column inbound, drop column identity_before, drop column identity_after,
    drop column gathering_before, drop column gathering_after, drop column tool, drop column reason,
    drop column refused, drop column effects, drop column model, drop column prompt_hash, drop column calls,
    drop column prompt_tokens, drop column took_ms, drop column shadow;

update issue set record = json_build_object(
    'id', issue_id, 'turn_id', turn_id, 'conversation_id', conversation_id, 'tenancy_id', tenancy_id,
    'property_id', property_id, 'description', description, 'location', location, 'category', category,
    'urgency', urgency, 'photo', photo_status, 'created_at', created_at, 'media', media, 'state', state,
    'needs_call', needs_call, 'review', review, 'also_affected', also_affected
);
alter table issue
    drop column description, drop column location, drop column category, drop column urgency,
    drop column photo_status, drop column media, drop column needs_call, drop column also_affected;

update issue_move set record = json_build_object(
    'issue_id', issue_id, 'n', n, 'at', at, 'actor', actor, 'before', state_before, 'after', state_after,
    'looked_at', looked_at
);
alter table issue_move
    drop column at, drop column actor, drop column state_before, drop column state_after, drop column looked_at;

update emergency set record = json_build_object(
    'id', event_id, 'conversation_id', conversation_id, 'inbound_seq', inbound_seq, 'kind', kind, 'phrase', phrase,
    'is_critical', is_critical, 'at', at, 'alert_by', alert_by, 'replied', replied, 'state', state,
    'alerted_at', alerted_at, 'issue_id', issue_id
);
alter table emergency drop column kind, drop column phrase, drop column is_critical, drop column alert_by;

update outbox set record = json_build_object(
    'id', message_id, 'conversation_id', conversation_id, 'turn_id', turn_id, 'kind', kind, 'text', text,
    'made_at', made_at,
    'buttons', (
        select coalesce(json_agg(json_build_object('title', b ->> 0, 'payload', b ->> 1) order by place), '[]')
        from json_array_elements(buttons::json) with ordinality as each (b, place)
    ),
    'state', state, 'external_id', external_id, 'n_tries', n_tries, 'lease_until', lease_until
);
alter table outbox drop column turn_id, drop column text, drop column made_at, drop column buttons;

update landlord_notice set record = json_build_object(
    'dedupe_key', dedupe_key, 'event', event, 'conversation_id', conversation_id, 'at', at, 'issue_id', issue_id,
    'detail', detail
);
alter table landlord_notice drop column event, drop column at, drop column issue_id, drop column detail;

-- Objections were lists of values.
update placement set objections = (
    select json_agg(json_build_object(
        'kind', o ->> 0,
        'a', json_build_object('start', o #> '{1,0}', 'end', o #> '{1,1}', 'text', o #> '{1,2}'),
        'b', json_build_object('start', o #> '{2,0}', 'end', o #> '{2,1}', 'text', o #> '{2,2}')
    ) order by place) from json_array_elements(objections::json) with ordinality as each (o, place)
)::text where objections <> '[]';

do $$
declare
    name text;
begin
    foreach name in array array[
        'conversation', 'inbound', 'turn', 'issue', 'issue_move', 'emergency', 'outbox', 'landlord_notice', 'placement'
    ] loop
        execute format('alter table %I force row level security', name);
        if name <> 'placement' then
            execute format('alter table %I alter column record set not null', name);
        end if;
    end loop;
end
$$;
