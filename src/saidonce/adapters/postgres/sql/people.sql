-- put_person: adds or changes a person
insert into person (org_id, name, email, role, added_at, subject, active_at, left_at)
values (current_setting('saidonce.org'), %(name)s, %(email)s, %(role)s, %(added_at)s, %(subject)s, %(active_at)s, %(left_at)s)
on conflict (org_id, name) do update set email = excluded.email, role = excluded.role, subject = excluded.subject,
    active_at = excluded.active_at, left_at = excluded.left_at;

-- people: people by name
select name, email, role, added_at, subject, active_at, left_at from person
where org_id = current_setting('saidonce.org') and (%(names)s::text[] is null or name = any(%(names)s)) order by name;

-- put_key: adds or changes a key
insert into api_key (org_id, key_id, person, label, scopes, hash, added_at, revoked_at, expires_at, addresses)
values (current_setting('saidonce.org'), %(id)s, %(person)s, %(label)s, %(scopes)s, %(hash)s, %(added_at)s, %(revoked_at)s,
    %(expires_at)s, %(addresses)s)
on conflict (org_id, key_id) do update set label = excluded.label, scopes = excluded.scopes,
    revoked_at = excluded.revoked_at, expires_at = excluded.expires_at, addresses = excluded.addresses;

-- keys: keys by id
select key_id as id, person, label, scopes, hash, added_at, revoked_at, expires_at, addresses, used_at from api_key
where org_id = current_setting('saidonce.org') and (%(ids)s::text[] is null or key_id = any(%(ids)s)) order by key_id;

-- put_channel: adds or changes a channel
insert into channel (org_id, channel_id, kind, target, owner, every_s, secret, seen, added_at, told_at)
values (current_setting('saidonce.org'), %(id)s, %(kind)s, %(target)s, %(owner)s, %(every_s)s, %(secret)s, %(seen)s,
    %(added_at)s, %(told_at)s)
on conflict (org_id, channel_id) do update set target = excluded.target, owner = excluded.owner,
    every_s = excluded.every_s, seen = excluded.seen, told_at = excluded.told_at;

-- drop_channel: takes a channel away
delete from channel where org_id = current_setting('saidonce.org') and channel_id = %(id)s returning channel_id;

-- channels: channels by id
select channel_id as id, kind, target, owner, every_s, secret, seen, added_at, told_at from channel
where org_id = current_setting('saidonce.org') order by channel_id;

-- put_notice: adds or changes a notice
insert into notice (org_id, notice_id, channel, after, up_to, made_at, n_tries, error, delivered_at)
values (current_setting('saidonce.org'), %(id)s, %(channel)s, %(after)s, %(up_to)s, %(made_at)s, %(n_tries)s, %(error)s,
    %(delivered_at)s)
on conflict (org_id, notice_id) do update set n_tries = excluded.n_tries, error = excluded.error,
    delivered_at = excluded.delivered_at;

-- notice_by_id: one notice
select notice_id as id, channel, after, up_to, made_at, n_tries, error, delivered_at from notice
where org_id = current_setting('saidonce.org') and notice_id = %(id)s;

-- notices: notices of a channel, newest first
select notice_id as id, channel, after, up_to, made_at, n_tries, error, delivered_at from notice
where org_id = current_setting('saidonce.org') and channel = %(channel)s order by made_at desc, notice_id limit %(limit)s;

-- dump_person: people for an export
select name, email, role, added_at, subject, active_at, left_at from person
where org_id = current_setting('saidonce.org') order by name;

-- dump_api_key: keys for an export, without what proves them
select key_id as id, person, label, scopes, added_at, revoked_at, expires_at, addresses, used_at from api_key
where org_id = current_setting('saidonce.org') order by key_id;

-- dump_channel: channels for an export, without their secrets; of a webhook's address only where it leads
select channel_id as id, kind, case kind when 'email' then target
    else substring(target from '^[A-Za-z]+://[^/?#]*') || '/...' end as target,
    owner, every_s, seen, added_at, told_at from channel
where org_id = current_setting('saidonce.org') order by channel_id;

-- dump_notice: notices for an export
select notice_id as id, channel, after, up_to, made_at, n_tries, error, delivered_at from notice
where org_id = current_setting('saidonce.org') order by notice_id;
