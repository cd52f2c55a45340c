-- Turns of all conversations by when they were taken: how often a model could not lead.

create index turn_taken_at on turn (org_id, (record ->> 'at') collate "C");
create index conversation_leased on conversation (org_id, lease_until) where lease_until is not null;
