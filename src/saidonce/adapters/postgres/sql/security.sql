-- append_event: appends to the security log
insert into security_event (org_id, n, at, kind, person, address, record)
values (current_setting('saidonce.org'), %(n)s, %(at)s, %(kind)s, %(person)s, %(address)s, %(record)s);

-- lock_events: makes those who append to the security log wait for each other, and gives the next number
select pg_advisory_xact_lock(hashtextextended('saidonce security log ' || current_setting('saidonce.org'), 0));

-- next_event: the next number of the security log
select coalesce(max(n), 0) + 1 from security_event where org_id = current_setting('saidonce.org');

-- has_org: whether anything is kept of the organisation
select exists (select from org where org_id = current_setting('saidonce.org'));

-- security_events: entries of the security log, newest first
select record as "*" from security_event
where org_id = current_setting('saidonce.org')
    and (%(kinds)s::text[] is null or kind = any(%(kinds)s))
    and (%(person)s::text = '' or person = %(person)s) and (%(address)s::text = '' or address = %(address)s)
    and (%(since)s::timestamptz is null or at >= %(since)s) and (%(until)s::timestamptz is null or at < %(until)s)
    and (%(before)s::bigint is null or n < %(before)s)
order by n desc limit %(limit)s;

-- next_security_events: entries of the security log after one, oldest first
select record as "*" from security_event
where org_id = current_setting('saidonce.org')
    and (%(kinds)s::text[] is null or kind = any(%(kinds)s))
    and (%(person)s::text = '' or person = %(person)s) and (%(address)s::text = '' or address = %(address)s)
    and (%(since)s::timestamptz is null or at >= %(since)s) and (%(until)s::timestamptz is null or at < %(until)s)
    and (%(before)s::bigint is null or n < %(before)s) and n > %(after)s
order by n limit %(limit)s;

-- note_key_use: notes when a key was used last, and gives whether it was the first time
with former as (
    select key_id, used_at from api_key
    where org_id = current_setting('saidonce.org') and key_id = %(key)s for update
)
update api_key k set used_at = %(at)s from former
where k.org_id = current_setting('saidonce.org') and k.key_id = former.key_id
    and (former.used_at is null or former.used_at < %(at)s)
returning former.used_at is null;
