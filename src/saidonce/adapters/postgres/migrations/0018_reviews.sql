-- Reviews that an auto-rater was sent and has not finished: a process that goes on after another sends none twice.

create table gate_review (
    org_id text collate "C" not null references org,
    key text collate "C" not null,
    nonce text not null,
    review text not null,
    at timestamptz not null,
    primary key (org_id, key)
);

alter table gate_review enable row level security, force row level security;
create policy own_org on gate_review to saidonce_app using (org_id = current_setting('saidonce.org', true));
grant select, insert, update, delete on gate_review to saidonce_app;
